//! Releases of the vendor's library that we stand in for.

/// A release of the runtime library, as far as its binary interface goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Release {
    /// CUDA 11.
    V11,
    /// CUDA 12.
    V12,
    /// CUDA 13.
    V13,
}

impl Release {
    /// All of them, oldest first.
    pub const ALL: [Release; 3] = [Release::V11, Release::V12, Release::V13];

    /// Name of the library; its symbols' version node is called the same.
    pub fn soname(self) -> &'static str {
        match self {
            Release::V11 => "libcudart.so.11.0",
            Release::V12 => "libcudart.so.12",
            Release::V13 => "libcudart.so.13",
        }
    }

    /// The functions of the vendor's library: the dynamic symbol tables of
    /// 11.8.89, 12.9.79 and 13.4.92.
    pub fn functions(self) -> impl Iterator<Item = &'static str> {
        let list = match self {
            Release::V11 => include_str!("../api/11.0.txt"),
            Release::V12 => include_str!("../api/12.txt"),
            Release::V13 => include_str!("../api/13.txt"),
        };
        list.lines()
    }
}
