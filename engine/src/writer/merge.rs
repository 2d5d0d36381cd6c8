//! Segments become one: live documents in the order of the sources, deleted ones dropped.

use super::merge_columns::merge_columns;
use super::merge_terms::merge_inverted;
use super::order::ordered;
use crate::mapping::IndexSort;
use crate::pace::Pace;
use crate::segment::{Block, FieldHeader, FileWriter, IdsWriter, Kind, SegmentField, SegmentView, StoredWriter};
use crate::{Error, ErrorKind, Result};
use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

/// A document that is not in the merged segment.
const GONE: u32 = u32::MAX;

/// Where the documents of the sources of a merge went.
pub struct DocMap {
    sources: Vec<SourceMap>,
    max_doc: u32,
    /// Source and number of each document of the merged segment, where they do not stand behind each other.
    order: Option<Vec<(u32, u32)>>,
}

enum SourceMap {
    /// All documents are live: they stand behind each other.
    From(u32),
    Table(Vec<u32>),
}

impl DocMap {
    async fn new(sources: &[SegmentView], pace: &Pace) -> Result<Self> {
        let mut next = 0u32;
        let mut maps = vec![];
        for view in sources {
            let Some(live) = view.live.as_ref().filter(|live| live.deleted_count() > 0) else {
                maps.push(SourceMap::From(next));
                next = next.checked_add(view.max_doc()).ok_or_else(too_many)?;
                continue;
            };
            let mut table = Vec::with_capacity(view.max_doc() as usize);
            for doc in 0..view.max_doc() {
                let is_live = live.is_live(doc);
                table.push(if is_live { next } else { GONE });
                next = next.checked_add(u32::from(is_live)).ok_or_else(too_many)?;
                pace.tick(1).await;
            }
            maps.push(SourceMap::Table(table));
        }
        Ok(Self { sources: maps, max_doc: next, order: None })
    }

    /// Documents as `order` has them: source and number of each.
    async fn in_order(sources: &[SegmentView], order: Vec<(u32, u32)>, pace: &Pace) -> Result<Self> {
        let max_doc = u32::try_from(order.len()).map_err(|_| too_many())?;
        let mut tables: Vec<Vec<u32>> = sources.iter().map(|view| vec![GONE; view.max_doc() as usize]).collect();
        for (doc, (source, from)) in (0..).zip(&order) {
            tables[*source as usize][*from as usize] = doc;
            pace.tick(1).await;
        }
        Ok(Self { sources: tables.into_iter().map(SourceMap::Table).collect(), max_doc, order: Some(order) })
    }

    /// Whether documents of a source that stand behind each other may be the other way round now.
    pub(super) fn reorders(&self) -> bool {
        self.order.is_some()
    }

    /// The number of a document of source `source` in the merged segment; `None` if it was not live.
    #[inline]
    pub fn get(&self, source: usize, doc: u32) -> Option<u32> {
        match &self.sources[source] {
            SourceMap::From(first) => Some(first + doc),
            SourceMap::Table(table) => Some(table[doc as usize]).filter(|doc| *doc != GONE),
        }
    }

    /// The number of the first document of a source all of whose documents stand behind it in their order.
    pub(super) fn first_of_all(&self, source: usize) -> Option<u32> {
        match &self.sources[source] {
            SourceMap::From(first) => Some(*first),
            SourceMap::Table(_) => None,
        }
    }

    /// Documents in the merged segment.
    pub fn max_doc(&self) -> u32 {
        self.max_doc
    }
}

#[cold]
fn too_many() -> Error {
    Error::new(ErrorKind::IllegalState, "merged segment would hold too many documents")
}

/// A field of one of the sources.
pub(super) struct Source<'a> {
    pub field: &'a SegmentField,
    /// The place of the source among all.
    pub at: usize,
}

/// Makes the bytes of a segment that holds the live documents of `sources`, in order.
pub async fn merge(name: &str, sources: &[SegmentView], pace: &Pace) -> Result<(Vec<u8>, DocMap)> {
    merge_in_order(name, sources, None, pace).await
}

/// The same, with documents ordered by `sort`, if there is one.
pub async fn merge_in_order(
    name: &str,
    sources: &[SegmentView],
    sort: Option<&IndexSort>,
    pace: &Pace,
) -> Result<(Vec<u8>, DocMap)> {
    let map = match sort {
        Some(sort) => DocMap::in_order(sources, ordered(sources, sort, pace).await, pace).await?,
        None => DocMap::new(sources, pace).await?,
    };
    let mut file = FileWriter::with_capacity(map.max_doc, live_bytes(sources, |view| view.segment.bytes().len()));
    file.begin_field(FieldHeader::default());
    merge_ids(name, sources, &map, &mut file, pace).await;
    merge_stored(sources, &map, &mut file, pace).await?;
    let names: BTreeSet<&str> = sources.iter().flat_map(|view| view.segment.fields()).map(SegmentField::name).collect();
    for name in names {
        let views = sources.iter().enumerate();
        let own: Vec<Source<'_>> =
            views.filter_map(|(at, view)| Some(Source { field: view.segment.field(name)?, at })).collect();
        file.begin_field(FieldHeader { name: name.to_owned(), ..FieldHeader::default() });
        let terms = merge_inverted(&own, &map, &mut file, pace).await;
        merge_columns(&own, &map, terms.as_ref(), &mut file, pace).await;
    }
    Ok((file.finish(), map))
}

/// About how many of the bytes that sources have of something are of live documents.
fn live_bytes(sources: &[SegmentView], bytes_of: impl Fn(&SegmentView) -> usize) -> usize {
    let of_view = |view: &SegmentView| {
        let live = u128::from(view.live_count()) * bytes_of(view) as u128;
        (live / u128::from(view.max_doc().max(1))) as usize
    };
    sources.iter().map(of_view).sum()
}

async fn merge_ids(name: &str, sources: &[SegmentView], map: &DocMap, file: &mut FileWriter, pace: &Pace) {
    let (mut ids, mut nested) = (IdsWriter::default(), vec![]);
    for (source, doc) in map.order.iter().flatten() {
        let segment = &sources[*source as usize].segment;
        if !segment.is_root(*doc) {
            nested.push(ids.len());
        }
        ids.push(segment.id(*doc));
        pace.tick(2).await;
    }
    for (at, view) in sources.iter().enumerate().filter(|_| !map.reorders()) {
        for doc in (0..view.max_doc()).filter(|doc| map.get(at, *doc).is_some()) {
            if !view.segment.is_root(doc) {
                nested.push(ids.len());
            }
            ids.push(view.segment.id(doc));
            pace.tick(2).await;
        }
    }
    file.section(Kind::Ids, &ids.section(pace).await, pace).await;
    let table =
        ids.table(u64::from(crc32fast::hash(name.as_bytes())), |doc| nested.binary_search(&doc).is_ok(), pace).await;
    file.section(Kind::IdTable, &table, pace).await;
}

async fn merge_stored(sources: &[SegmentView], map: &DocMap, file: &mut FileWriter, pace: &Pace) -> Result<()> {
    /// Work units of copying a block, and of decompressing and compressing one.
    const COPY_UNITS: u32 = 64;
    const RECOMPRESS_UNITS: u32 = 4_096;
    /// Blocks held at once where documents are taken from here and there.
    const BLOCKS_OPEN: usize = 512;
    let bytes_of = |view: &SegmentView| view.segment.stored_blocks().blocks_len();
    let stored = sources.iter().map(|view| view.segment.stored_blocks());
    let mut writer = StoredWriter::of_sources(stored, live_bytes(sources, bytes_of));
    if let Some(order) = &map.order {
        let mut opened: VecDeque<(u32, Range<u32>, Block)> = VecDeque::new();
        for (source, doc) in order {
            let view = &sources[*source as usize];
            let known = opened.iter().position(|(of, docs, _)| of == source && docs.contains(doc));
            let at = match known {
                Some(at) => at,
                None => {
                    let stored = view.segment.stored_blocks();
                    let number = stored.block_of(*doc);
                    opened.truncate(BLOCKS_OPEN - 1);
                    opened.push_front((*source, stored.docs(number), stored.open_block(view.segment.name(), number)?));
                    pace.tick(RECOMPRESS_UNITS).await;
                    0
                }
            };
            let (_, docs, block) = &opened[at];
            let record = block.record((doc - docs.start) as usize);
            let record = record.ok_or_else(|| view.segment.stored_blocks().damaged(view.segment.name()))?;
            writer.push_record(&record);
            pace.tick(COPY_UNITS).await;
        }
    }
    for (at, view) in sources.iter().enumerate().filter(|_| !map.reorders()) {
        let stored = view.segment.stored_blocks();
        for number in 0..stored.blocks() {
            let docs = stored.docs(number);
            let all_live = docs.clone().all(|doc| map.get(at, doc).is_some());
            if all_live && writer.push_block(stored, number) {
                pace.tick(COPY_UNITS).await;
                continue;
            }
            let block = stored.open_block(view.segment.name(), number)?;
            let records = block.records().ok_or_else(|| stored.damaged(view.segment.name()))?;
            for (doc, record) in docs.zip(records) {
                if map.get(at, doc).is_some() {
                    writer.push_record(record);
                }
            }
            pace.tick(RECOMPRESS_UNITS).await;
        }
    }
    let (head, tail) = writer.section(pace).await;
    file.section_of(Kind::Stored, writer.around_blocks(&head, &tail), pace).await;
    Ok(())
}
