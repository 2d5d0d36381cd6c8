//! `date` (milliseconds since 1970) and `date_nanos` (nanoseconds).

use super::numeric::{number_spec, push_number};
use super::{Built, FieldContext, FieldType, TypeRow, note_no_null_value};
use crate::error::{Error, Result};
use crate::json::Value;
use crate::mapping::date::{DateFormat, Names, Resolution, Zone};
use crate::mapping::doc_value::DocValueFormat;
use crate::mapping::document::{Scalar, Sink, Token};
use crate::mapping::field::{DateContext, Exact, Family, Field, FieldRange, RangeBounds};
use crate::mapping::locale::read_locale;
use crate::mapping::params::{
    BOOST, DOC_VALUES, Default, IGNORE_MALFORMED, INDEX, Kind, META, Param, Params, SKIP_LIST, STORE, java_text,
};
use crate::segment::StoredValue;
use crate::writer::FieldOp;
use std::borrow::Cow;
use std::sync::Arc;

pub static ROW: TypeRow = TypeRow {
    name: "date",
    params: PARAMS,
    fields_before: None,
    plain: true,
    check: check_millis,
    build: build_millis,
};

pub static NANOS_ROW: TypeRow = TypeRow {
    name: "date_nanos",
    params: NANOS_PARAMS,
    fields_before: None,
    plain: true,
    check: check_nanos,
    build: build_nanos,
};

/// The format of dates that name none.
pub const DEFAULT_FORMAT: &str = "strict_date_optional_time||epoch_millis";

/// Without one, or with this very one, dates are shown by their `format`.
const DEFAULT_PRINT_FORMAT: &str = "strict_date_optional_time";
const PRINT_FORMAT: Param = Param::new("print_format", Kind::Text, Default::Text(DEFAULT_PRINT_FORMAT)).nullable();
const LOCALE: Param = Param::new("locale", Kind::Own(read_locale), Default::Text(""));
const NULL_VALUE: Param = Param::new("null_value", Kind::Text, Default::None).nullable();
const FORMAT: Param = Param::new("format", Kind::Text, Default::Text(DEFAULT_FORMAT));

static PARAMS: &[Param] =
    &[INDEX, DOC_VALUES, STORE, SKIP_LIST, FORMAT, PRINT_FORMAT, LOCALE, NULL_VALUE, IGNORE_MALFORMED, BOOST, META];
static NANOS_PARAMS: &[Param] = PARAMS;

struct Date {
    format: Arc<DateFormat>,
    /// What values are written with.
    print_format: Arc<DateFormat>,
    resolution: Resolution,
    indexed: bool,
    doc_values: bool,
    stored: bool,
    ignore_malformed: bool,
    null_value: Option<Value>,
    null_date: Option<i64>,
    /// The language of names.
    names: Names,
}

fn names_of(params: &Params) -> Names {
    Names::of_locale(params.get(PARAMS, "locale").as_str().unwrap_or_default())
}

fn check_millis(params: &mut Params, cx: &FieldContext) -> Result<()> {
    check(Resolution::Millis, params, cx)
}

fn check_nanos(params: &mut Params, cx: &FieldContext) -> Result<()> {
    check(Resolution::Nanos, params, cx)
}

/// Names of months and days are read and written in the language of the locale.
fn check(resolution: Resolution, params: &Params, cx: &FieldContext) -> Result<()> {
    let format = parse_format(params.get(PARAMS, "format"), "format", names_of(params), cx)?;
    if !params.get(PARAMS, "print_format").is_null() {
        parse_format(params.get(PARAMS, "print_format"), "print_format", names_of(params), cx)?;
    }
    if let Some(text) = params.given(PARAMS, "null_value").and_then(Value::as_str)
        && resolution.parse(&format, text).is_err()
    {
        note_no_null_value(text, "date", cx);
    }
    Ok(())
}

fn parse_format(pattern: &Value, param: &str, names: Names, cx: &FieldContext) -> Result<Arc<DateFormat>> {
    DateFormat::parse_in(&java_text(pattern), names).map(Arc::new).map_err(|cause| {
        let field = cx.short_name();
        let cause = match param {
            "print_format" => {
                Error::illegal_argument(format!("Invalid print format: {}", cause.reason())).caused_by(cause)
            }
            _ => cause,
        };
        let reason = cause.reason();
        Error::illegal_argument(format!("Error parsing [format] on field [{field}]: {reason}")).caused_by(cause)
    })
}

fn build_millis(params: &Params, cx: &FieldContext) -> Result<Built> {
    build(Resolution::Millis, params, cx)
}

fn build_nanos(params: &Params, cx: &FieldContext) -> Result<Built> {
    build(Resolution::Nanos, params, cx)
}

fn build(resolution: Resolution, params: &Params, cx: &FieldContext) -> Result<Built> {
    let flag = |name| params.get(PARAMS, name) == &Value::Bool(true);
    let format = parse_format(params.get(PARAMS, "format"), "format", names_of(params), cx)?;
    let own = params.given(PARAMS, "print_format").filter(|pattern| pattern.as_str() != Some(DEFAULT_PRINT_FORMAT));
    let print_format = match own {
        Some(pattern) => {
            let print = parse_format(pattern, "print_format", names_of(params), cx)?;
            Arc::new(format.written_by(&print))
        }
        None => format.clone(),
    };
    let null_value = params.given(PARAMS, "null_value").cloned();
    let kind = Date {
        // One that is no date stands for nothing.
        null_date: null_value.as_ref().and_then(|value| resolution.parse(&format, value.as_str()?).ok()),
        null_value,
        format,
        print_format,
        names: names_of(params),
        resolution,
        indexed: flag("index"),
        doc_values: flag("doc_values"),
        stored: flag("store"),
        ignore_malformed: flag("ignore_malformed"),
    };
    Ok(Built { spec: number_spec(kind.indexed, kind.doc_values, kind.stored), kind: Box::new(kind) })
}

impl Date {
    fn read(&self, token: &Token) -> Result<i64> {
        if let (Scalar::String(text), Resolution::Millis) = (&token.value, self.resolution)
            && let Some(millis) = self.format.parse_fast(text)
        {
            return Ok(millis);
        }
        self.resolution.parse(&self.format, &token.text()?)
    }

    /// One end of a range as an inclusive encoded number.
    fn bound(&self, text: &str, round_up: bool, format: &DateFormat, zone: &Zone, now_ms: i64) -> Result<i64> {
        format.parse_math(text, now_ms, round_up, zone, self.resolution)
    }

    fn query_format(&self, format: Option<&str>) -> Result<Cow<'_, DateFormat>> {
        match format {
            Some(pattern) => DateFormat::parse_in(pattern, self.names).map(Cow::Owned),
            None => Ok(Cow::Borrowed(&self.format)),
        }
    }
}

impl FieldType for Date {
    fn family(&self) -> Family {
        Family::Date
    }

    fn index<'a>(&self, field: &Field, token: &Token<'a>, sink: &mut Sink<'_, 'a>) -> Result<()> {
        let value = match &token.value {
            Scalar::Null => match self.null_date {
                None => return Ok(()),
                Some(date) => date,
            },
            _ => match self.read(token) {
                Ok(value) => value,
                Err(_) if self.ignore_malformed => {
                    sink.ignore_scalar(field, token);
                    return Ok(());
                }
                Err(error) => return Err(error),
            },
        };
        push_number(field, value, self.indexed, self.doc_values, sink);
        if self.stored {
            let text = match self.resolution {
                Resolution::Millis => self.print_format.format(value, &Zone::Utc),
                Resolution::Nanos => self.print_format.format_nanos(value, &Zone::Utc),
            };
            sink.push(FieldOp::Stored { field: field.id, value: StoredValue::String(text) });
        }
        if !self.doc_values && (self.indexed || self.stored) {
            sink.push(FieldOp::Exists { field: field.id });
        }
        Ok(())
    }

    /// A date without a time stands for its whole day, `now/M` for the month.
    fn term(&self, field: &Field, value: &Value, cx: &DateContext) -> Result<Exact> {
        let bounds = RangeBounds { gte: Some(value), lte: Some(value), ..RangeBounds::default() };
        Ok(match self.range(field, &bounds, cx.now_ms)? {
            FieldRange::Numbers(lo, hi) if lo == hi => Exact::Number(lo),
            FieldRange::Numbers(lo, hi) => Exact::Numbers(lo, hi),
            _ => Exact::Nothing,
        })
    }

    fn range(&self, _field: &Field, bounds: &RangeBounds, now_ms: i64) -> Result<FieldRange> {
        let format = self.query_format(bounds.format)?;
        let zone = bounds.time_zone.map_or(Ok(Zone::Utc), Zone::parse)?;
        let (mut lo, mut hi) = (i64::MIN, i64::MAX);
        if let Some((value, included)) = bounds.lower() {
            let date = self.bound(&java_text(value), !included, &format, &zone, now_ms)?;
            match date.checked_add(i64::from(!included)) {
                Some(bound) => lo = bound,
                None => return Ok(FieldRange::Nothing),
            }
        }
        if let Some((value, included)) = bounds.upper() {
            let date = self.bound(&java_text(value), included, &format, &zone, now_ms)?;
            match date.checked_sub(i64::from(!included)) {
                Some(bound) => hi = bound,
                None => return Ok(FieldRange::Nothing),
            }
        }
        Ok(FieldRange::Numbers(lo, hi))
    }

    fn doc_value_format(
        &self,
        _field: &Field,
        format: Option<&str>,
        time_zone: Option<&str>,
    ) -> Result<DocValueFormat> {
        let format = match format {
            Some(pattern) => Arc::new(DateFormat::parse_in(pattern, self.names)?),
            None => self.print_format.clone(),
        };
        let zone = time_zone.map_or(Ok(Zone::Utc), Zone::parse)?;
        Ok(DocValueFormat::Date { format, zone, nanos: self.resolution == Resolution::Nanos })
    }

    fn parse_missing_date(&self, _field: &Field, value: &Value, how: &RangeBounds, now_ms: i64) -> Result<i64> {
        let zone = how.time_zone.map_or(Ok(Zone::Utc), Zone::parse)?;
        self.query_format(how.format)?.parse_math(&java_text(value), now_ms, false, &zone, Resolution::Millis)
    }

    fn parse_missing_number(&self, _field: &Field, value: &Value, cx: &DateContext) -> Result<i64> {
        if let (Value::Int(number), Resolution::Millis) = (value, self.resolution) {
            return Ok(*number);
        }
        self.bound(&java_text(value), false, &self.format, &Zone::Utc, cx.now_ms)
    }

    fn null_value(&self) -> Option<&Value> {
        self.null_value.as_ref()
    }

    fn date_format(&self) -> Option<&Arc<DateFormat>> {
        Some(&self.format)
    }
}
