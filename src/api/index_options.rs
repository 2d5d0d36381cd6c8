//! Which indexes a request means: the parameters that say what becomes of missing ones and what wildcards stand for.

use super::{ApiRequest, params};
use crate::cluster::IndicesOptions;
use pith_engine::{Error, Result};

/// The parameters of [`index_options`].
pub const INDEX_PARAMS: &[&str] = &["ignore_unavailable", "allow_no_indices", "expand_wildcards", "ignore_throttled"];

/// The request's options, with `default` for what it does not say.
pub fn index_options(request: &ApiRequest, default: IndicesOptions) -> Result<IndicesOptions> {
    let mut options = default;
    if let Some(text) = request.param("expand_wildcards") {
        expand_wildcards(&mut options, params::names(text))?;
    }
    options.ignore_unavailable = flag(request, "ignore_unavailable", options.ignore_unavailable)?;
    options.allow_no_indices = flag(request, "allow_no_indices", options.allow_no_indices)?;
    // There are no frozen indexes, so there is nothing to throttle; the value is only checked.
    flag(request, "ignore_throttled", false)?;
    Ok(options)
}

/// A boolean with the complaint that these parameters have.
fn flag(request: &ApiRequest, name: &str, default: bool) -> Result<bool> {
    Ok(request.param(name).map(|value| flag_value(name, value)).transpose()?.flatten().unwrap_or(default))
}

/// Reads such a boolean; without a value it says nothing.
pub fn flag_value(name: &str, value: &str) -> Result<Option<bool>> {
    let convert = |cause| Error::illegal_argument(format!("Could not convert [{name}] to boolean")).caused_by(cause);
    if value.trim().is_empty() { Ok(None) } else { params::boolean(value).map(Some).map_err(convert) }
}

/// Reads a list of what wildcards stand for.
pub fn expand_wildcards<'w>(options: &mut IndicesOptions, words: impl IntoIterator<Item = &'w str>) -> Result<()> {
    (options.expand_open, options.expand_closed, options.expand_hidden) = (false, false, false);
    for word in words {
        match word {
            "open" => options.expand_open = true,
            "closed" => options.expand_closed = true,
            "hidden" => options.expand_hidden = true,
            "all" => (options.expand_open, options.expand_closed, options.expand_hidden) = (true, true, true),
            "none" => (options.expand_open, options.expand_closed, options.expand_hidden) = (false, false, false),
            other => return Err(Error::illegal_argument(format!("No valid expand wildcard value [{other}]"))),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards() {
        let mut options = IndicesOptions::STRICT_EXPAND_OPEN;
        expand_wildcards(&mut options, ["closed", "hidden"]).unwrap();
        assert!(!options.expand_open && options.expand_closed && options.expand_hidden);
        expand_wildcards(&mut options, ["all", "none"]).unwrap();
        assert!(!options.expand_open && !options.expand_closed);
        assert_eq!(expand_wildcards(&mut options, [" x"]).unwrap_err().reason(), "No valid expand wildcard value [ x]");
    }
}
