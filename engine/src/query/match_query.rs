//! `match`: analysed text, any or all of its terms. Also the parsing of the keys that the match family shares.

use super::fuzziness::Fuzziness;
use super::fuzzy::{NEGATIVE_PREFIX, NO_EXPANSIONS};
use super::node::{Common, Node, multiple_fields, unsupported};
use super::rewrite::Rewrite;
use super::text::{Operator, Shape, TextOptions, ZeroTerms, text_plan};
use super::{Kind, PlanContext, Query};
use crate::deprecated::note;
use crate::error::{Error, Result};
use crate::json::Value;
use crate::score::Plan;

#[derive(Debug)]
pub struct Match {
    field: String,
    value: Value,
    shape: Shape,
    options: TextOptions,
}

/// The keys a kind accepts beside `query`, `boost` and `_name`.
const KEYS: &[&str] = &[
    "analyzer",
    "operator",
    "minimum_should_match",
    "fuzziness",
    "prefix_length",
    "max_expansions",
    "fuzzy_transpositions",
    "fuzzy_rewrite",
    "cutoff_frequency",
    "lenient",
    "zero_terms_query",
    "auto_generate_synonyms_phrase_query",
];

pub fn parse(node: Node) -> Result<Query> {
    parse_match(node, "match", Shape::Boolean, KEYS)
}

/// `{"field": text}` or `{"field": {"query": text, …}}`.
pub fn parse_match(node: Node, kind: &'static str, shape: Shape, keys: &[&str]) -> Result<Query> {
    let mut common = Common::default();
    let mut options = TextOptions::new(kind);
    let mut found: Option<(String, Option<Value>)> = None;
    for field in node.fields() {
        if let Some((first, _)) = &found {
            return Err(multiple_fields(field.node, kind, first, field.key));
        }
        let Value::Object(_) = field.node.value else {
            let value = if field.node.value.is_null() { None } else { Some(scalar(field.node)?) };
            found = Some((field.key.to_owned(), value));
            continue;
        };
        let mut value = None;
        for inner in field.node.fields() {
            if matches!(inner.node.value, Value::Object(_) | Value::Array(_) | Value::Null) {
                let token = inner.node.token();
                return Err(inner.node.error(format!("[{kind}] unknown token [{token}] after [{}]", inner.key)));
            }
            match inner.key {
                "query" => value = Some(inner.node.value.clone()),
                key if keys.contains(&key) => take_option(&mut options, key, inner.node)?,
                key if common.take(key, inner.node)? => {}
                key => return Err(unsupported(inner.node, kind, key)),
            }
        }
        found = Some((field.key.to_owned(), value));
    }
    match found {
        Some((field, _)) if field.is_empty() && matches!(kind, "match_phrase" | "match_bool_prefix") => {
            Err(Error::illegal_argument(format!("[{kind}] requires fieldName")))
        }
        Some((field, Some(value))) => {
            options.check_late(&["slop", "prefix_length", "max_expansions"])?;
            Ok(Query::new(common, Match { field, value, shape, options }))
        }
        None if kind != "match" => Err(Error::illegal_argument(format!("[{kind}] requires fieldName"))),
        Some(_) if kind != "match" => Err(Error::illegal_argument(format!("[{kind}] requires query value"))),
        _ => Err(node.error_at_end("No text specified for text query")),
    }
}

fn scalar(node: Node) -> Result<Value> {
    node.text()?;
    Ok(node.value.clone())
}

/// Sets one option of the match family.
pub fn take_option(options: &mut TextOptions, key: &str, node: Node) -> Result<()> {
    match key {
        "analyzer" => options.analyzer = Some(node.text()?),
        "operator" | "default_operator" => options.operator = Operator::parse(node)?,
        "minimum_should_match" => options.minimum_should_match = Some(node.text()?),
        "fuzziness" => options.fuzziness = Some(Fuzziness::parse(node)?),
        "prefix_length" => {
            let length = usize::try_from(node.i32()?).map_err(|_| {
                Error::illegal_argument(match options.query_name {
                    "multi_match" => "No negative prefix length allowed.".to_owned(),
                    name => format!("[{name}] requires prefix length to be non-negative."),
                })
            });
            options.prefix_length = options.late("prefix_length", length);
        }
        "max_expansions" => {
            let most = expansions(options.query_name, node.i32()?);
            options.max_expansions = options.late("max_expansions", most);
        }
        // Of these two the one that is looked at first is told.
        "fuzzy_prefix_length" => match usize::try_from(node.i32()?) {
            Ok(length) => options.prefix_length = length,
            Err(_) => options.refused_fuzzy = Some(NEGATIVE_PREFIX),
        },
        "fuzzy_max_expansions" => match usize::try_from(node.i32()?) {
            Ok(most @ 1..) => options.max_expansions = most,
            _ => options.refused_fuzzy = options.refused_fuzzy.or(Some(NO_EXPANSIONS)),
        },
        "fuzzy_transpositions" => options.transpositions = node.bool()?,
        "fuzzy_rewrite" => options.fuzzy_rewrite = Rewrite::parse(node)?,
        "slop" => {
            let slop = u32::try_from(node.i32()?).map_err(|_| Error::illegal_argument("No negative slop allowed."));
            options.slop = options.late("slop", slop);
        }
        // It once kept frequent terms apart, and does nothing any more.
        "cutoff_frequency" => {
            note(MATCH_CUTOFF_DEPRECATED);
            node.f32()?;
        }
        "lenient" => options.lenient = node.bool()?,
        "zero_terms_query" => options.zero_terms = ZeroTerms::parse(node)?,
        "auto_generate_synonyms_phrase_query" => options.synonyms_as_phrases = node.bool()?,
        _ => return Err(unsupported(node, options.query_name, key)),
    }
    Ok(())
}

const MATCH_CUTOFF_DEPRECATED: &str = "Deprecated field [cutoff_frequency] used, replaced by [you can omit this option, the \
     [match] query can skip block of documents efficiently if the total number of hits is not tracked]";

/// How many words others may stand for, as the query of a name takes it.
fn expansions(query_name: &str, most: i32) -> Result<usize> {
    let refused = match query_name {
        "match_phrase_prefix" if most >= 0 => return Ok(most as usize),
        "match_phrase_prefix" => "No negative maxExpansions allowed.".to_owned(),
        _ if most > 0 => return Ok(most as usize),
        "multi_match" => "Max expansions must be strictly great than zero.".to_owned(),
        name => format!("[{name}] requires maxExpansions to be positive."),
    };
    Err(Error::illegal_argument(refused))
}

impl Kind for Match {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        self.options.fuzzy_rewrite.check()?;
        text_plan(cx, self.shape, &self.field, &self.value, &self.options)
    }
}
