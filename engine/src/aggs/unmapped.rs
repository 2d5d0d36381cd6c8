//! Values that no field of a mapping tells the kind of: those that stand in for a field that is not there, and those of scripts. Of what
//! kind they are, and which aggregations take that kind.

use super::accepted::{OF_NUMBERS, OF_PLACES_ALONE, OF_PLAIN_NUMBERS};
use super::format::Format;
use super::scripted::date_format;
use super::source::{Missing, Recode, Source};
use super::source_config::{SourceConfig, parse_boolean, plain_number, read_by};
use crate::error::{Error, Result};
use crate::json::Value;
use crate::mapping::number::NumberKind;
use crate::mapping::{DocValueFormat, java_text, parse_ip};
use crate::query::ShardContext;

/// What the values of a field would be, as the request says or else as the aggregation expects.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Values {
    Texts,
    Numbers,
    Dates,
    Booleans,
    Addresses,
}

impl Values {
    pub(super) fn of(value_type: Option<&str>, agg_type: &str) -> Self {
        match value_type {
            Some("string") => Self::Texts,
            Some("ip") => Self::Addresses,
            Some("date") => Self::Dates,
            Some("boolean") => Self::Booleans,
            Some(_) => Self::Numbers,
            None if agg_type == "ip_range" => Self::Addresses,
            None if agg_type.contains("date") => Self::Dates,
            None if OF_NUMBERS.contains(&agg_type) => Self::Numbers,
            None => Self::Texts,
        }
    }

    pub(super) fn are_numeric(self) -> bool {
        !matches!(self, Self::Texts | Self::Addresses)
    }

    pub(super) fn are_taken(self, agg_type: &str) -> bool {
        match agg_type {
            kind if OF_PLACES_ALONE.contains(&kind) => false,
            "ip_range" => self == Self::Addresses,
            "diversified_sampler" => self != Self::Addresses,
            _ if OF_PLAIN_NUMBERS.contains(&agg_type) => self == Self::Numbers,
            _ if OF_NUMBERS.contains(&agg_type) => !matches!(self, Self::Texts | Self::Addresses),
            _ => true,
        }
    }
}

impl SourceConfig {
    /// Whether values that no mapping knows are texts to what only tells them apart.
    pub(super) fn are_texts(&self) -> bool {
        !Values::of(self.value_type.as_deref(), "terms").are_numeric()
    }

    /// What stands in for a field that no mapping knows. It is read before the aggregation is asked whether it takes such values.
    pub(super) fn resolve_unmapped(&self, cx: &ShardContext, agg_type: &str) -> Result<Source> {
        let values = Values::of(self.value_type.as_deref(), agg_type);
        let format = match values {
            Values::Texts if self.missing.is_some() => Format::Raw,
            // Nobody reads a format that texts have no use for.
            Values::Texts => self.decimal_format().unwrap_or(Format::Raw),
            Values::Numbers => self.decimal_format()?,
            Values::Dates => date_format(self.format.as_deref(), self.time_zone.as_deref())?,
            Values::Booleans => Format::Field(DocValueFormat::Boolean),
            Values::Addresses => Format::Field(DocValueFormat::Ip),
        };
        let numeric = values.are_numeric() || self.missing.is_none();
        let mut source = self.source(None, numeric, Missing::None, format, cx.now_ms);
        if let Some(value) = &self.missing {
            source.missing = match values {
                Values::Texts => Missing::Bytes(value.to_text().into_bytes()),
                Values::Numbers => Missing::Plain(self.unmapped_number(value)?),
                Values::Dates => Missing::Plain(source.parse_bound(&Value::from(java_text(value)))?),
                Values::Booleans => Missing::Plain(parse_boolean(value)? as f64),
                Values::Addresses => Missing::Bytes(parse_ip(&value.to_text())?.to_vec()),
            };
        }
        if matches!(source.missing, Missing::Plain(number) if number.fract() != 0.0) {
            source.recode = Recode::Doubles(NumberKind::Double);
        }
        // Sources of a composite may be places that are nowhere.
        let of_places = self.value_type.is_none() && OF_PLACES_ALONE.contains(&agg_type);
        match of_places || values.are_taken(agg_type) {
            true => Ok(source),
            false => Err(unsupported(agg_type)),
        }
    }

    /// What stands in for numbers that no mapping knows, read by the format of the request if it has one.
    pub(super) fn unmapped_number(&self, value: &Value) -> Result<f64> {
        let Some(pattern) = &self.format else { return plain_number(value) };
        let number = read_by(pattern, &value.to_text())?;
        plain_number(&number)
    }

    pub(super) fn decimal_format(&self) -> Result<Format> {
        let pattern = self.format.as_deref();
        pattern.map_or(Ok(Format::Raw), |pattern| Ok(Format::Field(DocValueFormat::decimal(pattern)?)))
    }
}

#[cold]
fn unsupported(agg_type: &str) -> Error {
    Error::illegal_argument(format!("unmapped field is not supported for aggregation [{agg_type}]"))
}

#[cfg(test)]
mod tests {
    use crate::search::tests::{search, shard};

    #[test]
    fn what_stands_in_is_of_the_type_that_the_request_names() {
        let cx = shard(r#"{"properties":{"k":{"type":"keyword"}}}"#, &[&[r#"{"k":"a"}"#]]);
        for (kind, expected) in [
            (
                r#""median_absolute_deviation":{"field":"no","value_type":"date"}"#,
                "unmapped field is not supported for aggregation [median_absolute_deviation]",
            ),
            (
                r#""geo_distance":{"field":"no","value_type":"long","origin":"1,2","ranges":[{"to":1}]}"#,
                "unmapped field is not supported for aggregation [geo_distance]",
            ),
            // What stands in is read first.
            (r#""geo_bounds":{"field":"no","value_type":"ip","missing":3}"#, "'3' is not an IP string literal."),
            (r#""ip_range":{"field":"no","value_type":"ip","ranges":[{"to":"1.2.3.4"}]}"#, r#""doc_count":0"#),
            (r#""avg":{"field":"no","value_type":"boolean","missing":3}"#, "Cannot parse boolean [3]"),
            (r#""sum":{"field":"no","value_type":"boolean"}"#, r#""value_as_string":"false""#),
            (r#""range":{"field":"no","value_type":"boolean","ranges":[{"to":3}]}"#, r#""key":"*-true""#),
            (
                r#""date_range":{"field":"no","value_type":"long","ranges":[{"to":"now"}]}"#,
                r#"For input string: "now""#,
            ),
            (
                r#""date_histogram":{"field":"no","value_type":"long","missing":3,"fixed_interval":"1d"}"#,
                r#"[{"key":0,"doc_count":1}]"#,
            ),
            (r#""terms":{"field":"no","value_type":"unsigned_long","missing":3}"#, r#"{"key":3,"doc_count":1}"#),
            (r#""terms":{"field":"no","value_type":"double","missing":2.5}"#, r#"{"key":2.5,"doc_count":1}"#),
            // What is chosen among is read as what stands in is, fractions as the whole number below.
            (
                r#""terms":{"field":"no","value_type":"long","missing":3,"include":["3.7"]}"#,
                r#"{"key":3,"doc_count":1}"#,
            ),
            (r#""terms":{"field":"no","value_type":"double","missing":2.5,"exclude":["2"]}"#, r#""key":2.5"#),
            (
                r#""terms":{"field":"no","value_type":"long","missing":3,"exclude":["net"]}"#,
                r#"For input string: "net""#,
            ),
            (r#""terms":{"field":"no","value_type":"long","exclude":["net"]}"#, r#""buckets":[]"#),
            (
                r#""terms":{"field":"no","value_type":"ip","missing":"10.0.0.1","exclude":["net"]}"#,
                "'net' is not an IP string literal.",
            ),
            (
                r#""terms":{"field":"no","value_type":"ip","missing":"10.0.0.1","exclude":["10.0.0.1"]}"#,
                r#""buckets":[]"#,
            ),
            (
                r#""terms":{"field":"no","value_type":"boolean","missing":true,"include":["1"]}"#,
                "Cannot parse boolean [1], expected either [true] or [false]",
            ),
            (
                r#""terms":{"field":"no","value_type":"long","missing":3,"exclude":"n.*"}"#,
                "Use an array of numeric values for include/exclude clauses",
            ),
            (
                r#""date_histogram":{"field":"no","missing":2.5,"format":"yyyy-MM-dd","fixed_interval":"1d"}"#,
                "failed to parse date field [2.5]",
            ),
        ] {
            let answer = search(&cx, &format!(r#"{{"size":0,"aggs":{{"x":{{{kind}}}}}}}"#));
            assert!(answer.contains(expected), "{kind} {answer}");
        }
    }
}
