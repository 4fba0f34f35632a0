// A fake memory on a rack, with all that the event log is told of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/record/history.hpp"
#include "tests/models/service/fake_memory.hpp"

namespace racksim::models::test {

struct Watched : TestRack, sim::Observer {
  explicit Watched(const MemoryShape& shape) : memory(rack, shape) { event_log.attach(*this); }
  Watched(const MemoryShape& shape, Buffers kind) : memory(rack, shape, kind) { event_log.attach(*this); }
  explicit Watched(std::uint64_t object_bytes = 0) : Watched(FakeMemory::shape_of(object_bytes)) {}
  void observe(const sim::Observation& observation) override { record.push_back(observation); }

  template <class T>
  sim::Task<void> keep(sim::Task<T> task, T& into) {
    into = co_await task;
  }
  /// What it returns, after running until nothing is left to do.
  template <class T>
  T run(sim::Task<T> task) {
    T result{};
    scope.spawn(keep(std::move(task), result));
    calendar.run_until();
    return result;
  }
  void run(sim::Task<void> task) {
    scope.spawn(std::move(task));
    calendar.run_until();
  }
  std::vector<sim::Observation> all(sim::Observed what) const {
    std::vector<sim::Observation> found;
    for (const auto& o : record) {
      if (o.what == what) found.push_back(o);
    }
    return found;
  }
  /// Those about operations of this kind.
  std::vector<sim::Observation> all(sim::Observed what, sim::OperationKind kind) const {
    std::vector<sim::Observation> found;
    for (const auto& o : all(what)) {
      if (sim::OperationView::of(o).kind == kind) found.push_back(o);
    }
    return found;
  }
  std::vector<std::byte> loaded(GlobalAddress address, std::size_t bytes) {
    std::vector<std::byte> into(bytes);
    run(memory.load({1, 1}, address, into));
    return into;
  }
  void store(GlobalAddress address, const std::vector<std::byte>& bytes) { run(memory.store({0, 0}, address, bytes)); }

  std::vector<sim::Observation> record;
  FakeMemory memory;
  sim::Scope scope{calendar};
};

inline constexpr Session kFirst{0, 0}, kSecond{1, 1};

}  // namespace racksim::models::test
