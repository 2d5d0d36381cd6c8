//! Scripts that decide about one thing by its properties: an interval.

use super::value::Value;
use super::{Context, Limits, Script, Vm, from_json};
use crate::error::Result;
use crate::json::{Map, Value as Json};

/// A script and the machine that runs it over one thing after the other.
pub struct PropertyScript(Vm);

impl PropertyScript {
    pub fn new(script: &Script, context: &'static Context, now_ms: i64) -> Result<Self> {
        Ok(Self(script.vm(context, Limits { fuel: 1_000_000, memory_bytes: 4 << 20 }, now_ms)?))
    }

    /// Whether the script says yes to a thing with these properties.
    pub fn accepts(&mut self, properties: &[(&str, i64)]) -> Result<bool> {
        self.accepts_with(properties.iter().map(|(name, value)| (*name, Json::Int(*value))))
    }

    /// The same where properties are more than numbers.
    pub fn accepts_with<'a>(&mut self, properties: impl Iterator<Item = (&'a str, Json)>) -> Result<bool> {
        let mut map = Map::new();
        for (name, value) in properties {
            map.insert(name, value);
        }
        let vm = &mut self.0;
        let outcome = from_json(vm, &Json::Object(map)).and_then(|thing| vm.execute(&[thing]));
        let result = match outcome {
            Ok(value) => Ok(matches!(value, Value::Bool(true))),
            Err(failed) => Err(vm.to_error(&failed)),
        };
        vm.reset();
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::context::INTERVAL;

    #[test]
    fn intervals_have_properties() {
        let script = Script::new("interval.start > 3 && interval.gaps == 0", "painless", Json::Object(Map::new()));
        let mut script = PropertyScript::new(&script, &INTERVAL, 0).unwrap();
        assert!(script.accepts(&[("start", 4), ("end", 5), ("gaps", 0)]).unwrap());
        assert!(!script.accepts(&[("start", 3), ("end", 5), ("gaps", 0)]).unwrap());
    }
}
