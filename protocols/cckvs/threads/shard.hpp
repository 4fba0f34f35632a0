// A node's shard of the store (ccKVS §6.2): values of the keys that have been written, and the seqlocks of their
// objects.
//
// A write takes effect at the instant of its handler and holds its object's lock for what it costs from there on; a
// read's handler is called at the end of its cost. So when a read is over it is known which writes it overlapped.
#pragma once

#include <cstdint>

#include "models/host/core.hpp"
#include "protocols/cckvs/threads/counters.hpp"
#include "protocols/cckvs/threads/messages.hpp"
#include "sim/kernel/time.hpp"
#include "sim/random/random.hpp"
#include "sim/record/flat_map.hpp"
#include "sim/record/history.hpp"

namespace racksim::cckvs {

/// Where a key lives. Only nodes and threads count, no table of keys.
struct Home {
  unsigned node = 0;
  unsigned partition = 0;  ///< among the KVS threads of the node, where each has its own
};

/// The home of a key, by a hash of it. Each `placement` (models::ItemSizes) deals the keys out anew.
inline Home home_of(sim::Key key, unsigned nodes, unsigned partitions, std::uint64_t placement = 0) {
  constexpr std::uint64_t kDraw = 0x63'63'6b'76'73;
  const std::uint64_t hash = sim::keyed_draw(kDraw, key, placement);
  return {static_cast<unsigned>((hash & 0xffff'ffff) * nodes >> 32),
          static_cast<unsigned>((hash >> 32) * partitions >> 32)};
}

/// The lock in the header of an object, which a thread, known by its core, holds as long as it writes.
class Seqlock {
 public:
  /// Whether another thread's write overlaps a read that began at `from`.
  bool written_since(sim::Time from, const models::Core& reader) const {
    return held_until_ > from && writer_ != &reader;
  }
  /// How long it is still held.
  sim::Duration free_in(sim::Time now) const { return held_until_ > now ? held_until_ - now : sim::Duration{}; }
  /// A write that is ready now and takes `cost`; returns for how long it waits until another thread gives up the lock.
  sim::Duration write(sim::Time now, sim::Duration cost, const models::Core& writer) {
    const sim::Duration held = free_in(now), wait = writer_ == &writer ? sim::Duration{} : held;
    held_until_ = now + held + cost;
    writer_ = &writer;
    return wait;
  }

 private:
  sim::Time held_until_ = sim::Time::beginning();
  const models::Core* writer_ = nullptr;
};

/// Nothing is kept of a key that nobody has written.
class Shard {
 public:
  explicit Shard(Counters& counters) : counters_(counters) {}

  struct Object {
    sim::Value value = 0;
    sim::Value before = 0;  ///< the value that the last write has replaced
    Seqlock lock;
    Timestamp timestamp = {};  ///< where keys come into the caches and go
  };

  const Object* find(sim::Key key) const { return objects_.find(key); }
  /// Fills in what a get that began at `from`, and is over, has read. True if a write overlapped it and it was done
  /// again; without seqlocks it then has a part of what was there before.
  bool read(StoreRequest& get, sim::Time from, const models::Core& reader, bool seqlocks) const {
    ++counters_.store_reads.value;
    const Object* object = find(get.key);
    get.value = get.other = object != nullptr ? object->value : sim::kNeverWritten;
    if (object == nullptr || !object->lock.written_since(from, reader)) return false;
    if (!seqlocks) get.other = object->before;
    return seqlocks;
  }
  /// Writes an object; returns for how long the writer waits for its lock.
  sim::Duration write(sim::Key key, sim::Value value, sim::Time now, sim::Duration cost, const models::Core& writer) {
    ++counters_.store_writes.value;
    Object& object = objects_[key];
    digest_ = digest_ * 0x100000001b3 + (key ^ value.number() * 0x9e3779b97f4a7c15);
    object.before = object.value;
    object.value = value;
    return object.lock.write(now, cost, writer);
  }
  /// Says of which timestamp an object's value is.
  void stamp(sim::Key key, Timestamp timestamp) { objects_[key].timestamp = timestamp; }
  /// Calls `visit(key, value)` for each key that has been written, in no particular order.
  template <class Visit>
  void visit(Visit&& visit) const {
    objects_.for_each([&](std::uint64_t key, const Object& object) { visit(sim::Key{key}, object.value); });
  }
  /// Of all writes, in their order.
  std::uint64_t digest() const { return digest_; }
  /// What a crash does.
  void lose() { objects_ = {}; }

 private:
  Counters& counters_;
  sim::FlatMap<Object> objects_;
  std::uint64_t digest_ = 0;
};

}  // namespace racksim::cckvs
