//! The highlighter for fields with term vectors: phrases are marked as wholes, fragments are centred on what matches.

use super::breaks::Breaks;
use super::matchers::{Matcher, What};
use super::matches::{matches, spans};
use super::options::{FieldOptions, Scanner};
use super::text::FieldTexts;
use crate::analysis::OwnedToken;
use crate::error::Result;

/// How many marks back one is looked for that another would overlap: tokens that stand so far apart do not.
const OVERLAPS_MAX: usize = 64;

/// Something that is marked: a term or a phrase.
#[derive(Clone, Debug, PartialEq)]
struct Mark {
    /// Offsets of its parts in all values behind each other.
    parts: Vec<(usize, usize)>,
    boost: f32,
    /// The number of the term in the query, which chooses the tags.
    number: usize,
}

impl Mark {
    fn start(&self) -> usize {
        self.parts.first().map_or(0, |part| part.0)
    }

    fn end(&self) -> usize {
        self.parts.last().map_or(0, |part| part.1)
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.start() < other.end() && other.start() < self.end()
    }
}

struct Fragment {
    start: usize,
    end: usize,
    marks: Vec<Mark>,
}

pub fn fragments(texts: &FieldTexts, matchers: &[Matcher], options: &FieldOptions) -> Result<Vec<String>> {
    let marks = marks(texts, matchers, options);
    let mut buffer = Buffer::of(texts);
    let most = options.most();
    let mut fragments = if most.is_none() { all_in_one(&marks) } else { centred(&marks, options) };
    fragments = by_value(texts, fragments);
    if options.by_score {
        let boost = |fragment: &Fragment| fragment.marks.iter().map(|mark| mark.boost).sum::<f32>();
        fragments.sort_by(|a, b| boost(b).total_cmp(&boost(a)).then(a.start.cmp(&b.start)));
    }
    if let Some(most) = most {
        fragments.truncate(most);
    }
    if fragments.is_empty() {
        return Ok(no_match(&mut buffer, texts, options).into_iter().collect());
    }
    Ok(fragments.iter().map(|fragment| format(fragment, &mut buffer, options)).collect())
}

/// All values with a space behind each, of which those are known that a fragment reached into.
struct Buffer {
    units: Vec<u16>,
    /// Where values end, each with its space.
    ends: Vec<usize>,
    known: usize,
}

impl Buffer {
    fn of(texts: &FieldTexts) -> Self {
        let (mut units, mut ends) = (vec![], vec![]);
        for text in &texts.values {
            units.extend_from_slice(&text.units);
            units.push(u16::from(b' '));
            ends.push(units.len());
        }
        Self { units, ends, known: 0 }
    }

    /// What is known once a fragment has ended at `end`: fragments by their scores may come back to values before those.
    fn up_to(&mut self, end: usize) -> &[u16] {
        while self.known < self.ends.len() && (self.known == 0 || self.ends[self.known - 1] < end) {
            self.known += 1;
        }
        let known = self.known.checked_sub(1).map_or(0, |last| self.ends[last]);
        &self.units[..known]
    }
}

/// What is marked: by what the field itself says, or each of those that are to be matched in its place.
fn marks(texts: &FieldTexts, matchers: &[Matcher], options: &FieldOptions) -> Vec<Mark> {
    if options.matched_fields.is_empty() {
        let tokens: Vec<_> = texts.values.iter().map(|text| text.tokens.as_slice()).collect();
        return marks_of(texts, &tokens, matchers.iter().enumerate(), options.phrase_limit);
    }
    let fields = texts.values.first().map_or(0, |text| text.matched.len());
    let mut marks = vec![];
    for field in 0..fields {
        let name = &texts.values[0].matched[field].0;
        let tokens: Vec<_> = texts.values.iter().map(|text| text.matched[field].1.as_slice()).collect();
        let wanted = matchers.iter().enumerate();
        let wanted = wanted.filter(|(_, matcher)| !options.require_field_match || matcher.field == *name);
        marks.extend(marks_of(texts, &tokens, wanted, options.phrase_limit));
    }
    if fields > 1 { joined(marks) } else { marks }
}

/// Marks of several fields: those that meet are one.
fn joined(mut marks: Vec<Mark>) -> Vec<Mark> {
    marks.sort_by(|a, b| (a.start(), a.end()).cmp(&(b.start(), b.end())).then(a.boost.total_cmp(&b.boost)));
    let mut out: Vec<Mark> = vec![];
    for mark in marks {
        match out.last_mut().filter(|last| mark.start() <= last.end()) {
            None => out.push(mark),
            Some(last) => {
                last.boost += mark.boost;
                last.parts.extend(mark.parts);
                last.parts.sort_unstable();
                last.parts.dedup_by(|later, part| {
                    let meet = later.0 <= part.1;
                    if meet {
                        part.1 = part.1.max(later.1);
                    }
                    meet
                });
            }
        }
    }
    out
}

fn marks_of<'m>(
    texts: &FieldTexts,
    tokens: &[&[OwnedToken]],
    matchers: impl Iterator<Item = (usize, &'m Matcher)>,
    limit: usize,
) -> Vec<Mark> {
    let mut marks: Vec<Mark> = vec![];
    let mut base = 0;
    let (phrases, terms): (Vec<_>, Vec<_>) =
        matchers.partition(|(_, matcher)| matches!(matcher.what, What::Phrase { .. }));
    let terms: Vec<Matcher> = terms.into_iter().map(|(_, matcher)| matcher.clone()).collect();
    for (text, tokens) in texts.values.iter().zip(tokens) {
        let mut here: Vec<((u32, usize, &str), Mark)> = vec![];
        let before = marks.len();
        for (number, matcher) in &phrases {
            let What::Phrase { positions, slop } = &matcher.what else { continue };
            for span in spans(tokens, positions, *slop, true) {
                // Parts that change places do not count here.
                if !span.is_sorted() {
                    continue;
                }
                let mut parts: Vec<(usize, usize)> = vec![];
                let mut next = None;
                let words = span.len();
                let first = span.first().map_or(0, |(_, token)| tokens[*token].position);
                for (_, token) in span {
                    let token = &tokens[token];
                    let (start, end) = (base + token.start_offset as usize, base + token.end_offset as usize);
                    match parts.last_mut() {
                        // Neighbours are marked together, whatever stands between them.
                        Some(last) if next == Some(token.position) => last.1 = end,
                        _ => parts.push((start, end)),
                    }
                    next = Some(token.position + 1);
                }
                let place = (first, usize::MAX - words, "");
                here.push((place, Mark { parts, boost: matcher.boost, number: *number }));
            }
        }
        for one in matches(tokens, &terms) {
            let part = (base + one.start, base + one.end);
            let place = (tokens[one.token].position, usize::MAX, tokens[one.token].text.as_str());
            here.push((place, Mark { parts: vec![part], boost: one.boost, number: one.label }));
        }
        // By their places, as the index has them; in one of them the longest phrase, or else the first word.
        here.sort_by_key(|(place, _)| *place);
        for (_, mark) in here {
            if !marks[before..].iter().rev().take(OVERLAPS_MAX).any(|other| mark.overlaps(other)) {
                marks.push(mark);
            }
        }
        base += text.units.len() + 1;
    }
    marks.truncate(limit);
    marks
}

fn all_in_one(marks: &[Mark]) -> Vec<Fragment> {
    match marks {
        [] => vec![],
        marks => vec![Fragment { start: 0, end: usize::MAX, marks: marks.to_vec() }],
    }
}

fn centred(marks: &[Mark], options: &FieldOptions) -> Vec<Fragment> {
    let (size, margin) = (options.size(), options.margin());
    let accepts = |mark: &Mark, length: usize| length <= size || mark.parts.len() > 1;
    let mut out = vec![];
    let mut marks = marks.iter().peekable();
    let mut free_from = 0;
    while let Some(first) = marks.next() {
        if first.start() < free_from {
            continue;
        }
        let (start, mut end) = (first.start(), first.end());
        let span_start = start.saturating_sub(margin).max(free_from);
        let span_end = end.max(span_start + size);
        let mut taken = vec![];
        if accepts(first, end - start) {
            taken.push(first.clone());
        }
        while let Some(next) = marks.next_if(|next| next.end() <= span_end) {
            end = next.end();
            if accepts(next, end - start) {
                taken.push(next.clone());
            }
        }
        if taken.is_empty() {
            continue;
        }
        let length = end - start;
        let from = start.saturating_sub(size.saturating_sub(length) / 2).max(free_from);
        let to = from + length.max(size);
        free_from = to;
        out.push(Fragment { start: from, end: to, marks: taken });
    }
    out
}

/// Fragments do not reach over the ends of values.
fn by_value(texts: &FieldTexts, fragments: Vec<Fragment>) -> Vec<Fragment> {
    if texts.values.len() < 2 {
        return fragments;
    }
    let mut out = vec![];
    for fragment in fragments {
        let mut base = 0;
        for text in &texts.values {
            let (start, end) = (base, base + text.units.len());
            base = end + 1;
            let marks: Vec<Mark> =
                fragment.marks.iter().filter(|mark| mark.start() >= start && mark.end() <= end).cloned().collect();
            if !marks.is_empty() {
                out.push(Fragment { start: fragment.start.max(start), end: fragment.end.min(end + 1), marks });
            }
        }
    }
    out
}

fn format(fragment: &Fragment, buffer: &mut Buffer, options: &FieldOptions) -> String {
    let buffer = buffer.up_to(fragment.end);
    let last = buffer.len().saturating_sub(1);
    let end = if last < fragment.end { last } else { find_end(buffer, fragment.end, options) };
    let start = find_start(buffer, fragment.start, options);
    let end = end.max(start).min(buffer.len());
    let mut out = String::new();
    let mut at = start;
    for mark in &fragment.marks {
        for &(from, to) in &mark.parts {
            let (from, to) = (from.clamp(at, end), to.clamp(at, end));
            let (pre, post) = options.tags(mark.number);
            options.encode(&buffer[at..from], &mut out);
            out.push_str(pre);
            options.encode(&buffer[from..to], &mut out);
            out.push_str(post);
            at = to;
        }
    }
    options.encode(&buffer[at..end], &mut out);
    out
}

fn is_boundary(unit: u16, options: &FieldOptions) -> bool {
    char::from_u32(u32::from(unit)).is_some_and(|c| options.boundary_chars.contains(c))
}

fn find_start(buffer: &[u16], start: usize, options: &FieldOptions) -> usize {
    if start > buffer.len() || start < 1 {
        return start.min(buffer.len());
    }
    if let Some(breaks) = breaks_of(&buffer[..start], options) {
        return breaks.preceding(start);
    }
    let scanned = (0..=start).rev().take(options.boundary_max_scan);
    for offset in scanned {
        if offset == 0 || is_boundary(buffer[offset - 1], options) {
            return offset;
        }
    }
    if start <= options.boundary_max_scan { 0 } else { start }
}

fn find_end(buffer: &[u16], end: usize, options: &FieldOptions) -> usize {
    if end > buffer.len() {
        return buffer.len();
    }
    if let Some(breaks) = breaks_of(&buffer[end..], options) {
        return end + breaks.following(0);
    }
    let scanned = (end..buffer.len()).take(options.boundary_max_scan);
    scanned.into_iter().find(|offset| is_boundary(buffer[*offset], options)).unwrap_or(end)
}

fn breaks_of(units: &[u16], options: &FieldOptions) -> Option<Breaks> {
    let text = || String::from_utf16_lossy(units);
    match options.scanner {
        Some(Scanner::Sentence) => Some(Breaks::sentences(&text())),
        Some(Scanner::Word) => Some(Breaks::words(&text())),
        Some(Scanner::Chars) | None => None,
    }
}

/// The beginning of the text, for documents in which nothing matches.
fn no_match(buffer: &mut Buffer, texts: &FieldTexts, options: &FieldOptions) -> Option<String> {
    let size = options.no_match_size;
    let first = texts.values.first().map_or(0, |text| text.units.len());
    // A fragment of nothing is left out that does not lie in the first of several values.
    if size == 0 || texts.values.len() > 1 && (first == 0 || size > first + 1) {
        return None;
    }
    Some(format(&Fragment { start: 0, end: size, marks: vec![] }, buffer, options))
}
