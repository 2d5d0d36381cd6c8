//! Counting distinct values in bounded memory: a set of hashes that turns into a HyperLogLog when it grows.
//!
//! The registers are those of Flajolet et al., "HyperLogLog: the analysis of a near-optimal cardinality estimation
//! algorithm" (2007); the estimator is Ertl's, "New cardinality estimation algorithms for HyperLogLog sketches" (2017,
//! arXiv 1702.01284), which needs no tables and no switch between ranges.

use ahash::AHashSet;

/// Smallest and largest number of index bits (16 and 262,144 registers of a byte), as the reference's.
const PRECISION_MIN: u32 = 4;
const PRECISION_MAX: u32 = 18;

#[derive(Debug, Clone)]
pub struct Sketch {
    threshold: usize,
    state: State,
}

#[derive(Debug, Clone)]
enum State {
    Exact(AHashSet<u64>),
    Registers { precision: u32, registers: Vec<u8> },
}

impl Sketch {
    /// About how much memory it takes.
    pub(crate) fn memory_bytes(&self) -> usize {
        match &self.state {
            State::Exact(seen) => seen.capacity() * 9,
            State::Registers { registers, .. } => registers.capacity(),
        }
    }

    /// Counts up to `threshold` are exact (but for collisions of 64-bit hashes).
    pub(crate) fn new(threshold: usize) -> Self {
        Self { threshold, state: State::Exact(AHashSet::new()) }
    }

    /// `count` different values are about to be added: more than the threshold are not kept one by one first.
    pub(crate) fn expect(&mut self, count: usize) {
        match &mut self.state {
            State::Exact(_) if count > self.threshold => self.degrade(),
            State::Exact(hashes) => hashes.reserve(count),
            State::Registers { .. } => {}
        }
    }

    /// Adds a value by its hash, which must be well mixed in all 64 bits.
    #[inline]
    pub(crate) fn add(&mut self, hash: u64) {
        match &mut self.state {
            State::Exact(hashes) => {
                hashes.insert(hash);
                if hashes.len() > self.threshold {
                    self.degrade();
                }
            }
            State::Registers { precision, registers } => add_register(registers, *precision, hash),
        }
    }

    /// Adds all that `other` has seen. The coarser of two precisions wins.
    pub(crate) fn merge(&mut self, other: &Sketch) {
        match &other.state {
            State::Exact(hashes) => hashes.iter().for_each(|h| self.add(*h)),
            State::Registers { precision, registers } => {
                if matches!(self.state, State::Exact(_)) {
                    let mine = std::mem::replace(self, other.clone());
                    return self.merge(&mine);
                }
                let State::Registers { precision: mine, registers: slots } = &mut self.state else { unreachable!() };
                // Sketches of one aggregation share its threshold, hence the precision.
                debug_assert_eq!(mine, precision);
                for (slot, value) in slots.iter_mut().zip(registers) {
                    *slot = (*slot).max(*value);
                }
            }
        }
    }

    pub(crate) fn estimate(&self) -> u64 {
        match &self.state {
            State::Exact(hashes) => hashes.len() as u64,
            State::Registers { precision, registers } => ertl(registers, *precision).round() as u64,
        }
    }

    fn degrade(&mut self) {
        let precision = precision_of(self.threshold);
        let mut registers = vec![0; 1 << precision];
        if let State::Exact(hashes) = &self.state {
            hashes.iter().for_each(|h| add_register(&mut registers, precision, *h));
        }
        self.state = State::Registers { precision, registers };
    }
}

/// As the reference: the least precision whose registers weigh no less than the threshold's hashes of 4 bytes at load 3/4.
fn precision_of(threshold: usize) -> u32 {
    let slots = (threshold as f64 / 0.75).ceil().max(1.0) as usize;
    (slots * 4).next_power_of_two().ilog2().clamp(PRECISION_MIN, PRECISION_MAX)
}

#[inline]
fn add_register(registers: &mut [u8], precision: u32, hash: u64) {
    let index = (hash >> (64 - precision)) as usize;
    // The sentinel bit bounds the run of zeros by 64 - precision.
    let rank = ((hash << precision) | (1 << (precision - 1))).leading_zeros() as u8 + 1;
    registers[index] = registers[index].max(rank);
}

fn ertl(registers: &[u8], precision: u32) -> f64 {
    let q = 64 - precision as usize;
    let m = registers.len() as f64;
    let mut histogram = vec![0u32; q + 2];
    for &register in registers {
        histogram[usize::from(register)] += 1;
    }
    let mut z = m * tau(1.0 - f64::from(histogram[q + 1]) / m);
    for k in (1..=q).rev() {
        z = 0.5 * (z + f64::from(histogram[k]));
    }
    z += m * sigma(f64::from(histogram[0]) / m);
    m * m / (2.0 * std::f64::consts::LN_2 * z)
}

fn sigma(mut x: f64) -> f64 {
    if x >= 1.0 {
        return f64::INFINITY;
    }
    let (mut y, mut z) = (1.0, x);
    loop {
        x *= x;
        let previous = z;
        z += x * y;
        y += y;
        if z == previous {
            return z;
        }
    }
}

fn tau(mut x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return 0.0;
    }
    let (mut y, mut z) = (1.0, 1.0 - x);
    loop {
        x = x.sqrt();
        let previous = z;
        y *= 0.5;
        z -= (1.0 - x).powi(2) * y;
        if z == previous {
            return z / 3.0;
        }
    }
}

/// A well-mixed hash of a number (the finaliser of SplitMix64).
#[inline]
pub(crate) fn hash_number(value: i64) -> u64 {
    let mut x = (value as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A well-mixed hash of bytes, the same on every core and in every run.
#[inline]
pub(crate) fn hash_bytes(bytes: &[u8]) -> u64 {
    use std::hash::{BuildHasher, Hasher};
    static STATE: ahash::RandomState = ahash::RandomState::with_seeds(1, 2, 3, 4);
    let mut hasher = STATE.build_hasher();
    hasher.write(bytes);
    hash_number(hasher.finish() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_below_the_threshold_and_close_above() {
        for n in [0u64, 1, 100, 3000, 20_000, 1_000_000] {
            let mut sketch = Sketch::new(3000);
            (0..n).for_each(|i| sketch.add(hash_number(i as i64)));
            let estimate = sketch.estimate();
            if n <= 3000 {
                assert_eq!(estimate, n);
            } else {
                assert!((estimate as f64 / n as f64 - 1.0).abs() < 0.03, "{n}: {estimate}");
            }
        }
    }

    #[test]
    fn merging_is_counting_the_union() {
        let sketch = |range: std::ops::Range<i64>| {
            let mut s = Sketch::new(100);
            range.for_each(|i| s.add(hash_number(i)));
            s
        };
        for (a, b) in [(0..50, 25..60), (0..5000, 4000..4050), (0..50, 40..5000), (0..5000, 2500..10_000)] {
            let whole = sketch(a.start.min(b.start)..a.end.max(b.end)).estimate();
            let mut merged = sketch(a);
            merged.merge(&sketch(b));
            assert_eq!(merged.estimate(), whole);
        }
    }
}
