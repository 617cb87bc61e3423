"""A Slurm cluster of one machine, for tests: munge, slurmctld and slurmd from Debian with a configuration and state of their own.

    with Cluster(folder) as cluster: cluster.run("sbatch", ...)

Needs root (slurmd starts jobs as their user). Packages: .ci/packages-slurm.txt. Everything is ended and removed at the end.
"""

import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "sinfo", "squeue", "scancel")


class ClusterError(RuntimeError):
    """Slurm did not start; the text is what it said."""


def missing():
    """Programs of Slurm that are not installed."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    return [name for name in PROGRAMS if shutil.which(name, path=path) is None]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Cluster:
    """One controller and one worker on this machine."""

    def __init__(self, folder, cpus=None):
        self.folder, self.cpus = Path(folder), cpus or os.cpu_count()
        self.processes = {}
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf"),
                            "PATH": os.environ.get("PATH", "") + ":/usr/sbin:/sbin"}

    def write(self):
        host = socket.gethostname().split(".")[0]
        for name in ("state", "spool", "munge"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        os.chmod(self.folder / "munge", 0o700)
        key = self.folder / "munge" / "key"
        key.write_bytes(os.urandom(1024))
        os.chmod(key, 0o600)
        (self.folder / "slurm.conf").write_text("\n".join([
            "ClusterName=dlsim", f"SlurmctldHost={host}(127.0.0.1)", "SlurmUser=root", "SlurmdUser=root", "AuthType=auth/munge",
            f"AuthInfo=socket={self.folder}/munge/socket", "CryptoType=crypto/munge", f"SlurmctldPort={free_port()}", f"SlurmdPort={free_port()}",
            f"StateSaveLocation={self.folder}/state", f"SlurmdSpoolDir={self.folder}/spool", f"SlurmctldPidFile={self.folder}/slurmctld.pid",
            f"SlurmdPidFile={self.folder}/slurmd.pid", f"SlurmctldLogFile={self.folder}/slurmctld.log", f"SlurmdLogFile={self.folder}/slurmd.log",
            "ProctrackType=proctrack/linuxproc", "TaskPlugin=task/none", "SwitchType=switch/none", "MpiDefault=none", "SelectType=select/cons_tres",
            "SelectTypeParameters=CR_CPU", "ReturnToService=2", "SchedulerType=sched/backfill", "JobAcctGatherType=jobacct_gather/none",
            "AccountingStorageType=accounting_storage/none", "MinJobAge=5", "InactiveLimit=0", "KillWait=2",
            f"NodeName={host} NodeAddr=127.0.0.1 CPUs={self.cpus} State=UNKNOWN",
            f"PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP", ""]))

    def spawn(self, name, *words):
        log = (self.folder / f"{name}.out").open("wb")
        self.processes[name] = subprocess.Popen([name, *words], env=self.environment, stdout=log, stderr=log)

    def run(self, *words, check=True, **more):
        done = subprocess.run(words, env=self.environment, capture_output=True, text=True, timeout=120, check=False, **more)
        if check and done.returncode != 0:
            raise ClusterError(f"{words[0]} ended with {done.returncode}: {(done.stderr or done.stdout).strip()}")
        return done.stdout

    def start_worker(self):
        conf = str(self.folder / "slurm.conf")
        self.spawn("slurmd", "-D", "-f", conf, "-N", socket.gethostname().split(".")[0])

    def kill_worker(self):
        """The worker and its jobs die at once, as when a machine is lost."""
        for job in self.jobs():
            self.run("scancel", "--signal=KILL", "--full", job, check=False)
        self.processes["slurmd"].kill()
        self.processes["slurmd"].wait()

    def jobs(self):
        return self.run("squeue", "-h", "-o", "%i", check=False).split()

    def __enter__(self):
        if missing():
            raise ClusterError(f"not installed: {' '.join(missing())}; see .ci/packages-slurm.txt")
        self.write()
        munge = self.folder / "munge"
        self.spawn("munged", "--foreground", "--force", f"--socket={munge}/socket", f"--key-file={munge}/key", f"--log-file={munge}/log",
                   f"--pid-file={munge}/pid", f"--seed-file={munge}/seed")
        time.sleep(1)
        self.spawn("slurmctld", "-D", "-f", str(self.folder / "slurm.conf"))
        self.start_worker()
        for _ in range(60):
            if self.run("sinfo", "-h", "-o", "%T", check=False).strip() in ("idle", "mixed"):
                return self
            time.sleep(0.5)
        said = "\n".join((self.folder / f"{n}.log").read_text()[-600:] for n in ("slurmctld", "slurmd") if (self.folder / f"{n}.log").exists())
        self.__exit__()
        raise ClusterError(f"the cluster did not come up:\n{said}")

    def __exit__(self, *_):
        for job in self.jobs():
            self.run("scancel", job, check=False)
        for name in ("slurmd", "slurmctld", "munged"):
            process = self.processes.get(name)
            if process and process.poll() is None:
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    process.kill()
