//! What the product is made of may be given away with it: every crate in the lock file that a build takes in has a
//! licence that asks for no more than to be named (or, MPL, for changes of its own files).

use std::process::Command;

/// Licences that are taken, by their SPDX names.
const TAKEN: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

#[test]
fn every_crate_has_a_licence_that_is_taken() {
    let packages = packages();
    assert!(packages.len() > 50, "only {} crates: the answer was not understood", packages.len());
    let wrong: Vec<String> = packages
        .iter()
        .filter(|(_, licence)| !licence.as_deref().is_some_and(is_taken))
        .map(|(name, licence)| format!("{name}: {}", licence.as_deref().unwrap_or("no licence is named")))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Names with versions, and licences.
fn packages() -> Vec<(String, Option<String>)> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let platform = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let asked = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked", "--offline", "--filter-platform", &platform])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(asked.status.success(), "{}", String::from_utf8_lossy(&asked.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&asked.stdout).expect("cargo answers in JSON");
    let package = |package: &serde_json::Value| {
        let text = |key: &str| package[key].as_str().map(str::to_owned);
        (format!("{} {}", text("name").unwrap_or_default(), text("version").unwrap_or_default()), text("license"))
    };
    metadata["packages"].as_array().map(|all| all.iter().map(package).collect()).unwrap_or_default()
}

/// Whether an SPDX expression (`MIT OR Apache-2.0`, `(MIT OR Apache-2.0) AND Unicode-3.0`, the old `MIT/Apache-2.0`) leaves a choice that
/// is taken.
fn is_taken(expression: &str) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    any_of(&mut rest) && rest.is_empty()
}

fn any_of(words: &mut &[&str]) -> bool {
    let mut taken = all_of(words);
    while let [first, rest @ ..] = *words
        && *first == "OR"
    {
        *words = rest;
        // Both sides are read, whichever is taken.
        taken |= all_of(words);
    }
    taken
}

fn all_of(words: &mut &[&str]) -> bool {
    let mut taken = one(words);
    while let [first, rest @ ..] = *words
        && *first == "AND"
    {
        *words = rest;
        taken &= one(words);
    }
    taken
}

fn one(words: &mut &[&str]) -> bool {
    match *words {
        ["(", rest @ ..] => {
            *words = rest;
            let taken = any_of(words);
            let closed = words.first() == Some(&")");
            *words = words.get(1..).unwrap_or_default();
            taken && closed
        }
        [name, "WITH", exception, rest @ ..] => {
            *words = rest;
            TAKEN.contains(&format!("{name} WITH {exception}").as_str()) || TAKEN.contains(name)
        }
        [name, rest @ ..] => {
            *words = rest;
            TAKEN.contains(name)
        }
        [] => false,
    }
}

#[test]
fn expressions_are_understood() {
    for taken in [
        "MIT",
        "MIT/Apache-2.0",
        "GPL-3.0 OR MIT",
        "(MIT OR GPL-2.0) AND Unicode-3.0",
        "Apache-2.0 WITH LLVM-exception",
    ] {
        assert!(is_taken(taken), "{taken}");
    }
    for left in ["GPL-3.0", "MIT AND GPL-3.0", "(MIT", "", "LGPL-2.1-or-later OR AGPL-3.0"] {
        assert!(!is_taken(left), "{left}");
    }
}
