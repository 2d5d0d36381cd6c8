//! Values that a request names, as the fields of an aggregation have them: bounds, and what is included or excluded.

use super::format::Format;
use super::source::{Recode, Source};
use super::source_config::{named_number, parse_boolean, plain_number, read_double};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::mapping::date::{Resolution, Zone};
use crate::mapping::number::NumberKind;
use crate::mapping::{DateContext, DocValueFormat, Family, Field, FieldRange, RangeBounds, parse_ip, parse_java_f64};

impl Source {
    /// A bound as the request writes it: a number, or text that the field understands (dates, date math).
    pub(crate) fn parse_bound(&self, value: &Value) -> Result<f64> {
        // Bounds of aggregations are milliseconds even where the field has nanoseconds.
        if let Format::Field(DocValueFormat::Date { format, zone, .. }) = &self.format
            && (self.field().is_none() || value.as_f64().is_none())
        {
            let text = value.as_f64().map_or_else(|| value.to_text(), |number| format!("{}", number as i64));
            return format.parse_math(&text, self.now_ms, false, zone, Resolution::Millis).map(|ms| ms as f64);
        }
        if let Some(number) = value.as_f64() {
            let Some(field) = self.field().filter(|field| field.family() == Family::Date) else { return Ok(number) };
            return self.parse_date_number(field, number);
        }
        let text = value.to_text();
        match self.field() {
            Some(field) if field.family() == Family::Date => {
                let bounds = RangeBounds {
                    gte: Some(value),
                    format: self.config.format.as_deref(),
                    time_zone: self.config.time_zone.as_deref(),
                    ..RangeBounds::default()
                };
                match field.range(&bounds, self.now_ms)? {
                    FieldRange::Numbers(low, _) => Ok(self.recode.apply(low) as f64),
                    _ => Err(Error::new(ErrorKind::Parse, format!("failed to parse date field [{text}]"))),
                }
            }
            _ if matches!(self.format, Format::Field(DocValueFormat::Boolean)) => {
                parse_boolean(value).map(|flag| flag as f64)
            }
            field => {
                let number = match (&self.format, &self.config.format) {
                    (Format::Field(DocValueFormat::Decimal(..)), Some(pattern)) => read_double(pattern, &text)?,
                    _ => parse_java_f64(&text)?,
                };
                let is_unsigned = field.and_then(Field::number_kind) == Some(NumberKind::UnsignedLong);
                if is_unsigned && number.fract() != 0.0 {
                    return Err(Error::illegal_argument(format!("Value [{text}] has a decimal part")));
                }
                Ok(number)
            }
        }
    }

    /// A number as a bound of dates: what the field's format takes it for, at that time of the request's zone.
    fn parse_date_number(&self, field: &Field, number: f64) -> Result<f64> {
        let text = Value::from(format!("{}", number as i64));
        let read = |zone: Option<&str>| {
            let format = self.config.format.as_deref();
            let bounds = RangeBounds { gte: Some(&text), format, time_zone: zone, ..RangeBounds::default() };
            match field.range(&bounds, self.now_ms)? {
                FieldRange::Numbers(low, _) => Ok(self.recode.apply(low)),
                _ => Err(Error::new(ErrorKind::Parse, format!("failed to parse date field [{}]", text.to_text()))),
            }
        };
        let Some(zone) = self.config.time_zone.as_deref() else { return read(None).map(|millis| millis as f64) };
        let (plain, zoned) = (read(None)?, read(Some(zone))?);
        if plain != zoned {
            return Ok(zoned as f64);
        }
        // Seconds since 1970 know no zone, but are taken for local time all the same.
        let shift = Zone::parse(zone)?.to_utc(plain.div_euclid(1000)) - plain.div_euclid(1000);
        Ok((plain + shift * 1000) as f64)
    }

    /// The bytes of a term that the request names.
    pub(crate) fn parse_bytes(&self, value: &Value) -> Result<Vec<u8>> {
        match self.field() {
            Some(field) => field.parse_missing_bytes(value),
            None if matches!(self.format, Format::Field(DocValueFormat::Ip)) => {
                Ok(parse_ip(&value.to_text())?.to_vec())
            }
            None => Ok(value.to_text().into_bytes()),
        }
    }

    /// The encoded number of a term that the request names.
    pub(crate) fn parse_number(&self, value: &Value) -> Result<i64> {
        match self.field() {
            Some(field) if field.family() == Family::Boolean => parse_boolean(value),
            // Dates of a request that has a format are written as it says.
            Some(field) if field.family() == Family::Date && self.config.format.is_some() => {
                self.parse_bound(&Value::from(value.to_text())).map(|date| date as i64)
            }
            Some(field) => {
                let dates = DateContext { now_ms: self.now_ms };
                let number = match (&self.config.format, field.number_kind()) {
                    // Whole ones are read as doubles, too.
                    (Some(pattern), Some(kind)) if kind != NumberKind::UnsignedLong => {
                        let number = read_double(pattern, &value.to_text())?;
                        match kind.is_integer() {
                            true => number.floor() as i64,
                            false => named_number(field, &Value::Float(number), &dates)?,
                        }
                    }
                    _ => named_number(field, value, &dates)?,
                };
                Ok(self.recode.apply(number))
            }
            // Nothing has a value that could be this one.
            None if !self.is_scripted() && !self.has_missing() => Ok(0),
            None => self.parse_plain(&Value::from(value.to_text())),
        }
    }

    /// The same where no mapping knows the numbers: as they are written, or as dates and flags.
    fn parse_plain(&self, text: &Value) -> Result<i64> {
        // Of derived fields and what scripts make of fields they are numbers as they are written, whatever the values are.
        if let Some(script) = self.script.as_ref().filter(|script| script.is_of_field()) {
            let number = plain_number(text)?;
            return Ok(if script.integral { number as i64 } else { script.kind().encode_saturating(number) });
        }
        match &self.format {
            Format::Field(DocValueFormat::Date { .. }) => return self.parse_bound(text).map(|date| date as i64),
            Format::Field(DocValueFormat::Boolean) => return parse_boolean(text),
            _ => {}
        }
        let number = self.config.unmapped_number(text)?;
        let of_script = self.script.as_ref().filter(|script| !script.integral).map(|script| script.kind());
        let doubles = matches!(self.recode, Recode::Doubles(_)).then_some(NumberKind::Double);
        Ok(match of_script.or(doubles) {
            Some(kind) => kind.encode_saturating(number),
            None => number.floor() as i64,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::search::tests::{search, shard};

    #[test]
    fn no_numbers_that_are_included_are_all() {
        let cx = shard(r#"{"properties":{"n":{"type":"long"},"k":{"type":"keyword"}}}"#, &[&[r#"{"n":5,"k":"a"}"#]]);
        for (field, buckets) in [("n", r#""buckets":[{"key":5,"doc_count":1}]"#), ("k", r#""buckets":[]"#)] {
            let terms = format!(r#"{{"field":"{field}","include":[]}}"#);
            let answer = search(&cx, &format!(r#"{{"size":0,"aggs":{{"a":{{"terms":{terms}}}}}}}"#));
            assert!(answer.contains(buckets), "{answer}");
        }
    }

    #[test]
    fn terms_that_a_request_names_are_read_by_its_format() {
        let cx = shard(r#"{"properties":{"n":{"type":"long"}}}"#, &[&[r#"{"n":9223372036854775807}"#, r#"{"n":5}"#]]);
        let ask = |include: &str| {
            let terms = format!(r#"{{"field":"n","include":{include},"format":"0.0"}}"#);
            search(&cx, &format!(r#"{{"size":0,"aggs":{{"a":{{"terms":{terms}}}}}}}"#))
        };
        // As a double it is the greatest one.
        assert!(ask(r#"["9223372036854775806"]"#).contains(r#""key":9223372036854775807,"#));
        assert!(ask(r#"["5.7"]"#).contains(r#""key":5,"#));
        assert!(ask(r#"["x"]"#).contains(r#"java.text.ParseException: Unparseable number: "x""#));
    }
}
