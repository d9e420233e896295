//! Reused storage with stable numbers, so that the cycle loop does not allocate.

/// Items by number; freed numbers are used again, last freed first.
#[derive(Clone, Debug)]
pub struct Pool<T> {
    items: Vec<T>,
    free: Vec<u32>,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Pool { items: Vec::new(), free: Vec::new() }
    }
}

impl<T: Default> Pool<T> {
    /// Takes an item; it holds what its last user left.
    pub fn take(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.items.push(T::default());
            self.items.len() as u32 - 1
        })
    }

    /// Gives an item back.
    pub fn put(&mut self, index: u32) {
        self.free.push(index);
    }

    /// Forgets all uses.
    pub fn clear(&mut self) {
        self.free.clear();
        self.free.extend((0..self.items.len() as u32).rev());
    }
}

impl<T> std::ops::Index<u32> for Pool<T> {
    type Output = T;
    fn index(&self, i: u32) -> &T {
        &self.items[i as usize]
    }
}

impl<T> std::ops::IndexMut<u32> for Pool<T> {
    fn index_mut(&mut self, i: u32) -> &mut T {
        &mut self.items[i as usize]
    }
}
