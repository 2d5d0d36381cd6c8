//! `stemmer_override`: stems by rules, and keeps other stemmers off what it stemmed.

use super::{TermFilter, TokenFilter};
use crate::Error;
use crate::Result;
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use crate::analysis::token::Term;
use hashbrown::HashMap;

#[derive(Debug)]
pub(crate) struct StemmerOverride {
    rules: HashMap<String, String>,
}

pub(super) fn build(params: &Params, _: &Context) -> Result<TokenFilter> {
    let Some(lines) = params.words_or_file("rules")?.map(|words| words.0) else {
        return Err(Error::illegal_argument(
            "stemmer override filter requires either `rules` or `rules_path` to be configured",
        ));
    };
    let mut rules = HashMap::new();
    for (number, line) in lines.iter().enumerate() {
        let reason = format!("Line [{}]: Invalid keyword override rule: {line}", number + 1);
        let invalid = || Error::new(crate::ErrorKind::Runtime, reason.clone());
        let (words, stem) = line.split_once("=>").ok_or_else(invalid)?;
        let stem = stem.trim();
        if stem.is_empty() || stem.contains(',') || stem.contains("=>") {
            return Err(invalid());
        }
        for word in words.split(',').map(str::trim) {
            if word.is_empty() {
                return Err(invalid());
            }
            rules.entry(word.to_owned()).or_insert_with(|| stem.to_owned());
        }
    }
    Ok(TokenFilter::term(StemmerOverride { rules }))
}

impl StemmerOverride {
    pub fn new<'r>(rules: impl IntoIterator<Item = (&'r str, &'r str)>) -> Self {
        Self { rules: rules.into_iter().map(|(word, stem)| (word.to_owned(), stem.to_owned())).collect() }
    }
}

impl TermFilter for StemmerOverride {
    fn apply(&self, term: &mut Term) -> bool {
        if term.keyword {
            return true;
        }
        if let Some(stem) = self.rules.get(&term.text) {
            term.text.clone_from(stem);
            term.keyword = true;
        }
        true
    }

    fn shows_keyword(&self) -> bool {
        true
    }
}
