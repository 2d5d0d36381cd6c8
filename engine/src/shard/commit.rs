//! The commit point: which files make up a shard, and where in the translog what they do not hold begins.
//!
//! ```text
//!   0  [u8; 8]  "PITHCMIT"
//!   8  u32      format, 1
//!  12  u64      generation of the commit
//!  20  u32      number of the shard
//!  24  text     uuid of the index
//!   …  u64      primary term
//!      i64      highest sequence number, -1 for none
//!      i64      local checkpoint, -1 for none: every operation up to it is in the segments
//!      u64      first translog generation to replay
//!      u64      number of the next segment
//!      u64      number of the next live-docs file
//!      u32      number of segments, then for each:
//!                 text  name (its file is `<name>.seg`)
//!                 u64   length of its file
//!                 u32   documents, deleted ones included
//!                 u64   number of its live-docs file `<name>.<number>.live`, 0 where no document is deleted
//!      u32      CRC-32 of all before
//! text: u16 length, then UTF-8
//! ```
//! All numbers are little-endian. A commit is written under another name, synced and renamed to `commit-<generation>`, so a file of that
//! name is whole; anything else in it is damage.

use crate::codec::hash::hash64;
use crate::error::{Error, ErrorKind, Result};

const MAGIC: &[u8; 8] = b"PITHCMIT";
const FORMAT: u32 = 1;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitPoint {
    pub generation: u64,
    pub shard: u32,
    pub index_uuid: String,
    pub primary_term: u64,
    pub max_seq_no: i64,
    pub local_checkpoint: i64,
    pub translog_generation: u64,
    pub next_segment: u64,
    pub next_live: u64,
    pub segments: Vec<CommittedSegment>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommittedSegment {
    pub name: String,
    pub file_len: u64,
    pub max_doc: u32,
    /// 0: no document is deleted.
    pub live: u64,
}

impl CommittedSegment {
    /// The file of the segment.
    pub fn file(&self) -> String {
        segment_file(&self.name)
    }

    /// The file of its live docs, if any document is deleted.
    pub fn live_file(&self) -> Option<String> {
        (self.live > 0).then(|| live_file(&self.name, self.live))
    }
}

pub fn segment_file(name: &str) -> String {
    format!("{name}.seg")
}

pub fn live_file(name: &str, number: u64) -> String {
    format!("{name}.{number}.live")
}

pub fn commit_file(generation: u64) -> String {
    format!("commit-{generation}")
}

/// The generation of a commit by the name of its file.
pub fn commit_generation(file: &str) -> Option<u64> {
    let digits = file.strip_prefix("commit-")?;
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| digits.parse().ok())?
}

/// What tells a commit point from all others.
pub fn commit_id(index_uuid: &str, shard: u32, generation: u64) -> [u8; 16] {
    let name = format!("{index_uuid}/{shard}/{generation}");
    let (high, low) = (hash64(1, name.as_bytes()), hash64(2, name.as_bytes()));
    (u128::from(high) << 64 | u128::from(low)).to_be_bytes()
}

impl CommitPoint {
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(128 + 64 * self.segments.len());
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&FORMAT.to_le_bytes());
        out.extend_from_slice(&self.generation.to_le_bytes());
        out.extend_from_slice(&self.shard.to_le_bytes());
        put_text(&mut out, &self.index_uuid);
        out.extend_from_slice(&self.primary_term.to_le_bytes());
        out.extend_from_slice(&self.max_seq_no.to_le_bytes());
        out.extend_from_slice(&self.local_checkpoint.to_le_bytes());
        for number in [self.translog_generation, self.next_segment, self.next_live] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out.extend_from_slice(&(self.segments.len() as u32).to_le_bytes());
        for segment in &self.segments {
            put_text(&mut out, &segment.name);
            out.extend_from_slice(&segment.file_len.to_le_bytes());
            out.extend_from_slice(&segment.max_doc.to_le_bytes());
            out.extend_from_slice(&segment.live.to_le_bytes());
        }
        let crc = crc32fast::hash(&out);
        out.extend_from_slice(&crc.to_le_bytes());
        out
    }

    /// Bytes of the files of all segments.
    pub fn segments_bytes(&self) -> u64 {
        self.segments.iter().map(|segment| segment.file_len).sum()
    }

    /// Reads what `file` holds; the error names it and the offset.
    pub fn decode(file: &str, bytes: &[u8]) -> Result<Self> {
        let damaged = |at: usize, why: &str| {
            Error::new(ErrorKind::CorruptIndex, format!("commit point [{file}] is damaged at offset [{at}]: {why}"))
        };
        let body_len = bytes.len().checked_sub(4).ok_or_else(|| damaged(bytes.len(), "the file is too short"))?;
        let (body, crc) = bytes.split_at(body_len);
        if !body.starts_with(MAGIC) {
            return Err(damaged(0, "it does not begin with PITHCMIT"));
        }
        if crc32fast::hash(body).to_le_bytes() != crc {
            return Err(damaged(body_len, "the checksum is wrong"));
        }
        let mut cursor = Cursor { body, at: MAGIC.len() };
        match cursor.commit() {
            Some(commit) if cursor.at == body.len() => Ok(commit),
            _ => Err(damaged(cursor.at, "its parts do not fit its length")),
        }
    }
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    assert!(text.len() <= usize::from(u16::MAX), "names and uuids are short");
    out.extend_from_slice(&(text.len() as u16).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
}

struct Cursor<'a> {
    body: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    fn commit(&mut self) -> Option<CommitPoint> {
        if u32::from_le_bytes(self.take()?) != FORMAT {
            return None;
        }
        let mut commit = CommitPoint {
            generation: self.u64()?,
            shard: u32::from_le_bytes(self.take()?),
            index_uuid: self.text()?,
            primary_term: self.u64()?,
            max_seq_no: i64::from_le_bytes(self.take()?),
            local_checkpoint: i64::from_le_bytes(self.take()?),
            translog_generation: self.u64()?,
            next_segment: self.u64()?,
            next_live: self.u64()?,
            segments: vec![],
        };
        for _ in 0..u32::from_le_bytes(self.take()?) {
            commit.segments.push(CommittedSegment {
                name: self.text()?,
                file_len: self.u64()?,
                max_doc: u32::from_le_bytes(self.take()?),
                live: self.u64()?,
            });
        }
        Some(commit)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    fn text(&mut self) -> Option<String> {
        let length = u16::from_le_bytes(self.take()?) as usize;
        let text = self.body.get(self.at..self.at + length)?;
        self.at += length;
        String::from_utf8(text.to_vec()).ok()
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let taken = *self.body.get(self.at..)?.first_chunk::<N>()?;
        self.at += N;
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> CommitPoint {
        let segment = |name: &str, live| CommittedSegment { name: name.into(), file_len: 10, max_doc: 3, live };
        CommitPoint {
            generation: 4,
            shard: 2,
            index_uuid: "uuid".into(),
            primary_term: 1,
            max_seq_no: 12,
            local_checkpoint: -1,
            translog_generation: 3,
            next_segment: 9,
            next_live: 2,
            segments: vec![segment("_0", 0), segment("_8", 1)],
        }
    }

    #[test]
    fn a_commit_comes_back_as_it_went() {
        let bytes = sample().encode();
        assert_eq!(CommitPoint::decode("commit-4", &bytes).unwrap(), sample());
    }

    #[test]
    fn every_cut_and_every_flipped_bit_is_noticed() {
        let mut bytes = sample().encode();
        for end in 0..bytes.len() {
            let error = CommitPoint::decode("commit-4", &bytes[..end]).unwrap_err();
            assert!(error.reason().contains("[commit-4] is damaged at offset ["), "{error}");
        }
        for bit in 0..bytes.len() * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(CommitPoint::decode("commit-4", &bytes).is_err(), "bit {bit}");
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }

    #[test]
    fn names_of_files() {
        assert_eq!(commit_generation(&commit_file(12)), Some(12));
        assert_eq!(commit_generation("commit-12.tmp"), None);
        assert_eq!(commit_generation("commit-+1"), None);
        assert_eq!(sample().segments[0].live_file(), None);
        assert_eq!(sample().segments[1].live_file().as_deref(), Some("_8.1.live"));
        assert_eq!(sample().segments[1].file(), "_8.seg");
    }
}
