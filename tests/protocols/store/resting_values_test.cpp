// What the store and its caches show of homes and copies, and that `values-at-rest` notices when one of them is wrong
// at rest, even though no read has seen it.
#include <catch2/catch.hpp>

#include "protocols/nocache/nocache.hpp"
#include "tests/protocols/netcache/rig.hpp"
#include "tests/protocols/starcache/rig.hpp"
#include "tests/protocols/store/rig.hpp"

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
std::vector<p4::Packet*> circulating(starcache::testing::StarRig& rig, std::uint64_t key) {
  std::vector<p4::Packet*> packets;
  rig.rack.packets().for_each_live([&](const p4::Packet& packet) {
    auto& found = const_cast<p4::Packet&>(packet);
    if (store::is_message(found) && read_message(rig.store->shared(), found).key == key) packets.push_back(&found);
  });
  return packets;
}

}  // namespace

TEST_CASE("a duplicate of an old write that takes effect over a newer one is found at rest, and by nothing else") {
  unsigned found = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    auto options = store::testing::small_store<nocache::NoCacheOptions>();
    options.partitions = 4;
    store::testing::Rig exact(writes_only(seed), options);
    exact.run_workload();
    CHECK(exact.violations() == "");
    options.exactly_once = false;
    store::testing::Rig rig(writes_only(seed), options);
    rig.run_workload();
    found += rig.values_at_rest.violation_count() > 0;
    for (sim::Oracle* oracle : rig.oracles()) {
      if (oracle != &rig.values_at_rest) CHECK(oracle->violation_count() == 0);
    }
  }
  CHECK(found >= 9);
}

namespace {
void spoil(p4::Packet& packet, std::uint64_t value) {
  auto part = packet.content.as<store::PartOfItem>();
  part.value = value;
  packet.content = p4::Content::of(part);
}
}  // namespace

TEST_CASE("a cache packet that circulates with another value than its key has is found at rest") {
  using namespace starcache::testing;
  for (const std::uint32_t value_bytes : {64u, 3000u}) {  // of one packet, and of three
    for (const bool spoilt : {false, true}) {
      StarRig rig(with_hot_key(value_bytes));
      rig.run(100_us);
      const Ended before = rig.put_now(kAlice, kHot), last = rig.put_now(kBob, kHot);
      rig.run(100_us);
      REQUIRE(rig.valid(kHot));
      const auto packets = circulating(rig, kHot);
      REQUIRE(packets.size() == (value_bytes == 64 ? 1 : 3));
      if (spoilt) spoil(*packets.back(), before.value);
      rig.judge();
      CHECK_THAT(rig.violations(),
                 spoilt ? Contains("values-at-rest: key 0x7: the switch holds a clean copy of value " +
                                   std::to_string(before.value) + ", but its home has " + std::to_string(last.value))
                        : Contains(""));
      CHECK(rig.values_at_rest.violation_count() == (spoilt ? 1 : 0));
    }
  }
}

TEST_CASE("a circulating packet that the switch would drop is no copy") {
  using namespace starcache::testing;
  StarRig rig;
  rig.run(100_us);
  const Ended before = rig.put_now(kAlice, kHot);
  rig.run(100_us);
  spoil(*circulating(rig, kHot).front(), before.value - 1);
  // Invalid: no read request would wait for it.
  rig.write(rig.star.program().state, rig.star.manager().index_of(kHot), rig.state(kHot) & 0xffff'ffff);
  rig.star.show_state(rig.values_at_rest);
  rig.values_at_rest.finish(rig.calendar.now());
  CHECK(rig.values_at_rest.violation_count() == 0);
}

TEST_CASE("a value in the switch's registers that is not its server's is found at rest") {
  using namespace netcache::testing;
  for (const unsigned word : {0u, 1u, 7u, 15u}) {
    for (const bool valid : {false, true}) {
      netcache::testing::Rig rig{netcache::testing::Setup()};
      const std::uint64_t key = rig.hot_key();
      rig.put(key);
      const auto& program = rig.protocol->program();
      const std::uint64_t index = rig.protocol->manager().index_of(key);
      const std::uint64_t state = rig.register_of(program.state, index);
      REQUIRE(state >> 32 == 1);
      p4::RegisterFile& registers = rig.rack.chassis().pipeline(0).registers();
      registers.write(program.values[word]->id, index, rig.register_of(program.values[word], index) ^ 1);
      if (!valid) registers.write(program.state->id, index, state & 0xffff'ffff);
      rig.protocol->show_state(rig.values_at_rest);
      rig.values_at_rest.finish(rig.calendar.now());
      CHECK(rig.values_at_rest.violation_count() == (valid ? 1 : 0));
    }
  }
}
