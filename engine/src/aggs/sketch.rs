//! Counting distinct values in bounded memory, as HyperLogLog++ does: hashes cut to 25 bits are kept in a set, whose size
//! says how many values fell on one another; a set that grows too large becomes the registers of a HyperLogLog.

use super::hyperloglog::{PRECISION_MAX, PRECISION_MIN, add, by_empty, estimate};
use crate::murmur3;
use ahash::AHashSet;

/// How many bits of a hash tell values apart as long as they are kept in a set.
const SET_BITS: u32 = 25;

#[derive(Debug, Clone)]
pub struct Sketch {
    precision: u32,
    state: State,
}

#[derive(Debug, Clone)]
enum State {
    /// See [`encoded`].
    Set(AHashSet<u32>),
    /// 2 to the power of the precision.
    Registers(Vec<u8>),
}

impl Sketch {
    /// About how much memory it takes.
    pub(crate) fn memory_bytes(&self) -> usize {
        match &self.state {
            State::Set(seen) => seen.capacity() * 5,
            State::Registers(registers) => registers.capacity(),
        }
    }

    /// Counts up to `threshold` are nearly exact.
    pub(crate) fn new(threshold: usize) -> Self {
        Self { precision: precision_of(threshold), state: State::Set(AHashSet::new()) }
    }

    /// `count` different values are about to be added: many are not kept one by one first.
    pub(crate) fn expect(&mut self, count: usize) {
        let most = set_max(self.precision);
        match &mut self.state {
            // Some of them may look alike, so that a few more than can be kept might still be.
            State::Set(_) if count > 2 * most => self.degrade(),
            State::Set(seen) => seen.reserve(count.min(most + 1)),
            State::Registers(_) => {}
        }
    }

    /// Adds a value by its hash, which must be well mixed in all 64 bits.
    #[inline]
    pub(crate) fn add(&mut self, hash: u64) {
        match &mut self.state {
            State::Set(_) => self.add_encoded(encoded(hash, self.precision)),
            State::Registers(registers) => add(registers, self.precision, hash),
        }
    }

    fn add_encoded(&mut self, code: u32) {
        match &mut self.state {
            State::Set(seen) => {
                if seen.insert(code) && seen.len() > set_max(self.precision) {
                    self.degrade();
                }
            }
            State::Registers(registers) => add(registers, self.precision, decoded(code)),
        }
    }

    /// Adds all that `other` has seen. Sketches of one aggregation have the same precision.
    pub(crate) fn merge(&mut self, other: &Sketch) {
        debug_assert_eq!(self.precision, other.precision);
        match &other.state {
            State::Set(seen) => seen.iter().for_each(|code| self.add_encoded(*code)),
            State::Registers(theirs) => {
                self.degrade();
                let State::Registers(mine) = &mut self.state else { return };
                for (slot, value) in mine.iter_mut().zip(theirs) {
                    *slot = (*slot).max(*value);
                }
            }
        }
    }

    pub(crate) fn estimate(&self) -> u64 {
        match &self.state {
            State::Set(seen) => {
                let m = f64::from(1 << SET_BITS);
                by_empty(m, m - seen.len() as f64)
            }
            State::Registers(registers) => estimate(registers, self.precision),
        }
    }

    /// From the set to registers.
    fn degrade(&mut self) {
        let State::Set(seen) = &self.state else { return };
        let mut registers = vec![0; 1 << self.precision];
        seen.iter().for_each(|code| add(&mut registers, self.precision, decoded(*code)));
        self.state = State::Registers(registers);
    }
}

/// As the reference: the bits of the number of bytes that a table of 4 bytes a value takes for the threshold, at load 3/4.
fn precision_of(threshold: usize) -> u32 {
    let slots = f64::from(threshold as f32 / 0.75).ceil() as u64;
    (u64::BITS - (slots * 4).leading_zeros()).clamp(PRECISION_MIN, PRECISION_MAX)
}

/// The largest set that takes no more memory than the registers would, at load 3/4.
fn set_max(precision: u32) -> usize {
    (1 << precision) / 16 * 3
}

/// The first bits of a hash, and, where the run of zeros behind the index goes beyond them, how far: a register can still be told from it.
/// The last bit says whether it does.
#[inline]
fn encoded(hash: u64, precision: u32) -> u32 {
    let head = (hash >> (64 - SET_BITS)) as u32;
    if head & ((1 << (SET_BITS - precision)) - 1) != 0 {
        return head << 1;
    }
    let run = 1 + (hash << SET_BITS).leading_zeros().min(64 - SET_BITS);
    head << 7 | run << 1 | 1
}

/// A hash that fills the register which the encoded one would.
fn decoded(code: u32) -> u64 {
    if code & 1 == 0 {
        return u64::from(code >> 1) << (64 - SET_BITS);
    }
    let (head, run) = (u64::from(code >> 7) << (64 - SET_BITS), code >> 1 & 0x3f);
    head | 1u64 << (64 - SET_BITS) >> run
}

/// A well-mixed hash of a number's bits: the reference's, which is David Stafford's variant 9 of MurmurHash3's finish.
#[inline]
pub(crate) fn hash_number(value: i64) -> u64 {
    let mut x = value as u64;
    x = (x ^ (x >> 32)).wrapping_mul(0x4cd6_944c_5cc2_0b6d);
    x = (x ^ (x >> 29)).wrapping_mul(0xfc12_c5b1_9d32_59e9);
    x ^ (x >> 32)
}

/// A well-mixed hash of bytes: the reference's.
#[inline]
pub(crate) fn hash_bytes(bytes: &[u8]) -> u64 {
    murmur3::hash128(bytes).0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(threshold: usize, numbers: std::ops::Range<i64>) -> Sketch {
        let mut sketch = Sketch::new(threshold);
        numbers.for_each(|number| sketch.add(hash_number(number)));
        sketch
    }

    #[test]
    fn exact_below_the_threshold_and_close_above() {
        for n in [0i64, 1, 100, 3000, 20_000, 1_000_000] {
            let estimate = counted(3000, 0..n).estimate();
            if n <= 3000 {
                assert_eq!(estimate, n as u64);
            } else {
                assert!((estimate as f64 / n as f64 - 1.0).abs() < 0.03, "{n}: {estimate}");
            }
        }
    }

    #[test]
    fn merging_is_counting_the_union() {
        for (a, b) in [(0..50, 25..60), (0..5000, 4000..4050), (0..50, 40..5000), (0..5000, 2500..10_000)] {
            let whole = counted(100, a.start.min(b.start)..a.end.max(b.end)).estimate();
            let mut merged = counted(100, a);
            merged.merge(&counted(100, b));
            assert_eq!(merged.estimate(), whole);
        }
    }

    /// The slow twin: no set at first.
    #[test]
    fn sets_become_the_registers_that_their_values_would_have_filled() {
        for precision in PRECISION_MIN..=PRECISION_MAX {
            let hashes = (0..20_000).map(|number| match number {
                // Long runs of zeros are rare; these have them.
                0..1000 => hash_number(number) & !(u64::MAX >> 4 >> (number % 60)),
                _ => hash_number(number),
            });
            let (mut direct, mut by_code) = (vec![0; 1 << precision], vec![0; 1 << precision]);
            for hash in hashes {
                add(&mut direct, precision, hash);
                add(&mut by_code, precision, decoded(encoded(hash, precision)));
            }
            assert!(direct == by_code, "{precision}");
        }
    }

    #[test]
    fn precisions_follow_the_threshold() {
        let found = [0, 1, 3, 100, 3000, 3072, 40_000].map(precision_of);
        assert_eq!(found, [4, 4, 5, 10, 14, 15, 18]);
    }

    /// Whole numbers, words and halves of numbers, at four thresholds.
    #[test]
    fn estimates_as_the_reference() {
        let hashes: [fn(i64) -> u64; 3] = [
            hash_number,
            |number| hash_bytes(format!("v{number}").as_bytes()),
            |number| hash_number((number as f64 / 2.0).to_bits() as i64),
        ];
        let expected = [
            (1_000, [[1_102, 1_025, 1_000, 1_000], [984, 1_039, 1_000, 1_000], [869, 991, 1_000, 1_000]]),
            (4_000, [[4_880, 4_082, 3_987, 4_000], [5_120, 4_108, 4_033, 3_999], [3_964, 4_085, 3_977, 4_000]]),
            (
                12_000,
                [[11_779, 11_826, 12_131, 12_001], [13_655, 11_757, 12_175, 12_000], [11_973, 11_890, 12_168, 11_997]],
            ),
            (
                20_000,
                [[17_713, 19_969, 19_798, 19_999], [24_377, 20_243, 19_858, 19_998], [18_624, 20_304, 19_793, 19_993]],
            ),
        ];
        for (count, expected) in expected {
            let found = hashes.map(|hash| {
                [10, 100, 3_000, 40_000].map(|threshold| {
                    let mut sketch = Sketch::new(threshold);
                    (0..count).for_each(|number| sketch.add(hash(number)));
                    sketch.estimate()
                })
            });
            assert_eq!(found, expected, "{count}");
        }
    }
}
