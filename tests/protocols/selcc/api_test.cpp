// The API of SELCC (§6.1, Table 2) beside reads, writes and latches, and its relaxed mode (§6.2).
#include <catch2/catch.hpp>
#include <numeric>

#include "tests/protocols/real_bytes.hpp"
#include "tests/protocols/selcc/selcc_run.hpp"

namespace api_test {

using namespace racksim;
using namespace racksim::selcc;
using namespace racksim::selcc::testing;
using Sequence = std::vector<std::string>;

namespace {

sim::Task<void> add(SelccScript& run, models::Session session, models::GlobalAddress word, std::uint64_t operand,
                    std::vector<std::uint64_t>* found) {
  const sim::Value before = co_await run.memory.fetch_and_add(session, word, operand);
  if (found != nullptr) found->push_back(before.number());
}

sim::Task<void> write(SelccScript& run, models::Session session, models::GlobalAddress word) {
  co_await run.memory.write(session, word);
}

sim::Task<void> read(SelccScript& run, models::Session session, models::GlobalAddress word, sim::Value* value) {
  *value = co_await run.memory.read(session, word);
}

sim::Task<void> timed(SelccScript& run, sim::Task<void> task, sim::Duration* took) {
  const sim::Time begun = run.calendar.now();
  co_await std::move(task);
  *took = run.calendar.now() - begun;
}

Setup relaxed(sim::Duration deadline, std::uint64_t writes = 16) {
  Setup setup;
  setup.selcc.relaxed = true;
  setup.selcc.buffer_deadline = deadline;
  setup.selcc.buffered_writes = writes;
  return setup;
}

}  // namespace

TEST_CASE("An atomic is one verb on a word in memory, and those of all nodes count each once") {
  SelccScript run{Setup{}};
  Verbs verbs(run);
  std::vector<std::uint64_t> found;
  run.spawn(add(run, {0, 0}, run.line(0), 1, &found));
  run.advance(100_us);
  CHECK(verbs.taken() == Sequence{"0 FAA"});
  CHECK(run.word(0).free());
  constexpr int kEach = 10;
  for (int i = 0; i < kEach; ++i) {
    for (models::NodeId node = 0; node < 4; ++node) run.spawn(add(run, {node, 1}, run.line(0), 1, &found), node);
  }
  run.advance(1_ms);
  std::sort(found.begin(), found.end());
  std::vector<std::uint64_t> expected(1 + 4 * kEach);
  std::iota(expected.begin(), expected.end(), 0u);
  CHECK(found == expected);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("A compare-and-swap writes if the word is as expected, and says what it was") {
  SelccScript run{Setup{}};
  sim::Value first = 1, second = 1, third = 1, now = 0;
  constexpr sim::Value kUnwritten = 0;
  const auto swaps = [&](SelccScript& r) -> sim::Task<void> {
    first = co_await r.memory.compare_and_swap({0, 0}, r.line(1), kUnwritten);
    second = co_await r.memory.compare_and_swap({1, 0}, r.line(1), kUnwritten);
    third = co_await r.memory.compare_and_swap({2, 0}, r.line(1), second);
    now = co_await r.memory.read({3, 0}, r.line(1));
  };
  run.spawn(swaps(run));
  run.advance(1_ms);
  CHECK(first == 0);
  CHECK(second != 0);
  CHECK(third == second);
  CHECK(now == run.memory.newest_value({2, 0}));
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("An atomic on a line that is cached or latched is refused, and possible once it is not") {
  Setup setup;
  setup.selcc.cache_bytes = 2 * setup.selcc.line_bytes;  // one frame to use, one to keep free
  SelccScript run(setup);
  run.read(0, 0);
  CHECK(run.refusal(add(run, {1, 0}, run.line(0), 1, nullptr)).find("cached or latched") != std::string::npos);
  run.read(0, 2);  // evicts it
  CHECK(run.refusal(add(run, {1, 0}, run.line(0), 1, nullptr)) == "");
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("Memory of which a line is cached is not freed, nor what was not allocated") {
  Setup setup;
  setup.selcc.cache_bytes = 2 * setup.selcc.line_bytes;
  SelccScript run(setup);
  models::GlobalAddress given{};
  const auto allocate = [&](SelccScript& r) -> sim::Task<void> {
    given = co_await r.memory.allocate({0, 0}, 40 * setup.selcc.line_bytes);
  };
  run.spawn(allocate(run));
  run.advance(10_us);
  const models::GlobalAddress last{given.value + 39 * setup.selcc.line_bytes};
  run.access({2, 0}, last, false);
  CHECK(run.refusal(run.memory.free({0, 0}, given)).find("cached or latched") != std::string::npos);
  CHECK(run.refusal(run.memory.free({0, 0}, last)).find("no allocation's") != std::string::npos);
  run.read(2, 0);  // evicts it
  CHECK(run.refusal(run.memory.free({0, 0}, given)) == "");
  CHECK(run.refusal(run.memory.free({0, 0}, given)).find("no allocation's") != std::string::npos);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("A relaxed write returns at once and is performed at its deadline; its session sees it before") {
  SelccScript run(relaxed(50_us));
  sim::Duration took;
  sim::Value own = 0, others = 1;
  run.spawn(timed(run, write(run, {0, 0}, run.line(0)), &took));
  run.advance(5_us);
  CHECK(took == run.setup.selcc.local_access);
  run.spawn(read(run, {0, 0}, run.line(0), &own));
  run.spawn(read(run, {1, 0}, run.line(0), &others), 1);
  run.advance(20_us);
  CHECK(own == run.memory.newest_value({0, 0}));
  CHECK(others == 0);
  CHECK(run.counter("misses.modified") == 0);
  run.advance(100_us);
  run.spawn(read(run, {1, 0}, run.line(0), &others), 1);
  run.advance(100_us);
  CHECK(others == own);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("A fence, a latch given or taken, an atomic and a full buffer each have earlier writes performed first") {
  const auto calls = {0, 1, 2, 3};
  for (const int call : calls) {
    SelccScript run(relaxed(10_ms, 2));
    run.spawn(write(run, {0, 0}, run.line(0)));
    run.spawn(write(run, {0, 0}, run.line(1)));
    run.advance(20_us);
    CHECK(run.counter("misses.modified") == 0);
    sim::Duration took;
    const std::uint64_t waits_for = call == 3 ? 1 : 2;
    switch (call) {
      case 0:
        run.spawn(timed(run, run.memory.fence({0, 0}), &took));
        break;
      case 1:
        run.spawn(timed(run, run.memory.lock({0, 0}, run.line(5)), &took));
        break;
      case 2:
        run.spawn(timed(run, add(run, {0, 0}, run.line(6), 3, nullptr), &took));
        break;
      default:
        run.spawn(timed(run, write(run, {0, 0}, run.line(2)), &took));
    }
    run.advance(300_us);
    INFO(call);
    CHECK(run.counter("misses.modified") >= waits_for);
    CHECK(took > run.setup.rack.rtt);
    if (call == 1) run.spawn(run.memory.unlock({0, 0}, run.line(5)));
    run.finish();
    CHECK(run.violations() == "");
  }
}

TEST_CASE("A write under a held latch is performed under it, and not before earlier ones") {
  SelccScript run(relaxed(10_ms));
  const auto task = [](SelccScript& r) -> sim::Task<void> {
    co_await r.memory.lock({0, 0}, r.line(0));
    co_await r.memory.write({0, 0}, r.line(1));
    co_await r.memory.write({0, 0}, r.line(0));
    co_await r.memory.unlock({0, 0}, r.line(0));
  };
  run.spawn(task(run));
  run.advance(300_us);
  CHECK(run.state(0, 0) == FrameState::modified);
  CHECK(run.state(0, 1) == FrameState::modified);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("Relaxed SELCC keeps total store order under contention, is not linearizable, and with deadline 0 it is") {
  Setup setup = relaxed(20_us);
  CHECK(setup.selcc.promises().front() == "tso");
  SelccRun tso(setup);
  tso.finish();
  CHECK(tso.violations() == "");
  setup.check = R"({"data-value": true})";
  SelccRun judged(setup);
  judged.finish();
  CHECK(judged.found("data-value"));
  Setup at_once = relaxed({});
  CHECK(at_once.selcc.promises().front() == "data-value");
  SelccRun linearizable(at_once);
  linearizable.finish();
  CHECK(linearizable.violations() == "");
}

TEST_CASE("A session loads the bytes that it has stored, in the relaxed mode and without, whoever stores beside") {
  for (const bool is_relaxed : {true, false}) {
    Setup setup = relaxed(20_us);
    setup.selcc.relaxed = is_relaxed;
    SelccScript run(setup);
    racksim::testing::RealBytes bytes(run, {{0, 0}, {1, 1}});
    bytes.exchange(200);
    CHECK(bytes.loads() > 200);
    CHECK(bytes.wrong() == 0);
    run.finish();
    CHECK(run.violations() == "");
  }
}

TEST_CASE("Writes that wait in the buffer of a node that crashes are lost, and each is told") {
  Setup setup = relaxed(10_ms);
  setup.add_fault("crash", R"({"node": 0, "from": "100us", "stays_down": true})");
  SelccScript run(setup);
  for (std::uint64_t i = 0; i < 3; ++i) run.spawn(write(run, {0, 0}, run.line(i)));
  run.advance(200_us);
  sim::Value value = 1;
  run.spawn(read(run, {1, 0}, run.line(0), &value), 1);
  run.advance(200_us);
  CHECK(value == 0);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("A clock that is fast makes a write due early, and no more than that") {
  Setup setup = relaxed(20_us);
  setup.add_fault("fast-clock", R"({"node": 0, "from": "1ns", "rate": 1.1})");
  SelccScript run(setup);
  run.advance(1_us);
  run.spawn(write(run, {0, 0}, run.line(0)));
  run.advance(15_us);
  CHECK(run.counter("misses.modified") == 0);
  run.advance(5_us);
  CHECK(run.counter("misses.modified") == 1);
  run.finish();
  CHECK(run.violations() == "");
}

}  // namespace api_test
