//! Postings: the documents of a term, how often and where it stands in each.
//!
//! - `write`: draws the layout and writes it
//! - `cursor`: walks it; `short`: lists without units; `dense` the windows that are bitsets; `positions` the positions; `groups`: reads it as a whole
//! - `bound`: what the documents in a range can score at most; `window`: a window of a list, for evaluation in bulk
//!
//! A list is a row of units: blocks of up to 128 documents, packed, and whole windows as bitsets where those hold many.

mod bound;
mod cursor;
mod dense;
mod groups;
mod positions;
mod short;
mod window;
mod write;

#[cfg(test)]
mod tests;

use super::partial::PartSection;
use bytes::Bytes;

pub(crate) use bound::FieldLengths;
pub use bound::{RANGE_DOCS, ScoreBound, TENTH};
pub use cursor::Postings;
pub(crate) use groups::Group;
pub use positions::{PositionSums, Positions, PositionsAhead};
pub(crate) use short::{UNITS_DOCS_MIN, for_each as for_each_of_short};
pub use window::{DenseWindow, WINDOW_RANGES, WindowPart, WindowSpan};
pub(crate) use write::PostingsWriter;

/// What a cursor is to deliver. Asking for less costs less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Want {
    Docs,
    Freqs,
    Positions,
}

/// The sections that the lists of a field are read from.
#[derive(Clone, Default)]
pub(crate) struct PostingsSource {
    pub postings: Bytes,
    pub positions: Bytes,
    pub freqs: bool,
    pub has_positions: bool,
    pub norms: bool,
    pub bound_avg_len: f32,
    /// Where postings and positions are read from list by list, in place of the bytes above.
    pub lists: Option<[PartSection; 2]>,
}

/// Where the list of a term stands, as the dictionary knows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ListPlace {
    /// Start of the list; of a list of one document the document itself.
    pub start: u64,
    pub positions: u64,
    /// Frequency in the document, if there is one only.
    pub single_freq: u32,
    /// The best tf-norm of the list, quantised.
    pub best: u8,
    /// What the tenth best tf-norm is at least, quantised; 0 if that is not known.
    pub tenth: u8,
}
