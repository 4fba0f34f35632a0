// What a session may have under way (GAM §4), atomic operations, allocation (§2.1), and queue pairs that are set up
// again.
#include <catch2/catch.hpp>
#include <functional>
#include <new>
#include <stdexcept>

#include "tests/protocols/gam/gam_run.hpp"
#include "tests/protocols/real_bytes.hpp"

namespace gam_sessions_test {

using namespace racksim;
using namespace racksim::gam;
using namespace racksim::gam::testing;
using Locality = models::AllocationHint::Locality;

namespace {

/// When one write after the other returned, and when a fence behind them did, since they began.
struct Times {
  std::vector<sim::Duration> writes;
  sim::Duration fence;
};

Times write_lines(const Setup& setup, std::uint64_t lines) {
  Script run(setup);
  Times times;
  const auto write = [&]() -> sim::Task<void> {
    const sim::Time begun = run.calendar.now();
    for (std::uint64_t i = 0; i < lines; ++i) {
      co_await run.memory.write({1, 0}, run.line(4 * i));
      times.writes.push_back(run.calendar.now() - begun);
    }
    co_await run.memory.fence({1, 0});
    times.fence = run.calendar.now() - begun;
  };
  run.spawn(write(), 1);
  run.advance(1_ms);
  run.finish();
  CHECK(run.violations() == "");
  return times;
}

}  // namespace

TEST_CASE("A write returns as it is handed over, but under sc when it is performed; a fence waits for it",
          "[claim:gam-inv-mfence]") {
  Setup setup;
  const Times pso = write_lines(setup, 1);
  CHECK(pso.writes[0] == setup.options.hand_over);
  CHECK(pso.fence > 3_us);
  setup.options.consistency = Consistency::tso;
  CHECK(write_lines(setup, 1).writes[0] == 2 * setup.options.hand_over);  // of the write and of the fence behind it
  setup.options.consistency = Consistency::sc;
  const Times sc = write_lines(setup, 1);
  CHECK(sc.writes[0] > 3_us);
  CHECK(sc.fence == sc.writes[0] + setup.options.hand_over + setup.options.hit);  // which has nothing to wait for
}

TEST_CASE("Under sc a write takes as long as a write lock and its unlock, wherever the line is") {
  Setup setup;
  setup.options.consistency = Consistency::sc;
  // Of its home's own, of another node's for the first time, as its owner, and of a line that somebody else owns.
  struct Case {
    const char* what;
    NodeId owner, writer;
  };
  for (const Case& c : {Case{"home", 0, 0}, Case{"miss", 0, 1}, Case{"hit", 1, 1}, Case{"owned", 2, 1}}) {
    INFO(c.what);
    Script writes(setup), locks(setup);
    for (Script* run : {&writes, &locks}) run->write(c.owner, 0);
    const sim::Duration write = writes.write(c.writer, 0);
    sim::Duration locked;
    const auto lock = [&]() -> sim::Task<void> {
      const sim::Time begun = locks.calendar.now();
      co_await locks.memory.lock({c.writer, 0}, locks.line(0), models::LockMode::exclusive);
      co_await locks.memory.unlock({c.writer, 0}, locks.line(0));
      locked = locks.calendar.now() - begun;
    };
    locks.spawn(lock(), c.writer);
    locks.advance(300_us);
    CHECK(write == locked);
    if (c.owner == c.writer) CHECK(write == 2 * (setup.options.hand_over + setup.options.hit));
    for (Script* run : {&writes, &locks}) {
      run->finish();
      CHECK(run->violations() == "");
    }
  }
}

TEST_CASE("Under tso the worker serves a fence behind each write, under pso it does not") {
  constexpr std::int64_t kWrites = 20;
  const auto time = [](Consistency consistency) {
    Setup setup;
    setup.options.consistency = consistency;
    Script run(setup);
    sim::Duration took;
    const auto write = [&]() -> sim::Task<void> {
      const sim::Time begun = run.calendar.now();
      for (int i = 0; i < kWrites; ++i) co_await run.memory.write({1, 0}, run.line(1));
      co_await run.memory.fence({1, 0});
      took = run.calendar.now() - begun;
    };
    run.spawn(write(), 1);
    run.advance(300_us);
    run.finish();
    CHECK(run.violations() == "");
    return took;
  };
  // The thread hands over faster than the worker serves: behind the first hand-over the worker has always work.
  const Options costs;
  CHECK(time(Consistency::pso) == costs.hand_over + (kWrites + 1) * costs.hit);
  CHECK(time(Consistency::tso) == costs.hand_over + (2 * kWrites + 1) * costs.hit);
}

TEST_CASE("Under pso writes to several lines are under way together, under tso one after the other") {
  Setup setup;
  const sim::Duration one = write_lines(setup, 1).fence, pso = write_lines(setup, 8).fence;
  setup.options.consistency = Consistency::tso;
  const Times tso = write_lines(setup, 8);
  CHECK(pso < 3 * one);
  CHECK(tso.fence > 6 * one);
  CHECK(tso.writes.back() == 16 * setup.options.hand_over);  // of eight writes, and a fence behind each
}

TEST_CASE("A session has no more writes under way than it may; the next waits for one to be performed") {
  Setup setup;
  setup.options.outstanding_writes = 4;
  const Times times = write_lines(setup, 5);
  CHECK(times.writes[3] == 4 * setup.options.hand_over);
  CHECK(times.writes[4] > 3_us);
}

namespace {

/// Has a thread of node 1 write one of its node's own lines over and over, without waiting.
sim::Task<void> write_locally(Script& run, std::uint16_t thread, unsigned writes) {
  for (unsigned i = 0; i < writes; ++i) co_await run.memory.write({1, thread}, run.line(1));
}

}  // namespace

TEST_CASE("A message waits for one request of each thread at most, however many they have handed over") {
  Setup setup;
  setup.micro.threads = 4;
  setup.options.outstanding_writes = 1000;
  Script run(setup);
  const sim::Duration idle = run.read(2, 1);
  run.read(2, 1);
  for (std::uint16_t thread = 0; thread < 4; ++thread) run.spawn(write_locally(run, thread, 500), 1);
  run.advance(100_us);  // all have been handed over, and most of 2,000 x 348 ns of work is left
  sim::Time ended = sim::Time::max();
  const sim::Time begun = run.calendar.now();
  run.begin({2, 0}, run.line(5), false, &ended);
  run.advance(100_us);
  // Up to a request under way and a round of all threads, before the READ.
  CHECK(ended - begun <= idle + 5 * setup.options.hit);
  run.advance(2_ms);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("The worker takes the requests of its threads in turn, and those of a thread in their order") {
  Setup setup;
  setup.options.outstanding_writes = 1000;
  Script run(setup);
  run.spawn(write_locally(run, 0, 100), 1);
  run.advance(10_us);
  sim::Time ended = sim::Time::max();
  const sim::Time begun = run.calendar.now();
  run.begin({1, 1}, run.line(5), false, &ended);
  run.advance(100_us);
  CHECK(ended - begun <= setup.options.hand_over + 3 * setup.options.hit);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("Requests go on while messages never cease: a round takes those that have come, and a request then") {
  Setup setup;
  setup.micro.threads = 2;
  setup.micro.working_set = 256 * Setup::kLineBytes;
  setup.options.outstanding_writes = 64;
  setup.options.cache_bytes = 8 * Setup::kLineBytes;
  Script run(setup);
  const auto miss = [&](NodeId node) -> sim::Task<void> {
    for (std::uint64_t i = 0; i < 200; ++i) co_await run.memory.write({node, 0}, run.line((7 * i + node) % 60 * 4));
  };
  for (const NodeId node : {1, 2, 3}) run.spawn(miss(node), node);
  run.advance(100_us);  // the home's worker is behind with their messages from now on
  unsigned reads = 0;
  const auto read = [&]() -> sim::Task<void> {
    for (; reads < 1000; ++reads) co_await run.memory.read({0, 0}, run.line(252));
  };
  run.spawn(read(), 0);
  // A round is of at most what three nodes have under way, a request and a write-back for each of 64 writes: some 600 us.
  run.advance(1_ms);
  CHECK(reads >= 1);
  run.advance(5_ms);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("A read of what its session has just written sees it, under each model, wherever the line is") {
  for (const Consistency consistency : {Consistency::pso, Consistency::tso, Consistency::sc}) {
    for (const NodeId node : {0, 1}) {
      Setup setup;
      setup.options.consistency = consistency;
      Script run(setup);
      run.read(2, 0);
      sim::Value wrote = 0, other = 0, read = 0;
      const auto write_and_read = [&]() -> sim::Task<void> {
        co_await run.memory.write({node, 0}, run.line(4));
        co_await run.memory.write({node, 0}, run.line(0));
        wrote = co_await run.memory.write({node, 0}, run.line(0));
        other = co_await run.memory.read({node, 0}, {run.line(0).value + 8});
        read = co_await run.memory.read({node, 0}, run.line(0));
      };
      run.spawn(write_and_read(), node);
      run.advance(300_us);
      CHECK(read == wrote);
      CHECK(other == sim::kNeverWritten);
      run.finish();
      CHECK(run.violations() == "");
    }
  }
}

TEST_CASE(
    "A session loads the bytes that it has stored, under each model, wherever they are and whoever stores beside") {
  for (const Consistency consistency : {Consistency::pso, Consistency::tso, Consistency::sc}) {
    Setup setup;
    setup.options.consistency = consistency;
    Script run(setup);
    racksim::testing::RealBytes bytes(run, {{0, 0}, {1, 1}});
    bytes.exchange(200);
    CHECK(bytes.loads() > 200);
    CHECK(bytes.wrong() == 0);
    run.finish();
    CHECK(run.violations() == "");
  }
}

TEST_CASE("Atomic operations of all nodes on one object are carried out once each") {
  Script run{Setup{}};
  constexpr std::uint64_t kAdded = std::uint64_t{1} << 55;
  const auto add = [&](NodeId node) -> sim::Task<void> {
    for (int i = 0; i < 10; ++i) co_await run.memory.fetch_and_add({node, 0}, run.line(0), kAdded);
  };
  for (NodeId node = 0; node < 4; ++node) run.spawn(add(node), node);
  run.advance(2_ms);
  sim::Value sum = 0, before = 1, after = 0;
  const auto look = [&]() -> sim::Task<void> {
    sum = co_await run.memory.read({3, 0}, run.line(0));
    before = co_await run.memory.compare_and_swap({3, 0}, run.line(0), sim::kNeverWritten);
    co_await run.memory.compare_and_swap({3, 0}, run.line(0), sum);
    after = co_await run.memory.read({2, 0}, run.line(0));
  };
  run.spawn(look(), 3);
  run.advance(300_us);
  CHECK(sum.number() == 40 * kAdded);
  CHECK(before == sum);
  CHECK(after != sum);
  run.finish();
  CHECK(run.violations() == "");
}

namespace {

/// Where a thread of node 1 gets memory; the largest number if there is none.
std::uint64_t allocate(Script& run, std::uint64_t bytes, const models::AllocationHint& hint) {
  std::uint64_t address = 0;
  const auto take = [&]() -> sim::Task<void> {
    try {
      const models::GlobalAddress taken = co_await run.memory.allocate({1, 0}, bytes, hint);
      address = taken.value;
    } catch (const std::bad_alloc&) {
      address = ~std::uint64_t{0};
    }
  };
  run.spawn(take(), 1);
  run.advance(300_us);
  return address;
}

NodeId home(Script& run, std::uint64_t bytes, const models::AllocationHint& hint = {}) {
  return models::GlobalAddress{allocate(run, bytes, hint)}.home();
}

}  // namespace

TEST_CASE("Memory is allocated locally, at the node of an affinity address, or where a hint says") {
  Script run{Setup{}};
  CHECK(home(run, 100) == 1);
  CHECK(home(run, 100, {.home = 3}) == 3);
  CHECK(home(run, 100, {.home = {}, .locality = Locality::local}) == 1);
  CHECK(home(run, 100, {.home = {}, .locality = Locality::remote}) != 1);
}

TEST_CASE("Under memory pressure memory comes from the node that has most by its last statistics, until all is used") {
  constexpr std::uint64_t kMemory = 64 * 1024;
  Setup setup;
  setup.options.memory_bytes = kMemory;
  setup.options.statistics_period = 50_us;
  Script run(setup);
  CHECK(home(run, kMemory / 2, {.home = 2}) == 2);
  CHECK(home(run, kMemory / 4, {.home = 3}) == 3);
  CHECK(home(run, kMemory / 2) == 1);
  CHECK(home(run, kMemory * 3 / 8) == 1);  // which leaves less than the share of pressure
  CHECK(home(run, kMemory / 4) == 0);
  CHECK(home(run, kMemory / 2) == 0);
  CHECK(home(run, kMemory / 2) == 3);
  CHECK(allocate(run, kMemory, {}) == ~std::uint64_t{0});
  CHECK(allocate(run, kMemory / 2, {.home = {}, .locality = Locality::local}) == ~std::uint64_t{0});
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("What is freed can be allocated again, and what is not allocated is refused, here and at another node") {
  for (const NodeId at : {1, 3}) {
    Script run{Setup{}};
    const models::AllocationHint hint{.home = at};
    const models::GlobalAddress taken{allocate(run, 1000, hint)};
    CHECK(run.refusal(run.memory.free({1, 0}, taken)) == "");
    CHECK(run.refusal(run.memory.free({1, 0}, taken)).find("no allocation") != std::string::npos);
    CHECK(allocate(run, 1000, hint) == taken.value);
    run.finish();
    CHECK(run.violations() == "");
  }
}

TEST_CASE("Where retries run out although both ends live, the pair is set up again, and each message handled once") {
  Setup setup;
  setup.rack.nic.rc_retry_count = 1;
  setup.options.signal_every = 4;
  setup.plan.drain = 50_ms;
  setup.plan.settling = 50_ms;
  setup.measure(20'000);
  setup.add_fault("down", R"({"node": 1, "from": "100us", "until": "1500us"})");
  Run run(setup);
  run.finish();
  CHECK(run.violations() == "");
  CHECK(run.counter("channels.reconnections") > 0);
}

TEST_CASE("What does not fit GAM's rack or its other options is refused with its reason") {
  const auto refusal = [](const std::function<void(Setup&)>& change) -> std::string {
    Setup setup;
    change(setup);
    try {
      Script run(setup);
    } catch (const std::exception& refused) {
      return refused.what();
    }
    return "";
  };
  CHECK(refusal([](Setup&) {}) == "");
  CHECK(refusal([](Setup& s) { s.options.line_bytes = 320; }).find("power of two") != std::string::npos);
  CHECK(refusal([](Setup& s) { s.options.cache_bytes = s.options.line_bytes; }).find("2 threads") != std::string::npos);
  CHECK(refusal([](Setup& s) { s.options.cache_share = 0.5; }).find("does not tell beforehand") != std::string::npos);
  CHECK(refusal([](Setup& s) { s.micro.threads = 8; }).find("8 application threads") != std::string::npos);
  CHECK(refusal([](Setup& s) { s.options.signal_every = 2000; }).find("send_depth") != std::string::npos);
  CHECK(refusal([](Setup& s) { s.micro.working_set *= 2, s.options.memory_bytes = 4096; }).find("4096 bytes of each") !=
        std::string::npos);
}

}  // namespace gam_sessions_test
