//! Values that handlers read before anybody looks for parameters that nobody read: what is wrong with them is told first.

use super::index_options::{expand_wildcards, flag_value};
use super::search::globally;
use super::unknown::in_route;
use super::{ApiRequest, Method, Route, params};
use crate::cluster::{ActiveShards, IndicesOptions};
use pith_engine::Result;

const TIMES: &[&str] = &["cluster_manager_timeout", "keep_alive", "master_timeout", "timeout"];

const FLAGS: &[&str] = &[
    "accept_data_loss",
    "active_only",
    "all_shards",
    "create",
    "detailed",
    "dry_run",
    "explain",
    "flat_settings",
    "flush",
    "force",
    "help",
    "include_defaults",
    "include_unloaded_segments",
    "local",
    "only_ancient_segments",
    "only_expunge_deletes",
    "retry_failed",
    "rewrite",
    "v",
    "verbose",
    "wait_for_completion",
    "wait_if_ongoing",
];

/// What requests that only read look at before they look at how long to wait, in this order.
const BEFORE_TIMEOUTS: &[&str] = &["help", "expand_wildcards", "ignore_unavailable", "allow_no_indices", "local"];

/// Checks what stands for parameters of the route, of a repeated name the last: first what is looked at early, then in the order in
/// which they were given.
pub fn check(route: &Route, params: &[(String, String)]) -> Result<()> {
    let counting = params
        .iter()
        .enumerate()
        .filter(|(at, (name, _))| params[at + 1..].iter().all(|(later, _)| later != name) && in_route(route, name));
    let mut counting: Vec<_> = counting.map(|(_, (name, value))| (name.as_str(), value.as_str())).collect();
    let early = BEFORE_TIMEOUTS.iter().chain(&["timeout", "cluster_manager_timeout"]);
    counting.sort_by_key(|(name, _)| early.clone().position(|early| early == name).unwrap_or(usize::MAX));
    counting.into_iter().try_for_each(|(name, value)| check_one(route, name, value))
}

/// Checks what a request that only reads says beside how long to wait.
pub fn check_before_timeouts(request: &ApiRequest) -> Result<()> {
    if !matches!(request.method, Method::Get | Method::Head) {
        return Ok(());
    }
    let said = BEFORE_TIMEOUTS.iter().filter(|name| in_route(request.route, name));
    said.filter_map(|name| Some((name, request.param(name)?)))
        .try_for_each(|(name, value)| check_one(request.route, name, value))
}

fn check_one(route: &Route, name: &str, value: &str) -> Result<()> {
    match name {
        // Of snapshots, not of indexes.
        "ignore_unavailable" if route.path.contains("/_snapshot") || route.path.contains("/snapshots") => {
            params::boolean_opt(value).map(drop)
        }
        "expand_wildcards" => expand_wildcards(&mut IndicesOptions::STRICT_EXPAND_OPEN.clone(), params::names(value)),
        "allow_no_indices" | "ignore_unavailable" => flag_value(name, value).map(drop),
        "search_type" => globally(Some(value)).map(drop),
        "wait_for_active_shards" => ActiveShards::parse(value).map(drop),
        time if TIMES.contains(&time) => params::time_ms(time, value).map(drop),
        flag if FLAGS.contains(&flag) => params::boolean_opt(value).map(drop),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Reply;
    use super::*;

    #[test]
    fn bad_values_are_told() {
        let route = Route {
            method: Method::Get,
            path: "/",
            name: "x",
            params: &[&["timeout", "local", "expand_wildcards"]],
            handler: |_, _| Box::pin(async { Ok(Reply::empty(200)) }),
        };
        let reason = |pairs: &[(&str, &str)]| {
            let params: Vec<_> = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            check(&route, &params).err().map(|error| error.reason().to_owned())
        };
        let bad_flag = "Failed to parse value [a] as only [true] or [false] are allowed.";
        assert_eq!(reason(&[("local", "a"), ("timeout", "b")]).as_deref(), Some(bad_flag));
        assert_eq!(reason(&[("local", "a"), ("local", ""), ("timeout", "1s"), ("help", "a")]), None);
        assert_eq!(reason(&[("expand_wildcards", "q")]).as_deref(), Some("No valid expand wildcard value [q]"));
    }
}
