//! `prefix`: documents with a term that begins with a text.

use super::as_mapped::of_values;
use super::node::Node;
use super::pattern::{CaseInsensitive, automaton_text};
use super::rewrite::Rewrite;
use super::wildcard::{PatternParams, parse_pattern, wildcard_terms};
use super::{Kind, PlanContext, Query, Sought, SoughtValues};
use super::{can_match, fields, one_value};
use crate::error::{Error, Result};
use crate::mapping::{Family, Field, Indexed};
use crate::score::spans::Span;
use crate::score::{Automaton, MultiTerm, Plan, TermSet};
use crate::segment::SegmentView;
use std::ops::RangeInclusive;
use std::sync::Arc;

#[derive(Debug)]
struct Prefix(PatternParams);

pub fn parse(node: Node) -> Result<Query> {
    let (common, params) = parse_pattern(node, "prefix", &["value"])?;
    Ok(Query::new(common, Prefix(params)))
}

impl Kind for Prefix {
    fn sought(&self) -> Option<Sought<'_>> {
        Some(Sought { field: &self.0.field, values: SoughtValues::Prefix(self.0.value.clone()) })
    }

    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        let Some(field) = cx.field(&self.0.field) else {
            return Ok(fields::rewritten_to_none());
        };
        let pattern = format!("{}*", self.0.value);
        if let Some(plan) = one_value::plan(cx, field, &pattern, self.0.case_insensitive) {
            return Ok(plan);
        }
        self.0.rewrite.check()?;
        if field.type_name == "wildcard" && self.0.value.is_empty() {
            return Ok(fields::exists_in(cx, field));
        }
        let value = fields::indexed_text(field, &self.0.value);
        let terms = prefix_terms(field, &value, self.0.case_insensitive);
        fields::check_has_terms(cx, field, "prefix")?;
        check_expensive(cx, field)?;
        match indexed_prefix(cx, field, &value, self.0.case_insensitive, &self.0.rewrite) {
            Some(plan) => Ok(plan),
            None => fields::pattern_plan(cx, field, &self.0.rewrite, terms),
        }
    }

    fn can_match(&self, cx: &PlanContext) -> bool {
        can_match::leaf(self.plan(cx), cx)
    }

    fn is_multi_term(&self) -> bool {
        true
    }

    fn span_of_terms(&self, cx: &PlanContext) -> Result<Option<Span>> {
        let Some(field) = cx.field(&self.0.field) else { return Ok(None) };
        if one_value::is_decided(cx, &self.0.field) {
            return Ok(None);
        }
        if field.family() != Family::Text || field.type_name == "prefix" {
            return Err(Error::illegal_argument(format!(
                "Can only use span prefix queries on text fields - not on [{}] which is of type [{}]",
                field.name, field.type_name
            )));
        }
        let has_positions = matches!(field.spec.indexed, Indexed::Terms { positions: true, .. });
        let beginnings = beginnings_of(cx, field, &self.0.value).filter(|of| of.fits() && has_positions);
        Ok(beginnings.map(|of| {
            let term = Span::Term { field: of.field.as_str().into(), term: self.0.value.clone().into_bytes() };
            Span::Mask { inner: Box::new(term), field: field.name.clone() }
        }))
    }

    fn is_replaced_on_shard(&self, cx: &PlanContext) -> bool {
        one_value::is_decided(cx, &self.0.field)
    }
}

/// Where what terms begin with is indexed, for one text.
pub struct Beginnings {
    pub field: String,
    /// How many characters the text lacks to be as long as the shortest beginnings.
    lacks: usize,
}

impl Beginnings {
    /// Whether the text may be one of the terms.
    pub fn fits(&self) -> bool {
        self.lacks == 0
    }
}

/// The field of what the terms of `field` begin with, if a query for `text` as a prefix asks it: it may be one character short.
pub fn beginnings_of(cx: &PlanContext, field: &Field, text: &str) -> Option<Beginnings> {
    let (name, lengths) = indexed_beginnings(cx, field)?;
    let length = text.encode_utf16().count();
    let lacks = lengths.start().saturating_sub(length);
    (lacks <= 1 && length <= *lengths.end()).then_some(Beginnings { field: name, lacks })
}

/// The field of what the terms of `field` begin with, and how long beginnings are.
pub fn indexed_beginnings(cx: &PlanContext, field: &Field) -> Option<(String, RangeInclusive<usize>)> {
    let beginnings = field.beginnings()?;
    // Segments may be older than what is known here of beginnings.
    let older = |view: &SegmentView| {
        view.segment.field(&beginnings.0).is_none()
            && view.segment.field(&field.name).is_some_and(|of| of.terms().is_some())
    };
    (!cx.snapshot.segments.iter().any(older)).then_some(beginnings)
}

/// Prefixes that are indexed cost no more than a term.
fn check_expensive(cx: &PlanContext, field: &Field) -> Result<()> {
    if field.has_prefixes() {
        return Ok(());
    }
    cx.check_expensive(
        "[prefix] queries",
        " For optimised prefix queries on text fields please enable [index_prefixes].",
    )
}

/// Documents with a term of `field` that begins with `value`.
pub fn prefix_plan(cx: &PlanContext, field: &Field, value: &str, case_insensitive: bool) -> Plan {
    let indexed = indexed_prefix(cx, field, value, case_insensitive, &Rewrite::Default);
    indexed.unwrap_or_else(|| of_values(field, prefix_terms(field, value, case_insensitive)))
}

/// The same where beginnings of terms are terms of a field of their own. Only a `rewrite` that scores has them scored.
pub fn indexed_prefix(
    cx: &PlanContext,
    field: &Field,
    value: &str,
    case_insensitive: bool,
    rewrite: &Rewrite,
) -> Option<Plan> {
    // Of a field of beginnings it is asked whether it has the text, however long that is.
    let whole = field.type_name == "prefix";
    let above = if whole { cx.field(field.name.rsplit_once('.')?.0)? } else { field };
    let beginnings = match beginnings_of(cx, above, value) {
        Some(found) => found,
        None if whole && value.encode_utf16().count() >= *above.beginnings()?.1.start() => {
            Beginnings { field: field.name.to_string(), lacks: 0 }
        }
        None => return None,
    };
    let prefixes = cx.field(&beginnings.field)?;
    let multi = |set: Arc<dyn Automaton>, text| {
        Plan::MultiTerm(MultiTerm { field: prefixes.name.clone(), set: TermSet::Pattern(set), text })
    };
    let plan = match (beginnings.lacks, case_insensitive) {
        (0, false) => Plan::term(&prefixes.name, value),
        (0, true) => multi(Arc::new(CaseInsensitive::literal(value)), automaton_text(&prefixes.name, value)),
        (_, case_insensitive) => {
            let longer = OneLonger { text: CaseInsensitive::prefix(value), case_insensitive, given: value.into() };
            let longer = multi(Arc::new(longer), automaton_text(&prefixes.name, value));
            fields::any(vec![longer, Plan::term(&above.name, value)])
        }
    };
    Some(match rewrite {
        _ if whole => plan,
        Rewrite::Default | Rewrite::Constant | Rewrite::ConstantBlended | Rewrite::ConstantBoolean => plan.constant(),
        _ => plan,
    })
}

/// A text and a character behind it.
#[derive(Debug)]
struct OneLonger {
    text: CaseInsensitive,
    case_insensitive: bool,
    given: Box<str>,
}

impl Automaton for OneLonger {
    fn matches(&self, term: &[u8]) -> bool {
        let begins = match self.case_insensitive {
            true => self.text.matches(term),
            false => term.starts_with(self.given.as_bytes()),
        };
        let chars = std::str::from_utf8(term).map_or(0, |term| term.chars().count());
        begins && chars == self.given.chars().count() + 1
    }

    fn prefix(&self) -> &[u8] {
        if self.case_insensitive { b"" } else { self.given.as_bytes() }
    }
}

/// Terms of `field` that begin with `value`. What stands for other characters in a pattern does so here where fields are asked by
/// patterns alone.
pub fn prefix_terms(field: &Field, value: &str, case_insensitive: bool) -> MultiTerm {
    if field.type_name == "wildcard" {
        return wildcard_terms(field, &format!("{value}*"), case_insensitive);
    }
    let set = if case_insensitive {
        TermSet::Pattern(Arc::new(CaseInsensitive::prefix(value)))
    } else {
        TermSet::Prefix(value.as_bytes().to_vec())
    };
    let text = match case_insensitive {
        true => automaton_text(&field.name, value),
        false => format!("{}:{value}*", field.name),
    };
    MultiTerm { field: field.name.clone(), set, text }
}
