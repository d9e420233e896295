//! Files of a crate import each other in one direction. Two that import each
//! other, straight or over others, can only be read and changed together.
//!
//! An import is a path that leads to what another file defines, in a `use` or in
//! the midst of code. Names are followed through re-exports to the file that
//! defines them: a `mod.rs` that only lists and re-exports its children is in no
//! circle with them, one that defines what they use is.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::Outcome;
use crate::source::{Token, list, read, sources, tokens};

/// Circles that may be, and why: all files of each, within `crates`.
const MAY: &[(&[&str], &str)] = &[(
    &[
        "quarantine-preload/src/calls.rs",
        "quarantine-preload/src/driver.rs",
        "quarantine-preload/src/green.rs",
        "quarantine-preload/src/lookup.rs",
    ],
    "a program's call comes in by a look-up, and what answers it looks up the driver's own",
)];

/// What is wrong in the tree under `crates`.
pub fn check(crates: &Path) -> Outcome<Vec<String>> {
    let mut found = Vec::new();
    for dir in list(crates)? {
        let mut paths = Vec::new();
        sources(&dir.join("src"), &mut paths)?;
        let mut files = Files::new();
        for path in paths {
            let name = path.strip_prefix(crates).unwrap_or(&path).display().to_string();
            files.insert(name, read(&path)?);
        }
        found.extend(circles(&files));
    }
    found.sort();
    Ok(judge(&found, MAY))
}

/// Circles that no entry allows, and entries that allow none.
fn judge(found: &[Circle], may: &[(&[&str], &str)]) -> Vec<String> {
    let is = |circle: &Circle, files: &[&str]| {
        circle.files.len() == files.len() && files.iter().all(|f| circle.files.contains(*f))
    };
    let mut wrong = Vec::new();
    for circle in found.iter().filter(|c| !may.iter().any(|(files, _)| is(c, files))) {
        let ties: Vec<String> = circle.ties.iter().map(|tie| format!("  {tie}")).collect();
        wrong.push(format!(
            "{} import each other: move what ties them to a file of its own, or give a reason in \
             crates/xtask/src/circles.rs\n{}",
            circle.files.iter().cloned().collect::<Vec<_>>().join(", "),
            ties.join("\n")
        ));
    }
    for (files, _) in may.iter().filter(|(files, _)| !found.iter().any(|c| is(c, files))) {
        wrong.push(format!(
            "{} are no circle of imports: strike it from crates/xtask/src/circles.rs",
            files.join(", ")
        ));
    }
    wrong
}

/// A crate's files and their text.
type Files = BTreeMap<String, String>;

/// Files that import each other.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Circle {
    files: BTreeSet<String>,
    /// Who takes what from whom.
    ties: Vec<String>,
}

/// Circles among the files of one crate.
fn circles(files: &Files) -> Vec<Circle> {
    let mut imports: BTreeMap<String, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for root in files.keys().filter(|f| is_root(f)) {
        let mut modules = Modules::default();
        modules.read_file(files, root, Vec::new());
        for (from, to, name) in modules.imports() {
            imports.entry(from).or_default().entry(to).or_default().insert(name);
        }
    }
    let reached: BTreeMap<&String, BTreeSet<&String>> = imports
        .keys()
        .map(|from| {
            let mut reached = BTreeSet::new();
            let mut open = vec![from];
            while let Some(file) = open.pop() {
                open.extend(
                    imports
                        .get(file)
                        .into_iter()
                        .flatten()
                        .filter_map(|(to, _)| reached.insert(to).then_some(to)),
                );
            }
            (from, reached)
        })
        .collect();
    let reaches = |a: &String, b: &String| reached.get(a).is_some_and(|r| r.contains(b));
    let mut circles = Vec::new();
    for first in imports.keys() {
        let circle: BTreeSet<String> =
            reached[first].iter().filter(|f| reaches(f, first)).map(|f| (*f).clone()).collect();
        // Of all its files, only the first reports it.
        if circle.first() != Some(first) {
            continue;
        }
        let ties = circle
            .iter()
            .flat_map(|from| imports[from].iter().map(move |(to, names)| (from, to, names)))
            .filter(|(_, to, _)| circle.contains(*to))
            .map(|(from, to, names)| {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                format!("{from} takes {} from {to}", names.join(", "))
            })
            .collect();
        circles.push(Circle { files: circle, ties });
    }
    circles
}

/// Where the compiler begins: `lib.rs`, `main.rs` and other programs.
fn is_root(file: &str) -> bool {
    file.ends_with("src/lib.rs") || file.ends_with("src/main.rs") || file.contains("src/bin/")
}

/// Names from the crate's root on.
type Route = Vec<String>;

/// A module, in a file of its own or within another's.
#[derive(Default)]
struct Module {
    file: String,
    /// What it defines.
    items: BTreeSet<String>,
    /// What it imports or re-exports: the name here, and what stands for it.
    names: BTreeMap<String, Route>,
    /// Imported or re-exported with `*`.
    globs: Vec<Route>,
    /// All paths that it mentions.
    paths: Vec<Route>,
}

/// What a path leads to.
enum LeadsTo {
    Module(Route),
    Item {
        /// Where it is defined.
        file: String,
        name: String,
    },
    OtherCrate,
}

/// All modules of one library or program, but for those of tests.
#[derive(Default)]
struct Modules(BTreeMap<Route, Module>);

impl Modules {
    fn read_file(&mut self, files: &Files, file: &str, route: Route) {
        let Some(text) = files.get(file) else { return };
        self.read_module(files, file, route, &tokens(text));
    }

    fn read_module(&mut self, files: &Files, file: &str, route: Route, tokens: &[Token<'_>]) {
        let mut module = Module { file: file.to_string(), ..Module::default() };
        let mut depth = 0;
        let mut at = 0;
        while at < tokens.len() {
            let rest = &tokens[at..];
            at += match rest {
                _ if is_for_tests(rest) => TEST.len() + item(&rest[TEST.len()..]),
                // `use<'a>` in a type says which lifetimes it has.
                [Token::Word("use"), tree @ ..] if tree.first() != Some(&Token::Mark('<')) => {
                    let end = position(tree, &[';']);
                    module.import(&[], &tree[..end]);
                    end + 1
                }
                [Token::Word("mod"), Token::Word(name), Token::Mark(';'), ..] => {
                    let inner = [route.as_slice(), &[name.to_string()]].concat();
                    for path in places(file, name) {
                        self.read_file(files, &path, inner.clone());
                    }
                    3
                }
                [Token::Word("mod"), Token::Word(name), Token::Mark('{'), body @ ..] => {
                    let inner = [route.as_slice(), &[name.to_string()]].concat();
                    let end = position(body, &['}']);
                    self.read_module(files, file, inner, &body[..end]);
                    end + 4
                }
                [Token::Word("macro_rules"), Token::Mark('!'), Token::Word(name), ..] => {
                    module.items.insert(name.to_string());
                    3
                }
                [Token::Word(kind), Token::Word(name), ..] if depth == 0 && defines(kind, name) => {
                    module.items.insert(name.to_string());
                    2
                }
                [Token::Word(_), ..] => {
                    let (path, length) = path(rest);
                    if path.len() > 1 {
                        module.paths.push(path);
                    }
                    length
                }
                [Token::Mark('{'), ..] => {
                    depth += 1;
                    1
                }
                [Token::Mark('}'), ..] => {
                    depth -= 1;
                    1
                }
                // What belongs to a value or a type begins no path.
                [Token::Mark('.'), Token::Word(_), ..] => 2,
                [Token::Mark(':'), Token::Mark(':'), rest @ ..] => 2 + path(rest).1,
                _ => 1,
            };
        }
        self.0.insert(route, module);
    }

    /// Who imports what from whom: file, file, name.
    fn imports(&self) -> Vec<(String, String, String)> {
        let mut imports = Vec::new();
        for (route, module) in &self.0 {
            let paths = module.paths.iter().map(|path| (path, false));
            for (path, all) in paths.chain(module.globs.iter().map(|path| (path, true))) {
                let (file, name) = match self.follow(route, path, 0) {
                    LeadsTo::Item { file, name } => (file, name),
                    LeadsTo::Module(inner) if all => (self.0[&inner].file.clone(), "*".into()),
                    // A module's name alone is nothing yet: what is taken from it
                    // is in another path.
                    LeadsTo::Module(_) | LeadsTo::OtherCrate => continue,
                };
                if file != module.file {
                    imports.push((module.file.clone(), file, name));
                }
            }
        }
        imports
    }

    /// Where a path in a module leads.
    fn follow(&self, from: &Route, path: &[String], turns: usize) -> LeadsTo {
        let mut here = from.clone();
        for (i, name) in path.iter().enumerate() {
            match name.as_str() {
                "crate" => here = Route::new(),
                "self" => {}
                "super" => _ = here.pop(),
                name => {
                    let is_last = i + 1 == path.len();
                    match (self.look_up(&here, name, is_last, turns), self.0.get(&here)) {
                        (Some(LeadsTo::Module(inner)), _) => here = inner,
                        (Some(place), _) => return place,
                        // Made by a macro, perhaps.
                        (None, Some(module)) if i > 0 => return module.item(name),
                        (None, _) => return LeadsTo::OtherCrate,
                    }
                }
            }
        }
        LeadsTo::Module(here)
    }

    /// What a name stands for in a module, if it is there.
    fn look_up(&self, here: &Route, name: &str, is_last: bool, turns: usize) -> Option<LeadsTo> {
        // Names that stand for each other have no end.
        const MOST: usize = 16;
        let module = self.0.get(here).filter(|_| turns < MOST)?;
        let inner = [here.as_slice(), &[name.to_string()]].concat();
        let is_module = self.0.contains_key(&inner);
        if is_module && !is_last {
            return Some(LeadsTo::Module(inner));
        }
        if let Some(path) = module.names.get(name) {
            return Some(self.follow(here, path, turns + 1));
        }
        if module.items.contains(name) {
            return Some(module.item(name));
        }
        if is_module {
            return Some(LeadsTo::Module(inner));
        }
        module.globs.iter().find_map(|path| match self.follow(here, path, turns + 1) {
            LeadsTo::Module(other) if other != *here => {
                self.look_up(&other, name, is_last, turns + 1)
            }
            _ => None,
        })
    }
}

impl Module {
    fn item(&self, name: &str) -> LeadsTo {
        LeadsTo::Item { file: self.file.clone(), name: name.to_string() }
    }

    /// Adds what a `use` names: `a::{b, c as d, e::*, self}` after a prefix.
    fn import(&mut self, prefix: &[String], tree: &[Token<'_>]) {
        let (head, length) = path(tree);
        let path = [prefix, &head].concat();
        let rest = &tree[length..];
        let rest = match rest {
            [Token::Mark(':'), Token::Mark(':'), rest @ ..] => rest,
            rest => rest,
        };
        match rest {
            [Token::Mark('{'), inner @ ..] => {
                let mut inner = &inner[..position(inner, &['}'])];
                while !inner.is_empty() {
                    let end = position(inner, &[',']);
                    if end > 0 {
                        self.import(&path, &inner[..end]);
                    }
                    inner = inner.get(end + 1..).unwrap_or_default();
                }
            }
            [Token::Mark('*'), ..] => self.globs.push(path),
            rest => {
                let path = match path.split_last() {
                    Some((last, before)) if last == "self" && !before.is_empty() => before.to_vec(),
                    _ => path,
                };
                let name = match rest {
                    [Token::Word("as"), Token::Word(name), ..] => Some(name.to_string()),
                    _ => path.last().cloned(),
                };
                // `use name;` of what is there already stands for itself.
                if let Some(name) = name.filter(|_| path.len() > 1) {
                    self.names.insert(name, path.clone());
                }
                self.paths.push(path);
            }
        }
    }
}

/// Begins what is only compiled for tests.
const TEST: &[Token<'_>] = &[
    Token::Mark('#'),
    Token::Mark('['),
    Token::Word("cfg"),
    Token::Mark('('),
    Token::Word("test"),
    Token::Mark(')'),
    Token::Mark(']'),
];

fn is_for_tests(tokens: &[Token<'_>]) -> bool {
    tokens.starts_with(TEST)
}

/// The length of the item that begins here.
fn item(tokens: &[Token<'_>]) -> usize {
    // Braces of a `use` are not its end.
    let words = tokens.iter().take_while(|t| !matches!(t, Token::Mark('{' | ';')));
    if words.clone().any(|t| *t == Token::Word("use")) {
        return position(tokens, &[';']) + 1;
    }
    let end = position(tokens, &[';', '{', ',']);
    match tokens.get(end) {
        Some(Token::Mark('{')) => end + position(&tokens[end + 1..], &['}']) + 2,
        Some(Token::Mark('}')) => end,
        _ => (end + 1).min(tokens.len()),
    }
}

/// Where the first of these marks is that is in no brackets, or the bracket that
/// closes more than was opened, or the end.
fn position(tokens: &[Token<'_>], marks: &[char]) -> usize {
    let mut depth = 0;
    for (i, token) in tokens.iter().enumerate() {
        let Token::Mark(c) = token else { continue };
        match c {
            c if depth == 0 && marks.contains(c) => return i,
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => return i,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
    }
    tokens.len()
}

/// The path that begins here, and how many tokens it takes.
fn path(tokens: &[Token<'_>]) -> (Route, usize) {
    let mut path = Route::new();
    let mut length = 0;
    let mut rest = tokens;
    while let [Token::Word(name), after @ ..] = rest {
        path.push(name.to_string());
        length = tokens.len() - after.len();
        let [Token::Mark(':'), Token::Mark(':'), next @ ..] = after else { break };
        rest = next;
    }
    (path, length)
}

/// Whether the name after this word is one that a module defines.
fn defines(word: &str, name: &str) -> bool {
    ["fn", "struct", "enum", "union", "trait", "type", "const", "static"].contains(&word)
        && !["fn", "unsafe", "extern", "mut"].contains(&name)
}

/// Where the file of a module may be that another declares.
fn places(parent: &str, name: &str) -> [String; 2] {
    let (dir, file) = parent.rsplit_once('/').unwrap_or(("", parent));
    let stem = file.trim_end_matches(".rs");
    let dir = match stem {
        _ if is_root(parent) || stem == "mod" => dir.to_string(),
        stem => format!("{dir}/{stem}"),
    };
    [format!("{dir}/{name}.rs"), format!("{dir}/{name}/mod.rs")]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The circles of a made-up crate: files within `src`, and their text.
    fn found(tree: &[(&str, &str)]) -> Vec<Vec<String>> {
        let files =
            tree.iter().map(|(f, text)| (format!("toy/src/{f}.rs"), text.to_string())).collect();
        let short = |f: &String| f["toy/src/".len()..f.len() - ".rs".len()].to_string();
        circles(&files).iter().map(|c| c.files.iter().map(short).collect()).collect()
    }

    const NONE: Vec<Vec<String>> = Vec::new();

    #[test]
    fn the_tree_has_no_circles_but_those_with_a_reason() {
        let wrong = check(&crate::root().join("crates")).unwrap();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn one_direction_is_no_circle() {
        let tree = [
            ("lib", "mod a; mod b; mod c; pub use a::A;"),
            ("a", "use crate::b::B; use crate::c::C; pub struct A(B, C);"),
            ("b", "use crate::c::C; use std::fmt; pub struct B(C);"),
            ("c", "pub struct C;"),
        ];
        assert_eq!(found(&tree), NONE);
    }

    #[test]
    fn circles_of_two_and_three_are_found() {
        let tree = [
            ("lib", "mod a; mod b; mod c; mod d; mod e;"),
            ("a", "use crate::b::B; pub struct A;"),
            ("b", "use crate::a::A; pub struct B;"),
            ("c", "use crate::d::D; use crate::a::A; pub struct C;"),
            ("d", "use crate::e::E; pub struct D;"),
            ("e", "use crate::c::C; pub struct E;"),
        ];
        assert_eq!(found(&tree), [vec!["a", "b"], vec!["c", "d", "e"]]);
    }

    #[test]
    fn all_ways_to_write_an_import_are_read() {
        for import in [
            "use crate::b::B;",
            "use crate::{c, b::{self, B}};",
            "pub(crate) use crate::{c::{C}, b::{Other, B as Name,},};",
            "use super::b::B;",
            "use super::{b::{B}};",
            "use crate::b::*;",
            "use crate::b; fn f() { b::B::new(); }",
            "use crate::b as other; fn f(_: &[other::B]) {}",
            "use crate::B;",
            "fn f() { let _ = crate::b::B; }",
            "fn f(x: super::b::B) {}",
            "fn f() { use crate::b::B; }",
            "mod inner { use super::super::b::B; }",
            "fn f<T: Iterator<Item = crate::b::B>>() {}",
            "use crate::facade::B;",
            "use crate::wide::B;",
            "fn g<'a>(a: &'a u8) -> impl Sized + use<'a> { a } const fn h(b: crate::b::B) {}",
        ] {
            let a = format!("{import} pub struct A;");
            let tree = [
                ("lib", "mod a; mod b; mod c; mod facade; mod wide; pub use b::B;"),
                ("a", a.as_str()),
                ("b", "use crate::a::A; pub struct B; pub struct Other;"),
                ("c", "pub struct C;"),
                ("facade", "pub use crate::b::B;"),
                ("wide", "pub use crate::facade::*;"),
            ];
            assert!(found(&tree).contains(&vec!["a".into(), "b".into()]), "{import}");
        }
    }

    #[test]
    fn what_is_no_import_is_left_alone() {
        for text in [
            "// use crate::b::B;\n",
            r#"const B: &str = "use crate::b::B;";"#,
            "use std::b::B;",
            "use b::B;",
            "fn f(x: X) { x.b::<u8>(); }",
            "#[cfg(test)]\nmod tests { use crate::b::B; }",
            "#[cfg(test)]\nmod tests;",
            "#[cfg(test)]\nuse crate::{b::B};",
            "#[cfg(test)]\n#[derive(Debug)]\nstruct T { b: crate::b::B }",
            "use crate::b;",
            "use crate::Text; fn f() { crate::Text::new() }",
        ] {
            let a = format!("{text} pub struct A;");
            let tree = [
                ("lib", "mod a; mod b; pub use b::B; pub use other::{self, Text};"),
                ("a", a.as_str()),
                ("a/tests", "use crate::b::B;"),
                ("b", "use crate::a::A; pub struct B;"),
            ];
            assert_eq!(found(&tree), NONE, "{text}");
        }
    }

    #[test]
    fn a_parent_that_lists_its_children_is_in_no_circle_with_them() {
        let tree = [
            ("lib", "pub mod host; pub use host::Host;"),
            ("host/mod", "mod one; mod host; pub use host::Host; pub use one::One;"),
            ("host/host", "pub trait Host {}"),
            ("host/one", "use super::Host; use crate::Host as Same; pub struct One;"),
        ];
        assert_eq!(found(&tree), NONE);
    }

    #[test]
    fn a_parent_that_defines_what_its_children_use_is() {
        for parent in [
            "mod one; pub use one::One; pub trait Host {}",
            "mod one; fn all() { one::One; } pub trait Host {}",
            "mod one; fn all() { self::one::One; } made! { trait Host }",
        ] {
            let tree = [
                ("main", "mod host;"),
                ("host/mod", parent),
                ("host/one", "use super::Host; pub struct One;"),
            ];
            assert_eq!(found(&tree), [["host/mod", "host/one"]], "{parent}");
        }
        let root = [
            ("main", "mod a; type Outcome = (); fn main() { a::command() }"),
            ("a", "use crate::Outcome; pub fn command() -> Outcome {}"),
        ];
        assert_eq!(found(&root), [["a", "main"]]);
    }

    #[test]
    fn a_module_and_a_function_may_have_one_name() {
        for import in ["use crate::fetch;", "fn f() { crate::fetch() }"] {
            let b = format!("{import} pub struct B;");
            let tree = [
                ("lib", "mod fetch; mod b; pub use fetch::fetch;"),
                ("fetch", "use crate::b::B; pub fn fetch() {}"),
                ("b", b.as_str()),
            ];
            assert_eq!(found(&tree), [["b", "fetch"]], "{import}");
        }
    }

    #[test]
    fn entries_are_for_circles_that_are_there() {
        let found = circles(&Files::from([
            ("toy/src/lib.rs".into(), "mod a; mod b;".into()),
            ("toy/src/a.rs".into(), "use crate::b::B; pub struct A;".into()),
            ("toy/src/b.rs".into(), "use crate::a::A; pub struct B;".into()),
        ]));
        assert_eq!(
            judge(&found, &[]),
            ["toy/src/a.rs, toy/src/b.rs import each other: move what ties them to a file of its \
              own, or give a reason in crates/xtask/src/circles.rs\n  \
              toy/src/a.rs takes B from toy/src/b.rs\n  \
              toy/src/b.rs takes A from toy/src/a.rs"]
        );
        let ab: &[&str] = &["toy/src/a.rs", "toy/src/b.rs"];
        assert_eq!(judge(&found, &[(ab, "because")]), NONE.concat());
        assert_eq!(
            judge(&[], &[(ab, "because")]),
            ["toy/src/a.rs, toy/src/b.rs are no circle of imports: strike it from \
              crates/xtask/src/circles.rs"]
        );
        let more: &[&str] = &["toy/src/a.rs", "toy/src/b.rs", "toy/src/c.rs"];
        assert_eq!(judge(&found, &[(more, "because")]).len(), 2);
    }
}
