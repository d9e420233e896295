use super::*;

#[test]
fn both_sides_of_a_branch_meet_at_the_barrier() {
    let mut c = Convergence::new(0, u32::MAX);
    c.open(0);
    c.advance(16);
    c.branch(0xff, 0x100, c.pc + 16);
    assert_eq!((c.active, c.pc), (!0xff, 32));
    c.sync(0, c.active, 0x200);
    assert!(c.schedule());
    assert_eq!((c.active, c.pc), (0xff, 0x100));
    c.sync(0, c.active, 0x200);
    assert!(c.schedule());
    assert_eq!((c.active, c.pc), (u32::MAX, 0x200));
}

/// A function called by part of the warp puts the caller's barrier aside.
#[test]
fn a_barrier_put_aside_keeps_its_threads() {
    let mut c = Convergence::new(0, 0xf);
    c.open(6);
    c.branch(0x1, 0x100, 16);
    // Threads 1 to 3 are in the function; 0 waits in the caller.
    let inside = c.active;
    c.sync(6, 0, 0x100);
    c.yield_to_others();
    c.sync(6, 0x1, 0x110);
    assert!(c.schedule());
    assert_eq!(c.active, inside);
    let saved = c.barriers[6];
    c.set_barrier(6, 0);
    assert_eq!(c.wait_of(0), Wait::Barrier(6));
    // The same register serves a branch of the function.
    c.open(6);
    c.branch(0x2, 0x40, 0x30);
    c.sync(6, c.active, 0x50);
    assert!(c.schedule());
    assert_eq!((c.active, c.pc), (0x2, 0x40));
    c.sync(6, c.active, 0x50);
    assert!(c.schedule());
    assert_eq!((c.active, c.pc), (inside, 0x50));
    c.set_barrier(6, saved);
    c.sync(6, c.active, 0x110);
    assert!(c.schedule());
    assert_eq!((c.active, c.pc), (0xf, 0x110));
}

#[test]
fn the_group_that_split_last_goes_on_first() {
    let mut c = Convergence::new(0, 0xf);
    c.branch(0x8, 0x10, 0x100);
    c.branch(0x4, 0x200, 0x110);
    c.open(0);
    c.branch(0x2, 0x300, 0x120);
    c.sync(0, c.active, 0x400);
    assert!(c.schedule());
    assert_eq!((c.active, c.pc), (0x2, 0x300), "not the outer groups, though they are lower");
}

/// Tiles of a warp vote on their own.
#[test]
fn exclusive_warp_sync_takes_tiles_apart() {
    let masks = std::array::from_fn(|l| 0xff << (l / 8 * 8));
    let mut c = Convergence::new(0, u32::MAX);
    c.warp_sync(u32::MAX, &masks, false, (0, 0x10));
    assert_eq!((c.active, c.pc), (u32::MAX, 0x10));
    c.open(0);
    c.warp_sync(u32::MAX, &masks, true, (0x10, 0x20));
    for _ in 0..4 {
        assert!(c.schedule());
        assert_eq!((c.active.count_ones(), c.pc), (8, 0x20));
        c.sync(0, c.active, 0x30);
    }
    assert!(c.schedule());
    assert_eq!((c.active, c.pc), (u32::MAX, 0x30));
}

#[test]
fn threads_that_exit_are_not_waited_for() {
    let mut c = Convergence::new(0, 0xf);
    c.open(3);
    c.branch(0x3, 0x100, 16);
    c.sync(3, c.active, 0x50);
    assert!(c.schedule());
    c.exit(0x3, 0x110);
    assert!(c.schedule());
    assert_eq!((c.active, c.pc), (0xc, 0x50));
}

#[test]
fn threads_that_break_out_are_not_waited_for() {
    let mut c = Convergence::new(0, 0xf);
    c.open(3);
    c.branch(0x3, 0x100, 16);
    c.sync(3, c.active, 0x50);
    c.schedule();
    c.leave(3, 0x3);
    assert_eq!(c.active, 0x3);
    c.exit(0x3, 0);
    c.schedule();
    assert_eq!((c.active, c.pc), (0xc, 0x50));
}

/// Runs the active group into a `WARPSYNC` at 0x30 that goes on at 0x40.
fn arrive(c: &mut Convergence, mask: Mask, exclusive: bool) {
    c.warp_sync(c.active, &[mask; WARP], exclusive, (0x30, 0x40));
    assert!(c.schedule());
}

/// Threads 0 to 3, each at its own place.
fn four_apart() -> Convergence {
    let mut c = Convergence::new(0, 0xf);
    c.branch_each(0xf, &std::array::from_fn(|l| 0x100 + l as u32 * 16), 0);
    c
}

#[test]
fn groups_that_meet_at_a_warp_sync_issue_it_once_more() {
    for exclusive in [false, true] {
        let mut c = four_apart();
        let mut issued = 0;
        for group in 0..4 {
            assert_eq!((c.active, c.has_met()), (1 << group, false));
            arrive(&mut c, 0xf, exclusive);
            issued += 1;
        }
        assert_eq!((c.active, c.pc, c.has_met()), (0xf, 0x30, true));
        arrive(&mut c, 0xf, exclusive);
        issued += 1;
        assert_eq!((c.active, c.pc, c.has_met()), (0xf, 0x40, false));
        assert_eq!(issued, 5);
    }
}

#[test]
fn a_warp_sync_that_joins_nobody_is_issued_once() {
    // The whole warp, and a group that names only itself.
    let mut c = Convergence::new(0x30, 0xf);
    arrive(&mut c, u32::MAX, false);
    assert_eq!((c.active, c.pc, c.has_met()), (0xf, 0x40, false));
    let mut c = four_apart();
    arrive(&mut c, 0x1, false);
    assert_eq!((c.active, c.pc, c.has_met()), (0x1, 0x40, false));
    // The other side exits instead of coming.
    let mut c = Convergence::new(0x20, 0xf);
    c.branch(0x3, 0x100, 0x30);
    arrive(&mut c, 0xf, false);
    assert_eq!(c.active, 0x3);
    c.exit(0x3, 0x110);
    assert!(c.schedule());
    assert_eq!((c.active, c.pc, c.has_met()), (0xc, 0x40, false));
}

/// Threads may wait for each other at different places.
#[test]
fn a_warp_sync_at_two_places_lets_both_go_on() {
    let mut c = four_apart();
    // 0 and 1 meet at 0x30; 2 and 3 come to places of their own.
    arrive(&mut c, 0xf, false);
    arrive(&mut c, 0xf, false);
    c.warp_sync(c.active, &[0xf; WARP], false, (0x80, 0x90));
    assert!(c.schedule());
    c.warp_sync(c.active, &[0xf; WARP], false, (0xa0, 0xb0));
    let mut places = Vec::new();
    while c.live != 0 {
        assert!(c.schedule());
        places.push((c.active, c.pc, c.has_met()));
        if c.has_met() {
            arrive(&mut c, 0xf, false);
            assert_eq!((c.active, c.pc), (0x3, 0x40));
        }
        c.exit(c.active, 0);
    }
    assert_eq!(places, [(0x3, 0x30, true), (0x4, 0x90, false), (0x8, 0xb0, false)]);
}

#[test]
fn what_is_seen_of_a_warp_tells_that_it_has_met() {
    let digest = |c: &Convergence| {
        let mut h = std::hash::DefaultHasher::new();
        c.observe(&mut h);
        h.finish()
    };
    let mut c = four_apart();
    (0..4).for_each(|_| arrive(&mut c, 0xf, false));
    let other = Convergence::new(0x30, 0xf);
    assert_eq!((c.pc, c.active, c.live), (other.pc, other.active, other.live));
    assert_ne!(digest(&c), digest(&other));
    arrive(&mut c, 0xf, false);
    assert_eq!(digest(&c), digest(&Convergence::new(0x40, 0xf)));
}

/// Issues again of a jump whose groups have these sizes, in order of lanes.
fn jumped(sizes: &[usize]) -> (u32, u32) {
    let of = |lane: usize| {
        let mut end = 0;
        sizes
            .iter()
            .take_while(|&n| {
                end += n;
                end <= lane
            })
            .count() as u32
    };
    let threads = sizes.iter().sum::<usize>() as u32;
    let mut c = Convergence::new(0, u32::MAX >> (32 - threads));
    c.branch_each(u32::MAX, &std::array::from_fn(|l| 64 * of(l)), 0);
    let again = c.take_again();
    assert_eq!(c.take_again(), Again::default());
    (again.issues, again.threads)
}

/// `smsp__inst_executed` and `smsp__thread_inst_executed` of an H200, less
/// what one issue of each instruction makes: `BRX` of a `switch`, and calls
/// of virtual functions.
#[test]
fn a_jump_to_several_places_is_issued_as_often_as_on_an_h200() {
    assert_eq!(jumped(&[32]), (0, 0));
    assert_eq!(jumped(&[16, 16]), (1, 16));
    assert_eq!(jumped(&[1, 31]), (1, 31));
    assert_eq!(jumped(&[31, 1]), (1, 31));
    assert_eq!(jumped(&[15, 4]), (1, 15));
    assert_eq!(jumped(&[4, 5, 4]), (2, 14));
    assert_eq!(jumped(&[16, 8, 8]), (2, 24));
    assert_eq!(jumped(&[1, 1, 28]), (2, 57));
    assert_eq!(jumped(&[28, 1, 1]), (2, 57));
    assert_eq!(jumped(&[2, 2, 2, 2]), (3, 12));
    assert_eq!(jumped(&[4, 8, 4, 4]), (3, 28));
}

#[test]
fn an_exclusive_warp_sync_is_issued_once_for_each_mask() {
    // The counters' excess for one WARPSYNC.EXCLUSIVE of tiles on an H200.
    for (size, issues, threads) in [(32, 0, 0), (16, 1, 16), (8, 3, 48), (4, 7, 112), (2, 15, 240)]
    {
        let tile = ((1u64 << size) - 1) as Mask;
        let masks = std::array::from_fn(|l| tile << (l / size * size));
        let mut c = Convergence::new(0, u32::MAX);
        c.warp_sync(u32::MAX, &masks, true, (0, 0x10));
        assert_eq!(c.take_again(), Again { issues, threads }, "{size}");
        let mut c = Convergence::new(0, u32::MAX);
        c.warp_sync(u32::MAX, &masks, false, (0, 0x10));
        assert_eq!(c.take_again(), Again::default(), "not exclusive, {size}");
    }
}

#[test]
fn a_barrier_that_comes_back_is_issued_once_more_by_all_that_met() {
    let mut c = Convergence::new(0, 0xff);
    c.open(6);
    c.branch(0x3, 0x100, 16);
    c.sync(6, c.active, 0x110);
    assert!(c.schedule());
    // Threads 0 and 1 call a function that uses the register.
    let saved = c.barriers[6];
    c.set_barrier(6, 0);
    c.open(6);
    c.sync(6, 0x3, 0x200);
    assert!(c.schedule());
    assert_eq!(c.take_again(), Again::default(), "its own");
    c.set_barrier(6, saved);
    c.sync(6, 0x3, 0x110);
    assert_eq!(c.take_again(), Again { issues: 1, threads: 8 });
    assert!(c.schedule());
    assert_eq!((c.active, c.pc), (0xff, 0x110));
    c.sync(6, 0xff, 0x110);
    assert_eq!(c.take_again(), Again::default(), "it came back once");
}

#[test]
fn yielding_visits_every_group() {
    let mut c = Convergence::new(0, 0b111);
    c.branch_each(0b111, &std::array::from_fn(|l| l as u32 * 16), 0);
    let mut seen = 0;
    for _ in 0..3 {
        seen |= c.active;
        c.yield_to_others();
    }
    assert_eq!(seen, 0b111);
}

#[test]
fn indirect_branch_groups_threads_by_target() {
    let mut c = Convergence::new(0, 0xff);
    c.branch_each(0xff, &std::array::from_fn(|l| if l % 2 == 0 { 32 } else { 64 }), 0);
    assert_eq!((c.active, c.pc), (0x55, 32));
}

/// Two sides of a branch come to one shuffle, written once for each.
#[test]
fn a_collective_operation_is_done_once_by_all_and_each_goes_on_where_it_came_from() {
    let mut c = Convergence::new(0, 0xf);
    c.branch(0x3, 0x100, 16);
    assert_eq!(c.active, 0xc);
    c.gather(0xc, &[u32::MAX; WARP], 0x30, 0x50);
    assert!(c.schedule());
    assert_eq!((c.active, c.pc), (0x3, 0x100), "nobody begins alone");
    c.gather(0x3, &[u32::MAX; WARP], 0x130, 0x150);
    assert!(c.schedule());
    assert_eq!((c.active, c.pc), (0xf, 0x130), "where the last one stands");
    c.advance(16);
    c.disperse(c.active, 0x150);
    let mut places = Vec::new();
    while c.live != 0 {
        assert!(c.schedule());
        places.push((c.active, c.pc));
        c.exit(c.active, 0);
    }
    assert_eq!(places, [(0xc, 0x50), (0x3, 0x150)]);
}

#[test]
fn a_collective_operation_does_not_wait_for_threads_that_exit() {
    let mut c = Convergence::new(0, 0xf);
    c.branch(0x3, 0x100, 16);
    c.gather(c.active, &[u32::MAX; WARP], 0x30, 0x50);
    assert!(c.schedule());
    c.exit(0x3, 0);
    assert!(c.schedule());
    assert_eq!((c.active, c.pc), (0xc, 0x30));
    c.disperse(c.active, 0x40);
    assert_eq!((c.active, c.pc), (0xc, 0x50));
}

#[test]
fn an_end_without_a_beginning_goes_on() {
    let mut c = Convergence::new(0x40, 0xf);
    c.disperse(0xf, 0x50);
    assert_eq!((c.active, c.pc), (0xf, 0x50));
}

#[test]
fn subsets_gather_apart() {
    let mut c = Convergence::new(0, 0xf);
    c.branch(0x3, 0x100, 16);
    c.gather(0xc, &[0xc; WARP], 0x30, 0x50);
    assert!(c.schedule());
    assert_eq!((c.active, c.pc), (0xc, 0x30), "all that it names are there");
}

mod faults {
    use proptest::prelude::*;

    use super::*;

    /// Flips one bit of everything that a fault can reach.
    fn flip(c: &mut Convergence, place: usize, bit: u32) {
        let word = match place % 51 {
            0 => &mut c.pc,
            1 => &mut c.active,
            2 => &mut c.live,
            n if n < 19 => &mut c.barriers[n - 3],
            n => &mut c.thread_pcs_mut()[n - 19],
        };
        *word ^= 1 << (bit % 32);
    }

    fn operate(c: &mut Convergence, op: u8, bar: u8, mask: Mask, pc: u32) {
        match op % 16 {
            0 => c.advance(16),
            1 => c.branch(mask, pc, pc.wrapping_add(16)),
            2 => {
                let targets = std::array::from_fn(|l| pc.rotate_left(l as u32 / 8));
                c.branch_each(mask, &targets, pc);
            }
            3 => c.park_at_cta_barrier(mask, bar, pc),
            4 => c.release_cta_barrier(bar),
            5 => c.open(bar),
            6 => c.sync(bar, mask, pc),
            7 => c.leave(bar, mask),
            8 => c.set_barrier(bar, mask),
            9 => c.warp_sync(mask, &[pc; WARP], mask & 1 != 0, (c.pc, pc)),
            10 => c.exit(mask, pc),
            11 => c.yield_to_others(),
            12 => c.gather(mask, &[pc; WARP], pc, pc.wrapping_add(16)),
            13 => c.disperse(mask, pc),
            14 => {
                c.pc_of(usize::from(bar));
                c.wait_of(usize::from(bar));
                c.at_cta_barrier(bar);
            }
            _ => {
                let runs = c.schedule();
                assert_eq!(runs, c.active != 0);
                assert!(runs || !c.others_ready());
            }
        }
    }

    proptest! {
        #[test]
        fn no_state_is_out_of_bounds(
            threads: u32,
            steps in prop::collection::vec(
                (any::<(u8, u8, u32, u32)>(), any::<(bool, u8, u32)>()),
                0..60,
            ),
        ) {
            let mut c = Convergence::new(0, threads);
            for ((op, bar, mask, pc), (fault, place, bit)) in steps {
                if fault {
                    flip(&mut c, usize::from(place), bit);
                }
                operate(&mut c, op, bar, mask, pc);
            }
        }
    }
}
