// The micro benchmark's popularity of lines, reach, counted operations, slow nodes and single writer (SELCC §7.1), on a
// memory that answers after a fixed delay. Bounds are four standard deviations.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "models/workloads/block_popularity.hpp"
#include "models/workloads/micro_workload.hpp"
#include "tests/models/service/fake_memory.hpp"
#include "tests/models/service/fake_protocol.hpp"
#include "tests/models/service/fake_store.hpp"

namespace micro_popularity_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;
using Kind = sim::OperationKind;
using Asked = FakeMemory::Asked;

namespace {

constexpr std::uint64_t kBlock = 64;

struct Popular : TestRack {
  explicit Popular(const MicroOptions& options) : memory(rack, FakeMemory::shape_of()), protocol(memory) {
    memory.delay = 1_us;
    options.check();
    WorkloadContext context{rack, protocol};
    workload = options.build(context);
    rack.observe_crashes(*workload);
  }
  const std::vector<Asked>& run(std::uint64_t operations) {
    workload->notify_after(operations, [this] {
      ended = calendar.now();
      workload->stop();
    });
    workload->start();
    calendar.run_until();
    CHECK(workload->running() == 0);
    return memory.asked;
  }
  std::map<NodeId, std::uint64_t> by_node() const {
    std::map<NodeId, std::uint64_t> counts;
    for (const Asked& a : memory.asked) ++counts[a.session.node];
    return counts;
  }
  FakeMemory memory;
  FakeProtocol protocol;
  std::unique_ptr<Workload> workload;
  sim::Time ended = sim::Time::beginning();
};

MicroOptions lines(double sharing_ratio = 1) {
  MicroOptions options;
  options.threads = 2;
  options.sharing_of = MicroOptions::SharingOf::lines;
  options.sharing_ratio = sharing_ratio;
  options.reach = 100 * kBlock;
  options.working_set = 0;
  return options;
}

double harmonic(std::uint64_t n, double theta) {
  double sum = 0;
  for (std::uint64_t rank = 1; rank <= n; ++rank) sum += std::pow(static_cast<double>(rank), -theta);
  return sum;
}

bool is_close(double share, double expected, double n) {
  return std::abs(share - expected) <= 4 * std::sqrt(expected * (1 - expected) / n);
}

}  // namespace

TEST_CASE("Ranks are a permutation of the blocks, and the first of them lie far apart") {
  for (const std::uint64_t blocks : {1, 2, 3, 8, 100, 1024, 9973, 24'000}) {
    const BlockPopularity popularity(blocks, 0.99);
    std::set<std::uint64_t> all, first;
    for (std::uint64_t rank = 1; rank <= blocks; ++rank) {
      all.insert(popularity.of_rank(rank));
      if (rank <= 16) first.insert(popularity.of_rank(rank));
    }
    CHECK(all.size() == blocks);
    CHECK(*all.rbegin() == blocks - 1);
    if (blocks < 1000) continue;
    // Of 16 points on a circle that are spread by the golden section none is nearer to another than 1 / (16 * 2.24).
    std::uint64_t nearest = *first.begin() + blocks - *first.rbegin();
    for (auto at = first.begin(); std::next(at) != first.end(); ++at) nearest = std::min(nearest, *std::next(at) - *at);
    CHECK(static_cast<double>(nearest) > static_cast<double>(blocks) / 36);
  }
  const BlockPopularity large(std::uint64_t{1} << 40, 0.5);  // no product overflows
  CHECK(large.of_rank(std::uint64_t{1} << 40) < std::uint64_t{1} << 40);
}

TEST_CASE("Under Zipf each line is drawn in proportion to its rank's power, the same at all nodes, from all homes") {
  MicroOptions options = lines();
  options.zipf = 0.99;
  Popular t(options);
  const auto& asked = t.run(60'000);
  const double n = static_cast<double>(asked.size()), sum = harmonic(100, 0.99);
  std::map<std::uint64_t, double> counts;
  std::map<NodeId, std::map<std::uint64_t, double>> of_node;
  std::map<std::uint64_t, double> at_home;
  for (const Asked& a : asked) {
    ++counts[a.key];
    ++of_node[a.session.node][a.key];
    ++at_home[t.memory.home_of(t.memory.block_of_object(a.key))];
  }
  std::vector<std::pair<double, std::uint64_t>> order;
  for (const auto& [line, count] : counts) order.emplace_back(count, line);
  std::sort(order.rbegin(), order.rend());
  CHECK(order.size() == 100);
  CHECK(is_close(order[0].first / n, 1 / sum, n));
  CHECK(is_close(order[1].first / n, std::pow(2, -0.99) / sum, n));
  CHECK(is_close(order[2].first / n, std::pow(3, -0.99) / sum, n));
  for (const auto& [node, of] : of_node) {
    const double mine = n / 4;
    CHECK(is_close(of.at(order[0].second) / mine, 1 / sum, mine));
  }
  // The home of the hottest line has no more than that line and its part of all others, nearly.
  for (const auto& [home, count] : at_home) CHECK(count / n < 1 / sum + (1 - 1 / sum) / 4 + 0.05);
}

TEST_CASE("Popular lines are shared or a node's own in the sharing ratio, each with one rank") {
  MicroOptions options = lines(0.3);
  options.zipf = 0.8;
  Popular t(options);
  std::map<std::uint64_t, std::set<NodeId>> users;
  for (const Asked& a : t.run(80'000)) users[a.key].insert(a.session.node);
  CHECK(users.size() == 30 + 4 * 70);
  CHECK(std::count_if(users.begin(), users.end(), [](const auto& u) { return u.second.size() == 4; }) == 30);
  // Of the operations kind each part has a most popular line.
  MicroOptions parts = lines(0.4);
  parts.sharing_of = MicroOptions::SharingOf::operations;
  parts.reach = 0;
  parts.shared_bytes = 50 * kBlock;
  parts.working_set = 400 * kBlock;
  parts.zipf = 1;
  Popular of_operations(parts);
  const auto& asked = of_operations.run(60'000);
  std::map<std::uint64_t, double> counts;
  for (const Asked& a : asked) ++counts[a.key];
  const double n = static_cast<double>(asked.size());
  double most = 0;
  for (const auto& [line, count] : counts) most = std::max(most, count);
  CHECK(is_close(most / n, 0.4 / harmonic(50, 1), n));
}

TEST_CASE("A node's reach does not depend on the number of nodes") {
  const MicroOptions options = lines(0.3);
  for (const std::uint64_t nodes : {1, 4, 16}) {
    CHECK(options.layout(nodes, kBlock).shared_blocks == 30);
    CHECK(options.layout(nodes, kBlock).private_blocks == 70);
  }
  MicroOptions wrong = options;
  wrong.sharing_of = MicroOptions::SharingOf::operations;
  CHECK_THROWS_WITH(wrong.check(), Catch::Contains("reach"));
}

TEST_CASE(
    "Counted operations end after so many of each node, to the last one, and so does a phase that waits for more") {
  MicroOptions options = lines();
  options.operations_per_node = 101;
  Popular t(options);
  t.run(1'000'000);
  for (const auto& [node, count] : t.by_node()) CHECK(count == 101);
  CHECK(t.by_node().size() == 4);
  // Two sessions share 101 operations of 1 us each.
  CHECK(t.ended == sim::Time{} + 51_us);
}

TEST_CASE("A node that crashes is not waited for by those that count") {
  MicroOptions options = lines();
  options.operations_per_node = 100;
  Popular t(options);
  t.workload->notify_after(1'000'000, [&] { t.ended = t.calendar.now(); });
  t.workload->start();
  t.calendar.run_until(sim::Time{} + 10_us + 500_ns);
  t.rack.crash(1);
  t.calendar.run_until();
  CHECK(t.ended == sim::Time{} + 50_us);
  CHECK(t.by_node().at(1) < 25);
  CHECK(t.by_node().at(0) == 100);
}

TEST_CASE("Slow nodes pause between operations, all others do not") {
  MicroOptions options = lines();
  options.slow_nodes = 1;
  options.slow_pause = 3_us;
  Popular t(options);
  t.workload->start();
  t.calendar.run_until(sim::Time{} + 400_us);
  t.workload->stop();
  t.calendar.run_until();
  const auto counts = t.by_node();
  CHECK(static_cast<double>(counts.at(0)) == Approx(2 * 100).margin(4));
  for (NodeId node = 1; node < 4; ++node) CHECK(static_cast<double>(counts.at(node)) == Approx(2 * 400).margin(4));
}

TEST_CASE("One writer writes alone, and all others read") {
  MicroOptions options = lines();
  options.one_writer = 2;
  options.read_ratio = 0.5;
  Popular t(options);
  for (const Asked& a : t.run(10'000)) CHECK((a.kind == Kind::write) == (a.session.node == 2));
  options.one_writer = 4;
  CHECK_THROWS_WITH(Popular(options), Catch::Contains("one_writer"));
}

TEST_CASE("A service tells how evenly nodes had their operations while measuring") {
  MicroOptions options = lines();
  options.slow_nodes = 1;
  options.slow_pause = 3_us;
  Popular t(options);
  t.metrics.open_window(t.calendar.now());
  t.workload->start();
  t.calendar.run_until(sim::Time{} + 400_us + 500_ns);
  t.metrics.close_window(t.calendar.now());
  const auto gauge = [&](const char* name) { return *t.metrics.find(name)->number(); };
  CHECK(gauge("operations.min_node") == Approx(200));
  CHECK(gauge("operations.max_node") == Approx(800));
  // (200 + 3 * 800)^2 / (4 * (200^2 + 3 * 800^2))
  CHECK(gauge("operations.fairness") == Approx(0.8622).epsilon(0.001));
}

}  // namespace micro_popularity_test
