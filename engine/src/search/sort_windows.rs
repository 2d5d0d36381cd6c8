//! The best documents by a number where matches and numbers go together: a filter by one date, sorted by another. All matches are
//! found first, which takes bits and no reading; then the windows are read from that with the best numbers on, until those of the
//! next can not enter any more.

use super::top_sorted::TopSorted;
use crate::score::Scorer;
use crate::segment::{SegmentView, WINDOW, WindowBits};

/// Segments of more windows are read from their beginning: their matches would take more than 4 MiB.
const WINDOWS_MAX: u32 = 512;

pub struct WindowsLead {
    /// Windows with matches that can enter, ascending while matches are looked for, then the best last.
    found: Vec<WindowBits>,
    sought: bool,
}

impl WindowsLead {
    /// `None` where the first key is no number of each document, or where matches cost more than bits.
    pub fn new(sorted: &TopSorted, view: &SegmentView, scorer: &dyn Scorer) -> Option<Self> {
        let (_, column) = sorted.lead()?;
        let windows = view.max_doc().div_ceil(WINDOW);
        let suits = column.docs().is_all() && column.single_valued() && !scorer.is_two_phase();
        (suits && (2..=WINDOWS_MAX).contains(&windows)).then(|| Self { found: vec![], sought: false })
    }

    /// One slice. False when no document that is left can enter.
    pub fn run(
        &mut self,
        sorted: &mut TopSorted,
        view: &SegmentView,
        scorer: Option<&mut Box<dyn Scorer>>,
        docs: &mut Vec<u32>,
    ) -> bool {
        if self.sought {
            return self.read(sorted, view, docs);
        }
        if let Some(scorer) = scorer {
            let open = sorted.next_open(scorer.doc(), view.max_doc());
            if open > scorer.doc() && open < view.max_doc() {
                scorer.advance(open);
            }
            if open < view.max_doc() && scorer.doc() < view.max_doc() {
                self.seek(scorer.as_mut(), view);
                return true;
            }
        }
        self.sought = true;
        self.order(sorted);
        !self.found.is_empty()
    }

    /// Finds the matches of the scorer's next window.
    fn seek(&mut self, scorer: &mut dyn Scorer, view: &SegmentView) {
        let mut bits = WindowBits::new(scorer.doc() / WINDOW);
        scorer.fill(bits.end().min(u64::from(u32::MAX)) as u32, &mut bits);
        if let Some(live) = &view.live {
            live.mask(&mut bits);
        }
        if !bits.is_empty() {
            self.found.push(bits);
        }
    }

    /// Puts the windows with the best numbers last.
    fn order(&mut self, sorted: &mut TopSorted) {
        let Some((reader, column)) = sorted.lead() else { return self.found.clear() };
        let (descending, column) = (reader.is_descending(), column.clone());
        self.found.sort_by_cached_key(|bits| {
            let (min, max) = column.window_range(bits.window()).unwrap_or_default();
            // What is better is greater, exact opposites of the smallest number included.
            if descending { max } else { !min }
        });
        sorted.leave_order();
    }

    /// Offers the documents of the best window that is left.
    fn read(&mut self, sorted: &mut TopSorted, view: &SegmentView, docs: &mut Vec<u32>) -> bool {
        let Some(mut bits) = self.found.pop() else { return false };
        let Some((_, column)) = sorted.lead() else { return false };
        let (lo, hi) = sorted.open_numbers();
        // Windows go from better to worse, but for those that were taken from the points before.
        if lo <= hi && column.window_range(bits.window()).is_some_and(|(min, max)| min <= hi && max >= lo) {
            let mut open = WindowBits::new(bits.window());
            column.filter_window(bits.window(), lo, hi, &mut open);
            bits.and(open.words());
            docs.clear();
            bits.push_some(bits.base(), WINDOW as usize, docs);
            sorted.offer(view, docs, &[]);
        }
        !self.found.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{search, shard};
    use crate::segment::WINDOW;

    #[test]
    fn agrees_with_sorting_all_matches() {
        // Numbers that rise with the documents and come several times each, and a filter that rises with them.
        let count = 2 * WINDOW + 3_000;
        let number = |doc: u32| (doc.wrapping_mul(2_654_435_761) % 40 + doc) / 3;
        let filter = |doc: u32| doc / 2 + doc.wrapping_mul(40_503) % 100;
        let docs: Vec<String> =
            (0..count).map(|doc| format!(r#"{{"a":{},"b":{}}}"#, number(doc), filter(doc))).collect();
        let docs: Vec<&str> = docs.iter().map(String::as_str).collect();
        let cx = shard(r#"{"properties":{"a":{"type":"integer"},"b":{"type":"integer"}}}"#, &[&docs]);
        for (lo, hi) in [(0, 20_000), (10_000, 40_000), (30_000, 30_400), (0, 60_000)] {
            for order in ["asc", "desc"] {
                let mut expected: Vec<(i64, u32)> = (0..count)
                    .filter(|doc| (lo..=hi).contains(&filter(*doc)))
                    .map(|doc| (i64::from(number(doc)) * if order == "asc" { 1 } else { -1 }, doc))
                    .collect();
                expected.sort_unstable();
                let ids: Vec<String> =
                    expected.iter().take(20).map(|(_, doc)| format!("\"_id\":\"{}\"", doc + 1)).collect();
                let body = format!(
                    r#"{{"query":{{"range":{{"b":{{"gte":{lo},"lte":{hi}}}}}}},"sort":[{{"a":"{order}"}}],"size":20,"_source":false}}"#
                );
                let found = search(&cx, &body);
                let found: Vec<&str> = found.split(',').filter(|part| part.starts_with("\"_id\"")).collect();
                assert_eq!(found, ids, "{lo} {hi} {order}");
            }
        }
    }
}
