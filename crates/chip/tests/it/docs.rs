//! The page about chips is held against what it describes.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use upset_chip::ChipSpec;
use upset_chip::schema::{TABLES, fields};

const BEGIN: &str = "<!-- fields: written by the tests, UPSET_BLESS=1 -->\n";
const END: &str = "<!-- end of fields -->";

fn page() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/chips.md")
}

/// The reference of all keys, from the schema.
fn reference() -> String {
    let mut out = String::new();
    for table in TABLES {
        let header =
            if table.family { format!("{0}.NAME", table.name) } else { table.name.to_owned() };
        let _ = writeln!(out, "\n### `[{header}]`: {}\n", table.doc);
        let _ = writeln!(out, "| key | value | meaning |\n|---|---|---|");
        for f in fields(table.name) {
            let optional = if f.required { "" } else { " (optional)" };
            let _ = writeln!(out, "| `{}`{optional} | {} | {} |", f.key, f.kind.describe(), f.doc);
        }
    }
    out.push('\n');
    out
}

#[test]
fn the_reference_of_keys_is_up_to_date() {
    let text = fs::read_to_string(page()).unwrap();
    let (before, rest) = text.split_once(BEGIN).expect("the page has a place for the reference");
    let (written, after) = rest.split_once(END).expect("the reference has an end");
    if std::env::var_os("UPSET_BLESS").is_some() {
        fs::write(page(), format!("{before}{BEGIN}{}{END}{after}", reference())).unwrap();
        return;
    }
    assert_eq!(written, reference(), "run the test with UPSET_BLESS=1 to rewrite docs/chips.md");
}

/// Every TOML example of the page is a chip, and every --set example applies.
#[test]
fn the_examples_work() {
    let text = fs::read_to_string(page()).unwrap();
    let mut examples = 0;
    for block in text.split("```toml\n").skip(1) {
        let block = block.split("```").next().unwrap();
        ChipSpec::parse(block, "example.toml", &[""; 0]).unwrap_or_else(|e| panic!("{e}\n{block}"));
        examples += 1;
    }
    let mut sets = 0;
    for piece in text.split("`--set ").skip(1) {
        let set = piece.split('`').next().unwrap();
        ChipSpec::load("rtx2060", &[set]).unwrap_or_else(|e| panic!("{e}"));
        sets += 1;
    }
    assert!(examples >= 2 && sets >= 3, "{examples} files, {sets} overrides");
}
