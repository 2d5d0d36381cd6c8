//! Reading from another cluster: a scroll over its interface, page by page.
//!
//! Addresses are resolved off the core, answers have a bound, and large ones are read off the core. Under `https` the other
//! cluster must show a certificate that the system trusts.

use super::pages::{Found, Page};
use super::spec::ByQuery;
use crate::coordinate::Core;
use crate::settings::glob;
use crate::settings::units::parse_time_ms;
use crate::tasks::within_task;
use base64::Engine;
use bytes::Bytes;
use pith_engine::json::{self, Value, Writer};
use pith_engine::search::ShardFailure;
use pith_engine::{Error, ErrorKind, Result};
use pith_net::http::{Ask, Client, ClientConfig, Method, Reply};
use pith_net::rt;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Where documents are read, and what of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Remote {
    pub scheme: String,
    pub host: String,
    pub port: u16,
    /// Stands before each path; empty or with a leading slash.
    pub prefix: String,
    pub username: Option<String>,
    pub password: Option<String>,
    pub headers: Vec<(String, String)>,
    pub socket_timeout: Duration,
    pub connect_timeout: Duration,
    /// Sent as it was given: the other cluster may know queries that this one does not.
    pub query: Value,
    /// What is wanted of each document; `null` is everything.
    pub source: Value,
    /// As in a URL.
    pub sort: String,
    pub indexes: Vec<String>,
}

/// The longest answer that is taken.
const BODY_BYTES_MAX: usize = 100 << 20;
/// Answers longer than this are read off the core.
const INLINE_BYTES_MAX: usize = 16 << 10;
/// A connection that was not used for so long is made anew: its other end may be about to close it.
const STALE_AFTER: Duration = Duration::from_secs(1);

impl Remote {
    pub fn authority(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// Refuses hosts that no operator has allowed, and those that cannot be read.
    pub fn check_allowed(&self, core: &Core) -> Result<()> {
        let authority = self.authority();
        let state = core.state();
        let allowed = state.configured.get("reindex.remote.allowlist").map(|list| list.list()).unwrap_or_default();
        if !allowed.iter().any(|pattern| glob(pattern, &authority)) {
            let reason = format!("[{authority}] not allowlisted in reindex.remote.allowlist");
            return Err(Error::illegal_argument(reason));
        }
        if !matches!(self.scheme.as_str(), "http" | "https") {
            let reason = format!("[{}] is not supported: remote clusters are read over [http] or [https]", self.scheme);
            return Err(Error::illegal_argument(reason));
        }
        Ok(())
    }

    /// How the description of a task names it.
    pub fn describe(&self) -> String {
        let mut text = String::new();
        if self.scheme != "http" {
            text.push_str(&format!("scheme={} ", self.scheme));
        }
        text.push_str(&format!("host={} port={}", self.host, self.port));
        if !self.prefix.is_empty() {
            text.push_str(&format!(" pathPrefix={}", self.prefix));
        }
        text.push_str(&format!(" query={}", String::from_utf8_lossy(&self.query.to_bytes())));
        if let Some(username) = &self.username {
            text.push_str(&format!(" username={username}"));
        }
        if self.password.is_some() {
            text.push_str(" password=<<>>");
        }
        text
    }
}

/// A scroll of another cluster.
pub struct Asking<'a> {
    core: &'a Core,
    remote: &'a Arc<Remote>,
    connection: Option<(Client, Instant)>,
    scroll: Option<String>,
    keep_alive: Duration,
    retries: u64,
}

impl<'a> Asking<'a> {
    pub fn new(core: &'a Core, remote: &'a Arc<Remote>) -> Self {
        Self { core, remote, connection: None, scroll: None, keep_alive: Duration::ZERO, retries: 0 }
    }

    /// Looks who is there, and begins the scroll.
    pub async fn begin(&mut self, asked: &ByQuery) -> Result<Page> {
        self.keep_alive = asked.keep_alive;
        let main = parsed(self.ask(Method::Get, "/", vec![]).await?).await?;
        if main.value.get("version").and_then(|version| version.get("number")).is_none() {
            return Err(no_instance("Error parsing the response", None));
        }
        let target = format!(
            "/{}/_search?scroll={}ms&sort={}&size={}&allow_partial_search_results=false&version={}",
            self.remote.indexes.iter().map(|index| escaped(index)).collect::<Vec<_>>().join(","),
            self.keep_alive.as_millis(),
            escaped(&self.remote.sort),
            asked.request.size,
            asked.needs_versions(),
        );
        let mut w = Writer::new();
        w.begin_object().key("query").raw(&self.remote.query.to_bytes()).key("_source");
        match &self.remote.source {
            Value::Null => w.bool(true),
            source => w.raw(&source.to_bytes()),
        };
        w.end_object();
        let reply = self.ask(Method::Post, &target, w.finish()).await?;
        self.page(reply).await
    }

    pub async fn next(&mut self, later: Duration) -> Result<Option<Page>> {
        let Some(scroll) = self.scroll.clone() else { return Ok(None) };
        let mut w = Writer::new();
        w.begin_object().key("scroll_id").string(&scroll).end_object();
        let target = format!("/_search/scroll?scroll={}ms", (self.keep_alive + later).as_millis());
        let reply = self.ask(Method::Post, &target, w.finish()).await?;
        self.page(reply).await.map(Some)
    }

    /// Frees the scroll; one that cannot be freed ends by itself.
    pub async fn end(mut self: Box<Self>) {
        let Some(scroll) = self.scroll.take() else { return };
        let mut w = Writer::new();
        w.begin_object().key("scroll_id").begin_array().string(&scroll).end_array().end_object();
        // Also for a task that was cancelled, hence not by way of `ask`.
        if let Err(error) = self.exchange(Method::Delete, "/_search/scroll", &w.finish()).await {
            tracing::warn!(host = self.remote.authority(), "a scroll could not be freed: {error}");
        }
    }

    async fn page(&mut self, reply: Reply) -> Result<Page> {
        let Parsed { value, found } = parsed(reply).await?;
        if let Some(scroll) = value.get("_scroll_id").and_then(Value::as_str) {
            self.scroll = Some(scroll.to_owned());
        }
        let hits = value.get("hits").ok_or_else(|| no_instance("Error parsing the response", None))?;
        let total = hits.get("total").map_or(0, |total| total.get("value").unwrap_or(total).as_i64().unwrap_or(0));
        let failures = value.get("_shards").and_then(|shards| shards.get("failures")).and_then(Value::as_array);
        let failures = failures.unwrap_or_default().iter().map(shard_failure).collect();
        Ok(Page { total: total.max(0) as u64, found, failures, retries: std::mem::take(&mut self.retries) })
    }

    /// Sends a request until it is answered: a cluster that has too much to do is asked again, ever later.
    async fn ask(&mut self, method: Method, path: &str, body: Vec<u8>) -> Result<Reply> {
        let setting = |key: &str, default: &str| self.core.state().cluster_setting(key).unwrap_or(default.to_owned());
        let most = setting("reindex.remote.retry.max_count", "15").parse::<u32>().unwrap_or(15);
        let backoff = "reindex.remote.retry.initial_backoff";
        let backoff_ms = parse_time_ms(backoff, &setting(backoff, "500ms"))?.max(0) as u64;
        for tried in 0.. {
            let reply = within_task(self.exchange(method, path, &body)).await?;
            match reply.status {
                200..300 => return Ok(reply),
                429 if tried < most => {
                    self.retries += 1;
                    let wait = Duration::from_millis(backoff_ms.saturating_mul(1 << tried.min(6)));
                    let pause = async {
                        rt::sleep(wait).await;
                        Ok(())
                    };
                    within_task(pause).await?;
                }
                _ => return Err(self.refused(method, path, &reply)),
            }
        }
        unreachable!("the loop ends with a return")
    }

    async fn exchange(&mut self, method: Method, path: &str, body: &[u8]) -> Result<Reply> {
        let mut connection = match self.connection.take() {
            Some((connection, used)) if connection.is_open() && used.elapsed() < STALE_AFTER => connection,
            _ => self.connect().await?,
        };
        let mut headers = self.remote.headers.clone();
        if !body.is_empty() {
            headers.push(("Content-Type".into(), "application/json; charset=UTF-8".into()));
        }
        if let Some(username) = &self.remote.username {
            let pair = format!("{username}:{}", self.remote.password.as_deref().unwrap_or_default());
            let encoded = base64::engine::general_purpose::STANDARD.encode(pair);
            headers.push(("Authorization".into(), format!("Basic {encoded}")));
        }
        let target = format!("{}{path}", self.remote.prefix);
        let ask = Ask { method, target: &target, headers: &headers, body };
        let reply = connection.ask(&ask).await.map_err(|error| self.broken(error))?;
        self.connection = Some((connection, Instant::now()));
        Ok(reply)
    }

    async fn connect(&self) -> Result<Client> {
        let Remote { host, port, connect_timeout, socket_timeout, .. } = &**self.remote;
        let name = host.trim_matches(['[', ']']);
        let addresses = rt::resolve(name, *port).await;
        let addresses = addresses.map_err(|_| Error::new(ErrorKind::UnknownHost, name))?;
        let config = ClientConfig {
            host: self.remote.authority(),
            connect_timeout: *connect_timeout,
            read_timeout: *socket_timeout,
            body_bytes: BODY_BYTES_MAX,
        };
        let connected = match self.remote.scheme.as_str() {
            "https" => match self.core.deliveries.connector().await {
                Ok(connector) => Client::connect_secure(&addresses, config, &connector, name).await,
                Err(error) => Err(error),
            },
            _ => Client::connect(&addresses, config).await,
        };
        connected.map_err(|error| {
            let shown = addresses.first().map(|address| address.ip().to_string()).unwrap_or_default();
            let (kind, why) = match error.kind() {
                io::ErrorKind::ConnectionRefused => (ErrorKind::HttpHostConnect, "Connection refused".to_owned()),
                io::ErrorKind::TimedOut => (ErrorKind::ConnectTimeout, "Connect timed out".to_owned()),
                _ => (ErrorKind::HttpHostConnect, error.to_string()),
            };
            Error::new(kind, format!("Connect to {} [/{shown}] failed: {why}", self.url()))
        })
    }

    fn url(&self) -> String {
        format!("{}://{}", self.remote.scheme, self.remote.authority())
    }

    /// The error of a connection that broke.
    #[cold]
    fn broken(&self, error: io::Error) -> Error {
        match error.kind() {
            io::ErrorKind::TimedOut => Error::new(ErrorKind::SocketTimeout, error.to_string()),
            io::ErrorKind::FileTooLarge => {
                Error::illegal_argument("Remote responded with a chunk that was too large. Use a smaller batch size.")
                    .caused_by(Error::new(ErrorKind::ContentTooLong, error.to_string()))
            }
            io::ErrorKind::InvalidData => no_instance("Error deserializing response", Some(&error.to_string())),
            _ => Error::new(ErrorKind::ConnectionClosed, format!("Connection closed by [{}]: {error}", self.url())),
        }
    }

    /// The error of a request that the other cluster has refused, with its words and its status.
    #[cold]
    fn refused(&self, method: Method, path: &str, reply: &Reply) -> Error {
        let body = String::from_utf8_lossy(&reply.body);
        let shown = if body.is_empty() { "No error body.".to_owned() } else { format!("body={body}") };
        let cause = format!(
            "method [{method}], host [{}], URI [{}{path}], status line [HTTP/1.1 {} {}]\n{body}",
            self.url(),
            self.remote.prefix,
            reply.status,
            reply.phrase
        );
        Error::new(ErrorKind::Status, shown).with_status(reply.status).caused_by(Error::new(ErrorKind::Response, cause))
    }
}

/// An answer that was read, and the hits in it.
struct Parsed {
    value: Value,
    found: Vec<Result<Found>>,
}

async fn parsed(reply: Reply) -> Result<Parsed> {
    let is_json = |(name, value): &(String, String)| {
        name.eq_ignore_ascii_case("content-type") && value.to_ascii_lowercase().contains("json")
    };
    if !reply.headers.iter().any(is_json) {
        return Err(no_instance("Error deserializing response", Some("the response is no JSON")));
    }
    let is_small = reply.body.len() <= INLINE_BYTES_MAX;
    let read = move || {
        let body = Bytes::from(reply.body);
        let value =
            json::parse(&body).map_err(|error| no_instance("Error parsing the response", Some(error.reason())))?;
        let hits = value.get("hits").and_then(|hits| hits.get("hits")).and_then(Value::as_array).unwrap_or_default();
        let found = hits.iter().map(|hit| Ok(found(hit, &body))).collect();
        Ok(Parsed { value, found })
    };
    if is_small { read() } else { rt::offload(read).await }
}

fn found(hit: &Value, body: &Bytes) -> Found {
    let entry = hit.as_object().and_then(|map| map.entries.iter().find(|entry| entry.key == "_source"));
    let source = entry.and_then(|entry| {
        let at = entry.value_pos as usize;
        let rest = body.get(at..)?;
        Some(body.slice(at..at + json::tokens::value_end(rest)))
    });
    // Another cluster's sequence numbers say nothing here.
    Found { seq_no: None, primary_term: None, ..Found::of(hit, source) }
}

/// A failure of a shard of the other cluster.
fn shard_failure(failure: &Value) -> ShardFailure {
    let text = |name: &str| failure.get(name).and_then(Value::as_str).map(str::to_owned);
    let reason = failure.get("reason").cloned().unwrap_or_default();
    let part = |name: &str| reason.get(name).map(Value::to_text).unwrap_or_default();
    ShardFailure {
        shard: failure.get("shard").and_then(Value::as_i64).and_then(|n| i32::try_from(n).ok()).unwrap_or(-1),
        index: text("index"),
        node: text("node"),
        reason: Error::new(ErrorKind::Runtime, format!("{}: {}", part("type"), part("reason"))),
    }
}

/// The error of an answer that makes no sense.
#[cold]
fn no_instance(what: &str, why: Option<&str>) -> Error {
    let error = Error::new(ErrorKind::General, format!("{what}, remote is likely not an OpenSearch instance"));
    match why {
        Some(why) => error.caused_by(Error::new(ErrorKind::Parse, why)),
        None => error,
    }
}

/// A part of a URL.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'*' | b',' => out.push(byte as char),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_url_are_escaped() {
        assert_eq!(escaped("a b/c,<logs-{now/d}>*"), "a%20b%2Fc,%3Clogs-%7Bnow%2Fd%7D%3E*");
        assert_eq!(escaped("_doc:asc"), "_doc%3Aasc");
    }

    #[test]
    fn sources_go_on_as_they_were_written() {
        let body = Bytes::from_static(
            br#"{"hits":{"hits":[{"_index":"i","_id":"1","_routing":"r","_version":3,"_source":{"a": 1.0 }}]}}"#,
        );
        let value = json::parse(&body).unwrap();
        let hit = &value.get("hits").unwrap().get("hits").unwrap().as_array().unwrap()[0];
        let found = found(hit, &body);
        assert_eq!(found.source.as_deref(), Some(&br#"{"a": 1.0 }"#[..]));
        assert_eq!((found.routing.as_deref(), found.version), (Some("r"), Some(3)));
    }
}
