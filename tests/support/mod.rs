//! What the tests from outside share: a node of this build on a free port, and a small blocking HTTP client.
#![allow(dead_code, reason = "each test binary uses its own part of this module")]

pub mod pulse;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A running node. It is killed when dropped.
pub struct Node {
    child: Child,
    pub addr: SocketAddr,
}

impl Node {
    /// Starts a node on `data` and waits until it answers. `args` are added to its command line.
    pub fn start(data: &Path, args: &[&str]) -> Self {
        Self::start_in(data, args, &[])
    }

    /// The same, with these variables in its environment.
    pub fn start_in(data: &Path, args: &[&str], environment: &[(&str, String)]) -> Self {
        let log = std::fs::File::create(data.join("node.log")).expect("the data folder is writable");
        let child = Command::new(env!("CARGO_BIN_EXE_pith"))
            .arg("serve")
            .args(["--data", &data.join("data").to_string_lossy()])
            .args(["--http", "127.0.0.1:0", "--transport", "127.0.0.1:0"])
            // Tests go on where the disk of the machine is nearly full.
            .args(["-E", "cluster.routing.allocation.disk.threshold_enabled=false"])
            .args(args)
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("the pith binary starts");
        let addr = SocketAddr::from(([127, 0, 0, 1], 0));
        let mut node = Self { child, addr };
        node.wait_until_ready(data);
        node
    }

    fn wait_until_ready(&mut self, data: &Path) {
        let started = Instant::now();
        loop {
            if let Some(addr) = listening(data) {
                self.addr = addr;
                if let Ok(Response { status: 200, .. }) = self.try_request("GET", "/", b"") {
                    return;
                }
            }
            let ended = self.child.try_wait().expect("the child can be waited for");
            if ended.is_some() || started.elapsed() > Duration::from_secs(20) {
                let log = std::fs::read_to_string(data.join("node.log")).unwrap_or_default();
                panic!("the node did not come up (ended: {ended:?}); its log:\n{log}");
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// SIGKILL: nothing is flushed.
    pub fn kill(mut self) {
        self.child.kill().expect("the child is ours");
        self.child.wait().expect("a killed child ends");
    }

    /// SIGTERM, and the exit status if the node ends in time.
    pub fn terminate(mut self, within: Duration) -> Option<ExitStatus> {
        let status = Command::new("kill").args(["-TERM", &self.pid().to_string()]).status().expect("kill runs");
        assert!(status.success());
        let deadline = Instant::now() + within;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait().expect("the child can be waited for") {
                return Some(status);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        None
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().expect("the child can be waited for").is_none()
    }

    /// One request on a connection of its own.
    pub fn try_request(&self, method: &str, path: &str, body: &[u8]) -> std::io::Result<Response> {
        Client::connect(self.addr)?.request(method, path, body)
    }

    pub fn request(&self, method: &str, path: &str, body: &[u8]) -> Response {
        self.try_request(method, path, body).unwrap_or_else(|e| panic!("{method} {path}: {e}"))
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        // It may have ended already; either way it is gone afterwards.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Where the node whose log is in this folder has said that it listens. It takes a port itself: one that is merely free when it is
/// looked for may be another node's by the time when it is taken, and that one would answer.
pub fn listening(data: &Path) -> Option<SocketAddr> {
    let log = std::fs::read_to_string(data.join("node.log")).ok()?;
    let (_, rest) = log.split_once("listening http=")?;
    rest.split_once(' ')?.0.parse().ok()
}

pub struct Response {
    pub status: u16,
    pub body: Vec<u8>,
}

impl Response {
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|e| panic!("{e} in response {}: {}", self.status, String::from_utf8_lossy(&self.body)))
    }
}

/// A keep-alive connection.
pub struct Client {
    stream: BufReader<TcpStream>,
}

impl Client {
    pub fn connect(addr: SocketAddr) -> std::io::Result<Self> {
        let stream = TcpStream::connect_timeout(&addr, Duration::from_secs(5))?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        stream.set_nodelay(true)?;
        Ok(Self { stream: BufReader::new(stream) })
    }

    pub fn request(&mut self, method: &str, path: &str, body: &[u8]) -> std::io::Result<Response> {
        let kind = if path.contains("_bulk") { "application/x-ndjson" } else { "application/json" };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: pith\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        let mut request = head.into_bytes();
        request.extend_from_slice(body);
        self.send_raw(&request)?;
        self.read_response(method == "HEAD")
    }

    pub fn send_raw(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.stream.get_mut().write_all(bytes)
    }

    pub fn set_read_timeout(&mut self, timeout: Duration) -> std::io::Result<()> {
        self.stream.get_mut().set_read_timeout(Some(timeout))
    }

    pub fn read_response(&mut self, head_only: bool) -> std::io::Result<Response> {
        self.read_answer(head_only).map(|(_, response)| response)
    }

    /// The header lines of an answer, and the answer.
    pub fn read_with_head(&mut self) -> std::io::Result<(String, Response)> {
        self.read_answer(false)
    }

    fn read_answer(&mut self, head_only: bool) -> std::io::Result<(String, Response)> {
        let broken = |what: &str| std::io::Error::new(std::io::ErrorKind::InvalidData, what.to_owned());
        let mut line = String::new();
        if self.stream.read_line(&mut line)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let status = line.split(' ').nth(1).and_then(|s| s.parse().ok()).ok_or_else(|| broken("no status"))?;
        let (mut length, mut head) = (0, String::new());
        loop {
            line.clear();
            if self.stream.read_line(&mut line)? == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            if line.trim().is_empty() {
                break;
            }
            head.push_str(&line);
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().map_err(|_| broken("bad content-length"))?;
            }
        }
        let mut body = vec![0; if head_only || status == 100 { 0 } else { length }];
        self.stream.read_exact(&mut body)?;
        Ok((head, Response { status, body }))
    }
}

/// A folder that is removed when dropped.
pub struct TempDir(PathBuf);

impl TempDir {
    pub fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("the target folder is writable");
        Self(folder)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        // A failed test leaves its folder behind to be looked at.
        if !std::thread::panicking() {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}

/// A small generator of random numbers (SplitMix64), so that a failure can be run again from its seed.
pub struct Rng(pub u64);

impl Rng {
    /// Seeded from `PITH_SEED`, or from the clock; the seed is printed.
    pub fn from_env() -> Self {
        let seed = std::env::var("PITH_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or_else(|| {
            let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            since.map_or(1, |d| d.as_nanos() as u64)
        });
        eprintln!("PITH_SEED={seed}");
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, which must not be 0.
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}
