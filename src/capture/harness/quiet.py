"""An object of which whatever is asked is there and does nothing: profilers, ranges, settings."""


class Quiet:
    def __init__(self, name):
        self._name = name

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Quiet(f"{self._name}.{name}")

    def __call__(self, *_arguments, **_keywords):
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def __bool__(self):
        return False

    def __iter__(self):
        return iter(())

    def __str__(self):
        return ""
