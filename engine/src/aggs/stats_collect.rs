//! Collecting avg, min, max, sum, stats and value_count on a shard.

use super::kind::{Aggregator, Built, Owners, STATE_UNITS, check_shard_buckets, of_each};
use super::partial::Partial;
use super::source::Source;
use super::stats::{Show, Stats, extremes};
use crate::codec::simd::column;
use crate::error::Result;
use crate::pace::Pace;
use crate::score::Selection;
use crate::segment::{Batch, SegmentView};
use std::ops::Range;

/// Below this, doubles hold all whole numbers.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

/// Owners are compared so many at a time to find runs of the same.
const RUN: usize = 32;

/// Calls `f` with places that have one owner, in long runs as documents in the order of time make them, and with others, of which nothing is said.
#[inline]
fn for_each_run(owners: &[u32], mut f: impl FnMut(Range<usize>, Option<usize>)) {
    let mut at = 0;
    while at < owners.len() {
        let owner = owners[at];
        let mut end = at;
        while let Some(next) = owners[end..].first_chunk::<RUN>() {
            // No branch in between: this is a comparison of vectors.
            if next.iter().fold(0, |differs, other| differs | (other ^ owner)) != 0 {
                break;
            }
            end += RUN;
        }
        let same = (end > at).then_some(owner as usize);
        if same.is_none() {
            end = (at + RUN).min(owners.len());
        }
        f(at..end, same);
        at = end;
    }
}

fn greatest_of(min: f64, max: f64) -> f64 {
    if min > max { 0.0 } else { min.abs().max(max.abs()) }
}

/// Whole numbers of one bucket.
#[derive(Clone, Copy)]
pub(super) struct Whole {
    pub(super) count: u64,
    pub(super) sum: i64,
    pub(super) min: i64,
    pub(super) max: i64,
}

impl Whole {
    const NONE: Whole = Whole { count: 0, sum: 0, min: i64::MAX, max: i64::MIN };

    /// How far from zero a number is at most.
    fn reach(&self) -> f64 {
        (self.min as f64).abs().max((self.max as f64).abs())
    }

    /// Sums that are too large wrap: nobody looks at them.
    fn of(numbers: &[i64]) -> Self {
        let mut whole = Whole { count: numbers.len() as u64, ..Whole::NONE };
        for number in numbers {
            (whole.min, whole.max) = (whole.min.min(*number), whole.max.max(*number));
            whole.sum = whole.sum.wrapping_add(*number);
        }
        whole
    }

    #[inline]
    fn add(&mut self, number: i64) {
        self.count += 1;
        self.sum += number;
        if number < self.min || number > self.max {
            self.stretch(number);
        }
    }

    /// Not in line: few numbers are extremes, and what does not change is not written.
    #[cold]
    fn stretch(&mut self, number: i64) {
        (self.min, self.max) = (self.min.min(number), self.max.max(number));
    }

    fn merge(&mut self, other: &Whole) {
        self.count += other.count;
        self.sum += other.sum;
        (self.min, self.max) = (self.min.min(other.min), self.max.max(other.max));
    }
}

/// Of this many buckets each is kept in several places: where few take turns, the next number of one would wait for the last.
const FEW: usize = 256;
const LANES: usize = 4;

/// Adds numbers to the buckets of their documents, neighbours in different places of them.
fn add_in_lanes(few: &mut [[Whole; LANES]], owners: &[u32], numbers: &[i64]) {
    let ((owners, rest_owners), (numbers, rest)) = (owners.as_chunks::<LANES>(), numbers.as_chunks::<LANES>());
    for (owners, numbers) in owners.iter().zip(numbers) {
        for lane in 0..LANES {
            few[owners[lane] as usize][lane].add(numbers[lane]);
        }
    }
    rest_owners.iter().zip(rest).for_each(|(owner, number)| few[*owner as usize][0].add(*number));
}

pub(super) struct StatsAggregator {
    source: Source,
    show: Show,
    stats: Vec<Stats>,
    /// By bucket, numbers that are not yet in `stats`; and what no sum of all numbers so far can exceed.
    whole: Vec<Whole>,
    few: Vec<[Whole; LANES]>,
    reach: f64,
    /// What no sum of doubles so far can exceed.
    bound: f64,
    values: Vec<f64>,
    batch: Batch,
}

impl StatsAggregator {
    pub(super) fn new(source: Source, show: Show) -> Self {
        let (values, batch) = (vec![], Batch::default());
        Self { source, show, stats: vec![], whole: vec![], few: vec![], reach: 0.0, bound: 0.0, values, batch }
    }

    fn slot(&mut self, owner: u32) -> Result<&mut Stats> {
        self.make_slots(owner)?;
        Ok(&mut self.stats[owner as usize])
    }

    /// Makes room for the buckets up to this one.
    fn make_slots(&mut self, last: u32) -> Result<()> {
        let last = last as usize;
        if last >= self.stats.len() {
            check_shard_buckets(last)?;
            self.stats.resize_with(last + 1, || Stats::new(self.source.format().clone()));
        }
        Ok(())
    }
}

impl StatsAggregator {
    /// Adds whole numbers as they are: where every partial sum is one that doubles hold exactly, the order does not matter.
    /// False where sums might become too large for that.
    fn add_whole(&mut self, owners: Owners<'_>, batch: &Batch) -> Result<bool> {
        if !self.source.is_whole_numbers() || self.source.is_unsigned() {
            return Ok(false);
        }
        let (numbers, count) = (batch.values(), batch.values().len() as f64);
        let all = matches!(owners, Owners::One(_)).then(|| Whole::of(numbers));
        let most = match (&all, self.column_reach()) {
            (None, Some(most)) if self.reach + most * count < EXACT_MAX => most,
            _ => all.unwrap_or_else(|| Whole::of(numbers)).reach(),
        };
        self.reach += most * count;
        if self.reach >= EXACT_MAX {
            self.settle()?;
            return Ok(false);
        }
        let buckets = match owners {
            Owners::One(owner) => owner as usize + 1,
            Owners::Each(owners) => column::greatest(owners).map_or(0, |owner| owner as usize + 1),
        };
        if buckets > self.whole.len() {
            check_shard_buckets(buckets - 1)?;
            self.whole.resize(buckets, Whole::NONE);
            self.few.resize(buckets.min(FEW), [Whole::NONE; LANES]);
        }
        let (whole, few) = (&mut self.whole, &mut self.few);
        match (owners, batch.places()) {
            (Owners::One(owner), _) => whole[owner as usize].merge(&all.unwrap_or(Whole::NONE)),
            (Owners::Each(owners), None) => for_each_run(owners, |at, owner| match owner {
                Some(owner) => whole[owner].merge(&Whole::of(&numbers[at])),
                None if buckets <= FEW => add_in_lanes(few, &owners[at.clone()], &numbers[at]),
                None => at.for_each(|i| whole[owners[i] as usize].add(numbers[i])),
            }),
            (Owners::Each(owners), Some(places)) => {
                for (number, place) in batch.values().iter().zip(places) {
                    whole[owners[*place as usize] as usize].add(*number);
                }
            }
        }
        Ok(true)
    }

    /// How far from zero the numbers of the column are at most.
    fn column_reach(&self) -> Option<f64> {
        let column = self.source.number_column()?;
        Some((column.min()? as f64).abs().max((column.max()? as f64).abs()))
    }

    /// Adds doubles to the buckets of their documents; `places` are those of the documents, where they are not the values' own.
    fn add_each(&mut self, values: &[f64], owners: &[u32], places: Option<&[u32]>) -> Result<()> {
        let Some(last) = column::greatest(owners) else { return Ok(()) };
        self.make_slots(last)?;
        let (min, max) = extremes(values);
        self.bound += greatest_of(min, max) * values.len() as f64;
        let stats = &mut self.stats;
        match places {
            _ if self.bound >= f64::MAX / 4.0 || self.bound.is_nan() => {
                for (i, value) in values.iter().enumerate() {
                    stats[owners[places.map_or(i, |places| places[i] as usize)] as usize].add(*value);
                }
            }
            Some(places) => {
                for (value, place) in values.iter().zip(places) {
                    stats[owners[*place as usize] as usize].add_finite(*value);
                }
            }
            None => for_each_run(owners, |at, owner| match owner {
                Some(owner) => stats[owner].add_all(&values[at]),
                None => at.for_each(|i| stats[owners[i] as usize].add_finite(values[i])),
            }),
        }
        Ok(())
    }

    /// Brings what was added as it is into `stats`.
    fn settle(&mut self) -> Result<()> {
        let mut all = std::mem::take(&mut self.whole);
        for (whole, few) in all.iter_mut().zip(std::mem::take(&mut self.few)) {
            few.iter().for_each(|few| whole.merge(few));
        }
        for (owner, whole) in all.iter().enumerate() {
            self.slot(owner as u32)?.add_whole(whole);
        }
        Ok(())
    }
}

impl Aggregator for StatsAggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.source.enter_segment(view);
        Ok(())
    }

    /// The extremes of all documents stand beside the column.
    fn collect_selection(&mut self, _view: &SegmentView, selection: &Selection) -> Result<bool> {
        let known = matches!(self.show, Show::Min | Show::Max) && *selection == Selection::All;
        if !known || self.source.has_missing() {
            return Ok(false);
        }
        let Some(column) = self.source.number_column().cloned() else { return Ok(self.source.is_absent()) };
        let (Some(min), Some(max)) = (column.min(), column.max()) else { return Ok(true) };
        let (min, max) = (self.source.decode(min), self.source.decode(max));
        let slot = self.slot(0)?;
        slot.count += column.value_count();
        (slot.min, slot.max) = (slot.min.min(min), slot.max.max(max));
        Ok(true)
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        if self.source.is_absent() {
            return Ok(());
        }
        let (mut values, mut batch) = (std::mem::take(&mut self.values), std::mem::take(&mut self.batch));
        match self.source.plain_missing() {
            Some(_) => self.source.all_doubles(docs, &mut values, &mut batch)?,
            None => {
                values.clear();
                self.source.read(docs, &mut batch)?;
                if self.add_whole(owners, &batch)? {
                    (self.values, self.batch) = (values, batch);
                    return Ok(());
                }
                self.source.decode_all(batch.values(), &mut values);
            }
        }
        match owners {
            Owners::One(owner) => {
                let stats = self.slot(owner)?;
                stats.add_all(&values);
                // What comes for several owners later may be added to this sum.
                let sum = stats.sum.abs();
                self.bound += sum;
            }
            Owners::Each(owners) => self.add_each(&values, owners, batch.places())?,
        }
        self.batch = batch;
        self.values = values;
        Ok(())
    }

    /// Sums of fractions depend on their order.
    fn can_be_joined(&self) -> bool {
        self.source.is_integral() || matches!(self.show, Show::Min | Show::Max)
    }

    fn build<'a>(&'a mut self, owners: &'a [u32], pace: &'a Pace) -> Built<'a> {
        Box::pin(async move {
            self.settle()?;
            let part = |owner: u32| {
                let stats = self.stats.get(owner as usize).cloned();
                Ok(Partial::Stats(stats.unwrap_or_else(|| Stats::new(self.source.format().clone()))))
            };
            of_each(owners, STATE_UNITS, pace, part).await
        })
    }
}

pub(super) struct CountAggregator {
    source: Source,
    /// The ranges of a document are one value, however many there are.
    one_each: bool,
    counts: Vec<u64>,
    batch: Batch,
}

impl CountAggregator {
    pub(super) fn new(source: Source, one_each: bool) -> Self {
        Self { source, one_each, counts: vec![], batch: Batch::default() }
    }

    fn add(&mut self, owner: u32, values: u64) -> Result<()> {
        let owner = owner as usize;
        if owner >= self.counts.len() {
            check_shard_buckets(owner)?;
            self.counts.resize(owner + 1, 0);
        }
        self.counts[owner] += values;
        Ok(())
    }
}

impl Aggregator for CountAggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.source.enter_segment(view);
        Ok(())
    }

    fn collect_selection(&mut self, _view: &SegmentView, selection: &Selection) -> Result<bool> {
        if *selection != Selection::All || self.source.has_missing() || self.source.is_scripted() || self.one_each {
            return Ok(false);
        }
        self.add(0, self.source.value_count())?;
        Ok(true)
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        if self.source.is_absent() {
            return Ok(());
        }
        let mut batch = std::mem::take(&mut self.batch);
        self.source.read(docs, &mut batch)?;
        // What is not a number of the field stands in for its document as well.
        let stand_in = u64::from(self.source.has_missing());
        let most = if self.one_each { 1 } else { usize::MAX };
        if let (Owners::One(owner), false) = (owners, self.one_each) {
            self.add(owner, batch.values().len() as u64 + stand_in * batch.without() as u64)?;
        } else {
            let mut added = Ok(());
            batch.for_each_doc(|place, values| {
                let count = if values.is_empty() { stand_in } else { values.len().min(most) as u64 };
                if added.is_ok() {
                    added = self.add(owners.of(place), count);
                }
            });
            added?;
        }
        self.batch = batch;
        Ok(())
    }

    fn can_be_joined(&self) -> bool {
        true
    }

    fn build<'a>(&'a mut self, owners: &'a [u32], pace: &'a Pace) -> Built<'a> {
        Box::pin(async move {
            let count = |owner: u32| self.counts.get(owner as usize).copied().unwrap_or(0);
            of_each(owners, STATE_UNITS, pace, |owner| Ok(Partial::Count(count(owner)))).await
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::format::Format;
    use super::*;

    #[test]
    fn lanes_hold_what_one_place_would() {
        let numbers: Vec<i64> = (0..1_003i64).map(|i| i.wrapping_mul(2_654_435_761) % 1_000 - 500).collect();
        let owners: Vec<u32> = (0..1_003u32).map(|i| i.wrapping_mul(40_503) % 7).collect();
        let (mut few, mut whole) = (vec![[Whole::NONE; LANES]; 7], vec![Whole::NONE; 7]);
        add_in_lanes(&mut few, &owners, &numbers);
        owners.iter().zip(&numbers).for_each(|(owner, number)| whole[*owner as usize].add(*number));
        for (few, whole) in few.iter().zip(&whole) {
            let mut all = Whole::NONE;
            few.iter().for_each(|few| all.merge(few));
            let of = |w: &Whole| (w.count, w.sum, w.min, w.max);
            assert_eq!(of(&all), of(whole));
        }
    }

    #[test]
    fn runs_add_up_as_single_values_do() {
        for (owners, stretch) in [(1, 1), (3, 1), (64, 7), (5, 900), (40, 33)] {
            let value = |i: u32| f64::from(i.wrapping_mul(2_654_435_761) >> 8) / 100.0 - 70_000.0;
            let values: Vec<f64> = (0..4_000).map(value).collect();
            let owner_of: Vec<u32> = (0..4_000u32).map(|i| (i / stretch).wrapping_mul(40_503) % owners).collect();
            let fresh = || vec![Stats::new(Format::Raw); owners as usize];
            let (mut one, mut all) = (fresh(), fresh());
            for (value, owner) in values.iter().zip(&owner_of) {
                one[*owner as usize].add(*value);
            }
            let mut seen = 0;
            for_each_run(&owner_of, |at, owner| {
                assert_eq!(at.start, seen);
                seen = at.end;
                match owner {
                    Some(owner) => {
                        assert!(owner_of[at.clone()].iter().all(|other| *other as usize == owner));
                        all[owner].add_all(&values[at]);
                    }
                    None => at.for_each(|i| all[owner_of[i] as usize].add_finite(values[i])),
                }
            });
            assert_eq!(seen, values.len());
            for (one, all) in one.iter().zip(&all) {
                assert_eq!((one.count, one.min, one.max), (all.count, all.min, all.max));
                assert!((one.sum - all.sum).abs() <= 1e-15 * one.sum.abs(), "{} {}", one.sum, all.sum);
            }
        }
    }
}
