//! An OpenCL device as a board. Kernels are source; where a work-group runs is
//! not to be known.

use std::collections::BTreeMap;
use std::ffi::{CString, c_int, c_uint, c_void};
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

use upset_burn::{About, Arg, Board, BoardError, Buffer, Image, Kind, ModuleId, Sensors, Shape};

use super::api::{BUILD_LOG, EXECUTION_STATUS, Handle, OpenCl, READ_WRITE, Status, info};
use super::choice::{self, Choice};
use super::errors;

/// An OpenCL device.
pub struct OpenClBoard {
    api: OpenCl,
    about: About,
    device: Handle,
    context: Handle,
    queue: Handle,
    programs: Vec<Handle>,
    kernels: BTreeMap<(ModuleId, String), Handle>,
    buffers: BTreeMap<u64, Handle>,
    next_buffer: u64,
    /// The last command; the queue keeps its order.
    last: Option<Handle>,
    opened: Instant,
    hang_after: Duration,
    dead: Option<String>,
}

impl OpenClBoard {
    /// Opens a device.
    pub fn open(choice: Choice, hang_after: Duration) -> Result<OpenClBoard, BoardError> {
        let api = OpenCl::open().map_err(|e| BoardError::CannotRun(e.to_string()))?;
        let platforms = list("clGetPlatformIDs", |room, to, count| {
            // SAFETY: as many places as `room` says.
            unsafe { (api.platforms)(room, to, count) }
        })?;
        let devices = |platform: Handle, kind: u64| {
            list("clGetDeviceIDs", |room, to, count| {
                // SAFETY: as above, for a platform that OpenCL gave.
                unsafe { (api.devices)(platform, kind, room, to, count) }
            })
        };
        let device = match choice {
            Choice::Any => choice::first(&platforms, &devices)?,
            Choice::At { platform, device } => {
                choice::at(&platforms, &devices, (platform, device))?
            }
        };
        let about = about(&api, device)?;
        let mut status = 0;
        // SAFETY: one device, no properties, no callback.
        let context = unsafe { (api.context)(null(), 1, &device, null(), null_mut(), &mut status) };
        could(status, "clCreateContext")?;
        // SAFETY: the context was just made for the device.
        let queue = unsafe { (api.queue)(context, device, 0, &mut status) };
        could(status, "clCreateCommandQueue")?;
        Ok(OpenClBoard {
            api,
            about,
            device,
            context,
            queue,
            programs: Vec::new(),
            kernels: BTreeMap::new(),
            buffers: BTreeMap::new(),
            next_buffer: 1,
            last: None,
            opened: Instant::now(),
            hang_after,
            dead: None,
        })
    }

    fn alive(&self) -> Result<(), BoardError> {
        match &self.dead {
            None => Ok(()),
            Some(why) => Err(BoardError::Failed(why.clone())),
        }
    }

    fn handle(&self, buffer: Buffer) -> Result<Handle, BoardError> {
        let found = self.buffers.get(&buffer.handle).copied();
        found.ok_or_else(|| BoardError::CannotRun(format!("no buffer {}", buffer.handle)))
    }

    fn build_log(&self, program: Handle) -> String {
        let mut text = vec![0u8; 4096];
        // SAFETY: as much room as is said.
        unsafe {
            (self.api.build_info)(
                program,
                self.device,
                BUILD_LOG,
                text.len(),
                text.as_mut_ptr().cast(),
                null_mut(),
            )
        };
        let text: Vec<u8> = text.into_iter().take_while(|b| *b != 0).collect();
        let text = String::from_utf8_lossy(&text).into_owned();
        text.lines().find(|l| l.contains("error")).unwrap_or_default().trim().to_string()
    }

    fn kernel(&mut self, module: ModuleId, name: &str) -> Result<Handle, BoardError> {
        let key = (module, name.to_string());
        if let Some(&k) = self.kernels.get(&key) {
            return Ok(k);
        }
        let no = || BoardError::CannotRun(format!("there is no kernel {name:?}"));
        let program = *self.programs.get(module.0 as usize).ok_or_else(no)?;
        let text = CString::new(name).map_err(|_| no())?;
        let mut status = 0;
        // SAFETY: a built program; the name ends with a zero.
        let kernel = unsafe { (self.api.kernel)(program, text.as_ptr(), &mut status) };
        could(status, &format!("clCreateKernel({name})"))?;
        self.kernels.insert(key, kernel);
        Ok(kernel)
    }

    /// A command was given: what it waits for is the new last event.
    fn given(&mut self, status: Status, call: &str, event: Handle) -> Result<(), BoardError> {
        did(status, call)?;
        if let Some(old) = self.last.replace(event) {
            // SAFETY: an event of ours that nobody asks any more.
            unsafe { (self.api.release_event)(old) };
        }
        // SAFETY: the queue is alive.
        did(unsafe { (self.api.flush)(self.queue) }, "clFlush")
    }
}

impl Board for OpenClBoard {
    fn about(&self) -> &About {
        &self.about
    }

    fn load(&mut self, image: &Image) -> Result<ModuleId, BoardError> {
        self.alive()?;
        if image.opencl.is_empty() {
            return Err(BoardError::CannotRun(format!(
                "{} has no portable form (OpenCL source)",
                image.name
            )));
        }
        let text = image.opencl.as_ptr().cast();
        let length = image.opencl.len();
        let mut status = 0;
        // SAFETY: one text of that length, which OpenCL copies.
        let program = unsafe { (self.api.program)(self.context, 1, &text, &length, &mut status) };
        could(status, "clCreateProgramWithSource")?;
        // SAFETY: one device of the context; no options, no callback: it
        // returns when all is built.
        let status =
            unsafe { (self.api.build)(program, 1, &self.device, c"".as_ptr(), null(), null_mut()) };
        if status != 0 {
            let log = self.build_log(program);
            return Err(BoardError::CannotRun(format!(
                "{}: clBuildProgram: {}: {log}",
                image.name,
                errors::words(status)
            )));
        }
        self.programs.push(program);
        Ok(ModuleId(self.programs.len() as u32 - 1))
    }

    fn alloc(&mut self, bytes: u64) -> Result<Buffer, BoardError> {
        self.alive()?;
        let mut status = 0;
        // SAFETY: no host memory is given.
        let buffer = unsafe {
            (self.api.buffer)(
                self.context,
                READ_WRITE,
                bytes.max(1) as usize,
                null_mut(),
                &mut status,
            )
        };
        could(status, &format!("clCreateBuffer of {bytes} bytes"))?;
        let handle = self.next_buffer;
        self.next_buffer += 1;
        self.buffers.insert(handle, buffer);
        Ok(Buffer { handle, bytes })
    }

    fn free(&mut self, buffer: Buffer) -> Result<(), BoardError> {
        self.sync()?;
        let handle = self.handle(buffer)?;
        self.buffers.remove(&buffer.handle);
        // SAFETY: it is released once; nothing uses it, the queue is empty.
        did(unsafe { (self.api.release_buffer)(handle) }, "clReleaseMemObject")
    }

    fn write(&mut self, buffer: Buffer, offset: u64, bytes: &[u8]) -> Result<(), BoardError> {
        // What came before is waited for with a limit; then the copy cannot
        // wait for a kernel.
        self.sync()?;
        buffer.holds(offset, bytes.len())?;
        let handle = self.handle(buffer)?;
        // SAFETY: it returns when the bytes were taken.
        let status = unsafe {
            (self.api.write)(
                self.queue,
                handle,
                1,
                offset as usize,
                bytes.len(),
                bytes.as_ptr().cast(),
                0,
                null(),
                null_mut(),
            )
        };
        did(status, "clEnqueueWriteBuffer")
    }

    fn read(&mut self, buffer: Buffer, offset: u64, bytes: &mut [u8]) -> Result<(), BoardError> {
        self.sync()?;
        buffer.holds(offset, bytes.len())?;
        let handle = self.handle(buffer)?;
        // SAFETY: it returns when the bytes were written.
        let status = unsafe {
            (self.api.read)(
                self.queue,
                handle,
                1,
                offset as usize,
                bytes.len(),
                bytes.as_mut_ptr().cast(),
                0,
                null(),
                null_mut(),
            )
        };
        did(status, "clEnqueueReadBuffer")
    }

    fn launch(
        &mut self,
        module: ModuleId,
        kernel: &str,
        shape: Shape,
        args: &[Arg],
    ) -> Result<(), BoardError> {
        self.alive()?;
        let handle = self.kernel(module, kernel)?;
        for (i, arg) in (0..).zip(args) {
            let set = |size: usize, value: *const c_void| {
                // SAFETY: the value has that size; OpenCL copies it.
                unsafe { (self.api.argument)(handle, i, size, value) }
            };
            let status = match *arg {
                Arg::Buffer(b) => {
                    let buffer = self.handle(b)?;
                    set(size_of::<Handle>(), std::ptr::from_ref(&buffer).cast())
                }
                Arg::U32(v) => set(4, std::ptr::from_ref(&v).cast()),
                Arg::U64(v) => set(8, std::ptr::from_ref(&v).cast()),
                Arg::F32(v) => set(4, std::ptr::from_ref(&v).cast()),
            };
            could(status, &format!("clSetKernelArg({kernel}, {i})"))?;
        }
        let local = shape.block.map(|n| n as usize);
        let global: [usize; 3] =
            std::array::from_fn(|i| shape.grid[i] as usize * shape.block[i] as usize);
        let mut event = null_mut();
        // SAFETY: three dimensions each; the event is released later.
        let status = unsafe {
            (self.api.launch)(
                self.queue,
                handle,
                3,
                null(),
                global.as_ptr(),
                local.as_ptr(),
                0,
                null(),
                &mut event,
            )
        };
        self.given(status, &format!("launching {kernel}"), event)
    }

    fn sync(&mut self) -> Result<(), BoardError> {
        self.alive()?;
        let Some(event) = self.last else { return Ok(()) };
        let begun = Instant::now();
        let mut pause = Duration::from_micros(10);
        loop {
            let mut state: c_int = 0;
            // SAFETY: the event is ours; the state is a number of four bytes.
            let status = unsafe {
                (self.api.event_info)(
                    event,
                    EXECUTION_STATUS,
                    4,
                    std::ptr::from_mut(&mut state).cast(),
                    null_mut(),
                )
            };
            did(status, "clGetEventInfo")?;
            match state {
                0 => {
                    self.last = None;
                    // SAFETY: nobody asks it any more.
                    unsafe { (self.api.release_event)(event) };
                    return Ok(());
                }
                bad if bad < 0 => {
                    let why = format!("a kernel: {}", errors::words(bad));
                    self.dead = Some(format!("the device had failed before: {why}"));
                    return Err(BoardError::Failed(why));
                }
                _ => {}
            }
            if begun.elapsed() >= self.hang_after {
                let seconds = self.hang_after.as_secs_f64();
                let why = format!("a kernel hangs: it did not end within {seconds} s");
                self.dead = Some(format!("the device had failed before: {why}"));
                return Err(BoardError::Failed(why));
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(2));
        }
    }

    fn seconds(&self) -> f64 {
        self.opened.elapsed().as_secs_f64()
    }

    fn sensors(&mut self) -> Sensors {
        let missing = vec!["OpenCL tells no temperature, power, clock or error count".into()];
        Sensors { at: self.seconds(), missing, ..Sensors::default() }
    }

    fn free_memory(&mut self) -> Result<u64, BoardError> {
        // OpenCL does not tell; the largest single buffer is sure.
        Ok(number(&self.api, self.device, info::LARGEST))
    }
}

fn about(api: &OpenCl, device: Handle) -> Result<About, BoardError> {
    let local = number(api, device, info::LOCAL) as u32;
    let group = number(api, device, info::GROUP) as u32;
    Ok(About {
        name: text(api, device, info::NAME)?,
        kind: Kind::Opencl,
        arch: String::new(),
        sms: number(api, device, info::UNITS) as u32,
        sub_cores: 1,
        warp: 32,
        warps_per_sm: group / 32,
        ctas_per_sm: 1,
        registers_per_sm: 0,
        shared_per_cta: local,
        shared_per_sm: local,
        memory: number(api, device, info::MEMORY),
        l2: number(api, device, info::CACHE),
        clock_hz: number(api, device, info::CLOCK) as f64 * 1e6,
        uuid: None,
        vbios: None,
        driver: Some(format!(
            "{}, {}",
            text(api, device, info::DRIVER)?,
            text(api, device, info::VERSION)?
        )),
        mig: None,
        mps: None,
    })
}

/// A number of four or eight bytes; 0 where it is not told.
fn number(api: &OpenCl, device: Handle, what: c_uint) -> u64 {
    let mut bytes = [0u8; 8];
    // SAFETY: as much room as is said; OpenCL writes no more.
    let status =
        unsafe { (api.device_info)(device, what, 8, bytes.as_mut_ptr().cast(), null_mut()) };
    if status == 0 { u64::from_le_bytes(bytes) } else { 0 }
}

fn text(api: &OpenCl, device: Handle, what: c_uint) -> Result<String, BoardError> {
    let mut bytes = vec![0u8; 1024];
    // SAFETY: as above.
    let status = unsafe {
        (api.device_info)(device, what, bytes.len(), bytes.as_mut_ptr().cast(), null_mut())
    };
    could(status, "clGetDeviceInfo")?;
    let bytes: Vec<u8> = bytes.into_iter().take_while(|b| *b != 0).collect();
    Ok(String::from_utf8_lossy(&bytes).trim().to_string())
}

fn list(
    call: &str,
    ask: impl Fn(c_uint, *mut Handle, *mut c_uint) -> Status,
) -> Result<Vec<Handle>, BoardError> {
    let mut found = [null_mut(); 64];
    let mut count = 0;
    match ask(64, found.as_mut_ptr(), &mut count) {
        0 => Ok(found[..(count as usize).min(64)].to_vec()),
        errors::NO_DEVICE | errors::NO_PLATFORM => Ok(Vec::new()),
        status => could(status, call).map(|()| Vec::new()),
    }
}

fn could(status: Status, call: &str) -> Result<(), BoardError> {
    match status {
        0 => Ok(()),
        _ => Err(BoardError::CannotRun(format!("{call}: {}", errors::words(status)))),
    }
}

fn did(status: Status, call: &str) -> Result<(), BoardError> {
    match status {
        errors::OUT_OF_RESOURCES => {
            Err(BoardError::Failed(format!("{call}: {}", errors::words(status))))
        }
        _ => could(status, call),
    }
}
