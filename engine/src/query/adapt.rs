//! What fields of some types do to the primitive queries on them: terms that stand in another field, and matches that all
//! score the same.

use super::pattern::automaton_text;
use super::rewritten_range::{rewritten_addresses, rewritten_range};
use super::{PlanContext, derived};
use crate::error::Result;
use crate::mapping::Field;
use crate::score::{Automaton, BlendedTerm, MultiTerm, PhrasePosition, Plan, PointSet, TermSet};
use std::ops::Bound;
use std::sync::Arc;

/// The plan with the primitives on such fields replaced.
pub fn adapt(plan: Plan, cx: &PlanContext) -> Result<Plan> {
    if let Plan::Term { field, .. } = &plan
        && cx.field(field).is_none_or(keeps_terms)
    {
        return Ok(plan);
    }
    let mut refusal = None;
    let is_whole = |plan: &Plan| derived::whole_field(plan, cx).is_some();
    let plan = plan.map_leaves(&is_whole, &mut |leaf| {
        let of_leaf = || field_of(&leaf).and_then(|name| cx.field(name));
        let Some(field) = derived::whole_field(&leaf, cx).or_else(of_leaf) else { return leaf };
        match derived::check(field, cx) {
            Ok(()) => adapt_leaf(leaf, field, cx),
            Err(error) => {
                refusal.get_or_insert(error);
                leaf
            }
        }
    });
    refusal.map_or(Ok(plan), Err)
}

/// Whether a term of this field is looked for as it stands, and scored, as in most fields.
fn keeps_terms(field: &Field) -> bool {
    field.derived.is_none()
        && !field.scores_alike()
        && field.terms_elsewhere().is_none()
        && field.type_name != "flat_object"
}

/// The field that a leaf looks at, also where it has the text of another query.
fn field_of(leaf: &Plan) -> Option<&Arc<str>> {
    match leaf {
        Plan::Custom(node) => node.0.leaf_field().or_else(|| node.0.shown()?.leaf_field()),
        leaf => leaf.leaf_field(),
    }
}

/// `field`: that of [`field_of`].
fn adapt_leaf(plan: Plan, field: &Field, cx: &PlanContext) -> Plan {
    if field.derived.is_some() {
        return derived::wrap(plan, field, cx);
    }
    if plan.leaf_field().is_none() {
        return match (rewritten_addresses(&plan, field, cx), &plan) {
            (Some(rewritten), Plan::Custom(node)) => node.0.rewritten_into(rewritten).unwrap_or(plan),
            _ => plan,
        };
    }
    if let Plan::Points(points) = plan {
        let rewritten = rewritten_range(&points, field, cx).map(Box::new);
        return Plan::Points(PointSet { rewritten, ..points });
    }
    if field.scores_alike() {
        match plan {
            Plan::Term { .. } | Plan::Synonyms { .. } => return plan.constant(),
            Plan::Phrase { ref positions, .. } => {
                if positions.iter().any(|position| position.completed) {
                    return plan.constant();
                }
                let required = required_terms(&field.name, positions);
                let (text, once) = (source_match_text(&required, &plan), each_once(&required));
                if once.len() == required.len() {
                    return plan.constant().shown_as(text);
                }
                let rewritten = source_match_text(&once, &plan);
                return plan.constant().explained_as(rewritten.clone(), rewritten).written_as(text);
            }
            // The terms of a pattern or a fuzzy term are scored even there.
            Plan::Blended(blended) => return Plan::Blended(BlendedTerm { once: true, ..blended }),
            _ => {}
        }
    }
    let Some((elsewhere, prefix)) = field.terms_elsewhere() else {
        return match field.type_name {
            "flat_object" if !field.hidden => shown_as_values(plan, &field.name),
            _ => plan,
        };
    };
    let behind = |term: &[u8]| [prefix.as_bytes(), term].concat();
    match plan {
        Plan::Term { term, .. } => Plan::Term { field: elsewhere.clone(), term: behind(&term) },
        Plan::Exists { .. } => {
            let text = format!("{elsewhere}:{prefix}*");
            let set = TermSet::Prefix(prefix.as_bytes().to_vec());
            let plan = Plan::MultiTerm(MultiTerm { field: elsewhere.clone(), set, text });
            let automaton = automaton_text(elsewhere, prefix);
            terms_or_values(plan, &automaton, &automaton)
        }
        Plan::MultiTerm(MultiTerm { set: TermSet::Range(lo, hi), field, text }) => {
            let bounds = match (&lo, &hi) {
                (Bound::Unbounded, _) | (_, Bound::Unbounded) => None,
                (lo, hi) => Some(range_texts(elsewhere, prefix, lo, hi)),
            };
            let pattern = MultiTerm { set: TermSet::Range(lo, hi), field, text };
            let mut terms = behind_prefix(pattern, elsewhere, prefix);
            let (of_terms, of_values) = bounds.unwrap_or_else(|| {
                let automaton = automaton_text(elsewhere, prefix);
                terms.text.clone_from(&automaton);
                (automaton.clone(), automaton)
            });
            terms_or_values(Plan::MultiTerm(terms), &of_terms, &of_values)
        }
        Plan::MultiTerm(pattern) => Plan::MultiTerm(behind_prefix(pattern, elsewhere, prefix)),
        other => other,
    }
}

/// What the reference asks terms or values for, whatever is cheaper. It explains what the values say.
fn terms_or_values(plan: Plan, of_terms: &str, of_values: &str) -> Plan {
    let text = |values: &str| format!("IndexOrDocValuesQuery(indexQuery={of_terms}, dvQuery={values})");
    let scored = format!("ConstantScore({of_values})");
    plan.constant().explained_as(text(&scored), scored.clone()).written_as(text(of_values))
}

/// A range within a path, as terms have it, and as values have it: there the reference names the field twice.
fn range_texts(elsewhere: &str, prefix: &str, lo: &Bound<Vec<u8>>, hi: &Bound<Vec<u8>>) -> (String, String) {
    let root = elsewhere.rsplit_once('.').map_or(elsewhere, |(root, _)| root);
    let end = |bound: &Bound<Vec<u8>>| match bound {
        Bound::Included(term) | Bound::Excluded(term) => String::from_utf8_lossy(term).into_owned(),
        Bound::Unbounded => "*".to_owned(),
    };
    let open = if matches!(lo, Bound::Excluded(_)) { '{' } else { '[' };
    let close = if matches!(hi, Bound::Excluded(_)) { '}' } else { ']' };
    let text = |prefix: &str| format!("{elsewhere}:{open}{prefix}{} TO {prefix}{}{close}", end(lo), end(hi));
    (text(prefix), text(&format!("{root}.{prefix}")))
}

/// What documents must have where the reference looks for a phrase in their sources.
fn required_terms(field: &str, positions: &[PhrasePosition]) -> Vec<String> {
    let term = |term: &Vec<u8>| format!("{field}:{}", String::from_utf8_lossy(term));
    let required = positions.iter().map(|position| match position.terms.as_slice() {
        [only] => format!("#{}", term(only)),
        several => format!("#({})", several.iter().map(term).collect::<Vec<_>>().join(" ")),
    });
    required.collect()
}

/// The same where it has rewritten that: what is required several times is required once, and if nothing else is, it scores nothing.
pub fn each_once(required: &[String]) -> Vec<String> {
    let mut once: Vec<String> = vec![];
    for clause in required {
        if !once.contains(clause) {
            once.push(clause.clone());
        }
    }
    if once.len() == 1 && required.len() > 1 {
        once[0] = format!("(ConstantScore({}))^0.0", once[0].trim_start_matches('#'));
    }
    once
}

/// A phrase that the reference looks for in the sources of the documents that have what is required.
fn source_match_text(required: &[String], phrase: &Plan) -> String {
    format!("SourceFieldMatchQuery (delegate query: [ {} ], filter query: [ {phrase}])", required.join(" "))
}

/// A pattern on such a field, over the terms where they stand.
pub fn adapt_pattern(field: &Field, pattern: MultiTerm) -> MultiTerm {
    match field.terms_elsewhere() {
        Some((elsewhere, prefix)) if *pattern.field == *field.name => behind_prefix(pattern, elsewhere, prefix),
        _ => pattern,
    }
}

fn behind_prefix(pattern: MultiTerm, elsewhere: &Arc<str>, prefix: &str) -> MultiTerm {
    let MultiTerm { field, set, text } = pattern;
    let behind = |term: &[u8]| [prefix.as_bytes(), term].concat();
    let set = match set {
        TermSet::Prefix(own) => TermSet::Prefix(behind(&own)),
        TermSet::Terms(terms) => TermSet::Terms(terms.iter().map(|term| behind(term)).collect()),
        TermSet::Range(lo, hi) => range_behind(prefix.as_bytes(), &lo, &hi),
        TermSet::Pattern(inner) => {
            let whole = behind(inner.prefix());
            TermSet::Pattern(Arc::new(Behind { skip: prefix.len(), whole, inner }))
        }
    };
    let text = match text.strip_prefix(&*field).and_then(|rest| rest.strip_prefix(':')) {
        // Of a set each term is named with its prefix.
        Some(rest) => match (&set, rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'))) {
            (TermSet::Terms(terms), Some(_)) => {
                let terms: Vec<_> = terms.iter().map(|term| String::from_utf8_lossy(term)).collect();
                format!("{elsewhere}:({})", terms.join(" "))
            }
            // Of an automaton nothing is told.
            _ if rest.starts_with("AutomatonQuery {") => format!("{elsewhere}:{rest}"),
            // A regular expression stands between its slashes, prefix and all.
            _ if rest.len() > 1 && rest.starts_with('/') && rest.ends_with('/') => {
                format!("{elsewhere}:/{prefix}{}", &rest[1..])
            }
            _ => format!("{elsewhere}:{prefix}{rest}"),
        },
        None => text,
    };
    MultiTerm { field: elsewhere.clone(), set, text }
}

/// What looks at all values of a flat object, which the reference keeps in a field of another name.
fn shown_as_values(plan: Plan, name: &str) -> Plan {
    let text = plan.to_string();
    match text.strip_prefix(name).and_then(|rest| rest.strip_prefix(':')) {
        Some(rest) if matches!(plan, Plan::Term { .. } | Plan::MultiTerm(_)) => {
            let text = format!("{name}._value:{rest}");
            let mut renamed = plan.clone();
            if let Plan::MultiTerm(terms) = &mut renamed {
                terms.text.clone_from(&text);
            }
            match &plan {
                Plan::MultiTerm(MultiTerm { set: TermSet::Range(lo, hi), .. }) => {
                    terms_or_values(renamed, &text, &values_within(name, lo, hi))
                }
                _ => renamed.shown_like(text, plan),
            }
        }
        _ => plan,
    }
}

/// A range of all values of a flat object as its values have it: there the reference names the object once more.
fn values_within(name: &str, lo: &Bound<Vec<u8>>, hi: &Bound<Vec<u8>>) -> String {
    let shown = |bytes: &[u8]| format!("{name}.{}", String::from_utf8_lossy(bytes));
    let low = match lo {
        Bound::Included(bytes) => format!("[{}", shown(bytes)),
        Bound::Excluded(bytes) => format!("{{{}", shown(bytes)),
        Bound::Unbounded => return automaton_text(&format!("{name}._value"), ""),
    };
    match hi {
        Bound::Included(bytes) => format!("{name}._value:{low} TO {}]", shown(bytes)),
        Bound::Excluded(bytes) => format!("{name}._value:{low} TO {}}}", shown(bytes)),
        Bound::Unbounded => automaton_text(&format!("{name}._value"), ""),
    }
}

/// Terms behind a prefix that are within bounds; open ends stay behind the prefix.
fn range_behind(prefix: &[u8], lo: &Bound<Vec<u8>>, hi: &Bound<Vec<u8>>) -> TermSet {
    let behind = |term: &Vec<u8>| [prefix, &term[..]].concat();
    let lo = match lo.as_ref().map(behind) {
        Bound::Unbounded => Bound::Included(prefix.to_vec()),
        bound => bound,
    };
    let hi = match hi.as_ref().map(behind) {
        // No text has a byte as high.
        Bound::Unbounded => Bound::Excluded([prefix, &[0xff]].concat()),
        bound => bound,
    };
    TermSet::Range(lo, hi)
}

/// A pattern over what stands behind a prefix.
#[derive(Debug)]
struct Behind {
    skip: usize,
    whole: Vec<u8>,
    inner: Arc<dyn Automaton>,
}

impl Automaton for Behind {
    fn matches(&self, term: &[u8]) -> bool {
        term.get(self.skip..).is_some_and(|term| self.inner.matches(term))
    }

    fn prefix(&self) -> &[u8] {
        &self.whole
    }
}
