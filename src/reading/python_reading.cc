#include "reading/python_reading.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/checklist/checklist.h"
#include "reading/evaluator/traced.h"
#include "reading/facts/assumed_device.h"
#include "reading/facts/context.h"
#include "reading/spoken_target.h"

namespace cutelab::reading {
namespace {
using evidence::Reading;

void add_files(const source::Program& program, Reading& reading) {
  for (int m = static_cast<int>(reading.files.size()); m < program.size(); ++m) {
    const source::Tree& tree = program.module(m).tree();
    const bool open_end = tree.text().empty() || tree.text().back() == '\n';  // an empty last line
    reading.files.push_back(
        {program.module(m).path(), program.module(m).revision(), tree.lines() - (open_end ? 1 : 0)});
  }
}

void add_problems(const source::Tree& tree, Reading& reading) {
  for (const source::Problem& problem : tree.problems())
    reading.problems.push_back({problem.what, {0, problem.span}});
}

void extract(FactContext& context) {
  extract_constructs(context);
  extract_launches(context);
  extract_storage(context);
  extract_roles(context);
  extract_descriptors(context);
  extract_copies(context);
  extract_extension(context);
  extract_primitives(context);
  extract_inline_ptx(context);
  add_copies_of_wrappers(context);
  extract_barriers(context);
  extract_pipelines(context);
  extract_arrivals(context);
  extract_barrier_rings(context);
  extract_copy_targets(context);
  extract_mma(context);
  extract_tensor_memory(context);
  extract_atoms(context);
  extract_helper_barriers(context);
  extract_layouts(context);
  extract_epilogue(context);
  extract_store_fences(context);
  extract_boundaries(context);
  extract_trip_counts(context);
  extract_schedulers(context);
  extract_hazards(context);
  extract_copy_groups(context);
  extract_thread_branches(context);
  extract_early_reads(context);
  extract_accesses(context);
  extract_tilings(context);
  name_roles(context);
  extract_handed_sides(context);
  refuse_no_extents(context);
}

/// A file without a kernel that imports one from a local module: whose facts lie there.
void note_kernels_elsewhere(FactContext& context) {
  const auto kernel_of = [](const source::PythonModule& module) -> const source::PythonFunction* {
    for (const source::PythonFunction& f : module.functions())
      if (f.has_decorator("kernel")) return &f;
    return nullptr;
  };
  if (kernel_of(context.module())) return;
  std::set<std::string> named;
  for (const source::Import& import : context.module().imports()) {
    int m = context.program.import(0, import.module);
    if (m <= 0 && !import.name.empty() && import.name != "*")
      m = context.program.import(0, import.module + (import.module.ends_with('.') ? "" : ".") + import.name);
    if (m <= 0) continue;
    const source::PythonModule& other = context.program.module(m);
    const source::PythonFunction* kernel = kernel_of(other);
    if (!kernel || !named.insert(other.path()).second) continue;
    Draft& draft = context.add(
        evidence::Family::H2, "kernel-elsewhere", kernel->qualified,
        "the kernel " + kernel->qualified + " lies in " + other.path() + ": read that file for its facts",
        import.statement);
    draft.construct = "kernel-elsewhere";
    draft.fact.optional = true;
    draft.fact.values["file"] = evidence::literal(other.path());
  }
}

/// The cluster a launch would get if every flag and constructor argument could be anything; None where none
/// is launched.
Abstract unconstrained_cluster(FactContext& context, Evaluator& anything) {
  std::vector<Abstract> found;
  for (const Draft& d : context.drafts)
    if (d.construct == "launch:cluster")
      found.push_back(anything.value_of(0, d.node.child(source::Field::value_field)));
  return found.empty() ? Abstract::none() : join(std::move(found));
}

void check_patterns(FactContext& context) {
  Folder anything(context.program, {}, Folder::Inputs::anything);
  const Abstract cluster = unconstrained_cluster(context, anything);
  auto& out = context.reading.patterns;
  out.push_back(tma_pipeline(context, anything));
  out.push_back(warp_specialization(context));
  out.push_back(persistent_loop(context));
  const Rescaling rescaling = find_rescaling(context);
  out.push_back(streaming_accumulation(context, rescaling));
  out.push_back(accumulator_management(context, rescaling));
  out.push_back(swizzle(context));
  out.push_back(cluster_communication(context, cluster));
  out.push_back(epilogue(context));
  out.push_back(boundary_handling(context));
  out.push_back(drain(context));
}

std::string kernel_around(const FactContext& context, source::Node node) {
  const source::PythonModule& module = context.module();
  for (int f = module.function_at(node); f >= 0;
       f = module.functions()[static_cast<std::size_t>(f)].enclosing)
    if (module.functions()[static_cast<std::size_t>(f)].has_decorator("kernel"))
      return module.functions()[static_cast<std::size_t>(f)].qualified;
  return {};
}

const RoleBlock* role_around(const FactContext& context, source::Node node) {
  const RoleBlock* innermost = nullptr;
  for (const RoleBlock& role : context.roles)
    if (role.block.contains(node) && (!innermost || innermost->block.contains(role.block))) innermost = &role;
  return innermost;
}

/// The role that runs a helper function: the one role all its calls stand in, up to a few calls away.
class RolesOfFunctions {
 public:
  explicit RolesOfFunctions(const FactContext& context) : context_(context) {
    site_at_.reserve(context.calls().size());
    for (const CallSite& site : context.calls()) site_at_.emplace_back(key(site.call), &site);
    std::sort(site_at_.begin(), site_at_.end());
    for (const evidence::Function& caller : context.reading.functions)
      for (const evidence::Function::Call& call : caller.calls) calls_of_[call.callee].push_back(call.at);
  }

  const std::string& of(int function) {
    const auto known = known_.find(function);
    return known != known_.end() ? known->second : known_[function] = told(function, 0);
  }

 private:
  static std::uint64_t key(std::uint32_t begin, std::uint32_t end) {
    return std::uint64_t{begin} << 32 | end;
  }
  static std::uint64_t key(source::Node node) { return key(node.first_byte(), node.end_byte()); }

  std::string told(int function, int depth) const {
    if (function < 0 || depth > 4) return {};
    const auto calls = calls_of_.find(function);
    if (calls == calls_of_.end()) return {};
    std::string role;
    for (const evidence::Location& at : calls->second) {
      std::string one;
      const auto wanted = std::pair<std::uint64_t, const CallSite*>(key(at.span.begin, at.span.end), nullptr);
      const auto site =
          at.file == 0 ? std::lower_bound(site_at_.begin(), site_at_.end(), wanted) : site_at_.end();
      if (site != site_at_.end() && site->first == wanted.first) {
        const RoleBlock* block = role_around(context_, site->second->call);
        const int caller = site->second->function;
        one = block ? block->name : caller == function ? role : told(caller, depth + 1);
      }
      if (one.empty() || (!role.empty() && role != one)) return {};
      role = one;
    }
    return role;
  }

  const FactContext& context_;
  std::vector<std::pair<std::uint64_t, const CallSite*>> site_at_;  // by its bytes in the file that is read
  std::map<int, std::vector<evidence::Location>> calls_of_;         // by the function called
  std::map<int, std::string> known_;
};

/// Kinds of which the reading says when the defaults leave them out: objects that are made once, and
/// statements that rules count.
bool tells_activity(const std::string& kind) {
  static const std::set<std::string> kinds = {evidence::kind::pipeline,
                                              "pipeline-helper",
                                              "accumulator",
                                              "operand-fragment",
                                              evidence::kind::tensor_memory_tensor,
                                              evidence::kind::tma_descriptor,
                                              evidence::kind::launch,
                                              evidence::kind::launch_keyword,
                                              evidence::kind::allocation,
                                              evidence::kind::storage,
                                              evidence::kind::storage_member,
                                              evidence::kind::register_budget,
                                              evidence::kind::acquire,
                                              evidence::kind::commit,
                                              evidence::kind::wait,
                                              evidence::kind::release,
                                              evidence::kind::tail,
                                              evidence::kind::copy,
                                              "copy-group",
                                              evidence::kind::mma,
                                              evidence::kind::gemm,
                                              evidence::kind::barrier,
                                              evidence::kind::fence,
                                              evidence::kind::multicast_mask,
                                              evidence::kind::alias,
                                              evidence::kind::tensor_memory_allocation,
                                              "tma-operation",
                                              "device-descriptor",
                                              "tensormap-update",
                                              "tiling",
                                              "tmem-copy",
                                              evidence::kind::mma,
                                              evidence::kind::barrier,
                                              "tile",
                                              "epilogue-tile",
                                              "cta-tile",
                                              "dependent-launch"};
  return kinds.count(kind) > 0;
}

void note_inactive(FactContext& context, Draft& draft) {
  const evidence::Family family = draft.fact.family;
  const bool told = family == evidence::Family::B1 || family == evidence::Family::D6 ||
                    family == evidence::Family::H2 || family == evidence::Family::E1;
  if (!told && !tells_activity(draft.fact.kind)) return;
  const Activity activity = context.evaluator.active(0, draft.node);
  if (activity.state != evidence::Tristate::no) return;
  draft.fact.values["active"] = evidence::literal(false);
  draft.fact.values["condition"] = evidence::literal(activity.condition);
}

/// The one kernel that reaches a function through calls; "" where several or none do.
std::vector<std::string> kernels_of_functions(const FactContext& context) {
  const auto& functions = context.reading.functions;
  std::vector<std::string> out(functions.size());
  std::vector<std::set<std::size_t>> by(functions.size());
  for (std::size_t k = 0; k < functions.size(); ++k) {
    if (functions[k].kind != evidence::Function::Kind::kernel) continue;
    std::vector<std::size_t> open = {k};
    while (!open.empty()) {
      const std::size_t f = open.back();
      open.pop_back();
      if (!by[f].insert(k).second) continue;
      for (const auto& call : functions[f].calls)
        if (!call.launches && call.callee >= 0) open.push_back(static_cast<std::size_t>(call.callee));
    }
  }
  for (std::size_t f = 0; f < functions.size(); ++f)
    if (by[f].size() == 1) out[f] = functions[*by[f].begin()].name;
  return out;
}

/// A kernel of a program that ends with an error before it launches: what is told of it is the source's, not
/// the run's.
void note_unreached(FactContext& context, Draft& draft) {
  if (draft.fact.kernel.empty() || draft.fact.values.empty() || draft.fact.family == evidence::Family::H2)
    return;
  const std::string why = context.evaluator.never_entered(0, draft.node);
  if (!why.empty()) draft.fact.values["unreached"] = evidence::literal(why);
}

void finish_facts(FactContext& context) {
  RolesOfFunctions roles(context);
  const std::vector<std::string> kernel_of_function = kernels_of_functions(context);
  for (Draft& draft : context.drafts) {
    evidence::Fact& fact = draft.fact;
    if (fact.kernel.empty()) fact.kernel = kernel_around(context, draft.node);
    if (const int f = context.module().function_at(draft.node); fact.kernel.empty() && f >= 0)
      fact.kernel = kernel_of_function[static_cast<std::size_t>(f)];
    note_inactive(context, draft);
    note_unreached(context, draft);
    if (const RoleBlock* role = role_around(context, draft.node)) {
      fact.role = role->name;
    } else if (const int f = context.module().function_at(draft.node); f >= 0) {
      fact.role = roles.of(f);
    }
    for (const auto& [name, value] : fact.values)
      if (value.known_by == evidence::KnownBy::computed) fact.known_by = evidence::KnownBy::computed;
  }
  std::vector<Draft*> ordered;
  for (Draft& draft : context.drafts) ordered.push_back(&draft);
  std::stable_sort(ordered.begin(), ordered.end(), [](const Draft* a, const Draft* b) {
    return std::pair(a->fact.family, a->fact.at.span.begin) <
           std::pair(b->fact.family, b->fact.at.span.begin);
  });
  context.reading.facts.reserve(ordered.size());
  for (Draft* draft : ordered) context.reading.facts.push_back(std::move(draft->fact));
}

/// An end of the run says more than a place that it passed over.
bool ends_the_run(const evidence::Undetermined& stop) {
  return stop.reason.find("ends with an error") != std::string::npos ||
         stop.reason.find("limit") != std::string::npos ||
         stop.reason.find("too long") != std::string::npos || stop.reason.find("nest") != std::string::npos;
}

/// Where the run of the program could not follow it, each reason at a place once; what ended it first.
void note_give_ups(FactContext& context, const machine::Machine& machine) {
  std::set<std::pair<std::string, std::uint32_t>> told;
  auto& out = context.reading.give_ups;
  for (const machine::GiveUp& given_up : machine.give_ups()) {
    evidence::Undetermined stop{given_up.reason, {}, {}};
    if (!given_up.depends_on.empty()) stop.depends_on.push_back(given_up.depends_on);
    if (given_up.node && given_up.module < machine::Library::first) stop.at = context.at(given_up.node);
    if (given_up.module >= machine::Library::first) stop.reason += ", in the DSL's own sources";
    if (told.emplace(stop.reason, stop.at.span.begin).second) out.push_back(std::move(stop));
  }
  std::stable_partition(out.begin(), out.end(), ends_the_run);
}

Error unknown_setting(const Request& request, const std::string& name, const std::vector<Flag>& flags) {
  std::vector<std::string> names;
  for (const Flag& flag : flags) names.push_back(flag.dest);
  const auto near = nearest(name, names);
  return {ErrorKind::input, "read " + request.path,
          "the setting '" + name + "' names no flag and no attribute of this file", request.path,
          near ? "did you mean '" + *near + "'?"
               : "settings are command-line flags (" + cutelab::join(names, ", ").substr(0, 200) +
                     ") or self.<attribute>"};
}
/// The program run as its defaults have it. One for several ranks that refuses those defaults is run as the
/// only rank; one that launches nothing is entered through its launching functions, with their defaults: not
/// where it ends with an error, as that of a guard, before it comes to them.
std::unique_ptr<machine::Machine> run_program(source::Program& program, machine::Machine::Options options) {
  auto run = std::make_unique<machine::Machine>(program, options);
  run->run_main();
  const bool several = program.module(0).tree().text().find("--nproc") != std::string_view::npos;
  if (run->launches().empty() && several) {
    options.alone = true;
    auto alone = std::make_unique<machine::Machine>(program, options);
    alone->run_main();
    if (!alone->launches().empty()) return alone;
  }
  if (run->launches().empty() && run->error().empty()) run->run_entries();
  return run;
}
}  // namespace

Result<Reading> read_python(const Request& request, const FileSource& files, std::string text) {
  source::Program program(files, {request.corpus_root, {}, request.modules});
  program.open(request.path, std::move(text));
  Reading reading;
  reading.language = "cute-dsl";
  add_files(program, reading);
  add_problems(program.module(0).tree(), reading);
  Folder folder(program, request.settings);
  const std::vector<Flag> flags = folder.flags(0);
  std::unique_ptr<machine::Library> own;
  if (!request.library && !request.library_roots.empty())
    own = std::make_unique<machine::Library>(files, request.library_roots);
  const std::string target = request.arch.empty() ? spoken_target(program.module(0)) : request.arch;
  const std::unique_ptr<machine::Machine> run =
      run_program(program, {request.settings, target, request.library ? request.library.get() : own.get()});
  machine::Machine& machine = *run;
  TracedEvaluator evaluator(folder, machine);
  FactContext context(program, evaluator, flags, reading);
  read_functions(context);
  read_flags(context);
  read_imports(context);
  read_docstring(context);
  read_default_conflicts(context);
  check_constraints(context);
  note_give_ups(context, machine);
  reading.style = style_of(context);
  extract(context);
  note_kernels_elsewhere(context);
  check_patterns(context);
  read_architecture(context);
  add_files(program, reading);
  note_assumed_device(context, machine);
  finish_facts(context);
  reading.helper = std::none_of(reading.functions.begin(), reading.functions.end(),
                                [](auto& f) { return f.kind == evidence::Function::Kind::kernel; });
  if (reading.helper && reading.style != "helper" && reading.facts.empty()) reading.style = "helper";
  for (const std::string& unused : folder.unused_settings())
    if (!machine.used_settings().count(unused)) return unknown_setting(request, unused, flags);
  if (folder.gave_up())
    reading.problems.push_back({"the evaluation reached its step limit; later values are undetermined", {}});
  return reading;
}

}  // namespace cutelab::reading
