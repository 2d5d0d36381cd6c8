//! What is known of a query's matches without looking: all documents, or a range of one field's numbers. Counts over
//! such a selection can come from dictionaries, points and statistics.

use super::{Plan, PointSet};
use crate::segment::{Points, SegmentView};
use std::sync::Arc;

/// The matches of a whole search.
#[derive(Clone, Debug, PartialEq)]
pub enum Selection {
    All,
    /// Documents with a value of the field in `lo..=hi`.
    Range {
        field: Arc<str>,
        lo: i64,
        hi: i64,
        /// Whether no boost stands around it.
        bare: bool,
    },
    /// Found by searching alone.
    Unknown,
}

impl Selection {
    pub fn of(plan: &Plan) -> Self {
        match plan {
            Plan::All => Self::All,
            Plan::Constant(inner) => Self::of(inner),
            Plan::Boost(inner, _) => match Self::of(inner) {
                Self::Range { field, lo, hi, .. } => Self::Range { field, lo, hi, bare: false },
                other => other,
            },
            Plan::Points(PointSet { field, ranges, .. }) => match ranges[..] {
                [(lo, hi)] => Self::Range { field: field.clone(), lo, hi, bare: true },
                _ => Self::Unknown,
            },
            Plan::Bool(plan) if plan.must_not.is_empty() && plan.requires_all() => Self::All,
            _ => Self::Unknown,
        }
    }

    /// The selection within one segment, where a range often takes everything. Unknown where documents are deleted, for
    /// neither dictionaries nor points know of that, and where documents are nested in others.
    pub fn in_segment(&self, view: &SegmentView) -> Self {
        match self {
            _ if view.live.is_some() || view.segment.roots().is_some() => Self::Unknown,
            Self::Range { field, lo, hi, .. } => match view.segment.field(field).and_then(|field| field.points()) {
                Some(points) if takes_all(points, *lo, *hi, view.max_doc()) => Self::All,
                Some(points) if points.single_valued() => self.clone(),
                _ => Self::Unknown,
            },
            other => other.clone(),
        }
    }
}

fn takes_all(points: &Points, lo: i64, hi: i64, max_doc: u32) -> bool {
    points.doc_count() == max_doc
        && points.min().is_some_and(|min| min >= lo)
        && points.max().is_some_and(|max| max <= hi)
}
