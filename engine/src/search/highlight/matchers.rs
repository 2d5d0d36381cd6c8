//! What of a query can be found in a text: its terms, patterns and phrases, by field.

use super::options::{FieldOptions, Kind};
use crate::error::Result;
use crate::mapping::Field;
use crate::query::{PlanContext, Query, ShardContext, expand};
use crate::score::spans::Span;
use crate::score::{MultiTerm, PhrasePosition, Plan, Seen, TermSet};
use std::ops::Bound;
use std::sync::Arc;

/// Everything that the query looks for.
#[derive(Debug, Default)]
pub struct Matchers {
    all: Vec<Matcher>,
    /// Whether a word of combined fields was seen: one highlighter sees the first of them only.
    combined: bool,
    /// Whether boosts count for nothing in what is being gathered.
    alike: bool,
    /// Fields without positions: the words of a phrase are looked for each by itself.
    apart: Vec<Arc<str>>,
}

/// One thing that the query looks for in one field.
#[derive(Clone, Debug)]
pub struct Matcher {
    pub field: Arc<str>,
    pub what: What,
    pub boost: f32,
    seen: Seen,
    /// Whether the plain highlighter sees it only where it has seen nothing else before.
    yields: bool,
}

#[derive(Clone, Debug)]
pub enum What {
    Term(Vec<u8>),
    /// Any term of a set.
    Any(MultiTerm),
    Phrase {
        positions: Vec<PhrasePosition>,
        slop: u32,
    },
    Spans(Arc<Span>),
}

/// Parts of a query that are looked at; hostile ones have more.
const MATCHERS_MAX: usize = 4_096;

/// Terms that a pattern comes to for the highlighter for term vectors.
const EXPANDED_MAX: usize = 1_024;

impl Matchers {
    pub fn of(query: &Query, cx: &ShardContext) -> Result<Self> {
        let fields = cx.mapping.matching("*").into_iter();
        let apart = fields.filter(|field| field.scores_alike()).map(|field| field.name.clone()).collect();
        let mut matchers = Self { apart, ..Self::default() };
        let asked = query.asked_plan(cx)?;
        // What is not looked into as the search does is only known of the query as it was asked.
        let plan = if has_marks(&asked) { asked } else { asked.simplify() };
        matchers.gather(&plan, 1.0, (Seen::BY_ALL, Seen::BY_ALL));
        Ok(matchers)
    }

    /// The same where the highlighter for term vectors sees the first terms that patterns come to in the dictionaries of their own
    /// fields, wherever it looks for them.
    pub fn with_expanded(mut self, cx: &ShardContext) -> Self {
        let plans = PlanContext::new(cx);
        let mut expanded = vec![];
        for matcher in &mut self.all {
            if let (What::Any(multi), true) = (&matcher.what, matcher.seen.fast) {
                let terms = expand(&plans, multi, EXPANDED_MAX).into_iter().map(|found| found.term).collect();
                let multi = MultiTerm { set: TermSet::Terms(terms), ..multi.clone() };
                let seen = Seen { unified: false, plain: false, fast: true };
                expanded.push(Matcher { what: What::Any(multi), seen, ..matcher.clone() });
                matcher.seen.fast = false;
            }
        }
        self.all.extend(expanded);
        self
    }

    fn push(&mut self, field: &Arc<str>, what: What, boost: f32, seen: Seen) {
        if self.all.len() < MATCHERS_MAX {
            self.all.push(Matcher { field: field.clone(), what, boost, seen, yields: false });
        }
    }

    /// Queries nest to a bounded depth, and so do plans. `seen`: who sees terms, and who sees patterns.
    fn gather(&mut self, plan: &Plan, boost: f32, seen: (Seen, Seen)) {
        let (terms_seen, patterns_seen) = seen;
        match plan {
            Plan::Term { field, term } => self.push(field, What::Term(term.clone()), boost, terms_seen),
            Plan::Blended(blended) => {
                self.push(&blended.field, What::Term(blended.term.clone()), boost, terms_seen);
            }
            Plan::Synonyms { field, terms } => {
                terms.iter().for_each(|term| self.push(field, What::Term(term.clone()), boost, terms_seen));
            }
            Plan::Phrase { field, positions, .. } if self.apart.contains(field) => {
                for position in positions.iter() {
                    // One highlighter does not see what a prefix was completed to.
                    let own = Seen { unified: terms_seen.unified && !position.completed, ..terms_seen };
                    position.terms.iter().for_each(|term| self.push(field, What::Term(term.clone()), boost, own));
                }
            }
            Plan::Phrase { field, positions, slop } => {
                self.push(field, What::Phrase { positions: positions.to_vec(), slop: *slop }, boost, terms_seen);
            }
            Plan::MultiTerm(multi) => self.push(&multi.field, What::Any(multi.clone()), boost, patterns_seen),
            Plan::Bool(plan) => {
                let clauses = plan.must.iter().chain(&plan.should).chain(&plan.filter);
                clauses.for_each(|clause| self.gather(clause, boost, seen));
            }
            Plan::DisMax { plans, .. } => plans.iter().for_each(|plan| self.gather(plan, boost, seen)),
            Plan::Constant(plan) => self.gather(plan, boost, seen),
            Plan::Boost(plan, by) => self.gather(plan, if self.alike { boost } else { boost * by }, seen),
            Plan::Custom(custom) => {
                let mut own = custom.0.seen();
                // To the one that sees the first of them it is a query like no other, whose terms count alike.
                let (combined, before) = (custom.0.type_name() == "CombinedFieldQuery", self.all.len());
                if combined {
                    own.0.plain &= !std::mem::replace(&mut self.combined, true);
                }
                let boost = if combined { 1.0 } else { boost };
                let seen = (terms_seen.and(own.0), patterns_seen.and(own.1));
                match (custom.0.marks(), custom.0.spans()) {
                    (Some(marks), _) => {
                        self.gather(&marks.plan, boost, (seen.0.and(marks.seen), seen.1.and(marks.seen)));
                        if marks.rest_sees_query {
                            let seen = (seen.0.and(marks.seen.inverted()), seen.1.and(marks.seen.inverted()));
                            custom.0.highlighted().iter().for_each(|plan| self.gather(plan, boost, seen));
                        }
                    }
                    // Spans over several fields are not found in the text of one.
                    (None, Some(span)) if one_field(span) => self.gather_spans(span, boost, seen.0),
                    (None, _) if custom.0.weighs_alike() => {
                        let before = std::mem::replace(&mut self.alike, true);
                        custom.0.highlighted().iter().for_each(|plan| self.gather(plan, 1.0, seen));
                        self.alike = before;
                    }
                    (None, _) => custom.0.highlighted().iter().for_each(|plan| self.gather(plan, boost, seen)),
                }
                self.all[before..].iter_mut().filter(|_| combined).for_each(|matcher| matcher.yields = true);
            }
            Plan::Nothing(_) | Plan::All | Plan::Points(_) | Plan::Exists { .. } | Plan::Ids(_) => {}
        }
    }

    /// Spans of terms of one field.
    fn gather_spans(&mut self, span: &Span, boost: f32, seen: Seen) {
        let mut terms = vec![];
        span.numbered(&mut terms);
        if let Some((field, _)) = terms.first() {
            self.push(field, What::Spans(Arc::new(span.clone())), boost, seen);
        }
    }

    /// What can be found in a field. Nothing in those of which only parts of values are terms, or beginnings of other fields' terms.
    pub fn for_field(&self, field: &Field, options: &FieldOptions) -> Vec<Matcher> {
        if matches!(field.type_name, "wildcard" | "prefix") {
            return vec![];
        }
        let listed = |field: &str| options.matched_fields.iter().any(|name| name == field);
        // The fast one matches what is listed, and nothing else if anything is.
        let own = options.kind != Kind::Fast || options.matched_fields.is_empty();
        let wanted = |matcher: &&Matcher| {
            !options.require_field_match || own && matcher.field == field.name || listed(&matcher.field)
        };
        let seen = |matcher: &&Matcher| match options.kind {
            Kind::Unified => matcher.seen.unified,
            Kind::Plain => matcher.seen.plain,
            Kind::Fast => matcher.seen.fast,
        };
        let mut found: Vec<Matcher> = self.all.iter().filter(wanted).filter(seen).cloned().collect();
        if options.kind == Kind::Plain {
            let mut begun = false;
            found.retain(|matcher| {
                begun |= !matcher.yields && matches!(matcher.what, What::Term(_));
                !(matcher.yields && begun)
            });
        }
        found
    }
}

/// Whether all terms of spans stand in the same field.
fn one_field(span: &Span) -> bool {
    let mut terms = vec![];
    span.numbered(&mut terms);
    terms.windows(2).all(|two| two[0].0 == two[1].0)
}

/// Whether highlighters do not look into some part of a query as the search does.
fn has_marks(plan: &Plan) -> bool {
    match plan {
        Plan::Bool(plan) => {
            plan.must.iter().chain(&plan.should).chain(&plan.filter).chain(&plan.must_not).any(has_marks)
        }
        Plan::DisMax { plans, .. } => plans.iter().any(has_marks),
        Plan::Constant(plan) | Plan::Boost(plan, _) => has_marks(plan),
        Plan::Custom(custom) if custom.0.spans().is_some_and(Span::has_pattern) => true,
        Plan::Custom(custom) => custom.0.marks().is_some() || custom.0.highlighted().iter().any(has_marks),
        _ => false,
    }
}

/// Whether a set has the term.
pub fn set_has(set: &TermSet, term: &[u8]) -> bool {
    match set {
        TermSet::Prefix(prefix) => term.starts_with(prefix),
        TermSet::Terms(terms) => terms.binary_search_by(|known| known.as_slice().cmp(term)).is_ok(),
        TermSet::Pattern(pattern) => pattern.matches(term),
        TermSet::Range(lo, hi) => {
            let above = match lo {
                Bound::Unbounded => true,
                Bound::Included(lo) => term >= lo.as_slice(),
                Bound::Excluded(lo) => term > lo.as_slice(),
            };
            let below = match hi {
                Bound::Unbounded => true,
                Bound::Included(hi) => term <= hi.as_slice(),
                Bound::Excluded(hi) => term < hi.as_slice(),
            };
            above && below
        }
    }
}
