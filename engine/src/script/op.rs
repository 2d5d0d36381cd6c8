//! Bytecode: instructions over the registers of a function, and the program that holds them.

use super::class::{ClassId, Method};
use super::context::Context;
use super::error::{Failed, null_pointer, throw};
use super::types::Type;
use super::value::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A register of the running function.
pub type Reg = u16;

/// The place of instructions before the first of which the reference knows where it stands.
pub const NO_PLACE: u32 = u32::MAX;

/// The kind of numbers that an instruction works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Num {
    Bool,
    Int,
    Long,
    Float,
    Double,
    /// Found out at run time.
    Def,
    /// Objects, of which numbers alone are compared as such.
    Object,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arith {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Ushr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cmp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

#[derive(Clone, Copy, Debug)]
pub enum Op {
    Const {
        to: Reg,
        constant: u16,
    },
    Move {
        to: Reg,
        from: Reg,
    },
    Arith {
        op: Arith,
        num: Num,
        to: Reg,
        a: Reg,
        b: Reg,
    },
    Compare {
        op: Cmp,
        num: Num,
        to: Reg,
        a: Reg,
        b: Reg,
    },
    /// Identity of objects.
    Same {
        negate: bool,
        to: Reg,
        a: Reg,
        b: Reg,
    },
    Negate {
        to: Reg,
        from: Reg,
    },
    BitNot {
        to: Reg,
        from: Reg,
    },
    Plus {
        to: Reg,
        from: Reg,
    },
    /// A number as one of the class that another has.
    CastLike {
        to: Reg,
        from: Reg,
        like: Reg,
    },
    Not {
        to: Reg,
        from: Reg,
    },
    /// The texts of `count` registers, one behind the other.
    Concat {
        to: Reg,
        from: Reg,
        count: u16,
    },
    Cast {
        to: Reg,
        from: Reg,
        cast: u16,
    },
    InstanceOf {
        to: Reg,
        from: Reg,
        class: u16,
    },
    Jump {
        target: u32,
    },
    JumpIf {
        when: bool,
        reg: Reg,
        target: u32,
    },
    JumpIfNull {
        when: bool,
        reg: Reg,
        target: u32,
    },
    /// Counts statements of a loop against the limit of the function.
    Loop {
        statements: u16,
    },
    /// Calls a function of the script with arguments from `args` on.
    Call {
        function: u16,
        args: Reg,
        to: Reg,
    },
    /// Calls a known method; its arguments are `count` registers from `args` on.
    Native {
        method: u16,
        args: Reg,
        count: u8,
        to: Reg,
    },
    /// Calls a method by its name on whatever `args` holds.
    Invoke {
        site: u16,
        args: Reg,
        count: u8,
        to: Reg,
    },
    GetMember {
        site: u16,
        to: Reg,
        object: Reg,
    },
    SetMember {
        site: u16,
        object: Reg,
        value: Reg,
    },
    GetIndex {
        to: Reg,
        object: Reg,
        index: Reg,
    },
    /// Fails if the object is null that an item will be put into: its index is looked at before what is put there is made.
    CheckHeld {
        object: Reg,
    },
    SetIndex {
        object: Reg,
        index: Reg,
        value: Reg,
    },
    ArrayLength {
        to: Reg,
        array: Reg,
    },
    NewArray {
        class: u16,
        sizes: Reg,
        count: u8,
        to: Reg,
    },
    ArrayOf {
        class: u16,
        from: Reg,
        count: u16,
        to: Reg,
    },
    NewList {
        from: Reg,
        count: u16,
        to: Reg,
    },
    /// Keys and values alternate.
    NewMap {
        from: Reg,
        count: u16,
        to: Reg,
    },
    Closure {
        closure: u16,
        from: Reg,
        to: Reg,
    },
    Iterate {
        to: Reg,
        from: Reg,
    },
    /// Takes the next value, or jumps when there is none.
    Next {
        to: Reg,
        iter: Reg,
        target: u32,
    },
    Throw {
        from: Reg,
    },
    Return {
        from: Reg,
    },
    /// `doc['field']` and `doc['field'].value` of a field that is known when compiling.
    DocField {
        field: u16,
        to: Reg,
    },
    DocValue {
        field: u16,
        to: Reg,
    },
    Score {
        to: Reg,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    Null,
    Bool(bool),
    Byte(i8),
    Short(i16),
    Char(u16),
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    Str(Arc<str>),
    /// A regular expression and its flags.
    Regex(Arc<str>, Arc<str>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CastTo {
    pub from: Type,
    pub to: Type,
    pub explicit: bool,
    pub link: Link,
}

/// What gave a value that is cast, where it was called by its name alone and gives the type that is wanted by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    None,
    Call(u16),
    Getter,
    /// The value of a field.
    Field(u16),
    Item,
    /// An operator, with the types of its operands.
    Operator(Type, Option<Type>),
}

/// Instructions `[start, end)` whose exceptions of a class continue at `target`, in `reg`.
#[derive(Clone, Copy, Debug)]
pub struct Handler {
    pub start: u32,
    pub end: u32,
    pub class: ClassId,
    pub reg: Reg,
    pub target: u32,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    pub params: Vec<Type>,
    pub returns: Type,
    pub registers: u16,
    pub ops: Vec<Op>,
    /// The byte of the script that each instruction stands for, or [`NO_PLACE`].
    pub places: Vec<u32>,
    /// Of items of what is known only when running: the instruction, the type that the index is known to be of, and the place that was
    /// noted last before it is used.
    pub indexes: Vec<(u32, Type, u32)>,
    /// Of what is asked of objects whose class is known, in the order of the instructions.
    pub receivers: Vec<Receiver>,
    pub handlers: Vec<Handler>,
}

/// Where the object comes from that an instruction asks something of.
#[derive(Clone, Copy, Debug)]
pub struct Receiver {
    pub op: u32,
    pub source: Source,
    pub class: Type,
}

/// Where a value comes from, as Java tells it of null.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    Unknown,
    Null,
    /// A variable, by its place among those of the method.
    Local(u16),
    /// An argument, counted from one.
    Parameter(u16),
    /// What a method returned, called on a type.
    Returned(&'static Method, Type),
    /// An item of a list or map.
    Item(Type),
    /// A cast to a text, and whether the script asks for it.
    Text(bool),
}

/// What a lambda or method reference is made of.
#[derive(Clone, Debug)]
pub struct ClosureSpec {
    pub interface: ClassId,
    pub target: super::value::Target,
    pub captured: u16,
}

/// A call of a method or property by name.
#[derive(Clone, Debug)]
pub struct Site {
    pub name: String,
    pub arity: usize,
    /// The types of the arguments; none where functions are among them.
    pub given: Option<Vec<Type>>,
    /// The type that is wanted of it.
    pub wanted: Type,
    /// Whether anything but null has been asked here yet, by whichever run of the script.
    pub linked: Arc<AtomicBool>,
}

impl Site {
    /// Fails where null is asked: what is said depends on whether the call has been joined to a class before.
    #[inline]
    pub fn check(&self, object: &Value) -> Result<(), Failed> {
        if object.is_null() {
            return Err(self.asked_of_null());
        }
        if !self.linked.load(Ordering::Relaxed) {
            self.linked.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    #[cold]
    fn asked_of_null(&self) -> Failed {
        match self.linked.load(Ordering::Relaxed) {
            true => throw("NullPointerException", "Cannot invoke \"Object.getClass()\" because \"receiver\" is null"),
            false => null_pointer(),
        }
    }
}

/// A compiled script: immutable, shared by all cores.
#[derive(Clone, Debug)]
pub struct Program {
    pub context: &'static Context,
    pub lang: &'static str,
    pub source: Arc<str>,
    /// The first is the script itself.
    pub functions: Vec<Function>,
    pub constants: Vec<Constant>,
    pub casts: Vec<CastTo>,
    pub types: Vec<Type>,
    pub methods: Vec<&'static Method>,
    pub closures: Vec<ClosureSpec>,
    pub sites: Vec<Site>,
    /// Fields that the script names in `doc[...]`, and where it first does.
    pub fields: Vec<(String, u32)>,
    /// Bytes at which statements begin, ascending.
    pub statements: Vec<u32>,
    pub uses_score: bool,
    /// What it can reach through `ctx`; anything, if nothing is known.
    pub reach: Option<super::reach::Reach>,
    /// In place of functions, where the language is that of formulas.
    pub formula: Option<super::expression::Node>,
}
