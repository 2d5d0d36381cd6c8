//! `pattern_replace`: replaces what a regular expression matches.

use super::CharFilter;
use crate::analysis::offsets::Filtered;
use crate::analysis::params::Params;
use crate::java_regex::JavaRegex;
use crate::java_regex::Replacement;
use crate::{Error, Result};

#[derive(Debug)]
pub(crate) struct PatternReplace {
    pattern: JavaRegex,
    replacement: Replacement,
}

pub(super) fn build(params: &Params) -> Result<Box<dyn CharFilter>> {
    let Some(pattern) = params.text("pattern").filter(|pattern| !pattern.is_empty()) else {
        return Err(Error::illegal_argument(format!(
            "pattern is missing for [{}] char filter of type 'pattern_replace'",
            params.name
        )));
    };
    let pattern = JavaRegex::new(&pattern, &params.text("flags").unwrap_or_default())?;
    let replacement = Replacement::parse(&params.text("replacement").unwrap_or_default(), &pattern);
    Ok(Box::new(PatternReplace { pattern, replacement }))
}

impl CharFilter for PatternReplace {
    fn filter(&self, text: &str, out: &mut Filtered) {
        let mut copied = 0;
        let mut replacement = String::new();
        let replaced = self.pattern.try_for_each(text, |captures| {
            self.replacement.failure().map_or(Ok(()), Err)?;
            let span = captures.get_group(0).expect("group 0 is the match");
            replacement.clear();
            self.replacement.write(text, captures, &mut replacement);
            out.copy(&text[copied..span.start]);
            out.replace(&text[span.range()], &replacement);
            copied = span.end;
            Ok(out.failure.is_none())
        });
        out.copy(&text[copied..]);
        if let Err(failure) = replaced {
            out.failure.get_or_insert(failure);
        }
    }

    fn normalizes(&self) -> bool {
        true
    }
}
