//! Which shard a document belongs to: the reference's function, so that shards hold the same documents.

use super::IndexMeta;
use pith_engine::murmur3;
use smallvec::SmallVec;

/// The shard of the document `id`, given its `routing` value if it has one.
pub fn shard_of(index: &IndexMeta, id: &str, routing: Option<&str>) -> u32 {
    shard_for(
        id,
        routing,
        &Layout {
            shards: index.number_of_shards,
            routing_shards: index.routing_num_shards,
            partition_size: index.routing_partition_size,
        },
    )
}

/// The shards that documents with this routing value may be in: one, or a partition's worth.
pub fn shards_of_routing(index: &IndexMeta, routing: &str) -> Vec<u32> {
    let factor = index.routing_factor();
    let mut shards: Vec<u32> = (0..index.routing_partition_size.max(1))
        .map(|offset| bucket(hash(routing).wrapping_add(offset as i32), index.routing_num_shards) / factor)
        .collect();
    shards.sort_unstable();
    shards.dedup();
    shards
}

struct Layout {
    shards: u32,
    routing_shards: u32,
    partition_size: u32,
}

fn shard_for(id: &str, routing: Option<&str>, layout: &Layout) -> u32 {
    if layout.shards == 1 {
        return 0;
    }
    let partition_offset = if layout.partition_size > 1 { bucket(hash(id), layout.partition_size) } else { 0 };
    let hash = hash(routing.unwrap_or(id)).wrapping_add(partition_offset as i32);
    bucket(hash, layout.routing_shards) / routing_factor(layout.routing_shards, layout.shards)
}

/// The remainder that is never negative.
fn bucket(hash: i32, buckets: u32) -> u32 {
    hash.rem_euclid(buckets.max(1) as i32) as u32
}

pub fn routing_factor(routing_shards: u32, shards: u32) -> u32 {
    (routing_shards / shards.max(1)).max(1)
}

/// The routing shards of a new index: the largest power-of-two multiple of `shards` up to 1024, but at least twice as
/// many, so that the index can be split.
pub fn default_routing_shards(shards: u32) -> u32 {
    let log2_of_max = 10;
    let log2_of_shards = 32 - (shards.max(1) - 1).leading_zeros();
    let splits = log2_of_max.max(log2_of_shards + 1) - log2_of_shards.min(log2_of_max);
    shards << splits.max(1)
}

/// Murmur3 (seed 0) over the UTF-16 code units of `text`, low byte first.
pub fn hash(text: &str) -> i32 {
    let units: SmallVec<[u8; 64]> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    murmur3::hash(&units, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_as_the_reference() {
        // The values of the reference's own test of its routing hash.
        for (text, expected) in [
            ("hell", 0x5a0c_b7c3_u32),
            ("hello", 0xd7c3_1989),
            ("hello w", 0x22ab_2984),
            ("hello wo", 0xdf0c_a123),
            ("hello wor", 0xe7744d61),
            ("The quick brown fox jumps over the lazy dog", 0xe07db09c),
            ("The quick brown fox jumps over the lazy cog", 0x4e63d2ad),
        ] {
            assert_eq!(hash(text) as u32, expected, "{text}");
        }
    }

    #[test]
    fn routing_shards_of_new_indexes() {
        for (shards, routing) in
            [(1, 1024), (2, 1024), (3, 768), (5, 640), (9, 576), (512, 1024), (513, 1026), (1024, 2048)]
        {
            assert_eq!(default_routing_shards(shards), routing, "{shards}");
        }
    }

    #[test]
    fn shards_are_in_range_and_partitions_spread() {
        let layout = Layout { shards: 5, routing_shards: 640, partition_size: 2 };
        let mut seen = [false; 5];
        for id in 0..200 {
            seen[shard_for(&id.to_string(), Some("r"), &layout) as usize] = true;
        }
        assert!(seen.iter().filter(|s| **s).count() <= 2);
    }
}
