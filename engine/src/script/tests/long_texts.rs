//! Long texts cost what it takes to look at them.

use super::run;

const LONG: &str = "def b = new StringBuilder(); for (int i = 0; i < 65536; ++i) { b.append('0123456789abcdef'); } \
                    String s = b.toString(); String t = s.substring(0, s.length() - 1) + 'f'; int n = 0; ";

#[test]
fn what_goes_through_long_texts_ends() {
    for each in [
        "if (s == t) { ++n }",
        "if (s.equals(t)) { ++n }",
        "n += s.hashCode()",
        "n += s.compareTo(t)",
        "n += s.indexOf('x')",
        "n += s.lastIndexOf('x')",
        "if (s.contains('x')) { ++n }",
        "if (s.equalsIgnoreCase(t)) { ++n }",
        "if (s.toLowerCase() == t) { ++n }",
        "if (['a': 1, 'b': 2].containsKey(s)) { ++n }",
    ] {
        let answer = run(&format!("{LONG} for (int i = 0; i < 300000; ++i) {{ {each} }} return n"));
        assert!(answer.contains("maximum number of instructions"), "{each}: {answer}");
    }
}

#[test]
fn every_unit_of_a_long_text_is_near() {
    let source = "def b = new StringBuilder(); for (int i = 0; i < 20000; ++i) { b.append('aé😀'); } String s = b.toString(); \
                  int sum = 0; for (int i = 0; i < s.length(); ++i) { sum += (int) s.charAt(i); } return sum + s.substring(79998).length()";
    let sum = 20_000i64 * (0x61 + 0xe9 + 0xd83d + 0xde00) + 2;
    assert_eq!(run(source), ((sum as i32).to_string()));
}

#[test]
fn what_was_walked_before_is_not_paid_for() {
    super::lib::scanned(64 << 20);
    assert_eq!(run("def m = ['a': 1, 'b': 2]; return m.containsKey('b')"), "true");
}
