// What is recorded of operations is read back, and what only oracles are told leaves the run hash alone.
#include "sim/record/history.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <string_view>
#include <vector>

namespace history_test {

using namespace racksim::sim;

namespace {

struct Last : Observer {
  Observation seen;
  void observe(const Observation& observation) override { seen = observation; }
};

}  // namespace

TEST_CASE("atomic operations, locks and performed writes are read back as they were recorded") {
  EventLog event_log;
  const auto session = event_log.add_source("session");
  Last last;
  event_log.attach(last);
  record_atomic_ended(event_log, session, Time(), 7, OperationKind::compare_and_swap, 5, 40, true);
  auto view = OperationView::of(last.seen);
  CHECK(last.seen.what == Observed::operation_ended);
  CHECK(view.kind == OperationKind::compare_and_swap);
  CHECK(view.key == 5);
  CHECK(view.value == 40);
  CHECK(view.wrote);
  record_atomic_ended(event_log, session, Time(), 7, OperationKind::compare_and_swap, 5, 40, false);
  CHECK_FALSE(OperationView::of(last.seen).wrote);
  record_lock_ended(event_log, session, Time(), 8, OperationKind::try_lock_shared, 6, false);
  view = OperationView::of(last.seen);
  CHECK(view.kind == OperationKind::try_lock_shared);
  CHECK(view.value == 0);
  record_lock_ended(event_log, session, Time(), 8, OperationKind::lock, 6, true);
  CHECK(OperationView::of(last.seen).value == 1);
  record_performed(event_log, session, Time() + 3_ns, 9, 5, 41);
  CHECK(last.seen.what == Observed::performed);
  CHECK(last.seen.operation == 9);
  CHECK(PerformedView::of(last.seen).key == 5);
  CHECK(PerformedView::of(last.seen).value == 41);
}

TEST_CASE("to tell oracles when a write is performed leaves the run hash alone") {
  EventLog told, untold;
  const auto a = told.add_source("a"), b = untold.add_source("a");
  record_performed(told, a, Time(), 1, 2, 3);
  record_begun(told, a, Time(), 1, OperationKind::write, 2, 3);
  record_begun(untold, b, Time(), 1, OperationKind::write, 2, 3);
  CHECK(told.hash() == untold.hash());
}

TEST_CASE("kinds of operations have names of their own, and belong to memory, locks or neither") {
  std::set<std::string_view> names;
  int memory = 0, locks = 0;
  for (int i = 0; i <= static_cast<int>(OperationKind::erase); ++i) {
    const auto kind = static_cast<OperationKind>(i);
    names.insert(to_string(kind));
    memory += accesses_memory(kind) ? 1 : 0;
    locks += requests_lock(kind) ? 1 : 0;
  }
  CHECK(names.size() == 13);
  CHECK(memory == 4);
  CHECK(locks == 4);
  CHECK(is_shared(OperationKind::lock_shared));
  CHECK_FALSE(is_shared(OperationKind::try_lock));
  CHECK(to_string(static_cast<OperationKind>(13)) == "unknown operation");
}

}  // namespace history_test
