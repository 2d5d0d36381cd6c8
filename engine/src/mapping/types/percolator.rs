//! `percolator`: a query as the value of a field. It is kept as its JSON, a doc value of bytes, which the percolate query reads.

use super::{Built, FieldContext, FieldType, TypeRow, bare_spec, no_check};
use crate::error::{Error, ErrorKind, Result};
use crate::json::{self, Value};
use crate::mapping::doc_value::DocValueFormat;
use crate::mapping::document::{Scalar, Sink, Takes, Token};
use crate::mapping::field::{DateContext, Exact, Family, Field, FieldRange, RangeBounds};
use crate::mapping::params::{Param, Params};
use crate::query::{self, Query};
use crate::writer::FieldOp;
use std::borrow::Cow;

pub static ROW: TypeRow =
    TypeRow { name: "percolator", params: PARAMS, fields_before: None, plain: false, check: no_check, build };

static PARAMS: &[Param] = &[];

struct Percolator;

fn build(_: &Params, _: &FieldContext) -> Result<Built> {
    Ok(Built { spec: bare_spec(), kind: Box::new(Percolator) })
}

/// Refuses what a stored query may not be. Positions in messages are those of the document.
fn check_query(token: &Token) -> Result<()> {
    let blank = |byte: &u8| if *byte == b'\n' { b'\n' } else { b' ' };
    let mut text: Vec<u8> = token.source.get(..token.start).unwrap_or_default().iter().map(blank).collect();
    text.extend_from_slice(token.raw());
    let value = json::parse(&text)?;
    check_supported(&query::parse(&value, &text)?)
}

fn check_supported(query: &Query) -> Result<()> {
    if let Some(name) = query.kind.refused_by_percolator() {
        return Err(Error::illegal_argument(format!("the [{name}] query is unsupported inside a percolator query")));
    }
    query.kind.children().into_iter().try_for_each(check_supported)
}

impl FieldType for Percolator {
    fn can_have_doc_values(&self) -> bool {
        false
    }

    /// The terms and ranges of queries, how complete these are, how many have to match, and the query itself.
    fn further_fields(&self) -> usize {
        5
    }

    fn takes(&self) -> Takes {
        Takes::Objects
    }

    fn names_field_in_errors(&self) -> bool {
        false
    }

    fn family(&self) -> Family {
        Family::Percolator
    }

    fn index<'a>(&self, field: &Field, token: &Token<'a>, sink: &mut Sink<'_, 'a>) -> Result<()> {
        if token.value != Scalar::Object {
            let (line, col) = token.end_line_col();
            let reason = "[_na] query malformed, must start with start_object";
            return Err(Error::new(ErrorKind::Parsing, reason).with("line", line).with("col", col));
        }
        check_query(token)?;
        sink.push(FieldOp::Ordinal { field: field.id, value: Cow::Borrowed(token.raw()) });
        sink.push(FieldOp::Named { field: field.id });
        Ok(())
    }

    fn term(&self, field: &Field, _value: &Value, _cx: &DateContext) -> Result<Exact> {
        Err(refuse(field))
    }

    fn range(&self, field: &Field, _bounds: &RangeBounds, _now_ms: i64) -> Result<FieldRange> {
        Err(refuse(field))
    }

    fn doc_value_format(&self, field: &Field, format: Option<&str>, time_zone: Option<&str>) -> Result<DocValueFormat> {
        super::no_format(field, format, time_zone)?;
        Ok(DocValueFormat::Text)
    }

    fn searches_doc_values(&self) -> bool {
        false
    }
}

fn refuse(field: &Field) -> Error {
    Error::new(
        ErrorKind::QueryShard,
        format!("Percolator fields are not searchable directly, use a percolate query instead: [{}]", field.name),
    )
}
