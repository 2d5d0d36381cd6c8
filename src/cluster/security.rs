//! Users and roles: changed one section at a time.

use super::State;
use crate::security::{Entry, Section, Store};
use pith_engine::{Error, ErrorKind, Result};
use std::collections::BTreeMap;
use std::sync::Arc;

/// New entries of a section.
#[derive(Clone, Debug)]
pub struct PutSecurity {
    /// What the entries were made from; if it is not the store any more, nothing happens.
    pub seen: Arc<Store>,
    pub section: Section,
    pub entries: BTreeMap<String, Entry>,
}

pub fn put(state: &mut State, put: PutSecurity) -> Result<()> {
    match &state.security {
        Some(store) if Arc::ptr_eq(store, &put.seen) => {
            state.security = Some(Arc::new(store.with(put.section, put.entries)));
            Ok(())
        }
        Some(_) => {
            let section = put.section.name();
            Err(Error::new(ErrorKind::VersionConflict, format!("[{section}] was changed by somebody else meanwhile")))
        }
        None => Err(Error::new(ErrorKind::IllegalState, "security is not set up on this cluster")),
    }
}
