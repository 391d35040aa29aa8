"""What every check shares. A check is a module with `NAME`, `ABOUT` and `check(root) -> list of complaints`."""
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CXX = (".cc", ".h", ".cu", ".cuh", ".hpp")
SKIPPED_FOLDERS = {".git", "build", ".cutelab", "__pycache__", "third_party"}


class Skip(Exception):
    """The check cannot run here; the text is the reason."""


CLANG = 14  # Debian 12's: what clang's tools print and find differs between releases


def clang_tool(name):
    """The program's name in PATH, of the release that decides; Skip where another or none is here."""
    for spelled in (f"{name}-{CLANG}", name):
        if not shutil.which(spelled):
            continue
        text = subprocess.run([spelled, "--version"], capture_output=True, text=True, check=False).stdout
        found = re.search(r"version (\d+)", text)
        if found and int(found.group(1)) == CLANG:
            return spelled
    have = shutil.which(name)
    raise Skip(f"wants {name} {CLANG} (Debian 12's); {'another version is here' if have else 'none is here'}")


def walk(root):
    """The project's files, relative to root and sorted: what git tracks or would track, or all of them without git."""
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            capture_output=True, check=False) if (root / ".git").exists() else None
    if listed and listed.returncode == 0:
        found = {Path(name.decode()) for name in listed.stdout.split(b"\0") if name}
    else:
        found = {p.relative_to(root) for p in root.rglob("*") if not SKIPPED_FOLDERS & set(p.relative_to(root).parts)}
    return sorted(p for p in found if (root / p).is_file())


def sources(root, *folders, suffixes=CXX):
    return [p for p in walk(root) if p.parts[0] in folders and p.suffix in suffixes]


INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')


def quoted_includes(path):
    """(line number, spelled path) of each `#include "…"`."""
    for number, line in enumerate(path.read_text(errors="replace").split("\n"), 1):
        found = INCLUDE.match(line)
        if found:
            yield number, found.group(1)


ROOM = re.compile(r"^\s*cutelab_room\(\s*(\w+)([^)]*)\)", re.M)


def rooms(root):
    """{room: rooms it links} as CMakeLists.txt states it."""
    table = {}
    for name, rest in ROOM.findall((root / "CMakeLists.txt").read_text()):
        found = re.search(r"\bROOMS\b(.*?)(?:\bEXTERNAL\b|$)", rest, re.S)
        table[name] = found.group(1).split() if found else []
    return table
