//! Results go where they belong.

use super::outcome::Outcome;
use super::reg::Destinations;

/// Writes everything that an instruction has to write.
#[inline]
pub fn write(to: &mut impl Destinations, outcome: &Outcome) {
    let rows = &outcome.rows;
    for word in 0..usize::from(rows.count) {
        for half in 0..2 {
            let mask = rows.lanes[half];
            if mask != 0 {
                to.write_vgpr(rows.first + word as u32, half, mask, &outcome.vector[half].d[word]);
            }
        }
    }
    for &(reg, value) in outcome.scalars.list() {
        to.write_scalar(reg, value);
    }
}
