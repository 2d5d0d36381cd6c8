//! `_reindex`: copies what a search finds into another index.

use super::by_query::{RUN_PARAMS, max_docs, options, page_search, start};
use super::document::validation_failed;
use super::{ApiRequest, Method, Reply, Route};
use crate::cluster::resolve_write;
use crate::coordinate::by_query::spec::Routing;
use crate::coordinate::by_query::status::Shown;
use crate::coordinate::by_query::{ByQuery, Destination, SOURCE_OPTIONS, Work, sources};
use crate::coordinate::search::Scope;
use crate::coordinate::{Core, clock};
use pith_engine::json::{Entry, Map, Value, line_col};
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
    let (mut size, mut max) = (None, None);
    for entry in &map.entries {
        match (entry.key.as_str(), &entry.value) {
            ("source", Value::Object(map)) => source = Some(map.clone()),
            ("dest", Value::Object(map)) => destination = Some(parse_destination(map, &body)?),
            ("conflicts", value) => conflicts = Some(value.to_text()),
            ("size", value) => size = Some(value.clone()),
            ("max_docs", value) => max = Some(value.clone()),
            ("script", _) => {
                return Err(Error::illegal_argument("[script] of a reindex is not supported yet"));
            }
            _ => return Err(unknown("reindex", entry, &body, FIELDS)),
        }
    }
    let max_docs = max_docs(&request, &[("max_docs", max), ("size", size)])?;
    let (search_body, indexes, batch) = parse_source(source.unwrap_or_default())?;
    let search = page_search(&search_body, &[], batch, max_docs)?;
    let destination = destination.unwrap_or_else(Destination::nowhere);
    let mut problems = vec![];
    if indexes.is_empty() {
        problems.push("use _all if you really want to copy from all existing indexes".to_owned());
    }
    if destination.index.is_empty() {
        problems.push("index must be specified".to_owned());
    }
    validation_failed(&problems)?;
    let target = destination.index.clone();
    let scope = Scope { indexes: indexes.clone(), options: SOURCE_OPTIONS, routing: None, preference: None };
    let asked =
        ByQuery { scope, ..options(&request, Work::Reindex(destination), search, conflicts.as_deref(), max_docs)? };
    check_not_itself(&core, &asked, &target)?;
    let description = format!("reindex from [{}] to [{target}]", indexes.join(", "));
    let shown = Shown { updated: true, created: true };
    start(core, &request, asked, "indices:data/write/reindex", description, shown).await
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

/// The search of a source, its indexes, and the size of a page.
fn parse_source(mut source: Map) -> Result<(Value, Vec<String>, i32)> {
    let mut take = |name: &str| {
        let at = source.entries.iter().position(|entry| entry.key == name)?;
        Some(source.entries.remove(at).value)
    };
    let indexes = match take("index") {
        None => vec![],
        Some(Value::Array(items)) => items.iter().map(Value::to_text).collect(),
        Some(one) => one.to_text().split(',').map(str::to_owned).collect(),
    };
    if let Some(remote) = take("remote") {
        return Err(refuse_remote(&remote));
    }
    let size = match take("size") {
        None => SIZE_DEFAULT,
        Some(value) => value
            .to_text()
            .parse::<i32>()
            .map_err(|_| Error::new(ErrorKind::NumberFormat, format!("For input string: \"{}\"", value.to_text())))?,
    };
    Ok((Value::Object(source), indexes, size))
}

/// Only hosts that a setting allows are read from, and none is unless it does.
fn refuse_remote(remote: &Value) -> Error {
    let host = remote.get("host").map(Value::to_text).unwrap_or_default();
    let malformed = || {
        Error::illegal_argument(format!(
            "[host] must be of the form [scheme]://[host]:[port](/[pathPrefix])? but was [{host}]"
        ))
    };
    let Some((_, rest)) = host.split_once("://") else { return malformed() };
    let authority = rest.split('/').next().unwrap_or_default();
    match authority.rsplit_once(':') {
        Some((name, port)) if !name.is_empty() && port.parse::<u16>().is_ok() => {
            Error::illegal_argument(format!("[{authority}] not allowlisted in reindex.remote.allowlist"))
        }
        _ => malformed(),
    }
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
