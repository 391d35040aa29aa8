"""Sources include only the rooms that CMakeLists.txt links, and that list itself has no cycle and no sideways edge."""
import common

NAME = "edges"
ABOUT = "includes against the link lists of CMakeLists.txt"

# These rooms meet only in evidence (data) and in cli (flow).
SIDE_BY_SIDE = ["corpus", "reading", "capture", "compiled", "profile", "knowledge"]
# What a kernel package may see of src/; base is the vocabulary (Result, units) that kernel's own headers speak.
KERNELS_SEE = ["kernel", "layout", "base"]


def bad_lists(table):
    for room, links in table.items():
        for other in links:
            if other not in table:
                yield f"CMakeLists.txt: {room} links '{other}', which is no room declared there"
            elif list(table).index(other) >= list(table).index(room) and room != "cli":
                yield f"CMakeLists.txt: {room} links '{other}', which is declared after it (a cycle, or the wrong order)"
            if room in SIDE_BY_SIDE and other in SIDE_BY_SIDE:
                yield f"CMakeLists.txt: {room} links '{other}': no sideways edges among {', '.join(SIDE_BY_SIDE)}"


def bad_includes(root, table):
    for path in common.sources(root, "src"):
        room = path.parts[1]
        if room not in table:
            yield f"{path}: '{room}' is no room declared in CMakeLists.txt"
            continue
        for line, spelled in common.quoted_includes(root / path):
            target = spelled.split("/")[0]
            if "/" not in spelled or spelled.startswith("."):
                yield f'{path}:{line}: spell it "{room}/…": includes start with the room\'s name, not "{spelled}"'
            elif target in table and target != room and target not in table[room]:
                yield f"{path}:{line}: {room} may not include {spelled}: its list has {', '.join(table[room]) or 'nothing'}"


def bad_kernels(root, table):
    for path in common.sources(root, "kernels"):
        for line, spelled in common.quoted_includes(root / path):
            target = spelled.split("/")[0]
            if target in table and target not in KERNELS_SEE and not (root / path.parent / spelled).exists():
                yield f"{path}:{line}: a kernel package sees {', '.join(KERNELS_SEE)} and CUTLASS only, not {spelled}"


def check(root):
    table = common.rooms(root)
    if not table:
        return ["CMakeLists.txt: no cutelab_room(…) found"]
    return [*bad_lists(table), *bad_includes(root, table), *bad_kernels(root, table)]
