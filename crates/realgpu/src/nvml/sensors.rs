//! One reading of a card's sensors.

use std::ffi::c_int;

use upset_burn::Sensors;
use upset_burn::sensors::{EccCount, Remapped};

use super::api::{INSUFFICIENT_SIZE, SRAM_VERSION, SramErrors};
use super::card::Card;

/// Why clocks are below their highest: bits of `nvml.h`, in its order.
const REASONS: [(u64, &str); 9] = [
    (0x1, "idle"),
    (0x2, "application clocks"),
    (0x4, "software power cap"),
    (0x8, "hardware slowdown"),
    (0x10, "sync boost"),
    (0x20, "software thermal slowdown"),
    (0x40, "hardware thermal slowdown"),
    (0x80, "hardware power brake"),
    (0x100, "display clocks"),
];

/// Places of `nvmlMemoryLocation_t`, in its order.
const PLACES: [&str; 8] =
    ["l1", "l2", "dram", "register file", "texture memory", "shared memory", "cbu", "sram"];

/// Places of uncorrected errors that `nvmlEccSramErrorStatus_t` tells apart.
const SRAM_PLACES: [&str; 5] =
    ["sram l2", "sram sm", "sram pcie", "sram microcontroller", "sram other"];

impl Card {
    /// Reads them all. What is not told is named in `missing`.
    pub fn sensors(&mut self, at: f64) -> Sensors {
        self.collect_events(0);
        let mut out = Sensors { at, xids: self.xids().to_vec(), ..Sensors::default() };
        self.heat_and_power(&mut out);
        self.errors(&mut out);
        let missing = [
            ("temperature", out.temperature.is_none()),
            ("power", out.power.is_none()),
            ("power limit", out.power_limit.is_none()),
            ("SM clock", out.sm_clock.is_none()),
            ("memory clock", out.memory_clock.is_none()),
            ("clock reasons", out.clock_reasons.is_none()),
            ("ECC counts", out.ecc.is_empty()),
            ("remapped rows", out.remapped.is_none()),
            ("PCIe replays", out.pcie_replays.is_none()),
            ("Xid events", self.events.is_none()),
        ];
        out.missing =
            missing.into_iter().filter(|(_, gone)| *gone).map(|(n, _)| n.to_string()).collect();
        out
    }

    fn heat_and_power(&self, out: &mut Sensors) {
        let (api, device) = (&self.api, self.device);
        let mut value = 0;
        // SAFETY: each function writes one number to a place of its type, for a
        // device that NVML gave.
        unsafe {
            out.temperature =
                api.temperature.filter(|f| f(device, 0, &mut value) == 0).map(|_| f64::from(value));
            out.power =
                api.power.filter(|f| f(device, &mut value) == 0).map(|_| f64::from(value) / 1000.0);
            out.power_limit = api
                .power_limit
                .filter(|f| f(device, &mut value) == 0)
                .map(|_| f64::from(value) / 1000.0);
            let mut clock = |which: c_int| {
                api.clock.filter(|f| f(device, which, &mut value) == 0).map(|_| f64::from(value))
            };
            out.sm_clock = clock(1);
            out.memory_clock = clock(2);
            let mut bits = 0;
            out.clock_reasons = api
                .reasons
                .or(api.old_reasons)
                .filter(|f| f(device, &mut bits) == 0)
                .map(|_| reason_names(bits));
            out.pcie_replays =
                api.replays.filter(|f| f(device, &mut value) == 0).map(|_| u64::from(value));
        }
    }

    fn errors(&self, out: &mut Sensors) {
        let (api, device) = (&self.api, self.device);
        let mut tell = |place: &str, kind: c_int, counter: c_int, count: u64| {
            out.ecc.push(EccCount {
                place: place.into(),
                corrected: kind == 0,
                volatile: counter == 0,
                count,
            });
        };
        for kind in [0, 1] {
            for counter in [0, 1] {
                let mut count = 0;
                let told = api.ecc_total.is_some_and(|f| {
                    // SAFETY: the count is written to a place of its type.
                    let status = unsafe { f(device, kind, counter, &mut count) };
                    status == 0
                });
                if told {
                    tell("all", kind, counter, count);
                }
                for (number, place) in (0..).zip(PLACES) {
                    let told = api.ecc_at.is_some_and(|f| {
                        // SAFETY: as above; places a card lacks are refused.
                        let status = unsafe { f(device, kind, counter, number, &mut count) };
                        status == 0
                    });
                    if told {
                        tell(place, kind, counter, count);
                    }
                }
            }
        }
        let mut sram = SramErrors { version: SRAM_VERSION, ..SramErrors::default() };
        // SAFETY: the struct has the version's size.
        if api.ecc_sram.is_some_and(|f| unsafe { f(device, &mut sram) } == 0) {
            for (place, count) in SRAM_PLACES.into_iter().zip(sram.places) {
                tell(place, 1, 1, count);
            }
        }
        out.remapped = self.remapped();
    }

    /// Remapped rows (Ampere and later), or retired pages before.
    fn remapped(&self) -> Option<Remapped> {
        let (mut corrected, mut uncorrected, mut pending, mut failed) = (0, 0, 0, 0);
        let rows = self.api.remapped.is_some_and(|f| {
            // SAFETY: four numbers are written to places of their type.
            (unsafe { f(self.device, &mut corrected, &mut uncorrected, &mut pending, &mut failed) })
                == 0
        });
        if rows {
            return Some(Remapped {
                corrected: corrected.into(),
                uncorrected: uncorrected.into(),
                pending: pending != 0,
                failed: failed != 0,
            });
        }
        let pages = |cause| {
            let mut count = 0;
            // SAFETY: with room for none, NVML writes the count alone.
            let status =
                unsafe { self.api.retired?(self.device, cause, &mut count, std::ptr::null_mut()) };
            matches!(status, 0 | INSUFFICIENT_SIZE).then_some(u64::from(count))
        };
        Some(Remapped {
            corrected: pages(0)?,
            uncorrected: pages(1)?,
            pending: false,
            failed: false,
        })
    }
}

fn reason_names(bits: u64) -> Vec<String> {
    let known = REASONS.iter().filter(|(bit, _)| bits & bit != 0).map(|(_, n)| n.to_string());
    let rest = bits & !REASONS.iter().fold(0, |all, (bit, _)| all | bit);
    known.chain((rest != 0).then(|| format!("{rest:#x}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::reason_names;

    #[test]
    fn reasons_have_their_names_and_unknown_ones_their_bits() {
        assert_eq!(reason_names(0x44), ["software power cap", "hardware thermal slowdown"]);
        assert_eq!(reason_names(0x1001), ["idle", "0x1000"]);
        assert!(reason_names(0).is_empty());
    }
}
