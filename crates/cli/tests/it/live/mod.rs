//! The live page: `upset serve` and `upset campaign --serve`, asked as browsers
//! ask, as nobody should, and in a real browser.

mod answers;
mod browser;
mod campaigns;
mod devtools;
mod hostile;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// A campaign of a second or two.
const SPEC: [&str; 9] =
    ["campaign", "--app", "va,sp", "--chip", "rtx2060", "--structure", "rf,l2", "--runs", "40"];

/// One that takes longer, since everything is run from the start, and has failures.
const LONG: [&str; 13] = [
    "campaign",
    "--app",
    "hs",
    "--chip",
    "rtx2060",
    "--structure",
    "rf,smem",
    "--sampling",
    "active",
    "--runs",
    "200",
    "--exact",
    "off",
];

fn program(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_upset"));
    command.args(args);
    command
}

/// A store, made by a campaign that ran to its end.
fn store(dir: &Path, spec: &[&str], name: &str, more: &[&str]) -> PathBuf {
    let path = dir.join(name);
    let ran = program(spec).args(more).arg("-q").arg("--out").arg(&path).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    path
}

/// A process that says where its page is.
struct Served {
    child: Child,
    /// The address, e.g. `http://127.0.0.1:4567/`.
    url: String,
}

/// An answer.
#[derive(Debug)]
struct Reply {
    status: u16,
    head: String,
    body: String,
}

impl Served {
    fn start(command: &mut Command) -> Served {
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("upset starts");
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut said = Vec::new();
        let url = loop {
            let Some(Ok(line)) = lines.next() else {
                let _ = child.kill();
                panic!("no address: {said:?}, {:?}", child.wait());
            };
            if let Some(rest) = line.strip_prefix("follow it at ") {
                break rest.split(' ').next().unwrap_or_default().to_string();
            }
            said.push(line);
        };
        // What else it says is of no interest, but it must be able to say it.
        std::thread::spawn(move || lines.for_each(drop));
        Served { child, url }
    }

    /// `upset serve` of some paths.
    fn of(paths: &[&Path]) -> Served {
        Served::start(program(&["serve", "--listen=127.0.0.1:0"]).args(paths))
    }

    /// Host and port.
    fn at(&self) -> &str {
        let rest = self.url.strip_prefix("http://").unwrap();
        rest.split('/').next().unwrap()
    }

    fn try_connect(&self) -> std::io::Result<TcpStream> {
        let stream = TcpStream::connect(self.at())?;
        stream.set_read_timeout(Some(Duration::from_secs(120)))?;
        Ok(stream)
    }

    fn connect(&self) -> TcpStream {
        self.try_connect().unwrap()
    }

    /// What is answered to some bytes.
    fn raw(&self, bytes: &[u8]) -> Reply {
        Reply::to(bytes, self.connect())
    }

    /// How a path is asked for.
    fn question(&self, path: &str) -> Vec<u8> {
        format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.at()).into_bytes()
    }

    fn get(&self, path: &str) -> Reply {
        self.raw(&self.question(path))
    }

    fn snapshot(&self) -> Value {
        let reply = self.get("/api/snapshot.json");
        assert_eq!(reply.status, 200, "{reply:?}");
        serde_json::from_str(&reply.body).unwrap()
    }

    /// The same, or nothing where nobody answers any more.
    fn try_snapshot(&self) -> Option<Value> {
        let reply = Reply::to(&self.question("/api/snapshot.json"), self.try_connect().ok()?);
        (reply.status == 200).then(|| serde_json::from_str(&reply.body).ok()).flatten()
    }

    fn signal(&self, name: &str) {
        let done = Command::new("kill").args([name, &self.child.id().to_string()]).status();
        assert!(done.unwrap().success());
    }

    /// The exit code, or -1.
    fn wait(&mut self) -> i32 {
        let end = Instant::now() + Duration::from_secs(600);
        loop {
            match self.child.try_wait().unwrap() {
                Some(status) => return status.code().unwrap_or(-1),
                None => assert!(Instant::now() < end, "it does not end"),
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Reply {
    fn to(bytes: &[u8], mut stream: TcpStream) -> Reply {
        // It may answer and close before it has read all.
        let _ = stream.write_all(bytes);
        Reply::read(&mut stream)
    }

    fn read(stream: &mut TcpStream) -> Reply {
        let mut bytes = Vec::new();
        // Whoever is sent away may be reset afterwards.
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
        Reply { status, head: head.into(), body: body.into() }
    }
}

/// Waits until something is so. Only a failure takes this long: machines that are
/// busy elsewhere are slow.
fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + Duration::from_secs(600);
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
