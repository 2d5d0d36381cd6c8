//! What becomes of constants while compiling, and where mistakes about them stand.

use super::run;

#[test]
fn shifts_are_put_together() {
    for (source, expected) in [
        ("((0 + 100L) / (((int)(2) >>> 2)))", "@1 arithmetic_exception: / by zero"),
        ("return 1/(2>>>2)", "@7 arithmetic_exception: / by zero"),
        ("(1L << 40) + (-8 >> 1) + (-1 >>> 28)", "1099511627787"),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
}

#[test]
fn casts_and_signs_of_constants_that_do_not_fit() {
    let refused =
        |at: u32, from: &str, to: &str| format!("@{at} class_cast_exception: Cannot cast from [{from}] to [{to}].");
    for (source, expected) in [
        ("Object x = (int)5L; return x", refused(11, "int", "java.lang.Object")),
        ("String x = (long)(5)", refused(11, "long", "java.lang.String")),
        ("int x = (String)5", refused(16, "int", "java.lang.String")),
        ("String x = -5", refused(12, "int", "java.lang.String")),
        ("String x = -(5)", refused(13, "int", "java.lang.String")),
        ("String x = ~5", refused(11, "int", "java.lang.String")),
        ("byte b = - 5000", refused(11, "int", "byte")),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
}

#[test]
fn null_that_was_cast_is_of_the_type() {
    for (source, expected) in [
        ("def f(int x) { return x } return (def)null", "null"),
        ("int x = (String)null; return x", "@8 class_cast_exception: Cannot cast from [java.lang.String] to [int]."),
        ("int x = null; return x", "@8 illegal_argument_exception: Cannot cast null to a primitive type [int]."),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
}
