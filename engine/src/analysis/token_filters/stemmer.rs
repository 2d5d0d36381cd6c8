//! `stemmer`, `snowball`, and the filters that are one stemmer each: a row per language in [`STEMMERS`].

use super::{TermFilter, TokenFilter};
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use crate::analysis::stem;
use crate::analysis::token::Term;
use crate::{Error, ErrorKind, Result};

/// Stemmers by the names of `language` (or `name`), which are compared without case. Names that are not here are those
/// of the Snowball project.
const STEMMERS: &[(&[&str], stem::Stem)] = &[
    (&["arabic"], stem::arabic),
    (&["bengali"], stem::bengali),
    (&["brazilian"], stem::brazilian),
    (&["bulgarian"], stem::bulgarian),
    (&["czech"], stem::czech),
    (&["english", "porter"], stem::porter),
    (&["light_english", "lightEnglish", "kstem"], stem::kstem),
    (&["minimal_english", "minimalEnglish"], stem::minimal),
    (&["plural_english", "pluralEnglish"], stem::plural),
    (&["light_finish", "lightFinish", "light_finnish", "lightFinnish"], stem::light_finnish),
    (&["light_french", "lightFrench"], stem::light_french),
    (&["minimal_french", "minimalFrench"], stem::minimal_french),
    (&["galician"], stem::galician),
    (&["minimal_galician"], stem::minimal_galician),
    (&["light_german", "lightGerman"], stem::light_german),
    (&["minimal_german", "minimalGerman"], stem::minimal_german),
    (&["greek"], stem::greek),
    (&["hindi"], stem::hindi),
    (&["light_hungarian", "lightHungarian"], stem::light_hungarian),
    (&["indonesian"], stem::indonesian),
    (&["light_italian", "lightItalian"], stem::light_italian),
    (&["latvian"], stem::latvian),
    (&["light_norwegian", "lightNorwegian"], stem::bokmaal),
    (&["minimal_norwegian", "minimalNorwegian"], stem::minimal_bokmaal),
    (&["light_nynorsk", "lightNynorsk"], stem::nynorsk),
    (&["minimal_nynorsk", "minimalNynorsk"], stem::minimal_nynorsk),
    (&["persian"], stem::persian),
    (&["light_portuguese", "lightPortuguese"], stem::light_portuguese),
    (&["minimal_portuguese", "minimalPortuguese"], stem::minimal_portuguese),
    (&["portuguese_rslp"], stem::rslp_portuguese),
    (&["light_russian", "lightRussian"], stem::light_russian),
    (&["sorani"], stem::sorani),
    (&["light_spanish", "lightSpanish"], stem::light_spanish),
    (&["light_swedish", "lightSwedish"], stem::light_swedish),
];

/// A stemmer as a token filter.
#[derive(Clone, Copy)]
pub(crate) struct Stemmer {
    stem: stem::Stem,
    /// Leaves keywords alone.
    respects_keywords: bool,
    /// Works on what is not analyzed as a whole, too.
    normalizes: bool,
}

impl Stemmer {
    /// A stemmer that leaves keywords alone.
    pub const fn of(stem: stem::Stem) -> Self {
        Self { stem, respects_keywords: true, normalizes: false }
    }

    pub fn possessive() -> Self {
        Self { stem: stem::possessive, respects_keywords: false, normalizes: false }
    }

    /// The stemmer of the Snowball project of that name, which is capitalized as the reference does.
    pub fn snowball(language: &str) -> Result<Self> {
        match stem::snowball(language) {
            Some(stem) => Ok(Self::of(stem)),
            None => {
                let class = format!("org.tartarus.snowball.ext.{language}Stemmer");
                Err(Error::illegal_argument(format!("Invalid stemmer class specified: {language}"))
                    .caused_by(Error::new(ErrorKind::ClassNotFound, class)))
            }
        }
    }
}

impl std::fmt::Debug for Stemmer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Stemmer {{ respects_keywords: {} }}", self.respects_keywords)
    }
}

fn capitalize(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

pub(super) fn build(params: &Params, _: &Context) -> Result<TokenFilter> {
    let language = params.text("language").or(params.text("name")).unwrap_or_else(|| "porter".to_owned());
    let is = |names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(&language));
    if is(&["possessive_english", "possessiveEnglish"]) {
        return Ok(TokenFilter::term(Stemmer::possessive()));
    }
    if let Some((_, stem)) = STEMMERS.iter().find(|(names, _)| is(names)) {
        return Ok(TokenFilter::term(Stemmer::of(*stem)));
    }
    if is(&["porter2"]) {
        return Ok(TokenFilter::term(Stemmer::snowball("English")?));
    }
    // Languages that the reference names itself are found whatever their case.
    let named = stem::SNOWBALL_LANGUAGES.iter().find(|name| name.eq_ignore_ascii_case(&language));
    let class = named.map_or_else(|| capitalize(&language), |name| (*name).to_owned());
    Ok(TokenFilter::term(Stemmer::snowball(&class)?))
}

pub(super) fn build_snowball(params: &Params, _: &Context) -> Result<TokenFilter> {
    let language = params.text("language").or(params.text("name")).unwrap_or_else(|| "English".to_owned());
    Ok(TokenFilter::term(Stemmer::snowball(&capitalize(&language))?))
}

/// The filter `<language>_stem`. Words in `stem_exclusion`, where the filter knows that, are left alone.
macro_rules! stem_filters {
    ($($name:ident = $stem:expr;)*) => {
        $(pub(super) fn $name(params: &Params, _: &Context) -> Result<TokenFilter> {
            let exclusions = params.word_set("stem_exclusion", false, &[])?;
            let stemmer = Stemmer::of($stem);
            Ok(match exclusions.is_empty() {
                true => TokenFilter::term(stemmer),
                false => TokenFilter::term(Excluding { stemmer, exclusions }),
            })
        })*
    };
}

stem_filters! {
    arabic_stem = stem::arabic;
    brazilian_stem = stem::brazilian;
    czech_stem = stem::czech;
    dutch_stem = |word| stem::snowball("Dutch").expect("a Snowball stemmer")(word);
    french_stem = |word| stem::snowball("French").expect("a Snowball stemmer")(word);
    german_stem = stem::caumanns;
    kstem = stem::kstem;
    persian_stem = stem::persian;
    porter_stem = stem::porter;
    russian_stem = |word| stem::snowball("Russian").expect("a Snowball stemmer")(word);
}

/// `persian_stem` under its bare name, which alone of the stemmers the reference lets normalizers have.
pub(super) fn persian_preset() -> TokenFilter {
    TokenFilter::term(Stemmer { normalizes: true, ..Stemmer::of(stem::persian) })
}

/// A stemmer that marks some words as keywords first.
#[derive(Debug)]
struct Excluding {
    stemmer: Stemmer,
    exclusions: crate::analysis::words::WordSet,
}

impl TermFilter for Excluding {
    fn apply(&self, term: &mut Term) -> bool {
        term.keyword |= self.exclusions.contains(&term.text);
        self.stemmer.apply(term)
    }

    fn shows_keyword(&self) -> bool {
        true
    }
}

impl TermFilter for Stemmer {
    #[inline]
    fn apply(&self, term: &mut Term) -> bool {
        if !(self.respects_keywords && term.keyword) {
            (self.stem)(&mut term.text);
        }
        true
    }

    fn shows_keyword(&self) -> bool {
        self.respects_keywords
    }

    fn normalizes(&self) -> bool {
        self.normalizes
    }
}
