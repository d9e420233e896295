//! Who was where when: the threads and CTAs that a fault could have hit.

use upset_chip::ChipSpec;
use upset_device::{Span, Trace};
use upset_fault::{CtaStay, LocalStay, Residency, WarpStay};
use upset_state::{ArrayId, Kind};

/// Numbers of the chip that tell arrays from slots.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    /// Sub-cores per SM.
    pub subcores: u32,
    /// Warp slots per SM.
    pub warps: u32,
    /// Lanes of a warp.
    pub lanes: u32,
}

impl Places {
    /// The numbers of a chip.
    pub fn of(chip: &ChipSpec) -> Places {
        let lanes = if chip.cu().is_ok() { 64 } else { 32 };
        Places { subcores: chip.subcores(), warps: chip.warps(), lanes }
    }

    /// Registers and shared memory: of SMs, or of compute units.
    fn kinds(self) -> (Kind, Kind) {
        if self.lanes == 64 { (Kind::Vrf, Kind::Lds) } else { (Kind::Rf, Kind::Smem) }
    }
}

/// Reads a trace. Spans come in the order in which they ended, so a kernel's
/// warps and CTAs come before it.
pub fn of(trace: &Trace, places: Places) -> Residency {
    let mut residency = Residency { warps: Vec::new(), ctas: Vec::new() };
    let (mut first_warp, mut launch) = (0, 0);
    let per_lane = |bytes: u32| u64::from(bytes.next_multiple_of(4));
    for span in &trace.spans {
        match *span {
            Span::Kernel { local_bytes, .. } => {
                if local_bytes > 0 {
                    for stay in &mut residency.warps[first_warp..] {
                        if let Some(local) = &mut stay.local {
                            // Until here it was the number of the warp slot.
                            local.first_byte *= per_lane(local_bytes) * 32;
                            local.bytes = local_bytes;
                        }
                    }
                } else {
                    residency.warps[first_warp..].iter_mut().for_each(|w| w.local = None);
                }
                first_warp = residency.warps.len();
                launch += 1;
            }
            Span::Cta { sm, index, cycles, shared, .. } => {
                if shared.1 > 0 {
                    residency.ctas.push(CtaStay {
                        cycles: cycles.0..cycles.1,
                        launch,
                        cta: index,
                        array: ArrayId::data(places.kinds().1, sm),
                        first_byte: u64::from(shared.0),
                        bytes: u64::from(shared.1),
                    });
                }
            }
            Span::Warp { sm, slot, cta, id, cycles, rows, lanes } => {
                // Rows have 32 lanes.
                let rows_of_register = places.lanes / 32;
                let slot_of_chip = u64::from(sm) * u64::from(places.warps) + u64::from(slot);
                residency.warps.push(WarpStay {
                    cycles: cycles.0..cycles.1,
                    launch,
                    cta,
                    warp: id,
                    lanes,
                    width: places.lanes,
                    rf: ArrayId::data(
                        places.kinds().0,
                        sm * places.subcores + slot % places.subcores,
                    ),
                    first_row: rows.0 / rows_of_register,
                    registers: rows.1 / rows_of_register,
                    local: Some(LocalStay {
                        array: ArrayId::data(Kind::Lmem, 0),
                        first_byte: slot_of_chip,
                        bytes: 0,
                    }),
                });
            }
        }
    }
    residency
}
