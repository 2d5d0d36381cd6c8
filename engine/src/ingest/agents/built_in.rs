//! The lists of the uap-core project (`regexes.yml`, Apache License 2.0), as the reference has them.
//!
//! The file is read line by line, which takes less than reading YAML: it has one list item, one key and one text in single quotes on a
//! line. That it says the same to a reader of all of YAML is tested where there is one.

use super::Patterns;
use super::pattern::Pattern;
use std::borrow::Cow;

const FILE: &str = include_str!("regexes.yml");

pub fn read() -> Patterns {
    let mut patterns = Patterns::default();
    let (mut list, mut item) = ("", Vec::new());
    for line in FILE.lines() {
        let text = line.trim_start();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        if let Some(name) = line.strip_suffix(':') {
            finish(&mut patterns, list, &mut item);
            list = name;
            continue;
        }
        let entry = match text.strip_prefix("- ") {
            Some(entry) => {
                finish(&mut patterns, list, &mut item);
                entry
            }
            None => text,
        };
        item.extend(entry.split_once(':').map(|(key, text)| (key, unquote(text.trim()))));
    }
    finish(&mut patterns, list, &mut item);
    patterns
}

/// Adds an item to its list.
fn finish(patterns: &mut Patterns, list: &str, item: &mut Vec<(&'static str, Cow<'static, str>)>) {
    let text = |key: &str| item.iter().find(|(known, _)| *known == key).map(|(_, text)| text.clone());
    if let (Some(pattern), Some(own)) = (Pattern::new(list, text), patterns.list(list)) {
        own.push(pattern);
    }
    item.clear();
}

fn unquote(text: &'static str) -> Cow<'static, str> {
    let inner = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')).unwrap_or(text);
    if inner.contains("''") { Cow::Owned(inner.replace("''", "'")) } else { Cow::Borrowed(inner) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_items_are_read_and_can_be_compiled() {
        let patterns = read();
        let lists = [&patterns.programs, &patterns.systems, &patterns.devices];
        let items = FILE.lines().filter(|line| line.trim_start().starts_with("- regex:")).count();
        assert_eq!(lists.map(Vec::len).iter().sum::<usize>(), items);
        assert!(lists.iter().all(|list| list.len() > 100), "{:?}", lists.map(Vec::len));
        for pattern in lists.into_iter().flatten() {
            pattern.check().unwrap();
        }
    }
}
