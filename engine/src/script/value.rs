//! Values of a running script. Primitives stand in the value itself; everything else is a counted reference into the heap
//! of the machine.

use super::big::Big;
use super::class::{ClassId, class, registry};
use super::decimal::{Decimal, MathContext};
use super::lib::{
    Bits, Calendar, Collector, Comparing, DateFormat, NumberFormat, Random, Stream, Summary, Symbols, Temporal,
    Tokenizer,
};
use super::text::Text;
use indexmap::IndexMap;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

/// A regular expression in Java's syntax.
#[derive(Debug)]
pub struct Regex(pub(super) crate::java_regex::JavaRegex);

#[derive(Clone, Debug, Default)]
pub enum Value {
    #[default]
    Null,
    Bool(bool),
    Byte(i8),
    Short(i16),
    Char(u16),
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    Str(Rc<Text>),
    Obj(Rc<Obj>),
}

/// An object. Those that hold other values are owned by the heap too, which takes them apart without recursion.
#[derive(Debug)]
pub struct Obj {
    pub data: Data,
    pub marked: Cell<bool>,
}

#[derive(Debug)]
pub enum Data {
    List(RefCell<List>),
    Map(RefCell<Map>),
    /// A heap, and the comparator that orders it, or null.
    Queue(RefCell<List>, Value),
    /// A set is the keys of a map.
    Set(RefCell<Map>),
    /// Keys, values or entries of a map, seen through it.
    MapView(Value, View),
    Array(RefCell<Array>),
    Entry(Value, RefCell<Value>, Value),
    Iter(RefCell<Iter>),
    Closure(Closure),
    Comparator(Comparing),
    Collector(Collector),
    Stream(RefCell<Stream>),
    Summary(RefCell<Summary>),
    Optional(ClassId, RefCell<Option<Value>>),
    Builder(ClassId, RefCell<String>, Cell<Room>),
    Joiner(RefCell<Joiner>),
    Throwable(ClassId, Option<String>, Option<u32>, Box<[Value]>),
    Pattern(Arc<Regex>, Rc<Text>, i32),
    Matcher(RefCell<Matcher>),
    Temporal(Temporal),
    /// A constant of an enumeration, by its class, name and ordinal.
    Constant(ClassId, &'static str, i32),
    Uuid(u128),
    Bytes(Vec<u8>),
    GeoPoint(f64, f64),
    BigInteger(Big),
    /// What heuristics count: a number to operators, but none that could be cast.
    Counter(i64),
    BigDecimal(Box<Decimal>),
    BitSet(RefCell<Bits>),
    Tokenizer(RefCell<Tokenizer>),
    MathContext(MathContext),
    NumberFormat(Box<RefCell<NumberFormat>>),
    Symbols(RefCell<Symbols>),
    DateFormat(Box<RefCell<DateFormat>>),
    Calendar(Box<RefCell<Calendar>>),
    /// Milliseconds.
    Date(Cell<i64>),
    TimeZone(jiff::tz::TimeZone),
    /// Its language, country and variant, as `toString` has them.
    Locale(Box<str>),
    Random(Cell<Random>),
    /// The variable `doc`.
    Doc,
    /// The parameter `_fields`.
    Fields,
    /// An object of a class around a list of values, such as those that a document has stored of a field.
    Wrapped(ClassId, Value),
    /// A field's values of the current document, by the slot of the machine's columns.
    DocValues(u32),
    /// Something that only carries a class (encoders).
    Token(ClassId, &'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    Keys,
    Values,
    Entries,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListKind {
    Array,
    Linked,
    /// `ArrayDeque`: no list, so nothing has a place in it. It holds no null, and equals itself alone.
    Deque,
    Vector,
    Stack,
    /// `Arrays.asList`: the size stays.
    Fixed,
    Unmodifiable,
}

/// What is gone over in an order of its own: a list or a deque.
#[derive(Debug)]
pub struct List {
    pub kind: ListKind,
    pub items: Vec<Value>,
    /// Counts changes of the size, so that iterators notice.
    pub changes: u32,
    /// See [`Value::java_class`].
    pub own_class: Option<&'static str>,
}

impl List {
    /// Whether items are got at by their places.
    pub fn has_places(&self) -> bool {
        self.kind != ListKind::Deque
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapKind {
    Hash,
    Linked,
    Tree,
}

#[derive(Debug)]
pub struct Map {
    pub kind: MapKind,
    pub entries: IndexMap<Key, Value, ahash::RandomState>,
    /// The table size that Java's would have: it decides the order of a hash map.
    pub capacity: u32,
    pub frozen: bool,
    /// See [`Value::java_class`].
    pub own_class: Option<&'static str>,
    pub comparator: Option<Value>,
    pub changes: u32,
}

impl Map {
    /// The class of a view of it, where the view is none of another class's.
    fn view_class(&self, view: View) -> Option<&'static str> {
        if self.frozen {
            return None;
        }
        Some(match (self.kind, view) {
            (MapKind::Hash, View::Keys) => "java.util.HashMap$KeySet",
            (MapKind::Hash, View::Values) => "java.util.HashMap$Values",
            (MapKind::Hash, View::Entries) => "java.util.HashMap$EntrySet",
            (MapKind::Linked, View::Keys) => "java.util.LinkedHashMap$LinkedKeySet",
            (MapKind::Linked, View::Values) => "java.util.LinkedHashMap$LinkedValues",
            (MapKind::Linked, View::Entries) => "java.util.LinkedHashMap$LinkedEntrySet",
            (MapKind::Tree, View::Keys) => "java.util.TreeMap$KeySet",
            (MapKind::Tree, View::Values) => "java.util.TreeMap$Values",
            (MapKind::Tree, View::Entries) => "java.util.TreeMap$EntrySet",
        })
    }
}

/// A value as a key: equal and hashed as Java does.
#[derive(Clone, Debug)]
pub struct Key(pub Value);

#[derive(Clone, Debug)]
pub enum Array {
    Bool(Vec<bool>),
    Byte(Vec<i8>),
    Short(Vec<i16>),
    Char(Vec<u16>),
    Int(Vec<i32>),
    Long(Vec<i64>),
    Float(Vec<f32>),
    Double(Vec<f64>),
    Objects(super::types::Type, Vec<Value>),
}

#[derive(Debug)]
pub struct Iter {
    pub items: Vec<Value>,
    pub at: usize,
    /// Whether the item before `at` was given, and is still where it was.
    pub given: bool,
    /// What kind of iterator it is, if not one of any.
    pub class: Option<ClassId>,
    /// The collection, its count of changes, and where its removals go.
    pub of: Option<(Value, u32)>,
}

/// How many units the text of a builder has, and how many it has room for.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    pub units: usize,
    pub capacity: usize,
}

#[derive(Debug)]
pub struct Joiner {
    pub prefix: String,
    pub suffix: String,
    pub separator: String,
    pub parts: Vec<String>,
    /// What it is while nothing was added.
    pub empty: Option<String>,
}

impl Joiner {
    pub fn write(&self, out: &mut String) {
        match &self.empty {
            Some(empty) if self.parts.is_empty() => out.push_str(empty),
            _ => {
                out.push_str(&self.prefix);
                out.push_str(&self.parts.join(&self.separator));
                out.push_str(&self.suffix);
            }
        }
    }
}

#[derive(Debug)]
pub struct Matcher {
    pub pattern: Arc<Regex>,
    pub pattern_object: Value,
    pub text: Rc<Text>,
    /// Byte spans of the groups of the last match.
    pub groups: Vec<Option<(usize, usize)>>,
    /// Where the next search begins; past the end when there is none.
    pub from: usize,
    /// The bytes that are looked at, as if there were no others.
    pub region: (usize, usize),
    /// Whether its ends are said to be those of the text, and whether one is said to see beyond them.
    pub bounds: (bool, bool),
    /// Whether it has looked for anything yet.
    pub looked: bool,
}

/// What a lambda or method reference became.
#[derive(Debug)]
pub struct Closure {
    /// The functional interface, where it is known.
    pub interface: ClassId,
    pub target: Target,
    pub captured: Vec<Value>,
}

#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// A function of the script, by index.
    Script(u16),
    /// A method by name on whatever class the first argument has.
    Virtual(&'static super::class::Method),
    /// A method looked up by name when called.
    Named(u16),
    Static(&'static super::class::Method),
    /// A function written in Rust over captured values.
    Native(super::class::Native),
}

impl Value {
    pub fn text(text: impl Into<Box<str>>) -> Self {
        Self::Str(Text::new(text))
    }

    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    pub fn data(&self) -> Option<&Data> {
        match self {
            Self::Obj(obj) => Some(&obj.data),
            _ => None,
        }
    }

    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Str(text) => Some(text.as_str()),
            _ => None,
        }
    }

    /// Whether two references are the same object.
    pub fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Obj(a), Self::Obj(b)) => Rc::ptr_eq(a, b),
            (Self::Str(a), Self::Str(b)) => Rc::ptr_eq(a, b),
            (Self::Null, Self::Null) => true,
            _ => false,
        }
    }

    pub fn class(&self) -> ClassId {
        match self {
            Self::Null => class::OBJECT,
            Self::Bool(_) => class::BOOLEAN,
            Self::Byte(_) => class::BYTE,
            Self::Short(_) => class::SHORT,
            Self::Char(_) => class::CHARACTER,
            Self::Int(_) => class::INTEGER,
            Self::Long(_) => class::LONG,
            Self::Float(_) => class::FLOAT,
            Self::Double(_) => class::DOUBLE,
            Self::Str(_) => class::STRING,
            Self::Obj(obj) => obj.data.class(),
        }
    }

    /// The class as messages name it: boxes for primitives, arrays with brackets.
    pub fn class_name(&self) -> String {
        match self.data() {
            Some(Data::Array(array)) => array.borrow().element_type().name() + "[]",
            data => match data.and_then(Data::own_class) {
                // It stands within another one; what has no name is told by a word that begins so.
                Some(own) if !own.starts_with('$') => own.replace('$', "."),
                Some(own) => own.to_owned(),
                None => registry().class(self.class()).name.to_owned(),
            },
        }
    }

    /// The class as Java's own messages name it: arrays by their codes, and of collections it is often one that scripts cannot name.
    pub fn java_class(&self) -> String {
        match self.data() {
            Some(Data::Array(array)) => format!("[{}", super::lib::array_code(array.borrow().element_type())),
            data => match data.and_then(Data::own_class) {
                Some(own) => own.to_owned(),
                None => self.class_name(),
            },
        }
    }
}

impl Data {
    /// Objects that hold no other values need no care when they go.
    pub fn is_leaf(&self) -> bool {
        match self {
            Data::Array(array) => !matches!(&*array.borrow(), Array::Objects(..)),
            Data::List(_) | Data::Map(_) | Data::Set(_) | Data::MapView(..) | Data::Entry(..) | Data::Iter(_) => false,
            Data::Closure(_) | Data::Comparator(_) | Data::Collector(_) | Data::Stream(_) | Data::Optional(..) => false,
            Data::Queue(..) | Data::Wrapped(..) => false,
            _ => true,
        }
    }

    /// See [`Value::java_class`].
    fn own_class(&self) -> Option<&'static str> {
        match self {
            Data::List(list) => list.borrow().own_class,
            Data::Map(map) | Data::Set(map) => map.borrow().own_class,
            Data::MapView(map, view) => match map.data() {
                Some(Data::Map(map)) => map.borrow().view_class(*view),
                _ => None,
            },
            Data::Iter(iter) if iter.borrow().class.is_none() => Some("java.util.ArrayList$Itr"),
            Data::Stream(stream) => stream.borrow().own_class(),
            _ => None,
        }
    }

    pub fn class(&self) -> ClassId {
        let named = |name| registry().find(name).unwrap_or(class::OBJECT);
        match self {
            Data::List(list) => match list.borrow().kind {
                ListKind::Array | ListKind::Fixed => class::ARRAY_LIST,
                ListKind::Linked => named("LinkedList"),
                ListKind::Deque => named("ArrayDeque"),
                ListKind::Vector => named("Vector"),
                ListKind::Stack => named("Stack"),
                ListKind::Unmodifiable => class::LIST,
            },
            Data::Map(map) => {
                let map = map.borrow();
                match map.kind {
                    _ if map.frozen => class::MAP,
                    MapKind::Hash => class::HASH_MAP,
                    MapKind::Linked => named("LinkedHashMap"),
                    MapKind::Tree => named("TreeMap"),
                }
            }
            Data::Set(map) => {
                let map = map.borrow();
                match map.kind {
                    _ if map.frozen => named("Set"),
                    MapKind::Hash => named("HashSet"),
                    MapKind::Linked => named("LinkedHashSet"),
                    MapKind::Tree => named("TreeSet"),
                }
            }
            Data::Queue(..) => named("PriorityQueue"),
            Data::MapView(_, View::Values) => named("Collection"),
            Data::MapView(..) => named("Set"),
            Data::Entry(..) => named("Map.Entry"),
            Data::Iter(iter) => iter.borrow().class.unwrap_or(class::ITERATOR),
            Data::Closure(closure) => closure.interface,
            Data::Comparator(_) => named("Comparator"),
            Data::Collector(_) => named("Collector"),
            Data::Stream(stream) => stream.borrow().class(),
            Data::Summary(summary) => summary.borrow().class(),
            Data::Optional(class, _) | Data::Builder(class, ..) => *class,
            Data::Throwable(class, ..) | Data::Constant(class, ..) | Data::Token(class, _) => *class,
            Data::Wrapped(class, _) => *class,
            Data::Joiner(_) => named("StringJoiner"),
            Data::Pattern(..) => class::PATTERN,
            Data::Matcher(_) => class::MATCHER,
            Data::Temporal(temporal) => temporal.class(),
            Data::Uuid(_) => named("UUID"),
            Data::Bytes(_) => named("BytesRef"),
            Data::GeoPoint(..) => named("GeoPoint"),
            Data::BigInteger(_) => named("BigInteger"),
            Data::Counter(_) => named("ScriptHeuristic.LongAccessor"),
            Data::BigDecimal(_) => named("BigDecimal"),
            Data::BitSet(_) => named("BitSet"),
            Data::Tokenizer(_) => named("StringTokenizer"),
            Data::MathContext(_) => named("MathContext"),
            Data::NumberFormat(_) => named("DecimalFormat"),
            Data::Symbols(_) => named("DecimalFormatSymbols"),
            Data::DateFormat(_) => named("SimpleDateFormat"),
            Data::Calendar(_) => named("GregorianCalendar"),
            Data::Date(_) => named("Date"),
            Data::TimeZone(_) => named("TimeZone"),
            Data::Locale(_) => named("Locale"),
            Data::Random(_) => named("Random"),
            Data::Doc | Data::Fields => class::MAP,
            Data::DocValues(_) => class::LIST,
            Data::Array(_) => class::OBJECT,
        }
    }
}

impl Array {
    pub fn len(&self) -> usize {
        match self {
            Self::Bool(v) => v.len(),
            Self::Byte(v) => v.len(),
            Self::Short(v) => v.len(),
            Self::Char(v) => v.len(),
            Self::Int(v) => v.len(),
            Self::Long(v) => v.len(),
            Self::Float(v) => v.len(),
            Self::Double(v) => v.len(),
            Self::Objects(_, v) => v.len(),
        }
    }

    pub fn get(&self, at: usize) -> Option<Value> {
        Some(match self {
            Self::Bool(v) => Value::Bool(*v.get(at)?),
            Self::Byte(v) => Value::Byte(*v.get(at)?),
            Self::Short(v) => Value::Short(*v.get(at)?),
            Self::Char(v) => Value::Char(*v.get(at)?),
            Self::Int(v) => Value::Int(*v.get(at)?),
            Self::Long(v) => Value::Long(*v.get(at)?),
            Self::Float(v) => Value::Float(*v.get(at)?),
            Self::Double(v) => Value::Double(*v.get(at)?),
            Self::Objects(_, v) => v.get(at)?.clone(),
        })
    }

    /// Puts a value of the element type at a place that exists. False if the value is of another type.
    pub fn set(&mut self, at: usize, value: Value) -> bool {
        match (self, value) {
            (Self::Bool(v), Value::Bool(x)) => v[at] = x,
            (Self::Byte(v), Value::Byte(x)) => v[at] = x,
            (Self::Short(v), Value::Short(x)) => v[at] = x,
            (Self::Char(v), Value::Char(x)) => v[at] = x,
            (Self::Int(v), Value::Int(x)) => v[at] = x,
            (Self::Long(v), Value::Long(x)) => v[at] = x,
            (Self::Float(v), Value::Float(x)) => v[at] = x,
            (Self::Double(v), Value::Double(x)) => v[at] = x,
            (Self::Objects(_, v), x) => v[at] = x,
            _ => return false,
        }
        true
    }

    /// An array of defaults.
    pub fn of(element: super::types::Type, len: usize) -> Self {
        use super::types::Type;
        match element {
            Type::BOOL => Self::Bool(vec![false; len]),
            Type::BYTE => Self::Byte(vec![0; len]),
            Type::SHORT => Self::Short(vec![0; len]),
            Type::CHAR => Self::Char(vec![0; len]),
            Type::INT => Self::Int(vec![0; len]),
            Type::LONG => Self::Long(vec![0; len]),
            Type::FLOAT => Self::Float(vec![0.0; len]),
            Type::DOUBLE => Self::Double(vec![0.0; len]),
            other => Self::Objects(other, vec![Value::Null; len]),
        }
    }

    pub fn element_type(&self) -> super::types::Type {
        use super::types::Type;
        match self {
            Self::Bool(_) => Type::BOOL,
            Self::Byte(_) => Type::BYTE,
            Self::Short(_) => Type::SHORT,
            Self::Char(_) => Type::CHAR,
            Self::Int(_) => Type::INT,
            Self::Long(_) => Type::LONG,
            Self::Float(_) => Type::FLOAT,
            Self::Double(_) => Type::DOUBLE,
            Self::Objects(element, _) => *element,
        }
    }
}
