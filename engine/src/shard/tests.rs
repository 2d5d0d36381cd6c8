//! The shard against a model: random writes, refreshes, merges, flushes and crashes, with a disk that is a map of bytes.

use super::*;
use crate::analysis::Registry;
use crate::json;
use crate::mapping::{IndexSortKey, Mapping, MappingSettings};
use crate::pace::{Pace, block_on_ready};
use crate::segment::{LiveDocs, Segment, SegmentView};
use crate::writer::MergeSettings;
use bytes::Bytes;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

mod cases;

const UUID: &str = "uuid";
const IDS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// The mapping of an index that is sorted by `n` downwards, if it is to be.
fn mapping(sorted: bool) -> Arc<Mapping> {
    let key = IndexSortKey { field: "n".into(), descending: true, max: true, missing_first: false };
    let index_sort = if sorted { vec![key] } else { vec![] };
    let settings = MappingSettings { index_sort, ..MappingSettings::default() };
    let source = json::parse(br#"{"properties":{"n":{"type":"long"},"t":{"type":"text"}}}"#).unwrap();
    let registry = Registry::built_in();
    Arc::new(Mapping::parse(&source, &registry, &settings).unwrap())
}

fn identity() -> ShardIdentity {
    ShardIdentity { index: "index".into(), index_uuid: UUID.into(), shard: 0 }
}

/// A shard and the disk below it, driven by hand.
struct Rig {
    mapping: Arc<Mapping>,
    shard: Shard,
    generation: u64,
    translog: BTreeMap<u64, Vec<u8>>,
    commit: Vec<u8>,
    files: BTreeMap<String, Bytes>,
    seal: Option<SealJob>,
    merge: Option<MergeJob>,
    now_ms: u64,
}

impl Rig {
    fn new() -> Self {
        Self::over(mapping(false))
    }

    fn over(mapping: Arc<Mapping>) -> Self {
        let shard = Shard::new(identity(), mapping.clone(), 1, 60_000);
        let mut rig = Self {
            mapping,
            shard,
            generation: 0,
            translog: BTreeMap::new(),
            commit: vec![],
            files: BTreeMap::new(),
            seal: None,
            merge: None,
            now_ms: 1_000_000,
        };
        rig.roll();
        rig.write_commit(1);
        rig
    }

    fn roll(&mut self) -> u64 {
        self.generation += 1;
        self.translog.insert(self.generation, header(self.generation));
        self.generation
    }

    fn apply(&mut self, op: &WriteOp) -> crate::Result<WriteOutcome> {
        let generation = self.generation;
        let out = self.translog.get_mut(&generation).unwrap();
        match self.shard.apply(op, self.now_ms, &mut RecordSink { generation, out })? {
            Applied::Done(outcome) => Ok(outcome),
            Applied::NeedsMapping(change) => {
                self.mapping = Arc::new(self.mapping.merge(&change).unwrap());
                self.shard.set_mapping(self.mapping.clone());
                self.apply(op)
            }
        }
    }

    fn index(&mut self, id: &str, n: u64) -> WriteOutcome {
        self.apply(&WriteOp::index(id, format!(r#"{{"n":{n}}}"#))).unwrap()
    }

    fn freeze(&mut self) {
        if !self.shard.is_refreshing() {
            self.seal = self.shard.freeze();
        }
    }

    fn install(&mut self) {
        if !self.shard.is_refreshing() {
            return;
        }
        let view = self.seal.take().map(|job| {
            let mut sealed = block_on_ready(job.run(&Pace::never())).unwrap();
            let bytes = Bytes::from(std::mem::take(&mut sealed.bytes));
            let segment = Segment::open(&sealed.name, bytes).unwrap();
            sealed.opened(segment)
        });
        self.shard.install(view, self.now_ms);
    }

    fn refresh(&mut self) {
        self.install();
        self.freeze();
        self.install();
        self.shard.publish(None);
    }

    fn begin_merge(&mut self) {
        if self.merge.is_none() {
            self.merge = self.shard.plan_force_merge(&MergeSettings::default(), ForceMerge::Segments(1));
        }
    }

    fn end_merge(&mut self) {
        let Some(job) = self.merge.take() else { return };
        let mut merged = block_on_ready(job.run(&Pace::never())).unwrap();
        let bytes = Bytes::from(std::mem::take(&mut merged.bytes));
        let segment = Segment::open(&merged.name, bytes).unwrap();
        self.shard.install_merge(merged, segment);
        self.shard.publish_merge(None);
    }

    fn flush(&mut self) {
        self.install();
        let generation = self.roll();
        self.freeze();
        self.install();
        self.write_commit(generation);
        self.translog = self.translog.split_off(&generation);
    }

    fn write_commit(&mut self, generation: u64) {
        let plan = self.shard.plan_commit(generation);
        self.files.extend(plan.files.iter().cloned());
        self.commit = plan.commit.encode();
        self.shard.committed(&plan);
        let named: Vec<String> =
            plan.commit.segments.iter().flat_map(|s| [Some(s.file()), s.live_file()]).flatten().collect();
        self.files.retain(|name, _| named.contains(name));
    }

    /// Opens what the disk holds as a new shard.
    fn reopen(&mut self) {
        let commit = CommitPoint::decode("commit", &self.commit).unwrap();
        let views = commit.segments.iter().map(|committed| {
            let segment = Segment::open(&committed.name, self.files[&committed.file()].clone()).unwrap();
            assert_eq!((segment.max_doc(), segment.bytes().len() as u64), (committed.max_doc, committed.file_len));
            let live = committed.live_file().map(|file| LiveDocs::decode(&file, &self.files[&file]).unwrap());
            SegmentView { segment, live: live.map(Arc::new) }
        });
        let views = views.collect();
        self.shard = Shard::restore(identity(), self.mapping.clone(), 1, 60_000, &commit, views).unwrap();
        (self.seal, self.merge) = (None, None);
        let last = *self.translog.last_key_value().unwrap().0;
        for (generation, bytes) in self.translog.range_mut(commit.translog_generation..) {
            let end = replay(&mut self.shard, *generation, bytes, self.now_ms);
            match end {
                None => *bytes = header(*generation),
                Some(TranslogEnd::Clean) => {}
                Some(TranslogEnd::Torn { at }) if *generation == last => bytes.truncate(at as usize),
                Some(other) => panic!("generation {generation}: {other:?}"),
            }
        }
        self.generation = last;
    }

    fn get(&self, id: &str) -> Option<FoundDocument> {
        self.shard.get(&GetRequest::realtime(id), self.now_ms).unwrap()
    }

    /// Ids and sources of the documents that searches see.
    fn visible(&self) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        for view in &self.shard.snapshot().segments {
            for doc in (0..view.max_doc()).filter(|doc| view.is_live(*doc)) {
                let source = view.segment.stored(doc).unwrap().source.unwrap();
                let source = String::from_utf8(source.to_vec()).unwrap();
                let twice = found.insert(view.segment.id(doc).to_string(), source);
                assert_eq!(twice, None, "document {} is there twice", view.segment.id(doc));
            }
        }
        found
    }
}

fn header(generation: u64) -> Vec<u8> {
    TranslogHeader { generation, index_uuid: UUID, shard: 0 }.encode()
}

fn replay(shard: &mut Shard, generation: u64, bytes: &[u8], now_ms: u64) -> Option<TranslogEnd> {
    let header = TranslogHeader { generation, index_uuid: UUID, shard: 0 };
    let mut reader = TranslogReader::new(bytes, &header).unwrap()?;
    loop {
        match reader.next_record() {
            Ok((record, _)) => {
                assert!(!matches!(shard.replay(&record, now_ms).unwrap(), Replayed::NeedsMapping(_)));
            }
            Err(end) => return Some(end),
        }
    }
}

/// What became of an operation: the state of its document after it.
#[derive(Clone, Debug)]
struct Change {
    seq_no: u64,
    id: &'static str,
    /// None: deleted.
    state: Option<(u64, String)>,
}

#[derive(Default)]
struct Model {
    changes: Vec<Change>,
}

impl Model {
    /// Versions and sources after all operations up to `seq_no`.
    fn at(&self, seq_no: i64) -> BTreeMap<&'static str, (u64, String)> {
        let mut documents = BTreeMap::new();
        for change in self.changes.iter().filter(|c| c.seq_no as i64 <= seq_no) {
            match &change.state {
                Some(state) => drop(documents.insert(change.id, state.clone())),
                None => drop(documents.remove(change.id)),
            }
        }
        documents
    }
}

#[derive(Clone, Debug)]
enum Step {
    Index {
        id: usize,
        n: u64,
    },
    Create {
        id: usize,
        n: u64,
    },
    Delete {
        id: usize,
    },
    Update {
        id: usize,
        n: u64,
        upsert: bool,
    },
    /// Only if the document is as it was last seen.
    CompareAndSet {
        id: usize,
        n: u64,
        stale: bool,
    },
    Freeze,
    Install,
    Publish,
    BeginMerge,
    EndMerge,
    Flush,
    /// The node dies; of the last generation a part survives that holds at least what was synced.
    Crash {
        keep: prop::sample::Index,
    },
    Sync,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let id = 0..IDS.len();
    let step = prop_oneof![
        6 => (id.clone(), 0u64..3).prop_map(|(id, n)| Step::Index { id, n }),
        2 => (id.clone(), 0u64..3).prop_map(|(id, n)| Step::Create { id, n }),
        3 => id.clone().prop_map(|id| Step::Delete { id }),
        3 => (id.clone(), 0u64..3, any::<bool>()).prop_map(|(id, n, upsert)| Step::Update { id, n, upsert }),
        2 => (id, 0u64..3, any::<bool>()).prop_map(|(id, n, stale)| Step::CompareAndSet { id, n, stale }),
        3 => Just(Step::Freeze),
        3 => Just(Step::Install),
        2 => Just(Step::Publish),
        2 => Just(Step::BeginMerge),
        2 => Just(Step::EndMerge),
        1 => Just(Step::Flush),
        1 => any::<prop::sample::Index>().prop_map(|keep| Step::Crash { keep }),
        1 => Just(Step::Sync),
    ];
    prop::collection::vec(step, 1..80)
}

/// Runs the steps on both, comparing after each.
struct Run {
    rig: Rig,
    model: Model,
    /// Length of the last generation that is known to be on disk.
    synced: usize,
}

impl Run {
    fn step(&mut self, step: &Step) {
        match *step {
            Step::Index { id, n } => self.write(IDS[id], &WriteOp::index(IDS[id], doc(n))),
            Step::Create { id, n } => self.write(IDS[id], &WriteOp::create(IDS[id], doc(n))),
            Step::Delete { id } => self.write(IDS[id], &WriteOp::delete(IDS[id])),
            Step::Update { id, n, upsert } => {
                let spec = UpdateSpec {
                    doc_routing: None,
                    script: None,
                    doc: Some(doc(n).into()),
                    upsert: None,
                    doc_as_upsert: upsert,
                    detect_noop: true,
                };
                self.write(IDS[id], &WriteOp::update(IDS[id], spec));
            }
            Step::CompareAndSet { id, n, stale } => {
                let Some(found) = self.rig.get(IDS[id]) else { return };
                let mut op = WriteOp::index(IDS[id], doc(n));
                op.if_seq_no = Some(found.seq_no + u64::from(stale));
                op.if_primary_term = Some(found.primary_term);
                self.write(IDS[id], &op);
            }
            Step::Freeze => self.rig.freeze(),
            Step::Install => self.rig.install(),
            Step::Publish => drop(self.rig.shard.publish(None)),
            Step::BeginMerge => self.rig.begin_merge(),
            Step::EndMerge => self.rig.end_merge(),
            Step::Flush => {
                self.rig.flush();
                self.synced = self.last_generation().len();
            }
            Step::Sync => self.synced = self.last_generation().len(),
            Step::Crash { keep } => self.crash(|choices| keep.index(choices)),
        }
    }

    fn last_generation(&self) -> &Vec<u8> {
        self.rig.translog.last_key_value().unwrap().1
    }

    fn write(&mut self, id: &'static str, op: &WriteOp) {
        let before = self.rig.get(id);
        match self.rig.apply(op) {
            Ok(outcome) => self.check_outcome(id, op, &before, &outcome),
            Err(error) => {
                let expected = match &op.kind {
                    OpKind::Create { .. } => before.is_some(),
                    OpKind::Update(spec) => before.is_none() && !spec.doc_as_upsert,
                    OpKind::Index { .. } => op.if_seq_no.is_some_and(|s| Some(s) != before.as_ref().map(|b| b.seq_no)),
                    OpKind::Delete => false,
                };
                assert!(expected, "{op:?}: {error}");
                assert_eq!(self.rig.get(id), before);
            }
        }
    }

    fn check_outcome(
        &mut self,
        id: &'static str,
        op: &WriteOp,
        before: &Option<FoundDocument>,
        outcome: &WriteOutcome,
    ) {
        let after = self.rig.get(id);
        let existed = before.is_some();
        let result = match (&op.kind, &after) {
            (OpKind::Delete, _) if existed => WriteResult::Deleted,
            (OpKind::Delete, _) => WriteResult::NotFound,
            (OpKind::Update(_), Some(after)) if before.as_ref() == Some(after) => WriteResult::Noop,
            _ if existed => WriteResult::Updated,
            _ => WriteResult::Created,
        };
        assert_eq!(outcome.result, result, "{op:?}");
        if outcome.result == WriteResult::Noop {
            return;
        }
        let state = after.map(|found| {
            assert_eq!((found.seq_no, found.version), (outcome.seq_no, outcome.version));
            (found.version, String::from_utf8(found.source.unwrap().to_vec()).unwrap())
        });
        assert_eq!(state.is_none(), matches!(op.kind, OpKind::Delete));
        self.model.changes.push(Change { seq_no: outcome.seq_no, id, state });
    }

    /// `keep` chooses how many of the bytes that were not synced survive.
    fn crash(&mut self, keep: impl Fn(usize) -> usize) {
        let synced = self.synced;
        let last = self.rig.translog.last_entry().unwrap().into_mut();
        last.truncate(synced + keep(last.len() - synced + 1));
        self.rig.reopen();
        let survived = self.rig.shard.max_seq_no();
        assert_eq!(self.rig.shard.local_checkpoint(), survived, "nothing is missing below what survived");
        self.model.changes.retain(|change| change.seq_no as i64 <= survived);
        self.synced = self.last_generation().len();
        self.rig.refresh();
    }

    fn compare(&self) {
        let newest = self.model.at(i64::MAX);
        for id in IDS {
            let found = self.rig.get(id).map(|f| (f.version, String::from_utf8(f.source.unwrap().to_vec()).unwrap()));
            assert_eq!(found.as_ref(), newest.get(id), "document {id} in real time");
        }
        let seen = self.model.at(self.rig.shard.visible_seq_no());
        let seen: BTreeMap<String, String> =
            seen.into_iter().map(|(id, (_, source))| (id.to_owned(), source)).collect();
        assert_eq!(self.rig.visible(), seen, "what searches see");
        for view in self.rig.shard.snapshot().segments.iter().filter(|_| self.rig.mapping.index_sort().is_some()) {
            let numbers = |doc| view.segment.field("n").and_then(|field| field.numeric()?.first(doc));
            assert!((0..view.max_doc()).map(numbers).is_sorted_by(|a, b| a >= b), "segments are sorted");
        }
    }
}

fn doc(n: u64) -> String {
    format!(r#"{{"n":{n},"t":"word{n}"}}"#)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    /// Whatever the order of writes and upkeep, and wherever the translog is cut off by a crash: every write that was synced is there,
    /// every other one is there whole or not at all, and searches see exactly one moment.
    #[test]
    fn behaves_as_a_map_would(steps in steps(), sorted in any::<bool>()) {
        let mut run = Run { rig: Rig::over(mapping(sorted)), model: Model::default(), synced: 0 };
        run.synced = run.last_generation().len();
        for step in &steps {
            run.step(step);
            run.compare();
        }
        run.crash(|_| 0);
        run.compare();
    }
}
