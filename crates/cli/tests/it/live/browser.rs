//! The page in a real browser.

use std::path::Path;

use serde_json::Value;

use super::devtools::Browser;
use super::{LONG, SPEC, Served, program, store, until};

/// How often the page was changed by events.
fn updates(browser: &mut Browser) -> u64 {
    let text = browser.ask("document.body.dataset.updates || '0'");
    text.as_str().and_then(|n| n.parse().ok()).unwrap_or(0)
}

fn text(browser: &mut Browser, what: &str) -> String {
    let text = browser.ask(&format!("(document.querySelector({what:?}) || {{}}).innerText || ''"));
    text.as_str().unwrap_or_default().to_string()
}

/// Nothing sticks out, nothing is unreadable.
fn assert_fits(browser: &mut Browser, width: u32, scheme: &str) {
    browser.screen(width, scheme);
    let found = browser.ask(
        "(() => {
          const wide = document.documentElement.scrollWidth;
          const out = [...document.querySelectorAll('main *')].filter(e => {
            const b = e.getBoundingClientRect();
            return b.width > 0 && (b.left < -1 || b.right > innerWidth + 1);
          }).map(e => e.outerHTML.slice(0, 80));
          const light = c => {
            const [r, g, b] = c.match(/[\\d.]+/g).map(x => x / 255)
              .map(x => x <= .04045 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4);
            return .2126 * r + .7152 * g + .0722 * b;
          };
          const ground = e => {
            for (; e; e = e.parentElement) {
              const c = getComputedStyle(e).backgroundColor;
              if (c !== 'rgba(0, 0, 0, 0)') return c;
            }
            return 'rgb(255, 255, 255)';
          };
          const faint = [...document.querySelectorAll('p, h1, h2, h3, b, small, span, code, a, dd, dt, li')]
            .filter(e => e.innerText && e.getBoundingClientRect().width > 0)
            .map(e => {
              const [a, b] = [light(getComputedStyle(e).color), light(ground(e))].sort((x, y) => y - x);
              return [(a + .05) / (b + .05), e.outerHTML.slice(0, 80)];
            }).filter(([ratio]) => ratio < 4.5);
          const bars = [...document.querySelectorAll('svg')].filter(s => {
            const b = s.getBoundingClientRect(); return !(b.width > 60 && b.height >= 5);
          }).length;
          return { wide, out, faint, bars, dark: light(getComputedStyle(document.body).backgroundColor) < .2 };
        })()",
    );
    let at = format!("{width} px, {scheme}");
    assert!(found["wide"].as_u64().unwrap() <= u64::from(width), "{at}: {found}");
    assert_eq!(found["out"], Value::Array(vec![]), "{at}");
    assert_eq!(found["faint"], Value::Array(vec![]), "{at}");
    assert_eq!(found["bars"], 0, "{at}");
    assert_eq!(found["dark"], scheme == "dark", "{at}");
}

fn screens(browser: &mut Browser, name: &str) {
    for (width, scheme) in [(360, "light"), (360, "dark"), (1280, "light"), (1280, "dark")] {
        assert_fits(browser, width, scheme);
        browser.picture(&format!("{name}-{width}-{scheme}"));
    }
}

fn at(address: &str, path: &Path) -> Served {
    Served::start(program(&["serve", "--listen", address]).arg(path))
}

#[test]
fn a_campaign_in_a_browser() {
    let Some(mut browser) = Browser::start() else { return };
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.db");
    let mut command = program(&LONG);
    let mut campaign =
        Served::start(command.args(["-q", "--serve=127.0.0.1:0", "--out"]).arg(&path));
    let url = campaign.url.clone();
    // However fast the machine is, it does not end before we look, nor while we
    // do: it goes on for moments only.
    campaign.signal("-STOP");
    browser.open(&url);
    // It fills under our eyes: the page is not loaded again.
    browser.ask("window.mark = 7");
    let mut seen: Vec<String> = Vec::new();
    until("a page that changes", || {
        campaign.signal("-CONT");
        std::thread::sleep(std::time::Duration::from_millis(200));
        campaign.signal("-STOP");
        let now = text(&mut browser, ".tiles dd");
        if !now.is_empty() && seen.last() != Some(&now) {
            seen.push(now);
        }
        let running = text(&mut browser, "#head").contains("running");
        (seen.len() >= 2 && running).then_some(())
    });
    assert!(text(&mut browser, "h1").contains("hs on rtx2060"));
    assert!(text(&mut browser, "#head").contains("running"));
    assert!(text(&mut browser, "#stores").contains("process"));
    let order = browser.ask("[...document.querySelectorAll('main > *')].map(e => e.id).join(' ')");
    assert_eq!(order, "head progress panels failures stores");
    screens(&mut browser, "running");
    let errors = std::mem::take(&mut browser.errors);
    assert_eq!(errors, Vec::<String>::new());
    campaign.signal("-CONT");
    assert_eq!(campaign.wait(), 0);
    // The last words, and the last numbers.
    until("the end", || text(&mut browser, "#connection").contains("upset serve").then_some(()));
    assert!(text(&mut browser, "#head").contains("complete"));
    assert!(text(&mut browser, "#failures").contains("upset inject hs --chip rtx2060"));
    screens(&mut browser, "ended");
    // A server at the same address is found by the same page.
    let before = updates(&mut browser);
    let place = url.strip_prefix("http://").unwrap().trim_end_matches('/');
    let served = at(place, &path);
    until("a page that comes back", || (updates(&mut browser) > before).then_some(()));
    assert_eq!(text(&mut browser, "#connection"), "");
    drop(served);
    until("a page that says it is alone", || {
        text(&mut browser, "#connection").contains("No connection").then_some(())
    });
    let served = at(place, &path);
    until("a page that comes back again", || {
        text(&mut browser, "#connection").is_empty().then_some(())
    });
    drop(served);
    assert_eq!(browser.ask("window.mark"), 7, "the page was loaded again");
    // Nothing but lost connections was complained of.
    let wrong: Vec<&String> = browser.errors.iter().filter(|e| !e.contains("net::ERR_")).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn many_campaigns_shards_and_strange_names_fit() {
    let Some(mut browser) = Browser::start() else { return };
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("a folder of a very-long-name-that-nobody-can-break<b>&amp;");
    std::fs::create_dir(&folder).unwrap();
    store(&folder, &SPEC, "one.db", &["--bits", "1,3"]);
    for number in [1, 5] {
        let (name, shard) = (format!("{number}.db"), format!("{number}/64"));
        store(&folder, &SPEC, &name, &["--seed", "3", "--shard", &shard]);
    }
    std::fs::write(folder.join("broken.db"), broken(&folder.join("one.db"))).unwrap();
    let served = Served::of(&[&folder]);
    browser.open(&served.url);
    until("an event", || (updates(&mut browser) > 0).then_some(()));
    assert!(text(&mut browser, "h1").contains("2 campaigns"));
    assert!(
        text(&mut browser, ".cards").contains("of 160 runs"),
        "{}",
        text(&mut browser, ".cards")
    );
    assert!(text(&mut browser, ".note").contains("broken.db"));
    screens(&mut browser, "list");
    let links = browser.ask("[...document.querySelectorAll('.cards a')].map(a => a.href)");
    for (i, link) in links.as_array().unwrap().iter().enumerate() {
        browser.open(link.as_str().unwrap());
        until("an event", || (updates(&mut browser) > 0).then_some(()));
        assert!(text(&mut browser, "h1").contains("on rtx2060"));
        screens(&mut browser, &format!("campaign{i}"));
    }
    assert_eq!(browser.errors, Vec::<String>::new());
    // Nothing came from elsewhere, and no name became markup.
    let loaded = browser.ask("performance.getEntriesByType('resource').map(e => e.name)");
    for name in loaded.as_array().unwrap() {
        assert!(name.as_str().unwrap().starts_with(&served.url), "{name}");
    }
}

/// A store whose middle is overwritten.
fn broken(store: &Path) -> Vec<u8> {
    let mut bytes = std::fs::read(store).unwrap();
    let middle = bytes.len() / 2;
    bytes[4096..middle].fill(0x55);
    bytes
}
