//! Damage to the files of a store, and the copy that is put back.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::Rng;

/// What may lie beside a store.
const SUFFIXES: [&str; 3] = ["", "-journal", "-new"];

fn beside(store: &Path, suffix: &str) -> PathBuf {
    PathBuf::from(format!("{}{suffix}", store.display()))
}

/// The files of a store as they were.
pub struct Copy(Vec<Option<Vec<u8>>>);

impl Copy {
    /// Copies a store and what lies beside it.
    pub fn take(store: &Path) -> io::Result<Copy> {
        let read = |suffix: &&str| match fs::read(beside(store, suffix)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(e),
        };
        Ok(Copy(SUFFIXES.iter().map(read).collect::<io::Result<_>>()?))
    }

    /// Puts it back.
    pub fn restore(&self, store: &Path) -> io::Result<()> {
        for (suffix, bytes) in SUFFIXES.iter().zip(&self.0) {
            let file = beside(store, suffix);
            match bytes {
                Some(bytes) => fs::write(file, bytes)?,
                None if file.exists() => fs::remove_file(file)?,
                None => {}
            }
        }
        Ok(())
    }
}

/// A kind of damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// The file ends at a random byte.
    Cut,
    /// Some bytes have other values.
    Overwritten,
    /// The journal is cut, overwritten or lost.
    Journal,
}

impl Damage {
    /// Draws a kind that the files at hand can suffer.
    pub fn draw(rng: &mut Rng, store: &Path) -> Damage {
        let journal = fs::metadata(beside(store, "-journal")).is_ok_and(|m| m.len() > 0);
        match rng.below(4) {
            0 | 1 if journal => Damage::Journal,
            0 | 2 => Damage::Cut,
            _ => Damage::Overwritten,
        }
    }

    /// Its name in the report.
    pub fn name(self) -> &'static str {
        match self {
            Damage::Cut => "store cut at a byte",
            Damage::Overwritten => "bytes of the store overwritten",
            Damage::Journal => "journal cut, overwritten or lost",
        }
    }

    /// Does it; says where.
    pub fn strike(self, rng: &mut Rng, store: &Path) -> io::Result<String> {
        match self {
            Damage::Cut => cut(rng, store),
            Damage::Overwritten => overwrite(rng, store),
            Damage::Journal => {
                let journal = beside(store, "-journal");
                match rng.below(3) {
                    0 => cut(rng, &journal),
                    1 => overwrite(rng, &journal),
                    _ => fs::remove_file(&journal).map(|()| "journal lost".into()),
                }
            }
        }
    }
}

fn cut(rng: &mut Rng, file: &Path) -> io::Result<String> {
    let length = fs::metadata(file)?.len();
    let at = rng.u64() % length.max(1);
    OpenOptions::new().write(true).open(file)?.set_len(at)?;
    Ok(format!("{} cut at byte {at} of {length}", file.display()))
}

fn overwrite(rng: &mut Rng, file: &Path) -> io::Result<String> {
    let open = OpenOptions::new().read(true).write(true).open(file)?;
    let length = open.metadata()?.len();
    let most = rng.pick(&[1, 16, 512, 4096]);
    let at = rng.u64() % length.max(1);
    let count = (1 + u64::from(rng.below(most))).min(length - at);
    let mut bytes = vec![0; count as usize];
    open.read_exact_at(&mut bytes, at)?;
    // Each byte becomes another one.
    bytes.iter_mut().for_each(|b| *b ^= 1 + rng.below(255) as u8);
    open.write_all_at(&bytes, at)?;
    Ok(format!("{} overwritten from byte {at} on, {count} of {length}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_real_and_can_be_undone() {
        let folder = std::env::temp_dir().join(format!("upset-damage-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let store = folder.join("x.db");
        let bytes: Vec<u8> = (0..10_000u32).map(|n| n as u8).collect();
        fs::write(&store, &bytes).unwrap();
        fs::write(beside(&store, "-journal"), &bytes).unwrap();
        let copy = Copy::take(&store).unwrap();
        let mut rng = Rng::new(1);
        for damage in [Damage::Cut, Damage::Overwritten, Damage::Journal].repeat(20) {
            let place = damage.strike(&mut rng, &store).unwrap();
            let journal = fs::read(beside(&store, "-journal")).unwrap_or_default();
            assert!(fs::read(&store).unwrap() != bytes || journal != bytes, "{place}");
            copy.restore(&store).unwrap();
            assert_eq!(fs::read(&store).unwrap(), bytes, "{place}");
            assert_eq!(fs::read(beside(&store, "-journal")).unwrap(), bytes, "{place}");
        }
        fs::remove_dir_all(folder).unwrap();
    }
}
