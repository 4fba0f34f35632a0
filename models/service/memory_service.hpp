// The memory service: what an application thread of a distributed shared memory sees (Concordia §6, GAM §3, SELCC §3).
//
// The face records histories (service.hpp). An access is of objects, the units that a value belongs to: whole blocks
// or, where a protocol can lose a neighbour's word, 8 bytes. What lies in one block is one call, and one operation,
// which takes effect at one instant for all of its objects (sim/record/history.hpp). One that spans blocks is a call for
// each, in the order of their addresses, as no system here makes it atomic. An object holds the number of a value; the
// bytes that it stands for are kept beside the run for an application that writes some (`keep_bytes`,
// value_contents.hpp).
//
// Three instants of a write: it is issued when its operation begins, returned when that ends, and performed when all
// readers see it. A protocol says when it performs a write (`performed`); if it says nothing the write is performed as
// it returns. With store buffers it may return long before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "models/host/global_address.hpp"
#include "models/rack/roles.hpp"
#include "models/service/memory_allocator.hpp"
#include "models/service/memory_port.hpp"
#include "models/service/operation_set.hpp"
#include "models/service/service.hpp"
#include "models/service/value_contents.hpp"
#include "sim/kernel/task.hpp"

namespace racksim::models {

/// What the service needs to know when it is built.
struct MemoryShape {
  unsigned nodes = 0;  ///< of the rack
  Roles roles;
  unsigned threads_per_node = 0;
  std::uint64_t block_bytes = 0;     ///< a power of two: the unit of coherence, of locks and of allocation
  std::uint64_t object_bytes = 0;    ///< what a value belongs to: 8, or 0 for a block
  OperationSet offers = {};          ///< beside read, write, allocate and free; a fence where writes return early
  bool writes_return_early = false;  ///< a write may return before it is performed: store buffers
  std::uint64_t memory_bytes = MemoryAllocator::kEverything;  ///< of each home
  // How much of a protocol locks take that are held; 0: no limit.
  std::uint64_t locks_per_session = 0;  ///< that it may hold at once
  /// Blocks that the locks of a node's sessions can keep in its cache, where each has a place that nothing else gets
  /// meanwhile. A cache of buckets may have no place for one before (`Unavailable`).
  std::uint64_t lines_pinned_per_node = 0;
};

/// A distributed shared memory. Implemented by protocols, used by workloads. A session has one operation under way at a
/// time. A call that cannot be carried out (an address at no memory server, an unlock of what is not held, and what the
/// protocol adds) throws std::invalid_argument and has not begun. Reads, writes and locks may throw Unavailable.
class MemoryService : public Service {
 public:
  /// An access before the run.
  struct WarmAccess {
    Session session;
    GlobalAddress address;
    bool write;
  };
  static constexpr std::string_view kWhat = "a memory service";
  static constexpr std::uint64_t kWordBytes = 8;

  /// Throws std::runtime_error when a block or an object is no power of two from 8 bytes, or an object more than a
  /// block.
  MemoryService(sim::Calendar& calendar, sim::EventLog& event_log, sim::Metrics& metrics, const MemoryShape& shape);

  /// Reads what lies at an address; returns the value of the (last) object.
  sim::Task<sim::Value> read(Session session, GlobalAddress address, std::uint64_t bytes = kWordBytes);
  /// The same of objects of one block, from the one at the address on, in one call: what each of them has.
  sim::Task<void> read_values(Session session, GlobalAddress address, std::span<sim::Value> values);
  /// Writes there, giving each object a new value; returns the (last) one.
  sim::Task<sim::Value> write(Session session, GlobalAddress address, std::uint64_t bytes = kWordBytes);
  /// Fills in what memory holds from an address on before anybody has stored there.
  using FirstBytes = std::function<void(GlobalAddress address, std::span<std::byte> into)>;
  /// Before anything is written, the warm-up included: an application will store real bytes. What it does not store
  /// in an object stays as it was: `first`, what others have stored, or, of a value that was written without bytes, those
  /// that stand for its number. The warm-up leaves the bytes alone. Without `first` everything is 0 at first.
  void keep_bytes(FirstBytes first = {});
  /// Reads and writes real bytes. `store` throws std::logic_error without `keep_bytes`. With store buffers a session
  /// loads what it has stored and is not performed over what others see.
  sim::Task<void> load(Session session, GlobalAddress address, std::span<std::byte> into);
  sim::Task<void> store(Session session, GlobalAddress address, std::span<const std::byte> bytes);
  /// What a value of an object stands for, from `offset` on.
  void copy_contents(sim::Key object, sim::Value value, std::size_t offset, std::span<std::byte> into) const {
    contents_.copy(object, value, offset, into);
  }

  /// Gives the object a new value if it has the value `expected`; returns the one it had.
  sim::Task<sim::Value> compare_and_swap(Session session, GlobalAddress address, sim::Value expected);
  /// Adds to the value of the object; returns the one it had.
  sim::Task<sim::Value> fetch_and_add(Session session, GlobalAddress address, std::uint64_t operand);
  /// Ends when the session's earlier writes are performed.
  sim::Task<void> fence(Session session);

  /// Locks of blocks: all that the bytes lie in, one operation for each. `lock` ends when it is granted; it takes them
  /// in the order of their addresses, so that two cannot wait for each other. `try_lock` ends at once, with whether it
  /// is granted. Who is not granted all of them, or throws, gives back what it has taken.
  sim::Task<void> lock(Session session, GlobalAddress address, LockMode mode = LockMode::exclusive,
                       std::uint64_t bytes = 1);
  sim::Task<bool> try_lock(Session session, GlobalAddress address, LockMode mode = LockMode::exclusive,
                           std::uint64_t bytes = 1);
  sim::Task<void> unlock(Session session, GlobalAddress address, std::uint64_t bytes = 1);
  /// Whether the lock of this block, which the session holds, was freed for it since its last holder had died: what the
  /// lock protects may be half done. Where a protocol does not say, false.
  virtual bool holder_died(Session session, GlobalAddress address) const;

  /// Takes memory in whole blocks. Throws as MemoryAllocator does: std::bad_alloc, when it has found out, if no home
  /// that may be taken has room.
  sim::Task<GlobalAddress> allocate(Session session, std::uint64_t bytes, AllocationHint hint = {});
  /// Throws std::invalid_argument, when it has found out, for an address that is no allocation's, and for memory that
  /// the protocol cannot free now.
  sim::Task<void> free(Session session, GlobalAddress address);
  /// The same outside time, before the run: how a workload gets the memory that it begins with. Throws
  /// sim::OptionError if there is no room.
  GlobalAddress reserve(std::uint64_t bytes, const AllocationHint& hint);

  /// Performs one access before the run: caches, homes and directories end as if the access had been the only one under
  /// way. By default by carrying it out; a protocol may have a faster way that ends in the same state.
  virtual void warm_access(Session session, GlobalAddress address, bool write);
  /// Performs them one after the other. A protocol may fetch beforehand what they will touch.
  virtual void warm_accesses(std::span<const WarmAccess> accesses) {
    for (const WarmAccess& access : accesses) warm_access(access.session, access.address, access.write);
  }

  /// For the protocol, at the instant at which a write or an atomic operation takes effect for all readers, once each:
  /// the object has `value` from now on. A `warm_access` of its own says so too, with kWarmOperation.
  void performed(sim::OperationId operation, sim::Key object, sim::Value value);
  /// The same of a write of several objects, the first of which gets `value`.
  void performed(sim::OperationId operation, const MemoryAccess& access, sim::Value value) {
    for (std::uint32_t i = 0; i < access.objects; ++i) {
      performed(sim::OperationId{operation == kWarmOperation ? operation : operation + i}, sim::Key{access.first + i},
                sim::Value{value + i});
    }
  }

  /// Throws std::runtime_error, naming what is missing, unless all of these are offered.
  void require(OperationSet needed) const;
  /// Throws sim::OptionError, with both numbers, if sessions may not hold `locks` at once, of `blocks` in all, or a
  /// node's cache has no room for as many as all its threads together may hold and `beside`: those that one of them
  /// accesses meanwhile, and has not locked.
  void require_locks(std::uint64_t locks, std::uint64_t blocks, std::uint64_t beside = 0) const;
  const MemoryShape& shape() const { return shape_; }
  std::uint64_t bytes_of(const sim::OperationView& begun) const override;
  bool holds_locks() const override { return !held_locks_.empty(); }
  /// The block an address lies in: the address without the offset in the block.
  sim::Key block_of(GlobalAddress address) const { return sim::Key{address.value >> block_bits_}; }
  /// The object, as histories name it.
  sim::Key object_of(GlobalAddress address) const { return sim::Key{address.value >> object_bits_}; }
  sim::Key block_of_object(sim::Key object) const { return sim::Key{object >> objects_bits()}; }
  /// Objects that are equal above these bits are in one block.
  unsigned objects_bits() const { return block_bits_ - object_bits_; }
  /// The home node of a block.
  NodeId home_of(sim::Key block) const {
    return static_cast<NodeId>(block >> (GlobalAddress::kOffsetBits - block_bits_));
  }

 protected:
  // The hooks.
  /// Before an operation begins: throws std::invalid_argument if the protocol cannot carry it out.
  virtual void check(Session session, sim::OperationKind kind, sim::Key block) const;
  /// Who carries out the operations of a session.
  virtual MemoryPort& port(Session session) = 0;
  /// Memory has been reserved before the run.
  virtual void reserved(GlobalAddress first, std::uint64_t bytes, const AllocationHint& hint);

  /// As that of every service. The bytes of the write are undone with it.
  void lost_write(sim::Key object, sim::Value value, sim::Loss why, sim::Value recovered = sim::kNeverWritten);
  /// As that of every service. What the sessions have written and is not performed they read no more.
  void sessions_died(NodeId node);
  /// For a protocol that frees the lock of a session that a crash has ended, or whose node is taken for dead: an unlock in
  /// its name, which takes no time. What the session itself gives back later, if it lives, is nobody's operation.
  void unlock_for_dead(Session holder, sim::Key block);

  MemoryAllocator& allocator() { return allocator_; }
  const MemoryAllocator& allocator() const { return allocator_; }

 private:
  /// Bytes that an operation writes into its object.
  struct Patch {
    std::size_t offset = 0;
    std::vector<std::byte> bytes;
  };

  /// A write that its session may read before it is performed.
  struct BufferedWrite {
    sim::OperationId operation = 0;
    sim::Key object = 0;
    sim::Value value = 0;
  };

  /// A lock that a session has been granted and has not given back.
  struct HeldLock {
    sim::Key block = 0;
    std::size_t session = 0;  // its index
  };

  std::vector<std::size_t> waited_for(const PendingOperation& begun) const override;
  void check_call(Session session, sim::OperationKind kind, sim::Key block) const;
  void hold(Session session, sim::Key block);
  /// Whether the session's lock was there, which it is no more.
  bool take_out(std::vector<HeldLock>& locks, Session session, sim::Key block) const;
  sim::Task<void> warm(Session session, sim::Key object, bool write);
  /// As much of it as lies in one block.
  MemoryAccess access_at(GlobalAddress address, std::uint64_t bytes) const;
  /// Room for what the session reads.
  std::span<sim::Value> room_for(Session session, const MemoryAccess& access);
  sim::Task<void> read_access(Session session, MemoryAccess access, std::span<sim::Value> values);
  /// All blocks' locks or none; returns whether they were granted, which is true unless it only tries.
  sim::Task<bool> lock_all(Session session, GlobalAddress address, LockMode mode, std::uint64_t bytes, bool tries);
  sim::Task<void> lock_block(Session session, sim::Key block, LockMode mode);
  sim::Task<bool> try_lock_block(Session session, sim::Key block, LockMode mode);
  sim::Task<void> unlock_block(Session session, sim::Key block);
  /// `bytes`, if any, go to the first object from `offset` on.
  sim::Task<sim::Value> write_access(Session session, MemoryAccess access, std::span<const std::byte> bytes,
                                     std::size_t offset);
  void note_patches(Session session, const PendingOperation& begun, std::span<const std::byte> bytes,
                    std::size_t offset);
  /// Copies what an object has from `offset` on for a session that has read `value` there.
  void copy_bytes(Session session, sim::Key object, sim::Value value, std::size_t offset,
                  std::span<std::byte> into) const;
  /// An operation that has written returns: if nobody said when it was performed, it was now.
  void perform_at_return(const PendingOperation& begun, sim::Value value);

  MemoryShape shape_;
  unsigned block_bits_, object_bits_;
  MemoryAllocator allocator_;
  std::vector<std::uint64_t> performed_;         // by session: its operation that was performed last
  std::vector<HeldLock> held_locks_;             // a few: sessions hold one or two
  std::vector<HeldLock> taken_back_;             // of sessions that may not know of it
  std::vector<std::vector<sim::Value>> values_;  // by session: room for what it reads
  ValueContents contents_;
  // Where real bytes are kept:
  bool keeps_bytes_ = false;
  std::unordered_map<std::uint64_t, Patch> patches_;  // by operation, or part of one: of those not performed yet
  std::vector<std::vector<BufferedWrite>> buffered_;  // by session, in their order: not performed yet
};

}  // namespace racksim::models
