"""Public names of a release of nvidia-cutlass-dsl, read from its wheels; nothing of them is imported.

A name is spelled by its last two parts: module and name, package and name that it re-exports, package and module.
"""
import ast
import collections
import pathlib
import re
import subprocess
import sys
import zipfile

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
