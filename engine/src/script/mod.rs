//! Scripts: painless, and expressions compiled to the same machine.
//!
//! - `lexer`, `parser`: text to the tree in `ast`. `compile`: the tree to the bytecode in `op`, with static types (`types`) and
//!   the errors of the reference. [`Program`] is immutable and shared by all cores.
//! - `expression`: the other language, of formulas.
//! - [`Vm`]: runs a program within [`Limits`] of instructions and memory. `value`: what scripts calculate with.
//! - `class`: the registry of classes; `lib`: their members, a file per family, rows in a table.
//! - [`context`]: where scripts are used: variables and results. [`Script`]: a script as requests write it.
//! - `derived`: the values of derived fields.
//! - `run`, `numbers`, `metric`, [`update`]: scripts over documents, over numbers, over the states of buckets, over a map.
//!   `stored`: what ids stand for. `compiled`: programs that are kept.
//! - [`Documents`]: `doc['field']`. `stored_values`: `params._fields`. `term_counts`: how often terms occur. `json`: values from and to JSON; `source`: documents without a tree between.
//!   `listing`: what there is, for clients. `parts`: documents of which a script reaches (`reach`) a part. `error`: what scripts throw, and how clients are told.
//!
//! What this room does not know: searches, updates, stored scripts, the host: there is no member that leads out.

mod ast;
mod big;
mod big_bits;
mod class;
mod compile;
mod compiled;
pub mod context;
mod decimal;
mod derived;
mod doc;
mod error;
mod execute;
mod expression;
mod json;
mod lexer;
mod lib;
mod listing;
mod metric;
mod numbers;
mod op;
mod parser;
mod parts;
mod property;
mod reach;
mod run;
mod similarity;
mod source;
mod spec;
mod stored;
mod stored_values;
mod term_counts;
mod text;
mod types;
pub mod update;
mod value;
mod vm;

#[cfg(test)]
mod tests;

pub use compiled::evictions;
pub use context::Context;
pub use derived::DerivedValues;
pub use doc::Documents;
pub use error::Failed;
pub use execute::{Setup, execute_filter, execute_score, execute_template, execute_test};
pub use json::{
    KEY_OF, SELF_REFERENCE, document_json, freeze, freeze_for_condition, from_json, from_json_hashed,
    from_json_in_table, is_unwritable, to_json,
};
pub(crate) use lib::{HOLT_WINTERS_PADDING, holt_winters_ahead};
pub use listing::Listing;
pub use metric::{MetricScripts, MetricStates, reduce_states};
pub use numbers::{Significance, Windows, keeps, number_of};
pub use op::Program;
pub use property::PropertyScript;
pub use run::DocumentScript;
pub use similarity::{ScoredTerm, SimilarityScript};
pub use spec::{SOURCE_BYTES_MAX, Script};
pub use stored::{ScriptHost, StoredSource, set_host};
pub use value::Value;
pub use vm::{Limits, Vm};

use crate::error::Result;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The names of the places that scripts of `painless` may stand in.
pub fn contexts() -> impl Iterator<Item = &'static str> {
    context::CONTEXTS.iter().map(|context| context.name)
}

static COMPILATIONS: AtomicU64 = AtomicU64::new(0);

/// How many scripts were compiled in this process.
pub fn compilations() -> u64 {
    COMPILATIONS.load(Ordering::Relaxed)
}

/// Compiles a script of `painless` for a context.
pub fn compile_painless(source: &str, context: &'static Context) -> Result<Arc<Program>> {
    COMPILATIONS.fetch_add(1, Ordering::Relaxed);
    match compile::compile(source, context) {
        Ok(program) => Ok(Arc::new(program)),
        Err(error) => Err(error.to_error(source, "painless")),
    }
}
