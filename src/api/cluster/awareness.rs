//! What is asked of attributes that copies are spread over: which value of one is emptied of nodes, and how searches are weighed
//! between values. With one node there is nothing that could be emptied; weights are kept as they are given.

use super::super::targets::{MANAGER_TIMEOUT, submit};
use super::super::{ApiRequest, Method, Reply, Route};
use crate::api::document::validation_failed;
use crate::cluster::{Change, State, Weights, WeightsChange};
use crate::coordinate::Core;
use pith_engine::json::{Map, Value, Writer};
use pith_engine::{Error, ErrorKind, Result};
use std::collections::BTreeMap;
use std::rc::Rc;

const fn weights_route(
    method: Method,
    path: &'static str,
    name: &'static str,
    handler: super::super::Handler,
) -> Route {
    Route { method, path, name, params: &[], handler }
}

pub const ROUTES: &[Route] = &[
    Route {
        method: Method::Get,
        path: "/_cluster/decommission/awareness/{awareness_attribute_name}/_status",
        name: "get_decommission_state_action",
        params: &[],
        handler: |_, _| Box::pin(async { Ok(nothing()) }),
    },
    Route {
        method: Method::Put,
        path: "/_cluster/decommission/awareness/{awareness_attribute_name}/{awareness_attribute_value}",
        name: "decommission_action",
        params: &[&["no_delay", "delay_timeout?"]],
        handler: |core, request| Box::pin(decommission(core, request)),
    },
    Route {
        method: Method::Delete,
        path: "/_cluster/decommission/awareness",
        name: "delete_decommission_state_action",
        params: &[],
        // What has not begun is ended at once.
        handler: |_, _| Box::pin(async { Ok(Reply::acknowledged(true)) }),
    },
    Route {
        method: Method::Get,
        path: "/_cluster/routing/awareness/{attribute}/weights",
        name: "get_weighted_routing_action",
        params: &[MANAGER_TIMEOUT],
        handler: |core, request| Box::pin(weights(core, request)),
    },
    weights_route(
        Method::Put,
        "/_cluster/routing/awareness/{attribute}/weights",
        "put_weighted_routing_action",
        |core, request| Box::pin(put_weights(core, request)),
    ),
    weights_route(
        Method::Delete,
        "/_cluster/routing/awareness/{attribute}/weights",
        "delete_weighted_routing_action",
        |core, request| Box::pin(delete_weights(core, request)),
    ),
    weights_route(
        Method::Delete,
        "/_cluster/routing/awareness/weights",
        "delete_weighted_routing_action",
        |core, request| Box::pin(delete_weights(core, request)),
    ),
];

fn nothing() -> Reply {
    let mut w = Writer::new();
    w.begin_object().end_object();
    Reply::ok(w)
}

fn is_listed(state: &State, attribute: &str) -> bool {
    let listed = state.cluster_setting("cluster.routing.allocation.awareness.attributes").unwrap_or_default();
    listed.split(',').any(|known| known.trim() == attribute)
}

/// A value can be emptied once searches pass it over, which those of the only node that holds anything never do.
async fn decommission(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let no_delay = request.flag("no_delay", false)?;
    let delay_ms = request.time_ms_opt("delay_timeout")?;
    let (attribute, value) =
        (request.path_param("awareness_attribute_name"), request.path_param("awareness_attribute_value"));
    let refuse = |why: String| {
        let named = format!("[DecommissionAttribute{{attributeName='{attribute}', attributeValue='{value}'}}] {why}");
        Err(Error::new(ErrorKind::DecommissioningFailed, named))
    };
    if let (true, Some(delay_ms)) = (no_delay, delay_ms) {
        let seconds = delay_ms / 1000;
        let problem =
            format!("Invalid decommission request. no_delay is true and delay_timeout is set to {seconds}] Seconds");
        validation_failed(&[problem])?;
    }
    let state = core.state();
    if !is_listed(&state, attribute) {
        return refuse("invalid awareness attribute requested for decommissioning".to_owned());
    }
    if state.forced_awareness_values(attribute).is_empty() {
        return refuse("forced awareness attribute [{}] doesn't have the decommissioning attribute".to_owned());
    }
    let weights =
        state.weights.as_ref().filter(|weights| weights.attribute == attribute && !weights.by_value.is_empty());
    let Some(weights) = weights else {
        return refuse(format!("no weights are specified to attribute [{attribute}]"));
    };
    if let Some(weight) = weights.by_value.get(value).filter(|weight| **weight != 0.0) {
        return refuse(format!("weight for decommissioned attribute is expected to be [0.0] but found [{weight:?}]"));
    }
    // No node has the value. The reference goes on to keep its nodes out of elections, and finds that it names none.
    Err(Error::illegal_argument(
        "Please set node identifiers correctly. One and only one of [node_name], [node_names] and [node_ids] has to be set",
    ))
}

async fn weights(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    request.flag("local", false)?;
    let attribute = request.path_param("attribute");
    let state = core.state();
    check_attribute(&state, attribute)?;
    let Some(weights) = state.weights.as_ref().filter(|weights| weights.attribute == attribute) else {
        return Ok(nothing());
    };
    let mut w = Writer::new();
    w.begin_object().key("weights").begin_object();
    for (value, weight) in &weights.by_value {
        w.key(value).string(&format!("{weight:?}"));
    }
    w.end_object().key("_version").i64(weights.version);
    w.key("discovered_cluster_manager").bool(true).end_object();
    Ok(Reply::ok(w))
}

fn check_attribute(state: &State, attribute: &str) -> Result<()> {
    match is_listed(state, attribute) {
        true => Ok(()),
        false => {
            validation_failed(&[format!("invalid awareness attribute {attribute} requested for weighted routing")])
        }
    }
}

async fn put_weights(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let attribute = request.path_param("attribute");
    let weights = read_weights(attribute, &request)?;
    let state = core.state();
    check_attribute(&state, attribute)?;
    let here = state.awareness_values(attribute);
    let of_nodes = weights.by_value.iter().filter(|(value, _)| here.contains(*value)).map(|(_, weight)| *weight);
    check_zeros("discovered attribute values", of_nodes, &weights.by_value)?;
    Ok(Reply::acknowledged(
        submit(&core, &request, Change::Weights(Box::new(WeightsChange::Put(weights)))).await?.is_done(),
    ))
}

/// Not more than half of the values are passed over.
fn check_zeros(what: &str, weights: impl Iterator<Item = f64>, shown: &BTreeMap<String, f64>) -> Result<()> {
    let weights: Vec<f64> = weights.collect();
    let (zeros, most) = (weights.iter().filter(|weight| **weight == 0.0).count(), weights.len() / 2);
    if zeros <= most {
        return Ok(());
    }
    let shown: Vec<String> = shown.iter().map(|(value, weight)| format!("{value}={weight:?}")).collect();
    validation_failed(&[format!(
        "There are too many {what} [{{{}}}] given zero weight [{zeros}]. Maximum expected number of routing weights having zero weight is [{most}]",
        shown.join(", ")
    )])
}

#[cold]
fn misread(reason: String) -> Error {
    Error::new(ErrorKind::Parse, reason)
}

fn read_weights(attribute: &str, request: &ApiRequest) -> Result<Weights> {
    let empty = || misread("Empty request body".to_owned());
    let body = request.json_opt()?.ok_or_else(empty)?;
    let map = body.as_object().filter(|map| !map.is_empty()).ok_or_else(empty)?;
    let (mut by_value, mut version) = (BTreeMap::new(), None);
    for (key, value) in map.iter() {
        match (key, value) {
            ("weights", Value::Object(weights)) => by_value = read_values(weights)?,
            ("weights", _) => {
                let reason = "failed to parse weighted routing request object  [weights], expected object";
                return Err(misread(reason.to_owned()));
            }
            ("_version", value) => {
                let unknown =
                    || misread(format!("failed to parse weighted routing request [{attribute}], unknown type"));
                version = Some(value.as_i64().ok_or_else(unknown)?);
            }
            _ => return Err(misread(format!("failed to parse weighted routing request object [{key}]"))),
        }
    }
    if by_value.is_empty() {
        validation_failed(&["Weights are missing".to_owned()])?;
    }
    let Some(version) = version else {
        validation_failed(&["Version is missing".to_owned()])?;
        return Err(empty());
    };
    check_zeros("attribute values", by_value.values().copied(), &by_value)?;
    Ok(Weights { attribute: attribute.to_owned(), by_value, version })
}

fn read_values(weights: &Map) -> Result<BTreeMap<String, f64>> {
    let unknown = || misread("failed to parse weighted routing request attribute [null], unknown type".to_owned());
    let read = |(value, weight): (&str, &Value)| {
        let text = weight.as_str().ok_or_else(unknown)?;
        let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        let number =
            number.ok_or_else(|| Error::new(ErrorKind::NumberFormat, format!("For input string: \"{text}\"")))?;
        Ok((value.to_owned(), number))
    };
    weights.iter().map(read).collect()
}

/// The version that a request without one has.
const VERSION_UNSAID: i64 = -2;

async fn delete_weights(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let mut version = VERSION_UNSAID;
    if let Some(body) = request.json_opt()? {
        for (key, value) in body.as_object().into_iter().flat_map(Map::iter) {
            let unknown =
                || misread(format!("failed to parse delete weighted routing request body [{key}], unknown type"));
            version = value.as_i64().filter(|_| key == "_version").ok_or_else(unknown)?;
        }
    }
    Ok(Reply::acknowledged(
        submit(&core, &request, Change::Weights(Box::new(WeightsChange::Delete { version }))).await?.is_done(),
    ))
}
