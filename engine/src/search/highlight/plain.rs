//! The plain highlighter: fragments of about the same length, the best of each value first.

use super::matchers::{Matcher, What};
use super::matches::{Match, matches, span_places, spans};
use super::options::FieldOptions;
use super::text::{FieldTexts, Text};
use crate::error::{Error, Result};
use ahash::{AHashMap, AHashSet};

struct Fragment {
    text: String,
    score: f32,
    at: usize,
}

/// Tokens that overlap, marked together.
#[derive(Default)]
struct Group {
    tokens: usize,
    end: usize,
    /// What is marked: the tokens that match, or all if none does.
    marked: (usize, usize),
    score: f32,
}

/// Tokens that one group takes.
const GROUP_TOKENS_MAX: usize = 50;

pub fn fragments(texts: &FieldTexts, matchers: &[Matcher], options: &FieldOptions) -> Result<Vec<String>> {
    let most = options.most().unwrap_or(1);
    let mut found: Vec<Fragment> = vec![];
    let mut waits_for = None;
    for text in &texts.values {
        let mut here = cut(text, matchers, options, &mut waits_for)?;
        here.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.at.cmp(&b.at)));
        found.extend(here.into_iter().take(most).filter(|fragment| fragment.score > 0.0));
    }
    if options.by_score {
        found.sort_by(|a, b| b.score.total_cmp(&a.score));
    }
    if !(options.most().is_none() && texts.values.len() > 1) {
        found.truncate(most);
    }
    if found.is_empty() {
        return Ok(no_match(&texts.values[0], options).into_iter().collect());
    }
    Ok(found.into_iter().map(|fragment| fragment.text).collect())
}

/// Cuts a text into fragments. `waits_for`: see [`Fragmenter`].
fn cut(
    text: &Text,
    matchers: &[Matcher],
    options: &FieldOptions,
    waits_for: &mut Option<i64>,
) -> Result<Vec<Fragment>> {
    let found = matches(&text.tokens, matchers);
    if found.iter().any(|one| one.boost < 0.0) {
        // Two edits of one character: nothing is further away.
        return Err(Error::illegal_argument("boost must be a positive float, got -1.0"));
    }
    let found = first_of_each(found.iter().map(|one| (one.token, one)));
    let mut fragmenter = Fragmenter::new(text, matchers, options, waits_for);
    let mut out = vec![];
    let mut open = String::new();
    let (mut group, mut last_end, mut score) = (Group::default(), 0, 0.0f32);
    let mut seen: AHashSet<&str> = AHashSet::new();
    for (at, token) in text.tokens.iter().enumerate() {
        let (start, end) = (token.start_offset as usize, token.end_offset as usize);
        if group.tokens > 0 && start >= group.end {
            last_end = group.flush(text, last_end, options, &mut open);
            group = Group::default();
            if fragmenter.begins(at, end) {
                out.push(Fragment { text: std::mem::take(&mut open), score, at: out.len() });
                score = 0.0;
                seen.clear();
            }
        }
        let own = found.get(&at);
        if let Some(Match { boost, .. }) = own
            && seen.insert(&token.text)
        {
            score += boost;
        }
        group.add(start, end, own.map_or(0.0, |one| one.boost));
    }
    if group.tokens > 0 {
        last_end = group.flush(text, last_end, options, &mut open);
    }
    if last_end < text.units.len() && text.analysed_whole {
        options.encode(&text.units[last_end..], &mut open);
    }
    out.push(Fragment { text: open, score, at: out.len() });
    Ok(out)
}

/// What stands first under each number.
fn first_of_each<T>(all: impl Iterator<Item = (usize, T)>) -> AHashMap<usize, T> {
    let mut first = AHashMap::new();
    all.for_each(|(number, one)| _ = first.entry(number).or_insert(one));
    first
}

impl Group {
    fn add(&mut self, start: usize, end: usize, score: f32) {
        if self.tokens >= GROUP_TOKENS_MAX {
            return;
        }
        if self.tokens == 0 {
            self.marked = (start, end);
            self.end = end;
        } else {
            self.end = self.end.max(end);
        }
        if score > 0.0 {
            self.marked = match self.score == 0.0 {
                true => (start, end),
                false => (self.marked.0.min(start), self.marked.1.max(end)),
            };
            self.score += score;
        }
        self.tokens += 1;
    }

    /// Writes the group and what stands before it; gives where the text goes on.
    fn flush(&self, text: &Text, last_end: usize, options: &FieldOptions, out: &mut String) -> usize {
        let (start, end) = self.marked;
        if start > last_end {
            options.encode(&text.units[last_end..start], out);
        }
        let (pre, post) = if self.score > 0.0 { options.tags(0) } else { ("", "") };
        out.push_str(pre);
        options.encode(&text.units[start..end.max(start)], out);
        out.push_str(post);
        end.max(last_end)
    }
}

/// Tells where fragments begin.
struct Fragmenter<'t> {
    text: &'t Text,
    size: usize,
    count: usize,
    /// None: phrases are not looked at. Else by each of their words where they stand in the text, as first and last positions.
    spans: Option<AHashMap<&'t str, Vec<(i64, i64)>>>,
    /// Where the reference takes itself to be: it counts the steps from token to token, but not the one to the first.
    position: i64,
    /// The position before which nothing begins, since a phrase goes on. The reference forgets it as little as to be right: it
    /// stays from one value of a field to the next.
    waits_for: &'t mut Option<i64>,
    whole: bool,
}

impl<'t> Fragmenter<'t> {
    fn new(text: &'t Text, matchers: &[Matcher], options: &FieldOptions, waits_for: &'t mut Option<i64>) -> Self {
        let spans = options.keeps_spans().then(|| phrases_by_word(text, matchers));
        // Half of a negative size is more than any text has left.
        let whole = options.most().is_none() || (options.fragment_size < 0 && spans.is_some());
        Self { text, size: options.size(), count: 1, spans, position: -1, waits_for, whole }
    }

    fn begins(&mut self, token: usize, end: usize) -> bool {
        if self.whole {
            return false;
        }
        let far_enough = end >= self.size * self.count;
        let begins = match &self.spans {
            None => far_enough,
            Some(spans) => {
                let [before, here] = [&self.text.tokens[token - 1], &self.text.tokens[token]];
                self.position += i64::from(here.position) - i64::from(before.position);
                match *self.waits_for {
                    Some(until) if until > self.position => return false,
                    _ => *self.waits_for = None,
                }
                let mut places = spans.get(here.text.as_str()).into_iter().flatten();
                if let Some((_, last)) = places.find(|(first, _)| *first == self.position) {
                    *self.waits_for = Some(last + 1);
                }
                far_enough && self.text.units.len().saturating_sub(end) >= self.size / 2
            }
        };
        self.count += usize::from(begins);
        begins
    }
}

/// Where phrases stand in a text, by each of their words.
fn phrases_by_word<'t>(text: &'t Text, matchers: &[Matcher]) -> AHashMap<&'t str, Vec<(i64, i64)>> {
    let mut by_word: AHashMap<&str, Vec<(i64, i64)>> = AHashMap::new();
    for matcher in matchers {
        let (mut words, mut places): (AHashSet<&str>, Vec<(i64, i64)>) = (AHashSet::new(), vec![]);
        match &matcher.what {
            What::Phrase { positions, slop } => {
                for span in spans(&text.tokens, positions, *slop, false) {
                    let stands = span.iter().map(|(_, token)| i64::from(text.tokens[*token].position));
                    places.extend(stands.clone().min().zip(stands.max()));
                    words.extend(span.iter().map(|(_, token)| text.tokens[*token].text.as_str()));
                }
            }
            What::Spans(span) => {
                for (place, tokens) in span_places(span, &text.tokens) {
                    places.push(place);
                    words.extend(tokens.iter().map(|token| text.tokens[*token].text.as_str()));
                }
            }
            What::Term(_) | What::Any(_) => continue,
        }
        words.into_iter().for_each(|word| by_word.entry(word).or_default().extend(&places));
    }
    by_word
}

/// The beginning of the text up to the end of a token, for documents in which nothing matches.
fn no_match(text: &Text, options: &FieldOptions) -> Option<String> {
    let size = options.no_match_size;
    let (units, tokens) = match &text.whole {
        Some((units, tokens)) => (units, tokens),
        None => (&text.units, &text.tokens),
    };
    let mut end = None;
    for token in tokens {
        let token_end = token.end_offset as usize;
        if token_end >= size {
            if token_end == size {
                end = Some(size);
            }
            break;
        }
        end = Some(token_end);
    }
    // The reference forgets the encoder here.
    Some(String::from_utf16_lossy(&units[..end.filter(|end| *end > 0 && size > 0)?]))
}
