//! A chain: char filters, a tokenizer, token filters; and the ways to run it.

use super::char_filters::CharFilter;
use super::offsets::{Filtered, Utf16Cursor};
use super::token::{End, Scratch, Term, Token, TokenBuf};
use super::token_filters::{TermFilter, TokenFilter};
use super::tokenizers::Tokenizer;
use crate::{Error, Result};
use std::sync::Arc;

/// A component with the name that explanations show.
#[derive(Clone, Debug)]
pub(crate) struct Named<T> {
    pub name: Arc<str>,
    pub part: T,
}

impl<T> Named<T> {
    pub fn new(name: &str, part: T) -> Self {
        Self { name: name.into(), part }
    }
}

/// Most parts of a chain: each of them goes through all tokens of the one before.
const PARTS_MAX: usize = 1_000;

/// That a chain may have so many parts; `subject` says of what.
pub(crate) fn check_parts(parts: usize, subject: &str) -> Result<()> {
    match parts > PARTS_MAX {
        true => Err(Error::illegal_argument(format!(
            "{subject} has [{parts}] filters, more than the maximum of [{PARTS_MAX}]"
        ))),
        false => Ok(()),
    }
}

/// What turns a text into tokens.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    pub char_filters: Vec<Named<Arc<dyn CharFilter>>>,
    pub tokenizer: Named<Arc<dyn Tokenizer>>,
    pub filters: Vec<Named<TokenFilter>>,
    /// Filters before this one look at single tokens only and run as the tokenizer goes.
    streamed: usize,
    /// Prefixes and patterns stay as they are.
    raw: bool,
}

impl Chain {
    pub fn new(
        char_filters: Vec<Named<Arc<dyn CharFilter>>>,
        tokenizer: Named<Arc<dyn Tokenizer>>,
        filters: Vec<Named<TokenFilter>>,
    ) -> Self {
        let streamed = filters.iter().position(|f| matches!(f.part, TokenFilter::Stream(_))).unwrap_or(filters.len());
        Self { char_filters, tokenizer, filters, streamed, raw: false }
    }

    /// The same that leaves prefixes and patterns as they are, whatever its filters.
    pub fn raw(self) -> Self {
        Self { raw: true, ..self }
    }

    /// What is not analyzed as a whole, a prefix or a pattern, as far as filters work on single characters or whole words.
    pub fn normalize(&self, text: &str) -> String {
        let mut term = Term::default();
        term.text.push_str(text);
        if self.raw {
            return term.text;
        }
        for filter in self.char_filters.iter().filter(|filter| filter.part.normalizes()) {
            let mut filtered = Filtered::default();
            filter.part.filter(&term.text, &mut filtered);
            term.text = filtered.text;
        }
        for filter in &self.filters {
            if let Some(filter) = filter.part.normalizer() {
                filter.apply(&mut term);
            }
        }
        term.text
    }

    /// Adds a filter at the end.
    pub fn push(&mut self, filter: Named<TokenFilter>) {
        if self.streamed == self.filters.len() && matches!(filter.part, TokenFilter::Term(_)) {
            self.streamed += 1;
        }
        self.filters.push(filter);
    }

    /// Feeds the tokens of `text` to `sink`, in order.
    pub fn run(&self, text: &str, scratch: &mut Scratch, sink: &mut dyn FnMut(&Token<'_>)) -> End {
        let Scratch { term, front, back, filtered } = scratch;
        let texts = self.filter_chars(text, filtered);
        if self.streamed == self.filters.len() {
            let mut position = Position::default();
            let end = self.stream(&self.filters, text, texts, term, &mut |term| {
                sink(&position.token(&term.text, term));
                true
            });
            let position = position.next.saturating_add(end.trailing);
            return End { position, offset: end.offset, overflow: end.overflow, failure: end.failure };
        }
        self.buffer(&self.filters[..self.streamed], text, texts, term, front);
        for filter in &self.filters[self.streamed..] {
            // What has too many tokens is refused, whatever becomes of them.
            if front.overflow {
                break;
            }
            apply(&filter.part, front, back, term);
            std::mem::swap(front, back);
        }
        let mut position = Position::default();
        for at in 0..front.len() {
            front.load(at, term);
            sink(&position.token(&term.text, term));
        }
        End {
            position: position.next.saturating_add(front.trailing),
            offset: front.end_offset,
            overflow: front.overflow,
            failure: front.failure.take(),
        }
    }

    /// Every stage by itself, for explanations: what each char filter wrote, the tokenizer's tokens, each filter's. They are taken
    /// out of a budget of bytes; `None` when it is used up.
    pub fn stages(&self, text: &str, budget: &mut usize) -> Option<(Vec<String>, Vec<TokenBuf>)> {
        let mut take = |bytes: usize| {
            *budget = budget.checked_sub(bytes)?;
            Some(())
        };
        let mut filtered = vec![];
        let mut term = Term::default();
        self.filter_chars(text, &mut filtered);
        let mut stages = vec![TokenBuf::default()];
        take(filtered.iter().map(|filtered| filtered.text.len()).sum())?;
        self.buffer(&[], text, &filtered, &mut term, &mut stages[0]);
        take(stages[0].capacity_bytes())?;
        for filter in &self.filters {
            let mut next = TokenBuf::default();
            apply(&filter.part, &stages[stages.len() - 1], &mut next, &mut term);
            take(next.capacity_bytes())?;
            stages.push(next);
        }
        Some((filtered.into_iter().map(|f| f.text).collect(), stages))
    }

    /// The last of [`Chain::stages`].
    pub fn tokens(&self, text: &str) -> TokenBuf {
        let (mut filtered, mut term) = (vec![], Term::default());
        let (mut front, mut back) = (TokenBuf::default(), TokenBuf::default());
        let texts = self.filter_chars(text, &mut filtered);
        self.buffer(&self.filters[..self.streamed], text, texts, &mut term, &mut front);
        for filter in &self.filters[self.streamed..] {
            if front.overflow {
                break;
            }
            apply(&filter.part, &front, &mut back, &mut term);
            std::mem::swap(&mut front, &mut back);
        }
        front
    }

    /// Runs the char filters; gives their outputs, in order.
    pub fn filter_chars<'s>(&self, text: &str, filtered: &'s mut Vec<Filtered>) -> &'s [Filtered] {
        if filtered.len() < self.char_filters.len() {
            filtered.resize_with(self.char_filters.len(), Filtered::default);
        }
        for (at, filter) in self.char_filters.iter().enumerate() {
            let (before, rest) = filtered.split_at_mut(at);
            rest[0].begin(before.last());
            match before.last() {
                Some(last) if last.failure.is_some() => rest[0].failure.clone_from(&last.failure),
                last => filter.part.filter(last.map_or(text, |f| &f.text), &mut rest[0]),
            }
        }
        &filtered[..self.char_filters.len()]
    }

    fn buffer(
        &self,
        filters: &[Named<TokenFilter>],
        text: &str,
        texts: &[Filtered],
        term: &mut Term,
        out: &mut TokenBuf,
    ) {
        out.clear();
        out.bound_by(text);
        let end = self.stream(filters, text, texts, term, &mut |term| out.push_term(term));
        (out.trailing, out.end_offset, out.stops) = (end.trailing, end.offset, self.tokenizer.part.stops());
        out.overflow |= end.overflow;
        out.failure = end.failure;
    }

    /// Tokenizes and applies `filters`, all of single tokens. Tells how the text ended.
    fn stream(
        &self,
        filters: &[Named<TokenFilter>],
        text: &str,
        texts: &[Filtered],
        term: &mut Term,
        sink: &mut dyn FnMut(&mut Term) -> bool,
    ) -> StreamEnd {
        let input = texts.last().map_or(text, |f| &f.text);
        let mut cursor = Utf16Cursor::new(input);
        let correct = |offset: u32| texts.iter().rev().fold(offset, |offset, f| f.correct(offset));
        let mut gap = 0u32;
        let mut budget = STREAM_BYTES_MAX.max(input.len().saturating_mul(STREAM_GROWTH_MAX));
        let mut overflow = false;
        let mut failure = texts.iter().find_map(|filtered| filtered.failure.clone());
        if failure.is_some() {
            return StreamEnd { trailing: 0, offset: 0, overflow, failure };
        }
        let left_out = self.tokenizer.part.tokenize_to_end(input, &mut |raw| {
            match budget.checked_sub(raw.text.len()) {
                Some(rest) => budget = rest,
                None => {
                    overflow = true;
                    return false;
                }
            }
            term.text.clear();
            term.text.push_str(raw.text);
            (term.start, term.end) = cursor.range(raw.start, raw.end);
            if !texts.is_empty() {
                (term.start, term.end) = (correct(term.start), correct(term.end));
            }
            (term.length, term.kind, term.keyword) = (1, raw.kind, false);
            (term.increment, term.frequency) = (raw.increment, 1);
            term.payload.clear();
            let kept = filters.iter().all(|f| matches!(&f.part, TokenFilter::Term(filter) if filter.apply(term)));
            if term.failure.is_some() {
                failure = term.failure.take();
                return false;
            }
            if !kept {
                gap = gap.saturating_add(raw.increment);
                return true;
            }
            match budget.checked_sub(term.text.len().saturating_sub(raw.text.len())) {
                Some(rest) => budget = rest,
                None => {
                    overflow = true;
                    return false;
                }
            }
            term.increment = term.increment.saturating_add(std::mem::take(&mut gap));
            sink(term)
        });
        StreamEnd { trailing: gap.saturating_add(left_out), offset: correct(cursor.end()), overflow, failure }
    }
}

/// Most bytes that the tokens of one text may have together, or this many times its length: a path of a million parts
/// has as many paths above it, each as long as half of it.
const STREAM_BYTES_MAX: usize = 256 << 20;
const STREAM_GROWTH_MAX: usize = 8;

/// How a text ended.
struct StreamEnd {
    /// Increment after the last token.
    trailing: u32,
    /// UTF-16 length of the text.
    offset: u32,
    overflow: bool,
    failure: Option<Error>,
}

/// Applies one filter to the tokens of a whole value.
pub(crate) fn apply(filter: &TokenFilter, input: &TokenBuf, out: &mut TokenBuf, term: &mut Term) {
    out.clear();
    out.bound_like(input);
    match filter {
        TokenFilter::Stream(filter) => filter.apply(input, out),
        TokenFilter::Term(filter) => apply_to_each(filter.as_ref(), input, out, term),
    }
}

/// Applies a filter of single tokens to each token; the gaps of those removed go to the tokens after them.
pub(crate) fn apply_to_each(filter: &dyn TermFilter, input: &TokenBuf, out: &mut TokenBuf, term: &mut Term) {
    out.end_like(input);
    let mut gap = 0u32;
    for at in 0..input.len() {
        input.load(at, term);
        let increment = term.increment;
        let kept = filter.apply(term);
        if term.failure.is_some() {
            out.failure = term.failure.take();
            return;
        }
        if kept {
            term.increment = term.increment.saturating_add(std::mem::take(&mut gap));
            if !out.push_term(term) {
                return;
            }
        } else {
            gap = gap.saturating_add(increment);
        }
    }
    out.trailing = out.trailing.saturating_add(gap);
}

/// Adds increments up.
#[derive(Default)]
struct Position {
    /// One more than the position of the last token.
    next: u32,
}

impl Position {
    #[inline]
    fn token<'t>(&mut self, text: &'t str, term: &'t Term) -> Token<'t> {
        // A first token without an increment stands at position 0 all the same.
        self.next = self.next.saturating_add(term.increment).max(1);
        Token {
            text,
            start_offset: term.start,
            end_offset: term.end,
            position: self.next - 1,
            position_length: term.length,
            kind: term.kind,
            frequency: term.frequency,
            payload: &term.payload,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::analysis::{Registry, Scratch};
    use crate::json::parse;

    #[test]
    fn bounds_what_a_value_grows_to() {
        let settings = r#"{"analyzer":{"x":{"tokenizer":"path_hierarchy"},"y":{"tokenizer":"path_hierarchy","filter":["unique"]}}}"#;
        let registry = Registry::from_settings(&parse(settings.as_bytes()).unwrap()).unwrap();
        let text = "/a".repeat(40_000);
        for name in ["x", "y"] {
            let analyzer = registry.analyzer(name).unwrap();
            assert!(analyzer.analyze(&text, &mut Scratch::default(), &mut |_| {}).overflow);
            assert!(!analyzer.analyze("/a/b", &mut Scratch::default(), &mut |_| {}).overflow);
        }
    }

    #[test]
    fn ends_behind_removed_tokens() {
        let analyzer = Registry::built_in().analyzer("stop").unwrap();
        let end = analyzer.analyze("fox and the", &mut Scratch::default(), &mut |_| {});
        assert_eq!((end.position, end.offset, end.overflow), (3, 11, false));
        let end = analyzer.analyze("", &mut Scratch::default(), &mut |_| {});
        assert_eq!((end.position, end.offset, end.overflow), (0, 0, false));
    }
}
