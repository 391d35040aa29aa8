#pragma once

/// Names that facts carry in `kind` and `values`, so that whoever writes facts and whoever shows, checks or
/// compares them agree. A fact may carry further values; views show those as they are. A value that a kind
/// should have and that is not known is there as Undetermined.
namespace cutelab::evidence::kind {

// H1
inline constexpr const char* tma_descriptor =
    "tma-descriptor";  ///< tensor, direction, operation, multicast, box, swizzle
inline constexpr const char* multicast_mask = "multicast-mask";
// H2, H4: one fact for the call, one for each keyword
inline constexpr const char* launch = "launch";    ///< grid, block, cluster, threads, smem_bytes
inline constexpr const char* grid = "grid";        ///< grid
inline constexpr const char* block = "block";      ///< block
inline constexpr const char* cluster = "cluster";  ///< cluster
inline constexpr const char* launch_keyword =
    "launch-keyword";  ///< the keyword's own name: stream, min_blocks_per_mp, …
/// The formula of smem_bytes where the run saw all that the kernel allocates.
inline constexpr const char* allocations_add_up = "what the kernel's allocations add up to";
// H3
inline constexpr const char* storage = "storage";                ///< bytes (with padding), alignment
inline constexpr const char* storage_member = "storage-member";  ///< type, bytes, count, alignment
inline constexpr const char* allocation = "allocation";          ///< type, bytes, alignment
inline constexpr const char* stages = "stages";                  ///< stages
inline constexpr const char* capacity = "capacity";              ///< bytes: limit per block of the target
inline constexpr const char* alias = "alias";                    ///< of: whose storage it shares
// D1
inline constexpr const char* role = "role";                        ///< warps, threads, registers
inline constexpr const char* identity = "identity";                ///< thread, warp, CTA or leader index
inline constexpr const char* register_budget = "register-budget";  ///< registers, action (increase, decrease)
// D2
inline constexpr const char* pipeline =
    "pipeline";  ///< class, stages, bytes (per transaction), producer, consumer
inline constexpr const char* pipeline_state = "pipeline-state";
inline constexpr const char* acquire = "acquire";
inline constexpr const char* commit = "commit";
inline constexpr const char* wait = "wait";
inline constexpr const char* release = "release";
inline constexpr const char* tail = "tail";
// D3
inline constexpr const char* copy = "copy";  ///< operation, source, destination, bytes
// D4
inline constexpr const char* mma = "mma";  ///< operation, shape, accumulator (registers, tensor-memory)
inline constexpr const char* gemm = "gemm";
inline constexpr const char* tensor_memory_allocation = "tensor-memory-allocation";  ///< columns
/// A tensor laid over tensor memory: first_column, columns; lanes where not all 128; from ("allocation",
/// "zero")
inline constexpr const char* tensor_memory_tensor = "tensor-memory-tensor";
// D5
inline constexpr const char* barrier = "barrier";  ///< id, threads
inline constexpr const char* fence = "fence";
// D6
inline constexpr const char* shared_layout = "shared-layout";  ///< layout, swizzle
// M1
inline constexpr const char* machine_code =
    "machine-code";  ///< of a kernel: registers, stack_bytes, barriers, instructions, unplaced, mix
inline constexpr const char* instructions =
    "instructions";  ///< of a line: instructions, mix, local_loads, local_stores

}  // namespace cutelab::evidence::kind
