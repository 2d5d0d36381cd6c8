//! `script_fields`: values that scripts give for each hit.

use super::fetch::FieldValues;
use super::fielddata::wanted_fielddata;
use super::request::SearchRequest;
use crate::error::{Error, Result};
use crate::json::{Value, Writer};
use crate::query::{Field, Node, ShardContext, document_script_of};
use crate::script::{DocumentScript, Script, context};
use crate::segment::SegmentView;
use std::sync::Arc;

/// One script field as it was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptField {
    pub name: String,
    pub script: Arc<Script>,
    pub ignore_failure: bool,
}

impl ScriptField {
    pub fn parse_all(node: Node) -> Result<Vec<Self>> {
        node.fields().map(|field| Self::parse(field.key, field.key, field.node)).collect()
    }

    /// The same of an aggregation, whose errors tell the name that was read last before.
    pub fn parse_beside(key: &str, node: Node) -> Result<Vec<Self>> {
        let mut last = key.to_owned();
        let mut parse = |field: Field| {
            let parsed = Self::parse(field.key, &last, field.node);
            if let Some(inner) = field.node.fields().last() {
                inner.key.clone_into(&mut last);
            }
            parsed
        };
        node.fields().map(&mut parse).collect()
    }

    fn parse(name: &str, told: &str, node: Node) -> Result<Self> {
        let unknown = |inner: Node, key: &str| inner.error(format!("Unknown key for a {} in [{key}].", inner.token()));
        if !matches!(node.value, Value::Object(_)) {
            return Err(node.error(format!("Expected [START_OBJECT] in [{told}] but found [{}]", node.token())));
        }
        let (mut script, mut ignore_failure) = (None, false);
        for inner in node.fields() {
            match (inner.key, inner.node.value) {
                ("script", Value::Object(_)) => script = Some(document_script_of(inner.node, "field-script")?),
                (key, Value::Object(_) | Value::Array(_) | Value::Null) => return Err(unknown(inner.node, key)),
                ("script", _) => script = Some(document_script_of(inner.node, "field-script")?),
                ("ignore_failure", _) => ignore_failure = inner.node.bool()?,
                (key, _) => return Err(unknown(inner.node, key)),
            }
        }
        let script = script.ok_or_else(|| Error::illegal_argument("a script field needs a [script]"))?;
        Ok(Self { name: name.to_owned(), script, ignore_failure })
    }
}

/// Refuses more of them than the index allows.
pub fn check_count(request: &SearchRequest, cx: &ShardContext) -> Result<()> {
    let (asked, limit) = (request.script_fields.len(), cx.limits.max_script_fields);
    if asked <= limit {
        return Ok(());
    }
    Err(Error::illegal_argument(format!(
        "Trying to retrieve too many script_fields. Must be less than or equal to: [{limit}] but was [{asked}]. \
         This limit can be set by changing the [index.max_script_fields] index level setting."
    )))
}

/// The script fields of a request on one shard.
pub struct ScriptFields {
    fields: Vec<(String, bool, DocumentScript)>,
    segment: Option<u32>,
}

impl ScriptFields {
    pub fn new(fields: &[ScriptField], cx: &ShardContext) -> Result<Self> {
        let bound = fields.iter().map(|field| {
            let script = DocumentScript::new(&field.script, &context::FIELD, &cx.mapping, Some(&cx.index), cx.now_ms)?;
            Ok((field.name.clone(), field.ignore_failure, script))
        });
        Ok(Self { fields: bound.collect::<Result<_>>()?, segment: None })
    }

    pub fn read(&mut self, (segment, view): (u32, &SegmentView), doc: u32, out: &mut FieldValues) -> Result<()> {
        let entering = self.segment.replace(segment) != Some(segment);
        for (name, ignore_failure, script) in &mut self.fields {
            if entering {
                script.enter_segment(view, 0);
            }
            let value = match script.field(doc) {
                Ok(value) => value,
                // What is not loaded yet is no failure of the script: it is asked again when it is.
                Err(error) if *ignore_failure && wanted_fielddata(&error).is_none() => continue,
                Err(error) => return Err(error),
            };
            // A list of nothing is no field.
            if value.as_array().is_some_and(<[_]>::is_empty) {
                continue;
            }
            let mut w = Writer::new();
            match value {
                Value::Array(items) => w.value(&Value::Array(items)),
                one => w.begin_array().value(&one).end_array(),
            };
            out.set(name, w.finish());
        }
        Ok(())
    }
}
