// Which messages an access takes, in the order in which they leave: GAM's Figures 3 and 4, and evictions (§2.6). Node 0
// is the home of line 0.
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>

#include "tests/protocols/gam/gam_run.hpp"

namespace gam_messages_test {

using namespace racksim;
using namespace racksim::gam;
using namespace racksim::gam::testing;
using Sequence = std::vector<std::string>;

namespace {

Sequence sorted(Sequence sequence) {
  std::sort(sequence.begin(), sequence.end());
  return sequence;
}

}  // namespace

TEST_CASE("The home reads and writes an UnShared line, and reads a Shared one, without a message",
          "[claim:gam-inv-local-read-clean]") {
  Script run{Setup{}};
  Messages messages(run);
  run.read(0, 0);
  run.write(0, 0);
  CHECK(messages.taken().empty());
  run.read(1, 0);
  messages.taken();
  run.read(0, 0);
  CHECK(messages.taken().empty());
  CHECK(run.home(0) == DirectoryState::shared);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("A remote read of a clean line takes two messages, and a hit none",
          "[claim:gam-inv-remote-read-clean][claim:gam-inv-remote-read-hit]") {
  Script run{Setup{}};
  Messages messages(run);
  run.read(1, 0);
  CHECK(messages.taken() == Sequence{"1 READ", "0 data"});
  CHECK(run.state(1, 0) == CacheState::shared);
  run.read(1, 0);
  CHECK(messages.taken().empty());
  run.read(2, 0);
  CHECK(messages.taken() == Sequence{"2 READ", "0 data"});
  CHECK(run.sharers(0) == std::vector<NodeId>{1, 2});
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("The home reads a Dirty line by two messages, and its owner keeps a share",
          "[claim:gam-inv-local-read-dirty]") {
  Script run{Setup{}};
  Messages messages(run);
  run.write(1, 0);
  messages.taken();
  run.read(0, 0);
  CHECK(messages.taken() == Sequence{"0 FETCH_AND_SHARED", "1 fetched data"});
  CHECK(run.state(1, 0) == CacheState::shared);
  CHECK(run.home(0) == DirectoryState::shared);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("A remote read of a Dirty line takes four messages, and home, owner and reader all have it then",
          "[claim:gam-inv-remote-read-dirty]") {
  Script run{Setup{}};
  Messages messages(run);
  run.write(1, 0);
  messages.taken();
  run.read(2, 0);
  CHECK(messages.taken() == Sequence{"2 READ", "0 READ_FORWARD", "1 data", "1 fetched data"});
  CHECK(run.sharers(0) == std::vector<NodeId>{1, 2});
  run.read(0, 0);
  CHECK(messages.taken().empty());
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("The home writes a line of k sharers by 2 k messages, and a Dirty one by two",
          "[claim:gam-inv-local-write-shared]") {
  for (const NodeId k : {1, 2, 3}) {
    Script run{Setup{}};
    Messages messages(run);
    Sequence expected;
    for (NodeId sharer = 1; sharer <= k; ++sharer) {
      run.read(sharer, 0);
      expected.emplace_back("0 INVALIDATE");
      expected.push_back(std::to_string(sharer) + " inv-ack");
    }
    messages.taken();
    run.write(0, 0);
    CHECK(sorted(messages.taken()) == sorted(expected));
    CHECK(run.home(0) == DirectoryState::unshared);
    run.write(1, 0);
    messages.taken();
    run.write(0, 0);
    CHECK(messages.taken() == Sequence{"0 FETCH_AND_INVALIDATE", "1 fetched data"});
    CHECK(run.state(1, 0) == CacheState::invalid);
    run.finish();
    CHECK(run.violations() == "");
  }
}

TEST_CASE("A remote write takes two messages if the line is UnShared, and none by its owner",
          "[claim:gam-inv-remote-write-owner][claim:gam-inv-remote-write-unshared]") {
  Script run{Setup{}};
  Messages messages(run);
  run.write(1, 0);
  CHECK(messages.taken() == Sequence{"1 WRITE", "0 grant with data"});
  CHECK(run.home(0) == DirectoryState::dirty);
  run.write(1, 0);
  run.read(1, 0);
  CHECK(messages.taken().empty());
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("A remote write of a line of k other sharers takes 2 k + 2 messages, with data unless the writer is one too",
          "[claim:gam-inv-remote-write-shared]") {
  for (const bool upgrade : {false, true}) {
    for (const NodeId k : {1, 2}) {
      Script run{Setup{}};
      Messages messages(run);
      Sequence expected{upgrade ? "3 WRITE_PERMISSION_ONLY" : "3 WRITE", upgrade ? "0 grant" : "0 grant with data"};
      for (NodeId sharer = 1; sharer <= k; ++sharer) {
        run.read(sharer, 0);
        expected.emplace_back("0 INVALIDATE_FORWARD");
        expected.push_back(std::to_string(sharer) + " inv-ack");
      }
      if (upgrade) run.read(3, 0);
      messages.taken();
      run.write(3, 0);
      CHECK(sorted(messages.taken()) == sorted(expected));
      for (NodeId sharer = 1; sharer <= k; ++sharer) CHECK(run.state(sharer, 0) == CacheState::invalid);
      CHECK(run.state(3, 0) == CacheState::dirty);
      run.finish();
      CHECK(run.violations() == "");
    }
  }
}

TEST_CASE("A remote write of a Dirty line takes five messages, of which the home's grant-ack is the last",
          "[claim:gam-inv-remote-write-dirty]") {
  Script run{Setup{}};
  Messages messages(run);
  run.write(1, 0);
  messages.taken();
  run.write(2, 0);
  Sequence sent = messages.taken();
  REQUIRE(sent.size() == 5);
  CHECK(Sequence(sent.begin(), sent.begin() + 2) == Sequence{"2 WRITE", "0 WRITE_FORWARD"});
  CHECK(sorted({sent[2], sent[3]}) == Sequence{"1 owner's data", "1 transfer"});
  CHECK(sent[4] == "0 grant-ack");
  CHECK(run.state(1, 0) == CacheState::invalid);
  CHECK(run.state(2, 0) == CacheState::dirty);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("The only sharer is granted the line without data, by two messages") {
  Script run{Setup{}};
  Messages messages(run);
  run.read(1, 0);
  messages.taken();
  run.write(1, 0);
  CHECK(messages.taken() == Sequence{"1 WRITE_PERMISSION_ONLY", "0 grant"});
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("An eviction takes one message if the line is Shared, and two if it is Dirty; the oldest line goes",
          "[claim:gam-inv-evict-shared]") {
  Setup setup;
  setup.options.cache_bytes = 2 * setup.options.line_bytes;
  Script run(setup);
  Messages messages(run);
  run.read(1, 0);
  run.write(1, 4);
  messages.taken();
  run.read(1, 8);
  CHECK(sorted(messages.taken()) == Sequence{"0 data", "1 ACTIVE_INVALIDATE", "1 READ"});
  CHECK(run.state(1, 0) == CacheState::invalid);
  CHECK(run.home(0) == DirectoryState::unshared);
  run.read(1, 0);
  CHECK(sorted(messages.taken()) == Sequence{"0 data", "0 wb-ack", "1 READ", "1 WRITE_BACK"});
  CHECK(run.state(1, 4) == CacheState::invalid);
  CHECK(run.home(4) == DirectoryState::unshared);
  run.read(2, 4);  // what was written back
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("What is evicted is least recently used: a read, a write and a lock each make a line the newest again") {
  using Use = std::function<void(Script&)>;
  const Use uses[] = {
      [](Script& run) { run.read(1, 0); },
      [](Script& run) { run.write(1, 0); },
      [](Script& run) {
        run.write(1, 0);  // dirty: from now on a hit
        run.read(1, 4);
        run.read(1, 8);
        run.write(1, 0);
      },
      [](Script& run) {
        REQUIRE(run.try_lock({1, 0}, 0, models::LockMode::shared));
        run.unlock({1, 0}, 0);
      },
  };
  for (const Use& use : uses) {
    Setup setup;
    setup.options.cache_bytes = 3 * setup.options.line_bytes;
    Script run(setup);
    for (const std::uint64_t i : {0, 4, 8}) run.read(1, i);
    use(run);
    for (const std::uint64_t i : {12, 16}) run.read(1, i);
    CHECK(run.state(1, 0) != CacheState::invalid);
    CHECK(run.state(1, 4) == CacheState::invalid);
    CHECK(run.state(1, 8) == CacheState::invalid);
    run.read(1, 20);
    CHECK(run.state(1, 0) == CacheState::invalid);
    run.finish();
    CHECK(run.violations() == "");
  }
}

namespace {

std::uint64_t cached(const Run& run, NodeId node) {
  return run.protocol.node(node).cache().frames().used_frames();
}

}  // namespace

TEST_CASE(
    "A cache is above its threshold only by lines that are locked or in transition, and evicts others meanwhile") {
  Setup setup;
  setup.options.cache_bytes = 3 * setup.options.line_bytes;
  Script run(setup);
  for (const std::uint64_t i : {0, 4, 8}) REQUIRE(run.try_lock({1, 0}, i, models::LockMode::shared));
  CHECK(run.counter("cache.overfull") == 0);
  for (const std::uint64_t i : {12, 16}) run.read(1, i);  // the oldest of the list are locked
  CHECK(cached(run, 1) == 3);
  CHECK(run.counter("cache.overfull") == 2);  // while they were on their way
  REQUIRE(run.try_lock({1, 0}, 20, models::LockMode::shared));
  CHECK(cached(run, 1) == 4);
  run.unlock({1, 0}, 8);
  CHECK(cached(run, 1) == 3);
  CHECK(run.state(1, 8) == CacheState::invalid);
  for (const std::uint64_t i : {0, 4, 20}) run.unlock({1, 0}, i);
  CHECK(cached(run, 1) == 3);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("A cache that had more lines on their way than it may keep evicts them as they come, from one list or many") {
  for (const std::uint64_t lists : {1, 10}) {
    Setup setup;
    setup.options.cache_bytes = 3 * setup.options.line_bytes;
    setup.options.lru_lists = lists;
    Script run(setup);
    for (std::uint64_t i = 0; i < 12; ++i) run.begin({1, 0}, run.line(4 * i), true);
    run.advance(20_us);
    CHECK(cached(run, 1) > 3);
    run.advance(1_ms);
    CHECK(cached(run, 1) == 3);
    CHECK(run.counter("cache.overfull") > 0);
    run.finish();
    CHECK(run.violations() == "");
  }
}

TEST_CASE("A dirty line is written back in one message with its data, or by a one-sided WRITE and a notice") {
  Setup setup;
  setup.options.cache_bytes = 2 * setup.options.line_bytes;
  setup.options.write_back = WriteBack::one_sided;
  Script run(setup);
  Messages messages(run);
  run.write(1, 0);
  run.write(1, 4);
  messages.taken();
  run.write(1, 8);
  const Sequence sent = messages.taken();
  CHECK(sorted(sent) == Sequence{"0 grant with data", "0 wb-ack", "1 WRITE", "1 WRITE_BACK", "1 one-sided WRITE"});
  CHECK(std::find(sent.begin(), sent.end(), "1 one-sided WRITE") + 1 ==
        std::find(sent.begin(), sent.end(), "1 WRITE_BACK"));
  run.read(2, 0);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("A node writes no more lines back to one home at once than it has buffers there") {
  const auto most_at_once = [](std::uint64_t buffers) {
    Setup setup;
    setup.options.cache_bytes = 4 * Setup::kLineBytes;
    setup.options.write_back_buffers = buffers;
    Script run(setup);
    for (std::uint64_t i = 0; i < 4; ++i) run.write(1, 4 * i);  // all of node 0
    for (std::uint64_t i = 4; i < 8; ++i) run.begin({1, 0}, run.line(4 * i), true);
    std::ptrdiff_t most = 0;
    for (int step = 0; step < 3000; ++step) {
      run.advance(100_ns);
      std::ptrdiff_t dying = 0;
      for (std::uint64_t i = 0; i < 8; ++i) dying += run.state(1, 4 * i) == CacheState::to_invalid;
      most = std::max(most, dying);
    }
    run.finish();
    CHECK(run.violations() == "");
    return most;
  };
  CHECK(most_at_once(1) == 1);
  CHECK(most_at_once(2) == 2);
  CHECK(most_at_once(64) == 4);
}

TEST_CASE("Requests of one node for one line are merged into one", "[claim:gam-inv-pending-per-line]") {
  Script run{Setup{}};
  Messages messages(run);
  run.begin({1, 0}, run.line(0), false);
  run.begin({1, 1}, run.line(0), false);
  run.advance(300_us);
  CHECK(messages.taken() == Sequence{"1 READ", "0 data"});
  CHECK(run.counter("pending.requests") == 1);
}

TEST_CASE(
    "Small messages that wait behind a full send queue leave together in their order, as far as a packet holds them") {
  constexpr std::uint64_t kWrite = 52;  // bytes of a WRITE
  for (const std::uint64_t together : {1, 2, 3, 20}) {
    Setup setup;
    setup.options.send_depth = 1;
    setup.options.signal_every = 1;
    setup.options.merged_bytes = together * kWrite + 20;
    setup.options.hit = 50_ns;  // all requests come before the first completion
    Script run(setup);
    Messages messages(run);
    for (std::uint64_t i = 0; i < 4; ++i) {
      run.spawn(
          [](Script& r, std::uint64_t line) -> sim::Task<void> {
            co_await r.memory.write({1, 0}, r.line(line));
            co_await r.memory.write({1, 0}, r.line(line + 16));
          }(run, 4 * i),
          1);
    }
    run.advance(300_us);
    std::uint64_t alone = 0, merged = 0, in_packet = 0, most = 0;
    for (const std::string& sent : messages.taken()) {
      if (sent == "1 WRITE") ++alone, in_packet = 1;
      if (sent == "+ WRITE") ++merged, ++in_packet;
      most = std::max(most, in_packet);
    }
    CHECK(alone + merged == 8);
    CHECK(run.counter("channels.merged") == merged);
    CHECK(most <= together);
    CHECK((most == together || most >= 6));
    run.finish();
    CHECK(run.violations() == "");
  }
}

TEST_CASE("GAM's warm-up ends in the state that the accesses themselves would") {
  for (const bool write : {false, true}) {
    for (const NodeId second : {0, 2}) {
      Script run{Setup{}};
      run.protocol.warm_access({1, 0}, run.line(0), true);
      run.protocol.warm_access({second, 0}, run.line(0), write);
      Script ran{Setup{}};
      ran.write(1, 0);
      (write ? ran.write(second, 0) : ran.read(second, 0));
      CHECK(run.home(0) == ran.home(0));
      CHECK(run.sharers(0) == ran.sharers(0));
      for (NodeId node = 1; node < 3; ++node) CHECK(run.state(node, 0) == ran.state(node, 0));
    }
  }
  Setup setup;
  setup.micro.warm_passes = 2;
  Run warmed(setup);
  warmed.finish();
  CHECK(warmed.violations() == "");
}

TEST_CASE("A worker that waits for events wakes up for each message that finds it asleep") {
  Setup setup;
  Script polling(setup);
  setup.options.notification = Notification::events;
  setup.options.wake_up = 3_us;
  Script waiting(setup);
  // The home's for the READ, and the reader's for the data.
  CHECK(waiting.read(1, 0) - polling.read(1, 0) == 2 * setup.options.wake_up);
}

TEST_CASE("On InfiniBand's framing each packet is 56 bytes shorter, on each of its two wires") {
  Setup setup;
  Script ethernet(setup);
  setup.rack.link_framing = models::Framing::infiniband;
  Script infiniband(setup);
  // READ and data follow each other: four wires.
  const auto saved = sim::transmission_time(8 * 56, static_cast<std::int64_t>(setup.rack.link_bits_per_second));
  CHECK(ethernet.read(1, 0) - infiniband.read(1, 0) == 4 * saved);
}

TEST_CASE("A cache of half of what a node uses holds as many lines") {
  Setup setup;
  setup.options.cache_share = 0.5;
  setup.micro.working_set = 4 * 40 * Setup::kLineBytes;  // 40 for each node, all of them shared
  setup.micro.read_ratio = 1;                            // or others would invalidate them
  setup.measure(5'000);
  Run run(setup);
  run.finish();
  CHECK(run.violations() == "");
  std::size_t most = 0;
  for (NodeId node = 0; node < 4; ++node) {
    most = std::max<std::size_t>(most, run.protocol.node(node).cache().frames().used_frames());
  }
  CHECK(most == 20);
}

}  // namespace gam_messages_test
