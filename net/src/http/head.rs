//! Start line and header lines. [`Scan`] finds where a head ends and refuses what no two parsers agree on; [`parse`] reads it.

use std::mem::MaybeUninit;

use super::{
    limits::Limits,
    refusal::Refusal,
    request::{Headers, Method, Version},
};

/// Everything before the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    pub method: Method,
    pub version: Version,
    pub headers: Headers,
    pub framing: Framing,
    pub keep_alive: bool,
    pub expects_continue: bool,
}

/// How the end of the body is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    Length(u64),
    Chunked,
}

/// Looks for the end of a head in a buffer that grows. Every byte is looked at once.
#[derive(Clone, Debug, Default)]
pub(super) struct Scan {
    /// Where the head begins: empty lines before it are skipped.
    pub start: usize,
    line_start: usize,
    scanned: usize,
    header_bytes: usize,
}

impl Scan {
    /// The position behind the empty line that ends the head; `None` when it has not arrived.
    pub fn find_end(&mut self, buf: &[u8], limits: &Limits) -> Result<Option<usize>, Refusal> {
        while let Some(offset) = memchr::memchr(b'\n', &buf[self.scanned..]) {
            let end = self.scanned + offset;
            let line = &buf[self.line_start..end];
            let Some((b'\r', line)) = line.split_last() else { return Err(Refusal::line_separator()) };
            if line.is_empty() && self.line_start > self.start {
                return Ok(Some(end + 1));
            }
            if line.is_empty() {
                self.start = end + 1;
            } else {
                self.check_line(line, limits)?;
            }
            self.line_start = end + 1;
            self.scanned = end + 1;
        }
        self.scanned = buf.len();
        let rest = &buf[self.line_start..];
        let complete = rest.strip_suffix(b"\r").unwrap_or(rest);
        if memchr::memchr(b'\r', complete).is_some() {
            return Err(bare_cr());
        }
        self.check_length(complete.len(), limits)?;
        Ok(None)
    }

    /// Forgets the empty lines before the head and returns how many bytes they were; the buffer begins behind them from now on.
    pub fn skip_start(&mut self) -> usize {
        let skipped = std::mem::take(&mut self.start);
        self.line_start -= skipped;
        self.scanned -= skipped;
        skipped
    }

    fn check_line(&mut self, line: &[u8], limits: &Limits) -> Result<(), Refusal> {
        if memchr::memchr(b'\r', line).is_some() {
            return Err(bare_cr());
        }
        self.check_length(line.len(), limits)?;
        if self.line_start > self.start {
            if matches!(line[0], b' ' | b'\t') {
                return Err(Refusal::bad_request("a header line must not continue on the next line (obs-fold)"));
            }
            self.header_bytes += line.len();
        }
        Ok(())
    }

    fn check_length(&self, line_len: usize, limits: &Limits) -> Result<(), Refusal> {
        if self.line_start == self.start {
            if line_len > limits.line_bytes {
                return Err(Refusal::line_too_long(limits.line_bytes));
            }
        } else if self.header_bytes + line_len > limits.header_bytes {
            return Err(Refusal::headers_too_long(limits.header_bytes));
        }
        Ok(())
    }
}

fn bare_cr() -> Refusal {
    Refusal::bad_request("a Carriage Return must be followed by a Line Feed")
}

/// What a complete head turned out to be.
#[derive(Debug)]
pub(super) enum Outcome {
    Head(Head),
    /// An unknown method or version: the connection is closed without a word, as the reference does.
    Unknown,
}

/// How many header lines httparse is given room for at most, whatever the limits say.
const HEADERS_MAX: usize = 256;

/// Reads a head that [`Scan`] has found complete.
pub(super) fn parse(bytes: &[u8], limits: &Limits) -> Result<Outcome, Refusal> {
    let mut storage = [const { MaybeUninit::uninit() }; HEADERS_MAX];
    let room = &mut storage[..limits.headers_count.min(HEADERS_MAX)];
    let mut request = httparse::Request::new(&mut []);
    match request.parse_with_uninit_headers(bytes, room) {
        Ok(httparse::Status::Complete(len)) if len == bytes.len() => {}
        Ok(_) => return Err(Refusal::not_http()),
        Err(httparse::Error::Version) if names_a_version(bytes) => return Ok(Outcome::Unknown),
        Err(error) => return Err(describe(error, bytes, limits)),
    }
    let (Some(method), Some(target), Some(version)) = (request.method, request.path, request.version) else {
        return Err(Refusal::not_http());
    };
    let Some(method) = Method::parse(method) else { return Ok(Outcome::Unknown) };
    let mut headers = Headers::with_capacity(bytes.len(), request.headers.len());
    headers.set_target(origin_form(target).as_bytes());
    let mut fields = Fields::default();
    for header in request.headers.iter() {
        fields.read(header)?;
        headers.push(header.name, header.value);
    }
    let version = if version == 0 { Version::Http10 } else { Version::Http11 };
    Ok(Outcome::Head(Head {
        method,
        version,
        headers,
        framing: fields.framing(version)?,
        keep_alive: if version == Version::Http10 { fields.keep_alive && !fields.close } else { !fields.close },
        // HTTP/1.0 knows no interim answers; the header is ignored there.
        expects_continue: fields.expects_continue && version == Version::Http11,
    }))
}

/// The headers that mean something to the connection.
#[derive(Default)]
struct Fields<'a> {
    lengths: Vec<&'a [u8]>,
    codings: Vec<&'a [u8]>,
    close: bool,
    keep_alive: bool,
    expects_continue: bool,
}

impl<'a> Fields<'a> {
    fn read(&mut self, header: &httparse::Header<'a>) -> Result<(), Refusal> {
        let name = header.name;
        // Told apart by length first: most headers are none of these.
        match name.len() {
            6 if name.eq_ignore_ascii_case("expect") => {
                if !header.value.eq_ignore_ascii_case(b"100-continue") {
                    return Err(Refusal::expectation());
                }
                self.expects_continue = true;
            }
            10 if name.eq_ignore_ascii_case("connection") => {
                for token in header.value.split(|&byte| byte == b',').map(<[u8]>::trim_ascii) {
                    self.close |= token.eq_ignore_ascii_case(b"close");
                    self.keep_alive |= token.eq_ignore_ascii_case(b"keep-alive");
                }
            }
            14 if name.eq_ignore_ascii_case("content-length") => self.lengths.push(header.value),
            17 if name.eq_ignore_ascii_case("transfer-encoding") => self.codings.push(header.value),
            _ => {}
        }
        Ok(())
    }

    fn framing(&self, version: Version) -> Result<Framing, Refusal> {
        match (self.lengths.as_slice(), self.codings.as_slice()) {
            ([], []) => Ok(Framing::Length(0)),
            ([length], []) => content_length(length),
            ([], [coding]) if coding.eq_ignore_ascii_case(b"chunked") && version == Version::Http11 => {
                Ok(Framing::Chunked)
            }
            ([], [_]) if version == Version::Http10 => {
                Err(Refusal::bad_request("Transfer-Encoding is not allowed in HTTP/1.0 messages"))
            }
            ([], [coding]) => Err(Refusal::new(
                501,
                "illegal_argument_exception",
                format!("Transfer-Encoding [{}] is not supported, only chunked is", coding.escape_ascii()),
            )),
            ([], _) => Err(Refusal::bad_request("Multiple Transfer-Encoding headers found")),
            (lengths, []) => {
                let lengths: Vec<String> = lengths.iter().map(|length| length.escape_ascii().to_string()).collect();
                Err(Refusal::bad_request(format!("Multiple Content-Length values found: [{}]", lengths.join(", "))))
            }
            _ => Err(Refusal::new(
                400,
                "content_length_not_allowed_exception",
                "Content-Length are not allowed in HTTP/1.1 messages that contains a Transfer-Encoding header.",
            )),
        }
    }
}

/// Digits and nothing else: no sign, no list, no blanks inside. Nineteen digits always fit.
fn content_length(value: &[u8]) -> Result<Framing, Refusal> {
    if value.is_empty() || value.len() > 19 || !value.iter().all(u8::is_ascii_digit) {
        return Err(Refusal::bad_request(format!("Content-Length value is not a number: {}", value.escape_ascii())));
    }
    Ok(Framing::Length(value.iter().fold(0, |length, digit| length * 10 + u64::from(digit - b'0'))))
}

/// `http://host/path` becomes `/path`; other targets stay.
fn origin_form(target: &str) -> &str {
    let Some((scheme, rest)) = target.split_once("://") else { return target };
    if !(scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")) {
        return target;
    }
    rest.find(['/', '?']).map_or("/", |at| &rest[at..])
}

/// Whether the start line ends with some HTTP version, however foreign.
fn names_a_version(bytes: &[u8]) -> bool {
    let line = bytes.split(|&byte| byte == b'\r').next().unwrap_or_default();
    line.rsplit(|&byte| byte == b' ').next().is_some_and(|last| last.starts_with(b"HTTP/"))
}

/// Finds out what httparse did not like, in the reference's words.
fn describe(error: httparse::Error, bytes: &[u8], limits: &Limits) -> Refusal {
    match error {
        httparse::Error::TooManyHeaders => Refusal::headers_too_long(limits.header_bytes),
        httparse::Error::HeaderName | httparse::Error::HeaderValue | httparse::Error::NewLine => bytes
            .split(|&byte| byte == b'\n')
            .skip(1)
            .find_map(|line| describe_line(line.strip_suffix(b"\r").unwrap_or(line)))
            .unwrap_or_else(Refusal::not_http),
        _ => Refusal::not_http(),
    }
}

fn describe_line(line: &[u8]) -> Option<Refusal> {
    if line.is_empty() {
        return None;
    }
    let colon = memchr::memchr(b':', line);
    let name = &line[..colon.unwrap_or(line.len())];
    if let Some(at) = name.iter().position(|&byte| !is_token(byte)) {
        return Some(Refusal::bad_request(format!(
            "a header name can only contain \"token\" characters, but found invalid character 0x{:x} at index {at} of header '{}'.",
            name[at],
            name.escape_ascii()
        )));
    }
    if name.is_empty() || colon.is_none() {
        return Some(Refusal::bad_request(format!("No colon found in header line '{}'", line.escape_ascii())));
    }
    let value = line[name.len() + 1..].trim_ascii();
    let at = value.iter().position(|&byte| byte.is_ascii_control() && byte != b'\t')?;
    let mut refusal = Refusal::bad_request(format!("Validation failed for header '{}'", name.escape_ascii()));
    refusal.cause = Some(format!("a header value contains prohibited character 0x{:x} at index {at}.", value[at]));
    Some(refusal)
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}
