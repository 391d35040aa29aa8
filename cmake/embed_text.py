#!/usr/bin/env python3
"""embed_text.py VARIABLE FILE OUT: write FILE as a C++ string constant (string literals have a length limit, so in chunks)."""
import os
import sys

variable, path, out = sys.argv[1:]
data = open(path, "rb").read()
os.makedirs(os.path.dirname(out), exist_ok=True)
with open(out, "w") as f:
    f.write("#pragma once\n#include <string_view>\nnamespace cutelab::embedded {\n")
    f.write(f"inline constexpr char {variable}_bytes[] = {{")
    f.write(",".join(str(b if b < 128 else b - 256) for b in data) + ("," if data else "") + "0};\n")
    f.write(f"inline constexpr std::string_view {variable}({variable}_bytes, {len(data)});\n}}\n")
