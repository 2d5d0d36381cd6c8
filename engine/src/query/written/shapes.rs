//! The kinds, and what each of them is written with.

/// How a kind is written.
pub(super) struct Shape {
    pub kind: &'static str,
    /// Its name in the text, where that is another.
    pub name: Option<&'static str>,
    pub holds: Holds,
    pub parts: &'static [Part],
    /// When its name is known. Where that is in the order in which things are given, so are the parts.
    pub named: Known,
}

/// Where the parts of a kind stand.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Holds {
    Parts,
    /// Within the field that is asked.
    Field,
    /// Beside the field that is asked, which has its values.
    Values,
}

/// When something that is given is known.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Known {
    BeforeBoost,
    AfterBoost,
    /// As it is given: before the boost, if it stands there.
    InOrder,
}

pub(super) struct Part {
    pub key: &'static str,
    /// What it is called in requests, where that is something else.
    pub given: &'static [&'static str],
    pub form: Form,
    /// As JSON; without one it is only written where it is given.
    pub default: Option<&'static str>,
    /// Where that is not as the kind has it.
    pub known: Option<Known>,
}

#[derive(Clone, Copy)]
pub(super) enum Form {
    Raw,
    Text,
    Upper,
    Lower,
    Int,
    Float,
    Bool,
    /// True, or not written.
    OnlyTrue,
    /// Names with their boosts, by name.
    Fields,
    /// The same, in the order of a hash map.
    HashedFields,
    /// The same, in the order of a copy of one.
    CopiedFields,
    /// Texts, each once, in the order of a hash set.
    Hashed,
    /// Numbers by their names, under what the part is called in the request.
    Numbers,
    List,
    /// Texts, and behind them documents.
    Likes,
    Query,
    Queries,
    Script,
    RegexpFlags,
    SimpleFlags,
    /// Whether a bound belongs to the range: not if it is called so.
    Includes {
        outside: &'static str,
    },
}

use Form::*;

const fn part(key: &'static str, form: Form, default: Option<&'static str>) -> Part {
    Part { key, given: &[], form, default, known: None }
}

/// What has to be given, or is not written.
const fn given(key: &'static str, form: Form) -> Part {
    part(key, form, None)
}

/// What is there in any case.
const fn always(key: &'static str, form: Form, default: &'static str) -> Part {
    part(key, form, Some(default))
}

impl Part {
    const fn late(self) -> Self {
        Self { known: Some(AfterBoost), ..self }
    }

    /// What the kind is made of is known as soon as there is a query of it.
    const fn made_of(self) -> Self {
        Self { known: Some(BeforeBoost), ..self }
    }

    const fn called(self, given: &'static [&'static str]) -> Self {
        Self { given, ..self }
    }
}

const fn shape(kind: &'static str, holds: Holds, named: Known, parts: &'static [Part]) -> Shape {
    Shape { kind, name: None, holds, parts, named }
}

use Holds::{Parts, Values};
use Known::{AfterBoost, BeforeBoost, InOrder};

const OF_FIELD: Holds = Holds::Field;
const ZERO_TERMS: Part = always("zero_terms_query", Upper, r#""NONE""#);
const SYNONYM_PHRASES: Part = always("auto_generate_synonyms_phrase_query", Bool, "true");
const TRANSPOSITIONS: Part = always("fuzzy_transpositions", Bool, "true");
const SHOULD_MATCH: Part = given("minimum_should_match", Text);
const UPPER_OPERATOR: Part = always("operator", Upper, r#""OR""#);
const LOWER_OPERATOR: Part = always("default_operator", Lower, r#""or""#);
const IGNORE_CASE: Part = given("case_insensitive", OnlyTrue).late();
const IGNORE_UNMAPPED: Part = always("ignore_unmapped", Bool, "false");
const MATCH_ALL: &str = r#"{"match_all":{"boost":1.0}}"#;

pub(super) static SHAPES: &[Shape] = &[
    shape(
        "match",
        OF_FIELD,
        BeforeBoost,
        &[
            given("query", Raw),
            UPPER_OPERATOR,
            given("analyzer", Raw),
            given("fuzziness", Upper),
            always("prefix_length", Int, "0"),
            always("max_expansions", Int, "50"),
            SHOULD_MATCH,
            given("fuzzy_rewrite", Raw),
            TRANSPOSITIONS,
            always("lenient", Bool, "false"),
            ZERO_TERMS,
            given("cutoff_frequency", Float),
            SYNONYM_PHRASES,
        ],
    ),
    shape(
        "match_phrase",
        OF_FIELD,
        BeforeBoost,
        &[given("query", Raw), given("analyzer", Raw), always("slop", Int, "0"), ZERO_TERMS],
    ),
    shape(
        "match_phrase_prefix",
        OF_FIELD,
        BeforeBoost,
        &[
            given("query", Raw),
            given("analyzer", Raw),
            always("slop", Int, "0"),
            always("max_expansions", Int, "50"),
            ZERO_TERMS.late(),
        ],
    ),
    shape(
        "match_bool_prefix",
        OF_FIELD,
        AfterBoost,
        &[
            given("query", Raw),
            given("analyzer", Raw),
            UPPER_OPERATOR,
            SHOULD_MATCH,
            given("fuzziness", Upper).late(),
            always("prefix_length", Int, "0").late(),
            always("max_expansions", Int, "50").late(),
            TRANSPOSITIONS.late(),
            given("fuzzy_rewrite", Raw).late(),
        ],
    ),
    shape(
        "multi_match",
        Parts,
        AfterBoost,
        &[
            given("query", Raw),
            always("fields", Fields, "[]"),
            always("type", Lower, r#""best_fields""#),
            UPPER_OPERATOR,
            given("analyzer", Raw),
            always("slop", Int, "0"),
            given("fuzziness", Upper),
            always("prefix_length", Int, "0"),
            always("max_expansions", Int, "50"),
            SHOULD_MATCH,
            given("fuzzy_rewrite", Raw),
            given("tie_breaker", Float),
            given("lenient", Bool).late(),
            given("cutoff_frequency", Float),
            ZERO_TERMS,
            SYNONYM_PHRASES,
            TRANSPOSITIONS.late(),
        ],
    ),
    shape(
        "combined_fields",
        Parts,
        InOrder,
        &[given("query", Raw).made_of(), always("fields", HashedFields, "[]"), UPPER_OPERATOR, SHOULD_MATCH],
    ),
    shape(
        "query_string",
        Parts,
        AfterBoost,
        &[
            given("query", Text),
            given("default_field", Raw),
            always("fields", Fields, "[]"),
            always("type", Lower, r#""best_fields""#),
            given("tie_breaker", Float),
            LOWER_OPERATOR,
            given("analyzer", Raw),
            given("quote_analyzer", Raw),
            always("max_determinized_states", Int, "10000"),
            given("allow_leading_wildcard", Bool),
            always("enable_position_increments", Bool, "true"),
            always("fuzziness", Upper, r#""AUTO""#),
            always("fuzzy_prefix_length", Int, "0"),
            always("fuzzy_max_expansions", Int, "50"),
            given("fuzzy_rewrite", Raw),
            always("phrase_slop", Int, "0"),
            given("analyze_wildcard", Bool),
            given("rewrite", Raw),
            SHOULD_MATCH,
            given("quote_field_suffix", Raw),
            given("lenient", Bool),
            given("time_zone", Raw),
            always("escape", Bool, "false"),
            SYNONYM_PHRASES.late(),
            TRANSPOSITIONS.late(),
        ],
    ),
    shape(
        "simple_query_string",
        Parts,
        AfterBoost,
        &[
            given("query", Text),
            given("fields", CopiedFields),
            given("analyzer", Raw).late(),
            always("flags", SimpleFlags, "-1").late(),
            LOWER_OPERATOR.late(),
            given("lenient", Bool).late(),
            always("analyze_wildcard", Bool, "false").late(),
            given("quote_field_suffix", Raw).late(),
            SHOULD_MATCH.late(),
            SYNONYM_PHRASES.late(),
            always("fuzzy_prefix_length", Int, "0").late(),
            always("fuzzy_max_expansions", Int, "50").late(),
            TRANSPOSITIONS.late(),
        ],
    ),
    shape("term", OF_FIELD, AfterBoost, &[given("value", Raw), IGNORE_CASE]),
    shape("terms", Values, AfterBoost, &[]),
    shape(
        "range",
        OF_FIELD,
        AfterBoost,
        &[
            always("from", Raw, "null").called(&["from", "gte", "gt"]),
            always("to", Raw, "null").called(&["to", "lte", "lt"]),
            always("include_lower", Includes { outside: "gt" }, "true").called(&["include_lower", "gte", "gt"]),
            always("include_upper", Includes { outside: "lt" }, "true").called(&["include_upper", "lte", "lt"]),
            given("time_zone", Raw),
            given("format", Raw).late(),
            given("relation", Lower).late(),
        ],
    ),
    shape("prefix", OF_FIELD, AfterBoost, &[given("value", Raw), given("rewrite", Raw), IGNORE_CASE]),
    shape(
        "wildcard",
        OF_FIELD,
        AfterBoost,
        &[given("wildcard", Raw).called(&["wildcard", "value"]), given("rewrite", Raw), IGNORE_CASE],
    ),
    shape(
        "regexp",
        OF_FIELD,
        AfterBoost,
        &[
            given("value", Raw),
            always("flags_value", RegexpFlags, "255").called(&["flags_value", "flags"]),
            IGNORE_CASE,
            always("max_determinized_states", Int, "10000"),
            given("rewrite", Raw),
        ],
    ),
    shape(
        "fuzzy",
        OF_FIELD,
        AfterBoost,
        &[
            given("value", Raw),
            always("fuzziness", Upper, r#""AUTO""#),
            always("prefix_length", Int, "0"),
            always("max_expansions", Int, "50"),
            always("transpositions", Bool, "true"),
            given("rewrite", Raw),
        ],
    ),
    shape("exists", Parts, BeforeBoost, &[given("field", Raw)]),
    shape("ids", Parts, InOrder, &[always("values", Hashed, "[]")]),
    shape("match_all", Parts, InOrder, &[]),
    shape("match_none", Parts, AfterBoost, &[]),
    shape(
        "terms_set",
        OF_FIELD,
        BeforeBoost,
        &[
            given("terms", Raw),
            given("minimum_should_match_field", Raw).late(),
            given("minimum_should_match_script", Script).late(),
        ],
    ),
    shape(
        "nested",
        Parts,
        BeforeBoost,
        &[given("query", Query), given("path", Raw), IGNORE_UNMAPPED, always("score_mode", Lower, r#""avg""#)],
    ),
    shape(
        "has_child",
        Parts,
        BeforeBoost,
        &[
            given("query", Query),
            given("type", Raw),
            always("score_mode", Lower, r#""none""#),
            always("min_children", Int, "1"),
            always("max_children", Int, "2147483647"),
            IGNORE_UNMAPPED.late(),
        ],
    ),
    shape(
        "has_parent",
        Parts,
        BeforeBoost,
        &[given("query", Query), given("parent_type", Raw), always("score", Bool, "false"), IGNORE_UNMAPPED],
    ),
    shape("parent_id", Parts, BeforeBoost, &[given("type", Raw), given("id", Text), IGNORE_UNMAPPED.late()]),
    shape(
        "bool",
        Parts,
        InOrder,
        &[
            given("must", Queries),
            given("filter", Queries),
            given("must_not", Queries).called(&["must_not", "mustNot"]),
            given("should", Queries),
            always("adjust_pure_negative", Bool, "true"),
            SHOULD_MATCH,
        ],
    ),
    shape(
        "boosting",
        Parts,
        AfterBoost,
        &[given("positive", Query), given("negative", Query), given("negative_boost", Float)],
    ),
    shape("constant_score", Parts, AfterBoost, &[given("filter", Query)]),
    shape(
        "dis_max",
        Parts,
        BeforeBoost,
        &[always("tie_breaker", Float, "0.0"), always("queries", Queries, "[]").late()],
    ),
    shape(
        "function_score",
        Parts,
        AfterBoost,
        &[
            always("query", Query, MATCH_ALL),
            // Those that are given are not written.
            always("functions", Raw, "[]").called(&[""]),
            always("score_mode", Lower, r#""multiply""#),
            given("boost_mode", Lower),
            always("max_boost", Float, "3.4028235E38"),
            given("min_score", Float),
        ],
    ),
    shape(
        "script_score",
        Parts,
        AfterBoost,
        &[given("query", Query), given("script", Script), given("min_score", Float)],
    ),
    shape("script", Parts, AfterBoost, &[given("script", Script)]),
    shape(
        "more_like_this",
        Parts,
        AfterBoost,
        &[
            given("fields", List),
            given("like", Likes),
            given("unlike", Likes),
            always("max_query_terms", Int, "25"),
            always("min_term_freq", Int, "2"),
            always("min_doc_freq", Int, "5"),
            always("max_doc_freq", Int, "2147483647"),
            always("min_word_length", Int, "0"),
            always("max_word_length", Int, "0"),
            given("stop_words", List).late(),
            given("analyzer", Raw),
            always("minimum_should_match", Text, r#""30%""#),
            always("boost_terms", Float, "0.0"),
            always("include", Bool, "false"),
            always("fail_on_unsupported_field", Bool, "true"),
        ],
    ),
    shape(
        "distance_feature",
        Parts,
        InOrder,
        &[given("field", Raw).made_of(), given("origin", Text).made_of(), given("pivot", Raw).made_of()],
    ),
    shape(
        "rank_feature",
        Parts,
        AfterBoost,
        &[given("field", Raw), always("saturation", Numbers, "{}").called(&["log", "saturation", "sigmoid", "linear"])],
    ),
    shape("span_term", OF_FIELD, AfterBoost, &[given("value", Raw).called(&["value", "term"])]),
    shape("span_or", Parts, AfterBoost, &[given("clauses", Queries)]),
    shape(
        "span_near",
        Parts,
        AfterBoost,
        &[given("clauses", Queries), always("slop", Int, "0"), always("in_order", Bool, "true")],
    ),
    shape(
        "span_not",
        Parts,
        AfterBoost,
        &[given("include", Query), given("exclude", Query), always("pre", Int, "0"), always("post", Int, "0")],
    ),
    shape("span_first", Parts, AfterBoost, &[given("match", Query), given("end", Int)]),
    shape("span_multi", Parts, AfterBoost, &[given("match", Query)]),
    shape("span_containing", Parts, AfterBoost, &[given("big", Query), given("little", Query)]),
    shape("span_within", Parts, AfterBoost, &[given("big", Query), given("little", Query)]),
    Shape {
        name: Some("span_field_masking"),
        ..shape("field_masking_span", Parts, AfterBoost, &[given("query", Query), given("field", Raw)])
    },
];
