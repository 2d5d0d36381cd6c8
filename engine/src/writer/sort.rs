//! Sorting that hands the core back: short runs are sorted, then merged.

use crate::pace::Pace;

/// Items sorted in one go: under a millisecond even where comparing costs a cache miss.
const RUN_ITEMS: usize = 4_096;

/// Sorts `items` by `less`.
pub(super) async fn sort_paced<T: Copy>(items: &mut Vec<T>, less: impl Fn(&T, &T) -> bool, pace: &Pace) {
    let order = |a: &T, b: &T| match less(a, b) {
        true => std::cmp::Ordering::Less,
        false if less(b, a) => std::cmp::Ordering::Greater,
        false => std::cmp::Ordering::Equal,
    };
    for run in items.chunks_mut(RUN_ITEMS) {
        run.sort_unstable_by(order);
        pace.tick(run.len() as u32).await;
    }
    let mut spare = Vec::with_capacity(if items.len() > RUN_ITEMS { items.len() } else { 0 });
    let mut run = RUN_ITEMS;
    while run < items.len() {
        spare.clear();
        for pair in items.chunks(run * 2) {
            let (mut a, mut b) = pair.split_at(run.min(pair.len()));
            while let ([first_a, rest_a @ ..], [first_b, rest_b @ ..]) = (a, b) {
                if less(first_b, first_a) {
                    spare.push(*first_b);
                    b = rest_b;
                } else {
                    spare.push(*first_a);
                    a = rest_a;
                }
                pace.tick(1).await;
            }
            spare.extend_from_slice(a);
            spare.extend_from_slice(b);
        }
        std::mem::swap(items, &mut spare);
        run *= 2;
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
            block_on_ready(sort_paced(&mut items, |a, b| a < b, &Pace::never()));
            assert_eq!(items, expected);
        }
    }
}
