//! Groups of hits from the best hits alone.
//!
//! The best hit of each of the best groups is the first of its group among all hits in their order. So the first hits tell them as soon
//! as enough groups are among them, and finding the first hits skips most documents, where collapsing every hit looks at all.

use super::collapse::TopCollapsed;
use super::shard_search::{ShardSearch, Way};
use crate::error::Result;
use crate::score::TopScores;

/// Hits for each group that is wanted, at first.
const FIRST: usize = 8;
/// By how much more are looked at where that was not enough.
const GROWTH: usize = 16;
/// The most that are ever kept; beyond that every hit is looked at.
const MOST: usize = 4_096;

/// How many of the best hits are looked at.
#[derive(Debug)]
pub(super) struct Leaders {
    size: usize,
}

impl Leaders {
    /// For as many groups, if the order of hits allows it.
    pub fn of(collapsed: Option<&TopCollapsed>, groups: usize) -> Option<Self> {
        collapsed.filter(|collapsed| collapsed.goes_by_score())?;
        Some(Self { size: groups.saturating_mul(FIRST) }).filter(|leaders| leaders.size <= MOST)
    }

    pub fn top(&self, limit: Option<u64>) -> TopScores {
        TopScores::new(self.size, limit)
    }
}

impl ShardSearch {
    /// Makes groups of the leaders, where that is how they are found. False if there are not enough of them: the search has been
    /// begun anew.
    pub(super) fn collapse_leaders(&mut self) -> Result<bool> {
        let (Some(leaders), Some(collapsed)) = (self.leaders.take(), &mut self.collapsed) else { return Ok(true) };
        let limit = self.request.total_hits.limit();
        let top = std::mem::replace(&mut self.top, TopScores::new(0, limit));
        let total = top.count();
        let mut hits = top.finish();
        let are_all = hits.len() < leaders.size;
        hits.sort_unstable_by_key(|hit| (hit.segment, hit.doc));
        let snapshot = self.cx.snapshot.clone();
        let mut doc_base = 0;
        for (segment, view) in snapshot.segments.iter().enumerate() {
            let from = hits.partition_point(|hit| (hit.segment as usize) < segment);
            let to = hits.partition_point(|hit| hit.segment as usize <= segment);
            if from < to {
                let (docs, scores): (Vec<u32>, Vec<f32>) =
                    hits[from..to].iter().map(|hit| (hit.doc, hit.score)).unzip();
                collapsed.enter_segment(segment as u32, view, doc_base)?;
                collapsed.offer(view, &docs, &scores)?;
            }
            doc_base += u64::from(view.max_doc());
        }
        if are_all || collapsed.is_full() || self.timed_out {
            self.total = Some(total);
            return Ok(true);
        }
        let next = Leaders { size: leaders.size * GROWTH };
        match next.size <= MOST {
            true => {
                self.begin_anew(Way::Top, next.top(limit));
                self.leaders = Some(next);
            }
            false => self.stream_groups(),
        }
        Ok(false)
    }

    /// Looks at every hit instead.
    pub(super) fn stream_groups(&mut self) {
        self.begin_anew(Way::Stream, TopScores::new(0, self.request.total_hits.limit()));
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{search, shard};

    #[test]
    fn groups_of_leaders_are_those_of_all_hits() {
        let mapping = r#"{"properties":{"t":{"type":"text"},"g":{"type":"keyword"},"n":{"type":"integer"}}}"#;
        let docs: Vec<String> = (0..3_000u32)
            .map(|n| {
                // The best hits are all of one group, so that the first leaders are not enough.
                let (often, group) = if n % 3 == 0 { (4 + n % 2, 0) } else { (1 + n % 3, n % 17) };
                format!(
                    r#"{{"t":"{}{}","g":"g{group}","n":{}}}"#,
                    "fox ".repeat(often as usize),
                    "dog ".repeat((n % 5) as usize),
                    n % 40
                )
            })
            .collect();
        let docs: Vec<&str> = docs.iter().map(String::as_str).collect();
        let cx = shard(mapping, &[&docs[..1_000], &docs[1_000..1_001], &docs[1_001..]]);
        for query in [
            r#"{"match":{"t":"fox"}}"#,
            r#"{"match":{"t":"fox dog"}}"#,
            r#"{"match_all":{}}"#,
            r#"{"match":{"t":"cow"}}"#,
        ] {
            for (field, size, from) in
                [("g", 3, 0), ("g", 17, 0), ("g", 30, 0), ("n", 10, 20), ("n", 40, 0), ("absent", 5, 0), ("g", 1, 0)]
            {
                for total in ["true", "false", "100"] {
                    let body = |more: &str| {
                        format!(
                            r#"{{"query":{query},"collapse":{{"field":"{field}"}},"size":{size},"from":{from},"track_total_hits":{total},"_source":false{more}}}"#
                        )
                    };
                    let all = search(&cx, &body(r#","min_score":0"#));
                    assert_eq!(search(&cx, &body("")), all, "{query} {field} {size} {total}");
                }
            }
        }
    }
}
