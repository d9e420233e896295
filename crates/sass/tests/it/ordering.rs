//! Fences, cache control, scoreboard waits and uncached loads do what their
//! text says, whatever the field values.

use upset_isa::{CacheOp, Exec, FenceScope};
use upset_sass::{Arch, Word, decode, disasm};

const ARCHS: [Arch; 4] = [Arch::Sm70, Arch::Sm75, Arch::Sm80, Arch::Sm90];
/// Idle scheduling fields: stall 4, no scoreboards.
const IDLE: u128 = 0x000f_c800 << 96;

/// Text and meaning of every legal word that differs from `base` only in these
/// fields (first bit and width).
fn sweep(arch: Arch, base: u128, fields: &[(u32, u32)]) -> Vec<(String, Exec)> {
    let mut words = vec![base];
    for &(lo, width) in fields {
        let clear = !(((1u128 << width) - 1) << lo);
        let values = 0..1u128 << width;
        words =
            words.iter().flat_map(|w| values.clone().map(move |v| w & clear | v << lo)).collect();
    }
    let known = words.into_iter().filter_map(|w| {
        let d = decode(Word(w), arch).ok()?;
        Some((disasm::text(&d, 0), d.lower().ok()?.exec))
    });
    known.collect()
}

#[test]
fn loads_that_other_sms_must_agree_on_bypass_the_first_cache() {
    for arch in ARCHS {
        // LDG.E R2, [R8]
        let words = sweep(arch, IDLE | 0x10_0900 << 64 | 0x0802_7381, &[(76, 1), (77, 4)]);
        assert!(words.len() >= 16, "{arch}: {words:?}");
        for (text, exec) in words {
            let Exec::Mem(m) = exec else { panic!("{text}") };
            let far = text.contains(".GPU") || text.contains(".SYS");
            let bypasses = text.contains(".STRONG") && far || text.contains(".MMIO");
            assert_eq!(m.cached, !bypasses, "{arch} {text}");
        }
    }
}

#[test]
fn fences_have_the_scope_of_their_text() {
    for arch in ARCHS {
        let words = sweep(arch, IDLE | 0x7992, &[(76, 3), (79, 2)]);
        assert!(words.len() >= 12, "{arch}: {words:?}");
        for (text, exec) in words {
            let Exec::Fence(scope) = exec else { panic!("{text}") };
            match scope {
                FenceScope::Cta => assert!(text.contains(".CTA") || text.contains(".SM"), "{text}"),
                FenceScope::Gpu => assert!(text.contains(".GPU"), "{text}"),
                FenceScope::Sys => assert!(
                    ![".CTA", ".SM", ".GPU"].iter().any(|scope| text.contains(scope)),
                    "{text}"
                ),
            }
        }
    }
}

#[test]
fn cache_control_invalidates_what_its_text_says() {
    for arch in ARCHS {
        let mut seen = 0;
        // Without an address (RZ) for whole caches, with one for lines.
        for base in [0xff00_798f, 0x0800_798f, 0xff00_7990, 0x0800_7990] {
            for (text, exec) in sweep(arch, IDLE | base, &[(78, 3), (87, 4)]) {
                seen += 1;
                let Exec::CacheControl(op) = exec else { panic!("{text}") };
                let name = text.split_whitespace().next().unwrap_or_default();
                let parts: Vec<&str> = name.split('.').collect();
                let drops = parts.iter().any(|p| p.starts_with("IV"));
                let other = parts.iter().any(|p| ["U", "I"].contains(p) || p.starts_with("???"));
                let expected = match (drops, parts.contains(&"C")) {
                    (true, true) => CacheOp::InvalidateConst,
                    (true, false) if !other => CacheOp::InvalidateL1,
                    _ => CacheOp::Other,
                };
                assert_eq!(op, expected, "{arch} {text}");
            }
        }
        assert!(seen > 30, "{arch}: {seen}");
    }
}

#[test]
fn scoreboard_waits_have_the_numbers_of_their_text() {
    let lower = |arch, word| {
        let d = decode(Word(word), arch).expect("legal");
        (disasm::text(&d, 0), d.lower().expect("implemented").exec)
    };
    for arch in ARCHS {
        let (text, exec) = lower(arch, 0x000fc800_00000000_0000d040_0000791a);
        assert_eq!(text, "DEPBAR.LE SB5, 0x1");
        let Exec::DepBar { counter, at_most, also_zero } = exec else { panic!("{exec:?}") };
        assert_eq!((counter, at_most, also_zero), (5, 1, 0));
        let (text, exec) = lower(arch, 0x000fc800_00000000_0000a085_0000791a);
        assert_eq!(text, "DEPBAR.LE SB2, 0x2, {2,0}");
        let Exec::DepBar { counter, at_most, also_zero } = exec else { panic!("{exec:?}") };
        assert_eq!((counter, at_most, also_zero), (2, 2, 0b101));
        let (text, exec) = lower(arch, 0x000fc800_00000000_00000012_0000791a);
        assert_eq!(text, "DEPBAR {4,1}");
        let Exec::DepBar { counter, also_zero, .. } = exec else { panic!("{exec:?}") };
        assert_eq!((counter, also_zero), (7, 0b10010));
    }
}
