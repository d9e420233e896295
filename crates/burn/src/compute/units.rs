//! The arithmetic units: what is computed, what on, and what it must give.

use super::fold::Fold;
use super::operands;
use super::reference::{self, Tuple};
use crate::{Group, Level, Oracle, TestAbout};

/// From here on references are computed by several cores.
const SHARED: usize = 8192;

/// A test of one arithmetic unit.
pub struct UnitTest {
    /// Its row of the table.
    pub about: TestAbout,
    /// Kernel, and with `_raw` behind it the one that stores every result.
    pub kernel: &'static str,
    /// The operation behind each word of a result.
    pub words: &'static [&'static str],
    /// Rows of four words of an operand tuple.
    pub rows: usize,
    /// Who folds.
    pub fold: Fold,
    /// What a tuple gives on a chip of compute capability `sm`.
    pub eval: fn(sm: u32, &Tuple, &mut [u32]),
    /// Operands.
    pub operands: fn(usize, u64) -> Vec<Tuple>,
}

impl UnitTest {
    /// Results of every tuple, by all cores of the host where there are many.
    pub fn results(&self, sm: u32, tuples: &[Tuple]) -> Vec<Vec<u32>> {
        let of = |tuple: &Tuple| {
            let mut words = vec![0; self.words.len()];
            (self.eval)(sm, tuple, &mut words);
            words
        };
        if tuples.len() < SHARED {
            return tuples.iter().map(of).collect();
        }
        let workers = std::thread::available_parallelism().map_or(1, |n| n.get());
        let share = tuples.len().div_ceil(workers);
        std::thread::scope(|scope| {
            let part = |part: &'_ [Tuple]| part.iter().map(of).collect::<Vec<_>>();
            let parts: Vec<_> =
                tuples.chunks(share).map(|p| (p, scope.spawn(move || part(p)))).collect();
            // A worker that cannot go on leaves its part to this one.
            parts.into_iter().flat_map(|(p, w)| w.join().unwrap_or_else(|_| part(p))).collect()
        })
    }
}

/// Mnemonics of what a kernel of [`ALL`] tests, without what follows the first
/// dot; `None` for other kernels.
pub fn under_test(kernel: &str) -> Option<Vec<&'static str>> {
    let name = kernel.strip_suffix("_raw").unwrap_or(kernel);
    let unit = ALL.iter().find(|unit| unit.kernel == name)?;
    let ends = |c: char| !c.is_ascii_uppercase() && !c.is_ascii_digit();
    let of = |word: &'static str| word.split('+').filter_map(move |op| op.split(ends).next());
    let mut all: Vec<&str> = unit.words.iter().copied().flat_map(of).collect();
    all.sort_unstable();
    all.dedup();
    Some(all)
}

/// All of them.
pub static ALL: [&UnitTest; 7] = [&FMA, &IMAD, &ALU, &FP64, &MUFU, &CONVERT, &HALF];

const EVERYWHERE: &str = "every lane of every sub-core of every SM";
const FLOATS: &str = "zeroes, denormals, edges, infinities, NaNs, walking bits, random";

const fn about(
    name: &'static str,
    unit: &'static str,
    patterns: &'static str,
    blind: &'static str,
) -> TestAbout {
    TestAbout {
        name,
        group: Group::Compute,
        unit,
        oracle: Oracle::Cpu,
        patterns,
        footprint: EVERYWHERE,
        blind,
        from: Level::One,
        injectable: true,
        not_on_model: "",
    }
}

/// FP32.
pub static FMA: UnitTest = UnitTest {
    about: about(
        "fma",
        "FP32 multiply-add, both pipes",
        "zeroes, denormals, edges, infinities, NaNs, walking bits, random; gate-level set",
        "rounding modes other than nearest, flushing of denormals",
    ),
    kernel: "burn_fma",
    words: &["FFMA", "FADD", "FMUL"],
    rows: 1,
    fold: Fold::Logic,
    eval: reference::fma,
    operands: operands::multiply_adds,
};

/// Integer products.
pub static IMAD: UnitTest = UnitTest {
    about: about(
        "imad",
        "integer multiply-add, heavy FP32 pipe",
        "edges, walking bits, random of all lengths; gate-level set",
        "carries into the product",
    ),
    kernel: "burn_imad",
    words: &["IMAD", "IMAD.HI", "IMAD.WIDE", "IMAD.WIDE high"],
    rows: 1,
    fold: Fold::Logic,
    eval: reference::imad,
    operands: operands::products,
};

/// Integer and logic.
pub static ALU: UnitTest = UnitTest {
    about: about(
        "alu",
        "integer, logic, shift, compare and select",
        "edges, walking bits, random of all lengths; gate-level set",
        "video instructions",
    ),
    kernel: "burn_alu",
    words: &[
        "IADD3",
        "IADD3.X",
        "LOP3 xor",
        "LOP3 majority",
        "SHF.L",
        "SHF.R",
        "PRMT",
        "ISETP+SEL",
        "ISETP.U32+SEL",
        "IMNMX",
        "IMNMX.U32",
        "FMNMX",
    ],
    rows: 1,
    fold: Fold::Products,
    eval: reference::alu,
    operands: operands::sums,
};

/// Double precision.
pub static FP64: UnitTest = UnitTest {
    about: about("fp64", "double-precision multiply-add", FLOATS, "rounding modes, compares"),
    kernel: "burn_fp64",
    words: &["DFMA low", "DFMA high", "DADD low", "DADD high", "DMUL low", "DMUL high"],
    rows: 2,
    fold: Fold::Logic,
    eval: reference::fp64,
    operands: operands::doubles,
};

/// Transcendentals.
pub static MUFU: UnitTest = UnitTest {
    about: about("mufu", "transcendentals and bit counts", FLOATS, "half-precision functions"),
    kernel: "burn_mufu",
    words: &[
        "MUFU.COS",
        "MUFU.SIN",
        "MUFU.EX2",
        "MUFU.LG2",
        "MUFU.RCP",
        "MUFU.RSQ",
        "MUFU.SQRT",
        "MUFU.TANH",
        "MUFU.RCP64H",
        "MUFU.RSQ64H",
        "POPC",
        "FLO",
        "BREV",
    ],
    rows: 1,
    fold: Fold::Logic,
    eval: reference::mufu,
    operands: operands::singles,
};

/// Conversions.
pub static CONVERT: UnitTest = UnitTest {
    about: about(
        "convert",
        "conversions between floats and integers",
        FLOATS,
        "8- and 16-bit integers, saturation",
    ),
    kernel: "burn_convert",
    words: &[
        "F2I",
        "F2I.U32",
        "I2F",
        "I2F.U32.RZ",
        "FRND",
        "F2F.F64.F32",
        "F2F.F32.F64",
        "F2I.S64",
        "F2I.S64 high",
        "I2F.F64.S64",
        "I2F.F64.S64 high",
        "I2F.U64",
        "F2F.F16.F32",
        "F2F.F32.F16",
    ],
    rows: 1,
    fold: Fold::Logic,
    eval: reference::convert,
    operands: operands::singles,
};

/// Half precision.
pub static HALF: UnitTest = UnitTest {
    about: about("half", "packed half-precision multiply-add", FLOATS, "bfloat16, clamping"),
    kernel: "burn_half",
    words: &["HFMA2", "HADD2", "HMUL2"],
    rows: 1,
    fold: Fold::Logic,
    eval: reference::half,
    operands: operands::halves,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_say_which_instructions_they_test() {
        assert_eq!(under_test("burn_fma_raw"), Some(vec!["FADD", "FFMA", "FMUL"]));
        assert_eq!(under_test("burn_imad"), Some(vec!["IMAD"]));
        let alu = ["FMNMX", "IADD3", "IMNMX", "ISETP", "LOP3", "PRMT", "SEL", "SHF"];
        assert_eq!(under_test("burn_alu"), Some(alu.to_vec()));
        assert_eq!(under_test("divergence"), None);
    }
}
