//! The tree of a script, as it was written. Every node keeps the byte offset at which errors point.

/// How deep a tree may be: what comes later walks it recursively.
pub const DEPTH_MAX: u32 = 200;

#[derive(Clone, Debug)]
pub struct TypeName {
    pub at: u32,
    pub name: String,
    pub dims: u8,
}

impl TypeName {
    pub fn as_written(&self) -> String {
        self.name.clone() + &"[]".repeat(usize::from(self.dims))
    }
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub at: u32,
    pub depth: u32,
    /// Whether evaluating it may assign to a local variable.
    pub assigns: bool,
    pub kind: ExprKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Find,
    Match,
    Shl,
    Shr,
    Ushr,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    EqRef,
    Ne,
    NeRef,
    And,
    Xor,
    Or,
    BoolAnd,
    BoolOr,
}

impl Binary {
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
            Self::Add => "+",
            Self::Sub => "-",
            Self::Find => "=~",
            Self::Match => "==~",
            Self::Shl => "<<",
            Self::Shr => ">>",
            Self::Ushr => ">>>",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
            Self::Eq => "==",
            Self::EqRef => "===",
            Self::Ne => "!=",
            Self::NeRef => "!==",
            Self::And => "&",
            Self::Xor => "^",
            Self::Or => "|",
            Self::BoolAnd => "&&",
            Self::BoolOr => "||",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    Plus,
    Minus,
    Not,
    BitNot,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Null,
    Bool(bool),
    /// Digits as written, with a sign if one stands right before them; the radix.
    Number(String, u32),
    Decimal(String),
    Str(String),
    Regex(String, String),
    Name(String),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    Assign(Box<Expr>, Option<Binary>, Box<Expr>),
    /// By how much, and whether the value before is the result.
    Step(Box<Expr>, i8, bool),
    Ternary(Box<Expr>, Box<Expr>, Box<Expr>),
    Elvis(Box<Expr>, Box<Expr>),
    Cast(TypeName, Box<Expr>),
    InstanceOf(Box<Expr>, TypeName),
    New(TypeName, Vec<Expr>),
    /// Element type with the whole number of dimensions, and the sizes that are given.
    NewArray(TypeName, Vec<Expr>),
    ArrayInit(TypeName, Vec<Expr>),
    List(Vec<Expr>),
    Map(Vec<(Expr, Expr)>),
    Member(Box<Expr>, String, bool),
    Index(Box<Expr>, Box<Expr>),
    Call(Box<Expr>, String, Vec<Expr>, bool),
    LocalCall(String, Vec<Expr>),
    Lambda(Vec<(Option<TypeName>, String)>, Block),
    /// `Type::name`, `this::name` (no type) or `variable::name`.
    FunctionRef(Option<TypeName>, String),
}

#[derive(Clone, Debug)]
pub struct Block {
    pub at: u32,
    pub statements: Vec<Stmt>,
}

#[derive(Clone, Debug)]
pub struct Stmt {
    pub at: u32,
    pub kind: StmtKind,
}

#[derive(Clone, Debug)]
pub struct Declared {
    pub at: u32,
    pub name: String,
    pub value: Option<Expr>,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    If(Expr, Block, Option<Block>),
    While(Expr, Block),
    Do(Block, Expr),
    For(Option<Box<Stmt>>, Option<Expr>, Option<Expr>, Option<Block>),
    /// Type (none: as `def`), name, what it goes over, body.
    ForEach(Option<TypeName>, String, Expr, Block),
    Declare(TypeName, Vec<Declared>),
    Expr(Expr),
    Return(Option<Expr>),
    Continue,
    Break,
    Throw(Expr),
    Try(Block, Vec<Catch>),
}

#[derive(Clone, Debug)]
pub struct Catch {
    pub at: u32,
    pub class: TypeName,
    pub name: String,
    pub body: Block,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub at: u32,
    pub returns: TypeName,
    pub name: String,
    pub params: Vec<(TypeName, String)>,
    pub body: Block,
}

#[derive(Clone, Debug)]
pub struct Script {
    pub functions: Vec<Function>,
    pub body: Block,
}
