//! `completion`: what entries of a completion field begin with a text, match an expression, or nearly begin with it.

use super::contexts::{Selection, WantedContexts};
use super::distance::edits;
use super::kept::{self, Best, Found, heap_order};
use super::{Choice, Entry, Suggestion};
use crate::error::{Error, Result};
use crate::java_order::sort_by_few_slots;
use crate::mapping::{CompletionEntry, CompletionOptions as FieldOptions, Field, completion_keys, decode_completion};
use crate::query::{Expression, Flags, ShardContext, regexp_terms};
use crate::score::{MultiTerm, TermSet};
use crate::search::result::ShardHit;
use crate::segment::{NO_MORE_DOCS, SegmentField, SegmentView, Terms, Want};
use std::collections::HashSet;
use std::sync::Arc;

#[derive(Clone, Debug, Default)]
pub struct CompletionOptions {
    pub fuzzy: Option<Fuzzy>,
    /// Flags and the most states of an expression.
    pub expression: Option<(Flags, usize)>,
    pub skip_duplicates: bool,
    pub contexts: Option<WantedContexts>,
}

/// How far an entry may be from the text.
#[derive(Clone, Debug)]
pub struct Fuzzy {
    pub edits: u8,
    pub transpositions: bool,
    /// Shorter texts are not corrected.
    pub min_length: usize,
    /// So much of a text has to be the same.
    pub prefix_length: usize,
    /// Lengths and edits are counted in characters, and not in bytes.
    pub unicode_aware: bool,
}

impl Default for Fuzzy {
    fn default() -> Self {
        Self { edits: 1, transpositions: true, min_length: 3, prefix_length: 1, unicode_aware: false }
    }
}

/// What keys are looked for.
enum Looked {
    /// That begin with one of these.
    Prefixes(Vec<String>),
    /// That begin with something that matches: what keys match as a whole, and the beginnings.
    Matching(MultiTerm, MultiTerm),
    /// That nearly begin with one of these.
    Near(Vec<String>, Fuzzy),
}

impl CompletionOptions {
    pub(super) fn suggest(&self, suggestion: &Suggestion, field: &Field, cx: &ShardContext) -> Result<Vec<Entry>> {
        let Some(options) = field.completion() else {
            let reason = format!("Field [{}] is not a completion suggest field", field.name);
            return Err(Error::illegal_argument(reason));
        };
        let selection = WantedContexts::for_field(self.contexts.as_ref(), field, options)?;
        let text = suggestion.text()?;
        let looked = match (&suggestion.prefix, &suggestion.regex) {
            (None, Some(_)) if self.fuzzy.is_some() => {
                return Err(Error::illegal_argument("can not use 'fuzzy' options with 'regex"));
            }
            // Nothing is the beginning of nothing here.
            (None, Some(regex)) if regex.is_empty() => Looked::Prefixes(vec![]),
            (None, Some(regex)) => self.matching(regex, field)?,
            (prefix, _) => {
                let analyzer = suggestion.analyzer(field, cx)?;
                let keys = completion_keys(&analyzer, prefix.as_deref().unwrap_or(text), options);
                match &self.fuzzy {
                    Some(fuzzy) => Looked::Near(keys, fuzzy.clone()),
                    None => Looked::Prefixes(keys),
                }
            }
        };
        let mut best = Best::new(suggestion.shard_size(), self.skip_duplicates);
        for (segment, view) in cx.snapshot.segments.iter().enumerate() {
            let Some(indexed) = view.segment.field(&field.name) else { continue };
            let Some(terms) = indexed.terms() else { continue };
            let mut at =
                At { segment: segment as u32, view, indexed, options, selection: selection.as_ref(), best: &mut best };
            let mut places: HashSet<Vec<u8>> = HashSet::new();
            looked.for_each_key(terms, |key, place, boost, postings| {
                // Many keys begin alike.
                if !places.contains(place) {
                    places.insert(place.to_vec());
                }
                at.offer(key, boost, postings)
            })?;
            // Where contexts stand before the keys, a text leads to as many places as there are contexts.
            let places = if selection.is_some() { usize::MAX } else { places.len() };
            best.end_segment(suggestion.shard_size().saturating_mul(places));
        }
        let choice = |found: Found| Choice {
            text: found.text,
            score: found.score,
            hit: Some(ShardHit::scored(found.segment, found.doc, found.score)),
            contexts: found.contexts,
            ..Choice::default()
        };
        let options = best.finish().into_iter().map(choice).collect();
        let length = text.chars().count() as u32;
        Ok(vec![Entry { text: text.to_owned(), length, options, ..Entry::default() }])
    }

    fn matching(&self, regex: &str, field: &Field) -> Result<Looked> {
        let of = |text: String| {
            let expression = Expression::new(text);
            match self.expression {
                Some((flags, max_states)) => Expression { flags, max_states, ..expression },
                None => expression,
            }
        };
        // What is wrong with it is told of the expression itself.
        let beginnings = regexp_terms(field, &of(regex.to_owned()))?;
        let whole = regexp_terms(field, &of(format!("({regex}).*")))?;
        Ok(Looked::Matching(whole, beginnings))
    }
}

type Postings<'p> = &'p mut dyn FnMut() -> crate::segment::Postings;

impl Looked {
    /// Hands over keys, how they begin as is wanted, what their entries are boosted by (0: nothing), and where they are.
    fn for_each_key(
        &self,
        terms: &Terms,
        mut take: impl FnMut(&[u8], &[u8], f32, Postings<'_>) -> Result<()>,
    ) -> Result<()> {
        match self {
            Self::Prefixes(keys) => {
                for prefix in keys {
                    let mut iter = terms.prefix(prefix.as_bytes());
                    while let Some((key, info)) = iter.next() {
                        take(key, prefix.as_bytes(), 0.0, &mut || terms.postings(info, Want::Docs))?;
                    }
                }
            }
            Self::Matching(whole, beginnings) => {
                let (TermSet::Pattern(pattern), TermSet::Pattern(beginnings)) = (&whole.set, &beginnings.set) else {
                    return Ok(());
                };
                let mut iter = terms.prefix(pattern.prefix());
                while let Some((key, info)) = iter.next() {
                    if pattern.matches(key) {
                        let begins = (0..=key.len()).find(|end| beginnings.matches(&key[..*end]));
                        let beginning = &key[..begins.unwrap_or(key.len())];
                        take(key, beginning, 0.0, &mut || terms.postings(info, Want::Docs))?;
                    }
                }
            }
            Self::Near(keys, fuzzy) => {
                for wanted in keys {
                    let units = fuzzy.units(wanted.as_bytes());
                    let exact = fuzzy.exact_length(units.len());
                    let bytes = fuzzy.bytes_of(wanted.as_bytes(), exact);
                    let mut iter = terms.prefix(&wanted.as_bytes()[..bytes]);
                    while let Some((key, info)) = iter.next() {
                        if let Some((end, same)) = fuzzy.near_beginning(&units, exact, key) {
                            take(key, &key[..end], same as f32, &mut || terms.postings(info, Want::Docs))?;
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

impl Fuzzy {
    /// What is counted of a text: its characters, or its bytes, each as the character of its number.
    fn units(&self, text: &[u8]) -> Vec<char> {
        match self.unicode_aware {
            true => String::from_utf8_lossy(text).chars().collect(),
            false => text.iter().copied().map(char::from).collect(),
        }
    }

    /// How many bytes the first `units` of a text have.
    fn bytes_of(&self, text: &[u8], units: usize) -> usize {
        match self.unicode_aware {
            true => String::from_utf8_lossy(text).chars().take(units).map(char::len_utf8).sum(),
            false => units,
        }
    }

    /// How much of a text has to be the same.
    fn exact_length(&self, length: usize) -> usize {
        if length <= self.prefix_length || length < self.min_length { length } else { self.prefix_length }
    }

    /// Where the shortest beginning of the key that is near enough to the text ends, and how much of the text it begins with.
    fn near_beginning(&self, wanted: &[char], exact: usize, bytes: &[u8]) -> Option<(usize, usize)> {
        let key = self.units(bytes);
        let (edits_max, rest) = (usize::from(self.edits), wanted.get(exact..)?);
        let shortest = wanted.len().saturating_sub(edits_max).max(exact);
        let longest = (wanted.len() + edits_max).min(key.len());
        let near =
            |end: &usize| key.get(exact..*end).is_some_and(|part| edits(rest, part, self.transpositions) <= edits_max);
        let end = (shortest..=longest).find(near)?;
        let end = self.bytes_of(bytes, end);
        // The reference holds what it counts against bytes in any case.
        let same = wanted.iter().zip(&bytes[..end]).take_while(|(a, b)| u32::from(**a) == u32::from(**b)).count();
        Some((end, same))
    }
}

/// A segment being looked at.
struct At<'a> {
    segment: u32,
    view: &'a SegmentView,
    indexed: &'a SegmentField,
    options: &'a FieldOptions,
    selection: Option<&'a Selection>,
    best: &'a mut Best,
}

impl At<'_> {
    /// Looks at all documents that have a key.
    fn offer(&mut self, key: &[u8], boost: f32, postings: Postings<'_>) -> Result<()> {
        let Some(column) = self.indexed.ordinals() else { return Ok(()) };
        let (mut postings, mut ords) = (postings(), vec![]);
        // What is deleted has its place, too.
        let (mut weights, mut found): (Vec<u32>, Vec<Option<Found>>) = (vec![], vec![]);
        while postings.doc() != NO_MORE_DOCS {
            let doc = postings.doc();
            postings.next();
            ords.clear();
            column.ords(doc, &mut ords);
            for entry in entries_of(ords.iter().filter_map(|ord| decode_completion(&column.term(*ord)))) {
                if !entry.keys.iter().any(|own| own.as_bytes() == key) {
                    continue;
                }
                let (mut boost, mut contexts) = (boost, vec![]);
                if let Some(selection) = self.selection {
                    let stored = || self.view.segment.stored(doc);
                    let Some((more, agreed)) = selection.of(&entry, self.options, stored)? else { continue };
                    (boost, contexts) = (boost + more, agreed);
                }
                weights.push(entry.weight);
                let weight = entry.weight as f32;
                let score = if boost == 0.0 { weight } else { weight * boost };
                let one = Found { score, text: entry.input, segment: self.segment, doc, contexts };
                found.push(self.view.is_live(doc).then_some(one));
            }
        }
        let key: Arc<[u8]> = key.into();
        for (place, added) in heap_order(&weights).into_iter().enumerate() {
            if let Some(found) = found[added].take() {
                self.best.offer(kept::Entry { found, key: key.clone(), place: place as u32 });
            }
        }
        Ok(())
    }
}

/// The entries of a document in the order of the reference's hash map of their inputs; of an input that is given several times the
/// greatest weight counts.
fn entries_of(entries: impl Iterator<Item = CompletionEntry>) -> Vec<CompletionEntry> {
    let mut all: Vec<CompletionEntry> = entries.collect();
    all.sort_by(|a, b| a.input.cmp(&b.input).then(b.weight.cmp(&a.weight)));
    all.dedup_by(|next, kept| next.input == kept.input && next.contexts == kept.contexts);
    sort_by_few_slots(&mut all, |entry| &entry.input);
    all
}
