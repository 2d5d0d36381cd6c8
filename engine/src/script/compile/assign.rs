//! What changes variables, members and items.

use super::super::ast::{Binary, Expr, ExprKind};
use super::super::class::{class, registry};
use super::super::error::Compile;
use super::super::op::{Arith, Constant, Op, Reg, Source};
use super::super::types::{Base, Type, promoted};
use super::convert::Spot;
use super::operator::{arith_of, described};
use super::{Compiler, Place, Result, Val};

/// What holds an item.
#[derive(Clone, Copy)]
enum Holder {
    /// An object whose class is known, and where it comes from.
    Known(Source, Type),
    /// Anything else.
    Dynamic,
}

/// Something that can be read and written, its parts evaluated once.
enum Target {
    Variable(Reg, Type),
    /// An object and the index of an item of this type.
    Item(Reg, Reg, Type, Holder),
    /// A member of what is known only at run time.
    Member(Reg, String),
    /// Methods that read and write it.
    Property(Reg, Option<&'static super::super::class::Method>, Option<&'static super::super::class::Method>, Type),
}

fn refused_value(at: u32, what: &str) -> Compile {
    Compile::illegal(at, format!("invalid assignment: cannot assign a value to {what}"))
}

impl Compiler {
    pub(super) fn assign(
        &mut self,
        at: u32,
        target: &Expr,
        op: Option<Binary>,
        value: &Expr,
        reads: bool,
    ) -> Result<Val> {
        let goal = self.target(at, target, op.is_some())?;
        let Some(op) = op else {
            let mark = self.f.next;
            let value = self.taken(at, value, &goal)?;
            let variable = matches!(goal, Target::Variable(..));
            // Putting a value into a variable is no place where a script could be.
            self.f.place = if variable { self.f.place } else { target.at.max(at) };
            self.write(&goal, &value)?;
            if variable {
                self.f.next = mark;
            }
            return if reads { self.result(&goal, value) } else { Ok(value) };
        };
        let class = goal.class();
        self.f.place = if matches!(goal, Target::Variable(..)) { at } else { target.at };
        let mut current = self.read(&goal)?;
        if value.assigns && matches!(current.place, Place::Reg(_)) {
            let to = self.temp();
            self.store(&current, to);
            current = self.settled(to, class);
        }
        let is_number = class.is_primitive() && class != Type::BOOL && class != Type::CHAR;
        let like = (class.is_def() || is_number && op == Binary::Add).then(|| self.load(&current));
        let operand = self.expr(value)?;
        if class.is_def() && !operand.class.is_def() && (operand.class != Type::STRING || op != Binary::Add) {
            // It becomes what the variable is, which to the reference is a cast.
            self.f.place = value.at;
        }
        let concatenates = op == Binary::Add && class == Type::STRING;
        if operand.class == Type::VOID {
            refuse_nothing(value.at, class, concatenates)?;
        }
        let dynamic = class.is_def() || operand.class.is_def();
        let logical = !dynamic && (class == Type::BOOL || operand.class == Type::BOOL);
        let (arith, _, decimals) = arith_of(op);
        let shift = matches!(arith, Arith::Shl | Arith::Shr | Arith::Ushr);
        let places = (at.into(), Spot::operand(value));
        let numbers = match shift {
            true => [class, operand.class].iter().all(|t| promoted(*t, *t, false).is_some()),
            false => promoted(class, operand.class, decimals).is_some(),
        };
        let result = match op {
            // Between others than variables and what is assigned to them these are for numbers alone.
            Binary::And | Binary::Or | Binary::Xor if logical => {
                self.calculated(at, arith, Type::BOOL, current, operand, places)?
            }
            Binary::Add if !concatenates && operand.class == Type::STRING => {
                // What is no string cannot take one; `def` finds out when running.
                let text = self.convert(current, Type::STRING, false, false, at)?;
                self.apply(at, op, text, operand, places)?
            }
            _ if !numbers && !concatenates => {
                let what = format!("invalid compound assignment: cannot apply [{}=] to types", op.symbol());
                let (left, right) = (class.java_text(), operand.class.java_text());
                return Err(Compile::cast(at, format!("{what} [{left}] and [{right}]")));
            }
            _ => self.apply(at, op, current, operand, places)?,
        };
        let result = match like {
            Some(like) if result.class.is_def() => {
                let kept = self.as_before(like, &result);
                // What a number becomes beside something unknown has to be one, which the reference sees where it adds.
                if class.is_def() { kept } else { self.convert(kept, class, true, true, at)? }
            }
            _ => self.convert(result, class, true, true, at)?,
        };
        self.f.place = target.at.max(at);
        self.write(&goal, &result)?;
        if reads { self.result(&goal, result) } else { Ok(result) }
    }

    pub(super) fn step(&mut self, at: u32, target: &Expr, by: i8, post: bool, reads: bool) -> Result<Val> {
        let goal = self.target(target.at, target, true)?;
        let class = goal.class();
        self.f.place = if matches!(goal, Target::Variable(..)) { at } else { target.at };
        let mut current = self.read(&goal)?;
        self.f.place = at;
        let before = if post && reads {
            let to = self.temp();
            self.store(&current, to);
            current = self.settled(to, class);
            Some(self.settled(to, class))
        } else {
            None
        };
        let one = Val::constant(Constant::Int(1), Type::INT);
        let like = class.is_def().then(|| self.load(&current));
        let op = if by < 0 { Binary::Sub } else { Binary::Add };
        let result = self.apply(at, op, current, one, (at.into(), at.into()))?;
        let result = match like {
            Some(like) => self.as_before(like, &result),
            None => self.convert(result, class, true, true, at)?,
        };
        if matches!(goal, Target::Variable(..)) {
            self.f.place = target.at.max(at);
        }
        self.write(&goal, &result)?;
        match before {
            Some(before) => Ok(before),
            None => self.result(&goal, result),
        }
    }

    /// What was calculated, as a number of the class that stood there before.
    fn as_before(&mut self, like: Reg, result: &Val) -> Val {
        let from = self.load(result);
        let to = self.temp();
        self.emit(Op::CastLike { to, from, like });
        self.settled(to, Type::DEF)
    }

    fn result(&mut self, goal: &Target, value: Val) -> Result<Val> {
        match goal {
            Target::Variable(reg, class) => Ok(self.settled(*reg, *class)),
            _ => {
                // What was written may be in a place that is used again.
                let reg = self.load(&value);
                Ok(self.settled(reg, value.class))
            }
        }
    }

    /// What stands on the left, `reads`: where it is read as well.
    fn target(&mut self, at: u32, target: &Expr, reads: bool) -> Result<Target> {
        let beginning = self.beginning(target);
        let refused = |what: String| Err(refused_value(beginning, &what));
        match &target.kind {
            ExprKind::Name(name) => {
                let Some(local) = self.local(name) else {
                    if let Some(class) = self.static_class(target) {
                        let class = registry().class(class).name;
                        let what = format!("invalid assignment: cannot write a value to a static type [{class}]");
                        return Err(Compile::illegal(target.at, what));
                    }
                    return Err(Compile::illegal(target.at, format!("cannot resolve symbol [{name}]")));
                };
                if local.read_only {
                    return Err(Compile::illegal(target.at, format!("Variable [{name}] is read-only.")));
                }
                let variable = Target::Variable(local.reg, local.class);
                self.f.is_other_doc |= name == "doc";
                Ok(variable)
            }
            ExprKind::Index(object, index) => self.item_target(target.at, object, index, reads),
            ExprKind::Member(object, name, null_safe) => {
                let member = self.member_target(target.at, object, name)?;
                match null_safe {
                    true => Err(refused_value(target.at, "a null safe operation [?.]")),
                    false => Ok(member),
                }
            }
            ExprKind::Number(text, _) if !text.starts_with('-') => {
                refused(format!("numeric constant [{}]", digits(text)))
            }
            ExprKind::Decimal(text) if !text.starts_with('-') => refused(format!("decimal constant [{text}]")),
            ExprKind::Str(text) => refused(format!("string constant [{text}]")),
            ExprKind::Bool(value) => refused(format!("boolean constant [{value}]")),
            ExprKind::Null => refused("null constant".to_owned()),
            ExprKind::LocalCall(name, arguments) => refused(format!("function call [{name}/{}]", arguments.len())),
            ExprKind::Call(_, name, arguments, _) => {
                let what =
                    format!("invalid assignment: cannot assign a value to method call [{name}/{}]", arguments.len());
                Err(Compile::illegal(target.at, what))
            }
            ExprKind::New(class, arguments) => {
                let (class, arity) = (class.as_written(), arguments.len());
                let of = format!("new object with constructor [{class}/{arity}]");
                Err(Compile::illegal(at, format!("invalid assignment cannot assign a value to {of}")))
            }
            ExprKind::List(_) => refused("list initializer".to_owned()),
            ExprKind::Map(_) => refused("map initializer".to_owned()),
            ExprKind::Cast(class, _) => refused(format!("an explicit cast with target type [{}]", class.as_written())),
            // What assigns has a value to those who only look at types. That it is no place is found once all else is in order.
            ExprKind::Assign(..) | ExprKind::Step(..) => {
                let value = self.expr(target)?;
                self.complain_later(refused_value(beginning, "an expression"));
                Ok(Target::Variable(self.load(&value), value.class))
            }
            kind => {
                let what = described(kind);
                let what = what.as_deref().map(|what| what.trim_start_matches("result not used from "));
                refused(what.map_or("an expression", |what| what.trim_end_matches(" not used")).to_owned())
            }
        }
    }

    fn item_target(&mut self, at: u32, object: &Expr, index: &Expr, reads: bool) -> Result<Target> {
        let object = self.expr(object)?;
        let source = self.source(&object);
        let object_reg = self.load(&object);
        let dynamic = object.class.is_def();
        let before = self.f.place;
        if !dynamic || reads {
            self.f.place = at;
        }
        let (index, element) = self.index_value(at, object.class, index)?;
        if dynamic && matches!(index.place, Place::Constant(_)) {
            self.f.place = if reads { at } else { before };
        }
        let index = self.load(&index);
        if dynamic {
            self.emit(Op::CheckHeld { object: object_reg });
        }
        let holder = match dynamic {
            true => Holder::Dynamic,
            false => Holder::Known(source, object.class),
        };
        Ok(Target::Item(object_reg, index, element, holder))
    }

    fn member_target(&mut self, at: u32, object: &Expr, name: &str) -> Result<Target> {
        let value = self.prefix(at, object, Some(name))?;
        self.f.place = at;
        let source = self.source(&value);
        let reg = self.load(&value);
        let class = value.class;
        if class.is_def() {
            return Ok(Target::Member(reg, name.to_owned()));
        }
        let id = class.class_id();
        if class.dims == 0 && !class.is_primitive() {
            let (getter, setter) = (registry().getter(id, name), registry().setter(id, name));
            if getter.is_some() || setter.is_some() {
                let class = setter.map(|s| s.params[0]).or(getter.map(|g| g.returns)).unwrap_or(Type::DEF);
                return Ok(Target::Property(reg, getter, setter, class));
            }
            if registry().is_subclass(id, class::MAP) {
                let key = Val::constant(Constant::Str(name.into()), Type::STRING);
                return Ok(Target::Item(reg, self.load(&key), Type::DEF, Holder::Known(source, class)));
            }
            if registry().is_subclass(id, class::LIST) {
                let Ok(number) = name.parse::<i32>() else {
                    let cause = Some(("number_format_exception", format!("For input string: \"{name}\"")));
                    return Err(Compile { cause, ..Compile::illegal(at, format!("invalid list index [{name}]")) });
                };
                let index = Val::constant(Constant::Int(number), Type::INT);
                return Ok(Target::Item(reg, self.load(&index), Type::DEF, Holder::Known(source, class)));
            }
        }
        Err(Compile::illegal(at, format!("field [{}, {name}] not found", class.name())))
    }

    /// What is assigned: to a member or an item of what is known only at run time as what it is.
    fn taken(&mut self, at: u32, value: &Expr, goal: &Target) -> Result<Val> {
        if !goal.takes_anything() {
            return self.expr_to(value, goal.class(), false);
        }
        if !matches!(
            value.kind,
            ExprKind::Ternary(..) | ExprKind::Elvis(..) | ExprKind::Call(..) | ExprKind::LocalCall(..)
        ) {
            return self.expr_to(value, Type::DEF, false);
        }
        let given = self.expr(value)?;
        if given.class == Type::VOID {
            return Err(Compile::illegal(at, "invalid assignment: cannot assign type [void]"));
        }
        let place = self.f.place;
        let given = self.convert(given, Type::DEF, false, true, value.at)?;
        self.f.place = place;
        Ok(given)
    }

    /// The index of an item, converted to what the collection takes, and the type of items.
    pub(super) fn index_value(&mut self, at: u32, object: Type, index: &Expr) -> Result<(Val, Type)> {
        if object.dims > 0 {
            return Ok((self.expr_to(index, Type::INT, false)?, object.element()));
        }
        if object.is_def() {
            return Ok((self.dynamic_index(index)?.0, Type::DEF));
        }
        if let Base::Class(id) = object.base {
            if registry().is_subclass(id, class::MAP) {
                return Ok((self.expr_to(index, Type::DEF, true)?, Type::DEF));
            }
            if registry().is_subclass(id, class::LIST) {
                return Ok((self.expr_to(index, Type::INT, false)?, Type::DEF));
            }
        }
        Err(Compile::illegal(at, format!("Illegal array access on type [{}].", object.name())))
    }

    /// The index of an item of what is known only when running, and the type that it has to the reference, which does not convert it.
    pub(super) fn dynamic_index(&mut self, index: &Expr) -> Result<(Val, Type)> {
        let given = self.expr(index)?;
        let (class, place) = (given.class, self.f.place);
        let index = self.convert(given, Type::DEF, false, false, index.at)?;
        self.f.place = place;
        Ok((index, class))
    }

    /// Notes what holds the item that the next instruction is about.
    fn holds(&mut self, holder: Holder) {
        if let Holder::Known(source, class) = holder {
            self.receives(source, class);
        }
    }

    fn read(&mut self, goal: &Target) -> Result<Val> {
        match goal {
            Target::Variable(reg, class) => Ok(self.settled(*reg, *class)),
            Target::Item(object, index, class, holder) => {
                let to = self.temp();
                self.holds(*holder);
                self.emit(Op::GetIndex { to, object: *object, index: *index });
                Ok(self.fresh(to, *class))
            }
            Target::Member(object, name) => {
                let site = self.site(name, 0);
                let to = self.temp();
                self.emit(Op::GetMember { site, to, object: *object });
                Ok(self.fresh(to, Type::DEF))
            }
            Target::Property(object, getter, _, class) => {
                let Some(getter) = getter else {
                    return Err(Compile::illegal(self.f.place, "a property without a getter cannot be read"));
                };
                let args = self.temp();
                self.emit(Op::Move { to: args, from: *object });
                let method = self.method_index(getter);
                self.emit(Op::Native { method, args, count: 1, to: args });
                Ok(self.settled(args, *class))
            }
        }
    }

    fn write(&mut self, goal: &Target, value: &Val) -> Result<()> {
        match goal {
            Target::Variable(reg, _) => self.store(value, *reg),
            Target::Item(object, index, _, holder) => {
                let value = self.load(value);
                self.holds(*holder);
                self.emit(Op::SetIndex { object: *object, index: *index, value });
            }
            Target::Member(object, name) => {
                let value = self.load(value);
                let site = self.site(name, 1);
                self.emit(Op::SetMember { site, object: *object, value });
            }
            Target::Property(object, _, setter, _) => {
                let Some(setter) = setter else {
                    return Err(Compile::illegal(self.f.place, "a property without a setter cannot be written"));
                };
                let args = self.temps(2);
                self.emit(Op::Move { to: args, from: *object });
                self.store(value, args + 1);
                let method = self.method_index(setter);
                self.emit(Op::Native { method, args, count: 2, to: args });
            }
        }
        Ok(())
    }
}

impl Target {
    /// Whether it is found out at run time what is assigned to.
    fn takes_anything(&self) -> bool {
        matches!(self, Self::Member(..) | Self::Item(_, _, _, Holder::Dynamic))
    }

    fn class(&self) -> Type {
        match self {
            Self::Variable(_, class) | Self::Item(_, _, class, _) | Self::Property(_, _, _, class) => *class,
            Self::Member(..) => Type::DEF,
        }
    }
}

/// Refuses what gives nothing beside a variable of the type.
fn refuse_nothing(at: u32, class: Type, concatenates: bool) -> Result<()> {
    match (class.is_def(), concatenates) {
        (true, _) => Err(Compile::cast(at, "Cannot cast from [void] to [def].")),
        (false, true) => Err(Compile::of_nothing()),
        _ => Ok(()),
    }
}

/// What a number is written with, behind the prefix of its base.
fn digits(text: &str) -> &str {
    match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => &text[2..],
        [b'0', b'0'..=b'9', ..] => &text[1..],
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::super::compile;
    use crate::script::context::PAINLESS_TEST;

    #[test]
    fn what_cannot_be_assigned() {
        let reason = |source: &str| compile(source, &PAINLESS_TEST).unwrap_err().reason;
        assert_eq!(reason("5 = 3"), "invalid assignment: cannot assign a value to numeric constant [5]");
        assert_eq!(reason("x = 3"), "cannot resolve symbol [x]");
        assert_eq!(reason("int x = 1; x += 'a'; x"), "Cannot cast from [int] to [java.lang.String].");
        assert_eq!(reason("boolean b = true; b += 1"), "Cannot cast from [boolean] to [int].");
    }
}
