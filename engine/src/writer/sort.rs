//! Sorting that hands the core back: short runs are sorted, then merged.

use crate::pace::Pace;
use std::cmp::Ordering;

/// Items sorted in one go: under a millisecond even where comparing costs a cache miss.
const RUN_ITEMS: usize = 4_096;
/// Work units of copying as many.
const COPY_UNITS: u32 = 256;

/// Sorts `items` by `less`.
pub(super) async fn sort_paced<T: Copy>(items: &mut Vec<T>, less: impl Fn(&T, &T) -> bool, pace: &Pace) {
    let order = |a: &T, b: &T| match less(a, b) {
        true => Ordering::Less,
        false if less(b, a) => Ordering::Greater,
        false => Ordering::Equal,
    };
    sort_runs(items, order, pace).await;
    merge_runs(items, ends_of_runs(items.len()), less, pace).await;
}

/// The same by an order of which no two items are equal, and which may cost much.
pub(crate) async fn sort_paced_by<T: Copy>(items: &mut Vec<T>, order: impl Fn(&T, &T) -> Ordering, pace: &Pace) {
    sort_runs(items, &order, pace).await;
    merge_runs(items, ends_of_runs(items.len()), |a, b| order(a, b) == Ordering::Less, pace).await;
}

async fn sort_runs<T>(items: &mut [T], order: impl Fn(&T, &T) -> Ordering, pace: &Pace) {
    for run in items.chunks_mut(RUN_ITEMS) {
        run.sort_unstable_by(&order);
        pace.tick(run.len() as u32).await;
    }
}

fn ends_of_runs(items: usize) -> Vec<usize> {
    (1..=items.div_ceil(RUN_ITEMS)).map(|run| (run * RUN_ITEMS).min(items)).collect()
}

/// Sorts `items`, which are sorted up to each of `ends` from the one before it.
pub(super) async fn merge_runs<T: Copy>(
    items: &mut Vec<T>,
    mut ends: Vec<usize>,
    less: impl Fn(&T, &T) -> bool,
    pace: &Pace,
) {
    debug_assert_eq!(ends.last().copied().unwrap_or(0), items.len());
    let mut spare = Vec::with_capacity(if ends.len() > 1 { items.len() } else { 0 });
    while ends.len() > 1 {
        spare.clear();
        let (mut start, mut merged) = (0, Vec::with_capacity(ends.len().div_ceil(2)));
        for pair in ends.chunks(2) {
            let (middle, end) = (pair[0], *pair.last().unwrap_or(&pair[0]));
            let (mut a, mut b) = (&items[start..middle], &items[middle..end]);
            // Runs that follow each other, as those of times do, are only copied.
            let apart = a.last().zip(b.first()).is_none_or(|(last, first)| !less(first, last));
            while let ([first_a, rest_a @ ..], [first_b, rest_b @ ..]) = (a, b) {
                if apart {
                    break;
                }
                if less(first_b, first_a) {
                    spare.push(*first_b);
                    b = rest_b;
                } else {
                    spare.push(*first_a);
                    a = rest_a;
                }
                pace.tick(1).await;
            }
            for slice in a.chunks(RUN_ITEMS).chain(b.chunks(RUN_ITEMS)) {
                spare.extend_from_slice(slice);
                pace.tick(COPY_UNITS).await;
            }
            merged.push(end);
            start = end;
        }
        std::mem::swap(items, &mut spare);
        ends = merged;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pace::block_on_ready;

    #[test]
    fn sorts_any_length() {
        for len in [0, 1, RUN_ITEMS, RUN_ITEMS + 1, 5 * RUN_ITEMS + 77] {
            let mut items: Vec<u32> = (0..len as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
            let mut expected = items.clone();
            expected.sort_unstable();
            let mut others = items.clone();
            block_on_ready(sort_paced(&mut items, |a, b| a < b, &Pace::never()));
            block_on_ready(sort_paced_by(&mut others, u32::cmp, &Pace::new(|| true)));
            assert_eq!((&items, &others), (&expected, &expected));
        }
    }

    #[test]
    fn merges_runs_of_any_length() {
        for lens in [&[][..], &[0], &[3], &[0, 2, 0], &[5, 1, 4], &[2, 2, 2, 2, 2], &[RUN_ITEMS + 3, 1, 0, RUN_ITEMS]] {
            for step in [1, 7, 4_093] {
                let (mut items, mut ends) = (vec![], vec![]);
                for (run, len) in lens.iter().enumerate() {
                    // Some runs follow the ones before them, others lie among them.
                    items.extend((0..*len as u32).map(|i| i * step + run as u32 * 5_000 % 11_000));
                    ends.push(items.len());
                }
                let mut expected = items.clone();
                expected.sort_unstable();
                block_on_ready(merge_runs(&mut items, ends, |a, b| a < b, &Pace::never()));
                assert_eq!(items, expected);
            }
        }
    }
}
