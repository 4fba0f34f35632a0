// Memory models across keys: sequential consistency, total store order, partial store order.
//
//   sc   Lamport, "How to Make a Multiprocessor Computer That Correctly Executes Multiprocess Programs" (IEEE Trans. on
//        Computers C-28(9), 1979).
//   tso  Owens, Sarkar and Sewell, "A Better x86 Memory Model: x86-TSO" (TPHOLs 2009); The SPARC Architecture Manual,
//        version 8, appendix K.
//   pso  The SPARC Architecture Manual, version 8, appendix K, and version 9, appendix D.
//
// To find an order that explains a history is NP-complete (Gibbons and Korach, 1997); to check one is not. So the run
// tells when each write was performed (history.hpp), and the oracle judges that very order: all is as if there were one
// memory, which each write changes at its performed instant. Program order is that of operations of a session that do
// not overlap: one returned before the other was issued. Judged is:
//
//  * A write, or an atomic operation that writes, is performed once, with its value, after it was issued: before the
//    run ends if it returned, and an atomic operation before it returns. Whoever reports no performed instant for some
//    writes is accused of losing them; a memory whose writes are over when they return is for DataValueOracle.
//  * Stores of a session are performed in program order: all (sc, tso), or those to one key (pso).
//  * A read returns what memory held at some instant between its issue and its return. Under sc not before all earlier
//    writes of its session were performed. Under tso and pso while an earlier write of its session to its key is not
//    performed, it returns the newest such write instead.
//  * An atomic operation takes effect when the session's earlier writes are performed (pso: those to its key; that it
//    does not wait for others is the manual's reading, and GAM's). It reads what memory held just before it was
//    performed or, a compare-and-swap that does not write, at some instant as a read does.
//  * When a fence ends, or a lock is granted, the session's earlier writes are performed.
//  * When a lock is granted that another session gave back, unless both shared it, so are the writes which that session
//    had issued before the unlock. The unlock itself may return before.
//
// Sound and complete for that: a machine with one memory, which reports truthfully, is never accused; and what passes
// is an execution of the model, so that no search of orders (search_store_buffers, search_sequential) can refute it. It
// is no judge of memories that let some see a write before others, as replicas that are updated one by one do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/oracles/last_values.hpp"
#include "sim/oracles/oracle.hpp"
#include "sim/oracles/performed_memory.hpp"
#include "sim/record/flat_map.hpp"
#include "sim/record/history.hpp"
#include "sim/record/open_operations.hpp"
#include "sim/record/register_history.hpp"

namespace racksim::sim {

enum class MemoryModel : std::uint8_t { sc, tso, pso };

/// The enumerator's name, which is the oracle's.
std::string_view to_string(MemoryModel model);

/// Reads the beginnings and ends of operations of all kinds and the performed instants of writes. Violations are
/// reported at the event that makes the history impossible, and do not change what is judged afterwards. Attach it
/// before the first operation begins. An end without a beginning is ignored (ProgressOracle reports it).
///
/// A write that its session gave up may be performed later, or never. One that a crash has undone (record_lost_write)
/// is never performed or, if it had been, memory holds what it held before from then on.
///
/// Time: constant for each operation, but for what is under way on the same key, and the values that the key took while
/// a read of it was under way. Memory: about 200 bytes for each operation under way, and that of PerformedMemory.
class MemoryModelOracle final : public Oracle, public LastValues {
 public:
  /// `event_log` gives the names of sessions and must outlive the oracle. A read that stays under way while its key
  /// takes more than `version_limit` values is not checked.
  MemoryModelOracle(MemoryModel model, const EventLog& event_log, std::size_t version_limit = 1024);

  /// Writes may be undone: keeps all values of all keys that are written. Only before the run.
  void expect_losses() { expects_losses_ = true; }

  /// What warm-up left behind. Only before the key's first operation.
  void initial_value(Key key, Value value);

  ObservedKinds kinds() const override { return kAccessKinds.with({Observed::write_lost, Observed::performed}); }
  void observe(const Observation& observation) override;
  void finish(Time end) override;

  /// What memory holds now.
  bool may_hold(Key key, Value value) const override { return memory_.value(key) == value; }
  std::vector<Value> possible_values(Key key) const override { return {memory_.value(key)}; }
  void visit_keys(const std::function<void(Key key)>& visit) const override { memory_.for_each_key(visit); }

  /// Reads that stayed under way for too long.
  std::uint64_t unchecked_reads() const { return unchecked_reads_; }
  /// Operations that are kept: they are under way, or not performed.
  std::size_t open_operations() const { return slots_.size(); }
  /// Keys that somebody reads.
  std::size_t open_keys() const { return memory_.open_keys(); }

 private:
  using Slot = std::uint32_t;
  static constexpr Slot kNone = ~Slot{0};
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  struct Link {
    Slot previous = kNone, next = kNone;
  };
  struct Chain {
    Slot first = kNone, last = kNone;
  };
  struct Operation {
    OperationKind kind{};
    Key key = 0;
    std::uint64_t operand = 0;  // written, or added
    Moment begun;
    Moment returned{kNever, 0, {}, {}};
    std::uint64_t performed = kNever;
    bool given_up = false;
    Value before = 0;                      // of an atomic operation: what memory held when it was performed
    PerformedMemory::Reading reading = 0;  // of a read
    Moment not_before;                     // of a read: when the last write that it must come after was performed
    // Of a read: its session's writes to its key when it began that were not performed, and not hidden by later ones.
    std::vector<std::uint64_t> forwardable;
    Link of_key;      // the writes of a key that are not performed, by their beginnings
    Link of_session;  // the writes of a session that have returned and are not performed, by their returns
    bool precedes(const Operation& other) const { return returned.position < other.begun.position; }
    bool writes() const { return kind == OperationKind::write || is_atomic(kind); }
    bool reads() const { return kind == OperationKind::read || is_atomic(kind); }
  };
  struct HeldLock {
    Key lock;
    bool shared;
  };
  struct Session {
    Chain buffer;
    std::vector<Slot> reads;  // under way
    std::vector<HeldLock> held;
  };
  struct Release {
    Operation unlock;
    bool shared;  // what it gave back
  };

  void begin(const OperationView& view, const Moment& moment);
  void end(const OperationView& view, const Moment& moment, Slot slot);
  void give_up(Slot slot);
  void lose(const LostWriteView& lost, const Moment& moment);
  void perform(const PerformedView& view, const Moment& moment, const Slot* found);
  /// The values that the key has had so far, what warm-up left behind first.
  std::vector<PerformedMemory::Version>& past_of(Key key);

  void note_forwardable(Operation& read) const;
  void end_read(Slot slot);
  void judge_read(const Operation& read, Value value);
  void judge_atomic(const Operation& atomic, const OperationView& view);
  void judge_stored(const Operation& store, Value value, Time at);
  void grant(const Operation& request);
  void release(const Operation& unlock);
  /// The session's earlier writes, or those to the same key, must be performed by now.
  bool expect_drained(const Operation& operation, bool same_key, Time now, std::string_view event);
  /// An earlier write of its session, or one to the same key, that is not performed; or kNone.
  Slot undrained(const Operation& operation, bool same_key) const;
  bool may_forward(const Operation& read, Value value) const;

  Session& session(const Operation& operation);
  Slot add(const OperationView& view, const Moment& moment);
  void remove(Slot slot);
  void append(Chain& chain, Link Operation::*link, Slot slot);
  void unlink(Chain& chain, Link Operation::*link, Slot slot);
  void forget_write(Slot slot);

  std::string told(const Operation& operation) const;
  std::string told_read(const Operation& read, Value value, Slot own) const;

  MemoryModel model_;
  const EventLog& event_log_;
  std::uint64_t position_ = 0;
  std::uint64_t unchecked_reads_ = 0;
  bool expects_losses_ = false;
  PerformedMemory memory_;
  std::map<std::uint64_t, std::vector<PerformedMemory::Version>>
      past_;  // by key that was written, oldest first, if writes may be undone
  std::vector<Operation> operations_;
  std::vector<Slot> vacant_;
  OpenOperations<Slot> slots_;
  FlatMap<Chain> writes_;          // by key: those not performed
  std::vector<Session> sessions_;  // by source
  std::map<std::uint64_t, std::vector<Release>>
      releases_;  // by lock: unlocks that earlier writes were not performed at
};

}  // namespace racksim::sim
