//! What lists, sets and maps share: reading, changing, going over them.

use super::super::doc;
use super::super::error::{Failed, Outcome, no_cast, throw, thrown};
use super::super::text;
use super::super::value::{Data, Iter, Key, List, ListKind, Map, MapKind, Obj, Value, View};
use super::super::vm::Vm;
use super::args::{map, unexpected};
use super::comparator::compare_with;
use indexmap::IndexMap;
use std::rc::Rc;

pub fn new_list(items: Vec<Value>) -> std::cell::RefCell<List> {
    List { kind: ListKind::Array, items, changes: 0, own_class: None }.into()
}

impl Map {
    /// Becomes the hash map that Java makes of a map before it puts so many entries more into it.
    pub fn hash_beside(&mut self, more: usize) {
        let room = |entries: usize| (entries * 4).div_ceil(3).next_power_of_two() as u32;
        let len = self.entries.len();
        let mut capacity = room(if len == 0 { more } else { len });
        while (capacity as usize) * 3 < 4 * more.max(len + more) {
            capacity *= 2;
        }
        (self.kind, self.capacity) = (MapKind::Hash, capacity);
    }

    pub fn new(kind: MapKind) -> Self {
        Self {
            kind,
            entries: IndexMap::default(),
            capacity: 16,
            frozen: false,
            own_class: None,
            comparator: None,
            changes: 0,
        }
    }

    /// Indexes of entries in the order in which Java goes over them.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.entries.len()).collect();
        if self.kind == MapKind::Hash {
            let mask = self.capacity - 1;
            let bucket = |i: &usize| {
                let hash = super::display::hash(&self.entries.get_index(*i).expect("in range").0.0, 0) as u32;
                (hash ^ (hash >> 16)) & mask
            };
            order.sort_by_cached_key(bucket);
        }
        order
    }

    /// The table grows before it is three quarters full.
    fn make_room(&mut self) {
        while self.entries.len() as u64 * 4 > u64::from(self.capacity) * 3 && self.capacity < 1 << 30 {
            self.capacity *= 2;
        }
    }

    /// Takes an entry out, the others keeping their order.
    pub fn remove(&mut self, key: &Value) -> Option<Value> {
        let removed = self.entries.shift_remove(&Key(key.clone()));
        self.changes += u32::from(removed.is_some());
        removed
    }
}

/// A name as a key to look up.
pub fn key_of(name: &str) -> Key {
    Key(Value::text(name))
}

#[cold]
pub fn unchangeable() -> Failed {
    thrown("UnsupportedOperationException", None)
}

/// What the document of a pipeline's condition and the lists in it are.
pub const CONDITION_DATA: &str = "org.opensearch.ingest.ConditionalProcessor$UnmodifiableIngestData";
pub const CONDITION_LIST: &str = "org.opensearch.ingest.ConditionalProcessor$UnmodifiableIngestList";

/// The same, with what the class says of it.
#[cold]
fn unchangeable_of(own_class: Option<&str>) -> Failed {
    match own_class {
        Some(CONDITION_DATA | CONDITION_LIST) => {
            throw("UnsupportedOperationException", "Mutating ingest documents in conditionals is not supported")
        }
        _ => unchangeable(),
    }
}

impl Map {
    pub fn check_changeable(&self) -> Result<(), Failed> {
        if self.frozen { Err(unchangeable_of(self.own_class)) } else { Ok(()) }
    }
}

pub fn check_changeable(list: &List) -> Result<(), Failed> {
    if list.kind == ListKind::Unmodifiable { Err(unchangeable_of(list.own_class)) } else { Ok(()) }
}

/// Whether the size of a list may change.
pub fn check_resizable(list: &List) -> Result<(), Failed> {
    if list.kind == ListKind::Fixed { Err(unchangeable()) } else { check_changeable(list) }
}

/// A new hash map of keys and values that alternate.
pub fn map_of(vm: &mut Vm, items: &[Value]) -> Outcome {
    let out = vm.alloc(Data::Map(Map::new(MapKind::Hash).into()))?;
    for pair in items.chunks_exact(2) {
        put(vm, &out, pair[0].clone(), pair[1].clone())?;
    }
    Ok(out)
}

pub fn get(vm: &mut Vm, of: &Value, key: &Value) -> Outcome {
    vm.work(1)?;
    let target = map(of)?;
    let Some(key) = known_as(vm, target, key)? else { return Ok(Value::Null) };
    Ok(target.borrow().entries.get(&key).cloned().unwrap_or_default())
}

/// What a key is called in a map or a set, if it is there: in a sorted one, what comes neither before nor behind it. What cannot be held
/// against those that are there is refused.
pub fn known_as(vm: &mut Vm, target: &std::cell::RefCell<Map>, key: &Value) -> Result<Option<Key>, Failed> {
    let (is_sorted, comparator, own) = {
        let (map, own) = (target.borrow(), Key(key.clone()));
        (map.kind == MapKind::Tree, map.comparator.clone(), Some(own).filter(|own| map.entries.contains_key(own)))
    };
    if own.is_some() || !is_sorted {
        return Ok(own);
    }
    if comparator.is_none() && key.is_null() {
        return Err(thrown("NullPointerException", None));
    }
    if target.borrow().entries.is_empty() {
        return Ok(None);
    }
    let Ok(at) = tree_place(vm, target, comparator.as_ref(), key)? else { return Ok(None) };
    Ok(target.borrow().entries.get_index(at).map(|(known, _)| Key(known.0.clone())))
}

/// Puts a value under a key and gives what was there.
pub fn put(vm: &mut Vm, of: &Value, key: Value, value: Value) -> Outcome {
    let target = map(of)?;
    target.borrow().check_changeable()?;
    let (kind, comparator) = {
        let map = target.borrow();
        (map.kind, map.comparator.clone())
    };
    if let Some(slot) = target.borrow_mut().entries.get_mut(&Key(key.clone())) {
        return Ok(std::mem::replace(slot, value));
    }
    vm.grow(80)?;
    insert(vm, target, kind, comparator, key, value)
}

fn insert(
    vm: &mut Vm,
    target: &std::cell::RefCell<Map>,
    kind: MapKind,
    comparator: Option<Value>,
    key: Value,
    value: Value,
) -> Outcome {
    if kind == MapKind::Tree {
        let place = tree_place(vm, target, comparator.as_ref(), &key)?;
        let at = match place {
            Ok(at) => {
                // Equal by the comparator, though not by itself.
                let mut map = target.borrow_mut();
                return Ok(map
                    .entries
                    .get_index_mut(at)
                    .map_or(Value::Null, |(_, slot)| std::mem::replace(slot, value)));
            }
            Err(at) => at,
        };
        let len = target.borrow().entries.len();
        vm.work(len / 16)?;
        let mut map = target.borrow_mut();
        let at = at.min(map.entries.len());
        map.entries.shift_insert(at, Key(key), value);
        map.changes += 1;
        return Ok(Value::Null);
    }
    let mut map = target.borrow_mut();
    map.entries.insert(Key(key), value);
    map.changes += 1;
    map.make_room();
    Ok(Value::Null)
}

/// Where a key stands in a sorted map, or would stand.
pub fn tree_place(
    vm: &mut Vm,
    target: &std::cell::RefCell<Map>,
    comparator: Option<&Value>,
    key: &Value,
) -> Result<Result<usize, usize>, Failed> {
    if comparator.is_none() && key.is_null() {
        let what = "Cannot invoke \"java.lang.Comparable.compareTo(Object)\" because \"k1\" is null";
        return Err(throw("NullPointerException", what));
    }
    let (mut low, mut high) = (0, target.borrow().entries.len());
    while low < high {
        let middle = (low + high) / 2;
        let Some(other) = target.borrow().entries.get_index(middle).map(|(k, _)| k.0.clone()) else { break };
        let order = match comparator {
            Some(comparator) => compare_with(vm, comparator, key, &other)?,
            None => natural(key, &other)?,
        };
        match order {
            0 => return Ok(Ok(middle)),
            order if order < 0 => high = middle,
            _ => low = middle + 1,
        }
    }
    if low == 0 && comparator.is_none() {
        natural(key, key)?;
    }
    Ok(Err(low))
}

/// Natural order, as `compareTo` has it.
pub fn natural(a: &Value, b: &Value) -> Result<i32, Failed> {
    use std::cmp::Ordering;
    let of = |order: Ordering| Ok(order as i32);
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => of(a.cmp(b)),
        (Value::Byte(a), Value::Byte(b)) => Ok(i32::from(*a) - i32::from(*b)),
        (Value::Short(a), Value::Short(b)) => Ok(i32::from(*a) - i32::from(*b)),
        (Value::Char(a), Value::Char(b)) => Ok(i32::from(*a) - i32::from(*b)),
        (Value::Int(a), Value::Int(b)) => of(a.cmp(b)),
        (Value::Long(a), Value::Long(b)) => of(a.cmp(b)),
        (Value::Float(a), Value::Float(b)) => of(java_order(f64::from(*a), f64::from(*b))),
        (Value::Double(a), Value::Double(b)) => of(java_order(*a, *b)),
        (Value::Str(a), Value::Str(b)) => Ok(text::compare(a.as_str(), b.as_str())),
        (Value::Obj(x), Value::Obj(y)) => match (&x.data, &y.data) {
            (Data::Constant(_, _, a), Data::Constant(_, _, b)) => Ok(a - b),
            (Data::BigInteger(a), Data::BigInteger(b)) => of(a.cmp(b)),
            (Data::BigDecimal(a), Data::BigDecimal(b)) => of(a.compare(b)?),
            (Data::Date(a), Data::Date(b)) => of(a.get().cmp(&b.get())),
            (Data::Uuid(a), Data::Uuid(b)) => of((*a as i128).cmp(&(*b as i128))),
            (Data::Bytes(a), Data::Bytes(b)) => of(a.cmp(b)),
            (Data::Temporal(a), Data::Temporal(b)) => a.compare(b).ok_or_else(|| no_cast(&a_class(x), &a_class(y))),
            _ => Err(no_cast(&a_class(x), "java.lang.Comparable")),
        },
        (Value::Obj(x), b) if !b.is_null() => Err(no_cast(&a_class(x), "java.lang.Comparable")),
        (Value::Null, _) => {
            Err(not_compared("Cannot invoke \"java.lang.Comparable.compareTo(Object)\" because \"c1\" is null"))
        }
        (_, Value::Null) => Err(no_other(a)),
        // The one that is asked casts the other.
        _ => Err(no_cast(&b.java_class(), &a.java_class())),
    }
}

#[cold]
pub(super) fn not_compared(said: &str) -> Failed {
    throw("NullPointerException", said)
}

/// What a class says of null that it is to be compared with.
#[cold]
fn no_other(of: &Value) -> Failed {
    let other = match of {
        Value::Bool(_) => return not_compared("Cannot read field \"value\" because \"b\" is null"),
        Value::Str(_) => "String",
        Value::Int(_) => "Integer",
        Value::Long(_) => "Long",
        Value::Double(_) => "Double",
        Value::Float(_) => "Float",
        Value::Short(_) => "Short",
        Value::Byte(_) => "Byte",
        Value::Char(_) => "Character",
        _ => return super::super::error::null_pointer(),
    };
    not_compared(&format!("Cannot read field \"value\" because \"another{other}\" is null"))
}

fn a_class(obj: &Rc<Obj>) -> String {
    Value::Obj(obj.clone()).class_name()
}

/// `Double.compare`: NaN is the largest, and zeros differ.
pub fn java_order(a: f64, b: f64) -> std::cmp::Ordering {
    use std::cmp::Ordering;
    match (a.is_nan(), b.is_nan()) {
        (true, true) => Ordering::Equal,
        (true, false) => Ordering::Greater,
        (false, true) => Ordering::Less,
        _ => a.total_cmp(&b),
    }
}

/// Keys and values in the order of the map.
pub fn entries(of: &Value) -> Vec<(Value, Value)> {
    let Some(Data::Map(map) | Data::Set(map)) = of.data() else { return vec![] };
    let map = map.borrow();
    let entry = |i: usize| map.entries.get_index(i).map(|(key, value)| (key.0.clone(), value.clone()));
    map.order().into_iter().filter_map(entry).collect()
}

/// A collection with the same items, as `clone` makes it.
pub fn copy_of(vm: &mut Vm, of: &Value) -> Outcome {
    let copied = |map: &Map| Map {
        kind: map.kind,
        entries: map.entries.clone(),
        capacity: map.capacity,
        frozen: map.frozen,
        own_class: None,
        comparator: map.comparator.clone(),
        changes: 0,
    };
    let (room, data) = match of.data() {
        Some(Data::List(list)) => {
            let list = list.borrow();
            (
                list.items.len() * 16,
                Data::List(List { kind: list.kind, items: list.items.clone(), changes: 0, own_class: None }.into()),
            )
        }
        Some(Data::Map(map)) => (map.borrow().entries.len() * 64, Data::Map(copied(&map.borrow()).into())),
        Some(Data::Set(map)) => (map.borrow().entries.len() * 64, Data::Set(copied(&map.borrow()).into())),
        _ => return Err(unexpected(of)),
    };
    vm.work(room / 64 + 1)?;
    vm.grow(room)?;
    vm.alloc(data)
}

/// The items of what can be gone over without a document.
pub fn plain_items(of: &Value) -> Vec<Value> {
    match of.data() {
        Some(Data::List(list) | Data::Queue(list, _)) => list.borrow().items.clone(),
        Some(Data::Set(_)) => entries(of).into_iter().map(|(key, _)| key).collect(),
        Some(Data::MapView(map, view)) => entries(map)
            .into_iter()
            .map(|(key, value)| match view {
                View::Keys => key,
                View::Values => value,
                View::Entries => leaf(Data::Entry(key, value.into(), map.clone())),
            })
            .collect(),
        Some(Data::Array(array)) => {
            let array = array.borrow();
            (0..array.len()).filter_map(|i| array.get(i)).collect()
        }
        _ => vec![],
    }
}

/// An object outside the heap: only for what lives no longer than what it refers to.
fn leaf(data: Data) -> Value {
    Value::Obj(Rc::new(Obj { data, marked: false.into() }))
}

/// The items of a collection, array or field.
pub fn items_of(vm: &mut Vm, of: &Value) -> Result<Vec<Value>, Failed> {
    let items = match of.data() {
        Some(Data::DocValues(slot)) => doc::items(vm, *slot)?,
        Some(Data::MapView(map, View::Entries)) => {
            let mut items = vec![];
            for (key, value) in entries(map) {
                items.push(vm.alloc(Data::Entry(key, value.into(), map.clone()))?);
            }
            items
        }
        Some(Data::List(_) | Data::Set(_) | Data::Queue(..) | Data::MapView(..) | Data::Array(_)) => plain_items(of),
        Some(Data::Iter(iter)) => {
            let iter = iter.borrow();
            iter.items.get(iter.at..).map(<[Value]>::to_vec).unwrap_or_default()
        }
        None if of.is_null() => return Err(super::super::error::null_pointer()),
        _ => return Err(unexpected(of)),
    };
    vm.work(items.len() + 1)?;
    Ok(items)
}

/// How many changes a collection has seen, if it counts them.
fn changes(of: &Value) -> Option<u32> {
    match of.data()? {
        Data::List(list) | Data::Queue(list, _) => Some(list.borrow().changes),
        Data::Map(map) | Data::Set(map) => Some(map.borrow().changes),
        Data::MapView(map, _) => changes(map),
        _ => None,
    }
}

/// An iterator for `for`.
pub fn iterator_of(vm: &mut Vm, of: &Value) -> Outcome {
    if matches!(of.data(), Some(Data::Iter(_))) {
        return Ok(of.clone());
    }
    let items = match items_of(vm, of) {
        Ok(items) => items,
        Err(failed) if of.is_null() => return Err(failed),
        Err(_) => {
            let what = format!("Cannot iterate over [{}]", of.class_name());
            return Err(super::super::error::illegal(what));
        }
    };
    vm.grow(items.len() * 16)?;
    let counted = changes(of).or(matches!(of.data(), Some(Data::DocValues(_))).then_some(0));
    let of = counted.map(|changes| (of.clone(), changes));
    vm.alloc(Data::Iter(Iter { items, at: 0, given: false, class: None, of }.into()))
}

pub fn has_next(iter: &Value) -> Result<bool, Failed> {
    match iter.data() {
        Some(Data::Iter(iter)) => {
            let iter = iter.borrow();
            Ok(iter.at < iter.items.len())
        }
        _ => Err(unexpected(iter)),
    }
}

/// The next item; an exception if the collection has changed under way.
pub fn next_of(iter: &Value) -> Result<Option<Value>, Failed> {
    let Some(Data::Iter(iter)) = iter.data() else { return Err(unexpected(iter)) };
    let mut iter = iter.borrow_mut();
    if let Some((of, known)) = &iter.of {
        let changed = changes(of).is_some_and(|now| now != *known);
        let grown = changed && (iter.at < iter.items.len() || matches!(of.data(), Some(Data::List(_))));
        if grown {
            return Err(thrown("ConcurrentModificationException", None));
        }
    }
    let item = iter.items.get(iter.at).cloned();
    iter.at += usize::from(item.is_some());
    iter.given = item.is_some();
    Ok(item)
}

/// The next item, which there has to be.
pub fn expect_next(iter: &Value) -> Outcome {
    if let Some(item) = next_of(iter)? {
        return Ok(item);
    }
    let Some(Data::Iter(iter)) = iter.data() else { return Err(unexpected(iter)) };
    let iter = iter.borrow();
    Err(match &iter.of {
        Some((of, _)) if iter.items.is_empty() && matches!(of.data(), Some(Data::DocValues(_))) => doc::missing(),
        _ => thrown("NoSuchElementException", None),
    })
}

/// `Iterator.remove`: the last item that `next` gave.
pub fn remove_last(iter: &Value) -> Outcome {
    let Some(Data::Iter(iter)) = iter.data() else { return Err(unexpected(iter)) };
    let mut iter = iter.borrow_mut();
    let Some(at) = iter.at.checked_sub(1).filter(|_| iter.given) else {
        return Err(thrown("IllegalStateException", None));
    };
    let item = iter.items[at].clone();
    let Some((of, _)) = iter.of.clone() else { return Err(unchangeable()) };
    match of.data() {
        Some(Data::List(list)) => {
            let mut list = list.borrow_mut();
            check_resizable(&list)?;
            if at >= list.items.len() {
                return Err(thrown("IllegalStateException", None));
            }
            list.items.remove(at);
            list.changes += 1;
            iter.items.remove(at);
            iter.at = at;
        }
        Some(Data::Set(map)) => drop(map.borrow_mut().remove(&item)),
        Some(Data::MapView(map, view)) => {
            let Some(Data::Map(map)) = map.data() else { return Err(unchangeable()) };
            let mut map = map.borrow_mut();
            if map.frozen {
                return Err(unchangeable());
            }
            let key = match (view, item.data()) {
                (View::Entries, Some(Data::Entry(key, ..))) => key.clone(),
                (View::Keys, _) => item.clone(),
                _ => {
                    let found = map.entries.iter().find(|(_, v)| v.same(&item) || Vm::equal(v, &item));
                    found.map(|(key, _)| key.0.clone()).unwrap_or_default()
                }
            };
            map.remove(&key);
        }
        _ => return Err(unchangeable()),
    }
    let now = changes(&of).unwrap_or(0);
    (iter.of, iter.given) = (Some((of, now)), false);
    Ok(Value::Null)
}

/// Where in its collection the item stands that comes next.
pub fn next_index(iter: &Value) -> Result<usize, Failed> {
    match iter.data() {
        Some(Data::Iter(iter)) => Ok(iter.borrow().at),
        _ => Err(unexpected(iter)),
    }
}

/// `ListIterator.set`: in place of the item that was given last.
pub fn place_last(iter: &Value, item: Value) -> Outcome {
    let Some(Data::Iter(iter)) = iter.data() else { return Err(unexpected(iter)) };
    let mut iter = iter.borrow_mut();
    let Some(at) = iter.at.checked_sub(1).filter(|_| iter.given) else {
        return Err(thrown("IllegalStateException", None));
    };
    let Some(Data::List(list)) = iter.of.as_ref().and_then(|(of, _)| of.data()) else { return Err(unchangeable()) };
    let mut list = list.borrow_mut();
    check_changeable(&list)?;
    let Some(place) = list.items.get_mut(at) else { return Err(thrown("ConcurrentModificationException", None)) };
    *place = item.clone();
    drop(list);
    iter.items[at] = item;
    Ok(Value::Null)
}

/// `ListIterator.add`: before the item that comes next.
pub fn add_before_next(vm: &mut Vm, iter: &Value, item: Value) -> Outcome {
    vm.grow(32)?;
    let Some(Data::Iter(iter)) = iter.data() else { return Err(unexpected(iter)) };
    let mut iter = iter.borrow_mut();
    let at = iter.at;
    let Some((Data::List(list), known)) = iter.of.as_ref().and_then(|(of, known)| Some((of.data()?, *known))) else {
        return Err(unchangeable());
    };
    let mut list = list.borrow_mut();
    check_resizable(&list)?;
    if list.changes != known || at > list.items.len() {
        return Err(thrown("ConcurrentModificationException", None));
    }
    list.items.insert(at, item.clone());
    list.changes += 1;
    let now = list.changes;
    drop(list);
    iter.items.insert(at, item);
    (iter.at, iter.given) = (at + 1, false);
    if let Some((_, known)) = &mut iter.of {
        *known = now;
    }
    Ok(Value::Null)
}
