// Switch programs must write the addresses of what they redirect and copy: NICs take nothing that is not for them, and
// the oracles notice what is missing then.
#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>

#include "models/packets/addressing.hpp"
#include "models/rack/rack.hpp"
#include "models/switch/switch_chassis.hpp"
#include "protocols/flowcc/rules/messages.hpp"
#include "sim/metrics/metrics.hpp"
#include "tools/experiment/experiment.hpp"
#include "tools/processes/child_processes.hpp"
#include "tools/scenario/scenario.hpp"

namespace wrong_addresses_test {

using namespace racksim;
using namespace racksim::tools;

namespace {

constexpr const char* kFlowCc = R"({
  "version": 1, "rack": {"testbed": "concordia-8", "nodes": 3},
  "protocol": {"name": "flowcc", "flowcc": {"cache": "64KiB"}},
  "workload": {"kind": "micro", "threads": 1, "sharing_ratio": 1, "working_set": "1MiB", "shared_bytes": "64KiB",
               "warm_passes": 0},
  "run": {"measure": {"operations": 1000}, "stall": "2ms", "drain": "2ms"}, "check": {"all": true}})";

struct Outcome {
  bool pass = false;
  std::uint64_t misdirected = 0;
};

/// Runs in a process of its own, with the program's tables changed before the first event.
Outcome run(const char* text, const std::function<void(models::Rack&)>& change) {
  ChildProcesses child(1);
  [[maybe_unused]] const bool begun = child.start(0, [&] {
    const Scenario scenario = read_scenario(parse_json(text, "scenario"), "s.json", built_in_catalogue(), {});
    sim::Metrics metrics;
    const RunResult result = run_experiment(scenario, metrics, "", {}, nullptr,
                                            [&](models::Rack& rack, const models::Protocol&) { change(rack); });
    const auto& dropped = std::get<sim::Counter>(metrics.find("packets.dropped.wrong_address")->value);
    return std::to_string(dropped.value) + (result.pass ? " pass" : " fail");
  });
  std::optional<ChildResult> ended;
  while (!ended) ended = child.wait(std::chrono::seconds(1));
  INFO(ended->text);
  REQUIRE(ended->answered());
  return {ended->text.ends_with("pass"), std::stoull(ended->text)};
}

template <class Objects>
const auto& named(const Objects& objects, std::string_view name) {
  return *std::find_if(objects.begin(), objects.end(), [&](const auto& object) { return object.name == name; });
}

/// Has FlowCC's switch write these addresses into what it sends to requesters.
void write_to_requesters(models::Rack& rack,
                         const std::function<std::vector<std::uint64_t>(models::NodeId)>& addresses) {
  p4::Pipeline& pipeline = rack.chassis().pipeline(0);
  const p4::Table& table = named(pipeline.program().tables(), "address");
  const p4::Action& action = named(pipeline.program().actions(), "to_requester");
  for (models::NodeId node = 0; node < rack.nodes(); ++node) {
    const std::vector<p4::KeyMatch> key{rack.port_of(node), static_cast<std::uint64_t>(flowcc::Receiver::requester)};
    REQUIRE(pipeline.modify_entry(table, key, action, addresses(node), 0));
  }
}

}  // namespace

TEST_CASE("A switch program that leaves a wrong MAC or IPv4 address in what it redirects is noticed by the oracles") {
  using models::ipv4_of, models::mac_of, models::NodeId;
  const auto with = [](const std::function<std::vector<std::uint64_t>(NodeId)>& addresses) {
    return run(kFlowCc, [&](models::Rack& rack) { write_to_requesters(rack, addresses); });
  };
  const Outcome right = with([](NodeId node) { return std::vector<std::uint64_t>{mac_of(node), ipv4_of(node)}; });
  CHECK(right.pass);
  CHECK(right.misdirected == 0);
  const Outcome wrong_mac = with([](NodeId node) {
    return std::vector<std::uint64_t>{mac_of(node ^ 1), ipv4_of(node)};
  });
  CHECK_FALSE(wrong_mac.pass);
  CHECK(wrong_mac.misdirected > 0);
  const Outcome wrong_ip = with([](NodeId node) {
    return std::vector<std::uint64_t>{mac_of(node), ipv4_of(node ^ 1)};
  });
  CHECK_FALSE(wrong_ip.pass);
  CHECK(wrong_ip.misdirected > 0);
}

}  // namespace wrong_addresses_test
