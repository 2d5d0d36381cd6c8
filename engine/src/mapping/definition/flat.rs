//! Objects with `disable_objects`: what stands below them in a document are fields of theirs, under whole paths.

use super::{Child, ObjectDefinition, full_name};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::mapping::params::{java_text, read_named_bool};

impl ObjectDefinition {
    pub fn is_flat(&self) -> bool {
        self.flat == Some(true)
    }

    /// What stands here under the first names of a path, as many as it has, and the names after it.
    pub fn property<'p>(&self, path: &'p str) -> Option<(&Child, Option<&'p str>)> {
        if !self.is_flat() {
            let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
            return Some((self.properties.get(first)?, rest));
        }
        let mut ends = std::iter::successors(Some(path.len()), |end| path[..*end].rfind('.'));
        ends.find_map(|end| Some((self.properties.get(&path[..end])?, path.get(end + 1..))))
    }

    /// Reads `disable_objects`, of which errors do not tell which object's it is.
    pub(super) fn read_flat(&mut self, value: Option<&Value>) -> Result<()> {
        let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(()) };
        let flag = read_named_bool("disable_objects.disable_objects", value).map_err(|cause| {
            Error::illegal_argument(format!(
                "Configuration error: Parameter [disable_objects] must be a boolean value (true or false), but got [{}]. {}",
                java_text(value),
                cause.reason()
            ))
            .caused_by(cause)
        })?;
        self.flat = Some(flag);
        Ok(())
    }

    /// Refuses objects where there are to be none. `path` is this object's full name, `name` what errors call it.
    pub(super) fn check_flat(&self, path: &str, name: &str) -> Result<()> {
        for (key, child) in &self.properties {
            let Child::Object(inner) = child else { continue };
            let full = full_name(path, key);
            if self.is_flat() {
                return Err(Error::new(ErrorKind::MapperParsing, object_below_flat(&full, name)));
            }
            inner.check_flat(&full, key)?;
        }
        self.check_names(path)
    }

    /// Refuses a field whose name is that of another one's multi-field, as only paths can be.
    pub(super) fn check_names(&self, path: &str) -> Result<()> {
        if !self.is_flat() {
            return Ok(());
        }
        for (key, child) in &self.properties {
            let Child::Field(field) = child else { continue };
            let names = field.fields.keys().map(|inner| format!("{key}.{inner}"));
            if let Some(name) = names.into_iter().find(|name| self.properties.contains_key(name)) {
                let full = full_name(path, &name);
                return Err(Error::new(ErrorKind::MapperParsing, format!("Field [{full}] is defined more than once")));
            }
        }
        Ok(())
    }

    /// Merges what an update says of `disable_objects`: it says it again or not at all, and new objects are refused where it holds.
    pub(super) fn merge_flat(&self, update: &mut ObjectDefinition, path: &str, name: &str) -> Result<()> {
        if let (Some(old), Some(new)) = (self.flat, update.flat)
            && old != new
        {
            return Err(refused(format!(
                "Cannot update parameter [disable_objects] from [{old}] to [{new}] for object mapping [{name}]. The disable_objects setting is immutable after index creation."
            )));
        }
        if self.is_flat() {
            let is_new = |(key, child): &(&String, &Child)| {
                matches!(child, Child::Object(_)) && !self.properties.contains_key(*key)
            };
            if let Some((key, _)) = update.properties.iter().find(is_new) {
                let full = full_name(path, key);
                return Err(refused(object_below_flat(&full, name)));
            }
        } else if update.is_flat() {
            update.unflatten(path)?;
        }
        Ok(())
    }

    /// Makes objects of the paths.
    fn unflatten(&mut self, path: &str) -> Result<()> {
        self.flat = None;
        for (key, child) in std::mem::take(&mut self.properties) {
            let full = full_name(path, &key);
            self.insert(&key, child, &full)?;
        }
        Ok(())
    }
}

/// What is wrong with an object of this full name below an object without objects.
pub fn object_below_flat(full: &str, name: &str) -> String {
    format!(
        "Field mapping conflict: Cannot add nested object field [{full}] when disable_objects is enabled for [{name}]. With disable_objects=true, all fields must use flat field notation (e.g., 'field.name' as a single field) rather than nested object structures."
    )
}

fn refused(reason: String) -> Error {
    Error::new(ErrorKind::Mapper, reason).with_status(500)
}
