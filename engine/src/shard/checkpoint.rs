//! Sequence numbers: handing them out, and knowing up to where all of them have been processed.

use std::collections::BTreeSet;

/// The local checkpoint of a shard. On a primary operations finish in order; on a copy that recovers they may not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocalCheckpoint {
    /// The number that the next operation gets: one above the highest seen.
    next: u64,
    /// All numbers below this one are processed.
    processed: u64,
    /// Processed numbers above a gap.
    beyond: BTreeSet<u64>,
}

impl LocalCheckpoint {
    /// As a commit point left it: everything up to `local_checkpoint` processed, `max_seq_no` the highest seen; -1 for none.
    pub fn restored(max_seq_no: i64, local_checkpoint: i64) -> Self {
        let after = |seq_no: i64| u64::try_from(seq_no + 1).unwrap_or(0);
        Self { next: after(max_seq_no), processed: after(local_checkpoint), beyond: BTreeSet::new() }
    }

    /// Gives the number of a new operation.
    pub fn assign(&mut self) -> u64 {
        let seq_no = self.next;
        self.next += 1;
        seq_no
    }

    /// Notes that the operation of `seq_no` is in the shard.
    pub fn mark_processed(&mut self, seq_no: u64) {
        self.next = self.next.max(seq_no.saturating_add(1));
        if seq_no == self.processed {
            self.processed += 1;
            while self.beyond.remove(&self.processed) {
                self.processed += 1;
            }
        } else if seq_no > self.processed {
            self.beyond.insert(seq_no);
        }
    }

    pub fn is_processed(&self, seq_no: u64) -> bool {
        seq_no < self.processed || self.beyond.contains(&seq_no)
    }

    /// The highest number seen; -1 before the first.
    pub fn max_seq_no(&self) -> i64 {
        self.next as i64 - 1
    }

    /// The highest number at and below which all are processed; -1 before the first.
    pub fn local_checkpoint(&self) -> i64 {
        self.processed as i64 - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checkpoint_waits_at_a_gap() {
        let mut checkpoint = LocalCheckpoint::default();
        assert_eq!((checkpoint.max_seq_no(), checkpoint.local_checkpoint()), (-1, -1));
        for seq_no in [0, 3, 1] {
            checkpoint.mark_processed(seq_no);
        }
        assert_eq!((checkpoint.max_seq_no(), checkpoint.local_checkpoint()), (3, 1));
        assert!(checkpoint.is_processed(3) && !checkpoint.is_processed(2));
        checkpoint.mark_processed(2);
        assert_eq!((checkpoint.assign(), checkpoint.local_checkpoint()), (4, 3));
    }

    #[test]
    fn a_restored_checkpoint_goes_on_where_it_was() {
        let mut checkpoint = LocalCheckpoint::restored(7, 5);
        assert_eq!((checkpoint.max_seq_no(), checkpoint.local_checkpoint()), (7, 5));
        assert_eq!(checkpoint.assign(), 8);
        assert_eq!(LocalCheckpoint::restored(-1, -1), LocalCheckpoint::default());
    }
}
