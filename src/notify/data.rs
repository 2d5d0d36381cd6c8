//! What each type of configuration has of its own.

use super::checks::{
    check_address, check_header, check_host, check_region, check_role_arn, check_topic_arn, parse_url,
};
use super::kind::Kind;
use pith_engine::json::{Map, Value};
use pith_engine::{Error, Result};

/// Most entries of one list: recipients, groups, headers.
const ENTRIES_MAX: usize = 1_000;
/// Methods that a webhook may be called with; the first unless it says.
const METHODS: [&str; 3] = ["POST", "PUT", "PATCH"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Data {
    ChatA { url: String },
    ChatB { url: String },
    Webhook(Webhook),
    Email(Email),
    Topic { topic_arn: String, role_arn: Option<String> },
    MailServiceAccount { region: String, role_arn: Option<String>, from_address: String },
    SmtpAccount(SmtpAccount),
    EmailGroup { recipients: Vec<String> },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub method: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Email {
    /// The id of an account that sends mails.
    pub account: String,
    pub recipients: Vec<String>,
    /// Ids of groups of recipients.
    pub groups: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SmtpAccount {
    pub host: String,
    pub port: u16,
    pub security: Security,
    pub from_address: String,
}

/// How a connection to a mail server is made secure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Security {
    None,
    /// From the first byte on.
    Ssl,
    /// After the server was asked for it.
    StartTls,
}

impl Security {
    const NAMES: [(&'static str, Self); 3] = [("none", Self::None), ("ssl", Self::Ssl), ("start_tls", Self::StartTls)];

    fn parse(name: &str) -> Result<Self> {
        let found = Self::NAMES.iter().find(|(known, _)| *known == name);
        found.map(|(_, security)| *security).ok_or_else(|| {
            Error::illegal_argument(format!("Invalid method [{name}], must be one of [none, ssl, start_tls]"))
        })
    }

    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, security)| *security == self).map_or("none", |(name, _)| name)
    }
}

impl Data {
    pub fn kind(&self) -> Kind {
        match self {
            Self::ChatA { .. } => Kind::ChatA,
            Self::ChatB { .. } => Kind::ChatB,
            Self::Webhook(_) => Kind::Webhook,
            Self::Email(_) => Kind::Email,
            Self::Topic { .. } => Kind::Topic,
            Self::MailServiceAccount { .. } => Kind::MailServiceAccount,
            Self::SmtpAccount(_) => Kind::SmtpAccount,
            Self::EmailGroup { .. } => Kind::EmailGroup,
        }
    }

    /// Reads the object of a type.
    pub fn parse(kind: Kind, fields: Fields<'_>) -> Result<Self> {
        Ok(match kind {
            Kind::ChatA => Self::ChatA { url: fields.url()? },
            Kind::ChatB => Self::ChatB { url: fields.url()? },
            Kind::Webhook => Self::Webhook(webhook(fields)?),
            Kind::Email => Self::Email(email(fields)?),
            Kind::Topic => {
                let topic_arn = fields.required("topic_arn")?;
                check_topic_arn(&topic_arn)?;
                Self::Topic { topic_arn, role_arn: fields.role_arn()? }
            }
            Kind::MailServiceAccount => {
                let region = fields.required("region")?;
                check_region(&region)?;
                let from_address = fields.address("from_address")?;
                Self::MailServiceAccount { region, role_arn: fields.role_arn()?, from_address }
            }
            Kind::SmtpAccount => Self::SmtpAccount(smtp_account(fields)?),
            Kind::EmailGroup => {
                let recipients = fields.0.get("recipient_list");
                if recipients.is_none() {
                    return Err(absent("recipient_list"));
                }
                Self::EmailGroup { recipients: recipients_of(recipients)? }
            }
        })
    }

    pub fn to_value(&self) -> Value {
        let mut map = Map::new();
        match self {
            Self::ChatA { url } | Self::ChatB { url } => map.insert("url", url),
            Self::Webhook(webhook) => {
                map.insert("url", &webhook.url);
                let headers = webhook.headers.iter().map(|(name, value)| (name.as_str(), value));
                map.insert("header_params", Value::Object(headers.collect()));
                map.insert("method", webhook.method);
            }
            Self::Email(email) => {
                map.insert("email_account_id", &email.account);
                map.insert("recipient_list", recipients_value(&email.recipients));
                map.insert("email_group_id_list", Value::Array(email.groups.iter().map(Value::from).collect()));
            }
            Self::Topic { topic_arn, role_arn } => {
                map.insert("topic_arn", topic_arn);
                role_arn.iter().for_each(|arn| map.insert("role_arn", arn));
            }
            Self::MailServiceAccount { region, role_arn, from_address } => {
                map.insert("region", region);
                role_arn.iter().for_each(|arn| map.insert("role_arn", arn));
                map.insert("from_address", from_address);
            }
            Self::SmtpAccount(account) => {
                map.insert("host", &account.host);
                map.insert("port", u32::from(account.port));
                map.insert("method", account.security.name());
                map.insert("from_address", &account.from_address);
            }
            Self::EmailGroup { recipients } => map.insert("recipient_list", recipients_value(recipients)),
        }
        Value::Object(map)
    }
}

fn webhook(fields: Fields<'_>) -> Result<Webhook> {
    let mut headers = vec![];
    match fields.0.get("header_params") {
        None | Some(Value::Null) => {}
        Some(Value::Object(given)) if given.len() <= ENTRIES_MAX => {
            for (name, value) in given.iter() {
                let value = text(name, value)?.unwrap_or_default();
                check_header(name, &value)?;
                headers.push((name.to_owned(), value));
            }
        }
        Some(Value::Object(_)) => return Err(too_many("header_params")),
        Some(_) => return Err(Error::illegal_argument("header_params must be an object")),
    }
    let given = fields.text("method")?.unwrap_or_else(|| METHODS[0].to_owned());
    let method = METHODS.into_iter().find(|method| *method == given).ok_or_else(|| {
        Error::illegal_argument("Invalid or empty method supplied. Only POST, PUT and PATCH are allowed")
    })?;
    Ok(Webhook { url: fields.url()?, headers, method })
}

fn email(fields: Fields<'_>) -> Result<Email> {
    let account = fields.required("email_account_id")?;
    if account.is_empty() {
        return Err(Error::illegal_argument("emailAccountID is null or empty"));
    }
    let groups = list("email_group_id_list", fields.0.get("email_group_id_list"), |group| {
        text("email_group_id_list", group)?.ok_or_else(|| absent("email_group_id_list"))
    })?;
    if groups.contains(&account) {
        let reason = format!("Config IDs {account} is in both emailAccountID and emailGroupIds");
        return Err(Error::illegal_argument(reason));
    }
    Ok(Email { account, recipients: recipients_of(fields.0.get("recipient_list"))?, groups })
}

fn smtp_account(fields: Fields<'_>) -> Result<SmtpAccount> {
    let host = fields.required("host")?;
    check_host(&host)?;
    let port = fields.required("port")?;
    let port = match port.parse::<u16>() {
        Ok(port) if port > 0 => port,
        _ => return Err(Error::illegal_argument("port should be positive value, 65535 at most")),
    };
    let security = Security::parse(&fields.required("method")?)?;
    Ok(SmtpAccount { host, port, security, from_address: fields.address("from_address")? })
}

/// Recipients stand in objects, or by themselves.
fn recipients_of(value: Option<&Value>) -> Result<Vec<String>> {
    list("recipient_list", value, |recipient| {
        let recipient = match recipient {
            Value::Object(object) => Fields(object).required("recipient")?,
            other => text("recipient", other)?.ok_or_else(|| absent("recipient"))?,
        };
        check_address(&recipient)?;
        Ok(recipient)
    })
}

fn recipients_value(recipients: &[String]) -> Value {
    let one = |recipient: &String| Value::Object(Map::from_iter([("recipient", recipient)]));
    Value::Array(recipients.iter().map(one).collect())
}

fn list<T>(name: &str, value: Option<&Value>, item: impl Fn(&Value) -> Result<T>) -> Result<Vec<T>> {
    match value {
        None | Some(Value::Null) => Ok(vec![]),
        Some(Value::Array(items)) if items.len() > ENTRIES_MAX => Err(too_many(name)),
        Some(Value::Array(items)) => items.iter().map(item).collect(),
        Some(_) => Err(Error::illegal_argument(format!("{name} must be an array"))),
    }
}

#[cold]
fn too_many(name: &str) -> Error {
    Error::illegal_argument(format!("{name} has more than [{ENTRIES_MAX}] entries"))
}

#[cold]
fn absent(name: &str) -> Error {
    Error::illegal_argument(format!("{name} field absent"))
}

/// The text of a value that is no list and no object; `None` for null.
pub fn text(name: &str, value: &Value) -> Result<Option<String>> {
    match value {
        Value::Null => Ok(None),
        Value::Array(_) | Value::Object(_) => Err(Error::illegal_argument(format!("{name} must be a text"))),
        other => Ok(Some(other.to_text())),
    }
}

/// The fields of an object, with what goes wrong in reading them.
#[derive(Clone, Copy)]
pub struct Fields<'a>(pub &'a Map);

impl Fields<'_> {
    pub fn text(&self, name: &str) -> Result<Option<String>> {
        self.0.get(name).map_or(Ok(None), |value| text(name, value))
    }

    pub fn required(&self, name: &str) -> Result<String> {
        self.text(name)?.ok_or_else(|| absent(name))
    }

    fn url(&self) -> Result<String> {
        let url = self.required("url")?;
        if url.is_empty() {
            return Err(Error::illegal_argument("URL is null or empty"));
        }
        parse_url(&url)?;
        Ok(url)
    }

    fn address(&self, name: &str) -> Result<String> {
        let address = self.required(name)?;
        check_address(&address)?;
        Ok(address)
    }

    fn role_arn(&self) -> Result<Option<String>> {
        let arn = self.text("role_arn")?.filter(|arn| !arn.is_empty());
        arn.iter().try_for_each(|arn| check_role_arn(arn))?;
        Ok(arn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pith_engine::json::parse;

    fn shown(kind: &str, text: &str) -> String {
        let value = parse(text.as_bytes()).unwrap();
        let kind = Kind::named(kind).unwrap().0;
        match Data::parse(kind, Fields(value.as_object().unwrap())) {
            Ok(data) => String::from_utf8(data.to_value().to_bytes()).unwrap(),
            Err(error) => error.reason().to_owned(),
        }
    }

    #[test]
    fn every_type_is_shown_as_it_was_read() {
        for (kind, text) in [
            ("chat_a", r#"{"url":"http://a/b"}"#),
            ("chat_b", r#"{"url":"https://a"}"#),
            ("webhook", r#"{"url":"https://a","header_params":{"X":"1"},"method":"PUT"}"#),
            (
                "email",
                r#"{"email_account_id":"s","recipient_list":[{"recipient":"a@b.co"}],"email_group_id_list":["g"]}"#,
            ),
            ("topic", r#"{"topic_arn":"arn:aws:sns:us-east-1:012345678912:t"}"#),
            (
                "mail_service_account",
                r#"{"region":"us-east-1","role_arn":"arn:aws:iam::012345678912:role/r","from_address":"a@b.co"}"#,
            ),
            ("smtp_account", r#"{"host":"h.co","port":25,"method":"start_tls","from_address":"a@b.co"}"#),
            ("email_group", r#"{"recipient_list":[{"recipient":"a@b.co"},{"recipient":"c@d.co"}]}"#),
        ] {
            assert_eq!(shown(kind, text), text);
        }
        assert_eq!(
            shown("email", r#"{"email_account_id":"s","recipient_list":["a@b.co"]}"#),
            r#"{"email_account_id":"s","recipient_list":[{"recipient":"a@b.co"}],"email_group_id_list":[]}"#
        );
        assert_eq!(
            shown("webhook", r#"{"url":"http://a"}"#),
            r#"{"url":"http://a","header_params":{},"method":"POST"}"#
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (kind, text, reason) in [
            ("chat_a", "{}", "url field absent"),
            ("chat_a", r#"{"url":null}"#, "url field absent"),
            ("webhook", r#"{"url":""}"#, "URL is null or empty"),
            ("webhook", r#"{"url":"gopher://a"}"#, "Invalid URL or unsupported"),
            (
                "webhook",
                r#"{"url":"http://a","method":"GET"}"#,
                "Invalid or empty method supplied. Only POST, PUT and PATCH are allowed",
            ),
            ("webhook", r#"{"url":"http://a","header_params":{"X":"a\r\nB: c"}}"#, "Invalid value of the header [X]"),
            ("smtp_account", r#"{"port":1,"method":"ssl","from_address":"a@b.co"}"#, "host field absent"),
            (
                "smtp_account",
                r#"{"host":"h","port":70000,"method":"ssl","from_address":"a@b.co"}"#,
                "port should be positive value, 65535 at most",
            ),
            (
                "smtp_account",
                r#"{"host":"h","port":1,"method":"tls","from_address":"a@b.co"}"#,
                "Invalid method [tls], must be one of [none, ssl, start_tls]",
            ),
            (
                "smtp_account",
                r#"{"host":"h","port":1,"method":"ssl","from_address":"a@b.co\nRCPT TO:<c@d.co>"}"#,
                "Invalid email address",
            ),
            ("email_group", "{}", "recipient_list field absent"),
            ("email_group", r#"{"recipient_list":[{"recipient":"nobody"}]}"#, "Invalid email address"),
            ("email", r#"{"recipient_list":[]}"#, "email_account_id field absent"),
            (
                "email",
                r#"{"email_account_id":"a","email_group_id_list":["a"]}"#,
                "Config IDs a is in both emailAccountID and emailGroupIds",
            ),
            ("topic", r#"{"topic_arn":"t"}"#, "Invalid AWS SNS topic ARN: t"),
            ("mail_service_account", r#"{"region":"a.evil/","from_address":"a@b.co"}"#, "Invalid AWS region: a.evil/"),
        ] {
            assert_eq!(shown(kind, text), reason);
        }
    }
}
