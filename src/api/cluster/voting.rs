//! `_cluster/voting_config_exclusions`: nodes that are to be kept out of elections.

use super::super::reply::Content;
use super::super::targets::{MANAGER_TIMEOUT, submit};
use super::super::{ApiRequest, Method, Reply, Route};
use crate::cluster::voting::ABSENT;
use crate::cluster::{Change, State, VotingExclusion};
use crate::coordinate::Core;
use crate::settings::glob;
use pith_engine::deprecated::note;
use pith_engine::{Error, ErrorKind, Result};
use std::rc::Rc;

const PATH: &str = "/_cluster/voting_config_exclusions";

pub const ROUTES: &[Route] = &[
    Route {
        method: Method::Post,
        path: PATH,
        name: "add_voting_config_exclusions_action",
        params: &[MANAGER_TIMEOUT, &["timeout", "node_ids", "node_names"]],
        handler: |core, request| Box::pin(add(core, request)),
    },
    Route {
        method: Method::Post,
        path: "/_cluster/voting_config_exclusions/{node_name}",
        name: "add_voting_config_exclusions_action",
        params: &[MANAGER_TIMEOUT, &["timeout", "node_ids", "node_names"]],
        handler: |core, request| Box::pin(add(core, request)),
    },
    Route {
        method: Method::Delete,
        path: PATH,
        name: "clear_voting_config_exclusions_action",
        params: &[MANAGER_TIMEOUT, &["wait_for_removal"]],
        handler: |core, request| Box::pin(clear(core, request)),
    },
];

async fn add(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    request.time_ms_of("RestAddVotingConfigExclusionAction", "timeout")?;
    let given = ["node_name", "node_names", "node_ids"].map(|name| request.list(name));
    if given.iter().filter(|list| !list.is_empty()).count() != 1 {
        return Err(Error::illegal_argument(
            "Please set node identifiers correctly. One and only one of [node_name], [node_names] and [node_ids] has to be set",
        ));
    }
    let state = core.state();
    let [descriptions, names, ids] = given;
    let mut excluded = vec![];
    for name in names {
        excluded.push(known(&state, |_, own| own == name).unwrap_or_else(|| exclusion(ABSENT, name)));
    }
    for id in ids {
        excluded.push(known(&state, |own, _| own == id).unwrap_or_else(|| exclusion(id, ABSENT)));
    }
    if !descriptions.is_empty() {
        note("nodeDescription is deprecated and will be removed, use nodeIds or nodeNames instead");
        let matched =
            descriptions.iter().filter_map(|text| known(&state, |id, name| glob(text, id) || glob(text, name)));
        excluded.extend(matched);
        if excluded.is_empty() {
            let reason = format!(
                "add voting config exclusions request for [{}] matched no cluster-manager-eligible nodes",
                descriptions.join(", ")
            );
            return Err(Error::illegal_argument(reason));
        }
    }
    let manager = excluded.iter().find(|node| *node.node_id == *state.manager).cloned();
    submit(&core, &request, Change::ExcludeVoters(excluded)).await?;
    match manager {
        None => Ok(nothing()),
        // The only voter stays one: what the request waits for cannot come.
        Some(node) => Err(Error::new(
            ErrorKind::Timeout,
            format!(
                "timed out waiting for voting config exclusions [{{{}}}{{{}}}] to take effect",
                node.node_name, node.node_id
            ),
        )),
    }
}

/// An answer without a body that says to be JSON.
fn nothing() -> Reply {
    Reply { content: Content::Verbatim(vec![]), ..Reply::empty(200) }
}

fn exclusion(id: &str, name: &str) -> VotingExclusion {
    VotingExclusion { node_id: id.to_owned(), node_name: name.to_owned() }
}

/// The member of the cluster that is meant.
fn known(state: &State, is_meant: impl Fn(&str, &str) -> bool) -> Option<VotingExclusion> {
    let node = state.nodes.values().find(|node| is_meant(&node.id, &node.name))?;
    Some(exclusion(&node.id, &node.name))
}

async fn clear(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let state = core.state();
    let stays = state.voting_exclusions.iter().find(|node| state.nodes.contains_key(node.node_id.as_str()));
    if let (true, Some(node)) = (request.flag("wait_for_removal", true)?, stays) {
        return Err(Error::new(
            ErrorKind::Timeout,
            format!(
                "timed out waiting for removal of nodes; if nodes should not be removed, set waitForRemoval to false. [{{{}}}{{{}}}]",
                node.node_name, node.node_id
            ),
        ));
    }
    submit(&core, &request, Change::ClearVotingExclusions).await?;
    Ok(nothing())
}
