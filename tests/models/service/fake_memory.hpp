// A memory in no place: one memory behind a store buffer for each session, with delays as a test says.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

#include "models/service/memory_service.hpp"
#include "models/service/protocol.hpp"
#include "sim/kernel/waiting.hpp"
#include "tests/models/rack_fixture.hpp"

namespace racksim::models::test {

enum class FakeBuffers : std::uint8_t {
  none,      ///< writes are performed before they return
  in_order,  ///< total store order
  by_object  ///< partial store order: writes to different objects may change places
};

class FakeMemory final : public MemoryService {
 public:
  static constexpr std::uint64_t kBlock = 64;

  FakeMemory(Rack& on, unsigned threads, FakeBuffers kind, OperationSet offers = kAtomics)
      : MemoryService(on.calendar(), on.journal(), on.metrics(),
                      {.nodes = static_cast<unsigned>(on.nodes()),
                       .roles = Roles::both(static_cast<unsigned>(on.nodes())),
                       .threads_per_node = threads,
                       .block_bytes = kBlock,
                       .offers = offers,
                       .writes_return_early = kind != FakeBuffers::none}),
        rack(on),
        buffers_(kind),
        lane_(on.calendar().add_lane("fake memory")),
        performed_(on.calendar()) {}

  using MemoryService::sessions_died;
  void warm_access(Session, GlobalAddress, bool) override {}

  Rack& rack;
  sim::Duration delay;  ///< of a read or a write that is not buffered; 0 answers at once
  /// How long a write stays in the buffer; in order, no shorter than the one before.
  std::function<sim::Duration()> buffered = [] { return sim::Duration{}; };
  /// Given what a read is about to return, for a test to change.
  std::function<void(Session, std::uint64_t object, std::uint64_t& value)> distort;
  std::vector<std::uint64_t> asked;  ///< the sessions of all operations, in their order
  std::vector<sim::Time> asked_at;

 private:
  struct Store {
    Session session;
    std::uint64_t object, value, operation;
    sim::Time due;
  };

  sim::Task<void> take(Session session) {
    asked.push_back(index_of(session));
    asked_at.push_back(rack.calendar().now());
    if (delay > sim::Duration{}) co_await sim::sleep_for(rack.server(session.node).clock(), delay);
  }
  bool holds(Session session, const std::uint64_t* object) const {
    return std::any_of(stores_.begin(), stores_.end(), [&](const Store& store) {
      return index_of(store.session) == index_of(session) && (object == nullptr || store.object == *object);
    });
  }

  sim::Task<std::uint64_t> do_read(Session session, std::uint64_t object, std::uint64_t) override {
    co_await take(session);
    std::uint64_t value = memory_[object];
    for (const Store& store : stores_) {
      if (index_of(store.session) == index_of(session) && store.object == object) value = store.value;
    }
    if (distort) distort(session, object, value);
    co_return value;
  }
  sim::Task<void> do_write(Session session, std::uint64_t object, std::uint64_t value,
                           std::uint64_t operation) override {
    co_await take(session);
    if (buffers_ == FakeBuffers::none) {
      memory_[object] = value;
      co_return;
    }
    sim::Time due = rack.calendar().now() + buffered();
    for (const Store& store : stores_) {
      const bool ordered = buffers_ == FakeBuffers::in_order || store.object == object;
      if (index_of(store.session) == index_of(session) && ordered) due = std::max(due, store.due);
    }
    stores_.push_back({session, object, value, operation, due});
    rack.calendar().at<&FakeMemory::drain>(due, lane_, *this);
  }
  // An atomic operation acts at one instant, when nothing of its session is left in the buffer.
  sim::Task<std::uint64_t> do_compare_and_swap(Session session, std::uint64_t object, std::uint64_t expected,
                                               std::uint64_t desired, std::uint64_t operation) override {
    co_await drained(session);
    co_await take(session);
    const std::uint64_t before = memory_[object];
    if (before == expected) perform({session, object, desired, operation, {}});
    co_return before;
  }
  sim::Task<std::uint64_t> do_fetch_and_add(Session session, std::uint64_t object, std::uint64_t operand,
                                            std::uint64_t operation) override {
    co_await drained(session);
    co_await take(session);
    const std::uint64_t before = memory_[object];
    perform({session, object, before + operand, operation, {}});
    co_return before;
  }
  sim::Task<void> do_fence(Session session, std::uint64_t) override { co_await drained(session); }

  sim::Task<void> drained(Session session) {
    while (holds(session, nullptr)) co_await performed_.wait();
  }
  void perform(const Store& store) {
    memory_[store.object] = store.value;
    performed(store.operation, store.object, store.value);
  }
  void drain() {
    for (std::size_t i = 0; i < stores_.size();) {
      if (stores_[i].due > rack.calendar().now()) {
        ++i;
        continue;
      }
      perform(stores_[i]);
      stores_.erase(stores_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    performed_.notify_all();
  }

  FakeBuffers buffers_;
  sim::Lane lane_;
  sim::Signal performed_;
  std::vector<Store> stores_;  // in the order of their writes
  std::map<std::uint64_t, std::uint64_t> memory_;
};

/// A protocol that offers this memory and does nothing else.
class FakeMemoryProtocol final : public Protocol {
 public:
  explicit FakeMemoryProtocol(FakeMemory& memory) : memory_(memory) {}
  Service& service() override { return memory_; }
  void show_state(sim::StateVisitor&) const override {}
  void start_measuring() override {}
  void stop_measuring() override {}
  bool quiescent() const override { return true; }
  std::vector<Leak> leaks() const override { return {}; }
  void record_final_state() override {}
  void node_crashed(NodeId node) override { memory_.sessions_died(node); }

 private:
  FakeMemory& memory_;
};

}  // namespace racksim::models::test
