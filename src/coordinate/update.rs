//! Updates of documents whose index has pipelines of its own: the updated document as a whole goes through them, so it is
//! read, changed and indexed under the condition that nobody was faster.

use super::ingest::has_pipelines;
use super::read::{ReadItem, ReadOptions, read};
use super::write::{Done, ItemOutcome, WriteItem, WriteOptions, in_shard, no_alias, write};
use super::{Core, clock};
use crate::cluster::{self, BlockLevel, IndexMeta, State, blocks, shard_of};
use bytes::Bytes;
use pith_engine::deprecated::note;
use pith_engine::shard::{
    Decision, FoundDocument, OpKind, Scripted, UpdateSpec, VersionType, WriteOutcome, WriteResult, compact, merge,
};
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt;
use std::time::Duration;

/// Most tries after conflicts, whatever the request asks for.
const RETRIES_MAX: u32 = 1_000;

/// Runs one update. Where the index has no pipelines, its shard does all of it; `retries` is for the others.
pub async fn update(core: &Core, item: WriteItem, retries: u32, options: &WriteOptions) -> Vec<ItemOutcome> {
    let state = core.state();
    let OpKind::Update(spec) = &item.kind else { return write(core, vec![item], options).await };
    if item.require_alias && !state.aliases.contains_key(item.index.as_str()) {
        let error = no_alias(&item.index);
        return vec![ItemOutcome { index: item.index, id: item.id, result: Err(error) }];
    }
    if !state.has(&item.index) {
        let name = cluster::single_name(&item.index, clock::now_ms()).unwrap_or_else(|_| item.index.clone());
        // What would be a data stream takes no updates, so it is not made for one.
        let makes =
            || cluster::check_auto_create(&state, &name).and_then(|()| cluster::check_no_stream(&state, &name, false));
        if !state.has(&name)
            && let Err(refused) = makes()
        {
            return vec![ItemOutcome { index: item.index, id: item.id, result: Err(refused) }];
        }
    }
    if let Err(closed) = check_closed_by_alias(&state, &item.index) {
        return vec![ItemOutcome { index: item.index, id: item.id, result: Err(closed) }];
    }
    if let Err(unavailable) = wait_for_primary(core, &item, options).await {
        return vec![unavailable];
    }
    let index = match cluster::resolve_write(&state, &item.index, item.routing.as_deref(), clock::now_ms()) {
        Ok((index, _)) if has_pipelines(&index) && !state.data_streams.contains_key(item.index.as_str()) => index,
        // What is missing will be created by the write, or tell of its error.
        _ => return write(core, vec![item], options).await,
    };
    let mut tries = retries.min(RETRIES_MAX);
    loop {
        let mut outcome = ItemOutcome { index: index.name.to_string(), id: item.id.clone(), result: Err(unanswered()) };
        outcome.result = attempt(core, &index, (&item, spec), options, &mut outcome.id).await;
        match &outcome.result {
            Err(error) if error.kind() == ErrorKind::VersionConflict && tries > 0 => tries -= 1,
            _ => return vec![outcome],
        }
    }
}

/// An alias leads to its index whether that is open or not, and so it is the block of what is closed that refuses.
fn check_closed_by_alias(state: &State, name: &str) -> Result<()> {
    if !state.aliases.contains_key(name) {
        return Ok(());
    }
    match cluster::named_for_write(state, name, clock::now_ms()) {
        Ok((index, _)) if !index.is_open() => blocks::check_or_closed(state, BlockLevel::Write, [&*index]),
        _ => Ok(()),
    }
}

/// Waits for the shard of a document where no core may have it yet.
async fn wait_for_primary(
    core: &Core,
    item: &WriteItem,
    options: &WriteOptions,
) -> std::result::Result<(), ItemOutcome> {
    let state = core.state();
    if state.unassigned == 0 {
        return Ok(());
    }
    let (Some(id), Ok((index, routing))) =
        (&item.id, cluster::resolve_write(&state, &item.index, item.routing.as_deref(), clock::now_ms()))
    else {
        // Whoever writes will tell why.
        return Ok(());
    };
    let shard = shard_of(&index, id, routing.as_deref());
    let assigned = |state: &State| state.index(&index.name).is_none_or(|index| !state.is_unassigned(index, shard));
    let timeout = Duration::from_millis(options.timeout_ms.max(0) as u64);
    if assigned(&state) || rt::timeout(timeout, core.wait_for(assigned)).await.is_some() {
        return Ok(());
    }
    let reason = format!(
        "[{}][{shard}] [1] shardIt, [0] active : Timeout waiting for [{}], request: indices:data/write/update",
        index.name,
        clock::time_text(options.timeout_ms)
    );
    let error = Error::new(ErrorKind::UnavailableShards, reason);
    Err(ItemOutcome { index: index.name.to_string(), id: item.id.clone(), result: Err(error) })
}

/// What is to be done with the document as it was found.
enum Next {
    Index {
        source: Bytes,
        found: Option<FoundDocument>,
    },
    Delete(FoundDocument),
    Nothing(FoundDocument),
    /// There is no document, and a script wants none.
    NothingThere,
}

/// One try; a pipeline may give the document another id, which is told then.
async fn attempt(
    core: &Core,
    index: &IndexMeta,
    (item, spec): (&WriteItem, &UpdateSpec),
    options: &WriteOptions,
    told: &mut Option<String>,
) -> Result<Done> {
    let id = item.id.clone().unwrap_or_default();
    let asked =
        ReadItem { index: index.name.to_string(), id: id.clone(), routing: item.routing.clone(), version: None };
    let found = read(core, &[asked], ReadOptions { realtime: true, refresh: false }).await.pop();
    let found = found.ok_or_else(|| Error::new(ErrorKind::IllegalState, "the document was not looked for"))??.document;
    check_condition(item, found.as_ref(), &id)
        .map_err(|error| in_shard(error, index, shard_of(index, &id, item.routing.as_deref())))?;
    let mut write_item = item.clone();
    (write_item.version, write_item.version_type) = (None, VersionType::Internal);
    let kept = match decide(index, (&id, item.routing.as_deref()), spec, found)? {
        Next::Index { source, found } => {
            (write_item.if_seq_no, write_item.if_primary_term) =
                (found.as_ref().map(|found| found.seq_no), found.as_ref().map(|found| found.primary_term));
            write_item.kind = match &found {
                Some(found) => {
                    note(format!(
                        "the index [{}] has a default ingest pipeline or a final ingest pipeline, the support of the ingest pipelines for update operation causes unexpected result and will be removed in 3.0.0",
                        index.name
                    ));
                    let of_doc = spec.doc_routing.clone().filter(|_| spec.script.is_none());
                    write_item.routing = of_doc.or_else(|| found.routing.clone());
                    OpKind::Index { source: source.clone(), auto_id: false }
                }
                None => OpKind::Create { source: source.clone() },
            };
            source
        }
        Next::Delete(found) => {
            (write_item.if_seq_no, write_item.if_primary_term) = (Some(found.seq_no), Some(found.primary_term));
            write_item.kind = OpKind::Delete;
            found.source.unwrap_or_default()
        }
        Next::Nothing(found) => {
            let (version, seq_no, primary_term) = (found.version, found.seq_no, found.primary_term);
            let outcome =
                WriteOutcome { result: WriteResult::Noop, version, seq_no, primary_term, source: found.source };
            return Ok(Done { copies: 1 + index.number_of_replicas, ..Done::noop(outcome) });
        }
        Next::NothingThere => return Ok(Done::noop(WriteOutcome::nowhere())),
    };
    let outcome = write(core, vec![write_item], options).await.pop();
    let outcome = outcome.ok_or_else(unanswered)?;
    let mut done = outcome.result?;
    *told = outcome.id;
    done.outcome.source = Some(kept);
    Ok(done)
}

#[cold]
fn unanswered() -> Error {
    Error::new(ErrorKind::IllegalState, "the update was not answered")
}

fn check_condition(item: &WriteItem, found: Option<&FoundDocument>, id: &str) -> Result<()> {
    let (Some(seq_no), Some(term), Some(found)) = (item.if_seq_no, item.if_primary_term, found) else { return Ok(()) };
    if (found.seq_no, found.primary_term) == (seq_no, term) {
        return Ok(());
    }
    let reason = format!(
        "[{id}]: version conflict, required seqNo [{seq_no}], primary term [{term}]. current document has seqNo [{}] and \
         primary term [{}]",
        found.seq_no, found.primary_term
    );
    Err(Error::new(ErrorKind::VersionConflict, reason))
}

fn decide(
    index: &IndexMeta,
    (id, routing): (&str, Option<&str>),
    spec: &UpdateSpec,
    found: Option<FoundDocument>,
) -> Result<Next> {
    let now_ms = clock::now_ms().max(0) as u64;
    let Some(found) = found else {
        let document = if spec.doc_as_upsert { &spec.doc } else { &spec.upsert };
        let document = document.as_ref().ok_or_else(|| {
            Error::new(ErrorKind::DocumentMissing, format!("[{id}]: document missing"))
                .with("index", &*index.name)
                .with("shard", shard_of(index, id, routing).to_string())
                .with("index_uuid", &*index.uuid)
        })?;
        let source = Bytes::from(compact(document)?);
        let Some(scripted) = spec.script.as_ref().filter(|scripted| scripted.runs_on_upsert) else {
            return Ok(Next::Index { source, found: None });
        };
        let document = Scripted { op: "create", index: None, routing: None, source: &source, now_ms };
        return Ok(match document.run(&scripted.script)? {
            Decision::Index(source) => Next::Index { source, found: None },
            Decision::Delete | Decision::Nothing => Next::NothingThere,
        });
    };
    let source = found
        .source
        .clone()
        .ok_or_else(|| Error::new(ErrorKind::DocumentSourceMissing, format!("[{id}]: document source missing")))?;
    let Some(scripted) = &spec.script else {
        let changes = spec.doc.as_deref().unwrap_or(b"{}");
        return Ok(match merge(&source, changes, spec.detect_noop)? {
            Some(merged) => Next::Index { source: merged.into(), found: Some(found) },
            None => Next::Nothing(found),
        });
    };
    let document = Scripted {
        op: "index",
        index: Some((&index.name, id, found.version)),
        routing: found.routing.as_deref(),
        source: &source,
        now_ms,
    };
    Ok(match document.run(&scripted.script)? {
        Decision::Index(source) => Next::Index { source, found: Some(found) },
        Decision::Delete => Next::Delete(found),
        Decision::Nothing => Next::Nothing(found),
    })
}
