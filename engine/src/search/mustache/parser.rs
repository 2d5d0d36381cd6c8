//! The text of a template to its parts, character by character as the reference reads it: what stands alone on a line is told
//! apart, and errors tell lines and columns as it counts them.

use super::{Function, NAME, Part};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;

/// Deepest nesting of sections.
const DEPTH_MAX: usize = 64;

pub(super) fn parse(text: &str) -> Result<Vec<Part>> {
    let mut parser = Parser { rest: text, line: 1, open: "{{".to_owned(), close: "}}".to_owned() };
    parser.parts(None, 0, true).map_err(|reason| script_error(text, &reason))
}

fn script_error(text: &str, reason: &str) -> Error {
    Error::new(ErrorKind::Script, reason)
        .with("script_stack", Value::Array(vec![]))
        .with("script", text)
        .with("lang", "mustache")
        .caused_by(Error::new(ErrorKind::Mustache, reason))
}

struct Parser<'t> {
    rest: &'t str,
    /// Those within tags are not counted.
    line: usize,
    open: String,
    close: String,
}

/// A line of a section, as far as it is read.
struct Line {
    /// Text that is not yet a part.
    text: String,
    /// How many characters were read, as the reference counts them; those of sections within are left out.
    column: usize,
    is_blank: bool,
    /// A section of several lines began or ended on it: its end is no text if there is nothing else on it.
    is_edge: bool,
    /// Nothing but blanks stands before it.
    at_start: bool,
    ends_in_return: bool,
}

impl Line {
    fn flush(&mut self, parts: &mut Vec<Part>) {
        let text = std::mem::take(&mut self.text);
        if !text.is_empty() {
            parts.push(Part::Text(text));
        }
    }

    fn push(&mut self, c: char) {
        self.ends_in_return = false;
        self.is_blank &= [' ', '\t'].contains(&c);
        self.text.push(c);
        self.column += c.len_utf16();
    }

    fn end(&mut self, parts: &mut Vec<Part>) {
        if !self.is_edge || !self.is_blank {
            self.text.push_str(if self.ends_in_return { "\r\n" } else { "\n" });
        }
        self.flush(parts);
        (self.is_edge, self.is_blank, self.at_start, self.column, self.ends_in_return) = (false, true, true, 0, false);
    }
}

/// What stands between the marks of a tag.
struct Tag<'t> {
    text: &'t str,
    is_closed: bool,
    /// Characters that the reference counts.
    columns: usize,
}

impl<'t> Parser<'t> {
    fn advance(&mut self, bytes: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        taken
    }

    fn tag(&mut self) -> Tag<'t> {
        self.advance(self.open.len());
        let closes = self.close.chars().next();
        // The marks of other delimiters may hold the one that ends them.
        let skipped = usize::from(self.rest.starts_with('='));
        let end = self.rest[skipped..].find(&self.close).map(|at| at + skipped);
        let text = self.advance(end.unwrap_or(self.rest.len()));
        let mut columns = self.open.encode_utf16().count();
        columns += text.chars().filter(|c| Some(*c) != closes).map(char::len_utf16).sum::<usize>();
        if end.is_some() {
            self.advance(self.close.len());
            columns += self.close.encode_utf16().count();
        }
        Tag { text, is_closed: end.is_some(), columns }
    }

    /// Reads up to the end of the section that is open.
    fn parts(&mut self, section: Option<&str>, depth: usize, at_start: bool) -> Result<Vec<Part>, String> {
        if depth > DEPTH_MAX {
            return Err(format!("sections are nested deeper than [{DEPTH_MAX}] @[{NAME}:{}]", self.line));
        }
        let mut parts = vec![];
        let is_edge = section.is_some();
        let mut line =
            Line { text: String::new(), column: 0, is_blank: true, is_edge, at_start, ends_in_return: false };
        while let Some(c) = self.rest.chars().next() {
            if self.rest.starts_with(&self.open) {
                if self.part(section, depth, &mut line, &mut parts)? {
                    return Ok(parts);
                }
                continue;
            }
            self.advance(c.len_utf8());
            match c {
                '\r' => line.ends_in_return = true,
                '\n' => {
                    self.line += 1;
                    line.end(&mut parts);
                }
                c => line.push(c),
            }
        }
        if let Some(name) = section {
            return Err(format!("Failed to close '{name}' tag @[{NAME}:{}]", self.line));
        }
        line.flush(&mut parts);
        Ok(parts)
    }

    /// Reads a tag, with what it opens. Gives whether it closed the section.
    fn part(
        &mut self,
        section: Option<&str>,
        depth: usize,
        line: &mut Line,
        parts: &mut Vec<Part>,
    ) -> Result<bool, String> {
        let tag = self.tag();
        let at = format!("{NAME}:{}", self.line);
        let Some(sign) = tag.text.chars().next() else { return Err(format!("Empty mustache @[{at}]")) };
        let name = tag.text[sign.len_utf8()..].trim();
        match sign {
            '#' | '^' | '$' | '<' => self.section(name, sign, depth, line, parts)?,
            '/' => {
                if !line.at_start || !line.is_blank {
                    line.flush(parts);
                }
                return match section {
                    Some(open) if open == name => Ok(true),
                    open => {
                        let open = open.unwrap_or("null");
                        Err(format!("Mismatched start/end tags: {open} != {name} in {at} @[{at}]"))
                    }
                };
            }
            '>' => {
                return Err(no_partials(name));
            }
            '!' => line.flush(parts),
            '=' => {
                line.flush(parts);
                self.delimiters(name)?;
            }
            '{' | '&' => {
                line.flush(parts);
                let name = if sign == '{' { self.in_three_braces(name, line.column + tag.columns)? } else { name };
                parts.push(Part::Variable { name: name.to_owned(), raw: true });
            }
            _ if !tag.is_closed => return Err(format!("Improperly closed variable @[{at}]")),
            _ => {
                line.flush(parts);
                parts.push(Part::Variable { name: tag.text.trim().to_owned(), raw: false });
            }
        }
        // Of each tag that ends one character is not counted.
        line.column += tag.columns - 1;
        line.at_start = false;
        Ok(false)
    }

    /// The name of a variable behind three braces, whose third is read here.
    fn in_three_braces(&mut self, name: &'t str, column: usize) -> Result<&'t str, String> {
        if self.close.chars().nth(1) != Some('}') {
            return Ok(name.strip_suffix(|_| true).unwrap_or(name));
        }
        if !self.rest.starts_with('}') {
            let at = format!("{NAME}:{}", self.line);
            return Err(format!("Improperly closed variable: {name} in {at}@{column} @[{at}]"));
        }
        self.advance(1);
        Ok(name)
    }

    fn section(
        &mut self,
        name: &str,
        sign: char,
        depth: usize,
        line: &mut Line,
        parts: &mut Vec<Part>,
    ) -> Result<(), String> {
        let first = self.line;
        let inner = self.parts(Some(name), depth + 1, line.at_start && line.is_blank)?;
        line.is_edge = self.line > first;
        // Blanks before a section of several lines are none of its text.
        if line.is_blank && line.is_edge {
            line.text.clear();
        }
        line.flush(parts);
        parts.push(match sign {
            // What other templates could replace, of which there are none.
            '$' => Part::Block(inner),
            '<' => return Err(no_partials(name)),
            _ => section_of(name, sign == '^', inner, first)?,
        });
        Ok(())
    }

    fn delimiters(&mut self, text: &str) -> Result<(), String> {
        let text = text.trim_end_matches('=').trim();
        match text.split_whitespace().collect::<Vec<_>>()[..] {
            [open, close] => {
                (self.open, self.close) = (open.to_owned(), close.to_owned());
                Ok(())
            }
            _ => Err(format!("Invalid delimiter string: {text} @[{NAME}:{}]", self.line)),
        }
    }
}

fn no_partials(name: &str) -> String {
    format!("Partial templates are not supported in OpenSearch Mustache scripts: [{name}]")
}

fn section_of(name: &str, inverted: bool, parts: Vec<Part>, line: usize) -> Result<Part, String> {
    let function = match name {
        _ if inverted => None,
        "toJson" => Some(Function::ToJson),
        "url" => Some(Function::Url),
        "join" => Some(Function::Join(",".to_owned())),
        _ => name.strip_prefix("join").map(str::trim).and_then(|rest| {
            let delimiter = rest.strip_prefix("delimiter=")?.strip_prefix('\'')?.strip_suffix('\'')?;
            Some(Function::Join(delimiter.to_owned()))
        }),
    };
    let known = match function {
        Some(Function::ToJson) => Some("toJson"),
        Some(Function::Join(_)) => Some("join"),
        _ => None,
    };
    if let Some(known) = known.filter(|_| parts.is_empty()) {
        return Err(format!("Mustache function [{known}] must contain one and only one identifier"));
    }
    Ok(match function {
        Some(function) => Part::Function { function, parts, line },
        None => Part::Section { name: name.to_owned(), inverted, parts },
    })
}
