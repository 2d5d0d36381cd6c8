//! `span_not`, `span_first`, `span_containing` and `span_within`: spans by how they stand to others.

use super::{boxed, clause};
use crate::error::{Error, Result};
use crate::json::Value;
use crate::query::node::{Common, Node, unsupported};
use crate::query::{Kind, PlanContext, Query};
use crate::score::Plan;
use crate::score::spans::Span;

#[derive(Debug)]
enum Relation {
    Not { include: Query, exclude: Query, pre: i32, post: i32 },
    First { inner: Query, end: i32 },
    Containing { big: Query, little: Query },
    Within { big: Query, little: Query },
}

pub fn parse_not(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let (mut include, mut exclude) = (None, None);
    let (mut pre, mut post, mut dist) = (None, None, None);
    for field in node.fields() {
        match (field.key, field.node.value) {
            ("include", Value::Object(_)) => include = Some(clause(field.node, "span_not", "include")?),
            ("exclude", Value::Object(_)) => exclude = Some(clause(field.node, "span_not", "exclude")?),
            (key, Value::Object(_)) => return Err(unsupported(field.node, "span_not", key)),
            ("dist", _) => dist = Some(field.node.i32()?),
            ("pre", _) => pre = Some(field.node.i32()?),
            ("post", _) => post = Some(field.node.i32()?),
            (key, _) if common.take(key, field.node)? => {}
            (key, _) => return Err(unsupported(field.node, "span_not", key)),
        }
    }
    let include = include.ok_or_else(|| node.error_at_end("span_not must have [include] span query clause"))?;
    let exclude = exclude.ok_or_else(|| node.error_at_end("span_not must have [exclude] span query clause"))?;
    if dist.is_some() && (pre.is_some() || post.is_some()) {
        let reason = "span_not can either use [dist] or [pre] & [post] (or none)";
        return Err(node.error_at_end(reason));
    }
    let limit = |given: Option<i32>| given.or(dist).unwrap_or(0).max(0);
    let (pre, post) = (limit(pre), limit(post));
    Ok(Query::new(common, Relation::Not { include, exclude, pre, post }))
}

pub fn parse_first(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let (mut inner, mut end) = (None, None);
    for field in node.fields() {
        match (field.key, field.node.value) {
            ("match", Value::Object(_)) => inner = Some(clause(field.node, "span_first", "match")?),
            (key, Value::Object(_)) => return Err(unsupported(field.node, "span_first", key)),
            ("end", _) => end = Some(field.node.i32()?),
            (key, _) if common.take(key, field.node)? => {}
            (key, _) => return Err(unsupported(field.node, "span_first", key)),
        }
    }
    let inner = inner.ok_or_else(|| node.error_at_end("span_first must have [match] span query clause"))?;
    let end = end.ok_or_else(|| node.error_at_end("span_first must have [end] set for it"))?;
    if end < 0 {
        return Err(Error::illegal_argument("parameter [end] needs to be positive."));
    }
    Ok(Query::new(common, Relation::First { inner, end }))
}

pub fn parse_containing(node: Node) -> Result<Query> {
    let (common, big, little) = parse_pair(node, "span_containing")?;
    Ok(Query::new(common, Relation::Containing { big, little }))
}

pub fn parse_within(node: Node) -> Result<Query> {
    let (common, big, little) = parse_pair(node, "span_within")?;
    Ok(Query::new(common, Relation::Within { big, little }))
}

fn parse_pair(node: Node, kind: &str) -> Result<(Common, Query, Query)> {
    let mut common = Common::default();
    let (mut big, mut little) = (None, None);
    for field in node.fields() {
        match (field.key, field.node.value) {
            ("big", Value::Object(_)) => big = Some(clause(field.node, kind, "big")?),
            ("little", Value::Object(_)) => little = Some(clause(field.node, kind, "little")?),
            (key, Value::Object(_)) => return Err(unsupported(field.node, kind, key)),
            (key, _) if common.take(key, field.node)? => {}
            (key, _) => return Err(unsupported(field.node, kind, key)),
        }
    }
    let missing = |what: &str| match kind {
        "span_within" => node.error_at_end(format!("span_within must include [{what}]")),
        _ => Error::illegal_argument(format!("inner clause [{what}] cannot be null.")),
    };
    let big = big.ok_or_else(|| missing("big"))?;
    let little = little.ok_or_else(|| missing("little"))?;
    Ok((common, big, little))
}

impl Kind for Relation {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        self.span(cx).map(Plan::custom)
    }

    fn children(&self) -> Vec<&Query> {
        match self {
            Self::Not { include: a, exclude: b, .. }
            | Self::Containing { big: a, little: b }
            | Self::Within { big: a, little: b } => vec![a, b],
            Self::First { inner, .. } => vec![inner],
        }
    }

    fn is_span(&self) -> bool {
        true
    }

    fn span(&self, cx: &PlanContext) -> Result<Span> {
        let checked = |a: Box<Span>, b: Box<Span>| {
            let same = a.field().zip(b.field()).is_none_or(|(a, b)| a == b);
            let refused = match self {
                Self::Containing { .. } | Self::Within { .. } => "big and little not same field",
                Self::Not { .. } | Self::First { .. } => "Clauses must have same field.",
            };
            if same { Ok((a, b)) } else { Err(Error::illegal_argument(refused)) }
        };
        Ok(match self {
            Self::Not { include, exclude, pre, post } => {
                let (include, exclude) = checked(boxed(include, cx)?, boxed(exclude, cx)?)?;
                Span::Not { include, exclude, pre: *pre, post: *post }
            }
            Self::First { inner, end } => Span::First { inner: boxed(inner, cx)?, end: *end },
            Self::Containing { big, little } => {
                let (big, little) = checked(boxed(big, cx)?, boxed(little, cx)?)?;
                Span::Containing { big, little }
            }
            Self::Within { big, little } => {
                let (big, little) = checked(boxed(big, cx)?, boxed(little, cx)?)?;
                Span::Within { big, little }
            }
        })
    }
}
