// A thread of an application: what its operation draws, reads, writes and locks.
//
// Locks are of the memory's blocks, so slots in one block have one lock, which counts once. A session's calls come one
// after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "models/applications/regions.hpp"
#include "models/host/core_wait.hpp"
#include "models/rack/rack.hpp"
#include "models/service/memory_service.hpp"
#include "models/store/heap.hpp"
#include "models/workloads/block_popularity.hpp"
#include "sim/kernel/task.hpp"
#include "sim/kernel/waiting.hpp"
#include "sim/random/random.hpp"

namespace racksim::app {

class Client;

/// The locks that an operation has taken together, or none.
class Locks {
 public:
  Locks() = default;
  Locks(Locks&& other) noexcept : client_(std::exchange(other.client_, nullptr)), blocks_(std::move(other.blocks_)) {}
  Locks& operator=(Locks&& other) noexcept {
    client_ = std::exchange(other.client_, nullptr);
    blocks_ = std::move(other.blocks_);
    return *this;
  }
  Locks(const Locks&) = delete;
  Locks& operator=(const Locks&) = delete;
  ~Locks() = default;

  /// Whether they were granted.
  explicit operator bool() const { return client_ != nullptr; }
  /// Gives them back, the last one first; where writes return early, behind the writes.
  sim::Task<void> release();

 private:
  friend class Client;
  Locks(Client& client, std::vector<sim::Key> blocks) : client_(&client), blocks_(std::move(blocks)) {}

  Client* client_ = nullptr;
  std::vector<sim::Key> blocks_;
};

/// What clients share.
struct ClientContext {
  models::Rack& rack;
  models::MemoryService& memory;
  const Regions& regions;
  const std::vector<models::BlockPopularity>& popularity;  ///< by region: which slot
  std::uint64_t& calls;                                    ///< of all of them that have ended
  std::uint64_t& long_calls;                               ///< of these, those that took half a round trip or more
};

class Client {
 public:
  Client(const ClientContext& context, models::Session session);

  models::NodeId node() const { return session_.node; }
  unsigned thread() const { return session_.thread; }
  /// The draws of the operation: another attempt at it draws the same again.
  sim::RandomStream& random() { return random_; }
  /// A slot of a region, by the workload's distribution.
  Slot draw(std::string_view region);
  /// One that is not `other`, in the same region, which has two at least.
  Slot draw_other(std::string_view region, Slot other);
  Slot slot(std::string_view region, std::uint64_t index) const { return {context_.regions.number(region), index}; }

  /// Takes the exclusive locks of these slots, or of none: `operator bool` says which. An operation that is refused
  /// should end as aborted.
  template <class... More>
  sim::Task<Locks> try_lock(Slot first, More... more) {
    return take({first, more...}, models::LockMode::exclusive, true);
  }
  template <class... More>
  sim::Task<Locks> try_lock_shared(Slot first, More... more) {
    return take({first, more...}, models::LockMode::shared, true);
  }
  /// The same, which waits for them, in the order of their addresses.
  template <class... More>
  sim::Task<Locks> lock(Slot first, More... more) {
    return take({first, more...}, models::LockMode::exclusive, false);
  }

  // What lies at an offset of a slot, in one call if it lies in one line. Throw models::Unavailable.
  template <class T>
  sim::Task<T> load(Slot slot, std::size_t offset = 0) {
    T value;
    co_await read(slot, offset, std::as_writable_bytes(std::span(&value, 1)));
    co_return value;
  }
  template <class T>
  sim::Task<void> store(Slot slot, T value, std::size_t offset = 0) {
    static_assert(std::is_trivially_copyable_v<T>);
    co_await write(slot, offset, std::as_bytes(std::span(&value, 1)));
  }
  sim::Task<void> read(Slot slot, std::size_t offset, std::span<std::byte> into) {
    return read({context_.regions.address(slot).value + offset}, into);
  }
  sim::Task<void> write(Slot slot, std::size_t offset, std::span<const std::byte> bytes) {
    return write({context_.regions.address(slot).value + offset}, bytes);
  }
  // The same at any address, as of a piece.
  sim::Task<void> read(models::GlobalAddress address, std::span<std::byte> into);
  sim::Task<void> write(models::GlobalAddress address, std::span<const std::byte> bytes);
  /// Adds to the word there, and returns what it was before: the number, since atomics carry no bytes.
  sim::Task<std::uint64_t> fetch_and_add(models::GlobalAddress address, std::uint64_t operand);

  // Locks of lines by their number, one by one, for as long as the caller likes.
  sim::Task<bool> try_lock_line(sim::Key line, models::LockMode mode) { return take_one(line, mode, true); }
  sim::Task<void> lock_line(sim::Key line, models::LockMode mode);
  sim::Task<void> unlock_line(sim::Key line);

  /// Pieces of memory that the thread takes and gives back (heap.hpp).
  models::Heap& heap() { return heap_; }

  /// Has the thread's core work for so long.
  models::Occupy compute(sim::Duration length) const {
    return models::occupy(context_.rack.server(session_.node).core(session_.thread), length);
  }

  sim::Time now() const { return context_.rack.calendar().now(); }
  /// Waits for so long, while the core is free.
  sim::Sleep pause(sim::Duration length) const {
    return sim::sleep_for(context_.rack.server(session_.node).clock(), length);
  }
  /// Has the attempt, which will end as aborted, counted under this cause (Application::abort_causes).
  void aborts_for(std::size_t cause) { cause_ = cause; }
  /// The same, as if memory could not be had.
  void aborts_as_unavailable() { unavailable_ = true; }
  /// The same, as if a lock was refused.
  void aborts_as_refused() { refused_ = true; }

  // What the base asks (application_workload.cpp).
  /// Another operation begins; `again`: another attempt at the last one.
  void begin(bool again);
  /// Blocks whose locks it holds.
  std::size_t held() const { return held_.size(); }
  /// Gives all of them back.
  sim::Task<void> release_all();
  /// A crash has ended its session.
  void forget() {
    held_.clear();
    heap_.forget();
  }
  /// Whether a lock was refused in this attempt.
  bool was_refused() const { return refused_; }
  /// Whether this is another attempt at the last operation.
  bool is_again() const { return again_; }
  bool was_unavailable() const { return unavailable_; }
  std::optional<std::size_t> cause() const { return cause_; }

 private:
  friend class Locks;
  /// Notes how long a call took, from its beginning to its end.
  class Call;

  sim::Task<Locks> take(std::initializer_list<Slot> slots, models::LockMode mode, bool tries);
  sim::Task<Locks> take_blocks(std::vector<sim::Key> blocks, models::LockMode mode, bool tries);
  sim::Task<bool> take_one(sim::Key block, models::LockMode mode, bool tries);
  sim::Task<void> give_back(std::vector<sim::Key> blocks);
  models::GlobalAddress begin_of(sim::Key block) const;

  ClientContext context_;
  models::Session session_;
  models::Heap heap_;
  sim::RandomStream random_, at_begin_;
  sim::Time began_;
  std::vector<sim::Key> held_;  // in the order of taking
  bool again_ = false, refused_ = false, unavailable_ = false;
  std::optional<std::size_t> cause_;
};

}  // namespace racksim::app
