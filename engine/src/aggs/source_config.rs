//! The parameters that name and shape the values of an aggregation, and what they mean on a shard.

use super::accepted;
use super::elsewhere::Elsewhere;
use super::format::Format;
use super::parse::ParseContext;
use super::source::{Leaf, Missing, Recode, Source};
use crate::deprecated::note;
use crate::error::{Error, ErrorKind, Result};
use crate::geo::{Shape, encode_point, read_point, read_shape_text};
use crate::json::{Entry, Value, java_text};
use crate::mapping::date::Zone;
use crate::mapping::number::NumberKind;
use crate::mapping::{
    DateContext, DecimalFormat, DocValueFormat, DocValues, Family, Field, FieldId, Mapping, RangeBounds, parse_java_f64,
};
use crate::query::ShardContext;
use crate::script::{Script, context};
use crate::search::{ID_FIELDDATA_DEPRECATED, check_fielddata};
use std::sync::Arc;

/// What `value_type` may be.
pub(super) const VALUE_TYPES: &[&str] = &[
    "boolean",
    "byte",
    "date",
    "double",
    "float",
    "integer",
    "ip",
    "long",
    "number",
    "numeric",
    "short",
    "string",
    "unsigned_long",
];

/// The parameters that name and shape values, common to most kinds.
#[derive(Debug, Default, Clone)]
pub(crate) struct SourceConfig {
    pub(crate) field: Option<String>,
    pub(super) missing: Option<Value>,
    pub(crate) format: Option<String>,
    pub(crate) time_zone: Option<String>,
    pub(super) script: Option<Arc<Script>>,
    pub(super) value_type: Option<String>,
}

/// The refusal of what is to stand in for missing values where these are ranges.
pub(super) fn nothing_stands_in_for_ranges() -> Error {
    Error::illegal_argument(
        "Can't apply missing values on a class org.opensearch.search.aggregations.support.ValuesSource$Range",
    )
}

impl SourceConfig {
    /// Whether something stands in for values that are missing.
    pub(crate) fn stands_in(&self) -> bool {
        self.missing.is_some()
    }

    pub(crate) fn is_scripted(&self) -> bool {
        self.script.is_some()
    }

    pub(crate) const FIELDS: &[&str] = &["field", "missing", "format", "time_zone", "value_type", "script"];

    /// The values of a field, with nothing else said.
    pub(crate) fn of_field(name: &str, missing: Option<Value>) -> Self {
        Self { field: Some(name.to_owned()), missing, ..Self::default() }
    }

    /// Takes the entry if it is one of the common parameters.
    pub(crate) fn accept(&mut self, entry: &Entry, cx: &ParseContext<'_>) -> Result<bool> {
        match entry.key.as_str() {
            "time_zone" if accepted::WITHOUT_ZONES.contains(&cx.kind) => Ok(false),
            "format" if accepted::WITHOUT_FORMATS.contains(&cx.kind) => Ok(false),
            "script" if cx.kind == "ip_range" => Ok(false),
            _ => self.take(entry, cx),
        }
    }

    /// The same where it is known already that the kind has it.
    pub(crate) fn take(&mut self, entry: &Entry, cx: &ParseContext<'_>) -> Result<bool> {
        match entry.key.as_str() {
            "field" => {
                let name = cx.text(entry)?;
                if name == "_id" {
                    note(ID_FIELDDATA_DEPRECATED);
                }
                self.field = Some(name);
            }
            "missing" => match &entry.value {
                // Whoever has several sources passes over it.
                Value::Null if cx.kind == "field_config" => {}
                Value::Null => {
                    let refusal = format!("[missing] must not be null: [{}]", cx.name);
                    return Err(cx.failed_field(entry, Error::illegal_argument(refusal)));
                }
                Value::Array(_) | Value::Object(_) => return Err(cx.wrong_type(entry)),
                scalar => self.missing = Some(scalar.clone()),
            },
            "format" => self.format = Some(cx.text(entry)?),
            // A number is an offset in hours.
            "time_zone" => {
                let zone = match entry.value.as_f64() {
                    Some(_) => zone_of_hours(entry, cx)?,
                    None => cx.text(entry)?,
                };
                let refused = |error: Error| cx.failed_field(entry, error.cause().cloned().unwrap_or(error));
                Zone::parse(&zone).map_err(refused)?;
                self.time_zone = Some(zone);
            }
            "value_type" | "valueType" => self.value_type = Some(parse_value_type(entry, cx)?),
            "script" => self.script = Some(cx.script(entry, "aggregation-script")?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Whether the required parameters are there.
    pub(crate) fn check(&self) -> Result<()> {
        if self.field.is_some() || self.script.is_some() {
            return Ok(());
        }
        Err(Error::illegal_argument("Required one of fields [field, script], but none were specified. "))
    }

    /// Asks `check` about a field that has values by document.
    pub(crate) fn check_mapped(&self, cx: &ShardContext, check: impl Fn(&Field) -> Result<()>) -> Result<()> {
        let name = self.field.as_deref().filter(|_| self.script.is_none()).unwrap_or_default();
        if let Some((below, _)) = below_flat_object(cx, name) {
            return check(&below);
        }
        let Some(field) = cx.mapping.field(name) else { return Ok(()) };
        accepted::check_has_values(field)?;
        let has_one = matches!(field.family(), Family::Id | Family::Index | Family::ConstantKeyword);
        if field.spec.doc_values == DocValues::None && !field.fielddata() && !has_one {
            return Ok(());
        }
        check(field)
    }

    /// Refuses fields that have no values by document, before anything else is asked of them.
    pub(crate) fn check_loadable(&self, cx: &ShardContext, agg_type: &str) -> Result<()> {
        let name = self.field.as_deref().filter(|_| self.script.is_none()).unwrap_or_default();
        let Some(field) = cx.mapping.field(name).filter(|field| field.type_name != "flat_object") else {
            return Ok(());
        };
        accepted::check_has_values(field)?;
        let has_one = matches!(field.family(), Family::Id | Family::Index | Family::ConstantKeyword);
        if field.spec.doc_values != DocValues::None || field.fielddata() || has_one {
            return Ok(());
        }
        Err(no_doc_values(field, agg_type))
    }

    /// Whether it is of a field that no mapping knows, and nothing stands in for it.
    pub(crate) fn is_unmapped(&self, cx: &ShardContext) -> bool {
        self.missing.is_none() && self.names_nothing(cx)
    }

    /// Whether it is of a field that no mapping knows.
    pub(crate) fn names_nothing(&self, cx: &ShardContext) -> bool {
        self.field.as_deref().is_some_and(|name| {
            cx.derived_field(name).is_none() && cx.mapping.field(name).is_none() && cx.mapping.sub_field(name).is_none()
        })
    }

    /// The script that gives the values. Where there is no field whose values it could be given, there is nothing to do for it; and
    /// of places none makes others.
    fn acting_script(&self, cx: &ShardContext, agg_type: &str) -> Option<&Arc<Script>> {
        let of_places = self.field.is_some() && accepted::OF_PLACES_ALONE.contains(&agg_type);
        self.script.as_ref().filter(|_| !of_places && !self.names_nothing(cx))
    }

    /// What is wrong with the script is told before anybody asks for the field, even if no mapping knows that.
    pub(super) fn check_script(&self, cx: &ShardContext) -> Result<()> {
        self.script.as_ref().map_or(Ok(()), |script| script.check(&context::AGGS, &cx.mapping))
    }

    /// Numbers only: the reference's refusal for other fields.
    pub(crate) fn resolve_numeric(&self, cx: &ShardContext, agg_type: &str) -> Result<Source> {
        self.check_script(cx)?;
        if let Some(derived) = self.field.as_deref().and_then(|name| cx.derived_field(name)) {
            return self.resolve_derived(&derived, cx, agg_type, true);
        }
        if self.acting_script(cx, agg_type).is_some() {
            return self.resolve_script(cx, agg_type, true);
        }
        check_not_in_flat_object(cx, self.field.as_deref().unwrap_or_default(), agg_type)?;
        let mut source = self.resolve_any(cx, agg_type)?;
        if let (None, Missing::Bytes(_), Some(missing)) = (&source.mapping, &source.missing, &self.missing) {
            // Numbers that stand in for a field which no mapping knows.
            (source.numeric, source.missing) = (true, Missing::Plain(self.unmapped_number(missing)?));
            source.format = self.decimal_format()?;
        }
        match source.field() {
            Some(field) if !source.numeric => Err(unsupported(field, agg_type)),
            _ => Ok(source),
        }
    }

    /// Numbers or bytes.
    pub(crate) fn resolve_any(&self, cx: &ShardContext, agg_type: &str) -> Result<Source> {
        self.check_script(cx)?;
        if let Some(derived) = self.field.as_deref().and_then(|name| cx.derived_field(name)) {
            return self.resolve_derived(&derived, cx, agg_type, false);
        }
        if self.acting_script(cx, agg_type).is_some() {
            return self.resolve_script(cx, agg_type, false);
        }
        let name = self.field.as_deref().unwrap_or_default();
        let dates = DateContext { now_ms: cx.now_ms };
        let Some(field) = cx.mapping.field(name) else { return self.resolve_unknown(name, cx, agg_type) };
        if let Some(source) = self.resolve_without_column(field, cx, agg_type)? {
            return Ok(source);
        }
        check_fielddata(field, cx)?;
        if field.family() == Family::Range && self.missing.is_some() {
            return Err(nothing_stands_in_for_ranges());
        }
        let is_place = matches!(field.family(), Family::GeoPoint | Family::GeoShape) && !OF_PLACES.contains(&agg_type);
        if let (Family::GeoShape, Some(missing)) = (field.family(), &self.missing) {
            read_missing_shape(missing)?;
        }
        if is_place && field.family() == Family::GeoShape {
            return Err(unsupported(field, agg_type));
        }
        // What stands in is read before anybody asks whether the aggregation takes the field.
        let numeric = field.family().is_numeric() || field.family() == Family::GeoPoint;
        let plain = self.format.is_none() && !matches!(field.family(), Family::Date | Family::Boolean);
        if numeric && !is_place && !plain && self.missing.is_some() && accepted::are_texts(self.value_type.as_deref()) {
            // No format of numbers reads texts.
            return Err(Error::without_reason(ErrorKind::UnsupportedOperation));
        }
        let (missing, mut recode) = match numeric && accepted::are_texts(self.value_type.as_deref()) {
            true => (Missing::None, Recode::Never),
            false => self.stand_in(field, agg_type, &dates)?,
        };
        accepted::check_kind(field, self.value_type.as_deref(), agg_type)?;
        accepted::check(field, self.value_type.as_deref(), agg_type)?;
        if self.takes_as_texts(field, agg_type) {
            return self.resolve_texts_of(field, cx);
        }
        if is_place || field.family() == Family::Range && !OF_RANGES.contains(&agg_type) {
            return Err(unsupported(field, agg_type));
        }
        let mut format = field.doc_value_format(self.format.as_deref(), self.time_zone.as_deref())?;
        if let DocValueFormat::Date { nanos, .. } = &mut format
            && *nanos
        {
            (*nanos, recode) = (false, Recode::Millis);
        }
        let mapping = Some((cx.mapping.clone(), field.id));
        let mut source = self.source(mapping, numeric, missing, Format::Field(format), cx.now_ms);
        if let Some(times) = times_of(field, agg_type).filter(|_| self.missing.is_none()) {
            recode = times;
        }
        source.recode = recode;
        Ok(source)
    }

    /// Whether the request says that the numbers of a field are texts. Of dates and flags there are no texts that could be shown.
    fn takes_as_texts(&self, field: &Field, agg_type: &str) -> bool {
        if accepted::OF_PLACES_ALONE.contains(&agg_type) {
            return false;
        }
        let of_numbers = match field.family() {
            Family::Integer | Family::UnsignedLong | Family::Float => true,
            Family::GeoPoint => agg_type != "significant_terms",
            Family::Date | Family::Boolean => agg_type == "cardinality",
            _ => false,
        };
        of_numbers
            && self.format.is_none()
            && accepted::are_texts(self.value_type.as_deref())
            && accepted::takes_texts(agg_type)
    }

    /// What stands in for the values that a field of the mapping lacks.
    pub(super) fn stand_in(&self, field: &Field, agg_type: &str, dates: &DateContext) -> Result<(Missing, Recode)> {
        let Some(value) = &self.missing else { return Ok((Missing::None, Recode::Never)) };
        if field.family() == Family::GeoShape {
            return Ok((Missing::Bytes(value.to_text().into_bytes()), Recode::Never));
        }
        if !field.family().is_numeric() && field.family() != Family::GeoPoint {
            return Ok((Missing::Bytes(field.parse_missing_bytes(value)?), Recode::Never));
        }
        let (number, recode) = match (field.family(), value, &self.format) {
            (Family::GeoPoint, value, _) => {
                (encode_point(read_point(&Value::from(value.to_text()), true)?), Recode::Never)
            }
            // Dates of the request are read by a format, numbers among them.
            (Family::Date, value, _) => (self.missing_date(field, value, dates)?, Recode::Never),
            (_, _, Some(pattern)) if field.number_kind().is_some() => {
                missing_number(field, &read_by(pattern, &java_text(value))?, dates)?
            }
            // Times are whole, whatever stands in for them.
            (_, Value::Float(number), _) if OF_TIMES.contains(&agg_type) => {
                missing_number(field, &Value::Int(*number as i64), dates)?
            }
            _ => missing_number(field, value, dates)?,
        };
        Ok((Missing::Number(number), recode))
    }

    /// The values of a field that the mapping does not list: it may stand below a flat object.
    fn resolve_unknown(&self, name: &str, cx: &ShardContext, agg_type: &str) -> Result<Source> {
        let Some((below, texts)) = below_flat_object(cx, name) else { return self.resolve_unmapped(cx, agg_type) };
        let value_type = self.value_type.as_deref();
        accepted::check_kind(&below, value_type, agg_type).and_then(|()| accepted::check_type(&below, value_type))?;
        if self.format.is_some() {
            accepted::check_formatted(&below)?;
        }
        match accepted::takes_texts(agg_type) {
            true => self.resolve_elsewhere(texts, cx),
            false => Err(unsupported(&below, agg_type)),
        }
    }

    /// The values of fields that have no column; none of those that have one. Refuses what has no values at all.
    fn resolve_without_column(&self, field: &Field, cx: &ShardContext, agg_type: &str) -> Result<Option<Source>> {
        if field.type_name == "flat_object" {
            self.check_format(field)?;
        }
        accepted::check_has_values(field)?;
        let value_type = self.value_type.as_deref();
        if field.family() == Family::Id {
            self.check_format(field)?;
            accepted::check_type(field, value_type)?;
            accepted::check_kind(field, value_type, agg_type)?;
        }
        if field.family() == Family::Id && accepted::takes_texts(agg_type) {
            return self.resolve_elsewhere(Elsewhere::Ids(None), cx).map(Some);
        }
        if matches!(field.family(), Family::Index | Family::ConstantKeyword) {
            self.check_format(field)?;
            accepted::check_type(field, value_type)?;
            accepted::check_kind(field, value_type, agg_type)?;
            accepted::check(field, self.value_type.as_deref(), agg_type)?;
            // Every document of the shard has this one value. Of a constant the reference tells the name of the index too.
            let index = Missing::Bytes(cx.index.as_bytes().to_vec());
            let mut source = self.source(None, false, index, Format::Raw, cx.now_ms);
            source.constant = true;
            return Ok(Some(source));
        }
        if field.spec.doc_values == DocValues::None && !field.fielddata() {
            return Err(no_doc_values(field, agg_type));
        }
        self.check_format(field)?;
        accepted::check_type(field, value_type).map(|()| None)
    }

    /// Refuses a format that the field has no use for, or that is none for numbers where no mapping knows the field.
    pub(crate) fn check_shown(&self, cx: &ShardContext) -> Result<()> {
        if self.format.is_none() || self.script.is_some() {
            return Ok(());
        }
        match cx.mapping.field(self.field.as_deref().unwrap_or_default()) {
            Some(field) => self.check_format(field),
            None => self.decimal_format().map(drop),
        }
    }

    /// Refuses a format or a time zone that the field has no use for.
    fn check_format(&self, field: &Field) -> Result<()> {
        if self.format.is_some() {
            accepted::check_formatted(field)?;
        }
        field.doc_value_format(self.format.as_deref(), self.time_zone.as_deref()).map(drop)
    }

    fn missing_date(&self, field: &Field, value: &Value, dates: &DateContext) -> Result<i64> {
        let (format, time_zone) = (self.format.as_deref(), self.time_zone.as_deref());
        // Of a text that is empty nobody tells the format.
        let empty = value.as_str().is_some_and(str::is_empty) && (format.is_some() || time_zone.is_some());
        let how = RangeBounds { format, time_zone, ..RangeBounds::default() };
        let read = field.parse_missing_date(value, &how, dates.now_ms);
        read.map_err(|error| if empty { error.cause().cloned().unwrap_or(error) } else { error })
    }

    pub(super) fn source(
        &self,
        mapping: Option<(Arc<Mapping>, FieldId)>,
        numeric: bool,
        missing: Missing,
        format: Format,
        now_ms: i64,
    ) -> Source {
        Source {
            mapping,
            numeric,
            missing,
            format,
            config: self.clone(),
            now_ms,
            leaf: Leaf::Absent,
            scratch: vec![],
            script: None,
            recode: Recode::Never,
            constant: false,
        }
    }
}

/// The zone so many hours from UTC; fractions are cut off.
fn zone_of_hours(entry: &Entry, cx: &ParseContext<'_>) -> Result<String> {
    let hours = cx.int(entry)?;
    if (-18..=18).contains(&hours) {
        return Ok(format!("{hours:+03}:00"));
    }
    let reason = format!("Zone offset hours not in valid range: value {hours} is not in the range -18 to 18");
    Err(cx.failed_field(entry, Error::new(ErrorKind::DateTime, reason)))
}

/// A number that no field says how to read.
pub(super) fn plain_number(value: &Value) -> Result<f64> {
    value.as_f64().map_or_else(|| parse_java_f64(&value.to_text()), Ok)
}

/// What is made of numbers that are not whole numbers with a sign by the kinds that take them for times.
fn times_of(field: &Field, agg_type: &str) -> Option<Recode> {
    let kind = field.number_kind().filter(|_| OF_TIMES.contains(&agg_type))?;
    (field.family() == Family::Float || kind == NumberKind::UnsignedLong).then_some(Recode::Times(kind))
}

/// A number of a request that is written as its format has numbers.
pub(super) fn read_by(pattern: &str, text: &str) -> Result<Value> {
    let number = read_double(pattern, text)?;
    // Whole numbers beyond what doubles tell apart stay what they are.
    Ok(text.parse().map_or(Value::Float(number), Value::Int))
}

/// The same as the double that comes of it.
pub(super) fn read_double(pattern: &str, text: &str) -> Result<f64> {
    DecimalFormat::parse(pattern)?.read(text).ok_or_else(|| {
        let cause = format!("Unparseable number: \"{text}\"");
        Error::new(ErrorKind::Runtime, format!("java.text.ParseException: {cause}"))
            .caused_by(Error::new(ErrorKind::Parse, cause))
    })
}

/// The encoded number that stands in for missing ones, and what that makes of the field's own: a number that no whole number
/// stands for turns all of them into doubles.
fn missing_number(field: &Field, value: &Value, dates: &DateContext) -> Result<(i64, Recode)> {
    let Some(kind) = field.number_kind() else {
        if field.family() == Family::Boolean {
            return Ok((parse_boolean(value)?, Recode::Never));
        }
        let whole = match value {
            Value::Float(number) => &Value::Int(*number as i64),
            other => other,
        };
        return Ok((field.parse_missing_number(whole, dates)?, Recode::Never));
    };
    let number = plain_number(value)?;
    if kind == NumberKind::UnsignedLong && number < 0.0 {
        return Ok((kind.encode_saturating(0.0), Recode::Never));
    }
    if kind != NumberKind::Double && kind.decode(kind.encode_saturating(number)) != number {
        return Ok((NumberKind::Double.encode_saturating(number), Recode::Doubles(kind)));
    }
    Ok((field.parse_missing_number(value, dates).unwrap_or_else(|_| kind.encode_saturating(number)), Recode::Never))
}

/// The encoded number that a request names. Whole numbers of a field may be any long there: those that it cannot have are no term of it,
/// and what is beyond longs is the nearest of them.
pub(super) fn named_number(field: &Field, value: &Value, dates: &DateContext) -> Result<i64> {
    field.parse_missing_number(value, dates).or_else(|refused| {
        let whole = field.number_kind().filter(|kind| kind.is_integer() && *kind != NumberKind::UnsignedLong);
        let number = whole.and_then(|_| value.to_text().parse::<f64>().ok()).filter(|number| !number.is_nan());
        number.map(|number| number.floor() as i64).ok_or(refused)
    })
}

/// The number of a boolean as an aggregation writes it.
pub(super) fn parse_boolean(value: &Value) -> Result<i64> {
    match value.to_text().as_str() {
        "true" => Ok(1),
        "false" => Ok(0),
        text => {
            let reason = format!("Cannot parse boolean [{text}], expected either [true] or [false]");
            Err(Error::illegal_argument(reason))
        }
    }
}

/// The kinds to which numbers are times.
const OF_TIMES: &[&str] = &["auto_date_histogram", "date_histogram"];

/// The kinds that take places as they are: they only tell them apart.
const OF_PLACES: &[&str] = &["cardinality", "geotile_grid", "missing", "value_count"];

/// The kinds that only tell ranges apart. (Histograms read them in a way of their own.)
const OF_RANGES: &[&str] = &["cardinality", "missing", "value_count"];

/// What stands below a flat object is text, whatever it looks like.
pub(super) fn check_not_in_flat_object(cx: &ShardContext, name: &str, agg_type: &str) -> Result<()> {
    match below_flat_object(cx, name) {
        Some((field, _)) => Err(unsupported(&field, agg_type)),
        None => Ok(()),
    }
}

/// What stands below a flat object under the name, and its texts.
fn below_flat_object(cx: &ShardContext, name: &str) -> Option<(Field, Elsewhere)> {
    if cx.mapping.field(name).is_some() {
        return None;
    }
    let below = cx.mapping.sub_field(name)?;
    let (field, prefix) = below.terms_elsewhere()?;
    let texts = Elsewhere::Below { field: field.clone(), prefix: prefix.to_owned(), column: None };
    Some((below, texts))
}

#[cold]
pub(super) fn unsupported(field: &Field, agg_type: &str) -> Error {
    // Places without doc values are refused before anybody asks what they are wanted for.
    if let (Family::GeoPoint, Err(error)) = (field.family(), field.check_aggregatable()) {
        return error;
    }
    let refused = Error::illegal_argument(format!(
        "Field [{}] of type [{}] is not supported for aggregation [{agg_type}]",
        field.name, field.type_name
    ));
    // Several sources are asked once what stands beside and below has been looked at.
    if agg_type == "multi_terms" { refused.late() } else { refused }
}

#[cold]
pub(crate) fn no_fielddata(name: &str) -> Error {
    Error::illegal_argument(format!(
        "Text fields are not optimised for operations that require per-document field data like aggregations and sorting, so these operations are disabled by default. Please use a keyword field instead. Alternatively, set fielddata=true on [{name}] in order to load field data by uninverting the inverted index. Note that this can use significant memory."
    ))
}

#[cold]
pub(crate) fn no_doc_values(field: &Field, agg_type: &str) -> Error {
    // A constant has its one value without them.
    let refused = if field.constant().is_some() { None } else { field.check_aggregatable().err() };
    refused.unwrap_or_else(|| unsupported(field, agg_type))
}

/// The type that a request says values have.
pub(crate) fn parse_value_type(entry: &Entry, cx: &ParseContext<'_>) -> Result<String> {
    let name = cx.text(entry)?;
    // Whoever has several sources passes over what is no type.
    if VALUE_TYPES.contains(&name.as_str()) || cx.kind == "field_config" {
        return Ok(name);
    }
    Err(cx.failed_field(entry, Error::illegal_argument(format!("Unknown value type [{name}]"))))
}

/// Refuses what stands in for shapes and is none.
pub(super) fn read_missing_shape(value: &Value) -> Result<Shape> {
    let told = format!("Unable to parse the missing value [{}] provided in the input.", java_text(value));
    let class = match value {
        Value::Bool(_) => Some("Boolean"),
        Value::Int(number) if i32::try_from(*number).is_ok() => Some("Integer"),
        Value::Int(_) => Some("Long"),
        Value::Float(_) => Some("Double"),
        _ => None,
    };
    let read = class.map_or_else(|| read_shape_text(&value.to_text()), |class| Err(no_text(class)));
    read.map_err(|cause| Error::new(ErrorKind::Parse, told).caused_by(cause))
}

/// What Java says of a value that was to be a text.
#[cold]
fn no_text(class: &str) -> Error {
    let both = "are in module java.base of loader 'bootstrap'";
    Error::new(
        ErrorKind::ClassCast,
        format!(
            "class java.lang.{class} cannot be cast to class java.lang.String (java.lang.{class} and java.lang.String {both})"
        ),
    )
}
