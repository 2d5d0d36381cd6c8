//! Unary and binary operators.

use super::super::ast::{Binary, Expr, ExprKind, Unary};
use super::super::class::{class, registry};
use super::super::error::Compile;
use super::super::op::{Arith, Cmp, Constant, Num, Op};
use super::super::types::{Type, promoted};
use super::super::vm::fold;
use super::convert::{Spot, num_of};
use super::{Compiler, Place, Result, Val};

impl Compiler {
    pub(super) fn unary(&mut self, at: u32, op: Unary, operand: &Expr) -> Result<Val> {
        let mark = self.f.next;
        if op == Unary::Not {
            let value = self.expr_to(operand, Type::BOOL, false)?;
            if let Some(Constant::Bool(value)) = value.as_constant() {
                return Ok(Val::constant(Constant::Bool(!value), Type::BOOL));
            }
            let from = self.load(&value);
            self.f.next = mark;
            let to = self.temp();
            self.emit(Op::Not { to, from });
            return Ok(self.settled(to, Type::BOOL));
        }
        let value = self.expr(operand)?;
        let symbol = match op {
            Unary::Plus => ("addition operator [+]", true),
            Unary::Minus => ("subtraction operator [-]", true),
            _ => ("bitwise not operator [~]", false),
        };
        let Some(class) = promoted(value.class, value.class, symbol.1) else {
            let class = value.class.name();
            return Err(Compile::cast(at, format!("cannot apply the {} to the type [{class}]", symbol.0)));
        };
        let class = if value.class.is_def() { Type::DEF } else { class };
        let value = self.convert(value, class, false, false, operand.at)?;
        if let Some(constant) = value.as_constant()
            && let Some(folded) = fold::unary(op, constant)
        {
            return Ok(Val::constant(folded, class));
        }
        let from = self.load(&value);
        self.f.next = mark;
        let to = self.temp();
        let num = num_of(class);
        let at = self.emit(match op {
            Unary::Minus => Op::Negate { to, from },
            Unary::BitNot => Op::BitNot { to, from },
            _ if num == Num::Def => Op::Plus { to, from },
            _ => Op::Move { to, from },
        });
        if num == Num::Def {
            self.f.operator = Some((at, Type::DEF, None));
        }
        Ok(self.settled(to, class))
    }

    pub(super) fn binary(&mut self, at: u32, op: Binary, left: &Expr, right: &Expr) -> Result<Val> {
        self.binary_as(at, op, left, right, false)
    }

    /// The same where a `text` may be wanted: what is added is joined to one, unless its types say that it is something else.
    pub(super) fn binary_as(&mut self, at: u32, op: Binary, left: &Expr, right: &Expr, text: bool) -> Result<Val> {
        match op {
            Binary::BoolAnd | Binary::BoolOr => return self.short_circuit(op == Binary::BoolOr, left, right),
            Binary::Find | Binary::Match => return self.matching(op, left, right),
            _ => {}
        }
        let mark = self.f.next;
        let a = self.operand(left, right)?;
        let b = self.expr(right)?;
        if b.class == Type::VOID && matches!(op, Binary::Eq | Binary::Ne) && !a.is_null() {
            return Err(Compile::cast(right.at, format!("Cannot cast from [void] to [{}].", a.class.name())));
        }
        let nothing = |one: &Val, other: &Val| one.class == Type::VOID && other.class == Type::STRING;
        if op == Binary::Add && (nothing(&a, &b) || nothing(&b, &a)) {
            return Err(Compile::of_nothing());
        }
        let result = match text && op == Binary::Add && (a.class.is_def() || b.class.is_def()) {
            true => self.concat(a, b)?,
            false => self.apply(at, op, a, b, (Spot::operand(left), Spot::operand(right)))?,
        };
        // The result goes to the first free register, so that chains need few.
        if let Place::Fresh(reg) = result.place
            && usize::from(reg) > mark
        {
            self.f.next = mark;
            let to = self.temp();
            self.store(&result, to);
            return Ok(self.fresh(to, result.class));
        }
        Ok(result)
    }

    /// The left operand: copied if it is a variable that the right one may change.
    fn operand(&mut self, left: &Expr, right: &Expr) -> Result<Val> {
        let value = self.expr(left)?;
        if right.assigns && matches!(value.place, Place::Reg(_)) {
            let to = self.temp();
            self.store(&value, to);
            return Ok(self.settled(to, value.class));
        }
        Ok(value)
    }

    /// `a op b` of two values.
    pub(super) fn apply(&mut self, at: u32, op: Binary, a: Val, b: Val, places: (Spot, Spot)) -> Result<Val> {
        match op {
            Binary::Eq | Binary::Ne => self.equality(op == Binary::Ne, false, a, b, places),
            Binary::EqRef | Binary::NeRef => self.equality(op == Binary::NeRef, true, a, b, places),
            Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge => self.ordering(at, op, a, b, places),
            Binary::Add if a.class == Type::STRING || b.class == Type::STRING => self.concat(a, b),
            _ => self.arithmetic(at, op, a, b, places),
        }
    }

    fn concat(&mut self, a: Val, b: Val) -> Result<Val> {
        if let (Some(a), Some(b)) = (a.as_constant(), b.as_constant())
            && let (Some(a), Some(b)) = (fold::text(a), fold::text(b))
        {
            return Ok(Val::constant(Constant::Str((a + &b).into()), Type::STRING));
        }
        let from = self.temps(2);
        self.store(&a, from);
        self.store(&b, from + 1);
        self.f.next = usize::from(from);
        let to = self.temp();
        self.emit(Op::Concat { to, from, count: 2 });
        Ok(self.fresh(to, Type::STRING))
    }

    fn arithmetic(&mut self, at: u32, op: Binary, a: Val, b: Val, places: (Spot, Spot)) -> Result<Val> {
        let (arith, described, decimals) = arith_of(op);
        let shift = matches!(arith, Arith::Shl | Arith::Shr | Arith::Ushr);
        let refused = |a: &Val, b: &Val| {
            let (a, b) = (a.class.name(), b.class.name());
            Compile::cast(at, format!("cannot apply the {described} [{}] to the types [{a}] and [{b}]", op.symbol()))
        };
        if shift {
            let left = promoted(a.class, a.class, false);
            let right = promoted(b.class, b.class, false);
            let (Some(left), Some(right)) = (left, right) else { return Err(refused(&a, &b)) };
            if left.is_def() || right.is_def() {
                return self.emit_arith(arith, Num::Def, a, b, Type::DEF);
            }
            let a = self.convert_behind(a, left, places.0)?;
            let b = self.convert(b, Type::INT, true, false, places.1)?;
            if let (Some(x), Some(y)) = (a.as_constant(), b.as_constant())
                && let Some(Ok(constant)) = fold::arith(arith, x, y)
            {
                return Ok(Val::constant(constant, left));
            }
            return self.emit_arith(arith, num_of(left), a, b, left);
        }
        let class = match promoted(a.class, b.class, decimals) {
            Some(Type::DEF) => return self.emit_arith(arith, Num::Def, a, b, Type::DEF),
            _ if arith == Arith::Xor && (a.class == Type::BOOL || b.class == Type::BOOL) => Type::BOOL,
            Some(class) => class,
            None => return Err(refused(&a, &b)),
        };
        self.calculated(at, arith, class, a, b, places)
    }

    /// What two operands give that are calculated with as values of a type.
    pub(super) fn calculated(
        &mut self,
        at: u32,
        arith: Arith,
        class: Type,
        a: Val,
        b: Val,
        places: (Spot, Spot),
    ) -> Result<Val> {
        let a = self.convert_behind(a, class, places.0)?;
        let b = self.convert_operand(b, class, places.1)?;
        if let (Some(x), Some(y)) = (a.as_constant(), b.as_constant()) {
            match fold::arith(arith, x, y) {
                Some(Ok(constant)) => return Ok(Val::constant(constant, class)),
                Some(Err(reason)) => {
                    // Constants are calculated with once all types are known.
                    self.complain_later(Compile::new(at, "arithmetic_exception", reason));
                    return Ok(Val::constant(x.clone(), class));
                }
                None => {}
            }
        }
        self.emit_arith(arith, num_of(class), a, b, class)
    }

    /// An operand as a value of a type. Null is an object here: nothing was wanted of it when it was read.
    fn convert_operand(&mut self, value: Val, to: Type, at: Spot) -> Result<Val> {
        if value.is_null() && to.is_primitive() {
            return Err(Compile::cast(
                at.told,
                format!("Cannot cast from [{}] to [{}].", value.class.name(), to.name()),
            ));
        }
        self.convert(value, to, false, false, at)
    }

    /// Converts the left operand once the right one has been computed, whose place stays.
    fn convert_behind(&mut self, value: Val, to: Type, at: Spot) -> Result<Val> {
        let place = self.f.place;
        let converted = self.convert_operand(value, to, at);
        self.f.place = place;
        converted
    }

    pub(super) fn emit_arith(&mut self, op: Arith, num: Num, a: Val, b: Val, class: Type) -> Result<Val> {
        let types = (a.class, b.class);
        let (a, b) = (self.load(&a), self.load(&b));
        let to = self.temp();
        let at = self.emit(Op::Arith { op, num, to, a, b });
        if num == Num::Def {
            self.f.operator = Some((at, types.0, Some(types.1)));
        }
        Ok(self.fresh(to, class))
    }

    fn equality(&mut self, negate: bool, same: bool, a: Val, b: Val, places: (Spot, Spot)) -> Result<Val> {
        if a.is_null() && b.is_null() {
            return Err(Compile::illegal(places.0.told, "extraneous comparison of [null] constants"));
        }
        if let (true, Some(Constant::Str(x)), Some(Constant::Str(y))) = (same, a.as_constant(), b.as_constant()) {
            // The reference compares them while it compiles, and no two constants but empty ones are one text there.
            return Ok(Val::constant(Constant::Bool((x.is_empty() && y.is_empty()) != negate), Type::BOOL));
        }
        let null = a.is_null() || b.is_null();
        let class = if null {
            let (other, at) = if a.is_null() { (&b, places.1) } else { (&a, places.0) };
            if other.class.is_primitive() {
                let what = format!("Cannot cast from [{}] to [java.lang.Object].", other.class.name());
                return Err(Compile::cast(at.told, what));
            }
            Type::DEF
        } else if a.class == Type::BOOL && b.class == Type::BOOL {
            Type::BOOL
        } else {
            let numbers = a.class.is_primitive() && b.class.is_primitive();
            promoted(a.class, b.class, true).filter(|class| class.is_def() || numbers).unwrap_or(Type::OBJECT)
        };
        let (a, b) = match class {
            Type::DEF => (a, b),
            _ => {
                let a = self.convert_behind(a, class, places.0)?;
                (a, self.convert_operand(b, class, places.1)?)
            }
        };
        let num = if class == Type::OBJECT { Num::Object } else { num_of(class) };
        let (a, b) = (self.load(&a), self.load(&b));
        let to = self.temp();
        if same {
            self.emit(Op::Same { negate, to, a, b });
            return Ok(self.settled(to, Type::BOOL));
        }
        self.emit(Op::Compare { op: if negate { Cmp::Ne } else { Cmp::Eq }, num, to, a, b });
        Ok(self.fresh(to, Type::BOOL))
    }

    fn ordering(&mut self, at: u32, op: Binary, a: Val, b: Val, places: (Spot, Spot)) -> Result<Val> {
        let (cmp, name) = match op {
            Binary::Lt => (Cmp::Lt, "less than"),
            Binary::Le => (Cmp::Le, "less than or equals"),
            Binary::Gt => (Cmp::Gt, "greater than"),
            _ => (Cmp::Ge, "greater than or equals"),
        };
        let Some(class) = promoted(a.class, b.class, true) else {
            let (left, right) = (a.class.name(), b.class.name());
            let symbol = op.symbol();
            let what = format!("cannot apply the {name} operator [{symbol}] to the types [{left}] and [{right}]");
            return Err(Compile::cast(at, what));
        };
        let (a, b) = if class.is_def() {
            (a, b)
        } else {
            let a = self.convert_behind(a, class, places.0)?;
            (a, self.convert_operand(b, class, places.1)?)
        };
        let (a, b) = (self.load(&a), self.load(&b));
        let to = self.temp();
        self.emit(Op::Compare { op: cmp, num: num_of(class), to, a, b });
        Ok(self.fresh(to, Type::BOOL))
    }

    fn short_circuit(&mut self, when: bool, left: &Expr, right: &Expr) -> Result<Val> {
        let to = self.temp();
        let mark = self.f.next;
        let value = self.expr_to(left, Type::BOOL, false)?;
        self.store(&value, to);
        let leave = self.emit(Op::JumpIf { when, reg: to, target: 0 });
        self.f.next = mark;
        let value = self.expr_to(right, Type::BOOL, false)?;
        self.store(&value, to);
        let end = self.here();
        self.patch(leave, end);
        self.f.next = mark;
        Ok(self.settled(to, Type::BOOL))
    }

    fn matching(&mut self, op: Binary, left: &Expr, right: &Expr) -> Result<Val> {
        let pattern = Type::class(class::PATTERN);
        let sequence = Type::named("CharSequence", 0).unwrap_or(Type::STRING);
        let args = self.temps(2);
        let top = self.f.next;
        let text = self.expr_to(left, sequence, false)?;
        self.store(&text, args + 1);
        self.f.next = top;
        let regex = self.expr_to(right, pattern, false)?;
        self.store(&regex, args);
        self.f.next = usize::from(args);
        let matcher = registry().method(class::PATTERN, "matcher", 1).expect("the row is there");
        let name = if op == Binary::Find { "find" } else { "matches" };
        let test = registry().method(class::MATCHER, name, 0).expect("the row is there");
        let to = self.temp();
        let matcher = self.method_index(matcher);
        self.emit(Op::Native { method: matcher, args, count: 2, to });
        let test = self.method_index(test);
        self.emit(Op::Native { method: test, args: to, count: 1, to });
        Ok(self.settled(to, Type::BOOL))
    }
}

/// The instruction, its name in messages, and whether it takes decimals.
pub(super) fn arith_of(op: Binary) -> (Arith, &'static str, bool) {
    match op {
        Binary::Mul => (Arith::Mul, "multiplication operator", true),
        Binary::Div => (Arith::Div, "division operator", true),
        Binary::Rem => (Arith::Rem, "remainder operator", true),
        Binary::Add => (Arith::Add, "addition operator", true),
        Binary::Sub => (Arith::Sub, "subtraction operator", true),
        Binary::Shl => (Arith::Shl, "left shift operator", false),
        Binary::Shr => (Arith::Shr, "right shift operator", false),
        Binary::Ushr => (Arith::Ushr, "unsigned shift operator", false),
        Binary::Xor => (Arith::Xor, "bitwise xor operator", false),
        Binary::Or => (Arith::Or, "boolean or operator", false),
        _ => (Arith::And, "bitwise and operator", false),
    }
}

/// What an expression without effect is called; none if it may stand as a statement.
pub(super) fn described(kind: &ExprKind) -> Option<String> {
    let operation = |name: &str, symbol: &str| Some(format!("result not used from {name} operation [{symbol}]"));
    match kind {
        ExprKind::Binary(op, ..) => {
            let name = match op {
                Binary::BoolAnd => "boolean and",
                Binary::BoolOr => "boolean or",
                Binary::Eq => "equals",
                Binary::Ne => "not equals",
                Binary::EqRef => "reference equals",
                Binary::NeRef => "reference not equals",
                Binary::Lt => "less than",
                Binary::Le => "less than or equals",
                Binary::Gt => "greater than",
                Binary::Ge => "greater than or equals",
                Binary::Find => "find",
                Binary::Match => "match",
                other => arith_of(*other).1.trim_end_matches(" operator"),
            };
            operation(name, op.symbol())
        }
        ExprKind::Unary(op, _) => {
            let (name, symbol) = match op {
                Unary::Plus => ("addition", "+"),
                Unary::Minus => ("subtraction", "-"),
                Unary::Not => ("boolean not", "!"),
                Unary::BitNot => ("bitwise not", "~"),
            };
            operation(name, symbol)
        }
        ExprKind::Cast(class, _) => {
            Some(format!("result not used from explicit cast with target type [{}]", class.as_written()))
        }
        ExprKind::Number(text, _) | ExprKind::Decimal(text) if text.starts_with('-') => {
            Some("result not used from subtraction operation [-]".to_owned())
        }
        ExprKind::Number(text, _) => Some(format!("numeric constant [{text}] not used")),
        ExprKind::Decimal(text) => Some(format!("decimal constant [{text}] not used")),
        ExprKind::Str(text) => Some(format!("string constant [{text}] not used")),
        ExprKind::Bool(value) => Some(format!("boolean constant [{value}] not used")),
        ExprKind::Null => Some("null constant not used".to_owned()),
        ExprKind::Name(name) => Some(format!("variable [{name}] not used")),
        ExprKind::Member(..) => Some("result of dot operator [.] not used".to_owned()),
        ExprKind::Index(..) => Some("result of brace operator not used".to_owned()),
        ExprKind::Ternary(..) => Some("result not used from conditional operation [?:]".to_owned()),
        ExprKind::Elvis(..) => Some("result not used from elvis operation [?:]".to_owned()),
        ExprKind::InstanceOf(_, class) => {
            Some(format!("result not used from instanceof with target type [{}]", class.as_written()))
        }
        ExprKind::Regex(pattern, flags) => Some(format!("regex constant [{pattern}] with flags [{flags}] not used")),
        ExprKind::NewArray(..) | ExprKind::ArrayInit(..) => Some("result not used from new array".to_owned()),
        ExprKind::List(_) => Some("result not used from list initializer".to_owned()),
        ExprKind::Map(_) => Some("result not used from map initializer".to_owned()),
        _ => None,
    }
}
