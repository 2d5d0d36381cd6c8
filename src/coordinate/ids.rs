//! Ids for documents that come without one: 20 characters of URL-safe base64, as the reference makes them.
//!
//! ```text
//! byte 0      sequence, low byte          bytes 6..12   who made it: random, differs for every core of every start
//! byte 1      sequence, high byte         byte 12       milliseconds, second byte
//! bytes 2..6  milliseconds, high bytes    byte 13       sequence, middle byte     byte 14  milliseconds, low byte
//! ```
//!
//! Bytes that change seldom stand together, which is what makes the ids of one time compress well in a dictionary.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use std::cell::Cell;

/// Makes the ids of one core.
#[derive(Debug)]
pub struct IdSource {
    maker: [u8; 6],
    sequence: Cell<u32>,
    last_ms: Cell<u64>,
}

impl IdSource {
    /// `maker` must differ from that of every other core in the cluster.
    pub fn new(maker: [u8; 6], first: u32) -> Self {
        Self { maker, sequence: Cell::new(first), last_ms: Cell::new(0) }
    }

    pub fn random() -> Self {
        let mut maker = [0; 6];
        fastrand::fill(&mut maker);
        Self::new(maker, fastrand::u32(..))
    }

    /// The next id. It stays unique when the clock goes back, and for 16 million ids a millisecond.
    pub fn next(&self, now_ms: u64) -> String {
        let sequence = self.sequence.get().wrapping_add(1) & 0xff_ffff;
        self.sequence.set(sequence);
        let mut ms = now_ms.max(self.last_ms.get());
        if sequence == 0 {
            ms += 1;
        }
        self.last_ms.set(ms);
        let mut bytes = [0u8; 15];
        bytes[0] = sequence as u8;
        bytes[1] = (sequence >> 16) as u8;
        for (i, shift) in [16, 24, 32, 40].into_iter().enumerate() {
            bytes[2 + i] = (ms >> shift) as u8;
        }
        bytes[6..12].copy_from_slice(&self.maker);
        bytes[12] = (ms >> 8) as u8;
        bytes[13] = (sequence >> 8) as u8;
        bytes[14] = ms as u8;
        URL_SAFE_NO_PAD.encode(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_twenty_long() {
        let source = IdSource::new([1; 6], 0xff_fff0);
        let mut ids: Vec<String> = (0..64).map(|i| source.next(1_000 - i / 8)).collect();
        assert!(ids.iter().all(|id| id.len() == 20));
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), 64);
    }
}
