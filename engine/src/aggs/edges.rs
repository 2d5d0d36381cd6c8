//! The buckets of a histogram over the numbers of one segment, laid out beforehand: finding the bucket of a number is a look
//! into a table, and whatever rounding costs (calendars, time zones) is paid once for each bucket. Where all are equally long, nothing is
//! laid out: a bucket is found by dividing.

use std::ops::Range;

/// More buckets than this are not laid out.
const EDGES_MAX: usize = 16_384;
/// Cells of the table for each bucket.
const CELLS_PER_EDGE: u64 = 4;

/// More of them are not counted by their places where they are equally long.
const EVEN_EDGES_MAX: i64 = 65_536;
/// Numbers from here on are not all floating-point numbers.
const EXACT: i64 = 1 << 52;

pub(crate) enum Edges {
    Table(Table),
    Even(Even),
}

/// Buckets that are equally long: the keys are the numbers that they begin with.
pub(crate) struct Even {
    /// The numbers of the segment, from and to.
    first: i64,
    last: i64,
    /// The key of the first bucket.
    key: i64,
    length: i64,
    /// One by the length, nearly.
    inverse: f64,
    len: usize,
}

pub(crate) struct Table {
    /// The first number of each bucket within the segment, ascending.
    starts: Vec<i64>,
    last: i64,
    keys: Vec<f64>,
    /// The bucket in which each stretch of `1 << shift` numbers from the first on begins.
    cells: Vec<u32>,
    shift: u32,
    /// No stretch touches more than two buckets.
    fine: bool,
}

impl Even {
    fn start(&self, edge: usize) -> i64 {
        self.key + edge as i64 * self.length
    }

    #[inline]
    fn find(&self, number: i64) -> Option<usize> {
        if number < self.first || number > self.last {
            return None;
        }
        // Both are exact as floating-point numbers, so that the quotient is wrong by one at most.
        let edge = ((number - self.key) as f64 * self.inverse) as usize;
        let start = self.start(edge);
        Some(if number < start {
            edge - 1
        } else if number - start >= self.length {
            edge + 1
        } else {
            edge
        })
    }

    /// Appends the bucket of each number, without a branch for any. False if one lies outside: what was appended then says nothing.
    fn find_all(&self, numbers: &[i64], out: &mut Vec<u32>) -> bool {
        let mut outside = false;
        out.extend(numbers.iter().map(|number| {
            outside |= *number < self.first || *number > self.last;
            let edge = (number.wrapping_sub(self.key) as f64 * self.inverse) as i64;
            let within = number.wrapping_sub(self.key.wrapping_add(edge.wrapping_mul(self.length)));
            (edge - i64::from(within < 0) + i64::from(within >= self.length)) as u32
        }));
        !outside
    }
}

impl Table {
    fn find(&self, number: i64) -> Option<usize> {
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

    /// Like [`Even::find_all`].
    fn find_all(&self, numbers: &[i64], out: &mut Vec<u32>) -> bool {
        let (Some(first), Some(last_cell)) = (self.starts.first(), self.cells.len().checked_sub(1)) else {
            return false;
        };
        let mut outside = false;
        out.extend(numbers.iter().map(|number| {
            outside |= number < first || *number > self.last;
            let cell = (number.wrapping_sub(*first) as u64 >> self.shift) as usize;
            let edge = self.cells[cell.min(last_cell)];
            // Without a next bucket, that of the last one stands in, which begins no later than what lies in it.
            let next = self.starts[(edge as usize + 1).min(self.starts.len() - 1)];
            edge + u32::from(next <= *number && (edge as usize + 1) < self.starts.len())
        }));
        !outside
    }
}

impl Edges {
    /// The buckets of the numbers `from..=to`, all of one length, the first of which has `key` and holds `from`. None if they are too
    /// many, or too far from zero.
    pub(crate) fn even(from: i64, to: i64, key: i64, length: i64) -> Option<Self> {
        if from > to || key > from || [key, to].iter().any(|number| number.unsigned_abs() > EXACT as u64 / 2) {
            return None;
        }
        let buckets = (to - key) / length + 1;
        (buckets <= EVEN_EDGES_MAX).then(|| {
            let inverse = 1.0 / length as f64;
            Self::Even(Even { first: from, last: to, key, length, inverse, len: buckets as usize })
        })
    }

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
        let mut edges = Table { starts, last: to, keys, cells: vec![], shift, fine: true };
        if from <= to {
            let mut bucket = 0;
            for cell in 0..=span >> shift {
                let first = from.wrapping_add((cell << shift) as i64);
                let before = bucket;
                while edges.starts.get(bucket + 1).is_some_and(|start| *start <= first) {
                    bucket += 1;
                }
                // The stretch before may have ended just where this one begins.
                edges.fine &= bucket <= before + 1;
                edges.cells.push(bucket as u32);
            }
            edges.fine &= bucket + 2 >= edges.starts.len();
        }
        Some(Self::Table(edges))
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Table(table) => table.keys.len(),
            Self::Even(even) => even.len,
        }
    }

    pub(crate) fn key(&self, edge: usize) -> f64 {
        match self {
            Self::Table(table) => table.keys[edge],
            Self::Even(even) => even.start(edge) as f64,
        }
    }

    /// First and last number of a bucket.
    pub(crate) fn bounds(&self, edge: usize) -> (i64, i64) {
        match self {
            Self::Table(Table { starts, last, .. }) => {
                (starts[edge], starts.get(edge + 1).map_or(*last, |next| next - 1))
            }
            Self::Even(even) => {
                let start = even.start(edge);
                (start.max(even.first), (start + even.length - 1).min(even.last))
            }
        }
    }

    /// The bucket of a number; none if it lies outside.
    #[inline]
    pub(crate) fn find(&self, number: i64) -> Option<usize> {
        match self {
            Self::Table(table) => table.find(number),
            Self::Even(even) => even.find(number),
        }
    }

    /// Appends the bucket of each number. False if that cannot be done for all of them at once: then each has to be found by itself.
    pub(crate) fn find_all(&self, numbers: &[i64], out: &mut Vec<u32>) -> bool {
        match self {
            Self::Table(table) => table.fine && table.find_all(numbers, out),
            Self::Even(even) => even.find_all(numbers, out),
        }
    }

    /// The buckets that some of the numbers `lo..=hi` may fall into.
    pub(crate) fn between(&self, lo: i64, hi: i64) -> Range<usize> {
        let (first, last) = match self {
            Self::Table(Table { starts, last, .. }) => (starts.first().copied().unwrap_or(i64::MAX), *last),
            Self::Even(even) => (even.first, even.last),
        };
        match (self.find(lo.max(first)), self.find(hi.min(last))) {
            (Some(first), Some(last)) if first <= last => first..last + 1,
            _ => 0..0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What finds many at once finds what looking for each does.
    fn check_together(edges: &Edges, numbers: &[i64]) {
        let one_by_one: Option<Vec<u32>> = numbers.iter().map(|n| edges.find(*n).map(|edge| edge as u32)).collect();
        let mut together = vec![];
        if edges.find_all(numbers, &mut together) {
            assert_eq!(Some(together), one_by_one, "{numbers:?}");
        } else if let Edges::Even(_) = edges {
            assert_eq!(one_by_one, None, "{numbers:?}");
        }
    }

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
                check_together(&edges, &[from, number, to]);
            }
        }
        assert!(Edges::new(0, 1 << 40, |n| n as f64, |n, _| Some(n + 1)).is_none());
    }

    #[test]
    fn even_buckets_are_those_that_would_be_laid_out() {
        for (from, to, length) in
            [(0, 999, 7), (-500, 20, 100), (5, 5, 3), (-7, -1, 1), (893_980_800_123, 893_999_999_999, 60_000)]
        {
            let key = |number: i64| number.div_euclid(length) * length;
            let even = Edges::even(from, to, key(from), length).unwrap();
            let table = Edges::new(from, to, |n| key(n) as f64, |n, _| Some(key(n) + length)).unwrap();
            assert_eq!(even.len(), table.len());
            for edge in 0..even.len() {
                assert_eq!((even.key(edge), even.bounds(edge)), (table.key(edge), table.bounds(edge)));
                let (lo, hi) = even.bounds(edge);
                for number in [lo - 1, lo, lo + 1, hi - 1, hi, hi + 1] {
                    assert_eq!(even.find(number), table.find(number), "{number} of {from}..={to}");
                    check_together(&even, &[from, number, to]);
                    check_together(&table, &[from, number, to]);
                }
                assert_eq!(even.between(lo, hi), edge..edge + 1);
                assert_eq!(table.between(i64::MIN, hi), 0..edge + 1);
            }
            assert_eq!(even.between(to + 1, i64::MAX), 0..0);
            assert_eq!(even.between(i64::MIN, i64::MAX), 0..even.len());
        }
        assert!(Edges::even(5, 3, 0, 7).is_none());
        assert!(Edges::even(0, i64::MAX, 0, i64::MAX / 2).is_none());
        assert!(Edges::even(0, 1 << 40, 0, 1).is_none());
    }
}
