//! A high dynamic range histogram of doubles (Gil Tene's HdrHistogram): counts by values that keep a number of significant
//! decimal digits.
//!
//! Each power of two is cut into equal steps, so many that the digits are kept. A value stands for its step and is answered as
//! the highest number that the reference's histogram cannot tell from it, which depends on the smallest value recorded.

use crate::error::{Error, ErrorKind, Result};
use std::collections::BTreeMap;

pub(crate) const DIGITS_MAX: i64 = 5;

#[derive(Debug, Clone)]
pub(crate) struct Hdr {
    /// Steps of a power of two.
    steps: f64,
    /// Counts by the bits of the lowest number of a step: for numbers of zero and above their order is the numbers' order.
    counts: BTreeMap<u64, u64>,
    total: u64,
}

impl Hdr {
    /// About how much memory it takes beside its own size.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.counts.len() * 24
    }

    pub(crate) fn new(digits: u32) -> Self {
        let steps = (2 * 10u64.pow(digits)).next_power_of_two() / 2;
        Self { steps: steps as f64, counts: BTreeMap::new(), total: 0 }
    }

    pub(crate) fn add(&mut self, value: f64) -> Result<()> {
        if value < 0.0 {
            return Err(self.out_of_bounds(value));
        }
        *self.counts.entry(self.lowest(value).to_bits()).or_default() += 1;
        self.total += 1;
        Ok(())
    }

    pub(crate) fn merge(&mut self, other: &Hdr) {
        for (bits, count) in &other.counts {
            *self.counts.entry(*bits).or_default() += count;
        }
        self.total += other.total;
    }

    #[cold]
    fn out_of_bounds(&self, value: f64) -> Error {
        let low = self.low();
        let high = self.counts.last_key_value().map_or(low, |(bits, _)| power_below(f64::from_bits(*bits)) * 2.0);
        Error::new(
            ErrorKind::ArrayIndexOutOfBounds,
            format!(
                "The value {value:?} is out of bounds for histogram, current covered range [{low:?}, {:?}) cannot be extended any further.\nCaused by: java.lang.ArrayIndexOutOfBoundsException: Negative values cannot be recorded",
                high.max(low * 8.0)
            ),
        )
    }

    fn step_at(&self, value: f64) -> f64 {
        power_below(value) / self.steps
    }

    /// The lowest number of the step that `value` falls in.
    fn lowest(&self, value: f64) -> f64 {
        if value == 0.0 {
            return 0.0;
        }
        let step = self.step_at(value);
        (value / step).floor() * step
    }

    /// Where the range of the smallest value that is not zero begins.
    fn low(&self) -> f64 {
        let smallest = self.counts.keys().map(|bits| f64::from_bits(*bits)).find(|v| *v > 0.0);
        smallest.map_or(1.0, power_below)
    }

    /// The value at or below which `percentile` percent of all lie.
    pub(crate) fn percentile(&self, percentile: f64) -> f64 {
        if self.total == 0 {
            return f64::NAN;
        }
        // A hair less than asked for, so that a rounding upwards does not reach for one value more.
        let asked = percentile.next_down().clamp(0.0, 100.0);
        let wanted = ((asked * self.total as f64 / 100.0).ceil() as u64).max(1);
        let mut so_far = 0;
        for (bits, count) in &self.counts {
            so_far += count;
            if so_far >= wanted {
                let value = f64::from_bits(*bits);
                if percentile == 0.0 || value == 0.0 {
                    return value;
                }
                return value + self.step_at(value) - self.low() / self.steps;
            }
        }
        f64::NAN
    }

    /// What percentage of all lies at or below `value`.
    pub(crate) fn rank(&self, value: f64) -> f64 {
        if self.total == 0 {
            return f64::NAN;
        }
        if value < 0.0 {
            return 0.0;
        }
        let below: u64 = self.counts.range(..=self.lowest(value).to_bits()).map(|(_, count)| count).sum();
        100.0 * below as f64 / self.total as f64
    }
}

/// The power of two at or below a number above zero.
fn power_below(value: f64) -> f64 {
    let exponent = value.to_bits() & 0x7ff0_0000_0000_0000;
    f64::from_bits(exponent.max(0x0010_0000_0000_0000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_the_reference_s() {
        let mut hdr = Hdr::new(3);
        [5.0, 17.0, 3.0, 4.0, 40.0].iter().for_each(|v| hdr.add(*v).unwrap());
        let shown: Vec<f64> = [1.0, 25.0, 50.0, 75.0, 99.0].iter().map(|p| hdr.percentile(*p)).collect();
        assert_eq!(shown, [3.0, 4.001953125, 5.001953125, 17.013671875, 40.029296875]);
        assert_eq!([hdr.rank(4.0), hdr.rank(17.5), hdr.rank(-1.0), hdr.rank(1e9)], [40.0, 80.0, 0.0, 100.0]);
        let refusal = hdr.add(-7.25).unwrap_err();
        assert!(refusal.reason().starts_with("The value -7.25 is out of bounds for histogram"));
        assert!(Hdr::new(0).percentile(50.0).is_nan());
    }
}
