//! Packages of what cargo built for the tests: what is in them, that they run, and
//! that packing the same again gives the same bytes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const LIBRARIES: [&str; 2] = ["libupset_cudart.so", "libupset_quarantine_preload.so"];

/// The program `upset` of this build and its libraries, copied into a folder.
fn copied(to: &Path) {
    let xtask = Path::new(env!("CARGO_BIN_EXE_xtask"));
    let folder = xtask.parent().expect("a folder");
    fs::create_dir(to).expect("a folder");
    for name in ["upset"].iter().chain(&LIBRARIES) {
        let both = [folder.join(name), folder.join("deps").join(name)];
        let from = both.iter().find(|f| f.exists());
        let from = from.unwrap_or_else(|| panic!("{name}: run cargo build -p upset-cli first"));
        fs::copy(from, to.join(name)).expect("a copy");
        // A build for tests has line tables of a hundred megabytes.
        let _ = Command::new("strip").arg(to.join(name)).status();
    }
}

fn said(command: &mut Command) -> String {
    let ran = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let errors = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{command:?}: {errors}");
    String::from_utf8_lossy(&ran.stdout).into_owned()
}

fn pack(from: &Path, out: &Path) -> String {
    let mut xtask = Command::new(env!("CARGO_BIN_EXE_xtask"));
    // The commit's time is not this clone's alone: tests run without git as well.
    let xtask =
        xtask.env("UPSET_COMMIT", "0123456789abcdef").env("SOURCE_DATE_EPOCH", "1700000000");
    said(xtask.arg("dist").arg("--from").arg(from).arg("--out").arg(out))
}

fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut all: Vec<(String, Vec<u8>)> = entries
        .map(|e| e.expect("an entry"))
        .filter(|e| e.path().is_file())
        .map(|e| (e.file_name().to_string_lossy().into_owned(), fs::read(e.path()).expect("bytes")))
        .collect();
    all.sort();
    all
}

/// Functions of the C library that a program imports, by what binutils see: the name
/// and the `GLIBC_x.y` of each. What a program can do without (weak) is left out
/// where `needed` is asked for.
fn imports(program: &Path, needed: bool) -> Option<Vec<(String, (u32, u32))>> {
    let told = Command::new("objdump").arg("-T").arg(program).output().ok()?;
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    let lines = told.lines().filter(|line| line.contains("*UND*"));
    let lines = lines.filter(|line| !needed || !line.contains(" w "));
    let read = |line: &str| {
        let (_, rest) = line.split_once("GLIBC_")?;
        let (version, name) = rest.split_once([')', ' '])?;
        let mut numbers = version.split('.').map(str::parse::<u32>);
        let version = (numbers.next()?.ok()?, numbers.next()?.ok()?);
        Some((name.trim().to_string(), version))
    };
    Some(lines.filter_map(read).collect())
}

/// Newest `GLIBC_x.y` in what is packed.
fn newest_glibc(programs: &[PathBuf]) -> Option<(u32, u32)> {
    let all = programs.iter().map(|program| imports(program, false));
    let all = all.collect::<Option<Vec<_>>>()?;
    all.into_iter().flatten().map(|(_, version)| version).max()
}

/// What the C library that docs/packages.md names has under an older version than a
/// build for tests, which is linked with this machine's (for `fcntl64` its headers say
/// `fcntl`). Zig links releases with the older; a function that it lacks altogether
/// would stop the next release.
const LONG_THERE: &str = "__libc_start_main dlclose dlerror dlopen dlsym dlvsym exp fcntl64 fstat64 \
    fstatat64 log lstat64 pow pthread_attr_getguardsize pthread_attr_getstack \
    pthread_attr_setstacksize pthread_create pthread_detach pthread_getattr_np pthread_join \
    pthread_key_create pthread_key_delete pthread_mutex_trylock pthread_mutexattr_destroy \
    pthread_mutexattr_init pthread_mutexattr_settype pthread_setname_np pthread_setspecific \
    pthread_sigmask sem_init sem_post sem_wait stat64";

/// The glibc that docs/packages.md says releases run with.
fn promised() -> (u32, u32) {
    let page = include_str!("../../../docs/packages.md");
    let (_, rest) = page.split_once("with glibc ").expect("the page names one");
    let (version, _) = rest.split_once(" or newer").expect("or newer");
    let (major, minor) = version.split_once('.').expect("two numbers");
    (major.parse().expect("a number"), minor.parse().expect("a number"))
}

#[test]
fn the_promised_c_library_has_every_function() {
    let folder = tempfile::tempdir().expect("a folder");
    let built = folder.path().join("built");
    copied(&built);
    for name in ["upset"].iter().chain(&LIBRARIES) {
        let Some(imports) = imports(&built.join(name), true) else {
            eprintln!("skipped: there is no objdump");
            return;
        };
        assert!(imports.len() > 20, "{name} imports {}", imports.len());
        let newer = imports.iter().filter(|(_, version)| *version > promised());
        let unknown: Vec<&str> = newer
            .map(|(function, _)| function.as_str())
            .filter(|function| !LONG_THERE.split_whitespace().any(|known| known == *function))
            .collect();
        assert!(
            unknown.is_empty(),
            "{name} calls {unknown:?}: does glibc {:?} have them? Then they belong into the list; \
             else docs/packages.md promises too much",
            promised()
        );
    }
}

#[test]
fn packages_hold_everything_and_are_made_the_same_twice() {
    let folder = tempfile::tempdir().expect("a folder");
    let (one, two) = (folder.path().join("one"), folder.path().join("two"));
    let built = folder.path().join("built");
    copied(&built);
    let told = pack(&built, &one);
    pack(&built, &two);
    let (first, second) = (files(&one), files(&two));
    let names: Vec<&str> = first.iter().map(|(name, _)| name.as_str()).collect();
    let version = env!("CARGO_PKG_VERSION");
    let name = format!("upset-{version}-x86_64-linux");
    let package = format!("upset_{version}-1_amd64.deb");
    assert_eq!(names, ["Containerfile", &format!("{name}.tar.gz"), &package]);
    for ((name, a), (_, b)) in first.iter().zip(&second) {
        assert!(a == b, "{name} differs from one time to the next");
    }

    said(Command::new("tar").arg("xzf").arg(format!("{name}.tar.gz")).current_dir(&one));
    let unpacked = one.join(&name);
    for file in [
        "bin/upset",
        "lib/upset/libupset_cudart.so",
        "lib/upset/libupset_quarantine_preload.so",
        "share/man/man1/upset.1.gz",
        "share/man/man1/upset-campaign.1.gz",
        "share/bash-completion/completions/upset",
        "share/zsh/vendor-completions/_upset",
        "share/fish/vendor_completions.d/upset.fish",
        "share/upset/chips/rtx2060.toml",
        "share/doc/upset/LICENSE-MIT",
    ] {
        let length = fs::metadata(unpacked.join(file)).map(|m| m.len());
        assert!(length.is_ok_and(|n| n > 100), "{file}");
    }
    debian(&one.join(package), &unpacked);
    // From here on there are facades beside the libraries.
    let upset = unpacked.join("bin/upset");
    assert!(said(Command::new(&upset).arg("-V")).starts_with(&format!("upset {version}")));
    said(Command::new(&upset).args(["run", "va", "--chip", "rtx2060", "--functional"]));
    // The libraries are those beside it, not those of the build.
    let shown = said(Command::new(&upset).args(["env", "--chip", "rtx2060"]));
    let root = unpacked.canonicalize().expect("a path");
    assert!(shown.contains(&*root.join("lib/upset").to_string_lossy()), "{shown}");

    let mut programs = vec![upset];
    programs.extend(LIBRARIES.map(|l| unpacked.join("lib/upset").join(l)));
    match newest_glibc(&programs) {
        Some((major, minor)) => {
            assert!(told.contains(&format!("needs glibc {major}.{minor} or newer")), "{told}");
        }
        None => eprintln!("skipped: there is no objdump to compare with"),
    }
}

/// The package is one to Debian's own tools, with the files of the tarball.
fn debian(package: &Path, unpacked: &Path) {
    if Command::new("dpkg-deb").arg("--version").output().is_err() {
        eprintln!("skipped: there is no dpkg-deb");
        return;
    }
    let control = said(Command::new("dpkg-deb").arg("--field").arg(package));
    assert!(control.contains("Package: upset") && control.contains("Depends: libc6 (>= 2."));
    let there = tempfile::tempdir().expect("a folder");
    said(Command::new("dpkg-deb").arg("-x").arg(package).arg(there.path()));
    said(Command::new("diff").arg("-r").arg(unpacked).arg(there.path().join("usr")));
}

#[test]
fn what_cannot_be_packed_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut xtask = Command::new(env!("CARGO_BIN_EXE_xtask"));
    let ran = xtask.args(["dist", "--from"]).arg(folder.path()).output().expect("it starts");
    assert!(!ran.status.success());
    assert!(String::from_utf8_lossy(&ran.stderr).contains("has no upset: build it first"));
}
