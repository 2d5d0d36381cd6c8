//! All configurations, as the cluster keeps them, and what can be done to them.

use super::config::Config;
use super::data::{Data, Email};
use super::kind::Kind;
use pith_engine::json::{Map, Value};
use pith_engine::{Error, ErrorKind, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// All configurations, by id.
pub type Configs = BTreeMap<Arc<str>, Arc<Stored>>;

/// A configuration that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    pub created_ms: u64,
    pub updated_ms: u64,
    pub config: Config,
    /// The backend roles of whoever made it; whoever has one of them may see it. Empty: everybody may.
    pub access: Vec<String>,
    /// Of the configuration's JSON.
    bytes: usize,
}

/// Most configurations: a list sorts them all.
const CONFIGS_MAX: usize = 5_000;
/// Most bytes of them together: they are written anew with every change of the cluster's state.
const CONFIGS_BYTES_MAX: usize = 16 << 20;

/// What can be asked of the configurations.
#[derive(Clone, Debug)]
pub enum Change {
    /// `access`: the backend roles of whoever makes it.
    Create {
        id: String,
        config: Config,
        access: Vec<String>,
    },
    Update {
        id: String,
        config: Config,
    },
    /// All of them or none.
    Delete(BTreeSet<String>),
}

impl Stored {
    fn new(config: Config, access: Vec<String>, created_ms: u64, updated_ms: u64) -> Arc<Self> {
        let bytes = config.to_value().to_bytes().len();
        Arc::new(Self { created_ms, updated_ms, config, access, bytes })
    }

    /// As lists show it under `id`.
    pub fn to_value(&self, id: &str) -> Value {
        let mut map = Map::new();
        map.insert("config_id", id);
        map.insert("last_updated_time_ms", self.updated_ms);
        map.insert("created_time_ms", self.created_ms);
        map.insert("config", self.config.to_value());
        Value::Object(map)
    }
}

pub fn apply(configs: &mut Configs, change: Change, now_ms: u64) -> Result<()> {
    match change {
        Change::Create { id, config, access } => {
            check_references(configs, &config)?;
            if configs.contains_key(id.as_str()) {
                let reason = format!("[{id}]: version conflict, document already exists (current version [1])");
                return Err(status(409, reason));
            }
            let stored = Stored::new(config, access, now_ms, now_ms);
            if configs.len() >= CONFIGS_MAX {
                return Err(Error::illegal_argument(format!("there are [{CONFIGS_MAX}] configurations already")));
            }
            put(configs, id, stored)
        }
        Change::Update { id, config } => {
            check_references(configs, &config)?;
            let current = configs.get(id.as_str()).ok_or_else(|| not_found(&id))?;
            if current.config.kind() != config.kind() {
                return Err(status(409, "Config type cannot be changed after creation"));
            }
            let stored = Stored::new(config, current.access.clone(), current.created_ms, now_ms);
            put(configs, id, stored)
        }
        Change::Delete(ids) => {
            check_there(configs, ids.iter().map(String::as_str))?;
            configs.retain(|id, _| !ids.contains(&**id));
            Ok(())
        }
    }
}

fn put(configs: &mut Configs, id: String, stored: Arc<Stored>) -> Result<()> {
    let others = configs.iter().filter(|(other, _)| ***other != *id);
    let bytes = others.map(|(_, stored)| stored.bytes).sum::<usize>() + stored.bytes;
    if bytes > CONFIGS_BYTES_MAX {
        let reason = format!("all configurations would have [{bytes}] bytes, more than [{CONFIGS_BYTES_MAX}]");
        return Err(Error::illegal_argument(reason));
    }
    configs.insert(id.into(), stored);
    Ok(())
}

/// The ids that no configuration has, if there are any.
pub fn missing<'a>(configs: &Configs, ids: impl Iterator<Item = &'a str>) -> Option<String> {
    let missing: Vec<&str> = ids.filter(|id| !configs.contains_key(*id)).collect();
    (!missing.is_empty()).then(|| missing.join(", "))
}

/// Each of the ids that a request names must be there.
pub fn check_there<'a>(configs: &Configs, ids: impl ExactSizeIterator<Item = &'a str>) -> Result<()> {
    let is_list = ids.len() != 1;
    match missing(configs, ids) {
        None => Ok(()),
        Some(missing) if is_list => Err(not_found(&format!("[{missing}]"))),
        Some(missing) => Err(not_found(&missing)),
    }
}

/// What a mail refers to must be there, and be what it is taken for.
fn check_references(configs: &Configs, config: &Config) -> Result<()> {
    let Data::Email(Email { account, groups, .. }) = &config.data else { return Ok(()) };
    let all: BTreeSet<&str> = groups.iter().chain([account]).map(String::as_str).collect();
    if let Some(missing) = missing(configs, all.iter().copied()) {
        return Err(status(404, format!("Config IDs not found:[{missing}]")));
    }
    for id in all {
        let what = match configs[id].config.kind() {
            Kind::EmailGroup if id == account => "email account ID",
            Kind::SmtpAccount | Kind::MailServiceAccount if id != account => "email group ID",
            Kind::EmailGroup | Kind::SmtpAccount | Kind::MailServiceAccount => continue,
            _ => "email group ID or email account ID",
        };
        return Err(status(406, format!("configId {id} is not a valid {what}")));
    }
    Ok(())
}

/// The error for an id, or a list of them, that nothing is kept under.
#[cold]
pub fn not_found(id: &str) -> Error {
    status(404, format!("NotificationConfig {id} not found"))
}

/// The error that OpenSearch's plugin has for most of what is wrong, with its status.
#[cold]
pub fn status(status: u16, reason: impl Into<String>) -> Error {
    Error::new(ErrorKind::Status, reason).with_status(status)
}

/// All of them as they are kept.
pub fn to_value(configs: &Configs) -> Value {
    let one = |(id, stored): (&Arc<str>, &Arc<Stored>)| {
        let mut value = stored.to_value(id);
        if let Some(map) = value.as_object_mut().filter(|_| !stored.access.is_empty()) {
            map.insert("access", Value::Array(stored.access.iter().map(Value::from).collect()));
        }
        value
    };
    Value::Array(configs.iter().map(one).collect())
}

/// What [`to_value`] made.
pub fn from_value(value: &Value) -> Option<Configs> {
    let one = |value: &Value| {
        let ms = |key: &str| value.get(key)?.as_i64()?.try_into().ok();
        let config = Config::parse(value.get("config")?).ok()?;
        let access = value.get("access").and_then(Value::as_array).unwrap_or_default();
        let access = access.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        let stored = Stored::new(config, access, ms("created_time_ms")?, ms("last_updated_time_ms")?);
        Some((value.get("config_id")?.as_str()?.into(), stored))
    };
    value.as_array()?.iter().map(one).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use pith_engine::json::parse;

    /// A configuration of a name, with what its type has.
    pub fn config(name: &str, kind: &str, data: &str) -> Config {
        let text = format!(r#"{{"name":"{name}","config_type":"{kind}","{kind}":{data}}}"#);
        Config::parse(&parse(text.as_bytes()).unwrap()).unwrap()
    }

    /// Made by nobody in particular.
    pub fn create(id: &str, config: Config) -> Change {
        Change::Create { id: id.into(), config, access: vec![] }
    }

    /// An account, a group and a mail that uses both, made at 1, 2 and 3.
    pub fn mails() -> Configs {
        let mut configs = Configs::new();
        let made = [
            (
                "s",
                "smtp_account",
                r#"{"host":"smtp.example.org","port":25,"method":"none","from_address":"from@example.org"}"#,
            ),
            ("g", "email_group", r#"{"recipient_list":["one@example.com","two@example.com"]}"#),
            (
                "e",
                "email",
                r#"{"email_account_id":"s","recipient_list":["me@example.net"],"email_group_id_list":["g"]}"#,
            ),
        ];
        for (now_ms, (id, kind, data)) in (1..).zip(made) {
            apply(&mut configs, create(id, config(id, kind, data)), now_ms).unwrap();
        }
        configs
    }

    fn refused(configs: &mut Configs, change: Change) -> String {
        let error = apply(configs, change, 9).unwrap_err();
        format!("{} {} {}", error.status(), error.kind().type_name(), error.reason())
    }

    #[test]
    fn mails_refer_to_what_is_there_and_fits() {
        let email = |account: &str, group: &str| {
            let data = format!(r#"{{"email_account_id":"{account}","email_group_id_list":["{group}"]}}"#);
            create("x", config("x", "email", &data))
        };
        let configs = &mut mails();
        assert_eq!(refused(configs, email("s", "no")), "404 status_exception Config IDs not found:[no]");
        assert_eq!(
            refused(configs, email("g", "s")),
            "406 status_exception configId g is not a valid email account ID"
        );
        assert_eq!(
            refused(configs, email("s", "e")),
            "406 status_exception configId e is not a valid email group ID or email account ID"
        );
        let both = r#"{"email_account_id":"s","email_group_id_list":["g"]}"#;
        let both = create("x", config("x", "email", both));
        assert!(apply(configs, both, 9).is_ok());
    }

    #[test]
    fn ids_are_given_once_and_types_stay() {
        let configs = &mut mails();
        let chat = || config("c", "chat_a", r#"{"url":"http://a"}"#);
        assert_eq!(
            refused(configs, create("g", chat())),
            "409 status_exception [g]: version conflict, document already exists (current version [1])"
        );
        assert_eq!(
            refused(configs, Change::Update { id: "g".into(), config: chat() }),
            "409 status_exception Config type cannot be changed after creation"
        );
        assert_eq!(
            refused(configs, Change::Update { id: "no".into(), config: chat() }),
            "404 status_exception NotificationConfig no not found"
        );
        let group = config("h", "email_group", r#"{"recipient_list":[]}"#);
        apply(configs, Change::Update { id: "g".into(), config: group }, 7).unwrap();
        assert_eq!((configs["g"].created_ms, configs["g"].updated_ms, configs["g"].config.name.as_str()), (2, 7, "h"));
    }

    #[test]
    fn all_are_deleted_or_none() {
        let configs = &mut mails();
        let delete = |ids: &[&str]| Change::Delete(ids.iter().map(|id| (*id).to_owned()).collect());
        assert_eq!(refused(configs, delete(&["no"])), "404 status_exception NotificationConfig no not found");
        assert_eq!(refused(configs, delete(&["g", "no"])), "404 status_exception NotificationConfig [no] not found");
        assert_eq!(configs.len(), 3);
        // What a mail refers to may go before it.
        apply(configs, delete(&["g", "s"]), 9).unwrap();
        assert_eq!(configs.keys().map(|id| &**id).collect::<Vec<_>>(), ["e"]);
    }

    #[test]
    fn what_is_kept_is_read_again() {
        let mut configs = mails();
        let chat = config("c", "chat_a", r#"{"url":"http://a"}"#);
        let change = Change::Create { id: "c".into(), config: chat, access: vec!["ops".into()] };
        apply(&mut configs, change, 9).unwrap();
        assert_eq!(from_value(&to_value(&configs)), Some(configs));
        assert_eq!(from_value(&parse(br#"[{"config_id":"a"}]"#).unwrap()), None);
    }
}
