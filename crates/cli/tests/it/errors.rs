//! Commands that end in one clear error and the documented exit code.

use crate::{code, stderr, upset};

/// Exit code and message of a command that must fail with a single line.
fn fails(args: &[&str]) -> (i32, String) {
    let o = upset(args);
    let text = stderr(&o);
    assert!(!text.contains("panicked"), "{text}");
    (code(&o), text)
}

#[test]
fn messages_of_bad_input() {
    let dir = tempfile::tempdir().expect("a folder");
    let cut = dir.path().join("cut.cubin");
    let whole =
        std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels/va/va.sm_75.cubin"))
            .expect("the cubin");
    std::fs::write(&cut, &whole[..whole.len() / 2]).expect("written");
    let bad_chip = dir.path().join("bad.toml");
    std::fs::write(&bad_chip, "extends = \"rtx2060\"\n[sm]\ncuont = 3\n").expect("written");
    let nowhere = dir.path().join("nosuch/file.json").to_string_lossy().into_owned();
    let cut = cut.to_string_lossy().into_owned();
    let bad_chip = bad_chip.to_string_lossy().into_owned();
    let cases: &[&[&str]] = &[
        &["run", "nosuch", "--chip", "rtx2060"],
        &["run", "va", "--chip", "nosuch"],
        &["run", "va", "--chip", "titan", "--set", "chip.arch=sm_52"],
        &["run", "mm", "--chip", "rtx2060"],
        &["run", "va", "--chip", "rtx2060", "--set", "sm.cuont=3"],
        &["run", "va", "--chip", &bad_chip],
        &["run", "va", "--chip", "rtx2060", "--json", &nowhere],
        &["run", "va", "--chip", "rtx2060", "--trace", &nowhere],
        &["run", "va", "--chip", "rtx2060", "--json", "-", "--trace", "-"],
        &["disasm", &cut],
        &["disasm", "README.md"],
        &["disasm", "nosuch.cubin"],
        &["disasm", "kernels/va/va.sm_75.cubin", "--kernel", "nosuch"],
        &["chips", "import", "nosuch.config"],
    ];
    let folder = dir.path().to_string_lossy().into_owned();
    let mut out = String::new();
    for args in cases {
        let (code, text) = fails(args);
        let line = args.join(" ").replace(&folder, "DIR");
        out += &format!("$ upset {line}\n{}[exit {code}]\n\n", text.replace(&folder, "DIR"));
    }
    insta::assert_snapshot!(out);
}

/// What an AMD chip or its code objects cannot do.
#[test]
fn messages_of_bad_kernels_for_amd() {
    let dir = tempfile::tempdir().expect("a folder");
    let folder = dir.path().to_string_lossy().into_owned();
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/examples/moving");
    let read = |name: &str| std::fs::read(format!("{example}/{name}")).expect("it is there");
    let manifest = String::from_utf8(read("app.toml")).expect("text");
    let object = read("moving.gfx600.co");
    // A folder like the example's with something else in the manifest, or less code.
    let app = |name: &str, (from, to): (&str, &str), code: &[u8]| {
        let place = dir.path().join(name);
        std::fs::create_dir(&place).expect("a folder");
        assert!(manifest.contains(from), "{from}");
        std::fs::write(place.join("app.toml"), manifest.replace(from, to)).expect("written");
        std::fs::write(place.join("moving.gfx600.co"), code).expect("written");
        std::fs::write(place.join("to.txt"), read("to.txt")).expect("written");
        place.to_string_lossy().into_owned()
    };
    let same = ("moving", "moving");
    let cut = app("cut", same, &object[..1000]);
    let empty = app("empty", same, &[]);
    let text = app("text", same, b"not machine code");
    let local = ("(64 + 2) * 4", "40000");
    let much = app("much", local, &object);
    let kernel = app("kernel", ("kernel = \"moving\"", "kernel = \"other\""), &object);
    let large = app("large", ("block = [64]", "block = [512]"), &object);
    let word = app("word", ("{ local = \"(64 + 2) * 4\" }", "{ u32 = 1 }"), &object);
    let fewer = app("fewer", ("    { u32 = \"n\" },\n", ""), &object);
    let vector = app("vector", ("[0.5, 0.25]", "[1.0, 2.0, 3.0, 4.0, 5.0]"), &object);
    let whole = app("whole", same, &object);
    let object_file = format!("{cut}/moving.gfx600.co");
    let amd = |app| vec!["run", app, "--chip", "hd7970", "--scale", "small"];
    let mut cases: Vec<Vec<&str>> =
        [&cut, &empty, &text, &much, &kernel, &large, &word, &fewer, &vector]
            .map(|a| amd(a))
            .into();
    cases.push(vec!["run", &whole, "--chip", "rtx2060", "--scale", "small"]);
    cases.push([amd(&whole), vec!["--set", "vgpr.per_simd=4"]].concat());
    cases.push([amd(&whole), vec!["--set", "cu.simds=5"]].concat());
    cases.push(vec!["disasm", &object_file]);
    cases.push(vec!["run", "hs", "--chip", "hd7970"]);
    let mut out = String::new();
    for args in &cases {
        let (code, text) = fails(args);
        let line = args.join(" ").replace(&folder, "DIR");
        out += &format!("$ upset {line}\n{}[exit {code}]\n\n", text.replace(&folder, "DIR"));
    }
    insta::assert_snapshot!(out);
}

/// A chip that nothing here can be: an error of one line, whoever asks.
#[test]
fn chips_that_the_model_cannot_do() {
    let dir = tempfile::tempdir().expect("a folder");
    let folder = dir.path().to_string_lossy().into_owned();
    let file = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, format!("extends = \"rtx2060\"\n{text}")).expect("written");
        path.to_string_lossy().into_owned()
    };
    let wave = file("wave.toml", "[sm]\nwarp_size = 64\nthreads = 2048\n");
    let unread = file("unread.toml", "[lsu]\nqueue = 8\nresponse_buffer = 2\n");
    let variant = dir.path().join("variant.toml");
    std::fs::write(&variant, "extends = \"unread.toml\"\n").expect("written");
    let variant = variant.to_string_lossy().into_owned();
    let lines = file("lines.toml", "[cache.l2]\nline_bytes = 64\n");
    let store = dir.path().join("s.db").to_string_lossy().into_owned();
    let run = ["run", "va", "--chip", "rtx2060", "--set"];
    let cases: &[Vec<&str>] = &[
        vec!["run", "va", "--chip", &wave],
        vec!["run", "va", "--chip", &wave, "--functional"],
        vec!["chips", "show", &wave],
        vec!["run", "va", "--chip", &unread],
        vec!["run", "va", "--chip", &variant],
        vec!["chips", "show", &unread],
        vec!["run", "va", "--chip", &lines],
        vec!["inject", "va", "--chip", &lines, "--fault", "rf:sm0.sub0.row0.lane0.bit0@1"],
        vec!["campaign", "--app", "va", "--chip", &lines, "--runs", "1", "--out", &store],
        vec!["env", "--chip", &lines],
        [&run[..], &["sm.warp_size=64"]].concat(),
        [&run[..], &["lsu.coalesce=lines"]].concat(),
        [&run[..], &["l1d.result_fifo=2"]].concat(),
        [&run[..], &["scheduler.issue_width=2"]].concat(),
        [&run[..], &["alu.count=2"]].concat(),
        [&run[..], &["frontend.buffer_entries=8"]].concat(),
        [&run[..], &["scheduler.policy=two-level"]].concat(),
    ];
    let mut out = String::new();
    for args in cases {
        let (code, text) = fails(args);
        assert_eq!((code, text.lines().count()), (2, 1), "{args:?}: {text}");
        let line = args.join(" ").replace(&folder, "DIR");
        out += &format!("$ upset {line}\n{}\n", text.replace(&folder, "DIR"));
    }
    insta::assert_snapshot!(out);
}

#[test]
fn usage_errors_end_with_two() {
    assert_eq!(fails(&["run"]).0, 2);
    assert_eq!(fails(&["frobnicate"]).0, 2);
    assert_eq!(fails(&["run", "va", "--chip", "rtx2060", "--scale", "huge"]).0, 2);
    assert_eq!(fails(&["run", "va", "--chip", "rtx2060", "--functional", "--trace", "t"]).0, 2);
}

#[test]
fn a_full_disk_is_told_with_the_file() {
    if !std::path::Path::new("/dev/full").exists() {
        return;
    }
    for flag in ["--json", "--trace"] {
        let (code, text) = fails(&["run", "va", "--chip", "rtx2060", flag, "/dev/full"]);
        assert_eq!(code, 2, "{text}");
        assert!(text.contains("/dev/full"), "{text}");
    }
}
