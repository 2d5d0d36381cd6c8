//! JSON laid out for reading, as the reference does it: `"key" : value`, two spaces a level, `[ ]` and `{ }`.

use super::tokens::{Token, Tokens};

/// Lays out one JSON value; a line feed ends it.
pub fn to_pretty(json: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(json.len() * 2);
    let mut depth = 0usize;
    let mut after_key = false;
    let mut first = true;
    for token in Tokens::new(json) {
        let closes = matches!(token, Token::EndObject | Token::EndArray);
        if closes {
            depth = depth.saturating_sub(1);
        }
        match (closes, after_key) {
            (true, _) if first => out.push(b' '),
            (true, _) => new_line(&mut out, depth),
            (false, true) => {}
            (false, false) => {
                if !first {
                    out.push(b',');
                }
                if depth > 0 {
                    new_line(&mut out, depth);
                }
            }
        }
        (after_key, first) = (false, false);
        match token {
            Token::BeginObject | Token::BeginArray => {
                out.push(if token == Token::BeginObject { b'{' } else { b'[' });
                depth += 1;
                first = true;
            }
            Token::EndObject => out.push(b'}'),
            Token::EndArray => out.push(b']'),
            Token::Scalar(text) => out.extend_from_slice(text),
            Token::Key(text) => {
                out.extend_from_slice(text);
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
}
