//! Cloning, shrinking and splitting: a new index of the documents of another.

use super::change::ApplyContext;
use super::create::create_index;
use super::meta::VERSION_CREATED;
use super::templates::Pattern;
use super::{CreateIndex, IndexId, IndexMeta, Seed, ShardCopy, State};
use crate::settings::{self, SettingsUpdate};
use pith_engine::{Error, ErrorKind, Result};
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResizeKind {
    Clone,
    Shrink,
    Split,
}

impl ResizeKind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Clone => "clone",
            Self::Shrink => "shrink",
            Self::Split => "split",
        }
    }
}

/// An index to be made of another, which must not take writes.
#[derive(Clone, Debug)]
pub struct Resize {
    pub kind: ResizeKind,
    pub source: IndexId,
    /// Its settings go before those that are taken over.
    pub new: CreateIndex,
}

/// What a new index takes over from another.
#[derive(Clone)]
pub struct Origin {
    pub source: Arc<IndexMeta>,
    pub shards: u32,
    kind: ResizeKind,
}

impl std::fmt::Debug for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Origin({}, {})", self.source.name, self.shards)
    }
}

const SHARDS: &str = "index.number_of_shards";

/// Settings that a new index has for itself.
const NOT_COPIED: &[&str] = &[
    "index.number_of_shards",
    "index.number_of_replicas",
    "index.number_of_routing_shards",
    "index.creation_date",
    "index.provided_name",
    "index.uuid",
    "index.history.uuid",
    "index.verified_before_close",
];

pub fn apply(state: &mut State, request: Resize, cx: &mut ApplyContext<'_>) -> Result<()> {
    let origin = check_resize(state, &request)?;
    let mut new = request.new;
    new.origin = Some(origin);
    create_index(state, new, cx)
}

/// Checks all that can be wrong with a request; gives what the new index takes over.
pub fn check_resize(state: &State, request: &Resize) -> Result<Origin> {
    super::blocks::check_new(state, &request.new.name)?;
    let source = state.expect_index(&request.source)?.clone();
    if !source.is_open() {
        return Err(super::closed(&source));
    }
    let requested = request.new.settings.clone().normalized("index.");
    check_blocks(&source, &request.new.name, &requested)?;
    let shards = target_shards(request.kind, &source, &requested)?;
    check_shards(request.kind, &source, shards)?;
    if requested.get("index.number_of_routing_shards").is_some() {
        return Err(Error::illegal_argument("cannot provide index.number_of_routing_shards on resize"));
    }
    settings::check_new_index(&requested)?;
    super::names::check_new_index_name(state, &request.new.name)?;
    check_source(&source)?;
    if request.kind == ResizeKind::Shrink {
        check_shrink(state, &source)?;
    }
    Ok(Origin { source, shards, kind: request.kind })
}

/// What is shrunk needs several shards, all of them in one place.
fn check_shrink(state: &State, source: &IndexMeta) -> Result<()> {
    if source.number_of_shards == 1 {
        return Err(Error::illegal_argument("can't shrink an index with only one shard"));
    }
    if !state.copies(source).iter().all(ShardCopy::is_assigned) {
        let reason = format!("index {} must have all shards allocated on the same node to shrink index", source.name);
        return Err(Error::new(ErrorKind::IllegalState, reason));
    }
    Ok(())
}

/// Nothing may be written to the source.
fn check_source(source: &IndexMeta) -> Result<()> {
    if !["index.blocks.write", "index.blocks.read_only"].iter().any(|block| source.flag(block)) {
        return Err(Error::new(
            ErrorKind::IllegalState,
            format!(
                "index {} must block write operations to resize index. use \"index.blocks.write=true\"",
                source.name
            ),
        ));
    }
    Ok(())
}

/// A block on metadata that is taken over would keep the new index from ever starting.
fn check_blocks(source: &IndexMeta, name: &str, requested: &SettingsUpdate) -> Result<()> {
    for block in ["index.blocks.read_only", "index.blocks.read_only_allow_delete", "index.blocks.metadata"] {
        if source.flag(block) && requested.get(block).is_none() {
            return Err(Error::illegal_argument(format!(
                "target index [{name}] will be blocked by [{block}=true] which is copied from the source index [{}], this will disable metadata writes and cause the shards to be unassigned",
                source.name
            )));
        }
    }
    Ok(())
}

fn target_shards(kind: ResizeKind, source: &IndexMeta, requested: &SettingsUpdate) -> Result<u32> {
    match requested.get(SHARDS) {
        Some(Some(text)) => {
            settings::index_setting(SHARDS).map_or(Ok(()), |row| row.check(SHARDS, text))?;
            let refuse = || format!("Failed to parse value [{}] for setting [{SHARDS}]", text.text());
            text.text().trim().parse().map_err(|_| Error::illegal_argument(refuse()))
        }
        _ if kind == ResizeKind::Shrink => Ok(1),
        _ => Ok(source.number_of_shards),
    }
}

fn check_shards(kind: ResizeKind, source: &IndexMeta, target: u32) -> Result<()> {
    let (from, refuse) = (source.number_of_shards, |why: String| Err(Error::illegal_argument(why)));
    match kind {
        ResizeKind::Clone if target != from => refuse(format!(
            "the number of target shards ({target}) must be the same as the number of source shards ({from})"
        )),
        ResizeKind::Shrink if target > from => refuse(format!(
            "the number of target shards [{target}] must be less that the number of source shards [{from}]"
        )),
        ResizeKind::Shrink if !from.is_multiple_of(target) => {
            refuse(format!("the number of source shards [{from}] must be a multiple of [{target}]"))
        }
        ResizeKind::Split if target < from && !from.is_multiple_of(target) => {
            refuse(format!("the number of source shards [{from}] must be a multiple of [{target}]"))
        }
        ResizeKind::Split if target < from => refuse(format!(
            "the number of source shards [{from}] must be less that the number of target shards [{target}]"
        )),
        ResizeKind::Split if !target.is_multiple_of(from) => {
            refuse(format!("the number of source shards [{from}] must be a factor of [{target}]"))
        }
        ResizeKind::Split if from > 1 && !source.routing_num_shards.is_multiple_of(target) => Err(Error::new(
            ErrorKind::IllegalState,
            format!(
                "the number of routing shards [{}] must be a multiple of the target shards [{target}]",
                source.routing_num_shards
            ),
        )),
        _ => Ok(()),
    }
}

impl Origin {
    /// What stands in the place of templates: the source's settings, mapping and analysis. Aliases are not taken over.
    /// One that is shrunk begins on the node where all shards of its source are.
    pub(super) fn pattern(&self, node: &str) -> Pattern {
        let source = &self.source;
        let mut pattern = Pattern { settings: source.settings.clone(), ..Pattern::default() };
        pattern.settings.retain(|key| {
            !NOT_COPIED.contains(&key)
                && !key.starts_with("index.routing.allocation.initial_recovery.")
                && !key.starts_with("index.version.")
                && !key.starts_with("index.resize.")
        });
        pattern.settings.insert("index.number_of_shards", self.shards.to_string());
        pattern.settings.insert("index.routing_partition_size", source.routing_partition_size.to_string());
        pattern.settings.insert("index.resize.source.name", &*source.name);
        pattern.settings.insert("index.resize.source.uuid", &*source.uuid);
        const BEGINS_AT: &str = "index.routing.allocation.initial_recovery._id";
        match self.kind {
            ResizeKind::Shrink => pattern.settings.insert(BEGINS_AT, node),
            _ => pattern.settings.insert_null(BEGINS_AT),
        }
        pattern.settings.insert("index.version.upgraded", VERSION_CREATED.to_string());
        pattern.mappings.extend(source.mapping_source.clone());
        pattern
    }

    pub(super) fn seed(&self) -> Seed {
        Seed::Resize { source: self.source.id(), source_shards: self.source.number_of_shards }
    }

    /// The routing shards of the new index. Those of one with a single shard say nothing yet.
    pub(super) fn routing_shards(&self) -> u32 {
        match self.source.number_of_shards {
            1 => super::routing::default_routing_shards(self.shards),
            _ => self.source.routing_num_shards,
        }
    }

    /// Terms go on from where those of the source are: the first assignment raises it.
    pub(super) fn primary_term(&self) -> u64 {
        self.source.primary_terms.iter().copied().max().unwrap_or(0)
    }
}

/// The fewest shards that keep each below `max_bytes`, among those that a shrunken index may have.
pub fn shards_for_size(source_shards: u32, source_bytes: u64, max_bytes: u64) -> u32 {
    let wanted = source_bytes.div_ceil(max_bytes.max(1)).max(1);
    (1..=source_shards)
        .find(|shards| u64::from(*shards) >= wanted && source_shards.is_multiple_of(*shards))
        .unwrap_or(source_shards)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_by_size() {
        assert_eq!(shards_for_size(4, 0, 100), 1);
        assert_eq!(shards_for_size(4, 250, 100), 4);
        assert_eq!(shards_for_size(6, 250, 100), 3);
        assert_eq!(shards_for_size(4, 1000, 1), 4);
    }
}
