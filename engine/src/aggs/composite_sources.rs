//! The sources of a composite: terms, histogram, date_histogram, geotile_grid.

use super::date_histogram::parse_zone;
use super::date_interval::{Given, parse_offset, two_intervals};
use super::format::Format;
use super::geo_grid::{ZOOM_DEFAULT, parse_bounds, parse_precision};
use super::keys::KeySource;
use super::parse::ParseContext;
use super::partial::Key;
use super::rounding::Rounding;
use super::source::SourceConfig;
use super::source_config::{VALUE_TYPES, parse_boolean, plain_number};
use crate::error::{Error, ErrorKind, Result};
use crate::geo::Grid;
use crate::json::{Entry, Map, Value};
use crate::mapping::{Family, java_text};
use crate::query::{InBox, Node, ShardContext};
use crate::score::{Plan, ValueTest};
use jiff::tz::TimeZone;
use std::cmp::Ordering;

/// Sources of one composite: a bit of a word for each.
const SOURCES_MAX: usize = 64;

#[derive(Debug)]
pub(crate) struct CompositeSource {
    pub(crate) name: String,
    pub(crate) config: SourceConfig,
    pub(crate) descending: bool,
    /// Whether documents without a value count too.
    pub(crate) missing_bucket: bool,
    missing_order: MissingOrder,
    shape: Shape,
    /// Whether the request names a format, which keys then have.
    formatted: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum MissingOrder {
    First,
    Last,
    /// Before all values when ascending, behind them when descending.
    Default,
}

#[derive(Debug)]
enum Shape {
    Terms,
    Histogram(f64),
    DateHistogram(Rounding),
    /// An interval that each shard refuses.
    NoInterval(Error),
    Tiles {
        zoom: u8,
        bounds: Option<InBox>,
    },
}

pub(crate) fn parse_sources(items: &[Value], entry: &Entry, cx: &ParseContext<'_>) -> Result<Vec<CompositeSource>> {
    let refuse = |reason: String| {
        let build =
            Error::new(ErrorKind::XContentParse, "Failed to build [composite] after last required field arrived")
                .caused_by(Error::illegal_argument(reason));
        cx.failed_at_end(entry, build)
    };
    if items.is_empty() {
        return Err(refuse("Composite [sources] cannot be null or empty".into()));
    }
    if items.len() > SOURCES_MAX {
        return Err(refuse(format!("Composite [sources] cannot have more than [{SOURCES_MAX}] sources")));
    }
    let sources = cx.list(entry, |item| parse_source(item, entry, cx));
    let sources = sources.map_err(|cause| match cause.kind() {
        ErrorKind::IllegalState => cx.failed_inside(entry, cause),
        _ => cause,
    })?;
    let mut names: Vec<&str> = sources.iter().map(|s| s.name.as_str()).collect();
    names.sort_unstable();
    if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(refuse(format!("Composite source names must be unique, found duplicates: [{}]", twice[0])));
    }
    Ok(sources)
}

/// `{"name": {"terms": {…}}}`.
fn parse_source(item: Node, entry: &Entry, cx: &ParseContext<'_>) -> Result<CompositeSource> {
    let failed = |cause| cx.failed_inside(entry, cause);
    let (name, named) = first(item).map_err(failed)?;
    let (kind, parameters) = first(named).map_err(failed)?;
    let Some(parser) = KINDS.iter().find(|known| **known == kind) else {
        return Err(failed(parameters.error(format!("invalid source type: {kind}"))));
    };
    let map = parameters.object().ok_or_else(|| {
        let found = parameters.token();
        let reason = format!("Failed to parse object: expecting token of type [START_OBJECT] but found [{found}]");
        failed(parameters.error_at(parameters.pos(), reason))
    })?;
    let source = cx.inside(entry, parser, |inner| {
        parse_parameters(name, kind, map, inner).map_err(|error| error.at(parameters.end_pos()))
    })?;
    // What stands beside a source is only come upon behind it.
    check_alone(item, named).map_err(failed)?;
    Ok(source)
}

const FIELDS: &[&str] = &["field", "order", "missing_bucket", "missing_order"];

const KINDS: [&str; 4] = ["terms", "histogram", "date_histogram", "geotile_grid"];

fn unexpected(node: Node, pos: u32, wanted: &str, found: &str) -> Error {
    let reason = format!("Failed to parse object: expecting token of type [{wanted}] but found [{found}]");
    node.error_at(pos, reason)
}

/// The first field of an object, which is to be its only one.
fn first<'n>(node: Node<'n>) -> Result<(&'n str, Node<'n>)> {
    if node.object().is_none() {
        return Err(unexpected(node, node.pos(), "START_OBJECT", node.token()));
    }
    match node.fields().next() {
        Some(field) => Ok((field.key, field.node)),
        None => Err(unexpected(node, node.end_pos(), "FIELD_NAME", "END_OBJECT")),
    }
}

/// What stands beside a source is read in the place of the two ends behind it, and the list goes on with what comes then.
fn check_alone(item: Node, named: Node) -> Result<()> {
    let (at, token) = match (named.fields().nth(1), item.fields().nth(1)) {
        (Some(second), _) if second.node.object().is_some() => second
            .node
            .fields()
            .next()
            .map_or_else(|| (second.node.end_pos(), "END_OBJECT"), |field| (field.key_pos, "FIELD_NAME")),
        (Some(second), _) => second.node.after(),
        (None, Some(second)) if second.node.object().is_some() => {
            let (_, inner) = first(second.node)?;
            let (_, parameters) = first(inner)?;
            if parameters.object().is_none() {
                return Err(unexpected(item, parameters.pos(), "START_OBJECT", parameters.token()));
            }
            return Err(unexpected(item, second.key_pos, "END_OBJECT", "FIELD_NAME"));
        }
        (None, Some(second)) => (second.node.pos(), second.node.token()),
        (None, None) => return Ok(()),
    };
    Err(match token.starts_with("VALUE_") {
        true => unexpected(item, at, "START_OBJECT", token),
        false => Error::new(ErrorKind::IllegalState, format!("expected value but got [{token}]")).at(at),
    })
}

fn parse_parameters(name: &str, kind: &str, map: &Map, cx: &ParseContext<'_>) -> Result<CompositeSource> {
    let mut config = SourceConfig::default();
    let (mut descending, mut missing_bucket, mut missing_order) = (false, false, MissingOrder::Default);
    // Without a width all values fall into one bucket, which has no number.
    let (mut width, mut interval, mut offset_ms) = (0.0, Given::Nothing, 0);
    let (mut zoom, mut bounds, mut interval_key) = (ZOOM_DEFAULT, None, None);
    for field in &map.entries {
        match (field.key.as_str(), kind) {
            ("order", _) => descending = parse_order(field, cx)?,
            ("missing_bucket", _) => missing_bucket = cx.bool(field)?,
            ("missing_order", _) => missing_order = parse_missing_order(field, cx)?,
            ("interval", "histogram") => {
                let given = cx.float(field)?;
                if given.is_nan() || given <= 0.0 {
                    let refusal = "[interval] must be greater than 0 for [histogram] source";
                    return Err(cx.failed_field(field, Error::illegal_argument(refusal)));
                }
                width = given;
            }
            ("interval" | "calendar_interval" | "fixed_interval", "date_histogram") => {
                if let Some(first) = interval_key.replace(field.key.as_str()) {
                    return Err(cx.failed_field(field, two_intervals(&field.key, first)));
                }
                interval = Given::parse(field, cx)?;
            }
            ("offset", "date_histogram") => offset_ms = parse_offset(field, cx)?,
            ("precision", "geotile_grid") => zoom = parse_precision(Grid::Tiles, field, cx)?,
            ("bounds", "geotile_grid") => bounds = Some(InBox::new(parse_bounds(field, cx)?)),
            // A source without a value has a bucket of its own, and only dates are shown in a way that is chosen.
            ("missing", _) => return Err(cx.unknown_field(field, FIELDS)),
            ("format", kind) if kind != "date_histogram" => return Err(cx.unknown_field(field, FIELDS)),
            ("value_type" | "valueType", _) if !VALUE_TYPES.contains(&&*cx.text(field)?) => {
                let refusal = "[userValueTypeHint] must not be null";
                return Err(cx.failed_field(field, Error::illegal_argument(refusal)));
            }
            _ if config.accept(field, cx)? => {}
            _ => return Err(cx.unknown_field(field, FIELDS)),
        }
    }
    let shape = match kind {
        "terms" => Shape::Terms,
        "geotile_grid" => Shape::Tiles { zoom, bounds },
        "histogram" => Shape::Histogram(width),
        _ => {
            let zone = config.time_zone.as_deref().map(parse_zone).transpose()?.unwrap_or(TimeZone::UTC);
            match interval.interval() {
                Ok(interval) => Shape::DateHistogram(Rounding::new(interval, zone, offset_ms)),
                Err(refusal) => Shape::NoInterval(refusal),
            }
        }
    };
    let formatted = config.format.is_some();
    Ok(CompositeSource { name: name.to_owned(), config, descending, missing_bucket, missing_order, shape, formatted })
}

fn parse_order(field: &Entry, cx: &ParseContext<'_>) -> Result<bool> {
    let Value::String(text) = &field.value else { return Err(cx.wrong_type(field)) };
    match text.to_ascii_lowercase().as_str() {
        "asc" => Ok(false),
        "desc" => Ok(true),
        other => Err(cx.failed_field(
            field,
            Error::illegal_argument(format!(
                "No enum constant org.opensearch.search.sort.SortOrder.{}",
                other.to_uppercase()
            )),
        )),
    }
}

fn parse_missing_order(field: &Entry, cx: &ParseContext<'_>) -> Result<MissingOrder> {
    let Value::String(text) = &field.value else { return Err(cx.wrong_type(field)) };
    match text.to_ascii_lowercase().as_str() {
        "first" => Ok(MissingOrder::First),
        "last" => Ok(MissingOrder::Last),
        "default" => Ok(MissingOrder::Default),
        other => {
            const CLASS: &str = "org.opensearch.search.aggregations.bucket.missing.MissingOrder";
            let refusal = format!("No enum constant {CLASS}.{}", other.to_uppercase());
            Err(cx.failed_field(field, Error::illegal_argument(refusal)))
        }
    }
}

impl CompositeSource {
    /// The aggregation whose values it takes.
    pub(crate) fn kind(&self) -> &'static str {
        match self.shape {
            Shape::Terms => "terms",
            Shape::Histogram(_) => "histogram",
            Shape::DateHistogram(_) | Shape::NoInterval(_) => "date_histogram",
            Shape::Tiles { .. } => "geotile_grid",
        }
    }

    /// Whether the reference goes through the points of the field instead of documents: of dates, if the search asks for nothing
    /// but them.
    pub(crate) fn reads_points(&self, cx: &ShardContext) -> bool {
        let field = self.config.field.as_deref().and_then(|name| cx.mapping.field(name));
        let dates = field.filter(|field| field.family() == Family::Date && !self.missing_bucket);
        let (Some(field), Shape::DateHistogram(_)) = (dates, &self.shape) else { return false };
        match cx.search.as_ref().and_then(|search| search.query.as_ref()) {
            None => true,
            Some(_) if cx.sees_all => true,
            Some(query) if query.is_match_all() => false,
            Some(query) => match query.shard_plan(cx) {
                Ok(Plan::All) => true,
                Ok(Plan::Points(points)) => points.field == field.name,
                _ => false,
            },
        }
    }

    /// Whether a shard can make buckets of it.
    pub(crate) fn check(&self) -> Result<()> {
        match &self.shape {
            Shape::NoInterval(refusal) => Err(refusal.clone()),
            _ => Ok(()),
        }
    }

    /// Where no value makes a bucket there is none to be put in order.
    pub(crate) fn check_order(&self) -> Result<()> {
        match self.missing_bucket || self.missing_order == MissingOrder::Default {
            true => Ok(()),
            false => Err(Error::illegal_argument("missing_order require missing_bucket is true")),
        }
    }

    /// How no value compares with a value, in the order of the answer.
    pub(crate) fn missing_order(&self) -> Ordering {
        match (self.missing_order, self.descending) {
            (MissingOrder::First, _) | (MissingOrder::Default, false) => Ordering::Less,
            (MissingOrder::Last, _) | (MissingOrder::Default, true) => Ordering::Greater,
        }
    }

    /// Rounds a document's values to keys, where that needs no decoding.
    pub(crate) fn round(&self, column: &KeySource, codes: &mut Vec<i64>) {
        match &self.shape {
            Shape::DateHistogram(_) => self.round_each(column, codes),
            Shape::Tiles { zoom, bounds } => {
                codes.retain(|place| bounds.as_ref().is_none_or(|bounds| bounds.number(*place)));
                // Several places in one tile count each, as they do in the reference.
                codes.iter_mut().for_each(|place| *place = Grid::Tiles.cell_of(*place, *zoom));
            }
            Shape::Terms | Shape::Histogram(_) | Shape::NoInterval(_) => {}
        }
    }

    /// Whether [`CompositeSource::round_each`] is all there is to rounding: no value is left out.
    pub(crate) fn keeps_values(&self) -> bool {
        !matches!(self.shape, Shape::Tiles { .. })
    }

    /// Whether each key has one code, and they have the same order: doubles have two zeros, several values fall into one bucket
    /// of a histogram, and the ordinals of a script have no order.
    pub(crate) fn has_ordered_codes(&self, column: &KeySource) -> bool {
        let source = &column.source;
        !matches!(self.shape, Shape::Histogram(_))
            && (source.is_bytes() || source.is_integral())
            && !source.is_scripted()
    }

    /// Rounds one value of each of many documents.
    pub(crate) fn round_each(&self, column: &KeySource, codes: &mut [i64]) {
        let Shape::DateHistogram(rounding) = &self.shape else { return };
        let source = &column.source;
        // Of fractions the whole part is a time.
        let ms = |code: i64| if source.is_integral() { code } else { source.decode(code) as i64 };
        codes.iter_mut().for_each(|code| *code = rounding.round(ms(*code)));
    }

    /// The key of a code.
    pub(crate) fn key(&self, column: &KeySource, code: i64) -> Key {
        match &self.shape {
            Shape::Terms => column.key(code),
            Shape::DateHistogram(_) | Shape::NoInterval(_) | Shape::Tiles { .. } => Key::Long(code),
            Shape::Histogram(width) => {
                let key = (column.source.decode(code) / width).floor() * width;
                // There are several NaN, which are one bucket.
                Key::Double(if key.is_nan() { f64::NAN } else { key })
            }
        }
    }

    /// Whether values are dates, unless the request says what they are.
    fn takes_dates(&self, column: &KeySource) -> bool {
        let said = self.config.value_type.as_deref();
        said.map_or_else(|| column.source.is_date(), |name| name == "date" && !column.source.is_bytes())
    }

    /// How keys are shown. Dates are milliseconds unless a format is asked for.
    pub(crate) fn format(&self, column: &KeySource) -> Format {
        match &self.shape {
            Shape::Tiles { .. } => Format::Cell(Grid::Tiles),
            Shape::Terms if !self.takes_dates(column) => column.source.format().clone(),
            Shape::Histogram(_) if column.source.is_date() => column.source.format().clone(),
            _ if self.formatted => column.source.format().clone(),
            _ => Format::Raw,
        }
    }

    /// A value of `after`, as this source's keys are.
    pub(crate) fn parse_after(&self, value: &Value, column: &KeySource) -> Result<Key> {
        let source = &column.source;
        match &self.shape {
            Shape::Tiles { .. } => return parse_tile(value),
            Shape::Terms if source.is_bytes() || !source.is_mapped() && self.config.are_texts() => {
                return parse_text(value, column);
            }
            Shape::Terms
                if source.field_name().is_none() && !source.is_scripted() && self.config.value_type.is_some() =>
            {
                return self.parse_after_unmapped(value);
            }
            // Keys without a format of the request are milliseconds, whatever the field's own format reads.
            Shape::DateHistogram(_) if !self.formatted => return parse_long(value),
            Shape::Terms if self.takes_dates(column) && !self.formatted => return parse_long(value),
            Shape::Terms if source.is_date() => return source.parse_bound(value).map(|ms| Key::Long(ms as i64)),
            Shape::DateHistogram(_) => {
                let value = if let Value::Float(_) = value { &Value::from(java_text(value)) } else { value };
                return source.parse_bound(value).map(|ms| Key::Long(ms as i64));
            }
            Shape::Terms if source.is_integral() => {}
            _ => return source.parse_bound(value).map(Key::Double),
        }
        let number = source.parse_number(value).map(|number| source.number_key(number));
        let is_plain = source.is_whole_numbers() && !source.is_boolean() && value.as_f64().is_none();
        number.map_err(|refused| if is_plain { no_number(value) } else { refused })
    }
}

impl CompositeSource {
    /// The same of a field that no mapping knows, whose values the request says to be numbers.
    fn parse_after_unmapped(&self, value: &Value) -> Result<Key> {
        match self.config.value_type.as_deref() {
            Some("boolean") => parse_boolean(value).map(Key::Long),
            _ => plain_number(value).map(Key::Double),
        }
    }
}

/// The number of a tile, or its name.
fn parse_tile(value: &Value) -> Result<Key> {
    if let Some(number) = value.as_f64() {
        return Ok(Key::Long(value.as_i64().unwrap_or(number as i64)));
    }
    let name = value.to_text();
    Grid::parse_tile(&name).map(Key::Long).ok_or_else(|| {
        let rule = "Must be three integers in a form \"zoom/x/y\".";
        Error::illegal_argument(format!("Invalid geotile_grid hash string of {name}. {rule}"))
    })
}

fn parse_text(value: &Value, column: &KeySource) -> Result<Key> {
    let class = match value {
        Value::Bool(_) => "Boolean",
        Value::Int(number) if i32::try_from(*number).is_ok() => "Integer",
        Value::Int(_) => "Long",
        Value::Float(_) => "Double",
        _ => return column.source.parse_bytes(value).map(|bytes| Key::Bytes(bytes.into())),
    };
    Err(Error::illegal_argument(format!("invalid value, expected string, got {class}")))
}

/// A whole number; of a fraction the whole part.
fn parse_long(value: &Value) -> Result<Key> {
    let text = value.to_text();
    let number = text.parse().ok().or_else(|| text.parse::<f64>().ok().map(|number| number.floor() as i64));
    number.map(Key::Long).ok_or_else(|| no_number(value))
}

#[cold]
fn no_number(value: &Value) -> Error {
    Error::new(ErrorKind::NumberFormat, format!("For input string: \"{}\"", value.to_text()))
}

#[cfg(test)]
mod tests {
    use crate::search::tests::{search, shard};

    #[test]
    fn documents_count_for_each_of_their_values_but_once_a_day_where_points_are_read() {
        let mapping = r#"{"properties":{"n":{"type":"integer"},"d":{"type":"date"}}}"#;
        let cx = shard(mapping, &[&[r#"{"n":[7,7,8],"d":["2020-01-01","2020-01-01T02:00:00Z"]}"#]]);
        let expect = |query: &str, source: &str, count: u32| {
            let agg = format!(r#"{{"composite":{{"sources":[{{"s":{source}}}]}}}}"#);
            let answer = search(&cx, &format!(r#"{{"size":0{query},"aggs":{{"a":{agg}}}}}"#));
            assert!(answer.contains(&format!(r#""doc_count":{count}}}"#)), "{answer}");
        };
        let days = r#"{"date_histogram":{"field":"d","fixed_interval":"1d"}}"#;
        expect("", r#"{"histogram":{"field":"n","interval":10}}"#, 3);
        expect("", days, 1);
        expect(r#","query":{"exists":{"field":"n"}}"#, days, 2);
    }
}
