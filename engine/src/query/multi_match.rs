//! `multi_match`: one text in several fields, and the ways to combine them.

use super::analyzed::{Words, analyze};
use super::dis_max::check_tie_breaker;
use super::match_query::take_option;
use super::minimum_should_match::minimum;
use super::node::{Common, Node, is_negative_boost, negative_boost, unsupported};
use super::text::{Operator, Shape, TextOptions, all_of, is_dropped, lenient, named_analyzer, text_plan};
use super::written;
use super::{Kind, PlanContext, Query, fields};
use crate::analysis::Normalizer;
use crate::deprecated::note;
use crate::error::{Error, ErrorKind, Result};
use crate::java_order::{slot, slots_of, sort_by_analyzer, sort_by_slot};
use crate::json::Value;
use crate::mapping::{Family, Field};
use crate::score::{BoolPlan, Plan, blend, float_text};
use indexmap::IndexMap;
use smallvec::smallvec;
use std::sync::Arc;

/// How the fields are combined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Type {
    BestFields,
    MostFields,
    CrossFields,
    Phrase,
    PhrasePrefix,
    BoolPrefix,
}

impl Type {
    pub fn of(text: &str) -> Result<Self> {
        Ok(match text.to_ascii_lowercase().as_str() {
            "best_fields" | "boolean" => Self::BestFields,
            "most_fields" => Self::MostFields,
            "cross_fields" => Self::CrossFields,
            "phrase" => Self::Phrase,
            "phrase_prefix" => Self::PhrasePrefix,
            "bool_prefix" => Self::BoolPrefix,
            _ => {
                return Err(Error::new(
                    ErrorKind::Parse,
                    format!("failed to parse [multi_match] query type [{text}]. unknown type."),
                ));
            }
        })
    }

    pub fn tie_breaker(self) -> f32 {
        if matches!(self, Self::MostFields | Self::BoolPrefix) { 1.0 } else { 0.0 }
    }

    pub fn shape(self) -> Shape {
        match self {
            Self::Phrase => Shape::Phrase,
            Self::PhrasePrefix => Shape::PhrasePrefix,
            Self::BoolPrefix => Shape::BooleanPrefix,
            _ => Shape::Boolean,
        }
    }
}

#[derive(Debug)]
struct MultiMatch {
    fields: Vec<(String, f32)>,
    value: Value,
    kind: Type,
    tie_breaker: Option<f32>,
    options: TextOptions,
    lenient_given: bool,
}

pub fn parse(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let mut options = TextOptions::new("multi_match");
    let (mut names, mut value, mut kind, mut tie_breaker) = (Vec::new(), None, Type::BestFields, None);
    let mut lenient_given = false;
    let (mut fuzzy_given, mut slop_given, mut cutoff_given) = (false, false, false);
    for field in node.fields() {
        let inner = field.node;
        match (field.key, inner.value) {
            ("fields", Value::Array(_)) => {
                for item in inner.items() {
                    add_given(&mut names, field_and_boost(&item.text()?).map_err(|error| error.at(item.pos()))?);
                }
            }
            ("fields", Value::Null | Value::Object(_)) => return Err(unsupported(inner, "multi_match", "fields")),
            ("fields", _) => names.push(field_and_boost(&inner.text()?)?),
            (key, Value::Object(_) | Value::Array(_) | Value::Null) => {
                let token = inner.token();
                return Err(inner.error(format!("[multi_match] unknown token [{token}] after [{key}]")));
            }
            ("query", value_given) => value = Some(value_given.clone()),
            ("type", _) => kind = Type::of(&inner.text()?).map_err(|error| error.at(inner.pos()))?,
            ("tie_breaker", _) => tie_breaker = Some(inner.f32()?),
            (key, _) if common.take(key, inner)? => {}
            (
                key @ ("analyzer"
                | "slop"
                | "fuzziness"
                | "prefix_length"
                | "max_expansions"
                | "operator"
                | "minimum_should_match"
                | "fuzzy_rewrite"
                | "lenient"
                | "zero_terms_query"
                | "auto_generate_synonyms_phrase_query"
                | "fuzzy_transpositions"),
                _,
            ) => {
                lenient_given |= key == "lenient";
                fuzzy_given |= key == "fuzziness";
                slop_given |= key == "slop";
                take_option(&mut options, key, inner)?;
            }
            // It once kept frequent terms apart, and does nothing any more.
            ("cutoff_frequency", _) => {
                note(CUTOFF_DEPRECATED);
                inner.f32()?;
                cutoff_given = true;
            }
            (key, _) => return Err(unsupported(inner, "multi_match", key)),
        }
    }
    let Some(value) = value else {
        return Err(node.error_at_end("No text specified for multi_match query"));
    };
    if fuzzy_given && matches!(kind, Type::CrossFields | Type::Phrase | Type::PhrasePrefix) {
        let name = match kind {
            Type::CrossFields => "cross_fields",
            Type::Phrase => "phrase",
            _ => "phrase_prefix",
        };
        return Err(node.error_at_end(format!("Fuzziness not allowed for type [{name}]")));
    }
    for (key, given) in [("slop", slop_given), ("cutoff_frequency", cutoff_given)] {
        if given && kind == Type::BoolPrefix {
            return Err(node.error_at_end(format!("[{key}] not allowed for type [bool_prefix]")));
        }
    }
    check_boosts(&names, || written::with_text("multi_match", &value))?;
    options.check_late(&["max_expansions", "prefix_length", "slop"])?;
    Ok(Query::new(common, MultiMatch { fields: names, value, kind, tie_breaker, options, lenient_given }))
}

const CUTOFF_DEPRECATED: &str = "Deprecated field [cutoff_frequency] used, replaced by [you can omit this option, the \
     [multi_match] query can skip block of documents efficiently if the total number of hits is not tracked]";

/// Of a field that is named twice the last boost counts.
fn add_given(names: &mut Vec<(String, f32)>, given: (String, f32)) {
    match names.iter_mut().find(|(name, _)| *name == given.0) {
        Some(known) => *known = given,
        None => names.push(given),
    }
}

/// `name` or `name^boost`.
pub fn field_and_boost(text: &str) -> Result<(String, f32)> {
    match text.rsplit_once('^') {
        Some((name, boost)) => {
            let boost = match boost.trim() {
                "" => return Err(Error::new(ErrorKind::NumberFormat, "empty String")),
                boost => boost.parse().map_err(|_| super::node::number_format(boost))?,
            };
            Ok((name.to_owned(), boost))
        }
        None => Ok((text.to_owned(), 1.0)),
    }
}

/// Refuses negative boosts of fields. `asked`: the query as the reference has it when it is given its fields, as pretty JSON.
pub fn check_boosts(fields: &[(String, f32)], asked: impl FnOnce() -> String) -> Result<()> {
    match fields.iter().any(|(_, boost)| is_negative_boost(*boost)) {
        true => Err(negative_boost(&asked())),
        false => Ok(()),
    }
}

/// The same of a list that has been read: what is wrong with a boost is told where the list ends. Of one name the last boost that
/// is given counts.
pub fn fields_and_boosts(texts: &[String], list: Node) -> Result<Vec<(String, f32)>> {
    let mut fields: IndexMap<String, f32> = IndexMap::default();
    for text in texts {
        let (name, boost) = field_and_boost(text).map_err(|error| error.at(list.end_pos()))?;
        match text.contains('^') {
            true => _ = fields.insert(name, boost),
            false => _ = fields.entry(name).or_insert(boost),
        }
    }
    Ok(fields.into_iter().collect())
}

/// In which order the reference goes over the names that were given.
#[derive(Clone, Copy, PartialEq)]
pub enum Given {
    Sorted,
    /// By their slots in a hash map, as they were given within one.
    Hashed,
}

/// The fields that names and patterns stand for, and whether values that do not fit them are to be overlooked.
pub fn resolve(cx: &PlanContext, names: &[(String, f32)], given: Given) -> (Vec<(Arc<str>, f32)>, bool) {
    let defaults: Vec<(String, f32)>;
    let (names, all) = if names.is_empty() {
        defaults = cx.mapping.default_fields().iter().filter_map(|name| field_and_boost(name).ok()).collect();
        (&defaults[..], defaults.iter().any(|(name, _)| name == "*"))
    } else {
        (names, names.iter().any(|(name, _)| name == "*"))
    };
    let mut resolved: IndexMap<Arc<str>, f32, ahash::RandomState> = IndexMap::default();
    // Those that they stand for the reference has in hash maps: of all fields at first, then of those that match, then of those
    // that are meant.
    let mut names: Vec<&(String, f32)> = names.iter().collect();
    match given {
        Given::Sorted => names.sort_by(|a, b| a.0.cmp(&b.0)),
        Given::Hashed => sort_by_slot(&mut names, |(name, _)| name),
    }
    for (name, boost) in names {
        if !name.contains('*') {
            add(&mut resolved, name.as_str().into(), *boost);
            continue;
        }
        let mut matching = cx.mapping.matching_names(name);
        let slots = slots_of(matching.len());
        matching.sort_by_key(|(name, field)| (slot(name, slots), cx.mapping.place(field)));
        for (own, field) in &matching {
            let usable = !field.family().is_metadata()
                && (field.is_searchable() || matches!(field.family(), Family::Range | Family::ConstantKeyword))
                && !matches!(field.family(), Family::Binary | Family::GeoPoint | Family::GeoShape);
            if usable {
                // An alias is the field that it stands for where that matches as well, and else a field of its own.
                let stands_for = |(other, _): &(&str, &Field)| **other == *field.name;
                let alone = **own != *field.name && !matching.iter().any(stands_for);
                add(&mut resolved, if alone { (*own).into() } else { field.name.clone() }, *boost);
            }
        }
    }
    let mut resolved: Vec<(Arc<str>, f32)> = resolved.into_iter().collect();
    sort_by_slot(&mut resolved, |(name, _)| name);
    (resolved, all)
}

/// Fields whose names end in a suffix in place of those without, where there are such: what is named several times then is one field.
pub fn with_suffix(cx: &PlanContext, fields: Vec<(Arc<str>, f32)>, suffix: Option<&str>) -> Vec<(Arc<str>, f32)> {
    let Some(suffix) = suffix else { return fields };
    let mut resolved: IndexMap<Arc<str>, f32, ahash::RandomState> = IndexMap::default();
    for (name, boost) in fields {
        let name = cx.field(&format!("{name}{suffix}")).map_or(name, |field| field.name.clone());
        add(&mut resolved, name, boost);
    }
    resolved.into_iter().collect()
}

fn add(resolved: &mut IndexMap<Arc<str>, f32, ahash::RandomState>, name: Arc<str>, boost: f32) {
    resolved.entry(name).and_modify(|product| *product *= boost).or_insert(boost);
}

/// `value` in all of `fields`.
pub fn multi_field_plan(
    cx: &PlanContext,
    kind: Type,
    fields: &[(Arc<str>, f32)],
    value: &Value,
    tie_breaker: Option<f32>,
    options: &TextOptions,
) -> Result<Plan> {
    super::bool_query::check_clauses(cx, fields.len())?;
    let tie_breaker = tie_breaker.unwrap_or(kind.tie_breaker());
    if kind == Type::CrossFields {
        return cross_fields(cx, fields, value, tie_breaker, options);
    }
    let mut plans = Vec::with_capacity(fields.len());
    for (name, _) in fields {
        plans.push(text_plan(cx, kind.shape(), name, value, options)?);
    }
    best_of(plans.into_iter().zip(fields).map(|(plan, (_, boost))| plan.boosted(*boost)).collect(), tie_breaker)
}

/// The best of what fields match. Those in which nothing is left to look for have no say, unless all are.
fn best_of(mut plans: Vec<Plan>, tie_breaker: f32) -> Result<Plan> {
    if plans.iter().any(|plan| !is_dropped(plan)) {
        plans.retain(|plan| !is_dropped(plan));
    } else {
        plans.truncate(1);
    }
    Ok(match plans.len() {
        0 => Plan::nothing("No fields to match"),
        1 => plans.remove(0),
        _ => {
            check_tie_breaker(tie_breaker)?;
            Plan::DisMax { plans, tie_breaker }
        }
    })
}

/// Fields of one analyzer are one big field: each term may stand in any of them, with blended statistics.
fn cross_fields(
    cx: &PlanContext,
    fields: &[(Arc<str>, f32)],
    value: &Value,
    tie_breaker: f32,
    options: &TextOptions,
) -> Result<Plan> {
    let mut groups: Vec<(String, Vec<(&Field, f32)>)> = Vec::new();
    for (name, boost) in fields {
        let Some(field) = cx.field(name) else { continue };
        let key = analyzer_key(field, options);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, members)) => members.push((field, *boost)),
            None => groups.push((key, vec![(field, *boost)])),
        }
    }
    sort_by_analyzer(&mut groups, |(analyzer, _)| analyzer);
    let mut plans = Vec::with_capacity(groups.len());
    for (_, members) in groups {
        plans.push(match members.as_slice() {
            [(field, boost)] => match text_plan(cx, Shape::Boolean, &field.name, value, options)? {
                dropped if is_dropped(&dropped) => dropped,
                plan => plan.boosted_whatever(*boost),
            },
            _ => blended_group(cx, &members, value, tie_breaker, options)?,
        });
    }
    best_of(plans, tie_breaker)
}

/// What fields have in common that are one big field: the name of their analyzer. What is no text has one that leaves values whole.
fn analyzer_key(field: &Field, options: &TextOptions) -> String {
    if let Some(named) = &options.analyzer {
        return named.clone();
    }
    match (field.search_analyzer().filter(|_| field.family() == Family::Text), normalizer_of(field)) {
        (Some(analyzer), _) => analyzer.name(),
        (None, Some(normalizer)) => normalizer.name(),
        (None, None) if field.splits_queries_on_whitespace() => "_whitespace",
        (None, None) => "_keyword",
    }
    .to_owned()
}

/// What normalizes the texts that a field is asked for, as far as groups go by it.
fn normalizer_of(field: &Field) -> Option<&Arc<Normalizer>> {
    field.normalizer().filter(|_| field.type_name != "wildcard")
}

/// The terms of a group, whose fields are analyzed as the first of them is.
fn group_positions(cx: &PlanContext, first: &Field, value: &Value, options: &TextOptions) -> Result<Vec<(u32, Words)>> {
    let named = named_analyzer(cx, options)?;
    let own = first.search_analyzer().filter(|_| first.family() == Family::Text);
    let text = value.to_text();
    if let Some(analyzer) = named.as_ref().or(own) {
        return Ok(analyze(analyzer, &text).0);
    }
    let words = cx.mapping.analysis().analyzer("whitespace").filter(|_| first.splits_queries_on_whitespace());
    let mut positions = match words {
        Some(analyzer) => analyze(&analyzer, &text).0,
        None => vec![(0, smallvec![text])],
    };
    if let Some(normalizer) = normalizer_of(first) {
        for term in positions.iter_mut().flat_map(|(_, terms)| terms) {
            *term = normalizer.normalize(term).into_owned();
        }
    }
    Ok(positions)
}

fn blended_group(
    cx: &PlanContext,
    members: &[(&Field, f32)],
    value: &Value,
    tie_breaker: f32,
    options: &TextOptions,
) -> Result<Plan> {
    let mut clauses: Vec<Plan> = Vec::new();
    for (_, terms) in group_positions(cx, members[0].0, value, options)? {
        clauses.push(blended_terms(cx, members, &terms, tie_breaker, options)?);
    }
    if clauses.len() <= 1 {
        return Ok(clauses.pop().unwrap_or_else(|| options.zero_terms.plan()));
    }
    if options.operator == Operator::And {
        return all_of(clauses, options);
    }
    let minimum_should_match = match &options.minimum_should_match {
        Some(spec) => minimum(clauses.len(), spec)?,
        None => 0,
    };
    match fields::any(clauses) {
        Plan::Bool(plan) => Ok(Plan::Bool(BoolPlan { minimum_should_match, ..plan })),
        other => Ok(other),
    }
}

/// The terms of one position in any of the fields.
fn blended_terms(
    cx: &PlanContext,
    members: &[(&Field, f32)],
    terms: &[String],
    tie_breaker: f32,
    options: &TextOptions,
) -> Result<Plan> {
    // What is not ranked has no statistics to blend.
    let is_ranked = |field: &Field| match field.family() {
        Family::Text => !field.scores_alike(),
        Family::Keyword => field.uses_similarity(),
        _ => false,
    };
    let (ranked, alike): (Vec<_>, Vec<_>) = members.iter().partition(|(field, _)| is_ranked(field));
    let mut plans = vec![];
    for (field, boost) in alike {
        for term in terms {
            let value = Value::String(term.clone());
            plans.push(lenient(&field.name, fields::text_term(cx, field, &value), options)?.boosted(boost));
        }
    }
    let mut blended: Vec<(Arc<str>, &[u8])> = vec![];
    let mut boosts = vec![];
    for (field, boost) in ranked {
        fields::check_searchable(cx, field)?;
        blended.extend(terms.iter().map(|term| (field.name.clone(), term.as_bytes())));
        boosts.extend(terms.iter().map(|_| boost * field.boost));
    }
    if !blended.is_empty() {
        check_tie_breaker(tie_breaker)?;
        let made = blend(cx.snapshot, &blended);
        let text = made.iter().zip(&boosts).map(|(term, boost)| match boost {
            1.0 => Plan::Blended(term.clone()).to_string(),
            boost => format!("{}^{}", Plan::Blended(term.clone()), float_text(*boost)),
        });
        let text = format!("blended(terms:[{}])", text.collect::<Vec<_>>().join(", "));
        let terms = made.into_iter().zip(boosts).map(|(term, boost)| Plan::Blended(term).boosted(boost)).collect();
        plans.push(Plan::DisMax { plans: terms, tie_breaker }.written_as(text));
    }
    Ok(match plans.len() {
        1 => plans.remove(0),
        _ => Plan::DisMax { plans, tie_breaker },
    })
}

impl Kind for MultiMatch {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        self.options.fuzzy_rewrite.check()?;
        super::text::named_analyzer(cx, &self.options)?;
        let (mut fields, all) = resolve(cx, &self.fields, Given::Sorted);
        fields.retain(|(name, _)| cx.field(name).is_some());
        if fields.is_empty() {
            return Ok(Plan::nothing("unmapped fields []"));
        }
        let mut options = self.options.clone();
        if !self.lenient_given && (all || self.fields.is_empty()) {
            options.lenient = true;
        }
        multi_field_plan(cx, self.kind, &fields, &self.value, self.tie_breaker, &options)
    }
}
