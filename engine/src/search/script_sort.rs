//! `_script` in `sort`: keys that scripts give.

use super::sort_parse::{Mode, mode_of};
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

/// Whether keys of a type are text.
fn is_text(type_name: &str) -> Result<bool> {
    match type_name.to_lowercase().as_str() {
        "number" => Ok(false),
        "string" => Ok(true),
        other => Err(Error::illegal_argument(format!("Unknown ScriptSortType [{other}]"))),
    }
}

fn check_mode(name: &str, text: bool) -> Result<()> {
    match mode_of(name)? {
        Mode::Sum | Mode::Avg | Mode::Median if text => {
            let name = name.to_lowercase();
            Err(Error::illegal_argument(format!("script sort of type [string] doesn't support mode [{name}]")))
        }
        _ => Ok(()),
    }
}

impl ScriptSort {
    /// Reads `{"script": …, "type": …, "order": …, "mode": …}`; `order` is called with a direction.
    pub fn parse(node: Node, mut order: impl FnMut(&str) -> Result<()>) -> Result<Self> {
        let (mut script, mut text) = (None, None);
        let (mut mode, mut last_required) = (None, None);
        for option in node.fields() {
            let failed = |error| option.node.failed_field("_script", option.key, error);
            match (option.key, option.node.value) {
                ("script", Value::Object(_) | Value::String(_)) => {
                    script = Some(crate::query::document_script_of(option.node, "sort-script").map_err(failed)?);
                    last_required = Some(option);
                }
                ("script", _) => {
                    let (at, token) = (option.node.location(option.node.pos()), option.node.token());
                    let reason = format!("{at} [_script] script doesn't support values of type: {token}");
                    return Err(Error::new(ErrorKind::XContentParse, reason));
                }
                ("type", Value::String(name)) => {
                    text = Some(is_text(name).map_err(failed)?);
                    last_required = Some(option);
                }
                ("order", Value::String(direction)) => order(direction)?,
                ("mode", Value::String(name)) => {
                    mode = Some((option.node, name));
                    if let (Some(_), Some(text)) = (&script, text) {
                        check_mode(name, text).map_err(failed)?;
                    }
                }
                (key, _) => return Err(option.node.error(format!("[_script] unknown field [{key}]"))),
            }
        }
        let missing = |what: &str| Error::illegal_argument(format!("Required [{what}]"));
        let (script, text) = match (script, text) {
            (Some(script), Some(text)) => (script, text),
            (None, None) => return Err(missing("script, type")),
            (None, _) => return Err(missing("script")),
            (_, None) => return Err(missing("type")),
        };
        // What stands before the last of the required fields is looked at when that one has come.
        if let (Some((at, name)), Some(last)) = (mode, last_required)
            && let Err(error) = check_mode(name, text)
        {
            let reason =
                format!("{} failed to build [_script] after last required field arrived", at.location(at.pos()));
            let cause = at.failed_field("_script", "mode", error);
            let unbuilt = Error::new(ErrorKind::XContentParse, reason).caused_by(cause);
            let reason =
                format!("{} [_script] failed to parse field [{}]", last.node.location(last.node.pos()), last.key);
            return Err(Error::new(ErrorKind::XContentParse, reason).caused_by(unbuilt));
        }
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
        let script = DocumentScript::new(&sort.script, sort.context(), &cx.mapping, Some(&cx.index), cx.now_ms)?;
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
