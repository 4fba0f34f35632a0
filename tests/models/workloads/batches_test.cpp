// Sessions of the key-value workload that send their operations in batches: against the slowest answer of each.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "sim/metrics/histogram.hpp"
#include "sim/options/option_error.hpp"
#include "sim/record/history.hpp"
#include "tests/models/workloads/driven_store.hpp"

namespace batches_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;

namespace {

KeyValueOptions in_batches(std::uint64_t window, ClientRouting clients) {
  KeyValueOptions options = few_keys();
  options.loop = KeyValueOptions::Loop::closed;
  options.window = window;
  options.batches = true;
  options.clients = clients;
  options.threads = 1;
  return options;
}

/// A store that answers the operations of its only session after 1, 2, 3, 4, 1, ... us.
struct OneSession : Driven, sim::Observer {
  explicit OneSession(const KeyValueOptions& options, unsigned nodes = 1) : Driven(options, nodes) {
    event_log.attach(*this);
  }
  void observe(const sim::Observation& o) override {
    if (o.what == sim::Observed::operation_begun) store.delay = 1_us * (begun++ % 4 + 1);
  }
  std::int64_t begun = 0;
};

}  // namespace

TEST_CASE("A batch begins together, and the next when the slowest operation of it has been answered") {
  OneSession t(in_batches(4, GENERATE(ClientRouting::pinned, ClientRouting::round_robin)));
  t.metrics.open_window({});
  t.run(41'500_ns);
  std::map<sim::Time, int> begun;
  for (const auto& asked : t.store.asked) ++begun[asked.at];
  REQUIRE(begun.size() == 11);
  int number = 0;
  for (const auto& [when, operations] : begun) {
    CHECK(when == at(4_us * number++));
    CHECK(operations == 4);
  }
  t.metrics.close_window(t.calendar.now());
  const auto& latency = std::get<sim::Histogram>(t.metrics.find("latency.batch")->value);
  CHECK(latency.count() == 10);
  CHECK(latency.min() == 4_us);
  CHECK(latency.max() == 4_us);
}

TEST_CASE("A stop ends batches whose operations have all been answered, or given up with their node") {
  OneSession t(in_batches(4, GENERATE(ClientRouting::pinned, ClientRouting::round_robin)));
  t.run(10'500_ns);
  SECTION("in the midst of a batch") {
    t.workload->stop();
    t.calendar.run_until();
  }
  SECTION("while its node is down") {
    t.stop_while_down(0);
  }
  CHECK(t.workload->running() == 0);
}

TEST_CASE("Who waits for the rest of a batch goes when the workload stops, though the rest dies with its node") {
  OneSession t(in_batches(4, ClientRouting::round_robin), 2);
  t.run(11'500_ns);  // some of each batch have been answered
  t.workload->stop();
  t.calendar.run_until(t.calendar.now());
  t.rack.crash(GENERATE(NodeId{0}, NodeId{1}));
  t.calendar.run_until();
  CHECK(t.workload->running() == 0);
}

TEST_CASE("A node that comes back begins with a whole batch") {
  OneSession t(in_batches(4, ClientRouting::pinned));
  t.run(10'500_ns);
  t.rack.crash(0);
  t.run_until(20_us);
  const std::size_t before = t.store.asked.size();
  t.rack.restart(0);
  t.run_until(20'100_ns);
  CHECK(t.store.asked.size() == before + 4);
  t.run_until(24'100_ns);
  CHECK(t.store.asked.size() == before + 8);
}

TEST_CASE("Batches are refused in open loop") {
  KeyValueOptions options = in_batches(4, ClientRouting::pinned);
  options.loop = KeyValueOptions::Loop::open;
  try {
    Driven t(options);
    FAIL("not refused");
  } catch (const sim::OptionError& error) {
    CHECK(error.option() == "batches");
  }
}

}  // namespace batches_test
