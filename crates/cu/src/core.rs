//! A group of compute units as a machine's core.

use upset_chip::{ChipError, ChipSpec};
use upset_gcn::trap::{Trap, TrapKind};
use upset_lanes::Lanes;
use upset_machine::{Begun, Core, Cx, GivenUp, Held, Owner, Reason, Rules, Stale, Sums, Tally};
use upset_mem::{FirstLevel, LinesInUse, Port, Reply, Request};
use upset_state::kind::Per;
use upset_state::{ArrayId, Digest, Ghosts, Kind, Probe, Site, Visitor};

use crate::config::{Config, client};
use crate::cu::Cu;
use crate::group::Group;
use crate::kernel::Kernel;
use crate::shared::Shared;
use crate::tokens::SLOT_BITS;
use crate::witness::{self, SharedWitness};

impl Core for Group {
    type Config = Config;
    type Kernel = Kernel;
    /// Coordinates of the work-items of each wave.
    type Prepared = Vec<[[Lanes; 2]; 3]>;
    type Trap = Trap;
    type Witness = SharedWitness;
    type Counters = Sums;

    fn config(chip: &ChipSpec) -> Result<Config, ChipError> {
        Config::new(chip)
    }

    fn rules(config: &Config) -> Rules {
        Rules {
            cores: config.groups.len() as u32,
            kernel_latency: config.kernel_latency,
            flush_l2: config.flush_l2,
            apart: true,
            room_is_told: false,
        }
    }

    fn new(chip: &ChipSpec, config: &Config, id: u32) -> Group {
        let (first, count) = config.groups[id as usize];
        let cu = |local: u32| {
            let port = Port { core: id as u16, client: local as u8 };
            Cu::new(chip, config, first + local, local, port)
        };
        let [l1s, l1i] = config.shared_caches(chip, id);
        Group {
            id,
            cus: (0..count).map(cu).collect(),
            shared: Shared { l1s, l1i },
            next_cu: 0,
            waiters: Vec::new(),
            wake: u64::MAX,
            asked: 0,
        }
    }

    fn prepare(kernel: &Kernel) -> Vec<[[Lanes; 2]; 3]> {
        kernel.item_coordinates()
    }

    fn begin(witness: &SharedWitness, cycle: u64, kernel: &Kernel) {
        witness::tell(Some(witness), |w| w.launch(cycle, kernel));
    }

    fn enter_kernel<P: Probe>(
        &mut self,
        now: u64,
        config: &Config,
        stale: &Stale<'_>,
        out: &mut Vec<Request>,
        probe: &mut P,
    ) {
        for cu in &mut self.cus {
            cu.vacate_all(now, probe);
            if config.flush_l1 {
                cu.l1v.invalidate_all(now, out, probe);
            }
        }
        for level in self.levels_mut() {
            level.drop_stale(now, stale.written, out, probe);
        }
        if config.flush_l1 {
            // The driver empties the scalar cache with the vector caches.
            self.shared.l1s.invalidate_all(now, out, probe);
        }
    }

    fn admit<P: Probe>(&mut self, index: u64, cx: &mut Cx<'_, Group, P>) -> bool {
        let n = self.cus.len();
        self.asked = cx.now;
        for k in 0..n {
            let i = (self.next_cu + k) % n;
            if self.cus[i].admit(index, cx) {
                self.next_cu = (i + 1) % n;
                self.next_wake();
                return true;
            }
        }
        false
    }

    fn next_admission(&self) -> u64 {
        // Those that were full then are asked when a work-group ends.
        let later = self.cus.iter().map(|cu| cu.next_admission).filter(|t| *t > self.asked);
        later.min().unwrap_or(0)
    }

    fn step<P: Probe>(&mut self, cx: &mut Cx<'_, Group, P>) -> Result<(), Trap> {
        for cu in &mut self.cus {
            if cu.wake <= cx.now {
                cu.step(&mut self.shared, cx)?;
                if P::GHOSTS && cx.probe.ghosts().is_some_and(|g| g.wants_out()) {
                    break;
                }
            }
        }
        self.next_wake();
        Ok(())
    }

    fn receive<P: Probe>(&mut self, reply: Reply, cx: &mut Cx<'_, Group, P>) {
        let mut waiters = std::mem::take(&mut self.waiters);
        waiters.clear();
        let which = reply.port.client;
        cx.probe.acting(upset_state::By::Level { sm: self.id, client: which });
        match which {
            client::INSTRUCTION => {
                let filled = self.shared.l1i.fill(cx.now, reply, cx.out, &mut waiters, cx.probe);
                for &waiter in &waiters {
                    let (cu, slot) = (waiter >> SLOT_BITS, waiter & ((1 << SLOT_BITS) - 1));
                    if let Some(cu) = self.cus.get_mut(cu as usize) {
                        cu.waves[slot as usize].ibuf.waiting = false;
                        cu.rouse_if(slot, Reason::Fetch, cx.now);
                        cu.next_wake();
                    }
                }
                crate::access::end_fill(&mut self.shared.l1i, filled, cx.probe);
            }
            client::SCALAR => self.receive_scalar(reply, &mut waiters, cx),
            cu => {
                if let Some(cu) = self.cus.get_mut(usize::from(cu)) {
                    cu.receive_vector(reply, &mut waiters, cx);
                }
            }
        }
        self.waiters = waiters;
        cx.flush();
        self.next_wake();
    }

    fn fill<P: Probe>(&mut self, now: u64, reply: Reply, out: &mut Vec<Request>, probe: &mut P) {
        let mut nobody = Vec::new();
        let which = reply.port.client;
        let level = match which {
            client::SCALAR => &mut self.shared.l1s,
            client::INSTRUCTION => &mut self.shared.l1i,
            cu => match self.cus.get_mut(usize::from(cu)) {
                Some(cu) => &mut cu.l1v,
                None => return,
            },
        };
        let _ = level.fill(now, reply, out, &mut nobody, probe);
    }

    fn wake(&self) -> u64 {
        self.wake
    }

    fn is_vacant(&self) -> bool {
        self.cus.iter().flat_map(|cu| cu.groups.iter().flatten()).all(|group| group.left == 0)
    }

    fn take_ended(&mut self) -> u32 {
        self.cus.iter_mut().map(|cu| std::mem::take(&mut cu.ended)).sum()
    }

    fn take_vacated(&mut self) -> bool {
        let taken = |cu: &mut Cu| std::mem::take(&mut cu.vacated);
        self.cus.iter_mut().map(taken).fold(false, |any, one| any | one)
    }

    fn rouse(&mut self, kind: Kind, now: u64) {
        self.cus.iter_mut().for_each(|cu| cu.reconsider(kind, now));
        self.next_wake();
    }

    fn abandon(&mut self, now: u64) {
        self.cus.iter_mut().for_each(|cu| cu.abandon(now));
        self.wake = u64::MAX;
    }

    fn idle_until(&mut self, now: u64) {
        self.cus.iter_mut().for_each(|cu| cu.idle_until(now));
    }

    fn account(&mut self, now: u64) {
        for cu in &mut self.cus {
            cu.account(now);
            cu.account_idle(now);
        }
    }

    fn counters(&self) -> Sums {
        let mut sums = Sums::default();
        for cu in &self.cus {
            sums = sums.plus(&Sums { sm: cu.counters, l1d: *cu.l1v.counters(), ..Sums::default() });
        }
        sums.l1c = *self.shared.l1s.counters();
        sums.l1i = *self.shared.l1i.counters();
        sums
    }

    fn give_up(groups: &[Group], why: GivenUp) -> Trap {
        let kind = match why {
            GivenUp::Deadlock => TrapKind::Deadlock,
            GivenUp::Cycles(n) => TrapKind::CycleLimit(n),
            GivenUp::Instructions(n) => TrapKind::InstructionLimit(n),
        };
        for cu in groups.iter().flat_map(|g| &g.cus) {
            if let Some(slot) = cu.waves.iter().position(|w| w.resident) {
                return cu.trap(slot as u32, kind);
            }
        }
        Trap { kind, pc: 0, group: [0; 3], wave: 0 }
    }

    fn visit(&mut self, v: &mut dyn Visitor) {
        for cu in &mut self.cus {
            cu.visit(v);
        }
        let path = format!("group{}", self.id);
        self.shared.l1s.visit(&path, v);
        self.shared.l1i.visit(&path, v);
    }

    fn core_of(config: &Config, array: ArrayId) -> usize {
        let instance = array.instance;
        match (array.kind, array.kind.about().per) {
            (_, Per::SubCore) => config.group_of(instance / config.simds.max(1)),
            (Kind::Cache(n), _) if n != config.caches[0] => instance as usize,
            _ => config.group_of(instance),
        }
    }

    fn digest(&self, now: u64, d: &mut Digest) {
        let Group {
            id: _,
            cus,
            shared,
            next_cu,
            waiters: _,
            wake,
            // Used in the cycle in which it is set.
            asked: _,
        } = self;
        crate::digest::group(cus, shared, now, d);
        d.count(*next_cu);
        d.time(now, *wake);
    }

    fn token(&self, client: u8, token: u32, atomic: bool) -> u64 {
        match (atomic, self.cus.get(usize::from(client))) {
            (true, Some(cu)) => cu.waiter(token),
            _ => self.level(client).map_or(u64::MAX, |level| level.miss(token)),
        }
    }

    fn owner(&self, site: Site, running: Option<&Begun>) -> Owner {
        self.owner_of(site, running)
    }

    fn local_owner(groups: &[Group], _: &Config, address: u64, running: &Begun, owner: &mut Owner) {
        crate::owner::local_owner(groups, address, running, owner);
    }

    fn count_in_use(&mut self) {
        for cu in &mut self.cus {
            cu.held.get_or_insert_default();
        }
        self.levels_mut().for_each(FirstLevel::count_lines);
    }

    fn held(&self) -> Vec<&Held> {
        self.cus.iter().filter_map(|cu| cu.held.as_deref()).collect()
    }

    fn active_cycles(&self) -> Vec<u64> {
        self.cus.iter().map(|cu| cu.counters.active_cycles).collect()
    }

    fn lines_in_use(&self) -> Vec<(&str, &LinesInUse)> {
        self.levels().filter_map(FirstLevel::lines_in_use).collect()
    }

    fn become_ghost_in_flight(&mut self, ghosts: &Ghosts, ghost: u32) {
        self.cus.iter_mut().for_each(|cu| cu.become_ghost_in_flight(ghosts, ghost));
    }

    fn forget_ghosts(&mut self) {
        self.cus.iter_mut().for_each(Cu::forget_ghosts);
    }
}
