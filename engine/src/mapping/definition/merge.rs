//! Adding definitions to definitions: what is new is taken, what differs is refused unless it may change.

use super::parse::{changed_type, not_an_object};
use super::{Child, FieldDefinition, NestedDefinition, ObjectDefinition, RootDefinition, SourceDefinition, full_name};
use crate::error::{Error, ErrorKind, Result};
use crate::java_order::trie_order;
use crate::json::Map;
use crate::mapping::derived::DerivedFields;
use crate::mapping::types;
use std::collections::BTreeSet;
use std::fmt::Write as _;

impl RootDefinition {
    /// Adds `update` to this. On an error this is left half merged: merge into a clone.
    pub fn merge(&mut self, update: RootDefinition) -> Result<()> {
        self.root.merge(update.root, "", "_doc", [&self.derived, &update.derived])?;
        self.merge_source(update.source)?;
        if let Some(new) = update.routing_required {
            let old = self.routing_required.unwrap_or(false);
            if old != new {
                return Err(conflict("_routing", &cannot_update("required", old, new)));
            }
            self.routing_required = Some(new);
        }
        if let (Some(old), Some(new)) = (&self.data_stream_timestamp, &update.data_stream_timestamp)
            && old.enabled != new.enabled
        {
            return Err(conflict("_data_stream_timestamp", &cannot_update("enabled", old.enabled, new.enabled)));
        }
        take(&mut self.data_stream_timestamp, update.data_stream_timestamp);
        take(&mut self.field_names_enabled, update.field_names_enabled);
        take(&mut self.date_detection, update.date_detection);
        take(&mut self.numeric_detection, update.numeric_detection);
        take(&mut self.dynamic_date_formats, update.dynamic_date_formats);
        take(&mut self.dynamic_templates, update.dynamic_templates);
        take::<Map>(&mut self.meta, update.meta);
        // Nothing was indexed by them: they may change in every way.
        self.derived.extend(update.derived);
        self.root.drop_redundant_includes(true);
        Ok(())
    }

    /// The first definition of an index, which has nothing to agree with.
    pub fn begin(&mut self, first: RootDefinition) -> Result<()> {
        let (source, routing_required) = (first.source.clone(), first.routing_required);
        self.merge(RootDefinition { source: None, routing_required: None, ..first })?;
        (self.source, self.routing_required) = (source, routing_required);
        Ok(())
    }

    fn merge_source(&mut self, update: Option<SourceDefinition>) -> Result<()> {
        let Some(update) = update else { return Ok(()) };
        let old = self.source.clone().unwrap_or_default();
        let mut conflicts = String::new();
        let flag = |name: &str, old: Option<bool>, new: Option<bool>, conflicts: &mut String| {
            let (old, new) = (old.unwrap_or(true), new.unwrap_or(true));
            if old != new {
                *conflicts += &cannot_update(name, old, new);
            }
        };
        let lists = |name: &str, old: &[String], new: &[String], conflicts: &mut String| {
            if old != new {
                *conflicts += &cannot_update(name, list(old), list(new));
            }
        };
        let all = &mut conflicts;
        flag("enabled", old.enabled, update.enabled, all);
        lists("includes", &old.includes, &update.includes, all);
        lists("excludes", &old.excludes, &update.excludes, all);
        flag("recovery_source_enabled", old.recovery_enabled, update.recovery_enabled, all);
        lists("recovery_source_includes", &old.recovery_includes, &update.recovery_includes, all);
        lists("recovery_source_excludes", &old.recovery_excludes, &update.recovery_excludes, all);
        if !conflicts.is_empty() {
            return Err(conflict("_source", &conflicts));
        }
        self.source = Some(update);
        Ok(())
    }
}

fn take<T>(old: &mut Option<T>, new: Option<T>) {
    if new.is_some() {
        *old = new;
    }
}

fn list(items: &[String]) -> String {
    format!("[{}]", items.join(", "))
}

fn cannot_update(name: &str, old: impl std::fmt::Display, new: impl std::fmt::Display) -> String {
    format!("\n\tCannot update parameter [{name}] from [{old}] to [{new}]")
}

fn conflict(mapper: &str, conflicts: &str) -> Error {
    Error::illegal_argument(format!("Mapper for [{mapper}] conflicts with existing mapper:{conflicts}"))
}

/// The error of a name that is a derived field's and another's.
fn not_both(name: &str, other: &Child, changed: impl Fn(&str) -> Error) -> Error {
    match other {
        Child::Field(field) => changed(field.row.name),
        Child::Object(_) => not_an_object(name),
    }
}

impl ObjectDefinition {
    /// `path` is the full name, `name` what messages call the object; `derived`: the derived fields beside its fields, those that
    /// there are and those that come.
    fn merge(
        &mut self,
        mut update: ObjectDefinition,
        path: &str,
        name: &str,
        derived: [&DerivedFields; 2],
    ) -> Result<()> {
        self.check_nested(update.nested)?;
        self.merge_flat(&mut update, path, name)?;
        if self.disabled != update.disabled {
            return Err(Error::new(
                ErrorKind::Mapper,
                format!("the [enabled] parameter can't be updated for the object mapping [{name}]"),
            )
            .with_status(500));
        }
        take(&mut self.dynamic, update.dynamic);
        let [old, new] = derived;
        let names: BTreeSet<String> = update.properties.keys().chain(new.keys()).cloned().collect();
        for key in trie_order(names.iter().map(String::as_str).collect()) {
            if let Some(existing) = self.properties.get(key).filter(|_| new.contains_key(key)) {
                return Err(not_both(key, existing, |kind| changed_type(key, kind, "derived")));
            }
            let Some((key, child)) = update.properties.remove_entry(key) else { continue };
            if old.contains_key(&key) {
                return Err(not_both(&key, &child, |kind| changed_type(&key, "derived", kind)));
            }
            let full = full_name(path, &key);
            match self.properties.get_mut(&key) {
                Some(existing) => existing.merge(child, &full)?,
                None => {
                    self.properties.insert(key, child);
                }
            }
        }
        self.check_names(path)
    }
}

impl ObjectDefinition {
    /// Whether an object is nested does not change, nor does what it says of the documents around it.
    fn check_nested(&self, update: Option<NestedDefinition>) -> Result<()> {
        let (old, new) = match (self.nested, update) {
            (None, None) => return Ok(()),
            (Some(old), Some(new)) => (old, new),
            (Some(_), None) => {
                return Err(Error::illegal_argument("cannot change object mapping from nested to non-nested"));
            }
            (None, Some(_)) => {
                return Err(Error::illegal_argument("cannot change object mapping from non-nested to nested"));
            }
        };
        let changed = if old.include_in_parent != new.include_in_parent {
            "include_in_parent"
        } else if old.include_in_root != new.include_in_root {
            "include_in_root"
        } else {
            return Ok(());
        };
        let reason = format!("the [{changed}] parameter can't be updated on a nested object mapping");
        Err(Error::new(ErrorKind::Mapper, reason).with_status(500))
    }

    /// What reaches the root by way of its parents need not be included in it once more. `included`: this object's fields
    /// reach the root.
    fn drop_redundant_includes(&mut self, included: bool) {
        for child in self.properties.values_mut() {
            let Child::Object(object) = child else { continue };
            let nested = object.nested.unwrap_or_default();
            let by_parent = included && nested.include_in_parent;
            if let (true, Some(own)) = (by_parent, &mut object.nested) {
                own.include_in_root = false;
            }
            object.drop_redundant_includes(by_parent || nested.include_in_root);
        }
    }

    /// Adds a child under `key`; `name` is its full name.
    pub fn add(&mut self, key: &str, child: Child, name: &str) -> Result<()> {
        match self.properties.get_mut(key) {
            Some(existing) => existing.merge(child, name),
            None => {
                self.properties.insert(key.to_owned(), child);
                Ok(())
            }
        }
    }
}

impl Child {
    /// Whether the two are defined alike; objects are, whatever is in them.
    pub fn is_same(&self, other: &Child) -> bool {
        match (self, other) {
            (Child::Object(_), Child::Object(_)) => true,
            (Child::Field(field), Child::Field(other)) => field.is_same(other),
            _ => false,
        }
    }

    pub fn merge(&mut self, update: Child, name: &str) -> Result<()> {
        match (self, update) {
            (Child::Object(object), Child::Object(update)) => {
                let none = DerivedFields::new();
                object.merge(update, name, name, [&none, &none])
            }
            (Child::Field(field), Child::Field(update)) => field.merge(update, name),
            _ => Err(not_an_object(name)),
        }
    }
}

impl FieldDefinition {
    /// Whether the two are defined alike.
    fn is_same(&self, other: &Self) -> bool {
        let fields = |field: &Self| field.fields.len();
        self.row.name == other.row.name
            && self.params == other.params
            && self.copy_to == other.copy_to
            && fields(self) == fields(other)
            && self.fields.iter().all(|(name, field)| other.fields.get(name).is_some_and(|other| field.is_same(other)))
    }

    fn merge(&mut self, update: FieldDefinition, name: &str) -> Result<()> {
        let (old, new) = (self.row.name, update.row.name);
        if old != new {
            return Err(Error::illegal_argument(if old == types::ALIAS {
                format!("Cannot merge a field alias mapping [{name}] with a mapping that is not for a field alias.")
            } else {
                let new = if new == types::ALIAS { "FieldAliasMapper" } else { new };
                format!("mapper [{name}] cannot be changed from type [{old}] to [{new}]")
            }));
        }
        let mut conflicts = String::new();
        self.params.merge(self.row.params, &update.params, name, &mut conflicts);
        if !conflicts.is_empty() {
            // Relations of a join field and what places differ in are listed in brackets, and what they differ from is called otherwise.
            if conflicts.starts_with("\n[") {
                let conflicts = conflicts.replace("]\n[", ", ");
                let reason = format!("Mapper for [{name}] conflicts with existing mapping:{conflicts}");
                return Err(Error::illegal_argument(reason));
            }
            return Err(conflict(name, &conflicts));
        }
        self.copy_to = update.copy_to;
        for (key, field) in update.fields {
            let mut full_name = name.to_owned();
            write!(full_name, ".{key}").expect("a String takes all");
            match self.fields.get_mut(&key) {
                Some(existing) => existing.merge(field, &full_name)?,
                None => {
                    self.fields.insert(key, field);
                }
            }
        }
        Ok(())
    }
}
