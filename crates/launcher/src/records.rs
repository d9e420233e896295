//! What the program's processes said, put together.

use std::collections::BTreeSet;

use upset_agent::report::{Message, Record};
use upset_device::{KernelStats, Stats};
use upset_trial::{End, Outcome};

/// All that was said.
#[derive(Clone, Debug, Default)]
pub struct Records {
    /// Processes with a device, in order of their first call.
    pub processes: Vec<Process>,
    /// Kernels that went wrong.
    pub traps: Vec<Trapped>,
    /// Functions that were called and that we lack, each once.
    pub missing: Vec<String>,
    /// Calls that failed and whose errors the program never asked for.
    pub unasked: Vec<Unasked>,
    /// What else the program needs and we lack.
    pub lacking: Vec<String>,
    /// What its user should know.
    pub notes: Vec<String>,
    /// Code that was made from PTX: by whom, and its digest, each once.
    pub converted: BTreeSet<(String, String)>,
    /// Functions whose answers were held, each once, by name.
    pub held: BTreeSet<String>,
    /// Failures of our own.
    pub failures: Vec<String>,
    /// Cycles of the run that was given an order.
    pub cycles: u64,
    /// What became of that run, when it had become the fault-free one.
    pub converged: Option<Outcome>,
    /// Whether anything was said of a device.
    pub any: bool,
}

/// One process with a device.
#[derive(Clone, Debug)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// What its kernels did.
    pub kernels: Vec<KernelStats>,
    /// Digest of the bytes copied to the host, when it ended in an orderly way.
    pub output_digest: Option<String>,
    /// Digest of memory, cycles and statistics, likewise.
    pub digest: Option<String>,
}

/// A call that failed, whose error the program has not asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unasked {
    /// The process that made it.
    pub pid: u32,
    /// The function.
    pub call: String,
    /// The CUDA error that it returned.
    pub error: String,
}

/// A launch that ended in a trap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trapped {
    /// The process that launched it.
    pub pid: u32,
    /// Whether the program asked for the error.
    pub asked: bool,
    /// Cause and place.
    pub message: String,
    /// The CUDA error that the program got.
    pub error: String,
    /// What it makes of a faulty run.
    pub end: End,
}

impl Records {
    /// Takes a message as it came.
    pub(crate) fn take_bytes(&mut self, bytes: &[u8]) {
        match serde_json::from_slice(bytes) {
            Ok(message) => self.take(message),
            Err(e) => once(&mut self.failures, format!("a record that cannot be read: {e}")),
        }
    }

    /// Takes a message.
    pub fn take(&mut self, message: Message) {
        // Any process looks at the clock, with or without a device.
        self.any |= !matches!(message.record, Record::Held { .. });
        let pid = message.pid;
        match message.record {
            // A process that starts another program has a device anew.
            Record::Started => self.processes.push(Process::new(pid)),
            Record::Kernel(stats) => {
                let kernels = &mut self.process(pid).kernels;
                match kernels.iter_mut().find(|k| k.name == stats.name) {
                    Some(known) => *known = *stats,
                    None => kernels.push(*stats),
                }
            }
            Record::Trap { message, error, lacking, end } => {
                if lacking {
                    once(&mut self.lacking, message.clone());
                }
                self.traps.push(Trapped { pid, asked: false, message, error, end });
            }
            Record::Cycles { cycles } => self.cycles = cycles,
            Record::Converged(outcome) => self.converged = Some(*outcome),
            Record::Converted { by, digest } => {
                self.converted.insert((by, digest));
            }
            Record::Unasked { call, error } => self.unasked.push(Unasked { pid, call, error }),
            Record::Asked { error } => {
                self.unasked.retain(|u| u.pid != pid || u.error != error);
                for trap in self.traps.iter_mut().filter(|t| t.pid == pid && t.error == error) {
                    trap.asked = true;
                }
            }
            Record::Missing { name } => once(&mut self.missing, name),
            Record::Note { message, lacking } => {
                once(if lacking { &mut self.lacking } else { &mut self.notes }, message);
            }
            Record::Held { name } => {
                self.held.insert(name);
            }
            Record::Failed { message } => once(&mut self.failures, message),
            Record::Ended { output_digest, digest } => {
                let process = self.process(pid);
                process.output_digest = Some(output_digest);
                process.digest = Some(digest);
            }
        }
    }

    fn process(&mut self, pid: u32) -> &mut Process {
        let i = self.processes.iter().rposition(|p| p.pid == pid).unwrap_or_else(|| {
            self.processes.push(Process::new(pid));
            self.processes.len() - 1
        });
        &mut self.processes[i]
    }

    /// The kernels of all processes; those of one name are added up.
    pub fn stats(&self) -> Stats {
        let mut all = Stats::default();
        for k in self.processes.iter().flat_map(|p| &p.kernels) {
            let sum = all.of(&k.name);
            sum.launches += k.launches;
            sum.ctas += k.ctas;
            sum.warp_insts += k.warp_insts;
            sum.thread_insts += k.thread_insts;
            sum.registers = sum.registers.max(k.registers);
            sum.shared_bytes = sum.shared_bytes.max(k.shared_bytes);
            sum.local_bytes = sum.local_bytes.max(k.local_bytes);
            sum.last = k.last;
            if let Some(t) = &k.timing {
                *sum.timing.get_or_insert_default() += t;
            }
        }
        all
    }
}

impl Process {
    fn new(pid: u32) -> Process {
        Process { pid, kernels: Vec::new(), output_digest: None, digest: None }
    }
}

fn once(list: &mut Vec<String>, text: String) {
    if !list.contains(&text) {
        list.push(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(name: &str, launches: u64) -> Record {
        let mut stats = Stats::default();
        let k = stats.of(name);
        (k.launches, k.registers) = (launches, 8 + launches as u32);
        Record::Kernel(Box::new(k.clone()))
    }

    #[test]
    fn a_kernels_last_record_counts_and_processes_add_up() {
        let mut all = Records::default();
        for (pid, record) in [
            (7, Record::Started),
            (7, kernel("a", 1)),
            (7, kernel("b", 1)),
            (7, kernel("a", 2)),
            (8, Record::Started),
            (8, kernel("a", 5)),
            // The same process runs another program.
            (8, Record::Started),
            (8, kernel("a", 10)),
        ] {
            all.take(Message { pid, record });
        }
        assert_eq!(all.processes.len(), 3);
        let stats = all.stats();
        let sums: Vec<_> =
            stats.kernels.iter().map(|k| (k.name.as_str(), k.launches, k.registers)).collect();
        assert_eq!(sums, [("a", 17, 18), ("b", 1, 9)]);
    }

    #[test]
    fn a_question_is_about_the_errors_of_its_own_process() {
        let mut all = Records::default();
        let bad = || ("cudaMemcpy".to_string(), "cudaErrorIllegalAddress".to_string());
        for pid in [7, 8] {
            let trap = Record::Trap {
                message: "m".into(),
                error: bad().1,
                lacking: false,
                end: End::Done,
            };
            all.take(Message { pid, record: trap });
            let (call, error) = bad();
            all.take(Message { pid, record: Record::Unasked { call, error } });
        }
        all.take(Message { pid: 7, record: Record::Asked { error: bad().1 } });
        assert_eq!(all.traps.iter().map(|t| t.asked).collect::<Vec<_>>(), [true, false]);
        assert_eq!(all.unasked.iter().map(|u| u.pid).collect::<Vec<_>>(), [8]);
    }

    #[test]
    fn what_is_lacking_is_listed_once() {
        let mut all = Records::default();
        for name in ["cudaA", "cudaB", "cudaA"] {
            all.take(Message { pid: 1, record: Record::Missing { name: name.into() } });
        }
        assert_eq!(all.missing, ["cudaA", "cudaB"]);
        all.take_bytes(b"{ no JSON");
        assert_eq!(all.failures.len(), 1);
    }

    #[test]
    fn a_look_at_the_clock_is_no_call_of_the_runtime() {
        let mut all = Records::default();
        // As the library writes it, without an allocator.
        let said = br#"{"pid":7,"record":{"Held":{"name":"time"}}}"#;
        all.take_bytes(said);
        all.take_bytes(said);
        assert_eq!((all.any, all.held.len(), all.failures.len()), (false, 1, 0));
    }
}
