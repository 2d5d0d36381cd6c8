//! Scoring: from a rewritten query ([`Plan`]) to matching documents and their scores.
//!
//! - [`Plan`]: the few primitive queries that every query of the interface is rewritten into, with the simplifications
//!   that decide scores and explanations ([`Plan::simplify`]), and their text ([`std::fmt::Display`]).
//! - [`Weight`]: a plan bound to one snapshot: statistics gathered, ready to give scorers and explanations.
//! - [`Scorer`]: a cursor over the matching documents of one segment, with bulk paths for whole windows.
//! - [`Bm25`]: the similarity that nearly all fields have, `similarity` the others; [`Explanation`]: how a score came about; [`TopScores`]: the best hits so far.
//! - `bulk`: the best hits of a few terms, a window at a time: what most searches are made of.
//! - [`Selection`]: what is known of the matches of a plan without looking.
//! - One file per primitive: `term`, `phrase`, `boolean` (with `conjunction` and `disjunction`), `dis_max`, `constant`,
//!   `multi_term`, `points` (with `column_range`), `exists`, `ids`, `all`.
//!
//! What this room does not know: the JSON of queries (see `query`), fields' types, sorting, fetching, aggregations.

mod all;
mod asked;
mod blend;
mod block_join;
mod bm25;
mod boolean;
mod boosting;
mod bulk;
mod candidate;
mod child_join;
mod column_range;
mod combined;
mod conjunction;
mod constant;
mod counted;
mod covering;
mod custom;
mod derived;
mod dis_max;
mod disjunction;
mod distance;
mod docs;
mod exists;
mod explain;
mod explained_clauses;
mod feature;
pub mod functions;
pub mod geo_distance_feature;
mod ids;
pub mod intervals;
mod key_join;
mod late;
mod list;
mod multi_term;
mod ordinal_terms;
mod phrase;
mod phrase_match;
mod places;
mod plan;
mod points;
mod positional;
mod profile;
mod rewritten;
mod script;
mod script_filter;
mod selection;
pub mod similarity;
mod simplify;
mod slots;
pub mod spans;
mod synonym;
mod term;
mod top;
mod value_test;

#[cfg(test)]
mod tests;

pub use all::{NothingKept, Refused};
pub use blend::blend;
pub use block_join::{BlockJoin, JoinScore};
pub use bm25::{B, Bm25, FieldTotals, Idf, K1, norm_to_length};
pub use boosting::Boosting;
pub use bulk::BulkTop;
pub use child_join::ChildJoin;
pub use combined::CombinedFields;
pub use counted::{count_searches, known_count};
pub use covering::{Covering, Minimum};
pub use custom::{CustomPlan, Faults, Marks, PlanNode, Seen};
pub use derived::DerivedQuery;
pub use distance::DistanceFeature;
pub use docs::DocsScorer;
pub use explain::{Explanation, Number, double_text, float_text};
pub use feature::{FeatureFunction, FeatureQuery, FeatureSource, FoundIn};
pub use geo_distance_feature::GeoDistanceFeature;
pub use ids::{BlockIds, encode as encode_id};
pub use key_join::KeyJoin;
pub use list::ListScorer;
pub use multi_term::{Automaton, Found, MultiTerm, TermSet};
pub use phrase::PhrasePosition;
pub use places::Places;
pub use plan::{BlendedTerm, BoolPlan, ClauseOrder, Occur, Plan, WeightContext};
pub use points::PointSet;
pub use rewritten::Rewriting;
pub use script::{BoundScript, MappingRef, ScriptFunction, ScriptScore, SnapshotRef, script_text};
pub use script_filter::ScriptFilter;
pub use selection::Selection;
pub use slots::{SLOTS, Slots};
pub use term::TermLookup;
pub use top::{ScoredDoc, TopScores};
pub use value_test::{TestedValues, ValueTest};

use crate::error::Result;
use crate::segment::{NO_MORE_DOCS, SegmentView, WindowBits};

/// A plan bound to a snapshot.
pub trait Weight {
    /// Does a bounded piece of the work that a scorer for this segment needs first (expanding patterns over the
    /// dictionary). True when done; [`Weight::scorer`] does what is left in one go otherwise.
    fn prepare(&mut self, _view: &SegmentView, _spent: &mut u32) -> Result<bool> {
        Ok(true)
    }

    /// The matching documents of one segment, deleted ones included; none if nothing matches.
    fn scorer(&mut self, view: &SegmentView) -> Result<Option<Box<dyn Scorer>>>;

    /// Whether the reference looks for matches in this segment: a query of several parts opens each of them until one that is
    /// required has nothing there, and what a part refuses is refused although the others would match nothing together.
    fn opens(&mut self, view: &SegmentView) -> Result<bool> {
        Ok(self.scorer(view)?.is_some())
    }

    /// Like `scorer`, for use below another one that matches about `lead_cost` documents: if those are few, checking each
    /// can be cheaper than finding all matches.
    fn scorer_below(&mut self, view: &SegmentView, _lead_cost: u64) -> Result<Option<Box<dyn Scorer>>> {
        self.scorer(view)
    }

    /// Offers the matches of the segment where that takes less than making what finds them. False, with nothing offered, if it does not.
    fn offer_few(&mut self, _view: &SegmentView, _top: &mut TopScores) -> bool {
        false
    }

    /// The best hits of the segment and the number of all, where they can be had without a scorer.
    fn bulk(&mut self, _view: &SegmentView) -> Result<Option<BulkTop>> {
        Ok(None)
    }

    /// The term that this is, if it is one.
    fn as_term(&self) -> Option<&term::TermWeight> {
        None
    }

    /// The phrase that this is, if it is one.
    fn as_phrase(&self) -> Option<&phrase::PhraseWeight> {
        None
    }

    /// The boolean that this is, if it is one.
    fn as_bool(&self) -> Option<&boolean::BoolWeight> {
        None
    }

    /// Whether matches are found for a fraction of what it takes to score them, and have bounds that keep most from being scored:
    /// then they are counted first, so that the best are looked for among few.
    fn counts_apart(&self) -> bool {
        false
    }

    /// How the score of a document of this segment comes about.
    fn explain(&mut self, view: &SegmentView, doc: u32) -> Result<Explanation>;

    /// [`Weight::count`] where it takes less than [`Weight::prepare`] would, which then is left out.
    fn count_ahead(&mut self, _view: &SegmentView) -> Option<u64> {
        None
    }

    /// How many documents of the segment match, deleted ones included, where that is known without looking.
    fn count(&mut self, _view: &SegmentView) -> Option<u64> {
        None
    }
}

/// A bound of what the documents from some target to `last_doc`, inclusive, can score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    pub last_doc: u32,
    pub max: f32,
}

/// Whether a document is a match. It must not be before where the scorer stands; matches up to it are not looked for.
pub fn takes(scorer: &mut dyn Scorer, doc: u32) -> bool {
    scorer.candidate_from(doc) == doc && scorer.matches()
}

/// [`Scorer::fill`] with a look at each match.
fn fill_by_steps(scorer: &mut (impl Scorer + ?Sized), upto: u32, bits: &mut WindowBits) {
    let end = u64::from(upto).min(bits.end());
    let mut doc = if scorer.doc() < bits.base() { scorer.advance(bits.base()) } else { scorer.doc() };
    while u64::from(doc) < end {
        bits.insert(doc);
        doc = scorer.next();
    }
}

/// A cursor over matching documents. It stands on its first match when made, and on `NO_MORE_DOCS` at the end, after
/// which only `doc` may be called.
pub trait Scorer {
    fn doc(&self) -> u32;

    fn next(&mut self) -> u32;

    /// Moves to the first match at or after `target`, which must not be before the current document.
    fn advance(&mut self, target: u32) -> u32;

    /// The score of the current match. May be called once per document.
    fn score(&mut self) -> f32;

    /// About how many documents match.
    fn cost(&self) -> u64;

    /// Like `advance`, but the document need only be a candidate, to be confirmed by [`Scorer::matches`] before any
    /// other call than `doc` and `advance_candidate`.
    fn advance_candidate(&mut self, target: u32) -> u32 {
        self.advance(target)
    }

    /// The first candidate at or after `target`. Unlike `doc`, it does not ask a scorer that has just been made for its first match,
    /// which may lie before: nobody has to look at documents then that others leave out.
    fn candidate_from(&mut self, target: u32) -> u32 {
        if self.doc() < target { self.advance_candidate(target) } else { self.doc() }
    }

    /// Whether the candidate is a match.
    fn matches(&mut self) -> bool {
        true
    }

    /// Whether candidates need confirming at all.
    fn is_two_phase(&self) -> bool {
        false
    }

    /// Whether candidates may fail for long, so that a search does better to look at them one by one than to ask for matches.
    /// The scorer must not have been asked where it stands then: [`Scorer::candidate_from`] tells.
    fn goes_by_candidates(&self) -> bool {
        false
    }

    /// A bound of the scores of documents from `target` (not before the current one) on. Does not move the cursor.
    fn bound(&mut self, _target: u32) -> Bound {
        Bound { last_doc: NO_MORE_DOCS - 1, max: f32::INFINITY }
    }

    /// No document in `[doc(), upto)` scores more than this.
    fn max_score(&mut self, upto: u32) -> f32 {
        let (mut target, mut max) = (self.doc(), 0f32);
        while target < upto {
            let bound = self.bound(target);
            max = max.max(bound.max);
            target = bound.last_doc.saturating_add(1);
        }
        max
    }

    /// ORs the matches that are below `upto` and in the window of `bits` into it, and moves to the first match after them.
    /// Matches before the window are skipped.
    fn fill(&mut self, upto: u32, bits: &mut WindowBits) {
        fill_by_steps(self, upto, bits);
    }

    /// Adds the scores of matches in `[base, base + SLOTS)` and below `upto` to their slots, and sets their bits.
    fn accumulate(&mut self, base: u32, upto: u32, slots: &mut Slots) {
        let mut doc = if self.doc() < base { self.advance(base) } else { self.doc() };
        while doc < upto {
            let score = self.score();
            slots.add((doc - base) as usize, score);
            doc = self.next();
        }
    }

    /// Appends matches before `upto` to `docs`, and their scores to `scores` if given.
    fn collect(&mut self, upto: u32, docs: &mut Vec<u32>, mut scores: Option<&mut Vec<f32>>) {
        let mut doc = self.doc();
        while doc < upto {
            docs.push(doc);
            if let Some(scores) = scores.as_deref_mut() {
                let score = self.score();
                scores.push(score);
            }
            doc = self.next();
        }
    }

    /// Appends matches from `from` to before `upto`, and their scores if wanted. Gives the first candidate that was not looked at.
    fn collect_candidates(
        &mut self,
        from: u32,
        upto: u32,
        docs: &mut Vec<u32>,
        mut scores: Option<&mut Vec<f32>>,
    ) -> u32 {
        let mut doc = self.candidate_from(from);
        while doc < upto {
            if self.matches() {
                docs.push(doc);
                if let Some(scores) = scores.as_deref_mut() {
                    let score = self.score();
                    scores.push(score);
                }
            }
            doc = self.advance_candidate(doc + 1);
        }
        doc
    }

    /// As [`Scorer::collect_top`] from `from` on, for who goes by candidates. Gives the first candidate that was not looked at.
    fn collect_top_candidates(&mut self, from: u32, upto: u32, top: &mut TopScores) -> u32 {
        let mut doc = self.candidate_from(from);
        let mut bounded_to = 0;
        while doc < upto {
            if !top.is_counting() && doc >= bounded_to {
                let bound = self.bound(doc);
                if bound.max <= top.threshold() {
                    doc = self.advance_candidate(bound.last_doc.saturating_add(1).min(upto));
                    continue;
                }
                bounded_to = bound.last_doc.saturating_add(1);
            }
            if self.matches() {
                let score = self.score();
                top.offer(doc, score);
            }
            doc = self.advance_candidate(doc + 1);
        }
        doc
    }

    /// Offers matches before `upto` to `top`. Those that cannot enter it may be skipped unless it counts.
    fn collect_top(&mut self, upto: u32, top: &mut TopScores) {
        let mut doc = self.doc();
        while doc < upto {
            let score = self.score();
            top.offer(doc, score);
            doc = self.next();
        }
    }
}
