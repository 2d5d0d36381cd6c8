//! How likely a word is behind others, from the words and word groups of a field.

use super::spelling::{frequencies, max_doc, words};
use crate::error::{Error, Result};
use crate::json::Value;
use crate::query::{Field, Node, PlanContext};

/// What is done about groups of words that were never seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Smoothing {
    StupidBackoff { discount: f64 },
    Laplace { alpha: f64 },
    Linear { trigram: f64, bigram: f64, unigram: f64 },
}

impl Default for Smoothing {
    fn default() -> Self {
        Self::StupidBackoff { discount: 0.4 }
    }
}

/// So that nothing is divided by zero.
const LITTLE: f64 = 0.000_000_000_01;

impl Smoothing {
    /// The last model counts, and each of them has to be one.
    pub fn parse(node: Node) -> Result<Self> {
        node.fields().try_fold(Self::default(), |_, model| Self::parse_model(model))
    }

    fn parse_model(model: Field) -> Result<Self> {
        if model.node.object().is_none() {
            let (token, key) = (model.node.token(), model.key);
            return Err(model.node.error(format!("[smoothing] unknown token [{token}] after [{key}]")));
        }
        let number = |name: &str, otherwise| number_of(&model, name, otherwise);
        match model.key {
            "stupid_backoff" => Ok(Self::StupidBackoff { discount: number("discount", 0.4)? }),
            "laplace" => Ok(Self::Laplace { alpha: number("alpha", 0.5)? }),
            "linear" => {
                let [trigram, bigram, unigram] = ["trigram_lambda", "bigram_lambda", "unigram_lambda"];
                let lambdas = (number(trigram, 0.0)?, number(bigram, 0.0)?, number(unigram, 0.0)?);
                if (lambdas.0 + lambdas.1 + lambdas.2 - 1.0).abs() > 0.001 {
                    return Err(Error::illegal_argument("linear smoothing lambdas must sum to 1"));
                }
                Ok(Self::Linear { trigram: lambdas.0, bigram: lambdas.1, unigram: lambdas.2 })
            }
            other => Err(Error::illegal_argument(format!("suggester[phrase] doesn't support object field [{other}]"))),
        }
    }
}

/// A number of a model, the last one that is written; what stands in a list is read in its place, and nulls are passed over. The model
/// ends with the first object in it.
fn number_of(model: &Field, name: &str, otherwise: f64) -> Result<f64> {
    let mut number = otherwise;
    for field in model.node.fields() {
        let mut read = |node: Node| node.f64().map(|value| number = value);
        read_values(field.node, field.key == name, model.key, &mut read)?;
    }
    Ok(number)
}

fn read_values(node: Node, wanted: bool, model: &str, read: &mut dyn FnMut(Node) -> Result<()>) -> Result<()> {
    match node.value {
        Value::Array(_) => {
            for item in node.items() {
                if item.object().is_some() {
                    let (pos, token) = item.behind();
                    return Err(node.error_at(pos, format!("[smoothing] unknown token [{token}] after [{model}]")));
                }
                read_values(item, wanted, model, read)?;
            }
            Ok(())
        }
        Value::Object(_) => Err(node.ends_all_around()),
        Value::Null => Ok(()),
        _ if wanted => read(node),
        _ => Ok(()),
    }
}

/// A word that may stand at a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    pub text: String,
    /// How often the text has it.
    pub total_term_freq: u64,
    /// How near it is to what was written.
    pub likeness: f64,
    /// What orders the words of one place.
    pub rank: f64,
    pub written: bool,
}

/// The words of one field.
pub struct Model<'a> {
    pub cx: &'a PlanContext<'a>,
    pub field: &'a str,
    pub separator: &'a str,
    pub smoothing: Smoothing,
    vocabulary: f64,
    terms: f64,
}

impl<'a> Model<'a> {
    pub fn new(cx: &'a PlanContext<'a>, field: &'a str, separator: &'a str, smoothing: Smoothing) -> Self {
        let fields = || cx.snapshot.segments.iter().filter_map(|view| view.segment.field(field));
        let vocabulary = words(cx, field);
        // Words of several dictionaries are not known to differ.
        let dictionaries: Vec<u64> = fields().filter_map(|field| Some(field.terms()?.len())).collect();
        let terms = match dictionaries[..] {
            [one] => one,
            _ => max_doc(cx),
        };
        Self { cx, field, separator, smoothing, vocabulary: vocabulary as f64, terms: terms as f64 }
    }

    fn frequency(&self, words: &[&Word]) -> f64 {
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        frequencies(self.cx, self.field, texts.join(self.separator).as_bytes()).1 as f64
    }

    fn unigram(&self, word: &Word) -> f64 {
        let alpha = if let Smoothing::Laplace { alpha } = self.smoothing { alpha } else { 1.0 };
        (alpha + self.frequency(&[word])) / (self.vocabulary + alpha * self.terms)
    }

    fn bigram(&self, word: &Word, before: &Word) -> f64 {
        let count = || self.frequency(&[before, word]);
        let own = before.total_term_freq as f64;
        match self.smoothing {
            Smoothing::StupidBackoff { discount } => match count() {
                count if count < 1.0 => discount * self.unigram(word),
                count => count / (own + LITTLE),
            },
            Smoothing::Laplace { alpha } => (alpha + count()) / (own + alpha * self.terms),
            Smoothing::Linear { bigram, unigram, .. } => match count() {
                count if count < 1.0 => unigram * self.unigram(word),
                count => bigram * (count / (0.5 + own)) + unigram * self.unigram(word),
            },
        }
    }

    fn trigram(&self, word: &Word, before: &Word, first: &Word) -> f64 {
        let count = || self.frequency(&[first, before, word]);
        match self.smoothing {
            Smoothing::StupidBackoff { discount } => {
                let pairs = self.frequency(&[before, word]);
                if pairs < 1.0 {
                    return discount * self.unigram(word);
                }
                match count() {
                    count if count < 1.0 => discount * (pairs / (before.total_term_freq as f64 + LITTLE)),
                    count => count / (pairs + LITTLE),
                }
            }
            Smoothing::Laplace { alpha } => (alpha + count()) / (self.frequency(&[before, word]) + alpha * self.terms),
            // The reference looks these groups up from their end.
            Smoothing::Linear { trigram, .. } => match self.frequency(&[word, before, first]) {
                count if count < 1.0 => self.bigram(word, before),
                count => trigram * (count / (1.0 + self.frequency(&[word, before]))) + self.bigram(word, before),
            },
        }
    }

    /// The score of the last of these words behind the others, looking back over `gram_size` words; `real_word`: how
    /// likely words that were written are what was meant.
    pub fn score(&self, words: &[&Word], gram_size: usize, real_word: f64) -> f64 {
        let (likelihood, word) = match words {
            [.., first, before, word] if gram_size > 2 => (self.trigram(word, before, first), word),
            [.., before, word] if gram_size > 1 => (self.bigram(word, before), word),
            [.., word] => (self.unigram(word), word),
            [] => return 0.0,
        };
        let channel = if word.likeness == 1.0 { real_word } else { word.likeness };
        (channel * likelihood).log10()
    }
}
