#!/usr/bin/env python3
"""Writes data/api_changes.json: which release of nvidia-cutlass-dsl brought, removed or deprecated which public name.

    tools/data/api_changes.py [--wheels DIR] [--examples DIR]... [VERSION]...

Each version's library sources come from the wheels that hold them (PyPI: nvidia-cutlass-dsl-libs-core and -libs-base from 4.6 on, -libs-base of 4.4
and 4.5, nvidia-cutlass-dsl before), which pip fetches into DIR unless they are there; nothing of them is imported. A name is spelled by its last two parts, as
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
ANY = "*"  # among a module's words: it may hold any name
REPLACEMENT = re.compile(r"[Uu]se [`'\"]?([A-Za-z_][\w.]*\w)[`'\"]?(?: and [`'\"]?([A-Za-z_]\w*\.[\w.]*\w))?")
MIGRATED = re.compile(r"[Mm]igrated to [`'\"]?([\w./]*\w)")  # out of the wheel, into a file


def number(version):
    return tuple(int(part) for part in version.split("."))


def packages_of(version):
    """Since 4.6 the library lies in two wheels: what one of them takes from the other is not seen in it alone."""
    if number(version) >= (4, 6):
        return ["nvidia-cutlass-dsl-libs-core", "nvidia-cutlass-dsl-libs-base"]
    return ["nvidia-cutlass-dsl-libs-base" if number(version) >= (4, 4) else "nvidia-cutlass-dsl"]


def wheels_of(version, folder):
    """The wheels' paths; pip fetches what is not there."""
    return [wheel_of(name, version, folder) for name in packages_of(version)]


def wheel_of(name, version, folder):
    pattern = f"{name.replace('-', '_')}-{version}-*.whl"
    if not list(folder.glob(pattern)):
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", str(folder)]
        if not name.endswith("-core"):  # made for each Python
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


def spelled_out(warning, texts):
    """A warning whose text stands in a constant of its module, with that text."""
    return warning and re.sub(r"\b[A-Za-z_]\w*\b", lambda word: repr(texts[word[0]]) if word[0] in texts else word[0], warning)


def replacement(warning):
    """What a warning says to use."""
    if migrated := MIGRATED.search(warning or ""):
        return migrated[1]
    found = REPLACEMENT.search(warning or "")
    return " and ".join(filter(None, found.groups())) if found and "." in found[1] else ""


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
        self.places = collections.defaultdict(dict)  # name → {full module: warning, None without}: two modules may end in one part
        self.defined = {}  # by full module
        self.own = collections.defaultdict(set)  # of them those that the module itself defines: an import of the name does not undo that
        self.words = collections.defaultdict(set)  # of all modules of a last part: what stands there may be there after all
        self.borrowed = collections.defaultdict(list)  # package → [(module, name, as)]
        self.unseen = {}  # module → the one that it takes every name from and that lies in no wheel which was read

    def add(self, parent, name, warning):
        if not name.startswith("_") and not PRIVATE.intersection(parent.split(".")):
            self.places[f"{parent.rpartition('.')[2]}.{name}"][parent] = warning

    def read(self, module, text, is_package):
        try:
            tree = ast.parse(text)
        except SyntaxError:  # a template
            return
        self.words[module.rpartition(".")[2]].update(re.findall(r"\w+", text))
        own = self.defined.setdefault(module, {})
        texts = {name: n.value.value for n in tree.body if isinstance(n, ast.Assign) and isinstance(n.value, ast.Constant)
                 and isinstance(n.value.value, str) for name in targets_of(n)}
        package, _, last = module.rpartition(".")
        if package:  # Python makes a module that is imported a member of its package
            self.defined.setdefault(package, {}).setdefault(last, None)
            self.add(package, last, None)
        for node in self.statements(tree):
            for name in targets_of(node):
                own[name] = spelled_out(warning_of(node), texts)
                self.own[module].add(name)
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
        before = None
        while before != (before := self.known()):
            self.resolve_once()
        return {name: None if None in at.values() else next(iter(at.values())) for name, at in self.places.items()}  # another of the name may not warn

    def known(self):
        warnings = [w for names in self.defined.values() for w in names.values()]
        return len(warnings), sum(w is not None for w in warnings), len(self.unseen)

    def resolve_once(self):
        for package, taken in self.borrowed.items():
            for source, name, spelled in taken:
                if name == "*":  # what stands in the other may be here
                    self.words[package.rpartition(".")[2]] |= self.words[source.rpartition(".")[2]]
                    if self.unseen.get(source, source if source not in self.defined else None):
                        self.unseen[package] = self.unseen.get(source, source)
                members = self.defined.get(source, {})
                for member in list(members) if name == "*" else [name]:
                    public = member if name == "*" else spelled
                    if name == "*" and member.startswith("_"):
                        continue
                    if public in self.own[package]:
                        continue
                    warning = members.get(member)
                    self.defined.setdefault(package, {})[public] = warning
                    self.add(package, public, warning)


def names_of(wheels, words=None, places=None):
    """Names of a version's wheels; `words` gets every word of their modules, by their last part, and ANY for those that may hold further ones;
    `places` which modules have each name."""
    names = Names()
    for wheel in wheels:
        for module, text, is_package in sources_of(wheel):
            names.read(module, text, is_package)
    found = names.resolve()
    for module, source in sorted(names.unseen.items()):
        print(f"{module}: what it takes from {source} is not known: that lies in none of the wheels", file=sys.stderr)
        names.words[module.rpartition(".")[2]].add(ANY)
    if words is not None:
        words.update(names.words)
    if places is not None:
        places.update(names.places)
    return found


def bound_by_imports(tree, aliases):
    """Names that a program's imports of the library bind; what it calls modules is noted in `aliases`."""
    library = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                own = alias.name.partition(".")[0] == "cutlass"
                if own:
                    library.add(alias.asname or "cutlass")
                if own and alias.asname and "." in alias.name:
                    aliases[alias.name.rpartition(".")[2]].add(alias.asname)
        elif isinstance(node, ast.ImportFrom):
            own = not node.level and (node.module or "").partition(".")[0] == "cutlass"
            library.update(alias.asname or alias.name for alias in node.names if own)
    return library


def bound_by_a_function(function):
    """Names that are a function's own: parameters and what it assigns. Those of inner functions are taken for its own, too: that claims less."""
    given = function.args
    names = {a.arg for a in [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg] if a}
    return names | {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def attributes_of(node, local=frozenset()):
    """Every attribute that is read, with the names that are some enclosing function's own."""
    for child in ast.iter_child_nodes(node):
        inner = local | bound_by_a_function(child) if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)) else local
        if isinstance(child, ast.Attribute):
            yield child, inner
        yield from attributes_of(child, inner)


def root_of(node):
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def spoken_names(folders):
    """What the examples call modules (last part → aliases), and every "parent.name" that they write of the library and of nothing else: a name
    that some example also writes of an object of its own (`pipeline.producer_acquire(state)`) tells nothing of the library."""
    aliases, spoken, of_others = collections.defaultdict(set), set(), set()
    for folder in folders:
        for path in sorted(pathlib.Path(folder).rglob("*.py")):
            try:
                tree = ast.parse(path.read_text(encoding="utf-8", errors="replace"))
            except SyntaxError:
                continue
            library = bound_by_imports(tree, aliases)
            for node, local in attributes_of(tree):
                value = node.value
                parent = value.attr if isinstance(value, ast.Attribute) else value.id if isinstance(value, ast.Name) else ""
                (spoken if root_of(node) in library - local else of_others).add(f"{parent}.{node.attr}")
    return aliases, spoken - of_others


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
        if warning is not None and (warning > first or warning == 0):  # in the first that is compared: since when is not seen
            change["deprecated"] = (versions[max(warning - 1, 0)], versions[warning])
        if change:
            changes[name] = change
    return changes


def replaced_by_a_namesake(places):
    """name → (before, at, the module that may be meant, the warning): a name warns in one module, and one other module of that last part has it without."""
    versions = sorted(places, key=number)
    moved = {}
    for before, at in zip(versions, versions[1:]):
        for name, now in places[at].items():
            was = places[before].get(name, {})
            tired = [m for m, warning in now.items() if warning and m in was and not was[m]]
            fresh = [m for m, warning in now.items() if not warning]
            if tired and len(fresh) == 1 and fresh[0] not in was:
                moved.setdefault(name, (before, at, fresh[0], now[tired[0]]))
    return moved


SEEN = {"since": "absent in {}, present in {}", "removed": "present in {}, absent in {}", "deprecated": "without a warning in {}, with one in {}"}


def seen_in(event, before, at):
    return SEEN[event].format(before, at) if before != at else f"with a warning in {at} already, the first that was compared"


def other_place(name, found, version):
    """Where the last part of a removed name still is, if that is in one place."""
    last = name.rpartition(".")[2]
    places = [n for n in found[version] if n.rpartition(".")[2] == last and n != name]
    return places[0] if len(places) == 1 else ""


def is_certain(event, name, pair, words):
    """A name is said to be absent only where its module does not even mention it: names are made in more ways than a reader of sources sees."""
    parent, _, last = name.rpartition(".")
    absent_in = {"since": pair[0], "removed": pair[1]}.get(event)
    return not {last, ANY} & set(words.get(absent_in, {}).get(parent, ()))


def rows(found, aliases, spoken, notes, words, places=None):
    """The table: one row per event and pair of versions, one for each name that notes speak of."""
    groups = collections.defaultdict(list)  # by event, versions, what to write instead, the module that may be meant, and since when it warned
    for name, (before, at, module, warning) in replaced_by_a_namesake(places or {}).items():
        noted = next((n for n in notes if name in n["names"]), None)
        written = noted["names"] if noted else spelled(name, aliases, spoken)
        if written:
            groups[("deprecated", before, at, noted["instead"] if noted else replacement(warning), module, ())] += written
    for name, change in history(found).items():
        written = spelled(name, aliases, spoken)
        noted = next((n for n in notes if name in n["names"]), None)
        if noted is not None:
            written = [] if "always" in noted else noted["names"]
        if not written:
            continue
        certain = {event: pair for event, pair in change.items() if noted or is_certain(event, name, pair, words)}
        warned = certain.pop("deprecated", ()) if "removed" in certain else ()  # one row tells both
        for event, (before, at) in certain.items():
            word = ""
            if event == "removed":
                word = (replacement(found[warned[1]][name]) if warned else "") or other_place(name, found, at)
            elif event == "deprecated":
                word = replacement(found[at][name])
            if noted:
                word = noted.get("instead", "")
            groups[(event, before, at, word, "", warned if event == "removed" else ())] += written
    table = []
    for (event, before, at, word, unless, warned), names in sorted(groups.items(), key=lambda g: (number(g[0][2]), g[0])):
        row = {"names": sorted(set(names)), event: at}
        if warned:
            row["deprecated"] = warned[1]
        if unless:
            row["unless"] = unless
        if word or event != "since":
            row["instead"] = word
        seen = [seen_in(event, before, at)] + ([seen_in("deprecated", *warned)] if warned else [])
        table.append(row | {"seen": "; ".join(seen)})
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
    found, words, places = {}, {}, {}
    for version in versions:
        words[version], places[version] = {}, {}
        found[version] = names_of(wheels_of(version, given.wheels), words[version], places[version])
        print(f"{version}: {len(found[version])} names", file=sys.stderr)
    aliases, spoken = spoken_names([*given.examples, ROOT / "examples"])
    notes = json.loads((ROOT / "data/api_notes.json").read_text(encoding="utf-8"))["notes"]
    given.out.write_text(document(versions, rows(found, aliases, spoken, notes, words, places)), encoding="utf-8")


if __name__ == "__main__":
    main()
