//! Figures of the thesis behind gpuFI-4 ("GPGPU injector 4.0", Athens 2021).

/// AVF per application in percent, on rtx2060 and gv100: its tables 11 and 12.
pub const THESIS: [(&str, [f64; 2]); 10] = [
    ("hs", [3.36, 3.65]),
    ("km", [0.44, 0.16]),
    ("srad1", [0.92, 0.51]),
    ("srad2", [5.65, 3.12]),
    ("lud", [0.25, 0.18]),
    ("bfs", [0.67, 0.33]),
    ("pathf", [1.09, 0.97]),
    ("nw", [0.30, 0.13]),
    ("ge", [0.06, 0.03]),
    ("bp", [0.53, 0.15]),
];

/// The AVF of an application on a chip, as a share, where it has one.
pub fn avf(app: &str, chip: &str) -> Option<f64> {
    let chip = ["rtx2060", "gv100"].iter().position(|c| *c == chip)?;
    THESIS.iter().find(|(name, _)| *name == app).map(|(_, avf)| avf[chip] / 100.0)
}
