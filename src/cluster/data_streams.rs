//! Data streams: a name for a row of hidden indexes, of which the newest takes what is written.

use super::change::ApplyContext;
use super::create::create_index;
use super::names::check_form;
use super::templates::matching_index_template;
use super::{CreateIndex, IndexId, IndexMeta, State};
use crate::settings::{SettingsUpdate, glob};
use pith_engine::json::{Map, Value};
use pith_engine::{Error, ErrorKind, Result};
use std::sync::Arc;

/// One data stream.
#[derive(Clone, Debug, PartialEq)]
pub struct DataStream {
    pub name: Arc<str>,
    /// The field in which every document has its time.
    pub timestamp_field: String,
    /// Its backing indexes, oldest first; never empty. The last one is written to.
    pub indices: Vec<IndexId>,
    /// Counts the backing indexes ever made.
    pub generation: u64,
}

impl DataStream {
    /// The index that new documents go to.
    pub fn write_index(&self) -> Option<&IndexId> {
        self.indices.last()
    }

    /// The name of the backing index that comes next.
    pub fn next_index(&self) -> String {
        backing_index(&self.name, self.generation + 1)
    }

    /// Whether an index of this name is one that the stream has yet to make.
    fn will_make(&self, index: &str) -> bool {
        let rest = index.strip_prefix(".ds-").and_then(|rest| rest.strip_prefix(&*self.name));
        let number = rest.and_then(|rest| rest.strip_prefix('-')).and_then(|number| number.parse::<u64>().ok());
        number.is_some_and(|number| number > self.generation)
    }

    #[cold]
    fn conflicts_with(&self, taken: &[&str]) -> Error {
        let (name, count, first) = (&self.name, taken.len(), taken.first().copied().unwrap_or_default());
        let reason = format!(
            "data stream [{name}] could create backing indices that conflict with {count} existing index(s) or alias(s) including '{first}'"
        );
        Error::new(ErrorKind::IllegalState, reason)
    }
}

/// An index may not have the name of one that a stream has yet to make.
pub(super) fn check_future_names(state: &State, index: &str) -> Result<()> {
    let stream = index.strip_prefix(".ds-").and_then(|rest| rest.rsplit_once('-')).map(|(stream, _)| stream);
    let stream = stream.and_then(|name| state.data_streams.get(name)).filter(|stream| stream.will_make(index));
    stream.map_or(Ok(()), |stream| Err(stream.conflicts_with(&[index])))
}

fn backing_index(stream: &str, generation: u64) -> String {
    format!(".ds-{stream}-{generation:06}")
}

/// Creates a stream with its first index, as the template that matches its name says.
pub fn create_data_stream(state: &mut State, name: &str, cx: &mut ApplyContext<'_>) -> Result<()> {
    if state.data_streams.contains_key(name) {
        let reason = format!("data_stream [{name}] already exists");
        return Err(Error::new(ErrorKind::ResourceAlreadyExists, reason));
    }
    let refuse = |problem: &str| Err(Error::illegal_argument(format!("data_stream [{name}] {problem}")));
    if let Err(problem) = check_form(name) {
        return refuse(&problem);
    }
    if name.to_lowercase() != name {
        return refuse("must be lowercase");
    }
    if name.starts_with('.') {
        return refuse("must not start with '.'");
    }
    let timestamp_field = match matching_index_template(&state.templates, name, false) {
        None => {
            return Err(Error::illegal_argument(format!("no matching index template found for data stream [{name}]")));
        }
        Some((template_name, template)) => template.timestamp_field.clone().ok_or_else(|| {
            Error::illegal_argument(format!(
                "matching index template [{template_name}] for data stream [{name}] has no data stream template"
            ))
        })?,
    };
    check_unique(state, name)?;
    let stream = DataStream { name: name.into(), timestamp_field, indices: vec![], generation: 0 };
    add_backing_index(state, stream, cx).map_err(|cause| match cause.kind() {
        ErrorKind::ResourceAlreadyExists => Error::new(
            ErrorKind::Status,
            format!(
                "data stream could not be created because backing index [{}] already exists",
                backing_index(name, 1)
            ),
        )
        .with_root_causes(vec![cause.clone()])
        .caused_by(cause),
        _ => cause,
    })
}

/// Names of indexes, aliases and streams are all different.
fn check_unique(state: &State, name: &str) -> Result<()> {
    if state.indices.contains_key(name) {
        return Err(not_unique(&format!("data stream [{name}] conflicts with index")));
    }
    if state.aliases.contains_key(name) { Err(alias_clash(state, name)) } else { Ok(()) }
}

/// No alias is called like a stream.
pub fn check_alias_is_no_stream(state: &State, alias: &str) -> Result<()> {
    if state.data_streams.contains_key(alias) { Err(alias_clash(state, alias)) } else { Ok(()) }
}

#[cold]
fn alias_clash(state: &State, name: &str) -> Error {
    let members = state.aliases.get(name).map_or(&[][..], Vec::as_slice);
    let ids: Vec<String> = members.iter().filter_map(|index| Some(state.index(index)?.id().to_string())).collect();
    not_unique(&format!("{name} (alias of [{}]) conflicts with data stream", ids.join(", ").trim_matches(['[', ']'])))
}

#[cold]
fn not_unique(clash: &str) -> Error {
    let reason = format!(
        "index, alias, and data stream names need to be unique, but the following duplicates were found [{clash}]"
    );
    Error::new(ErrorKind::IllegalState, reason)
}

/// Gives a stream the next index, which takes all writes from then on.
pub fn roll_over(state: &mut State, name: &str, cx: &mut ApplyContext<'_>) -> Result<()> {
    let stream = state.data_streams.get(name).ok_or_else(|| Error::index_not_found(name))?;
    add_backing_index(state, DataStream::clone(&stream.clone()), cx)
}

fn add_backing_index(state: &mut State, mut stream: DataStream, cx: &mut ApplyContext<'_>) -> Result<()> {
    let name = stream.next_index();
    let mut settings = SettingsUpdate::default();
    settings.insert("index.hidden", Some("true".into()));
    let request = CreateIndex {
        name: name.clone(),
        settings,
        data_stream: Some((stream.name.clone(), stream.timestamp_field.clone())),
        ..CreateIndex::default()
    };
    create_index(state, request, cx)?;
    let id = state.index(&name).map(|index| index.id()).ok_or_else(|| Error::index_not_found(&name))?;
    stream.indices.push(id);
    stream.generation += 1;
    let names = state.indices.keys().chain(state.aliases.keys()).map(|name| &**name);
    let taken: Vec<&str> = names.filter(|name| stream.will_make(name)).collect();
    if !taken.is_empty() {
        return Err(stream.conflicts_with(&taken));
    }
    state.data_streams.insert(stream.name.clone(), Arc::new(stream));
    state.derive();
    Ok(())
}

/// What the mapping of every backing index begins with.
pub(super) fn timestamp_mapping(field: &str) -> Value {
    let mut timestamp = Map::from_iter([("enabled", Value::Bool(true))]);
    if field != DEFAULT_TIMESTAMP {
        timestamp.insert("timestamp_field", Map::from_iter([("name", field)]));
    }
    let date = Map::from_iter([("type", "date")]);
    Value::Object(Map::from_iter([
        ("_data_stream_timestamp", Value::Object(timestamp)),
        ("properties", Value::Object(Map::from_iter([(field, date)]))),
    ]))
}

/// The field of streams whose template names none.
pub const DEFAULT_TIMESTAMP: &str = "@timestamp";

/// Deletes the streams that the patterns name, with all their indexes; gives their names.
pub fn delete_data_streams(state: &mut State, patterns: &[String], cx: &ApplyContext<'_>) -> Result<Vec<String>> {
    let named = |name: &str| patterns.iter().any(|pattern| glob(pattern, name));
    let doomed: Vec<Arc<DataStream>> = state.data_streams.values().filter(|s| named(&s.name)).cloned().collect();
    for stream in &doomed {
        state.data_streams.remove(&stream.name);
        super::delete::delete_indexes(state, &stream.indices, cx)?;
    }
    state.derive();
    Ok(doomed.iter().map(|stream| stream.name.to_string()).collect())
}

/// Refuses to take away the index that a stream writes to.
pub(super) fn check_not_written(state: &State, indexes: &[IndexId]) -> Result<()> {
    for id in indexes {
        if let Some(stream) = state.stream_of(&id.name).filter(|stream| stream.write_index() == Some(id)) {
            return Err(Error::illegal_argument(format!(
                "index [{}] is the write index for data stream [{}] and cannot be deleted",
                id.name, stream.name
            )));
        }
    }
    Ok(())
}

/// Refuses to close indexes that streams write to.
pub(super) fn check_not_written_when_closed(state: &State, indexes: &[IndexId]) -> Result<()> {
    check_unwritten(state, indexes, "close")
}

/// Refuses to do what `refused` says to indexes that streams write to.
pub fn check_unwritten(state: &State, indexes: &[IndexId], refused: &str) -> Result<()> {
    let written = |id: &&IndexId| state.stream_of(&id.name).is_some_and(|stream| stream.write_index() == Some(id));
    let names: Vec<&str> = indexes.iter().filter(written).map(|id| &*id.name).collect();
    if names.is_empty() {
        return Ok(());
    }
    let reason = format!("cannot {refused} the following data stream write indices [{}]", names.join(","));
    Err(Error::illegal_argument(reason))
}

/// The streams whose index template is among `names`.
pub(super) fn streams_of_templates(state: &State, names: &[String]) -> Vec<String> {
    let uses = |stream: &&Arc<DataStream>| {
        matching_index_template(&state.templates, &stream.name, false).is_some_and(|(name, _)| names.contains(name))
    };
    state.data_streams.values().filter(uses).map(|stream| stream.name.to_string()).collect()
}

impl State {
    /// The data stream that an index belongs to.
    pub fn stream_of(&self, index: &str) -> Option<&Arc<DataStream>> {
        self.data_streams.get(self.backing.get(index)?)
    }

    /// The indexes of a stream, oldest first.
    pub fn indexes_of_stream(&self, stream: &DataStream) -> Vec<Arc<IndexMeta>> {
        stream.indices.iter().filter_map(|id| self.indices.get(&id.name)).cloned().collect()
    }
}
