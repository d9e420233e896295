//! Barriers in shared memory that count arrivals and bytes (`mbarrier` in PTX).
//!
//! A barrier is a word of 64 bits. A real H200 shows its upper half to code that
//! arrives, and the whole word once the barrier is given up: bits 1-20 the
//! arrivals that a phase takes, bits 21-41 the bytes that are still to come,
//! bits 43-62 the arrivals that are still to come, all negated, and bit 63 the
//! phase. A phase ends when nothing is to come any more.

/// What an arrival takes off what is to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArrivalKind {
    /// One arrival (`.A1T0`).
    One,
    /// One arrival, and as many bytes more to come as the operand says.
    OneAndExpect,
    /// As many arrivals as the operand says (`.ART0`).
    Many,
    /// One byte more to come (`.A0T1`).
    ExpectOne,
    /// As many bytes more to come as the operand says (`.A0TR`).
    Expect,
    /// As many bytes have come as the operand says (`.A0TX`).
    Complete,
    /// One arrival, once the copies before it have ended (`.ARVCNT`).
    OneAfterCopies,
    /// One byte has come, once the copies before it have ended (`.TRANSCNT`).
    CompleteAfterCopies,
}

/// An arrival at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Arrival {
    /// What it takes off.
    pub kind: ArrivalKind,
    /// Later phases do without those who arrive (`.OPTOUT`).
    pub leaves: bool,
}

const COUNT: u64 = (1 << 20) - 1;
const BYTES: u64 = (1 << 21) - 1;
const EXPECTED_AT: u32 = 1;
const BYTES_AT: u32 = 21;
const PENDING_AT: u32 = 43;

impl Arrival {
    /// Does it wait for the warp's copies to shared memory?
    pub fn is_after_copies(self) -> bool {
        matches!(self.kind, ArrivalKind::OneAfterCopies | ArrivalKind::CompleteAfterCopies)
    }

    /// What one lane with this operand takes off: arrivals in the low half, bytes
    /// (negative where more are to come) in the high one.
    pub fn part(self, operand: u32) -> u64 {
        let (arrivals, bytes) = match self.kind {
            ArrivalKind::One | ArrivalKind::OneAfterCopies => (1, 0),
            ArrivalKind::OneAndExpect => (1, operand.wrapping_neg()),
            ArrivalKind::Many => (operand, 0),
            ArrivalKind::ExpectOne => (0, u32::MAX),
            ArrivalKind::Expect => (0, operand.wrapping_neg()),
            ArrivalKind::Complete => (0, operand),
            ArrivalKind::CompleteAfterCopies => (0, 1),
        };
        u64::from(arrivals) | u64::from(bytes) << 32
    }

    /// The parts of two lanes that arrive together.
    pub fn together(a: u64, b: u64) -> u64 {
        let sum = |shift: u32| u64::from(((a >> shift) as u32).wrapping_add((b >> shift) as u32));
        sum(0) | sum(32) << 32
    }

    /// The barrier after [parts](Self::part) have arrived.
    pub fn arrive(self, barrier: u64, parts: u64) -> u64 {
        let sum = |at: u32, mask: u64, more: u64| (barrier >> at).wrapping_add(more) & mask;
        let expected = sum(EXPECTED_AT, COUNT, if self.leaves { parts & COUNT } else { 0 });
        let bytes = sum(BYTES_AT, BYTES, parts >> 32);
        let mut pending = sum(PENDING_AT, COUNT, parts & COUNT);
        let mut phase = barrier >> 63;
        if pending == 0 && bytes == 0 {
            pending = expected;
            phase ^= 1;
        }
        let unused = barrier & (1 | 1 << 42);
        unused | expected << EXPECTED_AT | bytes << BYTES_AT | pending << PENDING_AT | phase << 63
    }
}

/// Whether the phase whose parity is bit 31 of `asked` is over.
pub fn is_past(barrier: u64, asked: u32) -> bool {
    barrier >> 63 != u64::from(asked >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(count: u64) -> u64 {
        let negated = count.wrapping_neg() & COUNT;
        negated << EXPECTED_AT | negated << PENDING_AT
    }

    fn arrive(barrier: &mut u64, kind: ArrivalKind, leaves: bool, operand: u32) -> u32 {
        let before = *barrier;
        let a = Arrival { kind, leaves };
        *barrier = a.arrive(before, a.part(operand));
        (before >> 32) as u32
    }

    /// The way of a barrier on an H200: what arrivals returned, and after every step
    /// whether the even and the odd phase were over. What comes and is expected returns
    /// nothing; what is said of it is seen by the next arrival.
    #[test]
    fn a_barrier_goes_the_way_of_real_hardware() {
        use ArrivalKind::*;
        let mut b = new(4);
        let mut step = |kind, leaves, operand, before: u32, even: bool| {
            assert_eq!(arrive(&mut b, kind, leaves, operand), before, "{kind:?} {operand}");
            assert_eq!((is_past(b, 0), is_past(b, 1 << 31)), (even, !even), "{kind:?} {operand}");
        };
        step(One, false, 0, 0x7fff_e000, false);
        step(Many, false, 2, 0x7fff_e800, false);
        step(Many, false, 1, 0x7fff_f800, true);
        step(One, true, 0, 0xffff_e000, true);
        step(Expect, false, 48, 0xffff_e800, true);
        step(Complete, false, 16, 0xffff_ebff, true);
        step(OneAndExpect, false, 8, 0xffff_ebff, true);
        step(Complete, false, 40, 0xffff_f3ff, true);
        step(OneAndExpect, true, 4, 0xffff_f000, true);
        step(Complete, false, 4, 0xffff_fbff, true);
        step(Many, true, 1, 0xffff_f800, false);
        step(One, false, 0, 0x7fff_f800, true);
        step(One, false, 0, 0xffff_f800, false);
    }

    #[test]
    fn bytes_may_come_before_they_are_expected() {
        use ArrivalKind::*;
        let mut b = new(2);
        arrive(&mut b, One, false, 0);
        arrive(&mut b, Complete, false, 3);
        // The H200 answered with these after it.
        assert_eq!(arrive(&mut b, One, false, 0), 0x7fff_f800);
        assert!(!is_past(b, 0));
        arrive(&mut b, Expect, false, 3);
        assert!(is_past(b, 0));
        assert_eq!(arrive(&mut b, One, false, 0), 0xffff_f000);
        // Given up, memory shows the whole word.
        assert_eq!(b, 0xffff_f800_001f_fffc);
    }

    #[test]
    fn lanes_that_arrive_together_are_counted_together() {
        let a = Arrival { kind: ArrivalKind::OneAndExpect, leaves: false };
        let all = (0..32).map(|l| a.part(l)).fold(0, Arrival::together);
        assert_eq!((all as u32, (all >> 32) as u32), (32, (31 * 32 / 2u32).wrapping_neg()));
        let copies = Arrival { kind: ArrivalKind::CompleteAfterCopies, leaves: false };
        let expected = Arrival { kind: ArrivalKind::ExpectOne, leaves: false };
        assert_eq!(Arrival::together(copies.part(9), expected.part(9)), 0);
    }
}
