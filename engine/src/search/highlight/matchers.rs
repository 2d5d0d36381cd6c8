//! What of a query can be found in a text: its terms, patterns and phrases, by field.

use super::options::FieldOptions;
use crate::error::Result;
use crate::mapping::Field;
use crate::query::{Query, ShardContext};
use crate::score::{MultiTerm, PhrasePosition, Plan, TermSet};
use std::ops::Bound;
use std::sync::Arc;

/// Everything that the query looks for.
#[derive(Debug, Default)]
pub struct Matchers {
    all: Vec<Matcher>,
}

/// One thing that the query looks for in one field.
#[derive(Clone, Debug)]
pub struct Matcher {
    pub field: Arc<str>,
    pub what: What,
    pub boost: f32,
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
}

/// Parts of a query that are looked at; hostile ones have more.
const MATCHERS_MAX: usize = 4_096;

impl Matchers {
    pub fn of(query: &Query, cx: &ShardContext) -> Result<Self> {
        let mut matchers = Self::default();
        matchers.gather(&query.bare_plan(cx)?, 1.0);
        Ok(matchers)
    }

    fn push(&mut self, field: &Arc<str>, what: What, boost: f32) {
        if self.all.len() < MATCHERS_MAX {
            self.all.push(Matcher { field: field.clone(), what, boost });
        }
    }

    /// Queries nest to a bounded depth, and so do plans.
    fn gather(&mut self, plan: &Plan, boost: f32) {
        match plan {
            Plan::Term { field, term } => self.push(field, What::Term(term.clone()), boost),
            Plan::Blended(blended) => self.push(&blended.field, What::Term(blended.term.clone()), boost),
            Plan::Synonyms { field, terms } => {
                terms.iter().for_each(|term| self.push(field, What::Term(term.clone()), boost));
            }
            Plan::Phrase { field, positions, slop } => {
                self.push(field, What::Phrase { positions: positions.clone(), slop: *slop }, boost);
            }
            Plan::MultiTerm(multi) => self.push(&multi.field, What::Any(multi.clone()), boost),
            Plan::Bool(plan) => {
                let clauses = plan.must.iter().chain(&plan.should).chain(&plan.filter);
                clauses.for_each(|clause| self.gather(clause, boost));
            }
            Plan::DisMax { plans, .. } => plans.iter().for_each(|plan| self.gather(plan, boost)),
            Plan::Constant(plan) => self.gather(plan, boost),
            Plan::Boost(plan, by) => self.gather(plan, boost * by),
            Plan::Custom(custom) => custom.0.highlighted().iter().for_each(|plan| self.gather(plan, boost)),
            Plan::Nothing(_) | Plan::All | Plan::Points(_) | Plan::Exists { .. } | Plan::Ids(_) => {}
        }
    }

    /// What can be found in a field.
    pub fn for_field(&self, field: &Field, options: &FieldOptions) -> Vec<Matcher> {
        let wanted = |matcher: &&Matcher| {
            !options.require_field_match
                || matcher.field == field.name
                || options.matched_fields.iter().any(|name| **name == *matcher.field)
        };
        self.all.iter().filter(wanted).cloned().collect()
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
