//! Programs that cannot run are told so before they start.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::c::Programs;
use crate::{code, stderr, stdout, upset};

const RUNTIME: &str = "int cudaMalloc(void **p, unsigned long n) { return 42; }\n";

fn refused(program: &str) -> (i32, String) {
    let o = upset(&["run", "--chip", "rtx2060", "--", program]);
    assert_eq!(stdout(&o), "", "it must not start");
    (code(&o), stderr(&o))
}

#[test]
fn what_is_not_a_program() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
    std::fs::write(path("text"), "just text\n").expect("written");
    std::fs::write(path("script"), "#!/no/such/shell\n").expect("written");
    // An ELF header for another machine.
    let mut arm = [0u8; 64];
    arm[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    arm[16] = 2;
    arm[18] = 183;
    std::fs::write(path("arm"), arm).expect("written");
    for name in ["script", "arm"] {
        let all = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(path(name), all).expect("set");
    }
    let mut text = String::new();
    for name in ["nosuch", "text", "script", "arm", "."] {
        let (code, said) = refused(&path(name));
        let said = said.replace(&*dir.path().to_string_lossy(), "DIR");
        text += &format!("$ upset run --chip rtx2060 -- DIR/{name}\n{said}[exit {code}]\n\n");
    }
    let (code, said) = refused("no-such-program-anywhere");
    text += &format!("{said}[exit {code}]\n");
    insta::assert_snapshot!(text);
}

#[test]
fn a_chip_is_checked_first() {
    let maxwell = ["--chip", "titan", "--set", "chip.arch=sm_52"];
    let o = upset(&[&["run"], &maxwell[..], &["--", "echo", "started"]].concat());
    assert_eq!((code(&o), stdout(&o).as_str()), (3, ""));
    assert!(stderr(&o).contains("sm_52"), "{}", stderr(&o));
    let o = upset(&["run", "--chip", "nosuch", "--", "echo", "started"]);
    assert_eq!((code(&o), stdout(&o).as_str()), (2, ""));
    let o = upset(&["env", "--chip", "nosuch"]);
    assert_eq!((code(&o), stdout(&o).as_str()), (2, ""));
}

#[test]
fn files_are_checked_first() {
    for flag in ["--json", "--trace"] {
        let o = upset(&["run", "--chip", "rtx2060", flag, "/no/such/f", "--", "echo", "started"]);
        assert_eq!((code(&o), stdout(&o).as_str()), (2, ""));
        assert!(stderr(&o).contains("cannot write /no/such/f"), "{}", stderr(&o));
    }
    let o = upset(&["run", "--chip", "rtx2060", "--trace", "-", "--", "echo", "started"]);
    assert_eq!((code(&o), stdout(&o).as_str()), (2, ""));
}

#[test]
fn a_runtime_inside_the_program_is_recognised() {
    let Some(c) = Programs::new() else { return };
    // GPU code, and nobody outside who is asked to register it.
    let with_code = "__asm__(\".section .nv_fatbin,\\\"a\\\"\\n.long 0xba55ed50\\n.text\");\n\
                     int main(void) { return 0; }\n";
    let program = c.compile("with_code", with_code, &[]);
    let (code, said) = refused(&program);
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("nvcc -cudart shared"), "{said}");
    assert!(said.contains("stripped of the names"), "{said}");
    // With names, but nothing that could be loaded before it.
    let register = "void *__cudaRegisterFatBinary(void *p) { return p; }\n";
    let program = c.compile("static", &format!("{register}{with_code}"), &["-static"]);
    let (code, said) = refused(&program);
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("-static"), "{said}");
}

#[test]
fn other_releases_and_other_libraries_are_named() {
    let Some(c) = Programs::new() else { return };
    let folder = c.dir.path().to_string_lossy().into_owned();
    let uses = |library: &str| {
        let soname = format!("-Wl,-soname,{library}");
        let function = "int used(void) { return 0; }\n";
        c.compile(library, function, &["-shared", "-fPIC", &soname]);
        let main = "#include <stdio.h>\nint used(void);\n\
                    int main(void) { puts(\"started\"); return used(); }\n";
        let file = format!("-l:{library}");
        c.compile(&format!("uses-{library}"), main, &["-L", &folder, &file])
    };
    let old = uses("libcudart.so.10.2");
    let (code_, said) = refused(&old);
    assert_eq!(code_, 3, "{said}");
    assert!(said.contains("libcudart.so.10.2") && said.contains("libcudart.so.12"), "{said}");

    let blas = uses("libcublas.so.11");
    let (code_, said) = refused(&blas);
    assert_eq!(code_, 3, "{said}");
    assert!(said.contains("libcublas.so.11, which is not installed"), "{said}");

    // Where it is installed, the program starts after a warning.
    let o = Command::new(env!("CARGO_BIN_EXE_upset"))
        .args(["run", "--chip", "rtx2060", "--", &blas])
        .env("LD_LIBRARY_PATH", &folder)
        .output()
        .expect("upset starts");
    assert_eq!((code(&o), stdout(&o).as_str()), (0, "started\n"), "{}", stderr(&o));
    assert!(stderr(&o).contains("needs libcublas.so.11: what"), "{}", stderr(&o));
}

#[test]
fn a_runtime_that_the_program_says_where_to_find_is_passed_over() {
    let Some(c) = Programs::new() else { return };
    let version = c.path("version");
    std::fs::write(&version, "libcudart.so.11.0 { global: *; };\n").expect("written");
    let real = c.path("real");
    std::fs::create_dir(&real).expect("a folder");
    let (script, real) = (
        format!("-Wl,--version-script={}", version.display()),
        real.to_string_lossy().into_owned(),
    );
    let soname = "-Wl,-soname,libcudart.so.11.0";
    c.compile("real/libcudart.so.11.0", RUNTIME, &["-shared", "-fPIC", soname, &script]);
    let main = "#include <stdio.h>\nint cudaMalloc(void **, unsigned long);\n\
                int main(void) { void *p; printf(\"%d\\n\", cudaMalloc(&p, 1)); return 0; }\n";
    for tags in ["--disable-new-dtags", "--enable-new-dtags"] {
        let rpath = format!("-Wl,{tags},-rpath,{real}");
        let args = ["-L", &real, "-l:libcudart.so.11.0", &rpath];
        let program = c.compile("program", main, &args);
        assert_eq!(stdout(&Command::new(&program).output().expect("it starts")), "42\n");
        let o = upset(&["run", "--chip", "rtx2060", "--", &program]);
        assert_eq!((code(&o), stdout(&o).as_str()), (0, "0\n"), "{}", stderr(&o));
    }
}

#[test]
fn a_library_that_is_not_there_is_told_with_what_to_build() {
    let dir = tempfile::tempdir().expect("a folder");
    let alone = dir.path().join("upset");
    std::fs::copy(env!("CARGO_BIN_EXE_upset"), &alone).expect("copied");
    let run = |library: Option<&str>| {
        let mut command = Command::new(&alone);
        command.args(["run", "--chip", "rtx2060", "--", "echo", "started"]);
        command.env_remove("UPSET_CUDART");
        library.map(|l| command.env("UPSET_CUDART", l));
        let o = command.output().expect("upset starts");
        assert_eq!(stdout(&o), "");
        (code(&o), stderr(&o))
    };
    let (code, said) = run(None);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("cargo build --release"), "{said}");
    let (code, said) = run(Some("/no/such/library.so"));
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("/no/such/library.so"), "{said}");
    let (code, said) = run(Some(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")));
    assert_eq!(code, 2, "{said}");
}

#[test]
fn usage() {
    for args in [
        &["run", "--chip", "rtx2060"][..],
        &["run", "va", "--chip", "rtx2060", "--", "echo"],
        &["run", "--chip", "rtx2060", "--"],
        &["run", "--chip", "rtx2060", "--scale", "paper", "--", "echo"],
        &["run", "--chip", "rtx2060", "--seed", "1", "--", "echo"],
        &["run", "--chip", "rtx2060", "--functional", "--trace", "t", "--", "echo"],
        &["run", "va", "--chip", "rtx2060", "--kernel-cycles", "1"],
    ] {
        let o = upset(args);
        assert_eq!((code(&o), stdout(&o).as_str()), (2, ""), "{args:?}");
    }
}
