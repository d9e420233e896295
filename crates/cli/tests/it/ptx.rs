//! Programs that hold PTX and no machine code for the chip.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use crate::c::{Programs, facades};
use crate::{code, stderr, stdout};

/// A kernel whose code is in a fat binary, registered and launched as nvcc's code
/// does it.
const MAIN: &str = "
#include <stdio.h>
struct dim { unsigned x, y, z; };
void **__cudaRegisterFatBinary(void *w);
void __cudaRegisterFatBinaryEnd(void **h);
void __cudaRegisterFunction(void **h, const char *host, char *name, const char *device, int limit,
                            void *a, void *b, void *c, void *d, int *e);
int cudaMalloc(void **p, unsigned long n);
int cudaMemcpy(void *to, const void *from, unsigned long n, int kind);
int cudaLaunchKernel(const void *f, struct dim g, struct dim b, void **a, unsigned long s, void *t);
const char *cudaGetErrorName(int e);
struct attributes { unsigned long bytes[3]; int threads, registers, ptx, binary, more[64]; };
int cudaFuncGetAttributes(struct attributes *a, const void *f);
__asm__(\".section .nv_fatbin,\\\"a\\\"\\n.balign 8\\nfat: .incbin \\\"FAT\\\"\\n.text\");
extern char fat[];
static struct { int magic, version; void *data, *more; } wrapper = {0x466243b1, 1, fat, 0};
static void kernel(void) {}
int main(int argc, char **argv) {
    struct attributes about;
    float a[64], b[64], c[64] = {0}, sum = 0;
    void *at[3];
    int n = 64, i, e;
    void **h = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(h, (char *)kernel, \"vectorAdd\", \"vectorAdd\", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFatBinaryEnd(h);
    for (i = 0; i < n; i++) a[i] = i, b[i] = 1000;
    for (i = 0; i < 3; i++) cudaMalloc(&at[i], sizeof a);
    cudaMemcpy(at[0], a, sizeof a, 1);
    cudaMemcpy(at[1], b, sizeof b, 1);
    void *args[] = {&at[0], &at[1], &at[2], &n};
    struct dim one = {1, 1, 1}, block = {64, 1, 1};
    e = cudaLaunchKernel((void *)kernel, one, block, args, 0, 0);
    cudaMemcpy(c, at[2], sizeof c, 2);
    for (i = 0; i < n; i++) sum += c[i];
    printf(\"%s %g\\n\", cudaGetErrorName(e), sum);
    if (argc > 1 && cudaFuncGetAttributes(&about, (void *)kernel) == 0)
        printf(\"compute_%d sm_%d\\n\", about.ptx, about.binary);
    return 0;
}
";

/// A fat binary of PTX alone, for compute_52.
fn fat_binary(text: &[u8]) -> Vec<u8> {
    let mut entry = [0u8; 64];
    entry[0] = 1;
    entry[4] = 64;
    entry[8..16].copy_from_slice(&(text.len() as u64).to_le_bytes());
    entry[28] = 52;
    let mut fat = 0xba55_ed50u32.to_le_bytes().to_vec();
    fat.extend([1, 0, 16, 0]);
    fat.extend((64 + text.len() as u64).to_le_bytes());
    fat.extend(entry);
    fat.extend(text);
    fat
}

/// What nvJitLink has of functions, with vectorAdd's code for any text that is none
/// of its complaints.
const LIBRARY: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
const char release[] = "Cuda compilation tools, release 12.3, V12.3.4\n";
static char code[1 << 20], complaint[64], arch[16];
static size_t bytes;
int __nvJitLinkCreate_12_0(void **h, unsigned n, const char **options) {
    *h = code;
    return n != 1 || sscanf(options[0], "-arch=%15s", arch) != 1 || !strcmp(arch, "sm_70");
}
int __nvJitLinkDestroy_12_0(void **h) { return *h != code; }
int __nvJitLinkAddData_12_0(void *h, int kind, const char *text, size_t n, const char *name) {
    if (kind != 2 || strlen(text) + 1 != n) return 1;
    if (strstr(text, "mistake")) strcpy(complaint, "line 1; error: a mistake");
    return 0;
}
int __nvJitLinkComplete_12_0(void *h) {
    char path[4096];
    snprintf(path, sizeof path, "%s.%s.cubin", getenv("CODE"), arch);
    FILE *f = fopen(path, "rb");
    bytes = f ? fread(code, 1, sizeof code, f) : 0;
    return *complaint || !bytes ? 4 : 0;
}
int __nvJitLinkGetLinkedCubinSize_12_0(void *h, size_t *n) { *n = bytes; return 0; }
int __nvJitLinkGetLinkedCubin_12_0(void *h, char *to) { memcpy(to, code, bytes); return 0; }
int __nvJitLinkGetErrorLogSize_12_0(void *h, size_t *n) { *n = strlen(complaint) + 1; return 0; }
int __nvJitLinkGetErrorLog_12_0(void *h, char *to) { strcpy(to, complaint); return 0; }
"#;

/// The driver's compiler, likewise.
const DRIVERS_COMPILER: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
const char release[] = "Cuda compilation tools, release 12.2, V12.2.149\n";
static char code[1 << 20], complaint[96], arch[16];
static const char *text;
static size_t bytes;
int nvPTXCompilerCreate(void **h, size_t n, const char *ptx) {
    *h = code;
    text = ptx;
    return strlen(ptx) != n;
}
int nvPTXCompilerDestroy(void **h) { return *h != code; }
int nvPTXCompilerCompile(void *h, int n, const char *const *options) {
    char path[4096];
    if (h != code || n != 1 || sscanf(options[0], "-arch=%15s", arch) != 1) return 1;
    if (strstr(text, "mistake")) strcpy(complaint, "line 1; error: a mistake");
    if (!strcmp(arch, "sm_70")) strcpy(complaint, "Value 'sm_70' is not defined for option 'gpu-name'");
    snprintf(path, sizeof path, "%s.%s.cubin", getenv("CODE"), arch);
    FILE *f = fopen(path, "rb");
    bytes = f ? fread(code, 1, sizeof code, f) : 0;
    return *complaint || !bytes ? 3 : 0;
}
int nvPTXCompilerGetCompiledProgramSize(void *h, size_t *n) { *n = bytes; return 0; }
int nvPTXCompilerGetCompiledProgram(void *h, char *to) { memcpy(to, code, bytes); return 0; }
int nvPTXCompilerGetErrorLogSize(void *h, size_t *n) { *n = strlen(complaint) + 1; return 0; }
int nvPTXCompilerGetErrorLog(void *h, char *to) { strcpy(to, complaint); return 0; }
"#;

struct Place(Programs);

impl Place {
    fn new() -> Option<Place> {
        let place = Place(Programs::new()?);
        place.program(".version 7.8\n.target sm_52\n");
        Some(place)
    }

    /// The program, with this PTX.
    fn program(&self, text: &str) {
        let fat = self.0.path("fat");
        fs::write(&fat, fat_binary(text.as_bytes())).expect("written");
        let main = MAIN.replace("FAT", &fat.to_string_lossy());
        self.0.compile("program", &main, &["-L", &facades(), "-l:libcudart.so.11.0"]);
    }

    /// Something that answers as ptxas does and takes vectorAdd's code for any text.
    fn converter(&self, convert: &str) {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        let file = self.0.path("ptxas");
        let script = format!(
            "#!/bin/sh\necho \"$@\" >> {}\nif [ \"$1\" = --version ]; then\n\
             echo 'tools, release 9.9, V9.9.9'; exit 0; fi\n{convert}\n\
             cp {root}/kernels/va/va.\"${{1#-arch=}}\".cubin \"$4\"\n",
            self.0.path("asked").display()
        );
        fs::write(&file, script).expect("written");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("set");
    }

    fn upset(&self, words: &[&str], converter: Option<&Path>) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_upset"));
        command.args(words).current_dir(self.0.dir.path()).env("PATH", "/usr/bin:/bin");
        command.env("UPSET_PTX_KEPT", self.0.path("kept")).env("UPSET_CUDA", "/nonexistent");
        command.env("UPSET_DRIVER_LIBRARIES", "/nonexistent");
        command.env_remove("VIRTUAL_ENV").env_remove("UPSET_PTXAS");
        command.envs(converter.map(|path| ("UPSET_PTXAS", path)));
        command.output().expect("upset starts")
    }

    fn asked(&self) -> usize {
        fs::read_to_string(self.0.path("asked")).map_or(0, |text| text.lines().count())
    }
}

#[test]
fn is_converted_once_for_each_architecture() {
    let Some(place) = Place::new() else { return };
    place.converter("");
    let ptxas = place.0.path("ptxas");
    for (chip, asked) in [("rtx2060", 2), ("rtx2060", 2), ("gv100", 3), ("h200", 4), ("gv100", 4)] {
        let words = ["run", "--chip", chip, "--quiet", "--", "./program"];
        let o = place.upset(&words, Some(&ptxas));
        assert_eq!((code(&o), stdout(&o).as_str()), (0, "cudaSuccess 66016\n"), "{}", stderr(&o));
        assert_eq!(place.asked(), asked, "{chip}");
    }
    // The runs of a campaign have the same code, and ask nobody.
    let words = ["campaign", "--chip", "rtx2060", "--structure", "rf", "--runs", "8", "--quiet"];
    let words = [&words[..], &["--out", "a.db", "--", "./program"]].concat();
    let o = place.upset(&words, Some(&ptxas));
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    assert_eq!(place.asked(), 4);
}

#[test]
fn a_store_is_of_the_code_that_it_was_made_with() {
    let Some(place) = Place::new() else { return };
    place.converter("");
    let ptxas = place.0.path("ptxas");
    let words = ["campaign", "--chip", "rtx2060", "--structure", "rf", "--quiet", "--out", "a.db"];
    let run = |more: &[&str]| place.upset(&[&words[..], more].concat(), Some(&ptxas));
    let o = run(&["--runs", "4", "--", "./program"]);
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    let again = ["verify", "a.db"];
    let o = place.upset(&again, Some(&ptxas));
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    // Another release makes other code.
    let script = fs::read_to_string(&ptxas).expect("a script").replace("9.9.9", "9.9.10");
    fs::write(&ptxas, script).expect("written");
    let o = place.upset(&again, Some(&ptxas));
    assert_ne!(code(&o), 0, "{}", stdout(&o));
    assert!(stderr(&o).contains("is not the one that the store was made with"), "{}", stderr(&o));
}

#[test]
fn that_nobody_converts_is_told() {
    let Some(place) = Place::new() else { return };
    let words = ["run", "--chip", "rtx2060", "--quiet", "--", "./program"];
    let o = place.upset(&words, None);
    assert_eq!((code(&o), stdout(&o).as_str()), (3, "cudaErrorJitCompilerNotFound 0\n"));
    assert!(stderr(&o).contains("upset toolkit fetch"), "{}", stderr(&o));
    let ptxas = place.0.path("ptxas");
    place.converter("echo 'ptxas fatal : Unsupported .version 7.8' >&2; exit 255");
    let o = place.upset(&words, Some(&ptxas));
    assert_eq!((code(&o), stdout(&o).as_str()), (3, "cudaErrorUnsupportedPtxVersion 0\n"));
    // The program's own mistake is the program's own error.
    place.converter("echo 'ptxas fatal : a mistake' >&2; exit 255");
    let o = place.upset(&words, Some(&ptxas));
    assert_eq!((code(&o), stdout(&o).as_str()), (0, "cudaErrorInvalidPtx 0\n"), "{}", stderr(&o));
    assert!(stderr(&o).contains("a mistake"), "{}", stderr(&o));
    assert_eq!(fs::read_dir(place.0.path("kept")).expect("a list").count(), 2, "releases alone");
}

#[test]
fn a_library_converts_in_a_process_of_its_own() {
    let Some(place) = Place::new() else { return };
    let folder = place.0.path("toolkit/lib64");
    fs::create_dir_all(&folder).expect("made");
    let made = place.0.compile("jitlink", LIBRARY, &["-shared", "-fPIC"]);
    let library = folder.join("libnvJitLink.so.12");
    fs::copy(made, &library).expect("copied");
    let code_of = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels/va/va");
    // Named, or found in a toolkit before that one's ptxas.
    fs::create_dir_all(place.0.path("toolkit/bin")).expect("made");
    fs::write(place.0.path("toolkit/bin/ptxas"), "").expect("written");
    let run = |words: &[&str], named: bool| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_upset"));
        command.args(words).current_dir(place.0.dir.path()).env("CODE", code_of);
        command.env("UPSET_PTX_KEPT", place.0.path("kept")).env("PATH", "/usr/bin:/bin");
        command.env("UPSET_CUDA", place.0.path(if named { "nothing" } else { "toolkit" }));
        command.env_remove("VIRTUAL_ENV").env_remove("UPSET_PTXAS");
        command.envs(named.then_some(("UPSET_PTXAS", &library)));
        command.output().expect("upset starts")
    };
    let on = |chip: &'static str| ["run", "--chip", chip, "--quiet", "--", "./program"];
    for named in [true, false] {
        let o = run(&on("rtx2060"), named);
        assert_eq!((code(&o), stdout(&o).as_str()), (0, "cudaSuccess 66016\n"), "{}", stderr(&o));
    }
    // The release is part of what a store is of.
    let words = ["campaign", "--chip", "h200", "--structure", "rf", "--quiet", "--out", "a.db"];
    let o = run(&[&words[..], &["--runs", "2", "--", "./program"]].concat(), false);
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    assert_eq!(code(&run(&["verify", "a.db"], false)), 0);
    place.converter("");
    let o = place.upset(&["verify", "a.db"], Some(&place.0.path("ptxas")));
    assert!(stderr(&o).contains("is not the one that the store was made with"), "{}", stderr(&o));
    // An architecture that it has not: something newer or older may have it.
    let o = run(&on("gv100"), false);
    assert_eq!((code(&o), stdout(&o).as_str()), (3, "cudaErrorUnsupportedPtxVersion 0\n"));
    assert!(stderr(&o).contains("nvJitLink 12.3.4 does not convert"), "{}", stderr(&o));
    // Its complaints are the user's to read.
    place.program(".version 7.8\nmistake\n");
    let o = run(&on("rtx2060"), false);
    assert_eq!((code(&o), stdout(&o).as_str()), (0, "cudaErrorInvalidPtx 0\n"), "{}", stderr(&o));
    assert!(stderr(&o).contains("for sm_75: line 1; error: a mistake"), "{}", stderr(&o));
}

#[test]
fn the_drivers_compiler_converts_where_nobody_else_does() {
    let Some(place) = Place::new() else { return };
    let folder = place.0.path("driver");
    fs::create_dir_all(&folder).expect("made");
    let made = place.0.compile("compiler", DRIVERS_COMPILER, &["-shared", "-fPIC"]);
    fs::copy(made, folder.join("libnvidia-ptxjitcompiler.so.1")).expect("copied");
    let code_of = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels/va/va");
    let run = |words: &[&str], toolkit: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_upset"));
        command.args(words).current_dir(place.0.dir.path()).env("CODE", code_of);
        command.env("UPSET_PTX_KEPT", place.0.path("kept")).env("PATH", "/usr/bin:/bin");
        command.env("UPSET_CUDA", place.0.path(toolkit)).env("UPSET_DRIVER_LIBRARIES", &folder);
        command.env_remove("VIRTUAL_ENV").env_remove("UPSET_PTXAS");
        command.output().expect("upset starts")
    };
    let on = |chip: &'static str| ["run", "--chip", chip, "--quiet", "--", "./program"];
    let o = run(&on("rtx2060"), "nothing");
    assert_eq!((code(&o), stdout(&o).as_str()), (0, "cudaSuccess 66016\n"), "{}", stderr(&o));
    // Its release is part of what a store is of.
    let words = ["campaign", "--chip", "h200", "--structure", "rf", "--quiet", "--out", "a.db"];
    let o = run(&[&words[..], &["--runs", "2", "--", "./program"]].concat(), "nothing");
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    assert_eq!(code(&run(&["verify", "a.db"], "nothing")), 0);
    let o = run(&on("gv100"), "nothing");
    assert_eq!((code(&o), stdout(&o).as_str()), (3, "cudaErrorUnsupportedPtxVersion 0\n"));
    assert!(stderr(&o).contains("nvPTXCompiler 12.2.149 does not convert"), "{}", stderr(&o));
    place.program(".version 7.8\nmistake\n");
    let o = run(&on("rtx2060"), "nothing");
    assert_eq!((code(&o), stdout(&o).as_str()), (0, "cudaErrorInvalidPtx 0\n"), "{}", stderr(&o));
    assert!(stderr(&o).contains("for sm_75: line 1; error: a mistake"), "{}", stderr(&o));
    // A toolkit's comes first; the one here does not even run.
    fs::create_dir_all(place.0.path("toolkit/bin")).expect("made");
    fs::write(place.0.path("toolkit/bin/ptxas"), "").expect("written");
    let o = run(&on("rtx2060"), "toolkit");
    assert_eq!(code(&o), 3, "{}", stdout(&o));
    assert!(stderr(&o).contains("toolkit/bin/ptxas"), "{}", stderr(&o));
}

/// Templates choose between variants by what a kernel was compiled for, on the host as
/// on the device: that is the PTX's version, and not the chip's.
#[test]
fn a_kernel_tells_the_version_of_its_ptx() {
    let Some(place) = Place::new() else { return };
    place.converter("");
    let (program, ptxas) = (place.0.path("program"), place.0.path("ptxas"));
    let words = ["run", "--chip", "rtx2060", "--functional", "--quiet", "--"];
    let program = program.to_string_lossy();
    let o = place.upset(&[&words[..], &[&program, "versions"]].concat(), Some(&ptxas));
    assert!(stdout(&o).ends_with("\ncompute_52 sm_75\n"), "{}\n{}", stdout(&o), stderr(&o));
}

/// Converters that are libraries are opened by `upset`, whatever its file is called.
#[test]
fn an_upset_of_another_name_opens_converters() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let other = folder.path().join("upset-9");
    fs::hard_link(env!("CARGO_BIN_EXE_upset"), &other).expect("a second name");
    let facades = facades();
    let library = Path::new(&facades).parent().expect("the library's folder");
    let o = Command::new(&other)
        .args(["env", "--chip", "rtx2060"])
        .env("UPSET_CUDART", library)
        .env_remove("UPSET_HELPER")
        .output()
        .expect("it starts");
    let named = format!("export UPSET_HELPER={}\n", other.display());
    assert!(stdout(&o).contains(&named), "{}\n{}", stdout(&o), stderr(&o));
}
