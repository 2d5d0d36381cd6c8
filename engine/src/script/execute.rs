//! `_scripts/painless/_execute`: one script, run for its result, by itself or for a document that an index might hold.

use super::{Context, DocumentScript, Limits, Script, context, lib};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::mapping::{DocumentScratch, Mapping, Parsed};
use crate::pace::{Pace, block_on_ready};
use crate::query::{SearchLimits, ShardContext, match_all};
use crate::score::WeightContext;
use crate::search::SearchRequest;
use crate::segment::{Segment, SegmentView, Snapshot};
use crate::writer::{Buffer, IndexDocument, seal};
use std::sync::Arc;

/// Runs a script of the context `painless_test`; the text of its result.
pub fn execute_test(script: &Script, now_ms: i64) -> Result<String> {
    execute_text(script, &context::PAINLESS_TEST, now_ms)
}

/// Runs a script of the context `template`: the search that it makes.
pub fn execute_template(script: &Script, now_ms: i64) -> Result<String> {
    execute_text(script, &context::TEMPLATE, now_ms)
}

fn execute_text(script: &Script, context: &'static Context, now_ms: i64) -> Result<String> {
    let mut vm = script.vm(context, Limits::default(), now_ms)?;
    let variables = [vm.params()];
    let mut out = String::new();
    let written = vm.execute(&variables).and_then(|value| lib::write_text(&mut vm, &value, &mut out));
    match written {
        Ok(()) => Ok(out),
        Err(failed) => Err(vm.to_error(&failed)),
    }
}

/// A document of an index, and a query that scores it.
pub struct Setup<'a> {
    pub index: &'a str,
    pub index_uuid: &'a str,
    pub mapping: &'a Arc<Mapping>,
    pub document: &'a Value,
    pub query: Option<&'a Value>,
}

/// Runs a script of the context `filter`: whether it passes the document.
pub fn execute_filter(script: &Script, setup: &Setup<'_>, now_ms: i64) -> Result<bool> {
    script.program(&context::FILTER)?;
    let cx = shard_of(setup, now_ms)?;
    let mut script = DocumentScript::new(script, &context::FILTER, &cx.mapping, Some(&cx.index), now_ms)?;
    script.enter_segment(only_segment(&cx)?, 0);
    script.boolean(0)
}

/// Runs a script of the context `score`: its number for the document. Without a query the score is 0.
pub fn execute_score(script: &Script, setup: &Setup<'_>, now_ms: i64) -> Result<f64> {
    script.program(&context::SCORE)?;
    let cx = shard_of(setup, now_ms)?;
    let view = only_segment(&cx)?;
    let mut score = 0.0;
    if let Some(query) = setup.query {
        let query = crate::query::parse(query, &query.to_bytes())?;
        let mut weight =
            query.root_plan(&cx)?.weight(&WeightContext::new(&cx.snapshot, cx.mapping.similarities()), true, 1.0)?;
        let scorer = weight.scorer(view)?.filter(|scorer| scorer.doc() == 0);
        let mut scorer = scorer.ok_or_else(|| Error::illegal_argument("[query] does not match [document]"))?;
        score = scorer.score();
    }
    let mut script = DocumentScript::new(script, &context::SCORE, &cx.mapping, Some(&cx.index), now_ms)?;
    script.set_snapshot(&cx.snapshot);
    script.enter_segment(view, 0);
    script.number(0, score)
}

fn only_segment(cx: &ShardContext) -> Result<&SegmentView> {
    cx.snapshot.segments.first().ok_or_else(|| Error::new(ErrorKind::IllegalState, "a document makes a segment"))
}

/// A shard that holds the document alone. Fields that the index does not know stay unknown.
fn shard_of(setup: &Setup<'_>, now_ms: i64) -> Result<ShardContext> {
    const ID: &str = "_id";
    let source = setup.document.to_bytes();
    let mut scratch = DocumentScratch::default();
    scratch.routed = true;
    let (mut parsing, mut ops) = (setup.mapping.clone(), vec![]);
    while let Parsed::NeedsMapping(change) = parsing.parse_document(&source, ID, &mut scratch, &mut ops)? {
        parsing = Arc::new(parsing.merge(&change)?);
        ops.clear();
    }
    let mut buffer = Buffer::new();
    let document =
        IndexDocument { id: ID, routing: None, source: Some(&source), seq_no: 0, version: 1, primary_term: 1, ops };
    buffer.add(&parsing, &document)?;
    let (bytes, live) = block_on_ready(seal(&buffer, "_executed", &Pace::never()))?;
    let segment = Segment::open("_executed", bytes.into())?;
    let snapshot = Snapshot {
        segments: vec![SegmentView { segment, live: live.map(Arc::new) }],
        refresh_seq: 0,
        ..Snapshot::default()
    };
    Ok(ShardContext {
        index: setup.index.into(),
        index_uuid: setup.index_uuid.into(),
        shard: 0,
        node_id: "".into(),
        mapping: setup.mapping.clone(),
        snapshot: Arc::new(snapshot),
        now_ms,
        limits: SearchLimits::default(),
        profile: None,
        search: Some(Arc::new(SearchRequest { query: Some(match_all()), ..SearchRequest::default() })),
        sees_all: false,
    })
}
