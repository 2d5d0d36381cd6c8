//! Running scripts over documents: what queries, sorts and fields ask for.

use super::json::unwritten;
use super::lib::Temporal;
use super::value::{Data, Value};
use super::vm::arith::as_double;
use super::{Context, Script, Vm, to_json};
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Map, Value as Json, cast_text, parse};
use crate::mapping::Mapping;
use crate::segment::{OpenedBlock, SegmentView, Snapshot};
use smallvec::SmallVec;
use std::sync::Arc;

/// A script bound to the documents of a shard, one segment after the other.
pub struct DocumentScript {
    vm: Vm,
    variables: SmallVec<[Value; 4]>,
    /// Reads the source of documents, where the script looks at it.
    sources: Option<Sources>,
    /// The score of the document, for scripts whose values are read without one.
    score: f32,
}

/// The name under which `params` has the source of the document.
const SOURCE: &str = "_source";

/// The sources of the documents of a segment.
#[derive(Default)]
pub(super) struct Sources {
    view: Option<SegmentView>,
    opened: OpenedBlock,
}

impl Sources {
    /// Sources for a script that looks at them.
    pub(super) fn of(script: &Script, context: &Context) -> Option<Self> {
        (context.sources && script.source.contains(SOURCE)).then(Self::default)
    }

    pub(super) fn enter_segment(&mut self, view: &SegmentView) {
        *self = Self { view: Some(view.clone()), ..Self::default() };
    }

    /// Puts the source of a document into the parameters.
    pub(super) fn pass(&mut self, vm: &mut Vm, doc: u32) -> Result<()> {
        let source = self.read(doc)?;
        let value = super::from_json_hashed(vm, &source).map_err(|failed| vm.to_error(&failed))?;
        vm.set_param(SOURCE, value);
        Ok(())
    }

    /// The source of a document, of a nested one that of its root; an empty object where none is kept.
    fn read(&mut self, doc: u32) -> Result<Json> {
        let Some(view) = &self.view else { return Ok(Json::Null) };
        let root = view.segment.roots().map_or(doc, |roots| roots.from(doc));
        let stored = view.segment.stored_beside(root, &mut self.opened)?;
        stored.source.map_or_else(|| Ok(Json::Object(Map::new())), |source| parse(&source))
    }
}

impl DocumentScript {
    pub fn new(
        script: &Script,
        context: &'static Context,
        mapping: &Arc<Mapping>,
        index: Option<&Arc<str>>,
        now_ms: i64,
    ) -> Result<Self> {
        let vm = script.document_vm(context, mapping, index, now_ms)?;
        let mut variables = SmallVec::new();
        for (name, _) in context.variables {
            variables.push(match *name {
                "params" => vm.params(),
                "doc" => vm.doc.clone(),
                _ => Value::Null,
            });
        }
        let mut vm = vm;
        vm.pass_document();
        let sources = Sources::of(script, context);
        Ok(Self { vm, variables, sources, score: 0.0 })
    }

    /// Tells what random scores of the shard begin with.
    pub fn set_salt(&mut self, salt: i32) {
        if let Some(documents) = &mut self.vm.documents {
            documents.salt = salt;
        }
    }

    /// The shard whose terms are counted for the script.
    pub fn set_snapshot(&mut self, snapshot: &Arc<Snapshot>) {
        if let Some(documents) = &mut self.vm.documents {
            documents.snapshot = Some(snapshot.clone());
        }
    }

    /// Whether the script asks for the score of documents.
    pub fn uses_score(&self) -> bool {
        self.vm.program().uses_score
    }

    pub fn enter_segment(&mut self, view: &SegmentView, doc_base: u64) {
        self.vm.renew_params();
        if let Some(documents) = &mut self.vm.documents {
            documents.enter_segment(view, doc_base as u32);
        }
        if let Some(sources) = &mut self.sources {
            sources.enter_segment(view);
        }
    }

    /// What the score is of documents that [`DocumentScript::doubles`] and [`DocumentScript::texts`] are asked of.
    pub fn set_score(&mut self, score: f32) {
        self.score = score;
    }

    /// The variable of this name gets another value.
    pub fn set(&mut self, name: &str, value: Value) {
        let at = self.vm.program().context.variables.iter().position(|(known, _)| *known == name);
        if let Some(slot) = at.and_then(|at| self.variables.get_mut(at)) {
            *slot = value;
        }
    }

    /// Instructions that the last document took.
    pub fn spent(&self) -> u64 {
        self.vm.spent()
    }

    fn run<T>(&mut self, doc: u32, score: f32, take: impl FnOnce(&mut Vm, Value) -> Result<T>) -> Result<T> {
        if let Some(documents) = &mut self.vm.documents {
            documents.set_doc(doc);
        }
        self.vm.score = score;
        if let Some(sources) = &mut self.sources {
            sources.pass(&mut self.vm, doc)?;
        }
        let result = match self.vm.execute(&self.variables) {
            Ok(value) => take(&mut self.vm, value),
            Err(failed) => Err(self.vm.to_error(&failed)),
        };
        self.vm.reset();
        result
    }

    /// The number that a document's script gives.
    pub fn number(&mut self, doc: u32, score: f32) -> Result<f64> {
        self.run(doc, score, |_, value| match &value {
            Value::Double(number) => Ok(*number),
            other => as_double(other)
                .ok_or_else(|| Error::illegal_argument(format!("[{}] is no number", super::lib::plain(other)))),
        })
    }

    pub fn boolean(&mut self, doc: u32) -> Result<bool> {
        self.run(doc, 0.0, |_, value| Ok(matches!(value, Value::Bool(true))))
    }

    /// The text that a document's script gives; none for null.
    pub fn text(&mut self, doc: u32, score: f32) -> Result<Option<String>> {
        self.run(doc, score, |_, value| Ok((!value.is_null()).then(|| super::lib::plain(&value))))
    }

    /// Gives `take` each of the values of a document: of a list all, of null none.
    fn each(&mut self, doc: u32, mut take: impl FnMut(&Value) -> Result<()>) -> Result<()> {
        self.run(doc, self.score, |vm, value| match value.data() {
            Some(Data::List(_) | Data::Set(_) | Data::Array(_) | Data::DocValues(_) | Data::MapView(..)) => {
                let items = super::lib::items_of(vm, &value).map_err(|failed| vm.to_error(&failed))?;
                items.iter().try_for_each(take)
            }
            _ if value.is_null() => Ok(()),
            _ => take(&value),
        })
    }

    /// Appends the numbers that a document's script gives: dates are milliseconds, booleans 1 and 0.
    pub fn doubles(&mut self, doc: u32, out: &mut Vec<f64>) -> Result<()> {
        self.each(doc, |value| {
            let number = match (value, value.data()) {
                (Value::Bool(flag), _) => Some(f64::from(u8::from(*flag))),
                (_, Some(Data::Temporal(Temporal::Zoned(at)))) => Some(at.timestamp().as_millisecond() as f64),
                _ => as_double(value),
            };
            let Some(number) = number else {
                let what = super::lib::plain(value);
                return Err(Error::new(
                    ErrorKind::AggregationExecution,
                    format!("Unsupported script value [{what}], expected a number, date, or boolean"),
                ));
            };
            out.push(number);
            Ok(())
        })
    }

    /// Appends the values that a document's script gives, as text.
    pub fn texts(&mut self, doc: u32, out: &mut Vec<String>) -> Result<()> {
        self.each(doc, |value| {
            out.push(super::lib::plain(value));
            Ok(())
        })
    }

    /// The number that the script makes of a value of a field: exactly one. `whole`: asked for as a whole number.
    pub fn number_of_value(&mut self, doc: u32, whole: bool) -> Result<f64> {
        self.run(doc, self.score, |_, value| {
            if value.is_null() {
                let kind = if whole { "long" } else { "double" };
                return Err(no_value(&format!(
                    "\"java.lang.Number.{kind}Value()\" because the return value of \"org.opensearch.script.AggregationScript.execute()\""
                )));
            }
            let is_number = !matches!(value, Value::Char(_));
            as_double(&value).filter(|_| is_number).ok_or_else(|| {
                Error::new(ErrorKind::ClassCast, cast_text(&value.java_class(), "java.lang.Number"))
            })
        })
    }

    /// The text that the script makes of a value of a field: exactly one.
    pub fn text_of_value(&mut self, doc: u32) -> Result<String> {
        self.run(doc, self.score, |_, value| match value.is_null() {
            true => Err(no_value("\"Object.toString()\" because \"run\"")),
            false => Ok(super::lib::plain(&value)),
        })
    }

    /// Whether it is a formula of the language `expression`.
    pub fn is_formula(&self) -> bool {
        self.vm.program().formula.is_some()
    }

    /// Sets the variable `_value` to one value of a field.
    pub fn set_value(&mut self, value: &Json) -> Result<()> {
        let value = super::from_json(&mut self.vm, value).map_err(|failed| self.vm.to_error(&failed))?;
        self.set("_value", value);
        Ok(())
    }

    /// The values that the script of a derived field emits for a document.
    pub fn emitted(&mut self, doc: u32) -> Result<Vec<Json>> {
        self.run(doc, 0.0, |vm, _| {
            let emitted = std::mem::take(&mut vm.emitted);
            emitted.iter().map(|value| to_json(vm, value).map_err(|failed| vm.to_error(&failed))).collect()
        })
    }

    /// The values of a script field: those of a collection each for itself; an array of Java is one value.
    pub fn field(&mut self, doc: u32) -> Result<Json> {
        self.run(doc, 0.0, |vm, value| {
            let json = to_json(vm, &value).map_err(|failed| unwritten(vm, &failed))?;
            let is_array = matches!(value.data(), Some(Data::Array(_)));
            Ok(if is_array { Json::Array(vec![json]) } else { json })
        })
    }

    pub fn json(&mut self, doc: u32, score: f32) -> Result<Json> {
        self.run(doc, score, |vm, value| to_json(vm, &value).map_err(|failed| unwritten(vm, &failed)))
    }
}

/// The refusal of null where a script has to make something of a value.
#[cold]
fn no_value(what: &str) -> Error {
    Error::new(ErrorKind::NullPointer, format!("Cannot invoke {what} is null"))
}
