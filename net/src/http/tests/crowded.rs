//! What is short beside work that gives way again and again.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use super::*;

/// Requests that work, and how often each has the core for a millisecond.
const WORKERS: usize = 24;
const SLICES: usize = 60;

static DONE: AtomicUsize = AtomicUsize::new(0);

fn work_or_answer(request: Request) -> Answer {
    Box::pin(async move {
        for _ in 0..if request.path() == "/work" { SLICES } else { 0 } {
            let began = Instant::now();
            while began.elapsed() < Duration::from_millis(1) {
                std::hint::spin_loop();
            }
            DONE.fetch_add(1, Ordering::Relaxed);
            rt::give_way().await;
        }
        Response::new(200)
    })
}

#[test]
fn a_short_request_waits_for_some_slices_of_long_ones_not_for_all() {
    let server = start(Limits::default(), work_or_answer);
    let ask = |path: &str| {
        let mut stream = server.connect();
        stream.write_all(format!("GET {path} HTTP/1.1\r\n\r\n").as_bytes()).expect("it reads");
        stream
    };
    let working: Vec<_> = (0..WORKERS).map(|_| ask("/work")).collect();
    while DONE.load(Ordering::Relaxed) < WORKERS {
        thread::sleep(Duration::from_millis(1));
    }
    let answer = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
    // The best of some: the machine may have other things to do.
    let slices = (0..20).map(|_| {
        let before = DONE.load(Ordering::Relaxed);
        // A connection of its own: accepting is part of it.
        expect(&mut ask("/"), answer);
        DONE.load(Ordering::Relaxed) - before
    });
    let fewest = slices.min().expect("there are some");
    // One that waited for its turn among them would meet each of them at least once.
    assert!(fewest < WORKERS, "{fewest} slices while a short request was answered");
    drop(working);
}
