//! Functional interfaces: what lambdas can be.

use super::super::class::{ClassRow, Native, Row, class, registry};
use super::super::error::Outcome;
use super::super::value::{Closure, Data, Target, Value};
use super::super::vm::Vm;
use super::args::ok_bool;
use super::list::truth;

fn call(vm: &mut Vm, a: &[Value]) -> Outcome {
    vm.call(&a[0], &a[1..])
}

/// A closure of a function in Rust over captured values.
pub(super) fn native(vm: &mut Vm, interface: &str, captured: Vec<Value>, run: Native) -> Outcome {
    let interface = registry().find(interface).unwrap_or(class::OBJECT);
    vm.alloc(Data::Closure(Closure { interface, target: Target::Native(run), captured }))
}

/// `f.andThen(g)`: captured are f, g; what follows is what f is called with.
fn then(vm: &mut Vm, a: &[Value]) -> Outcome {
    let first = vm.call(&a[0], &a[2..])?;
    vm.call(&a[1], &[first])
}

/// Both are called with the same.
fn both(vm: &mut Vm, a: &[Value]) -> Outcome {
    vm.call(&a[0], &a[2..])?;
    vm.call(&a[1], &a[2..])
}

macro_rules! interface {
    ($name:literal, $method:literal $(, $more:expr)*) => {
        ClassRow { name: concat!("java.util.function.", $name), supers: &[], rows: &[Row($method, call) $(, $more)*], functional: true }
    };
}

/// Of numbers into numbers of the same kind.
macro_rules! operator {
    ($name:literal, $method:literal) => {
        interface!(
            $name,
            $method,
            Row(concat!($name, " andThen(", $name, ")"), |vm, a| native(vm, $name, a.to_vec(), then)),
            Row(concat!($name, " compose(", $name, ")"), |vm, a| {
                native(vm, $name, vec![a[1].clone(), a[0].clone()], then)
            }),
            Row(concat!("static ", $name, " identity()"), |vm, _| native(vm, $name, vec![], |_, a| Ok(a[0].clone())))
        )
    };
}

/// The lesser of two by a comparator, or the greater; captured is the comparator.
fn chosen(vm: &mut Vm, a: &[Value], greater: bool) -> Outcome {
    let order = super::compare_with(vm, &a[0], &a[1], &a[2])?;
    Ok(a[if if greater { order >= 0 } else { order <= 0 } { 1 } else { 2 }].clone())
}

macro_rules! predicate {
    ($name:literal, $method:literal $(, $more:expr)*) => {
        interface!(
            $name,
            $method,
            Row(concat!($name, " and(", $name, ")"), |vm, a| native(vm, $name, a.to_vec(), |vm, a| {
                ok_bool(truth(vm.call(&a[0], &a[2..])?)? && truth(vm.call(&a[1], &a[2..])?)?)
            })),
            Row(concat!($name, " or(", $name, ")"), |vm, a| native(vm, $name, a.to_vec(), |vm, a| {
                ok_bool(truth(vm.call(&a[0], &a[2..])?)? || truth(vm.call(&a[1], &a[2..])?)?)
            })),
            Row(concat!($name, " negate()"), |vm, a| native(vm, $name, a.to_vec(), |vm, a| {
                ok_bool(!truth(vm.call(&a[0], &a[1..])?)?)
            }))
            $(, $more)*
        )
    };
}

macro_rules! consumer {
    ($name:literal, $method:literal) => {
        interface!(
            $name,
            $method,
            Row(concat!($name, " andThen(", $name, ")"), |vm, a| native(vm, $name, a.to_vec(), both))
        )
    };
}

pub const CLASSES: &[ClassRow] = &[
    consumer!("BiConsumer", "void accept(def,def)"),
    interface!(
        "BiFunction",
        "def apply(def,def)",
        Row("BiFunction andThen(Function)", |vm, a| native(vm, "BiFunction", a.to_vec(), then))
    ),
    predicate!("BiPredicate", "boolean test(def,def)"),
    interface!(
        "BinaryOperator",
        "def apply(def,def)",
        Row("static BinaryOperator minBy(Comparator)", |vm, a| {
            native(vm, "BinaryOperator", a.to_vec(), |vm, a| chosen(vm, a, false))
        }),
        Row("static BinaryOperator maxBy(Comparator)", |vm, a| {
            native(vm, "BinaryOperator", a.to_vec(), |vm, a| chosen(vm, a, true))
        }),
        Row("BiFunction andThen(Function)", |vm, a| native(vm, "BiFunction", a.to_vec(), then))
    ),
    interface!("BooleanSupplier", "boolean getAsBoolean()"),
    consumer!("Consumer", "void accept(def)"),
    interface!("DoubleBinaryOperator", "double applyAsDouble(double,double)"),
    consumer!("DoubleConsumer", "void accept(double)"),
    interface!("DoubleFunction", "def apply(double)"),
    predicate!("DoublePredicate", "boolean test(double)"),
    interface!("DoubleSupplier", "double getAsDouble()"),
    interface!("DoubleToIntFunction", "int applyAsInt(double)"),
    interface!("DoubleToLongFunction", "long applyAsLong(double)"),
    operator!("DoubleUnaryOperator", "double applyAsDouble(double)"),
    interface!(
        "Function",
        "def apply(def)",
        Row("Function andThen(Function)", |vm, a| native(vm, "Function", a.to_vec(), then)),
        Row("Function compose(Function)", |vm, a| native(vm, "Function", vec![a[1].clone(), a[0].clone()], then)),
        Row("static Function identity()", |vm, _| native(vm, "Function", vec![], |_, a| Ok(a[0].clone())))
    ),
    interface!("IntBinaryOperator", "int applyAsInt(int,int)"),
    consumer!("IntConsumer", "void accept(int)"),
    interface!("IntFunction", "def apply(int)"),
    predicate!("IntPredicate", "boolean test(int)"),
    interface!("IntSupplier", "int getAsInt()"),
    interface!("IntToDoubleFunction", "double applyAsDouble(int)"),
    interface!("IntToLongFunction", "long applyAsLong(int)"),
    operator!("IntUnaryOperator", "int applyAsInt(int)"),
    interface!("LongBinaryOperator", "long applyAsLong(long,long)"),
    consumer!("LongConsumer", "void accept(long)"),
    interface!("LongFunction", "def apply(long)"),
    predicate!("LongPredicate", "boolean test(long)"),
    interface!("LongSupplier", "long getAsLong()"),
    interface!("LongToDoubleFunction", "double applyAsDouble(long)"),
    interface!("LongToIntFunction", "int applyAsInt(long)"),
    operator!("LongUnaryOperator", "long applyAsLong(long)"),
    interface!("ObjDoubleConsumer", "void accept(def,double)"),
    interface!("ObjIntConsumer", "void accept(def,int)"),
    interface!("ObjLongConsumer", "void accept(def,long)"),
    predicate!(
        "Predicate",
        "boolean test(def)",
        Row("static Predicate isEqual(def)", |vm, a| native(vm, "Predicate", a.to_vec(), |_, a| {
            ok_bool(Vm::equal(&a[0], &a[1]))
        }))
    ),
    interface!("Supplier", "def get()"),
    interface!("ToDoubleBiFunction", "double applyAsDouble(def,def)"),
    interface!("ToDoubleFunction", "double applyAsDouble(def)"),
    interface!("ToIntBiFunction", "int applyAsInt(def,def)"),
    interface!("ToIntFunction", "int applyAsInt(def)"),
    interface!("ToLongBiFunction", "long applyAsLong(def,def)"),
    interface!("ToLongFunction", "long applyAsLong(def)"),
    interface!(
        "UnaryOperator",
        "def apply(def)",
        Row("Function andThen(Function)", |vm, a| native(vm, "Function", a.to_vec(), then)),
        Row("Function compose(Function)", |vm, a| native(vm, "Function", vec![a[1].clone(), a[0].clone()], then)),
        Row("static UnaryOperator identity()", |vm, _| native(vm, "UnaryOperator", vec![], |_, a| Ok(a[0].clone())))
    ),
];
