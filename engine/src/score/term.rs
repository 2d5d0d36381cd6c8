//! One term: block at a time, skipping blocks that cannot compete.

use super::bulk::{BulkClauses, Clause, Lengths, lengths_of};
use super::plan::BlendedTerm;
use super::similarity::{Sim, SimScorer};
use super::{Bound, BulkTop, Explanation, FieldTotals, Scorer, Slots, TopScores, Weight, WeightContext};
use crate::error::Result;
use crate::segment::{
    FieldCounts, NO_MORE_DOCS, Norms, Postings, Segment, SegmentField, SegmentView, Snapshot, TermCounts, TermInfo,
    Want, WindowBits,
};
use smallvec::SmallVec;
use std::rc::Rc;
use std::sync::Arc;

/// The norm of documents in fields without norms.
pub const NO_NORM: u8 = 1;

/// Longer terms have memory of their own.
const TERM_BYTES: usize = 24;

/// From this many documents on a single term is evaluated in bulk.
const BULK_DOCS_MIN: u32 = 128;

/// Bounds are computed in another order than scores, so they get room for rounding.
pub const BOUND_SLACK: f32 = 1.0 + 1e-5;

/// What a field's segments say together.
pub fn field_totals(snapshot: &Snapshot, field: &str) -> FieldTotals {
    let mut own = FieldCounts::default();
    for view in &snapshot.segments {
        if let Some(field) = view.segment.field(field) {
            let stats = field.stats();
            own.doc_count += u64::from(stats.doc_count);
            own.sum_doc_freq += stats.sum_doc_freq;
            own.sum_total_term_freq += stats.sum_total_term_freq;
        }
    }
    let FieldCounts { doc_count, sum_doc_freq, sum_total_term_freq } = snapshot.counting.field(field, own);
    FieldTotals { doc_count, sum_doc_freq, sum_total_term_freq }
}

/// A term looked up in all segments of a snapshot.
#[derive(Clone)]
pub struct TermLookup {
    infos: SmallVec<[Option<TermInfo>; 1]>,
    pub doc_freq: u64,
    pub total_term_freq: u64,
}

impl TermLookup {
    /// `scores`: whether it is looked up for what documents score. Nobody else asks for the statistics of all shards.
    pub fn new(snapshot: &Snapshot, field: &str, term: &[u8], scores: bool) -> Self {
        let mut infos = SmallVec::with_capacity(snapshot.segments.len());
        let mut own = TermCounts::default();
        for view in &snapshot.segments {
            let info = view.segment.field(field).and_then(SegmentField::terms).and_then(|terms| terms.get(term));
            if let Some(info) = info {
                own.doc_freq += u64::from(info.doc_freq);
                own.total_term_freq += info.total_term_freq;
            }
            infos.push(info);
        }
        let counts = if scores { snapshot.counting.term(field, term, own) } else { own };
        let TermCounts { doc_freq, total_term_freq } = counts;
        Self { infos, doc_freq, total_term_freq }
    }

    /// What the term is in each segment of the snapshot.
    pub fn infos(&self) -> &[Option<TermInfo>] {
        &self.infos
    }

    /// Its statistics, if the shard itself has it: what others have beside it does not count.
    pub fn counts_here(&self) -> Option<TermCounts> {
        self.infos.iter().any(Option::is_some).then(|| self.counts())
    }

    pub fn counts(&self) -> TermCounts {
        TermCounts { doc_freq: self.doc_freq, total_term_freq: self.total_term_freq }
    }

    /// What the term is in the segment with this index in the snapshot.
    pub fn info(&self, segment: usize) -> Option<TermInfo> {
        self.infos.get(segment).copied().flatten()
    }
}

/// The index of a segment in its snapshot.
pub fn segment_index(snapshot: &Snapshot, segment: &Arc<Segment>) -> usize {
    snapshot.segments.iter().position(|view| Arc::ptr_eq(&view.segment, segment)).unwrap_or(usize::MAX)
}

fn similarity(cx: &WeightContext, field: &str, lookup: &TermLookup, blended: Option<&BlendedTerm>, boost: f32) -> Sim {
    let mut totals = field_totals(cx.snapshot, field);
    let once = blended.is_some_and(|b| b.once);
    if once {
        totals.sum_total_term_freq = totals.sum_doc_freq;
    }
    // What was blended stands for the shard's own count where all shards' counts are asked for.
    let mut counts = blended.map_or(lookup.counts(), |b| {
        let own = TermCounts { doc_freq: b.doc_freq, total_term_freq: b.total_term_freq };
        cx.snapshot.counting.term(field, &b.term, own)
    });
    if once {
        counts.total_term_freq = counts.doc_freq;
    }
    totals.doc_count = totals.doc_count.max(if blended.is_some() { counts.doc_freq } else { 0 });
    Sim::new(cx, field, totals, &[counts], boost)
}

pub struct TermWeight {
    snapshot: Arc<Snapshot>,
    field: Arc<str>,
    term: SmallVec<[u8; TERM_BYTES]>,
    lookup: TermLookup,
    sim: Sim,
    /// What explanations call it.
    similarity: &'static str,
    scores: bool,
    once: bool,
}

impl TermWeight {
    /// `blended`: statistics to score by instead of the term's own.
    pub fn new(
        cx: &WeightContext,
        field: &Arc<str>,
        term: &[u8],
        blended: Option<&BlendedTerm>,
        scores: bool,
        boost: f32,
    ) -> Self {
        let lookup = TermLookup::new(cx.snapshot, field, term, scores);
        let sim = if scores { similarity(cx, field, &lookup, blended, boost) } else { Sim::unscored() };
        Self {
            snapshot: cx.snapshot.clone(),
            term: term.into(),
            field: field.clone(),
            lookup,
            sim,
            similarity: cx.similarities.name(),
            scores,
            once: blended.is_some_and(|b| b.once),
        }
    }

    fn term_scorer<S: SimScorer + ?Sized>(&self, sim: &Rc<S>, view: &SegmentView) -> Option<TermScorer<S>> {
        let info = self.lookup.info(segment_index(&self.snapshot, &view.segment))?;
        let field = view.segment.field(&self.field)?;
        let want = if self.scores && !self.once { Want::Freqs } else { Want::Docs };
        let postings = field.terms()?.postings(info, want);
        if postings.doc() == NO_MORE_DOCS {
            return None;
        }
        // What was recorded counts how often documents have the term.
        let factor = if self.once { f32::INFINITY } else { sim.bound_factor(postings.bound_avg_len()) };
        let norms = field.norms().cloned();
        Some(TermScorer {
            postings,
            norms,
            bound_factor: factor * BOUND_SLACK,
            bound_cap: sim.max_score() * BOUND_SLACK,
            sim: sim.clone(),
            scores: self.scores,
        })
    }

    fn boxed_scorer(&self, view: &SegmentView) -> Option<Box<dyn Scorer>> {
        match &self.sim {
            Sim::Bm25(bm25) => self.term_scorer(bm25, view).map(|scorer| Box::new(scorer) as Box<dyn Scorer>),
            Sim::Other(other) => self.term_scorer(other, view).map(|scorer| Box::new(scorer) as Box<dyn Scorer>),
        }
    }

    /// Offers the documents of a short list. False if it is not short.
    fn offer_short<S: SimScorer + ?Sized>(&self, sim: &S, view: &SegmentView, top: &mut TopScores) -> bool {
        let info = self.lookup.info(segment_index(&self.snapshot, &view.segment));
        let field = view.segment.field(&self.field);
        let (Some(info), Some(field)) = (info, field) else { return true };
        let Some(terms) = field.terms() else { return true };
        let norms = field.norms();
        terms.for_each_of_short(info, |doc, freq| {
            let score = match self.scores {
                true => {
                    sim.score(if self.once { 1.0 } else { freq as f32 }, norms.map_or(NO_NORM, |norms| norms.get(doc)))
                }
                false => 0.0,
            };
            top.offer(doc, score);
        })
    }

    /// How often the document has the term, and the norm that its score goes by.
    fn freq_and_norm(&self, view: &SegmentView, doc: u32) -> Option<(f32, u8)> {
        let info = self.lookup.info(segment_index(&self.snapshot, &view.segment))?;
        let field = view.segment.field(&self.field)?;
        let mut postings =
            field.terms()?.postings(info, if self.scores && !self.once { Want::Freqs } else { Want::Docs });
        let found = postings.doc() == doc || postings.doc() < doc && postings.advance(doc) == doc;
        found.then(|| (postings.freq() as f32, norm_of(&field.norms().cloned(), doc)))
    }

    /// The term for evaluation in bulk, with the lengths of its field among `lengths`. None if the segment does not have it,
    /// or not what bulk evaluation needs.
    pub(super) fn clause(&self, view: &SegmentView, lengths: &mut Vec<Lengths>) -> Option<Clause> {
        let info = self.lookup.info(segment_index(&self.snapshot, &view.segment))?;
        let field = view.segment.field(&self.field)?;
        let postings = field.terms()?.list(info, Want::Freqs);
        if !self.scores {
            return Some(Clause::unscored(postings));
        }
        if self.once || !postings.has_ranges() {
            return None;
        }
        let sim = self.sim.for_bulk()?;
        let at = lengths_of(&self.field, field, sim, view, lengths);
        Some(Clause::new(postings, sim, at))
    }

    /// Whether the segment has the term.
    pub(super) fn is_in(&self, view: &SegmentView) -> bool {
        self.lookup.info(segment_index(&self.snapshot, &view.segment)).is_some()
    }
}

impl Weight for TermWeight {
    fn opens(&mut self, view: &SegmentView) -> Result<bool> {
        // Without scores it is looked up late, if it can be among the terms of the field.
        let terms = view.segment.field(&self.field).and_then(SegmentField::terms);
        Ok(match self.scores {
            true => self.is_in(view),
            false => terms.is_some_and(|terms| terms.may_have(&self.term)),
        })
    }

    fn scorer(&mut self, view: &SegmentView) -> Result<Option<Box<dyn Scorer>>> {
        Ok(self.boxed_scorer(view))
    }

    fn bulk(&mut self, view: &SegmentView) -> Result<Option<BulkTop>> {
        // A short list is walked as fast.
        if self
            .lookup
            .info(segment_index(&self.snapshot, &view.segment))
            .is_none_or(|info| info.doc_freq < BULK_DOCS_MIN)
        {
            return Ok(None);
        }
        let mut clauses = BulkClauses::default();
        let Some(clause) = self.clause(view, &mut clauses.lengths) else { return Ok(None) };
        clauses.optional.push(clause);
        Ok(Some(BulkTop::new(clauses, view)))
    }

    fn offer_few(&mut self, view: &SegmentView, top: &mut TopScores) -> bool {
        match &self.sim {
            Sim::Bm25(bm25) => self.offer_short(&**bm25, view, top),
            Sim::Other(other) => self.offer_short(&**other, view, top),
        }
    }

    fn as_term(&self) -> Option<&TermWeight> {
        Some(self)
    }

    fn counts_apart(&self) -> bool {
        true
    }

    fn explain(&mut self, view: &SegmentView, doc: u32) -> Result<Explanation> {
        let Some((freq, norm)) = self.freq_and_norm(view, doc) else {
            return Ok(Explanation::no_match("no matching term", vec![]));
        };
        let text = super::Plan::term(&self.field, &self.term[..]);
        let occurrences = "freq, occurrences of term within document";
        let detail = match self.scores {
            true => self.sim.explain(freq, norm, occurrences),
            false => explain_unscored(freq, occurrences, 0.0),
        };
        Ok(Explanation::matching(
            detail.score(),
            format!("weight({text} in {doc}) [{}], result of:", self.similarity),
            vec![detail],
        ))
    }

    fn count(&mut self, view: &SegmentView) -> Option<u64> {
        let segment = segment_index(&self.snapshot, &view.segment);
        Some(self.lookup.info(segment).map_or(0, |info| u64::from(info.doc_freq)))
    }
}

/// What is said of the frequency where nobody asked for scores.
pub(super) fn explain_unscored(freq: f32, description: &str, value: f32) -> Explanation {
    let text = format!("score(freq={}), with freq of:", super::float_text(freq));
    Explanation::matching(value, text, vec![Explanation::matching(freq, description, vec![])])
}

#[inline]
pub fn norm_of(norms: &Option<Norms>, doc: u32) -> u8 {
    norms.as_ref().map_or(NO_NORM, |norms| norms.get(doc))
}

/// `S` is BM25 nearly always: its scores are reckoned without asking which similarity it is.
struct TermScorer<S: ?Sized> {
    postings: Postings,
    norms: Option<Norms>,
    /// What a bound of the postings is multiplied by.
    bound_factor: f32,
    /// No document scores more.
    bound_cap: f32,
    scores: bool,
    sim: Rc<S>,
}

impl<S: SimScorer + ?Sized> TermScorer<S> {
    fn bound_score(&self, max_tf_norm: f32) -> f32 {
        (max_tf_norm * self.bound_factor).min(self.bound_cap)
    }

    /// Hands over documents below `upto` with their scores, a block at a time.
    #[inline]
    fn for_each_block(&mut self, upto: u32, mut block: impl FnMut(&[u32], &[u32], &Option<Norms>, &S)) {
        while self.postings.doc() < upto {
            let (docs, freqs) = self.postings.block();
            let end = if docs[docs.len() - 1] < upto { docs.len() } else { docs.partition_point(|doc| *doc < upto) };
            let whole = end == docs.len();
            block(&docs[..end], &freqs[..end.min(freqs.len())], &self.norms, &self.sim);
            if !whole {
                self.postings.advance(upto);
                return;
            }
            self.postings.skip_block();
        }
    }
}

/// Calls `each` with document and score.
#[inline]
fn score_block<S: SimScorer + ?Sized>(
    docs: &[u32],
    freqs: &[u32],
    norms: &Option<Norms>,
    sim: &S,
    mut each: impl FnMut(u32, f32),
) {
    let dense = norms.as_ref().and_then(|norms| norms.dense());
    let freq = |i: usize| freqs.get(i).copied().unwrap_or(1) as f32;
    match dense {
        Some(bytes) => {
            for (i, &doc) in docs.iter().enumerate() {
                each(doc, sim.score(freq(i), bytes[doc as usize]));
            }
        }
        None => {
            for (i, &doc) in docs.iter().enumerate() {
                each(doc, sim.score(freq(i), norm_of(norms, doc)));
            }
        }
    }
}

impl<S: SimScorer + ?Sized> Scorer for TermScorer<S> {
    #[inline]
    fn doc(&self) -> u32 {
        self.postings.doc()
    }

    #[inline]
    fn next(&mut self) -> u32 {
        self.postings.next()
    }

    #[inline]
    fn advance(&mut self, target: u32) -> u32 {
        self.postings.advance(target)
    }

    fn score(&mut self) -> f32 {
        if !self.scores {
            return 0.0;
        }
        let norm = norm_of(&self.norms, self.postings.doc());
        self.sim.score(self.postings.freq() as f32, norm)
    }

    fn cost(&self) -> u64 {
        u64::from(self.postings.doc_freq())
    }

    fn bound(&mut self, target: u32) -> Bound {
        let bound = self.postings.bound(target);
        Bound { last_doc: bound.last_doc, max: self.bound_score(bound.max_tf_norm) }
    }

    fn fill(&mut self, upto: u32, bits: &mut WindowBits) {
        self.postings.collect_into(upto, bits);
    }

    fn accumulate(&mut self, base: u32, upto: u32, slots: &mut Slots) {
        self.postings.advance(base.max(self.postings.doc()));
        self.for_each_block(upto, |docs, freqs, norms, sim| {
            score_block(docs, freqs, norms, sim, |doc, score| slots.add((doc - base) as usize, score));
        });
    }

    fn collect(&mut self, upto: u32, out: &mut Vec<u32>, scores: Option<&mut Vec<f32>>) {
        match scores {
            None => self.for_each_block(upto, |docs, _, _, _| out.extend_from_slice(docs)),
            Some(scores) => self.for_each_block(upto, |docs, freqs, norms, sim| {
                out.extend_from_slice(docs);
                score_block(docs, freqs, norms, sim, |_, score| scores.push(score));
            }),
        }
    }

    fn collect_top(&mut self, upto: u32, top: &mut TopScores) {
        while self.postings.doc() < upto {
            if !top.is_counting() {
                let bound = self.postings.bound(self.postings.doc());
                if self.bound_score(bound.max_tf_norm) <= top.threshold() {
                    self.postings.advance(upto.min(bound.last_doc.saturating_add(1)));
                    continue;
                }
            }
            let (docs, freqs) = self.postings.block();
            let end = if docs[docs.len() - 1] < upto { docs.len() } else { docs.partition_point(|doc| *doc < upto) };
            let whole = end == docs.len();
            score_block(&docs[..end], freqs, &self.norms, &*self.sim, |doc, score| top.offer(doc, score));
            if !whole {
                self.postings.advance(upto);
                return;
            }
            self.postings.skip_block();
        }
    }
}
