//! Tokens recorded from the reference server: each line of `testdata/recorded.ndjson` holds the settings under
//! `index.analysis`, an analyzer, a text, and the tokens of `_analyze`.

use super::{OwnedToken, Registry};
use crate::json::{Value, parse};

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
