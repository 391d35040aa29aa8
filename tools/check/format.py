"""clang-format agrees. Its output differs between releases, so one release decides."""
import re
import shutil
import subprocess

import common

NAME = "format"
ABOUT = "clang-format 14 leaves every source as it is"
WANTED = 14


def clang_format():
    for name in (f"clang-format-{WANTED}", "clang-format"):
        if not shutil.which(name):
            continue
        text = subprocess.run([name, "--version"], capture_output=True, text=True, check=False).stdout
        found = re.search(r"version (\d+)", text)
        if found and int(found.group(1)) == WANTED:
            return name
    have = shutil.which("clang-format")
    raise common.Skip(f"wants clang-format {WANTED} (Debian 12's); {'another version is here' if have else 'none is here'}")


def check(root):
    program = clang_format()
    paths = [str(p) for p in common.sources(root, "src", "kernels", "tests", "bench") if "cases" not in p.parts]
    if not paths:
        return []
    done = subprocess.run([program, "--dry-run", "--ferror-limit=1", *paths], cwd=root, capture_output=True, text=True,
                          check=False)
    wrong = sorted({line.split(":")[0] for line in done.stderr.split("\n") if "-Wclang-format-violations" in line})
    return [f"{path}: not as clang-format writes it (`{program} -i {path}`)" for path in wrong]
