//! Binary search over all integers.

/// The last number for which `holds`, which must hold up to some number and for none after it; `None` if for none at all.
/// Asks 64 times at most.
pub fn last_holding(holds: impl Fn(i64) -> bool) -> Option<i64> {
    if !holds(i64::MIN) {
        return None;
    }
    // In the order of integers, counted from the least one; it holds for `lo`.
    let number = |place: u64| (place ^ 1 << 63) as i64;
    let (mut lo, mut hi) = (0u64, u64::MAX);
    while lo < hi {
        let middle = hi - (hi - lo) / 2;
        match holds(number(middle)) {
            true => lo = middle,
            false => hi = middle - 1,
        }
    }
    Some(number(lo))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_last_one() {
        for last in [i64::MIN, i64::MIN + 1, -7, 0, 1, 1 << 40, i64::MAX - 1, i64::MAX] {
            assert_eq!(last_holding(|number| number <= last), Some(last));
        }
        assert_eq!(last_holding(|_| false), None);
    }
}
