// racksim bench runs and prints what a machine can read; how fast it is, is not for a test to say.
#include <catch2/catch.hpp>
#include <set>
#include <sstream>

#include "sim/kernel/sanitizer.hpp"
#include "tools/bench/instruction_rows.hpp"
#include "tools/bench/ns3_echo.hpp"
#include "tools/commands/command_line.hpp"
#include "tools/experiment/machine_needs.hpp"
#include "tools/json/json_document.hpp"
#include "tools/processes/child_processes.hpp"

namespace bench_command_test {

using namespace racksim::tools;

TEST_CASE("a quick bench prints positive numbers for everything it measures, as JSON") {
  std::ostringstream out, err;
  REQUIRE(run_command_line({"bench", "--quick", "--json"}, built_in_catalogue(), out, err) == exit_ok);
  CHECK(err.str().empty());
  const auto document = parse_json(out.str(), "bench");
  REQUIRE(document.find("results"));
  std::set<std::string> names;
  double events_per_rpc = 0;
  for (const auto& result : *document.find("results")->elements()) {
    const auto& name = *result.find("name")->string();
    CAPTURE(name);
    CHECK(names.insert(name).second);
    CHECK_FALSE(result.find("unit")->string()->empty());
    const double low = *result.find("low")->number(), median = *result.find("median")->number(),
                 high = *result.find("high")->number();
    CHECK(low > 0);
    CHECK(low <= median);
    CHECK(median <= high);
    CHECK((result.find("met") != nullptr) == (result.find("at_least") || result.find("at_most")));
    if (name == "echo.events_per_rpc") events_per_rpc = median;
    if (!racksim::sim::kUnderAddressSanitizer && name.starts_with("memory.estimate.")) {  // its shadow is not estimated
      CHECK(median > 1 / kNeedsFactor);
      CHECK(median < kNeedsFactor);
    }
  }
  for (const auto* pending : {"64", "1000", "100000", "1000000"}) {
    CHECK(names.contains(std::string("hold.") + pending + ".over_multiset"));
    CHECK(names.contains(std::string("hold.") + pending + ".over_priority_queue"));
  }
  CHECK(names.contains("echo.over_simgrid_s4u"));
  CHECK(names.contains("echo.over_simgrid_s4u_fatpipe"));
  CHECK(names.contains("echo.over_service"));
  CHECK(names.contains("echo.ns3") == (ns3_echo() != nullptr));
  CHECK(names.contains("gam.events_per_message"));
  CHECK(names.contains("lcf.fused"));
  CHECK(names.contains("idle_passes.skipped_over_run"));
  CHECK(names.contains("hosts.rate_kept"));
  CHECK(names.contains("memory.micro.sharing_1.0"));
  CHECK(names.contains("memory.estimate.sharing_0.2"));
  // Two packets, each arriving at the switch, at a NIC and at a core: 6, which no machine's speed changes.
  CHECK(events_per_rpc > 0);
  CHECK(events_per_rpc <= 8);
}

TEST_CASE("the work of each row whose instructions are counted can be done alone, and is some") {
  for (const auto& row : instruction_rows()) {
    CAPTURE(row.name);
    // In a process of its own, as SimGrid's engine exists once in one.
    const auto alone = [&row]() -> std::string {
      std::ostringstream out, err;
      const auto length = std::to_string(row.lengths.front());
      const int status =
          run_command_line({"bench", "--alone", row.name, "--length", length}, built_in_catalogue(), out, err);
      return std::to_string(status) + " " + out.str();
    };
    const std::string answer = answer_of(alone, "as work was done").text;
    CHECK(answer.front() == (row.work ? '0' : '2'));
    if (row.work) CHECK(std::stoull(answer.substr(2)) >= row.lengths.front() / 2);
  }
}

}  // namespace bench_command_test
