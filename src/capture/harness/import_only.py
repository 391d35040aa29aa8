"""A program that imports another one, argv[1], as a module, as who calls its functions from elsewhere does: its main does not run."""

import importlib.util
import os
import sys


def main():
    program = sys.argv[1]
    sys.argv = [program]
    sys.path.insert(0, os.path.dirname(program))
    spec = importlib.util.spec_from_file_location("called_program", program)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # a source of this run, whatever becomes of it
    try:
        spec.loader.exec_module(module)
    except SystemExit as leaving:
        raise RuntimeError(f"it ends itself where it is imported: exit({leaving.code!r})") from leaving


main()
