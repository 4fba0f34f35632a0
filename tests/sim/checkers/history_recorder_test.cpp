// What is recorded of a run, and what is given up when the budget is spent.
#include "sim/checkers/history_recorder.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "sim/random/random.hpp"

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
  // 30 operations a key: 2,000 hold 66 keys, so the sample is about 1,000 / 16 of them.
  CHECK(r.recorder.halvings() >= 4);
  CHECK(r.recorder.halvings() <= 5);
  CHECK(histories.size() > 15);
  CHECK(histories.size() < 120);
}

TEST_CASE("initial values count against the budget too") {
  Recorded r(100);
  for (std::uint64_t key = 0; key < 4'000; ++key) r.recorder.initial_value(Key{key}, Value{key + 1});
  CHECK(r.recorder.halvings() >= 3);
  for (std::uint64_t key = 0; key < 200; ++key)
    record_begun(r.event_log, r.first, r.tick(), OperationId{key + 1}, kRead, Key{key});
  for (const auto& history : r.recorder.by_key()) CHECK(history.initial == history.key + 1);
  CHECK_FALSE(r.recorder.by_key().empty());
}

TEST_CASE("a single key beyond the budget is given up") {
  Recorded r(10);
  for (std::uint64_t i = 1; i <= 11; ++i) record_begun(r.event_log, r.first, r.tick(), OperationId{i}, kRead, 7);
  CHECK(r.recorder.by_key().empty());
  CHECK(r.recorder.dropped_operations() == 11);
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
