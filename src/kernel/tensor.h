#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernel/dtype.h"

namespace cutelab::kernel {

/// How inputs are filled. Zeros are only for who asks for them: they hide unwritten outputs and run faster
/// than data. Integers are filled over their range, ue8m0 with powers of two.
enum class Fill {
  uniform,      ///< [-1, 1); integers: the whole range; ue8m0: 2^-3 to 2^3
  normal,       ///< mean 0, deviation 1; integers: a quarter of the range
  adversarial,  ///< magnitudes from 2^-20 to 2^6, signs mixed, some exact zeros and denormals; integers: ends
                ///< of the range, zeros and ones; ue8m0: 2^-20 to 2^20
  zeros
};
const char* name_of(Fill fill);
/// "uniform", "normal", "adversarial", "zeros": the words of --fill.
const std::vector<std::string>& fill_words();
const std::string& word_of(Fill fill);
Fill fill_of(const std::string& word);  ///< inverse of word_of; the word is known to be legal
/// Of the real numbers that the fill draws, before they are rounded to a type.
double root_mean_square(Fill fill);
/// Nothing larger is drawn.
double largest_magnitude(Fill fill);

using Seed = std::uint64_t;

/// A named host tensor, row-major and dense: shape (a, b) has strides (b, 1). Another majorness is another
/// order of the extents; views.h reads either by its coordinates.
struct Tensor {
  std::string name;
  DType dtype = DType::fp32;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> data;

  Tensor() = default;
  Tensor(std::string tensor_name, DType type,
         std::vector<std::int64_t> extents);  ///< content is NaN: the canary (integers have none: -1)

  std::int64_t size() const;  ///< elements
  double at(std::int64_t index) const;
  void set(std::int64_t index, double value);  ///< rounded to nearest even
  void fill(Fill kind, Seed seed);             ///< the same seed gives the same content on every machine
  std::string coordinates(std::int64_t index) const;  ///< "[17][4095]"
  std::string text() const;                           ///< "x bf16 (8192, 8192)"
};

}  // namespace cutelab::kernel
