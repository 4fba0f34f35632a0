// Messages that cross or are late (GAM §2.4-§2.6): both messages of a write to a Dirty line, an upgrade that meets the
// home's invalidation, a dying line, and that there is one owner at most at every instant.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/protocols/gam/gam_run.hpp"

namespace gam_races_test {

using namespace racksim;
using namespace racksim::gam;
using namespace racksim::gam::testing;

namespace {

using Sequence = std::vector<std::string>;
constexpr const char* kWriteWithImmediate = "11";  // RDMA WRITE Only with Immediate of a reliable connection

/// Holds the n-th WRITE_WITH_IMM back that a node sends from 300 us on, so long that its NIC does not send it again.
void hold(Setup& setup, NodeId node, int which) {
  setup.add_fault("hold", "{\"node\": " + std::to_string(node) +
                              R"(, "direction": "to_switch", "header": "bth", "field": "opcode", "value": )" +
                              kWriteWithImmediate + ", \"first\": " + std::to_string(which) +
                              R"(, "count": 1, "delay": "100us", "from": "300us"})");
}

}  // namespace

TEST_CASE("Who writes a Dirty line waits for the owner's data and for the home's grant-ack, whichever is late",
          "[claim:gam-inv-both-acks]") {
  const auto time_of_write = [](bool two_messages, int late_node) {
    Setup setup;
    setup.options.consistency = Consistency::sc;
    setup.options.two_messages = two_messages;
    if (late_node >= 0) hold(setup, static_cast<NodeId>(late_node), 1);
    Script run(setup);
    run.write(1, 0);
    const sim::Duration taken = run.write(2, 0);
    run.finish();
    if (two_messages) CHECK(run.violations() == "");
    return taken;
  };
  constexpr int kNobody = -1, kHome = 0, kOwner = 1;
  const sim::Duration usual = time_of_write(true, kNobody);
  CHECK(usual < 30_us);
  CHECK(time_of_write(true, kHome) - usual > 90_us);
  CHECK(time_of_write(true, kOwner) - usual > 90_us);
  // Where the owner's word is enough, nobody waits for the home.
  CHECK(time_of_write(false, kHome) < usual);
}

TEST_CASE("An upgrade that crosses the home's invalidation backs off, and is granted as a write with data",
          "[claim:gam-inv-wpo-race]") {
  for (const bool back_off : {true, false}) {
    Setup setup;
    setup.options.back_off = back_off;
    Script run(setup);
    Messages messages(run);
    run.read(1, 0);
    messages.taken();
    run.begin({0, 0}, run.line(0), true);
    run.begin({1, 0}, run.line(0), true);
    run.advance(1_ms);
    const Sequence sent = messages.taken();
    INFO("back_off " << back_off);
    REQUIRE(sent.size() >= 2);
    CHECK(std::count(sent.begin(), sent.end(), "1 WRITE_PERMISSION_ONLY") == 1);
    CHECK(std::count(sent.begin(), sent.end(), "0 INVALIDATE") == 1);
    const bool ended = std::count(sent.begin(), sent.end(), "1 inv-ack") == 1 &&
                       std::count(sent.begin(), sent.end(), "0 grant with data") == 1;
    CHECK(ended == back_off);
    CHECK((run.state(1, 0) == CacheState::dirty) == back_off);
    run.finish();
    CHECK((run.violations() == "") == back_off);
  }
}

TEST_CASE(
    "A dying line keeps its frame and answers forwards until its write-back is acknowledged, while local reads wait",
    "[off:gam-inv-evict-dirty]") {
  for (const auto dying_reads : {Options::DyingReads::wait, Options::DyingReads::paper}) {
    Setup setup;
    setup.options.cache_bytes = 2 * setup.options.line_bytes;
    setup.options.dying_reads = dying_reads;
    hold(setup, 1, 3);  // behind node 1's acknowledgements of the time before: the WRITE_BACK
    hold(setup, 1, 1);
    Script run(setup);
    run.write(1, 0);  // to 300 us
    CHECK(run.calendar.now() - sim::Time{} == 300_us);
    run.begin({1, 0}, run.line(4), true);
    run.advance(20_us);
    run.begin({1, 0}, run.line(8), true);
    run.advance(20_us);
    REQUIRE(run.state(1, 0) == CacheState::to_invalid);
    sim::Time own = sim::Time::max(), other = sim::Time::max();
    run.begin({1, 1}, run.line(0), false, &own);
    run.advance(2_us);
    CHECK((own == sim::Time::max()) == (dying_reads == Options::DyingReads::wait));
    run.begin({2, 0}, run.line(0), false, &other);
    run.advance(1_ms);
    CHECK(own != sim::Time::max());
    REQUIRE(other != sim::Time::max());
    if (dying_reads == Options::DyingReads::wait) CHECK(own > other);
    run.finish();
    CHECK(run.violations() == "");
  }
}

TEST_CASE("At each instant a line has one owner at most, and nobody shares it beside", "[claim:gam-inv-single-owner]") {
  Setup setup;
  setup.micro.working_set = 4 * 8 * Setup::kLineBytes;  // what each of four nodes reaches is all shared
  setup.micro.read_ratio = 0.8;
  setup.options.cache_bytes = 4 * Setup::kLineBytes;
  setup.micro.mode = models::MicroOptions::Mode::mixed;
  setup.measure(20'000);
  Run run(setup);
  std::uint64_t owned = 0, shared = 0;
  for (int i = 0; i < 10'000; ++i) {
    run.advance(200_ns);
    for (std::uint64_t line = 0; line < 8; ++line) {
      int owners = 0, sharers = 0;
      for (NodeId node = 0; node < 4; ++node) {
        owners += run.state(node, line) == CacheState::dirty;
        sharers += run.state(node, line) == CacheState::shared;
      }
      REQUIRE(owners <= 1);
      if (owners == 1) REQUIRE(sharers == 0);
      if (owners == 1) REQUIRE(run.home(line) != DirectoryState::unshared);
      owned += owners == 1;
      shared += sharers > 1;
    }
  }
  CHECK(owned > 1'000);
  CHECK(shared > 1'000);
}

}  // namespace gam_races_test
