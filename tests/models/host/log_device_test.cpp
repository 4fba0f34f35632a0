#include "models/host/log_device.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/random/random.hpp"

namespace log_device_test {

using namespace racksim;
using namespace racksim::sim::literals;

namespace {

// A byte takes a nanosecond.
models::LogOptions options(sim::Duration sync = 100_ns) {
  models::LogOptions options;
  options.sync = sync;
  options.bandwidth = 8'000'000'000;
  return options;
}

/// An entry that somebody appends, and asks for or not.
struct Append {
  std::int64_t at_ns = 0;  // and half a nanosecond, so that nothing falls on the end of a sync
  std::uint64_t bytes = 0;
  bool forced = true;
};

struct Run {
  explicit Run(std::vector<Append> given, sim::Duration sync = 100_ns)
      : appends(std::move(given)), log(calendar, "log", options(sync)), durable_at(appends.size(), -1) {
    const sim::Lane lane = calendar.add_lane("test");
    for (std::uint64_t i = 0; i < appends.size(); ++i) {
      calendar.at<&Run::append>(sim::Time{} + 1_ns * appends[i].at_ns + 500_ps, lane, *this, i);
    }
    calendar.run_until();
  }
  void append(std::uint64_t i) {
    const models::LogDevice::Entry entry = log.append(appends[i].bytes);
    if (appends[i].forced) tasks.spawn(wait(i, entry));
  }
  sim::Task<void> wait(std::uint64_t i, models::LogDevice::Entry entry) {
    co_await log.durable(entry);
    durable_at[i] = (calendar.now() - sim::Time{} - 500_ps) / 1_ns;
  }

  sim::Calendar calendar;
  std::vector<Append> appends;
  models::LogDevice log;
  std::vector<std::int64_t> durable_at;  // in nanoseconds and a half; -1: nobody asked
  sim::Scope tasks{calendar};
};

/// The same one nanosecond after the other: a disk that looks each time whether its sync is over and whether it should
/// begin another one.
struct Stepped {
  Stepped(const std::vector<Append>& appends, std::int64_t sync) : durable_at(appends.size(), -1) {
    std::vector<std::size_t> waiting, under_way;
    std::int64_t ends_at = -1;
    for (std::int64_t now = 0; now < 1'000'000; ++now) {
      if (now == ends_at) {
        ++syncs;
        for (const std::size_t i : under_way) {
          if (appends[i].forced) durable_at[i] = now;
        }
        under_way.clear();
        ends_at = -1;
      }
      for (int order = 0; order < 2; ++order) {
        const auto begin = [&] {
          const bool wanted =
              std::any_of(waiting.begin(), waiting.end(), [&](std::size_t i) { return appends[i].forced; });
          if (ends_at >= 0 || !wanted) return;
          std::int64_t bytes = 0;
          for (const std::size_t i : waiting) bytes += static_cast<std::int64_t>(appends[i].bytes);
          under_way.swap(waiting);
          waiting.clear();
          ends_at = now + sync + bytes;
        };
        // First what has waited for the sync that has just ended, then what comes now, entry by entry.
        if (order == 0) begin();
        for (std::size_t i = 0; order == 1 && i < appends.size(); ++i) {
          if (appends[i].at_ns != now) continue;
          waiting.push_back(i);
          begin();
        }
      }
    }
  }
  std::vector<std::int64_t> durable_at;
  std::uint64_t syncs = 0;
};

}  // namespace

TEST_CASE("An entry is durable when a sync that began after it has ended, which takes a time and that of its bytes") {
  const Run run({{.at_ns = 0, .bytes = 50}});
  CHECK(run.durable_at == std::vector<std::int64_t>{150});
  CHECK(run.log.syncs() == 1);
  CHECK(run.log.bytes_durable() == 50);
  CHECK(run.log.idle());
}

TEST_CASE("One sync covers all that was appended before it began, and the next begins as it ends") {
  // The first one's sync is until 110; the next three go together until 110 + 100 + 60.
  const Run run({{0, 10}, {1, 20}, {50, 20}, {109, 20}, {111, 5}});
  CHECK(run.durable_at == std::vector<std::int64_t>{110, 270, 270, 270, 375});
  CHECK(run.log.syncs() == 3);
  CHECK(run.log.entries_durable() == 5);
}

TEST_CASE("What nobody asks for goes with the next sync, and begins none") {
  const Run run({{0, 10, false}, {300, 10}, {301, 30, false}, {1000, 10, false}});
  CHECK(run.durable_at == std::vector<std::int64_t>{-1, 420, -1, -1});
  CHECK(run.log.syncs() == 1);
  CHECK(run.log.appended() == 4);
  CHECK(run.log.entries_durable() == 2);
  CHECK_FALSE(run.log.is_durable(3));
}

TEST_CASE("Random logs are as a disk has them that is watched nanosecond by nanosecond") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    sim::RandomStream random(seed, "log");
    std::vector<Append> appends;
    std::int64_t at = 0;
    for (int i = 0; i < 300; ++i) {
      at += static_cast<std::int64_t>(random.below(random.chance(0.2) ? 400 : 20));
      appends.push_back({at, random.below(50), random.chance(0.7)});
    }
    const std::int64_t sync = seed % 2 == 0 ? 100 : 7;
    const Run run(appends, 1_ns * sync);
    const Stepped expected(appends, sync);
    CHECK(run.durable_at == expected.durable_at);
    CHECK(run.log.syncs() == expected.syncs);
    CHECK(expected.syncs > 10);
    CHECK(expected.syncs < 200);
  }
}

TEST_CASE("An entry that was not appended cannot be asked for") {
  sim::Calendar calendar;
  models::LogDevice log(calendar, "log", options());
  CHECK_THROWS_AS(log.force(0), std::logic_error);
  log.append(1);
  log.force(1);
  CHECK_THROWS_AS(log.force(2), std::logic_error);
}

TEST_CASE("Bytes at 500 MB/s take two nanoseconds each, rounded up to whole picoseconds") {
  models::LogOptions given;
  CHECK(given.sync == 100_us);
  CHECK(given.time_for(500) == 1_us);
  given.bandwidth = 3'000'000'000'000;
  CHECK(given.time_for(1) == 3_ps);
}

}  // namespace log_device_test
