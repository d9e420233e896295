//! The driver's table: every chip has one, and its figures must fit together.

use upset_chip::{ChipSpec, DriverMemory, DriverSpec};

#[test]
fn every_preset_has_the_figures_of_the_h200() {
    for preset in ChipSpec::presets() {
        let chip = ChipSpec::preset(preset.name).unwrap();
        let driver = DriverSpec { source: None, ..chip.driver.clone() };
        assert_eq!(driver, DriverSpec::default(), "{}", preset.name);
        assert_eq!(chip.driver.source.is_none(), preset.name == "h200", "{}", preset.name);
    }
    let d = DriverSpec::default();
    let mib = [d.below_bytes, d.above_bytes, d.pockets_from, d.pockets_to].map(|b| b >> 20);
    assert_eq!((d.memory, mib), (DriverMemory::Mapped, [384, 76, 96, 128]));
}

#[test]
fn a_chip_without_the_table_has_them_too() {
    let text = ChipSpec::preset("rtx2060").unwrap().to_toml();
    let (before, rest) = text.split_once("[driver]").unwrap();
    let (_, after) = rest.split_once("\n[").unwrap();
    let chip = ChipSpec::parse(&format!("{before}[{after}"), "old.toml", &[""; 0]).unwrap();
    assert_eq!(chip.driver, DriverSpec::default());
}

#[test]
fn what_does_not_fit_together_is_refused_with_its_mend() {
    let refused = |sets: &[&str]| ChipSpec::load("h200", sets).unwrap_err().to_string();
    let cases: [(&[&str], &str); 7] = [
        (&["driver.page_bytes=3145728"], "3145728 is not a power of two; use 4194304 or 2097152"),
        (&["driver.below_bytes=1048576"], "1048576 is not a number of pages; use 0 or 2097152"),
        (&["driver.small_bytes=134217728"], "do not fit driver.above_bytes; use at most 79691776"),
        (&["driver.pockets_from=67108864"], "in the driver's block; use at least 79691776"),
        (&["driver.pockets_to=83886080"], "before pockets_from; use at least 100663296"),
        (&["driver.shared_window=0x7f0000001000"], "0x7f0000001000 is not a multiple of 16 MiB"),
        (&["driver.local_window=0x7f0000000000"], "is the shared window; use another"),
    ];
    for (sets, expected) in cases {
        let text = refused(sets);
        assert!(text.contains(expected), "{sets:?}: {text}");
    }
    assert!(refused(&["driver.memory=lax"]).contains("give mapped, strict"));
    let strict = ChipSpec::load("h200", &["driver.memory=strict"]).unwrap();
    assert_eq!(strict.driver.memory, DriverMemory::Strict);
}
