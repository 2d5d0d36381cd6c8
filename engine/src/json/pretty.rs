//! JSON laid out for reading, as the reference does it: `"key" : value`, two spaces a level, `[ ]` and `{ }`.

use super::tokens::{Token, Tokens};

/// Lays out one JSON value; a line feed ends it. Sources of documents stay as they are stored.
pub fn to_pretty(json: &[u8]) -> Vec<u8> {
    lay_out(json, true)
}

/// The same where sources have been taken apart: they are laid out as everything else.
pub fn to_pretty_throughout(json: &[u8]) -> Vec<u8> {
    lay_out(json, false)
}

fn lay_out(json: &[u8], sources: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(json.len() * 2);
    // For each open bracket whether it is an object that has told to be a document, which none is under the key `doc`.
    let mut open: Vec<Option<bool>> = vec![];
    let mut key: &[u8] = b"";
    let mut after_key = false;
    let mut first = true;
    let mut tokens = Tokens::new(json);
    while let Some(token) = tokens.next() {
        let closes = matches!(token, Token::EndObject | Token::EndArray);
        if closes {
            open.pop();
        }
        match (closes, after_key) {
            (true, _) if first => out.push(b' '),
            (true, _) => new_line(&mut out, open.len()),
            (false, true) => {}
            (false, false) => {
                if !first {
                    out.push(b',');
                }
                if !open.is_empty() {
                    new_line(&mut out, open.len());
                }
            }
        }
        (after_key, first) = (false, false);
        match token {
            Token::BeginObject | Token::BeginArray => {
                out.push(if token == Token::BeginObject { b'{' } else { b'[' });
                open.push((sources && key != b"\"doc\"").then_some(false));
                first = true;
            }
            Token::EndObject => out.push(b'}'),
            Token::EndArray => out.push(b']'),
            Token::Scalar(text) => out.extend_from_slice(text),
            Token::Key(text) => {
                key = text;
                out.extend_from_slice(text);
                let is_document = open.last_mut().and_then(Option::as_mut);
                match is_document {
                    Some(true) if text == b"\"_source\"" && tokens.peek() == Some(Token::BeginObject) => {
                        out.push(b':');
                        out.extend_from_slice(tokens.value());
                        continue;
                    }
                    Some(is_document) => *is_document |= matches!(text, b"\"_index\"" | b"\"found\""),
                    None => {}
                }
                out.extend_from_slice(b" : ");
                after_key = true;
            }
        }
    }
    out.push(b'\n');
    out
}

fn new_line(out: &mut Vec<u8>, depth: usize) {
    out.push(b'\n');
    out.resize(out.len() + depth * 2, b' ');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_the_reference() {
        let text = to_pretty(br#"{"a":1,"b":[],"c":{},"d":[1,{"e":"x y"}],"f":[[]]}"#);
        let expected = "{\n  \"a\" : 1,\n  \"b\" : [ ],\n  \"c\" : { },\n  \"d\" : [\n    1,\n    {\n      \"e\" : \"x y\"\n    }\n  ],\n  \"f\" : [\n    [ ]\n  ]\n}\n";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
        assert_eq!(to_pretty(b"{}"), b"{ }\n");
    }

    #[test]
    fn sources_of_documents_stay_as_they_are_stored() {
        let hit = br#"{"_index":"i","_source":{"a": [1, {"b":2}]},"sort":[1]}"#;
        let shown = "{\n  \"_index\" : \"i\",\n  \"_source\":{\"a\": [1, {\"b\":2}]},\n  \"sort\" : [\n    1\n  ]\n}\n";
        assert_eq!(String::from_utf8(to_pretty(hit)).unwrap(), shown);
        assert!(!to_pretty_throughout(hit).windows(4).any(|part| part == b"\":{\""));
        let shown = "{\n  \"_source\" : {\n    \"enabled\" : true\n  }\n}\n";
        assert_eq!(String::from_utf8(to_pretty(br#"{"_source":{"enabled":true}}"#)).unwrap(), shown);
        let simulated = br#"{"doc":{"_index":"i","_source":{"a":1}}}"#;
        assert_eq!(to_pretty(simulated), to_pretty_throughout(simulated));
    }
}
