//! Changes of whole states: what follows from them, and what is refused.

use super::*;
use crate::settings::{Settings, SettingsUpdate};
use pith_engine::java_order::java_order;
use pith_engine::json::{Value, parse};
use pith_engine::{Error, Result};
use std::sync::Arc;

const NOW_MS: i64 = 1_795_249_800_000;

pub(super) fn node() -> Node {
    Node {
        id: "node".into(),
        ephemeral_id: "e".into(),
        name: "n".into(),
        host: "h".into(),
        ip: "127.0.0.1".into(),
        transport_address: "127.0.0.1:9300".into(),
        http_address: "127.0.0.1:9200".into(),
        roles: vec![],
        attributes: Default::default(),
        cores: 2,
    }
}

pub(super) fn change(state: &State, change: Change) -> Result<State> {
    let mut count = 0;
    let mut new_id = || {
        count += 1;
        format!("id-{}-{count}", state.version)
    };
    let mut cx = ApplyContext { now_ms: NOW_MS as u64, new_id: &mut new_id, cores: 2 };
    apply(state, change, &mut cx).map(|(next, _)| next)
}

fn restart(state: &mut State) {
    restarted(state, &mut ApplyContext { now_ms: NOW_MS as u64, new_id: &mut || "id".to_owned(), cores: 1 });
}

fn value(text: &str) -> Value {
    parse(text.as_bytes()).unwrap()
}

pub(super) fn update(text: &str) -> SettingsUpdate {
    SettingsUpdate::from_json(&value(text)).unwrap()
}

pub(super) fn create(name: &str, settings: &str, aliases: &str) -> Change {
    let aliases = value(aliases);
    let aliases = aliases.as_object().unwrap().iter();
    Change::CreateIndex(Box::new(CreateIndex {
        name: name.to_owned(),
        settings: update(settings),
        aliases: aliases.map(|(name, alias)| (name.to_owned(), AliasMeta::from_value(alias).unwrap())).collect(),
        ..CreateIndex::default()
    }))
}

/// Indexes `a` and `b` with the alias `x`, closed `c`, hidden `h`.
fn some_indexes() -> State {
    let mut state = State::initial("test", node(), Settings::new());
    for (name, settings, aliases) in [
        ("a", r#"{"number_of_shards":3}"#, r#"{"x":{"filter":{"term":{"k":"v"}},"search_routing":"1,2"}}"#),
        ("b", "{}", r#"{"x":{},"w":{"index_routing":"r","is_write_index":true}}"#),
        ("c", "{}", "{}"),
        ("h", r#"{"index.hidden":true}"#, "{}"),
    ] {
        state = change(&state, create(name, settings, aliases)).unwrap();
    }
    let closed = state.index("c").unwrap().id();
    change(&state, Change::CloseIndexes(vec![closed])).unwrap()
}

fn names(state: &State, expressions: &[&str], options: IndicesOptions) -> String {
    match resolve(state, expressions, &options, NOW_MS) {
        Ok(found) => found.iter().map(|index| &*index.name).collect::<Vec<_>>().join(","),
        Err(error) => error.reason().to_owned(),
    }
}

fn refusal(result: Result<State>) -> String {
    result.err().map(|error: Error| error.reason().to_owned()).unwrap_or_else(|| "accepted".to_owned())
}

#[test]
fn a_new_index_is_placed_on_the_least_loaded_cores() {
    let state = some_indexes();
    let a = state.index("a").unwrap();
    assert_eq!((a.number_of_shards, a.number_of_replicas, a.routing_num_shards), (3, 1, 768));
    assert_eq!(a.cores, [0, 1, 0]);
    assert_eq!(state.index("b").unwrap().cores, [1]);
    assert_eq!(state.copies(a).len(), 3);
    assert_eq!(health::index_health(&state, a).status, Status::Yellow);
}

#[test]
fn names_that_cannot_be() {
    let state = some_indexes();
    let reason = |name: &str| refusal(change(&state, create(name, "{}", "{}")));
    assert_eq!(reason("A"), "Invalid index name [A], must be lowercase");
    assert_eq!(reason("_a"), "Invalid index name [_a], must not start with '_', '-', or '+'");
    assert_eq!(reason("x"), "Invalid index name [x], already exists as alias");
    assert!(reason("a").contains("already exists"));
    let with_alias = |alias: &str| refusal(change(&state, create("new", "{}", alias)));
    assert_eq!(with_alias(r#"{"a":{}}"#), "Invalid alias name [a], an index exists with the same name as the alias");
    assert_eq!(with_alias(r#"{"w":{"is_write_index":true}}"#), "alias [w] has more than one write index [b,new]");
}

#[test]
fn expressions() {
    let state = some_indexes();
    let open = IndicesOptions::STRICT_EXPAND_OPEN;
    assert_eq!(names(&state, &[], open), "a,b");
    assert_eq!(names(&state, &["*"], IndicesOptions::STRICT_EXPAND_HIDDEN), "a,b,c,h");
    assert_eq!(names(&state, &["x"], open), "a,b");
    assert_eq!(names(&state, &["*", "-a"], open), "b");
    assert_eq!(names(&state, &["b", "-b"], open), "no such index [-b]");
    assert_eq!(names(&state, &["h"], open), "h");
    assert_eq!(names(&state, &["none"], open), "no such index [none]");
    assert_eq!(names(&state, &["none*"], open), "");
    assert_eq!(names(&state, &["_none"], open), "Invalid index name [_none], must not start with '_'.");
    assert_eq!(names(&state, &["c"], IndicesOptions::STRICT_EXPAND_OPEN_FORBID_CLOSED), "closed");
    let single = names(&state, &["x"], IndicesOptions::SINGLE);
    assert_eq!(single, "alias [x] has more than one index associated with it [a, b], can't execute a single index op");
}

#[test]
fn aliases_bring_filters_and_routing() {
    let state = some_indexes();
    let options = IndicesOptions::STRICT_EXPAND_OPEN;
    let found = resolve_search(&state, &["x"], &options, None, NOW_MS).unwrap();
    assert_eq!((found[0].filters.len(), found[1].filters.len()), (1, 0));
    assert_eq!(found[0].routing.as_ref().unwrap().len(), 2);
    assert_eq!(found[1].routing, None);
    let found = resolve_search(&state, &["x", "a"], &options, None, NOW_MS).unwrap();
    assert!(found.iter().all(|found| found.filters.is_empty()));
    let (index, routing) = resolve_write(&state, "w", None, NOW_MS).unwrap();
    assert_eq!((&*index.name, routing.as_deref()), ("b", Some("r")));
    let other = resolve_write(&state, "w", Some("q"), NOW_MS).err().unwrap();
    assert!(other.reason().starts_with("Alias [w] has index routing associated with it [r]"));
    assert!(resolve_write(&state, "x", None, NOW_MS).is_err());
}

#[test]
fn filters_of_aliases_stand_as_a_hash_map_has_them() {
    let filter = |n: usize| format!(r#""n{n:02}":{{"filter":{{"term":{{"k":{n}}}}}}}"#);
    let aliases: Vec<String> = (0..40).map(filter).collect();
    let state = change(&some_indexes(), create("many", "{}", &format!("{{{}}}", aliases.join(",")))).unwrap();
    let options = IndicesOptions::STRICT_EXPAND_OPEN;
    let filters = |expressions: &[&str]| {
        let found = resolve_search(&state, expressions, &options, None, NOW_MS).unwrap();
        assert_eq!(found.len(), 1);
        let number = |filter: &Value| filter.get("term")?.get("k").map(Value::to_text);
        found[0].filters.iter().filter_map(number).collect::<Vec<_>>().join(",")
    };
    let hashed = |numbers: Vec<usize>| {
        let names = java_order(numbers.into_iter().map(|n| format!("n{n:02}")).collect());
        names.iter().map(|name| name[1..].trim_start_matches('0').to_owned()).collect::<Vec<_>>().join(",")
    };
    assert_eq!(filters(&["n*", "-n00"]), hashed((1..40).collect()));
    assert_eq!(filters(&["n3*", "n01", "n3*"]), hashed((30..40).chain([1]).collect()));
    // Names with one slot stay as they were found.
    assert_eq!(filters(&["n*", "-n1*", "-n00", "n1*"]).split(',').count(), 39);
    assert_eq!(filters(&["n39", "n01"]), filters(&["n01", "n39"]));
    assert_eq!(filters(&["n*", "many"]), "");
}

#[test]
fn settings_of_open_indexes() {
    let state = some_indexes();
    let put = |name: &str, settings: &str| {
        let indexes = vec![state.index(name).unwrap().id()];
        change(
            &state,
            Change::PutIndexSettings {
                indexes,
                update: update(settings).normalized("index."),
                preserve_existing: false,
            },
        )
    };
    assert!(
        refusal(put("a", r#"{"number_of_shards":2}"#))
            .starts_with("Can't update non dynamic settings [[index.number_of_shards]]")
    );
    assert_eq!(
        refusal(put("c", r#"{"number_of_shards":2}"#)),
        "final c setting [index.number_of_shards], not updateable"
    );
    assert_eq!(put("a", r#"{"number_of_replicas":0}"#).unwrap().index("a").unwrap().number_of_replicas, 0);
    let same = put("a", r#"{"number_of_replicas":1}"#).unwrap();
    assert_eq!(same.version, state.version, "nothing changed");
    let blocked = put("a", r#"{"blocks.read_only":true}"#).unwrap();
    let indexes = vec![state.index("a").unwrap().id()];
    let again =
        Change::PutIndexSettings { indexes, update: update(r#"{"index.priority":3}"#), preserve_existing: false };
    assert_eq!(refusal(change(&blocked, again)), "index [a] blocked by: [FORBIDDEN/5/index read-only (api)];");
}

#[test]
fn cluster_settings() {
    let state = some_indexes();
    let put = |transient: &str| {
        change(
            &state,
            Change::PutClusterSettings { persistent: SettingsUpdate::default(), transient: update(transient) },
        )
    };
    assert_eq!(refusal(put(r#"{"nonsense.x":1}"#)), "transient setting [nonsense.x], not recognized");
    assert_eq!(refusal(put(r#"{"http.port":1}"#)), "transient setting [http.port], not dynamically updateable");
    assert_eq!(refusal(put("{}")), "Validation Failed: 1: no settings to update;");
    let set = put(r#"{"search.max_buckets":7}"#).unwrap();
    assert_eq!(set.cluster_setting("search.max_buckets").as_deref(), Some("7"));
}

#[test]
fn a_state_survives_as_bytes() {
    let state = some_indexes();
    let bytes = encode(&state);
    let mut back = decode(&bytes, "m", "test", node(), Settings::new()).unwrap();
    restart(&mut back);
    assert_eq!(back.cluster_uuid, state.cluster_uuid);
    for (index, before) in back.indices.values().zip(state.indices.values()) {
        assert_eq!((&index.name, &index.uuid, index.state), (&before.name, &before.uuid, before.state));
        assert_eq!((&index.settings, &index.aliases), (&before.settings, &before.aliases));
        assert_eq!(index.routing_num_shards, before.routing_num_shards);
        assert!(index.cores.iter().all(|core| *core == 0));
    }
    assert_eq!(back.index("a").unwrap().primary_terms, [2, 2, 2]);
    back.check();
    let mut damaged = bytes.clone();
    let last = damaged.len() - 2;
    damaged[last] ^= 1;
    let error = decode(&damaged, "the-file", "test", node(), Settings::new()).err().unwrap();
    assert!(error.reason().contains("the-file") && error.reason().contains("checksum"), "{error}");
}

#[test]
fn an_index_that_cannot_be_read_is_recovered_closed() {
    let mut state = some_indexes();
    let source = value(r#"{"properties":{"_id":{"type":"keyword"}}}"#);
    let mut stored = (**state.index("b").unwrap()).clone();
    stored.mapping_source = Some(source.clone());
    state.indices.insert(stored.name.clone(), Arc::new(stored));
    let mut back = decode(&encode(&state), "m", "test", node(), Settings::new()).unwrap();
    restart(&mut back);
    let index = back.index("b").unwrap();
    let cause = index.unreadable.clone().unwrap();
    assert_eq!((index.state, &index.mapping_source), (IndexState::Closed, &Some(source)));
    assert!(back.index("a").unwrap().is_open() && back.index("a").unwrap().unreadable.is_none());
    let opened = change(&back, Change::OpenIndexes(vec![index.id()])).err().unwrap();
    assert_eq!(opened.reason(), format!("Failed to verify index [b/{}]", index.uuid));
    assert_eq!(opened.cause().map(Error::reason), Some(cause.reason()));
    let mapping = value(r#"{"properties":{"more":{"type":"keyword"}}}"#);
    let put = change(&back, Change::PutMapping { indexes: vec![index.id()], mapping });
    assert_eq!(refusal(put), cause.reason());
    let mut again = decode(&encode(&back), "m", "test", node(), Settings::new()).unwrap();
    restart(&mut again);
    assert_eq!(again.index("b").unwrap().mapping_source, index.mapping_source);
    assert!(change(&again, Change::DeleteIndexes(vec![index.id()])).is_ok());
}

#[test]
fn deleting_leaves_a_tombstone() {
    let state = some_indexes();
    let id = state.index("a").unwrap().id();
    let after = change(&state, Change::DeleteIndexes(vec![id.clone()])).unwrap();
    assert!(after.index("a").is_none() && after.routing.len() == 3);
    assert_eq!(after.aliases["x"], [Arc::from("b")]);
    assert_eq!(after.graveyard[0].uuid, id.uuid);
    assert!(change(&after, Change::DeleteIndexes(vec![id])).is_err());
}

#[test]
fn writes_may_be_kept_from_making_indexes() {
    let mut state = some_indexes();
    state.transient = Settings::from_iter([("action.auto_create_index", "+logs-*,-*")]);
    assert!(check_auto_create(&state, "logs-1").is_ok());
    assert_eq!(
        check_auto_create(&state, "other").err().unwrap().reason(),
        "no such index [other] and [action.auto_create_index] contains [-*] which forbids automatic creation of the index"
    );
}

#[test]
fn templates_shape_new_indexes() {
    let state = some_indexes();
    let body = TemplateBody::Index(IndexTemplate {
        timestamp_field: None,
        index_patterns: vec!["t-*".into()],
        composed_of: vec![],
        priority: Some(1),
        version: None,
        meta: None,
        content: Some(TemplateContent {
            settings: Settings::from_iter([("index.number_of_shards", "2")]),
            mapping: Some(value(r#"{"properties":{"k":{"type":"keyword"}}}"#)),
            ..Default::default()
        }),
    });
    let state =
        change(&state, Change::PutTemplate(Box::new(Template { name: "t".into(), body, create: true }))).unwrap();
    let state = change(&state, Change::AutoCreate { names: vec!["t-1".into()] }).unwrap();
    let index = state.index("t-1").unwrap();
    assert_eq!(index.number_of_shards, 2);
    assert!(index.mapping.field("k").is_some());
}

fn with_cluster_setting(state: &State, key: &str, value: &str) -> State {
    let mut state = state.clone();
    state.transient.insert(key, value);
    state
}

#[test]
fn blocks_of_the_cluster_are_told_of_each_index_or_of_nothing() {
    let state = with_cluster_setting(&some_indexes(), "cluster.blocks.read_only", "true");
    let of_cluster = "blocked by: [FORBIDDEN/6/cluster read-only (api)];";
    assert_eq!(refusal(change(&state, create("new", "{}", "{}"))), format!("index [new] {of_cluster}"));
    let index = state.index("a").unwrap();
    let error = |result: Result<()>| result.unwrap_err().reason().to_owned();
    assert_eq!(error(blocks::check(&state, BlockLevel::MetadataWrite, [&**index])), format!("index [a] {of_cluster}"));
    assert_eq!(error(blocks::check(&state, BlockLevel::Write, [&**index])), of_cluster);
    assert!(blocks::check(&state, BlockLevel::MetadataWrite, []).is_ok());
    for change_of_cluster in [
        Change::CreateDataStream("s".into()),
        Change::DeletePipelines { pattern: "*".into() },
        Change::DeleteScript { id: "x".into() },
        Change::DeleteRepositories { pattern: "*".into() },
        Change::DeleteTemplates { kind: TemplateKind::Index, patterns: vec!["*".into()] },
    ] {
        assert_eq!(refusal(change(&state, change_of_cluster)), of_cluster);
    }
    let ids = vec![index.id()];
    let settings = Change::PutIndexSettings { indexes: ids, update: update("{}"), preserve_existing: false };
    assert_eq!(refusal(change(&state, settings)), of_cluster);
}

#[test]
fn blocks_are_told_from_the_greatest_id_on() {
    let settings = r#"{"index.blocks":{"read_only":true,"metadata":true,"write":true,"read_only_allow_delete":true}}"#;
    let state = change(&some_indexes(), create("n", settings, "{}")).unwrap();
    let error = |level| blocks::check(&state, level, [&**state.index("n").unwrap()]).unwrap_err().reason().to_owned();
    let disk = "TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark, index has read-only-allow-delete block";
    assert_eq!(
        error(BlockLevel::MetadataWrite),
        format!("index [n] blocked by: [{disk}, FORBIDDEN/9/index metadata (api), FORBIDDEN/5/index read-only (api)];")
    );
    assert_eq!(
        error(BlockLevel::Write),
        format!("index [n] blocked by: [{disk}, FORBIDDEN/8/index write (api), FORBIDDEN/5/index read-only (api)];")
    );
    // A block says more than that there is such an index already.
    assert!(refusal(change(&state, create("n", "{}", "{}"))).starts_with("index [n] blocked by: ["));
}

#[test]
fn writes_make_indexes_where_requests_may_not() {
    let state = with_cluster_setting(&some_indexes(), "cluster.blocks.create_index", "true");
    let refused = "blocked by: [FORBIDDEN/10/cluster create-index blocked (api)];";
    assert_eq!(refusal(change(&state, create("new", "{}", "{}"))), refused);
    let state = change(&state, Change::AutoCreate { names: vec!["new".into()] }).unwrap();
    assert!(state.has("new"));
}

fn resize(state: &State, kind: ResizeKind, source: &str, settings: &str) -> Result<State> {
    let new = CreateIndex { name: "target".into(), settings: update(settings), ..CreateIndex::default() };
    change(state, Change::Resize(Box::new(Resize { kind, source: state.index(source).unwrap().id(), new })))
}

#[test]
fn what_is_shrunk_begins_on_its_node() {
    let blocked = |shards: u32| format!(r#"{{"number_of_shards":{shards},"index.blocks.write":true}}"#);
    let state = change(&some_indexes(), create("four", &blocked(4), "{}")).unwrap();
    let state = change(&state, create("one", &blocked(1), "{}")).unwrap();
    assert_eq!(refusal(resize(&state, ResizeKind::Shrink, "one", "{}")), "can't shrink an index with only one shard");
    let many = r#"{"index.number_of_shards":2048}"#;
    assert_eq!(
        refusal(resize(&state, ResizeKind::Split, "four", many)),
        "Failed to parse value [2048] for setting [index.number_of_shards] must be <= 1024"
    );
    let node = |state: State| {
        let target = state.index("target").unwrap().clone();
        target.settings.text("index.routing.allocation.initial_recovery._id").map(str::to_owned)
    };
    assert_eq!(node(resize(&state, ResizeKind::Shrink, "four", "{}").unwrap()).as_deref(), Some("node"));
    assert_eq!(node(resize(&state, ResizeKind::Clone, "four", "{}").unwrap()), None);
}
