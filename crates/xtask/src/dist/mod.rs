//! `cargo xtask dist`: what a release consists of (docs/packages.md).

mod archive;
mod build;
mod container;
mod debian;
mod glibc;
mod tree;

use std::fs;
use std::path::{Path, PathBuf};

use crate::{Outcome, root};
use build::Built;
use tree::Tree;

/// What to do.
struct Options {
    /// Where it goes.
    out: PathBuf,
    /// Programs that are built already.
    from: Option<PathBuf>,
    /// Build it all again elsewhere, and compare.
    twice: bool,
}

/// Runs the command.
pub fn command(words: &[String]) -> Outcome<()> {
    let options = options(words)?;
    let commit = build::commit()?;
    let built = match &options.from {
        Some(folder) => Built::found(folder)?,
        None => Built::new(&options.out.join("build"), &commit)?,
    };
    let made = pack(&built, &options.out, &commit)?;
    if options.twice {
        // Another folder, in which nothing was built before.
        let again = options.out.join("again");
        let built = Built::new(&again.join("build"), &commit)?;
        let others = pack(&built, &again, &commit)?;
        for (one, other) in made.iter().zip(&others) {
            if read(one)? != read(other)? {
                return Err(format!("{} and {} differ", one.display(), other.display()));
            }
        }
        println!("built twice, in two folders: the same bytes");
    }
    Ok(())
}

fn options(words: &[String]) -> Outcome<Options> {
    let mut options = Options { out: build::target().join("dist"), from: None, twice: false };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut path = || -> Outcome<PathBuf> {
            let path = words.next().ok_or(format!("{word} needs a folder"))?;
            std::path::absolute(path).map_err(|e| format!("{path}: {e}"))
        };
        match word.as_str() {
            "--out" => options.out = path()?,
            "--from" => options.from = Some(path()?),
            "--twice" => options.twice = true,
            other => {
                return Err(format!("no option {other}: there are --out, --from and --twice"));
            }
        }
    }
    match options.from.is_some() && options.twice {
        true => Err("--twice builds, and --from takes what is built: give one of them".into()),
        false => Ok(options),
    }
}

/// Makes all packages in a folder; their files.
fn pack(built: &Built, out: &Path, commit: &build::Commit) -> Outcome<Vec<PathBuf>> {
    fs::create_dir_all(out).map_err(|e| format!("{}: {e}", out.display()))?;
    let libc = glibc::needed(&[&built.program, &built.cudart, &built.preload])?;
    let tree = Tree::new(built, libc)?;
    let name = format!("upset-{}-x86_64-linux", build::VERSION);
    let tarball = out.join(format!("{name}.tar.gz"));
    let package = out.join(format!("upset_{}-1_amd64.deb", build::VERSION));
    let recipe = out.join("Containerfile");
    write(&tarball, &archive::gzipped(&tree.tar(&name, commit.time)?)?)?;
    write(&package, &debian::package(&tree, libc, commit.time)?)?;
    write(&recipe, container::recipe(&name, libc).as_bytes())?;
    let made = vec![tarball, package, recipe];
    for file in &made {
        let bytes = read(file)?.len();
        println!("{} ({:.1} MB)", shown(file), bytes as f64 / 1e6);
    }
    println!("needs glibc {}.{} or newer{}", libc.0, libc.1, glibc::since(libc));
    Ok(made)
}

fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

fn read(path: &Path) -> Outcome<Vec<u8>> {
    fs::read(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn write(path: &Path, bytes: &[u8]) -> Outcome<()> {
    fs::write(path, bytes).map_err(|e| format!("{}: {e}", path.display()))
}
