//! Loading costs what is loaded, however many kernels and modules there are.

use upset_device::{Args, Device};
use upset_sass::{Arch, Word};
use upset_testkit::asm::cubin::{self, Kernel, param_base};
use upset_testkit::asm::flow::exit;
use upset_testkit::asm::memory::{At, Order, Size, stg};
use upset_testkit::asm::moves::mov;
use upset_testkit::asm::{R, constant};

use crate::assembled::{chip, kernel, slow};

const ARCH: Arch = Arch::Sm75;

/// A kernel that stores a word of its own bank 2.
fn own_word(n: u32) -> Kernel {
    let params = param_base(ARCH);
    let words: [Word; 5] = [
        slow(mov(R(2), constant(0, params))),
        slow(mov(R(3), constant(0, params + 4))),
        slow(mov(R(4), constant(2, 0))),
        slow(stg(ARCH, At::Reg(R(2), 0), R(4), Size::Word, Order::Weak)),
        slow(exit()),
    ];
    let kernel = kernel(ARCH, &words, 1, Vec::new());
    Kernel { name: format!("k{n}"), literals: (7 * n).to_le_bytes().to_vec(), ..kernel }
}

fn stored(device: &mut Device, module: upset_device::ModuleId, n: u32) -> u32 {
    let out = device.malloc(4).expect("room");
    let function = device.function(module, &format!("k{n}")).expect("its kernel");
    let shape = crate::messages::shape(1, 1);
    device.launch(function, &shape, &Args::new().ptr(out)).expect("it runs");
    let mut bytes = [0; 4];
    device.download(out, &mut bytes).expect("a copy");
    u32::from_le_bytes(bytes)
}

fn moved(device: &mut Device) -> u64 {
    device.machine_mut().expect("timing mode").mem().moved_bytes()
}

#[test]
fn the_banks_of_thousands_of_kernels_are_mapped_at_once() {
    // A file numbers at most 65,279 sections in the plain way, three or four to a kernel:
    // every fifth has literals.
    let some = |n| match n % 5 {
        4 => own_word(n),
        _ => Kernel { literals: Vec::new(), ..own_word(n) },
    };
    let kernels: Vec<Kernel> = (0..20_000).map(some).collect();
    let image = cubin::module(&kernels);
    let mut device = Device::timed(&chip(ARCH)).expect("a device");
    let module = device.load_module(&image).expect("a cubin");
    assert_eq!(moved(&mut device), 0, "nothing was there before");
    for n in [4, 1234, 19_999] {
        assert_eq!(stored(&mut device, module, n), 7 * n, "kernel {n}");
    }
}

/// Each byte of code and constants is moved about once, not once per module.
#[test]
fn many_modules_move_what_was_there_a_few_times() {
    let mut device = Device::timed(&chip(ARCH)).expect("a device");
    let mut modules = Vec::new();
    let mut at = |modules: &mut Vec<_>, count: u32| {
        while (modules.len() as u32) < count {
            let image = own_word(modules.len() as u32).image();
            modules.push(device.load_module(&image).expect("a cubin"));
        }
        moved(&mut device)
    };
    let (some, many) = (at(&mut modules, 200), at(&mut modules, 800));
    assert!(some > 0 && many < 8 * some, "{some} bytes for 200 modules, {many} for 800");
    assert_eq!(stored(&mut device, modules[799], 799), 7 * 799);
}
