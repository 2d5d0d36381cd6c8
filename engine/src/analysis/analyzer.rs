//! An analyzer: a chain with a name and a gap between the values of an array.

use super::chain::Chain;
use super::token::{End, OwnedToken, Scratch, Token};
use crate::{Error, ErrorKind, Result};

/// The positions between two values of an array, so that no phrase matches across them.
pub const POSITION_INCREMENT_GAP: i32 = 100;

/// What the terms of a text field are made with. Immutable; shared behind an `Arc`.
#[derive(Clone, Debug)]
pub struct Analyzer {
    name: String,
    gap: i32,
    /// Made of named components, which explanations show one by one.
    custom: bool,
    /// Made by a field of another one: its components are nobody's to ask for.
    derived: bool,
    /// The filters whose rules may change while the index is there: nothing is indexed with them.
    updateable: Vec<String>,
    chain: Chain,
}

impl Analyzer {
    /// An analyzer that explanations show as a whole.
    pub(crate) fn built_in(name: &str, chain: Chain) -> Self {
        Self {
            name: name.to_owned(),
            gap: POSITION_INCREMENT_GAP,
            custom: false,
            derived: false,
            updateable: vec![],
            chain,
        }
    }

    pub(crate) fn custom(name: &str, gap: i32, chain: Chain) -> Self {
        Self { name: name.to_owned(), gap, custom: true, derived: false, updateable: vec![], chain }
    }

    /// The same with these filters among its own, whose rules may change.
    pub(super) fn with_updateable(self, filters: Vec<String>) -> Self {
        Self { updateable: filters, ..self }
    }

    /// Refuses what only searches may analyze with; `when` it is to run.
    pub fn check_stable(&self, when: &str) -> Result<()> {
        if self.updateable.is_empty() {
            return Ok(());
        }
        let (name, filters) = (&self.name, self.updateable.join(", "));
        let reason =
            format!("analyzer [{name}] contains filters [{filters}] that are not allowed to run in {when} mode.");
        Err(Error::new(ErrorKind::Mapper, reason).with_status(500))
    }

    /// The same, made by a field of another analyzer.
    pub(super) fn derived(self) -> Self {
        Self { derived: true, ..self }
    }

    /// Whether a field has made it of another analyzer.
    pub fn is_derived(&self) -> bool {
        self.derived
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Positions to leave between two values of an array. Less than none make later ones stand further in front where they are
    /// only shown; an index leaves none then.
    pub fn position_increment_gap(&self) -> i32 {
        self.gap
    }

    /// The same in an index.
    pub fn indexed_gap(&self) -> u32 {
        self.gap.max(0).unsigned_abs()
    }

    /// Feeds each token of `text` to `sink`, in order, and tells where the value ended.
    pub fn analyze(&self, text: &str, scratch: &mut Scratch, sink: &mut dyn FnMut(&Token<'_>)) -> End {
        self.chain.run(text, scratch, sink)
    }

    /// A prefix or a pattern as the analyzer's terms are: what it does to single characters.
    pub fn normalize(&self, text: &str) -> String {
        self.chain.normalize(text)
    }

    /// All tokens of `text`: convenient, not fast.
    pub fn tokens(&self, text: &str) -> Vec<OwnedToken> {
        let mut tokens = vec![];
        self.analyze(text, &mut Scratch::default(), &mut |token| tokens.push(OwnedToken::from(token)));
        tokens
    }

    /// Whether the tokens are to be taken position by position although some are longer than one.
    pub fn disables_graphs(&self) -> bool {
        self.chain.filters.iter().any(|filter| filter.part.disables_graphs())
    }

    pub(crate) fn chain(&self) -> &Chain {
        &self.chain
    }

    pub(crate) fn is_custom(&self) -> bool {
        self.custom
    }
}

#[cfg(test)]
mod tests {
    use crate::analysis::Registry;
    use crate::json::parse;

    #[test]
    fn prefixes_are_normalized_by_what_works_on_characters() {
        let definitions = r#"{"filter":{"keep":{"type":"asciifolding","preserve_original":true},"el":{"type":"elision","articles":["d"]}},
            "char_filter":{"and":{"type":"mapping","mappings":["& => and"]}},
            "analyzer":{"folds":{"tokenizer":"ngram","filter":["lowercase","keep","porter_stem","stop"]},
                "elides":{"tokenizer":"standard","filter":["el"]},"reads":{"tokenizer":"standard","char_filter":["html_strip","and"]},
                "letters":{"tokenizer":"lowercase"},"regular":{"type":"pattern","lowercase":false}}}"#;
        let registry = Registry::from_settings(&parse(definitions.as_bytes()).unwrap()).unwrap();
        for (analyzer, text, expected) in [
            ("standard", "THE Flüsse", "the flüsse"),
            ("simple", "A B", "a b"),
            ("pattern", "A B", "a b"),
            ("regular", "A B", "A B"),
            ("whitespace", "AB", "AB"),
            ("fingerprint", "AB", "AB"),
            ("snowball", "AB", "AB"),
            ("estonian", "AB", "ab"),
            ("english", "Running", "running"),
            ("turkish", "Iİ", "ıi"),
            ("german", "Übergrößen", "ubergrossen"),
            ("hindi", "१B", "1b"),
            ("french", "L'Eau", "eau"),
            ("cjk", "ＡＢ", "ab"),
            ("folds", "ÀB", "ab"),
            ("elides", "d'AB", "AB"),
            ("reads", "<b>A&", "<b>Aand"),
            ("letters", "AB", "AB"),
        ] {
            assert_eq!(registry.analyzer(analyzer).unwrap().normalize(text), expected, "{analyzer}");
        }
    }
}
