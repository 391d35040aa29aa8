#!/usr/bin/env python3
"""Draw what a command prints on a terminal, colours included, as an SVG.

usage: terminal_picture.py PROGRAM [--check]

PROGRAM is the built cutelab. Writes docs/pictures/read.svg; with --check writes nothing and exits 1 if the
picture is not what the program prints today.
"""
import argparse
import html
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs/pictures/read.svg"
ARGUMENTS = ["read", "examples/cute_dsl/gemm_persistent_warp_specialized.py"]
COLUMNS = 100
CHARACTER, LINE, MARGIN, TITLE = 7.8, 17, 16, 34
COLOURS = {"32": "#56c271", "33": "#e0b04a", "31": "#f07178", "36": "#5fc4d6"}
ESCAPE = re.compile(r"\x1b\[([0-9;]*)m")

NO_TERMINAL = 3  # exit code


def printed(program):
    """What the program writes to a terminal of COLUMNS columns."""
    try:
        main, terminal = pty.openpty()
    except OSError as e:  # a root without /dev/pts
        print(f"this machine gives no pseudo-terminal: {e}")
        sys.exit(NO_TERMINAL)
    import fcntl, struct, termios
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 60, COLUMNS, 0, 0))
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LANG": "C.UTF-8", "TERM": "xterm",
                   "CUTELAB_ROOT": str(ROOT), "CUTELAB_PROGRAM": "cutelab"}
    child = subprocess.Popen([program, *ARGUMENTS], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=terminal)
    os.close(terminal)
    out = b""
    while True:
        try:
            part = os.read(main, 65536)
        except OSError:  # the terminal is closed
            break
        if not part:
            break
        out += part
    if child.wait() != 0:
        sys.exit(f"{program} {' '.join(ARGUMENTS)} failed")
    return out.decode().replace("\r\n", "\n").rstrip("\n").split("\n")


def runs(line):
    """(text, SGR codes) pieces of one line."""
    codes, at = [], 0
    for escape in ESCAPE.finditer(line):
        if escape.start() > at:
            yield line[at:escape.start()], codes
        codes = [] if escape.group(1) in ("", "0") else escape.group(1).split(";")
        at = escape.end()
    if at < len(line):
        yield line[at:], codes


def style(codes):
    out = f'fill="{next((COLOURS[c] for c in codes if c in COLOURS), "#dde2e7")}"'
    if "1" in codes:
        out += ' font-weight="700"'
    if "2" in codes:
        out += ' opacity=".68"'
    return out


def draw(lines):
    lines = [f"\x1b[2m$ \x1b[0m./cutelab {' '.join(ARGUMENTS)}", *lines]
    width, height = 2 * MARGIN + COLUMNS * CHARACTER, TITLE + 2 * MARGIN + LINE * len(lines)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" '
           'font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,\'DejaVu Sans Mono\',monospace" font-size="13" '
           'role="img" aria-label="cutelab reads a GEMM kernel">',
           f'<rect width="{width:g}" height="{height:g}" rx="9" fill="#14171a"/>']
    for i, colour in enumerate(("#f07178", "#e0b04a", "#56c271")):
        out.append(f'<circle cx="{MARGIN + 6 + 18 * i}" cy="18" r="5.5" fill="{colour}"/>')
    for number, line in enumerate(lines):
        column, y = 0, TITLE + MARGIN + LINE * number
        for text, codes in runs(line):
            if text.strip():
                shift = len(text) - len(text.lstrip(" "))
                x, body = MARGIN + CHARACTER * (column + shift), text.strip(" ")
                out.append(f'<text x="{x:.1f}" y="{y}" textLength="{CHARACTER * len(body):.1f}" xml:space="preserve" '
                           f'{style(codes)}>{html.escape(body)}</text>')
            column += len(text)
    return "\n".join(out + ["</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="PROGRAM")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    picture = draw(printed(os.path.abspath(args.program)))
    if args.check:
        if not PICTURE.is_file() or PICTURE.read_text() != picture:
            print(f"{PICTURE.relative_to(ROOT)} is out of date: tools/docs/terminal_picture.py {args.program}")
            return 1
        return 0
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
