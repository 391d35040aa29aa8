#!/usr/bin/env python3
"""Writes data/api_changes.json: which release of nvidia-cutlass-dsl brought, removed or deprecated which public name.

    tools/data/api_changes.py [--wheels DIR] [--examples DIR]... [VERSION]...

Each version's library sources come from the wheel that holds them (PyPI: nvidia-cutlass-dsl-libs-core from 4.6 on, -libs-base of 4.4 and 4.5,
nvidia-cutlass-dsl before), which pip fetches into DIR unless it is there; nothing of it is imported. A name is spelled by its last two parts, as
programs do: module and name, package and name that it re-exports, and what the examples call a module (`import … as sm100_utils`). Only names
that some example uses are kept. What no comparison of names can tell, rules and what to write instead, stands in data/api_notes.json.
"""

import argparse
import ast
import collections
import json
import pathlib
import re
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSIONS = ["4.2.1", "4.3.0", "4.3.3", "4.3.4", "4.3.5", "4.4.0", "4.4.2", "4.5.0", "4.5.3", "4.6.0", "4.6.1", "4.6.2", "4.6.3", "4.7.0", "4.7.1", "4.8.0", "4.8.1"]
GENERATED = {"_mlir"}  # bindings, not read
PRIVATE = {"base_dsl", "_mlir_helpers"}  # packages that programs do not name
DEPRECATED = re.compile(r"deprecat", re.IGNORECASE)
REPLACEMENT = re.compile(r"[Uu]se [`'\"]?([A-Za-z_][\w.]*\w)")


def number(version):
    return tuple(int(part) for part in version.split("."))


def package_of(version):
    if number(version) >= (4, 6):
        return "nvidia-cutlass-dsl-libs-core"
    return "nvidia-cutlass-dsl-libs-base" if number(version) >= (4, 4) else "nvidia-cutlass-dsl"


def wheel_of(version, folder):
    """The wheel's path; pip fetches it if it is not there."""
    name = package_of(version)
    pattern = f"{name.replace('-', '_')}-{version}-*.whl"
    if not list(folder.glob(pattern)):
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", str(folder)]
        if number(version) < (4, 6):
            command += ["--python-version", "3.12"]
        subprocess.run([*command, f"{name}=={version}"], check=True)
    return sorted(folder.glob(pattern))[0]


def sources_of(wheel):
    """("cutlass.utils.blackwell_helpers", text) of every module of the package `cutlass` in a wheel, and whether it is a package."""
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.namelist():
            parts = pathlib.PurePosixPath(entry).with_suffix("").parts
            if not entry.endswith(".py") or "cutlass" not in parts:
                continue
            module = parts[parts.index("cutlass"):]
            is_package = module[-1] == "__init__"
            module = module[:-1] if is_package else module
            if not GENERATED.intersection(module):
                yield ".".join(module), archive.read(entry).decode("utf-8", "replace"), is_package


def warnings_of(statements):
    """Calls that warn of a deprecation whenever the statements run: not those under a condition."""
    for statement in statements:
        call = getattr(statement, "value", None)
        if isinstance(statement, ast.Expr) and isinstance(call, ast.Call) and "warn" in ast.unparse(call.func) and DEPRECATED.search(ast.unparse(call)):
            yield call


def warning_of(node):
    """What says that a definition is deprecated: its decorator, or a warning whenever it is called; None without."""
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Call):  # deprecated("…")(function)
        return ast.unparse(node.value.func) if DEPRECATED.search(ast.unparse(node.value.func.func)) else None
    for decorator in getattr(node, "decorator_list", []):
        if DEPRECATED.search(ast.unparse(decorator)):
            return ast.unparse(decorator)
    bodies = [node] if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else []
    if isinstance(node, ast.ClassDef):
        bodies = [n for n in node.body if isinstance(n, ast.FunctionDef) and n.name in ("__init__", "__new__", "__post_init__")]
    found = next((call for body in bodies for call in warnings_of(body.body)), None)
    return None if found is None else ast.unparse(found)


def replacement(warning):
    """What a warning says to use."""
    found = REPLACEMENT.search(warning or "")
    return found[1] if found and "." in found[1] else ""


def targets_of(node):
    """Names that a statement of a module binds."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, ast.Assign):
        return [t.id for t in node.targets if isinstance(t, ast.Name)]
    return [node.target.id] if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) else []


class Names:
    """Public names of one version: "module.name" by last parts → the warning, None without."""

    def __init__(self):
        self.found = {}
        self.defined = {}  # by full module
        self.words = collections.defaultdict(set)  # of all modules of a last part: what stands there may be there after all
        self.borrowed = collections.defaultdict(list)  # package → [(module, name, as)]

    def add(self, parent, name, warning):
        if not name.startswith("_") and not PRIVATE.intersection(parent.split(".")):
            key = f"{parent.rpartition('.')[2]}.{name}"
            self.found[key] = self.found.get(key, warning) and warning  # another of the name may not warn

    def read(self, module, text, is_package):
        try:
            tree = ast.parse(text)
        except SyntaxError:  # a template
            return
        self.words[module.rpartition(".")[2]].update(re.findall(r"\w+", text))
        own = self.defined.setdefault(module, {})
        for node in self.statements(tree):
            for name in targets_of(node):
                own[name] = warning_of(node)
                self.add(module, name, own[name])
                if name == "__getattr__":
                    self.add_answered(module, node, text)
            if isinstance(node, ast.ImportFrom):
                self.note_import(module, node, is_package)

    def add_answered(self, module, function, text):
        """A module that answers for names itself: every word in the function, and in the tables of the module that it names, may be one."""
        named = {n.id for n in ast.walk(function) if isinstance(n, ast.Name)}
        tables = [n.value for n in ast.parse(text).body if isinstance(n, (ast.Assign, ast.AnnAssign)) and n.value and named.intersection(targets_of(n))]
        warning = ast.unparse(function) if DEPRECATED.search(ast.unparse(function)) else None
        for part in [function, *tables]:
            for constant in ast.walk(part):
                if isinstance(constant, ast.Constant) and isinstance(constant.value, str) and constant.value.isidentifier():
                    self.defined[module].setdefault(constant.value, warning)
                    self.add(module, constant.value, warning)

    @staticmethod
    def statements(tree):
        """Of a module, those under `if` and `try` with it."""
        waiting = list(tree.body)
        while waiting:
            node = waiting.pop()
            yield node
            for part in ("body", "orelse", "handlers", "finalbody"):
                if isinstance(node, (ast.If, ast.Try, ast.ExceptHandler)):
                    waiting += getattr(node, part, [])

    def note_import(self, module, node, is_package):
        if node.level:
            base = module.split(".")
            base = base[:len(base) - node.level + (1 if is_package else 0)]
            source = ".".join(base + ([node.module] if node.module else []))
        else:
            source = node.module or ""
        if source.startswith("cutlass"):
            self.borrowed[module] += [(source, a.name, a.asname or a.name) for a in node.names]

    def resolve(self):
        """Names that packages take from their modules; some take from packages that take in turn."""
        for _ in range(4):
            for package, taken in self.borrowed.items():
                for source, name, spelled in taken:
                    if name == "*":  # what stands in the other may be here
                        self.words[package.rpartition(".")[2]] |= self.words[source.rpartition(".")[2]]
                    members = self.defined.get(source, {})
                    for member in list(members) if name == "*" else [name]:
                        public = member if name == "*" else spelled
                        if name == "*" and member.startswith("_"):
                            continue
                        warning = members.get(member)
                        self.defined.setdefault(package, {})[public] = warning
                        self.add(package, public, warning)
        return self.found


def names_of(wheel, words=None):
    """Names of a wheel; `words` gets every word of its modules, by their last part."""
    names = Names()
    for module, text, is_package in sources_of(wheel):
        names.read(module, text, is_package)
    if words is not None:
        words.update(names.words)
    return names.resolve()


def spoken_names(folders):
    """What the examples call modules (last part → aliases), and every "parent.name" that they write, those of other libraries' modules left out."""
    aliases, spoken, others = collections.defaultdict(set), set(), set()
    for folder in folders:
        for path in sorted(pathlib.Path(folder).rglob("*.py")):
            try:
                tree = ast.parse(path.read_text(encoding="utf-8", errors="replace"))
            except SyntaxError:
                continue
            for node in ast.walk(tree):
                if isinstance(node, ast.Import):
                    for alias in node.names:
                        if not alias.name.startswith("cutlass"):
                            others.add(alias.asname or alias.name.partition(".")[0])
                        elif alias.asname and "." in alias.name:
                            aliases[alias.name.rpartition(".")[2]].add(alias.asname)
                elif isinstance(node, ast.Attribute):
                    value = node.value
                    parent = value.attr if isinstance(value, ast.Attribute) else value.id if isinstance(value, ast.Name) else ""
                    spoken.add(f"{parent}.{node.attr}")
    return aliases, {name for name in spoken if name.rpartition(".")[0] not in others}


def spelled(name, aliases, spoken):
    """The spellings of "module.name" that examples use."""
    module, _, last = name.rpartition(".")
    every = [name] + [f"{alias}.{last}" for alias in sorted(aliases.get(module, ())) if alias != module]
    return [n for n in every if n in spoken]


def history(found):
    """name → {"since", "removed", "deprecated"} over versions in order, as far as they differ."""
    versions = sorted(found, key=number)
    changes = {}
    for name in sorted(set().union(*(found[v] for v in versions))):
        there = [name in found[v] for v in versions]
        first, change = there.index(True), {}
        if first > 0:
            change["since"] = (versions[first - 1], versions[first])
        gone = next((i for i in range(first + 1, len(versions)) if not there[i]), None)
        if gone is not None and not any(there[gone:]):  # one that comes back is no removal
            change["removed"] = (versions[gone - 1], versions[gone])
        warning = next((i for i, v in enumerate(versions) if found[v].get(name)), None)
        if warning is not None and warning > first:
            change["deprecated"] = (versions[warning - 1], versions[warning])
        if change:
            changes[name] = change
    return changes


SEEN = {"since": "absent in {}, present in {}", "removed": "present in {}, absent in {}", "deprecated": "without a warning in {}, with one in {}"}


def other_place(name, found, version):
    """Where the last part of a removed name still is, if that is in one place."""
    last = name.rpartition(".")[2]
    places = [n for n in found[version] if n.rpartition(".")[2] == last and n != name]
    return places[0] if len(places) == 1 else ""


def is_certain(event, name, at, words):
    """A name is said to be removed only if its module does not even mention it: names are made in more ways than a reader of sources sees."""
    parent, _, last = name.rpartition(".")
    return event != "removed" or last not in words.get(at, {}).get(parent, ())


def rows(found, aliases, spoken, notes, words):
    """The table: one row per event and pair of versions, one for each name that notes speak of."""
    groups, instead = collections.defaultdict(list), {}
    for name, change in history(found).items():
        written = spelled(name, aliases, spoken)
        noted = next((n for n in notes if name in n["names"]), None)
        if noted is not None:
            written = noted["names"]
        if not written:
            continue
        certain = {event: pair for event, pair in change.items() if noted or is_certain(event, name, pair[1], words)}
        for event, (before, at) in certain.items():
            word = ""
            if event == "removed":
                word = other_place(name, found, at)
            elif event == "deprecated":
                word = replacement(found[at][name])
            if noted:
                word = noted.get("instead", "")
            groups[(event, before, at, word)] += [w for w in written if w not in groups[(event, before, at, word)]]
            unless = noted.get("unless") if noted else None
            if unless:
                instead[(event, before, at, word)] = unless
    table = []
    for (event, before, at, word), names in sorted(groups.items(), key=lambda g: (number(g[0][2]), g[0])):
        row = {"names": sorted(names), event: at}
        if (event, before, at, word) in instead:
            row["unless"] = instead[(event, before, at, word)]
        if word or event != "since":
            row["instead"] = word
        table.append(row | {"seen": SEEN[event].format(before, at)})
    return table + [n for n in notes if "rule" in n]


def document(versions, table):
    about = ("Names of the CuTe DSL that came, went or changed their rule between releases of nvidia-cutlass-dsl. `names` are matched by their last two "
             "parts, outside imports, comments and strings. `since` is the first of the compared releases that has them, `removed` the first that has "
             "not, `deprecated` the first that warns. A `rule` holds in the releases listed `in`, `otherwise` in all others.")
    source = f"Written by tools/data/api_changes.py from the wheels of {', '.join(versions)}; rules and replacements from data/api_notes.json."
    lines = ",\n".join(" " + json.dumps(row, ensure_ascii=False) for row in table)
    return f'{{\n"about": {json.dumps(about, ensure_ascii=False)},\n"source": {json.dumps(source)},\n"changes": [\n{lines}\n]\n}}\n'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("versions", nargs="*", default=VERSIONS)
    parser.add_argument("--wheels", type=pathlib.Path, default=ROOT / "build/deps/downloads/dsl-wheels")
    parser.add_argument("--examples", action="append", default=[], help="folders of programs; only names that they use are kept")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "data/api_changes.json")
    given = parser.parse_args()
    versions = sorted(set(given.versions), key=number)
    found, words = {}, {}
    for version in versions:
        words[version] = {}
        found[version] = names_of(wheel_of(version, given.wheels), words[version])
        print(f"{version}: {len(found[version])} names", file=sys.stderr)
    aliases, spoken = spoken_names([*given.examples, ROOT / "examples"])
    notes = json.loads((ROOT / "data/api_notes.json").read_text(encoding="utf-8"))["notes"]
    given.out.write_text(document(versions, rows(found, aliases, spoken, notes, words)), encoding="utf-8")


if __name__ == "__main__":
    main()
