//! The types of configurations.

use pith_engine::{Error, Result};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    ChatA,
    ChatB,
    Webhook,
    Email,
    Topic,
    MailServiceAccount,
    SmtpAccount,
    EmailGroup,
}

/// One type: its name, and the name that OpenSearch's own plugin has for it where that is another.
struct Row {
    kind: Kind,
    name: &'static str,
    synonym: Option<&'static str>,
    /// Whether messages can be sent to it; the others are what mails need.
    is_channel: bool,
}

const fn row(kind: Kind, name: &'static str, synonym: Option<&'static str>, is_channel: bool) -> Row {
    Row { kind, name, synonym, is_channel }
}

/// In the order in which the types are listed.
const KINDS: [Row; 8] = [
    row(Kind::ChatA, "chat_a", Some("slack"), true),
    row(Kind::ChatB, "chat_b", Some("chime"), true),
    row(Kind::Webhook, "webhook", None, true),
    row(Kind::Email, "email", None, true),
    row(Kind::Topic, "topic", Some("sns"), true),
    row(Kind::MailServiceAccount, "mail_service_account", Some("ses_account"), false),
    row(Kind::SmtpAccount, "smtp_account", None, false),
    row(Kind::EmailGroup, "email_group", None, false),
];

impl Kind {
    pub fn all() -> impl Iterator<Item = Self> {
        KINDS.iter().map(|row| row.kind)
    }

    /// The type of this name or synonym, with the name as it is kept.
    pub fn named(name: &str) -> Option<(Self, &'static str)> {
        KINDS.iter().find_map(|row| {
            let given = [Some(row.name), row.synonym].into_iter().flatten().find(|known| *known == name)?;
            Some((row.kind, given))
        })
    }

    pub fn parse(name: &str) -> Result<(Self, &'static str)> {
        Self::named(name).ok_or_else(|| {
            let names: Vec<&str> = Self::all().map(Self::name).collect();
            let reason = format!("Invalid config_type [{name}], must be one of [{}]", names.join(", "));
            Error::illegal_argument(reason)
        })
    }

    pub fn name(self) -> &'static str {
        self.row().name
    }

    pub fn synonym(self) -> Option<&'static str> {
        self.row().synonym
    }

    pub fn is_channel(self) -> bool {
        self.row().is_channel
    }

    fn row(self) -> &'static Row {
        &KINDS[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_has_its_row() {
        assert!(Kind::all().all(|kind| kind.row().kind == kind));
        assert_eq!(Kind::named("slack"), Some((Kind::ChatA, "slack")));
        assert_eq!(Kind::named("chat_a"), Some((Kind::ChatA, "chat_a")));
        assert!(
            Kind::parse("carrier_pigeon").unwrap_err().reason().starts_with("Invalid config_type [carrier_pigeon]")
        );
    }
}
