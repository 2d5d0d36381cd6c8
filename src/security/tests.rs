//! Who may do what, as it follows from users, roles and mappings.

use super::*;
use pith_engine::json::{Value, parse};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A store with these entries, written as JSON.
fn store(entries: &[(Section, &str, &str)]) -> Store {
    let mut store = Store::initial(DUMMY_HASH);
    for (section, name, json) in entries {
        let Ok(Value::Object(given)) = parse(json.as_bytes()) else { panic!("no entry: {json}") };
        let mut all: BTreeMap<String, Entry> = store.section(*section).clone();
        all.insert((*name).to_owned(), Arc::new(validate::entry(*section, &given)));
        store = store.with(*section, all);
    }
    store
}

fn subject(store: &Store, name: &str) -> Subject {
    Subject::new(store, name, Some("10.0.0.7"), None).expect("a user")
}

#[test]
fn the_administrator_may_do_everything() {
    let store = store(&[]);
    let admin = subject(&store, "admin");
    assert_eq!(admin.roles, ["own_index", "all_access"]);
    assert!(admin.may("cluster:admin/settings/update") && admin.may_on("indices:admin/delete", IndexName::bare("a")));
    assert_eq!(admin.to_string(), "User [name=admin, backend_roles=[admin], requestedTenant=null]");
    assert!(Subject::new(&store, "nobody", None, None).is_none());
}

#[test]
fn roles_come_from_users_backend_roles_hosts_and_all_of_several() {
    let mapped = |json: &str| {
        let store = store(&[
            (Section::Users, "u", r#"{"hash":"x","backend_roles":["a","b"]}"#),
            (Section::Roles, "r", r#"{"cluster_permissions":["cluster_monitor"]}"#),
            (Section::Mappings, "r", json),
        ]);
        subject(&store, "u").roles.contains(&"r".to_owned())
    };
    assert!(mapped(r#"{"users":["u"]}"#) && mapped(r#"{"users":["*"]}"#) && !mapped(r#"{"users":["v"]}"#));
    assert!(mapped(r#"{"backend_roles":["b"]}"#) && !mapped(r#"{"backend_roles":["c"]}"#));
    assert!(mapped(r#"{"hosts":["10.0.*"]}"#) && !mapped(r#"{"hosts":["10.1.*"]}"#));
    assert!(mapped(r#"{"and_backend_roles":["a","b"]}"#) && !mapped(r#"{"and_backend_roles":["a","c"]}"#));
}

#[test]
fn action_groups_stand_for_actions_and_for_one_another() {
    let store = store(&[
        (Section::Groups, "one", r#"{"allowed_actions":["two","indices:data/read/get"]}"#),
        (Section::Groups, "two", r#"{"allowed_actions":["one","indices:admin/refresh*"]}"#),
        (
            Section::Roles,
            "r",
            r#"{"index_permissions":[{"index_patterns":["${user_name}-*"],"allowed_actions":["one"]}]}"#,
        ),
        (Section::Users, "u", r#"{"hash":"x","opendistro_security_roles":["r"]}"#),
    ]);
    let user = subject(&store, "u");
    let index = IndexName::bare("u-1");
    assert!(user.may_on("indices:data/read/get", index) && user.may_on("indices:admin/refresh", index));
    assert!(!user.may_on("indices:data/read/search", index));
    assert!(!user.may_on("indices:data/read/get", IndexName::bare("v-1")));
    let aliased = IndexName { name: "v-1", aliases: &["u-alias"], stream: None };
    assert!(user.may_on("indices:data/read/get", aliased), "an alias is a name of its index");
    assert!(user.may_on("indices:data/read/get", IndexName { name: ".ds-1", aliases: &[], stream: Some("u-stream") }));
}

#[test]
fn documents_are_restricted_by_whichever_role_restricts() {
    let role =
        |dls: &str| format!(r#"{{"index_permissions":[{{"index_patterns":["a*"],"allowed_actions":["read"]{dls}}}]}}"#);
    let with = |roles: &str| {
        let (one, two, free) = (role(r#","dls":"{\"a\":\"${user.name}\"}""#), role(r#","dls":"two""#), role(""));
        let store = store(&[
            (Section::Roles, "one", &one),
            (Section::Roles, "two", &two),
            (Section::Roles, "free", &free),
            (Section::Users, "u", &format!(r#"{{"hash":"x","opendistro_security_roles":{roles}}}"#)),
        ]);
        let user = subject(&store, "u");
        user.documents(IndexName::bare("a1")).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(with(r#"["one"]"#), [r#"{"a":"u"}"#]);
    assert_eq!(with(r#"["one","two"]"#).len(), 2);
    assert_eq!(with(r#"["one","free"]"#).len(), 1, "a role without a restriction lifts none");
    assert!(with(r#"["free"]"#).is_empty());
}

#[test]
fn a_store_survives_being_written() {
    let before = store(&[(Section::Tenants, "t", r#"{"description":"d"}"#)]);
    let bytes = before.to_value().to_bytes();
    let after = Store::from_value(&parse(&bytes).unwrap()).unwrap();
    assert!(before == after);
    assert!(!String::from_utf8(bytes).unwrap().contains("\"crud\""), "what is always there is not kept");
    assert!(Store::from_value(&Value::Null).is_none());
    let tenants: Vec<_> = subject(&after, "admin").tenants(&after).into_iter().map(|(name, _)| name).collect();
    assert_eq!(tenants, ["global_tenant", "admin_tenant", "t", "admin"]);
}

#[test]
fn a_name_cannot_change_the_query_it_is_put_into() {
    let name = r#"x\"}},{\"match_all\":{"#;
    let role = r#"{"index_permissions":[{"index_patterns":["a"],"dls":"{\"term\":{\"a\":\"${user.name}\"}}","allowed_actions":["read"]}]}"#;
    let store = store(&[
        (Section::Roles, "r", role),
        (Section::Users, name, r#"{"hash":"x","opendistro_security_roles":["r"]}"#),
    ]);
    let user = subject(&store, name);
    let query = parse(user.documents(IndexName::bare("a"))[0].as_bytes()).expect("still JSON");
    assert_eq!(query.get("term").and_then(|term| term.get("a")).and_then(Value::as_str), Some(name));
}
