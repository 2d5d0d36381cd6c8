//! Values that a script gives for documents, or makes of the values of a field.

use super::doc_scores::DocScores;
use super::format::Format;
use super::source::{Missing, Source, SourceConfig};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::mapping::date::Zone;
use crate::mapping::number::NumberKind;
use crate::mapping::{DateFormat, DocValueFormat, Mapping};
use crate::query::ShardContext;
use crate::script::{DocumentScript, Script, context};
use crate::segment::{Batch, SegmentView};
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
    /// Where the script asks for the score.
    scores: Option<DocScores>,
    /// Why there are no scores in this segment: the first document fails with it.
    failure: Option<Error>,
}

impl Scripted {
    pub(super) fn new(
        script: &Script,
        field: Option<Source>,
        integral: bool,
        mapping: &Arc<Mapping>,
        cx: &ShardContext,
    ) -> Result<Self> {
        let uses_score = script.program(&context::AGGS)?.uses_score;
        let scores = if uses_score { Some(DocScores::new(cx)?) } else { None };
        let script = DocumentScript::new(script, &context::AGGS, mapping, cx.now_ms)?;
        let field = field.map(Box::new);
        Ok(Self {
            inner: Inner { script, field, texts: IndexSet::default(), given: vec![], scores, failure: None }.into(),
            integral,
        })
    }

    pub(super) fn enter_segment(&self, view: &SegmentView) {
        let mut inner = self.inner.borrow_mut();
        inner.failure = inner.scores.as_mut().and_then(|scores| scores.enter_segment(view).err());
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

    /// Reads the encoded numbers or the ordinals of documents.
    pub(super) fn read(&self, docs: &[u32], numeric: bool, batch: &mut Batch) -> Result<()> {
        batch.clear(0);
        let (mut values, mut ords) = (vec![], vec![]);
        // A document that falls into several buckets follows itself.
        let mut last = None;
        for &doc in docs {
            if last.replace(doc) != Some(doc) {
                if numeric {
                    self.numbers(doc, &mut values)?;
                } else {
                    self.ords(doc, &mut ords)?;
                    values.clear();
                    values.extend(ords.iter().map(|ord| i64::from(*ord)));
                }
            }
            batch.push_doc(&values);
        }
        Ok(())
    }

    pub(super) fn num_ords(&self) -> u32 {
        self.inner.borrow().texts.len() as u32
    }

    pub(super) fn term(&self, ord: u32) -> Vec<u8> {
        self.inner.borrow().texts.get_index(ord as usize).map_or_else(Vec::new, |text| text.to_vec())
    }
}

impl SourceConfig {
    /// The values of a script: numbers where the aggregation wants them, the field has them or the request says so.
    pub(super) fn resolve_script(&self, cx: &ShardContext, agg_type: &str, wants_numbers: bool) -> Result<Source> {
        let mut plain = Self { script: None, missing: None, ..self.clone() };
        let field = match self.field.as_deref().filter(|name| cx.mapping.field(name).is_some()) {
            Some(_) => Some(plain.resolve_any(cx, agg_type)?),
            None => None,
        };
        let dates = agg_type.contains("date") || self.value_type.as_deref() == Some("date");
        let typed = self.value_type.as_deref();
        let numeric = match (&field, typed) {
            (Some(field), _) => field.numeric,
            (None, Some(name)) => wants_numbers || !matches!(name, "string" | "ip"),
            (None, None) => wants_numbers,
        };
        if wants_numbers && !numeric {
            return Err(field.map_or_else(mismatched, |field| field.unsupported(agg_type)));
        }
        let whole = matches!(typed, Some("long" | "integer" | "short" | "byte" | "boolean"));
        // What wants numbers takes those of scripts as doubles, whatever they are said to be.
        let integral = dates || field.is_none() && whole && !wants_numbers;
        let format = match (&self.format, &field) {
            (_, Some(field)) => field.format.clone(),
            (pattern, None) if dates => {
                let pattern = pattern.as_deref().unwrap_or("strict_date_optional_time||epoch_millis");
                let (format, zone) = (Arc::new(DateFormat::parse(pattern)?), Zone::fixed(0));
                Format::Field(DocValueFormat::Date { format, zone, nanos: false })
            }
            (Some(pattern), None) if numeric => Format::Field(DocValueFormat::decimal(pattern)),
            (_, None) if typed == Some("boolean") => Format::Field(DocValueFormat::Boolean),
            _ => Format::Raw,
        };
        let Some(script) = &self.script else { return plain.resolve_any(cx, agg_type) };
        let scripted = Scripted::new(script, field, integral, &cx.mapping, cx)?;
        plain.missing = self.missing.clone();
        let missing = match &self.missing {
            None => Missing::None,
            Some(value) if numeric => {
                let number = value.as_f64().or_else(|| value.to_text().trim().parse().ok()).ok_or_else(|| {
                    Error::new(ErrorKind::NumberFormat, format!("For input string: \"{}\"", value.to_text()))
                })?;
                Missing::Number(if integral { number as i64 } else { scripted.kind().encode_saturating(number) })
            }
            Some(value) => Missing::Bytes(value.to_text().into_bytes()),
        };
        let mut source = plain.source(None, numeric, missing, format, cx.now_ms);
        source.script = Some(Box::new(scripted));
        Ok(source)
    }
}

#[cold]
fn mismatched() -> Error {
    Error::illegal_argument("a script of texts gives no numbers")
}

impl Inner {
    /// Runs the script once for a document, or once for each of the values that the field has there.
    fn run(&mut self, doc: u32, mut run: impl FnMut(&mut DocumentScript) -> Result<()>) -> Result<()> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        if let Some(scores) = &mut self.scores {
            self.script.set_score(scores.score(doc)?);
        }
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
