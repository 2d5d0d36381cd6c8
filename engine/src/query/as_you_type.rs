//! Phrases in fields of type `search_as_you_type`: their words are looked for in pairs, triples or more in the field that
//! has those as terms, and what the last of them begins with in the field of beginnings.

use super::PlanContext;
use super::analyzed::Words;
use super::phrase_prefix::phrase_prefix;
use super::text::{Shape, TextOptions, phrase};
use crate::error::Result;
use crate::mapping::{Field, SearchAsYouType};
use crate::score::Plan;
use crate::score::spans::Span;
use smallvec::smallvec;
use std::sync::Arc;

/// What stands in a group for a word that the analyzer left out.
const LEFT_OUT: &str = "_";
/// The largest groups of words that a field may have.
const SIZE_MAX: usize = 4;

/// The plan of a phrase where groups of words stand for it; `None` for other fields, single words, and phrases with gaps.
pub fn plan(
    cx: &PlanContext,
    shape: Shape,
    field: &Field,
    positions: &[(u32, Words)],
    trailing: u32,
    options: &TextOptions,
) -> Result<Option<Plan>> {
    let fits = field.type_name == SearchAsYouType::NAME
        && matches!(shape, Shape::Phrase | Shape::PhrasePrefix)
        && options.slop == 0
        && positions.len() > 1;
    if !fits || !positions.iter().all(|(_, terms)| terms.len() == 1) {
        return Ok(None);
    }
    if positions.first().is_none_or(|(first, _)| *first > 0)
        || positions.windows(2).any(|pair| pair[1].0 != pair[0].0 + 1)
    {
        return Ok(None);
    }
    let sized = |size: usize| Some((cx.field(&format!("{}._{size}gram", field.name))?, size));
    let Some((groups, size)) = (2..=SIZE_MAX.min(positions.len())).rev().find_map(sized) else { return Ok(None) };
    let mut words: Vec<&str> = positions.iter().filter_map(|(_, terms)| terms.first()).map(String::as_str).collect();
    // Words that the analyzer left out at the end leave their places; a group does not begin with one.
    words.extend(std::iter::repeat_n(LEFT_OUT, (trailing as usize).min(size - 1)));
    let terms: Vec<String> = words.windows(size).map(|group| group.join(" ")).collect();
    if shape == Shape::PhrasePrefix {
        return prefix(cx, field, groups, terms, options).map(Some);
    }
    Ok(Some(match terms.as_slice() {
        [term] => Plan::term(&groups.name, term.as_bytes()).written_as(format!("{}:\"{term}\"", groups.name)),
        _ => phrase(cx, groups, at_positions(terms), 0)?,
    }))
}

fn at_positions(terms: Vec<String>) -> Vec<(u32, Words)> {
    (0..).zip(terms).map(|(position, term)| (position, smallvec![term])).collect()
}

/// The last group of words is the beginning of one.
fn prefix(
    cx: &PlanContext,
    field: &Field,
    groups: &Field,
    mut terms: Vec<String>,
    options: &TextOptions,
) -> Result<Plan> {
    let short = terms.last().is_some_and(|last| last.encode_utf16().count() <= SearchAsYouType::PREFIX_MAX);
    let Some(prefixes) = cx.field(&SearchAsYouType::prefix_field(&field.name)).filter(|_| short) else {
        return phrase_prefix(cx, groups, at_positions(terms), options);
    };
    let last = terms.pop().unwrap_or_default().into_bytes();
    if terms.is_empty() {
        let asked = Plan::Synonyms { field: prefixes.name.clone(), terms: vec![last.clone()] };
        return Ok(Plan::term(&prefixes.name, last).written_as(asked.to_string()));
    }
    let span = |field: &Arc<str>, term: Vec<u8>| Span::Term { field: field.clone(), term };
    let mut clauses: Vec<Span> = terms.into_iter().map(|term| span(&groups.name, term.into_bytes())).collect();
    let inner = Box::new(span(&prefixes.name, last));
    clauses.push(Span::Mask { inner, field: groups.name.clone() });
    Ok(Plan::custom(Span::Near { clauses, slop: 0, in_order: true }))
}
