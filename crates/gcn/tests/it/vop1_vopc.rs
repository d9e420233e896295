//! Vector instructions with one source, and compares, from their words to
//! registers: modifiers, lanes that take part, results that are no vectors.

use upset_gcn::read;
use upset_gcn::wave::{Destinations, Operands, Outcome, Reg, evaluate, write};

/// A wave of eight vector registers.
struct Wave {
    vgpr: [[[u32; 32]; 2]; 8],
    sgpr: [u32; 8],
    vcc: u64,
    exec: u64,
    m0: u32,
    mode: u32,
}

impl Wave {
    /// Every lane has its number in v0, all denormals but those of single precision.
    fn new(exec: u64) -> Wave {
        let mut vgpr = [[[0; 32]; 2]; 8];
        vgpr[0] = std::array::from_fn(|half| std::array::from_fn(|l| (half * 32 + l) as u32));
        Wave { vgpr, sgpr: [0; 8], vcc: 0, exec, m0: 0, mode: 0xc0 }
    }

    fn fill(mut self, n: usize, value: u32) -> Wave {
        self.vgpr[n] = [[value; 32]; 2];
        self
    }

    fn run(mut self, words: &[u32]) -> Wave {
        let mut padded = [0; 3];
        padded[..words.len()].copy_from_slice(words);
        let inst = read(&padded).expect("legal");
        let mut outcome = Outcome::default();
        evaluate(&self, &inst, 0, &mut outcome).expect("executed");
        write(&mut self, &outcome);
        self
    }

    fn lane(&self, n: usize, lane: usize) -> u32 {
        self.vgpr[n][lane / 32][lane % 32]
    }
}

impl Operands for Wave {
    fn vgpr(&self, n: u32, half: usize) -> &[u32; 32] {
        &self.vgpr[n as usize][half]
    }

    fn scalar(&self, reg: Reg) -> u32 {
        match reg {
            Reg::Sgpr(n) => self.sgpr[usize::from(n)],
            Reg::Vcc(n) => (self.vcc >> (32 * n)) as u32,
            Reg::Exec(n) => (self.exec >> (32 * n)) as u32,
            Reg::M0 => self.m0,
            Reg::Scc => 0,
            Reg::Mode => self.mode,
        }
    }

    fn exec(&self) -> u64 {
        self.exec
    }
}

impl Destinations for Wave {
    fn write_vgpr(&mut self, n: u32, half: usize, mask: u32, value: &[u32; 32]) {
        for lane in (0..32).filter(|lane| mask >> lane & 1 == 1) {
            self.vgpr[n as usize][half][lane] = value[lane];
        }
    }

    fn write_scalar(&mut self, reg: Reg, value: u32) {
        let part =
            |old: u64, n: u8| old & !(0xffff_ffff << (32 * n)) | u64::from(value) << (32 * n);
        match reg {
            Reg::Sgpr(n) => self.sgpr[usize::from(n)] = value,
            Reg::Vcc(n) => self.vcc = part(self.vcc, n),
            Reg::Exec(n) => self.exec = part(self.exec, n),
            Reg::M0 => self.m0 = value,
            Reg::Scc | Reg::Mode => panic!("not written here"),
        }
    }
}

const ALL: u64 = !0;

/// `op v1, v0`, short.
fn short(op: u32) -> u32 {
    0x7e00_0000 | 1 << 17 | op << 9 | 256
}

/// The same, long: `first` and `second` are what to add to its words.
fn long(op: u32, first: u32, second: u32) -> [u32; 2] {
    [0xd000_0000 | (384 + op) << 17 | first | 1, 256 | second]
}

const ABS: u32 = 1 << 8;
const CLAMP: u32 = 1 << 11;
const TWICE: u32 = 1 << 27;
const NEG: u32 = 1 << 29;

#[test]
fn the_sign_of_a_half_is_its_own() {
    let (one, minus_two) = (0x3c00, 0xc000);
    let after = |half: u32, words: [u32; 2]| {
        let wave = Wave::new(ALL).fill(0, 0x8000_0000 | half).run(&words);
        f32::from_bits(wave.lane(1, 40))
    };
    assert_eq!(after(one, long(11, 0, 0)), 1.0);
    assert_eq!(after(one, long(11, 0, NEG)), -1.0);
    assert_eq!(after(minus_two, long(11, ABS, 0)), 2.0);
    assert_eq!(after(minus_two, long(11, ABS, NEG)), -2.0);
}

#[test]
fn a_half_as_result_is_changed_as_one() {
    let after = |x: f32, mode, words: [u32; 2]| {
        let mut wave = Wave::new(ALL).fill(0, x.to_bits());
        wave.mode = mode;
        wave.run(&words).lane(1, 3)
    };
    assert_eq!(after(3.0, 0xc0, long(10, CLAMP, 0)), 0x3c00);
    assert_eq!(after(-3.0, 0xc0, long(10, CLAMP, 0)), 0);
    assert_eq!(after(1.0, 0, long(10, 0, TWICE)), 0x4000);
    assert_eq!(after(60000.0, 0, long(10, 0, TWICE)), 0x7c00);
}

#[test]
fn lanes_that_do_not_take_part_keep_their_values() {
    // v_not_b32
    let wave = Wave::new(0xffff_0000_0000_0001).fill(1, 7).run(&[short(55)]);
    assert_eq!((wave.lane(1, 0), wave.lane(1, 1)), (!0, 7));
    assert_eq!((wave.lane(1, 47), wave.lane(1, 48)), (7, !48));
}

#[test]
fn two_words_go_to_two_registers() {
    // v_cvt_f64_u32 v[1:2], v0
    let wave = Wave::new(ALL).run(&[short(22)]);
    let value = f64::from(37u32).to_bits();
    assert_eq!((wave.lane(1, 37), wave.lane(2, 37)), (value as u32, (value >> 32) as u32));
}

#[test]
fn the_first_active_lane_is_read() {
    // v_readfirstlane_b32 s1, v0
    let read = |exec| Wave::new(exec).run(&[short(2)]).sgpr[1];
    assert_eq!(read(ALL << 41), 41);
    assert_eq!(read(0), 0);
}

#[test]
fn registers_are_named_by_m0() {
    let moved = |op| {
        let mut wave = Wave::new(ALL).fill(2, 99);
        wave.m0 = 2;
        wave.run(&[short(op)])
    };
    assert_eq!(moved(66).lane(3, 50), 50);
    assert_eq!(moved(67).lane(1, 50), 99);
    assert_eq!(moved(68).lane(3, 50), 99);
}

#[test]
fn nothing_is_done_by_what_does_nothing() {
    let old = Wave::new(ALL);
    for op in [0, 65] {
        let wave = Wave::new(ALL).run(&[0x7e00_0000 | op << 9]);
        assert_eq!((wave.vgpr, wave.sgpr), (old.vgpr, old.sgpr));
        assert_eq!((wave.vcc, wave.exec, wave.m0), (old.vcc, old.exec, old.m0));
    }
}

/// `op vcc, v0, v1`
fn compare(op: u32) -> u32 {
    0x7c00_0000 | op << 17 | 1 << 9 | 256
}

#[test]
fn compares_give_zero_for_lanes_that_do_not_take_part() {
    // v_cmp_le_u32
    let wave = Wave::new(0xffff_0000_ffff_fff0).fill(1, 49).run(&[compare(0xc3)]);
    assert_eq!(wave.vcc, 0x0003_0000_ffff_fff0);
    assert_eq!(wave.exec, 0xffff_0000_ffff_fff0);
    // v_cmp_t_u32
    assert_eq!(Wave::new(0x10).run(&[compare(0xc7)]).vcc, 0x10);
}

#[test]
fn compares_with_an_x_write_exec() {
    // v_cmpx_gt_i32
    let wave = Wave::new(ALL << 1).fill(1, 60).run(&[compare(0x94)]);
    assert_eq!((wave.vcc, wave.exec), (7 << 61, 7 << 61));
}

#[test]
fn long_compares_write_any_pair_and_have_signs() {
    // v_cmp_lt_f32 s[2:3], -v0, v1
    let words = [0xd000_0000 | 1 << 17 | 2, 256 | 257 << 9 | NEG];
    let wave = Wave::new(ALL).fill(0, 1f32.to_bits()).fill(1, (-0.5f32).to_bits()).run(&words);
    assert_eq!((wave.sgpr[2], wave.sgpr[3], wave.vcc), (!0, !0, 0));
    // v_cmp_class_f32 s[2:3], |v0|, v1: positive normal numbers
    let words = [0xd000_0000 | 0x88 << 17 | ABS | 2, 256 | 257 << 9];
    let wave = Wave::new(ALL).fill(0, (-1f32).to_bits()).fill(1, 1 << 8).run(&words);
    assert_eq!((wave.sgpr[2], wave.sgpr[3]), (!0, !0));
}
