//! Orders of buckets: by count, by key, or by a sub-aggregation.

use super::parse::{Agg, ParseContext};
use super::partial::{Key, Partial};
use crate::deprecated::note;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Entry, Value};
use crate::query::{Node, ShardContext, Source};
use std::cmp::Ordering;

/// Compares in turn; the key decides at last.
#[derive(Debug, Clone)]
pub(crate) struct Order(Vec<(By, bool)>);

#[derive(Debug, Clone, PartialEq)]
enum By {
    Count,
    Key,
    /// Names down the tree, and the metric of the last.
    Path {
        text: String,
        names: Vec<String>,
        property: Option<String>,
    },
}

/// What is compared of a bucket.
pub(crate) struct Comparable<'a> {
    pub(crate) count: u64,
    pub(crate) key: &'a Key,
    pub(crate) subs: &'a [Partial],
}

impl Order {
    pub(crate) fn count_desc() -> Self {
        Self(vec![(By::Count, false), (By::Key, true)])
    }

    /// By count, then by key, both downwards.
    pub(crate) fn count_and_key_desc() -> Self {
        Self(vec![(By::Count, false), (By::Key, false)])
    }

    pub(crate) fn key_asc() -> Self {
        Self(vec![(By::Key, true)])
    }

    /// Parses `{"_count": "desc"}` or an array of such objects.
    pub(crate) fn parse(entry: &Entry, cx: &ParseContext<'_>) -> Result<Self> {
        if !matches!(entry.value, Value::Array(_) | Value::Object(_)) {
            return Err(cx.wrong_type(entry));
        }
        let source = Source::new(cx.body);
        let node = Node::of_entry(entry, &source);
        let items: Vec<Node> = node.items().collect();
        let mut at = 0;
        let parts = cx.list(entry, |item| {
            at += 1;
            match item.object() {
                Some(_) => parse_one(item),
                None => Err(no_order(node, items.get(at..).unwrap_or_default())),
            }
        });
        let mut parts = parts.map_err(|cause| cx.failed_inside(entry, cause))?;
        if parts.is_empty() {
            let cause = Error::new(ErrorKind::IndexOutOfBounds, "Index 0 out of bounds for length 0");
            return Err(cx.failed_at_end(entry, cause));
        }
        if !parts.iter().any(|(by, _)| *by == By::Key) {
            parts.push((By::Key, true));
        }
        Ok(Self(parts))
    }

    pub(crate) fn is_count_desc(&self) -> bool {
        matches!(self.0.first(), Some((By::Count, false)))
    }

    /// By count downwards, and equal counts by key upwards.
    pub(crate) fn is_default(&self) -> bool {
        self.0 == Self::count_desc().0
    }

    /// Whether sub-aggregations decide.
    pub(crate) fn has_path(&self) -> bool {
        self.0.iter().any(|(by, _)| matches!(by, By::Path { .. }))
    }

    pub(crate) fn is_key(&self) -> bool {
        matches!(self.0.first(), Some((By::Key, _)))
    }

    /// Descending by key first.
    pub(crate) fn is_key_desc(&self) -> bool {
        matches!(self.0.first(), Some((By::Key, false)))
    }

    /// Ascending by key alone: the order in which histograms are built.
    pub(crate) fn is_key_asc(&self) -> bool {
        matches!(self.0.first(), Some((By::Key, true)))
    }

    pub(crate) fn needs_subs(&self) -> bool {
        self.0.iter().any(|(by, _)| matches!(by, By::Path { .. }))
    }

    pub(crate) fn compare(&self, aggs: &[Agg], a: &Comparable<'_>, b: &Comparable<'_>) -> Ordering {
        for (by, asc) in &self.0 {
            let direct = |o: Ordering| if *asc { o } else { o.reverse() };
            let ordering = match by {
                By::Count => direct(a.count.cmp(&b.count)),
                By::Key => direct(a.key.compare(b.key)),
                By::Path { names, property, .. } => {
                    let value = |subs| resolve(aggs, subs, names, property.as_deref()).unwrap_or(f64::NAN);
                    compare_nan_last(value(a.subs), value(b.subs), *asc)
                }
            };
            if ordering != Ordering::Equal {
                return ordering;
            }
        }
        Ordering::Equal
    }

    /// The order without sub-aggregations.
    pub(crate) fn without_paths(&self) -> Self {
        Self(self.0.iter().filter(|(by, _)| !matches!(by, By::Path { .. })).cloned().collect())
    }

    /// Compares by count and key alone; for orders that need no sub-aggregations.
    pub(crate) fn compare_plain(&self, count: impl Fn() -> Ordering, key: impl Fn() -> Ordering) -> Ordering {
        for (by, asc) in &self.0 {
            let ordering = match by {
                By::Count => count(),
                By::Key => key(),
                By::Path { .. } => Ordering::Equal,
            };
            if ordering != Ordering::Equal {
                return if *asc { ordering } else { ordering.reverse() };
            }
        }
        Ordering::Equal
    }

    /// Whether the sub-aggregations that it names exist and can be compared.
    pub(crate) fn check(&self, agg: &Agg, cx: &ShardContext) -> Result<()> {
        self.0.iter().try_for_each(|(by, _)| match by {
            By::Path { text, names, property } => check_path(&agg.subs, text, names, property.as_deref(), cx),
            _ => Ok(()),
        })
    }
}

/// The error of what is no object in a list: the reader takes the texts behind it for directions.
fn no_order(list: Node, behind: &[Node]) -> Error {
    for node in behind {
        match node.value {
            Value::String(direction) if ["asc", "desc"].iter().any(|known| direction.eq_ignore_ascii_case(known)) => {}
            Value::String(direction) => return node.error(format!("Unknown order direction [{direction}]")),
            _ => return node.error(format!("Unexpected token [{}] for [order]", node.token())),
        }
    }
    list.error_at_end("Unexpected token [END_ARRAY] for [order]")
}

/// `{"_count": "desc"}`; of several fields the last counts.
fn parse_one(node: Node) -> Result<(By, bool)> {
    let mut last = None;
    for field in node.fields() {
        let Value::String(direction) = field.node.value else {
            return Err(field.node.error(format!("Unexpected token [{}] for [order]", field.node.token())));
        };
        let asc = match direction.to_ascii_lowercase().as_str() {
            "asc" => true,
            "desc" => false,
            _ => return Err(field.node.error(format!("Unknown order direction [{direction}]"))),
        };
        last = Some((field.key, asc));
    }
    let Some((key, asc)) = last else {
        return Err(node.error_at_end("Must specify at least one field for [order]"));
    };
    let by = match key {
        "_count" => By::Count,
        "_key" => By::Key,
        "_term" | "_time" => {
            note(format!("Deprecated aggregation order key [{key}] used, replaced by [_key]"));
            By::Key
        }
        path => parse_path(path)?,
    };
    Ok((by, asc))
}

/// `a>b.metric` or `a>b[metric]`.
fn parse_path(path: &str) -> Result<By> {
    let mut names: Vec<String> =
        path.split('>').filter(|name| !name.is_empty()).map(|name| name.trim().to_owned()).collect();
    let last = names.pop().ok_or_else(|| Error::illegal_argument(format!("Invalid path [{path}]")))?;
    let invalid = |element: &str| {
        let reason = format!("Invalid path element [{element}] in path [{path}]");
        Error::new(ErrorKind::AggregationExecution, reason)
    };
    // A key may stand anywhere as far as reading goes.
    let keyed = |name: &str| name.ends_with(']') && name.find('[').is_some_and(|at| at > 0 && at + 2 < name.len());
    if let Some(element) = names.iter().find(|name| name.contains('[') && !keyed(name)) {
        return Err(invalid(element));
    }
    let text = names.iter().map(|name| format!("{name}>")).collect::<String>() + &last;
    let (name, property) = match last.rsplit_once('[') {
        Some((name, rest)) => match rest.strip_suffix(']') {
            Some(property) if !name.is_empty() && !property.is_empty() => (name, Some(property)),
            _ => return Err(invalid(&last)),
        },
        None => match last.rsplit_once('.') {
            Some((name, property)) if name.is_empty() || property.is_empty() => return Err(invalid(&last)),
            Some((name, property)) => (name, Some(property)),
            None => (last.as_str(), None),
        },
    };
    names.push(name.to_owned());
    Ok(By::Path { text, names, property: property.map(str::to_owned) })
}

/// The reference's explanation where results have no order.
pub(crate) const NOT_ORDERED: &str = "Buckets can only be sorted on a sub-aggregator path that is built out of zero or more single-bucket aggregations within the path and a final single-bucket or a metrics aggregation at the path end.";

/// The kinds that have one bucket, which a path may lead through.
const SINGLE_BUCKET: &[&str] =
    &["children", "filter", "global", "missing", "nested", "parent", "reverse_nested", "sampler"];

fn check_path(subs: &[Agg], path: &str, names: &[String], property: Option<&str>, cx: &ShardContext) -> Result<()> {
    let (name, rest) = names.split_first().expect("a path has at least one name");
    let refuse_for = |cause: Error| {
        let reason = format!("Invalid aggregation order path [{path}]. {}", cause.reason());
        Error::new(ErrorKind::AggregationExecution, reason).caused_by(cause)
    };
    let refuse = |reason: String| refuse_for(Error::illegal_argument(reason));
    let plain = name.split_once('[').map_or(name.as_str(), |(plain, _)| plain);
    let Some(agg) = subs.iter().find(|a| a.name == plain) else {
        let element =
            if rest.is_empty() { path.rsplit('>').find(|part| !part.is_empty()).unwrap_or(name) } else { name };
        return Err(refuse(format!(
            "The provided aggregation [{element}] either does not exist, or is a pipeline aggregation and cannot be used to sort the buckets."
        )));
    };
    if !rest.is_empty() && name.contains('[') {
        return Err(refuse(format!("Key only allowed on last aggregation path element but got [{name}]")));
    }
    if !rest.is_empty() {
        if !SINGLE_BUCKET.contains(&agg.type_name) || agg.kind.leads_nowhere(cx) {
            return Err(refuse(format!("{NOT_ORDERED} [{name}] is not single-bucket.")));
        }
        return check_path(&agg.subs, path, rest, property, cx);
    }
    if agg.kind.leads_nowhere(cx) {
        return Err(refuse(NOT_ORDERED.to_owned()));
    }
    agg.kind.check_order_property(name, property).map_err(refuse_for)
}

fn resolve(aggs: &[Agg], partials: &[Partial], names: &[String], property: Option<&str>) -> Option<f64> {
    let (name, rest) = names.split_first()?;
    let at = aggs.iter().position(|a| a.name == *name)?;
    let partial = partials.get(at)?;
    match (rest, partial) {
        ([], _) => aggs[at].kind.order_value(partial, property),
        (_, Partial::Single(bucket)) => resolve(&aggs[at].subs, &bucket.subs, rest, property),
        _ => None,
    }
}

/// Not-a-number (no value) comes last in both directions.
fn compare_nan_last(a: f64, b: f64, asc: bool) -> Ordering {
    match (a.is_nan(), b.is_nan()) {
        (true, true) => Ordering::Equal,
        (true, false) => Ordering::Greater,
        (false, true) => Ordering::Less,
        _ if asc => a.total_cmp(&b),
        _ => b.total_cmp(&a),
    }
}
