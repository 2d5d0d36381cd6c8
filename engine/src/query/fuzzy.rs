//! `fuzzy`: documents with a term within an edit distance.

use super::fuzziness::{AUTO, Fuzziness};
use super::node::{Common, Node, multiple_fields, multiple_fields_at, unsupported};
use super::rewrite::Rewrite;
use super::term_scan::{FuzzyOptions, rewritten_fuzzy, written_term};
use super::{Kind, PlanContext, Query, Sought, SoughtValues};
use super::{can_match, fields};
use crate::error::{Error, Result};
use crate::json::Value;
use crate::mapping::Family;
use crate::score::Plan;

/// What a fuzzy word refuses, the first of them before the other.
pub const NEGATIVE_PREFIX: &str = "prefixLength cannot be negative.";
pub const NO_EXPANSIONS: &str = "maxExpansions must be positive.";

#[derive(Debug)]
struct Fuzzy {
    field: String,
    value: String,
    fuzziness: Fuzziness,
    prefix_length: usize,
    max_expansions: usize,
    /// What is wrong with the lengths that were given.
    refused: Option<&'static str>,
    transpositions: bool,
    rewrite: Rewrite,
}

pub fn parse(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let mut found: Option<(Fuzzy, Option<String>)> = None;
    for field in node.fields() {
        if let Some((first, _)) = &found {
            return Err(multiple_fields(field.node, "fuzzy", &first.field, field.key));
        }
        found = Some(parse_field(field.key, field.node, &mut common)?);
    }
    let found = found.filter(|(fuzzy, _)| !fuzzy.field.is_empty());
    let (mut fuzzy, value) = found.ok_or_else(|| Error::illegal_argument("field name cannot be null or empty"))?;
    fuzzy.value = value.ok_or_else(|| Error::illegal_argument("query value cannot be null"))?;
    Ok(Query::new(common, fuzzy))
}

/// What a field is asked for, and the value, if there is one.
fn parse_field(name: &str, node: Node, common: &mut Common) -> Result<(Fuzzy, Option<String>)> {
    let mut fuzzy = Fuzzy {
        field: name.to_owned(),
        value: String::new(),
        fuzziness: AUTO,
        prefix_length: 0,
        max_expansions: 50,
        refused: None,
        transpositions: true,
        rewrite: Rewrite::Default,
    };
    let mut value = None;
    match node.value {
        Value::Object(_) => {
            for inner in node.fields() {
                if matches!(inner.node.value, Value::Array(_) | Value::Object(_) | Value::Null) {
                    let (token, key) = (inner.node.token(), inner.key);
                    return Err(inner.node.error(format!("[fuzzy] unexpected token [{token}] after [{key}]")));
                }
                match inner.key {
                    "term" | "value" => value = Some(inner.node.text()?),
                    "fuzziness" => fuzzy.fuzziness = Fuzziness::parse(inner.node)?,
                    "prefix_length" => match usize::try_from(inner.node.i32()?) {
                        Ok(length) => fuzzy.prefix_length = length,
                        Err(_) => fuzzy.refused = Some(NEGATIVE_PREFIX),
                    },
                    "max_expansions" => match usize::try_from(inner.node.i32()?) {
                        Ok(most @ 1..) => fuzzy.max_expansions = most,
                        _ => fuzzy.refused = fuzzy.refused.or(Some(NO_EXPANSIONS)),
                    },
                    "transpositions" => fuzzy.transpositions = inner.node.bool()?,
                    "rewrite" => fuzzy.rewrite = Rewrite::parse(inner.node)?,
                    key if common.take(key, inner.node)? => {}
                    key => return Err(unsupported(inner.node, "fuzzy", key)),
                }
            }
        }
        Value::Array(_) => {
            let second = if matches!(node.items().next().map(|item| item.value), None | Some(Value::Object(_))) {
                name
            } else {
                "null"
            };
            return Err(multiple_fields_at(node, "fuzzy", name, second));
        }
        Value::Null => {}
        _ => value = Some(node.text()?),
    }
    Ok((fuzzy, value))
}

impl Kind for Fuzzy {
    fn sought(&self) -> Option<Sought<'_>> {
        Some(Sought { field: &self.field, values: SoughtValues::Other })
    }

    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        let Some(field) = cx.field(&self.field) else {
            return Ok(fields::rewritten_to_none());
        };
        self.rewrite.check()?;
        let fuzzy = field.constant().is_none() && field.type_name != "wildcard";
        if let Err(error) = fields::check_has_terms(cx, field, "fuzzy") {
            // Which texts can be found at all is looked at by their own types.
            let of_texts = matches!(field.family(), Family::Text | Family::Keyword | Family::SemanticVersion);
            return Err(if of_texts { error } else { fields::no_fuzzy(field) });
        }
        if !fuzzy {
            return Err(fields::no_fuzzy(field));
        }
        cx.check_expensive("[fuzzy] queries", "")?;
        if let Some(reason) = self.refused {
            return Err(Error::illegal_argument(reason));
        }
        let options = FuzzyOptions {
            edits: self.fuzziness.edits(&written_term(field, &self.value)),
            prefix_length: self.prefix_length,
            max_expansions: self.max_expansions,
            transpositions: self.transpositions,
        };
        // How much may differ follows from the text as it was given, what it differs from is normalized.
        match field.terms_elsewhere() {
            None => rewritten_fuzzy(cx, field, &fields::indexed_text(field, &self.value), options, &self.rewrite),
            Some(_) => rewritten_fuzzy(cx, field, &self.value, options, &self.rewrite),
        }
    }

    fn can_match(&self, cx: &PlanContext) -> bool {
        can_match::leaf(self.plan(cx), cx)
    }

    fn takes_best_terms(&self) -> bool {
        use Rewrite::{Default, TopTerms, TopTermsBlended, TopTermsBoost};
        matches!(self.rewrite, Default | TopTerms(_) | TopTermsBoost(_) | TopTermsBlended(_))
    }

    fn is_multi_term(&self) -> bool {
        true
    }

    fn is_replaced_on_shard(&self, cx: &PlanContext) -> bool {
        cx.field(&self.field).is_none()
    }
}
