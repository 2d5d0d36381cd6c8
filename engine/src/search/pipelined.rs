//! What a request says of search pipelines, and how it is shown between their steps.

use super::request::SearchRequest;
use crate::error::Result;
use crate::json::{Map, Value};
use crate::query::Node;

/// Which pipeline a request is to go through.
#[derive(Clone, Debug, Default)]
pub struct PipelineChoice {
    /// The id of a stored one; `_none` for none.
    pub name: Option<String>,
    /// The configuration of one that the request brings.
    pub inline: Option<Map>,
    /// Whether the answer tells what each step did.
    pub verbose: bool,
    /// The routing of the request, and what steps made of it.
    pub routing: Option<String>,
}

impl SearchRequest {
    /// Takes a key that is about pipelines; false if it is not.
    pub(super) fn take_pipeline(&mut self, key: &str, node: Node) -> Result<bool> {
        match (key, node.value) {
            ("search_pipeline", Value::Object(config)) => self.pipeline.inline = Some(config.clone()),
            ("search_pipeline", Value::Array(_)) => return Ok(false),
            ("search_pipeline", _) => self.pipeline.name = Some(node.text()?),
            ("verbose_pipeline", Value::Object(_) | Value::Array(_)) => return Ok(false),
            ("verbose_pipeline", _) => self.pipeline.verbose = node.bool()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Takes what the URL says of pipelines, which counts more than the body.
    pub(super) fn set_pipeline(&mut self, name: Option<&str>, verbose: Option<bool>) {
        self.pipeline.name = name.map(str::to_owned).or(self.pipeline.name.take());
        self.pipeline.verbose = verbose.unwrap_or(self.pipeline.verbose);
    }

    /// The request as steps of a verbose run show it.
    pub(crate) fn shown(&self) -> Value {
        Value::Object(self.shown.as_deref().cloned().unwrap_or_default())
    }

    /// Notes a change for [`SearchRequest::shown`]: `change` makes the value anew, of the one that was there.
    pub(crate) fn show(&mut self, key: &str, change: impl FnOnce(Option<Value>) -> Value) {
        if let Some(shown) = &mut self.shown {
            let value = change(shown.remove(key));
            shown.insert(key, value);
        }
    }
}
