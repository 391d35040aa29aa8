#pragma once
#include "reading/models/arguments.h"

/// Structs and allocations in shared memory.
namespace cutelab::reading::machine {

/// The Record "struct" of a decorated class; null = not one.
const Record* struct_record(const Value& value);
/// A struct's members at `base` bytes of shared memory: Record "storage".
Value place_struct(Call& call, const Record* shape, const Value& base);
/// Record "Pointer" into shared memory, `offset` in bytes.
Value shared_pointer(Call& call, const Value& dtype, const Value& offset);
/// Record "Tensor" over a layout or a shape.
Value shared_tensor(Call& call, const Value& dtype, const Value& layout, const Value& swizzle,
                    const Value& offset);

enum class Partition { reserved, user };
/// Takes shared memory of the kernel that runs; the offset in its partition, or an unknown.
Value take_shared(Call& call, const Value& bytes, const Value& alignment,
                  Partition partition = Partition::user);

void add_allocators(Natives& natives);

}  // namespace cutelab::reading::machine
