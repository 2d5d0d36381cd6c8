//! `_script` in `sort`: keys that scripts give.

use super::sort_parse::mode_of;
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::query::{Node, ShardContext};
use crate::script::{Context, DocumentScript, Script, context};
use crate::segment::SegmentView;
use std::cell::RefCell;
use std::sync::Arc;

/// A script to sort by, as it was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptSort {
    pub script: Arc<Script>,
    pub text: bool,
}

impl ScriptSort {
    /// Reads `{"script": …, "type": …, "order": …, "mode": …}`; `order` is called with a direction.
    pub fn parse(node: Node, mut order: impl FnMut(&str) -> Result<()>) -> Result<Self> {
        let (mut script, mut kind) = (None, None);
        for option in node.fields() {
            match (option.key, option.node.value) {
                ("script", Value::Object(_) | Value::String(_)) => {
                    let failed = |error| option.node.failed_field("_script", "script", error);
                    script = Some(crate::query::script_of(option.node).map_err(failed)?);
                }
                ("script", _) => {
                    let (at, token) = (option.node.location(option.node.pos()), option.node.token());
                    let reason = format!("{at} [_script] script doesn't support values of type: {token}");
                    return Err(Error::new(ErrorKind::XContentParse, reason));
                }
                ("type", Value::String(name)) => kind = Some(name.to_lowercase()),
                ("order", Value::String(direction)) => order(direction)?,
                ("mode", Value::String(mode)) => drop(mode_of(mode)?),
                (key, _) => return Err(option.node.error(format!("[_script] unknown field [{key}]"))),
            }
        }
        let script = script.ok_or_else(|| Error::illegal_argument("Required [script, type]"))?;
        let text = match kind.as_deref() {
            Some("number") => false,
            Some("string") => true,
            Some(other) => return Err(Error::illegal_argument(format!("Unknown ScriptSortType [{other}]"))),
            None => return Err(Error::illegal_argument("Required [type]")),
        };
        Ok(Self { script, text })
    }

    fn context(&self) -> &'static Context {
        if self.text { &context::STRING_SORT } else { &context::NUMBER_SORT }
    }

    /// Whether the scores of documents are needed for it.
    pub fn uses_score(&self) -> bool {
        self.script.program(self.context()).is_ok_and(|program| program.uses_score)
    }
}

/// A script on the documents of a shard. Keys are read where nothing can fail: what goes wrong is kept.
pub struct SortScript {
    pub text: bool,
    inner: RefCell<Inner>,
}

struct Inner {
    script: DocumentScript,
    failed: Option<Error>,
}

/// What a script gave for a document.
pub enum Given {
    Number(f64),
    Text(Option<String>),
}

impl SortScript {
    pub fn new(sort: &ScriptSort, cx: &ShardContext) -> Result<Self> {
        let script = DocumentScript::new(&sort.script, sort.context(), &cx.mapping, cx.now_ms)?;
        Ok(Self { text: sort.text, inner: RefCell::new(Inner { script, failed: None }) })
    }

    pub fn enter_segment(&self, view: &SegmentView) {
        self.inner.borrow_mut().script.enter_segment(view, 0);
    }

    pub fn key(&self, doc: u32, score: f32) -> Given {
        let inner = &mut *self.inner.borrow_mut();
        let given = match (inner.failed.is_some(), self.text) {
            (true, false) => Ok(Given::Number(0.0)),
            (true, true) => Ok(Given::Text(None)),
            (false, false) => inner.script.number(doc, score).map(Given::Number),
            (false, true) => inner.script.text(doc, score).map(Given::Text),
        };
        given.unwrap_or_else(|error| {
            inner.failed = Some(error);
            if self.text { Given::Text(None) } else { Given::Number(0.0) }
        })
    }

    /// The error of a script that failed.
    pub fn check(&self) -> Result<()> {
        match self.inner.borrow_mut().failed.take() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}
