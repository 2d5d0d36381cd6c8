//! What `_reindex` says of a source in another cluster.

use super::params::time_ms;
use crate::coordinate::by_query::remote::Remote;
use pith_engine::json::{self, Map, Value};
use pith_engine::{Error, ErrorKind, Result};
use std::time::Duration;

const FIELDS: &[&str] = &["host", "username", "password", "socket_timeout", "connect_timeout", "headers"];
/// Of sockets and of connecting, where the request does not say.
const TIMEOUT_MS: i64 = 30_000;

/// The query of a source that has none, as the reference sends it.
pub fn match_all() -> Value {
    let mut boost = Map::new();
    boost.insert("boost", 1.0);
    let mut query = Map::new();
    query.insert("match_all", Value::Object(boost));
    Value::Object(query)
}

/// Reads `remote`; the query goes to the other cluster as it is.
pub fn parse_remote(remote: &Value, query: Value, sort: String, indexes: &[String]) -> Result<Remote> {
    let Value::Object(fields) = remote else {
        return Err(json::no_cast(remote, "java.util.Map"));
    };
    let username = text(fields, "username")?;
    let password = text(fields, "password")?;
    let host = text(fields, "host")?.ok_or_else(|| {
        Error::new(ErrorKind::NullPointer, "[host] must be specified to reindex from a remote cluster")
    })?;
    let Host { scheme, name, port, prefix } = parse_host(&host)?;
    let headers = headers(fields)?;
    let timeout = |name: &str| -> Result<Duration> {
        let ms = text(fields, name)?.map_or(Ok(TIMEOUT_MS), |text| time_ms(name, &text))?;
        Ok(Duration::from_millis(ms.max(0) as u64))
    };
    let (socket_timeout, connect_timeout) = (timeout("socket_timeout")?, timeout("connect_timeout")?);
    let keys = fields.entries.iter().map(|entry| entry.key.as_str());
    let unknown: Vec<&str> = keys.filter(|key| !FIELDS.contains(key)).collect();
    if !unknown.is_empty() {
        return Err(Error::illegal_argument(format!("Unsupported fields in [remote]: [{}]", unknown.join(","))));
    }
    if !matches!(query, Value::Object(_)) {
        return Err(Error::illegal_argument(format!("Expected [query] to be an object but was [{}]", query.to_text())));
    }
    if username.is_some() && password.is_none() {
        return Err(Error::illegal_argument("[password] must be specified where [username] is"));
    }
    Ok(Remote {
        scheme,
        host: name,
        port,
        prefix,
        username,
        password,
        headers,
        socket_timeout,
        connect_timeout,
        query,
        source: Value::Null,
        sort,
        indexes: indexes.to_vec(),
    })
}

fn text(fields: &Map, name: &str) -> Result<Option<String>> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => {
            let reason = format!("Expected [{name}] to be a string but was [{}]", other.to_text());
            Err(Error::illegal_argument(reason))
        }
    }
}

/// What `host` says.
struct Host {
    scheme: String,
    name: String,
    port: u16,
    /// Stands before all paths.
    prefix: String,
}

fn parse_host(host: &str) -> Result<Host> {
    let malformed = || {
        let reason = format!("[host] must be of the form [scheme]://[host]:[port](/[pathPrefix])? but was [{host}]");
        Error::illegal_argument(reason)
    };
    // The reference looks for an end of a host, a port and perhaps a path; what lacks them is told as a URI.
    let malformed = || {
        let cause = match host {
            "http://" | "https://" => format!("Expected authority at index {}: {host}", host.len()),
            _ => format!("The port was not defined in the [host]: {host}"),
        };
        malformed().caused_by(Error::new(ErrorKind::UriSyntax, cause))
    };
    let (scheme, rest) = host.split_once("://").filter(|(scheme, _)| !scheme.is_empty()).ok_or_else(malformed)?;
    let (authority, prefix) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    let (name, port) = authority.rsplit_once(':').ok_or_else(malformed)?;
    let bracketed = name.starts_with('[') && name.ends_with(']');
    let plain = !name.is_empty() && (bracketed || !name.contains(':')) && !name.contains(['@', '?', '#', ' ']);
    if !plain || port.is_empty() || !port.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(malformed());
    }
    let port = port.parse::<u16>().map_err(|_| {
        let reason =
            format!("Port number(Use -1 to specify the scheme default port): {port} is out of range [-1, 65535]");
        Error::illegal_argument(reason)
    })?;
    Ok(Host { scheme: scheme.to_owned(), name: name.to_owned(), port, prefix: prefix.trim_end_matches('/').to_owned() })
}

fn headers(fields: &Map) -> Result<Vec<(String, String)>> {
    let expected = |was: String| {
        Error::illegal_argument(format!("Expected [headers] to be an object containing strings but {was}"))
    };
    match fields.get("headers") {
        None => Ok(vec![]),
        Some(Value::Object(headers)) => {
            let header = |entry: &pith_engine::json::Entry| match &entry.value {
                Value::String(text) => Ok((entry.key.clone(), text.clone())),
                other => Err(expected(format!("has [{}={}]", entry.key, other.to_text()))),
            };
            headers.entries.iter().map(header).collect()
        }
        Some(other) => Err(expected(format!("was [{}]", other.to_text()))),
    }
}

/// A sort order as the parameter of a URL has it. What else an order can say has no form there.
pub fn sort_in_url(sort: &Value) -> Result<String> {
    let one = |sort: &Value| -> Result<String> {
        let order = |field: &str| if field == "_score" { "desc" } else { "asc" };
        match sort {
            Value::String(field) => Ok(format!("{field}:{}", order(field))),
            Value::Object(map) if map.entries.len() == 1 => {
                let (field, value) = (&map.entries[0].key, &map.entries[0].value);
                match value {
                    Value::String(order) => Ok(format!("{field}:{order}")),
                    Value::Object(rest) if rest.entries.iter().all(|entry| entry.key == "order") => {
                        let given = rest.get("order").map_or(order(field).to_owned(), Value::to_text);
                        Ok(format!("{field}:{given}"))
                    }
                    _ => Err(Error::illegal_argument(format!("Unsupported sort [{}]", sort.to_text()))),
                }
            }
            _ => Err(Error::illegal_argument(format!("Unsupported sort [{}]", sort.to_text()))),
        }
    };
    match sort {
        Value::Array(sorts) => Ok(sorts.iter().map(one).collect::<Result<Vec<String>>>()?.join(",")),
        sort => one(sort),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pith_engine::json::parse;

    fn remote(text: &str) -> Result<Remote> {
        parse_remote(&parse(text.as_bytes()).unwrap(), match_all(), "_doc:asc".into(), &["i".into()])
    }

    #[test]
    fn hosts_and_what_is_wrong_with_them() {
        let found = remote(r#"{"host":"http://[::1]:9200/a/b/","headers":{"X":"y"},"socket_timeout":"5s"}"#).unwrap();
        assert_eq!((found.host.as_str(), found.port, found.prefix.as_str()), ("[::1]", 9200, "/a/b"));
        assert_eq!(found.headers, [("X".to_owned(), "y".to_owned())]);
        assert_eq!(found.socket_timeout, Duration::from_secs(5));
        let reason = |text: &str| remote(text).unwrap_err().reason().to_owned();
        for host in ["badremote", "http://a", "http://:9200", "://a:1", "http://a:b", "http://u@a:1"] {
            let expected =
                format!("[host] must be of the form [scheme]://[host]:[port](/[pathPrefix])? but was [{host}]");
            assert_eq!(reason(&format!(r#"{{"host":"{host}"}}"#)), expected);
        }
        assert_eq!(reason("{}"), "[host] must be specified to reindex from a remote cluster");
        assert_eq!(reason(r#"{"host":1}"#), "Expected [host] to be a string but was [1]");
        assert_eq!(
            reason(r#"{"host":"http://a:1","headers":{"a":1}}"#),
            "Expected [headers] to be an object containing strings but has [a=1]"
        );
        assert_eq!(
            reason(r#"{"host":"http://a:99999"}"#),
            "Port number(Use -1 to specify the scheme default port): 99999 is out of range [-1, 65535]"
        );
        assert_eq!(reason(r#"{"host":"http://a:1","weird":1,"bad":2}"#), "Unsupported fields in [remote]: [weird,bad]");
    }

    #[test]
    fn orders_as_a_url_has_them() {
        let sort =
            |text: &str| sort_in_url(&parse(text.as_bytes()).unwrap()).map_err(|error| error.reason().to_owned());
        assert_eq!(
            sort(r#"["a",{"b":"desc"},{"c":{"order":"asc"}},"_score"]"#).unwrap(),
            "a:asc,b:desc,c:asc,_score:desc"
        );
        assert_eq!(sort(r#"{"a":{"mode":"min"}}"#).unwrap_err(), r#"Unsupported sort [{"a":{"mode":"min"}}]"#);
    }
}
