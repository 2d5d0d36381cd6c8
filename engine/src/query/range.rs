//! `range`: documents with a value within bounds.

use super::node::{Common, Node, check_name, unsupported};
use super::{Kind, PlanContext, Query, Sought, SoughtValues};
use super::{can_match, fields};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::mapping::date::{DateFormat, Zone};
use crate::mapping::{Family, Field, FieldRange, Indexed, RangeBounds, Relation};
use crate::score::Plan;

#[derive(Debug, Default)]
struct Range {
    field: String,
    lower: Option<(Value, bool)>,
    upper: Option<(Value, bool)>,
    format: Option<String>,
    time_zone: Option<String>,
    relation: Relation,
}

pub fn parse(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let mut range: Option<Range> = None;
    let mut late = Late::default();
    for field in node.fields() {
        // A list is passed over, but for what stands in it; behind the bounds of a field their last name is the one that was read last.
        let mut name = field.key;
        let mut waiting = vec![field.node];
        while let Some(node) = waiting.pop() {
            match node.value {
                Value::Object(_) => {
                    if let Some(first) = &range {
                        return Err(super::node::multiple_fields(node, "range", &first.field, name));
                    }
                    range = Some(parse_bounds(name, node, &mut common, &mut late)?);
                    name = node.fields().last().map_or(name, |last| last.key);
                }
                Value::Array(_) => waiting.extend(node.items().collect::<Vec<_>>().into_iter().rev()),
                Value::Null => {}
                _ => return Err(unsupported(node, "range", name)),
            }
        }
    }
    let range = range.ok_or_else(|| Error::illegal_argument("field name is null or empty"))?;
    check_name(&range.field)?;
    late.read_into(range).map(|range| Query::new(common, range))
}

/// What nobody looks at before the whole query has been read.
#[derive(Default)]
struct Late {
    zone: Option<String>,
    format: Option<String>,
    relation: Option<String>,
}

impl Late {
    fn read_into(self, mut range: Range) -> Result<Range> {
        self.zone.as_deref().map(Zone::parse).transpose()?;
        self.format.as_deref().map(DateFormat::parse).transpose()?;
        if let Some(relation) = &self.relation {
            range.relation = read_relation(relation)?;
        }
        (range.time_zone, range.format) = (self.zone, self.format);
        Ok(range)
    }
}

fn parse_bounds(name: &str, node: Node, common: &mut Common, late: &mut Late) -> Result<Range> {
    let mut range = Range { field: name.to_owned(), ..Range::default() };
    let (mut include_lower, mut include_upper) = (true, true);
    let mut given = Given::default();
    for inner in node.fields() {
        let value = inner.node.value;
        let bound = |included| (!value.is_null()).then(|| (as_asked(value), included));
        match inner.key {
            "from" | "gt" | "gte" | "include_lower" | "to" | "lt" | "lte" | "include_upper"
                if given.again(inner.key, value.is_null()) =>
            {
                let reason = format!("invalid {} bound for [range] query", side(inner.key));
                return Err(inner.node.error(reason));
            }
            "from" | "gt" | "gte" | "to" | "lt" | "lte" if matches!(value, Value::Array(_) | Value::Object(_)) => {
                return Err(unbounded(inner.key, inner.node));
            }
            "from" => range.lower = bound(true),
            "to" => range.upper = bound(true),
            "include_lower" => include_lower = inner.node.bool()?,
            "include_upper" => include_upper = inner.node.bool()?,
            "gt" => (range.lower, include_lower) = (bound(true), false),
            "gte" => (range.lower, include_lower) = (bound(true), true),
            "lt" => (range.upper, include_upper) = (bound(true), false),
            "lte" => (range.upper, include_upper) = (bound(true), true),
            "time_zone" => late.zone = Some(inner.node.text()?),
            "format" => late.format = Some(inner.node.text()?),
            "relation" => late.relation = Some(inner.node.text()?),
            key if common.take(key, inner.node)? => {}
            key => return Err(unsupported(inner.node, "range", key)),
        }
    }
    range.lower = range.lower.map(|(value, _)| (value, include_lower));
    range.upper = range.upper.map(|(value, _)| (value, include_upper));
    Ok(range)
}

/// A value as queries have it: a number that fits no long is a text there.
pub fn as_asked(value: &Value) -> Value {
    match value {
        Value::UInt(_) | Value::BigInt(_) => Value::String(value.to_text()),
        value => value.clone(),
    }
}

/// What of the bounds was given: their values, and whether they belong to the range, which `gt` and its like say at once.
#[derive(Default)]
struct Given {
    lower: (bool, bool),
    upper: (bool, bool),
}

impl Given {
    /// Notes a parameter. True if what it gives was given already.
    fn again(&mut self, key: &str, is_null: bool) -> bool {
        let given = if side(key) == "lower" { &mut self.lower } else { &mut self.upper };
        let says = (!key.starts_with("include"), !matches!(key, "from" | "to"));
        let again = given.0 && says.0 || given.1 && says.1;
        // No value leaves it to the others.
        *given = (given.0 || says.0 && !is_null, given.1 || says.1);
        again
    }
}

/// Which bound a parameter is of.
fn side(key: &str) -> &'static str {
    if matches!(key, "from" | "gt" | "gte" | "include_lower") { "lower" } else { "upper" }
}

/// A bound that is no value. The reader looks into it, and takes what it finds there for options.
fn unbounded(key: &str, node: Node) -> Error {
    match (node.value, node.fields().next()) {
        (Value::Object(_), Some(first)) => unsupported(first.node, "range", first.key),
        (Value::Object(_), None) => node.ends_all_around(),
        _ => node.error_at(node.after().0, format!("invalid {} bound for [range] query", side(key))),
    }
}

/// A relation only matters for range fields; for all others every one means the same.
fn read_relation(text: &str) -> Result<Relation> {
    match text.to_ascii_lowercase().as_str() {
        "intersects" => Ok(Relation::Intersects),
        "contains" => Ok(Relation::Contains),
        "within" => Ok(Relation::Within),
        "disjoint" => Err(Error::illegal_argument(format!("[range] query does not support relation [{text}]"))),
        _ => Err(Error::illegal_argument(format!("{text} is not a valid relation"))),
    }
}

impl Range {
    fn bounds(&self) -> RangeBounds<'_> {
        let lower = self.lower.as_ref();
        let upper = self.upper.as_ref();
        RangeBounds {
            gte: lower.filter(|(_, included)| *included).map(|(value, _)| value),
            gt: lower.filter(|(_, included)| !*included).map(|(value, _)| value),
            lte: upper.filter(|(_, included)| *included).map(|(value, _)| value),
            lt: upper.filter(|(_, included)| !*included).map(|(value, _)| value),
            format: self.format.as_deref(),
            time_zone: self.time_zone.as_deref(),
            relation: self.relation,
        }
    }
}

impl Range {
    /// Without an index nothing is known of the shard's values, and nobody asks whether the bounds are any.
    fn is_unknown(&self, cx: &PlanContext) -> bool {
        cx.field(&self.field).is_some_and(|field| field.spec.indexed == Indexed::No)
    }

    /// Whether all dates of the shard are within the range, or none; `None` if some may be, and for other fields.
    fn relation_to_all(&self, cx: &PlanContext, field: &Field) -> Result<Option<bool>> {
        if field.family() == Family::Date && !field.is_searchable() && field.derived.is_none() {
            // The reference finds no dates there before it could refuse to look.
            return field.read_range(&self.bounds(), cx.dates.now_ms).map(|_| Some(false));
        }
        if field.family() != Family::Date || field.spec.indexed != Indexed::Points || field.derived.is_some() {
            return Ok(None);
        }
        let FieldRange::Numbers(lo, hi) = field.range(&self.bounds(), cx.dates.now_ms)? else { return Ok(None) };
        let points = || cx.snapshot.segments.iter().filter_map(|view| view.segment.field(&field.name)?.points());
        let (min, max) =
            (points().filter_map(|points| points.min()).min(), points().filter_map(|points| points.max()).max());
        Ok(match (min, max) {
            (Some(min), Some(max)) if min >= lo && max <= hi => Some(true),
            (Some(min), Some(max)) if max >= lo && min <= hi => None,
            _ => Some(false),
        })
    }
}

impl Kind for Range {
    fn sought(&self) -> Option<Sought<'_>> {
        let bound = |bound: &Option<(Value, bool)>| bound.as_ref().map(|(value, _)| value.to_text());
        Some(Sought { field: &self.field, values: SoughtValues::Range(bound(&self.lower), bound(&self.upper)) })
    }

    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        match cx.field(&self.field) {
            Some(field) => {
                if matches!(field.family(), Family::Text | Family::Keyword | Family::Ignored | Family::Routing) {
                    cx.check_expensive("[range] queries on [text] or [keyword] fields", "")?;
                }
                match self.relation_to_all(cx, field)? {
                    Some(true) => fields::exists(cx, &field.name),
                    Some(false) if !cx.described => Ok(fields::rewritten_to_none()),
                    _ => fields::range(cx, field, &self.bounds()),
                }
            }
            None => Ok(fields::rewritten_to_none()),
        }
    }

    fn can_match(&self, cx: &PlanContext) -> bool {
        self.is_unknown(cx) || can_match::leaf(self.plan(cx), cx)
    }

    fn is_multi_term(&self) -> bool {
        true
    }

    fn check(&self, cx: &PlanContext) -> Result<()> {
        if self.is_unknown(cx) {
            return Ok(());
        }
        let dates = cx.field(&self.field).filter(|field| field.family() == Family::Date && field.derived.is_none());
        if let Some(Err(error)) = dates.map(|field| field.read_range(&self.bounds(), cx.dates.now_ms))
            && matches!(error.kind(), ErrorKind::IllegalArgument | ErrorKind::DateTime)
        {
            return Err(error);
        }
        match self.plan(cx) {
            // Of dates alone the reference looks before it builds the query.
            Err(error) if error.kind() == ErrorKind::Parse => match cx.field(&self.field) {
                Some(field) if field.family() != Family::Date => Ok(()),
                _ => Err(error),
            },
            _ => Ok(()),
        }
    }

    fn is_replaced_on_shard(&self, cx: &PlanContext) -> bool {
        match cx.field(&self.field) {
            None => true,
            Some(field) => match self.relation_to_all(cx, field) {
                // What names nothing stays as it is.
                Ok(Some(true)) => {
                    self.lower.is_some() || self.upper.is_some() || self.format.is_some() || self.time_zone.is_some()
                }
                Ok(relation) => relation.is_some(),
                Err(_) => false,
            },
        }
    }
}
