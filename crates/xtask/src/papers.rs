//! `cargo xtask papers`: cycles beside GPGPU-Sim 4's, and occupancy.

use upset_apps::Scale;
use upset_chip::ChipSpec;
use upset_device::Device;

use crate::Outcome;

/// Cycles of GPGPU-Sim 4 (gpuFI-4's paper and thesis: PTX code of the same
/// algorithms and inputs) and mean warp occupancy in percent.
type Row = (&'static str, [(f64, f64); 2]);

/// The chips of the papers. Of the third nothing is published that cycles could
/// be compared with: the thesis has no such chip, and the paper shows its
/// occupancy and AVF as figures only.
const CHIPS: [&str; 3] = ["rtx2060", "gv100", "titan"];
const PAPERS: [Row; 10] = [
    ("pathf", [(62_227.0, 38.36), (49_315.0, 12.48)]),
    ("hs", [(15_723.0, 91.0), (7_501.0, 69.56)]),
    ("nw", [(382_139.0, 3.13), (428_969.0, 1.56)]),
    ("lud", [(462_183.0, 3.87), (471_905.0, 1.95)]),
    ("bp", [(18_769.0, 90.62), (9_275.0, 71.54)]),
    ("srad1", [(33_568.0, 51.45), (36_458.0, 24.94)]),
    ("srad2", [(40_994.0, 90.4), (21_644.0, 38.06)]),
    ("bfs", [(85_944.0, 58.0), (61_459.0, 15.81)]),
    ("ge", [(168_459.0, 15.57), (182_099.0, 8.3)]),
    ("km", [(339_218.0, 19.88), (398_076.0, 9.95)]),
];
/// Thread instructions per cycle of GPGPU-Sim 4, in the same order.
const IPC: [[f64; 2]; 10] = [
    [737.98, 932.77],
    [1634.62, 2911.78],
    [14.07, 13.11],
    [14.68, 14.3],
    [1415.19, 3121.23],
    [542.9, 544.96],
    [817.64, 1536.76],
    [99.0, 127.29],
    [76.63, 67.28],
    [125.72, 111.03],
];

/// Runs the command.
pub fn command() -> Outcome<()> {
    println!(
        "{:<8} {:<6} {:>10} {:>10} {:>6} {:>13} {:>13} {:>6} {:>8} {:>8}",
        "CHIP",
        "APP",
        "GPGPU-SIM",
        "CYCLES",
        "RATIO",
        "ITS INSTS",
        "INSTS",
        "RATIO",
        "ITS OCC",
        "OCC"
    );
    let mut worst: f64 = 1.0;
    for (c, name) in CHIPS.into_iter().enumerate() {
        let chip = ChipSpec::preset(name).map_err(|e| e.to_string())?;
        for ((app, papers), ipc) in PAPERS.iter().zip(IPC) {
            let theirs = papers.get(c).zip(ipc.get(c));
            let app = upset_apps::find(app).map_err(|e| e.to_string())?;
            let mut device = Device::timed(&chip).map_err(|e| e.to_string())?;
            app.run(&mut device, Scale::Paper, app.default_seed()).map_err(|e| e.to_string())?;
            let t = device.stats().timing().ok_or("no cycles were counted")?;
            let slots = t.cores.sm.active_cycles as f64 * f64::from(chip.warps());
            let (insts, own) = (t.cores.sm.thread_insts, t.cores.sm.warp_cycles as f64 / slots);
            let ratio = theirs.map(|((cycles, _), _)| t.cycles as f64 / cycles);
            worst = ratio.map_or(worst, |r| worst.max(r.max(1.0 / r)));
            let its_insts = theirs.map(|((cycles, _), ipc)| cycles * ipc);
            println!(
                "{name:<8} {:<6} {:>10} {:>10} {:>6} {:>13} {insts:>13} {:>6} {:>8} {:>7.2}%",
                app.id(),
                figure(theirs.map(|((cycles, _), _)| *cycles), 0, ""),
                t.cycles,
                figure(ratio, 2, ""),
                figure(its_insts, 0, ""),
                figure(its_insts.map(|n| insts as f64 / n), 2, ""),
                figure(theirs.map(|((_, occupancy), _)| *occupancy), 2, "%"),
                100.0 * own,
            );
        }
    }
    println!("largest factor between the two: {worst:.2}");
    println!("-: nobody has published it");
    Ok(())
}

/// A published figure, if there is one.
fn figure(value: Option<f64>, digits: usize, unit: &str) -> String {
    value.map_or("-".into(), |v| format!("{v:.digits$}{unit}"))
}
