// What FlowCC shows of homes and copies, and that `values-at-rest` notices when one of them is wrong at rest, even
// though no read has seen it.
#include <catch2/catch.hpp>

#include "tests/protocols/flowcc/flowcc_run.hpp"

namespace flowcc_resting_values_test {

using namespace racksim;
using namespace racksim::flowcc;
using namespace racksim::flowcc::testing;
using Catch::Contains;

namespace {

/// A block that nodes 1 and 2 have written one after the other and node 3 has read: at rest nodes 2 and 3 have clean
/// copies, and the home what node 2 wrote.
struct Written : FlowCcScript {
  explicit Written(FlowCcOptions::Ownership ownership) : FlowCcScript(setup_of(ownership)) {
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
    finish();
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
    Written run(owner);
    // As a duplicate of the RC WRITE of node 1's value would, had the receiving NIC not known it for old.
    run.home_node().landed(1, DataAddress::global_memory(run.tag), 4096,
                           models::Content::of(BlockData{run.tag, sim::Value{run.first}}));
    const std::string verdict = run.verdict();
    CHECK_THAT(verdict,
               Contains("values-at-rest: key " + sim::printed_key(run.tag) + ": its home has value " +
                        std::to_string(run.first) + ", but the last write wrote " + std::to_string(run.second)));
    CHECK(run.violations({"values-at-rest"}) == "");
  }
}

TEST_CASE("a clean copy and a dirty one with a value that is not the last are found at rest") {
  for (const auto owner : kOwners) {
    Written clean(owner);
    clean.protocol->node(3).cache().find(clean.tag)->value = sim::Value{clean.first};
    CHECK_THAT(clean.verdict(), Contains("values-at-rest") &&
                                    Contains("node 3 holds a clean copy of value " + std::to_string(clean.first)));
    Written dirty(owner);
    dirty.access({0, 0}, dirty.block, true);
    dirty.protocol->node(0).cache().find(dirty.tag)->value = sim::Value{dirty.second};
    CHECK_THAT(dirty.verdict(), Contains("values-at-rest") && Contains("node 0, which holds it dirty, has value " +
                                                                       std::to_string(dirty.second)));
  }
}

TEST_CASE("a write-back that was never made is found at rest when nobody reads the block again") {
  for (const auto owner : kOwners) {
    Written run(owner);
    run.home_node().set_global_memory(run.tag, 0);
    CHECK_THAT(run.verdict(), Contains("values-at-rest") && Contains("its home has value 0"));
  }
}

TEST_CASE(
    "what a node held dirty when it was lost is no violation of values at rest, and what others wrote is judged") {
  for (const auto owner : kOwners) {
    for (const bool spoilt : {false, true}) {
      Written run(owner);
      const auto other = run.shared_block(4);  // of the same home
      run.access({1, 0}, other, true);
      const Tag lost = run.protocol->block_of(other);
      REQUIRE(run.protocol->node(1).cache().find(lost)->state == CacheEntry::State::dirty);
      run.rack.crash(1);
      if (spoilt) run.protocol->node(3).cache().find(run.tag)->value = sim::Value{run.first};
      run.finish();
      CHECK(run.oracle("values-at-rest").violation_count() == (spoilt ? 1 : 0));
    }
  }
}

TEST_CASE("nothing is said of blocks that a switch without power knew, and others are judged") {
  for (const auto owner : kOwners) {
    Written run(owner);
    const sim::Time from = run.calendar.now() + 10_us;
    run.rack.chassis().announce_power_loss(from);
    run.advance_to(from);
    run.rack.chassis().power_off();
    run.advance_to(from + 50_us);
    run.rack.restart_switch(from);
    run.protocol->node(3).cache().find(run.tag)->value = sim::Value{run.first};
    run.finish();
    REQUIRE(run.at_rest());
    CHECK(run.oracle("values-at-rest").violation_count() == (owner == FlowCcOptions::Ownership::home ? 1 : 0));
  }
}

}  // namespace flowcc_resting_values_test
