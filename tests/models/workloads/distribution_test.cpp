// Distributions against their exact probabilities, a moving hot spot at its instants, and ages after insertions, on their
// own and as workloads draw by them. The limits of chi-square have a chance of 1e-4 (chi_square.hpp).
#include "models/workloads/distribution.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "models/workloads/allocation_workload.hpp"
#include "models/workloads/block_popularity.hpp"
#include "models/workloads/micro_workload.hpp"
#include "sim/options/option_error.hpp"
#include "tests/models/service/fake_memory.hpp"
#include "tests/models/workloads/driven_store.hpp"
#include "tests/sim/random/chi_square.hpp"

namespace distribution_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;
using racksim::tests::chi_square;
using racksim::tests::chi_square_limit;
using Kind = DistributionOptions::Kind;

namespace {

constexpr std::uint64_t kCount = 100;

DistributionOptions of(Kind kind) {
  DistributionOptions options;
  options.kind = kind;
  return options;
}

DistributionOptions hot_spot(double share, double accesses, sim::Duration moves_every = {}) {
  return {.kind = Kind::hot_spot, .hot_share = share, .hot_accesses = accesses, .moves_every = moves_every};
}

/// How often each index comes in 200,000 draws.
std::vector<std::uint64_t> drawn(const Distribution& distribution, sim::Time now = {}) {
  sim::RandomStream random(7, "distribution");
  std::vector<std::uint64_t> counts(distribution.count());
  for (int i = 0; i < 200'000; ++i) ++counts.at(distribution.draw(random, now));
  return counts;
}

/// r^-skew by rank, from 1 on, of all of them.
std::vector<double> by_rank(double skew) {
  std::vector<double> p(kCount);
  for (std::size_t i = 0; i < kCount; ++i) p[i] = std::pow(static_cast<double>(i + 1), -skew);
  const double sum = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& each : p) each /= sum;
  return p;
}

/// A hot spot of `hot` indices from `begin` on, in a circle.
std::vector<double> hot_from(std::size_t begin, std::size_t hot, double accesses) {
  std::vector<double> p(kCount, (1 - accesses) / static_cast<double>(kCount - hot));
  for (std::size_t i = 0; i < hot; ++i) p[(begin + i) % kCount] = accesses / static_cast<double>(hot);
  return p;
}

/// The r-th newest by r^-skew.
std::vector<double> by_age(std::size_t newest, double skew) {
  const auto ranks = by_rank(skew);
  std::vector<double> p(kCount);
  for (std::size_t i = 0; i < kCount; ++i) p[(newest + kCount - i) % kCount] = ranks[i];
  return p;
}

void check(const std::vector<std::uint64_t>& counts, const std::vector<double>& probability) {
  CHECK(chi_square(counts, probability) < chi_square_limit(kCount - 1));
}

}  // namespace

TEST_CASE("a distribution by rank, and one of all alike, have their exact probabilities") {
  const double skew = GENERATE(0.0, 0.5, 0.99, 1.2);
  check(drawn({kCount, skew, of(Kind::zipf)}), by_rank(skew));
  check(drawn({kCount, skew, of(Kind::uniform)}), by_rank(0));
}

TEST_CASE("a hot spot takes its share of the accesses, all alike within and without") {
  check(drawn({kCount, 0.99, hot_spot(0.2, 0.8)}), hot_from(0, 20, 0.8));
  check(drawn({kCount, 0.99, hot_spot(0.03, 0.5)}), hot_from(0, 3, 0.5));
  // At least one is hot, and with all of them hot all are alike.
  check(drawn({kCount, 0.99, hot_spot(0.0, 0.9)}), hot_from(0, 1, 0.9));
  check(drawn({kCount, 0.99, hot_spot(1.0, 0.1)}), by_rank(0));
  const auto none = drawn({kCount, 0.99, hot_spot(0.2, 0.0)});
  CHECK(std::accumulate(none.begin(), none.begin() + 20, std::uint64_t{0}) == 0);
}

TEST_CASE("a hot spot moves at the ends of its intervals, in a circle") {
  const Distribution moving(kCount, 0, hot_spot(0.3, 0.9, 10_us));
  check(drawn(moving, sim::Time{}), hot_from(0, 30, 0.9));
  check(drawn(moving, sim::Time{} + 9'999'999_ps), hot_from(0, 30, 0.9));
  check(drawn(moving, sim::Time{} + 10_us), hot_from(30, 30, 0.9));
  check(drawn(moving, sim::Time{} + 35_us), hot_from(90, 30, 0.9));
  check(drawn(moving, sim::Time{} + 100_us), hot_from(0, 30, 0.9));
  // Before the run it lies where it begins.
  check(drawn(moving, sim::Time::from_ps(-55'000'000)), hot_from(0, 30, 0.9));
}

TEST_CASE("where a hot spot lies does not change how much is drawn from the stream") {
  const Distribution moving(kCount, 0, hot_spot(0.3, 0.9, 10_us));
  sim::RandomStream a(1, "stream"), b(1, "stream");
  for (int i = 0; i < 1000; ++i) {
    const auto first = moving.draw(a, sim::Time{}), second = moving.draw(b, sim::Time{} + 10_us);
    CHECK((first + 30) % kCount == second);
  }
}

TEST_CASE("the newest is the last index at first, and the index behind it after each insertion") {
  Distribution latest(kCount, 0.99, of(Kind::latest));
  CHECK(latest.inserts());
  CHECK_FALSE(Distribution(kCount, 0.99, of(Kind::zipf)).inserts());
  check(drawn(latest), by_age(99, 0.99));
  CHECK(latest.insert() == 0);
  check(drawn(latest), by_age(0, 0.99));
  for (std::uint64_t i = 1; i <= 140; ++i) CHECK(latest.insert() == i % kCount);
  check(drawn(latest), by_age(40, 0.99));
  CHECK(latest.of_rank(1, {}) == 40);
  CHECK(latest.of_rank(42, {}) == 99);
}

TEST_CASE("ranks are a permutation, the most popular first") {
  for (const Kind kind : {Kind::zipf, Kind::uniform, Kind::hot_spot, Kind::latest}) {
    auto options = of(kind);
    options.moves_every = kind == Kind::hot_spot ? 1_us : 0_us;
    Distribution distribution(kCount, 1, options);
    if (distribution.inserts()) distribution.insert();
    std::set<std::uint64_t> seen;
    for (std::uint64_t rank = 1; rank <= kCount; ++rank) seen.insert(distribution.of_rank(rank, sim::Time{} + 7_us));
    CHECK(seen.size() == kCount);
    CHECK(*seen.rbegin() == kCount - 1);
  }
}

TEST_CASE("one thing alone, and 2^47 of them, are drawn at once") {
  for (const Kind kind : {Kind::zipf, Kind::uniform, Kind::hot_spot, Kind::latest}) {
    sim::RandomStream random(3, "ends");
    auto options = of(kind);
    options.moves_every = kind == Kind::hot_spot ? 1_ps : 0_ps;
    Distribution one(1, 0.99, options), many(std::uint64_t{1} << 47, 0.99, options);
    for (int i = 0; i < 100; ++i) {
      CHECK(one.draw(random, sim::Time{} + 1_s) == 0);
      CHECK(many.draw(random, sim::Time{} + 1_s) < std::uint64_t{1} << 47);
    }
    if (one.inserts()) CHECK(one.insert() == 0);
  }
}

TEST_CASE("how many different things are met on average is what draws show") {
  for (const auto& options : {of(Kind::zipf), of(Kind::uniform), hot_spot(0.2, 0.8)}) {
    const Distribution distribution(kCount, 0.99, options);
    sim::RandomStream random(11, "distinct");
    double met = 0;
    for (int round = 0; round < 2000; ++round) {
      std::set<std::uint64_t> seen;
      for (int i = 0; i < 60; ++i) seen.insert(distribution.draw(random, {}));
      met += static_cast<double>(seen.size()) / 2000;
    }
    CHECK(distribution.expected_distinct(60, 1_ms) == Approx(met).epsilon(0.02));
  }
  // A hot spot that comes everywhere, or what is inserted: at most all, or as many as there are accesses.
  CHECK(Distribution(kCount, 0, hot_spot(0.2, 1.0, 1_us)).expected_distinct(1e6, 1_ms) == Approx(100));
  CHECK(Distribution(kCount, 0, of(Kind::latest)).expected_distinct(60, 1_ms) == 60);
}

TEST_CASE("blocks are drawn by any distribution, with their ranks scattered") {
  BlockPopularity latest(kCount, 0.99, of(Kind::latest));
  const BlockPopularity ranked(kCount, 0.99);
  // The hundredth rank is the newest at first.
  CHECK(latest.of_rank(1) == ranked.of_rank(100));
  CHECK(latest.insert() == ranked.of_rank(1));
  CHECK(latest.of_rank(1) == ranked.of_rank(1));
  const BlockPopularity moving(kCount, 0, hot_spot(0.1, 1.0, 1_us));
  sim::RandomStream random(5, "blocks");
  std::set<std::uint64_t> seen, expected;
  for (int i = 0; i < 1000; ++i) seen.insert(moving.draw(random, sim::Time{} + 3_us));
  for (std::uint64_t rank = 31; rank <= 40; ++rank) expected.insert(ranked.of_rank(rank));
  CHECK(seen == expected);
}

TEST_CASE("the keys of a store are drawn by the distribution, and the preloaded ones are its hottest") {
  auto options = few_keys();
  options.keys = kCount;
  options.rate = 10'000'000;
  options.preload = 5;
  options.distribution = hot_spot(0.2, 0.8, 5_ms);
  Driven t(options);
  t.workload->warm_up();
  CHECK(t.store.preloaded == std::vector<std::uint64_t>{0, 1, 2, 3, 4});
  t.run(10_ms);
  std::vector<std::uint64_t> first(kCount), second(kCount);
  for (const auto& asked : t.store.asked) ++(asked.at < at(5_ms) ? first : second)[asked.key];
  check(first, hot_from(0, 20, 0.8));
  check(second, hot_from(20, 20, 0.8));
}

TEST_CASE("with the latest distribution a put writes the key behind the newest, and gets go to young ones") {
  auto options = few_keys();
  options.keys = kCount;
  options.rate = 10'000'000;
  options.write_ratio = 0.05;
  options.preload = 2;
  options.distribution = of(Kind::latest);
  Driven t(options);
  t.workload->warm_up();
  CHECK(t.store.preloaded == std::vector<std::uint64_t>{99, 98});
  t.run(10_ms);
  std::uint64_t newest = kCount - 1;
  std::vector<std::uint64_t> ages(kCount);
  for (const auto& asked : t.store.asked) {
    if (asked.write) {
      newest = (newest + 1) % kCount;
      CHECK(asked.key == newest);
    } else {
      ++ages[(newest + kCount - asked.key) % kCount];
    }
  }
  CHECK(newest != kCount - 1);
  check(ages, by_rank(0.99));
}

TEST_CASE("keys that change places have no other distribution than one by rank") {
  auto options = few_keys();
  options.swap_interval = 1_ms;
  options.check();
  options.distribution.kind = Kind::hot_spot;
  CHECK_THROWS_AS(options.check(), sim::OptionError);
}

namespace {

/// A workload on a memory that answers after a fixed delay.
struct Remembering : TestRack {
  explicit Remembering(const WorkloadOptions& options) : memory(rack, FakeMemory::shape_of()), protocol(memory) {
    memory.delay = 1_us;
    options.check();
    WorkloadContext context{rack, protocol};
    workload = options.build(context);
    rack.observe_crashes(*workload);
    workload->notify_after(20'000, [this] { workload->stop(); });
    workload->start();
    calendar.run_until();
  }
  FakeMemory memory;
  FakeProtocol protocol;
  std::unique_ptr<Workload> workload;
};

/// The block of the last of eight pieces of a block, which lie at four homes in turn.
std::uint64_t last_allocated(const FakeMemory& memory) {
  return memory.block_of(GlobalAddress::at(3, memory.shape().block_bytes));
}

}  // namespace

TEST_CASE("the micro benchmark's hot spot lies among the shared blocks") {
  MicroOptions options;
  options.threads = 2;
  options.sharing_ratio = 1;
  options.shared_bytes = kCount * 64;
  options.distribution = hot_spot(0.1, 0.9);
  const Remembering t(options);
  std::map<std::uint64_t, std::uint64_t> of_block;
  for (const auto& asked : t.memory.asked) ++of_block[t.memory.block_of_object(asked.key)];
  double all = 0;
  std::size_t hot = 0;
  for (const auto& [block, times] : of_block) all += static_cast<double>(times);
  for (const auto& [block, times] : of_block) hot += static_cast<double>(times) > all / 40;
  CHECK(of_block.size() == kCount);
  CHECK(hot == 10);
}

TEST_CASE("with the latest distribution the writes of the micro benchmark go round all shared blocks") {
  MicroOptions options;
  options.threads = 2;
  options.sharing_ratio = 1;
  options.shared_bytes = kCount * 64;
  options.read_ratio = 0.5;
  options.distribution = of(Kind::latest);
  const Remembering t(options);
  std::vector<std::uint64_t> written;
  for (const auto& asked : t.memory.asked) {
    if (asked.kind == sim::OperationKind::write) written.push_back(t.memory.block_of_object(asked.key));
  }
  REQUIRE(written.size() > 1000);
  CHECK(std::set<std::uint64_t>(written.begin(), written.begin() + kCount).size() == kCount);
  for (std::size_t i = kCount; i < written.size(); ++i) CHECK(written[i] == written[i - kCount]);
  options.sharing_of = MicroOptions::SharingOf::lines;
  CHECK_THROWS_AS(options.check(), sim::OptionError);
}

TEST_CASE("of what is allocated, accesses go to the newest by the law of ages") {
  // Each session holds one piece of a block, so that for a long time eight are live, no memory is given back before
  // that is full, and the blocks of a home are taken in the order of their addresses.
  AllocationOptions options;
  options.smallest = options.largest = 64;
  options.pieces = 8;
  options.hinted = 0;
  options.zipf = 2;
  options.accesses = 1000;
  options.distribution = of(Kind::latest);
  const Remembering t(options);
  // In the first round of every session eight pieces come to be, and none goes: the key that is used most is the last.
  std::map<std::uint64_t, std::uint64_t> times;
  for (std::size_t i = 1000; i < 8000; ++i) ++times[t.memory.asked.at(i).key];
  REQUIRE(times.size() == 8);
  std::vector<std::uint64_t> counts;
  for (const auto& [key, count] : times) counts.push_back(count);
  std::sort(counts.rbegin(), counts.rend());
  auto ages = std::vector<double>(8);
  for (std::size_t i = 0; i < 8; ++i) ages[i] = 1 / static_cast<double>((i + 1) * (i + 1));
  const double sum = std::accumulate(ages.begin(), ages.end(), 0.0);
  for (double& age : ages) age /= sum;
  CHECK(chi_square(counts, ages) < chi_square_limit(7));
  CHECK(std::max_element(times.begin(), times.end(), [](const auto& a, const auto& b) {
          return a.second < b.second;
        })->first == last_allocated(t.memory));
}

}  // namespace distribution_test
