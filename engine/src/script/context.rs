//! Where scripts are used: the variables that are there, and the type of the result.

use super::types::Type;

/// A kind of script.
#[derive(Debug)]
pub struct Context {
    pub name: &'static str,
    /// Variables that the caller passes, in order.
    pub variables: &'static [(&'static str, Kind)],
    pub returns: Kind,
    /// Whether there is a current document with `doc` (and `_score`, where it is one of the variables).
    pub scores: bool,
    /// Whether `params` has the source of the document.
    pub sources: bool,
    /// Whether compilations are not counted against the rate.
    pub unlimited: bool,
}

/// Types of variables and results, by name as the registry is not there at compile time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Void,
    Bool,
    Double,
    Def,
    Map,
    List,
    Str,
    Number,
    Doubles,
    Named(&'static str),
}

impl Kind {
    pub fn as_type(self) -> Type {
        let named = |name| Type::named(name, 0).unwrap_or(Type::DEF);
        match self {
            Self::Void => Type::VOID,
            Self::Bool => Type::BOOL,
            Self::Double => Type::DOUBLE,
            Self::Def => Type::DEF,
            Self::Map => named("Map"),
            Self::List => named("List"),
            Self::Str => Type::STRING,
            Self::Number => named("Number"),
            Self::Doubles => Type { dims: 1, ..Type::DOUBLE },
            Self::Named(name) => named(name),
        }
    }
}

impl Context {
    /// How many of the variables are arguments to the reference; it counts the others among its own.
    pub fn arguments(&self) -> usize {
        match self.name {
            "analysis" | "interval" | "moving-function" | "script_heuristic" | "similarity" | "similarity_weight" => {
                self.variables.len()
            }
            "context_aware_grouping" | "ingest" | "processor_conditional" | "score" | "search" => 1,
            _ => 0,
        }
    }

    /// Whether scripts of this kind may change `params`: where documents, buckets and states are at hand it is a map of the request's own.
    pub fn changes_params(&self) -> bool {
        !matches!(
            self.name,
            "filter" | "ingest" | "painless_test" | "processor_conditional" | "search" | "template" | "update"
        )
    }

    /// Whether scripts of this kind have a method.
    pub fn allows(&self, method: &str) -> bool {
        allows(self.name, method)
    }
}

/// Whether scripts of a context have a method. Digests of texts are for those that change documents.
pub(super) fn allows(context: &str, method: &str) -> bool {
    !matches!(method, "sha1" | "sha256") || matches!(context, "ingest" | "update")
}

const PARAMS: (&str, Kind) = ("params", Kind::Map);
const DOC: (&str, Kind) = ("doc", Kind::Map);
const CTX: (&str, Kind) = ("ctx", Kind::Map);

const fn context(name: &'static str, variables: &'static [(&'static str, Kind)], returns: Kind) -> Context {
    Context { name, variables, returns, scores: false, sources: false, unlimited: false }
}

const fn scoring(mut context: Context) -> Context {
    context.scores = true;
    context
}

const fn with_source(mut context: Context) -> Context {
    context.sources = true;
    context
}

const fn unlimited(mut context: Context) -> Context {
    context.unlimited = true;
    context
}

pub static AGGREGATION_SELECTOR: Context = context("aggregation_selector", &[PARAMS], Kind::Bool);
pub static AGGS: Context = with_source(scoring(context("aggs", &[PARAMS, DOC, ("_value", Kind::Def)], Kind::Def)));
pub static AGGS_COMBINE: Context = context("aggs_combine", &[PARAMS, ("state", Kind::Map)], Kind::Def);
pub static AGGS_INIT: Context = context("aggs_init", &[PARAMS, ("state", Kind::Def)], Kind::Void);
pub static AGGS_MAP: Context =
    with_source(scoring(context("aggs_map", &[PARAMS, DOC, ("state", Kind::Map)], Kind::Void)));
pub static AGGS_REDUCE: Context = context("aggs_reduce", &[PARAMS, ("states", Kind::List)], Kind::Def);
pub static ANALYSIS: Context =
    context("analysis", &[("token", Kind::Named("AnalysisPredicateScript.Token"))], Kind::Bool);
pub static BUCKET_AGGREGATION: Context = context("bucket_aggregation", &[PARAMS], Kind::Number);
pub static CONTEXT_AWARE_GROUPING: Context = context("context_aware_grouping", &[CTX], Kind::Str);
pub static DERIVED_FIELD: Context = with_source(context("derived_field", &[PARAMS, DOC], Kind::Void));
pub static FIELD: Context = with_source(context("field", &[PARAMS, DOC], Kind::Def));
pub static FILTER: Context = context("filter", &[PARAMS, DOC], Kind::Bool);
pub static INGEST: Context = unlimited(context("ingest", &[PARAMS, CTX], Kind::Void));
pub static INTERVAL: Context =
    context("interval", &[("interval", Kind::Named("IntervalFilterScript.Interval"))], Kind::Bool);
pub static MOVING_FUNCTION: Context = context("moving-function", &[PARAMS, ("values", Kind::Doubles)], Kind::Double);
pub static NUMBER_SORT: Context = with_source(scoring(context("number_sort", &[PARAMS, DOC], Kind::Double)));
pub static PAINLESS_TEST: Context = context("painless_test", &[PARAMS], Kind::Def);
pub static PROCESSOR_CONDITIONAL: Context = unlimited(context("processor_conditional", &[PARAMS, CTX], Kind::Bool));
pub static SCORE: Context = with_source(scoring(context("score", &[PARAMS, DOC], Kind::Double)));
pub static SEARCH: Context = unlimited(context("search", &[PARAMS, CTX], Kind::Void));
pub static SCRIPT_HEURISTIC: Context = context("script_heuristic", &[PARAMS], Kind::Double);
pub static SIMILARITY: Context = context(
    "similarity",
    &[
        ("weight", Kind::Double),
        ("query", Kind::Named("org.opensearch.index.similarity.ScriptedSimilarity.Query")),
        ("field", Kind::Named("org.opensearch.index.similarity.ScriptedSimilarity.Field")),
        ("term", Kind::Named("org.opensearch.index.similarity.ScriptedSimilarity.Term")),
        ("doc", Kind::Named("org.opensearch.index.similarity.ScriptedSimilarity.Doc")),
    ],
    Kind::Double,
);
pub static SIMILARITY_WEIGHT: Context = context(
    "similarity_weight",
    &[
        ("query", Kind::Named("org.opensearch.index.similarity.ScriptedSimilarity.Query")),
        ("field", Kind::Named("org.opensearch.index.similarity.ScriptedSimilarity.Field")),
        ("term", Kind::Named("org.opensearch.index.similarity.ScriptedSimilarity.Term")),
    ],
    Kind::Double,
);
pub static STRING_SORT: Context = with_source(scoring(context("string_sort", &[PARAMS, DOC], Kind::Str)));
pub static TEMPLATE: Context = context("template", &[PARAMS], Kind::Str);
pub static TERMS_SET: Context = with_source(context("terms_set", &[PARAMS, DOC], Kind::Number));
pub static UPDATE: Context = context("update", &[PARAMS, CTX], Kind::Void);

pub static CONTEXTS: &[&Context] = &[
    &AGGREGATION_SELECTOR,
    &AGGS,
    &AGGS_COMBINE,
    &AGGS_INIT,
    &AGGS_MAP,
    &AGGS_REDUCE,
    &ANALYSIS,
    &BUCKET_AGGREGATION,
    &CONTEXT_AWARE_GROUPING,
    &DERIVED_FIELD,
    &FIELD,
    &FILTER,
    &INGEST,
    &INTERVAL,
    &MOVING_FUNCTION,
    &NUMBER_SORT,
    &PAINLESS_TEST,
    &PROCESSOR_CONDITIONAL,
    &SCORE,
    &SCRIPT_HEURISTIC,
    &SEARCH,
    &SIMILARITY,
    &SIMILARITY_WEIGHT,
    &STRING_SORT,
    &TEMPLATE,
    &TERMS_SET,
    &UPDATE,
];
