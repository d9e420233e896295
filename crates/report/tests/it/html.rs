//! The page: well formed, complete, and nothing from outside.

use upset_report::{Options, RawFit, RawFits, Report};

use crate::fixture::study;

/// The page with everything that can be asked for.
pub fn page() -> String {
    let codes = ["rf=secded:32", "smem=parity:32", "l2=secded:256/4"];
    let options = Options {
        raw_fit: RawFit::parse("12nm", None).ok().map(RawFits::One),
        ecc: codes.map(|c| c.parse().unwrap()).to_vec(),
        ..Options::default()
    };
    Report::new(&[study()], &options).html()
}

/// Names of the tags in order, `/` in front of closing ones. Style is no markup.
fn tags(page: &str) -> Vec<String> {
    let (head, rest) = page.split_once("<style>").unwrap();
    let (_, body) = rest.split_once("</style>").unwrap();
    let markup = format!("{head}{body}");
    let mut tags = Vec::new();
    for piece in markup.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').expect("a tag that does not end");
        assert!(!text.contains('>'), "a bare > in {text:?}");
        assert_eq!(tag.matches('"').count() % 2, 0, "an open quote in {tag:?}");
        if !tag.ends_with('/') && !tag.starts_with('!') {
            tags.push(tag.split_whitespace().next().unwrap_or_default().to_string());
        }
    }
    tags
}

/// Every tag is closed by its own.
pub fn assert_balanced(page: &str) {
    let mut open: Vec<String> = Vec::new();
    for tag in tags(page) {
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop().as_deref(), Some(name), "{open:?}"),
            None if matches!(tag.as_str(), "meta" | "br") => {}
            None => open.push(tag),
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn every_tag_is_closed() {
    assert_balanced(&page());
    assert_balanced(&Report::new(&[], &Options::default()).html());
}

#[test]
fn nothing_from_outside() {
    let page = page();
    for outside in ["http:", "https:", "//", "<script", "<link", "<img", "@import", "url(", "src="]
    {
        assert!(!page.contains(outside), "{outside}");
    }
}

#[test]
fn all_charts_are_there_and_say_what_they_are() {
    let page = page();
    let charts = page.matches("<svg ").count();
    assert_eq!(page.matches("<desc ").count(), charts);
    assert_eq!(page.matches("<title id=").count(), charts);
    assert_eq!(page.matches("<table").count(), page.matches("<caption>").count());
    for id in [
        "weighted-avf",
        "chip-fit",
        "chips-0",
        "chips-1",
        "subject-0-classes-0",
        "subject-0-avf-1",
        "subject-0-apart-0",
        "subject-0-0-bit-rf",
        "subject-0-0-time-rf",
        "subject-0-0-map-rf",
        "subject-0-bits",
        "subject-0-shares",
        "subject-0-fit",
        "subject-0-0-bits-0",
        "subject-0-0-relative",
        "subject-0-0-wrong",
        "subject-0-0-causes",
        "ecc-7",
    ] {
        assert!(page.contains(&format!("<figure class=\"chart\" id=\"{id}\"")), "{id}");
    }
    assert!(!page.contains("NaN\"") && !page.contains("inf\"") && !page.contains("NaN&nbsp;%"));
}

/// Each figure alone is a whole file with its own style, and the page links to it.
#[test]
fn figures_stand_alone() {
    let codes = ["rf=secded:32"].map(|c| c.parse().unwrap()).to_vec();
    let report = Report::new(&[study()], &Options { ecc: codes, ..Options::default() });
    let (page, figures) = (report.html(), report.figures());
    assert_eq!(figures.len(), page.matches("<figure class=\"chart\"").count());
    assert!(figures.len() > 20, "{}", figures.len());
    for (name, svg) in &figures {
        let id = name.strip_suffix(".svg").unwrap();
        assert!(page.contains(&format!("<figure class=\"chart\" id=\"{id}\"")), "{name}");
        assert!(svg.starts_with("<svg xmlns='http://www.w3.org/2000/svg'"), "{name}");
        assert!(svg.contains("<style>") && svg.contains("class='paper'"), "{name}");
        let body = svg.split("</style>").nth(1).unwrap();
        for class in body.split("class='").skip(1).filter_map(|c| c.split('\'').next()) {
            for word in class.split(' ').filter(|w| !matches!(*w, "" | "label")) {
                let rule = format!(".{word}");
                assert!(
                    svg.contains(&format!("{rule}{{")) || svg.contains(&format!("{rule},")),
                    "{name}: {word}"
                );
            }
        }
        assert_balanced(&format!("<style></style>{svg}"));
    }
}

/// The summary has the JSON's numbers.
#[test]
fn the_matrix_has_the_numbers_of_the_sums() {
    let report = Report::new(&[study()], &Options::default());
    let (page, json) = (report.html(), report.json());
    let (_, matrix) = page.split_once("<table class=\"matrix\">").unwrap();
    let matrix = matrix.split("</table>").next().unwrap();
    let mut seen = 0;
    for t in json["totals"].as_array().unwrap() {
        for s in t["structures"].as_array().unwrap() {
            for figure in ["avf", "sdc", "due"] {
                let Some(value) = s[figure]["value"].as_f64().filter(|v| *v > 0.0) else {
                    continue;
                };
                let p = 100.0 * value;
                let digits = if p >= 10.0 {
                    1
                } else if p >= 1.0 {
                    2
                } else {
                    3
                };
                assert!(matrix.contains(&format!("{p:.digits$}\u{a0}%")), "{figure} {s}");
                seen += 1;
            }
        }
    }
    assert!(seen > 40, "{seen}");
}

#[test]
fn ids_are_unique_and_links_lead_somewhere() {
    let page = page();
    let after = |mark: &str| -> Vec<String> {
        let pieces = page.split(mark).skip(1);
        pieces.map(|p| p.split('"').next().unwrap_or_default().to_string()).collect()
    };
    let mut ids = after(" id=\"");
    ids.sort();
    assert!(ids.windows(2).all(|w| w[0] != w[1]));
    let links = after("href=\"#");
    assert!(links.len() > 5 && links.iter().all(|l| ids.contains(l)), "{links:?}");
}

#[test]
fn names_cannot_break_out() {
    let mut results = study();
    let evil = "</title><script>alert('1')</script>\"<b>";
    results.file = evil.into();
    results.header.spec = evil.into();
    for s in &mut results.subjects {
        (s.app, s.chip) = (evil.into(), evil.into());
        s.profile.kernels[0].name = evil.into();
    }
    for s in &mut results.strata {
        s.structure = evil.into();
        s.kernel = Some(evil.into());
        s.spread = evil.into();
    }
    for e in &mut results.experiments {
        (e.fault, e.cause, e.how) = (evil.into(), evil.into(), evil.into());
        if let Some(sdc) = &mut e.sdc {
            sdc.element = evil.into();
        }
    }
    let options = Options { ecc: vec!["rf=secded:32".parse().unwrap()], ..Options::default() };
    let page = Report::new(&[results], &options).html();
    assert!(!page.contains("<script") && !page.contains("<b>"));
    assert_balanced(&page);
}

#[test]
fn the_same_page_every_time() {
    assert_eq!(page(), page());
}
