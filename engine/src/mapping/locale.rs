//! Locales of dates: `language`, `language_COUNTRY` or `language_COUNTRY_variant`, parts joined by `_` or `-`.

use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::mapping::params::java_text;

/// Languages of two letters (ISO 639-1, and three that it had before).
const LANGUAGES: &str = "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz \
    ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik in io is it iu iw ja ji \
    jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mo mr ms mt my na nb nd ne ng nl nn \
    no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti \
    tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu";

/// Countries of two letters (ISO 3166-1).
const COUNTRIES: &str = "AD AE AF AG AI AL AM AN AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW \
    BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD \
    GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP \
    KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG \
    NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR \
    SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW";

/// Reads a locale; it is kept as Java shows it. What language it says matters only where names of months or days are read.
pub fn read_locale(_: &str, value: &Value) -> Result<Value> {
    check_locale(&java_text(value)).map(Value::from)
}

/// The locale as Java shows it.
pub fn check_locale(text: &str) -> Result<String> {
    let separator = if text.contains('_') && !text.contains('-') { '_' } else { '-' };
    let parts: Vec<&str> = text.split(separator).collect();
    if parts.len() > 3 {
        let (count, parts) = (parts.len(), parts.join(", "));
        return Err(Error::illegal_argument(format!("Locales can have at most 3 parts but got {count}: [{parts}]")));
    }
    if text.eq_ignore_ascii_case("root") {
        return Ok(String::new());
    }
    let part = |at: usize| parts.get(at).copied().unwrap_or_default();
    let (language, country, variant) = (part(0).to_ascii_lowercase(), part(1).to_ascii_uppercase(), part(2));
    let letters = |text: &str| text.bytes().all(|c| c.is_ascii_alphabetic());
    if !(language.is_empty() || letters(&language) && (2..=8).contains(&language.len())) {
        return Err(ill_formed("language", part(0), 0));
    }
    let digits = country.bytes().all(|c| c.is_ascii_digit());
    if !(country.is_empty() || letters(&country) && country.len() == 2 || digits && country.len() == 3) {
        return Err(ill_formed("region", part(1), 0));
    }
    let mut at = 0;
    for piece in variant.split(['_', '-']).filter(|_| !variant.is_empty()) {
        let shape = piece.bytes().all(|c| c.is_ascii_alphanumeric());
        let of_four = piece.len() == 4 && piece.as_bytes()[0].is_ascii_digit();
        if !(shape && (of_four || (5..=8).contains(&piece.len()))) {
            return Err(ill_formed("variant", variant, at));
        }
        at += piece.len() + 1;
    }
    let unknown = |what: &str, part: &str, code: &str| {
        let cause = Error::new(ErrorKind::MissingResource, format!("Couldn't find 3-letter {what} code for {code}"));
        Err(Error::illegal_argument(format!("Unknown {what}: {part}")).caused_by(cause))
    };
    let listed = |list: &str, name: &str| list.split_ascii_whitespace().any(|one| one == name);
    if !(language.is_empty() || language.len() == 3 || listed(LANGUAGES, &language)) {
        return unknown("language", part(0), &language);
    }
    if !(country.is_empty() || country.len() == 3 || listed(COUNTRIES, &country)) {
        return unknown("country", part(1), &country);
    }
    // Java shows what it has of the three; a country keeps its place behind no language.
    let shown = match (country.as_str(), variant) {
        ("", "") => language,
        (_, "") => format!("{language}_{country}"),
        _ => format!("{language}_{country}_{}", variant.replace('-', "_")),
    };
    Ok(shown)
}

fn ill_formed(what: &str, part: &str, at: usize) -> Error {
    Error::new(ErrorKind::IllFormedLocale, format!("Ill-formed {what}: {part} [at index {at}]"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locales_as_the_reference_reads_them() {
        let read = |text: &str| match read_locale("f", &Value::from(text)) {
            Ok(value) => java_text(&value),
            Err(error) => error.reason().to_owned(),
        };
        let cases = [
            ("", ""),
            ("de", "de"),
            ("de-DE", "de_DE"),
            ("EN_us", "en_US"),
            ("en-", "en"),
            ("root", ""),
            ("x", "Ill-formed language: x [at index 0]"),
            ("de_DE_a", "Ill-formed variant: a [at index 0]"),
            ("de_DEU", "Ill-formed region: DEU [at index 0]"),
            ("xx", "Unknown language: xx"),
            ("de_XX", "Unknown country: XX"),
            ("en-US-x-foo", "Locales can have at most 3 parts but got 4: [en, US, x, foo]"),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text), expected, "{text}");
        }
    }
}
