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
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/data"))
from dsl_names import ANY, names_of, number, replacement, wheels_of  # noqa: E402

VERSIONS = ["4.2.1", "4.3.0", "4.3.3", "4.3.4", "4.3.5", "4.4.0", "4.4.2", "4.5.0", "4.5.3", "4.6.0", "4.6.1", "4.6.2", "4.6.3", "4.7.0", "4.7.1", "4.8.0", "4.8.1"]


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
        noted = next((n for n in notes if name in n["names"] and "rule" not in n), None)
        written = noted["names"] if noted else spelled(name, aliases, spoken)
        if written:
            groups[("deprecated", before, at, noted["instead"] if noted else replacement(warning), module, ())] += written
    for name, change in history(found).items():
        written = spelled(name, aliases, spoken)
        noted = next((n for n in notes if name in n["names"] and "rule" not in n), None)
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
