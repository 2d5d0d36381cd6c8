//! What a search has come to, and how it is written.

use super::off_core::{LONG_WEIGHT, off_core};
use super::phases::PhasesTook;
use crate::tasks::Cost;
use pith_engine::Result;
use pith_engine::json::Writer;
use pith_engine::profile::{ShardProfile, write_shard};
use pith_engine::search::{self, Reduced, SearchRequest, ShardsHeader};
use pith_engine::search_pipeline::Records;
use std::sync::Arc;

/// All that the answer to a search shows.
pub struct Answer {
    pub header: ShardsHeader,
    pub reduced: Reduced,
    /// The hits' objects, best first.
    pub hits: Vec<Vec<u8>>,
    /// The scroll or point in time, by the key that names it.
    pub id: Option<(&'static str, String)>,
    /// Where the time went, by shards in order of their names.
    pub profiles: Vec<(String, Box<ShardProfile>)>,
    pub took: PhasesTook,
    /// Whether a pipeline has taken hits away: an answer made anew shows a profile, even an empty one.
    pub made_anew: bool,
    /// What each step of a pipeline did, if that is to be shown.
    pub records: Option<Records>,
}

impl Answer {
    /// The body of the answer, with what it took to find it, if that is wanted.
    pub async fn write(self, request: &Arc<SearchRequest>, took_ms: u64, cost: Option<Cost>) -> Result<Vec<u8>> {
        let mut w = Writer::with_capacity(256 + self.hits.iter().map(Vec::len).sum::<usize>());
        w.begin_object();
        if let Some((key, id)) = &self.id {
            w.key(key).string(id);
        }
        w.key("took").u64(took_ms);
        self.took.write(&mut w);
        let (header, reduced, hits) = (self.header, self.reduced, self.hits);
        // Suggestions alone ask no query, and have no profile; nor has what no shard was there for.
        let profiled = request.profile && !request.suggests_only() && header.total > 0;
        let writes_long = reduced.aggs.as_ref().is_some_and(|aggs| aggs.memory_bytes() > LONG_WEIGHT);
        let mut w = match writes_long {
            true => {
                let request = request.clone();
                let write = move || search::write_body(&request, &header, &reduced, &hits, &mut w).map(|()| w);
                off_core(write).await?
            }
            false => search::write_body(request, &header, &reduced, &hits, &mut w).map(|()| w)?,
        };
        if profiled || self.made_anew {
            w.key("profile").begin_object().key("shards").begin_array();
            for (id, profile) in &self.profiles {
                write_shard(id, profile, request.human, &mut w);
            }
            w.end_array().end_object();
        }
        if let Some(records) = self.records.as_ref().filter(|records| !records.is_empty()) {
            w.key("processor_results");
            records.write(&mut w);
        }
        if let Some(cost) = cost {
            write_cost(cost, &mut w);
        }
        w.end_object();
        Ok(w.finish())
    }

    /// `hits` alone: what stands under the name of inner hits.
    pub fn write_hits(&self, request: &SearchRequest, w: &mut Writer) {
        w.begin_object().key("hits");
        search::write_hits(request.total_hits_as_int, &self.header, &self.reduced, &self.hits, w);
        w.end_object();
    }
}

/// The receipt of a search. Segments are in memory as long as their shard is open, so no search reads from the disk.
fn write_cost(cost: Cost, w: &mut Writer) {
    w.key("cost").begin_object();
    w.key("postings_decoded").u64(cost.read.postings);
    w.key("column_values_read").u64(cost.read.column_values);
    w.key("bytes_from_cache").u64(cost.read.bytes);
    w.key("bytes_from_disk").u64(0);
    w.key("cpu_time_in_nanos").u64(cost.cpu_ns);
    w.key("allocated_in_bytes").u64(cost.bytes).end_object();
}
