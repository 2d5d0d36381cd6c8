//! Where nested documents stand: in which document, and at which place of an array.

use crate::json::{Map, Value, Writer};
use crate::mapping::Mapping;
use crate::segment::{Roots, SegmentView};

/// Documents that others are nested in.
pub struct NestedPlace {
    /// Their own path; none if they are roots.
    above: Option<String>,
    /// The documents around that are nested themselves, of the segment seen last.
    seen: Option<(u32, Roots)>,
}

impl NestedPlace {
    pub fn new(above: Option<&str>) -> Self {
        Self { above: above.map(str::to_owned), seen: None }
    }

    /// The first document that may be nested in `doc`.
    pub fn first_within(&mut self, view: &SegmentView, segment: u32, doc: u32) -> u32 {
        let Some(roots) = view.segment.roots() else { return doc };
        let after = |set: &Roots| set.before(doc).map_or(0, |before| before + 1);
        let Some(above) = &self.above else { return after(roots) };
        if self.seen.as_ref().is_none_or(|(known, _)| *known != segment) {
            self.seen = Some((segment, view.nested_docs(above)));
        }
        let around = self.seen.as_ref().map_or(0, |(_, set)| after(set));
        around.max(after(roots))
    }
}

/// The path that a document is nested under; none if it is a root.
pub fn nested_path_of<'m>(view: &SegmentView, mapping: &'m Mapping, doc: u32) -> Option<&'m str> {
    if view.segment.is_root(doc) {
        return None;
    }
    mapping.nested_paths().find(|path| view.nested_docs(path).contains(doc))
}

/// A step from a document to one nested in it.
#[derive(Debug, PartialEq)]
pub struct NestedStep {
    /// Relative to the step before.
    pub field: String,
    pub offset: usize,
}

/// The steps that lead from the root to a nested document under `path`.
pub fn steps_to(view: &SegmentView, mapping: &Mapping, path: &str, doc: u32) -> Vec<NestedStep> {
    let Some(roots) = view.segment.roots() else { return vec![] };
    let mut levels = vec![path];
    while let Some(above) = levels.last().and_then(|path| path.rsplit_once('.')) {
        let Some(above) = mapping.nested_scope(above.0) else { break };
        levels.push(above);
    }
    let (mut steps, mut before) = (vec![], String::new());
    let mut first = roots.before(doc).map_or(0, |before| before + 1);
    for level in levels.into_iter().rev() {
        let own = view.nested_docs(level);
        let around = own.from(doc);
        let (mut offset, mut at) = (0, own.from(first));
        while at < around {
            offset += 1;
            first = at + 1;
            at = own.from(at + 1);
        }
        let field = level.strip_prefix(&before).unwrap_or(level).to_owned();
        steps.push(NestedStep { field, offset });
        before = format!("{level}.");
    }
    steps
}

/// Writes the object under `_nested`.
pub fn write_steps(steps: &[NestedStep], w: &mut Writer) {
    let Some((step, rest)) = steps.split_first() else { return };
    w.key("_nested").begin_object();
    w.key("field").string(&step.field);
    w.key("offset").u64(step.offset as u64);
    write_steps(rest, w);
    w.end_object();
}

/// The part of a root's source that a nested document was made of, at its path: nothing else is left of the source.
pub fn source_at(source: &Value, steps: &[NestedStep]) -> Value {
    let mut found = source;
    for step in steps {
        let mut items = vec![];
        super::fetch::values_at(found, &step.field, &mut items);
        match items.get(step.offset) {
            Some(item) => found = item,
            None => return Value::Null,
        }
    }
    let mut value = found.clone();
    for name in steps.iter().rev().flat_map(|step| step.field.rsplit('.')) {
        value = Value::Object(Map::from_iter([(name, value)]));
    }
    value
}

/// What stands at the end of the steps, once all else has been left out.
pub fn innermost<'v>(source: &'v Value, steps: &[NestedStep]) -> Option<&'v Value> {
    steps.iter().flat_map(|step| step.field.split('.')).try_fold(source, |value, name| value.get(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn steps_lead_to_parts_of_a_source() {
        let source = parse(br#"{"a":[{"o":{"b":[{"x":1},{"x":2}]}},{"o":{"b":{"x":3}}}],"z":1}"#).unwrap();
        let at = |first: usize, second: usize| {
            let steps =
                [NestedStep { field: "a".into(), offset: first }, NestedStep { field: "o.b".into(), offset: second }];
            let part = source_at(&source, &steps);
            (part.to_text(), innermost(&part, &steps).map(Value::to_text))
        };
        assert_eq!(at(0, 1), (r#"{"a":{"o":{"b":{"x":2}}}}"#.into(), Some(r#"{"x":2}"#.into())));
        assert_eq!(at(1, 0), (r#"{"a":{"o":{"b":{"x":3}}}}"#.into(), Some(r#"{"x":3}"#.into())));
        assert_eq!(at(1, 1).1, None);
    }
}
