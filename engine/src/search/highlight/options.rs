//! `highlight` of a request.

use crate::error::{Error, ErrorKind, Result};
use crate::query::{Node, Query, parse_node};
use crate::search::reader::unknown;

/// What is to be highlighted, and how.
#[derive(Clone, Debug)]
pub struct Highlight {
    /// Names or patterns of fields, in the order of the answer.
    pub fields: Vec<(String, FieldOptions)>,
}

/// Which highlighter does it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Unified,
    Plain,
    Fast,
}

/// Where fragments end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scanner {
    Chars,
    Word,
    Sentence,
}

/// How one field is highlighted.
#[derive(Clone, Debug)]
pub struct FieldOptions {
    pub kind: Kind,
    /// The name of a highlighter that there is not.
    unknown_kind: Option<String>,
    pub pre_tags: Vec<String>,
    pub post_tags: Vec<String>,
    pub fragment_size: usize,
    pub number_of_fragments: usize,
    pub fragment_offset: Option<usize>,
    pub by_score: bool,
    pub require_field_match: bool,
    /// None: what the highlighter does by itself.
    pub scanner: Option<Scanner>,
    pub boundary_chars: String,
    pub boundary_max_scan: usize,
    /// `simple` fragments of the plain highlighter do not look at phrases.
    fragmenter: Option<String>,
    pub no_match_size: usize,
    pub phrase_limit: usize,
    pub matched_fields: Vec<String>,
    pub highlight_query: Option<Query>,
    /// Texts are analysed up to here.
    pub max_analyzer_offset: Option<usize>,
    /// Whether fragments are made fit for HTML.
    pub html: bool,
}

/// Fragments of the highlighter for term vectors cannot be shorter.
const FAST_SIZE_MIN: usize = 18;

const STYLED: [&str; 10] = [
    "<em class=\"hlt1\">",
    "<em class=\"hlt2\">",
    "<em class=\"hlt3\">",
    "<em class=\"hlt4\">",
    "<em class=\"hlt5\">",
    "<em class=\"hlt6\">",
    "<em class=\"hlt7\">",
    "<em class=\"hlt8\">",
    "<em class=\"hlt9\">",
    "<em class=\"hlt10\">",
];

impl Default for FieldOptions {
    fn default() -> Self {
        Self {
            kind: Kind::Unified,
            unknown_kind: None,
            pre_tags: vec!["<em>".to_owned()],
            post_tags: vec!["</em>".to_owned()],
            fragment_size: 100,
            number_of_fragments: 5,
            fragment_offset: None,
            by_score: false,
            require_field_match: true,
            scanner: None,
            boundary_chars: ".,!? \t\n".to_owned(),
            boundary_max_scan: 20,
            fragmenter: None,
            no_match_size: 0,
            phrase_limit: 256,
            matched_fields: vec![],
            highlight_query: None,
            max_analyzer_offset: None,
            html: false,
        }
    }
}

impl Highlight {
    pub fn parse(node: Node) -> Result<Self> {
        let mut base = FieldOptions::default();
        let (mut pre, mut post) = (false, false);
        // A schema has tags for both.
        let mut schema = false;
        let mut fields = None;
        for option in node.fields() {
            schema |= option.key == "tags_schema";
            match option.key {
                "fields" => fields = Some(option.node),
                "tags_schema" => match option.node.text()?.as_str() {
                    "styled" => {
                        base.pre_tags = STYLED.map(str::to_owned).to_vec();
                        base.post_tags = vec!["</em>".to_owned()];
                    }
                    "default" => {
                        base.pre_tags = vec!["<em>".to_owned()];
                        base.post_tags = vec!["</em>".to_owned()];
                    }
                    other => {
                        let cause = Error::illegal_argument(format!("Unknown tag schema [{other}]"));
                        return Err(failed(option.node, "highlight", "tags_schema", cause));
                    }
                },
                "encoder" => base.html = option.node.text()? == "html",
                "use_explicit_field_order" => {
                    option.node.bool()?;
                }
                "fragment_offset" | "matched_fields" => {
                    return Err(unknown(node, "highlight", option.key, option.key_pos));
                }
                key => {
                    pre |= key == "pre_tags";
                    post |= key == "post_tags";
                    if !base.take(key, option.node, "highlight")? {
                        return Err(unknown(node, "highlight", key, option.key_pos));
                    }
                }
            }
        }
        if pre && !post && !schema {
            return Err(node.error_at_end("pre_tags are set but post_tags are not set"));
        }
        let fields = fields.map(|fields| parse_fields(fields, &base)).transpose()?.unwrap_or_default();
        Ok(Self { fields })
    }

    /// All queries of the request's highlighting itself.
    pub fn queries(&self) -> impl Iterator<Item = &Query> {
        self.fields.iter().filter_map(|(_, options)| options.highlight_query.as_ref())
    }
}

fn parse_fields(node: Node, base: &FieldOptions) -> Result<Vec<(String, FieldOptions)>> {
    let mut fields = vec![];
    for item in node.items_or_self() {
        for field in item.fields() {
            let options = base.of_field(field.node).map_err(|error| {
                let inner = field.node.failed_field("fields", field.key, error);
                node.failed_field("highlight", "fields", inner)
            })?;
            fields.push((field.key.to_owned(), options));
        }
    }
    Ok(fields)
}

/// The error for a value that an option cannot have.
fn failed(node: Node, parser: &str, key: &str, cause: Error) -> Error {
    let reason = format!("{} [{parser}] failed to parse field [{key}]", node.location(node.pos()));
    Error::new(ErrorKind::XContentParse, reason).caused_by(cause)
}

impl FieldOptions {
    fn of_field(&self, node: Node) -> Result<Self> {
        let mut options = self.clone();
        let (mut pre, mut post) = (false, false);
        for option in node.fields() {
            pre |= option.key == "pre_tags";
            post |= option.key == "post_tags";
            match option.key {
                "fragment_offset" => options.fragment_offset = Some(count(option.node)?),
                "matched_fields" => options.matched_fields = texts(option.node)?,
                key if options.take(key, option.node, "highlight_field")? => {}
                key => return Err(unknown(node, "highlight_field", key, option.key_pos)),
            }
        }
        if pre && !post {
            return Err(node.error_at_end("pre_tags are set but post_tags are not set"));
        }
        Ok(options)
    }

    /// Takes an option that fields and the whole share; false for any other key.
    fn take(&mut self, key: &str, node: Node, parser: &str) -> Result<bool> {
        match key {
            "pre_tags" => self.pre_tags = texts(node)?,
            "post_tags" => self.post_tags = texts(node)?,
            "fragment_size" => self.fragment_size = count(node)?,
            "number_of_fragments" => self.number_of_fragments = count(node)?,
            "order" => self.by_score = node.text()?.eq_ignore_ascii_case("score"),
            "require_field_match" => self.require_field_match = node.bool()?,
            "boundary_scanner" => self.scanner = Some(scanner_of(node, parser)?),
            "boundary_chars" => self.boundary_chars = node.text()?,
            "boundary_max_scan" => self.boundary_max_scan = count(node)?,
            // Boundaries are those of Unicode, which are the same for all languages that we are told of.
            "boundary_scanner_locale" => drop(node.text()?),
            "type" => self.take_kind(&node.text()?),
            "fragmenter" => self.fragmenter = Some(node.text()?),
            "no_match_size" => self.no_match_size = count(node)?,
            "phrase_limit" => self.phrase_limit = count(node)?,
            "max_analyzer_offset" => {
                let offset = node.i32()?;
                self.max_analyzer_offset = Some(usize::try_from(offset).unwrap_or(0));
            }
            "highlight_query" => {
                let query = parse_node(node).map_err(|error| node.failed_field(parser, key, error))?;
                self.highlight_query = Some(query);
            }
            // Texts are always read where they are kept; other options belong to highlighters of plugins.
            "force_source" | "highlight_filter" => drop(node.bool()?),
            "options" if node.object().is_some() => {}
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn take_kind(&mut self, name: &str) {
        self.unknown_kind = None;
        match name {
            "unified" => self.kind = Kind::Unified,
            "plain" => self.kind = Kind::Plain,
            "fvh" | "fast-vector-highlighter" => self.kind = Kind::Fast,
            other => self.unknown_kind = Some(other.to_owned()),
        }
    }

    /// Refuses what only shows when a field is highlighted.
    pub fn check(&self, field: &str) -> Result<()> {
        if let Some(name) = &self.unknown_kind {
            let reason = format!("unknown highlighter type [{name}] for the field [{field}]");
            return Err(Error::illegal_argument(reason));
        }
        if self.max_analyzer_offset == Some(0) {
            return Err(Error::illegal_argument("the value [0] of max_analyzer_offset is invalid"));
        }
        if self.kind == Kind::Fast && self.number_of_fragments > 0 && self.fragment_size < FAST_SIZE_MIN {
            return Err(Error::illegal_argument(format!(
                "fragCharSize({}) is too small. It must be {FAST_SIZE_MIN} or higher.",
                self.fragment_size
            )));
        }
        if self.kind == Kind::Unified && self.scanner == Some(Scanner::Chars) {
            return Err(Error::illegal_argument("Invalid boundary scanner type: chars"));
        }
        match self.fragmenter.as_deref() {
            Some(name) if self.kind == Kind::Plain && !matches!(name, "simple" | "span") => {
                let reason = format!("unknown fragmenter option [{name}] for the field [{field}]");
                return Err(Error::illegal_argument(reason));
            }
            _ => {}
        }
        if self.pre_tags.is_empty() || self.post_tags.is_empty() {
            return Err(Error::illegal_argument(format!("no tags are given for the field [{field}]")));
        }
        Ok(())
    }

    /// Whether fragments of the plain highlighter keep phrases together.
    pub fn keeps_spans(&self) -> bool {
        self.fragmenter.as_deref() != Some("simple")
    }

    /// The tags around match number `at`.
    pub fn tags(&self, at: usize) -> (&str, &str) {
        (&self.pre_tags[at % self.pre_tags.len()], &self.post_tags[at % self.post_tags.len()])
    }

    /// Adds text to a fragment, made fit for HTML if that is asked for.
    pub fn encode(&self, units: &[u16], out: &mut String) {
        let text = String::from_utf16_lossy(units);
        if !self.html {
            out.push_str(&text);
            return;
        }
        for c in text.chars() {
            match c {
                '"' => out.push_str("&quot;"),
                '&' => out.push_str("&amp;"),
                '<' => out.push_str("&lt;"),
                '>' => out.push_str("&gt;"),
                '\'' => out.push_str("&#x27;"),
                '/' => out.push_str("&#x2F;"),
                other => out.push(other),
            }
        }
    }
}

fn scanner_of(node: Node, parser: &str) -> Result<Scanner> {
    match node.text()?.to_ascii_uppercase().as_str() {
        "CHARS" => Ok(Scanner::Chars),
        "WORD" => Ok(Scanner::Word),
        "SENTENCE" => Ok(Scanner::Sentence),
        other => {
            let cause = format!(
                "No enum constant org.opensearch.search.fetch.subphase.highlight.HighlightBuilder.BoundaryScannerType.{other}"
            );
            Err(failed(node, parser, "boundary_scanner", Error::illegal_argument(cause)))
        }
    }
}

fn texts(node: Node) -> Result<Vec<String>> {
    node.items_or_self().iter().map(Node::text).collect()
}

/// A number of things; negative ones are taken for none.
fn count(node: Node) -> Result<usize> {
    Ok(usize::try_from(node.i32()?).unwrap_or(0))
}
