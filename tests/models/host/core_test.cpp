#include "models/host/core.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "sim/kernel/calendar.hpp"

namespace core_test {

using namespace racksim;
using namespace racksim::sim::literals;
using sim::Duration;
using sim::Time;

namespace {

Time at(Duration since_start) {
  return Time{} + since_start;
}

struct Log {
  struct Entry {
    int id;
    Time when;
    bool operator==(const Entry&) const = default;
  };
  sim::Calendar calendar;
  models::Core core{calendar, "node0/core0"};
  std::vector<Entry> entries;

  void note(int id) { entries.push_back({id, calendar.now()}); }
  void note_and_charge(int id, Duration extra) {
    note(id);
    core.charge(extra);
  }
  void note_and_rest(int id, Time until) {
    note(id);
    rest(until);
  }
  void rest(Time until) { core.rest_until(until); }
  void queue(int id, Duration ready, Duration cost) { core.run_at<&Log::note>(at(ready), cost, *this, id); }
  sim::Duration more_of(int id) const { return id == 2 ? extra : sim::Duration{}; }
  sim::Duration extra;
  void note_and_set(int id, Duration more) {
    note(id);
    extra = more;
  }
  void queue_later(int id, Duration ready) { queue(id, ready, 10_ns); }
  void halt() { core.halt(); }
};

}  // namespace

TEST_CASE("A handler is called at the end of its cost, after what was queued before") {
  Log log;
  log.core.run<&Log::note>(100_ns, log, 1);
  log.core.run<&Log::note>(50_ns, log, 2);
  log.calendar.run_until();
  CHECK(log.entries == std::vector<Log::Entry>{{1, at(100_ns)}, {2, at(150_ns)}});
  CHECK(log.core.busy_time() == 150_ns);
  CHECK(log.calendar.executed() == 2);
}

TEST_CASE("Work can take more by what is so when it begins, not when it is queued") {
  Log log;
  log.core.run<&Log::note_and_set>(100_ns, log, 1, Duration(30_ns));
  log.core.run_more_at<&Log::note, &Log::more_of>(at(0_ns), 50_ns, log, 2);
  log.core.run_more_at<&Log::note, &Log::more_of>(at(0_ns), 50_ns, log, 3);
  log.calendar.run_until();
  CHECK(log.entries == std::vector<Log::Entry>{{1, at(100_ns)}, {2, at(180_ns)}, {3, at(230_ns)}});
  CHECK(log.core.began() == at(180_ns));
  CHECK(log.core.busy_time() == 230_ns);
}

TEST_CASE("A charge inside a handler delays what waits behind it") {
  Log log;
  log.core.run<&Log::note_and_charge>(100_ns, log, 1, Duration(30_ns));
  log.core.run<&Log::note>(50_ns, log, 2);
  log.calendar.run_until();
  CHECK(log.entries == std::vector<Log::Entry>{{1, at(100_ns)}, {2, at(180_ns)}});
  CHECK(log.core.busy_time() == 180_ns);
}

TEST_CASE("A charge outside a handler goes before what waits") {
  Log log;
  CHECK(log.core.charge(20_ns) == at(20_ns));
  CHECK(log.core.charge(20_ns) == at(40_ns));
  log.core.run<&Log::note>(10_ns, log, 1);
  CHECK(log.core.charge(5_ns) == at(45_ns));
  CHECK(log.core.free_at() == at(45_ns));
  log.calendar.run_until();
  CHECK(log.entries == std::vector<Log::Entry>{{1, at(55_ns)}});
}

TEST_CASE("A charge that comes while work is in service lengthens that work") {
  Log log;
  sim::Lane lane = log.calendar.add_lane("test");
  struct Charger {
    Log& log;
    void charge() { log.core.charge(7_ns); }
  } charger{log};
  log.core.run<&Log::note>(100_ns, log, 1);
  log.calendar.at<&Charger::charge>(at(50_ns), lane, charger);
  log.calendar.run_until();
  CHECK(log.entries == std::vector<Log::Entry>{{1, at(107_ns)}});
  CHECK(log.core.busy_time() == 107_ns);
}

TEST_CASE("Work that becomes ready earlier runs earlier, whatever the order of the calls") {
  Log log;
  log.queue(1, 300_ns, 10_ns);
  log.queue(2, 100_ns, 10_ns);
  log.queue(3, 200_ns, 150_ns);
  log.queue(4, 100_ns, 10_ns);
  log.calendar.run_until();
  // 3 is in service until 350, past the readiness of 1.
  CHECK(log.entries == std::vector<Log::Entry>{{2, at(110_ns)}, {4, at(120_ns)}, {3, at(350_ns)}, {1, at(360_ns)}});
}

TEST_CASE("Work that has begun is finished before work that becomes ready during it") {
  Log log;
  const sim::Lane lane = log.calendar.add_lane("test");
  log.queue(1, 0_ns, 100_ns);
  log.queue(2, 90_ns, 10_ns);
  log.calendar.at<&Log::queue_later>(at(20_ns), lane, log, 3, Duration(30_ns));
  log.calendar.run_until();
  CHECK(log.entries == std::vector<Log::Entry>{{1, at(100_ns)}, {3, at(110_ns)}, {2, at(120_ns)}});
}

TEST_CASE("A halted core forgets its work and can be used again") {
  Log log;
  const sim::Lane lane = log.calendar.add_lane("test");
  log.queue(1, 0_ns, 100_ns);
  log.queue(2, 0_ns, 100_ns);
  log.calendar.at<&Log::halt>(at(150_ns), lane, log);
  log.calendar.at<&Log::queue_later>(at(160_ns), lane, log, 3, Duration(170_ns));
  log.calendar.run_until();
  CHECK(log.entries == std::vector<Log::Entry>{{1, at(100_ns)}, {3, at(180_ns)}});
}

TEST_CASE("The core agrees with a plain simulation of one server on random work") {
  // Reference: whenever the server is free, take the piece with the least (ready, call) among those that exist.
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    struct Piece {
      Time called, ready;
      Duration cost;
      int id;
    };
    std::vector<Piece> pieces;
    for (int i = 0; i < 12; ++i) {
      const auto called = static_cast<std::int64_t>(random() % 60);
      const auto ready = called + static_cast<std::int64_t>(random() % 40);
      pieces.push_back({Time::from_ps(called), Time::from_ps(ready),
                        Duration::from_ps(static_cast<std::int64_t>(random() % 15)), i});
    }
    std::stable_sort(pieces.begin(), pieces.end(), [](auto& a, auto& b) { return a.called < b.called; });
    std::vector<Log::Entry> expected;
    auto left = pieces;
    Time free;
    while (!left.empty()) {
      const auto next = std::min_element(left.begin(), left.end(), [](auto& a, auto& b) { return a.ready < b.ready; });
      free = std::max(free, next->ready) + next->cost;
      expected.push_back({next->id, free});
      left.erase(next);
    }

    Log log;
    struct Caller {
      Log& log;
      std::vector<Piece>& pieces;
      void call(std::size_t i) { log.core.run_at<&Log::note>(pieces[i].ready, pieces[i].cost, log, pieces[i].id); }
    } caller{log, pieces};
    const sim::Lane lane = log.calendar.add_lane("test");
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      log.calendar.at<&Caller::call>(pieces[i].called, lane, caller, i);
    }
    log.calendar.run_until();
    CHECK(log.entries == expected);
  }
}

TEST_CASE("A core at rest begins nothing before the rest is over, and spends no time on it") {
  Log log;
  log.core.rest_until(at(200_ns));
  log.core.run<&Log::note>(50_ns, log, 1);
  log.core.set_slowdown(2);
  log.calendar.run_until();
  // Of a slow core the work is longer, the rest is not.
  CHECK(log.entries == std::vector<Log::Entry>{{1, at(300_ns)}});
  CHECK(log.core.busy_time() == 100_ns);
}

TEST_CASE("A rest that begins in a handler holds up what waits, and one that begins later lets what has begun go on") {
  Log log;
  sim::Lane lane = log.calendar.add_lane("test");
  log.core.run<&Log::note_and_rest>(100_ns, log, 1, at(500_ns));
  log.core.run<&Log::note>(50_ns, log, 2);
  log.core.run<&Log::note>(50_ns, log, 3);
  log.calendar.at<&Log::rest>(at(520_ns), lane, log, at(1_us));
  log.calendar.run_until();
  CHECK(log.entries == std::vector<Log::Entry>{{1, at(100_ns)}, {2, at(550_ns)}, {3, at(1050_ns)}});
  CHECK(log.core.busy_time() == 200_ns);
}

TEST_CASE("Work of a negative cost is refused") {
  Log log;
  CHECK_THROWS_AS(log.queue(1, 0_ns, Duration::from_ps(-1)), std::logic_error);
  CHECK_THROWS_AS(log.core.charge(Duration::from_ps(-1)), std::logic_error);
}

TEST_CASE("A core has worked for what is over of its work and charges, and for no rest") {
  Log log;
  log.core.run<&Log::note_and_charge>(100_ns, log, 1, 50_ns);  // until 150 ns
  log.core.run<&Log::note_and_rest>(10_ns, log, 2, at(400_ns));
  log.queue(3, 0_ns, 100_ns);  // from 400 ns on
  const auto worked = [&](Duration until) {
    log.calendar.run_until(at(until));
    return log.core.worked();
  };
  CHECK(worked(60_ns) == 60_ns);
  CHECK(worked(120_ns) == 120_ns);
  CHECK(worked(300_ns) == 160_ns);
  CHECK(worked(450_ns) == 210_ns);
  CHECK(worked(900_ns) == 260_ns);
}

TEST_CASE("Work has waited for a core from when it was ready until it began, or until now") {
  Log log;
  log.queue(1, 0_ns, 100_ns);
  log.queue(2, 20_ns, 100_ns);
  log.queue(3, 30_ns, 100_ns);
  const auto waited = [&](Duration until) {
    log.calendar.run_until(at(until));
    return log.core.waited();
  };
  CHECK(waited(10_ns) == 0_ns);
  CHECK(waited(50_ns) == 30_ns + 20_ns);
  CHECK(waited(150_ns) == 80_ns + 120_ns);
  CHECK(waited(900_ns) == 80_ns + 170_ns);
  CHECK(log.core.waits().longest() == 170_ns);
}

}  // namespace core_test
