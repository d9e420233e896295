//! Boxes to be used again.

/// Boxes that a packet has brought; none is made while there are some.
#[derive(Clone, Debug)]
pub(crate) struct Spares<T> {
    boxes: Vec<Box<T>>,
    most: usize,
}

impl<T> Spares<T> {
    /// Keeps at most so many.
    pub(crate) fn new(most: usize) -> Spares<T> {
        Spares { boxes: Vec::new(), most }
    }

    #[inline]
    pub(crate) fn take(&mut self) -> Option<Box<T>> {
        self.boxes.pop()
    }

    #[inline]
    pub(crate) fn give(&mut self, spare: Box<T>) {
        if self.boxes.len() < self.most {
            self.boxes.push(spare);
        }
    }
}
