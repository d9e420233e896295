//! The page of tests has the table of the program.

use upset_burn::all_tests;

/// A row of the page.
fn row(about: &upset_burn::TestAbout) -> String {
    let level = u8::from(about.from);
    let model = if about.not_on_model.is_empty() { "yes" } else { about.not_on_model };
    format!(
        "| `{}` | {} | {:?} | {} | {} | {} | {level} | {model} |",
        about.name, about.unit, about.oracle, about.patterns, about.footprint, about.blind
    )
}

#[test]
fn every_test_has_its_row() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/burn-tests.md");
    let page = std::fs::read_to_string(path).expect("the page");
    let rows: Vec<String> = all_tests().iter().map(|t| row(t.about())).collect();
    let table = rows.join("\n");
    assert!(page.contains(&table), "docs/burn-tests.md should have\n{table}");
}
