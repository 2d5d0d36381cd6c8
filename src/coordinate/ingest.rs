//! Documents through ingest pipelines, before their index and shard are looked up.
//!
//! [`run`] is called by [`super::write`](mod@super::write) for all operations, so that whoever writes through it (bulk, single documents,
//! update by query, reindex) only sets `WriteItem::pipeline`. Pipelines of settings apply by themselves.

use super::clock;
use super::core::Core;
use super::write::WriteItem;
use crate::cluster::{self, IndexMeta, State};
use crate::tasks::check_memory;
use ahash::AHashMap;
use bytes::Bytes;
use pith_engine::ingest::{Document, Failure, Flow, Pipeline, Run};
use pith_engine::java_order::{hash_of_list, java_ordered, sort_by_hash};
use pith_engine::json::{self, Map, Value};
use pith_engine::pace::Pace;
use pith_engine::shard::{OpKind, VersionType};
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// The name that stands for no pipeline.
const NONE: &str = "_none";
/// What settings name the pipelines of an index by.
const DEFAULT: &str = "index.default_pipeline";
const FINAL: &str = "index.final_pipeline";

/// What pipelines have made of an operation.
#[derive(Debug)]
pub enum Ingested {
    /// It goes on.
    Goes,
    /// Its document was dropped.
    Dropped,
    Failed(Error),
}

/// What came of all operations: one entry for each, and how long pipelines ran.
#[derive(Debug)]
pub struct Outcome {
    pub items: Vec<Ingested>,
    pub took_ms: u64,
    /// The places of all operations in the order in which the reference tells of them.
    pub order: Vec<usize>,
}

/// Runs the documents of `items` through the pipelines that the operations or their indexes name. `None` if there was
/// nothing to do.
pub async fn run(core: &Core, items: &mut [WriteItem]) -> Option<Outcome> {
    let state = core.state();
    let mut names = Names { state: &state, now_ms: clock::now_ms(), last: None };
    let mut planned = vec![];
    for (at, item) in items.iter().enumerate() {
        rt::yield_if_needed().await;
        let plan = names.of(item);
        if plan.first.is_some() || plan.last.is_some() {
            planned.push((at, plan, item.index.clone()));
        }
    }
    if planned.is_empty() {
        return None;
    }
    let start = Instant::now();
    let mut outcome: Vec<Ingested> = items.iter().map(|_| Ingested::Goes).collect();
    let pace = Pace::new(rt::must_give_way);
    let mut escaped: AHashMap<&Plan, Error> = AHashMap::new();
    for (at, plan, _) in &planned {
        let at = *at;
        rt::yield_if_needed().await;
        // Each document may have become a large one.
        let room = core.facts().and_then(|facts| check_memory(&facts.pressure));
        if let Err(error) = room {
            outcome[at] = Ingested::Failed(error);
            continue;
        }
        outcome[at] = match ingest(&state, &mut items[at], plan, &pace).await {
            Ok(Flow::Goes) => Ingested::Goes,
            Ok(Flow::Dropped) => Ingested::Dropped,
            Err(failure) => {
                if failure.escaped {
                    escaped.entry(plan).or_insert_with(|| failure.error.clone());
                }
                Ingested::Failed(failure.error)
            }
        };
    }
    for (at, plan, _) in planned.iter().filter(|_| !escaped.is_empty()) {
        rt::yield_if_needed().await;
        if let Some(error) = escaped.get(plan) {
            outcome[*at] = Ingested::Failed(error.clone());
        }
    }
    let groups = groups(planned.iter().map(|(at, plan, index)| (*at, plan, index.as_str())));
    let order = told_in(&outcome, &groups);
    Some(Outcome { items: outcome, took_ms: clock::took_ms(start), order })
}

/// The places of what pipelines are asked to do, batch by batch: a batch has what goes to one index by the same pipelines, and batches
/// stand in the order of the reference's hash map of them.
fn groups<'a>(planned: impl Iterator<Item = (usize, &'a Plan, &'a str)>) -> Vec<Vec<usize>> {
    let mut places: AHashMap<(&str, &Plan), usize> = AHashMap::new();
    let mut groups: Vec<(i32, Vec<usize>)> = vec![];
    for (at, plan, index) in planned {
        let place = *places.entry((index, plan)).or_insert_with(|| {
            let kinds = [(&plan.first, "DEFAULT"), (&plan.last, "FINAL")];
            let named = kinds.into_iter().filter_map(|(name, kind)| name.as_ref().map(|name| format!("{name}:{kind}")));
            let mut key = vec![index.to_owned()];
            key.extend(named);
            groups.push((hash_of_list(key.iter().map(String::as_str)), vec![]));
            groups.len() - 1
        });
        groups[place].1.push(at);
    }
    sort_by_hash(&mut groups, |(hash, _)| *hash);
    groups.into_iter().map(|(_, places)| places).collect()
}

/// What was stopped stands in the order in which it was, around the others, which keep their places.
fn told_in(outcome: &[Ingested], groups: &[Vec<usize>]) -> Vec<usize> {
    let mut stopped: Vec<usize> = vec![];
    for group in groups {
        // A batch tells what was dropped before it tells what failed.
        stopped.extend(group.iter().filter(|at| matches!(outcome[**at], Ingested::Dropped)));
        stopped.extend(group.iter().filter(|at| matches!(outcome[**at], Ingested::Failed(_))));
    }
    let mut stopped = stopped.into_iter();
    let told = outcome.iter().enumerate().map(|(at, ingested)| match ingested {
        Ingested::Goes => at,
        _ => stopped.next().unwrap_or(at),
    });
    told.collect()
}

/// Whether an index has pipelines that documents pass without being sent there.
pub fn has_pipelines(index: &IndexMeta) -> bool {
    let named = |key| index.settings.text(key).is_some_and(|name| !matches!(name, "" | NONE));
    named(DEFAULT) || named(FINAL)
}

/// What runs a document through pipelines now.
pub fn runner<'a>(state: &'a State, pace: &'a Pace) -> Run<'a> {
    Run { pipelines: &state.pipelines, pace, now_ms: clock::now_ms(), clock: nanos }
}

/// `_ingest.timestamp` of documents that are begun now.
pub fn timestamp() -> String {
    jiff::Timestamp::now().to_string()
}

/// Nanoseconds since the first call.
fn nanos() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    u64::try_from(START.get_or_init(Instant::now).elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// The pipelines of one operation, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Plan {
    /// The one that is asked for, or the index's default.
    first: Option<String>,
    /// The index's final one.
    last: Option<String>,
}

/// Looks up the pipelines of indexes; operations on one index stand together more often than not.
struct Names<'a> {
    state: &'a State,
    now_ms: i64,
    last: Option<(String, Plan)>,
}

impl Names<'_> {
    fn of(&mut self, item: &WriteItem) -> Plan {
        if source(&item.kind).is_none() {
            return Plan::default();
        }
        let mut plan = self.of_index(&item.index);
        // The document of an update that is indexed as it is goes by what its index says alone.
        let asked = item.pipeline.as_ref().filter(|_| !is_doc_as_upsert(&item.kind));
        if let Some(asked) = asked {
            plan.first = Some(asked.clone()).filter(|name| name != NONE);
        }
        plan
    }

    fn of_index(&mut self, name: &str) -> Plan {
        if let Some((last, plan)) = &self.last
            && last == name
        {
            return plan.clone();
        }
        let named = |setting: Option<String>| setting.filter(|name| !matches!(name.as_str(), "" | NONE));
        let plan = match cluster::named_for_write(self.state, name, self.now_ms) {
            // Also if it is closed: pipelines come before that is looked at.
            Ok((index, _)) => Plan {
                first: named(index.settings.text(DEFAULT).map(str::to_owned)),
                last: named(index.settings.text(FINAL).map(str::to_owned)),
            },
            // An index that is not there yet will have what templates say.
            Err(_) => match cluster::template_settings(self.state, name) {
                Some(settings) => Plan {
                    first: named(settings.text(DEFAULT).map(str::to_owned)),
                    last: named(settings.text(FINAL).map(str::to_owned)),
                },
                None => Plan::default(),
            },
        };
        self.last = Some((name.to_owned(), plan.clone()));
        plan
    }
}

fn is_doc_as_upsert(kind: &OpKind) -> bool {
    matches!(kind, OpKind::Update(spec) if spec.doc_as_upsert)
}

/// The document that an operation brings: of an update, what is indexed where there is none yet.
fn source(kind: &OpKind) -> Option<&Bytes> {
    match kind {
        OpKind::Index { source, .. } | OpKind::Create { source } => Some(source),
        OpKind::Update(spec) if spec.doc_as_upsert => spec.doc.as_ref(),
        OpKind::Update(spec) => spec.upsert.as_ref(),
        OpKind::Delete => None,
    }
}

fn source_mut(kind: &mut OpKind) -> Option<&mut Bytes> {
    match kind {
        OpKind::Index { source, .. } | OpKind::Create { source } => Some(source),
        OpKind::Update(spec) => match spec.doc_as_upsert {
            true => spec.doc.as_mut(),
            false => spec.upsert.as_mut(),
        },
        OpKind::Delete => None,
    }
}

/// Runs one document, and writes what became of it into its operation.
async fn ingest(state: &State, item: &mut WriteItem, plan: &Plan, pace: &Pace) -> Result<Flow, Failure> {
    let lookup = |name: &str| -> Result<Arc<Pipeline>> {
        state
            .pipelines
            .get(name)
            .cloned()
            .ok_or_else(|| Error::illegal_argument(format!("pipeline with id [{name}] does not exist")))
    };
    let first = plan.first.as_deref().map(lookup).transpose()?;
    // One that is not there is told once the first has run.
    let mut last = plan.last.as_deref().map(lookup).transpose();
    // Where nothing is done with it, a document stays as it was written.
    let idles = |pipeline: &Option<Arc<Pipeline>>| pipeline.as_ref().is_none_or(|pipeline| pipeline.is_empty());
    let idle = idles(&first) && last.as_ref().is_ok_and(idles);
    let counted = state.pipelines.total.begin();
    let begun = nanos();
    let result = async {
        if idle {
            return Ok(Flow::Goes);
        }
        let mut doc = document(item)?;
        let run = runner(state, pace);
        if let Some(first) = first {
            if run.document(&first, &mut doc).await? == Flow::Dropped {
                return Ok(Flow::Dropped);
            }
            let index = index_of(&doc)?;
            if index != item.index {
                // The final pipeline is that of the index where the document goes.
                let mut names = Names { state, now_ms: run.now_ms, last: None };
                last = names.of_index(&index).last.as_deref().map(lookup).transpose();
            }
        }
        if let Some(last) = last? {
            let before = index_of(&doc)?;
            if run.document(&last, &mut doc).await? == Flow::Dropped {
                return Ok(Flow::Dropped);
            }
            if index_of(&doc)? != before {
                let reason = format!("FINAL pipeline [{}] can't change the target index", last.id);
                return Err(Error::new(ErrorKind::IllegalState, reason).into());
            }
        }
        take_over(item, doc)?;
        Ok(Flow::Goes)
    }
    .await;
    counted.end(result.is_err(), nanos().saturating_sub(begun));
    result
}

fn document(item: &WriteItem) -> Result<Document> {
    let bytes = source(&item.kind).map(|bytes| bytes.as_ref()).unwrap_or_default();
    // What comes after the object is passed over.
    let source = match json::parse_prefix(bytes) {
        Ok((Value::Object(source), _)) => source,
        Ok(_) => return Err(Error::not_x_content()),
        Err(error) => return Err(Error::new(ErrorKind::Parse, "Failed to parse content to map").caused_by(error)),
    };
    let update = matches!(item.kind, OpKind::Update(_));
    let mut metadata = Map::new();
    metadata.insert("_index", item.index.as_str());
    // What an update would index has no id of its own yet.
    metadata.insert("_id", item.id.as_deref().filter(|_| !update).map_or(Value::Null, Value::from));
    if let Some(routing) = item.routing.as_deref().filter(|_| !update) {
        metadata.insert("_routing", routing);
    }
    if !update {
        metadata.insert("_version", item.version.map_or(Value::Int(-3), Value::from));
        metadata.insert("_version_type", item.version_type.name());
    }
    if let (Some(seq_no), Some(term), false) = (item.if_seq_no, item.if_primary_term, update) {
        metadata.insert("_if_seq_no", seq_no);
        metadata.insert("_if_primary_term", term);
    }
    Ok(Document::new(metadata, java_ordered(source), timestamp()))
}

fn index_of(doc: &Document) -> Result<String> {
    text(doc.root().get("_index")).map(Option::unwrap_or_default)
}

fn text(value: Option<&Value>) -> Result<Option<String>> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(json::no_cast(other, "java.lang.String")),
    }
}

/// Puts the document back into its operation.
fn take_over(item: &mut WriteItem, doc: Document) -> Result<()> {
    let update = matches!(item.kind, OpKind::Update(_));
    doc.check_written()?;
    let (metadata, source) = doc.written();
    if let Some(slot) = source_mut(&mut item.kind) {
        *slot = Value::Object(source).to_bytes().into();
    }
    if update {
        return Ok(());
    }
    item.index = text(metadata.get("_index"))?.unwrap_or_default();
    item.id = text(metadata.get("_id"))?;
    item.routing = text(metadata.get("_routing"))?;
    let number = |key: &str| match metadata.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Int(number)) => Ok(u64::try_from(*number).ok()),
        Some(Value::UInt(number)) => Ok(Some(*number)),
        Some(other) => Err(json::no_cast(other, "java.lang.Number")),
    };
    item.version = number("_version")?;
    if let Some(name) = text(metadata.get("_version_type"))? {
        item.version_type = VersionType::parse(&name)?;
    }
    (item.if_seq_no, item.if_primary_term) = (number("_if_seq_no")?, number("_if_primary_term")?);
    if let OpKind::Create { source } = &item.kind
        && item.id.is_none()
    {
        item.kind = OpKind::Index { source: source.clone(), auto_id: true };
    }
    Ok(())
}
