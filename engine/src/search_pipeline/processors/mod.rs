//! The kinds of processors, a file for each. The first four work on requests, the others on answers.

pub(super) mod filter_query;
pub(super) mod oversample;
pub(super) mod routing;
pub(super) mod script;

pub(super) mod collapse;
pub(super) mod rename_field;
pub(super) mod sort;
pub(super) mod split;
pub(super) mod truncate_hits;
