//! The new fields of a document, to see whether they go together.
//!
//! A document that has two kinds of values for a new field is refused. Which of the two the message names first depends on the order in
//! which the reference merges new fields: by their names, and those of one name as they come. The least name of all is merged into the
//! mapping one after the other; of every other name the later ones are merged with the first.

use super::new_fields::ambiguity;
use crate::error::{Error, Result};
use crate::mapping::definition::{Child, changed_type};
use std::collections::BTreeMap;

/// How many different definitions of one name are looked at.
const KINDS_MAX: usize = 16;

#[derive(Default)]
pub struct Additions {
    by_name: BTreeMap<String, Vec<Child>>,
}

impl Additions {
    /// Notes a field by its full name. Beside the first two only those are kept that differ from all but the first.
    pub fn note(&mut self, name: &str, child: &Child) {
        let kinds = match self.by_name.get_mut(name) {
            Some(kinds) => kinds,
            None => self.by_name.entry(name.to_owned()).or_default(),
        };
        let known = |kinds: &[Child]| kinds.iter().skip(1).any(|known| known.is_same(child));
        if kinds.len() < 2 || (kinds.len() < KINDS_MAX && !known(kinds)) {
            kinds.push(child.clone());
        }
    }

    /// A name that the mapping cannot be asked for although the document may have it: one with a part of blanks alone.
    pub fn blank(&self) -> Option<Error> {
        let reason = self.by_name.keys().find_map(|name| ambiguity(name))?;
        Some(Error::illegal_argument(reason))
    }

    /// Why they do not go together.
    pub fn conflict(&self) -> Option<Error> {
        let mut names = self.by_name.iter();
        let least = names.next().and_then(|(name, kinds)| merge_least(name, kinds).err());
        least.or_else(|| names.find_map(|(name, kinds)| merge_with_first(name, kinds).err()))
    }
}

/// Objects are merged into the mapping only after what stands in them.
fn merge_least(name: &str, kinds: &[Child]) -> Result<()> {
    let [first, second, others @ ..] = kinds else { return Ok(()) };
    let is_object = second.as_object().is_some();
    let merged = || first.clone().merge(second.clone(), name);
    if !is_object {
        merged()?;
    }
    others.iter().try_for_each(|other| merge(other, second, name))?;
    if is_object { merged() } else { Ok(()) }
}

fn merge_with_first(name: &str, kinds: &[Child]) -> Result<()> {
    let Some((first, others)) = kinds.split_first() else { return Ok(()) };
    others.iter().try_for_each(|other| merge(other, first, name))
}

/// What fields are told beside objects differs from what is told where mappings are merged.
fn merge(into: &Child, with: &Child, name: &str) -> Result<()> {
    match (into, with) {
        (Child::Field(field), Child::Object(_)) => Err(changed_type(name, field.row.name, "ObjectMapper")),
        _ if into.is_same(with) => Ok(()),
        _ => into.clone().merge(with.clone(), name),
    }
}
