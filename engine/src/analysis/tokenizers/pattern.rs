//! `pattern`: what a regular expression separates, or one of its groups.

use super::{Raw, Stop, Tokenizer};
use crate::analysis::params::Params;
use crate::analysis::registry::Limits;
use crate::analysis::token::WORD;
use crate::java_regex::JavaRegex;
use crate::{Error, Result};

#[derive(Debug)]
pub(crate) struct Pattern {
    regex: JavaRegex,
    /// The group that is a token; `None`: matches separate tokens.
    group: Option<usize>,
}

impl Pattern {
    /// What `regex` separates.
    pub fn split(regex: JavaRegex) -> Self {
        Self { regex, group: None }
    }
}

pub(super) fn build(params: &Params, _: Limits) -> Result<Box<dyn Tokenizer>> {
    let pattern = params.text("pattern").unwrap_or_else(|| r"\W+".to_owned());
    let regex = JavaRegex::new(&pattern, &params.text("flags").unwrap_or_default())?;
    let group = params.int("group", -1)?;
    let group = usize::try_from(group).ok();
    if group.is_some_and(|group| group >= regex.group_count()) {
        return Err(Error::illegal_argument(format!(
            "invalid group specified: pattern only has: {} capturing groups",
            regex.group_count() - 1
        )));
    }
    Ok(Box::new(Pattern { regex, group }))
}

impl Tokenizer for Pattern {
    fn tokenize(&self, text: &str, sink: &mut dyn FnMut(Raw<'_>) -> bool) {
        // Empty tokens are no tokens.
        let mut emit = |start: usize, end: usize| start == end || sink(Raw::new(text, start, end, WORD));
        let mut from = 0;
        let mut open = true;
        self.regex.for_each(text, |captures| {
            let span = captures.get_group(self.group.unwrap_or(0));
            open = match (self.group, span) {
                (None, Some(span)) => emit(std::mem::replace(&mut from, span.end), span.start),
                (Some(_), Some(span)) => emit(span.start, span.end),
                (_, None) => true,
            };
            open
        });
        if open && self.group.is_none() {
            emit(from, text.len());
        }
    }

    fn stops(&self) -> Stop {
        Stop::AtEnd
    }
}
