//! Where composite aggregations may stand: below few others.

use super::parse::Agg;
use super::profile::in_place;
use crate::error::{Error, Result};

/// The error of a composite that has an aggregation above it which may have many buckets. `blocker`: the nearest such above `agg`.
pub(crate) fn check_parents(agg: &Agg, blocker: Option<&'static str>) -> Result<()> {
    match blocker {
        Some(above) if agg.type_name == "composite" => Err(Error::illegal_argument(format!(
            "[composite] aggregation cannot be used with a parent aggregation of type: [{}Factory]",
            // Of some kinds the name is another.
            match above {
                "composite" | "multi_terms" => camel(above) + "Aggregation",
                _ => camel(above) + "Aggregator",
            }
        ))),
        _ => {
            let passes = matches!(agg.type_name, "nested" | "filter" | "reverse_nested");
            let blocker = if passes { blocker } else { Some(agg.type_name) };
            in_place(&agg.subs).into_iter().try_for_each(|sub| check_parents(sub, blocker))
        }
    }
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
