//! What a handler gives, and its bytes.

use std::borrow::Cow;

use bytes::Bytes;

use super::request::{Method, Version};

#[derive(Clone, Debug)]
pub struct Response {
    pub status: u16,
    /// In the order in which they are sent. Content-Length, and Content-Encoding where the client asks for it, are added.
    pub headers: Vec<(Cow<'static, str>, String)>,
    pub body: Body,
}

/// The bytes of an answer; chunks are sent one after the other without being joined.
#[derive(Clone, Debug)]
pub enum Body {
    Bytes(Bytes),
    Chunks(Vec<Bytes>),
}

impl Response {
    pub fn new(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Body::empty() }
    }

    #[must_use]
    pub fn header(mut self, name: impl Into<Cow<'static, str>>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    #[must_use]
    pub fn body(mut self, body: impl Into<Body>) -> Self {
        self.body = body.into();
        self
    }

    pub fn has_header(&self, name: &str) -> bool {
        self.headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name))
    }

    /// Appends status line and headers. `length` is that of the body that GET gets.
    pub(super) fn write_head(&self, version: Version, length: usize, encoding: Option<&str>, out: &mut Vec<u8>) {
        out.extend_from_slice(match version {
            Version::Http10 => b"HTTP/1.0 ",
            Version::Http11 => b"HTTP/1.1 ",
        });
        push_number(out, usize::from(self.status));
        out.push(b' ');
        out.extend_from_slice(reason(self.status).as_bytes());
        out.extend_from_slice(b"\r\n");
        for (name, value) in &self.headers {
            // There is one length, and it is counted here.
            if name.eq_ignore_ascii_case("content-length") {
                continue;
            }
            push_text(out, name);
            out.extend_from_slice(b": ");
            push_text(out, value);
            out.extend_from_slice(b"\r\n");
        }
        if let Some(encoding) = encoding {
            out.extend_from_slice(b"content-encoding: ");
            out.extend_from_slice(encoding.as_bytes());
            out.extend_from_slice(b"\r\n");
        }
        if may_have_body(self.status) {
            out.extend_from_slice(b"content-length: ");
            push_number(out, length);
            out.extend_from_slice(b"\r\n");
        }
        out.extend_from_slice(b"\r\n");
    }
}

/// Whether the body follows the headers.
pub(super) fn sends_body(method: Option<Method>, status: u16) -> bool {
    method != Some(Method::Head) && may_have_body(status)
}

fn may_have_body(status: u16) -> bool {
    status >= 200 && status != 204 && status != 304
}

impl Body {
    pub fn empty() -> Self {
        Self::Bytes(Bytes::new())
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Chunks(chunks) => chunks.iter().map(Bytes::len).sum(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn chunks(&self) -> &[Bytes] {
        match self {
            Self::Bytes(bytes) => std::slice::from_ref(bytes),
            Self::Chunks(chunks) => chunks,
        }
    }
}

impl From<Bytes> for Body {
    fn from(bytes: Bytes) -> Self {
        Self::Bytes(bytes)
    }
}

impl From<Vec<u8>> for Body {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes.into())
    }
}

impl From<String> for Body {
    fn from(text: String) -> Self {
        Self::Bytes(text.into())
    }
}

impl From<&'static str> for Body {
    fn from(text: &'static str) -> Self {
        Self::Bytes(Bytes::from_static(text.as_bytes()))
    }
}

impl From<Vec<Bytes>> for Body {
    fn from(chunks: Vec<Bytes>) -> Self {
        Self::Chunks(chunks)
    }
}

/// Header text as Latin-1. What would end the line or the header becomes a space: an answer never splits in two, whatever was
/// put into a header.
fn push_text(out: &mut Vec<u8>, text: &str) {
    if text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_control()) {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    out.extend(text.chars().map(|c| match u8::try_from(c) {
        Ok(byte) if byte.is_ascii_control() => b' ',
        Ok(byte) => byte,
        Err(_) => b'?',
    }));
}

fn push_number(out: &mut Vec<u8>, mut number: usize) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        204 => "No Content",
        206 => "Partial Content",
        207 => "Multi-Status",
        304 => "Not Modified",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        408 => "Request Timeout",
        409 => "Conflict",
        410 => "Gone",
        412 => "Precondition Failed",
        413 => "Request Entity Too Large",
        414 => "Request-URI Too Long",
        415 => "Unsupported Media Type",
        417 => "Expectation Failed",
        422 => "Unprocessable Entity",
        423 => "Locked",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        507 => "Insufficient Storage",
        // Clients ignore the phrase; any will do for a status that nobody here uses.
        _ => "Other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(response: &Response, length: usize) -> String {
        let mut out = Vec::new();
        response.write_head(Version::Http11, length, None, &mut out);
        out.iter().map(|&byte| char::from(byte)).collect()
    }

    #[test]
    fn a_head_is_written_in_order() {
        let response =
            Response::new(200).header("X-OpenSearch-Version", "v").header("content-type", "application/json");
        let expected = "HTTP/1.1 200 OK\r\nX-OpenSearch-Version: v\r\ncontent-type: application/json\r\ncontent-length: 1071\r\n\r\n";
        assert_eq!(head(&response, 1071), expected);
        assert_eq!(head(&Response::new(204), 0), "HTTP/1.1 204 No Content\r\n\r\n");
    }

    #[test]
    fn a_header_cannot_split_the_answer() {
        let response = Response::new(200).header("x", "a\r\nSet-Cookie: b\u{e9}\u{4e00}");
        assert_eq!(head(&response, 0), "HTTP/1.1 200 OK\r\nx: a  Set-Cookie: b\u{e9}?\r\ncontent-length: 0\r\n\r\n");
    }
}
