//! Who may do what: users, roles, and what follows from them.
//!
//! - [`Store`]: everything that is kept, by section: users, roles, role mappings, action groups, tenants. `defaults`: what is there from
//!   the start and cannot be changed. `validate`: what a client may put there, with the complaints about it.
//! - [`Privileges`]: the store made ready for questions: roles with their action groups expanded, patterns compiled.
//! - [`Subject`]: one user with the roles that follow from the mappings, and the questions: may it do this to that?
//! - [`Credentials`]: passwords that were verified, remembered for a while. `password`: how passwords are hashed and which are too weak.
//! - [`acting`]: for whom the future that is polled right now works.
//!
//! What this room does not know: requests, routes, files, sockets, where a hash is computed. Whoever is asked to do something for somebody asks
//! [`acting::current`] and the subject; nobody there means that the node works for itself.

pub mod acting;
mod credentials;
mod defaults;
mod password;
mod patterns;
mod privileges;
mod store;
mod subject;
pub mod validate;

pub use acting::Acting;
pub use credentials::{Credentials, Login, Verdict};
pub use password::{DUMMY_HASH, ROUNDS, Weakness, hash, is_hash, verify, weakness};
pub use patterns::Pattern;
pub use store::{Entry, Section, Store, is as flag, texts};
pub use subject::{IndexName, Subject, is_cluster_action};

#[cfg(test)]
mod tests;
