//! How the score of one document comes about.

use crate::error::Result;
use crate::query::{Query, ShardContext};
use crate::score::{Explanation, WeightContext};

/// Explains document `doc` of segment `segment` of the snapshot. The tree may say that it does not match.
pub fn explain(query: &Query, cx: &ShardContext, segment: usize, doc: u32) -> Result<Explanation> {
    let Some(view) = cx.snapshot.segments.get(segment) else {
        return Ok(Explanation::no_match("no such segment", vec![]));
    };
    let weight_cx = WeightContext::new(&cx.snapshot, cx.mapping.similarities());
    let explanation = query.explained_plan(cx)?.weight(&weight_cx, true, 1.0)?.explain(view, doc)?;
    // What went wrong while scores were reckoned.
    weight_cx.faults.check()?;
    Ok(explanation)
}
