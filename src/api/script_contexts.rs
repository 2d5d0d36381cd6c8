//! `_script_context`: where scripts may stand, and what those of each place are made of.

use super::{Method, Reply, Route};
use pith_engine::json::Writer;

pub const ROUTES: &[Route] = &[Route {
    method: Method::Get,
    path: "/_script_context",
    name: "get_script_contexts",
    params: &[],
    handler: |_, _| Box::pin(async { Ok(contexts()) }),
}];

/// The places by name, with their methods as Java writes them.
#[rustfmt::skip]
const CONTEXTS: &[(&str, &[&str])] = &[
    ("aggregation_selector", &["boolean execute()", "java.util.Map getParams()"]),
    ("aggs", &["java.lang.Object execute()", "java.util.Map getDoc()", "java.util.Map getParams()", "java.lang.Number get_score()", "java.lang.Object get_value()"]),
    ("aggs_combine", &["java.lang.Object execute()", "java.util.Map getParams()", "java.util.Map getState()"]),
    ("aggs_init", &["void execute()", "java.util.Map getParams()", "java.lang.Object getState()"]),
    ("aggs_map", &["void execute()", "java.util.Map getDoc()", "java.util.Map getParams()", "java.util.Map getState()", "double get_score()"]),
    ("aggs_reduce", &["java.lang.Object execute()", "java.util.Map getParams()", "java.util.List getStates()"]),
    ("analysis", &["boolean execute(org.opensearch.analysis.common.AnalysisPredicateScript$Token token)"]),
    ("bucket_aggregation", &["java.lang.Number execute()", "java.util.Map getParams()"]),
    ("context_aware_grouping", &["java.lang.String execute(java.util.Map ctx)"]),
    ("derived_field", &["void execute()", "java.util.Map getDoc()", "java.util.List getEmittedValues()", "java.util.Map getParams()"]),
    ("field", &["java.lang.Object execute()", "java.util.Map getDoc()", "java.util.Map getParams()"]),
    ("filter", &["boolean execute()", "java.util.Map getDoc()", "java.util.Map getParams()"]),
    ("ingest", &["void execute(java.util.Map ctx)", "java.util.Map getParams()"]),
    ("interval", &["boolean execute(org.opensearch.index.query.IntervalFilterScript$Interval interval)"]),
    ("moving-function", &["double execute(java.util.Map params, double[] values)"]),
    ("number_sort", &["double execute()", "java.util.Map getDoc()", "java.util.Map getParams()", "double get_score()"]),
    ("painless_test", &["java.lang.Object execute()", "java.util.Map getParams()"]),
    ("processor_conditional", &["boolean execute(java.util.Map ctx)", "java.util.Map getParams()"]),
    ("score", &["double execute(org.opensearch.script.ScoreScript$ExplanationHolder explanation)", "java.util.Map getDoc()", "java.util.Map getParams()", "double get_score()"]),
    ("script_heuristic", &["double execute(java.util.Map params)"]),
    ("search", &["void execute(java.util.Map ctx)", "java.util.Map getParams()"]),
    ("similarity", &["double execute(double weight, org.opensearch.index.similarity.ScriptedSimilarity$Query query, org.opensearch.index.similarity.ScriptedSimilarity$Field field, org.opensearch.index.similarity.ScriptedSimilarity$Term term, org.opensearch.index.similarity.ScriptedSimilarity$Doc doc)"]),
    ("similarity_weight", &["double execute(org.opensearch.index.similarity.ScriptedSimilarity$Query query, org.opensearch.index.similarity.ScriptedSimilarity$Field field, org.opensearch.index.similarity.ScriptedSimilarity$Term term)"]),
    ("string_sort", &["java.lang.String execute()", "java.util.Map getDoc()", "java.util.Map getParams()", "double get_score()"]),
    ("template", &["java.lang.String execute()", "java.util.Map getParams()"]),
    ("terms_set", &["java.lang.Number execute()", "java.util.Map getDoc()", "java.util.Map getParams()"]),
    ("update", &["void execute()", "java.util.Map getCtx()", "java.util.Map getParams()"]),
];

fn is_here(name: &str) -> bool {
    pith_engine::script::contexts().any(|known| known == name)
}

/// The names of the places, in order.
pub fn names() -> impl Iterator<Item = &'static str> {
    CONTEXTS.iter().map(|(name, _)| *name).filter(|name| is_here(name))
}

fn contexts() -> Reply {
    let mut w = Writer::new();
    w.begin_object().key("contexts").begin_array();
    for (name, methods) in CONTEXTS.iter().filter(|(name, _)| is_here(name)) {
        w.begin_object().key("name").string(name).key("methods").begin_array();
        methods.iter().for_each(|method| write_method(method, &mut w));
        w.end_array().end_object();
    }
    w.end_array().end_object();
    Reply::ok(w)
}

/// Takes `double execute(java.util.Map params, double[] values)` apart.
fn write_method(method: &str, w: &mut Writer) {
    let (head, rest) = method.split_once('(').unwrap_or((method, ")"));
    let (returns, name) = head.split_once(' ').unwrap_or(("void", head));
    w.begin_object().key("name").string(name).key("return_type").string(returns);
    w.key("params").begin_array();
    for param in rest.trim_end_matches(')').split(", ").filter(|param| !param.is_empty()) {
        let (kind, name) = param.split_once(' ').unwrap_or((param, ""));
        w.begin_object().key("type").string(kind).key("name").string(name).end_object();
    }
    w.end_array().end_object();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_taken_apart() {
        let mut w = Writer::new();
        write_method("double execute(java.util.Map params, double[] values)", &mut w);
        let expected = r#"{"name":"execute","return_type":"double","params":[{"type":"java.util.Map","name":"params"},{"type":"double[]","name":"values"}]}"#;
        assert_eq!(String::from_utf8(w.finish()).unwrap(), expected);
    }

    #[test]
    fn every_place_of_the_engine_is_told_of() {
        for name in pith_engine::script::contexts() {
            assert!(CONTEXTS.iter().any(|(known, _)| *known == name), "{name}");
        }
    }
}
