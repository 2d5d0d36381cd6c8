//! What queries ask to be shown of the documents behind their matches.

use super::Query;
use crate::error::{Error, Result};
use crate::search::InnerHits;
use smallvec::{SmallVec, smallvec};

/// What a query says about inner hits.
pub enum Inner<'q> {
    /// Nothing; queries within it may.
    Within,
    /// Nothing, and what queries within it say does not count.
    Nothing,
    Asked(InnerQuery<'q>),
}

/// The documents behind a match that are to be shown.
#[derive(Clone, Copy)]
pub struct InnerQuery<'q> {
    pub hits: &'q InnerHits,
    pub query: &'q Query,
    pub behind: Behind<'q>,
}

/// Where documents stand that a query goes by.
#[derive(Clone, Copy)]
pub enum Behind<'q> {
    /// Nested under a path.
    Nested(&'q str),
    /// Children of this type.
    Children(&'q str),
    /// The parent, of this type.
    Parent(&'q str),
}

impl<'q> InnerQuery<'q> {
    /// What a query with or without inner hits says.
    pub fn of(hits: Option<&'q InnerHits>, query: &'q Query, behind: Behind<'q>) -> Inner<'q> {
        hits.map_or(Inner::Nothing, |hits| Inner::Asked(Self { hits, query, behind }))
    }

    /// The key under which the hits are shown.
    pub fn name(&self) -> &'q str {
        let (Behind::Nested(name) | Behind::Children(name) | Behind::Parent(name)) = self.behind;
        self.hits.name.as_deref().unwrap_or(name)
    }
}

impl Query {
    /// The inner hits of this query and those within it; inner hits of inner hits are not among them.
    pub fn inner_hits(&self) -> Result<Vec<InnerQuery<'_>>> {
        let mut found: Vec<InnerQuery<'_>> = vec![];
        let mut open: SmallVec<[&Self; 4]> = smallvec![self];
        while let Some(query) = open.pop() {
            match query.kind.inner() {
                Inner::Within => open.extend(query.kind.children().into_iter().rev()),
                Inner::Nothing => {}
                Inner::Asked(inner) => {
                    let name = inner.name();
                    if found.iter().any(|other| other.name() == name) {
                        let reason = format!("[inner_hits] already contains an entry for key [{name}]");
                        return Err(Error::illegal_argument(reason));
                    }
                    found.push(inner);
                }
            }
        }
        Ok(found)
    }
}
