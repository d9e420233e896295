//! A look at the program before it starts: what cannot work is told at once.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use object::read::elf::{Dyn, ElfFile64, ProgramHeader};
use object::{Endianness, ReadCache, elf};
use upset_cudart::inside::{self, Inside};
use upset_cudart::release::Release;

use crate::LaunchError;

/// How the runtime library's files begin.
pub(crate) const RUNTIME: &str = "libcudart.so";

/// What a program is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// The file.
    pub file: PathBuf,
    /// Its loader, when it is a dynamic executable.
    pub loader: Option<PathBuf>,
}

/// Finds a program, by path or on the search path, and looks at it.
pub fn inspect(program: &Path) -> Result<Inspection, LaunchError> {
    let file = find(program)?;
    let name = file.display();
    let unreadable = |e: &io::Error| LaunchError::input(format!("cannot read {name}: {e}"));
    let plain = Inspection { file: file.clone(), loader: None };
    let mut open = match File::open(&file) {
        Ok(open) => open,
        // It may be started but not read: then it shows what it is when it runs.
        Err(e) if e.kind() == io::ErrorKind::PermissionDenied => return Ok(plain),
        Err(e) => return Err(unreadable(&e)),
    };
    let mut start = [0; 20];
    let mut head = Vec::new();
    open.by_ref().take(start.len() as u64).read_to_end(&mut head).map_err(|e| unreadable(&e))?;
    if !head.starts_with(b"\x7fELF") {
        return Ok(plain);
    }
    start[..head.len()].copy_from_slice(&head);
    let (bits, machine) = (start[4], u16::from_le_bytes([start[18], start[19]]));
    if bits != elf::ELFCLASS64 || machine != elf::EM_X86_64 {
        return Err(LaunchError::lacking(format!(
            "{name} is not a 64-bit program for x86-64: only those can be run"
        )));
    }
    let data = ReadCache::new(open);
    // What only confuses the tools that read it may still run.
    let Ok(parsed) = ElfFile64::<Endianness, _>::parse(&data) else { return Ok(plain) };
    let needed = needed(&parsed).unwrap_or_default();
    if let Some(other) = needed.iter().find(|n| n.starts_with(RUNTIME) && !stands_in(n)) {
        return Err(other_release(&name.to_string(), other));
    }
    let asks = needed.iter().any(|n| n.starts_with(RUNTIME));
    let loader = interpreter(&parsed).unwrap_or_default();
    let inside = || File::open(&file).map_or(Inside::Nothing, inside::look);
    let why = match if asks { Inside::Nothing } else { inside() } {
        Inside::Nameless => "and was stripped of the names of its functions",
        Inside::Named(..) if loader.is_none() => "and everything else too (-static)",
        _ => return Ok(Inspection { loader, ..plain }),
    };
    Err(LaunchError::lacking(format!(
        "{name} has NVIDIA's runtime library linked into it {why}, so its CUDA calls cannot be \
         taken over. Link it again without `-s` or `strip`, or with the shared one: `nvcc -cudart \
         shared …` (CMake: CUDA_RUNTIME_LIBRARY Shared; g++: -lcudart instead of -lcudart_static)"
    )))
}

/// Whether there is a facade of this name.
pub(crate) fn stands_in(library: &str) -> bool {
    library == RUNTIME || Release::ALL.iter().any(|r| r.soname() == library)
}

/// A release of the runtime that we have no facade for.
pub(crate) fn other_release(who: &str, library: &str) -> LaunchError {
    let ours: Vec<&str> = Release::ALL.iter().map(|r| r.soname()).collect();
    LaunchError::lacking(format!(
        "{who} needs {library}; what can be taken over is {}. Build it with CUDA 11, 12 or 13",
        ours.join(", ")
    ))
}

fn find(program: &Path) -> Result<PathBuf, LaunchError> {
    let shown = program.display();
    let by_path = program.as_os_str().as_encoded_bytes().contains(&b'/');
    let candidates: Vec<PathBuf> = match by_path {
        true => vec![program.to_path_buf()],
        false => std::env::var_os("PATH")
            .iter()
            .flat_map(std::env::split_paths)
            .map(|folder| folder.join(program))
            .collect(),
    };
    let runs =
        |p: &Path| p.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0);
    if let Some(found) = candidates.iter().find(|p| runs(p)) {
        return Ok(found.clone());
    }
    Err(LaunchError::input(match program.metadata() {
        Ok(m) if m.is_dir() => format!("{shown} is a folder, not a program"),
        Ok(_) if !by_path && runs(program) => {
            format!(
                "there is no program {shown} on the search path; write ./{shown} for the one here"
            )
        }
        Ok(_) if by_path => format!("{shown} may not be executed (see `chmod +x`)"),
        Err(e) if by_path && e.kind() != io::ErrorKind::NotFound => {
            format!("cannot run {shown}: {e}")
        }
        _ => format!("there is no program {shown}"),
    }))
}

type Elf<'a> = ElfFile64<'a, Endianness, &'a ReadCache<File>>;

fn interpreter(file: &Elf<'_>) -> object::Result<Option<PathBuf>> {
    let e = file.endian();
    for header in file.elf_program_headers() {
        if let Some(path) = header.interpreter(e, file.data())? {
            return Ok(Some(PathBuf::from(String::from_utf8_lossy(path).into_owned())));
        }
    }
    Ok(None)
}

fn needed(file: &Elf<'_>) -> object::Result<Vec<String>> {
    let e = file.endian();
    let sections = file.elf_section_table();
    let Some((entries, link)) = sections.dynamic(e, file.data())? else { return Ok(Vec::new()) };
    let strings = sections.strings(e, file.data(), link)?;
    let mut names = Vec::new();
    for entry in entries.iter().filter(|d| d.tag32(e) == Some(elf::DT_NEEDED)) {
        let name = entry.val32(e).and_then(|at| strings.get(at).ok());
        names.extend(name.map(|n| String::from_utf8_lossy(n).into_owned()));
    }
    Ok(names)
}
