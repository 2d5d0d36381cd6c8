//! Stemmers: a word to its stem, in place. Pure functions without parameters; `token_filters::stemmer` names them.

mod english;
mod porter;

pub(crate) use english::{minimal, possessive};
pub(crate) use porter::porter;
