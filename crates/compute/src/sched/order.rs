//! Warps by age.

/// Warps of a sub-core by age, oldest first. A plain value, so that a look at
/// all of them is one small copy.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    list: [u8; 64],
    len: u8,
}

impl Default for Order {
    fn default() -> Self {
        Order { list: [0; 64], len: 0 }
    }
}

impl Order {
    /// Adds the youngest.
    pub fn push(&mut self, warp: u8) {
        if let Some(slot) = self.list.get_mut(usize::from(self.len)) {
            *slot = warp;
            self.len += 1;
        }
    }

    /// Takes one out.
    pub fn remove(&mut self, warp: u8) {
        if let Some(i) = self.position(warp) {
            self.list.copy_within(i + 1..usize::from(self.len), i);
            self.len -= 1;
        }
    }

    /// Where a warp stands.
    pub fn position(&self, warp: u8) -> Option<usize> {
        self.list[..self.len()].iter().position(|&w| w == warp)
    }

    /// How many there are.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        usize::from(self.len) % 65
    }

    /// The one at place `i`.
    #[inline]
    pub fn at(&self, i: usize) -> u8 {
        self.list[i % 64]
    }
}
