//! What is refused, without a device: the worked example of the documentation
//! runs in the integration tests.

use super::*;
use crate::manifest::Manifest;

const BASE: &str = r#"
id = "t"
name = "T"
description = "d"
[scales.small]
n = 8
a = 2.5
[[buffers]]
name = "x"
type = "f32"
count = "n"
[[launches]]
kernel = "k"
grid = [1]
block = ["n"]
args = [{ buffer = "x" }, { f32 = "a" }]
[[outputs]]
buffer = "x"
"#;

fn refusal(text: &str) -> String {
    let manifest = Manifest::parse(text).unwrap();
    let app = FolderApp::from_parts(manifest, Vec::new(), Files::new());
    app.expect_err("it is accepted").to_string()
}

fn plan_refusal(text: &str) -> String {
    let manifest = Manifest::parse(text).unwrap();
    Plan::new(&manifest, Scale::Small).err().expect("it is accepted").to_string()
}

#[test]
fn the_base_is_accepted() {
    let manifest = Manifest::parse(BASE).unwrap();
    let app = FolderApp::from_parts(manifest, Vec::new(), Files::new()).unwrap();
    let plan = Plan::new(&app.manifest, Scale::Small).unwrap();
    assert_eq!(plan.count("x"), 8);
    assert_eq!(plan.count("nosuch"), 0);
}

#[test]
fn names_must_lead_somewhere_and_only_there() {
    let twice = format!("{BASE}[[buffers]]\nname = \"x\"\ntype = \"u8\"\ncount = 1\n");
    assert!(refusal(&twice).contains("two buffers \"x\""));
    let argument = BASE.replace("{ buffer = \"x\" }", "{ buffer = \"y\" }");
    assert!(refusal(&argument).contains("no buffer \"y\""));
    let output = BASE.replace("[[outputs]]\nbuffer = \"x\"", "[[outputs]]\nbuffer = \"z\"");
    assert!(refusal(&output).contains("no buffer \"z\""));
}

#[test]
fn launches_must_be_complete() {
    let no_block = BASE.replace("block = [\"n\"]\n", "");
    assert!(refusal(&no_block).contains("k needs a block of one to three numbers"));
    let nothing = BASE.replace("kernel = \"k\"\n", "");
    assert!(refusal(&nothing).contains("a kernel or a sequence"));
    let none = BASE.split("[[launches]]").next().unwrap();
    assert!(refusal(none).contains("nothing to launch"));
}

#[test]
fn counts_must_be_sensible() {
    for count in ["0", "-1", "\"n - 8\"", "9223372036854775807", "1000000000000"] {
        let text = BASE.replace("count = \"n\"", &format!("count = {count}"));
        let refusal = plan_refusal(&text);
        assert!(refusal.contains("app.toml, x:"), "{count}: {refusal}");
    }
}

#[test]
fn fills_give_what_they_say() {
    use crate::manifest::Fill;
    use crate::values::{ElementType, Values};
    let files = Files::from([("d.txt".to_string(), b"1, 2.5\n-3".to_vec())]);
    let source = Source { files: &files, scale: Scale::Small, seed: 1 };
    let make = |fill: Fill, element, count| source.filled(&fill, element, count, 1);
    assert_eq!(make(Fill::Iota, ElementType::I32, 3), Ok(Values::I32(vec![0, 1, 2])));
    let file = Fill::File("d.txt".into());
    assert_eq!(make(file.clone(), ElementType::F32, 3), Ok(Values::F32(vec![1.0, 2.5, -3.0])));
    let error = make(file, ElementType::F32, 4).unwrap_err().to_string();
    assert_eq!(error, "d.txt: holds 3 elements, 4 are wanted");
    let Ok(Values::I32(dice)) = make(Fill::Random([1.0, 7.0]), ElementType::I32, 500) else {
        panic!("integers were asked for")
    };
    assert!(dice.iter().all(|d| (1..=6).contains(d)));
    assert!((1..=6).all(|d| dice.contains(&d)));
}

#[test]
fn files_outside_the_folder_are_refused() {
    let away = BASE.replace("count = \"n\"", "count = \"n\"\ninit = { file = \"../secret\" }");
    let manifest = Manifest::parse(&away).unwrap();
    let error = contents::read_files(Path::new("."), &manifest).unwrap_err();
    assert!(error.to_string().contains("inside the folder"), "{error}");
}
