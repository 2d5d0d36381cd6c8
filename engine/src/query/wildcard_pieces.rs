//! Patterns of query strings on fields of type `wildcard`: the reference holds them against the pieces that it keeps of values.

use super::pattern::Wildcard;
use crate::mapping::Field;
use crate::score::{Automaton, MultiTerm, TermSet};
use std::sync::Arc;

/// How long a piece is, in characters.
pub const PIECE: usize = 3;

/// What stands before the first and after the last character, so that these are in as many pieces as the others.
const ANCHORS: [char; PIECE - 1] = ['\0'; PIECE - 1];

/// Matches a value with a piece that the pattern matches.
#[derive(Debug)]
struct OfPieces(Wildcard);

impl Automaton for OfPieces {
    fn matches(&self, term: &[u8]) -> bool {
        let Ok(value) = std::str::from_utf8(term) else { return false };
        let (mut piece, mut text) = (['\0'; PIECE], [0; PIECE * 4]);
        value.chars().chain(ANCHORS).any(|c| {
            piece.rotate_left(1);
            piece[PIECE - 1] = c;
            let length = piece.iter().fold(0, |at, c| at + c.encode_utf8(&mut text[at..]).len());
            self.0.matches(&text[..length])
        })
    }

    fn prefix(&self) -> &[u8] {
        &[]
    }
}

/// The values of `field` with a piece that `pattern` matches, as it is written.
pub fn of_pieces(field: &Field, pattern: &str) -> MultiTerm {
    let set = TermSet::Pattern(Arc::new(OfPieces(Wildcard::new(pattern, false))));
    MultiTerm { field: field.name.clone(), set, text: format!("{}:{pattern}", field.name) }
}

#[cfg(test)]
mod tests {
    use crate::search::tests::{described, ids, shard};

    #[test]
    fn query_strings_match_pieces() {
        let mapping = r#"{"properties":{"w":{"type":"wildcard"},"l":{"type":"wildcard","normalizer":"lowercase"}}}"#;
        let docs = ["hello world", "Smith", "a", "ab", "abc", "xyzabc", "wo"]
            .map(|value| format!(r#"{{"w":"{value}","l":"{value}"}}"#));
        let cx = shard(mapping, &[&docs.each_ref().map(String::as_str)]);
        for (text, found) in [
            ("w:*orld*", ""),
            ("w:?el", "1"),
            ("w:w?r", "1"),
            ("w:*bc", "5 6"),
            ("w:h?", ""),
            ("w:*o", "1 7"),
            ("w:???", "1 2 3 4 5 6 7"),
            ("w:b??", "4 5 6"),
            ("l:S?i*", ""),
            ("l:s?i*", "2"),
        ] {
            let query = format!(r#"{{"query_string":{{"query":"{text}"}}}}"#);
            assert_eq!(ids(&cx, &query), found, "{query}");
            assert_eq!(described(&cx, &query, true), text);
        }
        assert_eq!(ids(&cx, r#"{"query_string":{"query":"w:ab*"}}"#), "4 5", "beginnings are held against values");
    }

    #[test]
    fn nothing_is_like_an_empty_text() {
        let cx = shard(r#"{"properties":{"w":{"type":"wildcard"}}}"#, &[&[r#"{"w":"a"}"#, "{}"]]);
        let none = r#"MatchNoDocsQuery("Wildcard expression matches nothing")"#;
        for (query, text) in [
            (r#"{"wildcard":{"w":""}}"#, none),
            (r#"{"term":{"w":""}}"#, none),
            (r#"{"match":{"w":""}}"#, none),
            (r#"{"terms":{"w":[""]}}"#, r#"WildcardMatchingQuery(w:"")"#),
            (r#"{"prefix":{"w":""}}"#, "FieldExistsQuery [field=w]"),
            (r#"{"simple_query_string":{"query":"a*","fields":["w"]}}"#, r#"WildcardMatchingQuery(w:"a*")"#),
            (r#"{"simple_query_string":{"query":"a*","fields":["w"],"analyze_wildcard":true}}"#, "w:a*"),
        ] {
            assert_eq!(described(&cx, query, true), text, "{query}");
        }
    }
}
