//! The language `expression`: one formula over numbers, as Lucene has it.
//!
//! - `lexer`, `parse`: text to [`Node`]; `variable`: what a variable says. - `link`: whether what a formula names is there. -
//!   `eval`: the number that it gives.
//!
//! A formula runs on the machine of painless ([`Vm`](super::Vm)) as a program without instructions: whoever runs scripts need
//! not know which language they are in.

mod eval;
mod lexer;
mod link;
mod members;
mod parse;
mod variable;

pub(super) use eval::run;
pub(super) use link::{check_numbers, link};

use super::Context;
use super::op::Program;
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use members::Member;
use parse::{Fault, Operator};
use std::sync::Arc;

/// A part of a formula. Its depth is bounded by the parser.
#[derive(Clone, Debug)]
pub enum Node {
    Number(f64),
    /// What is no field: a parameter or a variable of the context. `first` is what stands before its first dot.
    Name {
        text: String,
        first: String,
    },
    Field(Box<FieldRef>),
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
    /// As messages show it.
    text: String,
    asked: Asked,
}

/// What is asked of a field.
#[derive(Clone, Debug)]
enum Asked {
    Member {
        name: String,
        called: bool,
        of_date: bool,
        found: Option<Member>,
    },
    /// Nothing that a field could have, and the reason.
    Malformed(String),
}

/// What is wrong with a text, at which byte, and the error of the library that stands behind it.
struct Wrong {
    reason: String,
    at: usize,
    cause: Option<ErrorKind>,
}

/// Contexts that take formulas.
const CONTEXTS: &[&str] =
    &["aggregation_selector", "aggs", "bucket_aggregation", "field", "filter", "number_sort", "score", "terms_set"];

/// Contexts whose `_score` is that of the document. Filters and sorts know the name, and that is all.
fn scored(context: &Context) -> bool {
    matches!(context.name, "aggs" | "score")
}

/// Compiles a formula for a context. What is no formula is refused before the context is looked at.
pub(super) fn compile(source: &str, context: &'static Context) -> Result<Arc<Program>> {
    let (formula, uses_score) = parse::parse(source).map_err(|fault| match fault {
        Fault::Number(error) => error,
        Fault::Wrong(wrong) => {
            let cause = Error::new(ErrorKind::Parse, wrong.reason);
            let cause = match wrong.cause {
                Some(kind) => cause.caused_by(Error::without_reason(kind)),
                None => cause,
            };
            failed("compile error", source, source, source[..wrong.at].chars().count(), cause)
        }
    })?;
    if !CONTEXTS.contains(&context.name) {
        let what = format!("expression engine does not know how to handle script context [{}]", context.name);
        return Err(Error::illegal_argument(what));
    }
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
        uses_score: uses_score && scored(context),
        reach: None,
        formula: Some(formula),
    }))
}

/// The error of a formula, pointing into a part of it behind so many blanks.
fn failed(what: &str, source: &str, part: &str, blanks: usize, cause: Error) -> Error {
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
        Ok(number_of(&script, &[("p", Some(3.0))])?.unwrap_or(f64::NAN))
    }

    #[test]
    fn formulas_give_numbers() {
        let cases = [
            ("1 + 2 * p", 7.0),
            ("(1 + 2) * -p", -9.0),
            ("5 % 3 - 1 / 4 + 0 * p", 1.75),
            ("1 < 2 && !(3 > 4) || 0 * p", 1.0),
            ("p == 3 ? max(1, 2) : 0", 2.0),
            ("0x1F + 1 << 3 | ~1 * p / p", -2.0),
            ("pow(2, 3) + ln(1) + abs(-p)", 11.0),
            ("haversin(1, 2, p, 4)", 314.403_383_884_113_74),
            ("1e3 + .5 + 0 * p", 1000.5),
            ("017 + 0x10 + 0.5 + 0 * p", 31.5),
            ("a.b + doc['x'].y + p", 3.0),
        ];
        for (source, expected) in cases {
            let got = number(source).unwrap();
            assert!((got - expected).abs() < 1e-9, "{source}: {got}");
        }
    }

    #[test]
    fn what_formulas_cannot_say() {
        let told = |source: &str| {
            let script = Script::new(source, "expression", Value::Null);
            let error = script.program(&context::SCORE).unwrap_err();
            let stack = error.field("script_stack").and_then(|stack| stack.as_array().map(<[Value]>::to_vec));
            let blanks = stack.and_then(|stack| stack[1].as_str().map(|pointer| pointer.len() - "^---- HERE".len()));
            (blanks, error.cause().unwrap().reason().to_owned())
        };
        let cases = [
            ("max(1, 2, 3)", 0, TOO_MANY),
            ("1 + foo(1)", 4, "Invalid expression '1 + foo(1)': Unrecognized function call (foo)."),
            ("foo(1) + @", 9, "unexpected character '@' on line (1) position (9)"),
            ("1 +", 3, "unexpected end of expression"),
            ("1\n 2", 3, "unexpected token '2' on line (2) position (1) was expecting one of <EOF>"),
            ("08", 1, "unexpected token '8' on line (1) position (1) was expecting one of <EOF>"),
            ("017.5", 3, "unexpected token '.5' on line (1) position (3) was expecting one of <EOF>"),
            ("(1", 2, "unexpected token '<EOF>' on line (1) position (2) was expecting one of RP"),
            ("1 ? 2", 5, "unexpected token '<EOF>' on line (1) position (5) was expecting one of COLON"),
            ("max(,)", 4, "unexpected token ',' on line (1) position (4) was expecting one of RP"),
            ("max(1,,2)", 6, "invalid sequence of tokens near ',' on line (1) position (6)"),
            ("1 = 2", 2, "unexpected character '= ' on line (1) position (2)"),
            ("doc ['int'].value", 4, "unexpected character '[' on line (1) position (4)"),
            ("doc['int'] .value", 11, "unexpected character '.v' on line (1) position (11)"),
            ("é", 0, "unexpected character 'é' on line (1) position (0)"),
        ];
        for (source, blanks, reason) in cases {
            assert_eq!(told(source), (Some(blanks), reason.to_owned()), "{source}");
        }
        let large = Script::new("0xfffffffffffffffff", "expression", Value::Null).program(&context::SCORE).unwrap_err();
        assert_eq!(large.unwrapped().kind(), ErrorKind::NumberFormat);
        let reason = |source: &str| number(source).unwrap_err().reason().to_owned();
        assert_eq!(
            reason("q + 1"),
            "Error using q + 1. The variable [p] does not exist in the executable expressions script."
        );
        assert!(number(&"(".repeat(100_000)).is_err());
        assert!(number(&"-".repeat(100_000)).is_err());
        let script = Script::new("1", "expression", Value::Null);
        assert!(script.program(&context::UPDATE).is_err());
    }

    const TOO_MANY: &str =
        "Invalid expression 'max(1, 2, 3)': Expected (2) arguments for function call (max), but found (3).";
}
