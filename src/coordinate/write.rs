//! Operations on documents, of one request or of a whole bulk: missing indexes are created in one step, each operation is
//! routed to its shard, every core gets one message, and the answers come back in the order of the operations.

use super::core::{addr, core_of};
use super::ingest::{self, Ingested};
use super::{Core, allowed, clock};
use crate::cluster::{self, BlockLevel, Change, CopyState, IndexMeta, Outcome, State, blocks, shard_of};
use crate::security::acting;
use crate::shards::{RefreshPolicy, ShardAddr, ShardReply, ShardRequest, Written};
use pith_engine::join::join_all;
use pith_engine::shard::{OpKind, VersionType, WriteOp, WriteOutcome};
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// Operations between two looks at the clock: each takes a microsecond or less.
pub const ITEMS_AT_ONCE: usize = 32;

/// One operation as it was asked for. Its form has been validated; names have not been looked up.
#[derive(Clone, Debug)]
pub struct WriteItem {
    pub index: String,
    /// `None`: one is made up.
    pub id: Option<String>,
    pub routing: Option<String>,
    pub kind: OpKind,
    pub if_seq_no: Option<u64>,
    pub if_primary_term: Option<u64>,
    pub version: Option<u64>,
    pub version_type: VersionType,
    pub pipeline: Option<String>,
    pub require_alias: bool,
}

/// How many copies of a shard must be active before a write goes ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitFor {
    Copies(u32),
    All,
}

#[derive(Clone, Debug)]
pub struct WriteOptions {
    pub refresh: RefreshPolicy,
    /// `None`: as the index's settings say.
    pub wait_for: Option<WaitFor>,
    pub timeout_ms: i64,
}

/// What became of one operation.
#[derive(Clone, Debug)]
pub struct ItemOutcome {
    /// The name of the index itself where it is known, else as it was given.
    pub index: String,
    pub id: Option<String>,
    pub result: Result<Done>,
}

/// An operation that took place.
#[derive(Clone, Debug, PartialEq)]
pub struct Done {
    pub outcome: WriteOutcome,
    pub forced_refresh: bool,
    /// Primary and replicas that the index asks for.
    pub copies: u32,
    /// A pipeline dropped the document; the version that is shown of it.
    pub dropped: Option<i64>,
}

/// What is shown for the id of a document that was dropped before it had one.
const AUTO_ID: &str = "auto-generated";

/// Runs the operations, after the ingest pipelines that they or their indexes name; gives an outcome for each, in order.
pub async fn write(core: &Core, items: Vec<WriteItem>, options: &WriteOptions) -> Vec<ItemOutcome> {
    write_piped(core, items, options).await.0
}

/// What pipelines did beside their documents.
pub struct Piped {
    pub took_ms: u64,
    /// The places of all operations in the order in which the reference tells of them.
    pub order: Vec<usize>,
}

/// The same, with what is told of pipelines if any ran.
pub async fn write_piped(
    core: &Core,
    mut items: Vec<WriteItem>,
    options: &WriteOptions,
) -> (Vec<ItemOutcome>, Option<Piped>) {
    if let Err(error) = acting::check(|subject| subject.check(allowed::BULK_OF_CLUSTER)) {
        let refused = |item: WriteItem| ItemOutcome { index: item.index, id: item.id, result: Err(error.clone()) };
        return (items.into_iter().map(refused).collect(), None);
    }
    let Some(ingested) = ingest::run(core, &mut items).await else {
        return (write_ingested(core, items, &[], options).await, None);
    };
    let outcomes = write_ingested(core, items, &ingested.items, options).await;
    (outcomes, Some(Piped { took_ms: ingested.took_ms, order: ingested.order }))
}

/// Runs the operations that pipelines let through; `ingested` is empty where there were none.
async fn write_ingested(
    core: &Core,
    items: Vec<WriteItem>,
    ingested: &[Ingested],
    options: &WriteOptions,
) -> Vec<ItemOutcome> {
    let stopped = |slot: usize| ingested.get(slot).filter(|ingested| !matches!(ingested, Ingested::Goes));
    let going = items.iter().enumerate().filter(|(slot, _)| stopped(*slot).is_none()).map(|(_, item)| item);
    let failed_names = create_missing(core, going).await;
    let state = core.state();
    let now_ms = clock::now_ms();
    let mut outcomes: Vec<ItemOutcome> = Vec::with_capacity(items.len());
    let mut groups: BTreeMap<(Arc<str>, u32), Group> = BTreeMap::new();
    let mut placing =
        Placing { core, state: &state, failed_names: &failed_names, now_ms, last: None, streams: BTreeSet::new() };
    for (slot, mut item) in items.into_iter().enumerate() {
        if slot % ITEMS_AT_ONCE == 0 {
            rt::yield_if_needed().await;
        }
        let index = std::mem::take(&mut item.index);
        let mut outcome = ItemOutcome { index, id: item.id.clone(), result: Err(unanswered()) };
        if let Some(stopped) = stopped(slot) {
            outcome.result = match stopped {
                Ingested::Failed(error) => Err(error.clone()),
                _ => Ok(Done::dropped(&item)),
            };
            if outcome.id.is_none() && outcome.result.is_ok() {
                outcome.id = Some(AUTO_ID.to_owned());
            }
            if outcome.result.is_err() && matches!(item.kind, OpKind::Update(_)) {
                // What failed is the document that an update would have indexed, which has no id of its own.
                outcome.id = None;
            }
            outcomes.push(outcome);
            continue;
        }
        match placing.place(item, &mut outcome) {
            Ok(Placed { index, shard, op }) => {
                let group = groups.entry((index.uuid.clone(), shard)).or_insert_with(|| Group {
                    index,
                    shard,
                    slots: vec![],
                    ops: vec![],
                });
                group.slots.push(slot);
                group.ops.push(op);
            }
            Err(error) => outcome.result = Err(error),
        }
        outcomes.push(outcome);
    }
    for (group, written) in send(core, groups.into_values().collect(), options).await {
        fill(&mut outcomes, group, written);
        rt::yield_if_needed().await;
    }
    if let Ok(facts) = core.facts() {
        let statuses = outcomes.iter().map(|outcome| match &outcome.result {
            Ok(done) => done.outcome.result.status(),
            Err(error) => error.status(),
        });
        facts.statuses.documents.count(statuses);
    }
    outcomes
}

impl Done {
    /// An operation that changed nothing.
    pub fn noop(outcome: WriteOutcome) -> Self {
        Self { outcome, forced_refresh: false, copies: 0, dropped: None }
    }

    /// How many copies the operation is meant for, and how many took it.
    pub fn copies(&self) -> (u64, u64) {
        (u64::from(self.copies), u64::from(self.copies.min(1)))
    }

    fn dropped(item: &WriteItem) -> Self {
        let version = if matches!(item.kind, OpKind::Create { .. }) { -4 } else { -3 };
        Self { dropped: Some(version), ..Self::noop(WriteOutcome::nowhere()) }
    }
}

/// The operations of one shard.
struct Group {
    index: Arc<IndexMeta>,
    shard: u32,
    /// Where their outcomes belong.
    slots: Vec<usize>,
    ops: Vec<WriteOp>,
}

struct Placed {
    index: Arc<IndexMeta>,
    shard: u32,
    op: WriteOp,
}

#[cold]
fn unanswered() -> Error {
    Error::new(ErrorKind::IllegalState, "the operation was not answered")
}

/// Creates the indexes that operations need and that do not exist, in one step. Gives the names that could not be created.
async fn create_missing<'i>(core: &Core, items: impl Iterator<Item = &'i WriteItem>) -> BTreeMap<String, Error> {
    let state = core.state();
    let now_ms = clock::now_ms();
    let mut missing: BTreeSet<&str> = BTreeSet::new();
    let mut aliases: BTreeSet<&str> = BTreeSet::new();
    let mut last = None;
    for item in items {
        if item.require_alias {
            aliases.insert(&item.index);
        }
        if !creates_index(item) {
            continue;
        }
        // Operations on one index stand together more often than not.
        if last == Some(&item.index) {
            continue;
        }
        last = Some(&item.index);
        let exists = cluster::single_name(&item.index, now_ms).is_ok_and(|name| state.has(&name));
        if !exists {
            missing.insert(&item.index);
        }
    }
    // What has to be an alias for one operation is made for none.
    missing.retain(|name| !aliases.contains(name));
    // Where none is ever made, what is missing is told by the operation that needs it.
    let makes_any = || state.cluster_setting("action.auto_create_index").as_deref() != Some("false");
    if missing.is_empty() || !makes_any() {
        return BTreeMap::new();
    }
    let mut refused = BTreeMap::new();
    let mut names: Vec<String> = missing.into_iter().map(str::to_owned).collect();
    if let Some(subject) = acting::current() {
        names.retain(|name| {
            let made = cluster::single_name(name, now_ms).unwrap_or_else(|_| name.clone());
            let checked = allowed::check_name(&subject, allowed::CREATE, &made);
            checked.map_err(|error| refused.insert(name.clone(), error)).is_ok()
        });
        if names.is_empty() {
            return refused;
        }
    }
    match core.submit(Change::AutoCreate { names: names.clone() }).await {
        Ok(Outcome::AutoCreated(results)) => {
            refused.extend(results.into_iter().filter_map(|(name, result)| result.err().map(|error| (name, error))));
            refused
        }
        Ok(_) => names.into_iter().map(|name| (name, unanswered())).collect(),
        Err(error) => names.into_iter().map(|name| (name, error.clone())).collect(),
    }
}

/// Whether the operation creates its index: a delete does so only where its version comes from outside.
fn creates_index(item: &WriteItem) -> bool {
    !item.require_alias && (!matches!(item.kind, OpKind::Delete) || item.version_type != VersionType::Internal)
}

/// Whether documents of an index are only ever added.
fn is_append_only(index: &IndexMeta) -> bool {
    index.settings.text("index.append_only.enabled") == Some("true")
}

/// Refuses what could change a document of an index that only grows.
fn check_append_only(index: &IndexMeta, item: &WriteItem) -> Result<()> {
    if !is_append_only(index) {
        return Ok(());
    }
    let (operation, id) = match (&item.kind, &item.id) {
        (OpKind::Create { .. }, _) | (OpKind::Index { .. }, None) => return Ok(()),
        (OpKind::Index { .. }, Some(id)) => ("INDEX", format!(" with a custom document id {id}")),
        (OpKind::Delete, _) => ("DELETE", String::new()),
        _ => ("UPDATE", String::new()),
    };
    Err(Error::new(
        ErrorKind::Validation,
        format!(
            "Validation Failed: 1: Operation [{operation}] is not allowed{id} as setting `index.append_only.enabled` is enabled for this index: {};",
            index.name
        ),
    ))
}

/// The error where only an alias would do.
pub fn no_alias(name: &str) -> Error {
    let reason =
        format!("no such index [{name}] and [require_alias] request flag is [true] and [{name}] is not an alias");
    Error::new(ErrorKind::IndexNotFound, reason).with("index", name).with("index_uuid", "_na_")
}

/// Finds the shards of operations.
struct Placing<'a> {
    core: &'a Core,
    state: &'a State,
    /// Indexes that could not be created.
    failed_names: &'a BTreeMap<String, Error>,
    now_ms: i64,
    /// The name that the last operation was for, and its index, if nothing about that depends on the operation: operations on one
    /// index stand together more often than not.
    last: Option<(String, Arc<IndexMeta>)>,
    /// Data streams that an operation went to already: what they refuse from then on is told of the index that they write to.
    streams: BTreeSet<String>,
}

impl Placing<'_> {
    /// Finds the shard of an operation on `outcome.index` and fixes what it still leaves open.
    fn place(&mut self, item: WriteItem, outcome: &mut ItemOutcome) -> Result<Placed> {
        if item.id.as_deref() == Some("") {
            return Err(Error::illegal_argument("if _id is specified it must not be empty"));
        }
        let (index, routing) = self.index_of(&item, outcome)?;
        if routing.is_none() && index.mapping.routing_required() {
            let id = item.id.as_deref().unwrap_or("null");
            return Err(routing_missing(&index, id));
        }
        let (id, auto_id) = match item.id {
            Some(id) => (id, false),
            None => (self.core.make_id(), true),
        };
        let mut condition = (item.if_seq_no, item.if_primary_term);
        if auto_id {
            outcome.id = Some(id.clone());
            // Nothing has an id that is made up here, so nothing is looked up, and a condition asks nothing.
            condition = (None, None);
        }
        let shard = shard_of(&index, &id, routing.as_deref());
        let kind = match item.kind {
            OpKind::Index { source, .. } => OpKind::Index { source, auto_id },
            other => other,
        };
        let op = WriteOp {
            kind,
            id,
            routing,
            if_seq_no: condition.0,
            if_primary_term: condition.1,
            version: item.version,
            version_type: item.version_type,
        };
        Ok(Placed { index, shard, op })
    }

    /// The index that an operation on `name` goes to, which lets it pass, and its routing. Its own name takes the place of the given
    /// one as soon as it is known.
    fn index_of(&mut self, item: &WriteItem, outcome: &mut ItemOutcome) -> Result<(Arc<IndexMeta>, Option<String>)> {
        let shown = &mut outcome.index;
        let plain = item.routing.is_none() && !item.require_alias;
        if let Some((_, index)) = self.last.as_ref().filter(|(last, _)| plain && last == shown) {
            if **shown != *index.name {
                *shown = index.name.to_string();
            }
            return Ok((index.clone(), None));
        }
        let name = &*shown.clone();
        if let Some(error) = self.failed_names.get(name) {
            return Err(error.clone());
        }
        let state = self.state;
        if item.require_alias && !state.aliases.contains_key(name) {
            return Err(no_alias(name));
        }
        let (index, asked) = cluster::write_target(state, name, self.now_ms)?;
        let checked = check_data_stream(state, &index, (item, name), self.now_ms);
        // What a stream refuses is told of the stream, as long as nothing went there.
        if checked.is_ok() || self.streams.contains(name) {
            *shown = index.name.to_string();
            if state.data_streams.contains_key(name) {
                self.streams.insert(name.to_owned());
            }
        }
        let routing = cluster::write_routing(&index, &asked, item.routing.as_deref())?;
        checked?;
        check_stream_routing(state, name, item)?;
        if let Err(blocked) = blocks::check(state, BlockLevel::Write, [&*index]) {
            // The document has its id by then.
            outcome.id.get_or_insert_with(|| self.core.make_id());
            return Err(blocked);
        }
        check_append_only(&index, item)?;
        if plain && routing.is_none() && state.stream_of(&index.name).is_none() && !is_append_only(&index) {
            self.last = Some((name.to_owned(), index.clone()));
        }
        Ok((index, routing))
    }
}

/// Documents of a data stream are spread by their ids.
fn check_stream_routing(state: &State, name: &str, item: &WriteItem) -> Result<()> {
    if item.routing.is_none() || !state.data_streams.contains_key(name) {
        return Ok(());
    }
    Err(Error::illegal_argument(format!(
        "index request targeting data stream [{name}] specifies a custom routing. target the backing indices directly or remove the custom routing."
    )))
}

/// Documents of data streams are only ever added, and through the stream.
fn check_data_stream(state: &State, index: &IndexMeta, (item, asked): (&WriteItem, &str), now_ms: i64) -> Result<()> {
    let Some(stream) = state.stream_of(&index.name) else { return Ok(()) };
    let adds = matches!(item.kind, OpKind::Create { .. } | OpKind::Index { auto_id: true, .. });
    if *cluster::single_name(asked, now_ms)? != *index.name {
        return match adds {
            true => Ok(()),
            false => {
                Err(Error::illegal_argument("only write ops with an op_type of create are allowed in data streams"))
            }
        };
    }
    let replaces = matches!(item.kind, OpKind::Index { auto_id: false, .. });
    match (&item.kind, adds || (replaces && item.if_seq_no.is_none())) {
        (OpKind::Create { .. } | OpKind::Index { auto_id: true, .. }, _) => Err(Error::illegal_argument(format!(
            "index request with op_type=create targeting backing indices is disallowed, target corresponding data stream [{}] instead",
            stream.name
        ))),
        (_, true) => Err(Error::illegal_argument(format!(
            "index request with op_type=index and no if_primary_term and if_seq_no set targeting backing indices is disallowed, target corresponding data stream [{}] instead",
            stream.name
        ))),
        _ => Ok(()),
    }
}

/// The error of a document whose index asks for a routing value that it does not have.
#[cold]
pub fn routing_missing(index: &IndexMeta, id: &str) -> Error {
    Error::new(ErrorKind::RoutingMissing, format!("routing is required for [{}]/[{id}]", index.name))
        .with("index", &*index.name)
        .with("index_uuid", "_na_")
}

/// Sends the groups: those that may go at once by one message for each core, the others when enough copies are active.
async fn send(core: &Core, groups: Vec<Group>, options: &WriteOptions) -> Vec<(Group, Result<Written>)> {
    let state = core.state();
    let mut by_core: BTreeMap<usize, Vec<Group>> = BTreeMap::new();
    let mut waiting = vec![];
    let mut answered = vec![];
    for group in groups {
        if !matches!(active(&state, &group, options), Active::Enough) {
            waiting.push(group);
            continue;
        }
        match core_of(&group.index, group.shard) {
            Ok(target) => by_core.entry(target).or_default().push(group),
            Err(error) => answered.push((group, Err(error))),
        }
    }
    let batches = by_core.into_iter().map(|(target, groups)| send_batch(core, target, groups, options.refresh));
    let ready = join_all(batches);
    let late = join_all(waiting.into_iter().map(|group| send_when_active(core, group, options)));
    let (ready, late) = futures_lite::future::zip(ready, late).await;
    answered.extend(ready.into_iter().chain(late).flatten());
    answered
}

async fn send_batch(
    core: &Core,
    target: usize,
    mut groups: Vec<Group>,
    refresh: RefreshPolicy,
) -> Vec<(Group, Result<Written>)> {
    let requests: Vec<(ShardAddr, ShardRequest)> = groups
        .iter_mut()
        .map(|group| {
            let ops = std::mem::take(&mut group.ops);
            (addr(&group.index, group.shard), ShardRequest::Write { ops, refresh })
        })
        .collect();
    let replies = core.shards(target, requests).await;
    let written = replies.into_iter().map(|reply| match reply? {
        ShardReply::Written(written) => Ok(written),
        _ => Err(unanswered()),
    });
    groups.into_iter().zip(written).collect()
}

/// Whether enough copies of a group's shard are active.
enum Active {
    Enough,
    Primary,
    TooFew { have: u32, needed: u32, asked: WaitFor },
}

fn active(state: &State, group: &Group, options: &WriteOptions) -> Active {
    let Some(index) = state.index_by_uuid(&group.index.uuid) else { return Active::Enough };
    let have = match state.copies(index).get(group.shard as usize).map(|copy| &copy.state) {
        Some(CopyState::Started) => 1,
        Some(_) => return Active::Primary,
        None => 0,
    };
    let wait_for = options.wait_for.or_else(|| {
        index.settings.text("index.write.wait_for_active_shards").and_then(|text| parse_wait_for(text).ok())
    });
    let asked = wait_for.unwrap_or(WaitFor::Copies(1));
    let needed = match asked {
        WaitFor::Copies(needed) => needed,
        WaitFor::All => index.number_of_replicas.saturating_add(1),
    };
    if have >= needed { Active::Enough } else { Active::TooFew { have, needed, asked } }
}

/// `all`, or a number of copies.
pub fn parse_wait_for(text: &str) -> Result<WaitFor> {
    if text == "all" {
        return Ok(WaitFor::All);
    }
    match text.parse::<i32>() {
        Ok(copies) => u32::try_from(copies)
            .map(WaitFor::Copies)
            .map_err(|_| Error::illegal_argument("shard count cannot be a negative value")),
        Err(_) => Err(Error::illegal_argument(format!("cannot parse ActiveShardCount[{text}]"))
            .caused_by(Error::new(ErrorKind::NumberFormat, format!("For input string: \"{text}\"")))),
    }
}

/// How often a write that waits for copies looks again.
const POLL: Duration = Duration::from_millis(50);

async fn send_when_active(core: &Core, group: Group, options: &WriteOptions) -> Vec<(Group, Result<Written>)> {
    let timeout = Duration::from_millis(options.timeout_ms.max(0) as u64);
    let start = rt::now();
    loop {
        let state = core.state();
        let active = active(&state, &group, options);
        if matches!(active, Active::Enough) {
            return match core_of(&group.index, group.shard) {
                Ok(target) => send_batch(core, target, vec![group], options.refresh).await,
                Err(error) => vec![(group, Err(error))],
            };
        }
        let Some(left) = timeout.checked_sub(rt::now().duration_since(start)).filter(|left| !left.is_zero()) else {
            let error = unavailable(&group, &active, options.timeout_ms);
            return vec![(group, Err(error))];
        };
        rt::sleep(left.min(POLL)).await;
    }
}

#[cold]
fn unavailable(group: &Group, active: &Active, timeout_ms: i64) -> Error {
    let timeout = clock::time_text(timeout_ms);
    let what = match active {
        Active::TooFew { have, needed, asked } => {
            let asked = match asked {
                WaitFor::All => "ALL".to_owned(),
                WaitFor::Copies(copies) => copies.to_string(),
            };
            format!(
                "Not enough active copies to meet shard count of [{asked}] (have {have}, needed {needed}). Timeout: [{timeout}]"
            )
        }
        _ => format!("primary shard is not active Timeout: [{timeout}]"),
    };
    Error::new(ErrorKind::UnavailableShards, format!("[{}][{}] {what}", group.index.name, group.shard))
}

fn fill(outcomes: &mut [ItemOutcome], group: Group, written: Result<Written>) {
    let copies = group.index.number_of_replicas.saturating_add(1);
    match written {
        Ok(Written { results, forced_refresh }) => {
            for (slot, result) in group.slots.into_iter().zip(results) {
                outcomes[slot].result = result
                    .map(|outcome| Done { outcome, forced_refresh, copies, dropped: None })
                    .map_err(|error| in_shard(error, &group.index, group.shard));
            }
        }
        Err(error) => {
            for slot in group.slots {
                outcomes[slot].result = Err(in_shard(error.clone(), &group.index, group.shard));
            }
        }
    }
}

/// Adds which shard it was to the errors that name it.
pub fn in_shard(error: Error, index: &IndexMeta, shard: u32) -> Error {
    match error.kind() {
        ErrorKind::VersionConflict | ErrorKind::DocumentMissing | ErrorKind::ShardNotFound => {
            error.with("index", &*index.name).with("shard", shard.to_string()).with("index_uuid", &*index.uuid)
        }
        _ => error,
    }
}
