//! Queries that are kept, judged when they are written: those that documents store for `percolate`, and filters of aliases.

use super::{PlanContext, Query, SearchLimits, ShardContext};
use crate::error::{Error, ErrorKind, Result};
use crate::json;
use crate::mapping::{Family, Mapping, failed_to_parse};
use crate::segment::Snapshot;
use crate::writer::FieldOp;
use std::cell::OnceCell;
use std::sync::Arc;

/// Refuses a document whose stored query could not be run: it names a field that the mapping does not have, or asks of one what
/// it cannot answer.
pub fn check_stored_queries(
    ops: &[FieldOp],
    mapping: &Arc<Mapping>,
    index: &Arc<str>,
    index_uuid: &Arc<str>,
) -> Result<()> {
    let mut seen = vec![];
    for op in ops {
        if matches!(op, FieldOp::EndNested) {
            // Each nested document has one of its own.
            seen.clear();
        }
        let FieldOp::Ordinal { field: id, value } = op else { continue };
        let field = &mapping.fields()[id.0 as usize];
        if field.family() != Family::Percolator {
            continue;
        }
        if seen.contains(id) {
            return Err(failed_to_parse(Error::illegal_argument("a document can only contain one percolator query")));
        }
        seen.push(*id);
        check(value, mapping, index, index_uuid).map_err(failed_to_parse)?;
    }
    Ok(())
}

fn looks_up(query: &Query) -> bool {
    !query.kind.lookups().is_empty() || query.kind.children().into_iter().any(looks_up)
}

/// Refuses the filter of an alias that could not be run on this index. Fields that the mapping does not have find nothing.
pub fn check_alias_filter(text: &[u8], mapping: &Arc<Mapping>, index: &Arc<str>, index_uuid: &Arc<str>) -> Result<()> {
    let query = read(text)?;
    if looks_up(&query) {
        return Err(Error::new(ErrorKind::IllegalState, "async actions are left after rewrite"));
    }
    let shard = empty_shard(mapping, index, index_uuid);
    let cx = PlanContext::new(&shard);
    query.plan(&cx).map(drop).map_err(|error| match error.kind() {
        ErrorKind::QueryShard => cx.of_index(error),
        _ => error,
    })
}

/// A query that is whole by itself.
fn read(text: &[u8]) -> Result<Query> {
    let query = super::parse(&json::parse(text)?, text)?;
    query.fill(&json::Map::new())?;
    Ok(query)
}

fn empty_shard(mapping: &Arc<Mapping>, index: &Arc<str>, index_uuid: &Arc<str>) -> ShardContext {
    ShardContext {
        index: index.clone(),
        index_uuid: index_uuid.clone(),
        shard: 0,
        node_id: "".into(),
        mapping: mapping.clone(),
        snapshot: Arc::new(Snapshot::default()),
        now_ms: 0,
        limits: SearchLimits::default(),
        profile: None,
        search: None,
        sees_all: false,
    }
}

fn check(text: &[u8], mapping: &Arc<Mapping>, index: &Arc<str>, index_uuid: &Arc<str>) -> Result<()> {
    let query = read(text)?;
    let shard = empty_shard(mapping, index, index_uuid);
    let unmapped = OnceCell::new();
    let cx = PlanContext::new(&shard).telling_unmapped(&unmapped);
    let planned = query.plan(&cx);
    match unmapped.get() {
        Some(name) if !mapping.settings().unmapped_as_text => {
            Err(cx.error(format!("No field mapping can be found for the field with name [{name}]")))
        }
        // What is looked up is not at hand here.
        _ if looks_up(&query) => Ok(()),
        _ => planned.map(drop),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Registry;
    use crate::mapping::MappingSettings;

    fn stored(query: &str, unmapped_as_text: bool) -> String {
        let settings = MappingSettings { unmapped_as_text, ..MappingSettings::default() };
        let mapping = json::parse(br#"{"properties":{"n":{"type":"long"},"o":{"properties":{"t":{"type":"text"}}}}}"#);
        let mapping = Arc::new(Mapping::parse(&mapping.unwrap(), &Registry::built_in(), &settings).unwrap());
        match check(query.as_bytes(), &mapping, &"i".into(), &"u".into()) {
            Ok(()) => "kept".to_owned(),
            Err(error) => error.reason().to_owned(),
        }
    }

    #[test]
    fn stored_queries_name_fields_that_there_are() {
        let unmapped = "No field mapping can be found for the field with name [x]";
        for (query, expected) in [
            (r#"{"range":{"n":{"gte":5}}}"#, "kept"),
            (r#"{"exists":{"field":"o"}}"#, "kept"),
            (r#"{"multi_match":{"query":"a","fields":["x*"]}}"#, "kept"),
            (r#"{"terms":{"n":{"index":"i","id":"1","path":"p"}}}"#, "kept"),
            (r#"{"bool":{"must_not":[{"match":{"x":"a"}}]}}"#, unmapped),
            (r#"{"query_string":{"query":"_exists_:x"}}"#, unmapped),
            (r#"{"term":{"n":"no number"}}"#, "For input string: \"no number\""),
        ] {
            assert_eq!(stored(query, false), expected, "{query}");
        }
        assert_eq!(stored(r#"{"match":{"x":"a"}}"#, true), "kept");
    }

    #[test]
    fn filters_of_aliases_can_be_run() {
        let mapping = json::parse(br#"{"properties":{"n":{"type":"long"},"o":{"properties":{"t":{"type":"text"}}}}}"#);
        let mapping = Mapping::parse(&mapping.unwrap(), &Registry::built_in(), &MappingSettings::default());
        let mapping = Arc::new(mapping.unwrap());
        let refused = |filter: &str| {
            let checked = check_alias_filter(filter.as_bytes(), &mapping, &"i".into(), &"u".into());
            checked.err().map(|error| error.reason().to_owned())
        };
        assert_eq!(refused(r#"{"range":{"n":{"gte":"abc"}}}"#).unwrap(), "For input string: \"abc\"");
        assert_eq!(
            refused(r#"{"nested":{"path":"o","query":{"match_all":{}}}}"#).unwrap(),
            "[nested] nested object under path [o] is not of nested type"
        );
        // {"nope":{}}
        assert_eq!(
            refused(r#"{"bool":{"filter":{"wrapper":{"query":"eyJub3BlIjp7fX0="}}}}"#).unwrap(),
            "unknown query [nope]"
        );
        assert_eq!(
            refused(r#"{"terms":{"n":{"index":"i","id":"1","path":"p"}}}"#).unwrap(),
            "async actions are left after rewrite"
        );
        assert_eq!(refused(r#"{"term":{"x":1}}"#), None);
    }
}
