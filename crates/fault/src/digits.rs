//! One word of a site: one or more digits of an axis.

use upset_state::Axis;

use crate::MAX_CHANGES;

/// The digits that a word names, ascending: `bit3`, `bit3,7,9`, `lane0-31`,
/// `lane*`, `active`. An error says what is wrong with the word.
pub(crate) fn parse(word: &str, axis: &Axis) -> Result<Vec<u64>, String> {
    let list = word.strip_prefix(axis.name).ok_or_else(|| expected(axis))?;
    let mut digits = Vec::new();
    if list == "*" {
        add(&mut digits, 0, axis.size.saturating_sub(1))?;
        return Ok(digits);
    }
    for item in list.split(',') {
        let (first, last) = match axis.names.is_empty().then(|| item.split_once('-')).flatten() {
            Some((first, last)) => (digit(first, axis)?, digit(last, axis)?),
            None => {
                let one = digit(item, axis)?;
                (one, one)
            }
        };
        if first > last {
            return Err(format!("{first}-{last} runs backwards: write {last}-{first}"));
        }
        add(&mut digits, first, last)?;
    }
    digits.sort_unstable();
    if let Some(pair) = digits.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(format!("`{}` is named twice", text(&pair[..1], axis)));
    }
    Ok(digits)
}

/// Memory has billions of bytes: what no experiment can hold is not listed.
fn add(digits: &mut Vec<u64>, first: u64, last: u64) -> Result<(), String> {
    if last - first >= MAX_CHANGES {
        return Err(format!("too many at once: name at most {MAX_CHANGES}"));
    }
    digits.extend(first..=last);
    Ok(())
}

fn digit(item: &str, axis: &Axis) -> Result<u64, String> {
    if let Some(named) = axis.names.iter().position(|name| *name == item) {
        return Ok(named as u64);
    }
    let plain = axis.names.is_empty() && item.bytes().all(|b| b.is_ascii_digit());
    match item.parse::<u64>() {
        Ok(number) if plain && number < axis.size => Ok(number),
        _ => Err(expected(axis)),
    }
}

fn expected(axis: &Axis) -> String {
    if axis.names.is_empty() {
        let last = axis.size.saturating_sub(1);
        let name = axis.name;
        format!("expected {name}0 to {name}{last}, or several as {name}0,3 {name}0-3 {name}*")
    } else {
        format!("expected {}, or *", axis.names.join(" or "))
    }
}

/// The shortest word for ascending digits: all as `*`, three or more in a row
/// as a range.
pub(crate) fn text(digits: &[u64], axis: &Axis) -> String {
    if digits.len() as u64 == axis.size && axis.size > 1 {
        return format!("{}*", axis.name);
    }
    let mut text = axis.name.to_string();
    let mut rest = digits;
    while let Some(&first) = rest.first() {
        let run = rest.iter().zip(first..).take_while(|(d, n)| **d == *n).count();
        let taken = if run >= 3 && axis.names.is_empty() { run } else { 1 };
        if rest.len() < digits.len() {
            text.push(',');
        }
        match axis.names.get(first as usize) {
            Some(name) => text.push_str(name),
            None => text.push_str(&first.to_string()),
        }
        if taken > 1 {
            text.push_str(&format!("-{}", rest[taken - 1]));
        }
        rest = &rest[taken..];
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BIT: Axis = Axis::new("bit", 12);
    const MASK: Axis = Axis::named(&["active", "live", "third"]);

    #[test]
    fn words_and_digits() {
        for (word, digits) in [
            ("bit3", vec![3]),
            ("bit0,3", vec![0, 3]),
            ("bit0-2,7,8", vec![0, 1, 2, 7, 8]),
            ("bit*", (0..12).collect()),
        ] {
            assert_eq!(parse(word, &BIT), Ok(digits.clone()), "{word}");
            assert_eq!(text(&digits, &BIT), word);
        }
        assert_eq!(parse("bit7,03,1-2", &BIT), Ok(vec![1, 2, 3, 7]));
        assert_eq!(parse("live", &MASK), Ok(vec![1]));
        assert_eq!(parse("third,active", &MASK), Ok(vec![0, 2]));
        assert_eq!(text(&[0, 2], &MASK), "active,third");
        assert_eq!(text(&[0, 1, 2], &MASK), "*");
        assert_eq!(parse("*", &MASK), Ok(vec![0, 1, 2]));
        assert_eq!(text(&[0], &Axis::new("bit", 1)), "bit0");
    }

    #[test]
    fn bad_words_say_what_is_expected() {
        for word in ["lane3", "bit", "bit12", "bit-1", "bit3,", "bit1x", "bit+1", "bit1--2"] {
            let problem = parse(word, &BIT).unwrap_err();
            assert!(problem.starts_with("expected bit0 to bit11"), "{word}: {problem}");
        }
        assert!(parse("bit3-1", &BIT).unwrap_err().contains("write 1-3"));
        assert_eq!(parse("bit3,1-4", &BIT).unwrap_err(), "`bit3` is named twice");
        let byte = Axis::new("byte", 1 << 34);
        assert!(parse("byte*", &byte).unwrap_err().contains("too many"));
        assert!(parse("byte1-9999999999", &byte).unwrap_err().contains("too many"));
        assert_eq!(parse("active,1", &MASK).unwrap_err(), "expected active or live or third, or *");
    }

    proptest! {
        #[test]
        fn printing_and_parsing_are_inverse(digits in prop::collection::btree_set(0u64..12, 1..12)) {
            let digits: Vec<u64> = digits.into_iter().collect();
            prop_assert_eq!(parse(&text(&digits, &BIT), &BIT), Ok(digits));
        }
    }
}
