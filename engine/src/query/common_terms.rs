//! `common`: of the terms of a text the rare ones decide what matches, and the frequent ones only how well.

use super::analyzed::analyze;
use super::minimum_should_match::minimum;
use super::node::{Common, Node, multiple_fields, unsupported};
use super::text::Operator;
use super::{Kind, PlanContext, Query};
use crate::error::{Error, Result};
use crate::json::Value;
use crate::score::{BoolPlan, Plan};
use std::sync::Arc;

#[derive(Debug)]
struct CommonTerms {
    field: String,
    text: String,
    analyzer: Option<String>,
    /// In how many documents a term is frequent: a share of all of them, from 1 on a number.
    cutoff: f32,
    rare: Group,
    frequent: Group,
}

/// How the terms of a kind go together.
#[derive(Debug)]
struct Group {
    operator: Operator,
    minimum_should_match: Option<String>,
}

impl Group {
    const OR: Self = Self { operator: Operator::Or, minimum_should_match: None };

    fn join(&self, terms: Vec<Plan>) -> Result<BoolPlan> {
        if self.operator == Operator::And {
            return Ok(BoolPlan { must: terms, ..BoolPlan::default() });
        }
        let spec = self.minimum_should_match.as_ref().filter(|_| !terms.is_empty());
        let minimum_should_match = spec.map_or(Ok(0), |spec| minimum(terms.len(), spec))?;
        Ok(BoolPlan { should: terms, minimum_should_match, ..BoolPlan::default() })
    }
}

const NAME: &str = "common";

const CUTOFF_DEFAULT: f32 = 0.01;

pub fn parse(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let mut query: Option<CommonTerms> = None;
    let mut text = None;
    for field in node.fields() {
        if let Some(first) = &query {
            return Err(multiple_fields(field.node, NAME, &first.field, field.key));
        }
        let mut terms = CommonTerms {
            field: field.key.to_owned(),
            text: String::new(),
            analyzer: None,
            cutoff: CUTOFF_DEFAULT,
            rare: Group::OR,
            frequent: Group::OR,
        };
        match field.node.value {
            Value::Object(_) => {
                for inner in field.node.fields() {
                    terms.take(inner.key, inner.node, &mut text, &mut common)?;
                }
            }
            _ => text = Some(field.node.text()?),
        }
        query = Some(terms);
    }
    match (query, text) {
        (Some(query), Some(text)) => Ok(Query::new(common, CommonTerms { text, ..query })),
        (Some(_), None) => Err(Error::illegal_argument("text cannot be null")),
        (None, _) => Err(node.error_at_end("No text specified for text query")),
    }
}

impl CommonTerms {
    fn take(&mut self, key: &str, node: Node, text: &mut Option<String>, common: &mut Common) -> Result<()> {
        match (key, node.value) {
            ("minimum_should_match", Value::Object(_)) => {
                for field in node.fields() {
                    if matches!(field.node.value, Value::Object(_) | Value::Array(_) | Value::Null) {
                        let token = field.node.token();
                        let reason = format!("[{NAME}] unexpected token type [{token}] after [{}]", field.key);
                        return Err(field.node.error(reason));
                    }
                    match field.key {
                        "low_freq" => self.rare.minimum_should_match = Some(field.node.text()?),
                        "high_freq" => self.frequent.minimum_should_match = Some(field.node.text()?),
                        key => {
                            let reason = format!("[{NAME}] query does not support [{key}] for [minimum_should_match]");
                            return Err(field.node.error(reason));
                        }
                    }
                }
            }
            (key, Value::Object(_)) => return Err(unsupported(node, NAME, key)),
            // What a list holds is read as if each stood there by itself.
            (key, Value::Array(_)) => {
                for item in node.items() {
                    self.take(key, item, text, common)?;
                }
            }
            ("minimum_should_match", _) => self.rare.minimum_should_match = Some(node.text()?),
            ("query", _) => *text = Some(node.text()?),
            ("analyzer", _) => self.analyzer = Some(node.text()?),
            ("cutoff_frequency", _) => self.cutoff = node.f32()?,
            ("low_freq_operator", _) => self.rare.operator = Operator::parse(node)?,
            ("high_freq_operator", _) => self.frequent.operator = Operator::parse(node)?,
            (key, _) if common.take(key, node)? => {}
            (key, _) => return Err(unsupported(node, NAME, key)),
        }
        Ok(())
    }

    fn terms(&self, cx: &PlanContext, own: Option<&Arc<crate::analysis::Analyzer>>) -> Result<Vec<Vec<u8>>> {
        let named = match &self.analyzer {
            None => None,
            Some(name) => match cx.mapping.analysis().analyzer(name) {
                Some(analyzer) => Some(analyzer),
                None => return Err(cx.error(format!("[{NAME}] analyzer [{name}] not found"))),
            },
        };
        let Some(analyzer) = named.as_ref().or(own) else { return Ok(vec![self.text.clone().into_bytes()]) };
        let places = analyze(analyzer, &self.text).0.into_iter();
        Ok(places.flat_map(|(_, terms)| terms).map(String::into_bytes).collect())
    }

    fn is_frequent(&self, cx: &PlanContext, field: &str, term: &[u8]) -> bool {
        let of_segment = |segment: &crate::segment::Segment| {
            let terms = segment.field(field).and_then(|field| field.terms());
            terms.and_then(|terms| terms.get(term)).map_or(0, |info| u64::from(info.doc_freq))
        };
        let documents: u64 = cx.snapshot.segments.iter().map(|view| of_segment(&view.segment)).sum();
        let share = (self.cutoff * cx.snapshot.max_doc() as f32).ceil();
        (self.cutoff >= 1.0 && documents as f32 > self.cutoff) || documents as f32 > share
    }
}

impl Kind for CommonTerms {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        let field = cx.field(&self.field);
        let terms = self.terms(cx, field.and_then(|field| field.search_analyzer()))?;
        super::bool_query::check_clauses(cx, terms.len())?;
        let Some(field) = field else {
            return Ok(Plan::nothing(format!("unmapped fields [{}]", self.field)));
        };
        let plan = |term: Vec<u8>| Plan::term(&field.name, term);
        let text = terms.iter().map(|term| plan(term.clone()).to_string()).collect::<Vec<_>>().join(", ");
        if let [only] = terms.as_slice() {
            return Ok(plan(only.clone()).written_as(text));
        }
        if terms.is_empty() {
            return Ok(Plan::nothing("CommonTermsQuery with no terms"));
        }
        let (frequent, rare): (Vec<_>, Vec<_>) =
            terms.into_iter().partition(|term| self.is_frequent(cx, &field.name, term));
        let none_is_rare = rare.is_empty();
        let rare = self.rare.join(rare.into_iter().map(plan).collect())?;
        let mut frequent = self.frequent.join(frequent.into_iter().map(plan).collect())?;
        if none_is_rare && frequent.minimum_should_match == 0 {
            // Then all of them have to match: any of them would match nearly everything.
            frequent.must.append(&mut frequent.should);
        }
        let mut whole = BoolPlan::default();
        if !none_is_rare {
            whole.must.push(Plan::Bool(rare));
        }
        if !(frequent.must.is_empty() && frequent.should.is_empty()) {
            whole.should.push(Plan::Bool(frequent));
        }
        Ok(Plan::Bool(whole).written_as(text))
    }
}
