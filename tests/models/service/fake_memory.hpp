// A distributed shared memory in one place: values in a map, locks in another, everything after fixed delays. It offers
// all operations, notes what its hooks are asked, and can be broken on purpose.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "models/service/memory_service.hpp"
#include "sim/kernel/waiting.hpp"
#include "tests/models/rack_fixture.hpp"

namespace racksim::models::test {

/// A root task for an operation whose result nobody wants.
template <class T>
sim::Task<void> done(sim::Task<T> operation) {
  co_await operation;
}

/// What is wrong with a memory.
enum class Broken : std::uint8_t {
  nothing,
  early,          ///< a write takes effect when it begins, but is told to be performed at its end
  stale,          ///< a read returns the value before the last one
  lost,           ///< every fourth write has no effect
  two_holders,    ///< a lock is granted whoever holds it
  shared_writer,  ///< so is an exclusive one while others share it
  kept,           ///< an unlock has no effect
  weak_fence,     ///< a fence does not wait for buffered writes
  weak_lock,      ///< neither do locks
};

/// Whether writes wait in a buffer of their session, and in which order they leave it.
enum class Buffers : std::uint8_t {
  none,      ///< writes are performed before they return
  in_order,  ///< total store order
  by_object  ///< partial store order: writes to different objects may change places
};

class FakeMemory final : public MemoryService {
 public:
  using Kind = sim::OperationKind;
  struct Asked {
    Kind kind;
    Session session;
    sim::Key key;      ///< object, or block of a lock
    sim::Value value;  ///< written, expected, or added
    sim::OperationId operation;
    sim::Time at = {};
    MemoryAccess access = {};  ///< of a read or write
  };

  static MemoryShape shape_of(std::uint64_t object_bytes = 0, std::uint64_t block_bytes = 64, unsigned nodes = 4) {
    return {nodes, Roles::both(nodes), 2, block_bytes, object_bytes, kLocks.with(kAtomics).with({Kind::fence})};
  }

  /// `shape` on all nodes of the rack, with this many threads on each.
  static MemoryShape shape_on(const Rack& on, unsigned threads, OperationSet offers) {
    const auto nodes = static_cast<unsigned>(on.nodes());
    return {nodes, Roles::both(nodes), threads, 64, 0, offers};
  }
  static MemoryShape buffered(MemoryShape shape, Buffers kind) {
    shape.writes_return_early = kind != Buffers::none;
    shape.offers = shape.offers.with({sim::OperationKind::fence});
    return shape;
  }

  FakeMemory(Rack& on, const MemoryShape& shape, Buffers kind) : FakeMemory(on, buffered(shape, kind)) {
    by_object = kind == Buffers::by_object;
  }
  FakeMemory(Rack& on, const MemoryShape& shape)
      : MemoryService(on.calendar(), on.event_log(), on.metrics(), shape), rack(on), freed(on.calendar()) {
    for (std::size_t i = 0; i < sessions(); ++i) {
      buffers.push_back(std::make_unique<Buffer>(on.calendar()));
      ports.emplace_back(*this, session_number(i));
    }
  }

  void warm_access(Session session, GlobalAddress address, bool write) override {
    warmed.push_back({write ? Kind::write : Kind::read, session, block_of(address), 0, 0});
    if (warms) MemoryService::warm_access(session, address, write);
  }
  using MemoryService::allocator;
  using MemoryService::sessions_died;
  using MemoryService::unlock_for_dead;

  Rack& rack;
  Broken broken = Broken::nothing;
  sim::Duration delay;   ///< of everything, before it takes effect
  sim::Duration answer;  ///< of accesses, from there to their end
  /// Of writes that return early, until they are performed, no sooner than those that they may not pass.
  std::function<sim::Duration()> buffering = [] { return sim::Duration{}; };
  bool by_object = false;  ///< buffered writes to different objects may change places
  /// Given what a read is about to return, for a test to change.
  std::function<void(Session, sim::Key object, std::uint64_t& value)> distort;
  /// What cannot be had: its request ends with Unavailable.
  std::function<bool(const Asked&)> unavailable;
  bool tells_performed = false;  ///< says itself when it performs writes, not at their end
  bool warms = false;            ///< carries out the accesses of the warm-up
  std::vector<Asked> asked, warmed;
  /// What was asked but for fences.
  std::vector<Asked> accesses() const {
    std::vector<Asked> found;
    for (const Asked& one : asked) {
      if (one.kind != Kind::fence) found.push_back(one);
    }
    return found;
  }
  /// What waits in a session's buffer is never performed.
  void lose_buffers(Session session) {
    buffer(session).drains.cancel_all();
    buffer(session).writes.clear();
  }
  std::vector<std::pair<GlobalAddress, AllocationHint>> reservations;
  std::vector<AllocationHint> hints;  ///< of allocations during the run
  std::map<std::uint64_t, std::uint64_t> values, before;

 private:
  struct Lock {
    std::vector<Session> holders;
    bool shared = false;
  };
  struct Buffered {
    sim::Key object;
    sim::Value value;
    sim::OperationId operation;
    sim::Time due;
  };
  struct Buffer {
    explicit Buffer(sim::Calendar& calendar) : drained(calendar), drains(calendar) {}
    std::deque<Buffered> writes;  // oldest first
    sim::Signal drained;
    sim::Scope drains;
  };

  sim::Clock& clock(Session session) { return rack.server(session.node).clock(); }
  void note(Asked what) {
    what.at = rack.calendar().now();
    asked.push_back(what);
  }
  sim::Task<void> ask(Asked what) {
    note(what);
    if (delay > sim::Duration{}) co_await sim::sleep_for(clock(what.session), delay);
    if (unavailable && unavailable(what)) throw Unavailable("a test");
  }
  sim::Task<void> answered(Session session) {
    if (answer > sim::Duration{}) co_await sim::sleep_for(clock(session), answer);
  }
  Buffer& buffer(Session session) { return *buffers[index_of(session)]; }
  sim::Task<void> drained(Session session) {
    while (!buffer(session).writes.empty()) co_await buffer(session).drained.wait();
  }

  void set(sim::Key object, sim::Value value) {
    if (broken == Broken::lost && ++writes % 4 == 0) return;
    before[object] = std::exchange(values[object], value);
  }

  sim::Task<void> drain(Session session, Buffered write) {
    co_await sim::sleep_for(clock(session), write.due - rack.calendar().now());
    set(write.object, write.value);
    performed(write.operation, write.object, write.value);
    std::erase_if(buffer(session).writes, [&](const Buffered& one) { return one.operation == write.operation; });
    buffer(session).drained.notify_all();
  }
  void change(sim::OperationId operation, sim::Key object, sim::Value value) {
    set(object, value);
    if (shape().writes_return_early || tells_performed) performed(operation, object, value);
  }
  bool grant(Session session, sim::Key block, LockMode mode) {
    Lock& lock = locks[block];
    const bool shared = mode == LockMode::shared;
    const bool may = lock.holders.empty() || (lock.shared && shared) || broken == Broken::two_holders ||
                     (broken == Broken::shared_writer && lock.shared);
    if (!may) return false;
    lock.shared = shared && (lock.holders.empty() || lock.shared);
    lock.holders.push_back(session);
    return true;
  }

  /// What a session asks.
  class Port final : public MemoryPort {
   public:
    Port(FakeMemory& memory, Session session) : memory_(memory), session_(session) {}

    sim::Task<void> read(MemoryAccess access, std::span<sim::Value> values, sim::OperationId operation) override {
      co_await memory_.ask({Kind::read, session_, access.first, 0, operation, {}, access});
      for (std::uint32_t i = 0; i < access.objects; ++i) {
        const sim::Key object{access.first + i};
        const auto& own = memory_.buffer(session_).writes;
        const auto newest =
            std::find_if(own.rbegin(), own.rend(), [&](const auto& write) { return write.object == object; });
        std::uint64_t value = newest != own.rend() ? newest->value.number() : memory_.values[object];
        if (memory_.broken == Broken::stale) value = memory_.before[object];
        if (memory_.distort) memory_.distort(session_, object, value);
        values[i] = sim::Value{value};
      }
      co_await memory_.answered(session_);
    }

    sim::Task<void> write(MemoryAccess access, sim::Value value, sim::OperationId operation) override {
      const auto set_all = [&] {
        for (std::uint32_t i = 0; i < access.objects; ++i) {
          memory_.set(sim::Key{access.first + i}, sim::Value{value + i});
        }
      };
      if (memory_.shape().writes_return_early) {
        memory_.note({Kind::write, session_, access.first, value, operation, {}, access});
        for (std::uint32_t i = 0; i < access.objects; ++i) {
          buffer({sim::Key{access.first + i}, sim::Value{value + i}, sim::OperationId{operation + i},
                  memory_.rack.calendar().now() + memory_.buffering()});
        }
        co_return;
      }
      if (memory_.broken == Broken::early) set_all();
      co_await memory_.ask({Kind::write, session_, access.first, value, operation, {}, access});
      if (memory_.tells_performed) {
        set_all();
        memory_.performed(operation, access, value);
      }
      co_await memory_.answered(session_);
      if (!memory_.tells_performed && memory_.broken != Broken::early) set_all();
    }

    sim::Task<sim::Value> compare_and_swap(sim::Key object, sim::Value expected, sim::Value desired,
                                           sim::OperationId operation) override {
      co_await memory_.ask({Kind::compare_and_swap, session_, object, expected, operation});
      co_await memory_.drained(session_);
      const std::uint64_t found = memory_.values[object];
      if (found == expected) memory_.change(operation, object, desired);
      co_return found;
    }
    sim::Task<sim::Value> fetch_and_add(sim::Key object, std::uint64_t operand, sim::OperationId operation) override {
      co_await memory_.ask({Kind::fetch_and_add, session_, object, sim::Value{operand}, operation});
      co_await memory_.drained(session_);
      const std::uint64_t found = memory_.values[object];
      memory_.change(operation, object, sim::Value{found + operand});
      co_return found;
    }

    sim::Task<void> fence(sim::OperationId operation) override {
      memory_.note({Kind::fence, session_, 0, 0, operation});
      if (memory_.broken != Broken::weak_fence) co_await memory_.drained(session_);
    }
    sim::Task<void> lock(sim::Key block, LockMode mode, sim::OperationId operation) override {
      co_await memory_.ask({mode == LockMode::shared ? Kind::lock_shared : Kind::lock, session_, block, 0, operation});
      if (memory_.broken != Broken::weak_lock) co_await memory_.drained(session_);
      while (!memory_.grant(session_, block, mode)) co_await memory_.freed.wait();
    }
    sim::Task<bool> try_lock(sim::Key block, LockMode mode, sim::OperationId operation) override {
      co_await memory_.ask(
          {mode == LockMode::shared ? Kind::try_lock_shared : Kind::try_lock, session_, block, 0, operation});
      if (memory_.broken != Broken::weak_lock) co_await memory_.drained(session_);
      co_return memory_.grant(session_, block, mode);
    }
    sim::Task<void> unlock(sim::Key block, sim::OperationId operation) override {
      co_await memory_.ask({Kind::unlock, session_, block, 0, operation});
      if (memory_.broken != Broken::weak_lock) co_await memory_.drained(session_);
      if (memory_.broken == Broken::kept) co_return;
      auto& holders = memory_.locks[block].holders;
      std::erase_if(holders, [&](Session h) { return h.node == session_.node && h.thread == session_.thread; });
      memory_.freed.notify_all();
    }

    sim::Task<GlobalAddress> allocate(MemoryAllocator& allocator, std::uint64_t bytes, const AllocationHint& hint,
                                      sim::OperationId) override {
      memory_.hints.push_back(hint);
      co_return allocator.allocate(bytes, hint);
    }

   private:
    void buffer(Buffered write) {
      for (const Buffered& earlier : memory_.buffer(session_).writes) {
        if (!memory_.by_object || earlier.object == write.object) write.due = std::max(write.due, earlier.due);
      }
      memory_.buffer(session_).writes.push_back(write);
      memory_.buffer(session_).drains.spawn(memory_.drain(session_, write));
    }

    FakeMemory& memory_;
    Session session_;
  };

  MemoryPort& port(Session session) override { return ports[index_of(session)]; }
  void reserved(GlobalAddress first, std::uint64_t, const AllocationHint& hint) override {
    reservations.emplace_back(first, hint);
  }

  sim::Signal freed;
  std::map<std::uint64_t, Lock> locks;
  std::vector<std::unique_ptr<Buffer>> buffers;  // by session
  std::vector<Port> ports;                       // by session
  unsigned writes = 0;
};

}  // namespace racksim::models::test
