//! How many distinct values the registers of a HyperLogLog have seen: Flajolet et al. (2007), corrected as Heule, Nunkesser and Hall
//! have it ("HyperLogLog in Practice", 2013). The reference estimates so, and the same values must give the same number.

use std::sync::LazyLock;

/// Smallest and largest number of index bits (16 and 262,144 registers of a byte).
pub(super) const PRECISION_MIN: u32 = 4;
pub(super) const PRECISION_MAX: u32 = 18;

/// Up to how many values the number of empty registers says more than what is in the others, by precision.
const EMPTY_COUNT_MAX: [u64; (PRECISION_MAX - PRECISION_MIN + 1) as usize] =
    [10, 20, 40, 80, 220, 400, 900, 1_800, 3_100, 6_500, 11_500, 20_000, 50_000, 120_000, 350_000];

/// Samples that a correction is taken from.
const NEIGHBOURS: usize = 6;

/// A plain estimate, and how much it was too large on average.
struct Sample {
    raw: f64,
    bias: f64,
}

/// By precision; ascending by estimate, nearly.
static SAMPLES: LazyLock<Vec<Vec<Sample>>> = LazyLock::new(|| {
    let lines = include_str!("hyperloglog.txt").lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split(' ').map(sample).collect()).collect()
});

fn sample(pair: &str) -> Sample {
    let (count, raw) = pair.split_once(':').expect("the table is part of the program, and a test reads it");
    let number = |text: &str| text.parse::<f64>().expect("the same");
    Sample { raw: number(raw), bias: number(raw) - number(count) }
}

/// Enters a value by its hash, which must be well mixed in all 64 bits.
#[inline]
pub(super) fn add(registers: &mut [u8], precision: u32, hash: u64) {
    let index = (hash >> (64 - precision)) as usize;
    // The sentinel bit bounds the run of zeros by 64 - precision.
    let run = ((hash << precision) | (1 << (precision - 1))).leading_zeros() as u8 + 1;
    registers[index] = registers[index].max(run);
}

pub(super) fn estimate(registers: &[u8], precision: u32) -> u64 {
    let mut histogram = [0u32; 256];
    registers.iter().for_each(|run| histogram[usize::from(*run)] += 1);
    let inverse: f64 = histogram.iter().enumerate().map(|(run, count)| f64::from(*count) / 2f64.powi(run as i32)).sum();
    let m = registers.len() as f64;
    let alpha = match precision {
        4 => 0.673,
        5 => 0.697,
        _ => 0.7213 / (1.0 + 1.079 / m),
    };
    let raw = alpha * m * m / inverse;
    let corrected = if raw <= 5.0 * m { raw - bias(raw, precision) } else { raw };
    let by_empty = match histogram[0] {
        0 => None,
        empty => Some(by_empty(m, f64::from(empty))),
    };
    let corrected = corrected.round() as u64;
    by_empty.filter(|count| *count <= EMPTY_COUNT_MAX[(precision - PRECISION_MIN) as usize]).unwrap_or(corrected)
}

/// How many values leave so many of `m` places empty.
pub(super) fn by_empty(m: f64, empty: f64) -> u64 {
    (m * (m / empty).ln()).round() as u64
}

/// The mean of the nearest samples' biases, each by how near it lies.
fn bias(raw: f64, precision: u32) -> f64 {
    let samples = &SAMPLES[(precision - PRECISION_MIN) as usize];
    let mut first = samples.len() - NEIGHBOURS;
    let mut weights = [0.0; NEIGHBOURS];
    for (i, sample) in samples.iter().enumerate() {
        let weight = 1.0 / (sample.raw - raw).abs();
        if weight.is_infinite() {
            return sample.bias;
        }
        if weights[i % NEIGHBOURS] >= weight {
            first = i - NEIGHBOURS;
            break;
        }
        weights[i % NEIGHBOURS] = weight;
    }
    // The weights stand in a ring that may begin anywhere. The reference goes through it from its first place on all the same, so that weights
    // and biases are not those of the same samples; what it answers depends on that.
    let pairs = weights.iter().zip(&samples[first..]);
    pairs.map(|(weight, sample)| weight * sample.bias).sum::<f64>() / weights.iter().sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_complete() {
        assert_eq!(SAMPLES.len(), EMPTY_COUNT_MAX.len());
        for (samples, precision) in SAMPLES.iter().zip(PRECISION_MIN..) {
            let (first, last) = (&samples[0], &samples[samples.len() - 1]);
            assert_eq!(first.raw - first.bias, 1.0);
            assert!(samples.len() >= 79 && last.raw < 5.0 * f64::from(1u32 << precision));
        }
        assert_eq!((SAMPLES[0][1].raw, SAMPLES[10].len()), (11.717, 201));
    }

    #[test]
    fn corrections_lie_between_their_neighbours() {
        for (samples, precision) in SAMPLES.iter().zip(PRECISION_MIN..) {
            let (low, high) = (&samples[40], &samples[41]);
            let found = bias(f64::midpoint(low.raw, high.raw), precision);
            let near: Vec<f64> = samples[36..46].iter().map(|sample| sample.bias).collect();
            let (least, most) = near.iter().fold((f64::MAX, f64::MIN), |(l, m), bias| (l.min(*bias), m.max(*bias)));
            assert!((least..=most).contains(&found), "{precision}: {found} not in {least}..{most}");
            assert_eq!(bias(low.raw, precision), low.bias);
        }
    }
}
