use upset_chip::ChipSpec;
use upset_isa::control::stack::EntryKind;
use upset_isa::inst::TEXTURES;
use upset_isa::int::compare::cmp;
use upset_isa::{
    BarOp, Exec, Flow, LatencyClass, MemKind, OpDef, PredDst, Results, Sources, Space, Src, Unit,
};

use super::assembler::{Code, r};
use super::machines::Way;

/// Every thread adds its number to one of `words` words of shared memory, as
/// compilers do it: take the lock, store and undo it, again until it is stored.
fn sums(words: u32, threads: u32) -> Vec<u32> {
    let p = |pred| PredDst { pred, uniform: false };
    let mut c = Code::default();
    c.thread(0);
    c.address(2, 0, 2);
    c.mov(1, Src::Imm(words));
    let place = |_: u32, s: &Sources<'_>, r: &mut Results| {
        r.d[0] = std::array::from_fn(|i| 4 * (s.a()[i] % s.b()[i].max(1)));
    };
    c.alu(place, 4, [r(0), r(1), Src::Zero]);
    c.push(EntryKind::Break, "stored");
    c.label("again");
    c.word(MemKind::LoadLock, Space::Shared, 5, 4, 0).pdst[0] = p(0);
    c.add(5, r(5), r(0));
    c.guard(0, true);
    // Not to have taken the lock is not to have stored.
    c.compare(1, cmp::F, Src::Zero, Src::Zero);
    c.word(MemKind::StoreUnlock, Space::Shared, 5, 4, 0).pdst[0] = p(1);
    c.guard(0, true);
    c.leave(EntryKind::Break);
    c.guard(1, true);
    c.branch("again");
    c.label("stored");
    c.other(Exec::Flow(Flow::Bar {
        op: BarOp::Sync,
        index: Some(0),
        count: None,
        counted: false,
        packed: false,
    }));
    c.word(MemKind::Load, Space::Shared, 5, 4, 0);
    c.word(MemKind::Store, Space::Global, 5, 2, 0);
    c.exit();
    c.run(threads, 1, &[]).expect("ends")
}

#[test]
fn locked_words_of_shared_memory_lose_no_sum() {
    for (words, threads) in [(1, 1), (1, 32), (1, 96), (7, 96), (96, 96)] {
        let expected = (0..threads)
            .map(|t| (0..threads).filter(|other| other % words == t % words).sum::<u32>());
        assert_eq!(sums(words, threads), expected.collect::<Vec<_>>(), "{words}, {threads}");
    }
}

#[test]
fn what_is_not_locked_is_not_stored() {
    let mut c = Code::default();
    c.thread(0);
    c.address(2, 0, 2);
    c.mov(4, Src::Zero);
    c.mov(5, Src::Imm(7));
    c.word(MemKind::StoreUnlock, Space::Shared, 5, 4, 0).pdst[0] =
        PredDst { pred: 0, uniform: false };
    c.word(MemKind::Load, Space::Shared, 6, 4, 0);
    c.add(6, r(6), Src::Imm(100));
    c.guard(0, true);
    c.word(MemKind::Store, Space::Global, 6, 2, 0);
    c.exit();
    assert_eq!(c.run(2, 1, &[]), Ok(vec![0, 0]));
}

static FETCH: OpDef = OpDef::new("LDG", Unit::Texture, LatencyClass::Variable);

/// Loads through the texture unit, waits until so many are on their way at most,
/// and goes on with sums that need none of them.
#[test]
fn a_wait_for_fetches_lets_as_many_be_on_their_way_as_it_says() {
    const SUMS: u64 = 60;
    let cycles = |at_most: u8| {
        let mut c = Code::default();
        c.thread(0);
        c.address(2, 0, 4);
        for n in 0..2 {
            c.word(MemKind::Load, Space::Global, 8 + n, 2, 4 * i32::from(n)).op = &FETCH;
        }
        c.other(Exec::DepBar { counter: TEXTURES, at_most, also_zero: 0 });
        for _ in 0..SUMS {
            c.add(4, r(0), r(4));
        }
        c.add(8, r(8), r(9));
        c.word(MemKind::Store, Space::Global, 8, 2, 8);
        c.exit();
        let chip = ChipSpec::load("titan", &["sm.count=1"]).expect("a chip");
        let before: Vec<u32> = (0..4 * 32).collect();
        let way = Way { before: &before, ..Way::default() };
        let (after, cycles) = c.run_on(&chip, (32, 4), &way, |_| {}).expect("ends");
        let sums: Vec<u32> = after.chunks(4).map(|words| words[2]).collect();
        assert_eq!(sums, (0..32).map(|t| 8 * t + 1).collect::<Vec<u32>>());
        cycles
    };
    let all = cycles(2);
    assert_eq!(cycles(63), all, "there are two");
    assert!(cycles(1) <= cycles(0), "the first ends first");
    // Nine cycles a sum, which otherwise pass while the fetches are on their way.
    assert!(cycles(0) > all + SUMS, "{} cycles, {all} without the wait", cycles(0));
}
