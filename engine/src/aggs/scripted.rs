//! Values that a script gives for documents, or makes of the values of a field.

use super::source::Source;
use crate::error::{Error, Result};
use crate::json::Value;
use crate::mapping::Mapping;
use crate::mapping::number::NumberKind;
use crate::query::ShardContext;
use crate::script::{DocumentScript, Script, context};
use crate::segment::SegmentView;
use indexmap::IndexSet;
use std::cell::RefCell;
use std::sync::Arc;

/// A script's values on one shard. Numbers are encoded as those of fields are; texts are told apart by the order in which
/// they were first met.
pub(super) struct Scripted {
    inner: RefCell<Inner>,
    pub(super) integral: bool,
}

struct Inner {
    script: DocumentScript,
    /// The field whose values the script is given one by one.
    field: Option<Box<Source>>,
    texts: IndexSet<Box<[u8]>, ahash::RandomState>,
    given: Vec<Value>,
}

impl Scripted {
    pub(super) fn new(
        script: &Script,
        field: Option<Source>,
        integral: bool,
        mapping: &Arc<Mapping>,
        cx: &ShardContext,
    ) -> Result<Self> {
        if script.program(&context::AGGS)?.uses_score {
            return Err(Error::illegal_argument("[_score] is not available to scripts of aggregations"));
        }
        let script = DocumentScript::new(script, &context::AGGS, mapping, cx.now_ms)?;
        let field = field.map(Box::new);
        Ok(Self { inner: Inner { script, field, texts: IndexSet::default(), given: vec![] }.into(), integral })
    }

    pub(super) fn enter_segment(&self, view: &SegmentView) {
        let mut inner = self.inner.borrow_mut();
        inner.script.enter_segment(view, 0);
        if let Some(field) = &mut inner.field {
            field.enter_segment(view);
        }
    }

    pub(super) fn kind(&self) -> NumberKind {
        if self.integral { NumberKind::Long } else { NumberKind::Double }
    }

    /// The encoded numbers of a document, ascending; clears `out` first.
    pub(super) fn numbers(&self, doc: u32, out: &mut Vec<i64>) -> Result<()> {
        out.clear();
        let mut doubles = vec![];
        self.inner.borrow_mut().run(doc, |script| script.doubles(doc, &mut doubles))?;
        let kind = self.kind();
        out.extend(doubles.into_iter().map(|number| match kind {
            NumberKind::Long => number as i64,
            kind => kind.encode_saturating(number),
        }));
        out.sort_unstable();
        Ok(())
    }

    /// The ordinals of a document's texts, equal ones side by side; clears `out` first.
    pub(super) fn ords(&self, doc: u32, out: &mut Vec<u32>) -> Result<()> {
        out.clear();
        let mut texts = vec![];
        let mut inner = self.inner.borrow_mut();
        inner.run(doc, |script| script.texts(doc, &mut texts))?;
        for text in texts {
            super::kind::check_shard_buckets(inner.texts.len())?;
            out.push(inner.texts.insert_full(text.into_bytes().into()).0 as u32);
        }
        out.sort_unstable();
        Ok(())
    }

    pub(super) fn num_ords(&self) -> u32 {
        self.inner.borrow().texts.len() as u32
    }

    pub(super) fn term(&self, ord: u32) -> Vec<u8> {
        self.inner.borrow().texts.get_index(ord as usize).map_or_else(Vec::new, |text| text.to_vec())
    }
}

impl Inner {
    /// Runs the script once for a document, or once for each of the values that the field has there.
    fn run(&mut self, doc: u32, mut run: impl FnMut(&mut DocumentScript) -> Result<()>) -> Result<()> {
        let Some(field) = &self.field else { return run(&mut self.script) };
        let mut given = std::mem::take(&mut self.given);
        field.values(doc, &mut given)?;
        for value in &given {
            self.script.set_value(value)?;
            run(&mut self.script)?;
        }
        self.given = given;
        Ok(())
    }
}
