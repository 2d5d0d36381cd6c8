//! Channels of notifications: who may make and see them.

use super::{PASSWORD, Secured, admin};
use serde_json::json;

pub fn notifications(node: &Secured) {
    const CONFIGS: &str = "/_plugins/_notifications/configs";
    let member = |name: &str, role: &str, backend_roles: &[&str]| {
        let user = json!({ "password": PASSWORD, "backend_roles": backend_roles });
        node.admin("PUT", &format!("/_plugins/_security/api/internalusers/{name}"), user);
        let users: Vec<&str> = match role {
            "notifications_full_access" => vec!["n_ops", "n_dev", "n_alone"],
            _ => vec![name],
        };
        node.admin("PUT", &format!("/_plugins/_security/api/rolesmapping/{role}"), json!({ "users": users }));
        format!("{name}:{PASSWORD}")
    };
    let ops = member("n_ops", "notifications_full_access", &["ops"]);
    let dev = member("n_dev", "notifications_full_access", &["dev"]);
    let alone = member("n_alone", "notifications_full_access", &[]);
    let reader = member("n_reader", "notifications_read_access", &["ops"]);
    let chat = |id: &str| {
        let config = json!({ "name": "n", "config_type": "chat_a", "chat_a": { "url": "http://10.0.0.1/" } });
        json!({ "config_id": id, "config": config }).to_string()
    };
    assert_eq!(node.ask(&ops, "POST", CONFIGS, &chat("of-ops")).0, 200);
    assert_eq!(node.ask(&admin(), "POST", CONFIGS, &chat("of-admin")).0, 200);
    assert_eq!(
        node.ask(&reader, "POST", CONFIGS, &chat("x")).1["error"]["reason"],
        "no permissions for [cluster:admin/opensearch/notifications/configs/create] and User [name=n_reader, backend_roles=[ops], requestedTenant=null]"
    );
    let total = |login: &str| node.ask(login, "GET", CONFIGS, "").1["total_hits"].clone();
    assert_eq!((total(&dev), total(&reader)), (json!(2), json!(2)));
    let setting = json!({ "persistent": { "opensearch.notifications.general.filter_by_backend_roles": true } });
    node.admin("PUT", "/_cluster/settings", setting);
    assert_eq!((total(&ops), total(&admin()), total(&reader)), (json!(1), json!(2), json!(1)));
    assert_eq!(total(&dev), json!(0));
    for (method, path, body) in [
        ("GET", "/configs/of-ops", String::new()),
        ("PUT", "/configs/of-ops", chat("x")),
        ("DELETE", "/configs/of-ops", String::new()),
        ("POST", "/feature/test/of-ops", String::new()),
    ] {
        let (status, answer) = node.ask(&dev, method, &format!("/_plugins/_notifications{path}"), &body);
        let reason = "Permission denied for NotificationConfig of-ops";
        assert_eq!((status, &answer["error"]["reason"]), (403, &json!(reason)), "{method} {path}");
    }
    let (status, answer) = node.ask(&alone, "GET", CONFIGS, "");
    let reason = "User doesn't have backend roles configured. Contact administrator.";
    assert_eq!((status, &answer["error"]["reason"]), (403, &json!(reason)));
    assert_eq!(node.ask(&ops, "DELETE", &format!("{CONFIGS}/of-ops"), "").0, 200);
}
