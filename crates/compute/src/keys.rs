//! Every key of a chip file is read: another value makes another machine,
//! another launch or another description, or it is refused.

use std::fmt::{self, Write as _};
use std::hash::{DefaultHasher, Hasher};
use std::path::Path;

use upset_chip::schema::{Core, FIELDS, Field, Kind, Reader, SOURCE, TABLES, core_of, fields};
use upset_chip::{ChipError, ChipSpec, KernelResources};
use upset_mem::MemorySystem;

use crate::config::Config;
use crate::sm::Sm;

/// Little of everything, since machines are compared in full.
const SMALL: &[&str] = &[
    "sm.count=2",
    "memory.partitions=2",
    "cache.l1d.ways=4",
    "cache.l1t.ways=2",
    "cache.l1c.sets=4",
    "cache.l1i.sets=2",
    "cache.l2.sets=16",
    "cache.l2.ways=2",
];

/// Threads, bytes of shared memory and barriers of kernels near the limits.
const KERNELS: [(u32, u32, u32); 7] = [
    (32, 0, 0),
    (1024, 0, 16),
    (256, 30_000, 9),
    (256, 60_000, 9),
    (32, 120_000, 0),
    (1025, 0, 0),
    (2000, 0, 0),
];

/// Takes text for what it hashes to.
struct Text(DefaultHasher);

impl fmt::Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}

/// All that is built of a chip.
fn machine(chip: &ChipSpec) -> u64 {
    let (config, mem) = (Config::new(chip).expect("SMs"), MemorySystem::new(chip));
    let sm = Sm::new(chip, &config, 0);
    let mut text = Text(DefaultHasher::new());
    write!(text, "{:?} {:?} {:?}", config, sm.has_uniform, mem).expect("hashed");
    write!(text, "{:?} {:?} {:?} {:?}", sm.l1d, sm.l1t, sm.l1c, sm.l1i).expect("hashed");
    text.0.finish()
}

/// What becomes of kernels when they are launched. That the windows are where
/// the driver's table says, tests of the device show.
fn launches(chip: &ChipSpec) -> u64 {
    let mut text = Text(DefaultHasher::new());
    write!(text, "{} {}", chip.driver.shared_window, chip.driver.local_window).expect("hashed");
    for registers in 1..=255 {
        for (threads, shared_bytes, barriers) in KERNELS {
            let kernel = KernelResources { threads, registers, shared_bytes, barriers };
            let sm = chip.sm().expect("SMs");
            write!(text, "{:?}", sm.occupancy(kernel)).expect("hashed");
        }
    }
    text.0.finish()
}

/// What a key is read for.
fn seen(chip: &ChipSpec, by: Reader) -> u64 {
    match by {
        Reader::Machine => machine(chip),
        Reader::Launch => launches(chip),
        Reader::People => {
            let mut text = Text(DefaultHasher::new());
            text.write_str(&chip.describe()).expect("hashed");
            text.0.finish()
        }
    }
}

/// The value that a chip has there.
fn value<'a>(chip: &'a toml::Table, component: &str, key: &str) -> Option<&'a toml::Value> {
    let mut at = chip;
    for part in component.split('.') {
        at = at.get(part)?.as_table()?;
    }
    at.get(key)
}

/// Other values of a key, as an override writes them.
fn others(field: &Field, now: Option<&toml::Value>) -> Vec<String> {
    let number = now.and_then(toml::Value::as_integer);
    match field.kind {
        Kind::Int(min, _) => match number {
            Some(n) => {
                let near = [n + 1, n * 2, (n / 2).max(min as i64)];
                near.into_iter().filter(|v| *v != n).map(|v| v.to_string()).collect()
            }
            // Not what is taken without it.
            None => vec![min.max(77).to_string()],
        },
        Kind::Float(_) => {
            let n = now.and_then(toml::Value::as_float).unwrap_or(500.0);
            vec![(n * 2.0).to_string()]
        }
        Kind::Flag => vec![(now.and_then(toml::Value::as_bool) != Some(true)).to_string()],
        Kind::Choice(words) => {
            let own = now.and_then(toml::Value::as_str);
            words.iter().filter(|w| Some(**w) != own).map(|w| w.to_string()).collect()
        }
        Kind::ChoiceList(words) => words.iter().map(|w| w.to_string()).collect(),
        Kind::IntList(min, _) => vec!["[]".to_owned(), format!("[{min}]")],
        Kind::Text if field.key == "address_map" => vec!["RRRR.BBBB.CCCCCCSS.SSS".to_owned()],
        Kind::Text => vec![format!("{}0", now.and_then(toml::Value::as_str).unwrap_or("text"))],
    }
}

/// The chip as a tree.
fn tree(chip: &ChipSpec) -> toml::Table {
    chip.to_toml().parse().expect("a chip is TOML")
}

/// Changes every key of a chip; tells of those that nothing notices.
fn unnoticed(chip: &ChipSpec) -> Vec<String> {
    let tree = tree(chip);
    let was = [Reader::Machine, Reader::Launch, Reader::People].map(|by| (by, seen(chip, by)));
    let mut silent = Vec::new();
    for field in FIELDS.iter().filter(|f| core_of(f.table) != Some(Core::Cu)) {
        let family = TABLES.iter().any(|t| t.family && t.name == field.table);
        let members = tree[field.table].as_table().expect("a table");
        let components: Vec<String> = match family {
            true => members.keys().map(|m| format!("{}.{m}", field.table)).collect(),
            false => vec![field.table.to_owned()],
        };
        for component in components {
            // What stands for a key that is not given is not another value.
            let stands_for = match field.key {
                "write_local" => "write",
                key => key,
            };
            let now = value(&tree, &component, field.key);
            let now = now.or_else(|| value(&tree, &component, stands_for));
            for other in others(field, now) {
                let set = format!("{component}.{}={other}", field.key);
                let same = match chip.with(&[&set]) {
                    Ok(changed) if changed == *chip => continue,
                    Ok(changed) => was.contains(&(field.by, seen(&changed, field.by))),
                    Err(ChipError::Invalid { .. }) => false,
                    Err(e) => panic!("{set}: {e}"),
                };
                if same {
                    silent.push(set);
                }
            }
        }
    }
    silent
}

#[test]
fn every_key_is_read_or_refused() {
    for preset in ["rtx2060", "gv100", "h200", "k40"] {
        let chip = ChipSpec::load(preset, SMALL).expect("a small chip");
        let silent = unnoticed(&chip);
        assert!(silent.is_empty(), "{preset}: nothing notices {silent:#?}");
    }
}

/// `[timing]` is handed to the SMs as it is: what they read of it stands in the
/// sources.
#[test]
fn every_cycle_of_the_timing_table_is_read() {
    let mut sources = String::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                sources += &std::fs::read_to_string(path).expect("a source");
            }
        }
    }
    for field in fields("timing").filter(|f| f.key != SOURCE) {
        let read = format!("timing.{}", field.key);
        let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let found = sources.match_indices(&read).any(|(i, _)| ends(&sources[i + read.len()..]));
        assert!(found, "nothing reads timing.{}", field.key);
    }
}
