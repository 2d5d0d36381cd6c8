//! Tree to bytecode, in one pass that also finds out types.
//!
//! `statement` and `escape` do statements and what leaves them, `expression` literals and names, `operator` calculation,
//! `assign` what changes variables, `access` members, indexes and calls, `lambda` closures, `convert` casts, `receiver` what is said of null. A function's
//! registers hold its variables first and intermediate results above them.

mod access;
mod assign;
mod convert;
mod escape;
mod expression;
mod lambda;
mod operator;
mod receiver;
mod statement;

use super::ast::{Block, Script, TypeName};
use super::class::{is_nameable, registry};
use super::context::Context;
use super::error::Compile;
use super::op::{CastTo, ClosureSpec, Constant, Function, NO_PLACE, Op, Program, Reg, Site};
use super::parser::parse;
use super::reach::reach;
use super::types::{Base, Type};
use escape::Escape;
use std::collections::BTreeSet;
use std::sync::Arc;

type Result<T> = std::result::Result<T, Compile>;

/// Registers of a function; a script that needs more is refused.
const REGISTERS_MAX: usize = 4_000;

/// Compiles a script for a context.
pub fn compile(source: &str, context: &'static Context) -> Result<Program> {
    let script = parse(source)?;
    let mut compiler = Compiler::new(source, context);
    compiler.script(&script)?;
    if let Some(error) = compiler.later {
        return Err(error);
    }
    let mut program = compiler.program;
    program.statements = compiler.statements.into_iter().collect();
    program.reach = reach(&script);
    Ok(program)
}

struct Compiler {
    program: Program,
    signatures: Vec<(String, Vec<Type>, Type)>,
    statements: BTreeSet<u32>,
    /// The first mistake that the reference finds only when nothing else is wrong with the script.
    later: Option<Compile>,
    /// The function being compiled.
    f: Builder,
}

/// A function while it is being compiled.
struct Builder {
    function: Function,
    scopes: Vec<Vec<Local>>,
    next: usize,
    /// Where Java would keep the next variable, and how many of its places are those of parameters.
    next_slot: u16,
    parameters: u16,
    loops: Vec<LoopJumps>,
    /// The place that instructions are attributed to: [`NO_PLACE`] until the first that the reference notes.
    place: u32,
    /// Whether the variables of the context are there.
    is_main: bool,
    /// Whether `doc` may be something else by now.
    is_other_doc: bool,
    /// What the last cast was of, if it took the type of a value that had one.
    untyped: Option<u32>,
    /// The instruction that last took an item of something whose type was not known.
    item: Option<usize>,
    /// Where the last null-safe access ended: what it called does not know what is wanted of it.
    guarded: Option<usize>,
    /// The last operator that found out about its operands when running, and their types.
    operator: Option<(usize, Type, Option<Type>)>,
}

#[derive(Clone, Debug)]
struct Local {
    name: String,
    reg: Reg,
    class: Type,
    read_only: bool,
    /// Where Java would keep it.
    slot: u16,
}

#[derive(Default)]
struct LoopJumps {
    breaks: Vec<usize>,
    continues: Vec<usize>,
    /// Where a `continue` stands that is the last thing of the loop anyway.
    idle: Option<u32>,
}

/// Where a result is.
#[derive(Clone, Debug)]
enum Place {
    Reg(Reg),
    Constant(Constant),
    /// In the register, written by the last instruction alone, which may as well write elsewhere.
    Fresh(Reg),
}

#[derive(Clone, Debug)]
struct Val {
    place: Place,
    class: Type,
}

impl Val {
    fn constant(constant: Constant, class: Type) -> Self {
        Self { place: Place::Constant(constant), class }
    }

    fn as_constant(&self) -> Option<&Constant> {
        match &self.place {
            Place::Constant(constant) => Some(constant),
            _ => None,
        }
    }

    fn is_null(&self) -> bool {
        self.as_constant() == Some(&Constant::Null)
    }
}

impl Builder {
    fn new(name: &str, params: Vec<Type>, returns: Type) -> Self {
        let function = Function {
            name: name.to_owned(),
            params,
            returns,
            registers: 0,
            ops: vec![],
            places: vec![],
            indexes: vec![],
            receivers: vec![],
            handlers: vec![],
        };
        Self {
            function,
            scopes: vec![vec![]],
            next: 0,
            next_slot: 0,
            parameters: 0,
            loops: vec![],
            place: NO_PLACE,
            is_main: false,
            is_other_doc: false,
            untyped: None,
            item: None,
            guarded: None,
            operator: None,
        }
    }
}

impl Compiler {
    fn new(source: &str, context: &'static Context) -> Self {
        let program = Program {
            context,
            lang: "painless",
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
            uses_score: false,
            reach: None,
            formula: None,
        };
        let f = Builder::new("execute", vec![], context.returns.as_type());
        Self { program, signatures: vec![], statements: BTreeSet::new(), later: None, f }
    }

    fn script(&mut self, script: &Script) -> Result<()> {
        for function in &script.functions {
            let known = |role: &str, class: &TypeName| {
                self.named(class, class.dims).ok_or_else(|| {
                    let (class, name, arity) = (class.as_written(), &function.name, function.params.len());
                    let what = format!("{role} type [{class}] not found for function [{name}/{arity}]");
                    Compile::illegal(function.at, format!("invalid function definition: {what}"))
                })
            };
            let returns = known("return", &function.returns)?;
            let params: Vec<Type> =
                function.params.iter().map(|(class, _)| known("parameter", class)).collect::<Result<_>>()?;
            let clash = self.signatures.iter().any(|(n, p, _)| *n == function.name && p.len() == params.len());
            if clash {
                let what = format!(
                    "invalid function definition: found duplicate function [{}/{}].",
                    function.name,
                    params.len()
                );
                return Err(Compile::illegal(function.at, what));
            }
            self.signatures.push((function.name.clone(), params, returns));
        }
        self.program.functions = vec![Builder::new("", vec![], Type::VOID).function; script.functions.len() + 1];
        for (i, function) in script.functions.iter().enumerate() {
            let (name, params, returns) = self.signatures[i].clone();
            self.f = Builder::new(&name, params.clone(), returns);
            for ((class, name), param) in function.params.iter().zip(&params) {
                self.define(class.at, name, *param)?;
            }
            self.place_parameters();
            if function.body.statements.is_empty() {
                return Err(Compile::illegal(
                    function.at,
                    format!(
                        "invalid function definition: found no statements for function [{name}] with [{}] parameters",
                        params.len()
                    ),
                ));
            }
            let escape = self.block_of(function.at, &function.body, true)?;
            if !escape.method && returns != Type::VOID {
                let what = format!(
                    "not all paths provide a return value for function [{name}] with [{}] parameters",
                    params.len()
                );
                return Err(Compile::illegal(function.at, what));
            }
            self.program.functions[i + 1] = self.finish_function(&escape)?;
        }
        // Where there is nothing but functions, a script begins with the first of them; where there is nothing it begins at its end.
        let begins = script.functions.first().map(|function| function.at);
        self.main(&script.body, begins.unwrap_or(self.program.source.len() as u32))
    }

    fn main(&mut self, body: &Block, begins: u32) -> Result<()> {
        let context = self.program.context;
        self.f = Builder::new("execute", vec![], context.returns.as_type());
        self.f.is_main = true;
        for (name, kind) in context.variables {
            self.define(0, name, kind.as_type())?;
            self.f.function.params.push(kind.as_type());
        }
        self.place_context(context, body);
        if body.statements.is_empty() {
            let what = "invalid function definition: found no statements for function [execute] with";
            let what = format!("{what} [{}] parameters", context.arguments());
            return Err(Compile::illegal(begins, what));
        }
        self.f.scopes.push(vec![]);
        let escape = self.block(body, true)?;
        self.program.functions[0] = self.finish_function(&escape)?;
        Ok(())
    }

    /// Ends the function: one that runs off its end returns the default of its type.
    fn finish_function(&mut self, escape: &Escape) -> Result<Function> {
        if !escape.method {
            let constant = convert::default_of(self.f.function.returns);
            let value = self.load(&Val::constant(constant, self.f.function.returns));
            self.emit(Op::Return { from: value });
        }
        if usize::from(self.f.function.registers) > REGISTERS_MAX {
            return Err(Compile::illegal(0, "a function of a script has too many variables"));
        }
        Ok(std::mem::replace(&mut self.f, Builder::new("", vec![], Type::VOID)).function)
    }

    /// Notes a mistake that is told if there is no other.
    fn complain_later(&mut self, error: Compile) {
        self.later.get_or_insert(error);
    }

    fn emit(&mut self, op: Op) -> usize {
        let f = &mut self.f;
        f.function.ops.push(op);
        f.function.places.push(f.place);
        f.function.ops.len() - 1
    }

    fn here(&self) -> u32 {
        self.f.function.ops.len() as u32
    }

    fn patch(&mut self, jump: usize, to: u32) {
        match &mut self.f.function.ops[jump] {
            Op::Jump { target }
            | Op::JumpIf { target, .. }
            | Op::JumpIfNull { target, .. }
            | Op::Next { target, .. } => *target = to,
            other => unreachable!("{other:?} does not jump"),
        }
    }

    fn temp(&mut self) -> Reg {
        let reg = self.f.next;
        self.f.next += 1;
        let registers = self.f.next.min(usize::from(Reg::MAX));
        self.f.function.registers = self.f.function.registers.max(registers as Reg);
        reg.min(usize::from(Reg::MAX)) as Reg
    }

    /// `count` registers in a row.
    fn temps(&mut self, count: usize) -> Reg {
        let first = self.f.next.min(usize::from(Reg::MAX)) as Reg;
        for _ in 0..count {
            self.temp();
        }
        first
    }

    /// The register that a value is in, or is loaded into.
    fn load(&mut self, val: &Val) -> Reg {
        match &val.place {
            Place::Reg(reg) | Place::Fresh(reg) => *reg,
            Place::Constant(constant) => {
                let constant = self.constant(constant.clone());
                let to = self.temp();
                self.emit(Op::Const { to, constant });
                to
            }
        }
    }

    /// Puts a value into a register.
    fn store(&mut self, val: &Val, to: Reg) {
        match &val.place {
            Place::Constant(constant) => {
                let constant = self.constant(constant.clone());
                self.emit(Op::Const { to, constant });
            }
            Place::Fresh(from) if *from != to && !self.retarget(*from, to) => {
                self.emit(Op::Move { to, from: *from });
            }
            Place::Reg(from) if *from != to => drop(self.emit(Op::Move { to, from: *from })),
            _ => {}
        }
    }

    /// Lets the last instruction write elsewhere, if it is the one that wrote `from`.
    fn retarget(&mut self, from: Reg, new: Reg) -> bool {
        let Some(last) = self.f.function.ops.last_mut() else { return false };
        match last {
            Op::Arith { to, .. }
            | Op::Compare { to, .. }
            | Op::Cast { to, .. }
            | Op::Call { to, .. }
            | Op::Native { to, .. }
            | Op::Invoke { to, .. }
            | Op::GetMember { to, .. }
            | Op::GetIndex { to, .. }
            | Op::DocValue { to, .. }
            | Op::DocField { to, .. }
            | Op::Concat { to, .. }
            | Op::Score { to }
                if *to == from =>
            {
                *to = new;
                true
            }
            _ => false,
        }
    }

    fn fresh(&self, reg: Reg, class: Type) -> Val {
        Val { place: Place::Fresh(reg), class }
    }

    fn settled(&self, reg: Reg, class: Type) -> Val {
        Val { place: Place::Reg(reg), class }
    }

    fn constant(&mut self, constant: Constant) -> u16 {
        let bits = |c: &Constant| match c {
            // Zeros of either sign are equal but not the same.
            Constant::Double(d) => Some(d.to_bits()),
            Constant::Float(f) => Some(u64::from(f.to_bits())),
            _ => None,
        };
        let known = self.program.constants.iter().position(|c| *c == constant && bits(c) == bits(&constant));
        index_or_push(&mut self.program.constants, known, constant)
    }

    fn cast_index(&mut self, cast: CastTo) -> u16 {
        let known = self.program.casts.iter().position(|c| *c == cast);
        index_or_push(&mut self.program.casts, known, cast)
    }

    fn type_index(&mut self, class: Type) -> u16 {
        let known = self.program.types.iter().position(|t| *t == class);
        index_or_push(&mut self.program.types, known, class)
    }

    fn method_index(&mut self, method: &'static super::class::Method) -> u16 {
        let known = self.program.methods.iter().position(|m| std::ptr::eq(*m, method));
        index_or_push(&mut self.program.methods, known, method)
    }

    /// Sites are not shared: each remembers what it met last.
    fn site(&mut self, name: &str, arity: usize) -> u16 {
        index_or_push(
            &mut self.program.sites,
            None,
            Site { name: name.to_owned(), arity, given: None, wanted: Type::DEF, linked: Arc::default() },
        )
    }

    fn closure_index(&mut self, closure: ClosureSpec) -> u16 {
        index_or_push(&mut self.program.closures, None, closure)
    }

    fn field_index(&mut self, at: u32, name: &str) -> u16 {
        let known = self.program.fields.iter().position(|(f, _)| f == name);
        index_or_push(&mut self.program.fields, known, (name.to_owned(), at))
    }

    /// The type that a name stands for, where scripts of the context know it.
    fn named(&self, name: &TypeName, dims: u8) -> Option<Type> {
        Type::named(&name.name, dims).filter(|class| match class.base {
            Base::Class(id) => is_nameable(registry().class(id), self.program.context.name),
            _ => true,
        })
    }

    fn type_of(&self, name: &TypeName) -> Result<Type> {
        self.named(name, name.dims)
            .ok_or_else(|| Compile::illegal(name.at, format!("cannot resolve type [{}]", name.as_written())))
    }

    /// The same for a name that is told of where something else stands.
    fn type_at(&self, at: u32, name: &TypeName) -> Result<Type> {
        self.type_of(name).map_err(|error| Compile::illegal(at, error.reason))
    }

    /// The type of arrays that are made, whose name is `written`.
    fn array_type(&self, at: u32, name: &TypeName, written: &str) -> Result<Type> {
        self.named(name, name.dims).ok_or_else(|| Compile::illegal(at, format!("Not a type [{written}].")))
    }

    /// Defines a variable that cannot be assigned to.
    fn define_fixed(&mut self, at: u32, name: &str, class: Type) -> Result<Reg> {
        let reg = self.define(at, name, class)?;
        if let Some(local) = self.f.scopes.last_mut().and_then(|scope| scope.last_mut()) {
            local.read_only = true;
        }
        Ok(reg)
    }

    fn define(&mut self, at: u32, name: &str, class: Type) -> Result<Reg> {
        if self.local(name).is_some() {
            return Err(Compile::illegal(at, format!("variable [{name}] is already defined")));
        }
        let reg = self.temp();
        let slot = self.f.next_slot;
        self.f.next_slot = slot.saturating_add(receiver::width(class));
        let local = Local { name: name.to_owned(), reg, class, read_only: false, slot };
        self.f.scopes.last_mut().expect("a function has a scope").push(local);
        Ok(reg)
    }

    fn local(&self, name: &str) -> Option<&Local> {
        self.f.scopes.iter().rev().flat_map(|scope| scope.iter().rev()).find(|local| local.name == name)
    }

    /// Runs `compile` in a scope of its own, whose variables go afterwards.
    fn scoped<T>(&mut self, compile: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let (mark, slot) = (self.f.next, self.f.next_slot);
        self.f.scopes.push(vec![]);
        let result = compile(self);
        self.f.scopes.pop();
        (self.f.next, self.f.next_slot) = (mark, slot);
        result
    }
}

/// Tables are addressed with 16 bits; source is limited so that they never fill.
fn index_or_push<T>(table: &mut Vec<T>, known: Option<usize>, item: T) -> u16 {
    let at = known.unwrap_or_else(|| {
        table.push(item);
        table.len() - 1
    });
    u16::try_from(at).unwrap_or(u16::MAX)
}
