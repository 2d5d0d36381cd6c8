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

/// Clients that send a byte now and then.
const SLOW_WRITERS: usize = 50;
/// Requests of each kind that are floods or bombs by themselves.
const FLOODS: usize = 100;
const BOMBS: usize = 4;

/// What the node's memory may grow to, in MiB.
const MEMORY_MAX_MIB: u64 = 1_024;
/// See the test of bombs.
const LATENCY_FLOOR: Duration = Duration::from_millis(25);

type Step = fn(&Node, &mut Vec<TcpStream>);

/// What comes one after the other, all of which stays.
const STEPS: [(&str, Step); 8] = [
    ("idle", idle),
    ("half open", half_open),
    ("deaf", deaf),
    ("slow readers", slow),
    ("slow writers", slow_writers),
    ("header floods", header_floods),
    ("chunked bombs", chunked_bombs),
    ("gzip bombs", gzip_bombs),
];

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
    for (what, step) in STEPS {
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

fn slow_writers(node: &Node, crowd: &mut Vec<TcpStream>) {
    let first = crowd.len();
    let request = b"POST /_bulk HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-ndjson\r\nContent-Length: 1000\r\n\r\n{\"index\":{}}";
    for _ in 0..SLOW_WRITERS {
        crowd.push(TcpStream::connect(node.addr).unwrap());
    }
    for byte in &request[..40] {
        crowd[first..].iter_mut().for_each(|stream| stream.write_all(&[*byte]).unwrap());
        std::thread::sleep(Duration::from_millis(25));
    }
}

/// The status of the answer to what is sent, which need not be taken whole.
fn status_of(node: &Node, pieces: impl IntoIterator<Item = Vec<u8>>) -> u16 {
    let mut stream = TcpStream::connect(node.addr).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    for piece in pieces {
        // A node that has refused reads no more.
        if stream.write_all(&piece).is_err() {
            break;
        }
    }
    let mut line = [0; 12];
    stream.read_exact(&mut line).expect("there is an answer");
    let text = String::from_utf8_lossy(&line[9..]).into_owned();
    text.parse().unwrap_or_else(|_| panic!("no status: {text}"))
}

fn header_floods(node: &Node, _: &mut Vec<TcpStream>) {
    let many = "X-A: 1\r\n".repeat(10_000);
    let long = format!("X-A: {}\r\n", "a".repeat(1 << 20));
    let line = format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "a".repeat(1 << 20));
    for n in 0..FLOODS {
        let request = match n % 3 {
            0 => format!("GET / HTTP/1.1\r\nHost: a\r\n{many}\r\n"),
            1 => format!("GET / HTTP/1.1\r\nHost: a\r\n{long}\r\n"),
            _ => line.clone(),
        };
        let status = status_of(node, [request.into_bytes()]);
        assert!((400..500).contains(&status), "{status} to flood {n}");
    }
}

fn chunked_bombs(node: &Node, _: &mut Vec<TcpStream>) {
    let head =
        b"POST /calm/_doc HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    for _ in 0..BOMBS {
        // More than a body may have, in chunks that each are fine.
        let chunk = [b"100000\r\n".as_slice(), &vec![b' '; 1 << 20], b"\r\n"].concat();
        let pieces = std::iter::once(head.to_vec()).chain(std::iter::repeat_n(chunk, 120));
        assert_eq!(status_of(node, pieces), 413);
        // A length that no number holds, and a line of a chunk's length that does not end.
        for size in
            ["ffffffffffffffffff\r\n".to_owned(), "0".repeat(1 << 20), format!("1;{}\r\na", "x".repeat(1 << 20))]
        {
            let status = status_of(node, [head.to_vec(), size.into_bytes()]);
            assert!((400..500).contains(&status), "{status}");
        }
        // A megabyte in chunks of a byte each is only slow.
        let mut tiny = head.to_vec();
        (0..1 << 20).for_each(|_| tiny.extend_from_slice(b"1\r\n \r\n"));
        tiny.extend_from_slice(b"2\r\n{}\r\n0\r\n\r\n");
        assert_eq!(status_of(node, [tiny]), 201);
    }
}

fn gzip_bombs(node: &Node, _: &mut Vec<TcpStream>) {
    let bomb = gzip_of_spaces(1 << 30);
    let head = format!(
        "POST /calm/_doc HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
        bomb.len()
    );
    for _ in 0..BOMBS {
        let status = status_of(node, [head.clone().into_bytes(), bomb.clone()]);
        assert!([400, 413].contains(&status), "{status}");
    }
}

/// So many blanks, a thousandth of it.
fn gzip_of_spaces(bytes: usize) -> Vec<u8> {
    let mut coder = flate2::write::GzEncoder::new(vec![], flate2::Compression::best());
    let blanks = vec![b' '; 1 << 20];
    (0..bytes >> 20).for_each(|_| coder.write_all(&blanks).unwrap());
    coder.finish().unwrap()
}

/// Files that a process may have open here.
fn open_files_max() -> usize {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files")).unwrap_or_default();
    line.split_whitespace().next().and_then(|soft| soft.parse().ok()).unwrap_or(1_024)
}
