"""
Adds two vectors.

    python examples/vector_add.py --n 4096

Constraints:
* n must be a multiple of 128
"""
# expect-constraint: the docstring's command names vector_add.py; this file is docstring_command_names_another_file.py
# expect-constraint: n must be a multiple of 128
import cutlass.cute as cute


@cute.kernel
def kernel(x):
    pass
