//! Documents with any of many terms: prefixes, patterns, term ranges, sets. All matches score the same.

use super::all::explain_constant;
use super::exists::explain_by_scorer;
use super::{DocsScorer, Explanation, Scorer, Weight};
use crate::error::Result;
use crate::segment::{DocIterator, NO_MORE_DOCS, Postings, Segment, SegmentView, TermInfo, TermIter, Terms, Want};
use std::fmt;
use std::ops::Bound;
use std::sync::Arc;

/// Which terms of which field, and how the query reads.
#[derive(Clone, Debug)]
pub struct MultiTerm {
    pub field: Arc<str>,
    pub set: TermSet,
    pub text: String,
}

impl PartialEq for MultiTerm {
    /// The texts first: they are short, and differ where nearly all that differs does.
    fn eq(&self, other: &Self) -> bool {
        self.field == other.field && self.text == other.text && self.set == other.set
    }
}

impl MultiTerm {
    /// Whether it is a list of terms.
    pub fn is_set(&self) -> bool {
        matches!(self.set, TermSet::Terms(_))
    }
}

#[derive(Clone, Debug)]
pub enum TermSet {
    Prefix(Vec<u8>),
    Range(Bound<Vec<u8>>, Bound<Vec<u8>>),
    /// Sorted, each once.
    Terms(Vec<Vec<u8>>),
    Pattern(Arc<dyn Automaton>),
}

/// A pattern over the bytes of terms. Patterns that are shown alike (`Debug`) are equal: they match the same terms.
pub trait Automaton: fmt::Debug + Send + Sync {
    fn matches(&self, term: &[u8]) -> bool;

    /// The same for one term after the other, each with at least the first `shared` bytes of the one before.
    fn matches_next(&self, term: &[u8], _shared: usize, _found: &mut Found) -> bool {
        self.matches(term)
    }

    /// What all matching terms begin with.
    fn prefix(&self) -> &[u8];

    /// What a term that matches counts for where each is looked at by itself.
    fn closeness(&self, _term: &[u8]) -> f32 {
        1.0
    }
}

/// How far an automaton came with the term that it was asked about last.
#[derive(Default)]
pub struct Found {
    /// Where the parts that were found in turn end.
    pub ends: Vec<usize>,
    /// How many bytes of that term are known to be those of the current one.
    pub same: usize,
}

impl PartialEq for TermSet {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Prefix(a), Self::Prefix(b)) => a == b,
            (Self::Range(a, b), Self::Range(c, d)) => a == c && b == d,
            (Self::Terms(a), Self::Terms(b)) => a == b,
            (Self::Pattern(a), Self::Pattern(b)) => Arc::ptr_eq(a, b) || format!("{a:?}") == format!("{b:?}"),
            _ => false,
        }
    }
}

/// Work units of one slice: a term looked at, or [`DOCS_PER_UNIT`] documents gathered.
const UNITS_PER_SLICE: u32 = 2_000;
const DOCS_PER_UNIT: u32 = 32;
/// Up to this many documents are kept as a list.
const LIST_DOCS: usize = 4_096;

pub struct MultiTermWeight {
    plan: MultiTerm,
    boost: f32,
    gathering: Option<Gathering>,
}

/// The documents gathered of one segment so far.
struct Gathering {
    segment: Arc<Segment>,
    cursor: Option<Cursor>,
    found: Found,
    /// The list being read, if the last slice ended within one.
    open: Option<Postings>,
    list: Vec<u32>,
    words: Vec<u64>,
    done: Option<DocIterator>,
}

enum Cursor {
    Dictionary(TermIter),
    /// The index of the next term of a set.
    Set(usize),
}

impl MultiTermWeight {
    pub fn new(plan: &MultiTerm, boost: f32) -> Self {
        Self { plan: plan.clone(), boost, gathering: None }
    }

    fn begin(&self, view: &SegmentView) -> Gathering {
        let terms = view.segment.field(&self.plan.field).and_then(|field| field.terms());
        let cursor = terms.map(|terms| match &self.plan.set {
            TermSet::Prefix(prefix) => Cursor::Dictionary(terms.prefix(prefix)),
            TermSet::Range(lo, hi) => {
                Cursor::Dictionary(terms.range(lo.as_ref().map(Vec::as_slice), hi.as_ref().map(Vec::as_slice)))
            }
            TermSet::Pattern(pattern) => Cursor::Dictionary(terms.prefix(pattern.prefix())),
            TermSet::Terms(_) => Cursor::Set(0),
        });
        let (list, words, found) = (Vec::new(), Vec::new(), Found::default());
        Gathering { segment: view.segment.clone(), cursor, found, open: None, list, words, done: None }
    }

    /// Works for at most about `units`. True when all documents of the segment are gathered.
    fn gather(&mut self, view: &SegmentView, units: u32, spent: &mut u32) -> bool {
        let mut gathering = match self.gathering.take() {
            Some(gathering) if Arc::ptr_eq(&gathering.segment, &view.segment) => gathering,
            _ => self.begin(view),
        };
        let done = gathering.done.is_some() || gathering.run(&self.plan, units, spent);
        self.gathering = Some(gathering);
        done
    }
}

impl Gathering {
    fn run(&mut self, plan: &MultiTerm, units: u32, spent: &mut u32) -> bool {
        let segment = self.segment.clone();
        let Some(terms) = segment.field(&plan.field).and_then(|field| field.terms()) else {
            self.done = Some(DocIterator::empty());
            return true;
        };
        let mut used = 0;
        while used < units {
            let list = match self.open.take() {
                Some(list) => list,
                None => match self.next_info(plan, terms, &mut used, units) {
                    Some(Some(info)) if self.add_short(terms, info) => {
                        used += info.doc_freq / DOCS_PER_UNIT;
                        continue;
                    }
                    Some(Some(info)) => terms.postings(info, Want::Docs),
                    Some(None) => break,
                    None => {
                        self.finish();
                        *spent += used;
                        return true;
                    }
                },
            };
            self.drain(list, &mut used, units);
        }
        *spent += used;
        false
    }

    /// Adds the documents of a term that has so few that no cursor is needed. False if it has more.
    fn add_short(&mut self, terms: &Terms, info: TermInfo) -> bool {
        if self.words.is_empty() && self.list.len() + info.doc_freq as usize > LIST_DOCS {
            self.leave_list();
        }
        let (list, words) = (&mut self.list, &mut self.words);
        match words.is_empty() {
            true => terms.for_each_of_short(info, |doc, _| list.push(doc)),
            false => terms.for_each_of_short(info, |doc, _| words[doc as usize / 64] |= 1 << (doc % 64)),
        }
    }

    /// From a list to bits.
    fn leave_list(&mut self) {
        self.words = vec![0; self.segment.max_doc().div_ceil(64) as usize];
        set_all(&mut self.words, &self.list);
        self.list = Vec::new();
    }

    /// What is known of the next matching term: `None` at the end, `Some(None)` if the units ran out before one was found.
    fn next_info(&mut self, plan: &MultiTerm, terms: &Terms, used: &mut u32, units: u32) -> Option<Option<TermInfo>> {
        while *used < units {
            *used += 1;
            let info = match self.cursor.as_mut()? {
                Cursor::Dictionary(iter) => {
                    let (shared, term) = iter.next_key()?;
                    match &plan.set {
                        TermSet::Pattern(pattern) if !pattern.matches_next(term, shared, &mut self.found) => continue,
                        _ => iter.info(),
                    }
                }
                Cursor::Set(at) => {
                    let TermSet::Terms(set) = &plan.set else { return None };
                    let term = set.get(*at)?;
                    *at += 1;
                    match terms.get(term) {
                        Some(info) => info,
                        None => continue,
                    }
                }
            };
            return Some(Some(info));
        }
        Some(None)
    }

    fn drain(&mut self, mut list: Postings, used: &mut u32, units: u32) {
        while list.doc() != NO_MORE_DOCS {
            if *used >= units {
                self.open = Some(list);
                return;
            }
            let (docs, _) = list.block();
            *used += 1 + docs.len() as u32 / DOCS_PER_UNIT;
            if self.words.is_empty() && self.list.len() + docs.len() <= LIST_DOCS {
                self.list.extend_from_slice(docs);
            } else {
                if self.words.is_empty() {
                    self.leave_list();
                }
                set_all(&mut self.words, docs);
            }
            list.skip_block();
        }
    }

    fn finish(&mut self) {
        self.done = Some(if self.words.is_empty() {
            DocIterator::gathered(std::mem::take(&mut self.list))
        } else {
            let words = std::mem::take(&mut self.words);
            let count = words.iter().map(|w| u64::from(w.count_ones())).sum();
            DocIterator::bits(words, count)
        });
    }
}

fn set_all(words: &mut [u64], docs: &[u32]) {
    for doc in docs {
        words[*doc as usize / 64] |= 1 << (doc % 64);
    }
}

impl Weight for MultiTermWeight {
    fn prepare(&mut self, view: &SegmentView, spent: &mut u32) -> Result<bool> {
        Ok(self.gather(view, UNITS_PER_SLICE, spent))
    }

    /// Where no document has two values, no two terms have a document in common.
    fn count_ahead(&mut self, view: &SegmentView) -> Option<u64> {
        let field = view.segment.field(&self.plan.field)?;
        let (terms, values) = (field.terms()?, field.ordinals()?);
        if self.gathering.is_some() || !values.single_valued() || !values.has_doc_freqs() {
            return None;
        }
        let (mut matching, mut used, mut count) = (self.begin(view), 0, 0);
        while let Some(info) = matching.next_info(&self.plan, terms, &mut used, UNITS_PER_SLICE) {
            // With too many terms it takes as long to look at each as to gather their documents.
            count += u64::from(info?.doc_freq);
        }
        Some(count)
    }

    fn opens(&mut self, view: &SegmentView) -> Result<bool> {
        let has_terms = || view.segment.field(&self.plan.field).is_some_and(|field| field.terms().is_some());
        // Whether a pattern matches any term of the field is found out later.
        Ok(match &self.plan.set {
            TermSet::Terms(_) => self.scorer(view)?.is_some(),
            _ => has_terms(),
        })
    }

    fn scorer(&mut self, view: &SegmentView) -> Result<Option<Box<dyn Scorer>>> {
        while !self.gather(view, u32::MAX, &mut 0) {}
        let docs = self.gathering.as_ref().and_then(|gathering| gathering.done.clone());
        Ok(docs.and_then(|docs| DocsScorer::boxed(docs, self.boost)))
    }

    fn explain(&mut self, view: &SegmentView, doc: u32) -> Result<Explanation> {
        explain_by_scorer(self, view, doc, |weight| explain_constant(&weight.plan.text, weight.boost))
    }
}

#[cfg(test)]
mod tests {
    use crate::search::tests::{search, shard};

    #[test]
    fn counts_from_the_dictionary_are_those_of_the_documents() {
        let one_each = [r#"{"k":"a1"}"#, r#"{"k":["a2","a2"]}"#, r#"{"k":"a1"}"#, "{}", r#"{"k":"b"}"#];
        let several = [r#"{"k":["a1","a2"]}"#, r#"{"k":"b"}"#, r#"{"k":["a2","b"]}"#];
        let cx = shard(r#"{"properties":{"k":{"type":"keyword"}}}"#, &[&one_each, &several]);
        for (query, expected) in [
            (r#"{"prefix":{"k":"a"}}"#, 5),
            (r#"{"range":{"k":{"gt":"a1","lte":"b"}}}"#, 5),
            (r#"{"wildcard":{"k":"*1"}}"#, 3),
            (r#"{"terms":{"k":["b","a1","b","none"]}}"#, 6),
            (r#"{"constant_score":{"filter":{"regexp":{"k":"[ab]"}}}}"#, 3),
        ] {
            for size in [0, 1] {
                let answer = search(&cx, &format!(r#"{{"size":{size},"track_total_hits":true,"query":{query}}}"#));
                assert!(answer.contains(&format!(r#""total":{{"value":{expected},"#)), "{query}: {answer}");
            }
        }
    }
}
