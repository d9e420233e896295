//! A real browser, told what to do through its debugging pipe.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

/// `chromium`, or the program that `UPSET_CHROMIUM` names; `UPSET_REQUIRE_BROWSER=1`
/// makes a missing one a failure.
fn chromium() -> Option<PathBuf> {
    let named = std::env::var_os("UPSET_CHROMIUM").map(PathBuf::from);
    let usual = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
    let found = named.or_else(|| usual.map(PathBuf::from).into_iter().find(|p| p.exists()));
    if found.is_none() {
        assert!(std::env::var_os("UPSET_REQUIRE_BROWSER").is_none(), "no Chromium is installed");
        eprintln!("skipped: no Chromium is installed");
    }
    found
}

/// A browser with one page.
pub struct Browser {
    child: Child,
    to: File,
    from: Receiver<Value>,
    session: Option<String>,
    last: u64,
    /// What was written to the console as an error, or thrown.
    pub errors: Vec<String>,
    _folder: TempDir,
}

impl Browser {
    pub fn start() -> Option<Browser> {
        let program = chromium()?;
        let folder = tempfile::tempdir().unwrap();
        let (to, from) = (folder.path().join("to"), folder.path().join("from"));
        let made = Command::new("mkfifo").args([&to, &from]).status().unwrap();
        assert!(made.success());
        // The browser reads commands from its third file and answers to its fourth.
        let child = Command::new("sh")
            .args(["-c", "exec \"$@\" 3<\"$TO\" 4>\"$FROM\"", "sh"])
            .arg(program)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--disable-dev-shm-usage",
                "--remote-debugging-pipe",
            ])
            .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
            .envs([("TO", &to), ("FROM", &from)])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let to = OpenOptions::new().write(true).open(&to).unwrap();
        let answers = BufReader::new(File::open(&from).unwrap());
        let (send, from) = channel();
        std::thread::spawn(move || {
            for message in answers.split(0).map_while(Result::ok) {
                let Ok(value) = serde_json::from_slice(&message) else { continue };
                if send.send(value).is_err() {
                    return;
                }
            }
        });
        let (session, errors) = (None, Vec::new());
        let mut browser = Browser { child, to, from, session, last: 0, errors, _folder: folder };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let how = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = browser.call("Target.attachToTarget", how);
        browser.session = attached["sessionId"].as_str().map(String::from);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    /// A command and its answer.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let mut message = json!({ "id": self.last, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.to.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let answer = self.from.recv_timeout(Duration::from_secs(60)).expect("an answer");
            if answer["id"] == self.last {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.note(&answer);
        }
    }

    fn note(&mut self, event: &Value) {
        let params = &event["params"];
        let wrong = match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => true,
            Some("Runtime.consoleAPICalled") => params["type"] == "error",
            Some("Log.entryAdded") => params["entry"]["level"] == "error",
            _ => false,
        };
        if wrong {
            self.errors.push(params.to_string());
        }
    }

    /// The value of an expression on the page.
    pub fn ask(&mut self, expression: &str) -> Value {
        let params = json!({ "expression": expression, "returnByValue": true });
        let answer = self.call("Runtime.evaluate", params);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Opens a page and waits until it is there.
    pub fn open(&mut self, url: &str) {
        self.call("Page.navigate", json!({ "url": url }));
        super::until("the page", || (self.ask("document.readyState") == "complete").then_some(()));
    }

    /// Makes the screen so wide, light or dark.
    pub fn screen(&mut self, width: u32, scheme: &str) {
        let mobile = width < 600;
        let size =
            json!({ "width": width, "height": 800, "deviceScaleFactor": 1, "mobile": mobile });
        self.call("Emulation.setDeviceMetricsOverride", size);
        let feature = json!({ "name": "prefers-color-scheme", "value": scheme });
        self.call("Emulation.setEmulatedMedia", json!({ "features": [feature] }));
    }

    /// A picture of the whole page, for those who want to look: `UPSET_SCREENS` names
    /// a folder.
    pub fn picture(&mut self, name: &str) {
        let Some(folder) = std::env::var_os("UPSET_SCREENS") else { return };
        let params = json!({ "format": "png", "captureBeyondViewport": true });
        let data = self.call("Page.captureScreenshot", params)["data"].clone();
        let path = PathBuf::from(folder).join(format!("{name}.png"));
        std::fs::write(path, base64(data.as_str().unwrap_or_default())).unwrap();
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn base64(text: &str) -> Vec<u8> {
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut bits, mut held) = (Vec::new(), 0u32, 0);
    for letter in text.bytes() {
        let Some(value) = letters.iter().position(|l| *l == letter) else { continue };
        (bits, held) = ((bits << 6 | value as u32) & 0xffff, held + 6);
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    bytes
}
