//! `PriorityQueue`: a heap in the order that Java keeps, so that it looks the same from outside; and `Queue`.

use super::super::class::{ClassRow, Row};
use super::super::error::{Failed, Outcome, thrown};
use super::super::value::{Data, List, ListKind, Value};
use super::super::vm::Vm;
use super::args::{ok_bool, unexpected};
use super::collection::natural;
use super::list::{add, end};
use std::cell::RefCell;

fn queue(value: &Value) -> Result<(&RefCell<List>, Option<&Value>), Failed> {
    match value.data() {
        Some(Data::Queue(list, comparator)) => Ok((list, Some(comparator).filter(|c| !c.is_null()))),
        _ => Err(unexpected(value)),
    }
}

/// Changes the items in place. They are out of reach of what comparators do meanwhile.
fn change<T>(of: &Value, f: impl FnOnce(&mut Vec<Value>, Option<&Value>) -> Result<T, Failed>) -> Result<T, Failed> {
    let (list, comparator) = queue(of)?;
    let mut items = std::mem::take(&mut list.borrow_mut().items);
    let changed = f(&mut items, comparator);
    let mut list = list.borrow_mut();
    list.items = items;
    list.changes += 1;
    changed
}

fn order(vm: &mut Vm, comparator: Option<&Value>, a: &Value, b: &Value) -> Result<i32, Failed> {
    vm.work(1)?;
    match comparator {
        Some(comparator) => super::compare_with(vm, comparator, a, b),
        None => natural(a, b),
    }
}

fn sift_up(vm: &mut Vm, items: &mut [Value], comparator: Option<&Value>, mut at: usize) -> Result<(), Failed> {
    while at > 0 {
        let parent = (at - 1) / 2;
        if order(vm, comparator, &items[at], &items[parent])? >= 0 {
            break;
        }
        items.swap(at, parent);
        at = parent;
    }
    Ok(())
}

fn sift_down(vm: &mut Vm, items: &mut [Value], comparator: Option<&Value>, mut at: usize) -> Result<(), Failed> {
    while at < items.len() / 2 {
        let mut child = 2 * at + 1;
        if child + 1 < items.len() && order(vm, comparator, &items[child], &items[child + 1])? > 0 {
            child += 1;
        }
        if order(vm, comparator, &items[at], &items[child])? <= 0 {
            break;
        }
        items.swap(at, child);
        at = child;
    }
    Ok(())
}

/// Adds an item, which is not null.
pub(super) fn offer(vm: &mut Vm, of: &Value, item: Value) -> Outcome {
    if item.is_null() {
        return Err(thrown("NullPointerException", None));
    }
    change(of, |items, comparator| {
        if comparator.is_none() {
            natural(&item, &item)?;
        }
        items.push(item);
        let last = items.len() - 1;
        sift_up(vm, items, comparator, last)
    })?;
    ok_bool(true)
}

fn remove_at(vm: &mut Vm, items: &mut Vec<Value>, comparator: Option<&Value>, at: usize) -> Outcome {
    let gone = items.swap_remove(at);
    if at < items.len() {
        let moved = items[at].clone();
        sift_down(vm, items, comparator, at)?;
        if items[at].same(&moved) || Vm::equal(&items[at], &moved) {
            sift_up(vm, items, comparator, at)?;
        }
    }
    Ok(gone)
}

/// Takes the least item; none if there is none.
pub(super) fn poll(vm: &mut Vm, of: &Value) -> Result<Option<Value>, Failed> {
    change(of, |items, comparator| match items.is_empty() {
        true => Ok(None),
        false => remove_at(vm, items, comparator, 0).map(Some),
    })
}

/// Removes the first item that is equal.
pub(super) fn remove(vm: &mut Vm, of: &Value, item: &Value) -> Outcome {
    let found = change(of, |items, comparator| match items.iter().position(|other| Vm::equal(other, item)) {
        Some(at) => remove_at(vm, items, comparator, at).map(|_| true),
        None => Ok(false),
    })?;
    ok_bool(found)
}

/// The head of a queue, taken out of it or not. An error if there is none, unless `missing` stands for it.
fn head(vm: &mut Vm, of: &Value, take: bool, missing: Option<Value>) -> Outcome {
    let Some(Data::Queue(list, _)) = of.data() else { return end(of, true, take, missing) };
    let found = match take {
        true => poll(vm, of)?,
        false => list.borrow().items.first().cloned(),
    };
    found.or(missing).ok_or_else(|| thrown("NoSuchElementException", None))
}

fn new(vm: &mut Vm, comparator: Value) -> Outcome {
    vm.alloc(Data::Queue(List { kind: ListKind::Array, items: vec![], changes: 0, own_class: None }.into(), comparator))
}

const QUEUE: &[Row] = &[
    Row("boolean offer(def)", |vm, a| add(vm, &a[0], None, a[1].clone())),
    Row("def poll()", |vm, a| head(vm, &a[0], true, Some(Value::Null))),
    Row("def peek()", |vm, a| head(vm, &a[0], false, Some(Value::Null))),
    Row("def element()", |vm, a| head(vm, &a[0], false, None)),
    Row("def remove()", |vm, a| head(vm, &a[0], true, None)),
];

const PRIORITY_QUEUE: &[Row] =
    &[Row("new()", |vm, _| new(vm, Value::Null)), Row("new(Comparator)", |vm, a| new(vm, a[0].clone()))];

pub const CLASSES: &[ClassRow] = &[
    ClassRow::new("java.util.Queue", &["Collection"], QUEUE),
    ClassRow::new("java.util.PriorityQueue", &["AbstractQueue"], PRIORITY_QUEUE),
];
