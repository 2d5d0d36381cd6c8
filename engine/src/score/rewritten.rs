//! Queries that the reference puts together for a segment while it searches, and that its profiles show: where a pattern or a
//! set has few terms in a segment, it looks for a disjunction of these instead.

use super::ids::encode;
use super::profile::{class_in, is_single};
use super::spans::Span;
use super::{BoolPlan, MultiTerm, Occur, Plan, PointSet, TermSet, WeightContext};
use crate::error::Result;
use crate::profile::{QueryProfiler, call};
use crate::segment::{Points, SegmentView};
use std::sync::Arc;

/// Up to so many terms are few.
const TERMS_MAX: usize = 16;
/// Terms that are looked at for all patterns of a request, which bounds what a profile costs. Behind that all have many.
const SCANNED_MAX: u32 = 50_000;

/// Goes through the queries of a request in the order in which their scorers are made.
pub struct Rewriting {
    profiler: QueryProfiler,
    scanned: u32,
    /// Only the best matches of the queries are wanted.
    best: bool,
}

/// What matches are found for.
#[derive(Clone, Copy, PartialEq)]
enum For {
    Scores,
    /// No scores, though those that are not among the best may be left out.
    Best,
    /// All of them.
    Filter,
}

enum Found {
    None,
    /// With how many documents they have.
    Few(Vec<Vec<u8>>, u64),
    Many,
}

impl Rewriting {
    pub fn new(profiler: &QueryProfiler) -> Self {
        Self { profiler: profiler.aside(), scanned: 0, best: false }
    }

    /// The same for a query of which only the best matches are wanted.
    pub fn for_best(self, best: bool) -> Self {
        Self { best, ..self }
    }

    fn unscored(&self, wanted: For) -> For {
        match wanted {
            For::Scores if self.best => For::Best,
            For::Scores => For::Filter,
            wanted => wanted,
        }
    }

    /// Enters what becomes of a plan in a segment into the profile. Only terms that are `scored` are looked up beforehand.
    pub fn enter(&mut self, plan: &Plan, view: &SegmentView, scored: bool) -> Result<()> {
        let wanted = if scored { For::Scores } else { self.unscored(For::Scores) };
        if self.may_match(plan, view, scored) { self.enter_in(plan, view, u64::MAX, wanted) } else { Ok(()) }
    }

    /// The same where a plan explains a document: clauses explain themselves first, each on its own, and where they come to a match
    /// the score is taken from a scorer of all of them. `weights` binds what tells whether they do.
    pub fn enter_explained(
        &mut self,
        plan: &Plan,
        view: &SegmentView,
        doc: u32,
        scored: bool,
        weights: &WeightContext,
    ) -> Result<()> {
        match plan {
            Plan::Bool(clauses) => {
                for (occur, at) in clauses.sequence() {
                    let scored = scored && matches!(occur, Occur::Must | Occur::Should);
                    self.enter_explained(&clauses.clauses_of(occur)[at], view, doc, scored, weights)?;
                }
                match plan.weight(weights, scored, 1.0)?.explain(view, doc)?.matched {
                    true => self.enter(plan, view, scored),
                    false => Ok(()),
                }
            }
            Plan::DisMax { plans, .. } => {
                plans.iter().try_for_each(|inner| self.enter_explained(inner, view, doc, scored, weights))
            }
            Plan::Boost(inner, _) => self.enter_explained(inner, view, doc, scored, weights),
            Plan::Custom(node) => {
                // What changes scores has those explained that it changes, and asks a scorer of its own for what it makes of them.
                if scored && matches!(&*node.0.type_name(), "FunctionScoreQuery" | "ScriptScoreQuery") {
                    let asked = node.0.asked_through(true);
                    for (at, inner) in asked.into_iter().enumerate() {
                        self.enter_explained(inner, view, doc, at == 0, weights)?;
                    }
                    if !node.0.is_explained_by_scorer(weights, view, doc)? {
                        return Ok(());
                    }
                }
                self.enter(plan, view, scored)
            }
            _ => self.enter(plan, view, scored),
        }
    }

    /// The same of a filter that is asked about one document after the other.
    pub fn enter_asked(&mut self, plan: &Plan, view: &SegmentView) -> Result<()> {
        if self.may_match(plan, view, false) { self.enter_in(plan, view, 0, For::Filter) } else { Ok(()) }
    }

    /// Whether every part of a plan without scores is asked for a scorer in the segment.
    pub fn asks_all_of(&mut self, plan: &Plan, view: &SegmentView) -> bool {
        match plan {
            Plan::Bool(plan) => {
                let required = plan.filter.iter().chain(&plan.must).all(|plan| self.may_match(plan, view, false));
                let clauses = plan.filter.iter().chain(&plan.must).chain(&plan.should).chain(&plan.must_not);
                required && clauses.into_iter().all(|plan| self.asks_all_of(plan, view))
            }
            Plan::DisMax { plans, .. } => plans.iter().all(|plan| self.asks_all_of(plan, view)),
            Plan::Constant(inner) | Plan::Boost(inner, _) => self.asks_all_of(inner, view),
            Plan::Custom(node) => node.0.asked_through(false).into_iter().all(|inner| self.asks_all_of(inner, view)),
            _ => true,
        }
    }

    /// Whether there is a scorer at all.
    pub fn may_match(&mut self, plan: &Plan, view: &SegmentView, scored: bool) -> bool {
        let terms = |field: &str| view.segment.field(field).and_then(|field| field.terms());
        let has_term = |field: &str, term: &[u8]| terms(field).is_some_and(|terms| terms.get(term).is_some());
        // A term without a score is looked up late, if it can be among those of the field.
        let may_have = |field: &str, term: &[u8]| match scored {
            true => has_term(field, term),
            false => terms(field).is_some_and(|terms| terms.may_have(term)),
        };
        match plan {
            Plan::Nothing(_) => false,
            Plan::All => true,
            Plan::Term { field, term } => may_have(field, term),
            Plan::Blended(blended) => may_have(&blended.field, &blended.term),
            Plan::Synonyms { field, terms } => terms.iter().any(|term| may_have(field, term)),
            Plan::Phrase { field, positions, .. } => {
                positions.iter().all(|position| position.terms.iter().any(|term| has_term(field, term)))
            }
            Plan::MultiTerm(wanted) if is_single(wanted) => match &wanted.set {
                TermSet::Terms(set) => set.iter().any(|term| may_have(&wanted.field, term)),
                _ => true,
            },
            // How many terms a set has is known, and so it is looked for at once. Others are when it comes to documents.
            Plan::MultiTerm(wanted) if matches!(wanted.set, TermSet::Terms(_)) => {
                !matches!(self.terms_of(wanted, view), Found::None)
            }
            Plan::MultiTerm(wanted) => terms(&wanted.field).is_some_and(|terms| !terms.is_empty()),
            Plan::Ids(ids) => ids.iter().any(|id| view.segment.doc_of_id(id).is_some()),
            Plan::Points(points) => view.segment.field(&points.field).is_some_and(|field| match field.points() {
                Some(in_order) => reach_into(points, in_order),
                None => field.numeric().is_some(),
            }),
            Plan::Exists { field, .. } => view.segment.field(field).is_some_and(|field| field.exists().cost() > 0),
            Plan::Bool(plan) => self.bool_may_match(plan, view, scored),
            Plan::DisMax { plans, .. } => plans.iter().any(|plan| self.may_match(plan, view, scored)),
            Plan::Boost(inner, _) => self.may_match(inner, view, scored),
            Plan::Constant(inner) => self.may_match(inner, view, false),
            Plan::Custom(node) if node.0.spans().is_some_and(|span| !has_terms(span, view)) => false,
            Plan::Custom(node) if !node.0.may_match_in(view) => false,
            // The words are looked up like terms without a score.
            Plan::Custom(node) if let Some(Plan::Phrase { field, positions, .. }) = node.0.phrase_in_sources() => {
                let may_have = |term: &Vec<u8>| terms(field).is_some_and(|terms| terms.may_have(term));
                positions.iter().all(|position| position.terms.iter().any(may_have))
            }
            Plan::Custom(node) => {
                let through = node.0.scored_through();
                let scored = scored && node.0.scores_by_them();
                !node.0.finds_nothing() && through.first().is_none_or(|inner| self.may_match(inner, view, scored))
            }
        }
    }

    fn bool_may_match(&mut self, plan: &BoolPlan, view: &SegmentView, scored: bool) -> bool {
        let has_filters = plan.filter.iter().all(|plan| self.may_match(plan, view, false));
        if !has_filters || !plan.must.iter().all(|plan| self.may_match(plan, view, scored)) {
            return false;
        }
        let required = !plan.filter.is_empty() || !plan.must.is_empty();
        let least = if required { plan.minimum_should_match } else { plan.minimum_should_match.max(1) };
        least == 0 || plan.should.iter().filter(|plan| self.may_match(plan, view, scored)).count() >= least
    }

    /// Of a plan that may match. `lead_cost`: how many documents it is asked for.
    fn enter_in(&mut self, plan: &Plan, view: &SegmentView, lead_cost: u64, wanted: For) -> Result<()> {
        match plan {
            Plan::MultiTerm(terms) if is_single(terms) => Ok(()),
            Plan::MultiTerm(terms) => {
                let found = self.terms_of(terms, view);
                self.enter_found(&terms.field, found)
            }
            Plan::Ids(ids) => {
                let mut found: Vec<Vec<u8>> =
                    ids.iter().filter(|id| view.segment.doc_of_id(id).is_some()).map(|id| encode(id)).collect();
                found.sort();
                found.dedup();
                let docs = found.len() as u64;
                let found = if found.len() > TERMS_MAX { Found::Many } else { Found::Few(found, docs) };
                self.enter_found(&"_id".into(), found)
            }
            Plan::Bool(plan) => self.enter_bool(plan, view, lead_cost, wanted),
            Plan::DisMax { plans, .. } => self.enter_all(plans.iter(), view, lead_cost, wanted),
            Plan::Boost(inner, _) => self.enter_in(inner, view, lead_cost, wanted),
            Plan::Constant(inner) => self.enter_in(inner, view, lead_cost, self.unscored(wanted)),
            Plan::Custom(node) => {
                // Terms that stand for values: by index, unless few documents are asked for.
                let by_index =
                    |plan: &Plan| matches!(plan, Plan::Constant(inner) if matches!(**inner, Plan::MultiTerm(_)));
                match node.0.shown() {
                    Some(plan) if by_index(plan) && self.cost(plan, view) / 8 > lead_cost => Ok(()),
                    // Other terms of which a query is shown with two sides are numbers to the reference.
                    Some(Plan::MultiTerm(terms)) => {
                        let text = node.0.to_string();
                        let Some((field, _)) = text.split_once(':').filter(|_| text == terms.text) else {
                            return Ok(());
                        };
                        let found = self.terms_of(terms, view);
                        self.enter_found(&field.into(), found)
                    }
                    _ => {
                        let wanted = if node.0.scores_by_them() { wanted } else { self.unscored(wanted) };
                        let scored = wanted == For::Scores || wanted == For::Best && node.0.asks_all_for_best();
                        self.enter_all(node.0.asked_through(scored).into_iter(), view, lead_cost, wanted)
                    }
                }
            }
            _ => Ok(()),
        }
    }

    fn enter_all<'p>(
        &mut self,
        plans: impl Iterator<Item = &'p Plan>,
        view: &SegmentView,
        lead_cost: u64,
        wanted: For,
    ) -> Result<()> {
        for plan in plans {
            if self.may_match(plan, view, wanted == For::Scores) {
                self.enter_in(plan, view, lead_cost, wanted)?;
            }
        }
        Ok(())
    }

    fn enter_bool(&mut self, plan: &BoolPlan, view: &SegmentView, lead_cost: u64, wanted: For) -> Result<()> {
        let scored = wanted == For::Scores;
        let lead_cost = lead_cost.min(self.bool_cost(plan, view));
        let matching = plan.should.iter().filter(|plan| self.may_match(plan, view, scored)).count();
        // As many as there have to be are required.
        let all_should = plan.minimum_should_match > 0 && matching == plan.minimum_should_match;
        let alone = plan.filter.is_empty() && plan.must.is_empty();
        let (required, optional) = match all_should {
            true => (&plan.should[..], &[][..]),
            // What may match beside others makes no difference where nothing is scored.
            false if !scored && !alone && plan.minimum_should_match == 0 => (&[][..], &[][..]),
            false => (&[][..], &plan.should[..]),
        };
        self.enter_all(plan.filter.iter(), view, lead_cost, For::Filter)?;
        self.enter_all(plan.must.iter().chain(required), view, lead_cost, wanted)?;
        if alone {
            self.enter_all(optional.iter(), view, lead_cost, wanted)?;
            self.enter_all(plan.must_not.iter(), view, lead_cost, For::Filter)
        } else {
            self.enter_all(plan.must_not.iter(), view, lead_cost, For::Filter)?;
            self.enter_all(optional.iter(), view, lead_cost, wanted)
        }
    }

    fn enter_found(&self, field: &Arc<str>, found: Found) -> Result<()> {
        let Found::Few(terms, _) = found else { return Ok(()) };
        let mut plans: Vec<Plan> = terms.into_iter().map(|term| Plan::term(field, term)).collect();
        let one = |plan: &Plan| {
            let (_, lap) = self.profiler.enter("TermQuery".to_owned(), plan.to_string(), || Ok(()))?;
            lap.breakdown.0[call::BUILD_SCORER].add(1, 1);
            Ok(())
        };
        if plans.len() == 1 {
            return one(&plans.remove(0));
        }
        let any = Plan::Bool(BoolPlan { should: plans.clone(), ..BoolPlan::default() }).to_string();
        let (_, lap) = self.profiler.enter("BooleanQuery".to_owned(), any, || plans.iter().try_for_each(one))?;
        lap.breakdown.0[call::BUILD_SCORER].add(1, 1);
        Ok(())
    }

    /// About how many documents match, as the reference reckons before it decides on an order.
    fn cost(&mut self, plan: &Plan, view: &SegmentView) -> u64 {
        let term_cost = |field: &str, term: &[u8]| {
            let terms = view.segment.field(field).and_then(|field| field.terms());
            terms.and_then(|terms| terms.get(term)).map_or(0, |info| u64::from(info.doc_freq))
        };
        match plan {
            Plan::Nothing(_) => 0,
            Plan::Term { field, term } => term_cost(field, term),
            Plan::Ids(ids) => ids.len() as u64,
            Plan::MultiTerm(wanted) => self.terms_cost(wanted, view),
            Plan::Points(points) => view
                .segment
                .field(&points.field)
                .and_then(|field| field.points())
                .map_or(u64::from(view.max_doc()), |in_order| {
                    points.ranges.iter().map(|(lo, hi)| in_order.count(*lo, *hi)).sum()
                }),
            Plan::Bool(plan) => self.bool_cost(plan, view),
            Plan::Constant(inner) | Plan::Boost(inner, _) => self.cost(inner, view),
            Plan::Custom(node) => match node.0.scored_through().first() {
                Some(inner) => self.cost(inner, view),
                None => u64::from(view.max_doc()),
            },
            _ => u64::from(view.max_doc()),
        }
    }

    /// How many terms there are is known of a set alone: whatever else documents of the field may have comes on top.
    fn terms_cost(&mut self, wanted: &MultiTerm, view: &SegmentView) -> u64 {
        let Some(field) = view.segment.field(&wanted.field) else { return 0 };
        let all = field.stats().sum_doc_freq;
        let TermSet::Terms(set) = &wanted.set else { return all };
        match self.terms_of(wanted, view) {
            Found::None => 0,
            Found::Few(_, docs) if is_single(wanted) => docs,
            _ => set.len() as u64 + all.saturating_sub(field.terms().map_or(0, |terms| terms.len())),
        }
    }

    fn bool_cost(&mut self, plan: &BoolPlan, view: &SegmentView) -> u64 {
        let required = plan.filter.iter().chain(&plan.must);
        let rarest = required.map(|plan| self.cost(plan, view)).min();
        rarest.unwrap_or_else(|| plan.should.iter().map(|plan| self.cost(plan, view)).sum())
    }

    fn terms_of(&mut self, wanted: &MultiTerm, view: &SegmentView) -> Found {
        let Some(field) = view.segment.field(&wanted.field) else { return Found::None };
        let Some(terms) = field.terms() else { return Found::Many };
        // What goes by another name looks for its terms in another way.
        if class_in(&wanted.text, "").ends_with("Query") {
            return Found::Many;
        }
        let all_docs = field.stats().doc_count;
        let mut found = Gathered { terms: vec![], docs: 0 };
        if let TermSet::Terms(set) = &wanted.set {
            for term in set {
                self.scanned += 1;
                match terms.get(term) {
                    Some(_) if found.terms.len() == TERMS_MAX || self.scanned > SCANNED_MAX => return Found::Many,
                    Some(info) if found.add(term, info.doc_freq, all_docs) => break,
                    _ => {}
                }
            }
            return found.done();
        }
        let mut iter = match &wanted.set {
            TermSet::Prefix(prefix) => terms.prefix(prefix),
            TermSet::Range(lo, hi) => terms.range(lo.as_ref().map(Vec::as_slice), hi.as_ref().map(Vec::as_slice)),
            TermSet::Pattern(pattern) => terms.prefix(pattern.prefix()),
            TermSet::Terms(_) => return Found::None,
        };
        while let Some((term, info)) = iter.next() {
            self.scanned += 1;
            if self.scanned > SCANNED_MAX {
                return Found::Many;
            }
            if matches!(&wanted.set, TermSet::Pattern(pattern) if !pattern.matches(term)) {
                continue;
            }
            if found.terms.len() == TERMS_MAX {
                return Found::Many;
            }
            if found.add(term, info.doc_freq, all_docs) {
                break;
            }
        }
        found.done()
    }
}

/// Whether what is looked for, from the least to the greatest, reaches into the values of a segment: whether there is any of it among
/// them the reference does not know before it looks.
fn reach_into(points: &PointSet, in_order: &Points) -> bool {
    let ends = (points.ranges.iter().map(|range| range.0).min(), points.ranges.iter().map(|range| range.1).max());
    match (ends, in_order.min(), in_order.max()) {
        ((Some(lo), Some(hi)), Some(min), Some(max)) => lo <= max && hi >= min,
        _ => false,
    }
}

/// Terms of a segment.
struct Gathered {
    terms: Vec<Vec<u8>>,
    docs: u64,
}

impl Gathered {
    /// Adds a term. True if every document with the field has it: then it does for all.
    fn add(&mut self, term: &[u8], doc_freq: u32, all_docs: u32) -> bool {
        let is_all = doc_freq == all_docs;
        if is_all {
            (self.terms, self.docs) = (vec![], 0);
        }
        self.terms.push(term.to_vec());
        self.docs += u64::from(doc_freq);
        is_all
    }

    fn done(self) -> Found {
        if self.terms.is_empty() { Found::None } else { Found::Few(self.terms, self.docs) }
    }
}

/// Whether a segment has the terms that spans cannot do without.
fn has_terms(span: &Span, view: &SegmentView) -> bool {
    let terms = |field: &str| view.segment.field(field).and_then(|field| field.terms());
    match span {
        Span::Term { field, term } => terms(field).is_some_and(|terms| terms.get(term).is_some()),
        Span::Or(spans) => spans.iter().any(|span| has_terms(span, view)),
        Span::Near { clauses, .. } => clauses.iter().all(|span| has_terms(span, view)),
        Span::Not { include: inner, .. } | Span::First { inner, .. } | Span::Mask { inner, .. } => {
            has_terms(inner, view)
        }
        Span::Containing { big, little } | Span::Within { big, little } => {
            has_terms(big, view) && has_terms(little, view)
        }
        Span::Gap { .. } | Span::Multi { .. } => true,
    }
}
