//! The steps of a search within one segment: a stretch of documents each.

use super::early_end::EarlyEnd;
use super::profiling::Profiling;
use super::shard_search::{At, Lead, ShardSearch, Way};
use super::sort_points::Led;
use super::sort_windows::WindowsLead;
use crate::error::Result;
use crate::score::{Scorer, takes};
use crate::segment::{NO_MORE_DOCS, SegmentView, WINDOW};

/// Documents between two looks at the budget at most, where each costs little.
const STRETCH_DOCS: u32 = 16_384;
/// And where matches need their positions read or go through batches.
const BATCH_DOCS: u32 = 4_096;

/// Fewer matches are all scored while they are counted.
const APART_MIN: u64 = 1_024;

impl At {
    /// Whether the scorer's candidates are looked at one by one.
    pub fn goes_by_candidates(&self) -> bool {
        self.scorer.as_ref().is_some_and(|scorer| scorer.goes_by_candidates())
    }

    /// Passes over the documents before `doc`, where it begins.
    pub fn begin_at(&mut self, doc: u32) {
        if doc == 0 {
            return;
        }
        let by_candidates = self.goes_by_candidates();
        if let Some(scorer) = self.scorer.as_mut().filter(|scorer| !by_candidates && scorer.doc() < doc) {
            scorer.advance(doc);
        }
        if let Some(bulk) = &mut self.bulk {
            bulk.begin_at(doc);
        }
        self.from = self.from.max(doc);
    }

    /// Leaves documents from `doc` on to others.
    pub fn end_before(&mut self, doc: u32) {
        self.limit = doc;
        if let Some(bulk) = &mut self.bulk {
            bulk.end_before(doc);
        }
    }

    /// The next document that was not looked at yet, where documents are looked at in their order.
    pub fn next_doc(&self) -> Option<u32> {
        match (&self.bulk, &self.scorer, &self.lead) {
            (Some(bulk), _, None) => Some(bulk.next_doc()),
            (_, Some(_), None) if self.goes_by_candidates() => Some(self.from),
            (_, Some(scorer), None) => Some(scorer.doc()),
            _ => None,
        }
    }
}

impl ShardSearch {
    /// How a segment that is being opened is gone through. `counted`: its matches, if they are known.
    pub(super) fn choose_way(&mut self, at: &mut At, view: &SegmentView, counted: Option<u64>) -> Result<()> {
        let matches = at.scorer.as_ref().map_or(0, |scorer| scorer.cost());
        if self.way == Way::Count && at.goes_by_candidates() {
            at.way = Way::Stream;
        }
        if self.way == Way::Top && self.top.is_counting() && matches >= APART_MIN && self.weight.counts_apart() {
            at.way = Way::Sweep;
        }
        if self.way != Way::Sweep {
            return Ok(());
        }
        let scorer = at.scorer.as_ref();
        // Confirming candidates twice would cost more than scoring all matches.
        if self.needs_scores && scorer.is_some_and(|scorer| scorer.is_two_phase()) {
            at.way = Way::Stream;
        }
        let matches = counted.or(scorer.map(|scorer| scorer.cost())).unwrap_or(0);
        let sorts = at.sorts;
        at.lead = self.sorted.as_deref().filter(|_| sorts).and_then(|sorted| Lead::new(sorted, view, matches));
        if sorts && at.lead.is_none() && at.scorer.is_none() {
            at.scorer = self.weight.scorer(view)?;
        }
        if at.lead.is_none() && at.goes_by_candidates() {
            at.way = Way::Stream;
        }
        Ok(())
    }

    /// Whether aggregations see all that the query finds.
    pub(super) fn counts_plainly(&self) -> bool {
        let request = &self.request;
        request.min_score.is_none() && request.terminate_after.is_none() && self.slice.is_none()
    }

    /// Whether hits are looked at one by one for nothing but the order of all of them.
    pub(super) fn counts_what_it_sorts(&self) -> bool {
        self.sorted.is_some() && self.post_filter.is_none() && self.counts_plainly()
    }

    pub(super) fn scorer(&mut self) -> Option<&mut Box<dyn Scorer>> {
        let at = self.at.as_mut()?;
        at.scorer.as_mut().filter(|scorer| scorer.doc() < at.limit)
    }

    pub(super) fn count_stretch(&mut self, view: &SegmentView) -> bool {
        if let Some(bulk) = self.at.as_mut().and_then(|at| at.bulk.as_mut()) {
            return bulk.work(&mut self.top) && !self.top.limit_reached();
        }
        let mut bits = self.bits.take().unwrap_or_default();
        let (stride, limit) = (self.stride, self.at.as_ref().map_or(NO_MORE_DOCS, |at| at.limit));
        let Some(scorer) = self.scorer() else { return false };
        let doc = scorer.doc();
        bits.reset(doc / WINDOW);
        let step = if scorer.is_two_phase() { BATCH_DOCS } else { WINDOW };
        scorer.fill(stretch_end(doc, stride.docs(step), limit), &mut bits);
        if let Some(live) = &view.live {
            live.mask(&mut bits);
        }
        self.top.add_count(u64::from(bits.count()));
        self.bits = Some(bits);
        !self.top.limit_reached()
    }

    pub(super) fn top_stretch(&mut self) -> bool {
        let Self { at, top, stride, .. } = self;
        if let Some(bulk) = at.as_mut().and_then(|at| at.bulk.as_mut()) {
            return bulk.work(top);
        }
        let Some(at) = at else { return false };
        let by_candidates = at.goes_by_candidates();
        let limit = at.limit;
        let Some(scorer) = &mut at.scorer else { return false };
        if by_candidates {
            let first = scorer.candidate_from(at.from);
            if first >= limit {
                return false;
            }
            at.from = scorer.collect_top_candidates(first, stretch_end(first, stride.docs(BATCH_DOCS), limit), top);
            return at.from < limit;
        }
        let doc = scorer.doc();
        if doc >= limit {
            return false;
        }
        let step = if scorer.is_two_phase() { BATCH_DOCS } else { STRETCH_DOCS };
        scorer.collect_top(stretch_end(doc, stride.docs(step), limit), top);
        true
    }

    /// What *Sweep* does next; it ends with the best scores where those are wanted.
    pub(super) fn sweep_stretch(&mut self, view: &SegmentView) -> Result<bool> {
        if self.at.as_ref().is_some_and(|at| at.lead.is_some()) {
            return self.lead_stretch(view);
        }
        let Some(at) = &mut self.at else { return Ok(false) };
        let counts = self.top.is_counting();
        if at.swept_to.is_some() || at.aggregates || at.sorts || counts {
            let next = at.scorer.as_ref().map_or(NO_MORE_DOCS, |scorer| scorer.doc());
            if at.swept_to.is_some() {
                self.sweep_docs(view)?;
                return Ok(true);
            }
            if next < at.limit {
                self.sweep_window(view, next, counts);
                return Ok(true);
            }
        }
        if self.sorted.is_some() || self.request.window() == 0 {
            return Ok(false);
        }
        // All matches have been counted: now for the best of them.
        at.way = Way::Top;
        at.bulk = self.weight.bulk(view)?;
        at.scorer = if at.bulk.is_some() { None } else { self.weight.scorer(view)? };
        at.from = 0;
        at.begin_at(self.stretch.first_doc(self.segment));
        at.end_before(at.limit);
        self.top.stop_counting();
        Ok(true)
    }

    /// Takes some of the best documents by the field that hits are sorted by. False when there are no more of them.
    fn lead_stretch(&mut self, view: &SegmentView) -> Result<bool> {
        let (Some(at), Some(sorted)) = (&mut self.at, &mut self.sorted) else { return Ok(false) };
        let (weight, all) = (&mut self.weight, at.all);
        let led = match &mut at.lead {
            Some(Lead::Points(points)) => points.run(sorted, view, || weight.scorer(view), all)?,
            Some(Lead::Windows(windows)) => {
                let scorer = at.scorer.as_mut().filter(|scorer| scorer.doc() != NO_MORE_DOCS);
                return Ok(windows.run(sorted, view, scorer, &mut self.docs));
            }
            None => return Ok(false),
        };
        match led {
            Led::More => {}
            Led::Done => (at.lead, at.sorts) = (None, false),
            Led::GivenUp => {
                if at.scorer.is_none() {
                    at.scorer = weight.scorer(view)?;
                }
                let scorer = at.scorer.as_ref().filter(|_| !at.aggregates && !self.top.is_counting());
                let windows = scorer.and_then(|scorer| WindowsLead::new(sorted, view, scorer.as_ref()));
                at.lead = windows.map(Lead::Windows);
            }
        }
        Ok(true)
    }

    /// Brings the matches from `doc` on to the bits at hand, or passes over documents that only a sort could want and does
    /// not.
    fn sweep_window(&mut self, view: &SegmentView, doc: u32, counts: bool) {
        let stride = self.stride;
        let Some(at) = &mut self.at else { return };
        let two_phase = at.scorer.as_ref().is_some_and(|scorer| scorer.is_two_phase());
        let mut end = stretch_end(doc, stride.docs(if two_phase { BATCH_DOCS } else { WINDOW }), at.limit);
        let Some(scorer) = &mut at.scorer else { return };
        if !at.aggregates && !counts {
            let Some(sorted) = &self.sorted else { return };
            let open = sorted.next_open(doc, view.max_doc());
            if open >= view.max_doc() {
                at.sorts = false;
                return;
            }
            if open > doc {
                scorer.advance(open);
                return;
            }
            // Short stretches: the worst hit kept gets better all the time.
            end = stretch_end(doc, stride.docs(BATCH_DOCS), at.limit);
        }
        let bits = self.bits.get_or_insert_default();
        bits.reset(doc / WINDOW);
        scorer.fill(end, bits);
        if let Some(live) = &view.live {
            live.mask(bits);
        }
        self.top.add_swept(u64::from(bits.count()));
        if at.aggregates || at.sorts {
            at.swept_to = Some(doc);
        }
    }

    /// Hands on a batch of the matches in the bits at hand.
    fn sweep_docs(&mut self, view: &SegmentView) -> Result<()> {
        let Some(at) = &mut self.at else { return Ok(()) };
        let (Some(from), Some(bits)) = (at.swept_to.take(), &self.bits) else { return Ok(()) };
        self.docs.clear();
        let next = bits.push_some(from, self.stride.docs(BATCH_DOCS) as usize, &mut self.docs);
        at.swept_to = next;
        if let Some(aggs) = self.aggs.as_mut().filter(|_| at.aggregates) {
            aggs.collect(&self.docs)?;
        }
        if let Some(sorted) = self.sorted.as_mut().filter(|_| at.sorts) {
            sorted.offer(view, &self.docs, &[]);
        }
        Ok(())
    }

    /// Whether scores are asked for only of what is kept: scripts and functions may refuse other documents, which nobody asks them of.
    fn scores_what_is_kept(&self) -> bool {
        let keeps = self.slice.is_some() || self.post_filter.is_some();
        let looks_at_all =
            self.request.min_score.is_some() || self.request.terminate_after.is_some() || self.aggs.is_some();
        self.needs_scores && keeps && !looks_at_all && self.faults.is_shared(1)
    }

    /// A stretch of such a search.
    fn kept_stretch(&mut self, view: &SegmentView) -> Result<bool> {
        let step = self.stride.docs(BATCH_DOCS);
        let filtered = self.post_filter.is_some();
        let by_candidates = self.at.as_ref().is_some_and(|at| at.goes_by_candidates());
        let Some(At { scorer: Some(scorer), post, slice_column, from, limit, .. }) = self.at.as_deref_mut() else {
            return Ok(false);
        };
        let mut doc = if by_candidates { scorer.candidate_from(*from) } else { scorer.doc() };
        if doc >= *limit {
            return Ok(false);
        }
        let (mut docs, mut scores) = (std::mem::take(&mut self.docs), std::mem::take(&mut self.scores));
        docs.clear();
        scores.clear();
        let end = stretch_end(doc, step, *limit);
        while doc < end {
            let in_slice = self.slice.as_ref().is_none_or(|slice| slice.takes(view, slice_column.as_ref(), doc));
            let kept = view.is_live(doc)
                && in_slice
                && (!filtered || post.as_mut().is_some_and(|post| takes(post.as_mut(), doc)));
            if kept && (!by_candidates || scorer.matches()) {
                docs.push(doc);
                scores.push(scorer.score());
            }
            doc = if by_candidates { scorer.advance_candidate(doc + 1) } else { scorer.next() };
        }
        if by_candidates {
            *from = doc;
        }
        let result = self.keep(view, &docs, &scores);
        (self.docs, self.scores) = (docs, scores);
        result.map(|()| true)
    }

    pub(super) fn stream_stretch(&mut self, view: &SegmentView) -> Result<bool> {
        if self.scores_what_is_kept() {
            return self.kept_stretch(view);
        }
        let mut docs = std::mem::take(&mut self.docs);
        let mut scores = std::mem::take(&mut self.scores);
        docs.clear();
        scores.clear();
        let (needs_scores, stride) = (self.needs_scores, self.stride.docs(BATCH_DOCS));
        let limit = self.at.as_ref().map_or(NO_MORE_DOCS, |at| at.limit);
        let scores_wanted = needs_scores.then_some(&mut scores);
        let candidates = self.at.as_deref_mut().filter(|at| at.goes_by_candidates());
        let found = match candidates {
            Some(At { scorer: Some(scorer), from, limit, .. }) => {
                let first = scorer.candidate_from(*from);
                if first < *limit {
                    let end = stretch_end(first, stride, *limit);
                    *from = scorer.collect_candidates(first, end, &mut docs, scores_wanted);
                }
                first < *limit
            }
            _ => match self.scorer() {
                None => false,
                Some(scorer) => {
                    let end = stretch_end(scorer.doc(), stride, limit);
                    scorer.collect(end, &mut docs, scores_wanted);
                    true
                }
            },
        };
        let result = match &mut self.early_end {
            _ if found => self.batch(view, &mut docs, &mut scores),
            Some(end) if !end.has_ended() => {
                (docs, scores) = end.rest();
                self.through(view, &docs, &scores)
            }
            _ => Ok(()),
        };
        self.docs = docs;
        self.scores = scores;
        result.map(|()| found && !self.has_ended())
    }

    /// What a batch of matches goes through.
    pub(super) fn batch(&mut self, view: &SegmentView, docs: &mut Vec<u32>, scores: &mut Vec<f32>) -> Result<()> {
        let min_score = self.request.min_score;
        if view.live.is_some() || min_score.is_some() {
            retain(docs, scores, |doc, score| view.is_live(doc) && min_score.is_none_or(|min| score >= min));
        }
        if let (Some(slice), Some(at)) = (&self.slice, &self.at) {
            retain(docs, scores, |doc, _| slice.takes(view, at.slice_column.as_ref(), doc));
        }
        if self.early_end.is_none() {
            self.aggregate(docs)?;
        }
        let seen =
            (self.early_end.is_some() && self.post_filter.is_some() && self.aggs.is_some()).then(|| docs.clone());
        if self.post_filter.is_some() {
            let mut post = self.at.as_mut().and_then(|at| at.post.take());
            retain(docs, scores, |doc, _| match &mut post {
                Some(post) => takes(post.as_mut(), doc),
                None => false,
            });
            if let Some(at) = &mut self.at {
                at.post = post;
            }
        }
        if let Some(end) = &mut self.early_end {
            if end.take_runs(docs, scores) {
                return self.through(view, docs, scores);
            }
            // Aggregations see what the filter leaves out, up to where the search ends.
            let taken = end.take(docs.len());
            let end = docs.get(taken).copied().unwrap_or(NO_MORE_DOCS);
            docs.truncate(taken);
            scores.truncate(taken);
            match seen {
                Some(mut seen) => {
                    seen.retain(|doc| *doc < end);
                    self.aggregate(&seen)?;
                }
                None => self.aggregate(docs)?,
            }
        }
        self.keep(view, docs, scores)
    }

    fn through(&mut self, view: &SegmentView, docs: &[u32], scores: &[f32]) -> Result<()> {
        self.aggregate(docs)?;
        self.keep(view, docs, scores)
    }

    fn aggregate(&mut self, docs: &[u32]) -> Result<()> {
        self.aggs.as_mut().map_or(Ok(()), |aggs| aggs.collect(docs))
    }

    /// Whether as much has been found as is to be looked for.
    pub(super) fn has_ended(&self) -> bool {
        self.early_end.as_ref().is_some_and(EarlyEnd::has_ended)
    }

    pub(super) fn keep(&mut self, view: &SegmentView, docs: &[u32], scores: &[f32]) -> Result<()> {
        self.top.add_swept(docs.len() as u64);
        if (self.sorted.is_some() || self.collapsed.is_some())
            && let Some(best) = scores.iter().copied().reduce(f32::max)
        {
            self.max_score = Some(self.max_score.map_or(best, |max| max.max(best)));
        }
        match (&mut self.sorted, &mut self.collapsed) {
            (Some(sorted), _) => sorted.offer(view, docs, scores),
            (_, Some(collapsed)) => collapsed.offer(view, docs, scores)?,
            (None, None) => {
                for (doc, score) in docs.iter().zip(scores) {
                    self.top.offer_live(*doc, *score);
                }
            }
        }
        Ok(())
    }

    /// Feeds live documents to global aggregations. False when all have been.
    pub(super) fn global_stretch(&mut self, view: &SegmentView) -> Result<bool> {
        let (Some(aggs), Some(at)) = (&mut self.aggs, &mut self.at) else { return Ok(false) };
        if !aggs.needs_global() || at.global_from >= view.max_doc() {
            return Ok(false);
        }
        let (start, is_first) = (self.profiling.as_deref().map_or(0, Profiling::now), at.global_from == 0);
        let end = at.global_from.saturating_add(self.stride.docs(BATCH_DOCS)).min(view.max_doc());
        self.docs.clear();
        self.docs.extend((at.global_from..end).filter(|doc| view.is_live(*doc) && view.segment.is_root(*doc)));
        at.global_from = end;
        if let Some(slice) = &self.slice {
            self.docs.retain(|doc| slice.takes(view, at.slice_column.as_ref(), *doc));
        }
        aggs.collect_global(&mut self.docs)?;
        if let Some(profiling) = &mut self.profiling {
            profiling.showed_all(start, self.docs.len() as u64, is_first);
        }
        Ok(end < view.max_doc())
    }
}

/// At most `step` documents on from `doc`, within its window and before `limit`.
fn stretch_end(doc: u32, step: u32, limit: u32) -> u32 {
    let window_end = (u64::from(doc / WINDOW) + 1) * u64::from(WINDOW);
    (u64::from(doc) + u64::from(step)).min(window_end).min(u64::from(limit)) as u32
}

/// Keeps documents, and their scores if there are any.
fn retain(docs: &mut Vec<u32>, scores: &mut Vec<f32>, mut keep: impl FnMut(u32, f32) -> bool) {
    let mut kept = 0;
    for i in 0..docs.len() {
        if keep(docs[i], scores.get(i).copied().unwrap_or(f32::NAN)) {
            docs[kept] = docs[i];
            if i < scores.len() {
                scores[kept] = scores[i];
            }
            kept += 1;
        }
    }
    docs.truncate(kept);
    scores.truncate(kept);
}

#[cfg(test)]
mod tests {
    use super::super::tests::{search, search_within, shard};
    use super::super::{Budget, SearchRequest, ShardScope, ShardSearch, Step};
    use std::sync::Arc;

    const MAPPING: &str = r#"{"properties":{"t":{"type":"text"},"u":{"type":"text"},"n":{"type":"integer"}}}"#;

    /// Some thousand documents that have words in two fields.
    fn documents() -> Vec<String> {
        let words = |n: u32, field: u32| {
            let often = 1 + n.wrapping_mul(2_654_435_761 + 2 * field) % 7;
            format!("{}{}", "fox ".repeat(often as usize % 5), "dog ".repeat(often as usize / 2))
        };
        let document = |n: u32| format!(r#"{{"t":"{}","u":"{}cow","n":{}}}"#, words(n, 1), words(n, 2), n * 7 % 50);
        (0..6_000).map(document).collect()
    }

    #[test]
    fn what_is_counted_apart_is_what_is_found_together() {
        let documents = documents();
        let docs: Vec<&str> = documents.iter().map(String::as_str).collect();
        let cx = shard(MAPPING, &[&docs[..5_000], &docs[5_000..]]);
        for more in ["", r#","tie_breaker":0.3"#] {
            for total in ["true", "false", "100", "5500"] {
                let body = |more: &str, min: &str| {
                    format!(
                        r#"{{"query":{{"multi_match":{{"query":"fox dog","fields":["t^3","u"]{more}}}}},"track_total_hits":{total},"_source":false{min}}}"#
                    )
                };
                assert_eq!(
                    search(&cx, &body(more, "")),
                    search(&cx, &body(more, r#","min_score":0"#)),
                    "{more} {total}"
                );
            }
        }
    }

    #[test]
    fn the_core_is_handed_back_while_candidates_fail() {
        // Words that stand in each document, and never together.
        let docs: Vec<String> = (0..3_000).map(|n| format!(r#"{{"t":"fox a b c d dog","n":{n}}}"#)).collect();
        let docs: Vec<&str> = docs.iter().map(String::as_str).collect();
        let cx = shard(MAPPING, &[&docs]);
        let budget = Budget { should_yield: || true, ..Budget::unlimited() };
        let span = |word: &str| format!(r#"{{"span_term":{{"t":"{word}"}}}}"#);
        let all = r#"{"term":{"t":"fox"}}"#;
        for (query, most) in [
            (r#"{"script":{"script":"doc['n'].value < 0"}}"#.to_owned(), 64),
            (r#"{"match_phrase":{"t":{"query":"fox dog","slop":3}}}"#.to_owned(), 4_096),
            (format!(r#"{{"span_near":{{"clauses":[{},{}],"slop":1}}}}"#, span("fox"), span("dog")), 4_096),
            (r#"{"intervals":{"t":{"match":{"query":"fox dog","max_gaps":1}}}}"#.to_owned(), 4_096),
        ] {
            let alone = [
                (r#""size":3"#, query.clone()),
                (r#""size":0,"track_total_hits":true"#, query.clone()),
                (r#""size":0,"aggs":{"a":{"max":{"field":"n"}}}"#, query.clone()),
                (r#""min_score":0"#, format!(r#"{{"constant_score":{{"filter":{query}}}}}"#)),
            ];
            let within = [
                (r#""size":3"#, format!(r#"{{"bool":{{"must":[{query},{all}]}}}}"#)),
                (r#""size":0,"track_total_hits":true"#, format!(r#"{{"bool":{{"filter":[{query},{all}]}}}}"#)),
                (r#""size":3"#, format!(r#"{{"bool":{{"should":[{query},{query}]}}}}"#)),
                (r#""size":3"#, format!(r#"{{"bool":{{"should":[{query},{query},{all}],"minimum_should_match":2}}}}"#)),
                (r#""size":3"#, format!(r#"{{"bool":{{"must":{query},"should":{all}}}}}"#)),
                (r#""size":3"#, format!(r#"{{"bool":{{"must":{query},"must_not":{{"term":{{"n":7}}}}}}}}"#)),
                (r#""size":3"#, format!(r#"{{"dis_max":{{"queries":[{query},{query}]}}}}"#)),
                (r#""size":3"#, format!(r#"{{"function_score":{{"query":{query},"weight":2}}}}"#)),
            ];
            let is_script = query.contains("script");
            for (how, query) in alone.into_iter().chain(within.into_iter().filter(|_| is_script)) {
                let body = format!(r#"{{{how},"query":{query}}}"#);
                let request = Arc::new(SearchRequest::parse(Some(body.as_bytes()), &[]).unwrap());
                let mut search = ShardSearch::new(&request, cx.clone()).unwrap();
                let mut steps = 0;
                while search.run(&budget).unwrap() == Step::Yield {
                    steps += 1;
                }
                assert_eq!(search.finish().unwrap().total, 0, "{body}");
                // Strides begin short and grow, as no clock goes here.
                assert!(steps >= 3.max(3_000 / most), "{steps} {body}");
            }
        }
    }

    #[test]
    fn pages_are_those_of_whole_results() {
        let documents = documents();
        let docs: Vec<&str> = documents.iter().map(String::as_str).collect();
        let cx = shard(MAPPING, &[&docs[..3_000], &docs[3_000..]]);
        let page = ShardScope { page_only: true, ..ShardScope::default() };
        for query in [r#"{"match":{"t":"fox dog"}}"#, r#"{"match":{"t":"none"}}"#, r#"{"match_all":{}}"#] {
            for how in [
                "",
                r#","sort":["n"]"#,
                r#","sort":["_score","n"],"track_scores":true"#,
                r#","sort":[{"n":"desc"},"_doc"],"aggs":{"a":{"sum":{"field":"n"}}}"#,
                r#","collapse":{"field":"n"}"#,
                r#","rescore":{"window_size":50,"query":{"rescore_query":{"match":{"u":"dog"}}}}"#,
                r#","min_score":0.5"#,
            ] {
                for (from, size) in [(0, 10), (7, 3), (100, 10), (1_000, 25), (5_990, 20), (9_000, 10), (20, 0)] {
                    let body = format!(r#"{{"query":{query},"from":{from},"size":{size},"_source":false{how}}}"#);
                    assert_eq!(search_within(&cx, &body, &page), search(&cx, &body), "{body}");
                }
            }
        }
    }
}
