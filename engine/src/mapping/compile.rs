//! Definitions to the compiled [`Mapping`]: numbered fields, the tree that documents are walked along, and the checks that
//! need the whole.

use super::definition::{Child, Dynamic, FieldDefinition, ObjectDefinition, RootDefinition, full_name};
use super::derived::DerivedFields;
use super::document::{Takes, takes_from_fields};
use super::dynamic::dynamic_formats;
use super::field::{Family, Field, FieldId};
use super::mapping::{Leaf, Mapping, NestedNode, NodeChild, ObjectNode, SourceFilter, Target};
use super::params::ParamContext;
use super::settings::MappingSettings;
use super::types::{self, Built, FieldContext};
use crate::analysis::Registry;
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::score::similarity::Similarities;
use ahash::{AHashMap, RandomState};
use hashbrown::HashTable;
use std::sync::{Arc, OnceLock};

/// Compiles a definition; the errors are those that the reference finds when a mapping is put together. Those of its parts are
/// told as `told` has them, those of limits and of what parts have to do with each other as they are.
pub fn compile(
    definition: RootDefinition,
    analysis: Arc<Registry>,
    settings: MappingSettings,
    told: fn(Error) -> Error,
) -> Result<Mapping> {
    put_together(definition, analysis, settings, told, true)
}

/// The same for a mapping that there is already: limits that were lowered since hold for what is added to it.
pub fn compile_held(definition: RootDefinition, analysis: Arc<Registry>, settings: MappingSettings) -> Result<Mapping> {
    put_together(definition, analysis, settings, |cause| cause, false)
}

fn put_together(
    definition: RootDefinition,
    analysis: Arc<Registry>,
    settings: MappingSettings,
    told: fn(Error) -> Error,
    limited: bool,
) -> Result<Mapping> {
    let mut compiler = Compiler::new(&analysis, &settings, told, limited);
    compiler.metadata();
    let dynamic = definition.root.dynamic.unwrap_or(Dynamic::True);
    compiler.object(&definition.root, "", dynamic)?;
    compiler.derived(&definition.derived)?;
    compiler.check_joins().map_err(told)?;
    check_metadata_names(&definition.root).map_err(told)?;
    compiler.check_nested_count()?;
    compiler.check_count()?;
    let (mut fields, by_name) = compiler.number_fields();
    let named = fields.iter().map(|field| (&field.name, field.similarity()));
    let unplaced = fields.iter().filter(|field| field.scores_alike()).map(|field| field.name.clone()).collect();
    let similarities = Similarities::new(named, &settings.similarities).with_unplaced(unplaced);
    for field in &mut fields {
        field.spec.count_overlaps = similarities.counts_overlaps(&field.name);
    }
    compiler.check_copies(&by_name)?;
    let aliases = compiler.resolve_aliases(&by_name)?;
    let has_nested = compiler.nodes.iter().any(|node| node.nested.is_some());
    let takes = |id: FieldId| fields[id.0 as usize].kind.takes();
    let (nodes, objects, leaves) = compiler.finish(&by_name, &takes);
    let mut by_name = by_name;
    // The primary term has no mapper in the reference: nobody finds it by its name.
    let is_found = |field: &Field| !field.hidden && field.family() != Family::PrimaryTerm;
    by_name.retain(|_, id| is_found(&fields[id.0 as usize]));
    by_name.extend(aliases);
    let completions = fields.iter().filter_map(|field| field.kind.completion());
    let has_context_paths = completions.into_iter().any(|options| takes_from_fields(&options.contexts));
    let source = definition.source.clone().unwrap_or_default();
    let nested_path_field = by_name.get("_nested_path").copied().unwrap_or(FieldId(0));
    let ignored_field = by_name.get("_ignored").copied().unwrap_or(FieldId(0));
    Ok(Mapping {
        unsaid: false,
        source_filter: SourceFilter {
            enabled: source.enabled.unwrap_or(true),
            includes: source.includes,
            excludes: source.excludes,
        },
        dynamic_formats: dynamic_formats(&definition)?,
        hasher: compiler_hasher(),
        definition,
        analysis: analysis.clone(),
        settings: settings.clone(),
        fields,
        by_name,
        nodes,
        objects,
        leaves,
        ignored_field,
        nested_path_field,
        has_nested,
        has_context_paths,
        similarities,
        places: OnceLock::new(),
    })
}

/// One seed for all mappings of the process.
fn compiler_hasher() -> RandomState {
    static HASHER: std::sync::LazyLock<RandomState> = std::sync::LazyLock::new(RandomState::new);
    HASHER.clone()
}

/// What stands under a key of an object, before fields are numbered.
enum Draft {
    Object(u32),
    Leaf { names: Vec<Arc<str>>, copy_to: Vec<Arc<str>> },
    Alias(Arc<str>),
}

struct NodeDraft {
    name: Arc<str>,
    enabled: bool,
    flat: bool,
    dynamic: Dynamic,
    nested: Option<NestedNode>,
    children: Vec<(Box<str>, Draft)>,
}

/// No field of the documents may have the name of a metadata field.
fn check_metadata_names(root: &ObjectDefinition) -> Result<()> {
    for (name, child) in &root.properties {
        if types::is_metadata_name(name) {
            let what = match child {
                Child::Object(_) => "both as an object and a field",
                Child::Field(_) => "more than once",
            };
            return Err(Error::new(ErrorKind::MapperParsing, format!("Field [{name}] is defined {what}")));
        }
    }
    Ok(())
}

struct Compiler<'d> {
    analysis: &'d Arc<Registry>,
    settings: &'d MappingSettings,
    told: fn(Error) -> Error,
    /// Whether the limits of the settings hold.
    limited: bool,
    fields: Vec<Field>,
    nodes: Vec<NodeDraft>,
    /// Name and target of each alias.
    aliases: Vec<(Arc<str>, String)>,
    /// Names of multi-fields, with whether they copy.
    multi_fields: Vec<(Arc<str>, bool)>,
    count: usize,
}

impl<'d> Compiler<'d> {
    fn new(
        analysis: &'d Arc<Registry>,
        settings: &'d MappingSettings,
        told: fn(Error) -> Error,
        limited: bool,
    ) -> Self {
        Self {
            analysis,
            settings,
            told,
            limited,
            fields: vec![],
            nodes: vec![],
            aliases: vec![],
            multi_fields: vec![],
            count: 0,
        }
    }

    fn metadata(&mut self) {
        for (name, Built { spec, kind }) in types::metadata_fields() {
            let name: Arc<str> = name.into();
            let boost = 1.0;
            self.fields.push(Field {
                id: FieldId(0),
                name,
                spec,
                type_name: "",
                boost,
                meta: None,
                hidden: false,
                derived: None,
                kind,
            });
        }
    }

    fn object(&mut self, object: &ObjectDefinition, name: &str, dynamic: Dynamic) -> Result<u32> {
        let at = self.nodes.len() as u32;
        let nested = object.nested.map(|includes| NestedNode { includes });
        let name_of: Arc<str> = name.into();
        let (enabled, flat) = (!object.disabled, object.is_flat());
        self.nodes.push(NodeDraft { name: name_of, enabled, flat, dynamic, nested, children: vec![] });
        self.check_depth(name)?;
        for (key, child) in &object.properties {
            self.check_name(key)?;
            self.count += 1;
            let full_name: Arc<str> = full_name(name, key).into();
            let draft = match child {
                Child::Object(inner) => {
                    Draft::Object(self.object(inner, &full_name, inner.dynamic.unwrap_or(dynamic))?)
                }
                Child::Field(field) if field.row.name == types::ALIAS => {
                    self.aliases.push((full_name.clone(), types::alias_path(&field.params)));
                    Draft::Alias(full_name)
                }
                Child::Field(field) => {
                    let mut names = vec![];
                    self.field(field, &full_name, &mut names)?;
                    Draft::Leaf { names, copy_to: field.copy_to.iter().map(|name| name.as_str().into()).collect() }
                }
            };
            self.nodes[at as usize].children.push((key.as_str().into(), draft));
        }
        Ok(at)
    }

    /// Builds a field and its multi-fields.
    fn field(&mut self, field: &FieldDefinition, name: &Arc<str>, names: &mut Vec<Arc<str>>) -> Result<()> {
        let built = build_field(field, name, self.analysis).map_err(self.told)?;
        let (parts, further) = (built.kind.parts(), built.kind.further_fields());
        self.fields.push(built);
        names.push(name.clone());
        let parts_told = parts.iter().filter(|part| !part.hidden);
        self.count += parts_told.clone().count() + further;
        for part in parts_told {
            self.check_name(&format!("{}{}", name.rsplit('.').next().unwrap_or(name), part.suffix))?;
        }
        for part in parts {
            let name: Arc<str> = format!("{name}{}", part.suffix).into();
            names.push(name.clone());
            self.fields.push(part.into_field(name));
        }
        for (key, inner) in &field.fields {
            self.check_name(key)?;
            self.count += 1;
            let inner_name: Arc<str> = format!("{name}.{key}").into();
            self.multi_fields.push((inner_name.clone(), !inner.copy_to.is_empty()));
            self.field(inner, &inner_name, names)?;
        }
        Ok(())
    }

    /// Fields of the same name that documents have go before derived ones.
    fn derived(&mut self, derived: &DerivedFields) -> Result<()> {
        let cx = ParamContext { analysis: self.analysis, settings: self.settings };
        self.count += derived.len();
        for (name, definition) in derived {
            let field = definition.field(name, cx)?;
            if self.fields.iter().all(|other| *other.name != **name) {
                self.fields.push(field);
            }
        }
        Ok(())
    }

    fn check_depth(&self, name: &str) -> Result<()> {
        let (limit, dots) = (self.settings.depth_limit, name.matches('.').count());
        if !self.limited || name.is_empty() || dots + 2 <= limit {
            return Ok(());
        }
        Err(Error::illegal_argument(format!(
            "Limit of mapping depth [{limit}] has been exceeded due to object field [{name}]"
        )))
    }

    fn check_name(&self, key: &str) -> Result<()> {
        let limit = self.settings.field_name_length_limit;
        if !self.limited || key.len() <= limit || key.encode_utf16().count() <= limit {
            return Ok(());
        }
        Err(Error::illegal_argument(format!("Field name [{key}] is longer than the limit of [{limit}] characters")))
    }

    fn check_joins(&self) -> Result<()> {
        if self.fields.iter().filter(|field| field.relations().is_some()).count() < 2 {
            return Ok(());
        }
        Err(Error::new(ErrorKind::MapperParsing, "Field [_parent_join] is defined more than once"))
    }

    fn check_nested_count(&self) -> Result<()> {
        let limit = self.settings.nested_fields_limit;
        if !self.limited || self.nodes.iter().filter(|node| node.nested.is_some()).count() <= limit {
            return Ok(());
        }
        Err(Error::illegal_argument(format!("Limit of nested fields [{limit}] has been exceeded")))
    }

    fn check_count(&self) -> Result<()> {
        let limit = self.settings.total_fields_limit;
        if !self.limited || self.count <= limit {
            return Ok(());
        }
        Err(too_many_fields(limit))
    }

    /// Sorts the fields by name and numbers them.
    fn number_fields(&mut self) -> (Vec<Field>, AHashMap<Arc<str>, FieldId>) {
        let mut fields = std::mem::take(&mut self.fields);
        fields.sort_by(|a, b| a.name.cmp(&b.name));
        for (at, field) in fields.iter_mut().enumerate() {
            field.id = FieldId(at as u32);
            if field.family().is_metadata() {
                field.type_name = metadata_name(&field.name);
            }
        }
        let by_name = fields.iter().map(|field| (field.name.clone(), field.id)).collect();
        (fields, by_name)
    }

    fn check_copies(&self, by_name: &AHashMap<Arc<str>, FieldId>) -> Result<()> {
        // What stands before the last dot of a multi-field is a field.
        let is_multi_field = |name: &str| name.rsplit_once('.').is_some_and(|(parent, _)| by_name.contains_key(parent));
        if let Some((name, _)) = self.multi_fields.iter().find(|(_, copies)| *copies) {
            return Err(Error::illegal_argument(format!(
                "[copy_to] may not be used to copy from a multi-field: [{name}]"
            )));
        }
        for node in &self.nodes {
            for (_, draft) in &node.children {
                let Draft::Leaf { copy_to, .. } = draft else { continue };
                for target in copy_to {
                    if is_multi_field(target) {
                        return Err(Error::illegal_argument(format!(
                            "[copy_to] may not be used to copy to a multi-field: [{target}]"
                        )));
                    }
                    if !target.is_empty() && self.nodes.iter().any(|node| node.name == *target) {
                        return Err(Error::illegal_argument(format!(
                            "Cannot copy to field [{target}] since it is mapped as an object"
                        )));
                    }
                    self.check_scope(&node.name, target)?;
                }
            }
        }
        Ok(())
    }

    /// The innermost nested object that `object` is, or is in.
    fn nested_scope<'n>(&self, mut object: &'n str) -> Option<&'n str> {
        while !object.is_empty() {
            if self.nodes.iter().any(|node| *node.name == *object && node.nested.is_some()) {
                return Some(object);
            }
            object = object.rsplit_once('.').map_or("", |(parent, _)| parent);
        }
        None
    }

    /// Values go to their own document or to one around it.
    fn check_scope(&self, object: &str, target: &str) -> Result<()> {
        let from = self.nested_scope(object);
        let Some(to) = self.nested_scope(target.rsplit_once('.').map_or("", |(parent, _)| parent)) else {
            return Ok(());
        };
        let is_around = |from: &str| from == to || from.strip_prefix(to).is_some_and(|rest| rest.starts_with('.'));
        if from.is_some_and(is_around) {
            return Ok(());
        }
        let from = from.unwrap_or("null");
        Err(Error::illegal_argument(format!(
            "Illegal combination of [copy_to] and [nested] mappings: [copy_to] may only copy data to the current nested document \
             or any of its parents, however one [copy_to] directive is trying to copy data from nested object [{from}] to [{to}]"
        )))
    }

    fn resolve_aliases(&self, by_name: &AHashMap<Arc<str>, FieldId>) -> Result<Vec<(Arc<str>, FieldId)>> {
        let resolve = |(name, path): &(Arc<str>, String)| {
            let refuse = |why: &str| {
                let reason = format!("Invalid [path] value [{path}] for field alias [{name}]: {why}.");
                Err(Error::new(ErrorKind::MapperParsing, reason))
            };
            if path.as_str() == &**name {
                return refuse("an alias cannot refer to itself");
            }
            if self.aliases.iter().any(|(other, _)| path.as_str() == &**other) {
                return refuse("an alias cannot refer to another alias");
            }
            match by_name.get(path.as_str()) {
                Some(id) => Ok((name.clone(), *id)),
                None => refuse("an alias must refer to an existing field in the mappings"),
            }
        };
        self.aliases.iter().map(resolve).collect()
    }

    /// The tree, objects by name, and the leaves that values can be copied to.
    #[expect(clippy::type_complexity, reason = "three parts of the mapping that is being put together")]
    fn finish(
        self,
        by_name: &AHashMap<Arc<str>, FieldId>,
        takes: &dyn Fn(FieldId) -> Takes,
    ) -> (Vec<ObjectNode>, AHashMap<Arc<str>, u32>, AHashMap<Arc<str>, Arc<Leaf>>) {
        let hasher = compiler_hasher();
        let mut leaves = AHashMap::new();
        let mut nodes = vec![];
        for NodeDraft { name, enabled, flat, dynamic, nested, children: drafts } in self.nodes {
            let mut children = HashTable::with_capacity(drafts.len());
            let mut insert = |key: Box<str>, target: Target| {
                let hash = hasher.hash_one(&*key);
                children.insert_unique(hash, NodeChild { key, target }, |child| hasher.hash_one(&*child.key));
            };
            for (key, draft) in drafts {
                let target = match draft {
                    Draft::Object(at) => Target::Object(at),
                    Draft::Alias(alias) => Target::Alias(alias),
                    Draft::Leaf { names, copy_to } => {
                        let fields: Vec<_> = names.iter().filter_map(|name| by_name.get(name).copied()).collect();
                        let takes = fields.iter().map(|id| takes(*id)).max().unwrap_or(Takes::Scalars);
                        let leaf = Arc::new(Leaf { fields, copy_to, takes });
                        leaves.insert(names[0].clone(), leaf.clone());
                        Target::Leaf(leaf)
                    }
                };
                insert(key, target);
            }
            if name.is_empty() {
                for (meta, _) in types::metadata_fields() {
                    let fields = by_name.get(meta).copied().into_iter().collect();
                    insert(
                        meta.into(),
                        Target::Leaf(Arc::new(Leaf { fields, copy_to: vec![], takes: Takes::Scalars })),
                    );
                }
            }
            nodes.push(ObjectNode { name, enabled, flat, dynamic, nested, children });
        }
        let objects = nodes.iter().enumerate().map(|(at, node)| (node.name.clone(), at as u32)).collect();
        (nodes, objects, leaves)
    }
}

/// The error of a mapping that has more fields than it may have.
#[cold]
pub(super) fn too_many_fields(limit: usize) -> Error {
    Error::illegal_argument(format!("Limit of total fields [{limit}] has been exceeded"))
}

/// Builds one field, without its multi-fields. It has no number yet.
pub fn build_field(field: &FieldDefinition, name: &Arc<str>, analysis: &Arc<Registry>) -> Result<Field> {
    let Built { spec, kind } = (field.row.build)(&field.params, &FieldContext { name, analysis })?;
    let param = |wanted: &str| {
        let known = field.row.params.iter().any(|param| param.name == wanted);
        known.then(|| field.params.get(field.row.params, wanted))
    };
    let meta = param("meta").and_then(Value::as_object).filter(|meta| !meta.is_empty()).cloned();
    let boost = param("boost").and_then(Value::as_f64).unwrap_or(1.0) as f32;
    let type_name = kind.reported_type().unwrap_or(field.row.name);
    Ok(Field { id: FieldId(0), name: name.clone(), spec, type_name, boost, meta, hidden: false, derived: None, kind })
}

/// The type of a metadata field is its name.
fn metadata_name(name: &str) -> &'static str {
    types::metadata_fields().find(|(known, _)| *known == name).map_or("", |(known, _)| known)
}
