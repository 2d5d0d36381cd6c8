//! What the scripts of a core's requests ask for: stored scripts, and leave to compile.

use crate::cluster::State;
use crate::observe::Facts;
use crate::settings::units::parse_time_ms;
use pith_engine::json::{Value, java_text};
use pith_engine::script::{ScriptHost, StoredSource};
use pith_engine::{Error, ErrorKind, Result};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// A state, and the node that it is the state of.
pub struct CoreScripts {
    pub state: Arc<State>,
    pub facts: Arc<Facts>,
}

const RATE: &str = "script.max_compilations_rate";

impl ScriptHost for CoreScripts {
    fn stored(&self, id: &str) -> Option<StoredSource> {
        self.state.scripts.get(id).map(|script| StoredSource {
            lang: script.lang.clone(),
            source: script.source.clone(),
            options: (!script.options.is_empty()).then(|| java_text(&Value::Object(script.options.clone()))),
        })
    }

    fn admit(&self, lang: &str, source: &str) -> Result<()> {
        let switch = "script.disable_max_compilations_rate";
        if self.state.cluster_setting(switch).as_deref() == Some("true") {
            return Ok(());
        }
        let rate = self.state.cluster_setting(RATE).unwrap_or_else(|| "150/5m".to_owned());
        let Some((count, period_ms)) = parse_rate(&rate) else { return Ok(()) };
        let mut hasher = DefaultHasher::new();
        (lang, source).hash(&mut hasher);
        let now_ns = u64::try_from(self.facts.started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        match self.facts.compilations.admit(hasher.finish(), now_ns, count, period_ms.saturating_mul(1_000_000)) {
            true => Ok(()),
            false => Err(Error::new(
                ErrorKind::CircuitBreaking,
                format!(
                    "[script] Too many dynamic script compilations within, max: [{rate}]; please use indexed, or scripts with parameters instead; this limit can be changed by the [{RATE}] setting"
                ),
            )
            .with("bytes_wanted", 0)
            .with("bytes_limit", 0)
            .with("durability", "TRANSIENT")),
        }
    }
}

/// How many in how many milliseconds; `None` where there is no limit for all scripts together.
fn parse_rate(text: &str) -> Option<(u64, u64)> {
    let (count, time) = text.split_once('/')?;
    let ms = parse_time_ms(RATE, time).ok()?;
    Some((count.parse().ok()?, ms.max(1).unsigned_abs()))
}
