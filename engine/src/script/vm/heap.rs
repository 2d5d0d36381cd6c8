//! Who owns objects. Everything that holds other values is listed here while the script runs, so that nothing is freed
//! recursively, cycles are no leaks, and memory can be counted.

use super::super::error::{Failed, Outcome, throw};
use super::super::value::{Array, Data, Iter, List, Map, Obj, Value};
use std::cell::Cell;
use std::rc::Rc;

#[derive(Debug)]
pub struct Heap {
    owned: Vec<Rc<Obj>>,
    bytes: u64,
    limit_bytes: u64,
    /// Objects below this stay when the heap is cleared.
    kept: usize,
    kept_bytes: u64,
}

impl Heap {
    pub fn new(limit_bytes: u64) -> Self {
        Self { owned: vec![], bytes: 0, limit_bytes, kept: 0, kept_bytes: 0 }
    }

    pub fn grow(&mut self, bytes: usize) -> Result<(), Failed> {
        self.bytes = self.bytes.saturating_add(bytes as u64);
        if self.bytes > self.limit_bytes {
            let limit = self.limit_bytes;
            return Err(throw("OutOfMemoryError", format!("a script cannot use more than [{limit}] bytes")));
        }
        Ok(())
    }

    pub fn alloc(&mut self, data: Data) -> Outcome {
        self.grow(96)?;
        let leaf = data.is_leaf();
        let obj = Rc::new(Obj { data, marked: Cell::new(false) });
        if !leaf {
            self.owned.push(obj.clone());
        }
        Ok(Value::Obj(obj))
    }

    /// Lets what is there now survive [`Heap::clear`].
    pub fn keep(&mut self) {
        (self.kept, self.kept_bytes) = (self.owned.len(), self.bytes);
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    pub fn clear(&mut self) {
        self.bytes = self.kept_bytes;
        if self.owned.len() > self.kept {
            let gone = self.owned.split_off(self.kept);
            free(gone);
        }
    }

    /// Frees what cannot be reached from `roots`, between executions.
    pub fn collect(&mut self, roots: &[Value]) {
        let mut open: Vec<Value> = roots.to_vec();
        while let Some(value) = open.pop() {
            let Value::Obj(obj) = &value else { continue };
            if !obj.marked.replace(true) {
                children(&obj.data, &mut open);
            }
        }
        let kept = self.kept;
        let mut at = 0;
        let (stay, gone): (Vec<_>, Vec<_>) = std::mem::take(&mut self.owned).into_iter().partition(|obj| {
            at += 1;
            at <= kept || obj.marked.get()
        });
        self.owned = stay;
        self.owned.iter().for_each(|obj| obj.marked.set(false));
        self.bytes = self.kept_bytes + self.owned[kept..].iter().map(|obj| size(&obj.data)).sum::<u64>();
        free(gone);
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        free(std::mem::take(&mut self.owned));
    }
}

/// Frees objects without recursion: first what can change is emptied while all objects still live; what cannot change
/// holds older objects only, so the newest go first.
fn free(mut gone: Vec<Rc<Obj>>) {
    // Room for the entries of one map each.
    let mut contents = Vec::with_capacity(gone.len() * 32);
    for obj in &gone {
        empty(&obj.data, &mut contents);
    }
    drop(contents);
    while gone.pop().is_some() {}
}

fn empty(data: &Data, out: &mut Vec<Value>) {
    match data {
        Data::List(list) | Data::Queue(list, _) => out.append(&mut list.borrow_mut().items),
        Data::Map(map) | Data::Set(map) => {
            let mut map = map.borrow_mut();
            for (key, value) in map.entries.drain(..) {
                out.push(key.0);
                out.push(value);
            }
            out.extend(map.comparator.take());
        }
        Data::Array(array) => {
            if let Array::Objects(_, items) = &mut *array.borrow_mut() {
                out.append(items);
            }
        }
        Data::Iter(iter) => {
            let mut iter = iter.borrow_mut();
            out.append(&mut iter.items);
            out.extend(iter.of.take().map(|(of, _)| of));
        }
        Data::Stream(stream) => stream.borrow_mut().empty(out),
        Data::Optional(_, value) => out.extend(value.borrow_mut().take()),
        Data::Entry(_, value, _) => out.push(std::mem::take(&mut *value.borrow_mut())),
        _ => {}
    }
}

fn children(data: &Data, out: &mut Vec<Value>) {
    match data {
        Data::List(list) => out.extend(list.borrow().items.iter().cloned()),
        Data::Queue(list, comparator) => {
            out.extend(list.borrow().items.iter().cloned());
            out.push(comparator.clone());
        }
        Data::Map(map) | Data::Set(map) => {
            let map: &Map = &map.borrow();
            for (key, value) in &map.entries {
                out.push(key.0.clone());
                out.push(value.clone());
            }
            out.extend(map.comparator.clone());
        }
        Data::Array(array) => {
            if let Array::Objects(_, items) = &*array.borrow() {
                out.extend(items.iter().cloned());
            }
        }
        Data::Iter(iter) => {
            let iter: &Iter = &iter.borrow();
            out.extend(iter.items.iter().cloned());
            out.extend(iter.of.as_ref().map(|(of, _)| of.clone()));
        }
        Data::Stream(stream) => stream.borrow().children(out),
        Data::Optional(_, value) => out.extend(value.borrow().clone()),
        Data::Entry(key, value, map) => out.extend([key.clone(), value.borrow().clone(), map.clone()]),
        Data::MapView(of, _) | Data::Wrapped(_, of) => out.push(of.clone()),
        Data::Closure(closure) => out.extend(closure.captured.iter().cloned()),
        Data::Comparator(comparing) => comparing.children(out),
        Data::Collector(collector) => collector.children(out),
        _ => {}
    }
}

/// About how many bytes an object takes with what it holds directly.
fn size(data: &Data) -> u64 {
    let text = |value: &Value| value.as_str().map_or(0, |s| s.len() as u64 + 32);
    96 + match data {
        Data::List(list) | Data::Queue(list, _) => {
            let list: &List = &list.borrow();
            list.items.iter().map(|v| 16 + text(v)).sum()
        }
        Data::Map(map) | Data::Set(map) => {
            map.borrow().entries.iter().map(|(key, value)| 64 + text(&key.0) + text(value)).sum()
        }
        Data::Array(array) => array.borrow().len() as u64 * 16,
        _ => 0,
    }
}
