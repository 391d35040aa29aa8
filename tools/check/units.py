"""Builds of the presets release and asan-ubsan compile several files of a room, or of its tests, as one unit: what they define
outside classes needs names of its own."""
import re

import common
import ratchet

NAME = "units"
ABOUT = "files of a room, or of its tests, can be compiled as one unit: no name is defined in two of them"

# Our format starts definitions of namespace scope in the first column; bodies are indented.
NAMESPACE = re.compile(r"^namespace ?([\w:]*) ?\{", re.M)
TYPE = re.compile(r"^(?:class|struct|union|enum class|enum) (\w+)\b[^;{}()]*\{", re.M)
ALIAS = re.compile(r"^using (\w+) =([^;]*);", re.M)
BORROWED = re.compile(r"^using ((?:\w+::)+(\w+));", re.M)  # `using source::Kind;`
VARIABLE = re.compile(r"^(?:inline |static )?const(?:expr|init)?\b[^;{}()=]*?\b(\w+)(?:\[[^\]]*\])?(?: =|\{)", re.M)
FUNCTION = re.compile(r"^(?!return\b|using\b|else\b)[\w:][^;{}()=]*?[\s&*](\w+)\(([^(){};]*)\)[^;{}()]*\{", re.M)
# tests/support has a namespace cutelab::testing: in a unit that includes it, `testing::Test` is looked up there.
GOOGLETEST = re.compile(r"(?<![:\w])testing::(?:Test|TestWithParam|TestParamInfo|ValuesIn|Values|Combine|Bool|TempDir|AssertionResult|UnitTest)\b")
NOT_NAMES = {"operator", "if", "for", "while", "switch", "TEST"}


def parameter_types(text):
    """`const std::string& a, int b = 0` -> `const string&,int`: a `using` may leave the qualification out."""
    types = []
    for parameter in re.split(r",(?![^<]*>)", " ".join(text.split())):
        parameter = re.sub(r"\b(?:\w+::)+", "", parameter.split("=")[0].strip())
        types.append(re.sub(r"(?<=[\s&*>])\w+$", "", parameter).strip() if re.search(r"[\s&*>]\w+$", parameter) else parameter)
    return ",".join(types)


def definitions(text):
    """(what makes it unique, name, position) of each definition outside classes."""
    scopes = [(m.start(), m.group(1)) for m in NAMESPACE.finditer(text) if m.group(1)]

    def scope(position):
        return next((name for start, name in reversed(scopes) if start <= position), "")

    for found in TYPE.finditer(text):
        yield (scope(found.start()), found.group(1)), found.group(1), found.start()
    for found in VARIABLE.finditer(text):
        yield (scope(found.start()), found.group(1)), found.group(1), found.start()
    for found in FUNCTION.finditer(text):
        if found.group(1) not in NOT_NAMES:
            key = (scope(found.start()), found.group(1), parameter_types(found.group(2)))
            yield key, found.group(1), found.start()


def aliases(text):
    """(name, meaning, position); the same alias may stand in many files."""
    for found in ALIAS.finditer(text):
        yield found.group(1), " ".join(found.group(2).split()), found.start()
    for found in BORROWED.finditer(text):
        yield found.group(2), found.group(1), found.start()


def enclosing(text, position):
    return next((m.group(1) for m in reversed(list(NAMESPACE.finditer(text))) if m.group(1) and m.start() <= position), "")


def header_types(root):
    """(room, namespace, name) of the types that headers define -> the header. An alias of a source with such a name is a
    second meaning for it in every file of the unit that includes the header."""
    types = {}
    for path in common.sources(root, "src", "tests", suffixes=(".h",)):
        text = ratchet.blanked((root / path).read_text(errors="replace"))
        for pattern in (TYPE, ALIAS):
            for found in pattern.finditer(text):
                types[(path.parts[:2], enclosing(text, found.start()), found.group(1))] = path
    return types


def check(root):
    wrong = []
    defined, meant, classes, named = {}, {}, {}, []
    types = header_types(root)
    for path in common.sources(root, "src", "tests", suffixes=(".cc",)):
        if "cases" in path.parts:
            continue
        room = path.parts[:2]  # of tests/<room> one program is made
        text = ratchet.blanked((root / path).read_text(errors="replace"))
        places = [((room, *key), name, at, None) for key, name, at in definitions(text)]
        places += [((room, "using", name), name, at, meaning) for name, meaning, at in aliases(text)]
        for found in GOOGLETEST.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            wrong.append(f"{path}:{line}: write ::{found.group(0)}; without the colons it may be looked up in cutelab::testing")
        for name, _, at in aliases(text):
            if header := types.get((room, enclosing(text, at), name)):
                line = text.count("\n", 0, at) + 1
                wrong.append(f"{path}:{line}: {name} is a type of {header} too; give the alias another name")
        classes.update(((room, found.group(1)), path) for found in TYPE.finditer(text))
        named += [(room, name, path, text.count("\n", 0, at) + 1) for name, _, at in aliases(text)]
        for key, name, at, meaning in places:
            table = defined if meaning is None else meant
            other, before = table.setdefault(key, (path, meaning))
            if before != meaning or (meaning is None and other != path):
                line = text.count("\n", 0, at) + 1
                wrong.append(f"{path}:{line}: {name} is defined in {other} too; give one of them another name, or share it")
    for room, name, path, line in named:
        if (other := classes.get((room, name), path)) != path:
            wrong.append(f"{path}:{line}: {name} is a type of {other} too; give one of them another name")
    return wrong
