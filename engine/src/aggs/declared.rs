//! Which parsers of the reference read what of aggregations, for errors of the text of a request: they tell which field these lie in.

use super::parse::{ParseContext, end_of};
use crate::deprecated::note_renamed;
use crate::error::{Error, ErrorKind};
use crate::json::{Entry, line_col};

impl ParseContext<'_> {
    /// Notes that a field is called by the name that it had before.
    pub(crate) fn note_renamed(&self, entry: &Entry, new: &str) {
        let (line, col) = line_col(self.body, entry.value_pos);
        note_renamed(&format!("[{}][{line}:{col}]", self.kind), &entry.key, new);
    }
}

/// Kinds that are read by hand, whose errors say nothing of fields.
const BY_HAND: &[&str] = &[
    "avg_bucket",
    "bucket_selector",
    "children",
    "derivative",
    "extended_stats_bucket",
    "filter",
    "filters",
    "global",
    "max_bucket",
    "min_bucket",
    "moving_avg",
    "nested",
    "parent",
    "percentiles_bucket",
    "reverse_nested",
    "sampler",
    "serial_diff",
    "stats_bucket",
    "sum_bucket",
    "top_hits",
];

/// What is significant is judged by one of these, which `significant_terms` knows by name alone.
const HEURISTICS: &[&str] = &["chi_square", "gnd", "jlh", "mutual_information", "percentage", "script_heuristic"];

/// The parser that declares the last field of a path within a search.
pub fn declares(path: &[&str]) -> Option<&'static str> {
    let (kind, within) = within_kind(path)?;
    match within {
        [field] if HEURISTICS.contains(field) => None,
        [_] if !BY_HAND.contains(&kind) => Some(kind),
        [.., script, "params"] if is_script(script) => Some("script"),
        ["filters", _] if kind == "adjacency_matrix" => Some("filters"),
        _ => None,
    }
}

/// The parser that makes an object of the value of the last field of a path within a search, and tells that it could not.
pub fn makes_object(path: &[&str]) -> Option<&'static str> {
    let (kind, within) = within_kind(path)?;
    match (kind, within) {
        (_, [.., script]) if is_script(script) => Some("script"),
        ("histogram", ["hard_bounds" | "extended_bounds"]) => Some("double_bounds"),
        ("date_histogram", ["hard_bounds" | "extended_bounds"]) => Some("bounds"),
        ("significant_terms" | "significant_text", [field]) => HEURISTICS.iter().find(|name| *name == field).copied(),
        ("top_hits", ["docvalue_fields"]) => Some("docvalues_field"),
        _ => None,
    }
}

fn is_script(field: &str) -> bool {
    field == "script" || field.ends_with("_script")
}

/// The kind of aggregation that a path leads into, and how it goes on there.
fn within_kind<'p>(mut path: &'p [&'p str]) -> Option<(&'static str, &'p [&'p str])> {
    while let ["aggs" | "aggregations", _, rest @ ..] = path {
        match rest {
            ["aggs" | "aggregations", ..] => path = rest,
            [kind, within @ ..] => {
                let mut kinds = super::parse::kinds().chain(super::pipeline::PIPELINES.iter().map(|(name, _)| *name));
                return Some((kinds.find(|name| name == kind)?, within));
            }
            [] => return None,
        }
    }
    None
}

/// What is missing is told with the place where the parameters end.
#[cold]
pub(crate) fn at_end_of(error: Error, body: &[u8], start: u32) -> Error {
    if error.kind() != ErrorKind::Parsing || !error.reason().starts_with("Missing [") {
        return error;
    }
    let (line, col) = line_col(body, end_of(body, start));
    error.with("line", line).with("col", col)
}

#[cfg(test)]
mod tests {
    use crate::search::tests::{search, shard};

    #[test]
    fn errors_of_the_text_tell_the_fields_around_them() {
        let cx = shard(r#"{"properties":{"n":{"type":"long"}}}"#, &[&[r#"{"n":5}"#]]);
        let twice = r#"{"a":1,"a":1}"#;
        let told = |agg: &str| search(&cx, &format!(r#"{{"aggs":{{"x":{{"global":{{}},"aggs":{{"y":{agg}}}}}}}}}"#));
        for (agg, told_of) in [
            (format!(r#"{{"histogram":{{"order":{twice}}}}}"#), "[histogram] failed to parse field [order]"),
            (
                format!(r#"{{"composite":{{"sources":[{{"k":{twice}}}]}}}}"#),
                "[composite] failed to parse field [sources]",
            ),
            (format!(r#"{{"histogram":{{"hard_bounds":{twice}}}}}"#), "[double_bounds] failed to parse object"),
            (format!(r#"{{"min":{{"script":{twice}}}}}"#), "[script] failed to parse object"),
            (format!(r#"{{"min":{{"script":{{"params":{twice}}}}}}}"#), "[script] failed to parse field [params]"),
            (format!(r#"{{"significant_terms":{{"gnd":{twice}}}}}"#), "[gnd] failed to parse object"),
        ] {
            let answer = told(&agg);
            assert!(answer.contains(told_of) && answer.contains("Duplicate Object property"), "{answer}");
        }
        // The place is that of the value before.
        let agg = format!(r#"{{"histogram":{{"order":{twice}}}}}"#);
        let at = r#"{"aggs":{"x":{"global":{},"aggs":{"y":{"histogram":{"order":{"a":1"#.len();
        assert!(told(&agg).contains(&format!("[1:{at}] [histogram]")), "{}", told(&agg));
        let by_hand = told(&format!(r#"{{"sampler":{{"x":{twice}}}}}"#));
        assert!(!by_hand.contains("failed to parse"), "{by_hand}");
    }
}
