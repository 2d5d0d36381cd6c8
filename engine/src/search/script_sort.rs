//! `_script` in `sort`: keys that scripts give.

use super::nested_sort::{NestedColumn, NestedSort, Nesting};
use super::sort_keys::Column;
use super::sort_parse::{Mode, direction_of, mode_of};
use super::sort_source::no_median;
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::query::declared::{Declared, OBJECT, STRING};
use crate::query::{Field, Node, ShardContext};
use crate::script::{Context, DocumentScript, Script, context};
use crate::segment::SegmentView;
use std::cell::RefCell;
use std::sync::Arc;

/// A script to sort by, as it was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptSort {
    pub script: Arc<Script>,
    pub text: bool,
    mode: Option<Mode>,
    pub nested: Option<NestedSort>,
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

/// The error in a field that came before the last of those that are required.
fn unbuilt(option: &Field, error: Error) -> Error {
    let at = option.node.location(error.place().unwrap_or(option.node.last_pos()));
    let reason = format!("{at} failed to build [_script] after last required field arrived");
    Error::new(ErrorKind::XContentParse, reason).caused_by(option.node.failed_field("_script", option.key, error))
}

const SCRIPT_SORT: Declared = Declared {
    name: "_script",
    fields: &[
        ("script", OBJECT | STRING),
        ("type", STRING),
        ("order", STRING),
        ("mode", STRING),
        ("nested_path", STRING),
        ("nested_filter", OBJECT),
        ("nested", OBJECT),
    ],
};

/// What is not required; it is looked at when everything required has come.
#[derive(Default)]
struct Options {
    descending: bool,
    mode: Option<Mode>,
    nested: Nesting,
}

impl Options {
    fn take(&mut self, option: &Field, text: bool) -> Result<()> {
        match (option.key, option.node.value) {
            ("order", Value::String(direction)) => self.descending = direction_of(direction)?,
            ("mode", Value::String(name)) => {
                check_mode(name, text)?;
                self.mode = Some(mode_of(name)?);
            }
            (key, _) => self.nested.take(key, option.node)?,
        }
        Ok(())
    }
}

impl ScriptSort {
    /// Reads `{"script": …, "type": …, "order": …, "mode": …, "nested": …}`, and whether the greatest keys come first.
    pub fn parse(node: Node) -> Result<(Self, bool)> {
        let (mut script, mut text) = (None, None);
        let (mut early, mut options) = (vec![], Options::default());
        for option in node.fields() {
            SCRIPT_SORT.check(&option)?;
            let (key, node) = (option.key, option.node);
            let failed = |error| node.failed_field("_script", key, error);
            match (key, node.value) {
                ("script", _) => {
                    script = Some(crate::query::document_script_of(node, "sort-script").map_err(failed)?);
                }
                ("type", Value::String(name)) => text = Some(is_text(name).map_err(failed)?),
                _ => match (&script, text) {
                    (Some(_), Some(text)) => options.take(&option, text).map_err(failed)?,
                    _ => early.push(option),
                },
            }
            if let (Some(_), Some(text)) = (&script, text) {
                for early in early.drain(..) {
                    options.take(&early, text).map_err(|error| failed(unbuilt(&early, error).at(node.last_pos())))?;
                }
            }
        }
        let missing = |what: &str| Error::illegal_argument(format!("Required [{what}]"));
        match (script, text) {
            (Some(script), Some(text)) => {
                let nested = options.nested.chosen();
                Ok((Self { script, text, mode: options.mode, nested }, options.descending))
            }
            (None, None) => Err(missing("script, type")),
            (None, _) => Err(missing("script")),
            (_, None) => Err(missing("type")),
        }
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
    /// What stands for the keys of several nested documents.
    mode: Mode,
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
    pub fn new(sort: &ScriptSort, descending: bool, cx: &ShardContext) -> Result<Self> {
        let mode = sort.mode.unwrap_or(if descending { Mode::Max } else { Mode::Min });
        if sort.nested.is_some() && mode == Mode::Median {
            return Err(no_median());
        }
        let script = DocumentScript::new(&sort.script, sort.context(), &cx.mapping, Some(&cx.index), cx.now_ms)?;
        Ok(Self { text: sort.text, mode, inner: RefCell::new(Inner { script, failed: None }) })
    }

    pub fn enter_segment(&self, view: &SegmentView) {
        self.inner.borrow_mut().script.enter_segment(view, 0);
    }

    fn key(&self, doc: u32, score: f32) -> Given {
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

    /// The key of a hit: its own, or that of the documents nested in it.
    pub fn key_of(&self, column: &Column, doc: u32, score: f32) -> Given {
        match column {
            Column::Nested(nested) => self.nested_key(nested, doc, score),
            _ => self.key(doc, score),
        }
    }

    /// What stands for the keys of the nested documents that count. A root without them has the greatest number, or no text.
    fn nested_key(&self, nested: &NestedColumn, doc: u32, score: f32) -> Given {
        let (mut numbers, mut texts) = (vec![], vec![]);
        nested.for_each(doc, |child| {
            match self.key(child, score) {
                Given::Number(number) => numbers.push(number),
                Given::Text(text) => texts.extend(text),
            }
            true
        });
        if self.text {
            let best = if self.mode == Mode::Max { texts.into_iter().max() } else { texts.into_iter().min() };
            return Given::Text(best);
        }
        let (sum, count) = (numbers.iter().sum::<f64>(), numbers.len());
        let best = match self.mode {
            _ if count == 0 => f64::MAX,
            Mode::Sum => sum,
            Mode::Avg => sum / count as f64,
            Mode::Max => numbers.into_iter().fold(f64::NEG_INFINITY, f64::max),
            Mode::Min | Mode::Median => numbers.into_iter().fold(f64::INFINITY, f64::min),
        };
        Given::Number(best)
    }

    /// The error of a script that failed.
    pub fn check(&self) -> Result<()> {
        match self.inner.borrow_mut().failed.take() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}
