//! What job files say.

use std::path::Path;

use upset_campaign::Spec;
use upset_slurm::script::{self, Plain};

use crate::{folder, plan, spec};

#[test]
fn a_task_of_an_array() {
    let plan = plan(Path::new("/opt/upset"), Path::new("/home/me/my study"));
    insta::assert_snapshot!(script::shards(&spec(), &plan, &folder("/home/me/my study/s.slurm")));
}

#[test]
fn merge_and_report() {
    let plan = plan(Path::new("/opt/upset"), Path::new("/home/me"));
    insta::assert_snapshot!(script::merge(&plan, &folder("/home/me/s.slurm")));
}

/// Libraries of the shell that submits are nothing to the applications that are
/// built in; a program may need them.
#[test]
fn a_program_keeps_its_libraries() {
    let plan = plan(Path::new("/opt/upset"), Path::new("/home/me"));
    let program = Spec { apps: vec![], program: vec!["./app".into()], ..spec() };
    let has =
        |spec: &Spec| script::shards(spec, &plan, &folder("f")).contains("-u LD_LIBRARY_PATH");
    assert!(has(&spec()) && !has(&program));
}

#[test]
fn a_job_file_for_any_scheduler() {
    let plain = |index_var, first_index| {
        Plain {
            spec: Path::new("study.toml"),
            shards: 64,
            index_var,
            first_index,
            folder: Path::new("/data/stores"),
        }
        .text()
    };
    insta::assert_snapshot!(plain(Some("JOB_COMPLETION_INDEX"), 0));
    let argument = plain(None, 1);
    assert!(argument.contains("index=\"${1:?the index of the job, from 1}\"\nshard=$index\n"));
    assert!(argument.contains("from 1 to 64"), "{argument}");
}
