//! What a handler gets.

use std::{net::SocketAddr, ops::Range};

use bytes::Bytes;

use super::watch::Peer;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    Get,
    Put,
    Post,
    Delete,
    Head,
    Options,
    Patch,
    Trace,
    Connect,
}

impl Method {
    /// Methods are case-sensitive.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "GET" => Self::Get,
            "PUT" => Self::Put,
            "POST" => Self::Post,
            "DELETE" => Self::Delete,
            "HEAD" => Self::Head,
            "OPTIONS" => Self::Options,
            "PATCH" => Self::Patch,
            "TRACE" => Self::Trace,
            "CONNECT" => Self::Connect,
            _ => return None,
        })
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Put => "PUT",
            Self::Post => "POST",
            Self::Delete => "DELETE",
            Self::Head => "HEAD",
            Self::Options => "OPTIONS",
            Self::Patch => "PATCH",
            Self::Trace => "TRACE",
            Self::Connect => "CONNECT",
        }
    }
}

impl std::fmt::Display for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    Http10,
    Http11,
}

/// One request. The body is whole, de-chunked and inflated.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: Method,
    pub version: Version,
    pub headers: Headers,
    pub body: Bytes,
    pub remote: SocketAddr,
    pub peer: Peer,
}

impl Request {
    /// Path and query as received, percent-encoded; an absolute target without scheme and authority. Bytes beyond ASCII were
    /// read as Latin-1, here and in headers.
    pub fn target(&self) -> &str {
        self.headers.target()
    }

    /// The target before the first `?`, still percent-encoded.
    pub fn path(&self) -> &str {
        self.target().split_once('?').map_or(self.target(), |(path, _)| path)
    }

    /// The target behind the first `?`; empty when there is none.
    pub fn query(&self) -> &str {
        self.target().split_once('?').map_or("", |(_, query)| query)
    }

    /// The value of the first header of this name, whatever its case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)
    }
}

/// Target and header lines, in one piece of memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers {
    text: String,
    target: Range<u32>,
    fields: Vec<(Range<u32>, Range<u32>)>,
}

impl Headers {
    /// The value of the first header of this name, whatever its case.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.get_all(name).next()
    }

    pub fn get_all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        self.iter().filter(move |(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Names and values, in the order in which they came.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.fields.iter().map(|(name, value)| (self.slice(name), self.slice(value)))
    }

    pub fn len(&self) -> usize {
        self.fields.len()
    }

    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    fn target(&self) -> &str {
        self.slice(&self.target)
    }

    fn slice(&self, range: &Range<u32>) -> &str {
        &self.text[range.start as usize..range.end as usize]
    }

    pub(super) fn with_capacity(bytes: usize, fields: usize) -> Self {
        Self { text: String::with_capacity(bytes), target: 0..0, fields: Vec::with_capacity(fields) }
    }

    pub(super) fn set_target(&mut self, target: &[u8]) {
        self.target = self.append(target);
    }

    pub(super) fn push(&mut self, name: &str, value: &[u8]) {
        let name = self.append(name.as_bytes());
        let value = self.append(value);
        self.fields.push((name, value));
    }

    /// Heads are bounded far below 4 GiB.
    fn append(&mut self, bytes: &[u8]) -> Range<u32> {
        let start = self.text.len() as u32;
        match std::str::from_utf8(bytes) {
            Ok(ascii) if bytes.is_ascii() => self.text.push_str(ascii),
            _ => self.text.extend(bytes.iter().map(|&byte| char::from(byte))),
        }
        start..self.text.len() as u32
    }
}
