//! What a folder's files hold, and what buffers are filled with.

use crate::Scale;
use crate::manifest::{Fill, Manifest, ManifestError};
use crate::random::Generator;
use crate::values::{ElementType, Values};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path};

/// A folder's data files, by the name the manifest uses.
pub type Files = BTreeMap<String, Vec<u8>>;

/// The compiled code the manifest names, or else `<id>.sm_NN.cubin`.
pub(super) fn read_code(
    folder: &Path,
    manifest: &Manifest,
) -> Result<Vec<(u32, Vec<u8>)>, ManifestError> {
    let mut code = Vec::new();
    for (arch, name) in &manifest.code {
        let number = arch.strip_prefix("sm_").and_then(|n| n.parse().ok());
        let number = number.ok_or_else(|| {
            ManifestError::new("app.toml, code", format!("{arch:?} is not like sm_75"))
        })?;
        code.push((number, read(folder, name)?));
    }
    if manifest.code.is_empty() {
        for arch in [70, 72, 75, 80, 86, 87, 89, 90] {
            let name = format!("{}.sm_{arch}.cubin", manifest.id);
            if folder.join(&name).is_file() {
                code.push((arch, read(folder, &name)?));
            }
        }
    }
    if code.is_empty() {
        let wanted = format!("{}.sm_75.cubin", manifest.id);
        return Err(ManifestError::new(
            folder.display().to_string(),
            format!("there is no compiled code: put {wanted} there or name it under [code]"),
        ));
    }
    Ok(code)
}

/// Every data file that the manifest names at some scale.
pub(super) fn read_files(folder: &Path, manifest: &Manifest) -> Result<Files, ManifestError> {
    let buffers = manifest.buffers.iter().map(|b| &b.init);
    let constants = manifest.constants.iter().map(|c| &c.init);
    let inputs = buffers.chain(constants).filter_map(|fill| match fill {
        Fill::File(name) => Some(name),
        _ => None,
    });
    let expected = manifest.outputs.iter().filter_map(|o| o.expected.as_ref());
    let mut files = Files::new();
    for name in inputs.chain(expected) {
        for scale in Scale::ALL {
            if manifest.scales.contains_key(scale.name()) {
                let name = for_scale(name, scale);
                let bytes = read(folder, &name)?;
                files.insert(name, bytes);
            }
        }
    }
    Ok(files)
}

/// A file's name with `{scale}` filled in.
pub(super) fn for_scale(name: &str, scale: Scale) -> String {
    name.replace("{scale}", scale.name())
}

/// A file of the folder; names that lead out of it are refused.
fn read(folder: &Path, name: &str) -> Result<Vec<u8>, ManifestError> {
    let stays =
        Path::new(name).components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
    if name.is_empty() || !stays {
        let problem = format!("{name:?} must name a file inside the folder");
        return Err(ManifestError::new("app.toml", problem));
    }
    let path = folder.join(name);
    fs::read(&path).map_err(|e| ManifestError::new(path.display().to_string(), e.to_string()))
}

/// A file's numbers as reals: text if its name ends in `.txt`, else raw.
pub(super) fn read_numbers(
    files: &Files,
    name: &str,
    element: ElementType,
) -> Result<Vec<f64>, ManifestError> {
    let bytes = files.get(name).ok_or_else(|| ManifestError::new(name, "the file is missing"))?;
    if !name.ends_with(".txt") {
        if bytes.len() % element.size() != 0 {
            let problem = format!("{} bytes are no whole number of elements", bytes.len());
            return Err(ManifestError::new(name, problem));
        }
        let values = Values::from_bytes(element, bytes);
        return Ok((0..values.len()).filter_map(|i| values.get(i)).collect());
    }
    let text = String::from_utf8_lossy(bytes);
    let words = text.split(|c: char| c.is_whitespace() || c == ',');
    words
        .filter(|word| !word.is_empty())
        .map(|word| {
            word.parse().map_err(|_| ManifestError::new(name, format!("{word:?} is not a number")))
        })
        .collect()
}

/// `count` elements as `fill` says; `stream` keeps random buffers apart.
pub(super) fn filled(
    fill: &Fill,
    element: ElementType,
    count: usize,
    files: &Files,
    scale: Scale,
    seed: u64,
    stream: u64,
) -> Result<Values, ManifestError> {
    let reals: Vec<f64> = match fill {
        Fill::Zero => vec![0.0; count],
        Fill::Iota => (0..count).map(|i| i as f64).collect(),
        Fill::Value(value) => vec![*value; count],
        Fill::Random([low, high]) => random(element, *low, *high, count, seed, stream),
        Fill::File(name) => {
            let name = for_scale(name, scale);
            let numbers = read_numbers(files, &name, element)?;
            if numbers.len() != count {
                let problem = format!("holds {} elements, {count} are wanted", numbers.len());
                return Err(ManifestError::new(name, problem));
            }
            numbers
        }
    };
    Ok(match element {
        ElementType::F32 => Values::F32(reals.iter().map(|&v| v as f32).collect()),
        ElementType::F64 => Values::F64(reals),
        // Out of range numbers become the nearest value of the type.
        ElementType::I32 => Values::I32(reals.iter().map(|&v| v as i32).collect()),
        ElementType::U32 => Values::U32(reals.iter().map(|&v| v as u32).collect()),
        ElementType::U8 => Values::U8(reals.iter().map(|&v| v as u8).collect()),
    })
}

fn random(
    element: ElementType,
    low: f64,
    high: f64,
    count: usize,
    seed: u64,
    stream: u64,
) -> Vec<f64> {
    let whole = !matches!(element, ElementType::F32 | ElementType::F64);
    let mut generator = Generator::new(seed, stream);
    let mut draw = || {
        // 24 bits, so that the step to single precision changes nothing.
        let value = low + (high - low) * f64::from(generator.unit());
        if whole { value.floor() } else { value }
    };
    (0..count).map(|_| draw()).collect()
}
