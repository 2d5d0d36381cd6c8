//! `version`: semantic versions. Terms are the texts; doc values are texts whose order is that of the versions.

use super::{Built, FieldContext, FieldType, PLAIN_TERMS, TypeRow, bare_spec, no_check};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::mapping::doc_value::DocValueFormat;
use crate::mapping::document::{Scalar, Sink, Token};
use crate::mapping::field::{
    DateContext, DocValues, Exact, Family, Field, FieldRange, IndexSpec, Indexed, RangeBounds, TermTest,
};
use crate::mapping::params::{Default, Kind, META, Param, Params, java_text};
use crate::segment::StoredValue;
use crate::writer::FieldOp;
use std::borrow::Cow;
use std::ops::Bound;
use std::ops::RangeBounds as _;
use std::sync::Arc;

pub static ROW: TypeRow =
    TypeRow { name: "version", params: PARAMS, fields_before: None, plain: true, check: no_check, build };

static PARAMS: &[Param] = &[
    Param::bool("index", true).always_shown(),
    Param::new("store", Kind::Bool, Default::Bool(false)),
    Param::bool("doc_values", true),
    META,
];

struct SemanticVersion {
    indexed: bool,
    doc_values: bool,
    stored: bool,
}

fn build(params: &Params, _: &FieldContext) -> Result<Built> {
    let flag = |name| params.get(PARAMS, name) == &Value::Bool(true);
    let kind = SemanticVersion { indexed: flag("index"), doc_values: flag("doc_values"), stored: flag("store") };
    let spec = IndexSpec {
        indexed: if kind.indexed { PLAIN_TERMS } else { Indexed::No },
        doc_values: if kind.doc_values { DocValues::Ordinals } else { DocValues::None },
        stored: kind.stored,
        ..bare_spec()
    };
    Ok(Built { spec, kind: Box::new(kind) })
}

/// A version as text whose byte order is the order of versions: numbers padded, and releases after what leads up to them.
/// What is built (`+…`) makes no difference.
fn ordered(text: &str) -> Option<String> {
    let (rest, built) = text.split_once('+').map_or((text, None), |(rest, built)| (rest, Some(built)));
    let (numbers, before) = rest.split_once('-').map_or((rest, None), |(numbers, before)| (numbers, Some(before)));
    let plain = |part: &str| {
        let word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        part.split('.').all(word)
    };
    if !built.into_iter().chain(before).all(plain) {
        return None;
    }
    let mut padded = Vec::with_capacity(3);
    for number in numbers.split('.') {
        let digits = !number.is_empty() && number.len() <= 20 && number.bytes().all(|b| b.is_ascii_digit());
        let canonical = number == "0" || !number.starts_with('0');
        padded.push((digits && canonical).then(|| format!("{number:0>20}"))?);
    }
    let [major, minor, patch]: [String; 3] = padded.try_into().ok()?;
    Some(match before {
        Some(before) => format!("{major}.{minor}.{patch}-{}", before.to_lowercase()),
        None => format!("{major}.{minor}.{patch}~"),
    })
}

/// A version as it is read: what surrounds it and brackets are left out, and parts may be told apart by white space.
fn cleaned(text: &str) -> String {
    let bare: String = text.trim_matches(|c: char| c <= ' ').chars().filter(|c| !matches!(c, '[' | ']')).collect();
    let is_space = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c');
    let mut parts = bare.split(is_space).enumerate().filter(|(at, part)| *at == 0 || !part.is_empty());
    let mut out = parts.next().map(|(_, part)| part.to_owned()).unwrap_or_default();
    for (_, part) in parts {
        out.push('.');
        out.push_str(part);
    }
    out
}

/// Versions between two others.
#[derive(Debug)]
struct Between {
    field: Arc<str>,
    lower: Bound<String>,
    upper: Bound<String>,
}

impl TermTest for Between {
    fn matches(&self, term: &[u8]) -> bool {
        let Ok(text) = std::str::from_utf8(term) else { return false };
        // Columns have versions as they are ordered.
        let version = ordered(text).unwrap_or_else(|| text.to_owned());
        (self.lower.clone(), self.upper.clone()).contains(&version)
    }

    fn text(&self) -> String {
        let show = |text: &str| {
            let bytes: Vec<String> = text.bytes().map(|b| format!("{b:x}")).collect();
            format!("[{}]", bytes.join(" "))
        };
        let lower = match &self.lower {
            Bound::Included(text) => format!("[{}", show(text)),
            Bound::Excluded(text) => format!("{{{}", show(text)),
            Bound::Unbounded => "{*".to_owned(),
        };
        let upper = match &self.upper {
            Bound::Included(text) => format!("{}]", show(text)),
            Bound::Excluded(text) => format!("{}}}", show(text)),
            Bound::Unbounded => "*}".to_owned(),
        };
        format!("{}._normalized:{lower} TO {upper}", self.field)
    }
}

impl FieldType for SemanticVersion {
    fn family(&self) -> Family {
        Family::SemanticVersion
    }

    fn index<'a>(&self, field: &Field, token: &Token<'a>, sink: &mut Sink<'_, 'a>) -> Result<()> {
        if token.value == Scalar::Null {
            return Ok(());
        }
        let text = token.text()?;
        if text.is_empty() {
            return Err(Error::illegal_argument("Version string cannot be null or empty"));
        }
        let cleaned = cleaned(&text);
        let Some(ordered) = ordered(&cleaned) else {
            return Err(Error::illegal_argument(format!("Invalid semantic version format: [{cleaned}]")));
        };
        if self.stored {
            sink.push(FieldOp::Stored { field: field.id, value: StoredValue::String(text.clone().into_owned()) });
        }
        if self.doc_values {
            sink.push(FieldOp::Ordinal { field: field.id, value: Cow::Owned(ordered.into_bytes()) });
        }
        if self.indexed {
            let value = match text {
                Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
                Cow::Owned(text) => Cow::Owned(text.into_bytes()),
            };
            sink.push(FieldOp::Term { field: field.id, value });
        }
        Ok(())
    }

    fn term(&self, _field: &Field, value: &Value, _cx: &DateContext) -> Result<Exact> {
        Ok(Exact::Bytes(java_text(value).into_bytes()))
    }

    fn range(&self, field: &Field, bounds: &RangeBounds, _now_ms: i64) -> Result<FieldRange> {
        let (lower, upper) = (bounds.lower(), bounds.upper());
        let refuse = || {
            let show = |bound: Option<(&Value, bool)>| match bound {
                None => "null".to_owned(),
                Some((value, _)) => {
                    let bytes: Vec<String> = java_text(value).bytes().map(|b| format!("{b:x}")).collect();
                    format!("[{}]", bytes.join(" "))
                }
            };
            let (name, lower, upper) = (&field.name, show(lower), show(upper));
            Error::new(
                ErrorKind::QueryShard,
                format!(
                    "Failed to create range query for field [{name}]. Lower term: [{lower}], Upper term: [{upper}]"
                ),
            )
        };
        let bound = |bound: Option<(&Value, bool)>| match bound {
            None => Ok(Bound::Unbounded),
            Some((value, included)) => {
                let version = ordered(&java_text(value)).ok_or_else(refuse)?;
                Ok(if included { Bound::Included(version) } else { Bound::Excluded(version) })
            }
        };
        Ok(FieldRange::Matching(Arc::new(Between {
            field: field.name.clone(),
            lower: bound(lower)?,
            upper: bound(upper)?,
        })))
    }

    fn doc_value_format(&self, field: &Field, format: Option<&str>, time_zone: Option<&str>) -> Result<DocValueFormat> {
        super::no_format(field, format, time_zone)?;
        Ok(DocValueFormat::Text)
    }

    fn check_aggregatable(&self, field: &Field) -> Result<()> {
        if field.spec.doc_values != DocValues::None {
            return Ok(());
        }
        Err(Error::illegal_argument(format!("Field [{}] does not have doc_values enabled", field.name)))
    }
}

#[cfg(test)]
mod tests {
    use super::ordered;

    #[test]
    fn the_order_of_texts_is_that_of_versions() {
        let versions = ["0.1.0", "1.2.3-alpha.1+build", "1.2.3-alpha.beta", "1.2.3", "1.10.0", "2.0.0"];
        assert!(versions.map(|version| ordered(version).unwrap()).is_sorted());
        for wrong in ["1.2", "5", "x", "1.2.3-", "1.2.3+", "01.2.3", "1.2.3.4", ""] {
            assert_eq!(ordered(wrong), None, "{wrong}");
        }
    }
}
