//! What our files and functions are called.

/// File name of the library that the facades jump into.
pub const LIBRARY: &str = "libupset_cudart.so";

/// File name of the facade with the functions of the system that are held
/// (`upset_cudart::host`). It is loaded before all other libraries.
pub use upset_cudart::inside::HOST;

/// What the library calls a function of the API.
pub fn symbol(name: &str) -> String {
    format!("upset_{name}")
}
