//! What zones are called for short: `EST`, `CET`. A name of summer or winter stands for the zone, whose clocks tell which of them it is.
//!
//! A name that many zones have stands for the one that the reference takes it for.

use super::items::Names;
use super::zone::{OffsetStyle, Zone, parse_offset};

/// Who has a name.
#[derive(Clone, Copy, PartialEq)]
enum In {
    /// Every language, and none.
    All,
    /// Languages.
    Any,
    English,
}

static ZONES: &[(&str, &[(&str, In)])] = &[
    ("Africa/Johannesburg", &[("SAST", In::Any)]),
    ("Africa/Lagos", &[("WAT", In::Any)]),
    ("Africa/Maputo", &[("CAT", In::Any)]),
    ("Africa/Nairobi", &[("EAT", In::Any)]),
    ("America/Anchorage", &[("AKDT", In::Any), ("AKST", In::Any)]),
    ("America/Chicago", &[("CDT", In::Any), ("CST", In::Any), ("CT", In::Any)]),
    ("America/Denver", &[("MDT", In::Any), ("MST", In::Any), ("MT", In::Any)]),
    ("America/Halifax", &[("ADT", In::English), ("AST", In::Any)]),
    ("America/Los_Angeles", &[("PDT", In::Any), ("PST", In::Any), ("PT", In::Any)]),
    ("America/New_York", &[("EDT", In::All), ("EST", In::All), ("ET", In::All)]),
    ("America/St_Johns", &[("NDT", In::Any), ("NST", In::Any), ("NT", In::Any)]),
    ("Asia/Hong_Kong", &[("HKT", In::Any)]),
    ("Asia/Jakarta", &[("WIB", In::Any)]),
    ("Asia/Jayapura", &[("WIT", In::Any)]),
    ("Asia/Jerusalem", &[("IDT", In::Any)]),
    ("Asia/Karachi", &[("PKT", In::Any)]),
    ("Asia/Makassar", &[("WITA", In::Any)]),
    ("Asia/Seoul", &[("KST", In::Any)]),
    ("Asia/Tokyo", &[("JST", In::Any)]),
    ("Atlantic/Canary", &[("WEST", In::Any)]),
    ("Atlantic/Reykjavik", &[("BST", In::Any), ("IST", In::Any)]),
    ("Australia/Adelaide", &[("ACDT", In::Any), ("ACST", In::Any), ("ACT", In::Any)]),
    ("Australia/Perth", &[("AWST", In::Any)]),
    ("Australia/Sydney", &[("AEDT", In::Any), ("AEST", In::Any), ("AET", In::Any)]),
    ("Europe/Bucharest", &[("EEST", In::All)]),
    ("Europe/Moscow", &[("MSK", In::All)]),
    ("Europe/Paris", &[("CEST", In::Any)]),
    ("Pacific/Auckland", &[("NZDT", In::Any), ("NZST", In::Any)]),
    ("Pacific/Honolulu", &[("HDT", In::English), ("HST", In::Any)]),
    ("Pacific/Pago_Pago", &[("SST", In::Any)]),
];

/// The region that is called so.
pub fn region(name: &str, names: Names) -> Option<&'static str> {
    let known = |who: In| match who {
        In::All => true,
        In::Any => names != Names::Root,
        In::English => names == Names::English,
    };
    let (region, _) = ZONES.iter().find(|(_, called)| called.iter().any(|(own, who)| *own == name && known(*who)))?;
    Some(region)
}

/// Whether what looks like an offset, with or without a name of Greenwich's time before it, is written as names of zones have it: hours and
/// minutes, with a colon.
pub fn is_zone_id(text: &[u8]) -> bool {
    let before = [&b"UTC"[..], b"GMT", b"UT"].into_iter().find(|name| text.starts_with(name)).map_or(0, <[u8]>::len);
    let offset = &text[before..];
    !offset.starts_with(b"+") && !offset.starts_with(b"-")
        || parse_offset(offset, OffsetStyle::HourColonMinuteSecond).is_some()
}

/// The zone whose short name in a language stands here.
pub fn short_zone(text: &[u8], names: Names) -> Option<(Zone, usize)> {
    let length = text.iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'_')).count();
    let region = region(std::str::from_utf8(&text[..length]).ok()?, names)?;
    Zone::parse(region).ok().map(|zone| (zone, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_for_zones() {
        assert_eq!(region("EST", Names::Root), Some("America/New_York"));
        assert_eq!((region("PST", Names::Root), region("PST", Names::English)), (None, Some("America/Los_Angeles")));
        assert_eq!(region("pst", Names::English), None);
        assert!(ZONES.iter().all(|(region, _)| Zone::parse(region).is_ok()));
    }
}
