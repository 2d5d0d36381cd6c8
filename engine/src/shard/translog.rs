//! The bytes of one translog generation: a header, then frames (see [`super::record`]) to the end of the file.
//!
//! ```text
//! header
//!   0  [u8; 8]  "PITHTLOG"
//!   8  u32      format, 1
//!  12  u64      generation
//!  20  u32      number of the shard
//!  24  u16      length of the index's uuid, then the uuid in UTF-8
//!   …  u32      CRC-32 of all before
//! ```
//! All numbers are little-endian. Generations are synced to the end before the next one is begun, so only the last one can have a
//! torn tail: what a crash has left of the last write, of which any sector may be missing. The writer puts a mark before everything
//! that it writes and syncs at once, so a bad frame with a mark behind it was whole once: that, and a bad frame in an earlier
//! generation, is damage.

use super::record::{BadFrame, Frame, Record};

const MAGIC: &[u8; 8] = b"PITHTLOG";
const FORMAT: u32 = 1;

/// Which translog a file is: what its header says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranslogHeader<'a> {
    pub generation: u64,
    pub index_uuid: &'a str,
    pub shard: u32,
}

impl<'a> TranslogHeader<'a> {
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(64);
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&FORMAT.to_le_bytes());
        out.extend_from_slice(&self.generation.to_le_bytes());
        out.extend_from_slice(&self.shard.to_le_bytes());
        out.extend_from_slice(&(self.index_uuid.len() as u16).to_le_bytes());
        out.extend_from_slice(self.index_uuid.as_bytes());
        let crc = crc32fast::hash(&out);
        out.extend_from_slice(&crc.to_le_bytes());
        out
    }
}

/// Where reading stopped, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranslogEnd {
    /// At the end of the bytes, after a whole frame.
    Clean,
    /// At the first byte of what a crash left of the last write, which was not acknowledged. The rest can be cut off.
    Torn { at: u64 },
    /// In the middle of what was written and may have been acknowledged.
    Damaged { at: u64, why: BadFrame },
}

/// Walks over the frames of one generation.
pub struct TranslogReader<'a> {
    bytes: &'a [u8],
    generation: u64,
    at: usize,
    /// Offset of the last mark; 0 before the first.
    marked: usize,
}

impl<'a> TranslogReader<'a> {
    /// Starts after the header, which must be exactly `header`. The error says what is wrong and where.
    /// `Ok(None)` where the file was being created when the node stopped, and holds nothing: nothing is written behind a header that
    /// is not on the disk.
    pub fn new(bytes: &'a [u8], header: &TranslogHeader) -> Result<Option<Self>, (u64, String)> {
        let expected = header.encode();
        if bytes.len() <= expected.len() && bytes != expected && !is_whole_header(bytes) {
            return Ok(None);
        }
        let wrong = bytes.iter().zip(&expected).position(|(a, b)| a != b);
        if let Some(at) = wrong.or((bytes.len() < expected.len()).then_some(bytes.len())) {
            return Err((at as u64, format!("the header is not that of generation {}", header.generation)));
        }
        Ok(Some(Self { bytes, generation: header.generation, at: expected.len(), marked: 0 }))
    }

    /// Offset of the next frame.
    pub fn offset(&self) -> u64 {
        self.at as u64
    }

    /// What stands before this is on the disk. What follows up to [`Self::offset`] may be something that the kernel only remembers.
    pub fn proven(&self) -> u64 {
        self.marked as u64
    }

    /// The next record and the offset of its frame, or how the file ends. After an end, asking again gives the same end.
    pub fn next_record(&mut self) -> Result<(Record<'a>, u64), TranslogEnd> {
        loop {
            let at = self.at as u64;
            let rest = &self.bytes[self.at..];
            if rest.is_empty() {
                return Err(TranslogEnd::Clean);
            }
            match Frame::decode(rest, self.generation) {
                Ok((Frame::Record(record), length)) => {
                    self.at += length;
                    return Ok((record, at));
                }
                Ok((Frame::Mark { offset }, length)) if offset == at => {
                    (self.marked, self.at) = (self.at, self.at + length)
                }
                Ok((Frame::Mark { .. }, _)) | Err(BadFrame::Body) => {
                    return Err(TranslogEnd::Damaged { at, why: BadFrame::Body });
                }
                Err(why) if self.mark_follows() => return Err(TranslogEnd::Damaged { at, why }),
                Err(_) => return Err(TranslogEnd::Torn { at }),
            }
        }
    }

    /// Whether a mark stands behind the current place. The generation's bytes are a cheap filter before the checksum.
    fn mark_follows(&self) -> bool {
        let rest = &self.bytes[self.at..];
        let generation = self.generation.to_le_bytes();
        memchr::memmem::find_iter(rest, &generation).filter(|found| *found > 8).any(|found| {
            let start = found - 8;
            let here = Frame::Mark { offset: (self.at + start) as u64 };
            Frame::decode(&rest[start..], self.generation).is_ok_and(|(frame, _)| frame == here)
        })
    }
}

/// Whether the bytes are a header, of whatever translog.
fn is_whole_header(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
        && bytes.split_last_chunk::<4>().is_some_and(|(head, crc)| crc32fast::hash(head).to_le_bytes() == *crc)
}

#[cfg(test)]
mod tests {
    use super::super::record::{Operation, encode_mark};
    use super::*;
    use proptest::prelude::*;

    const MARK_LEN: u64 = 25;
    const HEADER: TranslogHeader = TranslogHeader { generation: 5, index_uuid: "u", shard: 0 };

    /// A file whose records were written in groups of this many, and where each record ends.
    fn file(sources: &[Vec<u8>], group: usize) -> (Vec<u8>, Vec<usize>) {
        let mut bytes = HEADER.encode();
        let mut ends = vec![bytes.len()];
        for (seq_no, source) in sources.iter().enumerate() {
            if seq_no % group == 0 {
                encode_mark(5, bytes.len() as u64, &mut bytes);
            }
            let operation = Operation::Index { id: "id", routing: None, source };
            Record { seq_no: seq_no as u64, primary_term: 1, version: 1, operation }.encode(5, &mut bytes);
            ends.push(bytes.len());
        }
        (bytes, ends)
    }

    fn read(bytes: &[u8]) -> (usize, TranslogEnd) {
        let mut reader = TranslogReader::new(bytes, &HEADER).unwrap().unwrap();
        let mut count = 0;
        loop {
            match reader.next_record() {
                Ok((record, _)) => assert_eq!(record.seq_no, count as u64),
                Err(end) => return (count, end),
            }
            count += 1;
        }
    }

    proptest! {
        /// Cut anywhere: all records before the cut are read, and the rest is a torn tail.
        #[test]
        fn a_cut_file_gives_every_whole_record(
            sources in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 0..6),
            cut in any::<prop::sample::Index>(),
            zeros in 0usize..40,
        ) {
            let (mut bytes, ends) = file(&sources, sources.len().max(1));
            let cut = ends[0] + cut.index(bytes.len() - ends[0] + 1);
            bytes.truncate(cut);
            let whole = ends.iter().filter(|end| **end <= cut).count() - 1;
            let (count, end) = read(&bytes);
            prop_assert_eq!(count, whole);
            let clean = ends.contains(&cut);
            prop_assert!(clean == (end == TranslogEnd::Clean) || whole == 0, "{:?}", end);
            prop_assert!(!matches!(end, TranslogEnd::Damaged { .. }), "{:?}", end);
            // A file system may leave zeros where the tail was not written.
            bytes.resize(cut + zeros, 0);
            let (count, _) = read(&bytes);
            prop_assert!(count >= whole);
        }

        /// One flipped bit anywhere before the last group is reported as damage, with the offset of its frame.
        #[test]
        fn a_damaged_middle_is_found(
            sources in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 2..6),
            place in any::<prop::sample::Index>(),
            bit in 0u32..8,
        ) {
            let (mut bytes, ends) = file(&sources, 1);
            let last = ends[ends.len() - 2];
            let at = ends[0] + place.index(last - ends[0]);
            bytes[at] ^= 1 << bit;
            let record = ends.iter().rev().find(|end| **end <= at).copied().unwrap() as u64;
            let (_, end) = read(&bytes);
            // The record or the mark before it.
            let is_there = |at: u64| at == record || at == record + MARK_LEN;
            prop_assert!(matches!(end, TranslogEnd::Damaged { at, .. } if is_there(at)), "{:?}", end);
        }
    }

    #[test]
    fn a_group_that_was_not_synced_may_have_holes() {
        let sources: Vec<Vec<u8>> = (0..6).map(|n| vec![n; 40]).collect();
        let (whole, ends) = file(&sources, 3);
        for hole in ends[3]..whole.len() {
            let mut bytes = whole.clone();
            bytes[hole] ^= 1;
            let (count, end) = read(&bytes);
            assert!((3..6).contains(&count) && matches!(end, TranslogEnd::Torn { .. }), "{hole}: {end:?}");
        }
    }

    #[test]
    fn a_header_cut_short_is_an_empty_generation_and_a_wrong_one_an_error() {
        let (bytes, _) = file(&[], 1);
        for end in 0..bytes.len() {
            assert!(TranslogReader::new(&bytes[..end], &HEADER).unwrap().is_none());
        }
        let mut torn = bytes.clone();
        torn[10..].fill(0);
        assert!(TranslogReader::new(&torn, &HEADER).unwrap().is_none());
        torn.push(0);
        assert_eq!(TranslogReader::new(&torn, &HEADER).err().unwrap().0, 12);
        let other = TranslogHeader { generation: 6, ..HEADER };
        assert_eq!(TranslogReader::new(&bytes, &other).err().unwrap().0, 12);
    }
}
