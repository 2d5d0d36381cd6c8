//! Rolling over: the next index of an alias or of a data stream takes what is written from now on.

use super::aliases::update_aliases;
use super::change::ApplyContext;
use super::create::create_index;
use super::{AliasChange, AliasMeta, CreateIndex, IndexId, IndexMeta, State, data_streams, single_name};
use pith_engine::json::{Map, Value};
use pith_engine::{Error, Result};
use std::sync::Arc;

/// A rollover whose conditions have been met.
#[derive(Clone, Debug)]
pub struct Rollover {
    pub target: RolloverTarget,
    /// The conditions that were met, as they are shown.
    pub met: Map,
}

#[derive(Clone, Debug)]
pub enum RolloverTarget {
    DataStream(String),
    Alias {
        alias: String,
        /// The index that is written to until then.
        old: IndexId,
        new: Box<CreateIndex>,
    },
}

pub fn apply(state: &mut State, request: Rollover, cx: &mut ApplyContext<'_>) -> Result<()> {
    let Rollover { target, met } = request;
    let (alias, old, new) = match target {
        RolloverTarget::DataStream(name) => {
            let old = state.data_streams.get(name.as_str()).and_then(|stream| stream.write_index().cloned());
            data_streams::roll_over(state, &name, cx)?;
            return old.map_or(Ok(()), |old| remember(state, &old, &name, met, cx));
        }
        RolloverTarget::Alias { alias, old, new } => (alias, old, *new),
    };
    remember(state, &old, &alias, met, cx)?;
    let meta = state.expect_index(&old)?.aliases.get(alias.as_str()).map(|meta| AliasMeta::clone(meta));
    let meta = meta.ok_or_else(|| Error::illegal_argument(format!("rollover target [{alias}] does not exist")))?;
    let name = new.name.clone();
    create_index(state, new, cx)?;
    let id = state.index(&name).map(|index| index.id()).ok_or_else(|| Error::index_not_found(&name))?;
    // An index that was chosen by name keeps the alias; one that was the only one loses it.
    let explicit = meta.is_write_index == Some(true);
    let write = |value: bool| AliasMeta { is_write_index: Some(value), ..meta.clone() };
    let actions = if explicit {
        vec![
            AliasChange::Add { index: old, alias: alias.clone(), meta: write(false) },
            AliasChange::Add { index: id, alias, meta: write(true) },
        ]
    } else {
        vec![
            AliasChange::Add { index: id, alias: alias.clone(), meta: meta.clone() },
            AliasChange::Remove { index: old, alias, must_exist: false },
        ]
    };
    update_aliases(state, actions, cx)
}

/// Notes with the old index that it was rolled over.
fn remember(state: &mut State, old: &IndexId, target: &str, met: Map, cx: &ApplyContext<'_>) -> Result<()> {
    let mut index = IndexMeta::clone(state.expect_index(old)?);
    let info = Map::from_iter([("met_conditions", Value::Object(met)), ("time", Value::from(cx.now_ms))]);
    index.rollovers.insert(target, info);
    state.indices.insert(index.name.clone(), Arc::new(index));
    Ok(())
}

/// The name of the index after the one that was made as `provided` (which may be date math): its number plus one.
pub fn next_name(provided: &str, now_ms: i64) -> Result<String> {
    let resolved = single_name(provided, now_ms)?;
    let refuse = || Error::illegal_argument(format!("index name [{provided}] does not match pattern '^.*-\\d+$'"));
    let number = resolved.rsplit_once('-').map(|(_, number)| number).ok_or_else(refuse)?;
    if number.is_empty() || !number.bytes().all(|b| b.is_ascii_digit()) {
        return Err(refuse());
    }
    let is_date_math = resolved != provided;
    let plain = if is_date_math { provided.strip_suffix('>').unwrap_or(provided) } else { provided };
    let (prefix, number) = plain.rsplit_once('-').ok_or_else(refuse)?;
    let number: u32 =
        number.parse::<u32>().ok().filter(|number| *number < i32::MAX as u32).ok_or_else(|| {
            Error::new(pith_engine::ErrorKind::NumberFormat, format!("For input string: \"{number}\""))
        })?;
    Ok(format!("{prefix}-{:06}{}", number + 1, if is_date_math { ">" } else { "" }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_count_on() {
        let next = |name: &str| next_name(name, 0).unwrap_or_else(|error| error.reason().to_owned());
        assert_eq!(next("logs-000001"), "logs-000002");
        assert_eq!(next("logs-9"), "logs-000010");
        assert_eq!(next("<logs-{now/d}-1>"), "<logs-{now/d}-000002>");
        assert_eq!(next("logs"), "index name [logs] does not match pattern '^.*-\\d+$'");
        assert_eq!(next("logs-2147483647"), "For input string: \"2147483647\"");
    }
}
