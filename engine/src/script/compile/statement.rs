//! Statements.

use super::super::ast::{Block, Catch, Declared, Expr, ExprKind, Stmt, StmtKind, TypeName};
use super::super::class::{class, registry};
use super::super::error::Compile;
use super::super::op::{Constant, Handler, Op};
use super::super::types::{Base, Type};
use super::convert::default_of;
use super::operator::described;
use super::{Compiler, Escape, LoopJumps, Result, Val};

impl Compiler {
    /// A block's statements. If it is the last of a function, its last expression is returned.
    pub(super) fn block(&mut self, block: &Block, last: bool) -> Result<Escape> {
        self.block_of(block.at, block, last)
    }

    /// A block of something that begins elsewhere: that is where mistakes of the block as a whole are told to be.
    pub(super) fn block_of(&mut self, at: u32, block: &Block, last: bool) -> Result<Escape> {
        self.scoped(|c| {
            let mut escape = Escape::default();
            for (i, statement) in block.statements.iter().enumerate() {
                if escape.all {
                    return Err(Compile::illegal(at, "invalid block: unreachable statement"));
                }
                let is_last = last && i + 1 == block.statements.len();
                let this = c.statement(statement, is_last)?;
                escape = Escape {
                    any_continue: escape.any_continue || this.any_continue,
                    any_break: escape.any_break || this.any_break,
                    ..this
                };
            }
            Ok(escape)
        })
    }

    fn statement(&mut self, statement: &Stmt, last: bool) -> Result<Escape> {
        let at = statement.at;
        if !matches!(statement.kind, StmtKind::Declare(..) | StmtKind::Break | StmtKind::Continue) {
            self.statements.insert(at);
        }
        match &statement.kind {
            StmtKind::Declare(class, declared) => self.declare(class, declared).map(|()| Escape::default()),
            StmtKind::Expr(expr) => {
                let mark = self.f.next;
                let escape = self.expression_statement(expr, last);
                self.f.next = mark;
                escape
            }
            StmtKind::Return(value) => self.return_statement(at, value.as_ref()),
            StmtKind::If(condition, then, otherwise) => {
                self.if_statement(at, condition, then, otherwise.as_ref(), last)
            }
            StmtKind::While(condition, body) => self.while_statement(at, condition, body),
            StmtKind::Do(body, condition) => self.do_statement(at, body, condition),
            StmtKind::For(init, condition, after, body) => {
                self.scoped(|c| c.for_statement(at, init.as_deref(), condition.as_ref(), after.as_ref(), body.as_ref()))
            }
            StmtKind::ForEach(class, name, over, body) => {
                self.scoped(|c| c.for_each(at, class.as_ref(), name, over, body))
            }
            StmtKind::Break | StmtKind::Continue => self.leave_loop(at, matches!(statement.kind, StmtKind::Break)),
            StmtKind::Throw(value) => {
                let mark = self.f.next;
                let value = self.expr_to(value, Type::class(class::EXCEPTION), false)?;
                let source = self.source(&value);
                let from = self.load(&value);
                self.receives(source, value.class);
                self.emit(Op::Throw { from });
                self.f.next = mark;
                Ok(Escape::leaves())
            }
            StmtKind::Try(body, catches) => self.try_statement(at, body, catches, last),
        }
    }

    fn declare(&mut self, class: &TypeName, declared: &[Declared]) -> Result<()> {
        let class = self.type_of(class).map_err(|error| match declared.first() {
            Some(first) => Compile::illegal(first.at, format!("invalid declaration: {}", error.reason)),
            None => error,
        })?;
        for one in declared {
            self.statements.insert(one.at);
            if class == Type::VOID && one.value.is_none() {
                return Err(Compile::nowhere("unsupported_operation_exception", ""));
            }
            if class == Type::VOID {
                return Err(Compile::illegal(one.at, "cannot declare a variable of type [void]"));
            }
            let mark = self.f.next;
            let value = match &one.value {
                Some(value) => self.expr_to(value, class, false)?,
                None => Val::constant(default_of(class), class),
            };
            if self.local(&one.name).is_some() {
                let end = one.at + one.name.len() as u32;
                let what = format!("variable [{}] is already defined", one.name);
                return Err(Compile::illegal(
                    if one.value.is_some() { one.at } else { end - one.name.len() as u32 },
                    what,
                ));
            }
            // The variable takes the first register that the value used: the value is moved there last.
            self.f.next = mark;
            let reg = self.define(one.at, &one.name, class)?;
            self.store(&value, reg);
        }
        Ok(())
    }

    fn expression_statement(&mut self, expr: &Expr, last: bool) -> Result<Escape> {
        let returns = self.f.function.returns;
        let reads = last && returns != Type::VOID;
        if !reads && let Some(what) = described(&expr.kind) {
            if matches!(expr.kind, ExprKind::Name(_)) {
                if let Some(class) = self.static_class(expr) {
                    let what = format!("not a statement: static type [{}] not used", registry().class(class).name);
                    return Err(Compile::illegal(expr.at, what));
                }
                // A name that means nothing is that mistake first.
                self.expr(expr)?;
            }
            return Err(Compile::illegal(self.beginning(expr), format!("not a statement: {what}")));
        }
        if !reads {
            self.effect(expr)?;
            return Ok(Escape::default());
        }
        let value = self.expr(expr)?;
        if value.class == Type::VOID {
            return Ok(Escape::default());
        }
        let value = self.convert_last(value, returns, self.beginning(expr))?;
        let from = self.load(&value);
        self.emit(Op::Return { from });
        Ok(Escape::leaves())
    }

    /// Where an expression begins that is a statement: the sign of a constant is an operation, which stands before it.
    pub(super) fn beginning(&self, expr: &Expr) -> u32 {
        let signed = matches!(&expr.kind, ExprKind::Number(text, _) | ExprKind::Decimal(text) if text.starts_with('-'));
        let before = self.program.source.get(..expr.at as usize).filter(|_| signed);
        let sign = before.map(str::trim_end).and_then(|before| before.strip_suffix('-'));
        sign.map_or(expr.at, |before| before.len() as u32)
    }

    /// What a script that gives nothing returns. Only what operators make of dynamic values has no type that would not fit.
    fn nothing(&mut self, value: &Expr) -> Result<Val> {
        let val = self.expr(value)?;
        if val.is_null() {
            return Err(Compile::illegal(value.at, "Cannot cast null to a primitive type [void]."));
        }
        let asked = self.f.function.ops.len().checked_sub(1).and_then(|last| self.receiver_at(last));
        let is_known = asked.is_some_and(|of| !of.class.is_def());
        let shown = match &value.kind {
            // What is found out at run time may come to nothing: not what a known class gives.
            ExprKind::Binary(..) | ExprKind::Call(..) | ExprKind::Member(..) | ExprKind::Index(..)
                if val.class.is_def() && !is_known =>
            {
                return Ok(val);
            }
            ExprKind::Ternary(_, first, _) => first,
            _ => value,
        };
        Err(Compile::cast(shown.at, format!("Cannot cast from [{}] to [void].", val.class.name())))
    }

    fn return_statement(&mut self, at: u32, value: Option<&Expr>) -> Result<Escape> {
        let returns = self.f.function.returns;
        let mark = self.f.next;
        let value = match value {
            None if returns != Type::VOID => {
                return Err(Compile::cast(at, format!("cannot cast from [{}] to [void]", returns.name())));
            }
            None => Val::constant(Constant::Null, Type::DEF),
            Some(value) if returns == Type::VOID => self.nothing(value)?,
            Some(value) => self.expr_to(value, returns, true)?,
        };
        let from = self.load(&value);
        self.emit(Op::Return { from });
        self.f.next = mark;
        Ok(Escape::leaves())
    }

    /// A jump that is taken if the condition is not met.
    fn unless(&mut self, condition: &Expr) -> Result<usize> {
        let mark = self.f.next;
        let value = self.expr_to(condition, Type::BOOL, false)?;
        let reg = self.load(&value);
        self.f.next = mark;
        Ok(self.emit(Op::JumpIf { when: false, reg, target: 0 }))
    }

    fn if_statement(
        &mut self,
        at: u32,
        condition: &Expr,
        then: &Block,
        otherwise: Option<&Block>,
        last: bool,
    ) -> Result<Escape> {
        let skip = self.unless(condition)?;
        if matches!(condition.kind, ExprKind::Bool(_)) || then.statements.is_empty() {
            return Err(Compile::illegal(at, "extraneous if block"));
        }
        let escape = self.block(then, last)?;
        let Some(otherwise) = otherwise else {
            let end = self.here();
            self.patch(skip, end);
            return Ok(escape.either(Escape::default()));
        };
        if otherwise.statements.is_empty() {
            return Err(Compile::illegal(at, "extraneous else block."));
        }
        let leave = self.emit(Op::Jump { target: 0 });
        let end = self.here();
        self.patch(skip, end);
        let other = self.block(otherwise, last)?;
        let end = self.here();
        self.patch(leave, end);
        Ok(escape.either(other))
    }

    /// The body of the loop at a place, which is noted where its turns are counted.
    fn loop_body(&mut self, at: u32, body: &Block) -> Result<Escape> {
        if let Some(jumps) = self.f.loops.last_mut() {
            jumps.idle = idle_continue(body);
        }
        self.f.place = at;
        let statements = count_statements(body).max(1);
        self.emit(Op::Loop { statements });
        self.block(body, false)
    }

    fn end_loop(&mut self, continue_at: u32) {
        let end = self.here();
        let jumps = self.f.loops.pop().expect("the loop was begun");
        jumps.continues.into_iter().for_each(|jump| self.patch(jump, continue_at));
        jumps.breaks.into_iter().for_each(|jump| self.patch(jump, end));
    }

    /// What a loop leaves behind: one that never ends by itself leaves nothing.
    fn loop_escape(forever: bool, body: &Escape) -> Escape {
        if forever && !body.any_break {
            Escape { method: true, all: true, ..Escape::default() }
        } else {
            Escape::default()
        }
    }

    fn while_statement(&mut self, at: u32, condition: &Expr, body: &Block) -> Result<Escape> {
        let forever = match condition.kind {
            ExprKind::Bool(false) => return Err(Compile::illegal(at, "extraneous while loop")),
            ExprKind::Bool(true) if body.statements.is_empty() => {
                return Err(Compile::illegal(at, "no paths escape from while loop"));
            }
            ExprKind::Bool(true) => true,
            _ => false,
        };
        let start = self.here();
        self.f.loops.push(LoopJumps::default());
        let skip = if forever { None } else { Some(self.unless(condition)?) };
        let escape = self.loop_body(at, body)?;
        if escape.out_of_loop && !escape.any_continue {
            return Err(Compile::illegal(at, "extraneous while loop"));
        }
        self.emit(Op::Jump { target: start });
        let end = self.here();
        skip.into_iter().for_each(|jump| self.patch(jump, end));
        self.end_loop(start);
        Ok(Self::loop_escape(forever, &escape))
    }

    fn do_statement(&mut self, at: u32, body: &Block, condition: &Expr) -> Result<Escape> {
        if body.statements.is_empty() || matches!(condition.kind, ExprKind::Bool(false)) {
            return Err(Compile::illegal(at, "extraneous do-while loop"));
        }
        let forever = matches!(condition.kind, ExprKind::Bool(true));
        let start = self.here();
        self.f.loops.push(LoopJumps::default());
        let escape = self.loop_body(at, body)?;
        if escape.out_of_loop && !escape.any_continue {
            return Err(Compile::illegal(at, "extraneous do-while loop"));
        }
        let check = self.here();
        let skip = self.unless(condition)?;
        self.emit(Op::Jump { target: start });
        let end = self.here();
        self.patch(skip, end);
        self.end_loop(check);
        Ok(Self::loop_escape(forever, &escape))
    }

    fn for_statement(
        &mut self,
        at: u32,
        init: Option<&Stmt>,
        condition: Option<&Expr>,
        after: Option<&Expr>,
        body: Option<&Block>,
    ) -> Result<Escape> {
        match init {
            Some(Stmt { kind: StmtKind::Declare(class, declared), .. }) => self.declare(class, declared)?,
            Some(Stmt { kind: StmtKind::Expr(expr), .. }) => self.expression_statement(expr, false).map(drop)?,
            _ => {}
        }
        let body = body.filter(|body| !body.statements.is_empty());
        let forever = match condition.map(|c| &c.kind) {
            Some(ExprKind::Bool(false)) => return Err(Compile::illegal(at, "extraneous for loop")),
            Some(ExprKind::Bool(true)) if body.is_none() => {
                return Err(Compile::illegal(at, "no paths escape from for loop"));
            }
            Some(ExprKind::Bool(true)) | None => true,
            _ => false,
        };
        let start = self.here();
        self.f.loops.push(LoopJumps::default());
        let skip = match condition {
            Some(condition) if !forever => Some(self.unless(condition)?),
            _ => None,
        };
        let empty = Block { at, statements: vec![] };
        let escape = self.loop_body(at, body.unwrap_or(&empty))?;
        if escape.out_of_loop && !escape.any_continue {
            return Err(Compile::illegal(at, "extraneous for loop"));
        }
        let next = self.here();
        if let Some(after) = after {
            self.expression_statement(after, false)?;
        }
        self.emit(Op::Jump { target: start });
        let end = self.here();
        skip.into_iter().for_each(|jump| self.patch(jump, end));
        self.end_loop(next);
        Ok(Self::loop_escape(forever, &escape))
    }

    fn for_each(
        &mut self,
        at: u32,
        declared: Option<&TypeName>,
        name: &str,
        over: &Expr,
        body: &Block,
    ) -> Result<Escape> {
        let class = match declared {
            Some(name) => self.named(name, name.dims).ok_or_else(|| {
                Compile::illegal(at, format!("invalid foreach loop: type [{}] not found", name.as_written()))
            })?,
            None => Type::DEF,
        };
        let value = self.expr(over)?;
        let is_iterable = |id| super::super::class::registry().is_subclass(id, class::ITERABLE);
        let over_class = value.class;
        let (element, iterable) = match over_class {
            t if t.dims > 0 => (t.element(), true),
            Type { base: Base::Class(id), dims: 0 } => (Type::DEF, is_iterable(id)),
            other => (Type::DEF, other.is_def()),
        };
        let source = self.source(&value);
        let from = self.load(&value);
        let iter = self.temp();
        if over_class.dims == 0 && !over_class.is_def() {
            self.receives(source, over_class);
        }
        self.emit(Op::Iterate { to: iter, from });
        let variable = self.define_fixed(at, name, class)?;
        self.f.loops.push(LoopJumps::default());
        let start = self.here();
        let item = self.temp();
        let next = self.emit(Op::Next { to: item, iter, target: 0 });
        let value = self.settled(item, element);
        let place = self.f.place;
        let value = self.convert(value, class, true, true, at)?;
        // Nothing is noted of how items are got: it counts as a part of what was before.
        if let Some(noted) = self.f.function.places.last_mut() {
            *noted = place;
        }
        self.f.place = place;
        self.store(&value, variable);
        if body.statements.is_empty() {
            return Err(Compile::illegal(at, "extraneous foreach loop"));
        }
        let escape = self.loop_body(at, body)?;
        if escape.out_of_loop && !escape.any_continue {
            return Err(Compile::illegal(at, "extraneous foreach loop"));
        }
        // The body is looked at first, as in the reference.
        if !iterable {
            return Err(Compile::illegal(
                at,
                format!("invalid foreach loop: cannot iterate over type [{}].", over_class.name()),
            ));
        }
        self.emit(Op::Jump { target: start });
        let end = self.here();
        self.patch(next, end);
        self.end_loop(start);
        Ok(Escape::default())
    }

    fn leave_loop(&mut self, at: u32, is_break: bool) -> Result<Escape> {
        let word = if is_break { "break" } else { "continue" };
        if self.f.loops.is_empty() {
            return Err(Compile::illegal(at, format!("invalid {word} statement: not inside loop")));
        }
        if !is_break && self.f.loops.last().is_some_and(|jumps| jumps.idle == Some(at)) {
            return Err(Compile::illegal(at, "extraneous continue statement"));
        }
        let jump = self.emit(Op::Jump { target: 0 });
        let jumps = self.f.loops.last_mut().expect("checked above");
        match is_break {
            true => jumps.breaks.push(jump),
            false => jumps.continues.push(jump),
        }
        let escape = Escape { all: true, ..Escape::default() };
        Ok(match is_break {
            true => Escape { any_break: true, out_of_loop: true, ..escape },
            false => Escape { any_continue: true, ..escape },
        })
    }

    fn try_statement(&mut self, at: u32, body: &Block, catches: &[Catch], last: bool) -> Result<Escape> {
        if body.statements.is_empty() {
            return Err(Compile::illegal(at, "extraneous try statement"));
        }
        let start = self.here();
        let mut escape = self.block(body, last)?;
        let end = self.here();
        let mut leave = vec![self.emit(Op::Jump { target: 0 })];
        for catch in catches {
            self.statements.insert(catch.at);
            let class = self.type_at(catch.at, &catch.class).map_err(Compile::of_catch)?;
            let exception = Type::class(class::EXCEPTION);
            let Base::Class(id) = class.base else {
                return Err(Compile::cast(
                    catch.at,
                    format!("cannot cast from [{}] to [{}]", class.name(), exception.name()),
                ));
            };
            if !class.is_subtype(exception) {
                return Err(Compile::cast(
                    catch.at,
                    format!("cannot cast from [{}] to [{}]", class.name(), exception.name()),
                ));
            }
            let caught = self.scoped(|c| {
                let reg = c.define(catch.at, &catch.name, class)?;
                let target = c.here();
                c.f.function.handlers.push(Handler { start, end, class: id, reg, target });
                c.block(&catch.body, last)
            })?;
            escape = escape.either(caught);
            leave.push(self.emit(Op::Jump { target: 0 }));
        }
        let end = self.here();
        leave.into_iter().for_each(|jump| self.patch(jump, end));
        Ok(escape)
    }
}

/// Where a `continue` stands that is the last thing of a loop anyway.
fn idle_continue(body: &Block) -> Option<u32> {
    let last = body.statements.last()?;
    match &last.kind {
        StmtKind::Continue => Some(last.at),
        StmtKind::If(_, then, otherwise) => idle_continue(then).or_else(|| otherwise.as_ref().and_then(idle_continue)),
        StmtKind::Try(body, catches) => {
            idle_continue(body).or_else(|| catches.iter().find_map(|catch| idle_continue(&catch.body)))
        }
        _ => None,
    }
}

/// Statements of a block, nested ones too: what a turn of a loop is counted as.
fn count_statements(block: &Block) -> u16 {
    let one = |statement: &Stmt| -> u16 {
        let inner = match &statement.kind {
            StmtKind::If(_, then, otherwise) => {
                count_statements(then).max(otherwise.as_ref().map_or(0, count_statements))
            }
            StmtKind::Try(body, catches) => {
                let caught = catches.iter().map(|c| count_statements(&c.body)).max().unwrap_or(0);
                count_statements(body).saturating_add(caught)
            }
            _ => 0,
        };
        inner.saturating_add(1)
    };
    block.statements.iter().map(one).fold(0, u16::saturating_add)
}
