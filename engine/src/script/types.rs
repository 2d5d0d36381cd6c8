//! Static types, and which casts between them are legal.

use super::class::{ClassId, class, registry};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    Void,
    Bool,
    Byte,
    Short,
    Char,
    Int,
    Long,
    Float,
    Double,
    Def,
    Class(ClassId),
}

/// A type: an element type and how many dimensions of arrays around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Type {
    pub base: Base,
    pub dims: u8,
}

impl Type {
    pub const VOID: Type = Type::of(Base::Void);
    pub const BOOL: Type = Type::of(Base::Bool);
    pub const BYTE: Type = Type::of(Base::Byte);
    pub const SHORT: Type = Type::of(Base::Short);
    pub const CHAR: Type = Type::of(Base::Char);
    pub const INT: Type = Type::of(Base::Int);
    pub const LONG: Type = Type::of(Base::Long);
    pub const FLOAT: Type = Type::of(Base::Float);
    pub const DOUBLE: Type = Type::of(Base::Double);
    pub const DEF: Type = Type::of(Base::Def);
    pub const OBJECT: Type = Type::class(class::OBJECT);
    pub const STRING: Type = Type::class(class::STRING);

    pub const fn of(base: Base) -> Self {
        Self { base, dims: 0 }
    }

    pub const fn class(id: ClassId) -> Self {
        Self::of(Base::Class(id))
    }

    pub fn is_def(self) -> bool {
        self == Self::DEF
    }

    pub fn is_primitive(self) -> bool {
        self.dims == 0 && !matches!(self.base, Base::Def | Base::Class(_) | Base::Void)
    }

    /// A primitive that can be calculated with.
    pub fn is_numeric(self) -> bool {
        self.is_primitive() && self != Self::BOOL
    }

    /// What stands in an array of this type.
    pub fn element(self) -> Self {
        Self { base: self.base, dims: self.dims.saturating_sub(1) }
    }

    /// The class whose members values of this type have.
    pub fn class_id(self) -> ClassId {
        match self.base {
            _ if self.dims > 0 => class::OBJECT,
            Base::Class(id) => id,
            Base::Bool => class::BOOLEAN,
            Base::Byte => class::BYTE,
            Base::Short => class::SHORT,
            Base::Char => class::CHARACTER,
            Base::Int => class::INTEGER,
            Base::Long => class::LONG,
            Base::Float => class::FLOAT,
            Base::Double => class::DOUBLE,
            Base::Def | Base::Void => class::OBJECT,
        }
    }

    /// The primitive that a class is the box of.
    pub fn unboxed(self) -> Option<Self> {
        let Base::Class(id) = self.base else { return None };
        if self.dims > 0 {
            return None;
        }
        Some(match id {
            class::BOOLEAN => Self::BOOL,
            class::BYTE => Self::BYTE,
            class::SHORT => Self::SHORT,
            class::CHARACTER => Self::CHAR,
            class::INTEGER => Self::INT,
            class::LONG => Self::LONG,
            class::FLOAT => Self::FLOAT,
            class::DOUBLE => Self::DOUBLE,
            _ => return None,
        })
    }

    /// The name that messages give.
    pub fn name(self) -> String {
        let base = match self.base {
            Base::Void => "void",
            Base::Bool => "boolean",
            Base::Byte => "byte",
            Base::Short => "short",
            Base::Char => "char",
            Base::Int => "int",
            Base::Long => "long",
            Base::Float => "float",
            Base::Double => "double",
            Base::Def => "def",
            Base::Class(id) => registry().class(id).name,
        };
        format!("{base}{}", "[]".repeat(usize::from(self.dims)))
    }

    /// The name that `java.lang.Class` gives: arrays by their codes.
    pub fn java_name(self) -> String {
        match self.dims {
            0 => self.name(),
            _ => format!("[{}", super::lib::array_code(self.element())),
        }
    }

    /// What `java.lang.Class` shows of itself.
    pub fn java_text(self) -> String {
        let kind = match self.base {
            _ if self.is_primitive() || self == Self::VOID => return self.name(),
            Base::Class(id) if self.dims == 0 && is_interface(id) => "interface",
            _ => "class",
        };
        format!(
            "{kind} {}",
            if self.is_def() { "org.opensearch.painless.lookup.def".to_owned() } else { self.java_name() }
        )
    }

    /// The type of a name as scripts write it.
    pub fn named(name: &str, dims: u8) -> Option<Self> {
        let base = match name {
            "void" => Base::Void,
            "boolean" => Base::Bool,
            "byte" => Base::Byte,
            "short" => Base::Short,
            "char" => Base::Char,
            "int" => Base::Int,
            "long" => Base::Long,
            "float" => Base::Float,
            "double" => Base::Double,
            "def" => Base::Def,
            _ => Base::Class(registry().find(name)?),
        };
        Some(Self { base, dims })
    }

    /// Whether every value of this type is one of `other`.
    pub fn is_subtype(self, other: Self) -> bool {
        if self == other || other == Self::OBJECT {
            return !self.is_primitive();
        }
        match (self.base, other.base) {
            (Base::Class(a), Base::Class(b)) if self.dims == 0 && other.dims == 0 => registry().is_subclass(a, b),
            // Arrays of anything but primitives are arrays of objects.
            _ if other.dims == 1 && other.element() == Self::OBJECT => {
                self.dims > 1 || self.dims == 1 && !self.element().is_primitive()
            }
            _ => false,
        }
    }
}

/// How widening goes: a numeric primitive fits all that stand behind it.
fn widens(from: Base, to: Base) -> bool {
    let rank = |base| match base {
        Base::Byte => 1,
        Base::Short => 2,
        Base::Int => 3,
        Base::Long => 4,
        Base::Float => 5,
        Base::Double => 6,
        _ => 0,
    };
    match (from, to) {
        (Base::Char, _) => rank(to) >= 3,
        (_, Base::Char) => false,
        _ => rank(from) > 0 && rank(from) < rank(to),
    }
}

/// How a value gets from one type to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Legal {
    /// Nothing to be done.
    Same,
    /// A conversion of numbers, or a check of the class, at run time.
    Convert,
}

/// Whether a cast is allowed. `explicit` ones may lose something; `internal` ones (arguments, collections) box.
pub fn legal_cast(from: Type, to: Type, explicit: bool, internal: bool) -> Option<Legal> {
    if from == to {
        return Some(Legal::Same);
    }
    if from == Type::VOID || to == Type::VOID {
        return None;
    }
    if to.is_def() {
        return Some(Legal::Same);
    }
    if from.is_def() {
        return Some(if to == Type::OBJECT { Legal::Same } else { Legal::Convert });
    }
    if from.is_primitive() && to.is_primitive() {
        if from == Type::BOOL || to == Type::BOOL {
            return None;
        }
        return (widens(from.base, to.base) || explicit).then_some(Legal::Convert);
    }
    if explicit && to == Type::STRING && (from == Type::CHAR || from.unboxed() == Some(Type::CHAR)) {
        return Some(Legal::Convert);
    }
    if from.is_primitive() {
        // A box of its own or of what it widens to, or something all boxes are.
        if let Some(unboxed) = to.unboxed() {
            return (internal && (unboxed == from || widens(from.base, unboxed.base))).then_some(Legal::Convert);
        }
        if internal && from == Type::CHAR && to == Type::class(class::NUMBER) {
            // Allowed, and never right.
            return Some(Legal::Convert);
        }
        return (internal && Type::class(from.class_id()).is_subtype(to)).then_some(Legal::Same);
    }
    if to.is_primitive() {
        if let Some(unboxed) = from.unboxed() {
            return (internal && (unboxed == to || widens(unboxed.base, to.base))).then_some(Legal::Convert);
        }
        if explicit && to == Type::CHAR && from == Type::STRING {
            return Some(Legal::Convert);
        }
        return (explicit && internal && matches!(from, Type::OBJECT)).then_some(Legal::Convert);
    }
    if let (Some(a), Some(b)) = (from.unboxed(), to.unboxed()) {
        return (internal && widens(a.base, b.base)).then_some(Legal::Convert);
    }
    if from.is_subtype(to) {
        return Some(Legal::Same);
    }
    (to.is_subtype(from) && explicit).then_some(Legal::Convert)
}

/// The type that two operands are calculated in, if one of them is a number: the other then has to become one. `Def` if either is.
pub fn promoted(a: Type, b: Type, decimals: bool) -> Option<Type> {
    let has = |t| a == t || b == t;
    if has(Type::DEF) {
        return Some(Type::DEF);
    }
    let wide = [Type::DOUBLE, Type::FLOAT].into_iter().filter(|_| decimals).chain([Type::LONG]).find(|t| has(*t));
    let narrow = [Type::INT, Type::SHORT, Type::CHAR, Type::BYTE].into_iter().any(has).then_some(Type::INT);
    wide.or(narrow)
}

/// What Java calls an interface, of what values are declared to be.
const INTERFACES: &[&str] = &[
    "CharSequence",
    "ChronoLocalDate",
    "ChronoLocalDateTime",
    "ChronoPeriod",
    "ChronoZonedDateTime",
    "Collection",
    "Comparable",
    "Deque",
    "Iterable",
    "Iterator",
    "List",
    "ListIterator",
    "Map",
    "Map.Entry",
    "NavigableMap",
    "NavigableSet",
    "Queue",
    "Set",
    "SortedMap",
    "SortedSet",
];

/// Whether Java calls a class an interface.
pub fn is_interface(id: ClassId) -> bool {
    let class = registry().class(id);
    class.functional.is_some() || INTERFACES.contains(&class.simple)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn casts_as_in_the_reference() {
        let cast = |a, b, explicit| legal_cast(a, b, explicit, false);
        assert_eq!(cast(Type::INT, Type::LONG, false), Some(Legal::Convert));
        assert_eq!(cast(Type::LONG, Type::INT, false), None);
        assert_eq!(cast(Type::LONG, Type::INT, true), Some(Legal::Convert));
        assert_eq!(cast(Type::INT, Type::OBJECT, false), None);
        assert_eq!(cast(Type::INT, Type::class(class::INTEGER), false), None);
        assert_eq!(legal_cast(Type::INT, Type::OBJECT, false, true), Some(Legal::Same));
        assert_eq!(cast(Type::STRING, Type::INT, true), None);
        assert_eq!(cast(Type::CHAR, Type::INT, false), Some(Legal::Convert));
        assert_eq!(cast(Type::INT, Type::CHAR, false), None);
    }
}
