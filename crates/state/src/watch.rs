//! A probe with stuck bits and an observer.

use crate::{ArrayId, By, Event, Force, Held, LineObserver, Probe};

/// Receives events.
pub type Observer = Box<dyn FnMut(&Event) + Send>;

/// Holds bits and tells an observer.
#[derive(Default)]
pub struct Watch {
    /// Bits held now.
    pub held: Held,
    /// Who is told.
    pub observer: Option<Observer>,
    /// Who is told of tags and states of lines.
    pub lines: Option<Box<dyn LineObserver + Send>>,
    /// Who acts now.
    by: By,
}

impl Watch {
    /// Tells `observer` of every access.
    pub fn observe(observer: impl FnMut(&Event) + Send + 'static) -> Watch {
        Watch { observer: Some(Box::new(observer)), ..Watch::default() }
    }
}

impl Probe for Watch {
    const ACTIVE: bool = true;

    fn lines(&mut self) -> Option<&mut (dyn LineObserver + Send)> {
        match &mut self.lines {
            Some(lines) => Some(&mut **lines),
            None => None,
        }
    }

    fn event(&mut self, event: Event) {
        if let Some(tell) = &mut self.observer {
            tell(&Event { by: self.by, ..event });
        }
    }

    fn acting(&mut self, by: By) {
        self.by = by;
    }

    fn held(&self) -> Option<&Held> {
        Some(&self.held)
    }

    fn hold(&mut self, force: Force) {
        self.held.hold(force);
    }

    fn let_go(&mut self, force: Force) {
        self.held.let_go(force);
    }

    fn hold_words(&mut self, array: ArrayId, first: u64, words: &mut [u32]) {
        self.held.force_words(array, first, words);
    }

    fn hold_bytes(&mut self, array: ArrayId, first: u64, bytes: &mut [u8]) {
        self.held.force_bytes(array, first, bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    #[test]
    fn held_bits_survive_writes() {
        let array = ArrayId::data(Kind::Smem, 0);
        let mut w = Watch::default();
        w.held.hold(Force { array, bit: 83, value: true });
        let mut bytes = [0u8; 4];
        w.hold_bytes(array, 64, &mut bytes);
        assert_eq!(bytes, [0, 0, 8, 0]);
        let mut words = [0u32; 1];
        w.hold_words(array, 64, &mut words);
        assert_eq!(words, [1 << 19]);
        w.hold_words(ArrayId::data(Kind::Smem, 1), 64, &mut words);
        assert_eq!(words, [1 << 19]);
    }
}
