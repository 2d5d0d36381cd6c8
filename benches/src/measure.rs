//! Thread CPU time, which other work on the machine disturbs least.

use rustix::time::{ClockId, clock_gettime};

/// A measurement takes at least this long, so that the clock's own cost does not show.
const NS_MIN: f64 = 40_000.0;

fn now_ns() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// Microseconds of CPU of each of the functions: the median of `rounds` measurements, taken in turns. Without rounds nothing runs.
pub fn interleaved<const N: usize>(rounds: usize, mut runs: [&mut dyn FnMut(); N]) -> [f64; N] {
    if rounds == 0 {
        return [f64::NAN; N];
    }
    let repeats: Vec<usize> = (runs.iter_mut())
        .map(|run| {
            let start = now_ns();
            run();
            run();
            let each = (now_ns() - start) / 2.0;
            ((NS_MIN / each.max(1.0)) as usize).clamp(1, 10_000)
        })
        .collect();
    let mut times: [Vec<f64>; N] = std::array::from_fn(|_| Vec::with_capacity(rounds));
    for _ in 0..rounds {
        for ((run, repeats), times) in runs.iter_mut().zip(&repeats).zip(&mut times) {
            let start = now_ns();
            (0..*repeats).for_each(|_| run());
            times.push((now_ns() - start) / *repeats as f64 / 1e3);
        }
    }
    times.map(median)
}

pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len().is_multiple_of(2) { (values[middle - 1] + values[middle]) / 2.0 } else { values[middle] }
}
