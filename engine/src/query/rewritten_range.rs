//! Ranges that the values of a shard decide.

use super::PlanContext;
use super::fields::exists_text;
use crate::mapping::{Family, Field, Indexed};
use crate::score::{Plan, PointSet, TermSet};
use std::ops::Bound;

/// What the reference puts in the place of a range, where it does not stand alone, by the values that there are: nothing, all
/// documents, or in one part all that have a value.
pub fn rewritten_range(points: &PointSet, field: &Field, cx: &PlanContext) -> Option<Plan> {
    if points.is_set() {
        return None;
    }
    if field.spec.indexed != Indexed::Points {
        return points.ranges.iter().all(|(lo, hi)| lo > hi).then(|| Plan::nothing(""));
    }
    let [(lo, hi)] = points.ranges[..] else {
        // The other way round: only values know that there is nothing between, points look for it.
        let knows = points.ranges.is_empty() && points.text.starts_with("IndexOrDocValuesQuery(");
        return knows.then(|| Plan::nothing(""));
    };
    if field.family() == Family::SeqNo {
        // It has no points here, but every document has a number.
        let columns = (cx.snapshot.segments.iter())
            .filter_map(|view| view.segment.field(&points.field).and_then(|field| field.numeric()));
        let ends: Vec<(i64, i64)> = columns.filter_map(|column| column.min().zip(column.max())).collect();
        let (least, most) = (ends.iter().map(|(min, _)| *min).min(), ends.iter().map(|(_, max)| *max).max());
        return match least.zip(most) {
            Some((least, most)) if hi >= least && lo <= most => (lo <= least && hi >= most).then_some(Plan::All),
            _ => Some(Plan::nothing("")),
        };
    }
    let (mut least, mut most, mut docs, mut all_docs) = (i64::MAX, i64::MIN, 0, 0);
    for view in &cx.snapshot.segments {
        all_docs += u64::from(view.max_doc());
        let Some(values) = view.segment.field(&points.field).and_then(|field| field.points()) else { continue };
        if let (Some(min), Some(max)) = (values.min(), values.max()) {
            (least, most) = (least.min(min), most.max(max));
            docs += u64::from(values.doc_count());
        }
    }
    if hi < least || lo > most {
        return Some(Plan::nothing(""));
    }
    if lo > least || hi < most {
        return None;
    }
    if docs == all_docs {
        return Some(Plan::All);
    }
    let (_, of_values) = points.text.strip_prefix("IndexOrDocValuesQuery(indexQuery=")?.split_once(", dvQuery=")?;
    let of_values = of_values.strip_suffix(')')?;
    let exists = exists_text(field);
    // Between the least and the greatest number that there is are all that have one.
    let explained = if (lo, hi) == (i64::MIN, i64::MAX) { &exists } else { of_values };
    let text = format!("IndexOrDocValuesQuery(indexQuery={exists}, dvQuery={explained})");
    let explained = explained.to_owned();
    Some(Plan::Points(PointSet { text, explained, approximate: false, ..points.clone() }))
}

/// The same for a range of addresses, which `plan` shows: what it finds is told by the terms that there are.
pub fn rewritten_addresses(plan: &Plan, field: &Field, cx: &PlanContext) -> Option<Plan> {
    let Plan::Custom(node) = plan else { return None };
    let Plan::MultiTerm(range) = node.0.shown()? else { return None };
    let text = plan.to_string();
    let (of_points, of_values) = text.strip_prefix("IndexOrDocValuesQuery(indexQuery=")?.split_once(", dvQuery=")?;
    // Sets and what stands in several ranges are never put another way.
    let is_range = of_points.starts_with(&format!("{}:[", field.name));
    if !is_range || field.family() != Family::Ip || field.spec.indexed == Indexed::No {
        return None;
    }
    let (mut least, mut most, mut docs, mut all_docs) = (None, None, 0, 0);
    for view in &cx.snapshot.segments {
        all_docs += u64::from(view.max_doc());
        let Some(found) = view.segment.field(&field.name) else { continue };
        let Some(terms) = found.terms().filter(|terms| !terms.is_empty()) else { continue };
        let (first, last) = (terms.term(0), terms.term(terms.len() - 1));
        least = Some(least.map_or(first.clone(), |least: Vec<u8>| least.min(first)));
        most = most.max(Some(last));
        docs += found.exists().cost();
    }
    let (Some(least), Some(most)) = (least, most) else { return Some(Plan::nothing("")) };
    let TermSet::Range(lo, hi) = &range.set else { return None };
    let below = |lo: &Bound<Vec<u8>>, term: &Vec<u8>| match lo {
        Bound::Unbounded => true,
        Bound::Included(lo) => lo <= term,
        Bound::Excluded(lo) => lo < term,
    };
    let above = |hi: &Bound<Vec<u8>>, term: &Vec<u8>| match hi {
        Bound::Unbounded => true,
        Bound::Included(hi) => hi >= term,
        Bound::Excluded(hi) => hi > term,
    };
    if !below(lo, &most) || !above(hi, &least) {
        return Some(Plan::nothing(""));
    }
    if !below(lo, &least) || !above(hi, &most) {
        return None;
    }
    if docs == all_docs {
        return Some(Plan::All);
    }
    let text = format!("IndexOrDocValuesQuery(indexQuery={}, dvQuery={of_values}", exists_text(field));
    Some(Plan::MultiTerm(range.clone()).shown_like(text, Plan::term(&field.name, Vec::new())))
}
