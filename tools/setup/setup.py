#!/usr/bin/env python3
"""Install, list and remove what cutelab can use.

usage: cutelab setup [PART …] [--list] [--json] [--remove PART] [--offline]

No PART: what building and reading need. Debian packages come through apt-get, everything else from PyPI into
build/deps, pinned by version and SHA-256. Exit codes: 0 done, 2 wrong use, 3 a part could not be had.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import fetch

ROOT = fetch.ROOT


def missing_debian(packages):
    """Of these packages, those that dpkg does not have installed; None where there is no dpkg."""
    if not shutil.which("dpkg-query"):
        return None
    done = subprocess.run(["dpkg-query", "-W", "-f=${db:Status-Status} ${Package}\n", *packages], capture_output=True,
                          text=True, check=False)
    have = {line.split()[1] for line in done.stdout.splitlines() if line.startswith("installed ")}
    return [p for p in packages if p not in have]


def install_debian(name):
    """Exit code of build.sh's install_debian, which says what goes wrong."""
    script = 'root=$1; . "$root/tools/setup/build.sh"; install_debian "$2"'
    return subprocess.run(["bash", "-c", script, "bash", str(ROOT), name], check=False).returncode


def debian_rows(lists):
    for name, part in lists.items():
        missing = missing_debian(part["packages"])
        yield {"name": name, "kind": "debian", "default": part["default"], "installed": missing == [], "for": part["for"],
               "needed_by": part.get("needed_by", ""), "packages": part["packages"], "missing": missing}


def pypi_rows(parts, deps):
    for name, part in parts.items():
        yield {"name": name, "kind": "pypi", "default": part["default"], "installed": fetch.is_installed(name, part, deps),
               "for": part["for"], "needed_by": part["needed_by"], "download_bytes": part.get("download_bytes"),
               "installed_bytes": part.get("installed_bytes"), "folder": str(deps / name),
               "packages": [f"{f['project']} {f['version']}" for f in part.get("files", [])] or locked(part)}


def locked(part):
    lines = fetch.lock_text(part).split("\n")
    return [line.split(" ")[0].replace("==", " ") for line in lines if "==" in line]


def resolved_versions(deps):
    """Environments of the DSL that were resolved for a version that nothing pins."""
    return sorted(folder.name for folder in deps.glob("dsl-*") if (folder / "resolved.lock").is_file())


def megabytes(row, field):
    return f"{row[field] / 1e6:.1f} MB" if row.get(field) else ""


def state(row):
    if row["installed"]:
        return "installed"
    return f"{len(row['missing'])} missing" if row.get("missing") else "-"


def columns_of_output():
    """What COLUMNS or the terminal says; None where neither does."""
    if os.environ.get("COLUMNS", "").isdigit() or sys.stdout.isatty():
        return max(60, shutil.get_terminal_size().columns)
    return None


def show(rows):
    """A table whose last column may be long: it comes last, is not padded, and goes on below where the width is known."""
    cells = [("part", "state", "download", "on disk", "what it is for (what needs it)")]
    for row in rows:
        needed = f" ({row['needed_by']})" if row["needed_by"] else ""
        cells.append((row["name"], state(row), megabytes(row, "download_bytes"), megabytes(row, "installed_bytes"),
                      row["for"] + needed))
    widths = [max(len(c[i]) for c in cells) for i in range(4)]
    left, columns = sum(widths) + 2 * len(widths), columns_of_output()
    for c in cells:
        text = textwrap.wrap(c[4], max(20, columns - left), break_on_hyphens=False) if columns else [c[4]]
        print(f"{c[0]:<{widths[0]}}  {c[1]:<{widths[1]}}  {c[2]:>{widths[2]}}  {c[3]:>{widths[3]}}  {text[0]}".rstrip())
        for more in text[1:]:
            print(" " * left + more)


def remove(name, parts, deps):
    """Deletes an optional part's folder; what building needs stays."""
    if name not in parts:
        return wrong_use(f"unknown part '{name}'; PyPI parts: {', '.join(parts)}")
    if parts[name]["default"]:
        return wrong_use(f"part {name} is needed to build and read; remove {deps.parent} to start afresh")
    if not (deps / name).exists():
        print(f"part {name} is not installed")
        return 0
    shutil.rmtree(deps / name)
    print(f"removed part {name} ({megabytes(parts[name], 'installed_bytes')})")
    return 0


def wrong_use(text):
    print(f"error: cutelab setup: {text}\n  try: {fetch.CALLED} setup --list", file=sys.stderr)
    return 2


def install(names, everything, deps, offline):
    debian, pypi = everything["debian"], everything["pypi"]
    unknown = [n for n in names if n not in debian and n not in pypi]
    if unknown:
        return wrong_use(f"unknown part '{unknown[0]}'; known: {', '.join([*debian, *pypi])}")
    names = names or [n for group in (debian, pypi) for n, part in group.items() if part["default"]]
    for name in names:
        code = install_debian(name) if name in debian else fetch.run([name], pypi, deps, offline)
        if code:
            return code
    for row in [*debian_rows({n: debian[n] for n in names if n in debian}),
                *pypi_rows({n: pypi[n] for n in names if n in pypi}, deps)]:
        print(f"{row['name']}: installed" + (f" in {row['folder']}" if "folder" in row else ""))
    return 0


def arguments():
    parser = argparse.ArgumentParser(prog=f"{fetch.CALLED} setup", description=__doc__.split("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help="parts to install; none: what building and reading need")
    parser.add_argument("-l", "--list", action="store_true", help="every part: installed or not, size, what it is for")
    parser.add_argument("--json", action="store_true", help="the list as JSON")
    parser.add_argument("--remove", metavar="PART", help="delete an optional part")
    parser.add_argument("--offline", action="store_true", help="use only files fetched before (CUTELAB_DOWNLOADS)")
    return parser.parse_intermixed_args()


def main():
    args = arguments()
    everything, deps = fetch.load_parts(), ROOT / "build/deps"
    named = [*args.parts, *resolved_versions(deps), *([args.remove] if args.remove else [])]
    everything["pypi"] = fetch.with_dsl_versions(named, everything["pypi"])
    if args.list or args.json:
        rows = [*debian_rows(everything["debian"]), *pypi_rows(everything["pypi"], deps)]
        if args.json:
            print(json.dumps({"schema": "cutelab.setup/1", "parts": rows}, indent=2))
        else:
            show(rows)
        return 0
    if args.remove:
        return remove(args.remove, everything["pypi"], deps)
    return install(args.parts, everything, deps, args.offline or bool(os.environ.get("CUTELAB_OFFLINE")))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
