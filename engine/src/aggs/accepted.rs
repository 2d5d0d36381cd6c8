//! Which fields aggregations take, and how the reference refuses others.

use super::source_config::{VALUE_TYPES, unsupported};
use crate::error::{Error, ErrorKind, Result};
use crate::mapping::{Family, Field, Indexed};

/// The kinds that have no use for values without numbers. (Those of mapped texts are refused where columns are looked at.)
pub(super) const OF_NUMBERS: &[&str] = &[
    "auto_date_histogram",
    "avg",
    "date_histogram",
    "date_range",
    "extended_stats",
    "histogram",
    "ip_range",
    "max",
    "median_absolute_deviation",
    "min",
    "percentile_ranks",
    "percentiles",
    "range",
    "stats",
    "sum",
    "variable_width_histogram",
];

/// Those that take neither dates nor true and false for numbers where the request calls values so.
pub(super) const OF_PLAIN_NUMBERS: &[&str] = &["median_absolute_deviation", "variable_width_histogram"];

/// Those that take nothing but places.
pub(super) const OF_PLACES_ALONE: &[&str] =
    &["geo_bounds", "geo_centroid", "geo_distance", "geohash_grid", "geotile_grid"];

/// The kinds, by the names that their parsers have, that know no time zones.
pub(crate) const WITHOUT_ZONES: &[&str] = &[
    "avg",
    "cardinality",
    "diversified_sampler",
    "extended_stats",
    "histogram",
    "ip_range",
    "max",
    "median_absolute_deviation",
    "min",
    "missing",
    "percentile_ranks",
    "percentiles",
    "range",
    "rare_terms",
    "significant_terms",
    "stats",
    "sum",
    "terms",
    "value_count",
];

/// Those that show no values, or only in one way.
pub(crate) const WITHOUT_FORMATS: &[&str] = &["cardinality", "diversified_sampler", "ip_range"];

/// Refuses fields whose values are shown in one way only.
pub(crate) fn check_formatted(field: &Field) -> Result<()> {
    let takes = match field.family() {
        Family::GeoPoint | Family::GeoShape => false,
        Family::Range => field.type_name == "date_range",
        _ => field.type_name != "flat_object",
    };
    if takes {
        return Ok(());
    }
    let reason = format!("Field [{}] of type [{}] does not support custom formats", field.name, field.type_name);
    Err(Error::illegal_argument(reason))
}

/// Those of [`VALUE_TYPES`] that are no numbers.
const TEXTS: &[&str] = &["ip", "string"];

/// Refuses fields without numbers where the request says that values are such.
pub(crate) fn check_type(field: &Field, value_type: Option<&str>) -> Result<()> {
    let are_numbers = |name: &str| VALUE_TYPES.contains(&name) && !TEXTS.contains(&name);
    if field.family().is_numeric() || !value_type.is_some_and(are_numbers) {
        return Ok(());
    }
    Err(no_numbers(field))
}

/// Refuses kinds of values, as the request has them, that the aggregation does not take. The reference reads what stands in before.
pub(crate) fn check_kind(field: &Field, value_type: Option<&str>, agg_type: &str) -> Result<()> {
    let plain = OF_PLAIN_NUMBERS.contains(&agg_type) && matches!(value_type, Some("date" | "boolean"));
    let texts = are_texts(value_type) && (OF_NUMBERS.contains(&agg_type) || OF_PLACES_ALONE.contains(&agg_type));
    if texts || plain && field.family().is_numeric() { Err(unsupported(field, agg_type)) } else { Ok(()) }
}

/// Refuses places where the request says that values are something else.
pub(crate) fn check_places_type(field: &Field, value_type: Option<&str>, agg_type: &str) -> Result<()> {
    match value_type {
        None => Ok(()),
        // Numbers may be said to be such, and are no places all the same.
        Some(name) if TEXTS.contains(&name) || field.family().is_numeric() => Err(unsupported(field, agg_type)),
        Some(_) => Err(no_numbers(field)),
    }
}

/// Whether the request says that values are texts.
pub(crate) fn are_texts(value_type: Option<&str>) -> bool {
    value_type.is_some_and(|name| TEXTS.contains(&name))
}

#[cold]
fn no_numbers(field: &Field) -> Error {
    let reason = format!("Expected numeric type on field [{}], but got [{}]", field.name, field.type_name);
    Error::illegal_argument(reason)
}

/// Whether an aggregation has a use for texts.
pub(crate) fn takes_texts(agg_type: &str) -> bool {
    !OF_NUMBERS.contains(&agg_type)
}

/// Refuses fields that have no values by document at all, whatever asks for them.
pub(crate) fn check_has_values(field: &Field) -> Result<()> {
    let (name, type_name) = (&field.name, field.type_name);
    match (field.family(), type_name) {
        (Family::Version | Family::Routing | Family::DocCount | Family::Source | Family::FieldNames, _)
        | (Family::Ignored | Family::NestedPath, _)
        | (_, "completion" | "percolator" | "search_as_you_type" | "prefix") => {
            let reason = format!("Fielddata is not supported on field [{name}] of type [{type_name}]");
            Err(Error::illegal_argument(reason))
        }
        (Family::Feature | Family::Features, _) => {
            let reason = format!("[{type_name}] fields do not support sorting, scripting or aggregating");
            Err(Error::illegal_argument(reason))
        }
        (_, "flat_object") if !name.contains('.') => {
            let reason = format!("Field [{name}] of type [{type_name}] does not support doc_value in root field");
            Err(Error::illegal_argument(reason))
        }
        _ => Ok(()),
    }
}

/// Refuses fields without an index, by which it is found out how many documents have a value.
pub(crate) fn check_searchable(field: Option<&Field>) -> Result<()> {
    match field.filter(|field| field.spec.indexed == Indexed::No) {
        Some(Field { name, .. }) => Err(not_searchable(name)),
        None => Ok(()),
    }
}

#[cold]
pub(crate) fn not_searchable(name: &str) -> Error {
    Error::illegal_argument(format!(
        "SignificantText aggregation requires fields to be searchable, but [{name}] is not"
    ))
}

/// Refuses fields whose texts have no words to `significant_text`. (Numbers have some to it.)
pub(crate) fn check_has_words(field: &Field) -> Result<()> {
    let wordless = match field.family() {
        Family::Boolean | Family::Date | Family::Ip | Family::Binary | Family::GeoPoint | Family::GeoShape => true,
        Family::SemanticVersion => true,
        Family::ConstantKeyword | Family::Index | Family::SeqNo | Family::Version | Family::DocCount => true,
        Family::Percolator | Family::Source | Family::FieldNames | Family::Ignored => true,
        _ => matches!(field.type_name, "flat_object" | "scaled_float"),
    };
    if !wordless {
        return Ok(());
    }
    let name = &field.name;
    let reason = format!("Field [{name}] has no analyzer, but SignificantText requires an analyzed field");
    Err(Error::illegal_argument(reason))
}

/// Refuses what an aggregation does not take, of fields that have values.
pub(crate) fn check(field: &Field, value_type: Option<&str>, agg_type: &str) -> Result<()> {
    let refused = match field.family() {
        Family::Index | Family::ConstantKeyword => OF_NUMBERS.contains(&agg_type),
        // Dates and flags may be said to be plain numbers.
        Family::Date | Family::Boolean => value_type.is_none() && OF_PLAIN_NUMBERS.contains(&agg_type),
        Family::Ip => agg_type == "diversified_sampler",
        _ => false,
    };
    if refused { Err(unsupported(field, agg_type)) } else { Ok(()) }
}

/// Refuses what a source of a composite does not take.
pub(crate) fn check_composite(field: &Field, value_type: Option<&str>, kind: &str) -> Result<()> {
    let family = field.family();
    let numbers = matches!(family, Family::Integer | Family::UnsignedLong | Family::Float | Family::Date)
        || matches!(family, Family::SeqNo);
    let taken = match kind {
        "histogram" | "date_histogram" => numbers && value_type != Some("boolean"),
        "geotile_grid" => family == Family::GeoPoint,
        _ => true,
    };
    if taken { Ok(()) } else { Err(unsupported(field, kind)) }
}

/// The refusal of `weighted_avg`, which looks for numbers by itself.
pub(crate) fn check_weighted(field: &Field) -> Result<()> {
    match field.family() {
        family if family.is_numeric() => Ok(()),
        Family::Range | Family::GeoPoint => {
            let class = values_class(field);
            let reason = format!("ValuesSource type {class}is not supported for multi-valued aggregation");
            Err(Error::new(ErrorKind::AggregationExecution, reason))
        }
        _ => Err(no_numbers(field)),
    }
}

/// The refusal of `matrix_stats`, which does the same.
pub(crate) fn check_matrix(field: &Field, agg_name: &str) -> Result<()> {
    if field.family().is_numeric() {
        return Ok(());
    }
    let reason = format!("ValuesSource type {}is not supported for aggregation {agg_name}", values_class(field));
    Err(Error::new(ErrorKind::AggregationExecution, reason))
}

/// The reference's class for the values of a field without numbers.
fn values_class(field: &Field) -> String {
    let class = match field.family() {
        Family::Range => "Range",
        Family::GeoPoint => "GeoPoint$Fielddata",
        _ => "Bytes$WithOrdinals$FieldData",
    };
    format!("org.opensearch.search.aggregations.support.ValuesSource${class}")
}

#[cfg(test)]
mod tests {
    use crate::search::tests::{search, shard};

    #[test]
    fn what_a_request_says_of_values_has_to_fit() {
        let mapping = r#"{"properties":{"k":{"type":"keyword"},"n":{"type":"integer"},"b":{"type":"boolean"},"u":{"type":"unsigned_long"},"x":{"type":"integer","index":false},"g":{"type":"geo_point"},"y":{"type":"search_as_you_type"}}}"#;
        let cx = shard(mapping, &[&[r#"{"k":"a","n":1,"b":true,"u":3,"x":1}"#, r#"{"k":"b"}"#]]);
        for (kind, expected) in [
            (r#""terms":{"field":"k","value_type":"date"}"#, "Expected numeric type on field [k], but got [keyword]"),
            (
                r#""avg":{"field":"n","value_type":"string"}"#,
                "Field [n] of type [integer] is not supported for aggregation [avg]",
            ),
            (r#""avg":{"field":"none","value_type":"ip"}"#, "unmapped field is not supported for aggregation [avg]"),
            (r#""terms":{"field":"b","missing":1}"#, "Cannot parse boolean [1], expected either [true] or [false]"),
            (r#""terms":{"script":"doc['_index'].value + doc['_index'].size()"}"#, r#"1","doc_count":2"#),
            (r#""terms":{"field":"b","missing":false}"#, r#""key":0,"key_as_string":"false","doc_count":1"#),
            (r#""avg":{"field":"_ignored"}"#, "Fielddata is not supported on field [_ignored] of type [_ignored]"),
            (
                r#""significant_terms":{"field":"x"}"#,
                "SignificantText aggregation requires fields to be searchable, but [x] is not",
            ),
            (
                r#""significant_terms":{"field":"b","min_doc_count":1,"percentage":{}}"#,
                r#"{"key":1,"key_as_string":true,"doc_count":1,"score":1.0,"bg_count":1}"#,
            ),
            (
                r#""terms":{"field":"y._index_prefix"}"#,
                "Fielddata is not supported on field [y._index_prefix] of type [prefix]",
            ),
            // What stands in is read before the field is refused.
            (r#""terms":{"field":"g","missing":"a"}"#, "unsupported symbol [a] in geohash [a]"),
            (
                r#""terms":{"field":"g","missing":1}"#,
                "[g] of type [geo_point] is not supported for aggregation [terms]",
            ),
            (r#""geo_bounds":{"field":"n","missing":"a"}"#, "number_format_exception"),
            (r#""geo_bounds":{"field":"g","missing":null}"#, "[missing] must not be null: [x]"),
            // Of a script's values without documents those of all documents have a bucket.
            (
                r#""filter":{"term":{"k":"a"}},"aggs":{"t":{"terms":{"script":"doc['k'].value","min_doc_count":0}}}"#,
                r#"{"key":"b","doc_count":0}"#,
            ),
            (
                r#""filter":{"term":{"k":"b"}},"aggs":{"t":{"terms":{"field":"n","script":"_value * 2","min_doc_count":0}}}"#,
                r#"{"key":2.0,"doc_count":0}"#,
            ),
            (r#""significant_terms":{"field":"k","jlh":{"a":1}}"#, "[jlh] unknown field [a]"),
            (
                r#""composite":{"sources":[{"s":{"terms":{"field":"n","format":"0"}}}]}"#,
                "[terms] unknown field [format]",
            ),
            (
                r#""date_histogram":{"field":"u","calendar_interval":"day"}"#,
                r#"{"key_as_string":"0","key":0,"doc_count":1}"#,
            ),
            (r#""date_histogram":{"field":"n","calendar_interval":"day","missing":1.5}"#, r#"{"key":0,"doc_count":2}"#),
        ] {
            let answer = search(&cx, &format!(r#"{{"size":0,"aggs":{{"x":{{{kind}}}}}}}"#));
            assert!(answer.contains(expected), "{kind} {answer}");
        }
    }
}
