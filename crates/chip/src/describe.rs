//! A chip in words: the list of chips, and one chip in full.

use std::fmt::Write as _;

use serde::Serialize;

use crate::describe_core::{cu, sm};
use crate::spec::{CacheSpec, ChipSpec, CoreSpec, DriverMemory, Per, WritePolicy};
use crate::text::{bytes_text, grouped, line, table, word};

/// Address spaces there are.
const SPACES: usize = 5;

/// One line of the list of chips.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChipRow {
    /// Short name.
    pub name: String,
    /// Product name.
    pub title: String,
    /// Architecture.
    pub arch: String,
    /// SMs or compute units.
    pub sms: u32,
    /// Registers of threads or lanes, bytes of the whole chip.
    pub register_bytes: u64,
    /// Shared memory or local data share, bytes of the whole chip.
    pub shared_bytes: u64,
    /// L1 data or vector cache, bytes of the whole chip; none if it has none.
    pub l1d_bytes: Option<u64>,
    /// L2 cache, bytes of the whole chip.
    pub l2_bytes: Option<u64>,
    /// Bits of all arrays, tags included.
    pub array_bits: u64,
}

impl ChipSpec {
    /// This chip as a line of the list.
    pub fn row(&self) -> ChipRow {
        let sms = u64::from(self.processors());
        let cache =
            |name: &str| self.cache(name).map(|c| c.bytes() * u64::from(self.instances(c.per)));
        ChipRow {
            name: self.chip.name.clone(),
            title: self.chip.title.clone(),
            arch: self.chip.arch.clone(),
            sms: self.processors(),
            register_bytes: sms * u64::from(self.registers()) * 4,
            shared_bytes: sms * u64::from(self.shared_bytes()),
            l1d_bytes: cache(if self.sm().is_ok() { "l1d" } else { "l1v" }),
            l2_bytes: cache("l2"),
            array_bits: self.total_bits(),
        }
    }

    /// Peak bandwidth of DRAM: every channel's bus busy in every command cycle.
    pub fn dram_bytes_per_second(&self) -> f64 {
        let d = &self.dram;
        let per_command = [d.chips, d.bus_bytes, d.data_per_command].map(f64::from);
        f64::from(self.memory.partitions)
            * per_command.iter().product::<f64>()
            * self.clock.dram_mhz
            * 1e6
    }

    /// The chip in full, as people read it.
    pub fn describe(&self) -> String {
        let mut out = String::new();
        head(&mut out, self);
        match &self.core {
            CoreSpec::Sm(core) => sm(&mut out, core),
            CoreSpec::Cu(core) => cu(&mut out, core),
        }
        caches(&mut out, self);
        below(&mut out, self);
        arrays(&mut out, self);
        out
    }
}

/// The list of chips as an aligned table.
pub fn render_list(rows: &[ChipRow]) -> String {
    let size = |bytes: Option<u64>| bytes.map_or_else(|| "-".to_owned(), bytes_text);
    let mut cells = vec![
        ["NAME", "TITLE", "ARCH", "SMs/CUs", "REGISTERS", "SHARED", "L1D", "L2", "ARRAY BITS"]
            .map(str::to_owned),
    ];
    cells.extend(rows.iter().map(|r| {
        [
            r.name.clone(),
            r.title.clone(),
            r.arch.clone(),
            r.sms.to_string(),
            bytes_text(r.register_bytes),
            bytes_text(r.shared_bytes),
            size(r.l1d_bytes),
            size(r.l2_bytes),
            grouped(r.array_bits),
        ]
    }));
    table("", &cells, 3)
}

fn head(out: &mut String, spec: &ChipSpec) {
    let chip = &spec.chip;
    let _ = writeln!(out, "{}: {} ({}, {})", chip.name, chip.title, chip.family, chip.arch);
    if let Some(nm) = chip.process_nm {
        line(out, "process", format!("{nm} nm"));
    }
    match (chip.raw_fit_per_bit, &chip.raw_fit_source) {
        (Some(fit), Some(source)) => line(out, "raw FIT/bit", format!("{fit:e} ({source})")),
        _ => line(out, "raw FIT/bit", "not given: upset report needs --raw-fit".to_owned()),
    }
    let c = &spec.clock;
    line(
        out,
        "clocks",
        format!(
            "core {}{}, interconnect {}, L2 {}, DRAM {} MHz",
            c.core_mhz,
            c.boost_mhz.map(|mhz| format!(" (boost {mhz})")).unwrap_or_default(),
            c.interconnect_mhz,
            c.l2_mhz,
            c.dram_mhz
        ),
    );
}

fn caches(out: &mut String, spec: &ChipSpec) {
    let _ = writeln!(out, "\nCaches");
    let mut cells = vec![
        ["cache", "each", "instances", "sets x ways x line", "policy", "hit", "serves", "next"]
            .map(str::to_owned),
    ];
    cells.extend(spec.caches.iter().map(|c: &CacheSpec| {
        let serves: Vec<String> = c.serves.iter().map(word).collect();
        let local = match c.local_write() {
            w if w == c.write => String::new(),
            w => format!(", local {}", word(&w)),
        };
        let policy = match c.write {
            WritePolicy::ReadOnly => format!("{} read-only", word(&c.replacement)),
            w => format!("{} {}{local}", word(&c.replacement), word(&w)),
        };
        [
            c.name.clone(),
            bytes_text(c.bytes()),
            format!("{} ({})", spec.instances(c.per), per_text(c.per)),
            format!("{} x {} x {}", c.sets, c.ways, c.line_bytes),
            policy,
            c.latency.to_string(),
            if serves.len() == SPACES { "all".to_owned() } else { serves.join(", ") },
            c.next.clone(),
        ]
    }));
    out.push_str(&table("  ", &cells, usize::MAX));
}

fn below(out: &mut String, spec: &ChipSpec) {
    let (m, d, i, l, flags) =
        (&spec.memory, &spec.dram, &spec.interconnect, &spec.launch, &spec.model);
    let _ = writeln!(out, "\nMemory");
    line(
        out,
        "device memory",
        format!(
            "{} in {} partitions of {} slices, {} B interleave, {} hash",
            bytes_text(m.bytes),
            m.partitions,
            m.slices_per_partition,
            m.partition_bytes,
            word(&m.partition_hash)
        ),
    );
    line(
        out,
        "DRAM",
        format!(
            "{} banks in {} groups, {} B per access, {:.0} GB/s, {}, CL {} RCD {} RP {} RAS {}",
            d.banks,
            d.bank_groups,
            d.atom_bytes(),
            spec.dram_bytes_per_second() / 1e9,
            word(&d.scheduler),
            d.cl,
            d.rcd,
            d.rp,
            d.ras
        ),
    );
    line(
        out,
        "interconnect",
        format!(
            "{} B flits to L2 and {} B back, {} B of header per sector, L2 {} and DRAM {} cycles away",
            i.flit_bytes,
            i.reply_flit_bytes.unwrap_or(i.flit_bytes),
            i.header_bytes,
            m.rop_latency,
            m.dram_latency
        ),
    );
    line(
        out,
        "launch",
        format!("{} cycles per kernel, {} per CTA", l.kernel_latency, l.cta_latency),
    );
    let d = &spec.driver;
    let around = match d.memory {
        DriverMemory::Mapped => format!(
            "{} below and {} above small allocations answer, pockets to {}, pages of {}",
            bytes_text(d.small_page),
            bytes_text(d.block_bytes - d.small_page),
            bytes_text(d.pockets.last().unwrap_or(&d.block_bytes) - d.small_page),
            bytes_text(d.page_bytes.into())
        ),
        DriverMemory::Strict => {
            format!("only pages of {} with allocations answer", bytes_text(d.page_bytes.into()))
        }
    };
    line(out, "driver", around);
    let switches = [
        (flags.flush_l1_between_kernels, "L1 flushed between kernels"),
        (flags.flush_l2_between_kernels, "L2 flushed between kernels"),
        (flags.perfect_instruction_and_constant, "perfect instruction and constant caches"),
        (flags.ecc, "ECC"),
    ];
    let on: Vec<&str> = switches.iter().filter(|(on, _)| *on).map(|(_, text)| *text).collect();
    let text = if on.is_empty() { "none on".to_owned() } else { on.join(", ") };
    line(out, "switches", text);
}

fn arrays(out: &mut String, spec: &ChipSpec) {
    let _ =
        writeln!(out, "\nArrays as the papers count them (tags included; --arrays lists them all)");
    let mut cells = vec![["structure", "instances", "bits each", "bits", "MiB"].map(str::to_owned)];
    cells.extend(spec.inventory().iter().map(|a| {
        [
            a.structure.clone(),
            a.instances.to_string(),
            grouped(a.bits_each()),
            grouped(a.bits()),
            format!("{:.2}", a.mebibytes()),
        ]
    }));
    let bits = spec.total_bits();
    cells.push([
        "total".to_owned(),
        String::new(),
        String::new(),
        grouped(bits),
        format!("{:.2}", bits as f64 / 8.0 / 1048576.0),
    ]);
    out.push_str(&table("  ", &cells, 1));
}

fn per_text(per: Per) -> &'static str {
    match per {
        Per::Subcore => "per sub-core",
        Per::Sm => "per SM",
        Per::Cu => "per CU",
        Per::Group => "per group",
        Per::Slice => "per slice",
    }
}
