//! Sources of device code, and what is made of each.

use crate::{Outcome, root};
use std::fs;
use std::path::{Path, PathBuf};
use upset_toolkit::CompileTarget;

/// Folders whose subfolders are kernel folders.
const SHELVES: [&str; 4] =
    ["kernels", "kernels/micro", "docs/examples", "crates/device/tests/kernels"];
/// Code that is linked into other modules: machine code only, as objects for a
/// device linker.
const LIBRARIES: [&str; 1] = ["syscalls"];

/// Whose compiler a source is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// `<name>.cu`.
    Cuda,
    /// `<name>.cl`.
    OpenCl,
}

impl Language {
    /// Both.
    pub const ALL: [Language; 2] = [Language::Cuda, Language::OpenCl];

    /// How its sources' names end.
    pub fn suffix(self) -> &'static str {
        match self {
            Language::Cuda => "cu",
            Language::OpenCl => "cl",
        }
    }
}

/// What a form is compiled for.
#[derive(Debug, Clone, Copy)]
pub enum Target {
    /// NVIDIA's compiler.
    Cuda(CompileTarget),
    /// LLVM's for gfx600.
    Gfx600,
}

/// One compiled form and how its name ends.
pub type Form = (Target, &'static str);

/// What is made from every CUDA source.
const FORMS: [Form; 5] = [
    (Target::Cuda(CompileTarget::Cubin(70)), "sm_70.cubin"),
    (Target::Cuda(CompileTarget::Cubin(75)), "sm_75.cubin"),
    (Target::Cuda(CompileTarget::Cubin(80)), "sm_80.cubin"),
    (Target::Cuda(CompileTarget::Cubin(90)), "sm_90.cubin"),
    (Target::Cuda(CompileTarget::Ptx(70)), "ptx"),
];

const LIBRARY_FORMS: [Form; 4] = [
    (Target::Cuda(CompileTarget::Object(70)), "sm_70.cubin"),
    (Target::Cuda(CompileTarget::Object(75)), "sm_75.cubin"),
    (Target::Cuda(CompileTarget::Object(80)), "sm_80.cubin"),
    (Target::Cuda(CompileTarget::Object(90)), "sm_90.cubin"),
];

const OPENCL_FORMS: [Form; 1] = [(Target::Gfx600, "gfx600.co")];

/// One source in its folder, named like it.
#[derive(Debug, Clone)]
pub struct Source {
    folder: PathBuf,
    /// Its name without the ending.
    pub name: String,
    /// What it is written in.
    pub language: Language,
}

impl Source {
    /// Its name with the ending.
    pub fn file(&self) -> String {
        format!("{}.{}", self.name, self.language.suffix())
    }

    /// Where it is.
    pub fn path(&self) -> PathBuf {
        self.folder.join(self.file())
    }

    /// What is made of it.
    pub fn forms(&self) -> &'static [Form] {
        match self.language {
            Language::OpenCl => &OPENCL_FORMS,
            Language::Cuda if LIBRARIES.contains(&self.name.as_str()) => &LIBRARY_FORMS,
            Language::Cuda => &FORMS,
        }
    }

    /// Where a form is.
    pub fn compiled(&self, suffix: &str) -> PathBuf {
        self.folder.join(format!("{}.{suffix}", self.name))
    }
}

/// Every source, by folder.
pub fn all() -> Outcome<Vec<Source>> {
    let mut found = Vec::new();
    for shelf in SHELVES {
        let shelf = root().join(shelf);
        let Ok(entries) = fs::read_dir(&shelf) else {
            continue;
        };
        for entry in entries {
            let folder = entry.map_err(|e| trouble(&shelf, &e))?.path();
            let Some(name) = folder.file_name().and_then(|n| n.to_str()) else {
                continue;
            };
            let sources = Language::ALL.map(|language| Source {
                folder: folder.clone(),
                name: name.to_string(),
                language,
            });
            found.extend(sources.into_iter().filter(|source| source.path().is_file()));
        }
    }
    found.sort_by(|a, b| a.folder.cmp(&b.folder));
    Ok(found)
}

/// Those with these names, or all when none is named.
pub fn chosen(names: &[String]) -> Outcome<Vec<Source>> {
    let all = all()?;
    if let Some(unknown) = names.iter().find(|n| all.iter().all(|s| s.name != **n)) {
        let known: Vec<_> = all.iter().map(|s| s.name.as_str()).collect();
        return Err(format!("no kernel {unknown:?}; there are {}", known.join(" ")));
    }
    Ok(all.into_iter().filter(|s| names.is_empty() || names.contains(&s.name)).collect())
}

/// A path as the repository's users name it.
pub fn relative(path: &Path) -> String {
    let root = root();
    path.strip_prefix(&root).unwrap_or(path).display().to_string()
}

/// A file that could not be read or written.
pub fn trouble(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", relative(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_names_are_refused_with_the_known_ones() {
        let error = chosen(&["nosuch".into()]).unwrap_err();
        assert!(error.contains("nosuch") && error.contains("va"), "{error}");
    }

    #[test]
    fn sources_of_both_languages_are_found() {
        let languages: Vec<_> =
            chosen(&["va".into(), "mm".into()]).unwrap().into_iter().map(|s| s.language).collect();
        assert_eq!(languages, [Language::OpenCl, Language::Cuda]);
    }
}
