//! `_reindex`: copies what a search finds into another index.

use super::by_query::{RUN_PARAMS, SIZE_DEPRECATED, max_docs, max_docs_value, options, page_search, proceeds, start};
use super::document::validation_failed;
use super::params::time_ms;
use super::{ApiRequest, Method, Reply, Route};
use crate::cluster::resolve_write;
use crate::coordinate::by_query::spec::Routing;
use crate::coordinate::by_query::status::Shown;
use crate::coordinate::by_query::{ByQuery, Destination, SOURCE_OPTIONS, Work, sources};
use crate::coordinate::search::Scope;
use crate::coordinate::{Core, clock};
use pith_engine::json::{Entry, Map, Value, line_col, parse_prefix};
use pith_engine::script::Script;
use pith_engine::shard::VersionType;
use pith_engine::{Error, ErrorKind, Result, did_you_mean};
use std::rc::Rc;

pub const ROUTES: &[Route] = &[Route {
    method: Method::Post,
    path: "/_reindex",
    name: "reindex",
    params: &[RUN_PARAMS, &["require_alias"]],
    handler: |core, request| Box::pin(reindex(core, request)),
}];

const SIZE_DEFAULT: i32 = 1000;
const FIELDS: &[&str] = &["source", "dest", "size", "max_docs", "script", "conflicts"];
const DEST_FIELDS: &[&str] = &["index", "routing", "op_type", "pipeline", "version_type"];

async fn reindex(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let body = request.required_body()?.clone();
    let Value::Object(map) = pith_engine::json::parse(&body)? else {
        return Err(Error::new(ErrorKind::XContentParse, "[1:1] [reindex] Expected START_OBJECT"));
    };
    let (mut source, mut destination, mut conflicts) = (None, None, None);
    let (mut of_body, mut warnings, mut script) = (vec![], vec![], None);
    for entry in &map.entries {
        let failed = |cause: Error| failed_field(entry, &body, cause);
        match (entry.key.as_str(), &entry.value) {
            ("source", Value::Object(map)) => source = Some(parse_source(map.clone()).map_err(failed)?),
            ("dest", Value::Object(map)) => destination = Some(parse_destination(map, &body).map_err(failed)?),
            ("source" | "dest", value) => return Err(wrong_type(entry, value, &body)),
            ("conflicts", value) => {
                let text = value.to_text();
                proceeds(Some(&text)).map_err(failed)?;
                conflicts = Some(text);
            }
            ("size" | "max_docs", value) => {
                if entry.key == "size" {
                    let (line, col) = line_col(&body, entry.key_pos);
                    warnings.push(format!("[reindex][{line}:{col}] {SIZE_DEPRECATED}"));
                }
                of_body.push(max_docs_value(value).map_err(failed)?);
            }
            ("script", value) => script = Some(Script::parse(value).map_err(failed)?),
            _ => return Err(unknown("reindex", entry, &body, FIELDS)),
        }
    }
    let max_docs = max_docs(&request, &of_body)?;
    let (search_body, indexes, batch, remote) =
        source.unwrap_or_else(|| (Value::Object(Map::default()), vec![], SIZE_DEFAULT, None));
    let search = page_search(&search_body, &[], batch, max_docs)?;
    let destination = destination.unwrap_or_else(Destination::nowhere);
    let mut problems = vec![];
    if indexes.is_empty() {
        problems.push("use _all if you really want to copy from all existing indexes".to_owned());
    }
    if destination.index.is_empty() {
        problems.push("index must be specified".to_owned());
    }
    if matches!(search_body.get("_source"), Some(Value::Bool(false))) {
        problems.push("_source:false is not supported in this context".to_owned());
    }
    validation_failed(&problems)?;
    if let Some(authority) = remote {
        // No host is on the list unless an operator puts it there, and there is no way yet to read from one.
        return Err(Error::illegal_argument(format!("[{authority}] not allowlisted in reindex.remote.allowlist")));
    }
    let target = destination.index.clone();
    let scope = Scope { indexes: indexes.clone(), options: SOURCE_OPTIONS, routing: None, preference: None };
    let asked = ByQuery {
        scope,
        script,
        ..options(&request, Work::Reindex(destination), search, conflicts.as_deref(), max_docs)?
    };
    check_not_itself(&core, &asked, &target)?;
    let description = format!("reindex from [{}] to [{target}]", indexes.join(", "));
    let shown = Shown { updated: true, created: true, human: false };
    let reply = start(core, &request, asked, "indices:data/write/reindex", description, shown).await?;
    Ok(warnings.iter().fold(reply, |reply, warning| reply.with_warning(warning)))
}

/// A field that holds something else than its kind.
fn wrong_type(entry: &Entry, value: &Value, body: &[u8]) -> Error {
    let (line, col) = line_col(body, entry.value_pos);
    let reason = format!("[{line}:{col}] [reindex] {} doesn't support values of type: {}", entry.key, value.token());
    Error::new(ErrorKind::XContentParse, reason)
}

/// What is wrong inside a field, at the end of its value.
fn failed_field(entry: &Entry, body: &[u8], cause: Error) -> Error {
    let mut end = entry.value_pos;
    if let (Value::Object(_), Some(rest)) = (&entry.value, body.get(entry.value_pos as usize..))
        && let Ok((_, length)) = parse_prefix(rest)
    {
        let value = rest[..length].trim_ascii_end();
        end += value.len().saturating_sub(1) as u32;
    }
    let (line, col) = line_col(body, end);
    let reason = format!("[{line}:{col}] [reindex] failed to parse field [{}]", entry.key);
    let error = Error::new(ErrorKind::XContentParse, reason);
    match cause.kind() {
        // What a parser says of its own text is the root of the trouble; anything else only caused it.
        ErrorKind::XContentParse | ErrorKind::Parsing => error.with_root_causes(vec![cause.clone()]).caused_by(cause),
        _ => error.caused_by(cause),
    }
}

fn check_not_itself(core: &Core, asked: &ByQuery, target: &str) -> Result<()> {
    let state = core.state();
    let written = match state.has(target) {
        true => resolve_write(&state, target, None, clock::now_ms())?.0.name.to_string(),
        false => target.to_owned(),
    };
    if sources(core, asked)?.contains(&written) {
        validation_failed(&[format!("reindex cannot write into an index its reading from [{target}]")])?;
    }
    Ok(())
}

/// The search of a source, its indexes, the size of a page, and the host that it is on if not here.
type Source = (Value, Vec<String>, i32, Option<String>);

fn parse_source(mut source: Map) -> Result<Source> {
    let mut take = |name: &str| {
        let at = source.entries.iter().position(|entry| entry.key == name)?;
        Some(source.entries.remove(at).value)
    };
    let indexes = match take("index") {
        None => vec![],
        Some(Value::Array(items)) => items.iter().map(Value::to_text).collect(),
        Some(one) => one.to_text().split(',').map(str::to_owned).collect(),
    };
    let remote = take("remote").map(|remote| parse_remote(&remote)).transpose()?;
    let size = match take("size") {
        None => SIZE_DEFAULT,
        Some(value) => value
            .to_text()
            .parse::<i32>()
            .map_err(|_| Error::new(ErrorKind::NumberFormat, format!("For input string: \"{}\"", value.to_text())))?,
    };
    Ok((Value::Object(source), indexes, size, remote))
}

const REMOTE_FIELDS: &[&str] = &["host", "username", "password", "socket_timeout", "connect_timeout", "headers"];

/// The host and port of a remote source.
fn parse_remote(remote: &Value) -> Result<String> {
    let host = remote.get("host").map(Value::to_text).ok_or_else(|| {
        Error::new(ErrorKind::NullPointer, "[host] must be specified to reindex from a remote cluster")
    })?;
    let malformed = || {
        let reason = format!("[host] must be of the form [scheme]://[host]:[port](/[pathPrefix])? but was [{host}]");
        Err(Error::illegal_argument(reason))
    };
    let Some((_, rest)) = host.split_once("://") else { return malformed() };
    let authority = rest.split('/').next().unwrap_or_default().to_owned();
    match authority.rsplit_once(':') {
        Some((name, port)) if !name.is_empty() && port.parse::<u16>().is_ok() => {}
        _ => return malformed(),
    }
    for name in ["socket_timeout", "connect_timeout"] {
        if let Some(value) = remote.get(name) {
            time_ms(name, &value.to_text())?;
        }
    }
    let keys = remote.as_object().map(|map| map.entries.iter().map(|entry| entry.key.as_str())).into_iter().flatten();
    let unknown: Vec<&str> = keys.filter(|key| !REMOTE_FIELDS.contains(key)).collect();
    if !unknown.is_empty() {
        return Err(Error::illegal_argument(format!("Unsupported fields in [remote]: [{}]", unknown.join(","))));
    }
    Ok(authority)
}

impl Destination {
    fn nowhere() -> Self {
        Self {
            index: String::new(),
            create: false,
            version_type: VersionType::Internal,
            routing: Routing::Keep,
            pipeline: None,
        }
    }
}

fn parse_destination(map: &Map, body: &[u8]) -> Result<Destination> {
    let mut destination = Destination::nowhere();
    for entry in &map.entries {
        let text = entry.value.to_text();
        match entry.key.as_str() {
            "index" => destination.index = text,
            "pipeline" => destination.pipeline = Some(text),
            "routing" => {
                destination.routing = match text.as_str() {
                    "keep" => Routing::Keep,
                    "discard" => Routing::Discard,
                    _ => match text.strip_prefix('=') {
                        Some(routing) => Routing::Set(routing.to_owned()),
                        None => return Err(Error::illegal_argument(format!("Unsupported routing value [{text}]"))),
                    },
                };
            }
            "op_type" => {
                destination.create = match text.as_str() {
                    "create" => true,
                    "index" => false,
                    other => {
                        let reason = format!("opType must be 'create' or 'index', found: [{other}]");
                        return Err(Error::illegal_argument(reason));
                    }
                };
            }
            "version_type" => {
                destination.version_type = match text.as_str() {
                    "internal" => VersionType::Internal,
                    "external" | "external_gt" => VersionType::External,
                    "external_gte" => VersionType::ExternalGte,
                    other => {
                        return Err(Error::illegal_argument(format!("No version type match [{other}]")));
                    }
                };
            }
            _ => return Err(unknown("dest", entry, body, DEST_FIELDS)),
        }
    }
    Ok(destination)
}

fn unknown(parser: &str, entry: &Entry, body: &[u8], known: &[&str]) -> Error {
    let (line, col) = line_col(body, entry.key_pos);
    let hint = did_you_mean::suffix(&entry.key, known.iter().copied());
    Error::new(ErrorKind::XContentParse, format!("[{line}:{col}] [{parser}] unknown field [{}]{hint}", entry.key))
}
