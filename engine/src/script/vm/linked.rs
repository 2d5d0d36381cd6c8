//! What is said where a member that was called by its name alone takes or gives another type. Java joins the call to the member
//! before it runs: types that no value could have are refused as such, others when a value comes.

use super::super::class::{ClassId, Method, is_shared_rows, registry};
use super::super::error::{Failed, no_cast, throw};
use super::super::op::{CastTo, Link, Op, Program};
use super::super::types::{Base, Type, is_interface};
use super::super::value::{Data, Value};
use super::Vm;
use super::arith::as_double;
use super::cast::unboxed_name;

/// What members of a document's values end with.
const OF_DOCUMENTS: &[&str] = &["IllegalStateException", "UnsupportedOperationException"];

impl Vm {
    /// A value that a member gave is not what was wanted of it.
    #[cold]
    pub(super) fn given_otherwise(&self, program: &Program, cast: CastTo, value: &Value) -> Failed {
        if let Link::Operator(a, b) = cast.link {
            return computed_otherwise(value, cast.to, a, b);
        }
        self.not_given(program, cast).unwrap_or_else(|| unfit(value, cast.to))
    }

    /// A member that gives something else than is wanted of it is never asked, whatever it would have said.
    #[cold]
    pub(super) fn refused_before(&self, program: &Program, failed: Failed) -> Failed {
        let of_document = OF_DOCUMENTS.contains(&registry().class(failed.class).simple);
        let Some(frame) = self.frames.last().filter(|_| of_document) else { return failed };
        match program.functions[usize::from(frame.function)].ops.get(frame.pc as usize) {
            Some(Op::Cast { cast, .. }) => self.not_given(program, program.casts[usize::from(*cast)]).unwrap_or(failed),
            _ => failed,
        }
    }

    /// The same for an instruction that does not tell where it stands: `pc` is behind it.
    #[cold]
    pub(super) fn refused_at(&mut self, program: &Program, pc: usize, failed: Failed) -> Failed {
        self.frame().pc = pc as u32;
        self.refused_before(program, failed)
    }

    /// Values of documents are lists of a class of their own.
    #[cold]
    pub(super) fn told_of_documents(&self, value: &Value, mut failed: Failed) -> Failed {
        if let (Some(Data::DocValues(_)), Some(message)) = (value.data(), &mut failed.message) {
            let own = format!("[{}", registry().class(self.class_of(value)).name);
            *message = message.replacen("[java.util.List", &own, 1);
        }
        failed
    }

    /// What is said where no value that the member gives could be what is wanted of it.
    fn not_given(&self, program: &Program, cast: CastTo) -> Option<Failed> {
        let (found, given): (Option<(ClassId, &Method)>, &[Type]) = match cast.link {
            Link::Call(site) => {
                let at = usize::from(site);
                (self.sites[at], program.sites[at].given.as_deref().unwrap_or_default())
            }
            Link::Getter => (self.getter, &[]),
            Link::Field(field) => {
                let slot = self.fields[usize::from(field)].as_ref().map(|(slot, _)| *slot);
                let class = slot.zip(self.documents.as_ref()).map(|(slot, documents)| documents.class(slot));
                (class.and_then(|class| Some((class, registry().getter(class, "value")?))), &[])
            }
            Link::Item | Link::Operator(..) | Link::None => (None, &[]),
        };
        let (class, method) = found.filter(|(_, method)| !converts(method.returns, cast.to))?;
        Some(not_joined(class, method, given, cast.to))
    }

    /// What is said of an index of a list or an array that could never be one: it would be looked at before it is used, and given
    /// back as what it was.
    pub(super) fn index_not_joined(&self, program: &Program, list: &Value) -> Option<Failed> {
        let frame = self.frames.last()?;
        let indexes = &program.functions[usize::from(frame.function)].indexes;
        let at = indexes.binary_search_by_key(&frame.pc.checked_sub(1)?, |(op, ..)| *op).ok()?;
        let given = indexes[at].1;
        if converts(given, Type::INT) && converts(Type::INT, given) {
            return None;
        }
        let takes = match list.data() {
            Some(Data::Array(array)) => simple(array.borrow().element_type()) + "[]",
            _ => "List".to_owned(),
        };
        let given = simple(given);
        let what = format!("cannot convert MethodHandle({takes},int)int to (Object,{given}){given}");
        Some(throw("WrongMethodTypeException", what))
    }

    /// An argument is not what the parameter wants.
    #[cold]
    pub(super) fn taken_otherwise(
        &self,
        program: &Program,
        site: u16,
        (class, method): (ClassId, &Method),
        value: &Value,
        to: Type,
    ) -> Failed {
        let site = &program.sites[usize::from(site)];
        // Numbers in their boxes are cast rather than joined.
        if to.unboxed().is_some_and(|own| own != Type::BOOL) && !value.is_null() {
            let what = format!("cannot implicitly cast def [{}] to {}", unboxed_name(value), to.java_name());
            return throw("ClassCastException", what);
        }
        match &site.given {
            Some(given) if given.iter().zip(&method.params).any(|(from, to)| !converts(*from, *to)) => {
                not_joined(class, method, given, site.wanted)
            }
            _ => unfit(value, to),
        }
    }
}

/// What an operator makes of operands of the types `a` and `b` is not of the type that is wanted: it is joined to the one for the kind
/// of number that it calculates with, which gives no other.
fn computed_otherwise(value: &Value, to: Type, a: Type, b: Option<Type>) -> Failed {
    let Some(own) = Type::class(value.class()).unboxed().filter(|_| value.data().is_none()) else {
        return unfit(value, to);
    };
    let shown = match to {
        _ if to.is_primitive() => to.name(),
        _ if to.dims == 0 && is_interface(to.class_id()) => format!("interface {}", to.java_name()),
        _ => format!("class {}", to.java_name()),
    };
    let (own, wanted) = (own.name(), simple(to));
    let (takes, given) = match b {
        Some(b) => (format!("{own},{own}"), format!("{},{}", simple(a), simple(b))),
        None => (own.clone(), simple(a)),
    };
    let cause = format!("cannot convert MethodHandle({takes}){own} to ({given}){wanted}");
    throw("ClassCastException", format!("Cannot cast from: {own} to {shown}"))
        .made_by(*throw("WrongMethodTypeException", cause))
}

fn not_joined(class: ClassId, method: &Method, given: &[Type], wanted: Type) -> Failed {
    let list = |first: String, types: &[Type]| types.iter().fold(first, |text, of| text + "," + &simple(*of));
    let takes = list(declared_by(class, method), &method.params);
    let (returns, given, wanted) = (simple(method.returns), list("Object".to_owned(), given), simple(wanted));
    throw("WrongMethodTypeException", format!("cannot convert MethodHandle({takes}){returns} to ({given}){wanted}"))
}

/// A value that is not of a type, where types alone did not tell.
fn unfit(value: &Value, to: Type) -> Failed {
    if value.is_null() {
        let own = match to {
            Type::BOOL | Type::CHAR => Type::INT.name(),
            to => to.name(),
        };
        let what = format!(
            "Cannot invoke \"java.lang.Number.{own}Value()\" because the return value of \"sun.invoke.util.ValueConversions.primitiveConversion(sun.invoke.util.Wrapper, Object, boolean)\" is null"
        );
        return throw("NullPointerException", what);
    }
    let class = value.java_class();
    let boxed = registry().class(to.class_id()).name;
    let number = as_double(value).is_some() || matches!(value, Value::Bool(_) | Value::Char(_));
    if to.is_primitive() && !number {
        return no_cast(&class, "java.lang.Number");
    }
    let to = if to.is_primitive() { boxed.to_owned() } else { to.java_name() };
    throw("ClassCastException", format!("Cannot cast {class} to {to}"))
}

/// Rows that classes share because they have an interface in common, which declares what is in them.
const OF_INTERFACES: &[(&str, &str)] =
    &[("AmountMoreBase", "TemporalAmount"), ("FieldMoreBase", "TemporalField"), ("UnitMoreBase", "TemporalUnit")];

/// The class that declares a member, as far as scripts know: rows that classes share belong to none of them.
fn declared_by(class: ClassId, method: &Method) -> String {
    let own = registry().class(method.class).simple;
    if let Some((_, name)) = OF_INTERFACES.iter().find(|(rows, _)| *rows == own) {
        return (*name).to_owned();
    }
    // What every object has stands in the class of a value before any of the interfaces that declare it anew.
    if matches!(method.name, "equals" | "hashCode" | "toString") && is_interface(method.class) {
        return "Object".to_owned();
    }
    innermost(if is_shared_rows(own) { class } else { method.class })
}

/// The name of a class without those of the classes that it stands in.
fn innermost(class: ClassId) -> String {
    let simple = registry().class(class).simple;
    simple.rsplit('.').next().unwrap_or(simple).to_owned()
}

fn simple(of: Type) -> String {
    let base = match of.base {
        Base::Def => "Object".to_owned(),
        Base::Class(id) => innermost(id),
        _ => Type { dims: 0, ..of }.name(),
    };
    base + &"[]".repeat(usize::from(of.dims))
}

/// Whether a value of the one type may be one of the other, as `MethodHandle.asType` has it.
fn converts(from: Type, to: Type) -> bool {
    let any = |of: Type| of.is_def() || of == Type::OBJECT || of.base == Base::Void;
    let subclass = |of: ClassId, wanted: Type| wanted.dims == 0 && registry().is_subclass(of, wanted.class_id());
    if from == to || any(from) || any(to) {
        return true;
    }
    match (from.is_primitive(), to.is_primitive()) {
        (true, true) => widens(from, to),
        (true, false) => subclass(from.class_id(), to),
        (false, true) => {
            subclass(to.class_id(), from) || from.unboxed().is_some_and(|own| own == to || widens(own, to))
        }
        (false, false) => true,
    }
}

fn widens(from: Type, to: Type) -> bool {
    let rank = |of: Type| match of.base {
        Base::Byte => Some(1),
        Base::Short | Base::Char => Some(2),
        Base::Int => Some(3),
        Base::Long => Some(4),
        Base::Float => Some(5),
        Base::Double => Some(6),
        _ => None,
    };
    rank(from).zip(rank(to)).is_some_and(|(from, to)| from < to) && to != Type::CHAR
}
