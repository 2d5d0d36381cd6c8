//! `Comparator`, and sorting with one.

use super::super::class::{ClassRow, Row, registry};
use super::super::error::{Failed, Outcome, thrown};
use super::super::value::{Data, Value};
use super::super::vm::Vm;
use super::args::int;
use super::collection::{natural, not_compared};

/// How two values are compared.
#[derive(Debug)]
pub enum Comparing {
    Natural,
    Reversed(Value),
    /// By what a function gives, with a comparator of its own perhaps.
    By(Value, Option<Value>),
    /// By what a method of the values gives.
    ByMethod(&'static str, Option<Value>),
    /// The second decides where the first finds no difference.
    Then(Value, Value),
    /// Nulls before or after everything else.
    Nulls(bool, Value),
}

impl Comparing {
    pub fn children(&self, out: &mut Vec<Value>) {
        match self {
            Self::Natural => {}
            Self::Reversed(of) | Self::Nulls(_, of) => out.push(of.clone()),
            Self::By(f, with) => {
                out.push(f.clone());
                out.extend(with.clone());
            }
            Self::ByMethod(_, with) => out.extend(with.clone()),
            Self::Then(a, b) => out.extend([a.clone(), b.clone()]),
        }
    }
}

/// Comparators within comparators that are followed.
const DEPTH_MAX: u32 = 50;

/// What a comparator says of two values: negative, zero or positive.
pub fn compare_with(vm: &mut Vm, comparator: &Value, a: &Value, b: &Value) -> Result<i32, Failed> {
    compare(vm, comparator, a, b, 0)
}

fn compare(vm: &mut Vm, comparator: &Value, a: &Value, b: &Value, depth: u32) -> Result<i32, Failed> {
    if depth > DEPTH_MAX {
        return Err(thrown("StackOverflowError", None));
    }
    vm.work(2)?;
    let Some(Data::Comparator(comparing)) = comparator.data() else {
        return int(&vm.call(comparator, &[a.clone(), b.clone()])?);
    };
    let inner = |vm: &mut Vm, with: &Option<Value>, a: &Value, b: &Value| match with {
        Some(with) => compare(vm, with, a, b, depth + 1),
        None => natural(a, b),
    };
    match comparing {
        Comparing::Natural => natural(a, b),
        Comparing::Reversed(of) if b.is_null() && is_natural(of) => {
            Err(not_compared("Cannot invoke \"java.lang.Comparable.compareTo(Object)\" because \"c2\" is null"))
        }
        Comparing::Reversed(of) => compare(vm, of, b, a, depth + 1),
        Comparing::By(f, with) => {
            let (a, b) = (vm.call(f, std::slice::from_ref(a))?, vm.call(f, std::slice::from_ref(b))?);
            inner(vm, with, &a, &b)
        }
        Comparing::ByMethod(name, with) => {
            let mut get = |of: &Value| {
                let method = registry().method(of.class(), name, 0);
                let method = method.ok_or_else(|| super::args::unexpected(of))?;
                (method.run)(vm, std::slice::from_ref(of))
            };
            let (a, b) = (get(a)?, get(b)?);
            inner(vm, with, &a, &b)
        }
        Comparing::Then(first, second) => match compare(vm, first, a, b, depth + 1)? {
            0 => compare(vm, second, a, b, depth + 1),
            order => Ok(order),
        },
        Comparing::Nulls(first, of) => match (a.is_null(), b.is_null()) {
            (true, true) => Ok(0),
            (true, false) => Ok(if *first { -1 } else { 1 }),
            (false, true) => Ok(if *first { 1 } else { -1 }),
            _ => compare(vm, of, a, b, depth + 1),
        },
    }
}

/// The least of the items, or the greatest where the `last` is wanted: each is held against the best so far.
pub(super) fn end(
    vm: &mut Vm,
    items: Vec<Value>,
    comparator: Option<&Value>,
    last: bool,
) -> Result<Option<Value>, Failed> {
    let mut items = items.into_iter();
    let Some(mut found) = items.next() else { return Ok(None) };
    for item in items {
        let order = match comparator {
            Some(comparator) => compare_with(vm, comparator, &found, &item)?,
            None => natural(&found, &item)?,
        };
        let better = if last { order < 0 } else { order > 0 };
        if better {
            found = item;
        }
    }
    Ok(Some(found))
}

/// Sorts stably. The comparator may throw, and may be no order at all: a merge sort ends in any case.
pub fn sort(vm: &mut Vm, items: Vec<Value>, comparator: Option<&Value>) -> Result<Vec<Value>, Failed> {
    let mut runs: Vec<Vec<Value>> = items.into_iter().map(|item| vec![item]).collect();
    while runs.len() > 1 {
        let mut merged = Vec::with_capacity(runs.len().div_ceil(2));
        let mut pairs = runs.into_iter();
        while let Some(left) = pairs.next() {
            merged.push(match pairs.next() {
                Some(right) => merge(vm, left, right, comparator)?,
                None => left,
            });
        }
        runs = merged;
    }
    Ok(runs.pop().unwrap_or_default())
}

fn is_natural(comparator: &Value) -> bool {
    matches!(comparator.data(), Some(Data::Comparator(Comparing::Natural)))
}

fn merge(vm: &mut Vm, left: Vec<Value>, right: Vec<Value>, comparator: Option<&Value>) -> Result<Vec<Value>, Failed> {
    let mut out = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        vm.work(2)?;
        // The later one is compared with the earlier one, as Java does it.
        let order = match comparator {
            Some(comparator) => compare_with(vm, comparator, b, a)?,
            None => natural(b, a)?,
        };
        out.extend(if order >= 0 { left.next() } else { right.next() });
    }
    out.extend(left);
    out.extend(right);
    Ok(out)
}

pub(super) fn new(vm: &mut Vm, comparing: Comparing) -> Outcome {
    vm.alloc(Data::Comparator(comparing))
}

pub(super) fn reverse_order(vm: &mut Vm) -> Outcome {
    let natural = new(vm, Comparing::Natural)?;
    new(vm, Comparing::Reversed(natural))
}

pub(super) fn reversed(vm: &mut Vm, of: &Value) -> Outcome {
    new(vm, Comparing::Reversed(of.clone()))
}

pub(super) fn by_method(vm: &mut Vm, name: &'static str) -> Outcome {
    new(vm, Comparing::ByMethod(name, None))
}

pub(super) fn by_method_with(vm: &mut Vm, name: &'static str, with: &Value) -> Outcome {
    new(vm, Comparing::ByMethod(name, Some(with.clone())))
}

fn then_by(vm: &mut Vm, a: &[Value]) -> Outcome {
    let second = new(vm, Comparing::By(a[1].clone(), a.get(2).cloned()))?;
    new(vm, Comparing::Then(a[0].clone(), second))
}

fn by(vm: &mut Vm, a: &[Value]) -> Outcome {
    new(vm, Comparing::By(a[0].clone(), a.get(1).cloned()))
}

const ROWS: &[Row] = &[
    Row("int compare(def,def)", |vm, a| compare_with(vm, &a[0], &a[1], &a[2]).map(Value::Int)),
    Row("static Comparator comparing(Function)", by),
    Row("static Comparator comparing(Function,Comparator)", by),
    Row("static Comparator comparingDouble(ToDoubleFunction)", by),
    Row("static Comparator comparingInt(ToIntFunction)", by),
    Row("static Comparator comparingLong(ToLongFunction)", by),
    Row("static Comparator naturalOrder()", |vm, _| new(vm, Comparing::Natural)),
    Row("static Comparator reverseOrder()", |vm, _| reverse_order(vm)),
    Row("static Comparator nullsFirst(Comparator)", |vm, a| new(vm, Comparing::Nulls(true, a[0].clone()))),
    Row("static Comparator nullsLast(Comparator)", |vm, a| new(vm, Comparing::Nulls(false, a[0].clone()))),
    Row("Comparator reversed()", |vm, a| reversed(vm, &a[0])),
    Row("Comparator thenComparing(Comparator)", |vm, a| match a[1].data() {
        // By arity alone a key function cannot be told from a comparator: a lambda of one parameter is one.
        Some(Data::Closure(closure)) if vm.arity(closure) == Some(1) => then_by(vm, a),
        _ => new(vm, Comparing::Then(a[0].clone(), a[1].clone())),
    }),
    Row("Comparator thenComparing(Function,Comparator)", then_by),
    Row("Comparator thenComparingDouble(ToDoubleFunction)", then_by),
    Row("Comparator thenComparingInt(ToIntFunction)", then_by),
    Row("Comparator thenComparingLong(ToLongFunction)", then_by),
];

pub const CLASSES: &[ClassRow] =
    &[ClassRow { name: "java.util.Comparator", supers: &[], rows: ROWS, functional: true }];
