//! Kinds of arrays are listed in one place: the table in `crates/state/src/kind.rs`.
//! Whoever wants to know something of a kind asks a column of it. A list
//! elsewhere goes stale with the next kind.

use std::collections::BTreeSet;
use std::path::Path;

use upset_state::kind::{KINDS, is_cache, named};

use crate::Outcome;
use crate::source::{Token, list, read, sources, tokens};

/// So many in one place are a list.
const MANY: usize = 3;

/// Files that may list some, and why.
const MAY: &[(&str, &str)] = &[
    ("ace/src/amd/written.rs", "what a work-group finds when it comes"),
    ("burn/src/compute/units.rs", "names of tests, which are those of the units they test"),
    ("chip/src/describe.rs", "caches by which people compare chips"),
    ("chip/src/inventory.rs", "what gpuFI-4 injects into: a fact of its papers"),
    ("chip/src/import/map_units.rs", "units as GPGPU-Sim and chip files call them"),
    ("chip/src/schema.rs", "keys of chip files: units and memories"),
    ("chip/src/model/sm.rs", "caches that an SM of this model can have"),
    ("chip/src/model/cu.rs", "caches that compute units of this model have"),
    ("cli/src/report/json.rs", "counters of caches, each of its own field"),
    ("cli/src/report/metrics.rs", "counters of caches, each of its own field"),
    ("compute/src/cells.rs", "where the bits of each kind are in a warp slot"),
    ("compute/src/config.rs", "latencies of an SM's caches"),
    ("compute/src/haunt/leave.rs", "where an instruction finds its operands"),
    ("compute/src/levels.rs", "an SM's caches, each with its client"),
    ("compute/src/owner.rs", "whose bit it is: register, barrier, byte of each kind"),
    ("compute/src/wires/mod.rs", "which latches and lines an SM's logic has, and their shape"),
    ("compute/src/wires/results.rs", "which latches the results of each unit pass"),
    ("machine/src/stats.rs", "counters of a core's caches, each of its own field"),
    ("cu/src/cells.rs", "where the bits of each kind are in a wave slot"),
    ("cu/src/config.rs", "a compute unit's caches, each with its client"),
    ("cu/src/owner.rs", "whose bit it is: register, barrier, byte of each kind"),
    ("gcn/src/text.rs", "registers and flags as AMD's assembler spells them"),
    ("realgpu-fake/src/scenario.rs", "tests that scenarios run, named after the units they test"),
    ("report/src/html/palette.rs", "a colour for each, the same on every page; new ones share one"),
    ("testkit/src/generate/settings.rs", "caches that random chips vary"),
    ("testkit/src/waves/settings.rs", "caches that random chips vary"),
    ("xtask/src/coverage/mod.rs", "arrays that campaigns of the program itself are tried on"),
    ("xtask/src/coverage/programs.rs", "a program for each array, with an AVF that is known"),
    ("xtask/src/grading/kept.rs", "records of a study, named after what is broken in them"),
    ("xtask/src/grading/tables.rs", "records of a study, named after what is broken in them"),
    ("xtask/src/ispass22/tables.rs", "a made-up study for tests, with structures of every sort"),
    ("xtask/src/sifi/statements.rs", "what SIFI injects into: a fact of its paper"),
    ("xtask/src/sifi/tables.rs", "what SIFI injects into: a fact of its paper"),
];

/// What is wrong in the tree under `crates`.
pub fn check(crates: &Path) -> Outcome<Vec<String>> {
    let mut files = Vec::new();
    for dir in list(crates)? {
        if dir.file_name().is_some_and(|n| n != "state") {
            sources(&dir.join("src"), &mut files)?;
        }
    }
    files.sort();
    let mut wrong = Vec::new();
    let mut needed = BTreeSet::new();
    for file in files {
        let text = read(&file)?;
        let Some(what) = listed(&text) else { continue };
        let name = file.strip_prefix(crates).unwrap_or(&file).display().to_string();
        match MAY.iter().find(|(may, _)| *may == name) {
            Some((may, _)) => _ = needed.insert(*may),
            None => wrong.push(format!(
                "crates/{name} {what}: ask a column of crates/state/src/kind.rs instead, or give \
                 a reason in crates/xtask/src/kinds.rs"
            )),
        }
    }
    for (may, _) in MAY.iter().filter(|(may, _)| !needed.contains(may)) {
        wrong
            .push(format!("crates/{may} lists no kinds: strike it from crates/xtask/src/kinds.rs"));
    }
    Ok(wrong)
}

/// What a file lists, if it does.
fn listed(text: &str) -> Option<String> {
    // Tests come last in a file.
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    let tokens = tokens(text);
    let is_name = |name: &str| named(name).is_some() || is_cache(name);
    let names: BTreeSet<&str> = tokens
        .iter()
        .filter_map(|t| match t {
            Token::Text(text) if is_name(text) => Some(*text),
            _ => None,
        })
        .collect();
    if names.len() >= MANY {
        let names: Vec<&str> = names.into_iter().collect();
        return Some(format!("lists structures ({})", names.join(", ")));
    }
    (0..tokens.len()).find_map(|at| {
        let kinds = kinds(block(&tokens, at)?);
        let names: Vec<&str> = kinds.into_iter().collect();
        (names.len() >= MANY).then(|| format!("matches kinds ({})", names.join(", ")))
    })
}

/// What a `match`, a `matches!` or a list that begins here has in its brackets.
fn block<'t, 's>(tokens: &'t [Token<'s>], at: usize) -> Option<&'t [Token<'s>]> {
    let open = match tokens[at] {
        Token::Word("match") => at + 1 + outside(&tokens[at + 1..], '{')?,
        Token::Word("matches") if tokens.get(at + 1) == Some(&Token::Mark('!')) => at + 2,
        Token::Mark('[') => at,
        _ => return None,
    };
    let inner = tokens.get(open + 1..)?;
    Some(&inner[..outside(inner, ']')?])
}

/// The first such mark that is in no brackets, or the first bracket that closes
/// more than was opened.
fn outside(tokens: &[Token<'_>], mark: char) -> Option<usize> {
    let mut depth = 0;
    for (i, token) in tokens.iter().enumerate() {
        let Token::Mark(c) = token else { continue };
        if depth == 0 && *c == mark {
            return Some(i);
        }
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => return Some(i),
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Kinds that are named there.
fn kinds<'s>(tokens: &[Token<'s>]) -> BTreeSet<&'s str> {
    let is_kind = |word: &str| {
        // All caches are one kind.
        KINDS.iter().any(|a| format!("{:?}", a.kind).split('(').next() == Some(word))
    };
    tokens
        .windows(4)
        .filter_map(|window| match window {
            [Token::Word("Kind"), Token::Mark(':'), Token::Mark(':'), Token::Word(kind)]
                if is_kind(kind) =>
            {
                Some(*kind)
            }
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_lists_kinds_in_one_place() {
        assert_eq!(check(&crate::root().join("crates")).unwrap(), Vec::<String>::new());
    }

    #[test]
    fn lists_are_found() {
        for text in [
            r#"let a = ["rf", "pred", "l2"];"#,
            r##"match x { "rf" => 1, r#"smem"# => '"' as u32, "l1d" => 3, _ => 0 }"##,
            "match f(|| { 3 }) { Kind::Rf => 1, Kind::Pred | Kind::Cache(_) => 2, _ => 0 }",
            "if matches!(a.kind, Kind::Pc | Kind::Mask | Kind::Sb) {}",
            "const C: [Kind; 3] = [Kind::Pc, Kind::Mask, Kind::Conv];",
            "match a { 1 => match b { Kind::Rf | Kind::Ureg => 1 }, _ => c == Kind::Gmem }",
        ] {
            assert!(listed(text).is_some(), "{text}");
        }
    }

    #[test]
    fn what_is_no_list_is_left_alone() {
        for text in [
            r#"let a = ["rf", "pred", "rf"];"#,
            r#"// "rf", "pred", "smem" and '"'"#,
            "match a { Kind::Rf => 1, Kind::Cache(_) => 2, _ => 0 }",
            "match a { Kind::Int => 1, Kind::Float => 2, Kind::Text => 3 }",
            "f(Kind::Rf, 1); f(Kind::Pred, 2); f(Kind::Smem, 3);",
            "fn f<'a>(x: &'a str) {}\n#[cfg(test)]\nmod tests {\n[\"rf\", \"pred\", \"l2\"]",
        ] {
            assert_eq!(listed(text), None, "{text}");
        }
    }
}
