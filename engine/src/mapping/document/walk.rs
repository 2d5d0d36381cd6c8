//! One pass over a document along the mapping's tree.

use super::keys::Keys;
use super::preview::preview;
use super::reader::{Malformed, Reader};
use super::value::{Scalar, Sink, Token};
use crate::error::{Error, ErrorKind, Result};
use crate::json::{self, Value};
use crate::mapping::definition::{Dynamic, RootDefinition};
use crate::mapping::dynamic::{Admission, NewField};
use crate::mapping::mapping::{Leaf, ObjectNode, Target};
use crate::mapping::types::RESERVED;
use crate::mapping::{Field, FieldId, Mapping};
use crate::segment::StoredValue;
use crate::writer::FieldOp;
use std::borrow::Cow;
use std::sync::Arc;

/// Deepest nesting of arrays and objects, as for all JSON.
const MAX_DEPTH: usize = 1000;

/// How often a document may ask for further fields after those that it asked for at first are there (by `copy_to` of
/// templates). One round is what happens.
const MAX_ROUNDS: usize = 10;

/// What became of a document.
#[derive(Clone, Debug, PartialEq)]
pub enum Parsed {
    /// The ops are complete.
    Ready,
    /// The mapping must be merged with this first; then the document is parsed again.
    NeedsMapping(Value),
}

/// Memory that is reused from document to document.
#[derive(Debug, Default)]
pub struct DocumentScratch {
    keys: Keys,
    ignored: Vec<FieldId>,
}

/// Parses one document. See [`Mapping::parse_document`].
pub fn parse<'a>(
    mapping: &Mapping,
    source: &'a [u8],
    id: &str,
    scratch: &mut DocumentScratch,
    ops: &mut Vec<FieldOp<'a>>,
) -> Result<Parsed> {
    let mut change = pass(mapping, source, id, scratch, ops)?;
    if change.root.properties.is_empty() {
        return Ok(Parsed::Ready);
    }
    // Only what the whole document agrees to may become part of the mapping, so it is tried before it is asked for.
    for _ in 0..MAX_ROUNDS {
        let candidate = mapping.merge(&change.to_value())?;
        let more = pass(&candidate, source, id, scratch, ops)?;
        if more.root.properties.is_empty() {
            break;
        }
        change.merge(more)?;
    }
    ops.clear();
    Ok(Parsed::NeedsMapping(change.to_value()))
}

/// Goes over the document once; gives the fields that the mapping does not have yet.
fn pass<'a>(
    mapping: &Mapping,
    source: &'a [u8],
    id: &str,
    scratch: &mut DocumentScratch,
    ops: &mut Vec<FieldOp<'a>>,
) -> Result<RootDefinition> {
    ops.clear();
    scratch.keys.clear();
    scratch.ignored.clear();
    let Ok(text) = std::str::from_utf8(source) else { return Err(malformed(source)) };
    let mut walk = Walk {
        mapping,
        id,
        reader: Reader::new(text),
        source,
        keys: &mut scratch.keys,
        ignored: &mut scratch.ignored,
        ops,
        refusal: None,
        change: RootDefinition::default(),
    };
    match walk.document() {
        Ok(()) => {}
        Err(Stop::Malformed) => return Err(malformed(source)),
        Err(Stop::Error(error)) => return Err(error),
    }
    let (refusal, change) = (walk.refusal.take(), std::mem::take(&mut walk.change));
    walk.write_ignored();
    match refusal {
        Some(error) if change.root.properties.is_empty() => Err(error),
        _ => Ok(change),
    }
}

/// Why a walk ends early.
enum Stop {
    Malformed,
    Error(Error),
}

impl From<Malformed> for Stop {
    fn from(_: Malformed) -> Self {
        Self::Malformed
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

type Walked<T = ()> = std::result::Result<T, Stop>;

#[cold]
fn failed_to_parse(cause: Error) -> Error {
    Error::new(ErrorKind::MapperParsing, "failed to parse").caused_by(cause)
}

/// The reference's words for what is wrong with a text.
#[cold]
fn malformed(source: &[u8]) -> Error {
    let cause = match json::parse(source) {
        Err(cause) => cause,
        // Depth and size limits of ours that the other reader does not share.
        Ok(_) => Error::new(ErrorKind::JsonParse, "The document is malformed or nested too deeply"),
    };
    failed_to_parse(cause)
}

/// The object that holds a field which the mapping does not know: known itself, or new too.
#[derive(Clone)]
enum Parent<'w> {
    Known(&'w ObjectNode),
    New { name: String, dynamic: Dynamic },
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

    fn full_name(&self, key: &str) -> String {
        let name = self.name();
        if name.is_empty() { key.to_owned() } else { format!("{name}.{key}") }
    }
}

struct Walk<'w, 'a> {
    mapping: &'w Mapping,
    id: &'w str,
    reader: Reader<'a>,
    source: &'a [u8],
    keys: &'w mut Keys,
    ignored: &'w mut Vec<FieldId>,
    ops: &'w mut Vec<FieldOp<'a>>,
    refusal: Option<Error>,
    /// Fields to add to the mapping.
    change: RootDefinition,
}

impl<'w, 'a> Walk<'w, 'a> {
    fn document(&mut self) -> Walked {
        if self.reader.peek_or_end()? != Some(b'{') {
            let reason = "Compressor detection can only be called on some xcontent bytes or compressed xcontent bytes";
            return Err(failed_to_parse(Error::new(ErrorKind::NotXContent, reason)).into());
        }
        let root = &self.mapping.nodes[0];
        if root.enabled {
            self.reader.at += 1;
            self.object(root, 1)?;
        } else {
            self.skip(1)?;
        }
        match self.reader.peek_or_end()? {
            None => Ok(()),
            Some(byte) => Err(self.extra_data(byte)),
        }
    }

    #[cold]
    fn extra_data(&mut self, byte: u8) -> Stop {
        let token = match byte {
            b'{' => "START_OBJECT",
            b'[' => "START_ARRAY",
            b'"' => "VALUE_STRING",
            b'-' | b'0'..=b'9' => "VALUE_NUMBER",
            _ => return Stop::Malformed,
        };
        let reason = format!("Malformed content, found extra data after parsing: {token}");
        failed_to_parse(Error::illegal_argument(reason)).into()
    }

    /// The entries of a known object, whose opening bracket is consumed.
    fn object(&mut self, node: &'w ObjectNode, depth: usize) -> Walked {
        check_depth(depth)?;
        if self.reader.closes(b'}')? {
            return Ok(());
        }
        let frame = self.keys.begin();
        loop {
            let (key, span) = self.reader.key()?;
            let hash = self.mapping.hasher.hash_one(&*key);
            if !self.keys.insert(frame, hash, span, self.source) {
                return Err(Stop::Malformed);
            }
            match node.find(hash, &key) {
                Some(target) => self.known(target, Some(&key), depth)?,
                None => self.unknown(node, &key, depth)?,
            }
            if !self.reader.more(b'}')? {
                break;
            }
        }
        self.keys.end(frame);
        Ok(())
    }

    /// The value of a known field or object. `key` is how the document calls it; array elements have no name.
    fn known(&mut self, target: &'w Target, key: Option<&str>, depth: usize) -> Walked {
        match target {
            Target::Leaf(leaf) => self.values(leaf, depth),
            Target::Object(at) => self.object_value(&self.mapping.nodes[*at as usize], key, depth),
            Target::Alias(name) => {
                Err(failed_to_parse(Error::illegal_argument(format!("Cannot write to a field alias [{name}]."))).into())
            }
        }
    }

    fn object_value(&mut self, node: &'w ObjectNode, key: Option<&str>, depth: usize) -> Walked {
        check_depth(depth)?;
        if !node.enabled {
            return self.skip(depth);
        }
        match self.reader.peek()? {
            b'{' => {
                self.reader.at += 1;
                self.object(node, depth + 1)
            }
            b'[' => {
                self.reader.at += 1;
                if self.reader.closes(b']')? {
                    return Ok(());
                }
                loop {
                    self.object_value(node, None, depth + 1)?;
                    if !self.reader.more(b']')? {
                        return Ok(());
                    }
                }
            }
            _ => {
                if self.reader.scalar()?.value == Scalar::Null {
                    return Ok(());
                }
                let (name, key) = (&node.name, key.unwrap_or("null"));
                Err(Error::new(
                    ErrorKind::MapperParsing,
                    format!(
                        "object mapping for [{name}] tried to parse field [{key}] as object, but found a concrete value"
                    ),
                )
                .into())
            }
        }
    }

    /// The value or values of a field.
    fn values(&mut self, leaf: &'w Leaf, depth: usize) -> Walked {
        match self.reader.peek()? {
            b'[' => {
                check_depth(depth)?;
                self.reader.at += 1;
                if self.reader.closes(b']')? {
                    return Ok(());
                }
                loop {
                    self.values(leaf, depth + 1)?;
                    if !self.reader.more(b']')? {
                        return Ok(());
                    }
                }
            }
            b'{' => {
                let start = self.reader.at;
                let token = Token { value: Scalar::Object, source: self.source, start, end: start + 1 };
                self.index(leaf, &token)?;
                self.skip(depth)
            }
            _ => {
                let token = self.reader.scalar()?;
                self.index(leaf, &token)?;
                if !leaf.copy_to.is_empty() {
                    self.copy(&leaf.copy_to, &token)?;
                }
                Ok(())
            }
        }
    }

    /// Hands one value to a field and its multi-fields.
    fn index(&mut self, leaf: &Leaf, token: &Token<'a>) -> Walked {
        for id in &leaf.fields {
            let field = self.mapping.by_id(*id);
            let mut sink = Sink { ops: self.ops, ignored: self.ignored, refusal: &mut self.refusal };
            if let Err(cause) = field.kind.index(field, token, &mut sink) {
                return Err(self.refuse_value(field, token, cause).into());
            }
        }
        Ok(())
    }

    #[cold]
    fn refuse_value(&self, field: &Field, token: &Token, cause: Error) -> Error {
        let (name, type_name, id) = (&field.name, field.type_name, self.id);
        let preview = preview(self.reader.text.get(token.start..).unwrap_or_default());
        Error::new(
            ErrorKind::MapperParsing,
            format!(
                "failed to parse field [{name}] of type [{type_name}] in document with id '{id}'. Preview of field's value: '{preview}'"
            ),
        )
        .caused_by(cause)
    }

    /// Hands one value to the fields that it is copied to.
    fn copy(&mut self, targets: &'w [Arc<str>], token: &Token<'a>) -> Walked {
        for name in targets {
            match self.mapping.leaf(name) {
                Some(leaf) => self.index(leaf, token)?,
                None => {
                    let (parent, key) = match self.parent_of(&self.mapping.nodes[0], name)? {
                        Some(found) => found,
                        None => continue,
                    };
                    if token.value != Scalar::Null {
                        let admission = self.admit(&parent, key)?;
                        self.new_scalar(&parent, key, token, admission)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// A key that the object does not have under this very name: a path, or a new field.
    #[cold]
    #[inline(never)]
    fn unknown(&mut self, node: &'w ObjectNode, key: &str, depth: usize) -> Walked {
        check_key(key)?;
        if node.name.is_empty() && RESERVED.contains(&key) {
            return Err(self.refuse_reserved(key).into());
        }
        let Some((parent, last)) = self.parent_of(node, key)? else { return self.skip(depth) };
        if let Parent::Known(inner) = &parent {
            let inner: &'w ObjectNode = inner;
            if !inner.enabled {
                return self.skip(depth);
            }
            if let Some(target) = inner.find(self.mapping.hasher.hash_one(last), last) {
                return self.known(target, Some(last), depth);
            }
        }
        let admission = self.admit(&parent, last)?;
        self.new_value(&parent, last, admission, depth)
    }

    fn refuse_reserved(&mut self, key: &str) -> Error {
        let id = self.id;
        let preview = preview(self.reader.text.get(self.reader.at..).unwrap_or_default().trim_start());
        Error::new(
            ErrorKind::MapperParsing,
            format!(
                "failed to parse field [{key}] of type [{key}] in document with id '{id}'. Preview of field's value: '{preview}'"
            ),
        )
        .caused_by(Error::new(
            ErrorKind::MapperParsing,
            format!(
                "Field [{key}] is a metadata field and cannot be added inside a document. Use the index API request parameters."
            ),
        ))
    }

    /// The object that holds the last part of a dotted key, and that part. New objects on the way are noted; `None` if one
    /// of them is not wanted.
    fn parent_of<'k>(&mut self, node: &'w ObjectNode, key: &'k str) -> Walked<Option<(Parent<'w>, &'k str)>> {
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
                        parent = Parent::Known(&self.mapping.nodes[*at as usize]);
                        continue;
                    }
                    Some(Target::Leaf(leaf)) => return Err(self.refuse_below(leaf, &parent, key).into()),
                    Some(Target::Alias(name)) => {
                        let reason = format!("Cannot write to a field alias [{name}].");
                        return Err(failed_to_parse(Error::illegal_argument(reason)).into());
                    }
                    None => {}
                }
            }
            let admission = self.admit(&parent, part)?;
            match self.new_object(&parent, part, admission)? {
                Some(inner) => parent = inner,
                None => return Ok(None),
            }
        }
        Ok(Some((parent, last)))
    }

    fn refuse_below(&self, leaf: &Leaf, parent: &Parent, key: &str) -> Error {
        let Some(id) = leaf.fields.first() else { return Error::illegal_argument("a field without an id") };
        let field = self.mapping.by_id(*id);
        let base = parent.full_name("");
        // The whole path that the document names.
        let full = match base.rsplit_once('.').map(|(path, _)| path) {
            Some(path) if !key.starts_with(path) => format!("{path}.{key}"),
            _ => key.to_owned(),
        };
        let (name, type_name) = (&field.name, field.type_name);
        Error::new(
            ErrorKind::MapperParsing,
            format!(
                "Could not dynamically add mapping for field [{full}]. Existing mapping for [{name}] must be of type object but found [{type_name}]."
            ),
        )
    }

    /// Whether a new field may come into being below `parent`.
    fn admit(&self, parent: &Parent, key: &str) -> Walked<Admission> {
        match parent.dynamic() {
            Dynamic::True => Ok(Admission::Any),
            Dynamic::False => Ok(Admission::Nothing),
            Dynamic::FalseAllowTemplates => Ok(Admission::Templates),
            Dynamic::StrictAllowTemplates => Ok(Admission::TemplatesOrError),
            Dynamic::Strict => Err(self.refuse_strict(parent, key).into()),
        }
    }

    #[cold]
    fn refuse_strict(&self, parent: &Parent, key: &str) -> Error {
        let dynamic = parent.dynamic().name();
        let within = if parent.name().is_empty() { "_doc" } else { parent.name() };
        Error::new(
            ErrorKind::StrictDynamicMapping,
            format!("mapping set to {dynamic}, dynamic introduction of [{key}] within [{within}] is not allowed"),
        )
    }

    /// The value of a new field.
    fn new_value(&mut self, parent: &Parent<'w>, key: &str, admission: Admission, depth: usize) -> Walked {
        check_depth(depth)?;
        if admission == Admission::Nothing {
            return self.skip(depth);
        }
        match self.reader.peek()? {
            b'{' => match self.new_object(parent, key, admission)? {
                Some(inner) => {
                    self.reader.at += 1;
                    self.new_entries(&inner, depth + 1)
                }
                None => self.skip(depth),
            },
            b'[' => {
                self.reader.at += 1;
                if self.reader.closes(b']')? {
                    return Ok(());
                }
                loop {
                    self.new_value(parent, key, admission, depth + 1)?;
                    if !self.reader.more(b']')? {
                        return Ok(());
                    }
                }
            }
            _ => {
                let token = self.reader.scalar()?;
                match (&token.value, admission) {
                    (Scalar::Null, Admission::TemplatesOrError) => Err(self.refuse_strict(parent, key).into()),
                    (Scalar::Null, _) => Ok(()),
                    _ => self.new_scalar(parent, key, &token, admission),
                }
            }
        }
    }

    /// The entries of a new object, whose opening bracket is consumed.
    fn new_entries(&mut self, parent: &Parent<'w>, depth: usize) -> Walked {
        check_depth(depth)?;
        if self.reader.closes(b'}')? {
            return Ok(());
        }
        let frame = self.keys.begin();
        loop {
            let (key, span) = self.reader.key()?;
            let hash = self.mapping.hasher.hash_one(&*key);
            if !self.keys.insert(frame, hash, span, self.source) {
                return Err(Stop::Malformed);
            }
            check_key(&key)?;
            self.new_entry(parent, key.trim_end_matches('.'), depth)?;
            if !self.reader.more(b'}')? {
                break;
            }
        }
        self.keys.end(frame);
        Ok(())
    }

    fn new_entry(&mut self, parent: &Parent<'w>, path: &str, depth: usize) -> Walked {
        let (objects, last) = path.rsplit_once('.').map_or((None, path), |(objects, last)| (Some(objects), last));
        let mut parent = parent.clone();
        for part in objects.into_iter().flat_map(|objects| objects.split('.')) {
            let admission = self.admit(&parent, part)?;
            match self.new_object(&parent, part, admission)? {
                Some(inner) => parent = inner,
                None => return self.skip(depth),
            }
        }
        let admission = self.admit(&parent, last)?;
        self.new_value(&parent, last, admission, depth)
    }

    /// Notes a new object. `None` if what is in it is to be left alone.
    fn new_object(&mut self, parent: &Parent<'w>, key: &str, admission: Admission) -> Walked<Option<Parent<'w>>> {
        let name = parent.full_name(key);
        match self.mapping.new_object(&name, key, admission)? {
            NewField::None if admission == Admission::TemplatesOrError => Err(self.refuse_strict(parent, key).into()),
            NewField::None => Ok(None),
            NewField::Field(child) => {
                let inner = child.as_object().map(|object| (object.disabled, object.dynamic));
                self.change.add(&name, child)?;
                // A template may have made a value of it: then parsing again with the new mapping tells.
                let Some((false, dynamic)) = inner else { return Ok(None) };
                Ok(Some(Parent::New { name, dynamic: dynamic.unwrap_or(parent.dynamic()) }))
            }
        }
    }

    /// Notes a new field for a scalar.
    fn new_scalar(&mut self, parent: &Parent<'w>, key: &str, token: &Token<'a>, admission: Admission) -> Walked {
        if admission == Admission::Nothing {
            return Ok(());
        }
        let name = parent.full_name(key);
        match self.mapping.new_scalar(&name, key, token, admission)? {
            NewField::None if admission == Admission::TemplatesOrError => Err(self.refuse_strict(parent, key).into()),
            NewField::None => Ok(()),
            NewField::Field(child) => Ok(self.change.add(&name, child)?),
        }
    }

    /// Passes over a value. Its syntax and keys are checked all the same.
    fn skip(&mut self, depth: usize) -> Walked {
        check_depth(depth)?;
        match self.reader.peek()? {
            b'{' => {
                self.reader.at += 1;
                if self.reader.closes(b'}')? {
                    return Ok(());
                }
                let frame = self.keys.begin();
                loop {
                    let (key, span) = self.reader.key()?;
                    let hash = self.mapping.hasher.hash_one(&*key);
                    if !self.keys.insert(frame, hash, span, self.source) {
                        return Err(Stop::Malformed);
                    }
                    self.skip(depth + 1)?;
                    if !self.reader.more(b'}')? {
                        break;
                    }
                }
                self.keys.end(frame);
                Ok(())
            }
            b'[' => {
                self.reader.at += 1;
                if self.reader.closes(b']')? {
                    return Ok(());
                }
                loop {
                    self.skip(depth + 1)?;
                    if !self.reader.more(b']')? {
                        return Ok(());
                    }
                }
            }
            _ => Ok(self.reader.scalar().map(|_| ())?),
        }
    }

    /// Notes the fields of which values were left out under `_ignored`.
    fn write_ignored(&mut self) {
        let field = self.mapping.ignored_field;
        for id in self.ignored.iter() {
            let name = self.mapping.by_id(*id).name.to_string();
            self.ops.push(FieldOp::Term { field, value: Cow::Owned(name.clone().into_bytes()) });
            self.ops.push(FieldOp::Stored { field, value: StoredValue::String(name) });
        }
    }
}

fn check_depth(depth: usize) -> Walked {
    if depth > MAX_DEPTH { Err(Stop::Malformed) } else { Ok(()) }
}

/// Refuses keys that name no field.
fn check_key(key: &str) -> Walked {
    if !key.is_empty() && !key.contains('.') {
        return Ok(());
    }
    let trimmed = key.trim_end_matches('.');
    let reason = if key.is_empty() {
        "field name cannot be an empty string".to_owned()
    } else if trimmed.is_empty() {
        "field name cannot contain only the character [.]".to_owned()
    } else if trimmed.split('.').any(|part| part.trim().is_empty()) {
        format!("object field starting or ending with a [.] makes object resolution ambiguous: [{key}]")
    } else {
        return Ok(());
    };
    Err(failed_to_parse(Error::illegal_argument(reason)).into())
}
