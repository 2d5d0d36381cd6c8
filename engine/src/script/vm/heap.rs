//! Who owns objects. Everything that holds other values is listed here while the script runs, so that nothing is freed
//! recursively, cycles are no leaks, and memory can be counted.

use super::super::error::{Failed, Outcome, throw};
use super::super::value::{Array, Data, Iter, Map, Obj, Value};
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
    /// What those came to that stay, when they were told to.
    kept_size: u64,
    /// What was left when it was last looked at what can be reached.
    settled_bytes: u64,
}

impl Heap {
    pub fn new(limit_bytes: u64) -> Self {
        Self { owned: vec![], bytes: 0, limit_bytes, kept: 0, kept_bytes: 0, kept_size: 0, settled_bytes: 0 }
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
        (self.kept, self.kept_bytes, self.settled_bytes) = (self.owned.len(), self.bytes, self.bytes);
        self.kept_size = self.owned.iter().map(|obj| size(&obj.data)).sum();
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What came since it was last looked at what can be reached.
    pub fn unsettled(&self) -> u64 {
        self.bytes.saturating_sub(self.settled_bytes)
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
        let sizes = self.owned.iter().map(|obj| size(&obj.data)).sum::<u64>();
        self.bytes = self.kept_bytes + sizes.saturating_sub(self.kept_size);
        self.settled_bytes = self.bytes;
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

/// About how many bytes an object takes with the texts and the like that it holds.
fn size(data: &Data) -> u64 {
    let each = match data {
        Data::Map(_) | Data::Set(_) => 32,
        _ => 16,
    };
    let mut held = vec![];
    children(data, &mut held);
    96 + held.iter().map(|value| each + leaf_size(value)).sum::<u64>()
}

fn leaf_size(value: &Value) -> u64 {
    match value {
        Value::Str(text) => text.len() as u64 + 32,
        Value::Obj(obj) => match &obj.data {
            Data::Builder(_, text, _) => text.borrow().len() as u64 + 96,
            Data::Array(array) => array.borrow().len() as u64 * 8 + 96,
            data if data.is_leaf() => 96,
            _ => 0,
        },
        _ => 0,
    }
}
