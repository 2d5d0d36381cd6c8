//! `script`: settings of the request changed by a script, which sees them as `ctx._source`.

use super::super::run::Attributes;
use super::super::step::RequestProcessor;
use crate::error::{Error, ErrorKind, Result};
use crate::ingest::{Config, Scripts, read_script};
use crate::json::{Map, Value as Json, java_class};
use crate::script::context::SEARCH;
use crate::script::{Limits, Script, freeze, from_json, to_json};
use crate::search::{SearchRequest, TotalHits};
use std::sync::Arc;

struct ScriptProcessor(Arc<Script>);

pub fn build(config: &mut Config, scripts: &dyn Scripts) -> Result<Box<dyn RequestProcessor>> {
    let mut definition = Map::new();
    for key in ["source", "inline", "id", "stored", "lang", "params", "options"] {
        if let Some(value) = config.take(key) {
            definition.insert(key, value);
        }
    }
    // What is wrong with the program is told with the processor.
    let named = |error: Error| match error.kind() {
        ErrorKind::Script => config.named(error),
        _ => error,
    };
    Ok(Box::new(ScriptProcessor(read_script(Json::Object(definition), scripts, &SEARCH).map_err(named)?)))
}

impl RequestProcessor for ScriptProcessor {
    fn change(&self, request: &mut SearchRequest, attributes: &mut Attributes, now_ms: i64) -> Result<()> {
        let before = settings(request);
        let ctx = Json::Object(Map::from_iter([
            ("_source", Json::Object(before.clone())),
            ("request_context", Json::Object(attributes.clone())),
        ]));
        let mut vm = self.0.vm(&SEARCH, Limits::default(), now_ms)?;
        let outcome = from_json(&mut vm, &ctx).and_then(|object| {
            // What is in it may be changed, but not what it has.
            freeze(&object);
            let variables = [vm.params(), object.clone()];
            vm.execute(&variables)?;
            to_json(&mut vm, &object)
        });
        let after = outcome.map_err(|failed| vm.to_error(&failed))?;
        let source = after.get("_source").and_then(Json::as_object).cloned().unwrap_or_default();
        for (key, value) in source.iter().filter(|(key, value)| before.get(key) != Some(value)) {
            set(request, key, value).map_err(|error| self.failed(error))?;
            request.show(key, |_| value.clone());
        }
        if let Some(context) = after.get("request_context").and_then(Json::as_object) {
            *attributes = context.clone();
        }
        Ok(())
    }
}

impl ScriptProcessor {
    /// A failure of what the script did.
    fn failed(&self, cause: Error) -> Error {
        Error::new(ErrorKind::Script, "runtime error")
            .with("script_stack", Json::Array(vec![]))
            .with("script", &*self.0.source)
            .with("lang", &*self.0.lang)
            .caused_by(cause)
    }
}

/// What scripts may read and change.
fn settings(request: &SearchRequest) -> Map {
    let number = |number: usize| Json::Int(i64::try_from(number).unwrap_or(i64::MAX));
    let total_hits = match request.total_hits {
        _ if !request.total_hits_given => Json::Null,
        TotalHits::No => Json::Int(-1),
        TotalHits::Exact => Json::Int(i64::from(i32::MAX)),
        TotalHits::UpTo(limit) => Json::Int(i64::try_from(limit).unwrap_or(i64::MAX)),
    };
    let mut map = Map::new();
    map.insert("from", number(request.from));
    map.insert("size", number(request.size));
    map.insert("explain", request.explain);
    map.insert("version", request.version);
    map.insert("seq_no_primary_term", request.seq_no_primary_term);
    map.insert("track_scores", request.track_scores);
    map.insert("track_total_hits", total_hits);
    map.insert("min_score", request.min_score.map_or(Json::Null, |score| Json::Float(f64::from(score))));
    map.insert("terminate_after", Json::Int(request.terminate_after.map_or(0, |after| after as i64)));
    map.insert("profile", request.profile);
    map
}

fn set(request: &mut SearchRequest, key: &str, value: &Json) -> Result<()> {
    match key {
        "from" => request.set_from(whole(value)?),
        "size" => request.set_size(whole(value)?),
        "explain" => flag(value).map(|flag| request.explain = flag),
        "version" => flag(value).map(|flag| request.version = flag),
        "seq_no_primary_term" => flag(value).map(|flag| request.seq_no_primary_term = flag),
        "track_scores" => flag(value).map(|flag| request.track_scores = flag),
        "profile" => flag(value).map(|flag| request.profile = flag),
        "track_total_hits" => {
            request.total_hits = match whole(value)? {
                most if most == i64::from(i32::MAX) => TotalHits::Exact,
                number => TotalHits::of(number)?,
            };
            request.total_hits_given = true;
            Ok(())
        }
        "min_score" => match value {
            Json::Float(score) => {
                request.min_score = Some(*score as f32);
                Ok(())
            }
            other => Err(wrong_class(other, "java.lang.Float")),
        },
        "terminate_after" => match whole(value)? {
            number if number < 0 => Err(Error::illegal_argument("terminateAfter must be > 0")),
            number => {
                request.terminate_after = u64::try_from(number).ok().filter(|number| *number > 0);
                Ok(())
            }
        },
        other => Err(Error::new(ErrorKind::SearchRequestMap, format!("Unsupported key: {other}"))),
    }
}

fn whole(value: &Json) -> Result<i64> {
    match value {
        Json::Int(number) if i32::try_from(*number).is_ok() => Ok(*number),
        other => Err(wrong_class(other, "java.lang.Integer")),
    }
}

fn flag(value: &Json) -> Result<bool> {
    value.as_bool().ok_or_else(|| wrong_class(value, "java.lang.Boolean"))
}

#[cold]
fn wrong_class(value: &Json, wanted: &str) -> Error {
    crate::ingest::not_castable(java_class(value), wanted)
}
