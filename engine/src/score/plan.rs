//! The primitive queries, their text, and how they become weights.

use super::ordinal_terms::OrdinalTermsWeight;
use super::phrase::PhrasePosition;
use super::points::PointSet;
use super::selection::Selection;
use super::similarity::Similarities;
use super::{
    CustomPlan, Faults, MultiTerm, Weight, all, boolean, constant, dis_max, exists, float_text, ids, multi_term,
    phrase, points, profile, synonym, term,
};
use crate::error::Result;
use crate::profile::QueryProfiler;
use crate::segment::Snapshot;
use std::fmt;
use std::sync::Arc;

/// A query in primitive terms. [`Plan::simplify`] brings it to the form that the reference scores and explains.
#[derive(Clone, Debug)]
pub enum Plan {
    /// Matches nothing, for this reason.
    Nothing(String),
    All,
    /// One term, scored by the similarity of its field.
    Term {
        field: Arc<str>,
        term: Vec<u8>,
    },
    /// One term with statistics that were blended over fields or terms, and a boost for where it came from.
    Blended(BlendedTerm),
    /// Terms of one position, scored as if they were one.
    Synonyms {
        field: Arc<str>,
        terms: Vec<Vec<u8>>,
    },
    Phrase {
        field: Arc<str>,
        positions: Arc<[PhrasePosition]>,
        slop: u32,
    },
    MultiTerm(MultiTerm),
    Points(PointSet),
    Exists {
        field: Arc<str>,
        text: String,
    },
    Ids(Vec<String>),
    Bool(BoolPlan),
    DisMax {
        plans: Vec<Plan>,
        tie_breaker: f32,
    },
    /// Every match scores 1.
    Constant(Box<Plan>),
    Boost(Box<Plan>, f32),
    /// A query with a file of its own.
    Custom(CustomPlan),
}

impl PartialEq for Plan {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Nothing(a), Self::Nothing(b)) => a == b,
            (Self::All, Self::All) => true,
            // Terms are the same whatever statistics they are scored by.
            (Self::Term { .. } | Self::Blended(_), Self::Term { .. } | Self::Blended(_)) => {
                self.term_parts() == other.term_parts()
            }
            (Self::Synonyms { field, terms }, Self::Synonyms { field: of, terms: other }) => {
                field == of && terms == other
            }
            (Self::Phrase { field: a, positions: b, slop: c }, Self::Phrase { field: d, positions: e, slop: f }) => {
                (a, c) == (d, f) && b == e
            }
            (Self::MultiTerm(a), Self::MultiTerm(b)) => a == b,
            (Self::Points(a), Self::Points(b)) => a == b,
            (Self::Exists { field, text }, Self::Exists { field: of, text: other }) => field == of && text == other,
            (Self::Ids(a), Self::Ids(b)) => a == b,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::DisMax { plans: a, tie_breaker: b }, Self::DisMax { plans: c, tie_breaker: d }) => {
                b == d && are_same_clauses(a, c)
            }
            (Self::Constant(a), Self::Constant(b)) => a == b,
            (Self::Boost(a, by), Self::Boost(b, other)) => by == other && a == b,
            (Self::Custom(a), Self::Custom(b)) => a == b,
            _ => false,
        }
    }
}

/// Most clauses that are compared in any order: each is compared with each.
const UNORDERED_MAX: usize = 64;

/// Whether clauses are the same, whatever their order.
fn are_same_clauses(a: &[Plan], b: &[Plan]) -> bool {
    if a.len() != b.len() || a.len() > UNORDERED_MAX {
        return a == b;
    }
    let mut left: Vec<&Plan> = b.iter().collect();
    a.iter().all(|plan| left.iter().position(|other| *other == plan).map(|at| left.swap_remove(at)).is_some())
}

/// See [`Plan::Blended`].
#[derive(Clone, Debug, PartialEq)]
pub struct BlendedTerm {
    pub field: Arc<str>,
    pub term: Vec<u8>,
    pub doc_freq: u64,
    pub total_term_freq: u64,
    /// Whether the reference does not know how often a document has the term: once, to it.
    pub once: bool,
}

/// Clauses by how they take part. `minimum_should_match` of `should` must match.
#[derive(Clone, Debug, Default)]
pub struct BoolPlan {
    pub must: Vec<Plan>,
    pub filter: Vec<Plan>,
    pub should: Vec<Plan>,
    pub must_not: Vec<Plan>,
    pub minimum_should_match: usize,
    /// In which order the clauses are told.
    pub order: ClauseOrder,
}

/// How a clause takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occur {
    Must,
    MustNot,
    Should,
    Filter,
}

/// The order in which clauses were written, where they came mixed. It says nothing of what matches: booleans that differ in it
/// alone are equal.
#[derive(Clone, Debug, Default)]
pub struct ClauseOrder(Option<Arc<[Occur]>>);

impl ClauseOrder {
    pub fn of(clauses: impl IntoIterator<Item = Occur>) -> Self {
        Self(Some(clauses.into_iter().collect()))
    }
}

impl PartialEq for BoolPlan {
    fn eq(&self, other: &Self) -> bool {
        let occurs = [Occur::Must, Occur::Filter, Occur::Should, Occur::MustNot];
        self.minimum_should_match == other.minimum_should_match
            && occurs.into_iter().all(|occur| are_same_clauses(self.clauses_of(occur), other.clauses_of(occur)))
    }
}

impl BoolPlan {
    /// See [`Plan::may_refuse`].
    pub fn may_refuse(&self, snapshot: &Snapshot) -> bool {
        let mut clauses = self.must.iter().chain(&self.must_not).chain(&self.should).chain(&self.filter);
        clauses.any(|plan| plan.may_refuse(snapshot))
    }

    /// Whether it is known to match every document but those that it leaves out.
    pub fn requires_all(&self) -> bool {
        let takes_all = |plan: &Plan| Selection::of(plan) == Selection::All;
        let mut required = self.must.iter().chain(&self.filter).peekable();
        let asks_for_more = self.minimum_should_match > 0 || required.peek().is_none();
        let finds_more = self.minimum_should_match <= 1 && !self.should.is_empty() && self.should.iter().all(takes_all);
        (!asks_for_more || finds_more) && required.all(takes_all)
    }

    /// The clauses of one kind.
    pub fn clauses_of(&self, occur: Occur) -> &[Plan] {
        match occur {
            Occur::Must => &self.must,
            Occur::MustNot => &self.must_not,
            Occur::Should => &self.should,
            Occur::Filter => &self.filter,
        }
    }

    /// The clauses in the order in which they were written, each by its kind and its place among those; kind by kind where
    /// the order is not known or no longer fits.
    pub fn sequence(&self) -> Vec<(Occur, usize)> {
        let groups = [Occur::Must, Occur::MustNot, Occur::Should, Occur::Filter];
        let by_kind =
            || groups.into_iter().flat_map(|occur| (0..self.clauses_of(occur).len()).map(move |i| (occur, i)));
        let Some(order) = &self.order.0 else { return by_kind().collect() };
        let count = |occur: Occur| order.iter().filter(|of| **of == occur).count();
        if groups.into_iter().any(|occur| count(occur) != self.clauses_of(occur).len()) {
            return by_kind().collect();
        }
        let mut told = [0; 4];
        let next = |occur: &Occur| {
            let told = &mut told[*occur as usize];
            *told += 1;
            (*occur, *told - 1)
        };
        order.iter().map(next).collect()
    }
}

/// What weights are bound to.
pub struct WeightContext<'a> {
    pub snapshot: &'a Arc<Snapshot>,
    /// Which fields are not scored by plain BM25.
    pub similarities: &'a Similarities,
    /// Where scorers report what goes wrong.
    pub faults: Faults,
    /// What writes down where the time goes, if that is asked for.
    pub profiler: Option<QueryProfiler>,
    /// Whether only the best matches are wanted, which profiles show.
    pub best: bool,
    /// Whether the reference keeps no answers of clauses that do not score: under a profile. Then they are explained in full.
    pub uncached: bool,
    /// Whether boosts count although nobody asks for scores, where the reference does not take a filter for a constant: least scores
    /// are held against what they make.
    pub keeps_boosts: bool,
}

impl<'a> WeightContext<'a> {
    /// The same for queries all of whose matches count.
    pub fn for_filters(&self) -> Self {
        Self {
            faults: self.faults.clone(),
            profiler: self.profiler.clone(),
            uncached: self.uncached,
            ..Self::new(self.snapshot, self.similarities)
        }
    }

    pub fn new(snapshot: &'a Arc<Snapshot>, similarities: &'a Similarities) -> Self {
        let faults = Faults::default();
        Self { snapshot, similarities, faults, profiler: None, best: false, uncached: false, keeps_boosts: false }
    }
}

impl Plan {
    pub fn nothing(reason: impl Into<String>) -> Self {
        Self::Nothing(reason.into())
    }

    /// Whether a query is of those that refuse terms as a segment is opened: intervals of patterns, spans without positions.
    pub fn may_refuse(&self, snapshot: &Snapshot) -> bool {
        match self {
            Self::Custom(node) => node.0.may_refuse(snapshot),
            Self::Constant(inner) | Self::Boost(inner, _) => inner.may_refuse(snapshot),
            Self::Bool(plan) => plan.may_refuse(snapshot),
            Self::DisMax { plans, .. } => plans.iter().any(|plan| plan.may_refuse(snapshot)),
            _ => false,
        }
    }

    /// The field, if all that it looks for is documents with one.
    pub fn field_sought(&self) -> Option<&Arc<str>> {
        match self {
            Self::Exists { field, .. } => Some(field),
            Self::Constant(inner) | Self::Boost(inner, _) => inner.field_sought(),
            // What is one clause alone is that clause.
            Self::Bool(plan) if plan.must_not.is_empty() && plan.minimum_should_match <= 1 => {
                let mut clauses = plan.must.iter().chain(&plan.filter).chain(&plan.should);
                clauses.next().filter(|_| clauses.next().is_none())?.field_sought()
            }
            _ => None,
        }
    }

    pub fn term(field: &Arc<str>, term: impl Into<Vec<u8>>) -> Self {
        Self::Term { field: field.clone(), term: term.into() }
    }

    pub fn constant(self) -> Self {
        Self::Constant(Box::new(self))
    }

    /// The plan with `change` made to each that has none within, or that is `whole`.
    pub fn map_leaves(self, whole: &dyn Fn(&Plan) -> bool, change: &mut dyn FnMut(Plan) -> Plan) -> Self {
        let mut all =
            |plans: Vec<Plan>| plans.into_iter().map(|plan| plan.map_leaves(whole, change)).collect::<Vec<_>>();
        match self {
            plan if whole(&plan) => change(plan),
            Self::Bool(plan) => Self::Bool(BoolPlan {
                must: all(plan.must),
                filter: all(plan.filter),
                should: all(plan.should),
                must_not: all(plan.must_not),
                minimum_should_match: plan.minimum_should_match,
                order: plan.order,
            }),
            Self::DisMax { plans, tie_breaker } => Self::DisMax { plans: all(plans), tie_breaker },
            Self::Constant(plan) => {
                let is_leaf = plan.leaf_field().is_some();
                match plan.map_leaves(whole, change) {
                    // What scores alike already is not made to once more.
                    inner @ Self::Constant(_) if is_leaf => inner,
                    inner => inner.constant(),
                }
            }
            Self::Boost(plan, by) => Self::Boost(Box::new(plan.map_leaves(whole, change)), by),
            Self::Custom(node) => match node.0.written() {
                Some(plan) => node.0.written_for(plan.clone().map_leaves(whole, change)).unwrap_or(Self::Custom(node)),
                None => change(Self::Custom(node)),
            },
            leaf => change(leaf),
        }
    }

    /// How many clauses there are at all depths, as Lucene counts them: the terms of one phrase or of one set are one.
    pub fn clauses(&self) -> usize {
        let all = |plans: &[Plan]| plans.iter().map(Self::clauses).sum::<usize>();
        match self {
            Self::Bool(plan) => all(&plan.must) + all(&plan.filter) + all(&plan.should) + all(&plan.must_not),
            Self::DisMax { plans, .. } => all(plans),
            Self::Constant(plan) | Self::Boost(plan, _) => plan.clauses(),
            Self::Custom(node) => match node.0.spans() {
                // Those that keep others away are counted like these.
                Some(span) => span.count_terms(),
                None => all(&node.0.highlighted()),
            }
            .max(1),
            _ => 1,
        }
    }

    /// The field that a plan without others within looks at.
    pub fn leaf_field(&self) -> Option<&Arc<str>> {
        match self {
            Self::Term { field, .. }
            | Self::Synonyms { field, .. }
            | Self::Phrase { field, .. }
            | Self::Exists { field, .. } => Some(field),
            Self::Blended(blended) => Some(&blended.field),
            Self::MultiTerm(multi_term) => Some(&multi_term.field),
            Self::Points(points) => Some(&points.field),
            Self::Custom(node) => node.0.leaf_field(),
            _ => None,
        }
    }

    /// Field and term of a plan that looks for one.
    pub fn as_term(&self) -> Option<(Arc<str>, Vec<u8>)> {
        self.term_parts().map(|(field, term)| (field.clone(), term.to_vec()))
    }

    fn term_parts(&self) -> Option<(&Arc<str>, &[u8])> {
        match self {
            Self::Term { field, term } => Some((field, term)),
            Self::Blended(blended) => Some((&blended.field, &blended.term)),
            _ => None,
        }
    }

    /// The plan as text where it only matches: synonyms that need no common statistics are optional clauses.
    pub fn unscored_text(&self) -> String {
        match self {
            Self::Synonyms { field, terms } => synonyms_text(field, terms),
            _ => self.text_unscored(),
        }
    }

    /// The plan with a boost, which nothing has no use for.
    pub fn boosted(self, boost: f32) -> Self {
        if matches!(self, Self::Nothing(_)) { self } else { self.boosted_whatever(boost) }
    }

    /// The same of nothing, too, which some queries boost until they are rewritten.
    pub fn boosted_whatever(self, boost: f32) -> Self {
        if boost == 1.0 { self } else { Self::Boost(Box::new(self), boost) }
    }

    /// Binds the plan to a snapshot. Without `scores` scorers need not give any.
    pub fn weight(&self, cx: &WeightContext, scores: bool, boost: f32) -> Result<Box<dyn Weight>> {
        match &cx.profiler {
            Some(profiler) => profile::profiled(self, cx, profiler, scores, boost),
            None => self.bind(cx, scores, boost),
        }
    }

    /// [`Plan::weight`] without an entry in the profile for this plan itself.
    pub fn bind(&self, cx: &WeightContext, scores: bool, boost: f32) -> Result<Box<dyn Weight>> {
        profile::enter_alternatives(self, cx, scores)?;
        Ok(match self {
            Self::Nothing(reason) => Box::new(all::NothingWeight::new(reason)),
            Self::All => Box::new(all::AllWeight::new(boost)),
            Self::Term { field, term } => Box::new(term::TermWeight::new(cx, field, term, None, scores, boost)),
            Self::Blended(blended) => {
                Box::new(term::TermWeight::new(cx, &blended.field, &blended.term, Some(blended), scores, boost))
            }
            Self::Synonyms { field, terms } => Box::new(synonym::SynonymWeight::new(cx, field, terms, scores, boost)),
            Self::Phrase { field, positions, slop } => {
                Box::new(phrase::PhraseWeight::new(cx, field, positions, *slop, scores, boost)?)
            }
            Self::MultiTerm(multi_term) if OrdinalTermsWeight::is_for(multi_term, cx.snapshot) => {
                Box::new(OrdinalTermsWeight::new(multi_term, boost))
            }
            Self::MultiTerm(multi_term) => Box::new(multi_term::MultiTermWeight::new(multi_term, boost)),
            Self::Points(points) => Box::new(points::PointsWeight::new(points, boost)),
            Self::Exists { field, .. } => Box::new(exists::ExistsWeight::new(field, self.to_string(), boost)),
            Self::Ids(ids) => Box::new(ids::IdsWeight::new(ids, boost)),
            Self::Bool(plan) => Box::new(boolean::BoolWeight::new(cx, plan, scores, boost)?),
            Self::DisMax { plans, tie_breaker } => {
                Box::new(dis_max::DisMaxWeight::new(cx, plans, *tie_breaker, scores, boost)?)
            }
            // Without scores what it holds explains itself.
            Self::Constant(plan) if !scores => {
                Box::new(constant::ConstantWeight::new(cx, plan, plan.unscored_text(), boost)?)
            }
            Self::Constant(plan) => Box::new(constant::ConstantWeight::new(cx, plan, self.to_string(), boost)?),
            Self::Boost(plan, by) => plan.bind(cx, scores, boost * by)?,
            Self::Custom(node) => node.0.weight(cx, scores, boost)?,
        })
    }
}

/// Terms of a field side by side, as optional clauses are.
fn synonyms_text(field: &str, terms: &[Vec<u8>]) -> String {
    let terms: Vec<String> = terms.iter().map(|term| format!("{field}:{}", term_text(term))).collect();
    terms.join(" ")
}

/// A term as text, or its bytes in brackets where they are none.
pub(super) fn term_text(term: &[u8]) -> String {
    match std::str::from_utf8(term) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes_text(term),
    }
}

pub(super) fn bytes_text(bytes: &[u8]) -> String {
    let hex: Vec<String> = bytes.iter().map(|b| format!("{b:x}")).collect();
    format!("[{}]", hex.join(" "))
}

/// The notation of Lucene, which explanations, profiles and validations show.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing(reason) => write!(f, "MatchNoDocsQuery(\"{reason}\")"),
            Self::All => f.write_str("*:*"),
            Self::Term { field, term } => write!(f, "{field}:{}", term_text(term)),
            Self::Blended(blended) => write!(f, "{}:{}", blended.field, term_text(&blended.term)),
            Self::Synonyms { field, terms } => write!(f, "Synonym({})", synonyms_text(field, terms)),
            Self::Phrase { field, positions, slop } => phrase::fmt(f, field, positions, *slop),
            Self::MultiTerm(multi_term) => f.write_str(&multi_term.text),
            Self::Points(points) => f.write_str(&points.text),
            Self::Exists { text, .. } => f.write_str(text),
            Self::Ids(list) => {
                let mut keys: Vec<Vec<u8>> = list.iter().map(|id| ids::encode(id)).collect();
                keys.sort();
                keys.dedup();
                let texts: Vec<String> = keys.iter().map(|key| term_text(key)).collect();
                write!(f, "_id:({})", texts.join(" "))
            }
            Self::Bool(plan) => fmt_bool(f, plan),
            Self::DisMax { plans, tie_breaker } => {
                f.write_str("(")?;
                for (i, plan) in plans.iter().enumerate() {
                    let between = if i == 0 { "" } else { " | " };
                    match plan {
                        Self::Bool(_) => write!(f, "{between}({plan})")?,
                        _ => write!(f, "{between}{plan}")?,
                    }
                }
                f.write_str(")")?;
                if *tie_breaker != 0.0 { write!(f, "~{}", float_text(*tie_breaker)) } else { Ok(()) }
            }
            Self::Constant(plan) => write!(f, "ConstantScore({plan})"),
            Self::Boost(plan, by) => write!(f, "({plan})^{}", float_text(*by)),
            Self::Custom(node) => node.0.fmt(f),
        }
    }
}

fn fmt_bool(f: &mut fmt::Formatter<'_>, plan: &BoolPlan) -> fmt::Result {
    if plan.minimum_should_match > 0 {
        f.write_str("(")?;
    }
    for (i, (occur, at)) in plan.sequence().into_iter().enumerate() {
        let clause = &plan.clauses_of(occur)[at];
        let sign = match occur {
            Occur::Must => "+",
            Occur::MustNot => "-",
            Occur::Should => "",
            Occur::Filter => "#",
        };
        f.write_str(if i == 0 { "" } else { " " })?;
        match clause {
            Plan::Bool(_) => write!(f, "{sign}({clause})")?,
            _ => write!(f, "{sign}{clause}")?,
        }
    }
    match plan.minimum_should_match {
        0 => Ok(()),
        n => write!(f, ")~{n}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_are_counted_at_all_depths() {
        let field: Arc<str> = "t".into();
        let term = || Plan::term(&field, *b"a");
        let both = Plan::Bool(BoolPlan { must: vec![term(), term()], filter: vec![term()], ..BoolPlan::default() });
        let max = Plan::DisMax { plans: vec![both.clone().constant(), term()], tie_breaker: 0.0 };
        assert_eq!((both.clauses(), max.clone().boosted(2.0).clauses()), (3, 4));
        assert_eq!(max.written_as("x").clauses(), 4);
    }

    #[test]
    fn texts_in_the_notation_of_lucene() {
        let field: Arc<str> = "t".into();
        let a = Plan::term(&field, *b"a");
        let b = Plan::term(&field, [0xfe, 0x1f]);
        let both = Plan::Bool(BoolPlan { must: vec![a.clone()], should: vec![b.clone()], ..BoolPlan::default() });
        assert_eq!(both.to_string(), "+t:a t:[fe 1f]");
        assert_eq!(both.clone().boosted(2.0).to_string(), "(+t:a t:[fe 1f])^2.0");
        let max = Plan::DisMax { plans: vec![both, a.clone()], tie_breaker: 0.5 };
        assert_eq!(max.to_string(), "((+t:a t:[fe 1f]) | t:a)~0.5");
        let two = BoolPlan { should: vec![a, b], minimum_should_match: 2, ..BoolPlan::default() };
        assert_eq!(Plan::Bool(two).to_string(), "(t:a t:[fe 1f])~2");
    }
}
