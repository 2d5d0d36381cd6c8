//! `Locale`: names of languages and countries. What depends on one are the marks of numbers alone; texts are English.

use super::super::class::{ClassRow, Row};
use super::super::error::{Failed, Outcome, throw};
use super::super::value::{Data, Value};
use super::super::vm::Vm;
use super::args::text;
use super::number_format::locale;

/// Longest name that is taken.
const LENGTH_MAX: usize = 100;

fn new(vm: &mut Vm, parts: &[&str]) -> Outcome {
    if parts.iter().map(|part| part.len()).sum::<usize>() > LENGTH_MAX {
        return Err(throw("IllegalArgumentException", "a locale's name is too long"));
    }
    let language = parts[0].to_lowercase();
    let country = parts.get(1).map_or(String::new(), |country| country.to_uppercase());
    let variant = parts.get(2).copied().unwrap_or_default();
    let name = match (country.is_empty(), variant.is_empty()) {
        (true, true) => language,
        (_, true) => format!("{language}_{country}"),
        _ => format!("{language}_{country}_{variant}"),
    };
    vm.alloc(Data::Locale(name.into()))
}

/// Language, country or variant.
fn part(value: &Value, at: usize) -> Result<&str, Failed> {
    Ok(locale(value)?.splitn(3, '_').nth(at).unwrap_or_default())
}

/// Languages by their two letters: three letters, and the name.
const LANGUAGES: &[(&str, &str, &str)] = &[
    ("ar", "ara", "Arabic"),
    ("cs", "ces", "Czech"),
    ("da", "dan", "Danish"),
    ("de", "deu", "German"),
    ("el", "ell", "Greek"),
    ("en", "eng", "English"),
    ("es", "spa", "Spanish"),
    ("fi", "fin", "Finnish"),
    ("fr", "fra", "French"),
    ("he", "heb", "Hebrew"),
    ("hi", "hin", "Hindi"),
    ("hu", "hun", "Hungarian"),
    ("id", "ind", "Indonesian"),
    ("it", "ita", "Italian"),
    ("ja", "jpn", "Japanese"),
    ("ko", "kor", "Korean"),
    ("nl", "nld", "Dutch"),
    ("pl", "pol", "Polish"),
    ("pt", "por", "Portuguese"),
    ("ro", "ron", "Romanian"),
    ("ru", "rus", "Russian"),
    ("sv", "swe", "Swedish"),
    ("th", "tha", "Thai"),
    ("tr", "tur", "Turkish"),
    ("uk", "ukr", "Ukrainian"),
    ("vi", "vie", "Vietnamese"),
    ("zh", "zho", "Chinese"),
];

/// Countries the same way.
const COUNTRIES: &[(&str, &str, &str)] = &[
    ("AR", "ARG", "Argentina"),
    ("AT", "AUT", "Austria"),
    ("AU", "AUS", "Australia"),
    ("BE", "BEL", "Belgium"),
    ("BR", "BRA", "Brazil"),
    ("CA", "CAN", "Canada"),
    ("CH", "CHE", "Switzerland"),
    ("CN", "CHN", "China"),
    ("DE", "DEU", "Germany"),
    ("DK", "DNK", "Denmark"),
    ("ES", "ESP", "Spain"),
    ("FI", "FIN", "Finland"),
    ("FR", "FRA", "France"),
    ("GB", "GBR", "United Kingdom"),
    ("IE", "IRL", "Ireland"),
    ("IN", "IND", "India"),
    ("IT", "ITA", "Italy"),
    ("JP", "JPN", "Japan"),
    ("KR", "KOR", "South Korea"),
    ("MX", "MEX", "Mexico"),
    ("NL", "NLD", "Netherlands"),
    ("NO", "NOR", "Norway"),
    ("PL", "POL", "Poland"),
    ("PT", "PRT", "Portugal"),
    ("RU", "RUS", "Russia"),
    ("SE", "SWE", "Sweden"),
    ("TR", "TUR", "Türkiye"),
    ("TW", "TWN", "Taiwan"),
    ("US", "USA", "United States"),
];

fn known<'n>(table: &'n [(&str, &'n str, &'n str)], code: &str) -> Option<&'n (&'n str, &'n str, &'n str)> {
    table.iter().find(|row| row.0 == code)
}

fn display<'n>(table: &'n [(&str, &'n str, &'n str)], code: &'n str) -> &'n str {
    known(table, code).map_or(code, |row| row.2)
}

fn display_name(vm: &mut Vm, a: &[Value]) -> Outcome {
    let (language, country) = (display(LANGUAGES, part(&a[0], 0)?), display(COUNTRIES, part(&a[0], 1)?));
    let shown = match (language, country) {
        (language, "") => language.to_owned(),
        ("", country) => country.to_owned(),
        (language, country) => format!("{language} ({country})"),
    };
    vm.string(shown)
}

/// The code of three letters.
fn three(vm: &mut Vm, table: &[(&str, &'static str, &'static str)], code: &str, of: &str) -> Outcome {
    match (code, table.iter().find(|row| row.0 == code)) {
        ("", _) => vm.string(""),
        (_, Some(row)) => vm.string(row.1),
        _ => Err(throw("MissingResourceException", format!("Couldn't find 3-letter {of} code for {code}"))),
    }
}

macro_rules! constants {
    ($($name:literal = $value:expr),* $(,)?) => {
        &[$(Row(concat!("static Locale ", $name), |vm, _| new(vm, &$value))),*]
    };
}

const CONSTANTS: &[Row] = constants!(
    "ROOT" = [""],
    "ENGLISH" = ["en"],
    "FRENCH" = ["fr"],
    "GERMAN" = ["de"],
    "ITALIAN" = ["it"],
    "JAPANESE" = ["ja"],
    "KOREAN" = ["ko"],
    "CHINESE" = ["zh"],
    "US" = ["en", "US"],
    "UK" = ["en", "GB"],
    "CANADA" = ["en", "CA"],
    "CANADA_FRENCH" = ["fr", "CA"],
    "FRANCE" = ["fr", "FR"],
    "GERMANY" = ["de", "DE"],
    "ITALY" = ["it", "IT"],
    "JAPAN" = ["ja", "JP"],
    "KOREA" = ["ko", "KR"],
    "CHINA" = ["zh", "CN"],
    "PRC" = ["zh", "CN"],
    "SIMPLIFIED_CHINESE" = ["zh", "CN"],
    "TAIWAN" = ["zh", "TW"],
    "TRADITIONAL_CHINESE" = ["zh", "TW"],
);

const LOCALE: &[Row] = &[
    Row("new(String)", |vm, a| new(vm, &[&text(&a[0])?])),
    Row("new(String,String)", |vm, a| new(vm, &[&text(&a[0])?, &text(&a[1])?])),
    Row("new(String,String,String)", |vm, a| new(vm, &[&text(&a[0])?, &text(&a[1])?, &text(&a[2])?])),
    Row("static Locale getDefault()", |vm, _| new(vm, &["en"])),
    Row("static Locale forLanguageTag(String)", |vm, a| {
        let tag = text(&a[0])?;
        let mut parts = tag.split('-').filter(|part| !part.eq_ignore_ascii_case("und"));
        let language = parts.next().unwrap_or_default();
        let country = parts.find(|part| part.len() == 2).unwrap_or_default();
        new(vm, &[language, country])
    }),
    Row("String getLanguage()", |vm, a| vm.string(part(&a[0], 0)?)),
    Row("String getCountry()", |vm, a| vm.string(part(&a[0], 1)?)),
    Row("String getVariant()", |vm, a| vm.string(part(&a[0], 2)?)),
    Row("String getScript()", |vm, _| vm.string("")),
    Row("String getDisplayLanguage()", |vm, a| vm.string(display(LANGUAGES, part(&a[0], 0)?))),
    Row("String getDisplayCountry()", |vm, a| vm.string(display(COUNTRIES, part(&a[0], 1)?))),
    Row("String getDisplayName()", display_name),
    Row("String getISO3Country()", |vm, a| three(vm, COUNTRIES, part(&a[0], 1)?, "country")),
    Row("String getISO3Language()", |vm, a| three(vm, LANGUAGES, part(&a[0], 0)?, "language")),
    Row("String toLanguageTag()", |vm, a| match locale(&a[0])? {
        "" => vm.string("und"),
        name => vm.string(name.replace('_', "-")),
    }),
    Row("def clone()", |_, a| Ok(a[0].clone())),
];

pub const CLASSES: &[ClassRow] = &[
    ClassRow::new("java.util.LocalesByName", &[], CONSTANTS),
    ClassRow::new("java.util.Locale", &["LocalesByName"], LOCALE),
];
