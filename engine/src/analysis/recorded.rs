//! Answers recorded from the reference server. Each line of `testdata/recorded.ndjson` holds the settings under
//! `index.analysis`, an analyzer, a text, and the tokens of `_analyze`; of `requests.ndjson` a request to `_analyze` and
//! its answer; of `stems.ndjson` a stemmer with words and their stems in turn.

use super::{AnalyzeContext, AnalyzeRequest, OwnedToken, Registry, analyze};
use crate::json::{Map, Value, parse};

fn owned(token: &Value) -> OwnedToken {
    let field = |at: usize| &token.as_array().unwrap()[at];
    let number = |at: usize| field(at).as_i64().unwrap() as u32;
    OwnedToken {
        text: field(0).as_str().unwrap().to_owned(),
        start_offset: number(1),
        end_offset: number(2),
        position: number(3),
        position_length: number(4),
        kind: field(5).as_str().unwrap().to_owned(),
    }
}

#[test]
fn same_tokens_as_the_reference() {
    for line in include_str!("testdata/recorded.ndjson").lines() {
        let case = parse(line.as_bytes()).unwrap();
        let registry = Registry::from_settings(case.get("analysis").unwrap()).unwrap();
        let analyzer = registry.analyzer(case.get("analyzer").unwrap().as_str().unwrap()).unwrap();
        let expected: Vec<OwnedToken> = case.get("tokens").unwrap().as_array().unwrap().iter().map(owned).collect();
        assert_eq!(analyzer.tokens(case.get("text").unwrap().as_str().unwrap()), expected, "{line}");
    }
}

/// The answer to a request without an index; of an error its type, reason and cause.
fn answer(body: &Value) -> Value {
    let registry = Registry::built_in();
    let context = AnalyzeContext { registry: &registry, field_analyzer: None, max_token_count: 10_000, index: None };
    let request = AnalyzeRequest::parse(body.to_text().as_bytes(), &[]);
    match request.and_then(|request| analyze(&request, &context)) {
        Ok(json) => parse(&json).unwrap(),
        Err(error) => {
            let cause = error.cause().map_or(Value::Null, |cause| {
                Value::Array(vec![cause.kind().type_name().into(), cause.reason().into()])
            });
            let mut shown = Map::from_iter([("type", error.kind().type_name()), ("reason", error.reason())]);
            shown.insert("cause", cause);
            Map::from_iter([("error", Value::from(shown))]).into()
        }
    }
}

#[test]
fn same_answers_as_the_reference() {
    for line in include_str!("testdata/requests.ndjson").lines() {
        let case = parse(line.as_bytes()).unwrap();
        let body = case.get("body").unwrap();
        assert_eq!(answer(body).to_text(), case.get("answer").unwrap().to_text(), "{}", body.to_text());
    }
}

#[test]
fn same_stems_as_the_reference() {
    for line in include_str!("testdata/stems.ndjson").lines() {
        let case = parse(line.as_bytes()).unwrap();
        let text = |key: &str| case.get(key).unwrap().as_str().unwrap();
        let (kind, language) = (text("type"), text("language"));
        let settings = format!(
            r#"{{"filter":{{"s":{{"type":"{kind}","language":"{language}"}}}},"analyzer":{{"a":{{"tokenizer":"keyword","filter":["s"]}}}}}}"#
        );
        let analyzer = Registry::from_settings(&parse(settings.as_bytes()).unwrap()).unwrap().analyzer("a").unwrap();
        for pair in text("stems").split(' ').collect::<Vec<_>>().chunks_exact(2) {
            assert_eq!(analyzer.tokens(pair[0])[0].text, pair[1], "{language}: {}", pair[0]);
        }
    }
}
