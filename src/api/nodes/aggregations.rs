//! The aggregations of a node, and what kinds of values each works on.

use pith_engine::aggs;
use pith_engine::json::Writer;

/// By name.
#[rustfmt::skip]
const AGGREGATIONS: &[(&str, &[&str])] = &[
    ("adjacency_matrix", &["other"]),
    ("auto_date_histogram", &["boolean", "date", "numeric"]),
    ("avg", &["boolean", "date", "numeric"]),
    ("cardinality", &["boolean", "bytes", "date", "geo_shape", "geopoint", "ip", "numeric", "range"]),
    ("children", &["other"]),
    ("composite", &["other"]),
    ("date_histogram", &["boolean", "date", "numeric", "range"]),
    ("date_range", &["boolean", "date", "numeric"]),
    ("diversified_sampler", &["boolean", "bytes", "date", "numeric"]),
    ("extended_stats", &["boolean", "date", "numeric"]),
    ("filter", &["other"]),
    ("filters", &["other"]),
    ("geo_bounds", &["geo_shape", "geopoint"]),
    ("geo_centroid", &["geopoint"]),
    ("geo_distance", &["geopoint"]),
    ("geohash_grid", &["geo_shape", "geopoint"]),
    ("geotile_grid", &["geo_shape", "geopoint"]),
    ("global", &["other"]),
    ("histogram", &["boolean", "date", "numeric", "range"]),
    ("ip_range", &["ip"]),
    ("matrix_stats", &["other"]),
    ("max", &["boolean", "date", "numeric"]),
    ("median_absolute_deviation", &["numeric"]),
    ("min", &["boolean", "date", "numeric"]),
    ("missing", &["boolean", "bytes", "date", "geo_shape", "geopoint", "ip", "numeric", "range"]),
    ("multi_terms", &["boolean", "bytes", "date", "ip", "numeric", "other"]),
    ("multivalue_doc_count", &["boolean", "bytes", "date", "geo_shape", "geopoint", "ip", "numeric", "range"]),
    ("nested", &["other"]),
    ("parent", &["other"]),
    ("percentile_ranks", &["boolean", "date", "numeric"]),
    ("percentiles", &["boolean", "date", "numeric"]),
    ("range", &["boolean", "date", "numeric"]),
    ("rare_terms", &["boolean", "bytes", "date", "ip", "numeric"]),
    ("reverse_nested", &["other"]),
    ("sampler", &["other"]),
    ("scripted_metric", &["other"]),
    ("significant_terms", &["boolean", "bytes", "date", "ip", "numeric"]),
    ("significant_text", &["other"]),
    ("stats", &["boolean", "date", "numeric"]),
    ("sum", &["boolean", "date", "numeric"]),
    ("terms", &["boolean", "bytes", "date", "ip", "numeric"]),
    ("top_hits", &["other"]),
    ("value_count", &["boolean", "bytes", "date", "geo_shape", "geopoint", "ip", "numeric", "range"]),
    ("variable_width_histogram", &["numeric"]),
    ("weighted_avg", &["numeric"]),
];

/// Writes those that there are.
pub fn write(w: &mut Writer) {
    w.begin_object();
    for (name, types) in AGGREGATIONS.iter().filter(|(name, _)| aggs::kinds().any(|kind| kind == *name)) {
        w.key(name).begin_object().key("types").begin_array();
        types.iter().for_each(|kind| _ = w.string(kind));
        w.end_array().end_object();
    }
    w.end_object();
}
