//! The order of documents in segments of sorted indices.

use super::merge_terms::Heads;
use super::sort::sort_paced;
use crate::mapping::{IndexSort, IndexSortKey};
use crate::pace::Pace;
use crate::segment::SegmentView;

/// Live documents of all sources, each with its source, in their new order. Documents that are nested in another stay before it.
pub(super) async fn ordered(sources: &[SegmentView], sort: &IndexSort, pace: &Pace) -> Vec<(u32, u32)> {
    let mut roots: Vec<(u32, u32)> = vec![];
    for (source, view) in (0..).zip(sources) {
        for doc in 0..view.max_doc() {
            if view.is_live(doc) && view.segment.is_root(doc) {
                roots.push((source, doc));
            }
            pace.tick(1).await;
        }
    }
    let width = sort.0.len();
    let mut keys = vec![0i64; roots.len() * width];
    for (at, key) in sort.0.iter().enumerate() {
        let ranks = ranks(sources, key, pace).await;
        for (row, (source, doc)) in roots.iter().enumerate() {
            keys[row * width + at] = value(&sources[*source as usize], &ranks[*source as usize], key, *doc);
            pace.tick(1).await;
        }
    }
    let row = |at: &u32| &keys[*at as usize * width..(*at as usize + 1) * width];
    let mut places: Vec<u32> = (0..roots.len() as u32).collect();
    // Among equals the order stays.
    sort_paced(&mut places, |a, b| row(a).cmp(row(b)).then(a.cmp(b)).is_lt(), pace).await;
    let mut docs = Vec::with_capacity(roots.len());
    for place in places {
        let (source, root) = roots[place as usize];
        let view = &sources[source as usize];
        let block = view.segment.block_start(root)..=root;
        docs.extend(block.filter(|doc| view.is_live(*doc)).map(|doc| (source, doc)));
        pace.tick(1).await;
    }
    docs
}

/// What a document is ordered by; less comes first.
fn value(view: &SegmentView, ranks: &[u32], key: &IndexSortKey, doc: u32) -> i64 {
    let field = view.segment.field(&key.field);
    let number = match (field.and_then(|field| field.numeric()), field.and_then(|field| field.ordinals())) {
        (Some(column), _) => {
            let (mut first, mut last) = (None, None);
            column.for_each(doc, |value| {
                first.get_or_insert(value);
                last = Some(value);
            });
            if key.max { last } else { first }
        }
        (None, Some(column)) => {
            let ord = if key.max { column.last(doc) } else { column.first(doc) };
            ord.map(|ord| i64::from(ranks[ord as usize]))
        }
        (None, None) => None,
    };
    match number {
        Some(number) if key.descending => !number,
        Some(number) => number,
        None if key.missing_first => i64::MIN,
        None => i64::MAX,
    }
}

/// For each source the ranks of its ordinals among the terms of all sources.
async fn ranks(sources: &[SegmentView], key: &IndexSortKey, pace: &Pace) -> Vec<Vec<u32>> {
    let column = |view: &SegmentView| view.segment.field(&key.field).and_then(|field| field.ordinals()).cloned();
    let columns: Vec<_> = sources.iter().map(column).collect();
    let mut ranks: Vec<Vec<u32>> =
        columns.iter().map(|column| vec![0; column.as_ref().map_or(0, |column| column.num_ords() as usize)]).collect();
    let terms = columns.iter().enumerate().filter_map(|(at, column)| Some((at, column.as_ref()?.terms())));
    let (mut heads, mut rank) = (Heads::new(terms), 0);
    while heads.next() {
        heads.infos.iter().for_each(|(source, info)| ranks[*source][info.ord as usize] = rank);
        rank += 1;
        pace.tick(8).await;
    }
    ranks
}
