//! The applications: cycles of all their launches.

use upset_apps::Scale;
use upset_chip::Vendor;
use upset_device::{Device, Mode, journal::Event};

use super::hardware::Recording;
use super::line::{Line, print};
use super::model::device;
use crate::Outcome;

/// Cycles that the busiest SM had work, over every launch so far: what the
/// profiler calls `sm__cycles_active.max`.
pub fn model_cycles(device: &Device) -> Option<u64> {
    device.stats().timing().map(|t| t.busiest)
}

/// What each application's host does, at both scales.
pub fn journals() -> Outcome<Vec<(String, Vec<Event>)>> {
    let mut journals = Vec::new();
    for app in upset_apps::built_in_for(Vendor::Nvidia) {
        for scale in Scale::ALL {
            let name = format!("{}.{}", app.id(), scale.name());
            let mut device = device(Mode::Functional)?;
            device.start_journal();
            app.run(&mut device, scale, app.default_seed()).map_err(|e| format!("{name}: {e}"))?;
            journals.push((name, device.take_journal()));
        }
    }
    Ok(journals)
}

/// One line per application and scale that was recorded.
pub fn lines(recording: &Recording, mode: Mode, filter: &str) -> Outcome<Vec<Line>> {
    let mut lines = Vec::new();
    println!("\n{:<34} {:>12} {:>12} {:>8}", "APPLICATION", "H200", "MODEL", "ERROR");
    for app in upset_apps::built_in_for(Vendor::Nvidia) {
        for scale in Scale::ALL {
            let name = format!("{}.{}", app.id(), scale.name());
            let Some(hardware) = recording.apps.get(&name) else { continue };
            if !name.contains(filter) {
                continue;
            }
            let mut device = device(mode)?;
            app.run(&mut device, scale, app.default_seed()).map_err(|e| format!("{name}: {e}"))?;
            let Some(model) = model_cycles(&device) else {
                println!("{name:<34} {:>12.0} {:>12}", hardware.cycles, "-");
                continue;
            };
            let line = Line { name, hardware: hardware.cycles, model: model as f64 };
            print(&line, "cycles of all launches");
            lines.push(line);
        }
    }
    Ok(lines)
}
