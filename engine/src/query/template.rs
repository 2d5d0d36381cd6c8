//! `template`: a query with places that variables of a search pipeline fill.
//!
//! A place is a text that is nothing but `${name}`; what it stands for takes its room, whatever kind of value that is. The query
//! is made when its variables are known, or without any where nobody brings some.

use super::node::{Node, Source};
use super::table::parse_node;
use super::{Kind, PlanContext, Query};
use crate::error::{Error, Result};
use crate::json::{Map, Value};
use crate::score::Plan;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

#[derive(Debug)]
pub struct Template {
    /// The query with its places, as JSON.
    text: String,
    /// How deep it stands within other queries.
    depth: u32,
    made: OnceLock<Result<Query>>,
}

/// Whether any query was ever read that is to be filled in: searches of those who have none do not look for them.
static USED: AtomicBool = AtomicBool::new(false);

pub fn are_used() -> bool {
    USED.load(Ordering::Relaxed)
}

/// A query was read that is to be filled in.
pub fn note_used() {
    USED.store(true, Ordering::Relaxed);
}

pub fn parse(node: Node) -> Result<Query> {
    note_used();
    if node.fields().next().is_none() {
        return Err(Error::illegal_argument("Template string cannot be empty. A valid template must be provided."));
    }
    let text = String::from_utf8_lossy(&node.value.to_bytes()).into_owned();
    let template = Template { text, depth: node.depth(), made: OnceLock::new() };
    Ok(Query { boost: 1.0, name: None, kind: Arc::new(template) })
}

impl Template {
    fn made(&self) -> &Result<Query> {
        self.made.get_or_init(|| self.query(&self.text))
    }

    fn query(&self, text: &str) -> Result<Query> {
        let parsed = crate::json::parse_declared(text.as_bytes(), super::declares).and_then(|value| {
            let source = Source::at_depth(text.as_bytes(), self.depth);
            parse_node(Node::root(&value, &source))
        });
        parsed.map_err(|error| {
            Error::illegal_argument(format!("Failed to rewrite template query: {text}")).caused_by(error)
        })
    }
}

/// What begins and ends a place.
const OPENS: &str = "\"${";
const CLOSES: &str = "}\"";

/// The text with the variables in their places.
fn filled(text: &str, variables: &Map) -> Result<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(OPENS) {
        let (before, place) = rest.split_at(at);
        out.push_str(before);
        let Some(end) = place.find(CLOSES) else {
            return Err(Error::illegal_argument(format!("Unclosed variable in template: {place}")));
        };
        let name = &place[OPENS.len()..end];
        let value: Option<&Value> = variables.get(name);
        let value = value.ok_or_else(|| Error::illegal_argument(format!("Variable not found: {name}")))?;
        out.push_str(&String::from_utf8_lossy(&value.to_bytes()));
        rest = &place[end + CLOSES.len()..];
    }
    out.push_str(rest);
    Ok(out)
}

impl Kind for Template {
    fn is_replaced(&self) -> bool {
        true
    }

    fn fill(&self, variables: &Map) -> Result<()> {
        let make = || match variables.is_empty() {
            true => self.query(&self.text),
            false => filled(&self.text, variables).and_then(|text| self.query(&text)),
        };
        self.made.get_or_init(make).as_ref().map(drop).map_err(Error::clone)
    }

    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        self.made().as_ref().map_err(Error::clone)?.plan(cx)
    }

    fn can_match(&self, cx: &PlanContext) -> bool {
        self.made().as_ref().map_or(true, |query| query.can_match(cx))
    }

    fn children(&self) -> Vec<&Query> {
        // Asked for before anything is filled in there is nothing to see yet.
        self.made.get().and_then(|made| made.as_ref().ok()).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_take_the_room_of_their_places() {
        let Value::Object(variables) = crate::json::parse(br#"{"x":"a\"b","n":[1,{"z":2}]}"#).unwrap() else {
            panic!("an object");
        };
        let fill = |text: &str| filled(text, &variables).map_err(|error| error.reason().to_owned());
        assert_eq!(
            fill(r#"{"a":"${x}","b":"${n}","c":"x ${x}"}"#).unwrap(),
            r#"{"a":"a\"b","b":[1,{"z":2}],"c":"x ${x}"}"#
        );
        assert_eq!(fill(r#"{"a":"${y}"}"#).unwrap_err(), "Variable not found: y");
        assert_eq!(fill(r#"{"a":"${x there"}"#).unwrap_err(), r#"Unclosed variable in template: "${x there"}"#);
    }

    #[test]
    fn templates_within_templates_count_towards_the_depth() {
        let nested = |levels: usize| {
            let body = format!("{}{}{}", r#"{"template":"#.repeat(levels), r#"{"match_all":{}}"#, "}".repeat(levels));
            let value = crate::json::parse(body.as_bytes()).unwrap();
            let query = super::super::parse(&value, body.as_bytes())?;
            query.fill(&Map::new())
        };
        nested(150).unwrap();
        assert!(nested(300).unwrap_err().cause().is_some());
    }
}
