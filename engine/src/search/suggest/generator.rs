//! `direct_generator` of phrase suggestions: where the words come from that others are replaced by.

use super::distance::Distance;
use super::parse::{unknown_field, within};
use super::spelling::{Spelling, mode_named, sorts_by_frequency};
use crate::analysis::Analyzer;
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::query::{Node, ShardContext};
use std::sync::Arc;

/// Draws words that are near to what was written.
#[derive(Clone, Debug)]
pub struct Generator {
    pub field: String,
    pub size: usize,
    pub spelling: Spelling,
    pre_filter: Option<String>,
    post_filter: Option<String>,
    /// What shards say of its options, once its filters are known to be there.
    refused: Option<Error>,
}

const TEXTS: &[&str] = &["field", "suggest_mode", "sort", "string_distance", "pre_filter", "post_filter"];
const NUMBERS: &[&str] = &[
    "accuracy",
    "size",
    "max_edits",
    "max_inspections",
    "max_term_freq",
    "prefix_length",
    "min_word_length",
    "min_doc_freq",
];

/// Options that are names of something, which only shards look up.
#[derive(Default)]
struct Names {
    mode: Option<String>,
    sort: Option<String>,
    distance: Option<String>,
}

impl Generator {
    /// The one that there is if none is asked for.
    pub fn of_field(field: &str) -> Self {
        Self {
            field: field.to_owned(),
            size: 5,
            spelling: Spelling::default(),
            pre_filter: None,
            post_filter: None,
            refused: None,
        }
    }

    pub fn parse(node: Node) -> Result<Self> {
        const PARSER: &str = "direct_generator";
        let (mut made, mut names, mut of_field) = (Self::of_field(""), Names::default(), None);
        for field in node.fields() {
            let fits = match field.node.value {
                Value::String(_) => TEXTS.contains(&field.key) || NUMBERS.contains(&field.key),
                value => {
                    NUMBERS.contains(&field.key)
                        && matches!(value, Value::Int(_) | Value::UInt(_) | Value::BigInt(_) | Value::Float(_))
                }
            };
            if !fits {
                if !TEXTS.contains(&field.key) && !NUMBERS.contains(&field.key) {
                    let known: Vec<&str> = TEXTS.iter().chain(NUMBERS).copied().collect();
                    return Err(unknown_field(field.node, field.key_pos, PARSER, field.key, &known));
                }
                let (at, token) = (field.node.location(field.node.pos()), field.node.token());
                let reason = format!("{at} [{PARSER}] {} doesn't support values of type: {token}", field.key);
                return Err(Error::new(ErrorKind::XContentParse, reason));
            }
            let at = field.node.pos();
            let taken = made.take(field.key, field.node, &mut names, &mut of_field);
            within(field.node, PARSER, field.key, || taken.map_err(|error| error.at(at)))?;
        }
        made.field = of_field.ok_or_else(|| Error::illegal_argument("Required [field]"))?;
        made.refused = made.look_up(&names).err();
        Ok(made)
    }

    fn take(&mut self, key: &str, node: Node, names: &mut Names, field: &mut Option<String>) -> Result<()> {
        let spelling = &mut self.spelling;
        // Nothing is below none, and nothing is nearer than equal.
        let count = || node.i32().map(|number| number.max(0) as usize);
        match key {
            "field" => *field = Some(node.text()?),
            "suggest_mode" => names.mode = Some(node.text()?),
            "sort" => names.sort = Some(node.text()?),
            "string_distance" => names.distance = Some(node.text()?),
            "pre_filter" => self.pre_filter = Some(node.text()?),
            "post_filter" => self.post_filter = Some(node.text()?),
            "accuracy" => spelling.accuracy = node.f32()?,
            "size" => match node.i32()? {
                size if size <= 0 => return Err(Error::illegal_argument("Size must be positive")),
                size => self.size = size as usize,
            },
            "max_edits" => match node.i32()? {
                edits @ 1..=2 => spelling.max_edits = edits as u8,
                edits => return Err(Error::illegal_argument(format!("Illegal max_edits value {edits}"))),
            },
            "max_inspections" => spelling.max_inspections = count()?,
            "max_term_freq" => spelling.max_term_freq = node.f32()?,
            "prefix_length" => spelling.prefix_length = count()?,
            "min_word_length" => spelling.min_word_length = count()?,
            _ => spelling.min_doc_freq = node.f32()?,
        }
        Ok(())
    }

    fn look_up(&mut self, names: &Names) -> Result<()> {
        let spelling = &mut self.spelling;
        if let Some(name) = &names.mode {
            let illegal = || Error::illegal_argument(format!("Illegal suggest mode {}", name.to_lowercase()));
            spelling.mode = mode_named(name).ok_or_else(illegal)?;
        }
        if let Some(name) = &names.sort {
            spelling.by_frequency = sorts_by_frequency(name)?;
        }
        if let Some(name) = &names.distance {
            spelling.distance = Distance::named(name)?;
        }
        spelling.check()
    }

    /// What a shard has against it.
    pub fn check(&self, cx: &ShardContext) -> Result<()> {
        for name in [&self.pre_filter, &self.post_filter].into_iter().flatten() {
            analyzer(name, cx)?;
        }
        self.refused.clone().map_or(Ok(()), Err)
    }

    /// What is looked for in the place of a word.
    pub fn before(&self, text: &str, cx: &ShardContext) -> Result<Vec<String>> {
        filtered(self.pre_filter.as_deref(), text, cx)
    }

    /// What a word that was found becomes.
    pub fn behind(&self, text: &str, cx: &ShardContext) -> Result<Vec<String>> {
        filtered(self.post_filter.as_deref(), text, cx)
    }
}

fn filtered(name: Option<&str>, text: &str, cx: &ShardContext) -> Result<Vec<String>> {
    let Some(name) = name else { return Ok(vec![text.to_owned()]) };
    Ok(analyzer(name, cx)?.tokens(text).into_iter().map(|token| token.text).collect())
}

fn analyzer(name: &str, cx: &ShardContext) -> Result<Arc<Analyzer>> {
    let found = cx.mapping.analysis().analyzer(name);
    found.ok_or_else(|| Error::illegal_argument(format!("Analyzer [{name}] doesn't exists")))
}
