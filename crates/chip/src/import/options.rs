//! A configuration as a list of options.
//!
//! `-name value` with `#` comments; a value in quotes may run over lines, in
//! which case its pieces are joined. A word that begins with `-` and a letter
//! is an option, so `-1` is a value.

/// One option as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Opt {
    pub(super) name: String,
    /// The words that follow, joined by a blank; empty if there are none.
    pub(super) value: String,
    pub(super) line: usize,
}

pub(super) fn parse(text: &str) -> Vec<Opt> {
    let mut options: Vec<Opt> = Vec::new();
    for (word, quoted, line) in words(text) {
        match word.strip_prefix('-') {
            Some(name) if !quoted && name.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                options.push(Opt { name: name.to_owned(), value: String::new(), line });
            }
            _ => match options.last_mut() {
                Some(option) => {
                    if !option.value.is_empty() {
                        option.value.push(' ');
                    }
                    option.value.push_str(&word);
                }
                // Text before the first option belongs to nothing.
                None => options.push(Opt { name: String::new(), value: word, line }),
            },
        }
    }
    options
}

/// Words with whether they were quoted, and their line.
fn words(text: &str) -> Vec<(String, bool, usize)> {
    let mut out = Vec::new();
    let mut quoted: Option<(String, usize)> = None;
    for (index, line) in text.lines().enumerate() {
        let line_number = index + 1;
        let code = line.split('#').next().unwrap_or("");
        // Pieces between quotes alternate between outside and inside.
        for (i, piece) in code.split('"').enumerate() {
            if i > 0 {
                match quoted.take() {
                    Some((word, start)) => out.push((word, true, start)),
                    None => quoted = Some((String::new(), line_number)),
                }
            }
            match &mut quoted {
                Some((word, _)) => word.extend(piece.chars().filter(|c| !c.is_whitespace())),
                None => {
                    out.extend(piece.split_whitespace().map(|w| (w.to_owned(), false, line_number)))
                }
            }
        }
    }
    // An unclosed quote ends with the file.
    out.extend(quoted.map(|(word, start)| (word, true, start)));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str) -> Vec<(String, String, usize)> {
        parse(text).into_iter().map(|o| (o.name, o.value, o.line)).collect()
    }

    #[test]
    fn comments_quotes_and_options_without_values() {
        let text = "# head\n-a 1 # tail\n-b\n-c \"x=1:\n   y=2\" -d -1\n#-e 5\n-f a b\n";
        let expected =
            [("a", "1", 2), ("b", "", 3), ("c", "x=1:y=2", 4), ("d", "-1", 5), ("f", "a b", 7)]
                .map(|(n, v, l)| (n.to_owned(), v.to_owned(), l));
        assert_eq!(pairs(text), expected);
    }

    #[test]
    fn odd_text_is_kept_not_lost() {
        assert_eq!(pairs("stray"), [("".to_owned(), "stray".to_owned(), 1)]);
        assert_eq!(pairs("-a \"-b"), [("a".to_owned(), "-b".to_owned(), 1)]);
        assert_eq!(pairs(""), []);
    }
}
