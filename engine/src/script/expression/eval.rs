//! The number that a formula gives.

use super::members::Member;
use super::parse::Operator;
use super::{Asked, FieldRef, Node, scored};
use crate::script::context::Kind;
use crate::script::doc;
use crate::script::error::{Failed, Outcome};
use crate::script::lib::Temporal;
use crate::script::value::{Data, Key, Value};
use crate::script::vm::Vm;
use crate::script::vm::arith::as_double;

/// Runs a formula with the context's variables.
pub fn run(vm: &mut Vm, formula: &Node, variables: &[Value]) -> Outcome {
    let number = eval(vm, formula, variables)?;
    let context = vm.program().context;
    Ok(match context.returns {
        // What selects buckets has to be 1.
        Kind::Bool if context.name == "aggregation_selector" => Value::Bool(number == 1.0),
        Kind::Bool => Value::Bool(number != 0.0),
        _ => Value::Double(number),
    })
}

fn truth(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

/// The depth of formulas is bounded by their parser.
fn eval(vm: &mut Vm, node: &Node, variables: &[Value]) -> Result<f64, Failed> {
    vm.work(1)?;
    Ok(match node {
        Node::Number(number) => *number,
        Node::Name { text, .. } => named(vm, text, variables),
        Node::Field(field) => match param(vm, &field.text) {
            Some(number) => number,
            None => of_field(vm, field)?,
        },
        Node::Not(node) => truth(eval(vm, node, variables)? == 0.0),
        Node::Negate(node) => -eval(vm, node, variables)?,
        Node::Complement(node) => !(eval(vm, node, variables)? as i64) as f64,
        Node::Choose(test, yes, no) => {
            let chosen = if eval(vm, test, variables)? != 0.0 { yes } else { no };
            eval(vm, chosen, variables)?
        }
        Node::Call(run, arguments) => {
            let numbers = arguments.iter().map(|node| eval(vm, node, variables)).collect::<Result<Vec<_>, _>>()?;
            run(&numbers)
        }
        Node::Binary(operator, left, right) => {
            let left = eval(vm, left, variables)?;
            match operator {
                Operator::And if left == 0.0 => return Ok(0.0),
                Operator::Or if left != 0.0 => return Ok(1.0),
                _ => {}
            }
            let right = eval(vm, right, variables)?;
            binary(*operator, left, right)
        }
    })
}

fn binary(operator: Operator, a: f64, b: f64) -> f64 {
    let (whole, other) = (a as i64, b as i64);
    // Distances of shifts are those of Java: the lowest bits count.
    let by = other as u32 & 63;
    match operator {
        Operator::Or | Operator::And => truth(b != 0.0),
        Operator::BitOr => (whole | other) as f64,
        Operator::BitXor => (whole ^ other) as f64,
        Operator::BitAnd => (whole & other) as f64,
        Operator::Equal => truth(a == b),
        Operator::NotEqual => truth(a != b),
        Operator::Less => truth(a < b),
        Operator::LessOrEqual => truth(a <= b),
        Operator::Greater => truth(a > b),
        Operator::GreaterOrEqual => truth(a >= b),
        Operator::ShiftLeft => whole.wrapping_shl(by) as f64,
        Operator::ShiftRight => whole.wrapping_shr(by) as f64,
        Operator::ShiftRightUnsigned => (whole as u64).wrapping_shr(by) as f64,
        Operator::Add => a + b,
        Operator::Subtract => a - b,
        Operator::Multiply => a * b,
        Operator::Divide => a / b,
        Operator::Remainder => a % b,
    }
}

/// The parameter of this name.
fn param(vm: &Vm, name: &str) -> Option<f64> {
    let params = vm.params();
    let Some(Data::Map(map)) = params.data() else { return None };
    let map = map.borrow();
    if map.entries.is_empty() {
        return None;
    }
    map.entries.get(&Key(Value::text(name))).map(|value| as_double(value).unwrap_or(0.0))
}

/// A parameter, or one of the context's own variables.
fn named(vm: &Vm, name: &str, variables: &[Value]) -> f64 {
    if let Some(number) = param(vm, name) {
        return number;
    }
    let context = vm.program().context;
    if name == "_score" && scored(context) {
        return f64::from(vm.score);
    }
    let at = context.variables.iter().position(|(known, _)| *known == name);
    at.and_then(|at| variables.get(at)).and_then(as_double).unwrap_or(0.0)
}

fn number_of(value: &Value) -> f64 {
    match (value, value.data()) {
        (Value::Bool(flag), _) => truth(*flag),
        (_, Some(Data::Temporal(Temporal::Zoned(at)))) => at.timestamp().as_millisecond() as f64,
        _ => as_double(value).unwrap_or(0.0),
    }
}

/// What a formula asks of a field of the current document: 0 where it has no values.
fn of_field(vm: &mut Vm, asked: &FieldRef) -> Result<f64, Failed> {
    let Asked::Member { found: Some(member), .. } = &asked.asked else { return Ok(0.0) };
    let Some(documents) = vm.documents.as_mut() else { return Ok(0.0) };
    let slot = documents.slot(&asked.field)?;
    let of_places = documents.is_place(slot);
    let values = doc::items(vm, slot)?;
    if *member == Member::Empty {
        // Of places the reference asks the other way round.
        return Ok(truth(values.is_empty() != of_places));
    }
    let Some(first) = values.first() else { return Ok(0.0) };
    let numbers = || values.iter().map(number_of);
    let sum = || numbers().sum::<f64>();
    Ok(match member {
        Member::Value => number_of(first),
        Member::Empty => 0.0,
        Member::Count => values.len() as f64,
        Member::Min => numbers().fold(f64::INFINITY, f64::min),
        Member::Max => numbers().fold(f64::NEG_INFINITY, f64::max),
        Member::Sum => sum(),
        Member::Avg => sum() / values.len() as f64,
        // Values ascend.
        Member::Median => {
            let (low, high) = ((values.len() - 1) / 2, values.len() / 2);
            (number_of(&values[low]) + number_of(&values[high])) / 2.0
        }
        Member::Lat | Member::Lon => match first.data() {
            Some(Data::GeoPoint(lat, lon)) => {
                if *member == Member::Lat {
                    *lat
                } else {
                    *lon
                }
            }
            _ => 0.0,
        },
        Member::Date(part) => match first.data() {
            Some(Data::Temporal(Temporal::Zoned(at))) => (part.0)(at) as f64,
            _ => 0.0,
        },
    })
}
