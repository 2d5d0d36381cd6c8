//! `rewrite`: how the documents of many terms are scored.

use super::node::{Node, number_format};
use super::{PlanContext, fields};
use crate::error::{Error, ErrorKind, Result};
use crate::score::{BlendedTerm, Marks, MultiTerm, Plan, Seen, TermSet};
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

/// The ways of the reference.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Rewrite {
    /// What each kind of query does by itself.
    #[default]
    Default,
    /// Like `Default`, but for the name that a profile shows.
    Constant,
    /// Like `Constant`, by way of a boolean.
    ConstantBoolean,
    ScoringBoolean,
    /// The best so many terms: scored, all the same, or by statistics that are theirs together.
    TopTerms(usize),
    TopTermsBoost(usize),
    TopTermsBlended(usize),
    /// What patterns do without being asked.
    ConstantBlended,
    /// A name that the reference does not know, which it finds when it makes the query.
    Unknown(String),
}

impl Rewrite {
    pub fn parse(node: Node) -> Result<Self> {
        if node.value.is_null() {
            return Ok(Self::Default);
        }
        Ok(Self::of(&node.text()?))
    }

    pub fn of(name: &str) -> Self {
        let number = |prefix: &str| {
            let number: i32 = name.strip_prefix(prefix)?.parse().ok()?;
            usize::try_from(number).ok()
        };
        match name {
            "constant_score" => Self::Constant,
            "constant_score_blended" => Self::ConstantBlended,
            "constant_score_boolean" => Self::ConstantBoolean,
            "scoring_boolean" => Self::ScoringBoolean,
            _ => (number("top_terms_blended_freqs_").map(Self::TopTermsBlended))
                .or_else(|| number("top_terms_boost_").map(Self::TopTermsBoost))
                .or_else(|| number("top_terms_").map(Self::TopTerms))
                .unwrap_or_else(|| Self::Unknown(name.to_owned())),
        }
    }

    /// Refuses unknown names.
    pub fn check(&self) -> Result<()> {
        match self {
            Self::Unknown(name) => {
                // A number is read from the first digit on, whatever stands before it.
                if let Some(at) = name.find(|c: char| c.is_ascii_digit()) {
                    name[at..].parse::<i32>().map_err(|_| number_format(&name[at..]))?;
                }
                Err(Error::illegal_argument(format!("Failed to parse rewrite_method [{name}]")))
            }
            _ => Ok(()),
        }
    }

    /// A pattern, whose terms are equally good.
    pub fn apply(&self, cx: &PlanContext, terms: MultiTerm) -> Result<Plan> {
        self.check()?;
        match self {
            Self::Default | Self::ConstantBlended => return Ok(Plan::MultiTerm(terms)),
            Self::Constant => {
                let text = terms.text.clone();
                return Ok(Plan::MultiTerm(terms).shown_as(text));
            }
            _ => {}
        }
        let text = terms.text.clone();
        let limit = match self {
            Self::TopTerms(n) | Self::TopTermsBoost(n) | Self::TopTermsBlended(n) => {
                (*n).min(cx.limits.max_clause_count)
            }
            _ => cx.limits.max_clause_count + 1,
        };
        let found = expand(cx, &terms, limit);
        check_each_a_clause(cx, found.len())?;
        let scored = found.into_iter().map(|found| ScoredTerm { boost: 1.0, found }).collect();
        let marks = Marks {
            plan: Plan::MultiTerm(terms.clone()),
            seen: Seen::BY_ALL,
            rest_sees_query: false,
            most: usize::MAX,
        };
        Ok(self.of_terms(&terms.field, scored)?.written_with_marks(text, marks))
    }

    /// Terms that were chosen already.
    pub fn of_terms(&self, field: &Arc<str>, terms: Vec<ScoredTerm>) -> Result<Plan> {
        self.check()?;
        let doc_freq = terms.iter().map(|term| term.found.doc_freq).max().unwrap_or(0);
        let total_term_freq = terms.iter().map(|term| term.found.total_term_freq).sum();
        let one = |term: ScoredTerm| {
            let (doc_freq, total_term_freq) = match self {
                Self::TopTermsBlended(_) | Self::Default => (doc_freq, total_term_freq),
                _ => (term.found.doc_freq, term.found.total_term_freq),
            };
            let scored = |term| {
                Plan::Blended(BlendedTerm { field: field.clone(), term, doc_freq, total_term_freq, once: false })
            };
            match self {
                Self::Constant | Self::ConstantBlended | Self::ConstantBoolean => Plan::term(field, term.found.term),
                Self::TopTermsBoost(_) => Plan::term(field, term.found.term).constant().boosted(term.boost),
                _ => scored(term.found.term).boosted(term.boost),
            }
        };
        let mut plans: Vec<Plan> = terms.into_iter().map(one).collect();
        Ok(match (self, plans.len()) {
            (_, 0) => Plan::nothing("empty BooleanQuery"),
            (Self::ConstantBoolean | Self::ConstantBlended | Self::Constant, _) => fields::any(plans).constant(),
            (_, 1) => plans.remove(0),
            _ => fields::any(plans),
        })
    }
}

/// Refuses more terms than there may be clauses.
pub fn check_each_a_clause(cx: &PlanContext, terms: usize) -> Result<()> {
    let most = cx.limits.max_clause_count;
    if terms > most && !cx.unexpanded {
        return Err(Error::new(ErrorKind::TooManyClauses, format!("maxClauseCount is set to {most}")));
    }
    Ok(())
}

/// A term of the dictionaries with its statistics over all segments.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundTerm {
    pub term: Vec<u8>,
    pub doc_freq: u64,
    pub total_term_freq: u64,
}

/// A term and what its score is multiplied by.
pub struct ScoredTerm {
    pub boost: f32,
    pub found: FoundTerm,
}

/// The first `limit` terms, of all segments together, in their order.
pub fn expand(cx: &PlanContext, pattern: &MultiTerm, limit: usize) -> Vec<FoundTerm> {
    let mut found: BTreeMap<Vec<u8>, (u64, u64)> = BTreeMap::new();
    for view in &cx.snapshot.segments {
        let Some(terms) = view.segment.field(&pattern.field).and_then(|field| field.terms()) else { continue };
        let mut iter = match &pattern.set {
            TermSet::Prefix(prefix) => terms.prefix(prefix),
            TermSet::Pattern(pattern) => terms.prefix(pattern.prefix()),
            TermSet::Range(lo, hi) => terms.range(lo.as_ref().map(Vec::as_slice), hi.as_ref().map(Vec::as_slice)),
            TermSet::Terms(_) => terms.range(Bound::Unbounded, Bound::Unbounded),
        };
        while let Some((term, info)) = iter.next() {
            let matches = match &pattern.set {
                TermSet::Pattern(pattern) => pattern.matches(term),
                TermSet::Terms(set) => set.binary_search_by(|known| known.as_slice().cmp(term)).is_ok(),
                _ => true,
            };
            let full = found.len() >= limit;
            if full && found.last_key_value().is_some_and(|(last, _)| last.as_slice() < term) {
                break;
            }
            if !matches {
                continue;
            }
            let entry = found.entry(term.to_vec()).or_default();
            entry.0 += u64::from(info.doc_freq);
            entry.1 += info.total_term_freq;
            if found.len() > limit {
                found.pop_last();
            }
        }
    }
    let term = |(term, (doc_freq, total_term_freq))| FoundTerm { term, doc_freq, total_term_freq };
    found.into_iter().map(term).collect()
}

/// A field and terms of it.
pub type FieldTerms = (Arc<str>, Vec<Vec<u8>>);

/// The terms of a plan that came of a pattern or a fuzzy term; none if it is neither.
pub fn terms_of(cx: &PlanContext, plan: Plan) -> Result<Option<FieldTerms>> {
    Ok(match plan {
        Plan::MultiTerm(terms) => {
            let limit = cx.limits.max_clause_count;
            let found = expand(cx, &terms, limit + 1);
            if found.len() > limit && !cx.unexpanded {
                let text = &terms.text;
                return Err(Error::new(
                    ErrorKind::Runtime,
                    format!("[{text} ] exceeds maxClauseCount [ Boolean maxClauseCount is set to {limit}]"),
                ));
            }
            Some((terms.field.clone(), found.into_iter().map(|found| found.term).collect()))
        }
        Plan::Term { field, term } => Some((field, vec![term])),
        Plan::Blended(blended) => Some((blended.field, vec![blended.term])),
        Plan::Boost(inner, _) | Plan::Constant(inner) => terms_of(cx, *inner)?,
        Plan::Bool(plan) => {
            let mut out: Option<FieldTerms> = None;
            for clause in plan.should {
                let Some((field, terms)) = terms_of(cx, clause)? else { return Ok(None) };
                out.get_or_insert_with(|| (field, vec![])).1.extend(terms);
            }
            out
        }
        Plan::Custom(node) => match node.0.written().or(node.0.shown()) {
            Some(plan) => terms_of(cx, plan.clone())?,
            None => None,
        },
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(Rewrite::of("top_terms_3"), Rewrite::TopTerms(3));
        assert_eq!(Rewrite::of("top_terms_boost_3"), Rewrite::TopTermsBoost(3));
        assert_eq!(Rewrite::of("top_terms_blended_freqs_3"), Rewrite::TopTermsBlended(3));
        let unknown = Rewrite::of("top_terms_x").check().unwrap_err();
        assert_eq!(unknown.reason(), "Failed to parse rewrite_method [top_terms_x]");
    }
}
