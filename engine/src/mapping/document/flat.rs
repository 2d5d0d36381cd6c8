//! Objects with `disable_objects`: whatever their documents nest, a field is what a whole path leads to.

use super::new_fields::{Parent, ambiguity};
use super::walk::{Walk, Walked, check_depth, failed_to_parse};
use crate::error::Error;
use crate::mapping::mapping::{ObjectNode, Target};
use crate::mapping::types::RESERVED;

impl<'w> Walk<'w, '_> {
    /// The entries of an object below `node`, whose opening bracket is consumed; `path` leads from `node` to it.
    pub(super) fn flat_object(&mut self, node: &'w ObjectNode, path: &mut String, depth: usize) -> Walked {
        check_depth(depth)?;
        let length = path.len();
        self.entries(|walk, key, _| {
            if length > 0 {
                path.push('.');
            }
            path.push_str(key);
            walk.flat_value(node, path, length > 0, depth)?;
            path.truncate(length);
            Ok(())
        })
    }

    /// What stands at the end of `path`: more of the path, or values of the field that it names. No field is given an object or array as
    /// it is, even if it could take one. `nested`: whether the path leads through objects.
    fn flat_value(&mut self, node: &'w ObjectNode, path: &mut String, nested: bool, depth: usize) -> Walked {
        check_depth(depth)?;
        match self.reader.peek()? {
            b'{' => {
                self.reader.at += 1;
                self.flat_object(node, path, depth + 1)
            }
            b'[' => self.items(|walk| walk.flat_value(node, path, nested, depth + 1)),
            _ => match node.find(self.mapping.hasher.hash_one(path.as_str()), path) {
                // The reference passes over what is written to an alias through objects.
                Some(Target::Alias(_)) if nested => self.skip(depth),
                Some(target) => self.known(target, Some(path), depth),
                None => self.new_flat(node, path, depth),
            },
        }
    }

    fn new_flat(&mut self, node: &'w ObjectNode, path: &str, depth: usize) -> Walked {
        if node.name.is_empty() && RESERVED.contains(&path) {
            return Err(self.refuse_reserved(path).into());
        }
        check_path(path)?;
        let parent = Parent::Known(node);
        let admission = self.admit(&parent, path)?;
        self.new_value(&parent, path, admission, depth, true)
    }
}

/// Refuses paths that name no field. Dots at the end are part of the name.
fn check_path(path: &str) -> Walked {
    if path.is_empty() {
        return Err(failed_to_parse(Error::illegal_argument("name cannot be empty string")).into());
    }
    ambiguity(path).map_or(Ok(()), |reason| Err(Error::illegal_argument(reason).into()))
}
