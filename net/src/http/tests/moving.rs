//! Connections that follow their work to another core.

use std::{cell::OnceCell, net::TcpStream, time::Instant};

use super::*;
use crate::mesh::{self, Mesh};

thread_local! {
    static MESH: OnceCell<Mesh<usize, usize>> = const { OnceCell::new() };
}

/// Two cores; a request for `/N` has its work done by core N, and is answered with the core that its connection is on.
fn start_working(limits: Limits) -> (SocketAddr, StopSignal, ServerStats, thread::JoinHandle<()>) {
    let (listener, addr) = listen("127.0.0.1:0".parse().expect("an address")).expect("a free port");
    let (servers, meshes) = (seats(listener, 2), mesh::build::<usize, usize>(2));
    let stats = servers[0].stats();
    let stop = StopSignal::new();
    let config = Config { limits, error_page, stop: stop.clone(), tls: None };
    let parts = Arc::new(Mutex::new(servers.into_iter().zip(meshes).map(Some).collect::<Vec<_>>()));
    let thread = thread::spawn(move || {
        let ended = rt::run(&Topology::first(2), move |core| {
            let (server, seat) = parts.lock().expect("nobody panics here")[core].take().expect("one core, one part");
            let config = config.clone();
            async move {
                let mesh = seat.join(|_, q| Box::pin(async move { q }));
                MESH.with(|slot| slot.set(mesh.clone()).is_ok());
                serve(server, config, Rc::new(work), Rc::new(|_| ())).await;
                mesh.leave(Duration::from_secs(5)).await;
            }
        });
        assert_eq!(ended.expect("executors start"), vec![Ok(()); 2]);
    });
    (addr, stop, stats, thread)
}

fn work(request: Request) -> Answer {
    Box::pin(async move {
        let core = request.path()[1..].parse().expect("a number");
        let mesh = MESH.with(|slot| slot.get().expect("set at the start").clone());
        mesh.call(core, 0).await.expect("nobody leaves before the end");
        Response::new(200).body(rt::current_core().to_string())
    })
}

/// Sends `count` requests at once and returns the cores that answered.
fn ask(stream: &mut TcpStream, core: usize, count: usize) -> Vec<usize> {
    stream.write_all(format!("GET /{core} HTTP/1.1\r\n\r\n").repeat(count).as_bytes()).expect("it reads");
    let (mut text, mut buffer) = (String::new(), [0; 4096]);
    while text.matches("HTTP/1.1 200").count() < count || !text.ends_with(|end: char| end.is_ascii_digit()) {
        let got = stream.read(&mut buffer).expect("it answers");
        assert!(got > 0, "closed after {text:?}");
        text.push_str(std::str::from_utf8(&buffer[..got]).expect("ASCII"));
    }
    text.split("\r\n\r\n").skip(1).map(|body| usize::from(!body.starts_with('0'))).collect()
}

fn connect(addr: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(addr).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(5))).expect("a socket option");
    stream
}

#[test]
fn a_connection_follows_its_work_and_loses_nothing() {
    let (addr, stop, stats, thread) = start_working(Limits::default());
    let mut stream = connect(addr);
    let first = ask(&mut stream, 0, 1)[0];
    let other = 1 - first;
    assert_eq!(ask(&mut stream, other, 5), vec![first; 5], "a few requests do not move it");
    // On a busy machine the other core may seem busy for a while.
    let begun = Instant::now();
    while ask(&mut stream, other, 7) != vec![other; 7] {
        assert!(begun.elapsed() < Duration::from_secs(20), "it never moved");
        thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(stats.moved(), 1);
    assert_eq!((stats.open(), stats.opened()), (1, 1));
    // Now it takes twice as many requests.
    assert_eq!(ask(&mut stream, first, 20), vec![other; 20]);
    // The place on the old core is free again, and a stop closes the connection on its new one.
    stop.trigger();
    assert_eq!(stream.read(&mut [0; 16]).expect("it closes"), 0);
    drop(stream);
    thread.join().expect("all cores ended well");
    assert_eq!(stats.open(), 0);
}

#[test]
fn a_connection_does_not_move_to_a_core_that_is_full() {
    let (addr, stop, stats, thread) = start_working(Limits { connections_per_core: 1, ..Limits::default() });
    let (mut one, mut two) = (connect(addr), connect(addr));
    let cores = (ask(&mut one, 0, 1)[0], ask(&mut two, 0, 1)[0]);
    assert_ne!(cores.0, cores.1);
    for _ in 0..5 {
        assert_eq!(ask(&mut one, cores.1, 20), vec![cores.0; 20]);
    }
    assert_eq!(stats.moved(), 0);
    stop.trigger();
    drop((one, two));
    thread.join().expect("all cores ended well");
}
