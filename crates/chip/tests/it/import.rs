use proptest::prelude::*;
use upset_chip::import::{self, Imported, NoteKind, render_notes};
use upset_chip::{ChipError, ChipSpec, Space};

const TURING: &str = include_str!("configs/turing.config");
const KEPLER: &str = include_str!("configs/kepler.config");

fn gpgpusim(text: &str) -> Result<Imported, ChipError> {
    import::gpgpusim(text, "gpgpusim.config", "imported")
}

#[test]
fn turing_in_full() {
    let imported = import::gpgpusim(TURING, "turing.config", "turing").unwrap();
    insta::assert_snapshot!("turing_toml", imported.toml);
    insta::assert_snapshot!("turing_notes", render_notes(&imported.notes));
}

#[test]
fn kepler_and_its_mistakes() {
    let imported = import::gpgpusim(KEPLER, "kepler.config", "kepler").unwrap();
    insta::assert_snapshot!("kepler_notes", render_notes(&imported.notes));
    let chip = imported.chip;
    assert_eq!((chip.chip.arch.as_str(), chip.processors(), chip.subcores()), ("sm_35", 14, 1));
    assert_eq!(chip.cache("l1d").unwrap().serves, [Space::Local]);
    assert!(chip.cache("l1t").is_none() && chip.cache("l1i").is_none());
    assert_eq!((chip.dram.banks, chip.dram.ras, chip.dram.rtpl), (16, 37, 3));
    assert_eq!(chip.launch.kernel_latency, 5000);
    assert_eq!(chip.sm().unwrap().shared.per_cta, 49152);
    assert_eq!(chip.sm().unwrap().unit("mufu").unwrap().latency, 20);
    assert_eq!(chip.memory.bytes, 12 << 24);
}

#[test]
fn the_toml_loads_to_the_same_chip() {
    for text in [TURING, KEPLER] {
        let imported = gpgpusim(text).unwrap();
        let again = ChipSpec::parse(&imported.toml, "imported.toml", &[""; 0]).unwrap();
        assert_eq!(again, imported.chip);
    }
}

/// Every option of a file is in the chip or in a note.
#[test]
fn nothing_disappears() {
    for text in [TURING, KEPLER] {
        let imported = gpgpusim(text).unwrap();
        for line in text.lines().map(|l| l.split('#').next().unwrap()) {
            let Some(name) = line.split_whitespace().next().and_then(|w| w.strip_prefix('-'))
            else {
                continue;
            };
            // A cache that is not there is carried over by not being there.
            if line.trim_end().ends_with(" none") {
                continue;
            }
            let noted = imported.notes.iter().any(|n| n.option == name);
            let carried = imported.toml.contains(&format!("-{name}, line"));
            // Read, and found to say what the model does anyway.
            let harmless = ["gpgpu_shmem_limited_broadcast", "gpgpu_shmem_warp_parts"];
            let merged = [
                "gpgpu_ptx_force_max_capability",
                "gpgpu_compute_capability_minor",
                "gpgpu_shmem_sizeDefault",
                "gpgpu_tensor_core_avail",
                "network_mode",
            ];
            let known = harmless.contains(&name) || merged.contains(&name);
            assert!(noted || carried || known, "{name} disappeared");
        }
    }
}

#[test]
fn hopper_with_carveouts_and_hashes_of_its_own() {
    let text = "-gpgpu_compute_capability_major 9\n-gpgpu_compute_capability_minor 0\n\
                -gpgpu_n_clusters 132\n-gpgpu_n_cores_per_cluster 1\n\
                -gpgpu_shader_core_pipeline 2048:32\n-gpgpu_shmem_option 0,8,16,32,64,228\n\
                -gpgpu_unified_l1d_size 256\n-gpgpu_shmem_size 233472\n\
                -gpgpu_shmem_per_block 232448\n-gpgpu_adaptive_cache_config 1\n\
                -gpgpu_cache:dl1 S:4:128:64,L:T:m:L:L,A:512:64,16:0,32\n\
                -gpgpu_cache:dl2 S:256:128:20,L:B:m:L:X,A:384:4,32:0,32\n\
                -gpgpu_cache:dl2_texture_only 0\n-gpgpu_memory_partition_indexing 6\n\
                -gpgpu_n_mem 48\n-gpgpu_n_sub_partition_per_mchannel 2\n\
                -gpgpu_lrc_enabled 1\n-gpgpu_simple_dram_model 1\n";
    let imported = gpgpusim(text).unwrap();
    let chip = &imported.chip;
    assert_eq!(chip.row().l2_bytes, Some(60 << 20));
    let shared = &chip.sm().unwrap().shared;
    assert_eq!(shared.carveouts_kib.as_deref(), Some(&[0, 8, 16, 32, 64, 228][..]));
    assert_eq!((shared.unified_kib, shared.reserved_per_cta), (Some(256), 1024));
    let lost: Vec<&str> = imported
        .notes
        .iter()
        .filter(|n| n.kind == NoteKind::NoCounterpart)
        .map(|n| n.option.as_str())
        .collect();
    let expected = [
        "gpgpu_adaptive_cache_config",
        "gpgpu_memory_partition_indexing",
        "gpgpu_lrc_enabled",
        "gpgpu_simple_dram_model",
    ];
    assert_eq!(lost, expected);
}

/// The papers' chip, from a configuration and from its preset.
#[test]
fn import_and_preset_agree_on_the_arrays() {
    let imported = gpgpusim(TURING).unwrap().chip;
    let preset = ChipSpec::preset("rtx2060").unwrap();
    assert_eq!(imported.total_bits(), preset.total_bits());
    for cache in &preset.caches {
        let mut other = imported.cache(&cache.name).unwrap().clone();
        // Banks and hit latencies mean different things there.
        other.banks = cache.banks;
        other.latency = cache.latency;
        other.source = cache.source.clone();
        assert_eq!(&other, cache);
    }
    assert_eq!(upset_chip::DramSpec { source: None, ..preset.dram }, imported.dram);
}

#[test]
fn what_no_chip_can_be_is_an_error_with_its_line() {
    let error = gpgpusim("# x\n-gpgpu_n_clusters 0\n").unwrap_err();
    assert_eq!(
        error.to_string(),
        "gpgpusim.config:2: [sm] count: 0 is out of range; give integer 1 to 4096"
    );
    let error = gpgpusim("-gpgpu_cache:dl2 S:48:128:16,L:B:m:L:L,A:192:4,32:0,32\n").unwrap_err();
    assert!(matches!(error, ChipError::Invalid { .. }), "{error}");
    assert!(gpgpusim(&"x".repeat(2 << 20)).is_err());
}

#[test]
fn architecture_comes_from_either_option() {
    let arch = |text: &str| gpgpusim(text).unwrap().chip.chip.arch;
    assert_eq!(arch(""), "sm_70");
    assert_eq!(arch("-gpgpu_ptx_force_max_capability 86"), "sm_86");
    assert_eq!(
        arch("-gpgpu_compute_capability_major 8\n-gpgpu_compute_capability_minor 6"),
        "sm_86"
    );
    let both = "-gpgpu_compute_capability_major 7\n-gpgpu_compute_capability_minor 5\n\
                -gpgpu_ptx_force_max_capability 60";
    assert_eq!(arch(both), "sm_75");
    let notes = gpgpusim(both).unwrap().notes;
    assert!(notes.iter().any(|n| n.kind == NoteKind::Changed && n.value == "60"));
}

proptest! {
    #[test]
    fn no_text_panics(text in any::<String>()) {
        let _ = gpgpusim(&text);
    }

    #[test]
    fn no_mangled_configuration_panics(
        which in 0usize..2,
        line in 0usize..120,
        value in "[-0-9a-zA-Z:,;@.\"# ]{0,40}",
    ) {
        let text = [TURING, KEPLER][which];
        let mangled: Vec<String> = text
            .lines()
            .enumerate()
            .map(|(i, l)| match l.split_once(' ') {
                Some((name, _)) if i == line => format!("{name} {value}"),
                _ => l.to_owned(),
            })
            .collect();
        if let Ok(imported) = gpgpusim(&mangled.join("\n")) {
            let again = ChipSpec::parse(&imported.toml, "x.toml", &[""; 0]);
            prop_assert_eq!(again.unwrap(), imported.chip);
        }
    }
}

/// A megabyte of options nobody knows is read in one go.
#[test]
fn many_unknown_options_are_no_burden() {
    let text: String = (0..60_000).map(|i| format!("-gpgpu_xs_{i}\n")).collect();
    let imported = gpgpusim(&text).unwrap();
    let unknown = imported.notes.iter().filter(|n| n.kind == NoteKind::Unknown).count();
    assert_eq!(unknown, 60_000);
}
