//! Which core a shard goes to.

use super::State;

/// A core for each of `shards` new shards: always the one with the fewest, the lowest of equals.
pub fn cores_for(state: &State, shards: usize, cores: usize) -> Vec<usize> {
    let mut loads = state.shards_by_core(cores.max(1));
    (0..shards)
        .map(|_| {
            let least = loads.iter().enumerate().min_by_key(|(_, load)| **load).map_or(0, |(core, _)| core);
            loads[least] += 1;
            least
        })
        .collect()
}
