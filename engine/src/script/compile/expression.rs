//! Literals, names, conditionals and collections.

use super::super::ast::{Binary, Expr, ExprKind, TypeName};
use super::super::class::{class, registry};
use super::super::error::Compile;
use super::super::op::{CastTo, Constant, Link, Op, Reg};
use super::super::types::{Base, Legal, Type, legal_cast, promoted};
use super::convert::Spot;
use super::{Compiler, Result, Val};
use crate::java_regex::JavaRegex;

impl Compiler {
    pub(super) fn expr(&mut self, expr: &Expr) -> Result<Val> {
        let before = self.f.place;
        if notes_place_first(&expr.kind) {
            self.f.place = expr.at;
        }
        let value = self.expr_inner(expr)?;
        // What was computed here and now has left no place behind.
        if value.as_constant().is_some() && matches!(expr.kind, ExprKind::Unary(..) | ExprKind::Binary(..)) {
            self.f.place = before;
        }
        Ok(value)
    }

    /// A sum where a text is wanted.
    pub(super) fn sum_as_text(&mut self, at: u32, left: &Expr, right: &Expr) -> Result<Val> {
        let before = std::mem::replace(&mut self.f.place, at);
        let value = self.binary_as(at, Binary::Add, left, right, true)?;
        if value.as_constant().is_some() {
            self.f.place = before;
        }
        Ok(value)
    }

    fn expr_inner(&mut self, expr: &Expr) -> Result<Val> {
        let at = expr.at;
        if let Some(id) = self.static_class(expr) {
            return Err(self.type_as_value(at, id));
        }
        match &expr.kind {
            ExprKind::Null => Ok(Val::constant(Constant::Null, Type::OBJECT)),
            ExprKind::Bool(value) => Ok(Val::constant(Constant::Bool(*value), Type::BOOL)),
            // The reference takes such a last digit for the letter of a fraction.
            ExprKind::Number(text, 16) if text.ends_with(['d', 'D', 'f', 'F']) => {
                Err(Compile::new(at, "illegal_state_exception", "Illegal tree structure."))
            }
            ExprKind::Number(text, radix) => integer(at, text, *radix),
            ExprKind::Decimal(text) => decimal(at, text),
            ExprKind::Str(text) => Ok(Val::constant(Constant::Str(text.as_str().into()), Type::STRING)),
            ExprKind::Regex(pattern, flags) => self.regex(at, pattern, flags),
            ExprKind::Name(name) => self.name(at, name),
            ExprKind::Unary(op, operand) => self.unary(at, *op, operand),
            ExprKind::Binary(op, left, right) => self.binary(at, *op, left, right),
            ExprKind::Assign(target, op, value) => self.assign(at, target, *op, value, true),
            ExprKind::Step(target, by, post) => self.step(at, target, *by, *post, true),
            ExprKind::Ternary(..) | ExprKind::Elvis(..) => self.alternatives(expr, false),
            ExprKind::Cast(class, operand) => {
                let to = self.type_at(at, class)?;
                if let ExprKind::Ternary(..) | ExprKind::Elvis(..) = operand.kind {
                    return self.cast_to(operand, to);
                }
                let value = self.expr(operand)?;
                self.f.untyped =
                    (to.is_def() && !value.class.is_def() && !value.class.is_primitive()).then_some(operand.at);
                let null = value.is_null();
                let widens = (to.is_def() || to == Type::OBJECT) && value.class != to && !value.class.is_primitive();
                let widens = widens && !value.class.is_def() && !null;
                let cast = self.convert(value, to, true, false, Spot::of(operand))?;
                if widens {
                    self.f.place = operand.at;
                }
                // Null that was cast is of that type, and no longer the null that no primitive can be.
                if null && to != Type::VOID {
                    let reg = self.load(&cast);
                    return Ok(self.settled(reg, to));
                }
                Ok(cast)
            }
            ExprKind::InstanceOf(operand, class) => self.instance_of(operand, class),
            ExprKind::New(class, arguments) => self.new_object(at, class, arguments),
            ExprKind::NewArray(class, sizes) => self.new_array(at, class, sizes),
            ExprKind::ArrayInit(class, items) => self.array_of(at, class, items),
            ExprKind::List(items) => {
                let from = self.all_to(items.iter(), Type::DEF)?;
                self.f.next = usize::from(from);
                let to = self.temp();
                self.emit(Op::NewList { from, count: items.len() as u16, to });
                Ok(self.fresh(to, Type::class(class::ARRAY_LIST)))
            }
            ExprKind::Map(entries) => {
                let from = self.all_to(entries.iter().flat_map(|(k, v)| [k, v]), Type::DEF)?;
                self.f.next = usize::from(from);
                let to = self.temp();
                self.emit(Op::NewMap { from, count: entries.len() as u16 * 2, to });
                Ok(self.fresh(to, Type::class(class::HASH_MAP)))
            }
            ExprKind::Member(object, name, null_safe) => self.member(at, object, name, *null_safe),
            ExprKind::Index(object, index) => self.index(at, object, index),
            ExprKind::Call(object, name, arguments, null_safe) => self.call(at, object, name, arguments, *null_safe),
            ExprKind::LocalCall(name, arguments) => self.local_call(at, name, arguments),
            ExprKind::Lambda(..) | ExprKind::FunctionRef(..) => {
                Err(Compile::illegal(at, "a lambda or function reference can only be an argument"))
            }
        }
    }

    /// An expression for what it does: its result is not needed.
    pub(super) fn effect(&mut self, expr: &Expr) -> Result<()> {
        let mark = self.f.next;
        match &expr.kind {
            ExprKind::Assign(target, op, value) => drop(self.assign(expr.at, target, *op, value, false)?),
            ExprKind::Step(target, by, post) => drop(self.step(expr.at, target, *by, *post, false)?),
            _ => drop(self.expr(expr)?),
        }
        self.f.next = mark;
        Ok(())
    }

    /// Expressions as values of a type, in registers in a row.
    pub(super) fn all_to<'e>(&mut self, items: impl ExactSizeOrNot<'e>, class: Type) -> Result<Reg> {
        let items: Vec<&Expr> = items.collect();
        if items.len() > 1_000 {
            return Err(Compile::illegal(items[0].at, "too many values in one expression"));
        }
        let first = self.temps(items.len());
        let top = self.f.next;
        for (i, item) in items.into_iter().enumerate() {
            let value = self.expr_to(item, class, true)?;
            self.store(&value, first + i as Reg);
            self.f.next = top;
        }
        Ok(first)
    }

    fn regex(&mut self, at: u32, pattern: &str, flags: &str) -> Result<Val> {
        let names = flags.chars().map(|flag| match flag {
            'c' => "CANON_EQ",
            'i' => "CASE_INSENSITIVE",
            'l' => "LITERAL",
            'm' => "MULTILINE",
            's' => "DOTALL",
            'U' => "UNICODE_CHARACTER_CLASS",
            'u' => "UNICODE_CASE",
            _ => "COMMENTS",
        });
        let names = names.collect::<Vec<_>>().join("|");
        if let Err(error) = JavaRegex::new(pattern, &names) {
            let reason = format!(
                "invalid regular expression: could not compile regex constant [{pattern}] with flags [{flags}]"
            );
            // The place in the expression that its complaint names.
            let index = error.reason().split_once(" near index ").map_or("", |(_, rest)| rest);
            let index: String = index.chars().take_while(char::is_ascii_digit).collect();
            let bytes = |index| pattern.chars().take(index).map(char::len_utf8).sum::<usize>() as u32;
            let place = index.parse().map_or(at, |index| at + 1 + bytes(index));
            let mut compile = Compile::illegal(place, reason);
            compile.cause = Some(("pattern_syntax_exception", error.reason().to_owned()));
            return Err(compile);
        }
        // It is made once, by a statement of its own.
        self.statements.insert(at);
        Ok(Val::constant(Constant::Regex(pattern.into(), names.into()), Type::class(class::PATTERN)))
    }

    pub(super) fn name(&mut self, at: u32, name: &str) -> Result<Val> {
        if let Some(local) = self.local(name) {
            let (reg, class) = (local.reg, local.class);
            return Ok(self.settled(reg, class));
        }
        if name == "_score" && self.f.is_main && self.program.context.scores {
            self.program.uses_score = true;
            let to = self.temp();
            self.emit(Op::Score { to });
            let class = if self.program.context.name == "aggs" { Type::class(class::NUMBER) } else { Type::DOUBLE };
            return Ok(self.fresh(to, class));
        }
        Err(Compile::illegal(at, format!("cannot resolve symbol [{name}]")))
    }

    /// What no type is wanted of: a conditional's branches then become what is common to them. `internal` ones box.
    pub(super) fn alternatives(&mut self, expr: &Expr, internal: bool) -> Result<Val> {
        match &expr.kind {
            ExprKind::Ternary(condition, then, otherwise) => {
                self.ternary(expr.at, condition, then, otherwise, internal)
            }
            ExprKind::Elvis(left, right) => self.elvis(expr.at, left, right, None, internal),
            _ => self.expr(expr),
        }
    }

    fn ternary(&mut self, at: u32, condition: &Expr, then: &Expr, otherwise: &Expr, internal: bool) -> Result<Val> {
        let to = self.temp();
        // The common type is known only when both sides are: each branch keeps a place for its cast.
        let [(left, left_cast), (right, right_cast)] = self.either(condition, [then, otherwise], |code, side| {
            let value = code.expr(side)?;
            code.store(&value, to);
            Ok((value, code.emit(Op::Move { to, from: to })))
        })?;
        let class = common_type(left.class, right.class).ok_or_else(|| {
            let (left, right) = (left.class.name(), right.class.name());
            Compile::cast(at, format!("cannot apply the conditional operator [?:] to the types [{left}] and [{right}]"))
        })?;
        self.cast_later(left_cast, to, &left, (class, internal), then.at)?;
        self.cast_later(right_cast, to, &right, (class, internal), otherwise.at)?;
        Ok(self.settled(to, class))
    }

    /// What is cast to a type in so many words: branches of a conditional are, each by itself.
    fn cast_to(&mut self, expr: &Expr, class: Type) -> Result<Val> {
        match &expr.kind {
            ExprKind::Ternary(condition, then, otherwise) => {
                self.f.place = expr.at;
                let sides = [&**then, &**otherwise];
                let cast = |code: &mut Self, side: &Expr| match side.kind {
                    ExprKind::Ternary(..) | ExprKind::Elvis(..) => Ok((code.cast_to(side, class)?, None)),
                    _ => {
                        let value = code.expr(side)?;
                        code.converted(value, class, (true, false), Spot::of(side))
                    }
                };
                self.ternary_to(condition, sides, cast, class)
            }
            ExprKind::Elvis(left, right) => {
                self.f.place = expr.at;
                self.elvis(expr.at, left, right, Some(class), false)
            }
            _ => {
                let value = self.expr(expr)?;
                self.convert(value, class, true, false, expr.at)
            }
        }
    }

    /// A conditional where a type is wanted: each branch is cast to it by itself, which is refused once both have been looked at.
    pub(super) fn ternary_to(
        &mut self,
        condition: &Expr,
        sides: [&Expr; 2],
        mut cast: impl FnMut(&mut Self, &Expr) -> Result<(Val, Option<Compile>)>,
        class: Type,
    ) -> Result<Val> {
        let to = self.temp();
        let refused = self.either(condition, sides, |code, side| {
            let (value, refused) = cast(code, side)?;
            code.store(&value, to);
            Ok(refused)
        })?;
        match refused.into_iter().flatten().next() {
            Some(refused) => Err(refused),
            None => Ok(self.settled(to, class)),
        }
    }

    /// What `branch` makes of the first side, run where the condition holds, and of the second, run where it does not.
    fn either<T>(
        &mut self,
        condition: &Expr,
        sides: [&Expr; 2],
        mut branch: impl FnMut(&mut Self, &Expr) -> Result<T>,
    ) -> Result<[T; 2]> {
        let mark = self.f.next;
        let value = self.expr_to(condition, Type::BOOL, false)?;
        let reg = self.load(&value);
        let skip = self.emit(Op::JumpIf { when: false, reg, target: 0 });
        self.f.next = mark;
        let then = branch(self, sides[0])?;
        let leave = self.emit(Op::Jump { target: 0 });
        let end = self.here();
        self.patch(skip, end);
        self.f.next = mark;
        let otherwise = branch(self, sides[1])?;
        let end = self.here();
        self.patch(leave, end);
        self.f.next = mark;
        Ok([then, otherwise])
    }

    /// Turns the place that was kept into the cast of a value that is in `reg` by then.
    fn cast_later(
        &mut self,
        place: usize,
        reg: Reg,
        value: &Val,
        (class, internal): (Type, bool),
        at: u32,
    ) -> Result<()> {
        match legal_cast(value.class, class, false, internal) {
            None => Err(Compile::cast(at, format!("Cannot cast from [{}] to [{}].", value.class.name(), class.name()))),
            Some(Legal::Same) => Ok(()),
            Some(Legal::Convert) => {
                let cast = self.cast_index(CastTo { from: value.class, to: class, explicit: false, link: Link::None });
                self.f.function.ops[place] = Op::Cast { to: reg, from: reg, cast };
                Ok(())
            }
        }
    }

    /// `left ?: right`. Both become what is wanted, or what is common to them.
    pub(super) fn elvis(
        &mut self,
        at: u32,
        left: &Expr,
        right: &Expr,
        want: Option<Type>,
        internal: bool,
    ) -> Result<Val> {
        if want.is_some_and(Type::is_primitive) {
            return Err(Compile::illegal(at, "Elvis operator cannot return primitives"));
        }
        let to = self.temp();
        let mark = self.f.next;
        let mut value = match (want, &left.kind) {
            (Some(class), ExprKind::Ternary(..) | ExprKind::Elvis(..)) => self.expr_to(left, class, internal)?,
            _ => self.expr(left)?,
        };
        let left_class = value.class;
        if left_class == Type::VOID {
            return Err(Compile::illegal(at, "Extraneous elvis operator. LHS is a primitive."));
        }
        let mut refused = None;
        if let Some(class) = want {
            (value, refused) = self.converted(value, class, (false, internal), Spot::of(left))?;
        }
        self.store(&value, to);
        let leave = self.emit(Op::JumpIfNull { when: false, reg: to, target: 0 });
        self.f.next = mark;
        let (value, refused_right) = match want {
            Some(class) => self.expr_towards(right, class, internal)?,
            None => (self.expr(right)?, None),
        };
        // Both sides are looked at before what they are together.
        if let Some(what) = extraneous(left, left_class, right) {
            return Err(Compile::illegal(at, format!("Extraneous elvis operator. {what}.")));
        }
        if let Some(refused) = refused.or(refused_right) {
            return Err(refused);
        }
        let (value, class) = match want {
            Some(class) => (value, class),
            None => {
                // Only primitives have nothing in common, and the left side is none.
                let class = common_type(left_class, value.class).unwrap_or(Type::OBJECT);
                (self.convert(value, class, false, internal, right.at)?, class)
            }
        };
        self.store(&value, to);
        let end = self.here();
        self.patch(leave, end);
        self.f.next = mark;
        Ok(self.settled(to, class))
    }

    fn instance_of(&mut self, operand: &Expr, class: &TypeName) -> Result<Val> {
        let mark = self.f.next;
        let Some(class) = self.named(class, class.dims) else {
            return Err(Compile::illegal(
                operand.at,
                format!("Not a type [{}{}].", class.name, "[]".repeat(class.dims.into())),
            ));
        };
        let value = self.expr(operand)?;
        if value.class == Type::VOID {
            return Err(Compile::of_nothing());
        }
        let from = self.load(&value);
        let class = if class.is_primitive() { Type::class(class.class_id()) } else { class };
        let class = self.type_index(class);
        self.f.next = mark;
        let to = self.temp();
        self.emit(Op::InstanceOf { to, from, class });
        Ok(self.settled(to, Type::BOOL))
    }

    fn new_object(&mut self, at: u32, class: &TypeName, arguments: &[Expr]) -> Result<Val> {
        let Some(Type { base: Base::Class(id), .. }) = self.named(class, 0) else {
            let what = match self.named(class, 0) {
                Some(_) => format!("constructor [{}, <init>/{}] not found", class.name, arguments.len()),
                None => format!("Not a type [{}].", class.name),
            };
            return Err(Compile::illegal(at, what));
        };
        let Some(method) = registry().constructor(id, arguments.len()) else {
            let name = registry().class(id).name;
            return Err(Compile::illegal(at, format!("constructor [{name}, <init>/{}] not found", arguments.len())));
        };
        let args = self.arguments(method.params.iter().copied(), arguments)?;
        self.f.next = usize::from(args);
        let to = self.temp();
        let method = self.method_index(method);
        self.emit(Op::Native { method, args, count: arguments.len() as u8, to });
        Ok(self.fresh(to, Type::class(id)))
    }

    fn new_array(&mut self, at: u32, name: &TypeName, sizes: &[Expr]) -> Result<Val> {
        let class = self.array_type(at, name, &name.as_written())?;
        if sizes.is_empty() || sizes.len() > 8 {
            return Err(Compile::illegal(name.at, format!("invalid number of dimensions for [{}]", class.name())));
        }
        let first = self.all_to(sizes.iter(), Type::INT)?;
        self.f.next = usize::from(first);
        let to = self.temp();
        let index = self.type_index(class);
        self.emit(Op::NewArray { class: index, sizes: first, count: sizes.len() as u8, to });
        Ok(self.fresh(to, class))
    }

    fn array_of(&mut self, at: u32, name: &TypeName, items: &[Expr]) -> Result<Val> {
        let element = self.array_type(at, name, &format!("{}[]", name.as_written()))?;
        let from = self.all_to(items.iter(), element)?;
        self.f.next = usize::from(from);
        let to = self.temp();
        let class = self.type_index(element);
        self.emit(Op::ArrayOf { class, from, count: items.len() as u16, to });
        Ok(self.fresh(to, Type { dims: element.dims.saturating_add(1), ..element }))
    }
}

/// Whether the reference notes an expression's place before its parts. Instructions are attributed to the place that was noted last when
/// they are written: what fails behind the parts of an expression stands where the last of them does.
fn notes_place_first(kind: &ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Ternary(..)
            | ExprKind::Elvis(..)
            | ExprKind::New(..)
            | ExprKind::NewArray(..)
            | ExprKind::ArrayInit(..)
            | ExprKind::List(_)
            | ExprKind::Map(_)
            | ExprKind::LocalCall(..)
            | ExprKind::Lambda(..)
            | ExprKind::FunctionRef(..)
    )
}

/// What [`Compiler::all_to`] takes.
pub(super) trait ExactSizeOrNot<'e>: Iterator<Item = &'e Expr> {}
impl<'e, I: Iterator<Item = &'e Expr>> ExactSizeOrNot<'e> for I {}

/// The type that both branches of a conditional have where none is wanted: numbers are promoted, everything else is an object.
fn common_type(a: Type, b: Type) -> Option<Type> {
    if a == b {
        return Some(a);
    }
    match (a, b) {
        (Type::BYTE, Type::SHORT) | (Type::SHORT, Type::BYTE) => None,
        _ if a.is_def() || b.is_def() => Some(Type::DEF),
        _ if a.is_numeric() && b.is_numeric() => promoted(a, b, true),
        _ => Some(Type::OBJECT),
    }
}

fn integer(at: u32, text: &str, radix: u32) -> Result<Val> {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |d| ("-", d));
    let bad = |kind: &str| Compile::illegal(at, format!("Invalid {kind} constant [{text}]."));
    if radix == 10 {
        match digits.as_bytes().last() {
            Some(b'd' | b'D') => {
                let value = digits[..digits.len() - 1].parse::<f64>().map_err(|_| bad("double"))?;
                return Ok(Val::constant(Constant::Double(if sign.is_empty() { value } else { -value }), Type::DOUBLE));
            }
            Some(b'f' | b'F') => {
                let value = digits[..digits.len() - 1].parse::<f32>().map_err(|_| bad("float"))?;
                return Ok(Val::constant(Constant::Float(if sign.is_empty() { value } else { -value }), Type::FLOAT));
            }
            _ => {}
        }
    }
    if let Some(digits) = digits.strip_suffix(['l', 'L']) {
        let value = i64::from_str_radix(&format!("{sign}{digits}"), radix).map_err(|_| bad("long"))?;
        return Ok(Val::constant(Constant::Long(value), Type::LONG));
    }
    match i32::from_str_radix(&format!("{sign}{digits}"), radix) {
        Ok(value) => Ok(Val::constant(Constant::Int(value), Type::INT)),
        Err(_) if i64::from_str_radix(&format!("{sign}{digits}"), radix).is_ok() => Err(Compile::illegal(
            at,
            format!("Invalid int constant [{text}]. If you want a long constant then change it to [{text}L]."),
        )),
        Err(_) => Err(bad("int")),
    }
}

fn decimal(at: u32, text: &str) -> Result<Val> {
    if let Some(digits) = text.strip_suffix(['f', 'F']) {
        // What is too great is infinite.
        let bad = |_| Compile::illegal(at, format!("Invalid float constant [{text}]."));
        let value: f32 = digits.parse().map_err(bad)?;
        return Ok(Val::constant(Constant::Float(value), Type::FLOAT));
    }
    let digits = text.strip_suffix(['d', 'D']).unwrap_or(text);
    let bad = |_| Compile::illegal(at, format!("Invalid double constant [{text}]."));
    let value: f64 = digits.parse().map_err(bad)?;
    Ok(Val::constant(Constant::Double(value), Type::DOUBLE))
}

/// Why `left ?: right` always gives the same side, if it does.
fn extraneous(left: &Expr, class: Type, right: &Expr) -> Option<&'static str> {
    match &left.kind {
        ExprKind::Null => Some("LHS is null"),
        // A sign is an operation on a constant.
        ExprKind::Number(text, _) | ExprKind::Decimal(text) if !text.starts_with('-') => Some("LHS is a constant"),
        ExprKind::Str(_) | ExprKind::Bool(_) => Some("LHS is a constant"),
        _ if class.is_primitive() => Some("LHS is a primitive"),
        _ => matches!(right.kind, ExprKind::Null).then_some("RHS is null"),
    }
}
