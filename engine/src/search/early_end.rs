//! `terminate_after`: the search of a shard ends once more documents are found than it says.
//!
//! The reference counts beside whatever else it does with what it finds. So hits that can be counted without looking at
//! them are all counted (and documents are looked at for the end alone), and where it hands on runs of documents instead
//! of single ones, which it does where a whole segment matches, nothing of the run is kept in which it ends.

use super::SearchRequest;
use super::shard_search::ShardSearch;
use crate::query::is_roots;
use crate::score::{Plan, Selection};
use crate::segment::SegmentView;

/// Segments of fewer documents are never handed on in runs.
const RUNS_MIN: u32 = 2048;
/// The reference looks at so many documents of a segment at a time, then at twice as many, up to [`RUN_MAX`]: no run goes beyond.
const FIRST_RUN: u32 = 4096;
const RUN_MAX: u32 = 1 << 20;

pub(super) struct EarlyEnd {
    limit: u64,
    found: u64,
    ended: bool,
    /// Whether documents come one by one whatever is looked for.
    one_by_one: bool,
    /// Whether all documents that are not left out are looked for.
    leaves_out: bool,
    /// Whether a filter keeps documents apart that are nested in others: nobody knows how many those are.
    among_roots: bool,
    runs: Option<Runs>,
}

/// The runs of a segment.
struct Runs {
    /// The documents of the one that has not ended yet.
    open: Vec<u32>,
    /// What each document scores, if any does.
    score: Option<f32>,
    /// Where it ends at the latest, and how many documents come behind that at most.
    end: u32,
    next: u32,
}

impl EarlyEnd {
    pub fn of(request: &SearchRequest, plan: &Plan, needs_scores: bool, profiles: bool) -> Option<Self> {
        let limit = request.terminate_after?;
        let scored = request.aggs.as_ref().is_some_and(|aggs| aggs.needs_scores());
        let filtered = request.post_filter.is_some() || request.min_score.is_some() || request.slice.is_some();
        let one_by_one = scored || profiles || filtered;
        // Where hits are sorted by something else than scores, documents between those that are left out come one by one.
        let by_itself = !needs_scores || scores_by_itself(plan);
        let in_runs = by_itself && (needs_scores || request.first_window() == 0);
        Some(Self {
            limit,
            found: 0,
            ended: false,
            one_by_one: one_by_one || !by_itself,
            leaves_out: in_runs && leaves_out(plan),
            among_roots: is_among_roots(plan),
            runs: None,
        })
    }

    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Begins with a segment of which `selection` is looked for. False if the search has ended before it.
    pub fn enter(&mut self, view: &SegmentView, selection: &Selection) -> bool {
        self.ended |= self.found >= self.limit;
        let whole = match self.leaves_out {
            true => view.live.is_none() && view.segment.roots().is_none(),
            false => selection.in_segment(view) == Selection::All,
        };
        let in_runs = !self.one_by_one && whole && view.max_doc() >= RUNS_MIN;
        self.runs = in_runs.then(|| Runs { open: vec![], score: None, end: FIRST_RUN, next: 2 * FIRST_RUN });
        !self.ended
    }

    /// Passes over matches that need not be looked at.
    pub fn pass(&mut self, matches: u64) {
        let room = self.limit.saturating_sub(self.found);
        self.ended |= matches > room;
        self.found += matches.min(room);
    }

    /// How many of further matches are let through.
    pub fn take(&mut self, matches: usize) -> usize {
        let room = self.limit.saturating_sub(self.found);
        self.pass(matches as u64);
        usize::try_from(room).map_or(matches, |room| room.min(matches))
    }

    /// Leaves of further matches those whose runs have come to their end; the others are kept until they have. False, and nothing
    /// is done, if they do not come in runs.
    pub fn take_runs(&mut self, docs: &mut Vec<u32>, scores: &mut Vec<f32>) -> bool {
        let Some(runs) = &mut self.runs else { return false };
        // They take all documents, and all score alike.
        runs.score = scores.first().copied().or(runs.score);
        let mut done = vec![];
        for doc in docs.drain(..) {
            if doc >= runs.end || runs.open.last().is_some_and(|last| last + 1 != doc) {
                self.found += runs.open.len() as u64;
                done.append(&mut runs.open);
            }
            while doc >= runs.end {
                (runs.end, runs.next) = (runs.end.saturating_add(runs.next), (2 * runs.next).min(RUN_MAX));
            }
            runs.open.push(doc);
            if self.found + runs.open.len() as u64 > self.limit {
                self.ended = true;
                runs.open.clear();
                break;
            }
        }
        scores.clear();
        scores.extend(runs.score.into_iter().flat_map(|score| done.iter().map(move |_| score)));
        *docs = done;
        true
    }

    /// What is kept at the end of the segment, with its scores.
    pub fn rest(&mut self) -> (Vec<u32>, Vec<f32>) {
        let Some(Runs { open, score, .. }) = self.runs.take() else { return Default::default() };
        self.found += open.len() as u64;
        let scores = score.into_iter().flat_map(|score| open.iter().map(move |_| score)).collect();
        (open, scores)
    }
}

impl ShardSearch {
    /// Begins with a segment of a search that may end early. The number of matches in it where the reference knows that beside:
    /// where nobody wants hits.
    pub(super) fn counted_beside(&mut self, view: &SegmentView) -> Option<u64> {
        let early_end = self.early_end.as_mut()?;
        if !early_end.enter(view, &self.selection) || early_end.among_roots {
            return None;
        }
        let request = &self.request;
        let whole = request.post_filter.is_none() && request.min_score.is_none() && self.slice.is_none();
        if request.first_window() > 0 || !whole {
            return None;
        }
        match (view.live.is_some(), self.selection == Selection::All) {
            // Beside documents that are nested in others nobody knows how many there are.
            (_, true) if view.segment.roots().is_some() => None,
            (true, true) => Some(u64::from(view.live_count())),
            (true, false) => None,
            (false, _) => self.known_count(view),
        }
    }

    /// Passes over matches of a search that may end early, unless somebody else wants to see them.
    pub(super) fn passes(&mut self, matches: u64) -> bool {
        let (Some(end), None, None) = (&mut self.early_end, &self.aggs, &self.profiling) else { return false };
        end.pass(matches);
        true
    }
}

/// Whether a plan that takes all documents gives them their scores without something around it.
fn scores_by_itself(plan: &Plan) -> bool {
    match plan {
        Plan::All | Plan::Points(_) => true,
        Plan::Boost(inner, _) => scores_by_itself(inner),
        // What takes part without a score is none of it.
        Plan::Bool(plan) if !plan.must_not.is_empty() => {
            let mut scored = plan.must.iter().chain(&plan.should).peekable();
            scored.peek().is_some() && scored.all(scores_by_itself)
        }
        _ => false,
    }
}

/// Whether a plan has a filter for documents that are nested in no other one.
fn is_among_roots(plan: &Plan) -> bool {
    match plan {
        Plan::Constant(inner) | Plan::Boost(inner, _) => is_among_roots(inner),
        Plan::Bool(plan) => plan.filter.iter().any(is_roots),
        plan => is_roots(plan),
    }
}

/// Whether a plan without scores takes all documents but some.
fn leaves_out(plan: &Plan) -> bool {
    match plan {
        Plan::Constant(inner) | Plan::Boost(inner, _) => leaves_out(inner),
        Plan::Bool(plan) => !plan.must_not.is_empty() && plan.requires_all(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{search, shard};
    use super::*;

    #[test]
    fn runs_are_kept_whole() {
        let through = |limit: u64, docs: std::ops::Range<u32>, without: &[u32]| {
            let runs = Some(Runs { open: vec![], score: None, end: FIRST_RUN, next: 2 * FIRST_RUN });
            let mut end = EarlyEnd {
                limit,
                found: 0,
                ended: false,
                one_by_one: false,
                leaves_out: true,
                among_roots: false,
                runs,
            };
            let mut docs: Vec<u32> = docs.filter(|doc| !without.contains(doc)).collect();
            let mut later = docs.split_off(docs.len() / 2);
            end.take_runs(&mut docs, &mut vec![]);
            let mut found = docs.len();
            if !end.has_ended() {
                end.take_runs(&mut later, &mut vec![]);
                found += later.len() + end.rest().0.len();
            }
            assert!(end.found <= limit);
            (found, end.has_ended())
        };
        assert_eq!(through(5000, 0..5000, &[]), (5000, false));
        assert_eq!(through(4999, 0..5000, &[]), (4096, true));
        assert_eq!(through(4095, 0..5000, &[]), (0, true));
        assert_eq!(through(28_671, 0..40_000, &[]), (12_288, true));
        assert_eq!(through(28_672, 0..40_000, &[]), (28_672, true));
        assert_eq!(through(13, 0..5000, &[7, 17]), (7, true));
        assert_eq!(through(16, 0..5000, &[7, 17]), (16, true));
    }

    #[test]
    fn nobody_knows_how_many_are_nested_in_others() {
        let mapping =
            r#"{"properties":{"i":{"type":"nested","properties":{"n":{"type":"integer"}}},"m":{"type":"integer"}}}"#;
        let cx = shard(mapping, &[&[r#"{"m":[1,2]}"#, r#"{"m":3}"#, r#"{"i":[{"n":1}]}"#]]);
        for (query, total) in [(r#"{"match_all":{}}"#, 1), (r#"{"range":{"m":{"gte":0}}}"#, 2)] {
            let found = search(&cx, &format!(r#"{{"size":0,"terminate_after":1,"query":{query}}}"#));
            assert!(found.contains(&format!(r#""total":{{"value":{total},"#)), "{query}: {found}");
        }
    }

    #[test]
    fn hits_that_are_known_are_all_counted() {
        let docs: Vec<String> = (0..3000).map(|n| format!(r#"{{"k":"k{}","n":{n}}}"#, n % 3)).collect();
        let docs: Vec<&str> = docs.iter().map(String::as_str).collect();
        let cx = shard(r#"{"properties":{"k":{"type":"keyword"},"n":{"type":"integer"}}}"#, &[&docs]);
        let found = |body: &str, early: bool, total: u32| {
            let found = search(&cx, body);
            let (early, total) = (format!(r#""terminated_early":{early}"#), format!(r#""total":{{"value":{total},"#));
            assert!(found.contains(&early) && found.contains(&total), "{body}: {found}");
            found
        };
        found(r#"{"size":0,"terminate_after":5,"query":{"term":{"k":"k1"}}}"#, true, 1000);
        found(r#"{"size":0,"terminate_after":1000,"query":{"term":{"k":"k1"}}}"#, false, 1000);
        found(r#"{"size":1,"terminate_after":5,"query":{"term":{"k":"k1"}}}"#, true, 5);
        let summed = r#"{"size":0,"terminate_after":5,"query":{"term":{"k":"k1"}},"aggs":{"s":{"sum":{"field":"n"}}}}"#;
        assert!(found(summed, true, 1000).contains(r#""value":35.0"#));
        // All documents are one run here, which is not kept where it is too long.
        assert!(found(r#"{"terminate_after":5}"#, true, 0).contains(r#""hits":[]"#));
        found(r#"{"terminate_after":5,"query":{"range":{"n":{"gte":0}}}}"#, true, 0);
        found(r#"{"terminate_after":5,"query":{"constant_score":{"filter":{"match_all":{}}}}}"#, true, 5);
        found(r#"{"terminate_after":3000}"#, false, 3000);
        let without = r#"{"size":0,"terminate_after":5,"query":{"bool":{"must_not":{"prefix":{"k":"k2"}}}}}"#;
        found(without, true, 4);
        // So it is where they are scored, unless something else sorts them; a single alternative is no alternative.
        let others = |kind: &str| format!(r#"{{"{kind}":{{"match_all":{{}}}},"must_not":{{"prefix":{{"k":"k2"}}}}}}"#);
        let asked =
            |kind: &str, more: &str| format!(r#"{{"terminate_after":5,"query":{{"bool":{}}}{more}}}"#, others(kind));
        found(&asked("must", ""), true, 4);
        found(&asked("should", ""), true, 4);
        found(&asked("filter", ""), true, 5);
        found(&asked("must", r#","sort":["n"]"#), true, 5);
        found(&asked("should", r#","size":0"#), true, 4);
        // What a filter behind the query leaves out is not counted, though aggregations see it.
        let filtered = r#"{"terminate_after":5,"post_filter":{"term":{"k":"k1"}},"aggs":{"s":{"max":{"field":"n"}}}}"#;
        assert!(found(filtered, true, 5).contains(r#""value":15.0"#));
    }
}
