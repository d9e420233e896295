//! Job files.

use std::path::Path;

use upset_campaign::Spec;

use crate::quote::quoted;
use crate::{Folder, Plan};

/// Seconds before a time limit at which a task is told to save and come again.
const WARNING: u32 = 120;

/// The job file of the shards: a task of an array. Its argument is added to the
/// index.
pub fn shards(spec: &Spec, plan: &Plan, folder: &Folder) -> String {
    let Plan { shards, directory, .. } = plan;
    let head = head(
        "A task of an array: one shard of a campaign, begun or gone on with.",
        &[&format!("--signal=B:USR1@{WARNING}")],
        plan,
        folder,
    );
    let library_path = match spec.program.is_empty() {
        true => "env -u LD_LIBRARY_PATH ",
        // The program under test may need it.
        false => "",
    };
    let directory = quoted(&directory.display().to_string());
    format!(
        r#"{head}
shard=$((SLURM_ARRAY_TASK_ID + ${{1:-0}}))
store=$folder/shard.$shard.db
task="$SLURM_ARRAY_JOB_ID $SLURM_ARRAY_TASK_ID ${{SLURM_RESTART_COUNT:-0}}"
note() {{ echo "$1 $task $2 $(date +%s)" >>"$folder/state/$shard"; }}
stamp() {{ stat -c '%s %Y' "$store" 2>/dev/null; }}
cd {directory} || exit 2
note start "${{SLURMD_NODENAME:-$(uname -n)}}"

# Near the time limit only this shell is told: upset saves, and the task comes
# again. When Slurm ends a job it tells all processes itself; the shell stays
# to note how upset ended.
late='' stop='' upset_process=''
trap 'late=1; [[ -z $upset_process ]] || kill -TERM "$upset_process"' USR1
trap 'stop=1' TERM INT

before=$(stamp)
for try in 1 2 3; do
    {library_path}"$upset" campaign "$folder/spec.toml" --shard "$shard/{shards}" --go-on \
        --out "$store" --jobs "${{SLURM_CPUS_PER_TASK:-1}}" --quiet &
    upset_process=$!
    # A signal ends `wait`, not upset.
    while kill -0 "$upset_process" 2>/dev/null; do wait "$upset_process"; done
    wait "$upset_process"
    code=$?
    # Killed, and not by Slurm: a bad moment, perhaps.
    [[ $code -gt 128 && $code -ne 130 && -z $stop$late ]] || break
done
note end "$code"

if [[ -n $late && $code -eq 130 ]]; then
    if [[ $(stamp) != "$before" ]]; then
        scontrol requeue "${{SLURM_ARRAY_JOB_ID}}_$SLURM_ARRAY_TASK_ID"
    else
        echo "upset: nothing was done within the time limit: give the tasks more time" >&2
    fi
fi
exit "$code"
"#
    )
}

/// The job file of the end: merge and report.
pub fn merge(plan: &Plan, folder: &Folder) -> String {
    let head = head(
        "After all tasks, however they ended: one store, and the report on it. What is\n\
         # missing is named (exit code 1); the report is then on what is there.",
        &[],
        plan,
        folder,
    );
    format!(
        r#"{head}
task="$SLURM_JOB_ID 0 ${{SLURM_RESTART_COUNT:-0}}"
note() {{ echo "$1 $task $2 $(date +%s)" >>"$folder/state/merge"; }}
cd "$folder" || exit 2
note start "${{SLURMD_NODENAME:-$(uname -n)}}"
env -u LD_LIBRARY_PATH "$upset" merge shard.*.db --out merged.db
code=$?
case $code in
    0) stores=(merged.db) ;;
    *) stores=(shard.*.db) ;;
esac
env -u LD_LIBRARY_PATH "$upset" report "${{stores[@]}}" --html report.html --json report.json >report.txt ||
    code=$((code == 0 ? $? : code))
note end "$code"
exit "$code"
"#
    )
}

/// What both begin with.
fn head(title: &str, more: &[&str], plan: &Plan, folder: &Folder) -> String {
    let options: String = ["--requeue", "--open-mode=append"]
        .iter()
        .chain(more)
        .map(|option| format!("#SBATCH {option}\n"))
        .collect();
    format!(
        "#!/bin/bash\n# {title}\n# Written by `upset slurm submit`, which writes it anew each time.\n\
         {options}set -u\nfolder={}\nupset={}",
        quoted(&folder.path().display().to_string()),
        quoted(&plan.program.display().to_string()),
    )
}

/// A job file for other schedulers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plain<'a> {
    /// The specification, as the jobs find it.
    pub spec: &'a Path,
    /// Shards in all.
    pub shards: u32,
    /// The environment variable with the index; `None`: the first argument.
    pub index_var: Option<&'a str>,
    /// The index of the first shard.
    pub first_index: u32,
    /// Folder of the stores, as the jobs find it.
    pub folder: &'a Path,
}

impl Plain<'_> {
    /// The file.
    pub fn text(&self) -> String {
        let (index, from) = match self.index_var {
            Some(name) => (
                format!("${{{name}:?the index of the job, from {}}}", self.first_index),
                format!("${name}"),
            ),
            None => (
                format!("${{1:?the index of the job, from {}}}", self.first_index),
                "the first argument".to_string(),
            ),
        };
        let last = self.first_index + self.shards - 1;
        let shard = match self.first_index {
            1 => "$index".to_string(),
            first => format!("$((index + 1 - {first}))"),
        };
        let spec = quoted(&self.spec.display().to_string());
        let folder = quoted(&self.folder.display().to_string());
        let count = self.shards;
        format!(
            r#"#!/bin/sh
# One shard of a campaign. Run it for every index from {} to {last} ({from}),
# again where it did not end with exit code 0: it goes on where it was. Then
#   upset merge {folder}/shard.*.db --out merged.db
set -eu
index="{index}"
shard={shard}
mkdir -p {folder}
exec upset campaign {spec} --shard "$shard/{count}" --go-on \
    --out {folder}/"shard.$shard.db" ${{UPSET_JOBS:+--jobs "$UPSET_JOBS"}} --quiet
"#,
            self.first_index
        )
    }
}
