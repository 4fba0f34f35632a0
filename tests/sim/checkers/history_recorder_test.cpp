// What is recorded of a run, and what is given up when the budget is spent.
#include "sim/checkers/history_recorder.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "sim/random/random.hpp"
#include "sim/random/zipf.hpp"

namespace history_recorder_test {

using namespace racksim::sim;
using namespace racksim::sim::checkers;

namespace {

constexpr auto kRead = OperationKind::read;
constexpr auto kWrite = OperationKind::write;

struct Recorded {
  EventLog event_log;
  Source first = event_log.add_source("first"), second = event_log.add_source("second");
  HistoryRecorder recorder;
  Time now;

  explicit Recorded(std::size_t budget = 1000) : recorder(budget) { event_log.attach(recorder); }
  Time tick() { return now += 1_ns; }
};

}  // namespace

TEST_CASE("operations are recorded with session, key, values, order and times") {
  Recorded r;
  r.recorder.initial_value(5, 77);
  record_begun(r.event_log, r.first, r.tick(), 1, kRead, 5);
  record_begun(r.event_log, r.second, r.now, 2, kWrite, 5, 9);  // at the same time, but later
  record_begun(r.event_log, r.first, r.tick(), 3, kWrite, 4, 8);
  record_ended(r.event_log, r.first, r.tick(), 1, kRead, 5, 77);
  record_ended(r.event_log, r.second, r.tick(), 2, kWrite, 5, 9);
  const auto histories = r.recorder.by_key();
  REQUIRE(histories.size() == 2);
  CHECK(histories[0].key == 4);
  CHECK(histories[0].initial == kNeverWritten);
  REQUIRE(histories[0].operations.size() == 1);
  CHECK(histories[0].operations[0].pending());
  CHECK(histories[1].key == 5);
  CHECK(histories[1].initial == 77);
  REQUIRE(histories[1].operations.size() == 2);
  const auto& read = histories[1].operations[0];
  const auto& write = histories[1].operations[1];
  CHECK(read.id == 1);
  CHECK(read.session == r.first.index);
  CHECK(read.action == Action::read);
  CHECK(read.result == 77);
  CHECK(read.invoked_at == Time() + 1_ns);
  CHECK(read.responded_at == Time() + 3_ns);
  CHECK(write.action == Action::write);
  CHECK(write.argument == 9);
  CHECK(write.session == r.second.index);
  CHECK(read.invoked < write.invoked);
  CHECK(write.invoked < read.responded);
  CHECK(read.responded < write.responded);
  CHECK(r.recorder.dropped_operations() == 0);
  CHECK(r.recorder.halvings() == 0);
}

TEST_CASE("an operation may end after the record was looked at") {
  Recorded r;
  record_begun(r.event_log, r.first, r.tick(), 1, kWrite, 9, 1);
  record_begun(r.event_log, r.second, r.tick(), 2, kWrite, 3, 2);
  CHECK(r.recorder.by_key()[1].operations[0].pending());
  record_ended(r.event_log, r.first, r.tick(), 1, kWrite, 9, 1);
  CHECK_FALSE(r.recorder.by_key()[1].operations[0].pending());
  CHECK(r.recorder.by_key()[0].operations[0].pending());
}

TEST_CASE("an operation that its session gives up stays pending, whatever comes later") {
  Recorded r;
  record_begun(r.event_log, r.first, r.tick(), 1, kWrite, 5, 9);
  record_begun(r.event_log, r.first, r.tick(), 2, kRead, 5);
  record_given_up(r.event_log, r.first, r.tick(), 1, kWrite, 5, 9);
  record_given_up(r.event_log, r.first, r.tick(), 2, kRead, 5, 0);
  record_begun(r.event_log, r.first, r.tick(), 3, kRead, 5);
  record_ended(r.event_log, r.first, r.tick(), 3, kRead, 5, 9);
  const auto histories = r.recorder.by_key();
  REQUIRE(histories.size() == 1);
  REQUIRE(histories[0].operations.size() == 3);
  CHECK(histories[0].operations[0].pending());
  CHECK(histories[0].operations[0].argument == 9);
  CHECK(histories[0].operations[1].pending());
  CHECK_FALSE(histories[0].operations[2].pending());
}

TEST_CASE("beyond the budget keys are given up whole and what remains is complete") {
  constexpr std::size_t kBudget = 2'000;
  Recorded r(kBudget);
  RandomStream random(1, "recorder");
  std::map<std::uint64_t, std::uint64_t> begun, ended;
  std::map<std::uint64_t, std::uint64_t> pending;  // operation to key
  std::uint64_t operations = 0;
  for (int i = 0; i < 30'000; ++i) {
    const auto key = random.below(1'000) << 12;
    ++operations;
    record_begun(r.event_log, r.first, r.tick(), OperationId{operations}, kWrite, Key{key}, Value{operations});
    ++begun[key];
    pending[operations] = key;
    if (random.chance(0.9)) {
      const auto [operation, its_key] = *pending.begin();
      record_ended(r.event_log, r.first, r.tick(), OperationId{operation}, kWrite, Key{its_key}, Value{operation});
      ++ended[its_key];
      pending.erase(operation);
    }
    REQUIRE(r.recorder.recorded_operations() <= kBudget);
  }
  const auto histories = r.recorder.by_key();
  std::uint64_t kept = 0;
  for (const auto& history : histories) {
    std::uint64_t completed = 0;
    for (const auto& operation : history.operations) {
      CHECK(operation.key == history.key);
      completed += operation.pending() ? 0 : 1;
    }
    CHECK(history.operations.size() == begun[history.key]);
    CHECK(completed == ended[history.key]);
    kept += history.operations.size();
  }
  CHECK(kept == r.recorder.recorded_operations());
  CHECK(kept + r.recorder.dropped_operations() == operations);
  // 30 operations a key: 2,000 hold 66 keys, of which a quarter is a sample: about 1,000 / 64 of them.
  CHECK(r.recorder.halvings() >= 4);
  CHECK(r.recorder.halvings() <= 7);
  CHECK(histories.size() > 15);
  CHECK(histories.size() < 120);
}

TEST_CASE("what many keys held before gives up none of them, and is kept as long as they are") {
  Recorded r(100);
  for (std::uint64_t key = 0; key < 4'000; ++key) r.recorder.initial_value(Key{key}, Value{key + 1});
  CHECK(r.recorder.halvings() == 0);
  for (std::uint64_t key = 0; key < 200; ++key)
    record_begun(r.event_log, r.first, r.tick(), OperationId{key + 1}, kRead, Key{key});
  for (const auto& history : r.recorder.by_key()) CHECK(history.initial == history.key + 1);
  CHECK_FALSE(r.recorder.by_key().empty());
}

TEST_CASE("the budget goes to the most used keys first, each of them whole, and to a sample of the others") {
  constexpr std::uint64_t kKeys = 2'000, kOperations = 100'000, kBudget = kOperations / 10;
  Recorded r(kBudget);
  RandomStream random(3, "recorder");
  const Zipf popularity(kKeys, 0.6);
  std::map<std::uint64_t, std::uint64_t> uses;
  for (std::uint64_t i = 1; i <= kOperations; ++i) {
    const std::uint64_t key = popularity(random) - 1;
    ++uses[key];
    record_begun(r.event_log, r.first, r.tick(), OperationId{i}, kRead, Key{key});
    record_ended(r.event_log, r.first, r.tick(), OperationId{i}, kRead, Key{key}, 0);
    REQUIRE(r.recorder.recorded_operations() <= kBudget);
  }
  std::map<std::uint64_t, std::uint64_t> kept;
  for (const auto& history : r.recorder.by_key()) kept[history.key] = history.operations.size();
  for (const auto& [key, operations] : kept) CHECK(operations == uses[key]);
  // What the most used keys come to, as many as have room in three quarters of the budget when all is over.
  std::uint64_t hottest = 0;
  for (std::uint64_t room = kBudget - kBudget / 4; uses[hottest] <= room; ++hottest) room -= uses[hottest];
  REQUIRE(hottest > 3);
  for (std::uint64_t key = 0; key < hottest; ++key) CHECK(kept.contains(key));
  CHECK(kept.size() > hottest + 10);
}

TEST_CASE("of a single key beyond the budget the beginning is kept, and what was under way then never ends") {
  Recorded r(8);  // six of it for one key
  for (std::uint64_t i = 1; i <= 10; ++i)
    record_begun(r.event_log, r.first, r.tick(), OperationId{i}, kWrite, 7, Value{i});
  for (std::uint64_t i = 1; i <= 10; ++i)
    record_ended(r.event_log, r.first, r.tick(), OperationId{i}, kWrite, 7, Value{i});
  const auto histories = r.recorder.by_key();
  REQUIRE(histories.size() == 1);
  REQUIRE(histories[0].operations.size() == 6);
  for (std::uint64_t i = 0; i < 6; ++i) {
    CHECK(histories[0].operations[i].id == i + 1);
    CHECK(histories[0].operations[i].pending());
  }
  CHECK(r.recorder.dropped_operations() == 4);
}

TEST_CASE("an operation that ended after the beginning that is kept of its key is taken as one that did not") {
  Recorded r(8);
  const auto run = [&](std::uint64_t i) {
    record_begun(r.event_log, r.first, r.tick(), OperationId{i}, kWrite, 7, Value{i});
    record_ended(r.event_log, r.first, r.tick(), OperationId{i}, kWrite, 7, Value{i});
  };
  record_begun(r.event_log, r.second, r.tick(), 100, kRead, 7);
  for (std::uint64_t i = 1; i <= 6; ++i) run(i);  // the sixth is behind
  record_ended(r.event_log, r.second, r.tick(), 100, kRead, 7, 6);
  run(7);
  run(8);
  const auto histories = r.recorder.by_key();
  REQUIRE(histories.size() == 1);
  REQUIRE(histories[0].operations.size() == 6);
  CHECK(histories[0].operations[0].id == 100);
  CHECK(histories[0].operations[0].pending());
  CHECK_FALSE(histories[0].operations[5].pending());
}

TEST_CASE("strange ends, fences and locks are ignored") {
  Recorded r;
  record_ended(r.event_log, r.first, r.tick(), 99, kRead, 1, 5);
  record_begun(r.event_log, r.first, r.tick(), 2, OperationKind::fence, 0);
  record_begun(r.event_log, r.first, r.tick(), 3, OperationKind::unlock, 1);
  record_begun(r.event_log, r.first, r.tick(), 4, OperationKind::allocate, 0, 64);
  CHECK(r.recorder.recorded_operations() == 0);
}

TEST_CASE("keys of atomic operations, and those that lost a write, are left out whole") {
  Recorded r;
  for (const std::uint64_t key : {1, 2, 3}) {
    record_begun(r.event_log, r.first, r.tick(), OperationId{key}, kRead, Key{key});
    record_ended(r.event_log, r.first, r.tick(), OperationId{key}, kRead, Key{key}, 0);
  }
  record_begun(r.event_log, r.first, r.tick(), 10, OperationKind::fetch_and_add, 1, 5);
  record_lost_write(r.event_log, r.first, r.tick(), {3, 77, Loss::home});
  const auto kept = r.recorder.by_key();
  REQUIRE(kept.size() == 1);
  CHECK(kept[0].key == 2);
  CHECK(r.recorder.left_out_keys() == 2);
}

}  // namespace history_recorder_test
