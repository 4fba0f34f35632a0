// racksim fit prints where every program of this build goes, and writes its dependency graph for Graphviz.
#include <catch2/catch.hpp>

#include "p4model/execute/registry.hpp"
#include "tests/tools/run_racksim.hpp"
#include "tools/scenario/catalogue.hpp"

namespace fit_command_test {

using namespace racksim;
using namespace racksim::tools;
using namespace racksim::tools::testing;
using Catch::Contains;
using Catch::StartsWith;

TEST_CASE("every switch program fits, with a table by stage and a graph of its dependencies") {
  const TemporaryFolder folder;
  const auto programs = names_of(p4::programs());
  for (const char* expected : {"flowcc-lcf", "l2l3-forwarding", "netcache", "starcache"}) {
    CHECK(std::find(programs.begin(), programs.end(), expected) != programs.end());
  }
  for (const std::string& program : programs) {
    INFO(program);
    const Outcome fit = run_racksim(folder, "fit " + program + " --dot graph.dot");
    CHECK(fit.status == 0);
    CHECK(fit.err.empty());
    CHECK_THAT(fit.out, Contains("stage"));
    const std::string graph = content(folder.path() / "graph.dot");
    CHECK_THAT(graph, StartsWith("digraph \"") && Contains("label=\"stage 0\"") && Contains("n0 [label="));
    CHECK(std::count(graph.begin(), graph.end(), '{') == std::count(graph.begin(), graph.end(), '}'));
  }
}

TEST_CASE("an unknown program and a graph that cannot be written are told") {
  const TemporaryFolder folder;
  const Outcome unknown = run_racksim(folder, "fit starcash");
  CHECK(unknown.status == 2);
  CHECK_THAT(unknown.err, Contains("did you mean \"starcache\"?"));
  const Outcome unwritable = run_racksim(folder, "fit starcache --dot /dev/null/graph.dot");
  CHECK(unwritable.status == 2);
  CHECK_THAT(unwritable.err, Contains("a file that can be written"));
}

}  // namespace fit_command_test
