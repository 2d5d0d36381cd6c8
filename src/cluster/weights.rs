//! How searches are weighed between the values of an attribute that copies are spread over. While there is one node every search
//! goes to it; the weights are kept, checked and told.

use super::State;
use pith_engine::json::{Map, Value};
use pith_engine::{Error, ErrorKind, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The weights of one attribute, and how often they were changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    pub attribute: String,
    pub by_value: BTreeMap<String, f64>,
    pub version: i64,
}

/// The version of a cluster that never had weights.
pub const VERSION_NONE: i64 = -1;

#[derive(Clone, Debug)]
pub enum WeightsChange {
    /// With the version of the weights before.
    Put(Weights),
    Delete {
        version: i64,
    },
}

pub fn apply(state: &mut State, change: WeightsChange) -> Result<()> {
    match change {
        WeightsChange::Put(weights) => put(state, weights),
        WeightsChange::Delete { version } => delete(state, version),
    }
}

/// Sets the weights, if `version` is that of those before.
fn put(state: &mut State, weights: Weights) -> Result<()> {
    check_version(state, weights.version)?;
    let attribute = &weights.attribute;
    let forced = state.forced_awareness_values(attribute);
    let of_nodes: BTreeSet<String> = state.awareness_values(attribute);
    if let Some(missing) = forced.union(&of_nodes).find(|value| !weights.by_value.contains_key(*value)) {
        return Err(unsupported(format!(
            "weight for [{missing}] is not set and it is part of forced awareness value or a routing node has this attribute."
        )));
    }
    let version = weights.version + 1;
    state.weights = Some(Arc::new(Weights { version, ..weights }));
    Ok(())
}

/// Forgets the weights; that they were changed stays known.
fn delete(state: &mut State, version: i64) -> Result<()> {
    check_version(state, version)?;
    let attribute = state.weights.as_ref().map(|weights| weights.attribute.clone()).unwrap_or_default();
    state.weights = Some(Arc::new(Weights { attribute, by_value: BTreeMap::new(), version: version + 1 }));
    Ok(())
}

fn check_version(state: &State, version: i64) -> Result<()> {
    let known = state.weights.as_ref().map_or(VERSION_NONE, |weights| weights.version);
    if known == version {
        return Ok(());
    }
    Err(unsupported(format!(
        "requested version is {version} but cluster weighted routing metadata is at a different version {known} "
    )))
}

#[cold]
fn unsupported(reason: String) -> Error {
    Error::new(ErrorKind::UnsupportedWeightedRoutingState, reason)
}

/// As the state shows and keeps them.
pub fn to_value(weights: &Weights) -> Value {
    let by_value: Map =
        weights.by_value.iter().map(|(value, weight)| (value.as_str(), Value::Float(*weight))).collect();
    let awareness: Map = Map::from_iter([(weights.attribute.as_str(), Value::Object(by_value))]);
    Value::Object(Map::from_iter([("awareness", Value::Object(awareness)), ("_version", Value::Int(weights.version))]))
}

/// What [`to_value`] made.
pub fn from_value(value: &Value) -> Option<Weights> {
    let (attribute, by_value) = value.get("awareness")?.as_object()?.iter().next()?;
    let weight = |(value, weight): (&str, &Value)| Some((value.to_owned(), weight.as_f64()?));
    let by_value = by_value.as_object()?.iter().map(weight).collect::<Option<_>>()?;
    Some(Weights { attribute: attribute.to_owned(), by_value, version: value.get("_version")?.as_i64()? })
}

impl State {
    /// The values of an attribute that copies wait for, whether there are nodes that have them or not.
    pub fn forced_awareness_values(&self, attribute: &str) -> BTreeSet<String> {
        let setting = format!("cluster.routing.allocation.awareness.force.{attribute}.values");
        let listed = self.cluster_setting(&setting).unwrap_or_default();
        listed.split(',').map(str::trim).filter(|value| !value.is_empty()).map(str::to_owned).collect()
    }

    /// The values of an attribute that nodes have.
    pub fn awareness_values(&self, attribute: &str) -> BTreeSet<String> {
        self.nodes.values().filter_map(|node| node.attributes.get(attribute).cloned()).collect()
    }
}
