//! Names of kernels as their authors wrote them.

use cpp_demangle::{DemangleOptions, Symbol};

/// With parameters; other names than C++'s stay as they are.
pub fn full_name(name: &str) -> String {
    demangled(name, DemangleOptions::new())
}

/// Without parameters and return type, for tables.
pub fn short_name(name: &str) -> String {
    demangled(name, DemangleOptions::new().no_params().no_return_type())
}

fn demangled(name: &str, options: DemangleOptions) -> String {
    // The demangler takes more than C++ names, builtin types for example.
    if !name.starts_with("_Z") {
        return name.to_string();
    }
    let symbol = Symbol::new(name).ok();
    symbol.and_then(|s| s.demangle_with_options(&options).ok()).unwrap_or_else(|| name.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_kernels() {
        for (mangled, full, short) in [
            ("vectorAdd", "vectorAdd", "vectorAdd"),
            ("i", "i", "i"),
            ("_Z3addPKfS0_Pfi", "add(float const*, float const*, float*, int)", "add"),
            (
                "_Z6reduceIfLi256EEvPKT_PS0_i",
                "void reduce<float, 256>(float const*, float*, int)",
                "reduce<float, 256>",
            ),
            ("_ZN2ns4scanEv", "ns::scan()", "ns::scan"),
            ("_Z", "_Z", "_Z"),
        ] {
            assert_eq!(full_name(mangled), full);
            assert_eq!(short_name(mangled), short);
        }
    }
}
