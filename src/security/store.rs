//! Everything that is kept of users and roles. An entry is a JSON object in the form in which it is shown; what it means is worked out
//! once, in [`Privileges`].

use super::defaults;
use super::privileges::Privileges;
use pith_engine::json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What kinds of entries there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    Users,
    Roles,
    Mappings,
    Groups,
    Tenants,
}

impl Section {
    pub const ALL: [Self; 5] = [Self::Users, Self::Roles, Self::Mappings, Self::Groups, Self::Tenants];

    /// As in the path of the interface.
    pub fn name(self) -> &'static str {
        match self {
            Self::Users => "internalusers",
            Self::Roles => "roles",
            Self::Mappings => "rolesmapping",
            Self::Groups => "actiongroups",
            Self::Tenants => "tenants",
        }
    }

    /// What one entry is called.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Users => "user",
            Self::Roles => "role",
            Self::Mappings => "rolesmapping",
            Self::Groups => "actiongroup",
            Self::Tenants => "tenant",
        }
    }
}

/// One user, role, mapping, group or tenant.
pub type Entry = Arc<Map>;

/// All entries, those that are there from the start included.
#[derive(Clone)]
pub struct Store {
    sections: [Arc<BTreeMap<String, Entry>>; 5],
    privileges: Arc<Privileges>,
}

impl PartialEq for Store {
    fn eq(&self, other: &Self) -> bool {
        self.sections == other.sections
    }
}

impl std::fmt::Debug for Store {
    /// Hashes of passwords are nobody's business.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let counts = Section::ALL.map(|section| (section.name(), self.section(section).len()));
        f.debug_struct("Store").field("entries", &counts).finish()
    }
}

impl Store {
    /// What a cluster begins with: the user `admin`, whose password has this hash.
    pub fn initial(admin_hash: &str) -> Self {
        let mut sections: [BTreeMap<String, Entry>; 5] = Default::default();
        for (section, name, entry) in defaults::initial(admin_hash) {
            sections[section as usize].insert(name, Arc::new(entry));
        }
        Self::of(sections)
    }

    fn of(mut sections: [BTreeMap<String, Entry>; 5]) -> Self {
        for (section, name, entry) in defaults::statics() {
            sections[section as usize].insert(name, Arc::new(entry));
        }
        let sections = sections.map(Arc::new);
        Self { privileges: privileges(&sections), sections }
    }

    pub fn section(&self, section: Section) -> &BTreeMap<String, Entry> {
        &self.sections[section as usize]
    }

    pub fn get(&self, section: Section, name: &str) -> Option<&Entry> {
        self.section(section).get(name)
    }

    pub fn privileges(&self) -> &Arc<Privileges> {
        &self.privileges
    }

    /// The store with these entries of a section in place of those that it had; static ones stay.
    pub fn with(&self, section: Section, entries: BTreeMap<String, Entry>) -> Self {
        let mut entries = entries;
        let statics = defaults::statics().filter(|(of, ..)| *of == section);
        entries.extend(statics.map(|(_, name, entry)| (name, Arc::new(entry))));
        let mut changed = self.clone();
        changed.sections[section as usize] = Arc::new(entries);
        // Users, mappings and tenants do not change what a role allows.
        if matches!(section, Section::Roles | Section::Groups) {
            changed.privileges = privileges(&changed.sections);
        }
        changed
    }

    /// The hash of a user's password.
    pub fn hash_of(&self, user: &str) -> Option<&str> {
        self.get(Section::Users, user)?.get("hash")?.as_str().filter(|hash| !hash.is_empty())
    }

    /// What is kept of it: all but what is there from the start.
    pub fn to_value(&self) -> Value {
        let shown = Section::ALL.map(|section| {
            let kept = self.section(section).iter().filter(|(_, entry)| !is(entry, "static"));
            let entries: Map = kept.map(|(name, entry)| (name.as_str(), (**entry).clone())).collect();
            (section.name(), Value::Object(entries))
        });
        Value::Object(Map::from_iter(shown))
    }

    /// What [`Store::to_value`] made.
    pub fn from_value(value: &Value) -> Option<Self> {
        let mut sections: [BTreeMap<String, Entry>; 5] = Default::default();
        for section in Section::ALL {
            for (name, entry) in value.get(section.name())?.as_object()?.iter() {
                sections[section as usize].insert(name.to_owned(), Arc::new(entry.as_object()?.clone()));
            }
        }
        Some(Self::of(sections))
    }
}

fn privileges(sections: &[Arc<BTreeMap<String, Entry>>; 5]) -> Arc<Privileges> {
    Arc::new(Privileges::new(&sections[Section::Roles as usize], &sections[Section::Groups as usize]))
}

/// Whether a flag of an entry is set.
pub fn is(entry: &Map, flag: &str) -> bool {
    entry.get(flag).and_then(Value::as_bool) == Some(true)
}

/// The texts of a list in an entry.
pub fn texts<'e>(entry: &'e Map, key: &str) -> impl Iterator<Item = &'e str> {
    entry.get(key).and_then(Value::as_array).unwrap_or_default().iter().filter_map(Value::as_str)
}
