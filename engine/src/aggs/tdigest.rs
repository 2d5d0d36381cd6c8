//! The t-digest (Dunning and Ertl, "Computing Extremely Accurate Quantiles Using t-Digests", 2019) in its merging form, with
//! the scale function k2: centroids near the ends of the distribution hold few values, those in the middle many.
//!
//! The reference answers percentiles from such a digest, so sizes, limits and the order of merging are those of its library
//! (t-digest 3.3), and so is when it compresses: the same values in the same order give the same answer.

use super::stats::extremes;

/// Least compression that makes sense.
const COMPRESSION_MIN: f64 = 10.0;

#[derive(Debug, Clone)]
pub(crate) struct TDigest {
    /// As asked for; and the finer one that is kept until the digest is read by another.
    public_compression: f64,
    compression: f64,
    /// Most values (and centroids) before they are merged.
    buffer_len: usize,
    centroids: Vec<Centroid>,
    buffer: Vec<Centroid>,
    total: f64,
    merges: u64,
    min: f64,
    max: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Centroid {
    pub(crate) mean: f64,
    pub(crate) weight: f64,
}

impl TDigest {
    /// How much memory it takes beside its own size.
    pub(crate) fn memory_bytes(&self) -> usize {
        (self.centroids.capacity() + self.buffer.capacity()) * size_of::<Centroid>()
    }

    pub(crate) fn new(compression: f64) -> Self {
        let compression = compression.max(COMPRESSION_MIN);
        let fudge = if compression < 30.0 { 30.0 } else { 10.0 };
        let mut size = (2.0 * compression + fudge) as usize;
        let mut buffer_len = 5 * size;
        let scale = (buffer_len / size - 1).max(1) as f64;
        let inner = scale.sqrt() * compression;
        if (size as f64) < inner + fudge {
            size = (inner + fudge).ceil() as usize;
        }
        buffer_len = buffer_len.max(2 * size);
        Self {
            public_compression: compression,
            compression: inner,
            buffer_len,
            centroids: vec![],
            buffer: vec![],
            total: 0.0,
            merges: 0,
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
        }
    }

    /// Adds a value (not NaN) so many times.
    pub(crate) fn add(&mut self, value: f64, weight: f64) {
        if self.buffer.len() + self.centroids.len() + 1 >= self.buffer_len {
            self.merge_buffer();
        }
        self.buffer.push(Centroid { mean: value, weight });
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    /// Adds each of these values (none NaN) once, as adding them in turn would.
    pub(crate) fn add_singles(&mut self, values: &[f64]) {
        let (min, max) = extremes(values);
        (self.min, self.max) = (self.min.min(min), self.max.max(max));
        let mut rest = values;
        while !rest.is_empty() {
            if self.buffer.len() + self.centroids.len() + 1 >= self.buffer_len {
                self.merge_buffer();
            }
            let room = self.buffer_len.saturating_sub(self.buffer.len() + self.centroids.len() + 1).max(1);
            let now;
            (now, rest) = rest.split_at(room.min(rest.len()));
            self.buffer.extend(now.iter().map(|mean| Centroid { mean: *mean, weight: 1.0 }));
        }
    }

    /// Adds all that another digest holds, centroid by centroid.
    pub(crate) fn add_all(&mut self, mut other: TDigest) {
        for centroid in other.centroids() {
            self.add(centroid.mean, centroid.weight);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.total == 0.0 && self.buffer.is_empty()
    }

    pub(crate) fn compress(&mut self) {
        if self.is_empty() {
            return;
        }
        let buffer = std::mem::take(&mut self.buffer);
        let backwards = self.merges % 2 == 1;
        self.merge(buffer, backwards, self.public_compression);
        self.merges += 1;
    }

    /// Ascending by mean, after everything was merged.
    pub(crate) fn centroids(&mut self) -> &[Centroid] {
        self.compress();
        &self.centroids
    }

    fn merge_buffer(&mut self) {
        if self.buffer.is_empty() {
            return;
        }
        let buffer = std::mem::take(&mut self.buffer);
        let backwards = self.merges % 2 == 1;
        self.merge(buffer, backwards, self.compression);
        self.merges += 1;
    }

    fn merge(&mut self, mut incoming: Vec<Centroid>, backwards: bool, compression: f64) {
        self.total += incoming.iter().map(|c| c.weight).sum::<f64>();
        sort_centroids(&mut incoming);
        // Equal means keep their order, the new before the old.
        let mut all = joined(&incoming, &self.centroids);
        if backwards {
            all.reverse();
        }
        incoming.clear();
        self.buffer = incoming;
        self.centroids.clear();
        Limits::new(compression, self.total).cluster(&all, &mut self.centroids);
        if backwards {
            self.centroids.reverse();
        }
        if let (Some(first), Some(last)) = (self.centroids.first(), self.centroids.last()) {
            self.min = self.min.min(first.mean);
            self.max = self.max.max(last.mean);
        }
    }

    /// The value below which the part `q` (0 to 1) of all lies; NaN when there is none.
    pub(crate) fn quantile(&mut self, q: f64) -> f64 {
        self.merge_buffer();
        let (c, total) = (&self.centroids, self.total);
        let (Some(first), Some(last)) = (c.first(), c.last()) else { return f64::NAN };
        if c.len() == 1 {
            return first.mean;
        }
        let index = q * total;
        if index < 1.0 {
            return self.min;
        }
        if first.weight > 1.0 && index < first.weight / 2.0 {
            return self.min + (index - 1.0) / (first.weight / 2.0 - 1.0) * (first.mean - self.min);
        }
        if index > total - 1.0 {
            return self.max;
        }
        if last.weight > 1.0 && total - index <= last.weight / 2.0 {
            return self.max - (total - index - 1.0) / (last.weight / 2.0 - 1.0) * (self.max - last.mean);
        }
        let mut so_far = first.weight / 2.0;
        for pair in c.windows(2) {
            let (left, right) = (pair[0], pair[1]);
            let step = (left.weight + right.weight) / 2.0;
            if so_far + step > index {
                // A single value stands for itself, half a unit to each side.
                let (mut left_unit, mut right_unit) = (0.0, 0.0);
                if left.weight == 1.0 {
                    if index - so_far < 0.5 {
                        return left.mean;
                    }
                    left_unit = 0.5;
                }
                if right.weight == 1.0 {
                    if so_far + step - index <= 0.5 {
                        return right.mean;
                    }
                    right_unit = 0.5;
                }
                let z1 = index - so_far - left_unit;
                let z2 = so_far + step - index - right_unit;
                return weighted_average(left.mean, z2, right.mean, z1);
            }
            so_far += step;
        }
        let z1 = index - total - last.weight / 2.0;
        weighted_average(last.mean, z1, self.max, last.weight / 2.0 - z1)
    }

    /// The part (0 to 1) of all that lies below `x`, half of what equals it included; NaN when there is nothing.
    pub(crate) fn cdf(&mut self, x: f64) -> f64 {
        self.merge_buffer();
        let (c, total, min, max) = (&self.centroids, self.total, self.min, self.max);
        let (Some(first), Some(last)) = (c.first(), c.last()) else { return f64::NAN };
        if x < min {
            return 0.0;
        }
        if x > max {
            return 1.0;
        }
        if c.len() == 1 {
            // Within the one centroid there is nothing to interpolate by.
            return 0.5;
        }
        if x < first.mean {
            return match () {
                () if first.mean - min <= 0.0 => 0.0,
                () if x == min => 0.5 / total,
                () => (1.0 + (x - min) / (first.mean - min) * (first.weight / 2.0 - 1.0)) / total,
            };
        }
        if x > last.mean {
            return match () {
                () if max - last.mean <= 0.0 => 1.0,
                () if x == max => 1.0 - 0.5 / total,
                () => 1.0 - (1.0 + (max - x) / (max - last.mean) * (last.weight / 2.0 - 1.0)) / total,
            };
        }
        let mut so_far = 0.0;
        for (i, pair) in c.windows(2).enumerate() {
            let (left, right) = (pair[0], pair[1]);
            if left.mean == x {
                let same: f64 = c[i..].iter().take_while(|c| c.mean == x).map(|c| c.weight).sum();
                return (so_far + same / 2.0) / total;
            }
            if left.mean <= x && x < right.mean {
                return between(left, right, x, so_far) / total;
            }
            so_far += left.weight;
        }
        1.0 - 0.5 / total
    }
}

/// How much a centroid may hold, by the part of all that lies below it.
struct Limits {
    total: f64,
    normalizer: f64,
    /// About what the limits are multiples of, to be without divisions; and how far off that may be at most.
    inverse: f64,
    scale: f64,
    margin: f64,
}

impl Limits {
    fn new(compression: f64, total: f64) -> Self {
        let normalizer = compression / (4.0 * (total / compression).ln() + 24.0);
        let scale = total / normalizer;
        Self { total, normalizer, inverse: 1.0 / total, scale, margin: scale.abs() * 1e-13 }
    }

    /// The limit where so much lies below.
    fn at(&self, below: f64) -> f64 {
        let q = below / self.total;
        self.total * (q * (1.0 - q) / self.normalizer)
    }

    /// Whether a centroid of this weight ends within its limit. Only where that is a near thing it is computed as the reference does.
    #[inline]
    fn ends_within(&self, weight: f64, below: f64) -> bool {
        let end = below + weight;
        let q = end * self.inverse;
        let about = self.scale * (q * (1.0 - q));
        if (weight - about).abs() > self.margin { weight < about } else { weight <= self.at(end) }
    }

    /// Puts neighbours together as long as they fit.
    ///
    /// Where clusters end is told by the weights alone. The means are chains of divisions, each of which waits for the one before,
    /// so those of several clusters are made side by side.
    fn cluster(&self, all: &[Centroid], out: &mut Vec<Centroid>) {
        let clusters = self.clusters(all);
        out.reserve(clusters.len());
        let (groups, rest) = clusters.as_chunks::<SIDE_BY_SIDE>();
        groups.iter().for_each(|group| out.extend(centroids_of(group)));
        out.extend(rest.iter().map(|cluster| grown(cluster[0], &cluster[1..])));
    }

    /// The parts that fit together; none is empty. The first and the last always stay alone: they are the exact ends.
    fn clusters<'a>(&self, all: &'a [Centroid]) -> Vec<&'a [Centroid]> {
        let Some(last) = all.len().checked_sub(1) else { return vec![] };
        let mut clusters = Vec::with_capacity(all.len().min(CLUSTERS_USUAL));
        let (mut start, mut open) = (0, all[0].weight);
        let (mut below, mut limit) = (0.0, self.at(0.0));
        for (i, next) in all.iter().enumerate().skip(1) {
            let weight = open + next.weight;
            if i != 1 && i != last && weight <= limit && self.ends_within(weight, below) {
                open = weight;
            } else {
                below += open;
                limit = self.at(below);
                clusters.push(&all[start..i]);
                (start, open) = (i, next.weight);
            }
        }
        clusters.push(&all[start..]);
        clusters
    }
}

/// Clusters whose means are made side by side: four were as fast, sixteen slower (910 values and 140 centroids 7 to 9 instead of 19 to
/// 20 µs).
const SIDE_BY_SIDE: usize = 8;

/// About as many clusters as the usual compression leaves.
const CLUSTERS_USUAL: usize = 160;

/// The centroids of clusters, none of which is empty.
fn centroids_of(clusters: &[&[Centroid]; SIDE_BY_SIDE]) -> [Centroid; SIDE_BY_SIDE] {
    let shortest = clusters.iter().map(|cluster| cluster.len()).min().unwrap_or(0);
    let begun = clusters.map(|cluster| &cluster[..shortest]);
    let (mut means, mut weights) = (begun.map(|cluster| cluster[0].mean), begun.map(|cluster| cluster[0].weight));
    for k in 1..shortest {
        let next = begun.map(|cluster| cluster[k]);
        for ((mean, weight), next) in means.iter_mut().zip(&mut weights).zip(next) {
            *weight += next.weight;
            *mean += (next.mean - *mean) * next.weight / *weight;
        }
    }
    std::array::from_fn(|i| grown(Centroid { mean: means[i], weight: weights[i] }, &clusters[i][shortest..]))
}

/// A centroid that takes others in, in their order.
fn grown(mut centroid: Centroid, others: &[Centroid]) -> Centroid {
    for next in others {
        centroid.weight += next.weight;
        centroid.mean += (next.mean - centroid.mean) * next.weight / centroid.weight;
    }
    centroid
}

/// A number that compares as the mean does: its bits, the lower ones turned over below zero.
#[inline]
fn key_of(mean: f64) -> i64 {
    turned(mean.to_bits() as i64)
}

#[inline]
fn turned(bits: i64) -> i64 {
    bits ^ ((bits >> 63) as u64 >> 1) as i64
}

/// Sorts by mean, and keeps the order of equal ones where that can make a difference.
fn sort_centroids(centroids: &mut [Centroid]) {
    let one = centroids.first().map_or(0.0, |c| c.weight);
    if centroids.iter().any(|c| c.weight != one) {
        centroids.sort_by(|a, b| a.mean.total_cmp(&b.mean));
        return;
    }
    // Of the same weight, equal ones are alike.
    if let Some(mut wholes) = wholes_of(centroids) {
        sort_wholes(&mut wholes);
        centroids.iter_mut().zip(wholes).for_each(|(centroid, whole)| centroid.mean = f64::from(whole));
        return;
    }
    let mut keys: Vec<i64> = centroids.iter().map(|c| key_of(c.mean)).collect();
    keys.sort_unstable();
    for (centroid, key) in centroids.iter_mut().zip(keys) {
        centroid.mean = f64::from_bits(turned(key) as u64);
    }
}

/// The means, if all of them are whole numbers of 32 bits.
fn wholes_of(centroids: &[Centroid]) -> Option<Vec<u32>> {
    let wholes: Vec<u32> = centroids.iter().map(|c| c.mean as u32).collect();
    let same = centroids.iter().zip(&wholes).all(|(c, whole)| f64::from(*whole).to_bits() == c.mean.to_bits());
    same.then_some(wholes)
}

/// Fewer are sorted by comparing them.
const COUNTING_MIN: usize = 256;

/// Sorts by one byte after the other, the lowest first; bytes that are the same in all are passed over.
fn sort_wholes(wholes: &mut Vec<u32>) {
    if wholes.len() < COUNTING_MIN {
        return wholes.sort_unstable();
    }
    let mut counts = [[0u32; 256]; 4];
    for whole in wholes.iter() {
        for (counts, byte) in counts.iter_mut().zip(whole.to_le_bytes()) {
            counts[usize::from(byte)] += 1;
        }
    }
    let mut other = vec![0; wholes.len()];
    for (byte, counts) in counts.iter_mut().enumerate() {
        if counts.contains(&(wholes.len() as u32)) {
            continue;
        }
        let mut at = 0;
        for count in counts.iter_mut() {
            at += std::mem::replace(count, at);
        }
        for whole in wholes.iter() {
            let place = &mut counts[usize::from(whole.to_le_bytes()[byte])];
            other[*place as usize] = *whole;
            *place += 1;
        }
        std::mem::swap(wholes, &mut other);
    }
}

/// Two sorted lists as one; of equal means those of `first` go first.
fn joined(first: &[Centroid], second: &[Centroid]) -> Vec<Centroid> {
    let mut all = Vec::with_capacity(first.len() + second.len());
    let (mut i, mut j) = (0, 0);
    // Which one comes next cannot be foreseen, so that there is no branch for it.
    while i < first.len() && j < second.len() {
        let (a, b) = (first[i], second[j]);
        let is_first = key_of(a.mean) <= key_of(b.mean);
        let (mean, weight) = (if is_first { a.mean } else { b.mean }, if is_first { a.weight } else { b.weight });
        all.push(Centroid { mean, weight });
        i += usize::from(is_first);
        j += usize::from(!is_first);
    }
    all.extend_from_slice(&first[i..]);
    all.extend_from_slice(&second[j..]);
    all
}

/// The weight below `x`, which lies between two centroids.
fn between(left: Centroid, right: Centroid, x: f64, so_far: f64) -> f64 {
    let (mut left_alone, mut right_alone) = (0.0, 0.0);
    if left.weight == 1.0 {
        if right.weight == 1.0 {
            return so_far + 1.0;
        }
        left_alone = 0.5;
    } else if right.weight == 1.0 {
        right_alone = 0.5;
    }
    let step = (left.weight + right.weight) / 2.0;
    let base = so_far + left.weight / 2.0 + left_alone;
    base + (step - left_alone - right_alone) * (x - left.mean) / (right.mean - left.mean)
}

fn weighted_average(x1: f64, w1: f64, x2: f64, w2: f64) -> f64 {
    let (low, high) = if x1 <= x2 { (x1, x2) } else { (x2, x1) };
    low.max(((x1 * w1 + x2 * w2) / (w1 + w2)).min(high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_are_answered_exactly() {
        let mut digest = TDigest::new(100.0);
        assert!(digest.quantile(0.5).is_nan() && digest.cdf(1.0).is_nan());
        [1.5, 2.5, -7.25, 100.0].iter().for_each(|v| digest.add(*v, 1.0));
        let shown: Vec<f64> = [0.01, 0.25, 0.5, 0.75, 0.99].iter().map(|q| digest.quantile(*q)).collect();
        assert_eq!(shown, [-7.25, 1.5, 2.5, 100.0, 100.0]);
        let mut ranks = TDigest::new(100.0);
        [5.0, 17.0, 3.0, 4.0, 40.0].iter().for_each(|v| ranks.add(*v, 1.0));
        assert_eq!([ranks.cdf(4.0), ranks.cdf(17.5), ranks.cdf(2.0), ranks.cdf(41.0)], [0.3, 0.8, 0.0, 1.0]);
    }

    #[test]
    fn many_values_at_once_are_as_one_after_the_other() {
        for compression in [10.0, 100.0, 250.0] {
            let (mut one, mut all) = (TDigest::new(compression), TDigest::new(compression));
            let values: Vec<f64> =
                (0..20_000u32).map(|i| f64::from(i.wrapping_mul(2_654_435_761) >> 20) / 8.0).collect();
            values.iter().for_each(|value| one.add(*value, 1.0));
            let mut rest = &values[..];
            for len in (0..).map(|i| i * i % 1_301) {
                let (now, later) = rest.split_at(rest.len().min(len));
                all.add_singles(now);
                rest = later;
                if rest.is_empty() {
                    break;
                }
            }
            assert_eq!((one.min, one.max), (all.min, all.max));
            assert_eq!(one.centroids(), all.centroids());
        }
    }

    #[test]
    fn digests_of_shards_add_up_as_the_reference_has_it() {
        let mut whole = TDigest::new(100.0);
        for shard in 0..3u32 {
            let mut digest = TDigest::new(100.0);
            (0..500).for_each(|i| digest.add(f64::from(((i * 3 + shard) * 7919) % 1500), 1.0));
            whole.add_all(digest);
        }
        whole.compress();
        let found = [0.01, 0.25, 0.5, 0.9].map(|q| whole.quantile(q));
        assert_eq!(found, [14.5, 377.1837401442283, 749.5211261678311, 1348.082250907624]);
    }

    /// The slow twin: every limit computed as the reference does.
    fn clustered(all: &[Centroid], compression: f64, total: f64) -> Vec<Centroid> {
        let normalizer = compression / (4.0 * (total / compression).ln() + 24.0);
        let limit = |q: f64| q * (1.0 - q) / normalizer;
        let (mut limit_before, mut so_far) = (limit(0.0), 0.0);
        let mut merged: Vec<Centroid> = vec![];
        for (i, next) in all.iter().enumerate() {
            let Some(open) = merged.last_mut() else {
                merged.push(*next);
                continue;
            };
            let proposed = open.weight + next.weight;
            let limit_after = limit((so_far + proposed) / total);
            if i != 1 && i != all.len() - 1 && proposed <= total * limit_before.min(limit_after) {
                open.weight += next.weight;
                open.mean += (next.mean - open.mean) * next.weight / open.weight;
            } else {
                so_far += open.weight;
                limit_before = limit(so_far / total);
                merged.push(*next);
            }
        }
        merged
    }

    #[test]
    fn clusters_are_those_of_exact_limits() {
        let mut seed = 1u64;
        let mut next = move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            seed >> 33
        };
        for round in 0..400 {
            let compression = [10.0, 50.0, 100.0, 200.0, 1000.0][round % 5];
            let weights = |n: u64| if round % 3 == 0 { 1.0 } else { (1 + n % (1 << (n % 20))) as f64 };
            let mut means: Vec<f64> = (0..1 + next() % 1_500).map(|_| (next() % 100_000) as f64 / 8.0).collect();
            means.sort_unstable_by(f64::total_cmp);
            let all: Vec<Centroid> =
                means.iter().map(|mean| Centroid { mean: *mean, weight: weights(next()) }).collect();
            let total = all.iter().map(|c| c.weight).sum();
            let mut found = vec![];
            Limits::new(compression, total).cluster(&all, &mut found);
            assert_eq!(found, clustered(&all, compression, total), "{round}");
        }
    }

    #[test]
    fn wholes_are_sorted_as_numbers_are() {
        for (count, mask) in [(3, u32::MAX), (300, 0xff), (300, 0xff_00ff), (2_000, u32::MAX), (700, 0)] {
            let mut wholes: Vec<u32> = (0..count).map(|i: u32| i.wrapping_mul(2_654_435_761) & mask).collect();
            let mut expected = wholes.clone();
            expected.sort_unstable();
            sort_wholes(&mut wholes);
            assert_eq!(wholes, expected);
        }
    }

    #[test]
    fn sorting_keeps_the_order_of_floats() {
        let means = [3.0, -0.0, 0.0, -7.5, 1e300, f64::NEG_INFINITY, -7.5, 2.0];
        for weights in [[1.0; 8], [1.0, 2.0, 1.0, 1.0, 1.0, 1.0, 5.0, 1.0]] {
            let list: Vec<Centroid> =
                means.iter().zip(weights).map(|(mean, weight)| Centroid { mean: *mean, weight }).collect();
            let (mut sorted, mut expected) = (list[..5].to_vec(), list.clone());
            let mut rest = list[5..].to_vec();
            expected.sort_by(|a, b| a.mean.total_cmp(&b.mean));
            sort_centroids(&mut sorted);
            sort_centroids(&mut rest);
            let bits = |list: &[Centroid]| list.iter().map(|c| (c.mean.to_bits(), c.weight)).collect::<Vec<_>>();
            assert_eq!(bits(&joined(&sorted, &rest)), bits(&expected));
        }
    }

    #[test]
    fn many_values_are_answered_closely() {
        let mut digest = TDigest::new(100.0);
        let n = 100_000u64;
        (0..n).for_each(|i| digest.add(((i * 7919) % n) as f64, 1.0));
        for q in [0.001, 0.01, 0.5, 0.99, 0.999] {
            let (found, exact) = (digest.quantile(q) / n as f64, q);
            assert!((found - exact).abs() < 0.002, "{q}: {found}");
            assert!((digest.cdf(q * n as f64) - q).abs() < 0.002);
        }
        let mut whole = TDigest::new(100.0);
        whole.add_all(digest);
        assert!(whole.centroids().len() < 210);
        assert_eq!((whole.quantile(0.0), whole.quantile(1.0)), (0.0, (n - 1) as f64));
    }
}
