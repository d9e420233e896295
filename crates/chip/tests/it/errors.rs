//! Every error says what, where, and how to mend it.

use upset_chip::ChipSpec;

fn load(name: &str, set: &[&str]) -> String {
    ChipSpec::load(name, set).unwrap_err().to_string()
}

fn parse(text: &str) -> String {
    ChipSpec::parse(text, "mine.toml", &[""; 0]).unwrap_err().to_string()
}

fn variant(text: &str) -> String {
    parse(&format!("extends = \"rtx2060\"\n{text}"))
}

#[test]
fn messages() {
    let cases = [
        ("unknown preset", load("rtx2600", &[])),
        ("missing file", load("./nowhere.toml", &[]).split(": No such").next().unwrap().to_owned()),
        ("not TOML", parse("[sm\ncount = 1")),
        ("unknown table", variant("[smm]\ncount = 1\n")),
        ("unknown key", variant("[sm]\n  cuont = 15\n")),
        ("unknown key of a cache", variant("[cache.l1d]\nway = 4\n")),
        ("unknown unit", variant("[unit.fpu]\nlanes = 4\n")),
        ("bad cache name", variant("[cache.\"L1 D\"]\nways = 4\n")),
        ("wrong type", variant("[sm]\ncount = \"many\"\n")),
        ("out of range", variant("[sm]\ncount = 0\n")),
        ("no such choice", variant("[cache.l1d]\nreplacement = \"lur\"\n")),
        ("not a table", variant("sm = 3\n")),
        ("not a cache", variant("[cache]\nl1d = 3\n")),
        ("missing key", parse("[chip]\nname = \"x\"\n")),
        ("missing key of a cache", variant("[cache.l3]\nways = 4\n")),
        ("rule between keys", variant("[sm]\nwarps = 64\n")),
        ("no power of two", variant("[cache.l2]\nsets = 48\n")),
        ("hash", variant("[cache.l2]\nsets = 128\n")),
        ("write-back on fill", variant("[cache.l2]\nallocate = \"on-fill\"\n")),
        ("circle of levels", variant("[cache.l2]\nnext = \"l1d\"\n")),
        ("no such level", variant("[cache.l1d]\nnext = \"l3\"\n")),
        ("raw FIT without source", parse(&titanless())),
        ("override without =", load("rtx2060", &["sm.count"])),
        ("override of nothing", load("rtx2060", &["sm.cuont=15"])),
        ("override of a cache key", load("rtx2060", &["l1d.sest=15"])),
        ("override of the wrong type", load("rtx2060", &["sm.count=many"])),
        ("override out of range", load("rtx2060", &["sm.count=0"])),
        ("override that breaks a rule", load("rtx2060", &["l2.sets=3"])),
        ("override that nothing would follow", load("rtx2060", &["model.ecc=true"])),
        ("a key that nothing would follow", variant("[model]\necc = true\n")),
        ("override of a table", load("rtx2060", &["l1d=4"])),
        ("extends nothing", parse("extends = \"rtx\"\n")),
        ("extends a number", parse("extends = 4\n")),
        ("too large", parse(&" ".repeat((1 << 20) + 1))),
    ];
    let text: String = cases.iter().map(|(name, error)| format!("{name}:\n  {error}\n")).collect();
    insta::assert_snapshot!(text);
}

fn titanless() -> String {
    "extends = \"h200\"\n[chip]\nraw_fit_per_bit = 1e-6\n".to_owned()
}

#[test]
fn deep_nesting_is_an_error() {
    for text in ["[".repeat(10_000), "a=".to_owned() + &"[".repeat(10_000), "a.".repeat(20_000)] {
        assert!(!parse(&text).is_empty());
    }
}
