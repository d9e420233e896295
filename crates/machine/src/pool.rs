//! Reused storage with stable numbers, so that the cycle loop does not allocate.

/// Items by number; freed numbers are used again, last freed first.
#[derive(Clone, Debug)]
pub struct Pool<T> {
    items: Vec<T>,
    free: Vec<u32>,
    /// When each item was taken, by the count of takings; `FREE` for those that are not.
    born: Vec<u64>,
    taken: u64,
}

const FREE: u64 = u64::MAX;

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Pool { items: Vec::new(), free: Vec::new(), born: Vec::new(), taken: 0 }
    }
}

impl<T: Default> Pool<T> {
    /// Takes an item; it holds what its last user left.
    #[inline]
    pub fn take(&mut self) -> u32 {
        let index = self.free.pop().unwrap_or_else(|| self.grow());
        self.born[index as usize] = self.taken;
        self.taken += 1;
        index
    }

    #[cold]
    fn grow(&mut self) -> u32 {
        self.items.push(T::default());
        self.born.push(FREE);
        // Whatever is in use can be given back without growing.
        self.free.reserve(self.items.len());
        self.items.len() as u32 - 1
    }

    /// Gives an item back.
    #[inline]
    pub fn put(&mut self, index: u32) {
        self.free.push(index);
        self.born[index as usize] = FREE;
    }

    /// Forgets all uses.
    pub fn clear(&mut self) {
        self.free.clear();
        self.free.extend((0..self.items.len() as u32).rev());
        self.born.fill(FREE);
    }

    /// Items in use, those taken first before the others: a number for each
    /// that does not depend on where it is stored.
    pub fn by_age(&self) -> Vec<u32> {
        let used = |i: &u32| self.born[*i as usize] != FREE;
        let mut list: Vec<u32> = (0..self.items.len() as u32).filter(used).collect();
        list.sort_unstable_by_key(|i| self.born[*i as usize]);
        list
    }

    /// Place of an item in that list; none that is in use has another's.
    pub fn age(&self, index: u32) -> u64 {
        let born = self.born.get(index as usize).copied().unwrap_or(FREE);
        self.born.iter().filter(|b| **b < born).count() as u64
    }
}

impl<T> std::ops::Index<u32> for Pool<T> {
    type Output = T;
    #[inline]
    fn index(&self, i: u32) -> &T {
        &self.items[i as usize]
    }
}

impl<T> std::ops::IndexMut<u32> for Pool<T> {
    #[inline]
    fn index_mut(&mut self, i: u32) -> &mut T {
        &mut self.items[i as usize]
    }
}
