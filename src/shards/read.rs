//! Reading single documents.

use super::open_shard::OpenShard;
use pith_engine::Result;
use pith_engine::segment::Segment;
use pith_engine::shard::{FoundDocument, GetRequest};
use pith_net::rt;
use std::sync::Arc;
use std::time::Instant;

impl OpenShard {
    /// A document by its id; what was written is seen at once, unless the request wants only what searches see.
    pub async fn get(&self, request: &GetRequest) -> Result<Option<FoundDocument>> {
        self.check_open()?;
        let started = Instant::now();
        let found = self.find_document(request).await;
        let took_ns = started.elapsed().as_nanos() as u64;
        let stats = &mut self.counters.borrow_mut().get;
        match &found {
            Ok(None) => {
                stats.missing_total += 1;
                stats.missing_time_ns += took_ns;
            }
            Ok(Some(_)) => {
                stats.exists_total += 1;
                stats.exists_time_ns += took_ns;
            }
            // One of another version than was asked for is neither.
            Err(_) => {}
        }
        found
    }

    /// As [`Self::get`], without being counted.
    pub async fn find_document(&self, request: &GetRequest) -> Result<Option<FoundDocument>> {
        let find = || self.shard.borrow().get(request, self.core.now_ms());
        // Nothing is missing of segments in memory, and nothing then waits.
        if !self.shard.borrow().has_partial() {
            return find();
        }
        self.core.part_files.complete_in(|| self.segments_now(), async || find()).await
    }

    /// Reads what is stored of documents that are about to be updated, so that it is there when that is done.
    pub async fn read_for_updates(&self, ids: &[&str]) -> Result<()> {
        if !self.shard.borrow().has_partial() {
            return Ok(());
        }
        let look = async || {
            for id in ids {
                let request = GetRequest { id: (*id).to_owned(), realtime: true, version: None };
                self.shard.borrow().get(&request, self.core.now_ms())?;
                rt::yield_if_needed().await;
            }
            Ok(())
        };
        self.core.part_files.complete_in(|| self.segments_now(), look).await
    }

    /// The segments of the shard, those that searches do not see yet among them.
    fn segments_now(&self) -> Vec<Arc<Segment>> {
        self.shard.borrow().segment_views().map(|view| view.segment.clone()).collect()
    }

    /// Several documents; each has its own answer.
    pub async fn multi_get(&self, requests: &[GetRequest]) -> Result<Vec<Result<Option<FoundDocument>>>> {
        self.check_open()?;
        let mut found = Vec::with_capacity(requests.len());
        for request in requests {
            found.push(self.get(request).await);
            rt::yield_if_needed().await;
        }
        Ok(found)
    }
}
