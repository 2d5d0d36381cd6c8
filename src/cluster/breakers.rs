//! What the settings of the breakers say: how many bytes each lets through, and what a byte counts.

use super::State;
use crate::settings::cluster_setting;
use crate::settings::units::parse_bytes;

/// The breakers by the beginnings of their settings, each with the name that statistics have for it.
pub const BREAKERS: [(&str, &str); 4] = [
    ("request", "indices.breaker.request"),
    ("fielddata", "indices.breaker.fielddata"),
    ("in_flight_requests", "network.breaker.inflight_requests"),
    ("parent", "indices.breaker.total"),
];

/// The bytes that a breaker lets through on a machine with so much memory.
pub fn breaker_bytes(state: &State, prefix: &str, memory_bytes: u64) -> u64 {
    let key = format!("{prefix}.limit");
    let text = value(state, &key).unwrap_or_default();
    let bytes = match text.strip_suffix('%').and_then(|percent| percent.trim().parse::<f64>().ok()) {
        Some(percent) => memory_bytes as f64 * percent / 100.0,
        // A value that is no size was refused when it was set; -1 means no bound.
        None => match parse_bytes(&key, &text).unwrap_or(-1) {
            ..0 => return u64::MAX,
            bytes => bytes as f64,
        },
    };
    bytes as u64
}

/// What a byte counts; the sum of all breakers has no such setting.
pub fn breaker_overhead(state: &State, prefix: &str) -> f64 {
    let set = value(state, &format!("{prefix}.overhead")).and_then(|text| text.parse::<f64>().ok());
    set.filter(|overhead| *overhead > 0.0).unwrap_or(1.0)
}

/// The value in force, be it the default.
fn value(state: &State, key: &str) -> Option<String> {
    state.cluster_setting(key).or_else(|| cluster_setting(key).map(|row| row.default.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    #[test]
    fn limits_are_shares_or_sizes() {
        let node = super::super::Node {
            id: "n".into(),
            ephemeral_id: "e".into(),
            name: "n".into(),
            host: "h".into(),
            ip: "h".into(),
            transport_address: "h:1".into(),
            http_address: "h:2".into(),
            roles: vec![],
            attributes: Default::default(),
            cores: 1,
        };
        let mut state = State::initial("c", node, Settings::new());
        assert_eq!(breaker_bytes(&state, "indices.breaker.request", 1000), 600);
        assert_eq!(breaker_overhead(&state, "network.breaker.inflight_requests"), 2.0);
        assert_eq!(breaker_overhead(&state, "indices.breaker.total"), 1.0);
        for (text, bytes) in [("50%", 500), ("2kb", 2048), ("-1", u64::MAX)] {
            state.transient.insert("indices.breaker.request.limit", text);
            assert_eq!(breaker_bytes(&state, "indices.breaker.request", 1000), bytes, "{text}");
        }
    }
}
