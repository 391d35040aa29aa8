"""Of another room only public headers are included: those directly in src/<room>/."""
import common

NAME = "doors"
ABOUT = "headers of other rooms are included by their public door"


def check(root):
    table = common.rooms(root)
    wrong = []
    for path in common.sources(root, "src", "kernels"):
        own = path.parts[1] if path.parts[0] == "src" else None
        for line, spelled in common.quoted_includes(root / path):
            parts = spelled.split("/")
            if parts[0] in table and parts[0] != own and len(parts) > 2 and not (root / path.parent / spelled).exists():
                wrong.append(f"{path}:{line}: {spelled} is inside room {parts[0]}; public headers lie in src/{parts[0]}/ itself")
    return wrong
