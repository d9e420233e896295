//! Rust sources of the tree, for the rules that read them: which files there are,
//! and what tokens they are made of.

use std::path::{Path, PathBuf};

use crate::Outcome;

/// What is in a folder.
pub fn list(dir: &Path) -> Outcome<Vec<PathBuf>> {
    let entries =
        std::fs::read_dir(dir).map_err(|e| format!("cannot list {}: {e}", dir.display()))?;
    Ok(entries.filter_map(|entry| Some(entry.ok()?.path())).collect())
}

/// Source files, but for those of tests.
pub fn sources(dir: &Path, files: &mut Vec<PathBuf>) -> Outcome<()> {
    for path in list(dir)? {
        if path.file_stem().is_some_and(|n| n == "tests") {
            continue;
        }
        if path.is_dir() {
            sources(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

/// The text of a file.
pub fn read(file: &Path) -> Outcome<String> {
    std::fs::read_to_string(file).map_err(|e| format!("cannot read {}: {e}", file.display()))
}

/// As much of Rust as the rules need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'s> {
    Word(&'s str),
    /// What is between the quotes.
    Text(&'s str),
    Mark(char),
}

/// The tokens of a file, without comments, characters and lifetimes.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some((text, len)) = literal(rest) {
            tokens.push(Token::Text(text));
            len
        } else if is_word(c) {
            let len = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
            tokens.push(Token::Word(&rest[..len]));
            len
        } else if c == '\'' {
            let mut inner = rest[1..].chars();
            match (inner.next(), inner.next()) {
                (Some('\\'), Some(escaped)) => {
                    let from = 2 + escaped.len_utf8();
                    from + rest[from..].find('\'').map_or(0, |n| n + 1)
                }
                (Some(one), Some('\'')) => 2 + one.len_utf8(),
                _ => 1,
            }
        } else {
            if !c.is_whitespace() {
                tokens.push(Token::Mark(c));
            }
            c.len_utf8()
        };
        rest = &rest[skipped..];
    }
    tokens
}

/// A string that begins here: what is in it, and the length of all.
fn literal(rest: &str) -> Option<(&str, usize)> {
    let raw = rest.strip_prefix('r').map(|r| r.trim_start_matches('#'));
    if let Some(inner) = raw.and_then(|r| r.strip_prefix('"')) {
        let start = rest.len() - inner.len();
        let end = format!("\"{}", "#".repeat(start - 2));
        let len = inner.find(&end)?;
        return Some((&inner[..len], start + len + end.len()));
    }
    let inner = rest.strip_prefix('"')?;
    let mut escaped = false;
    let len = inner.find(|c: char| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    })?;
    Some((&inner[..len], len + 2))
}
