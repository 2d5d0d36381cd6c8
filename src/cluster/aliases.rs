//! Aliases: other names for one or more indexes.

use super::change::ApplyContext;
use super::data_streams::check_alias_is_no_stream;
use super::names::{check_alias_is_no_index, check_alias_name};
use super::{AliasMeta, IndexId, IndexMeta, State};
use pith_engine::mapping::Mapping;
use pith_engine::query::check_alias_filter;
use pith_engine::{Error, ErrorKind, Result};
use std::sync::Arc;

/// One action of a change of aliases. Indexes and aliases have been resolved by whoever asks.
#[derive(Clone, Debug, PartialEq)]
pub enum AliasChange {
    Add { index: IndexId, alias: String, meta: AliasMeta },
    Remove { index: IndexId, alias: String, must_exist: bool },
    RemoveIndex(IndexId),
}

/// Applies all actions or none.
pub fn update_aliases(state: &mut State, actions: Vec<AliasChange>, cx: &ApplyContext<'_>) -> Result<()> {
    let doomed: Vec<IndexId> = actions
        .iter()
        .filter_map(|action| match action {
            AliasChange::RemoveIndex(index) => Some(index.clone()),
            _ => None,
        })
        .collect();
    if !doomed.is_empty() {
        super::delete::delete_indexes(state, &doomed, cx)?;
    }
    for action in actions {
        match action {
            AliasChange::Add { index, alias, meta } => add(state, &index, &alias, meta)?,
            AliasChange::Remove { index, alias, must_exist } => remove(state, &index, &alias, must_exist)?,
            AliasChange::RemoveIndex(_) => {}
        }
    }
    state.derive();
    let aliases: Vec<Arc<str>> = state.aliases.keys().cloned().collect();
    aliases.iter().try_for_each(|alias| check_alias_is_no_stream(state, alias))?;
    aliases.iter().try_for_each(|alias| check_one_write_index(state, alias))
}

fn add(state: &mut State, id: &IndexId, alias: &str, meta: AliasMeta) -> Result<()> {
    let index = expected(state, id)?;
    check_alias(alias, &meta)?;
    check_alias_is_no_index(state, alias)?;
    check_filter_of(alias, &meta, &index.name, &index.uuid, &index.mapping)?;
    if index.aliases.get(alias).is_some_and(|present| **present == meta) {
        return Ok(());
    }
    touched(state, id)?.aliases.insert(alias.into(), Arc::new(meta));
    Ok(())
}

fn remove(state: &mut State, id: &IndexId, alias: &str, must_exist: bool) -> Result<()> {
    let index = expected(state, id)?;
    if !index.aliases.contains_key(alias) {
        return if must_exist {
            Err(Error::illegal_argument(format!("required alias [{alias}] does not exist")))
        } else {
            Ok(())
        };
    }
    touched(state, id)?.aliases.remove(alias);
    Ok(())
}

/// The index of an action, which another one may have removed.
fn expected<'s>(state: &'s State, id: &IndexId) -> Result<&'s Arc<IndexMeta>> {
    let gone = || {
        Error::new(ErrorKind::IndexNotFound, format!("no such index [{}]", id.name))
            .with("index", &*id.name)
            .with("index_uuid", "_na_")
    };
    state.expect_index(id).map_err(|_| gone())
}

/// An index that is changed: copied by the first action on it, not by each of ten thousand.
fn touched<'s>(state: &'s mut State, id: &IndexId) -> Result<&'s mut IndexMeta> {
    let name = state.expect_index(id)?.name.clone();
    let index = state.indices.get_mut(&name).ok_or_else(|| Error::index_not_found(&name))?;
    let index = Arc::make_mut(index);
    index.version += 1;
    index.aliases_version += 1;
    Ok(index)
}

/// Checks an alias's name and routing by themselves.
pub fn check_alias(name: &str, alias: &AliasMeta) -> Result<()> {
    check_alias_name(name)?;
    if let Some(routing) = alias.index_routing.as_deref().filter(|routing| routing.contains(',')) {
        let _ = routing;
        return Err(Error::illegal_argument(format!(
            "alias [{name}] has several index routing values associated with it"
        )));
    }
    Ok(())
}

/// A filter must be a query.
pub fn check_filter(alias: &str, meta: &AliasMeta) -> Result<()> {
    let Some(filter) = &meta.filter else { return Ok(()) };
    let text = filter.to_bytes();
    let parsed = pith_engine::json::parse(&text).and_then(|filter| pith_engine::query::parse(&filter, &text));
    parsed.map(drop).map_err(|cause| bad_filter(alias, cause))
}

/// A filter must be a query that the index can answer.
pub fn check_filter_of(
    alias: &str,
    meta: &AliasMeta,
    index: &Arc<str>,
    uuid: &Arc<str>,
    mapping: &Arc<Mapping>,
) -> Result<()> {
    let Some(filter) = &meta.filter else { return Ok(()) };
    check_alias_filter(&filter.to_bytes(), mapping, index, uuid).map_err(|cause| bad_filter(alias, cause))
}

fn bad_filter(alias: &str, cause: Error) -> Error {
    Error::illegal_argument(format!("failed to parse filter for alias [{alias}]")).caused_by(cause)
}

/// Checks a new index against the aliases that exist: its own may not be called like it, and only one index of an alias
/// may be the one that is written to.
pub(super) fn alias_conflicts(state: &State, index: &IndexMeta) -> Result<()> {
    if index.aliases.contains_key(&*index.name) {
        return Err(Error::new(
            ErrorKind::IllegalState,
            format!(
                "index, alias, and data stream names need to be unique, but the following duplicates were found [{} (alias of {}) conflicts with index]",
                index.name,
                index.id()
            ),
        ));
    }
    let mut with_new = state.clone();
    with_new.indices.insert(index.name.clone(), Arc::new(index.clone()));
    with_new.derive();
    index.aliases.keys().try_for_each(|alias| check_alias_is_no_stream(&with_new, alias))?;
    index.aliases.keys().try_for_each(|alias| check_one_write_index(&with_new, alias))
}

fn check_one_write_index(state: &State, alias: &str) -> Result<()> {
    let members = state.aliases.get(alias).map_or(&[][..], Vec::as_slice);
    let writers: Vec<&str> = members
        .iter()
        .filter_map(|name| state.index(name))
        .filter(|index| index.aliases.get(alias).is_some_and(|meta| meta.is_write_index == Some(true)))
        .map(|index| &*index.name)
        .collect();
    if writers.len() > 1 {
        return Err(Error::new(
            ErrorKind::IllegalState,
            format!("alias [{alias}] has more than one write index [{}]", writers.join(",")),
        ));
    }
    let hidden = |value: bool| {
        let same = |index: &&Arc<IndexMeta>| index.aliases[alias].is_hidden.unwrap_or(false) == value;
        let names = members.iter().filter_map(|name| state.index(name)).filter(same).map(|index| &*index.name);
        names.collect::<Vec<&str>>()
    };
    let (on, off) = (hidden(true), hidden(false));
    if !on.is_empty() && !off.is_empty() {
        return Err(Error::new(
            ErrorKind::IllegalState,
            format!(
                "alias [{alias}] has is_hidden set to true on indices [{}] but does not have is_hidden set to true on indices [{}]; alias must have the same is_hidden setting on all indices",
                on.join(","),
                off.join(",")
            ),
        ));
    }
    Ok(())
}
