//! The rows of the interface's tables for update by query, tasks, put mapping and cluster settings: each parameter, field, limit and
//! rule has a case here. (Each setting of the cluster has its row in `tests/settings.rs`.)
//!
//! What is expected was taken from the reference. `PITH_ROWS_URL=127.0.0.1:PORT cargo test --test rows` runs the cases against
//! whatever is there (all its indexes are deleted!), which is how a case is tried out; those where the interface's documents
//! overrule the reference are marked and passed over then.

#[path = "rows/allocation.rs"]
mod allocation;
#[path = "rows/calls.rs"]
mod calls;
#[path = "rows/changes.rs"]
mod changes;
#[path = "rows/cluster_settings.rs"]
mod cluster_settings;
#[path = "rows/documents.rs"]
mod documents;
#[path = "rows/drawn.rs"]
mod drawn;
#[path = "rows/field_options.rs"]
mod field_options;
#[path = "rows/fields_asked.rs"]
mod fields_asked;
#[path = "rows/hits.rs"]
mod hits;
#[path = "rows/options.rs"]
mod options;
#[path = "rows/parameters.rs"]
mod parameters;
#[path = "rows/put_mapping.rs"]
mod put_mapping;
#[path = "rows/query_bodies.rs"]
mod query_bodies;
#[path = "rows/reads.rs"]
mod reads;
#[path = "rows/search.rs"]
mod search;
#[path = "rows/search_bodies.rs"]
mod search_bodies;
mod support;
#[path = "rows/surface.rs"]
mod surface;
#[path = "rows/tasks.rs"]
mod tasks;
#[path = "rows/update_by_query.rs"]
mod update_by_query;

use serde_json::Value;
use support::{Client, Node, Response, TempDir};

/// One row of a table.
pub struct Case {
    pub row: &'static str,
    /// `METHOD /path`
    pub request: &'static str,
    pub body: &'static str,
    pub status: u16,
    /// Places of the answer, as JSON pointers in which `*` is the only entry whatever its name, and what stands there; `*` for anything,
    /// `-` for nothing.
    pub answer: &'static [(&'static str, &'static str)],
    /// What is true afterwards: a request, a place of its answer, and what stands there.
    pub then: &'static [(&'static str, &'static str, &'static str)],
    /// Whether the reference answers otherwise, and the interface's documents overrule it.
    pub overruled: bool,
}

pub const fn case(
    row: &'static str,
    request: &'static str,
    body: &'static str,
    status: u16,
    answer: &'static [(&'static str, &'static str)],
) -> Case {
    Case { row, request, body, status, answer, then: &[], overruled: false }
}

impl Case {
    pub const fn then(mut self, then: &'static [(&'static str, &'static str, &'static str)]) -> Self {
        self.then = then;
        self
    }

    pub const fn overruled(mut self) -> Self {
        self.overruled = true;
        self
    }
}

/// Whoever answers: a node of this build, or what `PITH_ROWS_URL` names.
pub enum Server {
    Own(Node, TempDir),
    Other(std::net::SocketAddr),
}

impl Server {
    pub fn start(name: &str) -> Self {
        if let Ok(address) = std::env::var("PITH_ROWS_URL") {
            return Self::Other(address.parse().expect("PITH_ROWS_URL is ADDRESS:PORT"));
        }
        let folder = TempDir::new(name);
        let node = Node::start(folder.path(), &["-E", "action.destructive_requires_name=false"]);
        Self::Own(node, folder)
    }

    pub fn is_reference(&self) -> bool {
        matches!(self, Self::Other(_))
    }

    /// `METHOD /path` with a body.
    pub fn ask(&self, request: &str, body: &str) -> Response {
        let (method, path) = request.split_once(' ').expect("METHOD /path");
        match self {
            Self::Own(node, _) => node.request(method, path, body.as_bytes()),
            Self::Other(address) => Client::connect(*address)
                .and_then(|mut client| client.request(method, path, body.as_bytes()))
                .unwrap_or_else(|error| panic!("{request}: {error}")),
        }
    }

    /// A connection to it.
    pub fn client(&self) -> Client {
        let address = match self {
            Self::Own(node, _) => node.addr,
            Self::Other(address) => *address,
        };
        Client::connect(address).expect("it takes connections")
    }

    pub fn ok(&self, request: &str, body: &str) -> Value {
        let response = self.ask(request, body);
        let shown = String::from_utf8_lossy(&response.body).into_owned();
        assert!(response.status < 300, "{request}: {} {shown}", response.status);
        response.json()
    }

    /// Runs the cases, each after `setup`, which gives names their values; tells all that fail.
    pub fn run(&self, cases: &[Case], setup: impl Fn(&Self) -> Vec<(&'static str, String)>) {
        let mut failed = vec![];
        for case in cases.iter().filter(|case| !(case.overruled && self.is_reference())) {
            let names = setup(self);
            let named =
                |text: &str| names.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value));
            let request = named(case.request);
            let response = self.ask(&request, case.body);
            let answer: Value = serde_json::from_slice(&response.body).unwrap_or(Value::Null);
            let mut wrong = vec![];
            if response.status != case.status {
                wrong.push(format!("status {} instead of {}", response.status, case.status));
            }
            for (place, expected) in case.answer {
                wrong.extend(differs(&answer, &named(place), &named(expected)));
            }
            for (request, place, expected) in case.then {
                let after = self.ask(&named(request), "");
                let after: Value = serde_json::from_slice(&after.body).unwrap_or(Value::Null);
                let differs = differs(&after, &named(place), &named(expected));
                wrong.extend(differs.map(|what| format!("then {request}: {what}")));
            }
            if !wrong.is_empty() {
                let wrong = wrong.join("\n  ");
                failed.push(format!("{}: {request} {}\n  {wrong}\n  {answer}", case.row, case.body));
            }
        }
        assert!(failed.is_empty(), "{} of {} rows fail:\n{}", failed.len(), cases.len(), failed.join("\n"));
    }
}

fn differs(answer: &Value, place: &str, expected: &str) -> Option<String> {
    let found = match place.split_once("/*/") {
        None => answer.pointer(place),
        Some((above, below)) => {
            let only = answer.pointer(above).and_then(Value::as_object).and_then(|named| named.values().next());
            only.and_then(|only| only.pointer(&format!("/{below}")))
        }
    };
    let same = match (found, expected) {
        (None, "-") | (Some(_), "*") => true,
        (None, _) | (Some(_), "-") => false,
        (Some(found), expected) => {
            let expected: Value = serde_json::from_str(expected).unwrap_or_else(|error| panic!("{expected}: {error}"));
            *found == expected
        }
    };
    (!same).then(|| format!("{place} is {}, not {expected}", found.map_or("absent".to_owned(), Value::to_string)))
}

/// All rows of a table are named by cases.
pub fn assert_covers(cases: &[Case], rows: &[&str]) {
    let missing: Vec<&&str> = rows.iter().filter(|row| !cases.iter().any(|case| case.row == **row)).collect();
    assert!(missing.is_empty(), "rows without a case: {missing:?}");
}
