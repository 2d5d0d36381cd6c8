//! The request's `aggs` object to a tree, and the table of kinds.

use super::composite_parents::{mark_below_many, note_nested, note_parent, passes};
use super::kind::Kind;
use super::pipeline::{self, PIPELINES, Pipeline};
use super::{
    adjacency_matrix, auto_date_histogram, cardinality, composite, date_histogram, deviation, extended_stats, family,
    filters, geo_distance, geo_grid, geo_metric, histogram, ip_range, matrix_stats, multi_terms, nested, percentiles,
    range, rare_terms, sampler, scripted_metric, significant_terms, significant_text, single, stats, terms, top_hits,
    variable_width_histogram, weighted_avg,
};
use crate::did_you_mean;
use crate::error::{Error, ErrorKind, Result};
use crate::java_order::sort_by_slot;
use crate::json::{Entry, Map, Value, line_col};
use crate::query::{Lookup, Node, Query, Source, document_script_of};
use crate::script::Script;
use std::ops::Deref;
use std::sync::Arc;

/// Deepest nesting of sub-aggregations.
const DEPTH_MAX: usize = 64;

/// Parses a kind's own object.
type ParseKind = fn(&Map, &ParseContext<'_>) -> Result<Box<dyn Kind>>;

/// The names of all kinds.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|(name, _)| *name)
}

/// One row per kind.
const KINDS: &[(&str, ParseKind)] = &[
    ("adjacency_matrix", adjacency_matrix::parse),
    ("auto_date_histogram", auto_date_histogram::parse),
    ("avg", stats::parse_avg),
    ("cardinality", cardinality::parse),
    ("children", family::parse_children),
    ("composite", composite::parse),
    ("date_histogram", date_histogram::parse),
    ("date_range", range::parse_date),
    ("diversified_sampler", sampler::parse_diversified),
    ("extended_stats", extended_stats::parse),
    ("filter", single::parse_filter),
    ("filters", filters::parse),
    ("geo_bounds", geo_metric::parse_bounds),
    ("geo_centroid", geo_metric::parse_centroid),
    ("geo_distance", geo_distance::parse),
    ("geohash_grid", geo_grid::parse_geohash),
    ("geotile_grid", geo_grid::parse_geotile),
    ("global", single::parse_global),
    ("histogram", histogram::parse),
    ("ip_range", ip_range::parse),
    ("matrix_stats", matrix_stats::parse),
    ("max", stats::parse_max),
    ("median_absolute_deviation", deviation::parse),
    ("min", stats::parse_min),
    ("missing", single::parse_missing),
    ("multi_terms", multi_terms::parse),
    ("nested", nested::parse),
    ("parent", family::parse_parent),
    ("percentile_ranks", percentiles::parse_ranks),
    ("percentiles", percentiles::parse_percentiles),
    ("range", range::parse),
    ("rare_terms", rare_terms::parse),
    ("reverse_nested", nested::parse_reverse),
    ("sampler", sampler::parse),
    ("scripted_metric", scripted_metric::parse),
    ("significant_terms", significant_terms::parse),
    ("significant_text", significant_text::parse),
    ("stats", stats::parse_stats),
    ("sum", stats::parse_sum),
    ("terms", terms::parse),
    ("top_hits", top_hits::parse),
    ("value_count", stats::parse_value_count),
    ("variable_width_histogram", variable_width_histogram::parse),
    ("weighted_avg", weighted_avg::parse),
];

/// The aggregations of a search, in the order of the response.
#[derive(Debug, Default)]
pub struct Aggs(pub(crate) Level);

/// What stands beside each other under one `aggs`.
#[derive(Debug, Default)]
pub(crate) struct Level {
    pub(crate) aggs: Vec<Agg>,
    /// In the order in which they are computed.
    pub(crate) pipelines: Vec<Pipeline>,
}

impl Level {
    /// Whether no pipeline stands here or anywhere below.
    pub(crate) fn is_plain(&self) -> bool {
        self.pipelines.is_empty() && self.aggs.iter().all(|agg| agg.subs.is_plain())
    }
}

impl Deref for Level {
    type Target = [Agg];

    fn deref(&self) -> &[Agg] {
        &self.aggs
    }
}

/// One named aggregation with its sub-aggregations.
#[derive(Debug)]
pub struct Agg {
    pub(crate) name: String,
    pub(crate) type_name: &'static str,
    pub(crate) kind: Box<dyn Kind>,
    pub(crate) meta: Option<Value>,
    /// Whether a query of it, or of one within it, is replaced before shards are asked.
    pub(crate) made_anew: bool,
    /// Where the request has it.
    pub(crate) place: u32,
    /// Of a composite: the kind of the nearest above that may have many buckets.
    pub(crate) below: Option<&'static str>,
    /// Whether the reference gathers it from slices of a shard.
    pub(crate) sliced: bool,
    /// Whether it stands below one that may have many buckets.
    pub(crate) below_many: bool,
    /// The name of the nearest `nested` above.
    pub(crate) nested_in: Option<Arc<str>>,
    /// Shared with the collectors of shards, which rank buckets by them.
    pub(crate) subs: Arc<Level>,
}

impl Aggs {
    pub fn is_empty(&self) -> bool {
        self.0.aggs.is_empty() && self.0.pipelines.is_empty()
    }

    /// The documents that queries of aggregations need to have read.
    pub fn lookups(&self) -> Vec<&Lookup> {
        self.queries().into_iter().flat_map(Query::lookups).collect()
    }

    /// The queries of all aggregations.
    pub fn queries(&self) -> Vec<&Query> {
        let mut queries = vec![];
        let mut open = vec![&self.0];
        while let Some(level) = open.pop() {
            for agg in &level.aggs {
                queries.extend(agg.kind.queries());
                open.push(&agg.subs);
            }
        }
        queries
    }

    /// Whether the reference searches a shard in slices for them.
    pub fn can_be_sliced(&self) -> bool {
        self.0.aggs.iter().all(|agg| agg.sliced)
    }

    /// Says that it does not, whatever they are: searches that may end early are whole.
    pub fn gather_whole(&mut self) {
        mark_sliced(&mut self.0, false);
    }
}

impl Level {
    /// Whether the reference can gather all of them from slices of a shard.
    fn can_be_sliced(&self) -> bool {
        let whole = |agg: &Agg| matches!(agg.type_name, "sampler" | "diversified_sampler" | "parent");
        !self.aggs.iter().any(|agg| whole(agg) || !agg.subs.can_be_sliced())
    }
}

/// Parses the object under `aggs` or `aggregations`. `body` is the text that positions refer to.
pub fn parse(value: &Value, body: &[u8]) -> Result<Aggs> {
    let mut level = parse_level(value, body, 0)?;
    pipeline::check_and_order(&mut level)?;
    if level.can_be_sliced() {
        mark_sliced(&mut level, true);
    }
    Ok(Aggs(level))
}

fn mark_sliced(level: &mut Level, sliced: bool) {
    for agg in &mut level.aggs {
        agg.sliced = sliced;
        // While a request is parsed nobody else knows its parts.
        if let Some(subs) = Arc::get_mut(&mut agg.subs) {
            mark_sliced(subs, sliced);
        }
    }
}

fn parse_level(value: &Value, body: &[u8], depth: usize) -> Result<Level> {
    if depth > DEPTH_MAX {
        return Err(Error::new(ErrorKind::Parsing, format!("Aggregations are nested deeper than [{DEPTH_MAX}]")));
    }
    let Value::Object(map) = value else {
        return Err(Error::new(ErrorKind::Parsing, "Expected [START_OBJECT] under [aggs]"));
    };
    let mut level = Level::default();
    for entry in &map.entries {
        match parse_named(entry, body, depth)? {
            Named::Agg(agg) => level.aggs.push(agg),
            Named::Pipeline(pipeline) => level.pipelines.push(pipeline),
        }
    }
    sort_as_answered(&mut level.aggs);
    Ok(level)
}

/// The reference merges by a hash map, whose order the answer has.
fn sort_as_answered(aggs: &mut [Agg]) {
    sort_by_slot(aggs, |agg| &agg.name);
}

enum Named {
    Agg(Agg),
    Pipeline(Pipeline),
}

/// What an aggregation's own object was read as.
enum Read {
    Kind(&'static str, Box<dyn Kind>),
    Pipeline(Pipeline),
}

impl Read {
    fn type_name(&self) -> &'static str {
        match self {
            Read::Kind(name, _) => name,
            Read::Pipeline(pipeline) => pipeline.type_name,
        }
    }
}

fn parse_named(entry: &Entry, body: &[u8], depth: usize) -> Result<Named> {
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
                entry.value.token()
            ),
        ));
    };
    let (mut read, mut meta, mut subs) = (None::<Read>, None, None);
    for part in &definition.entries {
        match (part.key.as_str(), &part.value) {
            ("meta", Value::Object(_)) => meta = Some(part.value.clone()),
            ("aggs" | "aggregations", Value::Object(_)) => {
                if subs.is_some() {
                    return Err(at(
                        body,
                        part.value_pos,
                        format!("Found two sub aggregation definitions under [{name}]"),
                    ));
                }
                subs = Some(parse_level(&part.value, body, depth + 1)?);
            }
            (type_name, Value::Object(map)) => {
                if let Some(first) = &read {
                    let first = first.type_name();
                    return Err(at(
                        body,
                        part.value_pos,
                        format!("Found two aggregation type definitions in [{name}]: [{first}] and [{type_name}]"),
                    ));
                }
                read = Some(parse_kind(part, map, name, body)?);
            }
            (key, value) => {
                return Err(at(
                    body,
                    part.value_pos,
                    format!("Expected [START_OBJECT] under [{key}], but got a [{}] in [{name}]", value.token()),
                ));
            }
        }
    }
    match read {
        None => {
            let end = end_of(body, entry.value_pos);
            Err(at(body, end, format!("Missing definition for aggregation [{name}]")))
        }
        Some(Read::Pipeline(_)) if subs.is_some() => {
            Err(at(body, entry.value_pos, format!("Aggregation [{name}] cannot define sub-aggregations")))
        }
        Some(Read::Pipeline(pipeline)) => Ok(Named::Pipeline(Pipeline { meta, ..pipeline })),
        Some(Read::Kind(type_name, kind)) => {
            let agg = with_subs(name, type_name, kind, meta, subs)?;
            Ok(Named::Agg(Agg { place: entry.key_pos, ..agg }))
        }
    }
}

fn parse_kind(part: &Entry, map: &Map, name: &str, body: &[u8]) -> Result<Read> {
    let type_name = part.key.as_str();
    if let Some((known, parse)) = KINDS.iter().find(|(n, _)| *n == type_name) {
        // The filter is its object as a whole, which kinds do not see the place of.
        if *known == "filter" {
            let query = crate::query::parse_at(&part.value, body, part.value_pos)?;
            return Ok(Read::Kind(known, Box::new(single::filter(query))));
        }
        let at_end = |error| super::declared::at_end_of(error, body, part.value_pos);
        return Ok(Read::Kind(known, parse(map, &ParseContext { body, name, kind: known }).map_err(at_end)?));
    }
    match PIPELINES.iter().find(|(n, _)| *n == type_name) {
        Some((known, read)) => pipeline::parse(known, *read, map, name, body, part.value_pos).map(Read::Pipeline),
        None => Err(unknown_kind(body, part, type_name)),
    }
}

/// Metrics that aggregations may stand below, though nothing becomes of them.
const BARREN: &[&str] = &["geo_bounds", "scripted_metric"];

fn with_subs(
    name: &str,
    type_name: &'static str,
    kind: Box<dyn Kind>,
    meta: Option<Value>,
    subs: Option<Level>,
) -> Result<Agg> {
    let mut subs = subs.unwrap_or_default();
    let has_subs = !subs.aggs.is_empty() || !subs.pipelines.is_empty();
    if has_subs && !kind.is_bucketing() && !BARREN.contains(&type_name) {
        return Err(Error::new(
            ErrorKind::AggregationInitialization,
            format!("Aggregator [{name}] of type [{type_name}] cannot accept sub-aggregations"),
        ));
    }
    // Where the reference replaces a query it makes the aggregations around it anew, and those always have metadata.
    let anew = kind.queries().into_iter().any(Query::is_replaced) || subs.aggs.iter().any(|sub| sub.made_anew);
    let meta = meta.or_else(|| anew.then(|| Value::Object(Map::new())));
    if !passes(type_name) {
        note_parent(&mut subs, type_name);
    }
    if kind.collects_many() {
        mark_below_many(&mut subs);
    }
    if type_name == "nested" {
        note_nested(&mut subs, &name.into());
    }
    let (name, subs) = (name.to_owned(), subs.into());
    Ok(Agg {
        name,
        type_name,
        kind,
        meta,
        made_anew: anew,
        place: 0,
        below: None,
        sliced: false,
        below_many: false,
        nested_in: None,
        subs,
    })
}

fn unknown_kind(body: &[u8], part: &Entry, type_name: &str) -> Error {
    let names = KINDS.iter().map(|(n, _)| *n).chain(PIPELINES.iter().map(|(n, _)| *n));
    let suffix = did_you_mean::suffix(type_name, names);
    let (line, col) = line_col(body, part.value_pos);
    at(body, part.value_pos, format!("Unknown aggregation type [{type_name}]{suffix}"))
        .caused_by(Error::new(ErrorKind::NamedObjectNotFound, format!("[{line}:{col}] unknown field [{type_name}]")))
}

/// An error at a place of the body.
pub(crate) fn at(body: &[u8], pos: u32, reason: String) -> Error {
    let (line, col) = line_col(body, pos);
    Error::new(ErrorKind::Parsing, reason).with("line", line).with("col", col).at(pos)
}

/// Where the bracket stands that closes the one at `start`; `start` itself where there is none.
pub(crate) fn end_of(body: &[u8], start: u32) -> u32 {
    closing(body, start, 0, 0)
}

/// Where the `n`th bracket (from 0) stands that leads back to `level` of nesting.
fn closing(body: &[u8], start: u32, level: i32, n: usize) -> u32 {
    let (mut depth, mut seen, mut quoted, mut escaped) = (0, 0, false, false);
    for (i, byte) in body.iter().enumerate().skip(start as usize) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'[' | b'{' => depth += 1,
            b']' | b'}' => {
                depth -= 1;
                if depth == level && seen == n || depth <= 0 {
                    return i as u32;
                }
                seen += usize::from(depth == level);
            }
            _ => {}
        }
    }
    start
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
        // Old names are known too.
        let old = known.contains(&"value_type").then_some("valueType");
        let others = known.iter().copied().filter(|name| *name != entry.key);
        let suffix = did_you_mean::suffix(&entry.key, others.chain(old));
        Error::new(
            ErrorKind::XContentParse,
            format!("[{line}:{col}] [{}] unknown field [{}]{suffix}", self.kind, entry.key),
        )
        .at(entry.value_pos)
    }

    /// The error of a parameter whose value is refused, with the refusal as its cause.
    #[cold]
    pub(crate) fn failed_field(&self, entry: &Entry, cause: Error) -> Error {
        self.failed_at(entry, entry.value_pos, cause)
    }

    /// The same, standing at the end of the value: the reference refuses a whole object or array once it has read it.
    #[cold]
    pub(crate) fn failed_at_end(&self, entry: &Entry, cause: Error) -> Error {
        self.failed_at(entry, end_of(self.body, entry.value_pos), cause)
    }

    /// The same, standing at the end of an object in an array.
    #[cold]
    pub(crate) fn failed_item(&self, entry: &Entry, item: usize, cause: Error) -> Error {
        self.failed_at(entry, closing(self.body, entry.value_pos, 1, item), cause)
    }

    /// The same, standing where the cause does, or else at the end of the value.
    #[cold]
    pub(crate) fn failed_inside(&self, entry: &Entry, cause: Error) -> Error {
        let pos = match &entry.value {
            Value::Array(_) | Value::Object(_) => end_of(self.body, entry.value_pos),
            _ => entry.value_pos,
        };
        self.failed_at(entry, cause.place().unwrap_or(pos), cause)
    }

    fn failed_at(&self, entry: &Entry, pos: u32, cause: Error) -> Error {
        let (line, col) = line_col(self.body, pos);
        let reason = format!("[{line}:{col}] [{}] failed to parse field [{}]", self.kind, entry.key);
        Error::new(ErrorKind::XContentParse, reason).caused_by(cause).at(pos)
    }

    /// Reads a value by a parser of another name, whose errors are the causes of this one's.
    pub(crate) fn inside<T>(
        &self,
        entry: &Entry,
        parser: &'static str,
        read: impl FnOnce(&ParseContext<'_>) -> Result<T>,
    ) -> Result<T> {
        let inner = ParseContext { body: self.body, name: self.name, kind: parser };
        read(&inner).map_err(|cause| self.failed_inside(entry, cause))
    }

    /// Reads what stands in a list, or the one thing instead of it.
    pub(crate) fn list<T>(&self, entry: &Entry, read: impl FnMut(Node) -> Result<T>) -> Result<Vec<T>> {
        crate::query::declared::list(Node::of_entry(entry, &Source::new(self.body)), read)
    }

    /// The same where lists may stand in it.
    pub(crate) fn items<T>(&self, entry: &Entry, read: impl FnMut(Node) -> Result<T>) -> Result<Vec<T>> {
        Node::of_entry(entry, &Source::new(self.body)).items().map(read).collect()
    }

    /// Reads a script, which warnings call so.
    pub(crate) fn script(&self, entry: &Entry, called: &str) -> Result<Arc<Script>> {
        if !matches!(entry.value, Value::String(_) | Value::Object(_)) {
            return Err(self.wrong_type(entry));
        }
        document_script_of(Node::of_entry(entry, &Source::new(self.body)), called)
            .map_err(|cause| self.failed_inside(entry, cause))
    }

    /// Reads a query.
    pub(crate) fn query(&self, value: &Value, pos: u32) -> Result<Query> {
        crate::query::parse_at(value, self.body, pos)
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
                entry.value.token()
            ),
        )
        .at(entry.value_pos)
    }

    /// A text that may not be written as anything else.
    pub(crate) fn text(&self, entry: &Entry) -> Result<String> {
        match &entry.value {
            Value::String(text) => Ok(text.clone()),
            _ => Err(self.wrong_type(entry)),
        }
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
            // No text is false.
            Value::String(s) if matches!(s.as_str(), "true" | "false" | "") => Ok(s == "true"),
            Value::String(s) => Err(self.failed_field(
                entry,
                Error::illegal_argument(format!("Failed to parse value [{s}] as only [true] or [false] are allowed.")),
            )),
            _ => Err(self.wrong_type(entry)),
        }
    }

    /// A number, or a text of one.
    pub(crate) fn number<T>(&self, entry: &Entry, read: impl FnOnce(Node) -> Result<T>) -> Result<T> {
        if matches!(entry.value, Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_)) {
            return Err(self.wrong_type(entry));
        }
        read(Node::of_entry(entry, &Source::new(self.body))).map_err(|cause| self.failed_field(entry, cause))
    }

    pub(crate) fn float(&self, entry: &Entry) -> Result<f64> {
        self.number(entry, |node| node.f64())
    }

    /// Of 32 bits.
    pub(crate) fn int(&self, entry: &Entry) -> Result<i64> {
        self.number(entry, |node| node.i32()).map(i64::from)
    }

    /// An integer above zero, or the reference's refusal.
    pub(crate) fn positive(&self, entry: &Entry) -> Result<usize> {
        self.positive_as(entry, &entry.key)
    }

    /// The same for a parameter that the refusal calls otherwise.
    pub(crate) fn positive_as(&self, entry: &Entry, name: &str) -> Result<usize> {
        let value = self.int(entry)?;
        usize::try_from(value).ok().filter(|v| *v > 0 && *v <= i32::MAX as usize).ok_or_else(|| {
            let refusal = format!("[{name}] must be greater than 0. Found [{value}] in [{}]", self.name);
            self.failed_field(entry, Error::illegal_argument(refusal))
        })
    }

    /// An integer of zero or more, or the reference's refusal, which may call the parameter otherwise.
    pub(crate) fn not_negative_as(&self, entry: &Entry, name: &str) -> Result<u64> {
        let value = self.int(entry)?;
        self.above_minus_one(entry, name, value)
    }

    /// The same of 64 bits.
    pub(crate) fn not_negative_long_as(&self, entry: &Entry, name: &str) -> Result<u64> {
        let value = self.number(entry, |node| node.i64())?;
        self.above_minus_one(entry, name, value)
    }

    fn above_minus_one(&self, entry: &Entry, name: &str, value: i64) -> Result<u64> {
        u64::try_from(value).map_err(|_| {
            let refusal = format!("[{name}] must be greater than or equal to 0. Found [{value}] in [{}]", self.name);
            self.failed_field(entry, Error::illegal_argument(refusal))
        })
    }
}
