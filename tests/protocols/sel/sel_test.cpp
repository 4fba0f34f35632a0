// SEL: which verbs an access takes (SELCC §7.1: two atomics an operation), and what goes wrong without its mechanisms.
#include "protocols/sel/sel.hpp"

#include <catch2/catch.hpp>
#include <functional>

#include "tests/protocols/disaggregated_run.hpp"
#include "tests/protocols/try_locks.hpp"
#include "tests/protocols/verbs.hpp"

namespace sel_test {

using namespace racksim;
using namespace racksim::sel;
using namespace sim::literals;
using models::LockMode;
using racksim::testing::try_lock;
using Sequence = std::vector<std::string>;

namespace {

struct Setup : racksim::testing::DisaggregatedSetup {
  Options sel;

  Setup() {
    sel.line_bytes = kLineBytes;
    micro.working_set = 4 * 4 * kLineBytes;
  }
};

class Run : public racksim::testing::DisaggregatedRun {
 public:
  explicit Run(const Setup& s, Work work = Work::micro)
      : DisaggregatedRun(s, tools::bound<models::ProtocolOptions>("sel", s.sel), work) {}
};

std::string violations_of(const std::function<void(Setup&)>& change) {
  Setup setup;
  change(setup);
  Run run(setup);
  run.finish();
  return run.violations();
}

}  // namespace

TEST_CASE("A read is an FAA with a READ, and an FAA; a write a CAS with a READ, and a WRITE with an FAA behind it") {
  Run run(Setup{}, Run::Work::script);
  racksim::testing::Verbs verbs(run);
  run.begin({0, 0}, run.line(0), false);
  run.advance(100_us);
  CHECK(verbs.taken() == Sequence{"0 FAA", "0 READ", "0 FAA"});
  run.begin({1, 0}, run.line(0), true);
  run.advance(100_us);
  CHECK(verbs.taken() == Sequence{"1 CAS", "1 READ", "1 WRITE", "1 FAA"});
  // Nothing is cached.
  run.begin({1, 0}, run.line(0), false);
  run.advance(100_us);
  CHECK(verbs.taken().size() == 3);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("A reader that finds a writer takes its bit away and tries again, until the writer has released") {
  Run run(Setup{}, Run::Work::script);
  const auto hold = [](Run& r) -> sim::Task<void> {
    co_await r.memory.lock({0, 0}, r.line(0));
    co_await sim::sleep_for(r.rack.server(0).clock(), 100_us);
    co_await r.memory.unlock({0, 0}, r.line(0));
  };
  run.spawn(hold(run), 0);
  run.advance(20_us);
  run.begin({1, 0}, run.line(0), false);
  run.advance(60_us);
  CHECK(run.counter("sel.retries") > 2);
  CHECK(run.counter("sel.retries") == run.counter("sel.undone"));
  run.advance(200_us);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("SEL's tries fail against who holds the latch, get what nobody holds, and leave nothing behind") {
  Run held(Setup{}, Run::Work::script);
  racksim::testing::check_that_tries_fail_against_holders(held);
  Run free(Setup{}, Run::Work::script);
  racksim::testing::check_that_tries_get_what_is_not_in_use(free);
  Run own(Setup{}, Run::Work::script);
  racksim::testing::check_that_a_holder_does_not_try(own);
}

TEST_CASE("A try gives up after five attempts, a reader's with no bit left") {
  for (const std::uint64_t attempts : {1, 5}) {
    Setup setup;
    setup.sel.try_attempts = attempts;
    Run run(setup, Run::Work::script);
    racksim::testing::take_lock(run, {0, 0}, 0, LockMode::exclusive);
    racksim::testing::Verbs verbs(run);
    CHECK_FALSE(try_lock(run, {1, 0}, 0, LockMode::exclusive).granted);
    Sequence expected;
    for (std::uint64_t i = 0; i < attempts; ++i) expected.insert(expected.end(), {"1 CAS", "1 READ"});
    CHECK(verbs.taken() == expected);
    CHECK_FALSE(try_lock(run, {1, 0}, 0, LockMode::shared).granted);
    expected.clear();
    for (std::uint64_t i = 0; i < attempts; ++i) expected.insert(expected.end(), {"1 FAA", "1 READ", "1 FAA"});
    CHECK(verbs.taken() == expected);
    racksim::testing::give_lock_back(run, {0, 0}, 0);
    run.finish();
    CHECK(run.violations() == "");
  }
  CHECK(Options().try_attempts == 5);
}

TEST_CASE("A try waits for no thread of its node, not even one that reads as it would") {
  Run run(Setup{}, Run::Work::script);
  racksim::testing::take_lock(run, {0, 0}, 0, LockMode::shared);
  racksim::testing::Verbs verbs(run);
  const auto tried = try_lock(run, {0, 1}, 0, LockMode::shared);
  CHECK_FALSE(tried.granted);
  CHECK(tried.took == Options().local_access);
  CHECK(verbs.taken().empty());
  racksim::testing::give_lock_back(run, {0, 0}, 0);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("SEL, which has no cache, does not limit locks") {
  Run run(Setup{}, Run::Work::script);
  run.memory.require_locks(1'000'000, 1'000'000);
}

TEST_CASE("SEL refuses an address at no memory server at the call") {
  Run run(Setup{}, Run::Work::script);
  const auto read = [](Run& r) -> sim::Task<void> { co_await r.memory.read({1, 0}, models::GlobalAddress::at(0, 0)); };
  CHECK(run.refusal(read(run)).find("out of range") != std::string::npos);
  CHECK(run.refusal(run.memory.lock({1, 0}, models::GlobalAddress::at(6, 0))).find("out of range") !=
        std::string::npos);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("Under contention, with locks held across accesses and without, SEL keeps what it promises") {
  CHECK(violations_of([](Setup&) {}) == "");
  CHECK(violations_of([](Setup& setup) { setup.micro.mode = models::MicroOptions::Mode::lock_and_access; }) == "");
}

// Words of 8 bytes are written whole in any case: it takes accesses that belong together to see the latch.
TEST_CASE("Without the latch, with a release before the write, and without undoing, an oracle objects") {
  const auto locked = [](Setup& setup) { setup.micro.mode = models::MicroOptions::Mode::lock_and_access; };
  CHECK(violations_of([&](Setup& setup) {
          locked(setup);
          setup.sel.latch = false;
        }) != "");
  CHECK(violations_of([&](Setup& setup) {
          locked(setup);
          setup.sel.write_first = false;
          setup.rack.faults.loss = 0.02;  // of a WRITE, while the release goes through
        }) != "");
  CHECK(violations_of([](Setup& setup) {
          setup.sel.undo = false;
          setup.plan.stall = 5_ms;
        }) != "");
}

}  // namespace sel_test
