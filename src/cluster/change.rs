//! Changes to the state, one at a time: a state and a change in, the next state out.

use super::{AliasChange, IndexId, ShardId, State, Template};
use super::{
    BlockLevel, aliases, allocation, blocks, cluster_settings, create, data_streams, delete, index_settings, mappings,
    open_close, pipelines, repositories, scripts, search_pipelines, templates, views, voting, weights,
};
use crate::settings::SettingsUpdate;
use pith_engine::Result;
use pith_engine::json::Value;
use std::sync::Arc;

/// What can be asked of the state. Names of indexes have been resolved by whoever asks.
#[derive(Clone, Debug)]
pub enum Change {
    CreateIndex(Box<CreateIndex>),
    /// Creates those of the indexes that do not exist, each with what templates say. Fails for each name by itself:
    /// see [`Outcome::AutoCreated`].
    AutoCreate {
        names: Vec<String>,
    },
    DeleteIndexes(Vec<IndexId>),
    CreateDataStream(String),
    /// Deletes the data streams whose names match, with all their indexes; see [`Outcome::Names`].
    DeleteDataStreams(Vec<String>),
    /// Takes indexes into data streams, or lets go of them.
    ModifyDataStreams(Vec<super::StreamMember>),
    Rollover(Box<super::Rollover>),
    Resize(Box<super::Resize>),
    PutRepository {
        name: String,
        repository: Box<super::Repository>,
    },
    /// Forgets the repositories whose names match.
    DeleteRepositories {
        pattern: String,
    },
    /// Takes a repository for some work; an error where something else is at work in it.
    BeginRepositoryWork {
        repository: String,
        work: Box<super::RepositoryWork>,
    },
    EndRepositoryWork {
        repository: String,
    },
    RestoreIndexes(Box<super::Restore>),
    /// Merges `mapping` into those of the indexes: all of them or none.
    PutMapping {
        indexes: Vec<IndexId>,
        mapping: Value,
    },
    /// Keys begin with `index.`.
    PutIndexSettings {
        indexes: Vec<IndexId>,
        update: SettingsUpdate,
        preserve_existing: bool,
    },
    /// Stops or allows writes to all indexes, because of how full the disk is.
    GuardDisk {
        blocked: bool,
    },
    UpdateAliases(Vec<AliasChange>),
    OpenIndexes(Vec<IndexId>),
    CloseIndexes(Vec<IndexId>),
    PutClusterSettings {
        persistent: SettingsUpdate,
        transient: SettingsUpdate,
    },
    PutPipeline(Box<super::PutPipeline>),
    /// Deletes the ingest pipelines that match.
    DeletePipelines {
        pattern: String,
    },
    PutSearchPipeline(Box<super::PutSearchPipeline>),
    /// Deletes the search pipelines that match.
    DeleteSearchPipelines {
        pattern: String,
    },
    PutTemplate(Box<Template>),
    /// Deletes the templates of one kind whose names match; see [`Outcome::Names`].
    DeleteTemplates {
        kind: super::TemplateKind,
        patterns: Vec<String>,
    },
    PutScript {
        id: String,
        script: Box<super::StoredScript>,
    },
    DeleteScript {
        id: String,
    },
    Notification(Box<crate::notify::Change>),
    /// Keeps nodes out of elections, in addition to those that are kept out already.
    ExcludeVoters(Vec<super::VotingExclusion>),
    ClearVotingExclusions,
    Weights(Box<super::WeightsChange>),
    View(Box<super::ViewChange>),
    PutSecurity(Box<super::PutSecurity>),
    /// Places copies by hand; see [`Outcome::Rerouted`].
    Reroute(super::reroute::Reroute),
    /// Shards were opened on their cores, or could not be.
    CopiesOpened(Vec<(ShardId, Result<(), Arc<str>>)>),
}

/// An index to be made.
#[derive(Clone, Debug, Default)]
pub struct CreateIndex {
    pub name: String,
    /// The name as it was given, where date math made another of it.
    pub provided_name: Option<String>,
    /// The data stream that the index is made for, and its timestamp field.
    pub data_stream: Option<(Arc<str>, String)>,
    /// The index whose settings, mapping and documents it takes over.
    pub origin: Option<super::Origin>,
    /// As written; `index.` may be left out of the keys.
    pub settings: SettingsUpdate,
    /// The object under `mappings`.
    pub mapping: Option<Value>,
    pub aliases: Vec<(String, super::AliasMeta)>,
    /// Copies of each shard that the request waits for, beside the primary's own.
    pub wait_for_active_shards: Option<super::ActiveShards>,
}

/// What a change did, beyond the state that it made.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Done,
    /// The names in the order of the change: whether the index is there now, or why not.
    AutoCreated(Vec<(String, Result<()>)>),
    Names(Vec<String>),
    /// What a change of cluster settings has set.
    ClusterSettings {
        persistent: crate::settings::Settings,
        transient: crate::settings::Settings,
    },
    /// What was decided about each command of a reroute.
    Rerouted(Vec<super::reroute::Decided>),
}

/// What a change cannot know by itself.
pub struct ApplyContext<'a> {
    pub now_ms: u64,
    /// Makes a unique text for uuids: 22 characters of URL-safe base64.
    pub new_id: &'a mut dyn FnMut() -> String,
    /// Cores that shards are placed on.
    pub cores: usize,
}

/// The state after `change`, and what the change did. A change that changes nothing gives the same version.
pub fn apply(state: &State, change: Change, cx: &mut ApplyContext<'_>) -> Result<(State, Outcome)> {
    if is_of_cluster(&change) {
        blocks::check_cluster(state, BlockLevel::MetadataWrite)?;
    }
    let mut next = state.clone();
    let outcome = match change {
        Change::CreateIndex(request) => create::create_named(&mut next, *request, cx).map(|()| Outcome::Done),
        Change::AutoCreate { names } => Ok(create::auto_create(&mut next, names, cx)),
        Change::DeleteIndexes(indexes) => delete::delete_indexes(&mut next, &indexes, cx).map(|()| Outcome::Done),
        Change::CreateDataStream(name) => {
            data_streams::create_data_stream(&mut next, &name, cx).map(|()| Outcome::Done)
        }
        Change::DeleteDataStreams(patterns) => {
            data_streams::delete_data_streams(&mut next, &patterns, cx).map(Outcome::Names)
        }
        Change::ModifyDataStreams(members) => {
            super::stream_members::modify(&mut next, &members).map(|()| Outcome::Done)
        }
        Change::GuardDisk { blocked } => index_settings::guard_disk(&mut next, blocked).map(|()| Outcome::Done),
        Change::Resize(request) => super::resize::apply(&mut next, *request, cx).map(|()| Outcome::Done),
        Change::PutRepository { name, repository } => {
            repositories::put(&mut next, name, *repository).map(|()| Outcome::Done)
        }
        Change::DeleteRepositories { pattern } => repositories::delete(&mut next, &pattern).map(|()| Outcome::Done),
        Change::BeginRepositoryWork { repository, work } => {
            repositories::begin(&mut next, &repository, *work).map(|()| Outcome::Done)
        }
        Change::EndRepositoryWork { repository } => {
            repositories::end(&mut next, &repository);
            Ok(Outcome::Done)
        }
        Change::RestoreIndexes(request) => super::restore::apply(&mut next, *request, cx).map(|()| Outcome::Done),
        Change::Rollover(request) => super::rollover::apply(&mut next, *request, cx).map(|()| Outcome::Done),
        Change::PutMapping { indexes, mapping } => {
            mappings::put_mapping(&mut next, &indexes, &mapping).map(|()| Outcome::Done)
        }
        Change::PutIndexSettings { indexes, update, preserve_existing } => {
            index_settings::change(&mut next, &indexes, &update, preserve_existing, cx).map(|()| Outcome::Done)
        }
        Change::UpdateAliases(actions) => aliases::update_aliases(&mut next, actions, cx).map(|()| Outcome::Done),
        Change::OpenIndexes(indexes) => open_close::open(&mut next, &indexes, cx).map(|()| Outcome::Done),
        Change::CloseIndexes(indexes) => open_close::close(&mut next, &indexes, cx).map(|()| Outcome::Done),
        Change::PutClusterSettings { persistent, transient } => {
            cluster_settings::put_settings(&mut next, &persistent, &transient)
        }
        Change::PutScript { id, script } => {
            scripts::put(&mut next, id, *script);
            Ok(Outcome::Done)
        }
        Change::Notification(change) => notify(&mut next, *change, cx.now_ms).map(|()| Outcome::Done),
        Change::ExcludeVoters(nodes) => Ok(voting::exclude(&mut next, nodes)),
        Change::ClearVotingExclusions => Ok(voting::clear(&mut next)),
        Change::Weights(change) => weights::apply(&mut next, *change).map(|()| Outcome::Done),
        Change::View(change) => views::apply(&mut next, *change).map(|()| Outcome::Done),
        Change::Reroute(request) => super::reroute::apply(&mut next, request, cx).map(Outcome::Rerouted),
        Change::PutSecurity(put) => super::security::put(&mut next, *put).map(|()| Outcome::Done),
        Change::DeleteScript { id } => scripts::delete(&mut next, &id).map(|()| Outcome::Done),
        Change::PutPipeline(put) => {
            pipelines::put(&mut next, *put);
            Ok(Outcome::Done)
        }
        Change::DeletePipelines { pattern } => pipelines::delete(&mut next, &pattern).map(|()| Outcome::Done),
        Change::PutSearchPipeline(put) => Ok(search_pipelines::put(&mut next, *put)),
        Change::DeleteSearchPipelines { pattern } => search_pipelines::delete(&mut next, &pattern),
        Change::PutTemplate(template) => templates::put(&mut next, *template).map(|()| Outcome::Done),
        Change::DeleteTemplates { kind, patterns } => templates::delete(&mut next, kind, &patterns).map(Outcome::Names),
        Change::CopiesOpened(results) => {
            open_close::copies_opened(&mut next, &results, cx);
            Ok(Outcome::Done)
        }
    }?;
    allocation::allocate(&mut next, cx);
    if !next.same_as(state) {
        next.version = state.version + 1;
        next.state_uuid = (cx.new_id)().into();
        next.derive();
        next.check();
    }
    Ok((next, outcome))
}

/// Whether the change is of metadata that no index has to itself, so that a block of the whole cluster alone forbids it.
fn is_of_cluster(change: &Change) -> bool {
    matches!(
        change,
        Change::CreateDataStream(_)
            | Change::DeleteDataStreams(_)
            | Change::ModifyDataStreams(_)
            | Change::PutRepository { .. }
            | Change::DeleteRepositories { .. }
            | Change::PutPipeline(_)
            | Change::DeletePipelines { .. }
            | Change::PutSearchPipeline(_)
            | Change::DeleteSearchPipelines { .. }
            | Change::PutTemplate(_)
            | Change::DeleteTemplates { .. }
            | Change::PutScript { .. }
            | Change::DeleteScript { .. }
    )
}

fn notify(next: &mut State, change: crate::notify::Change, now_ms: u64) -> Result<()> {
    crate::notify::apply(Arc::make_mut(&mut next.notifications), change, now_ms)
}
