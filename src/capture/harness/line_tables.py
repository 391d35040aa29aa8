"""Device code with a line table: a module is compiled once more, each operation at the program's own innermost line of its call chain.
What the program runs stays as it was made. The compiler cannot write lines of call chains, so they are cut first.
"""

import functools
import os
import re
import sys

import local_modules

DEFINITION = re.compile(r"^(#loc\d*) = loc\((.*)\)$", re.MULTILINE)
PLACE = re.compile(r'^"((?:[^"\\]|\\.)*)":(\d+):(\d+)')
NAMED = re.compile(r'^"(?:[^"\\]|\\.)*"\((#loc\d*)\)$')
CALL = re.compile(r"^callsite\((#loc\d*) at (#loc\d*)\)$")
MOST_FRAMES = 64
NOWHERE = '"-":0:0'  # the compiler wants a place for each call


class Chains:
    """The location aliases of a module's text."""

    def __init__(self, text):
        self.aliases = dict(DEFINITION.findall(text))
        self.of_library = functools.lru_cache(maxsize=None)(local_modules.of_library)

    def line_of(self, alias):
        """'"gemm.py":12:4' of the innermost frame in the program's own files; None if no frame is."""
        pending = [alias]
        for _ in range(MOST_FRAMES):
            if not pending:
                break
            text = self.aliases.get(pending.pop(), "unknown")
            if call := CALL.match(text):
                pending += [call[2], call[1]]
            elif named := NAMED.match(text):
                pending.append(named[1])
            elif (place := PLACE.match(text)) and not self.of_library(place[1]):
                return place[0]
        return None


def with_own_lines(text):
    """The module's text with each location alias replaced by one line of the program's own, or none. The definitions come first: some
    operations' parsers know no later ones."""
    chains = Chains(text)
    lines = [f"{alias} = loc({chains.line_of(alias) or NOWHERE})\n" for alias in chains.aliases]
    return "".join(lines) + DEFINITION.sub("", text)


def without_lines(pipeline):
    """The pipeline of a program that asks for lines itself: over call chains the compiler would fall. The code stays the same."""
    return pipeline.replace("preserve-line-info=true", "preserve-line-info=false")


def pipeline_for(pipeline, stem):
    """The compiler's pipeline with lines kept and the device code written to a file whose name begins with `stem`; None where no pass of it
    takes such options."""
    wanted = re.sub(r"(preserve-line-info=\w+|dump-(cubin|ptx)-path=('[^']*'|\"[^\"]*\"|[^\s}]*))", "", pipeline)
    passes = list(re.finditer(r"\{[^{}]*\bcubin-(format|chip)\b", wanted))
    if not passes:
        return None
    begin = passes[-1].start() + 1
    return f"{wanted[:begin]}preserve-line-info=true dump-cubin-path={stem} {wanted[begin:]}"


class CompilationApart:
    """Writes `stem`*.cubin in a process of its own beside the program's compilation: what falls there costs the program nothing.
    `text`: the module in generic form, which every version can read back."""

    def __init__(self, pass_manager, text, pipeline, stem):
        self.said, write_end = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self.child = os.fork()
        if self.child == 0:
            os.close(self.said)
            reason = "the process did not say"
            try:
                reason = compile_with_lines(pass_manager, text, pipeline, stem)
                os.write(write_end, reason.encode("utf-8", "replace")[:4000])
            finally:
                os._exit(0)
        os.close(write_end)

    def reason_of_failure(self):
        """Waits for its end. Empty: the device code was written."""
        with os.fdopen(self.said, "rb") as said:
            reason = said.read().decode("utf-8", "replace")
        _, status = os.waitpid(self.child, 0)
        return f"signal {os.WTERMSIG(status)} ended the compilation with lines" if os.WIFSIGNALED(status) else reason


def compile_with_lines(pass_manager, text, pipeline, stem):
    """Says why it could not; empty if it could."""
    from cutlass._mlir import ir

    try:
        wanted = pipeline_for(pipeline, stem)
        if wanted is None:
            return f"no pass of the compiler's pipeline writes device code: {pipeline}"
        with ir.Context() as context:
            context.enable_multithreading(False)
            module = ir.Module.parse(with_own_lines(text))
            pass_manager.parse(wanted).run(module.operation)
    except Exception as error:  # a watcher must not change what it watches
        return f"{type(error).__name__}: {error}"
    return ""
