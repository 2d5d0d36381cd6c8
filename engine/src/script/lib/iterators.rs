//! Iterators that do more than go on: those of lists, of numbers, enumerations; builders of streams; entries that belong to no map.

use super::super::class::{ClassRow, Row, registry};
use super::super::error::{Failed, Outcome, throw};
use super::super::value::{Data, Key, ListKind, Map, MapKind, Value};
use super::super::vm::Vm;
use super::args::{index, int, ok_bool, unexpected};
use super::collection::{add_before_next, expect_next, has_next, items_of, iterator_of, next_index, place_last};
use super::collections::{empty_map, empty_set};
use super::list::of_kind;

/// `listIterator(int)`: it begins before the item at a place.
pub(super) fn list_iterator(vm: &mut Vm, a: &[Value]) -> Outcome {
    let (at, len) = (int(&a[1])?, items_of(vm, &a[0])?.len());
    if usize::try_from(at).is_err() || index(&a[1])? > len {
        return Err(throw("IndexOutOfBoundsException", format!("Index: {at}, Size: {len}")));
    }
    let iterator = iterator_of(vm, &a[0])?;
    if let Some(Data::Iter(iter)) = iterator.data() {
        let mut iter = iter.borrow_mut();
        (iter.at, iter.class) = (at as usize, registry().find("ListIterator"));
    }
    Ok(iterator)
}

const LIST_ITERATOR: &[Row] = &[
    Row("boolean hasPrevious()", |_, a| ok_bool(next_index(&a[0])? > 0)),
    Row("int nextIndex()", |_, a| Ok(Value::Int(next_index(&a[0])? as i32))),
    Row("int previousIndex()", |_, a| Ok(Value::Int(next_index(&a[0])? as i32 - 1))),
    Row("void set(def)", |_, a| place_last(&a[0], a[1].clone())),
    Row("void add(def)", |vm, a| add_before_next(vm, &a[0], a[1].clone())),
];

/// The iterator of a class, over items that belong to no collection.
pub(super) fn iterator_over(vm: &mut Vm, items: Vec<Value>, class: &str) -> Outcome {
    let list = of_kind(vm, ListKind::Unmodifiable, items)?;
    let iterator = iterator_of(vm, &list)?;
    if let Some(Data::Iter(iter)) = iterator.data() {
        iter.borrow_mut().class = registry().find(class);
    }
    Ok(iterator)
}

macro_rules! of_numbers {
    ($class:literal, $boxed:literal, $next:literal) => {
        ClassRow::new(
            concat!("java.util.PrimitiveIterator.", $class),
            &["PrimitiveIterator"],
            &[Row(concat!($boxed, " next()"), |_, a| expect_next(&a[0])), Row($next, |_, a| expect_next(&a[0]))],
        )
    };
}

/// An object of a class around a list of values.
pub fn wrapped(vm: &mut Vm, class: &str, items: Vec<Value>) -> Outcome {
    let list = vm.list(items)?;
    vm.alloc(Data::Wrapped(registry().find(class).expect("the row is in this room"), list))
}

/// The list that an object is around.
pub(super) fn inside(value: &Value) -> Result<&Value, Failed> {
    match value.data() {
        Some(Data::Wrapped(_, list)) => Ok(list),
        _ => Err(unexpected(value)),
    }
}

fn accept(vm: &mut Vm, a: &[Value]) -> Outcome {
    super::list::add_all(vm, inside(&a[0])?, None, vec![a[1].clone()])?;
    Ok(Value::Null)
}

macro_rules! builder {
    ($stream:literal, $item:literal, $consumer:literal) => {
        ClassRow::new(
            concat!("java.util.stream.", $stream, ".Builder"),
            &[$consumer],
            &[
                Row(concat!("void accept(", $item, ")"), accept),
                Row(concat!($stream, ".Builder add(", $item, ")"), |vm, a| accept(vm, a).map(|_| a[0].clone())),
                Row(concat!($stream, " build()"), |vm, a| {
                    let items = items_of(vm, inside(&a[0])?)?;
                    super::stream::new(vm, $stream, items)
                }),
            ],
        )
    };
}

/// What an entry that belongs to no map is put beside: a map that lets itself be changed, or one that does not.
fn lone(vm: &mut Vm, key: &Value, value: &Value, frozen: bool) -> Outcome {
    let mut map = Map::new(MapKind::Linked);
    map.entries.insert(Key(key.clone()), value.clone());
    map.frozen = frozen;
    let map = vm.alloc(Data::Map(map.into()))?;
    vm.alloc(Data::Entry(key.clone(), value.clone().into(), map))
}

fn lone_copy(vm: &mut Vm, of: &Value, frozen: bool) -> Outcome {
    match of.data() {
        Some(Data::Entry(key, value, _)) => {
            let value = value.borrow().clone();
            lone(vm, key, &value, frozen)
        }
        _ => Err(unexpected(of)),
    }
}

macro_rules! entry {
    ($class:literal, $frozen:literal) => {
        ClassRow::new(
            concat!("java.util.AbstractMap.", $class),
            &["Map.Entry"],
            &[
                Row("new(def,def)", |vm, a| lone(vm, &a[0], &a[1], $frozen)),
                Row("new(Map.Entry)", |vm, a| lone_copy(vm, &a[0], $frozen)),
            ],
        )
    };
}

const COLLECTIONS: &[Row] = &[
    Row("static ListIterator emptyListIterator()", |vm, _| iterator_over(vm, vec![], "ListIterator")),
    Row("static Enumeration emptyEnumeration()", |vm, _| iterator_over(vm, vec![], "Enumeration")),
    Row("static Enumeration enumeration(Collection)", |vm, a| {
        let items = items_of(vm, &a[0])?;
        iterator_over(vm, items, "Enumeration")
    }),
    Row("static ArrayList list(Enumeration)", |vm, a| {
        let mut items = vec![];
        while has_next(&a[0])? {
            items.push(expect_next(&a[0])?);
        }
        vm.list(items)
    }),
    Row("static NavigableMap emptyNavigableMap()", |vm, _| empty_map(vm, MapKind::Tree)),
    Row("static SortedMap emptySortedMap()", |vm, _| empty_map(vm, MapKind::Tree)),
    Row("static NavigableSet emptyNavigableSet()", |vm, _| empty_set(vm, MapKind::Tree)),
    Row("static SortedSet emptySortedSet()", |vm, _| empty_set(vm, MapKind::Tree)),
    Row("static NavigableMap unmodifiableNavigableMap(NavigableMap)", |vm, a| frozen(vm, &a[0])),
    Row("static SortedMap unmodifiableSortedMap(SortedMap)", |vm, a| frozen(vm, &a[0])),
    Row("static NavigableSet unmodifiableNavigableSet(NavigableSet)", |vm, a| frozen(vm, &a[0])),
    Row("static SortedSet unmodifiableSortedSet(SortedSet)", |vm, a| frozen(vm, &a[0])),
    Row("static Set newSetFromMap(Map)", |vm, a| match a[0].data() {
        Some(Data::Map(map)) if map.borrow().entries.is_empty() => {
            let kind = map.borrow().kind;
            vm.alloc(Data::Set(Map::new(kind).into()))
        }
        Some(Data::Map(_)) => Err(throw("IllegalArgumentException", "Map is non-empty")),
        _ => Err(unexpected(&a[0])),
    }),
];

/// The same, sorted and never to be changed.
fn frozen(vm: &mut Vm, of: &Value) -> Outcome {
    let copy = super::collection::copy_of(vm, of)?;
    if let Some(Data::Map(map) | Data::Set(map)) = copy.data() {
        map.borrow_mut().frozen = true;
    }
    Ok(copy)
}

const ENUMERATION: &[Row] = &[
    Row("boolean hasMoreElements()", |vm, a| match a[0].data() {
        Some(Data::Tokenizer(_)) => super::tokenizer::has_more(vm, a),
        _ => ok_bool(has_next(&a[0])?),
    }),
    Row("def nextElement()", |vm, a| match a[0].data() {
        Some(Data::Tokenizer(_)) => super::tokenizer::next(vm, a),
        _ => expect_next(&a[0]),
    }),
];

pub const CLASSES: &[ClassRow] = &[
    ClassRow::new("java.util.ListIterator", &["Iterator"], LIST_ITERATOR),
    ClassRow::new("java.util.Enumeration", &[], ENUMERATION),
    ClassRow::new(
        "java.util.PrimitiveIterator",
        &["Iterator"],
        &[
            Row("void forEachRemaining(def)", super::list::each_remaining),
            Row("void remove()", |_, _| Err(throw("UnsupportedOperationException", "remove"))),
        ],
    ),
    of_numbers!("OfInt", "Integer", "int nextInt()"),
    of_numbers!("OfLong", "Long", "long nextLong()"),
    of_numbers!("OfDouble", "Double", "double nextDouble()"),
    builder!("Stream", "def", "Consumer"),
    builder!("IntStream", "int", "IntConsumer"),
    builder!("LongStream", "long", "LongConsumer"),
    builder!("DoubleStream", "double", "DoubleConsumer"),
    entry!("SimpleEntry", false),
    entry!("SimpleImmutableEntry", true),
    ClassRow::new("java.util.CollectionsMoreBase", &[], COLLECTIONS),
];
