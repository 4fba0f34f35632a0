// Rows of nodes that answer after a fixed delay, for tests of what takes part in transactions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "models/applications/transactions/two_phase_commit/participant.hpp"
#include "models/applications/transactions/two_phase_commit/row_images.hpp"
#include "sim/kernel/waiting.hpp"
#include "tests/models/rack_fixture.hpp"

namespace racksim::app::two_phase_commit::test {

using namespace sim::literals;

/// Images of 8 bytes, a number each, 0 at first.
struct FakeImages final : RowImages {
  explicit FakeImages(sim::Clock& c) : clock(c) {}
  std::uint32_t bytes(std::uint32_t) const override { return 8; }
  sim::Task<void> load(models::Session by, Row row, std::span<std::byte> into) override {
    const Busy busy(*this, by);
    co_await sim::sleep_for(clock, delay);
    if (refusals > 0) {
      --refusals;
      throw models::Unavailable("no room");
    }
    const std::uint64_t value = values[row];
    std::copy_n(reinterpret_cast<const std::byte*>(&value), 8, into.begin());
  }
  sim::Task<void> store(models::Session by, Row row, std::span<const std::byte> image) override {
    const Busy busy(*this, by);
    co_await sim::sleep_for(clock, delay);
    if (refusals > 0) {
      --refusals;
      throw models::Unavailable("no room");
    }
    ++stores;
    std::copy_n(image.begin(), 8, reinterpret_cast<std::byte*>(&values[row]));
  }
  sim::Task<void> settle(models::Session) override {
    ++settled;
    co_return;
  }
  /// A session has one operation under way.
  struct Busy {
    Busy(FakeImages& i, models::Session by) : images(i), thread(by.thread) {
      if (!images.busy.insert(thread).second) ++images.overlaps;
    }
    ~Busy() { images.busy.erase(thread); }
    FakeImages& images;
    std::uint16_t thread;
  };
  std::set<std::uint16_t> busy;
  int overlaps = 0;
  sim::Clock& clock;
  sim::Duration delay = 200_ns;
  std::map<Row, std::uint64_t> values;
  int refusals = 0, stores = 0, settled = 0;
};

inline std::vector<std::byte> image_of(std::uint64_t value) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  return {bytes, bytes + 8};
}

inline std::uint64_t value_of(std::span<const std::byte> image) {
  std::uint64_t value = 0;
  std::copy_n(image.begin(), 8, reinterpret_cast<std::byte*>(&value));
  return value;
}

inline Request read_request(TransactionId id, Row row, bool first,
                            models::LockMode mode = models::LockMode::exclusive) {
  return {.verb = Verb::read, .transaction = id, .first = first, .mode = mode, .row = row, .rows = {}};
}
inline Request prepare_request(TransactionId id, std::vector<RowImage> rows) {
  return {.verb = Verb::prepare, .transaction = id, .row = {}, .rows = std::move(rows)};
}
inline Request decision(Verb verb, TransactionId id) {
  return {.verb = verb, .transaction = id, .row = {}, .rows = {}};
}

}  // namespace racksim::app::two_phase_commit::test
