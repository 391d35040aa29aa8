#!/usr/bin/env python3
"""Build everything and run every test that can run on this machine.

usage: cutelab test [STEP …] [--list]

Tests that cannot run here are named with the reason. The last line counts: `N passed, N failed, N skipped`.
Exit codes: 0 nothing failed, 1 something did, 2 wrong use, 3 something needed could not be installed.
"""
import argparse
import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as xml
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import fetch
import setup

ROOT = fetch.ROOT
PRESET = "asan-ubsan"
BUILD = ROOT / "build" / PRESET
# Parts that let more tests run. A machine that cannot have them skips those tests, by name.
OPTIONAL_PARTS = ["cutlass", "cuda-tools", "dsl", "cutile"]
COUNTS = re.compile(r"(\d+) passed, (\d+) failed, (\d+) skipped\s*$")


class Unavailable(Exception):
    pass


class Tally:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def add(self, passed=0, failed=0, skipped=0):
        self.passed += passed
        self.failed += failed
        self.skipped += skipped

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def say(text):
    print(text, flush=True)


def shell(script, *words):
    """Runs a function of build.sh, which shows progress on stderr."""
    return subprocess.run(["bash", "-c", f'root=$1; shift; . "$root/tools/setup/build.sh"; {script}', "bash", str(ROOT), *words],
                          check=False, stdin=subprocess.DEVNULL).returncode


def packages(_tally):
    if setup.install_debian("test"):
        raise Unavailable("Debian packages of list 'test'")


def parts(_tally):
    pypi = fetch.load_parts()["pypi"]
    deps = ROOT / "build/deps"
    if fetch.run([name for name, part in pypi.items() if part["default"]], pypi, deps):
        raise Unavailable("parts that building needs")
    for name in OPTIONAL_PARTS:
        if fetch.run([name], pypi, deps):
            say(f"  part {name} could not be had; tests that need it will be skipped")


def build(tally):
    """The sanitized build with all tests; a build that fails is one failure, and nothing else can run."""
    if shell('compile "$1" all', PRESET):
        tally.add(failed=1)
        raise Unavailable("a build of the tests")
    tally.add(passed=1)


def release(tally):
    """The program as users have it, through the launcher."""
    done = subprocess.run([str(ROOT / "cutelab"), "--version"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)
    tally.add(passed=done.returncode == 0, failed=done.returncode != 0)


def reason_of(output):
    """Why a test skipped itself: the line after GoogleTest's `Skipped`, or the last line it printed."""
    lines = [line.strip() for line in (output or "").splitlines() if line.strip()]
    for i, line in enumerate(lines[:-1]):
        if line.endswith("Skipped"):
            return lines[i + 1]
    return lines[-1] if lines else "no reason given"


def unit(tally):
    """GoogleTest programs and test scripts under the sanitizers. Golden cases, checks and tools have steps of their own."""
    report = BUILD / "junit.xml"
    report.unlink(missing_ok=True)
    subprocess.run(["ctest", "--preset", PRESET, "-j", str(os.cpu_count() or 1), "-E", "^(checks|cli/golden|tools/.*)$", "-LE",
                    "^hours$", "-Q", "--timeout", "600", "--output-junit", str(report)], cwd=ROOT, check=False,
                   stdin=subprocess.DEVNULL)
    listed = subprocess.run(["ctest", "--preset", PRESET, "-N", "-L", "^hours$"], cwd=ROOT, capture_output=True, text=True, check=False)
    for name in re.findall(r"^ *Test +#\d+: (\S+)$", listed.stdout, re.M):
        tally.add(skipped=1)
        say(f"  skipped {name}: takes an hour; run it with `ctest --preset {PRESET} -R '^{name}$'`")
    if not report.is_file():
        say("  ctest wrote no report: no tests found, or it could not start")
        return tally.add(failed=1)
    for case in xml.parse(report).getroot().iter("testcase"):
        output = case.findtext("system-out")
        if case.find("failure") is not None:
            tally.add(failed=1)
            say(f"  FAILED {case.get('name')}\n" + "\n".join("    " + line for line in (output or "").splitlines()[-60:]))
        elif case.find("skipped") is not None:
            tally.add(skipped=1)
            say(f"  skipped {case.get('name')}: {reason_of(output)}")
        else:
            tally.add(passed=1)


def counted(tally, command):
    """A tool of ours that ends with a counting line; what it says about failures and skips is passed on."""
    done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=False)
    lines = done.stdout.rstrip().split("\n")
    found = COUNTS.search(lines[-1])
    shown = lines[:-1] if done.returncode else [line for line in lines[:-1] if line.lower().startswith("skipped")]
    say("\n".join("  " + line for line in shown)) if shown else None
    if not found:
        return tally.add(failed=1)
    passed, failed, skipped = map(int, found.groups())
    return tally.add(passed, failed, skipped)


def golden(tally):
    for preset in (PRESET, "release"):
        program = ROOT / "build" / preset / "cutelab"
        say(f"  the program of preset {preset}:")
        counted(tally, [sys.executable, "tests/cli/run_golden.py", str(program)])


UNITTEST = re.compile(r"^Ran (\d+) tests? in .*?\n+(OK|FAILED)(?: \((.*)\))?", re.M)


def tools(tally):
    """The tests of our own tools: set-up, checks, golden runner."""
    for script in sorted(ROOT.glob("tests/*/test_*.py")):
        done = subprocess.run([sys.executable, str(script), "-v"], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, check=False, env={**os.environ, "CUTELAB_TEST_PROGRAM": str(BUILD / "cutelab")})
        found = UNITTEST.search(done.stderr)
        if not found or (done.returncode and "=" not in (found.group(3) or "")):
            tally.add(failed=1)
            say(f"  FAILED {script.relative_to(ROOT)}\n{done.stderr[-3000:]}")
            continue
        numbers = dict(re.findall(r"(failures|errors|skipped)=(\d+)", found.group(3) or ""))
        failed = int(numbers.get("failures", 0)) + int(numbers.get("errors", 0))
        skipped = int(numbers.get("skipped", 0))
        tally.add(int(found.group(1)) - failed - skipped, failed, skipped)
        if failed:
            say(f"  FAILED {script.relative_to(ROOT)}\n{done.stderr[-6000:]}")
        for name, reason in re.findall(r"^(\S+) .*\.\.\. skipped ['\"](.*)['\"]$", done.stderr, re.M):
            say(f"  skipped {name}: {reason}")


def checks(tally):
    counted(tally, [sys.executable, "tools/check/all"])


def tidy(tally):
    counted(tally, [sys.executable, "tools/check/tidy.py"])


STEPS = {
    "packages": (packages, "Debian packages of list 'test'"),
    "parts": (parts, "PyPI parts that tests use"),
    "build": (build, f"build of preset {PRESET}: tests under AddressSanitizer and UBSan"),
    "release": (release, "the release program, through the launcher"),
    "tidy": (tidy, "clang-tidy with the short list of .clang-tidy, over the units of that build"),
    "unit": (unit, "unit and property tests"),
    "golden": (golden, "golden cases of the command line, on both programs"),
    "tools": (tools, "tests of set-up, checks and the golden runner"),
    "checks": (checks, "tools/check/all: edges, doors, sizes, words, format, documents"),
}


def run_step(name, total):
    action, about = STEPS[name]
    began = time.monotonic()
    say(f"{name}: {about}")
    tally = Tally()
    try:
        action(tally)
    finally:
        total.add(tally.passed, tally.failed, tally.skipped)
        say(f"{name}: {tally} ({time.monotonic() - began:.0f} s)")


def main():
    parser = argparse.ArgumentParser(prog=f"{fetch.CALLED} test", description=__doc__.split("\n")[0])
    parser.add_argument("steps", nargs="*", metavar="STEP", help="run only these steps")
    parser.add_argument("-l", "--list", action="store_true", help="the steps")
    args = parser.parse_intermixed_args()
    if args.list:
        print("\n".join(f"{name:<10} {about}" for name, (_, about) in STEPS.items()))
        return 0
    unknown = [name for name in args.steps if name not in STEPS]
    if unknown:
        print(f"error: cutelab test: unknown step '{unknown[0]}'\n  try: {', '.join(STEPS)}", file=sys.stderr)
        return 2
    total = Tally()
    lacking = None
    try:
        for name in args.steps or STEPS:
            run_step(name, total)
    except Unavailable as e:
        lacking = e
        print(f"error: cutelab test: cannot go on without {e}", file=sys.stderr)
    print(total, flush=True)
    return 1 if total.failed else 3 if lacking else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
