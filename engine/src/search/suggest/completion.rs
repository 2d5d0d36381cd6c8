//! `completion`: what entries of a completion field begin with a text, match an expression, or nearly begin with it.

use super::contexts::{Selection, WantedContexts};
use super::distance::edits;
use super::{Choice, Entry, Suggestion};
use crate::error::{Error, Result};
use crate::mapping::{CompletionOptions as FieldOptions, Field, completion_keys, decode_completion};
use crate::query::{Expression, Flags, ShardContext, regexp_terms};
use crate::score::{MultiTerm, TermSet};
use crate::search::result::ShardHit;
use crate::segment::{NO_MORE_DOCS, SegmentField, SegmentView, Terms, Want};
use std::collections::{HashMap, HashSet};

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
    /// So many characters have to be the same.
    pub prefix_length: usize,
}

impl Default for Fuzzy {
    fn default() -> Self {
        Self { edits: 1, transpositions: true, min_length: 3, prefix_length: 1 }
    }
}

/// What keys are looked for.
enum Looked {
    /// That begin with one of these.
    Prefixes(Vec<String>),
    /// That begin with something that matches.
    Matching(MultiTerm),
    /// That nearly begin with one of these.
    Near(Vec<String>, Fuzzy),
}

/// A document that was found, by its best entry.
struct Found {
    score: f32,
    text: String,
    segment: u32,
    doc: u32,
    contexts: Vec<(String, String)>,
}

/// Documents that are kept beyond the wanted ones, before the worst are dropped.
const KEPT_MORE: usize = 1_024;

impl CompletionOptions {
    pub(super) fn suggest(&self, suggestion: &Suggestion, field: &Field, cx: &ShardContext) -> Result<Vec<Entry>> {
        let Some(options) = field.completion() else {
            let reason = format!("Field [{}] is not a completion suggest field", field.name);
            return Err(Error::illegal_argument(reason));
        };
        let selection = WantedContexts::for_field(self.contexts.as_ref(), field, options)?;
        let (text, looked) = match &suggestion.regex {
            Some(regex) => (regex.as_str(), self.matching(regex, field)?),
            None => {
                let text = suggestion.text()?;
                let analyzer = suggestion.analyzer(field, cx)?;
                let keys = completion_keys(&analyzer, text, options);
                (
                    text,
                    match &self.fuzzy {
                        Some(fuzzy) => Looked::Near(keys, fuzzy.clone()),
                        None => Looked::Prefixes(keys),
                    },
                )
            }
        };
        let mut best = Best { found: vec![], wanted: suggestion.shard_size, skip_duplicates: self.skip_duplicates };
        for (segment, view) in cx.snapshot.segments.iter().enumerate() {
            let Some(indexed) = view.segment.field(&field.name) else { continue };
            let Some(terms) = indexed.terms() else { continue };
            let mut at =
                At { segment: segment as u32, view, indexed, options, selection: selection.as_ref(), best: &mut best };
            looked.for_each_key(terms, |key, boost, postings| at.offer(key, boost, postings))?;
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
        regexp_terms(field, &of(regex.to_owned()))?;
        let expression = of(format!("({regex}).*"));
        regexp_terms(field, &expression).map(Looked::Matching)
    }
}

type Postings<'p> = &'p mut dyn FnMut() -> crate::segment::Postings;

impl Looked {
    /// Hands over keys, what their entries are boosted by (0: nothing), and where they are.
    fn for_each_key(&self, terms: &Terms, mut take: impl FnMut(&[u8], f32, Postings<'_>) -> Result<()>) -> Result<()> {
        match self {
            Self::Prefixes(keys) => {
                for prefix in keys {
                    let mut iter = terms.prefix(prefix.as_bytes());
                    while let Some((key, info)) = iter.next() {
                        take(key, 0.0, &mut || terms.postings(info, Want::Docs))?;
                    }
                }
            }
            Self::Matching(MultiTerm { set: TermSet::Pattern(pattern), .. }) => {
                let mut iter = terms.prefix(pattern.prefix());
                while let Some((key, info)) = iter.next() {
                    if pattern.matches(key) {
                        take(key, 0.0, &mut || terms.postings(info, Want::Docs))?;
                    }
                }
            }
            Self::Matching(_) => {}
            Self::Near(keys, fuzzy) => {
                for wanted in keys {
                    let wanted: Vec<char> = wanted.chars().collect();
                    let exact = fuzzy.exact_length(wanted.len());
                    let prefix: String = wanted[..exact].iter().collect();
                    let mut iter = terms.prefix(prefix.as_bytes());
                    while let Some((key, info)) = iter.next() {
                        if let Some(same) = fuzzy.same_characters(&wanted, exact, key) {
                            take(key, same as f32, &mut || terms.postings(info, Want::Docs))?;
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

impl Fuzzy {
    /// How many characters of a text have to be the same.
    fn exact_length(&self, length: usize) -> usize {
        if length <= self.prefix_length || length < self.min_length { length } else { self.prefix_length }
    }

    /// With how many characters of the text the shortest beginning of the key begins that is near enough to it.
    fn same_characters(&self, wanted: &[char], exact: usize, key: &[u8]) -> Option<usize> {
        let key: Vec<char> = std::str::from_utf8(key).ok()?.chars().collect();
        let (edits_max, rest) = (usize::from(self.edits), wanted.get(exact..)?);
        let shortest = wanted.len().saturating_sub(edits_max).max(exact);
        let longest = (wanted.len() + edits_max).min(key.len());
        let near =
            |end: &usize| key.get(exact..*end).is_some_and(|part| edits(rest, part, self.transpositions) <= edits_max);
        let end = (shortest..=longest).find(near)?;
        Some(wanted.iter().zip(&key[..end]).take_while(|(a, b)| a == b).count())
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
        let mut postings = postings();
        let mut ords = vec![];
        while postings.doc() != NO_MORE_DOCS {
            let doc = postings.doc();
            postings.next();
            if !self.view.is_live(doc) {
                continue;
            }
            ords.clear();
            column.ords(doc, &mut ords);
            for ord in &ords {
                let Some(entry) = decode_completion(&column.term(*ord)) else { continue };
                if !entry.keys.iter().any(|own| own.as_bytes() == key) {
                    continue;
                }
                let (mut boost, mut contexts) = (boost, vec![]);
                if let Some(selection) = self.selection {
                    let stored = || self.view.segment.stored(doc);
                    let Some((more, agreed)) = selection.of(&entry, self.options, stored)? else { continue };
                    (boost, contexts) = (boost + more, agreed);
                }
                let weight = entry.weight as f32;
                let score = if boost == 0.0 { weight } else { weight * boost };
                self.best.offer(Found { score, text: entry.input, segment: self.segment, doc, contexts });
            }
        }
        Ok(())
    }
}

/// The best documents so far.
struct Best {
    found: Vec<Found>,
    wanted: usize,
    skip_duplicates: bool,
}

impl Best {
    fn offer(&mut self, found: Found) {
        self.found.push(found);
        if self.found.len() > self.wanted.saturating_mul(4).saturating_add(KEPT_MORE) {
            self.prune();
        }
    }

    /// Drops all but the best entry of each document, and of each text if that is asked for, and then the worst.
    fn prune(&mut self) {
        self.found.sort_by(|a, b| {
            let place = (a.segment, a.doc).cmp(&(b.segment, b.doc));
            b.score.total_cmp(&a.score).then_with(|| a.text.cmp(&b.text)).then(place)
        });
        // A document is told with the contexts of all its entries that were found.
        let mut contexts: HashMap<(u32, u32), Vec<(String, String)>> = HashMap::new();
        for found in &mut self.found {
            let known = contexts.entry((found.segment, found.doc)).or_default();
            for named in std::mem::take(&mut found.contexts) {
                if !known.contains(&named) {
                    known.push(named);
                }
            }
        }
        let mut texts = HashSet::new();
        let skip_duplicates = self.skip_duplicates;
        self.found.retain_mut(|found| {
            let Some(all) = contexts.remove(&(found.segment, found.doc)) else { return false };
            found.contexts = all;
            !skip_duplicates || texts.insert(found.text.clone())
        });
        self.found.truncate(self.wanted);
    }

    fn finish(mut self) -> Vec<Found> {
        self.prune();
        self.found
    }
}
