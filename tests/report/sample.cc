#include "report/sample.h"

#include "evidence/names.h"

namespace cutelab::report::testing {
using namespace evidence;

std::string sample_source() {
  return R"(import cutlass
import cutlass.cute as cute
from cutlass import pipeline

"""Scale a matrix: a load warp fills a ring of tiles, four warps scale and store them."""


class ScaleKernel:
    def __init__(self, stages: int = 4):
        self.stages = stages
        self.load_warp_id = 4
        self.scale_warp_ids = (0, 1, 2, 3)
        self.threads_per_cta = 160

    @cute.jit
    def __call__(self, src: cute.Tensor, dst: cute.Tensor, stream):
        @cute.struct
        class SharedStorage:
            ring_barriers: cute.struct.MemRange[cutlass.Int64, self.stages * 2]
            tiles: cute.struct.Align[cute.struct.MemRange[cutlass.Float16, 32768], 1024]

        self.kernel(src, dst).launch(
            grid=(cute.ceil_div(src.shape[0], 128), 1, 1),
            block=(self.threads_per_cta, 1, 1),
            stream=stream,
        )

    @cute.kernel
    def kernel(self, src, dst):
        ring = pipeline.PipelineTmaAsync.create(num_stages=self.stages)
        if warp_idx == self.load_warp_id:
            ring.producer_acquire(state)
            ring.producer_tail(state)
        if warp_idx < self.load_warp_id:
            ring.consumer_wait(state)
            ring.consumer_release(state)
)";
}

namespace {

/// The place of the first line that contains `piece`.
Location where(const std::string& source, const std::string& piece) {
  const auto found = source.find(piece);
  if (found == std::string::npos) return {};
  Location at;
  at.span.line = at.span.end_line = 1;
  std::size_t line_begin = 0;
  for (std::size_t i = 0; i < found; ++i)
    if (source[i] == '\n') {
      ++at.span.line;
      line_begin = i + 1;
    }
  at.span.end_line = at.span.line;
  at.span.column = static_cast<std::uint32_t>(found - line_begin + 1);
  at.span.begin = static_cast<std::uint32_t>(found);
  at.span.end = static_cast<std::uint32_t>(found + piece.size());
  return at;
}

class Build {
 public:
  Build(Reading& reading, std::string source) : reading_(reading), source_(std::move(source)) {}

  Fact& fact(Family family, const char* kind, const char* subject, const char* says, const char* piece) {
    Fact fact;
    fact.family = family;
    fact.kind = kind;
    fact.subject = subject;
    fact.says = says;
    fact.at = where(source_, piece);
    fact.kernel = "ScaleKernel.kernel";
    reading_.facts.push_back(fact);
    return reading_.facts.back();
  }

  Location at(const char* piece) const { return where(source_, piece); }

 private:
  Reading& reading_;
  std::string source_;
};

Value number(std::int64_t n, const char* formula = "") {
  Value value = literal(n);
  value.formula = formula;
  if (*formula) value.known_by = KnownBy::computed;
  return value;
}

Value triple(std::int64_t a, std::int64_t b, std::int64_t c) {
  Value value;
  value.data = Value::List{literal(a), literal(b), literal(c)};
  return value;
}

void add_launch(Build& build) {
  const Location grid = build.at("grid=(");
  build.fact(Family::H2, kind::launch, "self.kernel", "launches ScaleKernel.kernel",
             "self.kernel(src, dst).launch(");
  build.fact(Family::H2, kind::grid, "grid", "one block per 128 rows", "grid=(").values["grid"] =
      undetermined("known only at run time", {"src.shape[0]"}, grid,
                   "(cute.ceil_div(src.shape[0], 128), 1, 1)");
  build.fact(Family::H2, kind::block, "block", "160 threads: five warps", "block=(").values["block"] =
      triple(160, 1, 1);
  build.fact(Family::H4, kind::launch_keyword, "stream", "the caller's stream", "stream=stream")
      .values["stream"] =
      undetermined("known only at run time", {"stream"}, build.at("stream=stream"), "stream");
}

void add_memory(Build& build) {
  Fact& storage = build.fact(Family::H3, kind::storage, "SharedStorage", "shared storage of 66,560 bytes",
                             "class SharedStorage");
  storage.values["bytes"] = number(66560, "64 -> 1024, + 65536");
  Fact& barriers = build.fact(Family::H3, kind::storage_member, "ring_barriers",
                              "full and empty barriers of the ring", "ring_barriers:");
  barriers.optional = true;
  barriers.values["type"] = literal("Int64");
  barriers.values["bytes"] = number(64, "8 * self.stages * 2");
  Fact& tiles = build.fact(Family::H3, kind::storage_member, "tiles", "the ring's tiles", "tiles:");
  tiles.values["type"] = literal("Float16");
  tiles.values["bytes"] = number(65536, "2 * 32768");
  tiles.values["alignment"] = number(1024);
  build.fact(Family::H3, kind::capacity, "capacity", "limit of sm_90", "class SharedStorage")
      .values["bytes"] = number(232448);
  build.fact(Family::H3, kind::stages, "self.stages", "four stages by default", "self.stages = stages")
      .values["stages"] = number(4);
}

void add_roles(Build& build) {
  build.fact(Family::D1, kind::role, "load", "warp 4 fills the ring", "if warp_idx == self.load_warp_id")
      .values["warps"] = number(4);
  Fact& scale = build.fact(Family::D1, kind::role, "scale", "warps 0 to 3 scale and store",
                           "if warp_idx < self.load_warp_id");
  Value warps;
  warps.data = Value::List{number(0), number(1), number(2), number(3)};
  scale.values["warps"] = warps;
  Fact& ring = build.fact(Family::D2, kind::pipeline, "ring",
                          "ring of four tiles from the load warp to the scale warps", "ring = pipeline");
  ring.values["class"] = literal("PipelineTmaAsync");
  ring.values["stages"] = number(4, "self.stages");
  ring.values["bytes"] = number(16384, "2 * 8192");
  build.fact(Family::D2, kind::acquire, "ring", "waits for a free stage", "ring.producer_acquire").role =
      "load";
  build.fact(Family::D2, kind::tail, "ring", "waits until every stage is free again", "ring.producer_tail")
      .role = "load";
  build.fact(Family::D2, kind::wait, "ring", "waits for a full stage", "ring.consumer_wait").role = "scale";
  build.fact(Family::D2, kind::release, "ring", "hands the stage back", "ring.consumer_release").role =
      "scale";
}

void add_patterns(Reading& reading, const Build& build) {
  const char* titles[] = {"TMA multi-stage pipeline",
                          "warp specialization",
                          "persistent loop and scheduler",
                          "online softmax or streaming accumulation",
                          "register-level accumulators",
                          "swizzle",
                          "cluster communication",
                          "epilogue type",
                          "boundary handling",
                          "drain"};
  for (int i = 0; i < 10; ++i) {
    PatternFinding p;
    p.id = "P" + std::to_string(i + 1);
    p.title = titles[i];
    reading.patterns.push_back(p);
  }
  PatternFinding& ring = reading.patterns[0];
  ring.present = true;
  ring.default_active = Tristate::yes;
  ring.says = "ring of 4 stages from load to scale";
  ring.at = {build.at("ring = pipeline"), build.at("ring.producer_acquire")};
  ring.values["stages"] = number(4);
  PatternFinding& roles = reading.patterns[1];
  roles.present = true;
  roles.default_active = Tristate::yes;
  roles.says = "2 roles run different loops";
  roles.at = {build.at("if warp_idx == self.load_warp_id"), build.at("if warp_idx < self.load_warp_id")};
  PatternFinding& drain = reading.patterns[9];
  drain.present = true;
  drain.default_active = Tristate::undetermined;
  drain.condition = "self.stages > 1";
  drain.says = "producer tail after the loop";
  drain.at = {build.at("ring.producer_tail")};
  reading.patterns[2].says = "no loop over output tiles";
}

}  // namespace

Reading sample_reading() {
  Reading reading;
  const std::string source = sample_source();
  Build build(reading, source);
  reading.files = {{"examples/scale.py", "0123456789abcdef", 39}};
  reading.language = "cute-dsl";
  reading.style = "class";
  reading.summary = "Scale a matrix: a load warp fills a ring of tiles, four warps scale and store them.";
  reading.arch = {"sm_90", {}, "PipelineTmaAsync needs TMA and mbarriers", {build.at("ring = pipeline")}, {}};
  reading.functions = {{"ScaleKernel.__call__",
                        Function::Kind::jit,
                        build.at("def __call__"),
                        {{1, build.at("self.kernel(src, dst).launch("), true}}},
                       {"ScaleKernel.kernel", Function::Kind::kernel, build.at("def kernel"), {}}};
  add_launch(build);
  add_memory(build);
  add_roles(build);
  add_patterns(reading, build);
  return reading;
}

std::string hostile_source() {
  return "# </script><script>alert(1)</script> \x1b[2J\xFF\n\"\"\"unfinished \" ' <!-- \nx = '</style>'\n" +
         std::string(3000, 'w') + "\n";
}

Reading hostile_reading() {
  Reading reading;
  const std::string evil =
      "\x1b]0;owned\x07\"><img src=x onerror=alert(1)>'</script>\xFF\u202Eevil 漢字 " + std::string(300, 'L');
  reading.files = {{"dir/" + evil + ".py", evil, 4}, {"helpers/" + evil, evil, 10}};
  reading.language = evil;
  reading.style = evil;
  reading.summary = evil + "\n" + evil;
  reading.arch = {evil, {evil, evil}, evil, {Location{1, {0, 4, 1, 1, 1}}}, {}};
  for (int k = 0; k < 3; ++k)
    reading.functions.push_back({"K" + std::to_string(k) + evil,
                                 Function::Kind::kernel,
                                 Location{0, {0, 5, 1, 2, 1}},
                                 {{99, {}, true}, {-1, {}, false}}});
  const char* kinds[] = {kind::launch,      kind::grid,           kind::role,     kind::pipeline,
                         kind::storage,     kind::storage_member, kind::capacity, kind::tma_descriptor,
                         kind::mma,         kind::acquire,        kind::wait,     kind::register_budget,
                         "of-no-known-kind"};
  for (int i = 0; i < 130; ++i) {
    Fact fact;
    fact.family = all_families[i % 13];
    fact.kind = kinds[i % 13];
    fact.subject = evil + std::to_string(i);
    fact.says = evil;
    fact.at =
        i % 5
            ? Location{i % 2, {0, 5, static_cast<std::uint32_t>(1 + i), static_cast<std::uint32_t>(1 + i), 1}}
            : Location{};
    fact.kernel = i % 4 ? reading.functions[static_cast<std::size_t>(i % 3)].name : "";
    fact.role = evil + std::to_string(i % 9);
    for (const char* name : {"bytes", "stages", "class", "warps", "grid", "</td>"})
      fact.values[name] =
          i % 3 ? undetermined(evil, {evil, "b"}, fact.at, evil) : literal(std::int64_t{i} - 7);
    reading.facts.push_back(fact);
  }
  for (int i = 1; i <= 10; ++i)
    reading.patterns.push_back({"P" + std::to_string(i),
                                evil,
                                i % 2 == 0,
                                Tristate::undetermined,
                                evil,
                                evil,
                                evil,
                                {Location{0, {0, 1, 3, 3, 1}}},
                                {}});
  reading.flags = {{evil, evil, literal(evil), {}}};
  reading.imports = {{evil, evil, {}}};
  reading.constraints = {{evil, {}, evidence::Constraint::Verdict::violated, evil}};
  reading.default_conflicts = {{evil, {{evil, evidence::literal(evil), {}}}}};
  reading.give_ups = {{evil, {evil}, {}}};
  reading.problems = {{evil, Location{0, {0, 1, 2, 2, 1}}}};
  return reading;
}

}  // namespace cutelab::report::testing
