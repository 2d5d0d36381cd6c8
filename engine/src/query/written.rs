//! A query as the reference writes it: with all that it would have had without being asked. The errors of negative boosts show what a
//! query was when its boost was reached.
//!
//! A kind is one row of [`SHAPES`]. Of a kind that has none, or that holds what its row does not have, nothing is written.

use super::multi_match::field_and_boost;
use super::node::{Field, Node};
use super::simple_query_string::Flags;
use crate::json::{Value, Writer, to_pretty_throughout};
use crate::score::float_text;

/// How a kind is written.
struct Shape {
    kind: &'static str,
    /// Its name in the text, where that is another.
    name: Option<&'static str>,
    holds: Holds,
    parts: &'static [Part],
    named: Named,
}

/// Where the parts of a kind stand.
#[derive(Clone, Copy, PartialEq)]
enum Holds {
    Parts,
    /// Within the field that is asked.
    Field,
    /// Beside the field that is asked, which has its values.
    Values,
}

/// When a kind knows its name.
#[derive(Clone, Copy, PartialEq)]
enum Named {
    BeforeBoost,
    AfterBoost,
    /// All its parts are known in the order in which they are given.
    InOrder,
}

struct Part {
    key: &'static str,
    /// What it is called in requests, where that is something else.
    given: &'static [&'static str],
    form: Form,
    /// As JSON; without one it is only written where it is given.
    default: Option<&'static str>,
    after_boost: bool,
}

#[derive(Clone, Copy)]
enum Form {
    Raw,
    Text,
    Upper,
    Lower,
    Int,
    Float,
    Bool,
    /// True, or not written.
    OnlyTrue,
    /// Names with their boosts.
    Fields,
    /// Texts in their order.
    Sorted,
    List,
    Query,
    Queries,
    Script,
    RegexpFlags,
    SimpleFlags,
    /// Whether a bound belongs to the range: not if it is called so.
    Includes {
        outside: &'static str,
    },
}

use Form::*;

const fn part(key: &'static str, form: Form, default: Option<&'static str>) -> Part {
    Part { key, given: &[], form, default, after_boost: false }
}

/// What has to be given, or is not written.
const fn given(key: &'static str, form: Form) -> Part {
    part(key, form, None)
}

/// What is there in any case.
const fn always(key: &'static str, form: Form, default: &'static str) -> Part {
    part(key, form, Some(default))
}

impl Part {
    const fn late(self) -> Self {
        Self { after_boost: true, ..self }
    }

    const fn called(self, given: &'static [&'static str]) -> Self {
        Self { given, ..self }
    }
}

const fn shape(kind: &'static str, holds: Holds, named: Named, parts: &'static [Part]) -> Shape {
    Shape { kind, name: None, holds, parts, named }
}

use Holds::{Parts, Values};
use Named::{AfterBoost, BeforeBoost, InOrder};

const OF_FIELD: Holds = Holds::Field;
const ZERO_TERMS: Part = always("zero_terms_query", Upper, r#""NONE""#);
const SYNONYM_PHRASES: Part = always("auto_generate_synonyms_phrase_query", Bool, "true");
const TRANSPOSITIONS: Part = always("fuzzy_transpositions", Bool, "true");
const SHOULD_MATCH: Part = given("minimum_should_match", Text);
const UPPER_OPERATOR: Part = always("operator", Upper, r#""OR""#);
const LOWER_OPERATOR: Part = always("default_operator", Lower, r#""or""#);
const IGNORE_CASE: Part = given("case_insensitive", OnlyTrue).late();
const IGNORE_UNMAPPED: Part = always("ignore_unmapped", Bool, "false");
const MATCH_ALL: &str = r#"{"match_all":{"boost":1.0}}"#;

static SHAPES: &[Shape] = &[
    shape(
        "match",
        OF_FIELD,
        BeforeBoost,
        &[
            given("query", Raw),
            UPPER_OPERATOR,
            given("analyzer", Raw),
            given("fuzziness", Upper),
            always("prefix_length", Int, "0"),
            always("max_expansions", Int, "50"),
            SHOULD_MATCH,
            given("fuzzy_rewrite", Raw),
            TRANSPOSITIONS,
            always("lenient", Bool, "false"),
            ZERO_TERMS,
            given("cutoff_frequency", Float),
            SYNONYM_PHRASES,
        ],
    ),
    shape(
        "match_phrase",
        OF_FIELD,
        BeforeBoost,
        &[given("query", Raw), given("analyzer", Raw), always("slop", Int, "0"), ZERO_TERMS],
    ),
    shape(
        "match_phrase_prefix",
        OF_FIELD,
        BeforeBoost,
        &[
            given("query", Raw),
            given("analyzer", Raw),
            always("slop", Int, "0"),
            always("max_expansions", Int, "50"),
            ZERO_TERMS.late(),
        ],
    ),
    shape(
        "match_bool_prefix",
        OF_FIELD,
        AfterBoost,
        &[
            given("query", Raw),
            given("analyzer", Raw),
            UPPER_OPERATOR,
            SHOULD_MATCH,
            given("fuzziness", Upper).late(),
            always("prefix_length", Int, "0").late(),
            always("max_expansions", Int, "50").late(),
            TRANSPOSITIONS.late(),
            given("fuzzy_rewrite", Raw).late(),
        ],
    ),
    shape(
        "multi_match",
        Parts,
        AfterBoost,
        &[
            given("query", Raw),
            always("fields", Fields, "[]"),
            always("type", Lower, r#""best_fields""#),
            UPPER_OPERATOR,
            given("analyzer", Raw),
            always("slop", Int, "0"),
            given("fuzziness", Upper),
            always("prefix_length", Int, "0"),
            always("max_expansions", Int, "50"),
            SHOULD_MATCH,
            given("fuzzy_rewrite", Raw),
            given("tie_breaker", Float),
            given("lenient", Bool).late(),
            given("cutoff_frequency", Float),
            ZERO_TERMS,
            SYNONYM_PHRASES,
            TRANSPOSITIONS.late(),
        ],
    ),
    shape(
        "combined_fields",
        Parts,
        InOrder,
        &[given("query", Raw), always("fields", Fields, "[]"), UPPER_OPERATOR, SHOULD_MATCH],
    ),
    shape(
        "query_string",
        Parts,
        AfterBoost,
        &[
            given("query", Text),
            given("default_field", Raw),
            always("fields", Fields, "[]"),
            always("type", Lower, r#""best_fields""#),
            given("tie_breaker", Float),
            LOWER_OPERATOR,
            given("analyzer", Raw),
            given("quote_analyzer", Raw),
            always("max_determinized_states", Int, "10000"),
            given("allow_leading_wildcard", Bool),
            always("enable_position_increments", Bool, "true"),
            always("fuzziness", Upper, r#""AUTO""#),
            always("fuzzy_prefix_length", Int, "0"),
            always("fuzzy_max_expansions", Int, "50"),
            given("fuzzy_rewrite", Raw),
            always("phrase_slop", Int, "0"),
            given("analyze_wildcard", Bool),
            given("rewrite", Raw),
            SHOULD_MATCH,
            given("quote_field_suffix", Raw),
            given("lenient", Bool),
            given("time_zone", Raw),
            always("escape", Bool, "false"),
            SYNONYM_PHRASES.late(),
            TRANSPOSITIONS.late(),
        ],
    ),
    shape(
        "simple_query_string",
        Parts,
        AfterBoost,
        &[
            given("query", Text),
            given("fields", Fields),
            given("analyzer", Raw).late(),
            always("flags", SimpleFlags, "-1").late(),
            LOWER_OPERATOR.late(),
            given("lenient", Bool).late(),
            always("analyze_wildcard", Bool, "false").late(),
            given("quote_field_suffix", Raw).late(),
            SHOULD_MATCH.late(),
            SYNONYM_PHRASES.late(),
            always("fuzzy_prefix_length", Int, "0").late(),
            always("fuzzy_max_expansions", Int, "50").late(),
            TRANSPOSITIONS.late(),
        ],
    ),
    shape("term", OF_FIELD, AfterBoost, &[given("value", Raw), IGNORE_CASE]),
    shape("terms", Values, AfterBoost, &[]),
    shape(
        "range",
        OF_FIELD,
        AfterBoost,
        &[
            always("from", Raw, "null").called(&["from", "gte", "gt"]),
            always("to", Raw, "null").called(&["to", "lte", "lt"]),
            always("include_lower", Includes { outside: "gt" }, "true").called(&["include_lower", "gte", "gt"]),
            always("include_upper", Includes { outside: "lt" }, "true").called(&["include_upper", "lte", "lt"]),
            given("time_zone", Raw),
            given("format", Raw).late(),
            given("relation", Lower).late(),
        ],
    ),
    shape("prefix", OF_FIELD, AfterBoost, &[given("value", Raw), given("rewrite", Raw), IGNORE_CASE]),
    shape(
        "wildcard",
        OF_FIELD,
        AfterBoost,
        &[given("wildcard", Raw).called(&["wildcard", "value"]), given("rewrite", Raw), IGNORE_CASE],
    ),
    shape(
        "regexp",
        OF_FIELD,
        AfterBoost,
        &[
            given("value", Raw),
            always("flags_value", RegexpFlags, "255").called(&["flags_value", "flags"]),
            IGNORE_CASE,
            always("max_determinized_states", Int, "10000"),
            given("rewrite", Raw),
        ],
    ),
    shape(
        "fuzzy",
        OF_FIELD,
        AfterBoost,
        &[
            given("value", Raw),
            always("fuzziness", Upper, r#""AUTO""#),
            always("prefix_length", Int, "0"),
            always("max_expansions", Int, "50"),
            always("transpositions", Bool, "true"),
            given("rewrite", Raw),
        ],
    ),
    shape("exists", Parts, BeforeBoost, &[given("field", Raw)]),
    shape("ids", Parts, InOrder, &[always("values", Sorted, "[]")]),
    shape("match_all", Parts, InOrder, &[]),
    shape("match_none", Parts, AfterBoost, &[]),
    shape(
        "terms_set",
        OF_FIELD,
        BeforeBoost,
        &[
            given("terms", Raw),
            given("minimum_should_match_field", Raw).late(),
            given("minimum_should_match_script", Script).late(),
        ],
    ),
    shape(
        "nested",
        Parts,
        BeforeBoost,
        &[given("query", Query), given("path", Raw), IGNORE_UNMAPPED, always("score_mode", Lower, r#""avg""#)],
    ),
    shape(
        "has_child",
        Parts,
        BeforeBoost,
        &[
            given("query", Query),
            given("type", Raw),
            always("score_mode", Lower, r#""none""#),
            always("min_children", Int, "1"),
            always("max_children", Int, "2147483647"),
            IGNORE_UNMAPPED.late(),
        ],
    ),
    shape(
        "has_parent",
        Parts,
        BeforeBoost,
        &[given("query", Query), given("parent_type", Raw), always("score", Bool, "false"), IGNORE_UNMAPPED],
    ),
    shape("parent_id", Parts, BeforeBoost, &[given("type", Raw), given("id", Text), IGNORE_UNMAPPED.late()]),
    shape(
        "bool",
        Parts,
        InOrder,
        &[
            given("must", Queries),
            given("filter", Queries),
            given("must_not", Queries).called(&["must_not", "mustNot"]),
            given("should", Queries),
            always("adjust_pure_negative", Bool, "true"),
            SHOULD_MATCH,
        ],
    ),
    shape(
        "boosting",
        Parts,
        AfterBoost,
        &[given("positive", Query), given("negative", Query), given("negative_boost", Float)],
    ),
    shape("constant_score", Parts, AfterBoost, &[given("filter", Query)]),
    shape(
        "dis_max",
        Parts,
        BeforeBoost,
        &[always("tie_breaker", Float, "0.0"), always("queries", Queries, "[]").late()],
    ),
    shape(
        "function_score",
        Parts,
        AfterBoost,
        &[
            always("query", Query, MATCH_ALL),
            // Those that are given are not written.
            always("functions", Raw, "[]").called(&[""]),
            always("score_mode", Lower, r#""multiply""#),
            given("boost_mode", Lower),
            always("max_boost", Float, "3.4028235E38"),
            given("min_score", Float),
        ],
    ),
    shape(
        "script_score",
        Parts,
        AfterBoost,
        &[given("query", Query), given("script", Script), given("min_score", Float)],
    ),
    shape("script", Parts, AfterBoost, &[given("script", Script)]),
    shape(
        "more_like_this",
        Parts,
        AfterBoost,
        &[
            given("fields", List),
            given("like", List),
            given("unlike", List),
            always("max_query_terms", Int, "25"),
            always("min_term_freq", Int, "2"),
            always("min_doc_freq", Int, "5"),
            always("max_doc_freq", Int, "2147483647"),
            always("min_word_length", Int, "0"),
            always("max_word_length", Int, "0"),
            given("stop_words", List).late(),
            given("analyzer", Raw),
            always("minimum_should_match", Text, r#""30%""#),
            always("boost_terms", Float, "0.0"),
            always("include", Bool, "false"),
            always("fail_on_unsupported_field", Bool, "true"),
        ],
    ),
    shape(
        "distance_feature",
        Parts,
        InOrder,
        // They are what it is made of, wherever they stand.
        &[given("field", Raw), given("origin", Text), given("pivot", Raw)],
    ),
    shape("span_term", OF_FIELD, AfterBoost, &[given("value", Raw).called(&["value", "term"])]),
    shape("span_or", Parts, AfterBoost, &[given("clauses", Queries)]),
    shape(
        "span_near",
        Parts,
        AfterBoost,
        &[given("clauses", Queries), always("slop", Int, "0"), always("in_order", Bool, "true")],
    ),
    shape(
        "span_not",
        Parts,
        AfterBoost,
        &[given("include", Query), given("exclude", Query), always("pre", Int, "0"), always("post", Int, "0")],
    ),
    shape("span_first", Parts, AfterBoost, &[given("match", Query), given("end", Int)]),
    shape("span_multi", Parts, AfterBoost, &[given("match", Query)]),
    shape("span_containing", Parts, AfterBoost, &[given("big", Query), given("little", Query)]),
    shape("span_within", Parts, AfterBoost, &[given("big", Query), given("little", Query)]),
    Shape {
        name: Some("span_field_masking"),
        ..shape("field_masking_span", Parts, AfterBoost, &[given("query", Query), given("field", Raw)])
    },
];

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

    fn field(&self, names: &[&str], late: bool) -> Option<&Field<'a>> {
        let (cut, in_order) = (self.boost_at.is_some(), self.shape.named == InOrder);
        let known = |field: &&Field<'a>| match self.boost_at {
            Some(boost) if in_order && self.shape.kind != "distance_feature" => field.key_pos < boost,
            _ => !(cut && late),
        };
        self.fields.iter().rfind(|field| names.contains(&field.key)).filter(known)
    }

    fn part(&self, part: &Part) -> Option<&Field<'a>> {
        self.field(part.names(), part.after_boost).filter(|field| !field.node.value.is_null())
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
        if let Some(name) = self.field(&["_name"], self.shape.named == AfterBoost) {
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
        w.key(self.key);
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
            RegexpFlags => _ = w.i64(regexp_flags(&node.text().ok()?)?),
            SimpleFlags => {
                _ = w.i64(match node.value {
                    Value::String(text) => Flags::of(text).ok()?.bits(),
                    _ => node.i64().ok()?,
                });
            }
            Fields => {
                w.begin_array();
                for item in node.items_or_self() {
                    let (name, boost) = field_and_boost(&item.text().ok()?).ok()?;
                    w.string(&format!("{name}^{}", float_text(boost)));
                }
                w.end_array();
            }
            Sorted => {
                let mut texts = node.items_or_self().iter().map(Node::text).collect::<Result<Vec<_>, _>>().ok()?;
                texts.sort_unstable();
                w.begin_array();
                texts.iter().for_each(|text| _ = w.string(text));
                w.end_array();
            }
            List => {
                w.begin_array();
                node.items_or_self().iter().for_each(|item| _ = w.value(item.value));
                w.end_array();
            }
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

/// The bits of the parts of regular expressions that are on.
fn regexp_flags(names: &str) -> Option<i64> {
    names.split('|').try_fold(0, |bits, name| {
        let bit = match name.to_ascii_uppercase().as_str() {
            "NONE" | "" => 0,
            "INTERSECTION" => 1,
            "COMPLEMENT" => 2,
            "EMPTY" => 4,
            "ANYSTRING" => 8,
            "AUTOMATON" => 16,
            "INTERVAL" => 32,
            "ALL" => 255,
            number => number.parse().ok()?,
        };
        Some(bits | bit)
    })
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
        assert_eq!(regexp_flags("INTERVAL|empty"), Some(36));
        assert_eq!(regexp_flags("x"), None);
    }
}
