"""A file that uses a name of the standard library includes its header, itself or through headers of ours.

Standard headers include one another differently from release to release: what compiles with one g++ fails with the next.
"""
import re

import common

NAME = "std_headers"
ABOUT = "names of the standard library come from the header that promises them, not by luck"

# Names that files of this project use, or easily could, by the header that declares them.
NAMES = {
    "algorithm": "sort stable_sort partial_sort nth_element is_sorted count count_if find find_if find_if_not find_first_of"
                 " adjacent_find any_of all_of none_of min max min_element max_element minmax_element clamp reverse rotate"
                 " unique remove_if transform copy_if copy_n lower_bound upper_bound equal_range binary_search fill"
                 " fill_n for_each replace replace_if partition stable_partition next_permutation set_difference"
                 " set_intersection set_union includes equal lexicographical_compare mismatch search generate shuffle",
    "array": "array to_array", "atomic": "atomic", "bit": "popcount bit_width bit_ceil bit_floor bit_cast has_single_bit"
                                                           " countr_zero countl_zero",
    "cctype": "isdigit isalpha isalnum isspace isupper islower ispunct isxdigit tolower toupper",
    "charconv": "from_chars to_chars", "cmath": "sqrt floor ceil log log2 log10 pow isfinite isnan isinf round lround llround",
    "cstring": "memcpy memmove memset memcmp strlen strerror strcmp", "deque": "deque",
    "fstream": "ifstream ofstream fstream", "functional": "function hash less greater bind invoke reference_wrapper ref cref",
    "iostream": "cout cerr cin", "iterator": "back_inserter inserter make_move_iterator advance distance",
    "limits": "numeric_limits", "list": "list", "map": "map multimap",
    "memory": "unique_ptr shared_ptr weak_ptr make_unique make_shared", "mutex": "mutex lock_guard scoped_lock unique_lock",
    "numeric": "accumulate iota gcd lcm inner_product partial_sum reduce midpoint", "optional": "optional nullopt",
    "queue": "queue priority_queue", "random": "mt19937 mt19937_64 uniform_int_distribution uniform_real_distribution",
    "regex": "regex smatch cmatch regex_match regex_search regex_replace", "set": "set multiset", "span": "span",
    "sstream": "ostringstream istringstream stringstream", "string_view": "string_view", "thread": "thread jthread",
    "tuple": "tuple tie make_tuple apply", "type_traits": "is_same_v decay_t is_integral_v conditional_t",
    "unordered_map": "unordered_map unordered_multimap", "unordered_set": "unordered_set",
    "utility": "pair exchange swap", "variant": "variant visit get_if holds_alternative monostate", "vector": "vector",
}
HEADER_OF = {name: header for header, names in NAMES.items() for name in names.split()}
USED = re.compile(r"\bstd::(\w+)")
ANGLED = re.compile(r"^\s*#\s*include\s*<(\w+)>", re.M)
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|^\s*#\s*include[^\n]*', re.S | re.M)


class Reached:
    """The standard headers that a file includes, directly or through quoted includes; asked once for each file."""

    def __init__(self, root):
        self.root, self.known = root, {}

    def __call__(self, path):
        if path not in self.known:
            self.known[path] = set()  # a cycle adds nothing
            found = set(ANGLED.findall(path.read_text(errors="replace")))
            for _, spelled in common.quoted_includes(path):
                for folder in (path.parent, self.root / "src", self.root / "tests"):
                    if (folder / spelled).is_file():
                        found |= self(folder / spelled)
                        break
            self.known[path] = found
        return self.known[path]


def check(root):
    wrong, reached = [], Reached(root)
    for path in common.sources(root, "src", "kernels", "tests", "bench", "fuzz", suffixes=(".cc", ".h")):
        if "cases" in path.parts:
            continue
        text = (root / path).read_text(errors="replace")
        code = NOT_CODE.sub(lambda m: "\n" * m.group().count("\n"), text)
        have, told = reached(root / path), set()
        for found in USED.finditer(code):
            header = HEADER_OF.get(found.group(1))
            if header and header not in have and header not in told:
                told.add(header)
                line = code.count("\n", 0, found.start()) + 1
                wrong.append(f"{path}:{line}: std::{found.group(1)} is used, but <{header}> is not included")
    return wrong
