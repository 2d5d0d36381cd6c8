//! Pith's side: one segment in memory, searched through the state machine that shards use.

use crate::corpus::Query;
use crate::{Found, TOP};
use pith_engine::analysis::Registry;
use pith_engine::mapping::{DocumentScratch, Mapping, MappingSettings, Parsed};
use pith_engine::pace::{Pace, block_on_ready};
use pith_engine::search::{Begun, Budget, SearchLimits, SearchRequest, ShardContext, ShardScope, ShardSearch, Step};
use pith_engine::segment::{Segment, SegmentView, Snapshot};
use pith_engine::writer::{Buffer, IndexDocument, merge, seal};
use std::path::Path;
use std::sync::Arc;

type Error = Box<dyn std::error::Error>;

/// Documents that are sealed together before everything is merged.
const DOCS_PER_BUFFER: usize = 150_000;

const MAPPING: &str = r#"{"_source":{"enabled":false},"properties":{"text":{"type":"text"},"body":{"type":"text"}}}"#;

pub struct Side {
    cx: ShardContext,
}

impl Side {
    /// Opens the index kept in `cache`, or builds it of `texts`, which are the values of `field`.
    pub fn open<I: Iterator<Item = String>>(
        cache: &Path,
        rebuild: bool,
        field: &str,
        texts: impl Fn() -> Result<I, Error>,
    ) -> Result<Self, Error> {
        let mapping = Arc::new(mapping()?);
        let path = cache.join("pith.seg");
        if rebuild || !path.exists() {
            let start = std::time::Instant::now();
            let bytes = build(&mapping, field, texts()?)?;
            println!("pith: indexed in {:.1} s, {:.1} MB", start.elapsed().as_secs_f64(), bytes.len() as f64 / 1e6);
            std::fs::write(&path, bytes)?;
        }
        let segment = Segment::open("bench", std::fs::read(&path)?.into())?;
        let cx = ShardContext {
            index: "bench".into(),
            index_uuid: "bench".into(),
            shard: 0,
            node_id: "bench".into(),
            mapping,
            snapshot: Arc::new(Snapshot {
                segments: vec![SegmentView { segment, live: None }],
                refresh_seq: 1,
                ..Snapshot::default()
            }),
            now_ms: 0,
            limits: SearchLimits::default(),
            profile: None,
            search: None,
            sees_all: false,
        };
        Ok(Self { cx })
    }

    pub fn doc_count(&self) -> u32 {
        self.cx.snapshot.segments.iter().map(|view| view.max_doc()).sum()
    }

    /// Only parsing is left out of the measurement, on both sides: the words are analysed in every run.
    pub fn prepare(&mut self, query: &Query) -> Result<Arc<SearchRequest>, Error> {
        let request = SearchRequest::parse(Some(query.body.to_string().as_bytes()), &[])?;
        Ok(Arc::new(request))
    }

    pub fn run(&self, request: &Arc<SearchRequest>) -> Found {
        let budget = Budget::unlimited();
        let begun = ShardSearch::begin(request, &self.cx, &ShardScope::default(), None);
        let result = match begun.expect("a valid search") {
            Begun::Answered(result) => result,
            Begun::Searching(mut search) => {
                while search.run(&budget).expect("a search that ends") == Step::Yield {}
                search.finish().expect("a result")
            }
        };
        debug_assert!(result.hits.len() <= TOP);
        let counted = request.total_hits.limit().is_some();
        Found {
            total: counted.then_some(result.total),
            top: result.hits.iter().map(|hit| (hit.doc, hit.score)).collect(),
        }
    }
}

fn mapping() -> Result<Mapping, Error> {
    let source = pith_engine::json::parse(MAPPING.as_bytes())?;
    Ok(Mapping::parse(&source, &Registry::built_in(), &MappingSettings::default())?)
}

fn build(mapping: &Arc<Mapping>, field: &str, texts: impl Iterator<Item = String>) -> Result<Vec<u8>, Error> {
    let (mut buffer, mut views, mut scratch) = (Buffer::new(), vec![], DocumentScratch::default());
    for (number, text) in texts.enumerate() {
        let (id, mut ops) = (number.to_string(), vec![]);
        let source = serde_json::json!({ field: text }).to_string();
        let parsed = mapping.parse_document(source.as_bytes(), &id, &mut scratch, &mut ops)?;
        assert!(matches!(parsed, Parsed::Ready), "the mapping has all fields");
        let seq_no = number as u64;
        let doc = IndexDocument { id: &id, routing: None, source: None, seq_no, version: 1, primary_term: 1, ops };
        buffer.add(mapping, &doc)?;
        if buffer.doc_count() as usize == DOCS_PER_BUFFER {
            views.push(sealed(&std::mem::take(&mut buffer))?);
        }
    }
    if buffer.doc_count() > 0 {
        views.push(sealed(&buffer)?);
    }
    Ok(block_on_ready(merge("bench", &views, &Pace::never()))?.0)
}

fn sealed(buffer: &Buffer) -> Result<SegmentView, Error> {
    let (bytes, _) = block_on_ready(seal(buffer, "bench", &Pace::never()))?;
    Ok(SegmentView { segment: Segment::open("bench", bytes.into())?, live: None })
}
