// The runs. See memory_estimates.hpp.
#include "tools/bench/memory_estimates.hpp"

#include <fmt/core.h>

#include "tools/bench/scenario_runs.hpp"
#include "tools/experiment/machine_needs.hpp"
#include "tools/files/data_files.hpp"
#include "tools/json/json_document.hpp"
#include "tools/scenario/scenario.hpp"

namespace racksim::tools {
namespace {

struct ProtocolRuns {
  const char *protocol, *testbed, *workload, *quick;
};

constexpr ProtocolRuns kRuns[] = {
    {"flowcc", "concordia-8", "micro", "quickstart.json"},
    {"gam", "gam-8", "micro", "gam/micro-sharing-quick.json"},
    {"selcc", "selcc-16", "micro", "selcc/zipf-read-intensive-quick.json"},
    {"sel", "selcc-16", "micro", "selcc/zipf-read-intensive-quick.json"},
    {"rpc-directory", "selcc-16", "micro", "rpc-directory/uniform-write-intensive-quick.json"},
    {"cckvs", "cckvs-9", "key-value", "cckvs/zipf-0.99-lin-1pct-quick.json"},
    {"cckvs-base", "cckvs-9", "key-value", "cckvs/zipf-0.99-lin-1pct-quick.json"},
    {"nocache", "starcache-8", "key-value", "starcache/zipf-0.99.json"},
    {"netcache", "starcache-8", "key-value", "starcache/zipf-0.99.json"},
    {"starcache", "starcache-8", "key-value", "starcache/zipf-0.99.json"},
};

MemoryEstimate measured(std::string run, const Scenario& scenario) {
  return {std::move(run), machine_needs(scenario).bytes(), peak_memory_of(scenario)};
}

}  // namespace

std::vector<MemoryEstimate> memory_estimates(const std::string& operations, const Catalogue& catalogue) {
  std::vector<MemoryEstimate> estimates;
  for (const ProtocolRuns& runs : kRuns) {
    // Without a cache a server is overloaded where one is not.
    const std::vector<std::string> overrides{
        fmt::format("protocol.name=\"{}\"", runs.protocol),
        fmt::format(R"(run={{"warmup":"0us","measure":{{"operations":{}}},"expect_timeouts":true}})", operations),
        "expect={}"};
    // Lines that nobody has touched take nothing, nor do caches that cannot fill.
    const std::string document = fmt::format(
        R"({{"version":1,"rack":"{}","protocol":{{"name":"{}"}},"workload":{{"kind":"{}"{}}},"check":{{"all":true}}}})",
        runs.testbed, runs.protocol, runs.workload,
        runs.workload == std::string_view("micro") ? R"(,"threads":2,"working_set":"1GiB","warm_passes":0.01)" : "");
    estimates.push_back(measured(fmt::format("{}.default", runs.protocol),
                                 read_scenario(parse_json(document, "default"), "default", catalogue, overrides)));
    estimates.push_back(measured(fmt::format("{}.quick", runs.protocol),
                                 load_scenario(find_scenario_file(runs.quick), catalogue, overrides)));
  }
  return estimates;
}

}  // namespace racksim::tools
