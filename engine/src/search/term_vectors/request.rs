//! A request for term vectors.

use super::filter::Filter;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Map, Value};
use crate::shard::VersionType;

/// Which document's vectors are wanted, and what of them.
#[derive(Clone, Debug)]
pub struct TermVectorsRequest {
    pub index: Option<String>,
    pub id: Option<String>,
    /// A document that is in no index.
    pub doc: Option<Value>,
    pub routing: Option<String>,
    /// The version that the document must have.
    pub version: Option<u64>,
    /// Whether writes that no refresh has made visible are seen.
    pub realtime: bool,
    /// Names and patterns; none: the fields whose mapping keeps vectors.
    pub fields: Option<Vec<String>>,
    pub offsets: bool,
    pub positions: bool,
    pub payloads: bool,
    pub term_statistics: bool,
    pub field_statistics: bool,
    /// Fields, and the analyzers that count for them instead of their own.
    pub per_field_analyzer: Vec<(String, String)>,
    pub filter: Option<Filter>,
}

impl Default for TermVectorsRequest {
    fn default() -> Self {
        Self {
            index: None,
            id: None,
            doc: None,
            routing: None,
            version: None,
            realtime: true,
            fields: None,
            offsets: true,
            positions: true,
            payloads: true,
            term_statistics: false,
            field_statistics: true,
            per_field_analyzer: vec![],
            filter: None,
        }
    }
}

impl TermVectorsRequest {
    /// Takes what the body (or one of several documents in it) says.
    pub fn take_body(&mut self, body: &Map) -> Result<()> {
        for (key, value) in body.iter() {
            match key {
                "fields" => match value {
                    // An empty list is none.
                    Value::Array(items) => {
                        self.fields = (!items.is_empty()).then(|| items.iter().map(Value::to_text).collect());
                    }
                    _ => return Err(failed("field [fields] must be an array")),
                },
                "offsets" => self.offsets = flag(value)?,
                "positions" => self.positions = flag(value)?,
                "payloads" => self.payloads = flag(value)?,
                "term_statistics" | "termStatistics" => self.term_statistics = flag(value)?,
                "field_statistics" | "fieldStatistics" => self.field_statistics = flag(value)?,
                "dfs" => {
                    let reason = "distributed frequencies is not supported anymore for term vectors";
                    return Err(Error::illegal_argument(reason));
                }
                "per_field_analyzer" | "perFieldAnalyzer" => self.per_field_analyzer = analyzers(value)?,
                "filter" => self.filter = Some(Filter::parse(value)?),
                "_index" => self.index = Some(value.to_text()),
                "_id" if self.doc.is_some() => return Err(one_or_the_other()),
                "_id" => self.id = Some(value.to_text()),
                "doc" if self.id.is_some() => return Err(one_or_the_other()),
                "doc" => self.doc = Some(value.clone()),
                "routing" => self.routing = Some(value.to_text()),
                "version" => {
                    let text = value.to_text();
                    let number: i64 = text.parse().map_err(|_| number_format(&text))?;
                    self.version = u64::try_from(number).ok();
                }
                // Whatever its type, a version in a read is one that the document must have.
                "version_type" => drop(VersionType::parse(&value.to_text())?),
                _ => return Err(failed(&format!("unknown field [{key}]"))),
            }
        }
        Ok(())
    }

    /// What makes the request none that can be answered.
    pub fn problems(&self) -> Vec<String> {
        let mut problems = vec![];
        if self.index.is_none() {
            problems.push("index is missing".to_owned());
        }
        if self.id.is_none() && self.doc.is_none() {
            problems.push("id or doc is missing".to_owned());
        }
        problems
    }
}

#[cold]
pub(super) fn failed(reason: &str) -> Error {
    Error::new(ErrorKind::Parse, format!("failed to parse term vectors request. {reason}"))
}

#[cold]
fn one_or_the_other() -> Error {
    failed("either [id] or [doc] can be specified, but not both!")
}

#[cold]
pub(super) fn number_format(text: &str) -> Error {
    Error::new(ErrorKind::NumberFormat, format!("For input string: \"{text}\""))
}

fn flag(value: &Value) -> Result<bool> {
    match (value, value.to_text().as_str()) {
        (Value::Bool(flag), _) => Ok(*flag),
        (_, "true") => Ok(true),
        (_, "false") => Ok(false),
        (_, other) => Err(Error::illegal_argument(format!(
            "Failed to parse value [{other}] as only [true] or [false] are allowed."
        ))),
    }
}

fn analyzers(value: &Value) -> Result<Vec<(String, String)>> {
    let Value::Object(map) = value else {
        return Err(failed("[per_field_analyzer] must be an object"));
    };
    map.iter()
        .map(|(field, name)| match name {
            Value::String(name) => Ok((field.to_owned(), name.clone())),
            _ => Err(failed("expecting the analyzer at each field to be a string")),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(body: &str) -> String {
        let body = crate::json::parse(body.as_bytes()).unwrap();
        let error = TermVectorsRequest::default().take_body(body.as_object().unwrap()).unwrap_err();
        error.reason().to_owned()
    }

    #[test]
    fn an_empty_list_of_fields_is_none() {
        let mut request = TermVectorsRequest::default();
        let body = crate::json::parse(br#"{"fields":[]}"#).unwrap();
        request.take_body(body.as_object().unwrap()).unwrap();
        assert_eq!(request.fields, None);
    }

    #[test]
    fn mistakes() {
        let prefix = "failed to parse term vectors request.";
        assert_eq!(reason(r#"{"foo":1}"#), format!("{prefix} unknown field [foo]"));
        assert_eq!(reason(r#"{"fields":"y"}"#), format!("{prefix} field [fields] must be an array"));
        let both = format!("{prefix} either [id] or [doc] can be specified, but not both!");
        assert_eq!(reason(r#"{"_id":"1","doc":{}}"#), both);
        assert_eq!(reason(r#"{"doc":{},"_id":"1"}"#), both);
        assert_eq!(
            TermVectorsRequest::default().problems(),
            ["index is missing".to_owned(), "id or doc is missing".to_owned()]
        );
    }
}
