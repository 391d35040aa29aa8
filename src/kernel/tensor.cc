#include "kernel/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <numeric>

namespace cutelab::kernel {

const char* name_of(Fill fill) {
  switch (fill) {
    case Fill::uniform:
      return "uniform [-1, 1)";
    case Fill::normal:
      return "normal";
    case Fill::adversarial:
      return "adversarial";
    case Fill::zeros:
      return "zeros";
  }
  return "?";
}

const std::vector<std::string>& fill_words() {
  static const std::vector<std::string> words = {"uniform", "normal", "adversarial", "zeros"};
  return words;
}

const std::string& word_of(Fill fill) { return fill_words()[static_cast<std::size_t>(fill)]; }

Fill fill_of(const std::string& word) {
  const auto& words = fill_words();
  const auto at = std::find(words.begin(), words.end(), word);
  return at == words.end() ? Fill::uniform : static_cast<Fill>(at - words.begin());
}

Tensor::Tensor(std::string tensor_name, DType type, std::vector<std::int64_t> extents)
    : name(std::move(tensor_name)), dtype(type), shape(std::move(extents)) {
  // All bits set is a NaN in each of the floating types.
  data.assign(bytes_of(dtype, size()), std::byte{0xFF});
}

std::int64_t Tensor::size() const {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

double Tensor::at(std::int64_t index) const { return decode(dtype, data.data(), index); }

void Tensor::set(std::int64_t index, double value) { encode(dtype, data.data(), index, value); }

namespace {

constexpr unsigned adversarial_choices = 64;    // two of them are a zero and a denormal
constexpr unsigned adversarial_exponents = 26;  // from the least one on
constexpr int least_adversarial_exponent = -20;

/// splitmix64 (Steele, Lea, Flood 2014): one 64-bit state, every seed good, the same on every machine.
class Random {
 public:
  explicit Random(Seed seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }  ///< [0, 1)

 private:
  std::uint64_t state_;
};

/// Box-Muller, one of the pair.
double normal(Random& random) {
  return std::sqrt(-2 * std::log(1 - random.unit())) * std::cos(2 * std::numbers::pi * random.unit());
}

double drawn(Fill kind, Random& random) {
  switch (kind) {
    case Fill::zeros:
      return 0;
    case Fill::uniform:
      return 2 * random.unit() - 1;
    case Fill::normal:
      return normal(random);
    case Fill::adversarial: {
      const std::uint64_t choice = random.bits() % adversarial_choices;
      const double sign = random.bits() % 2 ? 1 : -1;
      if (choice == 0) return 0;
      if (choice == 1) return sign * 0x1p-130;  // a bf16 and fp32 denormal; zero in fp16
      return sign * std::ldexp(1 + random.unit(), static_cast<int>(random.bits() % adversarial_exponents) +
                                                      least_adversarial_exponent);
    }
  }
  return 0;
}

double drawn_integer(Fill kind, double most, Random& random) {
  switch (kind) {
    case Fill::zeros:
      return 0;
    case Fill::uniform:
      return std::floor(random.unit() * (2 * most + 2)) - most - 1;
    case Fill::normal:
      return std::nearbyint(normal(random) * most / 4);
    case Fill::adversarial: {
      const double choices[] = {-most - 1, most, most, -most, 0, 1, -1};
      return choices[random.bits() % std::size(choices)];
    }
  }
  return 0;
}

/// A power of two; zeros are 1, the scale that changes nothing.
double drawn_scale(Fill kind, Random& random) {
  const int most = kind == Fill::zeros ? 0 : kind == Fill::adversarial ? 20 : 3;
  return std::ldexp(1.0, static_cast<int>(random.bits() % static_cast<unsigned>(2 * most + 1)) - most);
}

}  // namespace

double root_mean_square(Fill fill) {
  if (fill == Fill::zeros) return 0;
  if (fill == Fill::normal) return 1;
  if (fill == Fill::uniform) return std::sqrt(1.0 / 3);
  double squares = 0;  // a mantissa of [1, 2) has a mean square of 7/3
  for (unsigned i = 0; i < adversarial_exponents; ++i)
    squares += std::ldexp(7.0 / 3, 2 * (static_cast<int>(i) + least_adversarial_exponent));
  return std::sqrt(squares / adversarial_exponents * (adversarial_choices - 2) / adversarial_choices);
}

double largest_magnitude(Fill fill) {
  if (fill == Fill::zeros) return 0;
  if (fill == Fill::uniform) return 1;
  if (fill == Fill::normal) return std::sqrt(-2 * std::log(0x1p-53));
  return std::ldexp(2.0, static_cast<int>(adversarial_exponents) - 1 + least_adversarial_exponent);
}

void Tensor::fill(Fill kind, Seed seed) {
  Random random(seed);
  for (std::int64_t i = 0, n = size(); i < n; ++i)
    set(i, dtype == DType::ue8m0 ? drawn_scale(kind, random)
           : is_integer(dtype)   ? drawn_integer(kind, largest(dtype), random)
                                 : drawn(kind, random));
}

std::string Tensor::coordinates(std::int64_t index) const {
  std::string out;
  for (std::size_t d = shape.size(); d-- > 0;) {
    out = fmt::format("[{}]", index % shape[d]) + out;
    index /= shape[d];
  }
  return out;
}

std::string Tensor::text() const {
  return fmt::format("{} {} ({}{})", name, name_of(dtype), fmt::join(shape, ", "),
                     shape.size() == 1 ? "," : "");
}

}  // namespace cutelab::kernel
