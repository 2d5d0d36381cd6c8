//! What clients know of what they have asked for.

use std::collections::BTreeMap;

/// What something is called: `doc a/3`, `index x1`, `mapping x1 m2`. What it is: nothing, or a text.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    known: BTreeMap<String, Fate>,
    made: u64,
    /// Answers that a node without faults does not give.
    pub refused: Vec<String>,
    pub acknowledged: u64,
}

/// What something may be.
#[derive(Clone, Debug, Default)]
struct Fate {
    acknowledged: Option<String>,
    /// What was begun since, and not acknowledged.
    begun: Vec<Option<String>>,
}

impl Memory {
    /// A number that was never given before.
    pub fn number(&mut self) -> u64 {
        self.made += 1;
        self.made
    }

    /// Something is about to be made into `value`.
    pub fn begin(&mut self, name: &str, value: Option<&str>) {
        self.known.entry(name.to_owned()).or_default().begun.push(value.map(str::to_owned));
    }

    /// What was begun last has happened, for certain.
    pub fn done(&mut self, name: &str, value: Option<&str>) {
        self.acknowledged += 1;
        let fate = self.known.entry(name.to_owned()).or_default();
        *fate = Fate { acknowledged: value.map(str::to_owned), begun: vec![] };
    }

    /// What was begun last has been refused, for certain: it has changed nothing.
    pub fn refused(&mut self, name: &str) {
        self.known.entry(name.to_owned()).or_default().begun.pop();
    }

    /// Checks what was found, and takes it for what is there from now on.
    pub fn found(&mut self, name: &str, value: Option<&str>) {
        let value = value.map(str::to_owned);
        let fate = self.known.entry(name.to_owned()).or_default();
        let fits = value == fate.acknowledged || fate.begun.contains(&value);
        assert!(fits, "{name} is {value:?}, expected {fate:?}");
        *fate = Fate { acknowledged: value, begun: vec![] };
    }

    /// Whether something is there, as far as was acknowledged.
    pub fn is_there(&self, name: &str) -> bool {
        self.known.get(name).is_some_and(|fate| fate.acknowledged.is_some())
    }

    /// What is known of everything whose name begins with `prefix`: the rest of its name, and its value where it is certain.
    pub fn names(&self, prefix: &str) -> Vec<String> {
        let rest = |name: &String| name.strip_prefix(prefix).map(str::to_owned);
        self.known.keys().filter_map(rest).collect()
    }

    /// What is there for certain; the inner value is nothing where it is certain that nothing is there.
    pub fn certain(&self, name: &str) -> Option<Option<&str>> {
        match self.known.get(name) {
            None => Some(None),
            Some(fate) if fate.begun.is_empty() => Some(fate.acknowledged.as_deref()),
            Some(_) => None,
        }
    }
}
