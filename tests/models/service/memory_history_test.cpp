// What the memory service records of random programs, as the oracles judge it: a memory that works is never accused,
// and one that is broken is.
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "sim/oracles/data_value_oracle.hpp"
#include "sim/oracles/memory_model_oracle.hpp"
#include "sim/oracles/mutual_exclusion_oracle.hpp"
#include "sim/oracles/progress_oracle.hpp"
#include "sim/random/random.hpp"
#include "tests/models/service/fake_memory.hpp"

namespace memory_history_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

namespace {

/// Eight sessions on four nodes that use four blocks at random for a while.
struct Program {
  std::uint64_t seed = 1;
  std::uint64_t object_bytes = 8;
  Broken broken = Broken::nothing;
  bool early = false;  ///< writes return early
  bool tells_performed = false;
  bool locked = false;  ///< all accesses are under locks of their blocks
  int steps = 150;
};

struct Judged : TestRack {
  explicit Judged(const Program& what) : program(what), memory(rack, shape(what)) {
    for (sim::Oracle* oracle : oracles()) event_log.attach(*oracle);
    memory.broken = program.broken;
    memory.tells_performed = program.tells_performed;
    memory.delay = 1_us;
    memory.answer = 300_ns;
    memory.buffering = [] { return 5_us; };
    sim::Scope scope{calendar};
    for (NodeId node = 0; node < 4; ++node) {
      for (std::uint16_t thread = 0; thread < 2; ++thread) {
        streams.push_back(
            std::make_unique<sim::RandomStream>(program.seed, "node" + std::to_string(node * 2 + thread)));
        scope.spawn(issue({node, thread}, *streams.back()));
      }
    }
    calendar.run_until(at(10_ms));
    finished = scope.running() == 0;
    if (!finished) {
      scope.cancel_all();
      for (NodeId node = 0; node < 4; ++node) memory.sessions_died(node);
    }
    for (sim::Oracle* oracle : oracles()) oracle->finish(calendar.now());
  }

  static MemoryShape shape(const Program& program) {
    MemoryShape made = FakeMemory::shape_of(program.object_bytes);
    made.writes_return_early = program.early;
    return made;
  }

  sim::Task<void> issue(Session session, sim::RandomStream& random) {
    for (int step = 0; step < program.steps; ++step) {
      const GlobalAddress address = GlobalAddress::at(static_cast<NodeId>(random.below(4)), random.below(8) * 8);
      co_await sim::sleep_for(rack.server(session.node).clock(), 1_ns * static_cast<std::int64_t>(random.below(4000)));
      if (!program.locked) {
        co_await access(session, address, random);
        continue;
      }
      const LockMode mode = random.chance(0.5) ? LockMode::shared : LockMode::exclusive;
      if (random.chance(0.5)) {
        co_await memory.lock(session, address, mode);
      } else if (const bool granted = co_await memory.try_lock(session, address, mode); !granted) {
        ++refused;
        continue;
      }
      if (mode == LockMode::shared) {
        co_await memory.read(session, address, 8);
      } else {
        co_await memory.write(session, address, 8);
      }
      co_await memory.unlock(session, address);
    }
  }
  sim::Task<void> access(Session session, GlobalAddress address, sim::RandomStream& random) {
    const std::uint64_t bytes = 8 + random.below(3) * 8;
    switch (random.below(8)) {
      case 0:
        co_await memory.fence(session);
        break;
      case 1:
        co_await memory.fetch_and_add(session, address, 1);
        break;
      case 2: {
        const std::uint64_t seen = co_await memory.read(session, address);
        co_await memory.compare_and_swap(session, address, sim::Value{seen});
        break;
      }
      case 3:
      case 4:
      case 5:
        co_await memory.write(session, address, bytes);
        break;
      default:
        co_await memory.read(session, address, bytes);
    }
  }

  std::vector<sim::Oracle*> oracles() { return {&sc, &tso, &pso, &exclusion, &progress}; }

  Program program;
  sim::MemoryModelOracle sc{sim::MemoryModel::sc, event_log}, tso{sim::MemoryModel::tso, event_log},
      pso{sim::MemoryModel::pso, event_log};
  sim::MutualExclusionOracle exclusion{event_log};
  sim::ProgressOracle progress{event_log};
  FakeMemory memory;
  std::vector<std::unique_ptr<sim::RandomStream>> streams;
  int refused = 0;
  bool finished = false;
};

}  // namespace

TEST_CASE("A memory that performs writes before they return is sequentially consistent to its oracles") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Program program{.seed = seed};
    program.object_bytes = seed % 2 == 0 ? 8 : 0;
    program.tells_performed = seed % 3 == 0;
    program.locked = seed % 5 == 0;
    const auto judged = std::make_unique<Judged>(program);
    INFO(seed << ": " << (judged->sc.violations().empty() ? "" : judged->sc.violations()[0].what));
    CHECK(judged->finished);
    CHECK((judged->refused > 0) == program.locked);
    for (const sim::Oracle* oracle : judged->oracles()) CHECK(oracle->violation_count() == 0);
  }
}

TEST_CASE("A memory of store buffers keeps total store order and is seen not to be sequentially consistent") {
  std::uint64_t sc_violations = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Program program{.seed = seed, .early = true};
    program.locked = seed % 4 == 0;
    const auto judged = std::make_unique<Judged>(program);
    INFO(seed << ": " << (judged->tso.violations().empty() ? "" : judged->tso.violations()[0].what));
    CHECK(judged->finished);
    CHECK(judged->tso.violation_count() == 0);
    CHECK(judged->pso.violation_count() == 0);
    CHECK(judged->exclusion.violation_count() == 0);
    CHECK(judged->progress.violation_count() == 0);
    // Under locks its buffers are empty when others look.
    if (program.locked) CHECK(judged->sc.violation_count() == 0);
    sc_violations += judged->sc.violation_count();
  }
  CHECK(sc_violations > 0);
}

TEST_CASE("Values that a broken memory loses, shows too early or too late are noticed in every program") {
  for (const Broken broken : {Broken::early, Broken::stale, Broken::lost}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const auto judged = std::make_unique<Judged>(Program{.seed = seed, .broken = broken});
      INFO(static_cast<int>(broken));
      CHECK(judged->sc.violation_count() > 0);
      CHECK(judged->tso.violation_count() > 0);
      CHECK(judged->pso.violation_count() > 0);
      CHECK(judged->exclusion.violation_count() == 0);
    }
  }
}

TEST_CASE("A fence or a lock that does not wait for buffered writes is noticed under every model") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto fence = std::make_unique<Judged>(Program{.seed = seed, .broken = Broken::weak_fence, .early = true});
    CHECK(fence->tso.violation_count() > 0);
    CHECK(fence->pso.violation_count() > 0);
    const auto lock =
        std::make_unique<Judged>(Program{.seed = seed, .broken = Broken::weak_lock, .early = true, .locked = true});
    CHECK(lock->tso.violation_count() > 0);
    CHECK(lock->pso.violation_count() > 0);
    CHECK(lock->exclusion.violation_count() == 0);
  }
}

TEST_CASE("Locks that are granted to two, or never given back, are noticed") {
  for (const Broken broken : {Broken::two_holders, Broken::shared_writer, Broken::kept}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const auto judged = std::make_unique<Judged>(Program{.seed = seed, .broken = broken, .locked = true});
      INFO(static_cast<int>(broken));
      if (broken == Broken::kept) {
        CHECK_FALSE(judged->finished);  // somebody waits for ever
      } else {
        CHECK(judged->finished);
        CHECK(judged->exclusion.violation_count() > 0);
      }
    }
  }
}

}  // namespace memory_history_test
