//! `extends` and overrides.

use std::fs;
use std::path::PathBuf;

use upset_chip::{ChipError, ChipSpec, CoreSpec, Space};

const NONE: &[&str] = &[];

/// A folder of its own for each test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("upset-chip-{}-{test}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
    fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path.display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_variant_changes_what_it_says_and_nothing_else() {
    let text = "extends = \"rtx2060\"\n[sm]\ncount = 15\n[cache.l1d]\nways = 256\n";
    let half = ChipSpec::parse(text, "half.toml", NONE).unwrap();
    let mut expected = ChipSpec::preset("rtx2060").unwrap();
    expected.chip.name = "half".to_owned();
    let CoreSpec::Sm(core) = &mut expected.core else { panic!("SMs") };
    core.sm.count = 15;
    expected.caches[0].ways = 256;
    assert_eq!(half, expected);
}

#[test]
fn variants_of_files_go_by_paths_beside_them() {
    let folder = Folder::new("chain");
    folder.write("base/big.toml", "extends = \"gv100\"\n[sm]\ncount = 84\n");
    let path = folder.write("mine.toml", "extends = \"base/big.toml\"\n[sm]\nctas = 16\n");
    let chip = ChipSpec::load(&path, &["l2.ways=12"]).unwrap();
    assert_eq!(chip.chip.name, "mine");
    assert_eq!((chip.processors(), chip.sm().unwrap().sm.ctas), (84, 16));
    assert_eq!(chip.cache("l2").unwrap().ways, 12);
}

#[test]
fn circles_are_found() {
    let folder = Folder::new("circle");
    folder.write("a.toml", "extends = \"b.toml\"\n");
    let path = folder.write("b.toml", "extends = \"./a.toml\"\n");
    let error = ChipSpec::load(&path, NONE).unwrap_err();
    assert!(matches!(error, ChipError::ExtendsCycle { .. }), "{error}");
}

#[test]
fn caches_and_units_can_be_added_and_dropped() {
    let text = "extends = \"titan\"\n[cache]\nl1t = \"none\"\n[cache.l1d]\nper = \"sm\"\n\
                serves = [\"local\"]\nnext = \"l2\"\nsets = 4\nways = 32\nline_bytes = 128\n\
                sector_bytes = 32\nreplacement = \"lru\"\nwrite = \"write-back\"\n\
                write_allocate = \"none\"\nset_hash = \"linear\"\nmshr_entries = 2\n\
                mshr_merge = 8\nport_bytes = 32\nbanks = 1\nlatency = 82\ntag_bits = 57\n";
    let chip = ChipSpec::parse(text, "local.toml", NONE).unwrap();
    assert!(chip.cache("l1t").is_none());
    let plain = ChipSpec::load("rtx2060", &["tensor=none"]).unwrap();
    assert!(plain.sm().unwrap().unit("tensor").is_none());
    let l1d = chip.cache("l1d").unwrap();
    assert_eq!((chip.instances(l1d.per), l1d.bytes()), (14, 16 << 10));
}

#[test]
fn overrides_are_typed_by_the_key() {
    let set = |text: &str| ChipSpec::load("rtx2060", &[text]).unwrap();
    assert_eq!(set("sm.count=15").processors(), 15);
    assert_eq!(set("cache.l1d.ways=4").cache("l1d").unwrap().ways, 4);
    assert_eq!(set("l1d.ways=0x10").cache("l1d").unwrap().ways, 16);
    assert_eq!(set("fma.latency=5").sm().unwrap().unit("fma").unwrap().latency, 5);
    assert_eq!(set("clock.core_mhz=1680").clock.core_mhz, 1680.0);
    assert!(set("model.flush_l2_between_kernels = true").model.flush_l2_between_kernels);
    assert_eq!(set("memory.bytes=4_294_967_296").memory.bytes, 1 << 32);
    assert_eq!(set("l1d.serves=local, global").cache("l1d").unwrap().serves[0], Space::Local);
    assert_eq!(
        set("shared.carveouts_kib=[16, 48]").sm().unwrap().shared.carveouts_kib,
        Some(vec![16, 48])
    );
    assert_eq!(set("chip.title=\"a b\"").chip.title, "a b");
    assert!(set("l1d=none").cache("l1d").is_none());
}

#[test]
fn a_name_can_carry_its_changes() {
    let two = ChipSpec::load("hd7970:cu.count=1:cu.simds=2", NONE).unwrap();
    let mut expected = ChipSpec::load("hd7970", &["cu.count=1", "cu.simds=2"]).unwrap();
    assert_eq!((two.processors(), two.subcores()), (1, 2));
    expected.chip.name = "hd7970:cu.count=1:cu.simds=2".to_owned();
    assert_eq!(two, expected);
    // It is read back from what a store keeps of it.
    assert_eq!(ChipSpec::parse(&two.to_toml(), &two.chip.name, NONE).unwrap(), two);
    // `--set` comes last, and a variant may get a name of its own.
    let one = ChipSpec::load("hd7970:cu.simds=2:chip.name=small", &["cu.simds=1"]).unwrap();
    assert_eq!((one.subcores(), one.chip.name.as_str()), (1, "small"));
}

#[test]
fn variants_of_files_are_called_after_them() {
    let folder = Folder::new("named");
    let path = folder.write("mine.toml", "extends = \"gv100\"\n");
    let chip = ChipSpec::load(&format!("{path}:sm.count=3"), NONE).unwrap();
    assert_eq!((chip.processors(), chip.chip.name.as_str()), (3, "mine:sm.count=3"));
}

#[test]
fn mistakes_in_variants_are_told_where_they_are() {
    let say = |name: &str| ChipSpec::load(name, NONE).unwrap_err().to_string();
    let typo = say("hd7970:cu.count=1:cu.simd=2");
    assert!(typo.starts_with("hd7970:cu.simd=2: unknown key `cu.simd`"), "{typo}");
    assert!(typo.contains("did you mean `cu.simds`"), "{typo}");
    assert!(say("hd7970:cu.count=many").contains("`cu.count=many` is not an override"));
    assert!(say("hd7970:cu.count=1:").contains("there is no `=`"));
    assert!(say("hd797:cu.count=1").contains("no chip called `hd797`"));
    let long = format!("hd7970{}", ":cu.count=1".repeat(6));
    assert!(say(&long).contains("a variant can end in :chip.name=SHORT"), "{}", say(&long));
}
