//! Users, roles and what belongs to them: `_plugins/_security`.
//!
//! - `account`: who somebody is: `authinfo`, `api/permissionsinfo`, `api/account`. `health`: whether security is up.
//! - `entries`: `api/internalusers`, `api/roles`, `api/rolesmapping`, `api/actiongroups`, `api/tenants`: one way for all.
//! - `change`: what is checked of an entry before it is kept. `patch`: JSON patches. `answers`: the form of what is answered.
//!
//! All paths are known under `_opendistro/_security` too.

mod account;
mod answers;
mod change;
mod entries;
mod health;
mod patch;

use super::Route;

pub const ROUTES: &[&[Route]] = &[account::ROUTES, entries::ROUTES, health::ROUTES];

#[cfg(test)]
mod tests {
    use super::super::route::Found;
    use super::super::{Method, Router, routes};

    #[test]
    fn without_security_its_paths_are_nobodys() {
        let found = |is_secured| Router::new(&routes(is_secured)).find(Method::Get, "/_plugins/_security/authinfo");
        assert!(matches!(found(true), Found::Route(..)));
        assert!(matches!(found(false), Found::Nothing));
    }
}
