// Each packet of a miss, of the three cases of conflict, of an upgrade and of an eviction (SELCC §4.3, §4.4, §5.2) is
// lost, late or doubled, one in each run: whatever the NICs do about it, every oracle holds and the lines end where
// they belong.
#include <fmt/core.h>

#include <catch2/catch.hpp>
#include <functional>

#include "tests/protocols/selcc/selcc_run.hpp"

namespace single_fault_test {

using namespace racksim;
using namespace racksim::selcc;
using namespace racksim::selcc::testing;

namespace {

/// What nodes do, and what must have come of it.
struct Story {
  const char* name;
  std::function<void(Setup&)> change;
  std::function<void(SelccScript&)> act;
  std::function<bool(SelccScript&)> ended;
};

void as_is(Setup&) {}

void write_after_write(SelccScript& run) {
  run.write(0, 0, 3);
  run.write(1, 0, 9);
}
void read_after_write(SelccScript& run) {
  run.write(0, 0, 3);
  run.read(1, 0, 3);
}
void upgrade_beside_a_sharer(SelccScript& run) {
  run.read(0, 0);
  run.read(1, 0);
  run.write(1, 0);
}

bool only_node_1_has_it(SelccScript& run) {
  return run.state(1, 0) == FrameState::modified && run.state(0, 0) == FrameState::absent &&
         run.state(2, 0) == FrameState::absent && run.word(0) == LatchWord(LatchWord::modified(1));
}
bool nodes_0_and_1_share_it(SelccScript& run) {
  return run.state(0, 0) == FrameState::shared && run.state(1, 0) == FrameState::shared &&
         run.word(0) == LatchWord(LatchWord::shared(0) + LatchWord::shared(1));
}

const Story kStories[] = {
    {"case 1", as_is, write_after_write, only_node_1_has_it},
    {"case 2", as_is, read_after_write, nodes_0_and_1_share_it},
    {"case 2, undo waited", [](Setup& setup) { setup.selcc.undo = Undo::waited; }, read_after_write,
     nodes_0_and_1_share_it},
    {"case 3", as_is,
     [](SelccScript& run) {
       run.read(0, 0);
       run.read(2, 0);
       run.write(1, 0);
     },
     only_node_1_has_it},
    {"upgrade", as_is, upgrade_beside_a_sharer, only_node_1_has_it},
    {"upgrade that falls back", [](Setup& setup) { setup.selcc.upgrade_attempts = 1; }, upgrade_beside_a_sharer,
     only_node_1_has_it},
    {"handover by memory", [](Setup& setup) { setup.selcc.forwarding = false; }, write_after_write, only_node_1_has_it},
    {"eviction", [](Setup& setup) { setup.selcc.cache_bytes = 2 * setup.selcc.line_bytes; },
     [](SelccScript& run) {
       run.write(0, 0, 3);
       run.read(0, 2);
       run.read(1, 0, 3);
     },
     [](SelccScript& run) {
       return run.state(1, 0) == FrameState::shared && run.state(0, 2) == FrameState::shared &&
              run.word(0) == LatchWord(LatchWord::shared(1));
     }},
};

/// Tells a story with one fault, of the n-th packet of one wire. Returns how many packets were dropped.
std::uint64_t tell(const Story& story, const std::string& fault, unsigned node, const char* direction, unsigned nth) {
  Setup setup;
  story.change(setup);
  const std::string delay = fault == "drop" ? "" : R"("delay": "60us", )";
  setup.add_fault(fault, fmt::format(R"({{{}"node": {}, "direction": "{}", "first": {}, "count": 1}})", delay, node,
                                     direction, nth));
  SelccScript run(setup);
  story.act(run);
  run.advance(5_ms);
  INFO(story.name << ": " << fault << " of packet " << nth << " " << direction << " of node " << node);
  CHECK(story.ended(run));
  run.finish();
  CHECK(run.violations() == "");
  return run.ProtocolRun::counter("packets.dropped.targeted");
}

}  // namespace

TEST_CASE("Any one packet of SELCC may be lost, late or doubled") {
  for (const Story& story : kStories) {
    unsigned lost = 0;
    for (const unsigned node : {0u, 1u, 2u, 4u}) {
      for (const char* direction : {"to_switch", "from_switch"}) {
        for (unsigned nth = 1; tell(story, "drop", node, direction, nth) > 0; ++nth) {
          ++lost;
          tell(story, "hold", node, direction, nth);
          tell(story, "duplicate", node, direction, nth);
        }
      }
    }
    INFO(story.name);
    CHECK(lost >= 20);  // two hops of each verb and of its acknowledgement: five verbs at least
  }
}

}  // namespace single_fault_test
