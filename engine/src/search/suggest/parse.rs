//! The request's `suggest` object.

use super::completion::{CompletionOptions, Fuzzy};
use super::contexts::WantedContexts;
use super::generator::Generator;
use super::model::Smoothing;
use super::phrase::{Collate, PhraseOptions};
use super::spelling::Spelling;
use super::term::TermOptions;
use super::{Kind, Suggest, Suggestion};
use crate::deprecated::note_renamed;
use crate::did_you_mean;
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::query::declared::{BOOL, Declared, FLAG, NUMERIC, OBJECT, STRING, VALUE};
use crate::query::{Expression, Flags, Fuzziness, Node, script_of};

/// Suggestions of one request.
const SUGGESTIONS_MAX: usize = 1_000;

impl Suggest {
    pub fn parse(node: Node) -> Result<Self> {
        let (mut text, mut suggestions) = (None, vec![]);
        for field in node.fields() {
            match field.node.value {
                Value::Object(_) => suggestions.push(Suggestion::parse(field.key, field.node)?),
                Value::Array(_) | Value::Null => {
                    let at = field.node.token();
                    return Err(field.node.error(format!("unexpected token [{at}] after [{}]", field.key)));
                }
                _ if field.key == "text" => text = Some(field.node.text()?),
                _ => {
                    return Err(Error::illegal_argument(format!("[suggest] does not support [{}]", field.key)));
                }
            }
        }
        if suggestions.len() > SUGGESTIONS_MAX {
            return Err(Error::illegal_argument(format!(
                "a request may ask for at most [{SUGGESTIONS_MAX}] suggestions but asks for [{}]",
                suggestions.len()
            )));
        }
        for suggestion in &mut suggestions {
            if suggestion.text.is_none() {
                suggestion.text.clone_from(&text);
                suggestion.prefix.clone_from(&text);
            }
        }
        Ok(Self { suggestions })
    }

    /// The suggestion that URL parameters ask for.
    pub fn of_params(field: &str, text: Option<&str>, mode: Option<&str>, size: Option<usize>) -> Result<Self> {
        if field.is_empty() {
            return Err(Error::illegal_argument("suggestion field name is empty"));
        }
        let mut map = crate::json::Map::new();
        map.insert("field", field);
        if size == Some(0) {
            return Err(Error::illegal_argument("size must be positive"));
        }
        // Without a mode there is none to look up, as the reference has it.
        let mode = mode.ok_or_else(|| Error::new(ErrorKind::NullPointer, "Input string is null"))?;
        map.insert("suggest_mode", mode);
        if let Some(size) = size {
            map.insert("size", size as i64);
        }
        let value = Value::Object(map);
        let body = value.to_bytes();
        let source = crate::query::Source::new(&body);
        let suggestion = term(field, Node::root(&value, &source))?;
        Ok(Self { suggestions: vec![Suggestion { text: text.map(str::to_owned), ..suggestion }] })
    }
}

impl Suggestion {
    fn parse(name: &str, node: Node) -> Result<Self> {
        let (mut text, mut prefix, mut regex, mut parsed) = (None, None, None, None);
        // Lists are passed over, but for what stands in them, which counts as if it stood alone.
        for field in node.fields_in_lists() {
            match (field.key, field.node.value) {
                (_, Value::Null) => {}
                ("text", value) if is_scalar(value) => text = Some(field.node.text()?),
                ("prefix", value) if is_scalar(value) => prefix = Some(field.node.text()?),
                ("regex", value) if is_scalar(value) => regex = Some(field.node.text()?),
                ("term", Value::Object(_)) => parsed = Some(term(name, field.node)?),
                ("phrase", Value::Object(_)) => parsed = Some(phrase(name, field.node)?),
                ("completion", Value::Object(_)) => parsed = Some(completion(name, field.node)?),
                (key, Value::Object(_)) => {
                    let reason = format!("{} unknown field [{key}]", field.node.location(field.node.pos()));
                    return Err(Error::new(ErrorKind::NamedObjectNotFound, reason));
                }
                (key, _) => {
                    return Err(field.node.error(format!("suggestion does not support [{key}]")));
                }
            }
        }
        let parsed = parsed.ok_or_else(|| Error::new(ErrorKind::Parse, "missing suggestion object"))?;
        // Each of them stands for the text where there is none, and a text for the beginning that completions have.
        let begin = prefix.or_else(|| text.clone());
        let text = text.or_else(|| begin.clone()).or_else(|| regex.clone());
        Ok(Self { text, prefix: begin, regex, ..parsed })
    }
}

/// What all kinds have.
#[derive(Default)]
struct Common {
    field: Option<String>,
    analyzer: Option<String>,
    size: Option<usize>,
    shard_size: Option<i32>,
}

impl Common {
    /// Takes an option that all kinds have; false for any other.
    fn take(&mut self, key: &str, node: Node) -> Result<bool> {
        let positive = || match node.i32()? {
            number if number <= 0 => Err(Error::illegal_argument("size must be positive")),
            number => Ok(number as usize),
        };
        match key {
            "field" => self.field = Some(node.text()?),
            "analyzer" => self.analyzer = Some(node.text()?),
            "size" => self.size = Some(positive()?),
            "shard_size" => self.shard_size = Some(node.i32()?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn finish(self, name: &str, kind: Kind) -> Result<Suggestion> {
        let missing = || Error::new(ErrorKind::Parse, "the required field option [field] is missing");
        let field = self.field.ok_or_else(missing)?;
        if field.is_empty() {
            return Err(Error::illegal_argument("suggestion field name is empty"));
        }
        let size = self.size.unwrap_or(5);
        Ok(Suggestion {
            name: name.to_owned(),
            text: None,
            prefix: None,
            regex: None,
            field,
            analyzer: self.analyzer,
            size,
            shard_size: self.shard_size.unwrap_or(i32::try_from(size.max(5)).unwrap_or(i32::MAX)),
            kind,
        })
    }
}

fn term(name: &str, node: Node) -> Result<Suggestion> {
    let (mut common, mut spelling) = (Common::default(), Spelling::default());
    for field in node.fields() {
        if !is_scalar(field.node.value) {
            return Err(field.node.error(format!("suggester[term] parsing failed on [{}]", field.key)));
        }
        if !common.take(field.key, field.node)? && !spelling.take(field.key, field.node)? {
            return Err(field.node.error(format!("suggester[term] doesn't support field [{}]", field.key)));
        }
    }
    common.finish(name, Kind::Term(TermOptions { spelling }))
}

fn is_scalar(value: &Value) -> bool {
    !matches!(value, Value::Object(_) | Value::Array(_) | Value::Null)
}

fn phrase(name: &str, node: Node) -> Result<Suggestion> {
    let (mut common, mut options) = (Common::default(), PhraseOptions::default());
    for field in node.fields() {
        let (key, node) = (field.key, field.node);
        match (key, node.value) {
            (_, value) if is_scalar(value) => {
                if !common.take(key, node)? && !phrase_number(&mut options, key, node)? {
                    return Err(node.error(format!("suggester[phrase] doesn't support field [{key}]")));
                }
            }
            ("direct_generator", Value::Array(_)) => {
                let generator = |item: Node| match item.value {
                    Value::Object(_) => Generator::parse(item),
                    Value::Array(_) => {
                        // What stands in a list within the list is read as if it stood beside the outer one: a third list is one of
                        // generators again.
                        let inner = item.items().next().filter(|inner| matches!(inner.value, Value::Array(_)));
                        let after = inner.map_or_else(|| item.after(), |inner| inner.behind());
                        let lists =
                            if after.1 == "START_OBJECT" { "  doesn't support array" } else { " doesn't support" };
                        Err(node.error_at(after.0, format!("suggester[phrase]{lists} field [{key}]")))
                    }
                    _ => Err(node.error_at(item.after().0, format!("suggester[phrase] doesn't support field [{key}]"))),
                };
                options.generators = node.items().map(generator).collect::<Result<_>>()?;
            }
            ("smoothing", Value::Object(_)) => options.smoothing = Smoothing::parse(node)?,
            ("highlight", Value::Object(_)) => options.tags = tags(node)?,
            ("collate", Value::Object(_)) => options.collate = collate(node)?,
            (_, Value::Null) => return Err(node.error(format!("suggester[phrase] doesn't support field [{key}]"))),
            _ => return Err(node.error(format!("suggester[phrase]  doesn't support array field [{key}]"))),
        }
    }
    common.finish(name, Kind::Phrase(Box::new(options)))
}

fn phrase_number(options: &mut PhraseOptions, key: &str, node: Node) -> Result<bool> {
    let refuse = |reason: &str| Err(Error::illegal_argument(reason));
    match key {
        "real_word_error_likelihood" => {
            options.real_word_likelihood = f64::from(node.f32()?);
            if options.real_word_likelihood <= 0.0 {
                return refuse("real_word_error_likelihood must be > 0.0");
            }
        }
        "confidence" => {
            options.confidence = node.f32()?;
            if options.confidence < 0.0 {
                return refuse("confidence must be >= 0.0");
            }
        }
        "separator" => options.separator = node.text()?,
        "max_errors" => {
            options.max_errors = node.f32()?;
            if options.max_errors <= 0.0 {
                return refuse("max_error must be > 0.0");
            }
        }
        "gram_size" => match node.i32()? {
            size if size < 1 => return refuse("gramSize must be >= 1"),
            size => options.gram_size = Some(size as usize),
        },
        "force_unigrams" => options.force_unigrams = node.bool()?,
        "token_limit" => match node.i32()? {
            limit if limit <= 0 => return refuse("token_limit must be >= 1"),
            limit => options.token_limit = limit as usize,
        },
        _ => return Ok(false),
    }
    Ok(true)
}

#[derive(Default)]
struct Tags {
    before: Option<String>,
    behind: Option<String>,
    /// An object that is taken for the end of all this.
    ended: Option<Error>,
}

impl Tags {
    /// Fields of objects and what lists hold are taken for tags themselves.
    fn read(&mut self, key: &str, node: Node) -> Result<()> {
        match node.value {
            Value::Null => {}
            Value::Object(_) => {
                for field in node.fields() {
                    self.read(field.key, field.node)?;
                    if self.ended.is_some() {
                        return Ok(());
                    }
                }
                self.ended = Some(node.ends_all_around());
            }
            Value::Array(_) => {
                for item in node.items() {
                    self.read(key, item)?;
                    if self.ended.is_some() {
                        return Ok(());
                    }
                }
            }
            _ => match key {
                "pre_tag" => self.before = Some(node.text()?),
                "post_tag" => self.behind = Some(node.text()?),
                _ => return Err(node.error(format!("suggester[phrase][highlight] doesn't support field [{key}]"))),
            },
        }
        Ok(())
    }
}

fn tags(node: Node) -> Result<Option<(String, String)>> {
    let mut tags = Tags::default();
    for field in node.fields() {
        tags.read(field.key, field.node)?;
        if tags.ended.is_some() {
            break;
        }
    }
    match (tags.before, tags.behind) {
        (None, Some(_)) | (Some(_), None) => {
            Err(Error::illegal_argument("Pre and post tag must both be null or both not be null."))
        }
        (before, behind) => tags.ended.map_or(Ok(before.zip(behind)), Err),
    }
}

fn collate(node: Node) -> Result<Option<Collate>> {
    let (mut source, mut params, mut prune) = (None, crate::json::Map::new(), false);
    for field in node.fields() {
        match field.key {
            "query" => {
                script_of(field.node)?;
                let template = field.node.value.get("source").unwrap_or(field.node.value);
                source = Some(match template {
                    Value::String(text) => text.clone(),
                    other => String::from_utf8_lossy(&other.to_bytes()).into_owned(),
                });
            }
            "params" => params = field.node.object().cloned().unwrap_or_default(),
            "prune" => {
                let wrong = || field.node.error("suggester[phrase][collate] prune must be either 'true' or 'false'");
                prune = field.node.bool().map_err(|_| wrong())?;
            }
            key => {
                return Err(field.node.error(format!("suggester[phrase][collate] doesn't support field [{key}]")));
            }
        }
    }
    // Without a query nothing is collated.
    Ok(source.map(|source| Collate { source, params, prune }))
}

const COMPLETION: Declared = Declared {
    name: "completion",
    fields: &[
        ("fuzzy", OBJECT | BOOL),
        ("regex", OBJECT),
        ("field", STRING),
        ("size", NUMERIC),
        ("shard_size", NUMERIC),
        ("analyzer", STRING),
        ("skip_duplicates", FLAG),
        ("contexts", OBJECT),
        ("context", OBJECT),
    ],
};

fn completion(name: &str, node: Node) -> Result<Suggestion> {
    let (mut common, mut options) = (Common::default(), CompletionOptions::default());
    for field in node.fields() {
        COMPLETION.check(&field)?;
        match (field.key, field.node.value) {
            ("fuzzy", Value::Bool(wanted)) => options.fuzzy = wanted.then(Fuzzy::default),
            ("fuzzy", _) => options.fuzzy = Some(within(node, "completion", "fuzzy", || fuzzy(field.node))?),
            ("regex", _) => options.expression = Some(within(node, "completion", "regex", || regex(field.node))?),
            ("skip_duplicates", _) => options.skip_duplicates = COMPLETION.read(&field, |node| node.bool())?,
            ("contexts" | "context", _) => {
                if field.key == "context" {
                    let at = field.node.location(field.node.pos());
                    note_renamed(&format!("[completion]{at}"), "context", "contexts");
                }
                options.contexts = Some(WantedContexts::new(field.node.value));
            }
            (key, _) => drop(COMPLETION.read(&field, |node| common.take(key, node))?),
        }
    }
    common.finish(name, Kind::Completion(Box::new(options)))
}

/// What `read` refuses of an option is told with its parser, where it was refused.
pub(super) fn within<T>(node: Node, parser: &str, option: &str, read: impl FnOnce() -> Result<T>) -> Result<T> {
    read().map_err(|cause| {
        let Some(place) = cause.place() else { return cause };
        let reason = format!("{} [{parser}] failed to parse field [{option}]", node.location(place));
        Error::new(ErrorKind::XContentParse, reason).at(place).caused_by(cause)
    })
}

fn regex(node: Node) -> Result<(Flags, usize)> {
    let mut expression = Expression::new("");
    for option in node.fields() {
        let inner = option.node;
        match (option.key, inner.value) {
            // A number is what the flags stand for together.
            ("flags", Value::Int(bits)) => expression.flags = Flags::of_bits(i32::try_from(*bits).unwrap_or(-1)),
            ("flags", _) => {
                let flags = || Flags::of(&inner.text()?).map_err(|error| error.at(inner.pos()));
                expression.flags = within(node, "regex", "flags", flags)?;
            }
            ("max_determinized_states", _) => {
                let states = || inner.i32().map_err(|error| error.at(inner.pos()));
                expression.max_states =
                    usize::try_from(within(node, "regex", "max_determinized_states", states)?).unwrap_or(0);
            }
            (key, _) => {
                return Err(unknown_field(inner, option.key_pos, "regex", key, &["flags", "max_determinized_states"])
                    .at(inner.pos()));
            }
        }
    }
    Ok((expression.flags, expression.max_states))
}

pub(super) fn unknown_field(node: Node, at: u32, parser: &str, key: &str, known: &[&'static str]) -> Error {
    let hint = did_you_mean::suffix(key, known.iter().copied());
    Error::new(ErrorKind::XContentParse, format!("{} [{parser}] unknown field [{key}]{hint}", node.location(at)))
}

const FUZZY: Declared = Declared {
    name: "fuzzy",
    fields: &[
        ("fuzziness", VALUE),
        ("transpositions", FLAG),
        ("min_length", NUMERIC),
        ("prefix_length", NUMERIC),
        ("unicode_aware", FLAG),
        ("max_determinized_states", NUMERIC),
    ],
};

fn fuzzy(node: Node) -> Result<Fuzzy> {
    let mut fuzzy = Fuzzy::default();
    let count = |node: Node, name: &str| match node.i32()? {
        number if number < 0 => Err(Error::illegal_argument(format!("{name} must not be negative"))),
        number => Ok(number as usize),
    };
    for field in node.fields() {
        FUZZY.check(&field)?;
        let (value, at) = (field.node, field.node.pos());
        let mut read = || {
            match field.key {
                "fuzziness" => {
                    // By the length of a text that nobody knows, which is taken to be this.
                    fuzzy.edits = Fuzziness::parse(value)?.edits("12345");
                }
                "transpositions" => fuzzy.transpositions = value.bool()?,
                "min_length" => fuzzy.min_length = count(value, "fuzzyMinLength")?,
                "prefix_length" => fuzzy.prefix_length = count(value, "fuzzyPrefixLength")?,
                "unicode_aware" => fuzzy.unicode_aware = value.bool()?,
                // No automaton is made.
                _ => drop(count(value, "maxDeterminizedStates")?),
            }
            Ok(())
        };
        within(node, "fuzzy", field.key, || read().map_err(|error: Error| error.at(at)))?;
    }
    Ok(fuzzy)
}
