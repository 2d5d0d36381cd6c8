//! `condition` and `predicate_token_filter`: filters that a script decides on.

use super::{StreamFilter, TokenFilter};
use crate::analysis::chain::{Named, apply};
use crate::analysis::params::Params;
use crate::analysis::registry::{Context, Lookup};
use crate::analysis::token::{Item, Term, TokenBuf};
use crate::error::{Error, ErrorKind, Result};
use crate::json::{self, Map, Value, line_col};
use crate::script::{PropertyScript, Script, context};
use std::sync::Arc;

/// What a script says yes to.
#[derive(Debug)]
struct Conditional {
    script: Arc<Script>,
    /// What tokens go through that the script says yes to, where others stay; where there is nothing, others go.
    filters: Option<Vec<TokenFilter>>,
}

pub(super) fn build(params: &Params, context: &Context) -> Result<TokenFilter> {
    let (script, names) = read(params)?;
    let components = context.components.deeper(params.name)?;
    let (mut before, mut filters) = (context.before.clone(), vec![]);
    for name in names {
        let filter = components.filter(&name, &before, context.lookup)?.ok_or_else(|| {
            if context.lookup == Lookup::Request {
                return Error::illegal_argument(format!("failed to find global filter under [{name}]"));
            }
            Error::illegal_argument(format!(
                "ScriptedConditionTokenFilter [{}] refers to undefined token filter [{name}]",
                params.name
            ))
        })?;
        before.push(Named::new(&name, filter.clone()));
        filters.push(filter);
    }
    Ok(TokenFilter::stream(Conditional { script, filters: Some(filters) }))
}

/// What is refused when the filter is defined, whoever uses it.
pub(super) fn check(params: &Params) -> Result<()> {
    read(params).map(drop)
}

fn read(params: &Params) -> Result<(Arc<Script>, Vec<String>)> {
    let script = script_of(params)?;
    let names = params.list("filter").unwrap_or_default();
    if names.is_empty() {
        return Err(Error::illegal_argument(
            "Empty list of filters provided to tokenfilter [".to_owned() + params.name + "]",
        ));
    }
    Ok((script, names))
}

pub(super) fn build_predicate(params: &Params, _: &Context) -> Result<TokenFilter> {
    Ok(TokenFilter::stream(Conditional { script: script_of(params)?, filters: None }))
}

/// The script, compiled once so that its mistakes are told when the filter is made.
fn script_of(params: &Params) -> Result<Arc<Script>> {
    let settings = params.object("script");
    check_parts_of(&settings)?;
    let is_stored = settings.get("id").is_some();
    let script = Script::parse(&Value::Object(settings))?;
    if is_stored {
        let name = params.name;
        return Err(Error::illegal_argument(format!("Cannot use stored scripts in tokenfilter [{name}]")));
    }
    script.program(&context::ANALYSIS)?;
    Ok(script)
}

/// Refuses what no script has. The reference tells where it stands in the settings of the script, written as JSON.
fn check_parts_of(settings: &Map) -> Result<()> {
    let text = Value::Object(settings.clone()).to_bytes();
    let Ok(Value::Object(placed)) = json::parse(&text) else { return Ok(()) };
    for entry in placed.entries {
        let part = Map::from_iter([(entry.key, entry.value)]);
        let Err(error) = Script::parse(&Value::Object(part)) else { continue };
        if error.kind() == ErrorKind::XContentParse {
            let is_unknown = error.reason().starts_with("[script] unknown field");
            let (line, col) = line_col(&text, if is_unknown { entry.key_pos } else { entry.value_pos });
            return Err(Error::new(ErrorKind::XContentParse, format!("[{line}:{col}] {}", error.reason())));
        }
    }
    Ok(())
}

impl Conditional {
    fn asks(&self, script: &mut PropertyScript, text: &str, item: &Item, position: u32) -> Result<bool> {
        let number = |number: u32| Value::Int(i64::from(number));
        script.accepts_with(
            [
                ("term", Value::from(text)),
                ("position", number(position)),
                ("positionIncrement", number(item.increment)),
                ("positionLength", number(item.length)),
                ("startOffset", number(item.start)),
                ("endOffset", number(item.end)),
                ("type", Value::from(item.kind)),
                ("keyword", Value::Bool(item.keyword)),
            ]
            .into_iter(),
        )
    }

    fn apply_all(&self, input: &TokenBuf, out: &mut TokenBuf) -> Result<()> {
        let mut script = PropertyScript::new(&self.script, &context::ANALYSIS, 0)?;
        let (mut term, mut front, mut back) = (Term::default(), TokenBuf::default(), TokenBuf::default());
        // The first token stands at 0, whatever its increment.
        let (mut next, mut gap, mut last_passed) = (0u32, 0u32, false);
        for (text, item) in input.iter() {
            next = next.saturating_add(item.increment);
            // The script sees the token as it came, not the gap that those before it have left.
            let passes = self.asks(&mut script, text, item, next.saturating_sub(1))?;
            last_passed = passes;
            let increment = item.increment.saturating_add(std::mem::take(&mut gap));
            match (&self.filters, passes) {
                (None, false) => gap = increment,
                (Some(filters), true) => {
                    front.clear();
                    front.push_from(input, item, increment);
                    for filter in filters {
                        apply(filter, &front, &mut back, &mut term);
                        std::mem::swap(&mut front, &mut back);
                    }
                    for item in front.items() {
                        let increment = item.increment.saturating_add(std::mem::take(&mut gap));
                        out.push_from(&front, item, increment);
                    }
                    gap = gap.saturating_add(front.trailing);
                }
                _ => _ = out.push_from(input, item, increment),
            }
        }
        if self.filters.is_some() && last_passed {
            // What is left out behind a token that other filters have seen is not told on.
            out.trailing = 0;
        }
        out.trailing = out.trailing.saturating_add(gap);
        Ok(())
    }
}

impl StreamFilter for Conditional {
    fn apply(&self, input: &TokenBuf, out: &mut TokenBuf) {
        out.end_like(input);
        if let Err(failure) = self.apply_all(input, out) {
            out.failure.get_or_insert(failure);
        }
    }

    fn shows_keyword(&self) -> bool {
        true
    }
}
