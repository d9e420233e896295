//! The board that could not be opened: every test says why it did not run.

use upset_burn::{About, Arg, Board, BoardError, Buffer, Image, Kind, ModuleId, Sensors, Shape};

/// A GPU that is not there. A suite over it ends with a whole record in which
/// nothing ran, so that who reads records needs no other case.
pub struct Unopened {
    about: About,
    why: String,
}

impl Unopened {
    /// With the sentence that says why.
    pub fn new(kind: Kind, why: String) -> Unopened {
        let about = About {
            name: "none".into(),
            kind,
            arch: String::new(),
            sms: 0,
            sub_cores: 1,
            warp: 32,
            warps_per_sm: 0,
            ctas_per_sm: 0,
            registers_per_sm: 0,
            shared_per_cta: 0,
            shared_per_sm: 0,
            memory: 0,
            l2: 0,
            clock_hz: 0.0,
            uuid: None,
            vbios: None,
            driver: None,
            mig: None,
            mps: None,
        };
        Unopened { about, why }
    }

    fn no<T>(&self) -> Result<T, BoardError> {
        Err(BoardError::CannotRun(self.why.clone()))
    }
}

impl Board for Unopened {
    fn about(&self) -> &About {
        &self.about
    }
    fn load(&mut self, _: &Image) -> Result<ModuleId, BoardError> {
        self.no()
    }
    fn alloc(&mut self, _: u64) -> Result<Buffer, BoardError> {
        self.no()
    }
    fn free(&mut self, _: Buffer) -> Result<(), BoardError> {
        self.no()
    }
    fn write(&mut self, _: Buffer, _: u64, _: &[u8]) -> Result<(), BoardError> {
        self.no()
    }
    fn read(&mut self, _: Buffer, _: u64, _: &mut [u8]) -> Result<(), BoardError> {
        self.no()
    }
    fn launch(&mut self, _: ModuleId, _: &str, _: Shape, _: &[Arg]) -> Result<(), BoardError> {
        self.no()
    }
    fn sync(&mut self) -> Result<(), BoardError> {
        self.no()
    }
    fn seconds(&self) -> f64 {
        0.0
    }
    fn sensors(&mut self) -> Sensors {
        Sensors { missing: vec![self.why.clone()], ..Sensors::default() }
    }
    fn free_memory(&mut self) -> Result<u64, BoardError> {
        self.no()
    }
}
