//! Shared, local and global memory; constants and textures.

use upset_device::{DevPtr, TexFormat, Texture};
use upset_state::Site;
use upset_testkit::asm::memory::{Size, ldl, lds, stl, sts};
use upset_testkit::asm::{RZ, constant, moves};

use super::lab::*;

#[test]
fn a_shared_memory_flip_is_read_until_it_is_overwritten() {
    let body = [
        moves::mov(X, 6),
        sts(RZ, 64, X, Size::Word),
        lds(Y, RZ, 64, Size::Word),
        store(SECOND, Y),
    ];
    let mut lab = Lab::new(&[]);
    let program = lab.kernel(&body);
    let buffers = lab.two();
    let site = lab.site("smem:sm0.byte64.bit3");
    let run = |lab: &mut Lab| {
        let shape = upset_device::Launch {
            grid: [1, 1, 1],
            block: [32, 1, 1],
            shared_bytes: 256,
            ..Default::default()
        };
        let args = upset_device::Args::new().ptr(buffers[0]).ptr(buffers[1]).ptr(DevPtr(0));
        lab.device.launch(program, &shape, &args).expect("it runs");
        lab.words(buffers[1], WORDS)
    };
    lab.flip(site);
    let seen = lab.observe();
    assert_eq!(run(&mut lab), [6; WORDS], "the store comes after the flip");
    let store = seen
        .lock()
        .unwrap()
        .iter()
        .find(|e| e.array == site.array && e.row == 64 && e.access == upset_state::Access::Write)
        .expect("a store")
        .cycle;
    let mut lab = Lab::new(&[]);
    let _ = lab.kernel(&body);
    let _ = lab.two();
    lab.device.plan(store + 1, upset_device::Change::Flip(site));
    assert_eq!(run(&mut lab), [6 ^ 8; WORDS]);
}

#[test]
fn a_local_memory_flip_in_dram_reaches_the_thread_that_owns_it() {
    let mut lab = Lab::new(&ONE_SET);
    let put = [moves::mov(X, 21), stl(RZ, 8, X, Size::Word)];
    let get = [ldl(X, RZ, 8, Size::Word), store(SECOND, X)];
    let put = lab.kernel_with(&put, |k| k.stack_bytes = 16);
    let get = lab.kernel_with(&get, |k| k.stack_bytes = 16);
    let sweep = lab.kernel(&[load(X, FIRST)]);
    let crowd = lab.buffer(&ramp(256 * WORDS, 1));
    let buffers = lab.two();
    lab.run(put, 1, &buffers);
    // Out of both caches.
    lab.run(sweep, 256, &[crowd]);
    // Word 2 of lane 11 of warp slot 0: the words of a warp's lanes lie side by side.
    let lmem = lab.site("lmem:byte0.bit0");
    let site = Site { bit: (2 * 128 + 11 * 4) * 8 + 5, ..lmem };
    assert!(!lab.read(site), "21 has no such bit");
    lab.flip(site);
    lab.run(get, 1, &buffers);
    let mut expected = [21; WORDS];
    expected[11] = 21 ^ 32;
    assert_eq!(lab.words(buffers[1], WORDS), expected);
}

#[test]
fn a_global_memory_flip_is_hidden_while_caches_hold_the_line() {
    let mut lab = Lab::new(&[]);
    let buffers = lab.two();
    let program = lab.kernel(&copy());
    let bit = lab.dram(buffers[0], 32 * 9);
    lab.flip(bit);
    lab.run(program, 1, &buffers);
    assert_eq!(lab.words(buffers[1], WORDS), ramp(WORDS, 1), "L2 has the upload");
    let line = lab.line("l2", buffers[0].0);
    (0..4).for_each(|sector| lab.flip(line.state(sector)));
    assert_eq!(lab.words(buffers[0], WORDS)[9], 9 ^ 1, "without it memory answers");
}

#[test]
fn a_constant_cache_flip_changes_the_operand() {
    let mut lab = Lab::new(&[]);
    let body = [moves::mov(X, constant(3, 8)), store(SECOND, X)];
    let program = lab.kernel_with(&body, |k| {
        k.constants = [1u32, 2, 3, 4].iter().flat_map(|w| w.to_le_bytes()).collect();
    });
    let buffers = lab.two();
    lab.run(program, 1, &buffers);
    assert_eq!(lab.words(buffers[1], WORDS), [3; WORDS]);
    // Banks begin at 0x5_0000_0000: find the line by what it holds.
    let cached: Vec<Line> =
        (0..64u64).flat_map(|i| lab.lines("l1c", 0x5_0000_0000 + 64 * i)).collect();
    let mut word = |line: &Line, at: u64| {
        (0..32).fold(0u32, |w, b| w | u32::from(lab.read(line.data(at * 32 + b))) << b)
    };
    let line = cached.iter().find(|line| (0..4).all(|at| word(line, at) == at as u32 + 1));
    let line = line.expect("the constants are cached");
    lab.flip(line.data(2 * 32 + 6));
    lab.run(program, 1, &buffers);
    assert_eq!(lab.words(buffers[1], WORDS), [3 ^ 64; WORDS]);
}

#[test]
fn a_texture_cache_flip_changes_the_texel() {
    let mut lab = Lab::new(&[]);
    let body = [texel_fetch(X, ID), store(SECOND, X)];
    let program = lab.kernel_with(&body, |k| k.params = vec![8, 8, 8, 8]);
    let buffers = lab.two();
    let texture = Texture::linear(buffers[0].0, 4 * WORDS as u64, TexFormat::F32);
    let handle = lab.device.texture_object(texture);
    let all = [buffers[0].0, buffers[1].0, 0, handle];
    lab.run_with(program, &all).expect("it runs");
    assert_eq!(lab.words(buffers[1], WORDS), ramp(WORDS, 1));
    let line = lab.line("l1t", buffers[0].0);
    lab.flip(line.data(32 * 17 + 30));
    lab.run_with(program, &all).expect("it runs");
    let mut expected = ramp(WORDS, 1);
    expected[17] ^= 1 << 30;
    assert_eq!(lab.words(buffers[1], WORDS), expected);
    assert_eq!(lab.words(buffers[0], WORDS), ramp(WORDS, 1), "memory is as it was");
}
