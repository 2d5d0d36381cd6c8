//! Names of months, days, quarters, eras and halves of days in the languages of the Unicode CLDR, as Java shows them.
//!
//! `languages.txt` has a line for each language, and behind these one for countries that say some of it otherwise:
//!
//! ```text
//! de<TAB>Januar;Februar;…|<full, standing alone>|Jan.;Feb.;…|…
//! en GB IE<TAB>2=Jan;Feb;…|18=am;pm
//! ```
//!
//! Columns are those of [`column`]. One that is empty is the same as the one before.

use super::items::{TextField, Width};
use std::collections::BTreeMap;
use std::sync::LazyLock;

const TABLE: &str = include_str!("languages.txt");
const COLUMNS: usize = 22;

/// The names of one language, or of what a country makes of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Language([Vec<&'static str>; COLUMNS]);

/// By language, or language and country with `_` between them.
static LANGUAGES: LazyLock<BTreeMap<String, Language>> = LazyLock::new(read);

impl Language {
    /// The names for a locale whose parts are joined by `_` or `-`; none if its language is not known.
    pub fn of_locale(locale: &str) -> Option<&'static Self> {
        let mut parts = locale.split(['_', '-']);
        let language = parts.next().unwrap_or_default();
        let of_country = parts.next().and_then(|country| LANGUAGES.get(&format!("{language}_{country}")));
        of_country.or_else(|| LANGUAGES.get(language))
    }

    pub fn name(&self, field: TextField, at: usize, width: Width) -> &'static str {
        self.0[column(field, width)][at]
    }
}

/// Months, days and quarters have six columns each: full, short and narrow names, each among other parts of a date and alone. Halves of
/// days have one, eras three.
fn column(field: TextField, width: Width) -> usize {
    let width = match width {
        Width::Full => 0,
        Width::FullAlone => 1,
        Width::Short => 2,
        Width::ShortAlone => 3,
        Width::Narrow => 4,
        Width::NarrowAlone => 5,
    };
    match field {
        TextField::Month => width,
        TextField::DayOfWeek => 6 + width,
        TextField::Quarter => 12 + width,
        TextField::HalfDay | TextField::DayPeriod => 18,
        TextField::Era => 19 + width / 2,
    }
}

fn read() -> BTreeMap<String, Language> {
    let mut known: BTreeMap<String, Language> = BTreeMap::new();
    for line in TABLE.lines() {
        let Some((tags, names)) = line.split_once('\t') else { continue };
        let of_countries = tags.split_once(' ').filter(|(_, next)| next.starts_with(|c: char| c.is_ascii_uppercase()));
        let Some((own, countries)) = of_countries else {
            let language = whole(names);
            known.extend(tags.split(' ').map(|tag| (tag.to_owned(), language.clone())));
            continue;
        };
        let Some(mut language) = known.get(own).cloned() else { continue };
        for (at, names) in names.split('|').filter_map(|column| column.split_once('=')) {
            if let Some(column) = at.parse().ok().and_then(|at: usize| language.0.get_mut(at)) {
                *column = names.split(';').collect();
            }
        }
        known.extend(countries.split(' ').map(|country| (format!("{own}_{country}"), language.clone())));
    }
    known
}

/// All columns of a language.
fn whole(names: &'static str) -> Language {
    let (mut given, mut before) = (names.split('|'), vec![]);
    Language(std::array::from_fn(|_| {
        match given.next() {
            Some("") | None => {}
            Some(names) => before = names.split(';').collect(),
        }
        before.clone()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_every_name() {
        assert!(LANGUAGES.len() > 300, "{}", LANGUAGES.len());
        let counts = [[12; 6], [7; 6], [4; 6]].concat().into_iter().chain([2; 4]).collect::<Vec<usize>>();
        for (tag, language) in LANGUAGES.iter() {
            let lengths: Vec<usize> = language.0.iter().map(Vec::len).collect();
            assert_eq!(lengths, counts, "{tag}");
        }
    }

    #[test]
    fn countries_have_names_of_their_own() {
        let month =
            |locale: &str, width| Language::of_locale(locale).map(|names| names.name(TextField::Month, 0, width));
        assert_eq!(month("de", Width::Full), Some("Januar"));
        assert_eq!(month("de_DE", Width::Full), Some("Januar"));
        assert_eq!(month("de_AT", Width::Full), Some("Jänner"));
        assert_eq!(month("ru", Width::Full), Some("января"));
        assert_eq!(month("ru-RU", Width::FullAlone), Some("январь"));
        assert_eq!(month("aa", Width::Full), None);
    }
}
