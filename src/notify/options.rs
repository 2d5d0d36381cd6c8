//! The settings that notifications go by.

use super::guard::{Guard, Rule};
use super::kind::Kind;
use std::time::Duration;

#[derive(Clone, Debug)]
pub struct Options {
    /// Which addresses chats, webhooks and signed requests may go to, and which mail servers.
    pub http: Guard,
    pub email: Guard,
    pub connect_timeout: Duration,
    /// Without progress.
    pub socket_timeout: Duration,
    /// Bytes of an answer.
    pub answer_bytes: usize,
    /// Deliveries of the node at a time, and those to one destination.
    pub connections: usize,
    pub connections_per_route: usize,
    /// Bytes of a mail, and what its headers are taken to have.
    pub email_bytes: usize,
    pub email_header_bytes: usize,
    /// Types that configurations may have, in the order of the setting.
    pub allowed: Vec<Kind>,
    pub tooltip_support: bool,
    /// Whether users see only what was made with one of their backend roles.
    pub filter_by_backend_roles: bool,
    /// Configurations in a list that does not say how many it wants.
    pub default_items: usize,
    /// Where signed requests go instead of to AWS.
    pub aws_endpoint: Option<String>,
    /// The file with the logins of mail accounts.
    pub credentials_file: Option<String>,
}

const HTTP_ALLOW: &str = "notifications.http.host_allow_list";
const EMAIL_ALLOW: &str = "notifications.email.host_allow_list";
const DENY: &str = "opensearch.notifications.core.http.host_deny_list";

impl Options {
    /// `setting` gives the value in force of a setting, `None` where it has its default.
    pub fn read(setting: impl Fn(&str) -> Option<String>) -> Self {
        let number = |key: &str, default: usize| {
            let key = format!("opensearch.notifications.{key}");
            // Values were checked when they were set.
            setting(&key).and_then(|text| text.parse().ok()).unwrap_or(default)
        };
        let list = |key: &str| {
            let items = setting(key).unwrap_or_default();
            items.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect::<Vec<_>>()
        };
        let rules = |key: &str| list(key).iter().map(|item| Rule::parse(item)).collect::<Vec<_>>();
        let guard = |allow: &'static str| Guard { allow: rules(allow), deny: rules(DENY), setting: allow };
        let allowed = list("opensearch.notifications.core.allowed_config_types");
        let allowed: Vec<Kind> = match allowed.is_empty() {
            true => Kind::all().collect(),
            false => allowed.iter().filter_map(|name| Some(Kind::named(name)?.0)).collect(),
        };
        let path = |key: &str| setting(key).filter(|text| !text.is_empty());
        Self {
            http: guard(HTTP_ALLOW),
            email: guard(EMAIL_ALLOW),
            connect_timeout: Duration::from_millis(number("core.http.connection_timeout", 5_000) as u64),
            socket_timeout: Duration::from_millis(number("core.http.socket_timeout", 50_000) as u64),
            answer_bytes: number("core.max_http_response_size", 1 << 20),
            connections: number("core.http.max_connections", 60),
            connections_per_route: number("core.http.max_connection_per_route", 20),
            email_bytes: number("core.email.size_limit", 10_000_000),
            email_header_bytes: number("core.email.minimum_header_length", 160),
            allowed,
            filter_by_backend_roles: setting("opensearch.notifications.general.filter_by_backend_roles").as_deref()
                == Some("true"),
            tooltip_support: setting("opensearch.notifications.core.tooltip_support").as_deref() != Some("false"),
            default_items: number("general.default_items_query_count", 1_000),
            aws_endpoint: path("notifications.aws.endpoint"),
            credentials_file: path("notifications.email.credentials_file"),
        }
    }

    /// Longest time of one exchange with a destination.
    pub fn exchange_timeout(&self) -> Duration {
        self.connect_timeout + self.socket_timeout
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The options that these settings make.
    pub fn options(settings: &[(&str, &str)]) -> Options {
        Options::read(|key| settings.iter().find(|(name, _)| *name == key).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn settings_are_obeyed() {
        let plain = options(&[]);
        assert_eq!((plain.connections, plain.default_items, plain.allowed.len()), (60, 1_000, 8));
        assert!(plain.tooltip_support && plain.aws_endpoint.is_none());
        let set = options(&[
            ("opensearch.notifications.core.http.connection_timeout", "100"),
            ("opensearch.notifications.core.http.socket_timeout", "200"),
            ("opensearch.notifications.core.allowed_config_types", "webhook, slack"),
            ("opensearch.notifications.core.tooltip_support", "false"),
            (HTTP_ALLOW, "127.0.0.1, *.internal"),
        ]);
        assert_eq!(set.exchange_timeout(), Duration::from_millis(300));
        assert_eq!(set.allowed, [Kind::Webhook, Kind::ChatA]);
        assert_eq!((set.http.allow.len(), set.email.allow.len(), set.tooltip_support), (2, 0, false));
    }
}
