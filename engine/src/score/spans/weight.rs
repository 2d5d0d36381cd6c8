//! Spans as phrases are scored: the frequency is what the matches' widths leave of them.

use super::super::late::Late;
use super::super::positional::{DocTree, Leaf, Matcher, PositionalScorer};
use super::super::similarity::Sim;
use super::super::term::{NO_NORM, TermLookup, field_totals, segment_index};
use super::super::{Explanation, Scorer, Weight, WeightContext, float_text};
use super::Span;
use super::matching::Node;
use crate::error::{Error, ErrorKind, Result};
use crate::segment::{Norms, SegmentView, Snapshot, Want};
use std::sync::Arc;

pub struct SpanWeight {
    snapshot: Arc<Snapshot>,
    span: Span,
    text: String,
    field: Option<Arc<str>>,
    sim: Sim,
    /// What explanations call it.
    similarity: &'static str,
    scores: bool,
    /// Fields whose positions are not for spans.
    unplaced: Vec<Arc<str>>,
}

impl SpanWeight {
    pub fn new(cx: &WeightContext, span: Span, scores: bool, boost: f32) -> Result<Self> {
        let mut terms = vec![];
        span.terms(&mut terms);
        terms.sort();
        terms.dedup();
        let field = span.field().cloned();
        let counts: Vec<_> = (terms.iter())
            .filter_map(|(field, term)| TermLookup::new(cx.snapshot, field, term, scores).counts_here())
            .collect();
        if let (Some(field), true, false, true) = (&field, counts.is_empty(), terms.is_empty(), scores) {
            // Where statistics are gathered for all shards, the field's count though none of the terms is here.
            field_totals(cx.snapshot, field);
        }
        if let (Some(field), true, false) = (&field, scores, counts.is_empty())
            && field_totals(cx.snapshot, field).doc_count == 0
        {
            // Spans that pass for those of a field that no document has.
            let reason = "Cannot invoke \"org.apache.lucene.search.CollectionStatistics.field()\" because \"collectionStats\" is null";
            return Err(Error::new(ErrorKind::NullPointer, reason));
        }
        let sim =
            field.as_ref().map(|field| Sim::of_places(cx, field, &counts, boost, scores)).unwrap_or_else(Sim::unscored);
        let text = span.to_string();
        let (snapshot, similarity) = (cx.snapshot.clone(), cx.similarities.name());
        let unplaced = cx.similarities.unplaced().to_vec();
        Ok(Self { snapshot, span, text, field, sim, similarity, scores, unplaced })
    }

    fn span_scorer(&self, view: &SegmentView) -> Result<Option<PositionalScorer<SpanMatcher>>> {
        let bound = self.bound(view)?;
        Ok(bound.and_then(|(leaves, node, tree)| self.positional(view, leaves, node, tree)))
    }

    fn bound(&self, view: &SegmentView) -> Result<Option<(Vec<Leaf>, Node, DocTree)>> {
        let mut binder = Binder { weight: self, view, leaves: vec![], fault: None };
        let bound = binder.bind(&self.span);
        let Binder { leaves, fault, .. } = binder;
        fault.map_or(Ok(bound.map(|(node, tree)| (leaves, node, tree))), Err)
    }

    fn positional(
        &self,
        view: &SegmentView,
        leaves: Vec<Leaf>,
        node: Node,
        tree: DocTree,
    ) -> Option<PositionalScorer<SpanMatcher>> {
        let norms = self.field.as_ref().and_then(|field| view.segment.field(field)?.norms().cloned());
        PositionalScorer::new(leaves, tree, SpanMatcher { node, norms, sim: self.sim.clone() })
    }
}

/// Numbers the terms of a tree and opens their postings.
struct Binder<'a> {
    weight: &'a SpanWeight,
    view: &'a SegmentView,
    leaves: Vec<Leaf>,
    /// A term without positions. Those behind a part that a segment does not have are not looked at.
    fault: Option<Error>,
}

impl Binder<'_> {
    /// None for what cannot match in this segment.
    fn bind(&mut self, span: &Span) -> Option<(Node, DocTree)> {
        match span {
            Span::Term { field, term } => {
                let lookup = TermLookup::new(&self.weight.snapshot, field, term, false);
                let info = lookup.info(segment_index(&self.weight.snapshot, &self.view.segment))?;
                let within = self.view.segment.field(field)?;
                if !within.has_positions() || self.weight.unplaced.contains(field) {
                    self.fault.get_or_insert_with(|| without_positions(field, term));
                    return None;
                }
                let postings = within.terms()?.postings(info, Want::Positions);
                self.leaves.push(Leaf::new(vec![postings]));
                let at = self.leaves.len() - 1;
                Some((Node::Leaf(at), DocTree::Leaf(at)))
            }
            Span::Or(spans) => {
                let (nodes, trees): (Vec<_>, Vec<_>) = spans.iter().filter_map(|span| self.bind(span)).unzip();
                (!nodes.is_empty()).then_some((Node::Or(nodes), DocTree::Any(trees)))
            }
            Span::Near { clauses, slop, in_order } => {
                let (mut nodes, mut trees) = (vec![], vec![]);
                for clause in clauses {
                    if let Span::Gap { width, .. } = clause {
                        nodes.push(Node::Gap(*width));
                        continue;
                    }
                    let (node, tree) = self.bind(clause)?;
                    nodes.push(node);
                    trees.push(tree);
                }
                if nodes.len() == 1 {
                    return nodes.pop().zip(trees.pop());
                }
                let node = if *in_order { Node::Ordered(nodes, *slop) } else { Node::Unordered(nodes, *slop) };
                Some((node, DocTree::All(trees)))
            }
            Span::Gap { .. } => None,
            Span::Not { include, exclude, pre, post } => {
                let (include, tree) = self.bind(include)?;
                let Some((exclude, _)) = self.bind(exclude) else { return Some((include, tree)) };
                let (include, exclude) = (Box::new(include), Box::new(exclude));
                Some((Node::Not { include, exclude, pre: *pre, post: *post }, tree))
            }
            Span::First { inner, end } => {
                let (node, tree) = self.bind(inner)?;
                Some((Node::First(Box::new(node), *end), tree))
            }
            Span::Containing { big, little } => {
                let ((big, first), (little, second)) = (self.bind(big)?, self.bind(little)?);
                Some((Node::Containing(Box::new(big), Box::new(little)), DocTree::All(vec![first, second])))
            }
            Span::Within { big, little } => {
                let ((big, first), (little, second)) = (self.bind(big)?, self.bind(little)?);
                Some((Node::Within(Box::new(big), Box::new(little)), DocTree::All(vec![first, second])))
            }
            Span::Mask { inner, .. } | Span::Multi { inner, .. } => self.bind(inner),
        }
    }
}

#[cold]
fn without_positions(field: &str, term: &[u8]) -> Error {
    let term = String::from_utf8_lossy(term);
    let reason = format!("field \"{field}\" was indexed without position data; cannot run SpanTermQuery (term={term})");
    Error::new(ErrorKind::IllegalState, reason)
}

impl Weight for SpanWeight {
    fn opens(&mut self, view: &SegmentView) -> Result<bool> {
        // Whether some document has them near each other is found out later.
        Ok(self.bound(view)?.is_some())
    }

    fn scorer(&mut self, view: &SegmentView) -> Result<Option<Box<dyn Scorer>>> {
        Ok(self.span_scorer(view)?.map(Late::boxed))
    }

    fn explain(&mut self, view: &SegmentView, doc: u32) -> Result<Explanation> {
        let found = self.span_scorer(view)?;
        let Some(mut scorer) = found else { return Ok(Explanation::no_match("no matching term", vec![])) };
        if !scorer.seek(doc) {
            return Ok(Explanation::no_match("no matching term", vec![]));
        }
        if !self.scores {
            return Ok(Explanation::matching(0.0, format!("match {} in {doc} without score", self.text), vec![]));
        }
        let freq = scorer.freq();
        let norm = scorer.matcher.norm(doc);
        let detail = self.sim.explain(freq, norm, &format!("phraseFreq={}", float_text(freq)));
        let description = format!("weight({} in {doc}) [{}], result of:", self.text, self.similarity);
        Ok(Explanation::matching(detail.score(), description, vec![detail]))
    }
}

struct SpanMatcher {
    node: Node,
    norms: Option<Norms>,
    sim: Sim,
}

impl SpanMatcher {
    /// Spans of another field may be found where the field that gives the norms has no value.
    fn norm(&self, doc: u32) -> u8 {
        self.norms.as_ref().and_then(|norms| norms.of(doc)).unwrap_or(NO_NORM)
    }
}

impl Matcher for SpanMatcher {
    fn freq(&mut self, leaves: &[Leaf]) -> f32 {
        let places = self.node.places(leaves);
        // Added up in double precision, and rounded each time.
        let add = |freq: f32, width: i32| (f64::from(freq) + 1.0 / (1.0 + f64::from(width))) as f32;
        places.iter().fold(0.0, |freq, place| add(freq, place.width))
    }

    fn score(&self, doc: u32, freq: f32) -> f32 {
        self.sim.score(freq, self.norm(doc))
    }

    fn max_score(&self) -> f32 {
        self.sim.max_score()
    }
}
