//! Search templates: the part of Mustache that the reference's templates know, with its functions `toJson`, `join` and
//! `url`.
//!
//! Values are escaped for JSON strings unless they stand in three braces or behind `&`.

mod parser;

use crate::analysis::char_table::is_whitespace;
use crate::error::{Error, ErrorKind, Result};
use crate::java_order::hash_code;
use crate::java_order::{java_hashed_text, java_ordered};
use crate::json::{Map, Value};
use std::borrow::Cow;

/// A parsed template.
#[derive(Debug, PartialEq)]
pub struct Template {
    parts: Vec<Part>,
}

#[derive(Debug, PartialEq)]
enum Part {
    Text(String),
    Variable {
        name: String,
        raw: bool,
    },
    Section {
        name: String,
        inverted: bool,
        parts: Vec<Part>,
    },
    /// What another template could put something in the place of.
    Block(Vec<Part>),
    /// `line` is where it begins.
    Function {
        function: Function,
        parts: Vec<Part>,
        line: usize,
    },
}

#[derive(Debug, PartialEq)]
enum Function {
    ToJson,
    Join(String),
    Url,
}

/// Longest outcome, in bytes: sections over long lists multiply.
const OUTPUT_MAX: usize = 32 << 20;
/// Most parts that are rendered, those that leave nothing behind included.
const STEPS_MAX: usize = 4 << 20;
/// What is rendered within a millisecond or so.
const QUICK_OUTPUT_MAX: usize = 128 << 10;
const QUICK_STEPS_MAX: usize = 16 << 10;
/// The name that messages give to templates.
const NAME: &str = "query-template";

impl Template {
    pub fn parse(text: &str) -> Result<Self> {
        parser::parse(text).map(|parts| Self { parts })
    }

    /// The template with values for its variables.
    pub fn render(&self, params: &Map) -> Result<String> {
        self.render_in(&[&Value::Object(java_ordered(params.clone()))])
    }

    /// As [`Template::render`]; none if it is not done soon: then it is better done elsewhere.
    pub fn render_quickly(&self, params: &Map) -> Option<Result<String>> {
        let mut output = Output { bytes_max: QUICK_OUTPUT_MAX, steps_left: QUICK_STEPS_MAX, ..Output::default() };
        let result = render(&self.parts, &mut vec![&Value::Object(java_ordered(params.clone()))], &mut output);
        (!output.exceeded).then(|| result.map(|()| output.text))
    }

    /// The template with values for its variables out of objects, of which the last is asked first.
    pub fn render_in(&self, scopes: &[&Value]) -> Result<String> {
        let mut output = Output::default();
        render(&self.parts, &mut scopes.to_vec(), &mut output)?;
        Ok(output.text)
    }

    /// The same template where names that begin with `prefix` go without it.
    pub(crate) fn without_prefix(mut self, prefix: &str) -> Self {
        strip(&mut self.parts, prefix);
        self
    }
}

/// What is rendered so far, and how much more may be.
struct Output {
    text: String,
    bytes_max: usize,
    steps_left: usize,
    exceeded: bool,
}

impl Default for Output {
    fn default() -> Self {
        Self { text: String::new(), bytes_max: OUTPUT_MAX, steps_left: STEPS_MAX, exceeded: false }
    }
}

impl Output {
    /// One more part is to be rendered.
    fn step(&mut self) -> Result<()> {
        self.exceeded = self.text.len() > self.bytes_max || self.steps_left == 0;
        if self.exceeded {
            let reason = match self.steps_left {
                0 => format!("a template takes more than [{STEPS_MAX}] steps"),
                _ => format!("a template makes more than [{OUTPUT_MAX}] bytes"),
            };
            return Err(Error::illegal_argument(reason));
        }
        self.steps_left -= 1;
        Ok(())
    }
}

fn strip(parts: &mut [Part], prefix: &str) {
    let shorten = |name: &mut String| {
        if let Some(rest) = name.trim().strip_prefix(prefix) {
            *name = rest.to_owned();
        }
    };
    for part in parts {
        match part {
            Part::Text(_) => {}
            Part::Variable { name, .. } => shorten(name),
            Part::Section { name, parts, .. } => {
                shorten(name);
                strip(parts, prefix);
            }
            // The only text in these functions is a name.
            Part::Function { function: Function::ToJson | Function::Join(_), parts, .. } => {
                if let [Part::Text(name)] = parts.as_mut_slice() {
                    shorten(name);
                }
            }
            Part::Function { parts, .. } | Part::Block(parts) => strip(parts, prefix),
        }
    }
}

fn render(parts: &[Part], scopes: &mut Vec<&Value>, out: &mut Output) -> Result<()> {
    for part in parts {
        out.step()?;
        match part {
            Part::Text(text) => out.text.push_str(text),
            Part::Variable { name, raw } => {
                let text = look_up(scopes, name).map(|found| shown(&found)).unwrap_or_default();
                if *raw { out.text.push_str(&text) } else { escape_json(&text, &mut out.text) }
            }
            Part::Section { name, inverted, parts } => {
                let found = look_up(scopes, name);
                let falsy = found.as_deref().is_none_or(is_falsy);
                match (inverted, found) {
                    (true, _) if falsy => render(parts, scopes, out)?,
                    (false, Some(found)) if !falsy => render_section(parts, &found, scopes, out)?,
                    _ => {}
                }
            }
            Part::Block(parts) => render(parts, scopes, out)?,
            Part::Function { function, parts, line } => render_function(function, parts, scopes, out, *line)?,
        }
    }
    Ok(())
}

fn render_section(parts: &[Part], found: &Value, scopes: &[&Value], out: &mut Output) -> Result<()> {
    let items = match found {
        Value::Array(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    };
    for item in items {
        out.step()?;
        let mut inner = scopes.to_vec();
        // Nothing is no scope: what is asked of it is asked of the one around it.
        inner.extend((!item.is_null()).then_some(item));
        render(parts, &mut inner, out)?;
    }
    Ok(())
}

fn render_function(
    function: &Function,
    parts: &[Part],
    scopes: &mut Vec<&Value>,
    out: &mut Output,
    line: usize,
) -> Result<()> {
    match function {
        Function::Url => {
            let before = out.text.len();
            render(parts, scopes, out)?;
            let inner = out.text.split_off(before);
            let out = &mut out.text;
            for byte in inner.bytes() {
                match byte {
                    b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'*' | b'_' => out.push(char::from(byte)),
                    b' ' => out.push('+'),
                    other => out.push_str(&format!("%{other:02X}")),
                }
            }
        }
        Function::ToJson => {
            if let Some(found) = look_up(scopes, &only_text(parts)) {
                match &*found {
                    // Text stands for itself: quotes are the template's.
                    Value::String(text) => out.text.push_str(text),
                    Value::Null => {}
                    other => out.text.push_str(&other.to_text()),
                }
            }
        }
        Function::Join(delimiter) => {
            let name = only_text(parts);
            match look_up(scopes, &name).as_deref() {
                Some(Value::Array(items)) => {
                    for (at, item) in items.iter().enumerate() {
                        if at > 0 {
                            out.text.push_str(delimiter);
                        }
                        if item.is_null() {
                            return Err(nothing_to_join(line));
                        }
                        out.text.push_str(&java_hashed_text(item));
                    }
                }
                // Of what is no list the name is left.
                _ => out.text.push_str(&name),
            }
        }
    }
    Ok(())
}

fn nothing_to_join(line: usize) -> Error {
    let cause = "Cannot invoke \"Object.toString()\" because \"object\" is null";
    Error::new(ErrorKind::Mustache, format!("Function failure @[{NAME}:{line}]"))
        .with_status(500)
        .caused_by(Error::new(ErrorKind::NullPointer, cause))
}

/// The name within a function.
fn only_text(parts: &[Part]) -> String {
    match parts {
        [Part::Text(text)] => text.clone(),
        _ => String::new(),
    }
}

fn look_up<'v>(scopes: &[&'v Value], name: &str) -> Option<Cow<'v, Value>> {
    if name == "." {
        return scopes.last().map(|value| Cow::Borrowed(*value));
    }
    // The whole name goes before the path that it may be, and an outer scope has its turn where an inner one ends early.
    scopes.iter().rev().find_map(|scope| member(scope, name).or_else(|| at_path(scope, name)))
}

fn at_path<'v>(scope: &'v Value, name: &str) -> Option<Cow<'v, Value>> {
    let mut path = name.split('.');
    let mut found = member(scope, path.next()?)?;
    for part in path {
        found = match found {
            Cow::Borrowed(value) => member(value, part)?,
            Cow::Owned(value) => Cow::Owned(member(&value, part)?.into_owned()),
        };
    }
    Some(found)
}

fn member<'v>(value: &'v Value, name: &str) -> Option<Cow<'v, Value>> {
    match value {
        Value::Object(map) => map.get(name).map(Cow::Borrowed),
        Value::Array(items) if name == "size" => Some(Cow::Owned(Value::from(items.len()))),
        Value::Array(items) => items.get(name.parse::<usize>().ok()?).map(Cow::Borrowed),
        Value::String(text) => told_of(text, name).map(Cow::Owned),
        _ => None,
    }
}

/// What Java's methods without arguments tell of a text.
fn told_of(text: &str, method: &str) -> Option<Value> {
    Some(match method {
        "length" => Value::from(text.encode_utf16().count()),
        "isEmpty" | "empty" => Value::Bool(text.is_empty()),
        "isBlank" | "blank" => Value::Bool(text.chars().all(is_whitespace)),
        "trim" => Value::from(text.trim_matches(|c: char| c <= ' ')),
        "strip" => Value::from(text.trim_matches(is_whitespace)),
        "toLowerCase" => Value::from(text.to_lowercase()),
        "toUpperCase" => Value::from(text.to_uppercase()),
        "toString" | "intern" => Value::from(text),
        "hashCode" => Value::from(hash_code(text)),
        _ => return None,
    })
}

fn is_falsy(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// A value as a template shows it: lists are numbered, nothing stands for null.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Array(items) => {
            let entries = items.iter().enumerate().map(|(at, item)| format!("{at}={}", java_hashed_text(item)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        other => java_hashed_text(other),
    }
}

fn escape_json(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => out.push_str(&format!("\\u{:04X}", c as u32)),
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_that_multiply_are_given_up() {
        let params = crate::json::parse(br#"{"a":[1,1,1,1,1,1,1,1,1,1]}"#).unwrap().as_object().unwrap().clone();
        for (text, reason) in [("", "steps]"), ("0123456789", "bytes]")] {
            let source = format!("{}{text}{}", "{{#a}}".repeat(30), "{{/a}}".repeat(30));
            let template = Template::parse(&source).unwrap();
            assert!(template.render_quickly(&params).is_none());
            let error = template.render(&params).unwrap_err();
            assert!(error.reason().starts_with("a template ") && error.status() == 400, "{reason} {error}");
        }
        let small = Template::parse("{{#a}}{{.}}{{/a}}").unwrap();
        assert_eq!(small.render_quickly(&params).unwrap().unwrap(), "1111111111");
    }

    fn rendered(template: &str, params: &str) -> String {
        let params = crate::json::parse(params.as_bytes()).unwrap();
        Template::parse(template).unwrap().render(params.as_object().unwrap()).unwrap()
    }

    #[test]
    fn texts_tell_of_themselves() {
        let params = r#"{"s":"abC ","l":["a","b"],"e":""}"#;
        assert_eq!(rendered("{{s.length}}{{s.isEmpty}}{{#l}}{{toUpperCase}}{{/l}}", params), "4falseAB");
        assert_eq!(rendered("{{s.trim.length}} {{s.hashCode}} {{s.none}}", params), "3 2986014 ");
        assert_eq!(rendered("{{#e.isEmpty}}x{{/e.isEmpty}}{{#s.isEmpty}}y{{/s.isEmpty}}", params), "x");
    }

    #[test]
    fn names_in_functions_are_taken_as_they_stand() {
        let params = r#"{"l":["a","b"]}"#;
        assert_eq!(rendered("{{#toJson}} l{{/toJson}}", params), "");
        assert_eq!(rendered("{{#join}}l {{/join}}", params), "l ");
    }

    #[test]
    fn blocks_and_delimiters() {
        assert_eq!(rendered("{{$b}}x{{n}}{{/b}}", r#"{"n":1}"#), "x1");
        let wrong = |text: &str| Template::parse(text).unwrap_err().reason().to_owned();
        assert_eq!(wrong("{{$b}}x"), "Failed to close 'b' tag @[query-template:1]");
        assert_eq!(wrong("{{<p}}x{{/p}}"), "Partial templates are not supported in OpenSearch Mustache scripts: [p]");
        assert_eq!(wrong("\n{{=a b c=}}"), "Invalid delimiter string: a b c @[query-template:2]");
    }

    #[test]
    fn variables_sections_and_functions() {
        assert_eq!(rendered("{{a}} {{{a}}} {{no}}", r#"{"a":"x\"<"}"#), r#"x\"< x"< "#);
        assert_eq!(rendered("{{#l}}[{{.}}]{{/l}}{{^m}}none{{/m}}", r#"{"l":["a",1]}"#), "[a][1]none");
        assert_eq!(rendered("{{l.1}} {{l.size}} {{o.x}}", r#"{"l":["a","b"],"o":{"x":1.0}}"#), "b 2 1.0");
        assert_eq!(rendered("{{a.b}} {{#o}}{{c.d}}{{/o}}", r#"{"a.b":1,"a":{"b":2},"o":{"c":3},"c":{"d":4}}"#), "1 4");
        assert_eq!(rendered("{{#toJson}}l{{/toJson}}", r#"{"l":[{"a":1}]}"#), r#"[{"a":1}]"#);
        assert_eq!(
            rendered("{{#join}}l{{/join}} {{#join delimiter='|'}}l{{/join delimiter='|'}}", r#"{"l":["a","b"]}"#),
            "a,b a|b"
        );
        assert_eq!(rendered("{{#url}}{{a}} /{{/url}}", r#"{"a":"&"}"#), "%26+%2F");
        assert_eq!(rendered("{{=<% %>=}}<%a%>{{a}}<%! c %>", r#"{"a":1}"#), "1{{a}}");
    }

    #[test]
    fn what_is_no_list_and_what_is_nothing() {
        let params = r#"{"o":{"name":1,"deep":2},"zero":0,"blank":"","t":"x"}"#;
        assert_eq!(rendered("{{#join}}o{{/join}} {{#join}}no{{/join}} {{#join}}t{{/join}}", params), "o no t");
        assert_eq!(rendered("{{#join}}l{{/join}}", r#"{"l":["a\"b"]}"#), "a\"b");
        assert_eq!(rendered("{{#zero}}z{{/zero}}{{#blank}}b{{/blank}}{{^blank}}none{{/blank}}", params), "znone");
        assert_eq!(rendered("{{#toJson}}o{{/toJson}} {{o}}", params), r#"{"deep":2,"name":1} {deep=2, name=1}"#);
    }

    #[test]
    fn what_is_nothing_among_others() {
        let params = r#"{"a":1,"l":["x",null]}"#;
        assert_eq!(rendered("{{#l}}<{{a}}{{^.}}no{{/.}}>{{/l}}", params), "<1><1>");
        assert_eq!(rendered("{{#l}}{{#toJson}}.{{/toJson}} {{/l}}", params), r#"x {"a":1,"l":["x",null]} "#);
        let Ok(Value::Object(map)) = crate::json::parse(params.as_bytes()) else { unreachable!("it is an object") };
        let error = Template::parse("\n{{#join}}l{{/join}}").unwrap().render(&map).unwrap_err();
        assert_eq!((error.status(), error.reason()), (500, "Function failure @[query-template:2]"));
    }

    #[test]
    fn lines_of_sections_leave_nothing_behind() {
        let params = r#"{"l":[1,2],"t":true}"#;
        assert_eq!(rendered("a\n  {{#l}}\n- {{.}}\n  {{/l}}\nb", params), "a\n- 1\n- 2\nb");
        assert_eq!(rendered("a {{#t}}\n x\n{{/t}} b", params), "a  x\n b");
        assert_eq!(rendered("{{#t}} x {{/t}}\n", params), " x \n");
    }

    #[test]
    fn errors_tell_where_they_are() {
        let reason = |text: &str| Template::parse(text).unwrap_err().reason().to_owned();
        assert_eq!(reason("{{t}"), "Improperly closed variable @[query-template:1]");
        let unclosed = "Improperly closed variable: b}x} in query-template:2@5 @[query-template:2]";
        assert_eq!(reason("\n{{{b}x}"), unclosed);
        assert_eq!(reason("{}{{a}}{{{b}}"), unclosed.replace("b}x}", "b").replace("2@5", "1@12").replace(":2]", ":1]"));
        let after_another = unclosed.replace("b}x}", "d").replace("2@5", "1@11").replace(":2]", ":1]");
        assert_eq!(reason("{{{ab}}}{{{d"), after_another.replace("@11", "@10"));
        assert_eq!(reason("{{#ab}}x{{/ab}} {{{d}"), after_another.replace("d in", "d} in"));
        assert_eq!(reason("{{{d}\n"), after_another.replace("d in", "d} in").replace("@11", "@5"));
        assert_eq!(reason("{{}}"), "Empty mustache @[query-template:1]");
        let alone = "Mustache function [join] must contain one and only one identifier";
        assert_eq!(reason("{{#join}}{{/join}}"), alone);
        assert_eq!(reason("\n{{#x}"), "Failed to close 'x}' tag @[query-template:2]");
        let mismatched = "Mismatched start/end tags: null != t in query-template:1 @[query-template:1]";
        assert_eq!(reason("{{/t}}"), mismatched);
        assert_eq!(reason("{{#a}}{{/t}}"), mismatched.replace("null", "a"));
        assert_eq!(reason("{{#a}}{{/"), mismatched.replace("null", "a").replace("!= t", "!= "));
        assert_eq!(rendered("x{{! y", "{}") + &rendered("{{^a}}z{{/a", "{}"), "xz");
        assert!(reason("{{>p}}").starts_with("Partial templates are not supported"));
    }

    #[test]
    fn sections_have_to_be_closed() {
        let error = Template::parse("{{#a}}").unwrap_err();
        assert_eq!(error.reason(), "Failed to close 'a' tag @[query-template:1]");
        assert!(Template::parse(&"{{#a}}".repeat(1_000)).is_err());
    }
}
