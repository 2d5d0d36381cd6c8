//! The record of an operation: one format for translog, replication and recovery.
//!
//! ```text
//! frame
//!   0  u32  length of the body in bytes
//!   4  u32  CRC-32 of the length, the generation and the body, in this order, as they stand here
//!   8  u64  generation of the translog that the frame belongs to (never 0)
//!  16       body
//! body
//!   0  u8   kind: 1 index, 2 delete, 3 no-op; 4 is a mark, see below
//!   1  u8   flags: bit 0 a routing value follows the id
//!   2  u64  sequence number
//!  10  u64  primary term
//!  18  u64  version of the document (0 for a no-op)
//!  26  u32  length of the id, then the id in UTF-8 (empty for a no-op)
//!     [u32  length of the routing value, then the value in UTF-8]
//!      …    to the end: the document's source (index), nothing (delete), the reason in UTF-8 (no-op)
//!
//! body of a mark
//!   0  u8   4
//!   1  u64  offset of the frame in its file: whatever stands before it was on the disk when the mark was written
//! ```
//!
//! A mark stands before the records that are written, synced and acknowledged together. What a power cut can have torn is therefore
//! behind the last mark; a bad frame before one was whole once.
//!
//! All numbers are little-endian. The generation is part of what is checked, so bytes of another file are never taken for
//! a record of this one.

use std::fmt;

/// Bytes of a frame before its body.
pub const FRAME_HEAD: usize = 16;
/// Longest body. A source is bounded far below by the size of a request.
const MAX_BODY: usize = 1 << 30;

const INDEX: u8 = 1;
const DELETE: u8 = 2;
const NO_OP: u8 = 3;
const MARK: u8 = 4;
const HAS_ROUTING: u8 = 1;

/// One operation of a shard's history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    pub seq_no: u64,
    pub primary_term: u64,
    pub version: u64,
    pub operation: Operation<'a>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation<'a> {
    Index {
        id: &'a str,
        routing: Option<&'a str>,
        source: &'a [u8],
    },
    Delete {
        id: &'a str,
    },
    /// Fills a sequence number whose operation failed.
    NoOp {
        reason: &'a str,
    },
}

/// Why the bytes at a place are no frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadFrame {
    /// The bytes end before the frame does.
    Short,
    /// Length, generation or checksum are not those of a frame of this generation.
    Checksum,
    /// The checksum is right and the body is not: a frame that was written wrongly.
    Body,
}

impl fmt::Display for BadFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Short => "the record is incomplete",
            Self::Checksum => "the checksum of the record is wrong",
            Self::Body => "the record cannot be read although its checksum is right",
        })
    }
}

impl<'a> Record<'a> {
    /// Appends the frame of this record.
    ///
    /// # Panics
    /// If the record is longer than 1 GiB; sources are bounded far below that by the size of requests.
    pub fn encode(&self, generation: u64, out: &mut Vec<u8>) {
        encode_frame(generation, out, |out| self.encode_body(out));
    }

    fn encode_body(&self, out: &mut Vec<u8>) {
        let (kind, id, routing, rest): (u8, &str, Option<&str>, &[u8]) = match &self.operation {
            Operation::Index { id, routing, source } => (INDEX, id, *routing, source),
            Operation::Delete { id } => (DELETE, id, None, b""),
            Operation::NoOp { reason } => (NO_OP, "", None, reason.as_bytes()),
        };
        // Other fields of a record than its texts come to less than this.
        out.reserve(64 + id.len() + routing.map_or(0, str::len) + rest.len());
        out.push(kind);
        out.push(if routing.is_some() { HAS_ROUTING } else { 0 });
        for number in [self.seq_no, self.primary_term, self.version] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        for text in [Some(id), routing].into_iter().flatten() {
            out.extend_from_slice(&(text.len() as u32).to_le_bytes());
            out.extend_from_slice(text.as_bytes());
        }
        out.extend_from_slice(rest);
    }

    fn decode_body(body: &'a [u8]) -> Option<Self> {
        let mut rest = body;
        let [kind, flags] = take(&mut rest)?;
        let seq_no = u64::from_le_bytes(take(&mut rest)?);
        let primary_term = u64::from_le_bytes(take(&mut rest)?);
        let version = u64::from_le_bytes(take(&mut rest)?);
        let id = take_text(&mut rest)?;
        let routing = if flags & HAS_ROUTING != 0 { Some(take_text(&mut rest)?) } else { None };
        let operation = match kind {
            INDEX => Operation::Index { id, routing, source: rest },
            DELETE => Operation::Delete { id },
            NO_OP => Operation::NoOp { reason: std::str::from_utf8(rest).ok()? },
            _ => return None,
        };
        Some(Self { seq_no, primary_term, version, operation })
    }
}

/// What a translog consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame<'a> {
    Record(Record<'a>),
    Mark { offset: u64 },
}

/// Appends the mark that stands at `offset` of its file.
pub fn encode_mark(generation: u64, offset: u64, out: &mut Vec<u8>) {
    encode_frame(generation, out, |out| {
        out.push(MARK);
        out.extend_from_slice(&offset.to_le_bytes());
    });
}

fn encode_frame(generation: u64, out: &mut Vec<u8>, body: impl FnOnce(&mut Vec<u8>)) {
    assert!(generation > 0, "translog generations count from 1");
    let start = out.len();
    out.extend_from_slice(&[0; 8]);
    out.extend_from_slice(&generation.to_le_bytes());
    body(out);
    let body_len = out.len() - start - FRAME_HEAD;
    assert!(body_len <= MAX_BODY, "a record of {body_len} bytes");
    let length = (body_len as u32).to_le_bytes();
    out[start..start + 4].copy_from_slice(&length);
    let crc = checksum(&length, &out[start + 8..]);
    out[start + 4..start + 8].copy_from_slice(&crc.to_le_bytes());
}

impl<'a> Frame<'a> {
    /// Reads the frame that `bytes` begin with; also gives its length.
    pub fn decode(bytes: &'a [u8], generation: u64) -> Result<(Self, usize), BadFrame> {
        let head = bytes.first_chunk::<FRAME_HEAD>().ok_or(BadFrame::Short)?;
        let (length, crc) = (&head[..4], &head[4..8]);
        if head[8..] != generation.to_le_bytes() {
            return Err(BadFrame::Checksum);
        }
        let body_len = u32::from_le_bytes([length[0], length[1], length[2], length[3]]) as usize;
        if body_len > MAX_BODY {
            return Err(BadFrame::Checksum);
        }
        let end = FRAME_HEAD + body_len;
        let checked = bytes.get(8..end).ok_or(BadFrame::Short)?;
        if checksum(length, checked).to_le_bytes() != crc {
            return Err(BadFrame::Checksum);
        }
        let body = &bytes[FRAME_HEAD..end];
        let frame = match body.strip_prefix(&[MARK]) {
            Some(mark) => mark.try_into().ok().map(|offset| Self::Mark { offset: u64::from_le_bytes(offset) }),
            None => Record::decode_body(body).map(Self::Record),
        };
        Ok((frame.ok_or(BadFrame::Body)?, end))
    }
}

fn checksum(length: &[u8], generation_and_body: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(length);
    hasher.update(generation_and_body);
    hasher.finalize()
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (head, tail) = rest.split_first_chunk::<N>()?;
    *rest = tail;
    Some(*head)
}

fn take_text<'a>(rest: &mut &'a [u8]) -> Option<&'a str> {
    let length = u32::from_le_bytes(take(rest)?) as usize;
    let (text, tail) = rest.split_at_checked(length)?;
    *rest = tail;
    std::str::from_utf8(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> Vec<Record<'static>> {
        let index = Operation::Index { id: "a", routing: Some("r"), source: br#"{"x":1}"# };
        vec![
            Record { seq_no: 0, primary_term: 1, version: 1, operation: index },
            Record { seq_no: 1, primary_term: 1, version: 2, operation: Operation::Delete { id: "é" } },
            Record { seq_no: u64::MAX, primary_term: 7, version: 0, operation: Operation::NoOp { reason: "why" } },
        ]
    }

    #[test]
    fn records_come_back_as_they_went() {
        for record in samples() {
            let mut bytes = vec![];
            record.encode(3, &mut bytes);
            let length = bytes.len();
            bytes.extend_from_slice(b"more");
            assert_eq!(Frame::decode(&bytes, 3), Ok((Frame::Record(record), length)));
        }
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        for record in samples() {
            let mut bytes = vec![];
            record.encode(3, &mut bytes);
            for bit in 0..bytes.len() * 8 {
                bytes[bit / 8] ^= 1 << (bit % 8);
                assert!(Frame::decode(&bytes, 3).is_err(), "bit {bit}");
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
        }
    }

    #[test]
    fn a_frame_cut_short_or_of_another_generation_is_refused() {
        let mut bytes = vec![];
        samples()[0].encode(3, &mut bytes);
        for end in 0..bytes.len() {
            assert_eq!(Frame::decode(&bytes[..end], 3), Err(BadFrame::Short), "cut at {end}");
        }
        assert_eq!(Frame::decode(&bytes, 4), Err(BadFrame::Checksum));
    }
}
