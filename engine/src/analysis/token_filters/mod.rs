//! Token filters: a file per kind, one row per kind in [`TABLE`].

mod apostrophe;
mod asciifolding;
mod asciifolding_table;
mod cjk_bigram;
mod classic;
mod common_grams;
mod concatenate_graph;
mod condition;
mod decimal_digit;
mod decompounder;
mod delimited;
mod elision;
mod fingerprint;
mod flatten_graph;
mod folding;
mod hunspell;
mod hyphenation;
mod keep;
mod keep_types;
mod keyword_marker;
mod keyword_repeat;
mod length;
mod limit;
pub(crate) mod lowercase;
mod min_hash;
mod multiplexer;
mod ngram;
mod pattern_capture;
mod pattern_replace;
mod remove_duplicates;
mod reverse;
mod shingle;
mod stemmer;
mod stemmer_override;
mod stop;
mod synonym;
mod trim;
mod truncate;
mod unique;
mod uppercase;
mod word_delimiter;

use super::params::Params;
use super::registry::{Context, Kind};
use super::token::{Term, TokenBuf};
use crate::{Error, Result};
use std::sync::Arc;

pub(crate) use apostrophe::Apostrophe;
pub(crate) use asciifolding::AsciiFolding;
pub(crate) use cjk_bigram::CjkBigram;
pub(crate) use decimal_digit::DecimalDigit;
pub(crate) use elision::Elision;
pub(crate) use fingerprint::Fingerprint;
pub(crate) use folding::Fold;
pub(crate) use keyword_marker::KeywordMarker;
pub(crate) use lowercase::Lowercase;
pub(crate) use ngram::{EdgeNgram, check_sizes as check_ngram_sizes};
pub(crate) use stemmer::Stemmer;
pub(crate) use stemmer_override::StemmerOverride;
pub(crate) use stop::Stop;

/// A filter that looks at one token at a time. Chains of these run without a buffer.
pub(crate) trait TermFilter: Send + Sync + std::fmt::Debug {
    /// Changes the token; `false` removes it (its position stays as a gap).
    fn apply(&self, term: &mut Term) -> bool;

    /// Whether what is not analyzed as a whole, a prefix or a pattern, goes through the filter, too.
    fn normalizes(&self) -> bool {
        false
    }

    /// Shows the attribute `keyword` in explanations, since the filter looks at it or sets it.
    fn shows_keyword(&self) -> bool {
        false
    }

    /// Shows the attribute `payload` in explanations, since the filter sets it.
    fn shows_payload(&self) -> bool {
        false
    }

    /// Shows the attribute `termFrequency` in explanations, since the filter sets it.
    fn shows_frequency(&self) -> bool {
        false
    }
}

/// A filter that looks at many tokens at once.
pub(crate) trait StreamFilter: Send + Sync + std::fmt::Debug {
    /// Writes the tokens that `input` becomes to `out`, which is empty; also what stands behind the last one.
    fn apply(&self, input: &TokenBuf, out: &mut TokenBuf);

    /// What does for prefixes and patterns what the filter does for tokens.
    fn normalizer(&self) -> Option<&dyn TermFilter> {
        None
    }

    /// As in [`TermFilter::shows_keyword`].
    fn shows_keyword(&self) -> bool {
        false
    }

    /// As in [`TermFilter::shows_payload`].
    fn shows_payload(&self) -> bool {
        false
    }

    /// Makes tokens of its own, without the attributes that filters before it have set.
    fn hides_attributes(&self) -> bool {
        false
    }

    /// Tokens that are longer than one position are no ways around others: queries take what stands at each position as
    /// alternatives.
    fn disables_graphs(&self) -> bool {
        false
    }

    /// What becomes of the filter when the chain before a synonym filter analyzes its rules.
    fn in_rules(&self) -> InRules {
        InRules::Same
    }
}

/// How a filter takes part in the analysis of synonym rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InRules {
    Same,
    Skipped,
    /// Gives more than one token after the other: rules cannot be read.
    Refused,
}

/// A token filter of either shape.
#[derive(Clone, Debug)]
pub(crate) enum TokenFilter {
    Term(Arc<dyn TermFilter>),
    Stream(Arc<dyn StreamFilter>),
}

impl TokenFilter {
    /// What does for prefixes, patterns and whole values what the filter does for tokens, if it works on single characters.
    pub fn normalizer(&self) -> Option<&dyn TermFilter> {
        match self {
            Self::Term(filter) => Some(&**filter as &dyn TermFilter).filter(|filter| filter.normalizes()),
            Self::Stream(filter) => filter.normalizer(),
        }
    }

    pub fn term(filter: impl TermFilter + 'static) -> Self {
        Self::Term(Arc::new(filter))
    }

    pub fn stream(filter: impl StreamFilter + 'static) -> Self {
        Self::Stream(Arc::new(filter))
    }

    pub fn in_rules(&self) -> InRules {
        match self {
            Self::Term(_) => InRules::Same,
            Self::Stream(filter) => filter.in_rules(),
        }
    }

    pub fn shows_frequency(&self) -> bool {
        matches!(self, Self::Term(filter) if filter.shows_frequency())
    }

    pub fn disables_graphs(&self) -> bool {
        matches!(self, Self::Stream(filter) if filter.disables_graphs())
    }

    pub fn shows_keyword(&self) -> bool {
        match self {
            Self::Term(filter) => filter.shows_keyword(),
            Self::Stream(filter) => filter.shows_keyword(),
        }
    }

    pub fn hides_attributes(&self) -> bool {
        matches!(self, Self::Stream(filter) if filter.hides_attributes())
    }

    pub fn shows_payload(&self) -> bool {
        match self {
            Self::Term(filter) => filter.shows_payload(),
            Self::Stream(filter) => filter.shows_payload(),
        }
    }
}

/// A kind of token filter.
pub(crate) struct Row {
    pub kind: &'static str,
    /// Cannot be used by its kind's name alone, unless there is a preset.
    pub needs_params: bool,
    /// What is wrong with its parameters shows only where it is used.
    pub late: bool,
    /// Built for the chain that it stands in, so not before it is used.
    pub needs_chain: bool,
    /// What is looked at before there is a chain.
    pub check: fn(&Params) -> Result<()>,
    pub build: fn(&Params, &Context) -> Result<TokenFilter>,
    /// What the kind's name alone stands for, where that differs from the kind without parameters.
    pub preset: Option<fn() -> TokenFilter>,
    /// Is known by its bare name only; cannot be defined.
    pub preset_only: bool,
}

const fn row(kind: &'static str, build: fn(&Params, &Context) -> Result<TokenFilter>) -> Row {
    Row {
        kind,
        needs_params: false,
        late: false,
        needs_chain: false,
        check: |_| Ok(()),
        build,
        preset: None,
        preset_only: false,
    }
}

/// A kind that there was, and that changed nothing.
fn removed_standard(_: &Params, _: &Context) -> Result<TokenFilter> {
    Err(Error::illegal_argument("The [standard] token filter has been removed."))
}

impl Row {
    const fn needs_params(mut self) -> Self {
        self.needs_params = true;
        self
    }

    const fn needs_chain(mut self) -> Self {
        self.needs_chain = true;
        self
    }

    const fn checked(mut self, check: fn(&Params) -> Result<()>) -> Self {
        self.check = check;
        self
    }

    const fn late(mut self) -> Self {
        self.late = true;
        self
    }

    const fn preset(mut self, preset: fn() -> TokenFilter) -> Self {
        self.preset = Some(preset);
        self
    }

    const fn preset_only(mut self, preset: fn() -> TokenFilter) -> Self {
        self.preset_only = true;
        self.preset(preset)
    }
}

impl Kind for Row {
    fn kind(&self) -> &'static str {
        self.kind
    }
}

pub(crate) const TABLE: &[Row] = &[
    row("apostrophe", apostrophe::build),
    row("arabic_normalization", folding::arabic),
    row("arabic_stem", stemmer::arabic_stem),
    row("asciifolding", asciifolding::build),
    row("bengali_normalization", folding::bengali),
    row("brazilian_stem", stemmer::brazilian_stem),
    row("cjk_bigram", cjk_bigram::build),
    row("cjk_width", folding::cjk_width),
    row("classic", classic::build),
    row("common_grams", common_grams::build).needs_params().preset(common_grams::preset),
    row("concatenate_graph", concatenate_graph::build),
    row("condition", condition::build).needs_params().needs_chain().checked(condition::check),
    row("czech_stem", stemmer::czech_stem),
    row("decimal_digit", decimal_digit::build),
    row("delimited_payload", delimited::build_payload).preset(delimited::payload_preset),
    row("delimited_term_freq", delimited::build_frequency).preset(delimited::frequency_preset),
    row("dictionary_decompounder", decompounder::build_dictionary).needs_params(),
    row("dutch_stem", stemmer::dutch_stem),
    row("edge_ngram", ngram::build_edge).late().preset(ngram::edge_preset),
    row("edgeNGram", ngram::build_old_edge).late(),
    row("elision", elision::build).needs_params().preset(elision::preset),
    row("fingerprint", fingerprint::build).late(),
    row("flatten_graph", flatten_graph::build),
    row("french_stem", stemmer::french_stem),
    row("german_normalization", folding::german),
    row("german_stem", stemmer::german_stem),
    row("hindi_normalization", folding::hindi),
    row("hunspell", hunspell::build).needs_params(),
    row("hyphenation_decompounder", decompounder::build_hyphenation).needs_params(),
    row("indic_normalization", folding::indic),
    row("keep", keep::build).needs_params(),
    row("keep_types", keep_types::build).needs_params(),
    row("keyword_marker", keyword_marker::build).needs_params(),
    row("keyword_repeat", keyword_repeat::build).preset_only(keyword_repeat::preset),
    row("kstem", stemmer::kstem),
    row("length", length::build).late(),
    row("limit", limit::build).late(),
    row("lowercase", lowercase::build),
    row("min_hash", min_hash::build).late(),
    row("multiplexer", multiplexer::build).needs_chain().checked(multiplexer::check),
    row("ngram", ngram::build).late(),
    row("nGram", ngram::build_old).late(),
    row("pattern_capture", pattern_capture::build).needs_params(),
    row("pattern_replace", pattern_replace::build).needs_params(),
    row("persian_normalization", folding::persian),
    row("persian_stem", stemmer::persian_stem).preset(stemmer::persian_preset),
    row("porter_stem", stemmer::porter_stem),
    row("predicate_token_filter", condition::build_predicate).needs_params(),
    row("remove_duplicates", remove_duplicates::build),
    row("reverse", reverse::build),
    row("russian_stem", stemmer::russian_stem),
    row("scandinavian_folding", folding::scandinavian_folding),
    row("scandinavian_normalization", folding::scandinavian_normalization),
    row("serbian_normalization", folding::serbian),
    row("shingle", shingle::build).late(),
    row("snowball", stemmer::build_snowball),
    row("sorani_normalization", folding::sorani),
    row("standard", removed_standard),
    row("stemmer", stemmer::build),
    row("stemmer_override", stemmer_override::build).needs_params(),
    row("stop", stop::build),
    row("synonym", synonym::build).needs_params().needs_chain().checked(synonym::check),
    row("synonym_graph", synonym::build_graph).needs_params().needs_chain().checked(synonym::check),
    row("trim", trim::build),
    row("truncate", truncate::build).needs_params().preset(truncate::preset),
    row("type_as_payload", delimited::build_type).preset_only(delimited::type_preset),
    row("unique", unique::build),
    row("uppercase", uppercase::build),
    row("word_delimiter", word_delimiter::build),
    row("word_delimiter_graph", word_delimiter::build_graph),
];
