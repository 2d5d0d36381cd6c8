//! The registry of an index: what is built in, and what `index.analysis` defines.

use super::analyzer::{Analyzer, POSITION_INCREMENT_GAP};
use super::chain::{Chain, Named, check_parts};
use super::char_filters::{self, CharFilter};
use super::files::{ConfigFiles, NoFiles};
use super::normalizer::{Normalizer, keyword_chain};
use super::params::Params;
use super::token_filters::{self, TokenFilter};
use super::tokenizers::{self, Tokenizer};
use super::{analyzers, refused, word_break};
use crate::json::{Map, Value};
use crate::{Error, Result};
use hashbrown::HashMap;
use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

/// The analyzers and normalizers of one index. Immutable; shared behind an `Arc`.
pub struct Registry {
    analyzers: HashMap<String, Arc<Analyzer>>,
    normalizers: HashMap<String, Arc<Normalizer>>,
    /// The definitions under `index.analysis`, for the components that an `_analyze` request names.
    definitions: Value,
    limits: Limits,
    files: Arc<dyn ConfigFiles>,
}

static BUILT_IN: LazyLock<Arc<Registry>> = LazyLock::new(|| {
    word_break::warm();
    Arc::new(Registry::of_tables().expect("what is built in needs no definition"))
});

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Registry").field("definitions", &self.definitions).field("limits", &self.limits).finish()
    }
}

impl Registry {
    /// What an index without `index.analysis` has.
    pub fn built_in() -> Arc<Registry> {
        BUILT_IN.clone()
    }

    /// Reads the object under `index.analysis` (keys `analyzer`, `tokenizer`, `filter`, `char_filter`, `normalizer`).
    /// Values may be strings where numbers or booleans are meant.
    pub fn from_settings(analysis: &Value) -> Result<Registry> {
        Self::from_settings_with(analysis, Limits::default(), Arc::new(NoFiles))
    }

    /// As [`Registry::from_settings`], for an index with other than the default limits, on a node with files.
    pub fn from_settings_with(analysis: &Value, limits: Limits, files: Arc<dyn ConfigFiles>) -> Result<Registry> {
        Self::new(analysis.clone(), limits, files)
    }

    /// What an index without `index.analysis` has, on a node with files.
    pub fn built_in_with(files: Arc<dyn ConfigFiles>) -> Registry {
        let built_in = Self::built_in();
        Self {
            analyzers: built_in.analyzers.clone(),
            normalizers: built_in.normalizers.clone(),
            definitions: Value::Null,
            limits: Limits::default(),
            files,
        }
    }

    /// All that the tables have, under the names of the kinds.
    fn of_tables() -> Result<Registry> {
        let components = Components { definitions: &Value::Null, limits: Limits::default(), files: &NoFiles, depth: 0 };
        let mut analyzers = HashMap::new();
        for row in analyzers::TABLE {
            let chain = (row.build)(&Params::none(row.kind))?;
            analyzers.insert(row.kind.to_owned(), Arc::new(Analyzer::built_in(row.kind, chain)));
        }
        let default = Analyzer::built_in("default", components.chain_of_analyzer("standard")?);
        analyzers.insert("default".to_owned(), Arc::new(default));
        let lowercase = components.normalizer("lowercase", &Map::from_iter([("type", "lowercase")]))?;
        let normalizers = HashMap::from_iter([("lowercase".to_owned(), Arc::new(lowercase))]);
        Ok(Self {
            analyzers,
            normalizers,
            definitions: Value::Null,
            limits: Limits::default(),
            files: Arc::new(NoFiles),
        })
    }

    fn new(definitions: Value, limits: Limits, files: Arc<dyn ConfigFiles>) -> Result<Registry> {
        let built_in = Self::built_in();
        let (mut analyzers, mut normalizers) = (built_in.analyzers.clone(), built_in.normalizers.clone());
        let components = Components { definitions: &definitions, limits, files: files.as_ref(), depth: 0 };
        components.check()?;
        let mut failed = vec![];
        for (name, definition) in components.defined("analyzer") {
            match components.analyzer(name, definition)? {
                Ok(analyzer) => _ = analyzers.insert(name.to_owned(), Arc::new(analyzer)),
                Err(error) => failed.push((name, error)),
            }
        }
        if !failed.is_empty() {
            return Err(refused::failed_analyzers(failed));
        }
        if let Some(default) = analyzers.get("default") {
            default.check_stable("all")?;
        }
        if analyzers.contains_key("default_index") {
            return Err(Error::illegal_argument(
                "setting [index.analysis.analyzer.default_index] is not supported anymore, use [index.analysis.analyzer.default] instead",
            ));
        }
        if let Some(name) = analyzers.keys().find(|name| name.starts_with('_')) {
            return Err(Error::illegal_argument(format!("analyzer name must not start with '_'. got \"{name}\"")));
        }
        for (name, definition) in components.defined("normalizer") {
            normalizers.insert(name.to_owned(), Arc::new(components.normalizer(name, definition)?));
        }
        Ok(Self { analyzers, normalizers, definitions, limits, files })
    }

    /// An analyzer by name: configured, or built in.
    pub fn analyzer(&self, name: &str) -> Option<Arc<Analyzer>> {
        self.analyzers.get(name).cloned()
    }

    /// The analyzer of fields that name none: `default` if that is configured, else `standard`.
    pub fn default_analyzer(&self) -> Arc<Analyzer> {
        self.analyzers["default"].clone()
    }

    /// The search analyzer of fields that name none, if one is configured.
    pub fn default_search_analyzer(&self) -> Option<Arc<Analyzer>> {
        self.analyzer("default_search")
    }

    /// A normalizer by name: configured, or `lowercase`.
    pub fn normalizer(&self, name: &str) -> Option<Arc<Normalizer>> {
        self.normalizers.get(name).cloned()
    }

    /// Whether the normalizer of the name is there of itself, and the index has none of its own under it.
    pub fn has_built_in_normalizer(&self, name: &str) -> bool {
        let built_in = Self::built_in();
        let (own, known) = (self.normalizers.get(name), built_in.normalizers.get(name));
        own.zip(known).is_some_and(|(own, known)| Arc::ptr_eq(own, known))
    }

    pub(crate) fn files(&self) -> &dyn ConfigFiles {
        self.files.as_ref()
    }

    pub(crate) fn components(&self) -> Components<'_> {
        Components { definitions: &self.definitions, limits: self.limits, files: self.files.as_ref(), depth: 0 }
    }
}

/// Settings of the index that bound what components may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// `index.max_ngram_diff`.
    pub max_ngram_diff: u32,
    /// `index.max_shingle_diff`.
    pub max_shingle_diff: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_ngram_diff: 1, max_shingle_diff: 3 }
    }
}

impl Limits {
    pub(crate) fn check_ngram(self, what: &str, min: i64, max: i64) -> Result<()> {
        if max - min <= i64::from(self.max_ngram_diff) {
            return Ok(());
        }
        Err(Error::illegal_argument(format!(
            "The difference between max_gram and min_gram in {what} must be less than or equal to: [{}] but was [{}]. This limit can be set by changing the [index.max_ngram_diff] index level setting.",
            self.max_ngram_diff,
            max - min
        )))
    }

    pub(crate) fn check_shingle(self, min: i64, max: i64, unigrams: bool) -> Result<()> {
        let difference = max - min + i64::from(unigrams);
        if difference <= i64::from(self.max_shingle_diff) {
            return Ok(());
        }
        Err(Error::illegal_argument(format!(
            "In Shingle TokenFilter the difference between max_shingle_size and min_shingle_size (and +1 if outputting unigrams) must be less than or equal to: [{}] but was [{difference}]. This limit can be set by changing the [index.max_shingle_diff] index level setting.",
            self.max_shingle_diff
        )))
    }
}

/// Builds components from definitions, by name.
#[derive(Clone, Copy)]
pub(crate) struct Components<'a> {
    definitions: &'a Value,
    pub limits: Limits,
    pub files: &'a dyn ConfigFiles,
    /// How many definitions led here from one another.
    depth: u32,
}

/// Definitions that refer to each other in circles end here.
const DEPTH_MAX: u32 = 8;

/// Who looks a component up: it decides what the bare name of a kind stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lookup {
    /// A definition in `index.analysis`.
    Definition,
    /// An `_analyze` request without an index.
    Request,
    /// An `_analyze` request on an index: kinds stand for themselves without parameters.
    IndexRequest,
}

/// A row of a table of components.
pub(crate) trait Kind: 'static {
    fn kind(&self) -> &'static str;
}

fn find<T: Kind>(table: &'static [T], kind: &str) -> Option<&'static T> {
    table.iter().find(|row| row.kind() == kind)
}

/// What a token filter may ask of the chain that it stands in.
pub(crate) struct Context<'a> {
    pub components: Components<'a>,
    pub lookup: Lookup,
    /// The chain before the filter.
    pub before: &'a Chain,
}

static EMPTY: Map = Map::new();

impl<'a> Components<'a> {
    /// The definitions of one section, which must be objects.
    fn defined(&self, section: &str) -> impl Iterator<Item = (&'a str, &'a Map)> + use<'a> {
        let section = self.definitions.get(section).and_then(Value::as_object).unwrap_or(&EMPTY);
        section.iter().map(|(name, definition)| (name, definition.as_object().unwrap_or(&EMPTY)))
    }

    fn definition(&self, section: &str, name: &str) -> Option<&'a Map> {
        let definition = self.definitions.get(section)?.get(name)?;
        Some(definition.as_object().unwrap_or(&EMPTY))
    }

    /// Builds all that is defined, used or not, so that errors show when the index is created.
    fn check(&self) -> Result<()> {
        refused::check_groups(self.definitions)?;
        for (name, _) in self.defined("char_filter") {
            self.char_filter(name, Lookup::Definition)?;
        }
        for (name, definition) in self.defined("tokenizer") {
            let kind = kind_of("tokenizer", name, definition)?;
            match self.tokenizer(name) {
                Err(error) if !refused::shows_late("tokenizer", &kind, &error) => return Err(error),
                _ => {}
            }
        }
        let alone = keyword_chain();
        for (name, definition) in self.defined("filter") {
            let row = find(token_filters::TABLE, &kind_of("filter", name, definition)?).filter(|row| !row.preset_only);
            let row = row.ok_or_else(|| unknown_kind("filter", name, definition))?;
            if row.needs_chain {
                (row.check)(&Params::new(name, definition, self.files))?;
                continue;
            }
            match self.filter(name, &alone, Lookup::Definition) {
                Err(error) if !refused::shows_late("filter", row.kind(), &error) => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// The char filter of this name, or `None` if there is none.
    pub fn char_filter(&self, name: &str, lookup: Lookup) -> Result<Option<Arc<dyn CharFilter>>> {
        match self.definition("char_filter", name) {
            Some(definition) => {
                let row = find(char_filters::TABLE, &kind_of("char_filter", name, definition)?);
                let row = row.ok_or_else(|| unknown_kind("char_filter", name, definition))?;
                Ok(Some((row.build)(&Params::new(name, definition, self.files))?.into()))
            }
            None => match find(char_filters::TABLE, name) {
                Some(row) if row.needs_params && lookup == Lookup::Definition => Ok(None),
                Some(row) if row.needs_params && lookup == Lookup::Request => Err(settings_required()),
                Some(row) => Ok(Some((row.build)(&Params::none(name))?.into())),
                None => Ok(None),
            },
        }
    }

    /// A char filter that is defined in place.
    pub fn char_filter_of(&self, params: &Params) -> Result<Arc<dyn CharFilter>> {
        let kind = params.text("type").unwrap_or_default();
        let row = find(char_filters::TABLE, &kind).ok_or_else(|| not_found("char_filter", &kind))?;
        Ok((row.build)(params)?.into())
    }

    /// The tokenizer of this name, or `None` if there is none.
    pub fn tokenizer(&self, name: &str) -> Result<Option<Arc<dyn Tokenizer>>> {
        match self.definition("tokenizer", name) {
            Some(definition) => {
                let row = find(tokenizers::TABLE, &kind_of("tokenizer", name, definition)?);
                let row = row.ok_or_else(|| unknown_kind("tokenizer", name, definition))?;
                Ok(Some((row.build)(&Params::new(name, definition, self.files), self.limits)?.into()))
            }
            None => match find(tokenizers::TABLE, name) {
                Some(row) => Ok(Some((row.build)(&Params::none(name), self.limits)?.into())),
                None => Ok(None),
            },
        }
    }

    /// A tokenizer that is defined in place.
    pub fn tokenizer_of(&self, params: &Params) -> Result<Arc<dyn Tokenizer>> {
        let kind = params.text("type").unwrap_or_default();
        let row = find(tokenizers::TABLE, &kind).ok_or_else(|| not_found("tokenizer", &kind))?;
        Ok((row.build)(params, self.limits)?.into())
    }

    /// The token filter of this name, to stand after `before`; `None` if there is none.
    pub fn filter(&self, name: &str, before: &Chain, lookup: Lookup) -> Result<Option<TokenFilter>> {
        let context = Context { components: *self, before, lookup };
        let filter = match self.definition("filter", name) {
            Some(definition) => {
                let row = find(token_filters::TABLE, &kind_of("filter", name, definition)?);
                let row = row.ok_or_else(|| unknown_kind("filter", name, definition))?;
                (row.build)(&Params::new(name, definition, self.files), &context)?
            }
            None => {
                let Some(row) = find(token_filters::TABLE, name) else { return Ok(None) };
                match row.preset {
                    Some(preset) if lookup != Lookup::IndexRequest || row.preset_only => preset(),
                    _ if row.needs_params && lookup == Lookup::Definition => return Ok(None),
                    _ if row.needs_params && lookup == Lookup::Request => return Err(settings_required()),
                    _ => (row.build)(&Params::none(name), &context)?,
                }
            }
        };
        Ok(Some(filter))
    }

    /// The kind of a part that a definition in place, or one of the index, or else its name tells.
    pub fn kind<'n>(&self, section: &str, name: &'n str, definition: Option<&'n Map>) -> &'n str
    where
        'a: 'n,
    {
        let definition = definition.or_else(|| self.definition(section, name));
        definition.and_then(|definition| definition.get("type")?.as_str()).unwrap_or(name)
    }

    /// Whether a filter is made for its chain, which no normalizer may have. What it lacks and its own mistakes come first.
    pub fn needs_chain(&self, name: &str, definition: Option<&Map>, lookup: Lookup) -> Result<bool> {
        let kind = self.kind("filter", name, definition);
        let Some(row) = find(token_filters::TABLE, kind).filter(|row| row.needs_chain) else { return Ok(false) };
        match (definition.or_else(|| self.definition("filter", name)), lookup) {
            (None, Lookup::Definition) if row.needs_params => return Ok(false),
            (None, Lookup::Request) if row.needs_params => return Err(settings_required()),
            (None, _) => (row.check)(&Params::none(name))?,
            (Some(definition), _) => (row.check)(&Params::new(name, definition, self.files))?,
        }
        Ok(true)
    }

    /// What a kind of filters is without parameters: it tells what may be done with one whose mistakes show only later.
    pub fn plain_filter(&self, kind: &str, before: &Chain) -> Option<TokenFilter> {
        let row = find(token_filters::TABLE, kind)?;
        let context = Context { components: *self, before, lookup: Lookup::Request };
        row.preset.map(|preset| preset()).or_else(|| (row.build)(&Params::none(kind), &context).ok())
    }

    /// A token filter that is defined in place, to stand after `before`.
    pub fn filter_of(&self, params: &Params, before: &Chain) -> Result<TokenFilter> {
        let kind = params.text("type").unwrap_or_default();
        let row = find(token_filters::TABLE, &kind).ok_or_else(|| not_found("filter", &kind))?;
        if row.preset_only {
            return Err(refused::without_version());
        }
        (row.build)(params, &Context { components: *self, before, lookup: Lookup::Request })
    }

    /// Errors of the inner result are those of putting parts together, which are reported for all analyzers at once.
    fn analyzer(&self, name: &str, definition: &Map) -> Result<Result<Analyzer>> {
        let params = Params::new(name, definition, self.files);
        match params.text("type").as_deref() {
            None if !params.has("tokenizer") => Err(Error::illegal_argument(format!(
                "analyzer [{name}] must specify either an analyzer type, or a tokenizer"
            ))),
            None | Some("custom") => Ok(self.custom_analyzer(name, &params)),
            Some(kind) => {
                // The analyzer of fields that name none is one of words.
                let row = find(analyzers::TABLE, if kind == "default" { "standard" } else { kind });
                let row = row.ok_or_else(|| unknown_kind("analyzer", name, definition))?;
                Ok(Ok(Analyzer::built_in(name, (row.build)(&params)?)))
            }
        }
    }

    /// For definitions within the definition of `name`.
    pub fn deeper(&self, name: &str) -> Result<Self> {
        if self.depth >= DEPTH_MAX {
            return Err(Error::illegal_argument(format!(
                "[{name}] is defined by itself, or by too long a row of others"
            )));
        }
        Ok(Self { depth: self.depth + 1, ..*self })
    }

    /// The chain of an analyzer that is defined or built in.
    pub fn chain_of_analyzer(&self, name: &str) -> Result<Chain> {
        let inner = self.deeper(name)?;
        match self.definition("analyzer", name) {
            Some(definition) => Ok(inner.analyzer(name, definition)??.chain().clone()),
            None => match find(analyzers::TABLE, name) {
                Some(row) => (row.build)(&Params::none(name)),
                None => Err(Error::illegal_argument(format!("Could not find analyzer [{name}]"))),
            },
        }
    }

    fn custom_analyzer(&self, name: &str, params: &Params) -> Result<Analyzer> {
        let not_found = |what: &str, part: &str| {
            Error::illegal_argument(format!("Custom Analyzer [{name}] failed to find {what} under name [{part}]"))
        };
        let Some(tokenizer_name) = params.text("tokenizer") else {
            return Err(Error::illegal_argument(format!(
                "Custom Analyzer [{name}] must be configured with a tokenizer"
            )));
        };
        // What shows only where a part is used comes after the mistakes of all parts.
        let mut late = None;
        let mut keep = |section: &str, part: &str, error: Error| {
            refused::keep_late(section, self.kind(section, part, None), error, &mut late)
        };
        let mut chain = keyword_chain();
        match self.tokenizer(&tokenizer_name) {
            Ok(Some(tokenizer)) => chain.tokenizer = Named::new(&tokenizer_name, tokenizer),
            Ok(None) => return Err(not_found("tokenizer", &tokenizer_name)),
            Err(error) => keep("tokenizer", &tokenizer_name, error)?,
        }
        let [of_chars, of_tokens] = ["char_filter", "filter"].map(|key| params.list(key).unwrap_or_default());
        check_parts(of_chars.len() + of_tokens.len(), &format!("Custom Analyzer [{name}]"))?;
        for part in of_chars {
            let filter = self.char_filter(&part, Lookup::Definition)?.ok_or_else(|| not_found("char_filter", &part))?;
            chain.char_filters.push(Named::new(&part, filter));
        }
        let mut updateable = vec![];
        for part in of_tokens {
            match self.filter(&part, &chain, Lookup::Definition) {
                Ok(Some(filter)) => chain.push(Named::new(&part, filter)),
                Ok(None) => return Err(not_found("filter", &part)),
                Err(error) => keep("filter", &part, error)?,
            }
            if self.is_updateable(&part)? {
                updateable.push(part.clone());
            }
        }
        if let Some(error) = late {
            return Err(error);
        }
        let gap = params.int("position_increment_gap", POSITION_INCREMENT_GAP.into())?;
        let gap = i32::try_from(gap).unwrap_or(if gap < 0 { i32::MIN } else { i32::MAX });
        Ok(Analyzer::custom(name, gap, chain).with_updateable(updateable))
    }

    /// Whether the rules of a filter may change while the index is there.
    fn is_updateable(&self, filter: &str) -> Result<bool> {
        let Some(definition) = self.definition("filter", filter) else { return Ok(false) };
        match &*kind_of("filter", filter, definition)? {
            "synonym" | "synonym_graph" => Params::new(filter, definition, self.files).bool("updateable", false),
            _ => Ok(false),
        }
    }
}

fn not_found(section: &str, kind: &str) -> Error {
    Error::illegal_argument(format!("failed to find global {section} under [{kind}]"))
}

fn settings_required() -> Error {
    Error::illegal_argument("Analysis settings required - can't instantiate analysis factory")
}

/// The kind that a definition names.
pub(super) fn kind_of<'d>(section: &str, name: &str, definition: &'d Map) -> Result<Cow<'d, str>> {
    match definition.get("type") {
        Some(Value::String(kind)) => Ok(Cow::Borrowed(kind)),
        Some(Value::Array(items)) => {
            let kinds: Vec<String> = items.iter().map(Value::to_text).collect();
            Ok(Cow::Owned(format!("[{}]", kinds.join(", "))))
        }
        _ => Err(Error::illegal_argument(format!(
            "{section} [{name}] must specify either an analyzer type, or a tokenizer"
        ))),
    }
}

pub(super) fn unknown_kind(section: &str, name: &str, definition: &Map) -> Error {
    let kind = kind_of(section, name, definition).unwrap_or_default();
    Error::illegal_argument(format!("Unknown {section} type [{kind}] for [{name}]"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn registry(text: &str) -> Result<Registry> {
        Registry::from_settings(&parse(text.as_bytes()).unwrap())
    }

    fn texts(analyzer: &Analyzer, text: &str) -> Vec<String> {
        analyzer.tokens(text).into_iter().map(|t| t.text).collect()
    }

    #[test]
    fn built_in_analyzers() {
        let registry = Registry::built_in();
        assert_eq!(texts(&registry.default_analyzer(), "The Quick-Fox"), ["the", "quick", "fox"]);
        assert!(registry.analyzer("nonsense").is_none() && registry.default_search_analyzer().is_none());
        assert_eq!(registry.normalizer("lowercase").unwrap().normalize("Ab c"), "ab c");
    }

    #[test]
    fn configured_analyzers() {
        let registry = registry(
            r#"{"analyzer":{"default":{"tokenizer":"standard","filter":["lowercase","s"],"position_increment_gap":"5"},
                "x":{"type":"standard","stopwords":"_english_"}},"filter":{"s":{"type":"stop","stopwords":["fox"]}}}"#,
        )
        .unwrap();
        let default = registry.default_analyzer();
        assert_eq!(texts(&default, "The quick fox"), ["the", "quick"]);
        assert_eq!(default.position_increment_gap(), 5);
        let positions: Vec<u32> =
            registry.analyzer("x").unwrap().tokens("the fox and the dog").iter().map(|t| t.position).collect();
        assert_eq!(positions, [1, 4]);
    }

    #[test]
    fn refuses_what_is_not_there() {
        let cases = [
            (r#"{"analyzer":{"a":{"tokenizer":"x"}}}"#, "Failed to build analyzers: [a]"),
            (r#"{"analyzer":{"a":{"type":"x"}}}"#, "Unknown analyzer type [x] for [a]"),
            (
                r#"{"filter":{"m":{"type":"multiplexer","filters":["none"]}},"normalizer":{"n":{"filter":["m"]}}}"#,
                "Custom normalizer [n] may not use filter [m]",
            ),
            (r#"{"filter":{"a":{"type":"x"}}}"#, "Unknown filter type [x] for [a]"),
            (
                r#"{"filter":{"p":{"type":"pattern_replace","pattern":"a"}},"normalizer":{"a":{"filter":"p"}}}"#,
                "Custom normalizer [a] may not use filter [p]",
            ),
            (r#"{"tokenizer":{"t":{"type":"path_hierarchy","delimiter":"ab"}}}"#, "delimiter must be a one char value"),
            (
                r#"{"filter":{"f":{"type":"edge_ngram","max_gram":"x","side":"y"}}}"#,
                "Failed to parse int setting [max_gram] with value [x]",
            ),
            (r#"{"normalizer":{"a":{"filter":"stop"}}}"#, "Custom normalizer [a] may not use filter [stop]"),
        ];
        for (settings, reason) in cases {
            assert_eq!(registry(settings).unwrap_err().reason(), reason);
        }
    }

    #[test]
    fn what_normalizers_may_have() {
        let (definitions, files) = (&Value::Null, &NoFiles);
        let components = Components { definitions, limits: Limits::default(), files, depth: 0 };
        let named = |row: &&token_filters::Row| components.filter(row.kind, &keyword_chain(), Lookup::Definition);
        let normalizing =
            |row: &&token_filters::Row| matches!(named(row), Ok(Some(filter)) if filter.normalizer().is_some());
        let kinds: Vec<&str> = token_filters::TABLE.iter().filter(normalizing).map(|row| row.kind).collect();
        assert_eq!(
            kinds.join(" "),
            "arabic_normalization asciifolding bengali_normalization cjk_width decimal_digit elision german_normalization \
             hindi_normalization indic_normalization lowercase persian_normalization persian_stem scandinavian_folding \
             scandinavian_normalization serbian_normalization sorani_normalization trim uppercase"
        );
    }
}
