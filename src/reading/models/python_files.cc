#include <algorithm>
#include <filesystem>

#include "reading/models/arguments.h"
#include "reading/models/python_models.h"

// Paths of files and modules loaded from one: pathlib, os.path, importlib.util. Record "Path": text. Record
// "ModuleSpec": path, loader (Record "Loader").
namespace cutelab::reading::machine::python_models {
namespace fs = std::filesystem;

std::optional<std::string> path_text(Machine& m, const Value& v) {
  if (const Text* text = v.as<Text>()) return text->text;
  const Record* path = record_if(v, "Path");
  return path ? text_in(m.field(path, "text")) : std::nullopt;
}

Value made_path(Machine& m, const fs::path& path) {
  Record* out = m.record("Path", "pathlib.Path");
  put(m, out, "text", m.text(path.lexically_normal().string()));
  return out;
}

/// Path(a, b, …), path / more, more / path.
std::optional<fs::path> joined(Machine& m, const std::vector<Value>& parts) {
  fs::path out;
  for (const Value& part : parts) {
    const auto text = path_text(m, part);
    if (!text) return std::nullopt;
    out /= *text;
  }
  return out;
}

Answer path_of(Call& c) {
  const auto path = joined(c.machine, c.arguments);
  return path ? Answer(made_path(c.machine, *path)) : std::nullopt;
}

Answer path_join(Call& c) {
  std::vector<Value> parts{c.self};
  parts.insert(parts.end(), c.arguments.begin(), c.arguments.end());
  const auto path = joined(c.machine, parts);
  return path ? Answer(made_path(c.machine, *path)) : std::nullopt;
}

Answer path_join_left(Call& c) {
  const auto path = joined(c.machine, {c.get(0, ""), c.self});
  return path ? Answer(made_path(c.machine, *path)) : std::nullopt;
}

Answer parent(Machine& m, const Value& self) {
  return made_path(m, fs::path(path_text(m, self).value_or("")).parent_path());
}
Answer last_name(Machine& m, const Value& self) {
  return m.text(fs::path(path_text(m, self).value_or("")).filename().string());
}
Answer stem(Machine& m, const Value& self) {
  return m.text(fs::path(path_text(m, self).value_or("")).stem().string());
}
Answer parents(Machine& m, const Value& self) {
  std::vector<Value> out;
  for (fs::path p = path_text(m, self).value_or(""); p.has_relative_path(); p = p.parent_path())
    out.push_back(made_path(m, p.parent_path()));
  return m.tuple(std::move(out));
}

Answer os_join(Call& c) {
  const auto path = joined(c.machine, c.arguments);
  return path ? Answer(c.machine.text(path->string())) : std::nullopt;
}

template <bool folder>
Answer os_part(Call& c) {
  const auto text = path_text(c.machine, c.get(0, "p"));
  if (!text) return std::nullopt;
  const fs::path path(*text);
  return c.machine.text(folder ? path.parent_path().string() : path.filename().string());
}

Answer os_absolute(Call& c) {
  const auto text = path_text(c.machine, c.get(0, "path"));
  return text ? Answer(c.machine.text(fs::path(*text).lexically_normal().string())) : std::nullopt;
}

Answer spec_from_file(Call& c) {
  const auto path = path_text(c.machine, c.get(1, "location"));
  if (!path) return std::nullopt;
  Record* spec = record_of(c, "ModuleSpec");
  put(c.machine, spec, "path", c.machine.text(*path));
  put(c.machine, spec, "loader", record_of(c, "Loader"));
  return Value(spec);
}

Answer module_from_spec(Call& c) {
  const Record* spec = record_if(c.get(0, "spec"), "ModuleSpec");
  const auto path = spec ? path_text(c.machine, c.machine.field(spec, "path")) : std::nullopt;
  const Value made = path ? c.machine.module_from_file(*path) : Value();
  return made.bound() ? Answer(made) : std::nullopt;
}

/// import_module(name): the library's modules; others are not looked for.
Answer import_module(Call& c) {
  const auto name = text_in(c.get(0, "name"));
  if (!name || (*name != "cutlass" && !name->starts_with("cutlass."))) return std::nullopt;
  return c.machine.external(*name);
}

Answer exec_module(Call& c) {
  Module* module = c.get(0, "module").as<Module>();
  if (!module) return std::nullopt;
  c.machine.run_module(module);
  return c.machine.raising() ? Value() : Value::none();
}

void add_files(Natives& n) {
  for (const char* name : {"Path", "PurePath", "PosixPath"}) n.function("pathlib", name, path_of);
  for (const char* name : {"resolve", "absolute", "expanduser"}) n.method("Path", name, answer_self);
  for (const char* name : {"joinpath", "__truediv__"}) n.method("Path", name, path_join);
  n.method("Path", "__rtruediv__", path_join_left);
  n.getter("Path", "parent", parent);
  n.getter("Path", "parents", parents);
  n.getter("Path", "name", last_name);
  n.getter("Path", "stem", stem);
  n.function("os", "path.join", os_join);
  n.function("os", "path.dirname", os_part<true>);
  n.function("os", "path.basename", os_part<false>);
  for (const char* name : {"path.abspath", "path.realpath", "path.normpath"})
    n.function("os", name, os_absolute);
  n.function("importlib", "spec_from_file_location", spec_from_file);
  n.function("importlib", "module_from_spec", module_from_spec);
  n.function("importlib", "import_module", import_module);
  n.method("Loader", "exec_module", exec_module);
}

}  // namespace cutelab::reading::machine::python_models
