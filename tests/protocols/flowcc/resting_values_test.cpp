// What FlowCC shows of homes and copies, and that `values-at-rest` notices when one of them is wrong at rest, even
// though no read has seen it.
#include <catch2/catch.hpp>

#include "tests/protocols/flowcc/rig.hpp"

using namespace racksim;
using namespace racksim::flowcc;
using namespace racksim::flowcc::testing;
using Catch::Contains;

namespace {

/// A block that nodes 1 and 2 have written one after the other and node 3 has read: at rest nodes 2 and 3 have clean
/// copies, and the home what node 2 wrote.
struct Written : Rig {
  explicit Written(FlowCcOptions::Ownership ownership) : Rig(setup_of(ownership)) {
    access({1, 0}, block, true);
    first = protocol->node(1).cache().find(tag)->value;
    access({2, 0}, block, true);
    second = protocol->node(2).cache().find(tag)->value;
    access({3, 0}, block, false);
    REQUIRE(home_node().global_memory(tag) == second);
    REQUIRE(protocol->metadata(tag).status == GlobalStatus::shared);
  }
  static Setup setup_of(FlowCcOptions::Ownership ownership) {
    Setup setup;
    setup.flowcc.ownership = ownership;
    return setup;
  }
  MemoryNode& home_node() { return protocol->node(protocol->home_of(tag)); }
  std::string verdict() {
    judge();
    return violations();
  }

  models::GlobalAddress block = shared_block(0);
  Tag tag = protocol->block_of(block);
  std::uint64_t first = 0, second = 0;
};

constexpr FlowCcOptions::Ownership kOwners[] = {FlowCcOptions::Ownership::switch_owned, FlowCcOptions::Ownership::home};

}  // namespace

TEST_CASE("an old write-back that lands again over a newer one is found at rest, and by nothing else") {
  for (const auto owner : kOwners) {
    CHECK(Written(owner).verdict() == "");
    Written rig(owner);
    // As a duplicate of the RC WRITE of node 1's value would, had the receiving NIC not known it for old.
    rig.home_node().landed(1, DataAddress::global_memory(rig.tag), 4096,
                           models::Content::of(BlockData{rig.tag, rig.first}));
    const std::string verdict = rig.verdict();
    CHECK_THAT(verdict,
               Contains("values-at-rest: key " + sim::printed_key(rig.tag) + ": its home has value " +
                        std::to_string(rig.first) + ", but the last write wrote " + std::to_string(rig.second)));
    for (sim::Oracle* oracle : rig.oracles()) {
      CHECK((oracle->violation_count() > 0) == (oracle == &rig.values_at_rest));
    }
  }
}

TEST_CASE("a clean copy and a dirty one with a value that is not the last are found at rest") {
  for (const auto owner : kOwners) {
    Written clean(owner);
    clean.protocol->node(3).cache().find(clean.tag)->value = clean.first;
    CHECK_THAT(clean.verdict(), Contains("values-at-rest") &&
                                    Contains("node 3 holds a clean copy of value " + std::to_string(clean.first)));
    Written dirty(owner);
    dirty.access({0, 0}, dirty.block, true);
    dirty.protocol->node(0).cache().find(dirty.tag)->value = dirty.second;
    CHECK_THAT(dirty.verdict(), Contains("values-at-rest") && Contains("node 0, which holds it dirty, has value " +
                                                                       std::to_string(dirty.second)));
  }
}

TEST_CASE("a write-back that was never made is found at rest when nobody reads the block again") {
  for (const auto owner : kOwners) {
    Written rig(owner);
    rig.home_node().set_global_memory(rig.tag, 0);
    CHECK_THAT(rig.verdict(), Contains("values-at-rest") && Contains("its home has value 0"));
  }
}

TEST_CASE(
    "what a node held dirty when it was lost is no violation of values at rest, and what others wrote is judged") {
  for (const auto owner : kOwners) {
    for (const bool spoilt : {false, true}) {
      Written rig(owner);
      const auto other = rig.shared_block(4);  // of the same home
      rig.access({1, 0}, other, true);
      const Tag lost = rig.protocol->block_of(other);
      REQUIRE(rig.protocol->node(1).cache().find(lost)->state == CacheEntry::State::dirty);
      rig.rack.crash(1);
      if (spoilt) rig.protocol->node(3).cache().find(rig.tag)->value = rig.first;
      rig.judge();
      CHECK(rig.values_at_rest.violation_count() == (spoilt ? 1 : 0));
    }
  }
}

TEST_CASE("nothing is said of blocks that a switch without power knew, and others are judged") {
  for (const auto owner : kOwners) {
    Written rig(owner);
    const sim::Time from = rig.calendar.now() + 10_us;
    rig.rack.chassis().announce_power_loss(from);
    rig.calendar.run_until(from);
    rig.rack.chassis().power_off();
    rig.calendar.run_until(from + 50_us);
    rig.rack.restart_switch(from);
    rig.protocol->node(3).cache().find(rig.tag)->value = rig.first;
    rig.judge();
    REQUIRE(rig.at_rest());
    CHECK(rig.values_at_rest.violation_count() == (owner == FlowCcOptions::Ownership::home ? 1 : 0));
  }
}
