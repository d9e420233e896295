//! Both engines, and what they make of a program.

use std::sync::Arc;

use upset_chip::ChipSpec;
use upset_compute::{Attendant, Bank, Change, Kernel, Machine};
use upset_emu::memory::GlobalMemory;
use upset_emu::{ConstBanks, Grid, Trap, Windows};
use upset_isa::TrapKind;
use upset_isa::texture::Textures;
use upset_mem::driver_of;
use upset_state::{Force, Quiet, Watch};

use super::assembler::Code;

const SHARED: u32 = 1024;
const REGISTERS: u32 = 32;
const WINDOWS: Windows = Windows { shared: 1 << 24, local: 1 << 25 };
/// The next instruction a cycle later: the scoreboard has all to do.
const AT_ONCE: u8 = 0x20;

fn chip() -> ChipSpec {
    ChipSpec::preset("rtx2060").expect("a chip")
}

/// Where a program's parts lie.
struct Places {
    code: u64,
    output: u64,
    bank: u64,
}

impl Places {
    fn new(memory: &mut GlobalMemory, bytes: u64) -> Places {
        let mut allocate = |bytes| memory.allocate_aligned(bytes, 256).expect("memory");
        Places { code: allocate(16384), output: allocate(bytes), bank: allocate(256) }
    }

    fn bank0(&self) -> Vec<u8> {
        [self.output, self.code].iter().flat_map(|at| at.to_le_bytes()).collect()
    }
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn words_of(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect()
}

impl Code {
    /// Runs a CTA of so many threads that writes `words` words each, on both
    /// engines; gives them back, or why it stopped. `before` is in memory when
    /// it starts.
    pub fn run(&self, threads: u32, words: u32, before: &[u32]) -> Result<Vec<u32>, Trap> {
        let functional = self.run_functional(threads, words, before);
        let timed = self.run_timed(threads, words, before, AT_ONCE, |_| {});
        match (functional, timed) {
            (Ok(found), Ok((timed, _))) => {
                assert_eq!(found, timed, "the engines differ");
                Ok(found)
            }
            (Err(trap), Err(timed)) => {
                assert_eq!(trap.kind, timed.kind, "the engines stop for different reasons");
                Err(trap)
            }
            (functional, timed) => panic!("{functional:?}, with timing {timed:?}"),
        }
    }

    fn run_functional(&self, threads: u32, words: u32, before: &[u32]) -> Result<Vec<u32>, Trap> {
        let chip = chip();
        let mut memory = GlobalMemory::new(chip.memory.bytes, driver_of(&chip));
        let bytes = u64::from(4 * threads * words);
        let places = Places::new(&mut memory, bytes);
        let (program, _) = self.program(places.code, AT_ONCE);
        memory.copy_in(places.output, &bytes_of(before)).expect("mapped");
        let mut banks = ConstBanks::default();
        banks.set(0, places.bank0());
        let grid = Grid {
            program: &program,
            entry: 0,
            grid: [1; 3],
            block: [threads, 1, 1],
            registers: REGISTERS,
            shared_bytes: SHARED,
            local_bytes: 0,
            banks: &banks,
            textures: &Textures::default(),
            windows: WINDOWS,
            resident: 1,
            cooperative: false,
        };
        let limits = upset_emu::Limits { warp_insts: 100_000 };
        upset_emu::run(&grid, &mut memory, limits, &mut |_| {}, None)?;
        let found = memory.read(places.output, bytes as usize).expect("mapped");
        Ok(words_of(found))
    }

    /// With timing: also the cycles. `damage` may change the code's bytes.
    pub fn run_timed(
        &self,
        threads: u32,
        words: u32,
        before: &[u32],
        control: u8,
        damage: impl FnOnce(&mut [u8]),
    ) -> Result<(Vec<u32>, u64), Trap> {
        let way = Way { before, control, ..Way::default() };
        self.run_on(&chip(), (threads, words), &way, damage)
    }

    /// The same on any chip: so many threads that write so many words each.
    pub fn run_on(
        &self,
        chip: &ChipSpec,
        (threads, words): (u32, u32),
        way: &Way<'_>,
        damage: impl FnOnce(&mut [u8]),
    ) -> Result<(Vec<u32>, u64), Trap> {
        let mut machine = Machine::new(chip).expect("SMs");
        if way.slow {
            machine.go_slowly();
        }
        if let Some(force) = way.stuck {
            machine.plan(0, Change::Hold(force));
        }
        let len = u64::from(4 * threads * words);
        let places = Places::new(machine.mem.global_mut(), len);
        let (program, mut code) = self.program(places.code, way.control);
        damage(&mut code);
        let bank0 = places.bank0();
        let contents =
            [(places.code, &code), (places.output, &bytes_of(way.before)), (places.bank, &bank0)];
        for (at, bytes) in contents {
            machine.mem.host_write(0, at, bytes, &mut Quiet).expect("mapped");
        }
        let decoder = Arc::new(self.decoder(places.code));
        let config = machine.config();
        let code = upset_compute::Code::new(program, REGISTERS, decoder, config);
        let kernel = Kernel {
            name: "by hand".into(),
            code: Arc::new(code),
            entry: 0,
            grid: [1; 3],
            block: [threads, 1, 1],
            registers: REGISTERS,
            shared_bytes: SHARED,
            shared_taken: SHARED,
            local_bytes: 0,
            local_base: 0,
            banks: vec![Bank { addr: places.bank, len: bank0.len() as u32 }],
            textures: Arc::default(),
            windows: WINDOWS,
        };
        let limits = upset_compute::Limits { cycle: way.limit, ..Default::default() };
        let start = machine.cycle();
        match way.stuck {
            Some(_) => machine.run(&kernel, limits, &mut Watch::default(), &mut Nobody)?,
            None => machine.run(&kernel, limits, &mut Quiet, &mut Nobody)?,
        };
        let cycles = machine.cycle() - start;
        let mut found = vec![0; len as usize];
        let now = machine.cycle();
        machine.mem.host_read(now, places.output, &mut found, &mut Quiet).expect("mapped");
        Ok((words_of(&found), cycles))
    }
}

/// How a program is run with timing.
pub struct Way<'a> {
    /// What is in memory when it starts.
    pub before: &'a [u32],
    /// The control byte of what has none of its own.
    pub control: u8,
    /// Every cycle is looked at.
    pub slow: bool,
    /// A bit that is stuck from the start.
    pub stuck: Option<Force>,
    /// Cycles after which it is given up.
    pub limit: u64,
}

impl Default for Way<'_> {
    fn default() -> Self {
        Way { before: &[], control: AT_ONCE, slow: false, stuck: None, limit: 1_000_000 }
    }
}

struct Nobody;

impl Attendant<upset_compute::Sm> for Nobody {
    fn progress(&mut self, _: u64, _: u64) {}
}

/// Sums of the thread's number: a chain of dependent instructions.
fn chain() -> Code {
    use super::assembler::r;
    use upset_isa::{MemKind, Space};
    let mut c = Code::default();
    c.thread(0);
    c.address(2, 0, 2);
    c.add(4, r(0), r(0));
    for _ in 0..20 {
        c.add(4, r(4), r(0));
    }
    c.word(MemKind::Store, Space::Global, 4, 2, 0);
    c.exit();
    c
}

#[test]
fn control_bytes_are_waited_for() {
    let c = chain();
    let of = |control| c.run_timed(32, 1, &[], control, |_| {}).expect("ends");
    let (right, at_once) = of(AT_ONCE);
    assert_eq!(right, (0..32).map(|t| 22 * t).collect::<Vec<u32>>());
    // Shorter than the scoreboard's wait changes nothing, longer does.
    let (_, two) = of(0x21);
    assert_eq!(two, at_once);
    let (same, late) = of(0x3f);
    assert_eq!(same, right);
    assert!(late > at_once + 20 * 20, "{at_once} cycles, {late} with long waits");
}

#[test]
fn a_changed_bit_of_a_control_word_changes_an_instructions_time_and_nothing_else() {
    let c = chain();
    let of = |damage: fn(&mut [u8])| c.run_timed(32, 1, &[], AT_ONCE, damage);
    let (right, before) = of(|_| {}).expect("ends");
    // Bit 4 of the byte for the second instruction of the second group: 16 cycles.
    let (same, later) = of(|code| code[64 + 1] ^= 1 << 6).expect("ends");
    assert_eq!(same, right);
    assert!(later > before && later <= before + 32, "{before}, then {later}");
    // An instruction's own bits are another instruction, or none.
    let trap = of(|code| code[64 + 8] ^= 0x80).expect_err("no instruction");
    assert_eq!(trap.kind, TrapKind::IllegalEncoding);
}
