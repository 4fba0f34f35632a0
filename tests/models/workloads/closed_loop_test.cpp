// The closed loop of the key-value workload: the window of each client thread, Little's law, crashes and stops.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "sim/record/history.hpp"
#include "tests/models/workloads/driven_store.hpp"

namespace workloads_closed_loop_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using sim::Observed;

namespace {

constexpr unsigned kClients = 5, kThreads = 2;

KeyValueOptions closed(std::uint64_t window) {
  KeyValueOptions options = few_keys();
  options.loop = KeyValueOptions::Loop::closed;
  options.window = window;
  options.write_ratio = 0.3;
  return options;
}

/// Operations under way of each session, now and at most, as the event log has them.
struct UnderWay final : sim::Observer {
  void observe(const sim::Observation& o) override {
    if (o.what == Observed::operation_begun)
      most[o.source.index] = std::max(most[o.source.index], ++now[o.source.index]);
    if (o.what == Observed::operation_ended || o.what == Observed::operation_given_up) --now[o.source.index];
  }
  std::map<std::uint32_t, std::uint64_t> now, most;  // by session
};

struct ClosedLoop : Driven {
  explicit ClosedLoop(const KeyValueOptions& options, std::uint64_t seed = 1) : Driven(options, kClients, seed) {
    event_log.attach(under_way);
    store.delay = 5_us;
    // The next one asked for takes as long as chance, which an operation's number is here, has it.
    store.distort = [this](const FakeStore::Asked& asked, Answer&) {
      store.delay = 1_us + asked.operation % 13 * 1_us;
    };
  }
  UnderWay under_way;
};

}  // namespace

TEST_CASE("In closed loop each client thread keeps its window under way, no more and no less") {
  const std::uint64_t window = GENERATE(1, 3, 64);
  ClosedLoop t(closed(window));
  t.workload->start();
  for (int i = 0; i < 500; ++i) {
    t.run_until(i * 777_ns);
    REQUIRE(t.under_way.now.size() == kClients * kThreads);
    for (const auto& [session, operations] : t.under_way.now) REQUIRE(operations == window);
    REQUIRE(t.workload->running() == kClients * kThreads * window);
  }
  for (const auto& [session, operations] : t.under_way.most) CHECK(operations == window);
  CHECK(t.store.asked.size() > kClients * kThreads * window * 20);
}

TEST_CASE("In closed loop throughput times latency is what is under way") {
  const std::uint64_t window = GENERATE(1, 7);
  ClosedLoop t(closed(window));
  t.run(100_us);
  t.metrics.open_window(t.calendar.now());
  t.run_until(1100_us);
  t.metrics.close_window(t.calendar.now());
  // Little's law over 1 ms. What was under way at its ends counts wholly or not: 14 us at most for each.
  const auto& latency = std::get<sim::Histogram>(t.metrics.find("latency")->value);
  const double under_way = static_cast<double>(kClients * kThreads * window);
  const double per_us = static_cast<double>(t.store.measured_operations()) / 1000;
  CHECK(latency.max() > 2 * latency.min());
  CHECK(std::abs(per_us * latency.mean().ns() / 1000 - under_way) < under_way * 14 / 1000);
}

TEST_CASE("Where all answers take the same, a closed loop has a window's worth in each such time") {
  ClosedLoop t(closed(4));
  t.store.distort = nullptr;
  t.run(102_us);
  CHECK(t.store.asked.size() == kClients * kThreads * 4 * 21);  // at 0, 5, ..., 100 us
}

TEST_CASE("A closed loop draws keys and writes as the open one, and has no rate") {
  auto options = closed(2);
  ClosedLoop t(options), other_seed(options, 2);
  options.rate = 17;
  ClosedLoop again(options);
  for (ClosedLoop* loop : {&t, &other_seed, &again}) loop->run(2_ms);
  CHECK(told(t.store) == told(again.store));
  CHECK(told(t.store) != told(other_seed.store));
  const double n = count_of(t.store.asked.size());
  REQUIRE(n > 3000);
  const double writes = count_of(static_cast<std::size_t>(
      std::count_if(t.store.asked.begin(), t.store.asked.end(), [](const auto& asked) { return asked.write; })));
  CHECK(std::abs(writes - n * 0.3) < 4 * std::sqrt(n * 0.3 * 0.7));
  double total = 0;
  for (int rank = 1; rank <= 1000; ++rank) total += std::pow(rank, -0.99);
  const auto keys = t.keys();
  const double hottest = count_of(static_cast<std::size_t>(std::count(keys.begin(), keys.end(), 0)));
  CHECK(std::abs(hottest - n / total) < 4 * std::sqrt(n / total));
}

TEST_CASE("An operation that is given up makes room in the window as one that is answered") {
  ClosedLoop t(closed(3));
  t.store.distort = [](const FakeStore::Asked& asked, Answer& answer) { answer.given = asked.operation % 3 == 0; };
  t.run(1_ms);
  CHECK(t.event_log.count(Observed::operation_given_up) > 1000);
  for (const auto& [session, operations] : t.under_way.now) CHECK(operations == 3);
  for (const auto& [session, operations] : t.under_way.most) CHECK(operations == 3);
}

TEST_CASE("After a stop no window is filled again, and what is under way ends") {
  ClosedLoop t(closed(6));
  t.run(1_ms);
  const auto begun = t.store.asked.size();
  t.workload->stop();
  CHECK(t.workload->running() == kClients * kThreads * 6);
  t.calendar.run_until();
  CHECK(t.workload->running() == 0);
  CHECK(t.store.pending_operations() == 0);
  CHECK(t.store.asked.size() == begun);
  CHECK(t.calendar.now() <= at(1_ms + 14_us));
}

TEST_CASE("A notice may stop a closed loop") {
  ClosedLoop t(closed(6));
  std::size_t begun = 0;
  t.workload->notify_after(100, [&] {
    t.workload->stop();
    begun = t.store.asked.size();
  });
  t.workload->start();
  t.calendar.run_until();
  // The place in which the last of the hundred ended is not filled again.
  CHECK(begun == 100 - 1 + kClients * kThreads * 6);
  CHECK(t.store.asked.size() == begun);
  CHECK(t.workload->running() == 0);
}

TEST_CASE("A client that crashes leaves its windows empty, and comes back with full ones, unless all has stopped") {
  ClosedLoop t(closed(4));
  t.run(1_ms);
  t.rack.crash(2);
  CHECK(t.workload->running() == (kClients - 1) * kThreads * 4);
  const auto before = t.asked_by(2), others = t.asked_by(1);
  t.run_until(2_ms);
  CHECK(t.asked_by(2) == before);
  CHECK(t.asked_by(1) > others + 500);
  t.rack.restart(2);
  CHECK(t.asked_by(2) == before + kThreads * 4);
  CHECK(t.workload->running() == kClients * kThreads * 4);
  t.run_until(3_ms);
  CHECK(t.asked_by(2) > before + 500);
  CHECK(t.workload->running() == kClients * kThreads * 4);
  t.stop_while_down(2);
  CHECK(t.workload->running() == 0);
}

TEST_CASE("How many keys will be written is what so many draws of their popularity show of them") {
  auto options = closed(1);
  // Each rank is missed by all draws with a probability of its own.
  const auto expected = [&](double operations) {
    double all = 0, distinct = 0;
    for (std::uint64_t rank = 1; rank <= options.keys; ++rank)
      all += std::pow(static_cast<double>(rank), -options.zipf);
    for (std::uint64_t rank = 1; rank <= options.keys; ++rank) {
      const double share = std::pow(static_cast<double>(rank), -options.zipf) / all;
      distinct += 1 - std::pow(1 - share, operations * options.write_ratio);
    }
    return Approx(distinct).epsilon(0.03);
  };
  for (const std::uint64_t operations : {300u, 3000u}) {
    const Footprint footprint = options.footprint({5, 0, {}, operations});
    CHECK(static_cast<double>(footprint.objects) == expected(static_cast<double>(operations)));
    CHECK(footprint.operations == operations);
    CHECK(footprint.reachable == options.keys);
  }
  // A thread begins 10 in a microsecond at most.
  const std::uint64_t begun = 300 + 5 * options.threads * 10;
  CHECK(options.footprint({5, 0, 1_us, 300}).operations == begun);
  CHECK(static_cast<double>(options.footprint({5, 0, 1_us, 300}).objects) == expected(static_cast<double>(begun)));
  options.threads = 10;
  CHECK(options.footprint({9, 0, 1_ms, 0}).operations == 900'000);
  options = closed(1);
  options.loop = KeyValueOptions::Loop::open;  // a million a second
  CHECK(options.footprint({5, 0, 1_us, 300}).operations == 301);
}

}  // namespace workloads_closed_loop_test
