use super::*;
use upset_state::{Axis, Extent, Kind, Layout};

const L1D: ArrayId = ArrayId::data(Kind::Cache(0), 0);
const L2: ArrayId = ArrayId::data(Kind::Cache(4), 0);
const GMEM: ArrayId = ArrayId::data(Kind::Gmem, 0);
const LINE: u64 = 0x7_0000_0100;

fn registry() -> Registry {
    let layout = |id: ArrayId, kind: &str, bits| Layout {
        id,
        kind: kind.into(),
        path: String::new(),
        axes: vec![Axis::new("way", 8), Axis::new("bit", bits)],
        parted: true,
    };
    let parts = [(Part::Data, 1024), (Part::Tag, 57)];
    let mut arrays: Vec<Layout> = parts
        .into_iter()
        .flat_map(|(part, bits)| {
            [layout(L1D.with(part), "l1d", bits), layout(L2.with(part), "l2", bits)]
        })
        .collect();
    arrays.push(layout(GMEM, "gmem", 8));
    Registry { arrays }
}

fn event(cycle: u64, array: ArrayId, row: u32, access: Access) -> Event {
    Event::new(cycle, array, row, access, Extent::Bytes(!0)).at(LINE)
}

fn flip(array: ArrayId, bit: u64) -> Vec<(u64, Change)> {
    vec![(10, Change::Flip(Site { array, bit }))]
}

fn whats(f: &Follow) -> Vec<What> {
    f.steps().iter().map(|s| s.what).collect()
}

#[test]
fn a_bit_is_wrong_until_it_is_overwritten() {
    let mut f = Follow::new(&registry(), &flip(L1D, 1024 * 2 + 5));
    f.event(&event(9, L1D, 2, Access::Write));
    f.event(&event(10, L1D, 3, Access::Read));
    let warp = By::Warp { sm: 0, slot: 1, pc: 32 };
    f.event(&Event { by: warp, ..event(11, L1D, 2, Access::Read) });
    f.event(&event(12, L1D, 2, Access::Fill));
    f.event(&event(13, L1D, 2, Access::Read));
    assert_eq!(whats(&f), [What::Read, What::Overwritten]);
    assert_eq!(f.steps()[0].by, warp);
    assert_eq!(f.still_wrong().count(), 0);
}

#[test]
fn copies_are_followed_up_and_down() {
    let mut f = Follow::new(&registry(), &flip(L2, 1024 + 77));
    let by = By::Level { sm: 3, client: 0 };
    f.event(&Event { by, ..event(20, L2, 1, Access::Read) });
    // Another SM's fill of the line is not ours.
    f.event(&event(29, L1D, 6, Access::Fill));
    f.event(&Event { by, ..event(30, L1D, 5, Access::Fill) });
    f.event(&event(40, L2, 1, Access::WriteBack));
    f.event(&event(40, GMEM, 7, Access::Write));
    f.event(&event(40, L2, 1, Access::Evict));
    use What::{Arrived, Dropped, Read, WrittenBack};
    assert_eq!(whats(&f), [Read, Arrived, WrittenBack, Arrived, Dropped]);
    assert_eq!(f.steps()[1].site, Site { array: L1D, bit: 5 * 1024 + 77 });
    let memory = Site { array: GMEM, bit: 7 * 1024 + 77 };
    assert_eq!(f.steps()[3].site, memory);
    let left: Vec<Site> = f.still_wrong().map(|(site, _)| site).collect();
    assert_eq!(left, [Site { array: L1D, bit: 5 * 1024 + 77 }, memory]);
}

#[test]
fn a_stuck_bit_is_never_right() {
    let force = upset_state::Force { array: L1D, bit: 3, value: true };
    let mut f = Follow::new(&registry(), &[(0, Change::Hold(force))]);
    f.event(&event(5, L1D, 0, Access::Write));
    f.event(&event(6, L1D, 0, Access::Evict));
    f.event(&event(7, L1D, 0, Access::Fill));
    assert_eq!(whats(&f), [What::WrittenAndStuck, What::Dropped, What::WrittenAndStuck]);
    assert_eq!(f.still_wrong().count(), 1);
}

#[test]
fn a_bit_that_was_let_go_can_be_written_and_a_burst_comes_back() {
    let force = upset_state::Force { array: L1D, bit: 3, value: true };
    let (hold, go) = (Change::Hold(force), Change::LetGo(force));
    let changes = [(0, hold), (5, go), (10, hold), (15, go)];
    let mut f = Follow::new(&registry(), &changes);
    f.event(&event(4, L1D, 0, Access::Read));
    assert!(!f.wrong[0].resisted);
    f.event(&event(5, L1D, 0, Access::Write));
    f.event(&event(6, L1D, 0, Access::Read));
    assert_eq!(f.still_wrong().count(), 0);
    f.event(&event(10, L1D, 0, Access::Write));
    f.event(&event(15, L1D, 0, Access::Write));
    use What::{Overwritten, Read, WrittenAndStuck};
    assert_eq!(whats(&f), [Read, Overwritten, WrittenAndStuck, Overwritten]);
    assert!(f.wrong[0].resisted);
    assert_eq!(f.still_wrong().count(), 0);
}

#[test]
fn a_wrong_tag_lasts_until_the_row_is_given_away() {
    let mut f = Follow::new(&registry(), &flip(L2.with(Part::Tag), 57 * 2 + 9));
    f.event(&event(12, L2, 2, Access::Read));
    f.event(&event(13, L2, 2, Access::WriteBack));
    f.event(&event(13, L2, 2, Access::Evict));
    f.event(&event(14, L2, 2, Access::Allocate));
    f.event(&event(15, L2, 2, Access::Read));
    let uses = [LineUse::Read, LineUse::WrittenBack, LineUse::Dropped, LineUse::GivenAway];
    assert_eq!(whats(&f), uses.map(What::LineUsed));
}

/// All bits of a line, and one bit of another: an access concerns its own.
#[test]
fn many_bits_are_followed_each_for_itself() {
    let bits = (0..1024).chain([3 * 1024 + 8]);
    let changes: Vec<_> = bits.map(|bit| (10, Change::Flip(Site { array: L1D, bit }))).collect();
    let mut f = Follow::new(&registry(), &changes);
    let first_bytes = Event::new(11, L1D, 0, Access::Write, Extent::Bytes(0xff)).at(LINE);
    f.event(&first_bytes);
    f.event(&event(12, L1D, 3, Access::Read));
    f.event(&event(13, L1D, 0, Access::Read));
    let bits: Vec<u32> = f.steps().iter().map(|s| s.bits).collect();
    assert_eq!((f.total(), bits), (3, vec![64, 1, 1024 - 64]));
    assert_eq!(whats(&f), [What::Overwritten, What::Read, What::Read]);
    let left: Vec<u64> = f.still_wrong().map(|(site, _)| site.bit).collect();
    assert_eq!(left, (64..1024).chain([3 * 1024 + 8]).collect::<Vec<_>>());
}

#[test]
fn steps_are_bounded_and_counted() {
    let mut f = Follow::new(&registry(), &flip(L1D, 5));
    for cycle in 10..1010 {
        f.event(&event(cycle, L1D, 0, Access::Read));
    }
    assert_eq!((f.steps().len(), f.total()), (STEPS, 1000));
}

/// A bit that misbehaves is wrong from a write that it acts upon, until one that
/// it spares.
#[test]
fn a_bit_that_misbehaves_is_wrong_after_the_writes_that_it_acts_upon() {
    let how: How = "invert(rate=0.5,seed=3)".parse().unwrap();
    let quirk = Quirk { array: L1D, bit: 5, how };
    let acts: Vec<bool> = (10..60).map(|cycle| quirk.may_act(cycle)).collect();
    assert!(acts.contains(&true) && acts.contains(&false));
    let mut f = Follow::new(&registry(), &[(10, Change::Begin(quirk)), (60, Change::End(quirk))]);
    f.event(&event(9, L1D, 0, Access::Read));
    let (mut told, mut wrong) = (Vec::new(), false);
    for (cycle, acts) in (10..60).zip(acts) {
        f.event(&event(cycle, L1D, 0, Access::Write));
        f.event(&event(cycle, L1D, 0, Access::Read));
        match (acts, wrong) {
            (true, _) => told.extend([What::WrittenWrong, What::Read]),
            (false, true) => told.push(What::Overwritten),
            (false, false) => {}
        }
        wrong = acts;
    }
    told.truncate(STEPS);
    assert_eq!(whats(&f), told);
    assert_eq!(f.still_wrong().count(), usize::from(wrong));
    f.event(&event(61, L1D, 0, Access::Write));
    assert_eq!(f.still_wrong().count(), 0);
}

/// `FADD R0, R4, R4`: both operands are the wrong register.
#[test]
fn no_step_is_told_twice() {
    let mut f = Follow::new(&registry(), &flip(L1D, 1024 * 2 + 5));
    let by = By::Warp { sm: 0, slot: 1, pc: 32 };
    let read = |cycle| Event { by, ..event(cycle, L1D, 2, Access::Read) };
    for cycle in [11, 11, 12] {
        f.event(&read(cycle));
    }
    let other = By::Warp { sm: 0, slot: 2, pc: 32 };
    f.event(&Event { by: other, ..read(12) });
    f.event(&read(12));
    let told: Vec<(u64, By)> = f.steps().iter().map(|s| (s.cycle, s.by)).collect();
    assert_eq!(told, [(11, by), (12, by), (12, other)]);
    assert_eq!(f.total(), 3);
}
