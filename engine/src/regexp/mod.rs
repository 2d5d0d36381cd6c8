//! The regular expressions of Lucene, which queries, aggregations and tokenizers share. They know no index and no query.
//!
//! - `syntax`: text to a tree; `notation`: a tree as Lucene writes it.
//! - `automaton`: what expressions become, within a bounded effort.

mod automaton;
mod notation;
mod syntax;

pub use automaton::Dfa;
pub use syntax::{Flags, parse};

/// What it may cost to make an automaton, unless a request says: `max_determinized_states` and the same of Lucene.
pub const MAX_STATES: usize = 10_000;
