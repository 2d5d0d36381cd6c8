//! Fields that the mapping does not know: what the document is refused for, and what the mapping is asked for.

use super::nested::refuse_through;
use super::preview::preview;
use super::value::{Scalar, Sink, Token};
use super::walk::{Walk, Walked, check_depth, failed_to_parse, no_alias_value, no_value};
use crate::error::{Error, ErrorKind};
use crate::mapping::compile::{build_field, too_many_fields};
use crate::mapping::definition::{Child, Dynamic, FieldDefinition, full_name, object_below_flat};
use crate::mapping::dynamic::{Admission, NewField};
use crate::mapping::mapping::{ObjectNode, Target, wrap_parse_error};
use crate::mapping::types::{self, RESERVED};
use std::sync::Arc;

/// How many new fields beyond what a mapping may have are looked at.
const BEYOND_LIMIT_MAX: usize = 4_096;

/// The object that holds a field which the mapping does not know: known itself, or new too.
#[derive(Clone)]
pub(super) enum Parent<'w> {
    Known(&'w ObjectNode),
    New {
        name: String,
        dynamic: Dynamic,
        /// What it says itself of fields that it does not know.
        own: Option<Dynamic>,
    },
}

impl Parent<'_> {
    fn name(&self) -> &str {
        match self {
            Self::Known(node) => &node.name,
            Self::New { name, .. } => name,
        }
    }

    fn dynamic(&self) -> Dynamic {
        match self {
            Self::Known(node) => node.dynamic,
            Self::New { dynamic, .. } => *dynamic,
        }
    }

    pub(super) fn full_name(&self, key: &str) -> String {
        full_name(self.name(), key)
    }
}

impl<'w, 'a> Walk<'w, 'a> {
    /// A key that the object does not have under this very name: a path, or a new field.
    #[cold]
    #[inline(never)]
    pub(super) fn unknown(&mut self, node: &'w ObjectNode, key: &str, depth: usize) -> Walked {
        check_key(key)?;
        if node.name.is_empty() && RESERVED.contains(&key) {
            return Err(self.refuse_reserved(key).into());
        }
        if node.name.is_empty() && self.mapping.definition.derived.contains_key(key) {
            return self.refuse_derived(key);
        }
        let first = self.reader.peek()?;
        if first == b'n' {
            return self.unknown_null(node, key, depth);
        }
        let Some((parent, last)) = self.parent_of(node, key, true)? else { return self.skip(depth) };
        if let Parent::Known(inner) = &parent {
            let inner: &'w ObjectNode = inner;
            if !inner.enabled {
                return self.skip(depth);
            }
            if let Some(target) = inner.find(self.mapping.hasher.hash_one(last), last) {
                return self.known(target, Some(key), depth);
            }
        }
        let admission = self.admit_value(node, &parent, last, first)?;
        self.new_value(&parent, last, admission, depth, true)
    }

    /// Whether a new field may come into being below `parent` for a value that begins with `first`. A new object is refused in the name
    /// of the object that is being read, `node`, wherever its name leads.
    fn admit_value(&self, node: &'w ObjectNode, parent: &Parent<'w>, key: &str, first: u8) -> Walked<Admission> {
        if first != b'{' {
            return self.admit(parent, key);
        }
        let templated = || self.mapping.template_for_array(&parent.full_name(key), key);
        match parent.dynamic() {
            Dynamic::Strict => Err(refuse_strict(Dynamic::Strict, &node.name, key).into()),
            Dynamic::StrictAllowTemplates if !templated() => {
                Err(refuse_strict(Dynamic::StrictAllowTemplates, &node.name, key).into())
            }
            _ => self.admit(parent, key),
        }
    }

    /// A null under a key that the object does not have under this very name. It makes no field: it is that of a field which its path
    /// leads to, or refused if the object itself (not one around it) says so.
    fn unknown_null(&mut self, node: &'w ObjectNode, key: &str, depth: usize) -> Walked {
        let path = key.trim_end_matches('.');
        let mut at = node;
        let (objects, last) = path.rsplit_once('.').map_or((None, path), |(objects, last)| (Some(objects), last));
        for part in objects.into_iter().flat_map(|objects| objects.split('.')) {
            let Some(Target::Object(inner)) = at.find(self.mapping.hasher.hash_one(part), part) else {
                return self.null_of_none(self.mapping.own_dynamic(&node.name), &node.name, key, depth);
            };
            at = &self.mapping.nodes[*inner as usize];
            if at.nested.is_some() {
                return Err(refuse_through(path, &at.name).into());
            }
        }
        match at.find(self.mapping.hasher.hash_one(last), last) {
            Some(target) if at.enabled => self.known(target, Some(last), depth),
            _ => self.null_of_none(self.mapping.own_dynamic(&node.name), &node.name, key, depth),
        }
    }

    fn null_of_none(&mut self, own: Option<Dynamic>, within: &str, key: &str, depth: usize) -> Walked {
        match own {
            Some(dynamic @ (Dynamic::Strict | Dynamic::StrictAllowTemplates)) => {
                Err(refuse_strict(dynamic, within, key).into())
            }
            _ => self.skip(depth),
        }
    }

    /// A derived field, which scripts alone give values.
    fn refuse_derived(&mut self, key: &str) -> Walked {
        if self.reader.peek()? == b'[' {
            return self.items(|walk| walk.refuse_derived(key));
        }
        let shown = preview(self.source.get(self.reader.at..).unwrap_or_default());
        let cause = Error::new(ErrorKind::UnsupportedOperation, "should not be invoked");
        Err(self.refusal_of(key, "derived", shown, cause).into())
    }

    pub(super) fn refuse_reserved(&mut self, key: &str) -> Error {
        let preview = preview(self.source.get(self.reader.at..).unwrap_or_default());
        let cause = Error::new(
            ErrorKind::MapperParsing,
            format!(
                "Field [{key}] is a metadata field and cannot be added inside a document. Use the index API request parameters."
            ),
        );
        self.refusal_of(key, key, preview, cause)
    }

    /// The object that holds the last part of a dotted key, and that part. New objects on the way are noted if `note` (for
    /// a null none come into being); `None` if one of them is not wanted.
    pub(super) fn parent_of<'k>(
        &mut self,
        node: &'w ObjectNode,
        key: &'k str,
        note: bool,
    ) -> Walked<Option<(Parent<'w>, &'k str)>> {
        let path = key.trim_end_matches('.');
        let mut parent = Parent::Known(node);
        let Some((objects, last)) = path.rsplit_once('.') else { return Ok(Some((parent, path))) };
        for part in objects.split('.') {
            if let Parent::Known(node) = parent {
                if !node.enabled {
                    return Ok(None);
                }
                match node.find(self.mapping.hasher.hash_one(part), part) {
                    Some(Target::Object(at)) => {
                        let inner = &self.mapping.nodes[*at as usize];
                        if inner.nested.is_some() {
                            return Err(refuse_through(path, &inner.name).into());
                        }
                        parent = Parent::Known(inner);
                        continue;
                    }
                    Some(Target::Leaf(leaf)) => {
                        let Some(id) = leaf.fields.first() else { return Ok(None) };
                        let field = self.mapping.by_id(*id);
                        return Err(refuse_below(&field.name, field.type_name, path).into());
                    }
                    Some(Target::Alias(name)) => return Err(refuse_below(name, types::ALIAS, path).into()),
                    None if node.name.is_empty() && self.mapping.definition.derived.contains_key(part) => {
                        return Err(refuse_below(part, "derived", path).into());
                    }
                    None => {}
                }
            }
            let admission = self.admit(&parent, part)?;
            match self.new_object(&parent, part, admission, note)? {
                Some(inner) => parent = inner,
                None => return Ok(None),
            }
        }
        Ok(Some((parent, last)))
    }

    /// Whether a new field may come into being below `parent`.
    pub(super) fn admit(&self, parent: &Parent, key: &str) -> Walked<Admission> {
        match parent.dynamic() {
            Dynamic::True => Ok(Admission::Any),
            Dynamic::False => Ok(Admission::Nothing),
            Dynamic::FalseAllowTemplates => Ok(Admission::Templates),
            Dynamic::StrictAllowTemplates => Ok(Admission::TemplatesOrError),
            Dynamic::Strict => Err(refuse_below_strict(parent, key).into()),
        }
    }

    /// The value of a new field.
    ///
    /// `named`: it stands behind its name, and not in an array.
    pub(super) fn new_value(
        &mut self,
        parent: &Parent<'w>,
        key: &str,
        admission: Admission,
        depth: usize,
        named: bool,
    ) -> Walked {
        check_depth(depth)?;
        if admission == Admission::Nothing {
            return self.skip(depth);
        }
        match self.reader.peek()? {
            b'{' => match self.new_object(parent, key, admission, true)? {
                Some(inner) => {
                    self.reader.at += 1;
                    self.new_entries(&inner, depth + 1)
                }
                None => self.skip(depth),
            },
            b'[' => {
                let templated = self.mapping.templated_array(&parent.full_name(key), key)?;
                match (templated, admission) {
                    (Some(Child::Field(field)), _) if takes_arrays(&field) => self.new_array(parent, key, field, depth),
                    (None, Admission::TemplatesOrError) => Err(refuse_below_strict(parent, key).into()),
                    (None, Admission::Templates) => self.skip(depth),
                    _ => self.array(|walk| walk.new_value(parent, key, admission, depth + 1, false)),
                }
            }
            _ => {
                let token = Token { named, ..self.scalar()? };
                match (&token.value, admission) {
                    (Scalar::Null, Admission::TemplatesOrError) => Err(refuse_below_strict(parent, key).into()),
                    (Scalar::Null, _) => Ok(()),
                    _ => self.new_scalar(parent, key, &token, admission, true),
                }
            }
        }
    }

    /// An array that a template has made one value of.
    fn new_array(&mut self, parent: &Parent<'w>, key: &str, field: FieldDefinition, depth: usize) -> Walked {
        let name = parent.full_name(key);
        let token = self.whole(Scalar::Array, depth)?;
        self.try_value(&field, &name.as_str().into(), &token)?;
        self.add(&name, Child::Field(field))
    }

    /// The entries of a new object, whose opening bracket is consumed.
    fn new_entries(&mut self, parent: &Parent<'w>, depth: usize) -> Walked {
        check_depth(depth)?;
        self.enter_object()?;
        self.entries(|walk, key, _| {
            check_key(key)?;
            walk.new_entry(parent, key.trim_end_matches('.'), depth)
        })?;
        self.objects -= 1;
        Ok(())
    }

    fn new_entry(&mut self, parent: &Parent<'w>, path: &str, depth: usize) -> Walked {
        let (objects, last) = path.rsplit_once('.').map_or((None, path), |(objects, last)| (Some(objects), last));
        if self.reader.peek()? == b'n' {
            let own = match parent {
                Parent::Known(node) => self.mapping.own_dynamic(&node.name),
                Parent::New { own, .. } => *own,
            };
            return self.null_of_none(own, parent.name(), path, depth);
        }
        let mut parent = parent.clone();
        for part in objects.into_iter().flat_map(|objects| objects.split('.')) {
            let admission = self.admit(&parent, part)?;
            match self.new_object(&parent, part, admission, true)? {
                Some(inner) => parent = inner,
                None => return self.skip(depth),
            }
        }
        let admission = self.admit(&parent, last)?;
        self.new_value(&parent, last, admission, depth, true)
    }

    /// Makes a new object and notes it if `note`. `None` if what is in it is to be left alone.
    fn new_object(
        &mut self,
        parent: &Parent<'w>,
        key: &str,
        admission: Admission,
        note: bool,
    ) -> Walked<Option<Parent<'w>>> {
        let name = parent.full_name(key);
        if let (Parent::Known(ObjectNode { flat: true, name: above, .. }), true) =
            (parent, admission != Admission::Nothing)
        {
            return Err(refuse_object(&name, above).into());
        }
        match self.mapping.new_object(&name, key, admission)? {
            NewField::None if admission == Admission::TemplatesOrError => Err(refuse_below_strict(parent, key).into()),
            NewField::None => Ok(None),
            NewField::Field(child) => {
                let inner = child.as_object().map(|object| (object.disabled, object.dynamic));
                if let Child::Field(definition) = &child {
                    // A template has made a value of it.
                    let start = self.reader.at;
                    let token = self.whole(Scalar::Object, 1)?;
                    self.reader.at = start;
                    self.try_value(definition, &name.as_str().into(), &token)?;
                }
                if note {
                    self.add(&name, child)?;
                }
                let Some((false, dynamic)) = inner else { return Ok(None) };
                Ok(Some(Parent::New { name, dynamic: dynamic.unwrap_or(parent.dynamic()), own: dynamic }))
            }
        }
    }

    /// Notes a new field for a scalar. What was copied is not copied on.
    pub(super) fn new_scalar(
        &mut self,
        parent: &Parent<'w>,
        key: &str,
        token: &Token<'a>,
        admission: Admission,
        copies: bool,
    ) -> Walked {
        if admission == Admission::Nothing {
            return Ok(());
        }
        let name = parent.full_name(key);
        match self.mapping.new_scalar(&name, key, token, admission)? {
            NewField::None if admission == Admission::TemplatesOrError => Err(refuse_below_strict(parent, key).into()),
            NewField::None => Ok(()),
            NewField::Field(child) => {
                if child.as_object().is_some_and(|object| !object.disabled) {
                    return Err(no_value(&name, token.named.then_some(key)).into());
                }
                if let Child::Field(definition) = &child {
                    self.try_value(definition, &name.as_str().into(), token)?;
                    let targets: Vec<Arc<str>> = definition.copy_to.iter().map(|name| name.as_str().into()).collect();
                    if copies {
                        self.copy(&targets, token)?;
                    }
                }
                self.add(&name, child)
            }
        }
    }

    /// Hands a value to a new field, to see whether it takes it: a document that fails changes no mapping.
    fn try_value(&mut self, definition: &FieldDefinition, name: &Arc<str>, token: &Token<'a>) -> Walked {
        if definition.row.name == types::ALIAS {
            return Err(no_alias_value(name).into());
        }
        let field = build_field(definition, name, &self.mapping.analysis)?;
        let (mut ops, mut ignored) = (vec![], vec![]);
        let (mut shown, refusal) = (None, &mut self.refusal);
        let mut sink = Sink {
            ops: &mut ops,
            ignored: &mut ignored,
            id: self.id,
            key: name.rsplit('.').next().unwrap_or(name),
            routed: self.routed,
            shown: &mut shown,
            refusal,
        };
        if let Err(cause) = field.kind.index(&field, token, &mut sink)
            && !self.passes_over(&field)
        {
            return Err(self.refuse_value(&field, token, shown, cause).into());
        }
        for (key, inner) in &definition.fields {
            self.try_value(inner, &format!("{name}.{key}").into(), token)?;
        }
        Ok(())
    }

    /// Notes a new field. Two that do not go together are an error, but only once all values have been read. So are too many, as long as
    /// they can be looked at in a few milliseconds.
    fn add(&mut self, name: &str, child: Child) -> Walked {
        self.additions.note(name, &child);
        match self.change.add(name, child, self.mapping) {
            Ok(is_new) => self.added += usize::from(is_new),
            Err(error) => drop(self.conflict.get_or_insert(error)),
        }
        let limit = self.mapping.settings.total_fields_limit;
        match self.added > limit.saturating_add(BEYOND_LIMIT_MAX) {
            true => Err(too_many_fields(limit).into()),
            false => Ok(()),
        }
    }
}

/// Whether a new field takes an array as one value.
fn takes_arrays(field: &FieldDefinition) -> bool {
    field.row.name == "geo_point"
}

#[cold]
pub(super) fn refuse_below_strict(parent: &Parent, key: &str) -> Error {
    refuse_strict(parent.dynamic(), parent.name(), key)
}

#[cold]
fn refuse_strict(dynamic: Dynamic, within: &str, key: &str) -> Error {
    let (dynamic, within) = (dynamic.name(), if within.is_empty() { "_doc" } else { within });
    Error::new(
        ErrorKind::StrictDynamicMapping,
        format!("mapping set to {dynamic}, dynamic introduction of [{key}] within [{within}] is not allowed"),
    )
}

/// A path leads through a field that is no object.
#[cold]
fn refuse_below(name: &str, type_name: &str, path: &str) -> Error {
    Error::new(
        ErrorKind::MapperParsing,
        format!(
            "Could not dynamically add mapping for field [{path}]. Existing mapping for [{name}] must be of type object but found [{type_name}]."
        ),
    )
}

/// A path leads to an object below one that has none.
#[cold]
fn refuse_object(full: &str, parent: &str) -> Error {
    let name = if parent.is_empty() { "_doc" } else { parent.rsplit('.').next().unwrap_or(parent) };
    wrap_parse_error(&Error::new(ErrorKind::MapperParsing, object_below_flat(full, name)))
}

/// Refuses keys that name no field.
fn check_key(key: &str) -> Walked {
    let reason = match key {
        "" => Some("field name cannot be an empty string".to_owned()),
        _ => ambiguity(key),
    };
    reason.map_or(Ok(()), |reason| Err(failed_to_parse(Error::illegal_argument(reason)).into()))
}

/// Why it cannot be told what a path that is not empty names, if it has dots. Those at its end do not count.
pub(super) fn ambiguity(path: &str) -> Option<String> {
    if !path.contains('.') {
        return None;
    }
    let trimmed = path.trim_end_matches('.');
    Some(match trimmed.split('.').find(|part| part.trim().is_empty())? {
        _ if trimmed.is_empty() => "field name cannot contain only the character [.]".to_owned(),
        "" => format!("object field starting or ending with a [.] makes object resolution ambiguous: [{path}]"),
        _ => format!("object field cannot contain only whitespace: ['{path}']"),
    })
}
