//! The driver's table: every chip has one, and its figures must fit together.

use upset_chip::{ChipSpec, DriverMemory, DriverSpec};

#[test]
fn every_preset_has_the_figures_of_the_h200() {
    for preset in ChipSpec::presets() {
        let chip = ChipSpec::preset(preset.name).unwrap();
        let mut driver = DriverSpec { source: None, ..chip.driver.clone() };
        let h200 = DriverSpec::default();
        if chip.has_stack() {
            // Its code computes with 32 bits of a window's address.
            let windows = (driver.shared_window, driver.local_window);
            assert_eq!(windows, (1 << 24, 2 << 24));
            (driver.shared_window, driver.local_window) = (h200.shared_window, h200.local_window);
        }
        assert_eq!(driver, h200, "{}", preset.name);
        assert_eq!(chip.driver.source.is_none(), preset.name == "h200", "{}", preset.name);
    }
    let d = DriverSpec::default();
    let mib = [d.block_bytes, d.small_page, d.area_from, d.area_to].map(|b| b >> 20);
    assert_eq!((d.memory, mib), (DriverMemory::Mapped, [490, 414, 488, 512]));
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
    let cases: [(&[&str], &str); 11] = [
        (&["driver.page_bytes=3145728"], "3145728 is not a power of two; use 4194304 or 2097152"),
        (&["driver.small_page=1048576"], "1048576 is not a number of pages; use 0 or 2097152"),
        (&["driver.small_bytes=4194304"], "4194304 do not fit a page; use at most 2097152"),
        (&["driver.small_page=511705088"], "in the program's area; use at most 509607936"),
        (&["driver.area_to=501219328"], "before area_from; use at least 511705088"),
        (&["driver.block_bytes=2097152"], "and area_to; use 436207616 to 536870912"),
        (&["driver.pockets=[536870912]"], "begins and ends by turns, in order; list pairs from"),
        (&["driver.pockets=[2097152, 4194304]"], "in order; list pairs from 536870912 on"),
        (&["driver.shared_window=0x7f0000001000"], "0x7f0000001000 is not a multiple of 16 MiB"),
        (&["driver.shared_window=0x700000000"], "0x700000000 may be memory; use less than 2^32"),
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
