//! [`Mapping`]: the compiled form of a mapping.

use super::compile::{compile, compile_held};
use super::date::DateFormat;
use super::definition::{Dynamic, NestedDefinition, RootDefinition, copies_to_null};
use super::derived::{Derived, DerivedFields};
use super::document::{self, DocumentScratch, Parsed, Takes};
use super::field::{Field, FieldId};
use super::params::ParamContext;
use super::settings::MappingSettings;
use crate::analysis::Registry;
use crate::error::{Error, ErrorKind, Result};
use crate::java_order::{collected, java_order, slot, slots_of};
use crate::json::Value;
use crate::score::similarity::Similarities;
use crate::writer::FieldOp;
use ahash::{AHashMap, RandomState};
use hashbrown::HashTable;
use std::convert::identity;
use std::sync::{Arc, OnceLock};

/// The fields of an index. Immutable, `Send + Sync`; a change gives a new value.
pub struct Mapping {
    /// Whether nobody has given one so far.
    pub(super) unsaid: bool,
    pub(super) definition: RootDefinition,
    pub(super) analysis: Arc<Registry>,
    pub(super) settings: MappingSettings,
    /// Sorted by name; a [`FieldId`] is the index.
    pub(super) fields: Vec<Field>,
    /// Names and aliases of fields.
    pub(super) by_name: AHashMap<Arc<str>, FieldId>,
    /// The tree along which documents are walked; the root is the first.
    pub(super) nodes: Vec<ObjectNode>,
    /// Full names of objects to their nodes.
    pub(super) objects: AHashMap<Arc<str>, u32>,
    /// Fields with all that their values go to, for copies.
    pub(super) leaves: AHashMap<Arc<str>, Arc<Leaf>>,
    pub(super) hasher: RandomState,
    pub(super) source_filter: SourceFilter,
    /// Formats that new strings are tried with.
    pub(super) dynamic_formats: Vec<DateFormat>,
    pub(super) ignored_field: FieldId,
    pub(super) nested_path_field: FieldId,
    pub(super) has_nested: bool,
    /// Whether contexts of some completions come from other fields of their documents.
    pub(super) has_context_paths: bool,
    pub(super) similarities: Similarities,
    /// By field: its place among all as the reference keeps them, once it is asked for.
    pub(super) places: OnceLock<Vec<u32>>,
}

/// What of a document's source is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceFilter {
    pub enabled: bool,
    /// Wildcard patterns of field names; all if empty.
    pub includes: Vec<String>,
    pub excludes: Vec<String>,
}

impl SourceFilter {
    /// Whether the source is stored as it came.
    pub fn keeps_all(&self) -> bool {
        self.enabled && self.includes.is_empty() && self.excludes.is_empty()
    }
}

/// One object of the tree along which documents are walked.
pub(super) struct ObjectNode {
    /// Full dotted name; empty for the root.
    pub name: Arc<str>,
    pub enabled: bool,
    /// It has no objects: its children's keys are whole paths.
    pub flat: bool,
    /// What becomes of keys that are not among the children.
    pub dynamic: Dynamic,
    /// The object's documents are documents of their own, before the one that they stand in.
    pub nested: Option<NestedNode>,
    /// Children by the hash of their key.
    pub children: HashTable<NodeChild>,
}

impl ObjectNode {
    /// The child of this key, whose hash is given.
    #[inline]
    pub fn find(&self, hash: u64, key: &str) -> Option<&Target> {
        self.children.find(hash, |child| &*child.key == key).map(|child| &child.target)
    }
}

/// What makes an object nested.
#[derive(Clone, Copy, Debug)]
pub(super) struct NestedNode {
    pub includes: NestedDefinition,
}

pub(super) struct NodeChild {
    pub key: Box<str>,
    pub target: Target,
}

#[derive(Clone, Debug)]
pub(super) enum Target {
    Object(u32),
    Leaf(Arc<Leaf>),
    /// The full name of an alias: values cannot be written to it.
    Alias(Arc<str>),
}

/// A field with all that its values also go to.
#[derive(Debug)]
pub(super) struct Leaf {
    /// The field itself, then its multi-fields.
    pub fields: Vec<FieldId>,
    pub copy_to: Vec<Arc<str>>,
    /// The most that any of the fields takes.
    pub takes: Takes,
}

impl Mapping {
    /// The mapping of an index that was made without one.
    pub fn empty(analysis: &Arc<Registry>, settings: &MappingSettings) -> Mapping {
        let made = compile(RootDefinition::default(), analysis.clone(), settings.clone(), identity);
        Mapping { unsaid: true, ..made.expect("an empty mapping has nothing to refuse") }
    }

    /// Reads the mapping of a new index. Errors are wrapped as the reference does when it makes an index.
    pub fn parse(source: &Value, analysis: &Arc<Registry>, settings: &MappingSettings) -> Result<Mapping> {
        if is_typed(source) {
            return Err(Error::illegal_argument("The mapping definition cannot be nested under a type"));
        }
        Self::parse_untyped(source, analysis, settings)
    }

    /// The same where nobody knows of types, so that the name of one is as unknown as any other.
    pub fn parse_untyped(source: &Value, analysis: &Arc<Registry>, settings: &MappingSettings) -> Result<Mapping> {
        let definition = RootDefinition::parse(source, ParamContext { analysis, settings })
            .map_err(|cause| wrap_parse_error(&cause))?;
        compile(definition, analysis.clone(), settings.clone(), |cause| wrap_parse_error(&cause))
    }

    /// The mapping of an index, if it has been given one.
    pub fn of_index(source: Option<&Value>, analysis: &Arc<Registry>, settings: &MappingSettings) -> Result<Mapping> {
        match source {
            Some(source) => Self::parse(source, analysis, settings),
            None => Ok(Self::empty(analysis, settings)),
        }
    }

    /// The mapping that an index has already, whatever limits its settings have come to since: they hold for what is added.
    pub fn held(source: Option<&Value>, analysis: &Arc<Registry>, settings: &MappingSettings) -> Result<Mapping> {
        let Some(source) = source else { return Ok(Self::empty(analysis, settings)) };
        let definition = RootDefinition::parse(source, ParamContext { analysis, settings })
            .map_err(|cause| wrap_parse_error(&cause))?;
        compile_held(definition, analysis.clone(), settings.clone())
    }

    /// Whether nobody has given one so far.
    pub fn is_unsaid(&self) -> bool {
        self.unsaid
    }

    /// This mapping with the definitions of `update` added: put mapping, and what documents bring along.
    pub fn merge(&self, update: &Value) -> Result<Mapping> {
        if is_typed(update) {
            return Err(Error::illegal_argument("Types cannot be provided in put mapping requests"));
        }
        let update =
            RootDefinition::parse(update, ParamContext { analysis: &self.analysis, settings: &self.settings })?;
        // Where nothing has been said so far, nothing is changed.
        let mut definition = self.definition.clone();
        match self.unsaid {
            true => definition.begin(update)?,
            false => definition.merge(update)?,
        }
        compile(definition, self.analysis.clone(), self.settings.clone(), identity)
    }

    /// This mapping with the derived fields of a search, which go before its own.
    pub fn with_derived(&self, derived: &DerivedFields) -> Result<Mapping> {
        let mut definition = self.definition.clone();
        definition.derived.extend(derived.iter().map(|(name, field)| (name.clone(), field.clone().of_search())));
        compile_held(definition, self.analysis.clone(), self.settings.clone())
    }

    /// Which fields are not scored by plain BM25.
    pub fn similarities(&self) -> &Similarities {
        &self.similarities
    }

    /// What parameters of fields are read with.
    pub(crate) fn param_context(&self) -> ParamContext<'_> {
        ParamContext { analysis: &self.analysis, settings: &self.settings }
    }

    /// The derived object that a name stands below, and where below it.
    pub fn derived_parent<'n>(&self, name: &'n str) -> Option<(&Derived, &'n str)> {
        let (parent, path) = name.split_once('.')?;
        let derived = self.field(parent)?.derived.as_deref().filter(|derived| derived.is_object())?;
        Some((derived, path))
    }

    /// This mapping for an index whose analysis or limits have changed.
    pub fn with_settings(&self, analysis: &Arc<Registry>, settings: &MappingSettings) -> Result<Mapping> {
        let made = compile_held(self.definition.clone(), analysis.clone(), settings.clone())?;
        Ok(Mapping { unsaid: self.unsaid, ..made })
    }

    /// The mapping as `GET _mapping` shows it.
    pub fn to_value(&self) -> Value {
        self.definition.to_value()
    }

    /// The definition of one field or object by its full name, as `GET _mapping/field` shows it.
    pub fn definition_of(&self, name: &str) -> Option<Value> {
        self.named_definition_of(name).map(|(_, definition)| definition)
    }

    /// The same under the name that it has where it stands.
    pub fn named_definition_of<'n>(&self, name: &'n str) -> Option<(&'n str, Value)> {
        if let Some(derived) = self.definition.derived.get(name) {
            return Some((name.rsplit('.').next().unwrap_or(name), derived.to_value()));
        }
        self.definition.child(name).map(|(own, child)| (own, child.to_value()))
    }

    /// A field by its full name or alias. Metadata fields are among them.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.by_name.get(name).map(|id| self.by_id(*id))
    }

    /// The field of this number. Numbers of other mappings must not come here.
    pub fn by_id(&self, id: FieldId) -> &Field {
        &self.fields[id.0 as usize]
    }

    pub(super) fn leaf(&self, name: &str) -> Option<&Leaf> {
        self.leaves.get(name).map(|leaf| &**leaf)
    }

    /// All fields, metadata included, sorted by name.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The fields (by name or alias) that a pattern with `*` names, sorted; without `*`, the field of that name.
    pub fn matching(&self, pattern: &str) -> Vec<&Field> {
        if !pattern.contains('*') {
            return self.field(pattern).into_iter().collect();
        }
        let mut ids: Vec<FieldId> =
            self.by_name.iter().filter(|(name, _)| simple_match(pattern, name)).map(|(_, id)| *id).collect();
        ids.sort_unstable();
        ids.dedup();
        ids.into_iter().map(|id| self.by_id(id)).collect()
    }

    /// The place of a field among all as the reference keeps them: in a hash map that they were put into along the tree.
    pub fn place(&self, field: &Field) -> u32 {
        let places = self.places.get_or_init(|| {
            let names: Vec<&str> = self.fields.iter().map(|field| &*field.name).collect();
            let slots = slots_of(names.len());
            let mut kept = collected(&names);
            kept.sort_by_key(|name| slot(name, slots));
            let place_of: AHashMap<&str, u32> = kept.into_iter().zip(0..).collect();
            names.iter().map(|name| place_of[name]).collect()
        });
        places.get(field.id.0 as usize).copied().unwrap_or_default()
    }

    /// What a pattern names, each under the name (its own or an alias) that matches; sorted by name.
    pub fn matching_names(&self, pattern: &str) -> Vec<(&str, &Field)> {
        let matches = |name: &str| if pattern.contains('*') { simple_match(pattern, name) } else { pattern == name };
        let named = self.by_name.iter().filter(|(name, _)| matches(name));
        let mut found: Vec<(&str, &Field)> = named.map(|(name, id)| (&**name, self.by_id(*id))).collect();
        found.sort_unstable_by_key(|(name, _)| *name);
        found
    }

    /// Where in a document the values of a field stand: at its own place (that of the field above it, for a multi-field), and
    /// where fields are copied to that place, in the order in which the reference keeps them. It goes up by one name only: what
    /// belongs to a multi-field (the pairs of a `search_as_you_type`) is sought at the multi-field's name, where nothing stands.
    pub fn source_paths(&self, field: &Field) -> Vec<Arc<str>> {
        let own = self.own_source_path(field);
        let copied = |leaf: &Leaf| leaf.copy_to.contains(&own);
        let mut paths: Vec<_> =
            self.leaves.iter().filter(|(_, leaf)| copied(leaf)).map(|(name, _)| name.clone()).collect();
        paths.push(own.clone());
        paths.sort_unstable();
        java_order(paths)
    }

    /// The first of these, without what is copied.
    pub fn own_source_path(&self, field: &Field) -> Arc<str> {
        let own = self.leaves.iter().find(|(_, leaf)| leaf.fields.contains(&field.id)).map(|(name, _)| name.clone());
        let own = own.unwrap_or_else(|| field.name.clone());
        match field.name.rsplit_once('.') {
            Some((above, _)) if field.name != own && *above != *own => above.into(),
            _ => own,
        }
    }

    /// Whether `path` is an object.
    pub fn is_object(&self, path: &str) -> bool {
        self.objects.contains_key(path)
    }

    /// Whether any object is nested, so that documents may come with others before them.
    pub fn has_nested(&self) -> bool {
        self.has_nested
    }

    /// Whether it is said of the object of this path that it has no objects; the root's path is empty.
    pub(super) fn flat_object(&self, path: &str) -> Option<bool> {
        let at = self.objects.get(path)?;
        self.nodes[*at as usize].flat.then_some(true)
    }

    /// What a nested object of this path includes in the documents around it; `None` if there is no such nested object.
    pub fn nested_object(&self, path: &str) -> Option<NestedDefinition> {
        let at = self.objects.get(path)?;
        self.nodes[*at as usize].nested.map(|nested| nested.includes)
    }

    /// The innermost nested object that a field or object of this name stands in (itself, if it is one).
    pub fn nested_scope<'n>(&self, name: &'n str) -> Option<&'n str> {
        let mut path = name;
        loop {
            if self.has_nested && self.nested_object(path).is_some() {
                return Some(path);
            }
            path = &path[..path.rfind('.')?];
        }
    }

    /// Full names of all nested objects.
    pub fn nested_paths(&self) -> impl Iterator<Item = &str> {
        self.nodes.iter().filter(|node| node.nested.is_some()).map(|node| &*node.name)
    }

    /// What the mapping keeps of the field's term vectors: its parameter `term_vector`, unless it says no.
    pub fn term_vector_of(&self, field: &Field) -> Option<String> {
        let definition = self.definition_of(&field.name)?;
        definition.get("term_vector").and_then(Value::as_str).filter(|kept| *kept != "no").map(str::to_owned)
    }

    /// The join field; an index has one at most.
    pub fn join_field(&self) -> Option<&Field> {
        self.fields.iter().find(|field| field.relations().is_some())
    }

    /// A field that only its parent's type knows of: what stands below a flat object or a set of features.
    pub fn sub_field(&self, name: &str) -> Option<Field> {
        let mut end = name.len();
        loop {
            end = name[..end].rfind('.')?;
            if let Some(parent) = self.field(&name[..end]) {
                return parent.kind.sub_field(parent, &name[end + 1..]);
            }
        }
    }

    /// What stands below a flat object under a name: its terms are those of the object.
    pub fn below_flat_object(&self, name: &str) -> Option<Field> {
        self.sub_field(name).filter(|field| field.terms_elsewhere().is_some())
    }

    /// The fields below an object, at any depth and by alias: what an exists query on it looks at.
    pub fn under(&self, path: &str) -> Vec<&Field> {
        let below = |name: &str| name.strip_prefix(path).is_some_and(|rest| rest.starts_with('.'));
        let mut fields: Vec<&Field> = self.fields.iter().filter(|field| below(&field.name)).collect();
        for (alias, field) in self.aliases() {
            if below(alias) && !fields.iter().any(|known| known.id == field.id) {
                fields.push(field);
            }
        }
        fields
    }

    /// Names of all aliases with the fields that they stand for.
    pub fn aliases(&self) -> impl Iterator<Item = (&str, &Field)> {
        self.by_name.iter().map(|(name, id)| (&**name, self.by_id(*id))).filter(|(name, field)| *name != &*field.name)
    }

    /// Full names of all objects.
    pub fn object_names(&self) -> impl Iterator<Item = &str> {
        self.objects.keys().map(|name| &**name).filter(|name| !name.is_empty())
    }

    pub fn source_filter(&self) -> &SourceFilter {
        &self.source_filter
    }

    /// The field in which every document has exactly one date, where the index belongs to a data stream.
    pub fn timestamp_field(&self) -> Option<&str> {
        self.definition.data_stream_timestamp.as_ref().filter(|timestamp| timestamp.enabled).map(|t| t.field())
    }

    pub fn routing_required(&self) -> bool {
        self.definition.routing_required.unwrap_or(false)
    }

    pub fn analysis(&self) -> &Arc<Registry> {
        &self.analysis
    }

    pub fn settings(&self) -> &MappingSettings {
        &self.settings
    }

    /// Whether query strings pass over values that a field cannot take, unless they say.
    pub fn lenient_query_strings(&self) -> bool {
        self.settings.lenient_query_strings
    }

    /// `index.query.default_field`.
    pub fn default_fields(&self) -> &[String] {
        &self.settings.default_fields
    }

    /// Takes a document apart: adds its ops to `ops` (which is emptied first), or tells the change of the mapping that has
    /// to be made before. `id` stands in error messages. `scratch` is reused from document to document.
    ///
    /// A change is only asked for when the document goes through with it: values that the new fields refuse are errors.
    pub fn parse_document<'a>(
        &self,
        source: &'a [u8],
        id: &str,
        scratch: &mut DocumentScratch,
        ops: &mut Vec<FieldOp<'a>>,
    ) -> Result<Parsed> {
        document::parse(self, source, id, scratch, ops)
    }
}

pub(super) fn wrap_parse_error(cause: &Error) -> Error {
    if copies_to_null(cause) {
        return cause.clone();
    }
    mapper_parsing(format!("Failed to parse mapping [_doc]: {}", cause.reason()), cause.clone())
}

/// A `mapper_parsing_exception` with a cause. The cause is also the root cause if it is of the engine's own kinds; Java's
/// exceptions do not count.
#[cold]
pub(super) fn mapper_parsing(reason: String, cause: Error) -> Error {
    use ErrorKind::{Mapper, MapperParsing, Parse, Parsing, QueryShard, StrictDynamicMapping};
    let own = matches!(cause.kind(), Mapper | MapperParsing | Parse | Parsing | QueryShard | StrictDynamicMapping);
    let error = Error::new(MapperParsing, reason).caused_by(cause.clone());
    if own { error.with_root_causes(vec![cause]) } else { error }
}

/// Whether a mapping stands under the type that there was one of, of old.
fn is_typed(source: &Value) -> bool {
    source.as_object().is_some_and(|map| map.len() == 1 && map.contains("_doc"))
}

/// `*` stands for any characters.
pub(crate) fn simple_match(pattern: &str, text: &str) -> bool {
    let Some((prefix, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(prefix) else { return false };
    let Some((middle, suffix)) = rest.rsplit_once('*') else { return text.ends_with(rest) };
    for part in middle.split('*').filter(|part| !part.is_empty()) {
        let Some(at) = text.find(part) else { return false };
        text = &text[at + part.len()..];
    }
    text.ends_with(suffix)
}
