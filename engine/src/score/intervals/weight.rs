//! Intervals scored by saturation: `boost * S / (S + 1)`, where `S` adds up how tight the intervals are.

use super::super::late::Late;
use super::super::positional::{DocTree, Leaf, Matcher, PositionalScorer};
use super::super::{Explanation, Faults, MultiTerm, Scorer, TermSet, Weight, WeightContext};
use super::matching::Node;
use super::{Intervals, Source};
use crate::error::{Error, ErrorKind, Result};
use crate::script::{PropertyScript, context};
use crate::segment::{SegmentView, Terms, Want};
use std::cell::RefCell;
use std::ops::Bound;

const PIVOT: f32 = 1.0;

pub struct IntervalsWeight {
    plan: Intervals,
    boost: f32,
    faults: Faults,
}

impl IntervalsWeight {
    pub fn new(cx: &WeightContext, plan: &Intervals, boost: f32) -> Self {
        Self { plan: plan.clone(), boost, faults: cx.faults.clone() }
    }

    fn interval_scorer(&self, view: &SegmentView) -> Result<Option<PositionalScorer<IntervalMatcher>>> {
        let Some((leaves, node, tree)) = self.bound(view)? else { return Ok(None) };
        let matcher = IntervalMatcher { node, min_extent: self.plan.source.min_extent(), boost: self.boost };
        Ok(PositionalScorer::new(leaves, tree, matcher))
    }

    fn bound(&self, view: &SegmentView) -> Result<Option<(Vec<Leaf>, Node, DocTree)>> {
        let mut binder = Binder { view, leaves: vec![], faults: &self.faults };
        let bound = binder.bind(&self.plan.field, &self.plan.source)?;
        Ok(bound.map(|(node, tree)| (binder.leaves, node, tree)))
    }
}

/// Whether a segment has the terms that there must be.
pub fn may_match(plan: &Intervals, view: &SegmentView) -> Result<bool> {
    let mut binder = Binder { view, leaves: vec![], faults: &Faults::default() };
    Ok(binder.bind(&plan.field, &plan.source)?.is_some())
}

impl Weight for IntervalsWeight {
    fn opens(&mut self, view: &SegmentView) -> Result<bool> {
        Ok(self.bound(view)?.is_some())
    }

    fn scorer(&mut self, view: &SegmentView) -> Result<Option<Box<dyn Scorer>>> {
        Ok(self.interval_scorer(view)?.map(Late::boxed))
    }

    fn explain(&mut self, view: &SegmentView, doc: u32) -> Result<Explanation> {
        let found = self.interval_scorer(view)?;
        let Some(mut scorer) = found else { return Ok(Explanation::no_match("no matching intervals", vec![])) };
        if !scorer.seek(doc) {
            return Ok(Explanation::no_match("no matching intervals", vec![]));
        }
        let freq = scorer.freq();
        let what = format!("S, the sloppy frequency of the interval query {}", self.plan);
        Ok(Explanation::matching(
            scorer.score(),
            "Saturation function on interval frequency, computed as w * S / (S + k) from:",
            vec![
                Explanation::matching(self.boost, "w, weight of this function", vec![]),
                Explanation::matching(
                    PIVOT,
                    "k, pivot feature value that would give a score contribution equal to w/2",
                    vec![],
                ),
                Explanation::matching(freq, what, vec![]),
            ],
        ))
    }
}

/// Numbers the terms of a tree and opens their postings.
struct Binder<'a> {
    view: &'a SegmentView,
    leaves: Vec<Leaf>,
    faults: &'a Faults,
}

impl Binder<'_> {
    /// None for what this segment has no terms of. A text without words is there, in no document: what stands beside it is
    /// opened, and may refuse its terms.
    fn bind(&mut self, field: &str, source: &Source) -> Result<Option<(Node, DocTree)>> {
        Ok(match source {
            Source::Nothing(_) => Some((Node::Nothing, DocTree::Any(vec![]))),
            Source::Term(term) => {
                let lists = match self.terms(field)? {
                    Some(terms) => terms.get(term).map(|info| terms.postings(info, Want::Positions)),
                    None => None,
                };
                lists.map(|list| self.leaf(Leaf::new(vec![list])))
            }
            Source::Multi { terms: pattern, text, max_expansions, .. } => {
                let Some(terms) = self.terms(field)? else { return Ok(None) };
                let lists = expand(&terms, pattern, text, *max_expansions)?;
                (!lists.is_empty()).then(|| self.leaf(Leaf::new(lists)))
            }
            Source::Or(sources) => {
                let (mut nodes, mut trees) = (vec![], vec![]);
                for source in sources {
                    if let Some((node, tree)) = self.bind(field, source)? {
                        nodes.push(node);
                        trees.push(tree);
                    }
                }
                (!nodes.is_empty()).then_some((Node::Or(nodes), DocTree::Any(trees)))
            }
            Source::Ordered(sources) | Source::Unordered(sources) if sources.len() == 1 => {
                self.bind(field, &sources[0])?
            }
            Source::Repeat(source, times) => {
                self.bind(field, source)?.map(|(node, tree)| (Node::Repeat(Box::new(node), *times), tree))
            }
            Source::Ordered(sources) => self.all(field, sources, Node::Ordered)?,
            Source::Block(sources) => self.all(field, sources, Node::Block)?,
            Source::Unordered(sources) => self.all(field, sources, Node::Unordered)?,
            Source::MaxGaps(source, gaps) => {
                self.bind(field, source)?.map(|(node, tree)| (Node::MaxGaps(Box::new(node), *gaps), tree))
            }
            Source::Extend { source, before, after } => {
                self.bind(field, source)?.map(|(node, tree)| (Node::Extend(Box::new(node), *before, *after), tree))
            }
            Source::Scripted(source, script) => {
                let Some((node, tree)) = self.bind(field, source)? else { return Ok(None) };
                let script = PropertyScript::new(script, &context::INTERVAL, 0)?;
                let script = Box::new(RefCell::new(script));
                Some((Node::Scripted(Box::new(node), script, self.faults.clone()), tree))
            }
            Source::Field(field, source) => self.bind(field, source)?,
            Source::Filter { source, relation, by } => {
                let Some((node, tree)) = self.bind(field, source)? else { return Ok(None) };
                let by = match (self.bind(field, by)?, relation.wants_none()) {
                    (Some((by, _)), _) => by,
                    (None, true) => Node::Nothing,
                    // What has to stand to something is not looked for where that is not.
                    (None, false) => return Ok(None),
                };
                Some((Node::Filter(Box::new(node), *relation, Box::new(by)), tree))
            }
        })
    }

    fn all(
        &mut self,
        field: &str,
        sources: &[Source],
        node: impl FnOnce(Vec<Node>) -> Node,
    ) -> Result<Option<(Node, DocTree)>> {
        let (mut nodes, mut trees) = (vec![], vec![]);
        for source in sources {
            let Some((node, tree)) = self.bind(field, source)? else { return Ok(None) };
            nodes.push(node);
            trees.push(tree);
        }
        Ok(Some((node(nodes), DocTree::All(trees))))
    }

    fn leaf(&mut self, leaf: Leaf) -> (Node, DocTree) {
        self.leaves.push(leaf);
        let at = self.leaves.len() - 1;
        (Node::Leaf(at), DocTree::Leaf(at))
    }

    fn terms(&self, field: &str) -> Result<Option<Terms>> {
        let Some(of_field) = self.view.segment.field(field) else { return Ok(None) };
        match of_field.terms() {
            Some(_) if !of_field.has_positions() => Err(Error::illegal_argument(format!(
                "Cannot create an IntervalIterator over field {field} because it has no indexed positions"
            ))),
            terms => Ok(terms.cloned()),
        }
    }
}

/// The postings of the terms that a pattern matches.
fn expand(terms: &Terms, pattern: &MultiTerm, text: &str, max: usize) -> Result<Vec<crate::segment::Postings>> {
    let mut iter = match &pattern.set {
        TermSet::Prefix(prefix) => terms.prefix(prefix),
        TermSet::Pattern(pattern) => terms.prefix(pattern.prefix()),
        TermSet::Range(lo, hi) => terms.range(lo.as_ref().map(Vec::as_slice), hi.as_ref().map(Vec::as_slice)),
        TermSet::Terms(_) => terms.range(Bound::Unbounded, Bound::Unbounded),
    };
    let mut lists = vec![];
    while let Some((term, info)) = iter.next() {
        let matches = match &pattern.set {
            TermSet::Pattern(pattern) => pattern.matches(term),
            TermSet::Terms(set) => set.binary_search_by(|known| known.as_slice().cmp(term)).is_ok(),
            _ => true,
        };
        if !matches {
            continue;
        }
        if lists.len() == max {
            return Err(Error::new(
                ErrorKind::IllegalState,
                format!("Automaton [{text}] expanded to too many terms (limit {max})"),
            ));
        }
        lists.push(terms.postings(info, Want::Positions));
    }
    Ok(lists)
}

struct IntervalMatcher {
    node: Node,
    min_extent: i32,
    boost: f32,
}

impl Matcher for IntervalMatcher {
    fn freq(&mut self, leaves: &[Leaf]) -> f32 {
        let intervals = self.node.intervals(leaves);
        intervals.iter().fold(0.0f32, |freq, interval| {
            let length = i64::from(interval.end) - i64::from(interval.start) + 1;
            // Added up in double precision, and rounded each time.
            (f64::from(freq) + 1.0 / (length - i64::from(self.min_extent) + 1).max(1) as f64) as f32
        })
    }

    fn score(&self, _doc: u32, freq: f32) -> f32 {
        self.boost * (1.0 - PIVOT / (PIVOT + freq))
    }

    fn max_score(&self) -> f32 {
        self.boost
    }
}
