//! A small blocking HTTP/1.1 client: one connection, one request at a time, bodies of known length or in chunks.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const ANSWER_TIMEOUT: Duration = Duration::from_secs(300);
/// Answers longer than this are an error: a bulk answer is a few hundred bytes for each document.
const BODY_BYTES_MAX: usize = 256 << 20;
const LINE_BYTES_MAX: u64 = 64 << 10;

/// Where a server is: what `http://user:password@host:port/prefix` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    host: String,
    port: u16,
    prefix: String,
    authorization: Option<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    pub retry_after_s: Option<u64>,
    pub body: Vec<u8>,
}

pub struct Client {
    endpoint: Endpoint,
    connection: Option<BufReader<TcpStream>>,
}

impl Endpoint {
    pub fn parse(url: &str) -> Result<Self, String> {
        use base64::Engine;
        let bad = |what: &str| format!("[{url}] is no URL to load to: {what}");
        if url.starts_with("https://") {
            return Err(bad("only http:// is supported"));
        }
        let rest = url.strip_prefix("http://").ok_or_else(|| bad("it must begin with http://"))?;
        let (authority, prefix) = rest.split_once('/').map_or((rest, String::new()), |(authority, path)| {
            let path = path.trim_end_matches('/');
            (authority, if path.is_empty() { String::new() } else { format!("/{path}") })
        });
        let (user, host) = authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
        let (host, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.contains(']') => {
                (name, port.parse().map_err(|_| bad("the port is no number up to 65535"))?)
            }
            _ => (host, 9200),
        };
        let host = host.trim_matches(['[', ']']);
        if host.is_empty() {
            return Err(bad("the host is missing"));
        }
        let encoded = |user: &str| format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(user));
        Ok(Self { host: host.to_owned(), port, prefix, authorization: user.map(encoded) })
    }
}

impl Client {
    pub fn new(endpoint: Endpoint) -> Self {
        Self { endpoint, connection: None }
    }

    /// Sends a request and reads the answer. A kept connection that the server has closed meanwhile is made anew once.
    pub fn request(&mut self, method: &str, path: &str, content_type: &str, body: &[u8]) -> io::Result<Answer> {
        let kept = self.connection.is_some();
        match self.attempt(method, path, content_type, body) {
            Err(error) if kept && is_stale(&error) => {
                self.connection = None;
                self.attempt(method, path, content_type, body)
            }
            other => other,
        }
    }

    fn attempt(&mut self, method: &str, path: &str, content_type: &str, body: &[u8]) -> io::Result<Answer> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => BufReader::new(self.connect()?),
        };
        let Endpoint { host, port, prefix, authorization } = &self.endpoint;
        let mut head = format!(
            "{method} {prefix}{path} HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n",
            body.len()
        );
        if let Some(authorization) = authorization {
            head.push_str(&format!("Authorization: {authorization}\r\n"));
        }
        head.push_str("\r\n");
        let stream = connection.get_mut();
        stream.write_all(head.as_bytes())?;
        stream.write_all(body)?;
        let (answer, keep) = read_answer(&mut connection)?;
        if keep {
            self.connection = Some(connection);
        }
        Ok(answer)
    }

    fn connect(&self) -> io::Result<TcpStream> {
        use std::net::ToSocketAddrs;
        let mut last = io::Error::new(io::ErrorKind::NotFound, format!("no address for host [{}]", self.endpoint.host));
        for address in (self.endpoint.host.as_str(), self.endpoint.port).to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, CONNECT_TIMEOUT) {
                Ok(stream) => {
                    stream.set_nodelay(true)?;
                    stream.set_read_timeout(Some(ANSWER_TIMEOUT))?;
                    stream.set_write_timeout(Some(ANSWER_TIMEOUT))?;
                    return Ok(stream);
                }
                Err(error) => last = io::Error::new(error.kind(), format!("cannot connect to {address}: {error}")),
            }
        }
        Err(last)
    }
}

fn is_stale(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(error.kind(), BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof)
}

/// The answer, and whether the connection can be used again.
fn read_answer(connection: &mut impl BufRead) -> io::Result<(Answer, bool)> {
    let malformed = |what: &str| io::Error::new(io::ErrorKind::InvalidData, format!("the server's answer {what}"));
    let line = read_line(connection)?;
    let status: u16 = line
        .strip_prefix("HTTP/1.")
        .and_then(|rest| rest.get(2..5)?.parse().ok())
        .ok_or_else(|| malformed("is not HTTP"))?;
    let (mut length, mut chunked, mut keep, mut retry_after_s) = (None, false, true, None);
    loop {
        let line = read_line(connection)?;
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').ok_or_else(|| malformed("has a header without a colon"))?;
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = Some(value.parse().map_err(|_| malformed("has a length that is no number"))?),
            "transfer-encoding" => chunked = value.eq_ignore_ascii_case("chunked"),
            "connection" => keep = !value.eq_ignore_ascii_case("close"),
            "retry-after" => retry_after_s = value.parse().ok(),
            _ => {}
        }
    }
    let body = match (chunked, length) {
        (true, _) => read_chunks(connection)?,
        (false, Some(length)) => read_exact(connection, length)?,
        (false, None) => return Err(malformed("has no length")),
    };
    Ok((Answer { status, retry_after_s, body }, keep))
}

fn read_line(connection: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    connection.by_ref().take(LINE_BYTES_MAX).read_line(&mut line)?;
    if !line.ends_with('\n') {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the server closed the connection"));
    }
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

fn read_exact(connection: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
    if length > BODY_BYTES_MAX {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("the answer is too long: {length} bytes")));
    }
    let mut body = vec![0; length];
    connection.read_exact(&mut body)?;
    Ok(body)
}

fn read_chunks(connection: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = vec![];
    loop {
        let line = read_line(connection)?;
        let size = line.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(size, 16)
            .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "the server's answer has a bad chunk"))?;
        if size == 0 {
            while !read_line(connection)?.is_empty() {}
            return Ok(body);
        }
        if body.len().saturating_add(size) > BODY_BYTES_MAX {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the answer is too long"));
        }
        body.extend(read_exact(connection, size)?);
        read_line(connection)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls() {
        let plain = Endpoint::parse("http://localhost").unwrap();
        assert_eq!((plain.host.as_str(), plain.port, plain.prefix.as_str()), ("localhost", 9200, ""));
        let full = Endpoint::parse("http://a:b@[::1]:91/x/").unwrap();
        assert_eq!((full.host.as_str(), full.port, full.prefix.as_str()), ("::1", 91, "/x"));
        assert_eq!(full.authorization.as_deref(), Some("Basic YTpi"));
        assert!(Endpoint::parse("https://a").is_err());
        assert!(Endpoint::parse("http://a:x").is_err());
    }

    #[test]
    fn answers() {
        let read = |text: &str| read_answer(&mut text.as_bytes());
        let (answer, keep) = read("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").unwrap();
        assert_eq!((answer.status, answer.body.as_slice(), keep), (200, &b"{}"[..], true));
        let (answer, keep) = read(
            "HTTP/1.1 429 x\r\nRetry-After: 3\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n",
        )
        .unwrap();
        assert_eq!(
            (answer.status, answer.retry_after_s, answer.body.as_slice(), keep),
            (429, Some(3), &b"abc"[..], false)
        );
        assert!(read("HTTP/1.1 200 OK\r\n\r\n").is_err());
        assert!(read("nonsense\r\n\r\n").is_err());
    }
}
