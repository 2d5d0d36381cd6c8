//! `Vector` and `Stack`: what they have beyond all lists.

use super::super::super::class::{Row, registry};
use super::super::super::error::{Outcome, throw, thrown};
use super::super::super::value::{ListKind, Value};
use super::super::super::vm::Vm;
use super::super::args::{int, ok_bool};
use super::super::collection::items_of;
use super::{add, end, get, list, of_kind, place, remove_at, retain, size};

/// An item that has to be there, by its place from an end.
fn at_end(of: &Value, from: impl Fn(usize) -> Option<usize>) -> Outcome {
    let list = list(of)?.borrow();
    let item = from(list.items.len()).and_then(|at| list.items.get(at));
    item.cloned().ok_or_else(|| thrown("NoSuchElementException", None))
}

pub(super) const VECTOR: &[Row] = &[
    Row("Enumeration elements()", |vm, a| {
        let items = items_of(vm, &a[0])?;
        super::super::iterators::iterator_over(vm, items, "Enumeration")
    }),
    Row("void addElement(def)", |vm, a| add(vm, &a[0], None, a[1].clone()).map(|_| Value::Null)),
    Row("def elementAt(int)", |vm, a| get(vm, &a[0], int(&a[1])?)),
    Row("def firstElement()", |_, a| at_end(&a[0], |_| Some(0))),
    Row("int lastIndexOf(def,int)", |vm, a| {
        let (items, last) = (items_of(vm, &a[0])?, int(&a[2])?);
        if last >= items.len() as i32 {
            return Err(throw("IndexOutOfBoundsException", format!("{last} >= {}", items.len())));
        }
        vm.work(items.len())?;
        let before = &items[..(last + 1).max(0) as usize];
        Ok(Value::Int(before.iter().rposition(|item| Vm::equal(item, &a[1])).map_or(-1, |at| at as i32)))
    }),
    Row("def lastElement()", |_, a| at_end(&a[0], |len| len.checked_sub(1))),
    Row("void insertElementAt(def,int)", |vm, a| add(vm, &a[0], Some(int(&a[2])?), a[1].clone()).map(|_| Value::Null)),
    Row("void removeAllElements()", |vm, a| retain(vm, &a[0], |_, _| Ok(false)).map(|_| Value::Null)),
    Row("boolean removeElement(def)", |vm, a| super::super::set::remove(vm, &a[0], &a[1])),
    Row("void removeElementAt(int)", |_, a| remove_at(&a[0], int(&a[1])?).map(|_| Value::Null)),
    Row("void setElementAt(def,int)", |_, a| {
        let mut list = list(&a[0])?.borrow_mut();
        let at = place(int(&a[2])?, list.items.len())?;
        list.items[at] = a[1].clone();
        Ok(Value::Null)
    }),
];

fn top(of: &Value, take: bool) -> Outcome {
    end(of, false, take, None).map_err(|failed| match registry().class(failed.class).simple {
        "NoSuchElementException" => thrown("EmptyStackException", None),
        _ => failed,
    })
}

pub(super) const STACK: &[Row] = &[
    Row("new()", |vm, _| of_kind(vm, ListKind::Stack, vec![])),
    Row("boolean empty()", |vm, a| ok_bool(size(vm, &a[0])? == 0)),
    Row("def peek()", |_, a| top(&a[0], false)),
    Row("def pop()", |_, a| top(&a[0], true)),
    Row("def push(def)", |vm, a| add(vm, &a[0], None, a[1].clone()).map(|_| a[1].clone())),
    Row("int search(def)", |vm, a| {
        let items = items_of(vm, &a[0])?;
        let at = items.iter().rposition(|item| Vm::equal(item, &a[1]));
        Ok(Value::Int(at.map_or(-1, |at| (items.len() - at) as i32)))
    }),
];
