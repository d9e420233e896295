//! Fetching the CUDA 11.8 compiler: the tools come from Debian's
//! `nvidia-cuda-toolkit` (component non-free), the headers and the runtime
//! library from Python wheels. Everything lands in one folder; neither the
//! system's package list nor its packages are touched.

use crate::debian::{codename_of, private_sources, system_sources};
use crate::files::{copy, make, only_file, trouble};
use crate::wheels::{fetch_wheels, perform};
use crate::{Outcome, RELEASE, Toolkit};
use std::fs;
use std::path::Path;
use std::process::Command;

const PACKAGE: &str = "nvidia-cuda-toolkit";
const WHEELS: [&str; 2] = ["nvidia-cuda-nvcc-cu11==11.8.89", "nvidia-cuda-runtime-cu11==11.8.89"];
/// libcu++, which cooperative groups are written with, Thrust and CUB.
const LIBRARIES_WHEEL: &str = "nvidia-cuda-cccl-cu11==11.8.89.post1";
const LIBRARIES: [&str; 4] = ["cub", "cuda", "nv", "thrust"];

/// Tools taken from the package, by their place in it.
const TOOLS: [(&str, &str); 13] = [
    ("usr/lib/nvidia-cuda-toolkit/bin/nvcc", "bin/nvcc"),
    ("usr/lib/nvidia-cuda-toolkit/bin/cicc", "nvvm/bin/cicc"),
    ("usr/lib/nvidia-cuda-toolkit/bin/crt", "bin/crt"),
    ("usr/lib/nvidia-cuda-toolkit/libdevice", "nvvm/libdevice"),
    ("usr/bin/bin2c", "bin/bin2c"),
    ("usr/bin/cu++filt", "bin/cu++filt"),
    ("usr/bin/cudafe++", "bin/cudafe++"),
    ("usr/bin/cuobjdump", "bin/cuobjdump"),
    ("usr/bin/fatbinary", "bin/fatbinary"),
    ("usr/bin/nvdisasm", "bin/nvdisasm"),
    ("usr/bin/nvlink", "bin/nvlink"),
    ("usr/bin/nvprune", "bin/nvprune"),
    ("usr/bin/ptxas", "bin/ptxas"),
];

const PROFILE_PLACE: &str = "bin/nvcc.profile";
/// Where nvcc finds its parts, relative to itself.
const PROFILE: &str = "\
TOP = $(_HERE_)/..
NVVMIR_LIBRARY_DIR = $(TOP)/nvvm/libdevice
PATH += $(TOP)/nvvm/bin:$(_HERE_):
INCLUDES += \"-I$(TOP)/include\" $(_SPACE_)
LIBRARIES =+ $(_SPACE_) \"-L$(TOP)/lib64\"
";

/// Makes `prefix` hold a compiler and all its headers, and says whether
/// anything was missing.
pub fn fetch(prefix: &Path) -> Outcome<bool> {
    // Written last, so that a fetch that was broken off starts again.
    let has_compiler = prefix.join("bin/nvcc").exists() && prefix.join(PROFILE_PLACE).exists();
    let has_libraries = LIBRARIES.iter().all(|name| prefix.join("include").join(name).is_dir());
    if has_compiler && has_libraries {
        return Ok(false);
    }
    let work = prefix.join("download");
    if work.exists() {
        fs::remove_dir_all(&work).map_err(|e| trouble(&work, &e))?;
    }
    make(&work)?;
    let fetched = fetch_into(&work, prefix, has_compiler);
    fs::remove_dir_all(&work).map_err(|e| trouble(&work, &e))?;
    fetched?;
    match Toolkit::at(prefix)? {
        toolkit if toolkit.release() == RELEASE => Ok(true),
        other => Err(format!(
            "what this system's package {PACKAGE} holds is CUDA {}, not {RELEASE}: Debian 12 \
             (bookworm) has that one",
            other.release()
        )),
    }
}

fn fetch_into(work: &Path, prefix: &Path, has_compiler: bool) -> Outcome<()> {
    if has_compiler {
        fetch_wheels(work, &[LIBRARIES_WHEEL])?;
        return lay_out_libraries(work, prefix);
    }
    fetch_package(work)?;
    fetch_wheels(work, &[&WHEELS[..], &[LIBRARIES_WHEEL]].concat())?;
    lay_out_libraries(work, prefix)?;
    lay_out(work, prefix)
}

/// Downloads and unpacks the Debian package under `work/package`.
fn fetch_package(work: &Path) -> Outcome<()> {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let codename = codename_of(&release)
        .ok_or("this needs a Debian system: /etc/os-release names no VERSION_CODENAME")?;
    let sources = private_sources(&system_sources(), codename);
    if sources.is_empty() {
        return Err(format!("apt has no source for Debian {codename} to get {PACKAGE} from"));
    }
    let list = work.join("private.sources");
    fs::write(&list, sources).map_err(|e| trouble(&list, &e))?;
    make(&work.join("lists/partial"))?;
    make(&work.join("cache/archives/partial"))?;
    let apt = |words: &[&str]| {
        let mut apt = Command::new("apt-get");
        apt.current_dir(work).arg("--quiet").args([
            "-o".to_string(),
            format!("Dir::Etc::sourcelist={}", list.display()),
            "-o".into(),
            "Dir::Etc::sourceparts=/dev/null".into(),
            "-o".into(),
            format!("Dir::State::lists={}", work.join("lists").display()),
            "-o".into(),
            format!("Dir::Cache={}", work.join("cache").display()),
        ]);
        perform(apt.args(words))
    };
    apt(&["update"])?;
    apt(&["download", PACKAGE])?;
    let package = only_file(work, ".deb")?;
    perform(Command::new("dpkg").arg("-x").arg(package).arg(work.join("package")))
}

fn lay_out_libraries(work: &Path, prefix: &Path) -> Outcome<()> {
    for name in LIBRARIES {
        let from = work.join("wheels/nvidia/cuda_cccl/include").join(name);
        copy(&from, &prefix.join("include").join(name))?;
    }
    Ok(())
}

fn lay_out(work: &Path, prefix: &Path) -> Outcome<()> {
    for folder in ["bin", "nvvm/bin", "include", "lib64"] {
        make(&prefix.join(folder))?;
    }
    let package = work.join("package");
    let wheels = work.join("wheels/nvidia");
    for (from, to) in TOOLS {
        copy(&package.join(from), &prefix.join(to))?;
    }
    for wheel in ["cuda_runtime", "cuda_nvcc"] {
        copy(&wheels.join(wheel).join("include"), &prefix.join("include"))?;
    }
    let library = "libcudart.so.11.0";
    copy(&wheels.join("cuda_runtime/lib").join(library), &prefix.join("lib64").join(library))?;
    perform(Command::new("ln").args(["-sf", library]).arg(prefix.join("lib64/libcudart.so")))?;
    let profile = prefix.join(PROFILE_PLACE);
    fs::write(&profile, PROFILE).map_err(|e| trouble(&profile, &e))
}
