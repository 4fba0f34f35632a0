// How the packets of a home directory spread over the homes (Concordia §2.1).
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "tests/protocols/flowcc/flowcc_run.hpp"

namespace home_load_test {

using namespace racksim;
using namespace racksim::flowcc;
using namespace racksim::flowcc::testing;

namespace {

constexpr unsigned kNodes = 6;
constexpr std::uint64_t kBlocks = 60;
constexpr int kAccesses = 3000;

/// Packets that each home agent receives and sends, of half reads and half writes by all nodes, one after the other.
/// Block i is asked for in proportion to 1 / (i + 1)^skew; its home is node i modulo the nodes.
std::vector<double> load_of_homes(double skew) {
  Setup setup;
  setup.flowcc.ownership = FlowCcOptions::Ownership::home;
  setup.rack.nodes = kNodes;
  setup.flowcc.cache_bytes =
      8 * kBlocks * 4096;  // nothing is evicted: whatever a home handles is of the block asked for
  setup.micro.sharing_ratio = 1;
  setup.micro.shared_bytes = kBlocks * 4096;
  FlowCcScript run(setup);
  std::vector<double> weights, load(kNodes);
  for (std::uint64_t i = 0; i < kBlocks; ++i) weights.push_back(std::pow(static_cast<double>(i + 1), -skew));
  std::mt19937_64 dice(1);
  std::discrete_distribution<std::uint64_t> block_of(weights.begin(), weights.end());
  const auto packets = [&] {
    return run.counter("home_agent.packets_received") + run.counter("home_agent.packets_sent");
  };
  for (int i = 0; i < kAccesses; ++i) {
    const std::uint64_t block = block_of(dice), before = packets();
    const auto node = static_cast<models::NodeId>(dice() % kNodes);
    run.access({node, 0}, run.shared_block(block), dice() % 2 == 0);
    load[block % kNodes] += static_cast<double>(packets() - before);
  }
  return load;
}

/// The load of a home over the mean of all.
double over_mean(const std::vector<double>& load, double of) {
  return of * kNodes / std::accumulate(load.begin(), load.end(), 0.0);
}

}  // namespace

TEST_CASE("a home directory loads the home of the most popular block above all others",
          "[claim:concordia-s21-home-hot]") {
  // Zipf 0.99: of 60 blocks the home of the first has 30.3 % of the accesses, 1.82 times the mean.
  const std::vector<double> skewed = load_of_homes(0.99);
  CHECK(std::max_element(skewed.begin(), skewed.end()) == skewed.begin());
  CHECK(over_mean(skewed, skewed.front()) == Approx(1.82).epsilon(0.15));
  // Asked for alike, they are loaded alike: 500 accesses each, give or take 20.
  const std::vector<double> even = load_of_homes(0);
  CHECK(over_mean(even, *std::max_element(even.begin(), even.end())) < 1.15);
}

}  // namespace home_load_test
