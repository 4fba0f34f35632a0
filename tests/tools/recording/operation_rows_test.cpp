// Rows of operations come in the order of their begins, from bounded memory, and only of the workload's own.
#include "tools/recording/operation_rows.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "sim/kernel/calendar.hpp"

namespace operation_rows_test {

using namespace racksim;
using namespace racksim::tools;
using sim::OperationKind;

namespace {

/// Two nodes with two threads, which begin and end operations as a test says.
class Clients final : public models::Service {
 public:
  Clients(sim::Calendar& calendar, sim::EventLog& event_log, sim::Metrics& metrics)
      : Service(calendar, event_log, metrics, 2, 2) {}
  std::uint64_t bytes_of(const sim::OperationView& begun) const override { return begun.key * 10; }

  using Operation = PendingOperation;
  Operation begins(models::Session session, OperationKind kind, sim::Key key) { return begin(session, kind, key); }
  void ends(models::Session session, const Operation& operation) { end(session, operation, 0); }
  void ends_answered(models::Session session, const Operation& operation, const std::string& by) {
    witness()->answered(operation.operation, by);
    end(session, operation, 0);
  }
  void gives_up(models::Session session, const Operation& operation) { give_up(session, operation); }
  void unlocks_for_dead(models::Session session, sim::Key key) {
    end_for_dead(session, begin(session, OperationKind::unlock, key));
  }
};

struct Bench {
  explicit Bench(bool needs_ends = true)
      : rows(clients, metrics, needs_ends, [this](const OperationRow& row) { seen.push_back(row); }) {
    event_log.attach(rows);
    clients.attach(rows);
  }
  void at(std::int64_t ns) { calendar.skip_to(sim::Time::from_ps(ns * 1000)); }
  std::vector<std::uint64_t> keys() const {
    std::vector<std::uint64_t> result;
    for (const OperationRow& row : seen) result.push_back(row.key);
    return result;
  }

  sim::Calendar calendar;
  sim::EventLog event_log;
  sim::Metrics metrics;
  Clients clients{calendar, event_log, metrics};
  std::vector<OperationRow> seen;
  OperationRows rows;
};

const models::Session kFirst{0, 0, 0}, kSecond{0, 1, 0}, kThird{1, 0, 0}, kFourth{1, 1, 0};
using Keys = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("a row tells who asked for what, when, for how long, and whether the metrics count it") {
  Bench bench;
  bench.at(1);
  const auto early = bench.clients.begins(kFourth, OperationKind::write, 7);
  bench.at(3);
  bench.clients.ends(kFourth, early);
  bench.metrics.open_window(sim::Time::from_ps(4000));
  bench.at(5);
  const auto within = bench.clients.begins(kSecond, OperationKind::read, 8);
  bench.at(6);
  const auto late = bench.clients.begins(kThird, OperationKind::lock, 9);
  bench.at(8);
  bench.clients.ends_answered(kSecond, within, "cache");
  bench.metrics.close_window(sim::Time::from_ps(9000));
  bench.at(10);
  bench.clients.ends(kThird, late);

  REQUIRE(bench.seen.size() == 3);
  const OperationRow &a = bench.seen[0], &b = bench.seen[1], &c = bench.seen[2];
  CHECK(a.begun.ps() == 1000);
  CHECK(a.ended->ps() == 3000);
  CHECK((a.session.node == 1 && a.session.thread == 1));
  CHECK(a.kind == OperationKind::write);
  CHECK(a.key == 7u);
  CHECK(a.bytes == 70);
  CHECK((a.answered_by.empty() && !a.in_window));
  CHECK((b.session.node == 0 && b.session.thread == 1));
  CHECK(b.ended->ps() == 8000);
  CHECK((b.answered_by == "cache" && b.in_window));
  CHECK(!c.in_window);  // it ended behind the window
  // As the report has it.
  CHECK(bench.clients.measured_operations() == 1);
}

TEST_CASE("rows wait for what began before them; what never ends is told at the end") {
  Bench bench;
  const auto first = bench.clients.begins(kFirst, OperationKind::read, 1);
  const auto given_up = bench.clients.begins(kSecond, OperationKind::read, 2);
  const auto third = bench.clients.begins(kThird, OperationKind::read, 3);
  bench.clients.begins(kFourth, OperationKind::read, 4);
  bench.clients.ends(kThird, third);
  CHECK(bench.keys().empty());
  bench.clients.ends(kFirst, first);
  CHECK(bench.keys() == Keys{1});
  bench.clients.gives_up(kSecond, given_up);
  CHECK(bench.keys() == Keys{1, 2, 3});
  CHECK(!bench.seen[1].ended);
  bench.rows.finish();
  CHECK(bench.keys() == Keys{1, 2, 3, 4});
  CHECK(!bench.seen[3].ended);
}

TEST_CASE("one that lasts too long holds up no more than so many, and comes where it ends or behind all") {
  Bench bench;
  const auto long_one = bench.clients.begins(kFirst, OperationKind::read, 1);
  bench.clients.begins(kSecond, OperationKind::read, 2);
  const auto turn = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      bench.clients.ends(kThird, bench.clients.begins(kThird, OperationKind::read, 3));
    }
  };
  turn(OperationRows::kMostHeld - 2);
  CHECK(bench.seen.empty());
  turn(2);  // now both are out of the way
  CHECK(bench.seen.size() == OperationRows::kMostHeld);
  bench.clients.ends(kFirst, long_one);
  CHECK(bench.seen.back().key == 1u);
  CHECK(bench.seen.back().ended.has_value());
  turn(1);
  CHECK(bench.seen.back().key == 3u);
  bench.rows.finish();
  CHECK(bench.seen.back().key == 2u);
  CHECK(bench.seen.size() == OperationRows::kMostHeld + 3);
}

TEST_CASE("what a protocol does in the name of a dead session has no row, with ends or without") {
  const bool needs_ends = GENERATE(true, false);
  Bench bench(needs_ends);
  const auto first = bench.clients.begins(kFirst, OperationKind::lock, 1);
  bench.clients.unlocks_for_dead(kSecond, 2);
  bench.clients.ends(kFirst, first);
  bench.clients.unlocks_for_dead(kSecond, 2);
  bench.rows.finish();
  CHECK(bench.keys() == Keys{1});
}

TEST_CASE("who needs no ends gets each row once, in the order of begins, however long others last") {
  Bench bench(false);
  const auto first = bench.clients.begins(kFirst, OperationKind::read, 1);
  const auto second = bench.clients.begins(kSecond, OperationKind::read, 2);
  CHECK(bench.keys() == Keys{1});
  bench.clients.ends(kSecond, second);
  CHECK(bench.keys() == Keys{1, 2});
  const auto third = bench.clients.begins(kThird, OperationKind::read, 3);
  bench.clients.ends(kFirst, first);
  bench.clients.ends(kThird, third);
  bench.clients.begins(kFourth, OperationKind::read, 4);
  bench.rows.finish();
  CHECK(bench.keys() == Keys{1, 2, 3, 4});
}

}  // namespace operation_rows_test
