//! One hit while it is fetched, for the parts that make its object.

use crate::error::{Error, Result};
use crate::json::{Map, Value, parse};
use crate::search::SourceSpec;
use crate::segment::{SegmentView, StoredDoc, StoredValue};
use std::cell::OnceCell;
use std::sync::Arc;

/// The document of a hit and what has been read of it.
pub struct FetchedDoc<'a> {
    pub view: &'a SegmentView,
    pub doc: u32,
    pub stored: &'a StoredDoc,
    source: OnceCell<Value>,
}

impl<'a> FetchedDoc<'a> {
    pub fn new(view: &'a SegmentView, doc: u32, stored: &'a StoredDoc) -> Self {
        Self { view, doc, stored, source: OnceCell::new() }
    }

    /// The source as a tree; null if none is kept.
    pub fn source(&self) -> Result<&Value> {
        if let Some(value) = self.source.get() {
            return Ok(value);
        }
        let value = match &self.stored.source {
            Some(source) => parse(source)?,
            None => Value::Null,
        };
        Ok(self.source.get_or_init(|| value))
    }
}

/// Of a source that is not kept no parts can be shown.
pub fn check_whole(asked: &SourceSpec, index: &str) -> Result<()> {
    match asked {
        SourceSpec::Some(select) if !select.is_everything() => Err(Error::illegal_argument(format!(
            "unable to fetch fields from _source field: _source is disabled in the mappings for index [{index}]"
        ))),
        _ => Ok(()),
    }
}

/// The names of the fields of which values were ignored, if the reference comes to read them.
pub fn ignored(stored: &StoredDoc, are_read: bool) -> impl Iterator<Item = &StoredValue> {
    let fields = if are_read { &stored.fields[..] } else { &[] };
    fields.iter().filter(|(name, _)| name == "_ignored").map(|(_, value)| value)
}

/// All values at a dotted path of a document, in its order; arrays give their items.
pub fn values_at<'v>(value: &'v Value, path: &str, out: &mut Vec<&'v Value>) {
    let mut found = vec![];
    values_in(value, path, 0, &mut found);
    out.extend(found.into_iter().map(|(_, value)| value));
}

/// The same, with the number of arrays that each value stands in.
fn values_in<'v>(value: &'v Value, path: &str, depth: usize, out: &mut Vec<(usize, &'v Value)>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| values_in(item, path, depth + 1, out)),
        _ if path.is_empty() => out.push((depth, value)),
        Value::Object(map) => {
            if let Some((inner, rest)) = step(map, path) {
                values_in(inner, rest, depth, out);
            }
        }
        _ => {}
    }
}

/// What a path leads to first, and the rest of it: of the keys that it begins with, the shortest that has a value. What it leads to by
/// longer ones the reference does not see.
fn step<'v, 'p>(map: &'v Map, path: &'p str) -> Option<(&'v Value, &'p str)> {
    let dots = path.match_indices('.').map(|(at, _)| at);
    for end in dots {
        if let Some(inner) = map.get(&path[..end]).filter(|inner| !inner.is_null()) {
            return Some((inner, &path[end + 1..]));
        }
    }
    Some((map.get(path)?, ""))
}

/// The values at all of several paths. Nothing where one of them leads to none: so the reference reads a field that others are
/// copied to. What stands in fewer arrays comes first, as the reference takes arrays apart level by level. `nulls`: whether nulls
/// are values.
pub fn values_at_all<'v>(source: &'v Value, paths: &[Arc<str>], nulls: bool) -> Vec<&'v Value> {
    let mut all = vec![];
    for path in paths {
        let mut own = vec![];
        values_in(source, path, 0, &mut own);
        own.retain(|(_, value)| nulls || !value.is_null());
        if own.is_empty() && !leads_to_array(source, path) {
            return vec![];
        }
        own.sort_by_key(|(depth, _)| *depth);
        all.extend(own.into_iter().map(|(_, value)| value));
    }
    all
}

/// Whether there is an array on a path: where it leads to nothing from there, that is no values instead of none at all.
fn leads_to_array(value: &Value, path: &str) -> bool {
    match value {
        Value::Array(_) => true,
        Value::Object(map) if !path.is_empty() => {
            step(map, path).is_some_and(|(inner, rest)| leads_to_array(inner, rest))
        }
        _ => false,
    }
}

/// What a path leads to: through an array, an array of what it leads to from each of its values, but for nulls.
pub fn extracted(value: &Value, path: &str) -> Option<Value> {
    match value {
        Value::Array(items) => Some(Value::Array(items.iter().filter_map(|item| extracted(item, path)).collect())),
        _ if path.is_empty() => Some(value.clone()).filter(|value| !value.is_null()),
        Value::Object(map) => step(map, path).and_then(|(inner, rest)| extracted(inner, rest)),
        _ => None,
    }
}

/// The values at a dotted path, arrays as they are.
pub fn wholes_at<'v>(value: &'v Value, path: &str, out: &mut Vec<&'v Value>) {
    match value {
        _ if path.is_empty() => out.push(value),
        Value::Array(items) => items.iter().for_each(|item| wholes_at(item, path, out)),
        Value::Object(map) => {
            if let Some((inner, rest)) = step(map, path) {
                wholes_at(inner, rest, out);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_on_a_path_is_no_end_of_it() {
        let source = parse(br#"{"a":1,"b":[],"c":{"d":2},"e":[{"f":[3,null]},{"f":4},5]}"#).unwrap();
        let all = |paths: &[&str]| {
            let paths: Vec<Arc<str>> = paths.iter().map(|path| (*path).into()).collect();
            values_at_all(&source, &paths, false).into_iter().map(Value::to_text).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            (all(&["a", "b.x"]), all(&["a", "e.x"]), all(&["a", "c.x"])),
            ("1".into(), "1".into(), String::new())
        );
        let whole = |path: &str| extracted(&source, path).map(|value| value.to_text());
        assert_eq!((whole("e.f").as_deref(), whole("c.x")), (Some("[[3],4]"), None));
    }

    #[test]
    fn paths_lead_through_arrays_and_dots() {
        let source =
            parse(br#"{"a":[{"b":1},{"b":[2,[3]]},7],"a.b":4,"a.c":{"d":5},"c":null,"c.d":{"e":6},"c.d.e":7}"#)
                .unwrap();
        let at = |path: &str| {
            let mut out = vec![];
            values_at(&source, path, &mut out);
            out.into_iter().map(Value::to_text).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(at("a.b"), "1 2 3");
        assert_eq!(at("a.c.d"), "");
        assert_eq!(at("c.d.e"), "6");
        assert_eq!(at("x"), "");
        let levels = values_at_all(&source, &["a.b".into(), "c.d.e".into()], false);
        assert_eq!(levels.into_iter().map(Value::to_text).collect::<Vec<_>>().join(" "), "1 2 3 6");
    }
}
