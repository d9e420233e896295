//! A Slurm of four nodes, all on this machine, that goes away with its value.
//!
//! `crates/cli/tests/slurm.sh target/slurm` fetches Slurm, as `./test.sh` does;
//! without it these tests skip themselves, unless `UPSET_REQUIRE_SLURM=1` is set.

use std::fs::{self, File};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::config::Config;
use crate::{stderr, stdout};

/// Nodes of the cluster.
pub const NODES: usize = 4;

/// Where Slurm was unpacked.
pub fn unpacked() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let prefix = root.join("target/slurm").canonicalize().unwrap_or_default();
    if prefix.join("usr/sbin/slurmctld-wlm").is_file() {
        return Some(prefix);
    }
    let why = "there is no target/slurm: crates/cli/tests/slurm.sh target/slurm fetches it";
    assert!(std::env::var_os("UPSET_REQUIRE_SLURM").is_none_or(|set| set != "1"), "{why}");
    eprintln!("skipped: {why}");
    None
}

/// A running cluster.
pub struct Cluster {
    prefix: PathBuf,
    folder: TempDir,
    munge: Option<Child>,
    controller: Option<Child>,
    nodes: Vec<Option<Child>>,
}

impl Cluster {
    /// Starts one and waits until its nodes are there.
    pub fn start(prefix: &Path) -> Cluster {
        let folder = tempfile::tempdir().expect("a folder");
        // munge refuses folders that others cannot enter.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("a mode");
        for name in ["state", "log", "munge", "spool/n1", "spool/n2", "spool/n3", "spool/n4"] {
            fs::create_dir_all(folder.path().join(name)).expect("a folder");
        }
        File::create(folder.path().join("plugstack.conf")).expect("a file");
        let listeners: Vec<TcpListener> =
            (0..=NODES).map(|_| TcpListener::bind("127.0.0.1:0").expect("a free port")).collect();
        let ports: Vec<u16> =
            listeners.iter().map(|l| l.local_addr().expect("a port").port()).collect();
        let said = |program: &str, word: &str| {
            let said = Command::new(program).arg(word).output().expect("it starts");
            stdout(&said).trim().to_string()
        };
        let (user, host) = (said("id", "-un"), said("uname", "-n"));
        let host = host.split('.').next().unwrap_or_default();
        let config = Config { prefix, folder: folder.path(), user: &user, host, ports: &ports };
        fs::write(folder.path().join("slurm.conf"), config.text()).expect("written");
        let nodes = (0..NODES).map(|_| None).collect();
        let mut cluster =
            Cluster { prefix: prefix.into(), folder, munge: None, controller: None, nodes };
        if user == "root" {
            cluster.start_munge();
        }
        drop(listeners);
        cluster.start_controller();
        (0..NODES).for_each(|n| cluster.start_node(n));
        cluster.wait(Duration::from_secs(60), "four idle nodes", |c| {
            let idle = c.slurm("sinfo", &["-h", "-t", "idle", "-o", "%D"]);
            stdout(&idle).trim() == NODES.to_string()
        });
        cluster
    }

    /// A program with Slurm at hand.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let bin = self.prefix.join("usr/bin");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let places = [bin].into_iter().chain(std::env::split_paths(&path));
        let lib = self.prefix.join("usr/lib/x86_64-linux-gnu");
        let libs = std::env::join_paths([lib.clone(), lib.join("slurm-wlm")]).expect("no colons");
        let mut command = Command::new(program);
        command.env("PATH", std::env::join_paths(places).expect("no colons"));
        command.env("LD_LIBRARY_PATH", libs);
        command.env("SLURM_CONF", self.folder.path().join("slurm.conf"));
        command
    }

    /// Runs a command of Slurm.
    pub fn slurm(&self, name: &str, words: &[&str]) -> Output {
        self.command(self.prefix.join("usr/bin").join(name))
            .args(words)
            .output()
            .expect("it starts")
    }

    /// Starts a daemon that logs to a file of its name.
    fn daemon(&self, program: &str, log: &str, words: &[String]) -> Child {
        let path = self.folder.path().join("log").join(log);
        let file = File::options().append(true).create(true).open(path).expect("a log");
        let mut command = self.command(self.prefix.join("usr/sbin").join(program));
        command.args(words).stdin(Stdio::null());
        command.stdout(file.try_clone().expect("a handle")).stderr(file);
        command.spawn().unwrap_or_else(|e| panic!("{program}: {e}"))
    }

    fn start_munge(&mut self) {
        let folder = self.folder.path().join("munge");
        let at = |option: &str, name: &str| format!("--{option}={}", folder.join(name).display());
        let key = folder.join("key").display().to_string();
        let made =
            self.daemon("mungekey", "mungekey", &["--create".into(), "--keyfile".into(), key]);
        made.wait_with_output().expect("a key");
        let words = [
            "--foreground".into(),
            at("socket", "socket"),
            at("key-file", "key"),
            at("pid-file", "pid"),
            at("log-file", "log"),
            at("seed-file", "seed"),
        ];
        self.munge = Some(self.daemon("munged", "munged", &words));
        self.wait(Duration::from_secs(20), "munge", |_| folder.join("socket").exists());
    }

    /// Starts the controller with the state that there is.
    pub fn start_controller(&mut self) {
        self.controller = Some(self.daemon("slurmctld-wlm", "slurmctld", &["-D".into()]));
    }

    /// Ends the controller in the middle of what it does.
    pub fn kill_controller(&mut self) {
        kill(&mut self.controller);
    }

    /// Starts a node, from 0.
    pub fn start_node(&mut self, n: usize) {
        let step = self.prefix.join("usr/sbin/slurmstepd-wlm").display().to_string();
        let words = ["-D".into(), "-N".into(), format!("n{}", n + 1), "-d".into(), step];
        self.nodes[n] = Some(self.daemon("slurmd-wlm", &format!("slurmd.{n}"), &words));
    }

    /// Ends a node's daemon. What ran there goes on and is an orphan.
    pub fn kill_node(&mut self, n: usize) {
        kill(&mut self.nodes[n]);
    }

    /// Waits for something.
    pub fn wait(&self, most: Duration, what: &str, mut is_so: impl FnMut(&Cluster) -> bool) {
        let started = Instant::now();
        while !is_so(self) {
            if started.elapsed() > most {
                panic!("no {what} after {} s\n{}", most.as_secs(), self.state());
            }
            sleep(Duration::from_millis(200));
        }
    }

    /// Processes of the cluster and its jobs, with their environments.
    pub fn processes(&self) -> Vec<Process> {
        processes(&self.mark())
    }

    /// The variable that marks what belongs to it.
    pub fn mark(&self) -> String {
        format!("SLURM_CONF={}/", self.folder.path().display())
    }

    /// Queue, nodes and the ends of all logs, for failures.
    pub fn state(&self) -> String {
        let mut all = String::new();
        for words in [&["squeue", "-r"][..], &["sinfo"], &["scontrol", "show", "jobs"]] {
            let o = self.slurm(words[0], &words[1..]);
            all += &format!("== {}\n{}{}\n", words.join(" "), stdout(&o), stderr(&o));
        }
        for log in fs::read_dir(self.folder.path().join("log")).into_iter().flatten().flatten() {
            let text = fs::read_to_string(log.path()).unwrap_or_default();
            let lines: Vec<&str> = text.lines().collect();
            let end = &lines[lines.len().saturating_sub(15)..];
            all += &format!("== {:?}\n{}\n", log.file_name(), end.join("\n"));
        }
        all
    }
}

/// Processes whose environment has a variable that begins so.
pub fn processes(mark: &str) -> Vec<Process> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let process = |entry: fs::DirEntry| {
        let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
        let text = |name: &str| {
            let bytes = fs::read(entry.path().join(name)).ok()?;
            Some(String::from_utf8_lossy(&bytes).replace('\0', "\n"))
        };
        let environment = text("environ")?;
        let ours = environment.lines().any(|line| line.starts_with(mark));
        (ours && pid != std::process::id()).then_some(())?;
        Some(Process { pid, command: text("cmdline")?, environment })
    };
    entries.filter_map(process).collect()
}

/// A process of the cluster.
pub struct Process {
    pub pid: u32,
    /// Its words, a line each.
    pub command: String,
    /// Its variables, a line each.
    pub environment: String,
}

impl Process {
    /// Threads that run or could.
    pub fn ready(&self) -> usize {
        let threads = fs::read_dir(format!("/proc/{}/task", self.pid)).into_iter().flatten();
        let is_ready = |thread: &fs::DirEntry| {
            let stat = fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
            // Its name may have spaces and brackets; the state is behind the last one.
            stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('R'))
        };
        threads.flatten().filter(is_ready).count()
    }

    /// Ends it as if it had never been.
    pub fn kill(&self) {
        let _ = Command::new("kill").args(["-9", &self.pid.to_string()]).output();
    }
}

fn kill(child: &mut Option<Child>) {
    if let Some(mut child) = child.take() {
        let _ = child.kill();
        let _ = child.wait();
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        kill(&mut self.controller);
        (0..NODES).for_each(|n| self.kill_node(n));
        kill(&mut self.munge);
        // Twice: what was just being started was not there the first time.
        for _ in 0..2 {
            self.processes().iter().for_each(Process::kill);
            sleep(Duration::from_millis(100));
        }
    }
}
