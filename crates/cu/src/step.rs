//! What a compute unit does in a cycle.

use upset_gcn::trap::Trap;
use upset_state::{By, Probe};

use crate::cu::Cu;
use crate::group::Cx;
use crate::shared::Shared;
use crate::todo::Todo;

impl Cu {
    /// Does everything that is due at `cx.now`.
    pub(crate) fn step<P: Probe>(
        &mut self,
        shared: &mut Shared,
        cx: &mut Cx<'_, P>,
    ) -> Result<(), Trap> {
        self.hold_control(cx);
        while let Some((_, todo)) = self.todo.pop_due(cx.now) {
            self.perform(todo, shared, cx)?;
        }
        for s in 0..self.simds.len() {
            if self.simds[s].wake <= cx.now {
                self.hold_control(cx);
                self.step_simd(s, shared, cx)?;
                if P::GHOSTS && cx.probe.ghosts().is_some_and(|g| g.wants_out()) {
                    break;
                }
            }
        }
        cx.flush();
        self.next_wake();
        Ok(())
    }

    fn perform<P: Probe>(
        &mut self,
        todo: Todo,
        shared: &mut Shared,
        cx: &mut Cx<'_, P>,
    ) -> Result<(), Trap> {
        if P::ACTIVE {
            cx.probe.acting(self.acts(todo));
        }
        match todo {
            Todo::Take(i) => self.take_data(i, cx),
            Todo::Serve => self.serve(cx),
            Todo::Complete(i) => self.complete(i, cx),
            Todo::Share(i) => self.access_share(i, cx),
            Todo::Lookup(i) => self.lookup(i, shared, cx),
            Todo::Vacate(i) => self.vacate(i as usize, cx.now, cx.probe),
            Todo::Settle => (0..self.groups.len()).for_each(|place| self.settle(place, cx)),
        }
        self.hold_control(cx);
        Ok(())
    }

    fn acts(&self, todo: Todo) -> By {
        match todo {
            Todo::Take(i) | Todo::Complete(i) | Todo::Share(i) | Todo::Lookup(i) => {
                let a = &self.accesses[i];
                By::Warp { sm: self.id, slot: a.slot, pc: a.pc }
            }
            Todo::Serve | Todo::Vacate(_) | Todo::Settle => By::Machine,
        }
    }
}
