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
