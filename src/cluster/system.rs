//! Indexes of the system itself: what is told to whoever comes to them.

use super::{IndexMeta, State};
use pith_engine::deprecated::note;
use std::sync::Arc;

/// The index that the results of operations are kept in that nobody waits for.
const SYSTEM: &str = ".tasks";

/// What is told where a request comes to indexes of the system. Some calls do not tell it: see who answers them.
pub const SYSTEM_INDEXES: &str = "this request accesses system indices: [.tasks], but in a future major version, direct access \
     to system indices will be prevented by default";

/// Notes it if one of these indexes is the system's.
pub fn note_system<'i>(state: &State, mut indexes: impl Iterator<Item = &'i Arc<IndexMeta>>) {
    if state.index(SYSTEM).is_some() && indexes.any(|index| &*index.name == SYSTEM) {
        note(SYSTEM_INDEXES);
    }
}
