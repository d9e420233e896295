//! Rows of a warp in few words: most are equal in all lanes, or grow by the
//! same step from lane to lane.

use upset_isa::{Lanes, WARP};

const ZERO: u32 = 0;
const STEPS: u32 = 1;
const EACH: u32 = 2;

/// Appends a row.
pub(crate) fn pack(row: &Lanes, to: &mut Vec<u32>) {
    let step = row[1].wrapping_sub(row[0]);
    let regular = (0..WARP).all(|l| row[l] == row[0].wrapping_add(step.wrapping_mul(l as u32)));
    match regular {
        true if row[0] == 0 && step == 0 => to.push(ZERO),
        true => to.extend([STEPS, row[0], step]),
        false => {
            to.push(EACH);
            to.extend(row);
        }
    }
}

/// Reads a row and moves `at` behind it.
pub(crate) fn unpack(from: &[u32], at: &mut usize) -> Lanes {
    let rest = from.get(*at..).unwrap_or_default();
    match *rest {
        [STEPS, first, step, ..] => {
            *at += 3;
            std::array::from_fn(|l| first.wrapping_add(step.wrapping_mul(l as u32)))
        }
        [EACH, ref rest @ ..] => {
            *at += 1 + WARP;
            rest.first_chunk().copied().unwrap_or([0; WARP])
        }
        _ => {
            *at += 1;
            [0; WARP]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back() {
        let rows: [Lanes; 4] = [
            [0; WARP],
            [7; WARP],
            std::array::from_fn(|l| 100u32.wrapping_sub(3 * l as u32 * 50)),
            std::array::from_fn(|l| (l * l) as u32),
        ];
        let mut words = Vec::new();
        rows.iter().for_each(|r| pack(r, &mut words));
        let mut at = 0;
        for row in rows {
            assert_eq!(unpack(&words, &mut at), row);
        }
        assert_eq!(at, words.len());
    }
}
