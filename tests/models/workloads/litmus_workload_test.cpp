// Litmus tests as they run: repetitions, shifted starts, counted outcomes, accusations, refusals and crashes, on a
// memory with store buffers (TSO, PSO) or without, and on a key-value store.
#include "models/workloads/litmus_workload.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/workloads/litmus_oracle.hpp"
#include "models/workloads/litmus_tests.hpp"
#include "sim/oracles/data_value_oracle.hpp"
#include "sim/oracles/memory_model_oracle.hpp"
#include "sim/random/random.hpp"
#include "tests/models/service/fake_memory.hpp"
#include "tests/models/service/fake_protocol.hpp"
#include "tests/models/service/fake_store.hpp"

namespace litmus_workload_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

namespace {

LitmusOptions named(const std::string& program, LitmusModel model = LitmusModel::sc) {
  LitmusOptions options;
  options.program = program;
  options.model = model;
  options.repetitions = 400;
  options.spread = 2_us;
  return options;
}

struct Driven : TestRack {
  using TestRack::TestRack;
  void build(Protocol& protocol, const LitmusOptions& options) {
    WorkloadContext context{rack, protocol};
    workload = options.build(context);
    rack.observe_crashes(*workload);
    rack.observe_crashes(protocol);
  }
  void run() {
    workload->warm_up();
    workload->start();
    calendar.run_until();
    workload->oracle()->finish(calendar.now());
  }
  std::uint64_t count(const std::string& name) const { return counter("litmus." + name); }
  const std::vector<sim::Violation>& violations() const { return workload->oracle()->violations(); }
  std::uint64_t accusations() const { return workload->oracle()->violation_count(); }
  std::unique_ptr<Workload> workload;
};

struct OnMemory : Driven {
  explicit OnMemory(const LitmusOptions& options, Buffers buffers = Buffers::none, std::uint64_t seed = 1,
                    OperationSet offers = kAtomics)
      : Driven(small(), seed), memory(rack, FakeMemory::shape_on(rack, options.threads_per_node(), offers), buffers) {
    memory.delay = 500_ns;
    memory.buffering = [this] {
      return sim::Duration::from_ps(static_cast<std::int64_t>(buffer_times.below(5'000'000)));
    };
    build(protocol, options);
  }
  std::vector<sim::Time> starts() const {
    std::vector<sim::Time> all;
    for (const auto& access : memory.accesses()) all.push_back(access.at);
    return all;
  }
  FakeMemory memory;
  FakeProtocol protocol{memory, [this](NodeId node) { memory.sessions_died(node); }};
  sim::RandomStream buffer_times{7, "buffers"};
};

struct OnStore : Driven {
  explicit OnStore(const LitmusOptions& options) : store(rack, 4, options.threads_per_node()) {
    store.delay = 500_ns;
    build(protocol, options);
  }
  FakeStore store;
  FakeProtocol protocol{store};
};

template <class On = OnMemory>
std::string refused(const LitmusOptions& options) {
  try {
    On t(options);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("One memory shows no outcome that a shipped test is about, and repeats as often as asked") {
  for (const LitmusTest& test : litmus_tests()) {
    INFO(test.name);
    const OperationSet locks{sim::OperationKind::lock, sim::OperationKind::lock_shared, sim::OperationKind::unlock};
    OnMemory t(named(std::string(test.name)), Buffers::none, 1, kAtomics.with(locks));
    t.run();
    CHECK(t.count("repetitions") == 400);
    CHECK(t.count("other") == 400);
    CHECK(t.count("abandoned") == 0);
    CHECK(t.accusations() == 0);
    CHECK(t.workload->running() == 0);
  }
}

TEST_CASE("Store buffers show what their order allows, and each stronger model accuses them of it") {
  struct Case {
    Buffers buffers;
    const char* program;
    const char* counter;
    bool seen;
  };
  const Case cases[] = {{Buffers::in_order, "sb", "r0_0_r1_0", true},
                        {Buffers::in_order, "sb+fences", "r0_0_r1_0", false},
                        {Buffers::in_order, "mp", "r0_1_r1_0", false},
                        {Buffers::by_object, "sb", "r0_0_r1_0", true},
                        {Buffers::by_object, "mp", "r0_1_r1_0", true},
                        {Buffers::by_object, "mp+fences", "r0_1_r1_0", false},
                        {Buffers::by_object, "iriw", "r0_1_r1_0_r2_1_r3_0", false},
                        {Buffers::by_object, "coherence", "r0_1_r1_2_r2_2_r3_1", false}};
  for (const Case& c : cases) {
    for (const LitmusModel model : {LitmusModel::sc, LitmusModel::tso, LitmusModel::pso, LitmusModel::none}) {
      INFO(c.program << " " << to_string(model));
      OnMemory t(named(c.program, model), c.buffers);
      t.run();
      CHECK(t.count("repetitions") == 400);
      CHECK((t.count(c.counter) > 0) == c.seen);
      const bool allowed = find_litmus_test(c.program)->allowed(model);
      CHECK(t.accusations() == (allowed ? 0 : t.count(c.counter)));
    }
  }
}

TEST_CASE("What is seen agrees with the oracles that know the instants of writes") {
  for (const auto buffers : {Buffers::none, Buffers::in_order, Buffers::by_object}) {
    OnMemory t(named("mp", LitmusModel::none), buffers);
    sim::MemoryModelOracle sc(sim::MemoryModel::sc, t.event_log), tso(sim::MemoryModel::tso, t.event_log),
        pso(sim::MemoryModel::pso, t.event_log);
    for (sim::Oracle* oracle : {&sc, &tso, &pso}) t.event_log.attach(*oracle);
    t.run();
    for (sim::Oracle* oracle : {&sc, &tso, &pso}) oracle->finish(t.calendar.now());
    CHECK(pso.violation_count() == 0);
    CHECK((tso.violation_count() > 0) == (buffers == Buffers::by_object));
    if (buffers == Buffers::none) CHECK(sc.violation_count() == 0);
    CHECK((t.count("r0_1_r1_0") > 0) == (buffers == Buffers::by_object));
  }
}

TEST_CASE("A forbidden outcome that is seen is a violation that names repetition, time and what was read") {
  OnMemory t(named("sb"), Buffers::in_order);
  t.run();
  REQUIRE(t.accusations() > 0);
  const sim::Violation& first = t.violations().front();
  CHECK(first.oracle == "litmus");
  CHECK(first.at > sim::Time{});
  CHECK_THAT(first.what, Catch::StartsWith("repetition "));
  CHECK_THAT(first.what, Catch::Contains(", begun at ") && Catch::Contains(": r0=0 & r1=0 is forbidden by model sc; "));
  CHECK_THAT(first.what, Catch::Contains("P0 on node0/thread0 read r0=0 from y (0x") && Catch::Contains(", value ") &&
                             Catch::Contains("P1 on node1/thread0 read r1=0 from x (0x"));
  CHECK(first.about.key);
  CHECK(t.workload->uses(*first.about.key));
}

TEST_CASE("Declared outcomes are counted and judged as they are declared, others by the model") {
  auto options = named("P0: x=1; r0=y | P1: y=1; r1=x", LitmusModel::none);
  options.forbidden = "r0=0 & r1=0";
  options.allowed = "r0=1";
  options.required = "r1=1";
  OnMemory t(options, Buffers::in_order);
  t.run();
  CHECK(t.count("repetitions") == 400);
  CHECK(t.count("r0_0_r1_0") > 0);
  CHECK(t.accusations() == t.count("r0_0_r1_0"));
  CHECK_THAT(t.violations().front().what, Catch::Contains("r0=0 & r1=0 is declared forbidden"));
  CHECK(t.count("r0_1") > 0);
  CHECK(t.count("other") == 0);

  options.forbidden.clear();
  options.model = LitmusModel::sc;
  OnMemory judged(options, Buffers::in_order);
  judged.run();
  CHECK(judged.count("other") > 0);
  CHECK(judged.accusations() == judged.count("other"));
  CHECK_THAT(judged.violations().front().what, Catch::Contains("no execution of model sc ends so"));

  options.allowed = "r0=1; r0=0 & r1=0";  // whoever declares it knows better than the model
  OnMemory allowed(options, Buffers::in_order);
  allowed.run();
  CHECK(allowed.count("r0_0_r1_0") > 0);
  CHECK(allowed.accusations() == 0);
}

TEST_CASE("A repetition counts for all outcomes that it meets, and is accused once") {
  auto options = named("P0: x=1; r0=y | P1: y=1; r1=x", LitmusModel::none);
  options.forbidden = "r0=0 & r1=0; r0=0";
  options.allowed = "r1=0; r1=1";
  OnMemory t(options, Buffers::in_order);
  t.run();
  CHECK(t.count("r0_0_r1_0") > 0);
  CHECK(t.count("r0_0") > t.count("r0_0_r1_0"));
  CHECK(t.count("r1_0") + t.count("r1_1") == 400);
  CHECK(t.accusations() == t.count("r0_0"));
}

TEST_CASE("A required outcome that is not seen is a violation when the run is over") {
  auto options = named("sb");
  options.required = "r0=1 & r1=1; r0=0 & r1=0";
  OnMemory t(options);
  t.run();
  CHECK(t.count("r0_1_r1_1") > 0);
  REQUIRE(t.accusations() == 1);
  CHECK(t.violations()[0].what == "r0=0 & r1=0 is required, and none of 400 repetitions ended so");
}

TEST_CASE("Atomic operations exclude each other, and lost ones are seen") {
  auto options = named("P0: r0=cas(x,0,1); r2=faa(y,1) | P1: r1=cas(x,0,2); r3=faa(y,2); r4=y");
  options.forbidden = "r0=0 & r1=0; r2=0 & r3=0";
  options.required = "r4=3; r4=2; r0=2; r1=1";
  OnMemory t(options);
  t.run();
  CHECK(t.count("repetitions") == 400);
  CHECK(t.accusations() == 0);
  // An object that forgets what the others did to it.
  OnMemory losing(named("P0: x=1; r0=x | P1: r1=faa(x,5); r2=x"));
  losing.memory.distort = [](Session, std::uint64_t, std::uint64_t& value) { value &= litmus_addend(1) - 1; };
  losing.run();
  CHECK(losing.accusations() > 0);
}

TEST_CASE("A value from before the repetition is a violation, and fits no outcome") {
  auto options = named("corr");
  options.looks = 0;
  OnMemory t(options);
  std::vector<std::uint64_t> old;
  t.memory.distort = [&](Session, std::uint64_t, std::uint64_t& value) {
    old.push_back(value);
    if (old.size() == 100) value = old[0];
  };
  t.run();
  REQUIRE(t.accusations() == 1);
  CHECK_THAT(t.violations()[0].what,
             Catch::Contains("was read from x, which neither held that value at first nor was") &&
                 Catch::Contains("=? from x"));
  CHECK(t.count("other") == 400);
}

TEST_CASE("A session that goes on seeing what was overwritten is a violation, and does not hang the run") {
  auto options = named("corr");
  options.looks = 1;
  options.repetitions = 3;
  OnMemory t(options);
  t.memory.distort = [](Session session, std::uint64_t, std::uint64_t& value) {
    if (session.node == 1) value = 77;
  };
  t.run();
  CHECK(t.count("abandoned") == 3);
  REQUIRE(t.accusations() >= 1);
  CHECK_THAT(t.violations()[0].what,
             Catch::StartsWith("before repetition 1: P1 on node1/thread0 goes on reading x (0x"));
}

TEST_CASE("Starts are shifted by the seed, and the same ones with the same seed") {
  const auto starts = [](std::uint64_t seed, sim::Duration spread) {
    auto options = named("sb");
    options.spread = spread;
    options.pause = spread;
    options.repetitions = 50;
    OnMemory t(options, Buffers::none, seed);
    t.run();
    return std::pair(t.starts(), t.event_log.hash().hex());
  };
  CHECK(starts(1, 3_us) == starts(1, 3_us));
  CHECK(starts(1, 3_us).first != starts(2, 3_us).first);
  CHECK(starts(1, 3_us).first != starts(1, 4_us).first);
}

TEST_CASE("Without spread all sessions begin at once; with it at most so much later") {
  for (const sim::Duration spread : {0_ns, 3_us}) {
    auto options = named("P0: r0=x | P1: r1=x | P2: r2=x");
    options.spread = spread;
    options.looks = 0;
    options.repetitions = 200;
    OnMemory t(options);
    t.run();
    // A repetition is the first write and three reads.
    const auto starts = t.starts();
    REQUIRE(starts.size() == 800);
    sim::Duration least = 1_s, most;
    for (std::size_t i = 0; i < 800; i += 4) {
      const sim::Time begun = starts[i] + 500_ns;
      least = std::min(least, starts[i + 1] - begun);
      most = std::max(most, starts[i + 3] - begun);
    }
    CHECK(least <= spread / 20);
    CHECK(most <= spread);
    CHECK(most >= spread / 20 * 19);
  }
}

TEST_CASE("The run is over with the last repetition, and a stop ends it before") {
  OnMemory t(named("mp"));
  bool told = false;
  t.workload->notify_after(1'000'000, [&] {
    told = true;
    t.workload->stop();
  });
  t.run();
  CHECK(told);

  OnMemory stopped(named("mp"));
  stopped.workload->notify_after(50, [&] { stopped.workload->stop(); });
  stopped.run();
  CHECK(stopped.workload->running() == 0);
  CHECK(stopped.memory.accesses().size() <= 52);
  CHECK(stopped.count("repetitions") < 50);
  CHECK(stopped.accusations() == 0);
}

TEST_CASE("A memory that takes no time is repeated as often, on a flat stack") {
  auto options = named("sb");
  options.spread = {};
  options.repetitions = 100'000;
  OnMemory t(options);
  t.memory.delay = {};
  t.run();
  CHECK(t.count("repetitions") == 100'000);
  CHECK(t.calendar.now() == sim::Time{});
}

TEST_CASE("Sessions and objects are where the program puts them, or find places of their own") {
  auto options = named("{y@3} P0@2/1: x=1; r0=y | P1: y=1 | P2@2: r1=x");
  options.threads = 2;
  options.repetitions = 1;
  OnMemory t(options);
  t.run();
  std::set<std::pair<unsigned, unsigned>> sessions;
  for (const auto& access : t.memory.accesses()) sessions.emplace(access.session.node, access.session.thread);
  CHECK(sessions == std::set<std::pair<unsigned, unsigned>>{{1, 0}, {2, 0}, {2, 1}});
  CHECK(t.workload->uses(t.memory.block_of({std::uint64_t{3} << GlobalAddress::kOffsetBits})));
  CHECK_THAT(t.workload->used_keys(), Catch::StartsWith("the block or key of an object: y 0x"));

  CHECK(refused(named("P0@1: r0=x | P1@1: x=1")) ==
        "program: found session P1 without a free thread on node 1, expected no more sessions than the 8 nodes have "
        "threads, 1 on each");
  CHECK_THAT(refused(named("P0@8: r0=x")),
             Catch::StartsWith("program: found session P0 without a free thread on node 8"));
  CHECK_THAT(refused(named("P0@0/1: r0=x")), Catch::StartsWith("program: found session P0 without a free thread"));
  CHECK(refused(named("{x@9} P0: r0=x")) ==
        "program: found object x with its home at node 9, which holds no memory, expected one of the nodes 0 to 7");
}

TEST_CASE("What the protocol does not offer is refused by name, and so is a program that shows nothing") {
  LitmusOptions options = named("P0: r0=cas(x,0,1) | P1: r1=faa(x,1)");
  try {
    OnMemory t(options, Buffers::none, 1, {});
    FAIL("accepted");
  } catch (const std::runtime_error& error) {
    CHECK(std::string(error.what()) ==
          "program: found a program that needs compare-and-swap and fetch-and-add, expected one that needs no more "
          "than the protocol offers: read, write, fence, "
          "allocate and free");
  }
  CHECK(refused<OnStore>(named("sb+fences")) ==
        "program: found a program that needs fence, expected one that needs no more than the protocol offers: read and "
        "write");
  CHECK_THAT(
      refused<OnStore>(named("{x@1} P0: r0=x")),
      Catch::StartsWith("program: found object x with its home at node 1, expected no homes: a key-value service"));
  CHECK(refused(named("P0: x=1")) ==
        "program: found a program that reads nothing, expected one that does: it has several outcomes");
  CHECK_THAT(refused(named("sbb")), Catch::StartsWith("program: found 'sbb', expected one of sb, sb+fences, "));
  CHECK_THAT(refused(named("")), Catch::StartsWith("program: found its end at character 1"));
  options = named("sb");
  options.forbidden = "r0=1 & r1=1";
  options.allowed = "r1=1 & r0=1";
  CHECK(refused(options) == "allowed: found r0=1 & r1=1 again, expected outcomes of which each is declared once");
}

TEST_CASE("On a key-value store the objects are keys, of which caches are told") {
  OnStore t(named("mp"));
  t.run();
  CHECK(t.store.preloaded == std::vector<std::uint64_t>{0, 1});
  CHECK(t.store.described == 1);
  CHECK(t.count("repetitions") == 400);
  CHECK(t.accusations() == 0);

  OnStore stale(named("mp"));
  std::map<std::uint64_t, std::uint64_t> before;
  stale.store.distort = [&](const FakeStore::Asked& asked, Answer& answer) {
    // Node 1 is served the value of x before the last one.
    if (asked.write && asked.key == 0) std::swap(before[1], before[0]), before[0] = asked.value;
    if (!asked.write && asked.key == 0 && asked.session.node == 1 && before[1] != 0)
      answer.value = sim::Value{before[1]};
  };
  stale.run();
  CHECK(stale.accusations() > 0);
}

TEST_CASE("A repetition in which the store gives up is not judged, nor what its writes do later") {
  OnStore t(named("mp"));
  int asked = 0;
  t.store.distort = [&](const FakeStore::Asked&, Answer& answer) { answer.given = ++asked % 97 != 0; };
  t.run();
  CHECK(t.count("abandoned") > 0);
  CHECK(t.count("abandoned") + t.count("repetitions") == 400);
  CHECK(t.accusations() == 0);
}

TEST_CASE(
    "A crash ends the repetition and hangs nothing: after a restart the next one begins, without one nobody waits") {
  OnMemory t(named("mp"));
  t.workload->warm_up();
  t.workload->start();
  t.calendar.run_until(at(100_us));
  t.rack.crash(1);
  t.calendar.run_until();
  const std::uint64_t done = t.count("repetitions");
  CHECK(done > 0);
  CHECK(done < 400);
  CHECK(t.workload->running() == 0);
  t.rack.restart(1);
  t.calendar.run_until();
  CHECK(t.count("abandoned") == 1);
  CHECK(t.count("repetitions") == 399);
  CHECK(t.accusations() == 0);

  // Of a node that runs no session of it, too.
  OnMemory other(named("mp"));
  other.workload->start();
  other.calendar.run_until(at(100_us));
  other.rack.crash(5);
  other.calendar.run_until();
  CHECK(other.count("abandoned") == 1);
  CHECK(other.count("repetitions") == 399);
}

TEST_CASE("A node that crashes twice in one repetition counts once: the next begins when the other sessions are done") {
  LitmusOptions options = named("mp");
  options.spread = 10_ms;
  OnMemory t(options);
  t.workload->start();
  t.calendar.run_until(at(100_us));
  REQUIRE(t.workload->running() == 2);  // both wait to begin the program
  for (int time = 0; time < 2; ++time) {
    t.rack.crash(1);
    t.calendar.run_until(t.calendar.now() + 1_us);
    CHECK(t.workload->running() == 1);
    t.rack.restart(1);
    t.calendar.run_until(t.calendar.now() + 1_us);
    CHECK(t.workload->running() == 1);
  }
  t.calendar.run_until();
  CHECK(t.count("abandoned") == 1);
  CHECK(t.count("repetitions") == 399);
  CHECK(t.accusations() == 0);
}

}  // namespace litmus_workload_test
