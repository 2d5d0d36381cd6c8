//! Documents and queries from ndjson files.

use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

type Error = Box<dyn std::error::Error>;

/// The field of running text in the documents of a corpus.
pub fn text_field(corpus: &str) -> &'static str {
    if corpus == "mix" { "body" } else { "text" }
}

/// The texts of the first `max` documents.
pub fn texts(path: &Path, field: &'static str, max: usize) -> Result<impl Iterator<Item = String>, Error> {
    let file = File::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let texts = BufReader::with_capacity(1 << 20, file).lines().take(max).map(move |line| {
        let line = line.expect("the corpus can be read");
        let doc: Value = serde_json::from_str(&line).expect("a document a line");
        doc[field].as_str().unwrap_or_default().to_owned()
    });
    Ok(texts)
}

/// What is asked of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collect {
    Count,
    Top,
    TopAndCount,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occur {
    Must,
    Should,
    MustNot,
}

/// A clause: a term, or the terms of a phrase.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    pub occur: Occur,
    pub words: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Query {
    pub class: String,
    /// In the grammar of library benchmarks: `+must -not "a phrase" should`.
    pub text: String,
    pub clauses: Vec<Clause>,
    pub collect: Collect,
    /// The body of a search.
    pub body: Value,
}

/// The queries of a file that have a form for libraries, of classes that start with `only`.
pub fn queries(path: &Path, only: &str) -> Result<Vec<Query>, Error> {
    let file = File::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut queries = vec![];
    for line in BufReader::new(file).lines() {
        let query: Value = serde_json::from_str(&line?)?;
        let (Some(class), Some(text)) = (query["class"].as_str(), query["lib"].as_str()) else { continue };
        let collect = match class.rsplit_once('.').map(|(_, collect)| collect) {
            Some("count") => Collect::Count,
            Some("top10") => Collect::Top,
            Some("top10count") => Collect::TopAndCount,
            _ => continue,
        };
        if class.starts_with(only) {
            queries.push(Query {
                class: class.to_owned(),
                text: text.to_owned(),
                clauses: clauses(text),
                collect,
                body: query["body"].clone(),
            });
        }
    }
    // The classes of the file may be mixed.
    queries.sort_by(|a, b| a.class.cmp(&b.class));
    Ok(queries)
}

fn clauses(text: &str) -> Vec<Clause> {
    let (mut clauses, mut rest) = (vec![], text.trim());
    while !rest.is_empty() {
        let (occur, after) = match rest.as_bytes()[0] {
            b'+' => (Occur::Must, &rest[1..]),
            b'-' => (Occur::MustNot, &rest[1..]),
            _ => (Occur::Should, rest),
        };
        let (words, after) = match after.strip_prefix('"') {
            Some(phrase) => phrase.split_once('"').expect("a phrase ends"),
            None => after.split_once(' ').unwrap_or((after, "")),
        };
        clauses.push(Clause { occur, words: words.split_whitespace().map(str::to_lowercase).collect() });
        rest = after.trim_start();
    }
    clauses
}
