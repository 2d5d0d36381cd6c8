//! `fields` of a request: values of fields read from the source, in the form that the mapping gives them.

use super::FieldValues;
use super::hit::{FetchedDoc, extracted, values_at_all, wholes_at};
use super::source_forms::{RangeEnds, check_format, java_map_text, write_geo, write_shape};
use crate::error::{Error, ErrorKind, Result};
use crate::geo::{Point, Shape, read_points};
use crate::java_order::sort_by_slot;
use crate::json::{Value, Writer};
use crate::mapping::date::{DateFormat, Resolution, Zone};
use crate::mapping::number::NumberKind;
use crate::mapping::{Derived, DocValueFormat, DocValues, Family, Field};
use crate::query::{ShardContext, wildcard_matches};
use crate::script::DerivedValues;
use crate::search::SearchRequest;
use crate::segment::StoredValue;
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// A field to read.
pub struct SourceField {
    name: String,
    paths: Vec<Arc<str>>,
    form: Form,
    null_value: Option<Value>,
}

/// What becomes of a value.
enum Form {
    /// Text as it is.
    Text,
    /// The values of a constant, each of them a list.
    Constant,
    /// Text that a normalizer changes and that is left out when it is too long.
    Keyword {
        normalizer: Option<Arc<crate::analysis::Normalizer>>,
        ignore_above: usize,
    },
    Number {
        kind: NumberKind,
        coerce: bool,
        shown: Shown,
    },
    Date {
        parse: Arc<crate::mapping::date::DateFormat>,
        resolution: Resolution,
        show: DocValueFormat,
    },
    Boolean,
    Ip,
    /// As it stands in the columns: numbers of tokens, which no source has.
    Column(DocValueFormat),
    /// The same of texts, each once and in their order.
    Ordinals,
    /// A place or shape.
    Geo {
        point: bool,
        wkt: bool,
    },
    /// A range, each of whose ends is a value of the field.
    Range(RangeEnds),
    /// An object as Java writes maps.
    JavaText,
    /// What a script gives, and how dates of it are shown.
    Derived {
        values: Box<RefCell<DerivedValues>>,
        /// The segment that was entered last, by its address.
        segment: Cell<usize>,
        date: Option<DocValueFormat>,
        derived: Arc<Derived>,
    },
    /// As it stands in the source.
    AsIs,
    /// The same, with the arrays that values stand in.
    Whole,
}

/// How an encoded number is written.
#[derive(Clone, Copy)]
enum Shown {
    Whole,
    Unsigned,
    Double,
    Float,
}

/// What tells that there is a join in the index, a field to the reference.
const JOINED: &str = "_parent_join";

/// The fields that the request asks for, as this shard's mapping knows them.
pub fn of_request(request: &SearchRequest, cx: &ShardContext) -> Result<Vec<SourceField>> {
    if request.fields.is_empty() {
        return Ok(vec![]);
    }
    if !cx.mapping.source_filter().enabled {
        return Err(Error::illegal_argument(format!(
            "Unable to retrieve the requested [fields] since _source is disabled in the mappings for index [{}]",
            cx.index
        )));
    }
    let mut out: Vec<SourceField> = vec![];
    let joins = cx.mapping.join_field().is_some();
    for asked in &request.fields {
        // A pattern names no path below a field.
        let path = Some(&asked.field).filter(|name| !name.contains('*'));
        if let Some(below) = path.and_then(|path| cx.mapping.below_flat_object(path)) {
            check_format(&below, asked.format.as_deref())?;
            // The reference takes what stands right below a field for one of its multi-fields, whose value is that of the field.
            let above = below.name.rsplit_once('.').and_then(|(above, _)| cx.mapping.field(above));
            let (path, form) = match above {
                Some(above) => (above.name.clone(), Form::JavaText),
                None => (below.name.clone(), Form::Text),
            };
            out.push(SourceField { name: asked.field.clone(), paths: vec![path], form, null_value: None });
            continue;
        }
        if let Some(below) = cx.below_derived(&asked.field) {
            out.push(SourceField::new(&asked.field, &below, asked.format.as_deref(), cx)?);
            continue;
        }
        let names = cx.mapping.matching_names(&asked.field);
        let mut matching: Vec<_> = names.into_iter().map(|(name, field)| (name, Some(field))).collect();
        if joins && wildcard_matches(&asked.field, JOINED) {
            matching.push((JOINED, None));
        }
        // The reference has the names in a hash set.
        sort_by_slot(&mut matching, |(name, _)| name);
        for (name, field) in matching {
            let Some(field) = field else { return Err(not_fetched("metadata field [parent_join]")) };
            // The fields of pairs and beginnings that belong to a multi-field have no source; those of a join refuse to be shown.
            let hidden = matches!(field.type_name, "prefix" | "phrase")
                && name
                    .rsplit_once('.')
                    .and_then(|(owner, _)| cx.mapping.field(owner))
                    .is_some_and(|owner| !cx.mapping.source_paths(owner).contains(&owner.name));
            if field.family().is_metadata() || hidden {
                continue;
            }
            if field.type_name == "parent" {
                return Err(not_fetched("internal field [parent]"));
            }
            let made = SourceField::new(name, field, asked.format.as_deref(), cx)?;
            match out.iter_mut().find(|other| other.name == name) {
                Some(other) => *other = made,
                None => out.push(made),
            }
        }
    }
    Ok(out)
}

fn not_fetched(what: &str) -> Error {
    Error::new(ErrorKind::UnsupportedOperation, format!("Cannot fetch values for {what}."))
}

fn derived_form(derived: &Arc<Derived>, cx: &ShardContext) -> Result<Form> {
    let date = match derived.type_name.as_str() {
        "date" => {
            let pattern = derived.format.as_deref().unwrap_or("strict_date_optional_time");
            Some(DocValueFormat::Date {
                format: Arc::new(DateFormat::parse(pattern)?),
                zone: Zone::fixed(0),
                nanos: false,
            })
        }
        _ => None,
    };
    let values = Box::new(RefCell::new(DerivedValues::new(derived, &cx.mapping, cx.now_ms)?));
    Ok(Form::Derived { values, segment: Cell::new(0), date, derived: derived.clone() })
}

const DERIVED_DATE_FORMAT: &str = "strict_date_time_no_millis||strict_date_optional_time||epoch_millis";

/// Writes what a script has emitted: as it is, but for dates and places.
fn write_derived(value: &Value, derived: &Derived, date: Option<&DocValueFormat>, w: &mut Writer) -> Result<()> {
    let cannot = |class: &str| {
        let reason = format!(
            "class java.lang.String cannot be cast to class {class} (java.lang.String is in module java.base of loader 'bootstrap'; {class} is in unnamed module of loader 'app')"
        );
        Err(Error::new(ErrorKind::ClassCast, reason))
    };
    match (date, value) {
        (Some(format), Value::Int(millis)) => format.write_number(*millis, w),
        (Some(format), Value::String(text)) if derived.path.is_some() => {
            let parse = DateFormat::parse(DERIVED_DATE_FORMAT)?;
            format.write_number(Resolution::Millis.parse(&parse, text)?, w);
        }
        (Some(_), _) => {
            let reason = "class java.lang.String cannot be cast to class java.lang.Long (java.lang.String and java.lang.Long are in module java.base of loader 'bootstrap')";
            return Err(Error::new(ErrorKind::ClassCast, reason));
        }
        (None, value) if derived.type_name == "geo_point" && value.as_object().is_none() => {
            return cannot("org.opensearch.common.collect.Tuple");
        }
        _ => drop(w.value(value)),
    }
    Ok(())
}

impl SourceField {
    fn new(name: &str, field: &Field, format: Option<&str>, cx: &ShardContext) -> Result<Self> {
        check_format(field, format)?;
        if let Some(derived) = &field.derived {
            let form = derived_form(derived, cx)?;
            return Ok(Self { name: name.to_owned(), paths: vec![], form, null_value: None });
        }
        let form = match field.family() {
            Family::Text => Form::Text,
            Family::ConstantKeyword => Form::Constant,
            _ if field.counts_tokens() => Form::Column(field.doc_value_format(format, None)?),
            _ if field.type_name == "flat_object" => Form::JavaText,
            family @ (Family::GeoPoint | Family::GeoShape) => {
                Form::Geo { point: family == Family::GeoPoint, wkt: format == Some("wkt") }
            }
            Family::Keyword if field.type_name == "wildcard" && field.spec.doc_values == DocValues::Ordinals => {
                Form::Ordinals
            }
            Family::Range => Form::Range(RangeEnds::of(field, format)?),
            Family::Keyword => Form::Keyword {
                normalizer: field.normalizer().cloned(),
                ignore_above: field.ignore_above().map_or(usize::MAX, |above| above as usize),
            },
            Family::Integer | Family::UnsignedLong | Family::Float => Form::Number {
                // Half floats are read as floats, and not yet rounded.
                kind: match field.number_kind() {
                    Some(NumberKind::HalfFloat) => NumberKind::Float,
                    kind => kind.unwrap_or(NumberKind::Long),
                },
                coerce: field.coerces(),
                shown: match (field.family(), field.type_name) {
                    (Family::Integer, _) => Shown::Whole,
                    (Family::UnsignedLong, _) => Shown::Unsigned,
                    (_, "float" | "half_float") => Shown::Float,
                    _ => Shown::Double,
                },
            },
            Family::Date => Form::Date {
                parse: field
                    .date_format()
                    .cloned()
                    .ok_or_else(|| Error::illegal_argument("a date without a format"))?,
                resolution: if field.type_name == "date_nanos" { Resolution::Nanos } else { Resolution::Millis },
                show: field.doc_value_format(format, None)?,
            },
            Family::Boolean => Form::Boolean,
            Family::Ip => Form::Ip,
            Family::Feature if field.type_name == "rank_feature" => {
                Form::Number { kind: NumberKind::Float, coerce: true, shown: Shown::Float }
            }
            Family::Completion => Form::Whole,
            _ => Form::AsIs,
        };
        let paths = cx.mapping.source_paths(field);
        Ok(Self { name: name.to_owned(), paths, form, null_value: field.null_value().cloned() })
    }

    /// Adds the values of a document, if it has any. Fields that have a value among those that were `ignored` are left out.
    pub fn read(
        &self,
        doc: &FetchedDoc,
        ignored: &[&StoredValue],
        cx: &ShardContext,
        fields: &mut FieldValues,
    ) -> Result<()> {
        if ignored.iter().any(|name| matches!(name, StoredValue::String(name) if *name == self.name)) {
            return Ok(());
        }
        let mut w = Writer::new();
        w.begin_array();
        let before = w.len();
        match &self.form {
            Form::Column(format) => self.column(doc, cx, format, &mut w),
            Form::Ordinals => self.ordinals(doc, cx, &mut w),
            Form::Derived { values, segment, date, derived } => {
                let mut values = values.borrow_mut();
                let at = std::ptr::from_ref(&*doc.view.segment).addr();
                if segment.replace(at) != at {
                    values.enter_segment(doc.view);
                }
                for value in values.read(doc.doc)? {
                    write_derived(&value, derived, date.as_ref(), &mut w)?;
                }
            }
            Form::Geo { point: true, wkt } => self.places(doc, *wkt, &mut w)?,
            Form::Whole => {
                let source = doc.source()?;
                let found: Option<Vec<Value>> = self.paths.iter().map(|path| extracted(source, path)).collect();
                for value in found.into_iter().flatten() {
                    match value {
                        Value::Array(values) => values.iter().for_each(|value| _ = w.value(value)),
                        value => _ = w.value(&value),
                    }
                }
            }
            _ => {
                let source = doc.source()?;
                for value in values_at_all(source, &self.paths, self.null_value.is_some()) {
                    match (value, &self.null_value) {
                        (Value::Null, Some(null)) => self.write(null, &mut w)?,
                        _ => self.write(value, &mut w)?,
                    }
                }
            }
        }
        if w.len() > before {
            w.end_array();
            fields.set(&self.name, w.finish());
        }
        Ok(())
    }

    /// Values that are read where they are kept.
    fn column(&self, doc: &FetchedDoc, cx: &ShardContext, format: &DocValueFormat, w: &mut Writer) {
        let Some(field) = cx.mapping.field(&self.name) else { return };
        if let Some(column) = doc.view.segment.field(&field.name).and_then(|field| field.numeric()) {
            column.for_each(doc.doc, |value| format.write_number(value, w));
        }
    }

    fn ordinals(&self, doc: &FetchedDoc, cx: &ShardContext, w: &mut Writer) {
        let Some(field) = cx.mapping.field(&self.name) else { return };
        if let Some(column) = doc.view.segment.field(&field.name).and_then(|field| field.ordinals()) {
            let mut ords = vec![];
            column.ords(doc.doc, &mut ords);
            for ord in ords {
                w.string(&String::from_utf8_lossy(&column.term(ord)));
            }
        }
    }

    /// Points: an array may be one of them or hold several.
    fn places(&self, doc: &FetchedDoc, wkt: bool, w: &mut Writer) -> Result<()> {
        let source = doc.source()?;
        for path in &self.paths {
            let mut values = vec![];
            wholes_at(source, path, &mut values);
            for value in values {
                for Point { lat, lon } in read_points(value, true).unwrap_or_default() {
                    write_shape(&Shape { points: vec![(lon, lat)], ..Shape::default() }, wkt, w);
                }
            }
        }
        Ok(())
    }

    /// Writes one value. One that the field did not take is an error, for most types.
    fn write(&self, value: &Value, w: &mut Writer) -> Result<()> {
        match &self.form {
            Form::AsIs | Form::Whole => drop(w.value(value)),
            Form::Text => drop(w.string(&value.to_text())),
            Form::Constant => drop(w.begin_array().string(&value.to_text()).end_array()),
            Form::Keyword { normalizer, ignore_above } => {
                let text = value.to_text();
                if text.encode_utf16().count() > *ignore_above {
                    return Ok(());
                }
                match normalizer {
                    Some(normalizer) => w.string(&normalizer.normalize(&text)),
                    None => w.string(&text),
                };
            }
            Form::Number { kind, coerce, shown } => {
                let value = match (value.as_str(), &self.null_value) {
                    (Some(""), Some(null)) => null,
                    (Some(""), None) => return Ok(()),
                    _ => value,
                };
                let encoded = match value.as_object() {
                    Some(_) => kind.encode_value(&Value::from(java_map_text(value)), *coerce)?,
                    None => kind.encode_value(value, *coerce)?,
                };
                match shown {
                    Shown::Whole => w.i64(encoded),
                    Shown::Unsigned => w.u64(crate::mapping::number::decode_u64(encoded)),
                    Shown::Double => w.f64(kind.decode(encoded)),
                    Shown::Float => w.f32(kind.decode(encoded) as f32),
                };
            }
            Form::Date { parse, resolution, show } => {
                show.write_number(resolution.parse(parse, &java_map_text(value))?, w);
            }
            Form::Boolean => match value {
                Value::Bool(flag) => drop(w.bool(*flag)),
                Value::String(text) if text == "true" => drop(w.bool(true)),
                Value::String(text) if text == "false" || text.is_empty() => drop(w.bool(false)),
                Value::Null => {}
                // A field that keeps nothing has not looked at its values.
                other => {
                    let text = java_map_text(other);
                    let reason = format!("Failed to parse value [{text}] as only [true] or [false] are allowed.");
                    return Err(Error::illegal_argument(reason));
                }
            },
            Form::Ip => {
                let address = crate::mapping::types::parse_ip(&java_map_text(value))?;
                w.string(&crate::mapping::types::format_ip(&address));
            }
            Form::JavaText => drop(w.string(&java_map_text(value))),
            Form::Range(ends) => ends.write(value, w),
            Form::Geo { wkt, .. } => write_geo(value, *wkt, w),
            Form::Column(_) | Form::Ordinals | Form::Derived { .. } => {}
        }
        Ok(())
    }
}
