//! Whether what is asked of indexes and shards is allowed to whom it is done for. The last question before a shard is asked: whatever
//! way a request took, it sees and changes nothing but what its subject may.

use super::{Core, clock};
use crate::cluster::{self, IndexMeta, State};
use crate::security::{IndexName, Subject, acting};
use crate::shards::{ShardAddr, ShardRequest};
use pith_engine::json::{self, Map, Value};
use pith_engine::query;
use pith_engine::shard::OpKind;
use pith_engine::{Error, ErrorKind, Result};

/// Actions of which one suffices.
type AnyOf = &'static [&'static str];

const SEARCH: AnyOf = &["indices:data/read/search"];
const SEARCH_OR_PLAN: AnyOf = &[
    "indices:data/read/search",
    "indices:data/read/point_in_time/create",
    "indices:data/read/explain",
    "indices:admin/validate/query",
    "indices:admin/shards/search_shards",
];
const GET: AnyOf = &["indices:data/read/get", "indices:data/read/mget[shard]", "indices:data/read/explain"];
const MULTI_GET: AnyOf = &["indices:data/read/mget[shard]", "indices:data/read/get"];
const TERM_VECTORS: AnyOf = &["indices:data/read/mtv[shard]", "indices:data/read/tv"];
const OPEN: AnyOf = &["indices:data/read/point_in_time/create", "indices:data/read/search"];
const EXPLAIN: AnyOf = &["indices:data/read/explain"];
const DESCRIBE: AnyOf = &["indices:admin/validate/query"];
const BULK: AnyOf = &["indices:data/write/bulk[s]"];
const INDEX: AnyOf = &["indices:data/write/index"];
const DELETE: AnyOf = &["indices:data/write/delete"];
const UPDATE: AnyOf = &["indices:data/write/update"];

/// The name of the index that the reference keeps users and roles in. Nobody makes one or works on it.
pub const SECURITY_INDEX: &str = ".opendistro_security";

/// What a write needs of the cluster, of one document or of many.
pub const BULK_OF_CLUSTER: &str = "indices:data/write/bulk";

/// What making an index on the way of a write needs.
pub const CREATE: &str = "indices:admin/create";

/// What a request to a shard needs, all of it. The request that it is a part of has been judged as a whole; these are the
/// parts that show or change documents.
fn needed(request: &ShardRequest) -> Vec<AnyOf> {
    match request {
        ShardRequest::Write { ops, .. } => {
            let mut needed = vec![BULK];
            for op in ops {
                let own = match op.kind {
                    OpKind::Index { .. } | OpKind::Create { .. } => INDEX,
                    OpKind::Delete => DELETE,
                    OpKind::Update(_) => UPDATE,
                };
                if !needed.contains(&own) {
                    needed.push(own);
                }
            }
            needed
        }
        ShardRequest::Get(_) => vec![GET],
        ShardRequest::MultiGet(_) => vec![MULTI_GET],
        ShardRequest::Search(_)
        | ShardRequest::CanMatch(_)
        | ShardRequest::Gather(_)
        | ShardRequest::Scroll(_)
        | ShardRequest::Fetch(_) => vec![SEARCH],
        ShardRequest::TermVectors(_) => vec![TERM_VECTORS],
        ShardRequest::OpenContext(_) => vec![OPEN],
        ShardRequest::Explain(_) => vec![EXPLAIN],
        ShardRequest::Describe(_) => vec![DESCRIBE],
        ShardRequest::FreeContexts(_)
        | ShardRequest::PointsInTime
        | ShardRequest::Refresh
        | ShardRequest::Flush { .. }
        | ShardRequest::ForceMerge { .. }
        | ShardRequest::ClearCaches(_)
        | ShardRequest::Stats
        | ShardRequest::Segments
        | ShardRequest::Recovery
        | ShardRequest::Snapshot(_) => vec![],
    }
}

/// For each request the error with which it is refused, if it is; `None` when nobody is asked or all may go on.
pub fn refusals(core: &Core, requests: &[(ShardAddr, ShardRequest)]) -> Option<Vec<Option<Error>>> {
    let subject = acting::current()?;
    let state = core.state();
    let refused = |(addr, request): &(ShardAddr, ShardRequest)| {
        // An index that is gone meanwhile has nothing to show: whoever was asked of it says so. It is looked for only where the answer is
        // not remembered.
        let allowed = |action: &&'static str| {
            let ask = || {
                let index = state.index_by_uuid(&addr.index_uuid);
                index.is_none_or(|index| with_names(&state, index, |names| subject.may_on(action, names)))
            };
            subject.may_on_known(state.version, action, &addr.index_uuid, ask)
        };
        let missing = needed(request).into_iter().filter(|any| !any.iter().any(allowed)).map(|any| any[0]);
        let missing: Vec<&str> = missing.collect();
        if !missing.is_empty() {
            return Some(subject.refusal(&missing.join(", ")));
        }
        let what = tells_of_all(request)?;
        let index = state.index_by_uuid(&addr.index_uuid)?;
        check_whole(&state, index, what).err()
    };
    let refusals: Vec<Option<Error>> = requests.iter().map(refused).collect();
    refusals.iter().any(Option::is_some).then_some(refusals)
}

/// Calls `ask` with an index under all of its names.
fn with_names<T>(state: &State, index: &IndexMeta, ask: impl FnOnce(IndexName<'_>) -> T) -> T {
    let aliases: Vec<&str> = index.aliases.keys().map(|alias| &**alias).collect();
    let stream = state.backing.get(&index.name).map(|stream| &**stream);
    ask(IndexName { name: &index.name, aliases: &aliases, stream })
}

fn may(state: &State, subject: &Subject, action: &'static str, index: &IndexMeta) -> bool {
    let ask = || with_names(state, index, |names| subject.may_on(action, names));
    subject.may_on_known(state.version, action, &index.uuid, ask)
}

/// Whether an action on an index is allowed to a subject.
pub fn check_index(state: &State, subject: &Subject, action: &'static str, index: &IndexMeta) -> Result<()> {
    if may(state, subject, action, index) { Ok(()) } else { Err(subject.refusal(action)) }
}

/// The same for a name that no index has.
pub fn check_name(subject: &Subject, action: &'static str, name: &str) -> Result<()> {
    if name == SECURITY_INDEX {
        return Err(subject.refusal(""));
    }
    if subject.may_on(action, IndexName::bare(name)) { Ok(()) } else { Err(subject.refusal(action)) }
}

/// Whether the current subject may search an index, or do what else needs its shards to be chosen.
pub fn check_search(state: &State, index: &IndexMeta) -> Result<()> {
    acting::check(|subject| {
        let allowed = SEARCH_OR_PLAN.iter().any(|action| may(state, subject, action, index));
        if allowed { Ok(()) } else { Err(subject.refusal(SEARCH[0])) }
    })
}

/// Whether the current subject may search an index, whatever else it may do to it.
pub fn check_searched(state: &State, index: &IndexMeta) -> Result<()> {
    acting::check(|subject| check_index(state, subject, SEARCH[0], index))
}

/// What the current subject is told of an index that is not there: nothing, if it may not search that name.
pub fn of_missing(state: &State, names: &[String], error: Error) -> Error {
    let Some(subject) = acting::current().filter(|_| error.kind() == ErrorKind::IndexNotFound) else { return error };
    let missing = names.iter().filter(|name| !name.contains('*') && !state.has(name));
    let mut refused = missing.filter_map(|name| check_name(&subject, SEARCH[0], name).err());
    refused.next().unwrap_or(error)
}

/// Whether the current subject may have a document of an index looked up for a query.
pub fn check_lookup(state: &State, index: &str) -> Result<()> {
    acting::check(|subject| match cluster::resolve_write(state, index, None, clock::now_ms()) {
        Ok((index, _)) => check_index(state, subject, GET[0], &index),
        // Whoever looks it up says what is wrong with the name.
        Err(_) => Ok(()),
    })
}

/// Whether the current subject may have looked up what the filters of a context name.
pub fn check_filters(state: &State, filters: &[Value]) -> Result<()> {
    if acting::current().is_none() {
        return Ok(());
    }
    for filter in filters {
        let text = filter.to_bytes();
        if memchr::memmem::find(&text, b"\"index\"").is_none() {
            continue;
        }
        let query = query::parse(filter, &text)?;
        let mut names = query.lookups().into_iter().filter_map(|lookup| lookup.index.as_deref());
        names.try_for_each(|name| check_lookup(state, name))?;
    }
    Ok(())
}

/// Whether the current subject may refresh the indexes that it has written to.
pub fn check_refresh<'i>(state: &State, indexes: impl Iterator<Item = &'i IndexMeta>) -> Result<()> {
    let mut indexes = indexes;
    acting::check(|subject| indexes.try_for_each(|index| check_index(state, subject, "indices:admin/refresh", index)))
}

/// What of a request shows or changes documents without a query that could hide some.
fn tells_of_all(request: &ShardRequest) -> Option<&'static str> {
    match request {
        ShardRequest::Write { ops, .. } => {
            ops.iter().any(|op| matches!(op.kind, OpKind::Update(_))).then_some("Update is not supported")
        }
        ShardRequest::Get(_) | ShardRequest::Explain(_) => Some("Explaining a document is not supported"),
        ShardRequest::TermVectors(_) => Some("Term vectors are not supported"),
        ShardRequest::Describe(_) => Some("Explaining a query is not supported"),
        _ => None,
    }
}

/// The queries of which documents of an index have to match one to be seen by the current subject; none where all may be.
fn visible(state: &State, index: &IndexMeta) -> Vec<String> {
    let Some(subject) = acting::current() else { return vec![] };
    with_names(state, index, |names| subject.documents(names).into_iter().map(str::to_owned).collect())
}

/// Whether documents of an index are hidden from the current subject.
pub fn hides_documents(state: &State, index: &IndexMeta) -> bool {
    !visible(state, index).is_empty()
}

/// Refuses what would tell of hidden documents.
pub fn check_whole(state: &State, index: &IndexMeta, what: &str) -> Result<()> {
    if !hides_documents(state, index) {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Security, format!("{what} when FLS or DLS or Fieldmasking is activated")))
}

/// The filters of a search on an index, of which one has to match, and with them what the current subject may see of it.
pub fn restrict(state: &State, index: &IndexMeta, filters: Vec<Value>) -> Result<Vec<Value>> {
    let queries = visible(state, index);
    if queries.is_empty() {
        return Ok(filters);
    }
    let wrong = |_| {
        let reason = format!("a role's query for the documents of [{}] is no query", index.name);
        Error::new(ErrorKind::Security, reason)
    };
    let queries: Vec<Value> =
        queries.iter().map(|query| json::parse(query.as_bytes()).map_err(wrong)).collect::<Result<_>>()?;
    let of = |key: &str, value: Value| Value::Object(Map::from_iter([(key, value)]));
    let any = |queries: Vec<Value>| {
        let should = [("should", Value::Array(queries)), ("minimum_should_match", Value::Int(1))];
        of("bool", Value::Object(Map::from_iter(should)))
    };
    let all = [filters, queries].into_iter().filter(|queries| !queries.is_empty()).map(any).collect();
    Ok(vec![of("bool", of("filter", Value::Array(all)))])
}
