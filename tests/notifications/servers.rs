//! Servers that notifications are delivered to, each on a thread and a free port of loopback, plain or under TLS.

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// A connection, plain or not.
trait Connection: Read + Write {}
impl<T: Read + Write> Connection for T {}

fn secured(stream: TcpStream) -> StreamOwned<ServerConnection, TcpStream> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/net/src/tls/testdata");
    let certificates = CertificateDer::pem_file_iter(format!("{folder}/cert.pem")).expect("it is there");
    let key = PrivateKeyDer::from_pem_file(format!("{folder}/key.pem")).expect("it is there");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(certificates.collect::<Result<_, _>>().expect("PEM"), key)
        .expect("they go together");
    StreamOwned::new(ServerConnection::new(Arc::new(config)).expect("a connection"), stream)
}

/// Runs `serve` for each connection; what it is given to send arrives at the receiver.
fn start(
    serve: impl Fn(TcpStream, &Sender<String>) -> std::io::Result<()> + Send + 'static,
) -> (u16, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("it is bound").port();
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            stream.set_read_timeout(Some(Duration::from_secs(10))).expect("a socket");
            // A client that hangs up early, or whom the server does not please, is no failure here.
            let _ = serve(stream, &sender);
        }
    });
    (port, receiver)
}

fn next(of: &Receiver<String>) -> String {
    of.recv_timeout(Duration::from_secs(10)).expect("something is delivered")
}

/// Answers requests by their paths, and tells them all.
pub struct HttpServer {
    pub port: u16,
    requests: Receiver<String>,
}

impl HttpServer {
    pub fn start() -> Self {
        let (port, requests) = start(|stream, told| answer(&mut BufReader::new(stream), told));
        Self { port, requests }
    }

    pub fn start_secure() -> Self {
        let (port, requests) = start(|stream, told| answer(&mut BufReader::new(secured(stream)), told));
        Self { port, requests }
    }

    /// The next request, head and body.
    pub fn next(&self) -> String {
        next(&self.requests)
    }

    /// Whether nothing was asked for since.
    pub fn is_idle(&self) -> bool {
        self.requests.try_recv().is_err()
    }
}

fn answer<C: Connection>(client: &mut BufReader<C>, told: &Sender<String>) -> std::io::Result<()> {
    let mut request = String::new();
    while !request.ends_with("\r\n\r\n") {
        if client.read_line(&mut request)? == 0 {
            return Ok(());
        }
    }
    let length = request.lines().find_map(|line| line.strip_prefix("Content-Length: ")).expect("a length");
    let mut body = vec![0; length.parse().expect("a number")];
    client.read_exact(&mut body)?;
    request.push_str(&String::from_utf8_lossy(&body));
    let path = request.split([' ', '?']).nth(1).unwrap_or_default();
    let (status, body) = match path {
        "/empty" => ("200 OK", ""),
        "/gone" => ("410 Gone", "no more of it"),
        "/moved" => ("302 Found\r\nLocation: /hook", ""),
        _ if request.contains("Action=Publish") => {
            ("200 OK", "<PublishResult><MessageId>m-1</MessageId></PublishResult>")
        }
        _ if request.contains("Action=SendRawEmail") => ("200 OK", "<MessageId>m-2</MessageId>"),
        _ if request.contains("Action=AssumeRole") => (
            "200 OK",
            "<AccessKeyId>ROLEKEY</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>token==</SessionToken>",
        ),
        _ => ("200 OK", "thanks"),
    };
    told.send(request).expect("the test listens");
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    client.get_mut().write_all(&[head.as_bytes(), body.as_bytes()].concat())?;
    client.get_mut().flush()
}

/// When a mail server speaks TLS.
#[derive(Clone, Copy, PartialEq)]
pub enum Tls {
    None,
    Start,
    Whole,
}

/// Takes mails for everybody but `nobody@…`, and tells all that was said on a connection.
pub struct SmtpServer {
    pub port: u16,
    said: Receiver<String>,
}

impl SmtpServer {
    pub fn start(tls: Tls) -> Self {
        let (port, said) = start(move |mut stream, told| {
            let mut said = String::new();
            let result = match tls {
                Tls::Whole => converse(&mut secured(stream), &mut said, true, "AUTH LOGIN"),
                Tls::None => converse(&mut stream, &mut said, true, "AUTH LOGIN PLAIN"),
                Tls::Start => {
                    converse(&mut stream, &mut said, true, "STARTTLS")?;
                    converse(&mut secured(stream), &mut said, false, "AUTH LOGIN PLAIN")
                }
            };
            told.send(said).expect("the test listens");
            result
        });
        Self { port, said }
    }

    /// Everything that was said on the next connection.
    pub fn next(&self) -> String {
        next(&self.said)
    }
}

/// Until QUIT, the end, or the wish to go on under TLS.
fn converse(stream: &mut impl Connection, said: &mut String, greets: bool, offers: &str) -> std::io::Result<()> {
    if greets {
        stream.write_all(b"220 test ready\r\n")?;
    }
    let mut in_mail = false;
    loop {
        let line = read_line(stream)?;
        said.push_str(&line);
        let answer = match line.trim_end() {
            "" if line.is_empty() => return Ok(()),
            "." => {
                in_mail = false;
                "250 taken\r\n"
            }
            _ if in_mail => continue,
            "STARTTLS" => {
                stream.write_all(b"220 go on\r\n")?;
                return Ok(());
            }
            "DATA" => {
                in_mail = true;
                "354 go on\r\n"
            }
            "QUIT" => return stream.write_all(b"221 bye\r\n"),
            other if other.starts_with("EHLO ") => &format!("250-test\r\n250-SIZE 1000000\r\n250 {offers}\r\n"),
            // Name and password follow; base 64 of them is "bWU=" and "c2VjcmV0".
            "AUTH LOGIN" => "334 VXNlcm5hbWU6\r\n",
            "bWU=" => "334 UGFzc3dvcmQ6\r\n",
            "c2VjcmV0" => "235 welcome\r\n",
            other if other.starts_with("AUTH PLAIN ") => "235 welcome\r\n",
            other if other.contains("<nobody@") => "550 5.1.1 no such user\r\n",
            _ => "250 fine\r\n",
        };
        stream.write_all(answer.as_bytes())?;
        stream.flush()?;
    }
}

/// A byte at a time: what follows STARTTLS is not for this reader.
fn read_line(stream: &mut impl Connection) -> std::io::Result<String> {
    let (mut line, mut byte) = (vec![], [0]);
    while !line.ends_with(b"\n") && stream.read(&mut byte)? == 1 {
        line.push(byte[0]);
    }
    Ok(String::from_utf8_lossy(&line).into_owned())
}
