//! gpu-burn's method, to be graded beside our tests: random matrices are
//! multiplied again and again, and every element is compared with that of the
//! first product, on the GPU itself, with an absolute tolerance.
//!
//! `kernels/burn/rival.cu` is written anew. Matrices are small, since all is
//! simulated; the tolerance is gpu-burn's for its 8,192 rows times the share of
//! rows, so that it is the same part of an element.

use upset_burn::random::Random;
use upset_burn::raw::{get, put, with_buffers};
use upset_burn::{
    Arg, Bench, BoardError, Group, Image, Level, MachineCode, Oracle, Place, Shape, Test, TestAbout,
};

/// Rows of a matrix.
const ROWS: u32 = 64;
/// Products: the first is taken for right.
const PRODUCTS: u32 = 2;
/// gpu-burn's tolerance, and the rows that it is for.
const EPSILON: (f32, u32) = (1e-3, 8192);
/// Rows of a CTA's tile, and its threads.
const TILE: u32 = 32;
const THREADS: u32 = 64;

macro_rules! code {
    ($sm:literal, $file:literal) => {
        MachineCode {
            sm: $sm,
            bytes: include_bytes!(concat!("../../../kernels/burn/rival.", $file, ".cubin")),
        }
    };
}

static RIVAL_CODE: Image = Image {
    name: "rival",
    cubins: &[code!(70, "sm_70"), code!(75, "sm_75"), code!(80, "sm_80"), code!(90, "sm_90")],
    ptx: include_str!("../../../kernels/burn/rival.ptx"),
    opencl: "",
};

/// The method as a test.
pub struct Rival;

static ABOUT: TestAbout = TestAbout {
    name: "gpu-burn",
    group: Group::Compute,
    unit: "what multiplies matrices",
    oracle: Oracle::Vote,
    patterns: "random matrices, values in [0, 10)",
    footprint: "what the product's CTAs reach",
    blind: "everything that goes wrong in the same way each time; NaNs",
    from: Level::One,
    injectable: false,
    not_on_model: "",
};

impl Test for Rival {
    fn about(&self) -> &'static TestAbout {
        &ABOUT
    }

    fn run(&self, bench: &mut Bench<'_>) -> Result<(), BoardError> {
        let elements = ROWS * ROWS;
        let bytes = u64::from(elements) * 4;
        let mut random = Random::new(bench.seed, "rival");
        let mut matrix = || -> Vec<u32> { (0..elements).map(|_| value(&mut random)).collect() };
        let factors = [matrix(), matrix()];
        // One word more than there are elements: how many were wrong.
        let sizes = [bytes, bytes, bytes * u64::from(PRODUCTS), 4];
        let faulty = with_buffers(bench, sizes, |bench, [a, b, c, faulty]| {
            put(bench, a, &factors[0])?;
            put(bench, b, &factors[1])?;
            put(bench, faulty, &[0])?;
            let module = bench.module(&RIVAL_CODE)?;
            let tiles = ROWS / TILE;
            let shape = Shape { grid: [tiles, tiles, 1], ..Shape::row(1, THREADS) };
            for product in 0..u64::from(PRODUCTS) {
                let c = Arg::U64(c.handle + product * bytes);
                let args = [Arg::Buffer(a), Arg::Buffer(b), c, Arg::U32(ROWS)];
                bench.board.launch(module, "rival_product", shape, &args)?;
                bench.board.sync()?;
            }
            let args = [
                Arg::Buffer(c),
                Arg::Buffer(faulty),
                Arg::U32(elements),
                Arg::U32(PRODUCTS),
                Arg::F32(EPSILON.0 * ROWS as f32 / EPSILON.1 as f32),
            ];
            let shape = Shape::row(elements / 256, 256);
            bench.board.launch(module, "rival_compare", shape, &args)?;
            bench.board.sync()?;
            Ok(get(bench, faulty, 1)?[0])
        })?;
        bench.checked(u64::from(elements * (PRODUCTS - 1)));
        if faulty > 0 {
            let note = format!("{faulty} elements differ from the first product's");
            bench.find("product", Place::default(), (0, faulty.into(), 32), note);
        }
        Ok(())
    }
}

/// Its numbers: steps of 1e-5 from 0 on, below 10.
fn value(random: &mut Random) -> u32 {
    ((f64::from(random.below(1_000_000)) / 100_000.0) as f32).to_bits()
}
