//! Plans whose matches are counted without looking for any: dictionaries know how many documents have a term, where nothing is
//! deleted. And the searches by which the reference counts.

use super::term::TermLookup;
use super::{BoolPlan, Plan};
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

/// The matches of clauses together, of the `all` documents there are: known where no more than one of them takes some and not all.
pub(super) fn count_of_all(all: u64, counts: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    let mut counted = all;
    for count in counts {
        match count? {
            0 => return Some(0),
            count if count == all => {}
            count if counted == all => counted = count,
            _ => return None,
        }
    }
    Some(counted)
}

/// The matches of any of several clauses: known where one takes all documents or no more than one takes any.
pub(super) fn count_of_any(all: u64, counts: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    let (mut counted, mut known) = (0, true);
    for count in counts {
        match count {
            Some(count) if count == all => return Some(all),
            Some(0) => {}
            Some(count) if counted == 0 => counted = count,
            _ => known = false,
        }
    }
    known.then_some(counted)
}

/// What is searched for to count what matches `plan`. Of two terms either of which has to match each is counted first: if one of
/// them is nowhere nothing else has to be, and if one is much rarer than the other what has both.
pub fn count_searches(plan: Plan, snapshot: &Snapshot) -> Vec<Plan> {
    let Some(terms) = either_of_two(&plan) else { return vec![plan] };
    let [Some(first), Some(second)] = terms.clone().map(|term| known_count(&term, snapshot, u64::MAX)) else {
        return vec![plan];
    };
    let (fewer, more) = (first.min(second), first.max(second));
    let [one, other] = terms.clone().map(Plan::constant);
    if fewer == 0 {
        return vec![one, other];
    }
    let last = match (fewer as f64) < 0.1 * more as f64 {
        true => Plan::Bool(BoolPlan { filter: terms.into(), ..BoolPlan::default() }).constant(),
        false => plan,
    };
    vec![one, other, last]
}

/// The terms of a query that is nothing but two of them, one of which has to match.
fn either_of_two(plan: &Plan) -> Option<[Plan; 2]> {
    let Plan::Constant(inner) = plan else { return None };
    let Plan::Bool(BoolPlan { must, filter, should, must_not, minimum_should_match, .. }) = &**inner else {
        return None;
    };
    let only = must.is_empty() && filter.is_empty() && must_not.is_empty() && *minimum_should_match <= 1;
    match &should[..] {
        [one @ Plan::Term { .. }, other @ Plan::Term { .. }] if only => Some([one.clone(), other.clone()]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_of_parts_is_known_of_the_whole() {
        let all = |counts: &[Option<u64>]| count_of_all(9, counts.iter().copied());
        assert_eq!([all(&[]), all(&[Some(9), Some(4)]), all(&[Some(0), None])], [Some(9), Some(4), Some(0)]);
        assert_eq!([all(&[None, Some(0)]), all(&[Some(3), Some(4), Some(0)])], [None, None]);
        let any = |counts: &[Option<u64>]| count_of_any(9, counts.iter().copied());
        assert_eq!([any(&[]), any(&[Some(0), Some(4)]), any(&[None, Some(9)])], [Some(0), Some(4), Some(9)]);
        assert_eq!([any(&[None, Some(0)]), any(&[Some(3), Some(4)])], [None, None]);
    }
}
