#!/usr/bin/env python3
"""Golden cases of the command line: each tests/cli/golden/*.txt runs the program and pins what it prints.

usage: run_golden.py PROGRAM [--update] [--list] [--jobs N] [CASE …]

  CASE      a file, or a word that the case's name contains; none: all cases
  --update  rewrite the expectations that do not hold (read the diff before you commit it)

A case is a text file of sections. A section starts with a line `=== KIND …`; lines before the first are comment.

  === file PATH         the lines that follow become PATH, in a fresh folder that is the program's working directory
  === bytes PATH        the same with Python escapes (\\x00, \\n); line ends of the case itself do not count
  === fill PATH BYTES   a file of that many bytes of text
  === link PATH TARGET  a symbolic link
  === mode PATH 000     permissions, set last
  === needs THING       skip, by name and reason, unless THING is there: `part:NAME` (an installed PyPI part),
                        `program:NAME` (found in PATH), `unprivileged` (the case runs as a user without root's rights;
                        a run as root drops to `nobody`, which has to be able to reach the program)
  === env               NAME=value lines; a bare NAME unsets. Cases start with PATH, HOME={tmp}/home, LANG=C.UTF-8,
                        COLUMNS-independent output (no terminal), CUTELAB_ROOT and CUTELAB_PROGRAM=cutelab, nothing else
  === argv              the arguments, split as a shell would; a case may hold several, each with its own expectations:
  === stdin             what the program reads
  === stdout_to PLACE   `closed`, or a file that takes standard output: /dev/full
  === exit N            expected exit code (0 if the section is absent)
  === stdout            expected output (empty if absent); `=== stderr` likewise

In env, argv and expectations {root} stands for the repository, {tmp} for the case's folder, {deps} for build/deps.
In expected output `...` inside a line matches anything in that line, and a line that is only `...` matches any number
of lines. Exit code: 0 all passed, 1 a case failed, 2 wrong use.
"""
import argparse
import concurrent.futures
import difflib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/check"))
from wildcards import matches

CASES = Path(__file__).resolve().parent / "golden"
TIMEOUT_SECONDS = 120
SECTIONS = {"file": 1, "bytes": 1, "fill": 2, "link": 2, "mode": 2, "needs": 1, "env": 0, "argv": 0, "stdin": 0, "stdout_to": 1, "exit": 1,
            "stdout": 0, "stderr": 0}
OF_STEP = {"stdin", "stdout_to", "exit", "stdout", "stderr"}


class BadCase(Exception):
    pass


class Section:
    def __init__(self, kind, words, line):
        self.kind, self.words, self.line, self.lines = kind, words, line, []

    def text(self):
        return "".join(line + "\n" for line in self.lines)


class Case:
    """The parsed sections; `comment` and order are kept so that --update changes nothing else."""

    def __init__(self, name, text):
        self.name, self.comment, self.sections = name, [], []
        for number, line in enumerate(text.split("\n")[:-1] if text.endswith("\n") else text.split("\n"), 1):
            if line.startswith("=== "):
                self.sections.append(self.section(line, number))
            elif self.sections:
                self.sections[-1].lines.append(line)
            else:
                self.comment.append(line)
        if not self.steps():
            raise BadCase(f"{name}: no `=== argv`")

    def section(self, line, number):
        kind, *words = shlex.split(line[4:])
        if kind not in SECTIONS:
            raise BadCase(f"{self.name}:{number}: unknown section '{kind}'; known: {', '.join(SECTIONS)}")
        if len(words) != SECTIONS[kind]:
            raise BadCase(f"{self.name}:{number}: '{kind}' takes {SECTIONS[kind]} words")
        if kind in OF_STEP and not any(s.kind == "argv" for s in self.sections):
            raise BadCase(f"{self.name}:{number}: '{kind}' stands before the first argv")
        return Section(kind, words, number)

    def steps(self):
        """[(argv section, {kind: section})], one per program run."""
        steps = []
        for section in self.sections:
            if section.kind == "argv":
                steps.append((section, {}))
            elif section.kind in OF_STEP:
                if section.kind in steps[-1][1]:
                    raise BadCase(f"{self.name}:{section.line}: second '{section.kind}' of one argv")
                steps[-1][1][section.kind] = section
        return steps

    def render(self):
        out = list(self.comment)
        for section in self.sections:
            out.append(" ".join(["===", section.kind] + [shlex.quote(w) for w in section.words]))
            out += section.lines
        return "\n".join(out) + "\n"


def unreachable_by_nobody(program):
    for folder in [program, *program.parents]:
        if not folder.stat().st_mode & 0o001:
            return folder
    return None


class Runner:
    def __init__(self, program, deps):
        self.program, self.deps = program, deps

    def reason_to_skip(self, case):
        for section in case.sections:
            if section.kind != "needs":
                continue
            thing, _, name = section.words[0].partition(":")
            if thing == "part":
                if not (self.deps / name / ".stamp").is_file():
                    return f"part {name} is not installed (`cutelab setup {name}`)"
            elif thing == "program":
                if not shutil.which(name):
                    return f"no {name} in PATH"
            elif thing == "unprivileged":
                closed = unreachable_by_nobody(self.program) if os.geteuid() == 0 else None
                if closed:
                    return f"runs as root, and user nobody cannot reach {closed}"
            else:
                raise BadCase(f"{case.name}:{section.line}: unknown need '{section.words[0]}'")
        return None

    def build_folder(self, case, tmp):
        modes = []
        for section in case.sections:
            place = tmp / section.words[0] if section.words else None
            if section.kind in ("file", "bytes", "fill", "link"):
                place.parent.mkdir(parents=True, exist_ok=True)
            if section.kind == "file":
                place.write_text(section.text())
            elif section.kind == "bytes":
                place.write_bytes("".join(section.lines).encode().decode("unicode_escape").encode("latin-1"))
            elif section.kind == "fill":
                line = b"# filler of a file that is too large to be a kernel\n"
                size = int(section.words[1])
                place.write_bytes((line * (size // len(line) + 1))[:size])
            elif section.kind == "link":
                place.symlink_to(self.expand(section.words[1], tmp))
            elif section.kind == "mode":
                modes.append((place, int(section.words[1], 8)))
        (tmp / "home").mkdir(exist_ok=True)
        return modes

    def expand(self, text, tmp):
        return text.replace("{root}", str(ROOT)).replace("{tmp}", str(tmp)).replace("{deps}", str(self.deps))

    def shrink(self, text, tmp):
        for name, path in (("{tmp}", tmp), ("{deps}", self.deps), ("{root}", ROOT)):
            text = text.replace(str(path), name)
        return text

    def environment(self, case, tmp):
        env = {"PATH": os.environ["PATH"], "HOME": str(tmp / "home"), "LANG": "C.UTF-8", "CUTELAB_ROOT": str(ROOT),
               "CUTELAB_PROGRAM": "cutelab"}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
            if name in os.environ:
                env[name] = os.environ[name]
        for section in case.sections:
            if section.kind == "env":
                for line in filter(str.strip, section.lines):
                    name, equals, value = line.partition("=")
                    env.pop(name, None)
                    if equals:
                        env[name] = self.expand(value, tmp)
        return env

    def command(self, case, argv, tmp, stdout_to):
        command = [str(self.program)] + shlex.split(self.expand(argv.text(), tmp))
        if stdout_to:
            place = "&-" if stdout_to == "closed" else shlex.quote(stdout_to)
            command = ["sh", "-c", f'exec "$@" >{place}', "sh"] + command
        needs = [s.words[0] for s in case.sections if s.kind == "needs"]
        if "unprivileged" in needs and os.geteuid() == 0:
            command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] + command
        return command

    def run_step(self, case, argv, expected, tmp, update):
        """Messages about what does not hold; with `update` the sections are rewritten too."""
        stdout_to = expected["stdout_to"].words[0] if "stdout_to" in expected else ""
        stdin = expected["stdin"].text() if "stdin" in expected else ""
        try:
            done = subprocess.run(self.command(case, argv, tmp, stdout_to), input=stdin.encode(), capture_output=True, cwd=tmp,
                                  env=self.environment(case, tmp), timeout=TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            return [f"  {argv.text().strip()}: still running after {TIMEOUT_SECONDS} s"]
        wrong = []
        code = int(expected["exit"].words[0]) if "exit" in expected else 0
        if done.returncode != code:
            wrong.append(f"  {argv.text().strip()}: exit code {done.returncode}, expected {code}\n")
            if update:
                self.set_section(case, argv, expected, "exit", [str(done.returncode)], [])
        for kind, raw in (("stdout", done.stdout), ("stderr", done.stderr)):
            actual = self.shrink(raw.decode("utf-8", "replace"), tmp)
            if actual and not actual.endswith("\n"):
                actual += "\n"
            wanted = expected[kind].text() if kind in expected else ""
            if matches(wanted, actual):
                continue
            diff = difflib.unified_diff(wanted.splitlines(True), actual.splitlines(True), f"expected {kind}", f"actual {kind}")
            wrong.append("".join("  " + line for line in diff))
            if update:
                self.set_section(case, argv, expected, kind, [], actual.split("\n")[:-1])
        return wrong

    @staticmethod
    def set_section(case, argv, expected, kind, words, lines):
        if kind not in expected:
            expected[kind] = Section(kind, words, 0)
            last = max([case.sections.index(argv)] + [case.sections.index(s) for k, s in expected.items() if s.line])
            case.sections.insert(last + 1, expected[kind])
            expected[kind].line = -1
        expected[kind].words, expected[kind].lines = words, lines

    def run(self, case, update):
        """(verdict, text): passed, failed with the diff, or skipped with the reason."""
        reason = self.reason_to_skip(case)
        if reason:
            return "skipped", reason
        tmp = Path(tempfile.mkdtemp(prefix="cutelab-golden-")).resolve()
        try:
            tmp.chmod(0o777)
            modes = self.build_folder(case, tmp)
            if os.geteuid() == 0 and any(s.words == ["unprivileged"] for s in case.sections):
                for folder, _, files in os.walk(tmp):
                    for place in [folder] + [os.path.join(folder, f) for f in files]:
                        os.chown(place, 65534, 65534, follow_symlinks=False)
            for place, mode in modes:
                place.chmod(mode)
            wrong = []
            for argv, expected in case.steps():
                wrong += self.run_step(case, argv, expected, tmp, update)
        finally:
            subprocess.run(["chmod", "-R", "u+rwx", str(tmp)], check=False, stderr=subprocess.DEVNULL)
            shutil.rmtree(tmp, ignore_errors=True)
        return ("failed", "\n".join(wrong)) if wrong else ("passed", "")


def chosen(words):
    every = sorted(CASES.glob("*.txt"))
    if not words:
        return every
    paths = []
    for word in words:
        found = [Path(word)] if Path(word).is_file() else [p for p in every if word in p.stem]
        if not found:
            raise BadCase(f"no golden case is called '{word}'")
        paths += [p for p in found if p not in paths]
    return paths


def run_all(runner, paths, update, jobs):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    cases = [(p, Case(p.stem, p.read_text())) for p in paths]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        verdicts = list(pool.map(lambda pc: runner.run(pc[1], update), cases))
    for (path, case), (verdict, text) in zip(cases, verdicts):
        if verdict == "failed" and update:
            path.write_text(case.render())
            print(f"UPDATED {case.name}")
            verdict = "passed"
        elif verdict != "passed":
            print(f"{verdict.upper()} {case.name}: {text}" if verdict == "skipped" else f"FAILED {case.name}\n{text}")
        counts[verdict] += 1
    print(f"golden: {counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts["failed"] else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("cases", nargs="*", metavar="CASE")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--deps", type=Path, default=ROOT / "build/deps")
    args = parser.parse_intermixed_args()
    try:
        paths = chosen(args.cases)
        if args.list:
            print("\n".join(p.stem for p in paths))
            return 0
        if not paths:
            raise BadCase("no golden cases found")
        if not args.program.is_file():
            raise BadCase(f"{args.program} is not a program; build it first")
        return run_all(Runner(args.program.resolve(), args.deps), paths, args.update, args.jobs)
    except BadCase as e:
        print(f"run_golden.py: {e}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
