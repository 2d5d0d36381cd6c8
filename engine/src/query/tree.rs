//! What is asked of a query and all that are within it.

use super::match_all::APPROXIMATE_ALL;
use super::{Lookup, Percolation, PlanContext, Query, ShardContext, template};
use crate::error::Result;
use crate::json::Map;

impl Query {
    /// The documents that this query, or one within it, needs to have read.
    pub fn lookups(&self) -> Vec<&Lookup> {
        self.tree().flat_map(|query| query.kind.lookups()).collect()
    }

    /// Fills in the queries of the tree that only announce others, those that come of filling in others too.
    pub fn fill(&self, variables: &Map) -> Result<()> {
        if !template::are_used() {
            return Ok(());
        }
        let mut open = vec![self];
        while let Some(query) = open.pop() {
            query.kind.fill(variables)?;
            open.extend(query.kind.children());
        }
        Ok(())
    }

    /// This query and all within it.
    fn tree(&self) -> impl Iterator<Item = &Query> {
        let mut open = vec![self];
        std::iter::from_fn(move || {
            let query = open.pop()?;
            open.extend(query.kind.children());
            Some(query)
        })
    }

    /// Whether it or a query within it may find something else on the same documents.
    pub fn is_changeable(&self) -> bool {
        self.tree().any(|query| query.kind.is_changeable())
    }

    /// Whether the reference puts something else in the place of this query or of one within it before it asks shards.
    pub fn is_replaced(&self) -> bool {
        self.tree().any(|query| query.kind.is_replaced())
    }

    /// Whether the reference puts something else in the place of this query or of one within it when a shard has it.
    pub fn is_replaced_on_shard(&self, cx: &PlanContext) -> bool {
        self.kind.is_replaced_on_shard(cx)
    }

    /// Whether a query of one field is by one for all documents, which have its value.
    pub fn is_replaced_by_all(&self, cx: &PlanContext) -> bool {
        let replaced = self.kind.children().is_empty() && self.is_replaced_on_shard(cx);
        replaced && self.kind.plan(cx).is_ok_and(|plan| plan.to_string() == APPROXIMATE_ALL)
    }

    /// Whether the reference searches the segments of a shard side by side for it.
    pub fn is_sliced(&self) -> bool {
        self.kind.is_sliced()
    }

    /// The percolations in the tree, but for those that only tell what counts for the score.
    pub fn percolations(&self) -> Vec<&Percolation> {
        let mut found = Vec::new();
        let mut open = vec![(self, true)];
        while let Some((query, scored)) = open.pop() {
            found.extend(query.kind.percolation());
            open.extend(query.kind.matched_children(scored && query.boost != 0.0).into_iter().rev());
        }
        found
    }

    /// All queries in the tree that have a name which a shard knows of, outer ones first, and of those beside each other the last; with
    /// those that ask for nested documents the path of others that they stand among.
    pub fn named(&self, cx: &ShardContext) -> Vec<(&Query, Option<&str>)> {
        let mut named = Vec::new();
        let mut open = vec![(self, None)];
        let has_names = self.tree().any(|query| query.name.is_some());
        while let Some((query, path)) = open.pop().filter(|_| has_names) {
            let nested = query.kind.nested_path();
            if query.name.is_some() {
                named.push((query, path.filter(|_| nested.is_some())));
            }
            let below = nested.or(path);
            open.extend(query.kind.named_children(&PlanContext::new(cx)).into_iter().map(|child| (child, below)));
        }
        named
    }
}
