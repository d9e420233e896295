use proptest::prelude::*;

use std::hash::Hasher;

use super::*;
use crate::control::stack::{DEEPEST, DEPTH_BITS, ENTRIES, ENTRY_BITS, STATES};

mod structured;

const ALL: Mask = Mask::MAX;

#[test]
fn two_sides_of_a_branch_meet_where_ssy_said() {
    let mut c = Convergence::with_stack(0, ALL);
    c.push(EntryKind::Sync, 0x100, 8);
    c.branch(0xff, 0x80, 16);
    assert_eq!((c.pc, c.active), (16, !0xff));
    // `.S` of those that fell through; then those that jumped.
    c.leave_for(EntryKind::Sync, ALL, 24);
    assert_eq!((c.pc, c.active), (0x80, 0xff));
    c.leave_for(EntryKind::Sync, ALL, 0x88);
    assert_eq!((c.pc, c.active), (0x100, ALL));
    assert_eq!(c.stack().map(|s| s.depth), Some(0));
    assert_eq!((c.events().lanes_in, c.events().lanes_out), (32, 32));
}

#[test]
fn lanes_whose_guard_holds_leave_and_the_others_go_on() {
    let mut c = Convergence::with_stack(0, ALL);
    c.push(EntryKind::Sync, 0x100, 8);
    c.leave_for(EntryKind::Sync, 0xf, 16);
    assert_eq!((c.pc, c.active), (16, !0xf));
    c.leave_for(EntryKind::Sync, ALL, 24);
    assert_eq!((c.pc, c.active), (0x100, ALL));
}

#[test]
fn whoever_broke_out_does_not_come_back_at_a_join_inside_the_loop() {
    let mut c = Convergence::with_stack(0, 0xff);
    c.push(EntryKind::Break, 0x200, 8);
    c.push(EntryKind::Sync, 0x100, 16);
    c.branch(0x0f, 0x80, 24);
    c.leave_for(EntryKind::Break, 0x30, 32);
    assert_eq!(c.active, 0xc0);
    c.leave_for(EntryKind::Sync, ALL, 40);
    assert_eq!((c.pc, c.active), (0x80, 0x0f));
    c.leave_for(EntryKind::Sync, ALL, 0x88);
    assert_eq!((c.pc, c.active), (0x100, 0xcf));
    c.leave_for(EntryKind::Break, ALL, 0x108);
    assert_eq!((c.pc, c.active), (0x200, 0xff));
    assert_eq!(c.stack().map(|s| s.left), Some([0; 4]));
}

#[test]
fn a_call_of_some_comes_back_to_all() {
    let mut c = Convergence::with_stack(0x40, 0xff);
    c.call(0x0f, 0x400, 0x48);
    assert_eq!((c.pc, c.active), (0x400, 0x0f));
    c.leave_for(EntryKind::Call, 0x03, 0x408);
    assert_eq!((c.pc, c.active), (0x408, 0x0c));
    c.leave_for(EntryKind::Call, ALL, 0x410);
    assert_eq!((c.pc, c.active), (0x48, 0xff));
    // Nobody calls.
    c.call(0, 0x400, 0x50);
    assert_eq!((c.pc, c.active), (0x50, 0xff));
}

#[test]
fn threads_that_exit_are_not_waited_for() {
    let mut c = Convergence::with_stack(0, 0xf);
    c.push(EntryKind::Sync, 0x100, 8);
    c.branch(0x3, 0x80, 16);
    c.exit(ALL, 24);
    assert_eq!((c.pc, c.active, c.live), (0x80, 0x3, 0x3));
    c.leave_for(EntryKind::Sync, ALL, 0x88);
    assert_eq!((c.pc, c.active), (0x100, 0x3));
    c.exit(ALL, 0x108);
    assert_eq!((c.live, c.schedule(), c.check_stack()), (0, false, Ok(())));
}

#[test]
fn a_jump_to_several_places_is_issued_once_for_each() {
    let mut c = Convergence::with_stack(0x40, 0xff);
    let targets = std::array::from_fn(|l| if l % 2 == 0 { 0x100 } else { 0x200 });
    c.push(EntryKind::Sync, 0x300, 0x40);
    c.branch_each(0x3f, &targets, 0x48);
    assert_eq!((c.pc, c.active), (0x100, 0x15));
    c.leave_for(EntryKind::Sync, ALL, 0);
    assert_eq!((c.pc, c.active), (0x40, 0x2a));
    c.branch_each(0x3f, &targets, 0x48);
    assert_eq!((c.pc, c.active), (0x200, 0x2a));
    c.leave_for(EntryKind::Sync, ALL, 0);
    assert_eq!((c.pc, c.active), (0x48, 0xc0));
    c.leave_for(EntryKind::Sync, ALL, 0);
    assert_eq!((c.pc, c.active), (0x300, 0xff));
}

#[test]
fn a_group_stops_at_a_cta_barrier_as_one_and_goes_on_as_it_was() {
    let mut c = Convergence::with_stack(0, 0xff);
    c.push(EntryKind::Sync, 0x100, 8);
    c.branch(0x0f, 0x80, 16);
    c.park_at_cta_barrier(0x30, 3, 24);
    assert_eq!((c.active, c.schedule(), c.others_ready()), (0, false, false));
    assert_eq!((c.at_cta_barrier(3), c.at_cta_barrier(2)), (0xf0, 0));
    c.release_cta_barrier(2);
    assert!(c.is_at_cta_barrier() && !c.schedule());
    c.release_cta_barrier(3);
    assert!(c.others_ready() && !c.is_at_cta_barrier());
    assert!(c.schedule());
    assert_eq!((c.pc, c.active), (24, 0xf0));
    assert_eq!((c.events().bar_arrived, c.events().bar_released), (4, 4));
}

#[test]
fn entries_that_the_sm_has_no_room_for_come_back_in_order() {
    let mut c = Convergence::with_stack(0, ALL);
    let deep = 5 * ENTRIES as u32 + 3;
    for n in 0..deep {
        c.push(EntryKind::Break, 0x1000 + n, 0);
        let used: Vec<usize> = c.stack().unwrap().used().collect();
        assert_eq!(used.len(), ENTRIES.min(n as usize + 1));
        assert_eq!(used.last(), Some(&(n as usize % ENTRIES)));
    }
    for n in (0..deep).rev() {
        c.leave_for(EntryKind::Break, ALL, 0);
        assert_eq!((c.pc, c.active), (0x1000 + n, ALL));
        // The way down and up again somewhere in between.
        if n.is_multiple_of(7) {
            c.push(EntryKind::Sync, 0x2000, 0);
            c.leave_for(EntryKind::Sync, ALL, 0);
            assert_eq!(c.pc, 0x2000);
        }
    }
    assert_eq!(c.check_stack(), Ok(()));
}

#[test]
fn a_stack_that_is_full_or_empty_traps() {
    let full = |c: &mut Convergence| {
        (0..=u32::from(DEEPEST)).find(|n| {
            c.push(EntryKind::Call, 8 * n, 0);
            c.check_stack().is_err()
        })
    };
    let mut c = Convergence::with_stack(0, ALL);
    assert_eq!(full(&mut c), Some(u32::from(DEEPEST) - 1));
    let traps = |kind| {
        let mut c = Convergence::with_stack(0, ALL);
        c.leave_for(kind, ALL, 8);
        c.check_stack()
    };
    for kind in EntryKind::ALL {
        assert!(matches!(traps(kind), Err(TrapKind::Stack(_))), "{kind:?}");
    }
    // Nobody is named twice: who broke without a loop is lost when others end.
    let mut c = Convergence::with_stack(0, ALL);
    c.leave_for(EntryKind::Break, 1, 8);
    c.exit(ALL, 16);
    assert!(c.check_stack().is_err());
}

#[test]
fn an_entry_has_as_many_bits_as_it_is_said_to_have() {
    let mut entry = Entry::default();
    for bit in 0..ENTRY_BITS {
        entry.set_bit(bit, true);
        assert!(entry.bit(bit));
        assert_eq!((0..ENTRY_BITS).filter(|b| entry.bit(*b)).count(), 1, "bit {bit}");
        entry.set_bit(bit, false);
        assert_eq!(entry, Entry::default());
    }
}

#[test]
fn what_cannot_be_seen_is_not_observed() {
    let digest = |c: &Convergence| {
        let mut h = std::hash::DefaultHasher::new();
        c.observe(&mut h);
        h.finish()
    };
    let mut c = Convergence::with_stack(0, ALL);
    c.push(EntryKind::Sync, 0x100, 8);
    let before = digest(&c);
    let entries = &mut c.stack_mut().unwrap().entries;
    entries[1].address ^= 1;
    assert_eq!(digest(&c), before);
    c.stack_mut().unwrap().entries[0].address ^= 1;
    assert_ne!(digest(&c), before);
}

/// What the active group does, whatever it is.
fn operate(c: &mut Convergence, op: u8, mask: Mask, pc: u32) {
    let kind = EntryKind::ALL[usize::from(op) / 16 % EntryKind::ALL.len()];
    match op % 11 {
        0 => c.advance(8),
        1 => c.branch(mask, pc, pc.wrapping_add(8)),
        2 => {
            let targets = std::array::from_fn(|l| pc.rotate_left(l as u32 / 8));
            c.branch_each(mask, &targets, pc);
        }
        3 => c.park_at_cta_barrier(mask, op % 16, pc),
        4 | 5 => c.push(kind, pc, pc.wrapping_add(8)),
        6 => c.call(mask, pc, pc.wrapping_add(8)),
        7 | 8 => c.leave_for(kind, mask, pc),
        9 => c.exit(mask & 0x1111_1111, pc),
        _ => c.yield_to_others(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Whatever bits a fault leaves: something is done, and nobody runs twice.
    #[test]
    fn any_state_is_accepted(
        threads: u32,
        steps in prop::collection::vec(any::<(u8, u32, u32, u16)>(), 0..120),
    ) {
        let mut c = Convergence::with_stack(0, threads);
        for (op, mask, pc, fault) in steps {
            operate(&mut c, op, mask, pc);
            let _ = c.check_stack();
            if fault.is_multiple_of(5) {
                let stack = c.stack_mut().unwrap();
                let n = usize::from(fault / 5);
                match n % 4 {
                    0 => {
                        let bit = mask % ENTRY_BITS;
                        let entry = &mut stack.entries[n / 4 % ENTRIES];
                        let value = !entry.bit(bit);
                        entry.set_bit(bit, value);
                    }
                    1 => stack.depth ^= 1 << (n as u32 / 4 % DEPTH_BITS),
                    2 => stack.left[n / 4 % STATES.len()] ^= mask,
                    _ => c.active ^= mask,
                }
            }
            let stack = c.stack().unwrap();
            prop_assert!(stack.used().count() <= ENTRIES);
            prop_assert!(stack.depth <= DEEPEST);
            if !c.schedule() {
                (0..16).for_each(|bar| c.release_cta_barrier(bar));
            }
        }
        // Whoever is left can be got rid of.
        for _ in 0..2 * u32::from(DEEPEST) {
            (0..16).for_each(|bar| c.release_cta_barrier(bar));
            c.schedule();
            c.exit(c.active, 0);
        }
        prop_assert_eq!(c.active & c.live, 0);
    }
}
