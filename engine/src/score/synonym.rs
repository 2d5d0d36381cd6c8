//! Terms that stand for one another: their frequencies are added up and scored as those of one term.

use super::similarity::Sim;
use super::term::{TermLookup, norm_of, segment_index};
use super::{Bound, Explanation, Plan, Scorer, Weight, WeightContext, float_text};
use crate::error::Result;
use crate::segment::{NO_MORE_DOCS, Norms, Postings, SegmentView, Snapshot, TermCounts, Want};
use std::sync::Arc;

pub struct SynonymWeight {
    snapshot: Arc<Snapshot>,
    field: Arc<str>,
    text: String,
    lookups: Vec<TermLookup>,
    sim: Sim,
    /// What explanations call it.
    similarity: &'static str,
    scores: bool,
}

impl SynonymWeight {
    pub fn new(cx: &WeightContext, field: &Arc<str>, terms: &[Vec<u8>], scores: bool, boost: f32) -> Self {
        let lookups: Vec<TermLookup> =
            terms.iter().map(|term| TermLookup::new(cx.snapshot, field, term, scores)).collect();
        // The synonyms together are taken to be as frequent as the most frequent of them.
        let counts = || lookups.iter().filter_map(TermLookup::counts_here);
        let doc_freq = counts().map(|counts| counts.doc_freq).max().unwrap_or(0);
        let total_term_freq = counts().map(|counts| counts.total_term_freq).sum();
        let counts = TermCounts { doc_freq, total_term_freq };
        Self {
            snapshot: cx.snapshot.clone(),
            field: field.clone(),
            text: Plan::Synonyms { field: field.clone(), terms: terms.to_vec() }.to_string(),
            lookups,
            sim: Sim::of_field(cx, field, &[counts], boost, scores),
            similarity: cx.similarities.name(),
            scores,
        }
    }

    fn synonym_scorer(&self, view: &SegmentView) -> Option<SynonymScorer> {
        let segment = segment_index(&self.snapshot, &view.segment);
        let field = view.segment.field(&self.field)?;
        let terms = field.terms()?;
        let want = if self.scores { Want::Freqs } else { Want::Docs };
        let lists: Vec<Postings> = self
            .lookups
            .iter()
            .filter_map(|lookup| lookup.info(segment))
            .map(|info| terms.postings(info, want))
            .collect();
        let doc = lists.iter().map(Postings::doc).min()?;
        if doc == NO_MORE_DOCS {
            return None;
        }
        Some(SynonymScorer { doc, lists, norms: field.norms().cloned(), sim: self.sim.clone() })
    }
}

impl Weight for SynonymWeight {
    fn scorer(&mut self, view: &SegmentView) -> Result<Option<Box<dyn Scorer>>> {
        Ok(self.synonym_scorer(view).map(|scorer| Box::new(scorer) as Box<dyn Scorer>))
    }

    fn explain(&mut self, view: &SegmentView, doc: u32) -> Result<Explanation> {
        let Some(mut scorer) = self.synonym_scorer(view) else {
            return Ok(Explanation::no_match("no matching term", vec![]));
        };
        if scorer.advance(doc) != doc {
            return Ok(Explanation::no_match("no matching term", vec![]));
        }
        let norm = norm_of(&scorer.norms, doc);
        let freq = scorer.freq() as f32;
        let detail = self.sim.explain(freq, norm, &format!("termFreq={}", float_text(freq)));
        Ok(Explanation::matching(
            detail.score(),
            format!("weight({} in {doc}) [{}], result of:", self.text, self.similarity),
            vec![detail],
        ))
    }
}

struct SynonymScorer {
    doc: u32,
    lists: Vec<Postings>,
    norms: Option<Norms>,
    sim: Sim,
}

impl SynonymScorer {
    fn freq(&mut self) -> u64 {
        let doc = self.doc;
        self.lists.iter_mut().filter(|list| list.doc() == doc).map(|list| u64::from(list.freq())).sum()
    }
}

impl Scorer for SynonymScorer {
    fn doc(&self) -> u32 {
        self.doc
    }

    fn next(&mut self) -> u32 {
        self.advance(self.doc + 1)
    }

    fn advance(&mut self, target: u32) -> u32 {
        if target > self.doc {
            let docs =
                self.lists.iter_mut().map(|list| if list.doc() < target { list.advance(target) } else { list.doc() });
            self.doc = docs.min().unwrap_or(NO_MORE_DOCS);
        }
        self.doc
    }

    fn score(&mut self) -> f32 {
        let freq = self.freq() as f32;
        self.sim.score(freq, norm_of(&self.norms, self.doc))
    }

    fn cost(&self) -> u64 {
        self.lists.iter().map(|list| u64::from(list.doc_freq())).sum()
    }

    fn bound(&mut self, _target: u32) -> Bound {
        Bound { last_doc: NO_MORE_DOCS - 1, max: self.sim.max_score() }
    }
}
