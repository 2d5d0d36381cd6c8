//! scripted_metric: what scripts make of the documents of each bucket.

use super::doc_scores::DocScores;
use super::kind::{Aggregator, Built, Kind, Owners, SCRIPT_UNITS, check_shard_buckets, of_each};
use super::parse::{Agg, ParseContext};
use super::partial::{Partial, Shown, mismatch};
use super::reduce_context::ReduceContext;
use crate::error::{Error, Result};
use crate::json::{Map, Value, Writer};
use crate::pace::Pace;
use crate::query::ShardContext;
use crate::script::{MetricScripts, MetricStates, Script, reduce_states};
use crate::segment::SegmentView;
use std::sync::Arc;

/// What shards say, and the answer once they are merged.
#[derive(Debug, Clone)]
pub struct Scripted {
    states: Vec<Value>,
    /// None where nobody has merged them: in a bucket without documents that was put between others.
    answer: Option<Value>,
}

impl Scripted {
    /// About how much memory the values take: what they are as text.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.states.iter().chain(&self.answer).map(|value| value.to_bytes().len()).sum()
    }
}

#[derive(Debug)]
struct ScriptedMetric {
    init: Option<Arc<Script>>,
    map: Option<Arc<Script>>,
    combine: Option<Arc<Script>>,
    reduce: Option<Arc<Script>>,
    params: Map,
    name: String,
}

const FIELDS: &[&str] = &["init_script", "map_script", "combine_script", "reduce_script", "params"];

pub(crate) fn parse(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    let mut metric = ScriptedMetric {
        init: None,
        map: None,
        combine: None,
        reduce: None,
        params: Map::new(),
        name: cx.name.to_owned(),
    };
    for entry in &map.entries {
        match (entry.key.as_str(), &entry.value) {
            ("init_script", _) => metric.init = Some(cx.script(entry, "aggregation-script")?),
            ("map_script", _) => metric.map = Some(cx.script(entry, "scripted metric agg map script")?),
            ("combine_script", _) => metric.combine = Some(cx.script(entry, "aggregation-script")?),
            ("reduce_script", _) => metric.reduce = Some(cx.script(entry, "aggregation-script")?),
            ("params", Value::Object(params)) => metric.params = params.clone(),
            ("params", _) => return Err(cx.wrong_type(entry)),
            _ => return Err(cx.unknown_field(entry, FIELDS)),
        }
    }
    if metric.map.is_none() {
        return Err(Error::illegal_argument("Required [map_script]"));
    }
    Ok(Box::new(metric))
}

impl ScriptedMetric {
    fn need<'a>(&self, script: &'a Option<Arc<Script>>, what: &str) -> Result<&'a Arc<Script>> {
        let missing = || Error::illegal_argument(format!("[{what}Script] must not be null: [{}]", self.name));
        script.as_ref().ok_or_else(missing)
    }

    /// The scripts of a shard as `with` makes them.
    fn scripts(&self, with: impl Fn(&Arc<Script>) -> Result<Arc<Script>>) -> Result<MetricScripts> {
        let combine = self.need(&self.combine, "combine")?;
        Ok(MetricScripts {
            init: self.init.as_ref().map(&with).transpose()?,
            map: with(self.need(&self.map, "map")?)?,
            combine: with(combine)?,
        })
    }

    fn reduced(&self, states: Vec<Value>) -> Result<Value> {
        reduce_states(&*self.with_params(self.need(&self.reduce, "reduce")?)?, states)
    }

    /// A script with the aggregation's parameters beside its own.
    fn with_params(&self, script: &Arc<Script>) -> Result<Arc<Script>> {
        if self.params.is_empty() {
            return Ok(script.clone());
        }
        let mut params = self.params.clone();
        if let Value::Object(own) = &script.params {
            for (name, value) in own.iter() {
                if params.contains(name) {
                    return Err(Error::illegal_argument(format!(
                        "Parameter name \"{name}\" used in both aggregation and script parameters"
                    ))
                    .late());
                }
                params.insert(name, value.clone());
            }
        }
        Ok(Arc::new(script.with_params(Value::Object(params))))
    }
}

impl Kind for ScriptedMetric {
    fn aggregator(&self, _agg: &Agg, cx: &ShardContext) -> Result<Box<dyn Aggregator>> {
        let plain = self.scripts(|script| Ok(script.clone()))?;
        self.with_params(self.need(&self.reduce, "reduce")?)?;
        // Parameters of the same name are seen when the first bucket gets its state.
        let (scripts, clash) = match self.scripts(|script| self.with_params(script)) {
            Ok(scripts) => (scripts, None),
            Err(clash) => (plain, Some(clash)),
        };
        let states = MetricStates::new(&scripts, &cx.mapping, &cx.index, cx.now_ms)?;
        let scores = if states.uses_score() { Some(DocScores::new(cx)?) } else { None };
        Ok(Box::new(Collect { states, scores, clash, nothing: false }))
    }

    fn empty(&self, _agg: &Agg) -> Partial {
        Partial::Scripted(Box::new(Scripted { states: vec![Value::Null], answer: None }))
    }

    fn reduce(&self, _agg: &Agg, parts: Vec<Partial>, cx: &mut ReduceContext) -> Result<Partial> {
        let mut states = vec![];
        for part in parts {
            let Partial::Scripted(part) = part else { return Err(mismatch()) };
            states.extend(part.states);
        }
        if cx.within_shard {
            return Ok(Partial::Scripted(Box::new(Scripted { states, answer: None })));
        }
        let answer = self.reduced(states)?;
        // Where buckets are joined once more, the answers so far are the states.
        Ok(Partial::Scripted(Box::new(Scripted { states: vec![answer.clone()], answer: Some(answer) })))
    }

    fn render(&self, _agg: &Agg, partial: &Partial, w: &mut Writer, _shown: Shown<'_>) -> Result<()> {
        let Partial::Scripted(scripted) = partial else { return Err(mismatch()) };
        match &scripted.answer {
            Some(answer) => w.key("value").value(answer),
            None => w.key("value").value(&self.reduced(scripted.states.clone())?),
        };
        Ok(())
    }

    /// Its script may ask for the score, whether it does or not.
    fn needs_scores(&self) -> bool {
        true
    }

    fn typed_name(&self, _partial: &Partial) -> &'static str {
        "scripted_metric"
    }

    fn is_bucketing(&self) -> bool {
        false
    }

    fn order_value(&self, partial: &Partial, property: Option<&str>) -> Option<f64> {
        match (partial, property) {
            (Partial::Scripted(scripted), None | Some("value")) => scripted.answer.as_ref()?.as_f64(),
            _ => None,
        }
    }
}

struct Collect {
    states: MetricStates,
    /// Where the script asks for the score.
    scores: Option<DocScores>,
    /// Why no bucket can have a state.
    clash: Option<Error>,
    /// It stands below what finds nothing on its shard.
    nothing: bool,
}

impl Aggregator for Collect {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.states.enter_segment(view);
        self.scores.as_mut().map_or(Ok(()), |scores| scores.enter_segment(view))
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        if let Some(clash) = self.clash.as_ref().filter(|_| !docs.is_empty()) {
            return Err(clash.clone());
        }
        for (i, doc) in docs.iter().enumerate() {
            check_shard_buckets(owners.of(i) as usize)?;
            let score = self.scores.as_mut().map_or(Ok(0.0), |scores| scores.score(*doc))?;
            self.states.add(owners.of(i), *doc, score)?;
        }
        Ok(())
    }

    fn find_nothing(&mut self) {
        self.nothing = true;
    }

    fn build<'a>(&'a mut self, owners: &'a [u32], pace: &'a Pace) -> Built<'a> {
        Box::pin(async move {
            let part = |owner: u32| {
                let states = match &self.clash {
                    _ if self.nothing => vec![Value::Null],
                    Some(clash) => return Err(clash.clone()),
                    None => vec![self.states.finish(owner)?],
                };
                Ok(Partial::Scripted(Box::new(Scripted { states, answer: None })))
            };
            of_each(owners, SCRIPT_UNITS, pace, part).await
        })
    }
}
