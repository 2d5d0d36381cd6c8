//! A client that is served while others misbehave, and what a node took.

use super::{Client, Node};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Another client: small requests all the time.
pub struct Pulse {
    latencies: Arc<Mutex<Vec<Duration>>>,
    ends: Arc<AtomicBool>,
    thread: std::thread::JoinHandle<()>,
}

impl Pulse {
    pub fn start(node: &Node) -> Self {
        let (latencies, ends) = (Arc::new(Mutex::new(vec![])), Arc::new(AtomicBool::new(false)));
        let (written, ending, addr) = (latencies.clone(), ends.clone(), node.addr);
        let thread = std::thread::spawn(move || {
            let mut client = Client::connect(addr).unwrap();
            while !ending.load(Ordering::Relaxed) {
                let began = Instant::now();
                let answer = client.request("GET", "/calm/_search?q=a:1", b"").expect("others are served");
                assert_eq!(answer.status, 200);
                written.lock().unwrap().push(began.elapsed());
                std::thread::sleep(Duration::from_millis(2));
            }
        });
        Self { latencies, ends, thread }
    }

    /// What requests took since the last call.
    pub fn take(&self) -> Vec<Duration> {
        std::mem::take(&mut self.latencies.lock().unwrap())
    }

    /// The typical p99 of a second from now, once it is what it should be; else that of the last of some seconds. A machine that
    /// others use is slow for seconds at a time.
    pub fn settles_within(&self, is_fine: impl Fn(Duration) -> bool) -> Duration {
        const SECONDS_MAX: usize = 10;
        let mut found = Duration::MAX;
        for _ in 0..SECONDS_MAX {
            self.take();
            std::thread::sleep(Duration::from_secs(1));
            found = typical_p99(&self.take());
            if is_fine(found) {
                break;
            }
        }
        found
    }

    pub fn stop(self) {
        self.ends.store(true, Ordering::Relaxed);
        self.thread.join().expect("the other client met no error");
    }
}

/// The median of the 99th percentiles of slices: a machine that others use holds everybody up now and then.
pub fn typical_p99(latencies: &[Duration]) -> Duration {
    const SLICE: usize = 100;
    let p99 = |slice: &[Duration]| {
        let mut sorted = slice.to_vec();
        sorted.sort_unstable();
        sorted[sorted.len() * 98 / 100]
    };
    let mut slices: Vec<Duration> = latencies.chunks(SLICE).filter(|slice| slice.len() > SLICE / 4).map(p99).collect();
    assert!(!slices.is_empty(), "the other client was hardly served: {} requests", latencies.len());
    slices.sort_unstable();
    slices[slices.len() / 2]
}

/// The most memory that the node ever had.
pub fn peak_mib(node: &Node) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", node.pid())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) / 1024
}
