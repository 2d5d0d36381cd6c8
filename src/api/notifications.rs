//! `_plugins/_notifications`: channels put, listed, deleted and tried.

use super::targets::submit;
use super::{ApiRequest, Method, Reply, Route, params};
use crate::cluster::{BlockLevel, Change, blocks};
use crate::coordinate::{Core, clock};
use crate::notify::{self, Asked, Config, Found, Kind, Options, Sending, Viewer};
use crate::security::acting;
use crate::tasks::within_task;
use pith_engine::error::validation_text;
use pith_engine::json::{Value, Writer};
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt;
use std::collections::BTreeSet;
use std::rc::Rc;

/// What pages and sorts a list.
const PAGING: &[&str] = &["config_id", "config_id_list", "from_index", "max_items", "sort_order", "sort_field"];
const IDS: &[&str] = &["config_id", "config_id_list"];
/// The role whose users see everything.
const ADMINISTRATOR: &str = "all_access";

const F: [&[&str]; 6] = notify::FILTERS;
/// Paging first, then all filters.
const LIST_PARAMS: &[&[&str]] = &[PAGING, F[0], F[1], F[2], F[3], F[4], F[5]];

const fn list_route(path: &'static str) -> Route {
    Route {
        method: Method::Get,
        path,
        name: "notifications_config_get",
        params: LIST_PARAMS,
        handler: |core, request| Box::pin(list(core, request)),
    }
}

const fn update_route(method: Method) -> Route {
    Route {
        method,
        path: "/_plugins/_notifications/configs/{config_id}",
        name: "notifications_config_update",
        params: &[],
        handler: |core, request| Box::pin(update(core, request)),
    }
}

const fn delete_route(path: &'static str) -> Route {
    Route {
        method: Method::Delete,
        path,
        name: "notifications_config_delete",
        params: &[IDS],
        handler: |core, request| Box::pin(delete(core, request)),
    }
}

const fn test_route(method: Method) -> Route {
    Route {
        method,
        path: "/_plugins/_notifications/feature/test/{config_id}",
        name: "notifications_send_test",
        params: &[],
        handler: |core, request| Box::pin(send_test(core, request)),
    }
}

pub const ROUTES: &[Route] = &[
    list_route("/_plugins/_notifications/configs"),
    list_route("/_plugins/_notifications/configs/{config_id}"),
    Route {
        method: Method::Post,
        path: "/_plugins/_notifications/configs",
        name: "notifications_config_create",
        params: &[],
        handler: |core, request| Box::pin(create(core, request)),
    },
    update_route(Method::Put),
    update_route(Method::Post),
    delete_route("/_plugins/_notifications/configs"),
    delete_route("/_plugins/_notifications/configs/{config_id}"),
    Route {
        method: Method::Get,
        path: "/_plugins/_notifications/features",
        name: "notifications_features",
        params: &[],
        handler: |core, _| Box::pin(async move { Ok(features(&options(&core))) }),
    },
    Route {
        method: Method::Get,
        path: "/_plugins/_notifications/channels",
        name: "notifications_channel_list",
        params: &[],
        handler: |core, _| Box::pin(channels(core)),
    },
    test_route(Method::Get),
    test_route(Method::Post),
];

fn options(core: &Core) -> Options {
    let state = core.state();
    Options::read(|key| state.cluster_setting(key))
}

fn features(options: &Options) -> Reply {
    let mut w = Writer::new();
    w.begin_object().key("allowed_config_type_list").begin_array();
    options.allowed.iter().for_each(|kind| {
        w.string(kind.name());
    });
    w.end_array().key("plugin_features").begin_object();
    w.key("tooltip_support").string(if options.tooltip_support { "true" } else { "false" });
    w.end_object().end_object();
    Reply::ok(w)
}

async fn create(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let body = request.json()?;
    let (config, _) = config_of(&core, &body)?;
    let id = match body.get("config_id") {
        None | Some(Value::Null) => core.make_id(),
        Some(Value::String(id)) => id.clone(),
        Some(other) => return Err(Error::illegal_argument(format!("config_id [{}] is no text", other.to_text()))),
    };
    notify::check_id(&id)?;
    let access = acting::current().map(|subject| subject.backend_roles.clone()).unwrap_or_default();
    apply(&core, &request, notify::Change::Create { id: id.clone(), config, access }).await?;
    Ok(named(&id))
}

async fn update(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let (config, viewer) = config_of(&core, &request.json()?)?;
    let id = request.path_param("config_id").to_owned();
    viewer.check(&core.state().notifications, [id.as_str()])?;
    apply(&core, &request, notify::Change::Update { id: id.clone(), config }).await?;
    Ok(named(&id))
}

/// For whom a request is done: a user whose backend roles count, or anybody.
fn viewer(options: &Options) -> Result<Viewer> {
    match acting::current().filter(|_| options.filter_by_backend_roles) {
        Some(subject) if !subject.roles.iter().any(|role| role == ADMINISTRATOR) => {
            if subject.backend_roles.is_empty() {
                let reason = "User doesn't have backend roles configured. Contact administrator.";
                return Err(notify::status(403, reason));
            }
            Ok(Viewer::Roles(subject.backend_roles.clone()))
        }
        _ => Ok(Viewer::Everybody),
    }
}

/// The configuration in a body, if its type and what it refers to may be used by whoever sends it.
fn config_of(core: &Core, body: &Value) -> Result<(Config, Viewer)> {
    let options = options(core);
    let viewer = viewer(&options)?;
    let config = body.get("config").ok_or_else(|| Error::illegal_argument("config field absent"))?;
    let config = Config::parse(config)?;
    if !options.allowed.contains(&config.kind()) {
        return Err(notify::status(403, format!("Configuration type [{}] is not allowed", config.type_name)));
    }
    viewer.check_references(&core.state().notifications, &config)?;
    Ok((config, viewer))
}

async fn apply(core: &Rc<Core>, request: &ApiRequest, change: notify::Change) -> Result<()> {
    blocks::check_cluster(&core.state(), BlockLevel::MetadataWrite)?;
    match submit(core, request, Change::Notification(Box::new(change))).await?.is_done() {
        true => Ok(()),
        false => Err(Error::new(ErrorKind::ProcessClusterEventTimeout, "failed to process cluster event in time")),
    }
}

/// `{"config_id":…}`.
fn named(id: &str) -> Reply {
    let mut w = Writer::new();
    w.begin_object().key("config_id").string(id).end_object();
    Reply::ok(w)
}

async fn delete(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let ids: BTreeSet<String> = ids_of(&request).into_iter().collect();
    if ids.is_empty() {
        return Ok(Reply::text(400, "either config_id or config_id_list is required"));
    }
    viewer(&options(&core))?.check(&core.state().notifications, ids.iter().map(String::as_str))?;
    apply(&core, &request, notify::Change::Delete(ids.clone())).await?;
    let mut w = Writer::new();
    w.begin_object().key("delete_response_list").begin_object();
    ids.iter().for_each(|id| {
        w.key(id).string("OK");
    });
    w.end_object().end_object();
    Ok(Reply::ok(w))
}

/// The ids that a request names, one by one or in a list.
fn ids_of(request: &ApiRequest) -> Vec<String> {
    let listed = request.list("config_id_list").into_iter();
    let ids = request.param("config_id").into_iter().chain(listed);
    ids.filter(|id| !id.is_empty()).map(str::to_owned).collect()
}

async fn list(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let options = options(&core);
    let asked = Asked { viewer: viewer(&options)?, ..asked(&request, options.default_items)? };
    let (configs, from) = (core.state().notifications.clone(), asked.from);
    let found = rt::offload(move || notify::find(&configs, &asked)).await?;
    Ok(shown(from, &found, "config_list", |id, stored| stored.to_value(id)))
}

/// What a list is asked for in the parameters of a request.
fn asked(request: &ApiRequest, default_items: usize) -> Result<Asked> {
    let is_filter = |name: &str| {
        let mut names = F.iter().copied().flatten();
        names.any(|known| known.strip_suffix('?').unwrap_or(known) == name)
    };
    let filters = request.params().iter().filter(|(name, _)| is_filter(name)).cloned().collect();
    let descending = match request.param("sort_order").map(str::to_ascii_lowercase).as_deref() {
        None | Some("asc") => false,
        Some("desc") => true,
        Some(other) => {
            let reason = format!("No enum constant org.opensearch.search.sort.SortOrder.{}", other.to_uppercase());
            return Err(Error::illegal_argument(reason));
        }
    };
    let from = request.param("from_index").map_or(Ok(0), |text| params::int("from_index", text))?;
    let default_items = i32::try_from(default_items).unwrap_or(i32::MAX);
    let max = request.param("max_items").map_or(Ok(default_items), |text| params::int("max_items", text))?;
    let wrong = [(from < 0, "fromIndex is -ve"), (max <= 0, "maxItems is not +ve")];
    let wrong: Vec<&str> = wrong.into_iter().filter(|(is_wrong, _)| *is_wrong).map(|(_, what)| what).collect();
    if !wrong.is_empty() {
        return Err(Error::new(ErrorKind::ActionRequestValidation, validation_text(wrong)));
    }
    Ok(Asked {
        ids: ids_of(request),
        filters,
        sort_field: request.param("sort_field").map(str::to_owned),
        descending,
        from: from.max(0) as usize,
        max: max.max(0) as usize,
        ..Asked::default()
    })
}

/// A list, its items as `item` shows them.
fn shown(from: usize, found: &Found, name: &str, item: impl Fn(&str, &notify::Stored) -> Value) -> Reply {
    let mut w = Writer::new();
    w.begin_object().key("start_index").u64(from as u64).key("total_hits").u64(found.total);
    w.key("total_hit_relation").string("eq").key(name).begin_array();
    for (id, stored) in &found.configs {
        w.value(&item(id, stored));
    }
    w.end_array().end_object();
    Reply::ok(w)
}

/// The configurations that messages can be sent to, without what only their deliveries need.
async fn channels(core: Rc<Core>) -> Result<Reply> {
    let types: Vec<&str> = Kind::all().filter(|kind| kind.is_channel()).map(Kind::name).collect();
    let filters = vec![("config_type".to_owned(), types.join(","))];
    let options = options(&core);
    let asked = Asked { filters, max: options.default_items, viewer: viewer(&options)?, ..Asked::default() };
    let configs = core.state().notifications.clone();
    let found = rt::offload(move || notify::find(&configs, &asked)).await?;
    Ok(shown(0, &found, "channel_list", |id, stored| {
        let config = &stored.config;
        let fields = [
            ("config_id", Value::from(id)),
            ("name", Value::from(&config.name)),
            ("description", Value::from(&config.description)),
            ("config_type", Value::from(config.type_name)),
            ("is_enabled", Value::from(config.is_enabled)),
        ];
        Value::Object(fields.into_iter().collect())
    }))
}

async fn send_test(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let (state, options) = (core.state(), options(&core));
    let id = request.path_param("config_id");
    viewer(&options)?.check(&state.notifications, [id])?;
    let sending = Sending {
        options: &options,
        deliveries: &core.deliveries,
        cores: state.nodes.get(core.node_id()).map_or(1, |node| node.cores),
        now_ms: clock::now_ms().max(0) as u64,
    };
    let sent = within_task(notify::send_test(&sending, &state.notifications, id)).await?;
    let mut w = Writer::new();
    sent.write(&mut w);
    Ok(Reply::ok(w))
}
