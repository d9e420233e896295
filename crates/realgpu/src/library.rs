//! Opening a shared library at run time and looking its functions up by name.
//!
//! [`functions!`](crate::functions) makes one struct of function pointers per
//! library from a list of signatures: the only place where a function's name
//! and type are written.

use std::fmt;

/// Why a library cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LibraryError {
    /// It could not be opened.
    Missing {
        /// File name that was asked for.
        library: &'static str,
        /// What it belongs to, in words.
        what: &'static str,
        /// The loader's words.
        why: String,
    },
    /// It was opened, but lacks a function that nothing works without.
    Symbol {
        /// File name of the library.
        library: &'static str,
        /// The function's name.
        symbol: &'static str,
    },
}

impl fmt::Display for LibraryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LibraryError::Missing { library, what, why } => {
                write!(f, "no {what}: {library} cannot be opened ({why})")
            }
            LibraryError::Symbol { library, symbol } => write!(
                f,
                "{library} has no function {symbol}: it is too old, or not what its name says"
            ),
        }
    }
}

impl std::error::Error for LibraryError {}

/// A library that stays open for the rest of the process: function pointers
/// taken from it are valid as long as they can be called. (Drivers do not like
/// being unloaded either: they leave threads behind.)
pub struct Opened {
    name: &'static str,
    library: std::mem::ManuallyDrop<libloading::Library>,
}

impl Opened {
    /// Opens `name` as the system's loader finds it.
    pub fn open(name: &'static str, what: &'static str) -> Result<Opened, LibraryError> {
        // SAFETY: opening runs the library's initialisers. These are vendors'
        // libraries that every program for a GPU opens in the same way.
        let opened = unsafe { libloading::Library::new(name) };
        match opened {
            Ok(library) => Ok(Opened { name, library: std::mem::ManuallyDrop::new(library) }),
            Err(e) => Err(LibraryError::Missing { library: name, what, why: loader_words(&e) }),
        }
    }

    /// A function that may be missing.
    ///
    /// # Safety
    /// `F` must be a function pointer type with the C signature of `symbol`.
    pub unsafe fn optional<F: Copy>(&self, symbol: &'static str) -> Option<F> {
        // SAFETY: the caller promises the type; the library is never closed, so
        // that the pointer outlives the borrow.
        unsafe { self.library.get::<F>(symbol.as_bytes()).ok().map(|s| *s) }
    }

    /// A function that must be there.
    ///
    /// # Safety
    /// As [`Opened::optional`].
    pub unsafe fn required<F: Copy>(&self, symbol: &'static str) -> Result<F, LibraryError> {
        // SAFETY: passed on from the caller.
        unsafe { self.optional(symbol) }.ok_or(LibraryError::Symbol { library: self.name, symbol })
    }
}

/// The loader's own words, without the name that the sentence has already.
fn loader_words(e: &libloading::Error) -> String {
    let text = std::error::Error::source(e).map_or_else(|| e.to_string(), ToString::to_string);
    text.split_once(": ").map_or(text.clone(), |(_, rest)| rest.to_string())
}

/// Declares the functions of one library: a struct with a pointer for each,
/// and `open`, which names the first required one that is missing.
#[macro_export]
macro_rules! functions {
    (
        $(#[$meta:meta])*
        $name:ident from $library:literal, $what:literal;
        required { $( $(#[$rmeta:meta])* $r:ident = $rsym:literal ( $($rarg:ty),* $(,)? ) -> $rret:ty; )* }
        optional { $( $(#[$ometa:meta])* $o:ident = $osym:literal ( $($oarg:ty),* $(,)? ) -> $oret:ty; )* }
    ) => {
        $(#[$meta])*
        #[derive(Clone)]
        pub struct $name {
            $( $(#[$rmeta])* pub $r: unsafe extern "C" fn($($rarg),*) -> $rret, )*
            $( $(#[$ometa])* pub $o: Option<unsafe extern "C" fn($($oarg),*) -> $oret>, )*
        }

        impl $name {
            /// Names of the functions nothing works without.
            pub const REQUIRED: &'static [&'static str] = &[$($rsym),*];
            /// Names of the functions that may be missing.
            pub const OPTIONAL: &'static [&'static str] = &[$($osym),*];
            /// File name of the library.
            pub const LIBRARY: &'static str = $library;

            /// Opens the library and finds its functions.
            pub fn open() -> Result<$name, $crate::library::LibraryError> {
                let library = $crate::library::Opened::open($library, $what)?;
                // SAFETY: the types are those of the vendor's header for these
                // names; this table is where they are kept.
                unsafe {
                    Ok($name {
                        $( $r: library.required($rsym)?, )*
                        $( $o: library.optional($osym), )*
                    })
                }
            }

            /// Names of the optional functions that this library lacks.
            pub fn lacking(&self) -> Vec<&'static str> {
                #[allow(unused_mut)]
                let mut names = Vec::new();
                $( if self.$o.is_none() { names.push($osym); } )*
                names
            }
        }
    };
}
