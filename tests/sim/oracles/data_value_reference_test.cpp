// The data-value oracle against two slower judges: exhaustive search over all orders for tiny histories, and the
// definition by zones over the whole history, without forgetting, for long ones. Both judge after every single event:
// the oracle must speak at the very event that makes the history impossible.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/oracles/data_value_oracle.hpp"
#include "sim/random/random.hpp"

namespace data_value_reference_test {

using namespace racksim::sim;

namespace {

constexpr std::size_t kOpenEnd = ~std::size_t{0};

struct Operation {
  bool is_write = false;
  std::uint64_t value = 0;
  std::size_t begun = 0;
  std::size_t ended = kOpenEnd;  // place of the end among all events
};
using History = std::vector<Operation>;

/// Whether some order of the operations, taken one by one, explains all results. Every ended operation must take effect
/// between its beginning and its end; a pending write may or may not.
bool explainable(const History& history, unsigned done, std::uint64_t content) {
  bool complete = true;
  auto first_end = kOpenEnd;
  for (std::size_t i = 0; i < history.size(); ++i) {
    if ((done >> i & 1) != 0 || history[i].ended == kOpenEnd) continue;
    complete = false;
    first_end = std::min(first_end, history[i].ended);
  }
  if (complete) return true;
  for (std::size_t i = 0; i < history.size(); ++i) {
    const auto& operation = history[i];
    // Whatever is taken next must not begin after the end of another that is left.
    if ((done >> i & 1) != 0 || operation.begun > first_end) continue;
    if (operation.is_write) {
      if (explainable(history, done | 1U << i, operation.value)) return true;
    } else if (operation.ended != kOpenEnd && operation.value == content) {
      if (explainable(history, done | 1U << i, content)) return true;
    }
  }
  return false;
}

/// Gibbons and Korach's conditions over the whole history.
bool has_proper_zones(const History& history) {
  struct Zone {
    bool written = false;
    std::size_t write_begun = 0, first_end = kOpenEnd, last_begin = 0;
  };
  std::vector<std::uint64_t> values{0};
  std::vector<Zone> zones{{true, 0, 0, 0}};
  const auto zone_of = [&](std::uint64_t value) -> Zone& {
    const auto found = std::find(values.begin(), values.end(), value);
    if (found != values.end()) return zones[static_cast<std::size_t>(found - values.begin())];
    values.push_back(value);
    return zones.emplace_back();
  };
  for (const auto& operation : history) {
    if (!operation.is_write && operation.ended == kOpenEnd) continue;
    auto& zone = zone_of(operation.value);
    if (operation.is_write) {
      zone.written = true;
      zone.write_begun = operation.begun;
    }
    zone.first_end = std::min(zone.first_end, operation.ended);
    zone.last_begin = std::max(zone.last_begin, operation.begun);
  }
  for (const auto& a : zones) {
    if (!a.written || a.first_end < a.write_begun) return false;
    if (a.first_end == kOpenEnd || a.first_end >= a.last_begin) continue;
    for (const auto& b : zones) {  // `a` is a forward zone
      if (&a == &b || b.first_end == kOpenEnd) continue;
      const bool forward = b.first_end < b.last_begin;
      const auto low = forward ? b.first_end : b.last_begin;
      const auto high = forward ? b.last_begin : b.first_end;
      if (forward ? low < a.last_begin && a.first_end < high : a.first_end < low && high < a.last_begin) return false;
    }
  }
  return true;
}

/// A random history, played into an oracle event by event. A register stands behind it; with probability `lie` a read
/// returns something else, among the values that are written at some time.
class Play {
 public:
  struct Shape {
    std::size_t operations, sessions, writes;
    double lie, crash;
    std::uint64_t initial;
  };

  Play(RandomStream& random, const Shape& shape) : random_(random), shape_(shape), content_(shape.initial) {
    for (std::size_t i = 0; i < shape.sessions; ++i) {
      sessions_.push_back(event_log_.add_source("session" + std::to_string(i)));
      current_.push_back(kOpenEnd);
      crashed_.push_back(false);
    }
    oracle_.initial_value(Key{kKey}, Value{shape.initial});
    event_log_.attach(oracle_);
  }

  /// Makes one event; false when there is none left.
  bool step() {
    for (int attempts = 0; attempts < 100; ++attempts) {
      const auto session = random_.below(shape_.sessions);
      if (crashed_[session]) continue;
      if (current_[session] == kOpenEnd) {
        if (history_.size() == shape_.operations) continue;
        begin(session);
        return true;
      }
      auto& operation = history_[current_[session]];
      // The moment at which the register is touched lies anywhere between beginning and end.
      if (!taken_[current_[session]]) {
        touch(current_[session]);
        if (random_.chance(0.3)) continue;
      }
      if (random_.chance(shape_.crash)) {
        crashed_[session] = true;
        continue;
      }
      if (!operation.is_write) operation.value = answers_[current_[session]];
      operation.ended = events_++;
      record_ended(event_log_, sessions_[session], Time() + 1_ns * static_cast<std::int64_t>(events_),
                   OperationId{current_[session] + 1}, operation.is_write ? OperationKind::write : OperationKind::read,
                   Key{kKey}, Value{operation.value});
      current_[session] = kOpenEnd;
      return true;
    }
    return false;
  }

  const History& history() const { return history_; }
  const DataValueOracle& oracle() const { return oracle_; }

 private:
  static constexpr std::uint64_t kKey = 3;

  void begin(std::size_t session) {
    Operation operation;
    operation.is_write = written_ < shape_.writes && random_.chance(0.5);
    if (operation.is_write) operation.value = 100 + ++written_;
    operation.begun = events_++;
    current_[session] = history_.size();
    history_.push_back(operation);
    answers_.push_back(0);
    taken_.push_back(false);
    record_begun(event_log_, sessions_[session], Time() + 1_ns * static_cast<std::int64_t>(events_),
                 OperationId{history_.size()}, operation.is_write ? OperationKind::write : OperationKind::read,
                 Key{kKey}, Value{operation.value});
    if (random_.chance(0.5)) touch(current_[session]);
  }

  void touch(std::size_t index) {
    taken_[index] = true;
    if (history_[index].is_write) content_ = history_[index].value;
    answers_[index] = content_;
    if (random_.chance(shape_.lie)) {
      // Mostly a recent value, which is the harder case; sometimes one to come.
      const auto back = random_.below(4);
      answers_[index] = written_ + 1 > back + 1 ? 100 + written_ - back + random_.below(2) : shape_.initial;
    }
  }

  RandomStream& random_;
  Shape shape_;
  EventLog event_log_;
  DataValueOracle oracle_{event_log_};
  std::vector<Source> sessions_;
  std::vector<std::size_t> current_;
  std::vector<bool> crashed_;
  History history_;
  std::vector<std::uint64_t> answers_;
  std::vector<bool> taken_;
  std::uint64_t content_;
  std::uint64_t written_ = 0;
  std::size_t events_ = 1;
};

}  // namespace

TEST_CASE("exhaustive search itself tells known good from known bad") {
  CHECK(explainable({{true, 5, 1, 2}, {false, 5, 3, 4}}, 0, 0));
  CHECK_FALSE(explainable({{true, 5, 1, 2}, {false, 0, 3, 4}}, 0, 0));
  CHECK(explainable({{true, 5, 1, kOpenEnd}, {false, 0, 3, 4}}, 0, 0));
  CHECK_FALSE(explainable({{true, 5, 1, kOpenEnd}, {false, 5, 2, 3}, {false, 0, 4, 5}}, 0, 0));
  CHECK_FALSE(explainable({{false, 5, 1, 2}, {true, 5, 3, 4}}, 0, 0));
}

TEST_CASE("the oracle and exhaustive search agree on every prefix of 240,000 tiny histories") {
  RandomStream random(11, "tiny");
  int good = 0, bad = 0;
  for (int i = 0; i < 240'000; ++i) {
    Play::Shape shape;
    shape.operations = 3 + random.below(4);
    shape.sessions = 2 + random.below(4);
    shape.writes = 1 + random.below(3);
    shape.lie = i % 2 == 0 ? 0.7 : 0.15;
    shape.crash = i % 3 == 0 ? 0.2 : 0;
    shape.initial = i % 5 == 0 ? 9 : 0;
    Play play(random, shape);
    bool expected = true;
    while (expected && play.step()) {
      expected = explainable(play.history(), 0, shape.initial);
      if (expected != (play.oracle().violation_count() == 0)) {
        INFO("history " << i);
        REQUIRE(expected == (play.oracle().violation_count() == 0));
      }
    }
    ++(expected ? good : bad);
  }
  // Neither verdict is rare, or the agreement would mean little.
  CHECK(good > 60'000);
  CHECK(bad > 60'000);
}

TEST_CASE("forgetting loses nothing: the oracle and the zones of the whole history agree on long histories") {
  RandomStream random(12, "long");
  int good = 0, bad = 0;
  for (int i = 0; i < 600; ++i) {
    Play::Shape shape;
    shape.operations = 60 + random.below(100);
    shape.sessions = 2 + random.below(9);
    shape.writes = shape.operations;
    shape.lie = i % 2 == 0 ? 0 : 0.02;
    shape.crash = i % 3 == 0 ? 0.01 : 0;
    shape.initial = 0;
    Play play(random, shape);
    bool expected = true;
    while (expected && play.step()) {
      expected = has_proper_zones(play.history());
      REQUIRE(expected == (play.oracle().violation_count() == 0));
    }
    ++(expected ? good : bad);
  }
  CHECK(good > 200);
  CHECK(bad > 100);
}

}  // namespace data_value_reference_test
