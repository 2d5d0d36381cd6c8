//! Which completions are kept where not all are wanted.
//!
//! The reference walks through an automaton of the keys of a segment, from the best weight on and along the keys where weights
//! are the same, and ends with a segment at the first entry that is worse than all it has kept.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::sync::Arc;

/// A document that was found, by its best entry.
#[derive(Debug)]
pub(super) struct Found {
    pub score: f32,
    pub text: String,
    pub segment: u32,
    pub doc: u32,
    pub contexts: Vec<(String, String)>,
}

/// An entry of a segment, and where the automaton has it.
#[derive(Debug)]
pub(super) struct Entry {
    pub found: Found,
    pub key: Arc<[u8]>,
    /// Among the entries of its key.
    pub place: u32,
}

impl Found {
    /// Better ones come first.
    fn order(&self, other: &Self) -> Ordering {
        let place = (self.segment, self.doc).cmp(&(other.segment, other.doc));
        other.score.total_cmp(&self.score).then_with(|| self.text.cmp(&other.text)).then(place)
    }
}

/// The one that is dropped first is the greatest.
#[derive(Debug)]
struct Kept<F>(F);

impl<F: Borrow<Found>> Ord for Kept<F> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.borrow().order(other.0.borrow())
    }
}

impl<F: Borrow<Found>> PartialOrd for Kept<F> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<F: Borrow<Found>> PartialEq for Kept<F> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<F: Borrow<Found>> Eq for Kept<F> {}

/// Keeps one of so many, if it is better than the worst. If not, nothing after it is.
fn keep<F: Borrow<Found>>(queue: &mut BinaryHeap<Kept<F>>, wanted: usize, found: F) -> bool {
    let found = Kept(found);
    if queue.len() >= wanted {
        if queue.peek().is_none_or(|worst| found >= *worst) {
            return false;
        }
        queue.pop();
    }
    queue.push(found);
    true
}

/// Where entries of one key that were added in turn stand in the heap that the reference builds of them: by its weights, of which
/// the greatest is first. Gives the entries in the order of the heap.
pub(super) fn heap_order(weights: &[u32]) -> Vec<usize> {
    let mut heap: Vec<usize> = Vec::with_capacity(weights.len());
    for (added, weight) in weights.iter().enumerate() {
        let mut at = heap.len();
        heap.push(added);
        while at > 0 {
            let parent = (at - 1) / 2;
            if *weight <= weights[heap[parent]] {
                break;
            }
            heap.swap(at, parent);
            at = parent;
        }
    }
    heap
}

/// Entries that are kept beyond the wanted ones, before those that cannot be wanted are dropped.
const KEPT_MORE: usize = 4_096;

/// The best documents so far.
#[derive(Debug)]
pub(super) struct Best {
    wanted: usize,
    skip_duplicates: bool,
    /// Of the segment that is looked at.
    entries: Vec<Entry>,
    entries_max: usize,
    queue: BinaryHeap<Kept<Found>>,
    /// Of the segments before, where duplicates are skipped.
    pending: Vec<Found>,
    contexts: HashMap<(u32, u32), Vec<(String, String)>>,
}

impl Best {
    pub fn new(wanted: usize, skip_duplicates: bool) -> Self {
        let entries_max = wanted.saturating_mul(4).saturating_add(KEPT_MORE);
        Self {
            wanted,
            skip_duplicates,
            entries: vec![],
            entries_max,
            queue: BinaryHeap::new(),
            pending: vec![],
            contexts: HashMap::new(),
        }
    }

    pub fn offer(&mut self, entry: Entry) {
        self.entries.push(entry);
        if self.entries.len() > self.entries_max {
            self.sort();
            let needed = self.needed();
            self.entries.truncate(needed);
            self.entries_max = needed.saturating_mul(4).max(self.entries_max);
        }
    }

    /// As the automaton has them.
    fn sort(&mut self) {
        self.entries.sort_by(|a, b| {
            let best = b.found.score.total_cmp(&a.found.score);
            best.then_with(|| a.key.cmp(&b.key)).then(a.place.cmp(&b.place))
        });
    }

    /// How many of the sorted entries the segment alone is asked for. More entries only make them fewer.
    fn needed(&self) -> usize {
        let (mut documents, mut texts, mut queue) = (HashSet::new(), HashSet::new(), BinaryHeap::new());
        for (at, Entry { found, .. }) in self.entries.iter().enumerate() {
            let is_new = (!self.skip_duplicates || texts.insert(found.text.as_str())) && documents.insert(found.doc);
            if is_new && !keep(&mut queue, self.wanted, found) {
                return at;
            }
        }
        self.entries.len()
    }

    /// Goes through the entries of a segment. `results_max` is how many of them the reference looks at, at most.
    pub fn end_segment(&mut self, results_max: usize) {
        self.sort();
        let mut texts = HashSet::new();
        let mut results = 0;
        for Entry { mut found, .. } in std::mem::take(&mut self.entries) {
            if results == results_max {
                break;
            }
            if self.skip_duplicates && !texts.insert(found.text.clone()) {
                continue;
            }
            results += 1;
            // A document is told with the contexts of all its entries that were found.
            let named = std::mem::take(&mut found.contexts);
            let is_new = !self.contexts.contains_key(&(found.segment, found.doc));
            let known = self.contexts.entry((found.segment, found.doc)).or_default();
            known.extend(named.into_iter().filter(|named| !known.contains(named)).collect::<Vec<_>>());
            if is_new && !keep(&mut self.queue, self.wanted, found) {
                break;
            }
        }
        if self.skip_duplicates {
            self.pending.extend(self.queue.drain().map(|kept| kept.0));
        }
    }

    pub fn finish(mut self) -> Vec<Found> {
        let mut found = self.pending;
        found.extend(self.queue.into_iter().map(|kept| kept.0));
        found.sort_by(Found::order);
        let mut texts = HashSet::new();
        found.retain(|one| !self.skip_duplicates || texts.insert(one.text.clone()));
        found.truncate(self.wanted);
        for one in &mut found {
            one.contexts = self.contexts.remove(&(one.segment, one.doc)).unwrap_or_default();
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heaps_stand_as_they_were_built() {
        assert_eq!(heap_order(&[1, 1, 1, 1]), [0, 1, 2, 3]);
        assert_eq!(heap_order(&[1, 2, 3, 3]), [2, 3, 1, 0]);
    }

    fn kept(entries: &[(f32, &str, u32)], wanted: usize, skip_duplicates: bool, results_max: usize) -> Vec<u32> {
        let mut best = Best::new(wanted, skip_duplicates);
        for (place, (score, text, doc)) in entries.iter().enumerate() {
            let found = Found { score: *score, text: (*text).to_owned(), segment: 0, doc: *doc, contexts: vec![] };
            best.offer(Entry { found, key: text.as_bytes().into(), place: place as u32 });
        }
        best.end_segment(results_max);
        best.finish().into_iter().map(|found| found.doc).collect()
    }

    #[test]
    fn the_first_that_is_worse_is_the_last_that_is_looked_at() {
        let same = [(1.0, "a", 5), (1.0, "a", 3), (1.0, "a", 4), (1.0, "a", 1)];
        assert_eq!(kept(&same, 1, false, 9), [3], "4 is worse than 3, so 1 is not seen");
        assert_eq!(kept(&same, 9, false, 9), [1, 3, 4, 5]);
        assert_eq!(kept(&same, 9, false, 2), [3, 5]);
        assert_eq!(kept(&same, 9, true, 9), [5]);
    }

    #[test]
    fn documents_count_once_but_each_of_their_entries_is_looked_at() {
        let entries = [(3.0, "a", 1), (2.0, "b", 1), (1.0, "c", 2)];
        assert_eq!((kept(&entries, 2, false, 2), kept(&entries, 2, false, 3)), (vec![1], vec![1, 2]));
    }

    #[test]
    fn what_cannot_be_wanted_is_dropped_on_the_way() {
        let entries: Vec<(f32, &str, u32)> = (0..20_000).map(|doc| ((doc % 7_000) as f32, "a", doc)).collect();
        assert_eq!(kept(&entries, 3, false, 9), [6_999, 13_999, 6_998]);
    }
}
