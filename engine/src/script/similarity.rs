//! Scripts of similarities: the score of a term in a document, and the weight of a term.

use super::class::registry;
use super::context::Kind;
use super::value::{Data, Obj, Value};
use super::vm::arith::as_double;
use super::{Context, Limits, Script, Vm, context};
use crate::error::{Error, Result};
use std::rc::Rc;

/// What such a script can ask for.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScoredTerm {
    pub boost: f32,
    pub doc_count: i64,
    pub sum_doc_freq: i64,
    pub sum_total_term_freq: i64,
    pub doc_freq: i64,
    pub total_term_freq: i64,
    pub freq: f32,
    pub length: i32,
}

/// A script and the machine that runs it for one document after the other.
pub struct SimilarityScript {
    vm: Vm,
    variables: Vec<Value>,
}

impl SimilarityScript {
    /// A script that scores.
    pub fn score(script: &Script) -> Result<Self> {
        Self::new(script, &context::SIMILARITY)
    }

    /// A script that weighs terms.
    pub fn weight(script: &Script) -> Result<Self> {
        Self::new(script, &context::SIMILARITY_WEIGHT)
    }

    fn new(script: &Script, context: &'static Context) -> Result<Self> {
        let vm = script.vm(context, Limits { fuel: 1_000_000, memory_bytes: 4 << 20 }, 0)?;
        let variable = |(name, kind): &(&'static str, Kind)| match kind {
            Kind::Named(class) => {
                let class = registry().find(class).expect("classes of contexts are in the library");
                Value::Obj(Rc::new(Obj { data: Data::Token(class, name), marked: false.into() }))
            }
            _ => Value::Double(1.0),
        };
        Ok(Self { vm, variables: context.variables.iter().map(variable).collect() })
    }

    /// What the script gives for a term; `weight` goes to scripts that score.
    pub fn run(&mut self, term: ScoredTerm, weight: f64) -> Result<f64> {
        self.vm.scored = term;
        if let Some(Value::Double(variable)) = self.variables.first_mut() {
            *variable = weight;
        }
        let result = match self.vm.execute(&self.variables) {
            Ok(value) => as_double(&value).ok_or_else(|| Error::illegal_argument("the score is no number")),
            Err(failed) => Err(self.vm.to_error(&failed)),
        };
        self.vm.reset();
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Map, Value as Json};

    #[test]
    fn statistics_are_at_hand() {
        let script = |source: &str| Script::new(source, "painless", Json::Object(Map::new()));
        let term = ScoredTerm { boost: 2.0, doc_freq: 3, freq: 4.0, length: 5, ..ScoredTerm::default() };
        let mut score = SimilarityScript::score(&script("weight * doc.freq / doc.length + term.docFreq")).unwrap();
        assert_eq!(score.run(term, 10.0).unwrap(), 11.0);
        assert_eq!(score.run(ScoredTerm { length: 8, ..term }, 10.0).unwrap(), 8.0);
        let mut weight = SimilarityScript::weight(&script("query.boost * field.docCount")).unwrap();
        assert_eq!(weight.run(ScoredTerm { doc_count: 7, ..term }, 0.0).unwrap(), 14.0);
        assert!(SimilarityScript::weight(&script("doc.freq")).is_err());
        assert!(SimilarityScript::score(&script("params.a")).is_err());
    }
}
