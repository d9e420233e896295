//! What the job file of the shards does, with a shell script in place of upset.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use tempfile::TempDir;
use upset_slurm::script;

use crate::{folder, plan, spec};

/// A folder as `submit` makes it, with a fake upset and a fake scontrol.
struct Job(TempDir);

impl Job {
    fn new(upset: &str) -> Job {
        let dir = tempfile::tempdir().unwrap();
        let here = dir.path();
        fs::create_dir_all(here.join("state")).unwrap();
        program(&here.join("upset"), upset);
        program(&here.join("scontrol"), "echo \"$@\" >>\"$(dirname \"$0\")/requeued\"");
        let plan = plan(&here.join("upset"), here);
        fs::write(here.join("shard.sh"), script::shards(&spec(), &plan, &folder(here))).unwrap();
        Job(dir)
    }

    /// Task 3 of array 7, with 50 added.
    fn start(&self) -> Child {
        let path = std::env::var("PATH").unwrap();
        let mut command = Command::new("bash");
        command.arg(self.0.path().join("shard.sh")).arg("50");
        command.env("PATH", format!("{}:{path}", self.0.path().display()));
        command.env("SLURM_ARRAY_JOB_ID", "7").env("SLURM_ARRAY_TASK_ID", "3");
        command.env("SLURM_CPUS_PER_TASK", "4").env("LD_LIBRARY_PATH", "/elsewhere");
        command.env("SLURMD_NODENAME", "n2").env_remove("SLURM_RESTART_COUNT");
        command.stderr(Stdio::null()).spawn().unwrap()
    }

    fn run(&self) -> i32 {
        self.start().wait().unwrap().code().unwrap()
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.0.path().join(name)).unwrap_or_default()
    }

    /// What was noted, without times.
    fn notes(&self) -> Vec<String> {
        let cut = |line: &str| line.rsplit_once(' ').unwrap_or_default().0.to_string();
        self.text("state/53").lines().map(cut).collect()
    }

    /// Tells the shell alone that the time limit is near, once upset runs.
    fn near_the_limit(&self) -> i32 {
        let mut child = self.start();
        while self.text("ready").is_empty() {
            sleep(Duration::from_millis(10));
        }
        let pid = child.id().to_string();
        assert!(Command::new("kill").args(["-USR1", &pid]).status().unwrap().success());
        child.wait().unwrap().code().unwrap()
    }
}

fn program(path: &Path, body: &str) {
    fs::write(path, format!("#!/bin/bash\n{body}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn the_shard_follows_from_the_index() {
    let job = Job::new("echo \"$* ${LD_LIBRARY_PATH:-none}\" >\"$(dirname \"$0\")/said\"");
    assert_eq!(job.run(), 0);
    let here = job.0.path().display();
    assert_eq!(
        job.text("said"),
        format!(
            "campaign {here}/spec.toml --shard 53/8 --go-on --out {here}/shard.53.db --jobs 4 \
             --quiet none\n"
        )
    );
    assert_eq!(job.notes(), ["start 7 3 0 n2", "end 7 3 0 0"]);
}

#[test]
fn the_exit_code_is_upsets() {
    let job = Job::new("echo x >>\"$(dirname \"$0\")/tries\"; exit 2");
    assert_eq!(job.run(), 2);
    assert_eq!(job.text("tries"), "x\n");
    assert_eq!(job.notes(), ["start 7 3 0 n2", "end 7 3 0 2"]);
}

#[test]
fn one_that_is_killed_begins_again_but_not_forever() {
    let job = Job::new(
        "here=$(dirname \"$0\"); echo x >>\"$here/tries\"\n\
         [[ $(wc -l <\"$here/tries\") -ge 3 ]] || kill -9 $$",
    );
    assert_eq!(job.run(), 0);
    assert_eq!(job.text("tries").lines().count(), 3);
    let job = Job::new("echo x >>\"$(dirname \"$0\")/tries\"; kill -9 $$");
    assert_eq!(job.run(), 137);
    assert_eq!(job.text("tries").lines().count(), 3);
    assert_eq!(job.notes(), ["start 7 3 0 n2", "end 7 3 0 137"]);
}

/// Waits to be told to end, and saves.
const SAVES: &str = "here=$(dirname \"$0\")\ntrap 'echo saved >>\"$here/shard.53.db\"; exit 130' TERM\n\
                     echo x >\"$here/ready\"; while :; do sleep 0.05; done";

#[test]
fn near_the_time_limit_it_saves_and_comes_again() {
    let job = Job::new(SAVES);
    assert_eq!(job.near_the_limit(), 130);
    assert_eq!(job.text("requeued"), "requeue 7_3\n");
    assert_eq!(job.notes(), ["start 7 3 0 n2", "end 7 3 0 130"]);
}

#[test]
fn what_gets_nowhere_does_not_come_again() {
    let job = Job::new(&SAVES.replace("echo saved >>\"$here/shard.53.db\"; ", ""));
    assert_eq!(job.near_the_limit(), 130);
    assert_eq!(job.text("requeued"), "");
}

/// As `scancel` does: all processes of the task are told.
#[test]
fn one_that_is_cancelled_saves_and_stays_away() {
    let job = Job::new(SAVES);
    let mut child = job.start();
    while job.text("ready").is_empty() {
        sleep(Duration::from_millis(10));
    }
    let children = fs::read_to_string(format!("/proc/{0}/task/{0}/children", child.id())).unwrap();
    let all = children.split_whitespace().map(String::from).chain([child.id().to_string()]);
    for pid in all {
        let _ = Command::new("kill").args(["-TERM", &pid]).status();
    }
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!((job.text("shard.53.db").as_str(), job.text("requeued").as_str()), ("saved\n", ""));
}
