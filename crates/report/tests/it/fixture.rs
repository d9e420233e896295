//! Made-up stores: two applications, two chips, single and triple bits.

use upset_metrics::Class;
use upset_store::*;

/// Numbers that look random and are always the same (splitmix64).
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % below
    }
}

pub fn header(seed: u64) -> Header {
    Header {
        tool: "0.1.0".into(),
        spec: format!(
            "apps = [\"hs\", \"pathf\"]\nchips = [\"rtx2060\", \"gv100\"]\nruns = 400\nseed = {seed}\n"
        ),
        seed,
        confidence: 0.95,
    }
}

fn kernel(name: &str, launches: u64, cycles: u64, shared_bytes: u32) -> KernelProfile {
    KernelProfile {
        name: name.into(),
        launches,
        cycles,
        registers: 32,
        shared_bytes,
        local_bytes: 0,
        threads_per_sm: 820.5,
        ctas_per_sm: 3.2,
        occupancy: 0.8,
        busy: 1.0,
        sms_used: 30,
        thread_insts: 22_400_000,
    }
}

pub fn subject(id: u32, app: &str, chip: &str) -> Subject {
    let (kernels, digest) = match app {
        "hs" => (
            vec![kernel("_Z14calculate_tempiPfS_S_iiiiffffff", 2, 15_000, 3072)],
            "9f2c41d07be5a863",
        ),
        _ => (
            vec![
                kernel("_Z14dynproc_kerneliPiS_S_iiii", 5, 60_000, 2048),
                kernel("Finish", 1, 2_000, 0),
            ],
            "17aa03c9d24e6fb8",
        ),
    };
    let sms: u32 = if chip == "rtx2060" { 30 } else { 80 };
    Subject {
        id,
        app: app.into(),
        scale: "paper".into(),
        command: vec![],
        chip: chip.into(),
        chip_toml: format!("[chip]\nname = \"{chip}\"\n"),
        binaries: vec![(format!("{app}.cubin"), format!("{digest}00ff"))],
        profile: Profile {
            cycles: kernels.iter().map(|k| k.cycles).sum(),
            core_mhz: 1365.0,
            limit: 2 * kernels.iter().map(|k| k.cycles).sum::<u64>(),
            launches: vec![],
            kernels,
            structures: sizes(sms),
            output_digest: digest.into(),
            output_bytes: 262_144,
            sms,
            registers_per_sm: 65536,
            shared_per_sm: 65536,
            whole_words: false,
        },
    }
}

fn sizes(sms: u32) -> Vec<StructureSize> {
    [("rf", 2_097_152u64), ("smem", 524_288), ("l1d", 553_472), ("l2", 887_000)]
        .map(|(name, per_sm)| StructureSize {
            name: name.into(),
            bits: per_sm * u64::from(sms),
            instances: sms,
        })
        .to_vec()
}

pub fn stratum(
    id: u32,
    subject: &Subject,
    kernel: &KernelProfile,
    structure: &str,
    bits: u32,
) -> Stratum {
    let size =
        subject.profile.structures.iter().find(|s| s.name == structure).map_or(0, |s| s.bits);
    Stratum {
        id,
        subject: subject.id,
        kernel: Some(kernel.name.clone()),
        window: String::new(),
        structure: structure.into(),
        bits,
        model: "flip".into(),
        spread: if bits > 1 { "entry".into() } else { String::new() },
        sampling: "physical".into(),
        cycles: kernel.cycles,
        structure_bits: size,
        derating: 1.0,
        occupancy: Some(match structure {
            "rf" => 0.4,
            "smem" => 0.15,
            _ => 0.25,
        }),
        planned: 400,
        stop_at_failures: 0,
        stop_at_margin: None,
    }
}

pub fn experiment(stratum: u32, number: u64, class: Class, fault: String) -> Experiment {
    Experiment {
        stratum,
        number,
        fault,
        hit: Hit::default(),
        class,
        cause: String::new(),
        cause_kind: String::new(),
        cycles: 1000,
        reached: Some(class != Class::Masked),
        how: "simulated".into(),
        output_digest: String::new(),
        sdc: None,
        attempts: 1,
        noticed: None,
    }
}

fn fault(dice: &mut Dice, structure: &str, bits: u32) -> (String, Hit) {
    let width = match structure {
        "rf" => 32,
        "smem" => 8,
        _ => 1024,
    };
    let first = dice.roll(width - u64::from(bits));
    let list: Vec<String> = (0..u64::from(bits)).map(|i| (first + i).to_string()).collect();
    let list = list.join(",");
    let (cycle, sm) = (dice.roll(15_000), dice.roll(30));
    let mut hit = Hit {
        structure: structure.into(),
        bit: Some(first),
        bits: u64::from(bits),
        cycle,
        sm: Some(sm),
        ..Hit::default()
    };
    let name = match structure {
        "rf" => {
            let (row, lane) = (dice.roll(512), dice.roll(32));
            (hit.row, hit.lane, hit.subcore) = (Some(row), Some(lane), Some(1));
            // Its owner stands somewhere in the code.
            (hit.function, hit.instruction) = ("_Z6reducev".into(), Some(16 * (cycle % 40)));
            format!("rf:sm{sm}.sub1.row{row}.lane{lane}.bit{list}@{cycle}")
        }
        "smem" => {
            hit.row = Some(dice.roll(65536));
            format!("smem:sm{sm}.byte{}.bit{list}@{cycle}", hit.row.unwrap())
        }
        "l1d" => {
            (hit.set, hit.way, hit.part) = (Some(0), Some(dice.roll(512)), "data".into());
            format!("l1d:sm{sm}.set0.way{}.data.bit{list}@{cycle}", hit.way.unwrap())
        }
        _ => {
            let (slice, set, way) = (dice.roll(24), dice.roll(64), dice.roll(16));
            (hit.sm, hit.slice) = (None, Some(slice));
            (hit.set, hit.way) = (Some(set), Some(way));
            hit.part = "data".into();
            format!("l2:slice{slice}.set{set}.way{way}.data.bit{list}@{cycle}")
        }
    };
    (name, hit)
}

fn sdc(dice: &mut Dice) -> Sdc {
    let decades = 1 + dice.roll(4) as u32;
    let wrong = 1 + dice.roll(10u64.pow(decades));
    let mut bit_counts = vec![0; 32];
    for bit in 0..8 + dice.roll(24) {
        bit_counts[bit as usize] = dice.roll(wrong) + 1;
    }
    Sdc {
        element: "f32".into(),
        elements: 65536,
        wrong,
        max_relative: (dice.roll(9) > 0).then(|| 10f64.powi(dice.roll(9) as i32 - 7) * 1.5),
        nan: u64::from(dice.roll(20) == 0),
        inf: u64::from(dice.roll(30) == 0),
        bit_counts,
        first: dice.roll(65536),
        length_differs: false,
    }
}

/// Failures in a thousand, by structure: register file, shared, L1D, L2.
fn failures(structure: &str, bits: u32) -> u64 {
    let single = match structure {
        "rf" => 60,
        "smem" => 25,
        "l1d" => 4,
        _ => 12,
    };
    if bits > 1 { single * 3 / 2 } else { single }
}

fn outcome(dice: &mut Dice, stratum: &Stratum, number: u64) -> Experiment {
    let (fault, hit) = fault(dice, &stratum.structure, stratum.bits);
    let per_mille = failures(&stratum.structure, stratum.bits);
    let class = match dice.roll(1000) {
        r if r < per_mille / 2 => Class::Sdc,
        r if r < per_mille * 9 / 10 => Class::Crash,
        r if r < per_mille => Class::Timeout,
        r if r < per_mille + 15 => Class::Performance,
        999 => Class::ToolError,
        _ => Class::Masked,
    };
    let mut e = experiment(stratum.id, number, class, fault);
    e.hit = hit;
    match class {
        Class::Masked => {
            e.how = if dice.roll(10) < 7 { "dead".into() } else { "simulated".into() };
            e.reached = Some(e.how == "simulated" && dice.roll(3) == 0);
        }
        Class::Crash => {
            let causes =
                ["illegal address in global memory", "misaligned address", "illegal instruction"];
            e.cause_kind = causes[dice.roll(5).min(2) as usize].into();
            e.cause = format!("{} at pc {:#x}", e.cause_kind, 16 * number);
        }
        Class::Timeout => {
            e.cause = "over the cycle limit".into();
            e.cause_kind = e.cause.clone();
        }
        Class::ToolError => {
            e.cause = "worker ended by SIGKILL".into();
            e.attempts = 2;
            e.reached = None;
        }
        Class::Sdc => e.sdc = Some(sdc(dice)),
        Class::Performance => {}
    }
    e
}

/// Everything: hs and pathf on both chips, one and three bits.
pub fn study() -> Results {
    let mut dice = Dice(7);
    let mut results = Results {
        shard: None,
        file: "study.db".into(),
        complete: false,
        intents: vec![],
        header: header(42),
        subjects: vec![],
        strata: vec![],
        experiments: vec![],
    };
    for (app, chip) in
        [("hs", "rtx2060"), ("hs", "gv100"), ("pathf", "rtx2060"), ("pathf", "gv100")]
    {
        let subject = subject(results.subjects.len() as u32, app, chip);
        for bits in [1, 3] {
            for kernel in &subject.profile.kernels {
                for structure in ["rf", "smem", "l1d", "l2"] {
                    let mut s =
                        stratum(results.strata.len() as u32, &subject, kernel, structure, bits);
                    if structure == "smem" && kernel.shared_bytes == 0 {
                        // Nothing to hit, and so nothing to run.
                        s.derating = 0.0;
                        s.planned = 0;
                    }
                    for number in 0..s.planned {
                        results.experiments.push(outcome(&mut dice, &s, number));
                    }
                    results.strata.push(s);
                }
            }
        }
        results.subjects.push(subject);
    }
    // One stratum is not finished.
    let last = results.experiments.len() - 150;
    results.experiments.truncate(last);
    results
}
