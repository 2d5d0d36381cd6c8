//! The analyzers of languages: words in lower case, folded, without stop words, stemmed. All know `stopwords` and, with
//! few exceptions, `stem_exclusion`: words that are not stemmed.

use super::chain;
use crate::Result;
use crate::analysis::chain::{Chain, Named};
use crate::analysis::char_filters::Mapping;
use crate::analysis::params::Params;
use crate::analysis::token_filters::{
    Apostrophe, CjkBigram, DecimalDigit, Elision, Fold, KeywordMarker, Lowercase, Stemmer, StemmerOverride, Stop,
    TokenFilter,
};
use crate::analysis::tokenizers::{Standard, Thai};
use crate::analysis::words::{ENGLISH, WordSet, stop_words};
use crate::analysis::{fold, stem};
use std::sync::Arc;

/// The filters of a language, put together in order.
struct Filters<'p> {
    params: &'p Params<'p>,
    filters: Vec<TokenFilter>,
}

impl<'p> Filters<'p> {
    fn of(params: &'p Params<'p>) -> Self {
        Self { params, filters: vec![] }
    }

    fn lower(mut self) -> Self {
        self.filters.push(TokenFilter::term(Lowercase));
        self
    }

    fn digits(mut self) -> Self {
        self.filters.push(TokenFilter::term(DecimalDigit));
        self
    }

    fn fold(mut self, fold: fn(&mut String)) -> Self {
        self.filters.push(TokenFilter::term(Fold(fold)));
        self
    }

    fn elision(mut self, articles: &[&str]) -> Self {
        self.filters.push(TokenFilter::term(Elision::new(WordSet::new(articles.iter().copied(), true))));
        self
    }

    /// Without the stop words of the parameters, by default those of the language.
    fn stop(mut self, language: &str) -> Result<Self> {
        let words = self.params.word_set("stopwords", false, &stop_words(language).unwrap_or_default())?;
        self.filters.push(TokenFilter::term(Stop::new(words)));
        Ok(self)
    }

    /// Marks the words that are not to be stemmed.
    fn excluded(mut self) -> Result<Self> {
        let words = self.params.word_set("stem_exclusion", false, &[])?;
        if !words.is_empty() {
            self.filters.push(TokenFilter::term(KeywordMarker::new(words)));
        }
        Ok(self)
    }

    fn stem(mut self, stem: fn(&mut String)) -> Chain {
        self.filters.push(TokenFilter::term(Stemmer::of(stem)));
        self.done()
    }

    fn snowball(mut self, class: &str) -> Result<Chain> {
        self.filters.push(TokenFilter::term(Stemmer::snowball(class)?));
        Ok(self.done())
    }

    fn done(self) -> Chain {
        chain(Standard::default(), self.filters)
    }
}

/// Lower case, stop words, stemmer.
fn plain<'p>(params: &'p Params<'p>, language: &str) -> Result<Filters<'p>> {
    Filters::of(params).lower().stop(language)?.excluded()
}

macro_rules! languages {
    ($($name:ident($params:ident) = $chain:expr;)*) => {
        $(pub(super) fn $name($params: &Params) -> Result<Chain> {
            $chain
        })*
    };
}

languages! {
    arabic(params) = Ok(Filters::of(params).lower().digits().stop("arabic")?.fold(fold::arabic).excluded()?.stem(stem::arabic));
    armenian(params) = plain(params, "armenian")?.snowball("Armenian");
    basque(params) = plain(params, "basque")?.snowball("Basque");
    bengali(params) = Ok(Filters::of(params).lower().digits().excluded()?.fold(fold::indic).fold(fold::bengali).stop("bengali")?.stem(stem::bengali));
    brazilian(params) = Ok(plain(params, "brazilian")?.stem(stem::brazilian));
    bulgarian(params) = Ok(plain(params, "bulgarian")?.stem(stem::bulgarian));
    catalan(params) = Filters::of(params).elision(&["d", "l", "m", "n", "s", "t"]).lower().stop("catalan")?.excluded()?.snowball("Catalan");
    czech(params) = Ok(plain(params, "czech")?.stem(stem::czech));
    danish(params) = plain(params, "danish")?.snowball("Danish");
    estonian(params) = plain(params, "estonian")?.snowball("Estonian");
    finnish(params) = plain(params, "finnish")?.snowball("Finnish");
    french(params) = Ok(Filters::of(params).elision(&FRENCH_ARTICLES).lower().stop("french")?.excluded()?.stem(stem::light_french));
    galician(params) = Ok(plain(params, "galician")?.stem(stem::galician));
    german(params) = Ok(plain(params, "german")?.fold(fold::german).stem(stem::light_german));
    greek(params) = Ok(Filters::of(params).fold(fold::greek).stop("greek")?.stem(stem::greek));
    hindi(params) = Ok(Filters::of(params).lower().digits().excluded()?.fold(fold::indic).fold(fold::hindi).stop("hindi")?.stem(stem::hindi));
    hungarian(params) = plain(params, "hungarian")?.snowball("Hungarian");
    indonesian(params) = Ok(plain(params, "indonesian")?.stem(stem::indonesian));
    italian(params) = Ok(Filters::of(params).elision(&ITALIAN_ARTICLES).lower().stop("italian")?.excluded()?.stem(stem::light_italian));
    latvian(params) = Ok(plain(params, "latvian")?.stem(stem::latvian));
    lithuanian(params) = plain(params, "lithuanian")?.snowball("Lithuanian");
    norwegian(params) = plain(params, "norwegian")?.snowball("Norwegian");
    portuguese(params) = Ok(plain(params, "portuguese")?.stem(stem::light_portuguese));
    romanian(params) = Filters::of(params).lower().fold(fold::romanian).stop("romanian")?.excluded()?.snowball("Romanian");
    russian(params) = plain(params, "russian")?.snowball("Russian");
    sorani(params) = Ok(Filters::of(params).fold(fold::sorani).lower().digits().stop("sorani")?.excluded()?.stem(stem::sorani));
    spanish(params) = Ok(plain(params, "spanish")?.stem(stem::light_spanish));
    swedish(params) = plain(params, "swedish")?.snowball("Swedish");
}

pub(crate) const FRENCH_ARTICLES: [&str; 13] =
    ["l", "m", "t", "qu", "n", "s", "j", "d", "c", "jusqu", "quoiqu", "lorsqu", "puisqu"];

const ITALIAN_ARTICLES: [&str; 21] = [
    "c", "l", "all", "dall", "dell", "nell", "sull", "coll", "pell", "gl", "agl", "dagl", "degl", "negl", "sugl", "un",
    "m", "t", "s", "v", "d",
];

pub(super) fn dutch(params: &Params) -> Result<Chain> {
    let mut filters = plain(params, "dutch")?;
    let irregular = [("fiets", "fiets"), ("bromfiets", "bromfiets"), ("ei", "eier"), ("kind", "kinder")];
    filters.filters.push(TokenFilter::term(StemmerOverride::new(irregular)));
    filters.snowball("Dutch")
}

pub(super) fn irish(params: &Params) -> Result<Chain> {
    let mut filters = Filters::of(params);
    // What the tokenizer cuts off a mutated word.
    filters.filters.push(TokenFilter::term(Stop::new(WordSet::new(["h", "n", "t"], true))));
    filters.elision(&["d", "m", "b"]).fold(fold::irish).stop("irish")?.excluded()?.snowball("Irish")
}

pub(super) fn persian(params: &Params) -> Result<Chain> {
    let filters = Filters::of(params).lower().digits().fold(fold::arabic).fold(fold::persian);
    let mut chain = filters.stop("persian")?.excluded()?.stem(stem::persian);
    // The zero-width non-joiner separates as a space does.
    chain.char_filters.push(Named::new("", Arc::new(Mapping::of("\u{200c}", " ")?)));
    Ok(chain)
}

pub(super) fn turkish(params: &Params) -> Result<Chain> {
    let mut filters = Filters::of(params);
    filters.filters.push(TokenFilter::term(Apostrophe));
    filters.fold(fold::turkish).stop("turkish")?.excluded()?.snowball("Turkish")
}

pub(super) fn thai(params: &Params) -> Result<Chain> {
    let filters = Filters::of(params).lower().digits().stop("thai")?;
    Ok(chain(Thai, filters.filters))
}

/// Pairs of ideographs and syllables as words.
pub(super) fn cjk(params: &Params) -> Result<Chain> {
    let stopwords: Vec<&str> = ENGLISH.iter().copied().filter(|word| *word != "an").chain(["s", "t", "www"]).collect();
    let mut filters = Filters::of(params).fold(fold::width).lower();
    filters.filters.push(TokenFilter::stream(CjkBigram::default()));
    filters.filters.push(TokenFilter::term(Stop::new(params.word_set("stopwords", false, &stopwords)?)));
    Ok(filters.done())
}

/// Kept for old indexes: words without English stop words.
pub(super) fn chinese(params: &Params) -> Result<Chain> {
    let mut filters = Filters::of(params).lower();
    filters.filters.push(TokenFilter::term(Stop::new(WordSet::new(ENGLISH.iter().copied(), false))));
    Ok(filters.done())
}

/// `snowball`: a stemmer of the Snowball project, with stop words for a few languages.
pub(super) fn snowball(params: &Params) -> Result<Chain> {
    let language = params.text("language").or(params.text("name")).unwrap_or_else(|| "English".to_owned());
    let mut filters = Filters::of(params);
    if matches!(language.as_str(), "English" | "Porter" | "Lovins") {
        filters.filters.push(TokenFilter::term(Stemmer::possessive()));
    }
    filters = if language == "Turkish" { filters.fold(fold::turkish) } else { filters.lower() };
    let stopwords = match language.as_str() {
        "German" | "German2" => "german",
        "English" => "english",
        "French" => "french",
        "Dutch" => "dutch",
        _ => "",
    };
    filters.stop(stopwords)?.snowball(&language).map(Chain::raw)
}
