//! The documents of a term.

use super::WindowBits;

/// What a cursor is to deliver. Asking for less costs less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Want {
    Docs,
    Freqs,
    Positions,
}

/// A bound of what the documents in a range can score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreBound {
    /// The bound holds for all documents from the target to this one, inclusive.
    pub last_doc: u32,
    /// At least `tf / (tf + k1 * (1 - b + b * length / average))` of any of them, for k1 = 1.2, b = 0.75 and the average
    /// recorded in the segment ([`Postings::bound_avg_len`]). With a larger average multiply by new / recorded.
    pub max_tf_norm: f32,
}

/// A cursor over the documents of a term. A fresh one stands on its first document; at the end it stands on
/// [`super::NO_MORE_DOCS`] and stays there.
#[derive(Clone)]
pub struct Postings {}

impl Postings {
    pub fn doc(&self) -> u32 {
        todo!()
    }

    /// Moves to the next document.
    pub fn next(&mut self) -> u32 {
        todo!()
    }

    /// Moves to the first document ≥ `target`; stays where it is if that is not after the current one.
    pub fn advance(&mut self, _target: u32) -> u32 {
        todo!()
    }

    /// How often the term stands in the current document; 1 where frequencies are not indexed.
    pub fn freq(&mut self) -> u32 {
        todo!()
    }

    /// Documents in the list.
    pub fn doc_freq(&self) -> u32 {
        todo!()
    }

    /// The positions in the current document, ascending; clears `out` first. Nothing where positions are not indexed or
    /// were not wanted.
    pub fn positions(&mut self, _out: &mut Vec<u32>) {
        todo!()
    }

    /// ORs the documents from the current one on that are below `upto` and in the window of `bits` into it, and moves to
    /// the first document after them. Documents before the window are skipped.
    pub fn collect_into(&mut self, _upto: u32, _bits: &mut WindowBits) {
        todo!()
    }

    /// Keeps of `bits` what is in the list, and moves to the first document after the window.
    pub fn intersect_into(&mut self, _bits: &mut WindowBits) {
        todo!()
    }

    /// The current document and those that are decoded with it, at most 128, with their frequencies (empty if frequencies
    /// were not wanted). The cursor does not move: [`Postings::skip_block`] goes behind them. Empty at the end.
    pub fn block(&mut self) -> (&[u32], &[u32]) {
        todo!()
    }

    /// Moves to the first document after those that [`Postings::block`] gives.
    pub fn skip_block(&mut self) -> u32 {
        todo!()
    }

    /// A bound for the documents from `target` (≥ the current one) on. Does not move the cursor.
    pub fn bound(&self, _target: u32) -> ScoreBound {
        todo!()
    }

    /// A bound for the whole list.
    pub fn list_bound(&self) -> f32 {
        todo!()
    }

    /// The average field length for which bounds are recorded.
    pub fn bound_avg_len(&self) -> f32 {
        todo!()
    }
}
