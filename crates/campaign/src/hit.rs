//! What an experiment hits, as the store keeps it.

use upset_device::{Functions, Look, Seen};
use upset_fault::{Experiment, Names};
use upset_state::Site;
use upset_store::Hit;

/// The bit that an experiment's first change hits.
pub(crate) fn first(experiment: &Experiment) -> Option<(u64, Site)> {
    let (cycle, change) = experiment.changes().into_iter().next()?;
    Some((cycle, change.site()))
}

/// How to ask for what it belongs to.
pub(crate) fn look(id: u64, experiment: &Experiment) -> Option<Look> {
    first(experiment).map(|(cycle, site)| Look { id, cycle, site })
}

/// Where an experiment's first bit is, and what was seen of it.
pub(crate) fn hit(
    names: &Names<'_>,
    functions: &Functions,
    experiment: &Experiment,
    seen: Option<&Seen>,
) -> Hit {
    let Some((cycle, site)) = first(experiment) else { return Hit::default() };
    let mut hit = Hit { bits: experiment.sites().count() as u64, cycle, ..Hit::default() };
    place(names, site, &mut hit);
    // Before the first cycle there is nothing that a bit could belong to.
    let nothing = Seen::default();
    if let Some(seen) = seen.or((cycle == 0).then_some(&nothing)) {
        let code = |address: Option<u64>| address.and_then(|a| functions.at(a));
        let instruction = code(seen.holds).or(code(seen.line)).or(code(seen.stands_at));
        hit.allocated = Some(seen.allocated);
        hit.launch = seen.launch;
        hit.kernel = seen.kernel.clone().unwrap_or_default();
        hit.register = seen.register.clone().unwrap_or_default();
        hit.function = instruction.map(|(name, _)| name.to_string()).unwrap_or_default();
        hit.instruction = instruction.map(|(_, offset)| offset);
    }
    hit
}

/// The digits of a site's name.
fn place(names: &Names<'_>, site: Site, hit: &mut Hit) {
    let Some(layout) = names.layout(site.array) else { return };
    hit.structure = layout.kind.clone();
    if layout.parted {
        hit.part = layout.id.part.to_string();
    }
    for word in layout.path.split('.') {
        let number = |name: &str| word.strip_prefix(name).and_then(|n| n.parse().ok());
        hit.sm = hit.sm.or(number("sm"));
        hit.subcore = hit.subcore.or(number("sub"));
        hit.slice = hit.slice.or(number("slice"));
    }
    let mut rest = site.bit;
    for axis in layout.axes.iter().rev() {
        let digit = Some(rest % axis.size.max(1));
        rest /= axis.size.max(1);
        match axis.name {
            "bit" => hit.bit = digit,
            "lane" => hit.lane = digit,
            "set" => hit.set = digit,
            "way" => hit.way = digit,
            "warp" => hit.warp = digit,
            // A row, a byte, a predicate, a buffer's entry, a mask…
            _ => hit.row = digit,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use upset_chip::ChipSpec;
    use upset_device::Device;
    use upset_state::Registry;

    #[test]
    fn the_digits_of_every_kind_of_array() {
        let chip = ChipSpec::load("rtx2060", &["sm.count=2"]).unwrap();
        let mut device = Device::timed(&chip).unwrap();
        let registry = Registry::of(device.machine_mut().unwrap());
        let names = Names::new(&registry);
        let of = |fault: &str| {
            let experiment = names.parse(fault).unwrap();
            hit(&names, &Functions::default(), &experiment, None)
        };
        let rf = of("rf:sm1.sub2.row117.lane5.bit12@10234");
        assert_eq!((rf.structure.as_str(), rf.part.as_str()), ("rf", ""));
        assert_eq!((rf.sm, rf.subcore, rf.slice), (Some(1), Some(2), None));
        assert_eq!((rf.row, rf.lane, rf.bit), (Some(117), Some(5), Some(12)));
        assert_eq!((rf.bits, rf.cycle, rf.allocated), (1, 10234, None));
        let l2 = of("l2:slice4.set9.way3.tag.bit40@7");
        assert_eq!((l2.structure.as_str(), l2.part.as_str()), ("l2", "tag"));
        assert_eq!((l2.slice, l2.set, l2.way, l2.bit), (Some(4), Some(9), Some(3), Some(40)));
        let smem = of("smem:sm0.byte1043.bit5@7");
        assert_eq!((smem.sm, smem.row, smem.bit), (Some(0), Some(1043), Some(5)));
        let pred = of("pred:sm0.warp3.p2.bit7@1");
        assert_eq!((pred.warp, pred.row, pred.bit), (Some(3), Some(2), Some(7)));
        let mask = of("mask:sm0.warp3.live.bit4@1");
        assert_eq!((mask.warp, mask.row, mask.bit), (Some(3), Some(1), Some(4)));
        let pc = of("pc:sm0.warp3.lane9.bit4@1");
        assert_eq!((pc.warp, pc.lane, pc.bit, pc.row), (Some(3), Some(9), Some(4), None));
        // Of several bits the first that changes, and how many there are.
        let many = of("rf:sm0.sub0.row1.lane0,2.bit3-5@9 + smem:sm0.byte0.bit0@4");
        assert_eq!((many.structure.as_str(), many.bits, many.cycle), ("smem", 7, 4));
        let stuck = of("stuck1 rf:sm0.sub0.row1.lane3.bit2@0..20");
        assert_eq!((stuck.row, stuck.cycle, stuck.allocated), (Some(1), 0, Some(false)));
    }
}
