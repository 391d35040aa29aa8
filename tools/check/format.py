"""clang-format agrees. Its output differs between releases, so one release decides."""
import subprocess

import common

NAME = "format"
ABOUT = "clang-format 14 leaves every source as it is"


def check(root):
    program = common.clang_tool("clang-format")
    paths = [str(p) for p in common.sources(root, "src", "kernels", "tests", "bench") if "cases" not in p.parts]
    if not paths:
        return []
    done = subprocess.run([program, "--dry-run", "--ferror-limit=1", *paths], cwd=root, capture_output=True, text=True,
                          check=False)
    wrong = sorted({line.split(":")[0] for line in done.stderr.split("\n") if "-Wclang-format-violations" in line})
    return [f"{path}: not as clang-format writes it (`{program} -i {path}`)" for path in wrong]
