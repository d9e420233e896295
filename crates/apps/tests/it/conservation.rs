//! No byte is lost or made up: after every launch of every application, global
//! memory as the host sees it through the caches equals that of a plain
//! functional run.
//!
//! What the host does is recorded once, and replayed on both engines side by
//! side.

use crate::{AMD, CHIPS};
use upset_apps::{Scale, built_in_for, find};
use upset_chip::{ChipSpec, Vendor};
use upset_device::journal::{Event, Pointer};
use upset_device::{DevPtr, Device, DeviceError, Mode, ModuleId, TexFormat, Texture};

/// A device and what its host holds.
struct Replay {
    device: Device,
    module: Option<ModuleId>,
    allocations: Vec<DevPtr>,
}

impl Replay {
    fn new(chip: &ChipSpec, mode: Mode) -> Replay {
        let device = Device::in_mode(chip, mode).expect("a device");
        Replay { device, module: None, allocations: Vec::new() }
    }

    fn at(&self, p: &Pointer) -> DevPtr {
        self.allocations[p.allocation as usize].offset(p.offset)
    }

    fn module(&self) -> ModuleId {
        self.module.expect("a module comes first")
    }

    /// Does what the host did, and checks what it saw.
    fn step(&mut self, event: &Event) -> Result<(), DeviceError> {
        match event {
            Event::Module { image } => self.module = Some(self.device.load_module(image)?),
            Event::Malloc { bytes } => self.allocations.push(self.device.malloc(*bytes)?),
            Event::Upload { to, bytes } => self.device.upload(self.at(to), bytes)?,
            Event::Download { from, bytes } => {
                let mut seen = vec![0; bytes.len()];
                self.device.download(self.at(from), &mut seen)?;
                assert!(seen == *bytes, "the host saw other bytes");
            }
            Event::Memset { to, value, len } => self.device.memset(self.at(to), *value, *len)?,
            Event::UploadSymbol { name, offset, bytes } => {
                self.device.upload_symbol(self.module(), name, *offset, bytes)?;
            }
            Event::BindTexture { name, at, bytes } => {
                let texture = Texture::linear(self.at(at).0, *bytes, TexFormat::F32);
                self.device.bind_texture(self.module(), name, texture)?;
            }
            Event::Launch { kernel, launch, args, .. } => {
                let function = self.device.function(self.module(), kernel)?;
                self.device.launch(function, launch, args)?;
            }
        }
        Ok(())
    }

    /// All of these ranges, as the host sees them.
    fn memory(&mut self, ranges: &[(u64, u64)]) -> Vec<u8> {
        let mut all = Vec::new();
        for &(start, len) in ranges {
            let mut bytes = vec![0; len as usize];
            self.device.download(DevPtr(start), &mut bytes).expect("mapped memory");
            all.extend(bytes);
        }
        all
    }
}

fn conserved(id: &str) {
    let app = find(id).expect("an application of ours");
    let amd = app.vendors().contains(&Vendor::Amd);
    let chips: &[&str] = if amd { &AMD } else { &CHIPS };
    for name in chips {
        let chip = ChipSpec::preset(name).expect("a chip of ours");
        let mut recorder = Device::new(&chip).expect("a device");
        recorder.start_journal();
        app.run(&mut recorder, Scale::Small, app.default_seed()).expect("it runs");
        let mut plain = Replay::new(&chip, Mode::Functional);
        let mut timed = Replay::new(&chip, Mode::Timing);
        let mut launches = 0;
        for event in &recorder.take_journal() {
            plain.step(event).expect("as recorded");
            timed.step(event).unwrap_or_else(|e| panic!("{id} on {name}: {e}"));
            let Event::Launch { kernel, .. } = event else { continue };
            launches += 1;
            let machine = timed.device.machine_mut().expect("timing mode");
            let ranges = machine.mem_mut().global_mut().mapped_ranges();
            let (expected, found) = (plain.memory(&ranges), timed.memory(&ranges));
            assert!(!expected.is_empty());
            let different = expected.iter().zip(&found).position(|(a, b)| a != b);
            assert_eq!(different, None, "{id} on {name}, launch {launches} ({kernel}): first byte");
        }
        assert!(launches > 0, "{id}");
        // Counted in debug builds: the code's stall counts cover the chip's latencies.
        let hazards = timed.device.stats().timing().map(|t| t.cores.sm.hazards);
        assert_eq!(hazards, Some(0), "{id} on {name}: registers read too early");
    }
}

macro_rules! applications {
    ($($id:ident)*) => {
        mod after_every_launch {
            $(#[test] fn $id() { super::conserved(stringify!($id)); })*
        }
        const TESTED: &[&str] = &[$(stringify!($id)),*];
    };
}
applications!(
    va sp hs km srad1 srad2 lud bfs pathf nw ge bp
    fft gray mmul reduce sobel sort tran
    bins bits dct dwt fwt fw his mm mt qrs rg red sc urng
);

#[test]
fn no_application_goes_untested() {
    let all = [Vendor::Nvidia, Vendor::Amd].into_iter().flat_map(built_in_for);
    let ids: Vec<_> = all.map(|app| app.id()).collect();
    assert_eq!(ids, TESTED);
}
