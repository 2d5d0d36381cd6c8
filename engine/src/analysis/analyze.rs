//! The `_analyze` operation: which chain a request means, its tokens, and the explanation of each stage.

use super::analyzer::{Analyzer, POSITION_INCREMENT_GAP};
use super::chain::{Chain, Named, check_parts};
use super::normalizer::Normalizer;
use super::normalizer::keyword_chain;
use super::params::Params;
use super::refused;
use super::registry::{Lookup, Registry};
use super::request::{AnalyzeRequest, Part};
use super::token::{Item, TokenBuf};
use super::tokenizers::Tokenizer;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Map, Value, Writer};
use std::sync::Arc;

/// How a field makes its terms.
#[derive(Clone, Debug)]
pub enum FieldAnalysis {
    /// What reads its texts, and how many positions it leaves between two of them.
    Analyzer(Arc<Analyzer>, i32),
    Normalizer(Arc<Normalizer>),
    /// A keyword field without a normalizer.
    Keyword,
    /// A field that is no text: its analysis is refused.
    NotText,
}

/// Finds a field by its name.
pub type FieldLookup<'a> = dyn Fn(&str) -> Option<FieldAnalysis> + 'a;

/// What a request is answered with.
pub struct AnalyzeContext<'a> {
    pub registry: &'a Registry,
    /// How a field of the index makes its terms; `None` when no index is named, and for fields that there are not.
    pub field_analyzer: Option<&'a FieldLookup<'a>>,
    /// `index.analyze.max_token_count`.
    pub max_token_count: u64,
    pub index: Option<&'a str>,
}

/// Runs the request. Gives the JSON of the response.
pub fn analyze(request: &AnalyzeRequest, context: &AnalyzeContext) -> Result<Vec<u8>> {
    request.validate(context.index)?;
    let subject = Subject::of(request, context)?;
    let mut w = Writer::new();
    w.begin_object();
    match request.explain {
        false => write_tokens(&subject, request, context, &mut w)?,
        true => write_explanation(&subject, request, context, &mut w)?,
    }
    w.end_object();
    Ok(w.finish())
}

/// The chain that a request means.
struct Subject {
    /// As the explanation names an analyzer that it does not take apart.
    name: String,
    chain: Chain,
    /// Explained component by component.
    in_parts: bool,
    /// Positions between two texts.
    gap: i32,
    explained_gap: i32,
}

impl Subject {
    fn of(request: &AnalyzeRequest, context: &AnalyzeContext) -> Result<Self> {
        if let Some(chain) = custom_chain(request, context)? {
            // Explanations leave no gap after a chain made for the request.
            return Ok(Self {
                name: String::new(),
                chain,
                in_parts: true,
                gap: POSITION_INCREMENT_GAP,
                explained_gap: 0,
            });
        }
        let in_index = context.index.is_some();
        if let Some(name) = &request.analyzer {
            let analyzer = context.registry.analyzer(name).ok_or_else(|| {
                let global = if in_index { "" } else { "global " };
                Error::illegal_argument(format!("failed to find {global}analyzer [{name}]"))
            })?;
            return Ok(Self::analyzer(&analyzer, name, in_index));
        }
        if let Some(name) = &request.normalizer {
            let normalizer = context.registry.normalizer(name);
            let normalizer = normalizer
                .ok_or_else(|| Error::illegal_argument(format!("failed to find normalizer under [{name}]")))?;
            return Ok(Self::normalizer(&normalizer));
        }
        if let Some(field) = &request.field {
            let Some(lookup) = context.field_analyzer else {
                return Err(Error::illegal_argument("analysis based on a specific field requires an index"));
            };
            match lookup(field) {
                None => {}
                Some(FieldAnalysis::Analyzer(analyzer, gap)) => {
                    let of_analyzer = Self::analyzer(&analyzer, analyzer.name(), true);
                    return Ok(Self { gap, explained_gap: gap, ..of_analyzer });
                }
                Some(FieldAnalysis::Normalizer(normalizer)) => return Ok(Self::normalizer(&normalizer)),
                Some(FieldAnalysis::Keyword) => return Ok(Self::keyword()),
                Some(FieldAnalysis::NotText) => {
                    return Err(Error::illegal_argument(format!(
                        "Can't process field [{field}], Analysis requests are only supported on tokenized fields"
                    )));
                }
            }
        }
        let analyzer = context.registry.default_analyzer();
        Ok(Self::analyzer(&analyzer, if in_index { analyzer.name() } else { "standard" }, in_index))
    }

    fn analyzer(analyzer: &Analyzer, name: &str, in_index: bool) -> Self {
        // The reference gives the gap to the analyzers of an index only.
        let gap = if in_index { analyzer.position_increment_gap() } else { 0 };
        let chain = analyzer.chain().clone();
        // The one that the reference has no name for outside of an index.
        let name = match name {
            "fingerprint" if !in_index => "org.opensearch.analysis.common.FingerprintAnalyzer",
            name => name,
        };
        // What fields make of an analyzer has no parts that show.
        let in_parts = analyzer.is_custom() && !analyzer.is_derived();
        Self { name: name.to_owned(), chain, in_parts, gap, explained_gap: gap }
    }

    fn normalizer(normalizer: &Normalizer) -> Self {
        let chain = normalizer.chain().clone();
        let in_parts = normalizer.is_custom();
        Self { name: normalizer.name().to_owned(), chain, in_parts, gap: 0, explained_gap: 0 }
    }

    fn keyword() -> Self {
        Self { name: "_keyword".to_owned(), chain: keyword_chain(), in_parts: false, gap: 0, explained_gap: 0 }
    }
}

/// The chain that the request itself describes, if it does. Without a tokenizer it is a normalizer.
fn custom_chain(request: &AnalyzeRequest, context: &AnalyzeContext) -> Result<Option<Chain>> {
    if request.tokenizer.is_none() && request.filters.is_empty() && request.char_filters.is_empty() {
        return Ok(None);
    }
    check_parts(request.filters.len() + request.char_filters.len(), "the request")?;
    let components = context.registry.components();
    let lookup = lookup_of(context);
    let mut chain = keyword_chain();
    // What shows only where a part is used comes after the mistakes of all parts.
    let mut late = None;
    match tokenizer_of(request, context) {
        Ok(None) => {}
        Ok(Some(tokenizer)) => chain.tokenizer = tokenizer,
        Err(error) => keep_late("tokenizer", request.tokenizer.as_ref(), error, context, &mut late)?,
    }
    for part in &request.char_filters {
        chain.char_filters.push(match part {
            Part::Name(name) => {
                let filter =
                    components.char_filter(name, lookup)?.ok_or_else(|| not_found("char_filter", name, lookup))?;
                Named::new(name, filter)
            }
            Part::Definition(map) => {
                let name = anonymous("char_filter", map)?;
                let filter = components.char_filter_of(&Params::new(&name, map, context.registry.files()))?;
                Named::new(&name, filter)
            }
        });
    }
    let normalizes = request.tokenizer.is_none();
    for part in &request.filters {
        let (name, definition) = match part {
            Part::Name(name) => (name.clone(), None),
            Part::Definition(map) => (anonymous("filter", map)?, Some(map)),
        };
        let refused = || Error::illegal_argument(format!("Custom normalizer may not use filter [{name}]"));
        if normalizes && components.needs_chain(&name, definition, lookup)? {
            return Err(refused());
        }
        let found = match definition {
            None => components
                .filter(&name, &chain, lookup)
                .and_then(|filter| filter.ok_or_else(|| not_found("filter", &name, lookup))),
            Some(map) => components.filter_of(&Params::new(&name, map, context.registry.files()), &chain),
        };
        let kind = components.kind("filter", &name, definition);
        let filter = match found {
            // Rules are read by the parts before them.
            Ok(_) if late.is_some() && ["synonym", "synonym_graph"].contains(&kind) => {
                return Err(Error::illegal_argument("Failed to build synonyms"));
            }
            Ok(filter) => Some(filter),
            Err(error) => {
                keep_late("filter", Some(part), error, context, &mut late)?;
                components.plain_filter(kind, &chain)
            }
        };
        if normalizes && filter.as_ref().is_none_or(|filter| filter.normalizer().is_none()) {
            return Err(refused());
        }
        chain.filters.extend(filter.map(|filter| Named::new(&name, filter)));
    }
    match late {
        Some(error) => Err(error),
        None => Ok(Some(chain)),
    }
}

/// The tokenizer that a request names or defines, if it does.
fn tokenizer_of(request: &AnalyzeRequest, context: &AnalyzeContext) -> Result<Option<Named<Arc<dyn Tokenizer>>>> {
    let components = context.registry.components();
    match &request.tokenizer {
        None => Ok(None),
        Some(Part::Name(name)) => {
            let tokenizer =
                components.tokenizer(name)?.ok_or_else(|| not_found("tokenizer", name, lookup_of(context)))?;
            Ok(Some(Named::new(name, tokenizer)))
        }
        Some(Part::Definition(map)) => {
            let name = anonymous("tokenizer", map)?;
            let tokenizer = components.tokenizer_of(&Params::new(&name, map, context.registry.files()))?;
            Ok(Some(Named::new(&name, tokenizer)))
        }
    }
}

/// Keeps the first mistake that shows only where a part is used; gives others back.
fn keep_late(
    section: &str,
    part: Option<&Part>,
    error: Error,
    context: &AnalyzeContext,
    late: &mut Option<Error>,
) -> Result<()> {
    let components = context.registry.components();
    let kind = match part {
        Some(Part::Name(name)) => components.kind(section, name, None),
        Some(Part::Definition(map)) => components.kind(section, "", Some(map)),
        None => "",
    };
    refused::keep_late(section, kind, error, late)
}

fn lookup_of(context: &AnalyzeContext) -> Lookup {
    if context.index.is_some() { Lookup::IndexRequest } else { Lookup::Request }
}

fn not_found(what: &str, name: &str, lookup: Lookup) -> Error {
    let global = if lookup == Lookup::Request { "global " } else { "" };
    Error::illegal_argument(format!("failed to find {global}{what} under [{name}]"))
}

/// The name of a component that is defined in place.
fn anonymous(what: &str, definition: &Map) -> Result<String> {
    match definition.get("type") {
        Some(Value::String(kind)) => Ok(format!("__anonymous__{kind}")),
        // A list is no name of a kind, which shows when it is looked for.
        Some(Value::Array(_)) => Ok("__anonymous__".to_owned()),
        _ => {
            let shown = Value::Object(definition.clone()).to_text();
            Err(Error::illegal_argument(format!("Missing [type] setting for anonymous {what}: {shown}")))
        }
    }
}

fn write_tokens(subject: &Subject, request: &AnalyzeRequest, context: &AnalyzeContext, w: &mut Writer) -> Result<()> {
    let mut list = TokenList::new(context.max_token_count, subject.gap);
    w.key("tokens").begin_array();
    for text in &request.text {
        list.write(&subject.chain.tokens(text), None, w)?;
    }
    w.end_array();
    Ok(())
}

/// Most bytes of the tokens of all stages, and of an explanation: each of many filters shows all tokens anew.
const EXPLANATION_BYTES_MAX: usize = 64 << 20;

#[cold]
fn too_long_explanation() -> Error {
    let reason = format!(
        "the explanation takes more than [{EXPLANATION_BYTES_MAX}] bytes; explain a shorter text, or fewer filters"
    );
    Error::illegal_argument(reason)
}

fn write_explanation(
    subject: &Subject,
    request: &AnalyzeRequest,
    context: &AnalyzeContext,
    w: &mut Writer,
) -> Result<()> {
    let chain = &subject.chain;
    let mut budget = EXPLANATION_BYTES_MAX;
    let stages = request.text.iter().map(|text| chain.stages(text, &mut budget)).collect::<Option<Vec<_>>>();
    let stages: Vec<(Vec<String>, Vec<TokenBuf>)> = stages.ok_or_else(too_long_explanation)?;
    let attributes: Vec<String> = request.attributes.iter().map(|a| a.to_lowercase()).collect();
    let list = |stage: usize, name: &str, w: &mut Writer| {
        let mut list = TokenList::new(context.max_token_count, subject.explained_gap);
        let before = &chain.filters[..stage];
        let hidden = before.iter().rposition(|filter| filter.part.hides_attributes()).unwrap_or(0);
        let shown = Shown {
            attributes: &attributes,
            keyword: before[hidden..].iter().any(|filter| filter.part.shows_keyword()),
            frequency: chain.tokenizer.part.shows_frequency()
                || before.iter().any(|filter| filter.part.shows_frequency()),
            payload: before[hidden..].iter().any(|filter| filter.part.shows_payload()),
        };
        w.begin_object().key("name").string(name).key("tokens").begin_array();
        for (_, tokens) in &stages {
            list.write(&tokens[stage], Some(&shown), w)?;
            if w.len() > EXPLANATION_BYTES_MAX {
                return Err(too_long_explanation());
            }
        }
        w.end_array().end_object();
        Ok::<(), Error>(())
    };
    w.key("detail").begin_object().key("custom_analyzer").bool(subject.in_parts);
    if !subject.in_parts {
        w.key("analyzer");
        list(chain.filters.len(), &subject.name, w)?;
        w.end_object();
        return Ok(());
    }
    w.key("charfilters").begin_array();
    for (at, filter) in chain.char_filters.iter().enumerate() {
        w.begin_object().key("name").string(&filter.name).key("filtered_text").begin_array();
        for (texts, _) in &stages {
            w.string(&texts[at]);
        }
        w.end_array().end_object();
    }
    w.end_array().key("tokenizer");
    list(0, &chain.tokenizer.name, w)?;
    w.key("tokenfilters").begin_array();
    for (at, filter) in chain.filters.iter().enumerate() {
        list(at + 1, &filter.name, w)?;
    }
    w.end_array().end_object();
    Ok(())
}

/// Which attributes an explanation shows.
struct Shown<'a> {
    /// In lower case; all if empty.
    attributes: &'a [String],
    keyword: bool,
    payload: bool,
    frequency: bool,
}

impl Shown<'_> {
    fn wants(&self, attribute: &str) -> bool {
        self.attributes.is_empty() || self.attributes.iter().any(|a| a.eq_ignore_ascii_case(attribute))
    }
}

/// A list of tokens of several texts.
struct TokenList {
    max: u64,
    count: u64,
    gap: i32,
    position: i64,
    offset: u64,
}

impl TokenList {
    fn new(max: u64, gap: i32) -> Self {
        Self { max, count: 0, gap, position: -1, offset: 0 }
    }

    /// Writes the tokens of one text and moves on behind it.
    fn write(&mut self, tokens: &TokenBuf, shown: Option<&Shown>, w: &mut Writer) -> Result<()> {
        for (text, item) in tokens.iter() {
            self.position += i64::from(item.increment);
            self.count += 1;
            if self.count > self.max {
                return Err(too_many_tokens(self.max));
            }
            w.begin_object().key("token").string(text);
            w.key("start_offset").u64(self.offset + u64::from(item.start));
            w.key("end_offset").u64(self.offset + u64::from(item.end));
            w.key("type").string(item.kind).key("position").i64(self.position);
            if item.length > 1 {
                w.key("positionLength").u64(item.length.into());
            }
            if let Some(shown) = shown {
                write_attributes(text, item, tokens.payload_of(item), shown, w);
            }
            w.end_object();
        }
        if let Some(failure) = &tokens.failure {
            return Err(failure.clone());
        }
        if tokens.overflow {
            return Err(too_many_tokens(self.max));
        }
        self.position += i64::from(tokens.trailing) + i64::from(self.gap);
        self.offset += u64::from(tokens.end_offset) + 1;
        Ok(())
    }
}

fn too_many_tokens(max: u64) -> Error {
    Error::new(
        ErrorKind::IllegalState,
        format!(
            "The number of tokens produced by calling _analyze has exceeded the allowed maximum of [{max}]. This limit can be set by changing the [index.analyze.max_token_count] index level setting."
        ),
    )
}

fn write_attributes(text: &str, item: &Item, payload: &[u8], shown: &Shown, w: &mut Writer) {
    let hex = |bytes: &[u8]| {
        let bytes: Vec<String> = bytes.iter().map(|b| format!("{b:x}")).collect();
        format!("[{}]", bytes.join(" "))
    };
    if shown.wants("bytes") {
        w.key("bytes").string(&hex(text.as_bytes()));
    }
    if shown.keyword && shown.wants("keyword") {
        w.key("keyword").bool(item.keyword);
    }
    if shown.payload && shown.wants("payload") {
        match payload {
            [] => w.key("payload").null(),
            payload => w.key("payload").string(&hex(payload)),
        };
    }
    if shown.wants("positionLength") {
        w.key("positionLength").u64(item.length.into());
    }
    if shown.frequency && shown.wants("termFrequency") {
        w.key("termFrequency").u64(item.frequency.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(body: &str, index: Option<&str>, max_token_count: u64) -> Result<String> {
        let standard = || Registry::built_in().analyzer("standard").expect("built in");
        let fields = |name: &str| match name {
            "k" => Some(FieldAnalysis::Keyword),
            "gapless" => Some(FieldAnalysis::Analyzer(standard(), 0)),
            "backwards" => Some(FieldAnalysis::Analyzer(standard(), -3)),
            _ => None,
        };
        let context = AnalyzeContext {
            registry: &Registry::built_in(),
            field_analyzer: index.map(|_| &fields as &FieldLookup),
            max_token_count,
            index,
        };
        let request = AnalyzeRequest::parse(body.as_bytes(), &[])?;
        analyze(&request, &context).map(|json| String::from_utf8(json).unwrap())
    }

    #[test]
    fn texts_of_a_field_stand_as_far_apart_as_it_has_them() {
        let positions = |field: &str| -> Vec<String> {
            let told = run(&format!(r#"{{"field":"{field}","text":["a b","c"]}}"#), Some("i"), 10).unwrap();
            told.split("\"position\":").skip(1).map(|rest| rest.split('}').next().unwrap().to_owned()).collect()
        };
        assert_eq!(positions("gapless"), ["0", "1", "2"]);
        assert_eq!(positions("backwards"), ["0", "1", "-1"]);
        assert_eq!(positions("another"), ["0", "1", "102"]);
    }

    #[test]
    fn answers_like_the_reference() {
        let cases = [
            (
                r#"{"analyzer":"standard","text":["The Quick","fox"]}"#,
                None,
                r#"{"tokens":[{"token":"the","start_offset":0,"end_offset":3,"type":"<ALPHANUM>","position":0},{"token":"quick","start_offset":4,"end_offset":9,"type":"<ALPHANUM>","position":1},{"token":"fox","start_offset":10,"end_offset":13,"type":"<ALPHANUM>","position":2}]}"#,
            ),
            (
                r#"{"text":["a","b"]}"#,
                Some("i"),
                r#"{"tokens":[{"token":"a","start_offset":0,"end_offset":1,"type":"<ALPHANUM>","position":0},{"token":"b","start_offset":2,"end_offset":3,"type":"<ALPHANUM>","position":101}]}"#,
            ),
            (
                r#"{"tokenizer": "standard", "filter": ["lowercase"], "text": "A", "explain": true}"#,
                None,
                r#"{"detail":{"custom_analyzer":true,"charfilters":[],"tokenizer":{"name":"standard","tokens":[{"token":"A","start_offset":0,"end_offset":1,"type":"<ALPHANUM>","position":0,"bytes":"[41]","positionLength":1,"termFrequency":1}]},"tokenfilters":[{"name":"lowercase","tokens":[{"token":"a","start_offset":0,"end_offset":1,"type":"<ALPHANUM>","position":0,"bytes":"[61]","positionLength":1,"termFrequency":1}]}]}}"#,
            ),
            (
                r#"{"analyzer": "standard", "text": "A", "explain": true, "attributes": ["keyword"]}"#,
                None,
                r#"{"detail":{"custom_analyzer":false,"analyzer":{"name":"standard","tokens":[{"token":"a","start_offset":0,"end_offset":1,"type":"<ALPHANUM>","position":0}]}}}"#,
            ),
            (
                r#"{"tokenizer":"letter","filter":["french_stem"],"text":"pHe","explain":""}"#,
                None,
                r#"{"tokens":[{"token":"pë","start_offset":0,"end_offset":3,"type":"word","position":0}]}"#,
            ),
            (
                r#"{"tokenizer":"uax_url_email","text":"Mailto:x@y.org"}"#,
                None,
                r#"{"tokens":[{"token":"Mailto","start_offset":0,"end_offset":6,"type":"<ALPHANUM>","position":0},{"token":"x@y.org","start_offset":7,"end_offset":14,"type":"<EMAIL>","position":1}]}"#,
            ),
            (
                r#"{"field":"k","text":"A b"}"#,
                Some("i"),
                r#"{"tokens":[{"token":"A b","start_offset":0,"end_offset":3,"type":"word","position":0}]}"#,
            ),
        ];
        for (body, index, answer) in cases {
            assert_eq!(run(body, index, 10_000).unwrap(), answer, "{body}");
        }
    }

    #[test]
    fn refuses_like_the_reference() {
        let cases = [
            (r#"{"analyzer":"x","text":"a"}"#, None, "failed to find global analyzer [x]"),
            (
                &format!(r#"{{"tokenizer":"keyword","filter":[{}"trim"],"text":"a"}}"#, r#""trim","#.repeat(1_000)),
                None,
                "the request has [1001] filters, more than the maximum of [1000]",
            ),
            (
                &format!(
                    r#"{{"tokenizer":"keyword","filter":[{{"type":"multiplexer","filters":[{}"trim"]}}],"text":"a"}}"#,
                    r#""trim","#.repeat(1_000)
                ),
                None,
                "Multiplexing filter [__anonymous__multiplexer] has [1001] filters, more than the maximum of [1000]",
            ),
            (
                &format!(
                    r#"{{"tokenizer":"keyword","filter":[{}"trim"],"text":"{}","explain":true}}"#,
                    r#""trim","#.repeat(900),
                    "a".repeat(100_000)
                ),
                None,
                "the explanation takes more than [67108864] bytes; explain a shorter text, or fewer filters",
            ),
            (r#"{"analyzer":"x","text":"a"}"#, Some("i"), "failed to find analyzer [x]"),
            (r#"{"tokenizer":"x","text":"a"}"#, None, "failed to find global tokenizer under [x]"),
            (r#"{"tokenizer":"standard","filter":["x"],"text":"a"}"#, Some("i"), "failed to find filter under [x]"),
            (
                r#"{"tokenizer":"standard","filter":[{"type":"x"}],"text":"a"}"#,
                Some("i"),
                "failed to find global filter under [x]",
            ),
            (r#"{"tokenizer":{"type":["a"]},"text":"a"}"#, None, "failed to find global tokenizer under [[a]]"),
            (r#"{"filter":["stop"],"text":"a"}"#, None, "Custom normalizer may not use filter [stop]"),
            (
                r#"{"tokenizer":{"max_token_length":3},"text":"a"}"#,
                None,
                "Missing [type] setting for anonymous tokenizer: {\"max_token_length\":\"3\"}",
            ),
            (r#"{"field":"f","text":"a"}"#, None, "analysis based on a specific field requires an index"),
            (
                r#"{"text":["a b","c d"]}"#,
                None,
                "The number of tokens produced by calling _analyze has exceeded the allowed maximum of [3]. This limit can be set by changing the [index.analyze.max_token_count] index level setting.",
            ),
        ];
        for (body, index, reason) in cases {
            assert_eq!(run(body, index, 3).unwrap_err().reason(), reason, "{body}");
        }
    }
}
