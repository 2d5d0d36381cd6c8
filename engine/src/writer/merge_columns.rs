//! Merges doc values, points and recorded existence of one field.

use super::merge::{DocMap, Source};
use super::merge_terms::Heads;
use super::sort::{merge_runs, sort_paced};
use crate::pace::Pace;
use crate::segment::{
    FileWriter, Kind, NO_MORE_DOCS, NumericColumn, OrdinalColumn, TermMeta, Terms, TermsWriter, docset, numeric, points,
};

/// `terms` are the merged indexed terms of the field.
pub(super) async fn merge_columns(
    sources: &[Source<'_>],
    map: &DocMap,
    terms: Option<&Terms>,
    file: &mut FileWriter,
    pace: &Pace,
) {
    merge_ordinals(sources, map, terms, file, pace).await;
    if sources.iter().any(|source| source.field.numeric().is_some()) {
        let mut values = Vec::with_capacity(map.max_doc() as usize);
        for source in sources {
            let Some(column) = source.field.numeric() else { continue };
            collect(column, |doc| map.get(source.at, doc), |value| value, &mut values, pace).await;
        }
        in_order(&mut values, map, pace).await;
        file.section(Kind::Numeric, &numeric::write(map.max_doc(), &values, pace).await, pace).await;
    }
    merge_points(sources, map, file, pace).await;
    if sources.iter().any(|source| source.field.recorded().is_some()) {
        let mut docs = vec![];
        for source in sources {
            let Some(recorded) = source.field.recorded() else { continue };
            let mut it = recorded.iter();
            while it.doc() != NO_MORE_DOCS {
                docs.extend(map.get(source.at, it.doc()));
                it.next();
                pace.tick(1).await;
            }
        }
        in_order(&mut docs, map, pace).await;
        file.section(Kind::Exists, &docset::write_section(map.max_doc(), &docs, pace).await, pace).await;
    }
}

/// Puts what was collected source by source in the order of documents.
async fn in_order<T: Copy + PartialOrd>(items: &mut Vec<T>, map: &DocMap, pace: &Pace) {
    if map.reorders() {
        sort_paced(items, |a, b| a < b, pace).await;
    }
}

/// Appends the values of a column, documents and values mapped.
async fn collect(
    column: &NumericColumn,
    doc_of: impl Fn(u32) -> Option<u32>,
    value_of: impl Fn(i64) -> i64,
    out: &mut Vec<(u32, i64)>,
    pace: &Pace,
) {
    let mut it = column.docs().iter();
    while it.doc() != NO_MORE_DOCS {
        if let Some(doc) = doc_of(it.doc()) {
            column.for_each(it.doc(), |value| out.push((doc, value_of(value))));
        }
        it.next();
        pace.tick(1).await;
    }
}

async fn merge_ordinals(
    sources: &[Source<'_>],
    map: &DocMap,
    terms: Option<&Terms>,
    file: &mut FileWriter,
    pace: &Pace,
) {
    let columns = || sources.iter().filter_map(|source| Some((source, source.field.stored_ordinals()?)));
    if columns().next().is_none() {
        return;
    }
    let mut ord_maps = vec![];
    for (source, column) in columns() {
        ord_maps.push((source.at, used_ords(source, column, map, pace).await));
    }
    let mut dictionary = TermsWriter::keys_only();
    let mut indexed = terms.map(Terms::iter);
    let mut shared = indexed.is_some();
    let mut heads = Heads::new(columns().map(|(source, column)| (source.at, column.terms())));
    while heads.next() {
        let next = dictionary.len() as u32;
        let mut any = false;
        for (source, info) in &heads.infos {
            let (_, ords) = ord_maps.iter_mut().find(|(at, _)| at == source).expect("one of the sources");
            let ord = &mut ords[info.ord as usize];
            any |= *ord != UNUSED;
            *ord = next;
        }
        if any {
            dictionary.push(&heads.term, &TermMeta::default());
            shared =
                shared && indexed.as_mut().and_then(|iter| iter.next()).is_some_and(|(term, _)| term == heads.term);
        }
        pace.tick(8).await;
    }
    shared &= terms.is_some_and(|terms| terms.len() == dictionary.len());
    if !shared {
        file.section(Kind::OrdinalTerms, &dictionary.finish(), pace).await;
    }
    let count: u64 = columns().map(|(_, column)| column.value_count()).sum();
    let mut values = Vec::with_capacity(count as usize);
    for (source, column) in columns() {
        let (_, ords) = ord_maps.iter().find(|(at, _)| *at == source.at).expect("one of the sources");
        let value_of = |ord| i64::from(ords[ord as usize]);
        collect(column.numbers(), |doc| map.get(source.at, doc), value_of, &mut values, pace).await;
    }
    in_order(&mut values, map, pace).await;
    file.section(Kind::Ordinals, &numeric::write(map.max_doc(), &values, pace).await, pace).await;
}

/// No live document has the term.
const UNUSED: u32 = u32::MAX;

/// Per ordinal of a source 0, or [`UNUSED`].
async fn used_ords(source: &Source<'_>, column: &OrdinalColumn, map: &DocMap, pace: &Pace) -> Vec<u32> {
    let mut used = vec![UNUSED; column.num_ords() as usize];
    let mut it = column.docs().iter();
    while it.doc() != NO_MORE_DOCS {
        if map.get(source.at, it.doc()).is_some() {
            column.numbers().for_each(it.doc(), |ord| used[ord as usize] = 0);
        }
        it.next();
        pace.tick(1).await;
    }
    used
}

async fn merge_points(sources: &[Source<'_>], map: &DocMap, file: &mut FileWriter, pace: &Pace) {
    if sources.iter().all(|source| source.field.points().is_none()) {
        return;
    }
    let count: u64 = sources.iter().filter_map(|source| Some(source.field.points()?.values())).sum();
    let (mut pairs, mut ends) = (Vec::with_capacity(count as usize), vec![]);
    for source in sources {
        let Some(points) = source.field.points() else { continue };
        for block in 0..points.blocks() {
            points.for_each_pair(block, |value, doc| {
                pairs.extend(map.get(source.at, doc).map(|doc| (value, doc)));
            });
            pace.tick(512).await;
        }
        ends.push(pairs.len());
    }
    let less = |a: &(i64, u32), b: &(i64, u32)| a < b;
    match map.reorders() {
        true => sort_paced(&mut pairs, less, pace).await,
        // The points of each source are in order, and stay so.
        false => merge_runs(&mut pairs, ends, less, pace).await,
    }
    file.section(Kind::Points, &points::write(map.max_doc(), &pairs, pace).await, pace).await;
}
