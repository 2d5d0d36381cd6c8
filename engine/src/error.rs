//! The error kinds of the REST interface: one row per kind, its OpenSearch type name and HTTP status beside each other.
//!
//! Every layer of Pith speaks this error. It renders itself into the `error` object of a response; what it does not know
//! is which request or shard it belongs to: layers add that with [`Error::with`].

use crate::json::{Value, Writer};
use std::fmt;

pub type Result<T, E = Error> = std::result::Result<T, E>;

macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $status:literal;)*) => {
        /// What went wrong, as the interface names it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ErrorKind { $($(#[$doc])* $variant,)* }

        impl ErrorKind {
            /// The `type` of the `error` object.
            pub const fn type_name(self) -> &'static str { match self { $(Self::$variant => $name,)* } }
            /// The HTTP status a response with this error has unless a wrapping error decides otherwise.
            pub const fn status(self) -> u16 { match self { $(Self::$variant => $status,)* } }
            /// The kind with this `type` name, for errors that arrive from another node.
            pub fn from_type_name(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

kinds! {
    IllegalArgument = "illegal_argument_exception", 400;
    NumberFormat = "number_format_exception", 400;
    /// A query string that cannot be decoded.
    BadParameter = "bad_parameter_exception", 400;
    Parsing = "parsing_exception", 400;
    Parse = "parse_exception", 400;
    XContentParse = "x_content_parse_exception", 400;
    /// Body that is not JSON at all.
    JsonParse = "json_parse_exception", 400;
    JsonEof = "unexpected_end_of_input_exception", 400;
    /// Bytes end before what is read of them does.
    EndOfFile = "e_o_f_exception", 500;
    /// What stands behind [`ErrorKind::JsonParse`].
    StreamRead = "stream_read_exception", 400;
    MapperParsing = "mapper_parsing_exception", 400;
    StrictDynamicMapping = "strict_dynamic_mapping_exception", 400;
    Mapper = "mapper_exception", 400;
    DateTime = "date_time_exception", 500;
    DateTimeParse = "date_time_parse_exception", 400;
    ZoneRules = "zone_rules_exception", 400;
    ActionRequestValidation = "action_request_validation_exception", 400;
    Validation = "validation_exception", 400;
    IndexTemplateMissing = "index_template_missing_exception", 404;
    InvalidIndexName = "invalid_index_name_exception", 400;
    InvalidAliasName = "invalid_alias_name_exception", 400;
    InvalidTypeName = "invalid_type_name_exception", 400;
    InvalidIndexTemplate = "invalid_index_template_exception", 400;
    ResourceAlreadyExists = "resource_already_exists_exception", 400;
    ResourceNotFound = "resource_not_found_exception", 404;
    IndexNotFound = "index_not_found_exception", 404;
    AliasesNotFound = "aliases_not_found_exception", 404;
    ViewNotFound = "view_not_found_exception", 404;
    ViewAlreadyExists = "view_already_exists_exception", 400;
    UnsupportedWeightedRoutingState = "unsupported_weighted_routing_state_exception", 409;
    DecommissioningFailed = "decommissioning_failed_exception", 400;
    ShardNotFound = "shard_not_found_exception", 404;
    DocumentMissing = "document_missing_exception", 404;
    DocumentSourceMissing = "document_source_missing_exception", 400;
    NotFound = "not_found_exception", 404;
    IndexClosed = "index_closed_exception", 400;
    RoutingMissing = "routing_missing_exception", 400;
    Settings = "settings_exception", 400;
    QueryShard = "query_shard_exception", 400;
    QueryValidation = "query_validation_exception", 400;
    Search = "search_exception", 500;
    /// A script that does not compile or threw something; what, is its cause.
    Script = "script_exception", 400;
    /// What the reference wraps around an error that keeps a script from being compiled: where that shows, it does not.
    GeneralScript = "general_script_exception", 500;
    SearchRequestMap = "search_request_map_processing_exception", 500;
    Mustache = "mustache_exception", 400;
    SearchContextMissing = "search_context_missing_exception", 404;
    NamedObjectNotFound = "named_object_not_found_exception", 400;
    TooManyClauses = "too_many_clauses", 500;
    TooComplexToDeterminize = "too_complex_to_determinize_exception", 400;
    TooManyNestedClauses = "too_many_nested_clauses", 500;
    SearchPhaseExecution = "search_phase_execution_exception", 503;
    QueryPhaseExecution = "query_phase_execution_exception", 500;
    TooManyBuckets = "too_many_buckets_exception", 503;
    InvalidAggregationPath = "invalid_aggregation_path_exception", 500;
    AggregationExecution = "aggregation_execution_exception", 500;
    CollectionTerminated = "collection_terminated_exception", 500;
    AggregationInitialization = "aggregation_initialization_exception", 500;
    ArrayIndexOutOfBounds = "array_index_out_of_bounds_exception", 500;
    VersionConflict = "version_conflict_engine_exception", 409;
    ClusterBlock = "cluster_block_exception", 403;
    /// New indexes are forbidden by the setting that forbids nothing else.
    IndexCreateBlock = "index_create_block_exception", 403;
    Repository = "repository_exception", 500;
    RepositoryMissing = "repository_missing_exception", 404;
    RepositoryVerification = "repository_verification_exception", 500;
    Snapshot = "snapshot_exception", 500;
    SnapshotMissing = "snapshot_missing_exception", 404;
    SnapshotRestore = "snapshot_restore_exception", 500;
    InvalidSnapshotName = "invalid_snapshot_name_exception", 400;
    ConcurrentSnapshotExecution = "concurrent_snapshot_execution_exception", 503;
    IllegalState = "illegal_state_exception", 500;
    /// What the reference wraps other errors in to give them a status.
    Status = "status_exception", 400;
    UnavailableShards = "unavailable_shards_exception", 503;
    PrimaryMissing = "primary_missing_action_exception", 500;
    NoShardAvailable = "no_shard_available_action_exception", 503;
    ProcessClusterEventTimeout = "process_cluster_event_timeout_exception", 503;
    Timeout = "timeout_exception", 504;
    TaskCancelled = "task_cancelled_exception", 500;
    CircuitBreaking = "circuit_breaking_exception", 429;
    RejectedExecution = "rejected_execution_exception", 429;
    ContentTooLong = "content_too_long_exception", 413;
    NotXContent = "not_x_content_exception", 400;
    ContentTypeHeader = "content_type_header_exception", 400;
    FailedNode = "failed_node_exception", 500;
    NoSuchNode = "no_such_node_exception", 500;
    NullPointer = "null_pointer_exception", 500;
    UnsupportedOperation = "unsupported_operation_exception", 500;
    UnsupportedVersion = "unsupported_version_exception", 500;
    ClassCast = "class_cast_exception", 500;
    ArrayStore = "array_store_exception", 500;
    UriSyntax = "u_r_i_syntax_exception", 500;
    InvocationTarget = "invocation_target_exception", 500;
    ArithmeticOverflow = "arithmetic_exception", 500;
    IllFormedLocale = "illformed_locale_exception", 500;
    InputCoercion = "input_coercion_exception", 400;
    MaxBytesLengthExceeded = "max_bytes_length_exceeded_exception", 400;
    /// A file whose checksum or structure is wrong. The reason names file and offset.
    CorruptIndex = "corrupt_index_exception", 500;
    TranslogCorrupted = "translog_corrupted_exception", 500;
    Io = "i_o_exception", 500;
    Runtime = "runtime_exception", 500;
    TokenManager = "token_mgr_error", 500;
    /// Another cluster that cannot be reached, does not answer, or breaks off.
    UnknownHost = "unknown_host_exception", 500;
    HttpHostConnect = "http_host_connect_exception", 500;
    ConnectTimeout = "connect_timeout_exception", 500;
    SocketTimeout = "socket_timeout_exception", 500;
    ConnectionClosed = "connection_closed_exception", 500;
    /// What another cluster has answered instead of what was asked for.
    Response = "response_exception", 500;
    PatternSyntax = "pattern_syntax_exception", 400;
    MissingResource = "missing_resource_exception", 500;
    /// A pattern of the dissect processor that cannot be read, and one that does not match.
    DissectPattern = "pattern_parse", 500;
    DissectKey = "key_parse", 500;
    DissectMatch = "find_match", 500;
    FailProcessor = "fail_processor_exception", 500;
    ClassNotFound = "class_not_found_exception", 500;
    StringIndexOutOfBounds = "string_index_out_of_bounds_exception", 500;
    General = "exception", 500;
    IndexOutOfBounds = "index_out_of_bounds_exception", 500;
    NegativeArraySize = "negative_array_size_exception", 500;
    NoSuchElement = "no_such_element_exception", 500;
    ConcurrentModification = "concurrent_modification_exception", 500;
    InputMismatch = "input_mismatch_exception", 500;
    EmptyStack = "empty_stack_exception", 500;
    IllegalFormat = "illegal_format_exception", 400;
    DuplicateFormatFlags = "duplicate_format_flags_exception", 400;
    FormatterClosed = "formatter_closed_exception", 500;
    FormatFlagsConversionMismatch = "format_flags_conversion_mismatch_exception", 400;
    IllegalFormatArgumentIndex = "illegal_format_argument_index_exception", 400;
    IllegalFormatCodePoint = "illegal_format_code_point_exception", 400;
    IllegalFormatConversion = "illegal_format_conversion_exception", 400;
    IllegalFormatFlags = "illegal_format_flags_exception", 400;
    IllegalFormatPrecision = "illegal_format_precision_exception", 400;
    IllegalFormatWidth = "illegal_format_width_exception", 400;
    IllegalThreadState = "illegal_thread_state_exception", 400;
    MissingFormatArgument = "missing_format_argument_exception", 400;
    MissingFormatWidth = "missing_format_width_exception", 400;
    UnknownFormatConversion = "unknown_format_conversion_exception", 400;
    UnknownFormatFlags = "unknown_format_flags_exception", 400;
    UnsupportedTemporalType = "unsupported_temporal_type_exception", 500;
    WrongMethodType = "wrong_method_type_exception", 500;
    Security = "security_exception", 403;
    Interrupted = "interrupted_exception", 500;
    Painless = "painless_error", 500;
    PainlessExplain = "painless_explain_error", 500;
    StackOverflow = "stack_overflow_error", 500;
    OutOfMemory = "out_of_memory_error", 500;
    NoViableAlt = "no_viable_alt_exception", 500;
    LexerNoViableAlt = "lexer_no_viable_alt_exception", 500;
}

impl ErrorKind {
    /// Whether it is one of Java's own exceptions, of those that others fail beside.
    fn is_of_java(self) -> bool {
        use ErrorKind::{ClassCast, IllegalArgument, IllegalState, NullPointer, NumberFormat, UnsupportedOperation};
        matches!(self, IllegalArgument | IllegalState | NullPointer | NumberFormat | ClassCast | UnsupportedOperation)
    }
}

/// An error of the interface, with its causes and the further fields of its JSON object. One pointer wide.
#[derive(Clone, PartialEq)]
pub struct Error(Box<Body>);

#[derive(Clone, PartialEq)]
struct Body {
    kind: ErrorKind,
    reason: String,
    /// The cause had no message: `reason` is null.
    unexplained: bool,
    status: Option<u16>,
    fields: Vec<(&'static str, Value)>,
    cause: Option<Error>,
    root_causes: Vec<Error>,
    place: Option<u32>,
    unclosed: Option<(u32, bool)>,
    late: bool,
}

/// What the reference says of several problems of one request.
#[cold]
pub fn validation_text<T: fmt::Display>(problems: impl IntoIterator<Item = T>) -> String {
    let numbered: String = problems.into_iter().zip(1..).map(|(problem, at)| format!("{at}: {problem};")).collect();
    format!("Validation Failed: {numbered}")
}

/// The field of what failed beside an error.
const SUPPRESSED: &str = "suppressed";

impl Error {
    #[cold]
    pub fn new(kind: ErrorKind, reason: impl Into<String>) -> Self {
        Self(Box::new(Body {
            kind,
            reason: reason.into(),
            unexplained: false,
            status: None,
            fields: vec![],
            cause: None,
            root_causes: vec![],
            place: None,
            unclosed: None,
            late: false,
        }))
    }

    /// An error whose `reason` is null.
    #[cold]
    pub fn without_reason(kind: ErrorKind) -> Self {
        let mut error = Self::new(kind, "");
        error.0.unexplained = true;
        error
    }

    /// The reason as it stands in the reasons of others.
    pub fn shown_reason(&self) -> &str {
        if self.0.unexplained { "null" } else { self.reason() }
    }

    /// Another of the same kind and reason, and nothing else.
    pub fn alike(&self) -> Self {
        let mut error = Self::new(self.kind(), self.reason());
        error.0.unexplained = self.0.unexplained;
        error
    }

    /// `illegal_argument_exception`, the kind that bad parameters have.
    #[cold]
    pub fn illegal_argument(reason: impl Into<String>) -> Self {
        Self::new(ErrorKind::IllegalArgument, reason)
    }

    /// `not_x_content_exception`, of what has to be an object and does not begin like one.
    #[cold]
    pub fn not_x_content() -> Self {
        let reason = "Compressor detection can only be called on some xcontent bytes or compressed xcontent bytes";
        Self::new(ErrorKind::NotXContent, reason)
    }

    /// `index_not_found_exception` for `index`, with the fields the reference gives.
    #[cold]
    pub fn index_not_found(index: &str) -> Self {
        Self::new(ErrorKind::IndexNotFound, format!("no such index [{index}]"))
            .with("index", index)
            .with("resource.id", index)
            .with("resource.type", "index_or_alias")
            .with("index_uuid", "_na_")
    }

    /// Adds what failed beside it.
    pub fn with_suppressed(self, others: impl Iterator<Item = Error>) -> Self {
        let suppressed: Vec<Value> = others.map(|other| other.to_value()).collect();
        if suppressed.is_empty() { self } else { self.with(SUPPRESSED, suppressed) }
    }

    /// The reasons of what failed beside it.
    pub fn suppressed_reasons(&self) -> impl Iterator<Item = String> {
        let others = self.field(SUPPRESSED).and_then(Value::as_array).unwrap_or_default();
        others.iter().filter_map(|other| other.get("reason").and_then(Value::as_str).map(str::to_owned))
    }

    /// The error and its causes with other words.
    pub fn rephrased(mut self, rephrase: &impl Fn(&str) -> String) -> Self {
        self.0.reason = rephrase(&self.0.reason);
        self.0.cause = self.0.cause.take().map(|cause| cause.rephrased(rephrase));
        let roots = std::mem::take(&mut self.0.root_causes);
        self.0.root_causes = roots.into_iter().map(|root| root.rephrased(rephrase)).collect();
        self
    }

    /// The same without lines and columns, of what was read in a notation that has none.
    pub fn without_lines(mut self) -> Self {
        self.0.fields.retain(|(name, _)| !matches!(*name, "line" | "col"));
        self.0.cause = self.0.cause.take().map(Self::without_lines);
        let roots = std::mem::take(&mut self.0.root_causes);
        self.0.root_causes = roots.into_iter().map(Self::without_lines).collect();
        self
    }

    /// Adds a further field of the error object (`index`, `line`, …), in the place of one of the same name.
    pub fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        match self.0.fields.iter_mut().find(|(n, _)| *n == name) {
            Some((_, slot)) => *slot = value.into(),
            None => self.0.fields.push((name, value.into())),
        }
        self
    }

    /// As [`Error::with`], for what says which part of a pipeline the error is about: it stands before all other fields.
    pub fn with_place(self, name: &'static str, value: impl Into<Value>) -> Self {
        const PLACES: [&str; 3] = ["processor_type", "processor_tag", "property_name"];
        let mut error = self.with(name, value);
        let rank = |name: &str| PLACES.iter().position(|place| *place == name).unwrap_or(PLACES.len());
        error.0.fields.sort_by_key(|(name, _)| rank(name));
        error
    }

    /// Sets `caused_by`.
    pub fn caused_by(mut self, cause: Error) -> Self {
        self.0.cause = Some(cause);
        self
    }

    /// Overrides the status that the kind stands for.
    pub fn with_status(mut self, status: u16) -> Self {
        self.0.status = Some(status);
        self
    }

    /// Gives the `root_cause` list, where it is not just this error itself.
    pub fn with_root_causes(mut self, causes: Vec<Error>) -> Self {
        self.0.root_causes = causes;
        self
    }

    /// What was set by [`Self::with_root_causes`].
    pub fn root_causes(&self) -> &[Error] {
        &self.0.root_causes
    }

    /// Tells where in the body its reader stood, for the errors that are put around this one. What is set already stays.
    pub fn at(mut self, place: u32) -> Self {
        self.0.place.get_or_insert(place);
        self
    }

    /// Where an object begins whose end is taken for that of the one around it, and whether its beginning is taken for a value.
    pub fn unclosed_at(mut self, place: u32, is_value: bool) -> Self {
        self.0.unclosed = Some((place, is_value));
        self
    }

    /// The same, of this error or of what caused it.
    pub fn unclosed(&self) -> Option<(u32, bool)> {
        self.0.unclosed.or_else(|| self.0.cause.as_ref()?.unclosed())
    }

    pub fn place(&self) -> Option<u32> {
        self.0.place
    }

    /// Marks what the reference finds once all else beside it and below it has been looked at.
    pub fn late(mut self) -> Self {
        self.0.late = true;
        self
    }

    pub fn is_late(&self) -> bool {
        self.0.late
    }

    /// Whether a query was refused for what it grows to, which the reference finds out once all else of the request is made.
    pub fn is_of_rewriting(&self) -> bool {
        matches!(self.kind(), ErrorKind::Runtime | ErrorKind::TooManyClauses | ErrorKind::TooManyNestedClauses)
    }

    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    pub fn reason(&self) -> &str {
        &self.0.reason
    }

    pub fn cause(&self) -> Option<&Error> {
        self.0.cause.as_ref()
    }

    pub fn field(&self, name: &str) -> Option<&Value> {
        self.0.fields.iter().find(|(n, _)| *n == name).map(|(_, v)| v)
    }

    /// The error that shows: wrappers do not.
    pub fn unwrapped(&self) -> &Error {
        match &self.0.cause {
            Some(cause) if self.0.kind == ErrorKind::GeneralScript => cause.unwrapped(),
            _ => self,
        }
    }

    pub fn status(&self) -> u16 {
        let this = self.unwrapped();
        this.0.status.unwrap_or(this.0.kind.status())
    }

    /// Writes `{"root_cause":[…],"type":…,"reason":…,…}`: what stands under `error` in a response.
    pub fn write_with_root_cause(&self, w: &mut Writer) {
        let this = self.unwrapped();
        w.begin_object();
        w.key("root_cause").begin_array();
        // A search that failed without a failing shard has no root at all.
        if this.0.root_causes.is_empty() && this.0.kind != ErrorKind::SearchPhaseExecution {
            this.parser_root().write_fields_only(w);
        }
        for cause in &this.0.root_causes {
            cause.write_fields_only(w);
        }
        w.end_array();
        self.write_inner(w, true);
        w.end_object();
    }

    /// Parsers that call parsers wrap the error of the inner one; the root is that of the innermost. What Java throws by
    /// itself (a number that is none, a bad argument) is no root while a parser's error stands around it.
    fn parser_root(&self) -> &Error {
        let mut root = self;
        while let (ErrorKind::XContentParse | ErrorKind::Parsing | ErrorKind::Parse, Some(cause)) =
            (root.0.kind, &root.0.cause)
        {
            let deeper = match cause.0.kind {
                ErrorKind::Parsing | ErrorKind::Parse => true,
                ErrorKind::AggregationExecution | ErrorKind::NamedObjectNotFound | ErrorKind::XContentParse => {
                    root.0.kind == ErrorKind::XContentParse
                }
                _ => false,
            };
            if !deeper {
                break;
            }
            root = cause;
        }
        root
    }

    /// Writes the error object without `root_cause`: bulk items, causes, failures.
    pub fn write(&self, w: &mut Writer) {
        w.begin_object();
        self.write_inner(w, true);
        w.end_object();
    }

    /// What [`Error::write`] writes, as a value.
    pub fn to_value(&self) -> Value {
        let mut w = Writer::new();
        self.write(&mut w);
        crate::json::parse(&w.finish()).unwrap_or_default()
    }

    /// The error without its cause, as a value.
    pub fn to_root_value(&self) -> Value {
        let mut w = Writer::new();
        self.write_fields_only(&mut w);
        crate::json::parse(&w.finish()).unwrap_or_default()
    }

    fn write_fields_only(&self, w: &mut Writer) {
        w.begin_object();
        self.write_inner(w, false);
        w.end_object();
    }

    fn write_inner(&self, w: &mut Writer, with_cause: bool) {
        let this = &self.unwrapped().0;
        w.key("type").string(this.kind.type_name());
        match this.unexplained {
            true => w.key("reason").null(),
            false => w.key("reason").string(&this.reason),
        };
        for (name, value) in this.fields.iter().filter(|(name, _)| *name != SUPPRESSED) {
            w.key(name).value(value);
        }
        if let (true, Some(cause)) = (with_cause, &this.cause) {
            w.key("caused_by");
            cause.write(w);
        }
        // Java's own exceptions lose what failed beside them on their way to the root causes.
        let kept = with_cause || !this.kind.is_of_java();
        if let Some(suppressed) = self.field(SUPPRESSED).filter(|_| kept) {
            w.key(SUPPRESSED);
            if with_cause {
                w.value(suppressed)
            } else {
                w.value(&without_causes(suppressed))
            };
        }
    }
}

/// What failed beside a root cause, which is told without causes either.
fn without_causes(suppressed: &Value) -> Value {
    let mut suppressed = suppressed.clone();
    if let Value::Array(errors) = &mut suppressed {
        errors.iter_mut().filter_map(Value::as_object_mut).for_each(|fields| drop(fields.remove("caused_by")));
    }
    suppressed
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.kind.type_name(), self.0.reason)?;
        if let Some(cause) = &self.0.cause {
            write!(f, "; caused by {cause}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrappers_do_not_show() {
        let inner = Error::new(ErrorKind::NumberFormat, "inner");
        let error = Error::new(ErrorKind::GeneralScript, "outer").caused_by(inner.clone());
        assert_eq!((error.status(), error.to_value()), (400, inner.to_value()));
        assert_eq!(error.reason(), "outer");
    }

    #[test]
    fn renders_like_the_reference() {
        let error =
            Error::illegal_argument("outer").with("index", "a").caused_by(Error::new(ErrorKind::Parse, "inner"));
        let mut w = Writer::new();
        error.write_with_root_cause(&mut w);
        assert_eq!(
            String::from_utf8(w.finish()).unwrap(),
            r#"{"root_cause":[{"type":"illegal_argument_exception","reason":"outer","index":"a"}],"type":"illegal_argument_exception","reason":"outer","index":"a","caused_by":{"type":"parse_exception","reason":"inner"}}"#
        );
        assert_eq!(error.status(), 400);
    }
}
