//! A server of two cores against plain blocking sockets, and the parser against random input.

mod crowded;
mod fuzz;
mod moving;
mod secure;
mod smuggling;
mod wire;

use std::{
    future::Future,
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    pin::Pin,
    rc::Rc,
    sync::{Arc, Mutex, mpsc},
    thread,
    time::Duration,
};

use super::*;
use crate::{
    rt::{self, StopSignal, Topology},
    tls::Acceptor,
};

type Answer = Pin<Box<dyn Future<Output = Response>>>;

/// A running server; dropping it stops it and checks that all cores ended well.
struct Server {
    addr: SocketAddr,
    stop: StopSignal,
    stats: ServerStats,
    thread: Option<thread::JoinHandle<()>>,
}

fn start(limits: Limits, handler: fn(Request) -> Answer) -> Server {
    start_with(limits, handler, None)
}

fn start_with(limits: Limits, handler: fn(Request) -> Answer, tls: Option<Acceptor>) -> Server {
    let (listener, addr) = listen("127.0.0.1:0".parse().expect("an address")).expect("a free port");
    let seats = seats(listener, 2);
    let stats = seats[0].stats();
    let stop = StopSignal::new();
    let config = Config { limits, error_page, stop: stop.clone(), tls };
    let seats = Arc::new(Mutex::new(seats.into_iter().map(Some).collect::<Vec<_>>()));
    // On a busy machine it takes a while until the cores run; tests that count time begin when they do.
    let (up, running) = mpsc::channel();
    let thread = thread::spawn(move || {
        let ended = rt::run(&Topology::first(2), move |core| {
            let seat = seats.lock().expect("nobody panics here")[core].take().expect("one core, one seat");
            let (serving, up) = (serve(seat, config.clone(), Rc::new(handler), Rc::new(note_gone)), up.clone());
            async move {
                let _ = up.send(());
                serving.await;
            }
        })
        .expect("executors start");
        assert_eq!(ended, vec![Ok(()); 2]);
    });
    for _ in 0..2 {
        running.recv().expect("both cores start");
    }
    Server { addr, stop, stats, thread: Some(thread) }
}

fn error_page(refusal: &Refusal) -> Response {
    Response::new(refusal.status).body(refusal.reason.to_string())
}

/// What clients waited for that are gone.
static GONE: Mutex<Vec<u64>> = Mutex::new(vec![]);

fn note_gone(work: u64) {
    GONE.lock().expect("nobody panics here").push(work);
}

/// Answers with what it was asked.
fn echo(request: Request) -> Answer {
    Box::pin(async move {
        match request.path() {
            "/panic" => panic!("the handler panicked"),
            "/awaited" => {
                request.peer.waits_for(request.query().parse().expect("a number"));
                rt::sleep(Duration::from_millis(2_000)).await;
            }
            "/slow" => rt::sleep(Duration::from_millis(100)).await,
            "/big" => return Response::new(200).body(vec![bytes::Bytes::from(vec![b'x'; 300_000]); 10]),
            _ => {}
        }
        let body = String::from_utf8_lossy(&request.body).into_owned();
        Response::new(200).header("content-type", "text/plain").body(format!(
            "{} {} {}",
            request.method,
            request.target(),
            body
        ))
    })
}

impl Server {
    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.addr).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(5))).expect("a socket option");
        stream
    }

    /// Sends the bytes, ends the sending side and returns all that comes back.
    fn exchange(&self, request: impl AsRef<[u8]>) -> String {
        let mut stream = self.connect();
        stream.write_all(request.as_ref()).expect("it reads");
        stream.shutdown(std::net::Shutdown::Write).expect("it is open");
        read_all(stream)
    }
}

fn read_all(mut stream: TcpStream) -> String {
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("it answers and closes");
    answer.iter().map(|&byte| char::from(byte)).collect()
}

/// Reads exactly as many bytes as `expected` has and compares.
fn expect(stream: &mut TcpStream, expected: &str) {
    let mut answer = vec![0; expected.len()];
    stream.read_exact(&mut answer).expect("it answers");
    assert_eq!(String::from_utf8_lossy(&answer), expected);
}

fn ok(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.trigger();
        let ended = self.thread.take().expect("dropped once").join();
        if !thread::panicking() {
            ended.expect("all cores ended well");
        }
    }
}
