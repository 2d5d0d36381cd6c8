//! `scripted_metric`: a state per bucket that scripts begin, feed and end, and a script over the results of all shards.

use super::run::Sources;
use super::value::Value;
use super::{Context, Limits, Script, Vm, context, from_json_hashed, to_json};
use crate::error::Result;
use crate::json::{Map, Value as Json};
use crate::mapping::Mapping;
use crate::segment::SegmentView;
use std::sync::Arc;

/// What the states of a shard may come to.
const STATE_BYTES_MAX: u64 = 128 << 20;
/// States are looked through for what they no longer hold each time this much has been made.
const COLLECT_EVERY_BYTES: u64 = 8 << 20;

/// The scripts of an aggregation.
#[derive(Debug)]
pub struct MetricScripts {
    pub init: Option<Arc<Script>>,
    pub map: Arc<Script>,
    pub combine: Arc<Script>,
}

/// The states of a shard's buckets.
pub struct MetricStates {
    combine: Arc<Script>,
    vm: Vm,
    doc: Value,
    init: Option<Arc<Script>>,
    /// What a state is before the first document, once a bucket has needed one.
    fresh: Option<Json>,
    states: Vec<Value>,
    collect_at: u64,
    /// Reads the source of documents, where the script looks at it.
    sources: Option<Sources>,
}

/// Runs a script over one variable beside the parameters, and gives that variable and the result as JSON.
fn run(script: &Script, context: &'static Context, variable: &Json) -> Result<(Json, Json)> {
    let mut vm = script.vm(context, Limits::default(), 0)?;
    let outcome = from_json_hashed(&mut vm, variable).and_then(|variable| {
        let variables = [vm.params(), variable.clone()];
        let result = vm.execute(&variables)?;
        Ok((to_json(&mut vm, &variable)?, to_json(&mut vm, &result)?))
    });
    outcome.map_err(|failed| vm.to_error(&failed))
}

impl MetricStates {
    pub fn new(scripts: &MetricScripts, mapping: &Arc<Mapping>, index: &Arc<str>, now_ms: i64) -> Result<Self> {
        let init = scripts.init.clone();
        if let Some(init) = &init {
            init.vm(&context::AGGS_INIT, Limits::default(), 0)?;
        }
        let limits = Limits { fuel: 4_000_000, memory_bytes: STATE_BYTES_MAX };
        let mut vm = scripts.map.vm(&context::AGGS_MAP, limits, now_ms)?;
        vm.documents = Some(super::Documents::new(mapping.clone(), Some(index.clone())));
        let doc = vm.doc.clone();
        vm.pass_document();
        scripts.combine.vm(&context::AGGS_COMBINE, Limits::default(), 0)?;
        let (combine, sources) = (scripts.combine.clone(), Sources::of(&scripts.map, &context::AGGS_MAP));
        Ok(Self { combine, vm, doc, init, fresh: None, states: vec![], collect_at: COLLECT_EVERY_BYTES, sources })
    }

    /// Whether the script asks for the score of documents.
    pub fn uses_score(&self) -> bool {
        self.vm.program().uses_score
    }

    pub fn enter_segment(&mut self, view: &SegmentView) {
        self.vm.renew_params();
        if let Some(documents) = &mut self.vm.documents {
            documents.enter_segment(view, 0);
        }
        if let Some(sources) = &mut self.sources {
            sources.enter_segment(view);
        }
    }

    fn fresh(&mut self) -> Result<Json> {
        if let Some(fresh) = &self.fresh {
            return Ok(fresh.clone());
        }
        let empty = Json::Object(Map::new());
        let fresh = match &self.init {
            Some(init) => run(init, &context::AGGS_INIT, &empty)?.0,
            None => empty,
        };
        Ok(self.fresh.insert(fresh).clone())
    }

    fn state(&mut self, owner: usize) -> Result<Value> {
        if owner >= self.states.len() {
            self.states.resize(owner + 1, Value::Null);
        }
        if self.states[owner].is_null() {
            let fresh = self.fresh()?;
            self.states[owner] = from_json_hashed(&mut self.vm, &fresh).map_err(|failed| self.vm.to_error(&failed))?;
        }
        Ok(self.states[owner].clone())
    }

    /// Feeds a document to the state of a bucket.
    pub fn add(&mut self, owner: u32, doc: u32, score: f32) -> Result<()> {
        let state = self.state(owner as usize)?;
        if let Some(documents) = &mut self.vm.documents {
            documents.set_doc(doc);
        }
        self.vm.score = score;
        if let Some(sources) = &mut self.sources {
            sources.pass(&mut self.vm, doc)?;
        }
        let variables = [self.vm.params(), self.doc.clone(), state];
        let outcome = self.vm.execute(&variables);
        outcome.map_err(|failed| self.vm.to_error(&failed))?;
        if self.vm.heap.bytes() > self.collect_at {
            let roots: Vec<_> = self.states.iter().cloned().chain([self.vm.params()]).collect();
            self.vm.heap.collect(&roots);
            self.collect_at = self.vm.heap.bytes() + COLLECT_EVERY_BYTES;
        }
        Ok(())
    }

    /// What the shard says of a bucket.
    pub fn finish(&mut self, owner: u32) -> Result<Json> {
        let state = match self.states.get(owner as usize).filter(|state| !state.is_null()).cloned() {
            Some(state) => to_json(&mut self.vm, &state).map_err(|failed| self.vm.to_error(&failed))?,
            None => self.fresh()?,
        };
        Ok(run(&self.combine, &context::AGGS_COMBINE, &state)?.1)
    }
}

/// The answer of a script for what the shards say.
pub fn reduce_states(script: &Script, states: Vec<Json>) -> Result<Json> {
    Ok(run(script, &context::AGGS_REDUCE, &Json::Array(states))?.1)
}
