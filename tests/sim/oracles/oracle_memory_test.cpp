// What oracles keep in a long run: of each word that was touched a bounded number of bytes, however often it was.
#include <malloc.h>

#include <catch2/catch.hpp>
#include <functional>
#include <vector>

#include "sim/oracles/values_at_rest_oracle.hpp"
#include "tests/sim/oracles/stories.hpp"

namespace oracle_memory_test {

using namespace racksim::sim;

namespace {

/// Bytes that are allocated; 0 where nobody counts them, as under sanitizers.
std::size_t allocated() {
  const auto counted = mallinfo2();
  return counted.uordblks + counted.hblkhd;
}

/// Accesses of some words by eight sessions in turn, every other one a write that is performed after it returned.
class Run {
 public:
  explicit Run(std::uint64_t words) : words_(words) { event_log_.attach(oracle); }

  void go_on(std::uint64_t operations) {
    for (; operations > 0; --operations) {
      const std::uint64_t number = ++operation_;
      const Source session{static_cast<std::uint32_t>(number % 8)};
      const OperationId operation{number};
      const Key key{number / 2 * 0x9e3779b9 % words_ * 8};
      const bool write = number % 2 == 0;
      const auto kind = write ? OperationKind::write : OperationKind::read;
      record_begun(event_log_, session, now(), operation, kind, key, Value{write ? number : 0});
      record_ended(event_log_, session, now(), operation, kind, key, write ? Value{number} : current_[key / 8]);
      if (!write) continue;
      record_performed(event_log_, session, now(), operation, key, Value{number});
      current_[key / 8] = Value{number};
    }
  }

  NamedEventLog event_log_;
  MemoryModelOracle oracle{MemoryModel::pso, event_log_};

 private:
  Time now() { return Time::from_ps(++instant_); }

  std::uint64_t words_, operation_ = 0;
  std::int64_t instant_ = 0;
  std::vector<Value> current_ = std::vector<Value>(words_);
};

}  // namespace

TEST_CASE("The oracle of a memory model keeps as much of ten times the operations") {
  Run run(1'000);
  run.go_on(100'000);
  const std::size_t before = allocated();
  run.go_on(900'000);
  CHECK(run.oracle.violations().empty());
  CHECK(allocated() <= before + before / 10);
}

TEST_CASE("Of a touched word the oracle of a memory model keeps at most 64 bytes") {
  // Just more than a table of half the size holds: the most slack that there is.
  constexpr std::uint64_t kWords = 3 * (1 << 15) + 1;
  Run run(kWords);
  const std::size_t before = allocated();
  run.go_on(2 * kWords);
  CHECK(run.oracle.violations().empty());
  CHECK(allocated() - before <= 64 * kWords + 10'000);
}

TEST_CASE("Of a home or copy that it is shown the oracle of values at rest keeps at most 48 bytes") {
  struct Nothing final : LastValues {
    bool may_hold(Key, Value) const override { return true; }
    std::vector<Value> possible_values(Key) const override { return {}; }
    void visit_keys(const std::function<void(Key)>&) const override {}
  } nothing;
  constexpr std::uint64_t kWords = (1 << 16) + 1;
  ValuesAtRestOracle oracle(nothing);
  const std::size_t before = allocated();
  for (std::uint64_t word = 0; word < kWords; ++word) oracle.home(Key{word}, Value{word});
  CHECK(allocated() - before <= 48 * kWords + 10'000);
}

}  // namespace oracle_memory_test
