//! SMTP: mails handed to a server, one after the other on one connection.

use super::data::{Security, SmtpAccount};
use super::send::Sending;
use super::status::{BAD_GATEWAY, FAILED_DEPENDENCY, Status, UNAVAILABLE};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pith_net::rt::{self, TcpStream};
use pith_net::tls::Stream;
use std::fmt;
use std::io;
use std::time::Duration;

/// What an account says who it is with.
#[derive(Clone, PartialEq, Eq)]
pub struct Login {
    pub username: String,
    pub password: String,
}

/// Bytes and lines that one answer may have.
const ANSWER_BYTES_MAX: usize = 64 << 10;
const READ_BYTES: usize = 4 << 10;

/// Hands a mail for each recipient to the server of an account; a status for each. `mail` makes the headers and body of one.
pub async fn deliver(
    cx: &Sending<'_>,
    account: &SmtpAccount,
    login: Option<&Login>,
    recipients: &[String],
    mail: impl Fn(&str) -> Result<Vec<u8>, Status>,
) -> Vec<Status> {
    let mut line = match begin(cx, account, login).await {
        Ok(line) => line,
        Err(status) => return vec![status; recipients.len()],
    };
    let mut statuses = Vec::with_capacity(recipients.len());
    for to in recipients {
        let mail = match mail(to) {
            Ok(mail) => mail,
            Err(status) => {
                statuses.push(status);
                continue;
            }
        };
        match line.hand_over(&account.from_address, to, &mail).await {
            Ok(()) => statuses.push(Status::new(200, "Success")),
            Err(Failure::Answer(answer)) => {
                statuses.push(Status::new(BAD_GATEWAY, format!("sendEmail Error, status:{answer}")));
            }
            // Nothing more goes over this connection.
            Err(failure) => {
                statuses.resize(recipients.len(), failure.status());
                return statuses;
            }
        }
    }
    // Every mail has its answer: a server that is gone by now, or does not wait for the end, has lost nothing.
    let _ = line.write(b"QUIT\r\n").await;
    statuses
}

/// Connects, agrees on how to go on, and says who it is.
async fn begin(cx: &Sending<'_>, account: &SmtpAccount, login: Option<&Login>) -> Result<Line, Status> {
    let addresses = cx.options.email.resolve(cx, &account.host, account.port).await?;
    let limit = cx.options.socket_timeout;
    let stream = TcpStream::connect_any(&addresses, cx.options.connect_timeout).await.map_err(|error| {
        let at = format!("{}:{}", account.host, account.port);
        Status::new(UNAVAILABLE, format!("sendEmail Error, status:Couldn't connect to host, port: {at}: {error}"))
    })?;
    let line = Line { stream: stream.into(), buf: vec![], is_in_mail: false, limit };
    line.greeted(cx, account, login).await.map_err(|failure| failure.status())
}

/// A connection whose requests and answers are lines.
struct Line {
    stream: Stream,
    /// What was read and not looked at yet.
    buf: Vec<u8>,
    /// A mail was begun and not taken: the server may still hold what it was told of it.
    is_in_mail: bool,
    /// How long one answer may take.
    limit: Duration,
}

/// What the server has answered.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Answer {
    code: u16,
    /// The lines without their codes.
    lines: Vec<String>,
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.code, self.lines.join(" "))
    }
}

/// Why a mail was not handed over.
#[derive(Debug)]
enum Failure {
    /// The server does not want it.
    Answer(Answer),
    Io(io::Error),
    /// The server cannot do what the account wants of it.
    Unfit(&'static str),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl Failure {
    fn status(&self) -> Status {
        let why = match self {
            Self::Answer(answer) => answer.to_string(),
            Self::Io(error) => error.to_string(),
            Self::Unfit(why) => (*why).to_owned(),
        };
        Status::new(FAILED_DEPENDENCY, format!("sendEmail Error, status:{why}"))
    }
}

impl Line {
    /// The connection when both sides have said who they are, secure if the account wants it so.
    async fn greeted(
        mut self,
        cx: &Sending<'_>,
        account: &SmtpAccount,
        login: Option<&Login>,
    ) -> Result<Self, Failure> {
        if account.security == Security::Ssl {
            self = self.secure(cx, &account.host).await?;
        }
        self.expect(220).await?;
        let mut offers = self.hello().await?;
        if account.security == Security::StartTls {
            if !offers.iter().any(|offer| offer.eq_ignore_ascii_case("STARTTLS")) {
                return Err(Failure::Unfit("the server does not offer STARTTLS"));
            }
            self.ask("STARTTLS", 220).await?;
            // What came in the clear behind this answer is nobody's that could be known.
            if !self.buf.is_empty() {
                return Err(Failure::Unfit("the server said more before the connection was secure"));
            }
            self = self.secure(cx, &account.host).await?;
            offers = self.hello().await?;
        }
        // In the clear a password would be everybody's.
        if let Some(login) = login.filter(|_| account.security != Security::None) {
            self.log_in(login, &offers).await?;
        }
        Ok(self)
    }

    async fn secure(self, cx: &Sending<'_>, host: &str) -> Result<Self, Failure> {
        let connector = cx.deliveries.connector().await?;
        let stream = self.stream.secure(&connector, host, cx.options.connect_timeout).await?;
        Ok(Self { stream, ..self })
    }

    /// Says hello; the server says what it can do.
    async fn hello(&mut self) -> Result<Vec<String>, Failure> {
        let name = match self.stream.local_addr()?.ip() {
            std::net::IpAddr::V4(v4) => format!("[{v4}]"),
            std::net::IpAddr::V6(v6) => format!("[IPv6:{v6}]"),
        };
        let answer = self.command(&format!("EHLO {name}")).await?;
        if answer.code == 250 { Ok(answer.lines) } else { Err(Failure::Answer(answer)) }
    }

    async fn log_in(&mut self, login: &Login, offers: &[String]) -> Result<(), Failure> {
        let offered = |way: &str| {
            let words = |offer: &String| {
                let upper = offer.to_ascii_uppercase();
                upper.starts_with("AUTH") && upper.split([' ', '=']).any(|word| word == way)
            };
            offers.iter().any(words)
        };
        let Login { username, password } = login;
        if offered("PLAIN") {
            let secret = STANDARD.encode(format!("\0{username}\0{password}"));
            self.ask(&format!("AUTH PLAIN {secret}"), 235).await
        } else if offered("LOGIN") {
            self.ask("AUTH LOGIN", 334).await?;
            self.ask(&STANDARD.encode(username), 334).await?;
            self.ask(&STANDARD.encode(password), 235).await
        } else {
            Err(Failure::Unfit("the server offers neither AUTH PLAIN nor AUTH LOGIN"))
        }
    }

    async fn hand_over(&mut self, from: &str, to: &str, mail: &[u8]) -> Result<(), Failure> {
        if self.is_in_mail {
            self.ask("RSET", 250).await?;
        }
        self.is_in_mail = true;
        self.ask(&format!("MAIL FROM:<{from}>"), 250).await?;
        self.ask(&format!("RCPT TO:<{to}>"), 250).await?;
        self.ask("DATA", 354).await?;
        self.write(&stuffed(mail)).await?;
        self.expect(250).await?;
        self.is_in_mail = false;
        Ok(())
    }

    /// Sends a command whose answer must have this code; 251 is a 250 for another mailbox.
    async fn ask(&mut self, command: &str, code: u16) -> Result<(), Failure> {
        let answer = self.command(command).await?;
        let taken = answer.code == code || (code, answer.code) == (250, 251);
        if taken { Ok(()) } else { Err(Failure::Answer(answer)) }
    }

    async fn expect(&mut self, code: u16) -> Result<(), Failure> {
        let answer = self.answer().await?;
        if answer.code == code { Ok(()) } else { Err(Failure::Answer(answer)) }
    }

    async fn command(&mut self, command: &str) -> Result<Answer, Failure> {
        // Addresses were checked when they were kept; nothing else of a user's is said here but under base 64.
        if command.bytes().any(|byte| byte.is_ascii_control()) {
            return Err(Failure::Unfit("a command holds a control character"));
        }
        self.write(format!("{command}\r\n").as_bytes()).await?;
        Ok(self.answer().await?)
    }

    async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        rt::timeout(self.limit, self.stream.write_all(&[bytes])).await.unwrap_or_else(|| Err(timed_out(self.limit)))
    }

    async fn answer(&mut self) -> io::Result<Answer> {
        let limit = self.limit;
        let read = async {
            loop {
                if let Some((answer, end)) = parse_answer(&self.buf)? {
                    self.buf.drain(..end);
                    return Ok(answer);
                }
                if self.buf.len() > ANSWER_BYTES_MAX {
                    return Err(invalid("the answer is too long"));
                }
                let before = self.buf.len();
                self.buf.resize(before + READ_BYTES, 0);
                let got = self.stream.read(&mut self.buf[before..]).await;
                self.buf.truncate(before + got.as_ref().copied().unwrap_or(0));
                if got? == 0 {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
        };
        rt::timeout(limit, read).await.unwrap_or_else(|| Err(timed_out(limit)))
    }
}

/// The answer that `buf` begins with and where it ends; `None` while it is not complete.
fn parse_answer(buf: &[u8]) -> io::Result<Option<(Answer, usize)>> {
    let (mut lines, mut at) = (vec![], 0);
    while let Some(len) = buf[at..].iter().position(|byte| *byte == b'\n') {
        let line = String::from_utf8_lossy(&buf[at..at + len]);
        let line = line.trim_end_matches('\r');
        at += len + 1;
        let code = line.get(..3).and_then(|code| code.parse::<u16>().ok());
        let (Some(code), sign) = (code.filter(|code| (200..600).contains(code)), line.get(3..4)) else {
            return Err(invalid("the answer is no SMTP"));
        };
        lines.push(line.get(4..).unwrap_or_default().to_owned());
        match sign {
            Some("-") => {}
            None | Some(" ") => return Ok(Some((Answer { code, lines }, at))),
            Some(_) => return Err(invalid("the answer is no SMTP")),
        }
    }
    Ok(None)
}

/// A mail as it goes over the line: lines end in CR LF, a dot at the beginning of one is doubled, and a dot alone ends it.
fn stuffed(mail: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(mail.len() + mail.len() / 32 + 5);
    let (mut begins_line, mut last) = (true, 0);
    for &byte in mail {
        if begins_line && byte == b'.' {
            out.push(b'.');
        }
        if byte == b'\n' && last != b'\r' {
            out.push(b'\r');
        }
        // A CR that no LF follows would be a line's end to some servers and none to others.
        if last == b'\r' && byte != b'\n' {
            out.push(b'\n');
            if byte == b'.' {
                out.push(b'.');
            }
        }
        out.push(byte);
        begins_line = byte == b'\n';
        last = byte;
    }
    match last {
        b'\n' => {}
        b'\r' => out.push(b'\n'),
        _ => out.extend_from_slice(b"\r\n"),
    }
    out.extend_from_slice(b".\r\n");
    out
}

#[cold]
fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cold]
fn timed_out(limit: Duration) -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, format!("no answer within {} ms", limit.as_millis()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_have_one_line_or_more() {
        let read = |text: &str| {
            parse_answer(text.as_bytes()).map(|found| found.map(|(answer, end)| (answer.to_string(), end)))
        };
        assert_eq!(read("250 OK\r\n250 more").unwrap(), Some(("250 OK".into(), 8)));
        assert_eq!(read("250-a\r\n250-b c\r\n250 d\r\n").unwrap(), Some(("250 a b c d".into(), 23)));
        assert_eq!(read("250\r\n").unwrap(), Some(("250 ".into(), 5)));
        assert_eq!(read("250-a\r\n250").unwrap(), None);
        for bad in ["HTTP/1.1 200 OK\r\n", "250x\r\n", "99 a\r\n", "\r\n", "é50 a\r\n"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn dots_and_line_ends_cannot_end_a_mail() {
        let sent = |text: &str| String::from_utf8(stuffed(text.as_bytes())).unwrap();
        assert_eq!(sent("a"), "a\r\n.\r\n");
        assert_eq!(sent("a\r\n.\r\nMAIL"), "a\r\n..\r\nMAIL\r\n.\r\n");
        assert_eq!(sent("a\n.\nb\n"), "a\r\n..\r\nb\r\n.\r\n");
        assert_eq!(sent("a\r.\rb"), "a\r\n..\r\nb\r\n.\r\n");
        assert_eq!(sent(""), "\r\n.\r\n");
    }
}
