"""Stands in for pytest where it is not installed: programs that import it for the marks of their tests run without any of these."""


class Mark:
    """A mark, with or without arguments: the function stays what it is."""

    def __call__(self, *arguments, **_keywords):
        return arguments[0] if len(arguments) == 1 and callable(arguments[0]) and not _keywords else self


class Marks:
    def __getattr__(self, _name):
        return Mark()


mark = Marks()
fixture = Mark()


def param(*values, **_keywords):
    return values


def skip(reason="", **_keywords):
    raise SystemExit(f"skipped: {reason}")


def main(*_arguments, **_keywords):
    raise ModuleNotFoundError("No module named 'pytest'", name="pytest")
