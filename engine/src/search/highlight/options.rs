//! `highlight` of a request.

use crate::error::{Error, ErrorKind, Result};
use crate::query::declared::{ARRAY, BOOL, Declared, FLAG, NUMERIC, OBJECT, STRING, STRINGS, texts};
use crate::query::{Field, Node, Query, parse_inner};

/// What is to be highlighted, and how.
#[derive(Clone, Debug)]
pub struct Highlight {
    /// The query of all fields that have none of their own.
    general: Option<Query>,
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
    pub fragment_size: i32,
    pub number_of_fragments: i32,
    fragment_offset: i32,
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
    pub max_analyzer_offset: Option<i32>,
    /// Whether fragments are made fit for HTML.
    pub html: bool,
}

/// What fragments of the highlighter for term vectors leave free before a match.
const FRAGMENT_OFFSET: i32 = 6;
/// Fragments of the highlighter for term vectors cannot be shorter than so many times what is left free before a match.
const FAST_SIZE_BY_OFFSET: i32 = 3;
/// What the longest list of Java holds, about: more best fragments than this the reference will not look for.
const ARRAY_MAX: i32 = 2_147_483_631;

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
            fragment_offset: FRAGMENT_OFFSET,
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

/// Options of the whole or of a field, and after them those that both have.
macro_rules! with_shared {
    ($name:literal: $($own:expr),*) => {
        Declared {
            name: $name,
            fields: &[
                $($own,)*
                ("pre_tags", STRINGS),
                ("post_tags", STRINGS),
                ("order", STRING),
                ("fragment_size", NUMERIC),
                ("number_of_fragments", NUMERIC),
                ("require_field_match", FLAG),
                ("boundary_scanner", STRING),
                ("boundary_max_scan", NUMERIC),
                ("boundary_chars", STRING),
                ("boundary_scanner_locale", STRING),
                ("type", STRING),
                ("fragmenter", STRING),
                ("no_match_size", NUMERIC),
                ("force_source", FLAG),
                ("phrase_limit", NUMERIC),
                ("max_analyzer_offset", NUMERIC),
                ("options", OBJECT),
                ("highlight_query", OBJECT),
                ("highlight_filter", BOOL),
            ],
        }
    };
}

const WHOLE: Declared =
    with_shared!("highlight": ("tags_schema", STRING), ("fields", OBJECT | ARRAY), ("encoder", STRING));

const OF_FIELD: Declared = with_shared!("highlight_field": ("fragment_offset", NUMERIC), ("matched_fields", STRINGS));

impl Highlight {
    pub fn parse(node: Node) -> Result<Self> {
        let mut base = FieldOptions::default();
        let (mut pre, mut post) = (false, false);
        // A schema has tags for both.
        let mut schema = false;
        let mut fields = vec![];
        for option in node.fields() {
            schema |= option.key == "tags_schema";
            pre |= option.key == "pre_tags";
            post |= option.key == "post_tags";
            match option.key {
                "fields" => {
                    WHOLE.check(&option)?;
                    let failed = |cause| option.node.failed_field("highlight", "fields", cause);
                    fields = parse_fields(option.node).map_err(failed)?;
                }
                "tags_schema" => WHOLE.read(&option, |node| base.take_schema(&node.text()?))?,
                "encoder" => base.html = WHOLE.read(&option, |node| node.text())? == "html",
                _ => base.take(&option, &WHOLE)?,
            }
        }
        if pre && !post && !schema {
            return Err(node.error_at_end("pre_tags are set but post_tags are not set"));
        }
        // Fields begin with the options of the whole, wherever those stand.
        let read = |(name, node): (String, Node)| base.of_field(node).map(|options| (name, options));
        let general = base.highlight_query.clone();
        Ok(Self { general, fields: fields.into_iter().map(read).collect::<Result<_>>()? })
    }

    /// All queries of the request's highlighting itself.
    pub fn queries(&self) -> impl Iterator<Item = &Query> {
        let of_fields = self.fields.iter().filter_map(|(_, options)| options.highlight_query.as_ref());
        self.general.iter().chain(of_fields)
    }
}

/// The fields by name. Their options are checked here, where errors come in the order of the text.
fn parse_fields<'n>(node: Node<'n>) -> Result<Vec<(String, Node<'n>)>> {
    let mut fields = vec![];
    for item in node.items_or_self() {
        let mut of_item = item.fields();
        let alone = |pos| {
            let what = "can be a single object with any number of fields or an array where each entry is an object with a single field";
            Err(Error::new(ErrorKind::XContentParse, format!("{} [fields] {what}", node.location(pos))).at(pos))
        };
        if node.value.as_array().is_some() {
            match (item.object().is_some(), of_item.next(), of_item.next()) {
                (false, ..) => return alone(item.pos()),
                (true, None, _) => return alone(item.end_pos()),
                (true, Some(_), Some(second)) => return alone(second.key_pos),
                (true, Some(_), None) => {}
            }
        }
        for field in item.fields() {
            let checked = OF_FIELD.check_object(field.node).and_then(|()| FieldOptions::default().of_field(field.node));
            checked.map_err(|error| field.node.failed_field("fields", field.key, error))?;
            fields.push((field.key.to_owned(), field.node));
        }
    }
    Ok(fields)
}

impl FieldOptions {
    fn of_field(&self, node: Node) -> Result<Self> {
        let mut options = self.clone();
        let (mut pre, mut post) = (false, false);
        for option in node.fields() {
            pre |= option.key == "pre_tags";
            post |= option.key == "post_tags";
            match option.key {
                "fragment_offset" => OF_FIELD.read(&option, |node| set(&mut options.fragment_offset, node))?,
                "matched_fields" => options.matched_fields = OF_FIELD.read(&option, texts)?,
                _ => options.take(&option, &OF_FIELD)?,
            }
        }
        if pre && !post {
            return Err(node.error_at_end("pre_tags are set but post_tags are not set"));
        }
        Ok(options)
    }

    /// Takes an option that fields and the whole share.
    fn take(&mut self, option: &Field, parser: &Declared) -> Result<()> {
        parser.read(option, |node| {
            match option.key {
                "pre_tags" => self.pre_tags = texts(node)?,
                "post_tags" => self.post_tags = texts(node)?,
                "fragment_size" => set(&mut self.fragment_size, node)?,
                "number_of_fragments" => set(&mut self.number_of_fragments, node)?,
                "order" => self.by_score = node.text()?.eq_ignore_ascii_case("score"),
                "require_field_match" => self.require_field_match = node.bool()?,
                "boundary_scanner" => self.scanner = Some(scanner_of(node)?),
                "boundary_chars" => self.boundary_chars = node.text()?,
                "boundary_max_scan" => set_count(&mut self.boundary_max_scan, node)?,
                "type" => self.take_kind(&node.text()?),
                "fragmenter" => self.fragmenter = Some(node.text()?),
                "no_match_size" => set_count(&mut self.no_match_size, node)?,
                "phrase_limit" => set_count(&mut self.phrase_limit, node)?,
                "max_analyzer_offset" => self.max_analyzer_offset = Some(node.i32()?),
                "highlight_query" => self.highlight_query = Some(inner_query(node)?).filter(|query| !query.is_null()),
                "force_source" => drop(node.bool()?),
                // Boundaries are those of Unicode, which are the same for all languages that we are told of. Texts are
                // always read where they are kept; other options belong to highlighters of plugins.
                _ => {}
            }
            Ok(())
        })
    }

    fn take_schema(&mut self, name: &str) -> Result<()> {
        self.pre_tags = match name {
            "styled" => STYLED.map(str::to_owned).to_vec(),
            "default" => vec!["<em>".to_owned()],
            _ => return Err(Error::illegal_argument(format!("Unknown tag schema [{name}]"))),
        };
        self.post_tags = vec!["</em>".to_owned()];
        Ok(())
    }

    fn take_kind(&mut self, name: &str) {
        self.unknown_kind = None;
        match name {
            "unified" => self.kind = Kind::Unified,
            "plain" => self.kind = Kind::Plain,
            "fvh" => self.kind = Kind::Fast,
            other => self.unknown_kind = Some(other.to_owned()),
        }
    }

    /// The highlighter for term vectors finds out where it has a text that there cannot be such fragments.
    pub fn check_fast(&self) -> Result<()> {
        let (size, number, margin) = (self.fragment_size, self.number_of_fragments, self.fragment_offset);
        let least = margin.saturating_mul(FAST_SIZE_BY_OFFSET).max(1);
        let reason = match number {
            0 => return Ok(()),
            _ if margin < 0 => format!("margin({margin}) is too small. It must be 0 or higher."),
            _ if size < least => format!("fragCharSize({size}) is too small. It must be {least} or higher."),
            ..0 => format!("maxNumFragments({number}) must be positive number."),
            _ => return Ok(()),
        };
        Err(Error::illegal_argument(reason))
    }

    /// What is told of a field that has a text.
    pub fn refusal_of_texts(&self, is_analyzed: bool) -> Option<String> {
        // Other values are never divided.
        let divides = self.number_of_fragments != 0 && is_analyzed;
        match self.kind {
            Kind::Unified if self.scanner == Some(Scanner::Chars) && divides => {
                Some("Invalid boundary scanner type: chars".to_owned())
            }
            Kind::Plain if self.number_of_fragments < 0 => {
                let number = self.number_of_fragments;
                Some(format!("maxSize must be >= 0 and < {ARRAY_MAX}; got: {number}"))
            }
            _ => None,
        }
    }

    /// How long fragments are; of a negative number nothing.
    pub fn size(&self) -> usize {
        usize::try_from(self.fragment_size).unwrap_or(0)
    }

    /// How many fragments there are at most; none: the text stays whole.
    pub fn most(&self) -> Option<usize> {
        usize::try_from(self.number_of_fragments).ok().filter(|most| *most > 0)
    }

    pub fn margin(&self) -> usize {
        usize::try_from(self.fragment_offset).unwrap_or(0)
    }

    /// Refuses what only shows when hits are asked for.
    pub fn check(&self, field: &str) -> Result<()> {
        if let Some(name) = &self.unknown_kind {
            let reason = format!("unknown highlighter type [{name}] for the field [{field}]");
            return Err(Error::illegal_argument(reason));
        }
        if self.pre_tags.is_empty() || self.post_tags.is_empty() {
            return Err(Error::illegal_argument(format!("no tags are given for the field [{field}]")));
        }
        Ok(())
    }

    /// Refuses what only shows when a field of a hit is highlighted.
    pub fn check_for_hit(&self, field: &str) -> Result<()> {
        if let Some(wrong @ ..=0) = self.max_analyzer_offset {
            return Err(Error::illegal_argument(format!("the value [{wrong}] of max_analyzer_offset is invalid")));
        }
        match self.fragmenter.as_deref() {
            Some(name) if self.kind == Kind::Plain && !matches!(name, "simple" | "span") => {
                let reason = format!("unknown fragmenter option [{name}] for the field [{field}]");
                Err(Error::illegal_argument(reason))
            }
            _ => Ok(()),
        }
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

fn scanner_of(node: Node) -> Result<Scanner> {
    match node.text()?.to_ascii_uppercase().as_str() {
        "CHARS" => Ok(Scanner::Chars),
        "WORD" => Ok(Scanner::Word),
        "SENTENCE" => Ok(Scanner::Sentence),
        other => Err(Error::illegal_argument(format!(
            "No enum constant org.opensearch.search.fetch.subphase.highlight.HighlightBuilder.BoundaryScannerType.{other}"
        ))),
    }
}

/// Takes a number, of which -1 says that it is not given.
fn set(option: &mut i32, node: Node) -> Result<()> {
    match node.i32()? {
        -1 => {}
        number => *option = number,
    }
    Ok(())
}

/// The same of a number of things; of other negative numbers there are none.
fn set_count(option: &mut usize, node: Node) -> Result<()> {
    match node.i32()? {
        -1 => {}
        number => *option = usize::try_from(number).unwrap_or(0),
    }
    Ok(())
}

fn inner_query(node: Node) -> Result<Query> {
    parse_inner(node, |place| Error::new(ErrorKind::Runtime, "Error parsing query").at(place))
}
