//! Synonym rules: the Solr and WordNet formats, and the map from inputs to outputs.

use crate::analysis::chain::Chain;
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use crate::analysis::token::TokenBuf;
use crate::{Error, ErrorKind, Result};
use hashbrown::{HashMap, HashSet};
use std::hash::BuildHasher;

/// What an input becomes.
#[derive(Clone, Debug, Default)]
pub(super) struct Outputs {
    /// Each a run of words.
    pub words: Vec<Vec<String>>,
    /// The input stays beside its synonyms.
    pub keep_original: bool,
}

/// Inputs by their words, as a trie.
#[derive(Debug)]
pub(super) struct SynonymMap {
    nodes: Vec<Node>,
}

#[derive(Debug, Default)]
struct Node {
    children: HashMap<String, usize>,
    outputs: Option<Outputs>,
}

impl SynonymMap {
    /// Reads the rules of `params`, whose texts are analyzed by the chain before the filter.
    pub fn read(params: &Params, context: &Context) -> Result<Self> {
        let (expand, lenient) = Self::flags(params)?;
        // Whether rules can be read at all is seen before there are any.
        let chain = chain_for_rules(params, context)?;
        let lines = match params.text("synonyms_path") {
            Some(path) => {
                let text = params.file(&path)?.map_err(|error| error.reading("synonyms_path", &path))?;
                Some(vec![text.to_string()])
            }
            None => params.rules("synonyms").filter(|_| !params.is_blank("synonyms")),
        };
        let Some(lines) = lines else {
            return Err(Error::illegal_argument(
                "synonym requires either `synonyms` or `synonyms_path` to be configured",
            ));
        };
        let wordnet = match params.text("format").as_deref() {
            None | Some("solr") => false,
            Some("wordnet") => true,
            // The reference takes any other format for its own.
            Some(_) => false,
        };
        let map = Self { nodes: vec![Node::default()] };
        let mut builder = Builder { map, chain, expand, lenient, known: HashSet::new(), bytes: 0 };
        let read = if wordnet { builder.wordnet(&lines) } else { builder.solr(&lines) };
        read.map_err(|_| Error::illegal_argument("Failed to build synonyms"))?;
        Ok(builder.map)
    }

    /// `expand` and `lenient`, which are read before the rest. Whether rules may be read again is for search analyzers to know: here
    /// they are read again in any case.
    pub fn flags(params: &Params) -> Result<(bool, bool)> {
        params.bool("updateable", false)?;
        Ok((params.bool("expand", true)?, params.bool("lenient", false)?))
    }

    /// The longest input that begins at token `at`: how many tokens it has, and its outputs.
    pub fn longest(&self, tokens: &TokenBuf, at: usize) -> Option<(usize, &Outputs)> {
        let (mut node, mut best) = (0, None);
        for next in at..tokens.len() {
            match self.nodes[node].children.get(tokens.text(next)) {
                Some(child) => node = *child,
                None => break,
            }
            if let Some(outputs) = &self.nodes[node].outputs {
                best = Some((next + 1 - at, outputs));
            }
        }
        best
    }

    /// Where outputs of an input are kept.
    fn node(&mut self, input: &[String]) -> usize {
        let mut node = 0;
        for word in input {
            let next = self.nodes.len();
            let child = *self.nodes[node].children.entry(word.clone()).or_insert(next);
            if child == next {
                self.nodes.push(Node::default());
            }
            node = child;
        }
        node
    }
}

/// What analyzes the texts of rules: the named analyzer, or the chain before the filter as far as it gives one token
/// after the other.
fn chain_for_rules(params: &Params, context: &Context) -> Result<Chain> {
    if let Some(name) = params.text("synonym_analyzer").or(params.text("analyzer")) {
        return context.components.chain_of_analyzer(&name);
    }
    let mut chain = Chain::new(context.before.char_filters.clone(), context.before.tokenizer.clone(), vec![]);
    for filter in &context.before.filters {
        match filter.part.in_rules() {
            super::super::InRules::Same => chain.push(filter.clone()),
            super::super::InRules::Skipped => {}
            super::super::InRules::Refused => {
                return Err(Error::illegal_argument(format!(
                    "Token filter [{}] cannot be used to parse synonyms",
                    filter.name
                )));
            }
        }
    }
    Ok(chain)
}

struct Builder {
    map: SynonymMap,
    chain: Chain,
    expand: bool,
    lenient: bool,
    /// Hashes of the outputs of nodes, for inputs that have thousands.
    known: HashSet<(usize, u64)>,
    /// What the outputs take.
    bytes: usize,
}

/// What the outputs of all rules may take. Of the words of one line each has all others for outputs.
const OUTPUT_BYTES_MAX: usize = 256 << 20;
/// What an output takes beside its words.
const OUTPUT_BYTES: usize = size_of::<Vec<String>>() + 32;

impl Builder {
    fn add(&mut self, input: &[String], output: &[String], keep_original: bool) -> Result<()> {
        let node = self.map.node(input);
        let outputs = self.map.nodes[node].outputs.get_or_insert_default();
        outputs.keep_original |= keep_original;
        let hash = self.known.hasher().hash_one(output);
        if !self.known.insert((node, hash)) && outputs.words.iter().any(|known| known == output) {
            return Ok(());
        }
        self.bytes += output.iter().map(|word| word.len() + size_of::<String>()).sum::<usize>() + OUTPUT_BYTES;
        if self.bytes > OUTPUT_BYTES_MAX {
            let reason = format!("synonyms take more than [{OUTPUT_BYTES_MAX}] bytes when they are expanded");
            return Err(Error::illegal_argument(reason));
        }
        outputs.words.push(output.to_vec());
        Ok(())
    }

    /// `a, b => c` and `a, b, c`; `#` begins a comment, a backslash takes the meaning of the next character away.
    fn solr(&mut self, lines: &[String]) -> Result<()> {
        for (number, line) in lines.iter().flat_map(|text| text.lines()).enumerate() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            self.solr_rule(line).map_err(|cause| {
                Error::new(ErrorKind::Parse, format!("Invalid synonym rule at line {}", number + 1)).caused_by(cause)
            })?;
        }
        Ok(())
    }

    fn solr_rule(&mut self, line: &str) -> Result<()> {
        let sides = split(line, "=>");
        match sides.as_slice() {
            [_] => {
                let words = self.words_of(&split(line, ","))?;
                self.add_equivalent(&words)
            }
            [from, to] => {
                let (from, to) = (self.words_of(&split(from, ","))?, self.words_of(&split(to, ","))?);
                for input in &from {
                    for output in &to {
                        self.add(input, output, false)?;
                    }
                }
                Ok(())
            }
            _ => Err(Error::illegal_argument("more than one explicit mapping specified on the same line")),
        }
    }

    /// `s(100000001,1,'abstain',v,1,0).`: words with the same first number are synonyms.
    fn wordnet(&mut self, lines: &[String]) -> Result<()> {
        let mut last: Option<&str> = None;
        let mut set = vec![];
        let mut sets = vec![];
        for line in lines.iter().flat_map(|text| text.lines()).filter(|line| !line.is_empty()) {
            let id = line.get(2..11).unwrap_or(line);
            if last.is_some_and(|last| last != id) {
                sets.push(std::mem::take(&mut set));
            }
            last = Some(id);
            let quoted = line.find('\'').zip(line.rfind('\'')).filter(|(start, end)| start < end);
            let Some((start, end)) = quoted else {
                return Err(Error::new(ErrorKind::Parse, format!("Invalid synonym rule: {line}")));
            };
            set.push(line[start + 1..end].replace("''", "'"));
        }
        sets.push(set);
        for set in sets {
            let words = self.words_of(&set)?;
            self.add_equivalent(&words)?;
        }
        Ok(())
    }

    /// Each for each other; or all for the first.
    fn add_equivalent(&mut self, words: &[Vec<String>]) -> Result<()> {
        for (i, input) in words.iter().enumerate() {
            if !self.expand {
                self.add(input, &words[0], false)?;
                continue;
            }
            for (j, output) in words.iter().enumerate() {
                if i != j {
                    self.add(input, output, true)?;
                }
            }
        }
        Ok(())
    }

    /// Analyzes each text. Lenient rules go without the texts that cannot be analyzed.
    fn words_of(&self, texts: &[String]) -> Result<Vec<Vec<String>>> {
        let mut all = vec![];
        for text in texts {
            match self.words(unescape(text).trim()) {
                Ok(words) => all.push(words),
                Err(_) if self.lenient => {}
                Err(error) => return Err(error),
            }
        }
        Ok(all)
    }

    fn words(&self, text: &str) -> Result<Vec<String>> {
        let tokens = self.chain.tokens(text);
        for (token, item) in tokens.iter() {
            if token.is_empty() {
                return Err(Error::illegal_argument(format!("term: {text} analyzed to a zero-length token")));
            }
            if item.increment != 1 {
                return Err(Error::illegal_argument(format!(
                    "term: {text} analyzed to a token ({token}) with position increment != 1 (got: {})",
                    item.increment
                )));
            }
        }
        if tokens.len() == 0 {
            return Err(Error::illegal_argument(format!("term: {text} was completely eliminated by analyzer")));
        }
        Ok(tokens.iter().map(|(token, _)| token.to_owned()).collect())
    }
}

/// Splits at `separator`, but not behind a backslash. Backslashes stay.
fn split(text: &str, separator: &str) -> Vec<String> {
    let (mut parts, mut part) = (vec![], String::new());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix(separator) {
            if !part.is_empty() {
                parts.push(std::mem::take(&mut part));
            }
            rest = after;
            continue;
        }
        let len = if c == '\\' { 1 + rest[1..].chars().next().map_or(0, char::len_utf8) } else { c.len_utf8() };
        part.push_str(&rest[..len]);
        rest = &rest[len..];
    }
    if !part.is_empty() {
        parts.push(part);
    }
    parts
}

fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        out.push(if c == '\\' { chars.next().unwrap_or(c) } else { c });
    }
    out
}
