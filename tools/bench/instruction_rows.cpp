// The rows: scenarios of the tree with small working sets, and the kernels of `racksim bench`. See instruction_rows.hpp.
#include "tools/bench/instruction_rows.hpp"

#include <fmt/core.h>

#include <stdexcept>
#include <utility>

#include "sim/metrics/metrics.hpp"
#include "tools/bench/lcf_passes.hpp"
#include "tools/bench/rpc_echo.hpp"
#include "tools/bench/scenario_runs.hpp"
#include "tools/bench/single_parts.hpp"
#include "tools/experiment/assembly.hpp"
#include "tools/experiment/experiment.hpp"
#include "tools/experiment/machine_needs.hpp"
#include "tools/files/data_files.hpp"

namespace racksim::tools {

namespace {

using Work = decltype(InstructionRow::work);
using Settings = std::vector<std::string>;

/// A scenario of the tree with other settings; in one of them "{}" is the length.
struct ScaledScenario {
  std::string file;
  Settings settings;

  Scenario at(std::uint64_t length, const Catalogue& catalogue) const {
    Settings overrides{"expect={}"};
    for (const auto& setting : settings) {
      const auto place = setting.find("{}");
      overrides.push_back(place == std::string::npos ? setting
                                                     : std::string(setting).replace(place, 2, std::to_string(length)));
    }
    return load_scenario(find_scenario_file(file), catalogue, overrides);
  }
};

RunResult run_of(const Scenario& scenario) {
  sim::Metrics metrics;
  RunResult result = run_experiment(scenario, metrics, "", {});
  if (!result.pass) throw std::runtime_error("the oracles object to the run of " + scenario.name);
  return result;
}

Work events_of(ScaledScenario run) {
  return [run = std::move(run)](std::uint64_t length, const Catalogue& catalogue) {
    return run_of(run.at(length, catalogue)).events;
  };
}

Work operations_of(ScaledScenario run) {
  return [run = std::move(run)](std::uint64_t length, const Catalogue& catalogue) {
    return run_of(run.at(length, catalogue)).operations;
  };
}

/// A run of hardly any operations, whose length is the size of its data.
Work data_of(ScaledScenario run) {
  return [run = std::move(run)](std::uint64_t length, const Catalogue& catalogue) {
    run_of(run.at(length, catalogue));
    return length;
  };
}

/// Building and warming up alone, by the accesses of the warm-up.
Work warm_accesses_of(ScaledScenario run) {
  return [run = std::move(run)](std::uint64_t length, const Catalogue& catalogue) {
    const Scenario scenario = run.at(length, catalogue);
    sim::Metrics metrics;
    Assembly assembly(parts_of(scenario, nullptr), metrics);
    assembly.warm_up();
    return machine_needs(scenario).warm_accesses;
  };
}

/// The same, by the length: keys that a store is told of.
Work keys_of(ScaledScenario run) {
  return [run = std::move(run)](std::uint64_t length, const Catalogue& catalogue) {
    sim::Metrics metrics;
    Assembly(parts_of(run.at(length, catalogue), nullptr), metrics).warm_up();
    return length;
  };
}

const std::string kOperations = R"(run.measure={"operations":{}})", kUnchecked = R"(check={"all":false})";

std::vector<InstructionRow> make_rows() {
  // Working sets as short as still give each path its share, so that a warm-up does not take most of the time.
  const ScaledScenario quickstart{"quickstart.json", {kOperations, "workload.working_set=8MiB"}};
  const ScaledScenario migrating{"flowcc/migration.json",
                                 {"run.measure={}us", "workload.working_set=16MiB", "run.warmup=200us"}};
  const ScaledScenario gam{"gam/micro-sharing-quick.json", {kOperations, "workload.working_set=1600KiB"}};
  const ScaledScenario selcc{"selcc/zipf-read-intensive-quick.json",
                             {kOperations, "workload.reach=6MB", "protocol.selcc.cache=1MiB", "run.warmup=20us"}};
  const ScaledScenario directory{
      "rpc-directory/uniform-write-intensive-quick.json",
      {kOperations, "workload.reach=6MB", "protocol.rpc-directory.cache=1MiB", "run.warmup=20us"}};
  const ScaledScenario cckvs{"cckvs/zipf-0.99-lin-1pct-quick.json",
                             {"run.measure={}us", "run.warmup=10us", "workload.preload=20000"}};
  const ScaledScenario starcache{"starcache/zipf-0.99.json", {kOperations, "run.warmup=200us"}};
  const auto unchecked = [](ScaledScenario run) {
    run.settings.push_back(kUnchecked);
    return run;
  };
  // Beginnings and ends, whose length is the size of the data.
  const auto brief = [](const char* file, Settings settings) {
    settings.insert(settings.end(), {"run.measure=1us", "run.warmup=0us"});
    return ScaledScenario{file, std::move(settings)};
  };
  const auto cckvs_data = brief("cckvs/zipf-0.99-lin-1pct-quick.json", {"workload.preload={}"});
  const auto gam_data =
      brief("gam/micro-sharing-quick.json", {"workload.working_set={}KiB", "workload.same_list=false"});
  // Of a warm-up what its accesses cost when all data have been touched, where caches hold them and where they do not.
  const auto warming = [&](const char* file, Settings settings) {
    settings.push_back("workload.warm_passes={}");
    return warm_accesses_of(brief(file, std::move(settings)));
  };
  const auto flowcc_warming =
      warming("flowcc/micro.json", {"workload.working_set=32MiB", "workload.shared_bytes=16MiB"});
  const auto gam_warming = warming("gam/micro-sharing-quick.json", {"workload.working_set=3200KiB"});
  const auto selcc_warming = warming("selcc/zipf-read-intensive-quick.json",
                                     {"workload.reach=3MB", "protocol.selcc.cache=1MiB", "workload.zipf=0"});
  const auto directory_warming = warming("rpc-directory/uniform-write-intensive-quick.json",
                                         {"workload.reach=3MB", "protocol.rpc-directory.cache=1MiB"});

  std::vector<InstructionRow> rows;
  const auto add = [&rows](const char* name, const char* unit, std::array<std::uint64_t, 2> lengths, Work work,
                           std::optional<double> aim = {}) {
    rows.push_back({.name = name, .unit = unit, .lengths = lengths, .work = std::move(work), .aim = aim});
  };
  add(
      "lcf.pass", "pass", {4'000, 12'000}, [](auto passes, const auto&) { return lcf_passes(passes); }, 900);
  add(
      "echo.rpc", "RPC", {2'000, 6'000}, [](auto rpcs, const auto&) { return rpc_echoes(rpcs); }, 3000);
  add("service.get", "operation", {1'000, 4'000}, [](auto operations, const auto& catalogue) {
    return run_of(service_scenario(operations, catalogue)).operations;
  });
  add("wire.packet", "packet", {2'000, 10'000}, [](auto packets, const auto&) { return wire_packets(packets); });
  for (const auto& oracle : single_oracles()) {
    rows.push_back({.name = "oracle." + oracle,
                    .unit = "operation",
                    .lengths = {2'000, 10'000},
                    .work = [oracle](auto operations, const auto&) { return oracle_operations(oracle, operations); }});
  }
  add("quickstart.event", "event", {2'000, 6'000}, events_of(quickstart), 1300);
  add("quickstart.unchecked", "event", {2'000, 6'000}, events_of(unchecked(quickstart)));
  add("flowcc-migrating.event", "event", {200, 600}, events_of(migrating), 1400);
  add("gam.operation", "operation", {2'000, 5'000}, operations_of(gam), 18'000);
  add("gam.unchecked", "operation", {2'000, 5'000}, operations_of(unchecked(gam)));
  add("selcc.operation", "operation", {1'000, 3'000}, operations_of(selcc), 22'000);
  add("selcc.unchecked", "operation", {1'000, 3'000}, operations_of(unchecked(selcc)));
  add("rpc-directory.operation", "operation", {1'000, 3'000}, operations_of(directory));
  add("cckvs.event", "event", {10, 30}, events_of(cckvs), 1300);
  add("cckvs.unchecked", "event", {10, 30}, events_of(unchecked(cckvs)));
  add("starcache.operation", "operation", {1'000, 4'000}, operations_of(starcache), 11'000);
  add("starcache.unchecked", "operation", {1'000, 4'000}, operations_of(unchecked(starcache)));
  add("warm-up.flowcc", "access", {4, 12}, flowcc_warming, 80);
  add("warm-up.gam", "access", {4, 12}, gam_warming);
  add("warm-up.selcc", "access", {2, 4}, selcc_warming);
  add("warm-up.rpc-directory", "access", {2, 4}, directory_warming);
  add("begin.cckvs", "key", {5'000, 20'000}, keys_of(cckvs_data), 440);
  add("begin-end.cckvs", "key", {5'000, 20'000}, data_of(cckvs_data), 680);
  add("begin-end.gam", "KiB", {3200, 9600}, data_of(gam_data));
  rows.push_back({.name = "start", .unit = "start", .lengths = {1, 0}, .command = {"list", "protocols"}, .aim = 6e6});
  rows.push_back({.name = "fuzz.flowcc",
                  .unit = "run",
                  .lengths = {2, 6},
                  .command = {"fuzz", "fuzz/flowcc.json", "--jobs", "1", "--runs"}});
  return rows;
}

}  // namespace

const std::vector<InstructionQuotient>& instruction_quotients() {
  static const std::vector<InstructionQuotient> quotients{
      {"checks.quickstart", "quickstart.event", "quickstart.unchecked", 1.25},
      {"checks.gam", "gam.operation", "gam.unchecked", 1.4},
      {"checks.selcc", "selcc.operation", "selcc.unchecked", 1.25},
      {"checks.cckvs", "cckvs.event", "cckvs.unchecked", 1.25},
      {"checks.starcache", "starcache.operation", "starcache.unchecked", 1.25}};
  return quotients;
}

const std::vector<InstructionRow>& instruction_rows() {
  static const std::vector<InstructionRow> rows = make_rows();
  return rows;
}

}  // namespace racksim::tools
