//! What kernels print. It waits until the host synchronises, as on hardware.

use upset_device::Message;

use super::state::Runtime;

unsafe extern "C" {
    static stdout: *mut libc::FILE;
    static stderr: *mut libc::FILE;
}

impl Runtime {
    /// Writes what kernels printed so far, through the application's own C
    /// streams, so that the order with its own output is kept.
    pub fn flush_messages(&mut self) {
        for message in self.device.take_messages() {
            match message {
                // SAFETY: the C library sets its streams up before anything of ours runs.
                Message::Printf { text } => write(&text, unsafe { stdout }),
                Message::Assert { message, file, line, function, block: b, thread: t } => {
                    let text = format!(
                        "{file}:{line}: {function}: block: [{},{},{}], thread: [{},{},{}] \
                         Assertion `{message}` failed.\n",
                        b[0], b[1], b[2], t[0], t[1], t[2]
                    );
                    // SAFETY: as above.
                    write(text.as_bytes(), unsafe { stderr });
                }
            }
        }
    }
}

fn write(text: &[u8], to: *mut libc::FILE) {
    // SAFETY: one of the C library's streams, which live as long as the
    // process; `fwrite` locks it.
    unsafe { libc::fwrite(text.as_ptr().cast(), 1, text.len(), to) };
}
