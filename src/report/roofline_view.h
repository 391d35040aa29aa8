#pragma once
#include <string>
#include <vector>

namespace cutelab::report {

/// One roof: a memory rate (slope) or an arithmetic rate (flat).
struct Roof {
  std::string name;    ///< "DRAM, measured", "bf16-tensor, dense peak"
  double per_second;   ///< bytes or flops
  std::string source;  ///< where the rate comes from, with the clock it assumes
};

/// A kernel's run under its device's roofs.
struct Roofline {
  std::string title;  ///< "rmsnorm v0 on NVIDIA H200"
  std::vector<Roof> memory;
  std::vector<Roof> arithmetic;
  double flops = 0;
  double bytes = 0;    ///< compulsory
  double seconds = 0;  ///< median; 0 = not timed, the point is then left out

  double intensity() const { return flops / bytes; }  ///< flop per byte
  double rate() const { return flops / seconds; }     ///< flop per second
};

/// Both axes logarithmic; memory roofs are '/', arithmetic ones '-', the run is 'o'. Below it each roof with
/// its rate, its source and what share of it the run reaches.
/// ```
///  1e15 |                                        --------------------
///       |                                 ///////
///  1e12 |        o    ////////
///       +------------------------------------------------------------
///         0.1        1         10        100       1000      flop/byte
/// ```
std::string roofline_text(const Roofline& roofline);

/// One SVG that stands alone, light and dark.
std::string roofline_svg(const Roofline& roofline);

}  // namespace cutelab::report
