//! Nested objects: documents of their own, which stand before the one that they are part of.

use super::value::twice;
use super::walk::{Walk, Walked};
use crate::error::{Error, ErrorKind};
use crate::mapping::field::Family;
use crate::mapping::mapping::{NestedNode, ObjectNode};
use crate::mapping::{DocValues, FieldId};
use crate::writer::FieldOp;
use std::borrow::Cow;
use std::sync::Arc;

/// Where a walk stands among nested objects.
#[derive(Default)]
pub struct Nesting<'a> {
    /// The ops so far of the documents around the current one, outermost first.
    outer: Vec<Vec<FieldOp<'a>>>,
    /// Full names of the nested objects that the walk is in, outermost first.
    paths: Vec<Arc<str>>,
    /// The ops of all nested documents that are complete, each ended by [`FieldOp::EndNested`]: children before the document
    /// that they stand in.
    done: Vec<FieldOp<'a>>,
    count: usize,
}

impl<'w, 'a> Walk<'w, 'a> {
    /// The entries of a nested object, whose opening bracket is consumed.
    pub(super) fn nested_object(&mut self, node: &'w ObjectNode, nested: NestedNode, depth: usize) -> Walked {
        let limit = self.mapping.settings.nested_objects_limit;
        self.nesting.count += 1;
        if self.nesting.count > limit {
            return Err(too_many(limit).into());
        }
        self.nesting.outer.push(std::mem::take(self.ops));
        self.nesting.paths.push(node.name.clone());
        self.object(node, depth)?;
        self.nesting.paths.pop();
        let outer = self.nesting.outer.pop().unwrap_or_default();
        let mut own = std::mem::replace(self.ops, outer);
        let includes = nested.includes;
        if includes.include_in_root || includes.include_in_parent {
            self.refuse_twice_included(&own, includes.include_in_parent);
        }
        match self.nesting.outer.first_mut() {
            Some(root) if includes.include_in_root => root.extend_from_slice(&own),
            None if includes.include_in_root && !includes.include_in_parent => self.ops.extend_from_slice(&own),
            _ => {}
        }
        if includes.include_in_parent {
            self.ops.extend_from_slice(&own);
        }
        let path = Cow::Owned(node.name.as_bytes().to_vec());
        own.push(FieldOp::Term { field: self.mapping.nested_path_field, value: path });
        own.push(FieldOp::EndNested);
        self.nesting.done.append(&mut own);
        Ok(())
    }

    /// Of what has all its values in one (ranges, shapes, bytes) a document can include one nested document's alone.
    fn refuse_twice_included(&mut self, own: &[FieldOp<'a>], in_parent: bool) {
        let alone = |id: &FieldId| {
            let field = self.mapping.by_id(*id);
            field.spec.doc_values != DocValues::None
                && matches!(field.family(), Family::Range | Family::GeoShape | Family::Binary)
        };
        let includer = match self.nesting.outer.first() {
            Some(root) if !in_parent => root,
            _ => &*self.ops,
        };
        let of = |op: &FieldOp| if let FieldOp::Ordinal { field, .. } = op { Some(*field) } else { None };
        let second = own.iter().filter_map(of).filter(alone).find(|id| includer.iter().any(|op| of(op) == Some(*id)));
        if let Some(id) = second.filter(|_| self.refusal.is_none()) {
            self.refusal = Some(twice(&self.mapping.by_id(id).name));
        }
    }

    /// Runs `write` with the ops of the document that a field of this name belongs to: the innermost around the walk whose
    /// path the name begins with.
    pub(super) fn in_scope_of(&mut self, name: &str, write: impl FnOnce(&mut Self) -> Walked) -> Walked {
        let begins = |path: &Arc<str>| name.strip_prefix(&**path).is_some_and(|rest| rest.starts_with('.'));
        let level = self.nesting.paths.iter().rposition(begins).map_or(0, |at| at + 1);
        if level == self.nesting.outer.len() {
            return write(self);
        }
        std::mem::swap(self.ops, &mut self.nesting.outer[level]);
        let written = write(self);
        std::mem::swap(self.ops, &mut self.nesting.outer[level]);
        written
    }

    /// Puts the nested documents before the root.
    pub(super) fn write_nested(&mut self) {
        if self.nesting.done.is_empty() {
            return;
        }
        let mut block = std::mem::take(&mut self.nesting.done);
        block.append(self.ops);
        *self.ops = block;
    }
}

#[cold]
fn too_many(limit: usize) -> Error {
    Error::new(
        ErrorKind::MapperParsing,
        format!(
            "The number of nested documents has exceeded the allowed limit of [{limit}]. This limit can be set by changing the [index.mapping.nested_objects.limit] index level setting."
        ),
    )
}

/// A dotted key, `path`, leads through a nested object.
#[cold]
pub(super) fn refuse_through(path: &str, nested: &str) -> Error {
    Error::new(
        ErrorKind::MapperParsing,
        format!(
            "Cannot add a value for field [{path}] since one of the intermediate objects is mapped as a nested object: [{nested}]"
        ),
    )
}
