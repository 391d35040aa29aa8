#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"

namespace cutelab::kernel {

/// One call of a compiled CuTe DSL function as a program made it, with which the exported object can be
/// called again: what src/capture/harness/export_calls.py writes (schema cutelab.export).
struct ExportedCall {
  /// An address of `buffer` plus `offset` stands at byte `at`: of an argument, or of a tensor's content.
  struct Relocation {
    std::size_t at = 0;
    int buffer = 0;
    std::int64_t offset = 0;
    bool operator==(const Relocation&) const = default;
  };
  /// A tensor, or the memory behind a pointer (then of one mode). `dtype` is the DSL's name: "Float16". One
  /// that only an address inside another tensor leads to is named after it: "table[2,0]".
  struct Tensor {
    std::string name;
    std::string dtype;
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> stride;  ///< elements
    int buffer = 0;                    ///< which run of memory it lies in
    std::int64_t offset = 0;           ///< bytes
    std::int64_t bytes = 0;
    std::optional<std::vector<std::byte>> content;  ///< of index-like integers, as the program had them
    bool read = false, written = false;             ///< by the kernels; see uses_known
    std::vector<Relocation> relocations;            ///< of a table of addresses: where these stand
  };
  struct Argument {
    std::string name;
    std::string type;  ///< in C: "float", "int32_t", "void *"; "tensor" for a tensor's descriptor
    std::vector<std::byte> content;
    bool stream = false;
    std::vector<Relocation> relocations;
  };
  struct Launch {
    std::string symbol;
    std::array<unsigned, 3> grid{};
    std::array<unsigned, 3> block{};
    std::array<unsigned, 3> cluster{1, 1, 1};
    /// Where a launch names two cluster shapes: the larger one, of which `cluster` is the fallback; else 0.
    std::array<unsigned, 3> preferred_cluster{};
    std::uint64_t dynamic_smem_bytes = 0;
  };
  /// One option of the program's own command line.
  struct Flag {
    std::string option;  ///< "--mnkl"; empty = a positional
    std::string destination;
    std::string kind;  ///< "switch", "integer", "real", "word", "integers"
    std::string value;
    bool has_value = false;
    bool several_words = false;  ///< nargs: not supported as a parameter
    bool negative = false;       ///< a switch that is on unless given
    std::vector<std::string> choices;
    std::string help;
  };

  std::vector<Flag> flags;
  std::string function;              ///< host function in the compiler's text (kernel.mlir)
  std::string entry;                 ///< exported function; empty: nothing was exported
  std::vector<std::string> symbols;  ///< kernels in the device code
  std::vector<Tensor> tensors;
  std::vector<std::int64_t> buffers;  ///< bytes
  std::vector<Argument> arguments;
  std::vector<Launch> launches;
  std::string device_code;  ///< file name: "kernel.fatbin"
  std::string device_code_sha256;
  std::string object_sha256;                      ///< host and device code: equal ones are one library
  std::string runtime_archive;                    ///< where the DSL's runtime archive lay
  std::string callee;                             ///< what the program compiled: "Gemm", "add"
  std::map<std::string, std::string> attributes;  ///< plain attributes of that object, value as JSON
  std::map<std::string, std::string> constants;   ///< plain arguments of the compile call, value as JSON
  std::vector<std::string> undetermined;
  std::vector<std::string> other_functions;  ///< further compiled functions with kernels of the program's own
  std::vector<std::string> failures;         ///< why nothing was exported
  std::vector<std::string> notes;            ///< what was taken for granted on the way to the call
  int compiled = 0;                          ///< functions that the program compiled
  bool uses_known = false;                   ///< what is read and written was followed in the compiler's text
  int writes_elsewhere = 0;                  ///< places that write memory of none of the tensors
  /// Where tensors stand in `tensors`, by name, as it was when noted: they are looked up for each problem of
  /// a group.
  std::unordered_map<std::string, std::size_t> positions;

  /// The library beside it is one to load as it is: of a program in C++ (kernels/example_door.cuh).
  bool has_door() const { return entry == "cutelab_launch"; }
  bool exported() const { return !entry.empty() && !device_code.empty(); }
  const Tensor* find(const std::string& name) const;
  void note_positions();
  /// Real numbers that take part: plain attributes and constants of the compile call by name, arguments of
  /// the call that are one.
  std::vector<std::string> real_numbers() const;
  /// A number that an argument, the program's object, its constants or its options call `name`; of a switch
  /// 0 or 1.
  std::optional<double> number(const std::string& name) const;
};

/// Errors (kind input): not the schema, with the member that does not fit: a member of another form, tensors
/// without room in their memory, addresses of memory that is not there.
Result<ExportedCall> exported_call_from_json(const std::string& text);

/// The same as text. What is not in the schema (uses_known, read, written) is left out.
std::string to_json(const ExportedCall& call);

/// The block of arguments that kernels/exported_door.c takes, with `addresses[i]` for buffer i.
std::vector<std::byte> argument_block(const ExportedCall& call,
                                      const std::vector<unsigned long long>& addresses);

}  // namespace cutelab::kernel
