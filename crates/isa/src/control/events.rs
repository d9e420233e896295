//! What a warp's control logic counts.

/// Events of a warp since it began. They change nothing, and nothing depends
/// on them.
///
/// Threads that come to a `BSYNC` arrive, whether the barrier names them and
/// they wait, or it does not and they pass. A thread leaves by a release or by
/// passing; `EXIT` is for threads that run, so whoever has arrived must leave
/// before it ends. A barrier register that a `BMOV` puts aside keeps its
/// threads waiting until it is back, or until nobody else is left to run. So
/// when all threads have ended as many have left as had arrived, whatever was
/// done with the registers. For `WARPSYNC` and CTA barriers it is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Events {
    /// Jumps, calls and returns issued.
    pub branches: u64,
    /// Those that divided the active group.
    pub diverged: u64,
    /// Convergence barriers opened.
    pub opened: u64,
    /// Groups that arrived at one.
    pub arrived: u64,
    /// Threads of them.
    pub lanes_in: u64,
    /// Releases of one.
    pub released: u64,
    /// Threads released, or not waited for.
    pub lanes_out: u64,
    /// Groups that left one by `BREAK`.
    pub broken: u64,
    /// Threads that arrived at a `WARPSYNC`.
    pub sync_in: u64,
    /// Threads that it let go on.
    pub sync_out: u64,
    /// Another group became the active one: one with a thread that was not in
    /// the group before it.
    pub switched: u64,
    /// Threads that have exited.
    pub exited: u64,
    /// Threads that arrived at a CTA barrier and wait.
    pub bar_arrived: u64,
    /// Threads that it released.
    pub bar_released: u64,
}

impl Events {
    /// Sums.
    pub fn plus(&self, o: &Events) -> Events {
        Events {
            branches: self.branches.wrapping_add(o.branches),
            diverged: self.diverged.wrapping_add(o.diverged),
            opened: self.opened.wrapping_add(o.opened),
            arrived: self.arrived.wrapping_add(o.arrived),
            lanes_in: self.lanes_in.wrapping_add(o.lanes_in),
            released: self.released.wrapping_add(o.released),
            lanes_out: self.lanes_out.wrapping_add(o.lanes_out),
            broken: self.broken.wrapping_add(o.broken),
            sync_in: self.sync_in.wrapping_add(o.sync_in),
            sync_out: self.sync_out.wrapping_add(o.sync_out),
            switched: self.switched.wrapping_add(o.switched),
            exited: self.exited.wrapping_add(o.exited),
            bar_arrived: self.bar_arrived.wrapping_add(o.bar_arrived),
            bar_released: self.bar_released.wrapping_add(o.bar_released),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::barriers::Convergence;
    use crate::{Mask, WARP};

    #[test]
    fn both_sides_of_a_branch_are_counted() {
        let mut c = Convergence::new(0, Mask::MAX);
        c.open(0);
        c.branch(0xff, 0x100, 0x20);
        c.sync(0, c.active, 0x200);
        assert!(c.schedule());
        c.sync(0, c.active, 0x200);
        assert!(c.schedule());
        c.exit(c.active, 0);
        let expected = Events {
            diverged: 1,
            opened: 1,
            arrived: 2,
            lanes_in: 32,
            released: 1,
            lanes_out: 32,
            switched: 2,
            exited: 32,
            ..Events::default()
        };
        assert_eq!(*c.events(), expected);
    }

    #[test]
    fn a_warp_that_stays_together_switches_to_nobody() {
        let mut c = Convergence::new(0, 0xff);
        c.open(3);
        c.branch(0xff, 0x100, 0x20);
        c.branch(0, 0x100, 0x20);
        c.branch_each(0xff, &[0x40; WARP], 0x20);
        c.sync(3, c.active, 0x200);
        assert!(c.schedule());
        c.park_at_cta_barrier(0xff, 2, 0x210);
        c.release_cta_barrier(2);
        assert!(c.schedule());
        c.warp_sync(0xff, &[0xff; WARP], false, (0x210, 0x220));
        c.yield_to_others();
        let expected = Events {
            opened: 1,
            arrived: 1,
            lanes_in: 8,
            released: 1,
            lanes_out: 8,
            bar_arrived: 8,
            bar_released: 8,
            sync_in: 8,
            sync_out: 8,
            ..Events::default()
        };
        assert_eq!(*c.events(), expected);
    }

    #[test]
    fn a_barrier_put_aside_keeps_what_it_owes() {
        let mut c = Convergence::new(0, 0xf);
        c.open(6);
        c.branch(0x1, 0x100, 16);
        c.sync(6, c.active, 0x110);
        assert!(c.schedule());
        assert_eq!((c.active, c.events().lanes_in, c.events().lanes_out), (0x1, 3, 0));
        // Put aside and used for thread 0 alone.
        let saved = c.barriers[6];
        c.set_barrier(6, 0);
        c.open(6);
        c.sync(6, c.active, 0x200);
        assert!(c.schedule());
        assert_eq!((c.events().lanes_in, c.events().lanes_out), (4, 1));
        // It is never put back: those that wait go on when nobody else is left.
        c.exit(0x1, 0);
        assert_eq!(c.events().lanes_out, 1);
        assert!(c.schedule());
        assert_eq!((c.active, c.events().lanes_out, c.events().released), (0xe, 4, 2));
        assert_ne!(saved, 0);
    }

    #[test]
    fn whoever_breaks_out_is_counted_once() {
        let mut c = Convergence::new(0, 0xf);
        c.open(1);
        c.leave(1, 0x3);
        c.leave(1, 0x3);
        c.leave(2, 0xf);
        assert_eq!((c.events().broken, c.barriers[1]), (1, 0xc));
    }

    #[test]
    fn sums_have_every_field() {
        let mut c = Convergence::new(0, 0xf);
        c.count_jump();
        c.branch(0x1, 0x100, 16);
        let one = *c.events();
        let all = Events {
            branches: 1,
            diverged: 2,
            opened: 3,
            arrived: 4,
            lanes_in: 5,
            released: 6,
            lanes_out: 7,
            broken: 8,
            sync_in: 9,
            sync_out: 10,
            switched: 11,
            exited: 12,
            bar_arrived: 13,
            bar_released: 14,
        };
        let twice = all.plus(&all);
        assert_eq!((twice.branches, twice.bar_released), (2, 28));
        assert_eq!(all.plus(&one).branches, 2);
        assert_eq!(all.plus(&one).diverged, 3);
        let Events {
            branches: a,
            diverged: b,
            opened: c,
            arrived: d,
            lanes_in: e,
            released: f,
            lanes_out: g,
            broken: h,
            sync_in: i,
            sync_out: j,
            switched: k,
            exited: l,
            bar_arrived: m,
            bar_released: n,
        } = twice;
        assert!(
            [a, b, c, d, e, f, g, h, i, j, k, l, m, n].iter().copied().eq((1..15).map(|n| 2 * n))
        );
    }

    mod laws {
        use proptest::prelude::*;

        use super::*;

        /// What the active group does, whatever it is.
        fn operate(c: &mut Convergence, op: u8, bar: u8, mask: Mask, pc: u32) {
            match op % 12 {
                0 => c.advance(16),
                1 => c.branch(mask, pc, pc.wrapping_add(16)),
                2 => {
                    let targets = std::array::from_fn(|l| pc.rotate_left(l as u32 / 8));
                    c.branch_each(mask, &targets, pc);
                }
                3 => c.park_at_cta_barrier(mask, bar % 16, pc),
                4 => c.open(bar),
                5 | 6 => c.sync(bar, mask, pc),
                7 => c.leave(bar, mask),
                8 => c.set_barrier(bar, mask),
                9 => c.warp_sync(mask, &[pc; WARP], mask & 1 != 0, (c.pc, pc)),
                10 => c.exit(mask & 0x1111_1111, pc),
                _ => c.yield_to_others(),
            }
        }

        proptest! {
            /// Whatever is done with barriers: when all threads have ended,
            /// everybody who arrived has left.
            #[test]
            fn nobody_is_left_behind(
                threads: u32,
                steps in prop::collection::vec(any::<(u8, u8, u32, u32)>(), 0..80),
            ) {
                let mut c = Convergence::new(0, threads);
                for (op, bar, mask, pc) in steps {
                    // Few barriers, so that threads meet.
                    operate(&mut c, op, bar % 3, mask, pc);
                    let e = c.events();
                    prop_assert!(e.lanes_in >= e.lanes_out && e.sync_in >= e.sync_out);
                    prop_assert!(e.bar_arrived >= e.bar_released);
                    if !c.schedule() {
                        (0..16).for_each(|bar| c.release_cta_barrier(bar));
                    }
                }
                // Now all go home.
                for _ in 0..200 {
                    if !c.schedule() {
                        (0..16).for_each(|bar| c.release_cta_barrier(bar));
                    }
                    c.exit(c.active, 0);
                }
                let e = *c.events();
                // Threads that wait for each other at different places stay there.
                prop_assume!(c.live == 0);
                prop_assert_eq!(e.lanes_in, e.lanes_out);
                prop_assert_eq!(e.sync_in, e.sync_out);
                prop_assert_eq!(e.bar_arrived, e.bar_released);
                prop_assert_eq!(e.exited, u64::from(threads.count_ones()));
            }
        }
    }
}
