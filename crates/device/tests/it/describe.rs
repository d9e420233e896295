//! What a bit belongs to, told in the program's own terms.

use upset_chip::ChipSpec;
use upset_device::{Args, Change, Device, Hit, Launch, Memory};
use upset_state::{Registry, Site};

use crate::CUBIN;

/// A vector addition of 64 threads in two CTAs on one SM.
fn hits(changes: &[(u64, &str)]) -> (Vec<Hit>, Device) {
    let chip = ChipSpec::load("rtx2060", &["sm.count=1"]).expect("a chip");
    let mut device = Device::timed(&chip).expect("a device");
    let p = [(); 3].map(|()| device.malloc(256).expect("room"));
    device.upload(p[0], &[1; 256]).expect("a copy");
    device.upload(p[1], &[2; 256]).expect("a copy");
    let module = device.load_module(CUBIN).expect("our own cubin");
    let kernel = device.function(module, "vectorAdd").expect("its kernel");
    let registry = Registry::of(device.machine_mut().expect("a machine"));
    for (cycle, name) in changes {
        let site = Site::parse(name, &registry).expect(name);
        device.plan(*cycle, Change::Flip(site));
    }
    device.record_hits();
    let shape = Launch { grid: [2, 1, 1], block: [32, 1, 1], ..Launch::default() };
    let args = Args::new().ptr(p[0]).ptr(p[1]).ptr(p[2]).i32(64);
    let _ = device.launch(kernel, &shape, &args);
    (device.hits(), device)
}

#[test]
fn registers_have_a_thread_and_a_name() {
    let (hits, _) = hits(&[(700, "rf:sm0.sub1.row5.lane7.bit3")]);
    let hit = &hits[0];
    assert_eq!((hit.cycle, hit.change.as_str(), hit.allocated), (700, "flip", true));
    assert_eq!(hit.owner.kernel.as_deref(), Some("vectorAdd"));
    assert_eq!(hit.owner.launch, Some(0));
    assert_eq!(hit.owner.register.as_deref(), Some("R5"));
    let warp = hit.owner.warp.as_ref().expect("a warp");
    // The second CTA's warp is in slot 1, so in sub-core 1.
    assert_eq!((warp.slot, warp.cta, warp.warp), (1, [1, 0, 0], 0));
    assert_eq!((warp.lane, warp.thread), (Some(7), Some([7, 0, 0])));
    let at = hit.stands_at.as_ref().expect("an instruction");
    assert_eq!(at.function, "vectorAdd");
    assert!(!at.text.is_empty() && at.offset.is_multiple_of(16));
}

#[test]
fn rows_without_an_owner_are_nobody_s() {
    let (hits, _) = hits(&[(700, "rf:sm0.sub1.row400.lane7.bit3"), (701, "smem:sm0.byte5.bit1")]);
    for hit in &hits {
        assert!(!hit.allocated);
        assert_eq!(hit.owner.warp, None);
        assert_eq!(hit.value, Some(false));
    }
}

#[test]
fn state_of_a_warp_is_named() {
    let names = [
        ("pred:sm0.warp0.p3.bit4", "P3"),
        ("ureg:sm0.warp0.ur4.bit0", "UR4"),
        ("mask:sm0.warp0.live.bit2", "live mask"),
        ("conv:sm0.warp0.b2.bit2", "B2"),
        ("sb:sm0.warp0.sb1.bit0", "SB1"),
    ];
    for (name, register) in names {
        let (hits, _) = hits(&[(300, name)]);
        assert_eq!(hits[0].owner.register.as_deref(), Some(register), "{name}");
        assert_eq!(hits[0].owner.warp.as_ref().map(|w| w.slot), Some(0), "{name}");
    }
}

#[test]
fn lines_say_what_their_address_is() {
    let (_, mut device) = hits(&[]);
    let registry = Registry::of(device.machine_mut().expect("a machine"));
    let (mut global, mut code, mut constant) = (0, 0, 0);
    for layout in registry.arrays.iter().filter(|l| matches!(l.kind.as_str(), "l2" | "l1i" | "l1c"))
    {
        if layout.id.part != upset_state::Part::Data {
            continue;
        }
        for row in 0..layout.bits() / layout.row_bits() {
            let site = Site { array: layout.id, bit: row * layout.row_bits() + 17 };
            let Some(hit) = device.describe(site) else { continue };
            if !hit.allocated {
                continue;
            }
            match hit.memory.expect("a line is memory") {
                Memory::Global { offset, bytes, .. } => {
                    assert!(offset < bytes && bytes == 256, "{offset} {bytes}");
                    global += 1;
                }
                Memory::Code(i) => {
                    assert_eq!(i.function, "vectorAdd");
                    assert!(!i.text.is_empty());
                    code += 1;
                }
                Memory::Constant { bank, .. } => {
                    assert!(bank < 8);
                    constant += 1;
                }
                Memory::Local | Memory::Driver | Memory::Unallocated => {}
            }
        }
        if layout.kind == "l2" && global > 0 && code > 0 && constant > 0 {
            break;
        }
    }
    assert!(global > 0 && code > 0 && constant > 0, "{global} {code} {constant}");
}
