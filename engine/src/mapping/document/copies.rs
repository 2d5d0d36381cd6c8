//! Values that are copied to other fields.

use super::new_fields::refuse_below_strict;
use super::value::{Scalar, Takes, Token};
use super::walk::{Walk, Walked, failed_to_parse};
use crate::error::{Error, ErrorKind};
use crate::mapping::dynamic::Admission;
use crate::mapping::mapping::Leaf;
use std::sync::Arc;

impl<'w, 'a> Walk<'w, 'a> {
    /// An object, or an array that is one value, of a field that is copied. The field and those that it is copied to read it anew,
    /// so that positions in messages are those within it.
    pub(super) fn copied_whole(&mut self, leaf: &'w Leaf, value: Scalar<'a>, depth: usize) -> Walked {
        let whole = self.whole(value, depth)?;
        let source = whole.raw();
        let token = Token { value: whole.value, source, start: 0, end: source.len(), named: false };
        self.index(leaf, &as_taken(leaf, &token))?;
        self.copy(&leaf.copy_to, &token)
    }

    /// Hands one value to the fields that it is copied to.
    pub(super) fn copy(&mut self, targets: &[Arc<str>], token: &Token<'a>) -> Walked {
        let mapping = self.mapping;
        for name in targets {
            match mapping.leaf(name) {
                Some(leaf) => self.in_scope_of(name, |walk| walk.index(leaf, &as_taken(leaf, token)))?,
                None => {
                    let (parent, key) = match self.parent_of(&mapping.nodes[0], name, token.value != Scalar::Null)? {
                        Some(found) => found,
                        None => continue,
                    };
                    let admission = self.admit(&parent, key)?;
                    if token.value == Scalar::Null && admission != Admission::Nothing {
                        // Even a null makes a field, or would.
                        let strict = admission == Admission::TemplatesOrError
                            && !mapping.template_for_array(&parent.full_name(key), key);
                        return Err(
                            if strict { refuse_below_strict(&parent, key) } else { refuse_new(token, key) }.into()
                        );
                    }
                    if token.value != Scalar::Null {
                        if is_whole(token) && admission != Admission::Nothing {
                            return Err(refuse_new(token, key).into());
                        }
                        self.new_scalar(&parent, key, token, admission, false)?;
                    }
                }
            }
        }
        Ok(())
    }
}

fn is_whole(token: &Token) -> bool {
    matches!(token.value, Scalar::Object | Scalar::Array)
}

/// The token as the field takes it: of an object or array only the beginning, where it takes scalars.
fn as_taken<'a>(leaf: &Leaf, token: &Token<'a>) -> Token<'a> {
    let end = if is_whole(token) && leaf.takes == Takes::Scalars { token.start + 1 } else { token.end };
    Token { end, ..token.clone() }
}

/// A field that does not exist yet gets no type from an object, nor from a null.
#[cold]
fn refuse_new(token: &Token, key: &str) -> Error {
    let token = token.type_name();
    let reason = format!("Can't handle serializing a dynamic type with content token [{token}] and field name [{key}]");
    failed_to_parse(Error::new(ErrorKind::IllegalState, reason))
}
