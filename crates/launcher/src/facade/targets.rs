//! Which of our functions stands for a name in a release.

use upset_cudart::release::Release;

/// Names that mean something else in a release: their parameters changed while
/// the name stayed (or another name has the same parameters). Found by
/// comparing the declarations in the headers of 11.8, 12.9 and 13.4.
const CHANGED: &[(Release, &str, &str)] = &[
    // The longer descriptor of the second form begins with the first one's.
    (Release::V11, "cudaCreateTextureObject_v2", "cudaCreateTextureObject"),
    (Release::V11, "cudaGetTextureObjectTextureDesc_v2", "cudaGetTextureObjectTextureDesc"),
    // Kernel handles are the host functions' addresses here.
    (Release::V12, "__cudaLaunchKernel", "cudaLaunchKernel"),
    (Release::V12, "cudaEventElapsedTime_v2", "cudaEventElapsedTime"),
    (Release::V12, "cudaGetKernel", "__cudaGetKernel"),
    (Release::V12, "cudaGetDriverEntryPoint", "cudaGetDriverEntryPoint_v12"),
    (Release::V12, "cudaGraphExecUpdate", "cudaGraphExecUpdate_v12"),
    (Release::V12, "cudaGraphInstantiate", "cudaGraphInstantiateWithFlags"),
    (Release::V12, "cudaRuntimeGetVersion", "cudaRuntimeGetVersion_v12"),
    (Release::V13, "__cudaLaunchKernel", "cudaLaunchKernel"),
    (Release::V13, "cudaGetKernel", "__cudaGetKernel"),
    (Release::V13, "cudaGetDeviceProperties", "cudaGetDeviceProperties_v13"),
    (Release::V13, "cudaGetDriverEntryPoint", "cudaGetDriverEntryPoint_v12"),
    (Release::V13, "cudaGraphAddDependencies", "cudaGraphAddDependencies_v2"),
    (Release::V13, "cudaGraphAddNode", "cudaGraphAddNode_v2"),
    (Release::V13, "cudaGraphExecUpdate", "cudaGraphExecUpdate_v12"),
    (Release::V13, "cudaGraphGetEdges", "cudaGraphGetEdges_v2"),
    (Release::V13, "cudaGraphInstantiate", "cudaGraphInstantiateWithFlags"),
    (Release::V13, "cudaGraphNodeGetDependencies", "cudaGraphNodeGetDependencies_v2"),
    (Release::V13, "cudaGraphNodeGetDependentNodes", "cudaGraphNodeGetDependentNodes_v2"),
    (Release::V13, "cudaGraphRemoveDependencies", "cudaGraphRemoveDependencies_v2"),
    (Release::V13, "cudaMemAdvise", "cudaMemAdvise_v2"),
    (Release::V13, "cudaMemPrefetchAsync", "cudaMemPrefetchAsync_v2"),
    (Release::V13, "cudaMemcpy3DBatchAsync", "cudaMemcpy3DBatchAsync_v13"),
    (Release::V13, "cudaMemcpyBatchAsync", "cudaMemcpyBatchAsync_v13"),
    (Release::V13, "cudaRuntimeGetVersion", "cudaRuntimeGetVersion_v13"),
    (Release::V13, "cudaStreamGetCaptureInfo", "cudaStreamGetCaptureInfo_v3"),
    (Release::V13, "cudaStreamUpdateCaptureDependencies", "cudaStreamUpdateCaptureDependencies_v2"),
];

/// Our function for a name; it may not exist. The forms for a default stream
/// per thread are the plain ones: streams run in order here.
pub fn of(release: Release, name: &'static str) -> &'static str {
    let name = ["_ptsz", "_ptds"].iter().find_map(|s| name.strip_suffix(s)).unwrap_or(name);
    let changed = CHANGED.iter().find(|(r, from, _)| *r == release && *from == name);
    changed.map_or(name, |(_, _, to)| to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_exception_is_about_a_function_of_its_release() {
        for (release, from, _) in CHANGED {
            assert!(release.functions().any(|f| f == *from), "{from}");
        }
    }

    /// docs/cuda-programs.md says how much of 11.8's runtime there is.
    #[test]
    fn the_page_counts_the_functions() {
        let ours: Vec<&str> = upset_cudart::api::names().collect();
        let plain = |f: &&str| !f.ends_with("_ptsz") && !f.ends_with("_ptds");
        let all: Vec<&str> = Release::V11.functions().filter(plain).collect();
        let there = all.iter().filter(|f| ours.contains(&of(Release::V11, f))).count();
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/cuda-programs.md");
        let page = std::fs::read_to_string(page).expect("the page");
        let line = format!("\n{there} of the {} functions of CUDA 11.8's runtime", all.len());
        assert!(page.contains(&line), "{line}");
    }

    #[test]
    fn per_thread_forms_are_the_plain_ones() {
        assert_eq!(of(Release::V12, "cudaMemcpyAsync_ptsz"), "cudaMemcpyAsync");
        assert_eq!(of(Release::V12, "cudaMemcpy_ptds"), "cudaMemcpy");
        assert_eq!(of(Release::V13, "cudaMemPrefetchAsync_ptsz"), "cudaMemPrefetchAsync_v2");
    }
}
