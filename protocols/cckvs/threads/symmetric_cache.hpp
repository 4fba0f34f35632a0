// The symmetric cache of a node of a rack (ccKVS §4, §6.2): the consistency of its keys (cache.hpp) with the threads
// that serve it, the links to the other caches, the seqlocks of its objects, and the sessions that wait.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "protocols/cckvs/keys/cache.hpp"
#include "protocols/cckvs/keys/outbox.hpp"
#include "protocols/cckvs/threads/cache_links.hpp"
#include "protocols/cckvs/threads/cache_thread.hpp"
#include "sim/record/flat_map.hpp"

namespace racksim::cckvs {

/// Where keys come into the caches and go (hand_over.hpp): decides who uses a copy, and is told what happens to it.
class CopyKeeper {
 public:
  /// Whether sessions of this node use its copy of the key, which is then there.
  virtual bool uses_copy(sim::Key key) const = 0;
  /// A session's operation asks for a key whose copy it uses.
  virtual void ask(sim::Key key, const Stalled& operation) = 0;
  /// Something has happened to the key, on a cache thread.
  virtual void event_ended(sim::Key key, unsigned thread) = 0;
  /// The copy has served an operation that the cache does not know.
  virtual void ended(sim::OperationId operation, sim::Key key, const Stored& result) = 0;

 protected:
  ~CopyKeeper() = default;
};

class SymmetricCache final : public Outbox, CacheMessageHandler {
 public:
  /// A thread changes an object: its other threads' reads that overlap are done again.
  class Writing {
   public:
    /// What goes out about it is sent by this cache thread, because of this operation.
    Writing(SymmetricCache& owner, unsigned thread, sim::Key key, sim::OperationId cause);
    /// Holds the lock for `cost` from now on; returns for how long the thread waits for it.
    sim::Duration hold_lock(sim::Duration cost, const models::Core& writer);
    /// The same if the object has changed.
    sim::Duration hold_lock_if_changed(sim::Duration cost, const models::Core& writer);

   private:
    SymmetricCache& cache_;
    sim::Key key_;
    bool is_there_;
    Entry before_;
  };

  /// Makes the links of the node's cache threads.
  SymmetricCache(Shared& shared, const CacheOptions& options, NodeId node, sim::CoverageProbe coverage);

  const Cache& cache() const { return cache_; }
  /// For the keeper of the copies, and whoever explores a node.
  Cache& keys() { return cache_; }
  void keep_by(CopyKeeper& keeper) { keeper_ = &keeper; }
  CacheLinks& links(unsigned thread) { return *links_[thread]; }
  const std::vector<std::unique_ptr<CacheLinks>>& all_links() const { return links_; }
  bool has(sim::Key key) const { return cache_.find(key) != nullptr; }

  /// Serves a request for a key that it has, on a thread that has spent CacheOptions::probe_work on it just now.
  /// Nothing if the sessions of this node cease to use its copy before that: the request has not been served.
  sim::Task<std::optional<models::Answer>> serve(CacheThread& thread, StoreRequest request, sim::OperationId operation);

  /// An operation that waits here has been served. False if none of this number does.
  bool end(sim::OperationId operation, sim::Value value);
  /// An operation that waits here is to be served by the key's home.
  void move_away(sim::OperationId operation);
  /// The key has been taken out of the cache.
  void forget(sim::Key key) { unreadable_.erase(key); }

  /// Operations that have not ended.
  std::size_t waiting() const { return waiting_count_; }
  /// With retransmit: keys that are not Valid, which it will see to.
  std::size_t unreadable() const { return unreadable_.size(); }
  void add_waits(std::vector<sim::Wait>& waits) const;
  /// Operations that have not ended.
  void add_waiting(std::vector<models::Leak>& leaks) const;
  void crash();

 private:
  /// An operation that the cache has been told of. It lives in the coroutine that waits for its end.
  struct Waiting;
  /// The lock in the header of an object, of those that have been written.
  struct Written {
    Seqlock lock;
    sim::Value before = 0;  // what the last write has replaced
  };

  void receive(unsigned thread, NodeId from, const CacheMessage& message, sim::OperationId cause) override;
  void send_all(const CacheMessage& message, sim::OperationId put) override;
  void send(NodeId to, const CacheMessage& message, sim::OperationId put) override;
  void answered(sim::OperationId get, sim::Key key, sim::Value value) override;
  void committed(sim::OperationId, sim::Key, Timestamp, sim::Value) override {}
  void returned(sim::OperationId put, sim::Key key, bool superseded) override;
  void stalled(sim::OperationId operation, sim::Key key) override;
  void readable(sim::Key key, bool can_be_read) override;
  CacheMessage current(sim::Key key) const override;
  bool is_outdated(MessageClass message, sim::Key key, Timestamp timestamp) const override;
  /// Has the cache told of keys that have not been Valid for long.
  void look_for_late();
  void start_timer();

  void ask(const StoreRequest& request, sim::OperationId operation);
  Waiting* find_waiting(sim::OperationId operation);
  /// What was written while somebody read it, which took so long and is over now; null for nothing.
  const Written* overlapping(sim::Key key, sim::Duration length, const models::Core& reader) const;
  std::string waits_for(const Waiting& waiting) const;

  Shared& shared_;
  CacheOptions options_;
  NodeId node_;
  Cache cache_;
  CopyKeeper* keeper_ = nullptr;                    // null where the keys stay
  std::vector<std::unique_ptr<CacheLinks>> links_;  // by thread
  unsigned thread_ = 0;                             // that serves the cache at this instant
  sim::OperationId cause_ = 0;                      // of what it does
  sim::FlatMap<Written> written_;
  Waiting* asking_ = nullptr;                   // of which the cache is told at this instant
  sim::FlatMap<Waiting*> by_operation_;         // of those that have not ended at once
  Waiting *first_ = nullptr, *last_ = nullptr;  // in the order in which they came
  std::size_t waiting_count_ = 0;
  // With retransmit:
  struct Unreadable {
    sim::Key key;
    sim::Time due;
    std::uint64_t since = 0;  // the number of the time when it ceased to be Valid
  };
  sim::FlatMap<std::uint64_t> unreadable_;         // by key
  models::ShortQueue<Unreadable> unreadable_due_;  // and those that have been Valid again
  std::uint64_t times_unreadable_ = 0;
  sim::EventId timer_;
  bool timer_runs_ = false;
};

}  // namespace racksim::cckvs
