//! What a bit is to the program: names in place of numbers.

use serde::{Deserialize, Serialize};
use upset_compute::{Begun, Change, Owner, Strikes, Struck, WarpOwner};
use upset_state::{Registry, Site, Visit};

use crate::Device;

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instruction {
    /// Kernel or function it is in.
    pub function: String,
    /// Byte offset from the function's first instruction.
    pub offset: u64,
    /// Disassembled.
    pub text: String,
    /// File and line in the source, where the code came with a line table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// What an address belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "memory", rename_all = "lowercase")]
pub enum Memory {
    /// An allocation of global memory, the newest if there were several.
    Global {
        /// Its first byte.
        allocation: u64,
        /// Byte within it.
        offset: u64,
        /// Its size.
        bytes: u64,
    },
    /// Local memory of a thread.
    Local,
    /// A constant bank.
    Constant {
        /// Its number.
        bank: u8,
        /// Byte within it.
        offset: u64,
        /// The kernel whose bank it is; none for a module's.
        kernel: Option<String>,
    },
    /// Machine code.
    Code(Instruction),
    /// The driver's own memory, around the allocations.
    Driver,
    /// Memory that nobody has allocated.
    Unallocated,
}

/// What a bit belongs to, and its value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// Name of the bit.
    pub site: String,
    /// When it was looked at.
    pub cycle: u64,
    /// `flip`, `hold 0`, `hold 1`, `let go`, how it misbehaves from now on
    /// (`invert`), `behaves`; empty when it was only looked at.
    pub change: String,
    /// Its value then, before any change.
    pub value: Option<bool>,
    /// Whether it belongs to a warp, a CTA or a valid line.
    pub allocated: bool,
    /// To whom.
    #[serde(flatten)]
    pub owner: Owner,
    /// What the line's address belongs to.
    pub memory: Option<Memory>,
    /// The instruction the warp stands at.
    pub stands_at: Option<Instruction>,
    /// The instruction in the buffer's entry.
    pub holds: Option<Instruction>,
}

impl Device {
    /// What a bit belongs to now, in timing mode.
    pub fn describe(&mut self, site: Site) -> Option<Hit> {
        let machine = self.machine_mut()?;
        let before = site.read(machine as &mut dyn Visit);
        let (cycle, owner) = (machine.cycle(), machine.owner(site));
        let hit = Struck { cycle, change: Change::Flip(site), before, owner };
        let registry = Registry::of(machine);
        Some(Hit { change: String::new(), ..self.name_hit(&hit, &registry) })
    }

    /// From now on remembers what the bits that are changed belong to.
    pub fn record_hits(&mut self) {
        if let Some(machine) = self.machine_mut() {
            machine.record_hits();
        }
    }

    /// What was remembered: the first changes ([`Strikes::KEPT`]), with what
    /// they belonged to.
    pub fn hits(&mut self) -> Vec<Hit> {
        let Some(machine) = self.machine_mut() else { return Vec::new() };
        let registry = Registry::of(machine);
        let Some(strikes) = self.strikes() else { return Vec::new() };
        strikes.first.iter().map(|s| self.name_hit(s, &registry)).collect()
    }

    /// All changes, if they were remembered.
    pub fn strikes(&self) -> Option<&Strikes> {
        self.machine()?.hits()
    }

    fn name_hit(&self, struck: &Struck, registry: &Registry) -> Hit {
        let site = struck.change.site();
        let owner = struck.owner.clone();
        let base = self.launch_at(struck.cycle).map(|b| b.base);
        let at = |pc: u32| base.and_then(|base| self.instruction(base + u64::from(pc)));
        let change = match struck.change {
            Change::Flip(_) => "flip".into(),
            Change::Hold(force) => format!("hold {}", u8::from(force.value)),
            Change::LetGo(_) => "let go".into(),
            Change::Begin(quirk) => quirk.how.to_string(),
            Change::End(_) => "behaves".into(),
        };
        Hit {
            site: site.name(registry).unwrap_or_else(|| format!("{site:?}")),
            cycle: struck.cycle,
            change,
            value: struck.before,
            allocated: owner.is_allocated(),
            memory: owner.line.map(|line| self.memory_at(line.address)),
            stands_at: owner.warp.as_ref().and_then(|w: &WarpOwner| at(w.pc)),
            holds: owner.instruction.and_then(|(bits, pc)| {
                let place = at(pc)?;
                let text = self.text_of(bits, base? + u64::from(pc));
                Some(Instruction { text, ..place })
            }),
            owner,
        }
    }

    /// The launch to which warps' accesses at a cycle belong.
    pub fn launch_at(&self, cycle: u64) -> Option<&Begun> {
        let begun = self.machine()?.begun();
        // A launch begins at the last cycle of the one before, and its warps later.
        let next = begun.partition_point(|b| b.cycle < cycle);
        begun.get(next.saturating_sub(1))
    }

    /// The instruction at a place in the program that ran at a cycle.
    pub fn instruction_at(&self, cycle: u64, pc: u32) -> Option<Instruction> {
        let base = self.launch_at(cycle)?.base;
        self.instruction(base + u64::from(pc))
    }
}
