//! `keyword_marker`: marks words that stemmers shall leave alone.

use super::{TermFilter, TokenFilter};
use crate::Error;
use crate::Result;
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use crate::analysis::token::Term;
use crate::analysis::words::WordSet;
use crate::java_regex::JavaRegex;

#[derive(Debug)]
pub(crate) struct KeywordMarker {
    marks: Marks,
}

pub(super) fn build(params: &Params, _: &Context) -> Result<TokenFilter> {
    let ignore_case = params.bool("ignore_case", false)?;
    let pattern = params.text("keywords_pattern");
    let keywords = params.words_or_file("keywords")?;
    let marks = match (pattern, keywords) {
        (Some(_), Some(_)) => {
            return Err(Error::illegal_argument(
                "cannot specify both `keywords_pattern` and `keywords` or `keywords_path`",
            ));
        }
        (Some(pattern), None) => Marks::Pattern(Box::new(JavaRegex::new(&pattern, "")?)),
        (None, Some(words)) => Marks::Words(words.into_set(ignore_case)),
        (None, None) => {
            return Err(Error::illegal_argument(
                "keyword filter requires either `keywords`, `keywords_path`, or `keywords_pattern` to be configured",
            ));
        }
    };
    Ok(TokenFilter::term(KeywordMarker { marks }))
}

impl TermFilter for KeywordMarker {
    fn apply(&self, term: &mut Term) -> bool {
        term.keyword |= match &self.marks {
            Marks::Words(words) => words.contains(&term.text),
            Marks::Pattern(pattern) => pattern.matches_whole(&term.text),
        };
        true
    }

    fn shows_keyword(&self) -> bool {
        true
    }
}

#[derive(Debug)]
enum Marks {
    Words(WordSet),
    /// Must match the whole token.
    Pattern(Box<JavaRegex>),
}

impl KeywordMarker {
    pub fn new(words: WordSet) -> Self {
        Self { marks: Marks::Words(words) }
    }
}
