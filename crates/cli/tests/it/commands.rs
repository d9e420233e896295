//! Commands that end well.

use serde_json::Value;

use crate::{code, stderr, stdout, upset};

#[test]
fn the_list_of_applications() {
    let o = upset(&["apps"]);
    assert_eq!(code(&o), 0);
    insta::assert_snapshot!(stdout(&o));
}

#[test]
fn the_list_of_chips() {
    let o = upset(&["chips"]);
    assert_eq!(code(&o), 0);
    insta::assert_snapshot!(stdout(&o));
}

#[test]
fn a_run_prints_its_kernels_and_verdict() {
    let o = upset(&["run", "va", "--chip", "rtx2060", "--functional"]);
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    // The one line with a time in it is left out.
    let text: Vec<String> =
        stdout(&o).lines().filter(|l| !l.contains(" s, ")).map(String::from).collect();
    insta::assert_snapshot!(text.join("\n"));
}

#[test]
fn a_run_as_json_has_the_documented_fields() {
    let o = upset(&["run", "pathfinder", "--chip", "gv100", "--functional", "--json", "-"]);
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    let v: Value = serde_json::from_str(&stdout(&o)).expect("one JSON object");
    assert_eq!(v["app"], "pathf");
    assert_eq!(v["chip"], "gv100");
    assert_eq!(v["mode"], "functional");
    assert_eq!(v["passed"], true);
    let kernel = &v["kernels"][0];
    for field in ["launches", "warp_insts", "thread_insts", "registers", "shared_bytes"] {
        assert!(kernel[field].is_u64(), "{field} in {kernel}");
    }
    let sum: u64 = v["kernels"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|k| k["thread_insts"].as_u64())
        .sum();
    assert_eq!(v["total"]["thread_insts"].as_u64(), Some(sum));
    assert_eq!(v["output_digest"].as_str().map(str::len), Some(32));
}

#[test]
fn the_same_run_gives_the_same_digest_and_counts() {
    let of = |seed: &str| {
        let o = upset(&["run", "hs", "--chip", "rtx2060", "--seed", seed, "--json", "-"]);
        let mut v: Value = serde_json::from_str(&stdout(&o)).expect("one JSON object");
        for timed in ["wall_s", "thread_insts_per_s", "cycles_per_s"] {
            v[timed] = Value::Null;
        }
        v
    };
    assert_eq!(of("1"), of("1"));
    assert_ne!(of("1")["output_digest"], of("2")["output_digest"]);
}

#[test]
fn a_variant_of_a_chip_runs_the_same_code() {
    let o = upset(&["run", "va", "--chip", "rtx2060", "--set", "sm.count=15"]);
    assert_eq!(code(&o), 0, "{}", stderr(&o));
}

#[test]
fn disassembly_shows_offset_control_text_and_encoding() {
    let o = upset(&["disasm", "kernels/va/va.sm_75.cubin"]);
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    insta::assert_snapshot!(stdout(&o));
}

/// A program has a fat binary for each of its files; what its linker adds may be empty.
#[test]
fn all_containers_of_a_file_are_listed() {
    let folder = tempfile::tempdir().expect("a folder");
    let read = |name: &str| {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../programs/driver/");
        std::fs::read(format!("{root}{name}")).expect("a fat binary")
    };
    let both = folder.path().join("both.fatbin");
    std::fs::write(&both, [read("parts.fatbin"), read("kernels.fatbin")].concat())
        .expect("written");
    let both = both.to_string_lossy();
    let o = upset(&["disasm", &both, "--sm", "75"]);
    assert!(stdout(&o).contains("\nFunction triple\n"), "{}", stderr(&o));
    assert!(stdout(&o).contains("\nFunction scale\n"));
    let one = stdout(&upset(&["disasm", &both, "--sm", "75", "--kernel", "scale"]));
    assert!(one.starts_with(&format!("// {both}, sm_75\n\nFunction scale\n")), "{one}");
}

#[test]
fn code_of_64_bit_words_is_text_too() {
    let o = upset(&["disasm", "kernels/va/va.sm_35.cubin"]);
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    let text = stdout(&o);
    assert!(text.contains("// registers 8, shared 0 bytes"), "{text}");
    assert!(text.contains("/*0008*/  30  MOV R1, c[0x0][0x44] "), "{text}");
    assert!(text.contains("/*0058*/  04  ISCADD R2.CC, R0, c[0x0][0x148], 0x2 "), "{text}");
    assert!(!text.contains("ILLEGAL"), "{text}");
}

#[test]
fn a_gpgpusim_configuration_becomes_a_chip_that_runs() {
    let dir = tempfile::tempdir().expect("a folder");
    let (config, chip) = (dir.path().join("gpgpusim.config"), dir.path().join("mine.toml"));
    let text = "-gpgpu_n_clusters 30\n-gpgpu_n_cores_per_cluster 1\n\
        -gpgpu_compute_capability_major 7\n-gpgpu_compute_capability_minor 5\n\
        -gpgpu_cache:dl1 S:1:128:512,L:L:s:N:L,A:256:8,16:0,32\n-made_up_option 3\n";
    std::fs::write(&config, text).expect("written");
    let o =
        upset(&["chips", "import", &config.to_string_lossy(), "--output", &chip.to_string_lossy()]);
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    assert!(stderr(&o).contains("made_up_option"), "{}", stderr(&o));
    let o = upset(&["run", "va", "--chip", &chip.to_string_lossy()]);
    assert_eq!(code(&o), 0, "{}", stderr(&o));
}

#[test]
fn code_of_another_vendor_is_text_too() {
    let file = "crates/gcn/tests/data/add.co";
    let o = upset(&["disasm", file]);
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    let text = stdout(&o);
    assert!(text.contains("Kernel add") && text.contains("Kernel reverse"), "{text}");
    assert!(text.contains("/*01c10*/  s_waitcnt lgkmcnt(0)"), "{text}");
    assert_eq!(text.matches(" s_endpgm ").count(), 2, "{text}");
    let one = stdout(&upset(&["disasm", file, "--kernel", "reverse"]));
    assert!(one.contains("LDS 1024 bytes") && !one.contains("Kernel add"), "{one}");
    let none = upset(&["disasm", file, "--kernel", "nosuch"]);
    assert_eq!(code(&none), 2);
    assert!(stderr(&none).contains("it has: add, reverse"), "{}", stderr(&none));
}

#[test]
fn binaries_of_amds_older_sdk_are_text_too() {
    let o = upset(&["disasm", "crates/gcn/tests/data/transform.clb"]);
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    let text = stdout(&o);
    assert!(
        text.contains("Kernel transform\n// vector registers 12, scalar registers 32"),
        "{text}"
    );
    assert!(text.contains("s[2:3] PTR_UAV_TABLE 0, s[4:7] IMM_CONST_BUFFER 0"), "{text}");
    assert!(text.contains("/*00000*/  s_mov_b32 m0, 0x8000"), "{text}");
}
