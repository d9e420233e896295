//! The page in a real browser, where one is installed: `chromium`, or the
//! program that `UPSET_CHROMIUM` names. `UPSET_REQUIRE_BROWSER=1` makes a
//! missing browser a failure.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::html::page;

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

/// A browser that cannot reach anything.
fn headless(program: &Path, profile: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            "--virtual-time-budget=5000",
        ])
        .arg(format!("--user-data-dir={}", profile.display()));
    command
}

/// Shows the page in a frame of each width and writes down what it finds there.
const PROBE: &str = r#"
<!doctype html><meta charset="utf-8"><pre id="found">nothing</pre>
<script>
const page = PAGE;
const found = [];
function next(widths) {
  if (!widths.length) { document.getElementById("found").textContent = found.join("\n"); return; }
  const frame = document.createElement("iframe");
  frame.style.cssText = "border:0;height:800px;width:" + widths[0] + "px";
  frame.onload = () => {
    frame.contentDocument.querySelectorAll("details").forEach(d => d.open = true);
    const doc = frame.contentDocument, charts = [...doc.querySelectorAll("svg")];
    const empty = charts.filter(c => { const b = c.getBoundingClientRect(); return !(b.width > 100 && b.height > 40); });
    const wide = doc.documentElement.scrollWidth;
    const letters = Math.min(...[...doc.querySelectorAll("svg text")].map(t => t.getBoundingClientRect().height));
    const out = [...doc.querySelectorAll("svg text")].filter(t => {
      const a = t.getBoundingClientRect(), b = t.ownerSVGElement.getBoundingClientRect();
      return a.left < b.left - 3 || a.right > b.right + 3;
    });
    const loaded = frame.contentWindow.performance.getEntriesByType("resource").length;
    found.push("width " + widths[0] + " page " + wide + " charts " + charts.length + " empty " + empty.length +
      " letters " + Math.floor(letters) + " cut " + out.length + " loaded " + loaded);
    frame.remove();
    next(widths.slice(1));
  };
  frame.srcdoc = page;
  document.body.append(frame);
}
next([360, 768, 1280]);
</script>
"#;

#[test]
fn loads_offline_and_fits_every_screen() {
    let Some(program) = chromium() else { return };
    let folder = tempfile::tempdir().unwrap();
    let page = page();
    let charts = page.matches("<svg ").count();
    // A script's string: JSON, with no way to end the script.
    let text = serde_json::to_string(&page).unwrap().replace("</", "<\\/");
    let probe = folder.path().join("probe.html");
    std::fs::write(&probe, PROBE.replacen("PAGE", &text, 1)).unwrap();
    let out = headless(&program, &folder.path().join("profile"))
        .arg("--dump-dom")
        .arg(format!("file://{}", probe.display()))
        .output()
        .unwrap();
    let dom = String::from_utf8_lossy(&out.stdout);
    let (_, rest) = dom.split_once("<pre id=\"found\">").expect("the browser showed the probe");
    let found: Vec<&str> = rest.split("</pre>").next().unwrap_or_default().lines().collect();
    assert_eq!(found.len(), 3, "{found:?}");
    for line in found {
        let word = |name: &str| -> usize {
            let mut words = line.split(' ').skip_while(|w| *w != name);
            words.nth(1).and_then(|n| n.parse().ok()).unwrap_or_else(|| panic!("{name}: {line}"))
        };
        assert!(word("page") <= word("width"), "the page is wider than the screen: {line}");
        assert_eq!((word("charts"), word("empty")), (charts, 0), "{line}");
        assert!(word("letters") >= 8, "letters are too small: {line}");
        assert_eq!(word("cut"), 0, "text sticks out of its chart: {line}");
        assert_eq!(word("loaded"), 0, "{line}");
    }
}

#[test]
fn prints() {
    let Some(program) = chromium() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (html, pdf) = (folder.path().join("page.html"), folder.path().join("page.pdf"));
    std::fs::write(&html, page()).unwrap();
    let done = headless(&program, &folder.path().join("profile"))
        .arg(format!("--print-to-pdf={}", pdf.display()))
        .arg(format!("file://{}", html.display()))
        .output()
        .unwrap();
    assert!(done.status.success());
    let bytes = std::fs::read(&pdf).unwrap();
    assert!(bytes.starts_with(b"%PDF") && bytes.len() > 20_000, "{} bytes", bytes.len());
}
