//! Analyzers that need no definition: a file per kind, one row per kind in [`TABLE`].

mod english;
mod fingerprint;
mod keyword;
pub(super) mod language;
mod pattern;
mod simple;
mod standard;
mod stop;
mod whitespace;

use super::chain::{Chain, Named};
use super::params::Params;
use super::registry::Kind;
use super::token_filters::TokenFilter;
use super::tokenizers::Tokenizer;
use crate::Result;
use std::sync::Arc;

/// A kind of analyzer. Its name alone stands for the kind without parameters.
pub(crate) struct Row {
    pub kind: &'static str,
    pub build: fn(&Params) -> Result<Chain>,
}

impl Kind for Row {
    fn kind(&self) -> &'static str {
        self.kind
    }
}

pub(crate) const TABLE: &[Row] = &[
    Row { kind: "arabic", build: language::arabic },
    Row { kind: "armenian", build: language::armenian },
    Row { kind: "basque", build: language::basque },
    Row { kind: "bengali", build: language::bengali },
    Row { kind: "brazilian", build: language::brazilian },
    Row { kind: "bulgarian", build: language::bulgarian },
    Row { kind: "catalan", build: language::catalan },
    Row { kind: "chinese", build: language::chinese },
    Row { kind: "cjk", build: language::cjk },
    Row { kind: "czech", build: language::czech },
    Row { kind: "danish", build: language::danish },
    Row { kind: "dutch", build: language::dutch },
    Row { kind: "english", build: english::build },
    Row { kind: "estonian", build: language::estonian },
    Row { kind: "fingerprint", build: fingerprint::build },
    Row { kind: "finnish", build: language::finnish },
    Row { kind: "french", build: language::french },
    Row { kind: "galician", build: language::galician },
    Row { kind: "german", build: language::german },
    Row { kind: "greek", build: language::greek },
    Row { kind: "hindi", build: language::hindi },
    Row { kind: "hungarian", build: language::hungarian },
    Row { kind: "indonesian", build: language::indonesian },
    Row { kind: "irish", build: language::irish },
    Row { kind: "italian", build: language::italian },
    Row { kind: "keyword", build: keyword::build },
    Row { kind: "latvian", build: language::latvian },
    Row { kind: "lithuanian", build: language::lithuanian },
    Row { kind: "norwegian", build: language::norwegian },
    Row { kind: "pattern", build: pattern::build },
    Row { kind: "persian", build: language::persian },
    Row { kind: "portuguese", build: language::portuguese },
    Row { kind: "romanian", build: language::romanian },
    Row { kind: "russian", build: language::russian },
    Row { kind: "simple", build: simple::build },
    Row { kind: "snowball", build: language::snowball },
    Row { kind: "sorani", build: language::sorani },
    Row { kind: "spanish", build: language::spanish },
    Row { kind: "standard", build: standard::build },
    Row { kind: "stop", build: stop::build },
    Row { kind: "swedish", build: language::swedish },
    Row { kind: "thai", build: language::thai },
    Row { kind: "turkish", build: language::turkish },
    Row { kind: "whitespace", build: whitespace::build },
];

/// A chain of parts whose names nobody sees.
fn chain(tokenizer: impl Tokenizer + 'static, filters: impl IntoIterator<Item = TokenFilter>) -> Chain {
    let filters = filters.into_iter().map(|filter| Named::new("", filter)).collect();
    Chain::new(vec![], Named::new("", Arc::new(tokenizer)), filters)
}
