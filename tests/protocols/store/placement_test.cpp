// A placement of keys follows from its own seed: which server has which key and which keys are small, and nothing else.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <vector>

#include "protocols/cckvs/threads/shard.hpp"
#include "tests/protocols/nocache/nocache_run.hpp"

namespace store_placement_test {

using namespace racksim;
using namespace racksim::store;
using namespace racksim::nocache::testing;

namespace {

constexpr std::uint64_t kKeys = 2000;

struct Begun final : sim::Observer {
  void observe(const sim::Observation& o) override {
    if (o.what != sim::Observed::operation_begun) return;
    const auto operation = sim::OperationView::of(o);
    all.push_back({static_cast<std::uint64_t>(o.at.ps()), operation.key, static_cast<std::uint64_t>(operation.kind)});
  }
  std::vector<std::array<std::uint64_t, 3>> all;
};

Setup placed(std::uint64_t seed) {
  models::KeyValueOptions workload;
  workload.threads = 2;
  workload.keys = kKeys;
  workload.rate = 200'000;
  workload.write_ratio = 0.2;
  workload.small_share = 0.5;
  workload.placement_seed = seed;
  Setup setup;
  setup.workload = workload;
  setup.tapped = false;
  return setup;
}

nocache::NoCacheOptions four_servers() {
  nocache::NoCacheOptions options = small();
  options.partitions = 4;
  return options;
}

/// What a run knows of its keys, and the operations that began in it.
struct Placed {
  explicit Placed(std::uint64_t seed) : run(placed(seed), four_servers()) {
    run.event_log.attach(begun);
    const Shared& shared = run.store->shared();
    for (std::uint64_t key = 0; key < kKeys; ++key) {
      servers.push_back(shared.home_of(shared.hash(sim::Key(key))));
      sizes.push_back(shared.sizes.value_bytes(sim::Key(key)));
    }
    run.finish();
  }
  Begun begun;
  NoCacheRun run;
  std::vector<unsigned> servers;
  std::vector<std::uint32_t> sizes;
};

/// Of so many pairs, how many are equal.
template <class T>
double equal_share(const std::vector<T>& a, const std::vector<T>& b) {
  std::size_t equal = 0;
  for (std::size_t i = 0; i < a.size(); ++i) equal += a[i] == b[i] ? 1 : 0;
  return static_cast<double>(equal) / static_cast<double>(a.size());
}

}  // namespace

TEST_CASE("another placement deals keys and sizes out anew, and clients ask for the same at the same instants") {
  const Placed one(1), two(2), again(1);
  // Independent deals: a quarter of the keys keep their server of four, half keep their size of two.
  CHECK(equal_share(one.servers, two.servers) == Approx(0.25).margin(0.04));
  CHECK(equal_share(one.sizes, two.sizes) == Approx(0.5).margin(0.05));
  for (const Placed* placed : {&one, &two}) {
    CHECK(std::count(placed->servers.begin(), placed->servers.end(), 3u) == Approx(kKeys / 4).epsilon(0.15));
    CHECK(std::count(placed->sizes.begin(), placed->sizes.end(), 64u) == Approx(kKeys / 2).epsilon(0.1));
  }
  const std::size_t shared = std::min(one.begun.all.size(), two.begun.all.size());
  REQUIRE(shared > 500);
  CHECK(std::equal(one.begun.all.begin(), one.begun.all.begin() + static_cast<std::ptrdiff_t>(shared - 20),
                   two.begun.all.begin()));
  CHECK(one.run.hash() != two.run.hash());
  CHECK(one.run.hash() == again.run.hash());
  CHECK(one.run.violations() == "");
}

TEST_CASE("the neutral placement is the hash as it is") {
  const Placed neutral(0);
  for (std::uint64_t key = 0; key < kKeys; ++key) {
    REQUIRE(neutral.servers[key] == server_of(key_hash(sim::Key(key), 128), 4));
    models::ItemSizes sizes;
    sizes.small_share = 0.5;
    REQUIRE(neutral.sizes[key] == sizes.value_bytes(sim::Key(key)));
  }
}

TEST_CASE("the run's seed moves no key, and a placement draws none of the clients' numbers") {
  Setup other = placed(1);
  other.seed = 2;
  NoCacheRun run(other, four_servers());
  const Placed one(1);
  const Shared& shared = run.store->shared();
  for (std::uint64_t key = 0; key < kKeys; ++key) {
    REQUIRE(shared.home_of(shared.hash(sim::Key(key))) == one.servers[key]);
    REQUIRE(shared.sizes.value_bytes(sim::Key(key)) == one.sizes[key]);
  }
}

TEST_CASE("ccKVS deals its keys out by the placement too") {
  std::size_t moved = 0;
  for (std::uint64_t key = 0; key < kKeys; ++key) {
    CHECK(cckvs::home_of(sim::Key(key), 9, 4, 0).node == cckvs::home_of(sim::Key(key), 9, 4).node);
    moved += cckvs::home_of(sim::Key(key), 9, 4, 1).node != cckvs::home_of(sim::Key(key), 9, 4).node ? 1 : 0;
  }
  CHECK(static_cast<double>(moved) / kKeys == Approx(8.0 / 9).margin(0.03));
}

}  // namespace store_placement_test
