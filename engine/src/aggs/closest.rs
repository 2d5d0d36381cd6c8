//! Neighbours on a line, put together two by two, the closest first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Distances of numbers in order, as bits that have that order.
fn ordered(distance: f64) -> u64 {
    distance.max(0.0).to_bits()
}

/// Joins neighbours of `points` (ascending, each with its weight) until no more than `wanted` are left. Gives how many of the
/// points each of those is made of.
pub(super) fn join_closest(points: &[(f64, u64)], wanted: usize) -> Vec<usize> {
    let mut groups: Vec<(f64, u64, usize)> = points.iter().map(|(at, weight)| (*at, *weight, 1)).collect();
    let n = groups.len();
    let mut next: Vec<usize> = (1..=n).collect();
    let mut before: Vec<usize> = (0..n).map(|i| i.wrapping_sub(1)).collect();
    let gap = |groups: &[(f64, u64, usize)], i: usize, j: usize| ordered(groups[j].0 - groups[i].0);
    let mut heap: BinaryHeap<Reverse<(u64, usize, usize)>> =
        (1..n).map(|j| Reverse((gap(&groups, j - 1, j), j - 1, j))).collect();
    let mut left = n;
    while left > wanted {
        let Some(Reverse((distance, i, j))) = heap.pop() else { break };
        // What was pushed before one of the two changed says nothing any more.
        if groups[i].2 == 0 || groups[j].2 == 0 || next[i] != j || gap(&groups, i, j) != distance {
            continue;
        }
        let (a, b) = (groups[i], groups[j]);
        let weight = a.1 + b.1;
        let at = (a.0 * a.1 as f64 + b.0 * b.1 as f64) / weight as f64;
        groups[i] = (at, weight, a.2 + b.2);
        groups[j].2 = 0;
        next[i] = next[j];
        left -= 1;
        if next[i] < n {
            before[next[i]] = i;
            heap.push(Reverse((gap(&groups, i, next[i]), i, next[i])));
        }
        if before[i] < n {
            heap.push(Reverse((gap(&groups, before[i], i), before[i], i)));
        }
    }
    groups.iter().map(|group| group.2).filter(|members| *members > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_are_joined_first() {
        let points = [-3.0, -2.0, 1.0, 4.0, 5.0].map(|at| (at, 1));
        assert_eq!(join_closest(&points, 3), [2, 1, 2]);
        assert_eq!(join_closest(&points, 2), [3, 2]);
        assert_eq!(join_closest(&points, 9), [1; 5]);
        assert_eq!(join_closest(&[], 3), [0; 0]);
    }
}
