//! A document on its way through pipelines: its fields and metadata in one map, and beside it what pipelines say of
//! themselves under `_ingest`.

use super::bounds::Bounds;
use super::foreign::{Foreign, check_copied, check_written};
use super::path::Path;
use crate::error::{Error, ErrorKind, Result};
use crate::java_order::{java_copied, ordered_value, slot, slots_of_filled, sort_among_few_slots};
use crate::json::{Map, Value, java_class};
use ahash::AHashSet;

/// Metadata fields, which stand among the fields of the document while it is processed.
pub const METADATA: &[&str] =
    &["_index", "_id", "_routing", "_version", "_version_type", "_if_seq_no", "_if_primary_term"];

/// A document being processed.
#[derive(Clone, Debug)]
pub struct Document {
    /// An object: metadata first, then the fields.
    pub root: Value,
    /// An object whose one entry `_ingest` is an object.
    ingest: Value,
    /// Ids of the pipelines that are running, the outermost first.
    pub(super) stack: Vec<String>,
    timestamp: String,
    bounds: Bounds,
    /// How many fields it began with, and how many entries the root has had at most since.
    fields: usize,
    most: usize,
    /// What scripts left that JSON has no kind for.
    pub(super) foreign: Vec<Foreign>,
}

impl Document {
    /// A document with its metadata, which go before the fields; `timestamp` becomes `_ingest.timestamp`.
    pub fn new(metadata: Map, source: Map, timestamp: String) -> Self {
        let (mut root, fields) = (metadata, source.len());
        for entry in source.entries {
            // Fields called like metadata give way.
            if !METADATA.contains(&entry.key.as_str()) || !root.contains(&entry.key) {
                root.entries.push(entry);
            }
        }
        let ingest = Map::from_iter([("timestamp", timestamp.clone())]);
        let most = root.len();
        Self {
            root: root.into(),
            ingest: Map::from_iter([("_ingest", ingest)]).into(),
            stack: vec![],
            timestamp,
            bounds: Bounds::default(),
            fields,
            most,
            foreign: vec![],
        }
    }

    pub fn root(&self) -> &Map {
        object(&self.root)
    }

    pub fn root_mut(&mut self) -> &mut Map {
        object_mut(&mut self.root)
    }

    pub fn ingest(&self) -> &Map {
        object(&object(&self.ingest).entries[0].value)
    }

    pub fn ingest_mut(&mut self) -> &mut Map {
        object_mut(&mut object_mut(&mut self.ingest).entries[0].value)
    }

    /// What templates see, the nearest last.
    pub(super) fn scopes(&self) -> [&Value; 2] {
        [&self.root, &self.ingest]
    }

    /// That it can be copied, as scripts and simulations do.
    pub fn check_copied(&self) -> Result<()> {
        check_copied(&self.root, &self.foreign)
    }

    /// That it can be written.
    pub fn check_written(&self) -> Result<()> {
        check_written(&self.root, &self.foreign)
    }

    /// The metadata and the fields apart.
    pub fn split(self) -> (Map, Map) {
        let Value::Object(root) = self.root else { return (Map::new(), Map::new()) };
        let (metadata, source): (Vec<_>, Vec<_>) =
            root.entries.into_iter().partition(|entry| METADATA.contains(&entry.key.as_str()));
        (Map { entries: metadata.into() }, Map { entries: source.into() })
    }

    /// How many slots the reference's map of it has.
    pub(super) fn slots(&self) -> usize {
        slots_of_filled(self.fields, self.most.max(self.root().len()))
    }

    /// The metadata and the fields apart, these in the order in which the reference writes them: that of its hash maps, at all
    /// levels. Takes for granted that they came in the order of the map that they were read into.
    pub fn written(self) -> (Map, Map) {
        let slots = self.slots();
        let (metadata, source) = self.split();
        let mut entries: Vec<_> = source.entries.into_iter().collect();
        entries.sort_by_key(|entry| slot(&entry.key, slots));
        for entry in &mut entries {
            entry.value = ordered_value(std::mem::take(&mut entry.value));
        }
        (metadata, Map { entries: entries.into() })
    }

    /// The same, and what pipelines say of themselves, of a copy of the document.
    pub fn copied(&self) -> (Map, Map, Map) {
        let names = self.root().len();
        let (metadata, source) = self.clone().written();
        let mut entries: Vec<_> = java_copied(source).entries.into_iter().collect();
        sort_among_few_slots(&mut entries, names, |entry| &entry.key);
        (metadata, Map { entries: entries.into() }, java_copied(self.ingest().clone()))
    }

    fn context(&self, path: &Path<'_>) -> &Value {
        if path.ingest { &object(&self.ingest).entries[0].value } else { &self.root }
    }

    fn context_mut(&mut self, path: &Path<'_>) -> &mut Value {
        if path.ingest { &mut object_mut(&mut self.ingest).entries[0].value } else { &mut self.root }
    }

    /// The value at `path`; that nothing is there is an error.
    pub fn get(&self, path: &str) -> Result<&Value> {
        let path = Path::parse(path)?;
        let mut at = self.context(&path);
        for part in &path.parts {
            at = resolve(at, part, &path)?;
        }
        Ok(at)
    }

    /// The value at `path`; with `ignore_missing`, `None` if nothing or null is there.
    pub fn get_or_none(&self, path: &str, ignore_missing: bool) -> Result<Option<&Value>> {
        if ignore_missing && !self.has(path)? {
            return Ok(None);
        }
        Ok(Some(self.get(path)?).filter(|value| !(ignore_missing && value.is_null())))
    }

    /// The text at `path`; null for null.
    pub fn text(&self, path: &str, ignore_missing: bool) -> Result<Option<&str>> {
        match self.get_or_none(path, ignore_missing)? {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if self.is_timestamp(path, text) => {
                Err(no_cast_from(path, "java.time.ZonedDateTime", "java.lang.String"))
            }
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(no_cast(path, other, "java.lang.String")),
        }
    }

    /// Whether it is the moment at which the document came in, which is no text to the reference until it is written.
    fn is_timestamp(&self, path: &str, text: &str) -> bool {
        *text == self.timestamp && Path::parse(path).is_ok_and(|path| path.ingest && path.parts == ["timestamp"])
    }

    /// The list at `path`; null for null.
    pub fn list(&self, path: &str, ignore_missing: bool) -> Result<Option<&[Value]>> {
        match self.get_or_none(path, ignore_missing)? {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Array(items)) => Ok(Some(items)),
            Some(Value::String(text)) if self.is_timestamp(path, text) => {
                Err(no_cast_from(path, "java.time.ZonedDateTime", "java.util.List"))
            }
            Some(other) => Err(no_cast(path, other, "java.util.List")),
        }
    }

    /// Whether there is something at `path`, be it null.
    pub fn has(&self, path: &str) -> Result<bool> {
        self.find(path, false).map(|found| found.is_some())
    }

    /// The same, but an index past the end of a list is an error.
    pub fn has_within_bounds(&self, path: &str) -> Result<bool> {
        self.find(path, true).map(|found| found.is_some())
    }

    fn find(&self, text: &str, fail_out_of_range: bool) -> Result<Option<&Value>> {
        let path = Path::parse(text)?;
        let mut at = self.context(&path);
        for part in &path.parts {
            let next = match at {
                Value::Object(map) => map.get(part),
                Value::Array(items) => match part.parse::<i32>() {
                    Ok(index) => {
                        let found = usize::try_from(index).ok().and_then(|index| items.get(index));
                        if fail_out_of_range && index >= 0 && found.is_none() {
                            return Err(out_of_bounds(index, items.len(), &path));
                        }
                        found
                    }
                    Err(_) => None,
                },
                _ => None,
            };
            match next {
                Some(next) => at = next,
                None => return Ok(None),
            }
        }
        Ok(Some(at))
    }

    /// Puts `value` at `path`; objects on the way are made.
    pub fn set(&mut self, path: &str, value: Value) -> Result<()> {
        self.with_parent(path, value, |parent, leaf, value, path| match parent {
            Value::Object(map) => {
                map.insert(leaf, value);
                Ok(())
            }
            Value::Array(items) => {
                let index = index_of(items, leaf, path)?;
                items[index] = value;
                Ok(())
            }
            other => Err(no_parent("set", leaf, other, path)),
        })
    }

    /// Appends `value`, or its items if it is a list, to what is at `path`, which becomes a list.
    pub fn append(&mut self, path: &str, value: Value, allow_duplicates: bool) -> Result<()> {
        self.with_parent(path, value, |parent, leaf, value, path| match parent {
            Value::Object(map) => match map.get_mut(leaf) {
                Some(slot) => {
                    append_to(slot, value, allow_duplicates);
                    Ok(())
                }
                None => {
                    let mut list = Value::Array(vec![]);
                    append_to(&mut list, value, allow_duplicates);
                    map.insert(leaf, list);
                    Ok(())
                }
            },
            Value::Array(items) => {
                let index = index_of(items, leaf, path)?;
                append_to(&mut items[index], value, allow_duplicates);
                Ok(())
            }
            other => Err(no_parent("set", leaf, other, path)),
        })
    }

    /// Takes away what is at `path`; that nothing is there is an error.
    pub fn remove(&mut self, path: &str) -> Result<()> {
        let path = Path::parse(path)?;
        let (leaf, parents) = path.split()?;
        // Bounds are counted apart from the document that they are of.
        let mut bounds = std::mem::take(&mut self.bounds);
        let removed = self.remove_at(&path, parents, leaf, &mut bounds);
        self.bounds = bounds;
        removed
    }

    fn remove_at(&mut self, path: &Path<'_>, parents: &[&str], leaf: &str, bounds: &mut Bounds) -> Result<()> {
        let mut at = self.context_mut(path);
        for part in parents {
            at = resolve_mut(at, part, path)?;
        }
        match at {
            Value::Object(map) => match map.entries.position(leaf) {
                Some(place) => {
                    bounds.admit_removal(map.len() - place)?;
                    map.entries.remove(place);
                    Ok(())
                }
                None => Err(not_present(leaf, path)),
            },
            Value::Array(items) => {
                let index = index_of(items, leaf, path)?;
                bounds.admit_removal(items.len() - index)?;
                items.remove(index);
                Ok(())
            }
            Value::Null => {
                Err(Error::illegal_argument(format!("cannot remove [{leaf}] from null as part of path [{path}]")))
            }
            other => Err(Error::illegal_argument(format!(
                "cannot remove [{leaf}] from object of type [{}] as part of path [{path}]",
                java_class(other)
            ))),
        }
    }

    /// Hands `value` to `change` with what it is to be put into, made where it is missing.
    fn with_parent(
        &mut self,
        path: &str,
        value: Value,
        change: impl FnOnce(&mut Value, &str, Value, &Path<'_>) -> Result<()>,
    ) -> Result<()> {
        let path = Path::parse(path)?;
        self.bounds.admit(&path, &value)?;
        let (leaf, parents) = path.split()?;
        let mut at = self.context_mut(&path);
        for part in parents {
            if let Value::Object(map) = at {
                if !map.contains(part) {
                    map.insert(*part, Map::new());
                }
                at = map.get_mut(part).expect("it has just been put there");
            } else {
                at = resolve_mut(at, part, &path)?;
            }
        }
        let changed = change(at, leaf, value, &path);
        self.most = self.most.max(self.root().len());
        changed
    }
}

fn object(value: &Value) -> &Map {
    value.as_object().expect("roots of a document are objects")
}

fn object_mut(value: &mut Value) -> &mut Map {
    value.as_object_mut().expect("roots of a document are objects")
}

fn resolve<'v>(at: &'v Value, part: &str, path: &Path<'_>) -> Result<&'v Value> {
    match at {
        Value::Object(map) => map.get(part).ok_or_else(|| not_present(part, path)),
        Value::Array(items) => index_of(items, part, path).map(|index| &items[index]),
        other => Err(unresolvable(part, other, path)),
    }
}

fn resolve_mut<'v>(at: &'v mut Value, part: &str, path: &Path<'_>) -> Result<&'v mut Value> {
    match at {
        Value::Object(map) => map.get_mut(part).ok_or_else(|| not_present(part, path)),
        Value::Array(items) => {
            let index = index_of(items, part, path)?;
            Ok(&mut items[index])
        }
        other => Err(unresolvable(part, other, path)),
    }
}

fn index_of(items: &[Value], part: &str, path: &Path<'_>) -> Result<usize> {
    let index: i32 = part.parse().map_err(|_| {
        Error::illegal_argument(format!(
            "[{part}] is not an integer, cannot be used as an index as part of path [{path}]"
        ))
        .caused_by(Error::new(ErrorKind::NumberFormat, format!("For input string: \"{part}\"")))
    })?;
    usize::try_from(index)
        .ok()
        .filter(|index| *index < items.len())
        .ok_or_else(|| out_of_bounds(index, items.len(), path))
}

/// Appends in place; a single value becomes a list first, unless nothing is to be appended.
fn append_to(slot: &mut Value, value: Value, allow_duplicates: bool) {
    let mut list = match std::mem::take(slot) {
        Value::Array(items) => items,
        one => {
            *slot = one;
            let news = match (&value, allow_duplicates) {
                (Value::Array(items), false) => items.iter().any(|item| item != slot),
                (one, false) => one != slot,
                _ => true,
            };
            if !news {
                return;
            }
            vec![std::mem::take(slot)]
        }
    };
    let values = match value {
        Value::Array(items) => items,
        one => vec![one],
    };
    if allow_duplicates {
        list.extend(values);
    } else {
        append_new(&mut list, values);
    }
    *slot = Value::Array(list);
}

/// Appends what is not there yet.
fn append_new(list: &mut Vec<Value>, values: Vec<Value>) {
    /// Comparisons up to which it is quicker to make them.
    const COMPARED_MAX: usize = 1_000;
    if (list.len() + values.len()).saturating_mul(values.len()) <= COMPARED_MAX {
        for value in values {
            if !list.contains(&value) {
                list.push(value);
            }
        }
        return;
    }
    let mut known: AHashSet<Vec<u8>> = list.iter().map(spelled).collect();
    list.extend(values.into_iter().filter(|value| known.insert(spelled(value))));
}

/// Bytes that equal values have in common: what objects hold stands in the order of names.
fn spelled(value: &Value) -> Vec<u8> {
    fn in_order(value: &mut Value) {
        match value {
            Value::Object(map) => {
                map.sort();
                map.entries.iter_mut().for_each(|entry| in_order(&mut entry.value));
            }
            Value::Array(items) => items.iter_mut().for_each(in_order),
            _ => {}
        }
    }
    match value {
        Value::Object(_) | Value::Array(_) => {
            let mut value = value.clone();
            in_order(&mut value);
            value.to_bytes()
        }
        scalar => scalar.to_bytes(),
    }
}

#[cold]
fn not_present(part: &str, path: &Path<'_>) -> Error {
    Error::illegal_argument(format!("field [{part}] not present as part of path [{path}]"))
}

#[cold]
fn out_of_bounds(index: i32, len: usize, path: &Path<'_>) -> Error {
    Error::illegal_argument(format!(
        "[{index}] is out of bounds for array with length [{len}] as part of path [{path}]"
    ))
}

#[cold]
fn unresolvable(part: &str, at: &Value, path: &Path<'_>) -> Error {
    let of = match at {
        Value::Null => "null".to_owned(),
        other => format!("object of type [{}]", java_class(other)),
    };
    Error::illegal_argument(format!("cannot resolve [{part}] from {of} as part of path [{path}]"))
}

#[cold]
fn no_parent(what: &str, leaf: &str, parent: &Value, path: &Path<'_>) -> Error {
    let parent = match parent {
        Value::Null => "null parent".to_owned(),
        other => format!("parent object of type [{}]", java_class(other)),
    };
    Error::illegal_argument(format!("cannot {what} [{leaf}] with {parent} as part of path [{path}]"))
}

/// The error of a value that is not of the class that a processor asks for.
#[cold]
pub(super) fn no_cast(path: &str, value: &Value, class: &str) -> Error {
    no_cast_from(path, java_class(value), class)
}

#[cold]
fn no_cast_from(path: &str, from: &str, class: &str) -> Error {
    Error::illegal_argument(format!("field [{path}] of type [{from}] cannot be cast to [{class}]"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::java_order::java_ordered;
    use crate::json::parse;

    fn document(source: &str) -> Document {
        let Value::Object(source) = parse(source.as_bytes()).unwrap() else { panic!("an object") };
        Document::new(Map::from_iter([("_index", "i")]), source, "now".into())
    }

    fn shown(document: Document) -> String {
        String::from_utf8(Value::Object(document.split().1).to_bytes()).unwrap()
    }

    #[test]
    fn sets_and_removes() {
        let mut doc = document(r#"{"l":[{},2],"n":null}"#);
        doc.set("a.b.c", Value::Int(1)).unwrap();
        doc.set("l.0.x", Value::Int(9)).unwrap();
        doc.set("_source.s", Value::Int(7)).unwrap();
        doc.set("_ingest.z", Value::Int(7)).unwrap();
        doc.remove("l.1").unwrap();
        assert_eq!(doc.get("_ingest.timestamp").unwrap(), &Value::from("now"));
        for (path, reason) in [
            ("a.b.c.d", "cannot set [d] with parent object of type [java.lang.Integer] as part of path [a.b.c.d]"),
            ("n.a", "cannot set [a] with null parent as part of path [n.a]"),
            ("s.a.b", "cannot resolve [a] from object of type [java.lang.Integer] as part of path [s.a.b]"),
            ("l.5", "[5] is out of bounds for array with length [1] as part of path [l.5]"),
            ("l.x", "[x] is not an integer, cannot be used as an index as part of path [l.x]"),
            ("", "path cannot be null nor empty"),
            ("_source.", "path [_source.] is not valid"),
        ] {
            assert_eq!(doc.set(path, Value::Null).unwrap_err().reason(), reason);
        }
        assert_eq!(doc.remove("zz").unwrap_err().reason(), "field [zz] not present as part of path [zz]");
        assert_eq!(shown(doc), r#"{"l":[{"x":9}],"n":null,"a":{"b":{"c":1}},"s":7}"#);
    }

    #[test]
    fn appends() {
        let mut doc = document(r#"{"s":"x","l":[1]}"#);
        doc.append("s", Value::Array(vec![Value::Int(1), Value::Int(2)]), true).unwrap();
        doc.append("l", Value::Array(vec![Value::Int(1), Value::Int(2)]), false).unwrap();
        doc.append("new.a", Value::Int(1), true).unwrap();
        assert_eq!(shown(doc), r#"{"s":["x",1,2],"l":[1,2],"new":{"a":[1]}}"#);
        // Many are as few are.
        let many = (0..2_000).map(|n| parse(format!(r#"{{"a":{},"b":[1]}}"#, n % 7).as_bytes()).unwrap());
        let mut doc = document(r#"{"l":[{"b":[1],"a":3}]}"#);
        doc.append("l", Value::Array(many.collect()), false).unwrap();
        let all = [3, 0, 1, 2, 4, 5, 6]
            .map(|n| if n == 3 { r#"{"b":[1],"a":3}"#.into() } else { format!(r#"{{"a":{n},"b":[1]}}"#) });
        assert_eq!(shown(doc), format!(r#"{{"l":[{}]}}"#, all.join(",")));
    }

    #[test]
    fn written_as_java_has_it() {
        let source = r#"{"zeta":1,"host":{"name":"h","ip":"1","os":[{"x":1,"family":2,"arch":3}]},"n1":1,"user":"u"}"#;
        let Value::Object(source) = parse(source.as_bytes()).unwrap() else { panic!("an object") };
        let metadata =
            Map::from_iter([("_index", "i"), ("_id", "1"), ("_version", "1"), ("_version_type", "internal")]);
        let mut doc = Document::new(metadata, java_ordered(source), String::new());
        doc.set("added", parse(br#"{"q":1,"b":2}"#).unwrap()).unwrap();
        let shown = |map: Map| String::from_utf8(Value::Object(map).to_bytes()).unwrap();
        assert_eq!(
            shown(doc.copied().1),
            r#"{"zeta":1,"n1":1,"added":{"q":1,"b":2},"host":{"os":[{"x":1,"family":2,"arch":3}],"name":"h","ip":"1"},"user":"u"}"#
        );
        assert_eq!(
            shown(doc.written().1),
            r#"{"zeta":1,"n1":1,"added":{"q":1,"b":2},"host":{"os":[{"x":1,"arch":3,"family":2}],"ip":"1","name":"h"},"user":"u"}"#
        );
    }

    #[test]
    fn taking_out_is_bounded() {
        let names: Vec<String> = (0..12_000).map(|n| format!("\"f{n}\":0")).collect();
        let mut doc = document(&format!("{{{}}}", names.join(",")));
        let taken = (0..12_000).try_for_each(|n| doc.remove(&format!("f{n}")));
        assert!(taken.unwrap_err().reason().contains("one by one"));
    }
}
