//! A request for term vectors.

use super::filter::Filter;
use crate::analysis::Analyzer;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Value, java_class};
use crate::mapping::{self, Mapping};
use crate::query::{Field, Node};
use crate::shard::VersionType;
use std::sync::Arc;

/// Which document's vectors are wanted, and what of them.
#[derive(Clone, Debug)]
pub struct TermVectorsRequest {
    pub index: Option<String>,
    pub id: Option<String>,
    /// A document that is in no index.
    pub doc: Option<Value>,
    /// The id that such a document is given, which tells its shard unless there is a routing.
    pub made_id: Option<String>,
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
            made_id: None,
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
    pub fn take_body(&mut self, body: Node) -> Result<()> {
        for field in body.fields() {
            let node = field.node;
            match field.key {
                "fields" => match node.value {
                    // An empty list is none.
                    Value::Array(_) => {
                        let names: Vec<String> = node.items().map(|name| name.text()).collect::<Result<_>>()?;
                        self.fields = Some(names).filter(|names| !names.is_empty());
                    }
                    _ => return Err(failed("field [fields] must be an array")),
                },
                "offsets" => self.offsets = node.bool()?,
                "positions" => self.positions = node.bool()?,
                "payloads" => self.payloads = node.bool()?,
                "term_statistics" | "termStatistics" => self.term_statistics = node.bool()?,
                "field_statistics" | "fieldStatistics" => self.field_statistics = node.bool()?,
                "dfs" => {
                    let reason = "distributed frequencies is not supported anymore for term vectors";
                    return Err(Error::illegal_argument(reason));
                }
                "per_field_analyzer" | "perFieldAnalyzer" => self.per_field_analyzer = named_analyzers(node)?,
                "filter" => self.filter = Some(Filter::parse(node)?),
                "_index" => self.index = Some(node.text()?),
                "_id" if self.doc.is_some() => return Err(one_or_the_other()),
                "_id" => self.id = Some(node.text()?),
                "doc" if self.id.is_some() => return Err(one_or_the_other()),
                "doc" => self.doc = Some(node.value.clone()),
                "routing" => self.routing = Some(node.text()?),
                "version" => self.version = VersionType::sought(node.i64()?),
                // Whatever its type, a version in a read is one that the document must have.
                "version_type" => drop(VersionType::parse(&node.text()?)?),
                key => return Err(failed(&format!("unknown field [{key}]"))),
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

/// The analyzer that is named for a field, if the index has it.
pub fn analyzer_named_for(
    field: &mapping::Field,
    named: &[(String, String)],
    mapping: &Mapping,
) -> Option<Arc<Analyzer>> {
    let (_, name) = named.iter().find(|(name, _)| **name == *field.name)?;
    mapping.analysis().analyzer(name)
}

/// What is no object names no analyzer.
pub fn named_analyzers(node: Node) -> Result<Vec<(String, String)>> {
    let named = |field: Field| match field.node.value {
        Value::String(name) => Ok((field.key.to_owned(), name.clone())),
        other => {
            let (field, class) = (field.key, java_class(other));
            let reason =
                format!("expecting the analyzer at [{field}] to be a String, but found [class {class}] instead");
            Err(Error::new(ErrorKind::Parse, reason))
        }
    };
    node.fields().map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Source;

    fn reason(text: &str) -> String {
        let body = crate::json::parse(text.as_bytes()).unwrap();
        let source = Source::new(text.as_bytes());
        let error = TermVectorsRequest::default().take_body(Node::root(&body, &source)).unwrap_err();
        error.reason().to_owned()
    }

    #[test]
    fn an_empty_list_of_fields_is_none() {
        let mut request = TermVectorsRequest::default();
        let text = br#"{"fields":[]}"#;
        let body = crate::json::parse(text).unwrap();
        request.take_body(Node::root(&body, &Source::new(text))).unwrap();
        assert_eq!(request.fields, None);
    }

    #[test]
    fn mistakes() {
        let prefix = "failed to parse term vectors request.";
        assert_eq!(reason(r#"{"foo":1}"#), format!("{prefix} unknown field [foo]"));
        assert_eq!(reason(r#"{"fields":"y"}"#), format!("{prefix} field [fields] must be an array"));
        let both = format!("{prefix} either [id] or [doc] can be specified, but not both!");
        assert_eq!(reason(r#"{"_id":"1","doc":{}}"#), both);
        let class = "expecting the analyzer at [t] to be a String, but found [class java.lang.Integer] instead";
        assert_eq!(reason(r#"{"per_field_analyzer":{"t":1}}"#), class);
        assert!(reason(r#"{"offsets":1}"#).starts_with("Current token (VALUE_NUMBER_INT) not of boolean type"));
        assert_eq!(reason(r#"{"filter":{"max_num_terms":" "}}"#), "empty String");
        assert_eq!(reason(r#"{"doc":{},"_id":"1"}"#), both);
        assert_eq!(
            TermVectorsRequest::default().problems(),
            ["index is missing".to_owned(), "id or doc is missing".to_owned()]
        );
    }
}
