//! Notifications: channels that messages go to, the accounts and groups that mails need, and sending a message for trial.
//!
//! - [`Config`], [`Data`]: one configuration, parsed and checked; `kind`: the types and the names that they go by; `checks`: what
//!   addresses, URLs and ARNs must look like.
//! - [`Configs`], [`Change`], [`apply`]: all of them, as the cluster keeps them, and what can be done to them.
//! - [`Viewer`]: for whom they are shown, changed and used.
//! - [`Asked`], [`find`]: lists that are filtered, sorted and paged.
//! - [`Options`]: the settings that deliveries go by. [`Deliveries`]: how many of them a core has under way.
//! - [`send_test`]: a message that is really delivered: `webhook` (chats and webhooks), `smtp`, `aws` (signed requests), with `guard`
//!   deciding on every address before anything connects to it. `message`: what is said.
//!
//! What this room does not know: requests and their routes, the state of the cluster, other cores. The state is given to it piece by
//! piece, and time comes in as an argument.

mod aws;
mod checks;
mod config;
mod data;
mod deliveries;
mod find;
mod guard;
mod kind;
mod message;
mod options;
mod send;
mod smtp;
mod status;
mod store;
mod viewer;
mod webhook;

pub use checks::check_id;
pub use config::Config;
pub use data::{Data, Email, Security, SmtpAccount, Webhook};
pub use deliveries::Deliveries;
pub use find::{Asked, FILTERS, Found, find};
pub use kind::Kind;
pub use options::Options;
pub use send::{Sending, Sent, send_test};
pub use store::{Change, Configs, Stored, apply, from_value, not_found, status, to_value};
pub use viewer::Viewer;
