//! For whom configurations are shown, changed and used.

use super::config::Config;
use super::data::Data;
use super::store::{Configs, Stored, status};
use pith_engine::Result;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Viewer {
    /// Nobody is kept from anything here.
    #[default]
    Everybody,
    /// A user with these backend roles, who shares what is made by others with one of them.
    Roles(Vec<String>),
}

impl Viewer {
    pub fn may_see(&self, stored: &Stored) -> bool {
        match self {
            Self::Everybody => true,
            Self::Roles(roles) => stored.access.is_empty() || stored.access.iter().any(|role| roles.contains(role)),
        }
    }

    /// Refuses what is kept under these ids, as far as there is such a thing, unless all of it may be seen.
    pub fn check<'a>(&self, configs: &Configs, ids: impl IntoIterator<Item = &'a str>) -> Result<()> {
        for id in ids {
            if configs.get(id).is_some_and(|stored| !self.may_see(stored)) {
                return Err(status(403, format!("Permission denied for NotificationConfig {id}")));
            }
        }
        Ok(())
    }

    /// Refuses a configuration that refers to what may not be seen.
    pub fn check_references(&self, configs: &Configs, config: &Config) -> Result<()> {
        match &config.data {
            Data::Email(email) => {
                self.check(configs, [&email.account].into_iter().chain(&email.groups).map(String::as_str))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::store::tests::{config, mails};
    use super::super::store::{Change, apply};
    use super::*;

    #[test]
    fn users_share_what_is_made_with_their_backend_roles() {
        let mut configs = mails();
        for (id, access) in [("a", vec!["ops".to_owned(), "dev".to_owned()]), ("b", vec!["sales".to_owned()])] {
            let group = config(id, "email_group", r#"{"recipient_list":[]}"#);
            apply(&mut configs, Change::Create { id: id.into(), config: group, access }, 9).unwrap();
        }
        let dev = Viewer::Roles(vec!["dev".into(), "qa".into()]);
        assert!(dev.may_see(&configs["a"]) && dev.may_see(&configs["s"]) && !dev.may_see(&configs["b"]));
        assert!(dev.check(&configs, ["a", "s", "no"]).is_ok());
        let error = dev.check(&configs, ["a", "b"]).unwrap_err();
        assert_eq!((error.status(), error.reason()), (403, "Permission denied for NotificationConfig b"));
        let email = config("e", "email", r#"{"email_account_id":"s","email_group_id_list":["b"]}"#);
        assert!(dev.check_references(&configs, &email).is_err());
        assert!(Viewer::Everybody.check_references(&configs, &email).is_ok());
    }
}
