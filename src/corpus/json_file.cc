#include "corpus/json_file.h"

#include <nlohmann/json.hpp>

namespace cutelab::corpus {

Result<nlohmann::json> load_data_file(const FileSource& files, const std::string& path) {
  auto text = files.read(path, 16u << 20);
  if (!text)
    return Error{
        ErrorKind::input, "read the program's data", text.error().wrong, path,
        "it lies in cutelab's source tree: use the launcher there, or set CUTELAB_ROOT to that folder"};
  auto json = nlohmann::json::parse(*text, nullptr, false);
  if (!json.is_object())
    return Error{ErrorKind::internal, "read the program's data", "the file is not a JSON object", path,
                 "restore it with git"};
  return json;
}

std::vector<std::string> string_list(const nlohmann::json& object, const char* key) {
  std::vector<std::string> out;
  const auto it = object.find(key);
  if (it == object.end() || !it->is_array()) return out;
  for (const auto& item : *it)
    if (item.is_string()) out.push_back(item.get<std::string>());
  return out;
}

std::string string_of(const nlohmann::json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

}  // namespace cutelab::corpus
