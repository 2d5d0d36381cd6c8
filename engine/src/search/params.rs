//! The URL parameters of a search that the engine reads. Routing, preferences and the like are the coordinator's.

use super::asked_fields::DocValueField;
use super::request::{SearchRequest, TotalHits};
use super::sort_parse;
use super::source::{SourceSpec, StoredFields, split};
use super::suggest::Suggest;
use crate::error::{Error, ErrorKind, Result};
use crate::query::query_string;
use crate::query::time_value_ms;
use std::sync::Arc;

/// Their names.
pub const URL_PARAMS: &[&str] = &[
    "q",
    "df",
    "analyzer",
    "analyze_wildcard",
    "default_operator",
    "lenient",
    "from",
    "size",
    "sort",
    "_source",
    "_source_includes",
    "_source_excludes",
    "stored_fields",
    "docvalue_fields",
    "explain",
    "version",
    "seq_no_primary_term",
    "timeout",
    "terminate_after",
    "track_scores",
    "track_total_hits",
    "rest_total_hits_as_int",
    "typed_keys",
    "include_named_queries_score",
    "stats",
    "suggest_field",
    "suggest_text",
    "suggest_mode",
    "suggest_size",
    "search_pipeline",
    "verbose_pipeline",
];

/// Applies parameters, which count more than the body.
pub fn apply(request: &mut SearchRequest, params: &[(String, String)]) -> Result<()> {
    // Of a parameter given twice the last counts.
    let get = |name: &str| params.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    // One that is blank says nothing.
    let flag = |name: &str| get(name).filter(|value| !is_blank(value)).map(bool_param).transpose();
    // These say nothing without a value either, where others are meant to be true.
    let given_flag = |name: &str| get(name).filter(|value| !value.trim().is_empty()).map(bool_param).transpose();
    if let Some(query) = query_string::from_params(params)? {
        request.query = Some(query);
    }
    if let Some(from) = get("from") {
        request.set_from(int_param("from", from)?)?;
    }
    if let Some(size) = get("size") {
        request.set_size(int_param("size", size)?)?;
    }
    if let Some(explain) = given_flag("explain")? {
        request.explain = explain;
    }
    if let Some(version) = given_flag("version")? {
        request.version = version;
    }
    if let Some(seq_no) = given_flag("seq_no_primary_term")? {
        request.seq_no_primary_term = seq_no;
    }
    if let Some(timeout) = get("timeout") {
        request.timeout_ms = time_value("timeout", timeout)?;
    }
    if let Some(after) = get("terminate_after") {
        let after = int_param("terminate_after", after)?;
        let after = u64::try_from(after).map_err(|_| Error::illegal_argument("terminateAfter must be > 0"))?;
        request.terminate_after = (after > 0).then_some(after);
    }
    if let Some(names) = get("stored_fields") {
        request.stored_fields = Some(StoredFields::of(split(names))?);
    }
    if let Some(names) = get("docvalue_fields") {
        // Beside those of the body.
        let named = split(names).into_iter().map(|field| DocValueField { field, format: None });
        request.docvalue_fields.extend(named);
    }
    let source = SourceSpec::from_params(get("_source"), get("_source_includes"), get("_source_excludes"))?;
    if source.is_some() {
        request.source = source;
    }
    if let Some(track) = flag("track_scores")? {
        request.track_scores = track;
    }
    request.named_scores = flag("include_named_queries_score")?.unwrap_or(false);
    if let Some(text) = get("track_total_hits") {
        request.total_hits_given = true;
        request.total_hits = total_hits(text)?;
    }
    if let Some(sort) = get("sort") {
        request.sort = sort_parse::behind(std::mem::take(&mut request.sort), sort);
    }
    if let Some(names) = get("stats") {
        request.stats = split(names);
    }
    request.set_pipeline(get("search_pipeline"), flag("verbose_pipeline")?);
    request.total_hits_as_int = flag("rest_total_hits_as_int")?.unwrap_or(false);
    if let Some(field) = get("suggest_field") {
        let text = get("suggest_text").or(get("q"));
        let size = get("suggest_size").map(|size| int_param("suggest_size", size)).transpose()?;
        let size = size.map(|size| usize::try_from(size).unwrap_or(0));
        request.suggest = Some(Arc::new(Suggest::of_params(field, text, get("suggest_mode"), size)?));
    }
    // Where nothing has a name that could tell its type, nobody reads it.
    let types_names = request.aggs.is_some() || request.suggest.is_some();
    request.typed_keys = types_names && flag("typed_keys")?.unwrap_or(false);
    Ok(())
}

fn total_hits(text: &str) -> Result<TotalHits> {
    match text {
        "true" => Ok(TotalHits::Exact),
        "false" => Ok(TotalHits::No),
        number => match int_param("track_total_hits", number)? {
            number @ ..=-2 => Err(Error::illegal_argument(format!(
                "[track_total_hits] parameter must be positive or equals to -1, got {number}"
            ))),
            number => TotalHits::of(number),
        },
    }
}

/// Whether a value is there that is nothing but white space.
pub fn is_blank(value: &str) -> bool {
    !value.is_empty() && value.trim().is_empty()
}

fn bool_param(value: &str) -> Result<bool> {
    match value {
        "true" | "" => Ok(true),
        "false" => Ok(false),
        other => Err(Error::illegal_argument(format!(
            "Failed to parse value [{other}] as only [true] or [false] are allowed."
        ))),
    }
}

fn int_param(name: &str, value: &str) -> Result<i64> {
    value.parse::<i32>().map(i64::from).map_err(|_| {
        Error::illegal_argument(format!("Failed to parse int parameter [{name}] with value [{value}]"))
            .caused_by(Error::new(ErrorKind::NumberFormat, format!("For input string: \"{value}\"")))
    })
}

/// A duration such as `1s` or `500ms`, in milliseconds; none for `-1`. One that is negative has passed before it begins.
pub fn time_value(name: &str, text: &str) -> Result<Option<i64>> {
    let ms = time_value_ms(text, name)?;
    let number = text.trim().trim_end_matches(|c: char| !c.is_ascii_digit());
    match ms {
        -1 => Ok(None),
        // One less than nothing is taken whatever its unit.
        ..0 if number.strip_prefix('-').is_some_and(|digits| digits.trim_start_matches('0') == "1") => Ok(Some(ms)),
        ..0 => Err(Error::illegal_argument(format!(
            "failed to parse setting [{name}] with value [{text}] as a time value: negative durations are not supported"
        ))),
        ms => Ok(Some(ms)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_without_a_value() {
        let read = |name: &str| SearchRequest::parse(None, &[(name.to_owned(), String::new())]).unwrap();
        assert!(!read("version").version && !read("seq_no_primary_term").seq_no_primary_term);
        assert!(!read("explain").explain && read("track_scores").track_scores);
    }

    #[test]
    fn suggestions_of_a_size() {
        let params = [("suggest_field", "t"), ("suggest_mode", "always"), ("suggest_size", "1")];
        let params = params.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert!(SearchRequest::parse(None, &params).unwrap().suggest.is_some());
        // The size is looked at before the mode that is missing.
        for size in ["0", "-1"] {
            let params = [("suggest_field", "t"), ("suggest_size", size)].map(|(n, v)| (n.to_owned(), v.to_owned()));
            assert_eq!(SearchRequest::parse(None, &params).unwrap_err().reason(), "size must be positive");
        }
    }

    #[test]
    fn durations() {
        assert_eq!(time_value("t", "1s").unwrap(), Some(1000));
        assert_eq!(time_value("t", "1500micros").unwrap(), Some(1));
        assert_eq!(time_value("t", "-1").unwrap(), None);
        assert_eq!(
            time_value("timeout", "abc").unwrap_err().reason(),
            "failed to parse setting [timeout] with value [abc] as a time value: unit is missing or unrecognized"
        );
    }
}
