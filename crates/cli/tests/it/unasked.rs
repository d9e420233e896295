//! What a program does not look at: calls that fail, kernels that trap.

use std::fs;
use std::process::Output;

use serde_json::{Value, json};

use crate::c::{Programs, facades};
use crate::{code, stderr, stdout, upset};

/// One kernel, whose third pointer can be given as any address.
const PRELUDE: &str = "
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct dim { unsigned x, y, z; };
void **__cudaRegisterFatBinary(void *w);
void __cudaRegisterFatBinaryEnd(void **h);
void __cudaRegisterFunction(void **h, const char *host, char *name, const char *device, int limit,
                            void *a, void *b, void *c, void *d, int *e);
int cudaMalloc(void **p, unsigned long n);
int cudaFree(void *p);
int cudaMemset(void *p, int value, unsigned long n);
int cudaDeviceSynchronize(void);
int cudaStreamQuery(void *s);
int cudaLaunchKernel(const void *f, struct dim g, struct dim b, void **a, unsigned long s, void *t);
int cudaGetLastError(void);
int cudaPeekAtLastError(void);
const char *cudaGetErrorName(int e);
const char *cudaGetErrorString(int e);
__asm__(\".section .nv_fatbin,\\\"a\\\"\\n.balign 8\\nfat: .incbin \\\"FAT\\\"\\n.text\");
extern char fat[];
static struct { int magic, version; void *data, *more; } wrapper = {0x466243b1, 1, fat, 0};
static void kernel(void) {}
static int launch(void *to) {
    void *from, *args[] = {&from, &from, &to, &(int){64}};
    struct dim one = {1, 1, 1}, block = {64, 1, 1};
    cudaMalloc(&from, 256);
    return cudaLaunchKernel((void *)kernel, one, block, args, 0, 0);
}
int main(int argc, char **argv) {
    void **h = __cudaRegisterFatBinary(&wrapper), *p;
    __cudaRegisterFunction(h, (char *)kernel, \"vectorAdd\", \"vectorAdd\", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFatBinaryEnd(h);
";
/// An address that no chip has memory at.
const TRAP: &str = "launch((void *)0x10);";

struct Place(Programs);

impl Place {
    fn new() -> Option<Place> {
        let place = Place(Programs::new()?);
        let code = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels/va/va.sm_75.cubin");
        let code = fs::read(code).expect("a file");
        let mut entry = [0u8; 64];
        (entry[0], entry[4], entry[28]) = (2, 64, 75);
        entry[8..16].copy_from_slice(&(code.len() as u64).to_le_bytes());
        let mut fat = 0xba55_ed50u32.to_le_bytes().to_vec();
        fat.extend([1, 0, 16, 0]);
        fat.extend((64 + code.len() as u64).to_le_bytes());
        fat.extend(entry);
        fat.extend(code);
        fs::write(place.0.path("fat"), fat).expect("written");
        Some(place)
    }

    /// What becomes of a program of this `main`.
    fn run(&self, main: &str, options: &[&str]) -> Output {
        let fat = self.0.path("fat");
        let source = PRELUDE.replace("FAT", &fat.to_string_lossy()) + main + "\n}\n";
        let program = self.0.compile("p", &source, &["-L", &facades(), "-l:libcudart.so.11.0"]);
        let words = ["run", "--chip", "rtx2060", "--quiet"];
        upset(&[&words[..], options, &["--", &program]].concat())
    }
}

#[test]
fn a_trap_that_a_program_ignores_is_exit_code_1() {
    let Some(place) = Place::new() else { return };
    let unheard = "upset: the program ended with exit code 0 and never asked for the error of a \
                   kernel that trapped (cudaErrorIllegalAddress)";
    for (main, exit, told) in [
        // No call returns it at all; one does; all do.
        (format!("{TRAP} return 0;"), 1, true),
        (format!("{TRAP} cudaDeviceSynchronize(); return 0;"), 1, true),
        (format!("{TRAP} return cudaDeviceSynchronize() != 700;"), 1, true),
        // What asks for it in the four ways that there are.
        (format!("{TRAP} puts(cudaGetErrorName(cudaDeviceSynchronize())); return 0;"), 0, false),
        (format!("{TRAP} puts(cudaGetErrorString(cudaFree(0))); return 0;"), 0, false),
        (format!("{TRAP} cudaDeviceSynchronize(); return !cudaGetLastError();"), 0, false),
        (format!("{TRAP} cudaDeviceSynchronize(); return !cudaPeekAtLastError();"), 0, false),
        // Questions about something else are none.
        (format!("{TRAP} puts(cudaGetErrorName(700)); return 0;"), 1, true),
        (format!("{TRAP} cudaFree(0); puts(cudaGetErrorName(1)); return 0;"), 1, true),
        // A program that says that it failed has the last word.
        (format!("{TRAP} return 5;"), 5, false),
    ] {
        let o = place.run(&main, &[]);
        assert_eq!(code(&o), exit, "{main}: {}", stderr(&o));
        assert_eq!(stderr(&o).contains(unheard), told, "{main}: {}", stderr(&o));
        let o = place.run(&main, &["--ignore-traps"]);
        assert_eq!(code(&o), if told { 0 } else { exit }, "{main}: {}", stderr(&o));
        assert!(!stderr(&o).contains(unheard), "{main}: {}", stderr(&o));
    }
}

#[test]
fn calls_that_fail_unnoticed_are_listed() {
    let Some(place) = Place::new() else { return };
    let head = "upset: calls that failed, whose errors the program never asked for:\n";
    for (main, list) in [
        ("cudaFree((void *)8); cudaMemset(0, 0, 4); cudaFree((void *)8); return 0;", "fm"),
        ("cudaFree((void *)8); cudaMemset(0, 0, 4); return 3;", "fm"),
        ("cudaFree((void *)8); cudaGetLastError(); cudaMemset(0, 0, 4); return 0;", "m"),
        ("cudaFree((void *)8); cudaMemset(0, 0, 4); cudaGetLastError(); return 0;", ""),
        // An error that was not the last one is nobody's.
        ("cudaFree((void *)8); cudaMalloc(&p, -1L); cudaGetLastError(); return 0;", "f"),
        ("cudaMalloc(&p, 4); cudaStreamQuery(0); cudaFree(p); return 0;", ""),
    ] {
        let o = place.run(main, &[]);
        assert_eq!(code(&o), if main.contains("return 3") { 3 } else { 0 }, "{}", stderr(&o));
        let mut lines = String::new();
        for (key, line) in [
            ('f', "  cudaFree: cudaErrorInvalidValue\n"),
            ('m', "  cudaMemset: cudaErrorInvalidValue\n"),
        ] {
            lines += if list.contains(key) { line } else { "" };
        }
        let expected = if list.is_empty() { String::new() } else { format!("{head}{lines}") };
        assert_eq!(stderr(&o), expected, "{main}");
    }
}

#[test]
fn both_are_in_the_json() {
    let Some(place) = Place::new() else { return };
    let main = format!("{TRAP} cudaFree(0); cudaMemset(0, 0, 4); return 0;");
    let o = place.run(&main, &["--json", "-"]);
    let v: Value = serde_json::from_str(&stdout(&o)).expect("one JSON object");
    assert_eq!((code(&o), &v["exit_code"], &v["passed"]), (1, &json!(0), &json!(false)));
    assert_eq!(v["traps"][0]["asked"], false);
    let call = |name: &str| json!({ "call": name, "error": "cudaErrorIllegalAddress" });
    assert_eq!(v["unasked"], json!([call("cudaFree"), call("cudaMemset")]));
}
