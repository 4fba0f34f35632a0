// What every application has from its base: draws that an attempt repeats, locks, aborts and what they are counted as,
// arrivals, first contents, and the judgement of memory at rest.
#include "models/applications/application.hpp"

#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <vector>

#include "sim/options/option_error.hpp"
#include "tests/models/applications/application_bench.hpp"

namespace application_test {

using namespace racksim;
using namespace racksim::app;
using namespace racksim::sim::literals;
using app::test::Bench;

namespace {

/// Does what a test says, on ten slots of 16 bytes that hold their index and its double.
struct Told final : Application {
  std::function<sim::Task<End>(Client&)> does;
  std::function<void(const Image&, Judge&)> judges = [](const Image&, Judge&) {};
  std::uint64_t locks = 2;
  models::OperationSet operations{};

  Needs needs() const override { return {.regions = {{"slot", 10, 16}}, .locks = locks, .operations = operations}; }
  void first(Slot slot, Bytes bytes) const override {
    bytes.put(0, slot.index);
    bytes.put(8, slot.index * 2);
  }
  sim::Task<End> operation(Client& client) override { return does(client); }
  void judge(const Image& image, Judge& judge) const override { judges(image, judge); }
};

}  // namespace

TEST_CASE("Slots hold what the application says they hold at first, to operations and to its judgement") {
  for (const std::uint64_t object_bytes : {0, 8}) {
    auto told = std::make_shared<Told>();
    unsigned right = 0;
    told->does = [&](Client& c) -> sim::Task<End> {
      const Slot slot = c.draw("slot");
      const auto a = co_await c.load<std::uint64_t>(slot), b = co_await c.load<std::uint64_t>(slot, 8);
      right += a == slot.index && b == 2 * slot.index ? 1 : 0;
      co_return End::committed;
    };
    told->judges = [](const Image& image, Judge& judge) {
      judge.equal("sum", image.sum<std::uint64_t>("slot"), 45);
      judge.equal("double", image.get<std::uint64_t>(image.slot("slot", 7), 8), 14);
      judge.equal("wrong", image.slots("slot"), 11);
    };
    Bench t(told, object_bytes);
    t.run(100);
    CHECK(right == t.count("application.committed"));
    CHECK(right >= 100);
    const auto oracle = t.judged();
    CHECK(oracle->judged() == 3);
    REQUIRE(oracle->violation_count() == 1);
    CHECK(oracle->violations().front().what == "wrong: 10, expected 11");
  }
}

TEST_CASE("What is stored is seen by the judgement at rest") {
  auto told = std::make_shared<Told>();
  told->does = [](Client& c) -> sim::Task<End> {
    const Slot slot = c.slot("slot", c.node() * 2 + c.thread());
    const std::uint64_t value = 1000 + slot.index;
    co_await c.store(slot, value, 8);
    co_return End::committed;
  };
  told->judges = [](const Image& image, Judge& judge) {
    for (std::uint64_t i = 0; i < 10; ++i) {
      judge.equal("first", image.get<std::uint64_t>(image.slot("slot", i)), i);
      judge.equal("second", image.get<std::uint64_t>(image.slot("slot", i), 8), i < 8 ? 1000 + i : 2 * i);
    }
  };
  Bench t(told);
  t.run(100);
  const auto oracle = t.judged();
  CHECK(oracle->judged() == 20);
  CHECK(oracle->violation_count() == 0);
}

TEST_CASE("Another attempt draws the same again, and the next operation something else") {
  auto told = std::make_shared<Told>();
  std::map<std::pair<unsigned, unsigned>, std::vector<std::vector<std::uint64_t>>> drawn;  // by thread: attempts
  told->does = [&](Client& c) -> sim::Task<End> {
    auto& attempts = drawn[{c.node(), c.thread()}];
    const Slot first = c.draw("slot"), second = c.draw_other("slot", first);
    attempts.push_back({first.index, second.index, c.random().below(1'000'000)});
    co_await c.load<std::uint64_t>(first);
    co_return attempts.size() % 3 == 0 ? End::committed : End::aborted;
  };
  Bench t(told);
  t.options.backoff = 2_us;
  t.run(200);
  std::set<std::vector<std::uint64_t>> operations;
  for (const auto& [thread, attempts] : drawn) {
    for (std::size_t i = 0; i + 2 < attempts.size(); i += 3) {
      CHECK(attempts[i] == attempts[i + 1]);
      CHECK(attempts[i] == attempts[i + 2]);
      CHECK(attempts[i][0] != attempts[i][1]);
      operations.insert(attempts[i]);
    }
  }
  CHECK(operations.size() > 190);
  CHECK(t.count("application.aborted.other") >= 2 * t.count("application.committed"));
  CHECK(t.count("application.aborted.lock") == 0);
}

TEST_CASE("Locks are of lines, taken once each, and given back") {
  auto told = std::make_shared<Told>();
  told->does = [](Client& c) -> sim::Task<End> {
    // Four slots of 16 bytes in a line: one lock for the first two, another for the last.
    Locks held = co_await c.try_lock(c.slot("slot", 0), c.slot("slot", 1), c.slot("slot", 9));
    if (!held) co_return End::aborted;
    CHECK(c.held() == 2);
    co_await held.release();
    CHECK_FALSE(held);
    CHECK(c.held() == 0);
    co_return End::committed;
  };
  Bench t(told);
  t.run(50);
  std::map<sim::OperationKind, unsigned> asked;
  for (const auto& one : t.memory.asked) ++asked[one.kind];
  CHECK(t.count("application.committed") >= 50);
  CHECK(t.count("application.aborted.lock") > 0);
  // Of those that were refused some had the first lock: each that was granted is given back.
  CHECK(asked[sim::OperationKind::unlock] + t.count("application.aborted.lock") == asked[sim::OperationKind::try_lock]);
  CHECK_FALSE(t.memory.holds_locks());
  CHECK(t.judged()->violation_count() == 0);
}

TEST_CASE("Locks exclude: a count under a lock is exact, and without it the judgement finds what is missing") {
  for (const bool locked : {true, false}) {
    auto told = std::make_shared<Told>();
    std::uint64_t counted = 0;
    told->does = [&](Client& c) -> sim::Task<End> {
      const Slot slot = c.slot("slot", 3);
      Locks held;
      if (locked) held = co_await c.lock(slot);
      const auto value = co_await c.load<std::uint64_t>(slot);
      co_await c.store(slot, value + 1);
      if (locked) co_await held.release();
      ++counted;
      co_return End::committed;
    };
    told->operations = models::kLocks;
    told->judges = [&](const Image& image, Judge& judge) {
      judge.equal("count", image.get<std::uint64_t>(image.slot("slot", 3)), 3 + counted);
    };
    Bench t(told);
    t.run(100);
    CHECK(t.judged()->violation_count() == (locked ? 0 : 1));
  }
}

TEST_CASE("An operation that ends with a lock is told, and the lock is given back") {
  auto told = std::make_shared<Told>();
  told->does = [](Client& c) -> sim::Task<End> {
    co_await c.try_lock(c.slot("slot", c.node()));
    co_return End::committed;
  };
  Bench t(told);
  t.run(10);
  const auto oracle = t.judged();
  CHECK(oracle->violation_count() > 0);
  CHECK(oracle->violations().front().what.find("has ended and holds a lock") != std::string::npos);
  CHECK_FALSE(t.memory.holds_locks());
}

TEST_CASE("What is unavailable is an attempt that aborted, whose locks are given back") {
  auto told = std::make_shared<Told>();
  unsigned attempts = 0;
  told->does = [&](Client& c) -> sim::Task<End> {
    Locks held = co_await c.try_lock(c.slot("slot", 2 * c.node() + c.thread()));
    if (!held) co_return End::aborted;
    if (++attempts % 4 == 0) throw models::Unavailable("a test");
    co_await held.release();
    co_return End::committed;
  };
  Bench t(told);
  t.run(100);
  CHECK(t.count("application.aborted.unavailable") == attempts / 4);
  CHECK_FALSE(t.memory.holds_locks());
  CHECK(t.judged()->violation_count() == 0);
}

TEST_CASE("An operation with no attempt left is given up, and one that rolls back is not tried again") {
  auto told = std::make_shared<Told>();
  unsigned attempts = 0;
  told->does = [&](Client& c) -> sim::Task<End> {
    co_await c.load<std::uint64_t>(c.draw("slot"));
    co_return ++attempts % 2 == 0 ? End::rolled_back : End::aborted;
  };
  Bench t(told);
  t.options.retries = 0;
  t.run(100);
  CHECK(t.count("application.given_up") == (attempts + 1) / 2);
  CHECK(t.count("application.rolled_back") == attempts / 2);
  CHECK(t.count("application.committed") == 0);
}

TEST_CASE("In open loop operations come at their rate, and wait behind each other at their thread") {
  auto told = std::make_shared<Told>();
  told->does = [](Client& c) -> sim::Task<End> {
    co_await c.load<std::uint64_t>(c.draw("slot"));
    co_return End::committed;
  };
  // A Poisson process of 400,000 a second has 4,000 in 10 ms, within 5 standard deviations of 63.
  {
    Bench t(told);
    t.options.loop = ApplicationOptions::Loop::open;
    t.options.rate = 400'000;
    t.run(4'000);
    CHECK(t.calendar.now().seconds() == Approx(0.010).margin(0.0008));
  }
  // Eight threads that take 1 us each do 8 million a second; 16 million that come wait ever longer.
  {
    Bench t(told);
    t.options.loop = ApplicationOptions::Loop::open;
    t.options.rate = 16'000'000;
    t.rack.metrics().open_window(t.calendar.now());
    t.run(8'000);
    const auto& latency = std::get<sim::Histogram>(t.rack.metrics().find("latency.commit")->value);
    CHECK(t.calendar.now().seconds() == Approx(0.001).margin(0.00001));
    CHECK(latency.max() > 400_us);  // half of 1 ms, less luck
  }
}

TEST_CASE("A node that crashes leaves operations half done: memory is not judged, and the others go on") {
  auto told = std::make_shared<Told>();
  told->does = [](Client& c) -> sim::Task<End> {
    co_await c.load<std::uint64_t>(c.draw("slot"));
    co_return End::committed;
  };
  told->judges = [](const Image&, Judge& judge) { judge.that(false, "never", "judged"); };
  Bench t(told);
  models::WorkloadContext context{t.rack, t.protocol};
  t.workload = t.options.build(context);
  t.workload->start();
  t.calendar.run_until(sim::Time{} + 10_us);
  const std::uint64_t before = t.count("application.committed");
  t.workload->node_crashed(1);
  t.calendar.run_until(sim::Time{} + 20_us);
  CHECK(t.count("application.committed") == before + 6 * 10);
  t.workload->stop();
  t.calendar.run_until();
  CHECK(t.workload->running() == 0);
  const auto oracle = t.judged();
  CHECK(oracle->judged() == 0);
  CHECK(oracle->violation_count() == 0);
}

TEST_CASE("More locks than the memory service offers are refused before the run, with both numbers") {
  auto told = std::make_shared<Told>();
  told->locks = 50;
  told->does = [](Client&) -> sim::Task<End> { co_return End::committed; };
  Bench t(told);
  models::MemoryShape shape = models::test::FakeMemory::shape_of(8);
  shape.locks_per_session = 2;
  models::test::TestRack rack;
  models::test::FakeMemory memory(rack.rack, shape);
  models::test::FakeProtocol protocol(memory);
  models::WorkloadContext context{rack.rack, protocol};
  try {
    t.options.build(context);
    FAIL("not refused");
  } catch (const sim::OptionError& error) {
    const std::string text = error.what();
    CHECK(text.find("hold 50 locks") != std::string::npos);
    CHECK(text.find("at most 2 ") != std::string::npos);
  }
}

TEST_CASE("Warm-up reads slots by their popularity, each thread as many as asked for") {
  auto told = std::make_shared<Told>();
  told->does = [](Client&) -> sim::Task<End> { co_return End::aborted; };
  Bench t(told);
  t.options.warm_slots = 5;
  t.options.retries = 0;
  models::WorkloadContext context{t.rack, t.protocol};
  t.workload = t.options.build(context);
  t.workload->warm_up();
  CHECK(t.memory.warmed.size() == 4 * 2 * 5);
  for (const auto& one : t.memory.warmed) CHECK(t.workload->uses(sim::Key{one.key}));
}

}  // namespace application_test
