//! Classes of what similarities are reckoned from. Their objects hold nothing: the machine knows the term that is scored.

use super::super::class::{ClassRow, Row};
use super::super::value::Value;

pub static CLASSES: &[ClassRow] = &[
    ClassRow::new(
        "org.opensearch.index.similarity.ScriptedSimilarity.Query",
        &[],
        &[Row("float getBoost()", |vm, _| Ok(Value::Float(vm.scored.boost)))],
    ),
    ClassRow::new(
        "org.opensearch.index.similarity.ScriptedSimilarity.Field",
        &[],
        &[
            Row("long getDocCount()", |vm, _| Ok(Value::Long(vm.scored.doc_count))),
            Row("long getSumDocFreq()", |vm, _| Ok(Value::Long(vm.scored.sum_doc_freq))),
            Row("long getSumTotalTermFreq()", |vm, _| Ok(Value::Long(vm.scored.sum_total_term_freq))),
        ],
    ),
    ClassRow::new(
        "org.opensearch.index.similarity.ScriptedSimilarity.Term",
        &[],
        &[
            Row("long getDocFreq()", |vm, _| Ok(Value::Long(vm.scored.doc_freq))),
            Row("long getTotalTermFreq()", |vm, _| Ok(Value::Long(vm.scored.total_term_freq))),
        ],
    ),
    ClassRow::new(
        "org.opensearch.index.similarity.ScriptedSimilarity.Doc",
        &[],
        &[
            Row("float getFreq()", |vm, _| Ok(Value::Float(vm.scored.freq))),
            Row("int getLength()", |vm, _| Ok(Value::Int(vm.scored.length))),
        ],
    ),
];
