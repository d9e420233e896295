//! Storage that begins where a line of the host's caches does. Rows and lines of
//! simulated arrays are as long as two of those, so that each lies in two: else
//! it would touch three, and what a simulator waits for is mostly that.

use std::ops::{Deref, DerefMut};

/// Bytes of a line of the host's caches.
const HOST_LINE: usize = 64;

/// Words or bytes, of a fixed number.
#[derive(Debug)]
pub struct Aligned<T> {
    all: Vec<T>,
    /// What lies before it only moves the others.
    first: usize,
}

impl<T: Copy + Default> Aligned<T> {
    const SPARE: usize = HOST_LINE / size_of::<T>() - 1;

    /// So many zeroes.
    pub fn new(len: usize) -> Aligned<T> {
        let all = vec![T::default(); len + Self::SPARE];
        let first = all.as_ptr().align_offset(HOST_LINE).min(Self::SPARE);
        let mut aligned = Aligned { all, first };
        aligned.all.truncate(first + len);
        aligned
    }
}

impl<T: Copy + Default> Clone for Aligned<T> {
    fn clone(&self) -> Self {
        let mut all: Vec<T> = Vec::with_capacity(self.len() + Self::SPARE);
        let first = all.as_ptr().align_offset(HOST_LINE).min(Self::SPARE);
        all.resize(first, T::default());
        all.extend_from_slice(self);
        Aligned { all, first }
    }
}

impl<T> Deref for Aligned<T> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        &self.all[self.first..]
    }
}

impl<T> DerefMut for Aligned<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.all[self.first..]
    }
}

impl<T: PartialEq> PartialEq for Aligned<T> {
    fn eq(&self, other: &Self) -> bool {
        self[..] == other[..]
    }
}

impl<T: Eq> Eq for Aligned<T> {}

/// Rows of a word per lane.
impl AsRef<[[u32; 32]]> for Aligned<u32> {
    #[inline]
    fn as_ref(&self) -> &[[u32; 32]] {
        self.as_chunks().0
    }
}

impl AsMut<[[u32; 32]]> for Aligned<u32> {
    #[inline]
    fn as_mut(&mut self) -> &mut [[u32; 32]] {
        self.as_chunks_mut().0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_begins_with_a_line_wherever_it_is_copied_to() {
        for len in [1, 31, 32, 4096, 100_000] {
            let mut words = Aligned::<u32>::new(len);
            words.iter_mut().enumerate().for_each(|(i, word)| *word = i as u32);
            let copies: Vec<Aligned<u32>> = (0..5).map(|_| words.clone()).collect();
            for copy in &copies {
                assert_eq!((copy.len(), copy), (len, &words));
                assert_eq!(copy.as_ptr() as usize % HOST_LINE, 0);
            }
            assert_eq!(Aligned::<u8>::new(len).as_ptr() as usize % HOST_LINE, 0);
        }
    }

    #[test]
    fn rows_are_words_of_all_lanes() {
        let mut words = Aligned::<u32>::new(96);
        let rows: &mut [[u32; 32]] = words.as_mut();
        rows[1][3] = 7;
        assert_eq!((words[35], AsRef::<[[u32; 32]]>::as_ref(&words).len()), (7, 3));
    }
}
