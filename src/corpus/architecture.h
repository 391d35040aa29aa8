#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_source.h"
#include "base/result.h"
#include "corpus/release.h"

namespace cutelab::corpus {

/// An architecture as compilers name it: sm_90, sm_90a (this chip alone), sm_100f (the family).
struct Arch {
  int sm = 0;       ///< 90, 100, 120
  char suffix = 0;  ///< 0, 'a', 'f'
  std::string text() const;
  friend bool operator==(const Arch&, const Arch&) = default;
};

/// "sm_90a", "sm90", "90", "compute_90a", "9.0", "SM_100F".
std::optional<Arch> parse_arch(std::string_view text);

/// One GPU generation's compute capability (data/architectures.json).
struct Target {
  Arch native;                        ///< what its own code is compiled for: sm_90a, sm_80
  std::string generation;             ///< "Hopper"
  std::vector<std::string> folders;   ///< how example trees call it: "hopper"
  std::vector<std::string> names;     ///< product names; a trailing * matches any rest of the word
  int smem_bytes = 0;                 ///< opt-in shared memory per block; 0 = not known
  std::optional<Release> smem_since;  ///< first CuTe DSL release whose map knows it
  std::string suffix_for;             ///< what needs the suffix: "wgmma and setmaxnreg need it"
  int former_sm = 0;                  ///< 101 for 110
};

/// A GPU as the user named it.
struct Device {
  Arch arch;         ///< native form, e.g. sm_90a for "H100" and for "sm_90"
  std::string name;  ///< "H100", or "sm_90a" when only the architecture was given
  std::string note;  ///< what was normalised: "sm_90 without its suffix may not use wgmma …"; empty = nothing
};

/// An instruction family and which architectures each CuTe DSL release accepts for it.
struct Feature {
  std::string id;         ///< "tcgen05"
  std::string title;      ///< "tcgen05 MMA with tensor memory (TMEM)"
  std::string minimum;    ///< "sm_100a"
  std::string only;       ///< why others lack it
  bool optional = false;  ///< kernels commonly have a path without it; never decides alone
  struct Gate {
    Release since;
    std::vector<std::string> accepts;  ///< "sm_90a", "sm_80+" (or later), "family sm_100f"
  };
  std::vector<Gate> gates;  ///< ascending

  /// The gate of `release`; the newest when it is not known.
  const Gate& gate_for(const std::optional<Release>& release) const;
};

class ArchFacts {
 public:
  static Result<ArchFacts> load(const FileSource& files, const std::string& data_folder);

  /// A product name or architecture. Errors (kind usage) suggest the nearest name.
  Result<Device> device(std::string_view text) const;
  /// The product named anywhere in `text` ("NVIDIA H100 80GB HBM3"); the longest name wins.
  std::optional<Device> product_in(std::string_view text) const;

  const Target* target(int sm) const;
  const Feature* feature(std::string_view id) const;
  const std::vector<Target>& targets() const { return targets_; }
  const std::vector<Feature>& features() const { return features_; }
  /// Rule texts: "a", "f", "plain", "override".
  std::string suffix_rule(std::string_view key) const;

  /// Whether a device can run code that uses `feature`, by the gate of `release` (the newest when not known).
  bool accepts(const Feature& feature, Arch device, const std::optional<Release>& release) const;

  /// "ampere" for sm_80 …; the folder under which the example trees keep a generation's kernels. Empty =
  /// none.
  std::string folder_of(Arch device) const;

 private:
  std::vector<Target> targets_;
  std::vector<Feature> features_;
  std::vector<std::pair<std::string, std::string>> suffixes_;
};

}  // namespace cutelab::corpus
