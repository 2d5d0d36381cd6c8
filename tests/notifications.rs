//! Notification channels over the interface: kept, listed and changed, and tried against servers of the test's own.

#[path = "notifications/servers.rs"]
mod servers;
mod support;

use serde_json::{Value, json};
use servers::{HttpServer, SmtpServer};
use support::{Node, TempDir};

const ROOT: &str = "/_plugins/_notifications";
/// Loopback is where the servers of these tests are.
const ALLOW: [&str; 4] = [
    "-E",
    "notifications.http.host_allow_list=127.0.0.1,localhost",
    "-E",
    "notifications.email.host_allow_list=127.0.0.0/8,localhost",
];

fn ask(node: &Node, method: &str, path: &str, body: &Value) -> (u16, Value) {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let response = node.request(method, &format!("{ROOT}{path}"), body.as_bytes());
    (response.status, response.json())
}

fn get(node: &Node, path: &str) -> (u16, Value) {
    ask(node, "GET", path, &Value::Null)
}

fn create(node: &Node, id: &str, kind: &str, data: Value) {
    let mut config = json!({ "name": format!("name of {id}"), "config_type": kind });
    config[kind] = data;
    let (status, answer) = ask(node, "POST", "/configs/", &json!({ "config_id": id, "name": "x", "config": config }));
    assert_eq!((status, answer), (200, json!({ "config_id": id })));
}

/// The ids of a list.
fn listed(node: &Node, parameters: &str) -> String {
    let (status, answer) = get(node, &format!("/configs?{parameters}"));
    assert_eq!(status, 200, "{answer}");
    let configs = answer["config_list"].as_array().expect("a list");
    configs.iter().map(|config| config["config_id"].as_str().expect("an id")).collect::<Vec<_>>().join(" ")
}

/// Tries a channel: its only status, with `code text` of the delivery.
fn try_it(node: &Node, method: &str, id: &str) -> (Value, String) {
    let (status, answer) = ask(node, method, &format!("/feature/test/{id}"), &Value::Null);
    assert_eq!(status, 200, "{answer}");
    assert_eq!(
        answer["event_source"],
        json!({ "title": format!("Test Message Title-{id}"), "reference_id": id, "severity": "info", "tags": [] })
    );
    let status = answer["status_list"][0].clone();
    assert_eq!((&status["config_id"], &status["config_name"]), (&json!(id), &json!(format!("name of {id}"))));
    let delivery = &status["delivery_status"];
    let text = format!(
        "{} {}",
        delivery["status_code"].as_str().expect("a text"),
        delivery["status_text"].as_str().expect("a text")
    );
    (status, text)
}

fn error(kind: &str, status: u16, reason: &str) -> (u16, Value) {
    let cause = json!({ "type": kind, "reason": reason });
    let error = json!({ "root_cause": [cause], "type": kind, "reason": reason });
    (status, json!({ "error": error, "status": status }))
}

#[test]
fn configurations_are_kept_listed_and_deleted() {
    let dir = TempDir::new("notifications-kept");
    let node = Node::start(dir.path(), &[]);
    assert_eq!(
        get(&node, "/features"),
        (
            200,
            json!({
                "allowed_config_type_list":
                    ["chat_a", "chat_b", "webhook", "email", "topic", "mail_service_account", "smtp_account", "email_group"],
                "plugin_features": { "tooltip_support": "true" }
            })
        )
    );
    create(&node, "sample-id", "slack", json!({ "url": "https://sample-slack-webhook" }));
    create(
        &node,
        "s",
        "smtp_account",
        json!({ "host": "h.co", "port": 25, "method": "start_tls", "from_address": "a@b.co" }),
    );
    create(&node, "g", "email_group", json!({ "recipient_list": [{ "recipient": "one@b.co" }] }));
    create(
        &node,
        "e",
        "email",
        json!({ "email_account_id": "s", "recipient_list": ["two@b.co"], "email_group_id_list": ["g"] }),
    );
    let body = json!({ "config": { "name": "made", "config_type": "webhook", "webhook": { "url": "http://a.co" } } });
    let (status, answer) = ask(&node, "POST", "/configs", &body);
    let made = answer["config_id"].as_str().expect("an id").to_owned();
    assert_eq!((status, made.len()), (200, 20));

    // A node that starts again still has them.
    node.terminate(std::time::Duration::from_secs(20)).expect("it ends");
    let node = Node::start(dir.path(), &[]);
    let (_, one) = get(&node, "/configs/sample-id");
    let times = &one["config_list"][0];
    assert_eq!(
        one,
        json!({
            "start_index": 0, "total_hits": 1, "total_hit_relation": "eq",
            "config_list": [{
                "config_id": "sample-id",
                "last_updated_time_ms": times["last_updated_time_ms"], "created_time_ms": times["created_time_ms"],
                "config": {
                    "name": "name of sample-id", "description": "", "config_type": "slack", "is_enabled": true,
                    "slack": { "url": "https://sample-slack-webhook" }
                }
            }]
        })
    );
    assert!(times["created_time_ms"].as_u64() > Some(1_600_000_000_000));
    assert_eq!(listed(&node, ""), format!("sample-id s g e {made}"));
    assert_eq!(listed(&node, "sort_order=desc&from_index=1&max_items=2"), "e g");
    assert_eq!(listed(&node, "config_id_list=e,s&sort_field=name"), "e s");
    assert_eq!(listed(&node, "config_type=chat_a,email_group"), "sample-id g");
    assert_eq!(listed(&node, "email_group.recipient_list=one&smtp_account.method="), "");
    assert_eq!(listed(&node, "query=b.co"), "s g e");
    let (_, channels) = get(&node, "/channels");
    assert_eq!(channels["total_hits"], 3);
    let first = json!({ "config_id": "sample-id", "name": "name of sample-id", "description": "", "config_type": "slack", "is_enabled": true });
    assert_eq!(channels["channel_list"][0], first);

    let changed =
        |name: &str| json!({ "config": { "name": name, "config_type": "chat_a", "chat_a": { "url": "http://b.co" } } });
    for (method, name) in [("PUT", "two"), ("POST", "three")] {
        assert_eq!(
            ask(&node, method, "/configs/sample-id", &changed(name)),
            (200, json!({ "config_id": "sample-id" }))
        );
        let (_, answer) = get(&node, "/configs/sample-id");
        assert_eq!(answer["config_list"][0]["config"]["name"], name);
        assert_eq!(answer["config_list"][0]["created_time_ms"], times["created_time_ms"]);
        assert!(answer["config_list"][0]["last_updated_time_ms"].as_u64() > times["last_updated_time_ms"].as_u64());
    }
    let (status, answer) = ask(&node, "DELETE", &format!("/configs/?config_id_list={made},e"), &Value::Null);
    assert_eq!((status, answer), (200, json!({ "delete_response_list": { (&made): "OK", "e": "OK" } })));
    let (status, answer) = ask(&node, "DELETE", "/configs/g", &Value::Null);
    assert_eq!((status, answer), (200, json!({ "delete_response_list": { "g": "OK" } })));
    assert_eq!(listed(&node, ""), "s sample-id");
}

#[test]
fn what_is_wrong_is_an_error() {
    let dir = TempDir::new("notifications-wrong");
    let node = Node::start(dir.path(), &[]);
    create(&node, "c", "chat_b", json!({ "url": "https://a.co" }));
    let post = |body: Value| ask(&node, "POST", "/configs", &body);
    let illegal = |reason: &str| error("illegal_argument_exception", 400, reason);
    let config = |kind: &str, data: Value| json!({ "name": "n", "config_type": kind, (kind): data });
    assert_eq!(post(json!({})), illegal("config field absent"));
    assert_eq!(post(json!({ "config": { "config_type": "chat_a" } })), illegal("name field absent"));
    assert_eq!(post(json!({ "config": config("chat_a", json!({})) })), illegal("url field absent"));
    assert_eq!(
        post(json!({ "config": config("pager", json!({})) })),
        illegal(
            "Invalid config_type [pager], must be one of [chat_a, chat_b, webhook, email, topic, mail_service_account, smtp_account, email_group]"
        )
    );
    let chat = config("chat_a", json!({ "url": "https://a.co" }));
    assert_eq!(post(json!({ "config_id": "a b", "config": chat })), illegal("Invalid characters in id :  "));
    let status = |status: u16, reason: &str| error("status_exception", status, reason);
    assert_eq!(
        post(json!({ "config_id": "c", "config": chat })),
        status(409, "[c]: version conflict, document already exists (current version [1])")
    );
    let email = config("email", json!({ "email_account_id": "no" }));
    assert_eq!(post(json!({ "config": email })), status(404, "Config IDs not found:[no]"));
    let email = config("email", json!({ "email_account_id": "c" }));
    assert_eq!(
        post(json!({ "config": email })),
        status(406, "configId c is not a valid email group ID or email account ID")
    );
    for (method, path) in
        [("GET", "/configs/no"), ("DELETE", "/configs/no"), ("GET", "/feature/test/no"), ("POST", "/feature/test/no")]
    {
        assert_eq!(
            ask(&node, method, path, &Value::Null),
            status(404, "NotificationConfig no not found"),
            "{method} {path}"
        );
    }
    let update = json!({ "config": config("webhook", json!({ "url": "https://a.co" })) });
    assert_eq!(ask(&node, "PUT", "/configs/no", &update), status(404, "NotificationConfig no not found"));
    assert_eq!(ask(&node, "PUT", "/configs/c", &update), status(409, "Config type cannot be changed after creation"));
    assert_eq!(get(&node, "/configs?sort_field=color"), status(406, "Sort on color not acceptable"));
    assert_eq!(
        get(&node, "/configs?from_index=-1&max_items=0"),
        error(
            "action_request_validation_exception",
            400,
            "Validation Failed: 1: fromIndex is -ve;2: maxItems is not +ve;"
        )
    );
    let (code, answer) = get(&node, "/configs?colour=red");
    assert_eq!((code, &answer["error"]["type"]), (400, &json!("illegal_argument_exception")));
    let bare = node.request("DELETE", &format!("{ROOT}/configs"), b"");
    assert_eq!((bare.status, bare.body), (400, b"either config_id or config_id_list is required".to_vec()));
    assert_eq!(listed(&node, ""), "c");
}

#[test]
fn chats_and_webhooks_are_called() {
    let dir = TempDir::new("notifications-http");
    let node = Node::start(dir.path(), &ALLOW);
    let server = HttpServer::start();
    let url = |path: &str| format!("http://127.0.0.1:{}{path}", server.port);
    create(&node, "a", "slack", json!({ "url": url("/hook?x=1") }));
    create(&node, "b", "chat_b", json!({ "url": url("/empty") }));
    let headers = json!({ "X-Key": "k", "Content-Type": "text/plain" });
    let named = url("/hook").replace("127.0.0.1", "me:p%40ss@localhost");
    create(&node, "w", "webhook", json!({ "url": named, "method": "PUT", "header_params": headers }));
    create(&node, "gone", "webhook", json!({ "url": url("/gone") }));
    create(&node, "moved", "webhook", json!({ "url": url("/moved") }));

    let (status, text) = try_it(&node, "GET", "a");
    assert_eq!(
        (text.as_str(), &status["config_type"], &status["email_recipient_status"]),
        ("200 thanks", &json!("slack"), &json!([]))
    );
    let request = server.next();
    assert!(request.starts_with("POST /hook?x=1 HTTP/1.1\r\n"), "{request}");
    assert!(request.contains("Content-Type: application/json"), "{request}");
    assert!(
        request.ends_with(r#"{"text":"Test Message Title-a\n\nTest message content body for config id a"}"#),
        "{request}"
    );
    assert_eq!(try_it(&node, "POST", "b").1, "200 {}");
    assert!(server.next().contains(r#"{"Content":"Test Message Title-b\n\n"#));
    assert_eq!(try_it(&node, "GET", "w").1, "200 thanks");
    let request = server.next();
    assert!(request.starts_with("PUT /hook HTTP/1.1\r\n") && request.contains("X-Key: k\r\n"), "{request}");
    assert!(
        request.contains("Authorization: Basic bWU6cEBzcw==\r\n") && !request.contains("application/json"),
        "{request}"
    );
    assert!(request.contains(&format!("Host: localhost:{}\r\n", server.port)), "{request}");
    assert!(request.ends_with("\r\n\r\nTest message content body for config id w"), "{request}");
    assert_eq!(try_it(&node, "GET", "gone").1, "410 no more of it");
    server.next();
    // Redirections are told, not followed.
    assert_eq!(try_it(&node, "GET", "moved").1, "302 {}");
    server.next();
    assert!(server.is_idle());
}

#[test]
fn what_no_operator_allows_is_not_connected_to() {
    let dir = TempDir::new("notifications-guard");
    let node = Node::start(dir.path(), &[]);
    let server = HttpServer::start();
    create(&node, "w", "webhook", json!({ "url": format!("http://localhost:{}/", server.port) }));
    create(&node, "m", "webhook", json!({ "url": "http://169.254.169.254/latest/meta-data" }));
    create(&node, "p", "webhook", json!({ "url": "http://10.0.0.1/" }));
    for id in ["w", "m", "p"] {
        let (_, text) = try_it(&node, "GET", id);
        assert!(text.starts_with("403 Host of url is denied: ["), "{text}");
    }
    let set = |key: &str, value: Value| {
        let body = json!({ "persistent": { (key): value } }).to_string();
        assert_eq!(node.request("PUT", "/_cluster/settings", body.as_bytes()).status, 200);
    };
    set("notifications.http.host_allow_list", json!(["localhost"]));
    assert_eq!(try_it(&node, "GET", "w").1, "200 thanks");
    server.next();
    set("opensearch.notifications.core.http.host_deny_list", json!(["127.0.0.0/8", "::1"]));
    assert!(try_it(&node, "GET", "w").1.starts_with("403 "));
    set("opensearch.notifications.core.allowed_config_types", json!(["chat_a"]));
    assert_eq!(get(&node, "/features").1["allowed_config_type_list"], json!(["chat_a"]));
    assert_eq!(try_it(&node, "GET", "w").1, "403 Configuration type [webhook] is not allowed");
    assert!(server.is_idle());
}

#[test]
fn mails_go_to_each_recipient() {
    let dir = TempDir::new("notifications-smtp");
    let node = Node::start(dir.path(), &ALLOW);
    let server = SmtpServer::start(servers::Tls::None);
    let account =
        json!({ "host": "127.0.0.1", "port": server.port, "method": "none", "from_address": "from@example.org" });
    create(&node, "s", "smtp_account", account);
    create(&node, "g", "email_group", json!({ "recipient_list": [{ "recipient": "nobody@example.org" }] }));
    create(
        &node,
        "e",
        "email",
        json!({ "email_account_id": "s", "recipient_list": [{ "recipient": "one@example.org" }] }),
    );
    create(
        &node,
        "f",
        "email",
        json!({ "email_account_id": "s", "recipient_list": ["one@example.org"], "email_group_id_list": ["g"] }),
    );

    let (status, text) = try_it(&node, "GET", "e");
    assert_eq!(text, "200 Success");
    let delivered = json!({ "status_code": "200", "status_text": "Success" });
    assert_eq!(
        status["email_recipient_status"],
        json!([{ "recipient": "one@example.org", "delivery_status": delivered }])
    );
    let mail = server.next();
    for part in [
        "EHLO [127.0.0.1]\r\n",
        "MAIL FROM:<from@example.org>\r\nRCPT TO:<one@example.org>\r\nDATA\r\n",
        "From: <from@example.org>\r\n",
        "Subject: Test Message Title-e\r\n",
        "Test message content body for config id e",
        "\r\n.\r\n",
    ] {
        assert!(mail.contains(part), "{part:?} in {mail}");
    }
    let (status, text) = try_it(&node, "GET", "f");
    assert_eq!(text, "207 Errors");
    let refused = json!({ "status_code": "502", "status_text": "sendEmail Error, status:550 5.1.1 no such user" });
    assert_eq!(
        status["email_recipient_status"],
        json!([
            { "recipient": "one@example.org", "delivery_status": delivered },
            { "recipient": "nobody@example.org", "delivery_status": refused }
        ])
    );
}

#[test]
fn secure_destinations_must_prove_who_they_are() {
    let dir = TempDir::new("notifications-tls");
    let logins = dir.path().join("logins.json");
    std::fs::write(
        &logins,
        r#"{"name of s":{"username":"me","password":"secret"},"name of t":{"username":"me","password":"secret"}}"#,
    )
    .expect("the folder is writable");
    let setting = format!("notifications.email.credentials_file={}", logins.display());
    let args = [&ALLOW[..], &["-E", &setting]].concat();
    let trusting =
        |pem: &str| [("SSL_CERT_FILE", format!("{}/net/src/tls/testdata/{pem}", env!("CARGO_MANIFEST_DIR")))];
    let node = Node::start_in(dir.path(), &args, &trusting("ca.pem"));
    let web = HttpServer::start_secure();
    create(&node, "w", "webhook", json!({ "url": format!("https://localhost:{}/hook", web.port) }));
    assert_eq!(try_it(&node, "GET", "w").1, "200 thanks");
    assert!(web.next().starts_with("POST /hook "));
    for (id, method, tls) in [("s", "start_tls", servers::Tls::Start), ("t", "ssl", servers::Tls::Whole)] {
        let server = SmtpServer::start(tls);
        let account =
            json!({ "host": "localhost", "port": server.port, "method": method, "from_address": "from@example.org" });
        create(&node, id, "smtp_account", account);
        create(
            &node,
            &format!("e-{id}"),
            "email",
            json!({ "email_account_id": id, "recipient_list": ["one@example.org"] }),
        );
        assert_eq!(try_it(&node, "GET", &format!("e-{id}")).1, "200 Success");
        let mail = server.next();
        // In the way that the server offers, and under TLS: base 64 of "\0me\0secret", "me" and "secret".
        let login = if id == "s" { "AUTH PLAIN AG1lAHNlY3JldA==\r\n" } else { "AUTH LOGIN\r\nbWU=\r\nc2VjcmV0\r\n" };
        assert!(mail.contains(login), "{mail}");
        assert_eq!(mail.contains("STARTTLS\r\n"), id == "s", "{mail}");
    }
    // A server that does not offer what the account wants gets nothing in the clear.
    let plain = SmtpServer::start(servers::Tls::None);
    let account =
        json!({ "host": "localhost", "port": plain.port, "method": "start_tls", "from_address": "from@example.org" });
    create(&node, "u", "smtp_account", account);
    create(&node, "e-u", "email", json!({ "email_account_id": "u", "recipient_list": ["one@example.org"] }));
    assert_eq!(try_it(&node, "GET", "e-u").1, "424 sendEmail Error, status:the server does not offer STARTTLS");
    drop(node);

    let node = Node::start_in(dir.path(), &args, &trusting("another-ca.pem"));
    let (_, text) = try_it(&node, "GET", "w");
    assert!(text.starts_with("500 Failed to send message: Connect to [localhost:"), "{text}");
    assert!(web.is_idle());
}

#[test]
fn a_delivery_ends_with_its_task() {
    const ACTION: &str = "cluster:admin/opensearch/notifications/test_notification";
    let dir = TempDir::new("notifications-cancel");
    let node = Node::start(dir.path(), &ALLOW);
    // Takes connections and never answers.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = silent.local_addr().expect("it is bound").port();
    create(&node, "w", "webhook", json!({ "url": format!("http://127.0.0.1:{port}/") }));
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| ask(&node, "POST", "/feature/test/w", &Value::Null));
        let held = silent.accept().expect("the node connects");
        let tasks = node.request("GET", &format!("/_tasks?actions={ACTION}&group_by=none"), b"").json();
        assert_eq!(tasks["tasks"][0]["cancellable"], true, "{tasks}");
        node.request("POST", &format!("/_tasks/_cancel?actions={ACTION}"), b"");
        let (_, answer) = waiting.join().expect("it ends");
        assert_eq!(answer["error"]["type"], "task_cancelled_exception", "{answer}");
        drop(held);
    });
}

#[test]
fn requests_to_aws_are_signed() {
    let dir = TempDir::new("notifications-aws");
    let server = HttpServer::start();
    let endpoint = format!("notifications.aws.endpoint=http://127.0.0.1:{}/", server.port);
    let args = [&ALLOW[..], &["-E", &endpoint]].concat();
    let env = [("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE".to_owned()), ("AWS_SECRET_ACCESS_KEY", "secret".to_owned())];
    let node = Node::start_in(dir.path(), &args, &env);
    create(&node, "t", "sns", json!({ "topic_arn": "arn:aws:sns:us-east-1:012345678912:t" }));
    let role = "arn:aws:iam::012345678912:role/r";
    create(
        &node,
        "m",
        "mail_service_account",
        json!({ "region": "eu-west-1", "role_arn": role, "from_address": "from@example.org" }),
    );
    create(&node, "e", "email", json!({ "email_account_id": "m", "recipient_list": ["one@example.org"] }));

    assert_eq!(try_it(&node, "GET", "t").1, "200 Success, message id: m-1");
    let request = server.next();
    assert!(request.contains("authorization: AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/"), "{request}");
    assert!(
        request.contains("/us-east-1/sns/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature="),
        "{request}"
    );
    assert!(request.contains("Action=Publish&") && request.contains("&Subject=Test+Message+Title-t&"), "{request}");
    let (status, text) = try_it(&node, "GET", "e");
    assert_eq!(
        (text.as_str(), &status["email_recipient_status"][0]["recipient"]),
        ("200 Success, message id: m-2", &json!("one@example.org"))
    );
    let assumed = server.next();
    assert!(assumed.contains("Action=AssumeRole&") && assumed.contains("/eu-west-1/sts/aws4_request"), "{assumed}");
    let sent = server.next();
    assert!(sent.contains("Credential=ROLEKEY/") && sent.contains("x-amz-security-token: token==\r\n"), "{sent}");
    assert!(
        sent.contains("/eu-west-1/ses/aws4_request") && sent.contains("Destinations.member.1=one%40example.org"),
        "{sent}"
    );
    drop(node);

    let node = Node::start_in(dir.path(), &args, &[("AWS_ACCESS_KEY_ID", String::new())]);
    assert!(try_it(&node, "GET", "t").1.starts_with("424 no AWS credentials"));
    assert!(server.is_idle());
}
