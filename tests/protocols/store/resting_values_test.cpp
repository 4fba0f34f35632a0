// What the store and its caches show of homes and copies, and that `values-at-rest` notices when one of them is wrong
// at rest, even though no read has seen it.
#include <catch2/catch.hpp>

#include "tests/protocols/netcache/netcache_run.hpp"
#include "tests/protocols/nocache/nocache_run.hpp"
#include "tests/protocols/starcache/starcache_run.hpp"

namespace store_resting_values_test {

using namespace racksim;
using namespace racksim::sim::literals;
using Catch::Contains;

namespace {

store::testing::Setup writes_only(std::uint64_t seed) {
  store::testing::Setup setup;
  setup.seed = seed;
  models::KeyValueOptions workload;
  workload.threads = 2;
  workload.keys = 50;
  workload.zipf = 0;
  workload.write_ratio = 1;
  workload.rate = 1'000'000;
  setup.workload = workload;
  setup.rack.faults.duplicate = 0.3;
  setup.rack.faults.reorder = 0.3;
  setup.rack.faults.reorder_delay = 200_us;
  return setup;
}

/// The packets that circulate for a key, to be spoilt.
std::vector<p4::Packet*> circulating(starcache::testing::StarCacheRun& run, std::uint64_t key) {
  std::vector<p4::Packet*> packets;
  run.rack.packets().for_each_live([&](const p4::Packet& packet) {
    auto& found = const_cast<p4::Packet&>(packet);
    if (store::is_message(found) && read_message(run.store->shared(), found).key == key) packets.push_back(&found);
  });
  return packets;
}

/// What `values-at-rest` says of the present instant.
std::uint64_t violations_now(store::testing::StoreRun& run) {
  sim::Oracle& oracle = run.oracle("values-at-rest");
  run.store->show_state(*oracle.state_at_rest());
  oracle.finish(run.calendar.now());
  return oracle.violation_count();
}

}  // namespace

TEST_CASE("a duplicate of an old write that takes effect over a newer one is found at rest, and by nothing else") {
  unsigned found = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    auto options = nocache::testing::small();
    options.partitions = 4;
    nocache::testing::NoCacheRun exact(writes_only(seed), options);
    exact.finish();
    CHECK(exact.violations() == "");
    options.exactly_once = false;
    nocache::testing::NoCacheRun run(writes_only(seed), options);
    run.finish();
    found += run.found("values-at-rest");
    CHECK(run.violations({"values-at-rest"}) == "");
  }
  CHECK(found >= 9);
}

namespace {
void spoil(p4::Packet& packet, std::uint64_t value) {
  auto part = packet.content.as<store::PartOfItem>();
  part.value = sim::Value{value};
  packet.content = p4::Content::of(part);
}
}  // namespace

TEST_CASE("a cache packet that circulates with another value than its key has is found at rest") {
  using namespace starcache::testing;
  for (const std::uint32_t value_bytes : {64u, 3000u}) {  // of one packet, and of three
    for (const bool spoilt : {false, true}) {
      StarCacheRun run(with_hot_key(value_bytes));
      run.advance(100_us);
      const Ended before = run.put_now(kAlice, kHot), last = run.put_now(kBob, kHot);
      run.advance(100_us);
      REQUIRE(run.valid(kHot));
      const auto packets = circulating(run, kHot);
      REQUIRE(packets.size() == (value_bytes == 64 ? 1 : 3));
      if (spoilt) spoil(*packets.back(), before.value);
      run.finish();
      CHECK_THAT(run.violations(),
                 spoilt ? Contains("values-at-rest: key 0x7: the switch holds a clean copy of value " +
                                   std::to_string(before.value) + ", but its home has " + std::to_string(last.value))
                        : Contains(""));
      CHECK(run.oracle("values-at-rest").violation_count() == (spoilt ? 1 : 0));
    }
  }
}

TEST_CASE("a circulating packet that the switch would drop is no copy") {
  using namespace starcache::testing;
  StarCacheRun run;
  run.advance(100_us);
  const Ended before = run.put_now(kAlice, kHot);
  run.advance(100_us);
  spoil(*circulating(run, kHot).front(), before.value - 1);
  // Invalid: no read request would wait for it.
  run.write(run.star.program().state, run.star.manager().index_of(kHot), run.state(kHot) & 0xffff'ffff);
  CHECK(violations_now(run) == 0);
}

TEST_CASE("a value in the switch's registers that is not its server's is found at rest") {
  using namespace netcache::testing;
  for (const unsigned word : {0u, 1u, 7u, 15u}) {
    for (const bool valid : {false, true}) {
      NetCacheRun run{scripted()};
      const std::uint64_t key = run.hot_key();
      run.put(key);
      const auto& program = run.protocol->program();
      const std::uint64_t index = run.protocol->manager().index_of(sim::Key{key});
      const std::uint64_t state = run.register_of(program.state, index);
      REQUIRE(state >> 32 == 1);
      p4::RegisterFile& registers = run.rack.chassis().pipeline(0).registers();
      registers.write(program.values[word]->id, index, run.register_of(program.values[word], index) ^ 1);
      if (!valid) registers.write(program.state->id, index, state & 0xffff'ffff);
      CHECK(violations_now(run) == (valid ? 1 : 0));
    }
  }
}

}  // namespace store_resting_values_test
