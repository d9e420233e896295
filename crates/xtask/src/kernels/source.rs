//! Sources of device code, and what is made of each.

use crate::{Outcome, root};
use std::fs;
use std::path::{Path, PathBuf};
use upset_toolkit::CompileTarget;

/// Folders whose subfolders are kernel folders.
const SHELVES: [&str; 5] = [
    "kernels",
    "kernels/micro",
    "kernels/quarantine",
    "docs/examples",
    "crates/device/tests/kernels",
];
/// A folder whose sources lie side by side, with the headers they share.
const TESTS: &str = "kernels/burn";
/// Where it is in a source, the source has a variant with this macro defined.
pub const VARIANT: &str = "UPSET_INJECT";
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
    /// NVIDIA's compiler, with [`VARIANT`] defined.
    Variant(CompileTarget),
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

/// Sources that are compiled for Kepler too: the applications of the papers on
/// GTX Titan, and what tests `printf` and `malloc` there.
const KEPLER: [&str; 14] = [
    "bfs", "bp", "ge", "hs", "km", "lud", "nw", "pathf", "sp", "srad1", "srad2", "va", "heap",
    "messages",
];

const KEPLER_FORMS: [Form; 6] = [
    (Target::Cuda(CompileTarget::Cubin(35)), "sm_35.cubin"),
    FORMS[0],
    FORMS[1],
    FORMS[2],
    FORMS[3],
    FORMS[4],
];

/// What is made from a CUDA source that has a variant.
const VARIED_FORMS: [Form; 9] = [
    FORMS[0],
    FORMS[1],
    FORMS[2],
    FORMS[3],
    FORMS[4],
    (Target::Variant(CompileTarget::Cubin(70)), "inject.sm_70.cubin"),
    (Target::Variant(CompileTarget::Cubin(75)), "inject.sm_75.cubin"),
    (Target::Variant(CompileTarget::Cubin(80)), "inject.sm_80.cubin"),
    (Target::Variant(CompileTarget::Cubin(90)), "inject.sm_90.cubin"),
];

const LIBRARY_FORMS: [Form; 5] = [
    (Target::Cuda(CompileTarget::Object(35)), "sm_35.cubin"),
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
    /// It is compiled a second time with [`VARIANT`] defined.
    varied: bool,
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

    /// The files that it includes by name, and those that they include: beside
    /// it, on its shelf, or a kernel folder's source.
    pub fn included(&self) -> Outcome<Vec<PathBuf>> {
        let mut found: Vec<PathBuf> = Vec::new();
        let mut unread = vec![self.path()];
        while let Some(path) = unread.pop() {
            let text = fs::read_to_string(&path).map_err(|e| trouble(&path, &e))?;
            let quoted = text.lines().filter_map(|l| l.trim().strip_prefix("#include \""));
            for name in quoted.filter_map(|rest| rest.split('"').next()) {
                let stem = Path::new(name).file_stem().unwrap_or_default();
                let places = [
                    self.folder.join(name),
                    self.folder.join("..").join(name),
                    root().join("kernels").join(stem).join(name),
                ];
                let place = places.into_iter().find(|place| place.is_file());
                let missing = || format!("{}: no file {name}", relative(&path));
                let place = place.ok_or_else(missing)?;
                if !found.contains(&place) {
                    found.push(place.clone());
                    unread.push(place);
                }
            }
        }
        found.sort();
        Ok(found)
    }

    /// All that its compiled forms are made of.
    pub fn bytes(&self) -> Outcome<Vec<u8>> {
        let mut bytes = Vec::new();
        for path in std::iter::once(self.path()).chain(self.included()?) {
            bytes.extend(fs::read(&path).map_err(|e| trouble(&path, &e))?);
        }
        Ok(bytes)
    }

    /// What is made of it.
    pub fn forms(&self) -> &'static [Form] {
        match self.language {
            Language::OpenCl => &OPENCL_FORMS,
            Language::Cuda if self.varied => &VARIED_FORMS,
            Language::Cuda if LIBRARIES.contains(&self.name.as_str()) => &LIBRARY_FORMS,
            Language::Cuda if KEPLER.contains(&self.name.as_str()) => &KEPLER_FORMS,
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
                varied: false,
            });
            found.extend(sources.into_iter().filter(|source| source.path().is_file()));
        }
    }
    found.extend(side_by_side(&root().join(TESTS))?);
    found.sort_by(|a, b| (&a.folder, &a.name).cmp(&(&b.folder, &b.name)));
    Ok(found)
}

/// CUDA sources of one folder.
fn side_by_side(folder: &Path) -> Outcome<Vec<Source>> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(Vec::new()) };
    let mut paths = Vec::new();
    for entry in entries {
        paths.push(entry.map_err(|e| trouble(folder, &e))?.path());
    }
    paths.sort();
    let mut sources = Vec::new();
    for path in paths.into_iter().filter(|p| p.extension().is_some_and(|e| e == "cu")) {
        let text = fs::read_to_string(&path).map_err(|e| trouble(&path, &e))?;
        let name = path.file_stem().and_then(|n| n.to_str()).unwrap_or_default().to_string();
        sources.push(Source {
            folder: folder.to_path_buf(),
            name,
            language: Language::Cuda,
            varied: text.contains(VARIANT),
        });
    }
    Ok(sources)
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
