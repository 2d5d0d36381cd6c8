//! What Java's methods say of an argument that is null, each in words of its own: of what they ask of it, and by what name.

use super::super::class::{Method, registry};
use super::super::error::{Failed, UNTOLD_NULL};
use super::super::value::Value;

/// A method by its class (any, where none is named), its name and the number of its parameters; which of them is null, from zero on;
/// and what is said, if anything.
type Told = (&'static str, &'static str, usize, usize, Option<&'static str>);

#[rustfmt::skip]
const TOLD: &[Told] = &[
    ("String", "contains", 1, 0, Some("Cannot invoke \"java.lang.CharSequence.toString()\" because \"s\" is null")),
    ("String", "compareTo", 1, 0, Some("Cannot read field \"value\" because \"anotherString\" is null")),
    ("String", "compareToIgnoreCase", 1, 0, Some("Cannot read field \"value\" because \"s2\" is null")),
    ("String", "startsWith", 1, 0, Some("Cannot invoke \"String.length()\" because \"prefix\" is null")),
    ("String", "endsWith", 1, 0, Some("Cannot invoke \"String.length()\" because \"suffix\" is null")),
    ("String", "indexOf", 1, 0, Some("Cannot invoke \"String.coder()\" because \"str\" is null")),
    ("String", "lastIndexOf", 1, 0, Some("Cannot read field \"value\" because \"tgtStr\" is null")),
    ("String", "concat", 1, 0, Some("Cannot invoke \"String.isEmpty()\" because \"str\" is null")),
    ("String", "replace", 2, 0, Some("Cannot invoke \"java.lang.CharSequence.toString()\" because \"target\" is null")),
    ("String", "replace", 2, 1, Some("Cannot invoke \"java.lang.CharSequence.toString()\" because \"replacement\" is null")),
    ("String", "join", 2, 0, None),
    ("String", "join", 2, 1, None),
    ("ArrayList", "new", 1, 0, Some("Cannot invoke \"java.util.Collection.toArray()\" because \"c\" is null")),
    ("HashSet", "new", 1, 0, Some("Cannot invoke \"java.util.Collection.size()\" because \"c\" is null")),
    ("StringBuilder", "new", 1, 0, Some("Cannot invoke \"java.lang.CharSequence.length()\" because \"seq\" is null")),
    ("BigDecimal", "new", 1, 0, Some("Cannot invoke \"String.toCharArray()\" because \"val\" is null")),
    ("Collections", "sort", 1, 0, Some("Cannot invoke \"java.util.List.sort(java.util.Comparator)\" because \"list\" is null")),
    ("UUID", "fromString", 1, 0, Some("Cannot invoke \"String.length()\" because \"name\" is null")),
    ("Pattern", "matcher", 1, 0, Some("Cannot invoke \"java.lang.CharSequence.length()\" because \"this.wrapped\" is null")),
    ("ZoneId", "of", 1, 0, Some("zoneId")),
    ("DateTimeFormatter", "ofPattern", 1, 0, Some("pattern")),
    ("ChronoLocalDate", "isBefore", 1, 0, Some("Cannot invoke \"java.time.chrono.ChronoLocalDate.toEpochDay()\" because \"other\" is null")),
    ("ChronoLocalDate", "isAfter", 1, 0, Some("Cannot invoke \"java.time.chrono.ChronoLocalDate.toEpochDay()\" because \"other\" is null")),
    ("ChronoZonedDateTime", "isBefore", 1, 0, Some("Cannot invoke \"java.time.chrono.ChronoZonedDateTime.toEpochSecond()\" because \"other\" is null")),
    ("ChronoZonedDateTime", "isAfter", 1, 0, Some("Cannot invoke \"java.time.chrono.ChronoZonedDateTime.toEpochSecond()\" because \"other\" is null")),
    ("Duration", "between", 2, 0, Some("Cannot invoke \"java.time.temporal.Temporal.until(java.time.temporal.Temporal, java.time.temporal.TemporalUnit)\" because \"startInclusive\" is null")),
    ("", "ofInstant", 2, 0, Some("instant")),
    ("", "ofInstant", 2, 1, Some("zone")),
    ("", "parse", 1, 0, Some("text")),
    ("", "parse", 2, 0, Some("text")),
    ("", "parse", 2, 1, Some("formatter")),
    ("", "addAll", 1, 0, Some("Cannot invoke \"java.util.Collection.toArray()\" because \"c\" is null")),
    ("", "putAll", 1, 0, Some("Cannot invoke \"java.util.Map.size()\" because \"m\" is null")),
    ("", "containsAll", 1, 0, Some("Cannot invoke \"java.util.Collection.iterator()\" because \"c\" is null")),
    ("", "removeAll", 1, 0, None),
    ("", "retainAll", 1, 0, None),
    ("", "valueOf", 1, 0, Some("Name is null")),
];

/// A failure of a method in the method's own words, if it failed because of null and nothing was said of that yet.
#[cold]
pub fn told_of_null(method: &Method, args: &[Value], mut failed: Failed) -> Failed {
    // What failed in a function that it was given has a place already.
    let untold = failed.at.is_none() && failed.message.as_deref() == Some(UNTOLD_NULL);
    let given = args.len().checked_sub(method.params.len()).and_then(|object| args.get(object..));
    let Some(at) = given.filter(|_| untold).and_then(|given| given.iter().position(Value::is_null)) else {
        return failed;
    };
    let class = registry().class(method.class).simple;
    let known = TOLD.iter().find(|(of, name, arity, which, _)| {
        (of.is_empty() || *of == class) && *name == method.name && *arity == method.params.len() && *which == at
    });
    if let Some((.., said)) = known {
        failed.message = said.map(str::to_owned);
    }
    failed
}
