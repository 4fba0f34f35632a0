// The oracles of memory models on stories by hand: the classical litmus tests, and each rule by itself. Comparison with
// machines and searches in memory_model_reference_test.cpp.
#include "sim/oracles/memory_model_oracle.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/sim/checkers/litmus.hpp"
#include "tests/sim/oracles/stories.hpp"

namespace memory_model_oracle_test {

using namespace racksim::sim;
using checkers::kX;
using checkers::kY;

namespace {

constexpr auto kSc = MemoryModel::sc, kTso = MemoryModel::tso, kPso = MemoryModel::pso;
constexpr auto kNever = Teller::kNever;

/// Tells the programs in every order: each operation at one go, each write performed at any time after it.
class Orders {
 public:
  Orders(const checkers::Litmus& test, MemoryModel model)
      : test_(test), model_(model), next_(test.programs.size(), 0) {}

  bool some_passes() { return go_on({}, {}, {}); }

 private:
  using Waiting = std::vector<Event>;  // to be performed

  bool go_on(Story story, Waiting waiting, checkers::InitialValues memory) {
    bool over = true;
    for (std::size_t w = 0; w < waiting.size(); ++w) {
      over = false;
      auto rest = waiting;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(w));
      auto after = memory;
      after[waiting[w].key] = waiting[w].value;
      if (go_on(with(story, waiting[w]), std::move(rest), std::move(after))) return true;
    }
    for (std::size_t s = 0; s < next_.size(); ++s) {
      if (next_[s] == test_.programs[s].size()) continue;
      over = false;
      const auto& instruction = test_.programs[s][next_[s]++];
      Event event{0,
                  Observed::operation_begun,
                  static_cast<std::uint32_t>(s),
                  story.size() + 1,
                  kind_of(instruction),
                  instruction.key,
                  0};
      const bool writes = event.kind == OperationKind::write;
      if (writes) event.value = instruction.value;
      auto longer = with(story, event);
      event.what = Observed::operation_ended;
      event.value = instruction.value;
      longer = with(std::move(longer), event);
      auto more = waiting;
      event.what = Observed::performed;
      if (writes) more.push_back(event);
      const bool found = go_on(std::move(longer), std::move(more), memory);
      --next_[s];
      if (found) return true;
    }
    if (!over) return false;
    for (const auto& [key, value] : test_.final_values) {
      if (memory[key] != value) return false;
    }
    return passes(story, model_);
  }

  static Story with(Story story, Event event) {
    event.at = story.size() + 1;
    story.push_back(event);
    return story;
  }

  static OperationKind kind_of(const checkers::Instruction& instruction) {
    if (instruction.action == checkers::Action::fence) return OperationKind::fence;
    return instruction.action == checkers::Action::read ? OperationKind::read : OperationKind::write;
  }

  const checkers::Litmus& test_;
  MemoryModel model_;
  std::vector<std::size_t> next_;
};

}  // namespace

TEST_CASE("each litmus outcome can be told such that the oracle accepts it if the model allows it and else cannot") {
  for (const auto& test : checkers::litmus_tests()) {
    INFO(test.name);
    CHECK(Orders(test, kSc).some_passes() == test.sc);
    CHECK(Orders(test, kTso).some_passes() == test.tso);
    CHECK(Orders(test, kPso).some_passes() == test.pso);
  }
}

TEST_CASE("store buffering: the models differ in what may return before a write is performed") {
  const auto story =
      Teller().write(0, kX, 1, {1, 2}, 20).write(1, kY, 1, {3, 4}, 21).read(0, kY, 0, {5, 6}).read(1, kX, 0, {7, 8});
  CHECK(passes(story, kTso));
  CHECK(passes(story, kPso));
  const auto violations = judged(story, kSc);
  REQUIRE(violations.size() == 2);
  CHECK(violations[0].oracle == "sc");
  CHECK(violations[0].at == Time() + 6_ns);
  CHECK(violations[0].what ==
        "read on key 0x1 by session0 #3 (5.000 ns) ended at 6.000 ns, but write with 1 on key 0x0 by "
        "session0 #1 (1.000 ns), which its session issued earlier, was not performed");
  CHECK(violations[0].about.operations == std::vector<OperationId>{3, 1});
}

TEST_CASE("message passing: writes to different keys keep their order but under partial store order") {
  const auto story = Teller()
                         .write(0, kX, 1, {1, 2}, 20)
                         .write(0, kY, 1, {3, 4}, 10)
                         .read(1, kY, 1, {11, 12})
                         .read(1, kX, 0, {13, 14});
  CHECK(passes(story, kPso));
  REQUIRE(judged(story, kTso).size() == 1);
  CHECK(judged(story, kTso)[0].what ==
        "write with 1 on key 0x1 by session0 #2 (3.000 ns) was performed at 10.000 ns, but write with 1 on "
        "key 0x0 by session0 #1 (1.000 ns), which its session issued earlier, was not performed");
  CHECK_FALSE(passes(story, kSc));
  CHECK(passes(Teller().write(0, kX, 1, {1, 2}, 9).fence(0, {3, 10}).write(0, kY, 1, {11, 12}, 13), kPso));
  CHECK_FALSE(passes(Teller().write(0, kX, 1, {1, 2}, 11).fence(0, {3, 10}).write(0, kY, 1, {12, 13}, 14), kPso));
}

TEST_CASE("writes to one key are performed in order under every model") {
  const auto story = Teller().write(0, kX, 1, {1, 2}, 11).write(0, kX, 2, {3, 4}, 10);
  for (const auto model : {kSc, kTso, kPso}) CHECK(judged(story, model).size() == 1);
  // Those that overlap have no order.
  CHECK(passes(Teller().write(0, kX, 1, {1, 5}, 11).write(0, kX, 2, {3, 4}, 10), kTso));
}

TEST_CASE("a read returns what memory held at some instant while it was under way") {
  const auto with_read = [](std::uint64_t value) {
    return Teller()
        .write(0, kX, 1, {1, 2}, 3)
        .write(0, kX, 2, {4, 5}, 6)
        .write(0, kX, 3, {7, 8}, 12)
        .write(0, kX, 4, {13, 14}, 30)
        .read(1, kX, value, {10, 20});
  };
  for (const auto model : {kTso, kPso}) {
    CHECK_FALSE(passes(with_read(1), model));
    CHECK(passes(with_read(2), model));
    CHECK(passes(with_read(3), model));
    CHECK_FALSE(passes(with_read(4), model));
    CHECK_FALSE(passes(with_read(0), model));
  }
  CHECK(judged(with_read(1), kTso)[0].what ==
        "read on key 0x0 by session1 #5 (10.000 ns), ended at 20.000 ns, returned value 1, which memory did "
        "not hold meanwhile; it held 2, 3 (of operation 3)");
  CHECK_THAT(judged(with_read(4), kTso)[0].what, Catch::Contains("; session0 #4 writes 4, but was not performed"));
}

TEST_CASE("a read sees its own session's newest write that is not performed") {
  const auto with_read = [](std::uint64_t value) {
    return Teller().write(0, kX, 1, {1, 2}, 20).write(0, kX, 2, {3, 4}, 21).read(0, kX, value, {5, 6});
  };
  for (const auto model : {kTso, kPso}) {
    CHECK(passes(with_read(2), model));
    CHECK_FALSE(passes(with_read(1), model));
    CHECK_FALSE(passes(with_read(0), model));
  }
  CHECK_THAT(judged(with_read(0), kPso)[0].what,
             Catch::Contains("returned value 0, but its session's newest write to the key, not performed, is of 2"));
}

TEST_CASE("a read whose session's write is performed meanwhile sees it, or what followed it") {
  const auto with_read = [](std::uint64_t value) {
    return Teller()
        .write(0, kX, 1, {1, 2}, 20)
        .write(1, kX, 7, {3, 4}, 19)
        .write(1, kX, 8, {23, 24}, 25)
        .read(0, kX, value, {5, 30});
  };
  CHECK(passes(with_read(1), kTso));
  CHECK(passes(with_read(8), kTso));
  CHECK(passes(with_read(8), kSc));
  for (const auto model : {kSc, kTso, kPso}) {
    CHECK_FALSE(passes(with_read(0), model));
    CHECK_FALSE(passes(with_read(7), model));
  }
  CHECK_THAT(judged(with_read(7), kTso)[0].what,
             Catch::Contains("did not hold meanwhile after session0 #1 was performed at 20.000 ns; it "
                             "held 1 (of operation 1), 8 (of operation 3)"));
}

TEST_CASE("an atomic operation reads what memory holds when it is performed") {
  CHECK(passes(Teller().write(0, kX, 5, {1, 2}, 3).add(1, kX, 2, 5, {4, 8}, 6).read(2, kX, 7, {9, 10}), kTso));
  CHECK_FALSE(passes(Teller().write(0, kX, 5, {1, 2}, 5).add(1, kX, 2, 0, {4, 8}, 6), kPso));
  CHECK_FALSE(passes(Teller().add(1, kX, 2, 0, {4, 8}, 9), kPso));
  CHECK_FALSE(passes(Teller().add(1, kX, 2, 0, {4, 8}, kNever), kPso));
  // One that does not write is a read that waits for the buffer.
  CHECK(passes(Teller().write(0, kX, 5, {1, 2}, 5).failed_swap(0, kX, 5, {3, 8}), kTso));
  CHECK_FALSE(passes(Teller().write(0, kX, 5, {1, 2}, 5).failed_swap(0, kX, 0, {3, 8}), kPso));
  CHECK_FALSE(passes(Teller().write(0, kX, 5, {1, 2}, 9).failed_swap(0, kX, 5, {3, 8}), kPso));
}

TEST_CASE("an atomic operation waits for the whole buffer, under partial store order for its key") {
  const auto story = Teller().write(0, kX, 1, {1, 2}, 20).add(0, kY, 1, 0, {3, 6}, 5);
  CHECK_FALSE(passes(story, kSc));
  CHECK_FALSE(passes(story, kTso));
  CHECK(passes(story, kPso));
  const auto failed = Teller().write(0, kX, 1, {1, 2}, 20).failed_swap(0, kY, 0, {3, 6});
  CHECK_FALSE(passes(failed, kTso));
  CHECK(passes(failed, kPso));
  // If the buffer empties meanwhile, it reads what memory holds afterwards.
  const auto meanwhile = [](std::uint64_t before) {
    return Teller().write(0, kX, 1, {1, 2}, 20).write(1, kY, 7, {3, 4}, 15).failed_swap(0, kY, before, {10, 30});
  };
  CHECK(passes(meanwhile(7), kTso));
  CHECK_FALSE(passes(meanwhile(0), kTso));
  CHECK_FALSE(passes(meanwhile(0), kSc));
  CHECK(passes(meanwhile(0), kPso));
}

TEST_CASE("a lock waits for the buffer, and an unlock before somebody else is granted it") {
  for (const auto model : {kSc, kTso, kPso}) {
    CHECK(passes(Teller().write(0, kX, 1, {1, 2}, 4).lock(0, {3, 5}).unlock(0, {6, 7}), model));
    CHECK_FALSE(passes(Teller().write(0, kX, 1, {1, 2}, 6).lock(0, {3, 5}).unlock(0, {7, 8}), model));
    const auto handed_over = [](std::uint64_t performed) {
      return Teller()
          .lock(0, {1, 2})
          .write(0, kX, 1, {3, 4}, performed)
          .unlock(0, {5, 6})
          .lock(1, {7, 10})
          .unlock(1, {20, 21});
    };
    CHECK(passes(handed_over(9), model));
    REQUIRE(judged(handed_over(11), model).size() == 1);
    CHECK(judged(handed_over(11), model)[0].what ==
          "unlock on key 0x64 by session0 #3 (5.000 ns) let session1 #4 have the lock at "
          "10.000 ns, but write with 1 on key 0x0 by session0 #2 (3.000 ns), which its session issued "
          "earlier, was not performed");
  }
  // Who shares a lock need not wait for others who did; whoever wants it alone does.
  const auto shared = [](OperationKind second) {
    return Teller()
        .lock(0, {1, 2}, OperationKind::lock_shared)
        .write(0, kX, 1, {3, 4}, 30)
        .unlock(0, {5, 6})
        .lock(1, {7, 10}, second)
        .unlock(1, {20, 21});
  };
  CHECK(passes(shared(OperationKind::try_lock_shared), kTso));
  CHECK_FALSE(passes(shared(OperationKind::try_lock), kTso));
  // A refusal is no lock.
  CHECK(passes(Teller().write(0, kX, 1, {1, 2}, 6).lock(0, {3, 5}, OperationKind::try_lock, false), kSc));
}

TEST_CASE("a write that returned must be performed, unless it is given up") {
  const auto lost = Teller().write(0, kX, 1, {1, 2}, kNever);
  REQUIRE(judged(lost, kPso).size() == 1);
  CHECK(judged(lost, kPso)[0].what ==
        "write with 1 on key 0x0 by session0 #1 (1.000 ns), returned at 2.000 ns, was never performed");
  CHECK(passes(Teller(lost).give_up(1, 3), kPso));
  CHECK(passes(Teller().write(0, kX, 1, {1, kNever}, kNever).give_up(1, 3), kPso));
  // It may be performed afterwards, and is seen then, not before.
  const auto late = Teller().write(0, kX, 1, {1, kNever}, 5).give_up(1, 3);
  CHECK(passes(Teller(late).read(1, kX, 1, {4, 6}), kSc));
  CHECK_FALSE(passes(Teller(late).read(1, kX, 0, {6, 7}), kSc));
  CHECK_FALSE(passes(Teller(late).read(1, kX, 1, {2, 4}), kSc));
  // So may an atomic operation.
  CHECK(passes(Teller().add(0, kX, 1, 0, {1, kNever}, 5).give_up(1, 3).read(1, kX, 1, {6, 7}), kSc));
  CHECK(passes(Teller().add(0, kX, 1, 0, {1, kNever}, kNever).give_up(1, 3).read(1, kX, 0, {6, 7}), kSc));
  // Nothing waits for it.
  CHECK(passes(Teller(late).fence(0, {4, 10}), kSc));
  CHECK(passes(Teller().write(0, kX, 1, {1, 2}, 20).give_up(1, 3).fence(0, {4, 10}), kSc));
}

TEST_CASE("a write is performed once, with its own key and value, while it is under way") {
  NamedEventLog event_log;
  MemoryModelOracle oracle(kTso, event_log);
  event_log.attach(oracle);
  const Source session{0};
  const auto performed = [&](std::uint64_t operation, std::uint64_t key, std::uint64_t value) {
    record_performed(event_log, session, Time() + 5_ns, OperationId{operation}, Key{key}, Value{value});
    return oracle.violations().empty() ? std::string() : oracle.violations().back().what;
  };
  CHECK_THAT(performed(1, kX, 1), Catch::Contains("session0 #1 was performed at 5.000 ns, with value 1, but "
                                                  "was not under way"));
  record_begun(event_log, session, Time() + 5_ns, 2, OperationKind::read, Key{kX});
  CHECK_THAT(performed(2, kX, 1), Catch::Contains("but is no write"));
  record_begun(event_log, session, Time() + 5_ns, 3, OperationKind::write, Key{kX}, 4);
  CHECK_THAT(performed(3, kY, 4), Catch::Contains("but was asked to write key 0x0"));
  CHECK_THAT(performed(3, kX, 6), Catch::Contains("with value 6 instead of 4"));
  CHECK_THAT(performed(3, kX, 4), Catch::Contains("but had been performed before"));
  CHECK(oracle.violation_count() == 5);
  CHECK_THROWS_WITH(record_begun(event_log, session, Time(), 9, OperationKind::read, Key{kX}),
                    Catch::Contains("was recorded after"));
}

TEST_CASE("warm-up's value is what memory holds at first") {
  NamedEventLog event_log;
  MemoryModelOracle oracle(kSc, event_log);
  oracle.initial_value(Key{kX}, 33);
  tell(Teller().read(0, kX, 33, {1, 2}).read(0, kY, 0, {3, 4}), event_log, oracle);
  CHECK(oracle.violation_count() == 0);
}

TEST_CASE("what can no longer be read or waited for is dropped") {
  NamedEventLog event_log;
  MemoryModelOracle oracle(kPso, event_log);
  event_log.attach(oracle);
  std::uint64_t operation = 0;
  Time now;
  for (std::uint64_t i = 1; i <= 100'000; ++i) {
    const Source writer{static_cast<std::uint32_t>(i % 4)}, reader{static_cast<std::uint32_t>(4 + i % 4)};
    const auto key = i % 1'000, write = ++operation, read = ++operation;
    record_begun(event_log, reader, now += 1_ns, OperationId{read}, OperationKind::read, Key{key});
    record_begun(event_log, writer, now += 1_ns, OperationId{write}, OperationKind::write, Key{key}, Value{i});
    record_ended(event_log, writer, now += 1_ns, OperationId{write}, OperationKind::write, Key{key}, Value{i});
    record_performed(event_log, writer, now += 1_ns, OperationId{write}, Key{key}, Value{i});
    record_ended(event_log, reader, now += 1_ns, OperationId{read}, OperationKind::read, Key{key}, Value{i});
    REQUIRE(oracle.open_operations() == 0);
    REQUIRE(oracle.open_keys() == 0);
  }
  oracle.finish(now);
  CHECK(oracle.violation_count() == 0);
  CHECK(oracle.unchecked_reads() == 0);
}

TEST_CASE("keys that are only read are forgotten once the reads are over") {
  NamedEventLog event_log;
  MemoryModelOracle oracle(kPso, event_log);
  event_log.attach(oracle);
  oracle.initial_value(7, 70);
  Time now;
  for (std::uint64_t i = 1; i <= 1'000; ++i) {
    const Source reader{static_cast<std::uint32_t>(i % 4)};
    record_begun(event_log, reader, now += 1_ns, OperationId{i}, OperationKind::read, Key{1'000 + i});
    record_ended(event_log, reader, now += 1_ns, OperationId{i}, OperationKind::read, Key{1'000 + i}, 0);
  }
  std::vector<std::uint64_t> keys;
  oracle.visit_keys([&](Key key) { keys.push_back(key); });
  CHECK(keys == std::vector<std::uint64_t>{7});
  CHECK(oracle.may_hold(1'001, 0));
  CHECK_FALSE(oracle.may_hold(1'001, 5));
  CHECK(oracle.violation_count() == 0);
}

TEST_CASE("a deep buffer is drained in any order under partial store order, and its writes forwarded meanwhile") {
  NamedEventLog event_log;
  MemoryModelOracle oracle(kPso, event_log);
  event_log.attach(oracle);
  constexpr std::uint64_t kDepth = 100'000;
  const Source session{0}, other{1};
  Time now;
  for (std::uint64_t i = 1; i <= kDepth; ++i) {
    record_begun(event_log, session, now += 1_ns, OperationId{i}, OperationKind::write, Key{i}, Value{i});
    record_ended(event_log, session, now += 1_ns, OperationId{i}, OperationKind::write, Key{i}, Value{i});
    record_begun(event_log, session, now += 1_ns, OperationId{kDepth + i}, OperationKind::read, Key{i});
    record_ended(event_log, session, now += 1_ns, OperationId{kDepth + i}, OperationKind::read, Key{i}, Value{i});
  }
  CHECK(oracle.open_operations() == kDepth);
  for (std::uint64_t i = kDepth; i > 0; --i) {
    record_begun(event_log, other, now += 1_ns, OperationId{2 * kDepth + i}, OperationKind::read, Key{i});
    record_ended(event_log, other, now += 1_ns, OperationId{2 * kDepth + i}, OperationKind::read, Key{i}, 0);
    record_performed(event_log, session, now += 1_ns, OperationId{i}, Key{i}, Value{i});
  }
  oracle.finish(now);
  CHECK(oracle.violation_count() == 0);
  CHECK(oracle.open_operations() == 0);
}

TEST_CASE("a read that its key's values overrun is not checked") {
  NamedEventLog event_log;
  MemoryModelOracle oracle(kTso, event_log, 3);
  Teller story;
  story.read(1, kX, 99, {1, 1'000});
  for (std::uint64_t i = 0; i < 5; ++i) story.write(0, kX, i + 1, {10 * i + 2, 10 * i + 3}, 10 * i + 4);
  story.read(2, kX, 4, {43, 50});
  tell(story, event_log, oracle);
  CHECK(oracle.violation_count() == 0);
  CHECK(oracle.unchecked_reads() == 1);
  CHECK(oracle.open_keys() == 0);
}

}  // namespace memory_model_oracle_test
