//! `classic`: removes `'s` and the dots of acronyms, which the classic tokenizer typed.

use super::{TermFilter, TokenFilter};
use crate::Result;
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use crate::analysis::token::Term;

#[derive(Debug)]
pub(crate) struct Classic;

pub(super) fn build(_: &Params, _: &Context) -> Result<TokenFilter> {
    Ok(TokenFilter::term(Classic))
}

impl TermFilter for Classic {
    fn apply(&self, term: &mut Term) -> bool {
        match term.kind {
            "<APOSTROPHE>" => {
                if let Some(stem) = term.text.strip_suffix("'s").or(term.text.strip_suffix("'S")) {
                    term.text.truncate(stem.len());
                }
            }
            "<ACRONYM>" => term.text.retain(|c| c != '.'),
            _ => {}
        }
        true
    }
}
