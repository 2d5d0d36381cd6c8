//! What stands under `fields` of a hit: stored fields, doc values, values from the source.

use super::super::sort_parse::ID_FIELDDATA_DEPRECATED;
use super::hit::FetchedDoc;
use crate::deprecated::note;
use crate::error::{Error, ErrorKind, Result};
use crate::java_order::sort_by_slot;
use crate::json::Writer;
use crate::mapping::number::in_signed_order;
use crate::mapping::{DocValueFormat, DocValues, Family, Field, base64};
use crate::query::ShardContext;
use crate::search::SearchRequest;
use crate::segment::{StoredDoc, StoredValue};
use std::sync::Arc;

/// Names with their values, each a JSON array.
#[derive(Default)]
pub struct FieldValues {
    entries: Vec<(String, Vec<u8>)>,
}

impl FieldValues {
    /// Adds values to those that the name has.
    pub fn add(&mut self, name: &str, values: Vec<u8>) {
        match self.entries.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => {
                known.pop();
                known.push(b',');
                known.extend_from_slice(&values[1..]);
            }
            None => self.entries.push((name.to_owned(), values)),
        }
    }

    /// Gives the name these values, whatever it had.
    pub fn set(&mut self, name: &str, values: Vec<u8>) {
        match self.entries.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = values,
            None => self.entries.push((name.to_owned(), values)),
        }
    }

    /// Writes `fields`, if there are any.
    pub fn write(&self, w: &mut Writer) {
        if self.entries.is_empty() {
            return;
        }
        w.key("fields").begin_object();
        for (name, values) in &self.entries {
            w.key(name).raw(values);
        }
        w.end_object();
    }
}

/// A doc value field to show.
pub struct ShownField {
    /// As it was asked for: perhaps an alias.
    shown: String,
    name: Arc<str>,
    kind: DocValues,
    format: DocValueFormat,
    /// What every document shows, if that is known.
    constant: Option<Arc<str>>,
    /// Whether it is the document's id.
    is_id: bool,
    /// Whether its values are ranges of dates, which the reference does not show.
    is_dates: bool,
}

impl ShownField {
    pub fn read(&self, doc: &FetchedDoc, fields: &mut FieldValues) -> Result<()> {
        if let Some(constant) = &self.constant {
            let mut w = Writer::new();
            w.begin_array().string(constant).end_array();
            fields.add(&self.shown, w.finish());
            return Ok(());
        }
        if self.is_id {
            let mut w = Writer::new();
            w.begin_array().string(doc.view.segment.id(doc.doc)).end_array();
            fields.add(&self.shown, w.finish());
            return Ok(());
        }
        let Some(field) = doc.view.segment.field(&self.name) else { return Ok(()) };
        let mut w = Writer::new();
        w.begin_array();
        let before = w.len();
        match (self.kind, field.numeric(), field.ordinals()) {
            (DocValues::Numeric, Some(column), _) if self.format.is_unsigned() => {
                let mut values = vec![];
                column.values(doc.doc, &mut values);
                in_signed_order(&mut values);
                values.into_iter().for_each(|value| self.format.write_number(value, &mut w));
            }
            (DocValues::Numeric, Some(column), _) => {
                column.for_each(doc.doc, |value| self.format.write_number(value, &mut w));
            }
            (DocValues::Ordinals, _, Some(column)) => {
                let mut ords = Vec::new();
                column.ords(doc.doc, &mut ords);
                for ord in ords {
                    let term = column.term(ord);
                    if self.format.shows(&term) {
                        self.format.write_bytes(&term, &mut w);
                    }
                }
            }
            _ => {}
        }
        if w.len() > before {
            if self.is_dates {
                return Err(Error::without_reason(ErrorKind::UnsupportedOperation));
            }
            w.end_array();
            fields.add(&self.shown, w.finish());
        }
        Ok(())
    }
}

/// `nested`: of nested documents, which do not show what they are collapsed by.
pub fn doc_value_fields(request: &SearchRequest, cx: &ShardContext, nested: bool) -> Result<Vec<ShownField>> {
    let mut out: Vec<ShownField> = Vec::new();
    let asked_for = |name: &str| request.docvalue_fields.iter().any(|asked| asked.field == name);
    let collapsed = (request.collapse.as_ref())
        .filter(|collapse| !nested && !asked_for(&collapse.field))
        .map(|collapse| (collapse.field.as_str(), None));
    // The format of the mapping was once asked for by a name of its own.
    let format = |format: &'_ str| format != "use_field_mapping";
    let asked = request.docvalue_fields.iter();
    let asked = asked.map(|asked| (asked.field.as_str(), asked.format.as_deref().filter(|name| format(name))));
    for (pattern, format) in asked.chain(collapsed) {
        // What stands below a flat object is kept elsewhere.
        let below = cx.mapping.sub_field(pattern);
        if let Some((field, (elsewhere, _))) = below.as_ref().and_then(|field| Some((field, field.terms_elsewhere()?)))
        {
            out.push(ShownField {
                shown: pattern.to_owned(),
                name: elsewhere.clone(),
                kind: field.spec.doc_values,
                format: field.doc_value_format(format, None)?,
                constant: None,
                is_id: false,
                is_dates: false,
            });
            continue;
        }
        let mut matching = cx.mapping.matching_names(pattern);
        sort_by_slot(&mut matching, |(name, _)| name);
        for (shown, field) in matching {
            // The one value of all documents is that of the index's name, to the reference.
            let of_index = field.constant().is_some() || field.family() == Family::Index;
            let (constant, is_id) = (of_index.then(|| cx.index.clone()), field.family() == Family::Id);
            let format = field.doc_value_format(format, None)?;
            if is_id {
                note(ID_FIELDDATA_DEPRECATED);
            } else if constant.is_none() {
                field.check_aggregatable()?;
            }
            out.push(ShownField {
                shown: shown.to_owned(),
                name: field.name.clone(),
                kind: if field.fielddata() { DocValues::Ordinals } else { field.spec.doc_values },
                format,
                constant,
                is_id,
                is_dates: field.type_name == "date_range",
            });
        }
    }
    Ok(out)
}

/// The stored fields that names and patterns stand for.
#[derive(Default)]
pub struct StoredNames {
    /// Each as it is stored, and as it is shown: under every name that was asked for.
    names: Vec<(Arc<str>, String)>,
}

impl StoredNames {
    pub fn new(patterns: &[String], cx: &ShardContext) -> Result<Self> {
        let mut names: Vec<(Arc<str>, String)> = Vec::new();
        for pattern in patterns.iter().filter(|p| !matches!(p.as_str(), "_source" | "_id" | "_none_" | "_routing")) {
            if !pattern.is_empty() && cx.mapping.is_object(pattern) {
                return Err(Error::illegal_argument(format!("field [{pattern}] isn't a leaf field")));
            }
            for (name, field) in cx.mapping.matching_names(pattern) {
                let known = |(_, shown): &(_, String)| shown == name;
                if field.spec.stored && !field.family().is_metadata() && !names.iter().any(known) {
                    names.push((field.name.clone(), name.to_owned()));
                }
            }
        }
        Ok(Self { names })
    }

    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    pub fn read(&self, stored: &StoredDoc, cx: &ShardContext, fields: &mut FieldValues) -> Result<()> {
        for (name, shown) in &self.names {
            let mut values = stored.fields.iter().filter(|(field, _)| *field == **name).peekable();
            if values.peek().is_none() {
                continue;
            }
            let mut w = Writer::new();
            w.begin_array();
            for (_, value) in values {
                match cx.mapping.field(name) {
                    Some(field) => write_stored(field, value, &mut w)?,
                    None => write_as_kept(value, &mut w),
                }
            }
            w.end_array();
            fields.set(shown, w.finish());
        }
        Ok(())
    }
}

/// Writes a stored value of `field`. Dates are stored as numbers and shown as text.
pub fn write_stored(field: &Field, value: &StoredValue, w: &mut Writer) -> Result<()> {
    match value {
        StoredValue::Long(number) if field.date_format().is_some() => field.write_doc_value_number(*number, None, w),
        // What is too large for a whole number is stored as its digits.
        StoredValue::String(text) if field.family() == Family::UnsignedLong => {
            match text.parse() {
                Ok(number) => w.u64(number),
                Err(_) => w.string(text),
            };
            Ok(())
        }
        _ => {
            write_as_kept(value, w);
            Ok(())
        }
    }
}

/// Writes a stored value as it is kept.
pub fn write_as_kept(value: &StoredValue, w: &mut Writer) {
    match value {
        StoredValue::String(text) => w.string(text),
        StoredValue::Long(number) => w.i64(*number),
        StoredValue::Double(number) => w.f64(*number),
        StoredValue::Float(number) => w.f32(*number),
        StoredValue::Bool(flag) => w.bool(*flag),
        StoredValue::Bytes(bytes) => w.string(&base64(bytes)),
    };
}
