//! What addresses, URLs, ARNs and ids must look like.

use pith_engine::{Error, Result};
use std::net::{Ipv4Addr, Ipv6Addr};
use url::Url;

/// Longest id that may be given to a configuration.
const ID_BYTES_MAX: usize = 512;
/// Longest address of a mail, as SMTP has it.
const ADDRESS_BYTES_MAX: usize = 254;

/// Ids may stand in a URL, and may be written in base 64.
pub fn check_id(id: &str) -> Result<()> {
    let allowed = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '_' | '-');
    if id.is_empty() || !id.chars().all(|c| allowed(&c)) {
        let wrong: String = id.chars().filter(|c| !allowed(c)).collect();
        return Err(Error::illegal_argument(format!("Invalid characters in id : {wrong}")));
    }
    if id.len() > ID_BYTES_MAX {
        return Err(Error::illegal_argument(format!("id is longer than [{ID_BYTES_MAX}] bytes")));
    }
    Ok(())
}

/// A URL that messages can be posted to.
pub fn parse_url(text: &str) -> Result<Url> {
    let invalid = || Error::illegal_argument("Invalid URL or unsupported");
    // The parser would pass over tabs and line breaks.
    if text.chars().any(char::is_control) {
        return Err(invalid());
    }
    let url = Url::parse(text).map_err(|_| invalid())?;
    let fits = matches!(url.scheme(), "http" | "https") && url.host_str().is_some_and(|host| !host.is_empty());
    if fits { Ok(url) } else { Err(invalid()) }
}

pub fn check_address(address: &str) -> Result<()> {
    if is_address(address) { Ok(()) } else { Err(Error::illegal_argument("Invalid email address")) }
}

/// Whether a text is one address of a mail: `local@domain.tld` or `local@[address]`. Nothing that could end a line or begin another
/// address gets through.
fn is_address(address: &str) -> bool {
    let Some((local, domain)) = address.rsplit_once('@') else { return false };
    address.len() <= ADDRESS_BYTES_MAX && (is_dotted_atoms(local) || is_quoted(local)) && is_domain(domain)
}

fn is_dotted_atoms(local: &str) -> bool {
    let atom = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+/=?^_`{|}~-".contains(c);
    local.split('.').all(|part| !part.is_empty() && part.chars().all(atom))
}

fn is_quoted(local: &str) -> bool {
    let Some(inner) = local.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else { return false };
    !inner.is_empty() && inner.chars().all(|c| c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '<' | '>'))
}

fn is_domain(domain: &str) -> bool {
    if let Some(literal) = domain.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let v6 = literal.strip_prefix("IPv6:");
        return literal.parse::<Ipv4Addr>().is_ok() || v6.is_some_and(|text| text.parse::<Ipv6Addr>().is_ok());
    }
    let label = |label: &str| {
        let inner = |c: char| c.is_ascii_alphanumeric() || c == '-';
        !label.is_empty() && label.chars().all(inner) && !label.starts_with('-') && !label.ends_with('-')
    };
    domain.contains('.') && domain.split('.').all(label)
}

/// The name or address of a server, without a port.
pub fn check_host(host: &str) -> Result<()> {
    if host.is_empty() {
        return Err(Error::illegal_argument("host is null or empty"));
    }
    let fits = |c: char| c.is_ascii_alphanumeric() || ".-_:[]".contains(c);
    if host.chars().all(fits) { Ok(()) } else { Err(Error::illegal_argument(format!("Invalid host [{host}]"))) }
}

/// A region stands in the names of hosts.
pub fn check_region(region: &str) -> Result<()> {
    if region.is_empty() {
        return Err(Error::illegal_argument("awsRegion is null or empty"));
    }
    let fits = region.len() <= 32 && region.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    if fits { Ok(()) } else { Err(Error::illegal_argument(format!("Invalid AWS region: {region}"))) }
}

/// What a topic's ARN says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicArn<'a> {
    /// `aws`, or `aws-cn` and its like.
    pub partition: &'a str,
    pub region: &'a str,
    pub topic: &'a str,
}

/// What a topic's ARN says, if it is one that messages can be published to.
pub fn parse_topic_arn(arn: &str) -> Option<TopicArn<'_>> {
    let Arn { partition, service: "sns", region, resource } = Arn::parse(arn)? else { return None };
    let of_aws = partition == "aws" || partition.starts_with("aws-");
    (of_aws && check_region(region).is_ok()).then_some(TopicArn { partition, region, topic: resource })
}

pub fn check_topic_arn(arn: &str) -> Result<()> {
    match Arn::parse(arn) {
        Some(_) => Ok(()),
        None => Err(Error::illegal_argument(format!("Invalid AWS SNS topic ARN: {arn}"))),
    }
}

pub fn check_role_arn(arn: &str) -> Result<()> {
    match Arn::parse(arn) {
        Some(_) => Ok(()),
        None => Err(Error::illegal_argument(format!("Invalid AWS role ARN: {arn} "))),
    }
}

/// `arn:<partition>:<service>:<region>:<account>:<resource>`. Whether there is such a service is found out when it is asked.
struct Arn<'a> {
    partition: &'a str,
    service: &'a str,
    region: &'a str,
    resource: &'a str,
}

impl<'a> Arn<'a> {
    fn parse(arn: &'a str) -> Option<Self> {
        let parts: Vec<&str> = arn.splitn(6, ':').collect();
        let ["arn", partition, service, region, account, resource] = parts[..] else { return None };
        let plain = |part: &str| part.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        let fits =
            !resource.is_empty() && resource.chars().all(|c| c.is_ascii_alphanumeric() || "_+=,.@-/:".contains(c));
        let named = [partition, service].iter().all(|part| !part.is_empty() && plain(part));
        (fits && named && plain(region) && plain(account)).then_some(Self { partition, service, region, resource })
    }
}

/// A header that a webhook wants to be sent. Those that frame the request are not for it to say.
pub fn check_header(name: &str, value: &str) -> Result<()> {
    let token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    if name.is_empty() || !name.chars().all(token) {
        return Err(Error::illegal_argument(format!("Invalid name of a header [{}]", name.escape_debug())));
    }
    if value.chars().any(char::is_control) {
        return Err(Error::illegal_argument(format!("Invalid value of the header [{name}]")));
    }
    const FRAMING: &[&str] =
        &["host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer", "expect"];
    if FRAMING.iter().any(|framing| framing.eq_ignore_ascii_case(name)) {
        return Err(Error::illegal_argument(format!("header_params cannot set the header [{name}]")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_mails() {
        for good in ["a@b.co", "a.b+c@x-y.example.org", "\"a(b\"@b.co", "a@[10.0.0.1]", "a@[IPv6:::1]"] {
            assert!(is_address(good), "{good}");
        }
        for bad in [
            "",
            "a",
            "a@b",
            "@b.co",
            "a.@b.co",
            "a@b.co\r\nBcc: c@d.co",
            "a@-b.co",
            "a b@c.de",
            "a@b..co",
            "é@b.co",
            "<a@b.co>",
        ] {
            assert!(!is_address(bad), "{bad}");
        }
    }

    #[test]
    fn urls_and_what_is_none() {
        assert_eq!(parse_url("https://a.b:8443/x?y=1#z").unwrap().port_or_known_default(), Some(8443));
        for bad in
            ["", "sample", "ftp://a", "https://", "http://a b", "http://a\r\nb", "file:///etc/passwd", "http://a:99999"]
        {
            assert!(parse_url(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn arns() {
        let topic = parse_topic_arn("arn:aws-cn:sns:cn-north-1:012345678912:t.fifo").unwrap();
        assert_eq!(topic, TopicArn { partition: "aws-cn", region: "cn-north-1", topic: "t.fifo" });
        for other in
            ["arn:aws:sqs:us-east-1:012345678912:t", "arn:other:sns:us-east-1:012345678912:t", "arn:aws:sns::1:t"]
        {
            assert!(check_topic_arn(other).is_ok() && parse_topic_arn(other).is_none(), "{other}");
        }
        for bad in
            ["", "t", "arn:aws:sns:us-east-1:012345678912:", "arn:aws:sns:evil.example/:012345678912:t", "arn:::::t"]
        {
            assert_eq!(check_topic_arn(bad).unwrap_err().reason(), format!("Invalid AWS SNS topic ARN: {bad}"));
        }
        assert!(check_role_arn("arn:aws:iam::012345678912:role/a-b").is_ok());
        assert_eq!(check_role_arn("role").unwrap_err().reason(), "Invalid AWS role ARN: role ");
    }

    #[test]
    fn headers_cannot_bring_others_along() {
        assert!(check_header("X-Key", "a b").is_ok());
        for (name, value) in [("X Key", ""), ("", "a"), ("X", "a\r\nY: b"), ("Host", "a"), ("content-length", "1")] {
            assert!(check_header(name, value).is_err(), "{name}");
        }
        assert!(check_id("sample_config-id+/").is_ok() && check_id("~!").is_err() && check_id("").is_err());
    }
}
