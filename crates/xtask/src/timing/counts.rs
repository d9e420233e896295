//! Instructions that the applications execute, beside the hardware's counters
//! `smsp__inst_executed` and `smsp__thread_inst_executed`.

use upset_apps::Scale;
use upset_chip::Vendor;
use upset_device::Mode;

use super::hardware::Recording;
use super::model::device;
use crate::Outcome;

/// Prints one line per application and scale that was recorded. An error says
/// how many differ.
pub fn compare(recording: &Recording, filter: &str) -> Outcome<()> {
    println!(
        "{:<14} {:>14} {:>14} {:>8} {:>16} {:>16} {:>8}",
        "APPLICATION", "WARP H200", "MODEL", "MORE", "THREAD H200", "MODEL", "MORE"
    );
    let mut differ = 0;
    for app in upset_apps::built_in_for(Vendor::Nvidia) {
        for scale in Scale::ALL {
            let name = format!("{}.{}", app.id(), scale.name());
            let Some(hardware) = recording.apps.get(&name).filter(|_| name.contains(filter)) else {
                continue;
            };
            let mut device = device(Mode::Functional)?;
            app.run(&mut device, scale, app.default_seed()).map_err(|e| format!("{name}: {e}"))?;
            let (_, warps, threads) = device.stats().total();
            let more = |model: u64, hardware: u64| model as i64 - hardware as i64;
            let warp = more(warps, hardware.instructions);
            print!("{name:<14} {:>14} {warps:>14} {warp:>+8} ", hardware.instructions);
            let thread = hardware.threads.map(|h| more(threads, h));
            match (hardware.threads, thread) {
                (Some(h), Some(more)) => println!("{h:>16} {threads:>16} {more:>+8}"),
                _ => println!("{:>16} {threads:>16} {:>8}", "not recorded", "-"),
            }
            differ += u32::from(warp != 0 || thread.is_some_and(|more| more != 0));
        }
    }
    if differ == 0 { Ok(()) } else { Err(format!("{differ} differ")) }
}
