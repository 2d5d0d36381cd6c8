//! Fields with a similarity of their own: hits, scores and explanations as the reference gave them.
//!
//! `similarity_answers.json` holds the similarities as settings, a mapping with a field for each, the documents (a text that all
//! fields have) and the answers: hits as pairs of id and score, explanations as `[value, description, [details]]`.

use super::tests::{search, shard, shard_of};
use super::*;
use crate::analysis::Registry;
use crate::json::{Value, parse};
use crate::mapping::{Mapping, MappingSettings};
use crate::score::similarity::{self, Similarity};
use std::collections::BTreeMap;
use std::sync::Arc;

fn recorded() -> Value {
    parse(include_bytes!("similarity_answers.json")).unwrap()
}

/// Settings of one similarity, their keys joined by dots.
fn flatten(prefix: &str, value: &Value, out: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map.iter() {
                let key = if prefix.is_empty() { key.to_owned() } else { format!("{prefix}.{key}") };
                flatten(&key, value, out);
            }
        }
        other => drop(out.insert(prefix.to_owned(), other.to_text())),
    }
}

fn read(name: &str, settings: &Value) -> crate::Result<Similarity> {
    let mut params = BTreeMap::new();
    flatten("", settings, &mut params);
    let read = similarity::read(name, &params)?;
    similarity::check(&read).map(|()| read)
}

/// The recorded documents, in so many segments.
fn sample(recorded: &Value, segments: usize) -> ShardContext {
    let similarities = recorded.get("similarities").and_then(Value::as_object).unwrap();
    let settings = MappingSettings {
        similarities: similarities
            .iter()
            .map(|(name, settings)| (name.to_owned(), Arc::new(read(name, settings).unwrap())))
            .collect(),
        ..MappingSettings::default()
    };
    let source = recorded.get("mapping").unwrap();
    let mapping = Mapping::parse(source, &Registry::built_in(), &settings).unwrap();
    let fields: Vec<&str> =
        source.get("properties").and_then(Value::as_object).unwrap().iter().map(|(name, _)| name).collect();
    let docs = recorded.get("docs").and_then(Value::as_array).unwrap();
    let doc = |text: &Value| {
        let fields: Vec<String> = fields.iter().map(|name| format!("\"{name}\":{}", text_of(text))).collect();
        format!("{{{}}}", fields.join(","))
    };
    let docs: Vec<String> = docs.iter().map(doc).collect();
    let docs: Vec<&str> = docs.iter().map(String::as_str).collect();
    let parts: Vec<&[&str]> = docs.chunks(docs.len().div_ceil(segments)).collect();
    shard_of(mapping, &parts)
}

fn text_of(value: &Value) -> String {
    String::from_utf8(value.to_bytes()).unwrap()
}

fn number(value: &Value) -> f64 {
    value.to_text().parse().unwrap()
}

/// Logarithms and powers may differ in the last bit of a double, which can show in the last one of a float.
fn same(a: &Value, b: &Value) -> bool {
    let (a, b) = (number(a), number(b));
    (a - b).abs() <= 1.2e-7 * a.abs().max(b.abs())
}

fn check_tree(found: &Value, expected: &Value, of: &str) {
    let expected = expected.as_array().unwrap();
    assert_eq!(found.get("description").unwrap(), &expected[1], "{of}");
    assert!(same(found.get("value").unwrap(), &expected[0]), "{of}: {} {}", text_of(found), text_of(&expected[0]));
    let details = found.get("details").and_then(Value::as_array).unwrap();
    let wanted: &[Value] = expected.get(2).and_then(Value::as_array).map_or(&[], |details| details);
    assert_eq!(details.len(), wanted.len(), "{of}: {}", text_of(found));
    details.iter().zip(wanted).for_each(|(found, expected)| check_tree(found, expected, of));
}

#[test]
fn scores_and_explanations_are_those_of_the_reference() {
    let recorded = recorded();
    for segments in [1, 3] {
        let cx = sample(&recorded, segments);
        for answer in recorded.get("answers").and_then(Value::as_array).unwrap() {
            let query = text_of(answer.get("query").unwrap());
            let body = format!(r#"{{"query":{query},"explain":true,"size":20,"_source":false}}"#);
            let response = parse(search(&cx, &body).as_bytes()).unwrap_or_else(|_| panic!("{query}"));
            let hits = response.get("hits").and_then(|hits| hits.get("hits")).and_then(Value::as_array).unwrap();
            let expected = answer.get("hits").and_then(Value::as_array).unwrap();
            let of = |hit: &Value| text_of(hit.get("_id").unwrap());
            assert_eq!(hits.len(), expected.len(), "{query}");
            for (hit, expected) in hits.iter().zip(expected) {
                let expected = expected.as_array().unwrap();
                assert_eq!(of(hit), text_of(&expected[0]), "{query}");
                assert!(same(hit.get("_score").unwrap(), &expected[1]), "{query}: {}", text_of(hit));
            }
            if let (1, Some(tree)) = (segments, answer.get("explanation")) {
                check_tree(hits[0].get("_explanation").unwrap(), tree, &query);
            }
        }
    }
}

#[test]
fn the_best_are_the_first_of_all() {
    let recorded = recorded();
    let cx = sample(&recorded, 2);
    for answer in recorded.get("answers").and_then(Value::as_array).unwrap() {
        let query = text_of(answer.get("query").unwrap());
        let ids = |size: usize, total: bool| {
            let body = format!(r#"{{"query":{query},"size":{size},"_source":false,"track_total_hits":{total}}}"#);
            let response = parse(search(&cx, &body).as_bytes()).unwrap();
            let hits = response.get("hits").and_then(|hits| hits.get("hits")).and_then(Value::as_array).unwrap();
            hits.iter().map(|hit| text_of(hit.get("_id").unwrap())).collect::<Vec<_>>()
        };
        let all = ids(20, true);
        assert_eq!(ids(2, false), all[..all.len().min(2)], "{query}");
    }
}

#[test]
fn what_cannot_be_a_similarity_is_refused() {
    let refused = |settings: &str| read("a", &parse(settings.as_bytes()).unwrap()).unwrap_err().reason().to_owned();
    for (settings, reason) in [
        (r#"{"k1":1}"#, "Similarity [a] must have an associated type"),
        (r#"{"type":"nope"}"#, "Unknown Similarity type [nope] for [a]"),
        (r#"{"type":"BM25","k1":"x"}"#, "Failed to parse float setting [k1] with value [x]"),
        (r#"{"type":"BM25","k1":-1}"#, "illegal k1 value: -1.0, must be a non-negative finite value"),
        (r#"{"type":"BM25","k1":"1e400"}"#, "illegal k1 value: Infinity, must be a non-negative finite value"),
        (r#"{"type":"BM25","b":"NaN"}"#, "illegal b value: NaN, must be between 0 and 1"),
        (r#"{"type":"BM25","foo":1,"bar":2}"#, "Unknown settings for similarity of type [BM25]: [bar, foo]"),
        (r#"{"type":"boolean","foo":1}"#, "Unknown settings for similarity of type [boolean]: [foo]"),
        (
            r#"{"type":"LMDirichlet","discount_overlaps":"x"}"#,
            "Unknown settings for similarity of type [LMDirichlet]: [discount_overlaps]",
        ),
        (
            r#"{"type":"BM25","discount_overlaps":"maybe"}"#,
            "Failed to parse value [maybe] as only [true] or [false] are allowed.",
        ),
        (r#"{"type":"DFR"}"#, "Unsupported BasicModel [null], expected one of [ine, in, g, if]"),
        (r#"{"type":"DFR","basic_model":"g"}"#, "Unsupported AfterEffect [null], expected one of [b, l]"),
        (r#"{"type":"DFR","basic_model":"be"}"#, "Basic model [be] isn't supported anymore, please use another model."),
        (
            r#"{"type":"DFR","basic_model":"g","after_effect":"l","normalization":"z","normalization.z.z":1}"#,
            "illegal z value: 1.0, must be in the range (0 .. 0.5)",
        ),
        (r#"{"type":"IB","distribution":"ll"}"#, "Unsupported Lambda [null]"),
        (r#"{"type":"LMJelinekMercer","lambda":0}"#, "lambda must be in the range (0 .. 1]"),
        (r#"{"type":"scripted"}"#, "must specify either [source] for an inline script or [id] for a stored script"),
        (
            r#"{"type":"scripted","script":{"source":"return -1"}}"#,
            "Similarities should not return negative scores:\n-1.0 = score from ScriptedSimilarity(weightScript=[null], script=[Script{type=inline, lang='painless', idOrCode='return -1', options={}, params={}}]) computed from:\n  1.0 = weight\n  2.0 = query.boost\n  1100 = field.docCount\n  2000 = field.sumDocFreq\n  3000 = field.sumTotalTermFreq\n  100 = term.docFreq\n  130 = term.totalTermFreq\n  1 = doc.freq\n  20 = doc.length\n",
        ),
    ] {
        assert_eq!(refused(settings), reason, "{settings}");
    }
    let falls = refused(r#"{"type":"scripted","script":{"source":"return 1.0/doc.freq"}}"#);
    assert!(
        falls.starts_with("Similarity scores should not decrease when term frequency increases:\n1.0 = "),
        "{falls}"
    );
    let grows = refused(r#"{"type":"scripted","script":{"source":"return doc.length"}}"#);
    assert!(grows.starts_with("Similarity scores should not increase when norm increases:\n1.0 = "), "{grows}");
}

#[test]
fn scores_below_zero_are_an_error() {
    let below = r#"{"type":"scripted","script":{"source":"return doc.freq > 10.5 ? -1.5 : 1"}}"#;
    let similarity = read("below", &parse(below.as_bytes()).unwrap()).unwrap();
    let settings =
        MappingSettings { similarities: vec![("below".into(), Arc::new(similarity))], ..MappingSettings::default() };
    let source = parse(br#"{"properties":{"t":{"type":"text","similarity":"below"}}}"#).unwrap();
    let mapping = Mapping::parse(&source, &Registry::built_in(), &settings).unwrap();
    let cx = shard_of(mapping, &[&[r#"{"t":"a"}"#]]);
    let answer = search(&cx, r#"{"query":{"match":{"t":"a"}}}"#);
    assert!(answer.contains("Similarities must not produce negative scores, but got:\n-1.5 = score"), "{answer}");
    assert!(answer.contains("  3.4028235E38 = doc.freq\n  1 = doc.length\n"), "{answer}");
    // Where nobody asks for scores nothing fails.
    let filtered = search(&cx, r#"{"query":{"bool":{"filter":{"match":{"t":"a"}}}}}"#);
    assert!(filtered.contains(r#""_score":0.0"#), "{filtered}");
}

#[test]
fn plain_fields_are_not_touched() {
    let cx = shard(r#"{"properties":{"t":{"type":"text","similarity":"BM25"}}}"#, &[&[r#"{"t":"a"}"#]]);
    let explained = search(&cx, r#"{"query":{"match":{"t":"a"}},"explain":true}"#);
    assert!(explained.contains("k1, term saturation parameter"), "{explained}");
}
