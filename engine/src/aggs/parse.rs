//! The request's `aggs` object to a tree, and the table of kinds.

use super::kind::{Aggregator, Kind};
use super::{cardinality, date_histogram, filters, histogram, range, single, stats, terms};
use crate::did_you_mean;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Entry, Map, Value, line_col};
use crate::query::ShardContext;
use std::sync::Arc;

/// Deepest nesting of sub-aggregations.
const DEPTH_MAX: usize = 64;

/// Parses a kind's own object.
type ParseKind = fn(&Map, &ParseContext<'_>) -> Result<Box<dyn Kind>>;

/// One row per kind.
const KINDS: &[(&str, ParseKind)] = &[
    ("avg", stats::parse_avg),
    ("cardinality", cardinality::parse),
    ("date_histogram", date_histogram::parse),
    ("date_range", range::parse_date),
    ("filter", single::parse_filter),
    ("filters", filters::parse),
    ("global", single::parse_global),
    ("histogram", histogram::parse),
    ("max", stats::parse_max),
    ("min", stats::parse_min),
    ("missing", single::parse_missing),
    ("range", range::parse),
    ("stats", stats::parse_stats),
    ("sum", stats::parse_sum),
    ("terms", terms::parse),
    ("value_count", stats::parse_value_count),
];

/// The aggregations of a search, in the order of the response.
#[derive(Debug, Default)]
pub struct Aggs(pub(crate) Vec<Agg>);

/// One named aggregation with its sub-aggregations.
#[derive(Debug)]
pub struct Agg {
    pub(crate) name: String,
    pub(crate) type_name: &'static str,
    pub(crate) kind: Box<dyn Kind>,
    pub(crate) meta: Option<Value>,
    /// Shared with the collectors of shards, which rank buckets by them.
    pub(crate) subs: Arc<[Agg]>,
}

impl Aggs {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Agg {
    pub(crate) fn aggregator(&self, cx: &ShardContext) -> Result<Box<dyn Aggregator>> {
        self.kind.aggregator(self, cx)
    }
}

/// Parses the object under `aggs` or `aggregations`. `body` is the text that positions refer to.
pub fn parse(value: &Value, body: &[u8]) -> Result<Aggs> {
    Ok(Aggs(parse_level(value, body, 0)?))
}

fn parse_level(value: &Value, body: &[u8], depth: usize) -> Result<Vec<Agg>> {
    if depth > DEPTH_MAX {
        return Err(Error::new(ErrorKind::Parsing, format!("Aggregations are nested deeper than [{DEPTH_MAX}]")));
    }
    let Value::Object(map) = value else {
        return Err(Error::new(ErrorKind::Parsing, "Expected [START_OBJECT] under [aggs]"));
    };
    let mut aggs: Vec<Agg> = map.entries.iter().map(|entry| parse_named(entry, body, depth)).collect::<Result<_>>()?;
    sort_as_answered(&mut aggs);
    Ok(aggs)
}

/// The reference keeps what it merges in a hash map of Java, and answers in that map's order: by the slot of the name's hash
/// code, of as many slots as the number of names makes it grow to, and within a slot as the request has them.
fn sort_as_answered(aggs: &mut [Agg]) {
    const SLOTS_MIN: usize = 16;
    let mut slots = SLOTS_MIN;
    while aggs.len() > slots / 4 * 3 {
        slots *= 2;
    }
    aggs.sort_by_key(|agg| {
        let hash = agg.name.encode_utf16().fold(0u32, |hash, unit| hash.wrapping_mul(31).wrapping_add(u32::from(unit)));
        (hash ^ (hash >> 16)) as usize & (slots - 1)
    });
}

fn parse_named(entry: &Entry, body: &[u8], depth: usize) -> Result<Agg> {
    let name = &entry.key;
    if name.is_empty() || name.contains(['[', ']', '>']) {
        return Err(at(
            body,
            entry.key_pos,
            format!(
                "Invalid aggregation name [{name}]. Aggregation names can contain any character except '[', ']', and '>'"
            ),
        ));
    }
    let Value::Object(definition) = &entry.value else {
        return Err(at(
            body,
            entry.value_pos,
            format!(
                "Aggregation definition for [{name} starts with a [{}], expected a [START_OBJECT].",
                token_name(&entry.value)
            ),
        ));
    };
    let (mut kind, mut meta, mut subs) = (None::<(&'static str, Box<dyn Kind>)>, None, vec![]);
    for part in &definition.entries {
        match (part.key.as_str(), &part.value) {
            ("meta", Value::Object(_)) => meta = Some(part.value.clone()),
            ("aggs" | "aggregations", Value::Object(_)) => {
                if !subs.is_empty() {
                    return Err(at(
                        body,
                        part.value_pos,
                        format!("Found two sub aggregation definitions under [{name}]"),
                    ));
                }
                subs = parse_level(&part.value, body, depth + 1)?;
            }
            (type_name, Value::Object(map)) => {
                if let Some((first, _)) = kind {
                    return Err(at(
                        body,
                        part.value_pos,
                        format!("Found two aggregation type definitions in [{name}]: [{first}] and [{type_name}]"),
                    ));
                }
                let (known, parse) =
                    KINDS.iter().find(|(n, _)| *n == type_name).ok_or_else(|| unknown_kind(body, part, type_name))?;
                kind = Some((known, parse(map, &ParseContext { body, name, kind: known })?));
            }
            (key, value) => {
                return Err(at(
                    body,
                    part.value_pos,
                    format!("Expected [START_OBJECT] under [{key}], but got a [{}] in [{name}]", token_name(value)),
                ));
            }
        }
    }
    let Some((type_name, kind)) = kind else {
        return Err(at(body, entry.value_pos + 1, format!("Missing definition for aggregation [{name}]")));
    };
    if !subs.is_empty() && !kind.is_bucketing() {
        return Err(Error::new(
            ErrorKind::AggregationInitialization,
            format!("Aggregator [{name}] of type [{type_name}] cannot accept sub-aggregations"),
        ));
    }
    Ok(Agg { name: name.clone(), type_name, kind, meta, subs: subs.into() })
}

fn unknown_kind(body: &[u8], part: &Entry, type_name: &str) -> Error {
    let names = KINDS.iter().map(|(n, _)| *n);
    let suffix = did_you_mean::suffix(type_name, names);
    let (line, col) = line_col(body, part.value_pos);
    at(body, part.value_pos, format!("Unknown aggregation type [{type_name}]{suffix}")).caused_by(Error::new(
        ErrorKind::NamedObjectNotFound,
        format!("[{line}:{col}] unknown field [{type_name}]{suffix}"),
    ))
}

/// The reference allows `global` at the top only.
pub(crate) fn check_globals(agg: &Agg) -> Result<()> {
    for sub in agg.subs.iter() {
        if sub.kind.is_global() {
            return Err(Error::new(
                ErrorKind::AggregationExecution,
                format!(
                    "Aggregation [{}] cannot have a global sub-aggregation [{}]. Global aggregations can only be defined as top level aggregations",
                    agg.name, sub.name
                ),
            ));
        }
        check_globals(sub)?;
    }
    Ok(())
}

fn at(body: &[u8], pos: u32, reason: String) -> Error {
    let (line, col) = line_col(body, pos);
    Error::new(ErrorKind::Parsing, reason).with("line", line).with("col", col)
}

/// The reference's name for the token a value starts with.
fn token_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "VALUE_NULL",
        Value::Bool(_) => "VALUE_BOOLEAN",
        Value::Int(_) | Value::UInt(_) | Value::Float(_) | Value::BigInt(_) => "VALUE_NUMBER",
        Value::String(_) => "VALUE_STRING",
        Value::Array(_) => "START_ARRAY",
        Value::Object(_) => "START_OBJECT",
    }
}

/// Where a kind's parser stands, for its errors, and readers of single parameters.
pub(crate) struct ParseContext<'a> {
    pub(crate) body: &'a [u8],
    /// Name of the aggregation.
    pub(crate) name: &'a str,
    /// Type name of the aggregation.
    pub(crate) kind: &'static str,
}

impl ParseContext<'_> {
    #[cold]
    pub(crate) fn unknown_field(&self, entry: &Entry, known: &[&str]) -> Error {
        let (line, col) = line_col(self.body, entry.key_pos);
        let suffix = did_you_mean::suffix(&entry.key, known.iter().copied());
        Error::new(
            ErrorKind::XContentParse,
            format!("[{line}:{col}] [{}] unknown field [{}]{suffix}", self.kind, entry.key),
        )
    }

    /// The error of a parameter whose value is refused, with the refusal as its cause.
    #[cold]
    pub(crate) fn failed_field(&self, entry: &Entry, cause: Error) -> Error {
        let (line, col) = line_col(self.body, entry.value_pos);
        Error::new(
            ErrorKind::XContentParse,
            format!("[{line}:{col}] [{}] failed to parse field [{}]", self.kind, entry.key),
        )
        .caused_by(cause)
    }

    #[cold]
    pub(crate) fn wrong_type(&self, entry: &Entry) -> Error {
        let (line, col) = line_col(self.body, entry.value_pos);
        Error::new(
            ErrorKind::XContentParse,
            format!(
                "[{line}:{col}] [{}] {} doesn't support values of type: {}",
                self.kind,
                entry.key,
                token_name(&entry.value)
            ),
        )
    }

    pub(crate) fn string(&self, entry: &Entry) -> Result<String> {
        match &entry.value {
            Value::Null | Value::Array(_) | Value::Object(_) => Err(self.wrong_type(entry)),
            scalar => Ok(scalar.to_text()),
        }
    }

    pub(crate) fn bool(&self, entry: &Entry) -> Result<bool> {
        match &entry.value {
            Value::Bool(b) => Ok(*b),
            Value::String(s) if s == "true" || s == "false" => Ok(s == "true"),
            Value::String(s) => Err(self.failed_field(
                entry,
                Error::illegal_argument(format!("Failed to parse value [{s}] as only [true] or [false] are allowed.")),
            )),
            _ => Err(self.wrong_type(entry)),
        }
    }

    pub(crate) fn float(&self, entry: &Entry) -> Result<f64> {
        match &entry.value {
            Value::String(s) => s.trim().parse().map_err(|_| {
                self.failed_field(entry, Error::new(ErrorKind::NumberFormat, format!("For input string: \"{s}\"")))
            }),
            value => value.as_f64().ok_or_else(|| self.wrong_type(entry)),
        }
    }

    pub(crate) fn int(&self, entry: &Entry) -> Result<i64> {
        match &entry.value {
            Value::Int(i) => Ok(*i),
            Value::String(s) => s.trim().parse().map_err(|_| {
                self.failed_field(entry, Error::new(ErrorKind::NumberFormat, format!("For input string: \"{s}\"")))
            }),
            Value::Float(f) if f.fract() == 0.0 && f.abs() < 9e15 => Ok(*f as i64),
            _ => Err(self.wrong_type(entry)),
        }
    }

    /// An integer above zero, or the reference's refusal.
    pub(crate) fn positive(&self, entry: &Entry) -> Result<usize> {
        let value = self.int(entry)?;
        usize::try_from(value).ok().filter(|v| *v > 0 && *v <= i32::MAX as usize).ok_or_else(|| {
            let refusal = format!("[{}] must be greater than 0. Found [{value}] in [{}]", entry.key, self.name);
            self.failed_field(entry, Error::illegal_argument(refusal))
        })
    }

    /// An integer of zero or more, or the reference's refusal.
    pub(crate) fn not_negative(&self, entry: &Entry) -> Result<u64> {
        let value = self.int(entry)?;
        u64::try_from(value).map_err(|_| {
            let refusal =
                format!("[{}] must be greater than or equal to 0. Found [{value}] in [{}]", entry.key, self.name);
            self.failed_field(entry, Error::illegal_argument(refusal))
        })
    }
}
