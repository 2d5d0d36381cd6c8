//! What the mapping of a field says with `include_defaults`: every parameter of its type, with the value it has.

use pith_engine::Result;
use pith_engine::json::{self, Map, Value};
use pith_engine::mapping::Mapping;

const NUMBER: &str = r#"{"index":true,"doc_values":true,"store":false,"skip_list":false,"ignore_malformed":false,"coerce":true,
    "null_value":null,"meta":{}}"#;
const DATE: &str = r#"{"index":true,"doc_values":true,"store":false,"skip_list":false,
    "format":"strict_date_optional_time||epoch_millis","print_format":"strict_date_optional_time","locale":"",
    "null_value":null,"ignore_malformed":false,"boost":1.0,"meta":{}}"#;
const RANGE: &str = r#"{"index":true,"doc_values":true,"store":false,"coerce":true,"boost":1.0,"meta":{},
    "ignore_malformed":false}"#;
const PART: &str = r#"{"boost":1.0,"index":true,"doc_values":true,"store":false,"meta":{}}"#;
const TEXT: &str = r#"{"boost":1.0,"index":true,"store":false,"meta":{},"index_options":"positions","term_vector":"no",
    "norms":true,"analyzer":"default","search_analyzer":"default","search_quote_analyzer":"default","similarity":null,
    "eager_global_ordinals":false,"position_increment_gap":-1,"fielddata":false,
    "fielddata_frequency_filter":{"min":0.0,"max":2147483647.0,"min_segment_size":0},"index_prefixes":null,
    "index_phrases":false}"#;

/// By type, its parameters in the order in which they are shown. Types that always show everything are not among them.
const DEFAULTS: &[(&str, &str)] = &[
    ("text", TEXT),
    ("match_only_text", TEXT),
    (
        "keyword",
        r#"{"index":true,"doc_values":true,"store":false,"null_value":null,"eager_global_ordinals":false,
        "ignore_above":2147483647,"index_options":"docs","norms":false,"similarity":null,"use_similarity":false,
        "normalizer":"default","split_queries_on_whitespace":false,"boost":1.0,"meta":{}}"#,
    ),
    (
        "search_as_you_type",
        r#"{"index":true,"store":false,"doc_values":false,"max_shingle_size":3,"analyzer":"default",
        "search_analyzer":"default","search_quote_analyzer":"default","similarity":null,"index_options":"positions",
        "norms":true,"term_vector":"no","meta":{}}"#,
    ),
    ("wildcard", r#"{"null_value":null,"ignore_above":2147483647,"normalizer":"default","doc_values":true,"meta":{}}"#),
    ("flat_object", r#"{"boost":1.0,"index":true,"doc_values":true,"store":false,"meta":{}}"#),
    ("long", NUMBER),
    ("integer", NUMBER),
    ("short", NUMBER),
    ("byte", NUMBER),
    ("double", NUMBER),
    ("float", NUMBER),
    ("half_float", NUMBER),
    ("unsigned_long", NUMBER),
    (
        "scaled_float",
        r#"{"index":true,"doc_values":true,"store":false,"ignore_malformed":false,"meta":{},"scaling_factor":null,
        "coerce":true,"null_value":null,"skip_list":false}"#,
    ),
    (
        "token_count",
        r#"{"index":true,"doc_values":true,"store":false,"analyzer":null,"null_value":null,
        "enable_position_increments":true,"meta":{},"skip_list":false}"#,
    ),
    ("date", DATE),
    ("date_nanos", DATE),
    ("boolean", r#"{"meta":{},"boost":1.0,"doc_values":true,"index":true,"null_value":null,"store":false}"#),
    ("binary", r#"{"meta":{},"store":false,"doc_values":false}"#),
    ("ip", r#"{"index":true,"doc_values":true,"store":false,"ignore_malformed":false,"null_value":null,"meta":{}}"#),
    (
        "geo_point",
        r#"{"boost":1.0,"index":true,"doc_values":true,"store":false,"meta":{},"ignore_malformed":false,
        "ignore_z_value":true,"null_value":null}"#,
    ),
    (
        "geo_shape",
        r#"{"boost":1.0,"index":true,"doc_values":true,"store":false,"meta":{},"ignore_malformed":false,
        "ignore_z_value":true,"coerce":false,"orientation":"RIGHT"}"#,
    ),
    ("parent", PART),
    ("shingle", PART),
    ("prefix", PART),
    ("phrase", PART),
    ("integer_range", RANGE),
    ("long_range", RANGE),
    ("float_range", RANGE),
    ("double_range", RANGE),
    ("ip_range", RANGE),
    (
        "date_range",
        r#"{"index":true,"doc_values":true,"store":false,"coerce":true,
        "format":"strict_date_optional_time||epoch_millis","locale":"","boost":1.0,"meta":{},"ignore_malformed":false}"#,
    ),
    (
        "completion",
        r#"{"analyzer":"simple","search_analyzer":"simple","preserve_separators":true,
        "preserve_position_increments":true,"max_input_length":50,"meta":{}}"#,
    ),
    ("version", r#"{"index":true,"doc_values":true,"store":false,"meta":{}}"#),
    ("percolator", r#"{"meta":{}}"#),
    ("rank_feature", r#"{"positive_score_impact":true,"meta":{}}"#),
    ("rank_features", r#"{"meta":{},"positive_score_impact":true}"#),
];

/// Each of these is the one before it, where only that one is given.
const ANALYZERS: [&str; 3] = ["analyzer", "search_analyzer", "search_quote_analyzer"];

/// A field's definition with all parameters that it does not name; what the index's settings say of all fields is the default there.
pub fn with_defaults(definition: &Value, mapping: &Mapping) -> Result<Value> {
    let Value::Object(given) = definition else { return Ok(definition.clone()) };
    let named = given.get("type").and_then(Value::as_str).unwrap_or_default();
    let Some((_, defaults)) = DEFAULTS.iter().find(|(name, _)| *name == named) else { return Ok(definition.clone()) };
    let mut full = Map::from_iter([("type", Value::from(named))]);
    if let Value::Object(defaults) = json::parse(defaults.as_bytes())? {
        for (name, value) in defaults.iter() {
            let own = match (name, value) {
                ("ignore_malformed", _) => Value::Bool(mapping.settings().ignore_malformed),
                ("coerce", Value::Bool(true)) => Value::Bool(mapping.settings().coerce),
                _ => value.clone(),
            };
            full.insert(name, given.get(name).cloned().unwrap_or(own));
        }
    }
    // What the index has for all searches goes before the field's own analyzer.
    let own = |name: &str| mapping.analysis().analyzer(name).is_some() && full_text(&full);
    let (of_searches, of_phrases) = (own("default_search"), own("default_search_quoted"));
    let says_search = given.contains("search_analyzer");
    for pair in ANALYZERS.windows(2) {
        let of_all = match pair[1] {
            "search_analyzer" if of_searches => Some("default_search"),
            "search_quote_analyzer" if of_phrases && !says_search => Some("default_search_quoted"),
            _ => None,
        };
        if let Some(name) = of_all.filter(|_| !given.contains(pair[1])) {
            full.insert(pair[1], Value::from(name));
            continue;
        }
        if let (true, Some(before)) = (full.contains(pair[1]) && !given.contains(pair[1]), full.get(pair[0]).cloned()) {
            full.insert(pair[1], before);
        }
    }
    for (name, value) in given.iter() {
        full.insert(name, value.clone());
    }
    if let Some(Value::Object(fields)) = given.get("fields") {
        let fields = fields
            .iter()
            .map(|(name, field)| Ok((name, with_defaults(field, mapping)?)))
            .collect::<Result<Vec<_>>>()?;
        full.insert("fields", Map::from_iter(fields));
    }
    Ok(Value::Object(full))
}

/// Whether the type tells phrases apart.
fn full_text(full: &Map) -> bool {
    full.contains("search_quote_analyzer")
}

const SOURCE: &str = r#"{"enabled":true,"includes":[],"excludes":[],"recovery_source_enabled":true,
    "recovery_source_includes":[],"recovery_source_excludes":[]}"#;

/// The same of what is said of `_source`.
pub fn source_with_defaults(given: &Map) -> Result<Value> {
    let mut full = Map::default();
    if let Value::Object(defaults) = json::parse(SOURCE.as_bytes())? {
        for (name, value) in defaults.iter() {
            full.insert(name, given.get(name).unwrap_or(value).clone());
        }
    }
    Ok(Value::Object(full))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pith_engine::analysis::Registry;
    use pith_engine::mapping::MappingSettings;

    fn shown(definition: &str) -> String {
        let mut w = json::Writer::new();
        w.value(
            &with_defaults(
                &json::parse(definition.as_bytes()).unwrap(),
                &Mapping::empty(&Registry::built_in(), &MappingSettings::default()),
            )
            .unwrap(),
        );
        String::from_utf8(w.finish()).unwrap()
    }

    #[test]
    fn every_list_of_defaults_is_an_object() {
        for (name, defaults) in DEFAULTS {
            assert!(matches!(json::parse(defaults.as_bytes()), Ok(Value::Object(_))), "{name}");
        }
    }

    #[test]
    fn what_is_given_stands_in_the_place_of_its_default() {
        assert_eq!(
            shown(r#"{"type":"integer","coerce":false,"copy_to":["a"]}"#),
            r#"{"type":"integer","index":true,"doc_values":true,"store":false,"skip_list":false,"ignore_malformed":false,"coerce":false,"null_value":null,"meta":{},"copy_to":["a"]}"#
        );
        assert_eq!(shown(r#"{"type":"alias","path":"a"}"#), r#"{"type":"alias","path":"a"}"#);
        assert!(
            shown(r#"{"type":"text","analyzer":"simple"}"#)
                .contains(r#""analyzer":"simple","search_analyzer":"simple","search_quote_analyzer":"simple""#)
        );
    }
}
