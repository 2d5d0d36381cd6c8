//! `_clone`, `_shrink` and `_split`.

use super::super::document::validation_failed;
use super::super::targets::{TIMEOUTS, active_shards, submit, wait_for_copies};
use super::super::{ApiRequest, Method, Reply, Route, background};
use super::body_places::last_byte;
use super::create::{expected_object, parse_aliases};
use crate::cluster::{
    BlockLevel, Change, CreateIndex, IndexMeta, Resize, ResizeKind, blocks, check_resize, shards_for_size, single_name,
};
use crate::coordinate::broadcast::broadcast;
use crate::coordinate::{Core, ShardReply, ShardRequest, clock};
use crate::settings::SettingsUpdate;
use crate::settings::units::parse_bytes;
use pith_engine::deprecated::note;
use pith_engine::json::{Value, Writer, line_col};
use pith_engine::{Error, ErrorKind, Result, did_you_mean};
use std::rc::Rc;
use std::sync::Arc;

const PARAMS: &[&[&str]] =
    &[TIMEOUTS, &["copy_settings", "wait_for_active_shards", "wait_for_completion", "task_execution_timeout"]];

macro_rules! rows {
    ($($method:ident $path:literal $name:literal $kind:ident),* $(,)?) => {
        &[$(Route {
            method: Method::$method,
            path: $path,
            name: $name,
            params: PARAMS,
            handler: |core, request| Box::pin(resize(core, request, ResizeKind::$kind)),
        }),*]
    };
}

pub const ROUTES: &[Route] = rows![
    Put "/{index}/_clone/{target}" "clone_index_action" Clone,
    Post "/{index}/_clone/{target}" "clone_index_action" Clone,
    Put "/{index}/_shrink/{target}" "shrink_index_action" Shrink,
    Post "/{index}/_shrink/{target}" "shrink_index_action" Shrink,
    Put "/{index}/_split/{target}" "split_index_action" Split,
    Post "/{index}/_split/{target}" "split_index_action" Split,
];

/// The body of a request.
#[derive(Default)]
struct Asked {
    new: CreateIndex,
    max_shard_size: Option<i64>,
}

async fn resize(core: Rc<Core>, request: ApiRequest, kind: ResizeKind) -> Result<Reply> {
    let copy = request.flag_opt("copy_settings")?;
    if copy == Some(true) {
        note("parameter [copy_settings] is deprecated and will be removed in 3.0.0");
    }
    if copy == Some(false) {
        return Err(Error::illegal_argument("parameter [copy_settings] can not be explicitly set to [false]"));
    }
    let mut asked = match request.json_opt()? {
        Some(body) => parse_body(&body, &request.body)?,
        None => Asked::default(),
    };
    asked.new.name = single_name(request.path_param("target"), clock::now_ms())?;
    asked.new.provided_name = Some(request.path_param("target").to_owned());
    asked.new.wait_for_active_shards = active_shards(&request)?;
    let waits = background::waits(&request)?;
    validate(kind, &asked)?;
    if waits {
        return run(&core, &request, kind, asked).await.map(|body| Reply::json(200, body));
    }
    let description = format!("{} from [{}] to [{}]", kind.name(), request.path_param("index"), asked.new.name);
    let request = Rc::new(request);
    let work = {
        let (core, request) = (core.clone(), request.clone());
        async move { run(&core, &request, kind, asked).await }
    };
    Ok(background::detach(&core, &request, "indices:admin/resize", description, work))
}

/// Makes the index; gives the body of the answer.
async fn run(core: &Rc<Core>, request: &ApiRequest, kind: ResizeKind, mut asked: Asked) -> Result<Vec<u8>> {
    let state = core.state();
    let name = request.path_param("index");
    blocks::check_new(&state, &asked.new.name)?;
    let source = state.index(name).cloned().ok_or_else(|| Error::index_not_found(name))?;
    let target = asked.new.name.clone();
    // How large it is has to be known first.
    blocks::check(&state, BlockLevel::MetadataRead, [&*source])?;
    if let Some(bytes) = asked.max_shard_size {
        let shards = shards_for_size(source.number_of_shards, store_bytes(core, &source).await, bytes.max(1) as u64);
        asked.new.settings.insert("index.number_of_shards", Some(shards.to_string().into()));
    }
    let resize = Resize { kind, source: source.id(), new: asked.new };
    check_resize(&state, &resize)?;
    // The new shards are made of files, so everything has to be in them.
    let flush = || ShardRequest::Flush { force: false, wait_if_ongoing: true };
    for answer in broadcast(core, std::slice::from_ref(&source), flush).await.answers {
        answer.reply?;
    }
    let change = Change::Resize(Box::new(resize));
    let done = submit(core, request, change).await?.is_done();
    let active = done && wait_for_copies(core, request, &[target.as_str().into()]).await?;
    let mut w = Writer::new();
    w.begin_object().key("acknowledged").bool(done).key("shards_acknowledged").bool(active);
    w.key("index").string(&target).end_object();
    Ok(w.finish())
}

async fn store_bytes(core: &Core, index: &Arc<IndexMeta>) -> u64 {
    let answers = broadcast(core, std::slice::from_ref(index), || ShardRequest::Stats).await.answers;
    let bytes = answers.iter().map(|answer| match &answer.reply {
        Ok(ShardReply::Stats(stats)) => stats.store_bytes,
        _ => 0,
    });
    bytes.sum()
}

fn validate(kind: ResizeKind, asked: &Asked) -> Result<()> {
    let mut problems = vec![];
    // As the request has them: names are completed later.
    let setting = |key: &str| asked.new.settings.get(key).and_then(Option::as_ref);
    if asked.new.settings.iter().any(|(key, _)| key.starts_with("index.sort.")) {
        problems.push("can't override index sort when resizing an index".to_owned());
    }
    if asked.new.settings.get("index.routing_partition_size").is_some() {
        problems.push("cannot provide a routing partition size value when resizing an index".to_owned());
    }
    if kind == ResizeKind::Split && setting("index.number_of_shards").is_none() {
        problems.push("index.number_of_shards is required for split operations".to_owned());
    }
    for block in ["index.blocks.read_only", "index.blocks.read_only_allow_delete", "index.blocks.metadata"] {
        if setting(block).is_some_and(|value| value.text() == "true") {
            problems.push(format!(
                "target index [{}] will be blocked by [{block}=true], this will disable metadata writes and cause the shards to be unassigned",
                asked.new.name
            ));
        }
    }
    if let Some(bytes) = asked.max_shard_size {
        if kind != ResizeKind::Shrink {
            problems.push("Unsupported parameter [max_shard_size]".to_owned());
        } else {
            if setting("index.number_of_shards").is_some() {
                problems.push("Cannot set max_shard_size and index.number_of_shards at the same time!".to_owned());
            }
            if bytes <= 0 {
                problems.push("max_shard_size must be greater than 0".to_owned());
            }
        }
    }
    validation_failed(&problems)
}

fn parse_body(body: &Value, text: &[u8]) -> Result<Asked> {
    let map = body.as_object().ok_or_else(|| expected_object("resize_request", body))?;
    let mut asked = Asked::default();
    let at = |pos: u32, what: &str| {
        let (line, col) = line_col(text, pos);
        Error::new(ErrorKind::XContentParse, format!("[{line}:{col}] [resize_request] {what}"))
    };
    for entry in &map.entries {
        match (entry.key.as_str(), &entry.value) {
            ("settings", value @ Value::Object(_)) => {
                asked.new.settings = resized_settings(value).map_err(|cause| {
                    at(last_byte(text, entry.value_pos), "failed to parse field [settings]")
                        .with_root_causes(vec![cause.clone()])
                        .caused_by(cause)
                })?;
            }
            ("aliases", value @ Value::Object(_)) => {
                let end = last_byte(text, entry.value_pos);
                let failed = |cause| at(end, "failed to parse field [aliases]").caused_by(cause);
                asked.new.aliases = parse_aliases(value).map_err(failed)?;
            }
            ("max_shard_size", Value::String(text)) => {
                let bytes = parse_bytes("max_shard_size", text).map_err(|error| {
                    let cause = error.cause().cloned().unwrap_or(error);
                    at(entry.value_pos, "failed to parse field [max_shard_size]")
                        .with_root_causes(vec![cause.clone()])
                        .caused_by(cause)
                })?;
                asked.max_shard_size = Some(bytes);
            }
            (key @ ("settings" | "aliases" | "max_shard_size"), value) => {
                let token = value.token();
                return Err(at(entry.value_pos, &format!("{key} doesn't support values of type: {token}")));
            }
            (key, _) => {
                let hint = did_you_mean::suffix(key, ["settings", "aliases", "max_shard_size"]);
                return Err(at(entry.key_pos, &format!("unknown field [{key}]{hint}")));
            }
        }
    }
    Ok(asked)
}

/// The settings of the new index. No number of shards is one that is said all the same: what an index has by default.
fn resized_settings(value: &Value) -> Result<SettingsUpdate> {
    let mut settings = SettingsUpdate::from_json(value)?;
    for key in ["index.number_of_shards", "number_of_shards"] {
        if let Some(None) = settings.get(key) {
            settings.insert(key, Some("1".into()));
        }
    }
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pith_engine::json::parse;

    fn complaint(kind: ResizeKind, body: &str) -> String {
        let read = parse_body(&parse(body.as_bytes()).unwrap(), body.as_bytes());
        read.and_then(|asked| validate(kind, &asked)).map_or_else(|error| error.reason().to_owned(), |()| "ok".into())
    }

    #[test]
    fn bodies() {
        let shrink = |body: &str| complaint(ResizeKind::Shrink, body);
        assert_eq!(shrink(r#"{"settings":{"number_of_shards":2},"aliases":{"a":{}}}"#), "ok");
        assert_eq!(shrink(r#"{"foo":"0"}"#), "[1:2] [resize_request] unknown field [foo]");
        assert_eq!(
            shrink(r#"{"settings":{"index.number_of_shards":2},"max_shard_size":"1gb"}"#),
            "Validation Failed: 1: Cannot set max_shard_size and index.number_of_shards at the same time!;"
        );
        assert_eq!(
            shrink(r#"{"settings":{"index.number_of_shards":null},"max_shard_size":"1gb"}"#),
            "Validation Failed: 1: Cannot set max_shard_size and index.number_of_shards at the same time!;"
        );
        assert_eq!(
            shrink(r#"{"settingsx":{}}"#),
            "[1:2] [resize_request] unknown field [settingsx] did you mean [settings]?"
        );
        assert_eq!(shrink(r#"{"settings":{"a":[null]}}"#), "[1:24] [resize_request] failed to parse field [settings]");
        assert_eq!(
            complaint(ResizeKind::Split, "{}"),
            "Validation Failed: 1: index.number_of_shards is required for split operations;"
        );
    }
}
