//! Index expressions: names, aliases, wildcards, exclusions and date math to the indexes that they mean.

use super::date_name::resolve_date_math;
use super::names::{check_not_reserved, invalid_index_name};
use super::system::note_system;
use super::{AliasMeta, DataStream, IndexMeta, IndexState, State};
use crate::settings::glob;
use pith_engine::java_order::{java_order, sort_by_slot};
use pith_engine::json::Value;
use pith_engine::{Error, ErrorKind, Result};
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

/// What is done about names that mean nothing, and what wildcards stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndicesOptions {
    /// Names without an index, and closed ones where those are forbidden, are passed over.
    pub ignore_unavailable: bool,
    /// Nothing left is no error.
    pub allow_no_indices: bool,
    pub expand_open: bool,
    pub expand_closed: bool,
    pub expand_hidden: bool,
    pub allow_aliases_to_multiple_indices: bool,
    /// A closed index is an error.
    pub forbid_closed: bool,
    /// Aliases are an error, and wildcards do not match them.
    pub ignore_aliases: bool,
    /// Data streams stand for their indexes; otherwise they are as good as missing.
    pub include_data_streams: bool,
}

impl IndicesOptions {
    /// Names must exist; wildcards mean open indexes; closed ones may be named.
    pub const STRICT_EXPAND_OPEN: Self = Self {
        ignore_unavailable: false,
        allow_no_indices: true,
        expand_open: true,
        expand_closed: false,
        expand_hidden: false,
        allow_aliases_to_multiple_indices: true,
        forbid_closed: false,
        ignore_aliases: false,
        include_data_streams: true,
    };
    /// As [`Self::STRICT_EXPAND_OPEN`], wildcards mean closed indexes too.
    pub const STRICT_EXPAND: Self = Self { expand_closed: true, ..Self::STRICT_EXPAND_OPEN };
    /// As [`Self::STRICT_EXPAND`], hidden ones too.
    pub const STRICT_EXPAND_HIDDEN: Self = Self { expand_hidden: true, ..Self::STRICT_EXPAND };
    /// What searches use.
    pub const STRICT_EXPAND_OPEN_FORBID_CLOSED: Self = Self { forbid_closed: true, ..Self::STRICT_EXPAND_OPEN };
    pub const LENIENT_EXPAND_OPEN: Self = Self { ignore_unavailable: true, ..Self::STRICT_EXPAND_OPEN };
    pub const LENIENT_EXPAND: Self = Self { ignore_unavailable: true, ..Self::STRICT_EXPAND };
    pub const LENIENT_EXPAND_HIDDEN: Self = Self { ignore_unavailable: true, ..Self::STRICT_EXPAND_HIDDEN };
    /// Exactly one index, as requests for one document have it.
    pub const SINGLE: Self = Self {
        allow_no_indices: false,
        expand_open: false,
        allow_aliases_to_multiple_indices: false,
        forbid_closed: true,
        include_data_streams: false,
        ..Self::STRICT_EXPAND_OPEN
    };
}

/// One index that a search means, with what the aliases that led to it add.
#[derive(Clone)]
pub struct Resolved {
    pub index: Arc<IndexMeta>,
    /// Queries of which one has to match. Empty: no restriction.
    pub filters: Vec<Value>,
    /// The routing values that decide the shards. `None`: all shards.
    pub routing: Option<BTreeSet<String>>,
}

/// The indexes that the expressions mean, each once. No expression, `_all` and `*` mean every index that the options let
/// wildcards stand for.
pub fn resolve<S: AsRef<str>>(
    state: &State,
    expressions: &[S],
    options: &IndicesOptions,
    now_ms: i64,
) -> Result<Vec<Arc<IndexMeta>>> {
    let names = expand_names(state, expressions, options, Targets::Indexes, now_ms)?;
    concrete(state, expressions, &names, options).inspect(|found| note_system(state, found.iter()))
}

/// The indexes that a search means, with alias filters and routing. `routing` is the request's own, comma-separated.
pub fn resolve_search<S: AsRef<str>>(
    state: &State,
    expressions: &[S],
    options: &IndicesOptions,
    routing: Option<&str>,
    now_ms: i64,
) -> Result<Vec<Resolved>> {
    if let Some(index) = named_alone(state, expressions) {
        note_system(state, std::iter::once(index));
        let requested = routing.map(routing_values);
        return Ok(vec![Resolved { index: index.clone(), filters: vec![], routing: requested }]);
    }
    check_as_they_stand(expressions, options, now_ms)?;
    let indexes = resolve(state, expressions, options, now_ms)?;
    let names = expand_names(state, expressions, &lenient(options), Targets::Aliases, now_ms)?;
    let all = is_all(expressions);
    let requested = routing.map(routing_values);
    let named: HashSet<&str> = names.iter().map(String::as_str).collect();
    Ok(indexes
        .into_iter()
        .map(|index| {
            let stream = state.backing.get(&index.name);
            let is_named = |name: &str| named.contains(name);
            let direct = all || is_named(&index.name) || stream.is_some_and(|stream| is_named(stream));
            let aliases = aliases_among(&index, &names, &named);
            let filters = if direct || aliases.iter().any(|alias| alias.filter.is_none()) {
                vec![]
            } else {
                aliases.iter().filter_map(|alias| alias.filter.clone()).collect()
            };
            let routings = aliases.iter().map(|alias| alias.search_routing.as_deref());
            let routing = search_routing(direct, routings, requested.as_ref());
            Resolved { index, filters, routing }
        })
        .collect())
}

/// Where wildcards stand for nothing, searches take names as they stand, and refuse those that no index can have.
fn check_as_they_stand<S: AsRef<str>>(expressions: &[S], options: &IndicesOptions, now_ms: i64) -> Result<()> {
    for expression in expressions.iter().filter(|_| !options.expand_open && !options.expand_closed) {
        check_not_reserved(&single_name(expression.as_ref(), now_ms)?)?;
    }
    Ok(())
}

/// The aliases of an index among `names`, which `named` are, in the order in which a hash map of Java has them.
fn aliases_among<'i>(index: &'i IndexMeta, names: &[String], named: &HashSet<&str>) -> Vec<&'i AliasMeta> {
    let mut found: Vec<(&str, &AliasMeta)> = match names.len() < index.aliases.len() {
        true => names.iter().filter_map(|name| index.aliases.get_key_value(name.as_str())).map(named_alias).collect(),
        false => index.aliases.iter().filter(|(name, _)| named.contains(&***name)).map(named_alias).collect(),
    };
    sort_by_slot(&mut found, |(name, _)| name);
    found.into_iter().map(|(_, alias)| alias).collect()
}

fn named_alias<'i>((name, alias): (&'i Arc<str>, &'i Arc<AliasMeta>)) -> (&'i str, &'i AliasMeta) {
    (name, alias)
}

/// The values of a request's routing: an empty text has none, which no shard has either.
fn routing_values(routing: &str) -> BTreeSet<String> {
    routing.split(',').filter(|value| !value.is_empty()).map(str::to_owned).collect()
}

/// The data streams among what the expressions mean. What is there and is none is passed over; aliases are refused.
pub fn resolve_streams<S: AsRef<str>>(state: &State, expressions: &[S], now_ms: i64) -> Result<Vec<Arc<DataStream>>> {
    let options = IndicesOptions { ignore_aliases: true, ..IndicesOptions::STRICT_EXPAND };
    let mut names: Vec<&str> = expressions.iter().map(AsRef::as_ref).collect();
    if is_all(&names) {
        names = vec!["*", "*"];
    }
    let mut names = expand_names(state, &names, &options, Targets::Aliases, now_ms)?;
    names.sort_unstable();
    Ok(names.iter().filter_map(|name| state.data_streams.get(name.as_str())).cloned().collect())
}

/// The open index that the only expression is the name of: what most searches are about.
fn named_alone<'s, S: AsRef<str>>(state: &'s State, expressions: &[S]) -> Option<&'s Arc<IndexMeta>> {
    let [only] = expressions else { return None };
    // Names of indexes begin with none of the characters that expressions are known by, and never stand for an alias too.
    state.index(only.as_ref()).filter(|index| index.is_open())
}

/// The values that an index's shards are chosen by: the union of its aliases' values, each narrowed to what was requested.
fn search_routing<'a>(
    direct: bool,
    aliases: impl Iterator<Item = Option<&'a str>>,
    requested: Option<&BTreeSet<String>>,
) -> Option<BTreeSet<String>> {
    let mut values = BTreeSet::new();
    let mut as_requested = direct;
    if direct {
        values.extend(requested?.iter().cloned());
    }
    for alias in aliases {
        match (alias, requested) {
            (None, None) => return None,
            (None, Some(requested)) => {
                as_requested = true;
                values.extend(requested.iter().cloned());
            }
            (Some(own), None) => values.extend(own.split(',').map(str::to_owned)),
            (Some(own), Some(requested)) => {
                values.extend(own.split(',').filter(|value| requested.contains(*value)).map(str::to_owned));
            }
        }
    }
    // Where an alias leaves no value, the index is asked as if there had been none.
    Some(values).filter(|values| as_requested || !values.is_empty())
}

/// The one index that a write to `expression` goes to, and the routing that the alias gives it.
///
/// `routing` is the request's own; an alias that has another is an error.
pub fn resolve_write(
    state: &State,
    expression: &str,
    routing: Option<&str>,
    now_ms: i64,
) -> Result<(Arc<IndexMeta>, Option<String>)> {
    let (index, name) = write_target(state, expression, now_ms)?;
    let routing = write_routing(&index, &name, routing)?;
    Ok((index, routing))
}

/// The one index that a write to `expression` goes to, and the name that led to it.
pub fn write_target(state: &State, expression: &str, now_ms: i64) -> Result<(Arc<IndexMeta>, String)> {
    let (index, name) = named_for_write(state, expression, now_ms)?;
    match index.is_open() {
        true => Ok((index, name)),
        false => Err(closed(&index)),
    }
}

/// The same, whether the index is open or not.
pub fn named_for_write(state: &State, expression: &str, now_ms: i64) -> Result<(Arc<IndexMeta>, String)> {
    let name = single_name(expression, now_ms)?;
    let stream = state.data_streams.get(name.as_str());
    let index = match (state.aliases.get(name.as_str()), stream.and_then(|stream| stream.write_index())) {
        (Some(members), _) => write_index(state, &name, members)?,
        (None, Some(id)) => state.expect_index(id)?.clone(),
        (None, None) => state.index(&name).cloned().ok_or_else(|| single_not_found(&name))?,
    };
    note_system(state, std::iter::once(&index));
    Ok((index, name))
}

/// The one index that a request for a document of `expression` reads, and the routing that the alias gives it.
pub fn resolve_read(
    state: &State,
    expression: &str,
    routing: Option<&str>,
    now_ms: i64,
) -> Result<(Arc<IndexMeta>, Option<String>)> {
    if state.data_streams.contains_key(expression) {
        // The name is known, but what it stands for is left out.
        return Err(Error::new(ErrorKind::IndexNotFound, "no such index [null]")
            .with("resource.id", expression)
            .with("resource.type", "index_expression")
            .with("excluded_ds", "true"));
    }
    let mut found = resolve(state, &[expression], &IndicesOptions::SINGLE, now_ms)?;
    let index = found.pop().ok_or_else(|| single_not_found(expression))?;
    let routing = write_routing(&index, &single_name(expression, now_ms)?, routing)?;
    Ok((index, routing))
}

/// The name that stands for one index: date math is resolved, wildcards are not.
pub fn single_name(expression: &str, now_ms: i64) -> Result<String> {
    Ok(resolve_date_math(expression, now_ms)?.unwrap_or_else(|| expression.to_owned()))
}

fn write_index(state: &State, alias: &str, members: &[Arc<str>]) -> Result<Arc<IndexMeta>> {
    let indexes: Vec<_> = members.iter().filter_map(|name| state.index(name)).collect();
    let is_write = |index: &IndexMeta| index.aliases.get(alias).and_then(|meta| meta.is_write_index);
    if let [only] = indexes.as_slice()
        && is_write(only) != Some(false)
    {
        return Ok(Arc::clone(only));
    }
    indexes.into_iter().find(|index| is_write(index) == Some(true)).cloned().ok_or_else(|| {
        Error::illegal_argument(format!(
            "no write index is defined for alias [{alias}]. The write index may be explicitly disabled using \
             is_write_index=false or the alias points to multiple indices without one being designated as a write index"
        ))
    })
}

/// The routing of a write to `index` by `name`, which may be an alias that has its own.
pub fn write_routing(index: &IndexMeta, name: &str, routing: Option<&str>) -> Result<Option<String>> {
    let Some(alias) = index.aliases.get(name) else { return Ok(routing.map(str::to_owned)) };
    let Some(own) = &alias.index_routing else { return Ok(routing.map(str::to_owned)) };
    if let Some(given) = routing.filter(|given| given != own) {
        return Err(Error::illegal_argument(format!(
            "Alias [{name}] has index routing associated with it [{own}], and was provided with routing value [{given}], \
             rejecting operation"
        )));
    }
    if own.contains(',') {
        return Err(Error::illegal_argument(format!(
            "index/alias [{name}] provided with routing value [{own}] that resolved to several routing values, \
             rejecting operation"
        )));
    }
    Ok(Some(own.clone()))
}

/// Whether the expressions mean every index: none, `_all` or `*` alone.
pub fn is_all<S: AsRef<str>>(expressions: &[S]) -> bool {
    match expressions {
        [] => true,
        [only] => matches!(only.as_ref(), "_all" | "*"),
        _ => false,
    }
}

/// Whether wildcards become the indexes that aliases stand for, or keep the aliases' names.
#[derive(Clone, Copy, PartialEq)]
enum Targets {
    Indexes,
    Aliases,
}

fn lenient(options: &IndicesOptions) -> IndicesOptions {
    IndicesOptions { ignore_unavailable: true, allow_no_indices: true, ..*options }
}

/// Date math and wildcards expanded; what comes out are names of indexes and aliases, each once, in order.
fn expand_names<S: AsRef<str>>(
    state: &State,
    expressions: &[S],
    options: &IndicesOptions,
    targets: Targets,
    now_ms: i64,
) -> Result<Vec<String>> {
    let mut names = Vec::with_capacity(expressions.len());
    for expression in expressions {
        names.push(single_name(expression.as_ref(), now_ms)?);
    }
    if !options.expand_open && !options.expand_closed {
        return Ok(if names.is_empty() { vec!["_all".to_owned()] } else { names });
    }
    if is_all(&names) {
        let all = state.indices.values().filter(|index| wildcard_state(index, options));
        let backing = |index: &IndexMeta| options.include_data_streams && state.backing.contains_key(&index.name);
        let all: Vec<String> = all
            .filter(|index| options.expand_hidden || !index.hidden || backing(index))
            .map(|index| index.name.to_string())
            .collect();
        if all.is_empty() && !options.allow_no_indices {
            return Err(no_indexes(expressions));
        }
        return Ok(all);
    }
    expand_each(state, names, options, targets)
}

fn expand_each(state: &State, names: Vec<String>, options: &IndicesOptions, targets: Targets) -> Result<Vec<String>> {
    let mut result = Once::default();
    let mut wildcard_seen = false;
    for name in names {
        if name.is_empty() {
            return Err(Error::index_not_found(&name));
        }
        if name.starts_with('_') {
            return Err(invalid_index_name(&name, "must not start with '_'."));
        }
        let exists =
            |name: &str| state.has(name) && (options.include_data_streams || !state.data_streams.contains_key(name));
        let is_refused_alias = |name: &str| options.ignore_aliases && state.aliases.contains_key(name);
        if exists(&name) && !is_refused_alias(&name) {
            result.add(name);
            continue;
        }
        let excluded = if wildcard_seen { name.strip_prefix('-') } else { None };
        let pattern = excluded.unwrap_or(&name);
        if !pattern.contains('*') {
            if !options.ignore_unavailable && !exists(pattern) {
                return Err(Error::index_not_found(pattern));
            }
            if !options.ignore_unavailable && is_refused_alias(pattern) {
                return Err(aliases_not_supported(pattern));
            }
            match excluded {
                Some(excluded) => result.retain(|n| n != excluded),
                None => result.add(name),
            }
            continue;
        }
        wildcard_seen = true;
        let matched = expand_wildcard(state, pattern, options, targets);
        if !options.allow_no_indices && matched.is_empty() && !names_something(state, pattern, options) {
            return Err(Error::index_not_found(pattern));
        }
        match excluded {
            Some(_) => result.retain(|n| !matched.contains(n)),
            None => matched.into_iter().for_each(|n| result.add(n)),
        }
    }
    Ok(result.names)
}

/// As many names are looked through faster than a set is made of them.
const FEW: usize = 16;

/// Names, each once, in the order in which they came.
#[derive(Default)]
struct Once {
    names: Vec<String>,
    /// The same, once there are many.
    seen: HashSet<String>,
}

impl Once {
    fn add(&mut self, name: String) {
        if self.names.len() >= FEW && self.seen.is_empty() {
            self.seen.extend(self.names.iter().cloned());
        }
        let is_new = match self.names.len() {
            ..FEW => !self.names.contains(&name),
            _ => self.seen.insert(name.clone()),
        };
        if is_new {
            self.names.push(name);
        }
    }

    fn retain(&mut self, keeps: impl Fn(&String) -> bool) {
        self.names.retain(keeps);
        self.seen.clear();
    }
}

fn expand_wildcard(state: &State, pattern: &str, options: &IndicesOptions, targets: Targets) -> BTreeSet<String> {
    let visible = |hidden: bool, name: &str| {
        !hidden || options.expand_hidden || (name.starts_with('.') && pattern.starts_with('.'))
    };
    let mut found = BTreeSet::new();
    for index in state.indices.values() {
        if wildcard_state(index, options) && glob(pattern, &index.name) && visible(index.hidden, &index.name) {
            found.insert(index.name.to_string());
        }
    }
    if options.include_data_streams {
        for stream in state.data_streams.values().filter(|stream| glob(pattern, &stream.name)) {
            match targets {
                Targets::Aliases => drop(found.insert(stream.name.to_string())),
                Targets::Indexes => {
                    let indexes = state.indexes_of_stream(stream);
                    let names = indexes.iter().filter(|index| wildcard_state(index, options));
                    found.extend(names.map(|index| index.name.to_string()));
                }
            }
        }
    }
    if options.ignore_aliases {
        return found;
    }
    for (alias, members) in state.aliases.iter().filter(|(alias, _)| glob(pattern, alias)) {
        let members: Vec<_> = members.iter().filter_map(|name| state.index(name)).collect();
        let hidden = members.iter().any(|index| index.aliases[alias].is_hidden == Some(true));
        if !visible(hidden, alias) {
            continue;
        }
        match targets {
            Targets::Aliases => drop(found.insert(alias.to_string())),
            Targets::Indexes => {
                let names = members.iter().filter(|index| wildcard_state(index, options));
                found.extend(names.map(|index| index.name.to_string()));
            }
        }
    }
    found
}

/// Whether a pattern fits anything, be it closed or hidden.
fn names_something(state: &State, pattern: &str, options: &IndicesOptions) -> bool {
    state.indices.keys().any(|name| glob(pattern, name))
        || options.include_data_streams && state.data_streams.keys().any(|name| glob(pattern, name))
        || !options.ignore_aliases && state.aliases.keys().any(|name| glob(pattern, name))
}

/// Whether wildcards stand for indexes in the state that this one is in.
fn wildcard_state(index: &IndexMeta, options: &IndicesOptions) -> bool {
    match index.state {
        IndexState::Open => options.expand_open,
        IndexState::Closed => options.expand_closed,
    }
}

fn concrete<S: AsRef<str>>(
    state: &State,
    expressions: &[S],
    names: &[String],
    options: &IndicesOptions,
) -> Result<Vec<Arc<IndexMeta>>> {
    if names.is_empty() {
        return if options.allow_no_indices { Ok(vec![]) } else { Err(no_indexes(expressions)) };
    }
    // None is one, too: `_all`.
    let fail_missing = if expressions.len() <= 1 { !options.allow_no_indices } else { !options.ignore_unavailable };
    let mut found: Vec<Arc<IndexMeta>> = vec![];
    let mut seen: HashSet<Arc<str>> = HashSet::new();
    for name in names {
        let stream = state.data_streams.get(name.as_str()).filter(|_| options.include_data_streams);
        let backing: Vec<Arc<str>> = stream.map_or(vec![], |s| s.indices.iter().map(|id| id.name.clone()).collect());
        let members: &[Arc<str>] = match (state.indices.get_key_value(name.as_str()), state.aliases.get(name.as_str()))
        {
            (Some((key, _)), _) => std::slice::from_ref(key),
            (None, Some(_)) if options.ignore_aliases => {
                if fail_missing {
                    return Err(aliases_not_supported(name));
                }
                continue;
            }
            (None, Some(members)) => members,
            (None, None) if stream.is_some() => &backing,
            (None, None) if fail_missing => return Err(single_not_found(name)),
            (None, None) => continue,
        };
        if members.len() > 1 && !options.allow_aliases_to_multiple_indices {
            return Err(Error::illegal_argument(format!(
                "alias [{name}] has more than one index associated with it [{}], can't execute a single index op",
                members.join(", ")
            )));
        }
        for index in members.iter().filter_map(|member| state.index(member)) {
            let taken = index.is_open() || !options.forbid_closed;
            if !taken && !options.ignore_unavailable {
                return Err(match options.expand_closed && !options.expand_open {
                    true => not_expanded(),
                    false => closed(first_closed(state, expressions, names).unwrap_or(index)),
                });
            }
            if taken && (names.len() == 1 && members.len() == 1 || seen.insert(index.uuid.clone())) {
                found.push(Arc::clone(index));
            }
        }
    }
    if found.is_empty() && !options.allow_no_indices {
        let streams_left_out = names.iter().any(|name| state.data_streams.contains_key(name.as_str()));
        return Err(match streams_left_out && !options.include_data_streams {
            true => no_indexes(expressions).with("excluded_ds", "true"),
            false => no_indexes(expressions),
        });
    }
    Ok(found)
}

/// The error of a name that means no index, where the whole request is about that one name.
#[cold]
pub fn single_not_found(name: &str) -> Error {
    let error = match name {
        "_all" => Error::new(ErrorKind::IndexNotFound, "no such index [_all] and no indices exist")
            .with("index", name)
            .with("resource.id", name)
            .with("resource.type", "index_or_alias")
            .with("index_uuid", "_na_"),
        name => Error::index_not_found(name),
    };
    error.with("resource.type", "index_expression")
}

#[cold]
fn aliases_not_supported(name: &str) -> Error {
    Error::illegal_argument(format!(
        "The provided expression [{name}] matches an alias, specify the corresponding concrete indices instead."
    ))
}

/// The closed index that is met first: what wildcards and aliases stand for are sets of Java's.
fn first_closed<'s, S: AsRef<str>>(
    state: &'s State,
    expressions: &[S],
    names: &[String],
) -> Option<&'s Arc<IndexMeta>> {
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    if expressions.iter().any(|expression| expression.as_ref().contains('*')) {
        names = java_order(names);
    }
    let members = names.into_iter().flat_map(|name| match state.aliases.get(name) {
        Some(members) => java_order(members.iter().map(|member| &**member).collect()),
        None => vec![name],
    });
    members.filter_map(|name| state.index(name)).find(|index| !index.is_open())
}

/// The error of a closed index.
#[cold]
pub fn closed(index: &IndexMeta) -> Error {
    Error::new(ErrorKind::IndexClosed, "closed").with("index", &*index.name).with("index_uuid", &*index.uuid)
}

/// The error of wildcards that mean closed indexes only, where none may be closed.
#[cold]
fn not_expanded() -> Error {
    Error::illegal_argument("To expand [CLOSE] wildcard, please set forbid_closed_indices to `false`")
}

#[cold]
fn no_indexes<S: AsRef<str>>(expressions: &[S]) -> Error {
    let id = match expressions {
        [] => return Error::index_not_found("_all").with("resource.type", "index_or_alias"),
        [only] => Value::from(only.as_ref()),
        _ => Value::Array(expressions.iter().map(|e| Value::from(e.as_ref())).collect()),
    };
    let reason = match id.as_str() {
        Some("_all") => "no such index [null] and no indices exist",
        _ => "no such index [null]",
    };
    Error::new(ErrorKind::IndexNotFound, reason).with("resource.id", id).with("resource.type", "index_expression")
}
