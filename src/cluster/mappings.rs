//! Changing mappings.

use super::{IndexId, IndexMeta, State};
use pith_engine::Result;
use pith_engine::json::Value;
use std::sync::Arc;

/// Fields times patterns that are gone through on a core: about a millisecond.
const FIELDS_ON_CORE_MAX: usize = 1_000;

/// Whether to look so many patterns up among the fields of the indexes takes longer than a core may be kept.
pub fn take_long(indexes: &[Arc<IndexMeta>], patterns: usize) -> bool {
    let fields: usize = indexes.iter().map(|index| index.mapping.fields().len()).sum();
    fields.saturating_mul(patterns) > FIELDS_ON_CORE_MAX
}

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
