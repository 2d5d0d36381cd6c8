//! Blocks: settings that forbid kinds of operations on an index or the cluster.

use super::{IndexMeta, IndexState, State};
use pith_engine::java_order::sort_by_slot;
use pith_engine::{Error, ErrorKind, Result};

/// A kind of operation that a block may forbid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockLevel {
    Read,
    Write,
    MetadataRead,
    MetadataWrite,
}

impl BlockLevel {
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::MetadataRead => "metadata_read",
            Self::MetadataWrite => "metadata_write",
        }
    }
}

/// One block: the setting that makes it, and what it forbids.
#[derive(Debug)]
pub struct Block {
    pub id: u32,
    pub setting: &'static str,
    pub description: &'static str,
    pub levels: &'static [BlockLevel],
    status: (&'static str, u16),
    /// Whether the operations that free space are let through.
    pub allows_delete: bool,
}

impl Block {
    pub fn forbids_writes(&self) -> bool {
        self.levels.contains(&Write)
    }
}

use BlockLevel::{MetadataRead, MetadataWrite, Read, Write};

const FORBIDDEN: (&str, u16) = ("FORBIDDEN", 403);
const TOO_MANY_REQUESTS: (&str, u16) = ("TOO_MANY_REQUESTS", 429);

const fn block(
    id: u32,
    setting: &'static str,
    description: &'static str,
    levels: &'static [BlockLevel],
    status: (&'static str, u16),
    allows_delete: bool,
) -> Block {
    Block { id, setting, description, levels, status, allows_delete }
}

/// From the greatest id on, as they are told.
pub static INDEX_BLOCKS: &[Block] = &[
    block(20, "index.blocks.search_only", "index scaled down", &[Write], FORBIDDEN, false),
    block(
        12,
        "index.blocks.read_only_allow_delete",
        "disk usage exceeded flood-stage watermark, index has read-only-allow-delete block",
        &[Write, MetadataWrite],
        TOO_MANY_REQUESTS,
        true,
    ),
    block(9, "index.blocks.metadata", "index metadata (api)", &[MetadataRead, MetadataWrite], FORBIDDEN, false),
    block(8, "index.blocks.write", "index write (api)", &[Write], FORBIDDEN, false),
    block(7, "index.blocks.read", "index read (api)", &[Read], FORBIDDEN, false),
    block(5, "index.blocks.read_only", "index read-only (api)", &[Write, MetadataWrite], FORBIDDEN, false),
];

/// From the greatest id on, as they are told.
pub static CLUSTER_BLOCKS: &[Block] = &[
    block(
        13,
        "cluster.blocks.read_only_allow_delete",
        "cluster read-only / allow delete (api)",
        &[Write, MetadataWrite],
        FORBIDDEN,
        true,
    ),
    block(6, "cluster.blocks.read_only", "cluster read-only (api)", &[Write, MetadataWrite], FORBIDDEN, false),
];

/// What a closed index is told to have, where its blocks are told.
pub static CLOSED: Block = block(4, "index.state", "index closed", &[Read, Write], FORBIDDEN, false);
static CREATE_INDEX: Block =
    block(10, "cluster.blocks.create_index", "cluster create-index blocked (api)", &[], FORBIDDEN, false);

impl IndexMeta {
    /// The blocks in force on this index.
    pub fn blocks(&self) -> impl Iterator<Item = &'static Block> {
        INDEX_BLOCKS.iter().filter(|block| self.has_block(block))
    }

    fn has_block(&self, block: &Block) -> bool {
        self.flag(block.setting)
    }
}

impl State {
    /// The blocks in force on the whole cluster.
    pub fn cluster_blocks(&self) -> impl Iterator<Item = &'static Block> {
        CLUSTER_BLOCKS.iter().filter(|block| self.has_block(block))
    }

    fn has_block(&self, block: &Block) -> bool {
        self.cluster_setting(block.setting).as_deref() == Some("true")
    }
}

/// Fails if an operation of this kind is forbidden on the whole cluster.
pub fn check_cluster(state: &State, level: BlockLevel) -> Result<()> {
    let found = forbidding(state, level, vec![], |_| false);
    if found.is_empty() { Ok(()) } else { Err(blocked(ErrorKind::ClusterBlock, &[(None, found)])) }
}

/// Fails if an operation of this kind is forbidden on any of the indexes, by blocks of their own or of the cluster.
pub fn check<'a>(state: &State, level: BlockLevel, indexes: impl IntoIterator<Item = &'a IndexMeta>) -> Result<()> {
    check_unless(state, level, indexes, |_| false)
}

/// As [`check`], for deleting whole indexes.
pub fn check_delete<'a>(state: &State, indexes: impl IntoIterator<Item = &'a IndexMeta>) -> Result<()> {
    check_unless(state, MetadataWrite, indexes, |block| block.allows_delete)
}

/// As [`check`] for reads, where closed indexes are as good as blocked.
pub fn check_search<'a>(state: &State, indexes: impl IntoIterator<Item = &'a IndexMeta>) -> Result<()> {
    check_or_closed(state, Read, indexes)
}

/// As [`check`], where closed indexes are as good as blocked.
pub fn check_or_closed<'a>(
    state: &State,
    level: BlockLevel,
    indexes: impl IntoIterator<Item = &'a IndexMeta>,
) -> Result<()> {
    let closed = |index: &IndexMeta| (index.state == IndexState::Closed).then_some(&CLOSED);
    check_those(state, level, indexes, closed, |_| false)
}

/// As [`check`] for metadata writes, for a change of settings; `only` is the key it changes, if that is one. A change of nothing
/// but a block that forbids such changes goes past those of the indexes: none could be lifted otherwise.
pub fn check_settings_change<'a>(
    state: &State,
    indexes: impl IntoIterator<Item = &'a IndexMeta>,
    only: Option<&str>,
) -> Result<()> {
    let passes = INDEX_BLOCKS.iter().any(|block| Some(block.setting) == only && block.levels.contains(&MetadataWrite));
    check_unless(state, MetadataWrite, indexes, |block| passes && block.setting.starts_with("index."))
}

/// Fails if an index of this name may not be made by what needs one: a write, or another index that becomes it.
pub fn check_new(state: &State, name: &str) -> Result<()> {
    let of_index = state.index(name).map(|index| index.blocks().collect()).unwrap_or_default();
    let found = forbidding(state, MetadataWrite, of_index, |_| false);
    if found.is_empty() { Ok(()) } else { Err(blocked(ErrorKind::ClusterBlock, &[(Some(name), found)])) }
}

/// As [`check_new`], for an index that is asked for by its name.
pub fn check_create(state: &State, name: &str) -> Result<()> {
    check_new(state, name)?;
    match state.cluster_setting(CREATE_INDEX.setting).as_deref() {
        Some("true") => Err(blocked(ErrorKind::IndexCreateBlock, &[(None, vec![&CREATE_INDEX])])),
        _ => Ok(()),
    }
}

fn check_unless<'a>(
    state: &State,
    level: BlockLevel,
    indexes: impl IntoIterator<Item = &'a IndexMeta>,
    passed: impl Fn(&Block) -> bool,
) -> Result<()> {
    check_those(state, level, indexes, |_| None, passed)
}

/// What forbids documents on the whole cluster is told of the cluster, what forbids metadata of each index. `more` is a block that an
/// index has beside those of its settings.
fn check_those<'a>(
    state: &State,
    level: BlockLevel,
    indexes: impl IntoIterator<Item = &'a IndexMeta>,
    more: impl Fn(&IndexMeta) -> Option<&'static Block>,
    passed: impl Fn(&Block) -> bool,
) -> Result<()> {
    if matches!(level, Read | Write) {
        check_cluster(state, level)?;
    }
    let found = indexes.into_iter().map(|index| {
        let own = INDEX_BLOCKS.iter().filter(|block| block.levels.contains(&level) && index.has_block(block));
        (Some(&*index.name), forbidding(state, level, own.chain(more(index)).collect(), &passed))
    });
    let mut found: Vec<_> = found.filter(|(_, blocks)| !blocks.is_empty()).collect();
    sort_by_slot(&mut found, |(name, _)| name.unwrap_or_default());
    if found.is_empty() { Ok(()) } else { Err(blocked(ErrorKind::ClusterBlock, &found)) }
}

/// Those of an index's own blocks and of the cluster's that forbid an operation, in the order that they are told in.
fn forbidding(
    state: &State,
    level: BlockLevel,
    own: Vec<&'static Block>,
    passed: impl Fn(&Block) -> bool,
) -> Vec<&'static Block> {
    let forbids = |block: &&'static Block| block.levels.contains(&level) && !passed(block);
    // Settings are looked up for the few blocks that would forbid it.
    let of_cluster = CLUSTER_BLOCKS.iter().filter(forbids).filter(|block| state.has_block(block));
    let mut found: Vec<_> = own.into_iter().filter(forbids).chain(of_cluster).collect();
    found.sort_by_key(|block| std::cmp::Reverse(block.id));
    found
}

/// All that are blocked are named, each with all that block it.
#[cold]
fn blocked(kind: ErrorKind, found: &[(Option<&str>, Vec<&Block>)]) -> Error {
    let mut reason = String::new();
    for (index, blocks) in found {
        if let Some(name) = index {
            reason.push_str(&format!("index [{name}] "));
        }
        let blocks = blocks.iter().map(|block| format!("{}/{}/{}", block.status.0, block.id, block.description));
        reason.push_str(&format!("blocked by: [{}];", blocks.collect::<Vec<_>>().join(", ")));
    }
    let status = found.iter().flat_map(|(_, blocks)| blocks).map(|block| block.status.1).max().unwrap_or(403);
    Error::new(kind, reason).with_status(status)
}
