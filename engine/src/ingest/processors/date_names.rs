//! Names of months and days in languages that dates are often written in.

use std::borrow::Cow;

/// Names in one language: long and short ones of each month and day, as Java's data have them, without their dots.
struct Language {
    code: &'static str,
    months: [&'static str; 12],
    short_months: [&'static str; 12],
    days: [&'static str; 7],
    short_days: [&'static str; 7],
}

const LONG_MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const LONG_DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

const LANGUAGES: &[Language] = &[
    Language {
        code: "en",
        months: [
            "january",
            "february",
            "march",
            "april",
            "may",
            "june",
            "july",
            "august",
            "september",
            "october",
            "november",
            "december",
        ],
        short_months: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sept", "oct", "nov", "dec"],
        days: ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"],
        short_days: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
    },
    Language {
        code: "de",
        months: [
            "januar",
            "februar",
            "märz",
            "april",
            "mai",
            "juni",
            "juli",
            "august",
            "september",
            "oktober",
            "november",
            "dezember",
        ],
        short_months: ["jan", "feb", "mär", "apr", "mai", "jun", "jul", "aug", "sept", "okt", "nov", "dez"],
        days: ["montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag"],
        short_days: ["mo", "di", "mi", "do", "fr", "sa", "so"],
    },
    Language {
        code: "fr",
        months: [
            "janvier",
            "février",
            "mars",
            "avril",
            "mai",
            "juin",
            "juillet",
            "août",
            "septembre",
            "octobre",
            "novembre",
            "décembre",
        ],
        short_months: ["janv", "févr", "mars", "avr", "mai", "juin", "juil", "août", "sept", "oct", "nov", "déc"],
        days: ["lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"],
        short_days: ["lun", "mar", "mer", "jeu", "ven", "sam", "dim"],
    },
    Language {
        code: "es",
        months: [
            "enero",
            "febrero",
            "marzo",
            "abril",
            "mayo",
            "junio",
            "julio",
            "agosto",
            "septiembre",
            "octubre",
            "noviembre",
            "diciembre",
        ],
        short_months: ["ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sept", "oct", "nov", "dic"],
        days: ["lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"],
        short_days: ["lun", "mar", "mié", "jue", "vie", "sáb", "dom"],
    },
    Language {
        code: "it",
        months: [
            "gennaio",
            "febbraio",
            "marzo",
            "aprile",
            "maggio",
            "giugno",
            "luglio",
            "agosto",
            "settembre",
            "ottobre",
            "novembre",
            "dicembre",
        ],
        short_months: ["gen", "feb", "mar", "apr", "mag", "giu", "lug", "ago", "set", "ott", "nov", "dic"],
        days: ["lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica"],
        short_days: ["lun", "mar", "mer", "gio", "ven", "sab", "dom"],
    },
    Language {
        code: "pt",
        months: [
            "janeiro",
            "fevereiro",
            "março",
            "abril",
            "maio",
            "junho",
            "julho",
            "agosto",
            "setembro",
            "outubro",
            "novembro",
            "dezembro",
        ],
        short_months: ["jan", "fev", "mar", "abr", "mai", "jun", "jul", "ago", "set", "out", "nov", "dez"],
        days: ["segunda-feira", "terça-feira", "quarta-feira", "quinta-feira", "sexta-feira", "sábado", "domingo"],
        short_days: ["seg", "ter", "qua", "qui", "sex", "sáb", "dom"],
    },
    Language {
        code: "nl",
        months: [
            "januari",
            "februari",
            "maart",
            "april",
            "mei",
            "juni",
            "juli",
            "augustus",
            "september",
            "oktober",
            "november",
            "december",
        ],
        short_months: ["jan", "feb", "mrt", "apr", "mei", "jun", "jul", "aug", "sep", "okt", "nov", "dec"],
        days: ["maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag", "zondag"],
        short_days: ["ma", "di", "wo", "do", "vr", "za", "zo"],
    },
];

fn language_of(locale: &str) -> Option<&'static Language> {
    let code = locale.split(['-', '_']).next().unwrap_or_default();
    LANGUAGES.iter().find(|language| code.eq_ignore_ascii_case(language.code))
}

/// Whether a locale's language has names here; others are read as if there was none.
pub(super) fn is_known(locale: &str) -> bool {
    language_of(locale).is_some()
}

/// The text with the names of a locale's language as the date formats know them, long or short ones. `mar` is a month where
/// it can be both.
pub(super) fn to_english<'t>(text: &'t str, locale: &str, long: bool) -> Cow<'t, str> {
    let Some(language) = language_of(locale) else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let end = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
        if end == 0 {
            out.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let (word, after) = rest.split_at(end);
        rest = after;
        match language.english(&word.to_lowercase(), long) {
            Some(english) => {
                out.push_str(english);
                rest = rest.strip_prefix('.').unwrap_or(rest);
            }
            None => out.push_str(word),
        }
    }
    Cow::Owned(out)
}

impl Language {
    fn english(&self, word: &str, long: bool) -> Option<&'static str> {
        let (months, days) = if long { (&LONG_MONTHS, &LONG_DAYS) } else { (&MONTHS, &DAYS) };
        let find = |names: &[&str]| names.iter().position(|name| *name == word);
        let month = find(&self.months).or_else(|| find(&self.short_months));
        let day = || find(&self.days).or_else(|| find(&self.short_days));
        month.map(|at| months[at]).or_else(|| day().map(|at| days[at]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_english() {
        assert_eq!(to_english("12 juin 2010", "fr", false), "12 Jun 2010");
        assert_eq!(to_english("12 juin 2010", "fr", true), "12 June 2010");
        assert_eq!(to_english("Fr., 5 Feb. 2016", "de-DE", false), "Fri, 5 Feb 2016");
        assert_eq!(to_english("12 juin 2010", "ja", false), "12 juin 2010");
    }
}
