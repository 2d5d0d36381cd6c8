//! The scores of documents that aggregations have, for those that go by them.

use crate::error::Result;
use crate::query::{ShardContext, Weight, match_all};
use crate::score::{Faults, Scorer, WeightContext, takes};
use crate::search::index_boost;
use crate::segment::SegmentView;

/// Scores documents by the query of the search. Documents come ascending within a segment, again and again if they must.
pub(crate) struct DocScores {
    weight: Weight,
    /// What its scripts fail with.
    faults: Faults,
    scorer: Option<Box<dyn Scorer>>,
    /// The document scored last and its score.
    last: Option<(u32, f32)>,
    view: Option<SegmentView>,
    /// Matches found together, and their scores.
    found: (Vec<u32>, Vec<f32>),
}

/// Fewer documents, or less than one match in so many, are scored one by one.
const TOGETHER_MIN: usize = 64;
const TOGETHER_SHARE: u64 = 4;

/// The score of what the query does not match: of all documents, which some aggregations see.
const UNMATCHED: f32 = 1.0;

impl DocScores {
    pub(crate) fn new(cx: &ShardContext) -> Result<Self> {
        let default = match_all();
        let search = cx.search.as_deref().filter(|_| !cx.sees_all);
        let query = search.and_then(|search| search.query.as_ref()).unwrap_or(&default);
        let boost = search.map_or(Ok(1.0), |search| index_boost(search, cx))?;
        let weighing = WeightContext::new(&cx.snapshot, cx.mapping.similarities());
        let weight = query.boosted_root_plan(cx, boost)?.weight(&weighing, true, 1.0)?;
        Ok(Self {
            weight,
            faults: weighing.faults.clone(),
            scorer: None,
            last: None,
            view: None,
            found: (vec![], vec![]),
        })
    }

    pub(crate) fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.scorer = self.weight.scorer(view)?;
        (self.view, self.last) = (Some(view.clone()), None);
        Ok(())
    }

    /// Nested documents have the score of the one they are in.
    pub(crate) fn score(&mut self, doc: u32) -> Result<f32> {
        let Some(view) = &self.view else { return Ok(UNMATCHED) };
        let root = view.segment.roots().map_or(doc, |roots| roots.from(doc));
        if let Some((_, score)) = self.last.filter(|(last, _)| *last == root) {
            return Ok(score);
        }
        if self.last.is_some_and(|(last, _)| last > root) {
            self.scorer = self.weight.scorer(view)?;
        }
        let score = match &mut self.scorer {
            Some(scorer) => {
                if takes(scorer.as_mut(), root) {
                    scorer.score()
                } else {
                    UNMATCHED
                }
            }
            None => UNMATCHED,
        };
        self.faults.check()?;
        self.last = Some((root, score));
        Ok(score)
    }

    /// [`DocScores::score`] of many documents, which ascend; clears `out` first.
    pub(crate) fn score_all(&mut self, docs: &[u32], out: &mut Vec<f32>) -> Result<()> {
        out.clear();
        // Documents between them that cannot be scored are no matter: then each is scored for itself.
        if self.find_all(docs) && self.faults.check().is_ok() {
            let (matches, scores) = &self.found;
            let mut at = 0;
            out.extend(docs.iter().map(|doc| {
                at += matches[at..].iter().take_while(|found| *found < doc).count();
                if matches.get(at) == Some(doc) { scores[at] } else { UNMATCHED }
            }));
            return Ok(());
        }
        docs.iter().try_for_each(|doc| {
            out.push(self.score(*doc)?);
            Ok(())
        })
    }

    /// Finds the matches from the first to the last of `docs` together, if they are many of these and none of them was passed before.
    fn find_all(&mut self, docs: &[u32]) -> bool {
        let (Some(view), Some(scorer), [first, .., last]) = (&self.view, &mut self.scorer, docs) else { return false };
        let passed = self.last.is_some_and(|(passed, _)| passed >= *first);
        if docs.len() < TOGETHER_MIN || passed || view.segment.roots().is_some() {
            return false;
        }
        let span = u64::from(last - first) + 1;
        let matches = scorer.cost() * span / u64::from(view.max_doc()).max(1);
        if matches > docs.len() as u64 * TOGETHER_SHARE {
            return false;
        }
        let (found, scores) = &mut self.found;
        found.clear();
        scores.clear();
        if scorer.goes_by_candidates() {
            scorer.collect_candidates(*first, last + 1, found, Some(scores));
        } else {
            if scorer.doc() < *first {
                scorer.advance(*first);
            }
            scorer.collect(last + 1, found, Some(scores));
        }
        let score = found.iter().rposition(|found| found == last).map_or(UNMATCHED, |at| scores[at]);
        self.last = Some((*last, score));
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::search::tests::{search, shard};

    #[test]
    fn scores_found_together_are_those_of_the_search() {
        let docs: Vec<String> = (0..900)
            .map(|i: u32| {
                let words = "a ".repeat((i * 7 % 5) as usize) + &"b ".repeat((i * 11 % 13) as usize);
                format!(r#"{{"t":"{words}","k":["k{}","k{}"]}}"#, i % 3, i % 2)
            })
            .collect();
        let docs: Vec<&str> = docs.iter().map(String::as_str).collect();
        let cx = shard(r#"{"properties":{"t":{"type":"text"},"k":{"type":"keyword"}}}"#, &[&docs[..700], &docs[700..]]);
        for query in [r#"{"match":{"t":"a"}}"#, r#"{"match":{"t":"a b"}}"#, r#"{"match_all":{}}"#] {
            let bucket = |k: &str| format!(r#"{{"bool":{{"must":{query},"filter":{{"term":{{"k":"{k}"}}}}}}}}"#);
            let body = format!(
                r#"{{"size":0,"query":{query},"aggs":{{"k":{{"terms":{{"field":"k"}},"aggs":{{"h":{{"top_hits":{{"size":4,"_source":false}}}}}}}}}}}}"#
            );
            let answer = search(&cx, &body);
            for k in ["k0", "k1", "k2"] {
                let alone = search(&cx, &format!(r#"{{"size":4,"_source":false,"query":{}}}"#, bucket(k)));
                let hits = |text: &str| {
                    text.split(r#""hits":["#).nth(1).and_then(|hits| hits.split(']').next()).map(str::to_owned)
                };
                let below = answer.split(&format!(r#"{{"key":"{k}""#)).nth(1).unwrap_or_else(|| panic!("{answer}"));
                assert!(hits(&alone).is_some_and(|hits| hits.contains("_score")), "{alone}");
                assert_eq!(hits(below), hits(&alone), "{query} {k}");
            }
        }
    }
}
