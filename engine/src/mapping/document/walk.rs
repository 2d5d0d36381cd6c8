//! One pass over a document along the mapping's tree.

use super::additions::Additions;
use super::contexts::refuse_contexts;
use super::keys::Keys;
use super::nested::Nesting;
use super::preview::preview;
use super::value::{Scalar, Sink, Takes, Token};
use crate::error::{Error, ErrorKind, Result};
use crate::java_order::java_order;
use crate::json::scanner::{Malformed, Plain, Scanner};
use crate::json::{self, Value};
use crate::mapping::definition::{RootDefinition, not_an_object};
use crate::mapping::mapping::{Leaf, ObjectNode, Target, mapper_parsing};
use crate::mapping::number::{NumberKind, is_whole};
use crate::mapping::{Field, FieldId, Mapping};
use crate::segment::StoredValue;
use crate::writer::FieldOp;
use std::borrow::Cow;

/// Deepest nesting of arrays and objects, as for all JSON.
const MAX_DEPTH: usize = 1000;

/// What became of a document.
#[derive(Clone, Debug, PartialEq)]
pub enum Parsed {
    /// The ops are complete.
    Ready,
    /// The mapping must be merged with this first; then the document is parsed again. The ops are those of what is known.
    NeedsMapping(Value),
    /// The ops are complete, but what writes them down refuses the document: it takes a sequence number with it.
    Refused(Error),
}

/// Memory that is reused from document to document.
#[derive(Debug, Default)]
pub struct DocumentScratch {
    keys: Keys,
    ignored: Vec<FieldId>,
    /// Whether the document that comes next has a routing of its own: set before each.
    pub routed: bool,
    /// How many ops the document before came to: mostly as many as the next will.
    pub last_ops: usize,
}

/// Parses one document. See [`Mapping::parse_document`].
pub fn parse<'a>(
    mapping: &Mapping,
    source: &'a [u8],
    id: &str,
    scratch: &mut DocumentScratch,
    ops: &mut Vec<FieldOp<'a>>,
) -> Result<Parsed> {
    ops.clear();
    scratch.keys.clear();
    scratch.ignored.clear();
    let Ok(text) = std::str::from_utf8(source) else { return Err(malformed(source)) };
    let mut walk = Walk {
        mapping,
        id,
        reader: Scanner::new(text),
        source,
        keys: &mut scratch.keys,
        ignored: &mut scratch.ignored,
        ops,
        refusal: None,
        change: RootDefinition::default(),
        additions: Additions::default(),
        objects: 0,
        arrays: 0,
        added: 0,
        conflict: None,
        nesting: Nesting::default(),
        routed: scratch.routed,
        key: None,
    };
    match walk.document() {
        Ok(()) => {}
        Err(Stop::Malformed) => return Err(malformed(source)),
        Err(Stop::Error(error)) => return Err(error),
    }
    if let Some(error) = walk.conflict.take() {
        return Err(walk.additions.conflict().unwrap_or(error));
    }
    walk.check_timestamp()?;
    if let Some(error) = walk.additions.blank() {
        return Err(error);
    }
    if !walk.change.root.properties.is_empty() {
        walk.write_nested();
        return Ok(Parsed::NeedsMapping(walk.change.to_value()));
    }
    walk.write_ignored();
    walk.write_nested();
    let refusal = walk.refusal.or_else(|| refuse_contexts(mapping, walk.ops));
    scratch.last_ops = ops.len();
    Ok(refusal.map_or(Parsed::Ready, Parsed::Refused))
}

/// Why a walk ends early.
pub(super) enum Stop {
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

pub(super) type Walked<T = ()> = std::result::Result<T, Stop>;

#[cold]
pub fn failed_to_parse(cause: Error) -> Error {
    mapper_parsing("failed to parse".to_owned(), cause)
}

/// A scalar where the mapping has an object, under the key that the document has for it (array elements have none).
#[cold]
pub(super) fn no_value(name: &str, key: Option<&str>) -> Error {
    let key = key.unwrap_or("null");
    let reason =
        format!("object mapping for [{name}] tried to parse field [{key}] as object, but found a concrete value");
    Error::new(ErrorKind::MapperParsing, reason)
}

#[cold]
pub(super) fn no_alias_value(name: &str) -> Error {
    failed_to_parse(Error::illegal_argument(format!("Cannot write to a field alias [{name}].")))
}

/// The reference's words for what is wrong with a text.
#[cold]
fn malformed(source: &[u8]) -> Error {
    failed_to_parse(syntax_error(source))
}

#[cold]
fn syntax_error(source: &[u8]) -> Error {
    match json::parse(source) {
        Err(error) if error.kind() == ErrorKind::Parsing => {
            let token = error.reason().split(['[', ']']).nth(1).unwrap_or_default();
            left_behind(token)
        }
        Err(error) => error,
        // Limits of ours that the other reader does not share.
        Ok(_) => Error::new(ErrorKind::JsonParse, "The document is malformed or nested too deeply"),
    }
}

#[cold]
fn too_deep(what: &str, limit: usize) -> Error {
    let reason = format!(
        "The depth of the {what} has exceeded the allowed limit of [{limit}]. This limit can be set by changing the [index.mapping.depth.limit] index level setting."
    );
    failed_to_parse(Error::new(ErrorKind::Parse, reason))
}

#[cold]
fn left_behind(token: &str) -> Error {
    Error::illegal_argument(format!("Malformed content, found extra data after parsing: {token}"))
}

pub(super) struct Walk<'w, 'a> {
    pub mapping: &'w Mapping,
    pub id: &'w str,
    pub reader: Scanner<'a>,
    pub source: &'a [u8],
    pub keys: &'w mut Keys,
    pub ignored: &'w mut Vec<FieldId>,
    pub ops: &'w mut Vec<FieldOp<'a>>,
    pub refusal: Option<Error>,
    /// Fields to add to the mapping.
    pub change: RootDefinition,
    /// The same one by one.
    pub additions: Additions,
    /// How many objects are around what is read, and how many arrays.
    pub objects: usize,
    pub arrays: usize,
    /// How many these are.
    pub added: usize,
    /// Why they cannot be added.
    pub conflict: Option<Error>,
    /// The nested objects that the walk is in, and those behind it.
    pub nesting: Nesting<'a>,
    pub routed: bool,
    /// The field under whose name the walk is.
    pub key: Option<FieldId>,
}

impl<'w, 'a> Walk<'w, 'a> {
    /// The last part of the name that stands before the value which `field` is given.
    pub fn key_of(&self, field: &'w Field) -> &'w str {
        let name: &str = self.key.map_or(&field.name, |key| &self.mapping.by_id(key).name);
        name.rsplit('.').next().unwrap_or(name)
    }

    /// A document of a data stream has one date in its timestamp field.
    fn check_timestamp(&self) -> Result<()> {
        let Some(name) = self.mapping.timestamp_field() else { return Ok(()) };
        let id = self.mapping.field(name).map(|field| field.id);
        let is_date = |op: &&FieldOp| matches!(op, FieldOp::Number { field, .. } if Some(*field) == id);
        if self.ops.iter().filter(is_date).count() == 1 {
            return Ok(());
        }
        Err(failed_to_parse(Error::illegal_argument(format!(
            "documents must contain a single-valued timestamp field '{name}' of date type"
        ))))
    }

    fn document(&mut self) -> Walked {
        if self.source.is_empty() {
            return Err(Error::new(ErrorKind::MapperParsing, "failed to parse, document is empty").into());
        }
        if self.reader.peek_or_end()? != Some(b'{') {
            return Err(failed_to_parse(Error::not_x_content()).into());
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
            Some(_) => Err(Stop::Malformed),
        }
    }

    /// The entries of a known object, whose opening bracket is consumed.
    pub fn object(&mut self, node: &'w ObjectNode, depth: usize) -> Walked {
        self.enter_object()?;
        if node.flat {
            self.flat_object(node, &mut String::new(), depth)?;
        } else {
            check_depth(depth)?;
            self.entries(|walk, key, hash| match node.find(hash, key) {
                Some(target) => walk.known(target, Some(key), depth),
                None => walk.unknown(node, key, depth),
            })?;
        }
        self.objects -= 1;
        Ok(())
    }

    /// Counts one more object around what is read, up to what the index allows.
    pub fn enter_object(&mut self) -> Walked {
        self.objects += 1;
        match self.mapping.settings.depth_limit {
            limit if self.objects > limit => Err(too_deep("field", limit).into()),
            _ => Ok(()),
        }
    }

    /// Has `item` read each item of an array of values; arrays within arrays are counted up to what the index allows.
    pub fn array(&mut self, item: impl FnMut(&mut Self) -> Walked) -> Walked {
        self.arrays += 1;
        let limit = self.mapping.settings.depth_limit;
        if self.arrays > limit {
            return Err(too_deep("nested array field", limit).into());
        }
        self.items(item)?;
        self.arrays -= 1;
        Ok(())
    }

    /// Hands the entries of an object, whose opening bracket is consumed, to `value`: each key with its hash, before its value is
    /// read. A key that is there twice is an error.
    #[inline]
    pub fn entries(&mut self, mut value: impl FnMut(&mut Self, &str, u64) -> Walked) -> Walked {
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
            value(self, &key, hash)?;
            if !self.reader.more(b'}')? {
                break;
            }
        }
        self.keys.end(frame);
        Ok(())
    }

    /// Has `item` read each item of an array, at whose opening bracket the reader stands.
    #[inline]
    pub fn items(&mut self, mut item: impl FnMut(&mut Self) -> Walked) -> Walked {
        self.reader.at += 1;
        if self.reader.closes(b']')? {
            return Ok(());
        }
        loop {
            item(self)?;
            if !self.reader.more(b']')? {
                return Ok(());
            }
        }
    }

    /// The value of a known field or object. `key` is how the document calls it; array elements have no name.
    pub fn known(&mut self, target: &'w Target, key: Option<&str>, depth: usize) -> Walked {
        match target {
            Target::Leaf(leaf) => self.values(leaf, depth),
            Target::Object(at) => self.object_value(&self.mapping.nodes[*at as usize], key, depth),
            Target::Alias(_) if self.reader.peek()? == b'[' => {
                check_depth(depth)?;
                self.array(|walk| walk.known(target, None, depth + 1))
            }
            Target::Alias(name) => Err(no_alias_value(name).into()),
        }
    }

    pub fn object_value(&mut self, node: &'w ObjectNode, key: Option<&str>, depth: usize) -> Walked {
        check_depth(depth)?;
        if !node.enabled {
            return self.skip(depth);
        }
        match self.reader.peek()? {
            b'{' => {
                self.reader.at += 1;
                match node.nested {
                    Some(nested) => self.nested_object(node, nested, depth + 1),
                    None => self.object(node, depth + 1),
                }
            }
            b'[' => self.array(|walk| walk.object_value(node, None, depth + 1)),
            _ => {
                if self.scalar()?.value == Scalar::Null {
                    return Ok(());
                }
                if node.flat {
                    return Err(not_an_object(&node.name).into());
                }
                Err(no_value(&node.name, key).into())
            }
        }
    }

    /// The value or values of a field.
    fn values(&mut self, leaf: &'w Leaf, depth: usize) -> Walked {
        self.key = leaf.fields.first().copied();
        self.value_of(leaf, depth, true)
    }

    /// One value of a field, which stands behind the field's name or (not `named`) in an array.
    fn value_of(&mut self, leaf: &'w Leaf, depth: usize, named: bool) -> Walked {
        match self.reader.peek()? {
            b'[' if leaf.takes == Takes::Arrays && !leaf.copy_to.is_empty() => {
                self.copied_whole(leaf, Scalar::Array, depth)
            }
            b'[' if leaf.takes == Takes::Arrays => {
                let token = self.whole(Scalar::Array, depth)?;
                self.index(leaf, &token)
            }
            b'[' if !named && self.refuses_lists_within_lists(leaf) => {
                let token = Token { named, ..self.whole(Scalar::Array, depth)? };
                self.index(leaf, &token)
            }
            b'[' => {
                check_depth(depth)?;
                self.array(|walk| walk.value_of(leaf, depth + 1, false))
            }
            b'{' if !leaf.copy_to.is_empty() => self.copied_whole(leaf, Scalar::Object, depth),
            b'{' if leaf.takes != Takes::Scalars => {
                let token = Token { named, ..self.whole(Scalar::Object, depth)? };
                self.index(leaf, &token)
            }
            b'{' => {
                let start = self.reader.at;
                let token = Token { value: Scalar::Object, source: self.source, start, end: start + 1, named };
                self.index(leaf, &token)?;
                self.skip(depth)?;
                self.check_read(leaf, named)
            }
            first => {
                let start = self.reader.at;
                let token = match self.scalar() {
                    Ok(token) => Token { named, ..token },
                    // Strings are read when their field asks for them, so it is the field that fails.
                    Err(Malformed) if first == b'"' => return Err(self.refuse_string(leaf, start)),
                    Err(Malformed) => return Err(Stop::Malformed),
                };
                self.index(leaf, &token)?;
                if !leaf.copy_to.is_empty() {
                    self.copy(&leaf.copy_to, &token)?;
                }
                Ok(())
            }
        }
    }

    fn refuses_lists_within_lists(&self, leaf: &Leaf) -> bool {
        leaf.fields.first().is_some_and(|id| self.mapping.by_id(*id).kind.refuses_lists_within_lists())
    }

    /// An object that its field did not read ends what stands around it, and something is left behind the document.
    fn check_read(&mut self, leaf: &Leaf, named: bool) -> Walked {
        let first = leaf.fields.first().map(|id| self.mapping.by_id(*id));
        if !named || !first.is_some_and(|field| field.kind.leaves_objects_unread()) {
            return Ok(());
        }
        let token = if self.reader.peek()? == b',' { "FIELD_NAME" } else { "END_OBJECT" };
        Err(failed_to_parse(left_behind(token)).into())
    }

    /// Reads a scalar. Objects and arrays must not come here.
    #[inline]
    pub fn scalar(&mut self) -> std::result::Result<Token<'a>, Malformed> {
        self.reader.peek()?;
        let start = self.reader.at;
        let value = match self.reader.plain()? {
            Plain::Null => Scalar::Null,
            Plain::Bool(value) => Scalar::Bool(value),
            Plain::Number(digits) => Scalar::Number(digits),
            Plain::String(text) => Scalar::String(text),
        };
        Ok(Token { value, source: self.source, start, end: self.reader.at, named: true })
    }

    /// Passes over an object or array and gives the whole of it as one token.
    pub fn whole(&mut self, value: Scalar<'a>, depth: usize) -> Walked<Token<'a>> {
        let start = self.reader.at;
        self.skip(depth)?;
        Ok(Token { value, source: self.source, start, end: self.reader.at, named: true })
    }

    /// Hands one value to a field and its multi-fields.
    pub fn index(&mut self, leaf: &Leaf, token: &Token<'a>) -> Walked {
        let Some((first, others)) = leaf.fields.split_first() else { return Ok(()) };
        self.index_one(*first, token)?;
        if others.is_empty() {
            return Ok(());
        }
        let field = self.mapping.by_id(*first);
        let texts = field.kind.texts_for_multi_fields(field, token);
        match texts.map_err(|cause| self.refuse_value(field, token, None, cause))? {
            None => {
                // They are handed one value after the other, so that a null is none wherever it stands.
                let token = Token { named: token.named || token.value == Scalar::Null, ..token.clone() };
                others.iter().try_for_each(|id| self.index_one(*id, &token))
            }
            Some(texts) => texts.into_iter().try_for_each(|text| {
                let token = Token { value: Scalar::String(text.into()), ..*token };
                others.iter().try_for_each(|id| self.index_one(*id, &token))
            }),
        }
    }

    /// Hands one value to one field.
    fn index_one(&mut self, id: FieldId, token: &Token<'a>) -> Walked {
        let field = self.mapping.by_id(id);
        let key = self.key_of(field);
        let mut shown = None;
        let mut sink = Sink {
            key,
            ops: self.ops,
            ignored: self.ignored,
            id: self.id,
            routed: self.routed,
            shown: &mut shown,
            refusal: &mut self.refusal,
        };
        match field.kind.index(field, token, &mut sink) {
            Ok(()) => Ok(()),
            Err(_) if self.passes_over(field) => Ok(()),
            Err(cause) => Err(self.refuse_value(field, token, shown, cause).into()),
        }
    }

    /// Whether values of the field that its own parser refuses are passed over without a word, since the index puts up with them.
    /// Types with a parser of values of their own have the last word themselves.
    pub(super) fn passes_over(&self, field: &Field) -> bool {
        let own = field.kind.words_errors().is_some() || !field.kind.names_field_in_errors();
        self.mapping.settings.ignore_malformed && !own
    }

    #[cold]
    pub fn refuse_value(&self, field: &Field, token: &Token, part: Option<String>, cause: Error) -> Error {
        if let Some(words) = field.kind.words_errors() {
            return words(field, cause);
        }
        if !field.kind.names_field_in_errors() {
            return failed_to_parse(cause);
        }
        if part.is_some() {
            return self.refusal_of(&field.name, field.type_name, part, cause);
        }
        let floats = matches!(field.kind.number_kind(), Some(NumberKind::Float | NumberKind::HalfFloat));
        let shown = match &token.value {
            // What the reference read as a float it can no longer read as the large number that it is.
            Scalar::Number(digits) if floats && is_whole(digits) && digits.parse::<i64>().is_err() => None,
            // Where the reference read a float it shows it as such.
            Scalar::Number(digits) if floats && digits.parse().is_ok_and(f32::is_infinite) => {
                Some("Infinity".to_owned())
            }
            _ => preview(token.source.get(token.start..).unwrap_or_default()),
        };
        self.refusal_of(&field.name, field.type_name, shown, cause)
    }

    pub fn refusal_of(&self, name: &str, type_name: &str, preview: Option<String>, cause: Error) -> Error {
        let id = self.id;
        let shown = match preview {
            Some(preview) => format!("Preview of field's value: '{preview}'"),
            None => "Could not parse field value preview,".to_owned(),
        };
        mapper_parsing(
            format!("failed to parse field [{name}] of type [{type_name}] in document with id '{id}'. {shown}"),
            cause,
        )
    }

    /// A string that is malformed.
    #[cold]
    fn refuse_string(&self, leaf: &Leaf, start: usize) -> Stop {
        let Some(id) = leaf.fields.first() else { return Stop::Malformed };
        let field = self.mapping.by_id(*id);
        debug_assert_eq!(self.source.get(start), Some(&b'"'));
        self.refusal_of(&field.name, field.type_name, Some(String::new()), syntax_error(self.source)).into()
    }

    /// Passes over a value. Its syntax and keys are checked all the same.
    pub fn skip(&mut self, depth: usize) -> Walked {
        check_depth(depth)?;
        match self.reader.peek()? {
            b'{' => {
                self.reader.at += 1;
                self.entries(|walk, _, _| walk.skip(depth + 1))
            }
            b'[' => self.items(|walk| walk.skip(depth + 1)),
            _ => Ok(self.reader.plain().map(|_| ())?),
        }
    }

    /// Notes the fields of which values were left out under `_ignored`. The reference has them in a hash set.
    fn write_ignored(&mut self) {
        let field = self.mapping.ignored_field;
        let names = self.ignored.iter().map(|id| self.mapping.by_id(*id).name.to_string()).collect();
        for name in java_order(names) {
            self.ops.push(FieldOp::Term { field, value: Cow::Owned(name.clone().into_bytes()) });
            self.ops.push(FieldOp::Stored { field, value: StoredValue::String(name) });
        }
    }
}

pub(super) fn check_depth(depth: usize) -> Walked {
    if depth > MAX_DEPTH { Err(Stop::Malformed) } else { Ok(()) }
}
