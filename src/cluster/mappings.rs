//! Changing mappings.

use super::{IndexId, IndexMeta, State};
use pith_engine::Result;
use pith_engine::json::Value;
use std::sync::Arc;

/// Merges `mapping` into those of the indexes: all of them or none.
pub fn put_mapping(state: &mut State, indexes: &[IndexId], mapping: &Value) -> Result<()> {
    for id in indexes {
        let index = state.expect_index(id)?;
        if let Some(cause) = &index.unreadable {
            return Err(cause.clone());
        }
        let merged = index.mapping.merge(mapping)?;
        let shown = merged.to_value();
        if index.mapping_source.as_ref() == Some(&shown) {
            continue;
        }
        let mut next = IndexMeta::clone(index);
        next.mapping = Arc::new(merged);
        next.mapping_source = Some(shown);
        next.version += 1;
        next.mapping_version += 1;
        state.indices.insert(next.name.clone(), Arc::new(next));
    }
    Ok(())
}
