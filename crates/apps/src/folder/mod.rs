//! Applications that are a folder: a manifest, compiled code, perhaps data.

mod arguments;
mod contents;
mod plan;

use crate::app::{App, AppRun};
use crate::error::AppError;
use crate::launcher::Way;
use crate::manifest::{Manifest, ManifestError};
use crate::output::Output;
use crate::scale::Scale;
use crate::session::{Session, binary};
use crate::target::{Target, best_code};
use crate::verdict::{Tolerance, Verdict, compare_one};
use contents::{Source, read_numbers};
use plan::Plan;
use std::fs;
use std::path::Path;
use upset_chip::ChipSpec;
use upset_device::{Device, TexFormat, Texture};

pub use contents::Files;

/// An application described by a manifest alone.
#[derive(Debug, Clone)]
pub struct FolderApp {
    manifest: Manifest,
    code: Vec<(Target, Vec<u8>)>,
    ptx: Option<(String, Vec<u8>)>,
    converted: Option<Converted>,
    files: Files,
}

/// Code that was made from a folder's PTX.
#[derive(Debug, Clone)]
struct Converted {
    target: Target,
    /// Name and release of who made it.
    by: String,
}

impl FolderApp {
    /// Reads the folder: `app.toml` and every file it names.
    pub fn open(folder: &Path) -> Result<Self, AppError> {
        let path = folder.join("app.toml");
        let text = fs::read_to_string(&path)
            .map_err(|e| ManifestError::new(path.display().to_string(), e.to_string()))?;
        let manifest = Manifest::parse(&text).map_err(|e| {
            ManifestError::new(folder.join(e.place).display().to_string(), e.problem)
        })?;
        let code = contents::read_code(folder, &manifest)?;
        let files = contents::read_files(folder, &manifest)?;
        let app = Self::from_parts(manifest, code.compiled, files)?;
        Ok(Self { ptx: code.ptx, ..app })
    }

    /// Makes code for a chip from the folder's PTX, if it has none for it: `convert`
    /// is given the text and the compute capability, and returns who made code of it
    /// and the code.
    pub fn convert<E>(
        &mut self,
        chip: &ChipSpec,
        convert: impl FnOnce(&[u8], u32) -> Result<(String, Vec<u8>), E>,
    ) -> Result<(), E> {
        let Some(target @ Target::Sm(sm)) = Target::of_chip(chip) else { return Ok(()) };
        let Some((_, text)) = &self.ptx else { return Ok(()) };
        if best_code(target, &self.code).is_none() {
            let (by, code) = convert(text, sm)?;
            self.code.push((target, code));
            self.converted = Some(Converted { target, by });
        }
        Ok(())
    }

    /// An application from what its folder would hold: code by what it is
    /// compiled for, other files by the name the manifest uses.
    pub fn from_parts(
        manifest: Manifest,
        code: Vec<(Target, Vec<u8>)>,
        files: Files,
    ) -> Result<Self, AppError> {
        plan::validate(&manifest)?;
        Ok(Self { manifest, code, ptx: None, converted: None, files })
    }

    /// Its buffers and how many elements each has at a scale.
    pub fn sizes(&self, scale: Scale) -> Result<Vec<(String, usize)>, AppError> {
        Ok(Plan::new(&self.manifest, scale)?.into_sizes())
    }

    /// The right values of an output, if the manifest names them.
    fn expected(&self, output: usize, scale: Scale) -> Result<Option<Vec<f64>>, ManifestError> {
        let note = &self.manifest.outputs[output];
        let Some(name) = &note.expected else {
            return Ok(None);
        };
        let buffers = &self.manifest.buffers;
        let buffer = buffers.iter().find(|b| b.name == note.buffer);
        let element =
            buffer.map(|b| b.element).ok_or_else(|| arguments::no_buffer(&note.buffer))?;
        read_numbers(&self.files, &contents::for_scale(name, scale), element).map(Some)
    }
}

impl App for FolderApp {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn targets(&self) -> Vec<Target> {
        self.code.iter().map(|(target, _)| *target).collect()
    }

    fn binaries(&self, chip: &ChipSpec) -> Vec<(String, Vec<u8>)> {
        let mut found = binary(&self.manifest.id, chip, &self.code);
        // Another converter makes other code of the same text.
        if let (Some(ptx), Some(made)) = (&self.ptx, &self.converted)
            && Target::of_chip(chip) == Some(made.target)
        {
            found.iter_mut().for_each(|(name, _)| name.clone_from(&made.by));
            found.push(ptx.clone());
        }
        found
    }

    fn run_by(
        &self,
        gpu: &mut Device,
        scale: Scale,
        seed: u64,
        way: Way<'_>,
    ) -> Result<AppRun, AppError> {
        let plan = Plan::new(&self.manifest, scale)?;
        let source = Source { files: &self.files, scale, seed };
        let contents = plan.fill(&self.manifest, &source)?;
        for (index, note) in self.manifest.outputs.iter().enumerate() {
            let given = self.expected(index, scale)?.map(|e| e.len());
            let count = plan.count(&note.buffer);
            if given.is_some_and(|given| given != count) {
                let place = format!("app.toml, outputs, {}", note.buffer);
                let problem = format!(
                    "the expected file holds {} elements, the buffer {count}",
                    given.unwrap_or(0)
                );
                return Err(ManifestError::new(place, problem).into());
            }
        }

        let mut session =
            Session::open(gpu, &self.manifest.id, &self.code, way.code, way.launcher)?;
        let mut addresses = Vec::new();
        for values in &contents.buffers {
            addresses.push(session.place(&values.to_bytes())?);
        }
        for (constant, values) in self.manifest.constants.iter().zip(&contents.constants) {
            session.write_symbol(&constant.symbol, &values.to_bytes())?;
        }
        for texture in &self.manifest.textures {
            let index = plan.index(&texture.buffer)?;
            let bytes = contents.buffers[index].to_bytes().len() as u64;
            let binding = Texture::linear(addresses[index].0, bytes, TexFormat::F32);
            session.bind_texture(&texture.name, binding)?;
        }
        plan.launch_all(&self.manifest, &addresses, &mut session)?;

        let mut outputs = Vec::new();
        for note in &self.manifest.outputs {
            let index = plan.index(&note.buffer)?;
            let initial = &contents.buffers[index];
            let element = initial.element_type();
            let bytes: Vec<u8> = session.read(addresses[index], initial.len() * element.size())?;
            let values = crate::Values::from_bytes(element, &bytes);
            outputs.push(Output { name: note.buffer.clone(), values });
        }
        Ok(AppRun {
            app: self.manifest.id.clone(),
            scale,
            seed,
            outputs,
            launches: session.close()?,
        })
    }

    fn check(&self, run: &AppRun) -> Verdict {
        let tolerance = self.manifest.tolerance.clone();
        let mut verdict = Verdict {
            passed: true,
            compared: 0,
            max_ulps: 0.0,
            max_relative: 0.0,
            tolerance: tolerance.unwrap_or(Tolerance::EXACT),
            first_mismatch: None,
        };
        for (index, note) in self.manifest.outputs.iter().enumerate() {
            let found = run.outputs.iter().find(|o| o.name == note.buffer);
            match self.expected(index, run.scale) {
                Ok(Some(right)) => {
                    compare_one(found.map(|o| &o.values), &note.buffer, &right, &mut verdict);
                }
                Ok(None) => {}
                // `run` reads the same file first, so this is another folder's run.
                Err(_) => verdict.passed = false,
            }
        }
        verdict
    }
}

#[cfg(test)]
mod tests;
