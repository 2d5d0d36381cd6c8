//! Span queries: terms by where they stand, with the matches and scores that Lucene gives them.
//!
//! - [`Span`]: the tree of a query. - `matching`: the spans of one document. - `weight`: documents, scores, explanations.

mod marks;
mod matching;
mod weight;

use super::plan::term_text;
use super::{Plan, PlanNode, Seen, TermSet, Weight, WeightContext};
use crate::error::Result;
use crate::segment::{SegmentView, Snapshot};
pub use marks::SpanTerm;
use std::fmt;
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq)]
pub enum Span {
    Term {
        field: Arc<str>,
        term: Vec<u8>,
    },
    Or(Vec<Span>),
    Near {
        clauses: Vec<Span>,
        slop: i32,
        in_order: bool,
    },
    /// Any terms at so many positions; only within an ordered `Near`.
    Gap {
        field: Arc<str>,
        width: i32,
    },
    Not {
        include: Box<Span>,
        exclude: Box<Span>,
        pre: i32,
        post: i32,
    },
    First {
        inner: Box<Span>,
        end: i32,
    },
    Containing {
        big: Box<Span>,
        little: Box<Span>,
    },
    Within {
        big: Box<Span>,
        little: Box<Span>,
    },
    Mask {
        inner: Box<Span>,
        field: Arc<str>,
    },
    /// The terms that a pattern came to, with the text of the pattern.
    Multi {
        text: String,
        inner: Box<Span>,
        /// The field of the pattern, and what it is.
        pattern: Option<(Arc<str>, TermSet)>,
        /// Whether they are the best of many: one of them, and none, then stand in a list as well.
        best: bool,
    },
}

/// What the text of spans of a pattern begins with where it comes to nothing.
const NONE: &str = "SpanMatchNoDocsQuery";

/// The text of spans of a pattern in a field that is not mapped.
pub const INNER_NONE: &str = "SpanMatchNoDocsQuery(\"Inner query rewrote to match_none\")";

impl Span {
    /// The field whose lengths scores are normalized by.
    pub fn field(&self) -> Option<&Arc<str>> {
        match self {
            Self::Term { field, .. } | Self::Mask { field, .. } => Some(field),
            Self::Or(spans) | Self::Near { clauses: spans, .. } => spans.iter().find_map(Self::field),
            Self::Gap { field, .. } => Some(field),
            Self::Not { include: inner, .. } | Self::First { inner, .. } => inner.field(),
            Self::Multi { inner, pattern, .. } => inner.field().or(pattern.as_ref().map(|(field, _)| field)),
            Self::Containing { big, .. } | Self::Within { big, .. } => big.field(),
        }
    }

    /// The terms that score, in no order, with repetitions.
    fn terms<'a>(&'a self, out: &mut Vec<(&'a Arc<str>, &'a [u8])>) {
        match self {
            Self::Term { field, term } => out.push((field, term)),
            Self::Or(spans) | Self::Near { clauses: spans, .. } => spans.iter().for_each(|span| span.terms(out)),
            Self::Gap { .. } => {}
            Self::Not { include: inner, .. }
            | Self::First { inner, .. }
            | Self::Mask { inner, .. }
            | Self::Multi { inner, .. } => inner.terms(out),
            Self::Containing { big, little } | Self::Within { big, little } => {
                big.terms(out);
                little.terms(out);
            }
        }
    }

    /// Without the texts of patterns.
    fn rewritten(&self) -> Self {
        let boxed = |span: &Span| Box::new(span.rewritten());
        let all = |spans: &[Span]| spans.iter().map(Self::rewritten).collect();
        match self {
            // Without any term it is still known which were looked for.
            Self::Multi { text, inner, pattern, best: false } if inner.is_nothing() => {
                let text = match text.starts_with(NONE) {
                    true => text.clone(),
                    false => format!("{NONE}(\"no expansion found for {text}\")"),
                };
                Self::Multi { text, inner: inner.clone(), pattern: pattern.clone(), best: false }
            }
            Self::Multi { inner, .. } => inner.rewritten(),
            Self::Or(spans) => Self::Or(all(spans)),
            Self::Near { clauses, slop, in_order } => {
                Self::Near { clauses: all(clauses), slop: *slop, in_order: *in_order }
            }
            Self::Not { include, exclude, pre, post } => {
                Self::Not { include: boxed(include), exclude: boxed(exclude), pre: *pre, post: *post }
            }
            Self::First { inner, end } => Self::First { inner: boxed(inner), end: *end },
            Self::Containing { big, little } => Self::Containing { big: boxed(big), little: boxed(little) },
            Self::Within { big, little } => Self::Within { big: boxed(big), little: boxed(little) },
            Self::Mask { inner, field } => Self::Mask { inner: boxed(inner), field: field.clone() },
            Self::Term { .. } | Self::Gap { .. } => self.clone(),
        }
    }

    /// The spans that pass for those of another field.
    pub fn unmasked(&self) -> &Self {
        let mut span = self;
        while let Self::Mask { inner, .. } = span {
            span = inner;
        }
        span
    }

    fn is_nothing(&self) -> bool {
        matches!(self, Self::Or(spans) if spans.is_empty())
    }

    fn has_multi(&self) -> bool {
        match self {
            Self::Multi { text, inner, best, .. } => *best || !inner.is_nothing() || !text.starts_with(NONE),
            Self::Or(spans) | Self::Near { clauses: spans, .. } => spans.iter().any(Self::has_multi),
            Self::Term { .. } | Self::Gap { .. } => false,
            Self::First { inner, .. } | Self::Mask { inner, .. } => inner.has_multi(),
            Self::Not { include: a, exclude: b, .. }
            | Self::Containing { big: a, little: b }
            | Self::Within { big: a, little: b } => a.has_multi() || b.has_multi(),
        }
    }
}

impl Span {
    /// The terms that spans are made of; what they must not touch is not part of them.
    fn gather_terms(&self, plans: &mut Vec<Plan>) {
        match self {
            Self::Term { field, term } => plans.push(Plan::term(field, term.clone())),
            Self::Gap { .. } => {}
            Self::Or(spans) | Self::Near { clauses: spans, .. } => {
                spans.iter().for_each(|span| span.gather_terms(plans));
            }
            Self::Containing { big, little } | Self::Within { big, little } => {
                big.gather_terms(plans);
                little.gather_terms(plans);
            }
            Self::Not { include: inner, .. }
            | Self::First { inner, .. }
            | Self::Mask { inner, .. }
            | Self::Multi { inner, .. } => inner.gather_terms(plans),
        }
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |spans: &[Span]| spans.iter().map(Span::to_string).collect::<Vec<_>>().join(", ");
        match self {
            Self::Term { field, term } => write!(f, "{field}:{}", term_text(term)),
            Self::Or(spans) => write!(f, "spanOr([{}])", list(spans)),
            Self::Near { clauses, slop, in_order } => write!(f, "spanNear([{}], {slop}, {in_order})", list(clauses)),
            Self::Gap { width, .. } => write!(f, "SpanGap(:{width})"),
            Self::Not { include, exclude, pre, post } => write!(f, "spanNot({include}, {exclude}, {pre}, {post})"),
            Self::First { inner, end } => write!(f, "spanFirst({inner}, {end})"),
            Self::Containing { big, little } => write!(f, "SpanContaining({big}, {little})"),
            Self::Within { big, little } => write!(f, "SpanWithin({big}, {little})"),
            Self::Mask { inner, field } => write!(f, "mask({inner}) as {field}"),
            Self::Multi { text, .. } if text.starts_with(NONE) => f.write_str(text),
            Self::Multi { text, .. } => write!(f, "SpanMultiTermQueryWrapper({text})"),
        }
    }
}

impl PlanNode for Span {
    fn type_name(&self) -> String {
        let name = match self {
            Self::Term { .. } => "SpanTermQuery",
            Self::Or(_) => "SpanOrQuery",
            Self::Near { .. } => "SpanNearQuery",
            Self::Gap { .. } => "SpanGapQuery",
            Self::Not { .. } => "SpanNotQuery",
            Self::First { .. } => "SpanFirstQuery",
            Self::Containing { .. } => "SpanContainingQuery",
            Self::Within { .. } => "SpanWithinQuery",
            Self::Mask { .. } => "FieldMaskingSpanQuery",
            Self::Multi { text, .. } if text.starts_with(NONE) => NONE,
            Self::Multi { .. } => "SpanMultiTermQueryWrapper",
        };
        name.to_owned()
    }

    fn weight(&self, cx: &WeightContext, scores: bool, boost: f32) -> Result<Box<dyn Weight>> {
        // Alone a mask does not hide anything.
        let mut span = self;
        while let Self::Mask { inner, .. } = span {
            span = inner;
        }
        Ok(Box::new(weight::SpanWeight::new(cx, span.rewritten(), scores, boost)?))
    }

    fn highlighted(&self) -> Vec<Plan> {
        let mut plans = vec![];
        self.gather_terms(&mut plans);
        plans
    }

    fn spans(&self) -> Option<&Span> {
        Some(self)
    }

    fn text_unscored(&self) -> Option<String> {
        // What passes for spans of another field only does so where scores are asked for.
        Some(self.unmasked().to_string())
    }

    fn may_refuse(&self, snapshot: &Snapshot) -> bool {
        let mut terms = vec![];
        self.terms(&mut terms);
        let lacks =
            |view: &SegmentView, name: &str| view.segment.field(name).is_some_and(|field| !field.has_positions());
        terms.iter().any(|(field, _)| snapshot.segments.iter().any(|view| lacks(view, field)))
    }

    fn seen(&self) -> (Seen, Seen) {
        // One word, if only because a pattern comes to no more.
        let fast = match self {
            Self::Term { .. } => true,
            Self::Multi { inner, .. } => matches!(**inner, Self::Term { .. }),
            _ => false,
        };
        let seen = Seen { fast, ..Seen::BY_ALL };
        (seen, seen)
    }

    fn simplify(&self) -> Option<Plan> {
        self.has_multi().then(|| Plan::custom(self.rewritten()))
    }
}
