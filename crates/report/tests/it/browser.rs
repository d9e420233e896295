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
///
/// Contrast is that of WCAG 2: text against the first background that is painted
/// behind it. Letters of drawings lie on the paper.
const PROBE: &str = r#"
<!doctype html><meta charset="utf-8"><pre id="found">nothing</pre>
<script>
const page = PAGE;
const found = [];
const channel = c => { c /= 255; return c <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4; };
const light = c => .2126 * channel(c[0]) + .7152 * channel(c[1]) + .0722 * channel(c[2]);
const colour = text => (text.match(/[\d.]+/g) || []).map(Number);
function behind(element, view) {
  for (let e = element; e; e = e.parentElement) {
    const c = colour(view.getComputedStyle(e).backgroundColor);
    if (c.length === 3 || c[3] === 1) return c;
  }
  return [255, 255, 255];
}
function contrast(element, view) {
  const style = view.getComputedStyle(element);
  const ink = colour(element.ownerSVGElement ? style.fill : style.color);
  const a = light(ink), b = light(behind(element, view));
  return (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
}
function next(widths) {
  if (!widths.length) { document.getElementById("found").textContent = found.join("\n"); return; }
  const frame = document.createElement("iframe");
  frame.style.cssText = "border:0;height:800px;width:" + widths[0] + "px";
  frame.onload = () => {
    const doc = frame.contentDocument, view = frame.contentWindow;
    const folded = doc.querySelectorAll("details:not([open])").length;
    doc.querySelectorAll("details").forEach(d => d.open = true);
    const charts = [...doc.querySelectorAll("svg")];
    const empty = charts.filter(c => { const b = c.getBoundingClientRect(); return !(b.width > 100 && b.height > 40); });
    const wide = doc.documentElement.scrollWidth;
    const words = [...doc.querySelectorAll("svg text")];
    const letters = Math.min(...words.map(t => t.getBoundingClientRect().height));
    const out = words.filter(t => {
      const a = t.getBoundingClientRect(), b = t.ownerSVGElement.getBoundingClientRect();
      return a.left < b.left - 3 || a.right > b.right + 3 || a.top < b.top - 3 || a.bottom > b.bottom + 3;
    });
    let over = 0, where = "";
    for (const chart of charts) {
      const boxes = [...chart.querySelectorAll("text")].map(t => [t.getBoundingClientRect(), t.textContent]);
      for (let i = 0; i < boxes.length; i++) for (let j = i + 1; j < boxes.length; j++) {
        const [a, s] = boxes[i], [b, t] = boxes[j];
        if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
            Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4) { over++; where = s + " / " + t; }
      }
    }
    const tables = [...doc.querySelectorAll(".scroll")];
    const hidden = tables.filter(t => t.scrollWidth > t.clientWidth + 1);
    const stuck = tables.filter(t => {
      t.scrollLeft = 40;
      const first = t.querySelector("tbody th").getBoundingClientRect();
      return Math.abs(first.left - t.getBoundingClientRect().left) > 1;
    });
    const pale = [];
    for (const e of doc.body.querySelectorAll("*")) {
      const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
      if (!own || ["title", "desc", "style"].includes(e.tagName.toLowerCase())) continue;
      const c = contrast(e, view);
      if (c < 4.5) pale.push(e.tagName + "." + (e.getAttribute("class") || "") + " " + c.toFixed(2));
    }
    const loaded = frame.contentWindow.performance.getEntriesByType("resource").length;
    const dark = view.matchMedia("(prefers-color-scheme: dark)").matches ? 1 : 0;
    found.push("width " + widths[0] + " page " + wide + " charts " + charts.length + " empty " + empty.length +
      " letters " + Math.floor(letters) + " cut " + out.length + " loaded " + loaded + " overlapping " + over +
      " hidden " + hidden.length + " unstuck " + stuck.length + " pale " + pale.length + " dark " + dark +
      " folded " + folded + " | " + pale.slice(0, 3).join(", ") + " | " + where + " | " +
      hidden.slice(0, 3).map(t => t.getAttribute("aria-label") + " " + t.scrollWidth).join(", "));
    frame.remove();
    next(widths.slice(1));
  };
  frame.srcdoc = page;
  document.body.append(frame);
}
next([360, 768, 1280, 1920]);
</script>
"#;

/// What the browser finds on the page in light or dark.
fn looks(program: &Path, page: &str, dark: bool) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    // A script's string: JSON, with no way to end the script.
    let text = serde_json::to_string(page).unwrap().replace("</", "<\\/");
    let probe = folder.path().join("probe.html");
    std::fs::write(&probe, PROBE.replacen("PAGE", &text, 1)).unwrap();
    let mut command = headless(program, &folder.path().join("profile"));
    if dark {
        command.arg("--blink-settings=preferredColorScheme=0");
    }
    let out =
        command.arg("--dump-dom").arg(format!("file://{}", probe.display())).output().unwrap();
    let dom = String::from_utf8_lossy(&out.stdout);
    let (_, rest) = dom.split_once("<pre id=\"found\">").expect("the browser showed the probe");
    rest.split("</pre>").next().unwrap_or_default().lines().map(String::from).collect()
}

#[test]
fn loads_offline_and_fits_every_screen_light_and_dark() {
    let Some(program) = chromium() else { return };
    let page = page();
    let charts = page.matches("<svg ").count();
    for dark in [false, true] {
        let found = looks(&program, &page, dark);
        assert_eq!(found.len(), 4, "{found:?}");
        for line in found {
            let word = |name: &str| -> usize {
                let mut words = line.split(' ').skip_while(|w| *w != name);
                let word = words.nth(1).and_then(|n| n.parse().ok());
                word.unwrap_or_else(|| panic!("{name}: {line}"))
            };
            assert_eq!(word("dark"), usize::from(dark), "{line}");
            assert!(word("page") <= word("width"), "the page is wider than the screen: {line}");
            assert_eq!((word("charts"), word("empty")), (charts, 0), "{line}");
            assert!(word("letters") >= 8, "letters are too small: {line}");
            assert_eq!(word("cut"), 0, "text sticks out of its chart: {line}");
            assert_eq!(word("overlapping"), 0, "texts of a chart overlap: {line}");
            assert_eq!(word("loaded"), 0, "{line}");
            assert_eq!(word("pale"), 0, "text is hard to read: {line}");
            assert_eq!(word("unstuck"), 0, "the first column scrolls away: {line}");
            assert!(word("folded") >= 4, "subjects are not folded: {line}");
            if word("width") >= 1280 {
                assert_eq!(word("hidden"), 0, "a table's right columns are out of sight: {line}");
            }
        }
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
