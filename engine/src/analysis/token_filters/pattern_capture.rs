//! `pattern_capture`: the groups of regular expressions as tokens beside the original.

use super::{StreamFilter, TokenFilter};
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use crate::analysis::token::{Item, TokenBuf};
use crate::java_regex::JavaRegex;
use crate::{Error, Result};

#[derive(Debug)]
pub(crate) struct PatternCapture {
    patterns: Vec<JavaRegex>,
    preserve_original: bool,
}

pub(super) fn build(params: &Params, _: &Context) -> Result<TokenFilter> {
    let Some(patterns) = params.list("patterns") else {
        return Err(Error::illegal_argument(format!(
            "required setting 'patterns' is missing for token filter [{}]",
            params.name
        )));
    };
    let preserve_original = params.bool("preserve_original", true)?;
    let patterns = patterns.iter().map(|pattern| JavaRegex::new(pattern, "")).collect::<Result<_>>()?;
    Ok(TokenFilter::stream(PatternCapture { patterns, preserve_original }))
}

impl StreamFilter for PatternCapture {
    fn apply(&self, input: &TokenBuf, out: &mut TokenBuf) {
        out.end_like(input);
        for (text, item) in input.iter() {
            let mut spans = self.spans(text);
            let mut increment = item.increment;
            if self.preserve_original || spans.is_empty() {
                // The original is there already.
                spans.retain(|(_, _, start, end)| (*start, *end) != (0, text.len()));
                if !out.push(text, *item) {
                    return;
                }
                increment = 0;
            }
            for (_, _, start, end) in spans {
                if !out.push(&text[start..end], Item { increment: std::mem::take(&mut increment), ..*item }) {
                    return;
                }
            }
        }
    }
}

impl PatternCapture {
    /// The spans of the groups of all matches of all patterns: by where they begin, and of those that begin at the same
    /// place by pattern and group.
    fn spans(&self, text: &str) -> Vec<(usize, usize, usize, usize)> {
        let mut spans = vec![];
        for (n, pattern) in self.patterns.iter().enumerate() {
            pattern.for_each(text, |captures| {
                for group in 1..captures.group_len() {
                    if let Some(span) = captures.get_group(group).filter(|span| !span.is_empty()) {
                        spans.push((n, group, span.start, span.end));
                    }
                }
                true
            });
        }
        spans.sort_by_key(|(_, _, start, _)| *start);
        spans
    }
}
