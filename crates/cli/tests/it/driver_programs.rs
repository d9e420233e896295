//! The programs of `programs/driver`: C over the driver API, with committed code
//! for its kernels. Each prints the same on every chip.

use std::path::{Path, PathBuf};

use crate::c::{Programs, facades};
use crate::{code, stderr, stdout, upset};

/// Each program becomes a test of this name.
macro_rules! programs {
    ($($name:ident)*) => {
        const PROGRAMS: &[&str] = &[$(stringify!($name)),*];
        $(
            #[test]
            fn $name() {
                check(stringify!($name));
            }
        )*
    };
}

programs! {
    both by_name contexts extra fills functions graphs illegal_address launches libraries modules
    pointers pools ptx shared_memory start streams textures threads vector_add virtual_memory
    volumes
}

/// Chips and modes that every program runs in.
const PLACES: [(&str, &[&str]); 3] =
    [("rtx2060", &[]), ("gv100", &["--functional"]), ("h200", &["--functional"])];
/// What ends otherwise than with 0.
const ENDS: [(&str, i32); 1] = [("illegal_address", 3)];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/driver")
}

fn file(name: &str) -> String {
    let path = folder().join(name);
    path.canonicalize().expect("a file of the programs").to_string_lossy().into_owned()
}

fn compiled(c: &Programs, name: &str) -> String {
    let source = std::fs::read_to_string(file(&format!("{name}.c"))).expect("a source");
    let include = format!("-I{}", folder().display());
    let facades = facades();
    let mut args = vec!["-Wall", "-Wno-unused-function", &include, "-L", &facades];
    match name {
        // It opens the library itself.
        "by_name" => args.push("-ldl"),
        "both" => args.extend(["-lcuda", "-l:libcudart.so.11.0"]),
        _ => args.extend(["-lcuda", "-lpthread"]),
    }
    c.compile(name, &source, &args)
}

/// Whether PTX can be compiled: with what the other tests compile CUDA with.
fn has_compiler() -> bool {
    let given = std::env::var_os("UPSET_CUDA").map(PathBuf::from);
    let cuda = given.unwrap_or_else(|| folder().join("../../.cuda"));
    let found = cuda.join("bin/ptxas").is_file();
    let required = std::env::var_os("UPSET_REQUIRE_PROGRAMS").is_some_and(|set| set == "1");
    assert!(found || !required, "there is no ptxas in {}", cuda.display());
    if !found {
        eprintln!("skipped: there is no ptxas in {}", cuda.display());
    }
    found
}

fn check(name: &str) {
    let Some(c) = Programs::new() else { return };
    if name == "ptx" && !has_compiler() {
        return;
    }
    let (program, kernels) = (compiled(&c, name), file("kernels.fatbin"));
    let expected = std::fs::read_to_string(file(&format!("{name}.out"))).expect("what it prints");
    let end = ENDS.iter().find(|(n, _)| *n == name).map_or(0, |(_, end)| *end);
    for (chip, more) in PLACES {
        let args = [&["run", "--chip", chip], more, &["--", &program, &kernels]].concat();
        let o = upset(&args);
        assert_eq!(code(&o), end, "{name} on {chip}: {}", stderr(&o));
        assert_eq!(stdout(&o), expected, "{name} on {chip}");
        assert!(!stderr(&o).contains("not supported"), "{name} on {chip}: {}", stderr(&o));
    }
}

#[test]
fn every_program_is_in_the_list() {
    let sources = std::fs::read_dir(folder()).expect("the folder");
    let mut there: Vec<String> = sources
        .filter_map(|f| f.ok()?.file_name().to_str()?.strip_suffix(".c").map(String::from))
        .collect();
    there.sort();
    assert_eq!(there, PROGRAMS);
}

/// Asks the driver for something that is there, but that nothing here does.
const MISSING: &str = r#"
#include "driver.h"
CUresult cuIpcGetMemHandle(void *handle, CUdeviceptr at);
int main(void)
{
    char handle[64];
    begin();
    printf("%d\n", cuIpcGetMemHandle(handle, allocate(4)));
}
"#;

#[test]
fn what_is_missing_is_named() {
    let Some(c) = Programs::new() else { return };
    let include = format!("-I{}", folder().display());
    let program = c.compile("missing", MISSING, &[&include, "-L", &facades(), "-lcuda"]);
    let o = upset(&["run", "--chip", "rtx2060", "--", &program]);
    assert_eq!((code(&o), stdout(&o).as_str()), (3, "801\n"), "{}", stderr(&o));
    assert!(stderr(&o).contains("cuIpcGetMemHandle is not supported"), "{}", stderr(&o));
}

/// NVIDIA's own runtime asks for private tables first.
const PRIVATE: &str = r#"
#include "driver.h"
CUresult cuGetExportTable(const void **table, const void *id);
int main(void)
{
    const void *table = "";
    unsigned char id[16] = {0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a,
                            0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9};
    begin();
    printf("%d\n", cuGetExportTable(&table, id));
}
"#;

#[test]
fn the_vendors_own_runtime_is_told_why_it_does_not_work() {
    let Some(c) = Programs::new() else { return };
    let include = format!("-I{}", folder().display());
    let program = c.compile("private", PRIVATE, &[&include, "-L", &facades(), "-lcuda"]);
    let o = upset(&["run", "--chip", "rtx2060", "--", &program]);
    assert_eq!((code(&o), stdout(&o).as_str()), (3, "1\n"), "{}", stderr(&o));
    assert!(stderr(&o).contains("NVIDIA's runtime inside"), "{}", stderr(&o));
}
