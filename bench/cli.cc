// What every start of the program pays before its verb runs.
#include <benchmark/benchmark.h>

#include "base/text.h"
#include "cli/verb.h"

namespace {

void dispatch_overview(benchmark::State& state) {
  for (auto _ : state) {
    const auto verbs = cutelab::cli::all_verbs();
    std::size_t length = 0;
    for (const auto& verb : verbs) length += cutelab::cli::help_text(verb->spec()).size();
    benchmark::DoNotOptimize(length);
  }
}
BENCHMARK(dispatch_overview)->Name("cli/help_of_every_verb")->Unit(benchmark::kMicrosecond);

void parse_command_line(benchmark::State& state) {
  const auto verbs = cutelab::cli::all_verbs();
  const cutelab::cli::VerbSpec spec = verbs.back()->spec();
  for (auto _ : state) {
    auto arguments = cutelab::cli::parse_arguments(spec, {"word", "--json=file", "--repetitions=3"});
    benchmark::DoNotOptimize(arguments.ok());
  }
}
BENCHMARK(parse_command_line)->Name("cli/parse_arguments")->Unit(benchmark::kMicrosecond);

}  // namespace
