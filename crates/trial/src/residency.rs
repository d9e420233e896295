//! Who was where when: the threads and CTAs that a fault could have hit.

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
                        array: ArrayId::data(Kind::Smem, sm),
                        first_byte: u64::from(shared.0),
                        bytes: u64::from(shared.1),
                    });
                }
            }
            Span::Warp { sm, slot, cta, id, cycles, rows, lanes } => {
                let slot_of_chip = u64::from(sm) * u64::from(places.warps) + u64::from(slot);
                residency.warps.push(WarpStay {
                    cycles: cycles.0..cycles.1,
                    launch,
                    cta,
                    warp: id,
                    lanes,
                    rf: ArrayId::data(Kind::Rf, sm * places.subcores + slot % places.subcores),
                    first_row: rows.0,
                    registers: rows.1,
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
