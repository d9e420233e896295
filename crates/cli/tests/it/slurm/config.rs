//! The configuration of a cluster that lies in a folder, all on this machine.

use std::path::Path;

/// What it depends on.
pub struct Config<'a> {
    /// Where Slurm was unpacked.
    pub prefix: &'a Path,
    /// The cluster's own folder.
    pub folder: &'a Path,
    /// Who starts it.
    pub user: &'a str,
    /// This machine.
    pub host: &'a str,
    /// Of the controller, then of the nodes.
    pub ports: &'a [u16],
}

impl Config<'_> {
    /// `slurm.conf`. Times are short, so that lost nodes are noticed soon.
    pub fn text(&self) -> String {
        let Config { user, host, ports, .. } = self;
        let (prefix, folder) = (self.prefix.display(), self.folder.display());
        // How long a requeued job waits follows from `cred_expire`; 5 s is the least.
        let authentication = match *user {
            "root" => format!(
                "AuthType=auth/munge\nCredType=cred/munge\n\
                 AuthInfo=socket={folder}/munge/socket,cred_expire=5\n"
            ),
            _ => "AuthType=auth/none\nCredType=cred/none\nAuthInfo=cred_expire=5\n".to_string(),
        };
        let node = |(n, port): (usize, &u16)| {
            format!(
                "NodeName=n{} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2 \
                 RealMemory=4000 State=UNKNOWN\n",
                n + 1
            )
        };
        let nodes: String = ports[1..].iter().enumerate().map(node).collect();
        format!(
            "ClusterName=upset
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={}
SlurmUser={user}
SlurmdUser={user}
{authentication}PluginDir={prefix}/usr/lib/x86_64-linux-gnu/slurm-wlm
PlugStackConfig={folder}/plugstack.conf
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,sched_interval=1,batch_sched_delay=0,sched_min_interval=100000
SlurmdParameters=config_overrides
ReturnToService=2
SlurmdTimeout=6
KillWait=5
JobRequeue=1
MaxArraySize=51
{nodes}PartitionName=upset Nodes=ALL Default=YES MaxTime=INFINITE State=UP
",
            ports[0]
        )
    }
}
