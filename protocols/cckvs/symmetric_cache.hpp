// The symmetric cache of a node of a rack (ccKVS §4, §6.2): the consistency of its keys (cache.hpp) with the threads
// that serve it, the links to the other caches, the seqlocks of its objects, and the sessions that wait.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "protocols/cckvs/cache.hpp"
#include "protocols/cckvs/cache_links.hpp"
#include "protocols/cckvs/cache_thread.hpp"
#include "protocols/cckvs/outbox.hpp"
#include "sim/record/flat_map.hpp"

namespace racksim::cckvs {

class SymmetricCache final : public Outbox, CacheMessageHandler {
 public:
  /// Makes the links of the node's cache threads.
  SymmetricCache(Shared& shared, const CacheOptions& options, NodeId node, sim::CoverageProbe coverage);

  const Cache& cache() const { return cache_; }
  CacheLinks& links(unsigned thread) { return *links_[thread]; }
  const std::vector<std::unique_ptr<CacheLinks>>& all_links() const { return links_; }
  void install(sim::Key key, sim::Value value) { cache_.install(key, {}, value); }
  bool has(sim::Key key) const { return cache_.find(key) != nullptr; }

  /// Serves a request for a key that it has, on a thread that has spent CacheOptions::probe_work on it just now.
  sim::Task<models::Answer> serve(CacheThread& thread, StoreRequest request, sim::OperationId operation);

  /// Operations that have not ended.
  std::size_t waiting() const { return waiting_count_; }
  /// With retransmit: keys that are not Valid, which it will see to.
  std::size_t unreadable() const { return unreadable_.size(); }
  void add_waits(std::vector<sim::Wait>& waits) const;
  /// Operations that have not ended, and keys that are not Valid although none is under way.
  void add_leaks(std::span<const sim::Key> keys, std::vector<models::Leak>& leaks) const;
  void crash();

 private:
  /// An operation that the cache has been told of. It lives in the coroutine that waits for its end.
  struct Waiting;
  /// The lock in the header of an object, of those that have been written.
  struct Written {
    Seqlock lock;
    sim::Value before = 0;  // what the last write has replaced
  };
  class Writing;

  void receive(unsigned thread, NodeId from, const CacheMessage& message, sim::OperationId cause) override;
  void invalidate_all(sim::Key key, Timestamp timestamp, sim::OperationId put) override;
  void update_all(sim::Key key, Timestamp timestamp, sim::Value value, sim::OperationId put) override;
  void invalidate_one(NodeId to, sim::Key key, Timestamp timestamp, sim::OperationId put) override;
  void update_one(NodeId to, sim::Key key, Timestamp timestamp, sim::Value value) override;
  void acknowledge(NodeId to, sim::Key key, Timestamp timestamp) override;
  void answered(sim::OperationId get, sim::Key key, sim::Value value) override;
  void committed(sim::OperationId, sim::Key, Timestamp, sim::Value) override {}
  void returned(sim::OperationId put, sim::Key key, bool superseded) override;
  void stalled(sim::OperationId operation, sim::Key key) override;
  void readable(sim::Key key, bool can_be_read) override;
  CacheMessage current(sim::Key key) const override;
  /// Has the cache told of keys that have not been Valid for long.
  void look_for_late();
  void start_timer();

  /// What was written while somebody read it, which took so long and is over now; null for nothing.
  const Written* overlapping(sim::Key key, sim::Duration length, const models::Core& reader) const;
  void end(sim::OperationId operation, sim::Value value);
  std::string waits_for(const Waiting& waiting) const;

  Shared& shared_;
  CacheOptions options_;
  NodeId node_;
  Cache cache_;
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
