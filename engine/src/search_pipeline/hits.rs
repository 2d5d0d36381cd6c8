//! Hits as processors see them: complete JSON objects that are read when one looks into them, and written when changed.

use crate::error::Result;
use crate::java_order::java_ordered;
use crate::json::{self, Map, Value};
use memchr::memmem;
use std::borrow::Cow;
use std::collections::HashSet;

/// The hits of an answer, and what of the answer else processors touch.
#[derive(Debug, Default)]
pub struct Hits {
    /// Each hit's complete object.
    pub objects: Vec<Vec<u8>>,
    /// The field that the search, or a processor after it, has collapsed the hits by.
    pub collapsed_by: Option<String>,
    /// Whether hits were taken away: the reference then makes an answer that shows a profile, even an empty one.
    pub made_anew: bool,
}

/// What processors know of an answer before they look at its hits.
pub(super) struct Answered<'a> {
    pub collapsed_by: Option<&'a str>,
    /// Whether the answer is copied after each step, as verbose runs do.
    pub copied: bool,
}

/// What a processor means to do with the hits, and what it remembers from one to the next.
#[derive(Debug, Default)]
pub(super) struct Pass {
    /// Hits that stay at most.
    pub most: Option<usize>,
    /// Whether hits are looked at one by one.
    pub visits: bool,
    /// Whether the answer is made anew, whatever becomes of the hits.
    pub makes_anew: bool,
    /// The field that the answer is collapsed by afterwards.
    pub collapses_by: Option<String>,
    /// Whether the answer is copied afterwards.
    pub copied: bool,
    /// Texts that were seen.
    pub seen: HashSet<String>,
    /// Whether what is looked for was found in any hit so far.
    pub found: bool,
}

impl Pass {
    /// A pass that looks at every hit.
    pub fn visiting() -> Self {
        Self { visits: true, ..Self::default() }
    }
}

/// One hit that is looked at.
#[derive(Debug)]
pub struct Hit {
    object: Map,
    changed: bool,
}

impl Hit {
    pub(super) fn read(bytes: &[u8]) -> Result<Self> {
        let object = match json::parse(bytes)? {
            Value::Object(object) => object,
            _ => Map::new(),
        };
        Ok(Self { object, changed: false })
    }

    /// The object anew, if it has changed.
    pub(super) fn written(self) -> Option<Vec<u8>> {
        self.changed.then(|| Value::Object(self.object).to_bytes())
    }

    /// The id as errors show it, where it may have been left out.
    pub(super) fn id(&self) -> &str {
        self.object.get("_id").and_then(Value::as_str).unwrap_or("null")
    }

    /// The values of a document field.
    pub(super) fn field(&self, name: &str) -> Option<&[Value]> {
        self.object.get("fields")?.get(name)?.as_array()
    }

    pub(super) fn set_field(&mut self, name: &str, values: Vec<Value>) {
        self.change_fields(|fields| fields.insert(name, Value::Array(values)));
    }

    pub(super) fn take_field(&mut self, name: &str) -> Option<Vec<Value>> {
        let mut taken = None;
        self.field(name)?;
        self.change_fields(|fields| taken = fields.remove(name));
        match taken {
            Some(Value::Array(values)) => Some(values),
            _ => None,
        }
    }

    fn change_fields(&mut self, change: impl FnOnce(&mut Map)) {
        if let Some(fields) = self.object.get_mut("fields").and_then(Value::as_object_mut) {
            change(fields);
            *fields = java_ordered(std::mem::take(fields));
            self.changed = true;
        }
    }

    /// A field of the source, at its first level.
    pub(super) fn source(&self, name: &str) -> Option<&Value> {
        self.object.get("_source")?.get(name)
    }

    /// Changes the source. Its fields then stand in the order of a hash map, at all levels.
    pub(super) fn change_source(&mut self, change: impl FnOnce(&mut Map)) {
        if let Some(source) = self.object.get_mut("_source").and_then(Value::as_object_mut) {
            change(source);
            *source = java_ordered(std::mem::take(source));
            self.changed = true;
        }
    }
}

/// A hit as the reference has it once it has been written and read: names of queries are sorted, those of inner hits too.
pub(super) fn copied(hit: &[u8]) -> Result<Cow<'_, [u8]>> {
    if memmem::find(hit, MATCHED.as_bytes()).is_none() {
        return Ok(Cow::Borrowed(hit));
    }
    let mut hit = Hit::read(hit)?.object;
    sort_names(&mut hit);
    Ok(Cow::Owned(Value::Object(hit).to_bytes()))
}

const MATCHED: &str = "matched_queries";

fn sort_names(hit: &mut Map) {
    match hit.get_mut(MATCHED) {
        Some(Value::Array(names)) => names.sort_by(|a, b| a.to_text().encode_utf16().cmp(b.to_text().encode_utf16())),
        Some(Value::Object(scores)) => scores.sort(),
        _ => {}
    }
    let Some(groups) = hit.get_mut("inner_hits").and_then(Value::as_object_mut) else { return };
    let names: Vec<String> = groups.iter().map(|(name, _)| name.to_owned()).collect();
    for name in names {
        let group = groups.get_mut(&name).and_then(Value::as_object_mut);
        let found = group.and_then(|group| group.get_mut("hits")).and_then(Value::as_object_mut);
        if let Some(Value::Array(hits)) = found.and_then(|found| found.get_mut("hits")) {
            hits.iter_mut().filter_map(Value::as_object_mut).for_each(sort_names);
        }
    }
}
