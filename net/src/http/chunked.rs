//! Chunked bodies, strictly: sizes are hexadecimal digits and nothing else, every line ends with CR LF.
//!
//! ```text
//! 5;name=value CRLF  hello CRLF  0 CRLF  Trailer: x CRLF  CRLF
//! ```
//!
//! Extensions and trailers are bounded and dropped.

use super::{limits::Limits, refusal::Refusal};

#[derive(Clone, Debug)]
pub(super) struct Chunked {
    state: State,
    /// Bytes of the line being read, and of all trailer lines.
    line_bytes: usize,
    trailer_bytes: usize,
}

#[derive(Clone, Copy, Debug)]
enum State {
    Size { size: u64, digits: u8 },
    Extension { size: u64 },
    SizeLf { size: u64 },
    Data { left: u64 },
    DataCr,
    DataLf,
    TrailerStart,
    Trailer,
    TrailerLf { last: bool },
    Done,
}

/// Sixteen hexadecimal digits fill a `u64`; no chunk needs as many.
const SIZE_DIGITS_MAX: u8 = 15;

impl Chunked {
    pub fn new() -> Self {
        Self { state: State::Size { size: 0, digits: 0 }, line_bytes: 0, trailer_bytes: 0 }
    }

    pub fn is_done(&self) -> bool {
        matches!(self.state, State::Done)
    }

    /// Reads from `input` up to its end or that of the body and passes the data on, piece by piece. Returns how much was read.
    pub fn feed(&mut self, input: &[u8], limits: &Limits, mut data: impl FnMut(&[u8])) -> Result<usize, Refusal> {
        let mut at = 0;
        while at < input.len() && !self.is_done() {
            if let State::Data { left } = self.state {
                let len = usize::try_from(left).unwrap_or(usize::MAX).min(input.len() - at);
                data(&input[at..at + len]);
                at += len;
                let left = left - len as u64;
                self.state = if left == 0 { State::DataCr } else { State::Data { left } };
            } else {
                self.state = self.step(input[at], limits)?;
                at += 1;
            }
        }
        Ok(at)
    }

    /// One byte of framing.
    fn step(&mut self, byte: u8, limits: &Limits) -> Result<State, Refusal> {
        self.line_bytes += 1;
        if self.line_bytes > limits.line_bytes {
            return Err(Refusal::line_too_long(limits.line_bytes));
        }
        Ok(match (self.state, byte) {
            (State::Size { size, digits }, byte) if byte.is_ascii_hexdigit() => {
                if digits == SIZE_DIGITS_MAX {
                    return Err(Refusal::chunk_size());
                }
                State::Size { size: size << 4 | hex(byte), digits: digits + 1 }
            }
            (State::Size { digits: 0, .. }, _) => return Err(Refusal::chunk_size()),
            (State::Size { size, .. } | State::Extension { size }, b'\r') => State::SizeLf { size },
            (State::Size { size, .. }, b';') => State::Extension { size },
            (State::Extension { size }, byte) if !byte.is_ascii_control() || byte == b'\t' => State::Extension { size },
            (State::SizeLf { size: 0 }, b'\n') => {
                self.line_bytes = 0;
                State::TrailerStart
            }
            (State::SizeLf { size }, b'\n') => {
                self.line_bytes = 0;
                State::Data { left: size }
            }
            (State::DataCr, b'\r') => State::DataLf,
            (State::DataLf, b'\n') => {
                self.line_bytes = 0;
                State::Size { size: 0, digits: 0 }
            }
            (State::TrailerStart, b'\r') => State::TrailerLf { last: true },
            (State::Trailer, b'\r') => State::TrailerLf { last: false },
            (State::TrailerStart | State::Trailer, byte) if !byte.is_ascii_control() || byte == b'\t' => {
                self.trailer_bytes += 1;
                if self.trailer_bytes > limits.header_bytes {
                    return Err(Refusal::headers_too_long(limits.header_bytes));
                }
                State::Trailer
            }
            (State::TrailerLf { last: true }, b'\n') => State::Done,
            (State::TrailerLf { last: false }, b'\n') => {
                self.line_bytes = 0;
                State::TrailerStart
            }
            (State::Size { .. } | State::Extension { .. } | State::SizeLf { .. }, _) => {
                return Err(Refusal::chunk_size());
            }
            _ => return Err(Refusal::line_separator()),
        })
    }
}

fn hex(digit: u8) -> u64 {
    u64::from(match digit {
        b'0'..=b'9' => digit - b'0',
        _ => (digit | 0x20) - b'a' + 10,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(input: &[u8]) -> Result<(Vec<u8>, usize, bool), Refusal> {
        let mut body = Vec::new();
        let mut chunked = Chunked::new();
        let read = chunked.feed(input, &Limits::default(), |data| body.extend_from_slice(data))?;
        Ok((body, read, chunked.is_done()))
    }

    #[test]
    fn chunks_extensions_and_trailers_are_read() {
        let input = b"5\r\nhello\r\n1;a=\"b\"\r\n!\r\n00A\r\n0123456789\r\n0\r\nX: y\r\nZ: w\r\n\r\nGET";
        assert_eq!(decode(input), Ok((b"hello!0123456789".to_vec(), input.len() - 3, true)));
        assert_eq!(decode(b"0\r\n\r\n"), Ok((vec![], 5, true)));
        assert_eq!(decode(b"3\r\nab"), Ok((b"ab".to_vec(), 5, false)));
    }

    #[test]
    fn sizes_must_be_plain_hexadecimal() {
        for input in [
            "zz\r\n",
            "\r\n",
            " 5\r\n",
            "5 \r\n",
            "+5\r\n",
            "-1\r\n",
            "0x5\r\n",
            "5\n",
            "5\rx",
            "1000000000000000\r\n",
            ";a\r\n",
        ] {
            assert_eq!(decode(input.as_bytes()), Err(Refusal::chunk_size()), "{input:?}");
        }
    }

    #[test]
    fn every_line_must_end_with_both() {
        for input in ["1\r\nab", "1\r\na\n", "1\r\na\rb", "0\r\n\n", "0\r\nX: y\n", "0\r\nX\0: y\r\n"] {
            assert_eq!(decode(input.as_bytes()), Err(Refusal::line_separator()), "{input:?}");
        }
    }

    #[test]
    fn extensions_and_trailers_are_bounded() {
        let limits = Limits::default();
        let extension = format!("5;{}", "a".repeat(limits.line_bytes));
        assert_eq!(decode(extension.as_bytes()), Err(Refusal::line_too_long(limits.line_bytes)));
        let trailers = format!("0\r\n{}", "X: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n".repeat(1000));
        assert_eq!(decode(trailers.as_bytes()), Err(Refusal::headers_too_long(limits.header_bytes)));
    }
}
