//! `DELETE /{index}`.

use super::super::document::validation_failed;
use super::super::index_options::INDEX_PARAMS;
use super::super::targets::{TIMEOUTS, ids, resolve, submit};
use super::super::{ApiRequest, Method, Reply, Route};
use crate::cluster::{Change, IndicesOptions, State, blocks, is_all};
use crate::coordinate::Core;
use pith_engine::{Error, Result};
use std::rc::Rc;

pub const ROUTES: &[Route] = &[
    Route {
        method: Method::Delete,
        path: "/{index}",
        name: "delete_index_action",
        params: &[TIMEOUTS, INDEX_PARAMS],
        handler: |core, request| Box::pin(delete(core, request)),
    },
    Route {
        method: Method::Delete,
        path: "/",
        name: "delete_index_action",
        params: &[TIMEOUTS, INDEX_PARAMS],
        handler: |core, request| Box::pin(delete(core, request)),
    },
];

/// Aliases are not followed: whoever deletes an index must name it.
const OPTIONS: IndicesOptions = IndicesOptions {
    allow_aliases_to_multiple_indices: false,
    ignore_aliases: true,
    include_data_streams: false,
    ..IndicesOptions::STRICT_EXPAND
};

async fn delete(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    if !request.names_indexes() {
        validation_failed(&["index / indices is missing".to_owned()])?;
    }
    let state = core.state();
    check_named(&state, &request.list("index"))?;
    let indexes = resolve(&request, &state, OPTIONS)?;
    blocks::check_delete(&state, indexes.iter().map(|index| &**index))?;
    if indexes.is_empty() {
        return Ok(Reply::acknowledged(true));
    }
    let done = submit(&core, &request, Change::DeleteIndexes(ids(&indexes))).await?.is_done();
    Ok(Reply::acknowledged(done))
}

/// Refuses what could delete more than was meant, unless `action.destructive_requires_name` is false.
pub fn check_named(state: &State, expressions: &[&str]) -> Result<()> {
    if state.cluster_setting("action.destructive_requires_name").as_deref() == Some("false") {
        return Ok(());
    }
    if is_all(expressions) {
        return Err(Error::illegal_argument("Wildcard expressions or all indices are not allowed"));
    }
    // All of nothing is nothing.
    if matches!(expressions, ["*", "-*"]) {
        return Ok(());
    }
    if expressions.iter().any(|expression| expression.contains('*')) {
        return Err(Error::illegal_argument("Wildcard expressions or all indices are not allowed"));
    }
    Ok(())
}
