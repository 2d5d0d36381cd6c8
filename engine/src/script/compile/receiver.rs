//! What Java says of a null that a member is asked of: which member, and where the null was.
//!
//! Java counts the variables of a method, so the compiler counts them too: `slot` is where the reference would keep one.

use super::super::class::{Method, registry};
use super::super::context::Context;
use super::super::listing::declaring_name;
use super::super::op::{Constant, Op, Receiver, Source};
use super::super::types::{Base, Type};
use super::{Compiler, Place, Val};
use crate::script::ast::Block;

impl Compiler {
    /// Where a value comes from, as far as Java knows it. To be asked before anything else is computed.
    pub(super) fn source(&self, value: &Val) -> Source {
        let (Place::Reg(reg) | Place::Fresh(reg)) = &value.place else {
            return if value.is_null() { Source::Null } else { Source::Unknown };
        };
        if let Some(local) = self.f.scopes.iter().rev().flatten().find(|local| local.reg == *reg) {
            return match local.slot {
                slot if slot < self.f.parameters => Source::Parameter(slot + 1),
                slot => Source::Local(slot),
            };
        }
        let Some(last) = self.f.function.ops.len().checked_sub(1) else { return Source::Unknown };
        match self.f.function.ops[last] {
            Op::Const { to, constant } if to == *reg => match self.program.constants[usize::from(constant)] {
                Constant::Null => Source::Null,
                _ => Source::Unknown,
            },
            Op::Native { method, to, .. } if to == *reg => {
                let method = self.program.methods[usize::from(method)];
                let of = self.receiver_at(last).map_or(Type::class(method.class), |receiver| receiver.class);
                Source::Returned(method, of)
            }
            Op::GetIndex { to, .. } if to == *reg => match self.receiver_at(last) {
                Some(receiver) if receiver.class.dims == 0 => Source::Item(receiver.class),
                _ => Source::Unknown,
            },
            Op::Cast { to, cast, .. } if to == *reg => {
                let cast = self.program.casts[usize::from(cast)];
                match cast.from.is_def() && cast.to == Type::STRING {
                    true => Source::Text(cast.explicit),
                    // It is the same object.
                    false => self.receiver_at(last).map_or(Source::Unknown, |receiver| receiver.source),
                }
            }
            _ => Source::Unknown,
        }
    }

    pub(super) fn receiver_at(&self, op: usize) -> Option<&Receiver> {
        let receivers = &self.f.function.receivers;
        receivers.binary_search_by_key(&(op as u32), |receiver| receiver.op).ok().map(|at| &receivers[at])
    }

    /// Notes where the object comes from that the next instruction asks something of.
    pub(super) fn receives(&mut self, source: Source, class: Type) {
        let op = self.here();
        self.f.function.receivers.push(Receiver { op, source, class });
    }

    /// Gives the variables of a context their places: arguments first, then the counter of loops, then what the script asks for.
    pub(super) fn place_context(&mut self, context: &Context, body: &Block) {
        let mut names = vec![];
        super::lambda::names_in_block(body, &mut names);
        let arguments = context.arguments();
        let all = arguments == context.variables.len();
        // The object itself comes first.
        let mut next = 1;
        let mut take = |class: Type| {
            let slot = next;
            next += width(class);
            slot
        };
        let is_argument = |name: &str| all || (arguments == 1 && name == "ctx");
        for local in self.f.scopes[0].iter_mut().filter(|local| is_argument(&local.name)) {
            local.slot = take(local.class);
        }
        if arguments == 1 && !all && !context.variables.iter().any(|(name, _)| *name == "ctx") {
            // An argument that scripts do not see.
            take(Type::OBJECT);
        }
        take(Type::INT);
        if context.scores && names.iter().any(|name| name == "_score") {
            take(Type::DOUBLE);
        }
        for local in self.f.scopes[0].iter_mut().filter(|local| !is_argument(&local.name)) {
            if names.contains(&local.name) {
                local.slot = take(local.class);
            }
        }
        (self.f.next_slot, self.f.parameters) = (next, 0);
    }

    /// The parameters are there: the counter of loops comes behind them.
    pub(super) fn place_parameters(&mut self) {
        self.f.parameters = self.f.next_slot;
        self.f.next_slot += 1;
    }
}

/// How many places a variable takes.
pub(super) fn width(class: Type) -> u16 {
    if matches!(class, Type::LONG | Type::DOUBLE) { 2 } else { 1 }
}

/// A class as Java names it in such messages.
fn class_name(class: Type) -> String {
    let base = match class.base {
        Base::Def => "Object".to_owned(),
        Base::Class(id) => match registry().class(id).name {
            "java.lang.Object" => "Object".to_owned(),
            "java.lang.String" => "String".to_owned(),
            name => name.to_owned(),
        },
        _ => Type { dims: 0, ..class }.name(),
    };
    base + &"[]".repeat(usize::from(class.dims))
}

fn method_name(method: &Method, of: Type) -> String {
    let params: Vec<String> = method.params.iter().map(|param| class_name(*param)).collect();
    let class = match of.base {
        Base::Class(id) => declaring_name(id, method),
        _ => declaring_name(method.class, method),
    };
    let class = if class == "java.lang.String" { "String" } else { &class };
    let class = if class == "java.lang.Object" { "Object" } else { class };
    format!("{class}.{}({})", method.name, params.join(", "))
}

fn item_method(of: Type, store: bool) -> &'static str {
    let is_map = matches!(of.base, Base::Class(id) if registry().is_subclass(id, super::super::class::class::MAP));
    match (is_map, store) {
        (true, false) => "java.util.Map.get(Object)",
        (true, true) => "java.util.Map.put(Object, Object)",
        (false, false) => "java.util.List.get(int)",
        (false, true) => "java.util.List.set(int, Object)",
    }
}

impl Receiver {
    fn because(&self, what: String) -> String {
        let why = match self.source {
            Source::Unknown => return what,
            Source::Null => "\"null\"".to_owned(),
            Source::Local(slot) => format!("\"<local{slot}>\""),
            Source::Parameter(number) => format!("\"<parameter{number}>\""),
            Source::Returned(method, of) => format!("the return value of \"{}\"", method_name(method, of)),
            Source::Item(of) => format!("the return value of \"{}\"", item_method(of, false)),
            Source::Text(explicit) => {
                let how = if explicit { "Explicit" } else { "Implicit" };
                format!("the return value of \"org.opensearch.painless.Def.defToString{how}(Object)\"")
            }
        };
        format!("{what} because {why} is null")
    }

    /// What is said where the object is null that a method is called of.
    pub fn no_object(&self, method: &Method) -> String {
        self.because(format!("Cannot invoke \"{}\"", method_name(method, self.class)))
    }

    /// The same of an item, or of the length of an array.
    pub fn no_items(&self, op: &Op) -> String {
        let store = matches!(op, Op::SetIndex { .. });
        self.because(match op {
            Op::ArrayLength { .. } => "Cannot read the array length".to_owned(),
            Op::Throw { .. } => "Cannot throw exception".to_owned(),
            Op::Iterate { .. } => "Cannot invoke \"java.lang.Iterable.iterator()\"".to_owned(),
            _ if self.class.dims > 0 => {
                let element = match self.class.element() {
                    element if element.is_primitive() && element.dims == 0 => element.name(),
                    _ => "object".to_owned(),
                };
                let element = if matches!(&*element, "byte" | "boolean") { "byte/boolean".to_owned() } else { element };
                format!("Cannot {} {element} array", if store { "store to" } else { "load from" })
            }
            _ => format!("Cannot invoke \"{}\"", item_method(self.class, store)),
        })
    }
}
