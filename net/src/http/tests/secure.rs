//! The same under TLS, and what does not get that far.

use super::*;
use crate::tls::tests::{ANOTHER_AUTHORITY, acceptor, connector, stranger};

fn client_config() -> ClientConfig {
    let limit = Duration::from_secs(5);
    ClientConfig { host: "localhost".into(), connect_timeout: limit, read_timeout: limit, body_bytes: 16 << 20 }
}

fn secure(limits: Limits) -> Server {
    start_with(limits, echo, Some(acceptor()))
}

#[test]
fn requests_and_answers_of_all_sizes() {
    let server = secure(Limits::default());
    let addr = server.addr;
    rt::block_on(move || async move {
        for name in ["localhost", "127.0.0.1"] {
            let mut client =
                Client::connect_secure(&[addr], client_config(), &connector(), name).await.expect("agreed");
            let long = vec![b'y'; 1 << 20];
            for (target, body) in [("/a", &b"one"[..]), ("/big", b""), ("/b", &long)] {
                let ask = Ask { method: Method::Post, target, headers: &[], body };
                let reply = client.ask(&ask).await.expect("it answers");
                match target {
                    "/big" => assert_eq!(reply.body, vec![b'x'; 3_000_000]),
                    _ => assert_eq!(reply.body, [format!("POST {target} ").as_bytes(), body].concat()),
                }
            }
        }
    });
}

#[test]
fn what_is_not_tls_gets_no_answer() {
    let server = secure(Limits::default());
    assert_eq!(server.exchange("GET / HTTP/1.1\r\n\r\n"), "");
    assert_eq!(server.stats.requests(), 0);
}

#[test]
fn a_handshake_that_does_not_go_on_ends() {
    let server = secure(Limits { handshake_timeout: Duration::from_millis(100), ..Limits::default() });
    assert_eq!(read_all(server.connect()), "");
    let mut begun = server.connect();
    begun.write_all(&[22, 3, 1, 0, 200, 1]).expect("it reads");
    assert_eq!(read_all(begun), "");
}

#[test]
fn the_oldest_handshake_makes_room_for_the_newest() {
    let server = secure(Limits { handshakes_per_core: 2, ..Limits::default() });
    let mut waiting: Vec<TcpStream> = (0..6)
        .map(|_| {
            thread::sleep(Duration::from_millis(20));
            server.connect()
        })
        .collect();
    for old in waiting.drain(..2) {
        assert_eq!(read_all(old), "");
    }
    for young in &mut waiting {
        young.set_read_timeout(Some(Duration::from_millis(30))).expect("a socket option");
        assert!(young.read(&mut [0]).is_err(), "it still waits");
    }
}

#[test]
fn servers_must_prove_who_they_are() {
    let server = secure(Limits::default());
    let addr = server.addr;
    rt::block_on(move || async move {
        let refused = async |connector, name: &str| {
            let client = Client::connect_secure(&[addr], client_config(), &connector, name).await;
            client.err().expect("it is not who it should be").to_string()
        };
        let wrong_name = refused(connector(), "example.org").await;
        assert!(wrong_name.contains("not valid for name"), "{wrong_name}");
        let unknown = refused(stranger(ANOTHER_AUTHORITY), "localhost").await;
        assert!(unknown.contains("UnknownIssuer"), "{unknown}");
    });
}
