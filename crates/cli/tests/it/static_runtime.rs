//! NVIDIA's runtime inside programs and libraries: its functions are led to ours.

use crate::c::Programs;
use crate::{code, stderr, stdout, upset};

/// What stands for the runtime: functions of its names that only say who they are.
const INSIDE: &str = "#include <stdio.h>\n\
    int cudaGetDeviceCount(int *n) { puts(\"the one inside\"); *n = 77; return 42; }\n\
    int cudaRuntimeGetVersion(int *n) { puts(\"the one inside\"); *n = 78; return 42; }\n\
    void *__cudaRegisterFatBinary(void *p) { puts(\"the one inside\"); return p; }\n";

/// Asks it before `main` already.
const ASKS: &str = "static int early = -1;\n\
    __attribute__((constructor)) static void ask(void) { cudaGetDeviceCount(&early); }\n";

const MAIN: &str = "int main(void) { int n = -1, e = cudaGetDeviceCount(&n);\n\
    printf(\"%d before, %d now, %d\\n\", early, n, e); return 0; }\n";

fn run(program: &str, more: &[&str]) -> String {
    let o = upset(&[&["run", "--chip", "rtx2060", "--quiet"], more, &["--", program]].concat());
    assert_eq!(code(&o), 0, "{}", stderr(&o));
    assert_eq!(stderr(&o), "");
    stdout(&o)
}

#[test]
fn inside_a_program() {
    let Some(c) = Programs::new() else { return };
    for (name, flags) in [("pie", "-pie"), ("fixed", "-no-pie")] {
        let program = c.compile(name, &[INSIDE, ASKS, MAIN].concat(), &["-fPIE", flags]);
        for more in [&[][..], &["--real-clock"]] {
            assert_eq!(run(&program, more), "1 before, 1 now, 0\n", "{name} {more:?}");
        }
    }
}

#[test]
fn inside_libraries_that_are_there_from_the_start_or_come_later() {
    let Some(c) = Programs::new() else { return };
    let folder = c.dir.path().to_string_lossy().into_owned();
    let tells = "void tell(void) { int n = -1, e = cudaGetDeviceCount(&n);\n\
        printf(\"%d before, %d now, %d\\n\", early, n, e); }\n";
    // Each library has a runtime of its own, which nobody outside sees.
    let hidden = ["-shared", "-fPIC", "-Wl,--exclude-libs,ALL", "-Wl,-Bsymbolic"];
    let library = c.compile("libinside.so", &[INSIDE, ASKS, tells].concat(), &hidden);
    let needs = "void tell(void);\nint main(void) { tell(); return 0; }\n";
    let path = format!("-Wl,-rpath,{folder}");
    let needs = c.compile("needs", needs, &["-L", &folder, "-linside", &path]);
    assert_eq!(run(&needs, &[]), "1 before, 1 now, 0\n");
    let opens = format!(
        "#include <dlfcn.h>\nint main(void) {{ int i; for (i = 0; i < 2; i++) {{\n\
         void *l = dlopen(\"{library}\", RTLD_NOW); ((void (*)(void))dlsym(l, \"tell\"))();\n\
         dlclose(l); }} return 0; }}\n"
    );
    let opens = c.compile("opens", &opens, &["-ldl"]);
    let told = run(&opens, &[]);
    assert_eq!(told, "1 before, 1 now, 0\n".repeat(2));
}

#[test]
fn of_the_release_whose_functions_it_has() {
    let Some(c) = Programs::new() else { return };
    let main = "int main(void) { int n = -1; cudaGetDeviceCount(&n); cudaRuntimeGetVersion(&n);\n\
        printf(\"%d\\n\", n); return 0; }\n";
    // Functions that only one release has.
    for (only, version) in [
        ("cudaBindTexture", "11080"),
        ("cudaGetDeviceProperties_v2", "12090"),
        ("cudaLogsCurrent", "13"),
    ] {
        let more = format!("int {only}(void) {{ return printf(\"the one inside\"); }}\n");
        let program = c.compile(only, &[INSIDE, &more, main].concat(), &[]);
        assert!(run(&program, &[]).starts_with(version), "{only}");
    }
}

/// PyTorch says where the shared library is that it brings, so that its name leads to
/// NVIDIA's own. It was stripped, but what others call is named in it.
#[test]
fn the_shared_library_where_a_library_brings_it_along() {
    let Some(c) = Programs::new() else { return };
    let folder = c.dir.path().to_string_lossy().into_owned();
    let runtime = ["-shared", "-fPIC", "-s", "-Wl,-soname,libcudart.so.12"];
    c.compile("libcudart.so.12", INSIDE, &runtime);
    let declared = "#include <stdio.h>\nint cudaGetDeviceCount(int *);\n";
    let tells = "void tell(void) { int n = -1, e = cudaGetDeviceCount(&n);\n\
        printf(\"%d before, %d now, %d\\n\", early, n, e); }\n";
    // An old tag, which counts before `LD_LIBRARY_PATH`.
    let path = format!("-Wl,-rpath,{folder},--disable-new-dtags");
    let flags = ["-shared", "-fPIC", "-L", &folder, "-l:libcudart.so.12", &path];
    let library = c.compile("libtorch.so", &[declared, ASKS, tells].concat(), &flags);
    let opens = format!(
        "#include <dlfcn.h>\nint main(void) {{ void *l = dlopen(\"{library}\", RTLD_NOW);\n\
         ((void (*)(void))dlsym(l, \"tell\"))(); return 0; }}\n"
    );
    let opens = c.compile("opens", &opens, &["-ldl"]);
    assert_eq!(run(&opens, &[]), "1 before, 1 now, 0\n");
}
