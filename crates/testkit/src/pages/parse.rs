//! A page as blocks.

/// A page.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// Its fenced blocks, in order, and what they are.
    pub blocks: Vec<Block>,
}

/// A fenced block.
#[derive(Debug, Clone)]
pub enum Block {
    /// Commands and what they print.
    Console(Console),
    /// A file that commands of the page use.
    File {
        /// Its name in the page's folder.
        name: String,
        /// What is in it.
        text: String,
    },
    /// Anything else.
    Other {
        /// Line of the fence, from 0.
        line: usize,
        /// Language behind the fence.
        language: String,
        /// Its lines.
        lines: Vec<String>,
    },
}

/// Commands in a block.
#[derive(Debug, Clone)]
pub struct Console {
    /// The commands.
    pub steps: Vec<Step>,
    /// Only shown.
    pub not_run: bool,
    /// Uses a CUDA compiler.
    pub needs_nvcc: bool,
}

/// A command and what the page shows of its output.
#[derive(Debug, Clone)]
pub struct Step {
    /// Line of the command in the page, from 0.
    pub line: usize,
    /// The command, in one line.
    pub command: String,
    /// Lines of the page that hold the output: first, and the one after the last.
    pub shown_at: (usize, usize),
    /// These lines.
    pub shown: Vec<String>,
    /// How it ends.
    pub exit_code: i32,
}

/// What the comment before a block says.
#[derive(Debug, Default)]
struct Remark {
    not_run: bool,
    needs_nvcc: bool,
    exit_code: i32,
    file: Option<String>,
}

impl Remark {
    /// Reads a comment; those that speak of something else say nothing.
    fn read(line: &str) -> Result<Remark, String> {
        let mut remark = Remark::default();
        let inside = line.trim().strip_prefix("<!--").and_then(|l| l.strip_suffix("-->"));
        let Some(inside) = inside.map(str::trim) else { return Ok(remark) };
        if let Some(why) = inside.strip_prefix("not run") {
            let why = why.trim_start_matches(':').trim();
            if why.is_empty() {
                return Err("`not run` needs a reason: <!-- not run: why -->".into());
            }
            remark.not_run = true;
        } else if inside == "needs nvcc" {
            remark.needs_nvcc = true;
        } else if let Some(code) = inside.strip_prefix("exit code ") {
            remark.exit_code = code.trim().parse().map_err(|_| format!("no exit code: {code}"))?;
        } else if let Some(name) = inside.strip_prefix("file:") {
            let name = name.trim();
            let inside = !name.is_empty() && !name.starts_with('/') && !name.contains("..");
            if !inside {
                return Err(format!("{name:?} is no file of the page's folder"));
            }
            remark.file = Some(name.to_string());
        }
        Ok(remark)
    }
}

impl Page {
    /// Takes a page apart. Errors begin with the line's number.
    pub fn parse(text: &str) -> Result<Page, String> {
        let lines: Vec<&str> = text.lines().collect();
        let mut page = Page::default();
        let mut at = 0;
        while at < lines.len() {
            let Some(language) = lines[at].strip_prefix("```") else {
                at += 1;
                continue;
            };
            let start = at + 1;
            let length = lines[start..].iter().position(|line| line.starts_with("```"));
            let end = start + length.ok_or(format!("{start}: the block does not end"))?;
            let before = lines[..at].iter().rposition(|line| !line.trim().is_empty());
            let remark = before.map_or(Ok(Remark::default()), |b| Remark::read(lines[b]));
            let remark = remark.map_err(|e| format!("{}: {e}", at + 1))?;
            page.blocks.push(block(&lines, (start, end), language.trim(), remark, before)?);
            at = end + 1;
        }
        Ok(page)
    }

    /// Its consoles.
    pub fn consoles(&self) -> impl Iterator<Item = &Console> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Console(console) => Some(console),
            _ => None,
        })
    }
}

fn block(
    lines: &[&str],
    (start, end): (usize, usize),
    language: &str,
    remark: Remark,
    before: Option<usize>,
) -> Result<Block, String> {
    let inside = &lines[start..end];
    if let Some(name) = remark.file {
        return Ok(Block::File { name, text: inside.join("\n") + "\n" });
    }
    let is_text = matches!(language, "" | "text" | "console");
    let mut steps = Vec::new();
    if is_text && inside.first().is_some_and(|line| line.starts_with("$ ")) {
        steps = console(lines, start, end);
    } else if is_text && let Some(command) = before.and_then(|at| printed_by(lines, at)) {
        let shown = inside.iter().map(ToString::to_string).collect();
        steps.push(Step {
            line: start,
            command,
            shown_at: (start, end),
            shown,
            exit_code: remark.exit_code,
        });
    }
    if let Some(last) = steps.last_mut() {
        last.exit_code = remark.exit_code;
        let (not_run, needs_nvcc) = (remark.not_run, remark.needs_nvcc);
        return Ok(Block::Console(Console { steps, not_run, needs_nvcc }));
    }
    if language == "toml" && !remark.not_run {
        return Err(format!(
            "{start}: say which file this is (<!-- file: name -->), so that a command of the page \
             reads it, or why none does (<!-- not run: why -->)"
        ));
    }
    let lines = inside.iter().map(ToString::to_string).collect();
    Ok(Block::Other { line: start - 1, language: language.to_string(), lines })
}

/// Commands and their output.
fn console(lines: &[&str], start: usize, end: usize) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut at = start;
    while at < end {
        let line = at;
        if let Some(first) = lines[at].strip_prefix("$ ") {
            let mut command = first.to_string();
            while command.ends_with('\\') && at + 1 < end {
                at += 1;
                command.pop();
                command.push_str(lines[at].trim_start());
            }
            let shown_at = (at + 1, at + 1);
            steps.push(Step { line, command, shown_at, shown: Vec::new(), exit_code: 0 });
        } else if let Some(step) = steps.last_mut() {
            step.shown.push(lines[at].to_string());
            step.shown_at.1 = at + 1;
        }
        at += 1;
    }
    steps
}

/// The command whose output a block is, by the words before it: "The first
/// prints:" is the first line of the indented block before, "It prints:" the
/// last.
fn printed_by(lines: &[&str], before: usize) -> Option<String> {
    let words = lines[before].trim();
    let is_first = words.ends_with("first prints:");
    if !is_first && !words.ends_with("It prints:") {
        return None;
    }
    let indented = |line: &str| line.starts_with("    ");
    let last = lines[..before].iter().rposition(|line| indented(line))?;
    let first = lines[..last].iter().rposition(|line| !indented(line)).map_or(0, |at| at + 1);
    let command = lines[if is_first { first } else { last }].trim();
    // The same program, built on the way.
    Some(match command.strip_prefix("cargo run --release -- ") {
        Some(rest) => format!("upset {rest}"),
        None => command.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(text: &str) -> Vec<(String, Vec<String>)> {
        let page = Page::parse(text).expect("a page");
        page.consoles()
            .flat_map(|c| c.steps.clone())
            .map(|step| (step.command, step.shown))
            .collect()
    }

    #[test]
    fn commands_have_the_lines_below_them() {
        let text = "```text\n$ upset a \\\n    --b\none\n\ntwo\n$ upset c\n```\n";
        let all = steps(text);
        assert_eq!(all[0].0, "upset a --b");
        assert_eq!(all[0].1, ["one", "", "two"]);
        assert_eq!(all[1], ("upset c".to_string(), vec![]));
    }

    #[test]
    fn what_the_first_prints_is_its_output() {
        let text = "x\n\n    cargo run --release -- a --b\n    ./c\n\nThe first prints:\n\n\
                    ```text\nout\n```\n";
        assert_eq!(steps(text), [("upset a --b".to_string(), vec!["out".to_string()])]);
    }

    #[test]
    fn comments_say_what_a_block_is() {
        let text = "<!-- file: a/b.toml -->\n```toml\nx = 1\n```\n\n<!-- needs nvcc -->\n\
                    ```text\n$ upset a\n```\n\n<!-- not run: hours -->\n```text\n$ upset b\n```\n\
                    <!-- exit code 2 -->\n```text\n$ upset c\n```\n";
        let page = Page::parse(text).expect("a page");
        assert!(matches!(&page.blocks[0], Block::File { name, text }
            if name == "a/b.toml" && text == "x = 1\n"));
        let all: Vec<_> = page.consoles().collect();
        assert!(all[0].needs_nvcc && !all[0].not_run);
        assert!(all[1].not_run && !all[1].needs_nvcc);
        assert_eq!(all[2].steps[0].exit_code, 2);
    }

    #[test]
    fn what_is_never_read_needs_a_reason() {
        assert!(Page::parse("```toml\nx = 1\n```\n").is_err());
        assert!(Page::parse("<!-- not run: a fragment -->\n```toml\nx = 1\n```\n").is_ok());
        assert!(Page::parse("<!-- not run -->\n```toml\nx = 1\n```\n").is_err());
        assert!(Page::parse("<!-- file: ../x -->\n```toml\nx = 1\n```\n").is_err());
        assert!(Page::parse("```text\n$ upset a\n").is_err());
    }
}
