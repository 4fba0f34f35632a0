// Which messages and pages an access takes, in the order in which they leave: node 4 is the home.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/protocols/rpc_directory/rpc_directory_run.hpp"
#include "tests/protocols/selcc/selcc_run.hpp"

namespace rpc_messages_test {

using namespace racksim;
using namespace racksim::rpc_directory;
using namespace racksim::rpc_directory::testing;
using Sequence = std::vector<std::string>;

TEST_CASE("A miss is a request and a reply with the page, and a hit no message at all") {
  Script run{Setup{}};
  Verbs verbs(run);
  run.read(0, 0);
  CHECK(verbs.taken() == Sequence{"0 SEND", "4 WRITE"});
  CHECK(run.state(0, 0) == LineState::shared);
  CHECK(run.home(0) == DirectoryState::shared);
  run.read(0, 0);
  CHECK(verbs.taken().empty());
  run.write(1, 1);
  CHECK(verbs.taken() == Sequence{"1 SEND", "5 WRITE"});
  CHECK(run.home(1) == DirectoryState::exclusive);
  run.write(1, 1);
  run.read(1, 1);
  CHECK(verbs.taken().empty());
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("A memory server's core handles each message, and costs it what the options say") {
  Setup setup;
  setup.options.directory = 10_us;
  Script run(setup);
  const sim::Duration before = run.rack.server(4).core(0).busy_time();
  run.read(0, 0);
  CHECK(run.rack.server(4).core(0).busy_time() - before > 10_us);
  CHECK(run.rack.server(4).core(0).busy_time() - before < 11_us);
  setup.options.directory_cores = 0;
  setup.options.stranded_share = 0.5;
  Script stranded(setup);
  stranded.read(0, 0);
  CHECK(stranded.rack.server(4).core(0).busy_time() > 20_us);
  CHECK(stranded.rack.server(4).core(0).busy_time() < 21_us);
}

TEST_CASE("Lines are spread over a home's directory cores") {
  Setup setup;
  setup.options.directory_cores = 2;
  setup.options.directory = 10_us;
  Script run(setup);
  for (const std::uint64_t i : {0, 2, 4, 6}) run.read(0, i);  // all at the first home
  for (std::size_t core = 0; core < 2; ++core) {
    CHECK(run.rack.server(4).core(core).busy_time() >= 20_us);
    CHECK(run.rack.server(4).core(core).busy_time() < 22_us);
  }
}

TEST_CASE("The only sharer upgrades by a request and a reply without the page") {
  Script run{Setup{}};
  run.read(2, 0);
  Verbs verbs(run);
  run.write(2, 0);
  CHECK(verbs.taken() == Sequence{"2 SEND", "4 WRITE"});
  CHECK(run.state(2, 0) == LineState::exclusive);
  CHECK(run.counter("misses.upgrade") == 1);
}

TEST_CASE("A write to a line that others share is granted after all of them have acknowledged its invalidation") {
  Script run{Setup{}};
  Verbs verbs(run);
  run.read(0, 0);
  run.read(2, 0);
  verbs.taken();
  run.write(1, 0);
  Sequence sent = verbs.taken();
  REQUIRE(sent.size() == 6);
  CHECK(Sequence(sent.begin(), sent.begin() + 3) == Sequence{"1 SEND", "4 SEND", "4 SEND"});
  std::sort(sent.begin() + 3, sent.begin() + 5);
  CHECK(Sequence(sent.begin() + 3, sent.end()) == Sequence{"0 SEND", "2 SEND", "4 WRITE"});
  CHECK(run.state(0, 0) == LineState::absent);
  CHECK(run.state(1, 0) == LineState::exclusive);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("A writer that meets an owner gets the page from it, and memory does not") {
  Script run{Setup{}};
  Verbs verbs(run);
  run.write(0, 0);
  verbs.taken();
  run.write(1, 0);
  // The owner's notice leaves before its page, on another queue pair: it has less to fetch over PCIe.
  CHECK(verbs.taken() == Sequence{"1 SEND", "4 WRITE", "1 SEND", "0 SEND", "0 WRITE"});
  CHECK(run.counter("write_backs") == 0);
  CHECK(run.state(0, 0) == LineState::absent);
  CHECK(run.state(1, 0) == LineState::exclusive);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("A reader that meets an owner gets the page from it, and memory is written before the home hears of it") {
  Script run{Setup{}};
  Verbs verbs(run);
  run.write(0, 0);
  verbs.taken();
  run.read(1, 0);
  CHECK(verbs.taken() == Sequence{"1 SEND", "4 WRITE", "1 SEND", "0 WRITE", "0 WRITE", "0 SEND"});
  CHECK(run.counter("write_backs") == 1);
  CHECK(run.state(0, 0) == LineState::shared);
  CHECK(run.home(0) == DirectoryState::shared);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("Of two upgraders the second loses its share, and gets the page from the first") {
  Script run{Setup{}};
  run.read(0, 0);
  run.read(1, 0);
  run.begin({0, 0}, run.line(0), true);
  run.begin({1, 0}, run.line(0), true);
  run.advance(300_us);
  CHECK(run.counter("queued") == 1);
  CHECK(run.counter("invalidations") == 1);
  CHECK(run.counter("given") == 1);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("Threads of one node that miss the same line share one request to its home") {
  Script run{Setup{}};
  Verbs verbs(run);
  run.begin({0, 0}, run.line(0), false);
  run.begin({0, 1}, run.line(0), false);
  run.advance(300_us);
  CHECK(verbs.taken() == Sequence{"0 SEND", "4 WRITE"});
}

TEST_CASE("An eviction writes the whole page back and tells the home; of a share it only tells") {
  Setup setup;
  setup.options.cache_bytes = 2 * setup.options.line_bytes;  // one frame to use, one to keep free
  Script run(setup);
  Verbs verbs(run);
  run.write(0, 0);
  verbs.taken();
  run.read(0, 2);
  CHECK(verbs.taken() == Sequence{"0 SEND", "0 WRITE", "0 SEND", "4 WRITE"});
  CHECK(run.home(0) == DirectoryState::uncached);
  run.read(0, 4);
  CHECK(verbs.taken() == Sequence{"0 SEND", "0 SEND", "4 WRITE"});
  CHECK(run.home(2) == DirectoryState::uncached);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("No more evictions of a node are under way than its window has room for") {
  for (const std::uint64_t window : {1, 16}) {
    Setup setup;
    setup.options.eviction_window = window;
    setup.options.free_share = 1;
    setup.options.eviction = setup.options.local_access = 10_ns;
    Script run(setup);
    const auto let_go_at_once = [&]() -> sim::Task<void> {
      for (std::uint64_t i = 0; i < 10; ++i) {
        co_await run.memory.lock({0, 0}, run.line(i), models::LockMode::exclusive);
        co_await run.memory.write({0, 0}, run.line(i));
      }
      for (std::uint64_t i = 0; i < 10; ++i) co_await run.memory.unlock({0, 0}, run.line(i));
    };
    run.spawn(let_go_at_once(), 0);
    run.advance(2_ms);
    CHECK(run.counter("evictions.exclusive") == 10);
    CHECK((run.counter("eviction_waits") > 0) == (window == 1));
    run.finish();
    CHECK(run.violations() == "");
  }
}

TEST_CASE("A warm-up ends in the state that the accesses themselves would") {
  for (const bool write : {false, true}) {
    Script run{Setup{}};
    run.protocol.warm_access({0, 0}, run.line(0), true);
    run.protocol.warm_access({1, 0}, run.line(0), write);
    Script ran{Setup{}};
    ran.write(0, 0);
    (write ? ran.write(1, 0) : ran.read(1, 0));
    CHECK(run.home(0) == ran.home(0));
    for (NodeId node = 0; node < 2; ++node) CHECK(run.state(node, 0) == ran.state(node, 0));
  }
  Setup setup;
  setup.micro.warm_passes = 2;
  Run warmed(setup);
  warmed.finish();
  CHECK(warmed.violations() == "");
}

TEST_CASE(
    "Under contention the directory keeps what it promises, with locks held across accesses and any number of cores") {
  for (const std::uint64_t cores : {0, 1, 2}) {
    for (const auto mode : {models::MicroOptions::Mode::access, models::MicroOptions::Mode::lock_and_access}) {
      Setup setup;
      setup.options.directory_cores = cores;
      setup.options.stranded_share = 0.5;
      setup.micro.mode = mode;
      setup.rack.faults.loss = 0.01;
      Run run(setup);
      run.finish();
      CHECK(run.violations() == "");
      Run again(setup);
      again.finish();
      CHECK(again.hash() == run.hash());
    }
  }
}

TEST_CASE("A miss by one-sided verbs is quicker than one by RPC", "[claim:selcc-s43-rpc-two-ops]") {
  Setup setup;
  setup.options.directory = {};  // the sending on both sides alone
  Script rpc(setup);
  selcc::testing::SelccScript verbs{selcc::testing::Setup{}};
  const sim::Duration by_verbs = verbs.read(0, 0), by_rpc = rpc.read(0, 0);
  CHECK(by_verbs < by_rpc);
}

}  // namespace rpc_messages_test
