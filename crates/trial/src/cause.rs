//! Causes without the numbers that make each of them one of a kind.

/// A cause without the place where it showed, its numbers written as `#`:
/// causes that differ in nothing else are one. Empty for an empty cause.
pub fn cause_kind(cause: &str) -> String {
    let what = cause.split(" at pc ").next().unwrap_or_default();
    let what = what.split(", CTA (").next().unwrap_or_default().trim();
    let mut kind = String::new();
    let mut rest = what;
    while let Some(first) = rest.chars().next() {
        if !is_part(first) {
            kind.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        match number_in(word) {
            Some(before) => {
                kind.push_str(before);
                kind.push('#');
            }
            None => kind.push_str(word),
        }
        rest = after;
    }
    kind
}

fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// What stands before a word's number: nothing, or the one or two capitals of
/// a register (`R7`, `UR4`). Other words with digits (`sm_75`, `F2F`) are names.
fn number_in(word: &str) -> Option<&str> {
    if word.strip_prefix("0x").is_some_and(|hex| hex.chars().all(|c| c.is_ascii_hexdigit())) {
        return Some("");
    }
    let digits = word.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let before = &word[..word.len() - digits.len()];
    let number = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
    (number && before.len() <= 2).then_some(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_go() {
        for (cause, kind) in [
            (
                "Global address 0x710089d38 out of range at pc 0xaa0, CTA (6,3,0), warp 2",
                "Global address # out of range",
            ),
            ("misaligned register R7 at pc 0x10, CTA (0,0,0), warp 0", "misaligned register R#"),
            ("invalid constant address c[0x3][0x140]", "invalid constant address c[#][#]"),
            ("exit code 134", "exit code #"),
            ("SIGSEGV", "SIGSEGV"),
            ("instruction F2F is not implemented", "instruction F2F is not implemented"),
            ("no code for sm_75", "no code for sm_75"),
            ("cycle limit", "cycle limit"),
            ("a – 12 bytes", "a – # bytes"),
            ("0x", "#"),
            ("", ""),
        ] {
            assert_eq!(cause_kind(cause), kind);
        }
    }

    #[test]
    fn causes_that_differ_by_numbers_only_are_one() {
        let say = |a: u64, w: u32| {
            format!("misaligned Shared address {a:#x} at pc 0x5a0, CTA (1,0,0), warp {w}")
        };
        assert_eq!(cause_kind(&say(9, 0)), cause_kind(&say(0xffff_ffff, 31)));
    }
}
