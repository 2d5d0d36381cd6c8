//! Asking other servers: one connection, one request at a time, answers of bounded size.

use std::{io, net::SocketAddr, time::Duration};

use super::{chunked::Chunked, limits::Limits, request::Method};
use crate::{
    rt::{self, TcpStream},
    tls::{Connector, Stream},
};

/// Lines of headers that an answer may have.
const HEADERS_MAX: usize = 128;
/// What is read from the socket at once.
const READ_BYTES: usize = 64 << 10;

/// Where a connection goes and how long it waits.
#[derive(Clone, Debug)]
pub struct ClientConfig {
    /// The value of the `Host` header.
    pub host: String,
    pub connect_timeout: Duration,
    /// Without progress while an answer is waited for or arrives.
    pub read_timeout: Duration,
    /// Bytes of the body of an answer.
    pub body_bytes: usize,
}

/// What a server has answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    pub status: u16,
    /// What stands behind the status in the first line.
    pub phrase: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// One request.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    pub method: Method,
    /// Path and query string, escaped.
    pub target: &'a str,
    pub headers: &'a [(String, String)],
    pub body: &'a [u8],
}

/// A keep-alive connection to one server.
pub struct Client {
    stream: Stream,
    config: ClientConfig,
    /// Whether another request may follow the last one.
    open: bool,
}

impl Client {
    /// Connects to the first of the addresses that takes the connection; the error is that of the last one.
    pub async fn connect(addresses: &[SocketAddr], config: ClientConfig) -> io::Result<Self> {
        let stream = TcpStream::connect_any(addresses, config.connect_timeout).await?;
        Ok(Self { stream: stream.into(), config, open: true })
    }

    /// The same under TLS; the server must prove that it is `name` (a host's name or an address, without a port).
    pub async fn connect_secure(
        addresses: &[SocketAddr],
        config: ClientConfig,
        connector: &Connector,
        name: &str,
    ) -> io::Result<Self> {
        let Self { stream, config, open } = Self::connect(addresses, config).await?;
        let stream = stream.secure(connector, name, config.connect_timeout).await?;
        Ok(Self { stream, config, open })
    }

    /// Whether another request may be sent.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Sends a request and reads its answer. After an error the connection is of no use any more.
    pub async fn ask(&mut self, ask: &Ask<'_>) -> io::Result<Reply> {
        self.open = false;
        let head = head_of(ask, &self.config.host)?;
        let limit = self.config.read_timeout;
        let sent = rt::timeout(limit, self.stream.write_all(&[&head, ask.body])).await;
        sent.ok_or_else(|| timed_out(limit))??;
        let mut buf = vec![];
        let (head, end) = loop {
            if let Some(found) = read_head(&buf)? {
                // An interim answer precedes the one that is meant.
                if found.0.status >= 200 {
                    break found;
                }
                buf.drain(..found.1);
                continue;
            }
            if buf.len() > Limits::default().header_bytes {
                return Err(invalid("the head of the answer is too long"));
            }
            if self.read(&mut buf).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        };
        buf.drain(..end);
        let body = self.body(&head, buf, ask.method == Method::Head).await?;
        self.open = head.keeps_open;
        Ok(Reply { status: head.status, phrase: head.phrase, headers: head.headers, body })
    }

    async fn body(&mut self, head: &Head, mut buf: Vec<u8>, without: bool) -> io::Result<Vec<u8>> {
        let max = self.config.body_bytes;
        if without || matches!(head.status, 204 | 304) {
            return Ok(vec![]);
        }
        match head.framing {
            Framing::Length(length) => {
                let length =
                    usize::try_from(length).ok().filter(|length| *length <= max).ok_or_else(|| too_long(max))?;
                while buf.len() < length {
                    if self.read(&mut buf).await? == 0 {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                buf.truncate(length);
                Ok(buf)
            }
            Framing::Chunked => self.chunks(buf, max).await,
            Framing::UntilClose => {
                while buf.len() <= max {
                    if self.read(&mut buf).await? == 0 {
                        return Ok(buf);
                    }
                }
                Err(too_long(max))
            }
        }
    }

    async fn chunks(&mut self, mut buf: Vec<u8>, max: usize) -> io::Result<Vec<u8>> {
        let (mut chunked, mut body, limits) = (Chunked::new(), vec![], Limits::default());
        loop {
            let fed = chunked.feed(&buf, &limits, |data| {
                // One byte too many is enough to see that it is too much.
                body.extend_from_slice(&data[..data.len().min((max + 1).saturating_sub(body.len()))]);
            });
            fed.map_err(|refusal| invalid(&refusal.reason))?;
            if body.len() > max {
                return Err(too_long(max));
            }
            if chunked.is_done() {
                return Ok(body);
            }
            buf.clear();
            if self.read(&mut buf).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }

    /// Reads what is there to the end of `buf`.
    async fn read(&mut self, buf: &mut Vec<u8>) -> io::Result<usize> {
        let (before, limit) = (buf.len(), self.config.read_timeout);
        buf.resize(before + READ_BYTES, 0);
        let got = rt::timeout(limit, self.stream.read(&mut buf[before..])).await;
        let got = got.unwrap_or_else(|| Err(timed_out(limit)));
        buf.truncate(before + got.as_ref().copied().unwrap_or(0));
        got
    }
}

fn head_of(ask: &Ask<'_>, host: &str) -> io::Result<Vec<u8>> {
    let plain = |text: &str| !text.bytes().any(|byte| byte.is_ascii_control());
    if ask.target.contains(' ') || !plain(ask.target) || !plain(host) {
        return Err(invalid("the target of the request is not escaped"));
    }
    let mut head = format!("{} {} HTTP/1.1\r\nHost: {host}\r\n", ask.method.as_str(), ask.target);
    for (name, value) in ask.headers {
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b':') || !plain(value) {
            return Err(invalid("a header of the request holds what no header may hold"));
        }
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str(&format!("Content-Length: {}\r\n\r\n", ask.body.len()));
    Ok(head.into_bytes())
}

struct Head {
    status: u16,
    phrase: String,
    headers: Vec<(String, String)>,
    framing: Framing,
    keeps_open: bool,
}

#[derive(Debug, PartialEq)]
enum Framing {
    Length(u64),
    Chunked,
    UntilClose,
}

/// The head that `buf` begins with and where it ends; `None` while it is not complete.
fn read_head(buf: &[u8]) -> io::Result<Option<(Head, usize)>> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
    let mut answer = httparse::Response::new(&mut headers);
    let end = match answer.parse(buf) {
        Ok(httparse::Status::Complete(end)) => end,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(error) => return Err(invalid(&format!("the answer is no HTTP: {error}"))),
    };
    let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
    let headers: Vec<(String, String)> =
        answer.headers.iter().map(|header| (header.name.to_owned(), text(header.value))).collect();
    let find = |name: &str| headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim());
    let framing = match (find("transfer-encoding"), find("content-length")) {
        (Some(coding), None) if coding.eq_ignore_ascii_case("chunked") => Framing::Chunked,
        (Some(_), _) => return Err(invalid("the framing of the answer is ambiguous")),
        (None, Some(length)) => {
            Framing::Length(length.parse().map_err(|_| invalid("the answer has no readable Content-Length"))?)
        }
        (None, None) => Framing::UntilClose,
    };
    let closes = find("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
    let keeps_open = answer.version == Some(1) && !closes && framing != Framing::UntilClose;
    let status = answer.code.ok_or_else(|| invalid("the answer has no status"))?;
    let phrase = answer.reason.unwrap_or_default().to_owned();
    Ok(Some((Head { status, phrase, headers, framing, keeps_open }, end)))
}

#[cold]
fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cold]
fn too_long(max: usize) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, format!("the answer is longer than {max} bytes"))
}

#[cold]
fn timed_out(limit: Duration) -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, format!("{} milliseconds timeout", limit.as_millis()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    /// A server that answers each request with the next of `answers`, whatever it is asked.
    fn server(answers: Vec<&'static [u8]>) -> SocketAddr {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("somebody connects");
            let mut buf = [0; 4096];
            for answer in answers {
                // A client that has read enough hangs up, which is no failure here.
                let _ = stream.read(&mut buf);
                // In two pieces, so that heads and chunks arrive in parts.
                let (first, rest) = answer.split_at(answer.len() / 2);
                let _ = stream.write_all(first).and_then(|()| stream.flush());
                std::thread::sleep(Duration::from_millis(5));
                let _ = stream.write_all(rest);
            }
        });
        address
    }

    fn ask(answers: Vec<&'static [u8]>, body_bytes: usize) -> Vec<Result<(u16, String), io::ErrorKind>> {
        let (count, address) = (answers.len(), server(answers));
        let got = rt::block_on(move || async move {
            let (limit, host) = (Duration::from_millis(300), address.to_string());
            let config = ClientConfig { host, connect_timeout: limit, read_timeout: limit, body_bytes };
            let mut client = Client::connect(&[address], config).await.expect("it listens");
            let mut got = vec![];
            for _ in 0..count {
                let ask = Ask { method: Method::Post, target: "/x", headers: &[], body: b"{}" };
                let reply = client.ask(&ask).await;
                got.push(reply.map(|reply| (reply.status, String::from_utf8_lossy(&reply.body).into_owned())));
            }
            got
        });
        got.into_iter().map(|reply| reply.map_err(|error| error.kind())).collect()
    }

    #[test]
    fn answers_of_all_framings_are_read_on_one_connection() {
        let got = ask(
            vec![
                b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
                b"HTTP/1.1 404 Not Found\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
                b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
            ],
            100,
        );
        assert_eq!(got, [Ok((200, "hello".into())), Ok((404, "abcde".into())), Ok((204, String::new()))]);
    }

    #[test]
    fn answers_that_are_too_long_or_none_are_errors() {
        let one = |answer: &'static [u8]| ask(vec![answer], 4).remove(0);
        assert_eq!(one(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"), Err(io::ErrorKind::FileTooLarge));
        let chunks = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffff\r\nhello";
        assert_eq!(one(chunks), Err(io::ErrorKind::FileTooLarge));
        assert_eq!(one(b"SMTP ready\r\n\r\n"), Err(io::ErrorKind::InvalidData));
        let both = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n0\r\n\r\n";
        assert_eq!(one(both), Err(io::ErrorKind::InvalidData));
        assert_eq!(one(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab"), Err(io::ErrorKind::UnexpectedEof));
    }

    #[test]
    fn nothing_is_smuggled_into_a_request() {
        let headers = vec![("X-A".to_owned(), "1\r\nX-B: 2".to_owned())];
        let ask = |target, headers| Ask { method: Method::Get, target, headers, body: b"" };
        assert!(head_of(&ask("/", &headers), "h").is_err());
        assert!(head_of(&ask("/a b", &[]), "h").is_err());
        assert_eq!(
            head_of(&ask("/", &[]), "h:1").unwrap(),
            b"GET / HTTP/1.1\r\nHost: h:1\r\nContent-Length: 0\r\n\r\n"
        );
    }
}
