//! Deleting indexes.

use super::change::ApplyContext;
use super::{IndexId, State, Tombstone};
use pith_engine::Result;
use std::sync::Arc;

/// How many deleted indexes are remembered.
const TOMBSTONES_MAX: usize = 500;

/// Deletes the indexes: all of them or none.
pub fn delete_indexes(state: &mut State, indexes: &[IndexId], cx: &ApplyContext<'_>) -> Result<()> {
    for id in indexes {
        state.expect_index(id)?;
    }
    super::data_streams::check_not_written(state, indexes)?;
    let graveyard = Arc::make_mut(&mut state.graveyard);
    for id in indexes {
        state.indices.remove(&id.name);
        state.routing.remove(&id.uuid);
        if let Some(stream) = state.backing.get(&id.name).and_then(|name| state.data_streams.get_mut(name)) {
            Arc::make_mut(stream).indices.retain(|index| index != id);
        }
        graveyard.push(Tombstone { name: id.name.clone(), uuid: id.uuid.clone(), delete_date_ms: cx.now_ms });
    }
    let excess = graveyard.len().saturating_sub(TOMBSTONES_MAX);
    graveyard.drain(..excess);
    state.derive();
    Ok(())
}
