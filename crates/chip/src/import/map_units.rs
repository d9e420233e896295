//! Execution units: counts, latencies and initiation intervals.
//!
//! GPGPU-Sim gives them per PTX opcode class (ADD, MAX, MUL, MAD, DIV); the
//! common case, ADD, stands for the unit.

use super::NoteKind;
use super::draft::Draft;
use super::map_core::{OPERANDS_READ, subcores};
use super::reader::{Got, Reader};

/// Latency and initiation interval.
struct Speed {
    latency: Got<u32>,
    initiation: Got<u32>,
}

pub(super) fn map(r: &mut Reader, d: &mut Draft, sm: u32) {
    let speed = |r: &mut Reader, latency, lat: &[u32], initiation, init: &[u32]| Speed {
        latency: first(r, latency, lat),
        initiation: first(r, initiation, init),
    };
    let int = speed(
        r,
        "ptx_opcode_latency_int",
        &[1, 1, 19, 25, 145, 32],
        "ptx_opcode_initiation_int",
        &[1, 1, 4, 4, 32, 4],
    );
    let fp = speed(
        r,
        "ptx_opcode_latency_fp",
        &[1, 1, 1, 1, 30],
        "ptx_opcode_initiation_fp",
        &[1, 1, 1, 1, 5],
    );
    let mut dp = speed(
        r,
        "ptx_opcode_latency_dp",
        &[8, 8, 8, 8, 335],
        "ptx_opcode_initiation_dp",
        &[8, 8, 8, 8, 130],
    );
    let mut sfu = speed(r, "ptx_opcode_latency_sfu", &[8], "ptx_opcode_initiation_sfu", &[8]);
    // The name is misspelt in GPGPU-Sim.
    let mut tensor =
        speed(r, "ptx_opcode_latency_tesnor", &[64], "ptx_opcode_initiation_tensor", &[64]);
    // Accel-Sim's figures are for machine code, as ours; those for INT and SP
    // count the execute stage alone and are left out.
    let traces = [
        (
            "trace_opcode_latency_initiation_dp",
            ["ptx_opcode_latency_dp", "ptx_opcode_initiation_dp"],
            &mut dp,
        ),
        (
            "trace_opcode_latency_initiation_sfu",
            ["ptx_opcode_latency_sfu", "ptx_opcode_initiation_sfu"],
            &mut sfu,
        ),
        (
            "trace_opcode_latency_initiation_tensor",
            ["ptx_opcode_latency_tesnor", "ptx_opcode_initiation_tensor"],
            &mut tensor,
        ),
    ];
    for (trace, replaced, speed) in traces {
        let Some((latency, initiation)) = pair(r, trace) else { continue };
        *speed = Speed { latency, initiation };
        for name in replaced {
            r.note(name, NoteKind::Ignored, &format!("-{trace} is for machine code and counts"));
        }
    }

    let sp_units = r.get("gpgpu_num_sp_units", 1u32);
    let sfu_units = r.get("gpgpu_num_sfu_units", 1u32);
    let int_units = match r.get("gpgpu_num_int_units", 0u32) {
        Got { value: 0, .. } => {
            Got { why: "no INT units: on the SP units".to_owned(), ..sp_units.clone() }
        }
        units => units,
    };
    let dp_units = match r.get("gpgpu_num_dp_units", 0u32) {
        Got { value: 0, .. } => {
            Got { why: "no DP units: on the SFUs".to_owned(), ..sfu_units.clone() }
        }
        units => units,
    };
    unit(r, d, sm, "alu", int_units, &int);
    unit(r, d, sm, "fma", sp_units.clone(), &fp);
    unit(r, d, sm, "fp64", dp_units, &dp);
    unit(r, d, sm, "half", Got { why: "as the SP units".to_owned(), ..sp_units.clone() }, &fp);
    unit(r, d, sm, "mufu", sfu_units, &sfu);
    let tensor_units = r.get("gpgpu_num_tensor_core_units", 0u32);
    if r.flag("gpgpu_tensor_core_avail", false).value && tensor_units.value > 0 {
        unit(r, d, sm, "tensor", tensor_units, &tensor);
    }
    specialized(r, d, sm);
    if !d.has("unit.branch") {
        let units = Got { why: "branches run on the SP units".to_owned(), ..sp_units };
        unit(r, d, sm, "branch", units, &int);
    }
    let why = "GPGPU-Sim has one load/store unit per SM";
    for (name, lanes) in [("unit.load_store", 32), ("unit.system", 32)] {
        for (key, value) in [("count", 1), ("lanes", lanes), ("latency", OPERANDS_READ)] {
            d.put(name, key, Got::assumed(value, why));
        }
        d.put(name, "per", Got::assumed("sm", why));
    }
    let uniform = (sm >= 75).then_some(("unit.uniform", 1));
    for (name, lanes) in [("unit.texture", 32)].into_iter().chain(uniform) {
        if !d.has(name) {
            let why = "GPGPU-Sim has no such unit without Accel-Sim's trace.config";
            d.assume(name, "per", "subcore", why);
            for (key, value) in [("count", 1), ("lanes", lanes), ("latency", 4)] {
                d.assume(name, key, value, why);
            }
        }
    }
    widths(r);
}

/// One unit; a unit that takes a warp every `initiation` cycles has the lanes
/// for it.
fn unit(r: &mut Reader, d: &mut Draft, sm: u32, name: &str, units: Got<u32>, speed: &Speed) {
    let subcores = subcores(r, sm);
    let component = format!("unit.{name}");
    let divided = subcores.value > 1 && units.value.is_multiple_of(subcores.value);
    let (per, count) =
        if divided { ("subcore", units.value / subcores.value) } else { ("sm", units.value) };
    let why = units.why.clone();
    d.put(&component, "per", Got { value: per, why, line: 0 });
    let initiation = speed.initiation.value.max(1);
    let threads = if name == "uniform" { 1 } else { 32u32 };
    let lanes = threads.div_ceil(initiation);
    // Where the model has a core it has one of each, which may be wider.
    let most = if sm < 70 || (name == "fma" && count == 2) { count } else { 1 };
    let side_by_side = count.min(most);
    let wider = lanes.saturating_mul(count / side_by_side.max(1)).min(threads);
    let why = match count > most {
        true => format!("{}: lanes for that, {count} units together", speed.initiation.why),
        false => format!("{}: lanes for that", speed.initiation.why),
    };
    d.put(&component, "count", units.map(|_| side_by_side));
    d.put(&component, "lanes", Got { value: wider, why, line: speed.initiation.line });
    if wider == lanes && initiation > threads.div_ceil(lanes) {
        d.put(&component, "initiation", speed.initiation.clone());
    }
    d.put(&component, "latency", speed.latency.clone());
}

/// The first of a list of opcode classes, which stands for all.
fn first(r: &mut Reader, name: &'static str, default: &[u32]) -> Got<u32> {
    let list: Got<Vec<u32>> = r.list(name, ',', 1, default);
    let value = list.value.first().copied().unwrap_or(0);
    if list.value.iter().any(|v| *v != value) {
        let reason = format!("the first, {value}, stands for the unit; the others have no place");
        r.note(name, NoteKind::Changed, &reason);
    }
    list.map(|_| value)
}

/// Accel-Sim's `latency,initiation`.
fn pair(r: &mut Reader, name: &'static str) -> Option<(Got<u32>, Got<u32>)> {
    r.text(name)?;
    let list: Got<Vec<u32>> = r.list(name, ',', 2, &[]);
    let (latency, initiation) = (*list.value.first()?, *list.value.get(1)?);
    Some((list.clone().map(|_| latency), list.map(|_| initiation)))
}

/// `-specialized_unit_N enabled,units,latency,width,width,NAME`.
fn specialized(r: &mut Reader, d: &mut Draft, sm: u32) {
    const NAMES: [(&str, &str); 8] = [
        ("specialized_unit_1", "trace_opcode_latency_initiation_spec_op_1"),
        ("specialized_unit_2", "trace_opcode_latency_initiation_spec_op_2"),
        ("specialized_unit_3", "trace_opcode_latency_initiation_spec_op_3"),
        ("specialized_unit_4", "trace_opcode_latency_initiation_spec_op_4"),
        ("specialized_unit_5", "trace_opcode_latency_initiation_spec_op_5"),
        ("specialized_unit_6", "trace_opcode_latency_initiation_spec_op_6"),
        ("specialized_unit_7", "trace_opcode_latency_initiation_spec_op_7"),
        ("specialized_unit_8", "trace_opcode_latency_initiation_spec_op_8"),
    ];
    for (option, timing) in NAMES {
        let given = pair(r, timing);
        let Some(text) = r.text(option) else { continue };
        let parts: Vec<&str> = text.value.split(',').map(str::trim).collect();
        let [enabled, units, latency, _, _, name] = parts.as_slice() else {
            r.note_of(&text, NoteKind::Unparsable, "six fields are needed");
            continue;
        };
        if *enabled == "0" {
            continue;
        }
        let (Ok(units), Ok(latency)) = (units.parse::<u32>(), latency.parse::<u32>()) else {
            r.note_of(&text, NoteKind::Unparsable, "units and latency must be numbers");
            continue;
        };
        let ours = match *name {
            "BRA" => "branch",
            "TEX" => "texture",
            "TENSOR" => "tensor",
            "UDP" => "uniform",
            _ => {
                r.note_of(&text, NoteKind::NoCounterpart, "no execution unit of that name here");
                continue;
            }
        };
        if d.has(&format!("unit.{ours}")) {
            r.note_of(&text, NoteKind::Changed, "the unit is already given otherwise");
            continue;
        }
        let got =
            |value: u32| Got { value, why: super::reader::why(option, text.line), line: text.line };
        let (latency, initiation) = given.unwrap_or((got(latency), got(4)));
        unit(r, d, sm, ours, got(units), &Speed { latency, initiation });
    }
}

/// Widths are GPGPU-Sim's pipeline registers; here they follow from the units.
fn widths(r: &mut Reader) {
    let name = "gpgpu_pipeline_widths";
    if r.text(name).is_none() {
        return;
    }
    let widths: Got<Vec<u32>> = r.list(name, ',', 11, &[]);
    if !widths.value.is_empty() {
        let reason = "pipeline registers between stages; here their number follows from the units";
        r.note(name, NoteKind::NoCounterpart, reason);
    }
}
