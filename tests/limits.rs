//! Clients that take and do not give: they cost the node little, and other clients nothing.

mod support;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};
use support::pulse::{Pulse, peak_mib, typical_p99};
use support::{Node, TempDir};

/// Connections that are open and say nothing.
const IDLE: usize = 10_000;
/// Connections that have begun a request and do not end it.
const HALF_OPEN: usize = 1_000;
/// Clients that ask and ask, and never read.
const DEAF: usize = 200;
/// Clients that read a byte now and then.
const SLOW: usize = 50;

/// What the node's memory may grow to, in MiB.
const MEMORY_MAX_MIB: u64 = 1_024;
/// See the test of bombs.
const LATENCY_FLOOR: Duration = Duration::from_millis(25);

#[test]
fn clients_that_misbehave_cost_others_nothing() {
    let folder = TempDir::new("limits");
    let mut node = Node::start(folder.path(), &["--cores", "2"]);
    assert_eq!(node.request("PUT", "/calm/_doc/1?refresh=true", b"{\"a\":\"1\"}").status, 201);
    let large = format!("{{\"a\":\"{}\"}}", "x".repeat(200_000));
    assert_eq!(node.request("PUT", "/large/_doc/1?refresh=true", large.as_bytes()).status, 201);
    let pulse = Pulse::start(&node);
    std::thread::sleep(Duration::from_secs(2));
    let calm = typical_p99(&pulse.take());
    let mut crowd: Vec<TcpStream> = vec![];
    for (what, step) in
        [("idle", idle as fn(&Node, &mut Vec<TcpStream>)), ("half open", half_open), ("deaf", deaf), ("slow", slow)]
    {
        step(&node, &mut crowd);
        let storm = pulse.settles_within(|storm| storm <= (2 * calm).max(LATENCY_FLOOR));
        let (connections, mib) = (crowd.len(), peak_mib(&node));
        eprintln!("{what}: {connections} connections; p99 of others: calm {calm:?}, now {storm:?}; {mib} MiB");
        assert!(storm <= (2 * calm).max(LATENCY_FLOOR), "{what}: calm {calm:?}, now {storm:?}");
    }
    pulse.stop();
    assert!(node.is_running());
    assert!(peak_mib(&node) <= MEMORY_MAX_MIB, "{} MiB", peak_mib(&node));
    drop(crowd);
    assert_eq!(node.request("GET", "/", b"").status, 200);
    let log = std::fs::read_to_string(folder.path().join("node.log")).unwrap();
    assert!(!log.contains("panicked"), "{log}");
}

fn idle(node: &Node, crowd: &mut Vec<TcpStream>) {
    // Both ends of a connection are files of this machine, within the limits of two processes.
    let most = IDLE.min(open_files_max() / 2);
    crowd.extend((0..most).map_while(|_| TcpStream::connect(node.addr).ok()));
    assert!(crowd.len() >= most * 9 / 10, "only {} connections", crowd.len());
}

fn half_open(node: &Node, crowd: &mut Vec<TcpStream>) {
    let beginnings: [&[u8]; 4] = [
        b"GET / HT",
        b"POST /_bulk HTTP/1.1\r\nHost: a\r\nX-A: ",
        b"POST /_bulk HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100000000\r\n\r\n{",
        b"POST /_bulk HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nfffffff\r\n{",
    ];
    for n in 0..HALF_OPEN {
        let mut stream = TcpStream::connect(node.addr).unwrap();
        stream.write_all(beginnings[n % beginnings.len()]).unwrap();
        crowd.push(stream);
    }
}

fn deaf(node: &Node, crowd: &mut Vec<TcpStream>) {
    let request = b"GET /large/_doc/1 HTTP/1.1\r\nHost: a\r\n\r\n".repeat(100);
    for _ in 0..DEAF {
        let mut stream = TcpStream::connect(node.addr).unwrap();
        stream.set_nonblocking(true).unwrap();
        // Until the node takes no more: it may not gather answers that nobody reads.
        for _ in 0..100 {
            if stream.write(&request).is_err() {
                break;
            }
        }
        crowd.push(stream);
    }
}

fn slow(node: &Node, crowd: &mut Vec<TcpStream>) {
    let first = crowd.len();
    for _ in 0..SLOW {
        let mut stream = TcpStream::connect(node.addr).unwrap();
        stream.write_all(b"GET /large/_doc/1 HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
        crowd.push(stream);
    }
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(2) {
        for stream in &mut crowd[first..] {
            stream.read_exact(&mut [0]).unwrap();
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Files that a process may have open here.
fn open_files_max() -> usize {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files")).unwrap_or_default();
    line.split_whitespace().next().and_then(|soft| soft.parse().ok()).unwrap_or(1_024)
}
