//! Segments: immutable sets of documents with everything that is known of them, read over one block of bytes.
//!
//! - [`segment`](Segment): the whole; `layout` its sections and checksums; `partial`: segments that are read part by part, as they are asked;
//!   `parts`: what a core keeps of these, by `clock`
//! - `terms` (with `term_iter`, `key_scan`, `terms_writer`), `postings`: which documents hold a term, how often and where
//! - `norms`, `numeric`, `ordinals`, `points`, `docset`: columns by document; `first_points`: the points that are enough; `batch`: the values of many documents at once;
//!   `blocks`: the extremes of few
//! - `stored`, `ids`: what a hit shows
//! - `roots`: documents that are not nested in others
//! - `live`, `snapshot`: which documents are live, and the segments of a shard at one point in time; `statistics`: what
//!   their terms count for where a search goes by those of several shards
//!
//! Document numbers are local to a segment and cut into windows of [`WINDOW`] documents; see `bits`. Cursors own what they
//! read (`'static`), so that a search can be suspended between windows. Not known here: mappings, analysis, scoring, files.

mod batch;
mod bits;
mod blocks;
mod clock;
mod doc_iterator;
pub(crate) mod docset;
mod error;
mod fielddata;
mod first_points;
mod ids;
mod key_scan;
mod layout;
mod letters;
mod live;
pub(crate) mod norms;
pub(crate) mod numeric;
mod ordinals;
mod partial;
mod parts;
pub(crate) mod points;
mod postings;
mod roots;
#[allow(clippy::module_inception, reason = "the file of the type that the room is named for")]
mod segment;
mod snapshot;
mod statistics;
mod stored;
mod term_iter;
mod terms;
mod terms_writer;

pub use batch::Batch;
pub use bits::{WINDOW_WORDS, WindowBits};
pub use blocks::BLOCK_DOCS;
pub use doc_iterator::DocIterator;
pub use docset::DocSet;
pub use key_scan::KeyScan;
pub use letters::NearTerms;
pub use live::LiveDocs;
pub use norms::{Norms, decode_length, encode_length};
pub use numeric::NumericColumn;
pub use ordinals::OrdinalColumn;
pub use parts::{PartCache, PartFigures, add_misses, misses};
pub use points::Points;
pub use postings::{
    DenseWindow, PositionSums, Positions, PositionsAhead, Postings, RANGE_DOCS, ScoreBound, TENTH, WINDOW_RANGES, Want,
    WindowPart, WindowSpan,
};
pub use roots::Roots;
pub use segment::{FieldStats, Segment, SegmentField};
pub use snapshot::{SegmentView, Snapshot};
pub use statistics::{Counting, FieldCounts, Statistics, TermCounts};
pub(crate) use stored::Block;
pub use stored::{OpenedBlock, StoredDoc, StoredValue, ignored_follows_source, keep_records};
pub use term_iter::TermIter;
pub use terms::{TermInfo, Terms};

// For the writer.
pub(crate) use error::SegmentError;
pub(crate) use ids::IdsWriter;
pub(crate) use key_scan::index_key;
pub(crate) use layout::{FieldHeader, FileWriter, Kind};
pub(crate) use postings::{FieldLengths, Group, PostingsWriter};
pub(crate) use segment::{PRIMARY_TERM, SEQ_NO, VERSION};
pub(crate) use stored::StoredWriter;
pub(crate) use terms::keys_of;
pub(crate) use terms_writer::{TermMeta, TermsWriter};

/// What cursors stand on at their end.
pub const NO_MORE_DOCS: u32 = u32::MAX;
/// Documents in a window.
pub const WINDOW: u32 = 65_536;
