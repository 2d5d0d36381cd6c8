//! `condition` and `predicate_token_filter`: filters that a script decides on.

use super::TokenFilter;
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use crate::{Error, Result};

fn check_script(params: &Params) -> Result<Error> {
    if !params.has("script") && !params.has("script.source") && !params.has("script.id") {
        return Err(Error::illegal_argument(
            "must specify either [source] for an inline script or [id] for a stored script",
        ));
    }
    Ok(Error::illegal_argument(format!("[{}] needs scripts of token filters, which are not supported", params.name)))
}

pub(super) fn build(params: &Params, _: &Context) -> Result<TokenFilter> {
    if params.list("filter").is_none_or(|filters| filters.is_empty()) {
        return Err(Error::illegal_argument(
            "Empty list of filters provided to tokenfilter [".to_owned() + params.name + "]",
        ));
    }
    Err(check_script(params)?)
}

pub(super) fn build_predicate(params: &Params, _: &Context) -> Result<TokenFilter> {
    Err(check_script(params)?)
}
