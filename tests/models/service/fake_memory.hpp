// A distributed shared memory in one place: values in a map, locks in another, everything after fixed delays. It offers
// all operations, notes what its hooks are asked, and can be broken on purpose.
#pragma once

#include <algorithm>
#include <deque>
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

class FakeMemory final : public MemoryService {
 public:
  using Kind = sim::OperationKind;
  struct Asked {
    Kind kind;
    Session session;
    std::uint64_t key;    ///< object, or block of a lock
    std::uint64_t value;  ///< written, expected, or added
    std::uint64_t operation;
  };

  static MemoryShape shape_of(std::uint64_t object_bytes = 0, std::uint64_t block_bytes = 64, unsigned nodes = 4) {
    return {nodes, Roles::both(nodes), 2, block_bytes, object_bytes, kLocks.with(kAtomics)};
  }

  FakeMemory(Rack& on, const MemoryShape& shape)
      : MemoryService(on.calendar(), on.journal(), on.metrics(), shape), rack(on), freed(on.calendar()) {
    for (std::size_t i = 0; i < sessions(); ++i) buffers.push_back(std::make_unique<Buffer>(on.calendar()));
  }

  void warm_access(Session session, GlobalAddress address, bool write) override {
    warmed.push_back({write ? Kind::write : Kind::read, session, block_of(address), 0, 0});
    if (warms) MemoryService::warm_access(session, address, write);
  }
  using MemoryService::allocator;
  using MemoryService::sessions_died;

  Rack& rack;
  Broken broken = Broken::nothing;
  sim::Duration delay;           ///< of everything, before it takes effect
  sim::Duration answer;          ///< of accesses, from there to their end
  sim::Duration buffering;       ///< of writes that return early, until they are performed
  bool tells_performed = false;  ///< says itself when it performs writes, not at their end
  bool warms = false;            ///< carries out the accesses of the warm-up
  std::vector<Asked> asked, warmed;
  std::vector<std::pair<GlobalAddress, AllocationHint>> reservations;
  std::map<std::uint64_t, std::uint64_t> values, before;

 private:
  struct Lock {
    std::vector<Session> holders;
    bool shared = false;
  };
  struct Buffer {
    explicit Buffer(sim::Calendar& calendar) : drained(calendar), drains(calendar) {}
    std::deque<std::pair<std::uint64_t, std::uint64_t>> writes;  // object and value, oldest first
    sim::Signal drained;
    sim::Scope drains;
  };

  sim::Clock& clock(Session session) { return rack.server(session.node).clock(); }
  sim::Task<void> ask(Asked what) {
    asked.push_back(what);
    if (delay > sim::Duration{}) co_await sim::sleep_for(clock(what.session), delay);
  }
  sim::Task<void> answered(Session session) {
    if (answer > sim::Duration{}) co_await sim::sleep_for(clock(session), answer);
  }
  Buffer& buffer(Session session) { return *buffers[index_of(session)]; }
  sim::Task<void> drained(Session session) {
    while (!buffer(session).writes.empty()) co_await buffer(session).drained.wait();
  }

  void set(std::uint64_t object, std::uint64_t value) {
    if (broken == Broken::lost && ++writes % 4 == 0) return;
    before[object] = std::exchange(values[object], value);
  }

  sim::Task<std::uint64_t> do_read(Session session, std::uint64_t object, std::uint64_t operation) override {
    co_await ask({Kind::read, session, object, 0, operation});
    const auto& own = buffer(session).writes;
    const auto newest =
        std::find_if(own.rbegin(), own.rend(), [&](const auto& write) { return write.first == object; });
    std::uint64_t value = newest != own.rend() ? newest->second : values[object];
    if (broken == Broken::stale) value = before[object];
    co_await answered(session);
    co_return value;
  }

  sim::Task<void> do_write(Session session, std::uint64_t object, std::uint64_t value,
                           std::uint64_t operation) override {
    if (shape().writes_return_early) {
      asked.push_back({Kind::write, session, object, value, operation});
      buffer(session).writes.emplace_back(object, value);
      buffer(session).drains.spawn(drain(session, object, value, operation));
      co_return;
    }
    if (broken == Broken::early) set(object, value);
    co_await ask({Kind::write, session, object, value, operation});
    if (tells_performed) {
      set(object, value);
      performed(operation, object, value);
    }
    co_await answered(session);
    if (!tells_performed && broken != Broken::early) set(object, value);
  }
  sim::Task<void> drain(Session session, std::uint64_t object, std::uint64_t value, std::uint64_t operation) {
    co_await sim::sleep_for(clock(session), buffering);
    set(object, value);
    performed(operation, object, value);
    buffer(session).writes.pop_front();
    buffer(session).drained.notify_all();
  }

  sim::Task<std::uint64_t> do_compare_and_swap(Session session, std::uint64_t object, std::uint64_t expected,
                                               std::uint64_t desired, std::uint64_t operation) override {
    co_await ask({Kind::compare_and_swap, session, object, expected, operation});
    co_await drained(session);
    const std::uint64_t found = values[object];
    if (found == expected) change(operation, object, desired);
    co_return found;
  }
  sim::Task<std::uint64_t> do_fetch_and_add(Session session, std::uint64_t object, std::uint64_t operand,
                                            std::uint64_t operation) override {
    co_await ask({Kind::fetch_and_add, session, object, operand, operation});
    co_await drained(session);
    const std::uint64_t found = values[object];
    change(operation, object, found + operand);
    co_return found;
  }
  void change(std::uint64_t operation, std::uint64_t object, std::uint64_t value) {
    set(object, value);
    if (shape().writes_return_early || tells_performed) performed(operation, object, value);
  }

  sim::Task<void> do_fence(Session session, std::uint64_t operation) override {
    co_await ask({Kind::fence, session, 0, 0, operation});
    if (broken != Broken::weak_fence) co_await drained(session);
  }
  sim::Task<void> do_lock(Session session, std::uint64_t block, LockMode mode, std::uint64_t operation) override {
    co_await ask({mode == LockMode::shared ? Kind::lock_shared : Kind::lock, session, block, 0, operation});
    if (broken != Broken::weak_lock) co_await drained(session);
    while (!grant(session, block, mode)) co_await freed.wait();
  }
  sim::Task<bool> do_try_lock(Session session, std::uint64_t block, LockMode mode, std::uint64_t operation) override {
    co_await ask({mode == LockMode::shared ? Kind::try_lock_shared : Kind::try_lock, session, block, 0, operation});
    if (broken != Broken::weak_lock) co_await drained(session);
    co_return grant(session, block, mode);
  }
  sim::Task<void> do_unlock(Session session, std::uint64_t block, std::uint64_t operation) override {
    co_await ask({Kind::unlock, session, block, 0, operation});
    if (broken != Broken::weak_lock) co_await drained(session);
    if (broken == Broken::kept) co_return;
    auto& holders = locks[block].holders;
    std::erase_if(holders, [&](Session h) { return h.node == session.node && h.thread == session.thread; });
    freed.notify_all();
  }
  bool grant(Session session, std::uint64_t block, LockMode mode) {
    Lock& lock = locks[block];
    const bool shared = mode == LockMode::shared;
    const bool may = lock.holders.empty() || (lock.shared && shared) || broken == Broken::two_holders ||
                     (broken == Broken::shared_writer && lock.shared);
    if (!may) return false;
    lock.shared = shared && (lock.holders.empty() || lock.shared);
    lock.holders.push_back(session);
    return true;
  }

  void reserved(GlobalAddress first, std::uint64_t, const AllocationHint& hint) override {
    reservations.emplace_back(first, hint);
  }

  sim::Signal freed;
  std::map<std::uint64_t, Lock> locks;
  std::vector<std::unique_ptr<Buffer>> buffers;  // by session
  unsigned writes = 0;
};

}  // namespace racksim::models::test
