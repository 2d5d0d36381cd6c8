//! The three watermarks of the disk: each stands above the one before it, and all are written in one way.

use crate::settings::cluster_setting;
use crate::settings::units::parse_bytes;
use pith_engine::{Error, Result};

/// What their keys begin with.
pub const PREFIX: &str = "cluster.routing.allocation.disk.watermark.";

/// Checks the watermarks as they stand; `set` has what is set.
pub fn check(set: impl Fn(&str) -> Option<String>) -> Result<()> {
    let text = |name: &str| {
        let key = format!("{PREFIX}{name}");
        let default = || cluster_setting(&key).map(|row| row.default.to_owned()).unwrap_or_default();
        (set(&key).unwrap_or_else(default), key)
    };
    let ((low, low_key), (high, high_key), (flood, flood_key)) = (text("low"), text("high"), text("flood_stage"));
    if let (Some(a), Some(b), Some(c)) = (share(&low), share(&high), share(&flood)) {
        refuse(a > b, format!("low disk watermark [{low}] more than high disk watermark [{high}]"))?;
        return refuse(b > c, format!("high disk watermark [{high}] more than flood stage disk watermark [{flood}]"));
    }
    let sizes = [(&low_key, &low), (&high_key, &high), (&flood_key, &flood)].map(|(key, text)| parse_bytes(key, text));
    match sizes {
        // What has to be left free gets less.
        [Ok(a), Ok(b), Ok(c)] => {
            refuse(a < b, format!("low disk watermark [{low}] less than high disk watermark [{high}]"))?;
            refuse(b < c, format!("high disk watermark [{high}] less than flood stage disk watermark [{flood}]"))
        }
        [a, b, c] => {
            let reason = format!(
                "unable to consistently parse [{low_key}={low}], [{high_key}={high}], and [{flood_key}={flood}] as percentage or bytes"
            );
            let mut error = Error::illegal_argument(reason);
            if let Some(cause) = [a, b, c].into_iter().find_map(|size| size.err()) {
                error = error.caused_by(cause.cause().cloned().unwrap_or(cause));
            }
            Err(error)
        }
    }
}

fn refuse(wrong: bool, reason: String) -> Result<()> {
    if wrong { Err(Error::illegal_argument(reason)) } else { Ok(()) }
}

/// How full the disk may be, between 0 and 1, if that is what the text says.
fn share(text: &str) -> Option<f64> {
    let share = match text.strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().ok()? / 100.0,
        None => text.trim().parse().ok()?,
    };
    (0.0..=1.0).contains(&share).then_some(share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_kind() {
        let reason = |low: &str, high: &str, flood: &str| {
            let given = [("low", low), ("high", high), ("flood_stage", flood)];
            let set = |key: &str| given.iter().find(|(name, text)| key.ends_with(name) && !text.is_empty());
            check(|key| set(key).map(|(_, text)| (*text).to_owned())).map_err(|error| error.reason().to_owned()).err()
        };
        assert_eq!(reason("", "", ""), None);
        assert_eq!(reason("90%", "0.9", ""), None);
        assert_eq!(reason("91%", "", "").unwrap(), "low disk watermark [91%] more than high disk watermark [90%]");
        assert_eq!(
            reason("", "96%", "").unwrap(),
            "high disk watermark [96%] more than flood stage disk watermark [95%]"
        );
        assert_eq!(reason("3gb", "2gb", "1gb"), None);
        assert_eq!(
            reason("1gb", "2gb", "1gb").unwrap(),
            "low disk watermark [1gb] less than high disk watermark [2gb]"
        );
        let mixed = "unable to consistently parse [cluster.routing.allocation.disk.watermark.low=1gb], \
             [cluster.routing.allocation.disk.watermark.high=90%], and \
             [cluster.routing.allocation.disk.watermark.flood_stage=95%] as percentage or bytes";
        assert_eq!(reason("1gb", "", "").unwrap(), mixed);
    }
}
