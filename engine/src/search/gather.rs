//! What the shards of a search are asked beforehand if it is to go by the statistics of all of them.

use super::request::SearchRequest;
use crate::error::Result;
use crate::query::{ShardContext, match_all};
use crate::score::WeightContext;
use crate::segment::{Counting, Statistics};
use std::sync::{Arc, Mutex, PoisonError};

/// The statistics of this shard that the request's scores go by.
pub fn gather(request: &SearchRequest, cx: &ShardContext) -> Result<Statistics> {
    let notes = Arc::new(Mutex::new(Statistics::default()));
    let snapshot = Arc::new(cx.snapshot.counted(Counting::Noted(notes.clone())));
    let cx = ShardContext { snapshot, ..cx.clone() };
    let weight_cx = WeightContext::new(&cx.snapshot, cx.mapping.similarities());
    let default = match_all();
    request.query.as_ref().unwrap_or(&default).weight_in(&cx, &weight_cx, true)?;
    for rescore in &request.rescore {
        rescore.query.weight_in(&cx, &weight_cx, true)?;
    }
    let mut notes = notes.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(std::mem::take(&mut notes))
}

#[cfg(test)]
mod tests {
    use super::super::tests::shard;
    use super::*;
    use crate::segment::TermCounts;

    #[test]
    fn what_scores_is_asked_for() {
        let mapping = r#"{"properties":{"t":{"type":"text"},"j":{"type":"join","relations":{"a":"b"}}}}"#;
        let cx = shard(mapping, &[&[r#"{"t":"fox","j":"a"}"#]]);
        let is_noted = |query: &str| {
            let request = SearchRequest::parse(Some(format!(r#"{{"query":{query}}}"#).as_bytes()), &[]).unwrap();
            let (found, mut all) = (gather(&request, &cx).unwrap(), Statistics::default());
            (0..2).for_each(|_| all.add(&found));
            let own = TermCounts { doc_freq: 1, total_term_freq: 1 };
            Counting::Given(Arc::new(all)).term("t", b"fox", own) != own
        };
        for scored in [r#"{"match":{"t":"fox"}}"#, r#"{"match":{"t":"fox hen"}}"#, r#"{"span_term":{"t":"fox"}}"#] {
            assert!(is_noted(scored), "{scored}");
            assert!(!is_noted(&format!(r#"{{"constant_score":{{"filter":{scored}}}}}"#)), "{scored}");
            let joined = format!(r#"{{"has_child":{{"type":"b","score_mode":"max","query":{scored}}}}}"#);
            assert!(!is_noted(&joined), "{scored}");
        }
    }
}
