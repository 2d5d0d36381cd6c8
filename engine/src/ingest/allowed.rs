//! Which kinds of processors a node has: all, unless its settings name those that it may have.

use crate::error::{Error, Result};
use std::sync::OnceLock;

/// Kinds that are restricted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    Ingest,
    UserAgent,
    SearchRequests,
    SearchResponses,
    SearchPhaseResults,
}

/// The kinds of a group that the node may have.
pub struct Allowed<'a> {
    pub group: Group,
    /// The setting that says so.
    pub setting: &'a str,
    pub names: Vec<String>,
    /// All kinds of the group.
    pub kinds: Vec<&'static str>,
}

/// Set once, before any core runs.
static REFUSED: OnceLock<Vec<(Group, &'static str)>> = OnceLock::new();

/// Leaves of the groups given only what is allowed. What was said first holds.
pub fn restrict<'a>(groups: impl IntoIterator<Item = Allowed<'a>>) -> Result<()> {
    let _ = REFUSED.set(refused(groups)?);
    Ok(())
}

fn refused<'a>(groups: impl IntoIterator<Item = Allowed<'a>>) -> Result<Vec<(Group, &'static str)>> {
    let mut refused = vec![];
    for Allowed { group, setting, names, kinds } in groups {
        let unknown: Vec<&str> = names.iter().map(String::as_str).filter(|name| !kinds.contains(name)).collect();
        if !unknown.is_empty() {
            let unknown = unknown.join(", ");
            let reason = format!("Processor(s) [{unknown}] were defined in [{setting}] but do not exist");
            return Err(Error::illegal_argument(reason));
        }
        let others = kinds.into_iter().filter(|kind| !names.iter().any(|name| name == kind));
        refused.extend(others.map(|kind| (group, kind)));
    }
    Ok(refused)
}

/// Whether the node has a kind of processor.
pub(crate) fn is_allowed(group: Group, kind: &str) -> bool {
    REFUSED.get().is_none_or(|refused| !refused.contains(&(group, kind)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_named_is_refused_and_what_nobody_knows_an_error() {
        let of = |names: &[&str]| {
            let names = names.iter().map(|name| (*name).to_owned()).collect();
            refused([Allowed { group: Group::Ingest, setting: "s", names, kinds: vec!["a", "b", "c"] }])
        };
        assert_eq!(of(&["b"]).unwrap(), [(Group::Ingest, "a"), (Group::Ingest, "c")]);
        assert_eq!(of(&[]).unwrap().len(), 3);
        let reason = "Processor(s) [x, y] were defined in [s] but do not exist";
        assert_eq!(of(&["x", "a", "y"]).unwrap_err().reason(), reason);
    }
}
