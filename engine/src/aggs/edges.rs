//! The buckets of a histogram over the numbers of one segment, laid out beforehand: finding the bucket of a number is a look
//! into a table, and whatever rounding costs (calendars, time zones) is paid once for each bucket.

/// More buckets than this are not laid out.
const EDGES_MAX: usize = 16_384;
/// Cells of the table for each bucket.
const CELLS_PER_EDGE: u64 = 4;

pub(crate) struct Edges {
    /// The first number of each bucket within the segment, ascending.
    starts: Vec<i64>,
    last: i64,
    keys: Vec<f64>,
    /// The bucket in which each stretch of `1 << shift` numbers from the first on begins.
    cells: Vec<u32>,
    shift: u32,
}

impl Edges {
    /// The buckets of the numbers `from..=to`. `key` gives the key of a number, `next` the first number after it that may have
    /// another key. None if there are too many buckets.
    pub(crate) fn new(
        from: i64,
        to: i64,
        key: impl Fn(i64) -> f64,
        next: impl Fn(i64, f64) -> Option<i64>,
    ) -> Option<Self> {
        let (mut starts, mut keys) = (vec![], vec![]);
        let mut at = Some(from).filter(|from| *from <= to);
        while let Some(start) = at {
            if starts.len() == EDGES_MAX {
                return None;
            }
            let key = key(start);
            if keys.last() != Some(&key) {
                starts.push(start);
                keys.push(key);
            }
            at = next(start, key).filter(|next| *next > start && *next <= to);
        }
        let span = to.abs_diff(from);
        let cells_wanted = (starts.len() as u64 * CELLS_PER_EDGE).max(1);
        let shift = (64 - (span / cells_wanted).leading_zeros()).min(63);
        let mut edges = Self { starts, last: to, keys, cells: vec![], shift };
        if from <= to {
            let mut bucket = 0;
            for cell in 0..=span >> shift {
                let first = from.wrapping_add((cell << shift) as i64);
                while edges.starts.get(bucket + 1).is_some_and(|start| *start <= first) {
                    bucket += 1;
                }
                edges.cells.push(bucket as u32);
            }
        }
        Some(edges)
    }

    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    pub(crate) fn key(&self, edge: usize) -> f64 {
        self.keys[edge]
    }

    /// First and last number of a bucket.
    pub(crate) fn bounds(&self, edge: usize) -> (i64, i64) {
        (self.starts[edge], self.starts.get(edge + 1).map_or(self.last, |next| next - 1))
    }

    /// The bucket of a number; none if it lies outside.
    #[inline]
    pub(crate) fn find(&self, number: i64) -> Option<usize> {
        let first = *self.starts.first()?;
        if number < first || number > self.last {
            return None;
        }
        let mut edge = self.cells[(number.abs_diff(first) >> self.shift) as usize] as usize;
        while self.starts.get(edge + 1).is_some_and(|start| *start <= number) {
            edge += 1;
        }
        Some(edge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finding_equals_rounding() {
        for (from, to, width) in
            [(0, 999, 7), (-500, 20, 100), (5, 5, 3), (i64::MIN, i64::MAX, i64::MAX / 9), (3, 2, 1)]
        {
            let key = |number: i64| (number.div_euclid(width)) as f64;
            let next = |number: i64, _: f64| number.div_euclid(width).checked_add(1)?.checked_mul(width);
            let edges = Edges::new(from, to, key, next).unwrap();
            for number in [from, to, from.saturating_add(1), 0, 6, 7, 8, -1, 10, 19, 99, 998] {
                let expected = (from..=to).contains(&number).then(|| key(number));
                assert_eq!(edges.find(number).map(|edge| edges.key(edge)), expected, "{number} of {from}..={to}");
                if let Some(edge) = edges.find(number) {
                    let (lo, hi) = edges.bounds(edge);
                    assert!(lo <= number && number <= hi);
                }
            }
        }
        assert!(Edges::new(0, 1 << 40, |n| n as f64, |n, _| Some(n + 1)).is_none());
    }
}
