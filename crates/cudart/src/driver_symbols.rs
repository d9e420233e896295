//! Names of the driver library: which functions there are, in which forms, and
//! which form is meant by a name and a version.

use std::ffi::CString;

/// The functions, from `cudaTypedefs.h` and `cudaProfilerTypedefs.h` of CUDA 11.8, 12.9 and 13.4: a line is a
/// name, the releases in which its form changed (11040 is CUDA 11.4), and how the
/// form for a default stream per thread ends, where there is one.
const TABLE: &str = include_str!("../api/driver.txt");

/// The library's file name.
pub const SONAME: &str = "libcuda.so.1";

/// Numbers of `CUdriverProcAddressQueryResult`.
pub const FOUND: i32 = 0;
const NOT_FOUND: i32 = 1;
const NOT_IN_VERSION: i32 = 2;

/// A function, in all its forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    name: &'static str,
    versions: Vec<u32>,
    per_thread: Option<&'static str>,
}

impl Symbol {
    fn parse(line: &'static str) -> Option<Symbol> {
        let mut words = line.split(' ');
        let name = words.next()?;
        let (numbers, ends): (Vec<&str>, Vec<&str>) =
            words.partition(|w| w.starts_with(|c: char| c.is_ascii_digit()));
        let versions = numbers.iter().filter_map(|n| n.parse().ok()).collect();
        Some(Symbol { name, versions, per_thread: ends.first().copied() })
    }

    /// What its `i`-th form is called: the first as the function, the others with
    /// their number behind.
    fn form(&self, i: usize) -> String {
        match i {
            0 => self.name.to_string(),
            i => format!("{}_v{}", self.name, i + 1),
        }
    }
}

fn all() -> impl Iterator<Item = Symbol> {
    TABLE.lines().filter_map(Symbol::parse)
}

/// Every name that the library has.
pub fn exported() -> Vec<String> {
    let mut names = Vec::new();
    for symbol in all() {
        for i in 0..symbol.versions.len() {
            let form = symbol.form(i);
            names.extend(symbol.per_thread.map(|end| format!("{form}_{end}")));
            names.push(form);
        }
    }
    names
}

/// Our function for a name of the library: the forms for a default stream per
/// thread are the plain ones, since streams run in order here.
pub fn target(name: &str) -> &str {
    ["_ptsz", "_ptds"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}

/// What there is of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A function of this name in the library.
    Function(String),
    /// There is such a function, but only in later releases.
    Later,
    /// There is no such function.
    Nothing,
}

/// Which form of a function programs of a release mean.
pub fn form_of(name: &str, version: u32) -> Found {
    let Some(symbol) = all().find(|s| s.name == name) else { return Found::Nothing };
    match symbol.versions.iter().rposition(|v| *v <= version) {
        Some(i) => Found::Function(symbol.form(i)),
        None => Found::Later,
    }
}

/// A function's address for a program of a release, or null and why: the number of
/// `CUdriverProcAddressQueryResult`.
pub fn look_up(name: &str, version: u32) -> (u64, i32) {
    match form_of(name, version) {
        Found::Function(form) => address_of(&form).map_or((0, NOT_FOUND), |at| (at, FOUND)),
        Found::Later => (0, NOT_IN_VERSION),
        Found::Nothing => (0, NOT_FOUND),
    }
}

/// The address of a function of the facade, where those are that we lack as well:
/// they say so when they are called.
fn address_of(name: &str) -> Option<u64> {
    let library = CString::new(SONAME).ok()?;
    let name = CString::new(name).ok()?;
    // SAFETY: names that end with a zero byte. The facade stays loaded.
    let at = unsafe {
        let library = libc::dlopen(library.as_ptr(), libc::RTLD_NOW);
        if library.is_null() {
            return None;
        }
        libc::dlsym(library, name.as_ptr())
    };
    (!at.is_null()).then_some(at as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str) -> Found {
        Found::Function(name.into())
    }

    #[test]
    fn the_table_is_sorted_and_whole() {
        let lines: Vec<&str> = TABLE.lines().collect();
        assert!(lines.len() > 450);
        assert!(lines.windows(2).all(|w| w[0] < w[1]));
        for symbol in all() {
            assert!(symbol.name.starts_with("cu"), "{symbol:?}");
            assert!(!symbol.versions.is_empty() && symbol.versions.is_sorted(), "{symbol:?}");
            assert!(symbol.per_thread.is_none_or(|e| e == "ptds" || e == "ptsz"), "{symbol:?}");
        }
    }

    #[test]
    fn a_version_chooses_the_form() {
        assert_eq!(form_of("cuMemAlloc", 11080), found("cuMemAlloc_v2"));
        assert_eq!(form_of("cuMemAlloc", 2000), found("cuMemAlloc"));
        assert_eq!(form_of("cuStreamGetCaptureInfo", 11080), found("cuStreamGetCaptureInfo_v2"));
        assert_eq!(form_of("cuStreamGetCaptureInfo", 12030), found("cuStreamGetCaptureInfo_v3"));
        // Although `cuda.h` gives this name to another function since CUDA 12, the
        // driver does not (580.159).
        assert_eq!(form_of("cuGraphInstantiate", 12000), found("cuGraphInstantiate_v2"));
        assert_eq!(form_of("cuLibraryLoadData", 11080), Found::Later);
        assert_eq!(form_of("cuNoSuchThing", 13000), Found::Nothing);
        assert_eq!(form_of("", 0), Found::Nothing);
    }

    #[test]
    fn forms_per_thread_are_the_plain_ones() {
        let names = exported();
        assert!(names.iter().any(|n| n == "cuMemcpyHtoD_v2_ptds"));
        assert!(names.iter().any(|n| n == "cuLaunchKernel_ptsz"));
        assert_eq!(target("cuMemcpyHtoD_v2_ptds"), "cuMemcpyHtoD_v2");
        assert_eq!(target("cuLaunchKernel"), "cuLaunchKernel");
    }
}
