//! The order in which the reference takes buckets of the same key from several shards. It merges ascending lists by a heap, and
//! what of equal keys comes first tells in results that depend on the order of merging: equal hits, digests, last digits.

/// For each item of the ascending `lists` the list that it comes from, in the order in which the items are taken.
pub(super) fn merge_order<T>(lists: &[Vec<T>], is_less: impl Fn(&T, &T) -> bool) -> Vec<usize> {
    let mut heap = Heap { lists, is_less, taken: vec![0; lists.len()], slots: vec![] };
    (0..lists.len()).filter(|list| !lists[*list].is_empty()).for_each(|list| heap.push(list));
    let mut order = Vec::with_capacity(lists.iter().map(Vec::len).sum());
    while let Some(&list) = heap.slots.first() {
        order.push(list);
        heap.taken[list] += 1;
        if heap.taken[list] == lists[list].len() {
            let last = heap.slots.pop().unwrap_or_default();
            match heap.slots.first_mut() {
                Some(first) => *first = last,
                None => break,
            }
        }
        heap.sink();
    }
    order
}

/// The same for a merge that takes a list out of its heap and puts it back, as that of composite buckets does.
fn polling_order<T>(lists: &[Vec<T>], is_less: impl Fn(&T, &T) -> bool) -> Vec<usize> {
    let mut heap = Heap { lists, is_less, taken: vec![0; lists.len()], slots: vec![] };
    (0..lists.len()).filter(|list| !lists[*list].is_empty()).for_each(|list| heap.push(list));
    let mut order = Vec::with_capacity(lists.iter().map(Vec::len).sum());
    while let Some(&list) = heap.slots.first() {
        order.push(list);
        let last = heap.slots.pop().unwrap_or_default();
        if let Some(first) = heap.slots.first_mut() {
            *first = last;
            heap.sink();
        }
        heap.taken[list] += 1;
        if heap.taken[list] < lists[list].len() {
            heap.push(list);
        }
    }
    order
}

/// A binary heap of lists by their next items, which moves things exactly as Lucene's does.
struct Heap<'a, T, F> {
    lists: &'a [Vec<T>],
    is_less: F,
    taken: Vec<usize>,
    slots: Vec<usize>,
}

impl<T, F: Fn(&T, &T) -> bool> Heap<'_, T, F> {
    fn less(&self, a: usize, b: usize) -> bool {
        (self.is_less)(&self.lists[a][self.taken[a]], &self.lists[b][self.taken[b]])
    }

    fn push(&mut self, list: usize) {
        let mut at = self.slots.len();
        self.slots.push(list);
        while at > 0 {
            let above = (at - 1) / 2;
            if !self.less(list, self.slots[above]) {
                break;
            }
            self.slots[at] = self.slots[above];
            at = above;
        }
        self.slots[at] = list;
    }

    /// Moves the first list to where its next item belongs.
    fn sink(&mut self) {
        let (mut at, list) = (0, self.slots[0]);
        loop {
            let mut below = 2 * at + 1;
            if below + 1 < self.slots.len() && self.less(self.slots[below + 1], self.slots[below]) {
                below += 1;
            }
            if below >= self.slots.len() || !self.less(self.slots[below], list) {
                break;
            }
            self.slots[at] = self.slots[below];
            at = below;
        }
        self.slots[at] = list;
    }
}

/// The items of ascending lists in that order.
pub(super) fn merged<T>(lists: Vec<Vec<T>>, is_less: impl Fn(&T, &T) -> bool) -> Vec<T> {
    if lists.len() == 1 {
        return lists.into_iter().flatten().collect();
    }
    let order = merge_order(&lists, is_less);
    taken_in(order, lists)
}

/// The same as [`merged`] in the order of [`polling_order`].
pub(super) fn merged_by_polling<T>(lists: Vec<Vec<T>>, is_less: impl Fn(&T, &T) -> bool) -> Vec<T> {
    let order = polling_order(&lists, is_less);
    taken_in(order, lists)
}

fn taken_in<T>(order: Vec<usize>, lists: Vec<Vec<T>>) -> Vec<T> {
    let mut lists: Vec<_> = lists.into_iter().map(Vec::into_iter).collect();
    order.into_iter().filter_map(|list| lists[list].next()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_keys_come_as_the_heap_has_them() {
        let lists = vec![vec![(1, 'a'), (2, 'a')], vec![(2, 'b')], vec![(0, 'c'), (2, 'c')], vec![]];
        let texts: String = merged(lists, |a, b| a.0 < b.0).into_iter().map(|(_, list)| list).collect();
        // The last list takes the place of one that has ended, before its equals.
        assert_eq!(texts, "caacb");
    }

    #[test]
    fn what_is_put_back_comes_after_its_equals() {
        let lists = vec![vec![(1, 'a'), (2, 'a')], vec![(2, 'b')], vec![(2, 'c')]];
        let texts: String = merged_by_polling(lists, |a, b| a.0 < b.0).into_iter().map(|(_, list)| list).collect();
        assert_eq!(texts, "acab");
    }

    #[test]
    fn nothing_is_lost() {
        let lists = vec![vec![1, 4, 4, 9], vec![], vec![0, 4], vec![4, 4, 4, 10, 11]];
        let mut all: Vec<i32> = lists.iter().flatten().copied().collect();
        all.sort_unstable();
        assert_eq!(merged_by_polling(lists.clone(), |a, b| a < b), all);
        assert_eq!(merged(lists, |a, b| a < b), all);
    }
}
