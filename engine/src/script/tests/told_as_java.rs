//! What lists, builders, paths and Base64 answer, and how they refuse.

use super::run;

#[test]
fn what_a_class_overrides_counts() {
    for (source, expected) in [
        ("def l = [5, 6]; l.remove(0); return l", "[6]"),
        ("def l = new LinkedList([5, 6]); return l.remove(0)", "5"),
        ("def s = new HashSet([5, 6]); s.remove(5); return s", "[6]"),
        ("1e400", "Infinity"),
        ("-1e40f", "-Infinity"),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
}

#[test]
fn refusals() {
    for (source, expected) in [
        ("['a': ['b': [1, 2]]].getByPath('a.c')", "Could not find value at path [a.c]"),
        ("['a': [:]].getByPath('a.b.c', 9)", "Container does not have [b], for non-terminal index [1] in path [a.b.c]"),
        ("[1, 2].getByPath('0.x')", "Non-container [java.lang.Integer] at [x], index [1] in path [0.x]"),
        ("[1, 2].getByPath('2', 9)", "Index 2 out of bounds for length 2"),
        ("[1, 2].getByPath('x')", "Could not parse [x] as a int index into list at path [x] and index [0]"),
        ("[:].getByPath('')", "Missing path"),
        ("[:].getByPath('a..b')", "Extra '.' in path [a..b] at index [1]"),
        ("[:].getByPath('.')", "Trailing '.' in path [.]"),
        ("'!!!'.decodeBase64()", "Illegal base64 character 21"),
        ("'é'.decodeBase64()", "Illegal base64 character -3d"),
        ("'a'.decodeBase64()", "Input byte[] should at least have 2 bytes for base64 bytes"),
        ("'ab=c'.decodeBase64()", "Input byte array has wrong 4-byte ending unit"),
        ("'abcde'.decodeBase64()", "Last unit does not have enough valid bits"),
        ("'ab==cd'.decodeBase64()", "Input byte array has incorrect ending byte at 4"),
        ("new StringBuilder('abc').deleteCharAt(3)", "Index 3 out of bounds for length 3"),
        ("new StringBuilder('abc').delete(5, 9)", "Range [5, 3) out of bounds for length 3"),
        ("int f() { 1 } int f() { 2 } 1", "invalid function definition: found duplicate function [f/0]."),
        ("try { return 1 } x", "unexpected token ['x'] was expecting one of ['catch']."),
    ] {
        let answer = run(source);
        assert!(answer.ends_with(expected), "{source}: {answer}");
    }
}

#[test]
fn what_is_not_used_is_named() {
    for (source, expected) in [
        (
            "(true ? 1 : 2); return 1",
            "@1 illegal_argument_exception: not a statement: result not used from conditional operation [?:]",
        ),
        ("Math.ulp(Double.MAX_VALUE)", "1.99584030953472E292"),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
}
