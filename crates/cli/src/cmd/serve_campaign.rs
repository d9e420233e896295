//! The page of a running campaign: a process of its own beside it, so that
//! nothing that happens there can reach the campaign.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::failure::{self, Failure};

/// How long the page may take to say goodbye.
const PATIENCE: Duration = Duration::from_secs(3);

/// The process; it ends when this is dropped, and when we die.
pub struct ServedCampaign(Child);

impl ServedCampaign {
    /// Starts it and says where the page is.
    pub fn start(store: &Path, address: &str) -> Result<ServedCampaign, Failure> {
        let ours = |e: std::io::Error| {
            Failure::new(failure::OURS, format!("cannot start the server of the page: {e}"))
        };
        let mut command = Command::new(std::env::current_exe().map_err(ours)?);
        command.args(["serve", "--of-campaign"]);
        if !address.is_empty() {
            command.arg(format!("--listen={address}"));
        }
        command.arg("--").arg(store).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut served = ServedCampaign(command.spawn().map_err(ours)?);
        let mut url = String::new();
        if let Some(out) = served.0.stdout.take() {
            BufReader::new(out).read_line(&mut url).map_err(ours)?;
        }
        if url.is_empty() {
            // It has said why.
            let code = served.0.wait().ok().and_then(|status| status.code());
            let code = code.and_then(|c| u8::try_from(c).ok()).unwrap_or(failure::OURS);
            return Err(Failure::new(code, ""));
        }
        failure::say(&format!("follow it at {url}"));
        Ok(served)
    }
}

impl Drop for ServedCampaign {
    fn drop(&mut self) {
        // The end of its input is the end of the campaign.
        drop(self.0.stdin.take());
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            match self.0.try_wait() {
                Ok(None) => sleep(Duration::from_millis(5)),
                _ => return,
            }
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
