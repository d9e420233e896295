//! What must hold between the values of SMs.

use crate::rule::{Checked, power_of_two, rule};
use crate::spec::{Per, SmCore};

pub(super) fn core(spec: &SmCore) -> Checked {
    rule(spec.sm.warp_size == 32, "sm", "warp_size", || {
        let problem = format!("{} threads in a warp of an SM", spec.sm.warp_size);
        (problem, "this model can only do 32".to_owned())
    })?;
    limits(spec)?;
    registers(spec)?;
    shared(spec)?;
    for unit in &spec.units {
        let component = format!("unit.{}", unit.name);
        rule(matches!(unit.per, Per::Subcore | Per::Sm), &component, "per", || {
            ("units sit in SMs".to_owned(), "use subcore or sm".to_owned())
        })?;
    }
    Ok(())
}

fn limits(spec: &SmCore) -> Checked {
    let sm = &spec.sm;
    rule(sm.threads == sm.warps * sm.warp_size, "sm", "threads", || {
        let product = sm.warps * sm.warp_size;
        (
            format!("{} is not {} warps of {}", sm.threads, sm.warps, sm.warp_size),
            format!("set threads={product}, or change warps with it"),
        )
    })?;
    rule(sm.threads_per_cta <= sm.threads, "sm", "threads_per_cta", || {
        let most = sm.threads;
        (format!("a CTA cannot exceed the SM's {most} threads"), format!("use at most {most}"))
    })?;
    rule(spec.scheduler.per_sm.is_multiple_of(sm.subcores), "scheduler", "per_sm", || {
        (
            format!("{} cannot be shared out to {} sub-cores", spec.scheduler.per_sm, sm.subcores),
            "use a multiple of sm.subcores".to_owned(),
        )
    })
}

fn registers(spec: &SmCore) -> Checked {
    let r = &spec.registers;
    rule(r.per_cta <= r.per_sm, "registers", "per_cta", || {
        (format!("exceeds the SM's {}", r.per_sm), "use at most per_sm".to_owned())
    })?;
    rule(r.per_sm.is_multiple_of(r.partitions * spec.sm.warp_size), "registers", "per_sm", || {
        (
            format!("does not divide into {} partitions of whole rows", r.partitions),
            format!("use a multiple of {}", r.partitions * spec.sm.warp_size),
        )
    })?;
    rule(r.granule.is_multiple_of(spec.sm.warp_size), "registers", "granule", || {
        ("is not a whole number of rows".to_owned(), "use a multiple of sm.warp_size".to_owned())
    })
}

fn shared(spec: &SmCore) -> Checked {
    let s = &spec.shared;
    let fits = s.per_cta == 0 || s.per_cta + s.reserved_per_cta <= s.bytes;
    rule(fits, "shared", "per_cta", || {
        (
            format!("with {} reserved it exceeds the SM's {}", s.reserved_per_cta, s.bytes),
            format!("use at most {}", s.bytes.saturating_sub(s.reserved_per_cta)),
        )
    })?;
    for (key, value) in [("granule", s.granule), ("banks", s.banks), ("bank_bytes", s.bank_bytes)] {
        power_of_two("shared", key, value)?;
    }
    Ok(())
}
