//! `cargo xtask dist`: what a release consists of (docs/packages.md).

mod archive;
mod build;
mod container;
mod debian;
mod glibc;
mod tools;
mod tree;
mod wheel;

use std::fs;
use std::path::{Path, PathBuf};

use crate::{Outcome, root};
use build::{Built, Commit, Place};
use tools::Tools;
use tree::Tree;

/// What to do.
struct Options {
    /// Where it goes.
    out: PathBuf,
    /// Programs that are built already.
    from: Option<PathBuf>,
    /// Build it all again elsewhere, and compare.
    twice: bool,
    /// Link with this machine's glibc.
    native: bool,
    /// Build the Python package too.
    wheel: bool,
}

/// Runs the command.
pub fn command(words: &[String]) -> Outcome<()> {
    let options = options(words)?;
    let commit = build::commit()?;
    if let Some(folder) = &options.from {
        return pack(&Built::found(folder)?, &options.out, &commit).map(drop);
    }
    let tools = match options.native {
        true => None,
        false => Some(Tools::fetched(&build::target())?),
    };
    let place = Place::here(options.out.join("build"));
    let made = make(&options, tools.as_ref(), &place, &options.out, &commit)?;
    if options.twice {
        // Nothing was built there before.
        let again = options.out.join("again");
        if again.exists() {
            fs::remove_dir_all(&again).map_err(|e| format!("{}: {e}", again.display()))?;
        }
        let place = Place::elsewhere(again.join("build"))?;
        let others = make(&options, tools.as_ref(), &place, &again, &commit)?;
        for (one, other) in made.iter().zip(&others) {
            if read(one)? != read(other)? {
                return Err(format!("{} and {} differ", one.display(), other.display()));
            }
        }
        println!("built twice, from two folders into two: the same bytes");
    }
    Ok(())
}

fn options(words: &[String]) -> Outcome<Options> {
    let out = build::target().join("dist");
    let mut options = Options { out, from: None, twice: false, native: false, wheel: false };
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
            "--native" => options.native = true,
            "--wheel" => options.wheel = true,
            other => {
                return Err(format!(
                    "no option {other}: there are --out, --from, --twice, --native and --wheel"
                ));
            }
        }
    }
    match options.from.is_some() && (options.twice || options.native || options.wheel) {
        true => Err("--from takes what is built, the other options say how to build".into()),
        false => Ok(options),
    }
}

/// Builds and packs; the files.
fn make(
    options: &Options,
    tools: Option<&Tools>,
    place: &Place,
    out: &Path,
    commit: &Commit,
) -> Outcome<Vec<PathBuf>> {
    let built = Built::new(tools, place, commit)?;
    let needed = built.glibc()?;
    if tools.is_some() && needed > glibc::OLDEST {
        return Err(format!("it needs glibc {}.{}: too new", needed.0, needed.1));
    }
    let mut made = pack(&built, out, commit)?;
    if options.wheel {
        let wheel = wheel::built(tools, place, out, commit)?;
        say(&wheel)?;
        made.push(wheel);
    }
    Ok(made)
}

/// Makes all packages in a folder; their files.
fn pack(built: &Built, out: &Path, commit: &Commit) -> Outcome<Vec<PathBuf>> {
    fs::create_dir_all(out).map_err(|e| format!("{}: {e}", out.display()))?;
    let libc = built.glibc()?;
    let tree = Tree::new(built, libc)?;
    let name = format!("upset-{}-x86_64-linux", build::VERSION);
    let tarball = out.join(format!("{name}.tar.gz"));
    let package = out.join(format!("upset_{}-1_amd64.deb", build::VERSION));
    let recipe = out.join("Containerfile");
    write(&tarball, &archive::gzipped(&tree.tar(&name, commit.time)?)?)?;
    write(&package, &debian::package(&tree, built, commit.time)?)?;
    write(&recipe, container::recipe(&name, libc).as_bytes())?;
    let made = vec![tarball, package, recipe];
    for file in &made {
        say(file)?;
    }
    println!("needs glibc {}.{} or newer{}", libc.0, libc.1, glibc::since(libc));
    Ok(made)
}

/// Tells of a file that was made.
fn say(file: &Path) -> Outcome<()> {
    let shown = file.strip_prefix(root()).unwrap_or(file).display();
    println!("{shown} ({:.1} MB)", read(file)?.len() as f64 / 1e6);
    Ok(())
}

fn read(path: &Path) -> Outcome<Vec<u8>> {
    fs::read(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn write(path: &Path, bytes: &[u8]) -> Outcome<()> {
    fs::write(path, bytes).map_err(|e| format!("{}: {e}", path.display()))
}
