//! The unified highlighter: sentences (or words, or whole values), the best of them by a score of their own, in the order of
//! the text unless the score is asked for.

use super::breaks::Breaks;
use super::matchers::Matcher;
use super::matches::{Found, every_match};
use super::options::{FieldOptions, Scanner};
use super::text::{FieldTexts, Text};
use crate::analysis::char_table::is_whitespace;
use crate::error::{Error, ErrorKind, Result};
use std::cmp::Ordering;
use std::collections::HashMap;

/// Lengths of passages are compared with this.
const PIVOT: f32 = 87.0;
const K1: f32 = 1.2;
const B: f32 = 0.75;

struct Passage {
    value: usize,
    /// Offsets in the value.
    start: usize,
    end: usize,
    /// The same beginning in all values behind each other.
    place: usize,
    matches: Vec<Found>,
    score: f32,
}

pub fn fragments(texts: &FieldTexts, matchers: &[Matcher], options: &FieldOptions) -> Result<Vec<String>> {
    let found: Vec<Vec<Found>> = texts.values.iter().map(|text| every_match(text, matchers)).collect();
    let content: usize = texts.values.iter().map(|text| text.units.len() + 1).sum::<usize>().saturating_sub(1);
    let mut passages = vec![];
    let mut base = 0;
    for (value, (text, found)) in texts.values.iter().zip(&found).enumerate() {
        if !found.is_empty() {
            passages_of(value, base, text, found, options, &mut passages);
        }
        base += text.units.len() + 1;
    }
    score(&mut passages, &found, content);
    if options.number_of_fragments < 0 && found.iter().any(|found| !found.is_empty()) {
        return Err(Error::without_reason(ErrorKind::IllegalArgument));
    }
    let most = options.most().unwrap_or(usize::MAX);
    let mut passages = best(passages, most);
    passages.sort_by_key(|passage| passage.place);
    if options.by_score {
        passages.sort_by(|a, b| b.score.total_cmp(&a.score));
    }
    if passages.is_empty() {
        return Ok(no_match(texts, options).into_iter().collect());
    }
    Ok(passages.iter().map(|passage| format(passage, &texts.values[passage.value], options)).collect())
}

fn passages_of(
    value: usize,
    base: usize,
    text: &Text,
    found: &[Found],
    options: &FieldOptions,
    out: &mut Vec<Passage>,
) {
    let mut cutter = Cutter::new(text, options);
    let mut open: Option<Passage> = None;
    for one in found {
        if open.as_ref().is_none_or(|passage| one.start >= passage.end) {
            out.extend(open.take());
            let (start, end) = cutter.around(one.start);
            open = Some(Passage { value, start, end, place: base + start, matches: vec![], score: 0.0 });
        }
        if let Some(passage) = &mut open {
            passage.matches.push(one.clone());
        }
    }
    out.extend(open);
}

/// Cuts passages out of a text.
struct Cutter {
    whole: usize,
    outer: Option<Breaks>,
    /// Boundaries within passages that are too long, and how long is too long.
    inner: Option<(Breaks, usize)>,
    window: (usize, usize),
    last_end: usize,
    /// The boundary of sentences that was found last.
    known: Option<usize>,
}

impl Cutter {
    fn new(text: &Text, options: &FieldOptions) -> Self {
        let (outer, inner) = match (options.most(), options.scanner) {
            (None, _) => (None, None),
            (_, Some(Scanner::Word)) => (Some(Breaks::words(&text.text)), None),
            _ => {
                let size = options.size();
                let inner = (size > 0).then(|| (Breaks::words(&text.text), size));
                (Some(Breaks::sentences(&text.text)), inner)
            }
        };
        Self { whole: text.units.len(), outer, inner, window: (0, 0), last_end: 0, known: None }
    }

    /// The passage for a match that begins at `start`.
    fn around(&mut self, start: usize) -> (usize, usize) {
        let Some(outer) = &self.outer else { return (0, self.whole) };
        let offset = start + 1;
        let Some((inner, most)) = &self.inner else { return (outer.preceding(offset), outer.following(start)) };
        let (mut from, mut to) = if offset > self.window.0 && offset < self.window.1 {
            (self.last_end, self.window.1)
        } else {
            let (from, mut to) = (outer.preceding_known(offset, self.known), outer.following(start));
            self.known = Some(to);
            // Short sentences stand together as far as the length goes.
            while to - from < *most && to < self.whole {
                let next = outer.following(to);
                self.known = Some(next);
                if next <= to || next - from > *most {
                    break;
                }
                to = next;
            }
            self.window = (from, to);
            self.window
        };
        if to - from > *most {
            if offset > from + most {
                from = from.max(inner.preceding(offset - most));
            }
            let left = most.saturating_sub(offset - from);
            if offset + left < self.window.1 {
                to = self.window.1.min(inner.following(offset + left));
            }
        }
        self.last_end = to;
        (from, to)
    }
}

fn score(passages: &mut [Passage], found: &[Vec<Found>], content: usize) {
    let mut in_document: HashMap<&[u8], f32> = HashMap::new();
    let each_once = found.iter().flatten().filter(|one| !one.again);
    each_once.for_each(|one| *in_document.entry(&one.label).or_default() += 1.0);
    let documents = 1.0 + content as f32 / PIVOT;
    for passage in passages {
        let mut labels: Vec<(&[u8], f32)> = vec![];
        for one in &passage.matches {
            match labels.iter_mut().find(|(label, _)| *label == &*one.label) {
                Some((_, count)) => *count += 1.0,
                None => labels.push((&one.label, 1.0)),
            }
        }
        let length = (passage.end - passage.start) as f32;
        let mut score = 0.0;
        for (label, count) in labels {
            let total = f64::from(in_document[label]);
            let weight = (K1 + 1.0) * (1.0 + (f64::from(documents) + 0.5) / (total + 0.5)).ln() as f32;
            let norm = K1 * ((1.0 - B) + B * (length / PIVOT));
            score += count / (count + norm) * weight;
        }
        passage.score = score * (1.0 + 1.0 / (PIVOT + passage.place as f32).ln());
    }
}

/// The best passages in the order in which the reference's queue holds them, which is that of those that begin at the same place.
fn best(passages: Vec<Passage>, most: usize) -> Vec<Passage> {
    // Of those that score the same the later ones stay.
    let order = |a: &Passage, b: &Passage| a.score.total_cmp(&b.score).then(a.place.cmp(&b.place));
    let mut queue: Vec<Passage> = vec![];
    for passage in passages {
        if queue.len() == most && queue.first().is_none_or(|worst| passage.score < worst.score) {
            continue;
        }
        queue.push(passage);
        let mut at = queue.len() - 1;
        while at > 0 && order(&queue[at], &queue[(at - 1) / 2]) == Ordering::Less {
            queue.swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
        if queue.len() > most {
            queue.swap_remove(0);
            let mut at = 0;
            while 2 * at + 1 < queue.len() {
                let (left, right) = (2 * at + 1, 2 * at + 2);
                let is_right = right < queue.len() && order(&queue[left], &queue[right]) == Ordering::Greater;
                let child = if is_right { right } else { left };
                if order(&queue[at], &queue[child]) != Ordering::Greater {
                    break;
                }
                queue.swap(at, child);
                at = child;
            }
        }
    }
    queue
}

fn format(passage: &Passage, text: &Text, options: &FieldOptions) -> String {
    let (pre, post) = options.tags(0);
    let mut out = String::new();
    let mut at = passage.start;
    let mut matches = passage.matches.iter().peekable();
    while let Some(one) = matches.next() {
        if one.start > at {
            options.encode(&text.units[at..one.start], &mut out);
        }
        // Terms that overlap are marked together.
        let mut end = one.end;
        while let Some(next) = matches.next_if(|next| next.start < end) {
            end = end.max(next.end);
        }
        // What goes on behind the passage is marked as far as that goes.
        let end = end.min(passage.end);
        if end > at {
            out.push_str(pre);
            options.encode(&text.units[at.max(one.start)..end], &mut out);
            out.push_str(post);
            at = end;
        }
    }
    options.encode(&text.units[at..at.max(passage.end)], &mut out);
    out.trim_matches(|c: char| c <= ' ').to_owned()
}

/// The beginning of the text, for documents in which nothing matches.
fn no_match(texts: &FieldTexts, options: &FieldOptions) -> Option<String> {
    let text = texts.values.iter().find(|text| !text.units.is_empty()).filter(|_| options.no_match_size > 0)?;
    let mut end = text.units.len();
    if options.no_match_size < end {
        end = Breaks::words(&text.text).following(options.no_match_size);
    }
    let mut out = String::new();
    options.encode(&text.units[..end], &mut out);
    // What has nothing to show is not shown.
    Some(out.trim_matches(|c: char| c <= ' ').to_owned()).filter(|text| !text.chars().all(is_whitespace))
}
