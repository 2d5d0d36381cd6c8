//! How much memory the results of a shard take, for those who keep them.

use super::parse::Level;
use super::partial::{Bucket, Key, Partial, ShardAggs};
use super::percentiles::Digest;

impl ShardAggs {
    /// About how much memory they take.
    pub fn memory_bytes(&self) -> usize {
        self.results.iter().map(of_partial).sum()
    }
}

impl Level {
    /// The pipelines here and below.
    pub(crate) fn count_pipelines(&self) -> usize {
        self.pipelines.len() + self.aggs.iter().map(|agg| agg.subs.count_pipelines()).sum::<usize>()
    }
}

/// As deep as aggregations nest, which is bounded.
fn of_partial(partial: &Partial) -> usize {
    let own = match partial {
        Partial::Cardinality(sketch) => sketch.memory_bytes(),
        Partial::Terms(terms) => terms.buckets.iter().map(|term| of_key(&term.key)).sum(),
        Partial::Significant(terms) => terms.buckets.iter().map(|term| of_key(&term.key)).sum(),
        Partial::Adjacency(buckets) => buckets.iter().map(|(_, key, _)| size_of_val(key) + key.capacity()).sum(),
        Partial::Composite(page) => page.buckets.len() * COMPOSITE_KEY_BYTES,
        Partial::Percentiles(percentiles) => match &percentiles.digest {
            Digest::TDigest(digest) => digest.borrow().memory_bytes(),
            Digest::Hdr(digest) => digest.memory_bytes(),
        },
        Partial::TopHits(found) => found.memory_bytes(),
        Partial::Scripted(scripted) => scripted.memory_bytes(),
        _ => 0,
    };
    size_of::<Partial>() + own + partial.buckets().into_iter().map(of_bucket).sum::<usize>()
}

/// A key of a page: a few parts, each a number or a short text.
const COMPOSITE_KEY_BYTES: usize = 128;

fn of_bucket(bucket: &Bucket) -> usize {
    size_of::<Bucket>() + 8 + bucket.subs.iter().map(of_partial).sum::<usize>()
}

fn of_key(key: &Key) -> usize {
    size_of::<Key>()
        + match key {
            Key::Bytes(bytes) => bytes.len(),
            Key::Many(keys) => keys.iter().map(of_key).sum(),
            Key::Long(_) | Key::Unsigned(_) | Key::Double(_) => 0,
        }
}
