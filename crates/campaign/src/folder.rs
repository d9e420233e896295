//! Applications that are folders, made ready for a chip.

use std::path::Path;

use upset_apps::FolderApp;
use upset_chip::ChipSpec;

use crate::CampaignError;

/// Reads a folder; if it has PTX and no machine code for the chip, a converter that
/// is installed makes some.
pub fn open(folder: &Path, chip: &ChipSpec) -> Result<FolderApp, CampaignError> {
    let mut app = FolderApp::open(folder)?;
    app.convert(chip, upset_launcher::machine_code)?;
    Ok(app)
}
