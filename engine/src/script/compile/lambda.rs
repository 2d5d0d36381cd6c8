//! Lambdas and method references.

use super::super::ast::{Block, Expr, ExprKind, Stmt, StmtKind, TypeName};
use super::super::class::{class, registry};
use super::super::error::Compile;
use super::super::op::{ClosureSpec, Op, Reg};
use super::super::types::{Base, Type};
use super::super::value::Target;
use super::access::functional;
use super::{Builder, Compiler, Local, Result, Val};

impl Compiler {
    /// A closure for a parameter of the type `wanted`: a functional interface, or `def`.
    pub(super) fn lambda(
        &mut self,
        at: u32,
        params: &[(Option<TypeName>, String)],
        body: &Block,
        wanted: Type,
    ) -> Result<Val> {
        let interface = functional(wanted);
        if interface.is_none() && !wanted.is_def() {
            let what = format!("Cannot pass lambda to [{}], not a functional interface", wanted.name());
            return Err(Compile::illegal(at, what));
        }
        if let Some((id, method)) = interface
            && method.params.len() != params.len()
        {
            let class = registry().class(id).name;
            let what = format!("Incorrect number of parameters for [{}] in [{class}]", method.name);
            return Err(Compile::nowhere("illegal_argument_exception", what));
        }
        if body.statements.is_empty() {
            return Err(Compile::empty_lambda());
        }
        let mut names = vec![];
        names_in_block(body, &mut names);
        let captured: Vec<Local> =
            names.iter().filter_map(|name| self.local(name)).cloned().fold(vec![], |mut all, local| {
                if !all.iter().any(|l: &Local| l.name == local.name) {
                    all.push(local);
                }
                all
            });
        let returns = match interface {
            Some((_, method)) if method.returns == Type::VOID => Type::VOID,
            Some((_, method)) if method.returns.is_primitive() => method.returns,
            _ => Type::DEF,
        };
        let types: Vec<Type> = captured.iter().map(|local| local.class).collect();
        let mut inner = Builder::new("lambda$synthetic", types, returns);
        (inner.is_main, inner.is_other_doc) = (self.f.is_main, self.f.is_other_doc);
        let outer = std::mem::replace(&mut self.f, inner);
        for local in &captured {
            let reg = self.define(at, &local.name, local.class)?;
            self.f.scopes[0].last_mut().expect("just defined").read_only = true;
            debug_assert!(usize::from(reg) < captured.len(), "captured variables come first");
        }
        let result = self.lambda_body(at, params, body, interface.map(|(_, method)| method.params.as_slice()));
        let function = match result {
            Ok(function) => function,
            Err(error) => {
                self.f = outer;
                return Err(error);
            }
        };
        self.f = outer;
        self.program.functions.push(function);
        let target = Target::Script((self.program.functions.len() - 1) as u16);
        let captured: Vec<Reg> = captured.iter().map(|local| local.reg).collect();
        let id = interface.map_or(class::OBJECT, |(id, _)| id);
        self.closure(ClosureSpec { interface: id, target, captured: captured.len() as u16 }, &captured, wanted)
    }

    fn lambda_body(
        &mut self,
        at: u32,
        params: &[(Option<TypeName>, String)],
        body: &Block,
        expected: Option<&[Type]>,
    ) -> Result<super::Function> {
        for (i, (declared, name)) in params.iter().enumerate() {
            let from_interface = expected.map_or(Type::DEF, |types| types[i]);
            let class = match declared {
                Some(class) => self.type_at(at, class)?,
                None if from_interface.is_primitive() => from_interface,
                None if from_interface == Type::OBJECT => Type::DEF,
                None => from_interface,
            };
            self.define_fixed(at, name, class)?;
            self.f.function.params.push(class);
        }
        self.place_parameters();
        // The value of a lambda that returns none is not asked for.
        let value = match body.statements.as_slice() {
            [Stmt { kind: StmtKind::Return(Some(value)), .. }] if self.f.function.returns == Type::VOID => Some(value),
            _ => None,
        };
        let escape = match value {
            Some(value) => {
                self.effect(value)?;
                super::Escape::default()
            }
            None => self.block(body, true)?,
        };
        self.finish_function(&escape)
    }

    fn closure(&mut self, spec: ClosureSpec, captured: &[Reg], wanted: Type) -> Result<Val> {
        let from = self.temps(captured.len());
        for (i, reg) in captured.iter().enumerate() {
            self.emit(Op::Move { to: from + i as Reg, from: *reg });
        }
        self.f.next = usize::from(from);
        let to = self.temp();
        let closure = self.closure_index(spec);
        self.emit(Op::Closure { closure, from, to });
        Ok(self.settled(to, wanted))
    }

    pub(super) fn function_ref(&mut self, at: u32, class: Option<&TypeName>, name: &str, wanted: Type) -> Result<Val> {
        let interface = functional(wanted);
        if interface.is_none() && !wanted.is_def() {
            let what = format!(
                "Cannot convert function reference [{name}] to [{}], not a functional interface",
                wanted.name()
            );
            return Err(Compile::illegal(at, what));
        }
        let arity = interface.map(|(_, method)| method.params.len());
        let id = interface.map_or(class::OBJECT, |(id, _)| id);
        let Some(of) = class else {
            let known = self.signatures.iter().position(|(n, p, _)| n == name && arity.is_none_or(|a| p.len() == a));
            let Some(function) = known else { return Err(self.no_reference(at, "this", name, interface)) };
            let target = Target::Script(function as u16 + 1);
            return self.closure(ClosureSpec { interface: id, target, captured: 0 }, &[], wanted);
        };
        if let Some(local) = self.local(&of.name).cloned() {
            // The variable's value becomes the first argument.
            let site = self.site(name, arity.unwrap_or(0));
            let target = match local.class.base {
                Base::Class(of) if local.class.dims == 0 => {
                    let method = registry().method(of, name, arity.unwrap_or(0));
                    Target::Virtual(method.ok_or_else(|| self.no_reference(at, &local.name, name, interface))?)
                }
                _ => Target::Named(site),
            };
            return self.closure(ClosureSpec { interface: id, target, captured: 1 }, &[local.reg], wanted);
        }
        let Some(Type { base: Base::Class(of_id), .. }) = self.named(of, of.dims) else {
            return Err(Compile::illegal(at, format!("variable [{}] is not defined", of.name)));
        };
        let target = if name == "new" {
            let arities = arity.map_or(vec![0, 1], |a| vec![a]);
            arities.into_iter().find_map(|a| registry().constructor(of_id, a)).map(Target::Static)
        } else {
            let of_arity = |a: usize| {
                let member = a.checked_sub(1).and_then(|rest| registry().method(of_id, name, rest));
                registry().static_method(of_id, name, a).map(Target::Static).or(member.map(Target::Virtual))
            };
            arity.map_or_else(|| (1..=3).find_map(of_arity), of_arity)
        };
        let Some(target) = target else { return Err(self.no_reference(at, &of.name, name, interface)) };
        self.closure(ClosureSpec { interface: id, target, captured: 0 }, &[], wanted)
    }

    #[cold]
    fn no_reference(
        &self,
        at: u32,
        of: &str,
        name: &str,
        interface: Option<(super::super::class::ClassId, &super::super::class::Method)>,
    ) -> Compile {
        let what = match interface {
            Some((id, method)) => {
                let (class, arity) = (registry().class(id).name, method.params.len());
                format!(
                    "function reference [{of}::{name}/{arity}] matching [{class}, {}/{arity}] not found",
                    method.name
                )
            }
            None => format!("function reference [{of}::{name}] not found"),
        };
        Compile::illegal(at, what)
    }
}

/// Every name that is read or written in a block: what a lambda may capture.
pub(super) fn names_in_block(block: &Block, out: &mut Vec<String>) {
    for statement in &block.statements {
        names_in_statement(statement, out);
    }
}

fn names_in_statement(statement: &Stmt, out: &mut Vec<String>) {
    match &statement.kind {
        StmtKind::If(condition, then, otherwise) => {
            names(condition, out);
            names_in_block(then, out);
            otherwise.iter().for_each(|block| names_in_block(block, out));
        }
        StmtKind::While(condition, body) | StmtKind::Do(body, condition) => {
            names(condition, out);
            names_in_block(body, out);
        }
        StmtKind::For(init, condition, after, body) => {
            init.iter().for_each(|statement| names_in_statement(statement, out));
            condition.iter().chain(after).for_each(|expr| names(expr, out));
            body.iter().for_each(|block| names_in_block(block, out));
        }
        StmtKind::ForEach(_, _, over, body) => {
            names(over, out);
            names_in_block(body, out);
        }
        StmtKind::Declare(_, declared) => {
            declared.iter().filter_map(|d| d.value.as_ref()).for_each(|value| names(value, out));
        }
        StmtKind::Expr(expr) | StmtKind::Throw(expr) => names(expr, out),
        StmtKind::Return(value) => value.iter().for_each(|value| names(value, out)),
        StmtKind::Try(body, catches) => {
            names_in_block(body, out);
            catches.iter().for_each(|catch| names_in_block(&catch.body, out));
        }
        StmtKind::Break | StmtKind::Continue => {}
    }
}

fn names(expr: &Expr, out: &mut Vec<String>) {
    match &expr.kind {
        ExprKind::Name(name) => out.push(name.clone()),
        ExprKind::FunctionRef(Some(class), _) => out.push(class.name.clone()),
        ExprKind::Lambda(_, body) => names_in_block(body, out),
        kind => super::super::parser::for_children(kind, &mut |child| names(child, out)),
    }
}
