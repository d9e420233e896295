//! The chips that programs run on: presets, made harder by settings.

use super::Program;
use upset_chip::{ChipError, ChipSpec};
use upset_sass::Arch;

/// The preset on which code for `arch` runs. None has sm_80; it is an H200 in
/// everything else.
pub fn preset(arch: Arch) -> Result<ChipSpec, ChipError> {
    let mut chip = ChipSpec::preset(match arch {
        Arch::Sm70 => "gv100",
        Arch::Sm75 => "rtx2060",
        Arch::Sm80 | Arch::Sm90 => "h200",
    })?;
    if arch == Arch::Sm80 {
        chip.chip.name = "h200-sm80".into();
        chip.chip.arch = "sm_80".into();
    }
    Ok(chip)
}

/// The chip on which a program runs: a preset with those of its settings that
/// are possible there.
pub fn chip(program: &Program) -> Result<ChipSpec, ChipError> {
    let chip = preset(program.arch)?;
    if let Ok(with_all) = chip.with(&program.shape.settings) {
        return Ok(with_all);
    }
    let one = |chip: ChipSpec, setting| chip.with(&[setting]).unwrap_or(chip);
    Ok(program.shape.settings.iter().fold(chip, one))
}
