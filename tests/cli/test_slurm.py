"""`cutelab kernel … --launcher slurm`: the job it writes, the stores it merges; against an sbatch that runs the array itself, and
against Debian's Slurm on this machine where that is installed."""
import json
import os
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("CUTELAB_TEST_PROGRAM", "")

SBATCH = """#!/bin/sh
[ "$1" = --wait ] || exit 9
n=$(sed -n 's/^#SBATCH --array=0-//p' "$2")
grep '^#SBATCH' "$2" > "$LOG"
out=$(sed -n 's/^#SBATCH --output=//p' "$2")
for i in $(seq 0 "$n"); do
  case " $LOST " in *" $i "*) continue ;; esac
  SLURM_ARRAY_TASK_ID=$i sh "$2" > "$(echo "$out" | sed "s/%a/$i/")" 2>&1
done
exit 1
"""

SLURM_CONF = """ClusterName=one
SlurmctldHost={host}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
SlurmUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SlurmctldPort={port}
SlurmdPort={port1}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
ReturnToService=2
NodeName={host} CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


@unittest.skipUnless(PROGRAM and Path(PROGRAM).exists(), "the program is not built")
class Slurm(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.here = Path(self.folder.name)
        (self.here / "nvcc").write_text("#!/bin/sh\nexit 0\n")  # silent: nothing is compiled
        (self.here / "nvcc").chmod(0o755)

    def tearDown(self):
        self.folder.cleanup()

    def environment(self, **more):
        return {"PATH": f"{self.here}:{os.environ['PATH']}", "HOME": str(self.here), "CUTELAB_ROOT": str(ROOT),
                "CUTELAB_PROGRAM": PROGRAM, "CUDA_VISIBLE_DEVICES": "-1", "CUDACXX": str(self.here / "nvcc"),
                "LOG": str(self.here / "log"), **more}

    def cutelab(self, *words, **more):
        return subprocess.run([PROGRAM, *words], env=self.environment(**more), capture_output=True, text=True, check=False,
                              cwd=self.here, timeout=120)

    def stored(self, *words, **more):
        done = self.cutelab("runs", "export", *words, **more)
        return [run["provenance"]["configuration"]["b"] for run in json.loads(done.stdout)["runs"]]

    def write_sbatch(self):
        (self.here / "sbatch").write_text(SBATCH)
        (self.here / "sbatch").chmod(0o755)

    def test_every_task_does_its_share_and_the_stores_are_merged(self):
        self.write_sbatch()
        done = self.cutelab("kernel", "rmsnorm", "--b=1,2,3,4,5", "--h=64", "--launcher", "slurm", "--tasks", "2",
                            "--launcher-options", "--partition=gpu --gpus-per-task=1")
        self.assertEqual(done.returncode, 3, done.stderr)  # no GPU here: each run says so
        self.assertIn("5 problems", done.stdout)
        self.assertEqual(sorted(self.stored()), ["1", "2", "3", "4", "5"])
        job = (self.here / "log").read_text()
        self.assertIn("#SBATCH --partition=gpu\n#SBATCH --gpus-per-task=1\n", job)
        self.assertIn("#SBATCH --array=0-1\n", job)

    def test_a_lost_task_is_named_and_the_others_are_kept(self):
        self.write_sbatch()
        done = self.cutelab("kernel", "rmsnorm", "--b=1,2,3,4", "--h=64", "--launcher", "slurm", "--tasks", "2", LOST="1")
        self.assertEqual(done.returncode, 3)
        self.assertIn("task 1 kept nothing", done.stderr)
        self.assertEqual(sorted(self.stored()), ["1", "3"])

    def test_without_slurm_it_says_so(self):
        done = self.cutelab("kernel", "rmsnorm", "--b=1,2", "--h=64", "--launcher", "slurm", PATH="/nowhere")
        self.assertEqual(done.returncode, 3)
        self.assertIn("there is no sbatch on PATH", done.stderr)

    @unittest.skipUnless(os.geteuid() == 0 and all(map(shutil.which, ("sbatch", "slurmctld", "slurmd", "munged"))),
                         "Debian's Slurm is not installed, or this is not root")
    def test_debians_slurm_on_one_machine(self):
        host = subprocess.run(["hostname", "-s"], capture_output=True, text=True, check=True).stdout.strip()
        port = 20000 + os.getpid() % 20000 * 2
        for name in ("state", "spool"):
            (self.here / name).mkdir()
        conf = self.here / "slurm.conf"
        conf.write_text(SLURM_CONF.format(host=host, folder=self.here, port=port, port1=port + 1, cpus=os.cpu_count()))
        environment = {**os.environ, "SLURM_CONF": str(conf)}
        daemons = [subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                   for words in (self.munge_command(), ["slurmctld", "-D", "-f", str(conf)], ["slurmd", "-D", "-f", str(conf)])]
        try:
            end = time.monotonic() + 45
            while "idle" not in subprocess.run(["timeout", "5", "sinfo", "-h", "-o", "%T"], env=environment, capture_output=True,
                                               text=True, check=False).stdout:
                if time.monotonic() < end:
                    time.sleep(0.5)
                    continue
                log = (self.here / "slurmctld.log").read_text()[-600:] if (self.here / "slurmctld.log").exists() else ""
                self.skipTest("Slurm does not come up here: " + log)
            done = self.cutelab("kernel", "rmsnorm", "--b=1,2,3", "--h=64", "--launcher", "slurm", "--tasks", "2",
                                SLURM_CONF=str(conf))
            self.assertIn("3 problems", done.stdout, done.stderr)
            self.assertEqual(sorted(self.stored()), ["1", "2", "3"])
        finally:
            for daemon in reversed(daemons):
                daemon.terminate()
            for daemon in daemons:
                try:
                    daemon.wait(timeout=10)
                except subprocess.TimeoutExpired:
                    daemon.kill()

    def munge_command(self):
        """A munge of our own: key, socket and files in the test's folder."""
        folder = self.here / "munge"
        folder.mkdir(mode=0o755)
        (folder / "key").write_bytes(os.urandom(1024))
        (folder / "key").chmod(0o600)
        files = [f"--{name}-file={folder / name}" for name in ("key", "pid", "log", "seed")]
        return ["munged", "--foreground", "--force", f"--socket={folder / 'socket'}", *files]


if __name__ == "__main__":
    unittest.main()
