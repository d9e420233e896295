//! Arrays, owners and steps in words.

use upset_chip::Words;
use upset_device::{Hit, Instruction, Memory};
use upset_state::how::Does;
use upset_state::kind::named;
use upset_state::{By, How};
use upset_trial::follow::{LineUse, What};

use crate::report::short_name;

/// Which array a bit is in: `register file of SM 3, sub-core 1`.
pub fn array(site: &str) -> String {
    let (kind, path) = site.split_once(':').unwrap_or((site, ""));
    let words: Vec<&str> = path.split('.').collect();
    let part = words.iter().rev().nth(1).copied().unwrap_or("");
    // Caches are called as the chip calls them.
    let what = named(kind).map_or(kind, |about| about.noun);
    let what = match part {
        "tag" => format!("tags of {what}"),
        "state" => format!("state of {what}"),
        "data" => format!("data of {what}"),
        _ => what.to_string(),
    };
    let place: Vec<String> = words.iter().map_while(|w| instance(w)).collect();
    match place.is_empty() {
        true => what,
        false => format!("{what}, {}", place.join(", ")),
    }
}

/// `sm3` is `SM 3`; other words belong to the bit, not to the array.
fn instance(word: &str) -> Option<String> {
    let named = [
        ("sm", "SM"),
        ("sub", "sub-core"),
        ("cu", "CU"),
        ("simd", "SIMD unit"),
        ("group", "group"),
        ("slice", "slice"),
    ];
    named.into_iter().find_map(|(short, long)| {
        let number: u32 = word.strip_prefix(short)?.parse().ok()?;
        Some(format!("{long} {number}"))
    })
}

fn triple([x, y, z]: [u32; 3]) -> String {
    format!("({x},{y},{z})")
}

/// Who owns a bit.
pub fn owner(hit: &Hit, words: &Words) -> String {
    let o = &hit.owner;
    let Words { warp: warp_word, group, thread: thread_word, .. } = words;
    let warp = o.warp.as_ref().map(|w| match (w.lane, w.thread) {
        (Some(lane), Some(thread)) => format!(
            "{thread_word} {}, lane {lane} of {warp_word} {} in {group} {}",
            triple(thread),
            w.warp,
            triple(w.cta)
        ),
        _ => format!("{warp_word} {} in {group} {}", w.warp, triple(w.cta)),
    });
    if let Some(threads) = &o.threads {
        let list = threads.iter().map(u32::to_string).collect::<Vec<_>>();
        let whose = match (threads.len(), warp, &o.register) {
            (_, Some(warp), Some(line)) => format!("the {line} of {warp}"),
            (0, _, Some(line)) => format!("a {line}; no {warp_word} has the slot"),
            (0, ..) => format!("every {warp_word} uses it"),
            (1, ..) => format!("{thread_word} {} of every {warp_word} uses it", list[0]),
            _ => format!("{thread_word}s {} of every {warp_word} use it", list.join(", ")),
        };
        return format!("a wire: {whose}");
    }
    if hit.value.is_none() {
        return "no such bit at that time: nothing was changed".into();
    }
    if let Some(line) = &o.line {
        let state = match (line.valid, line.dirty) {
            (false, _) => return "no valid line: nobody can read it".into(),
            (true, true) => "dirty, ",
            (true, false) => "",
        };
        let what = match (&hit.memory, warp, o.offset) {
            (_, Some(warp), Some(at)) => format!("local memory of {warp}, byte {at}"),
            (Some(memory), _, _) => self::memory(memory),
            _ => "memory".into(),
        };
        return format!("{state}address {:#x}: {what}", line.address);
    }
    match (&o.register, warp, o.cta) {
        (Some(register), Some(warp), _) => format!("{register} of {warp}"),
        (None, Some(warp), _) => warp,
        (_, _, Some(cta)) => {
            let memory = words.shared_memory;
            format!("byte {} of the {memory} of {group} {}", o.offset.unwrap_or(0), triple(cta))
        }
        _ => format!("no {warp_word} or {group} owns it"),
    }
}

/// What happened to a bit, given what was done to it.
pub fn change(hit: &Hit) -> Option<String> {
    let kind = hit.site.split(':').next().unwrap_or_default();
    let wire = named(kind).is_some_and(|about| about.wire);
    let value = u8::from(hit.value?);
    Some(match (hit.change.as_str(), hit.change.parse::<How>()) {
        ("behaves" | "let go", _) if wire => "it behaves again".into(),
        ("hold 0", _) if wire => "from now on stuck at 0".into(),
        ("hold 1", _) if wire => "from now on stuck at 1".into(),
        (_, Ok(how)) if wire => format!("from now on {}", misbehaves(&how, "use")),
        (_, Ok(how)) => {
            format!("the bit is {value}, and from now on {}", misbehaves(&how, "write"))
        }
        ("flip", _) => format!("the bit was {value}, now {}", 1 - value),
        ("hold 0", _) => format!("the bit was {value}, now stuck at 0"),
        ("hold 1", _) => format!("the bit was {value}, now stuck at 1"),
        ("let go", _) => format!("the bit is let go at {value}"),
        ("behaves", _) => format!("the bit behaves again; it is {value}"),
        _ => format!("the bit is {value}"),
    })
}

/// `stuck at 1 at 1 % of its writes (seed 7)`.
fn misbehaves(how: &How, noun: &str) -> String {
    let what = match how.does {
        Does::Stick(value) => format!("stuck at {}", u8::from(value)),
        Does::Invert => "inverted".into(),
        Does::Syndrome(table) => format!("wrong by the syndromes {table}"),
    };
    let mut text = match how.rate {
        None => format!("{what} at every {noun}"),
        Some(rate) => format!("{what} at {} % of its {noun}s", percent(rate.share())),
    };
    if how.draws() {
        text += &format!(" (seed {})", how.seed);
    }
    if let Some(only) = how.only {
        text += &format!(" where {only}");
    }
    text
}

/// A share in percent, without the noise of a product.
fn percent(share: f64) -> f64 {
    format!("{:.9e}", share * 100.0).parse().unwrap_or(share * 100.0)
}

fn memory(memory: &Memory) -> String {
    match memory {
        Memory::Global { allocation, offset, bytes } => {
            format!("byte {offset} of the allocation of {bytes} bytes at {allocation:#x}")
        }
        Memory::Local => "local memory".into(),
        Memory::Constant { bank, offset, kernel } => {
            let of = kernel.as_deref().map_or(String::new(), |k| format!(" of {}", short_name(k)));
            format!("constant bank {bank}{of}, byte {offset}")
        }
        Memory::Code(i) => format!("code, {}", instruction(i)),
        Memory::Driver => "the driver's own memory".into(),
        Memory::Unallocated => "memory that nobody has allocated".into(),
    }
}

/// Where an instruction is and what it does.
pub fn instruction(i: &Instruction) -> String {
    let source = i.source.as_ref().map_or(String::new(), |s| format!("  ({s})"));
    format!("{} + {:#06x}  {}{source}", short_name(&i.function), i.offset, i.text.trim())
}

/// What happened, and on whose behalf.
pub fn step(what: What, by: By, at: Option<&Instruction>, words: &Words) -> String {
    let Words { processor, warp, .. } = words;
    let verb = match what {
        What::Read => "read",
        What::Overwritten => "right again: overwritten",
        What::WrittenAndStuck => "written, but stuck: stored",
        What::WrittenWrong => "written wrong: stored",
        What::Dropped => "dropped with its line",
        What::WrittenBack => "written back",
        What::CopiedOut => "copied out",
        What::Arrived => "the wrong byte arrives",
        What::Allocated => "its row is given to a new owner",
        What::Released => "its owner leaves",
        What::LineUsed(LineUse::Read) => "the line answers",
        What::LineUsed(LineUse::Written) => "the line is written",
        What::LineUsed(LineUse::Filled) => "the line is filled",
        What::LineUsed(LineUse::WrittenBack) => "the line is written back to where its tag says",
        What::LineUsed(LineUse::Dropped) => "the line is dropped",
        What::LineUsed(LineUse::GivenAway) => "its row is given to another address",
    };
    let who = match by {
        _ if matches!(what, What::Allocated | What::Released) => String::new(),
        By::Machine => String::new(),
        By::Host => " by the host".into(),
        By::Warp { sm, slot, .. } => {
            let text = at.map_or(String::new(), |i| format!(": {}", instruction(i)));
            format!(" by {processor} {sm}, {warp} slot {slot}{text}")
        }
        By::Level { sm, client } => {
            let caches = ["data", "texture", "constant", "instruction"];
            let cache = caches.get(usize::from(client)).copied().unwrap_or("first-level");
            format!(" for the {cache} cache of {processor} {sm}")
        }
    };
    format!("{verb}{who}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_to_misbehave_in_words() {
        for (how, words) in [
            ("invert", "inverted at every write"),
            ("stuck1(rate=0.01,seed=7)", "stuck at 1 at 1 % of its writes (seed 7)"),
            ("stuck0(rate=0.07)", "stuck at 0 at 7 % of its writes (seed 0)"),
            ("syndrome(units,seed=3)", "wrong by the syndromes units at every write (seed 3)"),
            ("invert(if a&0x1=0x1)", "inverted at every write where a&0x1=0x1"),
        ] {
            assert_eq!(misbehaves(&how.parse().unwrap(), "write"), words);
        }
    }

    #[test]
    fn arrays_have_names_and_places() {
        for (site, words) in [
            ("rf:sm3.sub1.row117.lane5.bit12", "register file, SM 3, sub-core 1"),
            ("l2:slice4.set9.way3.data.bit801", "data of l2, slice 4"),
            ("l1d:sm0.set0.way17.tag.bit40", "tags of l1d, SM 0"),
            ("mask:sm0.warp3.active.bit4", "thread masks, SM 0"),
            ("lmem:byte4096.bit3", "local memory"),
            ("vrf:cu3.simd1.row20.lane3.bit1", "vector registers, CU 3, SIMD unit 1"),
            ("l1s:group2.set3.way1.tag.bit7", "tags of l1s, group 2"),
        ] {
            assert_eq!(array(site), words);
        }
    }
}
