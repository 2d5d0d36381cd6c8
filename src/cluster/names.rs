//! Which names an index and an alias may have.

use super::State;
use pith_engine::{Error, ErrorKind, Result};

const NAME_BYTES_MAX: usize = 255;
const FORBIDDEN: [char; 10] = [' ', '"', '*', '\\', '<', '|', ',', '>', '/', '?'];

/// Checks the name of a new index: its form, and that nothing has it already.
pub fn check_new_index_name(state: &State, name: &str) -> Result<()> {
    check_form(name)
        .and_then(|()| if is_lowercase(name) { Ok(()) } else { Err("must be lowercase".into()) })
        .map_err(|problem| invalid_index_name(name, &problem))?;
    if let Some(existing) = state.index(name) {
        return Err(Error::new(
            ErrorKind::ResourceAlreadyExists,
            format!("index [{}/{}] already exists", existing.name, existing.uuid),
        )
        .with("index", name)
        .with("index_uuid", &*existing.uuid));
    }
    if state.aliases.contains_key(name) {
        return Err(invalid_index_name(name, "already exists as alias"));
    }
    Ok(())
}

/// Checks the form of an alias's name.
pub fn check_alias_name(name: &str) -> Result<()> {
    if name.trim().is_empty() {
        return Err(Error::illegal_argument("alias name is required"));
    }
    check_form(name)
        .map_err(|problem| Error::new(ErrorKind::InvalidAliasName, format!("Invalid alias name [{name}]: {problem}")))
}

/// Checks that no index is called like the alias.
pub fn check_alias_is_no_index(state: &State, name: &str) -> Result<()> {
    match state.index(name) {
        None => Ok(()),
        Some(index) => Err(Error::new(
            ErrorKind::InvalidAliasName,
            format!("Invalid alias name [{name}], an index exists with the same name as the alias"),
        )
        .with("index", name)
        .with("index_uuid", &*index.uuid)),
    }
}

/// Refuses a name that no index can have, and that stands for nothing else either.
pub fn check_not_reserved(name: &str) -> Result<()> {
    match name.starts_with('_') && name != "_all" {
        true => Err(invalid_index_name(name, "must not start with '_'.")),
        false => Ok(()),
    }
}

/// The error of a name that no index can have.
#[cold]
pub fn invalid_index_name(name: &str, problem: &str) -> Error {
    Error::new(ErrorKind::InvalidIndexName, format!("Invalid index name [{name}], {problem}"))
        .with("index", name)
        .with("index_uuid", "_na_")
}

pub(super) fn check_form(name: &str) -> Result<(), String> {
    let fail = |problem: &str| Err(problem.to_owned());
    if name.is_empty() {
        return fail("must not be empty");
    }
    if name.contains(FORBIDDEN) {
        return fail("must not contain the following characters [ , \", *, \\, <, |, ,, >, /, ?]");
    }
    if name.contains('#') {
        return fail("must not contain '#'");
    }
    if name.contains(':') {
        return fail("must not contain ':'");
    }
    if name.starts_with(['_', '-', '+']) {
        return fail("must not start with '_', '-', or '+'");
    }
    if name.len() > NAME_BYTES_MAX {
        return Err(format!("index name is too long, ({} > {NAME_BYTES_MAX})", name.len()));
    }
    if name == "." || name == ".." {
        return fail("must not be '.' or '..'");
    }
    Ok(())
}

fn is_lowercase(name: &str) -> bool {
    name.chars().all(|c| c.to_lowercase().eq([c]))
}

/// Whether `action.auto_create_index` lets a write create `index`. The error is the one the write then meets.
///
/// The value is `true`, `false`, or a list of patterns with `+` or `-` before them, of which the first that matches decides.
pub fn check_auto_create(state: &State, index: &str) -> Result<()> {
    let value = state.cluster_setting("action.auto_create_index").unwrap_or_else(|| "true".to_owned());
    let refused = |why: String| {
        Err(Error::new(ErrorKind::IndexNotFound, format!("no such index [{index}] and {why}"))
            .with("index", index)
            .with("index_uuid", "_na_"))
    };
    match value.as_str() {
        "true" => return Ok(()),
        "false" => return refused("[action.auto_create_index] is [false]".to_owned()),
        _ => {}
    }
    for item in value.split(',').map(str::trim).filter(|item| !item.is_empty()) {
        let (allowed, pattern) = match item.strip_prefix('-') {
            Some(pattern) => (false, pattern),
            None => (true, item.strip_prefix('+').unwrap_or(item)),
        };
        if crate::settings::glob(pattern, index) {
            return if allowed {
                Ok(())
            } else {
                refused(format!(
                    "[action.auto_create_index] contains [{item}] which forbids automatic creation of the index"
                ))
            };
        }
    }
    refused(format!("[action.auto_create_index] ([{value}]) doesn't match"))
}
