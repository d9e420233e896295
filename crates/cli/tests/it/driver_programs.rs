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
    both by_name contexts extra fills functions graphs illegal_address launches libraries link modules
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
    if ["link", "ptx"].contains(&name) && !has_compiler() {
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

/// Has a text linked that needs nobody else.
const LINKS: &str = r#"
#include "driver.h"
CUresult cuLinkCreate_v2(unsigned n, int *options, void **values, void **link);
CUresult cuLinkAddData_v2(void *link, int kind, const void *data, size_t bytes, const char *name,
                          unsigned n, int *options, void **values);
CUresult cuLinkComplete(void *link, void **code, size_t *bytes);
int main(void)
{
    const char *text = ".version 6.0\n.target sm_35\n.address_size 64\n.visible .entry f() { ret; }\n";
    void *link, *code;
    size_t bytes;
    begin();
    CHECK(cuLinkCreate_v2(0, NULL, NULL, &link));
    for (int i = 0; i < 2; i++)
        CHECK(cuLinkAddData_v2(link, 1, text, strlen(text) + 1, NULL, 0, NULL, NULL));
    printf("%d\n", cuLinkComplete(link, &code, &bytes));
}
"#;

#[test]
fn who_links_without_a_converter_is_told_how_to_get_one() {
    let Some(c) = Programs::new() else { return };
    let include = format!("-I{}", folder().display());
    let program = c.compile("links", LINKS, &[&include, "-L", &facades(), "-lcuda"]);
    // A folder without ptxas, nor anything else, instead of all places that are searched.
    let empty = c.path("empty");
    std::fs::create_dir_all(&empty).expect("a folder");
    let o = std::process::Command::new(env!("CARGO_BIN_EXE_upset"))
        .args(["run", "--chip", "rtx2060", "--", &program])
        .env("UPSET_CUDA", &empty)
        .env("UPSET_DRIVER_LIBRARIES", &empty)
        .env("PATH", &empty)
        .env_remove("VIRTUAL_ENV")
        .env_remove("UPSET_PTXAS")
        .output()
        .expect("upset starts");
    assert_eq!((code(&o), stdout(&o).as_str()), (3, "221\n"), "{}", stderr(&o));
    let told = stderr(&o);
    let sentence = "has to be linked from several pieces";
    assert_eq!(told.lines().filter(|line| line.contains(sentence)).count(), 2, "{told}");
    assert!(told.contains("upset toolkit fetch --converter"), "{told}");
}

/// Fails twice without a question, and once with one.
const UNASKED: &str = r#"
#include "driver.h"
int main(int argc, char **argv)
{
    CUfunction f;
    const char *name;
    CUmodule module;
    begin();
    module = load(argv);
    cuModuleGetFunction(&f, module, "nothing of that name");
    cuStreamSynchronize((CUstream)0x77770);
    cuMemFree_v2(8);
    cuGetErrorName(1, &name);
    puts(name);
}
"#;

#[test]
fn calls_that_fail_unnoticed_are_listed() {
    let Some(c) = Programs::new() else { return };
    let include = format!("-I{}", folder().display());
    let program = c.compile("unasked", UNASKED, &[&include, "-L", &facades(), "-lcuda"]);
    let o =
        upset(&["run", "--chip", "rtx2060", "--quiet", "--", &program, &file("kernels.fatbin")]);
    assert_eq!(
        (code(&o), stdout(&o).as_str()),
        (0, "CUDA_ERROR_INVALID_VALUE\n"),
        "{}",
        stderr(&o)
    );
    let expected = "upset: calls that failed, whose errors the program never asked for:\n  \
                    cuModuleGetFunction: CUDA_ERROR_NOT_FOUND\n  \
                    cuStreamSynchronize: CUDA_ERROR_INVALID_HANDLE\n";
    assert_eq!(stderr(&o), expected);
}
