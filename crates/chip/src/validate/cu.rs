//! What must hold between the values of compute units.

use crate::rule::{Checked, power_of_two, rule};
use crate::spec::CuCore;

pub(super) fn core(spec: &CuCore) -> Checked {
    let cu = &spec.cu;
    rule(cu.simds.is_power_of_two(), "cu", "simds", || {
        let problem = format!("{} SIMD units do not take turns in four cycles", cu.simds);
        (problem, "use 1, 2 or 4".to_owned())
    })?;
    for (key, value, can) in [("lanes", cu.lanes, 16), ("wave_size", cu.wave_size, 64)] {
        rule(value == can, "cu", key, || {
            (format!("{value} where the code says {can}"), format!("this model can only do {can}"))
        })?;
    }
    let most = cu.waves_per_cu() * cu.wave_size;
    rule(cu.work_group <= most, "cu", "work_group", || {
        let problem = format!("a work-group cannot exceed the unit's {most} work-items");
        (problem, format!("use at most {most}"))
    })?;
    let files = [
        ("vgpr", spec.vgpr.per_simd, spec.vgpr.granule),
        ("sgpr", spec.sgpr.per_simd, spec.sgpr.granule),
    ];
    for (table, per_simd, granule) in files {
        rule(per_simd.is_multiple_of(granule), table, "per_simd", || {
            let problem = format!("{per_simd} does not divide into granules of {granule}");
            (problem, "use a multiple of granule".to_owned())
        })?;
    }
    rule(spec.sgpr.per_wave <= spec.sgpr.per_simd, "sgpr", "per_wave", || {
        let most = spec.sgpr.per_simd;
        (format!("exceeds the SIMD unit's {most}"), "use at most per_simd".to_owned())
    })?;
    lds(spec)?;
    power_of_two("fetch", "bytes", spec.fetch.bytes)
}

fn lds(spec: &CuCore) -> Checked {
    let l = &spec.lds;
    for (key, value) in [("granule", l.granule), ("banks", l.banks), ("bank_bytes", l.bank_bytes)] {
        power_of_two("lds", key, value)?;
    }
    rule(l.bytes.is_multiple_of(l.granule), "lds", "bytes", || {
        let problem = format!("{} does not divide into granules of {}", l.bytes, l.granule);
        (problem, "use a multiple of granule".to_owned())
    })?;
    rule(l.per_group <= l.bytes, "lds", "per_group", || {
        (format!("exceeds the unit's {}", l.bytes), "use at most bytes".to_owned())
    })
}
