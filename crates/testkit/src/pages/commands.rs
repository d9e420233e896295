//! Command lines that a page speaks of: commands and flags that exist.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use super::{Block, Page, Setting};

/// Every mention of `upset` or `cargo xtask` that could not be typed.
pub fn wrong(text: &str, page: &Page, setting: &Setting) -> Result<Vec<String>, String> {
    let mut help = Help::new(setting)?;
    let mut wrong = Vec::new();
    for line in mentioned(text, page) {
        if let Some(why) = help.look_up(&line) {
            wrong.push(format!("`{line}`: {why}"));
        }
    }
    Ok(wrong)
}

/// Command lines in consoles, other blocks, indented lines and code in the text.
fn mentioned(text: &str, page: &Page) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for block in &page.blocks {
        match block {
            Block::Console(console) => {
                lines.extend(console.steps.iter().map(|step| step.command.clone()));
            }
            Block::Other { lines: inside, .. } => lines.extend(inside.clone()),
            Block::File { .. } => {}
        }
    }
    let mut fenced = false;
    let mut paragraph = String::new();
    for line in text.lines().chain([""]) {
        if line.starts_with("```") {
            fenced = !fenced;
        } else if fenced {
        } else if line.starts_with("    ") {
            lines.push(line.to_string());
        } else if line.trim().is_empty() || line.starts_with('|') {
            let whole = format!("{paragraph} {line}").replace("\\|", "|");
            lines.extend(whole.split('`').skip(1).step_by(2).map(String::from));
            paragraph.clear();
        } else {
            paragraph.push(' ');
            paragraph.push_str(line);
        }
    }
    let is_command = |line: &String| line.starts_with("upset ") || line.starts_with("cargo ");
    lines.iter().map(|line| line.trim().to_string()).filter(is_command).collect()
}

/// What `--help` says, asked once for each command.
struct Help<'a> {
    setting: &'a Setting,
    known: BTreeMap<Vec<String>, String>,
    maintenance: String,
}

impl<'a> Help<'a> {
    fn new(setting: &'a Setting) -> Result<Help<'a>, String> {
        let file = setting.root.join("crates/xtask/src/main.rs");
        let maintenance =
            fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        Ok(Help { setting, known: BTreeMap::new(), maintenance })
    }

    /// The help of a command, empty where there is none.
    fn of(&mut self, command: &[String]) -> &str {
        let upset = &self.setting.upset;
        self.known.entry(command.to_vec()).or_insert_with(|| {
            let asked = Command::new(upset).args(command).arg("--help").output();
            let answered = asked.ok().filter(|done| done.status.success());
            answered.map_or(String::new(), |done| String::from_utf8_lossy(&done.stdout).into())
        })
    }

    /// Why nobody could type this, if so.
    fn look_up(&mut self, line: &str) -> Option<String> {
        let words = simple_command(line);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["cargo", "xtask", name, ..]
            | ["cargo", "run", "-p", "xtask", "--", name, ..]
            | ["cargo", "run", "--release", "-p", "xtask", "--", name, ..] => {
                let known = self.maintenance.contains(&format!("Some(\"{name}\")"));
                (!known && is_word(name)).then(|| format!("there is no `cargo xtask {name}`"))
            }
            ["cargo", "run", "--release", "--", rest @ ..] | ["upset", rest @ ..] => {
                self.look_up_words(rest)
            }
            _ => None,
        }
    }

    fn look_up_words(&mut self, words: &[&str]) -> Option<String> {
        let first = words.first().filter(|word| is_word(word))?;
        let mut command = vec![first.to_string()];
        if self.of(&command).is_empty() {
            return Some(format!("there is no command `{first}`"));
        }
        let has_commands = self.of(&command).contains("\nCommands:");
        if let Some(second) = words.get(1).filter(|word| has_commands && is_word(word)) {
            command.push(second.to_string());
            if self.of(&command).is_empty() {
                return Some(format!("there is no command `{first} {second}`"));
            }
        }
        let shown = command.join(" ");
        let help = self.of(&command).to_string();
        let own = words.iter().take_while(|word| **word != "--");
        own.flat_map(|word| flags(word))
            .find(|flag| !has_flag(&help, flag))
            .map(|flag| format!("`upset {shown}` has no {flag}"))
    }
}

/// A word that stands for itself: no placeholder.
fn is_word(word: &str) -> bool {
    !word.is_empty()
        && word.chars().all(|c| c.is_ascii_lowercase() || c == '-')
        && !word.starts_with('-')
}

/// The words of the first command of a line, without what is quoted.
fn simple_command(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut quote = None;
    let mut word = String::new();
    for c in line.chars().chain([' ']) {
        match (quote, c) {
            (Some(q), c) if q == c => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, ' ') => {
                // What comes behind is another command, or a comment.
                if matches!(word.as_str(), "|" | "||" | "&&" | ";" | "#" | ">" | "2>&1") {
                    return words;
                }
                let ends = word.ends_with(';');
                let whole = std::mem::take(&mut word).trim_end_matches(';').to_string();
                if !whole.is_empty() {
                    words.push(whole);
                }
                if ends {
                    return words;
                }
            }
            (None, c) => word.push(c),
        }
    }
    words
}

/// Flags in a word, which may be written as alternatives or in brackets.
fn flags(word: &str) -> Vec<String> {
    let bare = word.trim_matches(['[', ']', '(', ')', ',', '.', '…', '`']);
    bare.split('|')
        .map(|w| w.trim_matches(['[', ']', '…']))
        .filter(|w| w.starts_with("--") && w.len() > 2)
        .map(|w| w.split('=').next().unwrap_or(w).to_string())
        .collect()
}

fn has_flag(help: &str, flag: &str) -> bool {
    help.match_indices(flag).any(|(at, _)| {
        let next = help[at + flag.len()..].chars().next();
        next.is_none_or(|c| !c.is_ascii_alphanumeric() && c != '-')
    }) || flag == "--help"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_its_first_command() {
        assert_eq!(simple_command("upset a 'b --c' --d | head"), ["upset", "a", "--d"]);
        assert_eq!(simple_command("upset a; upset b"), ["upset", "a"]);
        assert_eq!(simple_command("upset a   # why"), ["upset", "a"]);
    }

    #[test]
    fn flags_are_found_in_brackets_and_alternatives() {
        assert_eq!(flags("[--scale"), ["--scale"]);
        assert_eq!(flags("--chip=x"), ["--chip"]);
        assert_eq!(flags("--runs|--margin"), ["--runs", "--margin"]);
        assert!(flags("--").is_empty() && flags("a--b").is_empty());
    }

    #[test]
    fn a_flag_is_a_whole_word_of_the_help() {
        assert!(has_flag("  --chip <NAME>", "--chip"));
        assert!(!has_flag("  --chips <NAME>", "--chip"));
        assert!(!has_flag("  --chip-file", "--chip"));
    }

    #[test]
    fn commands_in_the_text_are_seen() {
        let text = "Use `upset a\n--b` or\n\n    upset c --d\n\n| `upset e \\| f` |\n";
        let page = Page::parse(text).expect("a page");
        assert_eq!(mentioned(text, &page), ["upset a --b", "upset c --d", "upset e | f"]);
    }
}
