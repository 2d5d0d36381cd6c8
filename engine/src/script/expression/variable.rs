//! What the text of a variable says: a name, or a field with what is asked of it.

use super::members;
use super::{Asked, FieldRef, Node};

#[derive(Debug, PartialEq)]
enum Part {
    Member(String),
    Method(String),
    Text(String),
    Number,
}

/// The node of a variable as it is written.
pub fn node(written: &str) -> Node {
    let text = single_quoted(written);
    let mut parts = parts(&text).into_iter();
    let first = match parts.next() {
        Some(Part::Member(name) | Part::Method(name)) => name,
        _ => String::new(),
    };
    if first != "doc" {
        return Node::Name { text, first };
    }
    let Some(Part::Text(field)) = parts.next() else { return Node::Name { text, first } };
    let rest: Vec<_> = parts.collect();
    let of_field = |name: &str, called| Asked::Member {
        name: name.to_owned(),
        called,
        of_date: false,
        found: members::of_field(name, called),
    };
    let of_date = |name: &str, called| Asked::Member {
        name: name.to_owned(),
        called,
        of_date: true,
        found: members::of_date(name, called),
    };
    let asked = match &rest[..] {
        [] => of_field("value", false),
        [Part::Member(name)] => of_field(name, false),
        [Part::Method(name)] => of_field(name, true),
        [Part::Member(date), Part::Member(name)] if date == "date" => of_date(name, false),
        [Part::Member(date), Part::Method(name)] if date == "date" => of_date(name, true),
        [_] => Asked::Malformed(
            "Only member variables or member methods may be accessed on a field when not accessing the field directly"
                .to_owned(),
        ),
        _ => Asked::Malformed(format!(
            "Variable [{text}] does not follow an allowed format of either doc['field'] or doc['field'].method()"
        )),
    };
    Node::Field(Box::new(FieldRef { field, text, asked }))
}

fn parts(text: &str) -> Vec<Part> {
    let mut found = vec![];
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix("['") {
            let (name, length) = unescaped(inner);
            found.push(Part::Text(name));
            rest = inner.get(length + 2..).unwrap_or_default();
        } else if rest.starts_with('[') {
            found.push(Part::Number);
            rest = rest.split_once(']').map_or("", |(_, after)| after);
        } else {
            let name = rest.trim_start_matches('.');
            let end = name.find(['.', '[', '(']).unwrap_or(name.len());
            let (name, after) = name.split_at(end);
            let after_call = after.strip_prefix("()");
            found.push(match after_call {
                Some(_) => Part::Method(name.to_owned()),
                None => Part::Member(name.to_owned()),
            });
            rest = after_call.unwrap_or(after);
        }
    }
    found
}

/// What stands before the closing quote, and its length as it is written.
fn unescaped(text: &str) -> (String, usize) {
    let mut name = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\'' => return (name, at),
            '\\' => name.extend(chars.next().map(|(_, c)| c)),
            _ => name.push(c),
        }
    }
    (name, text.len())
}

/// The same variable with single quotes around its texts, as messages show it.
fn single_quoted(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\'' | '"', None) => {
                quote = Some(c);
                made.push('\'');
            }
            (c, Some(open)) if c == open => {
                quote = None;
                made.push('\'');
            }
            ('\\', Some('"')) => match chars.next() {
                Some('"') => made.push('"'),
                next => made.extend(['\\'].into_iter().chain(next)),
            },
            ('\\', Some(_)) => made.extend(['\\'].into_iter().chain(chars.next())),
            ('\'', Some(_)) => made.push_str("\\'"),
            (c, _) => made.push(c),
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_become_single_ones() {
        let cases = [
            (r#"doc["int"].x"#, r"doc['int'].x"),
            (r#"doc["in't"]"#, r"doc['in\'t']"),
            (r#"doc["a\"b"]"#, r#"doc['a"b']"#),
            (r"doc['in\'t']", r"doc['in\'t']"),
            ("a.b()", "a.b()"),
        ];
        for (written, shown) in cases {
            assert_eq!(single_quoted(written), shown);
        }
    }

    #[test]
    fn parts_are_names_methods_and_indexes() {
        let part = |name: &str| Part::Member(name.into());
        assert_eq!(
            parts(r"doc['a\'.[b'].date.getX()"),
            [part("doc"), Part::Text("a'.[b".into()), part("date"), Part::Method("getX".into())]
        );
        assert_eq!(parts("x[12].y"), [part("x"), Part::Number, part("y")]);
    }
}
