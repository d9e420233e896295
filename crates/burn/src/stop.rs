//! A board that somebody may stop: from then on nothing is launched or copied
//! any more, and the test that was at work ends.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::topology::{MemoryPlace, Tpcs};
use crate::{About, Arg, Board, BoardError, Buffer, Image, ModuleId, Sensors, Shape};

/// A board and the flag that stops it.
pub struct Stoppable<'b> {
    board: &'b mut dyn Board,
    stop: &'b AtomicBool,
    /// Sensors are not read.
    blind: bool,
}

impl<'b> Stoppable<'b> {
    /// Until `stop` is set, it is that board.
    pub fn new(board: &'b mut dyn Board, stop: &'b AtomicBool) -> Stoppable<'b> {
        Stoppable { board, stop, blind: false }
    }

    /// The same without sensors, whose reading takes longer than a short test:
    /// for those who look at results alone.
    pub fn blind(board: &'b mut dyn Board, stop: &'b AtomicBool) -> Stoppable<'b> {
        Stoppable { board, stop, blind: true }
    }

    /// Whether it was stopped.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn go_on(&self) -> Result<(), BoardError> {
        match self.stopped() {
            false => Ok(()),
            true => Err(BoardError::CannotRun("stopped".into())),
        }
    }
}

impl Board for Stoppable<'_> {
    fn about(&self) -> &About {
        self.board.about()
    }
    fn load(&mut self, image: &Image) -> Result<ModuleId, BoardError> {
        self.go_on()?;
        self.board.load(image)
    }
    fn alloc(&mut self, bytes: u64) -> Result<Buffer, BoardError> {
        self.go_on()?;
        self.board.alloc(bytes)
    }
    // Memory is given back, stopped or not.
    fn free(&mut self, buffer: Buffer) -> Result<(), BoardError> {
        self.board.free(buffer)
    }
    fn write(&mut self, buffer: Buffer, offset: u64, bytes: &[u8]) -> Result<(), BoardError> {
        self.go_on()?;
        self.board.write(buffer, offset, bytes)
    }
    fn fill(&mut self, buffer: Buffer, word: u32) -> Result<(), BoardError> {
        self.go_on()?;
        self.board.fill(buffer, word)
    }
    fn read(&mut self, buffer: Buffer, offset: u64, bytes: &mut [u8]) -> Result<(), BoardError> {
        self.go_on()?;
        self.board.read(buffer, offset, bytes)
    }
    fn launch(
        &mut self,
        module: ModuleId,
        kernel: &str,
        shape: Shape,
        args: &[Arg],
    ) -> Result<(), BoardError> {
        self.go_on()?;
        self.board.launch(module, kernel, shape, args)
    }
    fn sync(&mut self) -> Result<(), BoardError> {
        self.board.sync()
    }
    fn seconds(&self) -> f64 {
        self.board.seconds()
    }
    fn sensors(&mut self) -> Sensors {
        if self.blind { Sensors::default() } else { self.board.sensors() }
    }
    fn free_memory(&mut self) -> Result<u64, BoardError> {
        self.board.free_memory()
    }
    fn memory_place(&self, address: u64) -> Option<MemoryPlace> {
        self.board.memory_place(address)
    }
    fn tpcs(&mut self) -> Tpcs {
        self.board.tpcs()
    }
    fn fp32_pipes(&self) -> Option<u32> {
        self.board.fp32_pipes()
    }
    fn renew(&mut self) -> Result<(), BoardError> {
        self.go_on()?;
        self.board.renew()
    }
    fn global(&mut self, module: ModuleId, name: &str) -> Result<Buffer, BoardError> {
        self.go_on()?;
        self.board.global(module, name)
    }
}
