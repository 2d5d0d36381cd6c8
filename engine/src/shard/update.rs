//! Updates by a partial document: the merge of JSON objects, and the notice that nothing changed.

use crate::error::{Error, ErrorKind, Result};
use crate::java_order::java_ordered;
use crate::json::{self, Entry, Map, Value};
use crate::script::update::Given;
use crate::script::{self, Script, context::UPDATE};
use ahash::AHashMap;
use bytes::Bytes;

/// The document that results from merging `changes` into `source`, or none if `detect_noop` is set and nothing changes.
/// Objects are merged key by key, everything else replaces what was there; keys keep their place, new ones come last,
/// in the order in which the reference has read them.
pub fn merge(source: &[u8], changes: &[u8], detect_noop: bool) -> Result<Option<Vec<u8>>> {
    let mut document = object(source, "document source")?;
    let changes = java_ordered(object(changes, "doc")?);
    let changed = merge_map(&mut document, changes);
    if detect_noop && !changed {
        return Ok(None);
    }
    Ok(Some(Value::Object(document).to_bytes()))
}

/// What a script is to decide about.
pub struct Scripted<'a> {
    /// What happens if the script does not say otherwise.
    pub op: &'static str,
    /// Index, id and version of a document that exists.
    pub index: Option<(&'a str, &'a str, u64)>,
    pub routing: Option<&'a str>,
    pub source: &'a [u8],
    pub now_ms: u64,
}

pub enum Decision {
    Index(Bytes),
    Delete,
    Nothing,
}

impl Scripted<'_> {
    pub fn run(&self, script: &Script) -> Result<Decision> {
        // What a script leaves behind that is no document is told as it is.
        let failed = |error: Error| match script::update::is_of_document(&error) {
            true => error,
            false => Error::illegal_argument("failed to execute script").caused_by(error),
        };
        let ctx = match self.index {
            Some((index, id, version)) => &[
                ("_routing", self.routing.map_or(Given::Null, Given::Text)),
                ("op", Given::Text(self.op)),
                ("_index", Given::Text(index)),
                ("_source", self.document("document source")?),
                ("_id", Given::Text(id)),
                ("_now", Given::Number(self.now_ms.into())),
                ("_version", Given::Number(version.into())),
            ][..],
            None => &[
                ("op", Given::Text(self.op)),
                ("_source", self.document("upsert")?),
                ("_now", Given::Number(self.now_ms.into())),
            ],
        };
        let now_ms = i64::try_from(self.now_ms).unwrap_or(i64::MAX);
        let changed = script::update::run(script, &UPDATE, ctx, now_ms).map_err(failed)?;
        if changed.cleared {
            const REASON: &str = r#"Cannot invoke "String.hashCode()" because "<local3>" is null"#;
            return Err(Error::new(ErrorKind::NullPointer, REASON));
        }
        Ok(match (changed.op.as_str(), self.index) {
            // What there is nothing of yet was read into hash maps, and is written as they have it.
            (op, None) if op == self.op => {
                Decision::Index(Value::Object(java_ordered(object(&changed.source, "upsert")?)).to_bytes().into())
            }
            (op, _) if op == self.op => Decision::Index(Bytes::from(changed.source)),
            ("delete", _) => Decision::Delete,
            // `none` and `noop` are words of the interface; the reference logs others and does nothing. Nothing is created
            // where there is a document, and nothing replaced where there is none.
            _ => Decision::Nothing,
        })
    }

    /// The document, which is an object.
    fn document(&self, what: &str) -> Result<Given<'_>> {
        if self.source.trim_ascii_start().first() != Some(&b'{') {
            object(self.source, what)?;
        }
        Ok(Given::Document(self.source))
    }
}

/// A partial document in the compact form in which the reference stores what an upsert indexes.
pub fn compact(document: &[u8]) -> Result<Vec<u8>> {
    Ok(Value::Object(object(document, "doc")?).to_bytes())
}

fn object(text: &[u8], what: &str) -> Result<Map> {
    match json::parse(text)? {
        Value::Object(map) => Ok(map),
        _ => Err(Error::new(ErrorKind::Parse, format!("the {what} of an update is not an object"))),
    }
}

/// Depth is bounded by the parser's: both sides came through it.
fn merge_map(document: &mut Map, changes: Map) -> bool {
    let places = places(document, changes.len());
    let mut changed = false;
    for Entry { key, value, .. } in changes.entries {
        let place = match &places {
            Some(places) => places.get(&key).copied(),
            None => document.entries.iter().position(|e| e.key == key),
        };
        match (place.map(|at| &mut document.entries[at].value), value) {
            (None, value) => {
                document.entries.push(Entry { key, value, key_pos: 0, value_pos: 0 });
                changed = true;
            }
            (Some(Value::Object(old)), Value::Object(new)) => changed |= merge_map(old, new),
            (Some(old), new) => {
                changed |= *old != new;
                *old = new;
            }
        }
    }
    changed
}

/// Where each key of the document is, if looking for `look_ups` keys one by one would take long. Keys of the changes are distinct, so
/// what they append is never looked up.
fn places(document: &Map, look_ups: usize) -> Option<AHashMap<String, usize>> {
    let wide = document.len().saturating_mul(look_ups) > 4096;
    wide.then(|| document.entries.iter().enumerate().map(|(at, e)| (e.key.clone(), at)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(source: &str, changes: &str) -> Option<String> {
        merge(source.as_bytes(), changes.as_bytes(), true).unwrap().map(|b| String::from_utf8(b).unwrap())
    }

    #[test]
    fn objects_merge_and_everything_else_replaces() {
        let source = r#"{"a": 1, "o": {"x": 1, "y": [1, 2]}, "z": "s"}"#;
        let expected = r#"{"a":2,"o":{"x":1,"y":[3],"n":null},"z":"s","new":{"k":true}}"#;
        let changes = r#"{"a":2,"o":{"y":[3],"n":null},"new":{"k":true}}"#;
        assert_eq!(merged(source, changes).as_deref(), Some(expected));
        assert_eq!(merged(r#"{"o":{"x":1}}"#, r#"{"o":7}"#).as_deref(), Some(r#"{"o":7}"#));
    }

    #[test]
    fn what_is_new_comes_in_the_order_of_hash_maps() {
        let changes = r#"{"zeta":2,"user":1,"host":{"q":1,"name":[{"ip":1,"arch":2}]},"new1":{"z":1,"b":2},"n1":3}"#;
        let expected =
            r#"{"user":1,"host":{"z":0,"q":1,"name":[{"ip":1,"arch":2}]},"zeta":2,"new1":{"b":2,"z":1},"n1":3}"#;
        assert_eq!(merged(r#"{"user":0,"host":{"z":0}}"#, changes).as_deref(), Some(expected));
    }

    #[test]
    fn nothing_changed_is_noticed() {
        assert_eq!(merged(r#"{"a":1,"o":{"x":1.0,"y":2}}"#, r#"{"o":{"x":1.00}}"#), None);
        assert_eq!(merged(r#"{"a":[{"x":1,"y":2}]}"#, r#"{"a":[{"y":2,"x":1}]}"#), None);
        // An integer is not the decimal of the same value.
        assert_eq!(merged(r#"{"a":1}"#, r#"{"a":1.0}"#).as_deref(), Some(r#"{"a":1.0}"#));
        assert_eq!(merge(br#"{"a": 1}"#, br#"{"a":1}"#, false).unwrap().unwrap(), br#"{"a":1}"#);
    }

    #[test]
    fn wide_objects_merge_as_narrow_ones() {
        let object = |from: usize| {
            let keys: Vec<String> = (from..from + 100).map(|i| format!(r#""k{i}":{i}"#)).collect();
            format!("{{{}}}", keys.join(","))
        };
        assert_eq!(merged(&object(0), &object(0)), None);
        let both = format!("{{{}}}", (0..150).map(|i| format!(r#""k{i}":{i}"#)).collect::<Vec<_>>().join(","));
        let read = |text: &str| json::parse(text.as_bytes()).unwrap();
        assert_eq!(read(&merged(&object(0), &object(50)).unwrap()), read(&both));
    }

    #[test]
    fn scripts_create_nothing_that_is_there() {
        let writes = |op: &'static str, says: &str| {
            let script = Script::new(&format!("ctx.op = '{says}'"), "painless", Value::Object(Map::new()));
            let document = Scripted { op, index: None, routing: None, source: b"{}", now_ms: 0 };
            matches!(document.run(&script).unwrap(), Decision::Index(_))
        };
        assert!(writes("index", "index") && writes("create", "create"));
        assert!(!writes("index", "create") && !writes("create", "index") && !writes("index", "junk"));
    }

    #[test]
    fn what_is_no_object_is_refused() {
        assert!(merge(b"{}", b"[1]", true).is_err());
        assert!(merge(b"{}", b"{", true).is_err());
    }
}
