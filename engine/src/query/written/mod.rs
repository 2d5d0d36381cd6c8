//! A query as the reference writes it: with all that it would have had without being asked. The errors of negative boosts show what a
//! query was when its boost was reached.
//!
//! A kind is one row of [`SHAPES`], in `shapes`. Of a kind that has none, or that holds what its row does not have, nothing is written.

mod shapes;

use super::multi_match::field_and_boost;
use super::node::{Field, Node};
use super::simple_query_string::Flags;
use crate::java_order::{java_order, sort_by_few_slots, sort_by_slot};
use crate::json::{Value, Writer, to_pretty_throughout};
use crate::regexp;
use crate::score::float_text;
use indexmap::IndexMap;
use shapes::Form::{
    self, Bool, CopiedFields, Fields, Float, Hashed, HashedFields, Includes, Int, Likes, List, Lower, Numbers,
    OnlyTrue, Queries, Query, Raw, RegexpFlags, Script, SimpleFlags, Text, Upper,
};
use shapes::Holds::{self, Values};
use shapes::{Known, Part, SHAPES, Shape};

/// The query of a kind as it is when its boost is set, laid out as all text of the reference.
pub fn before_boost(kind: &str, node: Node) -> Option<String> {
    let mut w = Writer::new();
    write(&mut w, kind, node, true)?;
    Some(laid_out(w))
}

/// A query of which nothing but its text is known.
pub fn with_text(kind: &str, text: &Value) -> String {
    let mut w = Writer::new();
    if let Some(shape) = SHAPES.iter().find(|shape| shape.kind == kind) {
        w.begin_object().key(kind).begin_object();
        shape.write_alone(&mut w, text);
        w.end_object().end_object();
    }
    laid_out(w)
}

fn laid_out(w: Writer) -> String {
    let mut text = String::from_utf8_lossy(&to_pretty_throughout(&w.finish())).into_owned();
    text.truncate(text.trim_end().len());
    text
}

impl Shape {
    /// The first part, and the others as they are if they are not given.
    fn write_alone(&self, w: &mut Writer, first: &Value) {
        for (at, part) in self.parts.iter().enumerate() {
            match (at, part.default) {
                (0, _) => _ = w.key(part.key).value(first),
                (_, Some(default)) => _ = w.key(part.key).raw(default.as_bytes()),
                (_, None) => {}
            }
        }
        w.key("boost").raw(b"1.0");
    }
}

/// What a request gives of a query.
struct Given<'a> {
    shape: &'a Shape,
    fields: Vec<Field<'a>>,
    /// Where the boost stands of a query that is not whole yet.
    boost_at: Option<u32>,
}

impl<'a> Given<'a> {
    fn new(shape: &'a Shape, node: Node<'a>, cut: bool) -> Option<Self> {
        let fields: Vec<_> = node.fields().collect();
        let knows = |key: &str| is_common(key) || shape.parts.iter().any(|part| part.names().contains(&key));
        if shape.holds != Values && !fields.iter().all(|field| knows(field.key)) {
            return None;
        }
        let boost = fields.iter().find(|field| field.key == "boost").map_or(u32::MAX, |field| field.key_pos);
        Some(Self { shape, boost_at: cut.then_some(boost), fields })
    }

    /// What is given under one of the names, if it is known `when` the boost is reached.
    fn field(&self, names: &[&str], when: Known) -> Option<&Field<'a>> {
        let known = |field: &&Field<'a>| match (self.boost_at, when) {
            (None, _) | (_, Known::BeforeBoost) => true,
            (Some(boost), Known::InOrder) => field.key_pos < boost,
            (Some(_), Known::AfterBoost) => false,
        };
        self.fields.iter().rfind(|field| names.contains(&field.key)).filter(known)
    }

    fn part(&self, part: &Part) -> Option<&Field<'a>> {
        let when = part.known.unwrap_or(match self.shape.named {
            Known::InOrder => Known::InOrder,
            Known::BeforeBoost | Known::AfterBoost => Known::BeforeBoost,
        });
        self.field(part.names(), when).filter(|field| !field.node.value.is_null())
    }

    fn write(&self, w: &mut Writer) -> Option<()> {
        for part in self.shape.parts {
            match (self.part(part), part.default) {
                (Some(field), _) => part.write(w, field)?,
                (None, Some(default)) => _ = w.key(part.key).raw(default.as_bytes()),
                (None, None) => {}
            }
        }
        self.write_common(w)
    }

    fn write_common(&self, w: &mut Writer) -> Option<()> {
        let boost = match (self.boost_at, self.fields.iter().find(|field| field.key == "boost")) {
            (None, Some(boost)) => boost.node.f32().ok()?,
            _ => 1.0,
        };
        w.key("boost").raw(float_text(boost).as_bytes());
        if let Some(name) = self.field(&["_name"], self.shape.named) {
            w.key("_name").string(&name.node.text().ok()?);
        }
        Some(())
    }
}

fn is_common(key: &str) -> bool {
    matches!(key, "boost" | "_name" | "value_type")
}

/// Queries nest to a bounded depth.
fn write(w: &mut Writer, kind: &str, node: Node, cut: bool) -> Option<()> {
    let shape = SHAPES.iter().find(|shape| shape.kind == kind)?;
    w.begin_object().key(shape.name.unwrap_or(kind)).begin_object();
    let asked = || node.fields().find(|field| !is_common(field.key));
    match shape.holds {
        Holds::Parts => Given::new(shape, node, cut)?.write(w)?,
        Holds::Values => {
            let field = asked()?;
            w.key(field.key).value(field.node.value);
            Given::new(shape, node, cut)?.write_common(w)?;
        }
        Holds::Field => {
            let field = asked()?;
            w.key(field.key).begin_object();
            match field.node.value {
                Value::Object(_) => Given::new(shape, field.node, cut)?.write(w)?,
                value => shape.write_alone(w, value),
            }
            w.end_object();
        }
    }
    w.end_object().end_object();
    Some(())
}

/// What is a query of its own, the only thing in an object.
fn write_inner(w: &mut Writer, node: Node) -> Option<()> {
    let field = node.fields().next()?;
    match field.key {
        "span_gap" => _ = w.value(node.value),
        kind => write(w, kind, field.node, false)?,
    }
    Some(())
}

impl Part {
    fn names(&self) -> &[&'static str] {
        if self.given.is_empty() { std::slice::from_ref(&self.key) } else { self.given }
    }

    fn write(&self, w: &mut Writer, field: &Field) -> Option<()> {
        let node = field.node;
        if let OnlyTrue = self.form {
            if node.bool().ok()? {
                w.key(self.key).bool(true);
            }
            return Some(());
        }
        w.key(if let Numbers = self.form { field.key } else { self.key });
        match self.form {
            Raw => _ = w.value(node.value),
            Text => _ = w.string(&node.text().ok()?),
            Upper => _ = w.string(&node.text().ok()?.to_uppercase()),
            Lower => _ = w.string(&node.text().ok()?.to_lowercase()),
            Int => _ = w.i64(node.i64().ok()?),
            Float => _ = w.raw(float_text(node.f32().ok()?).as_bytes()),
            Bool | OnlyTrue => _ = w.bool(node.bool().ok()?),
            Includes { outside } => {
                _ = w.bool(match field.key.starts_with("include") {
                    true => node.bool().ok()?,
                    false => field.key != outside,
                });
            }
            RegexpFlags => {
                let flags = match field.key {
                    "flags" => regexp::Flags::of(&node.text().ok()?),
                    _ => node.i32().map(regexp::Flags::of_bits),
                };
                _ = w.i64(flags.ok()?.bits().into());
            }
            SimpleFlags => {
                _ = w.i64(match node.value {
                    Value::String(text) => Flags::of(text).ok()?.bits(),
                    _ => node.i64().ok()?,
                });
            }
            Fields | HashedFields | CopiedFields => write_fields(w, node, self.form)?,
            Hashed => {
                let mut texts = node.items_or_self().iter().map(Node::text).collect::<Result<Vec<_>, _>>().ok()?;
                texts.sort_unstable();
                texts.dedup();
                let texts = java_order(texts);
                w.begin_array();
                texts.iter().for_each(|text| _ = w.string(text));
                w.end_array();
            }
            Numbers => write_numbers(w, node)?,
            List => {
                w.begin_array();
                node.items_or_self().iter().for_each(|item| _ = w.value(item.value));
                w.end_array();
            }
            Likes => write_likes(w, node),
            Query => write_inner(w, node)?,
            Queries => {
                w.begin_array();
                node.items_or_self().into_iter().try_for_each(|item| write_inner(w, item))?;
                w.end_array();
            }
            Script => write_script(w, node)?,
        }
        Some(())
    }
}

/// Names of fields with their boosts, in the order of what the reference keeps them in.
fn write_fields(w: &mut Writer, node: Node, form: Form) -> Option<()> {
    let texts = node.items_or_self().iter().map(Node::text).collect::<Result<Vec<_>, _>>().ok()?;
    let given = texts.iter().map(|text| field_and_boost(text)).collect::<Result<Vec<_>, _>>().ok()?;
    // Of fields that are named twice the last boost counts, where the first stands.
    let mut fields: Vec<_> = IndexMap::<_, _, ahash::RandomState>::from_iter(given).into_iter().collect();
    match form {
        Fields => fields.sort_by(|a, b| a.0.encode_utf16().cmp(b.0.encode_utf16())),
        _ => sort_by_slot(&mut fields, |(name, _)| name),
    }
    if let CopiedFields = form {
        sort_by_few_slots(&mut fields, |(name, _)| name);
    }
    w.begin_array();
    for (name, boost) in fields {
        w.string(&format!("{name}^{}", float_text(boost)));
    }
    w.end_array();
    Some(())
}

/// Numbers by their names.
fn write_numbers(w: &mut Writer, node: Node) -> Option<()> {
    w.begin_object();
    for field in node.fields() {
        w.key(field.key).raw(float_text(field.node.f32().ok()?).as_bytes());
    }
    w.end_object();
    Some(())
}

/// What documents should be like: texts, and behind them documents.
fn write_likes(w: &mut Writer, node: Node) {
    w.begin_array();
    let items = node.items_or_self();
    let (documents, texts): (Vec<&Node>, Vec<&Node>) = items.iter().partition(|item| item.object().is_some());
    texts.into_iter().chain(documents).for_each(|item| _ = w.value(item.value));
    w.end_array();
}

fn write_script(w: &mut Writer, node: Node) -> Option<()> {
    w.begin_object();
    let (source, lang, params) = match node.value {
        Value::Object(map) => (map.get("source")?, map.get("lang"), map.get("params")),
        source => (source, None, None),
    };
    w.key("source").value(source).key("lang").string(lang.and_then(Value::as_str).unwrap_or("painless"));
    if let Some(params) = params {
        w.key("params").value(params);
    }
    w.end_object();
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;
    use crate::query::Source;

    fn before(kind: &str, body: &str) -> Option<String> {
        let (value, source) = (json::parse(body.as_bytes()).unwrap(), Source::new(body.as_bytes()));
        let text = before_boost(kind, Node::root(&value, &source))?;
        Some(text.lines().map(str::trim_start).collect::<Vec<_>>().join("").replace(" : ", ":"))
    }

    #[test]
    fn what_comes_behind_the_boost_is_not_known() {
        let told = before("term", r#"{"f":{"value":1.50,"boost":-1,"case_insensitive":true,"_name":"n"}}"#);
        assert_eq!(told.as_deref(), Some(r#"{"term":{"f":{"value":1.5,"boost":1.0}}}"#));
        let told =
            before("match_phrase_prefix", r#"{"f":{"query":"x","zero_terms_query":"all","boost":-1,"_name":"n"}}"#);
        let wanted = r#""slop":0,"max_expansions":50,"zero_terms_query":"NONE","boost":1.0,"_name":"n"}}}"#;
        assert!(told.as_deref().is_some_and(|told| told.ends_with(wanted)), "{told:?}");
        let told = before("bool", r#"{"minimum_should_match":1,"boost":-1,"must":{"match_all":{}}}"#);
        let wanted = r#"{"bool":{"adjust_pure_negative":true,"minimum_should_match":"1","boost":1.0}}"#;
        assert_eq!(told.as_deref(), Some(wanted));
    }

    #[test]
    fn what_stands_within_is_whole() {
        let told = before("constant_score", r#"{"filter":{"range":{"a":{"gt":1,"format":"x","boost":2}}},"boost":-1}"#);
        let range = r#"{"from":1,"to":null,"include_lower":false,"include_upper":true,"format":"x","boost":2.0}"#;
        let wanted = format!(r#"{{"constant_score":{{"filter":{{"range":{{"a":{range}}}}},"boost":1.0}}}}"#);
        assert_eq!(told, Some(wanted));
        let told = before("dis_max", r#"{"queries":[{"match_all":{}}],"boost":-1}"#);
        assert_eq!(told.as_deref(), Some(r#"{"dis_max":{"tie_breaker":0.0,"queries":[ ],"boost":1.0}}"#));
        assert_eq!(before("bool", r#"{"must":[{"nobody":{}}],"boost":-1}"#), None);
    }

    #[test]
    fn flags_of_regular_expressions_are_bits() {
        let told = |flags: &str| before("regexp", &format!(r#"{{"f":{{"value":"x",{flags},"boost":-1}}}}"#)).unwrap();
        let bits =
            |flags: &str| told(flags).split_once(r#""flags_value":"#).unwrap().1.split(',').next().unwrap().to_owned();
        assert_eq!(bits(r#""flags":"INTERVAL|empty""#), "36");
        assert_eq!(bits(r#""flags":"COMPLEMENT""#), "65536");
        assert_eq!((bits(r#""flags":"""#), bits(r#""flags_value":7"#)), ("255".to_owned(), "7".to_owned()));
    }

    #[test]
    fn what_a_query_is_made_of_is_known_before_its_boost() {
        let told = before("combined_fields", r#"{"boost":-1,"query":"x","fields":["a"],"operator":"and"}"#);
        let wanted = r#"{"combined_fields":{"query":"x","fields":[ ],"operator":"OR","boost":1.0}}"#;
        assert_eq!(told.as_deref(), Some(wanted));
        let told = before("rank_feature", r#"{"boost":-1,"field":"f","log":{"scaling_factor":2},"_name":"n"}"#);
        let wanted = r#"{"rank_feature":{"field":"f","log":{"scaling_factor":2.0},"boost":1.0}}"#;
        assert_eq!(told.as_deref(), Some(wanted));
        let told = before("rank_feature", r#"{"field":"f","boost":-1}"#);
        assert_eq!(told.as_deref(), Some(r#"{"rank_feature":{"field":"f","saturation":{ },"boost":1.0}}"#));
        let told = before("distance_feature", r#"{"boost":-1,"field":"f","origin":"now","pivot":"1d","_name":"n"}"#);
        let wanted = r#"{"distance_feature":{"field":"f","origin":"now","pivot":"1d","boost":1.0}}"#;
        assert_eq!(told.as_deref(), Some(wanted));
    }
}
