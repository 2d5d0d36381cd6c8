//! `sort` of a request.

use super::geo_sort::GeoDistanceSort;
use super::nested_sort::{NestedSort, Nesting};
use super::script_sort::ScriptSort;
use crate::deprecated::{note, note_renamed};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::query::Node;
use crate::query::declared::{Declared, OBJECT, SCALAR, STRING};

/// One sort key.
#[derive(Clone, Debug, PartialEq)]
pub struct Sort {
    pub by: SortBy,
    pub descending: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum SortBy {
    Script(ScriptSort),
    Score,
    Doc,
    /// The place in the index, told apart over shards: for searches of a point in time.
    ShardDoc,
    GeoDistance(GeoDistanceSort),
    Field(FieldSort),
}

/// A sort by the values of a field.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldSort {
    pub name: String,
    pub missing: Missing,
    pub mode: Option<Mode>,
    pub unmapped_type: Option<String>,
    pub numeric_type: Option<NumericType>,
    pub nested: Option<NestedSort>,
}

/// Where documents without a value stand.
#[derive(Clone, Debug, PartialEq)]
pub enum Missing {
    /// Nothing was said: last.
    Unset,
    Last,
    First,
    Value(Value),
}

/// Which of several values counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mode {
    Min,
    Max,
    Sum,
    Avg,
    Median,
}

/// What numbers of different types are compared as.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NumericType {
    Long,
    Double,
    Date,
    DateNanos,
}

impl NumericType {
    /// The type of field whose values are compared as they are.
    pub fn type_name(self) -> &'static str {
        match self {
            Self::Long => "long",
            Self::Double => "double",
            Self::Date => "date",
            Self::DateNanos => "date_nanos",
        }
    }
}

impl Sort {
    pub fn by_name(name: &str) -> Self {
        match name {
            "_score" => Self { by: SortBy::Score, descending: true },
            "_doc" => Self { by: SortBy::Doc, descending: false },
            name => Self::by_field(name),
        }
    }

    /// By the key of an object, which alone can mean the places of documents in a point in time.
    fn by_key(key: &str) -> Self {
        match key {
            "_shard_doc" => Self { by: SortBy::ShardDoc, descending: false },
            name => Self::by_name(name),
        }
    }

    fn by_field(name: &str) -> Self {
        Self {
            by: SortBy::Field(FieldSort {
                name: name.to_owned(),
                missing: Missing::Unset,
                mode: None,
                unmapped_type: None,
                numeric_type: None,
                nested: None,
            }),
            descending: false,
        }
    }

    /// Which nested documents count, where it goes by such.
    pub fn nested(&self) -> Option<&NestedSort> {
        match &self.by {
            SortBy::Field(field) => field.nested.as_ref(),
            SortBy::Script(script) => script.nested.as_ref(),
            SortBy::GeoDistance(distance) => distance.nested.as_ref(),
            SortBy::Score | SortBy::Doc | SortBy::ShardDoc => None,
        }
    }

    /// Whether documents without a value stand first.
    pub fn null_first(&self) -> bool {
        matches!(&self.by, SortBy::Field(field) if field.missing == Missing::First)
    }
}

/// Each hit keeps the values of all of them.
const SORTS_MAX: usize = 1_000;

/// The sort keys of a request, as they were given: see [`simplified`].
pub fn parse(node: Node) -> Result<Vec<Sort>> {
    let mut sorts = Vec::new();
    match node.value {
        Value::Object(_) => parse_object(node, &mut sorts)?,
        Value::Array(_) => {
            for item in node.items() {
                match item.value {
                    Value::Object(_) => parse_object(item, &mut sorts)?,
                    Value::String(name) => sorts.push(Sort::by_name(name)),
                    _ => {
                        let reason =
                            "malformed sort format, within the sort array, an object, or an actual string are allowed";
                        return Err(Error::illegal_argument(reason).at(item.pos()));
                    }
                }
            }
        }
        Value::Null => return Err(node.error("Unknown key for a VALUE_NULL in [sort].")),
        _ => sorts.push(Sort::by_name(&node.text()?)),
    }
    if sorts.len() > SORTS_MAX {
        let reason = format!("a request may sort by at most [{SORTS_MAX}] keys but sorts by [{}]", sorts.len());
        return Err(Error::illegal_argument(reason));
    }
    Ok(sorts)
}

/// From the URL: `field`, `field:asc`, `field:desc`, separated by commas. What else stands behind a colon is part of nothing.
fn from_param(text: &str) -> Vec<Sort> {
    let mut sorts = Vec::new();
    // Between commas stands a name, though it be empty; commas at the end are nothing.
    let text = text.trim_end_matches(',');
    for part in text.split(',').filter(|_| !text.is_empty()) {
        match part.rsplit_once(':') {
            Some((name, direction)) => match direction {
                "asc" | "desc" => sorts.push(Sort { descending: direction == "desc", ..Sort::by_name(name) }),
                _ => {}
            },
            None => sorts.push(Sort::by_name(part)),
        }
    }
    sorts
}

/// The sorts of a body with those of the URL behind them.
pub fn behind(mut sorts: Vec<Sort>, text: &str) -> Vec<Sort> {
    sorts.extend(from_param(text));
    sorts
}

/// All the sorts of a request: by nothing but the best score is no sorting at all.
pub fn simplified(sorts: Vec<Sort>) -> Vec<Sort> {
    if sorts.iter().any(|sort| matches!(&sort.by, SortBy::Field(field) if field.name == "_id")) {
        note(ID_FIELDDATA_DEPRECATED);
    }
    match sorts.as_slice() {
        [Sort { by: SortBy::Score, descending: true }] => vec![],
        _ => sorts,
    }
}

/// What is told to whoever sorts or aggregates by ids.
pub(crate) const ID_FIELDDATA_DEPRECATED: &str = "Loading the fielddata on the _id field is deprecated and will be removed in \
     future versions. If you require sorting or aggregating on this field you should also include the id in the body of your \
     documents, and map this field as a keyword field that has [doc_values] enabled";

fn parse_object(node: Node, sorts: &mut Vec<Sort>) -> Result<()> {
    let mut fields = node.fields().peekable();
    while let Some(field) = fields.next() {
        let mut sort = Sort::by_key(field.key);
        if field.key == "_geoDistance" {
            note_renamed("", "_geoDistance", "_geo_distance");
        }
        match (field.key, field.node.value) {
            ("_geo_distance" | "_geoDistance", Value::Object(_)) => {
                let (by, descending) = GeoDistanceSort::parse(field.node)?;
                sort = Sort { by: SortBy::GeoDistance(by), descending };
            }
            ("_script", Value::Object(_)) => {
                let (script, descending) = ScriptSort::parse(field.node)?;
                sort = Sort { by: SortBy::Script(script), descending };
            }
            ("_script", Value::Array(items)) if is_options_and_scalars(items) => {
                for script in field.node.items().take(1) {
                    let (script, descending) = ScriptSort::parse(script)?;
                    sort = Sort { by: SortBy::Script(script), descending };
                }
            }
            ("_geo_distance" | "_geoDistance", value) if !matches!(value, Value::String(_)) => {
                return Err(Error::illegal_argument("Geo distance sorting needs at least one point."));
            }
            (_, Value::String(direction)) => {
                sort.descending = direction_of(direction).map_err(|error| error.at(field.node.pos()))?;
            }
            (_, Value::Object(_)) => parse_options(field.node, &mut sort)?,
            // The reader goes on to the first thing in a list, and takes all that is no name, and the end of the list, for nothing.
            (_, Value::Array(items)) if is_options_and_scalars(items) => {
                field.node.items().take(1).try_for_each(|options| parse_options(options, &mut sort))?;
            }
            // The reader has gone on to what stands behind the value, or in it.
            (_, value) => {
                let (pos, token) = match (value, field.node.items().next()) {
                    (Value::Array(_), Some(first)) => (first.pos(), first.token()),
                    (Value::Array(_), None) => (field.node.end_pos(), "END_ARRAY"),
                    _ => match fields.peek() {
                        Some(next) => (next.key_pos, "FIELD_NAME"),
                        None => (node.end_pos(), "END_OBJECT"),
                    },
                };
                let at = node.location(pos);
                let parser = match field.key {
                    own @ ("_script" | "_score") => own,
                    _ => "field_sort",
                };
                let reason = format!("{at} [{parser}] Expected START_OBJECT but was: {token}");
                return Err(Error::new(ErrorKind::XContentParse, reason).at(pos));
            }
        }
        sorts.push(sort);
    }
    Ok(())
}

/// Whether options stand in a list, and behind them nothing that has names.
fn is_options_and_scalars(items: &[Value]) -> bool {
    matches!(items, [Value::Object(_), behind @ ..] if !behind.iter().any(has_names))
}

fn has_names(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(has_names),
        value => matches!(value, Value::Object(_)),
    }
}

pub(super) fn direction_of(text: &str) -> Result<bool> {
    match text.to_ascii_uppercase().as_str() {
        "ASC" => Ok(false),
        "DESC" => Ok(true),
        other => Err(Error::illegal_argument(format!("No enum constant org.opensearch.search.sort.SortOrder.{other}"))),
    }
}

const FIELD_SORT: Declared = Declared {
    name: "field_sort",
    fields: &[
        ("missing", SCALAR),
        ("unmapped_type", STRING),
        ("order", STRING),
        ("mode", STRING),
        ("nested", OBJECT),
        ("numeric_type", STRING),
        ("nested_path", STRING),
        ("nested_filter", OBJECT),
    ],
};

fn parse_options(node: Node, sort: &mut Sort) -> Result<()> {
    let parser = match sort.by {
        // What is asked of a field may be asked here as well, and says nothing.
        SortBy::Doc => {
            let mut of_field = Sort::by_field("_doc");
            parse_options(node, &mut of_field)?;
            sort.descending = of_field.descending;
            return Ok(());
        }
        SortBy::Score | SortBy::GeoDistance(_) | SortBy::Script(_) => "_score",
        SortBy::ShardDoc => "_shard_doc",
        SortBy::Field(_) => "field_sort",
    };
    let mut nesting = Nesting::default();
    for option in node.fields() {
        let value = option.node;
        let failed = |error| {
            let error: Error = error;
            let place = error.place().unwrap_or(value.pos());
            let at = node.location(place);
            let reason = format!("{at} [{parser}] failed to parse field [{}]", option.key);
            Error::new(ErrorKind::XContentParse, reason).caused_by(error).at(place)
        };
        if option.key == "order" {
            FIELD_SORT.checked_as(parser, &option)?;
            sort.descending = value.text().and_then(|text| direction_of(&text)).map_err(failed)?;
            continue;
        }
        let SortBy::Field(field) = &mut sort.by else {
            return Err(unknown(node, parser, option.key, option.key_pos).at(value.pos()));
        };
        FIELD_SORT.checked_as(parser, &option)?;
        match option.key {
            "missing" => {
                field.missing = match value.value {
                    Value::String(text) if text == "_last" => Missing::Last,
                    Value::String(text) if text == "_first" => Missing::First,
                    Value::Null => Missing::Last,
                    other => Missing::Value(other.clone()),
                }
            }
            "mode" => field.mode = Some(value.text().and_then(|text| mode_of(&text)).map_err(failed)?),
            "unmapped_type" => field.unmapped_type = Some(value.text()?),
            "numeric_type" => {
                field.numeric_type = Some(value.text().and_then(|t| numeric_type_of(&t)).map_err(failed)?)
            }
            "nested" | "nested_path" | "nested_filter" => nesting.take(option.key, value).map_err(failed)?,
            key => return Err(unknown(node, parser, key, option.key_pos)),
        }
    }
    if let SortBy::Field(field) = &mut sort.by {
        field.nested = nesting.chosen();
    }
    Ok(())
}

fn unknown(node: Node, parser: &str, key: &str, key_pos: u32) -> Error {
    let reason = format!("{} [{parser}] unknown field [{key}]", node.location(key_pos));
    Error::new(ErrorKind::XContentParse, reason)
}

pub(super) fn mode_of(text: &str) -> Result<Mode> {
    match text.to_ascii_lowercase().as_str() {
        "min" => Ok(Mode::Min),
        "max" => Ok(Mode::Max),
        "sum" => Ok(Mode::Sum),
        "avg" => Ok(Mode::Avg),
        "median" => Ok(Mode::Median),
        _ => Err(Error::illegal_argument(format!("Unknown SortMode [{text}]"))),
    }
}

fn numeric_type_of(text: &str) -> Result<NumericType> {
    let text = text.to_lowercase();
    match text.as_str() {
        "long" => Ok(NumericType::Long),
        "double" => Ok(NumericType::Double),
        "date" => Ok(NumericType::Date),
        "date_nanos" => Ok(NumericType::DateNanos),
        _ => Err(Error::illegal_argument(format!(
            "invalid value for [numeric_type], must be [long, double, date, date_nanos], got {text}"
        ))),
    }
}
