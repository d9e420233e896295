//! A probe with stuck bits and an observer.

use crate::{
    ArrayId, By, Event, Force, Held, LineObserver, Probe, Quirk, Stored, Use, WireObserver,
};

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
    /// Who is told of what drives wires.
    pub wires: Option<Box<dyn WireObserver + Send>>,
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

    fn begin(&mut self, quirk: Quirk) {
        self.held.quirks.begin(quirk);
    }

    fn end(&mut self, quirk: Quirk) {
        self.held.quirks.end(quirk);
    }

    fn hold_words(&mut self, of: Stored, words: &mut [u32]) {
        self.held.store_words(of, words);
    }

    fn hold_bytes(&mut self, of: Stored, bytes: &mut [u8]) {
        self.held.store_bytes(of, bytes);
    }

    #[inline]
    fn breaks(&self) -> bool {
        !self.held.is_empty() || self.wires.is_some()
    }

    fn drives(&self, array: ArrayId) -> bool {
        self.held.has(array) || self.wires.as_ref().is_some_and(|w| w.wants(array))
    }

    fn raises(&self, array: ArrayId) -> bool {
        // What misbehaves may do another thing in the next cycle.
        self.held.words(array).any(|(_, word)| word.value != 0) || self.held.quirks.has(array)
    }

    fn drive(&mut self, of: &Use<'_>, words: &mut [u32]) {
        if let Some(wires) = &mut self.wires {
            wires.driven(of, words);
        }
        self.held.drive(of, words);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Extent, Kind};

    #[test]
    fn held_bits_survive_writes() {
        let array = ArrayId::data(Kind::Smem, 0);
        let mut w = Watch::default();
        w.held.hold(Force { array, bit: 83, value: true });
        let mut bytes = [0u8; 4];
        w.hold_bytes(Stored::whole(array, 64, 0), &mut bytes);
        assert_eq!(bytes, [0, 0, 8, 0]);
        let mut words = [0u32; 1];
        w.hold_words(Stored::whole(array, 64, 0), &mut words);
        assert_eq!(words, [1 << 19]);
        w.hold_words(Stored::whole(ArrayId::data(Kind::Smem, 1), 64, 0), &mut words);
        assert_eq!(words, [1 << 19]);
    }

    #[test]
    fn wires_are_forced_where_they_are_driven() {
        let array = ArrayId::data(Kind::Smem, 0);
        let mut w = Watch::default();
        assert!(!w.drives(array));
        w.held.hold(Force { array, bit: 40, value: true });
        assert!(w.raises(array) && !w.raises(ArrayId::data(Kind::Smem, 1)));
        assert!(w.drives(array) && !w.drives(ArrayId::data(Kind::Smem, 1)));
        let mut words = [1, 1];
        w.drive(&Use::new(array, 32, 7), &mut words);
        assert_eq!(words, [1 | 1 << 8, 1]);
    }

    #[test]
    fn broken_bits_act_where_they_are_written_or_driven() {
        let array = ArrayId::data(Kind::Rf, 0);
        let mut w = Watch::default();
        let quirk = Quirk { array, bit: 37, how: "invert".parse().unwrap() };
        w.begin(quirk);
        assert!(w.drives(array) && !w.held.is_empty());
        let mut words = [0u32; 2];
        w.drive(&Use::new(array, 0, 7), &mut words);
        assert_eq!(words, [0, 1 << 5]);
        // Only the first lane is written, then only the second.
        let first = Stored { extent: Extent::Lanes(1), ..Stored::whole(array, 0, 7) };
        w.hold_words(first, &mut words);
        assert_eq!(words, [0, 1 << 5]);
        w.hold_words(Stored { extent: Extent::Lanes(2), ..first }, &mut words);
        assert_eq!(words, [0, 0]);
        w.end(quirk);
        assert!(!w.drives(array) && w.held.is_empty());
    }
}
