//! A chip with one SM, small programs, and access to every bit by its name.

use std::sync::{Arc, Mutex};

use upset_chip::ChipSpec;
use upset_device::{Args, Change, DevPtr, Device, DeviceError, FunctionId, Launch};
use upset_sass::Arch;
use upset_state::{
    Access, ArrayId, Bits, Event, Force, Kind, Layout, Part, Registry, Site, Visit, Visitor, Watch,
};
use upset_testkit::asm::cubin::Kernel;
use upset_testkit::asm::memory::{At, Order, Size, ldg, stg};
use upset_testkit::asm::warp::{Special, s2r};
use upset_testkit::asm::{Code, Control, R, constant, flow, int, moves};

pub const ARCH: Arch = Arch::Sm75;
/// A buffer's words when nobody has written it.
pub const WORDS: usize = 32;
/// An L2 in one place, in which every line may lie anywhere, below a small L1D.
pub const ONE_SET: [&str; 6] = [
    "cache.l1d.ways=4",
    "memory.partitions=1",
    "memory.slices_per_partition=1",
    "cache.l2.sets=1",
    "cache.l2.ways=64",
    "cache.l2.set_hash=linear",
];

/// Thread number over the grid.
pub const ID: R = R(0);
/// Addresses of this thread's word in the first, second and third buffer.
pub const FIRST: R = R(2);
pub const SECOND: R = R(4);
pub const THIRD: R = R(6);
/// Free for programs.
pub const X: R = R(10);
pub const Y: R = R(11);

pub struct Lab {
    pub device: Device,
}

/// Loads this thread's word.
pub fn load(d: R, from: R) -> Code {
    ldg(ARCH, d, At::Reg(from, 0), Size::Word, Order::Weak)
}

/// Stores this thread's word.
pub fn store(to: R, value: R) -> Code {
    stg(ARCH, At::Reg(to, 0), value, Size::Word, Order::Weak)
}

/// `TLD.SCR.LZ d, at`: one texel by its number, the handle in `c[0x0][0x178]`.
pub fn texel_fetch(d: R, at: R) -> Code {
    let (d, at) = (u128::from(d.0), u128::from(at.0));
    Code(0x9e01ff_10005eff_00007b66 | d << 16 | at << 24)
}

/// Second buffer = first buffer.
pub fn copy() -> Vec<Code> {
    vec![load(X, FIRST), store(SECOND, X)]
}

/// Second buffer = `value`.
pub fn fill(value: u32) -> Vec<Code> {
    vec![moves::mov(X, value), store(SECOND, X)]
}

/// Instructions before a program's own.
pub fn prologue() -> Vec<Code> {
    let pointer = |d, at| int::imad_wide_c(d, ID, R(1), constant(0, at));
    vec![
        s2r(ID, Special::TidX),
        s2r(R(1), Special::CtaX),
        int::imad(ID, R(1), 32, ID),
        moves::mov(R(1), 4),
        pointer(FIRST, 0x160),
        pointer(SECOND, 0x168),
        pointer(THIRD, 0x170),
    ]
}

/// Bytes of machine code: every instruction waits for all before it.
pub fn assemble(body: &[Code]) -> Vec<u8> {
    let mut codes = prologue();
    codes.extend(body);
    codes.push(flow::exit());
    let last = codes.len();
    // Hardware fetches beyond the end.
    codes.resize(last + 4, flow::nop());
    let control = Control { write: Some(0), wait: 0x3f, ..Control::stall(15) };
    let plain = Control { write: None, ..control };
    let variable = |c: &Code| {
        // LDG, LDS, LDL, LDC, S2R, TLD: results whose arrival must be waited for.
        matches!(c.0 & 0x1ff, 0x181 | 0x184 | 0x183 | 0x182 | 0x119 | 0x166)
    };
    codes
        .iter()
        .flat_map(|c| c.word(if variable(c) { control } else { plain }).0.to_le_bytes())
        .collect()
}

impl Lab {
    /// An rtx2060 with one SM and other changes.
    pub fn new(sets: &[&str]) -> Lab {
        let mut all = vec!["sm.count=1"];
        all.extend(sets);
        let chip = ChipSpec::load("rtx2060", &all).expect("a chip");
        Lab { device: Device::timed(&chip).expect("a device") }
    }

    pub fn kernel(&mut self, body: &[Code]) -> FunctionId {
        self.kernel_with(body, |_| {})
    }

    pub fn kernel_with(&mut self, body: &[Code], change: impl FnOnce(&mut Kernel)) -> FunctionId {
        let mut kernel = Kernel {
            name: "program".into(),
            arch: ARCH,
            code: assemble(body),
            registers: 24,
            barriers: 1,
            stack_bytes: 0,
            params: vec![8, 8, 8],
            literals: Vec::new(),
            constants: Vec::new(),
        };
        change(&mut kernel);
        let module = self.device.load_module(&kernel.image()).expect("a module");
        self.device.function(module, "program").expect("its kernel")
    }

    /// Memory that holds these words.
    pub fn buffer(&mut self, words: &[u32]) -> DevPtr {
        let p = self.device.malloc(4 * words.len() as u64).expect("room");
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        self.device.upload(p, &bytes).expect("a copy");
        p
    }

    /// `ctas` warps of a program.
    pub fn try_run(
        &mut self,
        kernel: FunctionId,
        ctas: u32,
        buffers: &[DevPtr],
    ) -> Result<(), DeviceError> {
        let mut args = Args::new();
        for i in 0..3 {
            args = args.ptr(buffers.get(i).copied().unwrap_or(DevPtr(0)));
        }
        let shape = Launch { grid: [ctas, 1, 1], block: [32, 1, 1], ..Launch::default() };
        self.device.launch(kernel, &shape, &args)
    }

    /// One warp with these 64-bit arguments.
    pub fn run_with(&mut self, kernel: FunctionId, values: &[u64]) -> Result<(), DeviceError> {
        let args = values.iter().fold(Args::new(), |args, &v| args.u64(v));
        let shape = Launch { grid: [1, 1, 1], block: [32, 1, 1], ..Launch::default() };
        self.device.launch(kernel, &shape, &args)
    }

    pub fn run(&mut self, kernel: FunctionId, ctas: u32, buffers: &[DevPtr]) {
        self.try_run(kernel, ctas, buffers).expect("it runs");
    }

    /// Words as the host sees them.
    pub fn words(&mut self, from: DevPtr, n: usize) -> Vec<u32> {
        let mut bytes = vec![0; 4 * n];
        self.device.download(from, &mut bytes).expect("a copy");
        let (words, _) = bytes.as_chunks::<4>();
        words.iter().map(|w| u32::from_le_bytes(*w)).collect()
    }

    pub fn machine(&mut self) -> &mut dyn Visit {
        self.device.machine_mut().expect("a timed device")
    }

    pub fn site(&mut self, name: &str) -> Site {
        let registry = Registry::of(self.machine());
        Site::parse(name, &registry).expect(name)
    }

    pub fn flip(&mut self, site: Site) {
        assert!(site.flip(self.machine()), "{site:?} exists");
    }

    pub fn read(&mut self, site: Site) -> bool {
        site.read(self.machine()).expect("it exists")
    }

    /// The bit of global memory itself, whatever caches hold.
    pub fn dram(&mut self, addr: DevPtr, bit: u64) -> Site {
        let at = (addr.0 - upset_state::memory::BASE) * 8 + bit;
        Site { array: ArrayId::data(Kind::Gmem, 0), bit: at }
    }

    /// The rows of cache `kind` whose stored tag says the line of `addr`, and
    /// which hold something.
    pub fn lines(&mut self, kind: &str, addr: u64) -> Vec<Line> {
        struct Find<'a> {
            kind: &'a str,
            addr: u64,
            part: Part,
            rows: Vec<(ArrayId, u64, u64)>,
        }
        impl Visitor for Find<'_> {
            fn wants(&self, id: ArrayId) -> bool {
                id.part == self.part && matches!(id.kind, Kind::Cache(_))
            }
            fn array(&mut self, layout: &Layout, bits: &mut dyn Bits) {
                if layout.kind != self.kind {
                    return;
                }
                let width = layout.axes[2].size;
                for row in 0..bits.len() / width {
                    let value = (0..width.min(64))
                        .fold(0, |t, b| t | u64::from(bits.get(row * width + b)) << b);
                    if self.part == Part::State || value == self.addr {
                        self.rows.push((layout.id, row, value));
                    }
                }
            }
        }
        let shift = if kind == "l1c" { 6 } else { 7 };
        let mut find = Find { kind, addr: addr >> shift, part: Part::Tag, rows: Vec::new() };
        self.machine().visit(&mut find);
        let tags = std::mem::take(&mut find.rows);
        find.part = Part::State;
        self.machine().visit(&mut find);
        let registry = Registry::of(self.machine());
        tags.into_iter()
            .filter_map(|(tag, row, _)| {
                let state = find
                    .rows
                    .iter()
                    .find(|(id, r, s)| *id == tag.with(Part::State) && *r == row && s & 15 != 0)?;
                let width =
                    |part| registry.layout(tag.with(part)).map_or(0, |l: &Layout| l.axes[2].size);
                Some(Line {
                    array: tag,
                    row,
                    state: state.2,
                    widths: [width(Part::Data), width(Part::Tag), width(Part::State)],
                })
            })
            .collect()
    }

    /// The one line of cache `kind` that answers for `addr`.
    pub fn line(&mut self, kind: &str, addr: u64) -> Line {
        let lines = self.lines(kind, addr);
        assert_eq!(lines.len(), 1, "{kind} holds {addr:#x} once");
        lines[0]
    }

    /// Runs a program once on a fresh chip and gives back its events.
    pub fn events(body: &[Code]) -> Vec<Event> {
        let mut lab = Lab::new(&[]);
        let program = lab.kernel(body);
        let buffers = lab.two();
        let seen = lab.observe();
        lab.run(program, 1, &buffers);
        let seen = seen.lock().unwrap();
        seen.clone()
    }

    /// A ramp to read and room to write.
    pub fn two(&mut self) -> [DevPtr; 2] {
        [self.buffer(&ramp(WORDS, 1)), self.buffer(&[0; WORDS])]
    }

    /// What a program leaves in its second buffer when `changes` happen.
    pub fn outcome(body: &[Code], changes: &[(u64, &str)]) -> Result<Vec<u32>, DeviceError> {
        let mut lab = Lab::new(&[]);
        let program = lab.kernel(body);
        let buffers = lab.two();
        for (cycle, name) in changes {
            let site = lab.site(name);
            lab.device.plan(*cycle, Change::Flip(site));
        }
        lab.try_run(program, 1, &buffers)?;
        Ok(lab.words(buffers[1], WORDS))
    }

    /// Address of the second buffer of [`Lab::two`], made first on a chip.
    pub fn buffer_of_second(&mut self) -> u64 {
        upset_state::memory::BASE + 512
    }

    /// Keeps what the next accesses are.
    pub fn observe(&mut self) -> Arc<Mutex<Vec<Event>>> {
        let seen: Arc<Mutex<Vec<Event>>> = Arc::default();
        let log = seen.clone();
        self.device.watch(Watch::observe(move |e| log.lock().unwrap().push(*e)));
        seen
    }

    /// From now on a bit is stuck.
    pub fn hold(&mut self, site: Site, value: bool) -> Force {
        let force = Force { array: site.array, bit: site.bit, value };
        let now = self.device.cycles().expect("cycles");
        self.device.plan(now, Change::Hold(force));
        force
    }

    pub fn let_go(&mut self, force: Force) {
        let now = self.device.cycles().expect("cycles");
        self.device.plan(now, Change::LetGo(force));
    }
}

/// A row of a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    array: ArrayId,
    pub row: u64,
    /// Its lowest state bits: four valid, then four dirty where sectors are 32 bytes.
    pub state: u64,
    widths: [u64; 3],
}

impl Line {
    pub fn data(&self, bit: u64) -> Site {
        Site { array: self.array.with(Part::Data), bit: self.row * self.widths[0] + bit }
    }
    pub fn tag(&self, bit: u64) -> Site {
        Site { array: self.array.with(Part::Tag), bit: self.row * self.widths[1] + bit }
    }
    pub fn state(&self, bit: u64) -> Site {
        Site { array: self.array.with(Part::State), bit: self.row * self.widths[2] + bit }
    }
    pub fn dirty(&self) -> bool {
        self.state >> 4 & 15 != 0
    }
}

/// Cycles at which a register of the only warp is written.
pub fn writes(events: &[Event], register: R) -> Vec<u64> {
    let file = ArrayId::data(Kind::Rf, 0);
    let of =
        |e: &&Event| e.array == file && e.row == u32::from(register.0) && e.access == Access::Write;
    events.iter().filter(of).map(|e| e.cycle).collect()
}

/// 0, 1, 2, … times a factor.
pub fn ramp(n: usize, factor: u32) -> Vec<u32> {
    (0..n as u32).map(|i| i * factor).collect()
}
