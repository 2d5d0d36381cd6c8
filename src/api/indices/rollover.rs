//! `POST /{index}/_rollover[/{new_index}]`.

use super::super::targets::{TIMEOUTS, active_shards, submit, wait_for_copies};
use super::super::{ApiRequest, Method, Reply, Route};
use super::body_places::{at, last_byte};
use super::create::{expected_object, mapping_of, parse_aliases};
use crate::api::cat::table::bytes_text;
use crate::cluster::{
    BlockLevel, Change, CreateIndex, IndexMeta, Rollover, RolloverTarget, State, blocks, check_new_index_name,
    next_name, single_name,
};
use crate::coordinate::broadcast::broadcast;
use crate::coordinate::{Core, ShardReply, ShardRequest, clock};
use crate::settings::SettingsUpdate;
use crate::settings::units::{parse_bytes, parse_time_ms};
use pith_engine::json::{Entry, Map, Value, Writer};
use pith_engine::{Error, ErrorKind, Result, did_you_mean};
use std::rc::Rc;
use std::sync::Arc;

macro_rules! row {
    ($path:literal) => {
        Route {
            method: Method::Post,
            path: $path,
            name: "rollover_index_action",
            params: &[TIMEOUTS, &["wait_for_active_shards", "dry_run"]],
            handler: |core, request| Box::pin(rollover(core, request)),
        }
    };
}

pub const ROUTES: &[Route] = &[row!("/{index}/_rollover"), row!("/{index}/_rollover/{new_index}")];

/// One thing that has to be true of the index that is written to. Sizes and times keep how they were written.
#[derive(Clone, Debug, PartialEq)]
enum Condition {
    Docs(i64),
    Size(i64, String),
    Age(i64, String),
}

impl Condition {
    fn shown(&self) -> String {
        match self {
            Self::Docs(docs) => format!("[max_docs: {docs}]"),
            Self::Size(bytes, _) => format!("[max_size: {}]", bytes_text((*bytes).max(0) as u64)),
            Self::Age(0, _) => "[max_age: 0s]".to_owned(),
            Self::Age(ms, _) => format!("[max_age: {}]", clock::time_text(*ms)),
        }
    }

    fn is_met(&self, of: &Measured) -> bool {
        match self {
            Self::Docs(docs) => of.docs >= *docs,
            Self::Size(bytes, _) => of.bytes >= *bytes,
            Self::Age(ms, _) => of.age_ms >= *ms,
        }
    }

    /// As the state of the cluster tells that it was met.
    fn remembered(&self) -> (&'static str, Value) {
        match self {
            Self::Docs(docs) => ("max_docs", Value::Int(*docs)),
            Self::Size(_, text) => ("max_size", Value::from(text)),
            Self::Age(_, text) => ("max_age", Value::from(text)),
        }
    }
}

/// What conditions are held against.
struct Measured {
    docs: i64,
    bytes: i64,
    age_ms: i64,
}

/// The body of a request.
#[derive(Default)]
struct Asked {
    conditions: Vec<Condition>,
    new: CreateIndex,
}

/// What is rolled over, from which index to which.
struct Plan {
    stream: Option<String>,
    old: Arc<IndexMeta>,
    new_name: String,
    provided_name: Option<String>,
}

async fn rollover(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let asked = match request.json_opt()? {
        Some(body) => parse_body(&body, &request.body)?,
        None => Asked::default(),
    };
    let dry_run = request.flag("dry_run", false)?;
    request.time_ms("timeout", 0)?;
    // How many copies there will be is not looked at: the answer tells that there were not so many.
    active_shards(&request)?;
    let state = core.state();
    let target = request.path_param("index");
    // A target that is not there is told with all else that is wrong with it.
    blocks::check(&state, BlockLevel::MetadataWrite, written(&state, target).as_deref())?;
    let plan = plan(&state, target, request.param("new_index"), &asked)?;
    let measured = measure(&core, &plan.old).await;
    let results: Vec<(String, bool)> =
        asked.conditions.iter().map(|condition| (condition.shown(), condition.is_met(&measured))).collect();
    let met = results.is_empty() || results.iter().any(|(_, met)| *met);
    if dry_run || !met {
        return Ok(answer(&plan, &results, false, dry_run, false));
    }
    let met =
        asked.conditions.iter().filter(|condition| condition.is_met(&measured)).map(Condition::remembered).collect();
    let target = match &plan.stream {
        Some(name) => RolloverTarget::DataStream(name.clone()),
        None => RolloverTarget::Alias {
            alias: target.to_owned(),
            old: plan.old.id(),
            new: Box::new(CreateIndex {
                name: plan.new_name.clone(),
                provided_name: plan.provided_name.clone(),
                ..asked.new
            }),
        },
    };
    let change = Change::Rollover(Box::new(Rollover { target, met }));
    let done = submit(&core, &request, change).await?.is_done();
    let active = done && wait_for_copies(&core, &request, &[plan.new_name.as_str().into()]).await?;
    Ok(answer(&plan, &results, done, false, active))
}

fn plan(state: &State, target: &str, new_index: Option<&str>, asked: &Asked) -> Result<Plan> {
    let refuse = |why: String| Err(Error::illegal_argument(why));
    if let Some(stream) = state.data_streams.get(target) {
        if new_index.is_some() {
            return refuse("new index name may not be specified when rolling over a data stream".into());
        }
        let new = &asked.new;
        if !new.settings.is_empty() || !new.aliases.is_empty() || new.mapping.is_some() {
            return refuse(
                "aliases, mappings, and index settings may not be specified when rolling over a data stream".into(),
            );
        }
        let old = stream.write_index().map(|id| state.expect_index(id)).transpose()?;
        let old = old.ok_or_else(|| Error::index_not_found(target))?.clone();
        let new_name = stream.next_index();
        check_new_index_name(state, &new_name)?;
        return Ok(Plan { stream: Some(target.to_owned()), old, new_name, provided_name: None });
    }
    if state.index(target).is_some() {
        return refuse("rollover target is a [concrete index] but one of [alias,data_stream] was expected".into());
    }
    let Some(members) = state.aliases.get(target) else {
        return refuse(format!("rollover target [{target}] does not exist"));
    };
    let members: Vec<&Arc<IndexMeta>> = members.iter().filter_map(|name| state.index(name)).collect();
    let Some(old) = write_index(target, &members).cloned() else {
        return refuse(format!("rollover target [{target}] does not point to a write index"));
    };
    let now_ms = clock::now_ms();
    let provided = match new_index {
        Some(name) => name.to_owned(),
        None => next_name(old.settings.text("index.provided_name").unwrap_or(&old.name), now_ms)?,
    };
    let new_name = single_name(&provided, now_ms)?;
    check_new_index_name(state, &new_name)?;
    Ok(Plan { stream: None, old, new_name, provided_name: Some(provided) })
}

/// The index that writes to an alias go to.
fn write_index<'i>(alias: &str, members: &[&'i Arc<IndexMeta>]) -> Option<&'i Arc<IndexMeta>> {
    let is_write = |index: &IndexMeta| index.aliases.get(alias).and_then(|meta| meta.is_write_index);
    match members {
        [only] if is_write(only) != Some(false) => Some(only),
        several => several.iter().copied().find(|index| is_write(index) == Some(true)),
    }
}

/// The index that writes to `target` go to, if there is one: wildcards lead nowhere.
fn written(state: &State, target: &str) -> Option<Arc<IndexMeta>> {
    if let Some(stream) = state.data_streams.get(target) {
        return state.expect_index(stream.write_index()?).ok().cloned();
    }
    if let Some(index) = state.index(target) {
        return Some(index.clone());
    }
    let members: Vec<&Arc<IndexMeta>> =
        state.aliases.get(target)?.iter().filter_map(|name| state.index(name)).collect();
    write_index(target, &members).cloned()
}

async fn measure(core: &Core, index: &Arc<IndexMeta>) -> Measured {
    let (mut docs, mut bytes) = (0, 0);
    for answer in broadcast(core, std::slice::from_ref(index), || ShardRequest::Stats).await.answers {
        if let Ok(ShardReply::Stats(stats)) = answer.reply {
            docs += stats.docs.count as i64;
            // What an empty shard keeps of itself does not count.
            bytes += if stats.docs.count + stats.docs.deleted > 0 { stats.store_bytes as i64 } else { 0 };
        }
    }
    Measured { docs, bytes, age_ms: clock::now_ms().saturating_sub(index.creation_date_ms as i64) }
}

fn answer(plan: &Plan, results: &[(String, bool)], done: bool, dry_run: bool, active: bool) -> Reply {
    let mut w = Writer::new();
    w.begin_object().key("acknowledged").bool(done).key("shards_acknowledged").bool(active);
    w.key("old_index").string(&plan.old.name).key("new_index").string(&plan.new_name);
    w.key("rolled_over").bool(done).key("dry_run").bool(dry_run);
    w.key("conditions").begin_object();
    for (shown, met) in results {
        w.key(shown).bool(*met);
    }
    w.end_object().end_object();
    Reply::ok(w)
}

fn parse_body(body: &Value, text: &[u8]) -> Result<Asked> {
    let map = body.as_object().ok_or_else(|| expected_object("rollover", body))?;
    let mut asked = Asked::default();
    for entry in &map.entries {
        let failed = |cause: Error| {
            let what = format!("[rollover] failed to parse field [{}]", entry.key);
            wrapped(at(text, entry.value_pos, &what), cause)
        };
        match (entry.key.as_str(), &entry.value) {
            ("conditions", Value::Object(map)) => asked.conditions = parse_conditions(map, text)?,
            ("settings", value @ Value::Object(_)) => {
                asked.new.settings = SettingsUpdate::from_json(value).map_err(failed)?;
            }
            ("mappings", value @ Value::Object(_)) => {
                // What is wrong with it shows when it has been read.
                let end = at(text, last_byte(text, entry.value_pos), "[rollover] failed to parse field [mappings]");
                asked.new.mapping = Some(mapping_of(value).map_err(|cause| wrapped(end, cause))?);
            }
            ("aliases", value @ Value::Object(_)) => asked.new.aliases = parse_aliases(value).map_err(failed)?,
            (key @ ("conditions" | "settings" | "mappings" | "aliases"), value) => {
                let what = format!("[rollover] {key} doesn't support values of type: {}", value.token());
                return Err(at(text, entry.value_pos, &what));
            }
            (key, _) => {
                let hint = did_you_mean::suffix(key, ["aliases", "conditions", "mappings", "settings"]);
                return Err(at(text, entry.key_pos, &format!("[rollover] unknown field [{key}]{hint}")));
            }
        }
    }
    Ok(asked)
}

/// In the order in which the answer shows them.
fn parse_conditions(map: &Map, text: &[u8]) -> Result<Vec<Condition>> {
    let (mut docs, mut size, mut age) = (None, None, None);
    for entry in &map.entries {
        let value = entry.value.to_text();
        let place = |error: Error| {
            let inner = wrapped(
                at(text, entry.value_pos, &format!("[conditions] failed to parse field [{}]", entry.key)),
                error,
            );
            in_conditions(text, entry, inner)
        };
        let takes = match entry.key.as_str() {
            "max_docs" => matches!(entry.value.token(), "VALUE_NUMBER" | "VALUE_STRING"),
            "max_size" | "max_age" => matches!(entry.value, Value::String(_)),
            _ => true,
        };
        if !takes {
            let what = format!("[conditions] {} doesn't support values of type: {}", entry.key, entry.value.token());
            return Err(in_conditions(text, entry, at(text, entry.value_pos, &what)));
        }
        match entry.key.as_str() {
            "max_docs" => {
                let whole = || value.parse::<f64>().ok().map(|number| number as i64);
                let number = entry.value.as_i64().or_else(|| value.parse().ok()).or_else(whole);
                let bad = || Error::illegal_argument(format!("For input string: \"{value}\""));
                docs = Some(Condition::Docs(number.ok_or_else(bad).map_err(place)?));
            }
            "max_size" => {
                let bytes = parse_bytes("max_size", &value).map_err(bare).map_err(place)?;
                size = Some(Condition::Size(bytes, value.trim().to_lowercase()));
            }
            "max_age" => {
                let ms = parse_time_ms("max_age", &value).map_err(place)?;
                age = Some(Condition::Age(ms, value.trim().to_lowercase()));
            }
            key => {
                let hint = did_you_mean::suffix(key, ["max_age", "max_docs", "max_size"]);
                let inner = at(text, entry.key_pos, &format!("[conditions] unknown field [{key}]{hint}"));
                return Err(in_conditions(text, entry, inner));
            }
        }
    }
    Ok([docs, size, age].into_iter().flatten().collect())
}

fn in_conditions(text: &[u8], entry: &Entry, inner: Error) -> Error {
    wrapped(at(text, entry.value_pos, "[rollover] failed to parse field [conditions]"), inner)
}

/// An error with its cause. The innermost cause of the engine's own kinds is the root.
fn wrapped(error: Error, cause: Error) -> Error {
    let mut root = None;
    let mut link = Some(&cause);
    while let Some(at) = link {
        if matches!(at.kind(), ErrorKind::XContentParse | ErrorKind::Parse) {
            root = Some(at.clone());
        }
        link = at.cause();
    }
    let error = match root {
        Some(root) => error.with_root_causes(vec![root]),
        None => error,
    };
    error.caused_by(cause)
}

/// The cause alone of an error that only repeats it.
fn bare(error: Error) -> Error {
    error.cause().cloned().unwrap_or(error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pith_engine::json::parse;

    fn conditions(text: &str) -> Result<Vec<String>> {
        let asked = parse_body(&parse(text.as_bytes()).unwrap(), text.as_bytes())?;
        Ok(asked.conditions.iter().map(Condition::shown).collect())
    }

    #[test]
    fn conditions_are_shown_in_one_order() {
        let shown = conditions(r#"{"conditions":{"max_age":"168h","max_size":"1024mb","max_docs":5}}"#).unwrap();
        assert_eq!(shown, ["[max_docs: 5]", "[max_size: 1gb]", "[max_age: 7d]"]);
    }

    #[test]
    fn mistakes_have_places() {
        let reason = |text: &str| conditions(text).unwrap_err().reason().to_owned();
        assert_eq!(reason(r#"{"foo":1}"#), "[1:2] [rollover] unknown field [foo]");
        assert_eq!(
            reason(r#"{"settings":1}"#),
            "[1:13] [rollover] settings doesn't support values of type: VALUE_NUMBER"
        );
        let error = conditions(r#"{"conditions":{"foo":1}}"#).unwrap_err();
        assert_eq!(error.cause().unwrap().reason(), "[1:16] [conditions] unknown field [foo]");
    }
}
