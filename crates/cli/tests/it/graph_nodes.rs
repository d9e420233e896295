//! What programs ask of the nodes of their graphs, of libraries that they load, of
//! streams and of managed memory.

use crate::c::{Programs, facades};
use crate::{code, stderr, stdout, upset};

/// Functions of CUDA 13's runtime. `CHECK` ends the program where something is not as
/// it says.
const PRELUDE: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef unsigned long handle;
struct dim { unsigned x, y, z; };
struct kernel { void *function; struct dim grid, block; unsigned shared; void **args, **extra; };
struct fill { void *to; size_t pitch; unsigned value, element; size_t width, height; };
struct box { handle from_array; size_t from_at[3]; void *from; size_t from_size[3];
             handle to_array; size_t to_at[3]; void *to; size_t to_size[3];
             size_t extent[3]; int kind; };
struct any { int kind, reserved[3]; union { struct kernel kernel; struct fill fill; long all[30]; } u; };
struct place { int sort, id; };
int cudaMalloc(void **, size_t), cudaMallocManaged(void **, size_t, unsigned), cudaFree(void *);
int cudaMemcpy(void *, const void *, size_t, int), cudaMemset(void *, int, size_t);
int cudaLibraryLoadFromFile(handle *, const char *, int *, void **, unsigned, int *, void **, unsigned);
int cudaLibraryGetKernel(handle *, handle, const char *), cudaLibraryUnload(handle);
int cudaLibraryGetKernelCount(unsigned *, handle);
int cudaFuncGetName(const char **, handle), cudaFuncGetParamInfo(handle, size_t, size_t *, size_t *);
int cudaLaunchKernel(handle, struct dim, struct dim, void **, size_t, handle);
int cudaStreamCreate(handle *), cudaStreamBeginCapture(handle, int), cudaStreamEndCapture(handle, handle *);
int cudaStreamSetAttribute(handle, int, long *), cudaStreamGetAttribute(handle, int, long *);
int cudaStreamCopyAttributes(handle, handle);
int cudaGraphCreate(handle *, unsigned), cudaGraphClone(handle *, handle), cudaGraphDestroy(handle);
int cudaGraphGetNodes(handle, handle *, size_t *), cudaGraphNodeFindInClone(handle *, handle, handle);
int cudaGraphKernelNodeGetParams(handle, struct kernel *), cudaGraphKernelNodeSetParams(handle, struct kernel *);
int cudaGraphAddMemcpyNode1D(handle *, handle, handle *, size_t, void *, void *, size_t, int);
int cudaGraphMemcpyNodeGetParams(handle, struct box *), cudaGraphMemsetNodeGetParams(handle, struct fill *);
int cudaGraphAddNode(handle *, handle, handle *, void *, size_t, struct any *);
int cudaGraphExecNodeSetParams(handle, handle, struct any *);
int cudaGraphInstantiate(handle *, handle, long), cudaGraphLaunch(handle, handle);
int cudaGraphNodeSetEnabled(handle, handle, unsigned), cudaGraphNodeGetEnabled(handle, handle, unsigned *);
int cudaGraphDebugDotPrint(handle, const char *, unsigned);
int cudaMemAdvise(void *, size_t, int, struct place), cudaMemPrefetchAsync(void *, size_t, struct place, unsigned, handle);
int cudaMemRangeGetAttribute(void *, size_t, int, void *, size_t);
int cudaDeviceGetP2PAttribute(int *, int, int, int);
struct kernel_v2 { struct kernel first; void *kernel, *context; };
int cuInit(unsigned), cuGraphKernelNodeGetParams_v2(handle, struct kernel_v2 *);
int cuGraphNodeGetEnabled(handle, handle, unsigned *), cuGraphMemsetNodeGetParams(handle, struct fill *);
#define CHECK(c) do { if (!(c)) { printf("line %d: %s\n", __LINE__, #c); exit(1); } } while (0)
#define OK(call) do { int e_ = (call); if (e_) { printf("line %d: %s gave %d\n", __LINE__, #call, e_); exit(1); } } while (0)
int main(int argc, char **argv) {
"#;

fn runs(main: &str) {
    let Some(programs) = Programs::new() else { return };
    let source = format!("{PRELUDE}\n{main}\n    puts(\"ok\");\n    return 0;\n}}\n");
    let libraries = ["-l:libcudart.so.13", "-l:libcuda.so.1"];
    let folder = facades();
    let flags = [&["-w", "-L", &folder], &libraries[..]].concat();
    let program = programs.compile("p", &source, &flags);
    let code_file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../programs/driver/kernels.fatbin");
    let picture = programs.path("graph.dot").to_string_lossy().into_owned();
    for mode in [&["--functional"][..], &[]] {
        let run = ["run", "--chip", "rtx2060", "--quiet"];
        let o = upset(&[&run, mode, &["--", &program, code_file, &picture]].concat());
        let told = stderr(&o);
        assert_eq!((stdout(&o).as_str(), code(&o)), ("ok\n", 0), "{told}");
    }
}

/// A launch that was captured is asked for, changed and launched again.
#[test]
fn a_captured_launch_can_be_changed() {
    runs(
        r#"
    handle lib, f, s, graph, node, run; size_t one = 1, offset, size; unsigned kernels;
    const char *name; int *p, n = 8, k = 3, host[8];
    OK(cudaLibraryLoadFromFile(&lib, argv[1], 0, 0, 0, 0, 0, 0));
    OK(cudaLibraryGetKernel(&f, lib, "scale"));
    OK(cudaLibraryGetKernelCount(&kernels, lib)); CHECK(kernels > 3);
    OK(cudaFuncGetName(&name, f)); CHECK(!strcmp(name, "scale"));
    OK(cudaFuncGetParamInfo(f, 2, &offset, &size)); CHECK(offset == 12 && size == 4);
    CHECK(cudaFuncGetParamInfo(f, 3, &offset, &size) == 1);
    OK(cudaMalloc((void **)&p, sizeof host));
    for (int i = 0; i < n; i++) host[i] = i;
    OK(cudaMemcpy(p, host, sizeof host, 1));
    void *args[] = {&p, &n, &k};
    OK(cudaStreamCreate(&s)); OK(cudaStreamBeginCapture(s, 0));
    OK(cudaLaunchKernel(f, (struct dim){1, 1, 1}, (struct dim){32, 1, 1}, args, 0, s));
    OK(cudaStreamEndCapture(s, &graph));
    OK(cudaGraphGetNodes(graph, &node, &one)); CHECK(one == 1);
    struct kernel params; OK(cudaGraphKernelNodeGetParams(node, &params));
    CHECK(params.function == (void *)f && params.block.x == 32 && params.grid.z == 1);
    CHECK(*(int **)params.args[0] == p && *(int *)params.args[1] == 8 && *(int *)params.args[2] == 3);
    struct kernel_v2 again; OK(cuInit(0)); OK(cuGraphKernelNodeGetParams_v2(node, &again));
    CHECK(again.first.block.x == 32 && again.first.args == params.args && !again.kernel);
    OK(cudaGraphInstantiate(&run, graph, 0)); OK(cudaGraphLaunch(run, s));
    int five = 5; params.args[2] = &five; OK(cudaGraphKernelNodeSetParams(node, &params));
    OK(cudaGraphKernelNodeGetParams(node, &params)); CHECK(*(int *)params.args[2] == 5);
    OK(cudaGraphInstantiate(&run, graph, 0)); OK(cudaGraphLaunch(run, s));
    OK(cudaMemcpy(host, p, sizeof host, 2));
    for (int i = 0; i < n; i++) CHECK(host[i] == 15 * i);
    OK(cudaLibraryUnload(lib));
"#,
    );
}

#[test]
fn nodes_of_any_kind_are_added_asked_skipped_and_found_in_a_copy() {
    runs(
        r#"
    handle graph, copy, fill, move, twin, run; char *p, *q, host[16], text[400] = {0}; unsigned on;
    OK(cudaMalloc((void **)&p, 16)); OK(cudaMalloc((void **)&q, 16)); OK(cudaGraphCreate(&graph, 0));
    struct any any = {2}; any.u.fill = (struct fill){p, 0, 7, 1, 16, 1};
    OK(cudaGraphAddNode(&fill, graph, 0, 0, 0, &any));
    OK(cudaGraphAddMemcpyNode1D(&move, graph, &fill, 1, q, p, 16, 3));
    struct fill filled; OK(cudaGraphMemsetNodeGetParams(fill, &filled)); CHECK(filled.value == 7 && filled.to == p);
    struct box box; OK(cudaGraphMemcpyNodeGetParams(move, &box));
    CHECK(box.from == p && box.to == q && box.extent[0] == 16 && box.kind == 3);
    CHECK(cudaGraphMemsetNodeGetParams(move, &filled) == 1);
    OK(cudaGraphClone(&copy, graph)); OK(cudaGraphNodeFindInClone(&twin, move, copy)); CHECK(twin != move);
    CHECK(cudaGraphNodeFindInClone(&twin, twin, graph) == 1);
    OK(cudaGraphInstantiate(&run, graph, 0)); OK(cudaGraphLaunch(run, 0));
    OK(cudaMemcpy(host, q, 16, 2)); CHECK(host[15] == 7);
    OK(cudaGraphNodeSetEnabled(run, move, 0)); OK(cudaGraphNodeGetEnabled(run, move, &on)); CHECK(!on);
    OK(cuInit(0)); OK(cuGraphNodeGetEnabled(run, move, &on)); CHECK(!on);
    OK(cuGraphMemsetNodeGetParams(fill, &filled)); CHECK(filled.width == 16);
    any.u.fill.value = 9; OK(cudaGraphExecNodeSetParams(run, fill, &any)); OK(cudaGraphLaunch(run, 0));
    OK(cudaMemcpy(host, q, 16, 2)); CHECK(host[15] == 7);
    OK(cudaGraphNodeSetEnabled(run, move, 1)); OK(cudaGraphLaunch(run, 0));
    OK(cudaMemcpy(host, q, 16, 2)); CHECK(host[15] == 9);
    any.kind = 0; CHECK(cudaGraphExecNodeSetParams(run, fill, &any) == 1);
    OK(cudaGraphDebugDotPrint(graph, argv[2], 0));
    FILE *dot = fopen(argv[2], "r"); CHECK(dot && fread(text, 1, 399, dot) > 0);
    CHECK(strstr(text, "digraph") && strstr(text, "node_0 -> node_1"));
"#,
    );
}

#[test]
fn what_was_said_of_streams_and_managed_memory_is_told_again() {
    runs(
        r#"
    handle a, b; long set[8] = {2}, got[8] = {0}; char *p; int one, two[2];
    OK(cudaStreamCreate(&a)); OK(cudaStreamCreate(&b));
    OK(cudaStreamGetAttribute(a, 3, got)); CHECK(got[0] == 1);
    OK(cudaStreamSetAttribute(a, 3, set)); OK(cudaStreamCopyAttributes(b, a));
    OK(cudaStreamGetAttribute(b, 3, got)); CHECK(got[0] == 2);
    CHECK(cudaStreamGetAttribute(a, 77, got) == 1);
    OK(cudaMallocManaged((void **)&p, 8192, 1));
    OK(cudaMemRangeGetAttribute(&one, 4, 2, p, 8192)); CHECK(one == -2);
    OK(cudaMemAdvise(p, 4096, 3, (struct place){1, 0}));
    OK(cudaMemRangeGetAttribute(&one, 4, 2, p, 4096)); CHECK(one == 0);
    OK(cudaMemRangeGetAttribute(&one, 4, 2, p, 8192)); CHECK(one == -2);
    OK(cudaMemAdvise(p, 8192, 1, (struct place){1, 0}));
    OK(cudaMemRangeGetAttribute(&one, 4, 1, p, 8192)); CHECK(one == 1);
    OK(cudaMemAdvise(p, 8192, 5, (struct place){2, 0}));
    OK(cudaMemRangeGetAttribute(two, 8, 3, p, 8192)); CHECK(two[0] == -1 && two[1] == -2);
    OK(cudaMemPrefetchAsync(p, 8192, (struct place){1, 0}, 0, 0));
    OK(cudaMemRangeGetAttribute(&one, 4, 4, p, 8192)); CHECK(one == 0);
    OK(cudaMemRangeGetAttribute(&one, 4, 7, p, 8192)); CHECK(one == 1);
    CHECK(cudaMemRangeGetAttribute(&one, 3, 1, p, 8192) == 1 && cudaMemRangeGetAttribute(&one, 4, 1, p, 8193) == 1);
    CHECK(cudaDeviceGetP2PAttribute(&one, 1, 0, 0) == 101);
"#,
    );
}
