//! The classes that scripts know: names, supertypes, members. Rows come from `lib`, a file per class; the registry is built
//! from them once and never changes.

use super::error::Outcome;
use super::lib;
use super::types::Type;
use super::value::Value;
use super::vm::Vm;
use ahash::AHashMap;
use std::sync::OnceLock;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClassId(pub u16);

/// A member written in Rust. Methods of objects get the object as first argument.
pub type Native = fn(&mut Vm, &[Value]) -> Outcome;

/// A member: its declaration in Java's notation, and what it does.
///
/// `int length()`, `static int parseInt(String)`, `new(String)`, `static double PI`, `int offset`. What Java does not have
/// begins with `augmented`.
pub struct Row(pub &'static str, pub Native);

pub struct ClassRow {
    pub name: &'static str,
    /// Simple names of direct supertypes; `Object` needs no mention.
    pub supers: &'static [&'static str],
    pub rows: &'static [Row],
    /// Whether lambdas may stand for it: its first row is then what they implement.
    pub functional: bool,
}

impl ClassRow {
    pub const fn new(name: &'static str, supers: &'static [&'static str], rows: &'static [Row]) -> Self {
        Self { name, supers, rows, functional: false }
    }
}

#[derive(Debug)]
pub struct Method {
    pub name: &'static str,
    pub class: ClassId,
    pub params: Vec<Type>,
    pub returns: Type,
    pub run: Native,
    /// Whether scripts have it and Java has not.
    pub augmented: bool,
}

pub struct Class {
    pub name: &'static str,
    pub simple: &'static str,
    /// All supertypes, itself first.
    supers: Vec<ClassId>,
    methods: AHashMap<(&'static str, usize), &'static Method>,
    statics: AHashMap<(&'static str, usize), &'static Method>,
    constructors: AHashMap<usize, &'static Method>,
    fields: AHashMap<&'static str, &'static Method>,
    constants: AHashMap<&'static str, &'static Method>,
    pub functional: Option<&'static Method>,
}

macro_rules! known {
    ($($id:ident = $name:literal),* $(,)?) => {
        /// Classes that the compiler and the machine know by themselves. They are the first rows, in this order.
        #[allow(clippy::module_inception, reason = "class::STRING reads best")]
        pub mod class {
            use super::ClassId;
            #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "they stand for the constants below")]
            enum At { $($id),* }
            $(pub const $id: ClassId = ClassId(At::$id as u16);)*
            pub const NAMES: &[&str] = &[$($name),*];
        }
    };
}

known! {
    OBJECT = "Object", STRING = "String", BOOLEAN = "Boolean", BYTE = "Byte", SHORT = "Short", CHARACTER = "Character",
    INTEGER = "Integer", LONG = "Long", FLOAT = "Float", DOUBLE = "Double", NUMBER = "Number", LIST = "List",
    ARRAY_LIST = "ArrayList", MAP = "Map", HASH_MAP = "HashMap", ITERATOR = "Iterator", ITERABLE = "Iterable",
    PATTERN = "Pattern", MATCHER = "Matcher", EXCEPTION = "Exception", ZONED = "ZonedDateTime",
}

impl Class {
    /// All supertypes, itself first.
    pub fn supers(&self) -> &[ClassId] {
        &self.supers
    }

    /// Methods, those of the supertypes among them.
    pub fn methods(&self) -> impl Iterator<Item = &'static Method> {
        self.methods.values().copied()
    }

    pub fn statics(&self) -> impl Iterator<Item = &'static Method> {
        self.statics.values().copied()
    }

    pub fn constructors(&self) -> impl Iterator<Item = &'static Method> {
        self.constructors.values().copied()
    }

    pub fn fields(&self) -> impl Iterator<Item = &'static Method> {
        self.fields.values().copied()
    }

    pub fn constants(&self) -> impl Iterator<Item = &'static Method> {
        self.constants.values().copied()
    }
}

/// Whether a class only holds rows that files or classes share: no script can name it.
pub fn is_shared_rows(name: &str) -> bool {
    name.ends_with("Base") || name.ends_with("ByName")
}

/// Classes of what scripts are given or is thrown at them, and that they cannot name.
const NAMELESS: &[&str] = &[
    "AggregationExecutionException",
    "DerivedFieldScript",
    "IllegalFormatArgumentIndexException",
    "OutOfMemoryError",
    "PainlessError",
    "PainlessExplainError",
    "PatternSyntaxException",
    "ScoreFunctions",
    "ScriptHeuristic.LongAccessor",
    "StackOverflowError",
    "Throwable",
    "WrongMethodTypeException",
];

/// Whether scripts of a context can name a class.
pub fn is_nameable(class: &Class, context: &str) -> bool {
    match class.simple {
        "MovingFunctions" => context == "moving-function",
        "Processors" => context == "ingest",
        "AnalysisPredicateScript.Token" => context == "analysis",
        simple => !is_shared_rows(simple) && !NAMELESS.contains(&simple),
    }
}

pub struct Registry {
    classes: Vec<Class>,
    by_name: AHashMap<&'static str, ClassId>,
}

impl Registry {
    pub fn class(&self, id: ClassId) -> &Class {
        &self.classes[usize::from(id.0)]
    }

    pub fn ids(&self) -> impl Iterator<Item = ClassId> {
        (0..self.classes.len()).map(|i| ClassId(i as u16))
    }

    /// By simple or full name.
    pub fn find(&self, name: &str) -> Option<ClassId> {
        self.by_name.get(name).copied()
    }

    pub fn is_subclass(&self, class: ClassId, of: ClassId) -> bool {
        self.class(class).supers.contains(&of)
    }

    pub fn method(&self, class: ClassId, name: &str, arity: usize) -> Option<&'static Method> {
        lookup(&self.class(class).methods, name, arity)
    }

    pub fn static_method(&self, class: ClassId, name: &str, arity: usize) -> Option<&'static Method> {
        lookup(&self.class(class).statics, name, arity)
    }

    pub fn constructor(&self, class: ClassId, arity: usize) -> Option<&'static Method> {
        self.class(class).constructors.get(&arity).copied()
    }

    pub fn field(&self, class: ClassId, name: &str) -> Option<&'static Method> {
        self.class(class).fields.get(name).copied()
    }

    pub fn constant(&self, class: ClassId, name: &str) -> Option<&'static Method> {
        self.class(class).constants.get(name).copied()
    }

    /// The method that reads a property: `getName`, or `isName`.
    pub fn getter(&self, class: ClassId, name: &str) -> Option<&'static Method> {
        let upper = capitalized(name);
        let get = self.method(class, &format!("get{upper}"), 0);
        get.or_else(|| self.method(class, &format!("is{upper}"), 0))
    }

    pub fn setter(&self, class: ClassId, name: &str) -> Option<&'static Method> {
        self.method(class, &format!("set{}", capitalized(name)), 1)
    }
}

fn capitalized(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

fn lookup<'m>(
    of: &'m AHashMap<(&'static str, usize), &'static Method>,
    name: &str,
    arity: usize,
) -> Option<&'static Method> {
    // The key's name only has to live as long as the look-up, which the map's type cannot say.
    let of: &'m AHashMap<(&str, usize), &'static Method> = of;
    of.get(&(name, arity)).copied()
}

/// The classes, built at first use.
pub fn registry() -> &'static Registry {
    static REGISTRY: OnceLock<Registry> = OnceLock::new();
    REGISTRY.get_or_init(build)
}

fn build() -> Registry {
    let mut rows: Vec<&'static ClassRow> = lib::CLASSES.iter().flat_map(|file| file.iter()).collect();
    rows.sort_by_key(|row| class::NAMES.iter().position(|n| *n == simple(row.name)).unwrap_or(usize::MAX));
    let mut by_name = AHashMap::new();
    for (i, row) in rows.iter().enumerate() {
        by_name.insert(row.name, ClassId(i as u16));
        by_name.insert(simple(row.name), ClassId(i as u16));
    }
    let empty = |row: &&'static ClassRow| Class {
        name: row.name,
        simple: simple(row.name),
        supers: vec![],
        methods: AHashMap::new(),
        statics: AHashMap::new(),
        constructors: AHashMap::new(),
        fields: AHashMap::new(),
        constants: AHashMap::new(),
        functional: None,
    };
    let mut registry = Registry { classes: rows.iter().map(empty).collect(), by_name };
    for (i, row) in rows.iter().enumerate() {
        let mut supers = vec![ClassId(i as u16)];
        collect_supers(&rows, &registry.by_name, row, &mut supers);
        supers.retain(|s| *s != class::OBJECT || i == 0);
        if i != 0 {
            supers.push(class::OBJECT);
        }
        registry.classes[i].supers = supers;
    }
    for (i, row) in rows.iter().enumerate() {
        own_members(&mut registry, ClassId(i as u16), row);
    }
    inherit(&mut registry);
    registry
}

fn simple(name: &'static str) -> &'static str {
    let at = name.split('.').take_while(|part| part.starts_with(|c: char| c.is_lowercase())).map(|p| p.len() + 1).sum();
    name.get(at..).unwrap_or(name)
}

fn collect_supers(
    rows: &[&'static ClassRow],
    names: &AHashMap<&'static str, ClassId>,
    row: &ClassRow,
    out: &mut Vec<ClassId>,
) {
    for name in row.supers {
        let id = *names.get(name).unwrap_or_else(|| panic!("{}: no class {name}", row.name));
        if !out.contains(&id) {
            out.push(id);
            collect_supers(rows, names, rows[usize::from(id.0)], out);
        }
    }
}

/// Reads the rows of a class. A row that cannot be read is a mistake of ours, which the first use of any test shows.
fn own_members(registry: &mut Registry, id: ClassId, row: &'static ClassRow) {
    for (i, Row(text, run)) in row.rows.iter().enumerate() {
        let (augmented, text) = text.strip_prefix("augmented ").map_or((false, *text), |rest| (true, rest));
        let (is_static, text) = text.strip_prefix("static ").map_or((false, text), |rest| (true, rest));
        let (head, params) = match text.split_once('(') {
            Some((head, params)) => (head, Some(params.trim_end_matches(')'))),
            None => (text, None),
        };
        let (returns, name) = head.rsplit_once(' ').unwrap_or(("void", head));
        let parsed =
            params.unwrap_or("").split(',').filter(|p| !p.is_empty()).map(|p| parse_type(registry, p, row.name));
        let method: &'static Method = Box::leak(Box::new(Method {
            name,
            class: id,
            params: parsed.collect(),
            returns: parse_type(registry, returns, row.name),
            run: *run,
            augmented,
        }));
        let class = &mut registry.classes[usize::from(id.0)];
        let arity = method.params.len();
        match (params, is_static) {
            (Some(_), _) if name == "new" => drop(class.constructors.insert(arity, method)),
            (Some(_), true) => drop(class.statics.insert((name, arity), method)),
            (Some(_), false) => drop(class.methods.insert((name, arity), method)),
            (None, true) => drop(class.constants.insert(name, method)),
            (None, false) => drop(class.fields.insert(name, method)),
        }
        if row.functional && i == 0 {
            class.functional = Some(method);
        }
    }
}

fn parse_type(registry: &Registry, text: &str, of: &str) -> Type {
    let name = text.trim().trim_end_matches("[]");
    let dims = ((text.trim().len() - name.len()) / 2) as u8;
    match name {
        "void" => Type::VOID,
        "boolean" => Type { dims, ..Type::BOOL },
        "byte" => Type { dims, ..Type::BYTE },
        "short" => Type { dims, ..Type::SHORT },
        "char" => Type { dims, ..Type::CHAR },
        "int" => Type { dims, ..Type::INT },
        "long" => Type { dims, ..Type::LONG },
        "float" => Type { dims, ..Type::FLOAT },
        "double" => Type { dims, ..Type::DOUBLE },
        "def" => Type { dims, ..Type::DEF },
        _ => {
            let id = registry.by_name.get(name).unwrap_or_else(|| panic!("{of}: no class {name}"));
            Type { dims, ..Type::class(*id) }
        }
    }
}

fn inherit(registry: &mut Registry) {
    for i in 0..registry.classes.len() {
        for super_id in registry.classes[i].supers.clone().into_iter().skip(1) {
            let from = &registry.classes[usize::from(super_id.0)];
            let own = |m: &&'static Method| m.class == super_id;
            let methods: Vec<_> = from.methods.iter().filter(|(_, m)| own(m)).map(|(k, m)| (*k, *m)).collect();
            let fields: Vec<_> = from.fields.iter().filter(|(_, m)| own(m)).map(|(k, m)| (*k, *m)).collect();
            let (functional, above) = (from.functional, from.supers.clone());
            // Rows that several files share stand in bases of their own, which no script can name; static ones too.
            let shared = |m: &&'static Method| is_shared_rows(from.name) && own(m);
            let statics: Vec<_> = from.statics.iter().filter(|(_, m)| shared(m)).map(|(k, m)| (*k, *m)).collect();
            let constants: Vec<_> = from.constants.iter().filter(|(_, m)| shared(m)).map(|(k, m)| (*k, *m)).collect();
            let class = &mut registry.classes[i];
            for (key, method) in statics {
                class.statics.entry(key).or_insert(method);
            }
            for (key, constant) in constants {
                class.constants.entry(key).or_insert(constant);
            }
            // What a class overrides counts, even where another way up leads to the overridden one first.
            for (key, method) in methods {
                let known = class.methods.entry(key).or_insert(method);
                if above.contains(&known.class) {
                    *known = method;
                }
            }
            for (key, field) in fields {
                class.fields.entry(key).or_insert(field);
            }
            class.functional = class.functional.or(functional);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_classes_come_first_and_members_are_inherited() {
        for (i, name) in class::NAMES.iter().enumerate() {
            assert_eq!(registry().find(name), Some(ClassId(i as u16)), "{name}");
        }
        assert!(registry().method(class::STRING, "length", 0).is_some());
        assert!(registry().method(class::ARRAY_LIST, "hashCode", 0).is_some());
        assert!(registry().is_subclass(class::ARRAY_LIST, class::ITERABLE));
        assert_eq!(registry().method(class::ARRAY_LIST, "remove", 1).map(|method| method.returns), Some(Type::DEF));
        assert_eq!(registry().find("java.util.Map.Entry"), registry().find("Map.Entry"));
    }
}
