//! The kernels of a CUDA source: just enough of C++ to find their signatures.

use thiserror::Error;

/// A kernel as its source declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// What stands before its name: linkage, `__global__`, bounds, `void`.
    pub prefix: String,
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
}

/// A parameter of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// As declared.
    pub text: String,
    /// Its name.
    pub name: String,
}

/// Why a source cannot be wrapped.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refusal {
    /// It uses something that has no such form.
    #[error("line {line} uses {word}: {why}, so it has no ticket form")]
    Uses {
        /// Where.
        line: usize,
        /// What.
        word: String,
        /// Why that is refused.
        why: &'static str,
    },
    /// A kernel that cannot be brought back under its name.
    #[error("line {line}: {what}; give the kernel a plain signature at file level")]
    Form {
        /// Where.
        line: usize,
        /// What is in the way.
        what: String,
    },
    /// Nothing to wrap.
    #[error("there is no __global__ function in it")]
    NoKernel,
}

/// A word or a sign, and the line it is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Token<'s> {
    text: &'s str,
    line: usize,
    /// Where it is in the source.
    at: usize,
}

/// The kernels of a source, each once, unless it uses a refused word.
pub fn kernels(source: &str, refused: &[(&str, &'static str)]) -> Result<Vec<Kernel>, Refusal> {
    let tokens = tokens(source);
    for token in &tokens {
        if let Some((word, why)) = refused.iter().find(|(word, _)| token.text == *word) {
            return Err(Refusal::Uses { line: token.line, word: word.to_string(), why });
        }
    }
    let mut found: Vec<Kernel> = Vec::new();
    // Braces that are open: whether each is that of `extern "C"`.
    let mut open: Vec<bool> = Vec::new();
    // Where the declaration began that the token is part of.
    let mut start = 0;
    let mut i = 0;
    while i < tokens.len() {
        match tokens[i].text {
            "{" => {
                let declared = &tokens[start..i];
                open.push(matches!(declared, [a, b] if a.text == "extern" && b.text == "\"C\""));
                start = i + 1;
            }
            "}" => {
                open.pop();
                start = i + 1;
            }
            ";" => start = i + 1,
            "__global__" => {
                let kernel = signature(&tokens, start, i, &open)?;
                if !found.iter().any(|k| k.name == kernel.name) {
                    found.push(kernel);
                }
            }
            _ => {}
        }
        i += 1;
    }
    if found.is_empty() { Err(Refusal::NoKernel) } else { Ok(found) }
}

/// The signature around the `__global__` at `at`.
fn signature(
    tokens: &[Token<'_>],
    start: usize,
    at: usize,
    open: &[bool],
) -> Result<Kernel, Refusal> {
    let line = tokens[at].line;
    let form = |what: &str| Refusal::Form { line, what: what.to_string() };
    if open.contains(&false) {
        return Err(form("a kernel inside a namespace, class or function"));
    }
    if tokens[start..at].iter().any(|t| t.text == "template") {
        return Err(form("a template"));
    }
    // Attributes have parentheses of their own: the name is the first word
    // before one that is no attribute's.
    let mut name = at + 1;
    loop {
        let pair = tokens.get(name).zip(tokens.get(name + 1));
        let (word, next) = pair.ok_or_else(|| form("a signature without an end"))?;
        match (is_word(word.text), next.text) {
            (true, "(") if word.text.starts_with("__") => name = closing(tokens, name + 1, line)?,
            (true, "(") => break,
            _ => name += 1,
        }
    }
    let end = closing(tokens, name + 1, line)?;
    let mut prefix = words(&tokens[start..name]);
    if open.contains(&true) && !prefix.contains("extern") {
        prefix = format!("extern \"C\" {prefix}");
    }
    let mut parameters = Vec::new();
    for part in split(&tokens[name + 2..end]) {
        if matches!(part, [only] if only.text == "void") {
            continue;
        }
        let named = part.iter().position(|t| t.text == "[" || t.text == "=");
        let last = part[..named.unwrap_or(part.len())].last();
        match last {
            Some(t) if is_word(t.text) && part.len() > 1 => {
                parameters.push(Parameter { text: words(part), name: t.text.to_string() });
            }
            _ => return Err(form("a parameter without a name")),
        }
    }
    Ok(Kernel { prefix, name: tokens[name].text.to_string(), parameters })
}

/// The token that closes the parenthesis at `open`.
fn closing(tokens: &[Token<'_>], open: usize, line: usize) -> Result<usize, Refusal> {
    let mut depth = 0usize;
    for (i, token) in tokens.iter().enumerate().skip(open) {
        match token.text {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Ok(i);
        }
    }
    Err(Refusal::Form { line, what: "a parenthesis that is not closed".into() })
}

/// Parameters, at commas outside of all brackets.
fn split<'t, 's>(tokens: &'t [Token<'s>]) -> Vec<&'t [Token<'s>]> {
    let mut depth = 0i32;
    let mut parts = Vec::new();
    let mut from = 0;
    for (i, token) in tokens.iter().enumerate() {
        match token.text {
            "(" | "[" | "<" | "{" => depth += 1,
            ")" | "]" | ">" | "}" => depth -= 1,
            "," if depth == 0 => {
                parts.push(&tokens[from..i]);
                from = i + 1;
            }
            _ => {}
        }
    }
    if from < tokens.len() {
        parts.push(&tokens[from..]);
    }
    parts
}

/// Tokens as text, with a blank where the source had one.
fn words(tokens: &[Token<'_>]) -> String {
    let mut text = String::new();
    let mut end = None;
    for token in tokens {
        if end.is_some_and(|end| token.at > end) {
            text.push(' ');
        }
        text.push_str(token.text);
        end = Some(token.at + token.text.len());
    }
    text
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// The source without comments and preprocessor lines.
fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut line = 1;
    let mut at = 0;
    let mut line_is_empty = true;
    while let Some(c) = source[at..].chars().next() {
        let rest = &source[at..];
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let length = if c.is_whitespace() {
            c.len_utf8()
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if c == '#' && line_is_empty {
            directive(rest)
        } else {
            line_is_empty = false;
            let length = match c {
                '"' | '\'' => quoted(rest, c),
                c if word(c) => rest.find(|c| !word(c)).unwrap_or(rest.len()),
                c => c.len_utf8(),
            };
            found.push(Token { text: &rest[..length], line, at });
            length
        };
        let lines = rest[..length].matches('\n').count();
        line += lines;
        line_is_empty |= lines > 0;
        at += length;
    }
    found
}

/// The length of a preprocessor line with those that continue it.
fn directive(rest: &str) -> usize {
    let ends = rest.match_indices('\n').map(|(i, _)| i);
    ends.clone().find(|&i| !rest[..i].ends_with('\\')).unwrap_or(rest.len())
}

/// The length of a literal, quotes included.
fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (i, c) in rest.char_indices().skip(1) {
        match c {
            '\\' if !escaped => escaped = true,
            c if c == quote && !escaped => return i + c.len_utf8(),
            _ => escaped = false,
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(source: &str) -> Vec<Kernel> {
        kernels(source, &[]).unwrap()
    }

    #[test]
    fn signatures_are_read_as_they_are_written() {
        let found = of("#define K __global__ \\\n  void not_this()\n\
             static __global__ void __launch_bounds__(256, 2) k(const float *__restrict__ a,\n\
             \tstd::pair<int, int> b, int c[2][3]) { g(\"__global__\"); }");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].prefix, "static __global__ void __launch_bounds__(256, 2)");
        assert_eq!(found[0].name, "k");
        let texts: Vec<_> = found[0].parameters.iter().map(|p| p.text.as_str()).collect();
        let names: Vec<_> = found[0].parameters.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(texts, ["const float *__restrict__ a", "std::pair<int, int> b", "int c[2][3]"]);
        assert_eq!(names, ["a", "b", "c"]);
    }

    #[test]
    fn linkage_of_a_block_counts_and_declarations_are_taken_once() {
        let found = of("extern \"C\" {\n__global__ void a(int x);\n\
                        __global__ void a(int x) { if (x) { return; } }\n}\n\
                        __global__ void b(void) {}\n");
        let told: Vec<_> = found.iter().map(|k| (k.prefix.as_str(), k.name.as_str())).collect();
        assert_eq!(told, [("extern \"C\" __global__ void", "a"), ("__global__ void", "b")]);
        assert!(found[1].parameters.is_empty());
    }

    #[test]
    fn what_cannot_come_back_under_its_name_is_refused() {
        let told = |source: &str| kernels(source, &[]).unwrap_err().to_string();
        let template = told("\n\ntemplate <int N> __global__ void k(int a) {}");
        assert!(template.starts_with("line 3: a template; give"), "{template}");
        let inside = told("namespace n {\n__global__ void k(int a) {}\n}");
        assert!(inside.starts_with("line 2: a kernel inside a namespace"), "{inside}");
        let unnamed = told("__global__ void k(int) {}");
        assert!(unnamed.starts_with("line 1: a parameter without a name"), "{unnamed}");
        assert!(kernels("__global__ void k(void (*f)(int)) {}", &[]).is_err());
        assert_eq!(told("int main() {}"), "there is no __global__ function in it");
        for cut in ["__global__", "__global__ void k", "__global__ void k(int a", "'", "/*"] {
            assert!(kernels(cut, &[]).is_err(), "{cut}");
        }
    }
}
