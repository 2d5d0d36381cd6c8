//! Plans whose matches are counted without looking for any: dictionaries know how many documents have a term, where nothing is deleted.

use super::Plan;
use super::term::TermLookup;
use crate::segment::Snapshot;

/// How many documents match, if that is known; where more than `limit` do, some number above it.
pub fn known_count(plan: &Plan, snapshot: &Snapshot, limit: u64) -> Option<u64> {
    match plan {
        Plan::Constant(inner) | Plan::Boost(inner, _) => known_count(inner, snapshot, limit),
        Plan::Term { field, term } if snapshot.segments.iter().all(|view| view.live.is_none()) => {
            let mut total = 0;
            for info in TermLookup::new(snapshot, field, term, false).infos().iter().flatten() {
                total += u64::from(info.doc_freq);
                if total > limit {
                    break;
                }
            }
            Some(total)
        }
        _ => None,
    }
}
