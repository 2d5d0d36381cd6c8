//! `synonym` and `synonym_graph`: tokens, and runs of tokens, beside or instead of others.
//!
//! - [`rules`]: the formats of rules, and the map made of them with the chain that the filter stands in.
//! - [`flat`]: `synonym`: all outputs laid over the positions of the input.
//! - [`graph`]: `synonym_graph`: outputs of several words as side paths of a token graph.

mod flat;
mod graph;
mod rules;

use super::TokenFilter;
use crate::Result;
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use flat::SynonymFlat;
use graph::SynonymGraph;
use rules::SynonymMap;

/// The type of tokens that are synonyms.
const SYNONYM: &str = "SYNONYM";

pub(super) fn build(params: &Params, context: &Context) -> Result<TokenFilter> {
    Ok(TokenFilter::stream(SynonymFlat::new(SynonymMap::read(params, context)?)))
}

pub(super) fn build_graph(params: &Params, context: &Context) -> Result<TokenFilter> {
    Ok(TokenFilter::stream(SynonymGraph::new(SynonymMap::read(params, context)?)))
}

/// What is refused when the filter is defined, whoever uses it.
pub(super) fn check(params: &Params) -> Result<()> {
    SynonymMap::flags(params).map(drop)
}
