//! Names of kernels as people read them.

use cpp_demangle::{DemangleOptions, Symbol};

/// Without parameters and return type; other names than C++'s stay as they are.
pub fn short_name(name: &str) -> String {
    // The demangler takes more than C++ names, builtin types for example.
    if !name.starts_with("_Z") {
        return name.to_string();
    }
    let options = DemangleOptions::new().no_params().no_return_type();
    let symbol = Symbol::new(name).ok();
    symbol.and_then(|s| s.demangle_with_options(&options).ok()).unwrap_or_else(|| name.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_kernels() {
        assert_eq!(short_name("_Z6reduceIfLi256EEvPKT_PS0_i"), "reduce<float, 256>");
        assert_eq!(short_name("Fan1"), "Fan1");
        assert_eq!(short_name("_Z"), "_Z");
    }
}
