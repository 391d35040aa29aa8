"""The picture of a terminal in README.md shows what the program prints today."""
import subprocess
import sys

import common
import program

NO_TERMINAL = 3  # as tools/docs/terminal_picture.py ends
NAME = "picture"
ABOUT = "the terminal picture in README.md is what the program prints"
NEEDS_PROGRAM = True


def check(root):
    binary = program.require(root)
    done = subprocess.run([sys.executable, str(root / "tools/docs/terminal_picture.py"), str(binary), "--check"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode == NO_TERMINAL:
        raise common.Skip(done.stdout.strip())
    return done.stdout.strip().split("\n") if done.returncode else []
