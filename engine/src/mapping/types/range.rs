//! `integer_range`, `long_range`, `float_range`, `double_range`, `date_range`, `ip_range`: a value is a range.
//!
//! A range is a term: its inclusive ends, big-endian, 8 bytes each, 16 for addresses. Queries test the terms of the
//! dictionary.

use super::ip::parse_block;
use super::range_bound::{RangeKind, plain_end};
use super::{Built, DEFAULT_DATE_FORMAT, FieldContext, FieldType, PLAIN_TERMS, TypeRow, bare_spec};
use crate::error::{Error, ErrorKind, Result};
use crate::java_order::java_hashed_text;
use crate::json::{Map, Value};
use crate::mapping::DateFormat;
use crate::mapping::date::Names;
use crate::mapping::date::Zone;
use crate::mapping::doc_value::DocValueFormat;
use crate::mapping::document::{Scalar, Sink, Takes, Token};
use crate::mapping::field::{
    DateContext, DocValues, Exact, Family, Field, FieldRange, IndexSpec, Indexed, RangeBounds, Relation, TermTest,
};
use crate::mapping::locale::read_locale;
use crate::mapping::number::NumberKind;
use crate::mapping::params::{
    BOOST, COERCE, DOC_VALUES, Default, IGNORE_MALFORMED, INDEX, Kind, META, Param, Params, STORE, java_text,
};
use crate::segment::StoredValue;
use crate::writer::FieldOp;
use std::borrow::Cow;
use std::sync::Arc;

static PARAMS: &[Param] = &[
    INDEX,
    DOC_VALUES,
    STORE,
    COERCE,
    Param::new("format", Kind::Text, Default::Text(DEFAULT_DATE_FORMAT)),
    Param::new("locale", Kind::Own(read_locale), Default::Text("")),
    BOOST,
    META,
    IGNORE_MALFORMED,
];

macro_rules! row {
    ($row:ident, $name:literal, $check:expr, $kind:expr) => {
        pub static $row: TypeRow = {
            fn build(params: &Params, _: &FieldContext) -> Result<Built> {
                let kind: fn(&Params) -> Result<RangeKind> = $kind;
                build_range(kind(params)?, params)
            }
            TypeRow { name: $name, params: PARAMS, fields_before: None, plain: true, check: $check, build }
        };
    };
}

row!(INTEGER, "integer_range", no_format, |_| Ok(RangeKind::Number(NumberKind::Integer)));
row!(LONG, "long_range", no_format, |_| Ok(RangeKind::Number(NumberKind::Long)));
row!(FLOAT, "float_range", no_format, |_| Ok(RangeKind::Number(NumberKind::Float)));
row!(DOUBLE, "double_range", no_format, |_| Ok(RangeKind::Number(NumberKind::Double)));
row!(DATE, "date_range", check_format, |params| {
    let format = java_text(params.get(PARAMS, "format"));
    let names = Names::of_locale(params.get(PARAMS, "locale").as_str().unwrap_or_default());
    Ok(RangeKind::Date(Arc::new(DateFormat::parse_in(&format, names)?)))
});
row!(IP, "ip_range", no_format, |_| Ok(RangeKind::Ip));

/// Only dates have a format, and a locale to show.
fn no_format(params: &mut Params, cx: &FieldContext) -> Result<()> {
    params.set(PARAMS, "locale", None);
    if params.given(PARAMS, "format").is_none() {
        return Ok(());
    }
    let field = cx.short_name();
    Err(Error::illegal_argument(format!(
        "field [{field}] of type [range] should not define a dateTimeFormatter unless it is a DATE type"
    )))
}

fn check_format(params: &mut Params, _: &FieldContext) -> Result<()> {
    DateFormat::parse(&java_text(params.get(PARAMS, "format"))).map(drop)
}

struct Range {
    kind: RangeKind,
    indexed: bool,
    doc_values: bool,
    stored: bool,
    coerce: bool,
    ignore_malformed: bool,
}

fn build_range(kind: RangeKind, params: &Params) -> Result<Built> {
    let flag = |name| params.get(PARAMS, name) == &Value::Bool(true);
    let range = Range {
        kind,
        indexed: flag("index"),
        doc_values: flag("doc_values"),
        stored: flag("store"),
        coerce: flag("coerce"),
        ignore_malformed: flag("ignore_malformed"),
    };
    let spec = IndexSpec {
        indexed: if range.indexed { PLAIN_TERMS } else { Indexed::No },
        doc_values: if range.doc_values { DocValues::Ordinals } else { DocValues::None },
        stored: range.stored,
        ..bare_spec()
    };
    Ok(Built { spec, kind: Box::new(range) })
}

/// A range of a document; the ends are included.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Span {
    lo: u128,
    hi: u128,
}

impl Span {
    fn encode(self, width: usize) -> Vec<u8> {
        [self.lo, self.hi].iter().flat_map(|end| end.to_be_bytes().into_iter().skip(16 - width)).collect()
    }

    fn decode(term: &[u8]) -> Option<Self> {
        let (lo, hi) = term.split_at_checked(term.len() / 2)?;
        (lo.len() == hi.len()).then(|| Self { lo: plain_end(lo), hi: plain_end(hi) })
    }
}

/// Ranges that lie to another as `relation` says.
#[derive(Debug)]
struct Lies {
    span: Span,
    relation: Relation,
    shown: (String, String),
}

impl TermTest for Lies {
    fn matches(&self, term: &[u8]) -> bool {
        let Some(own) = Span::decode(term) else { return false };
        let Span { lo, hi } = self.span;
        match self.relation {
            _ if self.finds_nothing() => false,
            Relation::Intersects => own.lo <= hi && own.hi >= lo,
            Relation::Contains => own.lo <= lo && own.hi >= hi,
            Relation::Within => own.lo >= lo && own.hi <= hi,
        }
    }

    fn finds_nothing(&self) -> bool {
        self.span.lo > self.span.hi
    }

    fn text(&self) -> String {
        let (from, to) = &self.shown;
        format!("BinaryDocValuesRangeQuery(fieldName=,from={from},to={to})")
    }

    fn index_text(&self, field: &str) -> Option<String> {
        if self.finds_nothing() {
            return Some("MatchNoDocsQuery(\"range didn't intersect anything\")".to_owned());
        }
        let (from, to) = &self.shown;
        Some(format!("{field}:<ranges:[{from} : {to}]>"))
    }
}

impl Range {
    /// Refuses ends that have passed each other: dates before 1970 are rounded up to what is earlier.
    fn check_order(&self, lower: u128, upper: u128) -> Result<()> {
        if lower <= upper {
            return Ok(());
        }
        let (from, to) = (self.kind.show(lower), self.kind.show(upper));
        Err(Error::illegal_argument(format!("Range query `from` value ({from}) is greater than `to` value ({to})")))
    }

    fn lies(&self, span: Span, relation: Relation) -> Arc<Lies> {
        let shown = (self.kind.show(span.lo), self.kind.show(span.hi));
        Arc::new(Lies { span, relation, shown })
    }

    /// One range of a document, and how its ends read if the field is stored.
    fn read(&self, field: &Field, token: &Token, sink: &mut Sink) -> Result<Option<(Span, String)>> {
        if let (RangeKind::Ip, Scalar::String(text)) = (&self.kind, &token.value) {
            let Some((lo, hi)) = parse_block(text)? else {
                return Err(Error::illegal_argument(format!("Expected [ip/prefix] but was [{text}]")));
            };
            let span = Span { lo: u128::from_be_bytes(lo), hi: u128::from_be_bytes(hi) };
            return Ok(Some((span, self.show_range((span.lo, true), (span.hi, true)))));
        }
        match &token.value {
            Scalar::Null => Ok(None),
            Scalar::Object => match token.json()? {
                Value::Object(map) => self.read_object(field, &map, token, sink).map(Some),
                _ => Ok(None),
            },
            _ => {
                let name = &field.name;
                let own = if token.named { sink.key } else { "null" };
                let reason = format!("error parsing field [{name}], expected an object but got {own}");
                Err(Error::new(ErrorKind::MapperParsing, reason))
            }
        }
    }

    fn read_object(&self, field: &Field, map: &Map, token: &Token, sink: &mut Sink) -> Result<(Span, String)> {
        let (least, greatest) = self.kind.limits();
        let (mut lower, mut upper) = ((None, true), (None, true));
        for (key, value) in map.iter() {
            *sink.shown = Some(java_hashed_text(value));
            let refuse = |what: String| {
                let name = &field.name;
                Err(Error::new(ErrorKind::MapperParsing, format!("error parsing field [{name}], {what}")))
            };
            let (end, side) = match key {
                "gt" | "gte" => (&mut lower, "lower bound (gt/gte)"),
                "lt" | "lte" => (&mut upper, "upper bound (lt/lte)"),
                _ if value.is_null() => continue,
                _ => return refuse(format!("with unknown parameter [{key}]")),
            };
            end.1 = key.ends_with('e');
            if value.is_null() {
                continue;
            }
            if end.0.is_some() {
                return refuse(format!("invalid {side}"));
            }
            end.0 = Some(self.kind.read(value, self.coerce, token)?);
        }
        let (lower, upper) = ((lower.0.unwrap_or(least), lower.1), (upper.0.unwrap_or(greatest), upper.1));
        let shown = self.show_range(lower, upper);
        let lo = if lower.1 { lower.0 } else { self.kind.step(lower.0, true)? };
        let hi = if upper.1 { upper.0 } else { self.kind.step(upper.0, false)? };
        // Only what is indexed has its ends compared.
        if lo > hi && self.indexed {
            *sink.shown = Some("null".to_owned());
            let (lo, hi) = (self.kind.show(lo), self.kind.show(hi));
            return Err(Error::illegal_argument(format!("min value ({lo}) is greater than max value ({hi})")));
        }
        *sink.shown = None;
        Ok((Span { lo, hi }, shown))
    }

    fn show_range(&self, lower: (u128, bool), upper: (u128, bool)) -> String {
        let (open, close) = (if lower.1 { '[' } else { '(' }, if upper.1 { ']' } else { ')' });
        format!("{open}{} : {}{close}", self.kind.show_stored(lower.0), self.kind.show_stored(upper.0))
    }
}

impl FieldType for Range {
    fn takes(&self) -> Takes {
        Takes::Objects
    }

    fn family(&self) -> Family {
        Family::Range
    }

    fn index<'a>(&self, field: &Field, token: &Token<'a>, sink: &mut Sink<'_, 'a>) -> Result<()> {
        let (span, shown) = match self.read(field, token, sink) {
            Ok(Some(read)) => read,
            Ok(None) => return Ok(()),
            // An object is passed over only for a value that its ends do not take.
            Err(error)
                if self.ignore_malformed
                    && (token.value != Scalar::Object
                        || matches!(error.kind(), ErrorKind::IllegalArgument | ErrorKind::NumberFormat)) =>
            {
                *sink.shown = None;
                // Of what is no range at all the reference says nothing.
                if token.value == Scalar::Object
                    || matches!((&self.kind, &token.value), (RangeKind::Ip, Scalar::String(_)))
                {
                    sink.ignore(field);
                }
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let value: Cow<[u8]> = Cow::Owned(span.encode(self.kind.width()));
        if self.stored {
            sink.push(FieldOp::Stored { field: field.id, value: StoredValue::String(shown) });
        }
        if self.doc_values {
            sink.push(FieldOp::Ordinal { field: field.id, value: value.clone() });
        } else if self.indexed || self.stored {
            sink.push(FieldOp::Exists { field: field.id });
        }
        if self.indexed {
            sink.push(FieldOp::Term { field: field.id, value });
        }
        Ok(())
    }

    /// Ranges that a value is in; of a date, that its day overlaps.
    fn term(&self, _field: &Field, value: &Value, cx: &DateContext) -> Result<Exact> {
        let bounds = RangeBounds::default();
        let lo = self.kind.read_query(value, &bounds, false, cx.now_ms)?;
        let hi = self.kind.read_query(value, &bounds, true, cx.now_ms)?;
        self.check_order(lo, hi)?;
        Ok(Exact::Matching(self.lies(Span { lo, hi }, Relation::Intersects)))
    }

    fn range(&self, _field: &Field, bounds: &RangeBounds, now_ms: i64) -> Result<FieldRange> {
        let (least, greatest) = self.kind.limits();
        let lower = match bounds.lower() {
            None => (least, true),
            Some((value, included)) => (self.kind.read_query(value, bounds, !included, now_ms)?, included),
        };
        let upper = match bounds.upper() {
            None => (greatest, true),
            Some((value, included)) => (self.kind.read_query(value, bounds, included, now_ms)?, included),
        };
        self.check_order(lower.0, upper.0)?;
        let lo = if lower.1 { lower.0 } else { self.kind.step(lower.0, true)? };
        let hi = if upper.1 { upper.0 } else { self.kind.step(upper.0, false)? };
        Ok(FieldRange::Matching(self.lies(Span { lo, hi }, bounds.relation)))
    }

    fn doc_value_format(&self, field: &Field, format: Option<&str>, zone: Option<&str>) -> Result<DocValueFormat> {
        super::no_format(field, format, zone)?;
        Ok(DocValueFormat::Text)
    }

    fn searches_doc_values(&self) -> bool {
        false
    }

    fn range_ends(&self, term: &[u8]) -> Option<(f64, f64)> {
        let Span { lo, hi } = Span::decode(term)?;
        Some((self.kind.number(lo)?, self.kind.number(hi)?))
    }

    fn range_format(&self, format: Option<&str>, time_zone: Option<&str>) -> Result<DocValueFormat> {
        let RangeKind::Date(own) = &self.kind else {
            return format.map_or(Ok(DocValueFormat::Raw(NumberKind::Double)), DocValueFormat::decimal);
        };
        let format = format.map_or_else(|| Ok(own.clone()), |pattern| DateFormat::parse(pattern).map(Arc::new))?;
        let zone = time_zone.map_or(Ok(Zone::Utc), Zone::parse)?;
        Ok(DocValueFormat::Date { format, zone, nanos: false })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_come_back_and_lie_as_they_should() {
        let term = Span { lo: 5, hi: 9 }.encode(8);
        assert_eq!((term.len(), Span::decode(&term)), (16, Some(Span { lo: 5, hi: 9 })));
        let lies = |lo, hi, relation| {
            let shown = (String::new(), String::new());
            Lies { span: Span { lo, hi }, relation, shown }.matches(&term)
        };
        assert!(lies(9, 12, Relation::Intersects) && !lies(10, 12, Relation::Intersects));
        assert!(lies(6, 7, Relation::Contains) && !lies(4, 7, Relation::Contains));
        assert!(lies(5, 9, Relation::Within) && !lies(6, 9, Relation::Within));
    }
}
