//! Lanes per second of the warp-wide floating-point operations.

use criterion::{Criterion, Throughput};
use std::hint::black_box;
use upset_isa::fp::convert::IntType;
use upset_isa::fp::warp::{BoolOp, convert, fp32, fp64, half, mods, mufu};
use upset_isa::fp::{Cond, Format, Rounding, mufu::Func};
use upset_isa::{AluFn, Lanes, MatrixOp, Results, Sources, WARP};

/// Six words of ordinary numbers per lane (both as FP32 and as FP64 pairs).
fn operands() -> [Lanes; 6] {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    std::array::from_fn(|_| {
        std::array::from_fn(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            0x3f00_0000 | (state as u32 & 0x80ff_ffff)
        })
    })
}

fn run(c: &mut Criterion, name: &str, m: u32, f: AluFn) {
    let words = operands();
    let s = Sources { r: std::array::from_fn(|i| &words[i]), p: [u32::MAX; 3], active: u32::MAX };
    let mut r = Results::default();
    let mut group = c.benchmark_group("lanes");
    group.throughput(Throughput::Elements(WARP as u64));
    group.bench_function(name, |b| b.iter(|| f(m, black_box(&s), black_box(&mut r))));
    group.finish();
}

fn matrices(c: &mut Criterion, name: &str, op: MatrixOp) {
    let words = operands();
    let rows = std::array::from_fn(|i| &words[i]);
    let mut group = c.benchmark_group("lanes");
    group.throughput(Throughput::Elements(WARP as u64));
    group.bench_function(name, |b| b.iter(|| op.multiply(black_box(&[rows; 3]))));
    group.finish();
}

fn lanes(c: &mut Criterion) {
    let rz = mods::rounding(Rounding::Zero);
    let lt = mods::comparison(Cond::LT, BoolOp::And);
    let s32 = IntType { bits: 32, signed: true };
    run(c, "FADD", 0, fp32::fadd(0));
    run(c, "FADD.FTZ", mods::FTZ, fp32::fadd(mods::FTZ));
    run(c, "FADD.RZ", rz, fp32::fadd(rz));
    run(c, "FMUL", fp32::mul_scale(4), fp32::fmul(fp32::mul_scale(4)));
    run(c, "FFMA", 0, fp32::ffma(0));
    run(c, "FFMA.FTZ", mods::FTZ, fp32::ffma(mods::FTZ));
    run(c, "FFMA.RZ", rz, fp32::ffma(rz));
    run(c, "FSETP.LT", lt, fp32::fsetp(lt));
    run(c, "FMNMX", 0, fp32::fmnmx(0));
    run(c, "FSEL", 0, fp32::fsel(0));
    run(c, "DADD", 0, fp64::dadd(0));
    run(c, "DMUL", 0, fp64::dmul(0));
    run(c, "DFMA", 0, fp64::dfma(0));
    run(c, "DFMA.RZ", rz, fp64::dfma(rz));
    run(c, "DSETP.LT", lt, fp64::dsetp);
    run(c, "HADD2", 0, half::hadd2);
    run(c, "HFMA2", 0, half::hfma2);
    run(c, "HFMA2.BF16", half::BF16, half::hfma2);
    run(c, "HFMA2.RELU", half::RELU, half::hfma2);
    run(c, "HMNMX2", 0, half::hmnmx2);
    run(c, "HSETP2.LT", lt, half::hsetp2);
    let f2i = convert::float_to_int(Format::F32, s32, 0) | rz | mods::NAN;
    run(c, "F2I.TRUNC.NTZ", f2i, convert::f2i(f2i));
    let i2f = convert::int_to_float(s32, Format::F32, 0);
    run(c, "I2F", i2f, convert::i2f(i2f));
    let f2f = convert::formats(Format::F32, Format::F64, 0);
    run(c, "F2F.F64.F32", f2f, convert::f2f(f2f));
    let rcp = mufu::function(Func::Rcp, Format::F32);
    run(c, "MUFU.RCP", rcp, mufu::select(rcp));
    matrices(c, "HMMA.16816", MatrixOp::Half { k: 16 });
}

fn main() {
    let mut c = Criterion::default().configure_from_args();
    lanes(&mut c);
    c.final_summary();
}
