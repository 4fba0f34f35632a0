// A key-value store over any distributed shared memory: a hash table of buckets under the memory's own locks, as the
// applications of GAM (§6.2) and Concordia (§6.3) have it.
//
// A get locks its key's bucket shared, reads it, reads the pair of each entry with the key's tag until the whole key is
// the one that was asked for, and unlocks. A put locks it exclusively; a value of the same size is written in place, else
// a new pair is allocated at the thread's own node and written, then its entry, and the old pair is freed, all under the
// lock. A full bucket gets an overflow bucket, which is linked when it has been written. Operations queue at their thread.
//
// The public code compares tags alone, so that a get may return another key's value; here the key is compared.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "models/host/core.hpp"
#include "models/rack/rack.hpp"
#include "models/service/key_value_service.hpp"
#include "models/service/memory_service.hpp"
#include "models/store/bucket.hpp"
#include "models/store/heap.hpp"
#include "models/store/pair.hpp"
#include "models/store/store_options.hpp"
#include "models/store/table_layout.hpp"
#include "models/store/thread_queue.hpp"

namespace racksim::models {

/// What a store counts, as `store.`.
struct StoreCounters {
  explicit StoreCounters(sim::Metrics& metrics);
  sim::Counter &foreign_tags, &moved, &inserted, &overflow_buckets, &retries, &no_room;
  sim::Counter &bucket_reads, &bucket_copies, &pair_reads, &pair_copies;
};

/// The record of a store's own operations, which stands before the service that records there.
struct StoreHistory {
  sim::EventLog log{"", true};
};

class HashStore final : private StoreHistory, public KeyValueService {
 public:
  /// Keys below `loaded` have been put before the run. Throws sim::OptionError if the memory has no locks, or there are too
  /// many keys.
  HashStore(Rack& rack, MemoryService& memory, const StoreOptions& options, std::uint64_t loaded, std::uint64_t buckets,
            unsigned sessions_per_thread);

  OperationSet offers() const override;
  bool takes_back(NodeId node) const override { return memory_.takes_back(node); }
  /// Every node reads bucket and pair of each key, the coldest first.
  void preload(std::span<const sim::Key> hottest) override;
  /// Its tasks have been destroyed before.
  void node_crashed(NodeId node);

  const MemoryService& memory() const { return memory_; }
  const TableLayout& layout() const { return *layout_; }
  PairShape shape_of(sim::Key key, sim::Value value) const;
  /// What histories have for a key that is not there: of one that was there before the run a number that no write gives.
  sim::Value absent_value(sim::Key key) const { return key < loaded_ ? kAbsent : sim::kNeverWritten; }

 protected:
  sim::Task<Answer> do_get(Session place, sim::Key key, sim::OperationId operation) override;
  sim::Task<Answer> do_put(Session place, sim::Key key, sim::Value value, sim::OperationId operation) override;
  sim::Task<Answer> do_erase(Session place, sim::Key key, sim::OperationId operation) override;
  void do_describe_items(const ItemSizes& sizes) override;
  std::uint32_t value_bytes(sim::Key key, sim::Value value) const override;

 private:
  static constexpr sim::Value kAbsent{sim::kValueBound - 1};

  /// Who answered, in the order of labels.
  enum Label : std::uint8_t { by_bucket, by_overflow, by_absence };

  /// A thread of a node, which carries out operations.
  struct Thread {
    Thread(HashStore& store, Session place);
    Session session;  // of the memory service
    Core& core;
    sim::Clock& clock;
    Heap heap;
    ThreadQueue queue;
    std::optional<GlobalAddress> locked;  // the bucket
    std::vector<std::byte> pair;          // that it has read
  };
  struct Request {
    sim::OperationKind kind = sim::OperationKind::read;
    sim::Key key = 0;
    sim::Value value = 0;
  };
  /// Where a key's entry is, or where there is room for one.
  struct Found {
    bool there = false;
    unsigned depth = 0;  // of its bucket in the chain
    GlobalAddress at;    // of the entry
    BucketEntry entry;
    std::optional<GlobalAddress> room;  // the first empty entry of the chain
    GlobalAddress last;                 // bucket of the chain
  };
  /// A piece of memory that goes back to the heap unless somebody keeps it.
  class Piece;

  sim::Task<Answer> perform(Session place, Request request);
  sim::Task<Answer> carry_out(Thread& thread, Request request);
  sim::Task<Found> find(Thread& thread, Request request, GlobalAddress bucket);
  /// Whether the pair of an entry, which it reads, is the key's.
  sim::Task<bool> is_pair_of(Thread& thread, Request request, BucketEntry entry);
  sim::Task<void> write(Thread& thread, Request request, Found found);
  sim::Task<void> insert(Thread& thread, Request request, Found found);
  sim::Task<void> erase_entry(Thread& thread, Found found);
  void free_pair(Thread& thread, const BucketEntry& entry);
  sim::Task<void> unlock(Thread& thread);
  sim::Task<void> give_lock_back(Thread& thread);
  sim::Task<void> load(const Thread& thread, GlobalAddress address, std::span<std::byte> into, sim::Counter& reads,
                       sim::Counter& copies);
  Thread& thread_of(Session place) {
    return threads_[std::size_t{place.node} * memory_.shape().threads_per_node + place.thread];
  }

  Rack& rack_;
  MemoryService& memory_;
  StoreOptions options_;
  std::uint64_t loaded_, buckets_;
  StoreCounters counters_;
  std::unique_ptr<TableLayout> layout_;
  std::deque<Thread> threads_;
};

}  // namespace racksim::models
