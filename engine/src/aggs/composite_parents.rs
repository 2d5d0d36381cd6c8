//! Where aggregations may stand: composites below few others, those that see all documents at the top.

use super::parse::{Agg, Level};
use crate::error::{Error, ErrorKind, Result};
use crate::query::ShardContext;
use std::sync::Arc;

/// Notes for the composites below an aggregation what the nearest above them is that may have many buckets: `above`, unless they know
/// a nearer one.
pub(crate) fn note_parent(level: &mut Level, above: &'static str) {
    for agg in &mut level.aggs {
        if agg.type_name == "composite" && agg.below.is_none() {
            agg.below = Some(above);
        }
        // While a request is parsed nobody else knows its parts.
        if let (true, Some(subs)) = (passes(agg.type_name), Arc::get_mut(&mut agg.subs)) {
            note_parent(subs, above);
        }
    }
}

/// Whether composites may stand below a kind if they may stand where it does.
pub(crate) fn passes(type_name: &str) -> bool {
    matches!(type_name, "nested" | "filter" | "reverse_nested")
}

/// The error of a composite that stands where it cannot.
pub(crate) fn check_parent(agg: &Agg) -> Result<()> {
    let Some(above) = agg.below else { return Ok(()) };
    Err(Error::illegal_argument(format!(
        "[composite] aggregation cannot be used with a parent aggregation of type: [{}Factory]",
        // Of some kinds the name is another.
        match above {
            "composite" | "multi_terms" => camel(above) + "Aggregation",
            "geo_distance" => "GeoDistanceRangeAggregator".into(),
            _ => camel(above) + "Aggregator",
        }
    )))
}

/// The reference allows `global` at the top only, and histograms of variable width below one bucket.
pub(crate) fn check_places(agg: &Agg, cx: &ShardContext) -> Result<()> {
    check_single_owner(agg, cx)?;
    check_globals(agg)
}

/// What stands below many buckets and cannot.
fn check_single_owner(agg: &Agg, cx: &ShardContext) -> Result<()> {
    // What a field nobody knows is asked for collects nothing, wherever it stands.
    if agg.below_many && agg.type_name == "variable_width_histogram" && !agg.kind.is_unmapped(cx) {
        return Err(Error::illegal_argument(format!(
            "[{}] cannot be nested inside an aggregation that collects more than a single bucket.",
            agg.type_name
        )));
    }
    agg.subs.iter().try_for_each(|sub| check_single_owner(sub, cx))
}

fn check_globals(agg: &Agg) -> Result<()> {
    for sub in agg.subs.iter() {
        if sub.kind.is_global() {
            return Err(Error::new(
                ErrorKind::AggregationExecution,
                format!(
                    "Aggregation [{}] cannot have a global sub-aggregation [{}]. Global aggregations can only be defined as top level aggregations",
                    agg.name, sub.name
                ),
            ));
        }
        check_globals(sub)?;
    }
    Ok(())
}

fn camel(name: &str) -> String {
    let own = match name {
        "geohash_grid" => Some("GeoHashGrid"),
        "geotile_grid" => Some("GeoTileGrid"),
        "ip_range" => Some("BinaryRange"),
        "diversified_sampler" => Some("Diversified"),
        _ => None,
    };
    own.map_or_else(
        || name.split('_').filter(|w| !w.is_empty()).map(|w| w[..1].to_ascii_uppercase() + &w[1..]).collect(),
        str::to_owned,
    )
}

#[cfg(test)]
mod tests {
    use crate::search::tests::{search, shard};

    #[test]
    fn the_first_of_the_request_that_stands_where_it_cannot_is_named() {
        let cx = shard(r#"{"properties":{"k":{"type":"keyword"}}}"#, &[&[r#"{"k":"a"}"#]]);
        let inner = r#""aggs":{"c":{"composite":{"sources":[{"k":{"terms":{"field":"k"}}}]}}}"#;
        let body = format!(
            r#"{{"aggs":{{"b0":{{"sampler":{{}},{inner}}},"a1":{{"terms":{{"field":"k"}},{inner}}},"z":{{"missing":{{"field":"k"}},{inner}}}}}}}"#
        );
        let answer = search(&cx, &body);
        assert!(answer.contains("[SamplerAggregatorFactory]"), "{answer}");
    }
}
