//! Long texts that are analysed before their document is added.
//!
//! A buffer belongs to a core, and adding a document cannot be interrupted; analysing some megabytes takes as long as thousands of
//! searches. So whoever adds a document with long texts may have these analysed elsewhere first ([`TextAhead::of`]): what is left then
//! is to copy numbers.

use super::document::FieldOp;
use super::term_table::TermTable;
use crate::analysis::{Analyzer, End, Scratch};
use crate::mapping::{DocumentScratch, Mapping, Parsed};
use std::sync::Arc;

/// Shorter texts, in bytes, are analysed where they are added.
pub(super) const LONG_BYTES: usize = 32 << 10;

/// What one text is analysed to.
pub struct TextAhead {
    analyzer: Arc<Analyzer>,
    text: Box<str>,
    terms: TermTable,
    /// By their numbers among the terms.
    tokens: Vec<TokenAhead>,
    end: End,
}

struct TokenAhead {
    term: u32,
    position: u32,
    frequency: u32,
}

impl TextAhead {
    /// The long texts of a document. None of one that is not understood: whoever adds it is told why.
    pub fn of(mapping: &Arc<Mapping>, source: &[u8], id: &str) -> Vec<Self> {
        let (mut scratch, mut ops) = (DocumentScratch::default(), vec![]);
        match mapping.parse_document(source, id, &mut scratch, &mut ops) {
            Ok(Parsed::NeedsMapping(_)) | Err(_) => return vec![],
            Ok(_) => {}
        }
        let long = ops.iter().filter_map(|op| match op {
            FieldOp::Text { field, value } if value.len() >= LONG_BYTES => {
                let analyzer = mapping.by_id(*field).spec.analyzer.as_ref()?;
                Some(Self::analyzed(analyzer, value))
            }
            _ => None,
        });
        long.collect()
    }

    fn analyzed(analyzer: &Arc<Analyzer>, text: &str) -> Self {
        let (mut terms, mut tokens) = (TermTable::default(), vec![]);
        let end = analyzer.analyze(text, &mut Scratch::default(), &mut |token| {
            let term = terms.intern(token.text.as_bytes());
            tokens.push(TokenAhead { term, position: token.position, frequency: token.frequency });
        });
        Self { analyzer: analyzer.clone(), text: text.into(), terms, tokens, end }
    }

    pub(super) fn is_of(&self, analyzer: &Arc<Analyzer>, text: &str) -> bool {
        Arc::ptr_eq(&self.analyzer, analyzer) && *self.text == *text
    }

    /// Calls `found` with each token: its term with the number that this has here, its position and its frequency.
    pub(super) fn tokens(&self, mut found: impl FnMut(&[u8], u32, u32, u32)) -> &End {
        for token in &self.tokens {
            found(self.terms.get(token.term), token.term, token.position, token.frequency);
        }
        &self.end
    }

    pub(super) fn terms(&self) -> usize {
        self.terms.len()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Buffer, IndexDocument};
    use super::*;
    use crate::analysis::Registry;
    use crate::json;
    use crate::mapping::MappingSettings;

    const MAPPING: &[u8] =
        br#"{"properties":{"t":{"type":"text"},"e":{"type":"text","analyzer":"english"},"k":{"type":"keyword"}}}"#;

    #[test]
    fn what_is_analysed_ahead_is_added_as_it_would_have_been() {
        let mapping = json::parse(MAPPING).unwrap();
        let mapping = Mapping::parse(&mapping, &Registry::built_in(), &MappingSettings::default()).unwrap();
        let mapping = Arc::new(mapping);
        let words: String = (0..9_000).map(|n| format!("the foxes {} ", n * n % 997)).collect();
        let document = format!(r#"{{"t":["short","{words}","again"],"e":"{words}","k":"x"}}"#);
        let ahead = TextAhead::of(&mapping, document.as_bytes(), "1");
        assert_eq!(ahead.len(), 2);
        let added = |ahead: Vec<TextAhead>| {
            let (mut scratch, mut ops, mut buffer) = (DocumentScratch::default(), vec![], Buffer::new());
            mapping.parse_document(document.as_bytes(), "1", &mut scratch, &mut ops).unwrap();
            buffer.expect(ahead);
            let (seq_no, version, primary_term) = (0, 1, 1);
            let document = IndexDocument { id: "1", routing: None, source: None, seq_no, version, primary_term, ops };
            buffer.add(&mapping, &document).unwrap();
            let logs = buffer.fields.iter().filter_map(|field| {
                let inverted = field.inverted.as_ref()?;
                let terms: Vec<Vec<u8>> =
                    (0..field.terms.len() as u32).map(|id| field.terms.get(id).to_vec()).collect();
                let log: Vec<u32> = inverted.log.iter().collect();
                Some((field.name.clone(), log, inverted.norm_values.iter().collect::<Vec<u8>>(), terms))
            });
            logs.collect::<Vec<_>>()
        };
        assert_eq!(added(ahead), added(vec![]));
        // What is not understood is for others to refuse.
        assert!(TextAhead::of(&mapping, b"{\"t\":", "1").is_empty());
        assert!(TextAhead::of(&mapping, br#"{"new":1}"#, "1").is_empty());
    }
}
