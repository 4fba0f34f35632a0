// Where a hash table lies in a memory service, and what it holds before anybody has put anything (GAM §6.2): an array of
// buckets, spread over the memory nodes by the hash's high bits, the overflow buckets that loading has made, and the
// pairs that were loaded. All of that is computed when somebody first reads it.
//
// Memory: 4 bytes a bucket and 4 a key that is loaded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/host/global_address.hpp"
#include "models/service/memory_service.hpp"
#include "models/store/bucket.hpp"
#include "models/store/loaded_pairs.hpp"

namespace racksim::models {

/// A key's hash: its high bits choose the bucket, its low bits are the tag.
struct TableHash {
  std::uint64_t bits = 0;
  std::uint32_t tag() const { return static_cast<std::uint32_t>(bits & ((1u << BucketEntry::kTagBits) - 1)); }
};
TableHash hash_of(sim::Key key);

class TableLayout {
 public:
  static constexpr std::uint64_t kMostLoaded = std::uint64_t{1} << 32;

  /// Reserves memory for a table of so many buckets, at least one, into which all keys below `keys` have been put, in
  /// ascending order. Throws sim::OptionError if a memory node has no room.
  TableLayout(MemoryService& memory, std::uint64_t buckets, std::uint64_t keys, const ItemSizes& sizes);

  std::uint64_t buckets() const { return buckets_; }
  std::uint64_t bucket_of(TableHash hash) const;
  GlobalAddress address_of(std::uint64_t bucket) const;
  /// Of a pair that was loaded.
  GlobalAddress pair_of(std::uint64_t key) const;
  /// Whether this is what was loaded, of pairs.
  bool is_loaded_pair(GlobalAddress address) const { return lies_in(address, pairs_, loaded_.bytes_of_node()); }
  /// Whether this block is the table's, or a loaded pair's.
  bool holds(sim::Key block) const;
  /// What lies there before the run.
  void first_bytes(GlobalAddress address, std::span<std::byte> into) const;
  /// Overflow buckets that loading has made.
  std::uint64_t loaded_overflows() const { return overflow_buckets_; }

  /// Lines of a memory with lines of so many bytes that such a table takes, but for overflow buckets: an estimate.
  static std::uint64_t lines(std::uint64_t buckets, std::uint64_t keys, std::uint64_t line_bytes,
                             const ItemSizes& sizes);

 private:
  using Area = std::vector<GlobalAddress>;  // by memory node, where it begins
  /// Of a bucket into which more keys than it has entries were loaded: where its overflow buckets begin among those of
  /// its node.
  struct Overflow {
    std::uint64_t bucket = 0, first = 0;
  };

  bool lies_in(GlobalAddress address, const Area& area, std::uint64_t bytes) const;
  unsigned node_index(GlobalAddress address) const { return address.home() - first_node_; }
  /// What was loaded into the n-th bucket of a chain; the 0th is the bucket itself.
  Bucket loaded_bucket(std::uint64_t bucket, std::uint64_t place) const;

  GlobalAddress overflow_of(std::uint64_t bucket, std::uint64_t place) const;
  /// What of the loaded things lies at an address, and how far it is into it.
  struct Piece {
    std::size_t inside = 0, bytes = 0;
    std::array<std::byte, Bucket::kBytes> content{};  // its first bytes, all others are 0
  };
  Piece piece_at(GlobalAddress address) const;
  void load(std::uint64_t keys);

  std::uint64_t line_bytes_, buckets_, buckets_per_node_ = 0, overflows_per_node_ = 0;
  NodeId first_node_;
  unsigned nodes_;
  ItemSizes sizes_;
  LoadedPairs loaded_;
  // Keys in the order of their buckets, those of one in ascending order, and where each bucket's begin; both empty if
  // none is loaded.
  std::vector<std::uint32_t> keys_, begins_;
  std::vector<std::vector<Overflow>> overflows_;  // by node, by bucket
  std::uint64_t overflow_buckets_ = 0;
  Area table_, overflow_, pairs_;
};

}  // namespace racksim::models
