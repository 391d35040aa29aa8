#include "reading/machine/natives.h"
// Replaced by the models' own files.
namespace cutelab::reading::machine {
__attribute__((weak)) void add_argparse(Natives&) {}
__attribute__((weak)) void add_torch(Natives&) {}
__attribute__((weak)) void add_runtime(Natives&) {}
__attribute__((weak)) void add_layouts(Natives&) {}
__attribute__((weak)) void add_tensors(Natives&) {}
__attribute__((weak)) void add_atoms(Natives&) {}
__attribute__((weak)) void add_descriptors(Natives&) {}
__attribute__((weak)) void add_storage(Natives&) {}
__attribute__((weak)) void add_numeric_types(Natives&) {}
}  // namespace cutelab::reading::machine
