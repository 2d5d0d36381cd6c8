//! `StringTokenizer`.

use super::super::class::{ClassRow, Row};
use super::super::error::{Failed, Outcome, thrown};
use super::super::value::{Data, Value};
use super::super::vm::Vm;
use super::args::{boolean, ok_bool, ok_int, text, unexpected};
use std::cell::RefCell;

const WHITE: &str = " \t\n\r\u{c}";

#[derive(Debug)]
pub struct Tokenizer {
    text: Box<str>,
    delimiters: Box<str>,
    /// Whether delimiters are tokens too.
    tells_delimiters: bool,
    at: usize,
}

impl Tokenizer {
    /// Where the next token begins and ends, from a place on.
    fn token(&self, from: usize) -> Option<(usize, usize)> {
        let is_delimiter = |c: char| self.delimiters.contains(c);
        let rest = &self.text[from..];
        let start = match self.tells_delimiters {
            true => from,
            false => from + rest.find(|c| !is_delimiter(c)).unwrap_or(rest.len()),
        };
        let first = self.text[start..].chars().next()?;
        let end = match is_delimiter(first) {
            true => start + first.len_utf8(),
            false => start + self.text[start..].find(is_delimiter).unwrap_or(self.text.len() - start),
        };
        Some((start, end))
    }
}

fn tokenizer(value: &Value) -> Result<&RefCell<Tokenizer>, Failed> {
    match value.data() {
        Some(Data::Tokenizer(tokenizer)) => Ok(tokenizer),
        _ => Err(unexpected(value)),
    }
}

fn new(vm: &mut Vm, of: &Value, delimiters: &str, tells_delimiters: bool) -> Outcome {
    let text: Box<str> = text(of)?.into();
    vm.grow(text.len() + delimiters.len())?;
    vm.alloc(Data::Tokenizer(Tokenizer { text, delimiters: delimiters.into(), tells_delimiters, at: 0 }.into()))
}

pub(super) fn has_more(_: &mut Vm, a: &[Value]) -> Outcome {
    let tokenizer = tokenizer(&a[0])?.borrow();
    ok_bool(tokenizer.token(tokenizer.at).is_some())
}

pub(super) fn next(vm: &mut Vm, a: &[Value]) -> Outcome {
    let token = {
        let mut tokenizer = tokenizer(&a[0])?.borrow_mut();
        let Some((start, end)) = tokenizer.token(tokenizer.at) else {
            return Err(thrown("NoSuchElementException", None));
        };
        tokenizer.at = end;
        tokenizer.text[start..end].to_owned()
    };
    vm.work(token.len() / 8 + 1)?;
    vm.string(token)
}

pub const CLASSES: &[ClassRow] = &[ClassRow::new(
    "java.util.StringTokenizer",
    &["Enumeration"],
    &[
        Row("new(String)", |vm, a| new(vm, &a[0], WHITE, false)),
        Row("new(String,String)", |vm, a| new(vm, &a[0], &text(&a[1])?, false)),
        Row("new(String,String,boolean)", |vm, a| new(vm, &a[0], &text(&a[1])?, boolean(&a[2])?)),
        Row("int countTokens()", |vm, a| {
            let tokenizer = tokenizer(&a[0])?.borrow();
            vm.work((tokenizer.text.len() - tokenizer.at) / 8 + 1)?;
            let tokens = std::iter::successors(tokenizer.token(tokenizer.at), |(_, end)| tokenizer.token(*end));
            ok_int(tokens.count())
        }),
        Row("boolean hasMoreTokens()", has_more),
        Row("String nextToken()", next),
        Row("String nextToken(String)", |vm, a| {
            tokenizer(&a[0])?.borrow_mut().delimiters = text(&a[1])?.into();
            next(vm, &a[..1])
        }),
    ],
)];
