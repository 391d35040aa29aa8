#include "corpus/signals.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "corpus/json_file.h"

namespace cutelab::corpus {
namespace {

std::string_view body(const std::string& word) {
  std::string_view s = word;
  if (!s.empty() && s.front() == '*') s.remove_prefix(1);
  if (!s.empty() && s.back() == '*') s.remove_suffix(1);
  return s;
}

}  // namespace

std::uint64_t fnv1a(std::string_view bytes, std::uint64_t seed) {
  for (const char c : bytes) seed = (seed ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return seed;
}

SignalTable::SignalTable(std::vector<Signal> signals) : signals_(std::move(signals)) {
  fingerprint_ = fnv1a("signals");
  for (int i = 0; i < size(); ++i) {
    const std::string& word = signals_[static_cast<std::size_t>(i)].word;
    fingerprint_ = fnv1a(word + "\n", fingerprint_);
    if (const auto dot = word.rfind('.'); dot != std::string::npos)
      qualifiers_.emplace(word.substr(0, dot), i), qualifier_shapes_.add(word.substr(0, dot));
    const bool front = word.front() == '*', back = word.back() == '*';
    if (!front && !back) {
      exact_.emplace(word, i);
      exact_shapes_.add(word);
    } else if (front && back) {
      infixes_.push_back(i);
    } else if (back) {
      prefixes_.push_back(i);
      first_letter_[static_cast<unsigned char>(word.front())] = true;
    } else {
      suffixes_.push_back(i);
      last_letter_[static_cast<unsigned char>(word.back())] = true;
    }
  }
  const auto longer = [this](int a, int b) {
    return signals_[static_cast<std::size_t>(a)].word.size() >
           signals_[static_cast<std::size_t>(b)].word.size();
  };
  for (auto* list : {&prefixes_, &suffixes_, &infixes_}) std::stable_sort(list->begin(), list->end(), longer);
}

int SignalTable::find(std::string_view identifier) const {
  if (exact_shapes_.may_hold(identifier))
    if (const auto it = exact_.find(identifier); it != exact_.end()) return it->second;
  return match(identifier);
}

int SignalTable::match(std::string_view identifier) const {
  if (identifier.empty()) return -1;
  if (first_letter_[static_cast<unsigned char>(identifier.front())])
    for (const int i : prefixes_)
      if (identifier.starts_with(body(signals_[static_cast<std::size_t>(i)].word))) return i;
  if (last_letter_[static_cast<unsigned char>(identifier.back())])
    for (const int i : suffixes_)
      if (identifier.ends_with(body(signals_[static_cast<std::size_t>(i)].word))) return i;
  for (const int i : infixes_)
    if (identifier.find(body(signals_[static_cast<std::size_t>(i)].word)) != std::string_view::npos) return i;
  return -1;
}

Result<SignalTable> SignalTable::load(const FileSource& files, const std::string& data_folder) {
  auto json = load_data_file(files, data_folder + "/signals.json");
  if (!json) return json.error();
  std::vector<Signal> signals;
  for (const auto& j : json->at("signals")) {
    Signal s;
    s.word = string_of(j, "word");
    if (body(s.word).empty()) continue;
    s.feature = string_of(j, "feature");
    s.construct = string_of(j, "construct");
    s.dtype = string_of(j, "dtype");
    s.patterns = string_list(j, "patterns");
    s.weak = j.value("weak", false);
    signals.push_back(std::move(s));
  }
  return SignalTable(std::move(signals));
}

}  // namespace cutelab::corpus
