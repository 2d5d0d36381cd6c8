//! `elision`: removes articles before an apostrophe.

use super::{TermFilter, TokenFilter};
use crate::Error;
use crate::Result;
use crate::analysis::analyzers::language::FRENCH_ARTICLES as FRENCH;
use crate::analysis::params::{Params, Words};
use crate::analysis::registry::Context;
use crate::analysis::token::Term;
use crate::analysis::words::WordSet;

#[derive(Debug)]
pub(crate) struct Elision {
    articles: WordSet,
}

pub(super) fn build(params: &Params, _: &Context) -> Result<TokenFilter> {
    let ignore_case = params.bool("articles_case", false)?;
    let articles = match params.words_or_file("articles")? {
        Some(articles) => articles,
        None if params.has("articles") => Words(vec![]),
        None => {
            return Err(Error::illegal_argument("elision filter requires [articles] or [articles_path] setting"));
        }
    };
    Ok(TokenFilter::term(Elision { articles: articles.into_set(ignore_case) }))
}

impl Elision {
    pub fn new(articles: WordSet) -> Self {
        Self { articles }
    }
}

impl TermFilter for Elision {
    fn apply(&self, term: &mut Term) -> bool {
        let apostrophe = term.text.char_indices().find(|(_, c)| matches!(c, '\'' | '\u{2019}'));
        if let Some((at, c)) = apostrophe
            && self.articles.contains(&term.text[..at])
        {
            term.text.drain(..at + c.len_utf8());
        }
        true
    }

    fn normalizes(&self) -> bool {
        true
    }
}

/// The filter under its bare name: French articles.
pub(super) fn preset() -> TokenFilter {
    TokenFilter::term(Elision { articles: WordSet::new(FRENCH, true) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_tokens() {
        let cases = [("l'avion", "avion"), ("L’avion", "avion"), ("o'neil", "o'neil")];
        for (text, expected) in cases {
            let mut term = Term { text: text.to_owned(), ..Term::default() };
            assert!(Elision { articles: WordSet::new(FRENCH, true) }.apply(&mut term));
            assert_eq!(term.text, expected);
        }
    }
}
