//! Values that have a form of their own.

use super::map::Setting;
use super::row::Kind;
use super::units::parse_bytes;
use pith_engine::json::{Value, java_text};
use pith_engine::{Error, ErrorKind, Result};
use std::net::IpAddr;

/// `false`, or a range such as `0-1` or `0-all`.
pub fn auto_expand_replicas(key: &str, text: &str) -> Result<()> {
    range_of_copies(key, text, "Replicas")
}

/// As [`auto_expand_replicas`].
pub fn auto_expand_search_replicas(key: &str, text: &str) -> Result<()> {
    range_of_copies(key, text, "SearchReplicas")
}

fn range_of_copies(key: &str, text: &str, copies: &str) -> Result<()> {
    if text == "false" {
        return Ok(());
    }
    let Some((low, high)) = text.split_once('-') else {
        return Err(Error::illegal_argument(format!("failed to parse [{key}] from value: [{text}] at index -1")));
    };
    let bad = |at: usize, part: &str| {
        Error::illegal_argument(format!("failed to parse [{key}] from value: [{text}] at index {at}"))
            .caused_by(Error::new(ErrorKind::NumberFormat, format!("For input string: \"{part}\"")))
    };
    let least: u32 = low.parse().map_err(|_| bad(low.len(), low))?;
    if high == "all" {
        return Ok(());
    }
    let most: u32 = high.parse().map_err(|_| bad(low.len(), high))?;
    if least > most {
        return Err(Error::illegal_argument(format!(
            "[{key}] min{copies} must be =< max{copies} but wasn't {least} > {most}"
        )));
    }
    Ok(())
}

/// `all` or a number of copies.
pub fn wait_for_active_shards(_key: &str, text: &str) -> Result<()> {
    crate::settings::ActiveShards::parse(text).map(drop)
}

const MINUTE_MS: i64 = 60_000;

/// `use-context`, `unlimited`, or a rate such as `150/5m`.
pub fn compilations_rate(key: &str, text: &str) -> Result<()> {
    if matches!(text, "use-context" | "unlimited") {
        return Ok(());
    }
    let malformed = || {
        Error::illegal_argument(format!(
            "parameter must contain a positive integer and a timevalue, i.e. 10/1m, but was [{text}]"
        ))
    };
    let (count, time) = text.split_once('/').ok_or_else(malformed)?;
    let count: i32 = count.parse().map_err(|_| {
        Error::illegal_argument(format!("could not parse [{count}] as integer in value [{text}]"))
            .caused_by(Error::new(ErrorKind::NumberFormat, format!("For input string: \"{count}\"")))
    })?;
    let time_ms = super::units::parse_time_ms(key, time)?;
    if count < 0 {
        return Err(Error::illegal_argument(format!("rate [{count}] must be positive")));
    }
    if time_ms <= 0 {
        return Err(Error::illegal_argument(format!("time value [{time}] must be positive")));
    }
    if time_ms < MINUTE_MS {
        return Err(Error::illegal_argument(format!(
            "time value [{time}] must be at least on a one minute resolution"
        )));
    }
    Ok(())
}

/// `true`, `false`, or patterns of indexes, each perhaps with a sign.
pub fn auto_create_index(key: &str, text: &str) -> Result<()> {
    if matches!(text.to_ascii_lowercase().as_str(), "true" | "false" | "") {
        return Ok(());
    }
    let wrong = |what: String| {
        let no_flag =
            Error::illegal_argument(format!("Failed to parse value [{text}] as only [true] or [false] are allowed."));
        let bare = Error::illegal_argument(format!("Can't parse [{text}] for setting [{key}] must {what}"));
        Err(bare.with_suppressed(std::iter::once(no_flag)))
    };
    for item in text.split(',').map(str::trim) {
        match item {
            "" => return wrong("be either [true, false, or a comma separated list of index patterns]".to_owned()),
            "+" | "-" => return wrong(format!("contain an index name after [{item}]")),
            _ => {}
        }
    }
    Ok(())
}

/// How much of a document a slow log line shows: `true`, `false` or a number of characters.
pub fn slowlog_source(_key: &str, text: &str) -> Result<()> {
    if matches!(text, "true" | "false") || text.parse::<i32>().is_ok() {
        return Ok(());
    }
    Err(Error::illegal_argument(format!("Failed to parse value [{text}] as only [true] or [false] are allowed.")))
}

/// By documents or by whole segments, written so.
pub fn replication_type(_key: &str, text: &str) -> Result<()> {
    match text {
        "DOCUMENT" | "SEGMENT" => Ok(()),
        _ => Err(Error::illegal_argument(format!("Could not parse ReplicationStrategy for [{text}]"))),
    }
}

pub fn fielddata_cache(_key: &str, text: &str) -> Result<()> {
    match text {
        "node" | "none" => Ok(()),
        _ => Err(Error::illegal_argument(format!("failed to parse [{text}] must be one of [node,none]"))),
    }
}

/// `true`, `false` or a share from 0 to 1.
pub fn compound_format(_key: &str, text: &str) -> Result<()> {
    if matches!(text, "true" | "false") {
        return Ok(());
    }
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(()),
        Ok(share) => Err(Error::illegal_argument(format!(
            "NoCFSRatio must be in the interval [0..1] but was: [{}]",
            java_text(&Value::Float(share))
        ))),
        Err(_) => Err(Error::illegal_argument(format!(
            "Expected a boolean or a value in the interval [0..1] but was: [{text}]"
        ))
        .caused_by(Error::new(ErrorKind::NumberFormat, format!("For input string: \"{text}\"")))),
    }
}

/// How deep fields may nest at most, whatever an index says.
pub fn depth_limit(key: &str, text: &str) -> Result<()> {
    limit_below(key, text, 1_000, "depth.max")
}

/// How long the name of a field may be at most, whatever an index says.
pub fn field_name_length_limit(key: &str, text: &str) -> Result<()> {
    limit_below(key, text, 50_000, "name.length.max")
}

/// A limit of an index that cannot go beyond what the reader of JSON takes.
fn limit_below(key: &str, text: &str, most: i64, property: &str) -> Result<()> {
    Kind::Long(1, i64::MAX).check(key, &Setting::from(text))?;
    if text.parse::<i64>().is_ok_and(|limit| limit <= most) {
        return Ok(());
    }
    Err(Error::illegal_argument(format!(
        "The provided value {text} of the index setting '{key}' exceeds per-JVM configured limit of {most}. Please change the setting value or increase per-JVM limit using 'opensearch.xcontent.{property}' system property."
    )))
}

pub fn expunge_deletes_allowed(key: &str, text: &str) -> Result<()> {
    Kind::Float(0.0, f64::INFINITY).check(key, &Setting::from(text))?;
    match text.trim().parse::<f64>() {
        Ok(share) if share > 100.0 => Err(Error::illegal_argument(format!(
            "forceMergeDeletesPctAllowed must be between 0.0 and 100.0 inclusive (got {})",
            java_text(&Value::Float(share))
        ))),
        _ => Ok(()),
    }
}

/// Megabytes as merge policies are told of them.
fn megabytes(key: &str, text: &str) -> Result<f64> {
    Ok(parse_bytes(key, text)? as f64 / 1024.0 / 1024.0)
}

pub fn floor_segment(key: &str, text: &str) -> Result<()> {
    match megabytes(key, text)? {
        size if size > 0.0 => Ok(()),
        size => {
            let size = java_text(&Value::Float(size));
            Err(Error::illegal_argument(format!("floorSegmentMB must be > 0.0 (got {size})")))
        }
    }
}

pub fn max_merged_segment(key: &str, text: &str) -> Result<()> {
    match megabytes(key, text)? {
        size if size >= 0.0 => Ok(()),
        size => {
            let size = java_text(&Value::Float(size));
            Err(Error::illegal_argument(format!("maxMergedSegmentMB must be >=0 (got {size})")))
        }
    }
}

/// Node filters; those by address must be addresses, in which `*` may stand for anything.
pub fn ip_filter(key: &str, text: &str) -> Result<()> {
    let by_address = ["._ip", "._host_ip", "._publish_ip"].iter().any(|end| key.ends_with(end));
    if !by_address {
        return Ok(());
    }
    for address in text.split(',').map(str::trim).filter(|part| !part.is_empty() && !part.contains('*')) {
        if address.parse::<IpAddr>().is_err() {
            return Err(Error::illegal_argument(format!("invalid IP address [{address}] for [{key}]")));
        }
    }
    Ok(())
}

/// How many primaries one node may hold: only clusters that keep their segments elsewhere limit these by themselves.
pub fn total_primary_shards(key: &str, text: &str) -> Result<()> {
    Kind::Int(-1, i64::from(i32::MAX)).check(key, &Setting::from(text))?;
    if text == "-1" {
        return Ok(());
    }
    let named = match key.starts_with("index.") {
        true => "[index.routing.allocation.total_primary_shards_per_node] or [index.routing.allocation.total_remote_capable_primary_shards_per_node]".to_owned(),
        false => format!("[{key}]"),
    };
    Err(Error::illegal_argument(format!("Setting {named} can only be used with remote store enabled clusters")))
}

pub fn context_aware(key: &str, text: &str) -> Result<()> {
    Kind::Bool.check(key, &Setting::from(text))?;
    match text {
        "true" => Err(Error::illegal_argument(
            "FeatureFlag opensearch.experimental.feature.context_aware.migration.enabled must be enabled to set this property to true",
        )),
        _ => Ok(()),
    }
}

pub fn ingestion_error_strategy(_key: &str, text: &str) -> Result<()> {
    if ["drop", "block"].iter().any(|word| word.eq_ignore_ascii_case(text)) {
        return Ok(());
    }
    let class = "org.opensearch.indices.pollingingest.IngestionErrorStrategy.ErrorStrategy";
    let cause = Error::illegal_argument(format!("No enum constant {class}.{}", text.to_uppercase()));
    Err(Error::illegal_argument(format!("Invalid ingestion errorStrategy: {text}")).caused_by(cause))
}

/// A count, with or without the `L` of the specification's default.
pub fn snapshot_threshold(key: &str, text: &str) -> Result<()> {
    match text.strip_suffix(['L', 'l']).unwrap_or(text).parse::<i64>() {
        Ok(count) if count >= 1 => Ok(()),
        Ok(_) => {
            Err(Error::illegal_argument(format!("Failed to parse value [{text}] for setting [{key}] must be >= 1")))
        }
        Err(_) => Err(Error::illegal_argument(format!("Failed to parse value [{text}] for setting [{key}]"))
            .caused_by(Error::new(ErrorKind::NumberFormat, format!("For input string: \"{text}\"")))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        for good in ["false", "0-1", "1-all"] {
            assert!(auto_expand_replicas("k", good).is_ok(), "{good}");
        }
        for bad in ["x", "a-1", "2-1", "0-x"] {
            assert!(auto_expand_replicas("k", bad).is_err(), "{bad}");
        }
        assert!(compilations_rate("k", "150/5m").is_ok());
        assert!(compilations_rate("k", "x/5m").is_err());
        assert!(ip_filter("a._ip", "10.0.0.*,127.0.0.1").is_ok());
        assert!(ip_filter("a._ip", "x").is_err());
        assert!(snapshot_threshold("k", "5L").is_ok());
        assert!(total_primary_shards("k", "-1").is_ok());
        assert!(["-2", "x", "0", "3"].iter().all(|text| total_primary_shards("k", text).is_err()));
        let reason = |result: Result<()>| result.map_or_else(|error| error.reason().to_owned(), |()| "ok".to_owned());
        assert_eq!(reason(floor_segment("k", "16mb")), "ok");
        assert_eq!(reason(floor_segment("k", "0")), "floorSegmentMB must be > 0.0 (got 0.0)");
        assert_eq!(reason(max_merged_segment("k", "-1")), "maxMergedSegmentMB must be >=0 (got -9.5367431640625E-7)");
        assert_eq!(reason(depth_limit("k", "1000")), "ok");
        assert!(reason(depth_limit("k", "1001")).contains("exceeds per-JVM configured limit of 1000."));
        assert_eq!(reason(depth_limit("k", "0")), "Failed to parse value [0] for setting [k] must be >= 1");
        assert_eq!(
            reason(expunge_deletes_allowed("k", "101")),
            "forceMergeDeletesPctAllowed must be between 0.0 and 100.0 inclusive (got 101.0)"
        );
        for good in ["", "TRUE", "false", "+a,-b*", "a, b"] {
            assert!(auto_create_index("k", good).is_ok(), "{good}");
        }
        for bad in ["a,", ",a", "+", "a,-"] {
            assert!(auto_create_index("k", bad).is_err(), "{bad}");
        }
    }
}
