//! How rules are read: each by a parser of the fields that it knows.

use super::filter::Filter;
use super::rule::{Mode, Options, Pattern, Rule};
use crate::deprecated::note;
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::query::declared::{ARRAY, Declared, FLAG, NUMERIC, OBJECT, SCALAR, STRING, unbuildable};
use crate::query::fuzziness::{AUTO, Fuzziness};
use crate::query::node::{Field, Node};
use crate::query::regexp::Flags;

const MATCH: Declared = Declared {
    name: "match",
    fields: &[
        ("query", STRING),
        ("max_gaps", NUMERIC),
        ("ordered", FLAG),
        ("mode", STRING),
        ("analyzer", STRING),
        ("filter", OBJECT),
        ("use_field", STRING),
    ],
};
const ALL_OF: Declared = Declared {
    name: "all_of",
    fields: &[
        ("intervals", OBJECT | ARRAY),
        ("ordered", FLAG),
        ("mode", STRING),
        ("max_gaps", NUMERIC),
        ("filter", OBJECT),
    ],
};
const ANY_OF: Declared = Declared { name: "any_of", fields: &[("intervals", OBJECT | ARRAY), ("filter", OBJECT)] };
const PREFIX: Declared =
    Declared { name: "prefix", fields: &[("prefix", STRING), ("analyzer", STRING), ("use_field", STRING)] };
const WILDCARD: Declared = Declared {
    name: "wildcard",
    fields: &[("pattern", STRING), ("analyzer", STRING), ("use_field", STRING), ("max_expansions", NUMERIC)],
};
const REGEXP: Declared = Declared {
    name: "regexp",
    fields: &[
        ("pattern", STRING),
        ("flags", STRING),
        ("flags_value", NUMERIC),
        ("use_field", STRING),
        ("max_expansions", NUMERIC),
        ("case_insensitive", FLAG),
    ],
};
const FUZZY: Declared = Declared {
    name: "fuzzy",
    fields: &[
        ("term", STRING),
        ("prefix_length", NUMERIC),
        ("transpositions", FLAG),
        ("fuzziness", SCALAR),
        ("analyzer", STRING),
        ("use_field", STRING),
    ],
};

/// The rule of a name, which stands at `pos`.
pub fn parse(name: &str, pos: u32, node: Node) -> Result<Rule> {
    let (parser, parsed): (&Declared, fn(Node) -> Result<Rule>) = match name {
        "match" => (&MATCH, parse_match),
        "all_of" => (&ALL_OF, parse_all_of),
        "any_of" => (&ANY_OF, parse_any_of),
        "prefix" => (&PREFIX, parse_prefix),
        "wildcard" => (&WILDCARD, parse_wildcard),
        "regexp" => (&REGEXP, parse_regexp),
        "fuzzy" => (&FUZZY, parse_fuzzy),
        _ => {
            let reason = format!(
                "Unknown interval type [{name}], expecting one of [match, any_of, all_of, prefix, wildcard, regexp]"
            );
            return Err(node.error_at(pos, reason));
        }
    };
    parser.check_object(node)?;
    node.nested(|| parsed(node))
}

/// What has to be there, and is looked for when everything has been read.
fn required<T>(value: Option<T>, name: &str, node: Node) -> Result<T> {
    value.ok_or_else(|| Error::illegal_argument(format!("Required [{name}]")).at(node.end_pos()))
}

/// The order that parts are to stand in: `ordered` is older, and counts more than `mode`.
#[derive(Default)]
struct Order {
    ordered: Option<bool>,
    mode: Option<String>,
}

impl Order {
    fn take_ordered(&mut self, parser: &Declared, field: &Field) -> Result<()> {
        self.ordered = Some(parser.read(field, |node| node.bool())?);
        let at = field.node.location(field.node.pos());
        let told = "Deprecated field [ordered] used, this field is unused and will be removed entirely";
        note(format!("[{}]{at} {told}", parser.name));
        Ok(())
    }

    /// What it comes to in the rule that `node` is.
    fn mode(self, parser: &Declared, node: Node) -> Result<Mode> {
        let mode = match self.mode.map(|mode| mode.to_lowercase()).as_deref() {
            None | Some("unordered") => Mode::Unordered,
            Some("ordered") => Mode::Ordered,
            Some("unordered_no_overlap") => Mode::UnorderedNoOverlap,
            Some(other) => {
                let cause = Error::illegal_argument(format!("no mode can be parsed from ordinal {other}"));
                return Err(unbuildable(parser.name, cause).at(node.end_pos()));
            }
        };
        Ok(match self.ordered {
            Some(true) => Mode::Ordered,
            Some(false) => Mode::Unordered,
            None => mode,
        })
    }
}

fn take_option(options: &mut Options, parser: &Declared, field: &Field) -> Result<()> {
    match field.key {
        "analyzer" => options.analyzer = Some(parser.read(field, |node| node.text())?),
        "use_field" => options.use_field = Some(parser.read(field, |node| node.text())?),
        _ => parser.check(field)?,
    }
    Ok(())
}

fn parse_match(node: Node) -> Result<Rule> {
    let (mut query, mut max_gaps, mut order) = (None, -1, Order::default());
    let (mut options, mut filter) = (Options::default(), None);
    for field in node.fields() {
        match field.key {
            "query" => query = Some(MATCH.read(&field, |node| node.text())?),
            "max_gaps" => max_gaps = MATCH.read(&field, |node| node.i32())?,
            "ordered" => order.take_ordered(&MATCH, &field)?,
            "mode" => order.mode = Some(MATCH.read(&field, |node| node.text())?),
            "filter" => filter = Some(MATCH.read(&field, Filter::parse)?),
            _ => take_option(&mut options, &MATCH, &field)?,
        }
    }
    let query = required(query, "query", node)?;
    Ok(Rule::Match { query, max_gaps, mode: order.mode(&MATCH, node)?, options, filter })
}

fn parse_rules(parser: &Declared, node: Node) -> Result<Vec<Rule>> {
    let failed = |node: Node, error| Err(node.failed_field(parser.name, "intervals", error));
    let rule = |item: Node| {
        let mut fields = item.fields();
        match item.value {
            Value::Array(_) => {
                let cause = Error::new(ErrorKind::IllegalState, "expected value but got [START_ARRAY]");
                return failed(item, cause.at(item.pos()));
            }
            Value::Object(_) => {}
            _ => {
                let (pos, token) = item.after();
                return failed(item, item.error_at(pos, format!("Expected [FIELD_NAME] but got [{token}]")));
            }
        }
        let Some(field) = fields.next() else {
            return failed(item, item.error_at_end("Expected [FIELD_NAME] but got [END_OBJECT]"));
        };
        let rule = match parse(field.key, field.key_pos, field.node) {
            Ok(rule) => rule,
            Err(error) => return failed(field.node, error),
        };
        match fields.next() {
            Some(second) => failed(item, item.error_at(second.key_pos, "Expected [END_OBJECT] but got [FIELD_NAME]")),
            None => Ok(rule),
        }
    };
    node.items_or_self().into_iter().map(rule).collect()
}

fn parse_all_of(node: Node) -> Result<Rule> {
    let (mut rules, mut max_gaps, mut order, mut filter) = (None, -1, Order::default(), None);
    for field in node.fields() {
        ALL_OF.check(&field)?;
        match field.key {
            "intervals" => rules = Some(parse_rules(&ALL_OF, field.node)?),
            "max_gaps" => max_gaps = ALL_OF.read(&field, |node| node.i32())?,
            "ordered" => order.take_ordered(&ALL_OF, &field)?,
            "mode" => order.mode = Some(ALL_OF.read(&field, |node| node.text())?),
            _ => filter = Some(ALL_OF.read(&field, Filter::parse)?),
        }
    }
    Ok(Rule::AllOf { rules: required(rules, "intervals", node)?, max_gaps, mode: order.mode(&ALL_OF, node)?, filter })
}

fn parse_any_of(node: Node) -> Result<Rule> {
    let (mut rules, mut filter) = (None, None);
    for field in node.fields() {
        ANY_OF.check(&field)?;
        match field.key {
            "intervals" => rules = Some(parse_rules(&ANY_OF, field.node)?),
            _ => filter = Some(ANY_OF.read(&field, Filter::parse)?),
        }
    }
    Ok(Rule::AnyOf { rules: required(rules, "intervals", node)?, filter })
}

/// What patterns share. `own` takes the keys of one kind.
fn parse_pattern(
    node: Node,
    parser: &Declared,
    text_key: &str,
    mut own: impl FnMut(&Field) -> Result<bool>,
) -> Result<Pattern> {
    let (mut text, mut max_expansions, mut options) = (None, None, Options::default());
    for field in node.fields() {
        parser.check(&field)?;
        match field.key {
            key if key == text_key => text = Some(field.node.text()?),
            "max_expansions" => max_expansions = Some(parser.read(&field, |node| node.i32())?),
            _ if own(&field)? => {}
            _ => take_option(&mut options, parser, &field)?,
        }
    }
    Ok(Pattern { text: required(text, text_key, node)?, max_expansions, options })
}

fn parse_prefix(node: Node) -> Result<Rule> {
    parse_pattern(node, &PREFIX, "prefix", |_| Ok(false)).map(Rule::Prefix)
}

fn parse_wildcard(node: Node) -> Result<Rule> {
    parse_pattern(node, &WILDCARD, "pattern", |_| Ok(false)).map(Rule::Wildcard)
}

fn parse_regexp(node: Node) -> Result<Rule> {
    let (mut flags, mut bits, mut case_insensitive) = (None, None, false);
    let pattern = parse_pattern(node, &REGEXP, "pattern", |field| {
        match field.key {
            "flags" => flags = Some(field.node.text()?),
            "flags_value" => bits = Some(REGEXP.read(field, |node| node.i32())?),
            "case_insensitive" => case_insensitive = REGEXP.read(field, |node| node.bool())?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let named = flags.map(|flags| Flags::of(&flags)).transpose();
    let named = named.map_err(|cause| unbuildable("regexp", cause).at(node.end_pos()))?;
    let flags = bits.map(Flags::of_bits).or(named).unwrap_or(Flags::ALL);
    Ok(Rule::Regexp { pattern, flags, case_insensitive })
}

fn parse_fuzzy(node: Node) -> Result<Rule> {
    let (mut prefix_length, mut transpositions, mut fuzziness) = (0, true, AUTO);
    let pattern = parse_pattern(node, &FUZZY, "term", |field| {
        match field.key {
            "prefix_length" => prefix_length = FUZZY.read(field, |node| node.i32())?,
            "transpositions" => transpositions = FUZZY.read(field, |node| node.bool())?,
            "fuzziness" => fuzziness = FUZZY.read(field, Fuzziness::parse)?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(Rule::Fuzzy { pattern, prefix_length, transpositions, fuzziness })
}
