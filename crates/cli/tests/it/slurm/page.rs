//! What docs/slurm.md shows of a cluster is what is printed on one.

use std::fs;
use std::path::Path;
use std::time::Duration;

use upset_testkit::pages::{Block, Page};

use super::cluster::{self, Cluster};
use crate::{code, stderr, stdout};

/// Which node a task gets is Slurm's choice.
fn without_nodes(text: &str) -> Vec<String> {
    let mask =
        |line: &str| (1..=4).fold(line.to_string(), |l, n| l.replace(&format!(" n{n} "), " n# "));
    text.lines().map(|line| mask(line).trim_end().to_string()).collect()
}

#[test]
fn the_page_shows_what_a_cluster_prints() {
    let Some(prefix) = cluster::unpacked() else { return };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = fs::read_to_string(root.join("docs/slurm.md")).expect("the page");
    let page = Page::parse(&text).expect("blocks");
    let place = tempfile::tempdir().expect("a folder");
    let cluster = Cluster::start(&prefix);
    let mut compared = 0;
    for block in &page.blocks {
        match block {
            Block::File { name, text } => {
                fs::write(place.path().join(name), text).expect("written")
            }
            Block::Console(console) if console.not_run => {
                for step in &console.steps {
                    let words: Vec<&str> = step.command.split(' ').skip(1).collect();
                    let upset = env!("CARGO_BIN_EXE_upset");
                    let run = || {
                        let mut command = cluster.command(upset);
                        command.args(&words).current_dir(place.path()).output().expect("it starts")
                    };
                    if words[1] == "status" {
                        cluster.wait(Duration::from_secs(240), "merge", |_| {
                            stdout(&run()).contains("merge and report: done")
                        });
                    }
                    let o = run();
                    assert_eq!(code(&o), 0, "{}", stderr(&o));
                    let (shown, printed) = (step.shown.join("\n"), stdout(&o));
                    assert_eq!(
                        without_nodes(&shown),
                        without_nodes(printed.trim_end()),
                        "`{}` prints\n{printed}",
                        step.command
                    );
                    compared += 1;
                }
            }
            _ => {}
        }
    }
    assert_eq!(compared, 2, "submit and status");
}
