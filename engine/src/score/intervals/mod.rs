//! Interval queries: minimal intervals of positions, scored by how tight they are.
//!
//! - [`Source`]: the tree of a query. - `matching`: the intervals of one document. - `weight`: documents and scores.

mod matching;
mod weight;

use super::plan::term_text;
use super::{MultiTerm, Plan, PlanNode, Seen, TermSet, Weight, WeightContext};
use crate::error::{Error, Result};
use crate::script::{Script, context};
use crate::segment::{SegmentView, Snapshot};
use std::fmt;
use std::sync::Arc;

/// What yields intervals.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    Nothing(String),
    Term(Vec<u8>),
    /// Terms that a pattern matches, and the text of the pattern.
    Multi {
        terms: MultiTerm,
        /// What highlighters look for, where that is more than the terms that there are.
        sought: Option<TermSet>,
        text: String,
        max_expansions: usize,
    },
    Or(Vec<Source>),
    Ordered(Vec<Source>),
    Unordered(Vec<Source>),
    /// So many intervals of one source, each behind the other, within one of the lists above.
    Repeat(Box<Source>, usize),
    /// One right behind the other.
    Block(Vec<Source>),
    MaxGaps(Box<Source>, i32),
    /// Stretched to both sides.
    Extend {
        source: Box<Source>,
        before: i32,
        after: i32,
    },
    Filter {
        source: Box<Source>,
        relation: Relation,
        by: Box<Source>,
    },
    /// Those that a script says yes to.
    Scripted(Box<Source>, Arc<Script>),
    /// Positions of another field.
    Field(Arc<str>, Box<Source>),
}

/// The most that sources beside each other may come to, each with twice as many as those before it.
const LEAVES_MAX: usize = 1_024;

/// How an interval stands to those of a filter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Relation {
    Containing,
    NotContaining,
    ContainedBy,
    NotContainedBy,
    Overlapping,
    NotOverlapping,
    Before,
    After,
}

impl Relation {
    pub const NAMES: &[(&str, Relation)] = &[
        ("containing", Relation::Containing),
        ("contained_by", Relation::ContainedBy),
        ("not_containing", Relation::NotContaining),
        ("not_contained_by", Relation::NotContainedBy),
        ("overlapping", Relation::Overlapping),
        ("not_overlapping", Relation::NotOverlapping),
        ("before", Relation::Before),
        ("after", Relation::After),
    ];

    /// Whether there must be nothing that it stands to in this way.
    pub fn wants_none(self) -> bool {
        matches!(self, Self::NotContaining | Self::NotContainedBy | Self::NotOverlapping)
    }
}

impl Source {
    /// Whether terms are looked for by a pattern somewhere.
    fn has_pattern(&self) -> bool {
        match self {
            Self::Multi { .. } => true,
            Self::Nothing(_) | Self::Term(_) => false,
            Self::Or(all) | Self::Ordered(all) | Self::Unordered(all) | Self::Block(all) => {
                all.iter().any(Self::has_pattern)
            }
            Self::Repeat(source, _) | Self::MaxGaps(source, _) | Self::Scripted(source, _) => source.has_pattern(),
            Self::Extend { source, .. } | Self::Field(_, source) => source.has_pattern(),
            Self::Filter { source, by, .. } => source.has_pattern() || by.has_pattern(),
        }
    }

    /// One behind the other; equal neighbours are one that comes several times.
    pub fn ordered(sources: Vec<Source>) -> Self {
        let repeated = |same: &[Source]| Self::times(same[0].clone(), same.len());
        Self::Ordered(sources.chunk_by(Self::is_same).map(repeated).collect())
    }

    /// In any order; equal ones are one that comes several times.
    pub fn unordered(sources: Vec<Source>) -> Self {
        let mut counted: Vec<(Source, usize)> = vec![];
        for source in sources {
            match counted.iter_mut().find(|(known, _)| known.is_same(&source)) {
                Some((_, times)) => *times += 1,
                None => counted.push((source, 1)),
            }
        }
        Self::Unordered(counted.into_iter().map(|(source, times)| Self::times(source, times)).collect())
    }

    /// Equal, but for the order of alternatives.
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Or(own), Self::Or(others)) => {
                own.len() == others.len() && own.iter().all(|source| others.contains(source))
            }
            _ => self == other,
        }
    }

    fn times(source: Source, times: usize) -> Self {
        if times == 1 { source } else { Self::Repeat(Box::new(source), times) }
    }

    /// Each beside what those before it come to, in either order: what stands between two is not free for a third. Each of
    /// these pairs may have at most `max_gaps` positions that are not covered, unless that is -1. With every source there
    /// are twice as many to look at.
    pub fn apart(sources: Vec<Source>, max_gaps: i32, most: usize) -> Result<Self> {
        let mut sources = sources.into_iter();
        let Some(first) = sources.next() else { return Ok(Self::Or(vec![])) };
        sources.try_fold(first, |a, b| {
            let pair = Self::any(vec![Self::ordered(vec![a.clone(), b.clone()]), Self::ordered(vec![b, a])]);
            if pair.leaves() > LEAVES_MAX {
                return Err(too_many());
            }
            if max_gaps == -1 { Ok(pair) } else { pair.with_gaps(max_gaps, most) }
        })
    }

    /// Any of the sources, those of inner alternatives among them, each once.
    pub fn any(sources: Vec<Source>) -> Self {
        let mut flat: Vec<Source> = vec![];
        for source in sources {
            let inner = if let Self::Or(inner) = source { inner } else { vec![source] };
            for source in inner {
                if !flat.contains(&source) {
                    flat.push(source);
                }
            }
        }
        if flat.len() == 1 { flat.remove(0) } else { Self::Or(flat) }
    }

    /// Any of several that are known to differ.
    fn either(mut sources: Vec<Source>) -> Self {
        if sources.len() == 1 { sources.remove(0) } else { Self::Or(sources) }
    }

    /// One right behind the other; those of inner blocks stand there by themselves.
    pub fn block(sources: Vec<Source>, most: usize) -> Result<Self> {
        let flat = |sources: Vec<Source>| {
            let parts = sources.into_iter().flat_map(|source| match source {
                Self::Block(inner) => inner,
                other => vec![other],
            });
            Self::Block(parts.collect())
        };
        Ok(Self::either(combinations(&sources, most)?.into_iter().map(flat).collect()))
    }

    /// Those with at most so many positions that are not covered.
    pub fn with_gaps(self, max_gaps: i32, most: usize) -> Result<Self> {
        let limited = |source| Self::MaxGaps(Box::new(source), max_gaps);
        Ok(Self::either(self.alternatives_by_extent(most)?.into_iter().map(limited).collect()))
    }

    /// Those that stand to the intervals of another as is said.
    pub fn filtered(self, relation: Relation, by: Source, most: usize) -> Result<Self> {
        let filter = |source, by| Self::Filter { source: Box::new(source), relation, by: Box::new(by) };
        // The least intervals of what contains others are those of each alternative, not of all of them together.
        Ok(match relation {
            Relation::Containing | Relation::NotContaining => {
                let sources = self.alternatives_by_extent(most)?.into_iter();
                Self::either(sources.map(|source| filter(source, by.clone())).collect())
            }
            Relation::ContainedBy | Relation::NotContainedBy => {
                let by = by.alternatives_by_extent(most)?.into_iter();
                Self::either(by.map(|by| filter(self.clone(), by)).collect())
            }
            Relation::Overlapping | Relation::NotOverlapping | Relation::Before | Relation::After => filter(self, by),
        })
    }

    /// The sources that this one is any of.
    fn alternatives(&self, most: usize) -> Result<Vec<Source>> {
        let each = |inner: &Source, make: &dyn Fn(Box<Source>) -> Source| {
            Ok::<_, Error>(inner.alternatives(most)?.into_iter().map(|one| make(Box::new(one))).collect())
        };
        match self {
            Self::Nothing(_) => Ok(vec![]),
            Self::Or(sources) => Ok(sources.clone()),
            Self::Ordered(sources) => Ok(combinations(sources, most)?.into_iter().map(Self::Ordered).collect()),
            Self::Unordered(sources) => Ok(combinations(sources, most)?.into_iter().map(Self::Unordered).collect()),
            Self::MaxGaps(inner, gaps) => each(inner, &|source| Self::MaxGaps(source, *gaps)),
            Self::Field(name, inner) => each(inner, &|source| Self::Field(name.clone(), source)),
            Self::Extend { source, before, after } => {
                each(source, &|source| Self::Extend { source, before: *before, after: *after })
            }
            // Those of other relations were drawn out when these were made.
            Self::Filter { source, relation: Relation::Overlapping, by } => {
                let pairs = combinations(&[(**source).clone(), (**by).clone()], most)?.into_iter();
                let filter = |[source, by]: [Source; 2]| Self::Filter {
                    source: Box::new(source),
                    relation: Relation::Overlapping,
                    by: Box::new(by),
                };
                Ok(pairs.filter_map(|pair| <[Source; 2]>::try_from(pair).ok()).map(filter).collect())
            }
            // What comes several times may be another one each time.
            Self::Term(_)
            | Self::Multi { .. }
            | Self::Block(_)
            | Self::Scripted(..)
            | Self::Filter { .. }
            | Self::Repeat(..) => Ok(vec![self.clone()]),
        }
    }

    /// The same, but for those of one position, which stay together.
    fn alternatives_by_extent(&self, most: usize) -> Result<Vec<Source>> {
        let (single, mut others): (Vec<_>, Vec<_>) =
            self.alternatives(most)?.into_iter().partition(|source| source.min_extent() == 1);
        if !single.is_empty() {
            others.insert(0, Self::either(single));
        }
        Ok(others)
    }

    /// How many sources that hold no others it is made of.
    fn leaves(&self) -> usize {
        match self {
            Self::Nothing(_) | Self::Term(_) | Self::Multi { .. } => 1,
            Self::Or(sources) | Self::Ordered(sources) | Self::Block(sources) | Self::Unordered(sources) => {
                sources.iter().map(Self::leaves).sum()
            }
            Self::MaxGaps(source, _) | Self::Scripted(source, _) | Self::Repeat(source, _) => source.leaves(),
            Self::Extend { source, .. } | Self::Field(_, source) => source.leaves(),
            Self::Filter { source, by, .. } => source.leaves() + by.leaves(),
        }
    }

    /// The fewest positions that an interval can span.
    fn min_extent(&self) -> i32 {
        let sum = |sources: &[Source]| sources.iter().fold(0i32, |sum, source| sum.saturating_add(source.min_extent()));
        match self {
            Self::Nothing(_) => 0,
            Self::Term(_) | Self::Multi { .. } => 1,
            Self::Or(sources) => sources.iter().map(Self::min_extent).min().unwrap_or(0),
            Self::Ordered(sources) | Self::Block(sources) => sum(sources),
            Self::Unordered(sources) => sum(sources),
            // The reference takes it for one of them.
            Self::MaxGaps(source, _) | Self::Scripted(source, _) | Self::Repeat(source, _) => source.min_extent(),
            Self::Filter { source, .. } | Self::Field(_, source) => source.min_extent(),
            Self::Extend { source, before, after } => {
                source.min_extent().saturating_add(*before).saturating_add(*after)
            }
        }
    }
}

#[cold]
fn too_many() -> Error {
    Error::illegal_argument("Too many disjunctions to expand")
}

/// The lists in which each source is one of its alternatives; at most so many.
fn combinations(sources: &[Source], most: usize) -> Result<Vec<Vec<Source>>> {
    let mut lists = vec![vec![]];
    for source in sources {
        let alternatives = source.alternatives_by_extent(most)?;
        if alternatives.len() > 1 && lists.len() * alternatives.len() > most {
            return Err(too_many());
        }
        let with = |list: &Vec<Source>, one: &Source| [list.as_slice(), std::slice::from_ref(one)].concat();
        lists = alternatives.iter().flat_map(|one| lists.iter().map(move |list| with(list, one))).collect();
    }
    Ok(lists)
}

impl Source {
    /// A script that does not compile is an error even where no document has intervals.
    fn check_scripts(&self) -> Result<()> {
        match self {
            Self::Scripted(source, script) => {
                script.program(&context::INTERVAL)?;
                source.check_scripts()
            }
            Self::Or(sources) | Self::Ordered(sources) | Self::Block(sources) | Self::Unordered(sources) => {
                sources.iter().try_for_each(Self::check_scripts)
            }
            Self::MaxGaps(source, _)
            | Self::Extend { source, .. }
            | Self::Field(_, source)
            | Self::Repeat(source, _) => source.check_scripts(),
            Self::Filter { source, by, .. } => {
                source.check_scripts()?;
                by.check_scripts()
            }
            Self::Nothing(_) | Self::Term(_) | Self::Multi { .. } => Ok(()),
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |sources: &[Source]| sources.iter().map(Source::to_string).collect::<Vec<_>>().join(",");
        match self {
            Self::Nothing(_) => f.write_str("no_match"),
            Self::Term(term) => f.write_str(&term_text(term)),
            Self::Multi { text, .. } => write!(f, "MultiTerm({text})"),
            Self::Or(sources) => write!(f, "or({})", list(sources)),
            Self::Ordered(sources) => write!(f, "ORDERED({})", list(sources)),
            Self::Unordered(sources) => write!(f, "UNORDERED({})", list(sources)),
            Self::Repeat(source, times) => f.write_str(&vec![source.to_string(); *times].join(",")),
            Self::Block(sources) => write!(f, "BLOCK({})", list(sources)),
            Self::MaxGaps(source, gaps) => write!(f, "MAXGAPS/{gaps}({source})"),
            Self::Extend { source, before, after } => write!(f, "EXTEND({source},{before},{after})"),
            Self::Scripted(source, script) => write!(f, "FILTER({})({source})", script.source),
            Self::Field(field, source) => write!(f, "FIELD({field},{source})"),
            Self::Filter { source, relation, by } => match relation {
                Relation::Containing => write!(f, "CONTAINING({source},{by})"),
                Relation::NotContaining => write!(f, "NOT_CONTAINING({source},{by})"),
                Relation::ContainedBy => write!(f, "CONTAINED_BY({source},{by})"),
                Relation::NotContainedBy => write!(f, "NOT_CONTAINED_BY({source},{by})"),
                Relation::Overlapping => write!(f, "OVERLAPPING({source},{by})"),
                Relation::NotOverlapping => write!(f, "NON_OVERLAPPING({source},{by})"),
                Relation::Before => write!(f, "CONTAINED_BY({source},EXTEND(PRECEDING({by}),{},0))", i32::MAX),
                Relation::After => write!(f, "CONTAINED_BY({source},EXTEND(FOLLOWING({by}),0,{}))", i32::MAX),
            },
        }
    }
}

/// Intervals in a field.
#[derive(Clone, Debug)]
pub struct Intervals {
    pub field: Arc<str>,
    pub source: Source,
}

impl fmt::Display for Intervals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.field, self.source)
    }
}

impl PlanNode for Intervals {
    fn type_name(&self) -> String {
        "IntervalQuery".to_owned()
    }

    fn unknown(&self) -> Seen {
        Seen { fast: false, ..Seen::BY_ALL }
    }

    fn weighs_alike(&self) -> bool {
        true
    }

    fn may_refuse(&self, _snapshot: &Snapshot) -> bool {
        self.source.has_pattern()
    }

    fn may_match_in(&self, view: &SegmentView) -> bool {
        // What cannot be told tells why where it is asked for documents.
        weight::may_match(self, view).unwrap_or(true)
    }

    fn weight(&self, cx: &WeightContext, _scores: bool, boost: f32) -> Result<Box<dyn Weight>> {
        self.source.check_scripts()?;
        Ok(Box::new(weight::IntervalsWeight::new(cx, self, boost)))
    }

    fn seen(&self) -> (Seen, Seen) {
        let terms = Seen { fast: false, ..Seen::BY_ALL };
        (terms, Seen { plain: false, ..terms })
    }

    fn highlighted(&self) -> Vec<Plan> {
        let mut plans = vec![];
        self.source.gather_terms(&self.field, &self.field, &mut plans);
        plans
    }
}

impl Source {
    /// The terms that intervals are made of; what they are filtered by is not part of them. `own`: the query's own field. Patterns
    /// in another one are seen where it does not matter what a field is called: neither name stands for them.
    fn gather_terms(&self, field: &Arc<str>, own: &Arc<str>, plans: &mut Vec<Plan>) {
        match self {
            Self::Nothing(_) => {}
            Self::Term(term) => plans.push(Plan::term(field, term.clone())),
            Self::Multi { terms, sought, .. } => {
                let set = sought.as_ref().unwrap_or(&terms.set).clone();
                // They are looked for in the field that the source stands in, whichever they are read for.
                let field = if field == own { own.clone() } else { "".into() };
                plans.push(Plan::MultiTerm(MultiTerm { set, field, text: terms.text.clone() }));
            }
            Self::Or(sources) | Self::Ordered(sources) | Self::Block(sources) | Self::Unordered(sources) => {
                sources.iter().for_each(|source| source.gather_terms(field, own, plans));
            }
            // What an interval has to stand to counts as much, unless it must not.
            Self::Filter { source, relation, by } => {
                source.gather_terms(field, own, plans);
                if !relation.wants_none() {
                    by.gather_terms(field, own, plans);
                }
            }
            Self::MaxGaps(source, _)
            | Self::Extend { source, .. }
            | Self::Repeat(source, _)
            | Self::Scripted(source, _) => source.gather_terms(field, own, plans),
            Self::Field(other, source) => source.gather_terms(other, own, plans),
        }
    }
}
