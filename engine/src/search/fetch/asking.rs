//! The queries that hits are asked about once they have been found, as profiles show them.

use super::super::result::ShardHit;
use super::super::shard_search::{ShardSearch, shown};
use super::{FetchTask, named, views_of};
use crate::error::Result;
use crate::profile::{QueryProfile, QueryProfiler};
use crate::query::match_all;
use crate::score::{Rewriting, WeightContext};

impl FetchTask {
    /// The queries that were asked to explain each hit, and of each name, as profiles show them.
    pub(super) fn asked_for_hits(&self) -> Result<Vec<QueryProfile>> {
        let Some(profiler) = self.asking() else { return Ok(vec![]) };
        let weights = WeightContext { profiler: Some(profiler.clone()), ..self.cx.weighing() };
        self.ask_for_names(&self.hits, &weights, &profiler)?;
        self.inner.iter().try_for_each(|inner| inner.ask(&self.cx, &weights, &profiler))?;
        if self.request.explain {
            let plan = shown(&self.request, &ShardSearch::plan(&self.request, &self.cx)?, true);
            let mut rewriting = Rewriting::new(&profiler);
            for hit in &self.hits {
                let first = profiler.entered();
                plan.weight(&weights, true, 1.0)?;
                if let Some(view) = self.cx.snapshot.segments.get(hit.segment as usize) {
                    rewriting.note_explained(&profiler, first, &plan, view, hit.doc, &self.cx.weighing())?;
                    rewriting.enter_explained(&plan, view, hit.doc, true, &self.cx.weighing())?;
                }
                for at in &hit.rescored {
                    let Some(rescore) = self.request.rescore.get(*at) else { continue };
                    let first = profiler.entered();
                    rescore.query.weight_in(&self.cx, &weights, true)?;
                    if let Some(view) = self.cx.snapshot.segments.get(hit.segment as usize) {
                        let plan = rescore.query.shown(rescore.query.shard_plan(&self.cx)?, true);
                        rewriting.note_explained(&profiler, first, &plan, view, hit.doc, &self.cx.weighing())?;
                        rewriting.enter_explained(&plan, view, hit.doc, true, &self.cx.weighing())?;
                    }
                }
            }
        }
        Ok(profiler.finish())
    }

    pub(super) fn asking(&self) -> Option<QueryProfiler> {
        self.cx.profile.filter(|_| self.path.is_none()).map(|clock| QueryProfiler::new(clock).aside())
    }

    /// The queries of names, asked in the segments of hits.
    pub(super) fn asked_for_names(&self, hits: &[ShardHit]) -> Result<Vec<QueryProfile>> {
        let Some(profiler) = self.asking() else { return Ok(vec![]) };
        let weights = WeightContext { profiler: Some(profiler.clone()), ..self.cx.weighing() };
        self.ask_for_names(hits, &weights, &profiler)?;
        Ok(profiler.finish())
    }

    fn ask_for_names(&self, hits: &[ShardHit], weights: &WeightContext, profiler: &QueryProfiler) -> Result<()> {
        let default = match_all();
        let query = self.request.query.as_ref().unwrap_or(&default);
        let mut rewriting = Rewriting::new(profiler);
        for (_, (query, _)) in named::in_shown_order(&self.request, query, &self.cx) {
            let scored = self.request.named_scores || self.request.named_weighed;
            query.weight_in(&self.cx, weights, scored)?;
            let plan = query.shard_plan(&self.cx)?;
            for view in views_of(hits, &self.cx) {
                rewriting.enter_asked(&plan, view)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::shard;
    use super::*;
    use crate::search::{Budget, SearchRequest, Step};
    use std::sync::Arc;

    /// What hits are asked about once they have been found: the queries in order.
    fn asked_queries(body: &str) -> Vec<QueryProfile> {
        let mut cx = shard(
            r#"{"properties":{"t":{"type":"text"},"u":{"type":"text"},"o":{"type":"nested"}}}"#,
            &[&[r#"{"t":"aa","u":"aa"}"#, r#"{"t":"ab"}"#, r#"{"t":"b"}"#]],
        );
        cx.profile = Some(|| 0);
        let request = Arc::new(SearchRequest::parse(Some(body.as_bytes()), &[]).unwrap());
        let mut search = ShardSearch::new(&request, cx.clone()).unwrap();
        search.run(&Budget::unlimited()).unwrap();
        let mut task = FetchTask::new(&request, cx, search.finish().unwrap().hits).unwrap();
        while task.run(&Budget::unlimited()).unwrap() == Step::Yield {}
        task.asked_for_hits().unwrap()
    }

    /// Their descriptions.
    fn asked(body: &str) -> Vec<String> {
        asked_queries(body).into_iter().map(|query| query.description).collect()
    }

    /// A disjunction that stands for a pattern is made for the explanation of the clause, and again for the scorer of all clauses.
    #[test]
    fn clauses_explain_themselves_before_a_scorer_of_all_is_made() {
        let alone = r##"+t:a* #FieldExistsQuery [field=_primary_term]"##;
        assert_eq!(
            asked(r#"{"explain":true,"size":1,"query":{"prefix":{"t":"a"}}}"#),
            [alone, "t:aa t:ab", "t:aa t:ab"]
        );
        let beside = r#"{"explain":true,"size":1,"query":{"bool":{"must":[{"prefix":{"t":"a"}}],
            "should":[{"bool":{"must":[{"prefix":{"t":"a"}},{"term":{"t":"b"}}]}}]}}}"#;
        let beside = asked(beside);
        let disjunctions = |asked: Vec<String>| asked.iter().filter(|query| *query == "t:aa t:ab").count();
        assert_eq!(disjunctions(beside), 6);
        let changed = r#"{"explain":true,"size":1,"query":{"function_score":{"query":{"bool":{"must":[{"prefix":{"t":"a"}}],"should":{"match_all":{}}}},
            "functions":[{"weight":2,"filter":{"prefix":{"t":"a"}}}]}}}"#;
        assert_eq!(disjunctions(asked(changed)), 7);
    }

    #[test]
    fn names_with_scores_are_asked_for_with_scores() {
        let named = r#""query":{"combined_fields":{"query":"aa","fields":["t","u"],"_name":"n"}}"#;
        let below = |options: &str| {
            let queries = asked_queries(&format!("{{{named}{options}}}"));
            queries.iter().map(|query| query.children.len()).collect::<Vec<_>>()
        };
        assert_eq!(below(""), [2]);
        assert_eq!(below(r#","include_named_queries_score":true"#), [0]);
    }
}
