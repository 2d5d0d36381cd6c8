//! Reading single documents.

use super::open_shard::OpenShard;
use pith_engine::Result;
use pith_engine::shard::{FoundDocument, GetRequest};
use pith_net::rt;
use std::time::Instant;

impl OpenShard {
    /// A document by its id; what was written is seen at once, unless the request wants only what searches see.
    pub fn get(&self, request: &GetRequest) -> Result<Option<FoundDocument>> {
        self.check_open()?;
        let started = Instant::now();
        let found = self.shard.borrow().get(request, self.core.now_ms());
        let took_ns = started.elapsed().as_nanos() as u64;
        let stats = &mut self.counters.borrow_mut().get;
        if matches!(found, Ok(None)) {
            stats.missing_total += 1;
            stats.missing_time_ns += took_ns;
        } else {
            stats.exists_total += 1;
            stats.exists_time_ns += took_ns;
        }
        found
    }

    /// Several documents; each has its own answer.
    pub async fn multi_get(&self, requests: &[GetRequest]) -> Result<Vec<Result<Option<FoundDocument>>>> {
        self.check_open()?;
        let mut found = Vec::with_capacity(requests.len());
        for request in requests {
            found.push(self.get(request));
            rt::yield_if_needed().await;
        }
        Ok(found)
    }
}
