//! What a subject of a campaign is expected to cost, in instructions of warps or
//! wavefronts that are simulated: enough to balance shards and to foretell time.

use upset_apps::Scale;

use crate::spec::Spec;

/// Instructions of a fault-free run at both scales, counted in functional mode
/// (`upset run APP --functional`), and kernels; a test counts again.
pub const WORK: &[(&str, u64, u64, u64)] = &[
    ("va", 480, 23475, 1),
    ("sp", 18824, 725248, 1),
    ("hs", 23172, 712316, 1),
    ("km", 25656, 786831, 2),
    ("srad1", 37052, 414522, 6),
    ("srad2", 43296, 1212672, 2),
    ("lud", 17638, 166668, 3),
    ("bfs", 38939, 1028476, 2),
    ("pathf", 20550, 1151317, 1),
    ("nw", 10514, 213003, 2),
    ("ge", 14791, 719471, 2),
    ("bp", 20887, 667671, 2),
    ("fft", 1512, 12096, 1),
    ("gray", 832, 3328, 1),
    ("mmul", 4064, 27776, 1),
    ("reduce", 6711, 16631, 1),
    ("sobel", 1622, 6636, 1),
    ("sort", 2219, 53541, 1),
    ("tran", 1504, 12032, 1),
    ("bins", 522, 7602, 1),
    ("bits", 2736, 16720, 1),
    ("dct", 1328, 10624, 1),
    ("dwt", 606, 2016, 1),
    ("fwt", 752, 3760, 1),
    ("fw", 22133, 175590, 1),
    ("his", 11404, 182464, 1),
    ("mm", 7880, 485888, 1),
    ("mt", 1456, 23296, 1),
    ("qrs", 399, 3584, 1),
    ("rg", 23040, 1746432, 2),
    ("red", 1548, 49536, 1),
    ("sc", 2664, 21240, 1),
    ("urng", 6800, 435200, 1),
];

/// What is not in the table (programs, folders): all that is known of them is
/// that they are alike.
const UNKNOWN: u64 = 500_000;

/// Fault-free runs that a subject takes before and beside its experiments: the
/// first, what is in use, the walk with everyone who is followed.
const FIXED: f64 = 5.0;

/// Share of a fault-free run that an experiment takes on average, measured for
/// the twelve applications and five structures of `studies/papers.toml`; it
/// balances, it promises nothing.
const PER_RUN: f64 = 0.0085;

/// The same without exactness: from cycle 0 to the end.
const PER_NAIVE_RUN: f64 = 1.1;

/// Cost of a subject: what every piece of it takes, and what its pieces share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Taken by each piece.
    pub fixed: f64,
    /// Of all experiments together.
    pub shared: f64,
}

impl Cost {
    /// With so many pieces, of one of them.
    pub fn of_piece(self, pieces: u32) -> f64 {
        self.fixed + self.shared / f64::from(pieces.max(1))
    }
}

/// Instructions of a fault-free run, as far as they are known beforehand.
pub fn work(app: &str, scale: Scale) -> Option<u64> {
    let (_, small, paper, _) = row(app)?;
    Some(match scale {
        Scale::Small => *small,
        Scale::Paper => *paper,
    })
}

/// Kernels of an application, each of which is a stratum where none are named.
pub fn kernels(app: &str) -> Option<u64> {
    row(app).map(|(.., kernels)| *kernels)
}

fn row(app: &str) -> Option<&'static (&'static str, u64, u64, u64)> {
    let id = upset_apps::find(app).map(|app| app.id()).ok()?;
    WORK.iter().find(|(name, ..)| *name == id)
}

/// Cost of a subject with so many experiments.
pub fn cost(spec: &Spec, app: Option<&str>, experiments: u64) -> Cost {
    let known = app.and_then(|app| work(app, spec.scale));
    let work = known.unwrap_or(UNKNOWN) as f64;
    let per_run = if spec.exact { PER_RUN } else { PER_NAIVE_RUN };
    Cost { fixed: FIXED * work, shared: per_run * work * experiments as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_application_is_in_the_table() {
        for app in upset_apps::built_in() {
            assert!(work(app.id(), Scale::Small).is_some(), "add {} to WORK", app.id());
            assert!(work(app.id(), Scale::Paper) >= work(app.id(), Scale::Small));
        }
        assert_eq!(work("hotspot", Scale::Paper), Some(712316), "aliases too");
        assert_eq!(work("no-such-thing", Scale::Paper), None);
    }

    #[test]
    fn pieces_share_experiments_and_repeat_the_rest() {
        let cost = Cost { fixed: 10.0, shared: 100.0 };
        assert_eq!((cost.of_piece(1), cost.of_piece(4)), (110.0, 35.0));
    }
}
