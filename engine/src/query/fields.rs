//! What values mean for a field: terms, numbers and ranges to plans, with the texts that the reference explains them by.

use super::PlanContext;
use super::as_mapped::{boosted_by_mapping, goes_over_values, of_values};
use super::ids::plan_ids;
use super::ip_text::{addresses, ends, ip_range, ip_shown};
use super::match_all::APPROXIMATE_ALL;
use super::now_range;
use super::one_value::wildcard_matches;
pub use super::present::{exists, exists_in, exists_text};
use super::rewrite::Rewrite;
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::mapping::number::{NumberKind, bytes_of_text, decode_u64};
use crate::mapping::{DocValues, Exact, Family, Field, FieldRange, Indexed, RangeBounds, TermTest, no_range};
use crate::score::{Automaton, Marks, MultiTerm, Plan, PointSet, Seen, TermSet, double_text, float_text};
use std::borrow::Cow;
use std::fmt;
use std::ops::Bound;
use std::sync::Arc;

/// What the reference rewrites a query to that it knows to match nothing.
pub fn rewritten_to_none() -> Plan {
    Plan::nothing("User requested \"match_none\" query.")
}

/// Whether a plan is [`rewritten_to_none`].
pub fn is_rewritten_to_none(plan: &Plan) -> bool {
    match plan {
        Plan::Boost(inner, _) => is_rewritten_to_none(inner),
        plan => *plan == rewritten_to_none(),
    }
}

/// Why a value that a field cannot have matches nothing.
fn unmatchable(field: &Field, value: &str) -> Plan {
    match field.number_kind() {
        Some(_) => Plan::nothing(format!("Value [{value}] has a decimal part")),
        None if field.constant().is_some() => rewritten_to_none(),
        None => Plan::nothing("unmatchable value"),
    }
}

/// The one value `value` of `field`.
pub fn term(cx: &PlanContext, field: &Field, value: &Value) -> Result<Plan> {
    if let Some(plan) = metadata_term(cx, field, value)? {
        return Ok(plan);
    }
    check_searchable(cx, field)?;
    Ok(match field.term(value, &cx.dates)? {
        Exact::Nothing => unmatchable(field, &value.to_text()),
        exact => exact_plan(field, exact),
    })
}

/// A text that is looked for in a field of values. What does not fit is shown as the bytes of its text.
pub fn text_term(cx: &PlanContext, field: &Field, value: &Value) -> Result<Plan> {
    let text = Value::String(value.to_text());
    if matches!(field.family(), Family::UnsignedLong | Family::Range | Family::SeqNo) {
        return term(cx, field, &text);
    }
    if field.number_kind().is_none() {
        let plan = term(cx, field, value)?;
        return Ok(if field.constant().is_some() && matches!(plan, Plan::Nothing(_)) {
            Plan::nothing("")
        } else {
            plan
        });
    }
    check_searchable(cx, field)?;
    Ok(match field.term(&text, &cx.dates)? {
        Exact::Nothing => unmatchable(field, &bytes_of_text(&text)),
        exact => exact_plan(field, exact),
    })
}

/// The one value, boosted as the mapping says.
fn exact_plan(field: &Field, exact: Exact) -> Plan {
    match exact {
        Exact::Bytes(_) if field.type_name == "match_only_text" => unboosted(field, exact),
        exact => boosted_by_mapping(field, unboosted(field, exact)),
    }
}

fn unboosted(field: &Field, exact: Exact) -> Plan {
    let name = &field.name;
    match exact {
        Exact::Bytes(term) if field.family() == Family::Ip => ip_shown(ip_range(field, &term, &term), &term, &term),
        Exact::BytesRange(lo, hi) => ip_shown(ip_range(field, &lo, &hi), &lo, &hi),
        Exact::Bytes(term)
            if matches!(field.family(), Family::Keyword | Family::SemanticVersion)
                && field.spec.indexed == Indexed::No =>
        {
            let hex: Vec<String> = term.iter().map(|b| format!("{b:x}")).collect();
            let values = if field.family() == Family::SemanticVersion { "._normalized" } else { "" };
            let text = format!("{name}{values}:[[{0}] TO [{0}]]", hex.join(" "));
            Plan::MultiTerm(MultiTerm { field: name.clone(), set: TermSet::Terms(vec![term]), text })
        }
        Exact::Bytes(term) if field.type_name == "wildcard" && term.is_empty() => like_nothing(),
        Exact::Bytes(term) if field.type_name == "wildcard" => {
            let shown = without_wildcards(&String::from_utf8_lossy(&term));
            wildcard_terms(field, TermSet::Terms(vec![term]), &shown)
        }
        Exact::Bytes(term) => {
            let plan = Plan::term(name, term);
            // Keyword terms are equally good wherever they stand, unless the mapping says otherwise.
            if field.family() == Family::Keyword && !field.uses_similarity() { plan.constant() } else { plan }
        }
        Exact::Number(number) => points(field, number, number, field.family() == Family::Date),
        Exact::Numbers(lo, hi) => points(field, lo, hi, true),
        Exact::Matching(test) => matching(name, test),
        Exact::All => Plan::All,
        Exact::Nothing => Plan::nothing("unmatchable value"),
    }
}

/// Documents with a term for which a test of the field's type holds.
fn matching(name: &Arc<str>, test: Arc<dyn TermTest>) -> Plan {
    struct Test(Arc<dyn TermTest>);
    impl fmt::Debug for Test {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "Test({})", self.0.text())
        }
    }
    impl Automaton for Test {
        fn matches(&self, term: &[u8]) -> bool {
            self.0.matches(term)
        }

        fn prefix(&self) -> &[u8] {
            b""
        }
    }
    let (text, finds_nothing) = (test.text(), test.finds_nothing());
    let shown = test.index_text(name).map(|index| format!("IndexOrDocValuesQuery(indexQuery={index}, dvQuery={text})"));
    let plan = Plan::MultiTerm(MultiTerm { field: name.clone(), set: TermSet::Pattern(Arc::new(Test(test))), text });
    match shown {
        Some(shown) if finds_nothing => plan.shown_like(shown, Plan::nothing("")),
        Some(shown) => plan.shown_as(shown),
        None => plan,
    }
}

/// Fields that are not indexed as such: `_id` and `_index`.
fn metadata_term(cx: &PlanContext, field: &Field, value: &Value) -> Result<Option<Plan>> {
    Ok(match field.family() {
        Family::Id => Some(plan_ids(cx, vec![value.to_text()])?),
        Family::Index => {
            let matches = wildcard_matches(&value.to_text(), cx.index);
            Some(if matches { Plan::All } else { Plan::nothing("") })
        }
        Family::Source => return Err(cx.error("The _source field is not searchable")),
        _ => None,
    })
}

pub fn check_searchable(cx: &PlanContext, field: &Field) -> Result<()> {
    if field.type_name == "percolator" {
        return Err(cx.error("Percolator fields are not searchable directly, use a percolate query instead"));
    }
    if field.family() == Family::Binary {
        return Err(cx.error("Binary fields do not support searching"));
    }
    // Features say themselves that nothing but their own query looks for them.
    if field.is_searchable()
        || field.constant().is_some()
        || matches!(field.family(), Family::Feature | Family::Features | Family::GeoPoint | Family::GeoShape)
    {
        return Ok(());
    }
    field.check_searchable()
}

/// Refuses phrases that the reference looks for in the sources of documents, where none are kept.
pub fn check_sources(cx: &PlanContext, field: &Field) -> Result<()> {
    if !field.scores_alike() || cx.mapping.source_filter().enabled {
        return Ok(());
    }
    Err(Error::illegal_argument(format!(
        "SourceFieldMatchQuery error: unable to fetch fields from _source field: _source is disabled in the mappings for index [{}]",
        cx.index
    )))
}

/// Any of `values`.
pub fn terms(cx: &PlanContext, field: &Field, values: &[Value]) -> Result<Plan> {
    if values.is_empty() {
        return Ok(rewritten_to_none());
    }
    match field.family() {
        Family::Id => return plan_ids(cx, values.iter().map(Value::to_text).collect()),
        Family::Index => {
            let here = values.iter().any(|value| wildcard_matches(&value.to_text(), cx.index));
            return Ok(if here { Plan::All.written_as(APPROXIMATE_ALL) } else { rewritten_to_none() });
        }
        Family::Source => {
            let should = values.iter().map(|value| term(cx, field, value)).collect::<Result<_>>()?;
            return Ok(any(should).constant());
        }
        _ => check_searchable(cx, field)?,
    }
    let exact = |value: &Value| match field.type_name {
        // Each by itself would be normalized, several are not.
        "wildcard" => Ok(Exact::Bytes(value.to_text().into_bytes())),
        _ => field.term(value, &cx.dates),
    };
    if field.family() == Family::Boolean {
        let mut found = Vec::with_capacity(2);
        for value in values {
            let value = exact(value)?;
            if !found.contains(&value) {
                found.push(value);
            }
            if found.len() == 2 {
                // What comes after both is not looked at.
                break;
            }
        }
        return Ok(booleans(field, found));
    }
    let mut exacts = values.iter().map(exact).collect::<Result<Vec<_>>>()?;
    if field.family() == Family::Ip {
        return Ok(match exacts.len() {
            1 => exact_plan(field, exacts.remove(0)),
            _ => addresses(field, exacts),
        });
    }
    let mut terms = Vec::new();
    let mut ranges = Vec::new();
    let mut others = Vec::new();
    for exact in exacts {
        match exact {
            Exact::Bytes(term) => terms.push(term),
            Exact::Number(number) if field.family() != Family::Date => ranges.push((number, number)),
            Exact::Nothing => {}
            other => others.push(exact_plan(field, other)),
        }
    }
    if !terms.is_empty() {
        others.push(term_set(field, terms));
    }
    if !ranges.is_empty() {
        others.push(numbers(field, ranges));
    }
    Ok(match others.len() {
        0 if field.number_kind().is_some() => Plan::nothing("All values have a decimal part"),
        0 if field.constant().is_some() => rewritten_to_none(),
        0 => Plan::nothing("unmatchable value"),
        1 if !matches!(field.family(), Family::Date | Family::Range) => others.remove(0),
        _ => any(others).constant(),
    })
}

/// Any of some numbers.
fn numbers(field: &Field, ranges: Vec<(i64, i64)>) -> Plan {
    let name = &field.name;
    let values = crate::java_order::long_hash_set(ranges.iter().map(|(value, _)| *value).collect());
    let values: Vec<String> = values.into_iter().map(|value| value_text(field, value)).collect();
    // The reference forgets the name where it has no sign.
    let shown_name = if field.number_kind() == Some(NumberKind::UnsignedLong) { "" } else { name };
    let of_values = format!("{shown_name}: [{}]", values.join(", "));
    let ranges = disjoint(ranges);
    let points: Vec<String> = ranges.iter().map(|(value, _)| point_text(field, *value)).collect();
    let both = by_both(field);
    let text = match both {
        true => format!("IndexOrDocValuesQuery(indexQuery={name}:{{{}}}, dvQuery={of_values})", points.join(" ")),
        false if field.spec.indexed == Indexed::Points => format!("{name}:{{{}}}", points.join(" ")),
        false => of_values.clone(),
    };
    let explained = if !both && field.spec.indexed == Indexed::Points { text.clone() } else { of_values };
    Plan::Points(PointSet::new(name.clone(), ranges, text, explained))
}

fn booleans(field: &Field, exacts: Vec<Exact>) -> Plan {
    let mut distinct: Vec<Exact> = Vec::new();
    for exact in exacts {
        if !distinct.contains(&exact) {
            distinct.push(exact);
        }
    }
    match distinct.len() {
        1 => exact_plan(field, distinct.remove(0)),
        _ => Plan::Exists { field: field.name.clone(), text: exists_text(field) },
    }
}

fn term_set(field: &Field, mut terms: Vec<Vec<u8>>) -> Plan {
    let given: Vec<_> = terms.iter().map(|term| String::from_utf8_lossy(term).into_owned()).collect();
    terms.sort_unstable();
    terms.dedup();
    let texts: Vec<_> = terms.iter().map(|term| String::from_utf8_lossy(term)).collect();
    let text = format!("{}:({})", field.name, texts.join(" "));
    let set = TermSet::Terms(terms);
    match field.type_name {
        "wildcard" => wildcard_terms(field, set, &given.join("|")),
        _ => of_values(field, MultiTerm { field: field.name.clone(), set, text }),
    }
}

/// What values of a wildcard field are like an empty text: none.
pub fn like_nothing() -> Plan {
    Plan::nothing("Wildcard expression matches nothing")
}

/// A text as a pattern that it alone is like.
pub fn without_wildcards(text: &str) -> String {
    text.replace('\\', "\\\\").replace('*', "\\*").replace('?', "\\?")
}

/// Terms of a wildcard field. The reference shows one as a pattern that only it matches, several as they were given.
fn wildcard_terms(field: &Field, set: TermSet, shown: &str) -> Plan {
    let text = format!("WildcardMatchingQuery({}:\"{shown}\")", field.name);
    Plan::MultiTerm(MultiTerm { field: field.name.clone(), set, text: text.clone() }).shown_as(text)
}

/// Ascending ranges that do not touch.
pub fn disjoint(mut ranges: Vec<(i64, i64)>) -> Vec<(i64, i64)> {
    ranges.sort_unstable();
    let mut out: Vec<(i64, i64)> = Vec::with_capacity(ranges.len());
    for (lo, hi) in ranges {
        match out.last_mut() {
            Some((_, last)) if lo <= *last => *last = hi.max(*last),
            _ => out.push((lo, hi)),
        }
    }
    out
}

/// Documents that match any of the plans.
pub fn any(should: Vec<Plan>) -> Plan {
    Plan::Bool(crate::score::BoolPlan { should, ..Default::default() })
}

/// A number as a point of the field reads.
pub fn point_text(field: &Field, value: i64) -> String {
    match field.number_kind() {
        Some(NumberKind::Float | NumberKind::HalfFloat) => float_text(field.decode_number(value) as f32),
        Some(NumberKind::Double) => double_text(field.decode_number(value)),
        _ => value_text(field, value),
    }
}

/// A number as a doc value of the field reads.
fn value_text(field: &Field, value: i64) -> String {
    match field.number_kind() {
        Some(NumberKind::UnsignedLong) => decode_u64(value).to_string(),
        _ => value.to_string(),
    }
}

/// Whether the reference looks for numbers in points and in values, whatever is cheaper.
fn by_both(field: &Field) -> bool {
    field.spec.indexed == Indexed::Points && field.spec.doc_values != DocValues::None && field.family() != Family::SeqNo
}

fn points(field: &Field, lo: i64, hi: i64, approximate: bool) -> Plan {
    let name = &field.name;
    let of_points = format!("{name}:[{} TO {}]", point_text(field, lo), point_text(field, hi));
    let of_values = format!("{name}:[{} TO {}]", value_text(field, lo), value_text(field, hi));
    let indexed = field.spec.indexed == Indexed::Points;
    let both = by_both(field);
    let text = match (both, indexed) {
        (true, _) => format!("IndexOrDocValuesQuery(indexQuery={of_points}, dvQuery={of_values})"),
        (false, true) => of_points.clone(),
        (false, false) => of_values.clone(),
    };
    let approximate = approximate && indexed && field.family() != Family::SeqNo;
    if !indexed && lo > hi {
        return Plan::nothing("").written_as(of_values);
    }
    let points = PointSet {
        field: name.clone(),
        ranges: if lo <= hi { vec![(lo, hi)] } else { vec![] },
        text,
        explained: if !both && indexed { of_points.clone() } else { of_values.clone() },
        approximate,
        of_now: false,
        enough: None,
        rewritten: None,
    };
    let written = points.approximate.then(|| {
        format!("ApproximateScoreQuery(originalQuery={}, approximationQuery=Approximate({of_points}))", points.text)
    });
    match written {
        Some(written) => Plan::Points(points).written_as(written),
        // Of what only goes over values the reference does not know the field.
        None if !indexed => Plan::Points(points).shown_as(of_values),
        None => Plan::Points(points),
    }
}

/// Values within bounds.
pub fn range(cx: &PlanContext, field: &Field, bounds: &RangeBounds) -> Result<Plan> {
    if bounds.lower().is_none() && bounds.upper().is_none() {
        return exists(cx, &field.name);
    }
    match field.family() {
        Family::Id
        | Family::Index
        | Family::Source
        | Family::FieldNames
        | Family::Version
        | Family::DocCount
        | Family::Binary
        | Family::Percolator => {
            return Err(no_range(field));
        }
        _ if field.type_name == "wildcard" => return Err(Error::new(ErrorKind::UnsupportedOperation, "TODO")),
        _ => check_searchable(cx, field)?,
    }
    let name = &field.name;
    Ok(match field.range(bounds, cx.dates.now_ms)? {
        FieldRange::Numbers(lo, hi) if now_range::names_now(field, bounds) => {
            now_range::written(field, points(field, lo, hi, false))
        }
        FieldRange::Numbers(lo, hi) => points(field, lo, hi, true),
        FieldRange::Bytes(lo, hi) if field.family() == Family::Ip => {
            let (first, last) = ends(&lo, &hi);
            ip_shown(ip_range(field, &first, &last), &first, &last)
        }
        FieldRange::Bytes(lo, hi) if field.family() == Family::Boolean => boolean_range(field, &lo, &hi),
        FieldRange::Bytes(lo, hi) => {
            let text = range_text(name, &lo, &hi);
            let set = TermSet::Range(lo, hi);
            if goes_over_values(field) {
                return Ok(of_values(field, MultiTerm { field: name.clone(), set, text }));
            }
            let plan = Plan::MultiTerm(MultiTerm { field: name.clone(), set, text: text.clone() });
            match field.family() == Family::Keyword {
                true if has_keywords_twice(field) => {
                    let either = |values: &str| format!("IndexOrDocValuesQuery(indexQuery={text}, dvQuery={values})");
                    let constant = format!("ConstantScore({text})");
                    // One highlighter marks what its index finds, and what its doc values do.
                    let marks = Marks {
                        plan: any(vec![plan.clone(), plan.clone()]),
                        seen: Seen { unified: true, ..Seen::BY_NONE },
                        rest_sees_query: true,
                        most: usize::MAX,
                    };
                    plan.constant().shown_as(either(&constant)).written_with_marks(either(&text), marks)
                }
                // Below a flat object terms stand elsewhere, and with them what is shown; its own are called otherwise.
                true if field.terms_elsewhere().is_some() || field.type_name == "flat_object" => plan,
                true if field.type_name != "keyword" => plan.constant(),
                _ => plan,
            }
        }
        FieldRange::Matching(test) => matching(name, test),
        FieldRange::All => Plan::All,
        FieldRange::Nothing if field.family() == Family::Date => rewritten_to_none(),
        FieldRange::Nothing => Plan::nothing(""),
    })
}

/// Whether ranges of keywords go over terms or values, whichever are fewer. What is derived is indexed as a keyword is by default.
pub fn has_keywords_twice(field: &Field) -> bool {
    match &field.derived {
        Some(derived) => derived.type_name == "keyword",
        None => field.type_name == "keyword" && field.spec.doc_values != DocValues::None,
    }
}

fn boolean_range(field: &Field, lo: &Bound<Vec<u8>>, hi: &Bound<Vec<u8>>) -> Plan {
    use std::ops::RangeBounds as _;
    let range = (lo.as_ref().map(|b| b[..].to_vec()), hi.as_ref().map(|b| b[..].to_vec()));
    let terms: Vec<Exact> = [&b"F"[..], b"T"]
        .into_iter()
        .filter(|t| range.contains(&t.to_vec()))
        .map(|t| Exact::Bytes(t.to_vec()))
        .collect();
    if terms.is_empty() { Plan::nothing("") } else { booleans(field, terms) }
}

fn range_text(name: &str, lo: &Bound<Vec<u8>>, hi: &Bound<Vec<u8>>) -> String {
    let show = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let low = match lo {
        Bound::Included(bytes) => format!("[{}", show(bytes)),
        Bound::Excluded(bytes) => format!("{{{}", show(bytes)),
        Bound::Unbounded => "[*".to_owned(),
    };
    let high = match hi {
        Bound::Included(bytes) => format!("{}]", show(bytes)),
        Bound::Excluded(bytes) => format!("{}}}", show(bytes)),
        Bound::Unbounded => "*]".to_owned(),
    };
    format!("{name}:{low} TO {high}")
}

/// Terms of `field` that `pattern` asks for. Where the mapping gives the one value of all documents, that decides.
pub fn pattern_plan(cx: &PlanContext, field: &Field, rewrite: &Rewrite, pattern: MultiTerm) -> Result<Plan> {
    let Some(value) = field.constant() else {
        // The terms to choose from stand where those of the field are.
        let pattern = super::adapt::adapt_pattern(field, pattern);
        return match field.type_name {
            // Its own query is never rewritten.
            "wildcard" => Rewrite::Default.apply(cx, wildcard_matching(pattern)),
            _ if goes_over_values(field) => rewrite.check().map(|()| of_values(field, pattern)),
            _ => rewrite.apply(cx, pattern),
        };
    };
    let value = value.as_bytes();
    let matches = match &pattern.set {
        TermSet::Prefix(prefix) => value.starts_with(prefix),
        TermSet::Pattern(pattern) => value.starts_with(pattern.prefix()) && pattern.matches(value),
        TermSet::Terms(terms) => terms.iter().any(|term| term == value),
        TermSet::Range(..) => false,
    };
    Ok(match matches {
        true => Plan::All,
        false => Plan::nothing(""),
    })
}

/// Under the text that patterns on fields of type `wildcard` have.
fn wildcard_matching(pattern: MultiTerm) -> MultiTerm {
    let name = &pattern.field;
    let text = pattern.text.strip_prefix(&**name).and_then(|rest| rest.strip_prefix(':')).unwrap_or(&pattern.text);
    MultiTerm { text: format!("WildcardMatchingQuery({name}:\"{text}\")"), ..pattern }
}

/// The error of a pattern query on a field that has no terms.
pub fn check_has_terms(cx: &PlanContext, field: &Field, kind: &str) -> Result<()> {
    if field.constant().is_some() {
        return Ok(());
    }
    if has_strings(field) {
        return Ok(());
    }
    if !matches!(field.family(), Family::Text | Family::Keyword | Family::Join | Family::SemanticVersion) {
        return Err(has_no_terms(cx, field, kind));
    }
    if field.family() == Family::SemanticVersion && field.spec.indexed == Indexed::No {
        let kind = kind[..1].to_uppercase() + &kind[1..];
        return Err(Error::illegal_argument(format!("{kind} queries require the field to be indexed")));
    }
    check_searchable(cx, field)
}

/// Whether a field that the mapping has by itself is searched as keywords are.
pub fn has_strings(field: &Field) -> bool {
    matches!(field.family(), Family::Ignored | Family::Routing | Family::NestedPath | Family::Join)
}

/// The error of a fuzzy query on a field that has no terms.
pub fn no_fuzzy(field: &Field) -> Error {
    Error::illegal_argument(format!(
        "Can only use fuzzy queries on keyword and text fields - not on [{}] which is of type [{}]",
        field.name, field.type_name
    ))
}

pub fn has_no_terms(cx: &PlanContext, field: &Field, kind: &str) -> Error {
    cx.error(format!(
        "Can only use {kind} queries on keyword and text fields - not on [{}] which is of type [{}]",
        field.name, field.type_name
    ))
}

/// A text as the terms of a keyword field are normalized. Texts of analysed fields stay as they are.
pub fn indexed_text<'t>(field: &Field, text: &'t str) -> Cow<'t, str> {
    match field.normalizer() {
        Some(normalizer) => Cow::Owned(normalizer.normalize(text).into_owned()),
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_joined() {
        assert_eq!(disjoint(vec![(5, 9), (1, 2), (2, 3), (8, 12)]), [(1, 3), (5, 12)]);
    }
}
