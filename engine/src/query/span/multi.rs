//! `span_multi`: the terms of a prefix, wildcard, fuzzy, regexp or range query, and where they stand.

use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::query::fields::is_rewritten_to_none;
use crate::query::match_all::APPROXIMATE_ALL;
use crate::query::node::{Common, Node, unsupported};
use crate::query::rewrite::{expand, terms_of};
use crate::query::table::parse_node;
use crate::query::{Kind, PlanContext, Query};
use crate::score::spans::{INNER_NONE, Span};
use crate::score::{MultiTerm, Plan, TermSet};
use std::sync::Arc;

#[derive(Debug)]
struct SpanMulti {
    inner: Query,
}

pub fn parse(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let mut inner = None;
    for field in node.fields_in_lists() {
        match (field.key, field.node.value) {
            ("match", Value::Object(_)) => {
                let query = parse_node(field.node)?;
                if !query.kind.is_multi_term() {
                    return Err(field.node.error_at_end("[span_multi] [match] must be of type multi term query"));
                }
                inner = Some(query);
            }
            (key, Value::Object(_)) => return Err(unsupported(field.node, "span_multi", key)),
            (_, Value::Null) => {}
            (key, _) if common.take(key, field.node)? => {}
            (key, _) => return Err(unsupported(field.node, "span_multi", key)),
        }
    }
    let inner = inner.ok_or_else(|| node.error_at_end("[span_multi] must have [match] multi term query clause"))?;
    Ok(Query::new(common, SpanMulti { inner }))
}

impl Kind for SpanMulti {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        self.span(cx).map(Plan::custom)
    }

    fn is_span(&self) -> bool {
        true
    }

    /// It makes its own of what stands within it.
    fn is_replaced_on_shard(&self, _cx: &PlanContext) -> bool {
        false
    }

    fn children(&self) -> Vec<&Query> {
        vec![&self.inner]
    }

    fn span(&self, cx: &PlanContext) -> Result<Span> {
        if let Some(span) = self.inner.kind.span_of_terms(cx)? {
            return Ok(span);
        }
        let plan = self.inner.kind.plan(cx)?;
        // What comes to nothing still is in a field.
        let in_field = || self.inner.kind.sought().map(|sought| (sought.field.into(), TermSet::Terms(vec![])));
        if is_rewritten_to_none(&plan) {
            let inner = Box::new(Span::Or(vec![]));
            return Ok(Span::Multi { text: INNER_NONE.to_owned(), inner, pattern: in_field(), best: false });
        }
        let mut span = of_terms(cx, plan, self.inner.kind.takes_best_terms())?;
        if let Span::Multi { pattern, .. } = &mut span
            && pattern.is_none()
        {
            *pattern = in_field();
        }
        Ok(span)
    }
}

/// The terms that a plan comes to, as spans. `best`: they are the best of many.
pub fn of_terms(cx: &PlanContext, plan: Plan, best: bool) -> Result<Span> {
    let text = plan.to_string();
    let pattern = pattern_of(&plan);
    let refused = match plan {
        Plan::Points(_) => APPROXIMATE,
        _ if text == APPROXIMATE_ALL => APPROXIMATE,
        _ => "org.apache.lucene.search.IndexOrDocValuesQuery",
    };
    let (field, terms) = match plan.simplify() {
        Plan::Nothing(_) => return Ok(Span::Multi { text, inner: Box::new(Span::Or(vec![])), pattern, best }),
        plan => terms_of(cx, plan)?.ok_or_else(|| {
            Error::new(
                ErrorKind::UnsupportedOperation,
                format!("unsupported inner query, should be org.apache.lucene.search.MultiTermQuery but was {refused}"),
            )
        })?,
    };
    Ok(Span::Multi { text, inner: Box::new(any_of(&field, terms, best)), pattern, best })
}

/// The first so many terms of a pattern.
pub fn of_first_terms(cx: &PlanContext, terms: MultiTerm, most: usize) -> Span {
    let found = expand(cx, &terms, most).into_iter().map(|found| found.term).collect();
    let inner = Box::new(any_of(&terms.field, found, false));
    Span::Multi { text: terms.text, inner, pattern: Some((terms.field, terms.set)), best: false }
}

/// Any of the terms; `best`: they stand in a list even if there is one.
fn any_of(field: &Arc<str>, terms: Vec<Vec<u8>>, best: bool) -> Span {
    let mut spans: Vec<Span> = terms.into_iter().map(|term| Span::Term { field: field.clone(), term }).collect();
    if spans.len() == 1 && !best { spans.remove(0) } else { Span::Or(spans) }
}

const APPROXIMATE: &str = "org.opensearch.search.approximate.ApproximateScoreQuery";

/// What a plan looks for, as highlighters see it.
fn pattern_of(plan: &Plan) -> Option<(Arc<str>, TermSet)> {
    match plan {
        Plan::MultiTerm(terms) => Some((terms.field.clone(), terms.set.clone())),
        // What may be no edits away is a word, whether or not a document has it in the field.
        Plan::Term { field, term } => Some((field.clone(), TermSet::Terms(vec![term.clone()]))),
        Plan::Custom(custom) => pattern_of(&custom.0.marks()?.plan),
        _ => None,
    }
}
