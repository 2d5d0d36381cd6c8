//! tantivy's side: one segment, with the tokens that Pith's standard analyzer makes.

use crate::corpus::{Clause, Collect, Occur, Query};
use crate::{Found, TOP};
use pith_engine::analysis::{Analyzer, Registry};
use std::path::Path;
use std::sync::Arc;
use tantivy::collector::{Count, TopDocs};
use tantivy::directory::MmapDirectory;
use tantivy::query::{BooleanQuery, PhraseQuery, Query as Search, TermQuery};
use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{TextAnalyzer, Token, TokenStream, Tokenizer, TokenizerManager};
use tantivy::{Index, Searcher, TantivyDocument, Term};

type Error = Box<dyn std::error::Error>;

const TOKENIZER: &str = "pith";

const MEMORY_BYTES: usize = 1 << 30;

/// tantivy leaves the constant factor `k1 + 1` in its scores.
const SCORE_FACTOR: f32 = 2.2;

pub struct Side {
    searcher: Searcher,
    field: Field,
    analyzer: TextAnalyzer,
}

impl Side {
    /// Opens the index kept in `cache`, or builds it of `texts`.
    pub fn open<I: Iterator<Item = String>>(
        cache: &Path,
        rebuild: bool,
        texts: impl Fn() -> Result<I, Error>,
    ) -> Result<Self, Error> {
        let mut schema = Schema::builder();
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(TOKENIZER)
            .set_index_option(IndexRecordOption::WithFreqsAndPositions);
        let field = schema.add_text_field("text", TextOptions::default().set_indexing_options(indexing));
        let schema = schema.build();
        let path = cache.join("tantivy");
        if rebuild || !path.join("meta.json").exists() {
            if path.exists() {
                std::fs::remove_dir_all(&path)?;
            }
            std::fs::create_dir_all(&path)?;
            let start = std::time::Instant::now();
            build(&path, schema, field, texts()?)?;
            println!("tantivy: indexed in {:.1} s", start.elapsed().as_secs_f64());
        }
        let index = Index::open_in_dir(&path)?;
        let searcher = index.reader()?.searcher();
        assert_eq!(searcher.segment_readers().len(), 1, "one segment");
        Ok(Self { searcher, field, analyzer: TextAnalyzer::from(Standard::new()) })
    }

    /// Analysis of words and making the query of them is part of every run, as it is on the other side.
    fn prepare(&mut self, query: &Query) -> Box<dyn Search> {
        let clauses = &query.clauses;
        if let [one] = clauses.as_slice() {
            return self.clause(one, query.collect);
        }
        let clauses = clauses.iter().map(|clause| {
            let occur = match clause.occur {
                Occur::Must => tantivy::query::Occur::Must,
                Occur::Should => tantivy::query::Occur::Should,
                Occur::MustNot => tantivy::query::Occur::MustNot,
            };
            (occur, self.clause(clause, query.collect))
        });
        Box::new(BooleanQuery::new(clauses.collect()))
    }

    fn clause(&mut self, clause: &Clause, collect: Collect) -> Box<dyn Search> {
        let mut terms: Vec<Term> = Vec::with_capacity(clause.words.len());
        for word in &clause.words {
            let mut tokens = self.analyzer.token_stream(word);
            tokens.process(&mut |token| terms.push(Term::from_field_text(self.field, &token.text)));
        }
        match terms.as_slice() {
            [one] => {
                let count = collect == Collect::Count;
                let record = if count { IndexRecordOption::Basic } else { IndexRecordOption::WithFreqs };
                Box::new(TermQuery::new(one.clone(), record))
            }
            _ => Box::new(PhraseQuery::new(terms)),
        }
    }

    pub fn run(&mut self, query: &Query) -> Result<Found, Error> {
        let collect = query.collect;
        let query = &*self.prepare(query);
        let top = || TopDocs::with_limit(TOP).order_by_score();
        let (best, total) = match collect {
            Collect::Count => (vec![], Some(self.searcher.search(query, &Count)?)),
            Collect::Top => (self.searcher.search(query, &top())?, None),
            Collect::TopAndCount => {
                let (best, total) = self.searcher.search(query, &(top(), Count))?;
                (best, Some(total))
            }
        };
        Ok(Found {
            total: total.map(|total| total as u64),
            top: best.into_iter().map(|(score, at)| (at.doc_id, score / SCORE_FACTOR)).collect(),
        })
    }
}

/// Writes all documents into one segment, in their order.
fn build(path: &Path, schema: Schema, field: Field, texts: impl Iterator<Item = String>) -> Result<(), Error> {
    let tokenizers = TokenizerManager::default();
    tokenizers.register(TOKENIZER, TextAnalyzer::from(Standard::new()));
    let builder = Index::builder().schema(schema).tokenizers(tokenizers);
    let mut writer = builder.single_segment_index_writer(MmapDirectory::open(path)?, MEMORY_BYTES)?;
    for text in texts {
        let mut doc = TantivyDocument::default();
        doc.add_text(field, &text);
        writer.add_document(doc)?;
    }
    writer.finalize()?;
    Ok(())
}

/// Pith's standard analyzer.
#[derive(Clone)]
struct Standard {
    analyzer: Arc<Analyzer>,
    tokens: Vec<Token>,
}

impl Standard {
    fn new() -> Self {
        let analyzer = Registry::built_in().analyzer("standard").expect("a built-in analyzer");
        Self { analyzer, tokens: vec![] }
    }
}

impl Tokenizer for Standard {
    type TokenStream<'a> = Stream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Stream<'a> {
        self.tokens.clear();
        self.tokens.extend(self.analyzer.tokens(text).into_iter().map(|token| Token {
            offset_from: token.start_offset as usize,
            offset_to: token.end_offset as usize,
            position: token.position as usize,
            text: token.text,
            position_length: 1,
        }));
        Stream { tokens: &mut self.tokens, next: 0 }
    }
}

struct Stream<'a> {
    tokens: &'a mut [Token],
    next: usize,
}

impl TokenStream for Stream<'_> {
    fn advance(&mut self) -> bool {
        self.next += 1;
        self.next <= self.tokens.len()
    }

    fn token(&self) -> &Token {
        &self.tokens[self.next - 1]
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.tokens[self.next - 1]
    }
}
