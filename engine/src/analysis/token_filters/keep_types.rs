//! `keep_types`: keeps, or removes, tokens of some types.

use super::{TermFilter, TokenFilter};
use crate::Error;
use crate::Result;
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use crate::analysis::token::Term;

#[derive(Debug)]
pub(crate) struct KeepTypes {
    types: Vec<String>,
    include: bool,
}

pub(super) fn build(params: &Params, _: &Context) -> Result<TokenFilter> {
    let types = params.list("types").filter(|_| !params.is_blank("types"));
    let Some(types) = types else {
        return Err(Error::illegal_argument("keep_types requires `types` to be configured"));
    };
    let include = match params.text("mode").as_deref() {
        None | Some("include") => true,
        Some("exclude") => false,
        Some(other) => {
            return Err(Error::illegal_argument(format!(
                "`keep_types` tokenfilter mode can only be [include] or [exclude] but was [{other}]."
            )));
        }
    };
    Ok(TokenFilter::term(KeepTypes { types, include }))
}

impl TermFilter for KeepTypes {
    fn apply(&self, term: &mut Term) -> bool {
        self.types.iter().any(|kind| kind == term.kind) == self.include
    }
}
