// A run in which a protocol comes to a pair that its transition table does not define: it ends there, and says so.
#include <catch2/catch.hpp>
#include <chrono>

#include "protocols/store/application.hpp"
#include "tools/experiment/experiment.hpp"
#include "tools/processes/child_processes.hpp"
#include "tools/report/report_text.hpp"
#include "tools/scenario/scenario.hpp"

namespace undefined_transition_test {

using namespace racksim;
using namespace racksim::tools;
using namespace racksim::sim::literals;
using Catch::Matchers::Contains;

namespace {

/// Cores of clients are so slow that an answer can come to what they have not sent yet.
constexpr const char* kSlowClients = R"({
  "version": 1, "rack": {"testbed": "starcache-8", "nodes": 2},
  "protocol": {"name": "nocache", "nocache": {"server_nodes": 1, "costs": {"request": "20us"}}},
  "workload": {"kind": "key-value", "threads": 1, "keys": 1000, "rate": 10000},
  "run": {"measure": "10ms", "drain": "50ms"}, "check": {"all": true}})";

/// Has the client get an answer to its first request while it still prepares it.
class Forger {
 public:
  Forger(models::Rack& rack, store::Application& store)
      : calendar_(rack.calendar()), store_(store), lane_(calendar_.add_lane("forger")) {
    look_again();
  }

 private:
  void look_again() { calendar_.after<&Forger::look>(1_us, lane_, *this); }
  void look() {
    store::Client& client = *store_.clients().front();
    if (client.outstanding() == 0) return look_again();
    store::Shared& shared = store_.shared();
    store::Message message;
    message.store.set(store::Op::read_reply);
    message.store.seq = shared.options.first_seq;
    client.on_packet(store::make_message(shared, message, store::kFirstPort, {0, store::kFirstPort}, 0));
  }
  sim::Calendar& calendar_;
  store::Application& store_;
  sim::Lane lane_;
};

/// The report of a run in a process of its own.
std::string report(bool forged) {
  ChildProcesses child(1);
  [[maybe_unused]] const bool begun = child.start(0, [&] {
    const Scenario scenario = read_scenario(parse_json(kSlowClients, "slow"), "slow.json", built_in_catalogue(), {});
    sim::Metrics metrics;
    std::unique_ptr<Forger> forger;
    const RunResult result =
        run_experiment(scenario, metrics, {}, {}, nullptr, [&](models::Rack& rack, const models::Protocol& protocol) {
          auto& store = const_cast<store::Application&>(dynamic_cast<const store::Application&>(protocol));
          if (forged) forger = std::make_unique<Forger>(rack, store);
        });
    std::string text = result.hash.hex() + '\n';
    if (!result.violations.empty()) text += result.violations.front().oracle + '\n';
    return text + report_text(scenario, result, metrics, {"racksim run slow.json", "racksim explain slow.json"});
  });
  std::optional<ChildResult> ended;
  while (!ended) ended = child.wait(std::chrono::seconds(1));
  INFO(ended->text);
  REQUIRE(ended->answered());
  return ended->text;
}

}  // namespace

TEST_CASE("a run ends with the violation where a transition is undefined, and says how to see what led to it") {
  CHECK_THAT(report(false), Contains("verdict      pass"));
  const std::string text = report(true);
  CHECK_THAT(text, Contains("\nundefined-transition\n"));
  CHECK_THAT(text, Contains("verdict      FAIL"));
  CHECK_THAT(text, Contains(" ns: store client: 'reply' in the state 'preparing' is "
                            "declared impossible"));
  CHECK_THAT(text, Contains(" requests), key 0x") && Contains(", n0.t0 #1\n"));
  CHECK_THAT(text,
             Contains("replay       racksim run slow.json") && Contains("explain      racksim explain slow.json"));
  CHECK(text.substr(0, 32) == report(true).substr(0, 32));
}

}  // namespace undefined_transition_test
