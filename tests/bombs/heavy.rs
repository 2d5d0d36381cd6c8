//! What is well-formed and allowed, and much: long lists, long texts, documents of very many fields, candidates that all fail.

use super::{BOUNDED, Bomb, REFUSED, SEARCH, bomb, query};
use serde_json::{Value, json};

/// Written, or refused for a limit.
const WRITTEN: &[u16] = &[200, 201, 400, 413, 429];

pub fn heavy() -> Vec<Bomb> {
    [lists(), documents(), definitions(), candidates()].into_iter().flatten().collect()
}

fn lists() -> Vec<Bomb> {
    let ids = |number: usize| (0..number).map(|n| n.to_string()).collect::<Vec<_>>();
    let rated = json!({"id": "r", "request": {"query": {"match": {"t": "common"}}}, "summary_fields": ["t"],
        "ratings": (0..5_000).map(|n| json!({"_index": "b", "_id": n.to_string(), "rating": 1})).collect::<Vec<_>>()});
    let groups = (0..50).map(|n| json!({"name": format!("g{n}"), "size": 1})).collect::<Vec<_>>();
    let mut all = vec![
        bomb("lines that fail", "POST", "/missing/_msearch", "{}\n{}\n".repeat(10_000), &[200]),
        bomb(
            "lines at once",
            "POST",
            "/b/_msearch?max_concurrent_searches=100000",
            "{}\n{\"size\":0}\n".repeat(5_000),
            BOUNDED,
        ),
        bomb("ids", "POST", "/b/_mget", json!({"ids": ids(20_000)}).to_string(), &[200]),
        bomb(
            "documents without an index",
            "POST",
            "/_mget",
            json!({"docs": vec![json!({}); 20_000]}).to_string(),
            REFUSED,
        ),
        bomb(
            "ratings",
            "POST",
            "/b/_rank_eval",
            json!({"requests": vec![rated; 4], "metric": {"precision": {"k": 1_000}}}).to_string(),
            BOUNDED,
        ),
    ];
    all.push(bomb(
        "inner hits of many names",
        "POST",
        SEARCH,
        json!({"size": 10, "_source": false, "collapse": {"field": "k", "inner_hits": groups,
            "max_concurrent_group_searches": 100_000}})
        .to_string(),
        BOUNDED,
    ));
    all
}

fn documents() -> Vec<Bomb> {
    let fields = (0..200_000).map(|n| format!("\"f{n}\":1")).collect::<Vec<_>>().join(",");
    let text = json!({"t": "common beta alpha word ".repeat(100_000)}).to_string();
    let highlight = |kind: &str| {
        json!({"_source": false, "query": {"bool": {"must": [{"match": {"t": "common"}}, {"ids": {"values": ["long"]}}]}},
            "highlight": {"type": kind, "max_analyzer_offset": 5_000_000, "fields": {"t": {}}}})
    };
    let mut all = vec![
        bomb("a document of 200,000 fields", "PUT", "/fields/_doc/1", format!("{{{fields}}}"), REFUSED),
        bomb("a long text", "PUT", "/long/_doc/long?refresh=true", text, WRITTEN),
    ];
    for kind in ["unified", "plain"] {
        all.push(bomb(kind, "POST", "/long/_search", highlight(kind).to_string(), BOUNDED));
    }
    all.push(bomb("the end of a long text", "DELETE", "/long", "", &[200]));
    all
}

/// Indexes and templates that define much.
fn definitions() -> Vec<Bomb> {
    let rules = (0..50_000).map(|n| format!("a{n} => b{n}")).collect::<Vec<_>>();
    let analysis = json!({"char_filter": {"m": {"type": "mapping", "mappings": rules}},
        "analyzer": {"x": {"tokenizer": "standard", "char_filter": ["m"]}}});
    let fields = (0..10_000).map(|n| (format!("f{n}"), json!({"type": "keyword"}))).collect::<serde_json::Map<_, _>>();
    let many = json!({"settings": {"index.mapping.total_fields.limit": 20_000}, "mappings": {"properties": fields}});
    let templates = (0..5_000)
        .map(|n| json!({format!("t{n}"): {"match": format!("f{n}_*"), "mapping": {"type": "keyword"}}}))
        .collect::<Vec<_>>();
    let patterns = (0..20_000).map(|n| format!("pattern{n}-*")).collect::<Vec<_>>();
    let lines = (0..5_000).map(|n| format!("{{\"index\":{{\"_index\":\"Wrong{n}\"}}}}\n{{}}\n")).collect::<String>();
    vec![
        bomb("rules", "PUT", "/rules", json!({"settings": {"analysis": analysis}}).to_string(), &[200]),
        bomb(
            "a text of rules",
            "POST",
            "/rules/_analyze",
            json!({"analyzer": "x", "text": "a1 ".repeat(5_000)}).to_string(),
            BOUNDED,
        ),
        bomb("the end of the rules", "DELETE", "/rules", "", &[200]),
        bomb("10,000 fields", "PUT", "/many", many.to_string(), &[200]),
        bomb("what they can do", "GET", "/many/_field_caps?fields=*", "", &[200]),
        bomb("their mappings", "GET", "/many/_mapping/field/*", "", &[200]),
        bomb("all of them", "GET", "/many/_search?q=word", "", REFUSED),
        bomb("the end of the fields", "DELETE", "/many", "", &[200]),
        bomb(
            "dynamic templates",
            "PUT",
            "/templates",
            json!({"mappings": {"dynamic_templates": templates}}).to_string(),
            &[200],
        ),
        bomb("the end of the templates", "DELETE", "/templates", "", &[200]),
        bomb("patterns", "PUT", "/_index_template/patterns", json!({"index_patterns": patterns}).to_string(), REFUSED),
        bomb("lines for indexes that cannot be", "POST", "/_bulk", lines, &[200]),
    ]
}

/// Queries whose candidates all fail, within others.
fn candidates() -> Vec<Bomb> {
    let phrase = json!({"match_phrase": {"t": {"query": "beta common", "slop": 1}}});
    let script = json!({"script": {"script": "doc['n'].value < 0"}});
    let none = json!({"source": "0"});
    let within = |inner: &Value| {
        [
            json!({"bool": {"must": [inner, {"match": {"t": "common"}}]}}),
            json!({"bool": {"should": [inner, inner, inner], "minimum_should_match": 2}}),
            json!({"bool": {"must": {"match": {"t": "common"}}, "must_not": {"bool": {"must_not": inner}}}}),
            json!({"dis_max": {"queries": [inner, inner]}}),
            json!({"function_score": {"query": inner, "functions": [{"filter": inner, "weight": 2}]}}),
            json!({"boosting": {"positive": inner, "negative": inner, "negative_boost": 0.5}}),
        ]
    };
    let mut all: Vec<Value> = [&phrase, &script].into_iter().flat_map(within).collect();
    all.push(json!({"script_score": {"query": {"match_all": {}}, "script": none, "min_score": 1}}));
    all.push(json!({"function_score": {"query": {"match_all": {}}, "script_score": {"script": none}, "min_score": 1}}));
    all.push(json!({"nested": {"path": "o", "query": {"script": {"script": "doc['o.x'].value < 0"}}}}));
    all.push(
        json!({"terms_set": {"t": {"terms": ["common", "beta"], "minimum_should_match_script": {"source": "3"}}}}),
    );
    all.into_iter().map(|failing| query("candidates that fail", failing, &[200])).collect()
}
