//! `simple_query_string`: a small syntax that no text is an error of.
//!
//! - `parser`: text to a tree. - `build`: the tree to a plan.

mod build;
mod parser;

use super::match_query::take_option;
use super::multi_match::{check_boosts, fields_and_boosts};
use super::node::{Common, Node, unsupported};
use super::text::{Operator, TextOptions};
use super::written;
use super::{Kind, PlanContext, Query};
use crate::deprecated::note;
use crate::error::Result;
use crate::json::Value;
use crate::score::Plan;
pub use parser::Flags;

#[derive(Debug)]
struct SimpleQueryString {
    query: String,
    fields: Vec<(String, f32)>,
    flags: Flags,
    default_operator: Operator,
    lenient: Option<bool>,
    analyze_wildcard: bool,
    minimum_should_match: Option<String>,
    quote_field_suffix: Option<String>,
    options: TextOptions,
}

pub fn parse(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let mut parsed = SimpleQueryString {
        query: String::new(),
        fields: vec![],
        flags: Flags::ALL,
        default_operator: Operator::Or,
        lenient: None,
        analyze_wildcard: false,
        minimum_should_match: None,
        quote_field_suffix: None,
        options: TextOptions::new("simple_query_string"),
    };
    let mut query = None;
    for field in node.fields() {
        let inner = field.node;
        match (field.key, inner.value) {
            ("fields", Value::Array(_)) => {
                let texts = inner.items().map(|item| item.text()).collect::<Result<Vec<_>>>()?;
                parsed.fields = fields_and_boosts(&texts, inner)?;
            }
            (key, Value::Array(_)) => return Err(unsupported(inner, "simple_query_string", key)),
            (key, Value::Object(_) | Value::Null) => {
                return Err(
                    inner.error(format!("[simple_query_string] unknown token [{}] after [{key}]", inner.token()))
                );
            }
            ("query", _) => query = Some(inner.text()?),
            ("flags", Value::Int(_) | Value::UInt(_) | Value::BigInt(_) | Value::Float(_)) => {
                parsed.flags = Flags::of_bits(inner.i32()?.into());
            }
            ("flags", _) => {
                parsed.flags = Flags::of(&inner.text()?).map_err(|error| error.at(inner.pos()))?;
            }
            ("default_operator", _) => parsed.default_operator = Operator::parse(inner)?,
            ("locale" | "lowercase_expanded_terms", _) => note_old(field.key, "Decision is now made by the analyzer"),
            ("all_fields", _) => note_old("all_fields", "Set [fields] to `*` instead"),
            ("lenient", _) => parsed.lenient = Some(inner.bool()?),
            ("analyze_wildcard", _) => parsed.analyze_wildcard = inner.bool()?,
            ("minimum_should_match", _) => parsed.minimum_should_match = Some(inner.text()?),
            ("quote_field_suffix", _) => parsed.quote_field_suffix = Some(inner.text()?),
            (
                key @ ("analyzer"
                | "auto_generate_synonyms_phrase_query"
                | "fuzzy_prefix_length"
                | "fuzzy_max_expansions"
                | "fuzzy_transpositions"),
                _,
            ) => take_option(&mut parsed.options, key, inner)?,
            (key, _) if common.take(key, inner)? => {}
            (key, _) => return Err(inner.error(format!("[simple_query_string] unsupported field [{key}]"))),
        }
    }
    parsed.query = query.ok_or_else(|| node.error_at_end("[simple_query_string] query text missing"))?;
    check_boosts(&parsed.fields, || written::with_text("simple_query_string", &Value::from(parsed.query.as_str())))?;
    Ok(Query::new(common, parsed))
}

/// Notes what once was an option and says nothing any more.
fn note_old(option: &str, instead: &str) {
    note(format!("Deprecated field [{option}] used, replaced by [{instead}]"));
}

impl Kind for SimpleQueryString {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        build::plan(cx, self)
    }
}
