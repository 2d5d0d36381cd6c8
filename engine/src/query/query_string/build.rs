//! The tree of a query string to a plan.

use super::QueryString;
use super::parser::{Clause, Conjunction, Leaf, Modifier, Node, before_mistake, parse};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::mapping::{Family, Field, Indexed, RangeBounds, SearchAsYouType};
use crate::query::fuzziness::{AUTO, written_distance};
use crate::query::minimum_should_match::minimum;
use crate::query::multi_match::{Given, Type, multi_field_plan, resolve, with_suffix};
use crate::query::prefix::{indexed_prefix, prefix_terms};
use crate::query::regexp::{Expression, check_regexp_length, regexp_plan};
use crate::query::rewrite::Rewrite;
use crate::query::term_scan::{FuzzyOptions, rewritten_fuzzy};
use crate::query::text::{
    Operator, TextOptions, ZeroTerms, analyzed_prefix, is_dropped, is_lenient, named_analyzer, normalize,
    normalize_as_named,
};
use crate::query::wildcard::wildcard_terms;
use crate::query::wildcard_pieces::of_pieces;
use crate::query::{PlanContext, fields, one_value, pattern};
use crate::score::{BoolPlan, ClauseOrder, Occur, Plan};
use std::sync::Arc;

pub fn plan(cx: &PlanContext, query: &QueryString) -> Result<Plan> {
    // Whatever stands in the text, the analyzers are looked up first.
    named_analyzer(cx, &query.options)?;
    if let Some(name) = &query.quote_analyzer
        && cx.mapping.analysis().analyzer(name).is_none()
    {
        return Err(cx.error(format!("[query_string] quote_analyzer [{name}] not found")));
    }
    if query.query.chars().all(|c| c <= ' ') {
        return Ok(Plan::nothing("Matching no documents because no terms present"));
    }
    let failed = |error: Error| cx.error(format!("Failed to parse query [{}]", query.query)).caused_by(error);
    check_length(cx, &query.query).map_err(failed)?;
    let escaped;
    let text = match query.escape {
        true => {
            escaped = escape(&query.query);
            &escaped
        }
        false => &query.query,
    };
    let names: Vec<(String, f32)> = match &query.default_field {
        Some(name) => vec![(name.clone(), 1.0)],
        None => query.fields.clone(),
    };
    let (mut fields, all) = resolve(cx, &names, Given::Sorted);
    // Fields that there are not count for nothing beside others.
    if fields.iter().any(|(name, _)| cx.field(name).is_some()) {
        fields.retain(|(name, _)| cx.field(name).is_some());
    }
    let lenient = query.lenient.unwrap_or(all || cx.mapping.lenient_query_strings());
    let zero_terms = ZeroTerms::Drop;
    let options = TextOptions { lenient, operator: query.default_operator, zero_terms, ..query.options.clone() };
    let builder = Builder { cx, query, fields, options };
    let planned = match parse(text) {
        Ok(node) => builder.node(&node),
        Err(mistake) => {
            let mut before = before_mistake(text).into_iter();
            match before.try_for_each(|(field, leaf)| builder.leaf(field.as_deref(), &leaf).map(drop)) {
                Ok(()) if mistake.kind() == ErrorKind::Parse => return Err(failed(mistake)),
                Ok(()) => Err(mistake),
                Err(error) => Err(error),
            }
        }
    };
    let plan = match planned {
        // What the syntax allows but a setting does not is an error of parsing all the same.
        Err(error) if error.kind() == ErrorKind::Parse && error.cause().is_none() => {
            let reason = format!("Cannot parse '{text}': {}", error.reason());
            return Err(failed(Error::new(ErrorKind::Parse, reason).caused_by(error)));
        }
        Err(error) => {
            // Of patterns that come to too many terms it is told behind the parser.
            let cause = error.cause().filter(|cause| cause.kind() == ErrorKind::TooManyClauses).cloned();
            let reason = format!("Cannot parse '{text}': too many boolean clauses");
            return Err(cause.map_or(error, |cause| failed(Error::new(ErrorKind::Parse, reason).caused_by(cause))));
        }
        plan => plan?.unwrap_or_else(|| Plan::Bool(BoolPlan::default())),
    };
    apply_minimum(fix_negative(plan), query.minimum_should_match.as_deref())
}

const LEADING_WILDCARD: &str = "'*' or '?' not allowed as first character in WildcardQuery";

fn check_length(cx: &PlanContext, text: &str) -> Result<()> {
    let max = cx.limits.max_query_string_length;
    // No text has more characters than bytes.
    let length = if text.len() <= max { text.len() } else { text.encode_utf16().count() };
    if length <= max {
        return Ok(());
    }
    let reason = format!(
        "Query string length exceeds max allowed length {max} (search.query.max_query_string_length); actual length: {length}"
    );
    Err(Error::new(ErrorKind::Parse, reason))
}

/// Takes the meaning from all characters of the syntax.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if r#"\+-!():^[]"{}~*?|&/"#.contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A boolean of nothing but negations is one of everything else.
fn fix_negative(plan: Plan) -> Plan {
    match plan {
        Plan::Bool(mut inner)
            if inner.must.is_empty()
                && inner.filter.is_empty()
                && inner.should.is_empty()
                && !inner.must_not.is_empty() =>
        {
            inner.filter.push(Plan::All);
            Plan::Bool(inner)
        }
        other => other,
    }
}

fn apply_minimum(plan: Plan, spec: Option<&str>) -> Result<Plan> {
    Ok(match (plan, spec) {
        // Where nothing is optional a plain number asks for more than there is.
        (Plan::Bool(inner), Some(spec)) => {
            let minimum_should_match = minimum(inner.should.len(), spec)?;
            Plan::Bool(BoolPlan { minimum_should_match, ..inner })
        }
        (Plan::Boost(inner, by), spec) => Plan::Boost(Box::new(apply_minimum(*inner, spec)?), by),
        (plan, _) => plan,
    })
}

struct Builder<'a> {
    cx: &'a PlanContext<'a>,
    query: &'a QueryString,
    /// Where terms without a field are looked for.
    fields: Vec<(Arc<str>, f32)>,
    options: TextOptions,
}

impl Builder<'_> {
    /// None for text that analysis leaves nothing of.
    fn node(&self, node: &Node) -> Result<Option<Plan>> {
        match node {
            Node::Clauses(clauses) => self.clauses(clauses),
            // The parser's own boost is there for what matches nothing, too.
            Node::Boost(inner, boost) => Ok(self.node(inner)?.map(|plan| Plan::Boost(Box::new(plan), *boost))),
            Node::Leaf { field, leaf } => self.leaf(field.as_deref(), leaf),
        }
    }

    fn clauses(&self, clauses: &[Clause]) -> Result<Option<Plan>> {
        let and = self.query.default_operator == Operator::And;
        let mut out: Vec<(Occur, Plan)> = Vec::with_capacity(clauses.len());
        let mut begins_plain = false;
        for (place, clause) in clauses.iter().enumerate() {
            if let Some((occur, _)) = out.last_mut().filter(|(occur, _)| *occur != Occur::MustNot) {
                match clause.conjunction {
                    Conjunction::And => *occur = Occur::Must,
                    Conjunction::Or if and => *occur = Occur::Should,
                    _ => {}
                }
            }
            let Some(plan) = self.node(&clause.node)? else { continue };
            begins_plain |= place == 0 && clause.modifier == Modifier::None;
            let occur = match (clause.modifier, and) {
                (Modifier::Not, _) => Occur::MustNot,
                (Modifier::Required, _) => Occur::Must,
                (Modifier::None, false) if clause.conjunction == Conjunction::And => Occur::Must,
                (Modifier::None, true) if clause.conjunction != Conjunction::Or => Occur::Must,
                _ => Occur::Should,
            };
            match plan {
                // The words of one text are clauses of the whole, so that other clauses stand beside each of them.
                Plan::Bool(inner) if clause.is_words && clauses.len() > 1 && inner.minimum_should_match == 0 => {
                    out.extend(inner.must.into_iter().map(|plan| (Occur::Must, plan)));
                    out.extend(inner.should.into_iter().map(|plan| (Occur::Should, plan)));
                }
                plan => out.push((occur, plan)),
            }
        }
        crate::query::bool_query::check_clauses(self.cx, out.len())?;
        // One that is required in so many words stays a clause.
        if begins_plain && out.len() == 1 {
            return Ok(out.pop().map(|(_, plan)| plan));
        }
        if out.is_empty() {
            return Ok(None);
        }
        let mut plan = BoolPlan { order: ClauseOrder::of(out.iter().map(|(occur, _)| *occur)), ..BoolPlan::default() };
        for (occur, clause) in out {
            match occur {
                Occur::Must => plan.must.push(clause),
                Occur::Should => plan.should.push(clause),
                Occur::MustNot => plan.must_not.push(clause),
                Occur::Filter => plan.filter.push(clause),
            }
        }
        Ok(Some(fix_negative(Plan::Bool(plan))))
    }

    fn leaf(&self, field: Option<&str>, leaf: &Leaf) -> Result<Option<Plan>> {
        if let (Some("*") | None, Leaf::Any) = (field, leaf) {
            return Ok(Some(self.any(field)?));
        }
        if let (Some("_exists_"), Leaf::Text(name)) = (field, leaf) {
            return Ok(Some(fields::exists(self.cx, name)?));
        }
        if let Leaf::Regexp(pattern) = leaf {
            check_regexp_length(self.cx, pattern, "[query_string]")?;
        }
        let targets = match field {
            None => self.fields.clone(),
            Some(name) => resolve(self.cx, &[(name.to_owned(), 1.0)], Given::Sorted).0,
        };
        if let Some(name) = field
            && targets.iter().all(|(target, _)| self.cx.field(target).is_none())
        {
            let anything = if matches!(leaf, Leaf::Any) { Some(fields::exists(self.cx, name)?) } else { None };
            // An object is no field, but has some.
            return Ok(match anything {
                None | Some(Plan::Nothing(_)) => Some(Plan::nothing(unmapped(name, leaf))),
                of_object => of_object,
            });
        }
        if field.is_none() && targets.is_empty() {
            // What stands for all fields has a name, the fields that are asked for have none.
            let name = if self.query.fields.is_empty() { "*" } else { "null" };
            return Ok(Some(Plan::nothing(unmapped(name, leaf))));
        }
        if field.is_none()
            && !self.query.fields.is_empty()
            && targets.iter().all(|(target, _)| self.cx.field(target).is_none())
        {
            // None of several fields is told.
            return Ok(Some(Plan::nothing(unmapped("null", leaf))));
        }
        let named = field.or(self.query.default_field.as_deref().filter(|name| *name != "*"));
        match leaf {
            Leaf::Text(text) => match named.and_then(|name| self.one_sided(name, text)) {
                Some(range) => self.on_each(&targets, field, &range),
                None if matches!(self.query.kind, Type::Phrase | Type::PhrasePrefix) => {
                    let options = self.options.clone().with_slop(self.query.phrase_slop);
                    self.text(&targets, self.query.kind, text, &options)
                }
                None => self.text(&targets, self.query.kind, text, &self.options),
            },
            Leaf::Phrase { text, slop } => {
                let mut options = match slop {
                    Some(slop) => TextOptions { slop: *slop, ..self.options.clone() },
                    None => self.options.clone().with_slop(self.query.phrase_slop),
                };
                if let Some(analyzer) = &self.query.quote_analyzer {
                    options.analyzer = Some(analyzer.clone());
                }
                let targets = self.with_quote_suffix(targets);
                self.text(&targets, Type::Phrase, text, &options)
            }
            Leaf::Any => match field {
                Some(name) => fields::exists(self.cx, name).map(Some),
                None => Ok(Some(Plan::All)),
            },
            _ => self.on_each(&targets, field, leaf),
        }
    }

    /// The best of what a leaf finds in each of the fields. `written`: the name that stands before it.
    fn on_each(&self, targets: &[(Arc<str>, f32)], written: Option<&str>, leaf: &Leaf) -> Result<Option<Plan>> {
        let mut plans = Vec::with_capacity(targets.len());
        // One name may be an alias, of which is told under that name.
        let written = written.filter(|name| !name.contains('*') && targets.len() == 1);
        for (name, boost) in targets {
            if let Some(plan) = self.lenient(written.unwrap_or(name), self.one_field(name, leaf))? {
                plans.push(match plan {
                    // Shown with what it would have counted for.
                    nothing @ Plan::Nothing(_) if *boost != 1.0 => Plan::Boost(Box::new(nothing), *boost),
                    plan => plan.boosted(*boost),
                });
            }
        }
        Ok(match plans.len() {
            0 | 1 => plans.pop(),
            _ => Some(Plan::DisMax { plans, tie_breaker: self.tie_breaker() }),
        })
    }

    /// `>10`, `>=10`, `<10` and `<=10` behind the name of a field are ranges; so is a date where a time zone is given, which
    /// stands for all of its day, month or year there.
    fn one_sided(&self, field: &str, text: &str) -> Option<Leaf> {
        let (sign, rest) = text.split_at_checked(1).filter(|(_, rest)| !rest.is_empty())?;
        let inclusive = rest.strip_prefix('=').filter(|rest| !rest.is_empty());
        let bound = Some(inclusive.unwrap_or(rest).to_owned());
        let (lower, upper, included) = match sign {
            ">" => (bound, None, (inclusive.is_some(), true)),
            "<" => (None, bound, (true, inclusive.is_some())),
            _ => {
                let is_date = self.cx.field(field).is_some_and(|field| field.family() == Family::Date);
                let whole = Some(text.to_owned()).filter(|_| is_date && self.query.time_zone.is_some())?;
                (Some(whole.clone()), Some(whole), (true, true))
            }
        };
        Some(Leaf::Range { lower, include_lower: included.0, upper, include_upper: included.1 })
    }

    fn tie_breaker(&self) -> f32 {
        self.query.tie_breaker.unwrap_or(self.query.kind.tie_breaker())
    }

    /// `*`: anything in the default fields; `*:*`: everything.
    fn any(&self, field: Option<&str>) -> Result<Plan> {
        let named = self.query.default_field.as_deref().filter(|name| *name != "*");
        match (field, named) {
            (None, Some(name)) => fields::exists(self.cx, name),
            (None, None) if !self.query.fields.is_empty() => {
                let plans = (self.fields.iter())
                    .map(|(name, boost)| Ok(fields::exists(self.cx, name)?.boosted(*boost)))
                    .collect::<Result<_>>()?;
                Ok(Plan::DisMax { plans, tie_breaker: self.tie_breaker() })
            }
            _ => Ok(Plan::All),
        }
    }

    fn with_quote_suffix(&self, targets: Vec<(Arc<str>, f32)>) -> Vec<(Arc<str>, f32)> {
        with_suffix(self.cx, targets, self.query.quote_field_suffix.as_deref())
    }

    /// None for text that analysis leaves nothing of.
    fn text(&self, targets: &[(Arc<str>, f32)], kind: Type, text: &str, options: &TextOptions) -> Result<Option<Plan>> {
        let value = Value::String(text.to_owned());
        let tie_breaker = Some(self.tie_breaker());
        let plan = multi_field_plan(self.cx, kind, targets, &value, tie_breaker, options)?;
        Ok((!is_dropped(&plan)).then_some(plan))
    }

    /// Without `lenient` errors stay; with it a value that does not fit the field matches nothing.
    fn lenient(&self, name: &str, plan: Result<Option<Plan>>) -> Result<Option<Plan>> {
        match plan {
            // What the syntax does not allow is no matter of values.
            Err(error) if error.reason() == LEADING_WILDCARD => Err(error),
            Err(error) if self.options.lenient && is_lenient(&error) => {
                let (kind, reason) = (error.kind().type_name(), error.reason());
                Ok(Some(Plan::nothing(format!("failed [{name}] query, caused by {kind}:[{reason}]"))))
            }
            other => other,
        }
    }

    fn normalize(&self, field: &Field, text: &str) -> Result<String> {
        normalize_as_named(self.cx, field, text, &self.options)
    }

    /// The same for what the reference asks the type of the field to do: the analyzer that the query names counts for texts alone.
    fn normalize_own(&self, field: &Field, text: &str) -> Result<String> {
        match field.family() {
            Family::Text => self.normalize(field, text),
            _ => Ok(normalize(field, text)),
        }
    }

    /// A bound of a range. The analyzer that the query names counts for every type, be it dates.
    fn normalize_bound(&self, field: &Field, bound: &Option<String>) -> Result<Option<Value>> {
        let Some(text) = bound else { return Ok(None) };
        let named = named_analyzer(self.cx, &self.options)?;
        Ok(Some(Value::String(match named {
            Some(analyzer) => analyzer.normalize(text),
            None if field.family() == Family::Text => normalize(field, text),
            None => text.clone(),
        })))
    }

    /// What stands between wildcards, each part by itself. Wildcards and what is escaped stay as they are.
    fn normalize_parts(&self, field: &Field, pattern: &str) -> Result<String> {
        pattern::between_wildcards(pattern, |part| self.normalize_part(field, part))
    }

    fn normalize_part(&self, field: &Field, part: &str) -> Result<String> {
        // What the field itself would do to a text is left out.
        let named = if self.query.analyze_wildcard { named_analyzer(self.cx, &self.options)? } else { None };
        if let Some(analyzer) = named {
            return Ok(analyzer.normalize(part));
        }
        match self.query.analyze_wildcard {
            true => self.normalize(field, part),
            false => self.normalize_own(field, part),
        }
    }

    fn prefix(&self, field: &Field, text: &str) -> Result<Plan> {
        // What is the default here is none of those that take the scores of what is searched as it is typed away.
        let rewrite = match &self.query.rewrite {
            Rewrite::Default if field.type_name == SearchAsYouType::NAME => &Rewrite::ScoringBoolean,
            given => given,
        };
        match indexed_prefix(self.cx, field, text, false, rewrite) {
            Some(plan) => Ok(plan),
            None => fields::pattern_plan(self.cx, field, &self.query.rewrite, prefix_terms(field, text, false)),
        }
    }

    fn wildcard(&self, name: &str, field: &Field, pattern: &str) -> Result<Plan> {
        let cx = self.cx;
        let allowed = self.query.allow_leading_wildcard.unwrap_or(cx.limits.allow_leading_wildcard);
        if !allowed && pattern.starts_with(['*', '?']) {
            return Err(Error::new(ErrorKind::Parse, LEADING_WILDCARD));
        }
        // What an analyzer is named for is a pattern over terms, whatever the field is.
        if !(self.query.analyze_wildcard && self.options.analyzer.is_some()) {
            if field.constant().is_some() {
                return Err(fields::has_no_terms(cx, field, "wildcard"));
            }
            fields::check_has_terms(cx, field, "wildcard")?;
        }
        if field.type_name == "wildcard" {
            return Rewrite::Default.apply(cx, of_pieces(field, pattern));
        }
        if field.type_name == "flat_object" || field.terms_elsewhere().is_some() {
            // Looked for under the name of the field, where no values are.
            let written = format!("{name}:{pattern}");
            return Ok(Plan::nothing("no values of flat objects").written_as(written));
        }
        // Patterns are held against terms of the index alone here, others against values as well.
        if field.family() == Family::Keyword && !matches!(field.spec.indexed, Indexed::Terms { .. }) {
            let reason = format!("Cannot search on field [{}] since it is not indexed.", field.name);
            return Err(Error::illegal_argument(reason));
        }
        let terms = wildcard_terms(field, &self.normalize_parts(field, pattern)?, false);
        fields::pattern_plan(cx, field, &self.query.rewrite, terms)
    }

    fn one_field(&self, name: &str, leaf: &Leaf) -> Result<Option<Plan>> {
        let cx = self.cx;
        let Some(field) = cx.field(name) else {
            return Ok(Some(Plan::nothing(format!("unmapped field [{name}]"))));
        };
        Ok(Some(match leaf {
            Leaf::Prefix(text) => {
                if let Some(plan) = one_value::prefix_of_field(cx, field, text) {
                    return Ok(Some(plan));
                }
                if !field.family().is_analysed() {
                    return Ok(Some(Plan::nothing(format!("unmapped fields [{name}]"))));
                }
                fields::check_has_terms(cx, field, "prefix")?;
                if self.query.analyze_wildcard && field.family() == Family::Text {
                    return analyzed_prefix(cx, field, text, &self.options, &|text| self.prefix(field, text));
                }
                self.prefix(field, &self.normalize_own(field, text)?)?
            }
            Leaf::Wildcard(pattern) => return self.wildcard(name, field, pattern).map(Some),
            Leaf::Fuzzy { text, distance } => {
                let has_terms = matches!(field.family(), Family::Text | Family::Keyword) || fields::has_strings(field);
                if !has_terms || field.type_name == "wildcard" {
                    return Err(fields::no_fuzzy(field));
                }
                fields::check_has_terms(cx, field, "fuzzy")?;
                if let Some(reason) = self.options.refused_fuzzy {
                    return Err(Error::illegal_argument(reason));
                }
                let text = self.normalize(field, text)?;
                let fuzziness = match distance {
                    Some(distance) => written_distance(distance)?,
                    None => self.query.fuzziness.unwrap_or(AUTO),
                };
                let options = FuzzyOptions {
                    edits: fuzziness.edits(&text),
                    prefix_length: self.options.prefix_length,
                    max_expansions: self.options.max_expansions,
                    transpositions: self.options.transpositions,
                };
                rewritten_fuzzy(cx, field, &text, options, &self.options.fuzzy_rewrite)?
            }
            Leaf::Range { lower, include_lower, upper, include_upper } => {
                let (lower, upper) = (self.normalize_bound(field, lower)?, self.normalize_bound(field, upper)?);
                let bounds = RangeBounds {
                    gte: lower.as_ref().filter(|_| *include_lower),
                    gt: lower.as_ref().filter(|_| !*include_lower),
                    lte: upper.as_ref().filter(|_| *include_upper),
                    lt: upper.as_ref().filter(|_| !*include_upper),
                    format: None,
                    time_zone: self.query.time_zone.as_deref(),
                    ..RangeBounds::default()
                };
                fields::range(cx, field, &bounds)?
            }
            Leaf::Regexp(pattern) => {
                fields::check_has_terms(cx, field, "regexp")?;
                let pattern = self.normalize(field, pattern)?;
                let expression =
                    Expression { max_states: self.query.max_determinized_states, ..Expression::new(pattern) };
                regexp_plan(cx, field, &expression, &self.query.rewrite)?
            }
            Leaf::Text(_) | Leaf::Phrase { .. } | Leaf::Any => return Ok(None),
        }))
    }
}
/// Why nothing is found in a field that there is not: of patterns the reference tells these instead.
fn unmapped(name: &str, leaf: &Leaf) -> String {
    match leaf {
        Leaf::Prefix(pattern) | Leaf::Wildcard(pattern) | Leaf::Regexp(pattern) => {
            format!("unmapped fields [{pattern}]")
        }
        Leaf::Any => format!("unmapped field:{name}"),
        Leaf::Text(_) | Leaf::Phrase { .. } | Leaf::Fuzzy { .. } | Leaf::Range { .. } => {
            format!("unmapped fields [{name}]")
        }
    }
}
