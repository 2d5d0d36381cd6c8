//! A node with security: what users of each role may do, what is refused and in which words, and the interface for users and roles.

#[path = "security/notifications.rs"]
mod notifications;
#[path = "security/permissions.rs"]
mod permissions;
mod support;

use pith_net::http::{Ask, Client, ClientConfig, Method, Reply};
use pith_net::rt;
use pith_net::tls::Connector;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use support::{Node, TempDir, listening};

const CERTIFICATES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/net/src/tls/testdata");
const AUTHORITY: &[u8] = include_bytes!("../net/src/tls/testdata/ca.pem");
const PASSWORD: &str = "Mosel-7-Schiefer";

/// A node that asks who everybody is. It is killed when dropped.
struct Secured {
    child: Child,
    addr: SocketAddr,
}

fn command(data: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pith"));
    command
        .arg("serve")
        .args(["--data", &data.join("data").to_string_lossy(), "--cores", "2"])
        .args(["--http", "127.0.0.1:0", "--transport", "127.0.0.1:0"])
        .args(["-E", "cluster.routing.allocation.disk.threshold_enabled=false"])
        .args(["-E", "plugins.security.disabled=false", "-E", "plugins.security.ssl.http.enabled=true"])
        .args(["-E", &format!("plugins.security.ssl.http.pemcert_filepath={CERTIFICATES}/cert.pem")])
        .args(["-E", &format!("plugins.security.ssl.http.pemkey_filepath={CERTIFICATES}/key.pem")])
        .args(["-E", "plugins.security.password.hashing.bcrypt.rounds=4"])
        .env_remove("OPENSEARCH_INITIAL_ADMIN_PASSWORD")
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    command
}

impl Secured {
    /// `password` is that of the first start.
    fn start(data: &Path, password: Option<&str>) -> Self {
        let log = std::fs::File::create(data.join("node.log")).expect("the data folder is writable");
        let mut command = command(data);
        if let Some(password) = password {
            command.env("OPENSEARCH_INITIAL_ADMIN_PASSWORD", password);
        }
        let child = command.stderr(log).spawn().expect("the pith binary starts");
        let mut node = Self { child, addr: SocketAddr::from(([127, 0, 0, 1], 0)) };
        let started = Instant::now();
        loop {
            if let Some(addr) = listening(data) {
                node.addr = addr;
                if node.try_ask("", "GET", "/_plugins/_security/health", "").is_some() {
                    return node;
                }
            }
            let ended = node.child.try_wait().expect("the child can be waited for");
            if ended.is_some() || started.elapsed() > Duration::from_secs(60) {
                let log = std::fs::read_to_string(data.join("node.log")).unwrap_or_default();
                panic!("the node did not come up (ended: {ended:?}); its log:\n{log}");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// One request, on a connection of its own. `login` is `name:password`, or empty for nobody.
    fn try_ask(&self, login: &str, method: &str, path: &str, body: &str) -> Option<Reply> {
        let (addr, path, body) = (self.addr, path.to_owned(), body.to_owned());
        let method = match method {
            "GET" => Method::Get,
            "PUT" => Method::Put,
            "POST" => Method::Post,
            "DELETE" => Method::Delete,
            "PATCH" => Method::Patch,
            "OPTIONS" => Method::Options,
            other => panic!("no method {other}"),
        };
        let kind = if path.contains("_bulk") || path.contains("_msearch") {
            "application/x-ndjson"
        } else {
            "application/json"
        };
        let mut headers = vec![("Content-Type".to_owned(), kind.to_owned())];
        if !login.is_empty() {
            headers.push(("Authorization".to_owned(), format!("Basic {}", base64(login.as_bytes()))));
        }
        rt::block_on(move || async move {
            let limit = Duration::from_secs(30);
            let config = ClientConfig {
                host: "localhost".into(),
                connect_timeout: limit,
                read_timeout: limit,
                body_bytes: 16 << 20,
            };
            let connector = Connector::trusting(AUTHORITY).expect("an authority");
            let mut client = Client::connect_secure(&[addr], config, &connector, "localhost").await.ok()?;
            client.ask(&Ask { method, target: &path, headers: &headers, body: body.as_bytes() }).await.ok()
        })
    }

    fn ask(&self, login: &str, method: &str, path: &str, body: &str) -> (u16, Value) {
        let reply =
            self.try_ask(login, method, path, body).unwrap_or_else(|| panic!("{method} {path} is not answered"));
        let text = String::from_utf8_lossy(&reply.body);
        (reply.status, serde_json::from_str(&text).unwrap_or_else(|_| Value::String(text.into_owned())))
    }

    /// As the administrator; anything but success is a failure of the test.
    fn admin(&self, method: &str, path: &str, body: Value) -> Value {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let (status, answer) = self.ask(&admin(), method, path, &body);
        assert!(status < 300, "{method} {path}: {status} {answer}");
        answer
    }

    /// A role and a user that has it alone.
    fn user(&self, role: &str, permissions: Value) -> String {
        self.admin("PUT", &format!("/_plugins/_security/api/roles/{role}"), permissions);
        let name = format!("u_{role}");
        self.admin("PUT", &format!("/_plugins/_security/api/internalusers/{name}"), json!({ "password": PASSWORD }));
        self.admin("PUT", &format!("/_plugins/_security/api/rolesmapping/{role}"), json!({ "users": [name] }));
        format!("{name}:{PASSWORD}")
    }
}

impl Drop for Secured {
    fn drop(&mut self) {
        // It may have ended already; either way it is gone afterwards.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn admin() -> String {
    format!("admin:{PASSWORD}")
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

fn refusal(action: &str, user: &str) -> Value {
    let reason =
        format!("no permissions for [{action}] and User [name={user}, backend_roles=[], requestedTenant=null]");
    let cause = json!({"type": "security_exception", "reason": reason});
    json!({"error": {"root_cause": [cause], "type": "security_exception", "reason": reason}, "status": 403})
}

#[test]
fn a_first_start_needs_a_password_that_is_not_weak() {
    for (password, complaint) in [(None, "OPENSEARCH_INITIAL_ADMIN_PASSWORD"), (Some("admin"), "Weak password")] {
        let folder = TempDir::new("security-start");
        let mut command = command(folder.path());
        if let Some(password) = password {
            command.env("OPENSEARCH_INITIAL_ADMIN_PASSWORD", password);
        }
        let ended = command.stderr(Stdio::piped()).output().expect("the pith binary starts");
        assert!(!ended.status.success());
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(said.contains(complaint), "{said}");
    }
}

/// One node for everything else: starting one takes longer than all the requests.
#[test]
fn a_secured_node() {
    let folder = TempDir::new("security");
    let node = Secured::start(folder.path(), Some(PASSWORD));
    authentication(&node);
    own_account(&node);
    entries(&node);
    patches(&node);
    complaints(&node);
    analyze(&node);
    documents(&node);
    metadata(&node);
    permissions::permissions(&node);
    notifications::notifications(&node);
    reindex(&node);
    hidden_documents(&node);
    drop(node);
    // What was kept is there after a kill, and needs no password of a first start any more.
    let node = Secured::start(folder.path(), None);
    assert_eq!(node.ask(&admin(), "GET", "/", "").0, 200);
    assert_eq!(node.ask(&format!("u_reader:{PASSWORD}"), "GET", "/sec-a/_search", "").0, 200);
    assert_eq!(node.ask("u_reader:another", "GET", "/sec-a/_search", "").0, 401);
}

fn authentication(node: &Secured) {
    let mut plain = TcpStream::connect(node.addr).expect("it listens");
    plain.write_all(b"GET / HTTP/1.1\r\nHost: pith\r\n\r\n").expect("it reads");
    let mut answer = vec![];
    let _ = plain.read_to_end(&mut answer);
    assert!(answer.is_empty(), "plain HTTP is not answered");

    for login in ["", "nobody:Mosel-7-Schiefer", "admin:wrong"] {
        let reply = node.try_ask(login, "GET", "/", "").expect("an answer");
        assert_eq!((reply.status, reply.body.as_slice()), (401, b"Unauthorized".as_slice()), "{login}");
        let header =
            |name: &str| reply.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str());
        assert_eq!(header("www-authenticate"), Some("Basic realm=\"OpenSearch Security\""));
        assert_eq!(header("content-type"), Some("text/plain; charset=UTF-8"));
    }
    // What browsers ask before they log in, they are told.
    let reply = node.try_ask("", "OPTIONS", "/_search", "").expect("an answer");
    assert_eq!((reply.status, reply.body.len()), (200, 0));
    // Nothing else is told to strangers, not even what there is not.
    assert_eq!(node.ask("", "GET", "/_nothing/of/the/kind", "").0, 401);
    let health = json!({"message": null, "mode": "strict", "status": "UP", "settings": {"plugins.security.cache.ttl_minutes": 60}});
    assert_eq!(node.ask("", "GET", "/_plugins/_security/health", ""), (200, health));
    assert_eq!(node.admin("GET", "/", Value::Null)["version"]["distribution"], "opensearch");
}

fn own_account(node: &Secured) {
    let mut info = node.admin("GET", "/_plugins/_security/authinfo", Value::Null);
    let remote = info["remote_address"].take();
    assert!(remote.as_str().is_some_and(|remote| remote.starts_with("127.0.0.1:")));
    let tenants = json!({"global_tenant": true, "admin_tenant": true, "admin": true});
    let expected = json!({
        "user": "User [name=admin, backend_roles=[admin], requestedTenant=null]", "user_name": "admin",
        "user_requested_tenant": null, "remote_address": null, "backend_roles": ["admin"], "custom_attribute_names": [],
        "roles": ["own_index", "all_access"], "tenants": tenants, "principal": null, "peer_certificates": "0",
        "sso_logout_url": null
    });
    assert_eq!(info, expected);
    let account = json!({
        "user_name": "admin", "is_reserved": true, "is_hidden": false, "is_internal_user": true, "user_requested_tenant": null,
        "backend_roles": ["admin"], "custom_attribute_names": [], "tenants": tenants, "roles": ["own_index", "all_access"]
    });
    assert_eq!(node.admin("GET", "/_plugins/_security/api/account", Value::Null), account);
    assert_eq!(node.admin("GET", "/_opendistro/_security/api/account", Value::Null), account);

    let login = node.user("changer", json!({"cluster_permissions": ["cluster_monitor"]}));
    let change = |old: &str, new: &str| {
        let body = json!({"current_password": old, "password": new}).to_string();
        node.ask(&login, "PUT", "/_plugins/_security/api/account", &body)
    };
    assert_eq!(change("no", "Saar-8-Riesling-x").1["message"], "Could not validate your current password.");
    assert_eq!(change(PASSWORD, "password").1, json!({"status": "error", "reason": "Weak password"}));
    assert_eq!(
        change(PASSWORD, "Saar-8-Riesling-x"),
        (200, json!({"status": "OK", "message": "'u_changer' updated."}))
    );
    assert_eq!(node.ask(&login, "GET", "/", "").0, 401, "the old password is of no use, though it was remembered");
    assert_eq!(node.ask("u_changer:Saar-8-Riesling-x", "GET", "/", "").0, 200);
    let body = json!({"current_password": PASSWORD, "password": "Saar-8-Riesling-x"}).to_string();
    let (status, answer) = node.ask(&admin(), "PUT", "/_plugins/_security/api/account", &body);
    assert_eq!((status, &answer["message"]), (403, &json!("Resource 'admin' is reserved.")));
}

fn entries(node: &Secured) {
    let api = |path: &str| format!("/_plugins/_security/api/{path}");
    let missing = |path: &str| node.ask(&admin(), "GET", &api(path), "");
    assert_eq!(missing("roles/none"), (404, json!({"status": "NOT_FOUND", "message": "role 'none' not found."})));
    assert_eq!(missing("internalusers/none").1["message"], "user 'none' not found.");
    let put = |path: &str, body: Value| node.ask(&admin(), "PUT", &api(path), &body.to_string());
    let created = |name: &str| (201, json!({"status": "CREATED", "message": format!("'{name}' created.")}));
    assert_eq!(put("tenants/hr", json!({"description": "people"})), created("hr"));
    assert_eq!(
        put("tenants/hr", json!({"description": "humans"})),
        (200, json!({"status": "OK", "message": "'hr' updated."}))
    );
    assert_eq!(
        node.admin("GET", &api("tenants/hr"), Value::Null),
        json!({"hr": {"reserved": false, "hidden": false, "description": "humans", "static": false}})
    );
    assert_eq!(put("actiongroups/counts", json!({"allowed_actions": ["search"], "type": "index"})), created("counts"));
    let grant = json!({"index_patterns": ["logs-*"], "allowed_actions": ["counts"]});
    assert_eq!(put("roles/counter", json!({"index_permissions": [grant]})), created("counter"));
    let shown = json!({"counter": {
        "reserved": false, "hidden": false, "cluster_permissions": [],
        "index_permissions": [{"index_patterns": ["logs-*"], "fls": [], "masked_fields": [], "allowed_actions": ["counts"]}],
        "tenant_permissions": [], "static": false
    }});
    assert_eq!(node.admin("GET", &api("roles/counter"), Value::Null), shown);
    let user = json!({"password": PASSWORD, "backend_roles": ["counting"], "attributes": {"team": "a"}});
    assert_eq!(put("internalusers/carla", user), created("carla"));
    let carla = json!({"carla": {
        "hash": "", "reserved": false, "hidden": false, "backend_roles": ["counting"], "attributes": {"team": "a"},
        "opendistro_security_roles": [], "static": false
    }});
    assert_eq!(node.admin("GET", &api("internalusers/carla"), Value::Null), carla);
    assert_eq!(put("rolesmapping/counter", json!({"backend_roles": ["counting"]})), created("counter"));
    let mapping = node.try_ask(&admin(), "GET", &api("rolesmapping/counter"), "").expect("an answer").body;
    let shown = r#"{"counter":{"hosts":[],"users":[],"reserved":false,"hidden":false,"backend_roles":["counting"],"and_backend_roles":[]}}"#;
    assert_eq!(String::from_utf8_lossy(&mapping), shown);
    assert_eq!(put("roles/tenants", json!({"tenant_permissions": [{}]})), created("tenants"));
    assert_eq!(
        node.admin("GET", &api("roles/tenants"), Value::Null)["tenants"]["tenant_permissions"],
        json!([{"tenant_patterns": [], "allowed_actions": []}])
    );
    let login = format!("carla:{PASSWORD}");
    let (_, info) = node.ask(&login, "GET", "/_plugins/_security/authinfo", "");
    assert_eq!(
        (&info["roles"], &info["custom_attribute_names"]),
        (&json!(["own_index", "counter"]), &json!(["attr.internal.team"]))
    );
    let (status, answer) = node.ask(&login, "GET", &api("roles"), "");
    assert_eq!(status, 403);
    assert!(
        answer["message"].as_str().is_some_and(|text| text.starts_with("No permission to access REST API: User carla"))
    );
    assert_eq!(node.ask(&admin(), "DELETE", &api("internalusers/carla"), "").1["message"], "'carla' deleted.");
    assert_eq!(node.ask(&login, "GET", "/", "").0, 401);
    let all = node.admin("GET", &api("roles"), Value::Null);
    assert_eq!(all["all_access"]["static"], true);
    assert_eq!(
        node.admin("GET", &api("actiongroups/crud"), Value::Null)["crud"]["allowed_actions"],
        json!(["read", "write"])
    );
}

fn patches(node: &Secured) {
    let api = |path: &str| format!("/_plugins/_security/api/{path}");
    let patch = |path: &str, body: Value| node.ask(&admin(), "PATCH", &api(path), &body.to_string());
    let add = json!([{"op": "add", "path": "/cluster_permissions/-", "value": "cluster_monitor"}]);
    assert_eq!(patch("roles/counter", add), (200, json!({"status": "OK", "message": "'counter' updated."})));
    let role = node.admin("GET", &api("roles/counter"), Value::Null);
    assert_eq!(role["counter"]["cluster_permissions"], json!(["cluster_monitor"]));
    let several = json!([
        {"op": "add", "path": "/paula", "value": {"password": PASSWORD, "backend_roles": ["x"]}},
        {"op": "add", "path": "/peter", "value": {"password": PASSWORD}}
    ]);
    assert_eq!(patch("internalusers", several), (200, json!({"status": "OK", "message": "Resource updated."})));
    let remove =
        json!([{"op": "remove", "path": "/peter"}, {"op": "replace", "path": "/paula/backend_roles", "value": ["y"]}]);
    assert_eq!(patch("internalusers", remove).0, 200);
    assert_eq!(
        node.ask(&format!("paula:{PASSWORD}"), "GET", "/_plugins/_security/authinfo", "").1["backend_roles"],
        json!(["y"])
    );
    assert_eq!(node.ask(&admin(), "GET", &api("internalusers/peter"), "").0, 404);
    assert_eq!(patch("roles/all_access", json!([{"op": "remove", "path": "/description"}])).0, 403);
    assert_eq!(patch("roles", json!([{"op": "remove", "path": "/all_access"}])).0, 403);
    assert_eq!(patch("roles/counter", json!([{"op": "add", "path": "/reserved", "value": true}])).0, 400);
    let unchanged = (200, json!({"status": "OK", "message": "No updates required"}));
    assert_eq!(patch("roles/counter", json!([{"op": "remove", "path": "/nothing"}])), unchanged);
    assert_eq!(patch("internalusers", json!([{"op": "remove", "path": "/nobody"}])), unchanged);
    let nameless = patch("internalusers", json!([{"op": "add", "path": "/", "value": {"password": PASSWORD}}]));
    assert_eq!(nameless, (400, json!({"status": "error", "reason": "No username is given"})));
    let replace = json!([{"op": "replace", "path": "/paula/description", "value": "x"}]);
    assert_eq!(patch("internalusers", replace).1["message"], "Missing field \"description\"");
    assert_eq!(patch("roles/none", json!([{"op": "remove", "path": "/description"}])).0, 404);
    for (path, body) in [("roles/none", "[]"), ("roles/all_access", "[ ]"), ("roles/none", ""), ("roles", "[]")] {
        let (status, answer) = node.ask(&admin(), "PATCH", &api(path), body);
        assert_eq!((status, answer["message"].as_str()), (400, Some("Wrong request body")), "{path} {body}");
    }
}

fn complaints(node: &Secured) {
    permissions::parts_of_the_interface(node);
    let put = |path: &str, body: &str| node.ask(&admin(), "PUT", &format!("/_plugins/_security/api/{path}"), body);
    let reason = |text: &str| (400, json!({"status": "error", "reason": text}));
    assert_eq!(put("roles/x", "{}"), reason("Request body required for this action."));
    assert_eq!(put("roles/x", "{"), reason("Could not parse content of request."));
    assert_eq!(put("internalusers/x", r#"{"password":"abc"}"#), reason("Weak password"));
    let invalid = json!({"status": "error", "reason": "Invalid configuration", "invalid_keys": {"keys": "some"}});
    assert_eq!(put("roles/x", r#"{"some":1}"#), (400, invalid));
    let wrong = json!({"status": "error", "reason": "Wrong datatype", "cluster_permissions": "Array expected"});
    assert_eq!(put("roles/x", r#"{"cluster_permissions":"all"}"#), (400, wrong));
    assert_eq!(
        put("roles/x", r#"{"cluster_permissions":[null]}"#),
        reason("`null` or blank values are not allowed as json array elements")
    );
    assert_eq!(
        put("roles/x", r#"{"index_permissions":[{"index_patterns":["a"],"allowed_actions":[" "]}]}"#),
        reason("`null` or blank values are not allowed as json array elements")
    );
    assert_eq!(put("account", "{}"), reason("Request body required for this action."));
    let body = json!({"password": PASSWORD, "attributes": {"a": 1, "b": null}});
    assert_eq!(put("internalusers/attributed", &body.to_string()).0, 201);
    let user = node.admin("GET", "/_plugins/_security/api/internalusers/attributed", Value::Null);
    assert_eq!(user["attributed"]["attributes"], json!({"a": "1"}));
    let (status, answer) = put("internalusers/x", r#"{"backend_roles":[]}"#);
    assert_eq!(status, 400);
    assert_eq!(answer["message"], "Please specify either 'hash' or 'password' when creating a new internal user.");
    assert_eq!(
        put("internalusers/x", &json!({"password": PASSWORD, "opendistro_security_roles": ["no"]}).to_string()).0,
        404
    );
    assert_eq!(put("rolesmapping/none", r#"{"users":["x"]}"#).1["message"], "role 'none' not found.");
    assert_eq!(
        put("roles/all_access", r#"{"cluster_permissions":[]}"#).1["message"],
        "Resource 'all_access' is static."
    );
    assert_eq!(put("internalusers/admin", r#"{"backend_roles":[]}"#).1["message"], "Resource 'admin' is reserved.");
    assert_eq!(put("actiongroups/me", r#"{"allowed_actions":["me"]}"#).0, 400);
    let answer = put("actiongroups/all_access", r#"{"allowed_actions":["read"],"type":"x"}"#).1;
    assert_eq!(answer["message"], "Invalid action group type: x. Supported types are: cluster, index.");
    for body in ["null", "5", r#""x""#, "[]"] {
        assert_eq!(put("tenants/x", body), reason("Request body required for this action."), "{body}");
    }
    let nobody = |invalid: Option<&str>| {
        let mut answer = json!({"status": "error", "reason": "Invalid configuration",
            "specify_one_of": {"keys": "backend_roles,hosts,and_backend_roles,users"}});
        if let Some(keys) = invalid {
            answer["invalid_keys"] = json!({ "keys": keys });
        }
        (400, answer)
    };
    assert_eq!(put("rolesmapping/counter", r#"{"description":""}"#), nobody(None));
    assert_eq!(put("rolesmapping/counter", r#"{"description":1}"#), nobody(None));
    assert_eq!(put("rolesmapping/counter", r#"{"a":1}"#), nobody(Some("a")));
    let items =
        |key: &str| (400, json!({"status": "error", "reason": "Wrong datatype", key: "Array of strings expected"}));
    assert_eq!(put("rolesmapping/counter", r#"{"users":[{}]}"#), items("users"));
    assert_eq!(put("internalusers/x", r#"{"backend_roles":[[]]}"#), items("backend_roles"));
    let roles = |roles: Value| {
        let body = json!({"password": PASSWORD, "opendistro_security_roles": roles});
        let (status, answer) = put("internalusers/x", &body.to_string());
        (status, answer["message"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(roles(json!([1])), (404, "role '1' not found.".to_owned()));
    assert_eq!(roles(json!([{}])), (404, "role '' not found.".to_owned()));
    assert_eq!(
        roles(json!(["all_access", "kibana_server"])),
        (403, "Resource 'kibana_server' is reserved.".to_owned())
    );
    assert_eq!(roles(json!(["all_access"])).0, 201);
    assert_eq!(
        put("internalusers/a:b", &json!({ "password": PASSWORD }).to_string()).1["message"],
        "A restricted character(s) was detected in the account name. Please remove: ':'"
    );
    let (status, answer) = node.ask(&admin(), "POST", "/_plugins/_security/api/roles", "");
    assert!(status == 405 && answer["error"].as_str().is_some_and(|text| text.ends_with("allowed: [GET, PATCH]")));
    let info = node.admin("GET", "/_plugins/_security/api/permissionsinfo", Value::Null);
    assert_eq!(
        info,
        json!({"user": "User [name=admin, backend_roles=[admin], requestedTenant=null]",
        "user_name": "admin", "has_api_access": true, "disabled_endpoints": {}})
    );
    let hides = r#"{"index_permissions":[{"index_patterns":["a"],"fls":["~b"],"allowed_actions":["read"]}]}"#;
    assert_eq!(put("roles/x", hides).0, 400, "what is not built is never taken");
    let hides = r#"{"index_permissions":[{"index_patterns":["a"],"dls":"no query","allowed_actions":["read"]}]}"#;
    assert_eq!(put("roles/x", hides).0, 400);
}

/// The table of privileges for `_analyze` and `_search`.
fn analyze(node: &Secured) {
    for index in ["sec-a", "other-a"] {
        node.admin("PUT", &format!("/{index}/_doc/1?refresh=true"), json!({"a": "one"}));
    }
    let on = |pattern: &str, action: &str| json!({"index_permissions": [{"index_patterns": [pattern], "allowed_actions": [action]}]});
    let cluster = |action: &str| json!({"cluster_permissions": [action]});
    let table = [
        ("role_none", cluster("cluster:monitor/main"), [403, 403, 403, 403]),
        ("role_index_analyze", on("sec-*", "indices:admin/analyze"), [403, 200, 403, 403]),
        ("role_any_index_analyze", on("*", "indices:admin/analyze"), [200, 200, 200, 403]),
        ("role_index_manage", on("sec-*", "manage"), [403, 200, 403, 403]),
        ("role_index_read", on("sec-*", "read"), [403, 403, 403, 200]),
        ("role_cluster_analyze", cluster("indices:admin/analyze"), [403, 403, 403, 403]),
        ("role_cluster_all", cluster("cluster_all"), [200, 403, 403, 403]),
        ("role_cluster_manage", cluster("manage"), [200, 403, 403, 403]),
    ];
    let paths = ["/_analyze", "/sec-a/_analyze", "/other-a/_analyze", "/sec-a/_search"];
    for (role, permissions, expected) in table {
        let login = node.user(role, permissions);
        for (path, expected) in paths.into_iter().zip(expected) {
            let is_analyze = path.ends_with("_analyze");
            let body = if is_analyze { r#"{"text":"one"}"# } else { "" };
            let (status, answer) = node.ask(&login, "POST", path, body);
            assert_eq!(status, expected, "{role} {path}: {answer}");
            if status == 403 {
                let action = if is_analyze { "indices:admin/analyze" } else { "indices:data/read/search" };
                assert_eq!(answer, refusal(action, &format!("u_{role}")));
            }
        }
    }
}

fn documents(node: &Secured) {
    let grant = |pattern: &str, actions: &[&str]| json!({"index_patterns": [pattern], "allowed_actions": actions});
    let reader = node.user(
        "reader",
        json!({"cluster_permissions": ["cluster_composite_ops_ro"], "index_permissions": [grant("sec-*", &["read"])]}),
    );
    let get = |path: &str| node.ask(&reader, "GET", path, "");
    assert_eq!((get("/sec-a/_doc/1").0, get("/other-a/_doc/1").0, get("/sec-b/_doc/1").0), (200, 403, 404));
    assert_eq!((get("/sec-*/_search").0, get("/*/_search").0, get("/_search").0), (200, 403, 403));
    assert_eq!((get("/sec-a/_count").0, get("/sec-a,other-a/_search").0), (200, 403));
    assert_eq!(get("/.opendistro_security/_search").0, 403);
    // An alias is what it stands for, and a name by itself.
    let add = |index: &str, alias: &str| json!({"actions": [{"add": {"index": index, "alias": alias}}]});
    node.admin("POST", "/_aliases", add("other-a", "sec-alias"));
    node.admin("POST", "/_aliases", add("sec-a", "also"));
    assert_eq!((get("/sec-alias/_search").0, get("/also/_search").0), (200, 200));
    node.admin("DELETE", "/other-a/_alias/sec-alias", Value::Null);

    let (status, found) = node.ask(
        &reader,
        "POST",
        "/_mget",
        r#"{"docs":[{"_index":"sec-a","_id":"1"},{"_index":"other-a","_id":"1"}]}"#,
    );
    assert_eq!((status, &found["docs"][0]["found"]), (200, &json!(true)));
    assert_eq!(found["docs"][1]["error"]["type"], "security_exception");
    let lines = "{\"index\":\"sec-a\"}\n{}\n{\"index\":\"other-a\"}\n{}\n";
    let (status, found) = node.ask(&reader, "POST", "/_msearch", lines);
    assert_eq!((status, &found["responses"][0]["hits"]["total"]["value"]), (200, &json!(1)));
    assert_eq!(
        (&found["responses"][1]["status"], &found["responses"][1]["error"]["type"]),
        (&json!(403), &json!("security_exception"))
    );
    // Nor is anything seen by the way of a query.
    let lookup = r#"{"query":{"terms":{"a":{"index":"other-a","id":"1","path":"a"}}}}"#;
    let (status, answer) = node.ask(&reader, "POST", "/sec-a/_search", lookup);
    assert!(status == 403 && answer["error"].to_string().contains("security_exception"), "{status} {answer}");
    assert_eq!(node.ask(&reader, "PUT", "/sec-a/_doc/2", "{}").1, refusal("indices:data/write/index", "u_reader"));
    // Everybody may send a bulk, by the role that everybody has; each of its documents is judged by itself.
    let (_, answer) = node.ask(&reader, "POST", "/_bulk", "{\"delete\":{\"_index\":\"sec-a\",\"_id\":\"1\"}}\n");
    assert_eq!(answer["items"][0]["delete"]["status"], 403, "{answer}");

    let writer = node.user(
        "writer",
        json!({"cluster_permissions": ["cluster_composite_ops"],
               "index_permissions": [grant("sec-*", &["crud", "create_index"]), grant("adds-*", &["index", "indices:data/write/bulk*"])]}),
    );
    assert_eq!(node.ask(&writer, "PUT", "/sec-new/_doc/1", "{}").0, 201);
    let lines = "{\"index\":{\"_index\":\"sec-a\",\"_id\":\"3\"}}\n{}\n{\"index\":{\"_index\":\"other-a\",\"_id\":\"3\"}}\n{}\n\
                 {\"index\":{\"_index\":\"other-new\",\"_id\":\"3\"}}\n{}\n";
    let (status, answer) = node.ask(&writer, "POST", "/_bulk", lines);
    assert_eq!((status, &answer["errors"]), (200, &json!(true)));
    let statuses: Vec<_> = (0..3).map(|at| answer["items"][at]["index"]["status"].clone()).collect();
    assert_eq!(statuses, [json!(201), json!(403), json!(403)], "{answer}");
    let reason = answer["items"][1]["index"]["error"]["reason"].as_str().unwrap_or_default().to_owned();
    assert!(
        reason.starts_with(
            "no permissions for [indices:data/write/bulk[s], indices:data/write/index] and User [name=u_writer"
        ),
        "{reason}"
    );
    let copy = |from: &str, to: &str| json!({"source": {"index": from}, "dest": {"index": to}}).to_string();
    assert_eq!(node.ask(&writer, "POST", "/_reindex", &copy("sec-a", "sec-copy")).0, 200);
    assert_eq!(node.ask(&writer, "POST", "/_reindex", &copy("other-a", "sec-copy")).0, 403);
    let (_, answer) = node.ask(&writer, "POST", "/_reindex", &copy("sec-a", "other-a"));
    assert!(answer.to_string().contains("security_exception"), "{answer}");
    assert_eq!(node.ask(&writer, "POST", "/other-a/_update_by_query", "").0, 403);
    assert_eq!(node.ask(&writer, "POST", "/sec-a/_update_by_query?refresh=false", "").0, 200);
    // What nobody waits for is done for the same user.
    let (status, task) = node.ask(&writer, "POST", "/_reindex?wait_for_completion=false", &copy("sec-a", "other-b"));
    assert_eq!(status, 200);
    let task = task["task"].as_str().expect("a task").to_owned();
    let begun = Instant::now();
    while node.admin("GET", &format!("/_tasks/{task}"), Value::Null)["completed"] != true {
        assert!(begun.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(node.ask(&admin(), "GET", "/other-b", "").0, 404);
}

/// Document level security: what a role's query does not match is not there.
fn hidden_documents(node: &Secured) {
    for (id, owner) in [("1", "u_owner"), ("2", "other"), ("3", "u_owner")] {
        node.admin("PUT", &format!("/mail/_doc/{id}?refresh=true"), json!({"owner": owner, "n": 1}));
    }
    node.admin(
        "POST",
        "/_aliases",
        json!({"actions": [{"add": {"index": "mail", "alias": "post", "filter": {"ids": {"values": ["1", "2"]}}}}]}),
    );
    let dls = json!({"term": {"owner.keyword": "${user.name}"}}).to_string();
    let grant = json!({"index_patterns": ["mail"], "dls": dls, "allowed_actions": ["crud", "manage"]});
    let login =
        node.user("owner", json!({"cluster_permissions": ["cluster_composite_ops"], "index_permissions": [grant]}));
    let ask = |method: &str, path: &str, body: Value| {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        node.ask(&login, method, path, &body)
    };
    let total = |path: &str, body: Value| ask("POST", path, body).1["hits"]["total"]["value"].clone();
    assert_eq!(total("/mail/_search", Value::Null), 2);
    assert_eq!(total("/mail/_search", json!({"query": {"ids": {"values": ["2"]}}})), 0);
    assert_eq!(total("/post/_search", Value::Null), 1, "the alias's filter holds too");
    assert_eq!(ask("GET", "/mail/_count", Value::Null).1["count"], 2);
    let sums = json!({"size": 0, "aggs": {"n": {"sum": {"field": "n"}}}});
    assert_eq!(ask("POST", "/mail/_search", sums.clone()).1["aggregations"]["n"]["value"], 2.0);
    assert_eq!(ask("POST", "/mail/_search", sums).1["aggregations"]["n"]["value"], 2.0, "from what was kept, too");
    assert_eq!(node.admin("POST", "/mail/_search", json!({"size": 0}))["hits"]["total"]["value"], 3);
    assert_eq!((ask("GET", "/mail/_doc/1", Value::Null).0, ask("GET", "/mail/_doc/2", Value::Null).0), (200, 404));
    let docs = ask("POST", "/mail/_mget", json!({"ids": ["1", "2", "3"]})).1;
    let found: Vec<_> = (0..3).map(|at| docs["docs"][at]["found"].clone()).collect();
    assert_eq!(found, [json!(true), json!(false), json!(true)]);
    let pit = ask("POST", "/mail/_search/point_in_time?keep_alive=1m", Value::Null).1["pit_id"].clone();
    assert_eq!(total("/_search", json!({"pit": {"id": pit}})), 2);
    let whole = node.admin("POST", "/mail,other-a/_search/point_in_time?keep_alive=1m", Value::Null)["pit_id"].clone();
    let (status, answer) = ask("POST", "/_search", json!({"pit": {"id": whole}}));
    assert_eq!((status, answer), (403, refusal("indices:data/read/search", "u_owner")));
    let scroll = ask("POST", "/mail/_search?scroll=1m&size=1", Value::Null).1;
    let next = ask("POST", "/_search/scroll", json!({"scroll_id": scroll["_scroll_id"]})).1;
    assert_eq!((&next["hits"]["total"]["value"], next["hits"]["hits"].as_array().map(Vec::len)), (&json!(2), Some(1)));
    for body in [
        json!({"aggs": {"all": {"global": {}}}}),
        json!({"aggs": {"o": {"terms": {"field": "owner.keyword", "min_doc_count": 0}}}}),
        json!({"suggest": {"s": {"text": "othre", "term": {"field": "owner"}}}}),
        json!({"profile": true}),
    ] {
        assert_eq!(ask("POST", "/mail/_search", body.clone()).0, 403, "{body}");
    }
    for (method, path) in [("GET", "/mail/_termvectors/2"), ("GET", "/mail/_explain/2"), ("POST", "/mail/_update/2")] {
        let body = match path {
            "/mail/_explain/2" => json!({"query": {"match_all": {}}}),
            "/mail/_update/2" => json!({"doc": {}}),
            _ => Value::Null,
        };
        let (status, answer) = ask(method, path, body);
        assert!(status == 403 || answer.to_string().contains("security_exception"), "{path}: {status} {answer}");
    }
    let (_, copied) = ask("POST", "/_reindex", json!({"source": {"index": "mail"}, "dest": {"index": "u_owner"}}));
    assert_eq!(copied["created"], 2, "{copied}");
    assert_eq!(ask("POST", "/mail/_delete_by_query", json!({"query": {"match_all": {}}})).1["deleted"], 2);
    assert_eq!(node.admin("GET", "/mail/_doc/2", Value::Null)["found"], true);
}

fn metadata(node: &Secured) {
    let reader = format!("u_reader:{PASSWORD}");
    let writer = format!("u_writer:{PASSWORD}");
    assert_eq!(node.ask(&reader, "GET", "/_cluster/health", "").1, refusal("cluster:monitor/health", "u_reader"));
    assert_eq!(node.ask(&reader, "PUT", "/_cluster/settings", "{}").0, 403);
    assert_eq!(node.ask(&reader, "GET", "/sec-a/_mapping", "").0, 403);
    assert_eq!(node.ask(&reader, "GET", "/_cat/indices", "").0, 403);
    assert_eq!(node.ask(&writer, "PUT", "/sec-made", "").0, 200);
    assert_eq!(node.ask(&writer, "PUT", "/other-made", "").1, refusal("indices:admin/create", "u_writer"));
    assert_eq!(node.ask(&writer, "DELETE", "/sec-made", "").0, 403);
    let add = json!({"actions": [{"add": {"index": "other-a", "alias": "sec-stolen"}}]}).to_string();
    assert_eq!(node.ask(&writer, "POST", "/_aliases", &add).0, 403);
    let own = format!("u_own:{PASSWORD}");
    node.admin("PUT", "/_plugins/_security/api/internalusers/u_own", json!({"password": PASSWORD}));
    assert_eq!(node.ask(&own, "PUT", "/u_own/_doc/1", "{}").0, 201, "everybody has an index of the own name");
    assert_eq!(node.ask(&own, "DELETE", "/u_own", "").0, 200);
    assert_eq!(node.ask(&own, "PUT", "/u_other/_doc/1", "{}").0, 403);
    let (status, answer) = node.ask(&admin(), "DELETE", "/.opendistro_security", "");
    assert_eq!(status, 403);
    let reason = "no permissions for [] and User [name=admin, backend_roles=[admin], requestedTenant=null]";
    assert_eq!(answer["error"]["reason"], reason);
    let (_, answer) = node.ask(&admin(), "POST", "/_bulk", "{\"index\":{\"_index\":\".opendistro_security\"}}\n{}\n");
    assert_eq!(answer["items"][0]["index"]["status"], 403, "{answer}");
    assert_eq!(
        node.admin("DELETE", "/_plugins/_security/api/cache", Value::Null)["message"],
        "Cache flushed successfully."
    );
}

/// Another node reads from this one, which must show a certificate that the other's system trusts.
fn reindex(node: &Secured) {
    node.admin("PUT", "/sec-re/_doc/1?refresh=true", json!({ "n": 1 }));
    let host = format!("https://localhost:{}", node.addr.port());
    let remote = json!({ "host": host, "username": "admin", "password": PASSWORD });
    let body = json!({ "source": { "remote": remote, "index": "sec-re" }, "dest": { "index": "copy" } }).to_string();
    let read = |authority: &str| {
        let folder = TempDir::new("security-reindex");
        let trusted = [("SSL_CERT_FILE", format!("{CERTIFICATES}/{authority}"))];
        let reader = Node::start_in(folder.path(), &["-E", "reindex.remote.allowlist=localhost:*"], &trusted);
        let response = reader.request("POST", "/_reindex", body.as_bytes());
        (response.status, response.json())
    };
    let (status, answer) = read("ca.pem");
    assert_eq!((status, &answer["created"]), (200, &json!(1)), "{answer}");
    let (status, answer) = read("another-ca.pem");
    assert_eq!((status, &answer["error"]["type"]), (500, &json!("http_host_connect_exception")), "{answer}");
}
