//! Signed requests: topics and the mail service of AWS, and roles taken for them.
//!
//! Signed with version 4 of their signatures; credentials come from the usual variables of the environment.

use super::checks::{TopicArn, parse_topic_arn};
use super::message::Message;
use super::send::Sending;
use super::status::{FAILED_DEPENDENCY, Status};
use super::webhook::exchange;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use pith_net::http::Reply;
use ring::{digest, hmac};
use url::{Position, Url, form_urlencoded};

/// Whom requests are signed for.
#[derive(Clone, PartialEq, Eq)]
struct Credentials {
    access_key: String,
    secret_key: String,
    token: Option<String>,
}

/// A service in a region.
#[derive(Clone, Copy)]
struct Service<'a> {
    /// As hosts are called, and as signatures call it.
    host: &'a str,
    name: &'a str,
    region: &'a str,
    partition: &'a str,
}

const SNS: &str = "sns";
/// Longest subject that a topic takes.
const SUBJECT_CHARS_MAX: usize = 100;
/// How long a role that was taken lasts: the least there is.
const ROLE_SECONDS: &str = "900";

/// Publishes a message to a topic.
pub async fn publish(cx: &Sending<'_>, topic_arn: &str, role_arn: Option<&str>, message: &Message) -> Status {
    let Some(TopicArn { partition, region, topic }) = parse_topic_arn(topic_arn) else {
        return Status::new(FAILED_DEPENDENCY, format!("[{topic_arn}] is no topic of AWS SNS"));
    };
    let subject: String = message.title.chars().take(SUBJECT_CHARS_MAX).collect();
    let once = format!("{}-{}", message.reference, cx.now_ms);
    let mut form = vec![
        ("Action", "Publish"),
        ("Version", "2010-03-31"),
        ("TopicArn", topic_arn),
        ("Subject", &subject),
        ("Message", &message.text),
    ];
    if topic.ends_with(".fifo") {
        form.extend([("MessageGroupId", "opensearch-notifications"), ("MessageDeduplicationId", &once)]);
    }
    let service = Service { host: SNS, name: SNS, region, partition };
    let sent = match credentials(cx, service, role_arn).await {
        Ok(credentials) => call(cx, service, &form, &credentials).await,
        Err(status) => Err(status),
    };
    match sent {
        Ok(reply) => told(&reply, "SNS"),
        Err(status) => status,
    }
}

/// The mail service of a region, for mails of one account: its role is taken once.
pub struct MailService<'a> {
    service: Service<'a>,
    credentials: Credentials,
}

impl<'a> MailService<'a> {
    pub async fn open(cx: &Sending<'_>, region: &'a str, role_arn: Option<&str>) -> Result<Self, Status> {
        let partition = if region.starts_with("cn-") { "aws-cn" } else { "aws" };
        let service = Service { host: "email", name: "ses", region, partition };
        Ok(Self { service, credentials: credentials(cx, service, role_arn).await? })
    }

    pub async fn send(&self, cx: &Sending<'_>, to: &str, from: &str, mail: &[u8]) -> Status {
        let data = STANDARD.encode(mail);
        let form = [
            ("Action", "SendRawEmail"),
            ("Version", "2010-12-01"),
            ("Source", from),
            ("Destinations.member.1", to),
            ("RawMessage.Data", &data),
        ];
        match call(cx, self.service, &form, &self.credentials).await {
            Ok(reply) => told(&reply, "SES"),
            Err(status) => status,
        }
    }
}

/// What the service's answer says.
fn told(reply: &Reply, service: &str) -> Status {
    let body = String::from_utf8_lossy(&reply.body);
    if reply.status == 200 {
        return Status::new(200, format!("Success, message id: {}", element(&body, "MessageId").unwrap_or_default()));
    }
    let code = element(&body, "Code").unwrap_or_default();
    let why = element(&body, "Message").unwrap_or(body.trim());
    Status::new(reply.status, format!("{service} Send Error({}), {service} status:{code}:{why}", reply.status))
}

/// Whom requests to a service are signed for: the role, or whoever the environment names.
async fn credentials(cx: &Sending<'_>, service: Service<'_>, role_arn: Option<&str>) -> Result<Credentials, Status> {
    let own = Credentials::of_environment().ok_or_else(|| {
        let why = "no AWS credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set";
        Status::new(FAILED_DEPENDENCY, why)
    })?;
    match role_arn {
        Some(role) => assume(cx, service, role, &own).await,
        None => Ok(own),
    }
}

async fn assume(cx: &Sending<'_>, service: Service<'_>, role: &str, own: &Credentials) -> Result<Credentials, Status> {
    let form = [
        ("Action", "AssumeRole"),
        ("Version", "2011-06-15"),
        ("RoleArn", role),
        ("RoleSessionName", "pith-notifications"),
        ("DurationSeconds", ROLE_SECONDS),
    ];
    let reply = call(cx, Service { host: "sts", name: "sts", ..service }, &form, own).await?;
    let body = String::from_utf8_lossy(&reply.body);
    let text = |name: &str| element(&body, name).map(str::to_owned);
    let taken = || {
        let token = Some(text("SessionToken")?);
        Some(Credentials { access_key: text("AccessKeyId")?, secret_key: text("SecretAccessKey")?, token })
    };
    taken()
        .filter(|_| reply.status == 200)
        .ok_or_else(|| told(&Reply { status: reply.status.max(400), ..reply.clone() }, "STS"))
}

async fn call(
    cx: &Sending<'_>,
    service: Service<'_>,
    form: &[(&str, &str)],
    credentials: &Credentials,
) -> Result<Reply, Status> {
    let url = cx.options.aws_endpoint.clone().unwrap_or_else(|| service.endpoint());
    let parsed = Url::parse(&url).map_err(|_| Status::new(FAILED_DEPENDENCY, format!("[{url}] is no URL")))?;
    let host = &parsed[Position::BeforeHost..Position::AfterPort];
    let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
    let headers = sign(service, credentials, host, body.as_bytes(), cx.now_ms);
    exchange(cx, &url, "POST", headers, body.as_bytes()).await
}

impl Service<'_> {
    fn endpoint(&self) -> String {
        let domain = if self.partition == "aws-cn" { "amazonaws.com.cn" } else { "amazonaws.com" };
        format!("https://{}.{}.{domain}/", self.host, self.region)
    }
}

impl Credentials {
    fn of_environment() -> Option<Self> {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        Some(Self {
            access_key: variable("AWS_ACCESS_KEY_ID")?,
            secret_key: variable("AWS_SECRET_ACCESS_KEY")?,
            token: variable("AWS_SESSION_TOKEN"),
        })
    }
}

const FORM: &str = "application/x-www-form-urlencoded";

/// The headers of a signed POST to `/` of a host.
fn sign(service: Service<'_>, who: &Credentials, host: &str, body: &[u8], now_ms: u64) -> Vec<(String, String)> {
    let time = Timestamp::from_millisecond(now_ms as i64).unwrap_or_default();
    let (date, moment) = (time.strftime("%Y%m%d").to_string(), time.strftime("%Y%m%dT%H%M%SZ").to_string());
    let mut signed = vec![("content-type", FORM), ("host", host), ("x-amz-date", &moment)];
    signed.extend(who.token.as_deref().map(|token| ("x-amz-security-token", token)));
    let lines: String = signed.iter().map(|(name, value)| format!("{name}:{value}\n")).collect();
    let names = signed.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(";");
    let canonical = format!("POST\n/\n\n{lines}\n{names}\n{}", sha256(body));
    let scope = format!("{date}/{}/{}/aws4_request", service.region, service.name);
    let to_sign = format!("AWS4-HMAC-SHA256\n{moment}\n{scope}\n{}", sha256(canonical.as_bytes()));
    let first = format!("AWS4{}", who.secret_key).into_bytes();
    let key = [date.as_str(), service.region, service.name, "aws4_request"]
        .iter()
        .fold(first, |key, part| hmac_sha256(&key, part.as_bytes()));
    let signature = hex(&hmac_sha256(&key, to_sign.as_bytes()));
    let authorization =
        format!("AWS4-HMAC-SHA256 Credential={}/{scope}, SignedHeaders={names}, Signature={signature}", who.access_key);
    let sent = signed.iter().filter(|(name, _)| *name != "host");
    let sent = sent.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    sent.chain([("authorization".to_owned(), authorization)]).collect()
}

fn sha256(bytes: &[u8]) -> String {
    hex(digest::digest(&digest::SHA256, bytes).as_ref())
}

fn hmac_sha256(key: &[u8], bytes: &[u8]) -> Vec<u8> {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), bytes).as_ref().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The text of the first element of this name. These answers are flat and their texts hold no markup, so no more of XML is needed.
fn element<'a>(xml: &'a str, name: &str) -> Option<&'a str> {
    let begin = xml.find(&format!("<{name}>"))? + name.len() + 2;
    let len = xml[begin..].find(&format!("</{name}>"))?;
    Some(&xml[begin..begin + len])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Credentials {
        Credentials {
            access_key: "AKIDEXAMPLE".into(),
            secret_key: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".into(),
            token: None,
        }
    }

    /// The case `post-x-www-form-urlencoded` of the test suite that AWS publishes.
    #[test]
    fn signatures_are_those_of_the_test_suite() {
        let service = Service { host: "example", name: "service", region: "us-east-1", partition: "aws" };
        // 2015-08-30T12:36:00Z
        let headers = sign(service, &example(), "example.amazonaws.com", b"Param1=value1", 1_440_938_160_000);
        let expected = "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, \
                        SignedHeaders=content-type;host;x-amz-date, \
                        Signature=ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a";
        assert_eq!(headers.last().unwrap(), &("authorization".to_owned(), expected.to_owned()));
        assert_eq!(headers[1], ("x-amz-date".to_owned(), "20150830T123600Z".to_owned()));
    }

    #[test]
    fn tokens_are_signed_too() {
        let service = Service { host: "sns", name: "sns", region: "us-east-1", partition: "aws" };
        let who = Credentials { token: Some("t".into()), ..example() };
        let headers = sign(service, &who, "h", b"", 0);
        assert!(headers.contains(&("x-amz-security-token".to_owned(), "t".to_owned())));
        assert!(headers.last().unwrap().1.contains("SignedHeaders=content-type;host;x-amz-date;x-amz-security-token,"));
    }

    #[test]
    fn endpoints_and_answers() {
        let service = Service { host: "email", name: "ses", region: "us-east-1", partition: "aws" };
        assert_eq!(service.endpoint(), "https://email.us-east-1.amazonaws.com/");
        assert_eq!(Service { partition: "aws-cn", ..service }.endpoint(), "https://email.us-east-1.amazonaws.com.cn/");
        let reply =
            |status: u16, body: &str| Reply { status, phrase: String::new(), headers: vec![], body: body.into() };
        let good = "<PublishResponse><PublishResult><MessageId>m-1</MessageId></PublishResult></PublishResponse>";
        assert_eq!(told(&reply(200, good), "SNS"), Status::new(200, "Success, message id: m-1"));
        let bad = "<ErrorResponse><Error><Type>Sender</Type><Code>NotFound</Code><Message>Topic does not exist</Message></Error>";
        assert_eq!(
            told(&reply(404, bad), "SNS"),
            Status::new(404, "SNS Send Error(404), SNS status:NotFound:Topic does not exist")
        );
    }
}
