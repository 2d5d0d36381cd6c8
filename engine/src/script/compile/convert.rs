//! Casts: of constants while compiling, of everything else by an instruction.

use super::super::ast::{Binary, Expr, ExprKind, Unary};
use super::super::error::Compile;
use super::super::op::{CastTo, Constant, Link, Num, Op, Reg};
use super::super::types::{Base, Legal, Type, legal_cast};
use super::{Compiler, Place, Result, Val};

/// What casts of constants leave: the constant, where it stands.
fn innermost(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Cast(_, operand) => innermost(operand),
        _ => expr,
    }
}

/// Where a constant is told to be that does not fit: a number that is negated stands behind its sign.
fn told_at(expr: &Expr) -> u32 {
    match &expr.kind {
        ExprKind::Unary(Unary::Minus, number) if matches!(number.kind, ExprKind::Number(..) | ExprKind::Decimal(_)) => {
            number.at
        }
        _ => expr.at,
    }
}

/// Where a value stands that is converted: for what is told while compiling, and where its cast is noted to be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub told: u32,
    noted: u32,
}

impl From<u32> for Spot {
    fn from(at: u32) -> Self {
        Self { told: at, noted: at }
    }
}

impl Spot {
    pub fn of(expr: &Expr) -> Self {
        Self { told: told_at(expr), noted: innermost(expr).at }
    }

    /// Of an operand, whose sign is a part of it.
    pub fn operand(expr: &Expr) -> Self {
        let signed = matches!(&expr.kind, ExprKind::Number(text, _) | ExprKind::Decimal(text) if text.starts_with('-'));
        Self { told: expr.at - u32::from(signed), noted: innermost(expr).at }
    }
}

impl Compiler {
    /// An expression as a value of a type.
    pub(super) fn expr_to(&mut self, expr: &Expr, to: Type, internal: bool) -> Result<Val> {
        let (value, refused) = self.expr_towards(expr, to, internal)?;
        refused.map_or(Ok(value), Err)
    }

    /// The same for what is one of several: that it cannot be of the type is told after the mistakes in the others.
    pub(super) fn expr_towards(&mut self, expr: &Expr, to: Type, internal: bool) -> Result<(Val, Option<Compile>)> {
        if let ExprKind::Ternary(..) | ExprKind::Elvis(..) = expr.kind {
            self.f.place = expr.at;
        }
        match &expr.kind {
            ExprKind::Ternary(condition, then, otherwise) => {
                let sides = [&**then, &**otherwise];
                return Ok((
                    self.ternary_to(condition, sides, |code, side| code.expr_towards(side, to, internal), to)?,
                    None,
                ));
            }
            ExprKind::Elvis(left, right) => return Ok((self.elvis(expr.at, left, right, Some(to), internal)?, None)),
            _ => {}
        }
        let value = match &expr.kind {
            ExprKind::Binary(Binary::Add, left, right) if to == Type::STRING => {
                self.sum_as_text(expr.at, left, right)?
            }
            _ => self.expr(expr)?,
        };
        self.converted(value, to, (false, internal), Spot::of(expr))
    }

    /// A value as one of a type, or as it was and why it cannot be.
    pub(super) fn converted(
        &mut self,
        value: Val,
        to: Type,
        (explicit, internal): (bool, bool),
        at: impl Into<Spot>,
    ) -> Result<(Val, Option<Compile>)> {
        let unchanged = value.clone();
        match self.convert(value, to, explicit, internal, at) {
            Ok(value) => Ok((value, None)),
            // That null is no primitive is seen when it is met.
            Err(refused) if unchanged.is_null() => Err(refused),
            Err(refused) => Ok((unchanged, Some(refused))),
        }
    }

    pub(super) fn convert(
        &mut self,
        value: Val,
        to: Type,
        explicit: bool,
        internal: bool,
        at: impl Into<Spot>,
    ) -> Result<Val> {
        let link = if explicit { Link::None } else { self.link(&value) };
        self.convert_linked(value, to, (explicit, internal), link, at.into())
    }

    /// What the last statement gives without saying `return`: whatever was called did not know what would be wanted of it.
    pub(super) fn convert_last(&mut self, value: Val, to: Type, at: u32) -> Result<Val> {
        if value.is_null() && to != Type::DEF && to != Type::OBJECT {
            return Err(Compile::cast(at, format!("Cannot cast from [{}] to [{}].", value.class.name(), to.name())));
        }
        self.convert_linked(value, to, (false, true), Link::None, at.into())
    }

    fn convert_linked(
        &mut self,
        value: Val,
        to: Type,
        (explicit, internal): (bool, bool),
        link: Link,
        at: Spot,
    ) -> Result<Val> {
        if value.is_null() && to != Type::VOID {
            if to.is_primitive() {
                return Err(Compile::illegal(
                    at.told,
                    format!("Cannot cast null to a primitive type [{}].", to.name()),
                ));
            }
            return Ok(Val { class: to, ..value });
        }
        if let Some(constant) = value.as_constant()
            && let Some(converted) = convert_constant(constant, value.class, to, explicit)
        {
            return Ok(Val::constant(converted, to));
        }
        match legal_cast(value.class, to, explicit, internal) {
            None => {
                Err(Compile::cast(at.told, format!("Cannot cast from [{}] to [{}].", value.class.name(), to.name())))
            }
            Some(Legal::Same) => {
                // To the reference it is a cast all the same.
                if value.class != to && !self.is_dynamic(&value) {
                    self.f.place = at.noted;
                }
                Ok(Val { class: to, ..value })
            }
            Some(Legal::Convert) => {
                let operator = matches!(link, Link::Operator(..));
                let dynamic = operator || self.is_dynamic(&value) && (explicit || !matches!(link, Link::None));
                let from = self.load(&value);
                if let Link::Call(site) = link {
                    self.program.sites[usize::from(site)].wanted = to;
                }
                let source = self.source(&value);
                let cast = self.cast_index(CastTo { from: value.class, to, explicit, link });
                let target = self.temp();
                // What is called by its name alone gives the type that is wanted by itself, and fails where it is called.
                let behind = if dynamic { self.f.place } else { at.noted };
                let called = self.f.function.places.last().copied().filter(|_| dynamic && !explicit);
                self.f.place = called.unwrap_or(behind);
                self.receives(source, to);
                self.emit(Op::Cast { to: target, from, cast });
                self.f.place = behind;
                Ok(self.fresh(target, to))
            }
        }
    }
}

impl Compiler {
    /// What the last instruction called, if it gave the value.
    fn link(&self, value: &Val) -> Link {
        let (Place::Reg(reg) | Place::Fresh(reg)) = &value.place else { return Link::None };
        if let (Some((at, a, b)), false) = (self.f.operator, self.is_variable(*reg))
            && at + 1 == self.f.function.ops.len()
        {
            return Link::Operator(a, b);
        }
        match self.f.function.ops.last() {
            _ if self.is_variable(*reg) || self.f.guarded == Some(self.f.function.ops.len()) => Link::None,
            Some(Op::Invoke { site, to, .. }) if to == reg => Link::Call(*site),
            Some(Op::GetMember { to, .. }) if to == reg => Link::Getter,
            Some(Op::DocValue { field, to }) if to == reg => Link::Field(*field),
            Some(Op::GetIndex { to, .. }) if to == reg && self.f.item == Some(self.f.function.ops.len() - 1) => {
                Link::Item
            }
            _ => Link::None,
        }
    }

    /// A variable gives what it holds, whatever put it there.
    fn is_variable(&self, reg: Reg) -> bool {
        self.f.scopes.iter().flatten().any(|local| local.reg == reg)
    }

    /// Whether the last instruction gave the value and found out how only when running.
    fn is_dynamic(&self, value: &Val) -> bool {
        let (Place::Reg(reg) | Place::Fresh(reg)) = &value.place else { return false };
        if self.is_variable(*reg) {
            return false;
        }
        let last = self.f.function.ops.last();
        matches!(last, Some(Op::Invoke { to, .. } | Op::GetMember { to, .. } | Op::GetIndex { to, .. }) if to == reg)
    }
}

/// What a variable of a type is before anything is assigned.
pub fn default_of(class: Type) -> Constant {
    if class.dims > 0 {
        return Constant::Null;
    }
    match class.base {
        Base::Bool => Constant::Bool(false),
        Base::Byte => Constant::Byte(0),
        Base::Short => Constant::Short(0),
        Base::Char => Constant::Char(0),
        Base::Int => Constant::Int(0),
        Base::Long => Constant::Long(0),
        Base::Float => Constant::Float(0.0),
        Base::Double => Constant::Double(0.0),
        _ => Constant::Null,
    }
}

/// The kind of instructions for a type that numbers were promoted to.
pub fn num_of(class: Type) -> Num {
    match class {
        Type::BOOL => Num::Bool,
        Type::LONG => Num::Long,
        Type::FLOAT => Num::Float,
        Type::DOUBLE => Num::Double,
        Type::DEF => Num::Def,
        _ => Num::Int,
    }
}

/// A constant of another type, if the cast is legal and nothing has to happen at run time. Integers that fit become
/// bytes, shorts and characters without a cast, as in Java.
fn convert_constant(constant: &Constant, from: Type, to: Type, explicit: bool) -> Option<Constant> {
    if from == to {
        return Some(constant.clone());
    }
    let fits = |low: i32, high: i32| matches!(constant, Constant::Int(i) if (low..=high).contains(i));
    let narrows = match to {
        Type::BYTE => fits(-128, 127),
        Type::SHORT => fits(-32768, 32767),
        Type::CHAR => fits(0, 65535),
        _ => false,
    };
    if !to.is_primitive() || (!narrows && legal_cast(from, to, explicit, false).is_none()) {
        return None;
    }
    if let (Constant::Str(text), Type::CHAR) = (constant, to) {
        let mut units = text.encode_utf16();
        return match (units.next(), units.next()) {
            (Some(unit), None) => Some(Constant::Char(unit)),
            _ => None,
        };
    }
    if to == Type::BOOL {
        return None;
    }
    let (integer, decimal) = match constant {
        Constant::Byte(v) => (i64::from(*v), f64::from(*v)),
        Constant::Short(v) => (i64::from(*v), f64::from(*v)),
        Constant::Char(v) => (i64::from(*v), f64::from(*v)),
        Constant::Int(v) => (i64::from(*v), f64::from(*v)),
        Constant::Long(v) => (*v, *v as f64),
        Constant::Float(v) => (*v as i64, f64::from(*v)),
        Constant::Double(v) => (*v as i64, *v),
        _ => return None,
    };
    let is_decimal = matches!(constant, Constant::Float(_) | Constant::Double(_));
    // Decimals saturate at the bounds of an int before they lose bits.
    let int = if is_decimal { decimal as i32 } else { integer as i32 };
    Some(match to {
        Type::BYTE => Constant::Byte(int as i8),
        Type::SHORT => Constant::Short(int as i16),
        Type::CHAR => Constant::Char(int as u16),
        Type::INT => Constant::Int(int),
        Type::LONG => Constant::Long(integer),
        Type::FLOAT if is_decimal => Constant::Float(decimal as f32),
        Type::FLOAT => Constant::Float(integer as f32),
        Type::DOUBLE => Constant::Double(decimal),
        _ => return None,
    })
}
