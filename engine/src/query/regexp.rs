//! `regexp`: documents with a term that a regular expression matches.

pub use crate::regexp::Flags;

use super::fields;
use super::node::{Common, Node, check_name, multiple_fields, unsupported};
use super::rewrite::Rewrite;
use super::{Kind, PlanContext, Query, Sought, SoughtValues};
use crate::error::{Error, Result};
use crate::json::Value;
use crate::mapping::Field;
use crate::regexp::{self, Dfa, MAX_STATES};
use crate::score::{Automaton, MultiTerm, Plan, TermSet};
use std::sync::Arc;

/// The parameters of a regular expression.
#[derive(Clone, Debug)]
pub struct Expression {
    pub value: String,
    pub flags: Flags,
    pub case_insensitive: bool,
    pub max_states: usize,
}

impl Expression {
    pub fn new(value: impl Into<String>) -> Self {
        Self { value: value.into(), flags: Flags::ALL, case_insensitive: false, max_states: MAX_STATES }
    }

    fn automaton(&self) -> Result<Dfa> {
        Dfa::new(&regexp::parse(&self.value, self.flags, self.case_insensitive)?, self.max_states)
    }

    /// Whether a few characters of it may stand for many states.
    fn repeats(&self) -> bool {
        self.value.contains(['{', '<', '~', '&'])
    }
}

#[derive(Debug)]
struct Regexp {
    field: String,
    expression: Expression,
    rewrite: Rewrite,
}

pub fn parse(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let mut found: Option<Regexp> = None;
    // What is wrong with a field is told when all have been read.
    let mut late = Ok(());
    for field in node.fields() {
        match field.node.value {
            Value::Object(_) => {
                if let Some(first) = &found {
                    return Err(multiple_fields(field.node, "regexp", &first.field, field.key));
                }
                found = Some(parse_field(field.key, field.node, &mut common, &mut late)?);
            }
            _ => {
                if let Some(first) = &found {
                    return Err(multiple_fields(field.node, "regexp", &first.field, field.key));
                }
                let expression = match field.node.value.is_null() {
                    true => Expression::new(""),
                    false => Expression::new(field.node.text()?),
                };
                if field.node.value.is_null() {
                    late = Err(Error::illegal_argument("value cannot be null"));
                }
                found = Some(Regexp { field: field.key.to_owned(), expression, rewrite: Rewrite::Default });
            }
        }
    }
    let regexp = found.ok_or_else(|| Error::illegal_argument("field name is null or empty"))?;
    check_name(&regexp.field)?;
    late.map(|()| Query::new(common, regexp))
}

fn parse_field(name: &str, node: Node, common: &mut Common, late: &mut Result<()>) -> Result<Regexp> {
    let mut expression = Expression::new("");
    let (mut value, mut rewrite, mut max_states) = (None, Rewrite::Default, None);
    for inner in node.fields() {
        match inner.key {
            "value" if matches!(inner.node.value, Value::Null) => value = None,
            "value" => value = Some(inner.node.text()?),
            "boost" | "_name" => {
                common.take(inner.key, inner.node)?;
            }
            "rewrite" => rewrite = Rewrite::parse(inner.node)?,
            "flags" if matches!(inner.node.value, Value::Null) => {}
            "flags" => expression.flags = Flags::of(&inner.node.text()?).map_err(|error| error.at(inner.node.pos()))?,
            "flags_value" => expression.flags = Flags::of_bits(inner.node.i32()?),
            "max_determinized_states" => max_states = Some(inner.node.i32()?),
            "case_insensitive" => expression.case_insensitive = inner.node.bool()?,
            key => return Err(unsupported(inner.node, "regexp", key)),
        }
    }
    match (value, max_states.map(usize::try_from)) {
        (None, _) => *late = Err(Error::illegal_argument("value cannot be null")),
        (Some(value), None) => expression.value = value,
        (Some(value), Some(Ok(most))) => (expression.value, expression.max_states) = (value, most),
        (Some(_), Some(Err(_))) => {
            let given = max_states.unwrap_or_default();
            let reason = format!("[regexp] max_determinized_states cannot be negative but was [{given}]");
            *late = Err(Error::illegal_argument(reason));
        }
    }
    Ok(Regexp { field: name.to_owned(), expression, rewrite })
}

impl Kind for Regexp {
    fn sought(&self) -> Option<Sought<'_>> {
        Some(Sought { field: &self.field, values: SoughtValues::Other })
    }

    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        check_regexp_length(cx, &self.expression.value, "Regexp Query request")?;
        self.rewrite.check()?;
        let Some(field) = cx.field(&self.field) else {
            // The reference looks for terms of it all the same.
            let pattern = terms_matching(&self.field.as_str().into(), &self.expression, self.expression.automaton()?);
            let rewrite = match &self.rewrite {
                Rewrite::Default => &Rewrite::Constant,
                given => given,
            };
            return rewrite.apply(cx, pattern);
        };
        fields::check_has_terms(cx, field, "regexp")?;
        cx.check_expensive("[regexp] queries", "")?;
        let value = fields::indexed_text(field, &self.expression.value).into_owned();
        regexp_plan(cx, field, &Expression { value, ..self.expression.clone() }, &self.rewrite)
    }

    fn plans_long(&self) -> bool {
        self.expression.repeats()
    }

    fn is_multi_term(&self) -> bool {
        true
    }
}

/// Refuses expressions that are longer than the index allows; `user` is who has them.
pub fn check_regexp_length(cx: &PlanContext, text: &str, user: &str) -> Result<()> {
    let (length, limit) = (text.encode_utf16().count(), cx.limits.max_regex_length);
    if length <= limit {
        return Ok(());
    }
    Err(Error::illegal_argument(format!(
        "The length of regex [{length}] used in the {user} has exceeded the allowed maximum of [{limit}]. This maximum can be set by changing the [index.max_regex_length] index level setting."
    )))
}

/// The expression as Lucene writes it once it is parsed.
pub fn written(expression: &Expression) -> Result<String> {
    Ok(regexp::parse(&expression.value, expression.flags, expression.case_insensitive)?.to_string())
}

/// Documents of `field` with a term that the expression matches. Where pieces of values are looked for, the reference sees that an
/// expression matches everything or nothing.
pub fn regexp_plan(cx: &PlanContext, field: &Field, expression: &Expression, rewrite: &Rewrite) -> Result<Plan> {
    let dfa = expression.automaton()?;
    if field.type_name == "wildcard" {
        if dfa.matches_everything() {
            return Ok(fields::exists_in(cx, field));
        }
        if dfa.matches_nothing() {
            return Ok(Plan::nothing("Regular expression matches nothing"));
        }
    }
    fields::pattern_plan(cx, field, rewrite, terms_matching(&field.name, expression, dfa))
}

/// Terms of `field` that the expression matches.
pub fn regexp_terms(field: &Field, expression: &Expression) -> Result<MultiTerm> {
    Ok(terms_matching(&field.name, expression, expression.automaton()?))
}

fn terms_matching(field: &Arc<str>, expression: &Expression, dfa: Dfa) -> MultiTerm {
    let text = format!("{field}:/{}/", expression.value);
    MultiTerm { field: field.clone(), set: TermSet::Pattern(Arc::new(Pattern::new(dfa))), text }
}

/// What matches terms as the expression does, by all of Lucene's operators.
pub fn regexp_automaton(text: &str) -> Result<Arc<dyn Automaton>> {
    let parsed = regexp::parse(text, Flags::ALL, false)?;
    Ok(Arc::new(Pattern::new(Dfa::new(&parsed, MAX_STATES)?)))
}

/// An automaton with the prefix that all matching terms have.
#[derive(Debug)]
struct Pattern {
    dfa: Dfa,
    prefix: Vec<u8>,
}

impl Pattern {
    fn new(dfa: Dfa) -> Self {
        let prefix = dfa.prefix().into_bytes();
        Self { dfa, prefix }
    }
}

impl Automaton for Pattern {
    fn matches(&self, term: &[u8]) -> bool {
        std::str::from_utf8(term).is_ok_and(|text| self.dfa.matches(text))
    }

    fn prefix(&self) -> &[u8] {
        &self.prefix
    }
}
