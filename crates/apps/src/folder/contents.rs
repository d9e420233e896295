//! What a folder's files hold, and what buffers are filled with.

use crate::Scale;
use crate::manifest::{Fill, Manifest, ManifestError};
use crate::random::Generator;
use crate::target::Target;
use crate::values::{ElementType, Values};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path};

/// What files with PTX end in, and their key under `[code]`.
const PTX: &str = "ptx";

/// A folder's data files, by the name the manifest uses.
pub type Files = BTreeMap<String, Vec<u8>>;

/// A folder's device code.
pub(super) struct Code {
    /// Compiled, by what it is for.
    pub compiled: Vec<(Target, Vec<u8>)>,
    /// PTX, which a converter makes code of: the file's name and text.
    pub ptx: Option<(String, Vec<u8>)>,
}

/// The code the manifest names, or else `<id>.sm_NN.cubin`, `<id>.gfxNNN.co` and
/// `<id>.ptx`.
pub(super) fn read_code(folder: &Path, manifest: &Manifest) -> Result<Code, ManifestError> {
    let (mut code, mut ptx) = (Vec::new(), None);
    for (arch, name) in &manifest.code {
        let bytes = read(folder, name)?;
        if arch == PTX {
            ptx = Some((name.clone(), bytes));
            continue;
        }
        let target = arch.parse().map_err(|e: String| ManifestError::new("app.toml, code", e))?;
        code.push((target, bytes));
    }
    if manifest.code.is_empty() {
        let name = format!("{}.{PTX}", manifest.id);
        if folder.join(&name).is_file() {
            let text = read(folder, &name)?;
            ptx = Some((name, text));
        }
        for target in Target::KNOWN {
            let name = target.file_name(&manifest.id);
            if folder.join(&name).is_file() {
                code.push((target, read(folder, &name)?));
            }
        }
    }
    if code.is_empty() && ptx.is_none() {
        let [nvidia, amd] = [Target::Sm(75), Target::Gfx(600)].map(|t| t.file_name(&manifest.id));
        return Err(ManifestError::new(
            folder.display().to_string(),
            format!(
                "there is no code: put {nvidia}, {amd} or {}.{PTX} there or name it under [code]",
                manifest.id
            ),
        ));
    }
    Ok(Code { compiled: code, ptx })
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

/// Where the contents of a run's buffers come from.
pub(super) struct Source<'s> {
    pub files: &'s Files,
    pub scale: Scale,
    pub seed: u64,
}

impl Source<'_> {
    /// `count` elements as `fill` says; `stream` keeps random buffers apart.
    pub fn filled(
        &self,
        fill: &Fill,
        element: ElementType,
        count: usize,
        stream: u64,
    ) -> Result<Values, ManifestError> {
        Ok(match fill {
            Fill::Zero => made(element, count, |_| 0.0),
            Fill::Iota => made(element, count, |i| i as f64),
            Fill::Value(value) => made(element, count, |_| *value),
            Fill::Random([low, high]) => {
                let whole = !matches!(element, ElementType::F32 | ElementType::F64);
                let mut generator = Generator::new(self.seed, stream);
                made(element, count, |_| {
                    // 24 bits, so that the step to single precision changes nothing.
                    let value = low + (high - low) * f64::from(generator.unit());
                    if whole { value.floor() } else { value }
                })
            }
            Fill::File(name) => {
                let name = for_scale(name, self.scale);
                let numbers = read_numbers(self.files, &name, element)?;
                if numbers.len() != count {
                    let problem = format!("holds {} elements, {count} are wanted", numbers.len());
                    return Err(ManifestError::new(name, problem));
                }
                made(element, count, |i| numbers[i])
            }
        })
    }
}

/// An array of `count` elements; numbers out of range become the nearest value
/// of the type.
fn made(element: ElementType, count: usize, mut value: impl FnMut(usize) -> f64) -> Values {
    match element {
        ElementType::F32 => Values::F32((0..count).map(|i| value(i) as f32).collect()),
        ElementType::F64 => Values::F64((0..count).map(value).collect()),
        ElementType::I32 => Values::I32((0..count).map(|i| value(i) as i32).collect()),
        ElementType::U32 => Values::U32((0..count).map(|i| value(i) as u32).collect()),
        ElementType::U8 => Values::U8((0..count).map(|i| value(i) as u8).collect()),
    }
}
