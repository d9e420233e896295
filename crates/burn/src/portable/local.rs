//! Local (shared) memory of every work-group by March C-.

use super::common::{ITEMS, SPREAD, about, image, times, words_of};
use crate::{Arg, Bench, BoardError, Group, Image, Place, Shape, Test, TestAbout};

static IMAGE: Image =
    image("opencl-local", include_str!("../../../../kernels/burn/opencl/local.cl"));
/// As in the kernel.
const WORDS: usize = 2048;
const READS: usize = 5;
const BACKGROUNDS: [u32; 6] = [0, 0x5555_5555, 0x3333_3333, 0x0f0f_0f0f, 0x00ff_00ff, 0x0000_ffff];

/// The test.
pub struct Local;

static ABOUT: TestAbout = about(
    "opencl-local",
    Group::Storage,
    "local memory",
    "March C- with six backgrounds, crossed with each word's own address",
    "8 KB of each work-group, four work-groups for each compute unit",
    "the rest of local memory; couplings between stripes of different work-items",
);

impl Test for Local {
    fn about(&self) -> &'static TestAbout {
        &ABOUT
    }

    fn run(&self, bench: &mut Bench<'_>) -> Result<(), BoardError> {
        let module = bench.module(&IMAGE)?;
        let groups = bench.board.about().sms.max(1) * 4;
        let each = READS * WORDS;
        let bytes = groups as usize * each * 4;
        let out = bench.board.alloc(bytes as u64)?;
        for _ in 0..times(bench.effort.level) * bench.effort.rounds.max(1) {
            for background in BACKGROUNDS {
                bench.board.write(out, 0, &vec![0xa5; bytes])?;
                let args = [Arg::U32(background), Arg::Buffer(out)];
                bench.board.launch(module, "local_march", Shape::row(groups, ITEMS), &args)?;
                bench.board.sync()?;
                let mut back = vec![0; bytes];
                bench.board.read(out, 0, &mut back)?;
                bench.checked((bytes / 4) as u64);
                for (i, &found) in words_of(&back).iter().enumerate() {
                    let (group, step, at) = (i / each, i % each / WORDS, i % WORDS);
                    let expected = expected(background, step, at);
                    if found != expected {
                        let place = Place::address(at as u64 * 4);
                        let note =
                            format!("work-group {group}, read {step}, background {background:#x}");
                        bench.find("march-c-", place, (expected.into(), found.into(), 32), note);
                    }
                }
            }
        }
        bench.board.free(out)
    }
}

/// What the reads find: 0 1 0 1 0, where 0 is the background at its address.
fn expected(background: u32, step: usize, at: usize) -> u32 {
    let zero = background ^ (at as u32).wrapping_mul(SPREAD);
    if step.is_multiple_of(2) { zero } else { !zero }
}
