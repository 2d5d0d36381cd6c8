//! How passwords are hashed, and which are too weak.

use pith_engine::{Error, ErrorKind, Result};

/// Bytes of a password; the hash looks at the first 72.
pub const PASSWORD_MAX: usize = 100;

/// Work of a hash, as a power of two, where nothing else is set.
pub const ROUNDS: u32 = 12;

/// Guesses needed, in the steps of zxcvbn: from 3 on a password is safe enough.
const STRENGTH_MIN: u8 = 3;

/// The hash of no password: what is verified for users that do not exist, so that their absence takes as long to tell as a wrong
/// password.
pub const DUMMY_HASH: &str = "$2y$12$.AQ4fntORiQA22HPTqLRpus8AKZODxioEUhjqd7fVyONNfL.yahim";

/// Hashes a password. Takes tens to hundreds of milliseconds: not for a core.
pub fn hash(password: &str, rounds: u32) -> Result<String> {
    let failed = |error| Error::new(ErrorKind::IllegalState, format!("the password cannot be hashed: {error}"));
    let parts = bcrypt::hash_with_result(password.as_bytes(), rounds).map_err(failed)?;
    Ok(parts.format_for_version(bcrypt::Version::TwoY))
}

/// Whether a password has this hash. Takes as long as hashing.
pub fn verify(password: &str, hash: &str) -> bool {
    bcrypt::verify(password.as_bytes(), hash).unwrap_or(false)
}

/// Whether a text has the form of a hash whose verification takes no more than some seconds.
pub fn is_hash(text: &str) -> bool {
    let mut parts = text.split('$').skip(1);
    let version = parts.next().is_some_and(|version| matches!(version, "2a" | "2b" | "2x" | "2y"));
    let cost = parts.next().and_then(|cost| cost.parse::<u32>().ok()).is_some_and(|cost| (4..=16).contains(&cost));
    let rest = parts.next().is_some_and(|rest| rest.len() == 53 && rest.bytes().all(is_of_alphabet));
    text.starts_with('$') && version && cost && rest && parts.next().is_none()
}

fn is_of_alphabet(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'/')
}

/// Why a password is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weakness {
    TooShort,
    TooLong,
    Weak,
    SimilarToName,
}

impl Weakness {
    pub fn message(self) -> &'static str {
        match self {
            Self::TooShort => "Password is too short",
            Self::TooLong => "Password is too long",
            Self::Weak => "Weak password",
            Self::SimilarToName => "Password is similar to user name",
        }
    }
}

/// What is wrong with a password for the user of this name. May take some milliseconds: not for a core.
pub fn weakness(name: &str, password: &str) -> Option<Weakness> {
    if password.is_empty() {
        return Some(Weakness::TooShort);
    }
    if password.chars().count() > PASSWORD_MAX {
        return Some(Weakness::TooLong);
    }
    let estimate = zxcvbn::zxcvbn(password, &[name]);
    if u8::from(estimate.score()) < STRENGTH_MIN {
        return Some(Weakness::Weak);
    }
    let (name, password) = (name.to_lowercase(), password.to_lowercase());
    let reversed: String = name.chars().rev().collect();
    let similar = name.chars().count() > 2 && (password.contains(&name) || password.contains(&reversed));
    similar.then_some(Weakness::SimilarToName)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_verified() {
        let hashed = hash("Mosel-7-Schiefer", 4).unwrap();
        assert!(hashed.starts_with("$2y$04$") && is_hash(&hashed));
        assert!(verify("Mosel-7-Schiefer", &hashed) && !verify("Mosel-7-Schiefe", &hashed));
        assert!(is_hash(DUMMY_HASH) && !verify("", DUMMY_HASH));
        assert!(!is_hash("$2y$31$.AQ4fntORiQA22HPTqLRpus8AKZODxioEUhjqd7fVyONNfL.yahim") && !is_hash("x"));
    }

    #[test]
    fn weak_passwords() {
        assert_eq!(weakness("admin", "admin"), Some(Weakness::Weak));
        assert_eq!(weakness("admin", "password123"), Some(Weakness::Weak));
        assert_eq!(weakness("u", ""), Some(Weakness::TooShort));
        assert_eq!(weakness("u", &"xY7".repeat(40)), Some(Weakness::TooLong));
        assert_eq!(weakness("some_user", "77_some_user_Ydfge_21"), Some(Weakness::SimilarToName));
        assert_eq!(weakness("admin", "Mosel-7-Schiefer"), None);
    }
}
