//! Vector instructions from their words to registers: what rows say about
//! operands reaches the functions.

use upset_gcn::read;
use upset_gcn::wave::{Destinations, Operands, Outcome, Reg, evaluate, write};

type Half = [u32; 32];

/// A wave with a few registers.
struct Wave {
    vgprs: Vec<[Half; 2]>,
    sgprs: [u32; 104],
    vcc: [u32; 2],
    exec: u64,
    mode: u32,
}

impl Operands for Wave {
    fn vgpr(&self, n: u32, half: usize) -> &Half {
        &self.vgprs[n as usize][half]
    }

    fn scalar(&self, reg: Reg) -> u32 {
        match reg {
            Reg::Sgpr(n) => self.sgprs[usize::from(n)],
            Reg::Vcc(n) => self.vcc[usize::from(n)],
            Reg::Exec(n) => (self.exec >> (32 * n)) as u32,
            Reg::Mode => self.mode,
            Reg::M0 | Reg::Scc => 0,
        }
    }

    fn exec(&self) -> u64 {
        self.exec
    }
}

impl Destinations for Wave {
    fn write_vgpr(&mut self, n: u32, half: usize, mask: u32, value: &Half) {
        for lane in (0..32).filter(|lane| mask >> lane & 1 == 1) {
            self.vgprs[n as usize][half][lane] = value[lane];
        }
    }

    fn write_scalar(&mut self, reg: Reg, value: u32) {
        match reg {
            Reg::Sgpr(n) => self.sgprs[usize::from(n)] = value,
            Reg::Vcc(n) => self.vcc[usize::from(n)] = value,
            _ => panic!("{reg:?} is not written here"),
        }
    }
}

impl Wave {
    /// v0 to v7: every lane of register n is what `f` says.
    fn new(f: impl Fn(u32, u32) -> u32) -> Wave {
        let half = |n, first| std::array::from_fn(|l| f(n, first + l as u32));
        let vgprs = (0..8).map(|n| [half(n, 0), half(n, 32)]).collect();
        Wave { vgprs, sgprs: [0; 104], vcc: [0; 2], exec: u64::MAX, mode: 0x3c0 }
    }

    fn run(&mut self, words: &[u32]) {
        let inst = read(words).unwrap();
        let mut outcome = Outcome::default();
        evaluate(self, &inst, 0, &mut outcome).unwrap();
        write(self, &outcome);
    }

    fn lane(&self, n: usize, lane: usize) -> u32 {
        self.vgprs[n][lane / 32][lane % 32]
    }

    fn vcc(&self) -> u64 {
        u64::from(self.vcc[0]) | u64::from(self.vcc[1]) << 32
    }
}

/// The short form: `op vdst, src0, v[src1]`.
fn short(op: u32, vdst: u32, src0: u32, src1: u32) -> u32 {
    op << 25 | vdst << 17 | src1 << 9 | src0
}

/// The long form, with negated sources and the second result.
fn long(op: u32, vdst: u32, src: [u32; 3], neg: u32, sdst: u32) -> [u32; 2] {
    let low = 0xd000_0000 | op << 17 | sdst << 8 | vdst;
    [low, neg << 29 | src[2] << 18 | src[1] << 9 | src[0]]
}

const V: u32 = 256;
const VCC: u32 = 106;
const MINUS_ONE: u32 = 193;

#[test]
fn sources_are_exchanged_where_the_name_says_so() {
    let mut wave = Wave::new(|n, lane| n * 100 + lane);
    // v_sub_i32 v3, v1, v2; v_subrev_i32 v4, v1, v2
    wave.run(&[short(38, 3, V + 1, 2)]);
    assert_eq!((wave.lane(3, 40), wave.vcc()), (100u32.wrapping_neg(), u64::MAX));
    wave.run(&[short(39, 4, V + 1, 2)]);
    assert_eq!((wave.lane(4, 40), wave.vcc()), (100, 0));
    // v_lshlrev_b32 v5, 4, v1
    wave.run(&[short(26, 5, 128 + 4, 1)]);
    assert_eq!(wave.lane(5, 3), 103 << 4);
}

#[test]
fn carries_go_on_to_the_upper_half() {
    let mut wave = Wave::new(|_, lane| lane);
    // v_add_i32 v2, vcc, -1, v0; v_addc_u32 v3, vcc, 0, v1, vcc: v1:v0 + 0xffffffff.
    wave.run(&[short(37, 2, MINUS_ONE, 0)]);
    wave.run(&[short(40, 3, 128, 1)]);
    for lane in 0..64 {
        let sum = (lane as u64) * ((1 << 32) + 1) + 0xffff_ffff;
        let got = u64::from(wave.lane(2, lane)) | u64::from(wave.lane(3, lane)) << 32;
        assert_eq!(got, sum, "{lane}");
    }
    assert_eq!(wave.vcc(), 0, "the second sum carries nowhere");
}

#[test]
fn inactive_lanes_keep_their_values_and_carry_nothing() {
    let mut wave = Wave::new(|_, lane| lane + 1);
    wave.exec = 0xff00_0000_0000_00f0;
    // v_add_i32 v2, vcc, -1, v0
    wave.run(&[short(37, 2, MINUS_ONE, 0)]);
    assert_eq!(wave.vcc(), wave.exec);
    assert_eq!((wave.lane(2, 3), wave.lane(2, 4)), (4, 4));
    assert_eq!((wave.lane(2, 55), wave.lane(2, 63)), (56, 63));
}

#[test]
fn the_old_result_is_a_source_of_multiply_and_accumulate() {
    let mut wave = Wave::new(|n, lane| ((n + lane) as f32).to_bits());
    // v_mac_f32 v3, v1, v2; v_mac_f32_e64 v4, -v1, v2
    wave.run(&[short(31, 3, V + 1, 2)]);
    wave.run(&long(256 + 31, 4, [V + 1, V + 2, 0], 1, 0));
    for lane in [0usize, 33] {
        let (l, x) = (lane as f32, |n| f32::from_bits(wave.lane(n, lane)));
        assert_eq!(x(3), (l + 1.0) * (l + 2.0) + l + 3.0);
        assert_eq!(x(4), l + 4.0 - (l + 1.0) * (l + 2.0));
    }
}

#[test]
fn lanes_choose_by_a_pair_of_scalar_registers() {
    let mut wave = Wave::new(|n, _| n);
    (wave.sgprs[4], wave.sgprs[5]) = (0x0000_ffff, 0xf0f0_f0f0);
    // v_cndmask_b32_e64 v0, v1, v2, s[4:5]
    wave.run(&long(256, 0, [V + 1, V + 2, 4], 0, 0));
    let mask = 0xf0f0_f0f0_0000_ffffu64;
    assert!((0..64).all(|lane| wave.lane(0, lane) == 1 + (mask >> lane & 1) as u32));
}

#[test]
fn values_cross_between_lanes_and_scalars() {
    let mut wave = Wave::new(|n, lane| n * 100 + lane);
    wave.exec = 0;
    // v_readlane_b32 s7, v1, 45 (an inline constant); v_writelane_b32 v2, s7, 3
    wave.run(&[short(1, 7, V + 1, 128 + 45)]);
    assert_eq!(wave.sgprs[7], 145);
    wave.run(&[short(2, 2, 7, 128 + 3)]);
    assert_eq!((wave.lane(2, 3), wave.lane(2, 4)), (145, 204));
}

#[test]
fn lanes_are_numbered_by_counting() {
    let mut wave = Wave::new(|_, _| 7);
    // v_mbcnt_lo_u32_b32 v0, -1, 0 (long form); v_mbcnt_hi_u32_b32 v0, -1, v0
    wave.run(&long(256 + 35, 0, [MINUS_ONE, 128, 0], 0, 0));
    wave.run(&[short(36, 0, MINUS_ONE, 0)]);
    assert!((0..64).all(|lane| wave.lane(0, lane) == lane as u32));
}

/// `v0 / v1` of whole numbers, by the instructions of LLVM's sequence; the
/// reciprocal is made here, and denormals are kept throughout.
#[test]
fn a_division_in_machine_code() {
    let value = |n: u32, lane: u32| match n {
        0 => f32::powi(3.0, 60) * (lane + 1) as f32,
        1 => f32::powi(7.0, lane as i32 % 40 - 20),
        _ => 0.0,
    };
    let mut wave = Wave::new(|n, lane| value(n, lane).to_bits());
    wave.mode = 0x3f0;
    let (num, den) = (V, V + 1);
    // v_div_scale_f32 v2, s[8:9], v1, v1, v0; v_div_scale_f32 v3, vcc, v0, v1, v0
    wave.run(&long(365, 2, [den, den, num], 0, 8));
    wave.run(&long(365, 3, [num, den, num], 0, VCC));
    assert_ne!(wave.vcc(), 0, "some of them are scaled");
    assert_ne!(wave.vcc(), u64::MAX, "others are not");
    for half in 0..2 {
        wave.vgprs[4][half] = wave.vgprs[2][half].map(|d| (1.0 / f32::from_bits(d)).to_bits());
    }
    // v5 = 1 - v2 v4; v4 += v5 v4; v5 = v3 v4; v6 = v3 - v2 v5; v5 += v6 v4; v6 again.
    wave.run(&long(331, 5, [V + 2, V + 4, 242], 1, 0));
    wave.run(&long(331, 4, [V + 5, V + 4, V + 4], 0, 0));
    wave.run(&[short(8, 5, V + 3, 4)]);
    wave.run(&long(331, 6, [V + 2, V + 5, V + 3], 1, 0));
    wave.run(&long(331, 5, [V + 6, V + 4, V + 5], 0, 0));
    wave.run(&long(331, 6, [V + 2, V + 5, V + 3], 1, 0));
    // v_div_fmas_f32 v6, v6, v4, v5; v_div_fixup_f32 v6, v6, v1, v0
    wave.run(&long(367, 6, [V + 6, V + 4, V + 5], 0, 0));
    wave.run(&long(351, 6, [V + 6, den, num], 0, 0));
    for lane in 0..64 {
        let quotient = value(0, lane) / value(1, lane);
        assert_eq!(f32::from_bits(wave.lane(6, lane as usize)), quotient, "{lane}");
    }
}
