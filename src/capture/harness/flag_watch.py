"""Notes the command line that a program declares: every option of the argparse parser it parses with, and what it became."""

import argparse
import os
import sys

import dsl_hooks
import local_modules


def is_whole(value):
    return isinstance(value, int) and not isinstance(value, bool)


def is_row(value, of):
    return isinstance(value, (tuple, list)) and bool(value) and all(of(v) for v in value)


def are_tuples(value):
    return is_row(value, lambda v: is_row(v, is_whole))


def kind_of(action):
    """What the option takes, told by its default and its type: switch, integer, real, word, integers (a tuple of them) or tuples of integers."""
    if isinstance(action, (argparse._StoreTrueAction, argparse._StoreFalseAction, argparse.BooleanOptionalAction)):
        return "switch"
    value = action.default
    if isinstance(value, bool):
        return "word"
    if isinstance(value, int) or action.type is int:
        return "integer"
    if isinstance(value, float) or action.type is float:
        return "real"
    if is_row(value, is_whole):
        return "integers"
    if are_tuples(value):
        return "tuples"
    return "word"


def text_of(value):
    """A value as one writes it on the command line; None where that is not known."""
    if isinstance(value, (bool, int, float, str)):
        return str(value)
    if isinstance(value, (tuple, list)) and all(isinstance(v, (int, float, str)) for v in value):
        return ",".join(str(v) for v in value)
    name = getattr(value, "__name__", None)  # a type of elements
    return name if isinstance(name, str) else None


def text_of_tuples(action, value):
    """Tuples of integers in the spelling that the program's own parser makes this value of; None where it takes none that is known here."""
    rows = ",".join("(" + ",".join(map(str, row)) + ")" for row in value)
    for text in (rows, f"({rows})", f"[{rows}]"):
        try:
            if [list(row) for row in action.type(text)] == [list(row) for row in value]:
                return text
        except Exception:  # a parser of the program's, and any error of it
            continue
    return None


def text_for(action, value):
    return text_of_tuples(action, value) if are_tuples(value) else text_of(value)


def described(action, value):
    return {
        "option": max(action.option_strings, key=len) if action.option_strings else "", "destination": action.dest, "kind": kind_of(action),
        "default": text_for(action, action.default), "value": text_for(action, value), "several_words": action.nargs not in (None, "?", 0),
        "negative": isinstance(action, argparse._StoreFalseAction), "choices": [text_of(c) for c in action.choices or []],
        "help": dsl_hooks.plain(action.help) or "",
    }


def called_by_library():
    """Whether the code that asks a parser to parse is a library's: its options are not the program's."""
    frame = sys._getframe(2)
    while frame and os.path.basename(frame.f_code.co_filename) == "argparse.py":
        frame = frame.f_back
    return frame is None or local_modules.of_library(frame.f_code.co_filename)


class Flags:
    """The options of the program's parser that parsed last."""

    def __init__(self):
        self.found = []

    def watch(self):
        original = argparse.ArgumentParser.parse_known_args
        watcher = self

        def parse(parser, *arguments, **keywords):
            space, rest = original(parser, *arguments, **keywords)
            if called_by_library():
                return space, rest
            watcher.found = [described(a, getattr(space, a.dest, None)) for a in parser._actions if a.dest not in ("help", argparse.SUPPRESS)]
            return space, rest

        argparse.ArgumentParser.parse_known_args = parse
