//! `terms_set`: documents with as many of some terms as they themselves say.

use super::adapt::adapt;
use super::fields;
use super::function_score::numbers;
use super::node::{Common, Node, unsupported};
use super::script::document_script_of;
use super::terms::{check_values, tokens_of};
use super::{Kind, PlanContext, Query};
use crate::error::{Error, Result};
use crate::json::{Map, Value};
use crate::score::{Covering, Minimum, Plan};
use crate::script::{Script, context};
use std::sync::Arc;

#[derive(Debug)]
struct TermsSet {
    field: String,
    terms: Vec<Value>,
    minimum_field: Option<String>,
    minimum_script: Option<Arc<Script>>,
}

pub fn parse(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let mut found: Option<TermsSet> = None;
    for field in node.fields() {
        if found.is_some() {
            return Err(field.node.error_at(field.key_pos, "[terms_set] unknown token [FIELD_NAME]"));
        }
        if !matches!(field.node.value, Value::Object(_)) {
            return Err(field.node.error(format!("[terms_set] unknown token [{}]", field.node.token())));
        }
        found = Some(parse_field(field.key, field.node, &mut common)?);
    }
    let query = found.ok_or_else(|| node.error_at_end("[terms_set] unknown token [END_OBJECT]"))?;
    Ok(Query::new(common, query))
}

fn parse_field(name: &str, node: Node, common: &mut Common) -> Result<TermsSet> {
    let (mut terms, mut minimum_field, mut minimum_script) = (None, None, None);
    for inner in node.fields() {
        match (inner.key, inner.node.value) {
            ("terms", Value::Array(values)) => {
                check_values(inner.node, "terms_set", "terms")?;
                terms = Some(tokens_of(values));
            }
            ("minimum_should_match_script", Value::Object(_)) => {
                minimum_script = Some(document_script_of(inner.node, "terms-set-query-script")?);
            }
            (key, Value::Null) => {
                return Err(inner.node.error(format!("[terms_set] unknown token [VALUE_NULL] after [{key}]")));
            }
            (key, Value::Array(_) | Value::Object(_)) => {
                return Err(unsupported(inner.node, "terms_set", key));
            }
            ("minimum_should_match_field", _) => minimum_field = Some(inner.node.text()?),
            (key, _) if common.take(key, inner.node)? => {}
            (key, _) => return Err(unsupported(inner.node, "terms_set", key)),
        }
    }
    // Without terms there is nothing to find.
    let terms = terms.unwrap_or_default();
    if minimum_field.is_some() && minimum_script.is_some() {
        let reason = "A field has already been specified. Cannot specify both a field and script";
        return Err(Error::illegal_argument(reason));
    }
    Ok(TermsSet { field: name.to_owned(), terms, minimum_field, minimum_script })
}

impl Kind for TermsSet {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        if self.terms.is_empty() {
            return Ok(Plan::nothing("No terms supplied for \"terms_set\" query."));
        }
        super::bool_query::check_clauses(cx, self.terms.len())?;
        let queries = (self.terms.iter())
            .map(|value| match cx.field(&self.field) {
                Some(field) => match fields::term(cx, field, value)? {
                    // Nothing has rewritten it: it is asked of the field right away.
                    none if fields::is_rewritten_to_none(&none) => Ok(Plan::nothing("")),
                    plan => adapt(plan, cx),
                },
                None => Ok(Plan::Term { field: self.field.as_str().into(), term: value.to_text().into_bytes() }),
            })
            .collect::<Result<_>>()?;
        Ok(Plan::custom(Covering { queries, minimum: self.minimum(cx)? }))
    }
}

impl TermsSet {
    /// How a document says how many terms are enough.
    fn minimum(&self, cx: &PlanContext) -> Result<Minimum> {
        if let Some(script) = &self.minimum_script {
            let mut params = match &script.params {
                Value::Object(map) => map.clone(),
                _ => Map::new(),
            };
            params.insert("num_terms", self.terms.len() as i64);
            script.check(&context::TERMS_SET, cx.mapping)?;
            let script = Arc::new(script.with_params(Value::Object(params)));
            return Ok(Minimum::Script(super::script::bind(&script, cx)));
        }
        let Some(name) = &self.minimum_field else {
            let what = "No minimum should match has been specified";
            return Err(Error::new(crate::error::ErrorKind::IllegalState, what));
        };
        let Some(minimum) = cx.field(name) else {
            return Err(cx.error(format!("failed to find minimum_should_match field [{name}]")));
        };
        Ok(Minimum::Field(numbers(minimum)?))
    }
}
