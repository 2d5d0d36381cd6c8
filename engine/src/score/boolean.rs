//! Clauses that must match, may match and must not match.

use super::bulk::{BulkClauses, CLAUSES_MAX};
use super::candidate::Candidate;
use super::conjunction::{ConjunctionScorer, round_up};
use super::counted::{count_of_all, count_of_any};
use super::disjunction::DisjunctionScorer;
use super::explain::unscored;
use super::explained_clauses::ExplainedClauses;
use super::late::Late;
use super::plan::{BoolPlan, Occur};
use super::{Bound, BulkTop, Explanation, Plan, Scorer, TopScores, Weight, WeightContext, fill_by_steps};
use crate::error::Result;
use crate::segment::{NO_MORE_DOCS, SegmentView, WindowBits};

pub struct BoolWeight {
    plan: BoolPlan,
    /// Some part may refuse to be opened.
    may_refuse: bool,
    must: Vec<Box<dyn Weight>>,
    filter: Vec<Box<dyn Weight>>,
    should: Vec<Box<dyn Weight>>,
    must_not: Vec<Box<dyn Weight>>,
    scores: bool,
    uncached: bool,
}

impl BoolWeight {
    pub fn new(cx: &WeightContext, plan: &BoolPlan, scores: bool, boost: f32) -> Result<Self> {
        // What the reference keeps no answers of is explained with the boost of the whole, though nobody asks for its scores.
        let unscored_boost = if cx.uncached { boost } else { 1.0 };
        let mut weight = Self {
            may_refuse: plan.may_refuse(cx.snapshot),
            plan: plan.clone(),
            must: vec![],
            filter: vec![],
            should: vec![],
            must_not: vec![],
            scores,
            uncached: cx.uncached,
        };
        // In the order in which the clauses are told, which a profile shows.
        for (occur, at) in plan.sequence() {
            let clause = &plan.clauses_of(occur)[at];
            match occur {
                Occur::Must => weight.must.push(clause.weight(cx, scores, boost)?),
                Occur::Should => weight.should.push(clause.weight(cx, scores, boost)?),
                Occur::MustNot | Occur::Filter => {
                    let unscored = match cx.best {
                        true => clause.weight(&cx.for_filters(), false, unscored_boost)?,
                        false => clause.weight(cx, false, unscored_boost)?,
                    };
                    if occur == Occur::Filter { &mut weight.filter } else { &mut weight.must_not }.push(unscored);
                }
            }
        }
        Ok(weight)
    }

    fn weight_of(&mut self, occur: Occur, at: usize) -> &mut dyn Weight {
        match occur {
            Occur::Must => self.must[at].as_mut(),
            Occur::MustNot => self.must_not[at].as_mut(),
            Occur::Should => self.should[at].as_mut(),
            Occur::Filter => self.filter[at].as_mut(),
        }
    }

    /// All required clauses as one scorer; `None` if one of them matches nothing here.
    fn required(&mut self, view: &SegmentView) -> Result<Option<Box<dyn Scorer>>> {
        let mut scored = Vec::with_capacity(self.must.len());
        for weight in &mut self.must {
            let Some(scorer) = weight.scorer(view)? else { return Ok(None) };
            scored.push(scorer);
        }
        let mut lead_cost = scored.iter().map(|scorer| scorer.cost()).min().unwrap_or(u64::from(view.max_doc()));
        let mut filters = Vec::with_capacity(self.filter.len());
        for weight in &mut self.filter {
            let Some(scorer) = weight.scorer_below(view, lead_cost)? else { return Ok(None) };
            lead_cost = lead_cost.min(scorer.cost());
            filters.push(scorer);
        }
        if !self.scores {
            filters.append(&mut scored);
            if filters.len() == 1 {
                return Ok(filters.pop());
            }
        }
        Ok(ConjunctionScorer::boxed(scored, filters, view.max_doc()))
    }

    /// The clauses, if all of them are terms that can be evaluated in bulk.
    fn bulk_clauses(&self, view: &SegmentView) -> Option<BulkClauses> {
        match self.only_alternatives() {
            Some(alternatives) => alternatives.bulk_clauses_beside(view, &self.filter, &self.must_not),
            None => self.bulk_clauses_beside(view, &[], &[]),
        }
    }

    /// The boolean of optional clauses that is all that scores here, if that is so: the scores are its own.
    fn only_alternatives(&self) -> Option<&BoolWeight> {
        let [only] = self.must.as_slice() else { return None };
        let alone = self.should.is_empty() && self.plan.minimum_should_match == 0;
        let inner = only.as_bool().filter(|_| alone)?;
        (inner.must.is_empty() && inner.filter.is_empty()).then_some(inner)
    }

    /// The same among the matches of further terms, and without those of others.
    fn bulk_clauses_beside(
        &self,
        view: &SegmentView,
        filters: &[Box<dyn Weight>],
        excluded: &[Box<dyn Weight>],
    ) -> Option<BulkClauses> {
        let alone = self.must.is_empty() && self.filter.is_empty();
        let minimum = self.plan.minimum_should_match.max(usize::from(alone));
        let mut bulk = BulkClauses { minimum, ..BulkClauses::default() };
        for weight in self.must.iter().chain(&self.filter).chain(filters) {
            match weight.as_phrase() {
                Some(phrase) => phrase.add_to(view, &mut bulk)?,
                None => bulk.required.push(weight.as_term()?.clause(view, &mut bulk.lengths)?),
            }
        }
        // Optional terms may be absent, and where nobody scores they make no difference beside required ones.
        for weight in self.should.iter().filter(|_| self.scores || minimum > 0) {
            let term = weight.as_term()?;
            if term.is_in(view) {
                bulk.optional.push(term.clause(view, &mut bulk.lengths)?);
            }
        }
        for weight in self.must_not.iter().chain(excluded) {
            let term = weight.as_term()?;
            if term.is_in(view) {
                bulk.excluded.push(term.clause(view, &mut bulk.lengths)?);
            }
        }
        let clauses = bulk.required.len() + bulk.optional.len();
        (bulk.optional.len() >= minimum && (1..=CLAUSES_MAX).contains(&clauses)).then_some(bulk)
    }
}

impl Weight for BoolWeight {
    fn prepare(&mut self, view: &SegmentView, spent: &mut u32) -> Result<bool> {
        for weight in self.must.iter_mut().chain(&mut self.filter).chain(&mut self.should).chain(&mut self.must_not) {
            if !weight.prepare(view, spent)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn opens(&mut self, view: &SegmentView) -> Result<bool> {
        let mut optional = 0;
        let has_required = !self.must.is_empty() || !self.filter.is_empty();
        // What need not match only scores.
        let only_required = !self.scores && has_required && self.plan.minimum_should_match == 0;
        let asked = |(occur, _): &(Occur, usize)| *occur != Occur::Should || !only_required;
        for (occur, at) in self.plan.sequence().into_iter().filter(asked) {
            let opens = self.weight_of(occur, at).opens(view)?;
            match occur {
                Occur::Must | Occur::Filter if !opens => return Ok(false),
                Occur::Should => optional += usize::from(opens),
                _ => {}
            }
        }
        Ok(optional >= self.plan.minimum_should_match.max(usize::from(!has_required)))
    }

    fn scorer(&mut self, view: &SegmentView) -> Result<Option<Box<dyn Scorer>>> {
        if self.may_refuse && !self.opens(view)? {
            return Ok(None);
        }
        let has_required = !self.must.is_empty() || !self.filter.is_empty();
        let minimum = self.plan.minimum_should_match.max(usize::from(!has_required));
        let required = if has_required { self.required(view)? } else { None };
        if has_required && required.is_none() {
            return Ok(None);
        }
        let mut optional = Vec::new();
        if self.scores || minimum > 0 {
            for weight in &mut self.should {
                optional.extend(weight.scorer(view)?);
            }
        }
        if optional.len() < minimum {
            return Ok(None);
        }
        let optional =
            if optional.is_empty() { None } else { DisjunctionScorer::boxed(optional, minimum, view.max_doc()) };
        let main = match (required, optional, minimum) {
            (Some(required), Some(optional), 0) => ReqOptScorer::boxed(required, optional),
            (Some(required), Some(optional), _) if self.scores => {
                ConjunctionScorer::boxed(vec![required, optional], vec![], view.max_doc())
            }
            (Some(required), Some(optional), _) => {
                ConjunctionScorer::boxed(vec![], vec![required, optional], view.max_doc())
            }
            (Some(required), None, 0) => Some(required),
            (None, Some(optional), _) => Some(optional),
            (_, None, _) => None,
        };
        let Some(main) = main else { return Ok(None) };
        let mut excluded = Vec::new();
        for weight in &mut self.must_not {
            excluded.extend(weight.scorer_below(view, main.cost())?);
        }
        Ok(match DisjunctionScorer::boxed(excluded, 1, view.max_doc()) {
            Some(excluded) => ReqExclScorer::boxed(main, excluded),
            None => Some(main),
        })
    }

    fn bulk(&mut self, view: &SegmentView) -> Result<Option<BulkTop>> {
        Ok(self.bulk_clauses(view).map(|clauses| BulkTop::new(clauses, view)))
    }

    fn as_bool(&self) -> Option<&BoolWeight> {
        Some(self)
    }

    fn counts_apart(&self) -> bool {
        let alternatives = self.must.is_empty() && self.filter.is_empty() && self.must_not.is_empty();
        alternatives && self.plan.minimum_should_match <= 1 && self.should.iter().all(|weight| weight.counts_apart())
    }

    fn count(&mut self, view: &SegmentView) -> Option<u64> {
        let all = u64::from(view.max_doc());
        let has_required = !self.must.is_empty() || !self.filter.is_empty();
        if self.plan.minimum_should_match > usize::from(!has_required) {
            return None;
        }
        let matches = match has_required {
            true => {
                let required = |(occur, _): &(Occur, usize)| matches!(occur, Occur::Must | Occur::Filter);
                let required: Vec<_> = self.plan.sequence().into_iter().filter(required).collect();
                count_of_all(all, required.into_iter().map(|(occur, at)| self.weight_of(occur, at).count(view)))?
            }
            // Beside what is left out the reference does not count alternatives; a single one is none.
            false if self.must_not.is_empty() || self.should.len() == 1 => {
                count_of_any(all, self.should.iter_mut().map(|weight| weight.count(view)))?
            }
            false => return None,
        };
        if matches == 0 {
            return Some(0);
        }
        match count_of_any(all, self.must_not.iter_mut().map(|weight| weight.count(view)))? {
            0 => Some(matches),
            excluded if excluded == all => Some(0),
            excluded => (matches == all).then(|| all - excluded),
        }
    }

    fn explain(&mut self, view: &SegmentView, doc: u32) -> Result<Explanation> {
        let mut found = ExplainedClauses::default();
        let (scores, uncached) = (self.scores, self.uncached);
        let unscored = |weight: &mut dyn Weight, plan: &Plan| match uncached {
            true => weight.explain(view, doc),
            false => unscored(weight, plan, view, doc),
        };
        let explain = |weight: &mut dyn Weight, plan: &Plan| match scores {
            true => weight.explain(view, doc),
            false => unscored(weight, plan),
        };
        for (occur, at) in self.plan.sequence() {
            let plan = &self.plan.clauses_of(occur)[at];
            let weight = match occur {
                Occur::Must => &mut self.must[at],
                Occur::MustNot => &mut self.must_not[at],
                Occur::Should => &mut self.should[at],
                Occur::Filter => &mut self.filter[at],
            };
            match occur {
                Occur::Must => found.required(explain(weight.as_mut(), plan)?, plan),
                Occur::MustNot => found.prohibited(unscored(weight.as_mut(), plan)?, plan),
                Occur::Should => found.desired(explain(weight.as_mut(), plan)?, plan),
                Occur::Filter => found.filtering(unscored(weight.as_mut(), plan)?, plan),
            }
        }
        if let Some(reason) = found.no_match(self.plan.minimum_should_match) {
            if !found.failed {
                found.without.append(&mut found.optional);
            }
            return Ok(Explanation::no_match(reason, found.without));
        }
        let score = self.scorer(view)?.and_then(|mut scorer| {
            if scorer.doc() < doc {
                scorer.advance(doc);
            }
            (scorer.doc() == doc).then(|| scorer.score())
        });
        // Joins explain more documents than they find.
        let score = score.unwrap_or_else(|| found.within.iter().map(Explanation::score).sum());
        Ok(Explanation::matching(score, "sum of:", found.within))
    }
}

/// Required matches; optional ones only add to the score.
struct ReqOptScorer {
    required: Box<dyn Scorer>,
    optional: Box<dyn Scorer>,
    /// Whether the optional ones stand on candidates.
    late: bool,
}

impl ReqOptScorer {
    fn boxed(required: Box<dyn Scorer>, optional: Box<dyn Scorer>) -> Option<Box<dyn Scorer>> {
        let late = optional.goes_by_candidates();
        Some(Box::new(Self { required, optional: Candidate::of(optional), late }))
    }
}

impl Scorer for ReqOptScorer {
    fn doc(&self) -> u32 {
        self.required.doc()
    }

    fn next(&mut self) -> u32 {
        self.required.next()
    }

    fn advance(&mut self, target: u32) -> u32 {
        self.required.advance(target)
    }

    fn score(&mut self) -> f32 {
        let doc = self.required.doc();
        let score = self.required.score();
        if self.optional.doc() < doc {
            self.optional.advance(doc);
        }
        let both = self.optional.doc() == doc && (!self.late || self.optional.matches());
        if both { score + self.optional.score() } else { score }
    }

    fn cost(&self) -> u64 {
        self.required.cost()
    }

    fn advance_candidate(&mut self, target: u32) -> u32 {
        self.required.advance_candidate(target)
    }

    fn candidate_from(&mut self, target: u32) -> u32 {
        self.required.candidate_from(target)
    }

    fn goes_by_candidates(&self) -> bool {
        self.required.goes_by_candidates()
    }

    fn matches(&mut self) -> bool {
        self.required.matches()
    }

    fn is_two_phase(&self) -> bool {
        self.required.is_two_phase()
    }

    fn bound(&mut self, target: u32) -> Bound {
        let mut bound = self.required.bound(target);
        let doc = self.optional.doc();
        if doc != NO_MORE_DOCS {
            let optional = self.optional.bound(target.max(doc));
            bound.max = round_up(f64::from(bound.max) + f64::from(optional.max));
            bound.last_doc = bound.last_doc.min(optional.last_doc);
        }
        bound
    }

    fn fill(&mut self, upto: u32, bits: &mut WindowBits) {
        self.required.fill(upto, bits);
    }

    fn collect_top(&mut self, upto: u32, top: &mut TopScores) {
        collect_bounded(self, upto, top);
    }
}

/// Goes document by document, leaving out stretches whose bound cannot compete.
pub fn collect_bounded(scorer: &mut impl Scorer, upto: u32, top: &mut TopScores) {
    let mut bounded_to = 0;
    let mut doc = scorer.doc();
    while doc < upto {
        if !top.is_counting() && doc >= bounded_to {
            let bound = scorer.bound(doc);
            if bound.max <= top.threshold() {
                doc = scorer.advance(bound.last_doc.saturating_add(1).min(upto));
                continue;
            }
            bounded_to = bound.last_doc.saturating_add(1);
        }
        let score = scorer.score();
        top.offer(doc, score);
        doc = scorer.next();
    }
}

/// Matches of one scorer that another does not match.
struct ReqExclScorer {
    required: Box<dyn Scorer>,
    excluded: Box<dyn Scorer>,
    /// Whether either goes by candidates, as then does this.
    late: bool,
    bits: Option<Box<[WindowBits; 2]>>,
}

impl ReqExclScorer {
    fn boxed(required: Box<dyn Scorer>, excluded: Box<dyn Scorer>) -> Option<Box<dyn Scorer>> {
        let late = required.goes_by_candidates() || excluded.goes_by_candidates();
        let mut scorer = Self { required: Candidate::of(required), excluded, late, bits: None };
        if late {
            return (scorer.doc() != NO_MORE_DOCS).then(|| Late::boxed(scorer));
        }
        scorer.settle();
        (scorer.required.doc() != NO_MORE_DOCS).then(|| Box::new(scorer) as Box<dyn Scorer>)
    }

    fn is_excluded(&mut self, doc: u32) -> bool {
        self.excluded.candidate_from(doc) == doc && self.excluded.matches()
    }

    /// Moves on while the current document is excluded.
    fn settle(&mut self) -> u32 {
        let mut doc = self.required.doc();
        while doc != NO_MORE_DOCS && ((self.late && !self.required.matches()) || self.is_excluded(doc)) {
            doc = self.required.next();
        }
        doc
    }
}

impl Scorer for ReqExclScorer {
    fn doc(&self) -> u32 {
        self.required.doc()
    }

    fn advance_candidate(&mut self, target: u32) -> u32 {
        match self.late {
            true => self.required.advance(target),
            false => self.advance(target),
        }
    }

    fn matches(&mut self) -> bool {
        let doc = self.required.doc();
        !self.late || (doc != NO_MORE_DOCS && self.required.matches() && !self.is_excluded(doc))
    }

    fn is_two_phase(&self) -> bool {
        self.late
    }

    fn next(&mut self) -> u32 {
        self.required.next();
        self.settle()
    }

    fn advance(&mut self, target: u32) -> u32 {
        self.required.advance(target);
        self.settle()
    }

    fn score(&mut self) -> f32 {
        self.required.score()
    }

    fn cost(&self) -> u64 {
        self.required.cost()
    }

    fn bound(&mut self, target: u32) -> Bound {
        self.required.bound(target)
    }

    fn fill(&mut self, upto: u32, out: &mut WindowBits) {
        if self.late || self.excluded.is_two_phase() {
            // What has to be confirmed is looked at for the documents that are there to exclude, and no others.
            return fill_by_steps(self, upto, out);
        }
        let bits = self.bits.get_or_insert_with(|| Box::new([WindowBits::new(0), WindowBits::new(0)]));
        let [all, not] = &mut **bits;
        all.reset(out.window());
        not.reset(out.window());
        self.required.fill(upto, all);
        if self.excluded.doc() != NO_MORE_DOCS {
            self.excluded.fill(upto, not);
        }
        all.and_not(not.words());
        out.or(all.words());
        self.settle();
    }

    fn collect_top(&mut self, upto: u32, top: &mut TopScores) {
        collect_bounded(self, upto, top);
    }
}

#[cfg(test)]
mod tests {
    use super::super::DocsScorer;
    use super::*;
    use crate::segment::DocIterator;

    fn docs(list: &[u32], score: f32) -> Option<Box<dyn Scorer>> {
        DocsScorer::boxed(DocIterator::list(list.to_vec()), score)
    }

    fn drain(scorer: Option<Box<dyn Scorer>>) -> Vec<(u32, f32)> {
        let mut out = vec![];
        let Some(mut scorer) = scorer else { return out };
        while scorer.doc() != NO_MORE_DOCS {
            out.push((scorer.doc(), scorer.score()));
            scorer.next();
        }
        out
    }

    #[test]
    fn optional_clauses_add_and_excluded_ones_remove() {
        let req = || docs(&[1, 5, 9, 70_000], 1.0).unwrap();
        let opt = docs(&[5, 6, 70_000], 0.5).unwrap();
        let both = ReqOptScorer::boxed(req(), opt);
        assert_eq!(drain(both), [(1, 1.0), (5, 1.5), (9, 1.0), (70_000, 1.5)]);
        let without = ReqExclScorer::boxed(req(), docs(&[1, 9], 0.0).unwrap());
        assert_eq!(drain(without), [(5, 1.0), (70_000, 1.0)]);
        let mut bits = WindowBits::new(0);
        let mut without = ReqExclScorer::boxed(req(), docs(&[1, 9], 0.0).unwrap()).unwrap();
        without.fill(NO_MORE_DOCS, &mut bits);
        assert_eq!((bits.iter().collect::<Vec<_>>(), without.doc()), (vec![5], 70_000));
    }
}
