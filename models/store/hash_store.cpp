// Gets, puts and erasures of a hash table. See hash_store.hpp.
#include "models/store/hash_store.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <new>

#include "models/host/core_wait.hpp"
#include "models/store/pair.hpp"
#include "sim/kernel/waiting.hpp"
#include "sim/options/option_error.hpp"
#include "sim/random/random.hpp"

namespace racksim::models {

using Kind = sim::OperationKind;

namespace {

const std::vector<AnswerLabel>& labels() {
  static const std::vector<AnswerLabel> all{
      {.name = "bucket", .doc = "a key's own bucket answered"},
      {.name = "overflow", .doc = "an overflow bucket answered", .share = true},
      {.name = "absence", .doc = "found no such key, or put it there"},
  };
  return all;
}

}  // namespace

StoreCounters::StoreCounters(sim::Metrics& m)
    : foreign_tags(m.counter("store.foreign_tags", "entries", "that had the tag of another key that was looked for")),
      moved(m.counter("store.moved", "pairs", "that got another place, as their size has changed")),
      inserted(m.counter("store.inserted", "pairs", "of keys that were not there")),
      overflow_buckets(m.counter("store.overflow_buckets", "buckets", "that were linked behind full ones")),
      retries(m.counter("store.retries", "attempts", "that found memory, or its place in a cache, unavailable")),
      no_room(m.trouble("store.no_room", "operations", "given up since no memory node had room")),
      bucket_reads(m.counter("store.bucket_reads", "reads", "of buckets")),
      bucket_copies(m.counter("store.bucket_reads.local", "reads", "of these that took less than half a round trip")),
      pair_reads(m.counter("store.pair_reads", "reads", "of pairs")),
      pair_copies(m.counter("store.pair_reads.local", "reads", "of these that took less than half a round trip")) {
  m.share("store.bucket_copy_share", "of the reads of buckets: a copy was there, which the lock may have brought",
          {&bucket_copies}, {&bucket_reads});
  m.share("store.pair_copy_share", "of the reads of pairs: a copy was there", {&pair_copies}, {&pair_reads});
}

HashStore::Thread::Thread(HashStore& store, Session place)
    : session(place),
      core(store.rack_.server(place.node).core(place.thread)),
      clock(store.rack_.server(place.node).clock()),
      heap(store.memory_, place),
      queue(store.rack_.calendar()) {}

class HashStore::Piece {
 public:
  Piece(Heap& heap, GlobalAddress at, std::uint64_t bytes) : heap_(&heap), at_(at), bytes_(bytes) {}
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;
  ~Piece() {
    if (heap_ != nullptr) heap_->free(at_, bytes_);
  }
  GlobalAddress address() const { return at_; }
  void keep() { heap_ = nullptr; }

 private:
  Heap* heap_;
  GlobalAddress at_;
  std::uint64_t bytes_;
};

HashStore::HashStore(Rack& rack, MemoryService& memory, const StoreOptions& options, std::uint64_t loaded,
                     std::uint64_t buckets, unsigned sessions_per_thread)
    : KeyValueService(rack.calendar(), log, rack.metrics(), memory.shape().roles.compute_nodes,
                      memory.shape().threads_per_node, labels(), sessions_per_thread),
      rack_(rack),
      memory_(memory),
      options_(options),
      loaded_(loaded),
      buckets_(buckets),
      counters_(rack.metrics()) {
  memory.require({Kind::lock, Kind::lock_shared, Kind::unlock});
  const std::uint64_t lines = (Bucket::kBytes + memory.shape().block_bytes - 1) / memory.shape().block_bytes;
  memory.require_locks(lines, buckets * lines, 1);
  if (loaded > TableLayout::kMostLoaded) {
    throw sim::OptionError("keys", fmt::format("{} keys of a store in shared memory", loaded),
                           fmt::format("at most {}", TableLayout::kMostLoaded));
  }
  for (unsigned node = 0; node < client_nodes(); ++node) {
    for (unsigned thread = 0; thread < memory.shape().threads_per_node; ++thread) {
      threads_.emplace_back(*this, Session{static_cast<NodeId>(node), static_cast<std::uint16_t>(thread)});
    }
  }
}

OperationSet HashStore::offers() const {
  return {Kind::read, Kind::write, Kind::erase};
}

void HashStore::do_describe_items(const ItemSizes& sizes) {
  const std::uint32_t least = std::min(sizes.small_value_bytes, sizes.large_value_bytes);
  const std::uint64_t most =
      PairShape{sizes.key_bytes, std::max(sizes.small_value_bytes, sizes.large_value_bytes)}.bytes();
  if (least < PairShape::kLeastValue) {
    throw sim::OptionError(
        "", fmt::format("values of {} bytes", least),
        fmt::format("at least {} in a store that keeps real bytes: the number of a write", PairShape::kLeastValue));
  }
  if (most > BucketEntry::kMostBytes) {
    throw sim::OptionError(
        "", fmt::format("pairs of {} bytes", most),
        fmt::format("at most {} with key and header: an entry has 20 bits for them", BucketEntry::kMostBytes));
  }
  layout_ = std::make_unique<TableLayout>(memory_, buckets_, loaded_, sizes);
  memory_.keep_bytes([this](GlobalAddress address, std::span<std::byte> into) { layout_->first_bytes(address, into); });
}

std::uint32_t HashStore::value_bytes(sim::Key key, sim::Value value) const {
  // A trace may have shorter ones.
  const std::uint32_t own = std::max(sizes().value_bytes(key), PairShape::kLeastValue);
  if (value == sim::kNeverWritten || options_.resized <= 0) return own;
  constexpr std::uint64_t kDraw = 0x72'6573'697a'65;
  const double unit = static_cast<double>(sim::keyed_draw(kDraw, key, value) >> 11) * 0x1p-53;
  if (unit >= options_.resized) return own;
  return own == sizes().small_value_bytes ? sizes().large_value_bytes : sizes().small_value_bytes;
}

PairShape HashStore::shape_of(sim::Key key, sim::Value value) const {
  return {sizes().key_bytes, value_bytes(key, value)};
}

void HashStore::preload(std::span<const sim::Key> hottest) {
  for (auto key = hottest.rbegin(); key != hottest.rend(); ++key) {
    const auto warm = [&](GlobalAddress first, std::uint64_t bytes) {
      const std::uint64_t line = memory_.shape().block_bytes;
      for (std::uint64_t at = first.value / line * line; at < first.value + bytes; at += line) {
        for (unsigned node = 0; node < client_nodes(); ++node) {
          memory_.warm_access({static_cast<NodeId>(node), 0}, {at}, false);
        }
      }
    };
    warm(layout_->address_of(layout_->bucket_of(hash_of(*key))), Bucket::kBytes);
    if (*key < loaded_) warm(layout_->pair_of(*key), shape_of(*key, sim::kNeverWritten).bytes());
  }
}

void HashStore::node_crashed(NodeId node) {
  for (Thread& thread : threads_) {
    if (thread.session.node != node) continue;
    thread.queue.forget();
    thread.heap.forget();
    thread.locked.reset();
  }
  sessions_died(node);
}

sim::Task<Answer> HashStore::do_get(Session place, sim::Key key, sim::OperationId) {
  return perform(place, {Kind::read, key, sim::kNeverWritten});
}

sim::Task<Answer> HashStore::do_put(Session place, sim::Key key, sim::Value value, sim::OperationId) {
  return perform(place, {Kind::write, key, value});
}

sim::Task<Answer> HashStore::do_erase(Session place, sim::Key key, sim::OperationId) {
  return perform(place, {Kind::erase, key, sim::kNeverWritten});
}

sim::Task<Answer> HashStore::perform(Session place, Request request) {
  Thread& thread = thread_of(place);
  ThreadQueue::Turn turn(thread.queue);
  co_await turn.come();
  for (std::uint64_t attempt = 1;; ++attempt) {
    bool no_room = false;
    try {
      co_return co_await carry_out(thread, request);
    } catch (const Unavailable&) {
      ++counters_.retries.value;
    } catch (const std::bad_alloc&) {
      no_room = true;
      ++counters_.no_room.value;
    }
    co_await give_lock_back(thread);
    if (no_room || attempt == options_.attempts) co_return Answer{};
    co_await sim::sleep_for(thread.clock, options_.retry);
  }
}

sim::Task<Answer> HashStore::carry_out(Thread& thread, Request request) {
  const TableHash hash = hash_of(request.key);
  const GlobalAddress bucket = layout_->address_of(layout_->bucket_of(hash));
  co_await occupy(thread.core, options_.hash_time);
  const LockMode mode = request.kind == Kind::read ? LockMode::shared : LockMode::exclusive;
  co_await memory_.lock(thread.session, bucket, mode, Bucket::kBytes);
  thread.locked = bucket;
  const Found found = co_await find(thread, request, bucket);
  Answer answer;
  answer.given = true;
  answer.key = request.key;
  answer.label = !found.there ? by_absence : found.depth == 0 ? by_bucket : by_overflow;
  if (request.kind == Kind::write) {
    co_await write(thread, request, found);
  } else if (request.kind == Kind::erase) {
    if (found.there) co_await erase_entry(thread, found);
  } else if (found.there) {
    const StoredPair pair(thread.pair);
    answer.key = pair.key();
    answer.value = pair.value();
    answer.parts = pair.parts();
  } else {
    answer.absent = true;
    answer.value = absent_value(request.key);
  }
  co_await unlock(thread);
  co_return answer;
}

sim::Task<HashStore::Found> HashStore::find(Thread& thread, Request request, GlobalAddress bucket) {
  const std::uint32_t tag = hash_of(request.key).tag();
  Found found;
  for (found.last = bucket;; ++found.depth) {
    Bucket content;
    co_await load(thread, found.last, content.bytes(), counters_.bucket_reads, counters_.bucket_copies);
    unsigned looked_at = 0;
    while (!found.there && looked_at < Bucket::kEntries) {
      const unsigned number = looked_at++;
      const BucketEntry entry = content.entry(number);
      const GlobalAddress at{found.last.value + Bucket::offset_of(number)};
      if (entry.is_empty()) {
        if (!found.room) found.room = at;
      } else if (entry.tag == tag) {
        found.there = co_await is_pair_of(thread, request, entry);
        found.at = at;
        found.entry = entry;
      }
    }
    co_await occupy(thread.core, options_.entry_time * static_cast<std::int64_t>(looked_at));
    if (found.there || content.overflow() == GlobalAddress{}) co_return found;
    found.last = content.overflow();
  }
}

// A get reads the whole pair in one go, who only looks for the key reads no more than that.
sim::Task<bool> HashStore::is_pair_of(Thread& thread, Request request, BucketEntry entry) {
  const bool whole = request.kind == Kind::read;
  const std::uint32_t key_bytes = sizes().key_bytes;
  thread.pair.resize(whole ? entry.bytes : PairShape::kHeaderBytes + key_bytes);
  co_await load(thread, entry.pair, thread.pair, counters_.pair_reads, counters_.pair_copies);
  co_await occupy(thread.core, copy_time(key_bytes));
  const bool is_its = StoredPair(thread.pair).has_key(request.key, key_bytes);
  if (!is_its) ++counters_.foreign_tags.value;
  co_return is_its;
}

sim::Task<void> HashStore::write(Thread& thread, Request request, Found found) {
  const PairShape shape = shape_of(request.key, request.value);
  if (!found.there || found.entry.bytes != shape.bytes()) {
    co_await insert(thread, request, found);
    co_return;
  }
  std::vector<std::byte> value(shape.value_bytes);
  write_value(value, request.value);
  co_await memory_.store(thread.session, {found.entry.pair.value + shape.value_offset()}, value);
}

/// A pair of its own, and the entry that leads to it: the one that the key has, an empty one, or one of a new bucket.
sim::Task<void> HashStore::insert(Thread& thread, Request request, Found found) {
  const PairShape shape = shape_of(request.key, request.value);
  const GlobalAddress address = co_await thread.heap.allocate(shape.bytes());
  Piece pair(thread.heap, address, shape.bytes());
  std::vector<std::byte> bytes(shape.bytes());
  write_pair(bytes, shape, request.key, request.value);
  co_await memory_.store(thread.session, address, bytes);
  const BucketEntry entry{
      .tag = hash_of(request.key).tag(), .bytes = static_cast<std::uint32_t>(shape.bytes()), .pair = address};
  if (found.there || found.room) {
    const auto stored = entry.stored();
    co_await memory_.store(thread.session, found.there ? found.at : *found.room, stored);
    pair.keep();
    ++(found.there ? counters_.moved : counters_.inserted).value;
    if (found.there) free_pair(thread, found.entry);
    co_return;
  }
  const GlobalAddress next = co_await thread.heap.allocate(Bucket::kBytes);
  Piece overflow(thread.heap, next, Bucket::kBytes);
  Bucket content;
  content.set(0, entry);
  co_await memory_.store(thread.session, next, content.bytes());
  const std::uint64_t link = next.value;
  co_await memory_.store(thread.session, {found.last.value + Bucket::kOverflow}, std::as_bytes(std::span(&link, 1)));
  overflow.keep();
  pair.keep();
  ++counters_.inserted.value;
  ++counters_.overflow_buckets.value;
}

sim::Task<void> HashStore::erase_entry(Thread& thread, Found found) {
  const auto empty = BucketEntry{}.stored();
  co_await memory_.store(thread.session, found.at, empty);
  free_pair(thread, found.entry);
}

void HashStore::free_pair(Thread& thread, const BucketEntry& entry) {
  if (layout_->is_loaded_pair(entry.pair)) {
    thread.heap.adopt(entry.pair, entry.bytes);
  } else {
    thread.heap.free(entry.pair, entry.bytes);
  }
}

sim::Task<void> HashStore::unlock(Thread& thread) {
  const GlobalAddress bucket = *thread.locked;
  thread.locked.reset();
  co_await memory_.unlock(thread.session, bucket, Bucket::kBytes);
}

sim::Task<void> HashStore::give_lock_back(Thread& thread) {
  if (thread.locked) co_await unlock(thread);
}

sim::Task<void> HashStore::load(const Thread& thread, GlobalAddress address, std::span<std::byte> into,
                                sim::Counter& reads, sim::Counter& copies) {
  const sim::Time began = rack_.calendar().now();
  co_await memory_.load(thread.session, address, into);
  ++reads.value;
  if ((rack_.calendar().now() - began) * 2 < rack_.options().rtt) ++copies.value;
}

}  // namespace racksim::models
