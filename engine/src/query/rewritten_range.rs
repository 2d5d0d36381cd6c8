//! Ranges that the values of a shard decide.

use super::PlanContext;
use super::fields::exists_text;
use crate::mapping::{Field, Indexed};
use crate::score::{Plan, PointSet};

/// What the reference puts in the place of a range, where it does not stand alone, by the values that there are: nothing, all
/// documents, or in one part all that have a value.
pub fn rewritten_range(points: &PointSet, field: &Field, cx: &PlanContext) -> Option<Plan> {
    if points.is_set() {
        return None;
    }
    if field.spec.indexed != Indexed::Points {
        return points.ranges.iter().all(|(lo, hi)| lo > hi).then(|| Plan::nothing(""));
    }
    let [(lo, hi)] = points.ranges[..] else { return points.ranges.is_empty().then(|| Plan::nothing("")) };
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
    let text = format!("IndexOrDocValuesQuery(indexQuery={}, dvQuery={of_values}", exists_text(field));
    Some(Plan::Points(PointSet { text, approximate: false, ..points.clone() }))
}
