//! The machine: runs a program over registers, within limits.
//!
//! `run` is the loop over instructions, `arith` and `cast` what is done to values, `dynamic` members found by name at run time,
//! `fold` arithmetic of constants while compiling, `heap` who owns objects. The machine is reused from one document to
//! the next; [`Vm::reset`] lets go of everything but parameters.

pub mod arith;
mod cast;
mod dynamic;
pub mod fold;
mod heap;
mod linked;
mod run;

use super::class::{ClassId, Method};
use super::doc::Documents;
use super::error::{Failed, Outcome, throw, thrown};
use super::json;
use super::op::{Constant, Program, Reg};
use super::text::Text;
use super::value::{Closure, Data, Key, Target, Value};
use crate::error::Result;
use crate::java_regex::JavaRegex;
use crate::json::Value as Json;
pub use heap::Heap;
use std::rc::Rc;
use std::sync::Arc;

/// What one execution may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Instructions, and work of methods in units of about one.
    pub fuel: u64,
    /// Bytes that objects and strings may come to, whether or not they are still used.
    pub memory_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { fuel: 20_000_000, memory_bytes: 64 << 20 }
    }
}

/// How much scripts that look at their parameters may leave behind before it is looked at what can still be reached.
const COLLECT_EVERY_BYTES: u64 = 1 << 20;

/// What documents put into the parameters: the documents, their source, and what is stored of them.
const PASSED: usize = 4;
/// Statements in loops of one call of a function, as in the reference.
const LOOP_STATEMENTS_MAX: u32 = 1_000_000;
/// Calls of script functions within each other.
const CALLS_MAX: usize = 1_500;
/// Calls of closures by methods within each other: these use the stack of the core.
const NESTED_MAX: u32 = 24;

pub struct Vm {
    program: Arc<Program>,
    registers: Vec<Value>,
    frames: Vec<Frame>,
    constants: Vec<Value>,
    /// What each site met last.
    sites: Vec<Option<(ClassId, &'static Method)>>,
    /// Objects for the fields that the program names, made when first asked for.
    fields: Vec<Option<(u32, Value)>>,
    /// What last gave a property that was asked for by its name alone.
    getter: Option<(ClassId, &'static Method)>,
    pub heap: Heap,
    pub documents: Option<Documents>,
    pub score: f32,
    /// What errors call the script, where that is not its text.
    pub name: Option<Arc<str>>,
    /// Milliseconds since 1970, for methods that ask for the time.
    pub now_ms: i64,
    /// State of random numbers; 0 until first asked for.
    pub random: u64,
    limits: Limits,
    fuel: u64,
    nested: u32,
    params: Value,
    /// What `params` begins with, where the script can change it, and the size of its table.
    given: (Vec<(Key, Value)>, u32),
    /// The variable `doc`, which `params` has as well.
    pub doc: Value,
    /// Whether the script may put what it makes into the parameters.
    keeps: bool,
    /// What the script of a derived field has emitted.
    pub emitted: Vec<Value>,
    /// The term that the script of a similarity scores.
    pub scored: super::ScoredTerm,
}

struct Frame {
    function: u16,
    pc: u32,
    base: usize,
    /// Where the caller wants the result.
    to: Reg,
    loop_statements: u32,
}

impl Vm {
    pub fn new(program: Arc<Program>, params: &Json, limits: Limits) -> Result<Self> {
        let mut vm = Self {
            registers: vec![],
            frames: vec![],
            constants: vec![],
            sites: vec![None; program.sites.len()],
            fields: vec![None; program.fields.len()],
            getter: None,
            heap: Heap::new(limits.memory_bytes),
            documents: None,
            score: 0.0,
            name: None,
            now_ms: 0,
            random: 0,
            limits,
            fuel: limits.fuel,
            nested: 0,
            params: Value::Null,
            given: (vec![], 0),
            doc: Value::Obj(Rc::new(super::value::Obj { data: Data::Doc, marked: false.into() })),
            keeps: program.source.contains("params"),
            emitted: vec![],
            scored: super::ScoredTerm::default(),
            program,
        };
        let program = vm.program.clone();
        vm.constants = program.constants.iter().map(constant).collect::<Result<_>>()?;
        vm.params = json::from_json_hashed(&mut vm, params).map_err(|failed| vm.to_error(&failed))?;
        if let Some(Data::Map(map)) = vm.params.data() {
            map.borrow_mut().frozen = !program.context.changes_params();
        }
        vm.note_given();
        vm.heap.keep();
        Ok(vm)
    }

    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// The variable `params`.
    pub fn params(&self) -> Value {
        self.params.clone()
    }

    /// Instructions that the last execution took.
    pub fn spent(&self) -> u64 {
        self.limits.fuel - self.fuel
    }

    /// Runs the script with the context's variables. What it gives lives until [`Vm::reset`].
    pub fn execute(&mut self, variables: &[Value]) -> std::result::Result<Value, Failed> {
        self.fuel = self.limits.fuel;
        super::lib::forget_walks();
        self.nested = 0;
        self.frames.clear();
        self.registers.clear();
        let program = self.program.clone();
        if let Some(formula) = &program.formula {
            return super::expression::run(self, formula, variables);
        }
        self.call_function(0, variables)
    }

    /// Lets go of all objects that executions made, but for those that the script put into its parameters. Values that came from
    /// others must not be used any more.
    pub fn reset(&mut self) {
        self.registers.clear();
        self.emitted.clear();
        if !self.keeps {
            self.heap.clear();
        } else if self.heap.unsettled() > COLLECT_EVERY_BYTES {
            self.heap.collect(std::slice::from_ref(&self.params));
        }
        self.fuel = self.limits.fuel;
    }

    /// Puts the values of the document into `params` as well, under the names that they once had.
    pub fn pass_document(&mut self) {
        if self.program.context.sources {
            if let Some(Data::Map(map)) = self.params.data() {
                map.borrow_mut().hash_beside(PASSED);
            }
            // In the order in which the reference has them beside no other parameters. The source is passed with each document, to scripts
            // that look at it.
            for name in ["doc", "_source", "_doc", "_fields"] {
                let object = |data| Value::Obj(Rc::new(super::value::Obj { data, marked: false.into() }));
                let value = match name {
                    "_source" => Value::Null,
                    "_fields" => object(Data::Fields),
                    _ => self.doc.clone(),
                };
                self.set_param(name, value);
            }
            self.note_given();
        }
    }

    /// Remembers what `params` begins with.
    fn note_given(&mut self) {
        if let (true, Some(Data::Map(map))) = (self.keeps, self.params.data()) {
            let map = map.borrow();
            if !map.frozen {
                let entries = map.entries.iter().map(|(key, value)| (key.clone(), value.clone()));
                self.given = (entries.collect(), map.capacity);
            }
        }
    }

    /// Gives `params` the entries that it began with: each segment does.
    pub fn renew_params(&mut self) {
        if let (true, Some(Data::Map(map))) = (self.keeps, self.params.data()) {
            let mut map = map.borrow_mut();
            if !map.frozen {
                map.entries = self.given.0.iter().cloned().collect();
                map.capacity = self.given.1;
            }
        }
    }

    /// Puts a value into `params` that lives as long as what executions make.
    pub fn set_param(&mut self, name: &str, value: Value) {
        if let Some(Data::Map(map)) = self.params.data() {
            map.borrow_mut().entries.insert(Key(Value::text(name)), value);
        }
    }

    /// The error of the interface for what was thrown.
    pub fn to_error(&self, failed: &Failed) -> crate::error::Error {
        if let Some(field) = self.documents.as_ref().and_then(Documents::lacking) {
            return crate::search::lacks_fielddata(field);
        }
        let error = failed.to_error(&self.program.source, self.program.lang, &self.program.statements);
        match &self.name {
            Some(name) => error.with("script", &**name),
            None => error,
        }
    }

    fn call_function(&mut self, function: u16, args: &[Value]) -> Outcome {
        let base = self.registers.len();
        let program = self.program.clone();
        let registers = usize::from(program.functions[usize::from(function)].registers).max(args.len());
        self.registers.resize(base + registers, Value::Null);
        self.registers[base..base + args.len()].clone_from_slice(args);
        let floor = self.frames.len();
        self.push_frame(function, base, 0)?;
        let result = self.run(&program, floor);
        self.registers.truncate(base);
        result
    }

    fn push_frame(&mut self, function: u16, base: usize, to: Reg) -> std::result::Result<(), Failed> {
        if self.frames.len() >= CALLS_MAX {
            return Err(thrown("StackOverflowError", None));
        }
        self.frames.push(Frame { function, pc: 0, base, to, loop_statements: LOOP_STATEMENTS_MAX });
        Ok(())
    }

    /// Calls a closure, or whatever else is called like one.
    pub fn call(&mut self, callee: &Value, args: &[Value]) -> Outcome {
        if self.nested >= NESTED_MAX {
            return Err(thrown("StackOverflowError", None));
        }
        self.nested += 1;
        self.work(4)?;
        let result = match callee.data() {
            Some(Data::Closure(closure)) => self.call_closure(closure, args),
            Some(Data::Comparator(_)) => match args {
                [a, b] => super::lib::compare_with(self, callee, a, b).map(Value::Int),
                _ => Err(super::error::illegal("a comparator takes two arguments")),
            },
            _ if callee.is_null() => Err(super::error::null_pointer()),
            _ => Err(super::error::illegal(format!("[{}] is no function", callee.class_name()))),
        };
        self.nested -= 1;
        result
    }

    fn call_closure(&mut self, closure: &Closure, args: &[Value]) -> Outcome {
        let mut all: smallvec::SmallVec<[Value; 6]> = closure.captured.iter().cloned().collect();
        all.extend(args.iter().cloned());
        match closure.target {
            Target::Script(function) => {
                let program = self.program.clone();
                let params = &program.functions[usize::from(function)].params;
                if params.len() != all.len() {
                    let what = format!("a function of [{}] parameters was called with [{}]", params.len(), all.len());
                    return Err(super::error::illegal(what));
                }
                for (value, param) in all.iter_mut().zip(params) {
                    *value = cast::adapt(value, *param)?;
                }
                self.call_function(function, &all)
            }
            Target::Static(method) | Target::Virtual(method) => {
                let is_member = matches!(closure.target, Target::Virtual(_));
                let takes = method.params.len() + usize::from(is_member);
                if takes != all.len() {
                    let what = format!("a function of [{takes}] parameters was called with [{}]", all.len());
                    return Err(super::error::illegal(what));
                }
                let rest = &mut all[usize::from(is_member)..];
                for (value, param) in rest.iter_mut().zip(&method.params) {
                    *value = cast::adapt(value, *param)?;
                }
                if is_member {
                    let Some(object) = all.first() else { return Err(super::error::null_pointer()) };
                    if object.is_null() {
                        return Err(super::error::null_pointer());
                    }
                    // The class of the object may do it in its own way.
                    let own = self.method_of(object, method.name, all.len() - 1);
                    return (own.unwrap_or(method).run)(self, &all);
                }
                (method.run)(self, &all)
            }
            Target::Named(site) => {
                let name = self.program.sites[usize::from(site)].name.clone();
                self.invoke_by_name(&name, &all)
            }
            Target::Native(run) => run(self, &all),
        }
    }

    /// Parameters that a closure takes from its callers, where it is a function of the script.
    pub fn arity(&self, closure: &Closure) -> Option<usize> {
        match closure.target {
            Target::Script(function) => {
                let params = self.program.functions[usize::from(function)].params.len();
                params.checked_sub(closure.captured.len())
            }
            Target::Virtual(method) => Some(method.params.len() + 1),
            Target::Static(method) => Some(method.params.len()),
            _ => None,
        }
    }

    /// The byte of the script that is being executed.
    pub fn place(&self) -> Option<u32> {
        let frame = self.frames.last()?;
        self.program.functions[usize::from(frame.function)].places.get(frame.pc.saturating_sub(1) as usize).copied()
    }

    /// Counts work that methods do, in units of about an instruction.
    #[inline]
    pub fn work(&mut self, units: usize) -> std::result::Result<(), Failed> {
        match self.fuel.checked_sub(units as u64) {
            Some(left) => {
                self.fuel = left;
                Ok(())
            }
            None => {
                self.fuel = 0;
                Err(throw(
                    "PainlessError",
                    "The maximum number of instructions that a script can execute has been reached.",
                ))
            }
        }
    }

    /// Counts memory that is about to be taken, and the work of filling it.
    pub fn grow(&mut self, bytes: usize) -> std::result::Result<(), Failed> {
        self.work(bytes / 16)?;
        self.heap.grow(bytes)
    }

    pub fn string(&mut self, text: impl Into<Box<str>>) -> Outcome {
        let text = text.into();
        self.grow(text.len() + 32)?;
        Ok(Value::Str(Text::new(text)))
    }

    pub fn alloc(&mut self, data: Data) -> Outcome {
        self.work(2)?;
        self.heap.alloc(data)
    }

    /// An array list of these values.
    pub fn list(&mut self, items: Vec<Value>) -> Outcome {
        self.grow(items.len() * size_of::<Value>())?;
        self.alloc(Data::List(super::lib::new_list(items)))
    }

    /// Whether one value is a key equal to another.
    pub fn equal(a: &Value, b: &Value) -> bool {
        Key(a.clone()) == Key(b.clone())
    }
}

fn constant(constant: &Constant) -> Result<Value> {
    Ok(match constant {
        Constant::Null => Value::Null,
        Constant::Bool(v) => Value::Bool(*v),
        Constant::Byte(v) => Value::Byte(*v),
        Constant::Short(v) => Value::Short(*v),
        Constant::Char(v) => Value::Char(*v),
        Constant::Int(v) => Value::Int(*v),
        Constant::Long(v) => Value::Long(*v),
        Constant::Float(v) => Value::Float(*v),
        Constant::Double(v) => Value::Double(*v),
        Constant::Str(text) => Value::text(&**text),
        Constant::Regex(pattern, flags) => {
            let regex = Arc::new(super::value::Regex(JavaRegex::new(pattern, flags)?));
            Value::Obj(Rc::new(super::value::Obj {
                data: Data::Pattern(regex, Text::new(&**pattern), super::lib::flag_bits(flags)),
                marked: false.into(),
            }))
        }
    })
}
