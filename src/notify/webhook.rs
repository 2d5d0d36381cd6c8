//! Requests to chats, to webhooks and to signed services: one exchange each, within a time, with the address that the guard has seen.

use super::data::{Data, Webhook};
use super::message::Message;
use super::send::Sending;
use super::status::{FAILED_DEPENDENCY, SEND_FAILED, Status};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pith_net::http::{Ask, Client, ClientConfig, Method, Reply};
use pith_net::rt;
use std::io;
use url::{Position, Url};

/// Sends a message to a chat or a webhook; `None` for what is neither.
pub async fn send(cx: &Sending<'_>, data: &Data, message: &Message) -> Option<Status> {
    let json = vec![("Content-Type".to_owned(), "application/json; charset=UTF-8".to_owned())];
    let (url, method, headers, body) = match data {
        Data::ChatA { url } => (url, "POST", json, message.chat("text")),
        Data::ChatB { url } => (url, "POST", json, message.chat("Content")),
        Data::Webhook(webhook) => {
            (&webhook.url, webhook.method, headers_of(webhook, json), message.text.clone().into())
        }
        _ => return None,
    };
    Some(match exchange(cx, url, method, headers, &body).await {
        // An answer without a body is told from no answer at all.
        Ok(reply) if reply.body.is_empty() => Status::new(reply.status, "{}"),
        Ok(reply) => Status::new(reply.status, String::from_utf8_lossy(&reply.body)),
        Err(status) => status,
    })
}

/// The headers of a webhook, with a type of content unless it has its own.
fn headers_of(webhook: &Webhook, json: Vec<(String, String)>) -> Vec<(String, String)> {
    let has_type = webhook.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    let defaults = if has_type { vec![] } else { json };
    defaults.into_iter().chain(webhook.headers.iter().cloned()).collect()
}

/// One request and its answer, whatever the answer says: redirections are not followed.
pub async fn exchange(
    cx: &Sending<'_>,
    url: &str,
    method: &str,
    mut headers: Vec<(String, String)>,
    body: &[u8],
) -> Result<Reply, Status> {
    let url = super::checks::parse_url(url).map_err(|error| Status::new(FAILED_DEPENDENCY, error.reason()))?;
    let failed = |error: io::Error| Status::new(SEND_FAILED, format!("Failed to send message: {error}"));
    // What the channel says itself counts more.
    let mut add = |name: &str, value: String| {
        if !headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name)) {
            headers.push((name.to_owned(), value));
        }
    };
    if !url.username().is_empty() || url.password().is_some() {
        add("Authorization", basic(&url));
    }
    add("User-Agent", concat!("pith/", env!("CARGO_PKG_VERSION")).to_owned());
    let method = Method::parse(method).unwrap_or(Method::Post);
    let whole = async {
        let mut client = connect(cx, &url).await?;
        let target = &url[Position::BeforePath..Position::AfterQuery];
        client.ask(&Ask { method, target, headers: &headers, body }).await.map_err(failed)
    };
    let limit = cx.options.exchange_timeout();
    rt::timeout(limit, whole).await.unwrap_or_else(|| {
        Err(Status::new(SEND_FAILED, format!("Failed to send message: no answer within {} ms", limit.as_millis())))
    })
}

/// User and password of a URL, decoded.
fn basic(url: &Url) -> String {
    let decoded = |text: &str| percent_encoding::percent_decode_str(text).collect::<Vec<u8>>();
    let mut pair = decoded(url.username());
    pair.push(b':');
    pair.extend(decoded(url.password().unwrap_or_default()));
    format!("Basic {}", STANDARD.encode(pair))
}

async fn connect(cx: &Sending<'_>, url: &Url) -> Result<Client, Status> {
    let host = url.host_str().unwrap_or_default();
    let port = url.port_or_known_default().unwrap_or(80);
    let addresses = cx.options.http.resolve(cx, host, port).await?;
    let config = ClientConfig {
        host: url[Position::BeforeHost..Position::AfterPort].to_owned(),
        connect_timeout: cx.options.connect_timeout,
        read_timeout: cx.options.socket_timeout,
        body_bytes: cx.options.answer_bytes,
    };
    let connected = match url.scheme() {
        "https" => match cx.deliveries.connector().await {
            Ok(connector) => Client::connect_secure(&addresses, config, &connector, host).await,
            Err(error) => Err(error),
        },
        _ => Client::connect(&addresses, config).await,
    };
    connected.map_err(|error| {
        Status::new(SEND_FAILED, format!("Failed to send message: Connect to [{host}:{port}]: {error}"))
    })
}
