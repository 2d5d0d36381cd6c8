//! `_reindex`: copies what a search finds into another index.

use super::by_query::{Page, RUN_PARAMS, SIZE_DEPRECATED, agreed, options, problems_of, proceeds, start};
use super::document::validation_failed;
use super::indices::expected_object;
use super::reindex_remote::{match_all, parse_remote, sort_in_url};
use super::{ApiRequest, Method, Reply, Route};
use crate::cluster::{check_auto_create, resolve_write};
use crate::coordinate::by_query::remote::Remote;
use crate::coordinate::by_query::spec::Routing;
use crate::coordinate::by_query::status::Shown;
use crate::coordinate::by_query::{ByQuery, Destination, SOURCE_OPTIONS, Work, sources};
use crate::coordinate::search::Scope;
use crate::coordinate::write::no_alias;
use crate::coordinate::{Core, clock};
use pith_engine::deprecated::note;
use pith_engine::java_order::java_ordered;
use pith_engine::json::{Entry, Map, Value, java_text, line_col, parse_prefix};
use pith_engine::query::{Node, script_of};
use pith_engine::shard::VersionType;
use pith_engine::{Error, ErrorKind, Result, did_you_mean};
use std::rc::Rc;
use std::sync::Arc;

const SORT_DEPRECATED: &str = "The sort option in reindex is deprecated. Instead consider using query filtering to find the desired subset of data.";

pub const ROUTES: &[Route] = &[Route {
    method: Method::Post,
    path: "/_reindex",
    name: "reindex",
    params: &[RUN_PARAMS, &["require_alias", "pipeline?", "scroll?"]],
    handler: |core, request| Box::pin(reindex(core, request)),
}];

const FIELDS: &[&str] = &["source", "dest", "size", "max_docs", "script", "conflicts"];
const DEST_FIELDS: &[&str] = &["index", "routing", "op_type", "pipeline", "version_type"];

/// The parser of each field that has one.
fn declares(path: &[&str]) -> Option<&'static str> {
    match path {
        ["source" | "dest"] => Some("reindex"),
        ["dest", _] => Some("dest"),
        _ => None,
    }
}

/// Documents go through the pipeline that their destination names.
fn check_no_pipeline(request: &ApiRequest) -> Result<()> {
    match request.has("pipeline") {
        false => Ok(()),
        true => Err(Error::illegal_argument(
            "_reindex doesn't support [pipeline] as a query parameter. Specify it in the [dest] object instead.",
        )),
    }
}

async fn reindex(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    check_no_pipeline(&request)?;
    let body = request.required_body()?.clone();
    let whole = request.json_declared(declares)?;
    let Value::Object(map) = &whole else { return Err(expected_object("reindex", &whole)) };
    let (mut source, mut destination, mut conflicts) = (None, None, None);
    let (mut of_body, mut script) = (vec![], None);
    let mut source_entry = None;
    for entry in &map.entries {
        let failed = |cause: Error| failed_field(entry, &body, cause);
        match (entry.key.as_str(), &entry.value) {
            ("source", Value::Object(map)) => {
                source = Some(parse_source(map.clone()).map_err(failed)?);
                source_entry = Some(entry);
            }
            ("dest", Value::Object(map)) => destination = Some(parse_destination(map, &body)?),
            ("conflicts", Value::String(text)) => {
                proceeds(Some(text)).map_err(failed)?;
                conflicts = Some(text.clone());
            }
            ("size" | "max_docs", Value::Bool(_) | Value::Null | Value::Object(_) | Value::Array(_)) => {
                return Err(wrong_type(entry, &entry.value, &body));
            }
            ("size" | "max_docs", _) => {
                of_body.push(documents(entry, &body).map_err(failed)?);
                enough_of_body(&of_body).map_err(failed)?;
            }
            ("script", Value::Object(_)) => {
                let read = script_of(Node::of_entry(entry, &pith_engine::query::Source::new(&body)));
                let failed = |cause: Error| failed_at(cause.place().unwrap_or(entry.value_pos), entry, &body, cause);
                script = Some(read.map_err(failed)?);
            }
            ("source" | "dest" | "conflicts" | "script", value) => return Err(wrong_type(entry, value, &body)),
            _ => return Err(unknown("reindex", entry, &body, FIELDS)),
        }
    }
    let source = source.unwrap_or_else(Source::everything);
    let page = Page { scroll_size: None, sized: source.sized, cached: false };
    let search = page.search(&source.search, &[]);
    let (mut search, mut problems) = search.map_err(|error| within_source(source_entry, &body, error))?;
    // The reference loses the name on the way, but no pipeline that stands there itself.
    search.pipeline.name = None;
    let destination = destination.unwrap_or_else(Destination::nowhere);
    let missing = missing_parts(&source, &destination).map(str::to_owned);
    let target = destination.index.clone();
    let needs_alias = request.flag("require_alias", false)?;
    let indexes = source.indexes;
    let scope = Scope { indexes: indexes.clone(), options: SOURCE_OPTIONS, routing: None, preference: None };
    let asked = ByQuery {
        scope,
        script,
        remote: source.remote.map(Arc::new),
        ..options(&request, Work::Reindex(destination), search, conflicts.as_deref(), &of_body)?
    };
    request.check_known()?;
    problems.extend(problems_of(&request, &asked));
    problems.extend(missing);
    let routed = whole.get("dest").and_then(|dest| dest.get("routing")).and_then(Value::as_str);
    problems.extend(routed.filter(|text| routing(text).is_none()).map(|_| BAD_ROUTING.to_owned()));
    if asked.remote.is_some() && asked.slices != Some(1) {
        let slices = asked.slices.unwrap_or(0);
        problems.push(format!("reindex from remote sources doesn't support slices > 1 but was [{slices}]"));
    }
    validation_failed(&problems)?;
    let mut from = format!("[{}]", indexes.join(", "));
    if let Some(remote) = &asked.remote {
        from.insert_str(0, &format!("[{}]", remote.describe()));
    }
    let checked = check_alias(&core, &target, needs_alias).and_then(|()| match &asked.remote {
        Some(remote) => remote.check_allowed(&core),
        None => check_not_itself(&core, &asked, &target),
    });
    if checked.is_ok() && source.sorted {
        note(SORT_DEPRECATED);
    }
    let description = format!("reindex from {from}{} to [{target}]", asked.updated_with());
    let shown = Shown { updated: true, created: true, human: false };
    start(core, &request, asked, "indices:data/write/reindex", description, shown, checked).await
}

/// What both ends have to have before anything is read.
fn missing_parts(source: &Source, destination: &Destination) -> impl Iterator<Item = &'static str> + use<> {
    let hides_source = matches!(source.search.get("_source"), Some(Value::Bool(false)));
    let checks = [
        (source.indexes.is_empty(), "use _all if you really want to copy from all existing indexes"),
        (destination.index.is_empty(), "index must be specified"),
        (hides_source, "_source:false is not supported in this context"),
    ];
    checks.into_iter().filter_map(|(fails, reason)| fails.then_some(reason))
}

/// A field that holds something else than its kind.
fn wrong_type(entry: &Entry, value: &Value, body: &[u8]) -> Error {
    let (line, col) = line_col(body, entry.value_pos);
    let reason = format!("[{line}:{col}] [reindex] {} doesn't support values of type: {}", entry.key, value.token());
    Error::new(ErrorKind::XContentParse, reason)
}

/// How many documents are wanted, by the new name or the old one.
fn documents(entry: &Entry, body: &[u8]) -> Result<i64> {
    if entry.key == "size" {
        let (line, col) = line_col(body, entry.value_pos);
        note(format!("[reindex][{line}:{col}] {SIZE_DEPRECATED}"));
    }
    Node::of_entry(entry, &pith_engine::query::Source::new(body)).i32().map(i64::from)
}

/// The numbers of a body have to agree, and to be no fewer than the slices, of which the body knows one.
fn enough_of_body(of_body: &[i64]) -> Result<()> {
    match agreed(of_body)? {
        Some(0) => Err(Error::illegal_argument("[max_docs] should be >= [slices]")),
        _ => Ok(()),
    }
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
    failed_at(end, entry, body, cause)
}

fn failed_at(place: u32, entry: &Entry, body: &[u8], cause: Error) -> Error {
    let (line, col) = line_col(body, place);
    let reason = format!("[{line}:{col}] [reindex] failed to parse field [{}]", entry.key);
    let error = Error::new(ErrorKind::XContentParse, reason);
    match cause.kind() {
        // What a parser says of its own text is the root of the trouble; anything else only caused it.
        ErrorKind::XContentParse | ErrorKind::Parsing => error.with_root_causes(vec![cause.clone()]).caused_by(cause),
        _ => error.caused_by(cause),
    }
}

/// What is wrong with the search itself.
fn within_source(source: Option<&Entry>, body: &[u8], error: Error) -> Error {
    match source {
        Some(entry) if error.kind() != ErrorKind::ActionRequestValidation => failed_field(entry, body, error),
        _ => error,
    }
}

fn check_alias(core: &Core, target: &str, needed: bool) -> Result<()> {
    if needed && !core.state().aliases.contains_key(target) { Err(no_alias(target)) } else { Ok(()) }
}

fn check_not_itself(core: &Core, asked: &ByQuery, target: &str) -> Result<()> {
    let state = core.state();
    let written = match state.has(target) {
        true => resolve_write(&state, target, None, clock::now_ms())?.0.name.to_string(),
        false => {
            // It has to be one that a write may make, even where nothing will be written.
            check_auto_create(&state, target)?;
            target.to_owned()
        }
    };
    if sources(core, asked)?.contains(&written) {
        validation_failed(&[format!("reindex cannot write into an index its reading from [{written}]")])?;
    }
    Ok(())
}

/// Where documents come from.
struct Source {
    search: Value,
    sorted: bool,
    indexes: Vec<String>,
    /// The search says how many documents a page has.
    sized: bool,
    /// The cluster that they are in, if not in this one.
    remote: Option<Remote>,
}

impl Source {
    fn everything() -> Self {
        Self { search: Value::Object(Map::default()), sorted: false, indexes: vec![], sized: false, remote: None }
    }
}

fn parse_source(source: Map) -> Result<Source> {
    // It is written anew from a hash map before it is read as a search, which shows in where errors are.
    let mut source = java_ordered(source);
    let sorted = source.get("sort").is_some_and(|sort| !matches!(sort, Value::Array(items) if items.is_empty()));
    let mut take = |name: &str| {
        let at = source.entries.iter().position(|entry| entry.key == name)?;
        Some(source.entries.remove(at).value)
    };
    let indexes: Vec<String> = match take("index") {
        None | Some(Value::Null) => vec![],
        Some(Value::Array(items)) => items.iter().map(name_of).collect::<Result<_>>()?,
        // Nothing between commas is a name, but nothing at all is none.
        Some(Value::String(one)) if one.is_empty() => vec![],
        Some(Value::String(one)) => one.split(',').map(str::to_owned).collect(),
        Some(other) => {
            let reason = format!("Expected [index] to be a list or a string but was [{}]", java_text(&other));
            return Err(Error::illegal_argument(reason));
        }
    };
    let remote = match take("remote") {
        None => None,
        Some(remote) => {
            let query = take("query").unwrap_or_else(match_all);
            let sort = take("sort").map_or(Ok("_doc:asc".to_owned()), |sort| sort_in_url(&sort))?;
            Some(parse_remote(&remote, query, sort, &indexes)?)
        }
    };
    let sized = source.get("size").is_some();
    let wanted = source.get("_source").cloned().unwrap_or_default();
    let remote = remote.map(|remote| Remote { source: wanted, ..remote });
    Ok(Source { search: Value::Object(source), sorted, indexes, sized, remote })
}

/// A list of names holds nothing else.
fn name_of(item: &Value) -> Result<String> {
    const REASON: &str = "arraycopy: element type mismatch: can not cast one of the elements of java.lang.Object[] to the type of the destination array, java.lang.String";
    let no_text = || Error::new(ErrorKind::ArrayStore, REASON);
    item.as_str().map(str::to_owned).ok_or_else(no_text)
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

const BAD_ROUTING: &str = "routing must be unset, [keep], [discard] or [=<some new value>]";

fn routing(text: &str) -> Option<Routing> {
    match text {
        "keep" => Some(Routing::Keep),
        "discard" => Some(Routing::Discard),
        _ => text.strip_prefix('=').map(|routing| Routing::Set(routing.to_owned())),
    }
}

fn parse_destination(map: &Map, body: &[u8]) -> Result<Destination> {
    let mut destination = Destination::nowhere();
    for entry in &map.entries {
        if !DEST_FIELDS.contains(&entry.key.as_str()) {
            return Err(within_destination(body, entry.value_pos, unknown("dest", entry, body, DEST_FIELDS)));
        }
        let place = |what: String| {
            let (line, col) = line_col(body, entry.value_pos);
            Error::new(ErrorKind::XContentParse, format!("[{line}:{col}] [dest] {what}"))
        };
        let failed = |reason: String| {
            let cause = Error::illegal_argument(reason);
            let inner = place(format!("failed to parse field [{}]", entry.key)).caused_by(cause);
            Err(within_destination(body, entry.value_pos, inner))
        };
        let Value::String(text) = &entry.value else {
            let what = format!("{} doesn't support values of type: {}", entry.key, entry.value.token());
            return Err(within_destination(body, entry.value_pos, place(what)));
        };
        let text = text.clone();
        match entry.key.as_str() {
            "index" => destination.index = text,
            "pipeline" => destination.pipeline = Some(text),
            "routing" => {
                // What it says else is told once all has been read.
                destination.routing = routing(&text).unwrap_or(Routing::Keep);
            }
            "op_type" => {
                destination.create = match text.as_str() {
                    "create" => true,
                    "index" => false,
                    other => {
                        return failed(format!("opType must be 'create' or 'index', found: [{other}]"));
                    }
                };
            }
            "version_type" => {
                destination.version_type = match text.as_str() {
                    "internal" => VersionType::Internal,
                    "external" | "external_gt" => VersionType::External,
                    "external_gte" => VersionType::ExternalGte,
                    other => {
                        return failed(format!("No version type match [{other}]"));
                    }
                };
            }
            _ => {}
        }
    }
    Ok(destination)
}

/// What is wrong within the destination, and where it was read to.
fn within_destination(body: &[u8], pos: u32, inner: Error) -> Error {
    let (line, col) = line_col(body, pos);
    Error::new(ErrorKind::XContentParse, format!("[{line}:{col}] [reindex] failed to parse field [dest]"))
        .caused_by(inner)
}

fn unknown(parser: &str, entry: &Entry, body: &[u8], known: &[&str]) -> Error {
    let (line, col) = line_col(body, entry.key_pos);
    let hint = did_you_mean::suffix(&entry.key, known.iter().copied());
    Error::new(ErrorKind::XContentParse, format!("[{line}:{col}] [{parser}] unknown field [{}]{hint}", entry.key))
}
