//! Counts by ordinal of whole segments, and the terms that lead them.
//!
//! A shard's best terms are found without reading all of its terms: the best of each segment give a count that a term has
//! to reach; one that stays below its share of that count in every segment cannot reach it.

use crate::pace::Pace;
use crate::segment::OrdinalColumn;
use ahash::AHashSet;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::AddAssign;

/// Counts that are looked at between two questions whether somebody else wants the core.
const COUNTS_AT_ONCE: usize = 1_024;
/// Units of work of going over a term of a dictionary, and of looking one up.
const TERM_UNITS: u32 = 8;
const LOOKED_UP_UNITS: u32 = 32;

/// Dictionaries of more terms than this are not walked in one go.
const WALK_TERMS_MAX: u32 = 65_536;

/// Up to so many counts are kept side by side: the same ordinal again and again would wait for its own count to be stored.
const SIDE_BY_SIDE_MAX: usize = 256;
const SIDES: usize = 4;

/// Counts numbers, each below the length of `counts`.
pub(super) fn count_each<C: AddAssign + From<u32>>(numbers: impl Iterator<Item = usize>, counts: &mut [C]) {
    if counts.len() > SIDE_BY_SIDE_MAX {
        return numbers.for_each(|number| counts[number] += C::from(1));
    }
    let mut sides = [[0u32; SIDE_BY_SIDE_MAX]; SIDES];
    for (at, number) in numbers.enumerate() {
        sides[at % SIDES][number] += 1;
    }
    for (number, count) in counts.iter_mut().enumerate() {
        *count += C::from(sides.iter().map(|side| side[number]).sum());
    }
}

#[derive(Default)]
pub(crate) struct OrdCounts {
    segments: Vec<(OrdinalColumn, Vec<u32>)>,
    /// The last of `segments` is that of the current segment.
    open: bool,
    /// Documents without a value.
    pub(crate) without: u64,
}

impl OrdCounts {
    /// Begins a segment. `keep`: even if nothing is counted, because all terms are wanted.
    pub(crate) fn enter(&mut self, column: Option<&OrdinalColumn>, keep: bool) {
        if !keep {
            self.segments.retain(|(_, counts)| !counts.is_empty());
        }
        self.open = column.is_some();
        self.segments.extend(column.map(|column| (column.clone(), vec![])));
    }

    /// Counts ordinals of the current segment, and documents that have none.
    pub(crate) fn add(&mut self, ords: &[i64], without: usize) {
        self.without += without as u64;
        let Some((column, counts)) = self.segments.last_mut().filter(|_| self.open) else { return };
        counts.resize(column.num_ords() as usize, 0);
        count_each(ords.iter().map(|ord| *ord as usize), counts);
    }

    /// Counts all documents of the current segment by what its dictionary tells, if it does.
    pub(crate) fn add_all(&mut self, max_doc: u32) -> bool {
        let Some((column, counts)) = self.segments.last_mut().filter(|_| self.open) else {
            self.without += u64::from(max_doc);
            return true;
        };
        if column.num_ords() > WALK_TERMS_MAX || !column.has_doc_freqs() {
            return false;
        }
        counts.clear();
        counts.reserve(column.num_ords() as usize);
        let mut terms = column.terms();
        while let Some((_, info)) = terms.next() {
            counts.push(info.doc_freq);
        }
        self.without += u64::from(max_doc - column.docs().count());
        true
    }

    /// The documents of one term.
    pub(crate) fn count_of(&self, term: &[u8]) -> u64 {
        let found = self.segments.iter().filter_map(|(column, counts)| counts.get(column.ord_of(term).ok()? as usize));
        found.map(|docs| u64::from(*docs)).sum()
    }

    /// Calls `f` with every term that has documents in a segment, once for each, or with all terms.
    pub(crate) async fn all(&self, empty_wanted: bool, mut f: impl FnMut(&[u8], u64), pace: &Pace) {
        for (column, counts) in &self.segments {
            let mut terms = column.terms();
            let mut ord = 0;
            while let Some((term, _)) = terms.next() {
                let docs = counts.get(ord).copied().unwrap_or(0);
                if docs > 0 || empty_wanted {
                    f(term, u64::from(docs));
                }
                ord += 1;
                pace.tick(TERM_UNITS).await;
            }
        }
    }

    /// Calls `f` with terms and their documents, among them the `wanted` that have the most (in doubt the first ones). Gives
    /// the sum over all other terms.
    pub(crate) async fn best(&self, wanted: usize, mut f: impl FnMut(&[u8], u64), pace: &Pace) -> u64 {
        let sums: Vec<u64> = self.segments.iter().map(|(_, counts)| sum(counts)).collect();
        let whole: u64 = sums.iter().sum();
        let mut listed = 0;
        let mut seen: AHashSet<Vec<u8>> = AHashSet::new();
        let mut totals: BinaryHeap<Reverse<u64>> = BinaryHeap::new();
        let single = self.segments.len() == 1;
        let mut take = |column: &OrdinalColumn, ord: u32, docs: u32, totals: &mut BinaryHeap<Reverse<u64>>| {
            let term = column.term(ord).into_owned();
            if seen.contains(&term) {
                return;
            }
            let total = if single { u64::from(docs) } else { self.count_of(&term) };
            f(&term, total);
            listed += total;
            totals.push(Reverse(total));
            if totals.len() > wanted {
                totals.pop();
            }
            seen.insert(term);
        };
        for (column, counts) in &self.segments {
            for (docs, Reverse(ord)) in leaders(counts, wanted, pace).await {
                take(column, ord, docs, &mut totals);
                pace.tick(LOOKED_UP_UNITS).await;
            }
        }
        let reach = match totals.peek() {
            Some(Reverse(least)) if totals.len() == wanted && !single => *least,
            Some(_) if !single => 1,
            _ => return whole - listed,
        };
        for ((column, counts), own) in self.segments.iter().zip(&sums) {
            // The shares of all segments add up to no more than what has to be reached.
            let share = (reach as u128 * u128::from(*own) / u128::from(whole.max(1))).max(1) as u64;
            for (ord, docs) in counts.iter().enumerate() {
                if u64::from(*docs) >= share {
                    take(column, ord as u32, *docs, &mut totals);
                    pace.tick(LOOKED_UP_UNITS).await;
                }
                if ord % COUNTS_AT_ONCE == 0 {
                    pace.tick(COUNTS_AT_ONCE as u32 / 4).await;
                }
            }
        }
        whole - listed
    }
}

fn sum(counts: &[u32]) -> u64 {
    counts.iter().map(|docs| u64::from(*docs)).sum()
}

/// The `wanted` highest counts and their ordinals; of equal ones those of the first ordinals.
async fn leaders(counts: &[u32], wanted: usize, pace: &Pace) -> Vec<(u32, Reverse<u32>)> {
    let mut heap: BinaryHeap<Reverse<(u32, Reverse<u32>)>> = BinaryHeap::new();
    let mut least = 0;
    for (ord, docs) in counts.iter().enumerate() {
        if ord % COUNTS_AT_ONCE == 0 {
            pace.tick(COUNTS_AT_ONCE as u32).await;
        }
        if *docs <= least {
            continue;
        }
        heap.push(Reverse((*docs, Reverse(ord as u32))));
        if heap.len() > wanted {
            heap.pop();
        }
        if heap.len() == wanted {
            least = heap.peek().map_or(0, |Reverse((docs, _))| *docs);
        }
    }
    heap.into_iter().map(|Reverse(leader)| leader).collect()
}
