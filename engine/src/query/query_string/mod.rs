//! `query_string` and `?q=`: the query syntax of Lucene.
//!
//! - `lexer`, `parser`: text to a tree. - `build`: the tree to a plan, by the fields of a mapping.

mod build;
mod lexer;
mod parser;
mod range;

use super::fuzziness::Fuzziness;
use super::multi_match::{Type, check_boosts, fields_and_boosts};
use super::node::{Common, Node, unsupported};
use super::rewrite::Rewrite;
use super::text::{Operator, TextOptions};
use super::written;
use super::{Kind, PlanContext, Query};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::score::Plan;

/// The parameters of a query string.
#[derive(Clone, Debug)]
pub struct QueryString {
    pub query: String,
    pub default_field: Option<String>,
    pub fields: Vec<(String, f32)>,
    pub default_operator: Operator,
    pub analyze_wildcard: bool,
    pub allow_leading_wildcard: Option<bool>,
    pub lenient: Option<bool>,
    pub kind: Type,
    pub tie_breaker: Option<f32>,
    pub fuzziness: Option<Fuzziness>,
    pub time_zone: Option<String>,
    pub minimum_should_match: Option<String>,
    pub quote_analyzer: Option<String>,
    pub quote_field_suffix: Option<String>,
    /// Of a negative one only phrases complain.
    pub phrase_slop: i32,
    pub rewrite: Rewrite,
    pub escape: bool,
    pub max_determinized_states: usize,
    pub options: TextOptions,
}

impl QueryString {
    pub fn new(query: impl Into<String>) -> Self {
        Self {
            query: query.into(),
            default_field: None,
            fields: Vec::new(),
            default_operator: Operator::Or,
            analyze_wildcard: false,
            allow_leading_wildcard: None,
            lenient: None,
            kind: Type::BestFields,
            tie_breaker: None,
            fuzziness: None,
            time_zone: None,
            minimum_should_match: None,
            quote_analyzer: None,
            quote_field_suffix: None,
            phrase_slop: 0,
            rewrite: Rewrite::Default,
            escape: false,
            max_determinized_states: crate::regexp::MAX_STATES,
            options: TextOptions::new("query_string"),
        }
    }

    pub fn into_query(self) -> Query {
        Query::new(Common::default(), self)
    }
}

/// A query from the parameters `q`, `df`, `analyzer`, `analyze_wildcard`, `default_operator` and `lenient` of a URL.
/// None without `q`.
pub fn from_params(params: &[(String, String)]) -> Result<Option<Query>> {
    let get = |name: &str| params.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    let Some(text) = get("q") else { return Ok(None) };
    let mut query = QueryString::new(text);
    query.default_field = get("df").map(str::to_owned);
    query.options.analyzer = get("analyzer").map(str::to_owned);
    if let Some(operator) = get("default_operator") {
        query.default_operator = Operator::of(operator)?;
    }
    if let Some(value) = get("analyze_wildcard") {
        query.analyze_wildcard = bool_param(value)?;
    }
    // One without a value says nothing here, where others are meant to be true.
    query.lenient = get("lenient").filter(|value| !value.trim().is_empty()).map(bool_param).transpose()?;
    Ok(Some(query.into_query()))
}

fn bool_param(value: &str) -> Result<bool> {
    match value {
        "true" | "" => Ok(true),
        "false" => Ok(false),
        other => Err(Error::illegal_argument(format!(
            "Failed to parse value [{other}] as only [true] or [false] are allowed."
        ))),
    }
}

pub fn parse_node(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let mut parsed = QueryString::new("");
    let mut text = None;
    for field in node.fields() {
        let inner = field.node;
        match (field.key, inner.value) {
            ("fields", Value::Array(_)) => {
                let name = |item: Node| match item.value {
                    Value::Null => Err(item.error("[query_string] field name in [fields] cannot be null")),
                    _ => item.text(),
                };
                let texts = inner.items().map(name).collect::<Result<Vec<_>>>()?;
                parsed.fields = fields_and_boosts(&texts, inner)?;
            }
            (key, Value::Array(_)) => return Err(unsupported(inner, "query_string", key)),
            (key, Value::Object(_) | Value::Null) => {
                return Err(inner.error(format!("[query_string] unknown token [{}] after [{key}]", inner.token())));
            }
            ("query", _) => text = Some(inner.text()?),
            (key, _) if common.take(key, inner)? => {}
            (key, _) => take(&mut parsed, key, inner)?,
        }
    }
    parsed.query = text.ok_or_else(|| node.error_at_end("[query_string] must be provided with a [query]"))?;
    if let Some(zone) = &parsed.time_zone {
        // Here nobody says that it is the request that is wrong.
        crate::mapping::date::Zone::parse(zone)
            .map_err(|error| error.cause().cloned().unwrap_or(error).with_status(500))?;
    }
    parsed.options.check_late(&["max_determinized_states"])?;
    check_boosts(&parsed.fields, || written::with_text("query_string", &Value::from(parsed.query.as_str())))?;
    Ok(Query::new(common, parsed))
}

fn take(parsed: &mut QueryString, key: &str, node: Node) -> Result<()> {
    use super::match_query::take_option;
    match key {
        "default_field" => parsed.default_field = Some(node.text()?),
        "default_operator" => parsed.default_operator = Operator::parse(node)?,
        "analyze_wildcard" => parsed.analyze_wildcard = node.bool()?,
        "allow_leading_wildcard" => parsed.allow_leading_wildcard = Some(node.bool()?),
        "lenient" => parsed.lenient = Some(node.bool()?),
        "type" => parsed.kind = Type::of(&node.text()?).map_err(|error| error.at(node.pos()))?,
        "tie_breaker" => parsed.tie_breaker = Some(node.f32()?),
        "fuzziness" => parsed.fuzziness = Some(Fuzziness::parse(node)?),
        "time_zone" => {
            parsed.time_zone = Some(node.text()?);
        }
        "minimum_should_match" => parsed.minimum_should_match = Some(node.text()?),
        "quote_analyzer" => parsed.quote_analyzer = Some(node.text()?),
        "quote_field_suffix" => parsed.quote_field_suffix = Some(node.text()?),
        "phrase_slop" => {
            parsed.phrase_slop = node.i32()?;
        }
        "analyzer"
        | "fuzzy_prefix_length"
        | "fuzzy_max_expansions"
        | "fuzzy_transpositions"
        | "fuzzy_rewrite"
        | "auto_generate_synonyms_phrase_query" => {
            take_option(&mut parsed.options, key, node)?;
        }
        // It makes no difference to what is analysed.
        "enable_position_increments" => _ = node.bool()?,
        "escape" => parsed.escape = node.bool()?,
        "max_determinized_states" => {
            let given = node.i32()?;
            let states = usize::try_from(given).map_err(|_| {
                let reason = format!("[query_string] max_determinized_states cannot be negative but was [{given}]");
                Error::illegal_argument(reason)
            });
            parsed.max_determinized_states = parsed.options.late("max_determinized_states", states);
        }
        "rewrite" => parsed.rewrite = Rewrite::parse(node)?,
        _ => return Err(unsupported(node, "query_string", key)),
    }
    Ok(())
}

impl Kind for QueryString {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        self.rewrite.check()?;
        self.options.fuzzy_rewrite.check()?;
        if self.default_field.is_some() && !self.fields.is_empty() {
            return Err(Error::new(
                ErrorKind::QueryValidation,
                "Validation Failed: 1: [query_string] cannot use [fields] parameter in conjunction with [default_field];",
            ));
        }
        build::plan(cx, self)
    }
}
