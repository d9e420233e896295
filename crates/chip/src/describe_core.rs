//! The cores of a chip in words.

use std::fmt::Write as _;

use serde::Serialize;

use crate::schema::fields;
use crate::spec::{CuCore, SmCore, UnitSpec};
use crate::text::{bytes_text, grouped, line, plural, table, word};

/// SMs, their units and single operations.
pub(crate) fn sm(out: &mut String, spec: &SmCore) {
    let (s, r, m) = (&spec.sm, &spec.registers, &spec.shared);
    let tpcs = s.per_tpc.map_or(String::new(), |n| format!(", {n} in a TPC"));
    let _ = writeln!(out, "\nSM ({} of them{tpcs})", s.count);
    line(
        out,
        "schedulers",
        format!(
            "{} in {} sub-core{}, {}, {} instruction{} each per cycle",
            spec.scheduler.per_sm,
            s.subcores,
            plural(s.subcores),
            word(&spec.scheduler.policy),
            spec.scheduler.issue_width,
            plural(spec.scheduler.issue_width),
        ),
    );
    line(out, "residents", format!("{} warps, {} threads, {} CTAs", s.warps, s.threads, s.ctas));
    line(
        out,
        "registers",
        format!(
            "{} x 32 bit ({}), at most {} per thread and {} per CTA, granule {} per warp",
            grouped(r.per_sm.into()),
            bytes_text(u64::from(r.per_sm) * 4),
            r.per_thread,
            grouped(r.per_cta.into()),
            r.granule
        ),
    );
    let reserved = match m.reserved_per_cta {
        0 => String::new(),
        n => format!(", {n} B reserved per CTA"),
    };
    line(
        out,
        "shared memory",
        format!(
            "{}, at most {} per CTA, granule {} B{reserved}, {} banks of {} B, {} cycles",
            bytes_text(m.bytes.into()),
            bytes_text(m.per_cta.into()),
            m.granule,
            m.banks,
            m.bank_bytes,
            m.latency
        ),
    );
    let sizes = m.carveouts_kib.as_ref().map(|list| {
        let list: Vec<String> = list.iter().map(u32::to_string).collect();
        format!("{} KiB of shared memory are possible", list.join(", "))
    });
    let array = m.unified_kib.map(|kib| format!("one array of {kib} KiB with L1"));
    let unified: Vec<String> = array.into_iter().chain(sizes).collect();
    if !unified.is_empty() {
        line(out, "in hardware", unified.join("; "));
    }
    line(
        out,
        "per CTA",
        format!("{} threads, {} named barriers", s.threads_per_cta, s.barriers_per_cta),
    );
    units(out, spec);
    numbers(out, "timing", "Single operations, in cycles", &spec.timing);
}

fn units(out: &mut String, spec: &SmCore) {
    let _ = writeln!(out, "\nUnits");
    let mut cells =
        vec![["unit", "per", "count", "lanes", "interval", "latency"].map(str::to_owned)];
    cells.extend(spec.units.iter().map(|u: &UnitSpec| {
        [
            u.name.clone(),
            word(&u.per),
            u.count.to_string(),
            u.lanes.to_string(),
            u.interval().to_string(),
            u.latency.to_string(),
        ]
    }));
    out.push_str(&table("  ", &cells, 2));
}

/// Compute units and what their instructions take.
pub(crate) fn cu(out: &mut String, spec: &CuCore) {
    let (c, v, s, l) = (&spec.cu, &spec.vgpr, &spec.sgpr, &spec.lds);
    let _ = writeln!(out, "\nCU ({} of them in {} groups)", c.count, c.groups());
    line(
        out,
        "SIMD units",
        format!("{} of {} lanes, wavefronts of {}", c.simds, c.lanes, c.wave_size),
    );
    line(
        out,
        "residents",
        format!(
            "{} wavefronts per SIMD unit, {} work-groups of more than one wavefront per CU",
            c.waves, c.barriers
        ),
    );
    line(
        out,
        "vector regs",
        format!(
            "{} x {} x 32 bit per SIMD unit ({}), granule {} per wavefront",
            v.per_simd,
            c.wave_size,
            bytes_text(v.bits(c.wave_size) / 8),
            v.granule
        ),
    );
    line(
        out,
        "scalar regs",
        format!(
            "{} x 32 bit per SIMD unit ({}), at most {} per wavefront, granule {}",
            s.per_simd,
            bytes_text(u64::from(s.per_simd) * 4),
            s.per_wave,
            s.granule
        ),
    );
    line(
        out,
        "LDS",
        format!(
            "{}, at most {} per work-group, granule {} B, {} banks of {} B, {} cycles",
            bytes_text(l.bytes.into()),
            bytes_text(l.per_group.into()),
            l.granule,
            l.banks,
            l.bank_bytes,
            l.latency
        ),
    );
    line(out, "per work-group", format!("{} work-items", c.work_group));
    let fetch = &spec.fetch;
    line(
        out,
        "fetch",
        format!("{} B per cycle, {} words buffered per wavefront", fetch.bytes, fetch.buffer_words),
    );
    let n = &spec.counters;
    line(
        out,
        "counters",
        format!("vmcnt to {}, expcnt to {}, lgkmcnt to {}", n.vmcnt, n.expcnt, n.lgkmcnt),
    );
    numbers(out, "cycles", "Instructions, in cycles", &spec.cycles);
    numbers(out, "lds", "Local data share, in cycles", l);
    numbers(out, "smem", "Scalar memory, in cycles", &spec.smem);
    numbers(out, "vmem", "Vector memory, in cycles", &spec.vmem);
}

/// Every cycle count of a table under its key: the reference says what each is.
fn numbers(out: &mut String, table: &str, title: &str, of: &impl Serialize) {
    const PER_LINE: usize = 7;
    /// Keys of these tables that are no cycles.
    const SIZES: [&str; 7] =
        ["bytes", "per_group", "granule", "banks", "bank_bytes", "simds_per_way", "return_bytes"];
    let _ = writeln!(out, "\n{title}");
    let Ok(toml::Value::Table(keys)) = toml::Value::try_from(of) else { return };
    let numbers: Vec<String> = fields(table)
        .filter(|f| !SIZES.contains(&f.key))
        .filter_map(|f| keys.get(f.key).map(|cycles| format!("{} {cycles}", f.key)))
        .collect();
    for some in numbers.chunks(PER_LINE) {
        let _ = writeln!(out, "  {}", some.join(", "));
    }
}
