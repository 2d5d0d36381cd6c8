//! Where aggregations may stand: composites below few others, those that see all documents at the top.

use super::parse::{Agg, Level};
use crate::error::{Error, ErrorKind, Result};
use crate::query::ShardContext;
use std::sync::Arc;

/// Shows aggregations, and those below each for which `goes_on` says so.
fn visit(level: &mut Level, goes_on: &mut dyn FnMut(&mut Agg) -> bool) {
    for agg in &mut level.aggs {
        // While a request is parsed nobody else knows its parts.
        if let (true, Some(subs)) = (goes_on(agg), Arc::get_mut(&mut agg.subs)) {
            visit(subs, goes_on);
        }
    }
}

/// Notes for the composites below an aggregation what the nearest above them is that may have many buckets: `above`, unless they know
/// a nearer one.
pub(crate) fn note_parent(level: &mut Level, above: &'static str) {
    visit(level, &mut |agg| {
        if agg.type_name == "composite" && agg.below.is_none() {
            agg.below = Some(above);
        }
        passes(agg.type_name)
    });
}

/// Notes of aggregations, and of those below them, that they stand below one that may have many buckets.
pub(crate) fn mark_below_many(level: &mut Level) {
    visit(level, &mut |agg| !std::mem::replace(&mut agg.below_many, true));
}

/// Notes the name of the nearest `nested` above aggregations, unless they know a nearer one.
pub(crate) fn note_nested(level: &mut Level, name: &Arc<str>) {
    visit(level, &mut |agg| {
        let is_nearest = agg.nested_in.is_none();
        if is_nearest {
            agg.nested_in = Some(name.clone());
        }
        is_nearest
    });
}

/// The error of what has the documents below it wait, which it cannot where they are nested and their scores are looked at: `class`
/// names it.
pub(crate) fn check_scores_of_nested(agg: &Agg, class: &str) -> Result<()> {
    let scoring = agg.subs.iter().find(|sub| sub.needs_scores());
    let (Some(nested), Some(scoring)) = (&agg.nested_in, scoring) else { return Ok(()) };
    Err(Error::new(
        ErrorKind::IllegalState,
        format!(
            "{class} agg [{}] is the child of the nested agg [{nested}], and also has a scoring child agg [{}].  This combination is not supported because it requires executing in [depth_first] mode, which the {class} agg cannot do.",
            agg.name, scoring.name
        ),
    ))
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

/// The error of a histogram of variable width below one that may have many buckets.
pub(crate) fn check_single_owner(agg: &Agg, cx: &ShardContext) -> Result<()> {
    // What a field nobody knows is asked for collects nothing, wherever it stands.
    if !agg.below_many || agg.kind.is_unmapped(cx) {
        return Ok(());
    }
    let below = "cannot be nested inside an aggregation that collects more than a single bucket.";
    Err(Error::illegal_argument(format!("[{}] {below}", agg.type_name)))
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

    #[test]
    fn what_has_scored_nested_documents_wait_is_refused() {
        let mapping = r#"{"properties":{"i":{"type":"nested","properties":{"n":{"type":"integer"}}}}}"#;
        let cx = shard(mapping, &[&[r#"{"i":[{"n":1}]}"#]]);
        let asked = |kind: &str, field: &str, sort: &str| {
            let hits = format!(r#"{{"t":{{"top_hits":{{"size":1{sort}}}}}}}"#);
            let inner = format!(r#"{{"w":{{"{kind}":{{"field":"{field}"}},"aggs":{hits}}}}}"#);
            let filter = format!(r#"{{"f":{{"filter":{{"match_all":{{}}}},"aggs":{inner}}}}}"#);
            search(&cx, &format!(r#"{{"size":0,"aggs":{{"n":{{"nested":{{"path":"i"}},"aggs":{filter}}}}}}}"#))
        };
        for (kind, class) in [("variable_width_histogram", "VariableWidthHistogram"), ("rare_terms", "RareTerms")] {
            let told = format!(
                "{class} agg [w] is the child of the nested agg [n], and also has a scoring child agg [t].  This combination"
            );
            let answer = asked(kind, "i.n", "");
            assert!(answer.contains(&told), "{answer}");
            for (field, sort) in [("i.n", r#","sort":"_doc""#), ("i.nosuch", "")] {
                let answer = asked(kind, field, sort);
                assert!(!answer.contains("illegal_state"), "{answer}");
            }
        }
    }
}
