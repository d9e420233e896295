//! Warps by age.

/// Where a warp stands that is not there.
const NOWHERE: u8 = u8::MAX;

/// Warps of a sub-core by age, oldest first. A plain value, so that a look at
/// all of them is one small copy.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    list: [u8; 64],
    /// Where each warp stands in the list.
    place: [u8; 64],
    len: u8,
}

impl Default for Order {
    fn default() -> Self {
        Order { list: [0; 64], place: [NOWHERE; 64], len: 0 }
    }
}

impl Order {
    /// Adds the youngest.
    pub fn push(&mut self, warp: u8) {
        if let Some(slot) = self.list.get_mut(usize::from(self.len)) {
            *slot = warp;
            self.place[usize::from(warp) % 64] = self.len;
            self.len += 1;
        }
    }

    /// Takes one out.
    pub fn remove(&mut self, warp: u8) {
        let Some(i) = self.position(warp) else { return };
        let len = self.len();
        self.place[usize::from(warp) % 64] = NOWHERE;
        self.list.copy_within(i + 1..len, i);
        for &younger in &self.list[i..len - 1] {
            self.place[usize::from(younger) % 64] -= 1;
        }
        self.len -= 1;
    }

    /// Where a warp stands.
    #[inline]
    pub fn position(&self, warp: u8) -> Option<usize> {
        let place = self.place[usize::from(warp) % 64];
        (place != NOWHERE).then_some(usize::from(place))
    }

    /// The places of some warps, given and told as bits.
    #[inline]
    pub fn places(&self, mut warps: u64) -> u64 {
        let mut places = 0;
        while warps != 0 {
            let place = self.place[warps.trailing_zeros() as usize % 64];
            // Nobody stands at a place beyond the last.
            places |= 1_u64.checked_shl(place.into()).unwrap_or(0);
            warps &= warps - 1;
        }
        places
    }

    /// The oldest of some warps, given as bits.
    #[inline]
    pub fn oldest(&self, warps: u64) -> Option<usize> {
        let all = &self.list[..self.len()];
        all.iter().find(|&&w| warps >> (w % 64) & 1 == 1).map(|&w| usize::from(w))
    }

    /// How many there are.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        usize::from(self.len).min(64)
    }

    /// The one at place `i`.
    #[inline]
    pub fn at(&self, i: usize) -> u8 {
        self.list[i % 64]
    }

    /// All by age; places beyond the last mean nothing.
    #[inline]
    pub fn by_age(&self) -> [u8; 64] {
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_follow_who_comes_and_goes() {
        let mut order = Order::default();
        let mut plain: Vec<u8> = Vec::new();
        let mut state = 1_u64;
        for _ in 0..10_000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let warp = (state >> 33) as u8 % 64;
            match plain.iter().position(|&w| w == warp) {
                Some(i) => {
                    plain.remove(i);
                    order.remove(warp);
                }
                None => {
                    plain.push(warp);
                    order.push(warp);
                }
            }
            assert_eq!(order.by_age()[..order.len()], plain);
            for w in 0..64 {
                assert_eq!(order.position(w), plain.iter().position(|&one| one == w));
            }
            let places = (0..plain.len()).filter(|&i| state >> plain[i] & 1 == 1);
            assert_eq!(order.places(state), places.fold(0, |all, i| all | 1 << i));
            let oldest = plain.iter().find(|&&w| state >> w & 1 == 1);
            assert_eq!(order.oldest(state), oldest.map(|&w| usize::from(w)));
        }
    }
}
