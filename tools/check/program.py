"""The built program, for checks that hold documents to what it really prints."""
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import common


def require(root):
    """Path of the release program; Skip if it is not built."""
    program = root / "build/release/cutelab"
    if not program.is_file():
        raise common.Skip("the program is not built (`./cutelab --version` builds it)")
    return program


def environment(home):
    """A newcomer's: an empty home, no settings of ours, our launcher in PATH."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("CUTELAB_", "CUTLASS_", "CUDA_", "XDG_", "CUTE_"))}
    kept.update(HOME=str(home), LANG="C.UTF-8", NO_COLOR="1")
    if os.environ.get("CUTELAB_DOWNLOADS"):
        kept["CUTELAB_DOWNLOADS"] = os.environ["CUTELAB_DOWNLOADS"]
    return kept


class Sandbox:
    """A folder that looks like the repository's root; new files land here and not in the tree."""

    def __init__(self, root):
        self.root = root

    def __enter__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="cutelab-docs-"))
        self.home = self.folder / ".home"
        self.home.mkdir()
        for entry in self.root.iterdir():
            if entry.name != ".git":
                (self.folder / entry.name).symlink_to(entry)
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, command, timeout=300):
        """(exit code, stdout and stderr as a terminal would show them)."""
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=environment(self.home), text=True, timeout=timeout,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.returncode, done.stdout.replace(str(self.folder), ".").replace(str(self.root), ".")
