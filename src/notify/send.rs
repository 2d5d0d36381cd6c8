//! A message to a channel, and what became of it.

use super::config::Config;
use super::data::{Data, Email};
use super::deliveries::Deliveries;
use super::message::Message;
use super::options::Options;
use super::smtp::Login;
use super::status::{FAILED_DEPENDENCY, MUTED, NOT_FOUND, REFUSED, Status, TOO_LARGE};
use super::store::{Configs, missing, not_found};
use super::{aws, smtp, webhook};
use pith_engine::Result;
use pith_engine::json::{self, Value, Writer};
use pith_net::rt;
use std::collections::BTreeSet;
use std::time::Duration;

/// What a delivery goes by.
pub struct Sending<'a> {
    pub options: &'a Options,
    pub deliveries: &'a Deliveries,
    /// Cores of the node: each has its share of what the node may do at a time.
    pub cores: usize,
    pub now_ms: u64,
}

impl Sending<'_> {
    pub fn share(&self, of_node: usize) -> usize {
        of_node.div_ceil(self.cores.max(1))
    }
}

/// Longest time that one message may take, to all of its recipients.
const WHOLE_MAX: Duration = Duration::from_secs(300);

/// Most recipients of one message, those of groups among them.
const RECIPIENTS_MAX: usize = 1_000;

/// A message that was sent, or not.
#[derive(Clone, Debug)]
pub struct Sent {
    title: String,
    id: String,
    type_name: &'static str,
    name: String,
    recipients: Vec<(String, Status)>,
    status: Status,
}

impl Sent {
    /// Writes the event, and what became of it.
    pub fn write(&self, w: &mut Writer) {
        w.begin_object().key("event_source").begin_object();
        w.key("title").string(&self.title).key("reference_id").string(&self.id);
        w.key("severity").string("info").key("tags").begin_array().end_array().end_object();
        w.key("status_list").begin_array().begin_object();
        w.key("config_id").string(&self.id).key("config_type").string(self.type_name);
        w.key("config_name").string(&self.name).key("email_recipient_status").begin_array();
        for (recipient, status) in &self.recipients {
            w.begin_object().key("recipient").string(recipient).key("delivery_status");
            status.write(w);
            w.end_object();
        }
        w.end_array().key("delivery_status");
        self.status.write(w);
        w.end_object().end_array().end_object();
    }
}

/// Sends the message that tries a channel. An error only if there is no such configuration.
pub async fn send_test(cx: &Sending<'_>, configs: &Configs, id: &str) -> Result<Sent> {
    let config = &configs.get(id).ok_or_else(|| not_found(id))?.config;
    let message = Message::test(id);
    let options = cx.options;
    let begun = refusal(config, options).map_or(Ok(()), Err).and_then(|()| {
        let (most, most_of_route) = (cx.share(options.connections), cx.share(options.connections_per_route));
        cx.deliveries.enter(route(configs, config), most, most_of_route)
    });
    let (recipients, status) = match begun {
        Err(status) => (vec![], status),
        Ok(_slot) => {
            let sent = rt::timeout(WHOLE_MAX, send(cx, configs, config, &message)).await;
            sent.unwrap_or_else(|| (vec![], Status::new(FAILED_DEPENDENCY, "The delivery took too long")))
        }
    };
    let name = config.name.clone();
    Ok(Sent { title: message.title, id: id.to_owned(), type_name: config.type_name, name, recipients, status })
}

/// Why nothing is sent to a configuration, whatever its destination is.
fn refusal(config: &Config, options: &Options) -> Option<Status> {
    let kind = config.kind();
    if !kind.is_channel() {
        return Some(Status::new(NOT_FOUND, "Channel not found"));
    }
    if !config.is_enabled {
        return Some(Status::new(MUTED, "The channel is muted"));
    }
    let is_allowed = options.allowed.contains(&kind);
    (!is_allowed).then(|| Status::new(REFUSED, format!("Configuration type [{}] is not allowed", config.type_name)))
}

/// What deliveries are counted by: the host that they go to.
fn route(configs: &Configs, config: &Config) -> String {
    let host = |url: &str| super::checks::parse_url(url).ok().and_then(|url| url.host_str().map(str::to_owned));
    match &config.data {
        Data::ChatA { url } | Data::ChatB { url } => host(url).unwrap_or_default(),
        Data::Webhook(webhook) => host(&webhook.url).unwrap_or_default(),
        Data::Email(email) => match configs.get(email.account.as_str()).map(|stored| &stored.config.data) {
            Some(Data::SmtpAccount(account)) => account.host.clone(),
            Some(Data::MailServiceAccount { region, .. }) => format!("email.{region}"),
            _ => String::new(),
        },
        Data::Topic { topic_arn, .. } => topic_arn.clone(),
        _ => String::new(),
    }
}

async fn send(
    cx: &Sending<'_>,
    configs: &Configs,
    config: &Config,
    message: &Message,
) -> (Vec<(String, Status)>, Status) {
    match &config.data {
        Data::Topic { topic_arn, role_arn } => {
            (vec![], aws::publish(cx, topic_arn, role_arn.as_deref(), message).await)
        }
        Data::Email(email) => match send_mails(cx, configs, email, message).await {
            Ok(recipients) => {
                let status = overall(&recipients);
                (recipients, status)
            }
            Err(status) => (vec![], status),
        },
        data => {
            let status = webhook::send(cx, data, message).await;
            (vec![], status.unwrap_or_else(|| Status::new(NOT_FOUND, "Channel not found")))
        }
    }
}

/// One status for all recipients: the one that they share, or that they share none.
fn overall(recipients: &[(String, Status)]) -> Status {
    match recipients {
        [] => Status::new(NOT_FOUND, "The channel has no recipients"),
        [(_, first), rest @ ..] if rest.iter().all(|(_, status)| status.code == first.code) => first.clone(),
        _ => Status::new(207, "Errors"),
    }
}

async fn send_mails(
    cx: &Sending<'_>,
    configs: &Configs,
    email: &Email,
    message: &Message,
) -> Result<Vec<(String, Status)>, Status> {
    let (account, recipients) = resolve(configs, email)?;
    check_size(message.mail_bytes(cx.options.email_header_bytes), cx.options)?;
    // Each is made when its turn comes: there may be many.
    let mail = |from: &str, to: &str| {
        let mail = message.mail(from, to, cx.now_ms);
        let mail = mail.map_err(|error| Status::new(FAILED_DEPENDENCY, format!("sendEmail Error, status:{error}")))?;
        check_size(mail.len(), cx.options).map(|()| mail)
    };
    let statuses = match &account.data {
        Data::SmtpAccount(server) => {
            let login = login(cx.options, &account.name).await?;
            smtp::deliver(cx, server, login.as_ref(), &recipients, |to| mail(&server.from_address, to)).await
        }
        Data::MailServiceAccount { region, role_arn, from_address } => {
            let service = aws::MailService::open(cx, region, role_arn.as_deref()).await?;
            let mut statuses = Vec::with_capacity(recipients.len());
            for to in &recipients {
                statuses.push(match mail(from_address, to) {
                    Ok(mail) => service.send(cx, to, from_address, &mail).await,
                    Err(status) => status,
                });
            }
            statuses
        }
        _ => return Err(Status::new(NOT_FOUND, "Email account not found")),
    };
    Ok(recipients.into_iter().zip(statuses).collect())
}

fn check_size(bytes: usize, options: &Options) -> Result<(), Status> {
    let limit = options.email_bytes;
    let fits = bytes <= limit;
    if fits { Ok(()) } else { Err(Status::new(TOO_LARGE, format!("Email size({bytes}) larger than {limit}"))) }
}

/// The account of a mail, and everybody whom it goes to, once each.
fn resolve<'a>(configs: &'a Configs, email: &Email) -> Result<(&'a Config, Vec<String>), Status> {
    let ids = [&email.account].into_iter().chain(&email.groups);
    if let Some(missing) = missing(configs, ids.map(String::as_str)) {
        return Err(Status::new(NOT_FOUND, format!("Config IDs not found:[{missing}]")));
    }
    let account = &configs[email.account.as_str()].config;
    if !account.is_enabled {
        return Err(Status::new(MUTED, format!("The email account {} is muted", email.account)));
    }
    let group = |id: &String| match configs.get(id.as_str()).map(|stored| &stored.config) {
        Some(Config { data: Data::EmailGroup { recipients }, is_enabled: true, .. }) => recipients.as_slice(),
        _ => &[],
    };
    let groups: BTreeSet<&String> = email.groups.iter().collect();
    let named = email.recipients.iter().chain(groups.into_iter().flat_map(group));
    let (mut recipients, mut seen) = (vec![], BTreeSet::new());
    for (looked_at, recipient) in named.enumerate() {
        if seen.insert(recipient) {
            recipients.push(recipient.clone());
        }
        if recipients.len() > RECIPIENTS_MAX || looked_at > 10 * RECIPIENTS_MAX {
            return Err(Status::new(TOO_LARGE, format!("The channel has more than {RECIPIENTS_MAX} recipients")));
        }
    }
    Ok((account, recipients))
}

/// What an account logs in with, by its name: `{"<name>":{"username":…,"password":…}}` in the file that a setting names.
async fn login(options: &Options, account: &str) -> Result<Option<Login>, Status> {
    let Some(path) = options.credentials_file.clone() else { return Ok(None) };
    let shown = path.clone();
    let failed = |why: String| Status::new(FAILED_DEPENDENCY, format!("the credentials file [{shown}] {why}"));
    let bytes =
        rt::offload(move || std::fs::read(path)).await.map_err(|error| failed(format!("cannot be read: {error}")))?;
    let root = json::parse(&bytes).map_err(|error| failed(format!("is no JSON: {}", error.reason())))?;
    let Some(entry) = root.get(account) else { return Ok(None) };
    let text = |key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
    match (text("username"), text("password")) {
        (Some(username), Some(password)) => Ok(Some(Login { username, password })),
        _ => Err(failed(format!("has no username and password for [{account}]"))),
    }
}

#[cfg(test)]
mod tests {
    use super::super::options::tests::options;
    use super::super::store::tests::{config, create, mails};
    use super::super::store::{Change, apply};
    use super::*;

    fn tried(configs: &Configs, id: &str, settings: &'static [(&'static str, &'static str)]) -> String {
        let (configs, id) = (configs.clone(), id.to_owned());
        rt::block_on(move || async move {
            let (options, deliveries) = (options(settings), Deliveries::default());
            let cx = Sending { options: &options, deliveries: &deliveries, cores: 2, now_ms: 1 };
            match send_test(&cx, &configs, &id).await {
                Ok(sent) => format!("{} {}", sent.status.code, sent.status.text),
                Err(error) => format!("error {} {}", error.status(), error.reason()),
            }
        })
    }

    fn with(id: &str, kind: &str, data: &str) -> Configs {
        let mut configs = mails();
        apply(&mut configs, create(id, config(id, kind, data)), 9).unwrap();
        configs
    }

    #[test]
    fn what_is_no_channel_or_muted_or_not_allowed_gets_nothing() {
        assert_eq!(tried(&mails(), "no", &[]), "error 404 NotificationConfig no not found");
        assert_eq!(tried(&mails(), "g", &[]), "404 Channel not found");
        let mut configs = with("w", "webhook", r#"{"url":"http://10.0.0.1/"}"#);
        let only: &[(&str, &str)] = &[("opensearch.notifications.core.allowed_config_types", "chat_a")];
        assert_eq!(tried(&configs, "w", only), "403 Configuration type [webhook] is not allowed");
        let mut muted = configs["w"].config.clone();
        muted.is_enabled = false;
        apply(&mut configs, Change::Update { id: "w".into(), config: muted }, 9).unwrap();
        assert_eq!(tried(&configs, "w", &[]), "423 The channel is muted");
    }

    #[test]
    fn private_addresses_are_refused_before_anything_connects() {
        for url in [
            "http://10.0.0.1/",
            "http://0x7f.1/",
            "http://2130706433/",
            "http://[::ffff:169.254.169.254]/latest",
            "http://localhost:1/",
        ] {
            let configs = with("w", "webhook", &format!(r#"{{"url":"{url}"}}"#));
            assert!(
                tried(&configs, "w", &[]).starts_with("403 Host of url is denied: "),
                "{url}: {}",
                tried(&configs, "w", &[])
            );
        }
        let data = r#"{"host":"127.0.0.1","port":25,"method":"none","from_address":"a@b.co"}"#;
        let mut configs = with("p", "smtp_account", data);
        let email = config("m", "email", r#"{"email_account_id":"p","recipient_list":["c@d.co"]}"#);
        apply(&mut configs, create("m", email), 9).unwrap();
        let allowed_for_http: &[(&str, &str)] = &[("notifications.http.host_allow_list", "*")];
        assert!(tried(&configs, "m", allowed_for_http).starts_with("403 Host of url is denied: "));
    }

    #[test]
    fn mails_go_to_everybody_once() {
        let configs = mails();
        let Data::Email(email) = &configs["e"].config.data else { unreachable!("it is a mail") };
        let twice = Email { recipients: vec!["one@example.com".into(), "me@example.net".into()], ..email.clone() };
        let (account, recipients) = resolve(&configs, &twice).unwrap();
        assert_eq!(
            (account.name.as_str(), recipients.join(" ")),
            ("s", "one@example.com me@example.net two@example.com".into())
        );
        let gone = Email { groups: vec!["g".into(), "x".into()], ..twice };
        assert_eq!(resolve(&configs, &gone).unwrap_err(), Status::new(404, "Config IDs not found:[x]"));
        let many = (0..=RECIPIENTS_MAX).map(|n| format!("{n}@example.org")).collect();
        let many = Email { recipients: many, groups: vec![], ..gone };
        assert_eq!(
            resolve(&configs, &many).unwrap_err(),
            Status::new(413, "The channel has more than 1000 recipients")
        );
        let small: &[(&str, &str)] = &[("opensearch.notifications.core.email.size_limit", "100")];
        assert!(tried(&configs, "e", small).starts_with("413 Email size("));
    }

    #[test]
    fn statuses_that_differ_are_errors() {
        let status = |codes: &[u16]| {
            overall(&codes.iter().map(|code| (String::new(), Status::new(*code, "t"))).collect::<Vec<_>>())
        };
        assert_eq!(status(&[200, 200]), Status::new(200, "t"));
        assert_eq!(status(&[200, 502]), Status::new(207, "Errors"));
        assert_eq!(status(&[]).code, 404);
    }
}
