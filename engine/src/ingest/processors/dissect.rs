//! `dissect`: fields out of a text that is cut at delimiters, `%{a} - %{b}`.

use super::super::Document;
use super::super::compile::Compiler;
use super::super::config::Config;
use super::super::processor::{Processor, Work};
use crate::error::{Error, ErrorKind, Result};
use crate::java_order::java_order;
use crate::json::Value;
use ahash::{AHashMap, RandomState};
use indexmap::IndexMap;
use std::collections::BTreeSet;

struct Dissect {
    field: String,
    pattern: Pattern,
    append_separator: String,
    ignore_missing: bool,
}

pub fn build(config: &mut Config, _: &mut Compiler<'_>) -> Result<Work> {
    let field = config.text("field")?;
    let text = config.text("pattern")?;
    let append_separator = config.text_or("append_separator", "")?;
    let ignore_missing = config.flag("ignore_missing", false)?;
    Ok(Work::Simple(Box::new(Dissect { field, pattern: Pattern::parse(&text)?, append_separator, ignore_missing })))
}

impl Processor for Dissect {
    fn run(&self, doc: &mut Document, _: i64) -> Result<()> {
        let Some(text) = doc.text(&self.field, self.ignore_missing)? else {
            if self.ignore_missing {
                return Ok(());
            }
            return Err(Error::illegal_argument(format!("field [{}] is null, cannot process it.", self.field)));
        };
        let Some(found) = self.pattern.dissect(text, &self.append_separator) else {
            let reason =
                format!("Unable to find match for dissect pattern: {} against source: {text}", self.pattern.text);
            return Err(Error::new(ErrorKind::DissectMatch, reason));
        };
        for (name, value) in found {
            doc.set(&name, Value::String(value))?;
        }
        Ok(())
    }
}

struct Pattern {
    text: String,
    /// What a text has to begin with.
    leading: String,
    keys: Vec<Key>,
    /// How many different names there are results for.
    results: usize,
}

struct Key {
    name: String,
    kind: Kind,
    /// What follows the value; nothing for the rest of the text.
    delimiter: String,
    /// Whether the delimiter may occur several times.
    padded: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Plain,
    Skip,
    /// Values of one name are put together, by the number or in the order in which they come.
    Append(Option<u32>),
    /// The value is the name of a field …
    FieldName,
    /// … and this is its value.
    FieldValue,
}

impl Pattern {
    fn parse(text: &str) -> Result<Self> {
        let failed = |reason: &str| {
            Error::new(ErrorKind::DissectPattern, format!("Unable to parse pattern: {text} Reason: {reason}"))
        };
        let nothing = || failed("Unable to find any keys or delimiters.");
        let start = text.find("%{").ok_or_else(nothing)?;
        let mut keys = vec![];
        let mut rest = &text[start..];
        while let Some(inner) = rest.strip_prefix("%{") {
            let Some((key, after)) = inner.split_once('}') else { break };
            let end = after.find("%{").unwrap_or(after.len());
            keys.push(Key::parse(key, &after[..end]).map_err(|reason| {
                Error::new(ErrorKind::DissectKey, format!("Unable to parse key: {key} Reason: {reason}"))
            })?);
            rest = &after[end..];
        }
        if keys.is_empty() {
            return Err(nothing());
        }
        // A name that is appended to anywhere is appended to everywhere.
        let is_append = |key: &&Key| matches!(key.kind, Kind::Append(_));
        let appended: BTreeSet<String> = keys.iter().filter(is_append).map(|key| key.name.clone()).collect();
        for key in keys.iter_mut().filter(|key| key.kind == Kind::Plain && appended.contains(&key.name)) {
            key.kind = Kind::Append(None);
        }
        check_references(&keys).map_err(|name| {
            failed(&format!(
                "Found invalid key/reference associations: '{name}' Please ensure each '*<key>' is matched with a matching \
                 '&<key>"
            ))
        })?;
        let named = keys.iter().filter(|key| key.kind != Kind::Skip).map(|key| key.name.as_str());
        let results = named.collect::<BTreeSet<_>>().len();
        if results == 0 {
            return Err(nothing());
        }
        Ok(Self { text: text.to_owned(), leading: text[..start].to_owned(), keys, results })
    }

    /// The values by name, or `None` if the text is not of this form.
    fn dissect(&self, text: &str, append_separator: &str) -> Option<IndexMap<String, String, RandomState>> {
        let values = self.values(text)?;
        let mut results: IndexMap<String, String, RandomState> = IndexMap::default();
        let mut appended: IndexMap<&str, Vec<(i64, &str)>, RandomState> = IndexMap::default();
        let mut of_names: AHashMap<&str, &str> = AHashMap::new();
        for (key, value) in self.keys.iter().zip(&values).filter(|(key, _)| key.kind == Kind::FieldValue) {
            of_names.entry(&key.name).or_insert(value);
        }
        for (at, (key, value)) in self.keys.iter().zip(&values).enumerate() {
            match key.kind {
                Kind::Skip | Kind::FieldValue => {}
                Kind::Plain => drop(results.insert(key.name.clone(), (*value).to_owned())),
                Kind::Append(order) => {
                    // What has no number comes before all that has.
                    let place = order.map_or(at as i64 - (1 << 40), i64::from);
                    appended.entry(&key.name).or_default().push((place, *value));
                }
                Kind::FieldName => {
                    let of_name = of_names.get(key.name.as_str())?;
                    results.insert((*value).to_owned(), (*of_name).to_owned());
                }
            }
        }
        for (name, mut parts) in appended {
            parts.sort_by_key(|(order, _)| *order);
            let parts: Vec<&str> = parts.into_iter().map(|(_, part)| part).collect();
            results.insert(name.to_owned(), parts.join(append_separator));
        }
        (results.len() == self.results).then_some(results)
    }

    /// The values of all keys.
    fn values<'t>(&self, text: &'t str) -> Option<Vec<&'t str>> {
        if text.len() <= self.leading.len() {
            return None;
        }
        let mut rest = text.strip_prefix(self.leading.as_str())?;
        let mut values = Vec::with_capacity(self.keys.len());
        let mut keys = self.keys.iter();
        let mut key = keys.next()?;
        loop {
            let delimiter = key.delimiter.as_str();
            if delimiter.is_empty() {
                // Only the last key takes the rest of the text.
                values.push(rest);
                break;
            }
            let at = rest.find(delimiter)?;
            values.push(&rest[..at]);
            rest = &rest[at + delimiter.len()..];
            // Delimiters that follow at once stand for keys without a value, or for padding.
            let mut next = keys.next();
            let mut padded = key.padded;
            let mut delimiter = delimiter;
            while let Some(after) = rest.strip_prefix(delimiter) {
                if !padded {
                    let Some(empty) = next else { break };
                    values.push("");
                    (delimiter, padded) = (&empty.delimiter, empty.padded);
                    next = keys.next();
                    if delimiter.is_empty() {
                        rest = after;
                        break;
                    }
                }
                rest = after;
            }
            match next {
                Some(next) => key = next,
                None => break,
            }
        }
        (values.len() == self.keys.len()).then_some(values)
    }
}

impl Key {
    fn parse(text: &str, delimiter: &str) -> Result<Self, &'static str> {
        const NAMELESS: &str = "The key name could be determined";
        let (text, padded) = match text.strip_suffix("->") {
            Some(text) => (text, true),
            None => (text, false),
        };
        let has = |modifier: char| text.contains(modifier);
        let appends = has('+') || has('/');
        if [appends, has('*'), has('&'), has('?')].iter().filter(|found| **found).count() > 1 {
            return Err("multiple modifiers are not allowed.");
        }
        let behind = |modifier: char| text.strip_prefix(modifier).ok_or(NAMELESS);
        let (kind, name) = match () {
            () if has('?') || text.is_empty() => (Kind::Skip, text.trim_start_matches('?')),
            () if has('*') => (Kind::FieldName, behind('*')?),
            () if has('&') => (Kind::FieldValue, behind('&')?),
            () if has('/') => {
                let (name, order) = behind('+')?.rsplit_once('/').ok_or(NAMELESS)?;
                (Kind::Append(Some(order.parse().map_err(|_| NAMELESS)?)), name)
            }
            () if has('+') => (Kind::Append(None), behind('+')?),
            () => (Kind::Plain, text),
        };
        if name.is_empty() && kind != Kind::Skip {
            return Err(NAMELESS);
        }
        Ok(Self { name: name.to_owned(), kind, delimiter: delimiter.to_owned(), padded })
    }
}

/// Each name of a field's name has to occur as that of its value, and the other way round; gives one that does not.
fn check_references(keys: &[Key]) -> Result<(), String> {
    let references: Vec<&str> = keys
        .iter()
        .filter(|key| matches!(key.kind, Kind::FieldName | Kind::FieldValue))
        .map(|key| key.name.as_str())
        .collect();
    // The reference counts them alone: two of one kind are a pair too, of which no field comes.
    let is_pair = |name: &&str| references.iter().filter(|other| *other == name).count() == 2;
    let mut names = references.clone();
    names.sort_unstable();
    names.dedup();
    // It has them in a hash map, and tells of the first name that is wrong there.
    match java_order(names).into_iter().find(|name| !is_pair(name)) {
        None => Ok(()),
        Some(wrong) => Err(references.into_iter().filter(|name| *name == wrong).collect::<Vec<_>>().join(",")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dissected(pattern: &str, text: &str) -> String {
        match Pattern::parse(pattern).unwrap().dissect(text, "") {
            Some(found) => found.into_iter().map(|(name, value)| format!("{name}={value};")).collect(),
            None => "no match".to_owned(),
        }
    }

    #[test]
    fn dissects() {
        for (pattern, text, expected) in [
            ("%{a} %{b}", "x y z", "a=x;b=y z;"),
            ("%{a},%{b}", "x y", "no match"),
            ("%{a->} %{b}", "x     y", "a=x;b=y;"),
            ("%{+a} %{+a} %{b}", "1 2 3", "b=3;a=12;"),
            ("%{+a/2} %{+a/1}", "1 2", "a=21;"),
            ("%{a} %{+a} %{b}", "1 2 3", "b=3;a=12;"),
            ("%{+a/1} %{+a} %{a}", "1 2 3", "a=231;"),
            ("%{a?} %{b}", "1 2", "b=2;"),
            ("%{?x} %{b}", "1 2", "b=2;"),
            ("%{*k}=%{&k}", "a=b", "a=b;"),
            ("%{}-%{b}", "1-2", "b=2;"),
            ("[%{a}] %{b}", "[1] 2", "a=1;b=2;"),
            ("%{a}%{b}", "x", "no match"),
            ("%{a} %{a}", "1 2", "a=2;"),
            ("%{a} %{b}", " y", "a=;b=y;"),
            ("%{a}- %{b}", "x- ", "a=x;b=;"),
            ("%{->} %{b}", "x   y", "b=y;"),
            ("%{a} ", "x", "no match"),
            ("%{a},%{b},%{c}", "1,,3", "a=1;b=;c=3;"),
            ("%{a} %{b}", "", "no match"),
        ] {
            assert_eq!(dissected(pattern, text), expected, "{pattern} {text}");
        }
        for (pattern, reason) in [
            ("nope", "Unable to find any keys or delimiters."),
            ("%{a/1}", "Unable to parse key: a/1 Reason: The key name could be determined"),
            ("%{a+}", "Unable to parse key: a+ Reason: The key name could be determined"),
            ("%{*a/1}", "Unable to parse key: *a/1 Reason: multiple modifiers are not allowed."),
            ("%{*k}=%{&z}", "Found invalid key/reference associations: 'z' Please"),
            ("%{*k}=%{&k}=%{&k}", "Found invalid key/reference associations: 'k,k,k' Please"),
        ] {
            let error = Pattern::parse(pattern).err().unwrap();
            assert!(error.reason().contains(reason), "{}", error.reason());
        }
    }
}
