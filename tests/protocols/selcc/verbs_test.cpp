// Which verbs an access takes, in the order in which they leave: misses (SELCC §4.3.2, Figure 5a), the three cases of
// conflict (§4.4, Figures 6 and 7), eviction (§5.2) and hits (Table 1).
//
// The paper counts round trips by verbs that wait for each other: 1 for a miss, 3 for an M→M and an M→S handover, 4
// without forwarding.
#include <catch2/catch.hpp>

#include "tests/protocols/selcc/selcc_run.hpp"

namespace selcc_verbs_test {

using namespace racksim;
using namespace racksim::selcc;
using namespace racksim::selcc::testing;
using Sequence = std::vector<std::string>;

TEST_CASE("A miss is an atomic and a READ in one round trip, and a hit no verb at all",
          "[claim:selcc-s3-one-rtt][claim:selcc-s43-no-extra-rtt][claim:selcc-inv-latch-word][claim:selcc-inv-local-"
          "hit-no-rdma][claim:selcc-inv-lazy-release][claim:selcc-inv-verify-rules]") {
  SelccScript run{Setup{}};
  Verbs verbs(run);
  run.read(0, 0);
  CHECK(verbs.taken() == Sequence{"0 FAA", "0 READ"});
  CHECK(run.word(0) == LatchWord(LatchWord::shared(0)));
  run.read(0, 0, 5);
  CHECK(verbs.taken().empty());
  run.write(1, 1);
  CHECK(verbs.taken() == Sequence{"1 CAS", "1 READ"});
  CHECK(run.word(1) == LatchWord(LatchWord::modified(1)));
  run.write(1, 1, 7);
  run.read(1, 1, 3);
  CHECK(verbs.taken().empty());
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("The only sharer upgrades by one CAS and reads nothing", "[claim:selcc-inv-verify-rules]") {
  SelccScript run{Setup{}};
  Verbs verbs(run);
  run.read(2, 0);
  verbs.taken();
  run.write(2, 0);
  CHECK(verbs.taken() == Sequence{"2 CAS"});
  CHECK(run.word(0) == LatchWord(LatchWord::modified(2)));
}

TEST_CASE("Case 1: the line goes from writer to writer by three verbs that wait for each other, and is not flushed",
          "[claim:selcc-s44-opt-3][claim:selcc-inv-case1-no-flush]") {
  SelccScript run{Setup{}};
  Verbs verbs(run);
  run.write(0, 0);
  verbs.taken();
  run.write(1, 0);
  // Nobody waits for the FAA and what confirms it. The FAA leaves first, on another queue pair: it has no payload.
  CHECK(verbs.taken() == Sequence{"1 CAS", "1 READ", "1 SEND", "0 FAA", "0 WRITE", "0 WRITE"});
  CHECK(run.counter("flushes") == 0);
  CHECK(run.word(0) == LatchWord(LatchWord::modified(1)));
  CHECK(run.state(0, 0) == FrameState::absent);
  CHECK(run.state(1, 0) == FrameState::modified);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("Case 2: the reader undoes its bit while it asks, and the owner flushes before it shares",
          "[claim:selcc-s44-read-3][claim:selcc-inv-latch-word][claim:selcc-inv-case2-flush]") {
  SelccScript run{Setup{}};
  Verbs verbs(run);
  run.write(0, 0);
  verbs.taken();
  run.read(1, 0);
  // The flush and the FAA behind it, then the line and the confirmation, on another queue pair.
  CHECK(verbs.taken() == Sequence{"1 FAA", "1 READ", "1 FAA", "1 SEND", "0 WRITE", "0 FAA", "0 WRITE", "0 WRITE"});
  CHECK(run.counter("flushes") == 1);
  CHECK(run.counter("flushed_bytes") == 8);
  CHECK(run.word(0) == LatchWord(LatchWord::shared(0) + LatchWord::shared(1)));
  CHECK(run.state(0, 0) == FrameState::shared);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("A reader that waits for its undo takes one round trip more") {
  Setup setup;
  SelccScript overlapped(setup);
  setup.selcc.undo = Undo::waited;
  SelccScript waited(setup);
  sim::Duration took[2];
  SelccScript* runs[] = {&overlapped, &waited};
  for (int i = 0; i < 2; ++i) {
    runs[i]->write(0, 0);
    took[i] = runs[i]->read(1, 0);
  }
  // Of a small verb, from posting it to having seen that it is done: at least the wires', the NICs' and the switch's
  // share of the round trip, at most twice that.
  CHECK(took[1] - took[0] > setup.rack.rtt / 2);
  CHECK(took[1] - took[0] < setup.rack.rtt * 2);
}

TEST_CASE("Case 3: all sharers release by FAA and answer, and the writer tries its CAS again",
          "[claim:selcc-s44-shared-extra]") {
  SelccScript run{Setup{}};
  Verbs verbs(run);
  run.read(0, 0);
  run.read(2, 0);
  verbs.taken();
  run.write(1, 0);
  const Sequence sent = verbs.taken();
  REQUIRE(sent.size() == 10);
  CHECK(Sequence(sent.begin(), sent.begin() + 4) == Sequence{"1 CAS", "1 READ", "1 SEND", "1 SEND"});
  CHECK(Sequence(sent.end() - 2, sent.end()) == Sequence{"1 CAS", "1 READ"});
  CHECK(std::count(sent.begin(), sent.end(), "0 FAA") == 1);
  CHECK(std::count(sent.begin(), sent.end(), "2 FAA") == 1);
  CHECK(run.word(0) == LatchWord(LatchWord::modified(1)));
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("Without forwarding a handover goes by memory: the owner flushes and releases, and the sender tries again",
          "[claim:selcc-s44-naive-4]") {
  Setup setup;
  setup.selcc.forwarding = false;
  SelccScript run(setup);
  Verbs verbs(run);
  run.write(0, 0);
  verbs.taken();
  run.write(1, 0);
  CHECK(verbs.taken() == Sequence{"1 CAS", "1 READ", "1 SEND", "0 WRITE", "0 FAA", "0 WRITE", "1 CAS", "1 READ"});
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("Two upgraders that meet do not wait for each other for ever: one releases its share first",
          "[claim:selcc-inv-upgrade-livelock]") {
  Setup setup;
  setup.selcc.upgrade_attempts = 1;
  SelccScript run(setup);
  run.read(0, 0);
  run.read(1, 0);
  run.begin({0, 0}, run.line(0), true);
  run.begin({1, 0}, run.line(0), true);
  run.advance(1_ms);
  CHECK(run.counter("upgrade_fallbacks") >= 1);
  run.finish();
  CHECK(run.violations() == "");
  setup.selcc.upgrade_fallback = false;
  SelccScript stuck(setup);
  stuck.read(0, 0);
  stuck.read(1, 0);
  sim::Time ended[2] = {sim::Time::max(), sim::Time::max()};
  stuck.begin({0, 0}, stuck.line(0), true, &ended[0]);
  stuck.begin({1, 0}, stuck.line(0), true, &ended[1]);
  stuck.advance(5_ms);
  CHECK(ended[0] == sim::Time::max());
  CHECK(ended[1] == sim::Time::max());
}

TEST_CASE("Threads of one node that miss the same line share one latch operation") {
  SelccScript run{Setup{}};
  Verbs verbs(run);
  run.begin({0, 0}, run.line(0), false);
  run.begin({0, 1}, run.line(0), false);
  run.advance(300_us);
  CHECK(verbs.taken() == Sequence{"0 FAA", "0 READ"});
}

TEST_CASE("An eviction flushes what is dirty, then releases; of a Shared line it is one FAA") {
  Setup setup;
  setup.selcc.cache_bytes = 2 * setup.selcc.line_bytes;  // one frame to use, one to keep free
  SelccScript run(setup);
  Verbs verbs(run);
  run.write(0, 0, 3);
  verbs.taken();
  run.read(0, 2);
  CHECK(verbs.taken() == Sequence{"0 FAA", "0 READ", "0 WRITE", "0 FAA"});
  CHECK(run.word(0).free());
  CHECK(run.counter("flushed_bytes") == 8);
  run.read(0, 4);
  CHECK(verbs.taken() == Sequence{"0 FAA", "0 READ", "0 FAA"});
  CHECK(run.word(2).free());
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("A flush writes what lies between the dirty boundaries, also what earlier owners wrote",
          "[claim:selcc-inv-dirty-range]") {
  Setup setup;
  SelccScript run(setup);
  run.write(0, 0, 4);
  run.write(1, 0, 10);  // case 1: the boundaries travel
  run.read(2, 0);       // case 2: flushed
  CHECK(run.counter("flushed_bytes") == 8 * 7);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("What case 2 has flushed is not flushed again: the boundaries begin anew") {
  SelccScript run{Setup{}};
  run.write(0, 0, 2);
  run.read(1, 0);
  CHECK(run.counter("flushed_bytes") == 8);
  run.write(0, 0, 20);
  run.read(1, 0);
  CHECK(run.counter("flushes") == 2);
  CHECK(run.counter("flushed_bytes") == 16);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("A writer does not touch the word again before all sharers have answered") {
  Setup setup;
  setup.add_fault("nic-stall", R"({"node": 2, "from": "600us", "until": "660us"})");
  SelccScript run(setup);
  Verbs verbs(run);
  run.read(0, 0);
  run.read(2, 0);
  REQUIRE(run.calendar.now() == sim::Time{} + 600_us);
  verbs.taken();
  run.begin({1, 0}, run.line(0), true);
  run.advance(50_us);
  CHECK(run.counter("answers.released") == 1);  // that of node 0
  CHECK(verbs.taken() == Sequence{"1 CAS", "1 READ", "1 SEND", "1 SEND", "0 FAA", "0 WRITE"});
  run.advance(300_us);
  CHECK(run.state(1, 0) == FrameState::modified);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("The cores of memory servers have nothing to do", "[claim:selcc-inv-no-memory-cpu]") {
  SelccRun run{Setup{}};
  run.finish();
  CHECK(run.violations() == "");
  for (const NodeId server : {4, 5}) {
    for (unsigned core = 0; core < run.setup.rack.cores; ++core) {
      CHECK(run.rack.server(server).core(core).busy_time() == sim::Duration{});
    }
  }
  CHECK(run.rack.server(0).core(0).busy_time() > 0_ns);
}

}  // namespace selcc_verbs_test
