//! `combined_fields`: the terms of a text in several fields that count as one.

use super::bool_query::too_many;
use super::declared::{Declared, NUMERIC, SCALAR, STRING, STRINGS, texts};
use super::graph::{Graph, Path, Stretch};
use super::minimum_should_match::minimum;
use super::multi_match::{Given, field_and_boost, resolve};
use super::node::{Common, Node};
use super::text::Operator;
use super::{Kind, PlanContext, Query};
use crate::analysis::Analyzer;
use crate::error::{Error, Result};
use crate::json::Value;
use crate::score::{self, BoolPlan, Plan};
use indexmap::IndexMap;
use std::collections::BTreeSet;
use std::sync::Arc;

#[derive(Debug)]
struct CombinedFields {
    query: Value,
    fields: Vec<(String, f32)>,
    operator: Operator,
    minimum_should_match: Option<String>,
}

const PARSER: Declared = Declared {
    name: "combined_fields",
    fields: &[
        ("query", STRING),
        ("fields", STRINGS),
        ("operator", STRING),
        ("minimum_should_match", SCALAR),
        ("boost", NUMERIC),
        ("_name", STRING),
    ],
};

pub fn parse(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let (mut query, mut fields, mut operator, mut minimum_should_match) = (None, vec![], Operator::Or, None);
    for field in node.fields() {
        match field.key {
            "query" => query = Some(PARSER.read(&field, |node| Ok(node.value.clone()))?),
            "fields" => {
                // Of one name the last weight counts.
                let read: IndexMap<_, _> =
                    PARSER.read(&field, |node| texts(node)?.iter().map(|text| field_and_boost(text)).collect())?;
                fields = read.into_iter().collect();
            }
            "operator" => operator = PARSER.read(&field, Operator::parse)?,
            "minimum_should_match" if field.node.value.is_null() => minimum_should_match = None,
            "minimum_should_match" => minimum_should_match = Some(PARSER.read(&field, |node| node.text())?),
            _ => PARSER.read_common(&field, &mut common)?,
        }
    }
    let query = query.ok_or_else(|| Error::illegal_argument("Required [query]"))?;
    Ok(Query::new(common, CombinedFields { query, fields, operator, minimum_should_match }))
}

/// Fields with their weights, and the analyzer that all of them have.
type Resolved = (Vec<(Arc<str>, f32)>, Option<Arc<Analyzer>>);

impl CombinedFields {
    /// The fields that there are, and what analyzes texts for all of them.
    fn resolved(&self, cx: &PlanContext) -> Result<Resolved> {
        let (resolved, _) = resolve(cx, &self.fields, Given::Sorted);
        super::bool_query::check_clauses(cx, resolved.len())?;
        let mut fields: Vec<(Arc<str>, f32)> = vec![];
        let mut analyzers = vec![];
        for (name, boost) in resolved {
            let Some(field) = cx.field(&name) else { continue };
            if field.type_name != "text" {
                return Err(Error::illegal_argument(format!(
                    "Field [{}] of type [{}] does not support [combined_fields] queries",
                    field.name, field.type_name
                )));
            }
            analyzers.extend(field.search_analyzer().cloned());
            fields.push((name, boost));
        }
        // Of what kinds the fields are is told first.
        if analyzers.windows(2).any(|pair| pair[0].name() != pair[1].name()) {
            let reason = "All fields in [combined_fields] query must have the same search analyzer";
            return Err(Error::illegal_argument(reason));
        }
        Ok((fields, analyzers.pop()))
    }

    /// Matches nothing since none of the fields is there.
    fn unmapped(&self) -> Plan {
        let names: BTreeSet<&str> = self.fields.iter().map(|(name, _)| name.as_str()).collect();
        let names: Vec<&str> = names.into_iter().collect();
        Plan::nothing(format!("unmapped fields [{}]", names.join(", ")))
    }
}

/// A way through synonyms: all of its terms.
fn way(path: Path, one: &dyn Fn(Vec<String>) -> BoolPlan) -> Plan {
    let mut terms: Vec<BoolPlan> = path.into_iter().map(|(_, term)| one(vec![term])).collect();
    match terms.len() {
        1 => Plan::Bool(terms.remove(0)),
        _ => {
            let must = terms.into_iter().map(Plan::Bool).collect();
            Plan::Bool(BoolPlan { must, ..BoolPlan::default() })
        }
    }
}

impl Kind for CombinedFields {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        // Without a list no field is meant, not the default ones.
        if self.fields.is_empty() {
            return Ok(self.unmapped());
        }
        let (mut fields, analyzer) = self.resolved(cx)?;
        let Some(analyzer) = analyzer else { return Ok(self.unmapped()) };
        fields.sort_by(|a, b| a.0.cmp(&b.0));
        let is_and = self.operator == Operator::And;
        let joined = |clauses: Vec<Plan>| match is_and {
            true => BoolPlan { must: clauses, ..BoolPlan::default() },
            false => BoolPlan { should: clauses, ..BoolPlan::default() },
        };
        let combined =
            |term: String| Plan::custom(score::CombinedFields { fields: fields.clone(), term: term.into_bytes() });
        // A position is a boolean of its own, of a clause for each of its terms, however often one stands there.
        let one = |terms: Vec<String>| joined(terms.into_iter().map(combined).collect());
        let alternatives = |paths: Vec<Path>| BoolPlan {
            should: paths.into_iter().map(|path| way(path, &one)).collect(),
            ..BoolPlan::default()
        };
        let graph = Graph::new(&analyzer, &self.query.to_text());
        let stretches = graph.stretches(cx.limits.max_clause_count).ok_or_else(|| too_many(cx))?;
        let alone = stretches.len() == 1;
        let mut clauses: Vec<BoolPlan> = (stretches.into_iter())
            .map(|stretch| match stretch {
                Stretch::Terms(terms) => one(terms),
                Stretch::Paths(paths) if alone => joined(vec![Plan::Bool(alternatives(paths))]),
                Stretch::Paths(paths) => alternatives(paths),
            })
            .collect();
        super::bool_query::check_clauses(cx, clauses.len())?;
        // Weights are looked at where the first term meets them.
        if !clauses.is_empty() && fields.iter().any(|(_, weight)| *weight < 1.0) {
            return Err(Error::illegal_argument("weight must be greater or equal to 1"));
        }
        let mut plan = match clauses.len() {
            0 => return Ok(Plan::nothing("Matching no documents because no terms present")),
            1 => clauses.remove(0),
            _ => joined(clauses.into_iter().map(Plan::Bool).collect()),
        };
        if let Some(spec) = &self.minimum_should_match {
            plan.minimum_should_match = minimum(plan.should.len(), spec)?;
        }
        Ok(Plan::Bool(plan))
    }
}
