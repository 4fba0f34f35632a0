// Writes that a crash undoes are undone for the oracles, exactly these and from that instant on.
#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/oracles/data_value_oracle.hpp"
#include "sim/oracles/memory_model_oracle.hpp"
#include "sim/random/random.hpp"

namespace lost_writes_test {

using namespace racksim::sim;

namespace {

constexpr auto kRead = OperationKind::read;
constexpr auto kWrite = OperationKind::write;
constexpr std::uint64_t kKey = 1;

/// Both oracles before one event log. Writes are performed as they return.
struct Watched {
  EventLog event_log;
  std::vector<Source> sessions;
  DataValueOracle data_value{event_log};
  MemoryModelOracle sc{MemoryModel::sc, event_log};
  Time now;
  std::uint64_t last = 0;

  explicit Watched(bool expects_losses = true) {
    for (int i = 0; i < 4; ++i) sessions.push_back(event_log.add_source("session" + std::to_string(i)));
    if (expects_losses) {
      data_value.expect_losses();
      sc.expect_losses();
    }
    event_log.attach(data_value);
    event_log.attach(sc);
  }

  Time tick() { return now += 1_ns; }
  std::uint64_t begin(OperationKind kind, std::uint64_t value = 0) {
    ++last;
    record_begun(event_log, sessions[last % 4], tick(), OperationId{last}, kind, Key{kKey}, Value{value});
    return last;
  }
  void end_read(std::uint64_t operation, std::uint64_t value) {
    record_ended(event_log, sessions[operation % 4], tick(), OperationId{operation}, kRead, Key{kKey}, Value{value});
  }
  void perform(std::uint64_t operation, std::uint64_t value) {
    record_performed(event_log, sessions[operation % 4], tick(), OperationId{operation}, Key{kKey}, Value{value});
  }
  void end_write(std::uint64_t operation, std::uint64_t value) {
    perform(operation, value);
    record_ended(event_log, sessions[operation % 4], tick(), OperationId{operation}, kWrite, Key{kKey}, Value{value});
  }
  void write(std::uint64_t value) { end_write(begin(kWrite, value), value); }
  void read(std::uint64_t value) { end_read(begin(kRead), value); }
  void lose(std::uint64_t value) {
    record_lost_write(event_log, sessions[0], tick(), {Key{kKey}, Value{value}, Loss::holder});
  }

  bool passes() const { return data_value.violation_count() == 0 && sc.violation_count() == 0; }
  bool both_fail() const { return data_value.violation_count() > 0 && sc.violation_count() > 0; }
};

}  // namespace

TEST_CASE("what was there before the run may be lost too, and then nobody had written") {
  const std::uint64_t read = GENERATE(5, 0, 9);
  Watched watched;
  watched.data_value.initial_value(Key{kKey}, Value{5});
  watched.lose(5);
  watched.end_read(watched.begin(kRead), read);
  CHECK((watched.data_value.violation_count() == 0) == (read == 0));
}

TEST_CASE("a later loss brings back what was there before the run, not what had been before that") {
  const std::uint64_t read = GENERATE(5, 0, 10);
  Watched watched;
  watched.data_value.initial_value(Key{kKey}, Value{5});
  watched.write(10);
  watched.lose(10);
  watched.end_read(watched.begin(kRead), read);
  CHECK((watched.data_value.violation_count() == 0) == (read == 5));
}

TEST_CASE("after a loss the write before it is current again, and the lost one is not") {
  const std::uint64_t read = GENERATE(10, 11, 0);
  Watched w;
  w.write(10);
  w.write(11);
  w.read(11);
  w.lose(11);
  w.read(read);
  CHECK(w.passes() == (read == 10));
  CHECK(w.both_fail() == (read != 10));
}

TEST_CASE("of several lost writes the newest that is left is current") {
  Watched w;
  for (std::uint64_t value = 10; value < 15; ++value) w.write(value);
  w.lose(14);
  w.lose(12);
  w.lose(13);
  w.read(11);
  CHECK(w.passes());
  w.write(20);
  w.read(20);
  w.lose(20);
  w.lose(11);
  w.lose(10);
  w.read(0);
  CHECK(w.passes());
}

TEST_CASE("a loss that is not declared is a violation") {
  Watched w;
  w.write(10);
  w.write(11);
  w.write(12);
  w.lose(12);
  w.read(10);
  CHECK(w.both_fail());
}

TEST_CASE("a read that was under way at the crash may return either value") {
  const std::uint64_t value = GENERATE(10, 11);
  Watched w;
  w.write(10);
  w.write(11);
  const auto read = w.begin(kRead);
  w.lose(11);
  w.end_read(read, value);
  CHECK(w.passes());
  w.read(10);
  CHECK(w.passes());
}

TEST_CASE("a lost write that had not been performed never is") {
  Watched w;
  w.write(10);
  const auto write = w.begin(kWrite, 11);
  record_ended(w.event_log, w.sessions[write % 4], w.tick(), OperationId{write}, kWrite, Key{kKey}, 11);
  w.lose(11);
  w.read(10);
  w.sc.finish(w.now);
  CHECK(w.passes());
}

TEST_CASE("who promises to lose nothing, or loses what nobody wrote, is accused") {
  Watched promises(false);
  promises.write(10);
  promises.lose(10);
  CHECK(promises.both_fail());
  CHECK_THAT(promises.data_value.violations()[0].what, Catch::Contains("promises to lose none"));
  Watched invents;
  invents.write(10);
  invents.lose(9);
  CHECK(invents.both_fail());
}

TEST_CASE("what warm-up left behind is current again after a loss, and is not lost by who promises to lose nothing") {
  const std::uint64_t read = GENERATE(5, 10, 0);
  Watched w;
  w.data_value.initial_value(Key(kKey), 5);
  w.sc.initial_value(Key(kKey), 5);
  w.read(5);
  w.write(10);
  w.lose(10);
  w.read(read);
  CHECK(w.passes() == (read == 5));
  CHECK(w.both_fail() == (read != 5));
  Watched promises(false);
  promises.data_value.initial_value(Key(kKey), 5);
  promises.sc.initial_value(Key(kKey), 5);
  promises.lose(5);
  CHECK(promises.both_fail());
}

// Reads in between do not make it the last write again.
TEST_CASE("what warm-up left behind and a crash undid is not read any more") {
  Watched w;
  w.data_value.initial_value(Key(kKey), 5);
  w.sc.initial_value(Key(kKey), 5);
  w.read(5);
  const auto read = w.begin(kRead);
  w.lose(5);
  w.end_read(read, 5);
  CHECK(w.passes());
  w.read(5);
  CHECK(w.both_fail());
}

TEST_CASE("losses in random histories are judged as by a list of writes") {
  RandomStream random(7, "lost writes");
  unsigned accused = 0;
  for (int run = 0; run < 3000; ++run) {
    Watched w;
    std::vector<std::uint64_t> kept{0};  // the reference: what the object held, oldest first
    bool right = true;
    for (std::uint64_t step = 1; step <= 12 && right; ++step) {
      switch (random.below(4)) {
        case 0:
        case 1:
          w.write(step);
          kept.push_back(step);
          break;
        case 2: {
          if (kept.size() < 2) break;
          const auto lost = kept.begin() + 1 + static_cast<std::ptrdiff_t>(random.below(kept.size() - 1));
          w.lose(*lost);
          kept.erase(lost);
          break;
        }
        default: {
          const std::uint64_t value = random.chance(0.9) ? kept.back() : random.below(step);
          right = value == kept.back();
          w.read(value);
        }
      }
      REQUIRE(w.passes() == right);
      REQUIRE(w.both_fail() == !right);
    }
    accused += right ? 0 : 1;
  }
  CHECK(accused > 100);
}

}  // namespace lost_writes_test
