//! The language `expression`: one formula over numbers, as Lucene has it.
//!
//! - `parse`: text to [`Node`]. - `link`: whether what a formula names is there. - `eval`: the number that it gives.
//!
//! A formula runs on the machine of painless ([`Vm`](super::Vm)) as a program without instructions: whoever runs scripts need
//! not know which language they are in.

mod eval;
mod link;
mod members;
mod parse;

pub(super) use eval::run;
pub(super) use link::link;

use super::Context;
use super::op::Program;
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use members::Member;
use parse::Operator;
use std::sync::Arc;

/// A part of a formula. Its depth is bounded by the parser.
#[derive(Clone, Debug)]
pub enum Node {
    Number(f64),
    /// A name and where it stands.
    Name(String, usize),
    Field(FieldRef),
    Not(Box<Node>),
    Negate(Box<Node>),
    Complement(Box<Node>),
    Binary(Operator, Box<Node>, Box<Node>),
    Choose(Box<Node>, Box<Node>, Box<Node>),
    Call(fn(&[f64]) -> f64, Vec<Node>),
}

/// `doc['field'].member`, `doc['field'].member()`, or what stands under `date` of such.
#[derive(Clone, Debug)]
pub struct FieldRef {
    field: String,
    /// As it is written.
    text: String,
    /// Where the name of the field begins within the text.
    name_at: usize,
    member: Result<Member, String>,
}

/// Contexts that take formulas.
const CONTEXTS: &[&str] =
    &["aggregation_selector", "aggs", "bucket_aggregation", "field", "filter", "number_sort", "score", "terms_set"];

/// Compiles a formula for a context.
pub(super) fn compile(source: &str, context: &'static Context) -> Result<Arc<Program>> {
    if !CONTEXTS.contains(&context.name) {
        let what = format!("expression engine does not know how to handle script context [{}]", context.name);
        return Err(Error::illegal_argument(what));
    }
    let (formula, uses_score) = parse::parse(source).map_err(|wrong| {
        let cause = Error::new(ErrorKind::Parse, wrong.reason);
        failed("compile error", source, (source, wrong.at), cause)
    })?;
    Ok(Arc::new(Program {
        context,
        lang: "expression",
        source: source.into(),
        functions: vec![],
        constants: vec![],
        casts: vec![],
        types: vec![],
        methods: vec![],
        closures: vec![],
        sites: vec![],
        fields: vec![],
        statements: vec![],
        uses_score: uses_score && context.scores,
        reach: None,
        formula: Some(formula),
    }))
}

/// The error of a formula, pointing into a part of it.
fn failed(what: &str, source: &str, (part, at): (&str, usize), cause: Error) -> Error {
    let blanks = part.get(..at).map_or(at, |before| before.encode_utf16().count());
    let pointer = format!("{}^---- HERE", " ".repeat(blanks));
    let error = Error::new(ErrorKind::Script, what);
    let error = error.with("script_stack", vec![Value::from(part), Value::from(pointer)]);
    error.with("script", source).with("lang", "expression").caused_by(cause)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Map;
    use crate::script::{Script, context, number_of};

    fn number(source: &str) -> Result<f64> {
        let script = Script::new(source, "expression", Value::Object(Map::new()));
        Ok(number_of(&script, &[("p", 3.0)])?.unwrap_or(f64::NAN))
    }

    #[test]
    fn formulas_give_numbers() {
        let cases = [
            ("1 + 2 * p", 7.0),
            ("(1 + 2) * -p", -9.0),
            ("5 % 3 - 1 / 4", 1.75),
            ("1 < 2 && !(3 > 4) || 0", 1.0),
            ("p == 3 ? max(1, 2) : 0", 2.0),
            ("0x1F + 1 << 3 | ~1", -2.0),
            ("pow(2, 3) + ln(1) + abs(-3)", 11.0),
            ("haversin(1, 2, 3, 4)", 314.403_383_884_113_74),
            ("1e3 + .5", 1000.5),
        ];
        for (source, expected) in cases {
            let got = number(source).unwrap();
            assert!((got - expected).abs() < 1e-9, "{source}: {got}");
        }
    }

    #[test]
    fn what_formulas_cannot_say() {
        let reason = |source: &str| number(source).unwrap_err().cause().unwrap().reason().to_owned();
        assert_eq!(reason("q + 1"), "Unknown variable [q]");
        assert_eq!(reason("max(1, 2, 3)"), TOO_MANY);
        assert_eq!(reason("foo(1)"), "Invalid expression 'foo(1)': Unrecognized function call (foo).");
        assert_eq!(reason("1 +"), "unexpected end of expression");
        assert!(number(&"(".repeat(100_000)).is_err());
        assert!(number(&"-".repeat(100_000)).is_err());
        let script = Script::new("1", "expression", Value::Null);
        assert!(script.program(&context::UPDATE).is_err());
    }

    const TOO_MANY: &str =
        "Invalid expression 'max(1, 2, 3)': Expected (2) arguments for function call (max), but found (3).";
}
